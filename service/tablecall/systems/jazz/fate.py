"""What becomes of somebody who is out of the fight: the winner chooses (jazz.conflict.out)."""

from __future__ import annotations

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Name
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.sheet import JazzBody, JazzCharacter
from tablecall.systems.verdict import Change, Verdict


class JazzFate(JazzBody):
    """Records what the winner of a conflict makes of a loser (jazz.conflict.out)."""

    character: JazzCharacter
    """The character whose fate it is."""
    condition: Name
    """`unconscious`, `dying`, `dead`, `captured`, `spared`, or other words. The first three decide which healing helps
    (jazz.weird.restore)."""


def fate(request: JazzFate, dice: Dice) -> Verdict:
    """Record a condition. Nothing is rolled. Outcome: ``recorded``."""
    sheet = request.character
    key = "fate.recorded" if sheet.is_out() else "fate.still_stands"
    dice.note("jazz.conflict.out", key, value=request.condition, who="character", condition=request.condition)
    verdict = Verdict("recorded", None)
    if sheet.condition != request.condition:
        verdict.changes.append(Change("character", "condition", sheet.condition, request.condition, None))
    return verdict


def summary(request: JazzFate, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Whose fate, and what it is."""
    return [say("fate.summary", who="character", condition=request.condition)]
