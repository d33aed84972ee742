"""The distribution of a roll given the decisions of one run, and totals that are only evaluated when a rule compares them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Special
from tablecall.dice.keep import KeepPool
from tablecall.dice.ranking import Part

Weights = Sequence[int]


class NeedsJointDistribution(RuntimeError):
    """A rule asked for something that marginal distributions do not contain.

    That is: both of two rolls after they were compared with each other, or the special of a roll whose total or special was decided.
    """


class ConditionalDistribution:
    """The distribution of one roll given the decisions so far: weights from ``low`` upwards, and sums of kept zeros by total.

    ``pool`` is set while the weights can still be split by kept zeros. ``narrowed``: a decision about the total was made.
    ``special_known``: the special was decided. ``partners`` are the rolls it was compared with; as soon as one of the two is queried
    again, the other is ``consumed`` and can not be.
    """

    __slots__ = (
        "_pending",
        "consumed",
        "denominator",
        "dismal",
        "dramatic",
        "low",
        "narrowed",
        "partners",
        "pool",
        "special_known",
        "weights",
        "zeros",
    )

    def __init__(self, distribution: Distribution) -> None:
        self.low = distribution.low
        self.weights: Weights = distribution.weights
        self.zeros: Weights | None = distribution.zeros
        self.denominator = distribution.denominator
        self.dismal = distribution.dismal
        self.dramatic = distribution.dramatic
        self.pool: KeepPool | None = None
        self.narrowed = False
        self.special_known = False
        self.partners: list[ConditionalDistribution] = []
        self.consumed = False
        self._pending: Callable[[], Weights] | None = None

    def narrow_later(self, factors: Callable[[], Weights], partner: ConditionalDistribution) -> None:
        """Condition on a comparison with ``partner``. Each weight is multiplied by its factor, if it is ever needed."""
        self.narrowed = True
        self._pending = factors
        self.partners.append(partner)

    def settle(self) -> None:
        """Apply the factors of an earlier comparison now."""
        if self._pending is not None:
            factors, self._pending = self._pending(), None
            self.weights = [weight * factor for weight, factor in zip(self.weights, factors, strict=True)]
            if self.zeros is not None:
                self.zeros = [zeros * factor for zeros, factor in zip(self.zeros, factors, strict=True)]
            self.denominator = sum(self.weights)

    def query(self) -> ConditionalDistribution:
        """Prepare for a decision about this roll, and return it."""
        if self.consumed:
            raise NeedsJointDistribution
        for partner in self.partners:
            partner.consumed = True
        self.settle()
        return self

    def part(self) -> Part:
        """Prepare for a decision about this roll and others together: what `tablecall.dice.ranking` needs."""
        self.query()
        return self.low, self.weights, self.denominator

    def consume(self) -> Part:
        """The same for a decision after which this roll must not be queried again."""
        part = self.part()
        self.consumed = True
        return part

    def restrict(self, start: int, stop: int) -> None:
        """Keep only the totals with the indices from ``start`` up to but not including ``stop``."""
        self.narrowed = True
        self.weights = self.weights[start:stop]
        if self.zeros is not None:
            self.zeros = self.zeros[start:stop]
        self.low += start
        self.denominator = sum(self.weights)

    def restrict_to_special(self, special: Special | None) -> None:
        """Keep only the results with this special. All specials have the total 0, and every kept die is a zero."""
        specials = self.dismal + self.dramatic
        if special is None:
            self.weights = [self.weights[0] - specials, *self.weights[1:]]
            self.zeros = self.zeros and [0, *self.zeros[1:]]
            self.denominator -= specials
        else:
            weight = self.dismal if special == "dismal" else self.dramatic
            self.weights, self.denominator, self.pool = [weight], weight, None
            self.zeros = self.zeros and [self.zeros[0] // specials * weight]
        self.special_known = True


class LazyTotal:
    """A roll in the odds, or the total made of it by adding numbers: a distribution and a constant."""

    __slots__ = ("conditional", "shift")

    def __init__(self, conditional: ConditionalDistribution, shift: int = 0) -> None:
        self.conditional = conditional
        self.shift = shift

    def __add__(self, number: int, /) -> LazyTotal:
        return LazyTotal(self.conditional, self.shift + number)

    @property
    def total(self) -> LazyTotal:
        """The total of the roll, which is the roll itself."""
        return self

    @property
    def zeros(self) -> LazyZeros:
        """The number of kept zeros, which `Dice.value` decides."""
        return LazyZeros(self.conditional)

    @property
    def mean_zeros(self) -> int | Fraction:
        """The mean of the kept zeros, given the decisions so far."""
        conditional = self.conditional
        if conditional.consumed:
            raise NeedsJointDistribution
        conditional.settle()
        return Fraction(sum(conditional.zeros), conditional.denominator) if conditional.zeros else 0

    @property
    def faces(self) -> Sequence[int]:
        """No faces are shown."""
        return ()


class LazyZeros:
    """How many zeros a roll in the odds keeps."""

    __slots__ = ("conditional",)

    def __init__(self, conditional: ConditionalDistribution) -> None:
        self.conditional = conditional


def shifted_range(values: range, shift: int) -> range:
    """The range with ``shift`` added to every value."""
    return range(values.start + shift, values.stop + shift)


def comparison_factors(low: int, weights: Weights, values: range, sign: int) -> list[int]:
    """For each of ``values``: the weight of the other side's totals that are lower (sign 1), equal (0) or higher (−1).

    The other side is given by its lowest total and its weights.
    """
    lower = _weights_below(low, weights, values)
    if sign > 0:
        return lower
    not_higher = _weights_below(low, weights, shifted_range(values, 1))
    if sign < 0:
        denominator = sum(weights)
        return [denominator - weight for weight in not_higher]
    return [weight - less for weight, less in zip(not_higher, lower, strict=True)]


def _weights_below(low: int, weights: Weights, values: range) -> list[int]:
    """For each of ``values``: the weight of the totals below it."""
    sums = [0, *accumulate(weights)]
    start, stop, size = values.start - low, values.stop - low, len(values)
    before, beyond = min(max(-start, 0), size), min(max(stop - len(sums), 0), size)
    return [0] * before + sums[max(start, 0) : max(stop, 0)] + sums[-1:] * beyond
