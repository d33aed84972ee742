"""GraphQL types derived from the published models: inputs, outputs and enums, once each.

A pydantic field becomes a GraphQL field of the same name. Values without a GraphQL type (text or a number, an effect's ``from``, a
merge patch) are the scalar ``JSON``, and seeds the scalar ``Seed``. A `Literal` becomes an enum named after the model and the field.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator
from dataclasses import MISSING
from functools import cache
from inspect import cleandoc
from typing import Any, Literal, NewType, Union, cast, get_args, get_origin

import strawberry
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from strawberry.scalars import JSON
from strawberry.types.unset import UNSET

from tablecall.contract import enums as vocabulary
from tablecall.model.annotations import union_members
from tablecall.runtime.cooperative import TimeSlices

Seed = NewType("Seed", object)
"""Text or an integer; see `tablecall.model.base.Seed`."""
Id = NewType("Id", object)
"""Text or an integer; see `tablecall.model.base.Id`."""


@cache
def output(model: type[BaseModel]) -> Any:
    """The GraphQL object type of a model in a response."""
    return _object(model, model.__name__, strawberry.type)


def field_type(model: type[BaseModel], name: str) -> Any:
    """The GraphQL type of one field of a model in a response."""
    return _type(model.model_fields[name].annotation, model, name, output)


@cache
def interface(model: type[BaseModel], without: frozenset[str]) -> Any:
    """The GraphQL interface of a model's fields, except those in ``without``. The tag in ``action`` gives the type."""
    made = _object(model, model.__name__, strawberry.interface, without)

    def resolve_type(answer: dict[str, Any], info: Any, abstract: Any) -> str:
        return TYPE_OF_TAG[answer["action"]]

    made.__strawberry_definition__.resolve_type = resolve_type
    return made


TYPE_OF_TAG: dict[str, str] = {}
"""The name of the GraphQL type of each action's ruling, by the action's tag."""


def implementing(model: type[BaseModel], parent: Any, plain: frozenset[str], tag: str) -> Any:
    """The GraphQL type of one action's ruling. Fields in ``plain`` are text, as in the interface."""
    TYPE_OF_TAG[tag] = model.__name__
    inherited = {field.graphql_name or field.name for field in parent.__strawberry_definition__.fields} - plain
    made = _object(model, model.__name__, strawberry.type, frozenset(inherited), (parent,), plain)
    made.__strawberry_definition__.is_type_of = _is_type_of
    return made


def _is_type_of(answer: Any, info: Any) -> bool:
    """True: the interface has chosen the type by its tag."""
    return True


@cache
def input_type(model: type[BaseModel]) -> Any:
    """The GraphQL input type of a model in a request."""
    namespace: dict[str, Any] = {"__annotations__": {}}
    for name, field in model.model_fields.items():
        alias = field.alias or name
        graphql_type = _type(field.annotation, model, name, input_type)
        default = _default(field)
        if default is UNSET or default is PydanticUndefined:
            graphql_type = _optional(graphql_type) if default is UNSET else graphql_type
        namespace["__annotations__"][name] = graphql_type
        options: dict[str, Any] = {} if default is PydanticUndefined else {"default": default}
        if isinstance(default, list):
            options = {"default_factory": list}
        namespace[name] = strawberry.field(name=alias, description=field.description, **options)
    return strawberry.input(type(f"{model.__name__}Input", (), namespace), name=f"{model.__name__}Input", description=_says(model))


def to_wire(value: Any) -> Any:
    """An input as the document that REST would have been sent. Values equal to their default are left out."""
    definition = getattr(value, "__strawberry_definition__", None)
    if definition is not None:
        sent = {field: to_wire(getattr(value, field.python_name)) for field in definition.fields}
        return {field.graphql_name or field.name: part for field, part in sent.items() if part not in (UNSET, default_of(field))}
    if isinstance(value, list):
        return [to_wire(part) for part in value]
    return value.value if isinstance(value, enum.Enum) else value


def default_of(field: Any) -> Any:
    """The default of an input's field; UNSET without one."""
    return [] if field.default_factory is list else UNSET if field.default is MISSING else field.default


