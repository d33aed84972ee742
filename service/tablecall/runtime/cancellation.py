"""Jobs that nobody waits for any more, told to the processes that do them.

What has begun in a process cannot be called off from outside. So every job has a number, the numbers of those given up stand in
memory that all the processes share, and each looks there for its own now and then.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Container
from contextvars import ContextVar

PLACES = 1024
"""How many numbers there is room for. A number has its place, so nothing need be tidied up, whatever becomes of a process.

One is overwritten by one so many jobs later; whoever does the job has seen it long before.
"""


class CancelledJobs(Container[int]):
    """The numbers, from 1 on, of the jobs given up last."""

    def __init__(self) -> None:
        self._places = multiprocessing.RawArray("Q", PLACES)

    def add(self, job: int) -> None:
        """Nobody waits for it any more."""
        self._places[job % PLACES] = job

    def __contains__(self, job: object) -> bool:
        assert isinstance(job, int)
        return bool(self._places[job % PLACES] == job)


_TOLD: ContextVar[Container[int]] = ContextVar("unwanted", default=())


def look_in(unwanted: Container[int]) -> None:
    """Whoever works here looks there from here on."""
    _TOLD.set(unwanted)


def is_unwanted(job: int) -> bool:
    """Whether nobody waits for it any more, as far as is known here."""
    return job in _TOLD.get()
