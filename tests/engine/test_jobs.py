"""Jobs for worker processes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tablecall.engine import Budget, BudgetExceeded, resolve, run_trials
from tablecall.engine.jobs import count_odds, make_ruling, play_trials
from tablecall.engine.odds import exact_odds
from tablecall.engine.requests import body_of
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.systems import ACTIONS
from tests.support.client import EXAMPLES, ids

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 1}
SHEET = {"name": "Somebody", "aspects": [{"name": "brave", "bonus": 2}], "health": {"current": 3, "max": 4}}
FIGHTERS = [{"id": side, "side": side, "actor": {"character": SHEET, "using": ["brave"]}} for side in "xy"]
FIGHT: dict[str, Any] = {"combatants": FIGHTERS, "method": "simulation", "trials": 200, "seed": "s"}
SECONDS = 300.0


def sent(tag: str, document: dict[str, Any]) -> Any:
    return body_of(ACTIONS[tag][1], document)


def test_odds_and_their_branches() -> None:
    body = sent("jazz.check", CHECK)
    assert count_odds("jazz.check", body, 1000, SECONDS) == (exact_odds(*ACTIONS["jazz.check"], body, Budget()), 3)


def test_odds_with_too_many_branches_are_refused() -> None:
    with pytest.raises(TooLargeToCount, match="at most 50000 branches"):
        count_odds("jazz.check", sent("jazz.check", CHECK), 2, SECONDS)


def test_slow_odds_are_stopped() -> None:
    with pytest.raises(BudgetExceeded):
        count_odds("jazz.check", sent("jazz.check", CHECK), 1000, 0)


def test_refusal_is_raised() -> None:
    with pytest.raises(WrongDice):
        count_odds("jazz.check", sent("jazz.check", CHECK | {"dice": [{"roll": "nobody", "faces": [1, 2]}]}), 1000, SECONDS)


def test_ruling_with_extras() -> None:
    body, include = sent("jazz.fight", FIGHT), frozenset({"factors"})
    assert make_ruling("jazz.fight", body, include, SECONDS) == resolve(*ACTIONS["jazz.fight"], body, include=include)


def test_slow_ruling_is_stopped() -> None:
    with pytest.raises(BudgetExceeded):
        make_ruling("jazz.fight", sent("jazz.fight", FIGHT), frozenset(), 0)


def test_trials_with_their_branches_and_time() -> None:
    body: Body = sent("jazz.fight", FIGHT)
    result, branches, seconds = play_trials("jazz.fight", body, "s", range(1, 3), 1000, SECONDS)
    assert result == run_trials(*ACTIONS["jazz.fight"], body, "s", range(1, 3))
    assert (result.trials, branches) == (100, 50)
    assert seconds > 0


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_request_is_the_same_in_another_process(tag: str, name: str, body: dict[str, Any]) -> None:
    request = sent(tag, body)
    moved = pickle.loads(pickle.dumps(request))
    assert moved == request
    assert moved.sent == request.sent
    assert resolve(*ACTIONS[tag], moved) == resolve(*ACTIONS[tag], request)
