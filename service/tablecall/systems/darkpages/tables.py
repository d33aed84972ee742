"""The tables of darkpages as published, and what the rules read from them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import orjson

from tablecall.systems.darkpages.sheet import Attribute, PoolChange

TABLES: dict[str, list[dict[str, Any]]] = orjson.loads(files("tablecall.systems.darkpages").joinpath("tables.json").read_bytes())
"""Every table as published, by name. Of the Target Numbers the book names only the ends of the scale and the size of a step."""

# darkpages.damage.traits: the Attribute each Trauma attacks, and the Damage Trait of each Attribute.
TRAUMAS: dict[str, Attribute] = {trauma: row["attribute"] for row in TABLES["damageTraits"] for trauma in row["traumas"]}
TRAITS: dict[str, str] = {row["attribute"]: row["trait"] for row in TABLES["damageTraits"]}

# darkpages.damage.steps: from best to worst. Defeated is no step: it stands beside the states of the traits.
STATES: tuple[str, ...] = tuple(row["state"] for row in TABLES["damageStates"] if row["state"] != "defeated")

# darkpages.damage.penalties. The book gives no penalty for Destroyed; it keeps Damaged's.
PENALTIES: dict[str, PoolChange] = {row["state"]: PoolChange(row["roll"], row["keep"]) for row in TABLES["damageStates"]}
