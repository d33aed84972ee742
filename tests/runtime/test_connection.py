"""One connection: what it bounds before a request is one, and how it ends. On real sockets."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from uvicorn.protocols.http.flow_control import FlowControl

from tablecall.runtime import connection
from tablecall.runtime.connection import MAX_WAITING
from tablecall.runtime.server import server
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.server import HEAD, LINE, LIVE, WHOLE, Running, endless, over_http, read, running, wait_for


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    """A server that is short of patience and room."""
    short = {"max_header_bytes": 2048, "max_url_bytes": 512, "header_seconds": 0.2, "body_seconds": 0.2, "write_seconds": 0.2}
    with running(**short) as found:
        yield found


def problem(answered: bytes, status: int, code: str) -> None:
    head, _, body = answered.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), head
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert b"access-control-allow-origin: *" in head.lower()
    assert b"server:" not in head
    assert orjson.loads(body)["type"] == f"/problems/{code}"


LONG = b"x" * 600
REFUSED = {
    "no request at all": ((b"hello\r\n\r\n",), 400, "bad-request"),
    "a path that is no text": ((b"GET /\xff HTTP/1.1\r\nHost: here\r\n\r\n",), 400, "bad-request"),
    "a path too long": ((b"GET /" + LONG + b" HTTP/1.1\r\n\r\n",), 414, "url-too-long"),
    "a path too long, in pieces": ((b"GET /" + LONG[:300], LONG[:300], b" HTTP/1.1\r\n\r\n"), 414, "url-too-long"),
    "headers too large": (
        (b"GET / HTTP/1.1\r\n" + b"".join(b"A%d: %s\r\n" % (i, LONG) for i in range(5)) + b"\r\n",),
        431,
        "headers-too-large",
    ),
    "a header too large that never ends": ((b"GET / HTTP/1.1\r\nA: ", *[LONG] * 5), 431, "headers-too-large"),
    "a head that never ends": ((b"GET / HTT",), 408, "too-slow"),
    "a body that never ends": ((HEAD + b"Content-Length: 100\r\n\r\n{",), 408, "too-slow"),
    "a body of no known length that never ends": ((HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",), 408, "too-slow"),
    "a body in broken chunks": ((HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",), 400, "bad-request"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_proper_request_is_refused_as_everything_is(here: Running, name: str) -> None:
    parts, status, code = REFUSED[name]
    problem(here.send(*parts), status, code)


@pytest.mark.parametrize("parts", [(), (b"\r\n",), (b"\r\n", b"\r\n\r\n")])
def test_a_connection_nothing_comes_from_is_closed(here: Running, parts: tuple[bytes, ...]) -> None:
    assert here.send(*parts) == b""


def test_a_second_request_may_not_dawdle_either(here: Running) -> None:
    with here.connect() as caller:
        caller.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n")
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        caller.sendall(b"\r\n")
        assert read(caller) == b""
    with here.connect() as caller:
        caller.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n")
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        caller.sendall(b"GET /li")
        problem(read(caller), 408, "too-slow")


def test_two_requests_at_once_are_answered_in_turn(here: Running) -> None:
    with here.connect() as caller:
        caller.sendall(WHOLE + WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: close"))
        assert read(caller).count(b"HTTP/1.1 200 OK") == 2


def half_closed(here: Running, *parts: bytes) -> bytes:
    """What is answered to a caller who says at once that there will be no more, as ``nc -N`` does."""
    with here.connect() as caller:
        caller.sendall(b"".join(parts))
        caller.shutdown(socket.SHUT_WR)
        return read(caller)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_caller_who_sends_nothing_more_is_answered_all_that_was_asked(here: Running, number: int) -> None:
    for _ in range(20):
        assert half_closed(here, WHOLE * number).count(b"HTTP/1.1 200 OK") == number


def test_a_caller_who_sends_nothing_more_is_answered_what_was_whole(here: Running) -> None:
    for rest, number in ((b"GET /li", 2), (WHOLE[:-3], 2), (b"", 2)):
        assert half_closed(here, WHOLE, WHOLE, rest).count(b"HTTP/1.1 200 OK") == number
    for rest in (b"", b"GET /li", WHOLE[:-3]):
        assert half_closed(here, rest) == b""


def test_a_caller_who_sends_nothing_more_reads_a_long_answer_to_its_end() -> None:
    with running(endless) as found:
        assert half_closed(found, b"GET / HTTP/1.1\r\nHost: here\r\n\r\n").count(b"x") >= 16_000_000


def test_a_caller_who_sends_nothing_more_may_read_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STILL_THERE", 0.02)
    with running(endless) as found, found.connect() as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n" * 2)
        caller.shutdown(socket.SHUT_WR)
        answered = b""
        while part := caller.recv(1_000_000):
            answered += part
            time.sleep(0.01)
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    assert answered.count(b"x") >= 32_000_000


def test_a_caller_who_sends_nothing_more_is_told_what_was_refused_too() -> None:
    @over_http
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    with running(slow) as found:
        answered = half_closed(found, LIVE * 2, b"hello\r\n\r\n")
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    problem(last(answered), 400, "bad-request")


def test_a_caller_who_left_is_not_worked_for_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []

    @over_http
    async def thinking(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        gone.append((await receive())["type"])

    monkeypatch.setattr(connection, "STILL_THERE", 0.2)
    with running(thinking) as found:
        with found.connect() as caller:
            caller.sendall(WHOLE)
        wait_for(lambda: gone)
        assert half_closed(found, WHOLE) == b""
    assert gone == ["http.disconnect"] * 2


def test_more_requests_at_once_than_may_wait_are_too_many(here: Running) -> None:
    for number in (2, 200):
        answered = here.send(LIVE * (MAX_WAITING + number))
        assert answered.count(b"HTTP/1.1 200") == MAX_WAITING + 1
        problem(last(answered), 503, "busy")


@pytest.mark.parametrize("rest", [b"hello\r\n\r\n", b"GET /li", HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"])
def test_what_was_asked_before_something_that_is_refused_is_answered_first(here: Running, rest: bytes) -> None:
    answered = here.send(WHOLE * 3 + rest)
    assert answered.count(b"HTTP/1.1 200 OK") == 3
    assert answered.count(b"HTTP/1.1 4") == 1
    assert last(answered).startswith(b"HTTP/1.1 4")
    closing = WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: close")
    assert here.send(closing + rest).count(b"HTTP/1.1") == 1


def last(answered: bytes) -> bytes:
    return answered[answered.rindex(b"HTTP/1.1 ") :]


@pytest.mark.parametrize("rest", [LIVE * 70, LIVE + b"hello\r\n\r\n", WHOLE + b"\0\1\r\n\r\n"])
def test_a_refusal_waits_for_an_answer_that_has_begun(here: Running, rest: bytes) -> None:
    with here.connect() as caller:
        caller.sendall(b"POST /batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        caller.sendall(b"%x\r\n%b\r\n" % (len(LINE), LINE))
        begun = caller.recv(65536)
        caller.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(LINE) * 9, LINE * 9) + rest)
        answered = begun + read(caller)
    lines, _, others = answered.partition(b"0\r\n\r\n")
    assert lines.count(b'{"ruling"') == 10
    assert others.startswith(b"HTTP/1.1 200 OK")
    assert last(others).startswith((b"HTTP/1.1 400", b"HTTP/1.1 503"))


def test_a_refused_request_that_asked_whether_to_go_on_is_not_told_to(here: Running) -> None:
    problem(here.send(HEAD + b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), 400, "bad-request")
    assert 'status="500"' not in here.metrics()


def test_the_last_answer_arrives_whatever_else_is_sent(here: Running) -> None:
    large = b"GET /openapi.json HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
    whole = len(here.send(large + b"\r\n"))
    assert whole > 1_000_000
    assert len(here.send(large + b"\r\n" + LIVE * 10_000)) == whole
    assert len(here.send(large + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)) == whole
    assert here.send(LIVE.replace(b"Host", b"Connection: close\r\nHost") + LIVE * 5_000).count(b"HTTP/1.1 200") == 1


def test_a_caller_who_is_cut_off_with_requests_waiting_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    gone: list[bool] = []

    @over_http
    async def long(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8000000")]})
        await send({"type": "http.response.body", "body": b"x" * 8_000_000})
        gone.append((await receive())["type"] == "http.disconnect")

    with running(long, write_seconds=0.2) as found, found.connect() as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n" * 4)
        wait_for(lambda: found.server.server_state.connections)
        wait_for(lambda: not found.server.server_state.connections)
        wait_for(lambda: len(gone) == 2)
    assert gone == [True, True]
    assert not [record for record in caplog.records if record.exc_info]


def test_a_request_in_pieces_is_put_together(here: Running) -> None:
    with here.connect() as caller:
        for part in (WHOLE[:10], WHOLE[10:90], WHOLE[90:-5], WHOLE[-5:]):
            caller.sendall(part)
            time.sleep(0.01)
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")


def test_an_upload_given_up_harms_nobody(here: Running) -> None:
    for _ in range(5):
        with here.connect() as caller:
            caller.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    wait_for(lambda: 'status="499"' in here.metrics())


@pytest.mark.parametrize("more", [b"", b"x" * 3_000_000])
def test_a_refusal_reaches_whoever_is_still_sending(here: Running, more: bytes) -> None:
    # Closed while something unread is there, a connection is reset, and what was written to it is lost.
    for _ in range(20):
        problem(here.send(b"hello\r\n\r\n" + b"x" * 100_000, more), 400, "bad-request")
        large = HEAD + b"Connection: close\r\nContent-Length: 4000000\r\n\r\n"
        problem(here.send(large + b"x" * 100_000, more), 413, "too-large")


def goes_on(caller: socket.socket) -> None:
    for _ in range(3):
        caller.sendall(b"x")
        time.sleep(0.05)


def test_whoever_goes_on_sending_after_a_refusal_is_not_heard_for_ever(here: Running) -> None:
    with here.connect() as caller:
        caller.sendall(b"hello\r\n\r\n")
        problem(read(caller), 400, "bad-request")
        wait_for(lambda: not here.server.server_state.connections)
        with pytest.raises(ConnectionError):
            goes_on(caller)


def test_refusals_before_a_request_are_counted(here: Running) -> None:
    here.send(b"hello\r\n\r\n")
    assert 'tablecall_refusals_total{code="bad-request"}' in here.metrics()


def test_a_caller_who_does_not_read_is_cut_off() -> None:
    with running(endless, write_seconds=0.3) as found, found.connect() as caller:
        wait_for(lambda: found.server.server_state.connections)
        caller.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        wait_for(lambda: not found.server.server_state.connections)


class Unread:
    """A transport that has so many bytes left to send each time it is asked."""

    def __init__(self, *left: int) -> None:
        self.left = list(left)
        self.closed = False
        self.aborted = asyncio.Event()

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def get_write_buffer_size(self) -> int:
        return self.left.pop(0)

    def abort(self) -> None:
        self.aborted.set()


def test_a_caller_who_reads_slowly_is_not_until_nothing_more_is_read() -> None:
    async def wait() -> list[int]:
        transport: Any = Unread(9, 9, 5, 5, 4, 4, 4, 3)
        protocol = writing_to(transport)
        protocol.pause_writing()
        protocol.resume_writing()
        assert protocol.write_timer is None
        protocol.pause_writing()
        await transport.aborted.wait()
        left: list[int] = transport.left
        return left

    assert asyncio.run(wait()) == [3]


def writing_to(transport: Any) -> Any:
    """A protocol on that transport, which waits a millisecond for whoever does not read."""
    settings = Settings(write_seconds=0.001)
    served = server(endless, settings, Services(settings))
    served.config.load()
    protocol: Any = served.config.http_protocol_class(config=served.config, server_state=served.server_state, app_state={})  # type: ignore[call-arg]
    protocol.transport, protocol.flow = transport, FlowControl(transport)
    return protocol


def test_a_connection_is_not_kept_open_by_what_its_caller_never_reads() -> None:
    async def idle() -> None:
        transport: Any = Unread(9, 9, 9)
        protocol = writing_to(transport)
        protocol.timeout_keep_alive_handler()
        assert transport.closed
        protocol.resume_writing()  # some of it was read, and then no more
        await transport.aborted.wait()

    asyncio.run(idle())


def test_a_connection_whose_last_answer_is_read_needs_no_patience() -> None:
    async def idle() -> None:
        protocol = writing_to(Unread(0))
        protocol.timeout_keep_alive_handler()
        assert protocol.write_timer is None

    asyncio.run(idle())


def test_one_connection_too_many_is_told_so() -> None:
    with running(max_connections=1) as found, found.connect() as first:
        wait_for(lambda: found.server.server_state.connections)
        problem(found.send(), 503, "busy")
        first.sendall(WHOLE)
        assert first.recv(65536).startswith(b"HTTP/1.1 200")


def test_whoever_was_told_that_it_is_one_too_many_takes_no_place() -> None:
    with running(max_connections=1) as found, found.connect() as first, found.connect() as second, found.connect() as third:
        first.sendall(LIVE)
        assert first.recv(65536).startswith(b"HTTP/1.1 200")
        for refused in (second, third):
            problem(read(refused), 503, "busy")
        first.close()
        wait_for(lambda: len(found.server.server_state.connections) < 2)
        with found.connect() as next_one:
            next_one.sendall(LIVE)
            assert next_one.recv(65536).startswith(b"HTTP/1.1 200")


def test_where_only_some_origins_may_call_a_problem_is_not_open_to_all() -> None:
    with running(cors_origins=["https://table.example"]) as found:
        assert b"access-control-allow-origin" not in found.send(b"hello\r\n\r\n")


def test_what_breaks_off_after_an_answer_began_is_not_answered_twice() -> None:
    @over_http
    async def eager(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"so f", "more_body": True})
        await receive()
        await receive()
        raise ValueError("so be it")

    with running(eager) as found, found.connect() as caller:
        caller.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        caller.sendall(b"zz\r\n")
        assert b"HTTP/1.1" not in read(caller)
