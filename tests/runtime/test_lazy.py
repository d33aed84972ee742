"""Applications that are built once, in a thread."""

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
from tablecall.runtime.lazy import LazyApp, making
from tablecall.runtime.services import Services
from tablecall.settings import Settings


class Slow:
    """Builds an application once it is allowed to, and counts the builds."""

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


def test_concurrent_first_requests_build_it_once() -> None:
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


def test_failed_build_is_retried() -> None:
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


def test_startup_builds_it_and_shutdown_waits_for_it() -> None:
    made = Slow()
    services = Services(Settings())
    app = create_app(services=services)
    services.startup[:] = [LazyApp(made).make, lambda: 1 / 0]
    with TestClient(app) as client:
        assert client.get("/livez").status_code == 200
        made.may.set()
    assert made.times == 1


def test_loaded_objects_are_frozen_for_the_garbage_collector() -> None:
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


def test_graphql_is_lazy() -> None:
    services = Services(Settings())
    create_app(services=services)
    [make] = services.startup
    assert type(make()).__name__ == "View"
