"""How likely each outcome is, and each number of rounds, in the published shape's words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from tablecall.systems.system import Action


def outcomes(action: Action, found: dict[str, Fraction]) -> list[dict[str, Any]]:
    """Each outcome with its probability: the action's own words in their order, others the likeliest first."""
    known = {word: place for place, word in enumerate(action.outcomes)}
    likely = sorted(found, key=lambda word: (known[word], 0) if word in known else (len(known), -found[word]))
    return [
        {"outcome": word, "probability": float(found[word]), "fraction": str(found[word]), "percent": percent(found[word])}
        for word in likely
    ]


def lengths(rounds: Iterable[tuple[int, int]], whole: int) -> dict[str, Any]:
    """How many rounds it takes (`LengthOdds`), of the ways of ``whole`` in which it takes each number of them.

    Without fractions: those of a hundred rounds would be longer than everything else together.
    """
    found = [(number, ways) for number, ways in sorted(rounds) if ways]
    rows = [{"rounds": number, "probability": ways / whole} for number, ways in found]
    return {"distribution": rows, **spread(found, whole)}


def spread(found: Sequence[tuple[int, int]], whole: int) -> dict[str, float]:
    """The mean of some numbers and their standard deviation, each given with its ways of ``whole``."""
    once = sum(number * ways for number, ways in found)
    twice = sum(number * number * ways for number, ways in found)
    return {"mean": once / whole, "standardDeviation": math.sqrt((twice * whole - once * once) / (whole * whole))}


def percent(chance: Fraction) -> str:
    """``41.7 %``: one place, and never 0 or 100 for what is not."""
    if chance.denominator == 1:
        return f"{chance.numerator * 100} %"
    tenths, rest = divmod(chance.numerator * 1000, chance.denominator)
    tenths += 2 * rest > chance.denominator or (2 * rest == chance.denominator and tenths % 2)
    if tenths == 0:
        return "<0.1 %"
    return ">99.9 %" if tenths == 1000 else f"{tenths // 10}.{tenths % 10} %"
