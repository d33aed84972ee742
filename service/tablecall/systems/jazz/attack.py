"""Jazz, one attack in a conflict: one or several attackers against one defender."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Name
from tablecall.systems.jazz.roller import derived, ready
from tablecall.systems.jazz.sheet import JazzActor, nobody_twice
from tablecall.systems.jazz.team import offer_dice, together
from tablecall.systems.jazz.wording import highest, line, team_of
from tablecall.systems.verdict import Verdict

Kind = Name


class JazzAttack(Body):
    """Attackers try to bring a defender nearer to being out of the fight (jazz.conflict.attack)."""

    attackers: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """One attacker, or a team that attacks as one (jazz.team.attack); they roll as `attackers.0`, `attackers.1`, …"""
    defender: JazzActor
    """Who is attacked; rolls as `defender`."""
    team_defence: Annotated[list[JazzActor], Field(max_length=31)] = []
    """Who defends together with the defender. By the rule defenders do not team up: naming somebody here takes the other reading."""
    kind: Kind = "physical"
    """A label, `physical`, `mental`, `social` or any other: every kind of conflict wears down the same health pool
    (jazz.conflict.kind)."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        defenders = [("/defender", self.defender), *((f"/teamDefence/{index}", actor) for index, actor in enumerate(self.team_defence))]
        attackers = [(f"/attackers/{index}", actor) for index, actor in enumerate(self.attackers)]
        for people in (attackers, defenders):
            nobody_twice(((f"{at}/character/id", actor) for at, actor in people), "jazz.conflict.once")
        return self


ATTACKING = "attacking one target is not extraordinary"
DEFENDING = "defending is not extraordinary"


def attack(request: JazzAttack, dice: Dice) -> Verdict:
    """Resolve one attack: the attackers' highest total against the defender's (jazz.conflict.attack).

    Outcomes: ``hit`` (the defender loses one health; out at 0, or at once when unnamed), ``miss``. Refuses whoever is
    out of the fight on either side, and the same character twice on one side.
    """
    everyone = (*request.attackers, request.defender, *request.team_defence)
    derived(dice, *(actor.character for actor in everyone))
    return strike(request.attackers, request.defender, dice, team_defence=request.team_defence, kind=request.kind)


def of_kind(kind: Kind, dice: Dice) -> None:
    """jazz.conflict.kind: a label, which changes nothing."""
    if kind != "physical":
        dice.step("jazz.conflict.kind", "a {} conflict wears down health all the same", kind, value=kind)


def strike(
    attackers: Sequence[JazzActor], defender: JazzActor, dice: Dice, *, kind: Kind, team_defence: Sequence[JazzActor] = ()
) -> Verdict:
    """The attack itself, as ``attack`` resolves it."""
    rollers = [ready(actor, f"attackers.{index}", dice, free=ATTACKING) for index, actor in enumerate(attackers)]
    defenders = [ready(defender, "defender", dice, free=DEFENDING)]
    defenders += [ready(actor, f"teamDefence.{index}", dice, free=DEFENDING) for index, actor in enumerate(team_defence)]
    of_kind(kind, dice)
    total = together(rollers, dice, "jazz.team.attack")
    if team_defence:
        dice.step("jazz.team.attack", "the defenders team up (option teamDefence)", value="teamDefence")
    target = together(defenders, dice, "jazz.team.highest")
    # jazz.conflict.attack: ties hit, and the margin never matters
    hit = dice.reaches(total, target)
    dice.step("jazz.conflict.attack", "{} against {}: {}", total, target, "a hit" if hit else "a miss")
    verdict = Verdict("hit" if hit else "miss", hit, total=total, target=target)
    for roller in (*rollers, *defenders):
        roller.pay(verdict)
    if hit:
        harm(defender, "defender", dice, verdict)
    elif dice.wants_options:
        offer_dice(rollers, "attackers", dice)
    return verdict


def harm(actor: JazzActor, where: str, dice: Dice, verdict: Verdict) -> None:
    """One hit: a health less; out at 0, or at once when unnamed (jazz.conflict.out, jazz.conflict.unnamed)."""
    sheet = actor.character
    if sheet is None:
        verdict.change_unseen(where, "health", -1)
        return
    if sheet.health is None:
        verdict.change_unseen(where, "health", -1)
        if sheet.named:
            text = "{}: a health is lost, but without a survival aspect nobody knows of how many, so nobody can be brought down"
            dice.step("jazz.health.pool", text, sheet.name)
    else:
        verdict.change(where, "health", sheet.health.current, max(sheet.health.current - 1, 0))
    if not sheet.named:
        dice.step("jazz.conflict.unnamed", "{} is unnamed, and out of the fight at once", sheet.name)
    elif sheet.health is not None and sheet.health.current <= 1:
        dice.step("jazz.conflict.out", "{} has no health left and is out of the fight", sheet.name)
    else:
        return
    verdict.set_flag(where, "out", to=True)


def summary(request: JazzAttack, verdict: Verdict, record: RolledDice) -> str:
    """One line: who attacks whom, the dice that count, hit or miss."""
    best, number = highest(record, "attackers."), len(request.attackers)
    defender = next(named.who for named in record.rolls if named.roll == "defender")
    return line(f"{team_of(best.who, number)} on {defender}", record, verdict, [best.roll], number if number > 1 else 0)
