"""The JSON Schemas of all published shapes, derived from the models."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal, get_args

import orjson
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from tablecall.contract import enums
from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.batch_models import Batch, BatchAnswer
from tablecall.contract.system_models import NumberedRule, RuleList, RuleSystem, SystemList, SystemTables, SystemTemplates, Version
from tablecall.engine.receipts import JwkSet
from tablecall.engine.verify import Verification, Verify
from tablecall.model.annotations import union_members
from tablecall.model.base import MAX_SEED, Seed
from tablecall.model.problems import Problem, ProblemCode, ProblemCodes
from tablecall.model.ruling import NeededRolls, Odds

Mode = Literal["validation", "serialization"]
REF = "#/components/schemas/{model}"
UNIONS = ("ResolveRequest", "Ruling")
"""The schemas that stand for any action."""
_SENT: tuple[type[BaseModel], ...] = (Batch, Verify)
_ANSWERS: tuple[type[BaseModel], ...] = (
    *(Odds, NeededRolls, BatchAnswer, Verification, JwkSet),
    *(Problem, ProblemCode, ProblemCodes, RuleList, NumberedRule, SystemList, RuleSystem, SystemTables, SystemTemplates, Version),
)


@cache
def components() -> dict[str, Any]:
    """Every schema by name, as in the ``components`` of the OpenAPI document.

    A sheet has two schemas: ``JazzCharacter`` for requests, and ``JazzCharacterAfter`` for answers, where no field is left out.
    """
    models: list[tuple[type[BaseModel], Mode]] = [(model, "serialization") for model in _ANSWERS]
    models += [(model, "validation") for model in _SENT]
    for published in PUBLISHED.values():
        models += [(published.body, "validation"), (published.request, "validation"), (published.ruling, "serialization")]
    _, document = models_json_schema(models, ref_template=REF)
    schemas = _with_named_enums(_renamed(document["$defs"]), _reachable_models(model for model, _ in models))
    schemas["ResolveRequest"] = _union("Request", "A request for one action, distinguished by its tag.")
    schemas["Ruling"] = _union("Ruling", "The ruling of one action, distinguished by its tag.")
    sent = _reached(schemas, {"ResolveRequest", *(model.__name__ for model in _SENT), *(each.body.__name__ for each in PUBLISHED.values())})
    return {name: _with_formats(schema if name in sent else _open(schema)) for name, schema in sorted(schemas.items())}


def _open(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer. It allows unknown members, so that a client that validates answers does not break when one is added."""
    return {key: part for key, part in schema.items() if (key, part) != ("additionalProperties", False)}


def _reached(schemas: dict[str, Any], names: set[str]) -> set[str]:
    """The names of these schemas and of all schemas inside them."""
    reached: set[str] = set()
    while names:
        reached |= names
        names = set(_REFERENCE.findall(orjson.dumps([schemas[name] for name in names]).decode())) - reached
    return reached


_REFERENCE = re.compile('"\\$ref":"#/components/schemas/([A-Za-z]+)"')
_INT32 = 2**31 - 1


