"""The memo cache: results are kept until they hold too many numbers, and only trimmed between requests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablecall.dice import memo
from tablecall.dice.memo import memoized, trim
from tablecall.engine import odds
from tablecall.engine.requests import tagged
from tablecall.model.refusals import WrongDice

Zeros = tuple[Callable[[int], tuple[int, ...]], list[int]]


@pytest.fixture
def zeros(monkeypatch: pytest.MonkeyPatch) -> Zeros:
    """A memoized function that returns n zeros, with the list of its calls; its cache has room for ten numbers."""
    monkeypatch.setattr(memo, "_USAGE", memo._Usage())
    monkeypatch.setattr(memo, "MAX_NUMBERS", 10)
    calls: list[int] = []

    @memoized(cost=len)
    def make(count: int) -> tuple[int, ...]:
        """Zeros."""
        calls.append(count)
        return (0,) * count

    return make, calls


def test_result_is_computed_once(zeros: Zeros) -> None:
    make, calls = zeros
    assert make(3) == make(3) == (0, 0, 0)
    trim()
    assert (make(3), calls, make.__doc__) == ((0, 0, 0), [3], "Zeros.")


def test_trim_empties_only_a_full_cache(zeros: Zeros) -> None:
    make, calls = zeros
    make(6)
    make(4)
    trim()
    make(6)
    assert calls == [6, 4]
    make(1)
    make(6)
    assert calls == [6, 4, 1]
    trim()
    make(6)
    make(4)
    trim()
    make(6)
    assert calls == [6, 4, 1, 6, 4]


def test_every_odds_request_trims(monkeypatch: pytest.MonkeyPatch) -> None:
    check = {"action": "darkpages.check", "actor": {"pool": {"roll": 7, "keep": 3}}, "targetNumber": 9}
    odds(*tagged(check))
    assert memo._USAGE.numbers > 0
    monkeypatch.setattr(memo, "MAX_NUMBERS", 0)
    odds(*tagged(check))
    assert memo._USAGE.numbers == 0
    with pytest.raises(WrongDice):
        odds(*tagged({**check, "dice": [{"roll": "nobody", "faces": [1]}]}))
    assert memo._USAGE.numbers == 0
