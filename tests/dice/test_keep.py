"""Pools of d10 of which some are kept: reading faces, and the distribution against enumerations and icepool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product
from math import factorial, prod

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import FaceSource, Special
from tablecall.dice.keep import Choice, KeepPool, choices

CHOICES: tuple[Choice, ...] = ("highest", "mostZeros", "mostZerosThatSucceed")


class Listed(FaceSource):
    """Faces from a list."""

    def __init__(self, faces: Iterable[int]) -> None:
        self.faces = iter(faces)

    def draw(self, sides: int, lowest: int = 1) -> int:
        assert sides == 10
        return next(self.faces)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        raise AssertionError


def naive(faces: Sequence[int], keep: int, choice: Choice, beat: int = 0) -> tuple[int, ...]:
    """The faces kept: the best of all possible hands, in the words of the rule."""
    hands = list(combinations(faces, min(keep, len(faces))))
    allowed = [hand for hand in hands if sum(hand) >= beat] if choice == "mostZerosThatSucceed" else hands
    if choice == "highest" or not allowed:
        return max(hands, key=sum)
    return max(allowed, key=lambda hand: (hand.count(0), sum(hand)))


def unordered_results(roll: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every set of faces, and the number of its orders."""
    for faces in combinations_with_replacement(range(10), roll):
        yield faces, factorial(roll) // prod(map(factorial, Counter(faces).values()))


def counted(hands: Iterable[tuple[Sequence[int], Sequence[int], int]], roll: int, kept: int) -> Distribution:
    """The distribution of (faces, kept faces, weight), added up one by one."""
    weights, zeros, special = Counter[int](), Counter[int](), Counter[str]()
    for faces, hand, ways in hands:
        weights[sum(hand)] += ways
        zeros[sum(hand)] += ways * hand.count(0)
        special["dismal"] += ways * (bool(faces) and not any(faces))
        special["dramatic"] += ways * (bool(hand) and not any(hand) and any(faces))
    totals = range(9 * kept + 1)
    return Distribution(
        0,
        tuple(weights[total] for total in totals),
        10**roll,
        tuple(zeros[total] for total in totals),
        special["dismal"],
        special["dramatic"],
    )


def beats(choice: Choice, kept: int) -> Iterable[int]:
    """Every number to beat that makes a difference, and a few that do not."""
    return range(-1, 9 * kept + 3) if choice == "mostZerosThatSucceed" else [0]


def kept_faces(keep: KeepPool, faces: Sequence[int]) -> list[int]:
    return [die.face for die in keep.read(Listed(faces)).dice if die.kept]


