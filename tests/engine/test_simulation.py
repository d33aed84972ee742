"""Simulated odds, on `jazz.fight`: trials, intervals, parts, and a budget that runs out."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from tablecall import engine
from tablecall.engine.budget import Budget, BudgetExceeded
from tablecall.model.refusals import WrongDice
from tablecall.systems import ACTIONS
from tablecall.systems.jazz.fight import JazzFight
from tests.systems.jazz.playing import MISS, blow, fighter, fractions, odds, order, play

SYSTEM, FIGHT = ACTIONS["jazz.fight"]
A, C = fighter("ana", "x"), fighter("cy", "y")
DUEL: dict[str, Any] = {"combatants": [A, C], "order": order("ana", "cy")}
ASKED: dict[str, Any] = {
    "combatants": [fighter("ana", "x", 3, 3), fighter("bo", "x", 2), fighter("cy", "y", 4, 3)],
    "method": "simulation",
    "trials": 2000,
    "seed": "s",
}


def asked(**more: Any) -> dict[str, Any]:
    return {**ASKED, **more}


def trials_run(trials: int, parts: range, budget: int | None = None) -> engine.SimulationResult:
    pace = [] if budget is None else [Budget(budget)]
    return engine.run_trials(SYSTEM, FIGHT, JazzFight.read(asked(trials=trials)), "s", parts, *pace)


def test_intervals_hold_the_exact_odds() -> None:
    exact = {row["outcome"]: row["probability"] for row in odds("fight", **asked(method="exact"))["outcomes"]}
    simulated = odds("fight", **asked())
    assert (simulated["action"], simulated["method"], simulated["rolls"]) == ("jazz.fight", "simulation", [])
    assert simulated["simulated"] == {"trials": 2000, "seed": "s", "seedFrom": "request", "confidence": 0.95}
    for row in simulated["outcomes"]:
        low, high = row["interval"]["low"], row["interval"]["high"]
        if row["outcome"] == "undecided":
            assert (row["probability"], low, row["percent"]) == (0, 0, "<0.2 %")
            continue
        assert low < exact[row["outcome"]] < high
        assert low < row["probability"] < high
        assert 0.03 < high - low < 0.05
    assert sum(Fraction(row["fraction"]) for row in simulated["outcomes"]) == 1


def test_means_are_close_to_the_exact_ones() -> None:
    exact, simulated = odds("fight", **asked(method="exact")), odds("fight", **asked(trials=20000))
    assert simulated["expected"] == {stat: pytest.approx(mean, abs=0.04) for stat, mean in exact["expected"].items()}
    for moment in ("mean", "standardDeviation"):
        assert simulated["rounds"][moment] == pytest.approx(exact["rounds"][moment], abs=0.04)
    assert sum(row["probability"] for row in simulated["rounds"]["distribution"]) == pytest.approx(1)


def test_seed() -> None:
    simulated = odds("fight", **asked())
    assert simulated == odds("fight", **asked())
    assert [row["fraction"] for row in simulated["outcomes"]] == ["1699/2000", "301/2000", "0"]
    assert odds("fight", **asked(seed="t"))["outcomes"] != simulated["outcomes"]
    drawn = odds("fight", **asked(seed=None))["simulated"]
    assert (drawn["seedFrom"], len(drawn["seed"])) == ("service", 32)


def test_parts_add_up_to_the_whole() -> None:
    whole = trials_run(1700, range(34))
    parted = engine.SimulationResult()
    for parts in (range(20, 34), range(1), range(1, 20)):
        parted.add(trials_run(1700, parts))
    assert (parted, whole.trials, whole.cut) == (whole, 1700, False)


def test_supplied_dice() -> None:
    asked = {"combatants": [A, C], "method": "simulation", "trials": 400}
    won = {"combatants.0": [6, 6], "combatants.1": [1, 1]} | blow(1, 0, 1)
    assert fractions("fight", won, **asked) == {"x": "1", "y": "0", "undecided": "0"}
    assert fractions("fight", blow(1, 0, 1, MISS) | blow(1, 1, 0), **asked, order=order("ana", "cy")) == {
        "x": "0",
        "y": "1",
        "undecided": "0",
    }


@pytest.mark.parametrize(("trials", "parts"), [(100, 2), (101, 3), (120, 3), (149, 3), (150, 3), (1700, 34)])
def test_number_of_trials(trials: int, parts: int) -> None:
    simulated = odds("fight", **asked(trials=trials))
    assert simulated["simulated"]["trials"] == trials
    assert all((Fraction(row["fraction"]) * trials).denominator == 1 for row in simulated["outcomes"])
    assert engine.part_count(JazzFight.read(asked(trials=trials))) == parts


def test_part_cut_short_marks_the_whole() -> None:
    result = engine.SimulationResult()
    for more, cut in ((engine.SimulationResult(), False), (engine.SimulationResult(cut=True), True), (engine.SimulationResult(), True)):
        result.add(more)
        assert result.cut is cut


@pytest.mark.parametrize(("budget", "trials"), [(0, 0), (1, 2), (24, 48), (25, 50), (26, 52), (50, 100), (59, 118)])
def test_out_of_budget(budget: int, trials: int) -> None:
    """Two trials cost one branch. The result is that of a request for the trials run so far."""
    cut = trials_run(120, range(3), budget)
    assert (cut.trials, cut.cut) == (trials, True)
    cut.cut = False
    shorter = JazzFight.read(asked(trials=120)).model_copy(update={"trials": trials})
    assert cut == engine.run_trials(SYSTEM, FIGHT, shorter, "s", range(engine.part_count(shorter)))


def test_budget_that_is_just_enough() -> None:
    assert not trials_run(120, range(3), 60).cut


def test_odds_of_no_trials_are_refused() -> None:
    request = JazzFight.read(asked(trials=120))
    with pytest.raises(BudgetExceeded):
        engine.odds(SYSTEM, FIGHT, request, Budget(0))
    assert engine.odds(SYSTEM, FIGHT, request, Budget(5))["simulated"]["trials"] == 10


def test_unused_dice_are_refused_only_after_every_trial() -> None:
    request = JazzFight.read(asked(trials=120, dice=[{"roll": "combatants.0.throw9", "faces": [1, 1]}]))
    some, every = (engine.run_trials(SYSTEM, FIGHT, request, "s", parts) for parts in (range(2), range(3)))
    assert engine.simulated_odds(SYSTEM, FIGHT, request, "s", some)["simulated"]["trials"] == 100
    with pytest.raises(WrongDice, match=r"no turn here can make combatants\.0\.throw9; the nearest is combatants\.0"):
        engine.simulated_odds(SYSTEM, FIGHT, request, "s", every)


def test_roll_supplied_twice() -> None:
    twice = [{"roll": "combatants.0.round1.attack", "faces": [1, 1]}] * 2
    with pytest.raises(WrongDice, match="each roll is given once") as caught:
        odds("fight", **asked(dice=twice))
    assert [(finding.rule, finding.pointer) for finding in caught.value.findings] == [("jazz.dice.roll", "/dice/1/roll")]


def test_method_does_not_change_a_ruling() -> None:
    assert play("fight", **DUEL, seed=8) == play("fight", **DUEL, seed=8, method="simulation", trials=100)


def test_wilson_interval() -> None:
    """Each end is 1.96 standard deviations of a share of that size away."""
    for row in odds("fight", **asked(trials=500))["outcomes"]:
        for end, sign in (("high", 1), ("low", -1)):
            share = row["interval"][end]
            deviation = 1.959964 * sqrt(share * (1 - share) / 500)
            assert share == pytest.approx(row["probability"] + sign * deviation, abs=1e-6)


def test_interval_of_a_certain_outcome() -> None:
    row, never = odds("fight", combatants=[A, fighter("bo", "x")], method="simulation", trials=100)["outcomes"]
    assert (row["percent"], row["interval"]["high"]) == (">96.3 %", 1.0)
    assert (never["outcome"], never["percent"], never["interval"]["low"]) == ("undecided", "<3.7 %", 0.0)
    assert row["interval"]["low"] == pytest.approx(0.963, abs=0.001)


def test_outcomes_are_those_that_the_action_may_have() -> None:
    """Whom the request names, or else the action; an order of initiative is neither."""
    entrants = [{"id": name, "name": name} for name in "abc"]
    orders = odds("initiative", combatants=entrants, method="simulation", trials=100, seed=1)["outcomes"]
    assert {">" in row["outcome"] for row in orders} == {True}
    check = odds("check", actor={"bonus": 30}, difficulty=9, method="simulation", trials=100, seed=1)["outcomes"]
    assert [row["outcome"] for row in check] == ["success", "failure", "stalemate", "automatic", "impossible"]
    assert {row["percent"] for row in check[1:]} == {"<3.7 %"}


def test_exchanges_and_changes_without_a_number() -> None:
    system, attack = ACTIONS["darkpages.attack"]
    sheet = {"name": "Nyx", "attributes": {name: {"roll": 3, "keep": 2} for name in ("body", "mind", "soul")}, "lethal": "health"}
    asked = {
        "attacker": {"pool": {"roll": 5, "keep": 3}},
        "defender": {"character": sheet, "attribute": "body"},
        "trauma": "injury",
        "exchanges": 3,
        "seed": "s",
        "trials": 4000,
    }
    exact, simulated = (engine.odds(system, attack, attack.body.read({**asked, "method": method})) for method in ("exact", "simulation"))
    assert len(simulated["results"]) == 3
    for counted, played in zip([exact, *exact["results"]], [simulated, *simulated["results"]], strict=True):
        chances = {row["outcome"]: row["probability"] for row in counted["outcomes"]}
        for row in played["outcomes"]:
            assert row["interval"]["low"] - 0.01 <= chances.get(row["outcome"], 0.0) <= row["interval"]["high"] + 0.01
    karma = ACTIONS["jazz.karma"]
    granted = {"character": {"name": "Rook", "aspects": []}, "grant": "positive", "method": "simulation", "trials": 100, "seed": 1}
    assert engine.odds(*karma, karma[1].body.read(granted))["expected"] == {"character.karma": 1.0}
    fate = ACTIONS["jazz.fate"]
    recorded = {**granted, "condition": "captured"}
    del recorded["grant"]
    assert engine.odds(*fate, fate[1].body.read(recorded))["expected"] == {}
    order_ = {"combatants": [A, C], "order": order("ana", "cy"), "orders": [{"by": ["ana"], "attack": "cy"}]}
    assert "turns" not in odds("round", **order_, method="simulation", trials=100, seed=1)


def test_trials_of_several_parts_add_up_their_variants() -> None:
    system, check = ACTIONS["darkpages.check"]
    body = check.body.read({"actor": {"pool": {"roll": 4, "keep": 2}}, "targetNumber": 12, "keepChoices": True, "trials": 200, "seed": 1})
    whole, parted = engine.run_trials(system, check, body, "s", range(4)), engine.SimulationResult()
    for parts in (range(2), range(2, 4)):
        parted.add(engine.run_trials(system, check, body, "s", parts))
    assert parted == whole
    assert [variant.trials for variant in parted.variants] == [200] * 3


def test_parts_of_a_conflict_add_up() -> None:
    one = trials_run(100, range(1))
    one.parts[("results", 0)] = one.outcomes
    both = engine.SimulationResult()
    both.add(one)
    both.add(one)
    assert both.parts[("results", 0)] == one.outcomes + one.outcomes


def test_turn_has_odds_of_its_own() -> None:
    asked = {"combatants": [A, C], "order": order("ana", "cy"), "turn": {"by": ["ana"], "attack": "cy"}, "seed": 1, "trials": 2000}
    exact, simulated = (odds("turn", **asked, method=method)["turn"]["outcomes"] for method in ("exact", "simulation"))
    chances = {row["outcome"]: row["probability"] for row in exact}
    assert {row["outcome"] for row in simulated} == {"hit", "miss"}
    assert all(row["interval"]["low"] <= chances[row["outcome"]] <= row["interval"]["high"] for row in simulated)
