"""How many ways a contest may go at most: what the odds refuse before they begin.

Where somebody waits (keeps as many zeros as still succeed), every total of the other side that makes a difference to the choice
is followed by itself. One such choice is never too much; one that hangs on another may be. Counted is the worst there can be,
which a few ways that have no chance may keep from being reached.
"""

from __future__ import annotations

from tablecall.model.base import Body
from tablecall.systems.darkpages.roller import Hand

Resisting = Hand | None
"""The dice of a damage check that waits; None where it does not."""
Held = frozenset[str]
"""The rolls made at the table."""


def held(request: Body) -> Held:
    """The rolls whose dice came with the request: they go one way only."""
    return frozenset(given.roll for given in request.dice)


def attack(attacker: Hand, defender: Hand, resisting: Resisting, held: Held) -> int:
    """A check whose attacker waits, and on success a damage check against its total.

    For each total faced the attacker's dice are dismal, lower, equal, or enough.
    """
    return sum(3 + _harm(resisting, low, _highest(attacker, low, held)) for low in _totals(defender, attacker, held))


def defence(shield: Hand, attacker: Hand, defender: Resisting, ward: Resisting, held: Held, *, reuse: bool) -> int:
    """A defence in which the first check waits; ``defender`` and ``ward`` are the dice of their damage checks.

    A fresh second attack is no success in two ways (nothing but zeros, rolled or kept), and else is resisted at any total.
    """
    second = 2 * _harm(defender) + _harm(defender, 0, 1 if "attacker.second" in held else attacker.most)
    ways = 0
    if shield.waits:
        for _ in _totals(attacker, shield, held):
            ways += 1 + 2 * _harm(ward) + (_harm(defender) if reuse else second)
        if attacker.most > shield.most:
            ways += 2 * _harm(ward, shield.most, attacker.most)
        return ways
    for total in _totals(shield, attacker, held):
        lower = attacker.most if shield.where in held else total
        below = 1 if attacker.where in held else max(lower, 1)
        ways += _harm(defender) + _harm(defender, 0, below) if reuse else 2 * second
        ways += 1 + _harm(ward, total, _highest(attacker, total, held))
    return ways


def lessons(actor: Hand, opponent: Hand, held: Held) -> int:
    """A check whose kept zeros are counted one by one, since they teach different Archetypes; against somebody.

    With z zeros kept a total is at most that of the other dice.
    """
    if actor.waits:
        zeros = range(0, actor.most + 1, 9)
        return sum(1 + sum(3 if most > total else 2 for most in zeros) for total in _totals(opponent, actor, held))
    if opponent.waits:
        return sum(2 + 4 * (actor.kept + 1 - -(-total // 9)) for total in _totals(actor, opponent, held))
    return 1


def _totals(of: Hand, chooser: Hand, held: Held) -> list[int]:
    """The totals followed for a chooser who waits, a 0 for each of Dismal and Dramatic; the one on the table leaves no more open than 0."""
    if of.where in held:
        return [0]
    return [0, *range(min(of.most, chooser.most) + 1)]


def _highest(of: Hand, low: int, held: Held) -> int:
    """The highest total of a roll that is above ``low``."""
    return low + 1 if of.where in held else of.most


def _harm(target: Resisting, low: int = 0, high: int = 1) -> int:
    """A damage check against a total above ``low``, up to ``high``, or one total: Dismal, Dramatic, lower, equal, higher. Who waits
    is never Dramatic."""
    return 5 if target is None else 4 * max(1, min(high, target.most) - low)
