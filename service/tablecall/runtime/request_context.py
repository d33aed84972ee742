"""What the service needs while it answers one request: its services, time limits, and what the request has used of its bounds.

The middleware puts the context into the ASGI scope; endpoints pass it on explicitly.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import Any, Literal, TypeVar, cast

from tablecall.model.base import Body
from tablecall.model.text import Language
from tablecall.runtime.request_record import RequestRecord
from tablecall.runtime.services import Services

T = TypeVar("T")

_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_SCOPE_KEY = "tablecall.context"


@dataclass(slots=True)
class RequestContext(RequestRecord):
    """One request, answered by ``services``.

    Its response should start before ``deadline``, a time of the event loop. ``timeout`` is the code of the problem once a time limit
    has passed. ``language`` is that of all sentences, empty until it is known. ``answering`` is the task that holds `one_at_a_time`.
    ``branches`` and ``values`` are what the request has used of its limits.
    """

    services: Services = field(kw_only=True)
    deadline: float = inf
    branches: int = 0
    values: int = 0
    timeout: str = ""
    language: Language | Literal[""] = ""
    answering: asyncio.Task[Any] | None = None
    _lock: asyncio.Lock | None = None

    async def unless_gone(self, work: asyncio.Future[T]) -> T:
        """The result of work done elsewhere. A subclass that knows the connection cancels the work if the client disconnects."""
        return await work

    @property
    def one_at_a_time(self) -> asyncio.Lock:
        """Held while the request does something it may do only once at a time. Made on first use: most requests need none."""
        self._lock = self._lock or asyncio.Lock()
        return self._lock


def speaking(body: Body, language: Language) -> Body:
    """The body with the language of the answer, unless it names its own. It does not count as sent."""
    if body.language is None:
        body.derive("language", language)
    return body


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
