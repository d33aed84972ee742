"""A memo cache bounded by the numbers it stores.

Its entries are tables that differ in size a thousandfold, so their total size is bounded, not their count. The cache is trimmed between
requests only (`trim`): one request asks for the same table many times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

MAX_NUMBERS = 500_000
"""Numbers kept from one request to the next; each takes at most some 50 bytes."""


class _Usage:
    """Every memoized function, and how many numbers their results hold."""

    def __init__(self) -> None:
        self.numbers = 0
        self.functions: list[_lru_cache_wrapper[Any]] = []


_USAGE = _Usage()


def memoized(*, cost: Callable[[Any], int]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache the results of a function of hashable arguments; ``cost`` says how many numbers a result holds."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def measured(*arguments: P.args, **named: P.kwargs) -> R:
            result = function(*arguments, **named)
            _USAGE.numbers += cost(result)
            return result

        cached = cache(measured)
        _USAGE.functions.append(cached)
        return cast("Callable[P, R]", cached)

    return decorate


def trim() -> None:
    """Empty the cache if it has grown beyond its bound. Call between two requests."""
    if _USAGE.numbers > MAX_NUMBERS:
        _USAGE.numbers = 0
        for function in _USAGE.functions:
            function.cache_clear()
