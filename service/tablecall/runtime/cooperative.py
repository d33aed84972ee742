"""Work in slices: between two of them, other requests have their turn."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TypeVar

from tablecall.engine import Cooperative

T = TypeVar("T")

SLICE = 0.001
"""Seconds that one request's work may hold up all others before they have their turn."""


class TimeSlices:
    """The slices of one piece of work, each of at most ``seconds``."""

    def __init__(self, seconds: float = SLICE) -> None:
        self.seconds = seconds
        self._until = perf_counter() + seconds

    @property
    def over(self) -> bool:
        """Whether the slice is over."""
        return perf_counter() >= self._until

    async def rest(self) -> None:
        """Let other requests have their turn, and begin the next slice."""
        await asyncio.sleep(0)
        self._until = perf_counter() + self.seconds


async def sliced(work: Cooperative[T]) -> T:
    """The result of work that pauses now and then. In a pause after the end of a slice, other requests have their turn."""
    slices = TimeSlices()
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        if slices.over:
            await slices.rest()
