"""The JSON Schemas: each stands alone, and each accepts what the service accepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tablecall.contract import json_schema
from tablecall.contract.action_models import PUBLISHED
from tests.support.client import EXAMPLES, ids


def test_each_stands_alone_and_is_served_as_committed(client: TestClient) -> None:
    for name in json_schema.components():
        found = json_schema.standalone(name)
        assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert "#/components" not in str(found)
        assert client.get(f"/schemas/{name}.json").content == json_schema.text(name)
        Draft202012Validator.check_schema({**found, "$defs": {}})


KEYWORDS = set(Draft202012Validator.VALIDATORS) | {
    *("$defs", "$id", "$schema", "title", "description", "default", "deprecated", "examples", "readOnly", "contentMediaType"),
    *("discriminator", "then", "else"),
}


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword used in a schema and in the schemas within."""
    if isinstance(schema, dict):
        yield from schema
        for keyword, value in schema.items():
            if keyword in ("properties", "$defs", "patternProperties", "dependentSchemas"):
                yield from (word for inner in value.values() for word in keywords(inner))
            elif keyword not in ("default", "examples", "enum", "const", "discriminator"):
                yield from keywords(value)
    elif isinstance(schema, list):
        yield from (word for inner in schema for word in keywords(inner))


def test_each_says_what_it_says_in_words_everybody_knows() -> None:
    for name, found in json_schema.components().items():
        assert set(keywords(found)) <= KEYWORDS, name


def test_every_action_has_its_three() -> None:
    for one in PUBLISHED.values():
        assert {one.name, f"{one.name}Request", f"{one.name}Ruling"} <= set(json_schema.components())


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_a_request_validates_alone(tag: str, name: str, body: dict[str, Any]) -> None:
    Draft202012Validator(json_schema.standalone("ResolveRequest")).validate({"action": tag, **body})


WRONG: list[dict[str, Any]] = [
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
RIGHT: list[dict[str, Any]] = [
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


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_what_the_schema_refuses_is_refused(client: TestClient, change: dict[str, Any]) -> None:
    document = CHECK | change
    assert not Draft202012Validator(json_schema.standalone("JazzCheck")).is_valid(document)
    assert client.post("/resolve/jazz/check", json=document).status_code == 422


@pytest.mark.parametrize("change", RIGHT, ids=str)
def test_what_the_schema_accepts_is_accepted(client: TestClient, change: dict[str, Any]) -> None:
    document = CHECK | change
    assert Draft202012Validator(json_schema.standalone("JazzCheck")).is_valid(document)
    assert client.post("/resolve/jazz/check", json=document).status_code == 200
