"""The rule books as data."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tablecall.contract import system_models
from tablecall.contract.json_schema import standalone
from tablecall.systems import SYSTEMS

SHAPES = [
    ("/version", "Version"),
    ("/systems", "SystemList"),
    *((f"/systems/{name}", "RuleSystem") for name in SYSTEMS),
    *((f"/systems/{name}/rules", "RuleList") for name in SYSTEMS),
    *((f"/systems/{name}/tables", "SystemTables") for name in SYSTEMS),
    *((f"/systems/{name}/rules/{system.rules[0].id}", "NumberedRule") for name, system in SYSTEMS.items()),
]


@pytest.mark.parametrize(("path", "shape"), SHAPES)
def test_answer_matches_its_schema(client: TestClient, path: str, shape: str) -> None:
    Draft202012Validator(standalone(shape)).validate(client.get(path).json())


def test_rule_is_found_by_id_in_any_system() -> None:
    for system in SYSTEMS.values():
        for rule in system.rules:
            assert system_models.find_rule(rule.id) is rule
    assert system_models.find_rule("nobody.nothing") is None
