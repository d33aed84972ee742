"""Teamwork: the highest rated of several makes the check and keeps one more die for each assistant (darkpages.teamwork)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Offer
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence
from tablecall.systems.darkpages.check import (
    DarkpagesAttempt,
    attempt,
    compared_summary,
    find_endangered,
    no_roll,
    note_goal,
    prepare_opponent,
)
from tablecall.systems.darkpages.prepare import Placed, display_name, placed, prepare, rating, require_in_play
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.verdict import Verdict

MAX_MEMBERS = 32
MAX_AWARDS_OFFERED = 8
Member = Annotated[int, Field(ge=0, lt=MAX_MEMBERS), WholeNumber]


class DarkpagesTeamwork(DarkpagesAttempt):
    """Several participants work together at one goal (darkpages.teamwork)."""

    options: ClassVar[frozenset[str]] = DarkpagesAttempt.options | {"awards"}

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_MEMBERS)]
    """Who works together. One makes the check and rolls as `members.0`, `members.1`, …; the others assist, and their modifiers, scars and
    choices of dice are ignored."""
    opponents: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_MEMBERS)] | None = None
    """Several who oppose together, in place of `opponent`: the highest rated rolls as `opponents.0`, `opponents.1`, … with the others'
    help."""
    leader: Member | None = None
    """Who makes the check: a position in `members`, counted from 0. Left out: the member who keeps the most dice, then rolls the most,
    then comes first in the list."""
    awards: Annotated[list[Member], Field(max_length=60)] = []
    """Which assistant each kept zero teaches: positions in `members`, counted from 0. Further zeros go to each assistant in turn; further
    awards have no effect (darkpages.teamwork.points)."""

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        if self.leader is not None and self.leader >= len(self.members):
            raise not_allowed("darkpages.refused.no_such_member", rule="darkpages.teamwork", at="/leader", code="unknown-name")
        for index, member in enumerate(self.awards):
            if member >= len(self.members):
                at = f"/awards/{index}"
                raise not_allowed("darkpages.refused.no_such_member", rule="darkpages.teamwork.points", at=at, code="unknown-name")
        return self


def teamwork(request: DarkpagesTeamwork, dice: Dice) -> Verdict:
    """Resolve a check made together.

    Outcomes: those of a check. On a failure ``endangered`` lists the members (darkpages.optional.danger). Refuses members who
    are not in play, and awards to the one who rolls, to NPCs, or to members without an Archetype.
    """
    members = placed(request.members)
    opponents = placed(request.opponents or (), "opponents")
    require_in_play([*members, *opponents])
    leader = highest_rated(members) if request.leader is None else request.leader
    key = "team.highest" if request.leader is None else "team.named"
    dice.note("darkpages.teamwork", key, value=leader, who=members[leader][1])
    recipients = _recipients(request, leader)
    note_goal(request, dice)
    verdict = no_roll(request, dice, request.target_number)
    if verdict is None:
        roller = team_roller(request, members, leader, recipients, dice, lambda positions: _patch(request, leader, positions))
        verdict = attempt(request, roller, _opponent(request, opponents, dice), dice)
        dice.offer(lambda: _awards(request, leader))
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, members, dice)}
    return verdict


def highest_rated(members: Sequence[Placed]) -> int:
    """The index of the highest rated: who keeps the most dice, then rolls the most, then comes first."""
    return max(range(len(members)), key=lambda index: rating(*members[index]))


def _opponent(request: DarkpagesTeamwork, opponents: Sequence[Placed], dice: Dice) -> Roller | None:
    """The roller of the opposing side, with its assistants; their kept zeros teach the assistants, too."""
    if not opponents:
        return prepare_opponent(request, dice)
    leader = highest_rated(opponents)
    dice.note("darkpages.teamwork", "team.highest", value=leader, who=opponents[leader][1])
    learners = [actor for index, (actor, _) in enumerate(opponents) if index != leader and not actor.is_npc]
    recipients = PointRecipients("darkpages.teamwork.points", tuple(actor.earning_archetype for actor in learners))
    if len(opponents) == 1:
        recipients = PointRecipients("darkpages.zero.points", (opponents[0][0].earning_archetype,))

    def patch(positions: list[int]) -> dict[str, object]:
        sent = [actor.model_dump(by_alias=True, exclude_unset=True) for actor, _ in opponents]
        sent[leader]["keepDice"] = positions
        return {"opponents": sent}

    return team_roller(request, opponents, leader, recipients, dice, patch)


def _recipients(request: DarkpagesTeamwork, leader: int) -> PointRecipients:
    """darkpages.teamwork.points: the assistants who can learn, by ``awards`` or in turn."""
    learners = _learners(request, leader)
    for index, member in enumerate(request.awards):
        if member not in learners:
            raise Forbidden.by("darkpages.teamwork.points", f"/awards/{index}", "darkpages.refused.cannot_learn")
    archetypes = [member.earning_archetype for member in request.members]
    in_turn = tuple(archetypes[index] for index in learners) or (None,)
    return PointRecipients("darkpages.teamwork.points", in_turn, tuple(archetypes[index] for index in request.awards))


def _learners(request: DarkpagesTeamwork, leader: int) -> list[int]:
    """The assistants who are players' characters with an Archetype."""
    return [
        index
        for index, member in enumerate(request.members)
        if index != leader and not member.is_npc and member.earning_archetype is not None
    ]


def _awards(request: DarkpagesTeamwork, leader: int) -> list[Offer]:
    """The assistants who may be given the kept zeros, if there is a choice."""
    learners = _learners(request, leader)
    if len(learners) < 2 or request.awards:
        return []
    return [
        Offer("award", "option.award", {"who": f"members.{index}"}, {"awards": [index] * MAX_AWARDS_OFFERED})
        for index in learners[:MAX_AWARDS_OFFERED]
    ]


def team_roller(
    request: DarkpagesTeamwork, members: Sequence[Placed], leader: int, recipients: PointRecipients, dice: Dice, patch: Any
) -> Roller:
    """The roller of a team: the leader, with one more kept die for each assistant."""
    actor, where = members[leader]
    assistants = [display_name(*member) for index, member in enumerate(members) if index != leader]
    dice.note("darkpages.teamwork", "team.assistants", value=len(assistants), who=where, count=len(assistants))
    choice = DiceChoice(actor.keep, actor.keep_dice, f"/{where.replace('.', '/')}/keepDice", patch)
    return prepare(actor, where, dice, request, choice=choice, recipients=recipients, assistants=assistants)


def _patch(request: DarkpagesTeamwork, leader: int, positions: list[int]) -> dict[str, Any]:
    """The merge patch that keeps other dice. It contains all members: a merge patch replaces a list as a whole."""
    members = [member.model_dump(by_alias=True, exclude_unset=True) for member in request.members]
    members[leader]["keepDice"] = positions
    return {"members": members}


def summary(request: DarkpagesTeamwork, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who work together, the comparison, the outcome."""
    who = [where for _, where in placed(request.members)]
    against = ["opponent"] if request.opponent else [where for _, where in placed(request.opponents or (), "opponents")]
    return compared_summary(request, who, verdict, record, against=against)
