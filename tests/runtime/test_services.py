"""What is told of requests that are over, and when."""

from __future__ import annotations

import asyncio
import json

import pytest

from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.services import Services
from tablecall.settings import Settings


def over(services: Services, id: str) -> None:
    services.ended(RequestContext(services, id, status=200, method="GET", route="/systems"), asyncio.get_running_loop())


def counted(services: Services) -> int:
    return services.metrics.requests["GET", "/systems", 200]


def ids(said: str) -> list[str]:
    return [json.loads(line)["request_id"] for line in said.splitlines()]


def test_those_of_one_turn_of_the_loop_are_told_of_together(capsys: pytest.CaptureFixture[str]) -> None:
    services = Services(Settings())

    async def requests() -> None:
        over(services, "one")
        over(services, "two")
        assert (counted(services), capsys.readouterr().err) == (0, "")
        await asyncio.sleep(0)
        assert (counted(services), ids(capsys.readouterr().err)) == (2, ["one", "two"])
        over(services, "three")
        await asyncio.sleep(0)
        assert (counted(services), ids(capsys.readouterr().err)) == (3, ["three"])

    asyncio.run(requests())


def test_one_whose_loop_never_came_round_is_told_of_with_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    services = Services(Settings())
    ended = asyncio.new_event_loop()
    services.ended(RequestContext(services, "one", status=200, method="GET", route="/systems"), ended)
    ended.close()

    async def request() -> None:
        over(services, "two")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(services), ids(capsys.readouterr().err)) == (2, ["one", "two"])


def test_where_nothing_is_to_be_written_nothing_is(capsys: pytest.CaptureFixture[str]) -> None:
    services = Services(Settings(log_requests=False))
    services.report()
    asyncio.run(asyncio.to_thread(services.report))
    assert capsys.readouterr().err == ""


def test_what_is_not_told_yet_when_a_service_stops_is_told_then() -> None:
    services = Services(Settings())

    async def life() -> None:
        async with services.lifespan(None):
            services.ended(RequestContext(services, "last", status=200, method="GET", route="/systems"), asyncio.get_running_loop())
        assert counted(services) == 1

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
