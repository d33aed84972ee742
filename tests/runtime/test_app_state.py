"""Requests that are over: when they are counted and logged."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

from tablecall.runtime.app_state import AppState
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.request_context import RequestContext
from tablecall.settings import Settings


class Service(AppState):
    """A service whose log is kept in memory."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(Settings(**settings))
        self.stream = io.StringIO()
        self.writer = LogWriter(self.stream)

    def ids(self) -> list[str]:
        self.writer.close(10)
        return [json.loads(line)["request_id"] for line in self.stream.getvalue().splitlines()]


def over(vitals: AppState, id: str) -> None:
    vitals.over(RequestContext(id, status=200, method="GET", route="/systems"), asyncio.get_running_loop())


def counted(vitals: AppState) -> int:
    return vitals.metrics.requests["GET", "/systems", 200]


def test_requests_of_one_turn_of_the_loop_are_counted_and_logged_together() -> None:
    vitals = Service()

    async def requests() -> None:
        over(vitals, "one")
        over(vitals, "two")
        assert (counted(vitals), vitals.ids()) == (0, [])
        await asyncio.sleep(0)
        assert (counted(vitals), vitals.ids()) == (2, ["one", "two"])
        over(vitals, "three")
        await asyncio.sleep(0)
        assert (counted(vitals), vitals.ids()) == (3, ["one", "two", "three"])

    asyncio.run(requests())


def test_a_request_of_a_loop_that_stopped_is_logged_with_the_next() -> None:
    vitals = Service()
    ended = asyncio.new_event_loop()
    vitals.over(RequestContext("one", status=200, method="GET", route="/systems"), ended)
    ended.close()

    async def request() -> None:
        over(vitals, "two")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(vitals), vitals.ids()) == (2, ["one", "two"])


def test_nothing_is_written_when_request_lines_are_off() -> None:
    vitals = Service(log_requests=False)

    async def request() -> None:
        over(vitals, "one")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(vitals), vitals.ids()) == (1, [])


def test_the_last_requests_are_counted_and_logged_when_the_service_stops() -> None:
    vitals = Service()

    async def life() -> None:
        async with vitals.living(None):
            over(vitals, "last")
        assert counted(vitals) == 1
        assert json.loads(vitals.stream.getvalue())["request_id"] == "last"

    asyncio.run(life())
