"""A model of Jazz: the rule book read a second time, apart from the service, in plain functions over plain documents.

It knows no more than the rulings it is compared with need: what every action decides, the totals, and the participants afterwards.
Requests are documents as callers send them; what the service refuses by its schema is never asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from importlib.resources import files
from typing import Any

from tests.models.dice import Answer, Dice, Document, Refused, name_key, sent

LEVELS = {"mundane": (4, 2), "exceptional": (6, 3), "elite": (8, 4), "heroic": (10, 5), "legendary": (12, 6), "mythic": (14, 7)}
DIFFICULTIES = {"easy": 8, "challenging": 10, "demanding": 12, "frustrating": 14, "nigh-impossible": 16}
ROWS = {
    row["id"]: row["difficulty"] for row in json.loads(files("tablecall.systems.jazz").joinpath("tables.json").read_text())["weirdEffects"]
}
"""The rows of the weird table: data that both must have."""
HEALING = {"restoreHealth.one": 1, "restoreHealth.half": 1, "restoreHealth.full": 1, "restoreHealth.dying": 2, "restoreHealth.dead": 3}
"""How bad a condition each healing row is good for."""
CONDITIONS = {"unconscious": 1, "dying": 2, "dead": 3}
ONE_ROLL = ("spend", "imposeKarma", "advantage", "disadvantage", "extraordinary", "beyond")
"""What is said of one roll, and gone after it."""
DIE_RULES = {"karma": "jazz.karma.positive", "heldAdvantage": "jazz.complication.die"}


# ── Sheets ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def aspect(sheet: Document, name: str) -> Document:
    """The aspect of that name."""
    return next(one for one in sheet["aspects"] if name_key(one["name"]) == name_key(name))


def in_use(actor: Document) -> list[Document]:
    """The aspects that apply."""
    sheet = actor.get("character")
    return [aspect(sheet, name) for name in actor.get("using") or []] if sheet else []


def pool(sheet: Document, name: str) -> Document | None:
    """A pool as it stands: as sent, or full by the aspects."""
    if sheet.get(name) is not None:
        return dict(sheet[name])
    if name == "health":
        size = aspect(sheet, sheet["survivalAspect"])["bonus"] if sheet.get("survivalAspect") else None
    else:
        weird = [one["bonus"] for one in sheet["aspects"] if one.get("weird")]
        size = None if not weird else sum(weird) if sheet.get("weirdPool") == "sum" else max(weird)
    return None if size is None else {"current": size, "max": size}


def is_out(actor: Document) -> bool:
    """Whether somebody is out of the fight; who has no sheet never is."""
    sheet = actor.get("character")
    if sheet is None:
        return False
    health = pool(sheet, "health")
    return bool(sheet.get("out")) or (health is not None and health["max"] > 0 and health["current"] == 0)


def change(sheet: Document, name: str, points: int) -> None:
    """Add points to a pool."""
    now = pool(sheet, name)
    assert now is not None
    if points:
        sheet[name] = now | {"current": now["current"] + points}


def stand_up(sheet: Document) -> None:
    """Back in play: no longer out, and in no condition."""
    if sheet.get("out"):
        sheet["out"] = False
    if sheet.get("condition") is not None:
        del sheet["condition"]


def wound(actor: Document) -> bool:
    """A hit: one health, and out at zero; who is unnamed is out at once. Whether this put somebody out."""
    sheet = actor.get("character")
    if sheet is None:
        return False
    health = pool(sheet, "health")
    if health is not None and health["current"] > 0:
        change(sheet, "health", -1)
    now = pool(sheet, "health")
    down = not sheet.get("named", True) or (now is not None and now["max"] > 0 and now["current"] == 0)
    if down:
        sheet["out"] = True
    return down


# ── Rolls ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def modifier(actor: Document) -> int:
    """The best bonus that applies, at least 1 in what everybody can do. Only a weird aspect does what is truly extraordinary."""
    weird_only = actor.get("beyond")
    best = max((one["bonus"] for one in in_use(actor) if one.get("weird") or not weird_only), default=actor.get("bonus") or 0)
    return max(best, 1) if actor.get("universal") else best


def untrained(actor: Document) -> bool:
    """Whether no aspect applies."""
    return max((one["bonus"] for one in in_use(actor)), default=actor.get("bonus") or 0) == 0


def advantages(actor: Document, more: bool = False) -> tuple[bool, bool]:
    """Whether the roll has an advantage and a disadvantage, however many reasons there are."""
    good = more or actor.get("advantage") or actor.get("spend") or (actor.get("gear") or {}).get("advantage")
    bad = actor.get("disadvantage") or actor.get("withoutEquipment") or actor.get("imposeKarma")
    return bool(good), bool(bad)


def throw(dice: Dice, name: str, count: int, gear: Document) -> list[int]:
    """Dice on the table: all are rolled, then those that the gear lets be rolled again."""
    shown = [dice.roll(name, 6) for _ in range(count)]
    again = gear.get("reroll") or []
    for index in range(count):
        if shown[index] in again:
            shown[index] = dice.roll(name, 6)
            while gear.get("until") == "clear" and shown[index] in again:
                shown[index] = dice.roll(name, 6)
    return shown


def may_roll(actor: Document) -> None:
    """Refuse a die that is not held, or not needed."""
    sheet = actor.get("character") or {}
    spend = actor.get("spend")
    if spend:
        held = sheet.get("karma") == "positive" if spend == "karma" else sheet.get("heldAdvantage")
        if not held or actor.get("advantage") or (actor.get("gear") or {}).get("advantage"):
            raise Refused(DIE_RULES[spend])
    if actor.get("imposeKarma") and sheet.get("karma") != "negative":
        raise Refused("jazz.karma.negative")


def pay_dice(actor: Document) -> None:
    """The dice that this roll used up."""
    sheet = actor.get("character")
    if sheet is None:
        return
    if actor.get("spend") == "karma" or actor.get("imposeKarma"):
        sheet["karma"] = "neutral"
    if actor.get("spend") == "heldAdvantage":
        sheet["heldAdvantage"] = False


def rolled(dice: Dice, name: str, actor: Document, *, advantage: bool = False) -> int:
    """One roll: its total, with the held dice paid."""
    may_roll(actor)
    good, bad = advantages(actor, advantage)
    shown = throw(dice, name, 2 + good - bad, actor.get("gear") or {})
    pay_dice(actor)
    return sum(shown) + modifier(actor)


def may_rescue(actor: Document) -> None:
    """Who had an advantage on the roll, or has negative karma already, cannot be rescued."""
    karma = (actor.get("character") or {}).get("karma", "neutral")
    if advantages(actor)[0] or karma == "negative":
        raise Refused("jazz.karma.rescue")


def rescued(dice: Dice, name: str, actor: Document, total: int, how: str) -> int:
    """The total after one more die, or of the roll made again with an advantage."""
    if how == "rollAgain":
        good, bad = advantages(actor, True)
        return sum(throw(dice, f"{name}.rescue", 2 + good - bad, actor.get("gear") or {})) + modifier(actor)
    return total + sum(throw(dice, f"{name}.rescue", 1, actor.get("gear") or {}))


def blame(actor: Document) -> None:
    """A rescue that helped costs karma."""
    sheet = actor.get("character")
    if sheet is not None:
        sheet["karma"] = "neutral" if sheet.get("karma") == "positive" else "negative"


# ── Weird ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def extraordinary(actor: Document, by_default: bool) -> bool:
    """Whether a use costs weird. Refused without a weird aspect in use, and with an empty pool."""
    said = actor.get("extraordinary")
    wanted = by_default if said is None else bool(said)
    sheet = actor.get("character")
    if not wanted or sheet is None:
        return False
    if not any(one.get("weird") for one in in_use(actor)):
        raise Refused("jazz.difficulty.weird" if said is None else "jazz.weird.spend")
    left = pool(sheet, "weird")
    if left is None or left["current"] == 0:
        raise Refused("jazz.weird.depleted")
    actor["beyond"] = True
    return True


def heal(body: Document, subject: Document | None) -> None:
    """A healing row, once it succeeded."""
    effect = body.get("effect")
    if subject is None or effect not in HEALING:
        return
    health = pool(subject, "health")
    if health is None:
        stand_up(subject)
        return
    lost = health["max"] - health["current"]
    half = health["max"] // 2 + (health["max"] % 2 if body.get("rounding") == "up" else 0)
    points = {"restoreHealth.half": half, "restoreHealth.full": lost}.get(effect, 1)
    points = min(points, lost, body.get("amount") or lost)
    change(subject, "health", points)
    if health["current"] + points > 0:
        stand_up(subject)


def may_heal(body: Document, subject: Document | None) -> None:
    """A row too weak for the condition is refused."""
    effect = body.get("effect")
    if subject is not None and effect in HEALING and HEALING[effect] < CONDITIONS.get(subject.get("condition") or "", 0):
        raise Refused("jazz.weird.restore")
    if subject is not None and effect in HEALING and subject.get("named", True) and pool(subject, "health") is None:
        raise Refused("jazz.weird.restore")


# ── Checks and teamwork ──────────────────────────────────────────────────────────────────────────────────────────────

Roller = tuple[str, Document]
"""The name of a roll, and who makes it."""


def acting(rollers: Iterable[Roller]) -> None:
    """Who is out cannot act."""
    if any(is_out(actor) for _, actor in rollers):
        raise Refused("jazz.conflict.out")


def best(totals: list[int]) -> int:
    """The best total, one more for each who rolled if there are several."""
    return max(totals) + (len(totals) if len(totals) > 1 else 0)


def attempt(
    dice: Dice, team: list[Roller], body: Document, opponent: Roller | None, subject: Document | None, rescue: str | None
) -> Answer:
    """A check, by one or by a team."""
    acting(team)
    if opponent:
        acting([opponent])
    automatic = body.get("stakes", "something") != "something"
    saved = next((roller for roller in team if roller[0] == rescue), None)
    for _, actor in team + ([opponent] if opponent else []):
        may_roll(actor)
    if saved:
        may_rescue(saved[1])
    able = [roller for roller in team if not (body.get("specialistOnly") and untrained(roller[1]))]
    by_row = body.get("effect") is not None
    payers = [actor for _, actor in team if extraordinary(actor, by_row)]
    may_heal(body, subject)
    against = False
    if opponent:
        against = extraordinary(opponent[1], False)
    if not able:
        return Answer("impossible", False)
    late = body.get("spendOn") == "success"
    if automatic:
        for actor in payers:
            change(actor["character"], "weird", -1)
        heal(body, subject)
        return Answer("automatic", True, None, None if opponent else difficulty(body, able))
    totals = {name: rolled(dice, name, actor) for name, actor in able}
    target = rolled(dice, *opponent) + increase(body, able) if opponent else (difficulty(body, able) or 0)
    ties = body.get("ties", "actor") if opponent else "actor"
    total = best([*totals.values()])
    word = compared(total, target, ties)
    if saved and saved[0] in totals and word != "success":
        totals[saved[0]] = rescued(dice, *saved, totals[saved[0]], body.get("rescueBy") or "addDie")
        total = best([*totals.values()])
        word = compared(total, target, ties)
        if word == "success":
            blame(saved[1])
    if word == "success":
        heal(body, subject)
    for actor in payers if word == "success" or not late else []:
        change(actor["character"], "weird", -1)
    if opponent and against and (not late or word == "failure"):
        change(opponent[1]["character"], "weird", -1)
    return Answer(word, {"success": True, "failure": False, "stalemate": None}[word], total, target)


def difficulty(body: Document, team: list[Roller]) -> int | None:
    """The number to reach; none has to be named where nobody rolls."""
    number = ROWS.get(body.get("effect") or "", DIFFICULTIES.get(body.get("level") or "", body.get("difficulty")))
    return None if number is None else number + increase(body, team)


def increase(body: Document, team: list[Roller]) -> int:
    """How much harder it is where no aspect of anybody applies."""
    return (body.get("difficultyIncrease") or 0) if all(modifier(actor) == 0 for _, actor in team) else 0


def compared(total: int, target: int, ties: str) -> str:
    """Who wins."""
    if total == target:
        return {"actor": "success", "opponent": "failure", "stalemate": "stalemate"}[ties]
    return "success" if total > target else "failure"


def check(request: Document, dice: Dice) -> Answer:
    state = sent(request, "actor", "opponent", "subject")
    opponent = ("opponent", state["opponent"]) if "opponent" in state else None
    answer = attempt(dice, [("actor", state["actor"])], request, opponent, state.get("subject"), "actor" if request.get("rescue") else None)
    return answer.leaving(cleared(state))


def teamwork(request: Document, dice: Dice) -> Answer:
    state = sent(request, "members", "opponent", "subject")
    team = [(f"members.{index}", actor) for index, actor in enumerate(state["members"])]
    opponent = ("opponent", state["opponent"]) if "opponent" in state else None
    return attempt(dice, team, request, opponent, state.get("subject"), request.get("rescue")).leaving(cleared(state))


def cleared(state: Document) -> Document:
    """The participants without what was said of one roll."""
    actors = [one for value in state.values() for one in (value if isinstance(value, list) else [value])]
    for actor in actors:
        for field in ONE_ROLL:
            actor.pop(field, None)
    return state


# ── Attacks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def strike(dice: Dice, team: list[Roller], targets: list[list[Roller]], rescue: str | None, how: str, *, many: bool = False) -> Answer:
    """An attack on each of the targets: who is struck is the first roller of a target, with those who defend together."""
    acting(team)
    for target in targets:
        acting(target)
    if many and any("character" in actor and not any(one.get("weird") for one in in_use(actor)) for _, actor in team):
        raise Refused("jazz.weird.many")
    for _, actor in team if many else []:
        actor["extraordinary"] = True
    payers = [actor for _, actor in team if extraordinary(actor, many)]
    defenders = [roller for target in targets for roller in target]
    for _, actor in defenders:
        payers += [actor] if extraordinary(actor, False) else []
    for _, actor in team + defenders:
        may_roll(actor)
        if rescue and (_ == rescue):
            may_rescue(actor)
    totals = {name: rolled(dice, name, actor) for name, actor in team}
    defences = [{name: rolled(dice, name, actor) for name, actor in target} for target in targets]
    total = best([*totals.values()])
    saved = next((roller for roller in team + defenders if roller[0] == rescue), None)
    if saved and not many:
        attacks = saved[0] in totals
        side = totals if attacks else defences[0]
        if (best([*totals.values()]) >= best([*defences[0].values()])) != attacks:
            side[saved[0]] = rescued(dice, *saved, side[saved[0]], how)
            total = best([*totals.values()])
            if (total >= best([*defences[0].values()])) == attacks:
                blame(saved[1])
    for actor in payers:
        change(actor["character"], "weird", -1)
    results = []
    for target, defence in zip(targets, defences, strict=True):
        needed = best([*defence.values()])
        hit = total >= needed
        fell = wound(target[0][1]) if hit else False
        results.append((hit, needed, fell))
    anyhow = any(hit for hit, _, _ in results)
    answer = Answer("hit" if anyhow else "miss", anyhow, total, None if many else results[0][1])
    answer.results = [("hit" if hit else "miss", needed) for hit, needed, _ in results] if many else []
    answer.fallen = [target[0][1] for target, (_, _, fell) in zip(targets, results, strict=True) if fell]
    return answer


def attack(request: Document, dice: Dice) -> Answer:
    state = sent(request, "attackers", "defender", "targets", "teamDefence")
    team = [(f"attackers.{index}", actor) for index, actor in enumerate(state["attackers"])]
    if "targets" in state:
        targets = [[(f"targets.{index}", actor)] for index, actor in enumerate(state["targets"])]
    else:
        helpers = [(f"teamDefence.{index}", actor) for index, actor in enumerate(state.get("teamDefence") or [])]
        targets = [[("defender", state["defender"]), *helpers]]
    answer = strike(dice, team, targets, request.get("rescue"), request.get("rescueBy") or "addDie", many="targets" in state)
    return answer.leaving(cleared(state))


# ── Initiative ───────────────────────────────────────────────────────────────────────────────────────────────────────


def places(dice: Dice, names: list[tuple[str, str, int]], ties: str) -> list[Document]:
    """The order of those with these roll names, ids and totals."""
    order: list[Document] = []
    for total in sorted({total for _, _, total in names}, reverse=True):
        tied = [(name, id_) for name, id_, other in names if other == total]
        if ties == "simultaneous" or len(tied) == 1:
            order.append({"ids": [id_ for _, id_ in tied], "total": total})
        else:
            ids = [id_ for _, id_ in tied] if ties == "listed" else roll_off(dice, tied, 1)
            order += [{"ids": [id_], "total": total} for id_ in ids]
    return order


def roll_off(dice: Dice, tied: list[tuple[str, str]], time: int) -> list[str]:
    """The tied roll two plain dice until all differ."""
    totals = [(sum(throw(dice, f"{name}.tie{time}", 2, {})), name, id_) for name, id_ in tied]
    ids: list[str] = []
    for total in sorted({total for total, _, _ in totals}, reverse=True):
        same = [(name, id_) for other, name, id_ in totals if other == total]
        ids += [same[0][1]] if len(same) == 1 else roll_off(dice, same, time + 1)
    return ids


def initiative(request: Document, dice: Dice) -> Answer:
    state = sent(request, "combatants", "order")
    joining = request.get("joining") or []
    ties = request.get("ties") or "rerollOff"
    entrants = [(f"combatants.{index}", one) for index, one in enumerate(state["combatants"]) if not joining or one["id"] in joining]
    for _, one in entrants:
        may_roll(one | {"advantage": one.get("drop")})
    totals = [(name, one["id"], rolled(dice, name, entrant(one))) for name, one in entrants]
    order = places(dice, totals, ties)
    if joining:
        order = joined(state["order"], order, ties)
    state["order"] = order
    for one in state["combatants"]:
        one.pop("spend", None)
        one.pop("imposeKarma", None)
    return Answer("ordered", None).leaving(state)


def entrant(one: Document) -> Document:
    """A combatant as a roller: no aspect counts, only the optional bonus."""
    return {**one, "advantage": one.get("drop"), "using": [], "bonus": one.get("initiativeBonus") or 0}


def joined(order: list[Document], late: list[Document], ties: str) -> list[Document]:
    """An order with latecomers, after those of an equal total."""
    order = deepcopy(order)
    for place in late:
        same = [old for old in order if old["total"] == place["total"]] if ties == "simultaneous" else []
        if same:
            same[-1]["ids"] += place["ids"]
        else:
            before = sum(old["total"] >= place["total"] for old in order)
            order.insert(before, place)
    return order


# ── Between conflicts ────────────────────────────────────────────────────────────────────────────────────────────────


def karma(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    held = state["character"].get("karma", "neutral")
    if held == request["grant"]:
        return Answer("unchanged", None).leaving(state)
    state["character"]["karma"] = request["grant"] if held == "neutral" else "neutral"
    return Answer("granted" if held == "neutral" else "cancelled", None).leaving(state)


def complication(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    if state["character"].get("heldAdvantage"):
        return Answer("unchanged", None).leaving(state)
    state["character"]["heldAdvantage"] = True
    return Answer("granted", None).leaving(state)


def fate(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    state["character"]["condition"] = request["condition"]
    return Answer("recorded", None).leaving(state)


def recovery(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character", "characters")
    before = deepcopy(state)
    for sheet in state.get("characters") or [state["character"]]:
        (sleep if request["rest"] == "night" else take_rest)(sheet, request)
    return Answer("recovered" if state != before else "unchanged", None).leaving(state)


def take_rest(sheet: Document, request: Document) -> None:
    """Half an hour: half of what is lost, once a day for each pool."""
    for name in request.get("pools") or ["health", "weird"]:
        now = pool(sheet, name)
        if now is None or name in (request.get("blocked") or []) or (sheet.get("rested") or {}).get(name):
            continue
        lost = now["max"] - now["current"]
        gained = lost // 2 if request.get("rounding") == "down" else (lost + 1) // 2
        if not gained:
            continue
        change(sheet, name, gained)
        sheet["rested"] = (sheet.get("rested") or {}) | {name: True}
    come_round(sheet)


def sleep(sheet: Document, request: Document) -> None:
    """A night: both pools are full again, and a new day begins."""
    for name in ("health", "weird"):
        now = pool(sheet, name)
        if now is not None and name not in (request.get("blocked") or []):
            change(sheet, name, now["max"] - now["current"])
        if (sheet.get("rested") or {}).get(name):
            sheet["rested"][name] = False
    if pool(sheet, "health") is None:
        stand_up(sheet)
    come_round(sheet)


def come_round(sheet: Document) -> None:
    """Who has health again stands again."""
    now = pool(sheet, "health")
    if now is not None and now["current"] > 0:
        stand_up(sheet)


def all_sixes(dice: Dice, count: int) -> bool:
    return [dice.roll("character", 6) for _ in range(count)] == [6] * count


def tried(request: Document, sheet: Document) -> None:
    """One attempt a session."""
    if sheet.get("advanced") and not request.get("newSession"):
        raise Refused("jazz.advance.improve")
    sheet["advanced"] = True


def improve(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    sheet = state["character"]
    one = aspect(sheet, request["aspect"])
    if one["bonus"] >= LEVELS[request["fictionLevel"]][1]:
        if sheet.get("advanced") and not request.get("newSession"):
            raise Refused("jazz.advance.improve")
        if sheet.get("advanced"):
            sheet["advanced"] = False
        return Answer("atMaximum", False).leaving(state)
    tried(request, sheet)
    if not all_sixes(dice, one["bonus"]):
        return Answer("unchanged", False).leaving(state)
    raise_pools(sheet, lambda: one.update(bonus=one["bonus"] + 1), one, is_out({"character": sheet}))
    return Answer("improved", True).leaving(state)


def raise_pools(sheet: Document, grow: Callable[[], None], one: Document, out: bool) -> None:
    """Improve an aspect, and with it the pools that come from it."""
    before = {name: (pool(sheet, name), size(sheet, name)) for name in ("health", "weird")}
    grow()
    for name, (was, old) in before.items():
        grown = (size(sheet, name) or 0) - (old or 0)
        concerned = name_key(sheet.get("survivalAspect") or "") == name_key(one["name"]) if name == "health" else one.get("weird")
        if was is None or not concerned or not grown:
            continue
        stays = name == "health" and out
        sheet[name] = {"current": was["current"] + (0 if stays else grown), "max": was["max"] + grown}


def size(sheet: Document, name: str) -> int | None:
    """How large a pool is by the aspects."""
    by_aspects = pool({**sheet, name: None}, name)
    return by_aspects["max"] if by_aspects else None


def learn(request: Document, dice: Dice) -> Answer:
    state = sent(request, "character")
    sheet = state["character"]
    if any(name_key(one["name"]) == name_key(request["aspect"]["name"]) for one in sheet["aspects"]):
        raise Refused("jazz.advance.learn")
    tried(request, sheet)
    count = aspect(sheet, request["similarTo"])["bonus"] if request.get("similarTo") else 1
    if not all_sixes(dice, count):
        return Answer("unchanged", False).leaving(state)
    sheet["aspects"].append({"weird": False, "expertise": []} | request["aspect"] | {"bonus": 1})
    return Answer("learned", True).leaving(state)


def character(request: Document, dice: Dice) -> Answer:
    sheet = request["character"]
    total, highest = LEVELS[request["fictionLevel"]]
    bonuses = [one["bonus"] for one in sheet["aspects"]]
    stage = request.get("stage", "creation") if sheet.get("named", True) else "npc"
    names = [name_key(one["name"]) for one in sheet["aspects"]]
    wrong = len(set(names)) < len(names) or not bonuses
    wrong |= stage != "npc" and (len(bonuses) < 2 or max(bonuses) > highest)
    wrong |= stage == "creation" and sum(bonuses) > total
    for name in ("health", "weird"):
        right = size(sheet, name)
        if sheet.get(name) and (right is not None or sheet.get("named", True)):
            wrong |= sheet[name]["max"] != right or sheet[name]["current"] > sheet[name]["max"]
    return Answer("illegal" if wrong else "legal", not wrong)


# ── Conflicts ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Conflict:
    """The state of a conflict, and what one declared action makes of it."""

    def __init__(self, request: Document, dice: Dice) -> None:
        state = deepcopy(request)
        self.dice = dice
        self.combatants: list[Document] = state["combatants"]
        self.order: list[Document] = state.get("order") or []
        self.round: int = state.get("round") or 1
        self.acted: list[str] = state.get("acted") or []
        self.waiting: list[str] = state.get("waiting") or []
        self.falling: list[str] = state.get("falling") or []
        self.ties: str = state.get("ties") or "rerollOff"
        self.number = {one["id"]: index for index, one in enumerate(self.combatants)}
        self.rolls_later: set[str] = set()
        """Those with a roll of their own still to come in this round: a die to spend waits for it."""
        self.held_back: set[str] = set()
        """Members of a team who wait for a slower one."""

    def roll_initiative(self) -> None:
        """Two dice each; a die to spend is never used here."""
        totals = []
        for index, one in enumerate(self.combatants):
            name = f"combatants.{index}"
            plain = {"advantage": one.get("drop"), "bonus": one.get("initiativeBonus") or 0}
            totals.append((name, one["id"], rolled(self.dice, name, plain)))
        self.order = places(self.dice, totals, self.ties)

    def actor(self, id_: str) -> Document:
        actor: Document = self.combatants[self.number[id_]]["actor"]
        return actor

    def stands(self, id_: str) -> bool:
        return not is_out(self.actor(id_))

    def sides(self) -> set[str]:
        return {one["side"] for one in self.combatants if self.stands(one["id"])}

    def is_over(self) -> bool:
        return not self.falling and len(self.sides()) <= 1

    def place(self, id_: str) -> list[str]:
        return next(list(place["ids"]) for place in self.order if id_ in place["ids"])

    def next(self) -> list[str]:
        """Whose turn it is."""
        for place in self.order:
            ids = [i for i in place["ids"] if (self.stands(i) or i in self.falling) and i not in self.acted and i not in self.waiting]
            if ids:
                return ids
        return [id_ for place in self.order for id_ in place["ids"] if id_ in self.waiting and self.stands(id_)]

    def may_act(self, by: list[str]) -> list[str]:
        """Those of a declared action who take part in it; refused out of turn."""
        if self.is_over():
            raise Refused("jazz.conflict.out")
        able = [id_ for id_ in by if self.stands(id_) or id_ in self.falling]
        if not able:
            raise Refused("jazz.conflict.out")
        if any(id_ in self.acted for id_ in able):
            raise Refused("jazz.conflict.action")
        if any(id_ not in self.next() and id_ not in self.waiting for id_ in able):
            raise Refused("jazz.conflict.order")
        return able

    def act(self, turn: Document, able: list[str]) -> Document:
        """One declared action by those who are able."""
        first = self.number[turn["by"][0]]
        self.rolls_later -= set(able)
        result: Document = {"on": [], "outcome": "passed", "succeeded": None, "total": None, "target": None, "margin": None}
        if turn.get("wait"):
            if any(id_ in self.waiting or id_ in self.falling for id_ in able):
                raise Refused("jazz.conflict.action")
            self.waiting += [id_ for id_ in able if id_ not in self.waiting]
            return result | {"outcome": "waiting"}
        if not turn.get("pass"):
            result |= self.resolve(turn, able, first)
        self.acted += able
        self.waiting = [id_ for id_ in self.waiting if id_ not in able]
        self.falling = [id_ for id_ in self.falling if id_ not in able]
        return result

    def resolve(self, turn: Document, able: list[str], first: int) -> Document:
        """The dice of an attack or a check."""
        kind = "check" if turn.get("check") else "attack"
        roll = {id_: f"combatants.{self.number[id_]}.round{self.round}.{kind}" for id_ in able}
        team = [(roll[id_], self.using(id_, turn)) for id_ in able]
        body = turn.get("check") or {}
        on = self.targets(turn)
        against = {id_: f"combatants.{self.number[id_]}.round{self.round}.against.{first}" for id_ in on}
        others = [(against[id_], self.defending(id_)) for id_ in on]
        saved = turn.get("rescue")
        rescue = None if saved is None else roll.get(saved, against.get(saved))
        subject = body.get("subject")
        if kind == "check":
            sheet = self.actor(subject)["character"] if subject else None
            answer = attempt(self.dice, team, body, others[0] if others else None, sheet, rescue)
        else:
            answer = strike(self.dice, team, [[one] for one in others], rescue, "addDie", many="targets" in turn)
        self.used(able, on)
        self.fall(able, on)
        named = on or ([subject] if subject else [])
        return {"on": named, **answer.numbers()}

    def using(self, id_: str, turn: Document) -> Document:
        """A combatant's actor, with the aspects of this turn; who is falling acts as if standing."""
        actor = self.masked(id_)
        if turn.get("using") is not None and "character" in actor:
            own = [name for name in turn["using"] if any(name_key(name) == name_key(a["name"]) for a in actor["character"]["aspects"])]
            actor["using"] = own
        return actor

    def masked(self, id_: str) -> Document:
        """The actor with its own sheet, shared, so that what happens is kept."""
        actor = dict(self.actor(id_))
        if id_ in self.falling and "character" in actor:
            actor["character"] = Standing(actor["character"])
        return actor

    def defending(self, id_: str) -> Document:
        """Who defends: a die to spend goes into their own action first."""
        actor = self.masked(id_)
        for field in ("spend", "imposeKarma") if id_ in self.rolls_later else ():
            actor.pop(field, None)
        return actor

    def listed(self, turn: Document) -> list[str]:
        """Who is named to be attacked or opposed."""
        said = turn.get("attack", turn.get("targets", (turn.get("check") or {}).get("against", [])))
        return said if isinstance(said, list) else [said]

    def targets(self, turn: Document) -> list[str]:
        """Who is attacked or opposed; refused where nobody of them stands."""
        listed = self.listed(turn)
        standing = [id_ for id_ in listed if self.stands(id_)]
        if listed and not standing:
            raise Refused("jazz.conflict.out")
        return standing if "targets" in turn else standing[:1]

    def used(self, able: list[str], on: list[str]) -> None:
        """Dice to spend are gone once they were rolled."""
        for id_ in [*able, *on]:
            for field in () if id_ in self.rolls_later else ("spend", "imposeKarma", "extraordinary"):
                self.actor(id_).pop(field, None)

    def fall(self, able: list[str], on: list[str]) -> None:
        """Who was put out leaves the waiting, and still acts where one of their own place did it."""
        for id_ in on:
            if self.stands(id_):
                continue
            mates = self.place(id_)
            if any(by in mates for by in able) and id_ not in self.acted and id_ not in {*self.waiting, *self.held_back}:
                self.falling.append(id_)
            self.waiting = [other for other in self.waiting if other != id_]

    def end_turn(self) -> None:
        """A new round, once nobody is left to act."""
        if not self.is_over() and not self.next():
            self.round += 1
            self.acted, self.waiting, self.falling = [], [], []

    def state(self) -> Document:
        names = ("combatants", "order", "round", "acted", "waiting", "falling")
        return {name: getattr(self, name) for name in names}

    def answer(self) -> Answer:
        over = self.is_over()
        answer = Answer("finished" if over else "ongoing", None).leaving(self.state())
        sides = self.sides()
        answer.extra = {"next": [] if over else self.next(), "over": next(iter(sides)) if over and sides else None}
        return answer


