"""Advancement at the end of a session: improving an aspect, or learning a new one."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Model, Name, Text
from tablecall.model.refusals import Finding, Forbidden, facts_of
from tablecall.model.suggestions import nearest
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.roller import report_weird_pools
from tablecall.systems.jazz.sheet import MAX_ASPECTS, JazzBody, JazzCharacter, JazzPool, weird_pool_size
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.verdict import Change, Verdict


class JazzAdvance(JazzBody):
    """The fields of an attempt at advancement. A character has one per session, to improve or to learn: `advanced` on the sheet is set by
    it, and a second attempt is refused while it is set."""

    options: ClassVar[frozenset[str]] = frozenset({"new_session"})

    character: JazzCharacter
    """Who advances; the roll is named `character`."""
    fiction_level: FictionLevelName
    """The fiction level; a bonus cannot exceed its maximum (jazz.advance.cap)."""
    new_session: bool = False
    """A new session has begun, so the attempt is free again (jazz.advance.improve)."""


class JazzImprove(JazzAdvance):
    """At the end of a session: roll as many d6 as the aspect's bonus; all sixes raise the bonus by one (jazz.advance.improve)."""

    aspect: Name
    """The name of the aspect to improve."""


class JazzNewAspect(Model):
    """An aspect to learn; its bonus will be +1."""

    name: Name
    """Usually an adjective and a noun; must not be on the sheet already."""
    weird: bool = False
    """Whether the aspect can do things no ordinary aspect can."""
    expertise: Annotated[list[Text], Field(max_length=99)] = []
    """One short phrase, for the bonus of +1 (jazz.aspects.expertise)."""


class JazzLearn(JazzAdvance):
    """At the end of a session: roll as many d6 as the bonus of the most similar aspect; all sixes add a new aspect
    (jazz.advance.learn)."""

    aspect: JazzNewAspect
    """The aspect to learn."""
    similar_to: Name | None = None
    """The name of the most similar aspect on the sheet. Left out: one die is rolled."""


def improve(request: JazzImprove, dice: Dice) -> Verdict:
    """Try to improve an aspect.

    Outcomes: ``improved`` (all sixes: the bonus rises by one, and so does a pool based on it), ``unchanged``, ``atMaximum``
    (the fiction level allows no more, and nothing is rolled). Refuses an aspect that is not on the sheet, and a second attempt in one
    session.
    """
    character = request.character
    report_weird_pools(dice, [("character", character)])
    aspect = character.aspect(request.aspect)
    if aspect is None:
        raise _no_aspect(character, request.aspect, "jazz.advance.improve", "/aspect")
    _check_session(request, "jazz.advance.improve")
    index, level = character.aspects.index(aspect), request.fiction_level
    maximum = FICTION_LEVELS[level].maximum
    if aspect.bonus >= maximum:
        dice.note(
            "jazz.advance.cap", "advance.at_maximum", value=maximum, aspect=aspect.name, bonus=aspect.bonus, level=level, maximum=maximum
        )
        verdict = Verdict("atMaximum", False)
        if character.advanced:
            # no dice, so the attempt of the new session is still to come
            _begin_session(dice, verdict)
        return verdict
    verdict = Verdict("unchanged", False)
    _use_session(request, dice, verdict)
    if not _all_sixes(character, aspect.bonus, "jazz.advance.improve", dice):
        return verdict
    verdict.outcome, verdict.succeeded = "improved", True
    improved = aspect.bonus + 1
    dice.note("jazz.advance.improve", "advance.improved", value=improved, aspect=aspect.name, bonus=improved)
    dice.note("jazz.aspects.expertise", "advance.phrase", aspect=aspect.name)
    verdict.change("character", f"aspects.{index}.bonus", aspect.bonus, improved)
    if character.survival_aspect is not None and aspect is character.aspect(character.survival_aspect):
        _raise_pool("health", character.health, dice, verdict, out=character.is_out())
    if aspect.weird:
        weird = [improved if other is aspect else other.bonus for other in character.weird_aspects]
        _raise_weird(character, weird, dice, verdict)
    return verdict


