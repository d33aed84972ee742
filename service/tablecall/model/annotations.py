"""Reading type annotations: union members, the model inside, and the fields at a place of a document."""

from __future__ import annotations

import types
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel


def union_members(annotation: Any) -> Iterable[Any]:
    """The types an annotation allows, with unions and `Annotated` unwrapped."""
    if get_origin(annotation) is Annotated:
        yield from union_members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from union_members(part)
    else:
        yield annotation


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The first model inside an annotation, also inside a list; otherwise ``None``."""
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    return next((model for part in get_args(annotation) if (model := model_in(part)) is not None), None)


@cache
def models_in(annotation: Any) -> tuple[type[BaseModel], ...]:
    """Every model inside an annotation, also inside a list."""
    if isinstance(annotation, type) and not get_args(annotation):
        return (annotation,) if issubclass(annotation, BaseModel) else ()
    return tuple(model for part in get_args(annotation) for model in models_in(part))


def item_of(types_: Iterable[Any]) -> Any:
    """The item type of the list among these types; ``None`` if there is no list."""
    return next((get_args(type_)[0] for type_ in types_ if get_origin(type_) is list), None)


def fields_of(types_: Iterable[Any]) -> dict[str, Any]:
    """The fields of the model among these types, by wire name, with their annotations; empty if there is no model."""
    model = next((type_ for type_ in types_ if isinstance(type_, type) and issubclass(type_, BaseModel)), None)
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()} if model else {}


def fields_at(model: type[BaseModel], place: Iterable[str | int]) -> list[str]:
    """The wire names of the fields at a place of a model's document, given as keys and indices."""
    annotation: Any = model
    for key in place:
        types_ = list(union_members(annotation))
        annotation = item_of(types_) if isinstance(key, int) else fields_of(types_).get(key)
    return list(fields_of(union_members(annotation)))


def refers(schema: str) -> dict[str, Any]:
    """A placeholder for a published schema that has no model. `tablecall.contract.json_schema` replaces it by the reference."""
    return {"refers": schema}
