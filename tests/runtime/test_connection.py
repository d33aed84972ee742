"""A connection: its bounds, its deadlines and how it ends. Mostly on real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
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
def short() -> Iterator[Running]:
    """A server with short deadlines and small bounds."""
    with running(
        max_header_bytes=2048, max_url_bytes=512, header_seconds=0.2, body_seconds=0.2, write_seconds=0.2, idle_seconds=1
    ) as served:
        yield served


@over_http
async def empty(scope: Any, receive: Any, send: Any) -> None:
    """An empty response."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})


class Held:
    """An application that responds when the test says so. ``ended`` is what ended the wait: "told" or "disconnected"."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.go_on: asyncio.Event
        self.ended: list[str] = []
        self.app = over_http(self.respond)

    async def respond(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        self.go_on, self.loop = asyncio.Event(), asyncio.get_running_loop()
        waits = {"disconnected": asyncio.ensure_future(receive()), "told": asyncio.ensure_future(self.go_on.wait())}
        await asyncio.wait(waits.values(), return_when=asyncio.FIRST_COMPLETED)
        self.ended += [name for name, wait in waits.items() if wait.done()]
        for wait in waits.values():
            wait.cancel()
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
    assert orjson.loads(body)["type"].endswith(f"./problems/{code}")


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
def test_refusal_before_a_request_exists_is_a_problem(short: Running, name: str) -> None:
    parts, status, code = REFUSED[name]
    problem(last(short.send(*parts)), status, code)


def test_refusal_before_a_request_exists_is_counted_and_not_logged(short: Running, caplog: pytest.LogCaptureFixture) -> None:
    for data in (b"hello\r\n\r\n", CHUNKED + b"zz\r\n", LIVE[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"):
        half_closed(short, data)
    assert 'tablecall_refusals_total{code="bad-request"}' in short.metrics()
    assert caplog.records == []


def test_refusal_follows_the_configured_origins() -> None:
    with running(cors_origins=["https://table.example"]) as server:
        assert b"access-control-allow-origin" not in server.send(b"hello\r\n\r\n")


@pytest.mark.parametrize("data", [b"", b"\r\n\r\n"])
@pytest.mark.parametrize("before", [b"", LIVE])
def test_idle_connection_is_closed(short: Running, before: bytes, data: bytes) -> None:
    assert short.send(before, data).count(b"HTTP/1.1") == (1 if before else 0)


@pytest.mark.parametrize("rest", [b"x", b"x" * 100])
def test_body_of_an_answered_request_does_not_keep_the_connection_open(rest: bytes) -> None:
    with running(empty, body_seconds=0.2, idle_seconds=1) as server, server.connect() as client:
        client.sendall(HEAD + b"Content-Length: 100\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
        client.sendall(rest)
        assert read(client) == b""


def test_deadline_may_move_earlier() -> None:
    with running(empty, header_seconds=0.2, idle_seconds=60) as server, server.connect() as client:
        client.sendall(GET)
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET /")
        problem(read(client), 408, "too-slow")


# ── Requests one after the other ─────────────────────────────────────────────────────────────────────────────────────


def test_too_many_pipelined_requests_are_refused(short: Running) -> None:
    answered = short.send(LIVE * (MAX_WAITING + 200))
    assert answered.count(b"HTTP/1.1 200") == MAX_WAITING + 1
    problem(last(answered), 503, "busy")


@pytest.mark.parametrize("rest", [b"hello\r\n\r\n", b"GET /li", CHUNKED + b"zz\r\n"])
def test_requests_before_a_refused_one_are_answered_first(short: Running, rest: bytes) -> None:
    answered = short.send(WHOLE * 3 + rest)
    assert answered.count(b"HTTP/1.1 200 OK") == 3
    assert answered.count(b"HTTP/1.1") == 4
    assert last(answered).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("rest", [b"", LIVE, b"hello\r\n\r\n", CHUNKED + b"zz\r\n"])
def test_nothing_after_the_last_request_is_answered(short: Running, rest: bytes) -> None:
    assert short.send(CLOSING + rest).count(b"HTTP/1.1") == 1
    assert short.send(WHOLE.replace(b"1.1", b"1.0\r\nConnection: keep-alive") + rest).count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("rest", [LIVE * 70, LIVE + b"hello\r\n\r\n", WHOLE + b"\0\1\r\n\r\n"])
def test_refusal_waits_for_a_response_that_has_started(short: Running, rest: bytes) -> None:
    with short.connect() as client:
        client.sendall(b"POST /batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.sendall(b"%x\r\n%b\r\n" % (len(LINE), LINE))
        begun = client.recv(65536)
        client.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(LINE) * 9, LINE * 9) + rest)
        answered = begun + read(client)
    lines, _, others = answered.partition(b"0\r\n\r\n")
    assert lines.count(b'{"ruling"') == 10
    assert others.startswith(b"HTTP/1.1 200 OK")
    assert last(others).startswith((b"HTTP/1.1 400", b"HTTP/1.1 503"))


def test_response_is_cut_off_if_its_request_turns_out_to_be_broken() -> None:
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


@pytest.mark.parametrize(
    ("parts", "answers"),
    [
        *(((WHOLE * number,), number) for number in (1, 2, 5)),
        *(((WHOLE, WHOLE, rest), 2) for rest in (b"GET /li", WHOLE[:-3], b"")),
        *(((rest,), 0) for rest in (b"", b"GET /li", WHOLE[:-3])),
    ],
)
def test_half_closed_client_gets_all_answers_to_complete_requests(short: Running, parts: tuple[bytes, ...], answers: int) -> None:
    for _ in range(10):
        answered = half_closed(short, *parts)
        assert answered.count(b"HTTP/1.1") == answered.count(b"HTTP/1.1 200 OK") == answers


def test_half_closed_client_gets_a_refusal_after_the_answers(short: Running) -> None:
    answered = half_closed(short, WHOLE * 2, b"hello\r\n\r\n")
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    problem(last(answered), 400, "bad-request")


def test_half_closed_client_may_read_slowly() -> None:
    with running(endless) as server, server.connect() as client:
        client.sendall(GET * 2)
        client.shutdown(socket.SHUT_WR)
        answered = read(client)
    assert answered.count(b"HTTP/1.1 200 OK") == 2
    assert answered.count(b"x") >= 32_000_000


@pytest.mark.parametrize("version", [b"1.1", b"1.0"])
def test_half_closed_client_is_probed_by_http_1_1_only(monkeypatch: pytest.MonkeyPatch, version: bytes) -> None:
    monkeypatch.setattr(connection, "PROBE", 0.01)
    held = Held()
    with running(held.app) as server, server.connect() as client:
        client.sendall(GET.replace(b"1.1", version))
        client.shutdown(socket.SHUT_WR)
        answered = b""
        while version == b"1.1" and answered.count(b"HTTP/1.1 100 Continue\r\n\r\n") < 3:
            answered += client.recv(65536)
        wait_for(lambda: any(one.probe_interval > 0.05 for one in server.connections))
        held.tell()
        rest = read(client)
    assert rest.endswith(b"content-length: 0\r\nconnection: close\r\n\r\n")
    assert version == b"1.1" or rest.startswith(b"HTTP/1.1 200 OK")
    assert held.ended == ["told"]


def test_disconnect_is_noticed() -> None:
    held = Held()
    with running(held.app) as server:
        with server.connect() as client:
            client.sendall(GET)
            wait_for(lambda: held.loop)
        wait_for(lambda: held.ended)
    assert held.ended == ["disconnected"]


def test_last_response_arrives_although_the_client_sends_more() -> None:
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
def test_refusal_arrives_at_a_client_that_is_still_sending(short: Running, more: bytes) -> None:
    # Closed with bytes unread, a connection is reset, and what was written to it is lost.
    for _ in range(20):
        problem(short.send(b"hello\r\n\r\n" + b"x" * 100_000, more), 400, "bad-request")
        large = HEAD + b"Connection: close\r\nContent-Length: 4000000\r\n\r\n"
        problem(short.send(large + b"x" * 100_000, more), 413, "too-large")


def test_client_that_keeps_sending_after_a_refusal_is_cut_off(short: Running) -> None:
    with short.connect() as client:
        client.sendall(b"hello\r\n\r\n")
        problem(read(client), 400, "bad-request")
        wait_for(lambda: not short.connections)
        with pytest.raises(ConnectionError):  # noqa: PT012  # the first bytes after a close are still taken by the system
            while True:
                client.sendall(b"x")


def test_client_that_does_not_read_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
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


def test_one_connection_too_many_is_refused_and_not_counted() -> None:
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


def alone(test: Callable[[Any, Wire], Awaitable[None]]) -> Callable[[], None]:
    """A test on a connection without a socket, whose deadlines pass when the test says so."""

    def run() -> None:
        async def connected() -> None:
            one, wire = connect(empty, max_connections=2)
            await test(one, wire)
            if one.connections:
                one.connection_lost(None)

        asyncio.run(connected())

    return run


@alone
async def test_slow_reader_is_cut_off_when_it_reads_nothing_more(one: Any, wire: Wire) -> None:
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


@alone
async def test_client_that_reads_again_has_no_deadline(one: Any, wire: Wire) -> None:
    wire.unsent = 9
    one.pause_writing()
    one.resume_writing()
    assert one.write_by == inf
    assert one.blocked is None


@alone
async def test_last_response_has_a_deadline_until_it_is_read(one: Any, wire: Wire) -> None:
    wire.unsent = 9
    one.close()
    one.pause_writing()
    one.resume_writing()  # some of it was read; writing is not paused again
    assert one.write_by < inf
    one.write_late()
    assert wire.events == ["close", "abort"]


@alone
async def test_lingering_begins_when_everything_is_written(one: Any, wire: Wire) -> None:
    wire.unsent = 9
    one.data_received(b"hello\r\n\r\n")
    assert one.state is LINGERING
    one.read_late()
    assert wire.events == ["eof"]
    wire.unsent = 0
    one.read_late()
    assert wire.events == ["eof", "close"]


@alone
async def test_no_more_connections_linger_than_may_be_open(one: Any, wire: Wire) -> None:
    one.shared.lingering = 2
    one.data_received(b"hello\r\n\r\n")
    assert wire.events == ["close"]


@alone
async def test_response_waits_while_the_client_does_not_read(one: Any, wire: Wire) -> None:
    one.pause_writing()
    one.data_received(GET)
    await settle()
    assert wire.writes == []
    one.resume_writing()
    await settle()
    assert wire.written.startswith(b"HTTP/1.1 200")


@alone
async def test_nothing_is_written_to_a_closing_connection(one: Any, wire: Wire) -> None:
    wire.closing = True
    one.data_received(b"hello\r\n\r\n")
    assert (wire.writes, wire.events) == ([], [])


@alone
async def test_state_of_uvicorn_is_updated(one: Any, wire: Wire) -> None:
    """A connection needs no more of uvicorn than this, and leaves nothing behind in it."""
    state = one.server_state
    one.data_received(GET)
    assert (state.connections, len(state.tasks)) == ({one}, 1)
    await settle()
    assert wire.written.startswith(b"HTTP/1.1 200 OK\r\ndate: today\r\n")
    one.shutdown()
    one.connection_lost(None)
    assert (state.connections, state.tasks, state.total_requests) == (set(), set(), 1)