class Standing(dict[str, Any]):
    """The sheet of somebody falling, who still acts: changes go to the sheet itself."""

    def __init__(self, sheet: Document) -> None:
        super().__init__({**sheet, "out": False, "health": None, "survivalAspect": None})
        self.sheet = sheet

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.sheet[name] = value


def turn(request: Document, dice: Dice) -> Answer:
    conflict = Conflict(request, dice)
    if not conflict.order:
        conflict.roll_initiative()
        answer = conflict.answer()
        answer.extra["turn"] = None
        return answer
    declared = request["turn"]
    result = conflict.act(declared, conflict.may_act(declared["by"]))
    conflict.end_turn()
    answer = conflict.answer()
    answer.succeeded, answer.total, answer.target = result["succeeded"], result["total"], result["target"]
    answer.extra["turn"] = result
    return answer


def round_(request: Document, dice: Dice) -> Answer:
    """The rest of a round: the declared actions when their turn comes; who has none passes."""
    conflict = Conflict(request, dice)
    if conflict.is_over() and request.get("orders"):
        raise Refused("jazz.conflict.out")
    if not conflict.order:
        conflict.roll_initiative()
    ranks = {id_: rank for rank, place in enumerate(conflict.order) for id_ in place["ids"]}
    orders = request.get("orders") or []
    healed = {(declared.get("check") or {}).get("subject") for declared in orders}
    for declared in orders:
        if not healed.intersection(conflict.listed(declared)):
            conflict.targets(declared)
    slots: dict[str, Document] = {}
    for declared in orders:
        standing = [id_ for id_ in declared["by"] if conflict.stands(id_) or id_ in conflict.falling]
        slots[max(standing or declared["by"], key=lambda id_: ranks[id_])] = declared
    teams = {id_ for declared in orders for id_ in declared["by"]}
    conflict.rolls_later = {id_ for declared in orders if "pass" not in declared for id_ in declared["by"]}
    conflict.held_back = {id_ for slot, declared in slots.items() for id_ in declared["by"] if ranks[id_] < ranks[slot]}
    results = []
    for place in conflict.order:
        for id_ in sorted(place["ids"], key=lambda id_: [*slots, id_].index(id_)):
            if id_ in slots:
                results.append(in_round(conflict, slots[id_]))
            elif (
                id_ not in teams
                and id_ not in conflict.acted
                and not conflict.is_over()
                and (conflict.stands(id_) or id_ in conflict.falling)
            ):
                conflict.act({"by": [id_], "pass": True}, [id_])
    if not conflict.is_over():
        conflict.round += 1
        conflict.acted, conflict.waiting, conflict.falling = [], [], []
    answer = conflict.answer()
    answer.extra["turns"] = results
    return answer


