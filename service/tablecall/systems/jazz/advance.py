"""Jazz, advancement at the end of a session: an aspect improved, or a new one learned."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Model, Name, Text
from tablecall.model.refusals import Forbidden
from tablecall.systems.jazz.roller import derived
from tablecall.systems.jazz.sheet import MOST_ASPECTS, NO_SUCH_ASPECT, JazzCharacter, JazzPool, weird_bonus
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.jazz.wording import dice_of
from tablecall.systems.verdict import Change, Verdict


class JazzImprove(Body):
    """At the end of a session: as many d6 as the aspect's bonus, and all sixes raise it by one (jazz.advance.improve).

    A session allows one attempt, to improve or to learn; the caller keeps count.
    """

    character: JazzCharacter
    """Who improves; rolls as `character`."""
    aspect: Name
    """The aspect's name."""
    fiction_level: FictionLevelName
    """The fiction level, whose maximum no bonus passes (jazz.advance.cap)."""


class JazzNewAspect(Model):
    """An aspect to be learned; it comes in at +1."""

    name: Name
    """An adjective and a noun, as a rule; not one that is on the sheet already."""
    weird: bool = False
    """Whether it can do what no ordinary aspect can."""
    expertise: Annotated[list[Text], Field(max_length=99)] = []
    """A short phrase for its one point of bonus (jazz.aspects.expertise)."""


class JazzLearn(Body):
    """At the end of a session: as many d6 as the bonus of the most similar aspect, and all sixes bring in a new one (jazz.advance.learn).

    A session allows one attempt, to improve or to learn; the caller keeps count.
    """

    character: JazzCharacter
    """Who learns; rolls as `character`."""
    aspect: JazzNewAspect
    """What is to be learned."""
    similar_to: Name | None = None
    """The aspect on the sheet that resembles it most; if none does, one die is rolled."""
    fiction_level: FictionLevelName
    """The fiction level (jazz.fiction.levels); a new aspect at +1 is within every one."""


def improve(request: JazzImprove, dice: Dice) -> Verdict:
    """Try to improve an aspect.

    Outcomes: ``improved`` (all sixes: the bonus rises by one, and so does a pool that rests on it), ``unchanged``,
    ``atMaximum`` (the fiction level allows no more, and nothing is rolled). Refuses an aspect not on the sheet.
    """
    character = request.character
    derived(dice, character)
    index = next((number for number, aspect in enumerate(character.aspects) if aspect.name == request.aspect), None)
    if index is None:
        raise Forbidden.by("jazz.advance.improve", "/aspect", NO_SUCH_ASPECT)
    aspect, most = character.aspects[index], FICTION_LEVELS[request.fiction_level].maximum
    if aspect.bonus >= most:
        dice.step("jazz.advance.cap", "{} +{}: {} allows +{} at most", aspect.name, aspect.bonus, request.fiction_level, most, value=most)
        return Verdict("atMaximum", False)
    if not _all_sixes(character.name, aspect.bonus, "jazz.advance.improve", dice):
        return Verdict("unchanged", False)
    verdict = Verdict("improved", True)
    better = aspect.bonus + 1
    dice.step("jazz.advance.improve", "{} rises to +{}", aspect.name, better, value=better)
    dice.step("jazz.aspects.expertise", "{}: one more phrase of expertise is due", aspect.name)
    verdict.change("character", f"aspects.{index}.bonus", aspect.bonus, better)
    if aspect.name == character.survival_aspect:
        _raise("health", character.health, dice, verdict)
    if aspect.weird:
        weird = [better if other is aspect else other.bonus for other in character.aspects if other.weird]
        _raise_weird(character, weird, dice, verdict)
    return verdict


def learn(request: JazzLearn, dice: Dice) -> Verdict:
    """Try to learn an aspect.

    Outcomes: ``learned`` (all sixes: it comes in at +1, a first weird aspect with a weird pool), ``unchanged``. Refuses an
    aspect that is on the sheet already, and one similar to it that is not.
    """
    character, aspect = request.character, request.aspect
    _new(request)
    derived(dice, character)
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


def _new(request: JazzLearn) -> None:
    names = [aspect.name for aspect in request.character.aspects]
    if request.aspect.name in names:
        raise Forbidden.by("jazz.advance.learn", "/aspect/name", "the character has this aspect already")
    if request.similar_to is not None and request.similar_to not in names:
        raise Forbidden.by("jazz.advance.learn", "/similarTo", NO_SUCH_ASPECT)
    if len(names) == MOST_ASPECTS:
        raise Forbidden.by("jazz.advance.learn", "/character/aspects", f"a sheet holds {MOST_ASPECTS} aspects at most")


def _all_sixes(who: str, count: int, rule: str, dice: Dice) -> bool:
    roll = dice.roll("character", SumPool(count), who)
    sixes = dice.reaches(roll.total, 6 * count)
    dice.step(rule, "{}: {}d6, {}", who, count, "all sixes" if sixes else "not all sixes", value=count)
    return sixes


def _raise_weird(character: JazzCharacter, bonuses: list[int], dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.pool: the pool rises with the weird aspects' bonuses, unless the highest of them stays what it was."""
    before, now = character.weird_bonus() or 0, weird_bonus(bonuses, character.weird_pool)
    if now > before:
        if character.weird_pool == "sum":
            dice.step("jazz.weird.pool", "the weird aspects now add up to {} (option weirdPool)", now, value="sum")
        _raise("weird", character.weird, dice, verdict)
    else:
        dice.step("jazz.weird.pool", "the weird pool is the {} of the weird aspects, which stays {}", character.weird_pool, now)


def _raise(name: str, pool: JazzPool | None, dice: Dice, verdict: Verdict) -> None:
    """jazz.advance.pools: maximum and current both one more; the first weird aspect makes the pool."""
    dice.step("jazz.advance.pools", "the {} pool rises by one", name, value=1)
    if pool is None:
        verdict.changes.append(Change("character", name, None, {"current": 1, "max": 1}, 1))
    else:
        verdict.change("character", f"{name}.max", pool.max, pool.max + 1)
        verdict.change("character", name, pool.current, pool.current + 1)


def _line(who: str, what: str, record: RolledDice, verdict: Verdict) -> str:
    rolled = dice_of(record.rolls[0]) if record.rolls else "no roll"
    return f"{who}, {what}: {rolled}: {verdict.outcome}"


def improve_summary(request: JazzImprove, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, which aspect, the dice, what came of it."""
    return _line(request.character.name, request.aspect, record, verdict)


def learn_summary(request: JazzLearn, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, which aspect, the dice, what came of it."""
    return _line(request.character.name, request.aspect.name, record, verdict)
