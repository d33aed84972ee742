"""The contracts that are served and committed. That they are current is checked by `make lint`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

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
from starlette.testclient import TestClient

from tablecall.app import CONTRACTS
from tablecall.systems import SYSTEMS
from tests.support.client import problem

ROOT = Path(__file__).parents[2]


SERVED = CONTRACTS | {f"/openapi/{name}.json": (f"openapi/{name}.json", "application/json") for name in SYSTEMS}


@pytest.mark.parametrize("path", SERVED)
def test_served_contract_is_the_committed_file(client: TestClient, path: str) -> None:
    file, media_type = SERVED[path]
    response = client.get(path)
    charset = "; charset=utf-8" if media_type == "application/json" else ""
    assert response.headers["content-type"] == media_type + charset
    committed = (ROOT / file).read_bytes()
    if path.endswith(".json"):
        assert response.json() == json.loads(committed)
        assert len(response.content) < len(committed)  # without the spaces that make the committed file readable
    else:
        assert response.content == committed


def test_contract_of_an_unknown_system_is_not_found(client: TestClient) -> None:
    assert "jazz" in problem(client.get("/openapi/nobody.json"), 404, "not-found")["detail"]


def descriptions(kind: GraphQLNamedType) -> Iterator[tuple[str, str | None]]:
    """A type, its fields, their arguments and its values, each with its description."""
    yield kind.name, kind.description
    if isinstance(kind, GraphQLEnumType):
        yield from ((f"{kind.name}.{name}", value.description) for name, value in kind.values.items())
    if isinstance(kind, GraphQLInputObjectType):
        yield from ((f"{kind.name}.{name}", part.description) for name, part in kind.fields.items())
    if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
        for name, field in kind.fields.items():
            yield f"{kind.name}.{name}", field.description
            yield from ((f"{kind.name}.{name}({argument})", part.description) for argument, part in field.args.items())


def test_graphql_schema_is_sorted_and_described() -> None:
    schema = build_schema((ROOT / "schema/schema.graphql").read_text())
    assert print_schema(schema) == print_schema(lexicographic_sort_schema(schema))
    kinds = [kind for kind in schema.type_map.values() if not kind.name.startswith("__") and not is_specified_scalar_type(kind)]
    assert [place for kind in kinds for place, text in descriptions(kind) if not (text or "").strip()] == []
