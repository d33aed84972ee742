"""Limits on the number of requests, on the time of a body and of a response, and on the size of a body."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Message

from tablecall.app import create_app
from tablecall.http.middleware import RequestMiddleware
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.asgi import call, scope, status
from tests.support.client import problem
from tests.support.clock import run

CHECK = {"actor": {"bonus": 3}, "difficulty": 10}
START = {"type": "http.response.start", "status": 200, "headers": []}


def behind(app: Any, **settings: Any) -> Any:
    """An application behind the middleware of a service with these settings."""
    return RequestMiddleware(app, Services(Settings(**settings)))


async def never(given: Any, receive: Any, send: Any) -> None:
    await asyncio.get_running_loop().create_future()


# ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "part"),
    [("/resolve/jazz/check", b'{"actor"'), ("/resolve", b""), ("/graphql", b"{"), ("/odds", b" "), ("/batch", b"[")],
)
def test_slow_body_is_refused(path: str, part: bytes) -> None:
    services = Services(Settings())
    app = create_app(services=services)
    for make in services.startup:  # otherwise a thread makes the GraphQL endpoint while the virtual clock jumps
        make()
    sent = run(call(app, scope(path), part, stall=True))
    assert status(sent) == 408
    assert b"./problems/too-slow" in sent[1]["body"]
    assert (b"connection", b"close") in sent[0]["headers"]


def test_body_in_pieces_is_accepted() -> None:
    sent = asyncio.run(call(create_app(Settings()), scope(), b'{"actor": {"bo', b'nus": 3}, "diffi', b'culty": 10}'))
    assert status(sent) == 200


async def reading_late(given: Any, receive: Any, send: Any) -> None:
    """Reads its body only after the time for the body is over, as an application that still loads does."""
    await asyncio.sleep(0.1)
    await Response(await Request(given, receive).body())(given, receive, send)


@pytest.mark.parametrize(
    ("stall", "request_seconds", "expected"),
    [
        pytest.param(False, 30.0, 200, id="body arrived in time"),
        pytest.param(True, 30.0, 408, id="body stalls"),
        pytest.param(True, 0.15, 503, id="no time left for the body"),
    ],
)
def test_body_that_is_read_late_has_its_full_time(stall: bool, request_seconds: float, expected: int) -> None:
    app = behind(reading_late, body_seconds=0.06, request_seconds=request_seconds)
    assert status(run(call(app, scope(), b"{", b"}", stall=stall))) == expected


def test_body_that_is_read_late_does_not_extend_the_request() -> None:
    left: list[float] = []

    async def reading(given: Any, receive: Any, send: Any) -> None:
        active = receive.__self__
        for step in (asyncio.sleep(0.1), receive(), asyncio.sleep(0.1)):
            await step
            left.append(active.deadline - active.timer.when())
        await Response()(given, receive, send)

    run(call(behind(reading, body_seconds=0.06, request_seconds=30.0), scope(), b"{}"))
    before, while_reading, after = left
    assert before == after == 0
    assert while_reading > 0


def test_response_that_does_not_start_in_time_is_a_503() -> None:
    sent = run(call(behind(never), scope()))
    assert status(sent) == 503
    assert (b"retry-after", b"5") in sent[0]["headers"]
    assert b"./problems/timed-out" in sent[1]["body"]


@pytest.mark.parametrize("reads", [False, True])
def test_response_that_has_started_has_no_deadline(reads: bool) -> None:
    async def streaming(given: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.1)
        await send(START.copy())
        if reads:
            await receive()
            with suppress(TimeoutError):
                await asyncio.wait_for(receive(), 0.15)
        await asyncio.sleep(3600)
        await send({"type": "http.response.body", "body": b"late"})

    sent = run(call(behind(streaming, body_seconds=0.06, request_seconds=30.0), scope(), b"{", stall=True))
    assert (status(sent), sent[1]["body"]) == (200, b"late")


def test_waiting_for_the_disconnect_is_not_waiting_for_a_body() -> None:
    async def listening(given: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(START.copy())
        await asyncio.wait_for(receive(), 3600)

    with pytest.raises(TimeoutError):
        run(call(behind(listening), scope(), b"{}"))


async def cancelled(app: Any) -> list[Message]:
    """The response of a request that is cancelled from outside after a second."""
    task = asyncio.create_task(call(app, scope()))
    await asyncio.sleep(1)
    task.cancel()
    return await task


def test_request_cancelled_from_outside_stays_cancelled() -> None:
    with pytest.raises(asyncio.CancelledError):
        run(cancelled(behind(never)))


def test_request_cancelled_from_outside_at_its_deadline_stays_cancelled() -> None:
    async def twice(given: Any, receive: Any, send: Any) -> None:
        try:
            await never(given, receive, send)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            raise

    with pytest.raises(asyncio.CancelledError):
        run(call(behind(twice), scope()))


@pytest.mark.parametrize(("started", "expected"), [(False, [503, None]), (True, [200])])
def test_request_cut_off_at_shutdown_is_refused_unless_its_response_has_started(started: bool, expected: list[int | None]) -> None:
    services = Services(Settings())
    services.draining = True

    async def working(given: Any, receive: Any, send: Any) -> None:
        if started:
            await send(START.copy())
        await never(given, receive, send)

    assert [message.get("status") for message in run(cancelled(RequestMiddleware(working, services)))] == expected


def test_error_after_the_response_is_not_answered_again() -> None:
    async def begun(given: Any, receive: Any, send: Any) -> None:
        await Response("so far")(given, receive, send)
        raise ClientDisconnect

    assert len(asyncio.run(call(behind(begun), scope()))) == 2


# ── Number of requests ───────────────────────────────────────────────────────────────────────────────────────────────


def test_one_request_too_many_is_refused_and_health_checks_are_not() -> None:
    services = Services(Settings(max_requests=1))
    with TestClient(create_app(services=services)) as client:
        services.running = 1
        answer = client.post("/resolve/jazz/check", json=CHECK)
        problem(answer, 503, "busy")
        assert answer.headers["retry-after"] == "1"
        assert client.get("/livez").status_code == 200
        problem(client.get("/readyz"), 503, "busy")
        services.running = 0
        assert client.post("/resolve/jazz/check", json=CHECK).status_code == 200


# ── Size of bodies ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def narrow() -> Starlette:
    return create_app(Settings(max_body_bytes=1024))


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check", "/odds", "/graphql", "/verify"])
def test_body_is_measured_as_it_arrives(narrow: Starlette, path: str) -> None:
    sent = asyncio.run(call(narrow, scope(path), *[b"[" * 100] * 11, stall=True))
    assert status(sent) == 413
    assert (b"connection", b"close") in sent[0]["headers"]


@pytest.mark.parametrize("length", ["1025", "9" * 18, "9" * 30, "9" * 5000])
@pytest.mark.parametrize("path", ["/resolve", "/graphql"])
def test_body_with_a_large_content_length_is_refused_unread(narrow: Starlette, path: str, length: str) -> None:
    assert status(asyncio.run(call(narrow, scope(path, content_length=length), stall=True))) == 413


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "²"])
def test_invalid_content_length_is_ignored(narrow: Starlette, length: str) -> None:
    sent = asyncio.run(call(narrow, scope(content_length=length), b'{"actor": {"bonus": 3}, "difficulty": 10}'))
    assert status(sent) == 200
