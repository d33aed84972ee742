"""Upper bounds on the branches a contest takes in the odds, so that too many are refused before any is followed.

A roller who keeps as many zeros as still succeed needs the other side's total, and the odds follow every total that changes
the choice as a branch of its own. One such choice is affordable; one that depends on another may not be. The bounds assume
that every branch is possible, so the true number may be lower.
"""

from __future__ import annotations

from tablecall.model.base import Body
from tablecall.systems.darkpages.roller import Roller

NeedsTarget = Roller | None
"""The roller of a damage check that needs the total to beat; None if it does not."""
SuppliedRolls = frozenset[str]
"""The names of the rolls made at the table."""


def supplied_rolls(request: Body) -> SuppliedRolls:
    """The rolls whose dice came with the request: each has one result only."""
    return frozenset(given.roll for given in request.dice)


def attack(attacker: Roller, defender: Roller, resisting: NeedsTarget, supplied: SuppliedRolls) -> int:
    """An attack in which the attacker needs the defender's total; ``resisting`` makes the damage check.

    For each total of the defender the attacker is Dismal, lower, equal, or succeeds.
    """
    return sum(3 + _damage_check(resisting, total, _highest(attacker, total, supplied)) for total in _totals(defender, attacker, supplied))


def defence(defending: Roller, attacker: Roller, defender: NeedsTarget, ward: NeedsTarget, supplied: SuppliedRolls, *, reuse: bool) -> int:
    """A defence in which one side of the first check needs the other's total; ``defender`` and ``ward`` make the damage checks.

    Without ``reuse`` a second attack follows: it fails in two ways (only zeros rolled, only zeros kept), or has any total.
    """
    second = 2 * _damage_check(defender) + _damage_check(defender, 0, 1 if "attacker.second" in supplied else attacker.highest_total)
    branches = 0
    if defending.needs_target:
        for _ in _totals(attacker, defending, supplied):
            branches += 1 + 2 * _damage_check(ward) + (_damage_check(defender) if reuse else second)
        if attacker.highest_total > defending.highest_total:
            branches += 2 * _damage_check(ward, defending.highest_total, attacker.highest_total)
        return branches
    for total in _totals(defending, attacker, supplied):
        lower = attacker.highest_total if defending.where in supplied else total
        below = 1 if attacker.where in supplied else max(lower, 1)
        branches += _damage_check(defender) + _damage_check(defender, 0, below) if reuse else 2 * second
        branches += 1 + _damage_check(ward, total, _highest(attacker, total, supplied))
    return branches


def opposed_points(actor: Roller, opponent: Roller, supplied: SuppliedRolls) -> int:
    """An opposed check in which the actor's kept zeros are counted one by one, because they teach different Archetypes.

    With z zeros kept, the total is at most that of the other dice.
    """
    if actor.needs_target:
        highest_by_zeros = range(0, actor.highest_total + 1, 9)
        return sum(1 + sum(3 if highest > total else 2 for highest in highest_by_zeros) for total in _totals(opponent, actor, supplied))
    if opponent.needs_target:
        return sum(2 + 4 * (actor.kept + 1 - -(-total // 9)) for total in _totals(actor, opponent, supplied))
    return 1


def _totals(of: Roller, chooser: Roller, supplied: SuppliedRolls) -> list[int]:
    """The totals of one side that are followed for a ``chooser`` who needs them.

    A 0 stands for Dismal and one for Dramatic. A supplied roll has one total, and 0 leaves the most branches.
    """
    if of.where in supplied:
        return [0]
    return [0, *range(min(of.highest_total, chooser.highest_total) + 1)]


def _highest(of: Roller, low: int, supplied: SuppliedRolls) -> int:
    """The highest total to expect above ``low``."""
    return low + 1 if of.where in supplied else of.highest_total


def _damage_check(target: NeedsTarget, low: int = 0, high: int = 1) -> int:
    """A damage check against one total, or any total above ``low`` up to ``high``.

    It is Dismal, Dramatic, lower, equal or higher. A target who needs the total is never Dramatic.
    """
    return 5 if target is None else 4 * max(1, min(high, target.highest_total) - low)
