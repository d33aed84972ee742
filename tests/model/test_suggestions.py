"""Suggestions for unknown names."""

from __future__ import annotations

import pytest

from tablecall.model.suggestions import FEW, nearest, suggestion

FIELDS = ("actor", "difficulty", "difficultyIncrease", "targetNumber", "rescue", "rescueBy", "weird")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("dificulty", "difficulty"),
        ("Actor", "actor"),
        ("wierd", "weird"),
        ("target_number", "targetNumber"),
        ("TARGET-NUMBER", "targetNumber"),
        ("rescue_by", "rescueBy"),
        # the first with the same start
        ("dif", "difficulty"),
        ("tar", "targetNumber"),
    ],
)
def test_similar_spelling_or_same_start(name: str, near: str) -> None:
    assert nearest(name, FIELDS) == near


@pytest.mark.parametrize("name", ["", "ta", "xyzzy", "bonus", "_" * 64, "difficulty" * 7])
def test_other_names_are_not_similar(name: str) -> None:
    assert nearest(name, FIELDS) is None


def test_long_names_are_not_compared() -> None:
    assert nearest("n" * 64, ["n" * 63]) == "n" * 63
    assert nearest("n" * 65, ["n" * 63]) is None


@pytest.mark.parametrize(
    ("name", "names", "text"),
    [
        ("dificulty", FIELDS, "; did you mean `difficulty`?"),
        ("xyzzy", FIELDS, ""),
        ("xyzzy", FIELDS[:FEW], "; there are actor, difficulty, difficultyIncrease, targetNumber, rescue, rescueBy"),
        ("xyzzy", ("actor",), "; there is actor"),
        ("xyzzy", (), ""),
    ],
)
def test_suggestion_names_the_similar_name_or_all_of_few(name: str, names: tuple[str, ...], text: str) -> None:
    assert suggestion(name, names) == text


def test_number_of_few_may_be_given() -> None:
    assert suggestion("xyzzy", FIELDS, len(FIELDS)).endswith("rescueBy, weird")
