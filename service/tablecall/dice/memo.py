"""What was counted once is known to whatever is counted after it, until there is too much of it.

One question asks for the same again and again, and so do questions that resemble it; but tables differ in size a thousandfold,
so it is their numbers that are bounded and not the tables, and only between two questions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

MOST = 500_000
"""How many numbers are kept from one question to the next, of half a hundred bytes each at most."""


class _Shelf:
    """Everything that is known, and how many numbers that is."""

    def __init__(self) -> None:
        self.numbers = 0
        self.tables: list[_lru_cache_wrapper[Any]] = []


_SHELF = _Shelf()


def known(numbers: Callable[[Any], int]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function of hashable arguments keep what it gives, which is so many ``numbers``."""

    def keeping(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def counted(*arguments: P.args, **named: P.kwargs) -> R:
            found = function(*arguments, **named)
            _SHELF.numbers += numbers(found)
            return found

        table = cache(counted)
        _SHELF.tables.append(table)
        return cast("Callable[P, R]", table)

    return keeping


def tidy() -> None:
    """Forget everything where it has become too much: for between two questions."""
    if _SHELF.numbers > MOST:
        _SHELF.numbers = 0
        for table in _SHELF.tables:
            table.cache_clear()
