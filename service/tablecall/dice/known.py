"""Rolls of which some dice are known and others are not: their exact distribution.

The faces of an earlier roll are held fixed, also if the roll now has other dice: fewer, or more than were rolled. Only what nobody has
rolled is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import lcm, prod
from typing import TypeGuard

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Die, FaceSource, RollResult
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import NamedRoll, ReplayedFaces
from tablecall.dice.source import Pool
from tablecall.model.refusals import TooLargeToCount

MAX_RESULTS = 2_000
"""The most results of the unknown dice of one roll that are looked at."""


class _Scripted(FaceSource):
    """The given faces, by their index; then the first face of every die. ``choices`` are the numbers of faces to choose from.

    ``again`` are the faces that a die which is rolled again can end with, if it is rolled until it shows one of them.
    """

    __slots__ = ("again", "choices", "indices")

    def __init__(self, indices: Sequence[int], again: Sequence[int]) -> None:
        self.indices = indices
        self.again = again
        self.choices: list[int] = []

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next face."""
        return lowest + self._next(sides)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next face."""
        return self.again[self._next(len(self.again))] if self.again else self.draw(sides, lowest)

    def _next(self, choices: int) -> int:
        position = len(self.choices)
        self.choices.append(choices)
        return self.indices[position] if position < len(self.indices) else 0


class KnownDice(FaceSource):
    """A roll with these dice, as the odds hold it fixed (`tablecall.dice.enumeration.EnumeratedDice`)."""

    __slots__ = ("dice",)

    def __init__(self, dice: Sequence[Die]) -> None:
        self.dice = dice

    def draw(self, sides: int, lowest: int = 1) -> int:
        """Never asked: the roll is read with `distribution`."""
        raise LookupError

    redraw = draw  # type: ignore[assignment]

    def distribution(self, pool: Pool) -> Distribution:
        """The distribution of ``pool`` given the known dice. Refuses (`TooLargeToCount`) too many results of the others."""
        again = [face for face in range(pool.lowest, pool.lowest + pool.sides) if face not in pool.reroll] if _is_cleared(pool) else []
        results: list[tuple[RollResult, int]] = []
        indices: list[int] = []
        denominator = 1
        while True:
            unknown = _Scripted(indices, again)
            result = pool.read(ReplayedFaces(self.dice, unknown))
            outcomes = prod(unknown.choices)
            results.append((result, outcomes))
            denominator = lcm(denominator, outcomes)
            if len(results) > MAX_RESULTS:
                raise TooLargeToCount.by("refused.too_many_results", max=MAX_RESULTS)
            # the next combination of faces, as an odometer counts
            indices = [*indices, *[0] * (len(unknown.choices) - len(indices))][: len(unknown.choices)]
            while indices and indices[-1] + 1 == unknown.choices[len(indices) - 1]:
                indices.pop()
            if not indices:
                return _distribution(results, denominator)
            indices[-1] += 1


def _is_cleared(pool: Pool) -> TypeGuard[SumPool]:
    """Whether its dice are rolled until they are clear of some faces, without end if these come again and again."""
    return isinstance(pool, SumPool) and pool.until == "clear"


def _distribution(results: Sequence[tuple[RollResult, int]], denominator: int) -> Distribution:
    """The distribution of results, each with the number of equally likely ones it is one of."""
    totals = [result.total for result, _ in results]
    low = min(totals)
    weights, zeros = [0] * (max(totals) - low + 1), [0] * (max(totals) - low + 1)
    dismal = dramatic = 0
    for result, outcomes in results:
        weight = denominator // outcomes
        weights[result.total - low] += weight
        zeros[result.total - low] += weight * result.zeros
        dismal += weight if result.special == "dismal" else 0
        dramatic += weight if result.special == "dramatic" else 0
    return Distribution(low, tuple(weights), denominator, tuple(zeros), dismal, dramatic)


def known_rolls(rolls: Iterable[NamedRoll]) -> Callable[[str], FaceSource | None]:
    """A function for `tablecall.dice.enumeration.explore`: the known dice of a roll by its name, or ``None`` if it was not made."""
    dice = {named.roll: named.result.dice for named in rolls}
    return lambda name: KnownDice(dice[name]) if dice.get(name) else None
