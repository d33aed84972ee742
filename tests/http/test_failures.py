"""Our own mistakes answer 500 without a leak."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.http.middleware import RequestMiddleware
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tablecall.systems import ACTIONS
from tests.support.client import ask, problem

UNASKED: dict[str, Any] = {"actor": {"bonus": 13}, "difficulty": 17}
"""Nobody else asks this: odds once counted are remembered, whatever becomes of the rule."""
SECRET = "swordfish"
ORIGIN = {"origin": "https://table.example"}


def broken(*_: object) -> Any:
    raise RuntimeError(SECRET)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that fails."""
    system, action = ACTIONS["jazz.check"]
    worse = replace(action, rule=broken)
    monkeypatch.setitem(ACTIONS, "jazz.check", (system, worse))
    monkeypatch.setitem(PUBLISHED, "jazz.check", replace(PUBLISHED["jazz.check"], action=worse))


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("path", ["/resolve", "/odds"])
def test_a_rule_that_fails_is_a_500_and_one_line_in_the_log(client: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    answer = client.post(path, json={"action": "jazz.check", **UNASKED}, headers=ORIGIN)
    problem(answer, 500, "internal")
    assert SECRET not in answer.text
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == ["unexpected failure"]
    assert SECRET in caplog.text


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("field", ["resolve(request: $r) { outcome }", "odds(request: $r) { method }"])
def test_by_graphql_it_is_an_error_of_its_field(client: TestClient, caplog: pytest.LogCaptureFixture, field: str) -> None:
    found = ask(client, f"query($r: ResolveRequest!) {{ {field} }}", {"r": {"jazzCheck": UNASKED}})
    (error,) = found["errors"]
    assert found["data"] is None
    assert error["message"] == "an unexpected failure; nothing was changed"
    assert error["extensions"]["code"] == "INTERNAL_SERVER_ERROR"
    assert error["extensions"]["problem"]["status"] == 500
    assert SECRET not in str(found)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == ["unexpected failure"]


def test_any_endpoint_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(Settings())
    app.router.routes.append(Route("/broken", broken))
    answer = TestClient(app).get("/broken")
    problem(answer, 500, "internal")
    assert SECRET not in answer.text
    assert SECRET in caplog.text


def test_an_answer_that_has_begun_is_cut_short() -> None:
    async def half(request: Request) -> Response:
        async def parts() -> Any:
            yield b"half of"
            raise RuntimeError(SECRET)

        return StreamingResponse(parts())

    app = create_app(Settings())
    app.router.routes.append(Route("/half", half))
    with pytest.raises(RuntimeError, match=SECRET):
        TestClient(app).get("/half")


HERE: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "headers": []}


async def nothing_more() -> Message:
    raise AssertionError


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_whoever_goes_away_is_not_answered_and_other_scopes_are_not_ours(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def leaving(scope: Scope, receive: Receive, send: Send) -> None:
        raise ClientDisconnect

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(SECRET)

    await RequestMiddleware(leaving, Services(Settings()))(HERE, nothing_more, send)
    assert (sent, caplog.records) == ([], [])
    with pytest.raises(RuntimeError, match=SECRET):
        await RequestMiddleware(failing, Services(Settings()))({"type": "websocket"}, nothing_more, send)
    assert (sent, caplog.records) == ([], [])
