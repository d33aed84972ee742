"""Work in slices: other requests have their turn between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from tablecall.app import create_app
from tablecall.engine import Cooperative
from tablecall.runtime import cooperative
from tablecall.runtime.cooperative import sliced
from tablecall.settings import Settings

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
        yield
    return "done"


async def turns_during(work: Awaitable[Any]) -> tuple[int, Any]:
    """How many turns another task had before the work was done, and the result of the work."""
    turns, done = 0, False

    async def others() -> None:
        nonlocal turns
        while not done:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    result = await work
    done = True
    await other
    return turns, result


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the seconds of a slice."""
    return lambda seconds: monkeypatch.setattr(cooperative.TimeSlices.__init__, "__defaults__", (seconds,))


@pytest.mark.parametrize(("seconds", "fewest", "most"), [(0, 50, 60), (600, 0, 2)])
def test_work_rests_only_at_the_end_of_a_slice(slices: Callable[[float], None], seconds: float, fewest: int, most: int) -> None:
    slices(seconds)
    turns, result = asyncio.run(turns_during(sliced(work(50))))
    assert result == "done"
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
def test_other_requests_have_their_turn(
    slices: Callable[[float], None], ask: Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]], fewest: int
) -> None:
    slices(0)

    async def asked() -> tuple[int, Any]:
        app = create_app(Settings(odds_workers=0, log_requests=False))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://here") as client:
            return await turns_during(ask(client))

    turns, answer = asyncio.run(asked())
    assert answer.status_code == 200
    assert "errors" not in answer.json()
    assert turns >= fewest
