"""A million faces of each die, counted: none is favoured, none follows another, and neighbours in seed or name share nothing.

The seeds are fixed, so what passes once passes always; the limits are what chance exceeds once in a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import pytest

from tablecall.dice.rng import LOWEST_FACE, SeededFaces

FACES = 1_000_000
LIMIT = {5: 20.52, 9: 27.88, 35: 66.62, 99: 148.23}
"""Chi-square that chance exceeds once in a thousand, by degrees of freedom."""


def drawn(seed: str, roll: str, sides: int, count: int) -> list[int]:
    stream = SeededFaces(seed, roll)
    return [stream.draw(sides) for _ in range(count)]


def chi_square(seen: Iterable[object], cells: Sequence[object]) -> float:
    counts = Counter(seen)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    return sum((counts[cell] - expected) ** 2 for cell in cells) / expected


def faces(sides: int) -> range:
    return range(LOWEST_FACE[sides], LOWEST_FACE[sides] + sides)


@pytest.mark.parametrize("sides", [6, 10])
def test_a_million_faces_favour_none_and_follow_none(sides: int) -> None:
    seen = drawn("a million", "actor", sides, FACES)
    pairs = list(product(faces(sides), repeat=2))
    assert chi_square(seen, faces(sides)) < LIMIT[sides - 1]
    assert chi_square(zip(seen[::2], seen[1::2], strict=True), pairs) < LIMIT[sides * sides - 1]
    # … nor the one a whole block of 32 bytes before.
    assert chi_square(zip(seen[:-32], seen[32:], strict=True), pairs) < LIMIT[sides * sides - 1]


@pytest.mark.parametrize("sides", [6, 10])
def test_neighbouring_seeds_share_nothing(sides: int) -> None:
    """The first faces of 0, 1, 2 …: as callers that count their rolls would seed them."""
    first = [SeededFaces(str(number), "actor").draw(sides) for number in range(100_000)]
    pairs = list(product(faces(sides), repeat=2))
    assert chi_square(first, faces(sides)) < LIMIT[sides - 1]
    assert chi_square(zip(first[::2], first[1::2], strict=True), pairs) < LIMIT[sides * sides - 1]


@pytest.mark.parametrize("sides", [6, 10])
@pytest.mark.parametrize("names", [("actor", "opponent"), ("attackers.0", "attackers.1"), ("defender", "defender.damage")])
def test_neighbouring_rolls_share_nothing(names: tuple[str, str], sides: int) -> None:
    """Attack and defence of one seed, over many seeds."""
    pairs = ((SeededFaces(str(seed), names[0]).draw(sides), SeededFaces(str(seed), names[1]).draw(sides)) for seed in range(50_000))
    assert chi_square(pairs, list(product(faces(sides), repeat=2))) < LIMIT[sides * sides - 1]


def test_a_loaded_die_would_be_found() -> None:
    """One byte in 256 too many for a single face: what reading ``b mod s`` without throwing bytes away would do."""
    loaded = [byte % 6 for byte in range(256)] * (FACES // 256)
    assert chi_square(loaded, range(6)) > LIMIT[5]
