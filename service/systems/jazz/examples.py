"""Examples of every Jazz action, by name: complete bodies, each answered with 200."""

from __future__ import annotations

from typing import Any

ROOK: dict[str, Any] = {
    "id": "pc-1",
    "name": "Rook",
    "aspects": [
        {
            "name": "former getaway driver",
            "bonus": 4,
            "expertise": ["casing the joint", "hot-wiring cars", "outrunning pursuit", "losing a tail"],
        },
        {"name": "hereditary witch", "bonus": 2, "weird": True, "expertise": ["small charms", "reading omens"]},
    ],
    "survivalAspect": "former getaway driver",
    "health": {"current": 4, "max": 4},
    "weird": {"current": 2, "max": 2},
}
GUARD: dict[str, Any] = {
    "id": "npc-7",
    "name": "Night guard",
    "named": False,
    "aspects": [{"name": "tired night guard", "bonus": 1}],
    "survivalAspect": "tired night guard",
}

CHECK: dict[str, dict[str, Any]] = {
    "A bare bonus against a difficulty": {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42},
    "A character against a level, asking what mattered": {
        "actor": {"character": ROOK, "using": ["former getaway driver"], "gear": {"advantage": True}},
        "level": "demanding",
        "seed": "the alley",
        "include": ["factors", "options"],
    },
    "A contest rolled at the table": {
        "actor": {"character": ROOK, "using": ["former getaway driver"]},
        "opponent": {"bonus": 3},
        "dice": [{"roll": "actor", "faces": [3, 4]}, {"roll": "opponent", "faces": [6, 2]}],
    },
    "Healing with a weird aspect": {
        "actor": {"character": ROOK, "using": ["hereditary witch"], "extraordinary": True},
        "effect": "restoreHealth.one",
        "subject": {**GUARD, "health": {"current": 0, "max": 1}, "out": True},
        "seed": "mercy",
    },
}
ATTACK: dict[str, dict[str, Any]] = {
    "One against one": {"attackers": [{"bonus": 2}], "defender": {"character": ROOK, "using": ["former getaway driver"]}, "seed": 7},
    "Two on an unnamed guard": {
        "attackers": [{"character": ROOK, "using": ["former getaway driver"]}, {"bonus": 1}],
        "defender": {"character": GUARD, "using": ["tired night guard"]},
        "seed": "the vault",
        "include": ["factors"],
    },
}
