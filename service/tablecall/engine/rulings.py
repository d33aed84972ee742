"""The ruling of one action, its factors, and its options."""

from __future__ import annotations

from typing import Any

from tablecall.dice.rng import RNG, seed_text
from tablecall.dice.roll import Contribution, NamedRoll, RolledDice, all_contributions, all_rolls, inner_seed, replayed, seeded
from tablecall.engine import parts, text
from tablecall.engine.budget import Budget, Cooperative, at_once
from tablecall.engine.participants import after, effects_of
from tablecall.engine.supplied_dice import citing_rule, refuse_unused, rolls_made, supplied_faces
from tablecall.engine.version import VERSION
from tablecall.model.base import Body
from tablecall.model.refusals import Refusal, WrongDice
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
    if include or body.include:
        return at_once(resolve_with_pauses(system, action, body, include, language=language))
    seed = seed_text(body.seed)
    record, verdict = _rolled(system, action, body, seed)
    ruling = _ruling(system, action, body, seed, record, verdict, body.language or language)
    return ruling if not verdict.scenes else at_once(_with_scenes(ruling, system, body, record, verdict, body.language or language))


def resolve_with_pauses(
    system: System, action: Action, body: Body, include: frozenset[str], budget: Budget | None = None, language: Language = LANGUAGES[0]
) -> Cooperative[dict[str, Any]]:
    """The same, pausing before each scene, factor and option: there may be hundreds, and each takes as long as a ruling.

    ``budget`` is charged at every move of a fight; what it raises ends the work.
    """
    wanted = include.union(body.include)
    seed = seed_text(body.seed)
    record, verdict = _rolled(system, action, body, seed, wants_options="options" in wanted, budget=budget)
    language = body.language or language
    ruling = _ruling(system, action, body, seed, record, verdict, language)
    if verdict.scenes:
        yield from _with_scenes(ruling, system, body, record, verdict, language)
    if "factors" in wanted:
        ruling["factors"] = yield from _factors(action, body, seed, record, verdict, budget)
    if "options" in wanted:
        ruling["options"] = yield from _options(system, action, body, seed, record, verdict, budget)
    return ruling


def _ruling(
    system: System, action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict, language: Language
) -> dict[str, Any]:
    """The ruling of a verdict."""
    total: Any = verdict.total  # an integer or None: rolled dice leave no distribution
    target: Any = verdict.target
    effects = effects_of(body, verdict)
    at_table = {supplied.roll for supplied in body.dice}
    rolls = [_roll(named, at_table) for named in record.rolls]
    scope = text.scope_of(system, body, record.rolls, language)
    parts.complete(verdict, effects, scope)
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
        "margin": _margin(verdict),
        "rolls": rolls,
        "steps": text.steps(record, scope),
        "notes": text.notes(body, record.used, scope),
        **({"unusedDice": _unused_dice(body, record)} if body.possible_rolls() is not None else {}),
        "effects": effects,
        "after": after(body, effects, verdict.removed) | verdict.after,
        **text.rendered(verdict.fields, scope),
        "seed": seed,
        "seedFrom": _seed_from(body, rolls),
        "rng": RNG,
        "rulebook": system.version,
        "version": VERSION,
    }


def _with_scenes(
    ruling: dict[str, Any], system: System, body: Body, record: RolledDice, verdict: Verdict, language: Language
) -> Cooperative[dict[str, Any]]:
    """The ruling with those of its scenes, in their lists, each with the request that gives the same ruling on its own."""
    actions = {action.name: action for action in system.actions}
    lists: dict[str, list[dict[str, Any]]] = {}
    for scene in verdict.scenes:
        yield None
        alone = scene.body().model_copy(update={"seed": inner_seed(ruling["seed"], scene.name)})
        dice = [
            supplied.model_copy(update={"roll": supplied.roll.removeprefix(f"{scene.name}.")})
            for supplied in body.dice
            if supplied.roll.startswith(f"{scene.name}.")
        ]
        if dice:
            alone = alone.model_copy(update={"dice": dice})
        inner = _ruling(system, actions[scene.action], alone, str(alone.seed), record.scenes[scene.name], scene.verdict, language)
        request = {"action": inner["action"], **alone.sent}
        lists.setdefault(scene.name.partition(".")[0], []).append({**inner, "request": request})
    ruling.update(lists)
    return ruling


def _rolled(
    system: System, action: Action, body: Body, seed: str, *, wants_options: bool = False, budget: Budget | None = None
) -> tuple[RolledDice, Verdict]:
    """Run the rule on rolled dice: their record and the verdict."""
    supplied = supplied_faces(system, body) if body.dice or body.rng else None
    record = RolledDice(seeded(seed, supplied), wants_options=wants_options)
    if budget is not None:
        _charged(record, budget)
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


