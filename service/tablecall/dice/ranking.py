"""The weights of every order of independent totals, of who comes first, and of the extreme total.

A *part* is the distribution of one total: ``(low, weights, denominator)`` with the weight of ``low + i`` at index i. An order is a tuple of
places from the highest down, each a tuple of ascending indices. `Ties` says what happens to equal totals: they share a place (``shared``),
keep the order in which they are listed (``listed``), or every order of them is equally likely (``even``), as when all of them throw the
same dice again until they differ. Even weights are multiplied by a constant that makes them integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, permutations, product
from math import comb, factorial, lcm, prod
from operator import mul
from typing import Literal

from tablecall.dice.distribution import Distribution

Part = tuple[int, Sequence[int], int]
Order = tuple[tuple[int, ...], ...]
Ties = Literal["shared", "listed", "even"]
CHECKPOINT_ORDERS = 64
"""The checkpoint is called once for this many orders."""


@lru_cache(maxsize=16)
def strict(count: int) -> tuple[Order, ...]:
    """Every order without shared places."""
    return tuple(tuple((index,) for index in order) for order in permutations(range(count)))


@lru_cache(maxsize=16)
def shared(count: int) -> tuple[Order, ...]:
    """Every order, with places that may be shared."""
    return tuple(_orders(tuple(range(count))))


def _orders(left: tuple[int, ...]) -> Iterator[Order]:
    if not left:
        yield ()
    for place, rest in _first_places(left):
        for order in _orders(rest):
            yield (place, *order)


def _first_places(left: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Everyone who may share the highest place of those left, and who is left then."""
    for size in range(1, len(left) + 1):
        for place in combinations(left, size):
            yield place, tuple(index for index in left if index not in place)


def shared_count(count: int) -> int:
    """The length of ``shared(count)``, computed without listing it."""
    counts = [1]
    for size in range(1, count + 1):
        counts.append(sum(comb(size, place) * counts[size - place] for place in range(1, size + 1)))
    return counts[count]


def shared_weights(parts: Sequence[Part], checkpoint: Callable[[], None]) -> list[int]:
    """The weights of the orders of `shared`. ``checkpoint``, here and below, may raise to stop the work."""
    return [weight for _, weight in _weighed_orders(parts, checkpoint)] if parts else [1]


def _weighed_orders(parts: Sequence[Part], checkpoint: Callable[[], None]) -> Iterator[tuple[Order, int]]:
    """Every order of `shared` with its weight. ``parts`` must not be empty."""
    columns = _columns(parts)
    for number, weighed in enumerate(_extensions((), tuple(range(len(parts))), columns, [1] * len(columns[0]))):
        if not number % CHECKPOINT_ORDERS:
            checkpoint()
        yield weighed


def _extensions(begun: Order, left: tuple[int, ...], columns: list[list[int]], above: list[int]) -> Iterator[tuple[Order, int]]:
    """Every way to complete the order ``begun`` with those left. ``above[v]`` is the weight of everyone in it being above value v."""
    for place, rest in _first_places(left):
        at_value = [prod(weights) for weights in zip(above, *(columns[index] for index in place), strict=True)]
        if rest:
            yield from _extensions((*begun, place), rest, columns, _weights_above(at_value))
        else:
            yield (*begun, place), sum(at_value)


def _weights_above(weights: list[int]) -> list[int]:
    """For each value: the weight of the values above it."""
    sums = list(accumulate(reversed(weights), initial=0))
    return sums[-2::-1]


def _columns(parts: Sequence[Part]) -> list[list[int]]:
    """The weights of each part over one common range of values."""
    start = min(low for low, _, _ in parts)
    stop = max(low + len(weights) for low, weights, _ in parts)
    return [[0] * (low - start) + list(weights) + [0] * (stop - low - len(weights)) for low, weights, _ in parts]


def listed_weights(parts: Sequence[Part], checkpoint: Callable[[], None]) -> list[int]:
    """The weights of the orders of `strict` if ties keep the order in which they are listed."""
    weights = dict.fromkeys(permutations(range(len(parts))), 0)
    for order, weight in _weighed_orders(parts, checkpoint):
        weights[sum(order, ())] += weight
    return list(weights.values())


def even_weights(parts: Sequence[Part], checkpoint: Callable[[], None]) -> list[int]:
    """The weights of the orders of `strict` if every order of a tie is equally likely, times the factorial of their number."""
    weights = dict.fromkeys(permutations(range(len(parts))), 0)
    scale = factorial(len(parts))
    for order, weight in _weighed_orders(parts, checkpoint):
        share = weight * scale // prod(factorial(len(place)) for place in order)
        for untied in product(*(permutations(place) for place in order)):
            weights[sum(untied, ())] += share
    return list(weights.values())


