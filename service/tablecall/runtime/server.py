"""The server: uvicorn for sockets, signals and the lifespan, with a protocol of our own, and a shutdown in two steps."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from functools import partial
from http import HTTPStatus
from time import monotonic
from types import FrameType

import orjson
import uvicorn
from starlette.types import ASGIApp

from tablecall.model.problems import MEDIA_TYPE, HttpProblem, problem_body
from tablecall.runtime import logs
from tablecall.runtime.connection import Connection, Shared
from tablecall.runtime.services import Services
from tablecall.settings import PREFIX, Settings, unknown_variables

log = logging.getLogger("tablecall")

CUT_OFF = 1.0
"""How many seconds what is cut off has to come to its end."""


class Server(uvicorn.Server):
    """Stops in two steps: first it says that it is not ready, then, a while later, it takes nothing new."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self.services = services
        self.stop_at = float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to drain. A second signal stops without waiting; a second Ctrl-C also cuts the requests being answered off.

        The signal is not raised again afterwards, so that a service that stops on request exits with 0.
        """
        if not self.services.draining:
            self.services.draining = True
            self.stop_at = monotonic() + self.services.settings.drain_seconds
        else:
            self.stop_at = 0
            self.force_exit = self.force_exit or sig == signal.SIGINT

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop. Requests cut off after the grace period may still clean up; then the remaining connections are closed."""
        await super().shutdown(sockets)
        if self.server_state.tasks and not self.force_exit:
            await asyncio.wait(self.server_state.tasks, timeout=CUT_OFF)
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it is time."""
        self.should_exit = self.should_exit or monotonic() >= self.stop_at
        return await super().on_tick(counter)


def server(app: ASGIApp, settings: Settings, services: Services) -> Server:
    """The server of one application, not yet running."""
    refusal = partial(_raw_problem, any_origin="*" in settings.cors_origins)
    shared = Shared(settings, refusal, services.metrics.refused)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=partial(Connection, shared=shared),  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=settings.grace_seconds,
    )
    return Server(config, services)


def _raw_problem(code: str, *, any_origin: bool) -> bytes:
    """A problem as the bytes of a response, for what is refused before a request exists. The connection closes after it.

    With ``any_origin`` the pages of every origin may read it.
    """
    error = HttpProblem(code)
    body = orjson.dumps(problem_body(error))
    headers = {
        **error.kind.headers,
        "Content-Type": f"{MEDIA_TYPE}; charset=utf-8",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    if any_origin:
        headers["Access-Control-Allow-Origin"] = "*"
    lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
    status = HTTPStatus(error.kind.status)
    return f"HTTP/1.1 {status} {status.phrase}\r\n{lines}\r\n".encode() + body


def _fill_standard_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Otherwise a socket gets such a descriptor. Whatever prints to the standard error then writes into it, and libuv aborts when it
    closes a descriptor below 3.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _forget_keys() -> None:
    """Remove the signing key from the environment, which worker processes inherit. The settings hold it."""
    for name in [name for name in os.environ if name.upper() == f"{PREFIX}SIGNING_KEY"]:
        del os.environ[name]


def serve(app: ASGIApp, settings: Settings, services: Services) -> None:
    """Serve until told to stop."""
    _fill_standard_streams()
    _forget_keys()
    logs.configure(settings, services.writer)
    try:
        if unknown := unknown_variables(os.environ):
            log.warning("unknown settings are ignored: %s", ", ".join(unknown))
        server(app, settings, services).run()
    finally:
        services.writer.close()
