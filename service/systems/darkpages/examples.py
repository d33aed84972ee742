"""Examples of every darkpages action, by name: complete bodies, each answered with 200."""

from __future__ import annotations

from typing import Any

NYX: dict[str, Any] = {
    "id": "hero-1",
    "name": "Nyx",
    "archetype": "Warrior",
    "attributes": {
        "body": {"roll": 5, "keep": 3, "rating": "Primary"},
        "mind": {"roll": 4, "keep": 2, "rating": "Secondary"},
        "soul": {"roll": 3, "keep": 2, "rating": "Limited"},
    },
    "lethal": "health",
}

CHECK: dict[str, dict[str, Any]] = {
    "A bare pool against a Target Number": {"actor": {"pool": {"roll": 4, "keep": 3}}, "targetNumber": 15, "seed": 42},
    "A hero with a goal, asking which zeros to keep": {
        "actor": {"character": NYX, "attribute": "body", "modifiers": ["+1/0"], "keep": "mostZerosThatSucceed"},
        "targetNumber": 15,
        "goal": "I want to knock the lookout cold",
        "means": "a hard right to the jaw",
        "effect": "the way in is open",
        "seed": "rooftop",
        "include": ["factors", "options"],
    },
    "Opposed by the game master": {
        "actor": {"character": NYX, "attribute": "mind"},
        "opponent": {"pool": {"roll": 5, "keep": 3}, "npc": True},
        "dice": [{"roll": "actor", "faces": [9, 0, 7, 3]}],
        "seed": "the bomb",
    },
}
