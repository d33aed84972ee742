"""Dice made at the table: read from the request, held fixed in the odds, and refused if no roll uses them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from difflib import SequenceMatcher

from tablecall.dice.faces import FaceSource
from tablecall.dice.rng import RNG
from tablecall.dice.roll import RolledDice, SuppliedFaces, seeded
from tablecall.model.base import Body, GivenDice
from tablecall.model.refusals import Finding, UnknownRng, WrongDice
from tablecall.systems.system import Action, System

_NUMBER = re.compile(r"[0-9]+")


def citing_rule(system: System, error: WrongDice) -> WrongDice:
    """The same refusal, citing the rule of the system's dice."""
    return WrongDice(*(replace(finding, rule=system.dice_rule) for finding in error.findings))


def supplied_faces(system: System, body: Body) -> dict[str, SuppliedFaces]:
    """The supplied dice by roll. Refuses a roll given twice, and an unknown dice algorithm."""
    if body.rng is not None and body.rng != RNG:
        raise UnknownRng(Finding("/rng", UnknownRng.code, "refused.rng", facts=(("rng", RNG),)))
    supplied: dict[str, SuppliedFaces] = {}
    for index, dice in enumerate(body.dice):
        if dice.roll in supplied:
            raise WrongDice(Finding(f"/dice/{index}/roll", WrongDice.code, "refused.dice_twice", system.dice_rule))
        supplied[dice.roll] = SuppliedFaces(dice.faces, f"/dice/{index}/faces", dice.roll)
    return supplied


def faces_by_roll(system: System, body: Body) -> Callable[[str], FaceSource | None]:
    """A function that returns new faces of a supplied roll each time, or ``None`` for other rolls."""
    supplied = supplied_faces(system, body)
    faces = {dice.roll: dice.faces for dice in body.dice}

    def faces_of(name: str) -> FaceSource | None:
        return SuppliedFaces(faces[name], supplied[name].pointer, name) if name in faces else None

    return faces_of


def rolls_made(record: RolledDice) -> set[str]:
    """The names of the rolls made, as requests name them."""
    return {named.roll for named in record.rolls}


def rolls_without_dice(action: Action, body: Body) -> set[str]:
    """The names of the rolls a request without supplied dice makes with some seed. The odds themselves make no rolls to name."""
    record = RolledDice(seeded("any"))
    action.rule(body.model_copy(update={"dice": []}), record)
    return rolls_made(record)


def allows_unused(body: Body) -> bool:
    """Whether dice may be handed in for rolls that then do not happen."""
    return type(body).possible_rolls is not Body.possible_rolls


def refuse_unused(body: Body, made: set[str], others: Callable[[], set[str]] = set) -> list[GivenDice]:
    """The dice for rolls that are not among those ``made`` but were possible (`Body.possible_rolls`). Refuses all others.

    ``others`` are further rolls the refusal names.
    """
    unused = [(index, dice) for index, dice in enumerate(body.dice) if dice.roll not in made]
    if not unused:
        return []
    possible = body.possible_rolls()
    for index, dice in unused:
        if possible is None:
            rolls = sorted((made | others()) - {dice.roll})
            key = "refused.dice_unused" if rolls else "refused.dice_none"
            raise WrongDice.at(f"/dice/{index}/roll", key, roll=dice.roll, rolls=rolls)
        if dice.roll not in possible:
            names = {*possible, *made, *others()}
            key = "refused.dice_impossible" if names else "refused.dice_none"
            raise WrongDice.at(f"/dice/{index}/roll", key, roll=dice.roll, near=_nearest(dice.roll, names))
    return [dice for _, dice in unused]


def _nearest(name: str, possible: Collection[str]) -> str:
    """The most similar name: first in its words, then in its numbers. Empty if nothing is possible."""
    shapes: dict[str, list[str]] = {}
    for candidate in possible:
        shapes.setdefault(_NUMBER.sub("0", candidate), []).append(candidate)
    if not shapes:
        return ""
    words = _NUMBER.sub("0", name)
    shape = max(shapes, key=lambda shape: (SequenceMatcher(None, shape, words).ratio(), shape))
    numbers = list(map(int, _NUMBER.findall(name)))

    def distance(candidate: str) -> tuple[int, str]:
        theirs = map(int, _NUMBER.findall(candidate))
        return sum(abs(mine - other) for mine, other in zip(numbers, theirs, strict=False)), candidate

    return min(shapes[shape], key=distance)
