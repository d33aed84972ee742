"""The server: how it stops, and clients that disconnect during long work. On real sockets."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import orjson
import pytest

from tablecall.contract.action_models import PUBLISHED
from tests.support.server import WAIT, WHOLE, read, running, serving, wait_for


def simulation(trials: int, path: str = "/odds/jazz/fight", accept: str = "*/*") -> bytes:
    """A request for the odds of a fight."""
    fight: dict[str, Any] = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": trials}
    query = "subscription ($r: ResolveRequest!) { odds(request: $r) { simulated { trials } } }"
    body = orjson.dumps({"query": query, "variables": {"r": {"jazzFight": fight}}} if path == "/graphql" else fight)
    head = f"POST {path} HTTP/1.1\r\nHost: h\r\nAccept: {accept}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def test_stopping_server_reports_it_and_still_answers() -> None:
    with running(drain_seconds=60, grace_seconds=5) as served, closing(HTTPConnection("127.0.0.1", served.port, timeout=WAIT)) as caller:
        served.server.handle_exit(signal.SIGTERM, None)
        for path, status in (("/readyz", 503), ("/systems", 200)):
            caller.request("GET", path)
            answer = caller.getresponse()
            answer.read()
            assert answer.status == status
        served.server.handle_exit(signal.SIGTERM, None)
        served.thread.join(WAIT)
        assert not served.thread.is_alive()
        assert not served.server.force_exit


def test_request_that_arrives_while_the_server_stops_is_answered() -> None:
    with running() as served, served.connect() as waiting, served.connect() as begun:
        begun.sendall(WHOLE[:-3])
        wait_for(lambda: len(served.server.server_state.tasks) == 1)
        served.server.handle_exit(signal.SIGTERM, None)
        wait_for(lambda: served.server.should_exit)
        waiting.sendall(WHOLE)
        begun.sendall(WHOLE[-3:])
        for caller in (waiting, begun):
            answer = read(caller)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b"connection: close" in answer


def test_second_ctrl_c_stops_at_once() -> None:
    with running(body_seconds=60, request_seconds=60, grace_seconds=60) as served, served.connect() as caller:
        caller.sendall(WHOLE[:-3])
        wait_for(lambda: len(served.server.server_state.tasks) == 1)
        for _ in range(2):
            served.server.handle_exit(signal.SIGINT, None)
        assert served.server.force_exit


@pytest.mark.parametrize("drain", ["0", "0.5"])
def test_server_that_stops_under_load_loses_no_request_and_exits_with_0(drain: str) -> None:
    answers: list[bytes] = []

    def send_repeatedly(port: int) -> None:
        """Send requests, each on a connection of its own, until no connection is accepted."""
        answer = b"first"
        while answer:
            try:
                with socket.create_connection(("127.0.0.1", port), WAIT) as caller:
                    caller.sendall(WHOLE.replace(b"Host: here", b"Host: here\r\nConnection: close"))
                    answer = read(caller)
            except (ConnectionRefusedError, ConnectionResetError):
                return  # reset if the listening socket was closed with the connection in its queue
            answers.append(answer)

    with serving(TABLECALL_DRAIN_SECONDS=drain, TABLECALL_LOG_REQUESTS="false") as (process, port):
        callers = [threading.Thread(target=send_repeatedly, args=(port,)) for _ in range(4)]
        for caller in callers:
            caller.start()
        wait_for(lambda: len(answers) > 50)
        process.terminate()
        for caller in callers:
            caller.join(WAIT)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
        assert process.wait(WAIT) == 0
    answered = [answer for answer in answers if answer]
    assert all(answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"}") for answer in answered)


@pytest.mark.parametrize("path", ["/odds/jazz/fight", "/graphql"])
def test_stream_longer_than_the_grace_period_is_cut_off_without_a_log_entry(caplog: pytest.LogCaptureFixture, path: str) -> None:
    with running(grace_seconds=1, odds_seconds=60) as served, served.connect() as caller:
        caller.sendall(simulation(100_000, path, "text/event-stream"))
        assert caller.recv(65536).startswith(b"HTTP/1.1 200")
        served.server.handle_exit(signal.SIGTERM, None)
        assert b"event: done" not in read(caller)
        served.thread.join(WAIT)
        assert not served.thread.is_alive()
    assert not [record for record in caplog.records if record.exc_info]


def test_work_of_disconnected_clients_is_cancelled() -> None:
    with running(odds_seconds=60) as served:
        callers = [served.connect() for _ in range(4)]
        for caller in callers:
            caller.sendall(simulation(100_000))
        wait_for(lambda: "tablecall_odds_waiting 4.0" in served.metrics())
        for caller in callers:
            caller.close()
        wait_for(lambda: "tablecall_odds_waiting 0.0" in served.metrics())
        assert 'status="499"' in served.metrics()


def test_half_closed_client_waits_for_expensive_odds() -> None:
    with running(odds_seconds=300, request_seconds=300) as served, served.connect() as caller:
        caller.settimeout(300)
        caller.sendall(simulation(500))
        caller.shutdown(socket.SHUT_WR)
        assert b'"trials":500' in read(caller)
