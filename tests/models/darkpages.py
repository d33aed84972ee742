"""A model of darkpages (Part I): the rule book read a second time, apart from the service, in plain functions over plain documents.

Requests are documents as callers send them; what the service refuses by its schema is never asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from tests.models.dice import Answer, Dice, Document, Refused, name_key, sent

TRAITS = {"injury": "health", "illness": "health", "stress": "sanity", "fatigue": "sanity", "corruption": "aura"}
ATTRIBUTES = {"health": "body", "sanity": "mind", "aura": "soul"}
STATES = ["unhurt", "diminished", "damaged", "destroyed"]
PENALTIES = {"unhurt": (0, 0), "diminished": (-1, 0), "damaged": (-1, -1), "destroyed": (-1, -1)}
ONE_ROLL = ("modifiers", "keepDice", "scars")
"""What is said of one roll of an actor, and gone after it."""


# ── Pools ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def pair_of(modifier: str) -> tuple[int, int]:
    """A signed pair: one sign for both numbers."""
    match = re.fullmatch(r"([+\-−–])(\d+)/[+\-−–]?(\d+)", modifier)
    assert match is not None, modifier
    sign, roll, keep = match.groups()
    factor = 1 if sign == "+" else -1
    return factor * int(roll), factor * int(keep)


def rating(actor: Document, attribute: str | None) -> tuple[int, int]:
    """Roll and keep by the sheet, without modifiers."""
    if "character" not in actor:
        return actor["pool"]["roll"], actor["pool"]["keep"]
    written = actor["character"]["attributes"][attribute]
    return written["roll"], written["keep"]


def state_of(sheet: Document, trait: str) -> str:
    return str((sheet.get("damage") or {}).get(trait, "unhurt"))


def penalties(actor: Document, attribute: str | None, overflow: str) -> Iterator[tuple[int, int]]:
    """What damage and Scars take from an Attribute."""
    sheet = actor.get("character")
    if sheet is None:
        return
    for trait, own in ATTRIBUTES.items():
        if own == attribute:
            yield PENALTIES[state_of(sheet, trait)]
            if overflow == "stack":
                yield from [(-1, -1)] * (sheet.get("overflow") or {}).get(trait, 0)
    for index, scar in enumerate(sheet.get("scars") or []):
        counts = index in (actor.get("scars") or []) if scar.get("condition") else True
        if counts and scar.get("attribute") in (None, attribute):
            yield pair_of(scar["modifier"])


def dice_of(actor: Document, attribute: str | None, request: Document, more: int = 0) -> tuple[int, int]:
    """How many dice are rolled and kept, after all modifiers and one floor."""
    roll, keep = rating(actor, attribute)
    changes = [*map(pair_of, actor.get("modifiers") or []), *penalties(actor, attribute, request.get("overflow") or "stack")]
    floor = 0 if request.get("floor") == "zero" else 1
    return max(floor, roll + sum(r for r, _ in changes)), max(floor, keep + more + sum(k for _, k in changes))


def is_npc(actor: Document) -> bool:
    said = actor.get("npc")
    return bool((actor.get("character") or {}).get("npc") if said is None else said)


def archetype(actor: Document) -> str | None:
    return actor.get("archetype") or (actor.get("character") or {}).get("archetype")


# ── Rolls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Rolled:
    """What one roller has on the table."""

    faces: list[int]
    keep: int
    npc: bool
    how: str = "highest"
    listed: list[int] | None = None
    kept: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.kept)

    @property
    def special(self) -> str | None:
        """Dismal: all dice are 0. Dramatic: a player kept only 0s, while another number was rolled."""
        if self.faces and not any(self.faces):
            return "dismalFailure"
        return "dramaticFailure" if self.kept and not any(self.kept) and not self.npc else None

    def choose(self, succeeds: Callable[[Rolled], bool]) -> Rolled:
        """Keep dice, the best for those who want zeros only where they still succeed."""
        number = min(self.keep, len(self.faces))
        high = sorted(self.faces, reverse=True)
        others = [face for face in high if face]
        if self.listed is not None:
            self.kept = [self.faces[index] for index in self.listed]
        elif self.how == "highest" or self.npc:
            self.kept = high[:number]
        else:
            for zeros in range(min(number, len(high) - len(others)), max(0, number - len(others)) - 1, -1):
                self.kept = [0] * zeros + others[: number - zeros]
                if self.how == "mostZeros" or succeeds(self):
                    return self
            self.kept = high[:number]
        return self


def rolled(dice: Dice, name: str, actor: Document, attribute: str | None, request: Document, more: int = 0) -> Rolled:
    """Roll the dice of an actor, and keep none of them yet."""
    roll, keep = dice_of(actor, attribute, request, more)
    faces = [dice.roll(name, 10, 0) for _ in range(roll)]
    return Rolled(faces, keep, is_npc(actor), actor.get("keep") or "highest", actor.get("keepDice"))


def may_act(actor: Document) -> None:
    """Who is out of the game or Defeated takes no part."""
    sheet = actor.get("character") or {}
    if sheet.get("outOfGame"):
        raise Refused("darkpages.damage.destroyed")
    if sheet.get("defeated") or actor.get("defeated"):
        raise Refused("darkpages.damage.defeated")


def against_number(one: Rolled, target: int) -> str:
    """A check against a Target Number."""
    one.choose(lambda kept: against_number_kept(kept, target) == "success")
    return against_number_kept(one, target)


def against_number_kept(one: Rolled, target: int) -> str:
    return one.special or ("success" if one.kept and one.total >= target else "failure")


def opposed(one: Rolled, other: Rolled) -> str:
    """An opposed check; who waits for the other to choose is the one who wants to succeed with zeros."""
    if one.how != "mostZerosThatSucceed":
        one.choose(lambda _: False)
        other.choose(lambda _: versus(other, one) == "success")
    else:
        other.choose(lambda _: False)
        one.choose(lambda _: versus(one, other) == "success")
    return versus(one, other)


def versus(one: Rolled, other: Rolled) -> str:
    """The higher total wins; who is Dismal or Dramatic loses to who is not."""
    if one.special and other.special:
        return "stalemate"
    if one.special or other.special:
        return one.special or ("success" if one.kept else "failure")
    if one.total == other.total:
        return "stalemate"
    return "success" if one.total > other.total else "failure"


SUCCEEDED = {"success": True, "stalemate": None}


def earn(answer: Answer, actor: Document, one: Rolled) -> None:
    """Each 0 that a player keeps is a Training Point for everybody of the Archetype."""
    name, zeros = archetype(actor), sum(face == 0 for face in one.kept)
    if name and zeros and not is_npc(actor):
        answer.points[name] = answer.points.get(name, 0) + zeros


def no_roll(request: Document, state: Document) -> Answer | None:
    """Nothing at stake, or everything: nobody rolls."""
    stakes = request.get("stakes", "something")
    return None if stakes == "something" else Answer("noRoll", None, None, request.get("targetNumber")).leaving(state)


# ── Damage ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def resist(
    dice: Dice, answer: Answer, name: str, actor: Document, request: Document, against: int, by_roll: bool, failed: bool = False
) -> str:
    """A Damage Check and what it does. An attack that failed by itself harms nobody."""
    trait = TRAITS[request["trauma"]]
    attribute = request.get("resistWith") or ATTRIBUTES[trait]
    roller = {**actor, "keep": request.get("damageKeep") or actor.get("keep"), "keepDice": request.get("damageKeepDice")}
    if name == "target":
        roller = actor
        attribute = actor.get("attribute") or attribute
    one = rolled(dice, name, roller, attribute, request)
    one.choose(lambda kept: resisted(kept, request, against, by_roll) == "resisted")
    earn(answer, actor, one)
    answer.total, answer.target = one.total, against
    word = resisted(one, request, against, by_roll)
    if failed:
        return "stalemate" if one.special or not one.kept else "resisted"
    return harm(actor, trait, request) if word == "harm" else word


def resisted(one: Rolled, request: Document, against: int, by_roll: bool) -> str:
    """Resisted, a stalemate, or harm."""
    if one.special or one.total < against or not one.kept:
        return "harm"
    if one.total == against and by_roll:
        return request.get("damageTie") or "stalemate"
    return "resisted"


def harm(actor: Document, trait: str, request: Document) -> str:
    """Defeated, or the next worse state for who risks it."""
    sheet = actor.get("character")
    risks = request.get("onHarm") == "risk"
    if sheet is None:
        if not risks:
            actor["defeated"] = True
        return "diminished" if risks else "defeated"
    state, lethal = state_of(sheet, trait), sheet["lethal"] == trait
    destroyed = "destroyed" in (sheet.get("damage") or {}).values()
    if destroyed and (lethal or not risks):
        sheet["outOfGame"] = True
        return "outOfGame"
    if not risks:
        sheet["defeated"] = True
        return "defeated"
    if state == "damaged" and not lethal:
        sheet["overflow"] = {**(sheet.get("overflow") or {}), trait: (sheet.get("overflow") or {}).get(trait, 0) + 1}
        return "held"
    word = STATES[STATES.index(state) + 1]
    sheet["damage"] = {**(sheet.get("damage") or {}), trait: word}
    return word


HARMED = {"defeated", "diminished", "damaged", "destroyed", "held", "outOfGame"}


def damage(request: Document, dice: Dice) -> Answer:
    state = sent(request, "target")
    may_act(state["target"])
    answer = Answer("", None)
    answer.outcome = resist(dice, answer, "target", state["target"], request, request["against"], request["opposed"])
    answer.succeeded = {"resisted": True, "stalemate": None}.get(answer.outcome, False)
    return answer.leaving(cleared(state))


# ── Checks and attacks ───────────────────────────────────────────────────────────────────────────────────────────────


def cleared(state: Document) -> Document:
    """The participants without what was said of one roll."""
    for value in state.values():
        for actor in value if isinstance(value, list) else [value]:
            for name in ONE_ROLL if "attributes" not in actor else ():
                actor.pop(name, None)
    return state


def check(request: Document, dice: Dice) -> Answer:
    state = sent(request, "actor", "opponent")
    actor, opponent = state["actor"], state.get("opponent")
    may_act(actor)
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        skipped.extra = {"damage": None}
        return skipped
    if opponent:
        may_act(opponent)
    one = rolled(dice, "actor", actor, actor.get("attribute"), request)
    answer = Answer("", None)
    if opponent:
        other = rolled(dice, "opponent", opponent, opponent.get("attribute"), request)
        word = opposed(one, other)
        target = other.total
        earn(answer, opponent, other)
    else:
        word, target = against_number(one, request["targetNumber"]), request["targetNumber"]
    answer.outcome, answer.succeeded, answer.total, answer.target = word, SUCCEEDED.get(word, False), one.total, target
    earn(answer, actor, one)
    answer.extra = {"damage": None}
    if request.get("trauma") and answer.succeeded is False:
        answer.extra = {"damage": resist(dice, answer, "actor.damage", actor, request, target, opponent is not None)}
        answer.total, answer.target = one.total, target
    return answer.leaving(cleared(state))


def attack(request: Document, dice: Dice) -> Answer:
    state = sent(request, "attacker", "defender")
    attacker, defender = state["attacker"], state["defender"]
    may_act(attacker)
    may_act(defender)
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        return skipped
    own = ATTRIBUTES[TRAITS[request["trauma"]]]
    one = rolled(dice, "attacker", attacker, attacker.get("attribute"), request)
    other = rolled(dice, "defender", defender, defender.get("attribute") or request.get("resistWith") or own, request)
    word = opposed(one, other)
    answer = Answer({"stalemate": "stalemate"}.get(word, "failed"), SUCCEEDED.get(word, False), one.total, other.total)
    earn(answer, attacker, one)
    earn(answer, defender, other)
    if word == "success":
        answer.outcome = resist(dice, answer, "defender.damage", defender, request, one.total, True)
        answer.succeeded = after_damage(answer.outcome)
    return answer.leaving(cleared(state))


def after_damage(word: str) -> bool | None:
    """Whether who attacked succeeded."""
    return None if word == "stalemate" else word in HARMED


# ── Optional mechanics ───────────────────────────────────────────────────────────────────────────────────────────────


def able(actor: Document) -> bool:
    """Whether somebody can take part."""
    try:
        may_act(actor)
    except Refused:
        return False
    return True


def leader_of(members: list[Document], said: int | None = None) -> int:
    """Who is rated highest: keeps the most dice, then rolls the most, then comes first."""
    if said is not None:
        return said
    ratings = [rating(one, one.get("attribute")) for one in members]
    return max(range(len(members)), key=lambda index: (ratings[index][1], ratings[index][0], -index))


def team_roll(dice: Dice, name: str, members: list[Document], request: Document, said: int | None) -> tuple[int, Rolled]:
    for one in members:
        may_act(one)
    index = leader_of(members, said)
    leader = members[index]
    return index, rolled(dice, f"{name}.{index}", leader, leader.get("attribute"), request, more=len(members) - 1)


def lessons(answer: Answer, members: list[Document], index: int, one: Rolled, awards: list[int]) -> None:
    """Kept 0s teach the assistants, as the roller says or in turn."""
    zeros = sum(face == 0 for face in one.kept)
    pupils = [number for number, other in enumerate(members) if number != index and not is_npc(other) and archetype(other)]
    if not pupils or is_npc(members[index]):
        return
    chosen = [*awards[:zeros], *(pupils[number % len(pupils)] for number in range(max(0, zeros - len(awards))))]
    for number in chosen:
        name = archetype(members[number])
        assert name is not None
        answer.points[name] = answer.points.get(name, 0) + 1


def teamwork(request: Document, dice: Dice) -> Answer:
    state = sent(request, "members", "opponent", "opponents")
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        return skipped
    index, one = team_roll(dice, "members", state["members"], request, request.get("leader"))
    answer = Answer("", None)
    if "targetNumber" in request:
        word, target = against_number(one, request["targetNumber"]), request["targetNumber"]
    elif "opponent" in state:
        may_act(state["opponent"])
        other = rolled(dice, "opponent", state["opponent"], state["opponent"].get("attribute"), request)
        word = opposed(one, other)
        target = other.total
        earn(answer, state["opponent"], other)
    else:
        second, other = team_roll(dice, "opponents", state["opponents"], request, None)
        word = opposed(one, other)
        target = other.total
        lessons(answer, state["opponents"], second, other, [])
    lessons(answer, state["members"], index, one, request.get("awards") or [])
    answer.outcome, answer.succeeded, answer.total, answer.target = word, SUCCEEDED.get(word, False), one.total, target
    return answer.leaving(cleared(state))


def crowd(dice: Dice, name: str, members: list[Document], request: Document, use: str) -> Rolled:
    """Everybody rolls, and one total counts."""
    rolls = []
    for index, one in enumerate(members):
        rolls.append(rolled(dice, f"{name}.{index}", one, one.get("attribute"), request).choose(lambda _: False))
    worth = {"dismalFailure": 0, "dramaticFailure": 1, None: 2}
    return (max if use == "highest" else min)(rolls, key=lambda one: (one.total, worth[one.special]))


def swarm(request: Document, dice: Dice) -> Answer:
    state = sent(request, "members", "opponent", "opponents")
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        return skipped
    for member in [*state["members"], *state.get("opponents", []), *([state["opponent"]] if "opponent" in state else [])]:
        may_act(member)
    one = crowd(dice, "members", state["members"], request, request["use"])
    if "targetNumber" in request:
        word, target = against_number_kept(one, request["targetNumber"]), request["targetNumber"]
    else:
        if "opponent" in state:
            other = rolled(dice, "opponent", state["opponent"], state["opponent"].get("attribute"), request).choose(lambda _: False)
        else:
            other = crowd(dice, "opponents", state["opponents"], request, "highest")
        word, target = versus(one, other), other.total
    return Answer(word, SUCCEEDED.get(word, False), one.total, target).leaving(cleared(state))


def defend(request: Document, dice: Dice) -> Answer:
    state = sent(request, "attacker", "defender", "ward")
    attacker, defender, ward = state["attacker"], state["defender"], state["ward"]
    for one in (attacker, defender, ward):
        may_act(one)
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        return skipped
    own = request.get("resistWith") or ATTRIBUTES[TRAITS[request["trauma"]]]
    pair = [{"attribute": own} | defender, {"attribute": own} | ward]
    name, roller = [("defender", defender), ("ward", ward)][leader_of(pair)]
    first = rolled(dice, "attacker", attacker, attacker.get("attribute"), request)
    shield = rolled(dice, name, roller, roller.get("attribute") or own, request)
    word = opposed(first, shield)
    answer = Answer("wardSafe", None, shield.total, first.total)
    earn(answer, attacker, first)
    earn(answer, roller, shield) if name == "defender" else earn_for(answer, defender, roller, shield)
    harmed = None
    if word == "success":
        answer.outcome = resist(dice, answer, "ward.damage", ward, request, first.total, True)
        harmed = "ward"
    elif versus(shield, first) == "success":
        second = first
        if not request.get("reuseAttack"):
            second = rolled(dice, "attacker.second", {**attacker, "keepDice": None}, attacker.get("attribute"), request)
            second.choose(lambda _: False)
            earn(answer, attacker, second)
        failed = bool(second.special) or not second.kept
        word = resist(dice, answer, "defender.damage", defender, request, second.total, True, failed)
        answer.outcome = "wardSafe" if word == "resisted" else word
        if word == "resisted":
            answer.total, answer.target = shield.total, first.total
        harmed = "defender"
    elif word == "stalemate":
        answer.outcome = "stalemate"
    answer.extra = {"harmed": harmed if answer.outcome in HARMED else None}
    answer.succeeded = None if answer.outcome == "stalemate" else SUCCEEDED.get(versus(shield, first), False)
    return answer.leaving(cleared(state))


def earn_for(answer: Answer, defender: Document, roller: Document, one: Rolled) -> None:
    """The points of the ward's roll go to the defender."""
    if not is_npc(roller) and not is_npc(defender):
        earn(answer, {"archetype": archetype(defender)}, one)


