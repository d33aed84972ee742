"""Simulated odds, for actions whose exact odds are too large to count: many trials with one seed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any, TypeGuard, cast

from tablecall.dice.sample import SampledDice, random_numbers
from tablecall.engine.budget import Budget, BudgetExceeded
from tablecall.engine.outcomes import outcome_odds, round_odds
from tablecall.engine.supplied_dice import citing_rule, faces_by_roll, refuse_unused, rolls_without_dice
from tablecall.engine.version import VERSION
from tablecall.model.base import Body, Simulable
from tablecall.model.refusals import WrongDice
from tablecall.systems.system import Action, System

TRIALS_PER_PART = 50
"""The trials of one part. Parts draw independent random numbers, so they can run in different processes."""
TRIALS_PER_BRANCH = 2
"""How many trials cost as much as one branch of exact odds."""
CONFIDENCE = 0.95
"""The confidence of the intervals."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(slots=True)
class SimulationResult:
    """The result of some trials: how often each outcome and each number of rounds occurred, summed changes by stat, the rolls made."""

    trials: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    rolls: set[str] = field(default_factory=set)
    cut: bool = False
    """Whether the time ran out before all trials were done."""

    def add(self, other: SimulationResult) -> None:
        """Add the result of other trials."""
        self.trials += other.trials
        self.outcomes.update(other.outcomes)
        self.changes.update(other.changes)
        self.rounds.update(other.rounds)
        self.rolls |= other.rolls
        self.cut |= other.cut


def is_simulated(body: Body) -> TypeGuard[Simulable]:
    """Whether the request asks for simulated odds."""
    return isinstance(body, Simulable) and body.method == "simulation"


def part_count(body: Simulable) -> int:
    """The number of parts the trials are split into."""
    return -(-body.trials // TRIALS_PER_PART)


def run_trials(system: System, action: Action, body: Simulable, seed: str, which: range, budget: Budget | None = None) -> SimulationResult:
    """Run some parts of the trials. A seed gives the same result in every process and in any order of the parts.

    ``budget`` is charged once per `TRIALS_PER_BRANCH` trials. If it raises `BudgetExceeded`, the result has the trials run so far,
    which may be none, and is marked as cut.
    """
    charge = (budget or Budget()).charge
    supplied, result, cache = faces_by_roll(system, body), SimulationResult(), dict[object, object]()
    try:
        for part in which:
            numbers = random_numbers(seed, part)
            for trial in range(min(TRIALS_PER_PART, body.trials - part * TRIALS_PER_PART)):
                if not trial % TRIALS_PER_BRANCH:
                    charge()
                dice = SampledDice(supplied, numbers, cache, result.rolls)
                verdict = action.rule(body, dice)
                result.trials += 1
                result.outcomes[verdict.outcome] += 1
                if dice.last_round is not None:
                    result.rounds[dice.last_round] += 1
                for change in verdict.changes:
                    result.changes[f"{change.on}.{change.stat}"] += cast("int", change.change)
    except WrongDice as error:
        raise citing_rule(system, error) from None
    except BudgetExceeded:
        result.cut = True
    return result


def simulated_odds(system: System, action: Action, body: Simulable, seed: str, result: SimulationResult) -> dict[str, Any]:
    """The odds as published (`Odds`), from the trials done so far."""
    if result.trials == body.trials:
        try:
            refuse_unused(body, result.rolls, lambda: rolls_without_dice(action, body))
        except WrongDice as error:
            raise citing_rule(system, error) from None
    outcomes = outcome_odds(action, {outcome: Fraction(count, result.trials) for outcome, count in result.outcomes.items()})
    for row in outcomes:
        row["interval"] = _interval(result.outcomes[row["outcome"]], result.trials)
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "simulation",
        "outcomes": outcomes,
        "rolls": [],
        "expected": {stat: change / result.trials for stat, change in result.changes.items()},
        "rulebook": system.version,
        "version": VERSION,
        **({"rounds": round_odds(result.rounds.items(), result.trials)} if result.rounds else {}),
        "simulated": {
            "trials": result.trials,
            "seed": seed,
            "seedFrom": "service" if body.seed is None else "request",
            "confidence": CONFIDENCE,
        },
    }


def _interval(count: int, trials: int) -> dict[str, float]:
    """Wilson's confidence interval of a proportion (Journal of the American Statistical Association 22, 1927)."""
    proportion, square = count / trials, _Z * _Z
    center = proportion + square / (2 * trials)
    width = _Z * math.sqrt(proportion * (1 - proportion) / trials + square / (4 * trials * trials))
    divisor = 1 + square / trials
    return {"low": max((center - width) / divisor, 0.0), "high": min((center + width) / divisor, 1.0)}
