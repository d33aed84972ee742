"""Tests that take minutes: thousands of invalid requests, slow clients, aborted uploads, ten thousand connections, a soak test."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tablecall.contract.action_models import PUBLISHED
from tests.benchmarks.soak import COUNT, MAX_GROWTH, soak
from tests.http.test_fuzz import CLIENT, SENT, judged, spoiled
from tests.long.serving import WAIT, Service, wait_for
from tests.support.client import request_of

CHECK = b'{"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}'
HEAD = b"POST /resolve/jazz/check HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(CHECK)
CASES = int(os.environ.get("LONG_CASES", "5000"))
CONNECTIONS = 10_000


def read(client: socket.socket) -> bytes:
    response = b""
    while part := client.recv(65536):
        response += part
    return response


@settings(max_examples=CASES)
@given(asked=spoiled(), verb=st.sampled_from(["resolve", "odds"]))
def test_altered_examples_by_rest(verb: str, asked: tuple[str, Any]) -> None:
    tag, document = asked
    body = json.dumps(document).encode()
    judged(CLIENT.post(f"/{verb}/{PUBLISHED[tag].path}", content=body, headers={"content-type": "application/json"}))


@settings(max_examples=CASES)
@given(asked=spoiled(), verb=st.sampled_from(["resolve", "odds"]))
def test_altered_examples_by_graphql(verb: str, asked: tuple[str, Any]) -> None:
    tag, document = asked
    query = f"query($request: ResolveRequest!) {{ {verb}(request: $request) {{ action }} }}"
    body = json.dumps({"query": query, "variables": {"request": request_of(tag, document)}}).encode()
    answer = CLIENT.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in {200, 400, 422}, answer.text
    for error in answer.json().get("errors", []):
        assert error["extensions"]["problem"]["status"] < 500
        assert SENT not in json.dumps(error)


def test_slow_clients_are_disconnected_and_do_not_block_others(service: Service, record_property: Callable[[str, object], None]) -> None:
    clients = [service.connect() for _ in range(200)]
    for index, client in enumerate(clients):
        client.sendall((HEAD + CHECK[:5], HEAD[:30], b"\r\n", b"")[index % 4])
    longest = 0.0
    until = time.monotonic() + 4
    while time.monotonic() < until:
        for client in clients[1::4]:
            try:
                client.sendall(b"x")
            except OSError:
                continue
        began = time.monotonic()
        assert service.get("/livez") == "ok\n"
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.2)
    for client in clients:
        with client:
            try:
                assert b" 200 " not in read(client)
            except ConnectionResetError:
                continue
    record_property("ms, the longest wait of another client beside slow ones", longest * 1000)


def test_aborted_uploads_are_cleaned_up(service: Service) -> None:
    for index in range(2_000):
        with service.connect() as client:
            client.sendall(HEAD + CHECK[: index % len(CHECK)])
    wait_for(lambda: service.metric("tablecall_running") == 1)


def test_connections_leak_nothing(service: Service, record_property: Callable[[str, object], None]) -> None:
    def call(count: int) -> None:
        for _ in range(count):
            with service.connect() as client:
                client.sendall(HEAD.replace(b"Host: here", b"Host: here\r\nConnection: close") + CHECK)
                assert read(client).startswith(b"HTTP/1.1 200")

    call(CONNECTIONS // 10)
    open_files, memory = service.metric("process_open_fds"), service.metric("process_resident_memory_bytes")
    call(CONNECTIONS - CONNECTIONS // 10)
    wait_for(lambda: service.metric("process_open_fds") <= open_files + 2)
    growth = service.metric("process_resident_memory_bytes") / memory
    assert growth < 1.05
    record_property("times the memory after ten times as many connections", growth)


def test_connection_serves_thousands_of_requests(service: Service) -> None:
    client = HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
    for _ in range(5_000):
        client.request("POST", "/resolve/jazz/check", CHECK, {"content-type": "application/json"})
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200
    client.close()


def test_memory_stays_flat_under_mixed_requests(service: Service, record_property: Callable[[str, object], None]) -> None:
    growth = asyncio.run(soak(service.port, service.resident, COUNT))
    record_property("mixed requests in the soak test", COUNT)
    record_property("times the memory at the end of the soak test", growth)
    assert growth < MAX_GROWTH
