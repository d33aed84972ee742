"""How many requests at once, how long each, how large and how deep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Message

from tablecall.app import create_app
from tablecall.http.json_body import MAX_NAMES, MAX_NESTING
from tablecall.http.middleware import RequestMiddleware
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.client import problem
from tests.support.clock import run

CHECK = {"actor": {"bonus": 3}, "difficulty": 10}


def scope(path: str = "/resolve/jazz/check", method: str = "POST", **headers: str) -> dict[str, Any]:
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in {"content_type": "application/json", **headers}.items()]
    return {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"", "headers": named}


async def ask(app: Any, given: dict[str, Any], *parts: bytes, stall: bool = False) -> list[Message]:
    """Ask an application: send the parts of a body, then, where it stalls, nothing more."""
    told: list[Message] = []
    still = list(parts)

    async def receive() -> Message:
        if still:
            part = still.pop(0)
            return {"type": "http.request", "body": part, "more_body": stall or bool(still)}
        forever: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        return await forever

    async def send(message: Message) -> None:
        told.append(message)

    await app(given, receive, send)
    return told


def status(told: list[Message]) -> int:
    return int(told[0]["status"])


@pytest.mark.parametrize(
    ("path", "part"),
    [("/resolve/jazz/check", b'{"actor"'), ("/resolve", b""), ("/graphql", b"{"), ("/odds", b" "), ("/batch", b"[")],
)
def test_a_body_that_does_not_arrive_is_refused_as_too_slow(path: str, part: bytes) -> None:
    services = Services(Settings())
    app = create_app(services=services)
    for make in services.startup:  # else a thread makes the GraphQL endpoint while the clock jumps
        make()
    told = run(ask(app, scope(path), part, stall=True))
    assert status(told) == 408
    assert b"/problems/too-slow" in told[1]["body"]
    assert (b"connection", b"close") in told[0]["headers"]


def test_a_body_that_arrives_in_pieces_is_waited_for() -> None:
    told = asyncio.run(ask(create_app(Settings()), scope(), b'{"actor": {"bo', b'nus": 3}, "diffi', b'culty": 10}'))
    assert status(told) == 200


def behind(app: Any, **settings: Any) -> Any:
    """An application behind the middleware of a service with these settings."""
    return RequestMiddleware(app, Services(Settings(**settings)))


async def never(given: Any, receive: Any, send: Any) -> None:
    await asyncio.get_running_loop().create_future()


async def reading_late(given: Any, receive: Any, send: Any) -> None:
    """Reads its body only after the time for the body is over, as an application that still loads does."""
    await asyncio.sleep(0.1)
    await Response(await Request(given, receive).body())(given, receive, send)


@pytest.mark.parametrize(
    ("stall", "request_seconds", "expected"),
    [
        pytest.param(False, 30.0, 200, id="a body that arrived in time"),
        pytest.param(True, 30.0, 408, id="a body that stalls"),
        pytest.param(True, 0.15, 503, id="no time left for the body"),
    ],
)
def test_the_time_for_a_body_that_is_read_late(stall: bool, request_seconds: float, expected: int) -> None:
    app = behind(reading_late, body_seconds=0.06, request_seconds=request_seconds)
    assert status(run(ask(app, scope(), b"{", b"}", stall=stall))) == expected


def test_a_body_that_is_read_late_does_not_prolong_the_request() -> None:
    left: list[float] = []

    async def reading(given: Any, receive: Any, send: Any) -> None:
        active = receive.__self__
        await asyncio.sleep(0.1)
        left.append(active.deadline - active.timer.when())
        await receive()
        left.append(active.deadline - active.timer.when())
        await asyncio.sleep(0.1)
        left.append(active.deadline - active.timer.when())
        await Response()(given, receive, send)

    run(ask(behind(reading, body_seconds=0.06, request_seconds=30.0), scope(), b"{}"))
    before, while_reading, after = left
    assert before == after == 0
    assert while_reading > 0


def test_an_answer_that_has_begun_may_read_late() -> None:
    async def streaming(given: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()
        with suppress(TimeoutError):
            await asyncio.wait_for(receive(), 0.15)
        await send({"type": "http.response.body", "body": b"late"})

    told = run(ask(behind(streaming, body_seconds=0.06, request_seconds=30.0), scope(), b"{", stall=True))
    assert (status(told), told[1]["body"]) == (200, b"late")


def test_an_answer_that_does_not_begin_in_time_is_refused() -> None:
    told = run(ask(behind(never), scope()))
    assert status(told) == 503
    assert (b"retry-after", b"5") in told[0]["headers"]
    assert b"/problems/timed-out" in told[1]["body"]


def test_an_answer_that_has_begun_may_go_on() -> None:
    async def streaming(given: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(3600)
        await send({"type": "http.response.body", "body": b"late"})

    told = run(ask(behind(streaming), scope()))
    assert (status(told), told[1]["body"]) == (200, b"late")


def test_waiting_for_the_disconnect_is_not_waiting_for_a_body() -> None:
    async def listening(given: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.wait_for(receive(), 3600)

    with pytest.raises(TimeoutError):
        run(ask(behind(listening), scope(), b"{}"))


def test_a_request_cancelled_from_outside_stays_cancelled() -> None:
    async def stop() -> None:
        task = asyncio.create_task(ask(behind(never), scope()))
        await asyncio.sleep(1)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        run(stop())


def test_a_request_cancelled_from_outside_as_well_stays_cancelled() -> None:
    async def twice(given: Any, receive: Any, send: Any) -> None:
        try:
            await never(given, receive, send)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            raise

    with pytest.raises(asyncio.CancelledError):
        run(ask(behind(twice), scope()))


@pytest.mark.parametrize("begun", [False, True])
def test_a_request_cut_off_by_a_service_that_stops_is_refused_unless_its_answer_has_begun(begun: bool) -> None:
    services = Services(Settings())
    services.draining = True

    async def working(given: Any, receive: Any, send: Any) -> None:
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await never(given, receive, send)

    async def stop() -> list[Message]:
        task = asyncio.create_task(ask(RequestMiddleware(working, services), scope()))
        await asyncio.sleep(1)
        task.cancel()
        return await task

    sent = run(stop())
    assert status(sent) == (200 if begun else 503)
    assert len(sent) == (1 if begun else 2)


def test_one_request_too_many_is_refused_and_health_is_told() -> None:
    settings = Settings(max_requests=1)
    services = Services(settings)
    app = create_app(services=services)
    with TestClient(app) as client:
        services.running = 1
        answer = client.post("/resolve/jazz/check", json=CHECK)
        problem(answer, 503, "busy")
        assert answer.headers["retry-after"] == "1"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert client.get("/livez").status_code == 200
        problem(client.get("/readyz"), 503, "busy")
        services.running = 0
        assert client.post("/resolve/jazz/check", json=CHECK).status_code == 200


def test_what_is_no_request_passes() -> None:
    async def socket(given: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.close"})

    assert asyncio.run(ask(behind(socket), {"type": "websocket", "path": "/", "headers": []})) == [{"type": "websocket.close"}]


# ── Bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def narrow() -> Starlette:
    return create_app(Settings(max_body_bytes=1024))


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check", "/odds", "/graphql", "/verify"])
def test_a_body_is_counted_as_it_arrives(narrow: Starlette, path: str) -> None:
    told = asyncio.run(ask(narrow, scope(path), *[b"[" * 100] * 11, stall=True))
    assert status(told) == 413
    assert (b"connection", b"close") in told[0]["headers"]


@pytest.mark.parametrize("length", ["1025", "9" * 18, "9" * 30, "9" * 5000])
@pytest.mark.parametrize("path", ["/resolve", "/graphql"])
def test_a_body_that_says_it_is_too_large_is_not_even_read(narrow: Starlette, path: str, length: str) -> None:
    told = asyncio.run(ask(narrow, scope(path, content_length=length), stall=True))
    assert status(told) == 413


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "²"])
def test_a_length_that_is_none_is_not_believed(narrow: Starlette, length: str) -> None:
    told = asyncio.run(ask(narrow, scope(content_length=length), b'{"actor": {"bonus": 3}, "difficulty": 10}'))
    assert status(told) == 200


@pytest.mark.parametrize("path", ["/resolve", "/graphql", "/odds/jazz/check", "/verify"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_a_document_is_only_so_deep(client: TestClient, path: str, opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"1}"
    depth = MAX_NESTING + 1
    body = opening * depth + (closing * depth if closing == b"]" else b"1" + b"}" * depth)
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert f"at most {MAX_NESTING} lists and objects deep" in answer.text


@pytest.mark.parametrize("path", ["/resolve", "/graphql", "/odds/jazz/check", "/verify", "/batch"])
@pytest.mark.parametrize("within", [lambda names: names, lambda names: {"actor": [names]}])
def test_an_object_has_only_so_many_names(client: TestClient, path: str, within: Callable[[Any], Any]) -> None:
    enough, more = (client.post(path, json=within({f"n{index}": 1 for index in range(MAX_NAMES + more)})) for more in (0, 1))
    assert "names" not in enough.text
    assert more.status_code == 422
    assert f"an object has at most {MAX_NAMES} names" in more.text


@pytest.mark.parametrize("text", ["[" * 200, "{" * 200, "[" * 64])
def test_brackets_in_a_text_are_not_depth(client: TestClient, text: str) -> None:
    answer = client.post("/resolve/jazz/check", json={**CHECK, "stakes": text, "seed": text})
    assert f"at most {MAX_NESTING}" not in answer.text


def test_a_caller_who_goes_away_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    asyncio.run(create_app(Settings())(scope(), gone, send))
    assert told == []
    assert caplog.records == []


def test_what_a_layer_refuses_after_the_answer_began_is_not_answered_twice() -> None:
    async def begun(given: Any, receive: Any, send: Any) -> None:
        await Response("so far")(given, receive, send)
        raise ClientDisconnect

    assert status(asyncio.run(ask(behind(begun), scope()))) == 200


def test_an_unexpected_failure_is_told_to_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(given: Any, receive: Any, send: Any) -> None:
        await Request(given, receive).body()
        raise RuntimeError("a secret")

    told = asyncio.run(ask(behind(failing), scope(), b"{}"))
    assert status(told) == 500
    assert b"secret" not in told[1]["body"]
    assert [record.exc_info is not None for record in caplog.records] == [True]
