"""darkpages.check.target, darkpages.damage.traits, darkpages.damage.penalties: the published tables."""

from __future__ import annotations

from typing import get_args

from tablecall.systems.darkpages.initiation import Factor
from tablecall.systems.darkpages.recovery import When
from tablecall.systems.darkpages.sheet import read_modifier
from tablecall.systems.darkpages.tables import PENALTIES, STATES, TABLES, TRAITS


def test_target_numbers() -> None:
    rows = TABLES["targetNumbers"]
    assert [(row["level"], row["targetNumber"], row["orMore"], row["step"]) for row in rows] == [
        ("easy", 5, False, 5),
        ("extremely difficult", 25, True, 5),
    ]
    assert [row["text"] for row in rows] == [
        "Within a beginner's reach; each step up or down is 5, about one die.",
        "The far end of the scale, which has no upper limit. An expert mostly manages what is just below it.",
    ]


def test_damage_traits() -> None:
    assert TABLES["damageTraits"] == [
        {"attribute": "body", "trait": "health", "traumas": ["injury", "illness"]},
        {"attribute": "mind", "trait": "sanity", "traumas": ["stress", "fatigue"]},
        {"attribute": "soul", "trait": "aura", "traumas": ["corruption"]},
    ]


def test_damage_states() -> None:
    rows = TABLES["damageStates"]
    assert [(row["state"], row["roll"], row["keep"]) for row in rows] == [
        ("unhurt", 0, 0),
        ("defeated", 0, 0),
        ("diminished", -1, 0),
        ("damaged", -1, -1),
        ("destroyed", -1, -1),
    ]
    assert all(str(row["text"]).endswith(".") for row in rows)
    assert STATES == ("unhurt", "diminished", "damaged", "destroyed")
    assert set(PENALTIES) == {*STATES, "defeated"}


def test_modifier_examples_are_what_they_say() -> None:
    """darkpages.modifiers.notation"""
    assert [tuple(read_modifier(row["modifier"])) for row in TABLES["modifiers"]] == [
        (row["roll"], row["keep"]) for row in TABLES["modifiers"]
    ]


def test_tables_name_every_factor_and_moment() -> None:
    """darkpages.iiee.order, darkpages.recovery.conflictEnd, darkpages.attributes"""
    assert [row["factor"] for row in TABLES["initiation"]] == list(get_args(Factor))
    assert {row["when"] for row in TABLES["recovery"]} == set(get_args(When))
    assert [(row["attribute"], row["trait"]) for row in TABLES["attributes"]] == list(TRAITS.items())
