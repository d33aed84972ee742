"""Orders counted against every fall of small dice: which there are, how they weigh, who leads."""

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


def falls(parts: list[Part]) -> Counter[Order]:
    """The weight of every order with shared places, one fall after the other."""
    found: Counter[Order] = Counter()
    ranges = [[(low + index, weight) for index, weight in enumerate(weights)] for low, weights, _ in parts]
    for fall in product(*ranges):
        totals = [total for total, _ in fall]
        order = tuple(tuple(one for one, total in enumerate(totals) if total == place) for place in sorted(set(totals), reverse=True))
        found[order] += prod(weight for _, weight in fall)
    return +found


def denominator(parts: list[Part]) -> int:
    return prod(whole for _, _, whole in parts)


@pytest.mark.parametrize(("count", "strict", "shared"), [(0, 1, 1), (1, 1, 1), (2, 2, 3), (3, 6, 13), (4, 24, 75), (5, 120, 541)])
def test_every_order_is_there_once(count: int, strict: int, shared: int) -> None:
    """As many as there are permutations, and as many as the ordered Bell numbers say."""
    assert len(ranking.strict(count)) == len(set(ranking.strict(count))) == strict == factorial(count)
    assert len(ranking.shared(count)) == len(set(ranking.shared(count))) == shared == ranking.shared_count(count)
    for order in (*ranking.strict(count), *ranking.shared(count)):
        assert sorted(sum(order, ())) == list(range(count))
        assert all(place and list(place) == sorted(place) for place in order)


def test_nobody_is_in_one_order() -> None:
    assert (ranking.shared(0), ranking.shared_weights([], no_checkpoint), ranking.strict(0)) == (((),), [1], ((),))


@pytest.mark.parametrize("parts", PARTS)
def test_shared_places_weigh_as_often_as_they_fall(parts: list[Part]) -> None:
    weights = ranking.shared_weights(parts, no_checkpoint)
    assert {order: weight for order, weight in zip(ranking.shared(len(parts)), weights, strict=True) if weight} == falls(parts)
    assert sum(weights) == denominator(parts)


@pytest.mark.parametrize("parts", PARTS)
def test_the_tied_stand_as_they_are_listed_or_in_any_order_alike(parts: list[Part]) -> None:
    listed: Counter[tuple[int, ...]] = Counter()
    even: Counter[tuple[int, ...]] = Counter()
    for order, weight in falls(parts).items():
        listed[sum(order, ())] += weight
        drawn = [sum(places, ()) for places in product(*(permutations(place) for place in order))]
        for one in drawn:
            even[one] += weight * factorial(len(parts)) // len(drawn)
    every = list(permutations(range(len(parts))))
    assert ranking.listed_weights(parts, no_checkpoint) == [listed[order] for order in every]
    assert ranking.even_weights(parts, no_checkpoint) == [even[order] for order in every]


@pytest.mark.parametrize("parts", PARTS)
def test_who_leads_weighs_as_often_as_they_lead(parts: list[Part]) -> None:
    count, scale = len(parts), lcm(*range(1, len(parts) + 1))
    alone, listed, even = [0] * count, [0] * count, [0] * count
    for (first, *_), weight in falls(parts).items():
        listed[first[0]] += weight
        if len(first) == 1:
            alone[first[0]] += weight
        for one in first:
            even[one] += weight * scale // len(first)
    assert ranking.alone_first(parts) == [*alone, denominator(parts) - sum(alone)]
    assert ranking.listed_first(parts) == listed
    assert ranking.even_first(parts) == even


@pytest.mark.parametrize("weights", [ranking.shared_weights, ranking.listed_weights, ranking.even_weights])
def test_whoever_sets_the_pace_is_asked_on_the_way(weights: Callable[[Sequence[Part], Callable[[], None]], list[int]]) -> None:
    """Many orders take long to weigh, and nobody else shall wait for them."""
    asked: list[None] = []
    weights([(1, [1, 1], 2)] * 5, lambda: asked.append(None))
    assert len(asked) == -(-ranking.shared_count(5) // ranking.CHECKPOINT_ORDERS) > 5
