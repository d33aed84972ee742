"""What every program asks: a check, an attack with sheets, a request the rules refuse, odds."""

import json
from typing import Any

ROOK: dict[str, Any] = {
    "id": "pc-1",
    "name": "Rook",
    "aspects": [
        {"name": "former getaway driver", "bonus": 4},
        {"name": "hereditary witch", "bonus": 2, "weird": True},
    ],
    "survivalAspect": "former getaway driver",
}
GUARD: dict[str, Any] = {
    "id": "npc-7",
    "name": "Night guard",
    "named": False,
    "aspects": [{"name": "tired night guard", "bonus": 1}],
    "survivalAspect": "tired night guard",
}
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
ATTACK: dict[str, Any] = {
    "attackers": [{"character": ROOK, "using": ["former getaway driver"]}, {"bonus": 1}],
    "defender": {"character": GUARD, "using": ["tired night guard"]},
    "seed": "the vault",
}
REFUSED: dict[str, Any] = {"actor": {"character": ROOK, "bonus": 3}, "difficulty": 10}


def say(check: tuple[str, int | None], attack: tuple[str, Any, Any], refusal: tuple[int, str, Any], odds: list[str]) -> None:
    """Print what was found, as the other programs do."""
    found = {
        "check": {"outcome": check[0], "total": check[1]},
        "attack": {"outcome": attack[0], "defender": attack[1], "out": attack[2]},
        "refusal": {"status": refusal[0], "pointer": refusal[1], "rule": refusal[2]},
        "odds": odds,
    }
    print(json.dumps(found))
