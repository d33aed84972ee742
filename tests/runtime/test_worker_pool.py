"""Worker processes: their limits, and what happens when one dies or is stuck."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
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


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# ── Jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_jobs_run_in_a_process_of_low_priority_that_ignores_ctrl_c(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "NICE", NICE)

    async def run() -> list[tuple[int, int, bool]]:
        return [await pool.run(jobs.process, seconds=LONG) for _ in range(2)]

    first, second = asyncio.run(run())
    assert first == second
    process, priority, ignores_sigint = first
    assert process != os.getpid()
    assert priority == min(os.getpriority(os.PRIO_PROCESS, 0) + NICE, 19)
    assert ignores_sigint


def test_an_exception_in_a_job_is_raised(pool: WorkerPool) -> None:
    with pytest.raises(LookupError, match="refused"):
        asyncio.run(pool.run(jobs.refused, seconds=LONG))


def test_no_more_jobs_run_at_once_than_there_are_workers(pool: WorkerPool) -> None:
    """They begin in the order in which they were asked for."""

    async def run() -> list[tuple[float, float]]:
        return await asyncio.gather(*(pool.run(jobs.span, seconds=LONG) for _ in range(4)))

    times = [time for span in asyncio.run(run()) for time in span]
    assert times == sorted(times)


def test_without_workers_jobs_run_in_this_process() -> None:
    alone = WorkerPool(workers=0, queue=0)
    assert asyncio.run(alone.run(jobs.pid, seconds=LONG)) == os.getpid()
    with alone.place(), alone.place():
        assert (alone.room, alone.waiting) == (0, 2)
    alone.close()


def test_a_question_without_a_place_is_refused(pool: WorkerPool) -> None:
    with pool.place():
        with pool.place():
            assert (pool.room, pool.waiting) == (2, 2)
            with pytest.raises(Overloaded), pool.place():
                pass
        assert pool.waiting == 1
    assert pool.waiting == 0


# ── Deadlines ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("workers", [0, 1])
def test_a_job_gets_no_more_time_than_is_left_until_the_deadline(workers: int) -> None:
    pool = WorkerPool(workers, 0)

    async def run(left: float) -> float:
        return await pool.run(jobs.limit, seconds=LONG, until=asyncio.get_running_loop().time() + left)

    assert 0 < asyncio.run(run(LONG / 2)) <= LONG / 2
    assert asyncio.run(run(2 * LONG)) == LONG
    with pytest.raises(NoTurn):
        asyncio.run(run(-1))
    pool.close()


def test_a_job_that_has_no_turn_before_the_deadline_does_not_run(pool: WorkerPool, tmp_path: Path) -> None:
    async def run() -> None:
        task, _ = await started(pool, tmp_path / "first")
        with pytest.raises(NoTurn):
            await pool.run(jobs.endless, tmp_path / "second", seconds=LONG, until=asyncio.get_running_loop().time())
        await cancelled(task)
        await pool.run(jobs.pid, seconds=LONG)

    asyncio.run(run())
    assert not (tmp_path / "second").exists()


# ── Time limits, and callers that have gone ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("job", [jobs.stopped, jobs.stuck_in_c])
def test_a_job_past_its_limit_is_killed_whatever_it_does(
    job: Callable[..., Any], pair: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is replaced; the other worker goes on."""
    monkeypatch.setattr(worker_pool, "KILL_SECONDS", 0.1)

    async def run() -> None:
        other_task, other = await started(pair, tmp_path / "other")
        late = await pair.run(jobs.pid, seconds=LONG)
        with pytest.raises(BudgetExceeded):
            await pair.run(job, tmp_path / "late", seconds=0.1)
        await until(lambda: has_ended(late))
        assert await pair.run(jobs.pid, seconds=LONG) not in (late, other)
        assert not has_ended(other)
        await cancelled(other_task)
        await until(lambda: has_ended(other))

    asyncio.run(run())


@pytest.mark.parametrize("job", [jobs.endless, jobs.stopped])
def test_a_cancelled_job_is_killed_whatever_it_does(job: Callable[..., Any], pair: WorkerPool, tmp_path: Path) -> None:
    async def run() -> None:
        other_task, other = await started(pair, tmp_path / "other")
        task, process = await started(pair, tmp_path / "job", job)
        await cancelled(task)
        await until(lambda: has_ended(process))
        assert await pair.run(jobs.pid, seconds=LONG) not in (process, other)
        assert not has_ended(other)
        await cancelled(other_task)

    asyncio.run(run())


