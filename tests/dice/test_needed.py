"""Dice that stop a rule where it decides something with a roll that was not made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tablecall.dice.keep import KeepPool
from tablecall.dice.needed import Missing, NeededDice, UnknownDice
from tablecall.dice.pools import SumPool
from tablecall.dice.source import Roll


def needed(rule: Callable[[NeededDice], object], **faces: list[int]) -> tuple[list[str], bool]:
    """The rolls that are needed, and whether the rule ended."""
    missing: list[Missing] = []
    dice = NeededDice({name: (shown, f"/{name}") for name, shown in faces.items()}, missing, set())
    try:
        rule(dice)
    except UnknownDice:
        return [roll.roll for roll in missing], False
    return [roll.roll for roll in missing], True


def two(dice: NeededDice) -> tuple[Roll, Roll]:
    return dice.roll("a", SumPool(2), "a"), dice.roll("b", KeepPool(2, 1), "b", list_first=True)


def test_rule_that_decides_nothing_ends() -> None:
    def rule(dice: NeededDice) -> None:
        one, other = two(dice)
        assert (3 + one.total + 2).total is one  # type: ignore[operator, attr-defined]
        assert (other.faces, other.mean_zeros) == ((), 0)

    assert needed(rule) == (["b", "a"], True)


@pytest.mark.parametrize(
    "decide",
    [
        lambda dice, one, other: dice.compare(one.total, 7),
        lambda dice, one, other: dice.compare(7, other.total),
        lambda dice, one, other: dice.value(other.zeros),
        lambda dice, one, other: dice.rank([one, other]),
    ],
)
def test_every_decision_needs_the_dice(decide: Callable[[NeededDice, Roll, Roll], object]) -> None:
    def rule(dice: NeededDice) -> None:
        decide(dice, *two(dice))

    assert needed(rule) == (["b", "a"], False)
    assert needed(rule, a=[3, 4], b=[0, 9]) == ([], True)


def test_unknown_roll_is_neither_dismal_nor_dramatic_until_something_is_compared() -> None:
    def rule(dice: NeededDice) -> None:
        assert dice.special(dice.roll("a", KeepPool(2, 1), "a")) is None
        dice.compare(dice.roll("b", KeepPool(2, 1), "b").total, 7)

    assert needed(rule) == (["a", "b"], False)


def test_who_is_alone_needs_no_dice_for_a_place() -> None:
    assert needed(lambda dice: dice.rank([dice.roll("a", SumPool(2), "a")])) == (["a"], True)


def test_tie_is_rolled_off_until_it_is_broken() -> None:
    def rule(dice: NeededDice) -> None:
        def again(tied: Sequence[int], throw: int) -> list[Roll]:
            return [dice.roll(f"{'ab'[index]}{throw}", SumPool(1), "x") for index in tied]

        assert dice.rank([dice.roll("a", SumPool(1), "a"), dice.roll("b", SumPool(1), "b")], again) == [[1], [0]]

    assert needed(rule, a=[4], b=[4]) == (["a1", "b1"], False)
    assert needed(rule, a=[4], b=[4], a1=[2]) == (["b1"], False)
    assert needed(rule, a=[4], b=[4], a1=[2], b1=[2]) == (["a2", "b2"], False)
    assert needed(rule, a=[4], b=[4], a1=[2], b1=[2], a2=[1], b2=[6]) == ([], True)


def test_nothing_is_recorded() -> None:
    dice = NeededDice({}, [], set())
    dice.note("rule", "key")
    dice.option("", "field")
    dice.explain(lambda: 1 / 0)
    dice.offer(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert dice.contribution("on", "kind", 3, 0) == 3
    assert (dice.steps, dice.options, dice.used, dice.contributions) == ([], [], set(), [])