class TestRead:
    def test_keeps_the_highest_leftmost_of_equals(self) -> None:
        result = KeepPool(5, 2).read(Listed([4, 7, 4, 0, 4]))
        assert [die.face for die in result.dice] == [4, 7, 4, 0, 4]
        assert [die.kept for die in result.dice] == [True, True, False, False, False]
        assert {die.sides for die in result.dice} == {10}
        assert (result.total, result.modifier, result.zeros, result.special) == (11, 0, 0, None)

    def test_keeps_all_if_keep_exceeds_roll(self) -> None:
        result = KeepPool(2, 5).read(Listed([0, 8]))
        assert (result.total, result.zeros, all(die.kept for die in result.dice)) == (8, 1, True)

    def test_keeps_zeros_first(self) -> None:
        result = KeepPool(5, 3, "mostZeros").read(Listed([3, 0, 9, 0, 9]))
        assert [die.kept for die in result.dice] == [False, True, True, True, False]
        assert (result.total, result.zeros) == (9, 2)

    @pytest.mark.parametrize(
        ("beat", "kept"), [(None, [0, 0, 9]), (9, [0, 0, 9]), (10, [0, 9, 6]), (15, [0, 9, 6]), (16, [9, 6, 3]), (19, [9, 6, 3])]
    )
    def test_keeps_as_many_zeros_as_succeed(self, beat: int | None, kept: list[int]) -> None:
        keep = KeepPool(5, 3, "mostZerosThatSucceed", beat)
        assert sorted(kept_faces(keep, [3, 0, 9, 0, 6])) == sorted(kept)

    def test_positions_override_the_choice(self) -> None:
        result = KeepPool(4, 2, "highest", positions=(3, 0)).read(Listed([0, 9, 9, 2]))
        assert [die.kept for die in result.dice] == [True, False, False, True]
        assert (result.total, result.zeros) == (2, 1)

    @pytest.mark.parametrize(
        ("keep", "faces", "special"),
        [
            (KeepPool(3, 2), [0, 0, 0], "dismal"),
            (KeepPool(3, 0), [0, 0, 0], "dismal"),
            (KeepPool(3, 0), [0, 1, 0], None),
            (KeepPool(0, 3), [], None),
            (KeepPool(3, 2), [0, 1, 0], None),
            (KeepPool(3, 2, "mostZeros"), [0, 1, 0], "dramatic"),
            (KeepPool(3, 2, positions=(0, 2)), [0, 1, 0], "dramatic"),
            (KeepPool(3, 2, positions=(0, 1)), [0, 1, 0], None),
        ],
    )
    def test_dismal_and_dramatic(self, keep: KeepPool, faces: list[int], special: Special | None) -> None:
        assert keep.read(Listed(faces)).special == special

    @pytest.mark.parametrize("choice", CHOICES)
    @pytest.mark.parametrize("roll", range(4))
    def test_every_small_result(self, roll: int, choice: Choice) -> None:
        for faces, keep in product(product((0, 1, 2, 5, 9), repeat=roll), range(roll + 2)):
            for beat in beats(choice, min(keep, roll)):
                assert sorted(kept_faces(KeepPool(roll, keep, choice, beat), faces)) == sorted(naive(faces, keep, choice, beat))


class TestChoices:
    @pytest.mark.parametrize(
        ("faces", "keep", "expected"),
        [
            ([], 3, [()]),
            ([5, 6], 0, [()]),
            ([5, 9, 9], 2, [(1, 2)]),
            ([3, 0, 9, 0, 9], 3, [(0, 2, 4), (1, 2, 4), (1, 2, 3)]),
            ([0, 4, 0, 0], 2, [(0, 1), (0, 2)]),
            ([0, 7], 5, [(0, 1)]),
            ([0, 0, 0], 2, [(0, 1)]),
        ],
    )
    def test_choices_from_fewest_zeros_to_most(self, faces: list[int], keep: int, expected: list[tuple[int, ...]]) -> None:
        assert choices(faces, keep) == expected

    @given(faces=st.lists(st.integers(0, 9), max_size=12), keep=st.integers(0, 14))
    def test_choices_trade_total_for_zeros(self, faces: list[int], keep: int) -> None:
        hands = [[faces[index] for index in positions] for positions in choices(tuple(faces), keep)]
        zeros, totals = [hand.count(0) for hand in hands], [sum(hand) for hand in hands]
        assert zeros == list(range(zeros[0], zeros[0] + len(hands)))
        assert totals == sorted(set(totals), reverse=True)
        assert {len(hand) for hand in hands} == {min(keep, len(faces))}
        assert totals[0] == sum(sorted(faces, reverse=True)[:keep])
        assert zeros[-1] == min(keep, faces.count(0))


