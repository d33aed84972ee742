"""Worker processes: their limits, and what happens when one dies or is stuck."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tablecall.engine import BudgetExceeded
from tablecall.runtime import worker_pool
from tablecall.runtime.worker_pool import NoTurn, Overloaded, WorkerLost, WorkerPool
from tests.support import jobs
from tests.support.jobs import LONG, has_ended, process_of, until

NICE = worker_pool.NICE


@pytest.fixture(autouse=True)
def usual_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, processes of low priority take long to start."""
    monkeypatch.setattr(worker_pool, "NICE", 0)


def in_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @wraps(test)
    def run(**fixtures: Any) -> None:
        async def awaited() -> None:
            await test(**fixtures)

        asyncio.run(awaited())

    return run


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    """One worker."""
    made = WorkerPool(workers=1, queue=1)
    yield made
    made.close()


@pytest.fixture
def pair() -> Iterator[WorkerPool]:
    """Two workers."""
    made = WorkerPool(workers=2, queue=0)
    yield made
    made.close()


async def started(pool: WorkerPool, begun: Path, job: Callable[..., Any] = jobs.endless) -> tuple[asyncio.Task[Any], int]:
    """A job that goes on, and its process."""
    task = asyncio.create_task(pool.run(job, begun, seconds=LONG))
    return task, await process_of(begun)


async def pid(pool: WorkerPool) -> int:
    """The process that runs the next job."""
    return await pool.run(jobs.pid, seconds=LONG)


async def cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# ── Jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@in_loop
async def test_jobs_run_in_a_process_of_low_priority_that_ignores_ctrl_c(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "NICE", NICE)
    process, priority, ignores_sigint = await pool.run(jobs.process, seconds=LONG)
    assert process == await pid(pool) != os.getpid()
    assert priority == min(os.getpriority(os.PRIO_PROCESS, 0) + NICE, 19)
    assert ignores_sigint


@in_loop
async def test_exception_of_a_job_is_raised(pool: WorkerPool) -> None:
    with pytest.raises(LookupError, match="refused"):
        await pool.run(jobs.refused, seconds=LONG)


@in_loop
async def test_as_many_jobs_run_at_once_as_there_are_workers(pool: WorkerPool) -> None:
    """They begin in the order of the calls."""
    spans = await asyncio.gather(*(pool.run(jobs.span, seconds=LONG) for _ in range(4)))
    times = [time for span in spans for time in span]
    assert times == sorted(times)


@in_loop
async def test_without_workers_jobs_run_in_this_process() -> None:
    alone = WorkerPool(workers=0, queue=0)
    assert await pid(alone) == os.getpid()
    with alone.place(), alone.place():
        assert (alone.room, alone.waiting) == (0, 2)
    alone.close()


def test_job_without_a_place_is_refused(pool: WorkerPool) -> None:
    with pool.place():
        with pool.place():
            assert (pool.room, pool.waiting) == (2, 2)
            with pytest.raises(Overloaded), pool.place():
                pass
        assert pool.waiting == 1
    assert pool.waiting == 0


# ── Deadlines ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("workers", [0, 1])
@in_loop
async def test_job_gets_no_more_time_than_is_left_until_the_deadline(workers: int) -> None:
    pool = WorkerPool(workers, 0)

    async def limit(left: float) -> float:
        return await pool.run(jobs.limit, seconds=LONG, until=asyncio.get_running_loop().time() + left)

    assert 0 < await limit(LONG / 2) <= LONG / 2
    assert await limit(2 * LONG) == LONG
    with pytest.raises(NoTurn):
        await limit(-1)
    pool.close()


@pytest.mark.parametrize("late", [False, True])
@in_loop
async def test_job_that_is_late_or_cancelled_while_it_waits_never_runs(pool: WorkerPool, tmp_path: Path, late: bool) -> None:
    task, process = await started(pool, tmp_path / "first")
    if late:
        with pytest.raises(NoTurn):
            await pool.run(jobs.endless, tmp_path / "second", seconds=LONG, until=asyncio.get_running_loop().time())
    else:
        waiting = asyncio.create_task(pool.run(jobs.endless, tmp_path / "second", seconds=LONG))
        await asyncio.sleep(0)
        await cancel(waiting)
    assert not has_ended(process)
    await cancel(task)
    await pid(pool)
    assert not (tmp_path / "second").exists()