def _charged(record: RolledDice, budget: Budget | None) -> RolledDice:
    """The record of one more run of the rule, whose moves are charged from the beginning."""
    if budget is not None:
        budget.pause()
        record.checkpoint = budget.charge
    return record


def _margin(verdict: Verdict) -> int | None:
    total, target = verdict.total, verdict.target
    return total - target if isinstance(total, int) and isinstance(target, int) else None


def _seed_from(body: Body, rolls: list[dict[str, Any]]) -> str:
    """``table`` if at least one die was rolled and all of them at the table; else who chose the seed."""
    if body.dice and all(roll["from"] == "table" or not roll["dice"] for roll in rolls) and any(roll["dice"] for roll in rolls):
        return "table"
    return "service" if body.seed is None else "request"


def _roll(named: NamedRoll, at_table: set[str]) -> dict[str, Any]:
    result = named.result
    return {
        "roll": named.roll,
        "name": named.who,
        "dice": [{"sides": die.sides, "face": die.face, "kept": die.kept, "replaced": die.replaced} for die in result.dice],
        "modifier": result.modifier,
        "total": result.total,
        "from": "table" if named.roll in at_table else "seed",
        "special": result.special,
    }


# ── Factors and options ──────────────────────────────────────────────────────────────────────────────────────────────


def _factors(
    action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict, budget: Budget | None
) -> Cooperative[list[dict[str, Any]]]:
    """Run the rule on the same dice once for each contribution, with that contribution taken away.

    A contribution recorded twice (for a roll and its re-roll) is taken away from both. If the rules would refuse the request without it
    (it granted dice that were kept by hand), there is nothing to compare with, and it is left out.
    """
    factors = []
    rolls = list(all_rolls(record))
    for key, contribution in _distinct(record).items():
        yield None
        again = _charged(RolledDice(replayed(rolls, seed), without=key), budget)
        try:
            other = action.rule(body, again)
        except Refusal:
            continue
        if other.outcome != verdict.outcome:
            importance = "necessary"
        elif _numbers(other) != _numbers(verdict):
            importance = "helpful"
        else:
            importance = "irrelevant"
        without = {"outcome": other.outcome, "total": other.total, "margin": _margin(other)}
        on, kind, name = key
        value = _published_value(contribution.value)
        factors.append({"on": on, "kind": kind, "name": name, "value": value, "verdict": importance, "without": without})
    return factors


def _published_value(value: object) -> int | str:
    """The value of a contribution: a number or a text as it is, faces with spaces between them, anything else as text."""
    if isinstance(value, int | str):
        return value
    return " ".join(map(str, value)) if type(value) is tuple else str(value)


def _numbers(verdict: Verdict) -> tuple[object, ...]:
    """Everything that may differ without a different outcome."""
    return verdict.total, verdict.target, verdict.changes, verdict.after


def _distinct(record: RolledDice) -> dict[tuple[str, str, str], Contribution]:
    """Each contribution once, in the order in which they were first recorded."""
    contributions: dict[tuple[str, str, str], Contribution] = {}
    for contribution in all_contributions(record):
        contributions.setdefault((contribution.on, contribution.kind, contribution.name), contribution)
    return contributions


def _options(
    system: System, action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict, budget: Budget | None
) -> Cooperative[list[dict[str, Any]]]:
    """The options that change something, each with the outcome of taking it, found by resolving the patched request."""
    options = []
    for offer in record.options:
        yield None
        choice, sentence, taking = offer if len(offer) == 3 else (offer.choice, offer.key, offer.request or {})
        patch = dict(taking) if body.seed is not None else {**taking, "seed": seed}
        then = _taken(system, action, body, seed, record, patch, budget)
        if then is not None and (then.outcome, _numbers(then)) != (verdict.outcome, _numbers(verdict)):
            options.append({"choice": choice, "text": sentence, "request": patch, "then": then.outcome})
    return options


def _taken(
    system: System, action: Action, body: Body, seed: str, record: RolledDice, patch: dict[str, Any], budget: Budget | None
) -> Verdict | None:
    """The verdict of the patched request; ``None`` if it is refused. Supplied dice it no longer rolls are removed, also from ``patch``."""
    taken = type(body).model_validate(merge(body.model_dump(by_alias=True, exclude_unset=True), patch))
    try:
        if taken.dice:
            again = _charged(RolledDice(replayed(list(all_rolls(record)), seed)), budget)
            action.rule(taken, again)
            made = rolls_made(again)
            dice = [supplied for supplied in taken.dice if supplied.roll in made]
            if len(dice) < len(taken.dice):
                patch["dice"] = [supplied.model_dump(by_alias=True) for supplied in dice]
                taken = taken.model_copy(update={"dice": dice})
        return _rolled(system, action, taken, seed, budget=budget)[1]
    except Refusal:
        return None


def merge(document: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396) to a document."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged
