"""The participants of a request, and the effects of a ruling on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablecall.model.annotations import union_members
from tablecall.model.base import Body, Model, Participant
from tablecall.model.refusals import pointer
from tablecall.systems.verdict import Change, Verdict


@cache
def participant_fields(body: type[Model]) -> tuple[tuple[str, str, bool], ...]:
    """The fields of a body (or participant) that hold participants: name, wire name, and whether it is a list of them."""
    return tuple(
        (name, field.alias or name, _is_list(field.annotation))
        for name, field in body.model_fields.items()
        if participant_of(field) is not None
    )


def participant_of(field: FieldInfo) -> type[Participant] | None:
    """The participant model of a field, or of the items of its list; ``None`` for other fields."""
    types = [part for member in union_members(field.annotation) for part in (member, *get_args(member))]
    return next((type_ for type_ in types if isinstance(type_, type) and issubclass(type_, Participant)), None)


def _is_list(annotation: Any) -> bool:
    """Whether a field holds a list, or may hold one."""
    return any(get_origin(member) is list for member in union_members(annotation))


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
        if value is None:
            continue
        if is_list:
            people.update((f"{alias}.{index}", participant) for index, participant in enumerate(value))
        else:
            people[alias] = value
    return people


def after(body: Body, effects: list[dict[str, Any]], removed: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """The participants by their names in the request, as they were sent, with the effects applied to their sheets.

    A character in two places (a healer who treats their own wounds) changes in both. ``removed`` are further fields that were used up,
    each with the place of the participant.
    """
    people: dict[str, Any] = {}
    for name, alias, is_list in participant_fields(type(body)):
        if name in body.model_fields_set:
            value = getattr(body, name)
            people[alias] = None if value is None else [_as_sent(participant) for participant in value] if is_list else _as_sent(value)
    for place, field in removed:
        for document, _ in _documents(people, body, place):
            document.pop(field, None)
    for effect in effects:
        for place in (effect["on"], *(_other_places(body, effect["on"]) if effect["id"] is not None else ())):
            _apply(people, body, place, effect)
    return people


def undo(people: dict[str, Any], effects: Sequence[Mapping[str, Any]]) -> None:
    """Undo the ``effects`` of a ruling in its ``after``: last first, ``from`` at every pointer, and null removes."""
    for effect in reversed(effects):
        if effect["pointer"] is None:
            continue
        *path, last = effect["pointer"].split("/")[1:]
        document: Any = people
        for key in path:
            document = document[int(key)] if isinstance(document, list) else document[key]
        if isinstance(document, list):
            entry = [] if effect["from"] is None else [effect["from"]]
            document[int(last) : int(last) + (0 if effect["to"] is None else 1)] = entry
        elif effect["from"] is None:
            document.pop(last, None)
        else:
            document[last] = effect["from"]


def _other_places(body: Body, on: str) -> list[str]:
    """The other places of the character at ``on``, to whom the caller gave an id: those with an equal sheet."""
    if on not in body.may_be_same_character:
        return []
    sheets = {place: nested(who)[-1] for place, who in participants(body).items() if place in body.may_be_same_character}
    return [place for place, sheet in sheets.items() if place != on and _same_sheet(sheet, sheets[on])]


def _as_sent(who: Participant) -> dict[str, Any]:
    """A participant as it was sent, by wire names, without the fields of one roll."""
    sent: dict[str, Any] = who.model_dump(by_alias=True, exclude_unset=True)
    for path, fields in _one_shot_fields(type(who)):
        part: Any = sent
        for key in path:
            part = part.get(key) or {}
        for field in fields:
            part.pop(field, None)
    return sent


@cache
def _one_shot_fields(model: type[Model]) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    """The one-shot fields in a participant: the path to each part that has some, and their wire names."""
    if not issubclass(model, Participant) or model.keeps_one_shots:
        return ()
    parts: list[tuple[tuple[str, ...], frozenset[str]]] = [((), model.one_shot_fields)] if model.one_shot_fields else []
    for name, field in model.model_fields.items():
        inner = participant_of(field)
        if inner is not None:
            parts += [((field.alias or name, *path), fields) for path, fields in _one_shot_fields(inner)]
    return tuple(parts)


def _documents(people: dict[str, Any], body: Body, place: str) -> list[tuple[dict[str, Any], Participant]]:
    """The documents in ``people`` of the participant at a place and of those inside, each with its model."""
    document: Any = people
    for key in place.split("."):
        document = document[int(key)] if isinstance(document, list) else document.get(key) if isinstance(document, dict) else None
    who = participants(body)[place]
    documents = [(document, who)]
    for name, alias in path_to_sheet(type(who)):
        document, who = document.get(alias), getattr(who, name)
        if document is None:
            break
        documents.append((document, who))
    return documents


def _apply(people: dict[str, Any], body: Body, place: str, effect: dict[str, Any]) -> None:
    """Set a stat of the sheet at ``place``. Does nothing for groups, which the rule changes itself, and if no sheet was sent.

    A member that was not sent and now changes is filled in from the model first: a pool that was derived, a list that was empty.
    """
    if effect["pointer"] is None or place not in participants(body):
        return
    document, model = _documents(people, body, place)[-1]
    keys = _stat_keys(model, effect["stat"], effect["to"])
    value: Any = document
    for key in keys[:-1]:
        if isinstance(value, list):
            value, model = value[int(key)], model[int(key)]  # type: ignore[index]
            continue
        model = _member(model, key)
        if value.get(key) is None:
            value[key] = _filled(model)
        value = value[key]
    to = effect["to"]
    if isinstance(value, list):
        value[int(keys[-1]) : int(keys[-1]) + 1] = [] if to is None else [to]
    elif to is None:
        value.pop(keys[-1], None)
    else:
        value[keys[-1]] = to


def _member(model: Any, alias: str) -> Any:
    """The value of a model's field, by its wire name."""
    return next(getattr(model, name) for name, field in type(model).model_fields.items() if (field.alias or name) == alias)


