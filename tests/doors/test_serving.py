"""The server: what it bounds before a request is one, and how it stops. On real sockets."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import orjson
import pytest
from uvicorn.protocols.http.flow_control import FlowControl

from service.app import create_app
from service.doors import serving
from service.doors.observing.vitals import Vitals
from service.doors.serving import MAX_WAITING, Server, server
from service.settings import Settings

CHECK = b'{"actor": {"bonus": 3}, "difficulty": 10}'
HEAD = b"POST /resolve/jazz/check HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(CHECK) + CHECK
WAIT = 10.0


class Running:
    """A server in a thread, and its address."""

    def __init__(self, served: Server) -> None:
        self.server = served
        self.thread = threading.Thread(target=served.run)

    @property
    def port(self) -> int:
        found: int = self.server.servers[0].sockets[0].getsockname()[1]
        return found

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), WAIT)

    def send(self, *parts: bytes) -> bytes:
        """Everything that is answered to these bytes until the connection is closed."""
        with self.connect() as caller:
            for part in parts:
                caller.sendall(part)
            return read(caller)

    def metrics(self) -> str:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=WAIT)) as caller:
            caller.request("GET", "/metrics")
            return caller.getresponse().read().decode()


def read(caller: socket.socket) -> bytes:
    found = b""
    while part := caller.recv(65536):
        found += part
    return found


@contextmanager
def running(app: Any = None, **settings: Any) -> Iterator[Running]:
    given = Settings(port=0, **settings)
    vitals = Vitals(given)
    found = Running(server(app or create_app(given, vitals), given, vitals))
    found.thread.start()
    try:
        wait_for(lambda: found.server.started)
        yield found
    finally:
        found.server.should_exit = True
        found.thread.join(WAIT)
    assert not found.thread.is_alive()


def wait_for(what: Any) -> None:
    until = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


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


def test_a_caller_who_left_is_not_worked_for_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []

    async def thinking(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await endless(scope, receive, send)
            return
        await receive()
        gone.append((await receive())["type"])

    monkeypatch.setattr(serving, "STILL_THERE", 0.2)
    with running(thinking) as found:
        with found.connect() as caller:
            caller.sendall(WHOLE)
        wait_for(lambda: gone)
        assert half_closed(found, WHOLE) == b""
    assert gone == ["http.disconnect"] * 2


def test_more_requests_at_once_than_may_wait_are_too_many(here: Running) -> None:
    answered = here.send(b"GET /livez HTTP/1.1\r\nHost: h\r\n\r\n" * (MAX_WAITING + 2))
    assert answered.count(b"HTTP/1.1 ") == 1
    problem(answered, 503, "busy")


def test_a_caller_who_is_cut_off_with_requests_waiting_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    gone: list[bool] = []

    async def long(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await endless(scope, receive, send)
            return
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


async def endless(scope: Any, receive: Any, send: Any) -> None:
    """An answer larger than any buffer."""
    if scope["type"] == "lifespan":
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for more in (True, True, True, False):
        await send({"type": "http.response.body", "body": b"x" * 4_000_000, "more_body": more})


def test_a_caller_who_does_not_read_is_cut_off() -> None:
    with running(endless, write_seconds=0.3) as found, found.connect() as caller:
        wait_for(lambda: found.server.server_state.connections)
        caller.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        wait_for(lambda: not found.server.server_state.connections)


class Unread:
    """A transport that has so many bytes left to send each time it is asked."""

    def __init__(self, *left: int) -> None:
        self.left = list(left)
        self.aborted = asyncio.Event()

    def get_write_buffer_size(self) -> int:
        return self.left.pop(0)

    def abort(self) -> None:
        self.aborted.set()


def test_a_caller_who_reads_slowly_is_not_until_nothing_more_is_read() -> None:
    async def wait() -> list[int]:
        settings = Settings(write_seconds=0.001)
        served = server(endless, settings, Vitals(settings))
        served.config.load()
        transport: Any = Unread(9, 9, 5, 5, 4, 4, 4, 3)
        protocol: Any = served.config.http_protocol_class(config=served.config, server_state=served.server_state, app_state={})  # type: ignore[call-arg]
        protocol.transport, protocol.flow = transport, FlowControl(transport)
        protocol.pause_writing()
        protocol.resume_writing()
        assert protocol.write_timer is None
        protocol.pause_writing()
        await transport.aborted.wait()
        left: list[int] = transport.left
        return left

    assert asyncio.run(wait()) == [3]


def test_one_connection_too_many_is_told_so() -> None:
    with running(max_connections=1) as found, found.connect() as first:
        wait_for(lambda: found.server.server_state.connections)
        problem(found.send(), 503, "busy")
        first.sendall(WHOLE)
        assert first.recv(65536).startswith(b"HTTP/1.1 200")


def test_where_only_some_origins_may_call_a_problem_is_not_open_to_all() -> None:
    with running(cors_origins=["https://table.example"]) as found:
        assert b"access-control-allow-origin" not in found.send(b"hello\r\n\r\n")


def test_what_breaks_off_after_an_answer_began_is_not_answered_twice() -> None:
    async def eager(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await endless(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"so f", "more_body": True})
        await receive()
        await receive()

    with running(eager) as found, found.connect() as caller:
        caller.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        caller.sendall(b"zz\r\n")
        assert b"HTTP/1.1" not in read(caller)


# ── Stopping ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_it_says_that_it_stops_before_it_does() -> None:
    with running(drain_seconds=60, grace_seconds=5) as found, closing(HTTPConnection("127.0.0.1", found.port, timeout=WAIT)) as caller:
        found.server.handle_exit(signal.SIGTERM, None)
        assert ask(caller, "/readyz").status == 503
        assert ask(caller, "/systems").status == 200
        found.server.handle_exit(signal.SIGTERM, None)
        found.thread.join(WAIT)
        assert not found.thread.is_alive()
        assert not found.server.force_exit


def ask(caller: HTTPConnection, path: str) -> HTTPResponse:
    caller.request("GET", path)
    found = caller.getresponse()
    found.read()
    return found


def test_a_request_on_its_way_while_it_stops_is_answered() -> None:
    with running() as found, found.connect() as waiting, found.connect() as begun:
        begun.sendall(WHOLE[:-3])
        wait_for(lambda: len(found.server.server_state.tasks) == 1)
        found.server.handle_exit(signal.SIGTERM, None)
        wait_for(lambda: found.server.should_exit)
        waiting.sendall(WHOLE)
        begun.sendall(WHOLE[-3:])
        for caller in (waiting, begun):
            answer = read(caller)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b"connection: close" in answer


def test_a_second_ctrl_c_does_not_wait() -> None:
    with running(body_seconds=60, request_seconds=60, grace_seconds=60) as found, found.connect() as caller:
        caller.sendall(WHOLE[:-3])
        wait_for(lambda: len(found.server.server_state.tasks) == 1)
        for _ in range(2):
            found.server.handle_exit(signal.SIGINT, None)
        assert found.server.force_exit


@pytest.mark.parametrize("drain", ["0", "0.5"])
def test_told_to_stop_under_load_it_loses_nobody_and_exits_with_0(drain: str) -> None:
    environment = {**os.environ, "TABLECALL_PORT": "0", "TABLECALL_DRAIN_SECONDS": drain, "TABLECALL_LOG_REQUESTS": "false"}
    command = [str(Path(sys.executable).parent / "tablecall"), "serve"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "running on" in line)
        port = int(line.partition("127.0.0.1:")[2].partition(" ")[0])
        answered: list[int] = []
        lost: list[str] = []
        callers = [threading.Thread(target=call, args=(port, answered, lost)) for _ in range(4)]
        for caller in callers:
            caller.start()
        wait_for(lambda: len(answered) > 50)
        process.terminate()
        for caller in callers:
            caller.join(WAIT)
        said = process.stderr.read()
        assert process.wait(WAIT) == 0
    assert set(answered) == {200}
    assert lost == []
    assert "Traceback" not in said


def call(port: int, answered: list[int], lost: list[str]) -> None:
    """Ask again and again, each time on a connection of its own, until there is nobody to connect to."""
    while True:
        try:
            caller = socket.create_connection(("127.0.0.1", port), WAIT)
        except ConnectionRefusedError:
            return
        with caller:
            try:
                caller.sendall(WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: close"))
                answer = read(caller)
            except ConnectionResetError:
                return  # connected, but never accepted: the listening socket was closed with it in the queue
            if not answer:
                return
            if b"}" not in answer:
                lost.append(answer.decode())
            answered.append(int(answer.split(b" ")[1]))
