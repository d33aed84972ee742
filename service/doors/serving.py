"""The server: uvicorn, made to bound what comes before a request is one, and to stop without losing anybody."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any, cast

import orjson
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from service.doors.observing import logs
from service.doors.observing.vitals import Vitals
from service.doors.problems import MEDIA_TYPE, Refused, body_of
from service.doors.writing import Answer, Outbox
from service.settings import Settings

LINGER = 0.3
"""How long, in seconds, a connection stays open when the service stops, for a request that is already on its way."""
MAX_WAITING = 64
"""How many requests of one connection may wait for the one before: uvicorn would read on and on."""
HEARD_OUT = 1.0
"""How long, in seconds, what a caller still sends after the last answer is read and dropped: hung up on, it might lose the answer."""
STILL_THERE = 5.0
"""How long, in seconds, a caller who sends nothing more is thought to wait for an answer to begin. One who has left looks the same."""


class Protocol(HttpToolsProtocol):
    """One connection. Uvicorn bounds neither how long a head may take nor how large it may be; this does.

    Whatever is refused before a request exists is the same problem document as everywhere.
    """

    def __init__(self, *given: Any, settings: Settings, vitals: Vitals, outbox: Outbox, **named: Any) -> None:
        super().__init__(*given, **named)
        self.outbox = outbox
        self.settings = settings
        self.vitals = vitals
        self.in_head = False
        self.head_size = 0
        self.refusal = "bad-request"
        self.head_timer: asyncio.TimerHandle | None = None
        self.write_timer: asyncio.TimerHandle | None = None
        self.answering: RequestResponseCycle | None = None
        self.over = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A caller is there; one too many is told so."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.max_connections:
            self.refuse("busy")
        else:
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Some bytes; a head that is not whole must be so in time, and must not grow too large."""
        if self._closing():
            return
        super().data_received(data)
        if self._closing():
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
        super()._start_asgi_task(cycle, Answer(app, cycle, self.outbox, self.hang_up))  # type: ignore[arg-type]

    def pause_writing(self) -> None:
        """The caller does not read what it is sent."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The caller reads again."""
        super().resume_writing()
        self._stop_write_timer()

    def eof_received(self) -> bool:  # type: ignore[override]
        """The caller sends nothing more, but may well read (`nc -N`): what was asked for whole is answered, and then it is over."""
        if self.over:
            return False
        if self.pipeline and self.cycle.more_body:
            self.pipeline.popleft()  # the newest; it will never be whole
        last = self.pipeline[0][0] if self.pipeline else self.answering
        if last is None or last.response_complete or last.more_body:
            self.outbox.flush()
            return False
        last.keep_alive = False
        self._stop_head_timer()
        self.loop.call_later(STILL_THERE, self._has_left)
        return True

    def _has_left(self) -> None:
        if self.answering is not None and not self.answering.response_started:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The caller is gone."""
        self._stop_head_timer()
        self._stop_write_timer()
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        """Nobody waits for what is being answered; uvicorn tells the newest request only, which may still have waited for this one."""
        if self.answering is not None:
            self.answering.disconnected = True
            self.answering.message_event.set()

    def shutdown(self) -> None:
        """The service stops: what is being answered is, and a request already on its way gets the moment it needs."""
        if self._idle:
            self.loop.call_later(LINGER, self._end)
        else:
            self._end()

    def _end(self) -> None:
        self.outbox.flush()
        super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """What cannot be parsed, or was given up while it was parsed."""
        self.refuse(self.refusal)

    def refuse(self, code: str) -> None:
        """Say what is wrong, unless an answer has begun that this would garble, and hang up."""
        self.outbox.flush()
        if self._idle or not self.cycle.response_started:
            self.transport.write(_raw(code, open_to_all="*" in self.settings.cors_origins))
        self.vitals.metrics.refused(code)
        self._hear_out()

    def hang_up(self) -> None:
        """The last answer is given."""
        self.outbox.flush()
        if self.cycle.more_body:
            self._hear_out()
        else:
            self.transport.close()

    def _hear_out(self) -> None:
        """Answer nothing more, but let the caller say all it is about to: closed in its face, the last answer would be lost with it."""
        self.over = True
        self.pipeline.clear()
        self._stop_head_timer()
        self._leave()
        self.flow.resume_reading()
        self.transport.write_eof()
        self.loop.call_later(HEARD_OUT, self.transport.close)

    def _closing(self) -> bool:
        return self.over or self.transport.is_closing()

    @property
    def _idle(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is None or cycle.response_complete

    def _stop_head_timer(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def _stop_write_timer(self) -> None:
        if self.write_timer is not None:
            self.write_timer.cancel()
            self.write_timer = None

    def _expect_head(self) -> None:
        self.head_timer = self.loop.call_later(self.settings.header_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        if self.in_head:
            self.refuse("too-slow")
        else:
            self.transport.close()

    def _expect_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self.write_timer = self.loop.call_later(self.settings.write_seconds, self._reading_is_late, unread)

    def _reading_is_late(self, unread: int) -> None:
        if self.transport.get_write_buffer_size() < unread:
            self._expect_reading()  # slow, but reading
        else:
            self.transport.abort()

    def _give_up(self, code: str) -> None:
        self.refusal = code
        raise ValueError(code)  # the parser stops, and `send_400_response` is called


def _raw(code: str, *, open_to_all: bool) -> bytes:
    """A problem as the bytes of a whole answer; any page may read it where any may call."""
    refused = Refused(code)
    body = orjson.dumps(body_of(refused))
    headers = {**refused.kind.headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body)), "Connection": "close"}
    if open_to_all:
        headers["Access-Control-Allow-Origin"] = "*"
    lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
    return STATUS_LINE[refused.kind.status] + lines.encode() + b"\r\n" + body


class Server(uvicorn.Server):
    """Stops in two steps: first it says that it is not ready, then, a while later, it takes nothing new."""

    def __init__(self, config: uvicorn.Config, vitals: Vitals) -> None:
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

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it is time."""
        self.should_exit = self.should_exit or monotonic() >= self.stop_at
        return await super().on_tick(counter)


def server(app: ASGIApp, settings: Settings, vitals: Vitals) -> Server:
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


def serve(app: ASGIApp, settings: Settings, vitals: Vitals) -> None:
    """Serve until told to stop."""
    logs.configure(settings)
    server(app, settings, vitals).run()
