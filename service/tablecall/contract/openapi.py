"""The OpenAPI 3.1 document, made from the table of operations and the JSON Schemas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
import yaml

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.json_schema import REF, UNIONS, components
from tablecall.contract.operations import OPEN, Operation
from tablecall.engine import VERSION
from tablecall.model.problems import KINDS, MEDIA_TYPE, HttpProblem, ProblemKind, problem_body
from tablecall.systems import SYSTEMS

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
    """The OpenAPI document of all operations, served at the root."""
    shared = SharedComponents()
    paths = _paths(operations, shared)
    anywhere = {_name(status): answer for status, answer in _problems(ANYWHERE, shared).items()}
    parts = shared.components()
    tags = [{"name": name, "description": text} for name, text in TAGS.items()]
    return {
        **_head("Tablecall", "."),
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": _KEY},
            "schemas": _described_once(_published(components()), {f"{row.name}Ruling" for row in PUBLISHED.values()}),
            **parts,
            "responses": dict(sorted((parts["responses"] | anywhere).items())),
        },
    }


def system_document(operations: Sequence[Operation], system: str) -> dict[str, Any]:
    """The OpenAPI document of one rule system, served at ``/openapi/{system}.json``: POST only, without examples.

    It has the actions of the system, and the operations for any action with the types of this system alone. A client generated from it
    has a tenth of the types.
    """
    own = [row for row in operations if row.method == "POST" and _belongs(row.path, system)]
    paths: dict[str, dict[str, Any]] = {}
    for row in own:
        paths.setdefault(row.path, {})["post"] = _lean_operation(row)
    schemas = _published(components()) | {name: _union_of(name, system) for name in UNIONS}
    problem = {"description": "A problem.", "content": {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}}}
    reached = _reachable(paths, schemas, {"Problem"})
    tags = dict.fromkeys(row.tag for row in own)
    return {
        **_head(f"Tablecall: {SYSTEMS[system].title}", ".."),
        "tags": [{"name": name, "description": TAGS[name]} for name in tags],
        "paths": paths,
        "components": {
            "securitySchemes": {"apiKey": _KEY},
            "schemas": _described_once({name: schemas[name] for name in sorted(reached)}),
            "responses": {"Problem": problem},
        },
    }


def _head(title: str, server: str) -> dict[str, Any]:
    """What every document starts with. The address of the service is relative to the document, so that it is right behind any proxy."""
    return {
        "openapi": "3.1.1",
        "info": {
            "title": title,
            "version": VERSION,
            "summary": "Rulings with their reasons and exact odds, for tabletop games.",
            "description": _DESCRIPTION,
            "license": {"name": "MIT License", "identifier": "MIT"},
        },
        "servers": [{"url": server, "description": "The service this document comes from."}],
        "security": [{}, {"apiKey": []}],
    }


def _paths(operations: Sequence[Operation], shared: SharedComponents) -> dict[str, dict[str, Any]]:
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shared)
    return paths


_COMMON = frozenset({"/resolve", "/odds", "/rolls", "/batch", "/verify"})


def _belongs(path: str, system: str) -> bool:
    """Whether an operation belongs to the document of one system: its actions, and what takes any action."""
    return path in _COMMON or path.split("/")[2:3] == [system]


def _lean_operation(operation: Operation) -> dict[str, Any]:
    """An operation without examples. Every refusal is one response."""
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.text or operation.summary + ".",
        "tags": [operation.tag],
    }
    if operation.parameters:
        described["parameters"] = [dict(parameter) for parameter in operation.parameters]
    assert operation.body  # these documents have POST alone
    described["requestBody"] = {"required": True, "content": {"application/json": _content(operation.body, {})}}
    content = {media_type: _content(schema, {}, media_type) for media_type, schema in operation.answers.items()}
    described["responses"] = {
        "200": {"description": "The answer.", "content": content},
        "default": {"$ref": "#/components/responses/Problem"},
    }
    return described


def _described_once(schemas: Mapping[str, Any], names: Collection[str] | None = None) -> dict[str, Any]:
    """The schemas with the description of a property that many have, such as the seed, only at the first that has it.

    ``names``: only these schemas; by default all. The descriptions are a third of the document otherwise.
    """
    seen: set[bytes] = set()

    def lean(name: str, part: Mapping[str, Any]) -> Mapping[str, Any]:
        key = orjson.dumps([name, part])
        if key not in seen:
            seen.add(key)
            return part
        return {word: value for word, value in part.items() if word != "description"}

    def leaner(schema: Mapping[str, Any]) -> dict[str, Any]:
        properties = {name: lean(name, part) for name, part in schema.get("properties", {}).items()}
        return {**schema, "properties": properties} if properties else dict(schema)

    return {name: leaner(schema) if names is None or name in names else schema for name, schema in schemas.items()}


def _union_of(name: str, system: str) -> dict[str, Any]:
    """A union of all actions, with those of one system only."""
    union = components()[name]
    mapping = {tag: ref for tag, ref in union["discriminator"]["mapping"].items() if tag.startswith(f"{system}.")}
    return {
        **union,
        "oneOf": [{"$ref": ref} for ref in mapping.values()],
        "discriminator": {"propertyName": union["discriminator"]["propertyName"], "mapping": mapping},
    }


def _reachable(paths: Mapping[str, Any], schemas: Mapping[str, Any], names: set[str]) -> set[str]:
    """The names of all schemas that paths, or the schemas called ``names``, refer to."""

    def follow(value: Any) -> None:
        if isinstance(value, dict):
            name = value.get("$ref", "").rpartition("/")[2] if isinstance(value.get("$ref"), str) else ""
            if name in schemas and name not in names:
                names.add(name)
                follow(schemas[name])
            for part in value.values():
                follow(part)
        elif isinstance(value, list):
            for part in value:
                follow(part)

    for name in list(names):
        follow(schemas[name])
    follow(paths)
    return names


def _published(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas without ``default``, which the descriptions name instead.

    Generators such as openapi-typescript take a field with a default for one that is always there, also in requests. The
    schemas under ``/schemas`` keep their defaults, for forms.
    """
    tagged = {f"{published.name}Request": published for published in PUBLISHED.values()}
    return {name: _tagged(tagged[name], schema) if name in tagged else _without_defaults(schema) for name, schema in schemas.items()}