def no_mercy(request: Document, dice: Dice) -> Answer:
    state = sent(request, "attacker", "victim", "rescuer")
    attacker, victim, rescuer = state["attacker"], state["victim"], state.get("rescuer")
    may_act(attacker)
    if rescuer:
        may_act(rescuer)
    if victim.get("outOfGame") or not victim.get("defeated") or victim["lethal"] != TRAITS[request["trauma"]]:
        raise Refused("darkpages.noMercy")
    if (skipped := no_roll(request, cleared(deepcopy(state)))) is not None:
        return skipped
    answer = Answer("killed", True)
    if rescuer:
        one = rolled(dice, "attacker", attacker, attacker.get("attribute"), request)
        other = rolled(dice, "rescuer", rescuer, rescuer.get("attribute"), request)
        word = opposed(one, other)
        answer = Answer({"success": "killed", "stalemate": "stalemate"}.get(word, "spared"), SUCCEEDED.get(word, False))
        answer.total, answer.target = one.total, other.total
        earn(answer, attacker, one)
        earn(answer, rescuer, other)
    if answer.outcome == "killed":
        victim["outOfGame"] = True
    return answer.leaving(cleared(state))


# ── Without dice ─────────────────────────────────────────────────────────────────────────────────────────────────────


def concede(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    sheet = state["character"]
    if sheet.get("defeated") or sheet.get("outOfGame") or "destroyed" in (sheet.get("damage") or {}).values():
        raise Refused("darkpages.damage.defeated")
    sheet["defeated"] = True
    return Answer("defeated", None).leaving(state)


def recovery(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character", "characters")
    before = deepcopy(state)
    for sheet in state.get("characters") or [state["character"]]:
        recover(sheet, request)
    return Answer("recovered" if state != before else "unchanged", state != before).leaving(state)


def recover(sheet: Document, request: Document) -> None:
    """One moment of recovery."""
    when, states = request["when"], dict(sheet.get("damage") or {})
    if when == "returnAsNpc":
        if not sheet.get("outOfGame"):
            raise Refused("darkpages.damage.destroyed")
        sheet.update(outOfGame=False, npc=True)
        if sheet.get("defeated"):
            sheet["defeated"] = False
        traits = [trait for trait, state in states.items() if state == "destroyed"] or [sheet["lethal"]]
        sheet["damage"] = states | dict.fromkeys(traits, "damaged")
        return
    if sheet.get("outOfGame"):
        if "scar" in request:
            raise Refused("darkpages.scars")
        return
    if when == "conflictEnd" and sheet.get("defeated"):
        sheet["defeated"] = False
    if when in ("sessionEnd", "interval"):
        destroyed = "destroyed" in states.values()
        if destroyed and "scar" not in request:
            raise Refused("darkpages.recovery.destroyed")
        if not destroyed and "scar" in request:
            raise Refused("darkpages.scars")
        if destroyed:
            heal(sheet, {"destroyed": "damaged"})
            sheet["scars"] = [*(sheet.get("scars") or []), request["scar"]]
    if when in ("sessionStart", "interval"):
        heal(sheet, {"diminished": "unhurt", **({"damaged": "unhurt"} if request.get("care", True) else {})})
    if when == "respite":
        heal(sheet, {"diminished": "unhurt"})


def heal(sheet: Document, better: dict[str, str]) -> None:
    """Better states; harm counted beyond Damaged goes with Damaged."""
    for trait, state in (sheet.get("damage") or {}).items():
        if state in better:
            sheet["damage"] = sheet["damage"] | {trait: better[state]}
            if state == "damaged" and (sheet.get("overflow") or {}).get(trait):
                sheet["overflow"] = sheet["overflow"] | {trait: 0}


def training(request: Document, dice: Dice) -> Answer:
    ledger: list[Document] = deepcopy(request.get("ledger") or [])
    earned: dict[str, int] = {}
    if "award" in request:
        earned[request["award"]["archetype"]] = request["award"]["points"]
    for effect in request.get("awards") or []:
        if effect["stat"] == "trainingPoints":
            name = effect["on"].removeprefix("archetype:")
            earned[name] = earned.get(name, 0) + effect["change"]
    for name, points in earned.items():
        entries = [entry for entry in ledger if name_key(entry["archetype"]) == name_key(name)]
        for entry in entries:
            entry["points"] += points
        if not entries:
            ledger.append({"archetype": name, "points": points})
    if "spend" in request:
        spend = request["spend"]
        if not request.get("sessionEnded"):
            raise Refused("darkpages.training.session")
        payer = next(entry for entry in ledger if entry.get("name") == spend["name"])
        if payer["points"] < spend["cost"]:
            raise Refused("darkpages.training.session")
        payer["points"] -= spend["cost"]
    return Answer("spent" if "spend" in request else "awarded", None).leaving({"ledger": ledger})


def initiation(request: Document, dice: Dice) -> Answer:
    state = sent(request, "participants")
    weigh = request.get("weigh") or ["proximity", "ease", "drama", "powers"]
    scores = {one["id"]: tuple(one.get(name, 0) for name in weigh) for one in state["participants"]}
    order = [{"ids": [id_ for id_, other in scores.items() if other == score]} for score in sorted(set(scores.values()), reverse=True)]
    return Answer("ordered", None).leaving(state | {"order": order})


# ── Conflicts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def conflict(request: Document, dice: Dice) -> Answer:
    """Declared actions in the game master's order, with the sheets carried from one to the next."""
    participants: list[Document] = deepcopy(request["participants"])
    number = {one["id"]: index for index, one in enumerate(participants)}
    answer, results = Answer("ongoing", None), []
    for action in request.get("actions") or []:
        if action["action"] == "darkpages.concede":
            concede({"character": participants[number[action["character"]["participant"]]]["actor"]["character"]}, dice)
    done = request.get("done") or 0
    for count, action in enumerate(request.get("actions") or [], done + 1):
        results.append(declared(answer, participants, number, action, count, dice))
    if request.get("end"):
        answer.outcome = "finished"
        for one in participants:
            holder = one["actor"].get("character", one["actor"])
            if holder.get("defeated") and not holder.get("outOfGame"):
                holder["defeated"] = False
    answer.extra = {"results": results}
    return answer.leaving({"participants": participants, "done": done + len(results)})


def declared(answer: Answer, participants: list[Document], number: dict[str, int], action: Document, count: int, dice: Dice) -> Document:
    """One action, by the function of the single action."""
    body = deepcopy(action)
    names: dict[str, str] = {}
    roles: list[tuple[str, int | None, int]] = []
    skipped = {"action": action["action"], "outcome": "skipped", "succeeded": None, "total": None}
    for role in ("members", "opponents"):
        if role in body:
            body[role] = [one for one in body[role] if able(participants[number[one["participant"]]]["actor"])]
            if not body[role]:
                return skipped
    for role, value in deepcopy(body).items():
        for index, one in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(one, dict) or "participant" not in one:
                continue
            place = number[one["participant"]]
            actor = {**deepcopy(participants[place]["actor"]), **{name: said for name, said in one.items() if name != "participant"}}
            names[f"{role}.{index}" if isinstance(value, list) else role] = f"participants.{place}.action{count}"
            roles.append((role, index if isinstance(value, list) else None, place))
            put = actor["character"] if role in ("character", "victim") else actor
            if isinstance(value, list):
                body[role][index] = put
            else:
                body[role] = put

    def renamed(name: str, sides: int, lowest: int) -> int:
        base = max((role for role in names if name == role or name.startswith(f"{role}.")), key=len)
        return dice.roll(names[base] + name.removeprefix(base), sides, lowest)

    class Renamed(Dice):
        def roll(self, name: str, sides: int, lowest: int = 1) -> int:
            return renamed(name, sides, lowest)

    try:
        single = PLAY[action["action"]](body, Renamed(dice.face))
    except Refused:
        return skipped
    for role, position, place in roles:
        now = single.after[role] if position is None else single.after[role][position]
        actor = participants[place]["actor"]
        if role in ("character", "victim"):
            actor["character"] = now
        elif "character" in actor:
            actor["character"] = now["character"]
        elif now.get("defeated"):
            actor["defeated"] = True
    for name, points in single.points.items():
        answer.points[name] = answer.points.get(name, 0) + points
    return {"action": action["action"], **single.numbers()}


PLAY: dict[str, Callable[[Document, Dice], Answer]] = {
    "darkpages.check": check,
    "darkpages.damage": damage,
    "darkpages.attack": attack,
    "darkpages.teamwork": teamwork,
    "darkpages.swarm": swarm,
    "darkpages.defend": defend,
    "darkpages.noMercy": no_mercy,
    "darkpages.concede": concede,
    "darkpages.recovery": recovery,
    "darkpages.training": training,
    "darkpages.initiation": initiation,
    "darkpages.conflict": conflict,
}
