"""Bounds on work, and work that pauses."""

from __future__ import annotations

from contextlib import suppress
from itertools import count

import pytest

from tablecall.engine import budget
from tablecall.engine.budget import Budget, BudgetExceeded, Cooperative, at_once


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two readings, a second passes, of which a tenth is processor time."""
    seconds, worked = count(0.0, 1.0), count(0.0, 0.1)
    monkeypatch.setattr(budget, "perf_counter", lambda: next(seconds))
    monkeypatch.setattr(budget, "thread_time", lambda: next(worked))


def charges(budget: Budget) -> int:
    """The number of charges before the budget is exceeded."""
    with suppress(BudgetExceeded):
        while True:
            budget.charge()
    return budget.charged - 1


def test_number_of_charges() -> None:
    bounded = Budget(3)
    assert charges(bounded) == 3


def test_exception_may_be_chosen() -> None:
    with pytest.raises(KeyError):
        Budget(0, over=KeyError).charge()


def test_pause_resets_the_number_of_charges() -> None:
    bounded = Budget(3)
    bounded.charge()
    bounded.pause()
    assert charges(bounded) == 3


def test_elapsed_time(clock: None) -> None:
    assert charges(Budget(seconds=3)) == 2


def test_pause_does_not_reset_the_time(clock: None) -> None:
    bounded = Budget(seconds=3)
    bounded.charge()
    bounded.charge()
    with pytest.raises(BudgetExceeded):
        bounded.pause()


def test_processor_time(clock: None) -> None:
    assert charges(Budget(cpu_seconds=0.45)) == 4


def test_the_sooner_of_both_times(clock: None) -> None:
    assert charges(Budget(cpu_seconds=0.45, seconds=3)) == 1
    assert charges(Budget(cpu_seconds=0.25, seconds=100)) == 2


def test_no_time_allows_no_charge() -> None:
    assert charges(Budget(seconds=0)) == charges(Budget(cpu_seconds=0)) == 0


def test_work_can_run_without_pauses() -> None:
    def work() -> Cooperative[str]:
        yield
        yield
        return "done"

    assert at_once(work()) == "done"
