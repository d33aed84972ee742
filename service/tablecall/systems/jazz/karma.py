"""Dice for later rolls: granting karma, and the advantage die that a complication earns."""

from __future__ import annotations

from typing import Literal

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.roller import KARMA, report_weird_pools
from tablecall.systems.jazz.sheet import JazzBody, JazzCharacter
from tablecall.systems.verdict import Change, Verdict


class JazzKarma(JazzBody):
    """The game master grants a character positive or negative karma. The two kinds cancel each other (jazz.karma.neutral)."""

    character: JazzCharacter
    """The character who gets the karma."""
    grant: Literal["positive", "negative"]
    """`positive`: an advantage die for a later roll (jazz.karma.positive). `negative`: a disadvantage die (jazz.karma.negative)."""


class JazzComplication(JazzBody):
    """A complication has cost the character something and earns an advantage die for a later roll (jazz.complication.die)."""

    character: JazzCharacter
    """The character with the complication."""


def karma(request: JazzKarma, dice: Dice) -> Verdict:
    """Grant karma. Nothing is rolled.

    Outcomes: ``granted`` (karma was neutral), ``cancelled`` (karma was the opposite and is now neutral), ``unchanged`` (a
    character cannot hold the same kind twice).
    """
    report_weird_pools(dice, [("character", request.character)])
    before = KARMA.index(request.character.karma)
    move = KARMA.index(request.grant) - 1
    after = min(max(before + move, 0), 2)
    if after == before:
        dice.note("jazz.karma.neutral", "karma.already", who="character", karma=request.grant)
        return Verdict("unchanged", None)
    neutral = KARMA[after] == "neutral"
    rule = "jazz.karma.neutral" if neutral else f"jazz.karma.{request.grant}"
    dice.note(rule, "karma.becomes", value=KARMA[after], who="character", before=KARMA[before], to=KARMA[after])
    change = Change("character", "karma", KARMA[before], KARMA[after], move)
    return Verdict("cancelled" if neutral else "granted", None, changes=[change])


def complication(request: JazzComplication, dice: Dice) -> Verdict:
    """Grant the die that a complication earns. Nothing is rolled.

    Outcomes: ``granted``, ``unchanged`` (the character already holds such a die). The sheet need not name the complication,
    since that text is optional (jazz.complication.sheet). Refuses an empty complication.
    """
    character = request.character
    report_weird_pools(dice, [("character", character)])
    if character.complication is None:
        dice.note("jazz.complication.sheet", "complication.unnamed", who="character")
    elif not character.complication.strip():
        raise Forbidden.by("jazz.complication.die", "/character/complication", "jazz.refused.empty_complication")
    if character.held_advantage:
        dice.note("jazz.complication.die", "complication.held", who="character")
        return Verdict("unchanged", None)
    dice.note("jazz.complication.die", "complication.earns", who="character")
    verdict = Verdict("granted", None)
    verdict.set_flag("character", "heldAdvantage", to=True)
    return verdict


def karma_summary(request: JazzKarma, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who was granted what."""
    return [say("karma.summary", who="character", karma=request.grant, outcome=verdict.outcome)]


def complication_summary(request: JazzComplication, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Whose complication it is, and whether a die was earned."""
    return [say("complication.summary", who="character", outcome=verdict.outcome)]
