"""Which dice a table needs to roll next for a request."""

from __future__ import annotations

from typing import Any

from tablecall.dice.enumeration import explore
from tablecall.dice.needed import Missing, NeededDice, UnknownDice
from tablecall.dice.roll import RolledDice, seeded
from tablecall.engine.budget import Budget, BudgetExceeded
from tablecall.engine.supplied_dice import citing_rule, faces_by_roll, refuse_unused, supplied_faces
from tablecall.model.base import Body
from tablecall.model.refusals import Refusal, WrongDice
from tablecall.systems.system import Action, System

MAX_BRANCHES = 200
"""The branches followed to find out which further rolls are certain."""


def rolls(system: System, action: Action, body: Body) -> dict[str, Any]:
    """The dice that the table needs to roll next, given those in the request (`NeededRolls`).

    These are all rolls that are certain to happen. Nothing is drawn from a seed. Refuses what `resolve` refuses before the dice are
    rolled, and dice that no roll can use.
    """
    supplied_faces(system, body)
    supplied = {dice.roll: (dice.faces, f"/dice/{index}/faces") for index, dice in enumerate(body.dice)}
    missing: list[Missing] = []
    names: set[str] = set()
    complete = True
    try:
        try:
            action.rule(body, NeededDice(supplied, missing, names))
        except UnknownDice:
            complete = False
        complete = complete and not missing
        if complete:
            refuse_unused(body, names)
        else:
            names |= _find_others(system, action, body, names, missing)
    except WrongDice as error:
        raise citing_rule(system, error) from None
    return {"needed": [_published(roll) for roll in missing], "complete": complete}


def _find_others(system: System, action: Action, body: Body, names: set[str], missing: list[Missing]) -> set[str]:
    """Add further rolls to ``missing``: those that happen however the dice fall. Returns the names of all rolls that may happen.

    Only single actions are followed, and only if they have few branches; a conflict asks for all dice of a moment by itself.
    """
    if body.large_ruling or body.unbounded:
        return set()
    try:
        branches = list(explore(lambda dice: action.rule(body, dice), faces_by_roll(system, body), Budget(MAX_BRANCHES).charge))
    except (Refusal, BudgetExceeded):
        return set()
    certain = set.intersection(*(set(branch.rolls) for branch in branches)) - names
    possible = {name for branch in branches for name in branch.rolls}
    refuse_unused(body, names | possible)
    if certain:
        record = RolledDice(seeded("any"))
        action.rule(body.model_copy(update={"dice": []}), record)
        made = {named.roll: named for named in record.rolls if named.result.dice}
        given = {dice.roll for dice in body.dice}
        for name in certain.intersection(made) - given:
            dice = made[name].result.dice
            missing.append(Missing(name, made[name].who, len(dice), dice[0].sides))
        order = {name: number for number, name in enumerate(made)}
        missing.sort(key=lambda roll: order.get(roll.roll, 0))
    return possible


def _published(roll: Missing) -> dict[str, Any]:
    return {"roll": roll.roll, "name": roll.who, "dice": f"{roll.count}d{roll.sides}", "sides": roll.sides, "count": roll.count}
