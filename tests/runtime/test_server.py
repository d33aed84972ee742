"""The server: how it stops. On real sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import orjson
import pytest

from tablecall.contract.action_models import PUBLISHED
from tests.support.server import WAIT, WHOLE, read, running, wait_for


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


@pytest.mark.parametrize("path", ["/odds/jazz/fight", "/graphql"])
def test_a_stream_that_takes_longer_than_the_grace_is_cut_without_a_word(caplog: pytest.LogCaptureFixture, path: str) -> None:
    fight = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": 100_000}
    query = "subscription ($r: ResolveRequest!) { odds(request: $r) { simulated { trials } } }"
    body = orjson.dumps({"query": query, "variables": {"r": {"jazzFight": fight}}} if path == "/graphql" else fight)
    head = f"POST {path} HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with running(grace_seconds=1, odds_seconds=60) as found, found.connect() as caller:
        caller.sendall(head.encode() + body)
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        found.server.handle_exit(signal.SIGTERM, None)
        assert b"event: done" not in read(caller)
        found.thread.join(WAIT)
        assert not found.thread.is_alive()
    assert not [record for record in caplog.records if record.exc_info]


def test_whoever_hangs_up_leaves_no_work_behind() -> None:
    fight = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": 100_000}
    body = orjson.dumps(fight)
    head = f"POST /odds/jazz/fight HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with running(odds_seconds=60) as found:
        callers = [found.connect() for _ in range(4)]
        for caller in callers:
            caller.sendall(head.encode() + body)
        wait_for(lambda: "tablecall_odds_waiting 4.0" in found.metrics())
        for caller in callers:
            caller.close()
        wait_for(lambda: "tablecall_odds_waiting 0.0" in found.metrics())
        assert 'status="499"' in found.metrics()


def test_a_half_closed_client_waits_for_expensive_odds() -> None:
    fight = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": 500}
    body = orjson.dumps(fight)
    head = f"POST /odds/jazz/fight HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with running(odds_seconds=300, request_seconds=300) as found, found.connect() as caller:
        caller.settimeout(300)
        caller.sendall(head.encode() + body)
        caller.shutdown(socket.SHUT_WR)
        assert b'"trials":500' in read(caller)
