"""Answers that go to the system at once, and those that cannot; what goes over the wire is what uvicorn would send."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from tablecall.runtime import writing
from tablecall.runtime.writing import _MOST, HELD, Answer, Outbox


class Wire(asyncio.Transport):
    """A transport that notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> None:
        self.written.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Plain(HttpToolsProtocol):
    """Uvicorn as it is."""


class Quick(HttpToolsProtocol):
    """Uvicorn with whole answers written at once."""

    outbox = Outbox()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        super()._start_asgi_task(cycle, Answer(app, cycle, self.outbox))  # type: ignore[arg-type]


ASKED = b"%b / HTTP/1.1\r\nhost: here\r\n%b\r\n"


async def exchanged(kind: type[HttpToolsProtocol], app: ASGIApp, asked: bytes, paused: bool = False) -> tuple[list[bytes], bool, int]:
    """What is written in answer to some bytes, whether the connection is closed then, and how many requests were answered."""
    config = Config(app, log_config=None, access_log=False, date_header=False, lifespan="off")
    config.load()
    state = ServerState()
    state.default_headers = [(b"date", b"today")]
    protocol = kind(config, state, {})
    wire = Wire()
    protocol.connection_made(wire)
    if paused:
        protocol.pause_writing()
    protocol.data_received(asked)
    if paused:
        await asyncio.sleep(0.01)
        protocol.resume_writing()
    while state.tasks:
        await asyncio.gather(*state.tasks, return_exceptions=True)
    await asyncio.sleep(0)
    protocol.connection_lost(None)
    return wire.written, wire.closed, state.total_requests


def both(app: ASGIApp, asked: bytes, **how: Any) -> tuple[list[bytes], list[bytes]]:
    """What uvicorn writes by itself, and what is written here: the same bytes."""
    plain, *rest = asyncio.run(exchanged(Plain, app, asked, **how))
    quick, *others = asyncio.run(exchanged(Quick, app, asked, **how))
    assert b"".join(quick) == b"".join(plain)
    assert others == rest
    return plain, quick


