"""jazz.difficulty.table, jazz.difficulty.weird, jazz.fiction.levels: the published tables."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tablecall.systems.jazz.character import JazzCharacterCheck
from tablecall.systems.jazz.sheet import JazzCharacter, JazzDraft
from tablecall.systems.jazz.tables import DIFFICULTIES, EFFECT_BY_ID, FICTION_LEVELS, TABLES
from tests.systems.jazz.playing import play


def test_difficulties() -> None:
    assert list(DIFFICULTIES.items()) == [("easy", 8), ("challenging", 10), ("demanding", 12), ("frustrating", 14), ("nigh-impossible", 16)]


def test_fiction_levels() -> None:
    levels = [(name, level.total, level.maximum) for name, level in FICTION_LEVELS.items()]
    names = ["mundane", "exceptional", "elite", "heroic", "legendary", "mythic"]
    assert levels == [(name, total, total // 2) for name, total in zip(names, range(4, 15, 2), strict=True)]


def test_weird_effects_are_complete() -> None:
    assert len({effect.text for effect in EFFECT_BY_ID.values()}) == len(EFFECT_BY_ID) == 33
    for effect in EFFECT_BY_ID.values():
        assert re.fullmatch(r"[a-zA-Z]+(\.[a-zA-Z]+)*", effect.id)
        assert all([effect.category, effect.scale, effect.text])


def test_number_of_weird_effects_by_difficulty() -> None:
    counts = Counter(effect.difficulty for effect in EFFECT_BY_ID.values())
    assert counts == {8: 6, 10: 7, 12: 8, 14: 8, 16: 4}


@pytest.mark.parametrize(
    ("effects", "difficulties"),
    [
        ([f"restoreHealth.{row}" for row in ("one", "half", "full", "dying", "dead")], [8, 10, 12, 14, 16]),
        ([f"teleport.individual.{reach}" for reach in ("nearby", "acrossTown", "acrossWorld", "otherWorld")], [8, 10, 12, 14]),
        # taking a group along costs two more
        ([f"teleport.group.{reach}" for reach in ("nearby", "acrossTown", "acrossWorld", "otherWorld")], [10, 12, 14, 16]),
        (["hint.problem", "answer.question", "answer.mystery", "create.being"], [8, 12, 16, 16]),
    ],
)
def test_difficulty_of_a_weird_effect(effects: list[str], difficulties: list[int]) -> None:
    assert [EFFECT_BY_ID[effect].difficulty for effect in effects] == difficulties


def test_published_tables() -> None:
    assert [row["level"] for row in TABLES["difficulties"]] == list(DIFFICULTIES)
    assert [row["id"] for row in TABLES["weirdEffects"]] == list(EFFECT_BY_ID)
    assert {"level": "easy", "difficulty": 8}.items() <= TABLES["difficulties"][0].items()
    first = {"id": "teleport.individual.nearby", "category": "teleport", "scale": "one person, a few metres", "difficulty": 8}
    assert first.items() <= TABLES["weirdEffects"][0].items()
    assert TABLES["fictionLevels"][0] == {"level": "mundane", "totalBonuses": 4, "maximumBonus": 2}
    assert all(row["text"] for name in ("difficulties", "weirdEffects") for row in TABLES[name])


def test_example_characters_of_the_tables_are_sheets() -> None:
    assert len(TABLES["aspects"]) == 12
    kinds = {row["kind"] for row in TABLES["aspectKinds"]}
    for row in TABLES["aspects"]:
        assert row["kind"] in kinds
        # jazz.aspects.expertise: one phrase per point of the bonus
        assert len(row["expertise"]) == row["bonus"]
    for row in TABLES["unnamed"]:
        sheet = JazzCharacter.model_validate(row["character"])
        assert not sheet.named


def test_gear_of_the_tables_can_be_sent() -> None:
    for row in TABLES["unusualEquipment"]:
        assert play("check", actor={"bonus": 1, "gear": row["gear"]}, difficulty=8, seed="1")["outcome"] in {"success", "failure"}


def test_every_step_of_creation_names_a_field_of_the_check() -> None:
    names = {field.alias for field in (*JazzCharacterCheck.model_fields.values(), *JazzDraft.model_fields.values())}
    for number, row in enumerate(TABLES["creation"], 1):
        assert (row["step"], row["field"].partition(".")[0] in names) == (number, True)


def test_recovery_at_a_glance() -> None:
    rows = [(row["rest"], row["pool"], row["rounding"]) for row in TABLES["recovery"]]
    assert rows == [("halfHour", "health", "up"), ("halfHour", "weird", "up"), ("night", "health", None), ("night", "weird", None)]
