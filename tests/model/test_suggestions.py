"""What was nearly meant: which name is near, and how a refusal says so."""

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
        # Begun the same: the first of them.
        ("dif", "difficulty"),
        ("tar", "targetNumber"),
    ],
)
def test_a_name_is_near_that_is_spelt_or_begun_nearly_the_same(name: str, near: str) -> None:
    assert nearest(name, FIELDS) == near


@pytest.mark.parametrize("name", ["", "ta", "xyzzy", "bonus", "_" * 64, "difficulty" * 7])
def test_nothing_else_is_near(name: str) -> None:
    assert nearest(name, FIELDS) is None


def test_what_is_longer_than_any_name_is_not_compared() -> None:
    assert nearest("n" * 64, ["n" * 63]) == "n" * 63
    assert nearest("n" * 65, ["n" * 63]) is None


@pytest.mark.parametrize(
    ("name", "names", "said"),
    [
        ("dificulty", FIELDS, "; did you mean `difficulty`?"),
        ("xyzzy", FIELDS, ""),
        ("xyzzy", FIELDS[:FEW], "; there are actor, difficulty, difficultyIncrease, targetNumber, rescue, rescueBy"),
        ("xyzzy", ("actor",), "; there is actor"),
        ("xyzzy", (), ""),
    ],
)
def test_a_refusal_says_which_is_meant_or_what_few_there_are(name: str, names: tuple[str, ...], said: str) -> None:
    assert suggestion(name, names) == said


def test_as_many_are_few_as_is_said() -> None:
    assert suggestion("xyzzy", FIELDS, len(FIELDS)).endswith("rescueBy, weird")