class TestDistribution:
    @pytest.mark.parametrize("choice", CHOICES)
    @pytest.mark.parametrize("roll", range(4))
    def test_equals_an_enumeration(self, roll: int, choice: Choice) -> None:
        for keep in range(roll + 2):
            kept = min(keep, roll)
            for beat in beats(choice, kept):
                results = ((faces, naive(faces, keep, choice, beat), 1) for faces in product(range(10), repeat=roll))
                assert KeepPool(roll, keep, choice, beat).distribution() == counted(results, roll, kept), (keep, beat)

    @pytest.mark.parametrize("choice", CHOICES)
    @pytest.mark.parametrize(
        ("roll", "keep", "beat"),
        [(4, 1, 5), (4, 2, 9), (4, 3, 1), (5, 2, 14), (5, 3, 10), (5, 3, 27), (5, 4, 20), (6, 3, 12), (6, 5, 31), (7, 4, 20)],
    )
    def test_equals_an_enumeration_of_unordered_results(self, roll: int, keep: int, beat: int, choice: Choice) -> None:
        results = ((faces, naive(faces, keep, choice, beat), ways) for faces, ways in unordered_results(roll))
        assert KeepPool(roll, keep, choice, beat).distribution() == counted(results, roll, keep)

    @pytest.mark.parametrize("choice", CHOICES)
    @pytest.mark.parametrize("roll", range(4))
    def test_equals_an_enumeration_at_positions(self, roll: int, choice: Choice) -> None:
        for kept in range(roll + 1):
            for positions in combinations(range(roll), kept):
                results = ((faces, [faces[index] for index in positions], 1) for faces in product(range(10), repeat=roll))
                keep = KeepPool(roll, kept, choice, 9, positions=positions)
                assert keep.distribution() == counted(results, roll, kept)

    def test_without_beat_every_total_succeeds(self) -> None:
        assert KeepPool(7, 4, "mostZerosThatSucceed").distribution() == KeepPool(7, 4, "mostZeros").distribution()

    @pytest.mark.parametrize("roll", [1, 2, 3, 8, 20])
    def test_totals_do_not_depend_on_counting_zeros(self, roll: int) -> None:
        for choice, keep in product(CHOICES, range(roll + 2)):
            counted, uncounted = (
                KeepPool(roll, keep, choice, 9).distribution(),
                KeepPool(roll, keep, choice, 9, counted=False).distribution(),
            )
            assert uncounted in (counted, replace(counted, zeros=None)), (choice, keep)
            if keep and (choice == "highest" or keep >= roll):
                assert uncounted.zeros is None

    def test_zeros_are_always_counted_at_positions(self) -> None:
        assert KeepPool(3, 2, positions=(0, 1), counted=False).distribution() == KeepPool(3, 2, positions=(0, 1)).distribution()
        assert KeepPool(3, 3, positions=(0, 1, 2), counted=False).distribution() == KeepPool(3, 3).distribution()

    def test_distribution_is_cached(self) -> None:
        assert KeepPool(10, 5, beat=3).distribution() is KeepPool(10, 5).distribution()
        assert KeepPool(4, 9).distribution() is KeepPool(4, 4, "mostZeros").distribution()


class TestByZeros:
    @pytest.mark.parametrize("choice", ["highest", "mostZeros", "mostZerosThatSucceed"])
    @pytest.mark.parametrize("beat", [None, -1, 0, 1, 2, 9, 17, 18, 19, 99])
    @pytest.mark.parametrize(("roll", "keep"), [(0, 0), (1, 1), (3, 2), (2, 2), (5, 2)])
    def test_rows_by_zeros_add_up_to_the_distribution(self, roll: int, keep: int, choice: Choice, beat: int | None) -> None:
        pool = KeepPool(roll, keep, choice, beat)
        rows, distribution = pool.by_zeros(), pool.distribution()
        assert tuple(map(sum, zip(*rows, strict=True))) == distribution.weights
        assert tuple(sum(zeros * ways for zeros, ways in enumerate(column)) for column in zip(*rows, strict=True)) == distribution.zeros

    @pytest.mark.parametrize(("roll", "positions"), [(1, (0,)), (2, (1,)), (2, (0, 1)), (3, (2,)), (4, (1, 3)), (3, ())])
    def test_joint_distribution_at_positions(self, roll: int, positions: tuple[int, ...]) -> None:
        """The positions are chosen before the faces are known, so the other dice show anything."""
        joint = Counter[tuple[int, int]]()
        for faces in product(range(10), repeat=len(positions)):
            joint[sum(faces), faces.count(0)] += 10 ** (roll - len(positions))
        rows = KeepPool(roll, len(positions), positions=positions).by_zeros()
        assert [len(row) for row in rows] == [9 * len(positions) + 1] * (len(positions) + 1)
        assert {(total, zeros): ways for zeros, row in enumerate(rows) for total, ways in enumerate(row) if ways} == joint


