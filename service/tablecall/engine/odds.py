"""The exact odds of one action: the probability of everything that can happen."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import orjson

from tablecall.dice.branch import Branch, Mixture, RationalSum
from tablecall.dice.enumeration import explore
from tablecall.dice.memo import memoized, trim
from tablecall.dice.rng import seed_text
from tablecall.engine.budget import Budget, BudgetExceeded
from tablecall.engine.outcomes import NEAREST, mean_and_deviation, outcome_odds, round_odds, short, worded
from tablecall.engine.simulate import part_count, run_trials, simulated_odds
from tablecall.engine.supplied_dice import citing_rule, faces_by_roll, refuse_unused, rolls_without_dice
from tablecall.engine.version import VERSION
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict


def odds(system: System, action: Action, body: Body, budget: Budget | None = None) -> dict[str, Any]:
    """The odds of one action as published (`Odds`), by the ``method`` of the request. Supplied dice are held fixed.

    ``budget`` is charged for every branch and for some trials, and what it raises ends the work. Refuses what `resolve` refuses, and
    with the method ``exact`` more branches than the bound (`TooLargeToCount`).
    """
    budget = budget or Budget()
    if body.method != "simulation":
        try:
            return worded(exact_odds(system, action, body, budget), action, body.language)
        except TooLargeToCount:
            if body.method == "exact":
                raise
    seed = seed_text(body.seed)
    result = run_trials(system, action, body, seed, range(part_count(body)), budget)
    if not result.trials:
        raise BudgetExceeded
    return worded(simulated_odds(system, action, body, seed, result), action, body.language)


def exact_odds(system: System, action: Action, body: Body, budget: Budget) -> dict[str, Any]:
    """The exact odds, without words."""
    try:
        counted = _exact(system, action, body, budget)
    finally:
        trim()
    if any(row["fraction"] is None for row in counted["outcomes"]):
        counted["bound"] = NEAREST
    return counted


def _exact(system: System, action: Action, body: Body, budget: Budget) -> dict[str, Any]:
    supplied = faces_by_roll(system, body)
    if body.repeats > 1:
        return _repeated(system, action, body, budget)
    try:
        branches = list(explore(lambda dice: action.rule(body, dice), supplied, budget.charge))
        refuse_unused(body, {name for branch in branches for name in branch.rolls}, lambda: rolls_without_dice(action, body))
    except WrongDice as error:
        raise citing_rule(system, error) from None
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "exact",
        "outcomes": outcome_odds(action.outcomes, _probabilities(branches)),
        "rolls": _rolls(branches),
        "expected": _expected(branches),
        "rulebook": system.version,
        "version": VERSION,
        **_parts(branches),
        **_rounds(branches),
        **_variants(system, action, body, budget),
    }


def _variants(system: System, action: Action, body: Body, budget: Budget) -> dict[str, Any]:
    """The odds of the requests that are compared with this one (`KeepChoiceOdds`)."""
    rows: list[dict[str, Any]] = []
    for label, variant in body.variants():
        counted = _exact(system, action, variant, budget)
        rows.append({**label, **{name: counted[name] for name in ("outcomes", "expected", "results") if name in counted}})
    return {"keepChoices": rows} if rows else {}


@dataclass(slots=True)
class _State:
    """Where a sequence of the same action may stand: the next request (None: it is over), the outcome so far, whether it stays."""

    body: Body | None
    outcome: str
    lasting: bool
    probability: Fraction


def _repeated(system: System, action: Action, body: Body, budget: Budget) -> dict[str, Any]:
    """The odds of the same action several times in a row, each after the changes of the one before.

    The outcome is that of the last time that changed a participant; if none did, that of the last time. Supplied dice belong to the
    first time. ``rolls`` are those of the first time.
    """
    first = _exact(system, action, body.once, budget)
    states = [_State(body, "", False, Fraction(1))]
    known: dict[bytes, list[tuple[Body | None, str, bool, Fraction, dict[str, Fraction]]]] = {}
    expected: dict[str, Fraction] = {}
    results: list[dict[str, Any]] = []
    chances: dict[str, Fraction] = {}
    for time in range(body.repeats):
        merged: dict[tuple[bytes | None, str, bool], _State] = {}
        for state in states:
            if state.body is None:
                ways: list[Any] = [(None, state.outcome, True, Fraction(1), {})]
            else:
                request = state.body if time == 0 else state.body.model_copy(update={"dice": []})
                key = orjson.dumps(request.sent)
                if key not in known:
                    known[key] = _once(system, action, request, budget)
                ways = known[key]
            for following, outcome, changed, chance, changes in ways:
                probability = state.probability * chance
                lasting = state.lasting or changed
                shown = outcome if changed or not state.lasting else state.outcome
                place = (None if following is None else orjson.dumps(following.sent), shown, lasting)
                merged.setdefault(place, _State(following, shown, lasting, Fraction())).probability += probability
                for stat, change in changes.items():
                    expected[stat] = expected.get(stat, Fraction()) + state.probability * change
        states = list(merged.values())
        chances = {}
        for state in states:
            chances[state.outcome] = chances.get(state.outcome, Fraction()) + state.probability
        results.append({"outcomes": outcome_odds(action.outcomes, chances)})
    means = {stat: float(mean) for stat, mean in expected.items()}
    own = {"outcomes": results[-1]["outcomes"], "expected": means, "results": results}
    return {**first, **own, **_variants(system, action, body, budget)}


def _once(system: System, action: Action, body: Body, budget: Budget) -> list[tuple[Body | None, str, bool, Fraction, dict[str, Fraction]]]:
    """What one time may lead to: the next request, the outcome, whether a participant changed, the probability, and its changes."""
    ways: dict[tuple[bytes | None, str, bool], tuple[Body | None, RationalSum, dict[str, RationalSum]]] = {}
    for branch in explore(lambda dice: action.rule(body, dice), faces_by_roll(system, body), budget.charge):
        verdict = branch.verdict
        changed = any(change.on in type(body).model_fields for change in verdict.changes)
        following = body.following(verdict.changes)
        place = (None if following is None else orjson.dumps(following.sent), verdict.outcome, changed)
        _, chance, changes = ways.setdefault(place, (following, RationalSum(), {}))
        chance.add(branch)
        for change in verdict.changes:
            changes.setdefault(f"{change.on}.{change.stat}", RationalSum()).add(branch, change.change or 0)
    return [
        (following, outcome, changed, chance.total, {stat: mean.total for stat, mean in changes.items()})
        for (_, outcome, changed), (following, chance, changes) in ways.items()
    ]


def _probabilities(branches: list[Branch[Verdict]]) -> dict[str, Fraction]:
    """The probability of each outcome."""
    sums: dict[str, RationalSum] = {}
    for branch in branches:
        sums.setdefault(branch.verdict.odds_outcome or branch.verdict.outcome, RationalSum()).add(branch)
    return {outcome: probability.total for outcome, probability in sums.items()}


def _parts(branches: list[Branch[Verdict]]) -> dict[str, Any]:
    """The odds of each action of a conflict (`PartOdds`), where the ruling shows it."""
    sums: list[dict[str, RationalSum]] = []
    places: list[str] = []
    for branch in branches:
        for number, part in enumerate(branch.verdict.parts):
            if not part.counted:
                return {}
            if number == len(sums):
                sums.append({})
                places.append(part.at)
            outcome = part.verdict.odds_outcome or part.verdict.outcome
            sums[number].setdefault(outcome, RationalSum()).add(branch)
    parts: dict[str, Any] = {}
    for at, chances in zip(places, sums, strict=True):
        own = {"outcomes": outcome_odds((), {outcome: chance.total for outcome, chance in chances.items()})}
        if at == "turn":
            parts[at] = own
        else:
            parts.setdefault(at, []).append(own)
    return parts


def _rolls(branches: list[Branch[Verdict]]) -> list[dict[str, Any]]:
    """Each roll's distribution, given that it is made. If its dice depend on earlier ones it is a mixture."""
    mixtures: dict[str, Mixture] = {}
    for branch in branches:
        for name, distribution in branch.rolls.items():
            mixtures.setdefault(name, Mixture()).add(distribution, branch)
    totals = ((name, mixture.total) for name, mixture in mixtures.items())
    return [{"roll": name, **_roll_odds(total.low, total.weights, total.denominator)} for name, total in totals]


