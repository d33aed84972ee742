"""The exact distribution of one quantity: integer weights by total; and two of them compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import NamedTuple


class Chances(NamedTuple):
    """``weights[i]`` of ``whole`` equally likely ways give the total ``low + i``; the first and last weight are not 0.

    ``zeros[i]`` is the number of kept zeros summed over those ways (``None``: the quantity keeps no count of zeros).
    ``dismal`` ways show nothing but zeros; ``dramatic`` ways keep nothing but zeros while another face was rolled.
    Both kinds have the total 0 and are part of its weight.
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
    Below its total i lie the first i + ``gap`` weights of the other: all of them, from the end of their sums on.
    """
    below = list(accumulate(other, initial=0))
    mine, theirs = one[max(-gap, 0) :], max(gap, 0)
    beyond = mine[max(len(below) - theirs, 0) :]
    return sum(map(mul, mine, below[theirs:])) + sum(beyond) * below[-1], sum(map(mul, mine, other[theirs:]))
