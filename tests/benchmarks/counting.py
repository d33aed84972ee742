"""Counting alone, with empty caches: keep K of R d10, its total and kept zeros together, opposed totals, and a seeded roll.

Both sides compute the same exact distribution, which is compared before anything is timed. Before each run, our caches and icepool's
are emptied and pools are built again; dyce caches nothing between pools. The cost of reading the clock is subtracted.
"""

from __future__ import annotations

import gc
import importlib
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from statistics import median
from typing import Any

import icepool

from tablecall.dice.distribution import Distribution, compared
from tablecall.dice.keep import Choice, KeepPool
from tablecall.dice.pools import SumPool
from tablecall.dice.rng import SeededFaces
from tablecall.dice.source import Pool
from tests.benchmarks.measuring import Figure, rivals_site
from tests.benchmarks.odds import cache_clearers, timed

ROUNDS, REPEATS = 9, 11
"""Rounds, and runs of each side in a round."""
SLOW, SLOW_ROUNDS = 0.005, 7
"""A rival slower than this many seconds runs once in each of fewer rounds."""
KEPT = (
    *((roll, keep) for roll in range(2, 7) for keep in range(2, roll + 1)),
    *((10, keep) for keep in range(2, 11)),
    *((20, keep) for keep in (2, 3, 5, 8, 10, 15, 18, 20)),
    *((40, keep) for keep in (2, 3, 5, 10, 20, 30, 40)),
)
OPPOSED = ((10, 3, 8, 3), (10, 5, 8, 4), (5, 3, 5, 2), (20, 10, 20, 8))
JOINT: tuple[tuple[Choice, int, int], ...] = (
    *(("highest", roll, keep) for roll, keep in ((2, 2), (3, 2), (5, 3), (10, 3), (10, 5), (10, 10), (20, 5), (20, 10))),
    *(("mostZeros", roll, keep) for roll, keep in ((3, 2), (5, 3), (10, 3), (10, 5), (20, 10))),
)
DYCE = ((3, 2), (5, 3), (10, 2), (10, 3), (10, 5), (20, 5))
_SEEDED = 200

Table = dict[Any, Fraction]
"""The probability of each possible outcome."""


@dataclass(frozen=True, slots=True)
class Question:
    """What both sides compute, and how to read our result."""

    kind: str
    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    read: Callable[[Any], Table]

    def agree(self) -> bool:
        """Whether both results are equal."""
        return self.read(self.ours()) == table(self.theirs().items())


class Both(icepool.MultisetEvaluator[int, tuple[int, int]]):  # type: ignore[misc]
    """Total and kept zeros together, the fastest way in icepool: a third of the time of adding vectors."""

    def next_state(self, state: Any, order: Any, outcome: Any, count: Any) -> tuple[int, int]:
        """Add the dice that show ``outcome``. A ten is a zero that ranks highest."""
        total, zeros = state or (0, 0)
        return total + outcome % 10 * count, zeros + count * (outcome % 10 == 0)


def table(ways: Iterable[tuple[Any, int]]) -> Table:
    """Probabilities from weights."""
    weights = {outcome: weight for outcome, weight in ways if weight}
    total = sum(weights.values())
    return {outcome: Fraction(weight, total) for outcome, weight in weights.items()}


def signs(one: Pool, other: Pool) -> tuple[int, int, int]:
    """The weights of equal, higher and lower."""
    mine, theirs = one.distribution(), other.distribution()
    higher, equal = compared(mine.low - theirs.low, mine.weights, theirs.weights)
    return equal, higher, mine.denominator * theirs.denominator - higher - equal


def by_sign(ways: tuple[int, int, int]) -> Table:
    """Probabilities by the sign of the difference."""
    return table(zip((0, 1, -1), ways, strict=True))


def by_total(distribution: Distribution) -> Table:
    """Probabilities of totals."""
    return table(enumerate(distribution.weights, distribution.low))


def by_both(rows: tuple[tuple[int, ...], ...]) -> Table:
    """Probabilities of total and kept zeros."""
    return table(((total, zeros), ways) for zeros, row in enumerate(rows) for total, ways in enumerate(row))


def kept(roll: int, keep: int) -> Question:
    """The totals of K of R."""

    def theirs() -> Any:
        return icepool.z(10).highest(roll, keep)

    return Question("keep", f"{roll}k{keep}", lambda: KeepPool(roll, keep, counted=False).distribution(), theirs, by_total)


