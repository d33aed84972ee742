"""The exact odds of what 0.5 added, with empty caches, against rolling the same request."""

from __future__ import annotations

import gc
from statistics import median
from typing import Any

from tablecall import engine
from tablecall.engine.requests import tagged
from tests.benchmarks.measuring import Figure
from tests.benchmarks.odds import cache_clearers, timed

ROUNDS = 9
ROLLS = 20
_FIGHTER: dict[str, Any] = {"name": "Rook", "aspects": [{"name": "driver", "bonus": 4}], "survivalAspect": "driver"}
_GUARD: dict[str, Any] = {"name": "Guard", "aspects": [{"name": "guard", "bonus": 1}], "survivalAspect": "guard"}
_WITCH: dict[str, Any] = {"name": "Vale", "aspects": [{"name": "witch", "bonus": 3, "weird": True}], "survivalAspect": "witch"}
_COMBATANTS = [
    {"id": "rook", "side": "crew", "actor": {"character": _FIGHTER, "using": ["driver"]}},
    {"id": "guard", "side": "museum", "actor": {"character": _GUARD, "using": ["guard"]}},
]
_POOL: dict[str, Any] = {"pool": {"roll": 5, "keep": 3}}
_BLOW: dict[str, Any] = {"attacker": {"participant": "a"}, "defender": {"participant": "b"}, "trauma": "injury"}
ASKED: dict[str, dict[str, Any]] = {
    "jazz.attack on three targets": {
        "action": "jazz.attack",
        "attackers": [{"character": _WITCH, "using": ["witch"], "extraordinary": True}],
        "targets": [{"bonus": 1}] * 3,
    },
    "jazz.turn, an attack": {
        "action": "jazz.turn",
        "combatants": _COMBATANTS,
        "order": [{"ids": ["rook"]}, {"ids": ["guard"]}],
        "turn": {"by": ["rook"], "attack": "guard"},
    },
    "jazz.round, two attacks, initiative still to roll": {
        "action": "jazz.round",
        "combatants": _COMBATANTS,
        "orders": [{"by": ["rook"], "attack": "guard"}, {"by": ["guard"], "attack": "rook"}],
    },
    "darkpages.conflict, two attacks of 5k3": {
        "action": "darkpages.conflict",
        "participants": [{"id": name, "actor": _POOL} for name in "ab"],
        "actions": [{"action": "darkpages.attack", **_BLOW}, {"action": "darkpages.attack", **_BLOW}],
    },
    "darkpages.attack of 5k3 on 5k3, three exchanges": {
        "action": "darkpages.attack",
        "attacker": _POOL,
        "defender": _POOL,
        "trauma": "injury",
        "exchanges": 3,
    },
    "jazz.fate": {"action": "jazz.fate", "character": {**_FIGHTER, "out": True}, "condition": "captured"},
}


def figures() -> list[Figure]:
    """Measure each."""
    found = []
    for name, document in ASKED.items():
        asked = tagged(document)

        def count(asked: Any = asked) -> object:
            return engine.odds(*asked)

        def roll(asked: Any = asked) -> None:
            for _ in range(ROLLS):
                engine.resolve(*asked)

        count()
        roll()
        clearers = cache_clearers(("tablecall.",))
        gc.disable()
        ratio = median(timed(count, clearers, 3) / timed(roll, [], 3) * ROLLS for _ in range(ROUNDS))
        gc.enable()
        text = f"odds of {name}, empty caches: times the cost of rolling it"
        found.append(Figure(f"odds-of-{name.replace(' ', '-').replace(',', '')}", text, ratio, None, more=False))
    return found
