"""What is noted of one request while it is answered: its id, what was resolved, what was refused. Never what was sent."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tablecall.runtime.app_state import AppState

T = TypeVar("T")

_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
OTHER = "other"
"""Stands for an outcome, or a method, that is in the caller's own words."""


@dataclass(slots=True)
class RequestContext:
    """One request. ``vitals`` are those of the service that answers it; without one (the command line) there are none.

    ``status`` is that of the answer once it has begun; ``late`` the problem's code once it took too long. ``method``, ``route``
    (the template), ``seconds`` and ``ended`` (seconds since 1970) are known when it is over.
    """

    id: str = ""
    vitals: AppState | None = None
    status: int = 0
    actions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    branches: int = 0
    values: int = 0
    late: str = ""
    method: str = ""
    route: str = ""
    seconds: float = 0.0
    ended: float = 0.0
    _lock: asyncio.Lock | None = None

    async def unless_gone(self, work: asyncio.Future[T]) -> T:
        """What comes of work that is done elsewhere; who asked for it may be gone before."""
        return await work

    @property
    def one_at_a_time(self) -> asyncio.Lock:
        """For what one request may do only once at a time. Most never do."""
        self._lock = self._lock or asyncio.Lock()
        return self._lock

    def acted(self, verb: str, tag: str, outcome: str, known: tuple[str, ...]) -> None:
        """``verb`` was asked of the action ``tag``; an outcome that is not one of the published words is not repeated."""
        action = (verb, tag, outcome if outcome in known else OTHER)
        # Counted, not listed: a batch may ask a hundred thousand times.
        self.actions[action] = self.actions.get(action, 0) + 1

    def refused(self, code: str) -> None:
        """A problem of this kind was answered."""
        self.refusals.append(code)


_CURRENT: ContextVar[RequestContext] = ContextVar("visit")


def current() -> RequestContext:
    """The request being answered; where there is none, one that nobody reads."""
    return _CURRENT.get(None) or RequestContext()


def enter(visit: RequestContext) -> object:
    """Make it the current one; hand what is returned to `leave`."""
    return _CURRENT.set(visit)


def leave(token: object) -> None:
    """Whatever was current before is so again."""
    _CURRENT.reset(token)  # type: ignore[arg-type]


def request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The caller's own ``X-Request-ID`` where it is 1 to 64 of letters, digits and ``._:-``; else a new one.

    That is 64 bits drawn by the process and a count: to ask the system for each would cost more than all else that is noted.
    """
    for name, value in headers:
        if name == b"x-request-id" and _ID.fullmatch(value):
            return value.decode("ascii")
    return f"{_NEW.process}{next(_NEW.counted):016x}"


class _New:
    """Where new ids come from: a name of the process, and how many there were."""

    def __init__(self) -> None:
        self.process = os.urandom(8).hex()
        self.counted = count()


_NEW = _New()
os.register_at_fork(after_in_child=_NEW.__init__)  # type: ignore[misc]  # a fork is another process
