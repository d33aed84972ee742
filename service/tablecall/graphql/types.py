"""GraphQL types derived from the published models: inputs, outputs and enums, once each.

A pydantic field becomes a GraphQL field of the same name. Values without a GraphQL type (text or a number, an effect's ``from``, a
merge patch) are the scalar ``JSON``, and seeds the scalar ``Seed``. A `Literal` becomes an enum named after the model and the field.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Mapping
from functools import cache
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, Literal, NewType, Union, cast, get_args, get_origin

import orjson
import strawberry
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from strawberry.scalars import JSON
from strawberry.types.unset import UNSET

from tablecall.contract import enums as vocabulary
from tablecall.contract.action_models import PUBLISHED
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
    made = _object(model, model.__name__, strawberry.interface, without, more=_AFTER_JSON)

    def resolve_type(answer: dict[str, Any], info: Any, abstract: Any) -> str:
        return TYPE_OF_TAG[answer["action"]]

    made.__strawberry_definition__.resolve_type = resolve_type
    return made


_AFTER_JSON = {
    "afterJson": (JSON, "`after` as REST has it: what was sent, plus what changed. Put it into the variables of the next request.")
}
KEYS = {"ref": "id", "afterJson": "after"}
"""Fields whose name differs from their key in the plain answer. Caches take a field `id` for the key of an entity, and would merge the
states of one sheet at different moments; so what the caller sent as `id` is called `ref`."""
ENTITIES = frozenset({"NumberedRule"})
"""The models whose `id` is the key of something that never changes."""


def key_of(python_name: str) -> str:
    """The key in a plain answer of a field."""
    name = python_name.rstrip("_")
    return KEYS.get(name, name)


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
    """The GraphQL input type of a model in a request. Its tag, if it has one, is the name of the field that holds it (`one_of`)."""
    namespace: dict[str, Any] = {"__annotations__": {}}
    for name, field in model.model_fields.items():
        if name == "action":
            continue
        graphql_type = _type(field.annotation, model, name, input_type)
        required = field.is_required()
        namespace["__annotations__"][name] = graphql_type if required else _optional(graphql_type)
        options: dict[str, Any] = {} if required else {"default": UNSET}
        text = f"{field.description or ''}{_default_text(field)}"
        namespace[name] = strawberry.field(name=field.alias or name, description=text, **options)
    return strawberry.input(type(f"{model.__name__}Input", (), namespace), name=f"{model.__name__}Input", description=_says(model))


def one_of(name: str, text: str, members: Mapping[str, tuple[type[BaseModel], str]]) -> Any:
    """The `oneOf` input of several actions: the model and description of each by its tag. Each stands under the name of its action."""
    namespace: dict[str, Any] = {"__annotations__": {}}
    for tag, (model, description) in members.items():
        field = PUBLISHED[tag].field
        namespace["__annotations__"][field] = strawberry.Maybe[input_type(model)]  # type: ignore[misc]
        namespace[field] = strawberry.field(name=field, description=description)
    return strawberry.input(type(name, (), namespace), one_of=True, name=name, description=text)


@cache
def _declared(model: type[BaseModel], models: tuple[type[BaseModel], ...]) -> Any:
    """The `oneOf` input of the actions that a request declares within itself."""
    members = {get_args(part.model_fields["action"].annotation)[0]: (part, _says(part)) for part in models}
    made = one_of(f"{model.__name__}DeclaredInput", "A declared action: exactly one.", members)
    DECLARING.add(made.__name__)
    return made


DECLARING: set[str] = set()
"""The names of the inputs of declared actions: REST has the tag in each, GraphQL as its name."""


def tagged(declared: Any) -> Any:
    """A declared action as REST has it, of the form that GraphQL has: ``{"darkpagesCheck": {…}}``. Anything else is returned as it is."""
    if isinstance(declared, dict) and len(declared) == 1:
        ((name, body),) = declared.items()
        if name in _TAGS and isinstance(body, dict):
            return {"action": _TAGS[name], **body}
    return declared


def untagged(declared: dict[str, Any]) -> dict[str, Any]:
    """A declared action as GraphQL has it."""
    return {PUBLISHED[declared["action"]].field: {name: part for name, part in declared.items() if name != "action"}}


def rest_form(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a request in a variable, as REST would have it."""
    actions = body.get("actions")
    return {**body, "actions": [tagged(declared) for declared in actions]} if isinstance(actions, list) else body


_TAGS = {published.field: tag for tag, published in PUBLISHED.items()}


def to_wire(value: Any) -> Any:
    """An input as the document that REST would have been sent. Null means left out."""
    definition = getattr(value, "__strawberry_definition__", None)
    if definition is not None and definition.name in DECLARING:
        return tagged({name: to_wire(part.value) for name, part in vars(value).items() if part is not None})
    if definition is not None:
        sent = {field: to_wire(getattr(value, field.python_name)) for field in definition.fields}
        return {field.graphql_name or field.name: part for field, part in sent.items() if part is not UNSET and part is not None}
    if isinstance(value, list):
        return [to_wire(part) for part in value]
    return value.value if isinstance(value, enum.Enum) else value


def look_up(answer: Any, name: str) -> Any:
    """The default resolver: a key of the plain answer. Other requests run while a long list is completed."""
    value = answer.get(key_of(name))
    if name == "request" and type(value) is dict and "actions" in value:  # a merge patch of declared actions, into the variables
        return {**value, "actions": [untagged(declared) for declared in value["actions"]]}
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
    more: Mapping[str, tuple[Any, str]] = MappingProxyType({}),
) -> Any:
    namespace: dict[str, Any] = {"__annotations__": {}}
    for added, (added_type, added_text) in more.items():
        namespace["__annotations__"][added] = added_type
        namespace[added] = strawberry.field(name=added, description=added_text)
    for field_name, field in model.model_fields.items():
        alias = field.alias or field_name
        if alias in without:
            continue
        if alias == "id" and model.__name__ not in ENTITIES:
            alias = "ref"
        attribute = f"{alias}_" if alias in ("from",) else alias
        text = f"{field.description or ''}{_one_of(field)}" if alias in plain else field.description
        graphql_type = str if alias in plain else _type(field.annotation, model, field_name, output)
        # a field that may be left out of an answer is null here
        namespace["__annotations__"][attribute] = graphql_type if field.is_required() else _optional(graphql_type)
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
    if nested is input_type and len(parts) > 1 and all(isinstance(part, type) and issubclass(part, BaseModel) for part in parts):
        return _declared(model, tuple(parts))
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


def _default_text(field: FieldInfo) -> str:
    """The default of an input field, for its description: the SDL has none, so that left out and sent are told apart."""
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    return f" Default: `{orjson.dumps(default).decode()}`." if isinstance(default, bool | int | str) else ""


# ── Enums ────────────────────────────────────────────────────────────────────────────────────────────────────────────

_ENUMS: dict[str, tuple[tuple[str, ...], Any]] = {}


def enum_of(model: type[BaseModel], name: str) -> Any:
    """The enum of a model's field."""
    words = next(get_args(member) for member in union_members(model.model_fields[name].annotation) if get_origin(member) is Literal)
    return _enum(model, name, words)


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
