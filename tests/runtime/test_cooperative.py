"""Work in slices: other requests have their turn between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import httpx2
import pytest

from tablecall.app import create_app
from tablecall.engine import Cooperative
from tablecall.runtime import cooperative
from tablecall.runtime.cooperative import sliced
from tablecall.settings import Settings

SWARM: dict[str, Any] = {
    "members": [{"pool": {"roll": 9, "keep": 4}, "modifiers": ["+1/1"] * 8}] * 8,
    "use": "highest",
    "targetNumber": 30,
    "seed": 1,
}


def work(pauses: int) -> Cooperative[str]:
    for _ in range(pauses):
        yield
    return "done"


async def turns_during(work: Awaitable[Any]) -> tuple[int, Any]:
    """How many turns another task had before the work was done, and the result of the work."""
    task, turns = asyncio.ensure_future(work), 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    return turns, task.result()


@pytest.mark.parametrize(("seconds", "fewest", "most"), [(0, 50, 60), (600, 0, 2)])
def test_work_pauses_only_at_the_end_of_a_slice(monkeypatch: pytest.MonkeyPatch, seconds: float, fewest: int, most: int) -> None:
    monkeypatch.setattr(cooperative.TimeSlices.__init__, "__defaults__", (seconds,))
    turns, result = asyncio.run(turns_during(sliced(work(50))))
    assert result == "done"
    assert fewest <= turns <= most


def graphql(field: str, times: int = 1, **variables: Any) -> dict[str, Any]:
    """A query with the same field under several aliases."""
    declared = "$request: ResolveRequest!" + ", $ruling: JSON!" * bool(variables)
    query = f"query({declared}) {{ " + " ".join(f"a{index}: {field}" for index in range(times)) + " }"
    return {"query": query, "variables": {"request": {"darkpagesSwarm": SWARM}, **variables}}


@pytest.mark.parametrize(
    ("path", "document", "fewest"),
    [
        pytest.param("/resolve/darkpages/swarm", {**SWARM, "include": ["factors"]}, 64, id="factors"),
        pytest.param("/graphql", graphql("resolve(request: $request) { factors { name } }"), 64, id="factors by GraphQL"),
        pytest.param("/graphql", graphql("resolve(request: $request) { total }", 20), 20, id="rulings"),
        pytest.param("/graphql", graphql("odds(request: $request) { method }", 20), 20, id="odds"),
        pytest.param(
            "/graphql",
            graphql("verify(request: $request, ruling: $ruling) { verdict }", 20, ruling={"outcome": "failure"}),
            20,
            id="checks",
        ),
    ],
)
def test_other_tasks_run_during_a_request(monkeypatch: pytest.MonkeyPatch, path: str, document: dict[str, Any], fewest: int) -> None:
    monkeypatch.setattr(cooperative.TimeSlices.__init__, "__defaults__", (0,))

    async def send() -> tuple[int, Any]:
        app = create_app(Settings(odds_workers=0, log_requests=False))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://here") as client:
            return await turns_during(client.post(path, json=document))

    turns, answer = asyncio.run(send())
    assert answer.status_code == 200
    assert "errors" not in answer.json()
    assert turns >= fewest