def alone_first(parts: Sequence[Part]) -> list[int]:
    """The weight of each part being higher than all others; and, last, the weight of a shared first place."""
    weights = _first(parts, ties=False)
    return [*weights, prod(denominator for _, _, denominator in parts) - sum(weights)]


def listed_first(parts: Sequence[Part]) -> list[int]:
    """The weight of each part coming first if ties keep the order in which they are listed."""
    return _first(parts, ties=True)


def _first(parts: Sequence[Part], *, ties: bool) -> list[int]:
    """The weight of each part coming first. With ``ties`` it wins against equals listed after it."""
    columns = _columns(parts)
    below = [list(accumulate(column, initial=0)) for column in columns]
    first = [0] * len(parts)
    for value in range(len(columns[0])):
        before = list(accumulate((sums[value] for sums in below), mul, initial=1))
        after = list(accumulate((sums[value + ties] for sums in reversed(below)), mul, initial=1))
        for index, column in enumerate(columns):
            first[index] += column[value] * before[index] * after[len(parts) - 1 - index]
    return first


def even_first(parts: Sequence[Part]) -> list[int]:
    """The weight of each part coming first if everyone in a tie is equally likely to, times a common multiple.

    At one value, each of the others is below (b) or equal (e). The coefficient of x^k in the product of their b + e·x is the weight
    of k of them being equal, and the part then comes first in one of k + 1 cases.
    """
    columns = _columns(parts)
    scale = lcm(*range(1, len(parts) + 1))
    shares = [scale // number for number in range(1, len(parts) + 1)]
    first = [0] * len(parts)
    for value in range(len(columns[0])):
        pairs = [(sum(column[:value]), column[value]) for column in columns]
        polynomial = [1]
        for below, equal in pairs:
            polynomial = [below * same + equal * lower for same, lower in zip([*polynomial, 0], [0, *polynomial], strict=True)]
        for index, (below, equal) in enumerate(pairs):
            if equal:
                first[index] += equal * sum(map(mul, _divided(polynomial, below, equal), shares))
    return first


def _divided(polynomial: list[int], below: int, equal: int) -> list[int]:
    """The polynomial divided by ``below + equal·x``, one of its factors."""
    if not below:
        return [coefficient // equal for coefficient in polynomial[1:]]
    quotient = [polynomial[0] // below]
    for coefficient in polynomial[1:-1]:
        quotient.append((coefficient - equal * quotient[-1]) // below)
    return quotient


_Weights = Callable[[Sequence[Part], Callable[[], None]], list[int]]
ORDERS: dict[Ties, tuple[Callable[[int], Sequence[Order]], Callable[[int], int], _Weights]] = {
    "shared": (shared, shared_count, shared_weights),
    "listed": (strict, factorial, listed_weights),
    "even": (strict, factorial, even_weights),
}
"""For each treatment of ties: the orders of n parts, their number, and the weight of each order."""
LEADERS: dict[Ties, Callable[[Sequence[Part]], list[int]]] = {"shared": alone_first, "listed": listed_first, "even": even_first}
"""For each treatment of ties: the weight of each part coming first."""


def certain_order(parts: Sequence[Part], *, share_places: bool, keep_listed: bool) -> list[list[int]] | None:
    """The order of parts that all have a single total; ``None`` if one has not, or if equal totals would have to roll off."""
    totals = [low for low, weights, _ in parts if len(weights) == 1]
    if len(totals) < len(parts) or not (share_places or keep_listed or len(set(totals)) == len(totals)):
        return None
    places = [[index for index, total in enumerate(totals) if total == at_place] for at_place in sorted(set(totals), reverse=True)]
    return places if share_places else [[index] for place in places for index in place]


def extreme(parts: Sequence[Part], *, highest: bool) -> Distribution:
    """The distribution of the highest or lowest total: multiply the weights at or below (at or above) each value."""
    if not highest:
        parts = [(-(low + len(weights) - 1), weights[::-1], denominator) for low, weights, denominator in parts]
    start = max(low for low, _, _ in parts)
    stop = max(low + len(weights) for low, weights, _ in parts)
    at_most = [1] * (stop - start)
    for low, weights, _ in parts:
        sums = list(accumulate(weights))
        last = len(sums) - 1
        at_most = [weight * sums[min(value - low, last)] for weight, value in zip(at_most, range(start, stop), strict=True)]
    denominator = at_most[-1]
    exactly = tuple(weight - before for weight, before in zip(at_most, [0, *at_most], strict=False))
    return Distribution(start, exactly, denominator) if highest else Distribution(1 - stop, exactly[::-1], denominator)