class TestIcepool:
    """The same numbers from a general dice library."""

    @pytest.mark.parametrize(
        ("roll", "keep"), [(9, 3), (10, 3), (10, 5), (13, 6), (18, 7), (20, 10), (21, 1), (40, 10), (40, 20), (40, 40), (60, 8)]
    )
    def test_highest(self, roll: int, keep: int) -> None:
        distribution = KeepPool(roll, keep).distribution()
        assert dict(enumerate(distribution.weights)) == dict(icepool.z(10).highest(roll, keep))

    @pytest.mark.parametrize("choice", ["highest", "mostZeros"])
    @pytest.mark.parametrize(
        ("roll", "keep"),
        [*product(range(1, 7), range(1, 8)), (9, 4), (10, 3), (10, 5), (10, 9), (12, 9), (16, 15), (20, 10), (25, 2)],
    )
    def test_total_and_zeros(self, roll: int, keep: int, choice: Choice) -> None:
        """To keep most zeros, a ten that counts as zero ranks highest."""
        die = icepool.z(10) if choice == "highest" else icepool.d(10)
        hand = die.pool(roll).highest(min(keep, roll)).sum(map=lambda face: icepool.Vector((face % 10, int(face % 10 == 0))))
        pool = KeepPool(roll, keep, choice)
        joint = {(total, zeros): ways for zeros, row in enumerate(pool.by_zeros()) for total, ways in enumerate(row) if ways}
        assert joint == {tuple(totals): ways for totals, ways in hand.items()}
        distribution = pool.distribution()
        for total, (ways, zeros) in enumerate(zip(distribution.weights, distribution.zeros or (), strict=True)):
            column = {kept: joint.get((total, kept), 0) for kept in range(min(keep, roll) + 1)}
            assert (ways, zeros) == (sum(column.values()), sum(kept * more for kept, more in column.items()))


@given(data=st.data(), choice=st.sampled_from(CHOICES), keep=st.integers(0, 16), beat=st.none() | st.integers(-5, 120))
def test_random_result_is_in_the_distribution(data: st.DataObject, choice: Choice, keep: int, beat: int | None) -> None:
    faces = data.draw(st.lists(st.just(0) | st.integers(0, 9), max_size=14))
    pool = KeepPool(len(faces), keep, choice, beat)
    result, distribution = pool.read(Listed(faces)), pool.distribution()
    kept = [die.face for die in result.dice if die.kept]
    assert distribution.zeros is not None
    assert len(kept) == min(keep, len(faces))
    assert (result.total, result.zeros) == (sum(kept), kept.count(0))
    assert distribution.weights[result.total] > 0
    assert distribution.zeros[result.total] >= result.zeros
    assert {"dismal": distribution.dismal, "dramatic": distribution.dramatic, None: 1}[result.special] > 0


@given(roll=st.integers(0, 25), keep=st.integers(0, 25), choice=st.sampled_from(CHOICES), beat=st.integers(-5, 230))
def test_weights_add_up(roll: int, keep: int, choice: Choice, beat: int) -> None:
    kept = min(keep, roll)
    distribution = KeepPool(roll, keep, choice, beat).distribution()
    assert sum(distribution.weights) == distribution.denominator == 10**roll
    assert distribution.zeros is not None
    assert len(distribution.zeros) == len(distribution.weights) == 9 * kept + 1
    assert all(0 <= zeros <= kept * ways for zeros, ways in zip(distribution.zeros, distribution.weights, strict=True))
    assert 0 not in (distribution.weights[0], distribution.weights[-1])


@given(roll=st.integers(1, 25), keep=st.integers(1, 25), beat=st.integers(1, 230))
def test_zeros_that_succeed_keep_the_success_rate(roll: int, keep: int, beat: int) -> None:
    highest, succeed, most = (
        KeepPool(roll, keep, choice, beat).distribution() for choice in ("highest", "mostZerosThatSucceed", "mostZeros")
    )
    assert sum(succeed.weights[beat:]) == sum(highest.weights[beat:])
    assert succeed.weights[:beat] == highest.weights[:beat]
    assert sum(highest.zeros or ()) <= sum(succeed.zeros or ()) <= sum(most.zeros or ())