def look_up(answer: Any, name: str) -> Any:
    """The default resolver: a key of the plain answer. Other requests run while a long list is completed."""
    value = answer.get(name.rstrip("_"))
    return _in_slices(value) if type(value) is list and len(value) > LONG_LIST else value


LONG_LIST = 100
"""A list with more items is completed in slices."""


async def _in_slices(values: list[Any]) -> AsyncIterator[Any]:
    slices = TimeSlices()
    for value in values:
        yield value
        if slices.over:
            await slices.rest()


# ── The type of a field ───────────────────────────────────────────────────────────────────────────────────────────────


def _object(
    model: type[BaseModel],
    name: str,
    decorator: Any,
    without: frozenset[str] = frozenset(),
    parents: tuple[Any, ...] = (),
    plain: frozenset[str] = frozenset(),
) -> Any:
    namespace: dict[str, Any] = {"__annotations__": {}}
    for field_name, field in model.model_fields.items():
        alias = field.alias or field_name
        if alias in without:
            continue
        attribute = f"{alias}_" if alias in ("from",) else alias
        text = f"{field.description or ''}{_one_of(field)}" if alias in plain else field.description
        namespace["__annotations__"][attribute] = str if alias in plain else _type(field.annotation, model, field_name, output)
        namespace[attribute] = strawberry.field(name=alias, description=text)
    return decorator(type(name, parents, namespace), name=name, description=_says(model))


def _one_of(field: FieldInfo) -> str:
    """The values of a field that is text in GraphQL, for its description."""
    words = vocabulary.words(field.annotation)
    return f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""


def _says(model: type[BaseModel]) -> str:
    return cleandoc(model.__doc__ or "")


def _optional(graphql_type: Any) -> Any:
    return Union[graphql_type, None]  # noqa: UP007 — built at run time


def _type(annotation: Any, model: type[BaseModel], name: str, nested: Any) -> Any:
    allowed = list(union_members(annotation))
    parts = [part for part in allowed if part is not type(None)]
    nullable = len(parts) < len(allowed)
    graphql_type = _one(parts, model, name, nested)
    return _optional(graphql_type) if nullable or Any in parts else graphql_type


def _one(parts: list[Any], model: type[BaseModel], name: str, nested: Any) -> Any:
    if set(parts) == {str, int}:
        return Seed if name == "seed" else Id
    if len(parts) > 1 or parts[0] is Any or get_origin(parts[0]) is dict:
        return JSON
    part = parts[0]
    if get_origin(part) is list:
        return list[_type(get_args(part)[0], model, name, nested)]  # type: ignore[misc]
    if get_origin(part) is Literal:
        words = get_args(part)
        return _enum(model, name, words) if isinstance(words[0], str) else type(words[0])
    if isinstance(part, type) and issubclass(part, BaseModel):
        return nested(part)
    return part


def _default(field: FieldInfo) -> Any:
    """The default that the input type shows; UNSET if the field can only be left out."""
    if field.is_required():
        return PydanticUndefined
    default = field.get_default(call_default_factory=True)
    return default if isinstance(default, bool | int | str) or default == [] else UNSET


# ── Enums ────────────────────────────────────────────────────────────────────────────────────────────────────────────

_ENUMS: dict[str, tuple[tuple[str, ...], Any]] = {}


def _enum(model: type[BaseModel], name: str, words: tuple[str, ...]) -> Any:
    """The enum of a field's values, each with its description. Fields whose enums have one name must have the same values."""
    called = vocabulary.name_of(model, name)
    if called not in _ENUMS:
        text = vocabulary.description(model, name)
        members = {
            to_camel(word.replace("-", "_")): strawberry.enum_value(word, description=vocabulary.meaning(text, word, words))
            for word in words
        }
        _ENUMS[called] = (words, strawberry.enum(cast("Any", enum.Enum(called, members)), name=called, description=text))
    if _ENUMS[called][0] != words:
        raise TypeError(f"{called} would name two enumerations: rename {model.__name__}.{name} or its class")
    return _ENUMS[called][1]
