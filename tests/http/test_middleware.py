"""What every answer has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.http.middleware import DISCONNECTED, ActiveRequest, RequestMiddleware
from tablecall.runtime.services import Services
from tablecall.settings import Settings

ANYWHERE = ["/systems", "/livez", "/nowhere", "/resolve", "/graphql?query={__typename}", "/openapi.json", "/problems/busy", "/metrics"]


@pytest.mark.parametrize("path", ANYWHERE)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "DELETE"])
def test_every_answer_has_what_a_browser_must_be_told(client: TestClient, method: str, path: str) -> None:
    headers = client.request(method, path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "cache-control" in headers
    assert headers["access-control-allow-origin"] == "*"
    assert len(headers["x-request-id"]) == 32
    assert "server" not in headers


def test_what_an_answer_says_itself_is_left() -> None:
    async def page(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/html"), (b"cache-control", b"max-age=1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    told: list[Any] = []

    async def send(message: Any) -> None:
        told.append(message)

    async def nothing() -> Any:
        raise AssertionError

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    asyncio.run(RequestMiddleware(page, Services(Settings()))(scope, nothing, send))
    headers = dict(told[0]["headers"])
    assert headers[b"cache-control"] == b"max-age=1"
    assert b"content-security-policy" not in headers


def test_a_request_whose_caller_went_away_is_told_of_as_such() -> None:
    async def gone(scope: Any, receive: Any, send: Any) -> None:
        return

    services = Services(Settings())
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    asyncio.run(RequestMiddleware(gone, services)(scope, gone, gone))  # type: ignore[arg-type]
    assert f'status="{DISCONNECTED}"' in services.metrics.text("")[0].decode()
    assert services.running == 0


def test_what_is_no_request_passes() -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    asyncio.run(RequestMiddleware(app, Services(Settings()))({"type": "lifespan"}, app, app))  # type: ignore[arg-type]
    assert seen == ["lifespan"]


def test_a_service_that_stops_says_that_it_is_not_ready_and_keeps_no_connection() -> None:
    services = Services(Settings())
    client = TestClient(create_app(services=services))
    assert (client.get("/readyz").status_code, services.ready) == (200, True)
    services.draining = True
    answer = client.get("/readyz")
    assert (answer.status_code, answer.headers["connection"], services.ready) == (503, "close", False)
    answer = client.post("/resolve/jazz/check", json={"actor": {"bonus": 3}, "difficulty": 10})
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert client.get("/livez").status_code == 200


@pytest.mark.parametrize(("allowed", "answered"), [(True, 200), (False, 400)])
def test_a_private_network_is_open_to_public_pages_only_when_asked(allowed: bool, answered: int) -> None:
    asked = {"origin": "https://table.example", "access-control-request-method": "POST", "access-control-request-private-network": "true"}
    answer = TestClient(create_app(Settings(private_network=allowed))).options("/resolve", headers=asked)
    assert answer.status_code == answered
    assert ("access-control-allow-private-network" in answer.headers) is allowed


def test_only_the_origins_named_may_call() -> None:
    client = TestClient(create_app(Settings(cors_origins=["https://table.example"])))
    assert (
        client.get("/systems", headers={"origin": "https://table.example"}).headers["access-control-allow-origin"]
        == "https://table.example"
    )
    assert "access-control-allow-origin" not in client.get("/systems", headers={"origin": "https://other.example"}).headers


# ── Whoever waits for work that is done elsewhere ────────────────────────────────────────────────────────────────────


def passing(method: str, *messages: str) -> tuple[ActiveRequest, list[str]]:
    """A request to which these messages come, one after the other, and then nothing."""
    told = list(messages)

    async def receive() -> Any:
        if not told:
            await asyncio.Event().wait()
        return {"type": f"http.{told.pop(0)}"}

    scope = {"type": "http", "method": method, "path": "/", "headers": []}
    return ActiveRequest(RequestMiddleware(None, Services(Settings())), scope, receive, None), told  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "read"), [("GET", 0), ("POST", 1)])
def test_work_is_given_up_when_its_caller_hangs_up(method: str, read: int) -> None:
    async def wait() -> bool:
        passage, _ = passing(method, "request", "request", "disconnect")
        for _ in range(read):
            await passage.receive()
        work: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        with pytest.raises(ClientDisconnect):
            await passage.unless_gone(work)
        passage.timer.cancel()
        return work.cancelled()

    assert asyncio.run(wait())


def test_work_is_waited_for_while_its_caller_is_there() -> None:
    async def wait() -> tuple[list[int], list[str]]:
        found, left = [], []
        for method in ("GET", "POST"):
            passage, told = passing(method, *(["disconnect"] if method == "POST" else []))
            work: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.01, work.set_result, 7)
            found.append(await passage.unless_gone(work))
            left += told
            passage.timer.cancel()
        return found, left

    # of a body that has not arrived nothing is taken that somebody else waits for
    assert asyncio.run(wait()) == ([7, 7], ["disconnect"])


def test_a_body_that_has_arrived_is_not_waited_for_again() -> None:
    async def wait() -> list[bool]:
        passage, _ = passing("POST", "request")
        await passage.receive()
        again = asyncio.ensure_future(passage.receive())
        await asyncio.sleep(0)
        found = [passage.receiving, passage.body_complete]
        again.cancel()
        passage.timer.cancel()
        return found

    assert asyncio.run(wait()) == [False, True]
