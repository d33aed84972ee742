"""The exact distribution of one quantity: integer weights by total."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chances:
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