async def whole(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("all of it", media_type="text/plain", headers={"X-Request-ID": "one", "Vary": "Accept"})(scope, receive, send)


async def twice(scope: Scope, receive: Receive, send: Send) -> None:
    answer = Response("all of it")
    answer.raw_headers += [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"), (b"X-Case", b"kept \xe9")]
    await answer(scope, receive, send)


async def closing(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("the last: all of it", headers={"connection": "close"})(scope, receive, send)


async def staying(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("all of it", headers={"connection": "keep-alive"})(scope, receive, send)


async def closing_wrongly(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
    await send({"type": "http.response.body", "body": b"how long?"})


async def chunked(scope: Scope, receive: Receive, send: Send) -> None:
    async def parts() -> Any:
        yield "one"
        yield "two"

    await StreamingResponse(parts())(scope, receive, send)


async def unmeasured(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"how long?"})


async def empty(scope: Scope, receive: Receive, send: Send) -> None:
    await Response(status_code=204)(scope, receive, send)


async def unchanged(scope: Scope, receive: Receive, send: Send) -> None:
    await Response(status_code=304, headers={"content-length": "0"})(scope, receive, send)


async def reading(scope: Scope, receive: Receive, send: Send) -> None:
    await Response(await Request(scope, receive).body())(scope, receive, send)


async def too_long(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3")]})
    await send({"type": "http.response.body", "body": b"four"})


async def no_head(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.body", "body": b"?"})


async def two_heads(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def once_more(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("once")(scope, receive, send)
    await PlainTextResponse("more")(scope, receive, send)


async def split(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("x", headers={"x-mine": "a\r\nb: c"})(scope, receive, send)


async def misnamed(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("x", headers={"x mine": "a"})(scope, receive, send)


@pytest.mark.parametrize("app", [whole, twice, closing])
@pytest.mark.parametrize("more", [b"", b"connection: close\r\n"])
def test_a_whole_answer_is_written_at_once(app: ASGIApp, more: bytes) -> None:
    _, quick = both(app, ASKED % (b"GET", more))
    assert len(quick) == 1
    assert quick[0].endswith(b"all of it")
    assert quick[0].count(b"connection: close") == (1 if more or app is closing else 0)


@pytest.mark.parametrize("app", [staying, closing_wrongly, chunked, unmeasured, empty, unchanged])
def test_any_other_is_what_uvicorn_makes_of_it(app: ASGIApp) -> None:
    plain, quick = both(app, ASKED % (b"GET", b""))
    assert quick == plain


@pytest.mark.parametrize("app", [too_long, no_head, two_heads, once_more])
def test_an_application_that_is_wrong_is_wrong_in_the_same_way(app: ASGIApp) -> None:
    both(app, ASKED % (b"GET", b""))


@pytest.mark.parametrize("app", [split, misnamed])
def test_a_header_that_would_be_another_is_not_sent(app: ASGIApp) -> None:
    written, closed, _ = asyncio.run(exchanged(Quick, app, ASKED % (b"GET", b"")))
    assert b"".join(written).startswith(b"HTTP/1.1 500 ")
    assert b"b: c" not in b"".join(written)
    assert closed


def test_an_answer_to_a_head_has_no_body() -> None:
    _, quick = both(whole, ASKED % (b"HEAD", b""))
    assert b"all of it" not in b"".join(quick)


def test_a_caller_who_asks_first_whether_to_go_on_is_told_so() -> None:
    asked = ASKED % (b"POST", b"expect: 100-continue\r\ncontent-length: 4\r\n")
    _, quick = both(reading, asked + b"body")
    assert quick[0] == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert both(whole, asked)[1] == both(whole, asked)[1]


def test_several_that_were_asked_at_once_are_answered_in_turn() -> None:
    _, quick = both(whole, ASKED % (b"GET", b"") * 3)
    assert [part[-9:] for part in quick] == [b"all of it"] * 3


def test_whoever_does_not_read_is_waited_for() -> None:
    _, quick = both(whole, ASKED % (b"GET", b""), paused=True)
    assert b"".join(quick).endswith(b"all of it")


@pytest.mark.parametrize(("size", "writes"), [(_MOST, 1), (_MOST + 1, 2)])
def test_a_long_body_goes_as_it_is_and_not_as_a_copy_for_each_caller(size: int, writes: int) -> None:
    app = Response(b"x" * size)
    written, _, _ = asyncio.run(exchanged(Quick, app, ASKED % (b"GET", b"")))
    assert len(written) == writes
    assert written[-1].endswith(b"x" * size)


# ── What waits for the end of a turn ─────────────────────────────────────────────────────────────────────────────────


async def failing_afterwards(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("all of it")(scope, receive, send)
    raise RuntimeError


def test_an_answer_is_out_before_the_connection_of_a_failed_one_is_closed() -> None:
    _, quick = both(failing_afterwards, ASKED % (b"GET", b""))
    assert b"".join(quick).endswith(b"all of it")


def test_the_answers_of_a_turn_go_out_together_at_its_end_in_their_order() -> None:
    async def turn() -> None:
        outbox, one, other = Outbox(), Wire(), Wire()
        for wire, data in ((one, b"1"), (other, b"2"), (one, b"3")):
            outbox.put(wire, data)
        assert (one.written, other.written) == ([], [])
        await asyncio.sleep(0)
        assert (one.written, other.written) == ([b"1", b"3"], [b"2"])
        outbox.put(one, b"4")
        await asyncio.sleep(0)
        assert one.written == [b"1", b"3", b"4"]

    asyncio.run(turn())


def test_none_waits_for_long_however_long_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, HELD / 2, HELD * 1.5, HELD * 1.6])
    monkeypatch.setattr(writing, "perf_counter", lambda: next(times))

    async def turn() -> None:
        outbox, wire = Outbox(), Wire()
        outbox.put(wire, b"1")
        outbox.put(wire, b"2")
        assert wire.written == []
        outbox.put(wire, b"3")
        assert wire.written == [b"1", b"2", b"3"]
        outbox.put(wire, b"4")
        assert wire.written == [b"1", b"2", b"3"]
        await asyncio.sleep(0)
        assert wire.written == [b"1", b"2", b"3", b"4"]

    asyncio.run(turn())


def test_whoever_has_gone_is_sent_nothing() -> None:
    async def turn() -> None:
        outbox, wire, gone = Outbox(), Wire(), Wire()
        outbox.put(gone, b"1")
        outbox.put(wire, b"2")
        gone.closed = True
        await asyncio.sleep(0)
        assert (gone.written, wire.written) == ([], [b"2"])

    asyncio.run(turn())
