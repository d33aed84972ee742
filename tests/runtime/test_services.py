"""Completed requests: when they are counted and logged."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.request_record import RequestRecord
from tablecall.runtime.services import Services
from tablecall.settings import Settings


class Service(Services):
    """A service whose log is kept in memory."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(Settings(**settings))
        self.stream = io.StringIO()
        self.writer = LogWriter(self.stream)

    def end(self, id: str, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Report a request as completed."""
        request = RequestRecord(id, status=200, method="GET", route="/systems")
        self.ended(request, loop or asyncio.get_running_loop())

    @property
    def reported(self) -> tuple[int, list[str]]:
        """How many requests were counted, and the ids of those that were logged."""
        self.writer.close(10)
        ids = [json.loads(line)["request_id"] for line in self.stream.getvalue().splitlines()]
        return self.metrics.requests["GET", "/systems", 200], ids


def test_requests_of_a_turn_of_the_loop_are_reported_together() -> None:
    async def requests() -> None:
        service = Service()
        service.end("one")
        service.end("two")
        assert service.reported == (0, [])
        await asyncio.sleep(0)
        assert service.reported == (2, ["one", "two"])
        service.end("three")
        await asyncio.sleep(0)
        assert service.reported == (3, ["one", "two", "three"])

    asyncio.run(requests())


def test_request_of_a_stopped_loop_is_reported_with_the_next() -> None:
    async def requests() -> None:
        service = Service()
        stopped = asyncio.new_event_loop()
        service.end("one", stopped)
        stopped.close()
        service.end("two")
        await asyncio.sleep(0)
        assert service.reported == (2, ["one", "two"])

    asyncio.run(requests())


def test_nothing_is_logged_if_request_lines_are_off() -> None:
    async def request() -> None:
        service = Service(log_requests=False)
        service.end("one")
        await asyncio.sleep(0)
        assert service.reported == (1, [])

    asyncio.run(request())


def test_last_requests_are_reported_when_the_service_stops() -> None:
    async def life() -> None:
        service = Service()
        async with service.lifespan(None):
            service.end("last")
        assert json.loads(service.stream.getvalue())["request_id"] == "last"
        assert service.reported == (1, ["last"])

    asyncio.run(life())
