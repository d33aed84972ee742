"""Counting alone, from nothing: keep K of R d10, its total and kept zeros together, opposed totals, a seeded roll.

`odds.py` measures the whole reading. Here nothing is ruled and nothing is written: both sides are asked for the same exact
distribution, and what they answer is held to be the same before anything is timed. Both forget everything before each asking:
the caches of our functions, of icepool's and of its evaluators are emptied, and every pool is made anew; dyce keeps nothing from
one pool to another. What reading the clock costs is taken off both.
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
from tests.benchmarks.odds import caches, timed

ROUNDS, ASKED = 9, 11
"""How many turns there are, and how often each side is asked in its turn."""
DEAR, FEWER = 0.005, 7
"""From how many seconds on a rival is asked but once in its turn, and how many turns there are then."""
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
"""The chance of each outcome there is."""


@dataclass(frozen=True, slots=True)
class Question:
    """What both sides are asked, and how to read our answer."""

    kind: str
    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    read: Callable[[Any], Table]

    def agree(self) -> bool:
        """Whether both say the same."""
        return self.read(self.ours()) == by_rival(self.theirs())


class Both(icepool.MultisetEvaluator[int, tuple[int, int]]):  # type: ignore[misc]
    """The total and the kept zeros together, the way that is quickest for icepool: a third of what it takes to add vectors."""

    def next_state(self, state: Any, order: Any, outcome: Any, count: Any) -> tuple[int, int]:
        """Add the dice that show ``outcome``; a ten is a zero that ranks highest."""
        total, zeros = state or (0, 0)
        return total + outcome % 10 * count, zeros + count * (outcome % 10 == 0)


def table(ways: Iterable[tuple[Any, int]]) -> Table:
    """The chances of outcomes, by their ways."""
    found = {outcome: weight for outcome, weight in ways if weight}
    whole = sum(found.values())
    return {outcome: Fraction(weight, whole) for outcome, weight in found.items()}


def signs(one: Pool, other: Pool) -> tuple[int, int, int]:
    """In how many ways the one is equal, higher and lower."""
    mine, theirs = one.distribution(), other.distribution()
    higher, equal = compared(mine.low - theirs.low, mine.weights, theirs.weights)
    return equal, higher, mine.denominator * theirs.denominator - higher - equal


def by_sign(ways: tuple[int, int, int]) -> Table:
    """Their chances, by the sign of the difference."""
    return table(zip((0, 1, -1), ways, strict=True))


def by_total(found: Distribution) -> Table:
    """The chances of the totals."""
    return table(enumerate(found.weights, found.low))


def by_both(rows: tuple[tuple[int, ...], ...]) -> Table:
    """The chances of total and kept zeros."""
    return table(((total, zeros), ways) for zeros, row in enumerate(rows) for total, ways in enumerate(row))


def by_rival(die: Any) -> Table:
    """The chances a rival's die or histogram holds."""
    return table(die.items())


def kept(roll: int, keep: int) -> Question:
    """The totals of K of R."""

    def theirs() -> Any:
        return icepool.z(10).highest(roll, keep)

    return Question("keep", f"{roll}k{keep}", lambda: KeepPool(roll, keep, counted=False).distribution(), theirs, by_total)


def kept_in_dyce(dyce: Any, roll: int, keep: int) -> Question:
    """The same, asked of dyce."""

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
    """The same of sums."""

    def theirs() -> Any:
        return (count @ icepool.d6).cmp(against @ icepool.d6)

    return Question("sums", f"{count}d6 – {against}d6", lambda: signs(SumPool(count), SumPool(against)), theirs, by_sign)


def questions() -> list[Question]:
    """Every question there is."""
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
    """Four six-sided dice of a fresh seed, many times."""
    for seed in range(_SEEDED):
        SeededFaces(str(seed), "actor").draw_many(4, 6)


def pythons_by_seed() -> None:
    """The same by `random`."""
    for seed in range(_SEEDED):
        generator = random.Random(str(seed))
        for _ in range(4):
            generator.randint(1, 6)


def nothing() -> None:
    """What reading the clock costs."""


def ratio(question: Question, forget: list[Callable[[], object]]) -> float:
    """How many times as fast ours is: the median of the turns' ratios."""
    dear = timed(question.theirs, forget, 1) > DEAR
    times, rounds = (1, FEWER) if dear else (ASKED, ROUNDS)
    found = []
    for _ in range(rounds):
        bare, mine, theirs = timed(nothing, forget, ASKED), timed(question.ours, forget, ASKED), timed(question.theirs, forget, times)
        found.append((theirs - bare) / (mine - bare))
    return median(found)


def figures() -> list[Figure]:
    """Each ratio."""
    gc.disable()
    asked = questions()
    for question in asked:
        if not question.agree():
            raise SystemExit(f"{question.kind} {question.name}: the two do not agree")
    forget = caches()
    gc.freeze()
    found: dict[str, dict[str, float]] = {}
    for question in asked:
        found.setdefault(question.kind, {})[question.name] = ratio(question, forget)
    seeded = median(timed(ours_by_seed, [], ASKED) / timed(pythons_by_seed, [], ASKED) for _ in range(ROUNDS))
    gc.unfreeze()
    gc.enable()
    least = {kind: min(ratios.values()) for kind, ratios in found.items()}
    each = {kind: ", ".join(f"{name} {value:.0f}" for name, value in ratios.items()) for kind, ratios in found.items()}
    mean = prod(found["keep"].values()) ** (1 / len(KEPT))
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


def main() -> None:
    """Measure and print."""
    for figure in figures():
        print(f"{figure.name:75} {figure.value:8.2f} goal {figure.goal:g}{'' if figure.met else '  missed'}")
        if figure.note:
            print(f"    {figure.note}")


if __name__ == "__main__":
    main()
