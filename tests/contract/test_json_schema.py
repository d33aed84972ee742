"""The JSON Schemas: each is valid and accepts exactly what the service accepts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tablecall.contract import json_schema
from tablecall.contract.action_models import PUBLISHED

COMMITTED = Path(__file__).parents[2] / "schema" / "json"


def test_schema_is_self_contained_and_served_as_committed(client: TestClient) -> None:
    for name in json_schema.components():
        schema = json_schema.standalone(name)
        assert "#/components" not in str(schema)
        assert schema["$id"] == f"/schemas/{name}.json"
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert client.get(f"/schemas/{name}.json").content == (COMMITTED / f"{name}.json").read_bytes()
        Draft202012Validator.check_schema({**schema, "$defs": {}})


KEYWORDS = set(Draft202012Validator.VALIDATORS) | {
    *("$defs", "$id", "$schema", "title", "description", "default", "deprecated", "examples", "readOnly", "contentMediaType"),
    *("discriminator", "then", "else"),
}


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword used in a schema, at any depth."""
    if isinstance(schema, dict):
        yield from schema
        for keyword, value in schema.items():
            if keyword in ("properties", "$defs", "patternProperties", "dependentSchemas"):
                yield from (word for inner in value.values() for word in keywords(inner))
            elif keyword not in ("default", "examples", "enum", "const", "discriminator"):
                yield from keywords(value)
    elif isinstance(schema, list):
        yield from (word for inner in schema for word in keywords(inner))


def test_only_standard_keywords_are_used() -> None:
    for name, schema in json_schema.components().items():
        assert set(keywords(schema)) <= KEYWORDS, name


REFUSED: list[dict[str, Any]] = [
    {"difficulty": True},
    {"difficulty": "10"},
    {"difficulty": 10.5},
    {"difficulty": 10**6},
    {"nobody": 1},
    {"actor": None},
    {"actor": {"bonus": -1}},
    {"actor": {"bonus": 1, "nobody": 1}},
    {"actor": {"bonus": 1, "spend": "everything"}},
    {"seed": ""},
    {"seed": "x" * 257},
    {"seed": "a\nb"},
    {"seed": 2**53},
    {"seed": True},
    {"dice": [{"roll": "actor", "faces": ["1"]}]},
    {"dice": [{"roll": "../actor", "faces": [1]}]},
    {"include": ["everything"]},
    {"action": "jazz.attack"},
]
ACCEPTED: list[dict[str, Any]] = [
    {},
    {"difficulty": 10.0},
    {"seed": "x" * 256},
    {"seed": 2**53 - 1},
    {"seed": -(2**53) + 1},
    {"seed": None},
    {"seed": "ü ☃"},
    {"include": ["factors"]},
    {"action": "jazz.check"},
]
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}


@pytest.mark.parametrize(("change", "status"), [*((change, 422) for change in REFUSED), *((change, 200) for change in ACCEPTED)], ids=str)
def test_schema_and_service_agree(client: TestClient, change: dict[str, Any], status: int) -> None:
    document = CHECK | change
    assert Draft202012Validator(json_schema.standalone("JazzCheck")).is_valid(document) is (status == 200)
    assert client.post("/resolve/jazz/check", json=document).status_code == status


def test_answers_are_open_and_requests_are_closed() -> None:
    """A client that validates answers must not break when one gets a new member. A request with an unknown field is refused."""
    schemas = json_schema.components()
    objects = {name: schema.get("additionalProperties", True) for name, schema in schemas.items() if "properties" in schema}
    answers = {"Roll", "Die", "Odds", "BatchAnswer", "Problem", *(name for name in objects if name.endswith(("Ruling", "After")))}
    requests = {"Batch", "Verify", "JazzCharacter", "JazzPool", *(published.body.__name__ for published in PUBLISHED.values())}
    assert {objects[name] for name in answers} == {True}
    assert {objects[name] for name in requests} == {False}
