"""Test vectors of the dice algorithm: seeds of every kind, with the faces any implementation must produce."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablecall.dice.rng import RNG, SeededFaces

_SEEDS: tuple[str | int, ...] = (
    42,
    0,
    -1,
    7,
    2**53 - 1,
    1 - 2**53,
    "42",
    "042",
    "4.2e1",
    "a",
    "A",
    " ",
    " padded ",
    "the alley",
    "a/b",
    "a/b/0",
    'quotes " and \\ backslash',
    "<&>'`$(x)%s{0}",
    "\u00a0",  # a no-break space
    "caf\u00e9",  # the accented letter as one code point …
    "cafe\u0301",  # … and as two: a different seed
    "ß",
    "ẞ",
    "Привет",
    "שלום",
    "مرحبا",
    "骰子",
    "サイコロ",
    "주사위",
    "पासा",
    "\u200d",  # a joiner, invisible
    "\ufeff",  # a byte order mark is treated as any other character
    "\uffff",
    "🎲",
    "👩‍🚀",
    "𝄞",
    "\U0010ffff",
    "0123456789abcdef0123456789abcdef",
    "x" * 256,
    "🎲" * 256,
)
_ROLLS = ("actor", "defender.damage", "combatants.12.tie1")
_LONG = (("42", "actor", 6, 1, 1_000), ("42", "actor", 10, 0, 1_000), ("🎲", "members.3", 6, 1, 300), ("", "", 10, 0, 64))
_COUNT = 12
_OTHER_DICE = ((2, 1), (3, 0), (4, 1), (8, 1), (10, 1), (12, 1), (20, 1), (100, 0), (100, 1))
"""Sides and lowest face of dice of other systems."""


def vectors() -> dict[str, Any]:
    """The document `schema/dice/vectors.json`: each vector is a seed, a roll, the key of its stream, and its first faces.

    Where ``lowest`` is left out, a d10 shows 0 to 9, and any other die starts at 1.
    """
    return {"rng": RNG, "vectors": list(_vectors())}


def _vectors() -> Iterator[dict[str, Any]]:
    for seed in _SEEDS:
        for roll in _ROLLS:
            for sides, lowest in ((6, 1), (10, 0)):
                yield _vector(seed, roll, sides, lowest, _COUNT)
    for text, roll, sides, lowest, count in _LONG:
        yield _vector(text, roll, sides, lowest, count)
    for sides, lowest in _OTHER_DICE:
        vector = _vector("42", "actor", sides, lowest, 64)
        yield {**vector, "lowest": lowest}


def _vector(seed: str | int, roll: str, sides: int, lowest: int, count: int) -> dict[str, Any]:
    stream = SeededFaces(str(seed), roll)
    faces = [stream.draw(sides, lowest) for _ in range(count)]
    return {"seed": seed, "roll": roll, "sides": sides, "key": stream.key.hex(), "faces": faces}
