"""How the service is: what it counts, how busy it is, whether it still takes requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from service.doors.counting import Counting
from service.doors.observing.logs import RequestLog
from service.doors.observing.metrics import Metrics
from service.doors.remembering import Remembered
from service.settings import Settings


class Vitals:
    """One service's. ``running`` requests are being answered; ``draining`` since it was told to stop.

    ``later`` is what shall be done off the event loop once the service runs.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.log = RequestLog(settings)
        self.counting = Counting(settings.odds_workers, settings.odds_queue, settings.odds_inline_ms / 1000, settings.odds_seconds)
        self.remembered = Remembered()
        self.running = 0
        self.draining = False
        self.later: list[Callable[[], object]] = []
        for name, text, read in (
            ("running", "Requests being answered.", lambda: self.running),
            ("draining", "1 since the service was told to stop.", lambda: self.draining),
            ("odds_waiting", "Odds in the pool: being counted or waiting.", lambda: self.counting.waiting),
            ("odds_room", "How many the pool takes at most.", lambda: self.counting.room),
        ):
            self.metrics.gauge(name, text, read)

    @asynccontextmanager
    async def living(self, app: object) -> AsyncIterator[None]:
        """The lifespan of the application: what was started ends with it."""
        loop = asyncio.get_running_loop()
        begun = [loop.run_in_executor(None, work) for work in self.later]
        yield
        await asyncio.gather(*begun, return_exceptions=True)
        self.counting.close()

    @property
    def saturated(self) -> bool:
        """Whether one request more would be refused."""
        return self.running >= self.settings.max_requests or self.counting.full

    @property
    def ready(self) -> bool:
        """Whether requests should be sent here."""
        return not self.draining and not self.saturated
