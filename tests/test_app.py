"""The wiring: what is mounted where, and that nothing is reached by two ways or by none."""

from __future__ import annotations

from collections import Counter

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from tablecall.app import CONTRACTS, create_app
from tablecall.contract import openapi
from tablecall.http import routes
from tablecall.settings import Settings


def test_the_settings_come_from_the_environment_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLECALL_MAX_BODY_BYTES", "1024")
    body = {"actor": {"bonus": 1}, "difficulty": 3, "rng": "x" * 2000}
    assert TestClient(create_app()).post("/resolve/jazz/check", json=body).status_code == 413
    assert TestClient(create_app(Settings(max_body_bytes=4096))).post("/resolve/jazz/check", json=body).status_code == 422


def test_every_operation_has_its_route_and_no_path_has_two_for_one_method() -> None:
    mounted = [route for route in create_app(Settings()).routes if isinstance(route, Route)]
    reached = Counter((route.path, method) for route in mounted for method in route.methods or ("ANY",))
    assert max(reached.values()) == 1
    for row in routes.operations(Settings()):
        assert (row.path, row.method) in reached
    assert {(path, "GET") for path in CONTRACTS} <= set(reached)


def test_what_is_published_is_what_is_mounted() -> None:
    """Beside the operations there are GraphQL, the contracts and the pages, and nothing else."""
    mounted = [route for route in create_app(Settings()).routes if isinstance(route, Route)]
    published = set(openapi.document(routes.operations(Settings()))["paths"])
    hidden = {route.path for route in mounted} - published
    assert published <= {route.path for route in mounted}
    assert {"/graphql", *CONTRACTS} <= hidden
    assert not [path for path in hidden if path.startswith(("/resolve", "/odds", "/systems", "/schemas", "/problems"))]


def test_the_root_answers() -> None:
    client = TestClient(create_app(Settings()))
    assert client.get("/").status_code == 200
    assert client.get("/docs").status_code == 200
