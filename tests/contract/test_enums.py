"""Named enumerations: which fields have one, its name, and the meaning of its words."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel

from tablecall.contract import enums, json_schema
from tablecall.graphql import types
from tablecall.model.base import Body


class Choosing(BaseModel):
    how: Literal["slow", "noRush"] | None = None
    hows: list[Literal["slow", "noRush"]] = []
    choosing: Literal["a", "b"] = "a"
    bare: str = ""
    one: Literal["a"] = "a"


class ChoosingMore(Choosing):
    pass


@pytest.mark.parametrize(("field", "words"), [("how", ("slow", "noRush")), ("hows", ("slow", "noRush")), ("bare", ()), ("one", ())])
def test_words_of_a_field(field: str, words: tuple[str, ...]) -> None:
    """Also in a list and next to null; plain text and a single word are no enumeration."""
    assert enums.words(Choosing.model_fields[field].annotation) == words


def test_name_comes_from_the_class_that_declares_the_field() -> None:
    assert enums.name_of(ChoosingMore, "how") == enums.name_of(Choosing, "how") == "ChoosingHow"
    assert enums.name_of(Choosing, "choosing") == "Choosing"
    assert enums.name_of(Body, "include") == "BodyInclude"


def test_meaning_is_the_clause_that_mentions_the_word() -> None:
    text = "How long. `once`: the second result stands. `clear`: again until none of these faces shows."
    assert enums.meaning(text, "once") == "The second result stands."
    assert enums.meaning(text, "clear") == "Again until none of these faces shows."
    assert enums.meaning(text, "never", ("once", "clear")) == "Never: the ordinary case."


def test_meaning_without_a_clause_answers_the_description() -> None:
    assert enums.meaning("Who has an equal total. Say who.", "theOpponent") == "The opponent: who has an equal total."


def test_field_without_a_description_gets_one() -> None:
    assert enums.description(Choosing, "how") == "What `how` may be."


def test_two_enumerations_with_one_name_fail() -> None:
    named = {"Twice": {"type": "string", "enum": ["a", "b"], "description": ""}}
    with pytest.raises(TypeError, match="Twice would name two"):
        json_schema._with_references({"type": "string", "enum": ["a", "c"]}, "Twice", "", named)


def test_two_graphql_enums_with_one_name_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "_ENUMS", {})
    types._enum(Choosing, "how", ("slow", "noRush"))
    with pytest.raises(TypeError, match="ChoosingHow would name two"):
        types._enum(Choosing, "how", ("slow", "fast"))
