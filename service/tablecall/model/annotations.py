"""What a request may hold where: the fields at a place, by their names on the wire."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel


def union_members(annotation: Any) -> Iterable[Any]:
    """What an annotation allows, unions and annotations opened."""
    if get_origin(annotation) is Annotated:
        yield from union_members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from union_members(part)
    else:
        yield annotation


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model somewhere inside an annotation, be it in a list; none where there is none."""
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    return next((found for part in get_args(annotation) if (found := model_in(part)) is not None), None)


def item_of(kinds: Iterable[Any]) -> Any:
    """What the list among ``kinds`` holds; none where there is no list."""
    return next((get_args(kind)[0] for kind in kinds if get_origin(kind) is list), None)


def fields_of(kinds: Iterable[Any]) -> dict[str, Any]:
    """The fields of the model among ``kinds`` and what each allows; none where there is no model."""
    model = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()} if model else {}


def fields_at(model: type[BaseModel], place: Iterable[str | int]) -> list[str]:
    """The names of the fields there are at a place within a model's document: keys and indices."""
    found: Any = model
    for key in place:
        kinds = list(union_members(found))
        found = item_of(kinds) if isinstance(key, int) else fields_of(kinds).get(key)
    return list(fields_of(union_members(found)))


def refers(schema: str) -> dict[str, Any]:
    """A JSON Schema that stands for a published schema without a model; `tablecall.contract.json_schema` puts the reference there."""
    return {"refers": schema}
