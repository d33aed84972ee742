"""Writing answers at once. Uvicorn checks and joins their headers one by one, and hands each to the system by head and body.

Most answers are whole and say how long they are, and nearly all they say in their head was said before. And to hand something
to the system wakes whoever waits for it, which costs the processor all it had at hand; so the answers of one turn of the event
loop go out together, at its end.
"""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_MOST = 65_536
"""A longer body is not joined to its head: where many callers wait for the same, each would have a copy of its own."""
_LEFT = frozenset({b"connection", b"transfer-encoding"})
_CLOSES = b"connection: close\r\n"
HELD = 0.001
"""How long an answer may wait for the others of its turn, in seconds."""
_BODILESS = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


class Outbox:
    """What is written in one turn of the event loop, in its order, by all connections."""

    def __init__(self) -> None:
        self._held: list[tuple[asyncio.Transport, bytes]] = []
        self._since = 0.0

    def put(self, transport: asyncio.Transport, data: bytes) -> None:
        """Write when the loop comes round, or now where what is held has waited long enough."""
        now = perf_counter()
        if not self._held:
            asyncio.get_running_loop().call_soon(self.flush)
            self._since = now
        self._held.append((transport, data))
        if now - self._since > HELD:
            self.flush()

    def flush(self) -> None:
        """Write what is held; to a caller that has gone, nothing."""
        held, self._held = self._held, []
        for transport, data in held:
            if not transport.is_closing():
                transport.write(data)


class Answer:
    """An application whose whole answers are written in one go; of anything else uvicorn makes what it always does."""

    __slots__ = ("app", "cycle", "head", "outbox")

    def __init__(self, app: ASGIApp, cycle: RequestResponseCycle, outbox: Outbox) -> None:
        self.app = app
        self.cycle = cycle
        self.outbox = outbox
        self.head: Message | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Where that fails uvicorn hangs up, and what was answered before shall be out by then."""
        try:
            await self.app(scope, receive, self.send)
        except BaseException:
            self.outbox.flush()
            raise

    async def send(self, message: Message) -> None:
        """Hold the head until there is a body to it."""
        if message["type"] == "http.response.start" and self.head is None and not self.cycle.response_started:
            self.head = message
            return
        head, self.head = self.head, None
        if head is not None:
            if message["type"] == "http.response.body" and not message.get("more_body") and self._written(head, message.get("body", b"")):
                return
            self.outbox.flush()
            await self.cycle.send(head)  # type: ignore[arg-type]
        await self.cycle.send(message)  # type: ignore[arg-type]

    def _written(self, head: Message, body: bytes) -> bool:
        """Write a whole answer, if it is an ordinary one."""
        cycle = self.cycle
        if cycle.disconnected or cycle.flow.write_paused or cycle.transport.is_closing() or cycle.scope["method"] == "HEAD":
            return False
        length, keep_alive, said = -1, cycle.keep_alive, False
        lines = [STATUS_LINE[head["status"]]]
        for name, value in (*cycle.default_headers, *head.get("headers", ())):
            if name == b"content-length":
                length = int(value)
                lines.append(b"content-length: %d\r\n" % length)
            elif name == b"x-request-id":
                lines.append(b"x-request-id: %b\r\n" % value)
            elif name == b"connection" and value == b"close":
                keep_alive, said = False, True
                lines.append(_CLOSES)
            elif name in _LEFT:
                return False
            else:
                lines.append(_line(name, value))
        if length != len(body) or length > _MOST or head["status"] in _BODILESS:
            return False
        if not keep_alive and not said:
            lines.append(_CLOSES)
        lines.append(b"\r\n")
        lines.append(body)
        self.outbox.put(cycle.transport, b"".join(lines))
        cycle.waiting_for_100_continue = False
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if not keep_alive:
            self.outbox.flush()
            cycle.transport.close()
        cycle.on_response()
        return True


@lru_cache(maxsize=512)
def _line(name: bytes, value: bytes) -> bytes:
    """A header as it goes over the wire. Refuses (`RuntimeError`) what would be more than one, as uvicorn does."""
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        raise RuntimeError("no such header can be sent")
    return b"%b: %b\r\n" % (name.lower(), value)
