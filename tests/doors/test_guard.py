"""Our own mistakes answer 500 without a leak, and every answer there is may be read by a page of any origin."""

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

from service.app import create_app
from service.doors.guard import Guard
from service.doors.shapes import PUBLISHED
from service.settings import Settings
from service.systems import ACTIONS
from tests.doors.asking import ask, problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
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

    await Guard(leaving)({"type": "http"}, nothing_more, send)
    assert (sent, caplog.records) == ([], [])
    with pytest.raises(RuntimeError, match=SECRET):
        await Guard(failing)({"type": "websocket"}, nothing_more, send)
    assert (sent, caplog.records) == ([], [])


# ── Pages of other origins ───────────────────────────────────────────────────────────────────────────────────────────

ANSWERS: list[tuple[str, str, Any, int]] = [
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


@pytest.mark.parametrize(("method", "path", "body", "status"), ANSWERS)
@pytest.mark.parametrize("headers", [{}, ORIGIN, {"origin": "null"}], ids=["same", "other", "null"])
def test_every_answer_may_be_read(client: TestClient, headers: dict[str, str], method: str, path: str, body: Any, status: int) -> None:
    answer = client.request(method, path, json=body, headers=headers)
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-expose-headers"] == "*"


@pytest.mark.parametrize("media", ["text/csv", "image/png"])
def test_those_of_what_is_not_read_or_not_written_too(client: TestClient, media: str) -> None:
    unread = client.post("/resolve", content=b"{}", headers={"content-type": media, **ORIGIN})
    unwritten = client.post("/resolve", json={}, headers={"accept": media, **ORIGIN})
    assert (problem(unread)["status"], problem(unwritten)["status"]) == (415, 406)


@pytest.mark.parametrize("path", ["/resolve", "/graphql", "/nowhere"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_preflight_is_allowed_what_any_page_may_do(client: TestClient, path: str, method: str) -> None:
    asked = {"access-control-request-method": method, "access-control-request-headers": "content-type, x-mine", **ORIGIN}
    answer = client.options(path, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert method in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "content-type, x-mine"


def test_a_preflight_for_a_method_there_is_none_of_is_a_problem(client: TestClient) -> None:
    answer = client.options("/resolve", headers={"access-control-request-method": "BREW", **ORIGIN})
    problem(answer, 400, "bad-request")
    assert "BREW" not in answer.text


def test_where_only_some_origins_may_call_others_are_told_so() -> None:
    client = TestClient(create_app(Settings(cors_origins=["https://table.example"])))
    asked = {"access-control-request-method": "POST"}
    assert client.options("/resolve", headers=asked | ORIGIN).headers["access-control-allow-origin"] == "https://table.example"
    refused = client.options("/resolve", headers=asked | {"origin": "https://elsewhere.example"})
    assert (refused.status_code, refused.headers["content-type"]) == (400, "application/problem+json")
    assert "access-control-allow-origin" not in refused.headers
    for path in ("/livez", "/nowhere"):
        answer = client.get(path, headers=ORIGIN)
        assert answer.headers["access-control-allow-origin"] == "https://table.example"
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-origin" not in client.get(path, headers={"origin": "https://elsewhere.example"}).headers
        assert "access-control-allow-origin" not in client.get(path).headers
