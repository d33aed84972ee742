"""The OpenAPI 3.1 document, made of the table of operations and the schemas."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Union, get_args, get_origin

import orjson
import yaml
from annotated_types import MinLen
from pydantic import BaseModel

from tablecall.contract.json_schema import REF, components
from tablecall.contract.operations import OPEN, Operation
from tablecall.engine import VERSION
from tablecall.model.annotations import model_in
from tablecall.model.base import Participant
from tablecall.model.problems import KINDS, MEDIA_TYPE, HttpProblem, ProblemKind, problem_body

TAGS = {
    "resolve": "What a character attempts, resolved: the dice, the outcome, why, and what changes.",
    "odds": "The same requests, answered with exact probabilities; fights, if so asked, by simulation.",
    "systems": "The rule books as data.",
    "schemas": "The shapes, for form builders and generated clients.",
    "operations": "How the service is, and what its refusals mean.",
}
ANYWHERE = ("unauthorized", "too-slow", "url-too-long", "headers-too-large", "busy", "timed-out")
"""The problems that hang on no operation: a key, time, size, room."""
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key, where the operator asks for one. Health is told without.",
}
_DESCRIPTION = (
    "A rules service for tabletop role-playing games. Send what a character attempts, get the ruling. The same seed gives the same "
    "dice, for ever; the same request answers as a roll or as exact odds."
)


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    shown = Shown()
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shown)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Tablecall",
            "version": VERSION,
            "summary": "Rulings, exact odds and what mattered, for tabletop games.",
            "description": _DESCRIPTION,
            "license": {"name": "MIT License", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "Wherever this document was read."}],
        "security": [{}, {"apiKey": []}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": _KEY},
            "schemas": components(),
            "responses": {_name(status): answer for status, answer in _problems(ANYWHERE, shown).items()},
            **shown.components(),
        },
    }


def as_yaml(whole: Mapping[str, Any]) -> str:
    """The document as YAML, in the same order."""
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.CSafeDumper):
    """Writes every repetition out: readers of OpenAPI need not know YAML's anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """No anchors."""
        return True


class Shown:
    """What operations share of a document: each example and parameter stands once, under ``components``."""

    def __init__(self) -> None:
        self._keys: dict[bytes, str] = {}
        self._found: dict[str, dict[str, Any]] = {}
        self._parameters: dict[str, dict[str, Any]] = {}

    def parameter(self, operation: Operation, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """A reference to a parameter; those of a query belong to the action they are a body of."""
        owner = operation.path.split("/", 2)[-1].replace("/", ".") if parameter["in"] == "query" else "path"
        key = f"{owner}.{parameter['name']}"
        if self._parameters.setdefault(key, dict(parameter)) != parameter:
            return dict(parameter)
        return {"$ref": f"#/components/parameters/{key}"}

    def refer(self, prefix: str, examples: Mapping[str, Any]) -> dict[str, Any]:
        """References to the examples, by key; ``prefix`` tells apart those of one name."""
        return {
            _key(name): {"$ref": f"#/components/examples/{self._add(f'{prefix}.{_key(name)}', name, examples[name])}"} for name in examples
        }

    def _add(self, key: str, name: str, value: Any) -> str:
        same = self._keys.setdefault(orjson.dumps(value), key)
        self._found.setdefault(same, {"summary": name, "value": value})
        return same

    def components(self) -> dict[str, Any]:
        """Every parameter and example by its key."""
        return {"parameters": dict(sorted(self._parameters.items())), "examples": dict(sorted(self._found.items()))}


def _operation(operation: Operation, shown: Shown) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.text or operation.summary + ".",
        "tags": [operation.tag],
    }
    if parameters := (*operation.parameters, *operation.query()):
        found["parameters"] = [shown.parameter(operation, parameter) for parameter in parameters]
    if operation.body:
        content = _content(operation.body, shown.refer(operation.body, operation.examples))
        found["requestBody"] = {"required": True, "content": {"application/json": content}}
    answers = {
        form: _content(name, shown.refer(name, operation.samples()) if name else {}, form) for form, name in operation.answers.items()
    }
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in operation.headers.items()}
    answer = {"description": "The answer.", **({"headers": headers} if headers else {}), "content": answers}
    problems = _problems(dict.fromkeys((*(operation.problems or ("method-not-allowed",)), "internal")), shown)
    found["responses"] = {"200": answer, **problems, **_anywhere(operation)}
    if operation.path in OPEN:
        found["security"] = []
    return found


