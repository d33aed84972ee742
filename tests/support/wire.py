"""A connection without a socket: what arrives on it, and what is written to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tablecall.runtime.connection import Connection, Shared
from tablecall.settings import Settings


class Wire(asyncio.Transport):
    """A transport that records what is written. ``unsent`` is the size of its write buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.events: list[str] = []
        self.closing = False
        self.unsent = 0

    @property
    def written(self) -> bytes:
        return b"".join(self.writes)

    def write(self, data: Any) -> None:
        self.writes.append(bytes(data))

    def write_eof(self) -> None:
        self.events.append("eof")

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True
        self.events.append("close")

    def abort(self) -> None:
        self.events.append("abort")

    def pause_reading(self) -> None:
        self.events.append("pause")

    def resume_reading(self) -> None:
        self.events.append("resume")

    def get_write_buffer_size(self) -> int:
        return self.unsent


def uvicorn_state() -> Any:
    """What a connection uses of uvicorn's server state."""
    return SimpleNamespace(connections=set(), tasks=set(), total_requests=0, default_headers=[(b"date", b"today")])


def connect(app: Any, count: Callable[[str], None] = lambda code: None, **settings: Any) -> tuple[Connection, Wire]:
    """A connection to an application. Call it inside the event loop."""
    shared = Shared(Settings(**settings), lambda code: f"HTTP/1.1 {code}\r\n\r\nrefused".encode(), count)
    config: Any = SimpleNamespace(loaded_app=app)
    connection, wire = Connection(config=config, server_state=uvicorn_state(), app_state={}, _loop=None, shared=shared), Wire()
    connection.connection_made(wire)
    return connection, wire


async def settle() -> None:
    """Let everything come as far as it can without anything new."""
    for _ in range(20):
        await asyncio.sleep(0)


def exchanged(app: Any, *parts: bytes) -> Wire:
    """What is written where these bytes arrive one after the other."""

    async def run() -> Wire:
        connection, wire = connect(app)
        for part in parts:
            connection.data_received(part)
            await settle()
        events = wire.events.copy()
        connection.connection_lost(None)
        await settle()
        wire.events = events
        return wire

    return asyncio.run(run())
