"""The exact odds against an enumeration: the same toy rule is run once for every result of its dice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tablecall.dice import enumeration
from tablecall.dice.branch import Branch
from tablecall.dice.conditional import NeedsJointDistribution
from tablecall.dice.distribution import Distribution
from tablecall.dice.enumeration import EnumeratedDice, explore
from tablecall.dice.extreme import extreme_roll
from tablecall.dice.faces import Die, FaceSource, RollResult
from tablecall.dice.keep import KeepPool
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice, SuppliedFaces
from tablecall.dice.source import Dice, Pool, Roll
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.model.text import Sentence, say

V = TypeVar("V")
RuleResult = tuple[Hashable, int | Fraction]
"""What a toy rule returns: an outcome, and a number whose mean matters."""
Toy = Callable[[Dice], RuleResult]


@dataclass(frozen=True, slots=True)
class Tiny:
    """``roll`` dice with faces 0 to 2, the ``keep`` highest kept: zeros and specials as with d10, but few results."""

    roll: int
    keep: int
    sides: ClassVar[int] = 3
    needs: ClassVar[Sentence] = say("dice.plain", count=2, sides=3)

    def read(self, faces: FaceSource) -> RollResult:
        shown = [faces.draw(3) for _ in range(self.roll)]
        kept = sorted(shown, reverse=True)[: self.keep]
        special = None if any(kept) or not shown else "dramatic" if any(shown) else "dismal"
        return RollResult([Die(3, face) for face in shown], 0, sum(kept), kept.count(0), special if kept or special == "dismal" else None)  # type: ignore[arg-type]

    def distribution(self) -> Distribution:
        results = [self.read(PathFaces(faces, [])) for faces in product(range(3), repeat=self.roll)]
        totals = range(2 * min(self.keep, self.roll) + 1)
        return Distribution(
            0,
            tuple(sum(result.total == total for result in results) for total in totals),
            len(results),
            tuple(sum(result.zeros for result in results if result.total == total) for total in totals),
            sum(result.special == "dismal" for result in results),
            sum(result.special == "dramatic" for result in results),
        )


class PathFaces(FaceSource):
    """Faces along a path. Beyond its end, the lowest face; paths to the other faces are added to the frontier."""

    def __init__(self, path: tuple[int, ...], frontier: list[tuple[int, ...]]) -> None:
        self.path = path
        self.frontier = frontier
        self.choices: tuple[int, ...] = ()
        self.branches = 1

    def draw(self, sides: int, lowest: int = 1) -> int:
        low = 0 if sides in (3, 10) else 1
        depth = len(self.choices)
        if depth < len(self.path):
            face = self.path[depth]
        else:
            face = low
            self.frontier.extend((*self.choices, other) for other in range(low + 1, low + sides))
        self.choices = (*self.choices, face)
        self.branches *= sides
        return face

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        return self.draw(sides, lowest)


def every_result(rule: Callable[[Dice], V], given: dict[str, list[int]]) -> Iterator[tuple[Fraction, V]]:
    """The rule on rolled dice, once for each result of its dice, with the probability."""
    frontier: list[tuple[int, ...]] = [()]
    while frontier:
        faces = PathFaces(frontier.pop(), frontier)
        verdict = rule(RolledDice(lambda name, faces=faces: SuppliedFaces(given[name], "/") if name in given else faces))  # type: ignore[misc]
        yield Fraction(1, faces.branches), verdict


def branches(rule: Callable[[Dice], V], **dice: list[int]) -> list[Branch[V]]:
    return list(explore(rule, lambda name: SuppliedFaces(dice[name], f"/{name}") if name in dice else None))


def table(answers: Iterator[tuple[Fraction, RuleResult]]) -> dict[Hashable, tuple[Fraction, Fraction]]:
    """The probability and the share of the mean, by outcome."""
    chance: dict[Hashable, Fraction] = defaultdict(Fraction)
    mean: dict[Hashable, Fraction] = defaultdict(Fraction)
    for probability, (answer, number) in answers:
        chance[answer] += probability
        mean[answer] += probability * number
    return {answer: (chance[answer], mean[answer]) for answer in chance}


def assert_agree(rule: Toy, **dice: list[int]) -> None:
    """Both give every outcome the same exact probability and mean."""
    tree = branches(rule, **dice)
    assert sum(branch.probability for branch in tree) == 1
    assert all(branch.probability > 0 for branch in tree)
    assert table((branch.probability, branch.verdict) for branch in tree) == table(every_result(rule, dice))


def chance(rule: Callable[[Dice], Hashable], answer: Hashable) -> Fraction:
    return sum((branch.probability for branch in branches(rule) if branch.verdict == answer), Fraction())


def rolls_of(dice: Dice, *parts: Pool) -> list[Roll]:
    return [dice.roll(name, part, name) for name, part in zip("abcde", parts, strict=False)]


def two(dice: Dice, one: Pool, other: Pool) -> tuple[Roll, Roll]:
    return dice.roll("one", one, "one"), dice.roll("other", other, "other")


PAIRS = [
    (SumPool(2), SumPool(2)),
    (SumPool(2, 3), SumPool(1, -2)),
    (SumPool(1), SumPool(1, 100)),
    (SumPool(1, 100), SumPool(1)),
    (SumPool(1, 5), SumPool(1)),
    (SumPool(1, 0, (1, 6)), SumPool(1, 2, (3,))),
    (KeepPool(2, 1), KeepPool(1, 1)),
    (KeepPool(2, 1, "mostZeros"), SumPool(1)),
    (Tiny(3, 2), Tiny(4, 1)),
    (SumPool(0, 7), SumPool(2)),
]


class TestCompare:
    @pytest.mark.parametrize("number", [-5, 1, 2, 3, 7, 11, 12, 13, 40])
    @pytest.mark.parametrize("shift", [-3, 0, 2])
    def test_roll_with_number(self, number: int, shift: int) -> None:
        assert_agree(lambda dice: (dice.compare(dice.roll("one", SumPool(2, 1), "one").total + shift, number), 0))
        assert_agree(lambda dice: (dice.compare(number, dice.roll("one", SumPool(2, 1), "one").total + shift), 0))

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    @pytest.mark.parametrize("shift", [(0, 0), (2, 0), (0, 2), (-1, -3)])
    def test_roll_with_roll(self, one: Pool, other: Pool, shift: tuple[int, int]) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, one, other)
            return dice.compare(left.total + shift[0], right.total + shift[1]), 0

        assert_agree(rule)

    def test_known_chances_of_2d6_against_2d6(self) -> None:
        def rule(dice: Dice) -> int:
            left, right = two(dice, SumPool(2), SumPool(2))
            return dice.compare(left.total, right.total)

        assert (chance(rule, 1), chance(rule, 0)) == (Fraction(575, 1296), Fraction(73, 648))

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    def test_decisions_narrow_later_ones(self, one: Pool, other: Pool) -> None:
        """The same roll against two numbers, then the value of the other side of a comparison."""

        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, one, other)
            first = dice.compare(left.total, 4)
            second = dice.compare(left.total + 1, right.total)
            third = dice.value(right.total) if second <= 0 else dice.compare(8, left.total)
            return (first, second, third), 0

        assert_agree(rule)


class TestTieCountsAsHigher:
    @pytest.mark.parametrize("number", [-5, 2, 3, 7, 13, 40])
    def test_roll_and_number(self, number: int) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2, 1), SumPool(2))
            return (dice.compare(left.total, number, tie=1), dice.compare(number, right.total, tie=1), dice.compare(left.total, 8)), 0

        assert_agree(rule)

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    @pytest.mark.parametrize("shift", [0, 3])
    @pytest.mark.parametrize("left_again", [True, False])
    def test_roll_and_roll(self, one: Pool, other: Pool, shift: int, left_again: bool) -> None:
        """Also the distribution of each roll afterwards."""

        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, one, other)
            reached = dice.compare(left.total + shift, right.total, tie=1)
            return (reached, dice.value(left.total if left_again else right.total)), 0

        assert_agree(rule)

    def test_takes_one_branch_less(self) -> None:
        def rule(dice: Dice) -> int:
            left, right = two(dice, SumPool(2), SumPool(2))
            return dice.compare(left.total, right.total, tie=1)

        assert sorted(branch.verdict for branch in branches(rule)) == [-1, 1]


def test_numbers_need_no_branch() -> None:
    def rule(dice: Dice) -> Hashable:
        numbers = (1, 2, 3)
        return tuple(dice.compare(one, 2) for one in numbers), tuple(dice.compare(one, 2, tie=1) for one in numbers), dice.value(4)

    assert branches(rule) == [Branch(1, 1, ((-1, 0, 1), (-1, 1, 1), 4), {})]


class TestValue:
    @pytest.mark.parametrize("pool", [SumPool(2), SumPool(2, 0, (2,)), KeepPool(2, 1), Tiny(3, 2)])
    def test_every_value(self, pool: Pool) -> None:
        assert_agree(lambda dice: (dice.value(dice.roll("one", pool, "one").total + 3), 0))

    def test_roll_is_certain_after_its_value(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            one = dice.roll("one", SumPool(2), "one").total
            value = dice.value(one)
            assert dice.value(one) == value
            return dice.compare(one, value), 0

        assert [branch.verdict for branch in branches(rule)] == [(0, 0)] * 11

    @pytest.mark.parametrize("most", [-3, 2, 5, 7, 15, 99])
    def test_values_from_the_cap_are_one_branch(self, most: int) -> None:
        """The roll may be queried further."""

        def rule(dice: Dice) -> RuleResult:
            one = dice.roll("one", SumPool(2), "one").total + 3
            return (min(dice.value(one, most), max(most, 5)), dice.compare(one, 12)), 0

        assert_agree(rule)
        values = {branch.verdict for branch in branches(lambda dice: dice.value(dice.roll("one", SumPool(2), "one").total + 3, most))}
        assert values == {value for value in range(5, 16) if value <= max(most, 5)}


class TestZerosAndSpecials:
    @pytest.mark.parametrize(
        "pool", [Tiny(1, 1), Tiny(3, 1), Tiny(3, 2), Tiny(3, 3), Tiny(2, 0), Tiny(0, 2), KeepPool(2, 1), KeepPool(2, 1, "mostZeros")]
    )
    def test_special_total_and_mean_of_zeros(self, pool: Pool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            return (dice.special(roll), dice.compare(roll.total, 2)), roll.mean_zeros

        assert_agree(rule)
        assert_agree(lambda dice: (dice.compare((roll := dice.roll("one", pool, "one")).total, 2), roll.mean_zeros))

    @pytest.mark.parametrize(
        "pool",
        [
            KeepPool(2, 1),
            KeepPool(2, 2),
            KeepPool(2, 1, "mostZeros"),
            KeepPool(3, 2, "mostZerosThatSucceed", 7),
            KeepPool(3, 2, positions=(0, 2)),
            KeepPool(3, 3),
            KeepPool(0, 2),
        ],
    )
    @pytest.mark.parametrize("special_first", [True, False])
    def test_number_of_zeros(self, pool: KeepPool, special_first: bool) -> None:
        """While the special is open, nothing but zeros is one of the numbers."""

        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            special = dice.special(roll) if special_first else None
            return (special, dice.value(roll.zeros), dice.compare(roll.total, 7)), roll.mean_zeros

        assert_agree(rule)

    def test_second_count_is_certain(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", KeepPool(3, 2), "one")
            dice.special(roll)
            return (dice.value(roll.zeros), dice.value(roll.zeros)), roll.mean_zeros

        assert_agree(rule)

    def test_sum_has_no_special(self) -> None:
        assert branches(lambda dice: dice.special(dice.roll("one", SumPool(3), "one")))[0].probability == 1


SUMS, TINY, KEPT = (SumPool(2), SumPool(2)), (Tiny(3, 2), Tiny(2, 1)), (KeepPool(2, 1), KeepPool(2, 1))
ANSWERED: dict[str, tuple[tuple[Pool, ...], Callable[..., RuleResult]]] = {
    "the other side of a comparison": (
        (*SUMS, SumPool(1, 4)),
        lambda dice, a, b, c: ((dice.compare(a.total, b.total), dice.compare(b.total, c.total), dice.value(c.total)), 0),
    ),
    "one roll against many": (
        (SumPool(2), SumPool(1, 4), SumPool(1, 4), SumPool(1, 4)),
        lambda dice, one, *others: ((*(dice.compare(one.total, other.total) for other in others), dice.compare(one.total, 9)), 0),
    ),
    "specials of both sides, then totals": (
        TINY,
        lambda dice, a, b: (
            (dice.special(a), dice.special(b), dice.compare(a.total, b.total)),
            a.mean_zeros + b.mean_zeros,
        ),
    ),
    "zeros of a sum": ((SumPool(2), SumPool(1, 4)), lambda dice, a, b: (dice.compare(a.total, b.total), a.mean_zeros)),
    "zeros of both sides after a comparison": (
        (Tiny(3, 2), Tiny(2, 2)),
        lambda dice, a, b: (dice.compare(a.total, b.total + 1), a.mean_zeros + 10 * b.mean_zeros),
    ),
    "the highest of narrowed sums": (
        (*SUMS, SumPool(1, 6)),
        lambda dice, a, b, c: (
            (
                dice.compare(a.total, 6),
                dice.compare(c.total, b.total),
                dice.compare(extreme_roll([a, b], highest=True)[0].total, 8),
            ),
            0,
        ),
    ),
    "a value decides the next roll": (
        (SumPool(1),),
        lambda dice, a: (dice.compare(dice.roll("next", SumPool(dice.value(a.total) // 2), "b").total, 5), 0),
    ),
    "a value is added to a narrowed roll": (
        (SumPool(2, 1),),
        lambda dice, a: (
            (dice.compare(a.total, 10) >= 0 or dice.compare(a.total + dice.value(dice.roll("rescue", SumPool(1), "a").total), 10)),
            0,
        ),
    ),
    "a second roll after a success": (
        TINY,
        lambda dice, a, b: (
            ("missed", b.mean_zeros)
            if dice.special(a) is not None or dice.compare(a.total, b.total) <= 0
            else (
                ("hit", dice.special(damage := dice.roll("damage", Tiny(2, 2), "b")), dice.compare(damage.total, a.total)),
                damage.mean_zeros,
            )
        ),
    ),
}


@pytest.mark.parametrize(("pools", "rule"), ANSWERED.values(), ids=ANSWERED)
def test_rule_agrees_with_an_enumeration(pools: tuple[Pool, ...], rule: Callable[..., RuleResult]) -> None:
    assert_agree(lambda dice: rule(dice, *rolls_of(dice, *pools)))


REFUSED: dict[str, tuple[tuple[Pool, Pool], Callable[[Dice, Roll, Roll], object]]] = {
    "the special twice": (TINY, lambda dice, a, b: (dice.special(a), dice.special(a))),
    "the special after the zeros": (KEPT, lambda dice, a, b: (dice.value(a.zeros), dice.special(a))),
    "the special of a narrowed roll": (TINY, lambda dice, a, b: (dice.compare(a.total, 1), dice.special(a))),
    "a roll with itself": (TINY, lambda dice, a, b: dice.compare(a.total, a.total + 1)),
    "a roll twice among the highest": (TINY, lambda dice, a, b: extreme_roll([a, a], highest=True)),
    "a roll after the highest": (TINY, lambda dice, a, b: (extreme_roll([a, b], highest=True), dice.compare(a.total, 1))),
    "a roll after the lowest": (TINY, lambda dice, a, b: (extreme_roll([a, b], highest=False), dice.compare(a.total, 1))),
    "the highest after a special": (KEPT, lambda dice, a, b: (dice.special(a), extreme_roll([a, b], highest=True))),
    "the highest after a comparison": (KEPT, lambda dice, a, b: (dice.compare(a.total, 4), extreme_roll([a, b], highest=True))),
    "the highest after zeros": (KEPT, lambda dice, a, b: (dice.value(a.zeros), extreme_roll([a, b], highest=True))),
    "zeros after a comparison of two": (KEPT, lambda dice, a, b: (dice.compare(a.total, b.total), dice.value(a.zeros))),
    "the special after a comparison of two": (TINY, lambda dice, a, b: (dice.compare(a.total, b.total), dice.special(b))),
    "the same two again": (TINY, lambda dice, a, b: (dice.compare(a.total, b.total), dice.compare(a.total, b.total + 1))),
    "a sum of a compared roll": (
        SUMS,
        lambda dice, a, b: (
            dice.compare(a.total, b.total),
            dice.compare(a.total + dice.value(dice.roll("rescue", SumPool(1), "a").total), b.total),
        ),
    ),
}


@pytest.mark.parametrize(("pools", "rule"), REFUSED.values(), ids=REFUSED)
def test_query_that_needs_a_joint_distribution_is_refused(pools: tuple[Pool, Pool], rule: Callable[[Dice, Roll, Roll], object]) -> None:
    with pytest.raises(NeedsJointDistribution):
        branches(lambda dice: rule(dice, *two(dice, *pools)))


@pytest.mark.parametrize(
    "query",
    [
        lambda dice, roll: dice.compare(roll.total, 1),
        lambda dice, roll: dice.compare(1, roll.total),
        lambda dice, roll: dice.value(roll.total),
        lambda dice, roll: dice.special(roll),
        lambda dice, roll: roll.mean_zeros,
        lambda dice, roll: extreme_roll([roll], highest=True),
    ],
)
def test_both_of_two_compared_rolls_need_a_joint_distribution(query: Callable[[Dice, Roll], object]) -> None:
    def rule(dice: Dice) -> object:
        left, right = two(dice, Tiny(2, 1), Tiny(2, 1))
        dice.compare(left.total, right.total)
        dice.compare(left.total, 1)
        return query(dice, right)

    with pytest.raises(NeedsJointDistribution):
        branches(rule)


class TestExtremeRoll:
    @pytest.mark.parametrize("highest", [False, True])
    @pytest.mark.parametrize(
        "parts",
        [
            [SumPool(1)],
            [SumPool(2), SumPool(2)],
            [SumPool(1, 3), SumPool(2), SumPool(1, 9)],
            [Tiny(2, 1), SumPool(1), KeepPool(1, 1)],
            [SumPool(1), SumPool(1, 50)],
        ],
    )
    def test_total(self, parts: list[Pool], highest: bool) -> None:
        assert_agree(lambda dice: (dice.value(extreme_roll(rolls_of(dice, *parts), highest=highest)[0].total + 2), 0))

    @pytest.mark.parametrize("highest", [False, True])
    @pytest.mark.parametrize(
        "parts",
        [
            [KeepPool(2, 1, "mostZeros")],
            [KeepPool(1, 1), KeepPool(2, 1)],
            [KeepPool(2, 1, "mostZeros"), KeepPool(2, 1)],
            [KeepPool(1, 1), KeepPool(1, 0), KeepPool(2, 1, "mostZeros")],
            [KeepPool(0, 1), KeepPool(2, 1, "mostZeros")],
        ],
    )
    def test_special(self, parts: list[Pool], highest: bool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll, _ = extreme_roll(rolls_of(dice, *parts), highest=highest)
            return (dice.special(roll), dice.compare(roll.total, 3)), 0

        assert_agree(rule)

    def test_known_distribution_of_the_highest_of_3d6(self) -> None:
        """The highest of three d6 is 1 to 6 in 1, 7, 19, 37, 61 and 91 of 216 results. Its index is always zero."""

        def rule(dice: Dice) -> int:
            best, index = extreme_roll(rolls_of(dice, *[SumPool(1)] * 3), highest=True)
            return dice.value(best.total) + index

        assert [chance(rule, face) * 216 for face in range(1, 7)] == [1, 7, 19, 37, 61, 91]


def as_text(places: list[list[int]]) -> str:
    return ">".join("=".join("abcde"[index] for index in place) for place in places)


ROLLED_OFF: list[tuple[list[Pool], list[Pool], dict[str, Fraction], set[str]]] = [
    # Equal in a sixth, and then a bonus of 6 always wins. c cannot tie and is not rolled off.
    ([SumPool(1), SumPool(1), SumPool(1, 20)], [SumPool(1, 6), SumPool(1), SumPool(1)],
     {"c>a>b": Fraction(15 + 6, 36), "c>b>a": Fraction(15, 36)}, {"a1", "b1"}),
    # Two ties are rolled off separately: a with b, and c with d.
    ([SumPool(0, 9), SumPool(0, 9), SumPool(0, 1), SumPool(0, 1)], [SumPool(1), SumPool(1, 9), SumPool(1), SumPool(1, 9)],
     {"b>a>d>c": Fraction(1)}, {"a1", "b1", "c1", "d1"}),
    # In the first two throws a has a bonus of 1: 21 of 36 for a, 5 equal. From the third throw on it is even.
    ([SumPool(0, 3), SumPool(0, 3)], [SumPool(1, 1), SumPool(1)],
     {"a>b": Fraction(21, 36) + Fraction(5, 36) * (Fraction(21, 36) + Fraction(5, 72)),
      "b>a": Fraction(10, 36) + Fraction(5, 36) * (Fraction(10, 36) + Fraction(5, 72))},
     {"a1", "b1", "a2", "b2", "a3", "b3"}),
    ([SumPool(1), SumPool(1, 6), SumPool(1, 20)], [], {"c>b>a": Fraction(1)}, set()),
]  # fmt: skip
"""Pools, pools of the first two throws, the probability of each order, and the rolls made to roll off."""


class TestRank:
    PARTS: ClassVar[list[list[Pool]]] = [
        [],
        [SumPool(1)],
        [SumPool(1), SumPool(1)],
        [SumPool(1, 1), SumPool(1), SumPool(1, -1)],
        [SumPool(1, 9), SumPool(1), SumPool(1)],
        [SumPool(1, sides=4), SumPool(1, 1, sides=4), SumPool(1, sides=4), SumPool(1, -2, sides=4)],
    ]

    @pytest.mark.parametrize("parts", PARTS)
    @pytest.mark.parametrize("share_places", [False, True])
    def test_every_order(self, parts: list[Pool], share_places: bool) -> None:
        assert_agree(lambda dice: (as_text(dice.rank(rolls_of(dice, *parts), share_places=share_places)), 0))

    @pytest.mark.parametrize("parts", PARTS[1:])
    @pytest.mark.parametrize("share_places", [False, True])
    def test_leader(self, parts: list[Pool], share_places: bool) -> None:
        def rule(dice: Dice) -> RuleResult:
            first, *_ = dice.rank(rolls_of(dice, *parts), share_places=share_places, leader_only=True)
            return as_text([first]) if len(first) == 1 else "several", 0

        assert_agree(rule)

    def test_order_among_some(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            places = dice.rank(rolls_of(dice, SumPool(1), SumPool(1, 1), SumPool(1)), among=[0, 2])
            return [index for place in places for index in place if index != 1] == [0, 2], 0

        assert_agree(rule)
        assert len(branches(rule)) == 2

    def test_others_share_the_last_place(self) -> None:
        def orders(**options: Any) -> set[str]:
            return {branch.verdict for branch in branches(lambda dice: as_text(dice.rank(rolls_of(dice, *[SumPool(1)] * 4), **options)))}

        assert orders(among=[1, 3]) == {"b>d>a=c", "d>b>a=c"}
        assert orders(among=[0, 1, 2, 3], leader_only=True) == {"a>b=c=d", "b>a=c=d", "c>a=b=d", "d>a=b=c"}
        assert orders(among=[1, 3], leader_only=True, share_places=True) == {"b>a=c=d", "d>a=b=c", "b=d>a=c"}

    @staticmethod
    def ranked(
        parts: Sequence[Pool], throws: Sequence[Pool] = (), *, leader_only: bool = False, **dice: list[int]
    ) -> tuple[dict[str, Fraction], set[str]]:
        """The probability of each order if ties are rolled off, at first with these pools, then with 1d6; and the names of all rolls."""

        def rule(dice: Dice) -> str:
            def reroll(tied: Sequence[int], throw: int) -> list[Roll]:
                pools = throws if throws and throw < 3 else [SumPool(1)] * len(parts)
                return [dice.roll(f"{'abcde'[index]}{throw}", pools[index], "again") for index in tied]

            return as_text(dice.rank(rolls_of(dice, *parts), reroll, leader_only=leader_only))

        orders: dict[str, Fraction] = defaultdict(Fraction)
        rolls: set[str] = set()
        for branch in branches(rule, **dice):
            orders[branch.verdict] += branch.probability
            rolls |= branch.rolls.keys()
        return dict(orders), rolls

    def test_tie_of_equal_pools_is_even(self) -> None:
        assert self.ranked([SumPool(1)] * 3)[0] == {">".join(order): Fraction(1, 6) for order in permutations("abc")}

    @pytest.mark.parametrize("leader_only", [False, True])
    def test_tie_is_rolled_off(self, leader_only: bool) -> None:
        """With a bonus of one: higher in 21 of 36, equal in 5 of 36, half of which are won."""
        orders, _ = self.ranked([SumPool(1, 1), SumPool(1)], leader_only=leader_only)
        assert orders["a>b"] == Fraction(21, 36) + Fraction(5, 72)

    @pytest.mark.parametrize(("parts", "throws", "orders", "rolls"), ROLLED_OFF)
    def test_ties_rolled_off_with_different_dice(
        self, parts: list[Pool], throws: list[Pool], orders: dict[str, Fraction], rolls: set[str]
    ) -> None:
        assert self.ranked(parts, throws) == (orders, {*"abcd"[: len(parts)], *rolls})

    def test_two_of_three_tied_roll_off_alone(self) -> None:
        orders, rolls = self.ranked([SumPool(0, 3)] * 3, [SumPool(0, 9), SumPool(1), SumPool(1)])
        assert orders == {"a>b>c": Fraction(1, 2), "a>c>b": Fraction(1, 2)}
        assert "a2" not in rolls

    def test_supplied_dice_of_a_tie(self) -> None:
        """A 3 is beaten by 4 to 6, and by half of the repeated ties. A supplied tie goes on to the next throw."""
        pools = [SumPool(1), SumPool(1)]
        assert self.ranked(pools, a1=[3])[0]["a>b"] == Fraction(15, 36) + Fraction(6, 36) * (Fraction(2, 6) + Fraction(1, 12))
        assert self.ranked(pools, a1=[3], b1=[3], a2=[6], b2=[1])[0]["a>b"] == Fraction(15 + 6, 36)

    @pytest.mark.parametrize(("bound", "refused"), [(12, True), (13, False)])
    def test_thirteen_shared_orders_of_three_are_within_the_bound(self, bound: int, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        dice = EnumeratedDice((), [], {}, {}, lambda name: None)

        def reroll(tied: Sequence[int], throw: int) -> list[Roll]:
            return [dice.roll(f"again{index}", SumPool(0, index), "again") for index in tied]

        monkeypatch.setattr(enumeration, "MAX_BRANCHES", bound)
        with pytest.raises(TooLargeToCount) if refused else nullcontext():
            assert len(dice.rank(rolls_of(dice, *[SumPool(1)] * 3), reroll)) == 3

    def test_too_many_orders_are_refused_before_listing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 23)
        with pytest.raises(TooLargeToCount):
            branches(lambda dice: dice.rank(rolls_of(dice, *[SumPool(1)] * 4)))


class TestDeclaredBranches:
    def test_bound_is_computed_once(self) -> None:
        bounds = iter([4])

        def rule(dice: Dice) -> int:
            dice.declare_branches(lambda: next(bounds))
            return dice.value(dice.roll("one", SumPool(1), "one").total)

        assert len(branches(rule)) == 6


class TestSuppliedDice:
    def test_supplied_dice_are_held_fixed(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2, 1, (1,)), SumPool(2))
            return (dice.compare(left.total, right.total), dice.compare(right.total, 8)), 0

        assert_agree(rule, one=[1, 3, 4])
        assert_agree(rule, other=[6, 2])
        assert_agree(rule, one=[2, 3], other=[6, 2])
        assert len(branches(rule, one=[2, 3], other=[6, 2])) == 1

    @pytest.mark.parametrize("faces", [[0, 0], [0, 3], [7, 3]])
    @pytest.mark.parametrize("choice", ["highest", "mostZeros"])
    @pytest.mark.parametrize("count", [False, True])
    def test_zeros_and_specials(self, faces: list[int], choice: Any, count: bool) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, KeepPool(2, 1, choice), KeepPool(1, 1))
            special, zeros = dice.special(left), dice.value(left.zeros) if count else None
            return (special, zeros, dice.compare(left.total, right.total)), left.mean_zeros + right.mean_zeros

        assert_agree(rule, one=faces)

    def test_wrong_number_of_dice_is_refused(self) -> None:
        with pytest.raises(WrongDice, match="too few dice"):
            branches(lambda dice: dice.roll("one", SumPool(2), "one"), one=[3])


class TestBound:
    @pytest.mark.parametrize(("rolls", "size"), [(1, 3), (4, 81)])
    def test_number_of_branches_is_bounded(self, rolls: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
        def rule(dice: Dice) -> tuple[int, ...]:
            return tuple(dice.compare(dice.roll(str(turn), SumPool(1), "one").total, 3) for turn in range(rolls))

        monkeypatch.setattr(enumeration, "MAX_BRANCHES", size)
        assert len(branches(rule)) == size
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", size - 1)
        with pytest.raises(TooLargeToCount, match=f"at most {size - 1} branches") as refused:
            branches(rule)
        assert [(finding.pointer, finding.code) for finding in refused.value.findings] == [("", "too-large-to-count")]

    def test_open_branches_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        runs = 0

        def rule(dice: Dice) -> int:
            nonlocal runs
            runs += 1
            return dice.value(dice.roll("one", SumPool(1), "one").total)

        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 5)
        with pytest.raises(TooLargeToCount):
            branches(rule)
        assert runs == 1


def test_nothing_is_recorded() -> None:
    dice = EnumeratedDice((), [], {}, {}, lambda name: None)
    dice.note("toy.one", "toy.key", value=1, fact=object())
    dice.option("", "ties")
    dice.explain(lambda: 1 / 0)
    dice.offer(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    assert dice.contribution("one", "bonus", 4, 0, "driver") == 4
    assert dice.roll("one", SumPool(1), "one").faces == ()
    assert not dice.choices


def test_rolls_of_each_branch() -> None:
    def rule(dice: Dice) -> int:
        sign = dice.compare(dice.roll("one", SumPool(1), "one").total, 6)
        if sign < 0:
            dice.roll("rescue", KeepPool(3, 2), "one", list_first=True)
        return sign

    assert {branch.verdict: list(branch.rolls.items()) for branch in branches(rule)} == {
        -1: [("one", SumPool(1).distribution()), ("rescue", KeepPool(3, 2).distribution())],
        0: [("one", SumPool(1).distribution())],
    }


# ── Random rules ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Query:
    """One thing a rule does, if its last decision was ``when`` (``None``: in any case)."""

    what: str
    one: int
    other: int
    number: int
    when: int | None
    pool: Pool


POOLS = st.one_of(
    st.builds(SumPool, st.integers(0, 2), st.integers(-2, 2), sides=st.just(4)),
    st.builds(Tiny, st.integers(0, 2), st.integers(0, 3)),
)
QUERIES = st.builds(
    Query,
    st.sampled_from(["roll", "number", "compare", "reaches", "value", "special", "special", "zeros", "highest", "lowest"]),
    st.sampled_from([0, 0, 1, 2, 3]),
    st.integers(0, 3),
    st.integers(-2, 8),
    st.sampled_from([None, None, None, -1, 0, 1]),
    POOLS,
)


def follow(queries: list[Query], dice: Dice) -> RuleResult:
    """The rule that does all of this in order; it rolls at most four times."""
    totals = [dice.roll(name, pool, name) for name, pool in (("a", Tiny(2, 1)), ("b", SumPool(1, sides=4)))]
    answer: list[object] = []
    last = 0
    mean: int | Fraction = 0
    for query in queries:
        if query.when not in (None, last):
            continue
        one, other = totals[query.one % len(totals)], totals[query.other % len(totals)]
        match query.what:
            case "roll" if len(totals) < 4:
                totals.append(dice.roll(str(len(totals)), query.pool, "more"))
            case "number":
                answer.append(last := dice.compare(one.total + query.number, 3))
            case "compare":
                answer.append(last := dice.compare(one.total, other.total + query.number))
            case "reaches":
                answer.append(last := int(dice.compare(one.total, other.total + query.number, tie=1) > 0))
            case "value":
                answer.append(dice.value(one.total))
            case "special":
                answer.append(dice.special(one))
            case "zeros":
                mean += one.mean_zeros
            case "highest" | "lowest" as extreme:
                best, _ = extreme_roll([one] if one is other else [one, other], highest=extreme == "highest")
                answer.append(last := dice.compare(best.total, query.number))
            case _:
                pass
    return tuple(answer), mean


@settings(max_examples=300)
@given(queries=st.lists(QUERIES, min_size=1, max_size=7))
def test_any_rule_agrees_or_needs_joint_distribution(queries: list[Query]) -> None:
    def rule(dice: Dice) -> RuleResult:
        return follow(queries, dice)

    try:
        tree = branches(rule)
    except NeedsJointDistribution:
        event("entangled")
        return
    event("answered")
    assert sum(branch.probability for branch in tree) == 1
    exact = table((branch.probability, branch.verdict) for branch in tree)
    truth = table(every_result(rule, {}))
    assert {answer: chance for answer, (chance, _) in exact.items()} == {answer: chance for answer, (chance, _) in truth.items()}
    assert sum(mean for _, mean in exact.values()) == sum(mean for _, mean in truth.values())
