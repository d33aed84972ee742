"""Orders and leaders of small parts, against an enumeration of every result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations, product
from math import factorial, lcm, prod

import pytest

from tablecall.dice import ranking
from tablecall.dice.markov import no_checkpoint
from tablecall.dice.ranking import Order, Part

PARTS: list[list[Part]] = [
    [(1, [1, 1, 1], 3)],
    [(1, [1, 1, 1], 3), (2, [1, 1, 1], 3)],
    [(0, [2, 1], 3), (0, [1, 0, 1], 2), (1, [1], 1)],
    [(3, [1, 2, 3], 6), (1, [3, 2, 1], 6), (2, [1, 1, 1, 1], 4)],
    [(1, [1, 1], 2), (1, [1, 1], 2), (0, [1, 1, 1], 3), (2, [1], 1)],
]


def every_result(parts: list[Part]) -> Counter[Order]:
    """The weight of every order with shared places, one result at a time."""
    orders: Counter[Order] = Counter()
    ranges = [[(low + index, weight) for index, weight in enumerate(weights)] for low, weights, _ in parts]
    for result in product(*ranges):
        totals = [total for total, _ in result]
        order = tuple(tuple(index for index, total in enumerate(totals) if total == place) for place in sorted(set(totals), reverse=True))
        orders[order] += prod(weight for _, weight in result)
    return +orders


def denominator(parts: list[Part]) -> int:
    return prod(part[2] for part in parts)


@pytest.mark.parametrize(("count", "strict", "shared"), [(0, 1, 1), (1, 1, 1), (2, 2, 3), (3, 6, 13), (4, 24, 75), (5, 120, 541)])
def test_every_order_is_listed_once(count: int, strict: int, shared: int) -> None:
    """Their numbers are the factorials and the ordered Bell numbers."""
    assert len(ranking.strict(count)) == len(set(ranking.strict(count))) == strict == factorial(count)
    assert len(ranking.shared(count)) == len(set(ranking.shared(count))) == shared == ranking.shared_count(count)
    for order in (*ranking.strict(count), *ranking.shared(count)):
        assert sorted(sum(order, ())) == list(range(count))
        assert all(place and list(place) == sorted(place) for place in order)


def test_no_parts_have_one_order() -> None:
    assert (ranking.shared(0), ranking.shared_weights([], no_checkpoint), ranking.strict(0)) == (((),), [1], ((),))


@pytest.mark.parametrize("parts", PARTS)
def test_weights_with_shared_places(parts: list[Part]) -> None:
    weights = ranking.shared_weights(parts, no_checkpoint)
    assert {order: weight for order, weight in zip(ranking.shared(len(parts)), weights, strict=True) if weight} == every_result(parts)
    assert sum(weights) == denominator(parts)


@pytest.mark.parametrize("parts", PARTS)
def test_weights_with_ties_as_listed_and_even(parts: list[Part]) -> None:
    listed: Counter[tuple[int, ...]] = Counter()
    even: Counter[tuple[int, ...]] = Counter()
    for order, weight in every_result(parts).items():
        listed[sum(order, ())] += weight
        drawn = [sum(places, ()) for places in product(*(permutations(place) for place in order))]
        for untied in drawn:
            even[untied] += weight * factorial(len(parts)) // len(drawn)
    every = list(permutations(range(len(parts))))
    assert ranking.listed_weights(parts, no_checkpoint) == [listed[order] for order in every]
    assert ranking.even_weights(parts, no_checkpoint) == [even[order] for order in every]


@pytest.mark.parametrize("parts", PARTS)
def test_weights_of_the_leader(parts: list[Part]) -> None:
    count, scale = len(parts), lcm(*range(1, len(parts) + 1))
    alone, listed, even = [0] * count, [0] * count, [0] * count
    for (first, *_), weight in every_result(parts).items():
        listed[first[0]] += weight
        if len(first) == 1:
            alone[first[0]] += weight
        for index in first:
            even[index] += weight * scale // len(first)
    assert ranking.alone_first(parts) == [*alone, denominator(parts) - sum(alone)]
    assert ranking.listed_first(parts) == listed
    assert ranking.even_first(parts) == even


@pytest.mark.parametrize("weights", [ranking.shared_weights, ranking.listed_weights, ranking.even_weights])
def test_checkpoint_is_called_between_orders(weights: Callable[[Sequence[Part], Callable[[], None]], list[int]]) -> None:
    calls: list[None] = []
    weights([(1, [1, 1], 2)] * 5, lambda: calls.append(None))
    assert len(calls) == -(-ranking.shared_count(5) // ranking.CHECKPOINT_ORDERS) > 5
