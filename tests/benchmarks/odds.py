"""Exact odds with empty caches: an opposed darkpages check against icepool, and an attack against rolling a check.

Ours is the whole answer. icepool only counts how often each side is higher. `counting.py` compares the numbers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import _lru_cache_wrapper
from statistics import median
from time import process_time
from typing import Any

import icepool
from icepool.evaluator.multiset_evaluator_base import MultisetEvaluatorBase

from tablecall import engine
from tablecall.systems import ACTIONS
from tests.benchmarks.measuring import Figure

"""How many times as fast ours should be."""
ROUNDS = 15
REPEATS = 5
"""Runs in each round, so that the processor's caches are not always as the other side left them."""
ROLLS = 100
"""Checks rolled in each run: one is too short to be timed."""


def cache_clearers(modules: tuple[str, ...] = ("tablecall.", "icepool.")) -> list[Callable[[], object]]:
    """A function for each cache of these modules that exists now, which empties it."""
    clearers: list[Callable[[], object]] = []
    for value in gc.get_objects():
        if isinstance(value, _lru_cache_wrapper) and (getattr(value, "__module__", None) or "").startswith(modules):
            clearers.append(value.cache_clear)
        elif isinstance(value, MultisetEvaluatorBase) and hasattr(value, "_cache"):
            clearers.append(value._cache.clear)
    return clearers


def check() -> Callable[[], object]:
    """The odds of 10k5 against 8k4."""
    system, action = ACTIONS["darkpages.check"]
    body = action.body.model_validate({"actor": {"pool": {"roll": 10, "keep": 5}}, "opponent": {"pool": {"roll": 8, "keep": 4}}})
    return lambda: engine.odds(system, action, body)


def attack() -> Callable[[], object]:
    """The odds of an attack of 10k5 on 10k5, its damage check included."""
    system, action = ACTIONS["darkpages.attack"]
    pool = {"pool": {"roll": 10, "keep": 5}}
    body = action.body.model_validate({"attacker": pool, "defender": pool, "trauma": "injury"})
    return lambda: engine.odds(system, action, body)


def rolled_checks() -> Callable[[], None]:
    """Many checks of 10k5, each with its own seed."""
    system, action = ACTIONS["darkpages.check"]
    body = action.body.model_validate({"actor": {"pool": {"roll": 10, "keep": 5}}, "targetNumber": 25})

    def roll() -> None:
        for _ in range(ROLLS):
            engine.resolve(system, action, body)

    return roll


def icepool_check() -> object:
    """How often 10k5 is higher than 8k4, equal and lower."""
    return icepool.z(10).highest(10, 5).cmp(icepool.z(10).highest(8, 4))


def timed(run: Callable[[], Any], clearers: list[Callable[[], object]], repeats: int = REPEATS) -> float:
    """The median of some runs, in seconds of processor time, each after the caches are emptied."""
    seconds = []
    for _ in range(repeats):
        for clear in clearers:
            clear()
        start = process_time()
        run()
        seconds.append(process_time() - start)
    gc.collect()
    return median(seconds)


def figures() -> list[Figure]:
    """Measure both."""
    gc.disable()
    ours, attacked, rolled = check(), attack(), rolled_checks()
    for run in (ours, icepool_check, attacked, rolled):
        run()
    clearers = cache_clearers()
    gc.freeze()
    checks = [timed(icepool_check, clearers) / timed(ours, clearers) for _ in range(ROUNDS)]
    attacks = [timed(attacked, clearers) / timed(rolled, []) * ROLLS for _ in range(ROUNDS)]
    gc.unfreeze()
    gc.enable()
    attack_name = "odds of an attack, 10k5 on 10k5, with its damage check, empty caches: times the cost of rolling one check"
    return [
        Figure("odds-cold", "odds of 10k5 against 8k4, empty caches, against counting in icepool", median(checks), 20),
        Figure("odds-attack", attack_name, median(attacks), 150, more=False),
    ]
