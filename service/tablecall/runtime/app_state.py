"""How the service is: what it counts, how busy it is, whether it still takes requests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tablecall.runtime.lazy import making
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.logs import RequestLog
from tablecall.runtime.metrics import Metrics
from tablecall.runtime.odds_cache import OddsCache
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.worker_pool import WorkerPool
from tablecall.settings import Settings


class AppState:
    """One service's. ``running`` requests are being answered; ``draining`` since it was told to stop. ``heard_out`` connections have
    had their last answer and are only open so that it arrives.

    ``later`` is what shall be done off the event loop once the service runs.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.writer = LogWriter(sys.stderr)
        self.log = RequestLog(settings, self.writer)
        self.counting = WorkerPool(settings.odds_workers, settings.odds_queue, settings.odds_inline_ms / 1000, settings.odds_seconds)
        self.remembered = OddsCache()
        self.running = self.heard_out = 0
        self.draining = False
        self.later: list[Callable[[], object]] = []
        self._over: list[RequestContext] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        for name, text, read in (
            ("running", "Requests being processed.", lambda: self.running),
            ("draining", "1 while the service is stopping, else 0.", lambda: self.draining),
            ("odds_waiting", "Jobs of the worker pool, running or waiting.", lambda: self.counting.waiting),
            ("odds_room", "Maximum number of jobs of the worker pool.", lambda: self.counting.room),
        ):
            self.metrics.gauge(name, text, read)
        self.metrics.counter("log_lines_dropped", "Log lines lost because the log could not be written.", lambda: self.writer.dropped)

    def over(self, seen: RequestContext, loop: asyncio.AbstractEventLoop) -> None:
        """A request is over. It is told of when the event loop comes round, together with the others of this turn.

        Done for many at once it costs a fifth of what it costs between two requests, and nobody waits for it.
        """
        if not self._over or loop is not self._loop:
            self._loop = loop
            loop.call_soon(self.tell)
        self._over.append(seen)

    def tell(self) -> None:
        """Count the requests that are over, and hand their lines to the thread that writes the log."""
        over, self._over = self._over, []
        for seen in over:
            self.metrics.told(seen)
        lines = "".join(map(self.log.line, over))
        if lines:
            self.writer.write(lines)

    @asynccontextmanager
    async def living(self, app: object) -> AsyncIterator[None]:
        """The lifespan of the application: what was started ends with it."""
        async with making(self.later):
            yield
        self.counting.close()
        self.tell()
        self.writer.close()

    @property
    def saturated(self) -> bool:
        """Whether one request more would be refused."""
        return self.running >= self.settings.max_requests or self.counting.full

    @property
    def ready(self) -> bool:
        """Whether requests should be sent here."""
        return not self.draining and not self.saturated
