"""Rolls of which some dice are known: exact distributions, compared with all faces that the others can show."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tablecall.dice import known
from tablecall.dice.faces import Die, RollResult
from tablecall.dice.keep import KeepPool
from tablecall.dice.known import KnownDice, known_rolls
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import NamedRoll
from tablecall.model.refusals import TooLargeToCount


def dice(sides: int, *faces: int) -> list[Die]:
    return [Die(sides, face) for face in faces]


def chances(known_dice: KnownDice, pool: SumPool | KeepPool) -> dict[int, Fraction]:
    distribution = known_dice.distribution(pool)
    assert sum(distribution.weights) == distribution.denominator
    assert distribution.weights[0]
    assert distribution.weights[-1]
    rows = enumerate(distribution.weights, distribution.low)
    return {total: Fraction(weight, distribution.denominator) for total, weight in rows if weight}


def test_all_dice_are_known() -> None:
    assert chances(KnownDice(dice(6, 3, 4)), SumPool(2, 1)) == {8: 1}
    assert chances(KnownDice(dice(6, 3, 4, 5)), SumPool(2)) == {7: 1}  # one die less


def test_unknown_dice_are_open() -> None:
    assert chances(KnownDice(dice(6, 3)), SumPool(2)) == {3 + face: Fraction(1, 6) for face in range(1, 7)}
    assert chances(KnownDice(dice(6, 3)), SumPool(3)) == {3 + total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


def test_die_rolled_again_is_open() -> None:
    shown = chances(KnownDice(dice(6, 1, 4)), SumPool(2, 0, (1,)))
    assert shown == {4 + face: Fraction(1, 6) for face in range(1, 7)}
    kept = chances(KnownDice([Die(6, 5, True, [1]), Die(6, 4)]), SumPool(2, 0, (1,)))
    assert kept == {9: 1}


def test_die_rolled_until_it_is_clear_is_uniform_over_the_other_faces() -> None:
    """3 of 6 are not rolled again at first, and in the end each of these is equally likely."""
    shown = chances(KnownDice(dice(6, 4)), SumPool(2, 0, (1, 2, 3), "clear"))
    assert shown == {4 + face: Fraction(1, 3) for face in (4, 5, 6)}
    again = chances(KnownDice(dice(6, 1, 5)), SumPool(2, 0, (1, 2, 3, 4), "clear"))
    assert again == {10: Fraction(1, 2), 11: Fraction(1, 2)}


def test_kept_dice_zeros_and_specials() -> None:
    distribution = KnownDice(dice(10, 0, 0)).distribution(KeepPool(3, 2))
    assert (distribution.low, distribution.denominator, distribution.dismal, distribution.dramatic) == (0, 10, 1, 0)
    assert distribution.weights == (1,) * 10
    assert distribution.zeros == (2, *(1,) * 9)
    expected = [sum(sorted((9, 5, *more))[-2:]) for more in product(range(10), repeat=2)]
    shown = chances(KnownDice(dice(10, 9, 5)), KeepPool(4, 2))
    assert shown == {total: Fraction(expected.count(total), 100) for total in sorted(set(expected))}


def test_too_many_results_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MAX_RESULTS", 35)
    with pytest.raises(TooLargeToCount):
        KnownDice(dice(6, 3)).distribution(SumPool(3))


def test_roll_that_was_not_made_is_open() -> None:
    rolls = known_rolls([NamedRoll("actor", "actor", RollResult(dice(6, 1, 2), 0, 3)), NamedRoll("none", "none", RollResult([], 0, 0))])
    faces = rolls("actor")
    assert isinstance(faces, KnownDice)
    assert [die.face for die in faces.dice] == [1, 2]
    assert rolls("defender") is None
    assert rolls("none") is None
    with pytest.raises(LookupError):
        faces.draw(6)
