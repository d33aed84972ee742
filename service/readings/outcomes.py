"""How likely each outcome is, in the published shape's words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from service.systems.system import Action


def outcomes(action: Action, found: dict[str, Fraction]) -> list[dict[str, Any]]:
    """Each outcome with its probability: the action's own words in their order, others the likeliest first."""
    known = {word: place for place, word in enumerate(action.outcomes)}
    likely = sorted(found, key=lambda word: (known[word], 0) if word in known else (len(known), -found[word]))
    return [
        {"outcome": word, "probability": float(found[word]), "fraction": str(found[word]), "percent": percent(found[word])}
        for word in likely
    ]


def percent(chance: Fraction) -> str:
    """``41.7 %``: one place, and never 0 or 100 for what is not."""
    if chance.denominator == 1:
        return f"{chance.numerator * 100} %"
    tenths, rest = divmod(chance.numerator * 1000, chance.denominator)
    tenths += 2 * rest > chance.denominator or (2 * rest == chance.denominator and tenths % 2)
    if tenths == 0:
        return "<0.1 %"
    return ">99.9 %" if tenths == 1000 else f"{tenths // 10}.{tenths % 10} %"
