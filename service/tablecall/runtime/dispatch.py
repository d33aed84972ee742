"""Rulings and odds for a request, whatever it came by: counted, limited and reported alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tablecall.dice.enumeration import MAX_BRANCHES
from tablecall.engine import SimulationResult, is_simulated, parts, resolve, resolving, seed_of, simulated
from tablecall.model.base import Body, Simulable
from tablecall.runtime.cooperative import sliced
from tablecall.runtime.odds_cache import key_of
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.worker_pool import Counted
from tablecall.systems.system import Action, System

PROGRESS_SECONDS = 0.4
"""About how often a simulation reports its progress."""


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
        answer = await sliced(context, resolving(system, action, body, include=include))
    else:
        answer = resolve(system, action, body)
    if drawn:
        answer["seedFrom"] = "service"
    receipts = context.services.receipts
    if body.large_ruling and receipts.signed:
        await asyncio.to_thread(receipts.sign, body, answer)  # the canonical form of a large ruling takes long
    else:
        receipts.sign(body, answer)
    context.acted("resolve", answer["action"], answer["outcome"], action.outcomes)
    return answer


@asynccontextmanager
async def turn(context: RequestContext) -> AsyncIterator[None]:
    """Held by each of several questions in one request: they are answered one at a time, and other requests go before each."""
    async with context.one_at_a_time:
        await asyncio.sleep(0)
        yield


async def odds(context: RequestContext, system: System, action: Action, body: Body) -> dict[str, Any]:
    """The odds of one action. All odds of one request together follow at most `MAX_BRANCHES` branches.

    The questions of one request are counted one after the other, so that it never takes more than one place in the pool.
    """
    if is_simulated(body):
        return [progress async for progress in _simulating(context, system, action, body)][-1]
    async with context.one_at_a_time:
        if context.branches:
            await asyncio.sleep(0)  # not the first question of this request: let the others have their turn
        answer, branches = await _counted(context, system, action, body, MAX_BRANCHES - context.branches)
        context.branches += branches
    context.acted("odds", answer["action"], "counted", ("counted",))
    return answer


async def progressing_odds(context: RequestContext, system: System, action: Action, body: Body) -> AsyncIterator[dict[str, Any]]:
    """The odds of one action as they become known: a simulation again and again, each time over more trials; anything else once."""
    if is_simulated(body):
        async for progress in _simulating(context, system, action, body):
            yield progress
    else:
        yield await odds(context, system, action, body)


async def _simulating(context: RequestContext, system: System, action: Action, body: Simulable) -> AsyncIterator[dict[str, Any]]:
    """A simulation, reported whenever a part of it is played: soon at first, then less and less often.

    It takes no longer than exact odds may, and its trials count as branches.
    """
    workers, seed, result = context.services.workers, seed_of(body), SimulationResult()
    async with context.one_at_a_time:
        begin, several, seconds = 0, 1, context.services.settings.odds_seconds
        while begin < parts(body) and not result.cut:
            which = range(begin, min(begin + several, parts(body)))
            left = MAX_BRANCHES - context.branches
            more, branches, took = await workers.played(context, system, action, body, seed, which, left, seconds)
            result.add(more)
            context.branches += branches
            begin, several, seconds = which.stop, several * 2 if took < PROGRESS_SECONDS else several, seconds - took
            yield simulated(system, action, body, seed, result)
    context.acted("odds", f"{system.name}.{action.name}", "simulated", ("simulated",))


async def _counted(context: RequestContext, system: System, action: Action, body: Body, left: int) -> Counted:
    """The odds, counted or from the cache; either way those that take more than ``left`` branches are refused."""
    services = context.services
    key = key_of(f"{system.name}.{action.name}", body)
    cached = services.odds_cache.find(key)
    if cached is not None and cached[1] <= left:
        return cached
    counted = await services.workers.odds(context, system, action, body, left)
    services.odds_cache.keep(key, counted)
    return counted
