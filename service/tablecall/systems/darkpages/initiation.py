"""Initiation: who acts first, by the game master's scores and without dice (darkpages.iiee.order)."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Id, Name, Participant, WholeNumber, not_allowed
from tablecall.model.ruling import OutputModel
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.sheet import DarkpagesBody
from tablecall.systems.verdict import Verdict

RULE = "darkpages.iiee.order"
Factor = Literal["proximity", "ease", "drama", "powers"]
Score = Annotated[int, Field(ge=-100, le=100), WholeNumber]


class DarkpagesInitiative(Participant):
    """One participant with the game master's scores. Higher scores act first."""

    id: Id
    """The caller's own identifier, used in `order`."""
    name: Name | None = None
    """The name to print. Left out: the id."""
    proximity: Score = 0
    """How near to the action."""
    ease: Score = 0
    """How quickly the action is done."""
    drama: Score = 0
    """How good a scene it makes."""
    powers: Score = 0
    """Powers such as foresight, control of time or great speed."""


class DarkpagesOrderPlace(OutputModel):
    """A place in the order."""

    ids: list[Id]
    """The ids of those who act together."""


class DarkpagesInitiation(DarkpagesBody):
    """Order the participants by the game master's scores (darkpages.iiee.order)."""

    participants: Annotated[list[DarkpagesInitiative], Field(min_length=1, max_length=64)]
    """Who is about to act."""
    weigh: Annotated[list[Factor], Field(min_length=3, max_length=4)] = ["proximity", "ease", "drama", "powers"]
    """Three or four of the scores in order of weight: each counts only where those before it are equal. `proximity`: how near to the
    action. `ease`: how quickly the action is done. `drama`: how good a scene it makes. `powers`: foresight, control of time, great
    speed."""

    @model_validator(mode="after")
    def _check_duplicates(self) -> Self:
        ids = [str(participant.id) for participant in self.participants]
        for index, name in enumerate(ids):
            if name in ids[:index]:
                raise not_allowed("darkpages.refused.id_twice", rule=RULE, at=f"/participants/{index}/id", code="conflicting-fields")
        if len(set(self.weigh)) < len(self.weigh):
            raise not_allowed("darkpages.refused.weigh_twice", rule=RULE, at="/weigh", code="conflicting-fields")
        return self


def initiation(request: DarkpagesInitiation, dice: Dice) -> Verdict:
    """Put everyone in order. No dice.

    Outcome: ``ordered``. ``after.order`` lists the ids; those who act together share a place. Refuses a repeated id or score.
    """
    dice.note(RULE, "initiation.weighs", factors=list(request.weigh))
    return Verdict("ordered", None, after={"order": [{"ids": [participant.id for participant in place]} for place in _places(request)]})


def _places(request: DarkpagesInitiation) -> list[list[DarkpagesInitiative]]:
    def scores(participant: DarkpagesInitiative) -> tuple[int, ...]:
        return tuple(getattr(participant, factor) for factor in request.weigh)

    return [list(place) for _, place in groupby(sorted(request.participants, key=scores, reverse=True), scores)]


AFTER: dict[str, Any] = {
    "order": Annotated[list[DarkpagesOrderPlace], Field(description="The places in the order of acting; those in one place act together.")]
}
"""What ``after`` contains beside the participants."""


def summary(request: DarkpagesInitiation, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Everybody in order."""
    where = {id(participant): f"participants.{index}" for index, participant in enumerate(request.participants)}
    places = [say("initiation.place", who=[where[id(participant)] for participant in place]) for place in _places(request)]
    return [say("initiation.summary", places=places)]
