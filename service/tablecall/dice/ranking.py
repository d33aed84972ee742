"""Who comes before whom, counted: the weights of every order in which independent totals may fall, and of who leads.

A *part* is one total's distribution: ``(low, weights, whole)``, the weight of ``low + i`` at index i. An order is a tuple of
places from the highest down, each a tuple of ascending indices. Ties are left together, put in the order listed, or drawn
evenly: where the tied throw the same dice again until all differ, every order of them is equally likely, and the weights are
multiplied by what makes that a whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, permutations, product
from math import comb, factorial, lcm, prod
from operator import mul

Part = tuple[int, Sequence[int], int]
Order = tuple[tuple[int, ...], ...]
A_WHILE = 64
"""After how many orders whoever sets the pace is asked again."""


@lru_cache(maxsize=16)
def strict(count: int) -> tuple[Order, ...]:
    """Every order without shared places."""
    return tuple(tuple((index,) for index in order) for order in permutations(range(count)))


@lru_cache(maxsize=16)
def shared(count: int) -> tuple[Order, ...]:
    """Every order in which places may be shared."""
    return tuple(_orders(tuple(range(count))))


def _orders(left: tuple[int, ...]) -> Iterator[Order]:
    if not left:
        yield ()
    for place, rest in _places(left):
        for order in _orders(rest):
            yield (place, *order)


def _places(left: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Who may share the highest place of those left, and who is left then."""
    for size in range(1, len(left) + 1):
        for place in combinations(left, size):
            yield place, tuple(index for index in left if index not in place)


def shared_count(count: int) -> int:
    """How many orders `shared` holds, without listing them."""
    found = [1]
    for size in range(1, count + 1):
        found.append(sum(comb(size, place) * found[size - place] for place in range(1, size + 1)))
    return found[count]


def shared_weights(parts: Sequence[Part], pace: Callable[[], None]) -> list[int]:
    """The weights of the orders of `shared`, in its order. ``pace`` is called now and then, here as below, and may end it."""
    return [weight for _, weight in _every(parts, pace)] if parts else [1]


def _every(parts: Sequence[Part], pace: Callable[[], None]) -> Iterator[tuple[Order, int]]:
    """Every order of `shared`, which are those of some at least, with its weight."""
    columns = _columns(parts)
    for number, found in enumerate(_weights((), tuple(range(len(parts))), columns, [1] * len(columns[0]))):
        if not number % A_WHILE:
            pace()
        yield found


def _weights(begun: Order, left: tuple[int, ...], columns: list[list[int]], above: list[int]) -> Iterator[tuple[Order, int]]:
    """Of an order ``begun``, every way to place those left. ``above[v]``: the ways in which everyone begun with stands above value v."""
    for place, rest in _places(left):
        here = [prod(ways) for ways in zip(above, *(columns[index] for index in place), strict=True)]
        if rest:
            yield from _weights((*begun, place), rest, columns, _higher(here))
        else:
            yield (*begun, place), sum(here)


def _higher(weights: list[int]) -> list[int]:
    """For each value: the weight of the values above it."""
    sums = list(accumulate(reversed(weights), initial=0))
    return sums[-2::-1]


def _columns(parts: Sequence[Part]) -> list[list[int]]:
    """The weights of each part over one common range of values."""
    start = min(low for low, _, _ in parts)
    stop = max(low + len(weights) for low, weights, _ in parts)
    return [[0] * (low - start) + list(weights) + [0] * (stop - low - len(weights)) for low, weights, _ in parts]


def listed_weights(parts: Sequence[Part], pace: Callable[[], None]) -> list[int]:
    """The weights of the orders of `strict` where the tied keep the order in which they are listed."""
    found = dict.fromkeys(permutations(range(len(parts))), 0)
    for order, weight in _every(parts, pace):
        found[sum(order, ())] += weight
    return list(found.values())


def even_weights(parts: Sequence[Part], pace: Callable[[], None]) -> list[int]:
    """The weights of the orders of `strict` where every order of the tied is equally likely; times the factorial of their number."""
    found = dict.fromkeys(permutations(range(len(parts))), 0)
    scale = factorial(len(parts))
    for order, weight in _every(parts, pace):
        share = weight * scale // prod(factorial(len(place)) for place in order)
        for drawn in product(*(permutations(place) for place in order)):
            found[sum(drawn, ())] += share
    return list(found.values())


def alone_first(parts: Sequence[Part]) -> list[int]:
    """For each part, the weight of its being higher than all others; and, last, the weight of a shared first place."""
    found = _first(parts, ties=False)
    return [*found, prod(whole for _, _, whole in parts) - sum(found)]


def listed_first(parts: Sequence[Part]) -> list[int]:
    """For each part, the weight of its being first where the tied keep the order in which they are listed."""
    return _first(parts, ties=True)


def _first(parts: Sequence[Part], *, ties: bool) -> list[int]:
    """The weights of each part's coming first, given whether it beats its equals listed after it."""
    columns = _columns(parts)
    below = [list(accumulate(column, initial=0)) for column in columns]
    found = [0] * len(parts)
    for value in range(len(columns[0])):
        before = list(accumulate((sums[value] for sums in below), mul, initial=1))
        after = list(accumulate((sums[value + ties] for sums in reversed(below)), mul, initial=1))
        for index, column in enumerate(columns):
            found[index] += column[value] * before[index] * after[len(parts) - 1 - index]
    return found


def even_first(parts: Sequence[Part]) -> list[int]:
    """For each part, the weight of its being first where each of the tied is equally likely to be; times a common multiple.

    At one value, let each of the others be below (b) or equal (e). The coefficient of x^k in the product of their b + e·x
    counts the ways in which k of them are equal, and the part then comes first in one of k + 1.
    """
    columns = _columns(parts)
    scale = lcm(*range(1, len(parts) + 1))
    shares = [scale // number for number in range(1, len(parts) + 1)]
    found = [0] * len(parts)
    for value in range(len(columns[0])):
        pairs = [(sum(column[:value]), column[value]) for column in columns]
        ways = [1]
        for below, equal in pairs:
            ways = [below * one + equal * other for one, other in zip([*ways, 0], [0, *ways], strict=True)]
        for index, (below, equal) in enumerate(pairs):
            if equal:
                found[index] += equal * sum(map(mul, _divided(ways, below, equal), shares))
    return found


def _divided(ways: list[int], below: int, equal: int) -> list[int]:
    """The polynomial ``ways`` divided by ``below + equal·x``, one of its factors."""
    if not below:
        return [way // equal for way in ways[1:]]
    found = [ways[0] // below]
    for way in ways[1:-1]:
        found.append((way - equal * found[-1]) // below)
    return found
