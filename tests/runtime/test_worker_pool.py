"""Dear odds, away from the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from itertools import count as count_from
from pathlib import Path
from typing import Any, NoReturn

import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.engine import BudgetExceeded, odds
from tablecall.engine.requests import body_of
from tablecall.model.problems import HttpProblem
from tablecall.model.refusals import Finding, Forbidden, Refusal, TooLargeToCount
from tablecall.runtime import worker_pool
from tablecall.runtime.cancellation import CancelledJobs, look_in
from tablecall.runtime.services import Services
from tablecall.runtime.worker_pool import WorkBudget, WorkerPool, count, rule, work
from tablecall.settings import Settings
from tablecall.systems import ACTIONS
from tests.support.client import ask, problem
from tests.support.contexts import context
from tests.support.server import CHECK as SENT
from tests.support.server import HEAD, running, wait_for

TAG = "jazz.check"
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
WRONG: dict[str, Any] = {**CHECK, "dice": [{"roll": "nobody", "faces": [1, 2]}]}
SYSTEM, ACTION = ACTIONS[TAG]
BODY = body_of(ACTION, CHECK)
ANSWER = odds(SYSTEM, ACTION, BODY)
PLENTY = 1000


@pytest.fixture(scope="module")
def pooled() -> Iterator[TestClient]:
    """A service that counts everything in its pool."""
    with TestClient(create_app(Settings(odds_inline_ms=0, odds_workers=1))) as client:
        yield client


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    found = WorkerPool(workers=1, queue=0, patience=0, seconds=10)
    yield found
    found.close()


def test_the_pool_answers_as_the_service_would(pooled: TestClient, client: TestClient) -> None:
    assert pooled.post("/odds/jazz/check", json=CHECK).json() == client.post("/odds/jazz/check", json=CHECK).json()
    query = "{ odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { outcomes { outcome fraction } } }"
    assert ask(pooled, query) == ask(client, query)


def test_the_pool_refuses_as_the_service_would(pooled: TestClient, client: TestClient) -> None:
    answer = pooled.post("/odds/jazz/check", json=WRONG)
    problem(answer, 422, "wrong-dice")
    assert answer.json() == client.post("/odds/jazz/check", json=WRONG).json()


def test_all_the_odds_of_one_request_are_counted_one_after_the_other(pooled: TestClient) -> None:
    field = "odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action }"
    found = ask(pooled, "{ " + " ".join(f"a{index}: {field}" for index in range(20)) + " }")
    assert "errors" not in found
    assert len(found["data"]) == 20


def test_a_question_there_is_no_room_for_is_refused(pool: WorkerPool) -> None:
    async def both() -> list[Any]:
        return await asyncio.gather(*(pool.odds(context(), SYSTEM, ACTION, BODY, PLENTY) for _ in range(2)), return_exceptions=True)

    first, second = asyncio.run(both())
    assert first[0] == ANSWER
    assert isinstance(second, HttpProblem)
    assert second.kind.code == "busy"
    assert (pool.room, pool.waiting, pool.full) == (1, 0, False)


def test_a_process_that_is_lost_is_replaced(pool: WorkerPool) -> None:
    async def lose() -> HttpProblem:
        await pool.odds(context(), SYSTEM, ACTION, BODY, PLENTY)
        [child] = [child for child in multiprocessing.active_children() if child.pid]
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
        with pytest.raises(HttpProblem) as caught:
            await pool.odds(context(), SYSTEM, ACTION, BODY, PLENTY)
        assert (await pool.odds(context(), SYSTEM, ACTION, BODY, PLENTY))[0] == ANSWER
        return caught.value

    assert asyncio.run(lose()).kind.code == "busy"


def test_whoever_asks_again_after_a_process_was_lost_is_not_lost_with_those_who_were_told_later() -> None:
    several = WorkerPool(workers=1, queue=8, patience=0, seconds=10)

    async def asks() -> Any:
        with pytest.raises(HttpProblem):
            await several.odds(context(), SYSTEM, ACTION, BODY, PLENTY)
        return (await several.odds(context(), SYSTEM, ACTION, BODY, PLENTY))[0]

    async def lose() -> list[Any]:
        tasks = [asyncio.create_task(asks()) for _ in range(4)]
        await asyncio.sleep(0)
        [child] = multiprocessing.active_children()
        os.kill(child.pid or 0, signal.SIGKILL)
        return await asyncio.gather(*tasks)

    try:
        assert asyncio.run(lose()) == [ANSWER] * 4
    finally:
        several.close()


def test_no_process_is_started_before_it_is_needed() -> None:
    with TestClient(create_app(Settings(odds_inline_ms=1000))) as client:
        before = len(multiprocessing.active_children())
        assert client.post("/odds/jazz/check", json=CHECK).status_code == 200
        assert len(multiprocessing.active_children()) == before


def test_what_takes_too_long_here_is_counted_elsewhere() -> None:
    patient = WorkerPool(workers=1, queue=0, patience=1e-9, seconds=10)
    try:
        assert asyncio.run(patient.odds(context(), SYSTEM, ACTION, BODY, PLENTY))[0] == ANSWER
    finally:
        patient.close()


def test_without_processes_everything_is_counted_here() -> None:
    alone = WorkerPool(workers=0, queue=5, patience=0, seconds=10)
    assert asyncio.run(alone.odds(context(), SYSTEM, ACTION, BODY, PLENTY))[0] == ANSWER
    assert (alone.room, alone.full) == (0, False)
    alone.close()


def test_what_takes_longer_than_anything_may_is_too_large() -> None:
    alone = WorkerPool(workers=0, queue=0, patience=0, seconds=1e-9)
    with pytest.raises(TooLargeToCount, match="longer to count than 1e-09 seconds"):
        asyncio.run(alone.odds(context(), SYSTEM, ACTION, BODY, PLENTY))


def test_a_service_that_stops_does_not_wait_for_odds_nobody_wants(pool: WorkerPool) -> None:
    async def leave() -> None:
        task = asyncio.create_task(pool.odds(context(), SYSTEM, ACTION, BODY, PLENTY))
        await asyncio.sleep(0)
        task.cancel()
        pool.close()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    assert not any(thread.name.startswith("ExecutorManager") for thread in threading.enumerate())
    assert pool.waiting == 0


# ── Questions nobody waits for any more ──────────────────────────────────────────────────────────────────────────────

FOR_EVER = 300
"""As many seconds as odds may take at most: more than any test waits."""


def endless(system: Any, action: Any, body: Any, pace: WorkBudget) -> NoReturn:
    """Stands for counting that takes as long as it may; notes that it has begun."""
    with Path(os.environ["BEGUN"]).open("a") as begun:
        begun.write("x")
    while True:
        pace.left += 1
        pace()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Counting is endless in the pool; here is noted how often it has begun."""
    found = tmp_path / "begun"
    found.touch()
    monkeypatch.setenv("BEGUN", str(found))
    monkeypatch.setattr(worker_pool, "count", endless)
    return found