def test_a_job_that_is_cancelled_while_it_waits_never_runs(pool: WorkerPool, tmp_path: Path) -> None:
    async def run() -> None:
        task, process = await started(pool, tmp_path / "first")
        waiting = asyncio.create_task(pool.run(jobs.endless, tmp_path / "second", seconds=LONG))
        await asyncio.sleep(0)
        await cancelled(waiting)
        assert not has_ended(process)
        await cancelled(task)
        await pool.run(jobs.pid, seconds=LONG)

    asyncio.run(run())
    assert not (tmp_path / "second").exists()


# ── Workers that die ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_lost_worker_is_replaced_and_waiting_jobs_are_not_lost(pool: WorkerPool) -> None:
    async def run() -> list[Any]:
        kinds: list[Callable[[float], int]] = [jobs.lost, jobs.pid, jobs.lost, jobs.pid]
        return await asyncio.gather(*(pool.run(job, seconds=LONG) for job in kinds), return_exceptions=True)

    first, second, third, fourth = asyncio.run(run())
    assert isinstance(first, WorkerLost)
    assert isinstance(third, WorkerLost)
    assert isinstance(second, int)
    assert isinstance(fourth, int)
    assert second != fourth


def test_a_worker_that_died_while_it_was_idle_is_replaced_unnoticed(pool: WorkerPool) -> None:
    async def run() -> tuple[int, int]:
        before = await pool.run(jobs.pid, seconds=LONG)
        os.kill(before, signal.SIGKILL)
        await until(lambda: not pool._idle[0].active)
        return before, await pool.run(jobs.pid, seconds=LONG)

    before, after = asyncio.run(run())
    assert before != after


def test_a_worker_that_does_not_begin_a_job_is_replaced_unnoticed(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    end = WorkerPool._end

    def patient(self: WorkerPool, *arguments: Any) -> None:
        monkeypatch.setattr(worker_pool, "START_SECONDS", LONG)
        end(self, *arguments)

    async def run() -> tuple[int, int]:
        before = await pool.run(jobs.pid, seconds=LONG)
        os.kill(before, signal.SIGSTOP)
        monkeypatch.setattr(worker_pool, "START_SECONDS", 0)
        monkeypatch.setattr(WorkerPool, "_end", patient)
        after = await pool.run(jobs.pid, seconds=LONG)
        await until(lambda: has_ended(before))
        return before, after

    before, after = asyncio.run(run())
    assert before != after


def test_a_worker_that_cannot_start_is_lost(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "_begin", jobs.fails_to_start)

    async def run() -> None:
        with pytest.raises(WorkerLost):
            await pool.run(jobs.pid, seconds=LONG)
        monkeypatch.undo()
        await pool.run(jobs.pid, seconds=LONG)

    asyncio.run(run())


# ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_closed_pool_has_no_processes(tmp_path: Path) -> None:
    """Neither one that is idle nor one that is busy; whoever waits for the job may stop later."""
    pool = WorkerPool(workers=2, queue=0)

    async def run() -> list[int]:
        idle = await pool.run(jobs.pid, seconds=LONG)
        first, busy = await started(pool, tmp_path / "first")
        second, also_busy = await started(pool, tmp_path / "second")
        await cancelled(second)
        await pool.run(jobs.pid, seconds=LONG)
        pool.close()
        await cancelled(first)
        return [idle, busy, also_busy]

    assert all(map(has_ended, asyncio.run(run())))
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


def test_a_process_without_a_service_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens inside a worker, done here: this process has no parent that started it as a worker."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    worker_pool._begin()
    asyncio.run(until(lambda: ended))
    assert ended == [0]


def test_a_worker_waits_for_its_service_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[object] = []

    class Service:
        def join(self) -> None:
            events.append("the service has ended")

    monkeypatch.setattr("multiprocessing.parent_process", Service)
    monkeypatch.setattr(os, "_exit", events.append)
    worker_pool._end_with_parent()
    assert events == ["the service has ended", 0]
