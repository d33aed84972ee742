"""Jazz, who acts first: initiative, rolled once when a conflict begins."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, model_validator

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Body, Id, Model, Name, WholeNumber, not_allowed
from tablecall.systems.verdict import Verdict

Ties = Literal["rerollOff", "listed", "simultaneous"]
InitiativeBonus = Annotated[int, Field(ge=0, le=20), WholeNumber]
Order = list[Annotated[list[Id], Field(min_length=1, max_length=64)]]
AFTER: dict[str, Any] = {"order": Annotated[Order, Field(description="The places, first to last: each the ids of those who act together.")]}

MOST_ORDERED = 5
"""Up to so many combatants the odds tell every order apart; of more, they tell who goes first."""


class JazzEntrant(Model):
    """Somebody who takes part in a conflict, as far as initiative goes."""

    id: Id
    """The caller's own identifier, used once in a request; the order is told in it."""
    name: Name
    """A name for the reader."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to the roll; by the rule nothing is (jazz.conflict.initiative)."""


class JazzInitiative(Body):
    """A conflict begins: everyone rolls 2d6 for a place in the order (jazz.conflict.initiative)."""

    combatants: Annotated[list[JazzEntrant], Field(min_length=1, max_length=64)]
    """Everyone in the conflict; they roll as `combatants.0`, and if tied again as `combatants.0.tie1`, `combatants.0.tie2` …"""
    ties: Ties = "rerollOff"
    """Who goes first of those with an equal total: `rerollOff` plain 2d6 among themselves until all differ, as they are `listed`,
    or `simultaneous`, at the same time (jazz.conflict.order)."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_once([combatant.id for combatant in self.combatants])
        return self


def each_once(ids: Sequence[str]) -> None:
    """Refuse combatants who share an id."""
    for index, one in enumerate(ids):
        if one in ids[:index]:
            raise not_allowed("each combatant has an id of their own", rule="jazz.conflict.initiative", at=f"/combatants/{index}/id")


@dataclass(frozen=True, slots=True)
class Entrant:
    """One who rolls initiative: where they stand in the request, and what the roll says of them."""

    where: str
    name: str
    drop: bool
    bonus: int

    def roll(self, dice: Dice) -> Roll:
        """2d6, with the drop 3d6, plus the bonus the table gives."""
        count, bonus, where = 2, 0, self.where
        if self.drop:
            dice.step("jazz.conflict.drop", "{} has the drop: one extra die, 3d6", self.name, value=3)
            count += dice.contribution(where, "drop", 1, 0)
        if self.bonus:
            bonus = dice.contribution(where, "initiativeBonus", self.bonus, 0)
        roll = dice.roll(where, SumPool(count, bonus), self.name)
        aside = " (option initiativeBonus)" if self.bonus else ""
        dice.step("jazz.conflict.initiative", "{}: {}d6 + {} = {}{}", self.name, count, bonus, roll.total, aside)
        return roll


class Entering(Protocol):
    """Whoever may roll initiative: by `jazz.initiative`, in a round, in a fight."""

    @property
    def name(self) -> str:
        """A name for the reader."""
        ...

    @property
    def drop(self) -> bool:
        """Has the drop on the others."""
        ...

    @property
    def initiative_bonus(self) -> int:
        """Added to the roll."""
        ...


def entrant(index: int, combatant: Entering) -> Entrant:
    """The combatant of that number as one who rolls initiative."""
    return Entrant(f"combatants.{index}", combatant.name, combatant.drop, combatant.initiative_bonus)


def initiative(request: JazzInitiative, dice: Dice) -> Verdict:
    """Roll initiative: the places from the first to act to the last are ``after.order``, each the ids that act together.

    Outcome: ``ordered``. The odds tell the chance of every order, ``rook>guard`` or (at the same time) ``rook=guard``; of
    more than five combatants that of each one's going first, and of ``several together``. An id that could be taken for such a word
    is told as JSON writes it: ``"rook>guard"``.
    """
    ids = [combatant.id for combatant in request.combatants]
    entrants = [entrant(index, combatant) for index, combatant in enumerate(request.combatants)]
    places = ordered(entrants, request.ties, dice, leading=len(ids) > MOST_ORDERED)
    order = [[ids[index] for index in place] for place in places]
    verdict = Verdict("ordered", None, after={"order": order})
    if len(ids) <= MOST_ORDERED:
        verdict.odds_outcome = ">".join("=".join(map(_told, place)) for place in order)
    else:
        verdict.odds_outcome = _told(order[0][0]) if len(order[0]) == 1 else SEVERAL
    return verdict


SEVERAL = "several together"
_OWN = re.compile('[>="]')


def _told(one: str) -> str:
    """An id in the odds, apart from all that they say themselves."""
    return json.dumps(one, ensure_ascii=False) if one == SEVERAL or _OWN.search(one) else one


def ordered(
    entrants: Sequence[Entrant], ties: Ties, dice: Dice, *, among: Sequence[int] | None = None, leading: bool = False
) -> list[list[int]]:
    """Roll for everyone and find the places, highest first (jazz.conflict.order).

    ``among`` and ``leading`` say how much of the order the odds need.
    """
    rolls = [entrant.roll(dice) for entrant in entrants]

    def again(tied: Sequence[int], throw: int) -> list[Roll]:
        dice.step("jazz.conflict.order", "a tie: {} roll again", _names(entrants, tied), value=ties)
        return [dice.roll(f"{entrants[index].where}.tie{throw}", SumPool(2), entrants[index].name) for index in tied]

    reroll_off = again if ties == "rerollOff" else None
    places = dice.rank(rolls, reroll_off, share_places=ties == "simultaneous", among=among, leader_only=leading)
    text = ", then ".join(_names(entrants, place) for place in places)
    aside = "" if ties == "rerollOff" else f" (option ties: {ties})"
    dice.step("jazz.conflict.order", "from the highest to the lowest: {}{}", text, aside, value=ties)
    return places


def _names(entrants: Sequence[Entrant], indices: Sequence[int]) -> str:
    return " and ".join(entrants[index].name for index in indices)


def summary(request: JazzInitiative, verdict: Verdict, record: RolledDice) -> str:
    """One line: everyone in order, with what they rolled first."""
    totals = {named.roll: named.result.total for named in record.rolls}
    said = {combatant.id: f"{combatant.name} {totals[f'combatants.{index}']}" for index, combatant in enumerate(request.combatants)}
    order: Order = verdict.after["order"]
    return "Initiative: " + ", ".join(" and ".join(said[one] for one in place) for place in order)
