"""The OpenAPI document is valid and complete, and its examples work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
import yaml
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tablecall.contract import openapi
from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.json_schema import components
from tablecall.http import routes
from tablecall.model.problems import KINDS
from tablecall.settings import Settings
from tablecall.systems import SYSTEMS
from tests.support.client import EXAMPLES, ids

DOCUMENT: dict[str, Any] = openapi.document(routes.operations(Settings()))
LEAN = {name: openapi.system_document(routes.operations(Settings()), name) for name in SYSTEMS}
VERBS = ("resolve", "odds")
OPERATIONS = [(path, method, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()]


def walk(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from walk(part)


def at(pointer: str) -> Any:
    value: Any = DOCUMENT
    for key in pointer.removeprefix("#/").split("/"):
        value = value[key.replace("~1", "/").replace("~0", "~")]
    return value


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """The value, or what it refers to."""
    target: dict[str, Any] = at(value["$ref"]) if "$ref" in value else value
    return target


def parameters(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in map(resolved, operation.get("parameters", []))}


def schema(name: str) -> Draft202012Validator:
    """A validator for one of the document's schemas."""
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]})


def test_yaml_is_the_same_without_anchors() -> None:
    text = openapi.as_yaml(DOCUMENT)
    assert yaml.load(text, Loader=yaml.CSafeLoader) == DOCUMENT
    assert not [line for line in text.splitlines() if line.strip().startswith(("&", "*"))]


def test_operations_have_unique_ids_descriptions_and_examples() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names) > 0
    for path, _, operation in OPERATIONS:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert content["examples"], path
            assert "$ref" in content["schema"], path
    assert all(operation["summary"] and operation["description"] and operation["tags"] for _, _, operation in OPERATIONS)
    assert {tag for _, _, operation in OPERATIONS for tag in operation["tags"]} <= {tag["name"] for tag in DOCUMENT["tags"]}


def test_references_resolve_and_schemas_are_valid() -> None:
    for value in walk(DOCUMENT):
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            at(value["$ref"])
    for component in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(component)


def test_every_component_is_used() -> None:
    used = {value["$ref"] for value in walk(DOCUMENT) if isinstance(value, dict) and isinstance(value.get("$ref"), str)}
    used |= {f"#/components/securitySchemes/{name}" for choice in DOCUMENT["security"] for name in choice}
    assert used == {f"#/components/{kind}/{name}" for kind, parts in DOCUMENT["components"].items() for name in parts}


@pytest.mark.parametrize(("union", "kind"), [("ResolveRequest", "Request"), ("Ruling", "Ruling")])
def test_union_maps_every_tag(union: str, kind: str) -> None:
    component = DOCUMENT["components"]["schemas"][union]
    mapping = {tag: f"#/components/schemas/{published.name}{kind}" for tag, published in PUBLISHED.items()}
    assert component["discriminator"] == {"propertyName": "action", "mapping": mapping}
    assert [member["$ref"] for member in component["oneOf"]] == list(mapping.values())
    for tag, reference in mapping.items():
        member = at(reference)
        own = member["allOf"][-1] if "allOf" in member else member
        assert "action" in own["required"]
        assert own["properties"]["action"]["const"] == tag


def test_responses_and_parameters_are_described() -> None:
    for path, _, operation in OPERATIONS:
        assert all(resolved(answer)["description"] for answer in operation["responses"].values())
        assert all(parameter["description"] for parameter in parameters(operation).values()), path
        names = {name for name, parameter in parameters(operation).items() if parameter["in"] == "path"}
        assert names == {part[1:-1] for part in path.split("/") if part.startswith("{")}


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_properties_are_described_and_enumerations_have_names(name: str) -> None:
    component = DOCUMENT["components"]["schemas"][name]
    assert component.get("description"), name
    for field, part in component.get("properties", {}).items():
        # What every ruling has is described at the first.
        assert part.get("description") or "description" in components()[name]["properties"][field], field
        assert "enum" not in str(part) or part.get("type") == "integer", field


def test_fields_of_responses_are_required() -> None:
    """Except fields that are only sent on request or if they apply."""
    sometimes = {
        "factors",
        "options",
        "receipt",
        "rule",
        "simulated",
        "interval",
        "confidence",
        "rounds",
        "odds",
        "unusedDice",
        "turn",
        "results",
        "keepChoices",
        "bound",
        "hint",
        "example",
        "trials",
        "lowest",
    }
    for name, component in DOCUMENT["components"]["schemas"].items():
        if name.endswith("Ruling") or name in ("Odds", "Problem", "ProblemFinding", "Roll", "Die", "Step", "Effect"):
            assert set(component.get("properties", {})) - set(component.get("required", [])) <= sometimes, name


def test_every_error_response_is_a_problem() -> None:
    statuses = {str(kind.status) for kind in KINDS.values()}
    for _, _, operation in OPERATIONS:
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                assert status in statuses
                assert resolved(answer)["content"]["application/problem+json"]["schema"]["$ref"].endswith("/Problem")


def test_tag_is_optional_if_the_path_has_it() -> None:
    body, request = (DOCUMENT["components"]["schemas"][name] for name in ("JazzCheck", "JazzCheckRequest"))
    assert "action" not in body.get("required", [])
    assert body["properties"]["action"]["const"] == "jazz.check"
    assert request["allOf"][0] == {"$ref": "#/components/schemas/JazzCheck"}