def test_a_question_given_up_frees_its_place_and_its_process(begun: Path) -> None:
    """Whether it is being counted, waits for the process in its queue, or for the queue; and after a process was lost, too."""
    several = WorkerPool(workers=1, queue=4, patience=0, seconds=FOR_EVER)

    async def leave(times: int) -> None:
        tasks = [asyncio.create_task(several.odds(context(), SYSTEM, ACTION, BODY, PLENTY)) for _ in range(5)]
        await asyncio.to_thread(wait_for, lambda: begun.stat().st_size == times)
        assert several.full
        [child] = multiprocessing.active_children()
        for task in tasks:
            task.cancel()
        assert {type(found) for found in await asyncio.gather(*tasks, return_exceptions=True)} == {asyncio.CancelledError}
        await asyncio.to_thread(wait_for, lambda: not several.waiting)
        # The same process takes the next.
        assert await several._apart(context(), rule, TAG, WorkBudget(PLENTY, seconds=FOR_EVER), BODY, frozenset())
        assert multiprocessing.active_children() == [child]
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()
        with pytest.raises(HttpProblem):
            await several.odds(context(), SYSTEM, ACTION, BODY, PLENTY)

    try:
        for times in (1, 2):
            asyncio.run(leave(times))
    finally:
        several.close()


