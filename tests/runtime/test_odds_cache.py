"""Odds that are asked for again, or by several at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablecall.engine.jobs import Counted, too_long
from tablecall.engine.requests import tagged
from tablecall.model.refusals import TooLargeToCount
from tablecall.runtime import odds_cache
from tablecall.runtime.odds_cache import REFUSED_SECONDS, OddsCache, key_of

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
ROWS = 20


def odds(rows: int = ROWS) -> Counted:
    return {"outcomes": [], "rolls": [{"distribution": [{}] * (rows - 10)}], "expected": {}}, 1


def key(**more: Any) -> bytes:
    system, action, body = tagged({**CHECK, **more})
    return key_of(f"{system.name}.{action.name}", body)


# ── Questions ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_seed_and_what_is_shown_are_no_part_of_a_question() -> None:
    assert key() == key(seed=3) == key(include=["factors"]) == key(difficulty=10)


def test_everything_else_is_part_of_a_question() -> None:
    questions = {key(), key(difficulty=11), key(dice=[{"roll": "actor", "faces": [1, 2]}]), key(ties="actor")}
    assert len(questions) == 4


def test_a_key_does_not_contain_what_was_sent() -> None:
    assert len(key(actor={"character": {"name": "Rook", "aspects": []}})) == 32


# ── What is kept ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_row_of_the_odds_is_counted() -> None:
    cache = OddsCache()
    rows = {"outcomes": [{}] * 2, "rolls": [{"distribution": [{}] * 3}] * 2, "expected": {"a": 1.0}, "rounds": {"distribution": [{}] * 5}}
    cache.keep(b"a", (rows, 1))
    assert cache.rows == 10 + 2 + 6 + 1 + 5


def test_what_was_not_asked_for_the_longest_is_dropped_first() -> None:
    cache = OddsCache(max_rows=3 * ROWS)
    for key in (b"a", b"b", b"c"):
        cache.keep(key, odds())
    assert cache.find(b"a") == odds()
    cache.keep(b"d", odds())
    assert [cache.find(key) is not None for key in (b"a", b"b", b"c", b"d")] == [True, False, True, True]


def test_new_odds_of_a_question_replace_the_old() -> None:
    cache = OddsCache(max_rows=3 * ROWS)
    cache.keep(b"a", odds())
    cache.keep(b"a", odds(2 * ROWS))
    assert (cache.rows, cache.find(b"a")) == (2 * ROWS, odds(2 * ROWS))


def test_odds_larger_than_the_cache_are_not_kept() -> None:
    cache = OddsCache(max_rows=ROWS)
    cache.keep(b"a", odds(ROWS + 1))
    assert (cache.rows, cache.find(b"a")) == (0, None)


# ── Counting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Counter:
    """Counts a question when the test lets it; notes how often that was begun and cancelled."""

    def __init__(self, outcome: Counted | Exception) -> None:
        self.outcome = outcome
        self.begun = self.cancelled = 0
        self.may_end = asyncio.Event()

    async def __call__(self) -> Counted:
        self.begun += 1
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def test_equal_questions_at_the_same_time_are_counted_once() -> None:
    async def ask() -> None:
        cache, count = OddsCache(), Counter(odds())
        tasks = [asyncio.create_task(cache.count(b"a", count)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()  # the others still wait
        await asyncio.sleep(0)
        count.may_end.set()
        assert await asyncio.gather(*tasks[1:]) == [odds(), odds()]
        assert (count.begun, count.cancelled, cache.find(b"a")) == (1, 0, odds())

    asyncio.run(ask())


def test_counting_ends_when_nobody_waits() -> None:
    async def ask() -> None:
        cache, count = OddsCache(), Counter(odds())
        for number in (1, 2):
            tasks = [asyncio.create_task(cache.count(b"a", count)) for _ in range(2)]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            assert {type(error) for error in await asyncio.gather(*tasks, return_exceptions=True)} == {asyncio.CancelledError}
            await asyncio.sleep(0)
            assert (count.begun, count.cancelled) == (number, number)

    asyncio.run(ask())


def test_a_question_that_is_too_large_is_refused_again_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(odds_cache, "monotonic", lambda: now)

    async def ask(cache: OddsCache) -> None:
        count = Counter(too_long(10))
        count.may_end.set()
        with pytest.raises(TooLargeToCount):
            await cache.count(b"a", count)

    cache = OddsCache()
    asyncio.run(ask(cache))
    now = REFUSED_SECONDS - 1
    with pytest.raises(TooLargeToCount, match="longer to count than 10 seconds"):
        cache.find(b"a")
    now = REFUSED_SECONDS
    assert cache.find(b"a") is None
    cache.keep(b"a", odds())
    assert (cache.rows, cache.find(b"a")) == (ROWS, odds())


def test_other_errors_are_not_kept() -> None:
    async def ask() -> None:
        cache, count = OddsCache(), Counter(LookupError())
        count.may_end.set()
        with pytest.raises(LookupError):
            await cache.count(b"a", count)
        assert cache.find(b"a") is None

    asyncio.run(ask())
