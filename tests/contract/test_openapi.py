"""The OpenAPI document: valid, complete, and as good as its word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from starlette.testclient import TestClient

from tablecall.contract import openapi
from tablecall.contract.action_models import PUBLISHED
from tablecall.http import routes
from tablecall.model.problems import KINDS
from tablecall.settings import Settings
from tests.support.client import EXAMPLES, ids

DOCUMENT: dict[str, Any] = openapi.document(routes.operations(Settings()))
OPERATIONS = [(path, method, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()]


def walk(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from walk(part)


def at(pointer: str) -> Any:
    found: Any = DOCUMENT
    for key in pointer.removeprefix("#/").split("/"):
        found = found[key.replace("~1", "/").replace("~0", "~")]
    return found


def of(value: dict[str, Any]) -> dict[str, Any]:
    """What stands there, or what it refers to."""
    found: dict[str, Any] = at(value["$ref"]) if "$ref" in value else value
    return found


def parameters(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in map(of, operation.get("parameters", []))}


def schema(name: str) -> Draft202012Validator:
    """A validator of one of the document's schemas."""
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]})


def test_the_document_is_openapi() -> None:
    validate(DOCUMENT)


def test_as_yaml_it_is_the_same_without_anchors() -> None:
    text = openapi.as_yaml(DOCUMENT)
    assert yaml.load(text, Loader=yaml.CSafeLoader) == DOCUMENT
    assert not [line for line in text.splitlines() if line.strip().startswith(("&", "*"))]


def test_operations_are_told_apart_by_their_ids_and_each_says_what_it_does() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names) > 0
    assert all(operation["summary"] and operation["description"] and operation["tags"] for _, _, operation in OPERATIONS)
    assert {tag for _, _, operation in OPERATIONS for tag in operation["tags"]} <= {tag["name"] for tag in DOCUMENT["tags"]}


def test_every_reference_leads_somewhere_and_every_schema_is_a_schema() -> None:
    for value in walk(DOCUMENT):
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            at(value["$ref"])
    for found in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(found)


def test_no_part_is_there_for_nothing() -> None:
    used = {value["$ref"] for value in walk(DOCUMENT) if isinstance(value, dict) and isinstance(value.get("$ref"), str)}
    used |= {f"#/components/securitySchemes/{name}" for choice in DOCUMENT["security"] for name in choice}
    assert used == {f"#/components/{kind}/{name}" for kind, parts in DOCUMENT["components"].items() for name in parts}


@pytest.mark.parametrize(("union", "kind"), [("ResolveRequest", "Request"), ("Ruling", "Ruling")])
def test_a_union_maps_every_tag(union: str, kind: str) -> None:
    found = DOCUMENT["components"]["schemas"][union]
    mapping = {tag: f"#/components/schemas/{one.name}{kind}" for tag, one in PUBLISHED.items()}
    assert found["discriminator"] == {"propertyName": "action", "mapping": mapping}
    assert [one["$ref"] for one in found["oneOf"]] == list(mapping.values())
    for tag, reference in mapping.items():
        member = at(reference)
        assert "action" in member["required"]
        assert member["properties"]["action"]["const"] == tag


def test_every_answer_and_every_parameter_is_described() -> None:
    for path, _, operation in OPERATIONS:
        assert all(of(answer)["description"] for answer in operation["responses"].values())
        assert all(parameter["description"] for parameter in parameters(operation).values()), path
        names = {name for name, parameter in parameters(operation).items() if parameter["in"] == "path"}
        assert names == {part[1:-1] for part in path.split("/") if part.startswith("{")}


def test_every_refusal_is_a_problem() -> None:
    statuses = {str(kind.status) for kind in KINDS.values()}
    for _, _, operation in OPERATIONS:
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                assert status in statuses
                assert of(answer)["content"]["application/problem+json"]["schema"]["$ref"].endswith("/Problem")


def test_a_request_may_leave_its_tag_out_where_the_path_has_it() -> None:
    body, request = (DOCUMENT["components"]["schemas"][name] for name in ("JazzCheck", "JazzCheckRequest"))
    assert "action" not in body["required"]
    assert body["properties"]["action"]["default"] == "jazz.check"
    assert {**body["properties"], "action": 0} == {**request["properties"], "action": 0}


def test_a_flat_query_has_a_parameter_for_every_scalar() -> None:
    found = parameters(DOCUMENT["paths"]["/resolve/jazz/check"]["get"])
    assert found["actor.bonus"]["schema"] == {"maximum": 99, "minimum": 0, "type": "integer"}
    assert found["actor.gear.reroll"]["schema"]["type"] == "array"
    assert of(found["seed"]["schema"])["anyOf"]
    assert "actor.character" not in found
    assert not any(parameter.get("required") for parameter in found.values())


# ── As good as its word ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_an_example_is_of_its_schema_and_so_is_its_answer(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    one = PUBLISHED[tag]
    request = {"action": tag, **body}
    schema(one.name).validate(body)
    schema(f"{one.name}Request").validate(request)
    schema("ResolveRequest").validate(request)
    for include in ([], ["factors", "options"]):
        ruling = client.post("/resolve", json={**request, "include": include})
        assert ruling.status_code == 200, ruling.text
        schema(f"{one.name}Ruling").validate(ruling.json())
        schema("Ruling").validate(ruling.json())
    schema("Odds").validate(client.post("/odds", json=request).json())


def test_every_example_the_document_shows_is_answered(client: TestClient) -> None:
    shown = 0
    for path, method, operation in OPERATIONS:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            answer = client.request(method, path, json=of(example)["value"])
            assert answer.status_code == 200, (path, answer.text)
            shown += 1
    assert shown > 2 * len(PUBLISHED)


def test_every_example_of_a_path_is_answered(client: TestClient) -> None:
    for path, method, operation in OPERATIONS:
        examples = {name: parameter["example"] for name, parameter in parameters(operation).items() if parameter["in"] == "path"}
        if examples and method == "get":
            answer = client.get(path.format(**examples))
            assert answer.status_code == 200, (path, answer.text)
            assert answer.headers["content-type"].partition(";")[0] in of(operation["responses"]["200"])["content"]
