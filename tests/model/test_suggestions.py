"""Suggestions for unknown names."""

from __future__ import annotations

import pytest

from tablecall.model.suggestions import nearest

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
