"""What one running service consists of: settings, workers, cache, signer, metrics and log. The app passes it to what needs it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tablecall.engine.receipts import Receipts
from tablecall.runtime.lazy import making
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.logs import RequestLog
from tablecall.runtime.metrics import Metrics
from tablecall.runtime.odds_cache import OddsCache
from tablecall.runtime.request_record import RequestRecord
from tablecall.runtime.signing_keys import receipts_of
from tablecall.runtime.worker_pool import WorkerPool
from tablecall.settings import Settings


class Services:
    """The parts of one service, and how busy it is.

    ``running`` is the number of requests being answered. ``draining`` is set once the service was told to stop. ``startup`` lists
    what is done in threads after the start. Refuses (`KeyProblem`) settings whose keys are not keys.
    """

    def __init__(self, settings: Settings, receipts: Receipts | None = None) -> None:
        self.settings = settings
        self.receipts = receipts or receipts_of(settings)
        self.metrics = Metrics()
        self.writer = LogWriter(sys.stderr)
        self.log = RequestLog(settings, self.writer)
        self.workers = WorkerPool(settings.odds_workers, settings.odds_queue)
        self.odds_cache = OddsCache()
        self.running = 0
        self.draining = False
        self.startup: list[Callable[[], object]] = []
        self._ended: list[RequestRecord] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        for name, text, read in (
            ("running", "Requests being answered.", lambda: self.running),
            ("draining", "1 since the service was told to stop.", lambda: self.draining),
            ("odds_waiting", "Expensive odds being counted or waiting for a worker.", lambda: self.workers.waiting),
            ("odds_room", "How many expensive odds may be counted or wait at once.", lambda: self.workers.room),
        ):
            self.metrics.gauge(name, text, read)
        self.metrics.counter("log_lines_dropped", "Log lines lost because the log could not be written.", lambda: self.writer.dropped)

    def ended(self, record: RequestRecord, loop: asyncio.AbstractEventLoop) -> None:
        """A request is over. All requests that end in one turn of the event loop are reported together at its end.

        Reported one by one between two requests, they would cost five times as much.
        """
        if not self._ended or loop is not self._loop:
            self._loop = loop
            loop.call_soon(self.report)
        self._ended.append(record)

    def report(self) -> None:
        """Count the requests that have ended, and hand their lines to the thread that writes the log."""
        ended, self._ended = self._ended, []
        for record in ended:
            self.metrics.count(record)
        lines = "".join(map(self.log.line, ended))
        if lines:
            self.writer.write(lines)

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """The lifespan of the application: what was started with it ends with it."""
        async with making(self.startup):
            yield
        self.workers.close()
        self.report()
        self.writer.close()

    @property
    def ready(self) -> bool:
        """Whether requests should be sent here. A full pool of workers changes nothing: rulings and most odds are answered without it."""
        return not self.draining and self.running < self.settings.max_requests
