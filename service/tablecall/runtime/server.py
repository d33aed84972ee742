"""The server: uvicorn, made to bound what comes before a request is one, and to stop without losing anybody."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from functools import partial
from time import monotonic
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from tablecall.runtime import logs
from tablecall.runtime.app_state import AppState
from tablecall.runtime.connection import Protocol
from tablecall.runtime.writing import Outbox
from tablecall.settings import Settings, unknown_variables

log = logging.getLogger("tablecall")

CUT_OFF = 1.0
"""How many seconds what is cut off has to come to its end."""


class Server(uvicorn.Server):
    """Stops in two steps: first it says that it is not ready, then, a while later, it takes nothing new."""

    def __init__(self, config: uvicorn.Config, vitals: AppState) -> None:
        super().__init__(config)
        self.vitals = vitals
        self.stop_at = float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to stop. A second time: without waiting; a second Ctrl-C: without finishing what is being answered.

        The signal is not raised again afterwards: whoever stops as told exits with 0.
        """
        if not self.vitals.draining:
            self.vitals.draining = True
            self.stop_at = monotonic() + self.vitals.settings.drain_seconds
        else:
            self.stop_at = 0
            self.force_exit = self.force_exit or sig == signal.SIGINT

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop. What its grace has cut off comes to its end before the event loop does, and what is still open is cut too."""
        await super().shutdown(sockets)
        if self.server_state.tasks and not self.force_exit:
            await asyncio.wait(self.server_state.tasks, timeout=CUT_OFF)
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it is time."""
        self.should_exit = self.should_exit or monotonic() >= self.stop_at
        return await super().on_tick(counter)


def server(app: ASGIApp, settings: Settings, vitals: AppState) -> Server:
    """The server of one application, not yet running."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=partial(Protocol, settings=settings, vitals=vitals, outbox=Outbox()),  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.idle_seconds,
        timeout_graceful_shutdown=settings.grace_seconds,
    )
    return Server(config, vitals)


def _fill_standard_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Otherwise a socket gets such a descriptor. Whatever prints to the standard error then writes into it, and libuv aborts when it
    closes a descriptor below 3.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def serve(app: ASGIApp, settings: Settings, vitals: AppState) -> None:
    """Serve until told to stop."""
    _fill_standard_streams()
    logs.configure(settings, vitals.writer)
    try:
        if unknown := unknown_variables(os.environ):
            log.warning("ignored unknown settings: %s", ", ".join(unknown))
        server(app, settings, vitals).run()
    finally:
        vitals.writer.close()
