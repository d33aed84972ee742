"""The participants of a request, and the effects of a ruling on them."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from tablecall.model.base import Body, Model, Participant
from tablecall.systems.verdict import Verdict


@cache
def participant_fields(body: type[Model]) -> tuple[tuple[str, str, bool], ...]:
    """The fields of a body (or participant) that hold participants: name, wire name, and whether it is a list of them."""
    return tuple(
        (name, field.alias or name, get_origin(field.annotation) is list)
        for name, field in body.model_fields.items()
        if participant_of(field) is not None
    )


def participant_of(field: FieldInfo) -> type[Participant] | None:
    """The participant model of a field, or of the items of its list; ``None`` for other fields."""
    types = (field.annotation, *get_args(field.annotation))
    return next((type_ for type_ in types if isinstance(type_, type) and issubclass(type_, Participant)), None)


@cache
def path_to_sheet(model: type[Model]) -> tuple[tuple[str, str], ...]:
    """The fields that lead from a participant to its sheet (a combatant has an actor, who has a character): name and wire name."""
    for name, field in model.model_fields.items():
        inner = participant_of(field)
        if inner is not None:
            return ((name, field.alias or name), *path_to_sheet(inner))
    return ()


def participants(body: Body) -> dict[str, Participant]:
    """All participants of a request, by place: ``actor``, ``attackers.0``."""
    people: dict[str, Participant] = {}
    for name, alias, is_list in participant_fields(type(body)):
        value = getattr(body, name)
        if is_list:
            people.update((f"{alias}.{index}", participant) for index, participant in enumerate(value))
        elif value is not None:
            people[alias] = value
    return people


def after(body: Body, effects: list[dict[str, Any]]) -> dict[str, Any]:
    """The participants by their names in the request, with the effects applied to their sheets.

    A character in two places (a healer who treats their own wounds) changes in both.
    """
    people: dict[str, Any] = {}
    for name, alias, is_list in participant_fields(type(body)):
        value = getattr(body, name)
        people[alias] = [_as_sent(participant) for participant in value] if is_list else None if value is None else _as_sent(value)
    for effect in effects:
        for place in (effect["on"], *(_other_places(body, effect["on"]) if effect["id"] is not None else ())):
            apply(people, place, effect["stat"], effect["to"], type(body))
    return people


def _other_places(body: Body, on: str) -> list[str]:
    """The other places of the character at ``on``, to whom the caller gave an id: those with an equal sheet."""
    if on not in body.may_be_same_character:
        return []
    sheets = {place: nested(who)[-1] for place, who in participants(body).items() if place in body.may_be_same_character}
    return [place for place, sheet in sheets.items() if place != on and sheet == sheets[on]]


def _as_sent(who: Participant) -> dict[str, Any]:
    """A participant by wire names, with the one-shot fields of it and of those inside it reset."""
    dumped: dict[str, Any] = who.__pydantic_serializer__.to_python(who, by_alias=True)
    for path, defaults in _one_shot_defaults(type(who)):
        nested = dumped
        for key in path:
            nested = nested[key] or {}
        nested.update(defaults)
    return dumped


@cache
def _one_shot_defaults(model: type[Model]) -> tuple[tuple[tuple[str, ...], dict[str, Any]], ...]:
    """The one-shot fields in a participant: the path to each part that has some, and their defaults by wire name."""
    defaults: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    if issubclass(model, Participant) and model.one_shot_fields:
        fields = model.model_fields.items()
        defaults.append(((), {field.alias or name: field.default for name, field in fields if field.alias in model.one_shot_fields}))
    for name, field in model.model_fields.items():
        inner = participant_of(field)
        if inner is not None:
            defaults += [((field.alias or name, *path), reset) for path, reset in _one_shot_defaults(inner)]
    return tuple(defaults)


def apply(people: dict[str, Any], on: str, stat: str, to: Any, body: type[Body]) -> None:
    """Set ``stat`` of the sheet at ``on`` to ``to``. Does nothing if no sheet was sent, and for groups.

    ``people`` are the participants of a ``body`` of this type, by wire names.
    """
    sheet: Any = people
    for key in on.split("."):
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet.get(key) if isinstance(sheet, dict) else None
    for key in _sheet_keys(body, on.partition(".")[0]):
        sheet = sheet[key] if isinstance(sheet, dict) else None
    if sheet is None:
        return
    *path, last = stat.split(".")
    for key in path:
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet[key]
    if isinstance(sheet, list):
        sheet[int(last) : int(last) + 1] = [] if to is None else [to]
    elif isinstance(sheet[last], dict) and "current" in sheet[last] and isinstance(to, int):
        sheet[last]["current"] = to
    else:
        sheet[last] = to


def nested(who: Participant) -> list[Any]:
    """A participant, then those inside it; the sheet is last, if there is one."""
    people = [who]
    for name, _ in path_to_sheet(type(who)):
        people.append(getattr(people[-1], name, None) or people[-1])
    return people


@cache
def _sheet_keys(body: type[Model], place: str) -> tuple[str, ...]:
    """The wire names that lead from the participant in a field of a body to the sheet; empty for a group."""
    for name, field in body.model_fields.items():
        who = participant_of(field)
        if who is not None and place == (field.alias or name):
            return tuple(alias for _, alias in path_to_sheet(who))
    return ()


def effects_of(body: Body, verdict: Verdict) -> list[dict[str, Any]]:
    """The changes of a verdict as published (`Effect`), in the order of the rule."""
    if not verdict.changes:
        return []
    people = participants(body)
    return [
        {
            "on": change.on,
            "id": identity(people[change.on]) if change.on in people else None,
            "stat": change.stat,
            "from": change.before,
            "to": change.to,
            "change": change.change,
        }
        for change in verdict.changes
    ]


def identity(who: Participant) -> str | None:
    """The id of a participant, or of the first one inside that has an id."""
    return next((part.id for part in nested(who) if getattr(part, "id", None) is not None), None)
