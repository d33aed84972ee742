"""The ruling of one action, its factors, and its options."""

from __future__ import annotations

from typing import Any

from tablecall.dice.faces import Die
from tablecall.dice.rng import RNG, seed_text
from tablecall.dice.roll import NamedRoll, RolledDice, seeded
from tablecall.engine import parts, text
from tablecall.engine.budget import Budget, Cooperative, at_once
from tablecall.engine.odds import odds
from tablecall.engine.participants import after, effects_of
from tablecall.engine.supplied_dice import allows_unused, citing_rule, refuse_unused, rolls_made, supplied_faces
from tablecall.engine.version import VERSION
from tablecall.engine.what_if import Ruled, factors, margin, options
from tablecall.model.base import Body
from tablecall.model.refusals import WrongDice
from tablecall.model.text import LANGUAGES, Language
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict


def resolve(
    system: System, action: Action, body: Body, *, include: frozenset[str] = frozenset(), language: Language = LANGUAGES[0]
) -> dict[str, Any]:
    """Resolve one action: the ruling as published (`Ruling`).

    ``include`` adds to the ``include`` of the body. The sentences are in the body's ``language``, or else in this one. Refuses what the
    rules forbid, dice this action does not roll, and an unknown dice algorithm.
    """
    wanted = include.union(body.include)
    if wanted:
        complete = at_once(resolve_with_pauses(system, action, body, include, language=language))
        return complete | {"odds": odds(system, action, body)} if "odds" in wanted else complete
    seed = seed_text(body.seed)
    record, verdict = _rolled(system, action, body, seed)
    return _ruling(system, action, body, seed, record, verdict, body.language or language)


def resolve_with_pauses(
    system: System, action: Action, body: Body, include: frozenset[str], budget: Budget | None = None, language: Language = LANGUAGES[0]
) -> Cooperative[dict[str, Any]]:
    """The same, pausing before each factor and option: there may be hundreds, and each takes as long as a ruling.

    ``budget`` is charged at every move of a fight; what it raises ends the work. Odds, which may be expensive, are not included here.
    """
    wanted = include.union(body.include)
    seed = seed_text(body.seed)
    record, verdict = _rolled(system, action, body, seed, wants_options="options" in wanted, budget=budget)
    language = body.language or language
    ruling = _ruling(system, action, body, seed, record, verdict, language)
    ruled = Ruled(action, body, seed, record, verdict, budget)
    if "factors" in wanted:
        ruling["factors"] = yield from factors(ruled)
    if "options" in wanted:
        ruling["options"] = yield from options(ruled, text.scope_of(system, body, record.rolls, language))
    return ruling


def _ruling(
    system: System, action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict, language: Language
) -> dict[str, Any]:
    """The ruling of a verdict."""
    total: Any  # an integer or None: rolled dice leave no distribution
    target: Any
    total, target = verdict.decisive
    effects = effects_of(body, verdict)
    at_table = {supplied.roll for supplied in body.dice}
    rolls = [_roll(named, at_table) for named in record.rolls]
    scope = text.scope_of(system, body, record.rolls, language)
    summary, markdown = text.lines(action.summary(body, verdict, record), effects, record.rolls, scope)
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "outcome": verdict.outcome,
        "outcomeText": text.outcome_text(verdict.outcome, scope),
        "succeeded": verdict.succeeded,
        "summary": summary,
        "markdown": markdown,
        "target": target,
        "total": total,
        "margin": margin(verdict),
        "rolls": rolls,
        "steps": text.steps(record, scope),
        "notes": text.notes(body, record.used, scope),
        **({"unusedDice": _unused_dice(body, record)} if allows_unused(body) else {}),
        "effects": effects,
        "after": after(body, effects, verdict.removed) | verdict.after,
        **text.rendered(verdict.fields, scope),
        **parts.shown(verdict, effects, scope),
        "seed": seed,
        "seedFrom": _seed_from(body, rolls),
        "rng": RNG,
        "rulebook": system.version,
        "version": VERSION,
    }


def _rolled(
    system: System, action: Action, body: Body, seed: str, *, wants_options: bool = False, budget: Budget | None = None
) -> tuple[RolledDice, Verdict]:
    """Run the rule on rolled dice: their record and the verdict."""
    supplied = supplied_faces(system, body) if body.dice or body.rng else None
    record = RolledDice(seeded(seed, supplied), wants_options=wants_options)
    if budget is not None:
        budget.pause()
        record.checkpoint = budget.charge
    try:
        verdict = action.rule(body, record)
        if body.dice:
            refuse_unused(body, rolls_made(record))
    except WrongDice as error:
        raise citing_rule(system, error) from None
    return record, verdict


def _unused_dice(body: Body, record: RolledDice) -> list[dict[str, Any]]:
    """The dice handed in for rolls that did not happen."""
    made = rolls_made(record) if body.dice else set()
    return [dice.model_dump(by_alias=True) for dice in body.dice if dice.roll not in made]


def _seed_from(body: Body, rolls: list[dict[str, Any]]) -> str:
    """``table`` if at least one die was rolled and all of them at the table; else who chose the seed."""
    if body.dice and all(roll["from"] == "table" or not roll["dice"] for roll in rolls) and any(roll["dice"] for roll in rolls):
        return "table"
    return "service" if body.seed is None else "request"


def _die(die: Die) -> dict[str, Any]:
    published = {"sides": die.sides, "face": die.face, "kept": die.kept, "replaced": die.replaced}
    if die.lowest != (0 if die.sides == 10 else 1):
        published["lowest"] = die.lowest
    return published


def _roll(named: NamedRoll, at_table: set[str]) -> dict[str, Any]:
    result = named.result
    return {
        "roll": named.roll,
        "name": named.who,
        "dice": [_die(die) for die in result.dice],
        "modifier": result.modifier,
        "total": result.total,
        "from": "table" if named.roll in at_table else "seed",
        "special": result.special,
    }
