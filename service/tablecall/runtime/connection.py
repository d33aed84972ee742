"""The HTTP/1.1 protocol of the service: bounds on everything a client sends, and responses that arrive before a connection closes.

Why no library does this: uvicorn's protocols do not limit how long a head may take, or how long a client may leave its response
unread, and they close connections that have unread bytes, which can destroy the response on its way. The one on httptools also
loses the body of a request that offers an upgrade (every POST of Java's HttpClient), merges trailers into the headers, and does not
limit the size of a head. The one on h11 costs 2.25 times as much processor time.

What it saves, in processor time of the server per request of a small check: uvicorn's httptools protocol costs 1.29 times as much
as a subclass of it that writes the responses of one turn together. A prototype of this protocol, with its bounds, costs 0.92 to
0.95 times as much as that subclass. The protocol alone, without a socket and with a trivial application, costs 0.70 times as much.

What it uses of uvicorn, through the public ``Config(http=...)``: the constructor's parameters ``config``, ``server_state``,
``app_state`` and ``_loop``; ``config.loaded_app``; ``server_state.connections``, ``.tasks``, ``.total_requests`` and
``.default_headers``. Uvicorn calls `Connection.shutdown`. None of these is documented as a contract, so ``pyproject.toml`` caps
uvicorn and httptools, and a test names them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import Enum
from math import inf
from typing import Any

from starlette.types import ASGIApp
from uvicorn import Config
from uvicorn.server import ServerState

from tablecall.runtime.exchange import CONTINUE, Exchange, Outbox
from tablecall.runtime.http_parsing import HEAD, Refused, RequestParser
from tablecall.settings import Settings

SWEEP = 0.25
"""Seconds between two looks at the deadlines of all connections."""
SHUTDOWN_WAIT = 0.3
"""Seconds an idle connection stays open when the service stops, for a request that is already on its way."""
MAX_WAITING = 64
"""Requests of one connection that may wait for the one before."""
LINGER = 1.0
"""Seconds in which bytes that arrive after the last response are read and dropped. Closing with unread bytes resets the connection,
and the client may lose the response."""
PROBE = 1.0
"""Seconds until a client that has half-closed is sent the first ``100 Continue``; each further one takes twice as long."""


class State(Enum):
    """What a connection does with the bytes that arrive."""

    OPEN = "read as requests"
    FINISHING = "dropped; requests before them are still answered"
    LINGERING = "dropped; nothing is answered any more"
    CLOSED = "none arrive"


OPEN, FINISHING, LINGERING, CLOSED = State


class Shared:
    """What all connections of one server have in common.

    ``refusal`` makes the raw response of a problem's code, for what is refused before a request exists; ``count`` counts it.
    """

    def __init__(self, settings: Settings, refusal: Callable[[str], bytes], count: Callable[[str], None]) -> None:
        self.settings = settings
        self.refusal = refusal
        self.count = count
        self.outbox = Outbox()
        self.lingering = 0
        self._sweeping = False

    def sweep(self, loop: asyncio.AbstractEventLoop, connections: set[Connection]) -> None:
        """Look at the deadlines of all connections, as long as there are any.

        With one timer for all, a deadline is a number that may move either way, and setting it costs a request almost nothing.
        """
        if not self._sweeping:
            self._sweeping = True
            loop.call_later(SWEEP, self._sweep, loop, connections)

    def _sweep(self, loop: asyncio.AbstractEventLoop, connections: set[Connection]) -> None:
        self._sweeping = False
        if connections:
            self.sweep(loop, connections)
        now = loop.time()
        for connection in tuple(connections):
            if connection.read_by <= now:
                connection.read_late()
            if connection.write_by <= now:
                connection.write_late()


class Connection(asyncio.Protocol):
    """One connection.

    ``exchange`` is the request being answered, ``waiting`` are those pipelined behind it, and ``incoming`` is the one of these whose
    body is not complete. ``pending_refusal`` is written when all of them are answered. ``blocked`` is set while the client does not
    read. ``read_by`` and ``write_by`` are deadlines, in the loop's time.

    A client that sends FIN has either closed only its sending side (``nc -N``) or left. TCP does not tell which. So its complete
    requests are answered, and while it waits for a response to begin it is sent ``100 Continue`` now and then, which HTTP/1.1
    clients skip. If it has left, the second such write fails, and the request is cancelled. HTTP/1.0 has no such response, so
    there the request's own time limit ends the wait.
    """

    def __init__(self, config: Config, server_state: ServerState, app_state: dict[str, Any], _loop: Any = None, *, shared: Shared) -> None:
        self.app: ASGIApp = config.loaded_app
        self.server_state = server_state
        self.app_state = app_state
        self.loop: asyncio.AbstractEventLoop = _loop or asyncio.get_running_loop()
        self.shared = shared
        self.settings = shared.settings
        self.outbox = shared.outbox
        self.connections: set[Connection] = server_state.connections  # type: ignore[assignment]  # uvicorn lists its own protocols only
        self.state = OPEN
        self.half_closed = self.reading_paused = False
        self.exchange: Exchange | None = None
        self.incoming: Exchange | None = None
        self.waiting: deque[Exchange] = deque()
        self.pending_refusal = b""
        self.blocked: asyncio.Event | None = None
        self.read_by = self.write_by = inf
        self.unread = 0
        self.probe_interval = PROBE

    # ── What the transport and the server call ───────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected. One connection too many is refused."""
        self.transport = transport
        base = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "scheme": "http",
            "root_path": "",
            "server": _address(transport.get_extra_info("sockname")),
            "client": _address(transport.get_extra_info("peername")),
        }
        self.parser = RequestParser(self, base, self.settings.max_header_bytes, self.settings.max_url_bytes)
        self.connections.add(self)
        self.shared.sweep(self.loop, self.connections)
        self.read_by = self.loop.time() + self.settings.header_seconds
        if len(self.connections) - self.shared.lingering > self.settings.max_connections:
            self.refuse("busy")

    def data_received(self, data: bytes) -> None:
        """Some bytes have arrived."""
        if self.state is not OPEN:
            return
        in_head = self.parser.place is HEAD
        try:
            self.parser.feed(data)
        except Refused as refused:
            if self.state is OPEN:
                self.refuse(refused.code)
            return
        if self.parser.place is HEAD and (not in_head or self.read_by == inf):
            self.read_by = self.loop.time() + self.settings.header_seconds

    def eof_received(self) -> bool:
        """The client sends nothing more, but may still read. What it has asked for completely is answered."""
        self.half_closed = True
        self._forget_incomplete()
        if self.exchange is None or self.exchange is self.incoming:
            self.close()
            return True
        if self.state is OPEN:
            self._newest.keep_alive = False
            self._enter(FINISHING)
        self.read_by = self.loop.time() + self.probe_interval
        return True

    def pause_writing(self) -> None:
        """The client does not read what it is sent."""
        self.blocked = asyncio.Event()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._unblock()
        if self.state in (LINGERING, CLOSED):
            self._expect_reading()  # to the end: writing will not be paused again

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self.connections.discard(self)
        self._enter(CLOSED)
        self._abandon()
        self._unblock()
        self.parser.close()

    def shutdown(self) -> None:
        """The service stops: what is being answered is answered, and a request that is already on its way is awaited."""
        if self.exchange is None:
            self.loop.call_later(SHUTDOWN_WAIT, self._end)
        else:
            self._end()

    def _end(self) -> None:
        if self.exchange is None:
            self.close()
        else:
            self._newest.keep_alive = False

    # ── What the parser calls ────────────────────────────────────────────────────────────────────────────────────────

    def request_began(self, scope: dict[str, Any], keep_alive: bool, wants_continue: bool) -> None:
        """A head is complete."""
        if self.state is not OPEN or len(self.waiting) == MAX_WAITING:
            raise Refused("busy")
        self.read_by = inf
        scope["state"] = self.app_state.copy()
        self.incoming = exchange = Exchange(self, scope, keep_alive, wants_continue)
        if self.exchange is None:
            self._start(exchange)
        else:
            self._pause_reading()
            self.waiting.append(exchange)

    def body_received(self, part: bytes) -> None:
        """A part of the body."""
        assert self.incoming is not None
        if self.incoming.body_received(part):
            self._pause_reading()

    def request_ended(self) -> None:
        """The body is complete. What follows a last request is not read."""
        exchange, self.incoming = self.incoming, None
        assert exchange is not None
        exchange.body_ended()
        if not exchange.keep_alive:
            self._enter(FINISHING)
        elif exchange.complete:
            self.read_by = self.loop.time() + self.settings.idle_seconds

    # ── What an exchange calls ───────────────────────────────────────────────────────────────────────────────────────

    def write(self, data: bytes) -> None:
        """Write now, after everything that waits to be written."""
        self.outbox.flush()
        if data and not self.transport.is_closing():
            self.transport.write(data)

    def resume_reading(self) -> None:
        """Read on, where reading was paused."""
        if self.reading_paused:
            self.reading_paused = False
            self.transport.resume_reading()

    def responded(self, exchange: Exchange) -> None:
        """A response is complete: on to the next request, or to the end."""
        self.exchange = None
        self.server_state.total_requests += 1
        self.resume_reading()
        if not exchange.keep_alive:
            self.hang_up()
        elif self.waiting:
            self._start(self.waiting.popleft())
        elif self.pending_refusal:
            self._write_refusal()
        elif self.parser.place is not HEAD:
            seconds = self.settings.idle_seconds if self.incoming is None else self.settings.body_seconds
            self.read_by = self.loop.time() + seconds

    def failed(self, exchange: Exchange) -> None:
        """The application gave no complete response. Nothing may follow that could be taken for the rest of it."""
        if not exchange.started:
            self.shared.count("internal")
            head, blank, body = self.shared.refusal("internal").partition(b"\r\n\r\n")
            self.write(head + blank + (b"" if exchange.scope["method"] == "HEAD" else body))
        self.hang_up()

    # ── Refusing, ending ─────────────────────────────────────────────────────────────────────────────────────────────

    def refuse(self, code: str) -> None:
        """Refuse what has arrived, once everything before it is answered, and hang up."""
        self.shared.count(code)
        self.pending_refusal = self.shared.refusal(code)
        self._enter(FINISHING)
        self._forget_incomplete()
        if self.exchange is None or self.exchange is self.incoming:
            self._write_refusal()

    def _write_refusal(self) -> None:
        if self.exchange is None or not self.exchange.started:
            self.write(self.pending_refusal)  # a response that has begun would be corrupted by it
        self.hang_up()

    def hang_up(self) -> None:
        """Answer nothing more and send FIN, but read on for a while: closing with unread bytes could destroy what was written."""
        self.outbox.flush()
        self._abandon()
        if self.transport.is_closing():
            return
        if self.half_closed or self.shared.lingering >= self.settings.max_connections:
            self.close()
            return
        self._enter(LINGERING)
        self.resume_reading()
        self.transport.write_eof()
        self.read_by = self.loop.time() + LINGER
        self._expect_reading()

    def close(self) -> None:
        """Close when everything is written. A client that does not read it is cut off."""
        self.outbox.flush()
        self._enter(CLOSED)
        self.transport.close()
        self._expect_reading()

    def read_late(self) -> None:
        """What was awaited from the client did not arrive in time."""
        self.read_by = inf
        if self.state is LINGERING and self.transport.get_write_buffer_size():
            self.read_by = self.loop.time() + LINGER  # which begins when everything is written
        elif self.half_closed:
            self._probe()
        elif self.state is OPEN and self.parser.place is HEAD:
            self.refuse("too-slow")
        else:
            self.close()

    def _probe(self) -> None:
        exchange = self.exchange
        if exchange is not None and not exchange.started and self.blocked is None and exchange.scope["http_version"] == "1.1":
            self.write(CONTINUE)
        self.probe_interval *= 2
        self.read_by = self.loop.time() + self.probe_interval

    def write_late(self) -> None:
        """The client did not read all of it in time; a slow one has read some."""
        if self.transport.get_write_buffer_size() < self.unread:
            self._expect_reading()
        else:
            self.write_by = inf
            self.transport.abort()

    def _expect_reading(self) -> None:
        self.unread = self.transport.get_write_buffer_size()
        self.write_by = self.loop.time() + self.settings.write_seconds if self.unread else inf

    def _unblock(self) -> None:
        self.write_by = inf
        if self.blocked is not None:
            self.blocked.set()
            self.blocked = None

    def _enter(self, state: State) -> None:
        self.shared.lingering += (state is LINGERING) - (self.state is LINGERING)
        self.state = state
        self.read_by = inf

    def _start(self, exchange: Exchange) -> None:
        self.exchange = exchange
        task = self.loop.create_task(exchange.run())
        self.server_state.tasks.add(task)
        task.add_done_callback(self.server_state.tasks.discard)

    def _abandon(self) -> None:
        """The client waits for no response any more."""
        self.waiting.clear()
        if self.exchange is not None:
            self.exchange.abandon()
            self.exchange = None

    @property
    def _newest(self) -> Exchange:
        """The last request that will be answered, while one is being answered."""
        newest = self.waiting[-1] if self.waiting else self.exchange
        assert newest is not None
        return newest

    def _forget_incomplete(self) -> None:
        """Drop a waiting request whose body will never be complete."""
        if self.waiting and self.waiting[-1] is self.incoming:
            self.waiting.pop()

    def _pause_reading(self) -> None:
        if not self.reading_paused:
            self.reading_paused = True
            self.transport.pause_reading()


def _address(found: Any) -> tuple[str, int] | None:
    """Host and port of a socket's address; a Unix socket has none."""
    return (str(found[0]), int(found[1])) if isinstance(found, tuple) else None