@memoized(cost=lambda roll: 10 * len(roll["distribution"]))
def _roll_odds(low: int, weights: tuple[int, ...], denominator: int) -> dict[str, Any]:
    """Every total with its probability, the mean and the standard deviation. Shared: do not change it."""
    totals = [(total, weight) for total, weight in enumerate(weights, low) if weight]
    # The text of a reduced `Fraction`, without building one. Only the single total of a certain roll has no denominator.
    divisors = [gcd(weight, denominator) for _, weight in totals]
    texts = (
        [f"{weight // divisor}/{denominator // divisor}" for (_, weight), divisor in zip(totals, divisors, strict=True)]
        if len(totals) > 1
        else ["1"]
    )
    return {
        "distribution": [
            {"total": total, "probability": weight / denominator, "fraction": short(text)}
            for (total, weight), text in zip(totals, texts, strict=True)
        ],
        **mean_and_deviation(totals, denominator),
    }


def _rounds(branches: list[Branch[Verdict]]) -> dict[str, Any]:
    """The number of rounds, if the action follows a process."""
    following = [(branch.rounds, branch) for branch in branches if branch.rounds is not None]
    if not following:
        return {}
    mixture = Mixture()
    for rounds, branch in following:
        mixture.add(rounds, branch)
    total = mixture.total
    return {"rounds": round_odds(enumerate(total.weights, total.low), total.denominator)}


def _expected(branches: list[Branch[Verdict]]) -> dict[str, float]:
    """The mean change of each stat."""
    sums: dict[str, RationalSum] = {}
    for branch in branches:
        for change in branch.verdict.changes:
            if change.change is not None:
                sums.setdefault(f"{change.on}.{change.stat}", RationalSum()).add(branch, change.change)
    return {stat: float(mean.total) for stat, mean in sums.items()}
