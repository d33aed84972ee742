"""The committed contracts as others judge them: linters, audits, meta-schemas, and what every description must say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    build_schema,
    is_specified_scalar_type,
    lexicographic_sort_schema,
    print_schema,
)
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.clients.conftest import HERE, Tools

ROOT = HERE.parent.parent
OPENAPI = ROOT / "openapi" / "openapi.json"
SCHEMA = ROOT / "schema" / "schema.graphql"


def test_the_openapi_document_is_valid() -> None:
    OpenAPIV31SpecValidator(json.loads(OPENAPI.read_text())).validate()


def test_redocly_finds_nothing(tools: Tools) -> None:
    said = tools.run("redocly", "lint", OPENAPI, "--config", HERE / "redocly.yaml", "--format", "json", cwd=HERE)
    found = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert found["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_graphql_over_http(tools: Tools, service: str) -> None:
    found = json.loads(tools.run("node", HERE / "audit.mjs", f"{service}/graphql", cwd=HERE).strip().splitlines()[-1])
    assert found == {"audits": 61, "found": []}


# ── Every part of the GraphQL schema says what it is ─────────────────────────────────────────────────────────────────


def test_the_graphql_schema_is_sorted() -> None:
    schema = build_schema(SCHEMA.read_text())
    assert print_schema(schema) == print_schema(lexicographic_sort_schema(schema))


def parts(kind: GraphQLNamedType) -> Iterator[tuple[str, str | None]]:
    """A type, its fields, their arguments, its values: each place with its description."""
    yield kind.name, kind.description
    if isinstance(kind, GraphQLEnumType):
        yield from ((f"{kind.name}.{name}", value.description) for name, value in kind.values.items())
    if isinstance(kind, GraphQLInputObjectType):
        yield from ((f"{kind.name}.{name}", part.description) for name, part in kind.fields.items())
    if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
        for name, field in kind.fields.items():
            yield f"{kind.name}.{name}", field.description
            yield from ((f"{kind.name}.{name}({argument})", part.description) for argument, part in field.args.items())


def test_every_part_of_the_graphql_schema_is_described() -> None:
    kinds = build_schema(SCHEMA.read_text()).type_map.values()
    ours = [kind for kind in kinds if not kind.name.startswith("__") and not is_specified_scalar_type(kind)]
    assert [place for kind in ours for place, text in parts(kind) if not (text or "").strip()] == []


# ── And so does the OpenAPI document ─────────────────────────────────────────────────────────────────────────────────

DOCUMENT: dict[str, Any] = json.loads(OPENAPI.read_text())
OPERATIONS = [(f"{method} {path}", operation) for path, item in DOCUMENT["paths"].items() for method, operation in item.items()]


def test_every_operation_says_what_it_does() -> None:
    for where, operation in OPERATIONS:
        assert all(operation.get(key) for key in ("operationId", "summary", "description", "tags")), where
    ids = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids)


def test_what_is_sent_is_shown_by_example() -> None:
    for where, operation in OPERATIONS:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert content["examples"], where
            assert "$ref" in content["schema"], where


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_every_property_is_described_and_no_words_are_anonymous(name: str) -> None:
    schema = DOCUMENT["components"]["schemas"][name]
    assert schema.get("description"), name
    for field, part in schema.get("properties", {}).items():
        assert part.get("description"), f"{name}.{field}"
        assert "enum" not in json.dumps(part) or part.get("type") == "integer", f"{name}.{field}"


def test_the_tag_of_a_union_is_required_and_mapped() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for union in ("ResolveRequest", "Ruling"):
        mapping = schemas[union]["discriminator"]["mapping"]
        assert [part["$ref"] for part in schemas[union]["oneOf"]] == list(mapping.values())
        for tag, reference in mapping.items():
            member = schemas[reference.rpartition("/")[2]]
            assert "action" in member["required"]
            assert member["properties"]["action"]["const"] == tag


def test_what_comes_back_is_all_there() -> None:
    """Every field of an answer is required, save those that are left out unless asked for, or that do not apply."""
    sometimes = {"factors", "options", "receipt", "rule", "ruling", "problem", "differences"}
    sometimes |= {"simulated", "interval", "confidence", "rounds"}
    schemas = DOCUMENT["components"]["schemas"]
    for name, schema in schemas.items():
        if name.endswith(("Ruling", "After")) or name in ("Odds", "Problem", "ProblemFinding", "Roll", "Die", "Step", "Effect"):
            missing = set(schema.get("properties", {})) - set(schema.get("required", []))
            assert missing <= sometimes, name


# ── The JSON Schemas stand at their addresses ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", sorted((ROOT / "schema" / "json").glob("*.json")), ids=lambda path: path.stem)
def test_a_json_schema_is_named_by_its_address(path: Path) -> None:
    schema = json.loads(path.read_text())
    assert schema["$id"] == f"/schemas/{path.name}"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
