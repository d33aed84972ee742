"""One request and its response: what the application receives and sends, and the bytes of the response.

Most responses are complete at once, and nearly all of their header lines were sent before. So lines are cached, and the complete
responses of one turn of the event loop are written together: each write to a socket wakes the process that waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from enum import Enum
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, Protocol

from starlette.types import ASGIApp, Message
from uvicorn.server import ServerState

MAX_UNREAD_BODY = 65_536
"""Bytes of a body that may wait for the application before reading from the connection pauses."""
MAX_JOINED = 65_536
"""A longer body is not joined to its head, which would copy it."""
MAX_HELD_SECONDS = 0.001
"""Seconds a complete response may wait for the others of its turn."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_BODILESS = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})

log = logging.getLogger("tablecall")


class Outbox:
    """The responses of one turn of the event loop, of all connections, in their order."""

    def __init__(self) -> None:
        self._held: list[tuple[asyncio.Transport, bytes]] = []
        self._since = 0.0

    def put(self, transport: asyncio.Transport, data: bytes) -> None:
        """Write at the end of this turn, or now if the turn has been long."""
        now = perf_counter()
        if not self._held:
            asyncio.get_running_loop().call_soon(self.flush)
            self._since = now
        self._held.append((transport, data))
        if now - self._since > MAX_HELD_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is held; nothing to connections that are closing."""
        held, self._held = self._held, []
        for transport, data in held:
            if not transport.is_closing():
                transport.write(data)


class Framing(Enum):
    """How the end of a response's body is recognised."""

    NONE = "there is no body"
    LENGTH = "Content-Length"
    CHUNKED = "Transfer-Encoding: chunked"
    CLOSE = "the connection closes"


NONE, LENGTH, CHUNKED, CLOSE = Framing


class Channel(Protocol):
    """What an exchange needs of its connection."""

    app: ASGIApp
    outbox: Outbox
    transport: asyncio.Transport
    server_state: ServerState
    blocked: asyncio.Event | None

    def write(self, data: bytes) -> None:
        """Write now, after everything that waits to be written."""
        ...

    def resume_reading(self) -> None:
        """Read on, where reading was paused."""
        ...

    def responded(self, exchange: Exchange) -> None:
        """A response is complete."""
        ...

    def failed(self, exchange: Exchange) -> None:
        """The application gave no complete response."""
        ...


