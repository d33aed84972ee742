"""Rulings and odds for a request, whatever it came by: counted, limited and reported alike.

Here, and only here, it is decided where work is done. Cheap work is done at once. A ruling that holds many others is made in
slices, between which other requests have their turn. What takes longer goes to a worker process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from functools import partial
from math import inf
from typing import Any, TypeVar

from tablecall.dice.enumeration import MAX_BRANCHES, too_many_branches
from tablecall.dice.rng import seed_text
from tablecall.engine import (
    Budget,
    BudgetExceeded,
    SimulationResult,
    part_count,
    resolve,
    resolve_with_pauses,
    rolls,
    simulated_odds,
)
from tablecall.engine.jobs import Counted, count, count_odds, make_ruling, play_trials, too_long
from tablecall.engine.outcomes import worded
from tablecall.engine.verify import extras_of, judged, to_repeat, within
from tablecall.model.base import Body
from tablecall.model.problems import HttpProblem
from tablecall.model.refusals import TooLargeToCount
from tablecall.runtime.cooperative import sliced
from tablecall.runtime.odds_cache import key_of
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.services import Services
from tablecall.runtime.worker_pool import NoTurn, Overloaded, WorkerLost
from tablecall.systems.system import Action, System

PROGRESS_SECONDS = 0.4
"""About how often a simulation reports its progress."""
MOVES_AT_ONCE = 120
"""The most moves of a fight that are made in this process at a time: some milliseconds."""
IN_TIME = 0.9
"""The part of a request's time after which a simulation is ended, so that its answer is in time."""
SHARE_OF_AUTO = 0.25
"""The part of the time for odds that counting may take if the odds may be simulated instead."""
FIRST_TURNS = 0.6
"""The part of a request's time in which all questions of a full queue have their first turn, if all are simulations."""

T = TypeVar("T")


async def ruling(
    context: RequestContext,
    system: System,
    action: Action,
    body: Body,
    include: frozenset[str] = frozenset(),
    *,
    drawn: bool = False,
) -> dict[str, Any]:
    """The ruling of one action, with a receipt if the service has a signing key. ``drawn``: the service drew its seed before."""
    if include or body.include or body.large_ruling:
        answer = await _large_ruling(context, system, action, body, include)
    else:
        answer = resolve(system, action, body)
    if drawn and answer["seedFrom"] == "request":
        answer["seedFrom"] = "service"
    if "odds" in include or "odds" in body.include:
        answer["odds"] = await odds(context, system, action, body)
    receipts = context.services.receipts
    if receipts.signed and body.large_ruling:
        await asyncio.to_thread(receipts.sign, body, answer)  # the canonical form of a large ruling takes long
    elif receipts.signed:
        receipts.sign(body, answer)
    context.acted("resolve", answer["action"], answer["outcome"], action.outcomes)
    return answer


async def verification(context: RequestContext, system: System, action: Action, body: Body, ruling: Any) -> dict[str, Any]:
    """What a ruling is worth (`tablecall.engine.verify.verify`), of a request that is read already."""
    ruling, repeat = to_repeat(system, action, body, ruling)
    again = None
    if repeat is not None:
        with within("/request"):
            again = await _large_ruling(context, system, action, repeat, extras_of(ruling))
    judge = partial(judged, system, action, body, ruling, again, context.services.receipts)
    return await asyncio.to_thread(judge) if body.large_ruling else judge()


async def _large_ruling(context: RequestContext, system: System, action: Action, body: Body, include: frozenset[str]) -> dict[str, Any]:
    """A ruling that may be large, without a receipt: made here in slices, or, if a fight goes on for long, in a worker."""
    try:
        return await sliced(resolve_with_pauses(system, action, body, include, Budget(MOVES_AT_ONCE) if body.unbounded else None))
    except BudgetExceeded:
        work = _in_worker(
            context.services, context.services.settings.odds_seconds, make_ruling, f"{system.name}.{action.name}", body, include
        )
        return await context.unless_gone(asyncio.ensure_future(work))


def needed_rolls(context: RequestContext, system: System, action: Action, body: Body) -> dict[str, Any]:
    """The dice that a table needs to roll next."""
    answer = rolls(system, action, body)
    state = "complete" if answer["complete"] else "needed"
    context.acted("rolls", f"{system.name}.{action.name}", state, ("complete", "needed"))
    return answer


@asynccontextmanager
async def turn(context: RequestContext) -> AsyncIterator[None]:
    """Held by each of several questions in one request: they are answered one at a time, and other requests go before each."""
    async with _one_at_a_time(context):
        await asyncio.sleep(0)
        yield


@asynccontextmanager
async def _one_at_a_time(context: RequestContext) -> AsyncIterator[None]:
    """Held by one question of a request. The odds inside a ruling are part of its question, so its task may enter again."""
    task = asyncio.current_task()
    if context.answering is task:
        yield
        return
    async with context.one_at_a_time:
        context.answering = task
        try:
            yield
        finally:
            context.answering = None


async def odds(context: RequestContext, system: System, action: Action, body: Body) -> dict[str, Any]:
    """The odds of one action. All odds of one request together follow at most `MAX_BRANCHES` branches."""
    return [answer async for answer in progressing_odds(context, system, action, body)][-1]


