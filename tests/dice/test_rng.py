"""The dice algorithm ``tablecall-1`` against a second implementation, written straight from its description.

That faces are even and independent is tested in test_fairness.py.
"""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice.rng import SeededFaces, fresh_seed

SEEDS = ["", "0", "1", "42", "the alley", "−7", "0" * 256, "ein Würfel 🎲", "9007199254740991"]
ROLLS = ["actor", "opponent", "attackers.0", "attackers.10", "defender.damage", "combatants.2.tie1"]


def naive(seed: str, roll: str, sides: list[int]) -> list[int]:
    """The algorithm as described: key, blocks, bytes, rejection."""
    key = sha256(b"tablecall-1\0" + seed.encode() + b"\0" + roll.encode()).digest()
    stream = (byte for i in range(10**6) for byte in sha256(key + i.to_bytes(8, "big")).digest())
    indices = [next(byte % s for byte in stream if byte < s * (256 // s)) for s in sides]
    return [index + lowest(s) for index, s in zip(indices, sides, strict=True)]


def lowest(sides: int) -> int:
    return 0 if sides in (10, 100) else 1


def drawn(seed: str, roll: str, sides: list[int]) -> list[int]:
    stream = SeededFaces(seed, roll)
    return [stream.draw(s, lowest(s)) for s in sides]


def first_byte(seed: str) -> int:
    key = sha256(f"tablecall-1\0{seed}\0actor".encode()).digest()
    return sha256(key + bytes(8)).digest()[0]


@pytest.mark.parametrize(
    ("roll", "sides", "faces"),
    [
        ("actor", 6, [2, 2, 5, 2, 1, 5, 5, 3]),
        ("actor", 10, [7, 9, 2, 1, 8, 0, 4, 4]),
        ("defender", 6, [5, 4, 6, 5, 1, 5, 2, 5]),
    ],
)
def test_published_faces_of_seed_42(roll: str, sides: int, faces: list[int]) -> None:
    assert drawn("42", roll, [sides] * 8) == naive("42", roll, [sides] * 8) == faces


@pytest.mark.parametrize("roll", ROLLS)
@pytest.mark.parametrize("seed", SEEDS)
def test_matches_the_description_across_many_blocks(seed: str, roll: str) -> None:
    for sides in ([6] * 200, [10] * 200, [6, 10, 10] * 70):
        assert drawn(seed, roll, sides) == naive(seed, roll, sides)


@given(
    seed=st.text(st.characters(exclude_categories=["Cs"]), max_size=256),
    roll=st.text("abcdefghijklmnopqrstuvwxyz.0123456789", min_size=1, max_size=80),
    sides=st.lists(st.integers(2, 100), max_size=100),
)
def test_matches_the_description_for_any_seed_and_roll(seed: str, roll: str, sides: list[int]) -> None:
    assert drawn(seed, roll, sides) == naive(seed, roll, sides)


@given(
    seed=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    draws=st.lists(st.tuples(st.integers(0, 70), st.integers(2, 100)), max_size=8),
)
def test_draw_many_gives_the_faces_drawn_one_by_one(seed: str, draws: list[tuple[int, int]]) -> None:
    stream = SeededFaces(seed, "actor")
    several = [face for count, sides in draws for face in stream.draw_many(count, sides, lowest(sides))]
    assert several == naive(seed, "actor", [sides for count, sides in draws for _ in range(count)])


def test_draw_many_replaces_bytes_rejected_at_the_end_of_a_block() -> None:
    ends = [sha256(sha256(f"tablecall-1\0{seed}\0actor".encode()).digest() + bytes(8)).digest()[-1] for seed in range(1500)]
    seed = str(ends.index(255))
    for count in (31, 32, 33, 64, 65):
        stream = SeededFaces(seed, "actor")
        assert [*stream.draw_many(count, 6), *stream.draw_many(5, 10, 0)] == naive(seed, "actor", [6] * count + [10] * 5)


@pytest.mark.parametrize(("sides", "rejected"), [(2, range(0)), (6, range(252, 256)), (10, range(250, 256)), (100, range(200, 256))])
def test_bytes_that_would_bias_a_die_are_rejected(sides: int, rejected: range) -> None:
    seeds = [str(number) for number in range(1500)]
    assert {first_byte(seed) for seed in seeds} == set(range(256))
    for seed in seeds:
        byte = first_byte(seed)
        face = drawn(seed, "actor", [sides])
        assert face == naive(seed, "actor", [sides])
        if byte not in rejected:
            assert face == [byte % sides + lowest(sides)]


def test_reroll_continues_the_sequence() -> None:
    stream = SeededFaces("42", "actor")
    assert [stream.draw(6), stream.draw(6), stream.redraw(1, 6), stream.redraw(0, 6), stream.draw(6)] == [2, 2, 5, 2, 1]


def test_seed_and_roll_are_separated() -> None:
    assert drawn("a", "bc", [6] * 30) != drawn("ab", "c", [6] * 30)


@pytest.mark.parametrize("sides", [1, 101])
def test_impossible_dice_are_refused(sides: int) -> None:
    with pytest.raises(ValueError, match=str(sides)):
        SeededFaces("42", "actor").draw(sides)


def test_fresh_seed_is_128_bits_of_text() -> None:
    seeds = {fresh_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert all(len(seed) == 32 and int(seed, 16) >= 0 for seed in seeds)
