"""Pools that are summed: reading faces, and the distribution against an enumeration and icepool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice.distribution import compared
from tablecall.dice.faces import Die, FaceSource
from tablecall.dice.pools import SumPool, Until, run, slot_size, unpack
from tablecall.model.text import CATALOGUE, Scope


class Listed(FaceSource):
    """Faces from a list, for base dice and re-rolls; remembers which dice were re-rolled."""

    def __init__(self, faces: Iterable[int]) -> None:
        self.faces = iter(faces)
        self.rerolled: list[int] = []

    def draw(self, sides: int, lowest: int = 1) -> int:
        return next(self.faces)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        self.rerolled.append(index)
        return next(self.faces)


def table(pool: SumPool) -> dict[int, int]:
    distribution = pool.distribution()
    assert 0 not in (distribution.weights[0], distribution.weights[-1])
    return {total: ways for total, ways in enumerate(distribution.weights, distribution.low) if ways}


def naive(count: int, reroll: tuple[int, ...], until: Until, sides: int) -> Counter[int]:
    """The weights by total from a list of every result: each die is a pair of throws (once) or any face that may stay (clear)."""
    faces = range(1, sides + 1)
    die = [second if first in reroll else first for first, second in product(faces, faces)] if reroll else list(faces)
    if until == "clear":
        die = [face for face in faces if face not in reroll]
    return Counter(sum(dice) for dice in product(die, repeat=count))


class TestRead:
    def test_adds_faces_and_modifier(self) -> None:
        result = SumPool(3, 2).read(Listed([6, 1, 4]))
        assert result.dice == [Die(6, 6), Die(6, 1), Die(6, 4)]
        assert (result.total, result.modifier, result.zeros, result.special) == (13, 2, 0, None)

    def test_rerolls_once_after_all_base_dice(self) -> None:
        faces = Listed([1, 5, 1, 1, 3])
        result = SumPool(3, reroll=(1,)).read(faces)
        assert result.dice == [Die(6, 1, replaced=[1]), Die(6, 5), Die(6, 3, replaced=[1])]
        assert result.total == 9
        assert faces.rerolled == [0, 2]

    def test_rerolls_until_clear(self) -> None:
        faces = Listed([6, 6, 1, 6, 2, 5])
        result = SumPool(2, -1, (1, 6), "clear").read(faces)
        assert result.dice == [Die(6, 2, replaced=[6, 1, 6]), Die(6, 5, replaced=[6])]
        assert result.total == 6
        assert faces.rerolled == [0, 0, 0, 1]

    def test_no_dice_give_the_modifier(self) -> None:
        result = SumPool(0, 4).read(Listed([]))
        assert (result.dice, result.total) == ([], 4)


@pytest.mark.parametrize(
    ("pool", "needs"),
    [
        (SumPool(3, 2), "3d6"),
        (SumPool(2, reroll=(1,)), "2d6, then one more for each die that shows 1"),
        (SumPool(2, reroll=(1, 6), until="clear"), "2d6, then more for each die that shows 1/6, until it does not"),
    ],
)
def test_needs_in_words(pool: SumPool, needs: str) -> None:
    assert CATALOGUE.render(*pool.needs, Scope()).text == needs


class TestDistribution:
    @pytest.mark.parametrize("count", range(4))
    @pytest.mark.parametrize("sides", [3, 4])
    @pytest.mark.parametrize("reroll", [(), (1,), (3,), (1, 3), (2,), (3, 1, 1), (1, 2)])
    @pytest.mark.parametrize("until", ["once", "clear"])
    def test_equals_an_enumeration(self, count: int, sides: int, reroll: tuple[int, ...], until: Until) -> None:
        pool = SumPool(count, 0, reroll, until, sides)
        ways = naive(count, reroll, until, sides)
        assert table(pool) == ways
        assert pool.distribution().denominator == ways.total()

    def test_all_faces_may_be_rerolled_once(self) -> None:
        assert table(SumPool(1, reroll=(1, 2, 3, 4, 5, 6))) == dict.fromkeys(range(1, 7), 6)

    def test_faces_not_on_the_die_are_ignored(self) -> None:
        assert SumPool(2, reroll=(0, 7)).distribution() == SumPool(2).distribution()

    def test_modifier_only_shifts_the_distribution(self) -> None:
        plain, moved = SumPool(2).distribution(), SumPool(2, -9).distribution()
        assert (plain.low, moved.low, moved.weights, moved.denominator) == (2, -7, plain.weights, 36)

    def test_distribution_is_cached(self) -> None:
        assert SumPool(3, 1).distribution() is SumPool(3, 1).distribution()

    @pytest.mark.parametrize("count", [1, 2, 3, 10, 32])
    def test_agrees_with_icepool(self, count: int) -> None:
        assert table(SumPool(count)) == dict(count @ icepool.d6)
        once = icepool.d6.reroll([1, 6], depth=1)
        assert table(SumPool(count, 5, (1, 6))) == scaled(count @ once + 5, 36**count)

    def test_other_dice(self) -> None:
        assert table(SumPool(2, sides=10)) == dict(2 @ icepool.d10)


def scaled(die: icepool.Die[int], denominator: int) -> dict[int, int]:
    """The die's quantities over this denominator."""
    return {outcome: ways * denominator // die.denominator() for outcome, ways in die.items()}


@given(
    count=st.integers(0, 32),
    modifier=st.integers(-50, 50),
    reroll=st.lists(st.integers(1, 6), max_size=5, unique=True).map(tuple),
    until=st.sampled_from(["once", "clear"]),
    data=st.data(),
)
def test_random_result_is_in_the_distribution(
    count: int, modifier: int, reroll: tuple[int, ...], until: Until, data: st.DataObject
) -> None:
    pool = SumPool(count, modifier, reroll, until)
    stays = st.integers(1, 6).filter(lambda face: until == "once" or face not in reroll)
    first = data.draw(st.lists(st.integers(1, 6), min_size=count, max_size=count))
    again = data.draw(st.lists(stays, min_size=count, max_size=count))
    result = pool.read(Listed([*first, *again]))
    distribution = pool.distribution()
    assert sum(distribution.weights) == distribution.denominator
    assert result.total == sum(die.face for die in result.dice) + modifier
    assert table(pool)[result.total] > 0


@given(counts=st.lists(st.integers(0, 2**70), max_size=8))
def test_unpack_reverses_packing(counts: list[int]) -> None:
    size = slot_size(max(counts, default=0))
    packed = sum(ways << 8 * size * place for place, ways in enumerate(counts))
    assert unpack(packed, size, len(counts)) == tuple(counts)


@pytest.mark.parametrize(
    ("largest", "size"),
    [(0, 1), (255, 1), (256, 2), (2**16 - 1, 2), (2**16, 4), (2**32 - 1, 4), (2**32, 8), (2**64 - 1, 8), (2**64, 9), (2**72, 10)],
)
def test_slot_is_a_machine_integer_if_it_fits(largest: int, size: int) -> None:
    assert slot_size(largest) == size
    assert unpack(largest << 8 * size | largest, size, 3) == (largest, largest, 0)


@given(length=st.integers(1, 12), slot=st.integers(8, 80))
def test_run_has_a_one_in_each_slot(length: int, slot: int) -> None:
    assert run(length, slot) == sum(1 << slot * place for place in range(length))


@given(
    gap=st.integers(-12, 12),
    one=st.lists(st.integers(0, 2**70), min_size=1, max_size=8),
    other=st.lists(st.integers(0, 2**70), min_size=1, max_size=8),
)
def test_compared_equals_an_enumeration(gap: int, one: list[int], other: list[int]) -> None:
    higher = equal = 0
    for (total, ways), (against, more) in product(enumerate(one, gap), enumerate(other)):
        higher += ways * more * (total > against)
        equal += ways * more * (total == against)
    assert compared(gap, one, other) == (higher, equal)


@pytest.mark.parametrize(("count", "against"), [(3, 2), (2, 3), (1, 1), (1, 32), (32, 1), (10, 9)])
def test_compared_agrees_with_icepool(count: int, against: int) -> None:
    one, other = SumPool(count).distribution(), SumPool(against).distribution()
    higher, equal = compared(one.low - other.low, one.weights, other.weights)
    signs = (count @ icepool.d6).cmp(against @ icepool.d6)
    denominator = one.denominator * other.denominator
    assert scaled(signs, denominator) == {
        sign: ways for sign, ways in ((1, higher), (0, equal), (-1, denominator - higher - equal)) if ways
    }


@pytest.mark.parametrize(("reroll", "until"), [((), "once"), ((0,), "once"), ((0, 19), "clear")])
@pytest.mark.parametrize("lowest", [0, 1])
def test_dice_of_any_size_from_any_lowest_face(lowest: int, reroll: tuple[int, ...], until: Until) -> None:
    """The distribution is that of the same dice starting at 1, moved, with the faces to re-roll moved too."""
    pool = SumPool(2, 3, reroll, until, 20, lowest)
    usual = SumPool(2, 3, tuple(face + 1 - lowest for face in reroll), until, 20)
    shift = 2 * (lowest - 1)
    assert pool.distribution().low == usual.distribution().low + shift
    assert pool.distribution().weights == usual.distribution().weights
    rolled = SumPool(2, 3, (), "once", 20, lowest).read(Listed([lowest, lowest + 19]))
    assert [die.lowest for die in rolled.dice] == [lowest, lowest]
    assert rolled.total == 2 * lowest + 19 + 3
