"""Who takes part in a request, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from tablecall.model.base import Body, Model, Participant
from tablecall.systems.verdict import Change, Verdict


@cache
def participant_fields(body: type[Model]) -> tuple[tuple[str, str, bool], ...]:
    """Where a body (or a participant) names participants: the field, its name on the wire, and whether it is a list of them."""
    found = []
    for name, field in body.model_fields.items():
        if participant_of(field) is not None:
            found.append((name, field.alias or name, get_origin(field.annotation) is list))
    return tuple(found)


def participant_of(field: FieldInfo) -> type[Participant] | None:
    """Which participant a field holds, or holds a list of; none where it holds something else."""
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Participant)), None)


@cache
def _inner(model: type[Model]) -> tuple[tuple[str, str], ...]:
    """What leads from a participant to the sheet, by field and by name on the wire: one who rolls in a conflict is an actor, who may
    have a character."""
    for name, field in model.model_fields.items():
        inner = participant_of(field)
        if inner is not None:
            return ((name, field.alias or name), *_inner(inner))
    return ()


def participants(body: Body) -> Iterator[tuple[str, Participant]]:
    """Everyone a request names, by their place in it: ``actor``, ``attackers.0``."""
    for name, alias, several in participant_fields(type(body)):
        value = getattr(body, name)
        if several:
            yield from ((f"{alias}.{index}", one) for index, one in enumerate(value))
        elif value is not None:
            yield alias, value


def after(body: Body, effects: list[dict[str, Any]]) -> dict[str, Any]:
    """The participants under the names they had in the request, with the effects applied to their sheets.

    Who stands in two places, the healer who heals their own wounds, is one character still: what changes at one, changes at both.
    """
    found: dict[str, Any] = {}
    for name, alias, several in participant_fields(type(body)):
        value = getattr(body, name)
        found[alias] = [_as_sent(one) for one in value] if several else None if value is None else _as_sent(value)
    for effect in effects:
        for place in (effect["on"], *_elsewhere(body, effect)):
            apply(found, place, effect["stat"], effect["to"], type(body))
    return found


def _elsewhere(body: Body, effect: dict[str, Any]) -> list[str]:
    """Where else the character of an effect stands: the same sheet, with an id of the caller's."""
    if effect["id"] is None or effect["on"] not in body.may_be_same_character:
        return []
    sheets = {place: list(_inward(who))[-1] for place, who in participants(body) if place in body.may_be_same_character}
    return [place for place, sheet in sheets.items() if place != effect["on"] and sheet == sheets[effect["on"]]]


def _as_sent(who: Participant) -> dict[str, Any]:
    """A participant in the wire's words, without what speaks of one roll alone, of itself and of those inside it."""
    dumped: dict[str, Any] = who.__pydantic_serializer__.to_python(who, by_alias=True)
    for way, spent in _spent(type(who)):
        place = dumped
        for key in way:
            place = place[key] or {}
        place.update(spent)
    return dumped


@cache
def _spent(model: type[Model]) -> tuple[tuple[tuple[str, ...], dict[str, Any]], ...]:
    """What speaks of one roll alone, as it comes back: where it stands, and by its name on the wire its default."""
    found: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    if issubclass(model, Participant) and model.one_shot_fields:
        fields = model.model_fields.items()
        found.append(((), {field.alias or name: field.default for name, field in fields if field.alias in model.one_shot_fields}))
    for name, field in model.model_fields.items():
        inner = participant_of(field)
        if inner is not None:
            found += [((field.alias or name, *way), spent) for way, spent in _spent(inner)]
    return tuple(found)


def apply(people: dict[str, Any], on: str, stat: str, to: Any, body: type[Body]) -> None:
    """Set ``stat`` of the sheet at ``on`` to ``to``. Whoever sent no sheet, and groups, are left as they are.

    ``people`` are the participants that a ``body`` of this kind names, in the wire's words.
    """
    sheet: Any = people
    for key in on.split("."):
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet.get(key) if isinstance(sheet, dict) else None
    for key in _way(body, on.partition(".")[0]):
        sheet = sheet[key] if isinstance(sheet, dict) else None
    if sheet is None:
        return
    *way, last = stat.split(".")
    for key in way:
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet[key]
    if isinstance(sheet, list):
        sheet[int(last) : int(last) + 1] = [] if to is None else [to]
    elif isinstance(sheet[last], dict) and "current" in sheet[last] and isinstance(to, int):
        sheet[last]["current"] = to
    else:
        sheet[last] = to


def _inward(who: Participant | None) -> Iterator[Any]:
    """A participant, then whoever is inside, the sheet last, if there is one."""
    yield who
    for name, _ in _inner(type(who)) if who is not None else ():
        who = getattr(who, name, None) or who
        yield who


@cache
def _way(body: type[Model], place: str) -> tuple[str, ...]:
    """The names on the wire that lead from whoever stands in a field of a body to the sheet; none from a group."""
    for name, field in body.model_fields.items():
        who = participant_of(field)
        if who is not None and place == (field.alias or name):
            return tuple(alias for _, alias in _inner(who))
    return ()


def effects_of(body: Body, verdict: Verdict) -> list[dict[str, Any]]:
    """What changes, for whom, in the order in which the rule said so."""
    if not verdict.changes:
        return []
    people = dict(participants(body))
    return [_effect(change, people) for change in verdict.changes]


def _effect(change: Change, people: dict[str, Participant]) -> dict[str, Any]:
    ids = [getattr(who, "id", None) for who in _inward(people.get(change.on))]
    return {
        "on": change.on,
        "id": next((known for known in ids if known is not None), None),
        "stat": change.stat,
        "from": change.before,
        "to": change.to,
        "change": change.change,
    }
