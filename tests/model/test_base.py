"""The base models: what they accept and refuse, and the place they report."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from tablecall.model.base import (
    LONG,
    MAX_ERRORS,
    MAX_SAFE_INTEGER,
    MAX_SEED,
    Body,
    GivenDice,
    Id,
    Model,
    Name,
    Seed,
    Text,
    WholeNumber,
    not_allowed,
)
from tablecall.model.names import visible
from tablecall.systems.darkpages.sheet import DarkpagesCharacter
from tablecall.systems.jazz.fight import JazzFight
from tablecall.systems.jazz.sheet import JazzCharacter

SHEET = {"name": "Rook", "aspects": [], "health": {"current": 1, "max": 1}}
POOLS = {attribute: {"roll": 3, "keep": 2} for attribute in ("body", "mind", "soul")}


class Sheet(Model):
    """A test sheet."""

    short_name: Name = "Rook"
    """Who it is."""
    level: Annotated[int, Field(ge=0, le=9), WholeNumber] = 0
    brave: bool = False

    @model_validator(mode="after")
    def _legal(self) -> Sheet:
        if self.level == 9 and not self.brave:
            raise not_allowed("only the brave go {so} far", rule="toy.brave", at="/brave")
        return self


def refusal(model: type[Model], document: Any) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(document)
    return [(error["loc"], error["type"]) for error in refused.value.errors()]


class TestIntegers:
    @pytest.mark.parametrize("value", [3, 3.0])
    def test_whole_number_is_an_integer(self, value: float) -> None:
        level = Sheet.model_validate({"level": value}).level
        assert (level, type(level)) == (3, int)

    @pytest.mark.parametrize("value", [True, False, "3", 3.5, float("nan"), float("inf"), [3]])
    def test_other_values_are_refused(self, value: object) -> None:
        assert [where for where, _ in refusal(Sheet, {"level": value})] == [("level",)]

    @pytest.mark.parametrize(
        ("value", "kind"), [(-1, "greater_than_equal"), (10, "less_than_equal"), (10.0, "less_than_equal"), (1e300, "less_than_equal")]
    )
    def test_bounds_of_fields(self, value: float, kind: str) -> None:
        assert refusal(Sheet, {"level": value}) == [(("level",), kind)]


class TestShape:
    def test_wire_names_are_camel_case(self) -> None:
        assert Sheet.model_validate({"shortName": "Ash"}).short_name == "Ash"
        assert refusal(Sheet, {"short_name": "Ash"}) == [(("short_name",), "extra_forbidden")]

    def test_unknown_fields_are_refused(self) -> None:
        assert refusal(Sheet, {"levle": 3}) == [(("levle",), "extra_forbidden")]

    @pytest.mark.parametrize("value", ["true", 1, 0])
    def test_booleans_are_strict(self, value: object) -> None:
        assert refusal(Sheet, {"brave": value}) == [(("brave",), "bool_type")]

    def test_docstrings_are_descriptions(self) -> None:
        assert Sheet.model_json_schema()["properties"]["shortName"]["description"] == "Who it is."

    def test_own_error_carries_rule_and_place(self) -> None:
        with pytest.raises(ValidationError) as refused:
            Sheet.model_validate({"level": 9})
        (error,) = refused.value.errors()
        assert (error["type"], error["msg"]) == ("not-allowed", "only the brave go {so} far")
        facts: dict[str, object] = {"code": "not-allowed", "facts": ()}
        assert error["ctx"] == {"detail": "only the brave go {so} far", "rule": "toy.brave", "at": "/brave", **facts}

    def test_own_error_without_rule_and_place(self) -> None:
        assert not_allowed("no").context == {"detail": "no", "rule": None, "at": "", "code": "not-allowed", "facts": ()}


class TestNull:
    """Any optional field may be null, which generated clients send."""

    @pytest.mark.parametrize(
        ("model", "document", "field"),
        [
            (JazzCharacter, {"name": "Rook", "aspects": []}, "rested"),
            (DarkpagesCharacter, {"name": "Nyx", "attributes": POOLS, "lethal": "health"}, "damage"),
            (DarkpagesCharacter, {"name": "Nyx", "attributes": POOLS, "lethal": "health"}, "overflow"),
            (JazzFight, {"combatants": [{"id": one, "side": one, "actor": {"character": SHEET}} for one in "ab"]}, "tactics"),
        ],
    )
    def test_null_equals_omitting(self, model: type[Model], document: dict[str, Any], field: str) -> None:
        left_out = model.model_validate(document)
        assert model.model_validate({**document, field: None}) == left_out
        with pytest.raises(ValidationError):
            model.model_validate({**document, field: 0})


class TestText:
    @pytest.mark.parametrize(("kind", "least", "most"), [(Text, 0, 500), (Name, 1, 120), (Id, 1, 120)])
    def test_lengths(self, kind: Any, least: int, most: int) -> None:
        adapter: TypeAdapter[str] = TypeAdapter(kind)
        for size in (least, most):
            assert adapter.validate_python("é" * size) == "é" * size
        for size in (least - 1, most + 1):
            if size >= 0:
                with pytest.raises(ValidationError):
                    adapter.validate_python("é" * size)

    @given(text=st.text(min_size=1, max_size=20))
    def test_no_control_characters(self, text: str) -> None:
        """The same for names, checked by pydantic, and seeds, checked here. Of a name something can be seen."""
        plain = all(unicodedata.category(letter) != "Cc" for letter in text)
        for document, model, allowed in (({"shortName": text}, Sheet, plain and visible(text)), ({"seed": text}, Body, plain)):
            try:
                model.model_validate(document)
            except ValidationError:
                assert not allowed
            else:
                assert allowed

    @pytest.mark.parametrize("name", [" ", "\u00a0\u2003", "\u200b", "\u200d\u200c", "\u2068\u2069", "\u3164", "\u2800", "\ufeff "])
    def test_name_of_invisible_characters_is_refused(self, name: str) -> None:
        with pytest.raises(ValidationError, match="not-allowed"):
            Sheet.model_validate({"shortName": name})
        assert Sheet.model_validate({"shortName": f"{name}x"}).short_name == f"{name}x"


class TestSeed:
    @pytest.mark.parametrize("seed", ["x", "42", "é" * MAX_SEED, " ", 0, -7, MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER])
    def test_text_or_integer(self, seed: str | int) -> None:
        value = Body.model_validate({"seed": seed}).seed
        assert (value, type(value)) == (seed, type(seed))

    def test_whole_number_is_an_integer(self) -> None:
        assert str(Body.model_validate({"seed": 42.0}).seed) == "42"

    @pytest.mark.parametrize(
        "seed",
        [
            "",
            "x" * (MAX_SEED + 1),
            "two\nlines",
            "x\n",
            "\x00",
            "\x7f",
            "next\x85line",
            "\x9b",
            "\ud800",
            True,
            1.5,
            MAX_SAFE_INTEGER + 1,
            -MAX_SAFE_INTEGER - 1,
            1e300,
            [],
            {},
        ],
    )
    def test_other_seeds_are_refused(self, seed: object) -> None:
        assert refusal(Body, {"seed": seed}) == [(("seed",), "not-allowed")]

    def test_seed_is_optional(self) -> None:
        assert Body.model_validate({}).seed is Body.model_validate({"seed": None}).seed is None

    def test_schema_of_a_seed(self) -> None:
        assert TypeAdapter(Seed).json_schema()["anyOf"] == [
            {"type": "string", "minLength": 1, "maxLength": MAX_SEED, "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$"},
            {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER},
        ]


class TestBody:
    def test_every_field_is_optional(self) -> None:
        body = Body.model_validate({})
        assert (body.seed, body.rng, body.dice, body.include) == (None, None, [], [])

    def test_supplied_dice(self) -> None:
        given_dice = GivenDice.model_validate({"roll": "attackers.0", "faces": [1.0, 6]})
        assert (given_dice.roll, given_dice.faces) == ("attackers.0", [1, 6])

    @pytest.mark.parametrize(
        ("document", "where"),
        [
            ({"dice": [{"roll": "actor", "faces": [1.5]}]}, ("dice", 0, "faces", 0)),
            ({"dice": [{"roll": "actor", "faces": [1] * 201}]}, ("dice", 0, "faces")),
            ({"dice": [{"roll": "actor", "faces": [1001]}]}, ("dice", 0, "faces", 0)),
            ({"dice": [{"roll": "", "faces": []}]}, ("dice", 0, "roll")),
            ({"dice": [{"roll": "actor rescue", "faces": []}]}, ("dice", 0, "roll")),
            ({"dice": [{"roll": "actor\n", "faces": []}]}, ("dice", 0, "roll")),
            ({"dice": [{"roll": "a" * 81, "faces": []}]}, ("dice", 0, "roll")),
            ({"dice": [{"faces": []}]}, ("dice", 0, "roll")),
            ({"dice": [{"roll": "actor", "faces": []}] * 201}, ("dice",)),
            ({"include": ["factor"]}, ("include", 0)),
            ({"include": ["factors"] * 4}, ("include",)),
            ({"rng": ""}, ("rng",)),
            ({"rng": "x" * 41}, ("rng",)),
        ],
    )
    def test_bounds_of_fields(self, document: dict[str, Any], where: tuple[int | str, ...]) -> None:
        assert [place for place, _ in refusal(Body, document)] == [where]

    def test_sent_excludes_derived_fields(self) -> None:
        class Doubled(Body):
            half: int
            whole: int | None = None

        body = Doubled.model_validate({"seed": 3.0, "half": 2, "whole": None})
        assert body.sent == {"seed": 3, "half": 2}
        body.derive("whole", 4)
        assert (body.whole, body.sent) == (4, {"seed": 3, "half": 2})
        assert body.model_copy(update={"whole": 5}).sent == {"seed": 3, "half": 2, "whole": 5}


class Party(Body):
    """A body with lists in lists."""

    members: list[Sheet]
    marks: list[list[int]] = []
    size: int


def wrong_places(document: Any) -> list[tuple[int | str, ...]]:
    """The places of the errors that `Body.read` reports."""
    with pytest.raises(ValidationError) as refused:
        Party.read(document)
    return [error["loc"] for error in refused.value.errors()]


class TestRead:
    def test_read_accepts_what_the_model_accepts(self) -> None:
        for document in ({"members": [{"level": 3.0}], "size": 1}, {"members": [{}] * (LONG + 2), "marks": [[1]], "size": 1}):
            party = Party.read(document)
            assert type(party) is Party
            assert party == Party.model_validate(document)
            assert party.sent == Party.model_validate(document).sent

    def test_default_lists_are_not_shared(self) -> None:
        first, second = Party.read({"members": [], "size": 1}), Party.read({"members": [], "size": 1})
        first.include.append("factors")
        assert (second.include, second.dice) == ([], [])
        assert Body.model_json_schema()["properties"]["include"]["default"] == []

    def test_short_document_reports_every_error(self) -> None:
        wrong = [{"level": -1}, {"levle": 1, "brave": 1}]
        places = [("members", 0, "level"), ("members", 1, "brave"), ("members", 1, "levle"), ("size",)]
        assert wrong_places({"members": wrong, "size": "x"}) == places
        # The longest document that is not long has 2,000 commas.
        padded = [*wrong, *[{}] * (LONG - 4)]
        assert wrong_places({"members": padded, "size": "x"}) == places

    def test_long_document_reports_the_first_error_of_each_list(self) -> None:
        padded = [*[{}] * LONG, {"level": -1}, {"levle": 1}]
        assert wrong_places({"members": padded, "marks": [["a", "b"], ["c"]], "size": "x"}) == [
            ("members", LONG, "level"),
            ("marks", 0, 0),
            ("marks", 0, 1),
            ("size",),
        ]

    @pytest.mark.parametrize(("errors", "reported"), [(MAX_ERRORS, MAX_ERRORS), (MAX_ERRORS + 1, 1)])
    def test_too_many_errors_are_reported_as_one(self, errors: int, reported: int) -> None:
        document = {"members": [], "marks": [["x"] * errors], "size": 1}
        with pytest.raises(ValidationError) as refused:
            Party.read(document)
        assert refused.value.error_count() == reported
        if reported == 1:
            assert refused.value.errors()[0]["msg"] == "refused.many_errors"

    def test_megabyte_of_unknown_names_gives_few_errors(self) -> None:
        """Each error costs about 2 µs: 100,000 of them would block the event loop for 0.2 s."""
        unknown = {f"n{index}": 1 for index in range(256)}
        with pytest.raises(ValidationError) as refused:
            Party.read({"members": [unknown] * 400, "size": 1})
        assert refused.value.error_count() == 256


class TestData:
    """Anything of the caller's own, up to 4 KB of JSON."""

    @pytest.mark.parametrize("data", [{}, {"token": [1, None, {"x": 1.5}]}, {"x" * 4000: 1}])
    def test_object_is_kept(self, data: dict[str, Any]) -> None:
        assert JazzCharacter.model_validate({**SHEET, "data": data}).data == data

    @pytest.mark.parametrize("data", [3, "x", [1], {"x": {1}}, {"x": "y" * 4090}])
    def test_anything_else_is_refused(self, data: object) -> None:
        assert [place for place, _ in refusal(JazzCharacter, {**SHEET, "data": data})] == [("data",)]


def test_action_is_played_once_unless_it_says_otherwise() -> None:
    body = Body.model_validate({})
    assert (body.repeats, body.once is body, body.following([]), list(body.variants()), body.named_outcomes()) == (1, True, None, [], ())
