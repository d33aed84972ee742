"""The exact distribution of one roll as integer weights, and the comparison of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul


@dataclass(slots=True)
class Distribution:
    """The total ``low + i`` has the probability ``weights[i] / denominator``; the first and last weight are not 0.

    ``zeros[i]`` is the sum of kept zeros over the ``weights[i]`` equally likely results (``None``: the pool counts no zeros).
    ``dismal`` results show only zeros; ``dramatic`` results keep only zeros although another face was rolled. Both have the total 0
    and are part of its weight. Instances are shared: do not change them.
    """

    low: int
    weights: tuple[int, ...]
    denominator: int
    zeros: tuple[int, ...] | None = None
    dismal: int = 0
    dramatic: int = 0


def compared(gap: int, left: Sequence[int], right: Sequence[int]) -> tuple[int, int]:
    """The weights of ``left`` being higher than ``right``, and of both being equal. The two are independent.

    Each is given by its weights from its lowest total up. ``gap`` is the lowest total of ``left`` minus the lowest total of ``right``.
    The total at index i of ``left`` is therefore above the first i + ``gap`` totals of ``right``, or above all of them.
    """
    below = [0, *accumulate(right)]
    right_sum = below[-1]
    if gap < 0:
        left = left[-gap:]
    else:
        below, right = below[gap:], right[gap:]
    return sum(map(mul, left, below)) + sum(left[len(below) :]) * right_sum, sum(map(mul, left, right))
