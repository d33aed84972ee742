"""Whole fights, reckoned from nothing: our exact odds and our simulation against numpy's, in turns, in one run.

Ours is the whole reading: the rule itself, what everybody may expect to lose, and the odds as fractions of hundreds of digits. numpy
is asked the bare question, who is left, in two ways: 100,000 fights at once, which are right to ±0.3 % (two standard errors), and
the chance of every state in floats, right to some fifteen digits. It works out for itself how likely a hit is. Before anything
is timed, every answer is held against the exact one.
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
from tests.benchmarks.odds import caches, timed

ROUNDS, ASKED = 7, 3
"""How many turns there are, and how often each is asked in its turn."""
SIZES = {1: "a duel", 2: "two against two", 3: "three against three"}
"""How many are on each side; our simulation is measured where there are most."""
HEALTH = 7
LIMIT = 100
"""After so many rounds of a fight nobody has won."""
THEIR_TRIALS, OUR_TRIALS = 100_000, 10_000
NEAR = 1e-9
"""How far floats may be from the exact odds."""
ERRORS = 5
"""How many standard errors a simulation may be from them."""

Ask = Callable[[], Any]


def fight(size: int) -> dict[str, Any]:
    """So many on each side, each a little better than the one before; the sides take turns."""
    combatants = []
    for side in "xy":
        for place in range(size):
            sheet = {
                "name": f"{side}{place}",
                "aspects": [{"name": "fighter", "bonus": 2 + place}],
                "health": {"current": HEALTH, "max": HEALTH},
            }
            combatants.append({"id": f"{side}{place}", "side": side, "actor": {"character": sheet, "using": ["fighter"]}})
    order = [[f"{side}{place}"] for place in range(size) for side in "xy"]
    return {"action": "jazz.fight", "combatants": combatants, "order": order, "maxRounds": LIMIT}


def ours(size: int, **more: Any) -> Callable[[], dict[str, Any]]:
    """The question to the service, its body validated."""
    document = {**fight(size), **more}
    system, action = ACTIONS[document.pop("action")]
    body = action.body.model_validate(document)
    return lambda: engine.odds(system, action, body)


def theirs(numpy: Any, size: int) -> tuple[Ask, Ask, Ask]:
    """The same to numpy: the chances in floats, then as many fights as shall stand for them, then as many as we play."""
    sides = [[(2 + place, HEALTH) for place in range(size)]] * 2
    order = [(side, place) for place in range(size) for side in (0, 1)]
    return (
        lambda: numpy.counted(sides, order, LIMIT),
        lambda: numpy.played(sides, order, LIMIT, THEIR_TRIALS, 1),
        lambda: numpy.played(sides, order, LIMIT, OUR_TRIALS, 1),
    )


def shares(odds: dict[str, Any]) -> list[float]:
    """The service's answer in numpy's words: how likely the one side is left, the other, and neither alone."""
    chances = {one["outcome"]: one["probability"] for one in odds["outcomes"]}
    return [chances.get(word, 0.0) for word in ("x", "y", "undecided")]


def near(exact: Sequence[float], chances: Sequence[float]) -> bool:
    """Whether floats are as the exact odds are."""
    return all(abs(one - other) <= NEAR for one, other in zip(exact, chances, strict=True))


def likely(exact: Sequence[float], found: Sequence[float]) -> bool:
    """Whether fights that were played, each outcome so often, are as the exact odds have them."""
    trials = sum(found)
    return all(abs(ways / trials - one) <= ERRORS * sqrt(one * (1 - one) / trials) for one, ways in zip(exact, found, strict=True))


def agree(mine: tuple[Ask, Ask], others: tuple[Ask, Ask, Ask]) -> bool:
    """Whether both sides say the same: the exact odds judge the floats and every simulation."""
    exact, simulated = (shares(ask()) for ask in mine)
    counted, many, few = (ask() for ask in others)
    return near(exact, counted) and all(likely(exact, found) for found in (many, few, [share * OUR_TRIALS for share in simulated]))


def compared(id: str, name: str, mine: Ask, other: Ask) -> Figure:
    """How many times the cost of the other ours is: the median of the turns' ratios. There is no goal for it."""
    forget = caches()
    turns = [(timed(mine, forget, ASKED), timed(other, forget, ASKED)) for _ in range(ROUNDS)]
    own, others = (median(column) * 1000 for column in zip(*turns, strict=True))
    note = f"{own:.3g} ms against {others:.3g} ms"
    return Figure(id, name, median(cost / theirs for cost, theirs in turns), more=False, note=note)


def figures() -> list[Figure]:
    """Each ratio."""
    sys.path.append(str(rivals_site()))
    numpy = importlib.import_module("tests.benchmarks.rivals.numpy_fights")
    gc.disable()
    found = []
    for size, name in SIZES.items():
        exact, simulated = ours(size), ours(size, method="simulation", trials=OUR_TRIALS, seed=1)
        counted, many, few = theirs(numpy, size)
        if not agree((exact, simulated), (counted, many, few)):
            raise SystemExit(f"{name}: the two do not agree")
        what = f"the exact odds of {name} from nothing: times the cost of {THEIR_TRIALS:,} fights in numpy, right to ±0.3 %"
        found.append(compared(f"fight-{size}", what, exact, many))
        found.append(compared(f"fight-{size}-floats", "the same: times the cost of numpy's floats, state by state", exact, counted))
        if size == max(SIZES):
            what = f"{OUR_TRIALS:,} simulated fights of {name}: times the cost of as many in numpy"
            found.append(compared("fight-simulated", what, simulated, few))
    gc.enable()
    return found


def main() -> None:
    """Measure and print."""
    for figure in figures():
        print(f"{figure.name:110} {figure.value:8.2f}  {figure.note}")


if __name__ == "__main__":
    main()
