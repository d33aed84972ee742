"""The systems, their rules and tables, the schemas, health and version."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tablecall.engine import VERSION
from tablecall.systems import SYSTEMS
from tests.support.client import problem


def test_systems_are_listed(client: TestClient) -> None:
    assert [system["system"] for system in client.get("/systems").json()["systems"]] == list(SYSTEMS)


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_system_with_its_rules_and_tables(client: TestClient, name: str) -> None:
    system = SYSTEMS[name]
    document = client.get(f"/systems/{name}").json()
    assert [action["action"] for action in document["actions"]] == [f"{name}.{action.name}" for action in system.actions]
    rules = client.get(f"/systems/{name}/rules").json()
    assert [rule["id"] for rule in rules["rules"]] == [rule.id for rule in system.rules]
    assert client.get(f"/systems/{name}/rules/{system.rules[-1].id}").json() == rules["rules"][-1]
    assert client.get(f"/systems/{name}/tables").json()["tables"] == system.tables


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        *((f"/systems/nobody{path}", "jazz") for path in ("", "/rules", "/rules/jazz.check.success", "/tables")),
        ("/systems/jazz/rules/jazz.dice.rol", "did you mean “jazz.dice.roll”?"),
        ("/systems/darkpages/rules/darkpages.scar", "did you mean “darkpages.scars”?"),
        ("/systems/jazz/rules/jazz.nothing", "/systems/jazz/rules"),
        ("/schemas/Nothing.json", ""),
        ("/problems/nothing", "/problems"),
    ],
)
def test_unknown_name_is_not_found_with_a_hint(client: TestClient, path: str, hint: str) -> None:
    assert hint in problem(client.get(path), 404, "not-found")["detail"]


def test_schema_with_and_without_suffix(client: TestClient) -> None:
    answer = client.get("/schemas/JazzCheck.json")
    assert answer.headers["content-type"] == "application/schema+json; charset=utf-8"
    assert answer.json()["$id"] == "/schemas/JazzCheck.json"
    assert client.get("/schemas/JazzCheck").content == answer.content


def test_health_and_version(client: TestClient) -> None:
    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").status_code == 200
    version = client.get("/version").json()
    assert version["version"] == VERSION
    assert "tablecall-1" in version["rngs"]
    assert len(version["rulebooks"]) == len(SYSTEMS)
