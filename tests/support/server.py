"""A server on a real socket, and what is sent to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

from tablecall.app import create_app
from tablecall.runtime.server import Server, server
from tablecall.runtime.services import Services
from tablecall.settings import Settings

CHECK = b'{"actor": {"bonus": 3}, "difficulty": 10}'
HEAD = b"POST /resolve/jazz/check HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(CHECK) + CHECK
LIVE = b"GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"
LINE = b'{"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}\n'
WAIT = 60.0
"""Seconds after which a test that waits has failed. It is long because the machine may be busy."""


class Running:
    """A server in a thread, and its address."""

    def __init__(self, served: Server) -> None:
        self.server = served
        self.thread = threading.Thread(target=served.run)

    @property
    def port(self) -> int:
        found: int = self.server.servers[0].sockets[0].getsockname()[1]
        return found

    @property
    def connections(self) -> Any:
        return self.server.server_state.connections

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), WAIT)

    def send(self, *parts: bytes) -> bytes:
        """Everything that is answered to these bytes until the connection is closed."""
        with self.connect() as caller:
            for part in parts:
                caller.sendall(part)
            return read(caller)

    def metrics(self) -> str:
        return get(self.port, "/metrics")


def read(caller: socket.socket) -> bytes:
    return b"".join(iter(lambda: caller.recv(1 << 20), b""))


@contextmanager
def running(app: Any = None, **settings: Any) -> Iterator[Running]:
    given = Settings(port=0, **settings)
    services = Services(given)
    found = Running(server(app or create_app(services=services), given, services))
    found.thread.start()
    try:
        wait_for(lambda: found.server.started)
        yield found
    finally:
        found.server.should_exit = True
        found.thread.join(WAIT)
    assert not found.thread.is_alive()


@contextmanager
def serving(**environment: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`tablecall serve` as a process of its own, and its port. Its log is read up to the line that names the port."""
    command = [sys.executable, "-c", "from tablecall.cli import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next((line for line in process.stderr if "running on" in line), "")
            yield process, int(line.partition("127.0.0.1:")[2].partition(" ")[0])
        finally:
            process.kill()


def get(port: int, path: str) -> str:
    """The body of a response with status 200."""
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=WAIT) as answer:
        body: bytes = answer.read()
    return body.decode()


def wait_for(what: Any) -> None:
    until = time.monotonic() + WAIT
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


def over_http(answer: Any) -> Any:
    """An application that answers so, and has nothing to do when the service starts and stops."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await answer(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return app


@over_http
async def endless(scope: Any, receive: Any, send: Any) -> None:
    """An answer larger than any buffer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for more in (True, True, True, False):
        await send({"type": "http.response.body", "body": b"x" * 4_000_000, "more_body": more})
