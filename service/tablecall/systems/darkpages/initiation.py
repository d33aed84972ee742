"""darkpages, initiation: who acts first, by the game master's own scores and without a roll."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Id, Name, Participant, WholeNumber, not_allowed
from tablecall.systems.verdict import Verdict

RULE = "darkpages.iiee.order"
Factor = Literal["proximity", "ease", "drama"]
Score = Annotated[int, Field(ge=-100, le=100), WholeNumber]
OUTCOMES = ("ordered",)


class DarkpagesInitiative(Participant):
    """Somebody about to act, as the game master scores it; the higher score acts first."""

    id: Id
    """The caller's own identifier: the order names it."""
    name: Name | None = None
    """The name to print; left out, the identifier."""
    proximity: Score = 0
    """How near to the action."""
    ease: Score = 0
    """How quickly the thing is done."""
    drama: Score = 0
    """How much better a scene it makes."""


class DarkpagesInitiation(Body):
    """Who acts first (darkpages.iiee.order)."""

    participants: Annotated[list[DarkpagesInitiative], Field(min_length=1, max_length=64)]
    """Who is about to act."""
    weigh: Annotated[list[Factor], Field(min_length=3, max_length=3)] = ["proximity", "ease", "drama"]
    """The three in the order of their weight: the next one counts only between equals. `proximity`: how near. `ease`: how quickly done.
    `drama`: how good a scene."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [one.id for one in self.participants]
        for index, name in enumerate(ids):
            if name in ids[:index]:
                raise not_allowed("each participant has an id of its own", rule=RULE, at=f"/participants/{index}/id")
        if len(set(self.weigh)) < len(self.weigh):
            raise not_allowed("each of the three has one place in the order of weight", rule=RULE, at="/weigh")
        return self


def initiation(request: DarkpagesInitiation, dice: Dice) -> Verdict:
    """Put everyone in order. No dice.

    Outcome: ``ordered``; ``after.order`` holds the ids, those who act together in one place. Refuses an id or a factor
    named twice.
    """
    dice.step(RULE, "{} weighs most, then {}, then {}; equals share a place", *request.weigh)
    order = [[one.id for one in place] for place in _places(request)]
    return Verdict("ordered", None, after={"order": order})


def _places(request: DarkpagesInitiation) -> list[list[DarkpagesInitiative]]:
    def scores(one: DarkpagesInitiative) -> tuple[int, ...]:
        return tuple(getattr(one, factor) for factor in request.weigh)

    return [list(place) for _, place in groupby(sorted(request.participants, key=scores, reverse=True), scores)]


AFTER: dict[str, Any] = {"order": Annotated[list[list[str]], Field(description="The ids in order; those in one place act together.")]}
"""What ``after`` has beside the participants."""


def summary(request: DarkpagesInitiation, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, then who."""
    return ", then ".join(" with ".join(one.name or one.id for one in place) for place in _places(request))
