"""Dice made at the table: read from the request, held fixed in the odds, and refused where no roll is made of them."""

from __future__ import annotations

from collections.abc import Callable

from tablecall.dice.faces import FaceSource
from tablecall.dice.rng import RNG, fresh_seed
from tablecall.dice.roll import RolledDice, SuppliedFaces, all_rolls, seeded
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, UnknownRng, WrongDice
from tablecall.systems.system import Action, System


def seed_of(body: Body) -> str:
    """The seed's text: the request's own, or one drawn here."""
    return fresh_seed() if body.seed is None else str(body.seed)


def by_rule_of(system: System, error: WrongDice) -> WrongDice:
    """A refusal of dice, naming the rule of the system's dice."""
    return WrongDice(*(Finding(found.pointer, found.code, found.detail, system.dice_rule) for found in error.findings))


def given_dice(system: System, body: Body) -> dict[str, SuppliedFaces]:
    """The dice handed in, by roll; and the algorithm, which must be ours."""
    if body.rng is not None and body.rng != RNG:
        raise UnknownRng(Finding("/rng", UnknownRng.code, f"the dice algorithm here is {RNG}"))
    given: dict[str, SuppliedFaces] = {}
    for index, dice in enumerate(body.dice):
        if dice.roll in given:
            raise WrongDice(Finding(f"/dice/{index}/roll", WrongDice.code, "each roll is given once", system.dice_rule))
        given[dice.roll] = SuppliedFaces(dice.faces, f"/dice/{index}/faces")
    return given


def held(system: System, body: Body) -> Callable[[str], FaceSource | None]:
    """The faces of a roll that was made at the table, anew each time it is asked about."""
    given = given_dice(system, body)
    faces = {dice.roll: dice.faces for dice in body.dice}

    def fixed(name: str) -> FaceSource | None:
        return SuppliedFaces(faces[name], given[name].pointer) if name in faces else None

    return fixed


def made_in(record: RolledDice) -> set[str]:
    """The rolls made, as dice handed in name them."""
    return {named.roll.replace("/", ".") for named in all_rolls(record)}


def once_made(action: Action, body: Body) -> set[str]:
    """The rolls made by the request without dice, by some seed or other: for the odds to name, who make none."""
    record = RolledDice(seeded("any"))
    action.rule(body.model_copy(update={"dice": []}), record)
    return made_in(record)


MOST_NAMED = 20
"""How many of the rolls made a refusal names."""


def all_rolled(body: Body, made: set[str], others: Callable[[], set[str]] = set) -> None:
    """Refuse dice for a roll that never happens. ``others`` are named among the rolls made, where that is not all of them."""
    for index, dice in enumerate(body.dice):
        if dice.roll not in made:
            rolls = _listed((made | others()) - {dice.roll})
            raise WrongDice.at(f"/dice/{index}/roll", f"this roll does not happen: {rolls}")


def _listed(made: set[str]) -> str:
    if not made:
        return "nothing is rolled"
    names = sorted(made)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"the rolls made are {', '.join(names[:MOST_NAMED])}{more}"