def _anywhere(operation: Operation) -> dict[str, Any]:
    """References to those of the problems that hang on no operation which this one can have."""
    spared = {"unauthorized"} if operation.path in OPEN else set()
    spared |= set() if operation.body else {"too-slow"}
    spared |= set() if operation.parameters or operation.query is not tuple else {"url-too-long"}
    codes = [code for code in ANYWHERE if code not in spared]
    return {str(KINDS[code].status): {"$ref": f"#/components/responses/{_name(KINDS[code].status)}"} for code in codes}


def _name(status: int | str) -> str:
    """A shared response's name: what its status is called (RFC 9110)."""
    return "".join(word.capitalize() for word in HTTPStatus(int(status)).phrase.split())


def _content(schema: str | None, examples: Mapping[str, Any], form: str = "") -> dict[str, Any]:
    """What is sent or answered in one form; without a schema it is text, or JSON of a shape of its own."""
    free = {"type": "object" if form.endswith("+json") else "string"}
    found: dict[str, Any] = {"schema": {"$ref": REF.format(model=schema)} if schema else free}
    return {**found, "examples": dict(examples)} if examples else found


def _key(name: str) -> str:
    """An example's name as a key may be written."""
    return "".join(character if character.isalnum() or character in ".-_" else "_" for character in name)


def _problems(codes: Iterable[str], shown: Shown) -> dict[str, Any]:
    """The answer of each status, with an example of each problem it can be."""
    by_status: dict[int, list[ProblemKind]] = {}
    for code in codes:
        by_status.setdefault(KINDS[code].status, []).append(KINDS[code])
    return {
        str(status): {
            "description": "; ".join(f"{kind.title} (`{kind.code}`)" for kind in kinds) + ".",
            **_headers(kinds),
            "content": {
                MEDIA_TYPE: _content("Problem", shown.refer("Problem", {kind.code: problem_body(HttpProblem(kind.code)) for kind in kinds}))
            },
        }
        for status, kinds in sorted(by_status.items())
    }


def _headers(kinds: Sequence[ProblemKind]) -> dict[str, Any]:
    """The headers problems are answered with; whether a connection is closed is the transport's business."""
    names = sorted({name for kind in kinds for name in kind.headers} - {"Connection"})
    found = {name: {"description": "As RFC 9110 has it.", "schema": {"type": "string"}} for name in names}
    return {"headers": found} if found else {}


# ── The flat query, as parameters ────────────────────────────────────────────────────────────────────────────────────

_DEPTH = 3


def flat_parameters(model: type[BaseModel], prefix: str = "", depth: int = _DEPTH, *, needed: bool = True) -> tuple[dict[str, Any], ...]:
    """The scalars of a body by dotted name, lists of scalars as repeated names, of a list the first.

    Whole sheets are for bodies; and what the caller names is read by its dotted name, but there is no way to say so here.
    """
    found: list[dict[str, Any]] = []
    for name, field in model.model_fields.items():
        alias = field.alias or name
        inner = model_in(field.annotation)
        if alias == "action" or (inner is not None and _is_sheet(inner)) or get_origin(field.annotation) is dict:
            continue
        required = needed and field.is_required()
        if inner is None:
            found.append(_parameter(f"{prefix}{alias}", alias, model, required=required))
        elif depth and not _is_list(field.annotation):
            found += flat_parameters(inner, f"{prefix}{alias}.", depth - 1, needed=required)
        elif depth:
            required = required and any(isinstance(bound, MinLen) and bound.min_length for bound in field.metadata)
            found += flat_parameters(inner, f"{prefix}{alias}.0.", depth - 1, needed=required)
    return tuple(found)


def _parameter(name: str, alias: str, model: type[BaseModel], *, required: bool) -> dict[str, Any]:
    schema = {key: part for key, part in components()[model.__name__]["properties"][alias].items() if key != "description"}
    more = " A second one is number 1, and so on." if ".0." in name else ""
    text = f"{components()[model.__name__]['properties'][alias].get('description', '')}{more}"
    return {"name": name, "in": "query", "required": required, "description": text, "schema": _without_null(schema)}


def _is_sheet(model: type[BaseModel]) -> bool:
    return issubclass(model, Participant) and model.is_sheet


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) in (Union, types.UnionType):
        return any(_is_list(part) for part in get_args(annotation))
    return get_origin(annotation) is list


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query has no null: leave the name out."""
    rest = {key: part for key, part in schema.items() if key != "anyOf" and not (key == "default" and part is None)}
    allowed = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    return {**allowed[0], **rest} if len(allowed) == 1 else {**rest, "anyOf": allowed} if allowed else rest