@pytest.mark.parametrize("job", [jobs.stopped, jobs.stuck_in_c])
@in_loop
async def test_job_past_its_limit_is_killed(
    job: Callable[..., Any], pair: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is replaced; the other worker is not affected."""
    monkeypatch.setattr(worker_pool, "KILL_SECONDS", 0.1)
    other_task, other = await started(pair, tmp_path / "other")
    late = await pid(pair)
    with pytest.raises(BudgetExceeded):
        await pair.run(job, tmp_path / "late", seconds=0.1)
    await until(lambda: has_ended(late))
    assert await pid(pair) not in (late, other)
    assert not has_ended(other)
    await cancel(other_task)


@pytest.mark.parametrize("job", [jobs.endless, jobs.stopped])
@in_loop
async def test_cancelled_job_is_killed(job: Callable[..., Any], pair: WorkerPool, tmp_path: Path) -> None:
    other_task, other = await started(pair, tmp_path / "other")
    task, process = await started(pair, tmp_path / "job", job)
    await cancel(task)
    await until(lambda: has_ended(process))
    assert await pid(pair) not in (process, other)
    assert not has_ended(other)
    await cancel(other_task)


# ── Workers that die ─────────────────────────────────────────────────────────────────────────────────────────────────


@in_loop
async def test_lost_worker_is_replaced_and_waiting_jobs_run(pool: WorkerPool) -> None:
    kinds: list[Callable[[float], int]] = [jobs.lost, jobs.pid, jobs.lost, jobs.pid]
    first, second, third, fourth = await asyncio.gather(*(pool.run(job, seconds=LONG) for job in kinds), return_exceptions=True)
    assert isinstance(first, WorkerLost)
    assert isinstance(third, WorkerLost)
    assert isinstance(second, int)
    assert isinstance(fourth, int)
    assert second != fourth


@in_loop
async def test_worker_that_dies_while_idle_is_replaced(pool: WorkerPool) -> None:
    before = await pid(pool)
    os.kill(before, signal.SIGKILL)
    await until(lambda: not pool._idle[0].active)
    assert await pid(pool) != before


@in_loop
async def test_worker_that_does_not_begin_a_job_is_replaced(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    end = WorkerPool._end

    def patient(self: WorkerPool, *arguments: Any) -> None:
        monkeypatch.setattr(worker_pool, "START_SECONDS", LONG)
        end(self, *arguments)

    before = await pid(pool)
    os.kill(before, signal.SIGSTOP)
    monkeypatch.setattr(worker_pool, "START_SECONDS", 0)
    monkeypatch.setattr(WorkerPool, "_end", patient)
    assert await pid(pool) != before
    await until(lambda: has_ended(before))


@in_loop
async def test_worker_that_cannot_start_is_lost(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "_begin", jobs.fails_to_start)
    with pytest.raises(WorkerLost):
        await pid(pool)
    monkeypatch.undo()
    await pid(pool)


# ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@in_loop
async def test_closed_pool_has_no_processes(tmp_path: Path) -> None:
    """Idle and busy ones end; the caller that waits for the job may stop later."""
    pool = WorkerPool(workers=2, queue=0)
    idle = await pid(pool)
    first, busy = await started(pool, tmp_path / "first")
    second, also_busy = await started(pool, tmp_path / "second")
    await cancel(second)
    await pid(pool)
    pool.close()
    await cancel(first)
    assert all(map(has_ended, (idle, busy, also_busy)))
    pool.close()


SERVICE = """
import asyncio, pathlib, sys
from tablecall.runtime.worker_pool import WorkerPool
from tests.support import jobs

if __name__ == "__main__":
    asyncio.run(WorkerPool(1, 0).run(jobs.endless, pathlib.Path(sys.argv[1]), seconds=jobs.LONG))
"""


def test_workers_end_with_a_service_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(SERVICE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    service = subprocess.Popen([sys.executable, str(tmp_path / "service.py"), str(tmp_path / "begun")], env=environment)
    worker = asyncio.run(process_of(tmp_path / "begun"))
    assert not has_ended(worker)
    service.kill()
    service.wait()
    asyncio.run(until(lambda: has_ended(worker)))


@in_loop
async def test_process_without_a_service_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens inside a worker, done here: this process has no parent that started it as a worker."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    worker_pool._begin()
    await until(lambda: ended)
    assert ended == [0]


def test_worker_waits_for_its_service_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[object] = []

    class Service:
        def join(self) -> None:
            events.append("joined")

    monkeypatch.setattr("multiprocessing.parent_process", Service)
    monkeypatch.setattr(os, "_exit", events.append)
    worker_pool._end_with_parent()
    assert events == ["joined", 0]
