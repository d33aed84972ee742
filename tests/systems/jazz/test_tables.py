"""jazz.difficulty.table, jazz.difficulty.weird, jazz.fiction.levels: the tables as published."""

from __future__ import annotations

import json
import re

import pytest

from tablecall.systems.jazz.tables import DIFFICULTIES, EFFECT_BY_ID, FICTION_LEVELS, WEIRD_EFFECTS, WeirdEffect, tables


def test_the_five_difficulties_climb_in_twos() -> None:
    assert list(DIFFICULTIES.items()) == [("easy", 8), ("challenging", 10), ("demanding", 12), ("frustrating", 14), ("nigh-impossible", 16)]


def test_every_effect_has_its_own_id_and_is_found_by_it() -> None:
    assert list(EFFECT_BY_ID.values()) == list(WEIRD_EFFECTS)
    assert len({effect.text for effect in WEIRD_EFFECTS}) == len(WEIRD_EFFECTS)


@pytest.mark.parametrize("effect", WEIRD_EFFECTS, ids=lambda effect: str(effect.id))
def test_an_effect_is_complete_and_costs_a_difficulty_of_the_table(effect: WeirdEffect) -> None:
    assert re.fullmatch(r"[a-zA-Z]+(\.[a-zA-Z]+)*", effect.id)
    assert effect.difficulty in DIFFICULTIES.values()
    assert all([effect.category, effect.scale, effect.text])


def test_each_difficulty_has_the_effects_the_book_gives_it() -> None:
    counts = {difficulty: sum(effect.difficulty == difficulty for effect in WEIRD_EFFECTS) for difficulty in DIFFICULTIES.values()}
    assert counts == {8: 6, 10: 7, 12: 8, 14: 8, 16: 4}


@pytest.mark.parametrize(
    ("effect", "difficulty"),
    [
        ("restoreHealth.one", 8),
        ("restoreHealth.half", 10),
        ("restoreHealth.full", 12),
        ("restoreHealth.dying", 14),
        ("restoreHealth.dead", 16),
        ("teleport.individual.nearby", 8),
        ("teleport.individual.otherWorld", 14),
        ("teleport.group.nearby", 10),
        ("teleport.group.otherWorld", 16),
        ("hint.problem", 8),
        ("answer.question", 12),
        ("answer.mystery", 16),
        ("create.being", 16),
    ],
)
def test_what_an_effect_costs(effect: str, difficulty: int) -> None:
    assert EFFECT_BY_ID[effect].difficulty == difficulty


@pytest.mark.parametrize("reach", ["nearby", "acrossTown", "acrossWorld", "otherWorld"])
def test_taking_a_group_along_costs_two_more(reach: str) -> None:
    alone, together = (EFFECT_BY_ID[f"teleport.individual.{reach}"], EFFECT_BY_ID[f"teleport.group.{reach}"])
    assert together.difficulty == alone.difficulty + 2


def test_the_fiction_levels() -> None:
    assert [(name, level.name, level.total, level.maximum) for name, level in FICTION_LEVELS.items()] == [
        ("mundane", "mundane", 4, 2),
        ("exceptional", "exceptional", 6, 3),
        ("elite", "elite", 8, 4),
        ("heroic", "heroic", 10, 5),
        ("legendary", "legendary", 12, 6),
        ("mythic", "mythic", 14, 7),
    ]


def test_the_published_tables_are_plain_json() -> None:
    published = tables()
    assert json.loads(json.dumps(published)) == published
    assert [row["level"] for row in published["difficulties"]] == list(DIFFICULTIES)
    assert [row["id"] for row in published["weirdEffects"]] == list(EFFECT_BY_ID)
    assert {"level": "easy", "difficulty": 8}.items() <= published["difficulties"][0].items()
    reviving = {
        "id": "restoreHealth.one",
        "category": "restoreHealth",
        "scale": "unconscious",
        "difficulty": 8,
        "text": "Give someone unconscious one health, so that they come round.",
    }
    assert reviving in published["weirdEffects"]
    assert published["fictionLevels"][0] == {"level": "mundane", "totalBonuses": 4, "maximumBonus": 2}
    assert all(row["text"] for name in ("difficulties", "weirdEffects") for row in published[name])


def test_changing_what_was_published_changes_no_table() -> None:
    tables()["difficulties"].clear()
    assert len(tables()["difficulties"]) == len(DIFFICULTIES)
