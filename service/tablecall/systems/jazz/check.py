"""A check: an attempt of one character."""

from __future__ import annotations

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.text import Sentence
from tablecall.systems.jazz import attempt
from tablecall.systems.jazz.attempt import AttemptBody, attempt_of
from tablecall.systems.jazz.roller import ready_roller
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.jazz.summaries import attempt_summary
from tablecall.systems.verdict import Verdict


class JazzCheck(AttemptBody):
    """One character attempts something: 2d6 plus a bonus against a number or an opponent's roll (jazz.check.success)."""

    actor: JazzActor
    """Who attempts it; the roll is named `actor`."""
    rescue: bool = False
    """If the roll fails, or ties without success, the game master grants one more die; success then costs karma (jazz.karma.rescue)."""


def check(request: JazzCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, if so chosen), ``automatic`` (no roll needed), ``impossible``
    (only a specialist could try). Refuses anyone who is out of the fight, dice that are not held or would be wasted, and an
    extraordinary use without a weird aspect or with no weird left.
    """
    actor = ready_roller(request.actor, "actor", dice, weird_row=request.is_weird)
    return attempt.resolve(attempt_of(request, [actor], "actor" if request.rescue else None, dice), dice)


def summary(request: JazzCheck, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who attempted what, the comparison, the outcome."""
    return attempt_summary(request, ["actor"], verdict)
