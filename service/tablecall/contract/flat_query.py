"""Requests as flat queries: which actions a query can express, its parameters, and an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_origin

from annotated_types import MinLen
from pydantic import BaseModel

from tablecall.contract.action_models import PublishedAction
from tablecall.contract.json_schema import components
from tablecall.model.annotations import item_of, model_in, union_members
from tablecall.model.base import Participant

_FURTHER = re.compile(r"\.[1-9][0-9]*(?=\.)")
"""The number of a further item of a list in a dotted name."""
FORMAT_TEXT = "The form of the answer, in place of an Accept header."
_THEME = {
    "name": "theme",
    "in": "query",
    "required": False,
    "description": "The colours of an SVG chart. By default it follows the reader's.",
    "schema": {"type": "string", "enum": ["light", "dark"]},
}


def can_be_queried(published: PublishedAction) -> bool:
    """Whether a query can express the action: one of its examples needs no whole sheet and no map."""
    return example_query(published) is not None


def example_query(published: PublishedAction) -> dict[str, Any] | None:
    """The first example of an action that a query can express, by dotted names."""
    names = {parameter["name"] for parameter in flat_parameters(published.body)}
    for example in published.action.examples.values():
        flat = dict(_flat(example))
        if all(_FURTHER.sub(".0", name) in names for name in flat):
            return flat
    return None


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a document by dotted names; lists of scalars are one value."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(part, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for number, part in enumerate(value):
            yield from _flat(part, f"{name}.{number}")
    else:
        yield name, value


def query_parameters(published: PublishedAction, formats: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """The parameters of an action. Those of its example have example values: with these alone the request is complete.

    Further items of lists in the example are listed too.
    """
    example = example_query(published) or {}
    parameters = {parameter["name"]: parameter for parameter in flat_parameters(published.body)}
    for name in example:
        parameters.setdefault(name, {**parameters[_FURTHER.sub(".0", name)], "name": name, "required": False})
    form = {"type": "string", "enum": list(formats)}
    return (
        *({**row, "example": example[name]} if name in example else row for name, row in parameters.items()),
        {"name": "format", "in": "query", "required": False, "description": FORMAT_TEXT, "schema": form},
        *((_THEME,) if "svg" in formats else ()),
    )


_DEPTH = 3


@cache
def flat_parameters(model: type[BaseModel], prefix: str = "", depth: int = _DEPTH, *, needed: bool = True) -> tuple[dict[str, Any], ...]:
    """The scalars of a body by dotted names, lists of scalars as repeated names, and the first item of other lists.

    Whole sheets are left out. Maps can be sent by dotted names too, but OpenAPI has no way to say so.
    """
    parameters: list[dict[str, Any]] = []
    for name, field in model.model_fields.items():
        alias = field.alias or name
        inner = model_in(field.annotation)
        if alias == "action" or (inner is not None and _is_sheet(inner)) or get_origin(field.annotation) is dict:
            continue
        required = needed and field.is_required()
        if inner is None:
            parameters.append(_parameter(f"{prefix}{alias}", alias, model, required=required))
        elif depth and item_of(union_members(field.annotation)) is None:
            parameters += flat_parameters(inner, f"{prefix}{alias}.", depth - 1, needed=required)
        elif depth:
            required = required and any(isinstance(bound, MinLen) and bound.min_length for bound in field.metadata)
            parameters += flat_parameters(inner, f"{prefix}{alias}.0.", depth - 1, needed=required)
    return tuple(parameters)


def _parameter(name: str, alias: str, model: type[BaseModel], *, required: bool) -> dict[str, Any]:
    schema = {key: part for key, part in components()[model.__name__]["properties"][alias].items() if key != "description"}
    more = " The second item has the number 1, and so on." if ".0." in name else ""
    text = f"{components()[model.__name__]['properties'][alias].get('description', '')}{more}"
    return {"name": name, "in": "query", "required": required, "description": text, "schema": _without_null(schema)}


def _is_sheet(model: type[BaseModel]) -> bool:
    return issubclass(model, Participant) and model.is_sheet


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null, which a query string cannot express."""
    rest = {key: part for key, part in schema.items() if key != "anyOf" and not (key == "default" and part is None)}
    allowed = [member for member in schema.get("anyOf", []) if member.get("type") != "null"]
    return {**allowed[0], **rest} if len(allowed) == 1 else {**rest, "anyOf": allowed} if allowed else rest
