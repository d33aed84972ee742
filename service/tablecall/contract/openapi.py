"""The OpenAPI 3.1 document, made from the table of operations and the JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, get_origin

import orjson
import yaml
from annotated_types import MinLen
from pydantic import BaseModel

from tablecall.contract.json_schema import REF, components
from tablecall.contract.operations import OPEN, Operation
from tablecall.engine import VERSION
from tablecall.model.annotations import item_of, model_in, union_members
from tablecall.model.base import Participant
from tablecall.model.problems import KINDS, MEDIA_TYPE, HttpProblem, ProblemKind, problem_body

TAGS = {
    "resolve": "Resolve what a character attempts: the dice, the outcome, why, and what changes.",
    "odds": "The same requests, answered with exact probabilities, or by simulation for fights.",
    "systems": "The rule books as data.",
    "schemas": "JSON Schemas, for form builders and generated clients.",
    "operations": "The state of the service, and what its problems mean.",
}
ANYWHERE = ("unauthorized", "too-slow", "url-too-long", "headers-too-large", "busy", "timed-out")
"""The problems any operation may have: a missing key, time, size, load."""
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key, if the operator requires one. Health checks need none.",
}
_DESCRIPTION = (
    "A rules service for tabletop role-playing games. Send what a character attempts, get the ruling. The same seed always gives the "
    "same dice. The same request gives a ruling or exact odds."
)


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    shared = SharedComponents()
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shared)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Tablecall",
            "version": VERSION,
            "summary": "Rulings with their reasons and exact odds, for tabletop games.",
            "description": _DESCRIPTION,
            "license": {"name": "MIT License", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The service this document comes from."}],
        "security": [{}, {"apiKey": []}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": _KEY},
            "schemas": components(),
            "responses": {_name(status): answer for status, answer in _problems(ANYWHERE, shared).items()},
            **shared.components(),
        },
    }


def as_yaml(document: Mapping[str, Any]) -> str:
    """The document as YAML, with keys in the same order."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.CSafeDumper):
    """Writes no YAML anchors, which readers of OpenAPI may not know."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write every repetition in full."""
        return True


class SharedComponents:
    """The examples and parameters shared by operations. Each is in the document once, under ``components``."""

    def __init__(self) -> None:
        self._keys: dict[bytes, str] = {}
        self._examples: dict[str, dict[str, Any]] = {}
        self._parameters: dict[str, dict[str, Any]] = {}

    def parameter(self, operation: Operation, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """A reference to a parameter. Query parameters are named after the action whose body they are."""
        owner = operation.path.split("/", 2)[-1].replace("/", ".") if parameter["in"] == "query" else "path"
        key = f"{owner}.{parameter['name']}"
        if self._parameters.setdefault(key, dict(parameter)) != parameter:
            return dict(parameter)
        return {"$ref": f"#/components/parameters/{key}"}

    def refer(self, prefix: str, examples: Mapping[str, Any]) -> dict[str, Any]:
        """References to examples, by key. ``prefix`` distinguishes examples of the same name."""
        return {
            _key(name): {"$ref": f"#/components/examples/{self._add(f'{prefix}.{_key(name)}', name, examples[name])}"} for name in examples
        }

    def _add(self, key: str, name: str, value: Any) -> str:
        first_key = self._keys.setdefault(orjson.dumps(value), key)
        self._examples.setdefault(first_key, {"summary": name, "value": value})
        return first_key

    def components(self) -> dict[str, Any]:
        """Every parameter and example, by key."""
        return {"parameters": dict(sorted(self._parameters.items())), "examples": dict(sorted(self._examples.items()))}


def _operation(operation: Operation, shared: SharedComponents) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.text or operation.summary + ".",
        "tags": [operation.tag],
    }
    if parameters := (*operation.parameters, *operation.query()):
        described["parameters"] = [shared.parameter(operation, parameter) for parameter in parameters]
    if operation.body:
        content = _content(operation.body, shared.refer(operation.body, operation.examples))
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    answers = {
        media_type: _content(schema, shared.refer(schema, operation.samples()) if schema else {}, media_type)
        for media_type, schema in operation.answers.items()
    }
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in operation.headers.items()}
    answer = {"description": "The answer.", **({"headers": headers} if headers else {}), "content": answers}
    problems = _problems(dict.fromkeys((*(operation.problems or ("method-not-allowed",)), "internal")), shared)
    described["responses"] = {"200": answer, **problems, **_anywhere(operation)}
    if operation.path in OPEN:
        described["security"] = []
    return described


def _anywhere(operation: Operation) -> dict[str, Any]:
    """References to the problems of `ANYWHERE` that this operation can have."""
    excluded = {"unauthorized"} if operation.path in OPEN else set()
    excluded |= set() if operation.body else {"too-slow"}
    excluded |= set() if operation.parameters or operation.query is not tuple else {"url-too-long"}
    codes = [code for code in ANYWHERE if code not in excluded]
    return {str(KINDS[code].status): {"$ref": f"#/components/responses/{_name(KINDS[code].status)}"} for code in codes}


def _name(status: int | str) -> str:
    """The name of a shared response: the phrase of its status (RFC 9110)."""
    return "".join(word.capitalize() for word in HTTPStatus(int(status)).phrase.split())


def _content(schema: str | None, examples: Mapping[str, Any], media_type: str = "") -> dict[str, Any]:
    """The content of one media type. Without a schema it is text, or any JSON object for ``+json`` types."""
    any_content = {"type": "object" if media_type.endswith("+json") else "string"}
    content: dict[str, Any] = {"schema": {"$ref": REF.format(model=schema)} if schema else any_content}
    return {**content, "examples": dict(examples)} if examples else content


def _key(name: str) -> str:
    """The name of an example as a valid key."""
    return "".join(character if character.isalnum() or character in ".-_" else "_" for character in name)


def _problems(codes: Iterable[str], shared: SharedComponents) -> dict[str, Any]:
    """The response of each status, with an example of each problem."""
    by_status: dict[int, list[ProblemKind]] = {}
    for code in codes:
        by_status.setdefault(KINDS[code].status, []).append(KINDS[code])
    return {
        str(status): {
            "description": "; ".join(f"{kind.title} (`{kind.code}`)" for kind in kinds) + ".",
            **_headers(kinds),
            "content": {
                MEDIA_TYPE: _content(
                    "Problem", shared.refer("Problem", {kind.code: problem_body(HttpProblem(kind.code)) for kind in kinds})
                )
            },
        }
        for status, kinds in sorted(by_status.items())
    }


def _headers(kinds: Sequence[ProblemKind]) -> dict[str, Any]:
    """The headers of problem responses, except ``Connection``, which belongs to the transport."""
    names = sorted({name for kind in kinds for name in kind.headers} - {"Connection"})
    headers = {name: {"description": "See RFC 9110.", "schema": {"type": "string"}} for name in names}
    return {"headers": headers} if headers else {}


# ── Query parameters ─────────────────────────────────────────────────────────────────────────────────────────────────

_DEPTH = 3


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