def test_who_hangs_up_is_not_counted_for_any_longer(begun: Path) -> None:
    asked = HEAD.replace(b"resolve", b"odds") + b"Content-Length: %d\r\n\r\n" % len(SENT) + SENT
    with running(odds_inline_ms=0, odds_workers=1, odds_seconds=FOR_EVER) as found:
        with found.connect() as caller:
            caller.sendall(asked)
            wait_for(lambda: begun.stat().st_size)
            assert "tablecall_odds_waiting 1.0" in found.metrics()
            # Torn down, not only closed: who closes one way may still read.
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wait_for(lambda: "tablecall_odds_waiting 0.0" in found.metrics())


def test_a_pace_goes_on_while_somebody_waits_and_looks_now_and_then() -> None:
    unwanted = CancelledJobs()

    def work() -> None:
        look_in(unwanted)
        pace = WorkBudget(PLENTY, seconds=FOR_EVER)
        pace.job = 7
        pace.begin()
        pace()
        unwanted.add(7)
        pace()  # it has looked just now
        pace.look_at = 0
        with pytest.raises(BudgetExceeded):
            pace()

    contextvars.copy_context().run(work)


def test_a_pace_ends_at_its_bound() -> None:
    pace = WorkBudget(2)
    pace()
    pace()
    with pytest.raises(TooLargeToCount, match="in all"):
        pace()


def test_what_the_processor_does_for_others_meanwhile_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second goes by on the clock at every look, and a tenth of one is worked."""
    clock, worked = count_from(0.0, 1.0), count_from(0.0, 0.1)
    monkeypatch.setattr(worker_pool, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(worker_pool, "thread_time", lambda: next(worked))
    pace = WorkBudget(PLENTY, 0.45)
    for _ in range(4):
        pace()
    with pytest.raises(BudgetExceeded):
        pace()


def test_the_branches_of_one_request_are_bounded_together(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    monkeypatch.setattr("tablecall.runtime.dispatch.MAX_BRANCHES", 5)
    field = "odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action }"
    found = ask(client, "{ " + " ".join(f"a{index}: {field}" for index in range(4)) + " }")
    codes = [error["extensions"]["problem"]["type"] for error in found["errors"]]
    assert codes
    assert set(codes) == {"/problems/too-large-to-count"}


# ── Inside a process of the pool ─────────────────────────────────────────────────────────────────────────────────────


def test_a_process_hands_back_odds_or_a_refusal() -> None:
    assert work(count, TAG, WorkBudget(PLENTY, seconds=10), 10, BODY) == (ANSWER, 3)
    assert isinstance(work(count, TAG, WorkBudget(PLENTY), 10, body_of(ACTION, WRONG)), Refusal)
    late = work(count, TAG, WorkBudget(PLENTY, seconds=0), 7, BODY)
    assert isinstance(late, TooLargeToCount)
    assert "longer to count than 7 seconds" in late.detail


def test_a_refusal_crosses_processes_with_its_facts() -> None:
    refusal = Forbidden(Finding("/a", "b", "c", "d"), detail="e")
    again = pickle.loads(pickle.dumps(refusal))
    assert (type(again), again.findings, again.detail) == (Forbidden, refusal.findings, "e")


def test_a_process_leaves_a_ctrl_c_to_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    try:
        contextvars.copy_context().run(worker_pool.begin, CancelledJobs())
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    worker_pool.outlive()
    assert set(ended) == {0}


def test_a_process_yields_to_the_service_and_ends_with_it() -> None:
    services = Services(Settings(odds_inline_ms=0))
    asyncio.run(services.workers.odds(context(), SYSTEM, ACTION, BODY, PLENTY))
    children = multiprocessing.active_children()
    assert {os.getpriority(os.PRIO_PROCESS, child.pid or 0) for child in children} == {
        min(os.getpriority(os.PRIO_PROCESS, 0) + worker_pool.NICE, 19)
    }
    services.workers.close()
    for child in children:
        child.join(10)
    assert not any(child.is_alive() for child in children)
