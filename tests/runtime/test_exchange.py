"""A request and its response: which bytes are written, and what the application receives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablecall.runtime import exchange
from tablecall.runtime.exchange import MAX_HELD_SECONDS, MAX_JOINED, MAX_UNREAD_BODY, Outbox
from tests.support.wire import Wire, connect, exchanged, settle

GET = b"GET / HTTP/1.1\r\nhost: h\r\n\r\n"
GET_CLOSE = GET.replace(b"host", b"connection: close\r\nhost")
HEAD = GET.replace(b"GET", b"HEAD")
OLD = b"GET / HTTP/1.0\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\nbody"
EXPECT = b"POST / HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n"

Message = dict[str, Any]


def start(status: int = 200, **headers: str) -> Message:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http.response.start", "status": status, "headers": pairs}


def body(part: bytes = b"", more: bool = False) -> Message:
    return {"type": "http.response.body", "body": part, "more_body": more}


def sends(*messages: Message) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message.copy())

    return app


OK = b"HTTP/1.1 200 OK\r\ndate: today\r\n"
WHOLE = [start(content_length="3"), body(b"abc")]
PARTS = [start(), body(b"abc", True), body(b"", True), body(b"de", True), body()]

WRITTEN: dict[str, tuple[bytes, list[Message], bytes]] = {
    "a body of known length": (GET, WHOLE, OK + b"content-length: 3\r\n\r\nabc"),
    "a whole body whose length was not said": (GET, [start(), body(b"abc")], OK + b"content-length: 3\r\n\r\nabc"),
    "a body in parts": (GET, PARTS, OK + b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
    "a body in parts of known length": (GET, [start(content_length="5"), *PARTS[1:]], OK + b"content-length: 5\r\n\r\nabcde"),
    "HTTP/1.0": (OLD, WHOLE, OK + b"content-length: 3\r\nconnection: close\r\n\r\nabc"),
    "HTTP/1.0, a body in parts": (OLD, PARTS, OK + b"connection: close\r\n\r\nabcde"),
    "HEAD": (HEAD, WHOLE, OK + b"content-length: 3\r\n\r\n"),
    "HEAD, a body in parts": (HEAD, PARTS, OK + b"\r\n"),
    "no content": (GET, [start(204), body()], b"HTTP/1.1 204 No Content\r\ndate: today\r\n\r\n"),
    "not modified": (GET, [start(304, etag="x"), body()], b"HTTP/1.1 304 Not Modified\r\ndate: today\r\netag: x\r\n\r\n"),
    "the client closes": (GET_CLOSE, WHOLE, OK + b"content-length: 3\r\nconnection: close\r\n\r\nabc"),
    "the application closes": (
        GET,
        [start(content_length="3", connection="close"), body(b"abc")],
        OK + b"content-length: 3\r\nconnection: close\r\n\r\nabc",
    ),
    "other headers": (
        GET,
        [start(x_request_id="1", vary="Accept"), body()],
        OK + b"x-request-id: 1\r\nvary: Accept\r\ncontent-length: 0\r\n\r\n",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_bytes_of_a_response(name: str) -> None:
    request, messages, expected = WRITTEN[name]
    wire = exchanged(sends(*messages), request)
    assert wire.written == expected
    closes = b"connection: close" in expected
    assert ("eof" in wire.events) == closes


def test_responses_have_the_order_of_the_requests() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        await send(body(scope["raw_path"]))

    wire = exchanged(app, b"".join(GET.replace(b"/ ", b"/%d " % number) for number in range(5)))
    assert [part[-2:] for part in wire.writes] == [b"/%d" % number for number in range(5)]


@pytest.mark.parametrize(("size", "writes"), [(MAX_JOINED, 1), (MAX_JOINED + 1, 2)])
def test_long_body_is_not_copied(size: int, writes: int) -> None:
    wire = exchanged(sends(start(), body(b"x" * size)), GET)
    assert len(wire.writes) == writes
    assert wire.written.endswith(b"x" * size)


# ── Applications that fail ───────────────────────────────────────────────────────────────────────────────────────────

FAILED = b"HTTP/1.1 internal\r\n\r\nrefused"
WRONG: dict[str, tuple[list[Message], bytes]] = {
    "nothing": ([], FAILED),
    "no body": ([start()], FAILED),
    "no head": ([body(b"abc")], FAILED),
    "two heads": ([start(), start()], FAILED),
    "a value with a line break": ([{**start(), "headers": [(b"x-a", b"1\r\nx-b: 2")]}, body()], FAILED),
    "an upper-case name": ([{**start(), "headers": [(b"X-A", b"1")]}, body()], FAILED),
    "a transfer coding": ([start(transfer_encoding="chunked"), body()], FAILED),
    "a body longer than said": ([start(content_length="2"), body(b"abc")], FAILED),
    "a body shorter than said": ([start(content_length="4"), body(b"abc")], FAILED),
    "a part longer than said": ([start(content_length="2"), body(b"a", True), body(b"bc")], OK + b"content-length: 2\r\n\r\na"),
    "no end": ([start(), body(b"abc", True)], OK + b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_application_that_breaks_the_protocol(name: str, caplog: pytest.LogCaptureFixture) -> None:
    messages, expected = WRONG[name]
    wire = exchanged(sends(*messages), GET + GET)
    assert wire.written == expected
    assert wire.events[-1] == "eof"
    assert len(caplog.records) == 1


def test_failure_of_head_has_no_body() -> None:
    assert exchanged(sends(), HEAD).written == b"HTTP/1.1 internal\r\n\r\n"


def test_error_after_a_complete_response_affects_no_request(caplog: pytest.LogCaptureFixture) -> None:
    wire = exchanged(sends(*WHOLE, *WHOLE), GET, GET)
    assert wire.written.count(b"abc") == 2
    assert "eof" not in wire.events
    assert len(caplog.records) == 2


def test_cancelled_request_ends_its_connection(caplog: pytest.LogCaptureFixture) -> None:
    async def waits(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    async def run() -> Wire:
        connection, wire = connect(waits)
        connection.data_received(GET)
        await settle()
        (task,) = connection.server_state.tasks
        task.cancel()
        await settle()
        assert task.cancelled()
        return wire

    wire = asyncio.run(run())
    assert wire.written == FAILED
    assert wire.events == ["eof"]


# ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────────


def receives(seen: list[Message], times: int) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(times):
            seen.append(await receive())
        await send(start())
        await send(body())
        seen.append(await receive())

    return app


def test_body_is_received_as_it_arrives() -> None:
    seen: list[Message] = []
    exchanged(receives(seen, 3), POST[:-4], POST[-4:-1], POST[-1:])
    assert seen == [
        {"type": "http.request", "body": b"bod", "more_body": True},
        {"type": "http.request", "body": b"y", "more_body": False},
        {"type": "http.disconnect"},
        {"type": "http.disconnect"},
    ]


def test_parts_that_arrived_before_are_received_together() -> None:
    seen: list[Message] = []
    exchanged(receives(seen, 1), POST)
    assert seen == [{"type": "http.request", "body": b"body", "more_body": False}, {"type": "http.disconnect"}]
    seen.clear()
    exchanged(receives(seen, 1), GET)
    assert seen[0] == {"type": "http.request", "body": b"", "more_body": False}


def test_reading_pauses_while_the_application_does_not_receive() -> None:
    goes_on = asyncio.Event()
    sizes: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await goes_on.wait()
        sizes.append(len((await receive())["body"]))
        await send(start())
        await send(body())

    async def run() -> None:
        connection, wire = connect(app)
        connection.data_received(POST.replace(b": 4", b": 1000000")[:-4])
        connection.data_received(b"x" * MAX_UNREAD_BODY)
        await settle()
        assert wire.events == []
        connection.data_received(b"x")
        connection.data_received(b"x")
        assert wire.events == ["pause"]
        goes_on.set()
        await settle()
        assert wire.events == ["pause", "resume"]
        assert sizes == [MAX_UNREAD_BODY + 2]
        connection.data_received(b"x" * (MAX_UNREAD_BODY + 1))  # of a request that is answered already
        assert wire.events == ["pause", "resume"]

    asyncio.run(run())


CONTINUES: dict[str, tuple[int, list[bytes], bytes]] = {
    "the body is awaited": (1, [EXPECT, b"body"], b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"content-length: 0\r\n\r\n"),
    "the body is there": (1, [EXPECT + b"body"], OK + b"content-length: 0\r\n\r\n"),
    "the body is not wanted": (0, [EXPECT], OK + b"content-length: 0\r\nconnection: close\r\n\r\n"),
    "the body is not wanted but there": (0, [EXPECT + b"body"], OK + b"content-length: 0\r\n\r\n"),
}


@pytest.mark.parametrize("name", CONTINUES)
def test_client_that_expects_100_continue(name: str) -> None:
    times, parts, expected = CONTINUES[name]
    assert exchanged(receives([], times), *parts).written == expected


# ── The end of a turn of the loop ────────────────────────────────────────────────────────────────────────────────────


def test_responses_of_a_turn_of_the_loop_are_written_at_its_end() -> None:
    async def turn() -> None:
        outbox, one, other, gone = Outbox(), Wire(), Wire(), Wire()
        for wire, data in ((one, b"1"), (gone, b"0"), (other, b"2"), (one, b"3")):
            outbox.put(wire, data)
        gone.closing = True
        assert (one.writes, other.writes) == ([], [])
        await asyncio.sleep(0)
        assert (one.writes, other.writes, gone.writes) == ([b"1", b"3"], [b"2"], [])
        outbox.put(one, b"4")
        await asyncio.sleep(0)
        assert one.writes == [b"1", b"3", b"4"]

    asyncio.run(turn())


def test_no_response_waits_for_the_end_of_a_long_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, MAX_HELD_SECONDS / 2, MAX_HELD_SECONDS * 1.5, MAX_HELD_SECONDS * 1.6])
    monkeypatch.setattr(exchange, "perf_counter", lambda: next(times))

    async def turn() -> None:
        outbox, wire = Outbox(), Wire()
        outbox.put(wire, b"1")
        outbox.put(wire, b"2")
        assert wire.writes == []
        outbox.put(wire, b"3")
        assert wire.writes == [b"1", b"2", b"3"]
        outbox.put(wire, b"4")
        assert wire.writes == [b"1", b"2", b"3"]
        await asyncio.sleep(0)
        assert wire.writes == [b"1", b"2", b"3", b"4"]

    asyncio.run(turn())
