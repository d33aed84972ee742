"""A million faces of each die are even and independent, also for neighbouring seeds and roll names.

The seeds are fixed, so the tests are deterministic. A fair die exceeds the limits once in a thousand times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import pytest

from tablecall.dice.rng import SeededFaces

FACES = 1_000_000
LOWEST = {6: 1, 10: 0}
LIMIT = {5: 20.52, 9: 27.88, 35: 66.62, 99: 148.23}
"""The chi-square value exceeded once in a thousand times, by degrees of freedom."""


def drawn(seed: str, roll: str, sides: int, count: int) -> list[int]:
    stream = SeededFaces(seed, roll)
    return [stream.draw(sides, LOWEST[sides]) for _ in range(count)]


def chi_square(seen: Iterable[object], cells: Sequence[object]) -> float:
    counts = Counter(seen)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    return sum((counts[cell] - expected) ** 2 for cell in cells) / expected


def faces(sides: int) -> range:
    return range(LOWEST[sides], LOWEST[sides] + sides)


@pytest.mark.parametrize("sides", [6, 10])
def test_a_million_faces_are_even_and_independent(sides: int) -> None:
    seen = drawn("a million", "actor", sides, FACES)
    pairs = list(product(faces(sides), repeat=2))
    assert chi_square(seen, faces(sides)) < LIMIT[sides - 1]
    assert chi_square(zip(seen[::2], seen[1::2], strict=True), pairs) < LIMIT[sides * sides - 1]
    # also of the face one block of 32 bytes before
    assert chi_square(zip(seen[:-32], seen[32:], strict=True), pairs) < LIMIT[sides * sides - 1]


@pytest.mark.parametrize("sides", [6, 10])
def test_neighbouring_seeds_are_independent(sides: int) -> None:
    """The first faces of the seeds 0, 1, 2 …, which callers that count their rolls would send."""
    first = [SeededFaces(str(number), "actor").draw(sides, LOWEST[sides]) for number in range(100_000)]
    pairs = list(product(faces(sides), repeat=2))
    assert chi_square(first, faces(sides)) < LIMIT[sides - 1]
    assert chi_square(zip(first[::2], first[1::2], strict=True), pairs) < LIMIT[sides * sides - 1]


@pytest.mark.parametrize("sides", [6, 10])
@pytest.mark.parametrize("names", [("actor", "opponent"), ("attackers.0", "attackers.1"), ("defender", "defender.damage")])
def test_neighbouring_rolls_are_independent(names: tuple[str, str], sides: int) -> None:
    """Two rolls of one seed, over many seeds."""
    pairs = (
        (SeededFaces(str(seed), names[0]).draw(sides, LOWEST[sides]), SeededFaces(str(seed), names[1]).draw(sides, LOWEST[sides]))
        for seed in range(50_000)
    )
    assert chi_square(pairs, list(product(faces(sides), repeat=2))) < LIMIT[sides * sides - 1]


def test_biased_die_is_detected() -> None:
    """One face gets one byte in 256 too many, as ``b mod s`` without rejection would give."""
    loaded = [byte % 6 for byte in range(256)] * (FACES // 256)
    assert chi_square(loaded, range(6)) > LIMIT[5]