def _with_formats(schema: Any) -> Any:
    """The schema with ``format: int64`` on integers beyond 32 bits: without a format, generators make them 32 bits."""
    if isinstance(schema, list):
        return [_with_formats(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    followed = {key: _with_formats(part) for key, part in schema.items()}
    wide = followed.get("type") == "integer" and max(abs(followed.get(key, 0)) for key in ("minimum", "maximum")) > _INT32
    return {**followed, "format": "int64"} if wide else followed


def _union(kind: str, text: str) -> dict[str, Any]:
    """The union of one schema of every action, with the mapping from tags to schemas."""
    mapping = {tag: REF.format(model=f"{published.name}{kind}") for tag, published in PUBLISHED.items()}
    return {
        "title": "ResolveRequest" if kind == "Request" else kind,
        "description": text,
        "oneOf": [{"$ref": ref} for ref in mapping.values()],
        "discriminator": {"propertyName": "action", "mapping": mapping},
    }


_TITLE = "Ruling"
"""The one title that is kept. The ruling in `Verify` is an object without a name, so client generators name it after its title."""


def _renamed(schemas: dict[str, Any]) -> dict[str, Any]:
    """Rename pydantic's ``X-Input`` and ``X-Output`` to ``X`` and ``XAfter``, resolve the placeholders of `refers`, drop titles.

    Pydantic derives the titles from the names of models and fields.
    """
    names = {name: name.removesuffix("-Input").replace("-Output", "After") for name in schemas}

    def follow(value: Any) -> Any:
        if isinstance(value, list):
            return [follow(part) for part in value]
        if isinstance(value, dict):
            return dict(entry(*pair) for pair in value.items() if pair[0] != "title" or pair[1] == _TITLE or not isinstance(pair[1], str))
        return value

    def entry(key: str, value: Any) -> tuple[str, Any]:
        if key == "refers" and isinstance(value, str):
            return "$ref", REF.format(model=value)
        if key == "$ref" and isinstance(value, str):
            return key, REF.format(model=names[value.rpartition("/")[2]])
        return key, follow(value)

    return {names[name]: follow(schema) for name, schema in schemas.items()}


# ── Enumerations and seeds get schemas of their own, so that a generated client has one type for each ────────────────

_SEED: dict[str, Any] = {
    **TypeAdapter(Seed).json_schema(),
    "description": f"Text of 1 to {MAX_SEED} characters without control characters, or an integer within ±(2⁵³−1), "
    "which stands for its decimal text.",
}


def _reachable_models(roots: Iterable[type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """Every model reached from the roots, by name."""
    models: dict[str, type[BaseModel]] = {}

    def follow(annotation: Any) -> None:
        for member in union_members(annotation):
            for part in get_args(member):
                follow(part)
            if isinstance(member, type) and issubclass(member, BaseModel) and member.__name__ not in models:
                models[member.__name__] = member
                for field in member.model_fields.values():
                    follow(field.annotation)

    for root in roots:
        follow(root)
    return models


def _with_named_enums(schemas: dict[str, Any], models: dict[str, type[BaseModel]]) -> dict[str, Any]:
    """The schemas with each enumeration and the seed moved to a schema of its own, named as in GraphQL."""
    named: dict[str, Any] = {"Seed": _SEED}
    for name, schema in schemas.items():
        model = models.get(name) or models[name.removesuffix("After")]
        for field, info in model.model_fields.items():
            properties = schema["properties"]
            alias = info.alias or field
            properties[alias] = _with_references(properties[alias], enums.name_of(model, field), enums.description(model, field), named)
    return schemas | named


def _with_references(schema: Any, name: str, text: str, named: dict[str, Any]) -> Any:
    """A property's schema with its enumeration, at any depth, and its seed replaced by references."""
    if not isinstance(schema, dict):
        return [_with_references(part, name, text, named) for part in schema] if isinstance(schema, list) else schema
    if isinstance(schema.get("enum"), list) and schema.get("type") == "string":
        rest = {key: part for key, part in schema.items() if key not in ("enum", "type")}
        enumeration = {"type": "string", "enum": schema["enum"], "description": text}
        if named.setdefault(name, enumeration) != enumeration:
            raise TypeError(f"{name} would name two enumerations: rename a field or its class")
        return {"$ref": REF.format(model=name), **rest}
    members = schema.get("anyOf", [])
    if members[: len(_SEED["anyOf"])] == _SEED["anyOf"]:
        reference = {"$ref": REF.format(model="Seed")}
        return {**schema, "anyOf": [reference, *members[len(_SEED["anyOf"]) :]]}
    return {key: _with_references(part, name, text, named) for key, part in schema.items()}


def standalone(name: str) -> dict[str, Any]:
    """One schema as a document of its own (JSON Schema 2020-12), with the schemas it refers to in ``$defs``."""
    needed: dict[str, Any] = {}

    def follow(value: Any) -> Any:
        if isinstance(value, dict):
            if "$ref" in value:
                inner = value["$ref"].rpartition("/")[2]
                if inner not in needed:
                    needed[inner] = None
                    needed[inner] = follow(components()[inner])
                return {**value, "$ref": f"#/$defs/{inner}"}
            return {key: follow(part) for key, part in value.items() if key != "discriminator"}
        return [follow(part) for part in value] if isinstance(value, list) else value

    schema = follow(components()[name])
    definitions = {"$defs": {inner: needed[inner] for inner in sorted(needed)}} if needed else {}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"/schemas/{name}.json", **schema, **definitions}


@cache
def text(name: str) -> bytes:
    """One schema as it is committed and served."""
    return as_text(standalone(name))


def as_text(document: Any) -> bytes:
    """JSON as it is committed: indented, with a newline at the end."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
