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

MAX_NAMED_ROLLS = 20
"""How many of the rolls made a refusal names."""
_NUMBER = re.compile(r"[0-9]+")


def citing_rule(system: System, error: WrongDice) -> WrongDice:
    """The same refusal, citing the rule of the system's dice."""
    return WrongDice(*(replace(finding, rule=system.dice_rule) for finding in error.findings))


def supplied_faces(system: System, body: Body) -> dict[str, SuppliedFaces]:
    """The supplied dice by roll. Refuses a roll given twice, and an unknown dice algorithm."""
    if body.rng is not None and body.rng != RNG:
        raise UnknownRng(Finding("/rng", UnknownRng.code, f"the dice algorithm here is {RNG}"))
    supplied: dict[str, SuppliedFaces] = {}
    for index, dice in enumerate(body.dice):
        if dice.roll in supplied:
            raise WrongDice(Finding(f"/dice/{index}/roll", WrongDice.code, "each roll is given once", system.dice_rule))
        supplied[dice.roll] = SuppliedFaces(dice.faces, f"/dice/{index}/faces")
    return supplied


def faces_by_roll(system: System, body: Body) -> Callable[[str], FaceSource | None]:
    """A function that returns new faces of a supplied roll each time, or ``None`` for other rolls."""
    supplied = supplied_faces(system, body)
    faces = {dice.roll: dice.faces for dice in body.dice}

    def faces_of(name: str) -> FaceSource | None:
        return SuppliedFaces(faces[name], supplied[name].pointer) if name in faces else None

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
            rolls = _listed((made | others()) - {dice.roll})
            raise WrongDice.at(f"/dice/{index}/roll", f"this roll does not happen: {rolls}")
        if dice.roll not in possible:
            names = {*possible, *made, *others()}
            nearest = f"the nearest is {_nearest(dice.roll, names)}" if names else "nothing is rolled"
            raise WrongDice.at(f"/dice/{index}/roll", f"no turn here can make this roll: {nearest}")
    return [dice for _, dice in unused]


def _nearest(name: str, possible: Collection[str]) -> str:
    """The most similar name: first in its words, then in its numbers."""
    shapes: dict[str, list[str]] = {}
    for candidate in possible:
        shapes.setdefault(_NUMBER.sub("0", candidate), []).append(candidate)
    words = _NUMBER.sub("0", name)
    shape = max(shapes, key=lambda shape: (SequenceMatcher(None, shape, words).ratio(), shape))
    numbers = list(map(int, _NUMBER.findall(name)))

    def distance(candidate: str) -> tuple[int, str]:
        theirs = map(int, _NUMBER.findall(candidate))
        return sum(abs(mine - other) for mine, other in zip(numbers, theirs, strict=False)), candidate

    return min(shapes[shape], key=distance)


def _listed(rolls: set[str]) -> str:
    if not rolls:
        return "nothing is rolled"
    names = sorted(rolls)
    more = f" and {len(names) - MAX_NAMED_ROLLS} more" if len(names) > MAX_NAMED_ROLLS else ""
    return f"the rolls made are {', '.join(names[:MAX_NAMED_ROLLS])}{more}"
