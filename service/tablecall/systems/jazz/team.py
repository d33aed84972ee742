"""Teamwork: everyone rolls, the best total counts, and the number of members is added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import Field, model_validator

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, LegacyOffer, Total
from tablecall.model.base import Body
from tablecall.systems.jazz import unused
from tablecall.systems.jazz.roller import Roller, SpendOn, declarable_dice, pay, ready_roller, report_summed_weird
from tablecall.systems.jazz.sheet import JazzActor, no_character_twice
from tablecall.systems.jazz.summaries import team_comparison
from tablecall.systems.jazz.target import Difficulty, Level, Ties, check_one_target, decide, difficulty_of
from tablecall.systems.verdict import Verdict

MAX_DICE_OFFERED = 8
"""How many options to spend a die are offered at most; each carries the whole team."""


class JazzTeamwork(Body):
    """Several characters attempt something together: everyone rolls, and the highest total counts, plus the number of members
    (jazz.team.highest)."""

    members: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """The team; their rolls are named `members.0`, `members.1`, …"""
    difficulty: Difficulty | None = None
    """The number to reach."""
    level: Level | None = None
    """The number to reach, by its name in the table (jazz.difficulty.table)."""
    opponent: JazzActor | None = None
    """Who opposes the team; the roll is named `opponent` (jazz.check.contest)."""
    ties: Ties = "actor"
    """Who wins an equal total against an opponent; `actor` is the team."""
    spend_on: SpendOn = "attempt"
    """Whether an extraordinary use costs its weird when attempted or only on success (jazz.weird.spend)."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        check_one_target(difficulty=self.difficulty, level=self.level, opponent=self.opponent)
        members = ((f"/members/{index}/character/id", actor) for index, actor in enumerate(self.members))
        no_character_twice(members, "jazz.team.highest")
        return self


def teamwork(request: JazzTeamwork, dice: Dice) -> Verdict:
    """Resolve a team's attempt: the highest total plus the number of members, against the target.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, if so chosen). Refuses the same character twice and, for each
    member, everything a check refuses.
    """
    report_summed_weird(dice, *(actor.character for actor in request.members), request.opponent.character if request.opponent else None)
    members = [ready_roller(actor, f"members.{index}", dice) for index, actor in enumerate(request.members)]
    opponent = ready_roller(request.opponent, "opponent", dice) if request.opponent else None
    total = team_total(members, dice, "jazz.team.highest")
    if len(members) == 1:
        dice.step("jazz.team.highest", "{}: alone, so nothing is added", members[0].name, value=0)
    target = difficulty_of(request.difficulty, request.level, dice) if opponent is None else opponent.roll(dice).total
    verdict = decide(total, target, request.ties if opponent else None, dice)
    if opponent is None:
        unused.ties(request.ties, "nobody opposes", dice)
    unused.spend_on(members, opponent, request.spend_on, dice)
    pay(members, opponent, request.spend_on, dice, verdict)
    if verdict.outcome == "failure":
        dice.offer(lambda: dice_offers(members, "members"))
    return verdict


def team_total(rollers: list[Roller], dice: Dice, rule: str) -> Total:
    """Roll for everyone: the highest total plus the number of rollers, or the plain total of a single roller.

    ``rule`` is cited: jazz.team.highest or jazz.team.attack.
    """
    rolls = [roller.roll(dice) for roller in rollers]
    if len(rollers) == 1:
        return rolls[0].total
    # without a member, both the member's roll and their share of the number are gone
    counted = [index for index, roller in enumerate(rollers) if dice.contribution(roller.where, "member", 1, 0)]
    best, best_index = extreme_roll([rolls[index] for index in counted], highest=True)
    number = len(counted) if len(counted) > 1 else 0
    dice.step(rule, "{} of them: {} has the highest, {} + {}", number, rollers[counted[best_index]].name, best.total, number, value=number)
    return best.total + dice.contribution(rollers[0].where.partition(".")[0], "team", number, 0)


def dice_offers(rollers: Sequence[Roller], field: str) -> Iterator[LegacyOffer]:
    """Offers of each die that a roller could have declared.

    A merge patch cannot change one item of the list ``field``, so each option carries the whole list.
    """
    offers = ((index, *die) for index, roller in enumerate(rollers) for die in declarable_dice(roller))
    sent = [roller.actor.model_dump(by_alias=True, exclude_unset=True) for roller in rollers]
    for index, choice, die, text in islice(offers, MAX_DICE_OFFERED):
        actors = [{**actor, "spend": die} if number == index else actor for number, actor in enumerate(sent)]
        yield choice, text, {field: actors}


def summary(request: JazzTeamwork, verdict: Verdict, record: RolledDice) -> str:
    """One line: the best member and how many more, the dice that count, the outcome."""
    return team_comparison("members.", len(request.members), record, verdict)
