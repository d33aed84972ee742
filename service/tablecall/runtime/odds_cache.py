"""Odds that were counted, for whoever asks the same again: they hang on nothing but the question and the rule book."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256

import orjson

from tablecall.engine.canonical import UNASKED
from tablecall.model.base import Body
from tablecall.runtime.worker_pool import Counted

MOST_ROWS = 20_000
"""How many rows of distributions are kept in all: about half a kilobyte each."""


def key_of(tag: str, body: Body) -> bytes:
    """What stands for what is asked, as it was sent: its SHA-256. The seed and what is merely to be shown have no part in it.

    What was sent is not kept: it may be a megabyte, and it is nobody else's.
    """
    asked = {name: value for name, value in body.sent.items() if name not in UNASKED}
    return sha256(tag.encode() + b"\0" + orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).digest()


class OddsCache:
    """The odds asked for last, as many as have ``most`` rows together."""

    def __init__(self, most: int = MOST_ROWS) -> None:
        self.most = most
        self.rows = 0
        self._known: OrderedDict[bytes, Counted] = OrderedDict()

    def find(self, key: bytes) -> Counted | None:
        """The odds of a question, if they are known."""
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def keep(self, key: bytes, counted: Counted) -> None:
        """Keep the odds of a question for as long as there is room."""
        before = self._known.pop(key, None)
        self.rows += _rows(counted) - (_rows(before) if before else 0)
        self._known[key] = counted
        while self.rows > self.most:
            self.rows -= _rows(self._known.popitem(last=False)[1])


def _rows(counted: Counted) -> int:
    """How much there is to keep; an answer is never for nothing."""
    found = counted[0]
    rounds = len(found["rounds"]["distribution"]) if "rounds" in found else 0
    return 10 + len(found["outcomes"]) + len(found["expected"]) + rounds + sum(len(roll["distribution"]) for roll in found["rolls"])
