"""A third system takes one line in the table. A new field of a model is published everywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLInputObjectType, build_schema

from tablecall.app import contracts

ROOT = Path(__file__).parents[2]


def joined(*options: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.third_system", *options], cwd=ROOT, capture_output=True, text=True, check=True
    )
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.fixture(scope="module")
def toy() -> dict[str, Any]:
    return joined()


@pytest.fixture(scope="module")
def wider() -> dict[str, Any]:
    return joined("--wider")


def document(facts: dict[str, Any]) -> dict[str, Any]:
    openapi: dict[str, Any] = json.loads(facts["texts"]["openapi/openapi.json"])
    return openapi


def graphql_input(facts: dict[str, Any]) -> dict[str, Any]:
    """The fields of the toy's GraphQL input."""
    input_type = build_schema(facts["texts"]["schema/schema.graphql"]).type_map["ToyGambleInput"]
    assert isinstance(input_type, GraphQLInputObjectType)
    return {name: (str(field.type), field.description) for name, field in input_type.fields.items()}


def test_every_endpoint_gives_the_same_answer(toy: dict[str, Any]) -> None:
    answers = toy["narrow"]
    ruling = answers["tag"]
    assert ruling["action"] == "toy.gamble"
    assert ruling["stake"] == 1
    assert answers["path"] == answers["query"] == ruling
    assert answers["graphql"] == {"data": {"resolve": {"__typename": "ToyGambleRuling", "outcome": ruling["outcome"], "stake": 1}}}
    assert [row["outcome"] for row in answers["odds"]["outcomes"]] == ["won", "lost"]


def test_system_and_rules_are_listed(toy: dict[str, Any]) -> None:
    assert [system["system"] for system in toy["systems"]["systems"]][-1] == "toy"
    assert [rule["id"] for rule in toy["rules"]["rules"]] == ["toy.seven", "toy.again", "toy.coins", "toy.dice"]


def test_system_has_its_own_templates_and_the_shared_ones(toy: dict[str, Any]) -> None:
    for language, texts in toy["templates"]["templates"].items():
        assert "list.and" in texts, language
        assert {key for key in texts if key.startswith(("jazz.", "darkpages."))} == set()
        assert "toy.gamble.seven" in texts


def test_system_is_in_every_contract(toy: dict[str, Any]) -> None:
    openapi = document(toy)
    for verb in ("resolve", "odds"):
        assert set(openapi["paths"][f"/{verb}/toy/gamble"]) == {"get", "post"}
    assert openapi["components"]["schemas"]["ResolveRequest"]["discriminator"]["mapping"]["toy.gamble"].endswith("/ToyGambleRequest")
    assert openapi["components"]["schemas"]["Ruling"]["discriminator"]["mapping"]["toy.gamble"].endswith("/ToyGambleRuling")
    assert {"schema/json/ToyGamble.json", "schema/json/ToyGambleRequest.json", "schema/json/ToyGambleRuling.json"} <= set(toy["texts"])
    schema = build_schema(toy["texts"]["schema/schema.graphql"])
    request = schema.type_map["ResolveRequest"]
    assert isinstance(request, GraphQLInputObjectType)
    assert "toyGamble" in request.fields
    assert "ToyGambleRuling" in schema.type_map


def test_schemas_of_other_systems_do_not_change(toy: dict[str, Any]) -> None:
    unions = {"ResolveRequest", "Ruling", "Batch", "BatchAnswer", "BatchResult", "Verify"}
    for path, text in contracts().items():
        if path.startswith("schema/json/") and Path(path).stem not in unions:
            assert toy["texts"][path] == text.decode(), path


def test_new_field_is_accepted_by_every_endpoint(toy: dict[str, Any], wider: dict[str, Any]) -> None:
    assert toy["narrow"] == wider["narrow"]
    for name in ("tag", "path", "query"):
        assert toy["wider"][name]["errors"][0]["pointer"] == "/wager"
        assert wider["wider"][name]["outcome"] == wider["narrow"]["tag"]["outcome"]
        assert wider["beyond"][name]["errors"][0] == {
            "pointer": "/wager",
            "code": "out-of-range",
            "detail": "`wager` must be at most 9",
            "hint": "Stay within the bound that the detail names.",
        }
    assert "errors" in toy["wider"]["graphql"]
    assert wider["wider"]["graphql"] == wider["narrow"]["graphql"]
    assert wider["beyond"]["graphql"]["errors"][0]["extensions"]["problem"]["errors"][0]["pointer"] == "/wager"


def test_new_field_is_in_every_contract(toy: dict[str, Any], wider: dict[str, Any]) -> None:
    before, after = graphql_input(toy), graphql_input(wider)
    assert {name: after[name] for name in after if name not in before} == {"wager": ("Int", "The stake. Default: `1`.")}
    assert {name: after[name] for name in before} == before
    for name in ("ToyGamble",):
        old, new = (json.loads(facts["texts"][f"schema/json/{name}.json"])["properties"] for facts in (toy, wider))
        assert new.pop("wager") == {"default": 1, "description": "The stake.", "maximum": 9, "minimum": 0, "type": "integer"}
        assert new == old
        in_document = document(wider)["components"]["schemas"][name]["properties"]
        assert in_document.pop("wager")["maximum"] == 9
    assert document(wider)["components"]["parameters"]["wager"]["schema"]["maximum"] == 9
