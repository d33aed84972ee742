"""What every door asks of the readings, so that all are counted, bounded and told of alike."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tablecall.dice.enumeration import MAX_BRANCHES
from tablecall.engine import SimulationResult, is_simulated, parts, resolve, resolving, seed_of, simulated
from tablecall.engine.receipts import receipts
from tablecall.model.base import Body, Simulable
from tablecall.runtime.app_state import AppState
from tablecall.runtime.cooperative import sliced
from tablecall.runtime.odds_cache import key_of
from tablecall.runtime.request_context import current
from tablecall.runtime.worker_pool import Counted, WorkBudget, count, play
from tablecall.systems.system import Action, System

A_WHILE = 0.4
"""In about so many seconds a simulation is told of again."""


async def ruling(
    system: System, action: Action, body: Body, include: frozenset[str] = frozenset(), *, drawn: bool = False
) -> dict[str, Any]:
    """Resolve one action (`tablecall.engine.resolve`), with a receipt where there is a key; ``drawn``: its seed was drawn here."""
    if include or body.include or body.large_ruling:
        found = await sliced(resolving(system, action, body, include=include))
    else:
        found = resolve(system, action, body)
    if drawn:
        found["seedFrom"] = "service"
    desk = receipts()
    if body.large_ruling and desk.known:
        await asyncio.to_thread(desk.seal, body, found)  # a long ruling takes long to write down canonically
    else:
        desk.seal(body, found)
    current().acted("resolve", found["action"], found["outcome"], action.outcomes)
    return found


@asynccontextmanager
async def turn() -> AsyncIterator[None]:
    """For what one request asks several times over: one at a time, and everybody else before each."""
    async with current().one_at_a_time:
        await asyncio.sleep(0)
        yield


async def odds(system: System, action: Action, body: Body) -> dict[str, Any]:
    """The odds of one action; all the odds of one request together follow at most `MAX_BRANCHES` branches.

    One request counts one after the other: it never has more than one place in the pool.
    """
    if is_simulated(body):
        return [found async for found in _simulating(system, action, body)][-1]
    visit = current()
    async with visit.one_at_a_time:
        if visit.branches:
            await asyncio.sleep(0)  # not the first that this request asks: everybody else has their turn
        left = MAX_BRANCHES - visit.branches
        if visit.vitals is None:
            found, branches = count(system, action, body, WorkBudget(left))
        else:
            found, branches = await _counted(visit.vitals, system, action, body, left)
        visit.branches += branches
    visit.acted("odds", found["action"], "counted", ("counted",))
    return found


async def found_so_far(system: System, action: Action, body: Body) -> AsyncIterator[dict[str, Any]]:
    """The odds of one action as they are found: of a simulation again and again, each time over more trials; else once."""
    if is_simulated(body):
        async for found in _simulating(system, action, body):
            yield found
    else:
        yield await odds(system, action, body)


async def _simulating(system: System, action: Action, body: Simulable) -> AsyncIterator[dict[str, Any]]:
    """A simulation, told of whenever some of it is played: at first soon, then less and less often.

    All of it is played for no longer than exact odds are counted, and counts as branches as they do.
    """
    visit, seed, found = current(), seed_of(body), SimulationResult()
    vitals = visit.vitals
    async with visit.one_at_a_time:
        begin, several, seconds = 0, 1, math.inf if vitals is None else vitals.settings.odds_seconds
        while begin < parts(body) and not found.cut:
            which = range(begin, min(begin + several, parts(body)))
            left = MAX_BRANCHES - visit.branches
            if vitals is None:
                more, branches, took = play(system, action, body, seed, which, WorkBudget(left))
            else:
                more, branches, took = await vitals.counting.played(system, action, body, seed, which, left, seconds)
            found.add(more)
            visit.branches += branches
            begin, several, seconds = which.stop, several * 2 if took < A_WHILE else several, seconds - took
            yield simulated(system, action, body, seed, found)
    visit.acted("odds", f"{system.name}.{action.name}", "simulated", ("simulated",))


async def _counted(vitals: AppState, system: System, action: Action, body: Body, left: int) -> Counted:
    """The odds, counted or remembered; those that would take too many branches are refused either way."""
    key = key_of(f"{system.name}.{action.name}", body)
    known = vitals.remembered.find(key)
    if known is not None and known[1] <= left:
        return known
    counted = await vitals.counting.odds(system, action, body, left)
    vitals.remembered.keep(key, counted)
    return counted
