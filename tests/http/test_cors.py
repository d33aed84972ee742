"""CORS: pages of all origins, or of the configured ones, may read every response."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.settings import Settings
from tests.support.client import problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
ORIGIN = {"origin": "https://table.example"}
ELSEWHERE = {"origin": "https://elsewhere.example"}

RESPONSES: list[tuple[str, str, Any, int]] = [
    ("GET", "/livez", None, 200),
    ("POST", "/resolve/jazz/check", CHECK, 200),
    ("POST", "/graphql", {"query": "{__typename}"}, 200),
    ("GET", "/openapi.json", None, 200),
    ("POST", "/resolve/jazz/check", [], 422),
    ("GET", "/nowhere", None, 404),
    ("DELETE", "/resolve", None, 405),
    ("DELETE", "/graphql", None, 405),
    ("OPTIONS", "/resolve", None, 204),
    ("POST", "/graphql", [], 400),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), RESPONSES)
@pytest.mark.parametrize("headers", [{}, ORIGIN, {"origin": "null"}], ids=["same", "other", "null"])
def test_every_response_may_be_read(client: TestClient, headers: dict[str, str], method: str, path: str, body: Any, status: int) -> None:
    answer = client.request(method, path, json=body, headers=headers)
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-expose-headers"] == "*"


@pytest.mark.parametrize("headers", [{}, ORIGIN])
@pytest.mark.parametrize(("path", "vary"), [("/systems", "Accept, Accept-Encoding"), ("/version", None)])
def test_response_that_all_origins_may_read_does_not_vary_by_origin(
    client: TestClient, headers: dict[str, str], path: str, vary: str | None
) -> None:
    assert client.get(path, headers=headers).headers.get("vary") == vary


@pytest.mark.parametrize("path", ["/resolve", "/graphql", "/nowhere"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_preflight_is_allowed(client: TestClient, path: str, method: str) -> None:
    preflight = {"access-control-request-method": method, "access-control-request-headers": "content-type, x-mine", **ORIGIN}
    answer = client.options(path, headers=preflight)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert method in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "content-type, x-mine"


def test_preflight_for_an_unknown_method_is_refused(client: TestClient) -> None:
    answer = client.options("/resolve", headers={"access-control-request-method": "BREW", **ORIGIN})
    problem(answer, 400, "bad-request")
    assert "BREW" not in answer.text


@pytest.mark.parametrize(("allowed", "status"), [(True, 200), (False, 400)])
def test_private_network_access_needs_a_setting(allowed: bool, status: int) -> None:
    preflight = {"access-control-request-method": "POST", "access-control-request-private-network": "true", **ORIGIN}
    answer = TestClient(create_app(Settings(private_network=allowed))).options("/resolve", headers=preflight)
    assert answer.status_code == status
    assert ("access-control-allow-private-network" in answer.headers) is allowed


def test_only_configured_origins_are_allowed() -> None:
    client = TestClient(create_app(Settings(cors_origins=[ORIGIN["origin"]])))
    preflight = {"access-control-request-method": "POST"}
    assert client.options("/resolve", headers=preflight | ORIGIN).headers["access-control-allow-origin"] == ORIGIN["origin"]
    refused = client.options("/resolve", headers=preflight | ELSEWHERE)
    assert (refused.status_code, refused.headers["content-type"]) == (400, "application/problem+json; charset=utf-8")
    assert "access-control-allow-origin" not in refused.headers
    for path in ("/livez", "/nowhere"):
        answer = client.get(path, headers=ORIGIN)
        assert answer.headers["access-control-allow-origin"] == ORIGIN["origin"]
        assert "Origin" in answer.headers["vary"]
        for headers in (ELSEWHERE, {}):
            assert "access-control-allow-origin" not in client.get(path, headers=headers).headers