def test_no_property_has_a_default() -> None:
    """Generators such as openapi-typescript would make it a required field of a request."""
    for document in (DOCUMENT, *LEAN.values()):
        schemas = document["components"]["schemas"]
        assert not [part for component in schemas.values() for part in component.get("properties", {}).values() if "default" in part]
    assert "Default: `false`." in DOCUMENT["components"]["schemas"]["JazzActor"]["properties"]["advantage"]["description"]
    assert components()["JazzActor"]["properties"]["advantage"]["default"] is False


def test_integers_beyond_32_bits_say_so() -> None:
    integers = [part for part in walk(DOCUMENT) if isinstance(part, dict) and part.get("type") == "integer"]
    wide = [part for part in integers if max(abs(part.get("minimum", 0)), abs(part.get("maximum", 0))) > 2**31 - 1]
    assert any(part in wide for part in DOCUMENT["components"]["schemas"]["Seed"]["anyOf"])
    assert {part.get("format") for part in wide} == {"int64"}


# ── The documents of one system, and their sizes ─────────────────────────────────────────────────────────────────────


def test_documents_are_small() -> None:
    assert len(orjson.dumps(DOCUMENT)) <= 700_000
    for document in LEAN.values():
        assert len(orjson.dumps(document)) <= 200_000


@pytest.mark.parametrize("name", LEAN)
def test_document_of_one_system_is_complete(name: str) -> None:
    document = LEAN[name]
    used = {value["$ref"] for value in walk(document) if isinstance(value, dict) and isinstance(value.get("$ref"), str)}
    defined = {f"#/components/{kind}/{part}" for kind, parts in document["components"].items() for part in parts}
    assert used == defined - {"#/components/securitySchemes/apiKey"}
    assert {method for methods in document["paths"].values() for method in methods} == {"post"}
    own = {f"/{verb}/{row.path}" for verb in ("resolve", "odds") for row in PUBLISHED.values() if row.system.name == name}
    assert set(document["paths"]) == own | {"/resolve", "/odds", "/rolls", "/batch", "/verify"}
    tags = document["components"]["schemas"]["ResolveRequest"]["discriminator"]["mapping"]
    assert {tag.partition(".")[0] for tag in tags} == {name}


def test_servers_are_relative_to_the_document() -> None:
    assert DOCUMENT["servers"][0]["url"] == "."
    assert {document["servers"][0]["url"] for document in LEAN.values()} == {".."}


# ── Queries ──────────────────────────────────────────────────────────────────────────────────────────────────────────

QUERIES = [(path, methods["get"]) for path, methods in DOCUMENT["paths"].items() if "get" in methods and path.split("/")[1] in VERBS]


def test_only_what_a_query_can_express_is_published(client: TestClient) -> None:
    paths = {path for path, _ in QUERIES}
    assert {"/resolve/jazz/check", "/odds/jazz/attack", "/resolve/darkpages/check"} <= paths
    assert "/resolve/jazz/character" not in paths
    answer = client.get("/resolve/jazz/character?fictionLevel=elite")
    assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")


@pytest.mark.parametrize(("path", "operation"), QUERIES, ids=[path for path, _ in QUERIES])
def test_query_of_the_example_values_is_answered(client: TestClient, path: str, operation: dict[str, Any]) -> None:
    query = {name: row["example"] for name, row in parameters(operation).items() if "example" in row}
    assert {name for name, row in parameters(operation).items() if row["required"]} <= set(query)
    assert query
    text = {
        name: [str(part).lower() if isinstance(part, bool) else part for part in (value if isinstance(value, list) else [value])]
        for name, value in query.items()
    }
    for name, row in parameters(operation).items():
        if name == "format":
            for form in row["schema"]["enum"]:
                assert client.get(path, params={**text, "format": form}).status_code == 200
    answer = client.get(path, params=text)
    assert answer.status_code == 200, answer.text


def test_query_has_a_parameter_for_every_scalar() -> None:
    query = parameters(DOCUMENT["paths"]["/resolve/jazz/check"]["get"])
    assert query["actor.bonus"]["schema"] == {"maximum": 99, "minimum": 0, "type": "integer"}
    assert query["actor.bonus"]["example"] == 3
    assert query["actor.gear.reroll"]["schema"]["type"] == "array"
    assert resolved(query["seed"]["schema"])["anyOf"]
    assert "actor.character" not in query
    assert not any(parameter.get("required") for parameter in query.values())


# ── The examples work ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_example_and_its_answers_match_their_schemas(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    name = PUBLISHED[tag].name
    request = {"action": tag, **body}
    schema(name).validate(body)
    schema(f"{name}Request").validate(request)
    schema("ResolveRequest").validate(request)
    for include in ([], ["factors", "options"]):
        ruling = client.post("/resolve", json={**request, "include": include})
        assert ruling.status_code == 200, ruling.text
        schema(f"{name}Ruling").validate(ruling.json())
        schema("Ruling").validate(ruling.json())
    schema("Odds").validate(client.post("/odds", json=request).json())


def test_every_body_example_is_answered(client: TestClient) -> None:
    shown = 0
    for path, method, operation in OPERATIONS:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            answer = client.request(method, path, json=resolved(example)["value"])
            assert answer.status_code == 200, (path, answer.text)
            shown += 1
    assert shown > 2 * len(PUBLISHED)


def test_every_path_example_is_answered(client: TestClient) -> None:
    for path, method, operation in OPERATIONS:
        examples = {name: parameter["example"] for name, parameter in parameters(operation).items() if parameter["in"] == "path"}
        if examples and method == "get":
            answer = client.get(path.format(**examples))
            assert answer.status_code == 200, (path, answer.text)
            assert answer.headers["content-type"].partition(";")[0] in resolved(operation["responses"]["200"])["content"]
