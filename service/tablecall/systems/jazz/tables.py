"""The tables of Jazz: difficulties, weird effects, fiction levels."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, NamedTuple

import orjson


class WeirdEffect(NamedTuple):
    """Something a weird aspect can do, and its difficulty (jazz.difficulty.weird)."""

    id: str
    category: str
    scale: str
    difficulty: int
    text: str


class FictionLevel(NamedTuple):
    """How powerful characters are: the total of all bonuses, and the maximum of one (jazz.fiction.levels)."""

    total: int
    maximum: int


TABLES: dict[str, list[dict[str, Any]]] = orjson.loads(files("tablecall.systems.jazz").joinpath("tables.json").read_bytes())
"""Every table as published, by name."""

# jazz.difficulty.table
DIFFICULTIES: dict[str, int] = {row["level"]: row["difficulty"] for row in TABLES["difficulties"]}

# jazz.difficulty.weird: by category, weakest first within each.
EFFECT_BY_ID: dict[str, WeirdEffect] = {row["id"]: WeirdEffect(**row) for row in TABLES["weirdEffects"]}

FictionLevelName = Literal["mundane", "exceptional", "elite", "heroic", "legendary", "mythic"]

# jazz.fiction.levels
FICTION_LEVELS: dict[str, FictionLevel] = {
    row["level"]: FictionLevel(row["totalBonuses"], row["maximumBonus"]) for row in TABLES["fictionLevels"]
}
