"""The OpenAPI 3.1 document, made of the table of operations and the schemas."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, Field, TypeAdapter
from pydantic.fields import FieldInfo

from service.doors.operations import Operation
from service.doors.problems import KINDS, MEDIA_TYPE
from service.doors.schemas import REF, components
from service.readings import VERSION

TAGS = {
    "resolve": "What a character attempts, resolved: the dice, the outcome, why, and what changes.",
    "odds": "The same requests, answered with exact probabilities.",
    "systems": "The rule books as data.",
    "schemas": "The shapes, for form builders and generated clients.",
    "operations": "How the service is, and what its refusals mean.",
}
_DESCRIPTION = (
    "A rules service for tabletop role-playing games. Send what a character attempts, get the ruling. The same seed gives the same "
    "dice, for ever; the same request answers as a roll or as exact odds."
)


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Tablecall",
            "version": VERSION,
            "summary": "Rulings, exact odds and what mattered, for tabletop games.",
            "description": _DESCRIPTION,
            "license": {"name": "All rights reserved", "identifier": "LicenseRef-Proprietary"},
        },
        "servers": [{"url": "/", "description": "Wherever this document was read."}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {"schemas": components()},
    }


def as_yaml(whole: Mapping[str, Any]) -> str:
    """The document as YAML, in the same order."""
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Writes every repetition out: readers of OpenAPI need not know YAML's anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """No anchors."""
        return True


def _operation(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.text or operation.summary + ".",
        "tags": [operation.tag],
    }
    if operation.parameters:
        found["parameters"] = [dict(parameter) for parameter in operation.parameters]
    if operation.body:
        found["requestBody"] = {"required": True, "content": {"application/json": _content(operation.body, operation.examples)}}
    answers = {form: _content(name) for form, name in operation.answers.items()}
    found["responses"] = {"200": {"description": "The answer.", "content": answers}, **_problems(operation.problems)}
    return found


def _content(schema: str | None, examples: Mapping[str, Any] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"schema": {"$ref": REF.format(model=schema)} if schema else {"type": "string"}}
    if examples:
        found["examples"] = {_key(name): {"summary": name, "value": value} for name, value in examples.items()}
    return found


def _key(name: str) -> str:
    """An example's name as a key may be written."""
    return "".join(character if character.isalnum() or character in ".-_" else "_" for character in name)


def _problems(codes: Iterable[str]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys((*codes, "internal")):
        by_status.setdefault(KINDS[code].status, []).append(f"{KINDS[code].title} (`{code}`)")
    return {
        str(status): {"description": "; ".join(texts) + ".", "content": {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}}}
        for status, texts in sorted(by_status.items())
    }


# ── The flat query, as parameters ────────────────────────────────────────────────────────────────────────────────────

_LEFT_OUT = frozenset({"character", "subject", "victim", "action"})
_DEPTH = 3


def flat_parameters(model: type[BaseModel], prefix: str = "", depth: int = _DEPTH, *, needed: bool = True) -> tuple[dict[str, Any], ...]:
    """The scalars of a body by dotted name, and lists of scalars as repeated names. Whole sheets are for bodies."""
    found: list[dict[str, Any]] = []
    for name, field in model.model_fields.items():
        alias = field.alias or name
        inner = _model(field.annotation)
        if alias in _LEFT_OUT:
            continue
        required = needed and field.is_required()
        if inner is not None:
            if depth and not _is_list(field.annotation):
                found += flat_parameters(inner, f"{prefix}{alias}.", depth - 1, needed=required)
        else:
            found.append(
                {
                    "name": f"{prefix}{alias}",
                    "in": "query",
                    "required": required,
                    "description": field.description or "",
                    "schema": _without_null(_schema(field)),
                }
            )
    return tuple(found)


def _schema(field: FieldInfo) -> dict[str, Any]:
    kind: Any = field.annotation
    for constraint in field.metadata:
        kind = Annotated[kind, constraint]
    if field.json_schema_extra:
        kind = Annotated[kind, Field(json_schema_extra=field.json_schema_extra)]
    return TypeAdapter(kind).json_schema()


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    return next((found for part in get_args(annotation) if (found := _model(part)) is not None), None)


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, types.UnionType):
        return any(_is_list(part) for part in get_args(annotation))
    return get_origin(annotation) is list


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query has no null: leave the name out."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    return kinds[0] if len(kinds) == 1 else {**schema, "anyOf": kinds} if kinds else schema
