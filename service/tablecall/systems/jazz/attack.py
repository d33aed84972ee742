"""One attack in a conflict: one or several attackers against one defender."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Name
from tablecall.systems.jazz.roller import ready_roller, report_summed_weird
from tablecall.systems.jazz.sheet import JazzActor, no_character_twice
from tablecall.systems.jazz.summaries import team_comparison
from tablecall.systems.jazz.team import dice_offers, team_total
from tablecall.systems.verdict import Verdict

ConflictKind = Name
ATTACK_IS_FREE = "attacking one target is not extraordinary"
DEFENCE_IS_FREE = "defending is not extraordinary"


class JazzAttack(Body):
    """One attacker, or a team, attacks one defender: a hit costs the defender one health (jazz.conflict.attack)."""

    attackers: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """One attacker, or a team that attacks together (jazz.team.attack); their rolls are named `attackers.0`, `attackers.1`, …"""
    defender: JazzActor
    """Who is attacked; the roll is named `defender`."""
    team_defence: Annotated[list[JazzActor], Field(max_length=31)] = []
    """Who defends together with the defender. Optional rule: by default defenders do not team up (jazz.team.attack)."""
    kind: ConflictKind = "physical"
    """A label such as `physical`, `mental` or `social`. It changes nothing: every kind of conflict uses the same health pool
    (jazz.conflict.kind)."""

    @model_validator(mode="after")
    def _nobody_twice(self) -> Self:
        attackers = [(f"/attackers/{index}", actor) for index, actor in enumerate(self.attackers)]
        defenders = [("/defender", self.defender), *((f"/teamDefence/{index}", actor) for index, actor in enumerate(self.team_defence))]
        for side in (attackers, defenders):
            if len(side) > 1:
                no_character_twice(((f"{at}/character/id", actor) for at, actor in side), "jazz.conflict.once")
        return self


def attack(request: JazzAttack, dice: Dice) -> Verdict:
    """Resolve one attack: the attackers' total against the defender's (jazz.conflict.attack).

    Outcomes: ``hit`` (the defender loses one health, and is out at 0 or at once when unnamed), ``miss``. Refuses anyone who is
    out of the fight, and the same character twice on one side.
    """
    actors = (*request.attackers, request.defender, *request.team_defence)
    report_summed_weird(dice, *(actor.character for actor in actors))
    return resolve_attack(request.attackers, request.defender, dice, team_defence=request.team_defence, kind=request.kind)


def resolve_attack(
    attackers: Sequence[JazzActor], defender: JazzActor, dice: Dice, *, kind: ConflictKind, team_defence: Sequence[JazzActor] = ()
) -> Verdict:
    """`attack`, without the request: a round resolves its attacks with this too."""
    rollers = [ready_roller(actor, f"attackers.{index}", dice, free=ATTACK_IS_FREE) for index, actor in enumerate(attackers)]
    defenders = [ready_roller(defender, "defender", dice, free=DEFENCE_IS_FREE)]
    defenders += [ready_roller(actor, f"teamDefence.{index}", dice, free=DEFENCE_IS_FREE) for index, actor in enumerate(team_defence)]
    report_kind(kind, dice)
    total = team_total(rollers, dice, "jazz.team.attack")
    if team_defence:
        dice.step("jazz.team.attack", "the defenders team up (option teamDefence)", value="teamDefence")
    target = team_total(defenders, dice, "jazz.team.highest")
    # jazz.conflict.attack: ties hit, and the margin never matters
    hit = dice.compare(total, target, tie=1) > 0
    dice.step("jazz.conflict.attack", "{} against {}: {}", total, target, "a hit" if hit else "a miss")
    verdict = Verdict("hit" if hit else "miss", hit, total=total, target=target)
    for roller in (*rollers, *defenders):
        roller.use_dice(verdict)
    if hit:
        _apply_hit(defender, dice, verdict)
    else:
        dice.offer(lambda: dice_offers(rollers, "attackers"))
    return verdict


def report_kind(kind: ConflictKind, dice: Dice) -> None:
    """jazz.conflict.kind: report a kind other than the default; it changes nothing."""
    if kind != "physical":
        dice.step("jazz.conflict.kind", "a {} conflict wears down health all the same", kind, value=kind)


def _apply_hit(defender: JazzActor, dice: Dice, verdict: Verdict) -> None:
    """A hit costs one health; the defender is out at 0, or at once when unnamed (jazz.conflict.out, jazz.conflict.unnamed)."""
    sheet = defender.character
    if sheet is None or sheet.health is None:
        verdict.change_unseen("defender", "health", -1)
    else:
        verdict.change("defender", "health", sheet.health.current, max(sheet.health.current - 1, 0))
    if sheet is None:
        return
    if not sheet.named:
        dice.step("jazz.conflict.unnamed", "{} is unnamed, and out of the fight at once", sheet.name)
    elif sheet.health is None:
        text = "{}: a health is lost, but without a survival aspect nobody knows of how many, so nobody can be brought down"
        dice.step("jazz.health.pool", text, sheet.name)
        return
    elif sheet.health.current <= 1:
        dice.step("jazz.conflict.out", "{} has no health left and is out of the fight", sheet.name)
    else:
        return
    verdict.set_flag("defender", "out", to=True)


def summary(request: JazzAttack, verdict: Verdict, record: RolledDice) -> str:
    """One line: who attacks whom, the dice that count, hit or miss."""
    defender = next(named.who for named in record.rolls if named.roll == "defender")
    return team_comparison("attackers.", len(request.attackers), record, verdict, f" on {defender}")
