"""Jazz, dice for later: karma granted, and the die a complication earns."""

from __future__ import annotations

from typing import Literal

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.systems.jazz.roller import KARMA, derived
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.verdict import Change, Verdict


class JazzKarma(Body):
    """The game master grants karma: positive for a setback freely taken, negative for luck on loan (jazz.karma.neutral)."""

    character: JazzCharacter
    """Whose karma it is."""
    grant: Literal["positive", "negative"]
    """`positive`: an advantage die for a later roll (jazz.karma.positive); `negative`: a disadvantage die (jazz.karma.negative)."""


class JazzComplication(Body):
    """A complication has cost the character something, and earns an advantage die for later (jazz.complication.die)."""

    character: JazzCharacter
    """Whose complication it is."""


def karma(request: JazzKarma, dice: Dice) -> Verdict:
    """Grant karma; nothing is rolled.

    Outcomes: ``granted`` (karma was neutral), ``cancelled`` (it was the opposite, and is neutral now), ``unchanged`` (never
    more than one of a kind).
    """
    derived(dice, request.character)
    before = KARMA.index(request.character.karma)
    move = KARMA.index(request.grant) - 1
    to = min(max(before + move, 0), 2)
    if to == before:
        dice.step("jazz.karma.neutral", "{}: karma is {} already, and never more than that", request.character.name, request.grant)
        return Verdict("unchanged", None)
    rule = "jazz.karma.neutral" if KARMA[to] == "neutral" else f"jazz.karma.{request.grant}"
    dice.step(rule, "{}: karma was {} and becomes {}", request.character.name, KARMA[before], KARMA[to], value=KARMA[to])
    change = Change("character", "karma", KARMA[before], KARMA[to], move)
    return Verdict("cancelled" if KARMA[to] == "neutral" else "granted", None, changes=[change])


def complication(request: JazzComplication, dice: Dice) -> Verdict:
    """Grant the die a complication earns; nothing is rolled.

    Outcomes: ``granted``, ``unchanged`` (one such die is held already). A sheet that names no complication may earn it too:
    the text is optional (jazz.complication.sheet), and the table knows what happened.
    """
    character = request.character
    derived(dice, character)
    if character.complication is None:
        dice.step("jazz.complication.sheet", "{}: the sheet names no complication; the table knows which it was", character.name)
    if character.held_advantage:
        dice.step("jazz.complication.die", "{}: one such die is held already, and no more than one", character.name)
        return Verdict("unchanged", None)
    dice.step("jazz.complication.die", "{}: earns an advantage die for a later roll", character.name)
    verdict = Verdict("granted", None)
    verdict.set_flag("character", "heldAdvantage", to=True)
    return verdict


def karma_summary(request: JazzKarma, verdict: Verdict, record: RolledDice) -> str:
    """One line: whose karma, and what it is now."""
    now = verdict.changes[0].to if verdict.changes else request.character.karma
    return f"{request.character.name}: {request.grant} karma {verdict.outcome}, karma is {now}"


def complication_summary(request: JazzComplication, verdict: Verdict, record: RolledDice) -> str:
    """One line: who holds the die."""
    return f"{request.character.name}: {verdict.outcome}, an advantage die is held"