def in_round(conflict: Conflict, declared: Document) -> Document:
    """A declared action when its turn comes; what went before may have made it impossible."""
    lost: Document = {"on": [], "outcome": "lost", "succeeded": None, "total": None, "target": None, "margin": None}
    able = [id_ for id_ in declared["by"] if conflict.stands(id_) or id_ in conflict.falling]
    if not able or conflict.is_over():
        return lost
    try:
        return conflict.act(declared, able)
    except Refused:
        conflict.act({"by": able, "pass": True}, able)
        return lost


def fight(request: Document, dice: Dice) -> Answer:
    """Rounds of attacks by tactics until one side stands."""
    conflict = Conflict(request, dice)
    if not conflict.order and not conflict.is_over():
        conflict.roll_initiative()
    idle: list[str] = []
    last = conflict.round + (request.get("maxRounds") or 100)
    while not conflict.is_over() and conflict.round < last:
        waiting = set(conflict.next())
        first = next(id_ for place in conflict.order for id_ in place["ids"] if id_ in waiting)
        side = conflict.combatants[conflict.number[first]]["side"]
        foes = [one for one in conflict.combatants if one["side"] != side and conflict.stands(one["id"])]
        if foes:
            target = preferred(foes, (request.get("tactics") or {}).get(side, "first"))
            conflict.rolls_later = {one["id"] for one in conflict.combatants if one["id"] not in conflict.acted}
            conflict.act({"by": [first], "attack": target}, [first])
        else:
            conflict.act({"by": [first], "pass": True}, [first])
            idle.append(first)
        conflict.end_turn()
    sides = conflict.sides()
    conflict.acted = [id_ for id_ in conflict.acted if id_ not in idle]
    word = next(iter(sides)) if conflict.is_over() and sides else "undecided"
    return Answer(word, None).leaving(conflict.state())


def preferred(foes: list[Document], tactic: str) -> str:
    """Whom a side attacks."""
    if tactic == "weakest":
        return str(min(foes, key=lambda one: hits_to_go(one["actor"]))["id"])
    return str((max(foes, key=lambda one: hits_to_go(one["actor"])) if tactic == "strongest" else foes[0])["id"])


def hits_to_go(actor: Document) -> float:
    sheet = actor.get("character")
    if sheet is None:
        return float("inf")
    if not sheet.get("named", True):
        return 1
    health = pool(sheet, "health")
    return float("inf") if health is None else health["current"]


PLAY: dict[str, Callable[[Document, Dice], Answer]] = {
    "jazz.check": check,
    "jazz.teamwork": teamwork,
    "jazz.attack": attack,
    "jazz.initiative": initiative,
    "jazz.karma": karma,
    "jazz.complication": complication,
    "jazz.fate": fate,
    "jazz.recovery": recovery,
    "jazz.improve": improve,
    "jazz.learn": learn,
    "jazz.character": character,
    "jazz.turn": turn,
    "jazz.round": round_,
    "jazz.fight": fight,
}
