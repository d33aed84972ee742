"""What the service notes about one request while it answers it: its id, what was resolved, what was refused. Never what was sent.

The middleware puts the context into the ASGI scope; endpoints pass it on explicitly. The only context variable is the request
id, which log records of other libraries need.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from tablecall.runtime.services import Services

T = TypeVar("T")

_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_SCOPE_KEY = "tablecall.context"
OTHER = "other"
"""Replaces an outcome or a method that is in the caller's own words."""

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request being answered, for log records; empty outside of requests."""


@dataclass(slots=True)
class RequestContext:
    """One request, answered by ``services``.

    ``status`` is the status of the response once it has started; it should start before ``deadline``, a time of the event loop.
    ``timeout`` is the code of the problem once a time limit has passed. ``branches`` and ``values`` are what the request has used
    of its limits. ``method``, ``route`` (the path template), ``seconds`` and ``ended`` (seconds since 1970) are set when the request
    is over.
    """

    services: Services
    id: str = ""
    status: int = 0
    deadline: float = inf
    actions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    branches: int = 0
    values: int = 0
    timeout: str = ""
    method: str = ""
    route: str = ""
    seconds: float = 0.0
    ended: float = 0.0
    _lock: asyncio.Lock | None = None

    async def unless_gone(self, work: asyncio.Future[T]) -> T:
        """The result of work done elsewhere. A subclass that knows the connection cancels the work if the client disconnects."""
        return await work

    @property
    def one_at_a_time(self) -> asyncio.Lock:
        """Held while the request does something it may do only once at a time. Made on first use: most requests need none."""
        self._lock = self._lock or asyncio.Lock()
        return self._lock

    def acted(self, verb: str, tag: str, outcome: str, known: tuple[str, ...]) -> None:
        """Count that ``verb`` was asked of the action ``tag``. An outcome that is not one of the ``known`` words is counted as other."""
        action = (verb, tag, outcome if outcome in known else OTHER)
        # Counted instead of listed: a batch may hold a hundred thousand.
        self.actions[action] = self.actions.get(action, 0) + 1

    def refused(self, code: str) -> None:
        """Note that a problem with this code was answered."""
        self.refusals.append(code)


def context_of(scope: MutableMapping[str, Any]) -> RequestContext:
    """The context of the request with this ASGI scope."""
    return cast("RequestContext", scope[_SCOPE_KEY])


def attach(scope: MutableMapping[str, Any], context: RequestContext) -> None:
    """Put the context into the ASGI scope."""
    scope[_SCOPE_KEY] = context


def request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The client's own ``X-Request-ID`` if it is 1 to 64 letters, digits and ``._:-``; otherwise a new id.

    A new id is 64 bits drawn by the process and a counter: asking the system for random bits for each request costs more than
    everything else that is noted about it.
    """
    for name, value in headers:
        if name == b"x-request-id" and _ID.fullmatch(value):
            return value.decode("ascii")
    return f"{_NEW_IDS.process}{next(_NEW_IDS.counter):016x}"


class _NewIds:
    """The source of new ids: a random name of the process and a counter."""

    def __init__(self) -> None:
        self.process = os.urandom(8).hex()
        self.counter = count()


_NEW_IDS = _NewIds()
os.register_at_fork(after_in_child=_NEW_IDS.__init__)  # type: ignore[misc]  # a forked process needs a name of its own
