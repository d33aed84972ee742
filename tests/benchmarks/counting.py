"""Counting alone, from nothing: keep K of R d10, opposed totals, a seeded roll; ours against icepool and Python's own generator.

`odds.py` measures the whole reading. Here nothing is ruled and nothing is written: only the exact weights are counted.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from itertools import accumulate
from math import prod
from statistics import median
from typing import Any

import icepool

from service.dice.chances import Chances
from service.dice.keep import Keep
from service.dice.stream import Stream
from service.dice.sums import Sum
from tests.benchmarks.measuring import Figure
from tests.benchmarks.odds import caches, timed

ROUNDS = 15
KEPT = ((3, 2), (5, 2), (5, 3), (10, 2), (10, 3), (10, 5), (10, 8), (20, 5), (20, 10), (40, 10))
OPPOSED = ((10, 3, 8, 3), (10, 5, 8, 4), (5, 3, 5, 2), (20, 10, 20, 8))
_SEEDED = 200


def compared(one: Chances, other: Chances) -> tuple[int, int]:
    """In how many ways one is higher, and equal."""
    below = [0, *accumulate(other.weights)]
    higher = equal = 0
    for total, ways in enumerate(one.weights, one.low - other.low):
        higher += ways * below[min(max(total, 0), len(other.weights))]
        equal += ways * other.weights[total] if 0 <= total < len(other.weights) else 0
    return higher, equal


def ours_by_seed() -> None:
    """Four six-sided dice of a fresh seed, many times."""
    for seed in range(_SEEDED):
        stream = Stream(str(seed), "actor")
        for _ in range(4):
            stream.first(6)


def pythons_by_seed() -> None:
    """The same by `random`."""
    for seed in range(_SEEDED):
        generator = random.Random(str(seed))
        for _ in range(4):
            generator.randint(1, 6)


def ratio(mine: Callable[[], Any], theirs: Callable[[], Any], forget: list[Callable[[], object]]) -> float:
    """How many times as fast ours is: the median of the turns' ratios."""
    return median(1 / (timed(mine, forget) / timed(theirs, forget)) for _ in range(ROUNDS))


def figures() -> list[Figure]:
    """Each ratio."""
    gc.disable()
    asks: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for roll, keep in KEPT:
        asks[f"{roll}k{keep}"] = (
            lambda roll=roll, keep=keep: Keep(roll, keep).chances(),  # type: ignore[misc]
            lambda roll=roll, keep=keep: icepool.z(10).highest(roll, keep),  # type: ignore[misc]
        )
    for r, k, s, n in OPPOSED:
        asks[f"{r}k{k} – {s}k{n}"] = (
            lambda r=r, k=k, s=s, n=n: compared(Keep(r, k).chances(), Keep(s, n).chances()),  # type: ignore[misc]
            lambda r=r, k=k, s=s, n=n: icepool.z(10).highest(r, k).cmp(icepool.z(10).highest(s, n)),  # type: ignore[misc]
        )
    asks["3d6 – 2d6"] = (
        lambda: compared(Sum(3).chances(), Sum(2).chances()),
        lambda: (3 @ icepool.d6).cmp(2 @ icepool.d6),
    )
    for mine, theirs in asks.values():
        mine(), theirs()
    forget = caches()
    gc.freeze()
    found = {name: ratio(mine, theirs, forget) for name, (mine, theirs) in asks.items()}
    seeded = median(timed(ours_by_seed, []) / timed(pythons_by_seed, []) for _ in range(ROUNDS))
    gc.unfreeze()
    gc.enable()
    kept = [found[f"{roll}k{keep}"] for roll, keep in KEPT]
    opposed = {name: value for name, value in found.items() if "–" in name and "k" in name}
    each = ", ".join(f"{name} {value:.0f}" for name, value in found.items())
    return [
        Figure("keep-least", "counting the best K of R d10 against icepool, the least of ten", min(kept), 50, note=each),
        Figure("keep", "the same, geometric mean", prod(kept) ** (1 / len(kept)), 90),
        Figure("opposed", "counting opposed pools against icepool, the least of four", min(opposed.values()), 50),
        Figure("sums", "counting 3d6 against 2d6, against icepool", found["3d6 – 2d6"], 80),
        Figure("seeded", "a seeded 4d6: times the cost of random.Random(seed) and randint", seeded, 0.2, more=False),
    ]


def main() -> None:
    """Measure and print."""
    for figure in figures():
        print(f"{figure.name:75} {figure.value:8.2f} goal {figure.goal:g}{'' if figure.met else '  missed'}")
        if figure.note:
            print(f"    {figure.note}")


if __name__ == "__main__":
    main()
