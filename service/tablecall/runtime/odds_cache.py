"""Odds that were counted, kept for the next who asks the same: they depend only on the question and the rule book."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic

import orjson

from tablecall.engine.canonical import UNASKED
from tablecall.engine.jobs import Counted
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount

MAX_ROWS = 20_000
"""The most rows of distributions that are kept in all; one takes about half a kilobyte."""
REFUSED_SECONDS = 60.0
"""How long a question that was too large is refused again without counting. Not for longer: on a busy machine more is too large."""


def key_of(tag: str, body: Body) -> bytes:
    """A key for a question: the SHA-256 of what was sent, without the seed and what is only to be shown.

    What was sent is not kept: it may be a megabyte, and it is private.
    """
    asked = {name: value for name, value in body.sent.items() if name not in UNASKED and name != "trials"}
    return sha256(tag.encode() + b"\0" + orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).digest()


@dataclass(frozen=True, slots=True)
class Refused:
    """A question that is too large, refused again before ``until``."""

    refusal: TooLargeToCount
    until: float


@dataclass(slots=True)
class _Shared:
    task: asyncio.Future[Counted]
    waiting: int = 0


class OddsCache:
    """The odds of the questions asked last, with at most ``max_rows`` rows together, and those that are being counted."""

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self.max_rows = max_rows
        self.rows = 0
        self._known: OrderedDict[bytes, Counted | Refused] = OrderedDict()
        self._shared: dict[bytes, _Shared] = {}

    def find(self, key: bytes) -> Counted | None:
        """The odds of a question, if they are known. Refuses a question that was too large within the last `REFUSED_SECONDS`."""
        answer = self._known.get(key)
        if isinstance(answer, Refused):
            if monotonic() < answer.until:
                raise copy(answer.refusal)
            return None
        if answer is not None:
            self._known.move_to_end(key)
        return answer

    def keep(self, key: bytes, answer: Counted | Refused) -> None:
        """Keep the odds of a question, or that it is too large, as long as there is room."""
        before = self._known.pop(key, None)
        self.rows += _rows(answer) - (_rows(before) if before else 0)
        self._known[key] = answer
        while self.rows > self.max_rows:
            self.rows -= _rows(self._known.popitem(last=False)[1])

    async def count(self, key: bytes, count: Callable[[], Awaitable[Counted]]) -> Counted:
        """Count a question once for all who ask it at the same time, and keep the odds, or that it is too large.

        When all of them have gone, ``count`` is cancelled.
        """
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared(asyncio.ensure_future(self._count(key, count)))
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.waiting:
                del self._shared[key]
                shared.task.cancel()

    async def _count(self, key: bytes, count: Callable[[], Awaitable[Counted]]) -> Counted:
        try:
            counted = await count()
        except TooLargeToCount as refusal:
            self.keep(key, Refused(copy(refusal), monotonic() + REFUSED_SECONDS))
            raise
        self.keep(key, counted)
        return counted


def _rows(answer: Counted | Refused) -> int:
    """How much there is to keep; every answer counts as 10 rows at least."""
    if isinstance(answer, Refused):
        return 10
    odds = answer[0]
    rounds = len(odds["rounds"]["distribution"]) if "rounds" in odds else 0
    return 10 + len(odds["outcomes"]) + len(odds["expected"]) + rounds + sum(len(roll["distribution"]) for roll in odds["rolls"])
