"""What takes long to make: made once, off the event loop."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message

from tablecall.app import create_app
from tablecall.runtime.app_state import AppState
from tablecall.runtime.lazy import LazyApp, making
from tablecall.settings import Settings


class Slow:
    """Makes an application as soon as it may, and counts how often."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.times = 0

    def __call__(self) -> ASGIApp:
        self.may.wait()
        self.times += 1
        return PlainTextResponse("made")


async def ask(app: ASGIApp) -> bytes:
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    async def nothing() -> Message:
        raise AssertionError

    await app({"type": "http", "method": "GET", "path": "/"}, nothing, send)
    return bytes(told[1]["body"])


def test_all_who_ask_before_it_is_made_wait_for_one_and_the_loop_for_none() -> None:
    made = Slow()
    late = LazyApp(made)

    async def several() -> list[bytes]:
        asked = [asyncio.create_task(ask(late)) for _ in range(5)]
        for _ in range(100):  # the loop goes on: nothing is made yet
            await asyncio.sleep(0)
        assert (made.times, [one.done() for one in asked]) == (0, [False] * 5)
        made.may.set()
        return [*await asyncio.gather(*asked), await ask(late)]

    assert asyncio.run(several()) == [b"made"] * 6
    assert made.times == 1


def test_what_fails_is_tried_again() -> None:
    tries = iter([RuntimeError("not yet"), PlainTextResponse("made")])

    def trying() -> ASGIApp:
        found: Any = next(tries)
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[no-any-return]

    late = LazyApp(trying)
    with pytest.raises(RuntimeError):
        late.make()
    assert asyncio.run(ask(late)) == b"made"


def test_a_service_that_starts_makes_it_without_being_asked_and_one_that_stops_has_it_made() -> None:
    made = Slow()
    vitals = AppState(Settings())
    app = create_app(vitals.settings, vitals)
    vitals.later[:] = [LazyApp(made).make, lambda: 1 / 0]
    with TestClient(app) as client:
        assert client.get("/livez").status_code == 200
        made.may.set()
    assert made.times == 1


def test_what_is_loaded_is_not_looked_through_for_garbage_while_the_service_runs() -> None:
    may = threading.Event()

    async def run() -> list[tuple[bool, bool]]:
        gc.unfreeze()  # what others froze
        found = [(gc.isenabled(), gc.get_freeze_count() > 10_000)]
        async with making([may.wait]):
            found.append((gc.isenabled(), gc.get_freeze_count() > 10_000))
            may.set()
            while not gc.isenabled():  # noqa: ASYNC110  # the collector has no event to wait for
                await asyncio.sleep(0.001)
            found.append((gc.isenabled(), gc.get_freeze_count() > 10_000))
        return [*found, (gc.isenabled(), gc.get_freeze_count() > 10_000)]

    assert asyncio.run(run()) == [(True, False), (False, True), (True, True), (True, False)]


def test_graphql_is_what_is_made_late() -> None:
    vitals = AppState(Settings())
    create_app(vitals.settings, vitals)
    [make] = vitals.later
    assert type(make()).__name__ == "View"
