"""Bounds on work, and work that pauses."""

from __future__ import annotations

from contextlib import suppress
from itertools import count

import pytest

from tablecall.engine import budget
from tablecall.engine.budget import Budget, BudgetExceeded, Cooperative, at_once


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every look, the clock is a second later and a tenth of a second was worked."""
    seconds, worked = count(0.0, 1.0), count(0.0, 0.1)
    monkeypatch.setattr(budget, "perf_counter", lambda: next(seconds))
    monkeypatch.setattr(budget, "thread_time", lambda: next(worked))


def charges(budget: Budget) -> int:
    """How many charges there is room for."""
    with suppress(BudgetExceeded):
        while True:
            budget.charge()
    return budget.charged - 1


def test_charges_are_bounded_in_number() -> None:
    bounded = Budget(3)
    assert charges(bounded) == 3


def test_one_charge_too_many_raises_the_exception_asked_for() -> None:
    with pytest.raises(KeyError):
        Budget(0, over=KeyError).charge()


def test_a_pause_begins_the_number_of_charges_again() -> None:
    bounded = Budget(3)
    bounded.charge()
    bounded.pause()
    assert charges(bounded) == 3


def test_time_is_bounded_by_the_clock(clock: None) -> None:
    assert charges(Budget(seconds=3)) == 2


def test_time_goes_on_over_a_pause(clock: None) -> None:
    bounded = Budget(seconds=3)
    bounded.charge()
    bounded.charge()
    with pytest.raises(BudgetExceeded):
        bounded.pause()


def test_processor_time_is_bounded_whatever_the_processor_does_for_others(clock: None) -> None:
    assert charges(Budget(cpu_seconds=0.45)) == 4


def test_both_kinds_of_time_are_bounded_together(clock: None) -> None:
    assert charges(Budget(cpu_seconds=0.45, seconds=3)) == 1
    assert charges(Budget(cpu_seconds=0.25, seconds=100)) == 2


def test_no_time_at_all_is_over_with_the_first_charge() -> None:
    assert charges(Budget(seconds=0)) == charges(Budget(cpu_seconds=0)) == 0


def test_work_can_be_done_without_its_pauses() -> None:
    def work() -> Cooperative[str]:
        yield
        yield
        return "done"

    assert at_once(work()) == "done"
