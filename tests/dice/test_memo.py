"""What was counted is known, until it is too much."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablecall.dice import memo as shelf
from tablecall.dice.memo import known, tidy
from tablecall.engine import odds
from tablecall.engine.requests import tagged
from tablecall.model.refusals import WrongDice

Counted = tuple[Callable[[int], tuple[int, ...]], list[int]]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """A function that gives so many numbers, and what it was called with; on a shelf of its own that has room for ten."""
    monkeypatch.setattr(shelf, "_SHELF", shelf._Shelf())
    monkeypatch.setattr(shelf, "MOST", 10)
    calls: list[int] = []

    @known(len)
    def numbers(count: int) -> tuple[int, ...]:
        """So many zeros."""
        calls.append(count)
        return (0,) * count

    return numbers, calls


def test_it_is_counted_once(counted: Counted) -> None:
    numbers, calls = counted
    assert numbers(3) == numbers(3) == (0, 0, 0)
    tidy()
    assert (numbers(3), calls, numbers.__doc__) == ((0, 0, 0), [3], "So many zeros.")


def test_too_much_is_forgotten_between_two_questions_and_never_within_one(
    counted: Counted,
) -> None:
    numbers, calls = counted
    numbers(6)
    numbers(4)
    tidy()
    numbers(6)
    assert calls == [6, 4]
    numbers(1)
    numbers(6)
    assert calls == [6, 4, 1]
    tidy()
    numbers(6)
    numbers(4)
    tidy()
    numbers(6)
    assert calls == [6, 4, 1, 6, 4]


def test_every_question_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    check = {"action": "darkpages.check", "actor": {"pool": {"roll": 7, "keep": 3}}, "targetNumber": 9}
    odds(*tagged(check))
    assert shelf._SHELF.numbers > 0
    monkeypatch.setattr(shelf, "MOST", 0)
    odds(*tagged(check))
    assert shelf._SHELF.numbers == 0
    with pytest.raises(WrongDice):
        odds(*tagged({**check, "dice": [{"roll": "nobody", "faces": [1]}]}))
    assert shelf._SHELF.numbers == 0
