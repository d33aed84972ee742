"""What is told of requests that are over, and when."""

from __future__ import annotations

import asyncio
import json

import pytest

from tablecall.runtime.app_state import AppState
from tablecall.runtime.request_context import RequestContext
from tablecall.settings import Settings


def over(vitals: AppState, id: str) -> None:
    vitals.over(RequestContext(id, status=200, method="GET", route="/systems"), asyncio.get_running_loop())


def counted(vitals: AppState) -> int:
    return vitals.metrics.requests["GET", "/systems", 200]


def ids(said: str) -> list[str]:
    return [json.loads(line)["request_id"] for line in said.splitlines()]


def test_those_of_one_turn_of_the_loop_are_told_of_together(capsys: pytest.CaptureFixture[str]) -> None:
    vitals = AppState(Settings())

    async def requests() -> None:
        over(vitals, "one")
        over(vitals, "two")
        assert (counted(vitals), capsys.readouterr().err) == (0, "")
        await asyncio.sleep(0)
        assert (counted(vitals), ids(capsys.readouterr().err)) == (2, ["one", "two"])
        over(vitals, "three")
        await asyncio.sleep(0)
        assert (counted(vitals), ids(capsys.readouterr().err)) == (3, ["three"])

    asyncio.run(requests())


def test_one_whose_loop_never_came_round_is_told_of_with_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    vitals = AppState(Settings())
    ended = asyncio.new_event_loop()
    vitals.over(RequestContext("one", status=200, method="GET", route="/systems"), ended)
    ended.close()

    async def request() -> None:
        over(vitals, "two")
        await asyncio.sleep(0)

    asyncio.run(request())
    assert (counted(vitals), ids(capsys.readouterr().err)) == (2, ["one", "two"])


def test_where_nothing_is_to_be_written_nothing_is(capsys: pytest.CaptureFixture[str]) -> None:
    vitals = AppState(Settings(log_requests=False))
    vitals.tell()
    asyncio.run(asyncio.to_thread(vitals.tell))
    assert capsys.readouterr().err == ""


def test_what_is_not_told_yet_when_a_service_stops_is_told_then() -> None:
    vitals = AppState(Settings())

    async def life() -> None:
        async with vitals.living(None):
            vitals.over(RequestContext("last", status=200, method="GET", route="/systems"), asyncio.get_running_loop())
        assert counted(vitals) == 1

    asyncio.run(life())
