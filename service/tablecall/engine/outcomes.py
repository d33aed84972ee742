"""Probabilities in the published shapes: by outcome, by number of rounds, as percent."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tablecall.engine.text import outcome_text
from tablecall.model.text import CATALOGUE, LANGUAGES, Language, Scope
from tablecall.systems.system import Action

MAX_DIGITS = 40
"""The most digits of a fraction that is published, above and below the line together."""
NEAREST = 2.0**-53
"""The largest error of a probability that is the nearest floating-point number."""


def outcome_odds(order: Sequence[str], probabilities: dict[str, Fraction]) -> list[dict[str, Any]]:
    """Each outcome with its probability: those of ``order`` in their order, others by descending probability."""
    positions = {outcome: position for position, outcome in enumerate(order)}
    end = len(positions)
    ordered = sorted(probabilities, key=lambda outcome: (positions[outcome], 0) if outcome in positions else (end, -probabilities[outcome]))
    return [
        {"outcome": outcome, "probability": float(chance), "fraction": short(str(chance)), "percent": percent(chance)}
        for outcome, chance in ((outcome, probabilities[outcome]) for outcome in ordered)
    ]


def short(fraction: str) -> str | None:
    """The fraction, or ``None`` if it has more than `MAX_DIGITS` digits."""
    return fraction if len(fraction) <= MAX_DIGITS + 1 else None


def worded(odds: Mapping[str, Any], action: Action, language: Language | None) -> dict[str, Any]:
    """The odds of an action with each outcome in words (`outcomeText`). The odds given stay as they are: others may share them."""
    own = action.outcomes
    scope = Scope(odds["system"], language or LANGUAGES[0])
    answer = {**odds, "outcomes": _worded(odds["outcomes"], own, scope)}
    if "turn" in odds:
        answer["turn"] = {"outcomes": _worded(odds["turn"]["outcomes"], None, scope)}
    if "keepChoices" in odds:
        answer["keepChoices"] = [
            _worded_results({**row, "outcomes": _worded(row["outcomes"], own, scope)}, scope) for row in odds["keepChoices"]
        ]
    return _worded_results(answer, scope)


def _worded_results(answer: dict[str, Any], scope: Scope) -> dict[str, Any]:
    if "results" in answer:
        answer["results"] = [{"outcomes": _worded(row["outcomes"], None, scope)} for row in answer["results"]]
    return answer


def _worded(rows: Iterable[Mapping[str, Any]], own: Container[str] | None, scope: Scope) -> list[dict[str, Any]]:
    """The rows with their outcomes in words. ``own`` are the action's outcomes: any other is a name of the caller, unless it has words."""
    return [
        {
            "outcome": row["outcome"],
            "outcomeText": outcome_text(row["outcome"], scope)
            if own is None or row["outcome"] in own
            else CATALOGUE.word(scope.namespace, "outcome", row["outcome"], scope.language) or row["outcome"],
            **row,
        }
        for row in rows
    ]


def round_odds(weights: Iterable[tuple[int, int]], denominator: int) -> dict[str, Any]:
    """The number of rounds (`LengthOdds`), given as pairs of a number and its weight.

    Without fractions: after a hundred rounds they would be longer than the rest of the odds.
    """
    rounds = [(number, weight) for number, weight in sorted(weights) if weight]
    rows = [{"rounds": number, "probability": weight / denominator} for number, weight in rounds]
    return {"distribution": rows, **mean_and_deviation(rounds, denominator)}


def mean_and_deviation(numbers: Sequence[tuple[int, int]], denominator: int) -> dict[str, float]:
    """The mean and the standard deviation of numbers, given as pairs of a number and its weight."""
    first = sum(number * weight for number, weight in numbers)
    second = sum(number * number * weight for number, weight in numbers)
    variance = (second * denominator - first * first) / (denominator * denominator)
    return {"mean": first / denominator, "standardDeviation": math.sqrt(variance)}


def percent(chance: Fraction) -> str:
    """``41.7 %`` with one decimal place; only 0 and 1 become ``0 %`` and ``100 %``."""
    if chance.denominator == 1:
        return f"{chance.numerator * 100} %"
    tenths, rest = divmod(chance.numerator * 1000, chance.denominator)
    tenths += 2 * rest > chance.denominator or (2 * rest == chance.denominator and tenths % 2)
    if tenths == 0:
        return "<0.1 %"
    return ">99.9 %" if tenths == 1000 else f"{tenths // 10}.{tenths % 10} %"
