"""Advancement at the end of a session: improving an aspect, or learning a new one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Model, Name, Text
from tablecall.model.refusals import Forbidden
from tablecall.systems.jazz.roller import report_summed_weird
from tablecall.systems.jazz.sheet import MAX_ASPECTS, NO_SUCH_ASPECT, JazzCharacter, JazzPool, weird_pool_size
from tablecall.systems.jazz.summaries import roll_text
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.verdict import Change, Verdict


class JazzImprove(Body):
    """At the end of a session: roll as many d6 as the aspect's bonus; all sixes raise the bonus by one (jazz.advance.improve).

    A character has one attempt per session, to improve or to learn. The service does not check this.
    """

    character: JazzCharacter
    """Who improves; the roll is named `character`."""
    aspect: Name
    """The name of the aspect to improve."""
    fiction_level: FictionLevelName
    """The fiction level; a bonus cannot exceed its maximum (jazz.advance.cap)."""


class JazzNewAspect(Model):
    """An aspect to learn; its bonus will be +1."""

    name: Name
    """Usually an adjective and a noun; must not be on the sheet already."""
    weird: bool = False
    """Whether the aspect can do things no ordinary aspect can."""
    expertise: Annotated[list[Text], Field(max_length=99)] = []
    """One short phrase, for the bonus of +1 (jazz.aspects.expertise)."""


class JazzLearn(Body):
    """At the end of a session: roll as many d6 as the bonus of the most similar aspect; all sixes add a new aspect
    (jazz.advance.learn).

    A character has one attempt per session, to improve or to learn. The service does not check this.
    """

    character: JazzCharacter
    """Who learns; the roll is named `character`."""
    aspect: JazzNewAspect
    """The aspect to learn."""
    similar_to: Name | None = None
    """The name of the most similar aspect on the sheet. Left out: one die is rolled."""
    fiction_level: FictionLevelName
    """The fiction level (jazz.fiction.levels). Every level allows a new aspect at +1."""


def improve(request: JazzImprove, dice: Dice) -> Verdict:
    """Try to improve an aspect.

    Outcomes: ``improved`` (all sixes: the bonus rises by one, and so does a pool based on it), ``unchanged``, ``atMaximum``
    (the fiction level allows no more, and nothing is rolled). Refuses an aspect that is not on the sheet.
    """
    character = request.character
    report_summed_weird(dice, character)
    index = next((number for number, aspect in enumerate(character.aspects) if aspect.name == request.aspect), None)
    if index is None:
        raise Forbidden.by("jazz.advance.improve", "/aspect", NO_SUCH_ASPECT)
    aspect, level = character.aspects[index], request.fiction_level
    maximum = FICTION_LEVELS[level].maximum
    if aspect.bonus >= maximum:
        dice.step("jazz.advance.cap", "{} +{}: {} allows +{} at most", aspect.name, aspect.bonus, level, maximum, value=maximum)
        return Verdict("atMaximum", False)
    if not _all_sixes(character.name, aspect.bonus, "jazz.advance.improve", dice):
        return Verdict("unchanged", False)
    verdict = Verdict("improved", True)
    improved = aspect.bonus + 1
    dice.step("jazz.advance.improve", "{} rises to +{}", aspect.name, improved, value=improved)
    dice.step("jazz.aspects.expertise", "{}: one more phrase of expertise is due", aspect.name)
    verdict.change("character", f"aspects.{index}.bonus", aspect.bonus, improved)
    if aspect.name == character.survival_aspect:
        _raise_pool("health", character.health, dice, verdict)
    if aspect.weird:
        weird = [improved if other is aspect else other.bonus for other in character.aspects if other.weird]
        _raise_weird(character, weird, dice, verdict)
    return verdict


def learn(request: JazzLearn, dice: Dice) -> Verdict:
    """Try to learn an aspect.

    Outcomes: ``learned`` (all sixes: the aspect is added at +1; a first weird aspect brings a weird pool), ``unchanged``.
    Refuses an aspect that is already on the sheet, and a ``similarTo`` that is not.
    """
    character, aspect = request.character, request.aspect
    _check_new(request)
    report_summed_weird(dice, character)
    count = next((similar.bonus for similar in character.aspects if similar.name == request.similar_to), None)
    if count is None:
        # zero dice must never succeed
        dice.step("jazz.advance.learn", "{}: nothing on the sheet is similar, so one die", aspect.name, value=1)
    if not _all_sixes(character.name, count or 1, "jazz.advance.learn", dice):
        return Verdict("unchanged", False)
    verdict = Verdict("learned", True)
    dice.step("jazz.advance.learn", "{} comes in at +1", aspect.name, value=1)
    new = {"name": aspect.name, "bonus": 1, "weird": aspect.weird, "expertise": aspect.expertise}
    verdict.changes.append(Change("character", f"aspects.{len(character.aspects)}", None, new, 1))
    if aspect.weird:
        _raise_weird(character, [*(other.bonus for other in character.aspects if other.weird), 1], dice, verdict)
    return verdict


def _check_new(request: JazzLearn) -> None:
    names = [aspect.name for aspect in request.character.aspects]
    if request.aspect.name in names:
        raise Forbidden.by("jazz.advance.learn", "/aspect/name", "the character already has this aspect")
    if request.similar_to is not None and request.similar_to not in names:
        raise Forbidden.by("jazz.advance.learn", "/similarTo", NO_SUCH_ASPECT)
    if len(names) == MAX_ASPECTS:
        raise Forbidden.by("jazz.advance.learn", "/character/aspects", f"a sheet can have at most {MAX_ASPECTS} aspects")


def _all_sixes(who: str, count: int, rule: str, dice: Dice) -> bool:
    roll = dice.roll("character", SumPool(count), who)
    sixes = dice.compare(roll.total, 6 * count, tie=1) > 0
    dice.step(rule, "{}: {}d6, {}", who, count, "all sixes" if sixes else "not all sixes", value=count)
    return sixes


def _raise_weird(character: JazzCharacter, bonuses: list[int], dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.pool: raise the weird pool, unless it follows the highest weird aspect and that is unchanged.

    ``bonuses`` are those of the weird aspects after the advance.
    """
    before, after = character.weird_size() or 0, weird_pool_size(bonuses, character.weird_pool)
    if after > before:
        if character.weird_pool == "sum":
            dice.step("jazz.weird.pool", "the weird aspects now add up to {} (option weirdPool)", after, value="sum")
        _raise_pool("weird", character.weird, dice, verdict)
    else:
        dice.step("jazz.weird.pool", "the weird pool is the {} of the weird aspects, which stays {}", character.weird_pool, after)


def _raise_pool(name: str, pool: JazzPool | None, dice: Dice, verdict: Verdict) -> None:
    """jazz.advance.pools: maximum and current both rise by one; without a pool, one is added."""
    dice.step("jazz.advance.pools", "the {} pool rises by one", name, value=1)
    if pool is None:
        verdict.changes.append(Change("character", name, None, {"current": 1, "max": 1}, 1))
    else:
        verdict.change("character", f"{name}.max", pool.max, pool.max + 1)
        verdict.change("character", name, pool.current, pool.current + 1)


def summary(request: JazzImprove | JazzLearn, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, the aspect, the dice, the outcome."""
    aspect = request.aspect if isinstance(request, JazzImprove) else request.aspect.name
    rolled = roll_text(record.rolls[0]) if record.rolls else "no roll"
    return f"{request.character.name}, {aspect}: {rolled}: {verdict.outcome}"
