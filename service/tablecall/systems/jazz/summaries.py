"""Sentences that the summaries of several Jazz actions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablecall.model.text import Sentence, say
from tablecall.systems.verdict import Verdict

if TYPE_CHECKING:
    from tablecall.systems.jazz.attempt import AttemptBody


def attempt_summary(request: AttemptBody, who: Sequence[str], verdict: Verdict) -> list[Sentence]:
    """``Rook: 15 against 10, success``; against whom, if somebody opposes."""
    facts = {"who": who, "total": verdict.total, "target": verdict.target, "outcome": verdict.outcome}
    if verdict.total is None:
        return [say("attempt.summary_no_roll", who=who, outcome=verdict.outcome)]
    if request.opponent is not None:
        return [say("attempt.summary_opposed", opponent="opponent", **facts)]
    if request.effect is not None:
        return [say(f"attempt.summary_row{'_team' if len(who) > 1 else ''}", row=request.effect, **facts)]
    return [say("attempt.summary", **facts)]