async def progressing_odds(context: RequestContext, system: System, action: Action, body: Body) -> AsyncIterator[dict[str, Any]]:
    """The odds of one action as they become known: a simulation again and again, each time over more trials; anything else once.

    The questions of one request are answered one after the other, so that it never takes more than one place in the pool.
    """
    if body.method != "simulation":
        try:
            answer = await _exact_odds(context, system, action, body)
        except TooLargeToCount:
            if body.method == "exact":
                raise
        else:
            yield worded(answer, action, body.language)
            return
    async with aclosing(_simulating(context, system, action, body)) as simulating:
        async for progress in simulating:
            yield worded(progress, action, body.language)


async def _exact_odds(context: RequestContext, system: System, action: Action, body: Body) -> dict[str, Any]:
    async with _one_at_a_time(context):
        if context.branches:
            await asyncio.sleep(0)  # not the first question of this request: let the others have their turn
        answer, branches = await _counted(context, system, action, body, MAX_BRANCHES - context.branches)
        context.branches += branches
    context.acted("odds", answer["action"], "counted", ("counted",))
    return answer


async def _simulating(context: RequestContext, system: System, action: Action, body: Body) -> AsyncGenerator[dict[str, Any], None]:
    """A simulation, reported whenever a part of it is played: soon at first, then less and less often.

    Simulations that run at the same time take turns, part by part. One takes no longer than exact odds may, and its trials count as
    branches. If the answer has not started, it ends before the request's time does, with the trials played so far.
    """
    services, tag, seed = context.services, f"{system.name}.{action.name}", seed_text(body.seed)
    result, unfinished, late = SimulationResult(), SimulationResult(), False
    async with _one_at_a_time(context):
        with _busy_is_a_problem(), services.workers.place():
            begin, several, seconds, first_turn = 0, 1, services.settings.odds_seconds, _first_turn(services)
            while begin < part_count(body) and seconds > 0:
                which = range(begin, min(begin + several, part_count(body)))
                limit = seconds if begin else min(seconds, first_turn)
                until = inf if context.status else context.deadline - (1 - IN_TIME) * services.settings.request_seconds
                left = MAX_BRANCHES - context.branches
                work = services.workers.run(play_trials, tag, body, seed, which, left, seconds=limit, until=until)
                try:
                    more, branches, took = await context.unless_gone(asyncio.ensure_future(work))
                except NoTurn:
                    late = True
                    break
                except BudgetExceeded:
                    break
                seconds -= took
                if more.cut and not begin:  # not even one part: again from the beginning, with more time, after the others
                    unfinished, first_turn = more, 2 * first_turn
                    continue
                result.add(more)
                context.branches += branches
                if more.trials:
                    yield simulated_odds(system, action, body, seed, result)
                if more.cut:
                    break
                begin, several = which.stop, several * 2 if took < PROGRESS_SECONDS else several
            if not result.trials:
                if not unfinished.trials:
                    raise HttpProblem("timed-out") if late else too_long(services.settings.odds_seconds)
                yield simulated_odds(system, action, body, seed, unfinished)
    context.acted("odds", tag, "simulated", ("simulated",))


def _first_turn(services: Services) -> float:
    """How many seconds the first turn of a simulation may take."""
    workers = services.workers
    return FIRST_TURNS * services.settings.request_seconds * workers.workers / workers.room if workers.workers else inf


async def _counted(context: RequestContext, system: System, action: Action, body: Body, left: int) -> Counted:
    """The odds: from the cache, counted at once if that takes little, or by a worker. More than ``left`` branches are refused."""
    services, tag = context.services, f"{system.name}.{action.name}"
    key = key_of(tag, body)
    cached = services.odds_cache.find(key)
    if cached is not None and cached[1] <= left:
        return cached
    if services.workers.workers and services.settings.odds_inline_ms:
        try:
            budget = Budget(left, cpu_seconds=services.settings.odds_inline_ms / 1000, over=too_many_branches)
            counted = count(system, action, body, budget)
        except BudgetExceeded:
            pass
        else:
            services.odds_cache.keep(key, counted)
            return counted
    seconds = services.settings.odds_seconds * (SHARE_OF_AUTO if body.method == "auto" else 1)
    work = partial(_in_worker, services, seconds, count_odds, tag, body, left)
    # The result is the same for everyone who asks this, unless other questions of the request have taken some branches.
    shared = services.odds_cache.count(key, work) if left == MAX_BRANCHES else work()
    return await context.unless_gone(asyncio.ensure_future(shared))


async def _in_worker(services: Services, seconds: float, job: Callable[..., T], *arguments: object) -> T:
    """The result of a job. Refuses one that takes longer than ``seconds`` (`TooLargeToCount`)."""
    with _busy_is_a_problem(), services.workers.place():
        try:
            return await services.workers.run(job, *arguments, seconds=seconds)
        except BudgetExceeded:
            raise too_long(seconds) from None


@contextmanager
def _busy_is_a_problem() -> Iterator[None]:
    """Answer with a problem if there is no place in the pool, or if a worker was lost."""
    try:
        yield
    except Overloaded:
        raise HttpProblem("busy", "http.odds_busy") from None
    except WorkerLost:
        raise HttpProblem("busy", "http.process_lost") from None
