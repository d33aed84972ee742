"""The highest or lowest of several rolls, as one roll. Nothing is decided by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import cast

from tablecall.dice import ranking
from tablecall.dice.conditional import ConditionalDistribution, LazyTotal, NeedsJointDistribution
from tablecall.dice.faces import SPECIALS, RollResult
from tablecall.dice.needed import UNKNOWN
from tablecall.dice.source import Roll


def extreme_roll(rolls: Sequence[Roll], *, highest: bool) -> tuple[Roll, int]:
    """The highest or lowest of several independent rolls, and its index.

    Of equal totals a dismal roll ranks lowest and a dramatic one next; otherwise the first counts. In the odds, and while a roll
    is not made yet, the index is always 0. In the odds the single rolls must not be asked about again.
    """
    if isinstance(rolls[0], LazyTotal):
        return _combined([cast("LazyTotal", roll).conditional for roll in rolls], highest=highest), 0
    if any(roll is UNKNOWN for roll in rolls):
        return UNKNOWN, 0
    results = [cast("RollResult", roll) for roll in rolls]
    ranks = [(result.total, SPECIALS.index(result.special)) for result in results]
    index = ranks.index(max(ranks) if highest else min(ranks))
    return results[index], index


def _combined(conditionals: Sequence[ConditionalDistribution], *, highest: bool) -> LazyTotal:
    """The distribution of the highest or lowest.

    The highest is dismal if all are, and dramatic if all are special but not all dismal. The lowest is dismal if any is, and
    dramatic if any is but none is dismal.
    """
    for conditional in conditionals:
        if (conditional.narrowed or conditional.special_known) and (conditional.dismal or conditional.dramatic):
            raise NeedsJointDistribution
    distribution = ranking.extreme([conditional.consume() for conditional in conditionals], highest=highest)
    dismals = [conditional.dismal for conditional in conditionals]
    specials = [conditional.dismal + conditional.dramatic for conditional in conditionals]
    if highest:
        dismal = prod(dismals)
        dramatic = prod(specials) - dismal
    else:
        denominators = [conditional.denominator for conditional in conditionals]
        not_dismal = prod(denominator - weight for denominator, weight in zip(denominators, dismals, strict=True))
        dismal = distribution.denominator - not_dismal
        dramatic = not_dismal - prod(denominator - weight for denominator, weight in zip(denominators, specials, strict=True))
    return LazyTotal(ConditionalDistribution(replace(distribution, dismal=dismal, dramatic=dramatic)))