class Exchange:
    """One request and its response, as ASGI messages.

    ``started``: bytes of the response were written. ``complete``: all of them were. ``gone``: the client waits for no more.
    The head of a response is held until the first part of its body, and written with it.
    """

    __slots__ = (
        "_event", "_framing", "_head", "_parts", "_remaining", "_size", "complete", "connection", "gone", "keep_alive", "more_body",
        "scope", "started", "wants_continue",
    )  # fmt: skip

    def __init__(self, connection: Channel, scope: dict[str, Any], keep_alive: bool, wants_continue: bool) -> None:
        self.connection = connection
        self.scope = scope
        self.keep_alive = keep_alive
        self.wants_continue = wants_continue
        self.more_body = True
        self.started = self.complete = self.gone = False
        self._parts: list[bytes] | None = []
        self._size = 0
        self._event: asyncio.Event | None = None
        self._head: Message | None = None
        self._framing = NONE
        self._remaining = 0

    async def run(self) -> None:
        """Let the application respond."""
        failed = False
        try:
            await self.connection.app(self.scope, self.receive, self.send)
        except Exception as error:
            failed = True
            log.error("unexpected failure", exc_info=error)
        finally:
            if not self.complete and not self.gone:
                if not failed:
                    log.error("the application ended without a complete response")
                self.connection.failed(self)

    # ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────

    def body_received(self, part: bytes) -> bool:
        """Keep a part of the body for the application; whether reading should pause."""
        if self.complete or self._parts is None:
            return False
        self._parts.append(part)
        self._size += len(part)
        self.wake()
        return self._size > MAX_UNREAD_BODY

    def body_ended(self) -> None:
        """The body is complete."""
        self.more_body = False
        self.wake()

    def abandon(self) -> None:
        """The client waits for no response any more."""
        self.gone = True
        self.wake()

    def wake(self) -> None:
        """Let `receive` look again."""
        if self._event is not None:
            self._event.set()

    async def receive(self) -> Message:
        """The next part of the body, or ``http.disconnect`` when no response is wanted any more."""
        if self.wants_continue and not self.started and not self.gone:
            self.wants_continue = False
            if self.more_body and not self._parts:
                self.connection.write(CONTINUE)
        while not (self.gone or self.complete or self._parts or (self._parts is not None and not self.more_body)):
            self.connection.resume_reading()
            self._event = self._event or asyncio.Event()
            self._event.clear()
            await self._event.wait()
        if self.gone or self.complete:
            return {"type": "http.disconnect"}
        assert self._parts is not None
        body, self._size = b"".join(self._parts), 0
        self._parts = [] if self.more_body else None  # None: all of it was received
        self.connection.resume_reading()
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    # ── The response ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def send(self, message: Message) -> None:
        """Write a part of the response; wait while the client does not read. Raises `RuntimeError` for what ASGI or HTTP forbids."""
        connection = self.connection
        while connection.blocked is not None and not self.gone:
            await connection.blocked.wait()
        if self.gone:
            return
        if self._head is None:
            if message["type"] != "http.response.start":
                raise RuntimeError(f"{message['type']} before http.response.start")
            self._head = message
            return
        if message["type"] != "http.response.body" or self.complete:
            raise RuntimeError(f"{message['type']} after the response began, or ended")
        body, more = message.get("body", b""), message.get("more_body", False)
        if not self.started:
            head = self._begin(self._head, None if more else len(body))
            data = self._framed(body, more)
            self.started = True
            if len(data) > MAX_JOINED:
                connection.write(head)
                connection.write(data)
            elif more:
                connection.write(head + data)
            else:
                connection.outbox.put(connection.transport, head + data)
        else:
            connection.write(self._framed(body, more))
        if not more:
            self.complete = True
            self.wake()
            connection.responded(self)

    def _begin(self, message: Message, whole: int | None) -> bytes:
        """The head, for a body of ``whole`` bytes, or of a size that is not known yet."""
        length, status = None, message["status"]
        lines = [_status_line(status)]
        for name, value in (*self.connection.server_state.default_headers, *message.get("headers", ())):
            if name == b"x-request-id":
                lines.append(b"x-request-id: %b\r\n" % value)  # checked where it is read; always different, so not cached
            elif name == b"content-length":
                length = int(value)
            elif name == b"connection":
                self.keep_alive = self.keep_alive and value != b"close"
            else:
                lines.append(_header_line(name, value))
        bodiless = self.scope["method"] == "HEAD" or status in _BODILESS
        if length is None and not bodiless:
            length = whole
        if length is not None:
            lines.append(b"content-length: %d\r\n" % length)
            self._remaining = length
        if bodiless:
            self._framing = NONE
        elif length is not None:
            self._framing = LENGTH
        elif self.scope["http_version"] == "1.1":
            self._framing = CHUNKED
            lines.append(b"transfer-encoding: chunked\r\n")
        else:
            self._framing = CLOSE
        if self.wants_continue and self.more_body:
            self.keep_alive = False  # the client may send the body or the next request now
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        return b"".join(lines)

    def _framed(self, body: bytes, more: bool) -> bytes:
        """A part of the body as it is written."""
        if self._framing is LENGTH:
            self._remaining -= len(body)
            if self._remaining < 0 or (self._remaining and not more):
                raise RuntimeError("the body is not as long as its Content-Length")
        elif self._framing is CHUNKED:
            return b"%b%b" % (b"%x\r\n%b\r\n" % (len(body), body) if body else b"", b"" if more else b"0\r\n\r\n")
        elif self._framing is NONE:
            return b""
        return body


@lru_cache(maxsize=256)
def _status_line(status: int) -> bytes:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()


@lru_cache(maxsize=512)
def _header_line(name: bytes, value: bytes) -> bytes:
    """A header as it is written. Raises `RuntimeError` for one that would be more than one header, or end the head."""
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value) or name == b"transfer-encoding":
        raise RuntimeError("a header that cannot be sent; names are lower case, as ASGI wants them")
    return b"%b: %b\r\n" % (name, value)
