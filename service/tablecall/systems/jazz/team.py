"""Jazz, teaming up: several work on one thing, and the best of them carries it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.model.base import Body
from tablecall.systems.jazz.opposition import Difficulty, Level, SpendOn, Ties, decide, difficulty, one_target, pay, unspent, untied
from tablecall.systems.jazz.roller import Roller, could_spend, derived, ready
from tablecall.systems.jazz.sheet import JazzActor, nobody_twice
from tablecall.systems.jazz.wording import highest, line, team_of
from tablecall.systems.verdict import Verdict

MOST_OFFERED = 8
"""So many dice that might have been declared are offered; each offer holds everyone of the team."""


class JazzTeamwork(Body):
    """Several attempt something together: everyone rolls, the highest total counts and their number is added (jazz.team.highest)."""

    members: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """Who works together; they roll as `members.0`, `members.1`, …"""
    difficulty: Difficulty | None = None
    """The number to reach."""
    level: Level | None = None
    """The number by its name in the table (jazz.difficulty.table)."""
    opponent: JazzActor | None = None
    """Who opposes them; rolls as `opponent` (jazz.check.contest)."""
    ties: Ties = "actor"
    """Who has an equal total against an opponent; the team is the `actor`."""
    spend_on: SpendOn = "attempt"
    """Whether an extraordinary use costs its weird when tried or only when it succeeds (jazz.weird.spend)."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        one_target(difficulty=self.difficulty, level=self.level, opponent=self.opponent)
        members = ((f"/members/{index}/character/id", actor) for index, actor in enumerate(self.members))
        nobody_twice(members, "jazz.team.highest")
        return self


def teamwork(request: JazzTeamwork, dice: Dice) -> Verdict:
    """Resolve a team's attempt: the highest total and the number of members against the target.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, where so chosen). Refuses what a check refuses of each of
    them: who is out, dice that are not held or would be wasted, an extraordinary use with no weird left; and the same
    character twice.
    """
    derived(dice, *(actor.character for actor in request.members), request.opponent.character if request.opponent else None)
    members = [ready(actor, f"members.{index}", dice) for index, actor in enumerate(request.members)]
    opponent = ready(request.opponent, "opponent", dice) if request.opponent else None
    total = together(members, dice, "jazz.team.highest")
    if len(members) == 1:
        dice.step("jazz.team.highest", "{}: alone, so nothing is added", members[0].name, value=0)
    target = difficulty(request.difficulty, request.level, dice) if opponent is None else opponent.roll(dice).total
    verdict = decide(total, target, request.ties if opponent else None, dice)
    if opponent is None:
        untied(request.ties, "nobody opposes", dice)
    unspent([*members, opponent] if opponent else members, request.spend_on, dice)
    for member in members:
        pay(member, verdict.succeeded is True, request.spend_on, dice, verdict)
    if opponent is not None:
        pay(opponent, verdict.succeeded is False, request.spend_on, dice, verdict)
    if dice.wants_options and verdict.outcome == "failure":
        offer_dice(members, "members", dice)
    return verdict


def together(rollers: list[Roller], dice: Dice, rule: str) -> Total:
    """The highest total of several, and their number added (jazz.team.highest, jazz.team.attack); alone, one's own total."""
    rolls = [roller.roll(dice) for roller in rollers]
    if len(rollers) == 1:
        return rolls[0].total
    # taking a member away takes the roll and the share of the number
    there = [index for index, roller in enumerate(rollers) if dice.contribution(roller.where, "member", 1, 0)]
    best, first = dice.extreme_roll([rolls[index] for index in there], highest=True)
    number = len(there) if len(there) > 1 else 0
    dice.step(rule, "{} of them: {} has the highest, {} + {}", number, rollers[there[first]].name, best.total, number, value=number)
    return best.total + dice.contribution(rollers[0].where.partition(".")[0], "team", number, 0)


def offer_dice(rollers: Sequence[Roller], field: str, dice: Dice) -> None:
    """What one of them might have declared. A merge patch has no way into the list ``field``, so it carries the whole of it."""
    could = ((index, *one) for index, roller in enumerate(rollers) for one in could_spend(roller))
    sent = [roller.actor.model_dump(by_alias=True, exclude_unset=True) for roller in rollers]
    for index, choice, die, text in islice(could, MOST_OFFERED):
        dice.option(choice, text, {field: [{**actor, "spend": die} if number == index else actor for number, actor in enumerate(sent)]})


def summary(request: JazzTeamwork, verdict: Verdict, record: RolledDice) -> str:
    """One line: who carries the team, the dice that count, what came of it."""
    best, number = highest(record, "members."), len(request.members)
    return line(team_of(best.who, number), record, verdict, [best.roll], number if number > 1 else 0)
