"""Sums and mixtures over branches are exact."""

from __future__ import annotations

from fractions import Fraction

from tablecall.dice.branch import Branch, Mixture, RationalSum
from tablecall.dice.distribution import Distribution

HALF, THIRD, SIXTH = (Branch(1, denominator, None, {}) for denominator in (2, 3, 6))
LOW, HIGH = Distribution(1, (1, 1), 2), Distribution(2, (1, 0, 2), 3)


def test_sum_over_different_denominators() -> None:
    total = RationalSum()
    for branch, factor in ((HALF, 1), (THIRD, Fraction(3, 2)), (THIRD, -1), (SIXTH, 2)):
        total.add(branch, factor)
    assert total.total == Fraction(1, 2) + Fraction(1, 6) + Fraction(1, 3)
    assert RationalSum().total == 0


def test_mixture_of_one_distribution_is_that_distribution() -> None:
    mixture = Mixture()
    mixture.add(LOW, HALF)
    mixture.add(LOW, SIXTH)
    assert mixture.total is LOW


def test_mixture_is_weighted_by_its_branches() -> None:
    """LOW with the weight 1/2 + 1/6, HIGH with the weight 1/3: two thirds and one third."""
    mixture = Mixture()
    for distribution, branch in ((LOW, HALF), (HIGH, THIRD), (LOW, SIXTH)):
        mixture.add(distribution, branch)
    total = mixture.total
    chances = {number: Fraction(weight, total.denominator) for number, weight in enumerate(total.weights, total.low)}
    assert chances == {1: Fraction(1, 3), 2: Fraction(1, 3) + Fraction(1, 9), 3: 0, 4: Fraction(2, 9)}