def _filled(value: Any) -> Any:
    """What stands in ``after`` for a member that was not sent."""
    if isinstance(value, list):
        return [_filled(item) for item in value]
    return value.model_dump(by_alias=True, exclude_defaults=True) if isinstance(value, BaseModel) else value


def _stat_keys(sheet: Participant, stat: str, to: Any) -> list[str]:
    """The keys from a sheet to a stat; a pool's stat is its current value."""
    keys = stat.split(".")
    if len(keys) == 1 and isinstance(to, int):
        value = _member(sheet, stat)
        if isinstance(value, BaseModel) and "current" in type(value).model_fields:
            keys.append("current")
    return keys


def nested(who: Participant) -> list[Any]:
    """A participant, then those inside it; the sheet is last, if there is one."""
    people = [who]
    for name, _ in path_to_sheet(type(who)):
        people.append(getattr(people[-1], name, None) or people[-1])
    return people


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
            "pointer": change.pointer or _pointer(people.get(change.on), change),
        }
        for change in verdict.changes
    ]


def _pointer(who: Participant | None, change: Change) -> str | None:
    """Where in ``after`` a change stands; ``None`` for groups and for rollers without a sheet."""
    if who is None:
        return None
    path: list[str] = []
    for name, alias in path_to_sheet(type(who)):
        inner = getattr(who, name)
        if inner is None:
            break
        path.append(alias)
        who = inner
    if not who.is_sheet and change.stat not in who.bare_state:
        return None
    return "/".join(("", *change.on.split("."), *path, *_stat_keys(who, change.stat, change.to)))


def place_of_same_id(body: Body) -> str | None:
    """The pointer of an id that an earlier participant has already.

    Places that may hold the same character (`Body.may_be_same_character`), and are not two of one list, may hold equal sheets.
    """
    people = participants(body)
    seen: dict[str, str] = {}
    for place, who in people.items():
        id_ = identity(who) if who.unique_id else None
        if id_ is None:
            continue
        first = seen.setdefault(str(id_), place)
        if first != place and not _may_be_same(body, people, first, place):
            path = "" if who.__dict__.get("id") is not None else "".join(f"/{alias}" for _, alias in path_to_sheet(type(who)))
            return f"{pointer(place)}{path}/id"
    return None


def _may_be_same(body: Body, people: Mapping[str, Participant], first: str, second: str) -> bool:
    if not {first, second} <= body.may_be_same_character or first.partition(".")[0] == second.partition(".")[0]:
        return False
    return _same_sheet(nested(people[first])[-1], nested(people[second])[-1])


def _same_sheet(one: Participant, other: Participant) -> bool:
    """Whether two sheets are equal. Of an id, 1 and "1" are the same."""
    if type(one) is not type(other) or str(identity(one)) != str(identity(other)):
        return False
    return {**vars(one), "id": None} == {**vars(other), "id": None}


def identity(who: Participant) -> str | None:
    """The id of a participant, or of the first one inside that has an id."""
    # not `getattr`: a pydantic model takes 10 µs to say that it has no such attribute
    return next((part.__dict__["id"] for part in nested(who) if part.__dict__.get("id") is not None), None)
