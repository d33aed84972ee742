"""Initiative: who acts first. Rolled once, when a conflict begins."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
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
AFTER: dict[str, Any] = {
    "order": Annotated[Order, Field(description="The places, first to last; each lists the ids of those who act together.")]
}

MAX_ORDERED = 5
"""Up to this many combatants the odds list every order; for more, they list who goes first."""
SEVERAL = "several together"
"""The outcome in the odds if several of more than `MAX_ORDERED` combatants share the first place."""
_AMBIGUOUS = re.compile('[>="]')


class JazzEntrant(Model):
    """One combatant, as far as initiative is concerned."""

    id: Id
    """Your own identifier, unique within the request; the order lists these ids."""
    name: Name
    """A name for the summary and the steps."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to the roll. Optional rule: by default nothing is added (jazz.conflict.initiative)."""


class JazzInitiative(Body):
    """A conflict begins: everyone rolls 2d6 for a place in the order (jazz.conflict.initiative)."""

    combatants: Annotated[list[JazzEntrant], Field(min_length=1, max_length=64)]
    """Everyone in the conflict; their rolls are named `combatants.0`, and after a tie `combatants.0.tie1`, `combatants.0.tie2`, …"""
    ties: Ties = "rerollOff"
    """Who goes first after an equal total: `rerollOff` (the tied roll plain 2d6 until all totals differ), `listed` (in the order
    listed) or `simultaneous` (they act at the same time) (jazz.conflict.order)."""

    @model_validator(mode="after")
    def _unique_ids(self) -> Self:
        check_unique_ids([combatant.id for combatant in self.combatants])
        return self


def check_unique_ids(ids: Sequence[str]) -> None:
    """Refuse two combatants with the same id."""
    for index, id_ in enumerate(ids):
        if id_ in ids[:index]:
            raise not_allowed("each combatant needs an id of their own", rule="jazz.conflict.initiative", at=f"/combatants/{index}/id")


class Entrant(Protocol):
    """What initiative needs of a combatant; `JazzEntrant` and `JazzCombatant` have it."""

    drop: bool
    initiative_bonus: int

    @property
    def name(self) -> str:
        """A name for the steps."""
        ...


def initiative(request: JazzInitiative, dice: Dice) -> Verdict:
    """Roll initiative: ``after.order`` lists the places, first to last, each with the ids of those who act together.

    Outcome: ``ordered``. For up to five combatants the odds list every order, ``rook>guard`` or (at the same time)
    ``rook=guard``; for more, who goes first, or ``several together``. Ids that could be mistaken for one of these are
    written as JSON strings: ``"rook>guard"``.
    """
    ids = [combatant.id for combatant in request.combatants]
    places = roll_order(dict(enumerate(request.combatants)), request.ties, dice, leader_only=len(ids) > MAX_ORDERED)
    order = [[ids[index] for index in place] for place in places]
    verdict = Verdict("ordered", None, after={"order": order})
    if len(ids) <= MAX_ORDERED:
        verdict.odds_outcome = ">".join("=".join(map(_quoted, place)) for place in order)
    else:
        verdict.odds_outcome = _quoted(order[0][0]) if len(order[0]) == 1 else SEVERAL
    return verdict


def _quoted(id_: str) -> str:
    """An id as the odds write it, as a JSON string if it could be mistaken for something else."""
    return json.dumps(id_, ensure_ascii=False) if id_ == SEVERAL or _AMBIGUOUS.search(id_) else id_


def roll_order(
    entrants: Mapping[int, Entrant], ties: Ties, dice: Dice, *, among: Sequence[int] | None = None, leader_only: bool = False
) -> list[list[int]]:
    """Roll for everyone: the places, highest first, each a list of indices (jazz.conflict.order).

    ``entrants`` are those who roll, by their index among the request's combatants. The odds need only the order ``among``
    some of them, given by position, or only who goes first (``leader_only``).
    """
    indices, names = list(entrants), [entrant.name for entrant in entrants.values()]
    rolls = [_roll(f"combatants.{index}", entrant, dice) for index, entrant in entrants.items()]

    def joined(positions: Sequence[int]) -> str:
        return " and ".join(names[position] for position in positions)

    def roll_again(tied: Sequence[int], attempt: int) -> list[Roll]:
        dice.step("jazz.conflict.order", "a tie: {} roll again", joined(tied), value=ties)
        return [dice.roll(f"combatants.{indices[position]}.tie{attempt}", SumPool(2), names[position]) for position in tied]

    tie_break = roll_again if ties == "rerollOff" else None
    places = dice.rank(rolls, tie_break, share_places=ties == "simultaneous", among=among, leader_only=leader_only)
    aside = "" if ties == "rerollOff" else f" (option ties: {ties})"
    dice.step("jazz.conflict.order", "from the highest to the lowest: {}{}", ", then ".join(map(joined, places)), aside, value=ties)
    return [[indices[position] for position in place] for place in places]


def _roll(name: str, entrant: Entrant, dice: Dice) -> Roll:
    """2d6, or 3d6 for an entrant with the drop, plus the optional bonus."""
    count, bonus = 2, 0
    if entrant.drop:
        dice.step("jazz.conflict.drop", "{} has the drop: one extra die, 3d6", entrant.name, value=3)
        count += dice.contribution(name, "drop", 1, 0)
    if entrant.initiative_bonus:
        bonus = dice.contribution(name, "initiativeBonus", entrant.initiative_bonus, 0)
    roll = dice.roll(name, SumPool(count, bonus), entrant.name)
    aside = " (option initiativeBonus)" if entrant.initiative_bonus else ""
    dice.step("jazz.conflict.initiative", "{}: {}d6 + {} = {}{}", entrant.name, count, bonus, roll.total, aside)
    return roll


def summary(request: JazzInitiative, verdict: Verdict, record: RolledDice) -> str:
    """One line: everyone in order, each with their first total."""
    totals = {named.roll: named.result.total for named in record.rolls}
    labels = {combatant.id: f"{combatant.name} {totals[f'combatants.{index}']}" for index, combatant in enumerate(request.combatants)}
    order: Order = verdict.after["order"]
    return "Initiative: " + ", ".join(" and ".join(labels[id_] for id_ in place) for place in order)
