"""Unexpected errors: status 500, one log entry, and no details in the response."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.http.middleware import RequestMiddleware
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tablecall.systems import ACTIONS
from tests.support.asgi import call
from tests.support.client import ask, problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
SECRET = "swordfish"


def broken(*_: object) -> Any:
    raise RuntimeError(SECRET)


async def half(request: Request) -> Response:
    async def parts() -> Any:
        yield b"half of"
        raise RuntimeError(SECRET)

    return StreamingResponse(parts())


def assert_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == ["unexpected failure"]
    assert SECRET in caplog.text


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A service with a rule that fails. It is a service of its own, because GraphQL keeps the actions that it compiles queries for."""
    client = TestClient(create_app(Settings(odds_workers=0)))
    system, action = ACTIONS["jazz.check"]
    failing_action = replace(action, rule=broken)
    monkeypatch.setitem(ACTIONS._known, "jazz.check", (system, failing_action))
    monkeypatch.setitem(PUBLISHED, "jazz.check", replace(PUBLISHED["jazz.check"], action=failing_action))
    return client


@pytest.mark.parametrize("path", ["/resolve", "/odds"])
def test_failing_rule_is_a_500_and_one_log_entry(failing: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    answer = failing.post(path, json={"action": "jazz.check", **CHECK})
    problem(answer, 500, "internal")
    assert SECRET not in answer.text
    assert_logged(caplog)


@pytest.mark.parametrize("field", ["resolve(request: $r) { outcome }", "odds(request: $r) { method }"])
def test_failing_rule_is_an_error_of_its_graphql_field(failing: TestClient, caplog: pytest.LogCaptureFixture, field: str) -> None:
    answer = ask(failing, f"query($r: ResolveRequest!) {{ {field} }}", {"r": {"jazzCheck": CHECK}})
    (error,) = answer["errors"]
    assert answer["data"] is None
    assert error["extensions"]["code"] == "INTERNAL_SERVER_ERROR"
    assert error["extensions"]["problem"]["status"] == 500
    assert SECRET not in str(answer)
    assert_logged(caplog)


def test_failing_endpoint_is_a_500(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(Settings())
    app.router.routes.append(Route("/broken", broken))
    answer = TestClient(app).get("/broken")
    problem(answer, 500, "internal")
    assert SECRET not in answer.text
    assert_logged(caplog)


def test_response_that_has_started_is_cut_off() -> None:
    app = create_app(Settings())
    app.router.routes.append(Route("/half", half))
    with pytest.raises(RuntimeError, match=SECRET):
        TestClient(app).get("/half")


def test_errors_outside_http_are_raised(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(RuntimeError, match=SECRET):
        asyncio.run(call(RequestMiddleware(broken, Services(Settings())), {"type": "websocket"}))
    assert caplog.records == []
