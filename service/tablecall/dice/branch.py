"""The ways the decisions of a rule can go, each with its exact probability, and sums of their shares."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from tablecall.dice.distribution import Distribution

V = TypeVar("V")


@dataclass(slots=True)
class Branch(Generic[V]):
    """One complete way the decisions can go: its probability, not in lowest terms, what the rule returned, which rolls it made.

    ``lasted`` says in which round the course it followed ends: of all the ways there are from where it was begun.
    """

    numerator: int
    denominator: int
    verdict: V
    asked: dict[str, Distribution]
    lasted: Distribution | None = None

    @property
    def probability(self) -> Fraction:
        """How likely it is."""
        return Fraction(self.numerator, self.denominator)


class RationalSum:
    """A sum of shares of ways, brought to lowest terms only in the end: many of them have the same denominator, and a long one."""

    __slots__ = ("_numerators",)

    def __init__(self) -> None:
        self._numerators: dict[int, int | Fraction] = {}

    def add(self, way: Branch[Any], times: int | Fraction = 1) -> None:
        """The probability of one way, so many times."""
        self._numerators[way.denominator] = self._numerators.get(way.denominator, 0) + way.numerator * times

    @property
    def whole(self) -> Fraction:
        """The sum."""
        return sum((Fraction(part) / denominator for denominator, part in self._numerators.items()), Fraction())
