"""d20: one die of twenty sides plus a bonus, against a number. A third system, which `tests/contract/test_growth.py` adds to a copy."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

from pydantic import Field

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Name, Participant, WholeNumber
from tablecall.model.text import Sentence, say
from tablecall.systems.rulebook import read_rulebook
from tablecall.systems.verdict import Verdict


class D20Hero(Participant):
    """Who tries."""

    name: Name
    """The hero's name."""
    bonus: Annotated[int, Field(ge=-20, le=20), WholeNumber] = 0
    """Added to the die (d20.check.bonus)."""


class D20Check(Body):
    """One die of twenty sides plus a bonus, against a number (d20.check.success)."""

    hero: D20Hero
    """Who tries; rolls as `hero`."""
    target: Annotated[int, Field(ge=1, le=60), WholeNumber]
    """The number to reach."""


def check(request: D20Check, dice: Dice) -> Verdict:
    """Outcomes: ``success`` if the total reaches the target, else ``failure``."""
    bonus = dice.contribution("hero", "bonus", request.hero.bonus, 0)
    roll = dice.roll("hero", SumPool(1, bonus, sides=20), request.hero.name)
    won = dice.compare(roll.total, request.target) >= 0
    dice.note("d20.check.success", "check.success", value=request.target, who="hero", total=roll.total, target=request.target)
    return Verdict("success" if won else "failure", won, total=roll.total, target=request.target)


def summary(request: D20Check, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tried, and the outcome."""
    return [say("check.summary", who="hero", total=verdict.total, target=request.target, outcome=verdict.outcome)]


_BOOK = read_rulebook(files(__name__))

SYSTEM = _BOOK.system({}, "d20.dice.faces", _BOOK.action("check", D20Check, check, summary))
