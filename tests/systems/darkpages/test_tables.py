"""darkpages.check.target, darkpages.damage.traits, darkpages.damage.penalties: the tables as published."""

from __future__ import annotations

import json

from tablecall.systems.darkpages.tables import PENALTIES, STATES, TRAITS, TRAUMAS, tables


def test_each_trauma_strikes_one_attribute_and_each_attribute_has_one_trait() -> None:
    assert TRAUMAS == {"injury": "body", "illness": "body", "stress": "mind", "fatigue": "mind", "corruption": "soul"}
    assert TRAITS == {"body": "health", "mind": "sanity", "soul": "aura"}
    assert set(TRAUMAS.values()) == set(TRAITS)


def test_the_states_in_order_with_their_penalties() -> None:
    assert [(state, PENALTIES[state]) for state in STATES] == [
        ("unhurt", (0, 0)),
        ("diminished", (-1, 0)),
        ("damaged", (-1, -1)),
        ("destroyed", (-1, -1)),
    ]
    assert set(PENALTIES) == set(STATES)


def test_the_target_numbers_are_the_two_the_book_names() -> None:
    easy = "Within a beginner's reach; each step up or down is 5."
    hard = "The far end of the scale, which has no upper limit."
    assert tables()["targetNumbers"] == [
        {"level": "easy", "targetNumber": 5, "orMore": False, "step": 5, "text": easy},
        {"level": "extremely difficult", "targetNumber": 25, "orMore": True, "step": 5, "text": hard},
    ]


def test_the_damage_traits_as_published() -> None:
    assert tables()["damageTraits"] == [
        {"attribute": "body", "trait": "health", "traumas": ["injury", "illness"]},
        {"attribute": "mind", "trait": "sanity", "traumas": ["stress", "fatigue"]},
        {"attribute": "soul", "trait": "aura", "traumas": ["corruption"]},
    ]


def test_the_damage_states_as_published() -> None:
    rows = tables()["damageStates"]
    assert [(row["state"], row["roll"], row["keep"]) for row in rows] == [(state, *PENALTIES[state]) for state in STATES]
    assert all(str(row["text"]).endswith(".") for row in rows)


def test_the_published_tables_are_plain_json() -> None:
    published = tables()
    assert list(published) == ["targetNumbers", "damageTraits", "damageStates"]
    assert json.loads(json.dumps(published)) == published


def test_changing_what_was_published_changes_no_table() -> None:
    tables()["damageStates"].clear()
    assert len(tables()["damageStates"]) == len(STATES)
