"""Probabilities in the published shapes: by outcome, by number of rounds, as percent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from tablecall.systems.system import Action


def outcome_odds(action: Action, probabilities: dict[str, Fraction]) -> list[dict[str, Any]]:
    """Each outcome with its probability: the action's own outcomes in their order, others by descending probability."""
    positions = {outcome: position for position, outcome in enumerate(action.outcomes)}
    end = len(positions)
    ordered = sorted(probabilities, key=lambda outcome: (positions[outcome], 0) if outcome in positions else (end, -probabilities[outcome]))
    return [
        {"outcome": outcome, "probability": float(chance), "fraction": str(chance), "percent": percent(chance)}
        for outcome, chance in ((outcome, probabilities[outcome]) for outcome in ordered)
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
