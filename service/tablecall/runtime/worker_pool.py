"""A bounded pool of worker processes for work that takes long, with a bounded queue before it.

Rulings and odds are pure Python: in a thread they would hold the interpreter, and the event loop would wait for each switch.
Workers are spawned, never forked (a fork would inherit the listening socket), on first use, and live as long as the service.

Each worker is a pebble pool of one process, so that whatever is wrong with one is put right without touching the others. A job
that passes its time limit is killed, also when its process is stopped or stuck in C. A job whose caller has gone is killed too.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TypeVar, cast

from pebble import CONSTS, ProcessExpired, ProcessPool

from tablecall.engine.budget import BudgetExceeded

# As pebble comes, it looks at its workers every 0.1 s and gives a process that ignores SIGTERM, as a stopped one does, 3 s before
# SIGKILL. With these values a worker past its limit is gone after some 20 to 80 ms; they cost below 1 % of a core when idle.
CONSTS.sleep_unit = 0.02
CONSTS.term_timeout = 0.05

NICE = 10
"""How much lower the priority of a worker is than that of the service."""
KILL_SECONDS = 1.0
"""How long after its time limit a job is killed. Jobs end by themselves before, unless they are stopped or stuck."""
START_SECONDS = 20.0
"""How long a worker may take to begin a job before it is replaced. On a busy machine a worker, with its low priority, starts slowly."""
END_SECONDS = 5.0
"""How long a service that stops waits for a killed process: one that waits for a disk cannot die."""

T = TypeVar("T")


class Overloaded(Exception):
    """The pool and its queue are full."""


class WorkerLost(Exception):
    """The process that did the job has died."""


class NoTurn(Exception):
    """No worker was free before the deadline."""


class WorkerPool:
    """At most ``workers`` jobs run at once, and ``queue`` more questions may wait. Without workers, jobs run in this process."""

    def __init__(self, workers: int, queue: int) -> None:
        self.workers = workers
        self.room = workers + queue if workers else 0
        self.waiting = 0
        """How many questions have a place now: their jobs run or wait."""
        self._turns = asyncio.Semaphore(workers)
        self._idle: list[ProcessPool] = []
        self._busy: set[ProcessPool] = set()
        self._ending: list[threading.Thread] = []

    @contextmanager
    def place(self) -> Iterator[None]:
        """Held by a question as long as it has jobs to run, one after the other. Raises `Overloaded` if there is no place."""
        if self.workers and self.waiting >= self.room:
            raise Overloaded
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def run(self, job: Callable[..., T], *arguments: object, seconds: float, until: float = inf) -> T:
        """The result of ``job(*arguments, seconds)`` in a worker. Jobs begin in the order in which they were asked for.

        The job gets at most ``seconds``, and less if it would otherwise go on after ``until``, a time of the event loop. Raises
        `BudgetExceeded` if it takes longer, `NoTurn` if it cannot begin before ``until``, `WorkerLost` if its process dies, and
        whatever the job raises. If this is cancelled, the job is killed.
        """
        if not self.workers:
            await asyncio.sleep(0)
            return job(*arguments, _limit(seconds, until))
        try:
            async with asyncio.timeout_at(None if until == inf else until):
                await self._turns.acquire()
        except TimeoutError:
            raise NoTurn from None
        try:
            try:
                return await self._attempt(job, arguments, seconds, until)
            except BrokenProcessPool:  # the job had not begun, so nothing is lost
                return await self._attempt(job, arguments, seconds, until)
        except (BrokenProcessPool, ProcessExpired) as error:
            raise WorkerLost from error
        finally:
            self._turns.release()

    async def _attempt(self, job: Callable[..., T], arguments: tuple[object, ...], seconds: float, until: float) -> T:
        limit = _limit(seconds, until)
        worker = self._idle.pop() if self._idle else ProcessPool(1, initializer=_begin, context=_Context())
        self._busy.add(worker)
        reusable = False
        try:
            try:
                future = worker.schedule(job, (*arguments, limit), timeout=limit + KILL_SECONDS)
            except RuntimeError as error:  # its process died while it was idle
                raise BrokenProcessPool from error
            result = asyncio.wrap_future(future)
            try:
                await asyncio.wait({result}, timeout=START_SECONDS)
                if not future.running() and not future.done():
                    raise BrokenProcessPool
                return await result
            except TimeoutError:
                raise BudgetExceeded from None
            finally:
                reusable = result.done() and not result.cancelled() and worker.active
                result.cancel()
        finally:
            if worker in self._busy:
                self._busy.remove(worker)
                if reusable:
                    self._idle.append(worker)
                else:
                    self._end(worker)

    def _end(self, worker: ProcessPool) -> None:
        """Kill a worker, whatever it does. It takes some hundredths of a second, so a thread waits for it."""
        worker.stop()  # type: ignore[no-untyped-call]
        thread = threading.Thread(target=worker.join, daemon=True)
        thread.start()
        self._ending = [other for other in self._ending if other.is_alive()] + [thread]

    def close(self) -> None:
        """Kill all workers, and wait until they have ended, for some seconds at most."""
        workers = [*self._idle, *self._busy]
        self._idle.clear()
        self._busy.clear()
        for worker in workers:
            self._end(worker)
        for thread in self._ending:
            thread.join(END_SECONDS)


def _limit(seconds: float, until: float) -> float:
    """The seconds left for a job that begins now."""
    if until == inf:
        return seconds
    left = until - asyncio.get_running_loop().time()
    if left <= 0:
        raise NoTurn
    return min(seconds, left)


# ── The processes ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Process(SpawnProcess):
    """A process of low priority, from its first moment: to start, it loads as much as a service does."""

    def start(self) -> None:
        super().start()
        with suppress(ProcessLookupError):  # it may have died already
            os.setpriority(os.PRIO_PROCESS, cast("int", self.pid), os.getpriority(os.PRIO_PROCESS, 0) + NICE)


class _Context(SpawnContext):
    Process = _Process


def _begin() -> None:
    """Called in a worker when it starts. (pebble has it ignore SIGINT: a Ctrl-C is for the service.)"""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the service to end, however it ends, and end as well."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