def _tagged(published: PublishedAction, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The request of an action with its tag: the body in which the tag may be left out, and the tag."""
    body = {"$ref": REF.format(model=published.name)}
    tag = {"type": "object", "properties": {"action": {"const": published.tag, "type": "string"}}, "required": ["action"]}
    return {"description": schema["description"], "allOf": [body, tag]}


def _without_defaults(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = {name: _saying_its_default(part) for name, part in schema.get("properties", {}).items()}
    return {**schema, "properties": properties} if properties else dict(schema)


def _saying_its_default(part: Mapping[str, Any]) -> dict[str, Any]:
    if "default" not in part:
        return dict(part)
    default, rest = part["default"], {key: value for key, value in part.items() if key != "default"}
    if default is None or "const" in part:
        return rest
    text = "empty" if default in ([], {}) else f"`{orjson.dumps(default).decode()}`"
    return {**rest, "description": f"{rest.get('description', '')} Default: {text}.".strip()}


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
        self._responses: dict[str, dict[str, Any]] = {}

    def parameter(self, operation: Operation, parameter: Mapping[str, Any]) -> dict[str, Any]:
        """A reference to a parameter. Where operations differ in a parameter of one name, the key also names the action."""
        name, owner = parameter["name"], operation.path.split("/", 2)[-1].replace("/", ".")
        for key in (name, f"{owner}.{name}") if parameter["in"] == "query" else (f"path.{name}",):
            if self._parameters.setdefault(key, dict(parameter)) == parameter:
                return {"$ref": f"#/components/parameters/{key}"}
        return dict(parameter)

    def response(self, status: str, response: Mapping[str, Any]) -> dict[str, Any]:
        """A reference to a response. Where operations differ in the problems of one status, the names are numbered."""
        name = _name(status)
        same = [key for key, known in self._responses.items() if known == response and key.startswith(name)]
        key = same[0] if same else name + str(sum(known.startswith(name) for known in self._responses) + 1)
        self._responses[key] = dict(response)
        return {"$ref": f"#/components/responses/{key}"}

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
        """Every response, parameter and example, by key."""
        every = {"responses": self._responses, "parameters": self._parameters, "examples": self._examples}
        return {name: dict(sorted(parts.items())) for name, parts in every.items()}


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
        media_type: _content(schema, shared.refer(schema, _small(operation.samples())) if schema else {}, media_type)
        for media_type, schema in operation.answers.items()
    }
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in operation.headers.items()}
    answer = {"description": "The answer.", **({"headers": headers} if headers else {}), "content": answers}
    problems = _problems(dict.fromkeys((*(operation.problems or ("method-not-allowed",)), "internal")), shared)
    described["responses"] = {
        "200": answer,
        **{status: shared.response(status, row) for status, row in problems.items()},
        **_anywhere(operation),
    }
    if operation.path in OPEN:
        described["security"] = []
    return described


_MAX_EXAMPLE = 1_500
"""The most bytes of an example answer. Larger ones would double the document."""


def _small(samples: Mapping[str, Any]) -> dict[str, Any]:
    return {name: sample for name, sample in samples.items() if len(orjson.dumps(sample)) <= _MAX_EXAMPLE}


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
