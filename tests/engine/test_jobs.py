"""Work that another process can do."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.engine import BudgetExceeded, odds, resolve, run_trials
from tablecall.engine.jobs import count_odds, make_ruling, play_trials
from tablecall.engine.requests import body_of
from tablecall.model.base import Simulable
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.systems import ACTIONS

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 1}
SHEET = {"name": "Somebody", "aspects": [{"name": "brave", "bonus": 2}], "health": {"current": 3, "max": 4}}
FIGHTERS = [{"id": side, "side": side, "actor": {"character": SHEET, "using": ["brave"]}} for side in "xy"]
FIGHT: dict[str, Any] = {"combatants": FIGHTERS, "method": "simulation", "trials": 200, "seed": "s"}
SECONDS = 300.0


def sent(tag: str, document: dict[str, Any]) -> Any:
    return body_of(ACTIONS[tag][1], document)


def test_odds_come_with_the_branches_they_took() -> None:
    body = sent("jazz.check", CHECK)
    assert count_odds("jazz.check", body, 1000, SECONDS) == (odds(*ACTIONS["jazz.check"], body), 3)


def test_odds_of_too_many_branches_are_refused() -> None:
    with pytest.raises(TooLargeToCount, match="in all"):
        count_odds("jazz.check", sent("jazz.check", CHECK), 2, SECONDS)


def test_odds_that_take_too_long_are_ended() -> None:
    with pytest.raises(BudgetExceeded):
        count_odds("jazz.check", sent("jazz.check", CHECK), 1000, 0)


def test_a_refusal_is_raised() -> None:
    with pytest.raises(WrongDice):
        count_odds("jazz.check", sent("jazz.check", CHECK | {"dice": [{"roll": "nobody", "faces": [1, 2]}]}), 1000, SECONDS)


def test_a_ruling_has_the_extras_requested() -> None:
    body, include = sent("jazz.fight", FIGHT), frozenset({"factors"})
    assert make_ruling("jazz.fight", body, include, SECONDS) == resolve(*ACTIONS["jazz.fight"], body, include=include)


def test_a_ruling_that_takes_too_long_is_ended() -> None:
    with pytest.raises(BudgetExceeded):
        make_ruling("jazz.fight", sent("jazz.fight", FIGHT), frozenset(), 0)


def test_trials_come_with_the_branches_they_count_as_and_the_time_they_took() -> None:
    body: Simulable = sent("jazz.fight", FIGHT)
    result, branches, seconds = play_trials("jazz.fight", body, "s", range(1, 3), 1000, SECONDS)
    assert result == run_trials(*ACTIONS["jazz.fight"], body, "s", range(1, 3))
    assert (result.trials, branches) == (100, 50)
    assert 0 < seconds < SECONDS
