"""The application: its settings, and which paths it serves."""

from __future__ import annotations

from collections import Counter

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from tablecall.app import CONTRACTS, create_app
from tablecall.contract import openapi
from tablecall.http import routes
from tablecall.settings import Settings

ROUTES = [route for route in create_app(Settings()).routes if isinstance(route, Route)]
OPERATIONS = routes.operations(Settings())


def test_settings_come_from_the_environment_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLECALL_MAX_BODY_BYTES", "1024")
    body = {"actor": {"bonus": 1}, "difficulty": 3, "rng": "x" * 2000}
    assert TestClient(create_app()).post("/resolve/jazz/check", json=body).status_code == 413
    assert TestClient(create_app(Settings(max_body_bytes=4096))).post("/resolve/jazz/check", json=body).status_code == 422


def test_every_operation_and_contract_has_one_route() -> None:
    mounted = Counter((route.path, method) for route in ROUTES for method in route.methods or ("ANY",))
    assert max(mounted.values()) == 1
    assert {(row.path, row.method) for row in OPERATIONS} | {(path, "GET") for path in CONTRACTS} <= set(mounted)


def test_paths_that_are_not_in_the_contract_are_graphql_contracts_and_pages() -> None:
    published = set(openapi.document(OPERATIONS)["paths"])
    mounted = {route.path for route in ROUTES}
    assert published <= mounted
    hidden = mounted - published
    assert {"/graphql", *CONTRACTS} <= hidden
    assert not [path for path in hidden if path.startswith(("/resolve", "/odds", "/systems", "/schemas", "/problems"))]
