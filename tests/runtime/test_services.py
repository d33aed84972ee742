"""Requests that are over: when they are counted and logged."""

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

    def ids(self) -> list[str]:
        self.writer.close(10)
        return [json.loads(line)["request_id"] for line in self.stream.getvalue().splitlines()]


def over(services: Services, id: str) -> None:
    services.ended(RequestRecord(id, status=200, method="GET", route="/systems"), asyncio.get_running_loop())


def counted(services: Services) -> int:
    return services.metrics.requests["GET", "/systems", 200]


def test_requests_of_one_turn_of_the_loop_are_counted_and_logged_together() -> None:
    services = Service()

    async def requests() -> None:
        over(services, "one")
        over(services, "two")
        assert (counted(services), services.ids()) == (0, [])
        await asyncio.sleep(0)
        assert (counted(services), services.ids()) == (2, ["one", "two"])
        over(services, "three")
        await asyncio.sleep(0)
        assert (counted(services), services.ids()) == (3, ["one", "two", "three"])

    asyncio.run(requests())


def test_a_request_of_a_loop_that_stopped_is_logged_with_the_next() -> None:
    services = Service()
    ended = asyncio.new_event_loop()
    services.ended(RequestRecord("one", status=200, method="GET", route="/systems"), ended)
    ended.close()

    async def request() -> None:
        over(services, "two")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(services), services.ids()) == (2, ["one", "two"])


def test_nothing_is_written_when_request_lines_are_off() -> None:
    services = Service(log_requests=False)

    async def request() -> None:
        over(services, "one")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(services), services.ids()) == (1, [])


def test_the_last_requests_are_counted_and_logged_when_the_service_stops() -> None:
    services = Service()

    async def life() -> None:
        async with services.lifespan(None):
            over(services, "last")
        assert counted(services) == 1
        assert json.loads(services.stream.getvalue())["request_id"] == "last"

    asyncio.run(life())


def test_a_service_is_ready_unless_it_drains_or_is_at_its_limit_of_requests() -> None:
    services = Services(Settings(max_requests=2))
    services.workers.waiting = services.workers.room
    services.running = 1
    assert services.ready
    services.running = 2
    assert not services.ready
    services.running, services.draining = 0, True
    assert not services.ready
