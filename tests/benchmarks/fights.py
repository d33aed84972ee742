"""Fights with empty caches: our exact odds and our simulation against numpy, in turns.

Ours is the whole answer: the rule, the expected losses, and odds as fractions with hundreds of digits. numpy only computes who is left,
in two ways: 100,000 fights at once, exact to ±0.3 % (two standard errors), and the probability of every state in floats, exact to about
fifteen digits. It computes the chance of a hit itself. All results are compared with the exact ones before anything is timed.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import median
from typing import Any

from tablecall import engine
from tablecall.systems import ACTIONS
from tests.benchmarks.measuring import Figure, rivals_site
from tests.benchmarks.odds import cache_clearers, timed

ROUNDS, REPEATS = 7, 3
"""Rounds, and runs of each side in a round."""
SIZES = {1: "a duel", 2: "two against two", 3: "three against three"}
"""Fighters on each side. Our simulation is measured for the largest fight."""
HEALTH = 7
MAX_ROUNDS = 100
THEIR_TRIALS, OUR_TRIALS = 100_000, 10_000
NEAR = 1e-9
"""Allowed difference of floats from the exact odds."""
ERRORS = 5
"""Allowed difference of a simulation, in standard errors."""

Run = Callable[[], Any]


def fight(size: int) -> dict[str, Any]:
    """``size`` fighters on each side, each with a higher bonus than the one before. The sides take turns."""
    combatants = []
    for side in "xy":
        for place in range(size):
            sheet = {
                "name": f"{side}{place}",
                "aspects": [{"name": "fighter", "bonus": 2 + place}],
                "health": {"current": HEALTH, "max": HEALTH},
            }
            combatants.append({"id": f"{side}{place}", "side": side, "actor": {"character": sheet, "using": ["fighter"]}})
    order = [{"ids": [f"{side}{place}"]} for place in range(size) for side in "xy"]
    return {"action": "jazz.fight", "combatants": combatants, "order": order, "maxRounds": MAX_ROUNDS}


def ours(size: int, **more: Any) -> Callable[[], dict[str, Any]]:
    """The odds by the service, from a validated body."""
    document = {**fight(size), **more}
    system, action = ACTIONS[document.pop("action")]
    body = action.body.model_validate(document)
    return lambda: engine.odds(system, action, body)


def theirs(numpy: Any, size: int) -> tuple[Run, Run, Run]:
    """The same in numpy: probabilities in floats, 100,000 simulated fights, and as many as we simulate."""
    sides = [[(2 + place, HEALTH) for place in range(size)]] * 2
    order = [(side, place) for place in range(size) for side in (0, 1)]
    return (
        lambda: numpy.counted(sides, order, MAX_ROUNDS),
        lambda: numpy.played(sides, order, MAX_ROUNDS, THEIR_TRIALS, 1),
        lambda: numpy.played(sides, order, MAX_ROUNDS, OUR_TRIALS, 1),
    )


def shares(odds: dict[str, Any]) -> list[float]:
    """The probabilities that the first side wins, the second, and neither."""
    chances = {row["outcome"]: row["probability"] for row in odds["outcomes"]}
    return [chances.get(outcome, 0.0) for outcome in ("x", "y", "undecided")]


def near(exact: Sequence[float], chances: Sequence[float]) -> bool:
    """Whether floats agree with the exact odds."""
    return all(abs(one - other) <= NEAR for one, other in zip(exact, chances, strict=True))


def likely(exact: Sequence[float], counts: Sequence[float]) -> bool:
    """Whether the counts of simulated outcomes agree with the exact odds."""
    trials = sum(counts)
    return all(abs(count / trials - one) <= ERRORS * sqrt(one * (1 - one) / trials) for one, count in zip(exact, counts, strict=True))


def agree(mine: tuple[Run, Run], others: tuple[Run, Run, Run]) -> bool:
    """Whether floats and simulations agree with the exact odds."""
    exact, simulated = (shares(run()) for run in mine)
    counted, many, few = (run() for run in others)
    return near(exact, counted) and all(likely(exact, counts) for counts in (many, few, [share * OUR_TRIALS for share in simulated]))


def compared(id: str, name: str, mine: Run, other: Run) -> Figure:
    """Our cost over the other: the median of the rounds' ratios. It has no goal."""
    clearers = cache_clearers()
    turns = [(timed(mine, clearers, REPEATS), timed(other, clearers, REPEATS)) for _ in range(ROUNDS)]
    own, others = (median(column) * 1000 for column in zip(*turns, strict=True))
    note = f"{own:.3g} ms against {others:.3g} ms"
    return Figure(id, name, median(cost / theirs for cost, theirs in turns), more=False, note=note)


def figures() -> list[Figure]:
    """Measure every ratio."""
    sys.path.append(str(rivals_site()))
    numpy = importlib.import_module("tests.benchmarks.rivals.numpy_fights")
    gc.disable()
    measured = []
    for size, name in SIZES.items():
        exact, simulated = ours(size), ours(size, method="simulation", trials=OUR_TRIALS, seed=1)
        counted, many, few = theirs(numpy, size)
        if not agree((exact, simulated), (counted, many, few)):
            raise SystemExit(f"{name}: the results differ")
        what = f"the exact odds of {name} from nothing: times the cost of {THEIR_TRIALS:,} fights in numpy, right to ±0.3 %"
        measured.append(compared(f"fight-{size}", what, exact, many))
        measured.append(compared(f"fight-{size}-floats", "the same: times the cost of numpy's floats, state by state", exact, counted))
        if size == max(SIZES):
            what = f"{OUR_TRIALS:,} simulated fights of {name}: times the cost of as many in numpy"
            measured.append(compared("fight-simulated", what, simulated, few))
    gc.enable()
    return measured
