"""The systems, their rules and tables, and the schemas, as data."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tablecall.systems import SYSTEMS
from tests.support.client import problem


def test_the_systems_are_listed(client: TestClient) -> None:
    assert [system["system"] for system in client.get("/systems").json()["systems"]] == list(SYSTEMS)


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_a_system_its_rules_and_its_tables(client: TestClient, name: str) -> None:
    system = SYSTEMS[name]
    found = client.get(f"/systems/{name}").json()
    assert [action["action"] for action in found["actions"]] == [f"{name}.{action.name}" for action in system.actions]
    rules = client.get(f"/systems/{name}/rules").json()
    assert [rule["id"] for rule in rules["rules"]] == [rule.id for rule in system.rules]
    assert client.get(f"/systems/{name}/rules/{system.rules[-1].id}").json() == rules["rules"][-1]
    assert client.get(f"/systems/{name}/tables").json()["tables"] == system.tables


@pytest.mark.parametrize("path", ["", "/rules", "/rules/jazz.check.success", "/tables"])
def test_a_system_there_is_none_of(client: TestClient, path: str) -> None:
    assert "jazz" in problem(client.get(f"/systems/nobody{path}"), 404, "not-found")["detail"]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/systems/jazz/rules/jazz.dice.rol", "; did you mean `jazz.dice.roll`?"),
        ("/systems/darkpages/rules/darkpages.scar", "; did you mean `darkpages.scars`?"),
        ("/systems/jazz/rules/jazz.nothing", ""),
    ],
)
def test_a_rule_there_is_none_of(client: TestClient, path: str, meant: str) -> None:
    found = problem(client.get(path), 404, "not-found")
    assert found["detail"] == f"no such rule: {path.rpartition('/')[0]} lists them{meant}"


def test_a_schema_with_and_without_its_ending(client: TestClient) -> None:
    answer = client.get("/schemas/JazzCheck.json")
    assert answer.headers["content-type"] == "application/schema+json"
    assert answer.json()["$id"] == "/schemas/JazzCheck.json"
    assert client.get("/schemas/JazzCheck").content == answer.content
    problem(client.get("/schemas/Nothing.json"), 404, "not-found")
