"""Dice for later rolls: granting karma, and the advantage die that a complication earns."""

from __future__ import annotations

from typing import Literal

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.systems.jazz.roller import KARMA, report_summed_weird
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.verdict import Change, Verdict


class JazzKarma(Body):
    """The game master grants a character positive or negative karma. The two kinds cancel each other (jazz.karma.neutral)."""

    character: JazzCharacter
    """The character who gets the karma."""
    grant: Literal["positive", "negative"]
    """`positive`: an advantage die for a later roll (jazz.karma.positive). `negative`: a disadvantage die (jazz.karma.negative)."""


class JazzComplication(Body):
    """A complication has cost the character something and earns an advantage die for a later roll (jazz.complication.die)."""

    character: JazzCharacter
    """The character with the complication."""


def karma(request: JazzKarma, dice: Dice) -> Verdict:
    """Grant karma. Nothing is rolled.

    Outcomes: ``granted`` (karma was neutral), ``cancelled`` (karma was the opposite and is now neutral), ``unchanged`` (a
    character cannot hold the same kind twice).
    """
    report_summed_weird(dice, request.character)
    name, before = request.character.name, KARMA.index(request.character.karma)
    move = KARMA.index(request.grant) - 1
    after = min(max(before + move, 0), 2)
    if after == before:
        dice.step("jazz.karma.neutral", "{}: karma is {} already, and never more than that", name, request.grant)
        return Verdict("unchanged", None)
    neutral = KARMA[after] == "neutral"
    rule = "jazz.karma.neutral" if neutral else f"jazz.karma.{request.grant}"
    dice.step(rule, "{}: karma was {} and becomes {}", name, KARMA[before], KARMA[after], value=KARMA[after])
    change = Change("character", "karma", KARMA[before], KARMA[after], move)
    return Verdict("cancelled" if neutral else "granted", None, changes=[change])


def complication(request: JazzComplication, dice: Dice) -> Verdict:
    """Grant the die that a complication earns. Nothing is rolled.

    Outcomes: ``granted``, ``unchanged`` (the character already holds such a die). The sheet need not name the complication,
    since that text is optional (jazz.complication.sheet).
    """
    character = request.character
    report_summed_weird(dice, character)
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
    """One line: the character, what was granted, and the karma now."""
    now = verdict.changes[0].to if verdict.changes else request.character.karma
    return f"{request.character.name}: {request.grant} karma {verdict.outcome}, karma is {now}"


def complication_summary(request: JazzComplication, verdict: Verdict, record: RolledDice) -> str:
    """One line: the character, and that they hold the die."""
    return f"{request.character.name}: {verdict.outcome}, an advantage die is held"
