"""darkpages, teamwork: the best rated of several makes the check and keeps a further die for each assistant."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages.check import DarkpagesAttempt, attempt, endanger, no_roll, state_goal
from tablecall.systems.darkpages.roller import Choosing, Hand, Learners, hand, in_play, named, rating
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.wording import line
from tablecall.systems.verdict import Verdict

MAX_MEMBERS = 32
Member = Annotated[int, Field(ge=0, lt=MAX_MEMBERS), WholeNumber]


class DarkpagesTeamwork(DarkpagesAttempt):
    """Several work together at one goal (darkpages.teamwork)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_MEMBERS)]
    """Who works together. The one who makes the check rolls as `members.0`, `members.1`, …; what weighs on the others does not count."""
    leader: Member | None = None
    """Who makes the check, counted from 0; left out, the highest rated: most dice kept, then most rolled, then first in the list."""
    awards: Annotated[list[Member], Field(max_length=60)] = []
    """Which assistant, counted from 0, each kept zero teaches; those beyond the list go to each in turn, and awards beyond
    the kept zeros to nobody (darkpages.teamwork.points)."""

    @model_validator(mode="after")
    def _members(self) -> Self:
        if self.leader is not None and self.leader >= len(self.members):
            raise not_allowed("no such member", rule="darkpages.teamwork", at="/leader")
        for index, member in enumerate(self.awards):
            if member >= len(self.members):
                raise not_allowed("no such member", rule="darkpages.teamwork.points", at=f"/awards/{index}")
        return self


def teamwork(request: DarkpagesTeamwork, dice: Dice) -> Verdict:
    """Resolve a check made together.

    Outcomes: those of a check. On failure ``endangered`` lists the members (darkpages.optional.danger). Refuses whoever is
    not in play, and an award to whoever rolls or to the game master's characters.
    """
    for index, member in enumerate(request.members):
        in_play(member, f"members.{index}")
    leader = _leader(request, dice)
    learners = _learners(request, leader)
    state_goal(request, dice)
    _idle(request, leader, dice)
    rolling = (request.members[leader], f"members.{leader}")
    verdict = no_roll(request, [rolling], dice) or attempt(request, _team(request, leader, learners, dice), dice)
    if verdict.outcome == "noRoll" and request.awards:
        dice.step("darkpages.teamwork.points", "nobody rolls, so no zero is there to be awarded (option awards)", value=0)
    verdict.fields = request.parts | {"endangered": endanger(verdict, places(request.members), dice)}
    return verdict


def places(members: list[DarkpagesActor]) -> list[str]:
    """Where each of several stands in the request."""
    return [f"members.{index}" for index in range(len(members))]


def _leader(request: DarkpagesTeamwork, dice: Dice) -> int:
    """darkpages.teamwork: the highest rated, or whom the request names."""
    leader = request.leader
    if leader is None:
        leader = max(range(len(request.members)), key=lambda index: rating(request.members[index], f"members.{index}"))
    how = "is the highest rated" if request.leader is None else "is named (option leader)"
    dice.step("darkpages.teamwork", "{} {} and makes the check", named(request.members[leader], f"members.{leader}"), how, value=leader)
    return leader


def _idle(request: DarkpagesTeamwork, leader: int, dice: Dice) -> None:
    """darkpages.teamwork: an assistant lends a die, and nothing that was asked for the assistant's own dice counts."""
    for index, member in enumerate(request.members):
        asked = member.modifiers or member.scars or member.keep != "highest" or member.keep_dice is not None
        if asked and index != leader:
            text = "{} only assists: modifiers, scars and chosen dice of an assistant do not count"
            dice.step("darkpages.teamwork", text, named(member, f"members.{index}"))


def _learners(request: DarkpagesTeamwork, leader: int) -> Learners:
    """darkpages.teamwork.points: the assistants who are players learn, as the request says or each in turn."""
    pupils = [index for index, member in enumerate(request.members) if index != leader and not member.is_npc]
    for index, member in enumerate(request.awards):
        if member not in pupils:
            raise Forbidden.by("darkpages.teamwork.points", f"/awards/{index}", "a kept zero teaches an assistant who is a player's")
    earns = [member.earns for member in request.members]
    return Learners("darkpages.teamwork.points", tuple(earns[pupil] for pupil in pupils), tuple(earns[index] for index in request.awards))


def _team(request: DarkpagesTeamwork, leader: int, learners: Learners, dice: Dice) -> Hand:
    actor, where = request.members[leader], f"members.{leader}"
    assistants = [named(member, f"members.{index}") for index, member in enumerate(request.members) if index != leader]
    more = len(assistants)
    text = "{} assistant, so {} more die is kept" if more == 1 else "{} assistants, so {} more dice are kept"
    dice.step("darkpages.teamwork", text, more, more, value=more)
    choosing = Choosing(actor.keep, actor.keep_dice, f"/members/{leader}/keepDice", lambda positions: _keeping(request, leader, positions))
    return hand(actor, where, dice, request, choosing=choosing, learners=learners, assistants=assistants)


def _keeping(request: DarkpagesTeamwork, leader: int, positions: list[int]) -> dict[str, Any]:
    """The merge patch that keeps other dice: a list is replaced as a whole."""
    members = [member.model_dump(by_alias=True, exclude_unset=True) for member in request.members]
    members[leader]["keepDice"] = positions
    return {"members": members}


def summary(request: DarkpagesTeamwork, verdict: Verdict, record: RolledDice) -> str:
    """One line: who leads how many, the kept dice of those rolled, against what, what came of it."""
    index = next((index for index in range(len(request.members)) if any(named.roll == f"members.{index}" for named in record.rolls)), 0)
    who = f"{named(request.members[index], f'members.{index}')} and {len(request.members) - 1} more"
    return line(who, request.aim, record, f"members.{index}", verdict)
