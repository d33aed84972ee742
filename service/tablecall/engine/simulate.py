"""The odds of what is too large to count: played so many times, with a seed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any, TypeGuard, cast

from tablecall.dice.faces import FaceSource
from tablecall.dice.markov import no_checkpoint
from tablecall.dice.sample import SampledDice, drawn
from tablecall.engine.budget import BudgetExceeded
from tablecall.engine.outcomes import lengths, outcomes
from tablecall.engine.supplied_dice import all_rolled, by_rule_of, held, once_made
from tablecall.engine.version import VERSION
from tablecall.model.base import Body, Simulable
from tablecall.model.refusals import WrongDice
from tablecall.systems.system import Action, System

A_PART = 50
"""How many trials are drawn from one part of the seed's numbers."""
TRIALS_A_BRANCH = 2
"""How many trials count as one branch of exact odds."""
CONFIDENCE = 0.95
"""How sure the intervals are."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(slots=True)
class SimulationResult:
    """What came of some trials: how often each outcome, the changes of each stat added up, how many rounds each, the rolls made."""

    trials: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    rolled: set[str] = field(default_factory=set)
    cut: bool = False
    """Whether there was no time for more."""

    def add(self, more: SimulationResult) -> None:
        """Take in what came of others."""
        self.trials += more.trials
        self.outcomes.update(more.outcomes)
        self.changes.update(more.changes)
        self.rounds.update(more.rounds)
        self.rolled |= more.rolled
        self.cut |= more.cut


def is_simulated(body: Body) -> TypeGuard[Simulable]:
    """Whether the odds are asked for by simulation."""
    return isinstance(body, Simulable) and body.method == "simulation"


def parts(body: Simulable) -> int:
    """In how many parts the trials are played."""
    return -(-body.trials // A_PART)


def played(
    system: System, action: Action, body: Simulable, seed: str, which: range, pace: Callable[[], None] = no_checkpoint
) -> SimulationResult:
    """Play some parts of the trials: a seed gives the same result in every process and in any order of the parts.

    ``pace`` is called for every branch the trials count as. If it raises `BudgetExceeded`, the trials played so far are the result,
    marked as cut; if there are none, the request is refused.
    """
    fixed, found, made = held(system, body), SimulationResult(), dict[object, object]()
    try:
        for part in which:
            found.add(_part(action, body, drawn(seed, part), min(A_PART, body.trials - part * A_PART), fixed, made, pace))
    except WrongDice as error:
        raise by_rule_of(system, error) from None
    except BudgetExceeded:
        if not found.trials and not which.start:
            raise
        found.cut = True
    return found


def _part(
    action: Action,
    body: Simulable,
    draws: Iterator[int],
    trials: int,
    fixed: Callable[[str], FaceSource | None],
    made: dict[object, object],
    pace: Callable[[], None],
) -> SimulationResult:
    found = SimulationResult(trials)
    for trial in range(trials):
        if not trial % TRIALS_A_BRANCH:
            pace()
        dice = SampledDice(fixed, draws, made, found.rolled)
        verdict = action.rule(body, dice)
        found.outcomes[verdict.outcome] += 1
        if dice.lasted is not None:
            found.rounds[dice.lasted] += 1
        for change in verdict.changes:
            found.changes[f"{change.on}.{change.stat}"] += cast("int", change.change)
    return found


def simulated(system: System, action: Action, body: Simulable, seed: str, found: SimulationResult) -> dict[str, Any]:
    """The odds as the trials played so far have them, in the published shape's words."""
    if found.trials == body.trials:
        try:
            all_rolled(body, found.rolled, lambda: once_made(action, body))
        except WrongDice as error:
            raise by_rule_of(system, error) from None
    rows = outcomes(action, {word: Fraction(number, found.trials) for word, number in found.outcomes.items()})
    for row in rows:
        row["interval"] = _interval(found.outcomes[row["outcome"]], found.trials)
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "simulation",
        "outcomes": rows,
        "rolls": [],
        "expected": {stat: change / found.trials for stat, change in found.changes.items()},
        "rulebook": system.version,
        "version": VERSION,
        **({"rounds": lengths(found.rounds.items(), found.trials)} if found.rounds else {}),
        "simulated": {
            "trials": found.trials,
            "seed": seed,
            "seedFrom": "service" if body.seed is None else "request",
            "confidence": CONFIDENCE,
        },
    }


def _interval(times: int, trials: int) -> dict[str, float]:
    """The confidence interval of a share, as Wilson has it (Journal of the American Statistical Association 22, 1927)."""
    share, square = times / trials, _Z * _Z
    middle = share + square / (2 * trials)
    width = _Z * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    whole = 1 + square / trials
    return {"low": max((middle - width) / whole, 0.0), "high": min((middle + width) / whole, 1.0)}
