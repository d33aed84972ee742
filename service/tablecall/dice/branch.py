"""One branch of a rule's decisions with its exact probability, and sums and mixtures over branches."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Generic, TypeVar

from tablecall.dice.distribution import Distribution

V = TypeVar("V")


@dataclass(slots=True)
class Branch(Generic[V]):
    """One complete path through the decisions of a rule, and the verdict it leads to.

    The probability is ``numerator / denominator``, not reduced. ``rolls`` are the distributions of the rolls it made, by name.
    ``rounds`` is the distribution of the rounds of the process it followed, over all final states (`Dice.follow`).
    """

    numerator: int
    denominator: int
    verdict: V
    rolls: dict[str, Distribution]
    rounds: Distribution | None = None

    @property
    def probability(self) -> Fraction:
        """The exact probability of this branch."""
        return Fraction(self.numerator, self.denominator)


class RationalSum:
    """A sum over branches that reduces the fraction only once, at the end: many branches share one long denominator."""

    __slots__ = ("_numerators",)

    def __init__(self) -> None:
        self._numerators: dict[int, int | Fraction] = {}

    def add(self, branch: Branch[Any], factor: int | Fraction = 1) -> None:
        """Add ``factor`` times the probability of ``branch``."""
        self._numerators[branch.denominator] = self._numerators.get(branch.denominator, 0) + branch.numerator * factor

    @property
    def total(self) -> Fraction:
        """The sum."""
        return sum((Fraction(numerator) / denominator for denominator, numerator in self._numerators.items()), Fraction())


class Mixture:
    """A mixture of distributions of one roll, each weighted by the branches in which the roll has it."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        # by identity: comparing long tables by value would cost more than it saves
        self._parts: dict[int, tuple[Distribution, RationalSum]] = {}

    def add(self, distribution: Distribution, branch: Branch[Any]) -> None:
        """Add the distribution the roll has in ``branch``."""
        if id(distribution) not in self._parts:
            self._parts[id(distribution)] = distribution, RationalSum()
        self._parts[id(distribution)][1].add(branch)

    @property
    def total(self) -> Distribution:
        """The mixture over one common denominator, given that the roll is made at all."""
        (first, _), *others = self._parts.values()
        if not others:
            return first
        scales = [(distribution, share.total / distribution.denominator) for distribution, share in self._parts.values()]
        common = lcm(*(scale.denominator for _, scale in scales))
        totals: dict[int, int] = {}
        for distribution, scale in scales:
            factor = scale.numerator * (common // scale.denominator)
            for total, weight in enumerate(distribution.weights, distribution.low):
                totals[total] = totals.get(total, 0) + weight * factor
        low, high = min(totals), max(totals)
        weights = tuple(totals.get(total, 0) for total in range(low, high + 1))
        return Distribution(low, weights, sum(weights))
