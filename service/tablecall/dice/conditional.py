"""One distribution in the odds, as far as the decisions of one run have narrowed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Special
from tablecall.dice.keep import KeepPool

Weights = Sequence[int]


class NeedsJointDistribution(RuntimeError):
    """A rule asked what this source does not keep: both of two rolls once compared, or the special of a roll once narrowed or said."""


class ConditionalDistribution:
    """One distribution as far as this run has narrowed it: weights from ``low`` upwards, and kept zeros by total."""

    __slots__ = ("dismal", "dramatic", "low", "narrow", "narrowed", "partners", "quantity", "said", "spent", "weights", "whole", "zeros")

    def __init__(self, chances: Distribution) -> None:
        self.low = chances.low
        self.weights: Weights = chances.weights
        self.zeros: Weights | None = chances.zeros
        self.whole = chances.whole
        self.dismal = chances.dismal
        self.dramatic = chances.dramatic
        self.quantity: KeepPool | None = None
        self.narrow: Callable[[], None] | None = None
        self.narrowed = False
        self.said = False
        self.partners: list[ConditionalDistribution] = []
        self.spent = False

    def settle(self) -> None:
        """Work out what an earlier comparison left, now that it matters."""
        if self.narrow is not None:
            narrow, self.narrow = self.narrow, None
            narrow()

    def ask(self) -> ConditionalDistribution:
        """Make ready for a question of chance."""
        if self.spent:
            raise NeedsJointDistribution
        for partner in self.partners:
            partner.spent = True
        self.settle()
        return self

    def cut(self, start: int, stop: int) -> None:
        """Keep the totals from ``start`` up to but not including ``stop``, as indices."""
        self.narrowed = True
        self.weights = self.weights[start:stop]
        if self.zeros is not None:
            self.zeros = self.zeros[start:stop]
        self.low += start
        self.whole = sum(self.weights)

    def scale(self, factors: Weights) -> None:
        """Weigh each total by what the other side of a comparison leaves it."""
        self.weights = [weight * factor for weight, factor in zip(self.weights, factors, strict=True)]
        if self.zeros is not None:
            self.zeros = [zeros * factor for zeros, factor in zip(self.zeros, factors, strict=True)]
        self.whole = sum(self.weights)


class LazyTotal:
    """A roll, or a total made of one by adding numbers: a leaf and what is added to it."""

    __slots__ = ("leaf", "shift")

    def __init__(self, leaf: ConditionalDistribution, shift: int = 0) -> None:
        self.leaf = leaf
        self.shift = shift

    def __add__(self, number: int, /) -> LazyTotal:
        return LazyTotal(self.leaf, self.shift + number)

    @property
    def total(self) -> LazyTotal:
        """A roll is its own total."""
        return self


def _below(low: int, weights: Weights, values: range) -> list[int]:
    """For each value: the weight of the totals, counted from ``low`` upwards, that lie below it."""
    sums = [0, *accumulate(weights)]
    start, stop, size = values.start - low, values.stop - low, len(values)
    before, beyond = min(max(-start, 0), size), min(max(stop - len(sums), 0), size)
    return [0] * before + sums[max(start, 0) : max(stop, 0)] + sums[-1:] * beyond


def moved(values: range, by: int) -> range:
    """Every value so much more."""
    return range(values.start + by, values.stop + by)


def left_by(low: int, weights: Weights, values: range, sign: int) -> list[int]:
    """For each value: the weight of the other side's totals that are lower (sign 1), equal (0) or higher (−1)."""
    under = _below(low, weights, values)
    if sign > 0:
        return under
    upto = _below(low, weights, moved(values, 1))
    if sign < 0:
        whole = sum(weights)
        return [whole - most for most in upto]
    return [most - less for most, less in zip(upto, under, strict=True)]


def narrow(leaf: ConditionalDistribution, left_by: Callable[[], list[int]]) -> None:
    """Weigh the totals by what the other side of a comparison leaves each, worked out now."""
    leaf.scale(left_by())


def condition(leaf: ConditionalDistribution, word: Special | None) -> None:
    """Narrow a roll of ten-sided dice by the word decided on. Where only zeros are kept, every kept die is one."""
    special = leaf.dismal + leaf.dramatic
    if word is None:
        leaf.weights = [leaf.weights[0] - special, *leaf.weights[1:]]
        leaf.zeros = leaf.zeros and [0, *leaf.zeros[1:]]
        leaf.whole -= special
    else:
        ways = leaf.dismal if word == "dismal" else leaf.dramatic
        leaf.weights, leaf.whole, leaf.quantity = [ways], ways, None
        leaf.zeros = leaf.zeros and [leaf.zeros[0] // special * ways]
    leaf.said = True