def kept_in_dyce(dyce: Any, roll: int, keep: int) -> Question:
    """The same in dyce."""

    def theirs() -> Any:
        return (roll @ dyce.P(dyce.H(range(10)))).at(slice(-keep, None))

    return Question("dyce", f"{roll}k{keep}", lambda: KeepPool(roll, keep, counted=False).distribution(), theirs, by_total)


def joint(both: Both, choice: Choice, roll: int, keep: int) -> Question:
    """The totals and the kept zeros of K of R together."""
    die = icepool.z if choice == "highest" else icepool.d

    def theirs() -> Any:
        return both(die(10).pool(roll).highest(keep))

    return Question("joint", f"{roll}k{keep} {choice}", lambda: KeepPool(roll, keep, choice).by_zeros(), theirs, by_both)


def opposed(r: int, k: int, s: int, n: int) -> Question:
    """Higher, equal or lower."""

    def ours() -> Any:
        return signs(KeepPool(r, k, counted=False), KeepPool(s, n, counted=False))

    def theirs() -> Any:
        return icepool.z(10).highest(r, k).cmp(icepool.z(10).highest(s, n))

    return Question("opposed", f"{r}k{k} – {s}k{n}", ours, theirs, by_sign)


def summed(count: int, against: int) -> Question:
    """The same for sums."""

    def theirs() -> Any:
        return (count @ icepool.d6).cmp(against @ icepool.d6)

    return Question("sums", f"{count}d6 – {against}d6", lambda: signs(SumPool(count), SumPool(against)), theirs, by_sign)


def questions() -> list[Question]:
    """Every question."""
    sys.path.append(str(rivals_site()))
    dyce, both = importlib.import_module("dyce"), Both()
    return [
        *(kept(*pool) for pool in KEPT),
        *(kept_in_dyce(dyce, *pool) for pool in DYCE),
        *(joint(both, *pool) for pool in JOINT),
        *(opposed(*pools) for pools in OPPOSED),
        summed(3, 2),
    ]


def ours_by_seed() -> None:
    """Many rolls of 4d6, each with its own seed."""
    for seed in range(_SEEDED):
        SeededFaces(str(seed), "actor").draw_many(4, 6)


def pythons_by_seed() -> None:
    """The same with `random`."""
    for seed in range(_SEEDED):
        generator = random.Random(str(seed))
        for _ in range(4):
            generator.randint(1, 6)


def nothing() -> None:
    """Measures what reading the clock costs."""


def ratio(question: Question, clearers: list[Callable[[], object]]) -> float:
    """How many times as fast ours is: the median over rounds."""
    slow = timed(question.theirs, clearers, 1) > SLOW
    repeats, rounds = (1, SLOW_ROUNDS) if slow else (REPEATS, ROUNDS)
    ratios = []
    for _ in range(rounds):
        clock, ours = timed(nothing, clearers, REPEATS), timed(question.ours, clearers, REPEATS)
        ratios.append((timed(question.theirs, clearers, repeats) - clock) / (ours - clock))
    return median(ratios)


def figures() -> list[Figure]:
    """Measure every ratio."""
    gc.disable()
    every = questions()
    for question in every:
        if not question.agree():
            raise SystemExit(f"{question.kind} {question.name}: the results differ")
    clearers = cache_clearers()
    gc.freeze()
    ratios: dict[str, dict[str, float]] = {}
    for question in every:
        ratios.setdefault(question.kind, {})[question.name] = ratio(question, clearers)
    seeded = median(timed(ours_by_seed, [], REPEATS) / timed(pythons_by_seed, [], REPEATS) for _ in range(ROUNDS))
    gc.unfreeze()
    gc.enable()
    least = {kind: min(values.values()) for kind, values in ratios.items()}
    each = {kind: ", ".join(f"{name} {value:.0f}" for name, value in values.items()) for kind, values in ratios.items()}
    mean = prod(ratios["keep"].values()) ** (1 / len(KEPT))
    return [
        Figure(
            "keep-least", f"counting the best K of R d10 against icepool, the least of {len(KEPT)}", least["keep"], 50, note=each["keep"]
        ),
        Figure("keep", "the same, geometric mean", mean, 90),
        Figure("keep-dyce", f"the same against dyce, the least of {len(DYCE)}", least["dyce"], 1, note=each["dyce"]),
        Figure("joint", "counting total and kept zeros together against icepool, the least", least["joint"], 30, note=each["joint"]),
        Figure("opposed", "counting opposed pools against icepool, the least of four", least["opposed"], 50, note=each["opposed"]),
        Figure("sums", "counting 3d6 against 2d6, against icepool", least["sums"], 80),
        Figure("seeded", "a seeded 4d6: times the cost of random.Random(seed) and randint", seeded, 0.2, more=False),
    ]
