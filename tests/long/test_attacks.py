"""What takes minutes: thousands of made-up requests, slow callers, callers that go away, ten thousand connections in turn.

``make test-long`` runs it. All of it is sent to one service, which must neither fail nor grow nor say a word too much.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.doors.shapes import PUBLISHED
from tests.doors.asking import member
from tests.doors.test_fuzz import CLIENT, SENT, judged, spoiled

BIN = Path(sys.executable).parent
WAIT = 10.0
CHECK = b'{"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}'
HEAD = b"POST /resolve/jazz/check HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(CHECK)
HERE = Path(__file__).parent
CASES = int(os.environ.get("LONG_CASES", "5000"))
SECONDS = int(os.environ.get("LONG_SECONDS", "45"))
"""How long schemathesis may go on with each contract: to make up a request of so wide a union takes it a tenth of a second."""
CONNECTIONS = 10_000


class Service:
    """A service of its own, and what it says of itself."""

    def __init__(self, log: Path) -> None:
        chosen = {
            "PORT": "0",
            "LOG_FORMAT": "json",
            "LOG_REQUESTS": "false",
            "HEADER_SECONDS": "2",
            "BODY_SECONDS": "2",
            "ODDS_SECONDS": "1",
        }
        environment = {**os.environ, **{f"TABLECALL_{name}": value for name, value in chosen.items()}}
        self.log = log
        with log.open("wb") as said:
            self.process = subprocess.Popen([BIN / "tablecall", "serve"], env=environment, stderr=said)
        self.port = 0
        until = time.monotonic() + 60
        while not self.port:
            assert time.monotonic() < until
            time.sleep(0.1)
            found = re.search(r"running on http://127\.0\.0\.1:(\d+)", log.read_text())
            self.port = int(found[1]) if found else 0

    def get(self, path: str) -> str:
        with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=WAIT) as answer:
            return str(answer.read().decode())

    def metric(self, name: str) -> float:
        return sum(float(line.rpartition(" ")[2]) for line in self.get("/metrics").splitlines() if re.match(rf"{name}[ {{]", line))

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), WAIT)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    found = Service(tmp_path_factory.mktemp("service") / "log")
    yield found
    found.process.terminate()
    assert found.process.wait(60) == 0
    said = found.log.read_text()
    assert "Traceback" not in said
    assert "unexpected" not in said


def read(caller: socket.socket) -> bytes:
    found = b""
    while part := caller.recv(65536):
        found += part
    return found


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not what():
        assert time.monotonic() < until
        time.sleep(0.1)


def schemathesis(service: Service, where: Path, path: str, each: int) -> None:
    """Send what the schema makes, valid and not. Rules refuse what a schema cannot: that is no fault."""
    command = [str(BIN / "schemathesis"), "run", f"http://127.0.0.1:{service.port}{path}", "--seed", "1", "--phases", "fuzzing"]
    command += ["--exclude-checks", "positive_data_acceptance", "--warnings", "off", "--request-timeout", "30", "--no-shrink", "--no-color"]
    command += ["-n", str(each), "-w", "2", "--max-time", str(SECONDS), "--continue-on-failure"]
    hooks = {**os.environ, "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py")}
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False, env=hooks)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    found = re.search(r"(\d+) generated", done.stdout)
    assert found
    print(f"{found[1]} cases from {path}")


@pytest.mark.parametrize(("path", "operations"), [("/openapi.json", 4 * len(PUBLISHED)), ("/graphql", 80)])
def test_what_schemathesis_makes_of_the_contract(service: Service, tmp_path: Path, path: str, operations: int) -> None:
    schemathesis(service, tmp_path, path, max(CASES // operations, 1))


@settings(max_examples=CASES)
@given(asked=spoiled(), verb=st.sampled_from(["resolve", "odds"]))
def test_thousands_of_spoiled_examples_by_rest(verb: str, asked: tuple[str, Any]) -> None:
    tag, document = asked
    body = json.dumps(document).encode()
    judged(CLIENT.post(f"/{verb}/{PUBLISHED[tag].path}", content=body, headers={"content-type": "application/json"}))


@settings(max_examples=CASES)
@given(asked=spoiled(), verb=st.sampled_from(["resolve", "odds"]))
def test_thousands_of_spoiled_examples_by_graphql(verb: str, asked: tuple[str, Any]) -> None:
    tag, document = asked
    query = f"query($request: ResolveRequest!) {{ {verb}(request: $request) {{ action }} }}"
    body = json.dumps({"query": query, "variables": {"request": {member(tag): document}}}).encode()
    answer = CLIENT.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in {200, 400, 422}, answer.text
    for error in answer.json().get("errors", []):
        assert error["extensions"]["problem"]["status"] < 500
        assert SENT not in json.dumps(error)


def test_slow_callers_are_cut_and_others_do_not_notice(service: Service) -> None:
    callers = [service.connect() for _ in range(200)]
    for index, caller in enumerate(callers):
        caller.sendall((HEAD + CHECK[:5], HEAD[:30], b"\r\n", b"")[index % 4])
    longest = 0.0
    until = time.monotonic() + 4
    while time.monotonic() < until:
        for caller in callers[1::4]:
            try:
                caller.sendall(b"x")
            except OSError:
                continue
        began = time.monotonic()
        assert service.get("/livez") == "ok\n"
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.2)
    for caller in callers:
        with caller:
            try:
                assert b" 200 " not in read(caller)
            except ConnectionResetError:
                continue
    print(f"longest wait of another caller {longest * 1000:.0f} ms")


def test_uploads_given_up_leave_nothing_behind(service: Service) -> None:
    for index in range(2_000):
        with service.connect() as caller:
            caller.sendall(HEAD + CHECK[: index % len(CHECK)])
    wait_for(lambda: service.metric("tablecall_running") == 1)


def test_ten_thousand_connections_in_turn(service: Service) -> None:
    def call(count: int) -> None:
        for _ in range(count):
            with service.connect() as caller:
                caller.sendall(HEAD.replace(b"Host: here", b"Host: here\r\nConnection: close") + CHECK)
                assert read(caller).startswith(b"HTTP/1.1 200")

    call(CONNECTIONS // 10)
    open_files, memory = service.metric("process_open_fds"), service.metric("process_resident_memory_bytes")
    call(CONNECTIONS - CONNECTIONS // 10)
    wait_for(lambda: service.metric("process_open_fds") <= open_files + 2)
    grown = service.metric("process_resident_memory_bytes") / memory
    assert grown < 1.05
    print(f"memory after ten times as many: {grown:.3f} times")


def test_a_connection_kept_for_thousands_of_requests(service: Service) -> None:
    caller = HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
    for _ in range(5_000):
        caller.request("POST", "/resolve/jazz/check", CHECK, {"content-type": "application/json"})
        answer = caller.getresponse()
        answer.read()
        assert answer.status == 200
    caller.close()
