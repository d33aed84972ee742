"""The tables of Jazz: difficulties, weird effects, fiction levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class WeirdEffect:
    """Something a weird aspect can do, and its difficulty (jazz.difficulty.weird)."""

    id: str
    category: str
    scale: str
    difficulty: int
    text: str


@dataclass(frozen=True, slots=True)
class FictionLevel:
    """How powerful characters are: the total of all bonuses, and the maximum of one (jazz.fiction.levels)."""

    name: str
    total: int
    maximum: int


# jazz.difficulty.table
DIFFICULTIES: dict[str, int] = {"easy": 8, "challenging": 10, "demanding": 12, "frustrating": 14, "nigh-impossible": 16}

_EXAMPLES: dict[str, str] = {
    "easy": "Repair a bicycle or a pulley; find your way around an unfamiliar phone.",
    "challenging": "Work out a car's electronics and rewire them; pilot a prototype years ahead of its day.",
    "demanding": "Draw up and build a motor from scratch; take that prototype apart and make it do something else.",
    "frustrating": "Build a prototype years ahead of its day; fly a captured starship of unknown make.",
    "nigh-impossible": "Grasp how that starship's engine works and change what it does.",
}

# jazz.difficulty.weird: by category, weakest first within each.
WEIRD_EFFECTS: tuple[WeirdEffect, ...] = (
    WeirdEffect("teleport.individual.nearby", "teleport", "one person, a few metres", 8, "Blink one person to the far side of a room."),
    WeirdEffect("teleport.individual.acrossTown", "teleport", "one person, across town", 10, "Move one person to another district."),
    WeirdEffect("teleport.individual.acrossWorld", "teleport", "one person, any continent", 12, "Move one person to the antipodes."),
    WeirdEffect("teleport.individual.otherWorld", "teleport", "one person, another world", 14, "Send one person to a far planet or plane."),
    WeirdEffect("teleport.group.nearby", "teleport", "a group, a few metres", 10, "Blink the whole party past a locked gate."),
    WeirdEffect("teleport.group.acrossTown", "teleport", "a group, across town", 12, "Move the whole party to another district."),
    WeirdEffect("teleport.group.acrossWorld", "teleport", "a group, any continent", 14, "Move the whole party to the antipodes."),
    WeirdEffect("teleport.group.otherWorld", "teleport", "a group, another world", 16, "Send the whole party to a far planet or plane."),
    WeirdEffect("hint.problem", "information", "a hint, one problem", 8, "Learn where to begin with a problem."),
    WeirdEffect("clue.problem", "information", "a clue, one problem", 10, "Learn something that really helps with a problem."),
    WeirdEffect("answer.question", "information", "an answer, one plain question", 12, "Ask something simple and be told outright."),
    WeirdEffect("clue.mystery", "information", "a clue, a tangled mystery", 14, "Learn something that really helps with a mystery."),
    WeirdEffect("answer.mystery", "information", "an answer, a tangled mystery", 16, "Be told in plain words what lies behind a mystery."),
    WeirdEffect("device.appearance", "object", "one thing, its looks", 8, "Recolour, clean or restyle a thing that still works as before."),
    WeirdEffect("device.control", "object", "one thing, its workings", 10, "Run, open, break or fix it: a lock, a crane, a dead engine."),
    WeirdEffect("structure.control", "object", "a building, its workings", 12, "Black out a building, or speak from all its screens."),
    WeirdEffect("environment.local.minor", "environment", "close by, hardly noticed", 8, "Nudge weather or terrain so that few notice."),
    WeirdEffect("environment.local.plausible", "environment", "close by, in season", 10, "Bring on what the place might have had anyway."),
    WeirdEffect("environment.local.substantial", "environment", "a district, large", 12, "Change its weather or terrain in a big way."),
    WeirdEffect("environment.local.drastic", "environment", "a district, unnatural", 14, "Remake a district against all nature."),
    WeirdEffect("environment.wide.substantial", "environment", "a city or coast, large", 14, "Change a whole city or coast in a big way."),
    WeirdEffect("animal.command", "animal", "a friendly animal", 8, "Calm a friendly animal, or have it do as you say."),
    WeirdEffect("animal.befriend", "animal", "any one animal", 10, "Make a friend of an animal, so that it trusts you."),
    WeirdEffect("crowd.manipulate", "people", "a band of nameless people", 12, "Fool some guards, or turn a street crowd to your purpose."),
    WeirdEffect("create.familiar", "creation", "a little companion", 12, "Call up a small creature that stays true to you."),
    WeirdEffect("create.protector", "creation", "a fierce beast", 14, "Call up a savage beast to guard you."),
    WeirdEffect("create.servant", "creation", "a mindless worker", 14, "Make a thing without a mind that does what it is told."),
    WeirdEffect("create.being", "creation", "a free living mind", 16, "Make a living, thinking person who goes their own way."),
    WeirdEffect("restoreHealth.one", "restoreHealth", "unconscious", 8, "Give someone unconscious one health, so that they come round."),
    WeirdEffect("restoreHealth.half", "restoreHealth", "as much as half the pool", 10, "Heal someone halfway, or by less."),
    WeirdEffect("restoreHealth.full", "restoreHealth", "the whole pool", 12, "Heal someone completely."),
    WeirdEffect("restoreHealth.dying", "restoreHealth", "dying, or only just dead", 14, "Pull someone from the brink with one health."),
    WeirdEffect("restoreHealth.dead", "restoreHealth", "dead", 16, "Call someone back from the dead with one health."),
)

EFFECT_BY_ID: dict[str, WeirdEffect] = {effect.id: effect for effect in WEIRD_EFFECTS}

FictionLevelName = Literal["mundane", "exceptional", "elite", "heroic", "legendary", "mythic"]

# jazz.fiction.levels
FICTION_LEVELS: dict[str, FictionLevel] = {
    level.name: level
    for level in (
        FictionLevel("mundane", 4, 2),
        FictionLevel("exceptional", 6, 3),
        FictionLevel("elite", 8, 4),
        FictionLevel("heroic", 10, 5),
        FictionLevel("legendary", 12, 6),
        FictionLevel("mythic", 14, 7),
    )
}


def tables() -> dict[str, list[dict[str, object]]]:
    """Every table as JSON-ready rows, by its published name. Each call returns a new copy."""
    return {
        "difficulties": [
            {"level": level, "difficulty": difficulty, "text": _EXAMPLES[level]} for level, difficulty in DIFFICULTIES.items()
        ],
        "weirdEffects": [
            {"id": row.id, "category": row.category, "scale": row.scale, "difficulty": row.difficulty, "text": row.text}
            for row in WEIRD_EFFECTS
        ],
        "fictionLevels": [
            {"level": level.name, "totalBonuses": level.total, "maximumBonus": level.maximum} for level in FICTION_LEVELS.values()
        ],
    }
