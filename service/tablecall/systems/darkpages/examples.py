"""Examples of every darkpages action, by name. Each is a complete request that succeeds."""

from __future__ import annotations

from typing import Any

Examples = dict[str, dict[str, Any]]

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

VESPER: dict[str, Any] = {
    "id": "hero-2",
    "name": "Vesper",
    "archetype": "Mystic",
    "attributes": {
        "body": {"roll": 3, "keep": 2, "rating": "Limited"},
        "mind": {"roll": 4, "keep": 3, "rating": "Secondary"},
        "soul": {"roll": 6, "keep": 3, "rating": "Primary"},
    },
    "lethal": "aura",
}

THUG: dict[str, Any] = {"pool": {"roll": 5, "keep": 2}, "npc": True}

CHECK: Examples = {
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

DAMAGE: Examples = {
    "Defeated, unless the player risks it": {
        "target": {"character": NYX},
        "trauma": "injury",
        "against": 25,
        "opposed": True,
        "dice": [{"roll": "target", "faces": [5, 5, 0, 1, 0]}],
        "seed": "shotgun",
        "include": ["factors", "options"],
    },
    "Risking the next state": {
        "target": {"character": NYX | {"damage": {"health": "diminished"}}},
        "trauma": "injury",
        "against": 25,
        "onHarm": "risk",
        "seed": "again",
    },
    "A fall, against the Target Number that was missed": {
        "target": {"character": VESPER, "modifiers": ["-1/0"]},
        "trauma": "injury",
        "against": 15,
        "opposed": False,
        "seed": "the roof",
    },
}

ATTACK: Examples = {
    "A hero attacks a thug": {
        "attacker": {"character": NYX, "attribute": "body"},
        "defender": THUG,
        "trauma": "injury",
        "goal": "I want to put him on the floor",
        "seed": "alley",
        "include": ["factors", "options"],
    },
    "A thug attacks a hero who would rather stay up": {
        "attacker": {"pool": {"roll": 8, "keep": 4}, "npc": True},
        "defender": {"character": NYX, "attribute": "body"},
        "trauma": "injury",
        "onHarm": "risk",
        "seed": 7,
    },
    "A curse, opposed with the Mind, resisted with the Soul": {
        "attacker": {"character": VESPER, "attribute": "soul", "keep": "mostZerosThatSucceed"},
        "defender": {"character": NYX},
        "trauma": "corruption",
        "resistWith": "mind",
        "seed": "hex",
    },
}

TEAMWORK: Examples = {
    "Two heroes lift a gate": {
        "members": [{"character": NYX, "attribute": "body"}, {"character": VESPER, "attribute": "body"}],
        "targetNumber": 20,
        "seed": "gate",
        "include": ["options"],
    },
    "Led by the weaker one, who chooses whom the zeros teach": {
        "members": [
            {"character": NYX, "attribute": "soul", "keep": "mostZeros"},
            {"character": VESPER, "attribute": "soul"},
            {"pool": {"roll": 3, "keep": 1}, "archetype": "Scholar"},
        ],
        "leader": 0,
        "awards": [2, 1],
        "opponent": {"pool": {"roll": 4, "keep": 2}, "npc": True},
        "dice": [{"roll": "members.0", "faces": [0, 0, 9]}],
        "seed": "seance",
    },
}

DEFEND: Examples = {
    "A hero steps in front of a bystander": {
        "attacker": {"pool": {"roll": 6, "keep": 3}, "npc": True},
        "defender": {"character": NYX, "attribute": "body"},
        "ward": {"pool": {"roll": 2, "keep": 1}, "npc": True},
        "trauma": "injury",
        "seed": "bystander",
        "include": ["options"],
    },
    "The first attack stands for the second check": {
        "attacker": THUG,
        "defender": {"character": NYX, "attribute": "body"},
        "ward": {"character": VESPER, "attribute": "body"},
        "trauma": "injury",
        "reuseAttack": True,
        "onHarm": "risk",
        "seed": "shield",
    },
}

SWARM: Examples = {
    "Everyone searches the ruins": {
        "members": [{"character": NYX, "attribute": "mind"}, {"character": VESPER, "attribute": "mind"}, {"pool": {"roll": 2, "keep": 1}}],
        "use": "highest",
        "targetNumber": 15,
        "seed": "ruins",
    },
    "Everyone sneaks past a guard": {
        "members": [{"character": NYX, "attribute": "body"}, {"character": VESPER, "attribute": "body"}],
        "use": "lowest",
        "opponent": {"pool": {"roll": 3, "keep": 1}, "npc": True},
        "seed": "warehouse",
    },
}

NO_MERCY: Examples = {
    "Nobody stands in the way": {
        "attacker": {"pool": {"roll": 4, "keep": 2}, "npc": True},
        "victim": NYX | {"defeated": True},
        "trauma": "injury",
        "seed": "the end",
    },
    "A friend comes to the rescue": {
        "attacker": {"pool": {"roll": 4, "keep": 2}, "npc": True},
        "victim": NYX | {"defeated": True},
        "trauma": "illness",
        "rescuer": {"character": VESPER, "attribute": "soul"},
        "seed": "not today",
    },
}

RECOVERY: Examples = {
    "The conflict is over": {"character": NYX | {"defeated": True}, "when": "conflictEnd", "seed": 1},
    "A respite": {"character": NYX | {"damage": {"health": "diminished", "sanity": "damaged"}}, "when": "respite", "seed": 1},
    "The session ends, and a Scar stays": {
        "character": NYX | {"damage": {"health": "destroyed"}},
        "when": "sessionEnd",
        "scar": {"attribute": "mind", "modifier": "-1/0", "condition": "judging distances"},
        "seed": 1,
    },
    "The next session starts": {
        "character": NYX | {"damage": {"sanity": "damaged"}, "overflow": {"sanity": 2}},
        "when": "sessionStart",
        "seed": 1,
    },
}

TRAINING: Examples = {
    "Zeros were kept": {
        "ledger": [{"archetype": "Warrior", "points": 5}],
        "award": {"archetype": "Mystic", "points": 2},
        "seed": 1,
    },
    "A power is learned when the session has ended": {
        "ledger": [{"archetype": "Warrior", "points": 5}, {"archetype": "Mystic", "points": 2}],
        "spend": {"archetype": "Warrior", "cost": 3, "power": "night sight"},
        "sessionEnded": True,
        "seed": 1,
    },
}

INITIATION: Examples = {
    "The nearest acts first": {
        "participants": [
            {"id": "a", "name": "Nyx", "proximity": 1, "drama": 2},
            {"id": "b", "name": "Vesper", "proximity": 3},
            {"id": "c", "proximity": 1, "drama": 2},
        ],
        "seed": 1,
    },
    "The better scene comes first": {
        "participants": [{"id": "a", "proximity": 3}, {"id": "b", "drama": 9}],
        "weigh": ["drama", "proximity", "ease"],
        "seed": 1,
    },
}

CHARACTER: Examples = {
    "A sheet with nothing to say against it": {"character": NYX, "seed": 1},
    "A sheet that cannot be": {"character": NYX | {"damage": {"sanity": "destroyed"}, "overflow": {"aura": 1}}, "seed": 1},
}
