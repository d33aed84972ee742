"""Teamwork: everyone rolls, the best total counts, and the number of members is added."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import not_allowed
from tablecall.model.text import Sentence
from tablecall.systems.jazz import attempt
from tablecall.systems.jazz.attempt import AttemptBody, attempt_of
from tablecall.systems.jazz.roller import ready_roller
from tablecall.systems.jazz.sheet import JazzActor, no_character_twice
from tablecall.systems.jazz.side import RollOf
from tablecall.systems.jazz.summaries import attempt_summary
from tablecall.systems.verdict import Verdict


class JazzTeamwork(AttemptBody):
    """Several characters attempt something together: everyone rolls, and the highest total counts, plus the number of members
    (jazz.team.highest)."""

    members: Annotated[list[JazzActor], Field(min_length=1, max_length=32)]
    """The team; their rolls are named `members.0`, `members.1`, …"""
    rescue: RollOf | None = None
    """The roll, such as `members.1`, to which the game master grants one more die if the team fails; success then costs that member
    karma (jazz.karma.rescue)."""

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        members = ((f"/members/{index}/character/id", actor) for index, actor in enumerate(self.members))
        no_character_twice(members, "jazz.team.highest")
        rolls = [f"members.{index}" for index in range(len(self.members))]
        if self.rescue is not None and self.rescue not in rolls:
            raise not_allowed(
                "jazz.refused.no_such_roll", rule="jazz.karma.rescue", at="/rescue", code="unknown-name", name=self.rescue, near=rolls
            )
        return self


def teamwork(request: JazzTeamwork, dice: Dice) -> Verdict:
    """Resolve a team's attempt: the highest total plus the number of members, against the target.

    Outcomes: those of a check. A member without an aspect that applies does not take part in what only specialists can try. Refuses
    the same character twice and, for each member, everything a check refuses.
    """
    places = [f"members.{index}" for index in range(len(request.members))]
    rollers = [ready_roller(actor, where, dice, weird_row=request.is_weird) for actor, where in zip(request.members, places, strict=True)]
    return attempt.resolve(attempt_of(request, rollers, request.rescue, dice), dice)


def summary(request: JazzTeamwork, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who attempted what together, the comparison, the outcome."""
    return attempt_summary(request, [f"members.{index}" for index in range(len(request.members))], verdict)
