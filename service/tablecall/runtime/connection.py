"""One connection: what is bounded before a request is one, and how it ends without taking an answer back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from tablecall.model.problems import MEDIA_TYPE, HttpProblem, problem_body
from tablecall.runtime.services import Services
from tablecall.runtime.writing import Answer, Outbox
from tablecall.settings import Settings

LINGER = 0.3
"""How long, in seconds, a connection stays open when the service stops, for a request that is already on its way."""
MAX_WAITING = 64
"""How many requests of one connection may wait for the one before: uvicorn would read on and on."""
HEARD_OUT = 1.0
"""How long, in seconds, what a caller still sends after the last answer is read and dropped: hung up on, it might lose the answer."""
STILL_THERE = 5.0
"""How long, in seconds, a caller who sends nothing more is thought to wait for an answer to begin. One who has left looks the same."""


class Wire:
    """A connection as an answer sees it: to hang up is the protocol's to do, which knows what is still to be read and written."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class Protocol(HttpToolsProtocol):
    """One connection. Uvicorn bounds neither how long a head may take nor how large it may be; this does.

    Whatever is refused before a request exists is the same problem document as everywhere, after the answers to all that was
    asked for before it. ``deaf``: what still comes is not read as requests; ``over``: nothing more is answered; ``ended``: nothing
    more comes.
    """

    def __init__(self, *given: Any, settings: Settings, services: Services, outbox: Outbox, **named: Any) -> None:
        super().__init__(*given, **named)
        self.outbox = outbox
        self.settings = settings
        self.services = services
        self.in_head = False
        self.head_size = 0
        self.refusal = "bad-request"
        self.head_timer: asyncio.TimerHandle | None = None
        self.write_timer: asyncio.TimerHandle | None = None
        self.end_timer: asyncio.TimerHandle | None = None
        self.answering: RequestResponseCycle | None = None
        self.deaf = self.over = self.ended = self.heard_out = False
        self.last_word = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A caller is there; one too many is told so."""
        super().connection_made(transport)
        self.wire = Wire(transport, self.hang_up)
        if len(self.connections) - self.services.lingering > self.settings.max_connections:
            self.refuse("busy")
        else:
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Some bytes; a head that is not whole must be so in time, and must not grow too large."""
        if self._hears_nothing():
            return
        super().data_received(data)
        if self._hears_nothing():
            return
        if self.in_head:
            self.head_size += len(data)
            if self.head_size > self.settings.max_header_bytes:
                self.refuse("headers-too-large")
            elif self.head_timer is None:
                self._expect_head()
        elif self.head_timer is None and self.timeout_keep_alive_task is None and self._idle:
            self._expect_head()  # nothing but empty lines

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self.in_head, self.head_size = True, 0

    def on_url(self, url: bytes) -> None:
        """A part of the path and query."""
        super().on_url(url)
        if len(self.url) > self.settings.max_url_bytes:
            self._give_up("url-too-long")

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        super().on_header(name, value)
        self.head_size += len(name) + len(value)
        if self.head_size > self.settings.max_header_bytes:
            self._give_up("headers-too-large")

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self.in_head = False
        self._stop_head_timer()
        super().on_headers_complete()
        if len(self.pipeline) > MAX_WAITING:
            self._give_up("busy")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self.answering = cycle
        cycle.transport = self.wire  # type: ignore[assignment]
        super()._start_asgi_task(cycle, Answer(app, cycle, self.outbox))  # type: ignore[arg-type]

    def on_response_complete(self) -> None:
        """An answer is out: the next, or the last word."""
        super().on_response_complete()
        if self.last_word and not self._answering():
            self._say_last_word()

    def pause_writing(self) -> None:
        """The caller does not read what it is sent."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The caller reads again."""
        super().resume_writing()
        self._stop_write_timer()
        if self._hears_nothing():
            self._expect_reading()  # to the end

    def eof_received(self) -> bool:  # type: ignore[override]
        """The caller sends nothing more, but may well read (`nc -N`): what was asked for whole is answered, and then it is over."""
        self.ended = True
        self._stop_head_timer()
        if not self.deaf:
            self._forget_what_is_not_whole()
        if self.over or not self._answering() or self._newest.more_body:
            self._close()
        else:
            if not self.deaf:
                self._newest.keep_alive = False
            self.end_timer = self.loop.call_later(STILL_THERE, self._has_left, self.answering)
        return True

    def _has_left(self, seen: RequestResponseCycle | None) -> None:
        """Close where nothing has come of what is being answered since it was ``seen``, and not because the caller is slow to read."""
        assert self.answering is not None
        if self.answering is seen and not seen.response_started and not self.flow.write_paused:
            self._close()
        else:
            self.end_timer = self.loop.call_later(STILL_THERE, self._has_left, self.answering)

    def connection_lost(self, exc: Exception | None) -> None:
        """The caller is gone."""
        self._stop_head_timer()
        self._stop_write_timer()
        if self.end_timer is not None:
            self.end_timer.cancel()  # it would keep all of this in memory
        if self.heard_out:
            self.services.lingering -= 1
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        """Nobody waits for what is being answered; uvicorn tells the newest request only, which may still have waited for this one."""
        if self.answering is not None:
            self.answering.disconnected = True
            self.answering.waiting_for_100_continue = False
            self.answering.message_event.set()

    def shutdown(self) -> None:
        """The service stops: what is being answered is, and a request already on its way gets the moment it needs."""
        if self._idle:
            self.loop.call_later(LINGER, self._end)
        else:
            self._end()

    def _end(self) -> None:
        if self._idle:
            self._close()
        else:
            self.cycle.keep_alive = False

    def timeout_keep_alive_handler(self) -> None:
        """No further request has come."""
        self._close()

    def send_400_response(self, msg: str) -> None:
        """What cannot be parsed, or was given up while it was parsed."""
        self.refuse(self.refusal)

    def refuse(self, code: str) -> None:
        """Say what is wrong when everything before it is answered, unless an answer has begun that this would garble, and hang up."""
        self.services.metrics.refused(code)
        self.last_word = _raw(code, open_to_all="*" in self.settings.cors_origins)
        self.deaf = True
        self._stop_head_timer()
        self._forget_what_is_not_whole()
        if not self._answering() or self._newest.more_body:
            self._say_last_word()

    def _say_last_word(self) -> None:
        self.outbox.flush()
        if not self._answering() or not self._newest.response_started:
            self.transport.write(self.last_word)
        self.hang_up()

    def hang_up(self) -> None:
        """Answer nothing more, but hear what the caller still says: with something unread, to close would take back what was written."""
        if self.over or self.transport.is_closing():
            return
        self.outbox.flush()
        self.deaf = self.over = True
        self.last_word = b""
        self.pipeline.clear()
        self._stop_head_timer()
        self._leave()
        if self.ended or self.services.lingering >= self.settings.max_connections:
            self._close()
            return
        self.heard_out = True
        self.services.lingering += 1
        self.flow.resume_reading()
        self.transport.write_eof()
        self._heard_out()

    def _heard_out(self) -> None:
        """Close a moment after everything is written."""
        self._expect_reading()
        self.end_timer = self.loop.call_later(HEARD_OUT, self._heard_out if self.transport.get_write_buffer_size() else self._close)

    def _close(self) -> None:
        """Close when everything is written; a caller who reads none of it is cut off."""
        self.outbox.flush()
        self.transport.close()
        self._expect_reading()

    def _hears_nothing(self) -> bool:
        return self.deaf or self.transport.is_closing()

    @property
    def _idle(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is None or cycle.response_complete

    def _answering(self) -> bool:
        return self.answering is not None and not self.answering.response_complete

    @property
    def _newest(self) -> RequestResponseCycle:
        """The last request that will be answered, where one is being answered."""
        newest = self.pipeline[0][0] if self.pipeline else self.answering
        assert newest is not None
        return newest

    def _forget_what_is_not_whole(self) -> None:
        """The newest request of those that wait, where its body will never be whole."""
        if self.pipeline and self.cycle.more_body:
            self.pipeline.popleft()

    def _stop_write_timer(self) -> None:
        if self.write_timer is not None:
            self.write_timer.cancel()
            self.write_timer = None

    def _stop_head_timer(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def _expect_head(self) -> None:
        self.head_timer = self.loop.call_later(self.settings.header_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        if self.in_head:
            self.refuse("too-slow")
        else:
            self._close()

    def _expect_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread and self.write_timer is None:
            self.write_timer = self.loop.call_later(self.settings.write_seconds, self._reading_is_late, unread)

    def _reading_is_late(self, unread: int) -> None:
        self.write_timer = None
        left = self.transport.get_write_buffer_size()
        if left < unread:
            self._expect_reading()  # slow, but reading
        else:
            self.transport.abort()

    def _give_up(self, code: str) -> None:
        self.refusal = code
        raise ValueError(code)  # the parser stops, and `send_400_response` is called


def _raw(code: str, *, open_to_all: bool) -> bytes:
    """A problem as the bytes of a whole answer; any page may read it where any may call."""
    refused = HttpProblem(code)
    body = orjson.dumps(problem_body(refused))
    headers = {**refused.kind.headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body)), "Connection": "close"}
    if open_to_all:
        headers["Access-Control-Allow-Origin"] = "*"
    lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
    return STATUS_LINE[refused.kind.status] + lines.encode() + b"\r\n" + body