def learn(request: JazzLearn, dice: Dice) -> Verdict:
    """Try to learn an aspect.

    Outcomes: ``learned`` (all sixes: the aspect is added at +1; a first weird aspect brings a weird pool), ``unchanged``.
    Refuses an aspect that is already on the sheet, a ``similarTo`` that is not, and a second attempt in one session.
    """
    character, aspect = request.character, request.aspect
    _check_new(request)
    _check_session(request, "jazz.advance.learn")
    report_weird_pools(dice, [("character", character)])
    similar = character.aspect(request.similar_to) if request.similar_to is not None else None
    if similar is None:
        # zero dice must never succeed
        dice.note("jazz.advance.learn", "advance.nothing_similar", value=1, aspect=aspect.name)
    verdict = Verdict("unchanged", False)
    _use_session(request, dice, verdict)
    if not _all_sixes(character, similar.bonus if similar else 1, "jazz.advance.learn", dice):
        return verdict
    verdict.outcome, verdict.succeeded = "learned", True
    dice.note("jazz.advance.learn", "advance.learned", value=1, aspect=aspect.name)
    new = {"name": aspect.name, "bonus": 1, "weird": aspect.weird, "expertise": aspect.expertise}
    verdict.changes.append(Change("character", f"aspects.{len(character.aspects)}", None, new, 1))
    if aspect.weird:
        _raise_weird(character, [*(other.bonus for other in character.weird_aspects), 1], dice, verdict)
    return verdict


def _check_new(request: JazzLearn) -> None:
    character = request.character
    if character.aspect(request.aspect.name) is not None:
        raise Forbidden.by("jazz.advance.learn", "/aspect/name", "jazz.refused.has_aspect", who=character.name, name=request.aspect.name)
    if request.similar_to is not None and character.aspect(request.similar_to) is None:
        raise _no_aspect(character, request.similar_to, "jazz.advance.learn", "/similarTo")
    if len(character.aspects) == MAX_ASPECTS:
        raise Forbidden.by("jazz.advance.learn", "/character/aspects", "jazz.refused.too_many_aspects", max=MAX_ASPECTS)


def _no_aspect(character: JazzCharacter, name: str, rule: str, at: str) -> Forbidden:
    near = nearest(name, [aspect.name for aspect in character.aspects]) or ""
    return Forbidden(Finding(at, "unknown-aspect", "jazz.refused.no_aspect", rule, facts_of({"name": name, "near": near})))


def _check_session(request: JazzAdvance, rule: str) -> None:
    """jazz.advance.improve: one attempt per session."""
    if request.character.advanced and not request.new_session:
        raise Forbidden.by(rule, "/character/advanced", "jazz.refused.advanced_already", who=request.character.name)


def _use_session(request: JazzAdvance, dice: Dice, verdict: Verdict) -> None:
    """The attempt of this session is used up, whatever the dice show."""
    if request.character.advanced:
        _report_session(dice)
    else:
        verdict.set_flag("character", "advanced", to=True)


def _begin_session(dice: Dice, verdict: Verdict) -> None:
    """A new session has begun, and its attempt is not used yet."""
    _report_session(dice)
    verdict.set_flag("character", "advanced", to=False)


def _report_session(dice: Dice) -> None:
    dice.option("", "newSession")
    dice.note("jazz.advance.improve", "advance.new_session", who="character")


def _all_sixes(character: JazzCharacter, count: int, rule: str, dice: Dice) -> bool:
    roll = dice.roll("character", SumPool(count), character.name)
    sixes = dice.compare(roll.total, 6 * count, tie=1) > 0
    dice.note(rule, "advance.all_sixes" if sixes else "advance.not_all_sixes", value=count, who="character", count=count)
    return sixes


def _raise_weird(character: JazzCharacter, bonuses: list[int], dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.pool: raise the weird pool, unless it follows the highest weird aspect and that is unchanged.

    ``bonuses`` are those of the weird aspects after the advance.
    """
    choice = character.weird_pool or "highest"
    before, after = character.weird_size() or 0, weird_pool_size(bonuses, choice)
    if after > before:
        _raise_pool("weird", character.weird, dice, verdict, out=False)
    else:
        dice.note("jazz.weird.pool", "advance.weird_same", value=choice, who="character", size=after)


def _raise_pool(name: str, pool: JazzPool | None, dice: Dice, verdict: Verdict, *, out: bool) -> None:
    """jazz.advance.pools: the maximum rises by one, and so does what is left unless the character is out; without a pool, one is added."""
    dice.note("jazz.advance.pools", "advance.pool_out" if out else "advance.pool", value=1, pool=name)
    if pool is None:
        verdict.changes.append(Change("character", name, None, {"current": 1, "max": 1}, 1))
        return
    verdict.change("character", f"{name}.max", pool.max, pool.max + 1)
    if not out:
        verdict.change("character", name, pool.current, pool.current + 1)


def improve_summary(request: JazzImprove, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tried to improve what, and the outcome."""
    return [say(f"advance.summary_{verdict.outcome}", who="character", aspect=request.aspect, outcome=verdict.outcome)]


def learn_summary(request: JazzLearn, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tried to learn what, and the outcome."""
    key = "learned" if verdict.succeeded else "not_learned"
    return [say(f"advance.summary_{key}", who="character", aspect=request.aspect.name, outcome=verdict.outcome)]
