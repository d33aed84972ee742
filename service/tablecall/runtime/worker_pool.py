"""Dear odds, away from the event loop: a bounded pool of processes with a bounded queue before it.

Odds are pure Python: in a thread they would hold the interpreter, and every other request would wait for each switch. What
odds cost shows only in counting them, so all are begun at once; those that take longer than a few milliseconds are given up
and begun again in a process. Processes are spawned, never forked (a fork would inherit the listening socket), with the first
dear question, and live as long as the service. A question whose caller goes away is given up, also while it is counted.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import count as numbers
from time import perf_counter, thread_time
from typing import Any, TypeVar

from tablecall.dice.enumeration import MAX_BRANCHES
from tablecall.engine import BudgetExceeded, Offload, SimulationResult, at_once, odds, played, whole
from tablecall.model.base import Body, Simulable
from tablecall.model.problems import HttpProblem
from tablecall.model.refusals import Finding, Refusal, TooLargeToCount
from tablecall.runtime.cancellation import CancelledJobs, is_unwanted, look_in
from tablecall.runtime.request_context import RequestContext
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System

NICE = 10
"""How much the processes that count yield to the one that answers."""
LOOK = 0.05
"""How long a process works on before it looks whether anybody still waits, in seconds."""
T = TypeVar("T")
Task = Callable[..., T]
"""What is done in a process of the pool, of a system, an action, what is asked, and the pace."""
Counted = tuple[dict[str, Any], int]
"""Odds, and how many branches they took. Whoever gets them must not change them."""


class WorkBudget:
    """Called at every branch: counts them up to ``left``, and raises `BudgetExceeded` after ``working`` seconds of processor time.

    What the processor does for others meanwhile is not the work's to answer for: on a busy machine all odds would be given up. In a
    process of the pool it has so many ``seconds`` by the clock, or until soon after nobody waits for the ``job`` any more.
    """

    def __init__(self, left: int, working: float = float("inf"), seconds: float = float("inf")) -> None:
        self.left = left
        self.worked = thread_time() + working
        self.look_at = perf_counter() + working
        self.until = float("inf")
        self.seconds = seconds
        self.branches = self.job = 0

    def begin(self) -> None:
        """The work begins, in a process of the pool."""
        self.look_at = perf_counter()
        self.until = self.look_at + self.seconds

    def __call__(self) -> None:
        """One branch more."""
        self.branches += 1
        if self.branches > self.left:
            detail = f"the exact odds of one request follow at most {MAX_BRANCHES} branches in all"
            raise TooLargeToCount(Finding("", TooLargeToCount.code, detail))
        if perf_counter() > self.look_at:
            self.look()

    def look(self) -> None:
        """It is time to look whether to go on."""
        now, working = perf_counter(), self.worked - thread_time()
        if now > self.until or working < 0 or is_unwanted(self.job):
            raise BudgetExceeded
        self.look_at = min(now + LOOK, now + working, self.until)


def too_long(seconds: float) -> TooLargeToCount:
    """What took as long as any may."""
    detail = f"this would take longer to count than {seconds:g} seconds, which is the bound"
    return TooLargeToCount(Finding("", TooLargeToCount.code, detail))


def count(system: System, action: Action, body: Body, pace: WorkBudget) -> Counted:
    """The odds, counted here and now."""
    return odds(system, action, body, pace), pace.branches


def rule(system: System, action: Action, body: Body, include: frozenset[str], pace: WorkBudget) -> dict[str, Any]:
    """A ruling that may take long, made here and now."""
    return at_once(whole(system, action, body, include), pace)


def play(system: System, action: Action, body: Simulable, seed: str, which: range, pace: WorkBudget) -> tuple[SimulationResult, int, float]:
    """Some parts of a simulation, played here and now; how many branches they count as, and the seconds they took."""
    began = perf_counter()
    found = played(system, action, body, seed, which, pace)
    return found, pace.branches, perf_counter() - began


class WorkerPool:
    """Counts odds: at once for as long as ``patience`` seconds of the processor's time, else in one of ``workers`` processes, for at most
    ``seconds``.

    As many as ``queue`` may wait for a process.
    """

    def __init__(self, workers: int, queue: int, patience: float, seconds: float) -> None:
        self.workers = workers
        self.room = workers + queue if workers else 0
        self.patience = patience if workers else seconds
        self.seconds = seconds
        self._jobs: set[Future[Any]] = set()
        self._numbers = numbers(1)
        self._unwanted: CancelledJobs | None = None
        self._pool: ProcessPoolExecutor | None = None

    @property
    def waiting(self) -> int:
        """How many are being counted in the pool, or wait for it."""
        return len(self._jobs)

    @property
    def full(self) -> bool:
        """Whether the next would be refused."""
        return bool(self.workers) and len(self._jobs) >= self.room

    async def odds(self, context: RequestContext, system: System, action: Action, body: Body, left: int) -> Counted:
        """The odds; refuses (503) what there is no room for, and (`TooLargeToCount`) more than ``left`` branches."""
        if self.patience:
            try:
                return count(system, action, body, WorkBudget(left, self.patience))
            except BudgetExceeded:
                if not self.workers:
                    raise too_long(self.seconds) from None
        return await self._elsewhere(context, count, f"{system.name}.{action.name}", WorkBudget(left, seconds=self.seconds), body)

    async def ruling(self, context: RequestContext, dear: Offload) -> dict[str, Any]:
        """A ruling that may take long; refuses as `odds` does."""
        tag = f"{dear.system.name}.{dear.action.name}"
        return await self._apart(context, rule, tag, WorkBudget(MAX_BRANCHES, seconds=self.seconds), dear.body, dear.include)

    async def played(
        self,
        context: RequestContext,
        system: System,
        action: Action,
        body: Simulable,
        seed: str,
        which: range,
        left: int,
        seconds: float,
    ) -> tuple[SimulationResult, int, float]:
        """`play`, in at most so many branches and seconds; refuses as `odds` does, save that what has begun keeps its place."""
        pace = WorkBudget(left, seconds=seconds)
        return await self._apart(context, play, f"{system.name}.{action.name}", pace, body, seed, which, begun=which.start > 0)

    async def _apart(self, context: RequestContext, task: Task[T], tag: str, pace: WorkBudget, *arguments: Any, begun: bool = False) -> T:
        """Done in the pool; without one, here and now."""
        if self.workers:
            return await self._elsewhere(context, task, tag, pace, *arguments, begun=begun)
        await asyncio.sleep(0)
        found = work(task, tag, pace, self.seconds, *arguments)
        if isinstance(found, Refusal):
            raise found
        return found

    async def _elsewhere(
        self, context: RequestContext, task: Task[T], tag: str, pace: WorkBudget, *arguments: Any, begun: bool = False
    ) -> T:
        if self.full and not begun:
            raise HttpProblem("busy", "as many dear questions as there is room for are being answered")
        unwanted = self._unwanted = self._unwanted or CancelledJobs()
        pool = self._pool = self._pool or ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), begin, (unwanted,))
        pace.job = next(self._numbers)
        try:
            job = pool.submit(work, task, tag, pace, self.seconds, *arguments)
            yielding()
            self._jobs.add(job)
            # Called in a thread of the pool: taking one out of a set is one step of the interpreter.
            job.add_done_callback(self._jobs.discard)
            try:
                found = await context.unless_gone(asyncio.wrap_future(job))
            finally:
                if not (job.cancel() or job.done()):  # it has begun, and must be told
                    unwanted.add(pace.job)
        except BrokenProcessPool:
            if self._pool is pool:  # whoever waited with this one may have been told first, and others wait in a new pool by now
                self.close()
            raise HttpProblem("busy", "the process that counted this was lost") from None
        if isinstance(found, Refusal):
            raise found
        return found

    def close(self) -> None:
        """End the processes, whatever they do."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for child in multiprocessing.active_children():
                child.terminate()
            # With its processes gone its thread ends at once; left to itself it would trip over what the interpreter has closed.
            pool.shutdown(wait=True, cancel_futures=True)


def yielding() -> None:
    """Let the processes that count yield to this one from their first moment: to start, each loads as much as a service does."""
    nice = os.getpriority(os.PRIO_PROCESS, 0) + NICE
    for child in multiprocessing.active_children():
        assert child.pid is not None
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, child.pid, nice)


# ── In a process of the pool ─────────────────────────────────────────────────────────────────────────────────────────


def begin(unwanted: CancelledJobs) -> None:
    """A process starts: it leaves a Ctrl-C to the service, and has nothing to do without it, nor with what is ``unwanted``."""
    look_in(unwanted)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=outlive, daemon=True).start()


def outlive() -> None:
    """Wait for the service to end, however it ends, and end as well."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)


def work(task: Task[T], tag: str, pace: WorkBudget, seconds: float, *arguments: Any) -> T | Refusal:
    """Do one task; a refusal is handed back as it is. ``seconds`` is the bound that it names where it takes too long."""
    pace.begin()
    try:
        return task(*ACTIONS[tag], *arguments, pace)
    except BudgetExceeded:
        return too_long(seconds)
    except Refusal as refusal:
        return refusal
