"""One connection: its bounds, its deadlines and how it ends. Mostly on real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from math import inf
from typing import Any

import orjson
import pytest

from tablecall.runtime import connection
from tablecall.runtime.connection import LINGERING, MAX_WAITING
from tests.support.server import HEAD, LINE, LIVE, WHOLE, Running, endless, over_http, read, running, wait_for
from tests.support.wire import Wire, connect, settle

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
CLOSING = WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: close")
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def here() -> Iterator[Running]:
    """A server with short deadlines and small bounds."""
    short = {"max_header_bytes": 2048, "max_url_bytes": 512, "header_seconds": 0.2, "body_seconds": 0.2, "write_seconds": 0.2}
    with running(**short, idle_seconds=1) as found:
        yield found


@over_http
async def empty(scope: Any, receive: Any, send: Any) -> None:
    """An empty response."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})


class Held:
    """An application that responds to each request when it is told to, and notes how it ended."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.go_on: asyncio.Event
        self.ended: list[str] = []
        self.app = over_http(self.respond)

    async def respond(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        self.go_on = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        gone = asyncio.ensure_future(receive())
        told = asyncio.ensure_future(self.go_on.wait())
        await asyncio.wait((gone, told), return_when=asyncio.FIRST_COMPLETED)
        self.ended.append("gone" if gone.done() else "told")
        gone.cancel()
        told.cancel()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    def tell(self) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.go_on.set)


def problem(response: bytes, status: int, code: str) -> None:
    head, _, body = response.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), head
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert b"access-control-allow-origin: *" in head
    assert b"server:" not in head
    assert orjson.loads(body)["type"] == f"/problems/{code}"


def last(responses: bytes) -> bytes:
    return responses[responses.rindex(b"HTTP/1.1 ") :]


def half_closed(server: Running, *parts: bytes) -> bytes:
    """What is answered to a client that sends FIN behind these bytes, as ``nc -N`` does."""
    with server.connect() as client:
        client.sendall(b"".join(parts))
        client.shutdown(socket.SHUT_WR)
        return read(client)


# ── Refusals and deadlines ───────────────────────────────────────────────────────────────────────────────────────────

REFUSED: dict[str, tuple[tuple[bytes, ...], int, str]] = {
    "not HTTP": ((b"hello\r\n\r\n",), 400, "bad-request"),
    "no Host": ((b"GET /livez HTTP/1.1\r\n\r\n",), 400, "bad-request"),
    "an unknown coding": ((HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",), 501, "not-implemented"),
    "a long path": ((b"GET /" + b"x" * 300, b"x" * 300), 414, "url-too-long"),
    "a long header that never ends": ((b"GET / HTTP/1.1\r\nA: ", *[b"x" * 600] * 5), 431, "headers-too-large"),
    "long trailers": ((CHUNKED + b"0\r\n", *[b"A: %b\r\n" % (b"x" * 600)] * 5), 431, "headers-too-large"),
    "a head that never ends": ((b"GET / HTT",), 408, "too-slow"),
    "a second head that never ends": ((LIVE + b"GET / HTT",), 408, "too-slow"),
    "a body that never ends": ((HEAD + b"Content-Length: 100\r\n\r\n{",), 408, "too-slow"),
    "a body in chunks that never ends": ((CHUNKED + b"1\r\n{\r\n",), 408, "too-slow"),
    "a body in broken chunks": ((CHUNKED + b"zz\r\n",), 400, "bad-request"),
    "broken chunks, and 100-continue": ((HEAD + b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",), 400, "bad-request"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_before_a_request_exists_are_problem_documents(here: Running, name: str) -> None:
    parts, status, code = REFUSED[name]
    problem(last(here.send(*parts)), status, code)


def test_refusals_before_a_request_exists_are_counted_and_not_logged(here: Running, caplog: pytest.LogCaptureFixture) -> None:
    for data in (b"hello\r\n\r\n", CHUNKED + b"zz\r\n", LIVE[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"):
        half_closed(here, data)
    assert 'tablecall_refusals_total{code="bad-request"}' in here.metrics()
    assert caplog.records == []


def test_a_problem_is_for_the_pages_that_may_call_only() -> None:
    with running(cors_origins=["https://table.example"]) as server:
        assert b"access-control-allow-origin" not in server.send(b"hello\r\n\r\n")


@pytest.mark.parametrize("data", [b"", b"\r\n\r\n"])
@pytest.mark.parametrize("before", [b"", LIVE])
def test_an_idle_connection_is_closed(here: Running, before: bytes, data: bytes) -> None:
    assert here.send(before, data).count(b"HTTP/1.1") == (1 if before else 0)


@pytest.mark.parametrize("rest", [b"x", b"x" * 100])
def test_a_connection_whose_request_was_answered_early_is_not_kept_open_by_its_body(rest: bytes) -> None:
    with running(empty, body_seconds=0.2, idle_seconds=1) as server, server.connect() as client:
        client.sendall(HEAD + b"Content-Length: 100\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
        client.sendall(rest)
        assert read(client) == b""


def test_a_deadline_may_move_earlier() -> None:
    with running(empty, header_seconds=0.2, idle_seconds=60) as server, server.connect() as client:
        client.sendall(GET)
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /")
        problem(read(client), 408, "too-slow")


# ── Requests one after the other ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("offer", [b"h2c\r\nHTTP2-Settings: AAEA", b"websocket"])
@pytest.mark.parametrize("size", [1_000_000, 1, 7])
def test_a_request_that_offers_an_upgrade_is_answered(here: Running, offer: bytes, size: int) -> None:
    offering = WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: Upgrade\r\nUpgrade: " + offer)
    data = offering * 2 + CLOSING
    answered = here.send(*(data[at : at + size] for at in range(0, len(data), size)))
    assert answered.count(b"HTTP/1.1 200 OK") == 3


def test_more_pipelined_requests_than_may_wait_are_refused(here: Running) -> None:
    for number in (2, 200):
        answered = here.send(LIVE * (MAX_WAITING + number))
        assert answered.count(b"HTTP/1.1 200") == MAX_WAITING + 1
        problem(last(answered), 503, "busy")


@pytest.mark.parametrize("rest", [b"hello\r\n\r\n", b"GET /li", CHUNKED + b"zz\r\n"])
def test_what_stands_before_a_refused_request_is_answered_first(here: Running, rest: bytes) -> None:
    answered = here.send(WHOLE * 3 + rest)
    assert answered.count(b"HTTP/1.1 200 OK") == 3
    assert answered.count(b"HTTP/1.1") == 4
    assert last(answered).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("rest", [b"", LIVE, b"hello\r\n\r\n", CHUNKED + b"zz\r\n"])
def test_nothing_behind_a_last_request_is_answered(here: Running, rest: bytes) -> None:
    assert here.send(CLOSING + rest).count(b"HTTP/1.1") == 1
    assert here.send(WHOLE.replace(b"1.1", b"1.0\r\nConnection: keep-alive") + rest).count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("rest", [LIVE * 70, LIVE + b"hello\r\n\r\n", WHOLE + b"\0\1\r\n\r\n"])
def test_a_refusal_waits_for_a_response_that_has_begun(here: Running, rest: bytes) -> None:
    with here.connect() as client:
        client.sendall(b"POST /batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.sendall(b"%x\r\n%b\r\n" % (len(LINE), LINE))
        begun = client.recv(65536)
        client.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(LINE) * 9, LINE * 9) + rest)
        answered = begun + read(client)
    lines, _, others = answered.partition(b"0\r\n\r\n")
    assert lines.count(b'{"ruling"') == 10
    assert others.startswith(b"HTTP/1.1 200 OK")
    assert last(others).startswith((b"HTTP/1.1 400", b"HTTP/1.1 503"))


def test_a_response_that_has_begun_is_cut_where_its_request_turns_out_to_be_broken() -> None:
    @over_http
    async def eager(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"so f", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    with running(eager) as server, server.connect() as client:
        client.sendall(CHUNKED + b"1\r\n{\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"zz\r\n")
        assert b"HTTP/1.1" not in read(client)


# ── The end of a connection ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_half_closed_client_is_answered_everything(here: Running, number: int) -> None:
    for _ in range(20):
        assert half_closed(here, WHOLE * number).count(b"HTTP/1.1 200 OK") == number


def test_a_half_closed_client_is_answered_what_was_complete(here: Running) -> None:
    for rest in (b"GET /li", WHOLE[:-3], b""):
        assert half_closed(here, WHOLE, WHOLE, rest).count(b"HTTP/1.1 200 OK") == 2
    for rest in (b"", b"GET /li", WHOLE[:-3]):
        assert half_closed(here, rest) == b""
    answered = half_closed(here, WHOLE * 2, b"hello\r\n\r\n")
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    problem(last(answered), 400, "bad-request")


def test_a_half_closed_client_may_read_slowly() -> None:
    with running(endless) as server, server.connect() as client:
        client.sendall(GET * 2)
        client.shutdown(socket.SHUT_WR)
        answered = read(client)
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    assert answered.count(b"x") >= 32_000_000


def test_a_half_closed_client_is_waited_for_and_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PROBE", 0.01)
    held = Held()
    with running(held.app) as server, server.connect() as client:
        client.sendall(GET)
        client.shutdown(socket.SHUT_WR)
        answered = b""
        while answered.count(b"HTTP/1.1 100 Continue\r\n\r\n") < 3:
            answered += client.recv(65536)
        held.tell()
        assert read(client).endswith(b"content-length: 0\r\nconnection: close\r\n\r\n")
    assert held.ended == ["told"]


def test_an_old_half_closed_client_is_waited_for_and_not_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PROBE", 0.01)
    held = Held()
    with running(held.app) as server, server.connect() as client:
        client.sendall(GET.replace(b"1.1", b"1.0"))
        client.shutdown(socket.SHUT_WR)
        wait_for(lambda: any(one.probe_interval > 1 for one in server.connections))
        held.tell()
        assert read(client).startswith(b"HTTP/1.1 200 OK")


def test_a_client_that_left_is_noticed() -> None:
    held = Held()
    with running(held.app) as server:
        with server.connect() as client:
            client.sendall(GET)
            wait_for(lambda: held.loop)
        wait_for(lambda: held.ended)
    assert held.ended == ["gone"]


def test_the_last_response_arrives_whatever_else_is_sent() -> None:
    @over_http
    async def large(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
        await send({"type": "http.response.body", "body": b"x" * 1_000_000})

    with running(large) as server:
        size = len(server.send(GET))
        assert size > 1_000_000
        assert len(server.send(GET + LIVE * 10_000)) == size
        assert len(server.send(HEAD + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)) == size


@pytest.mark.parametrize("more", [b"", b"x" * 3_000_000])
def test_a_refusal_arrives_at_a_client_that_is_still_sending(here: Running, more: bytes) -> None:
    # Closed with bytes unread, a connection is reset, and what was written to it is lost.
    for _ in range(20):
        problem(here.send(b"hello\r\n\r\n" + b"x" * 100_000, more), 400, "bad-request")
        large = HEAD + b"Connection: close\r\nContent-Length: 4000000\r\n\r\n"
        problem(here.send(large + b"x" * 100_000, more), 413, "too-large")


def test_a_client_that_goes_on_sending_after_a_refusal_is_cut_off(here: Running) -> None:
    with here.connect() as client:
        client.sendall(b"hello\r\n\r\n")
        problem(read(client), 400, "bad-request")
        wait_for(lambda: not here.connections)
        with pytest.raises(ConnectionError):  # noqa: PT012  # the first bytes after a close are still taken by the system
            while True:
                client.sendall(b"x")


def test_a_client_that_leaves_during_a_body_is_no_failure(here: Running) -> None:
    for _ in range(5):
        with here.connect() as client:
            client.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    wait_for(lambda: 'status="499"' in here.metrics())
    assert 'status="500"' not in here.metrics()


def test_a_client_that_does_not_read_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    gone: list[bool] = []

    @over_http
    async def long(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8000000")]})
        await send({"type": "http.response.body", "body": b"x" * 8_000_000})
        gone.append((await receive())["type"] == "http.disconnect")

    with running(long, write_seconds=0.2) as server, server.connect() as client:
        client.sendall(GET * 4)
        wait_for(lambda: len(gone) == 2)
        wait_for(lambda: not server.connections)
    assert gone == [True, True]
    assert caplog.records == []


def test_one_connection_too_many_is_refused_and_takes_no_place() -> None:
    with running(max_connections=1) as server, server.connect() as first, server.connect() as second, server.connect() as third:
        first.sendall(LIVE)
        assert first.recv(65536).startswith(b"HTTP/1.1 200")
        for refused in (second, third):
            problem(read(refused), 503, "busy")
        first.close()
        wait_for(lambda: len(server.connections) < 2)
        with server.connect() as fourth:
            fourth.sendall(LIVE)
            assert fourth.recv(65536).startswith(b"HTTP/1.1 200")


# ── Without a socket ─────────────────────────────────────────────────────────────────────────────────────────────────


def alone(test: Any) -> None:
    """Run a test on a connection without a socket, whose deadlines pass when the test says so."""

    async def run() -> None:
        one, wire = connect(empty)
        await test(one, wire)
        one.connection_lost(None)

    asyncio.run(run())


def test_a_client_that_reads_slowly_is_waited_for_until_it_reads_nothing_more() -> None:
    async def test(one: Any, wire: Wire) -> None:
        wire.unsent = 9
        one.pause_writing()
        deadline = one.write_by
        for left in (7, 5):
            wire.unsent = left
            one.write_late()
            assert "abort" not in wire.events
            assert one.write_by >= deadline
        one.write_late()
        assert wire.events == ["abort"]

    alone(test)


def test_a_client_that_reads_again_has_no_deadline() -> None:
    async def test(one: Any, wire: Wire) -> None:
        wire.unsent = 9
        one.pause_writing()
        one.resume_writing()
        assert one.write_by == inf
        assert one.blocked is None

    alone(test)


def test_what_is_written_last_is_read_in_time_or_cut_off() -> None:
    async def test(one: Any, wire: Wire) -> None:
        wire.unsent = 9
        one.close()
        one.pause_writing()
        one.resume_writing()  # some of it was read; writing is not paused again
        assert one.write_by < inf
        one.write_late()
        assert wire.events == ["close", "abort"]

    alone(test)


def test_lingering_begins_when_everything_is_written() -> None:
    async def test(one: Any, wire: Wire) -> None:
        wire.unsent = 9
        one.data_received(b"hello\r\n\r\n")
        assert one.state is LINGERING
        one.read_late()
        assert wire.events == ["eof"]
        wire.unsent = 0
        one.read_late()
        assert wire.events == ["eof", "close"]

    alone(test)


def test_no_more_connections_linger_than_may_be_open() -> None:
    async def run() -> None:
        one, wire = connect(empty, max_connections=1)
        one.shared.lingering = 1
        one.data_received(b"hello\r\n\r\n")
        assert wire.events == ["close"]

    asyncio.run(run())


def test_a_response_waits_while_the_client_does_not_read() -> None:
    async def test(one: Any, wire: Wire) -> None:
        one.pause_writing()
        one.data_received(GET)
        await settle()
        assert wire.writes == []
        one.resume_writing()
        await settle()
        assert wire.written.startswith(b"HTTP/1.1 200")

    alone(test)


def test_nothing_is_written_to_a_connection_that_fails() -> None:
    async def test(one: Any, wire: Wire) -> None:
        wire.closing = True
        one.data_received(b"hello\r\n\r\n")
        assert (wire.writes, wire.events) == ([], [])

    alone(test)


def test_what_is_used_of_uvicorn() -> None:
    """A connection is made with no more than this, and leaves nothing behind in it."""

    async def test(one: Any, wire: Wire) -> None:
        one.data_received(GET)
        assert one.server_state.connections == {one}
        assert len(one.server_state.tasks) == 1
        await settle()
        assert wire.written.startswith(b"HTTP/1.1 200 OK\r\ndate: today\r\n")
        one.shutdown()
        one.connection_lost(None)
        state = one.server_state
        assert (state.connections, state.tasks, state.total_requests) == (set(), set(), 1)

    async def run() -> None:
        await test(*connect(empty))

    asyncio.run(run())
