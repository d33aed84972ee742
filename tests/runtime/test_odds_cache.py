"""The cache of odds: what is kept, and equal questions at the same time."""

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


def test_key_is_a_digest_of_everything_but_the_seed_and_what_is_shown() -> None:
    assert key() == key(seed=3) == key(include=["factors"]) == key(difficulty=10)
    others = {key(difficulty=11), key(dice=[{"roll": "actor", "faces": [1, 2]}]), key(ties="actor")}
    assert len(others - {key()}) == 3
    assert len(key(actor={"character": {"name": "Rook", "aspects": []}})) == 32


def test_every_row_of_the_odds_is_counted() -> None:
    cache = OddsCache()
    rows = {"outcomes": [{}] * 2, "rolls": [{"distribution": [{}] * 3}] * 2, "expected": {"a": 1.0}, "rounds": {"distribution": [{}] * 5}}
    cache.keep(b"a", (rows, 1))
    assert cache.rows == 10 + 2 + 6 + 1 + 5


def test_least_recently_used_odds_are_dropped_first() -> None:
    cache = OddsCache(max_rows=3 * ROWS)
    for name in (b"a", b"b", b"c"):
        cache.keep(name, odds())
    assert cache.find(b"a") == odds()
    cache.keep(b"d", odds())
    assert [cache.find(name) is not None for name in (b"a", b"b", b"c", b"d")] == [True, False, True, True]


@pytest.mark.parametrize(("rows", "kept"), [(2 * ROWS, True), (3 * ROWS + 1, False)])
def test_new_odds_replace_the_old_unless_they_are_larger_than_the_cache(rows: int, kept: bool) -> None:
    cache = OddsCache(max_rows=3 * ROWS)
    if kept:
        cache.keep(b"a", odds())
    cache.keep(b"a", odds(rows))
    assert (cache.rows, cache.find(b"a")) == ((rows, odds(rows)) if kept else (0, None))


class Counter:
    """Counts a question when the test lets it; notes how often that was begun and cancelled."""

    def __init__(self, outcome: Counted | Exception, waits: bool = True) -> None:
        self.outcome = outcome
        self.begun = self.cancelled = 0
        self.may_end = asyncio.Event()
        if not waits:
            self.may_end.set()

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


def test_counting_is_cancelled_when_nobody_waits() -> None:
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


def count_error(cache: OddsCache, error: Exception) -> None:
    async def ask() -> None:
        with pytest.raises(type(error)):
            await cache.count(b"a", Counter(error, waits=False))

    asyncio.run(ask())


def test_question_that_is_too_large_is_refused_again_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(odds_cache, "monotonic", lambda: now)
    cache = OddsCache()
    count_error(cache, too_long(10))
    now = REFUSED_SECONDS - 1
    with pytest.raises(TooLargeToCount):
        cache.find(b"a")
    now = REFUSED_SECONDS
    assert cache.find(b"a") is None
    cache.keep(b"a", odds())
    assert (cache.rows, cache.find(b"a")) == (ROWS, odds())


def test_other_errors_are_not_kept() -> None:
    cache = OddsCache()
    count_error(cache, LookupError())
    assert cache.find(b"a") is None
