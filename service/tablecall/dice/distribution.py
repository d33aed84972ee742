"""The exact distribution of one quantity: integer weights by total; and two of them compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul


@dataclass(slots=True)
class Distribution:
    """``weights[i]`` of ``whole`` equally likely ways give the total ``low + i``; the first and last weight are not 0.

    ``zeros[i]`` is the number of kept zeros summed over those ways (``None``: the quantity keeps no count of zeros).
    ``dismal`` ways show nothing but zeros; ``dramatic`` ways keep nothing but zeros while another face was rolled.
    Both kinds have the total 0 and are part of its weight. Whoever asks for the same gets the same: it is never changed.
    """

    low: int
    weights: tuple[int, ...]
    whole: int
    zeros: tuple[int, ...] | None = None
    dismal: int = 0
    dramatic: int = 0


def compared(gap: int, one: Sequence[int], other: Sequence[int]) -> tuple[int, int]:
    """In how many ways one of two independent totals is the higher, and in how many they are equal.

    Each is given by its weights, from its lowest total up; ``gap`` is what the lowest total of ``one`` is more than the other's.
    The total at place i of ``one`` is above the first i + ``gap`` of the other, and so above all of them where these end.
    """
    below = [0, *accumulate(other)]
    whole = below[-1]
    if gap < 0:
        one = one[-gap:]
    else:
        below, other = below[gap:], other[gap:]
    return sum(map(mul, one, below)) + sum(one[len(below) :]) * whole, sum(map(mul, one, other))
