"""The exact odds against an enumeration: the same toy rule is run once for every result of its dice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
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
    needs: ClassVar[str] = "tiny dice"

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

    def draw(self, sides: int) -> int:
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

    def redraw(self, index: int, sides: int) -> int:
        return self.draw(sides)


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
    found = branches(rule, **dice)
    assert sum(branch.probability for branch in found) == 1
    assert all(branch.probability > 0 for branch in found)
    assert table((branch.probability, branch.verdict) for branch in found) == table(every_result(rule, dice))


def chance(rule: Callable[[Dice], Hashable], answer: Hashable) -> Fraction:
    return sum((branch.probability for branch in branches(rule) if branch.verdict == answer), Fraction())


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

    def test_two_numbers_need_no_branch(self) -> None:
        assert branches(lambda dice: (dice.compare(1, 2), dice.compare(2, 2), dice.compare(3, 2))) == [Branch(1, 1, (-1, 0, 1), {})]

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

    def test_either_side_may_be_queried_again(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2), SumPool(2))
            third = dice.roll("third", SumPool(1, 4), "third")
            return (dice.compare(left.total, right.total), dice.compare(right.total, third.total), dice.value(third.total)), 0

        assert_agree(rule)

    def test_one_roll_against_many(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            one = dice.roll("one", SumPool(2), "one")
            hits = [dice.compare(one.total, dice.roll(name, SumPool(1, 4), name).total) for name in "abc"]
            return (*hits, dice.compare(one.total, 9)), 0

        assert_agree(rule)


class TestReaches:
    @pytest.mark.parametrize("number", [-5, 2, 3, 7, 13, 40])
    def test_roll_and_number(self, number: int) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2, 1), SumPool(2))
            reached = dice.compare(left.total, number, tie=1), dice.compare(number, right.total, tie=1)
            return (*reached, dice.compare(left.total, 8)), 0

        assert_agree(rule)

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    @pytest.mark.parametrize("shift", [0, 3])
    def test_roll_and_roll(self, one: Pool, other: Pool, shift: int) -> None:
        """Also the distributions of both rolls afterwards."""

        def rule(dice: Dice, left_again: bool) -> RuleResult:
            left, right = two(dice, one, other)
            reached = dice.compare(left.total + shift, right.total, tie=1) > 0
            return (reached, dice.value(left.total if left_again else right.total)), 0

        assert_agree(lambda dice: rule(dice, True))
        assert_agree(lambda dice: rule(dice, False))

    def test_two_numbers(self) -> None:
        compared = branches(lambda dice: tuple(dice.compare(number, 2, tie=1) for number in (1, 2, 3)))
        assert compared == [Branch(1, 1, (-1, 1, 1), {})]

    def test_takes_fewer_branches_than_compare(self) -> None:
        def rule(dice: Dice) -> bool:
            left, right = two(dice, SumPool(2), SumPool(2))
            return dice.compare(left.total, right.total, tie=1) > 0

        assert sorted(branch.verdict for branch in branches(rule)) == [False, True]


class TestValue:
    @pytest.mark.parametrize("pool", [SumPool(2), SumPool(2, 0, (2,)), KeepPool(2, 1), Tiny(3, 2)])
    def test_every_value(self, pool: Pool) -> None:
        assert_agree(lambda dice: (dice.value(dice.roll("one", pool, "one").total + 3), 0))

    def test_number_is_itself(self) -> None:
        assert branches(lambda dice: dice.value(4)) == [Branch(1, 1, 4, {})]

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

    def test_value_may_decide_the_next_roll(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            count = dice.value(dice.roll("one", SumPool(1), "one").total) // 2
            return dice.compare(dice.roll("other", SumPool(count), "other").total, 5), 0

        assert_agree(rule)


class TestSpecial:
    @pytest.mark.parametrize(
        "pool", [Tiny(1, 1), Tiny(3, 1), Tiny(3, 2), Tiny(3, 3), Tiny(2, 0), Tiny(0, 2), KeepPool(2, 1), KeepPool(2, 1, "mostZeros")]
    )
    def test_specials_zeros_and_totals(self, pool: Pool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            special = dice.special(roll)
            return (special, dice.compare(roll.total, 2)), roll.mean_zeros

        assert_agree(rule)

    def test_special_is_decided_once(self) -> None:
        def rule(dice: Dice) -> object:
            roll = dice.roll("one", Tiny(3, 2), "one")
            return dice.special(roll), dice.special(roll)

        with pytest.raises(NeedsJointDistribution):
            branches(rule)

    def test_sum_has_no_special(self) -> None:
        assert branches(lambda dice: dice.special(dice.roll("one", SumPool(3), "one")))[0].probability == 1

    def test_specials_of_both_sides_then_totals(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, Tiny(3, 2), Tiny(2, 1))
            words = dice.special(left), dice.special(right)
            return (*words, dice.compare(left.total, right.total)), left.mean_zeros + right.mean_zeros

        assert_agree(rule)


class TestMeanZeros:
    @pytest.mark.parametrize("pool", [Tiny(3, 2), KeepPool(2, 2), KeepPool(2, 1, "mostZeros")])
    def test_mean_of_each_branch(self, pool: Pool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            return dice.compare(roll.total, 2), roll.mean_zeros

        assert_agree(rule)

    def test_sum_keeps_no_zeros(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2), SumPool(1, 4))
            sign = dice.compare(left.total, right.total)
            return sign, left.mean_zeros

        assert_agree(rule)

    def test_mean_of_either_side_after_a_comparison(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, Tiny(3, 2), Tiny(2, 2))
            sign = dice.compare(left.total, right.total + 1)
            return sign, left.mean_zeros + 10 * right.mean_zeros

        assert_agree(rule)


class TestCountZeros:
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
    def test_every_number_of_zeros(self, pool: KeepPool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            special = dice.special(roll)
            zeros = dice.value(roll.zeros)
            return (special, zeros, dice.compare(roll.total, 7)), roll.mean_zeros

        assert_agree(rule)

    def test_supplied_dice(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, KeepPool(2, 2), KeepPool(2, 1))
            zeros = dice.special(left), dice.value(left.zeros)
            assert type(zeros[1]) is int
            return (*zeros, dice.compare(left.total, right.total)), 0

        assert_agree(rule, one=[0, 4])
        assert_agree(rule, one=[0, 0])

    @pytest.mark.parametrize("pool", [KeepPool(2, 1), KeepPool(3, 3), KeepPool(3, 2, "mostZeros")])
    def test_only_zeros_is_one_of_the_numbers_if_the_special_is_open(self, pool: KeepPool) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", pool, "one")
            return (dice.value(roll.zeros), dice.compare(roll.total, 7)), roll.mean_zeros

        assert_agree(rule)

    def test_counting_again_is_certain_and_decides_the_special(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            roll = dice.roll("one", KeepPool(3, 2), "one")
            dice.special(roll)
            return (dice.value(roll.zeros), dice.value(roll.zeros)), roll.mean_zeros

        assert_agree(rule)

        def late(dice: Dice) -> object:
            roll = dice.roll("one", KeepPool(3, 2), "one")
            dice.value(roll.zeros)
            return dice.special(roll)

        with pytest.raises(NeedsJointDistribution):
            branches(late)

    def test_refused_after_a_comparison_with_another_roll(self) -> None:
        def rule(dice: Dice) -> int:
            left, right = two(dice, KeepPool(2, 1), KeepPool(2, 1))
            dice.compare(left.total, right.total)
            return dice.value(left.zeros)

        with pytest.raises(NeedsJointDistribution):
            branches(rule)


class TestExtremeRoll:
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
    def test_highest_and_lowest_total(self, parts: list[Pool]) -> None:
        def rolls(dice: Dice) -> list[Roll]:
            return [dice.roll(str(index), part, "one") for index, part in enumerate(parts)]

        assert_agree(lambda dice: (dice.value(extreme_roll(rolls(dice), highest=True)[0].total + 2), 0))
        assert_agree(lambda dice: (dice.value(extreme_roll(rolls(dice), highest=False)[0].total), 0))

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
    def test_special_of_the_extreme_roll(self, parts: list[Pool], highest: bool) -> None:
        def rule(dice: Dice) -> RuleResult:
            lot, _ = extreme_roll(rolls_of(dice, *parts), highest=highest)
            return (dice.special(lot), dice.compare(lot.total, 3)), 0

        assert_agree(rule)

    @pytest.mark.parametrize("first", ["special", "compare", "count_zeros"])
    def test_refused_for_rolls_with_decided_specials(self, first: str) -> None:
        def rule(dice: Dice) -> object:
            left, right = two(dice, KeepPool(2, 1), KeepPool(2, 1))
            if first == "special":
                dice.special(left)
            elif first == "compare":
                dice.compare(left.total, 4)
            else:
                dice.value(left.zeros)
            return extreme_roll([left, right], highest=True)

        with pytest.raises(NeedsJointDistribution):
            branches(rule)

    def test_known_distribution_of_the_highest_of_3d6(self) -> None:
        """The highest of three d6 is 1 to 6 in 1, 7, 19, 37, 61 and 91 of 216 results."""

        def rule(dice: Dice) -> int:
            best, _ = extreme_roll([dice.roll(name, SumPool(1), name) for name in "abc"], highest=True)
            return dice.value(best.total)

        assert [chance(rule, face) * 216 for face in range(1, 7)] == [1, 7, 19, 37, 61, 91]

    @pytest.mark.parametrize("highest", [True, False])
    def test_index_is_zero(self, highest: bool) -> None:
        def rule(dice: Dice) -> int:
            return extreme_roll(two(dice, SumPool(1), SumPool(1, 50 if highest else -50)), highest=highest)[1]

        assert [branch.verdict for branch in branches(rule)] == [0]

    def test_narrowed_sums_are_allowed(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2), SumPool(2))
            third = dice.roll("third", SumPool(1, 6), "third")
            first = dice.compare(left.total, 6), dice.compare(third.total, right.total)
            best, _ = extreme_roll([left, right], highest=True)
            return (*first, dice.compare(best.total, 8)), 0

        assert_agree(rule)


def rolls_of(dice: Dice, *parts: Pool) -> list[Roll]:
    return [dice.roll(name, part, name) for name, part in zip("abcde", parts, strict=False)]


def as_text(places: list[list[int]]) -> str:
    return ">".join("=".join("abcde"[index] for index in place) for place in places)


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
        def orders(**rolls: Any) -> set[str]:
            return {
                branch.verdict
                for branch in branches(
                    lambda dice: as_text(dice.rank(rolls_of(dice, SumPool(1), SumPool(1), SumPool(1), SumPool(1)), **rolls))
                )
            }

        assert orders(among=[1, 3]) == {"b>d>a=c", "d>b>a=c"}
        assert orders(among=[0, 1, 2, 3], leader_only=True) == {"a>b=c=d", "b>a=c=d", "c>a=b=d", "d>a=b=c"}
        assert orders(among=[1, 3], leader_only=True, share_places=True) == {"b>a=c=d", "d>a=b=c", "b=d>a=c"}

    @staticmethod
    def rolled_off(dice: Dice, *parts: Pool, leader_only: bool = False) -> str:
        def reroll(tied: Any, throw: int) -> list[Roll]:
            return [dice.roll(f"{'abcde'[index]}{throw}", SumPool(1), "again") for index in tied]

        return as_text(dice.rank(rolls_of(dice, *parts), reroll, leader_only=leader_only))

    def test_tie_of_equal_pools_is_even(self) -> None:
        orders = {
            branch.verdict: branch.probability
            for branch in branches(lambda dice: self.rolled_off(dice, SumPool(1), SumPool(1), SumPool(1)))
        }
        assert orders == {"".join(order): Fraction(1, 6) for order in map(">".join, permutations("abc"))}

    def test_tie_is_rolled_off(self) -> None:
        """With a bonus of one: higher in 21 of 36, equal in 5 of 36, half of which are won."""
        rule = lambda dice: self.rolled_off(dice, SumPool(1, 1), SumPool(1))  # noqa: E731
        assert chance(rule, "a>b") == Fraction(21, 36) + Fraction(5, 72)
        assert chance(lambda dice: self.rolled_off(dice, SumPool(1, 1), SumPool(1), leader_only=True)[0], "a") == Fraction(
            21, 36
        ) + Fraction(5, 72)

    @staticmethod
    def ranked(parts: list[Pool], throws: list[Pool], **dice: list[int]) -> tuple[dict[str, Fraction], set[str]]:
        """The probability of each order if everyone rolls off with dice of their own; and the names of all rolls."""

        def rule(dice: Dice) -> str:
            def reroll(tied: Any, throw: int) -> list[Roll]:
                return [dice.roll(f"{'abcde'[index]}{throw}", throws[index] if throw < 3 else SumPool(1), "again") for index in tied]

            return as_text(dice.rank(rolls_of(dice, *parts), reroll))

        found: dict[str, Fraction] = defaultdict(Fraction)
        rolls: set[str] = set()
        for branch in branches(rule, **dice):
            found[branch.verdict] += branch.probability
            rolls |= branch.rolls.keys()
        return dict(found), rolls

    def test_tie_rolled_off_with_different_dice_is_not_even(self) -> None:
        """Equal in a sixth, and then a bonus of 6 wins for sure; a roll that cannot tie is not rolled off."""
        parts: list[Pool] = [SumPool(1), SumPool(1), SumPool(1, 20)]
        found, rolls = self.ranked(parts, [SumPool(1, 6), SumPool(1), SumPool(1)])
        assert found == {"c>a>b": Fraction(15 + 6, 36), "c>b>a": Fraction(15, 36)}
        assert rolls == {"a", "b", "c", "a1", "b1"}

    def test_rolls_that_cannot_tie_are_not_rolled_off(self) -> None:
        def rule(dice: Dice) -> str:
            return as_text(dice.rank(rolls_of(dice, SumPool(1), SumPool(1, 6), SumPool(1, 20)), lambda tied, throw: pytest.fail("asked")))

        assert {branch.verdict: branch.probability for branch in branches(rule)} == {"c>b>a": 1}

    def test_two_ties_are_rolled_off_separately(self) -> None:
        """a and b always tie, and c and d below them; the second of each pair has the better dice."""
        parts: list[Pool] = [SumPool(0, 9), SumPool(0, 9), SumPool(0, 1), SumPool(0, 1)]
        found, rolls = self.ranked(parts, [SumPool(1), SumPool(1, 9), SumPool(1), SumPool(1, 9)])
        assert found == {"b>a>d>c": 1}
        assert rolls == {"a", "b", "c", "d", "a1", "b1", "c1", "d1"}

    def test_repeated_ties_are_followed(self) -> None:
        """In the first two throws a has a bonus of 1: 21 of 36 for a, 5 equal; from the third on it is even."""
        parts: list[Pool] = [SumPool(0, 3), SumPool(0, 3)]
        found, rolls = self.ranked(parts, [SumPool(1, 1), SumPool(1)])
        first, tie = Fraction(21, 36), Fraction(5, 36)
        assert found["a>b"] == first + tie * (first + tie / 2)
        assert rolls == {"a", "b", "a1", "b1", "a2", "b2", "a3", "b3"}

    def test_two_of_three_tied_roll_off_alone(self) -> None:
        parts: list[Pool] = [SumPool(0, 3), SumPool(0, 3), SumPool(0, 3)]
        found, rolls = self.ranked(parts, [SumPool(0, 9), SumPool(1), SumPool(1)])
        assert found == {"a>b>c": Fraction(1, 2), "a>c>b": Fraction(1, 2)}
        assert "a2" not in rolls

    @pytest.mark.parametrize(("bound", "refused"), [(12, True), (13, False)])
    def test_thirteen_shared_orders_of_three_are_within_the_bound(self, bound: int, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        def reroll(tied: Any, throw: int) -> list[Roll]:
            return [EnumeratedDice((), [], {}, {}, lambda name: None).roll("again", SumPool(0, index), "again") for index in tied]

        dice = EnumeratedDice((), [], {}, {}, lambda name: None)
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", bound)
        if refused:
            with pytest.raises(TooLargeToCount):
                dice.rank(rolls_of(dice, SumPool(1), SumPool(1), SumPool(1)), reroll)
        else:
            assert len(dice.rank(rolls_of(dice, SumPool(1), SumPool(1), SumPool(1)), reroll)) == 3

    def test_tie_with_supplied_dice(self) -> None:
        """A 3 supplied for the second throw: beaten by 4 to 6, and by half of the repeated ties."""
        found = branches(lambda dice: self.rolled_off(dice, SumPool(1), SumPool(1)), a1=[3])
        first = sum(branch.probability for branch in found if branch.verdict == "a>b")
        assert first == Fraction(15, 36) + Fraction(6, 36) * (Fraction(2, 6) + Fraction(1, 12))

    def test_supplied_tie_goes_to_the_next_throw(self) -> None:
        held = {"a1": [3], "b1": [3], "a2": [6], "b2": [1]}
        found = branches(lambda dice: self.rolled_off(dice, SumPool(1), SumPool(1)), **held)
        assert sum(branch.probability for branch in found if branch.verdict == "a>b") == Fraction(15 + 6, 36)

    def test_too_many_orders_are_refused_before_listing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 23)
        with pytest.raises(TooLargeToCount):
            branches(lambda dice: dice.rank(rolls_of(dice, *[SumPool(1)] * 4)))


class TestScenes:
    @staticmethod
    def rule(dice: Dice) -> RuleResult:
        answer: list[object] = []
        for name in ("turns.0", "turns.1"):
            scene = dice.scene(name)
            left, right = two(scene, Tiny(2, 1), SumPool(1, sides=4))
            answer += [scene.special(left), scene.compare(left.total, right.total, tie=1)]
        return tuple(answer), 0

    def test_decisions_are_those_of_the_outer_dice(self) -> None:
        assert_agree(self.rule)

    def test_rolls_have_the_name_of_the_scene(self) -> None:
        assert list(branches(self.rule)[0].rolls) == ["turns.0.one", "turns.0.other", "turns.1.one", "turns.1.other"]

    def test_nothing_is_cached_in_a_scene(self) -> None:
        made: list[str] = []

        def rule(dice: Dice) -> None:
            dice.compare(dice.roll("one", SumPool(1), "one").total, 4)
            for place, within in (("whole", dice), ("scene", dice.scene("turns.0"))):
                within.cached("hand", lambda: made.append(place))  # noqa: B023

        assert len(branches(rule)) == 3
        assert made.count("whole") == 1
        assert made.count("scene") == 3

    def test_scenes_share_one_bound(self) -> None:
        def rule(dice: Dice, more: int) -> None:
            dice.declare_branches(lambda: enumeration.MAX_BRANCHES // 2)
            dice.scene("turns.0").declare_branches(lambda: more)

        assert len(branches(lambda dice: rule(dice, 2))) == 1
        with pytest.raises(TooLargeToCount):
            branches(lambda dice: rule(dice, 3))

    def test_bound_is_computed_once(self) -> None:
        bounds = iter([4])

        def rule(dice: Dice) -> int:
            dice.declare_branches(lambda: next(bounds))
            return dice.value(dice.roll("one", SumPool(1), "one").total)

        assert len(branches(rule)) == 6


class TestNested:
    def test_second_use_of_both_rolls_is_refused(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, SumPool(2, 1), SumPool(2, 2))
            if dice.compare(left.total, right.total) >= 0:
                return "success", 0
            total = left.total + dice.value(dice.roll("rescue", SumPool(1), "one").total)
            return "rescued" if dice.compare(total, right.total) >= 0 else "failure", 0

        with pytest.raises(NeedsJointDistribution):
            branches(rule)

    def test_second_use_of_one_roll(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            total = dice.roll("one", SumPool(2, 1), "one").total
            if dice.compare(total, 10) >= 0:
                return "success", 0
            total += dice.value(dice.roll("rescue", SumPool(1), "one").total)
            return "rescued" if dice.compare(total, 10) >= 0 else "failure", 0

        assert_agree(rule)

    def test_second_roll_after_a_success(self) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, Tiny(3, 2), Tiny(2, 1))
            if dice.special(left) is not None or dice.compare(left.total, right.total) <= 0:
                return "missed", right.mean_zeros
            damage = dice.roll("damage", Tiny(2, 2), "other")
            return ("hit", dice.special(damage), dice.compare(damage.total, left.total)), damage.mean_zeros

        assert_agree(rule)


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
    def test_zeros_and_specials_of_supplied_dice(self, faces: list[int], choice: Any) -> None:
        def rule(dice: Dice) -> RuleResult:
            left, right = two(dice, KeepPool(2, 1, choice), KeepPool(1, 1))
            word = dice.special(left)
            return (word, dice.compare(left.total, right.total)), left.mean_zeros + right.mean_zeros

        assert_agree(rule, one=faces)

    def test_wrong_number_of_dice_is_refused(self) -> None:
        with pytest.raises(WrongDice, match="too few dice"):
            branches(lambda dice: dice.roll("one", SumPool(2), "one"), one=[3])


class TestNeedsJointDistribution:
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
    def test_both_of_two_compared_rolls(self, query: Callable[[Dice, Roll], object]) -> None:
        def rule(dice: Dice) -> object:
            left, right = two(dice, Tiny(2, 1), Tiny(2, 1))
            dice.compare(left.total, right.total)
            dice.compare(left.total, 1)
            return query(dice, right)

        with pytest.raises(NeedsJointDistribution):
            branches(rule)

    @pytest.mark.parametrize(
        "rule",
        [
            pytest.param(lambda dice, one, other: dice.compare(one.total, other.total + 1), id="same two again"),
            pytest.param(lambda dice, one, other: dice.compare(one.total, one.total + 1), id="roll with itself"),
            pytest.param(lambda dice, one, other: dice.special(other), id="special after a comparison of two"),
        ],
    )
    def test_after_a_comparison(self, rule: Callable[[Dice, Roll, Roll], object]) -> None:
        def compared(dice: Dice) -> object:
            left, right = two(dice, Tiny(2, 1), Tiny(2, 1))
            dice.compare(left.total, right.total)
            return rule(dice, left, right)

        with pytest.raises(NeedsJointDistribution):
            branches(compared)

    @pytest.mark.parametrize(
        "rule",
        [
            pytest.param(lambda dice, one, other: (dice.compare(one.total, 1), dice.special(one)), id="special of a narrowed roll"),
            pytest.param(
                lambda dice, one, other: (extreme_roll([one, other], highest=True), dice.compare(one.total, 1)),
                id="one of several after their highest",
            ),
            pytest.param(
                lambda dice, one, other: (extreme_roll([one, other], highest=False), dice.compare(one.total, 1)),
                id="one of several after their lowest",
            ),
            pytest.param(lambda dice, one, other: extreme_roll([one, one], highest=True), id="a roll twice"),
        ],
    )
    def test_second_use_of_a_roll(self, rule: Callable[[Dice, Roll, Roll], object]) -> None:
        with pytest.raises(NeedsJointDistribution):
            branches(lambda dice: rule(dice, *two(dice, Tiny(2, 1), Tiny(2, 1))))


class TestBound:
    @staticmethod
    def six(dice: Dice) -> int:
        return dice.value(dice.roll("one", SumPool(1), "one").total)

    def test_as_many_branches_as_the_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 6)
        assert len(branches(self.six)) == 6

    def test_one_branch_more_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 5)
        with pytest.raises(TooLargeToCount, match="more than 5 branches") as refused:
            branches(self.six)
        assert [(found.pointer, found.code) for found in refused.value.findings] == [("", "too-large-to-count")]

    def test_bound_holds_while_the_tree_grows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def rule(dice: Dice) -> tuple[int, ...]:
            return tuple(dice.compare(dice.roll(str(turn), SumPool(1), "one").total, 3) for turn in range(4))

        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 81)
        assert len(branches(rule)) == 81
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 80)
        with pytest.raises(TooLargeToCount):
            branches(rule)

    def test_open_branches_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        runs = 0

        def rule(dice: Dice) -> int:
            nonlocal runs
            runs += 1
            return self.six(dice)

        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 5)
        with pytest.raises(TooLargeToCount):
            branches(rule)
        assert runs == 1


def test_nothing_is_recorded() -> None:
    dice = EnumeratedDice((), [], {}, {}, lambda name: None)
    dice.step("toy.one", "{} is never formatted", object(), value=1)
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
        found = branches(rule)
    except NeedsJointDistribution:
        event("entangled")
        return
    event("answered")
    assert sum(branch.probability for branch in found) == 1
    exact = table((branch.probability, branch.verdict) for branch in found)
    truth = table(every_result(rule, {}))
    assert {answer: chance for answer, (chance, _) in exact.items()} == {answer: chance for answer, (chance, _) in truth.items()}
    assert sum(mean for _, mean in exact.values()) == sum(mean for _, mean in truth.values())
