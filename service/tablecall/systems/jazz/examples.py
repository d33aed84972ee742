"""Examples of every Jazz action, by name: complete, valid request bodies."""

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
    "Somebody who holds dice and spends none": {
        "actor": {"character": {**ROOK, "karma": "positive", "heldAdvantage": True}, "using": ["former getaway driver"]},
        "difficulty": 14,
        "seed": 3,
    },
    "Routine work, measured against nothing": {"actor": {"character": ROOK, "using": ["former getaway driver"]}, "stakes": "routine"},
}
ATTACK: dict[str, dict[str, Any]] = {
    "One against one": {"attackers": [{"bonus": 2}], "defender": {"character": ROOK, "using": ["former getaway driver"]}, "seed": 7},
    "Two on an unnamed guard": {
        "attackers": [{"character": ROOK, "using": ["former getaway driver"]}, {"bonus": 1}],
        "defender": {"character": GUARD, "using": ["tired night guard"]},
        "seed": "the vault",
        "include": ["factors"],
    },
    "A war of words": {
        "attackers": [{"character": {**ROOK, "karma": "positive"}, "using": ["hereditary witch"]}, {"bonus": 1}],
        "defender": {"bonus": 6},
        "kind": "war of words",
        "seed": 2,
    },
}
TEAMWORK: dict[str, dict[str, Any]] = {
    "Two bare bonuses, rolled at the table": {
        "members": [{"bonus": 1}, {"bonus": 3}],
        "difficulty": 12,
        "dice": [{"roll": "members.0", "faces": [2, 2]}, {"roll": "members.1", "faces": [4, 3]}],
    },
    "Different aspects on one problem": {
        "members": [
            {"character": ROOK, "using": ["hereditary witch"], "extraordinary": True},
            {"bonus": 2, "advantage": True},
            {"universal": True},
        ],
        "level": "frustrating",
        "spendOn": "success",
        "seed": "the doomsday machine",
        "include": ["factors"],
    },
    "Against somebody": {"members": [{"bonus": 1}, {"bonus": 1}], "opponent": {"bonus": 4}, "ties": "stalemate", "seed": 3},
    "Alone": {"members": [{"bonus": 3}], "difficulty": 10, "seed": 1},
}
INITIATIVE: dict[str, dict[str, Any]] = {
    "An ambush": {
        "combatants": [{"id": "rook", "name": "Rook", "drop": True}, {"id": "guard", "name": "Night guard"}],
        "seed": "the alley",
    },
    "A tie, rolled off at the table": {
        "combatants": [{"id": "a", "name": "Ana"}, {"id": "b", "name": "Bo"}],
        "dice": [
            {"roll": "combatants.0", "faces": [3, 4]},
            {"roll": "combatants.1", "faces": [5, 2]},
            {"roll": "combatants.0.tie1", "faces": [1, 1]},
            {"roll": "combatants.1.tie1", "faces": [6, 6]},
        ],
    },
    "Equals act at the same time": {
        "combatants": [{"id": "a", "name": "Ana", "initiativeBonus": 2}, {"id": "b", "name": "Bo"}, {"id": "c", "name": "Cy"}],
        "ties": "simultaneous",
        "seed": 11,
    },
}
ROUND: dict[str, dict[str, Any]] = {
    "The first round, initiative and all": {
        "combatants": [
            {"id": "rook", "side": "crew", "actor": {"character": ROOK, "using": ["former getaway driver"]}, "drop": True},
            {"id": "guard", "side": "museum", "actor": {"character": GUARD, "using": ["tired night guard"]}},
            {"id": "chief", "side": "museum", "actor": {"bonus": 3}},
        ],
        "orders": [{"by": ["guard", "chief"], "attack": "rook"}, {"by": ["rook"], "attack": "guard"}],
        "seed": "the vault",
    },
    "A later round, in the order rolled before": {
        "combatants": [
            {"id": "rook", "side": "crew", "actor": {"character": {**ROOK, "karma": "positive"}, "spend": "karma"}},
            {"id": "guard", "side": "museum", "actor": {"character": GUARD, "using": ["tired night guard"]}},
        ],
        "order": [["guard"], ["rook"]],
        "round": 2,
        "orders": [{"by": ["rook"], "attack": "guard", "using": ["hereditary witch"]}, {"by": ["guard"], "attack": "rook"}],
        "seed": "the vault, again",
        "include": ["factors"],
    },
    "Words, not blows, and nobody starts": {
        "combatants": [
            {"id": "rook", "side": "crew", "actor": {"character": ROOK}},
            {"id": "clerk", "side": "court", "actor": {"bonus": 2}},
        ],
        "kind": "social",
        "ties": "listed",
        "seed": 5,
    },
}
FIGHT: dict[str, dict[str, Any]] = {
    "Two against two": {
        "combatants": [
            {"id": "rook", "side": "crew", "actor": {"character": ROOK, "using": ["former getaway driver"]}, "drop": True},
            {
                "id": "ivo",
                "side": "crew",
                "actor": {
                    "character": {
                        "name": "Ivo",
                        "aspects": [{"name": "patient locksmith", "bonus": 3}],
                        "survivalAspect": "patient locksmith",
                        "karma": "positive",
                    },
                    "using": ["patient locksmith"],
                    "spend": "karma",
                },
            },
            {"id": "guard", "side": "museum", "actor": {"character": GUARD, "using": ["tired night guard"]}},
            {
                "id": "chief",
                "side": "museum",
                "actor": {
                    "character": {
                        "name": "Chief",
                        "aspects": [{"name": "unbending chief of security", "bonus": 4}],
                        "survivalAspect": "unbending chief of security",
                    },
                    "using": ["unbending chief of security"],
                },
            },
        ],
        "tactics": {"crew": "weakest"},
        "maxRounds": 10,
        "seed": "the vault",
    },
    "Three rounds of a war of words, the order known": {
        "combatants": [
            {"id": "rook", "side": "crew", "actor": {"character": ROOK, "using": ["hereditary witch"]}},
            {"id": "guard", "side": "museum", "actor": {"character": {**GUARD, "named": True}, "using": ["tired night guard"]}},
        ],
        "order": [["guard"], ["rook"]],
        "kind": "war of words",
        "maxRounds": 3,
        "method": "simulation",
        "trials": 1000,
        "seed": 5,
    },
}
KARMA: dict[str, dict[str, Any]] = {
    "A setback freely taken": {"character": ROOK, "grant": "positive"},
    "Old luck paid back": {"character": {**ROOK, "karma": "negative"}, "grant": "positive"},
    "Never more than one": {"character": {**ROOK, "karma": "negative"}, "grant": "negative"},
}
COMPLICATION: dict[str, dict[str, Any]] = {
    "Wanted in three states": {"character": {**ROOK, "complication": "wanted in three states"}},
    "One is held already": {"character": {**ROOK, "heldAdvantage": True}},
}
RECOVERY: dict[str, dict[str, Any]] = {
    "Half an hour for both pools": {
        "character": {**ROOK, "health": {"current": 1, "max": 4}, "weird": {"current": 0, "max": 2}},
        "rest": "halfHour",
    },
    "Only for health, rounded down": {
        "character": {**ROOK, "health": {"current": 1, "max": 4}, "weird": {"current": 0, "max": 2}},
        "rest": "halfHour",
        "pools": ["health"],
        "rounding": "down",
    },
    "A night, but the weird is held back": {
        "character": {
            **ROOK,
            "health": {"current": 0, "max": 4},
            "weird": {"current": 0, "max": 2},
            "out": True,
            "rested": {"health": True, "weird": True},
        },
        "rest": "night",
        "blocked": ["weird"],
    },
}
IMPROVE: dict[str, dict[str, Any]] = {
    "A weird aspect, rolled at the table": {
        "character": ROOK,
        "aspect": "hereditary witch",
        "fictionLevel": "heroic",
        "dice": [{"roll": "character", "faces": [6, 6]}],
    },
    "At the maximum": {"character": ROOK, "aspect": "former getaway driver", "fictionLevel": "elite"},
    "Four dice from a seed": {"character": ROOK, "aspect": "former getaway driver", "fictionLevel": "mythic", "seed": 9},
}
LEARN: dict[str, dict[str, Any]] = {
    "Something similar is known": {
        "character": ROOK,
        "aspect": {"name": "safecracker", "expertise": ["listening to locks"]},
        "similarTo": "hereditary witch",
        "fictionLevel": "heroic",
        "seed": "after hours",
    },
    "A first weird aspect, with nothing like it": {
        "character": GUARD,
        "aspect": {"name": "reluctant medium", "weird": True},
        "fictionLevel": "exceptional",
        "dice": [{"roll": "character", "faces": [6]}],
    },
}
CHARACTER: dict[str, dict[str, Any]] = {
    "Fit for an elite game, with bonuses to spare": {"character": ROOK, "fictionLevel": "elite"},
    "Too much for a mundane one": {"character": ROOK, "fictionLevel": "mundane"},
    "A lone aspect": {"character": GUARD, "fictionLevel": "mundane"},
}
