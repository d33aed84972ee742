"""Headers of every response, disconnected clients, and a service that stops."""

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
from tests.support.asgi import call, scope

PATHS = ["/systems", "/livez", "/nowhere", "/resolve", "/graphql?query={__typename}", "/openapi.json", "/problems/busy", "/metrics"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "DELETE"])
def test_every_response_has_security_headers(client: TestClient, method: str, path: str) -> None:
    headers = client.request(method, path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "cache-control" in headers
    assert headers["access-control-allow-origin"] == "*"
    assert len(headers["x-request-id"]) == 32
    assert "server" not in headers


def test_headers_that_a_response_sets_itself_are_kept() -> None:
    async def page(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/html"), (b"cache-control", b"max-age=1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    (start,) = asyncio.run(call(RequestMiddleware(page, Services(Settings())), scope()))
    headers = dict(start["headers"])
    assert headers[b"cache-control"] == b"max-age=1"
    assert b"content-security-policy" not in headers


def test_request_whose_client_disconnected_is_counted_and_not_answered(caplog: pytest.LogCaptureFixture) -> None:
    services = Services(Settings())
    assert asyncio.run(call(create_app(services=services), scope(), disconnect=True)) == []
    services.report()
    assert f'status="{DISCONNECTED}"' in services.metrics.text("")[0].decode()
    assert services.running == 0
    assert caplog.records == []


def test_stopping_service_is_not_ready_and_closes_connections() -> None:
    services = Services(Settings())
    client = TestClient(create_app(services=services))
    assert (client.get("/readyz").status_code, services.ready) == (200, True)
    services.draining = True
    answer = client.get("/readyz")
    assert (answer.status_code, answer.headers["connection"], services.ready) == (503, "close", False)
    answer = client.post("/resolve/jazz/check", json={"actor": {"bonus": 3}, "difficulty": 10})
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert client.get("/livez").status_code == 200


# ── Requests that wait for work done elsewhere ───────────────────────────────────────────────────────────────────────


def request_of(method: str, *messages: str) -> tuple[ActiveRequest, list[str]]:
    """A request that receives these messages and then nothing; and the messages left."""
    left = list(messages)

    async def receive() -> Any:
        if not left:
            await asyncio.Event().wait()
        return {"type": f"http.{left.pop(0)}"}

    middleware = RequestMiddleware(None, Services(Settings()))  # type: ignore[arg-type]
    return ActiveRequest(middleware, scope("/", method), receive, None), left  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "parts"), [("GET", 0), ("POST", 1)])
def test_work_is_cancelled_when_the_client_disconnects(method: str, parts: int) -> None:
    async def wait() -> bool:
        request, _ = request_of(method, "request", "request", "disconnect")
        for _ in range(parts):
            await request.receive()
        work: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        with pytest.raises(ClientDisconnect):
            await request.unless_gone(work)
        request.timer.cancel()
        return work.cancelled()

    assert asyncio.run(wait())


@pytest.mark.parametrize(
    ("method", "messages"), [("GET", []), pytest.param("POST", ["disconnect"], id="body not read yet, so nothing is received")]
)
def test_work_of_a_connected_client_is_finished(method: str, messages: list[str]) -> None:
    async def wait() -> tuple[int, list[str]]:
        request, left = request_of(method, *messages)
        work: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.01, work.set_result, 7)
        result = await request.unless_gone(work)
        request.timer.cancel()
        return result, left

    assert asyncio.run(wait()) == (7, messages)


def test_complete_body_is_not_awaited_again() -> None:
    async def wait() -> list[bool]:
        request, _ = request_of("POST", "request")
        await request.receive()
        again = asyncio.ensure_future(request.receive())
        await asyncio.sleep(0)
        state = [request.receiving, request.body_complete]
        again.cancel()
        request.timer.cancel()
        return state

    assert asyncio.run(wait()) == [False, True]
