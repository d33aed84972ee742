"""Simulated odds, for actions whose exact odds are too large to count: many trials with one seed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any, cast

from tablecall.dice.enumeration import no_supplied_dice
from tablecall.dice.sample import SampledDice, random_numbers
from tablecall.engine.budget import Budget, BudgetExceeded
from tablecall.engine.outcomes import outcome_odds, round_odds
from tablecall.engine.supplied_dice import citing_rule, faces_by_roll, refuse_unused, rolls_without_dice
from tablecall.engine.version import VERSION
from tablecall.model.base import Body
from tablecall.model.refusals import WrongDice
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict

TRIALS_PER_PART = 50
"""The trials of one part. Parts draw independent random numbers, so they can run in different processes."""
TRIALS_PER_BRANCH = 2
"""How many trials cost as much as one branch of exact odds."""
CONFIDENCE = 0.95
"""The confidence of the intervals."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(slots=True)
class SimulationResult:
    """The result of some trials: how often each outcome and each number of rounds occurred, summed changes by stat, the rolls made.

    ``parts`` are the outcomes of each action of a conflict, or of each time of several, by where the odds show them. ``variants`` are the
    results of the requests that are compared with this one.
    """

    trials: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    rolls: set[str] = field(default_factory=set)
    parts: dict[tuple[str, int], Counter[str]] = field(default_factory=dict)
    variants: list[SimulationResult] = field(default_factory=list)
    cut: bool = False
    """Whether the time ran out before all trials were done."""

    def add(self, other: SimulationResult) -> None:
        """Add the result of other trials."""
        self.trials += other.trials
        self.outcomes.update(other.outcomes)
        self.changes.update(other.changes)
        self.rounds.update(other.rounds)
        self.rolls |= other.rolls
        for place, outcomes in other.parts.items():
            self.parts.setdefault(place, Counter()).update(outcomes)
        for mine, theirs in zip(self.variants, other.variants, strict=False):
            mine.add(theirs)
        self.variants += other.variants[len(self.variants) :]
        self.cut |= other.cut


def part_count(body: Body) -> int:
    """The number of parts the trials are split into."""
    return -(-body.trials // TRIALS_PER_PART)


def run_trials(system: System, action: Action, body: Body, seed: str, which: range, budget: Budget | None = None) -> SimulationResult:
    """Run some parts of the trials. A seed gives the same result in every process and in any order of the parts.

    ``budget`` is charged once per `TRIALS_PER_BRANCH` trials. If it raises `BudgetExceeded`, the result has the trials run so far,
    which may be none, and is marked as cut.
    """
    variants = [variant for _, variant in body.variants()]
    result = SimulationResult(variants=[SimulationResult() for _ in variants])
    charge = (budget or Budget()).charge
    questions = [
        _Simulation(system, action, question, own) for question, own in zip([body, *variants], [result, *result.variants], strict=True)
    ]
    try:
        for part in which:
            for question in questions:
                numbers = random_numbers(seed, part)
                for trial in range(min(TRIALS_PER_PART, body.trials - part * TRIALS_PER_PART)):
                    if not trial % TRIALS_PER_BRANCH:
                        charge()
                    question.play(numbers)
    except WrongDice as error:
        raise citing_rule(system, error) from None
    except BudgetExceeded:
        result.cut = True
    return result


class _Simulation:
    """The trials of one request, added up in ``result``."""

    def __init__(self, system: System, action: Action, body: Body, result: SimulationResult) -> None:
        self.action = action
        self.body = body
        self.result = result
        self.supplied = faces_by_roll(system, body)
        self.cache: dict[object, object] = {}

    def play(self, numbers: Iterator[int]) -> None:
        """One trial: the action once, or as often as the request says, each after the changes of the one before."""
        result, body = self.result, self.body
        dice = SampledDice(self.supplied, numbers, self.cache, result.rolls)
        verdict = self.action.rule(body, dice)
        outcome = self._add(verdict)
        if dice.last_round is not None:
            result.rounds[dice.last_round] += 1
        result.trials += 1
        if body.repeats > 1:
            outcome = self._repeat(numbers, verdict)
        result.outcomes[outcome] += 1

    def _repeat(self, numbers: Iterator[int], verdict: Verdict) -> str:
        """The other times. The outcome is that of the last time that changed a participant, or else that of the last."""
        shown, lasting, following = verdict.outcome, self._lasts(verdict), self.body.following(verdict.changes)
        self._count("results", 0, shown)
        for time in range(1, self.body.repeats):
            if following is not None:
                request = following.model_copy(update={"dice": []})
                verdict = self.action.rule(request, SampledDice(no_supplied_dice, numbers, {}, self.result.rolls))
                self._add(verdict)
                changed = self._lasts(verdict)
                shown = verdict.outcome if changed or not lasting else shown
                lasting |= changed
                following = request.following(verdict.changes)
            self._count("results", time, shown)
        return shown

    def _lasts(self, verdict: Verdict) -> bool:
        return any(change.on in type(self.body).model_fields for change in verdict.changes)

    def _add(self, verdict: Verdict) -> str:
        """Add the changes and the parts of a verdict; its outcome."""
        for change in verdict.changes:
            if change.change is not None:
                self.result.changes[f"{change.on}.{change.stat}"] += cast("int", change.change)
        if all(part.counted for part in verdict.parts):
            for number, part in enumerate(verdict.parts):
                self._count(part.at, number, part.verdict.odds_outcome or part.verdict.outcome)
        return verdict.odds_outcome or verdict.outcome

    def _count(self, at: str, number: int, outcome: str) -> None:
        self.result.parts.setdefault((at, number), Counter())[outcome] += 1


def simulated_odds(system: System, action: Action, body: Body, seed: str, result: SimulationResult) -> dict[str, Any]:
    """The odds as published (`Odds`), from the trials done so far."""
    if result.trials == body.trials:
        try:
            refuse_unused(body, result.rolls, lambda: rolls_without_dice(action, body))
        except WrongDice as error:
            raise citing_rule(system, error) from None
    variants = [
        {**label, **_estimates(action, body, own)} for (label, _), own in zip(body.variants(), result.variants, strict=True) if own.trials
    ]
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "simulation",
        "rolls": [],
        **_estimates(action, body, result),
        "rulebook": system.version,
        "version": VERSION,
        **({"rounds": round_odds(result.rounds.items(), result.trials)} if result.rounds else {}),
        **({"keepChoices": variants} if variants else {}),
        "trials": result.trials,
        "simulated": {
            "trials": result.trials,
            "seed": seed,
            "seedFrom": "service" if body.seed is None else "request",
            "confidence": CONFIDENCE,
        },
    }


