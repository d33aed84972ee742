"""What one request asks for in quantity: everybody else has their turn meanwhile."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from tablecall.app import create_app
from tablecall.engine import Cooperative, InThread, at_once
from tablecall.runtime import cooperative
from tablecall.runtime.cooperative import sliced
from tablecall.settings import Settings
from tests.support.contexts import context

SWARM = {
    "action": "darkpages.swarm",
    "members": [{"pool": {"roll": 9, "keep": 4}, "modifiers": ["+1/1"] * 8}] * 8,
    "use": "highest",
    "targetNumber": 30,
    "seed": 1,
}
SEVERAL = "query($request: ResolveRequest!) {" + " ".join(f"a{index}: resolve(request: $request) {{ total }}" for index in range(20)) + "}"
ODDS = "query($request: ResolveRequest!) {" + " ".join(f"a{index}: odds(request: $request) {{ method }}" for index in range(20)) + "}"
CHECKS = (
    "query($request: ResolveRequest!, $ruling: JSON!) {"
    + " ".join(f"a{index}: verify(request: $request, ruling: $ruling) {{ verdict }}" for index in range(20))
    + "}"
)


def work(pauses: int) -> Cooperative[str]:
    for _ in range(pauses):
        yield None
    return "done"


async def turns_during(what: Awaitable[Any]) -> tuple[int, Any]:
    """How often the event loop came round to somebody else before something was done."""
    turns, over = 0, False

    async def others() -> None:
        nonlocal turns
        while not over:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    found = await what
    over = True
    await other
    return turns, found


@pytest.mark.parametrize(("seconds", "fewest", "most"), [(0, 50, 60), (60, 0, 2)])
def test_work_rests_where_a_slice_is_over_and_only_there(monkeypatch: pytest.MonkeyPatch, seconds: float, fewest: int, most: int) -> None:
    monkeypatch.setattr(cooperative.TimeSlices.__init__, "__defaults__", (seconds,))
    turns, found = asyncio.run(turns_during(sliced(context(), work(50))))
    assert found == "done"
    assert fewest <= turns <= most


def rest(client: httpx2.AsyncClient) -> Awaitable[httpx2.Response]:
    return client.post("/resolve", json=SWARM | {"include": ["factors"]})


def graphql(query: str, **more: Any) -> Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]]:
    request = {"darkpagesSwarm": {name: value for name, value in SWARM.items() if name != "action"}}
    document = {"query": query, "variables": {"request": request, **more}}
    return lambda client: client.post("/graphql", json=document)


@pytest.mark.parametrize(
    ("ask", "fewest"),
    [
        pytest.param(rest, 64, id="factors"),
        pytest.param(
            graphql("query($request: ResolveRequest!) { resolve(request: $request) { factors { name } } }"), 64, id="factors by GraphQL"
        ),
        pytest.param(graphql(SEVERAL), 20, id="rulings under aliases"),
        pytest.param(graphql(ODDS), 20, id="odds under aliases"),
        pytest.param(graphql(CHECKS, ruling={"outcome": "failure"}), 20, id="checks under aliases"),
    ],
)
def test_everybody_else_has_their_turn(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]], fewest: int
) -> None:
    monkeypatch.setattr(cooperative.TimeSlices.__init__, "__defaults__", (0,))

    async def asked() -> tuple[int, Any]:
        app = create_app(Settings(odds_workers=0, log_requests=False))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://here") as client:
            return await turns_during(ask(client))

    turns, answer = asyncio.run(asked())
    assert answer.status_code == 200
    assert "errors" not in answer.json()
    assert turns >= fewest


def test_what_can_be_done_aside_is_done_beside_everything_else() -> None:
    def asking() -> Cooperative[tuple[object, object]]:
        here = yield InThread(threading.get_ident)
        there = yield InThread(lambda: time.sleep(0.05))
        return here, there

    turns, (where, nothing) = asyncio.run(turns_during(sliced(context(), asking())))
    assert where != threading.get_ident()
    assert nothing is None
    assert turns > 10
    assert at_once(asking()) == (threading.get_ident(), None)
