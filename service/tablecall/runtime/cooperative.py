"""Work in slices: between two of them, everybody else has their turn."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, TypeVar, cast

from tablecall.engine import Cooperative, InThread, Offload
from tablecall.runtime.request_context import RequestContext

T = TypeVar("T")

SLICE = 0.001
"""How long one request's work holds everybody else up, in seconds, before they have their turn."""


class TimeSlices:
    """The slices of one piece of work, each of so many seconds."""

    def __init__(self, seconds: float = SLICE) -> None:
        self.seconds = seconds
        self._until = perf_counter() + seconds

    @property
    def over(self) -> bool:
        """Whether the slice is over."""
        return perf_counter() >= self._until

    async def rest(self) -> None:
        """Let the others have their turn."""
        await asyncio.sleep(0)
        self._until = perf_counter() + self.seconds


async def sliced(context: RequestContext, work: Cooperative[T]) -> T:
    """Do work that pauses now and then; where a slice is over, the others have their turn in the pause. Gives what it returns.

    A ruling that is dear by itself is made in the pool, where there is one; what can be done aside, in a thread.
    """
    slices, found = TimeSlices(), None
    while True:
        try:
            asked = work.send(found)
        except StopIteration as end:
            return cast("T", end.value)
        found = await _apart(context, asked) if asked else None
        if slices.over:
            await slices.rest()


async def _apart(context: RequestContext, work: Offload | InThread) -> Any:
    if isinstance(work, InThread):
        return await asyncio.to_thread(work.made)
    return await context.services.workers.ruling(context, work)
