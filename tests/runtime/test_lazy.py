"""Applications that are built once, in a thread."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tablecall.app import create_app
from tablecall.runtime.lazy import LazyApp, making
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.asgi import call, scope


class Slow:
    """Builds an application once it is allowed to, and counts the builds."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.times = 0

    def __call__(self) -> ASGIApp:
        self.may.wait()
        self.times += 1
        return PlainTextResponse("made")


async def ask(app: ASGIApp) -> Any:
    return (await call(app, scope("/", "GET")))[1]["body"]


def test_concurrent_first_requests_build_it_once() -> None:
    build = Slow()
    lazy = LazyApp(build)

    async def several() -> list[bytes]:
        tasks = [asyncio.create_task(ask(lazy)) for _ in range(5)]
        for _ in range(100):  # the loop is not blocked
            await asyncio.sleep(0)
        assert (build.times, [task.done() for task in tasks]) == (0, [False] * 5)
        build.may.set()
        return [*await asyncio.gather(*tasks), await ask(lazy)]

    assert asyncio.run(several()) == [b"made"] * 6
    assert build.times == 1


def test_failed_build_is_retried() -> None:
    builds: Any = iter([lambda: 1 / 0, lambda: PlainTextResponse("made")])
    lazy = LazyApp(lambda: next(builds)())
    with pytest.raises(ZeroDivisionError):
        lazy.make()
    assert asyncio.run(ask(lazy)) == b"made"


def test_startup_builds_it_and_shutdown_waits_for_it() -> None:
    build = Slow()
    services = Services(Settings())
    app = create_app(services=services)
    services.startup[:] = [LazyApp(build).make, lambda: 1 / 0]
    with TestClient(app) as client:
        assert client.get("/livez").status_code == 200
        build.may.set()
    assert build.times == 1


def test_loaded_objects_are_frozen_for_the_garbage_collector() -> None:
    may = threading.Event()
    states: list[tuple[bool, bool]] = []

    def note() -> None:
        states.append((gc.isenabled(), gc.get_freeze_count() > 10_000))

    async def run() -> None:
        gc.unfreeze()  # objects of other tests
        note()
        async with making([may.wait]):
            note()
            may.set()
            while not gc.isenabled():  # noqa: ASYNC110  # the collector has no event to wait for
                await asyncio.sleep(0.001)
            note()
        note()

    asyncio.run(run())
    assert states == [(True, False), (False, True), (True, True), (True, False)]


def test_graphql_is_lazy() -> None:
    services = Services(Settings())
    create_app(services=services)
    [make] = services.startup
    assert type(make()).__name__ == "View"
