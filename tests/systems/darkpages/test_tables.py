"""darkpages.check.target, darkpages.damage.traits, darkpages.damage.penalties: the published tables."""

from __future__ import annotations

from tablecall.systems.darkpages.tables import PENALTIES, STATES, TABLES


def test_target_numbers() -> None:
    rows = TABLES["targetNumbers"]
    assert [(row["level"], row["targetNumber"], row["orMore"], row["step"]) for row in rows] == [
        ("easy", 5, False, 5),
        ("extremely difficult", 25, True, 5),
    ]
    assert [row["text"] for row in rows] == [
        "Within a beginner's reach; each step up or down is 5.",
        "The far end of the scale, which has no upper limit.",
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
        ("diminished", -1, 0),
        ("damaged", -1, -1),
        ("destroyed", -1, -1),
    ]
    assert all(str(row["text"]).endswith(".") for row in rows)
    assert list(PENALTIES) == list(STATES)
