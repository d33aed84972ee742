"""The actions of a conflict inside its ruling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablecall.engine import text
from tablecall.model.text import Scope
from tablecall.systems.verdict import Verdict


def shown(verdict: Verdict, effects: Sequence[Mapping[str, Any]], scope: Scope) -> dict[str, Any]:
    """The parts of a verdict where the ruling shows them, each with its outcome, its numbers, and its summary with what it changed.

    Factors and options are added to `Part.shown` later.
    """
    places: dict[str, Any] = {}
    for part in verdict.parts:
        inner: Any = part.verdict  # totals are integers or None: rolled dice leave no distribution
        total, target = inner.decisive
        start, stop = part.changes
        told = [] if part.told is None else [part.told]
        part.shown.update(
            outcome=inner.outcome,
            succeeded=inner.succeeded,
            total=total,
            target=target,
            margin=total - target if total is not None and target is not None else None,
            summary=text.lines(told, effects[start:stop], (), scope)[0],
        )
        if part.at == "turn":
            places[part.at] = part.shown
        else:
            places.setdefault(part.at, []).append(part.shown)
    return places