def _estimates(action: Action, body: Body, result: SimulationResult) -> dict[str, Any]:
    """What the trials say about the outcomes, the changes and the parts. Outcomes that never came up are listed, too."""
    possible = body.named_outcomes() or (action.outcomes if result.outcomes.keys() <= set(action.outcomes) else ())
    parts: dict[str, Any] = {}
    for (at, _), outcomes in sorted(result.parts.items()):
        own = {"outcomes": _outcome_estimates((), outcomes)}
        if at == "turn":
            parts[at] = own
        else:
            parts.setdefault(at, []).append(own)
    return {
        "outcomes": _outcome_estimates(action.outcomes, Counter(dict.fromkeys(possible, 0) | result.outcomes)),
        "expected": {stat: change / result.trials for stat, change in result.changes.items()},
        **parts,
    }


def _outcome_estimates(order: Sequence[str], outcomes: Mapping[str, int]) -> list[dict[str, Any]]:
    """The share of each outcome, with its confidence interval."""
    trials = sum(outcomes.values())
    rows = outcome_odds(order, {outcome: Fraction(count, trials) for outcome, count in outcomes.items()})
    for row in rows:
        count = outcomes[row["outcome"]]
        row["interval"] = interval = _interval(count, trials)
        if not count:
            row["percent"] = f"<{math.ceil(interval['high'] * 1000) / 10:.1f} %"
        elif count == trials:
            row["percent"] = f">{math.floor(interval['low'] * 1000) / 10:.1f} %"
    return rows


def _interval(count: int, trials: int) -> dict[str, float]:
    """Wilson's confidence interval of a proportion (Journal of the American Statistical Association 22, 1927)."""
    proportion, square = count / trials, _Z * _Z
    center = proportion + square / (2 * trials)
    width = _Z * math.sqrt(proportion * (1 - proportion) / trials + square / (4 * trials * trials))
    divisor = 1 + square / trials
    # At the ends the formula gives 0 and 1, but for the error of floating-point numbers.
    return {"low": (center - width) / divisor if count else 0.0, "high": (center + width) / divisor if count < trials else 1.0}
