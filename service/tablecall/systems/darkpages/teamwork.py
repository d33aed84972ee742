"""Teamwork: the highest rated of several makes the check and keeps one more die for each assistant (darkpages.teamwork)."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages import unused
from tablecall.systems.darkpages.check import DarkpagesAttempt, attempt, find_endangered, no_roll, note_goal
from tablecall.systems.darkpages.prepare import display_name, placed, prepare, rating, require_in_play
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.wording import check_summary
from tablecall.systems.verdict import Verdict

MAX_MEMBERS = 32
Member = Annotated[int, Field(ge=0, lt=MAX_MEMBERS), WholeNumber]


class DarkpagesTeamwork(DarkpagesAttempt):
    """Several participants work together at one goal (darkpages.teamwork)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_MEMBERS)]
    """Who works together. One makes the check and rolls as `members.0`, `members.1`, …; the others assist, and their modifiers, scars and
    choices of dice are ignored."""
    leader: Member | None = None
    """Who makes the check: a position in `members`, counted from 0. Left out: the member who keeps the most dice, then rolls the most,
    then comes first in the list."""
    awards: Annotated[list[Member], Field(max_length=60)] = []
    """Which assistant each kept zero teaches: positions in `members`, counted from 0. Further zeros go to each assistant in turn; further
    awards have no effect (darkpages.teamwork.points)."""

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        if self.leader is not None and self.leader >= len(self.members):
            raise not_allowed("no such member", rule="darkpages.teamwork", at="/leader")
        for index, member in enumerate(self.awards):
            if member >= len(self.members):
                raise not_allowed("no such member", rule="darkpages.teamwork.points", at=f"/awards/{index}")
        return self


def teamwork(request: DarkpagesTeamwork, dice: Dice) -> Verdict:
    """Resolve a check made together.

    Outcomes: those of a check. On a failure ``endangered`` lists the members (darkpages.optional.danger). Refuses members who
    are not in play, and awards to the one who rolls or to NPCs.
    """
    members = placed(request.members)
    require_in_play(members)
    leader = _leader(request, dice)
    recipients = _recipients(request, leader)
    note_goal(request, dice)
    for index, (member, where) in enumerate(members):
        if index != leader:
            unused.assistant(member, where, dice)
    verdict = no_roll(request, [members[leader]], dice) or attempt(request, _team_roller(request, leader, recipients, dice), dice)
    if verdict.outcome == "noRoll" and request.awards:
        dice.step("darkpages.teamwork.points", "nobody rolls, so no zero is there to be awarded (option awards)", value=0)
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, members, dice)}
    return verdict


def _leader(request: DarkpagesTeamwork, dice: Dice) -> int:
    """The member who makes the check: the highest rated, or the request's ``leader``."""
    members = placed(request.members)
    leader = request.leader
    if leader is None:
        leader = max(range(len(members)), key=lambda index: rating(*members[index]))
    how = "is the highest rated" if request.leader is None else "is named (option leader)"
    dice.step("darkpages.teamwork", "{} {} and makes the check", display_name(*members[leader]), how, value=leader)
    return leader


def _recipients(request: DarkpagesTeamwork, leader: int) -> PointRecipients:
    """darkpages.teamwork.points: the assistants who are players' characters learn, by ``awards`` or in turn."""
    learners = [index for index, member in enumerate(request.members) if index != leader and not member.is_npc]
    for index, member in enumerate(request.awards):
        if member not in learners:
            detail = "Training Points go to assistants who are players' characters"
            raise Forbidden.by("darkpages.teamwork.points", f"/awards/{index}", detail)
    archetypes = [member.earning_archetype for member in request.members]
    in_turn = tuple(archetypes[index] for index in learners)
    return PointRecipients("darkpages.teamwork.points", in_turn, tuple(archetypes[index] for index in request.awards))


def _team_roller(request: DarkpagesTeamwork, leader: int, recipients: PointRecipients, dice: Dice) -> Roller:
    members = placed(request.members)
    actor, where = members.pop(leader)
    assistants = [display_name(*member) for member in members]
    more = len(assistants)
    text = "{} assistant, so {} more die is kept" if more == 1 else "{} assistants, so {} more dice are kept"
    dice.step("darkpages.teamwork", text, more, more, value=more)
    pointer = f"/members/{leader}/keepDice"
    choice = DiceChoice(actor.keep, actor.keep_dice, pointer, lambda positions: _patch(request, leader, positions))
    return prepare(actor, where, dice, request, choice=choice, recipients=recipients, assistants=assistants)


def _patch(request: DarkpagesTeamwork, leader: int, positions: list[int]) -> dict[str, Any]:
    """The merge patch that keeps other dice. It contains all members: a merge patch replaces a list as a whole."""
    members = [member.model_dump(by_alias=True, exclude_unset=True) for member in request.members]
    members[leader]["keepDice"] = positions
    return {"members": members}


def summary(request: DarkpagesTeamwork, verdict: Verdict, record: RolledDice) -> str:
    """One line: who leads how many, the labels, the dice, the target, the outcome."""
    rolled = {named.roll for named in record.rolls}
    members = placed(request.members)
    leader = next((member for member in members if member[1] in rolled), members[0])
    who = f"{display_name(*leader)} and {len(members) - 1} more"
    return check_summary(who, request.aim, record, leader[1], verdict)
