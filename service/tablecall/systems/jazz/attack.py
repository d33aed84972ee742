"""One attack in a conflict: one or several attackers against one defender, or a weird attack on several targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Offer, Total
from tablecall.model.base import Name, not_allowed
from tablecall.model.refusals import Forbidden, pointer
from tablecall.model.ruling import PartResult
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.attempt import offers_of_rescue
from tablecall.systems.jazz.roller import Roller, actors_at, pay, pay_rescue, ready_roller, report_weird_pools, rescued_total
from tablecall.systems.jazz.sheet import JazzActor, JazzBody, JazzCharacter, RescueBy, SpendOn, no_character_twice
from tablecall.systems.jazz.side import RollOf, Side, check_rescue_of, roll_side
from tablecall.systems.verdict import Verdict

ConflictKind = Name


class JazzAttack(JazzBody):
    """One attacker, or a team, attacks one defender: a hit costs the defender one health (jazz.conflict.attack).

    With `targets` instead of `defender`, one attack by a weird aspect strikes several at once (jazz.weird.many).
    """

    options: ClassVar[frozenset[str]] = frozenset({"rescue", "rescue_by"})

    attackers: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """One attacker, or a team that attacks together (jazz.team.attack); their rolls are named `attackers.0`, `attackers.1`, …"""
    defender: JazzActor | None = None
    """Who is attacked; the roll is named `defender`."""
    targets: Annotated[list[JazzActor], Field(min_length=2, max_length=32)] | None = None
    """Several who are attacked at once, in place of `defender`: each defends by itself, as `targets.0`, `targets.1`, … It needs a weird
    aspect and costs one weird (jazz.weird.many)."""
    team_defence: Annotated[list[JazzActor], Field(max_length=31)] = []
    """Who defends together with the defender. Optional rule: by default defenders do not team up (jazz.team.attack)."""
    kind: ConflictKind = "physical"
    """A label such as `physical`, `mental` or `social`. It changes nothing: every kind of conflict uses the same health pool
    (jazz.conflict.kind)."""
    rescue: RollOf | None = None
    """The roll, `attackers.0` or `defender`, to which the game master grants one more die if it fails; success then costs karma
    (jazz.karma.rescue)."""
    rescue_by: RescueBy | None = None
    """`addDie`: one die is added to those already rolled. `rollAgain`: the whole roll is repeated with an advantage. Left out: as
    `houseRules` says, else `addDie`."""

    def named_outcomes(self) -> list[str]:
        """How many of the targets are hit."""
        return [str(number) for number in range(len(self.targets) + 1)] if self.targets else []

    @model_validator(mode="after")
    def _check_sides(self) -> Self:
        if (self.defender is None) == (self.targets is None):
            code = "needs-one-of" if self.defender is None else "conflicting-fields"
            raise not_allowed("jazz.refused.defender_or_targets", rule="jazz.conflict.attack", code=code)
        if self.targets is not None and self.team_defence:
            raise not_allowed("jazz.refused.targets_alone", rule="jazz.weird.many", at="/teamDefence", code="conflicting-fields")
        attackers = [(f"/attackers/{index}", actor) for index, actor in enumerate(self.attackers)]
        defenders = [(f"/teamDefence/{index}", actor) for index, actor in enumerate(self.team_defence)]
        if self.defender is not None:
            defenders.insert(0, ("/defender", self.defender))
        targets = [(f"/targets/{index}", actor) for index, actor in enumerate(self.targets or ())]
        for side in (attackers, defenders, targets):
            if len(side) > 1:
                no_character_twice(((f"{at}/character/id", actor) for at, actor in side), "jazz.conflict.once")
        rolls = [at[1:].replace("/", ".") for at, _ in (*attackers, *defenders, *targets)]
        if self.rescue is not None and self.rescue not in rolls:
            raise not_allowed(
                "jazz.refused.no_such_roll", rule="jazz.karma.rescue", at="/rescue", code="unknown-name", name=self.rescue, near=rolls
            )
        return self


FIELDS: dict[str, Any] = {
    "results": Annotated[
        list[PartResult] | None, Field(description="With `targets`: the result for each of them, in order. Null otherwise.")
    ]
}


@dataclass(slots=True)
class Attack:
    """One attack: who attacks, who defends, whose failed roll is rescued (its place), and how weird is paid."""

    attackers: list[Roller]
    defenders: list[Roller]
    targets: list[Roller] = field(default_factory=list)
    rescue: str | None = None
    rescue_by: RescueBy = "addDie"
    spend_on: SpendOn = "attempt"
    kind: ConflictKind = "physical"
    rescue_at: str = "/rescue"


def attack(request: JazzAttack, dice: Dice) -> Verdict:
    """Resolve one attack: the attackers' total against the defender's (jazz.conflict.attack).

    Outcomes: ``hit`` (the defender loses one health, and is out at 0 or at once when unnamed; with ``targets``: any is hit), ``miss``.
    Refuses anyone who is out of the fight, the same character twice on one side, and targets without a weird aspect.
    """
    defenders = [("defender", request.defender)] if request.defender else []
    defenders += [(f"teamDefence.{index}", actor) for index, actor in enumerate(request.team_defence)]
    targets = [(f"targets.{index}", actor) for index, actor in enumerate(request.targets or ())]
    sheets = [*actors_at(request.attackers, "attackers"), *((where, actor.character) for where, actor in (*defenders, *targets))]
    report_weird_pools(dice, sheets)
    many = request.targets is not None
    attackers = [ready_attacker(actor, f"attackers.{index}", dice, many=many) for index, actor in enumerate(request.attackers)]
    made = Attack(
        attackers,
        [ready_defender(actor, where, dice) for where, actor in defenders],
        [ready_defender(actor, where, dice) for where, actor in targets],
        request.rescue,
        request.rescue_by or request.house("rescue_by") or "addDie",
        request.house("spend_on") or "attempt",
        request.kind,
    )
    return resolve_attack(made, dice)


def ready_attacker(actor: JazzActor, where: str, dice: Dice, *, many: bool = False, roll_name: str = "") -> Roller:
    """An attacker. An attack on several is extraordinary (jazz.weird.many)."""
    if many:
        if actor.character is not None and not any(aspect.weird for aspect in actor.applying):
            raise Forbidden.by("jazz.weird.many", pointer(where, "using"), "jazz.refused.many_needs_weird", who=actor.character.name)
        actor = actor.model_copy(update={"extraordinary": True})
    return ready_roller(actor, where, dice, roll_name=roll_name)


def ready_defender(actor: JazzActor, where: str, dice: Dice, *, roll_name: str = "") -> Roller:
    """Somebody who is attacked. Refuses who is out of the fight."""
    if actor.character is not None and actor.character.is_out():
        raise Forbidden.by("jazz.conflict.out", pointer(where, "character"), "jazz.refused.out_not_attacked", who=actor.character.name)
    return ready_roller(actor, where, dice, roll_name=roll_name)


def resolve_attack(made: Attack, dice: Dice) -> Verdict:
    """Resolve an attack by rollers that are ready."""
    check_rescue_of([*made.attackers, *made.defenders, *made.targets], made.rescue, made.rescue_at)
    report_kind(made.kind, dice)
    attacking = roll_side(made.attackers, dice, "jazz.team.attack", _index(made.attackers, made.rescue))
    if made.targets:
        return _many(made, attacking, dice)
    total = attacking.total(dice)
    if len(made.defenders) > 1:
        dice.note("jazz.team.attack", "attack.team_defence", value="teamDefence", who=[roller.where for roller in made.defenders])
    defending = roll_side(made.defenders, dice, "jazz.team.highest", _index(made.defenders, made.rescue))
    target = defending.total(dice)
    if made.rescue is not None:
        # a rescue compares the same totals again, so the one that stays is fixed before the first comparison
        if attacking.rescued is not None:
            target = dice.value(target)
        else:
            total = dice.value(total)
    # jazz.conflict.attack: ties hit, and the margin never matters
    hit = dice.compare(total, target, tie=1) > 0
    saved: Roller | None = None
    if attacking.rescued is not None and not hit and _granted(made.attackers[attacking.rescued], dice):
        total = attacking.rescued_total(total, made.rescue_by, dice)
        hit = dice.compare(total, target, tie=1) > 0
        saved = made.attackers[attacking.rescued] if hit else None
    elif defending.rescued is not None and hit and _granted(made.defenders[defending.rescued], dice):
        target = defending.rescued_total(target, made.rescue_by, dice)
        hit = dice.compare(total, target, tie=1) > 0
        saved = None if hit else made.defenders[defending.rescued]
    dice.note("jazz.conflict.attack", "attack.hit" if hit else "attack.miss", total=total, target=target)
    verdict = Verdict("hit" if hit else "miss", hit, total=total, target=target, fields={"results": None})
    if saved is not None:
        pay_rescue(saved, dice, verdict)
    pay(made.attackers, made.defenders, made.spend_on, dice, verdict)
    if hit:
        _apply_hit(made.defenders[0], dice, verdict)
    dice.offer(lambda: offers_of_rescue(made.defenders if hit else made.attackers, made.rescue))
    dice.offer(lambda: _fates(verdict))
    return verdict


def _index(rollers: Sequence[Roller], rescue: str | None) -> int | None:
    return next((index for index, roller in enumerate(rollers) if roller.where == rescue), None)


def _granted(roller: Roller, dice: Dice) -> bool:
    dice.option("", "rescue")
    return dice.contribution(roller.where, "rescue", value=True, without=False)


def _fates(verdict: Verdict) -> list[Offer]:
    """jazz.conflict.out: the winner chooses what becomes of everybody who is out now."""
    out = [change.on for change in verdict.changes if change.stat == "out" and change.to]
    return [Offer("fate", "option.fate", {"who": where}, None) for where in out]


def _many(made: Attack, attacking: Side, dice: Dice) -> Verdict:
    """jazz.weird.many: one attack roll against several, each of whom defends by itself."""
    total = dice.value(attacking.total(dice))
    dice.note("jazz.weird.many", "attack.many", value=len(made.targets), who=[roller.where for roller in made.attackers])
    totals: list[Total] = [roller.roll(dice).total for roller in made.targets]
    hits = _hits(total, totals, dice)
    saved: Roller | None = None
    if attacking.rescued is not None and not any(hits) and _granted(made.attackers[attacking.rescued], dice):
        total = dice.value(attacking.rescued_total(total, made.rescue_by, dice))
        hits = _hits(total, totals, dice)
        saved = made.attackers[attacking.rescued] if any(hits) else None
    index = _index(made.targets, made.rescue)
    if index is not None and hits[index] and _granted(made.targets[index], dice):
        totals[index] = rescued_total(made.targets[index], totals[index], made.rescue_by, dice)
        hits[index] = _hits(total, [totals[index]], dice)[0]
        saved = None if hits[index] else made.targets[index]
    results: list[dict[str, Any]] = []
    for roller, target, hit in zip(made.targets, totals, hits, strict=True):
        key = "attack.hit_one" if hit else "attack.miss_one"
        dice.note("jazz.conflict.attack", key, who=roller.where, total=total, target=target)
        margin = total - target if isinstance(target, int) else None
        results.append({"on": roller.where, "outcome": "hit" if hit else "miss", "total": total, "target": target, "margin": margin})
    number = sum(hits)
    verdict = Verdict("hit" if number else "miss", number > 0, total=total, fields={"results": results}, odds_outcome=str(number))
    if saved is not None:
        pay_rescue(saved, dice, verdict)
    pay(made.attackers, [], made.spend_on, dice, verdict)
    for roller, hit in zip(made.targets, hits, strict=True):
        roller.use_dice(verdict)
        roller.use_weird(not hit, made.spend_on, dice, verdict)
        if hit:
            _apply_hit(roller, dice, verdict)
    dice.offer(lambda: [] if number else offers_of_rescue(made.attackers, made.rescue))
    dice.offer(lambda: _fates(verdict))
    return verdict


def _hits(total: int, targets: Sequence[Total], dice: Dice) -> list[bool]:
    """Who is hit: ties hit, and the margin never matters (jazz.conflict.attack)."""
    return [dice.compare(total, target, tie=1) > 0 for target in targets]


def report_kind(kind: ConflictKind, dice: Dice) -> None:
    """jazz.conflict.kind: report a kind other than the default; it changes nothing."""
    if kind != "physical":
        dice.note("jazz.conflict.kind", "attack.kind", value=kind, kind=kind)


def _apply_hit(defender: Roller, dice: Dice, verdict: Verdict) -> None:
    """A hit costs one health; the defender is out at 0, or at once when unnamed (jazz.conflict.out, jazz.conflict.unnamed)."""
    sheet: JazzCharacter | None = defender.actor.character
    where = defender.where
    if sheet is None or sheet.health is None:
        verdict.change_unseen(where, "health", -1)
    else:
        verdict.change(where, "health", sheet.health.current, max(sheet.health.current - 1, 0))
    if sheet is None:
        return
    if not sheet.named:
        dice.note("jazz.conflict.unnamed", "attack.unnamed_out", who=where)
    elif sheet.health is None:
        dice.note("jazz.health.pool", "attack.no_pool", who=where)
        return
    elif sheet.health.current <= 1:
        dice.note("jazz.conflict.out", "attack.out", who=where)
    else:
        return
    verdict.set_flag(where, "out", to=True)
    dice.note("jazz.conflict.out", "attack.fate", who=where)


def summary(request: JazzAttack, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who attacks whom, the comparison, hit or miss."""
    attackers = [f"attackers.{index}" for index in range(len(request.attackers))]
    team = "_team" if len(attackers) > 1 else ""
    if request.targets is None:
        facts = {"who": attackers, "total": verdict.total, "target": verdict.target, "outcome": verdict.outcome}
        return [say(f"attack.summary{team}", on="defender", **facts)]
    results = [
        say("attack.summary_target", on=result["on"], target=result["target"], outcome=result["outcome"])
        for result in verdict.fields["results"]
    ]
    return [say(f"attack.summary_many{team}", who=attackers, total=verdict.total, results=results)]
