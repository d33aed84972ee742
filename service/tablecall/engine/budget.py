"""Bounds on work, and work that pauses.

There are two ways to keep long work from holding up other requests. A `Budget` ends it: it is charged at every branch, trial or
move, and raises when it is spent. A `Cooperative` generator pauses between its parts, and its caller may do something
else in each pause. Neither knows where the work runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from time import perf_counter, thread_time
from typing import TypeVar

T = TypeVar("T")


class BudgetExceeded(Exception):
    """The work takes longer than its budget allows."""


class Budget:
    """How much work may be done: ``charges`` in number, ``cpu_seconds`` of this thread's processor time, ``seconds`` by the clock.

    The clock starts when the budget is made. One charge too many raises what ``over`` makes; too much time raises
    `BudgetExceeded`. ``charged`` is the number of charges so far.
    """

    def __init__(
        self,
        charges: float = inf,
        *,
        cpu_seconds: float = inf,
        seconds: float = inf,
        over: Callable[[], Exception] = BudgetExceeded,
    ) -> None:
        self.charged = 0
        self.charges = charges
        self.over = over
        now = perf_counter()
        self._ends = now + seconds
        self._cpu_ends = inf if cpu_seconds == inf else thread_time() + cpu_seconds
        # Processor time never runs ahead of the clock, so until then there is no need to ask for it.
        self._look_at = min(self._ends, now + cpu_seconds)

    def charge(self) -> None:
        """One branch, trial or move more."""
        self.charged += 1
        if self.charged > self.charges:
            raise self.over()
        if perf_counter() >= self._look_at:
            self._look()

    def pause(self) -> None:
        """Between two parts of the work: the number of charges begins again at 0, the time goes on."""
        self.charged = 0
        if perf_counter() >= self._look_at:
            self._look()

    def _look(self) -> None:
        now = perf_counter()
        cpu_left = inf if self._cpu_ends == inf else self._cpu_ends - thread_time()
        if now >= self._ends or cpu_left <= 0:
            raise BudgetExceeded
        self._look_at = min(self._ends, now + cpu_left)


Cooperative = Generator[None, None, T]
"""Work that pauses now and then, and returns a result."""


def at_once(work: Cooperative[T]) -> T:
    """Do the work without using its pauses."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
