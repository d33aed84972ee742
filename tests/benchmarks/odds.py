"""The exact odds of an opposed darkpages check, reckoned from nothing: ours against icepool's, in turns, in one run; and those of
an attack against the service's own roll.

Ours is the whole reading: the rule itself, the outcomes as fractions and percents, both distributions, the expected Training
Points, and the two kinds of failure that zeros bring. icepool is asked the bare question: higher, equal or lower. Both forget
everything before each round.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from fractions import Fraction
from functools import _lru_cache_wrapper
from statistics import median
from time import process_time
from typing import Any

import icepool
from icepool.evaluator.multiset_evaluator_base import MultisetEvaluatorBase

from tablecall import engine
from tablecall.systems import ACTIONS
from tests.benchmarks.measuring import Figure

GOAL = 20
"""How many times as fast ours shall be."""
ROUNDS = 15
ASKED = 5
"""How often each is asked in its turn, so that neither only finds the processor's memory as the other left it."""
ATTACK_GOAL = 150
"""As many rolls of a check the odds of an attack may take the time of."""
ROLLS = 100
"""How many checks are rolled in a turn: one is over too soon to be timed."""
QUESTIONS = ((10, 5, 8, 4), (10, 3, 8, 3), (5, 3, 5, 2), (20, 10, 20, 8))
"""Dice rolled and kept, on either side; the first is the one the goal speaks of."""

Counts = tuple[Fraction, Fraction, Fraction]
"""The chances of higher, equal and lower."""


def caches(whose: tuple[str, ...] = ("service.", "icepool.")) -> list[Callable[[], object]]:
    """What empties each cache of ours and of icepool's that there is after a first asking; those of other modules are left."""
    found: list[Callable[[], object]] = []
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (getattr(one, "__module__", None) or "").startswith(whose):
            found.append(one.cache_clear)
        elif isinstance(one, MultisetEvaluatorBase) and hasattr(one, "_cache"):
            found.append(one._cache.clear)
    return found


def ours(roll: int, keep: int, other_roll: int, other_keep: int) -> Callable[[], dict[str, Any]]:
    """The question to the service, its body validated."""
    system, action = ACTIONS["darkpages.check"]
    pools = {"actor": {"pool": {"roll": roll, "keep": keep}}, "opponent": {"pool": {"roll": other_roll, "keep": other_keep}}}
    body = action.body.model_validate(pools)
    return lambda: engine.odds(system, action, body)


def attacked() -> Callable[[], dict[str, Any]]:
    """The odds of an attack of 10k5 on 10k5, the damage check included, its body validated."""
    system, action = ACTIONS["darkpages.attack"]
    pool = {"pool": {"roll": 10, "keep": 5}}
    body = action.body.model_validate({"attacker": pool, "defender": pool, "trauma": "injury"})
    return lambda: engine.odds(system, action, body)


def rolled() -> Callable[[], None]:
    """Many checks of 10k5, each ruled with a seed of its own."""
    system, action = ACTIONS["darkpages.check"]
    body = action.body.model_validate({"actor": {"pool": {"roll": 10, "keep": 5}}, "targetNumber": 25})

    def roll() -> None:
        for _ in range(ROLLS):
            engine.resolve(system, action, body)

    return roll


def theirs(roll: int, keep: int, other_roll: int, other_keep: int) -> Callable[[], Any]:
    """The question to icepool."""
    return lambda: icepool.z(10).highest(roll, keep).cmp(icepool.z(10).highest(other_roll, other_keep))


def higher_equal_lower(odds: dict[str, Any]) -> Counts:
    """The service's answer in icepool's words: who rolls or keeps nothing but zeros has, but for all zeros on both sides, a total of 0."""
    chances = {one["outcome"]: Fraction(one["fraction"]) for one in odds["outcomes"]}
    return chances.get("success", Fraction()), chances.get("stalemate", Fraction()), chances.get("failure", Fraction())


def agree(odds: dict[str, Any], die: Any, question: tuple[int, int, int, int]) -> bool:
    """Whether both said the same; a total of 0 on either side, which our rule calls by names of its own, is left a margin."""
    whole = die.denominator()
    margin = sum(Fraction(icepool.z(10).highest(roll, keep).quantity(0), 10**roll) for roll, keep in (question[:2], question[2:]))
    asked = [Fraction(die.quantity(sign), whole) for sign in (1, 0, -1)]
    return all(abs(one - other) <= margin for one, other in zip(higher_equal_lower(odds), asked, strict=True))


def timed(ask: Callable[[], Any], forget: list[Callable[[], object]], asked: int = ASKED) -> float:
    """Seconds of processor time for one asking from nothing: the median of a turn."""
    seconds = []
    for _ in range(asked):
        for empty in forget:
            empty()
        start = process_time()
        ask()
        seconds.append(process_time() - start)
    gc.collect()
    return median(seconds)


def figures() -> list[Figure]:
    """The whole reading, for the questions the goals speak of."""
    gc.disable()
    asks = ours(*QUESTIONS[0]), theirs(*QUESTIONS[0]), attacked(), rolled()
    for ask in asks:
        ask()
    forget = caches()
    gc.freeze()
    ratios = [timed(asks[1], forget) / timed(asks[0], forget) for _ in range(ROUNDS)]
    attacks = [timed(asks[2], forget) / timed(asks[3], []) * ROLLS for _ in range(ROUNDS)]
    gc.unfreeze()
    gc.enable()
    said = "the whole odds of an attack of 10k5 on 10k5 with its damage check from nothing, in rolls of one check"
    return [
        Figure("odds-cold", "the whole odds of 10k5 against 8k4 from nothing, against icepool's count", median(ratios), GOAL),
        Figure("odds-attack", said, median(attacks), ATTACK_GOAL, more=False),
    ]


def main() -> None:
    """Measure and print."""
    print(f"Exact odds of an opposed check from nothing: processor time, medians of {ROUNDS} turns (goal: {GOAL} times icepool)\n")
    print(f"{'check':>16} {'ours, µs':>10} {'icepool, µs':>12} {'ratio':>7}")
    gc.disable()
    for question in QUESTIONS:
        asks = ours(*question), theirs(*question)
        if not agree(asks[0](), asks[1](), question):
            raise SystemExit("the two do not agree")
        gc.unfreeze()
        forget = caches()
        gc.freeze()  # what is there already is nobody's garbage
        rounds = [[timed(ask, forget) for ask in asks] for _ in range(ROUNDS)]
        mine, other = (median(column) for column in zip(*rounds, strict=True))
        name = "{}k{} – {}k{}".format(*question)
        print(f"{name:>16} {mine * 1e6:>10.0f} {other * 1e6:>12.0f} {other / mine:>7.1f}")
    gc.enable()


if __name__ == "__main__":
    main()
