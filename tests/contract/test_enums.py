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


def kinds(field: str) -> tuple[str, ...]:
    return enums.words(Choosing.model_fields[field].annotation)


def test_words_are_found_in_a_choice_in_a_list_of_them_and_beside_null() -> None:
    assert kinds("how") == kinds("hows") == ("slow", "noRush")


def test_text_and_a_single_word_are_no_choice() -> None:
    assert kinds("bare") == kinds("one") == ()


def test_an_enumeration_is_named_after_the_class_that_declares_it() -> None:
    assert enums.name_of(ChoosingMore, "how") == enums.name_of(Choosing, "how") == "ChoosingHow"
    assert enums.name_of(Choosing, "choosing") == "Choosing"
    assert enums.name_of(Body, "include") == "BodyInclude"


def test_what_a_word_means_is_taken_from_the_clause_that_speaks_of_it() -> None:
    text = "How long. `once`: the second result stands. `clear`: again until none of these faces shows."
    assert enums.meaning(text, "once") == "The second result stands."
    assert enums.meaning(text, "clear") == "Again until none of these faces shows."
    assert enums.meaning(text, "never", ("once", "clear")) == "Never: the ordinary case."


def test_a_word_nothing_is_said_of_answers_what_the_field_asks() -> None:
    assert enums.meaning("Who has an equal total. Say who.", "theOpponent") == "The opponent: who has an equal total."


def test_a_field_without_a_description_still_has_one() -> None:
    assert enums.description(Choosing, "how") == "What `how` may be."


def test_two_enumerations_of_one_name_are_noticed() -> None:
    moved = {"Twice": {"type": "string", "enum": ["a", "b"], "description": ""}}
    with pytest.raises(TypeError, match="Twice would name two"):
        json_schema._with_references({"type": "string", "enum": ["a", "c"]}, "Twice", "", moved)


def test_two_graphql_enums_of_one_name_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "_ENUMS", {})
    types._enum(Choosing, "how", ("slow", "noRush"))
    with pytest.raises(TypeError, match="ChoosingHow would name two"):
        types._enum(Choosing, "how", ("slow", "fast"))
