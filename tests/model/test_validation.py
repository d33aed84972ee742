"""The quick validator takes nothing that the model does not, and makes the same of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Annotated, Any

import pytest
from hypothesis import given
from pydantic import BeforeValidator, Field, ValidationError

from tablecall.contract.action_models import PUBLISHED
from tablecall.model.base import Model, WholeNumber
from tablecall.model.validation import SHORT, _brief, _quick, advice, validate
from tests.http.test_fuzz import spoiled

EXAMPLES = [(tag, name) for tag, one in PUBLISHED.items() for name in one.action.examples]


def outcome(read: Callable[[], Model]) -> Any:
    """What comes of reading a document: every field and which of them were sent, or every error."""
    try:
        found = read()
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    return found.model_dump(), found.model_fields_set


@pytest.mark.parametrize(("tag", "name"), EXAMPLES)
def test_every_example_is_taken_at_once(tag: str, name: str) -> None:
    action = PUBLISHED[tag].action
    document = deepcopy(dict(action.examples[name]))
    found = _quick(action.body).validate_python(document)
    assert type(found) is action.body
    assert found == action.body.model_validate(document)
    assert outcome(lambda: found) == outcome(lambda: action.body.model_validate(document))
    assert found.sent == action.body.model_validate(document).sent


@given(asked=spoiled())
def test_whatever_is_taken_is_what_the_model_makes_of_it_and_whatever_is_refused_is_refused_in_its_words(asked: tuple[str, Any]) -> None:
    tag, document = asked
    body = PUBLISHED[tag].action.body
    assert outcome(lambda: validate(body, document)) == outcome(lambda: body.model_validate(document))


@given(asked=spoiled())
def test_what_is_told_in_brief_is_what_the_model_tells_first(asked: tuple[str, Any]) -> None:
    tag, document = asked
    body = PUBLISHED[tag].action.body
    brief, whole = outcome(lambda: _brief(body).validate_python(document)), outcome(lambda: body.model_validate(document))
    if isinstance(whole, list):
        assert brief[0] == whole[0]
        assert all(error in whole for error in brief)
    else:
        assert brief == whole


calls: list[Any] = []


@advice
def _told(value: Any) -> Any:
    calls.append(value)
    return value


def _heeded(value: Any) -> Any:
    calls.append(value)
    return value


class Some(Model):
    advised: Annotated[int, Field(ge=1), BeforeValidator(_told), WholeNumber] = 1
    heeded: Annotated[int, Field(ge=1), BeforeValidator(_heeded)] = 1
    parts: list[int] = []
    known: dict[str, int] = {"a": 1}


def test_advice_is_asked_for_only_where_it_is_needed() -> None:
    calls.clear()
    assert validate(Some, {"advised": 2, "heeded": 3}).model_dump() == {"advised": 2, "heeded": 3, "parts": [], "known": {"a": 1}}
    assert calls == [3]
    assert validate(Some, {"advised": 2.0, "heeded": 3}).advised == 2
    assert calls == [3, 3, 2, 3]
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        validate(Some, {"advised": 0})
    with pytest.raises(ValidationError, match="valid integer"):
        validate(Some, {"advised": math.inf})


def test_what_is_left_out_is_nobody_elses() -> None:
    one, other = validate(Some, {}), validate(Some, {})
    one.parts.append(1)
    one.known["b"] = 2
    assert (other.parts, other.known, validate(Some, {}).parts) == ([], {"a": 1}, [])


class Many(Model):
    items: list[Some]
    other: int


def test_of_a_long_document_no_list_is_looked_through_beyond_the_first_that_is_wrong() -> None:
    wrong = [{"advised": 0}, {"parts": [1, "2", "3"]}]
    with pytest.raises(ValidationError) as short:
        validate(Many, {"items": wrong, "other": "x"})
    places = [("items", 0, "advised"), ("items", 1, "parts", 1), ("items", 1, "parts", 2), ("other",)]
    assert [error["loc"] for error in short.value.errors()] == places
    with pytest.raises(ValidationError) as long:
        validate(Many, {"items": [*[{}] * SHORT, *wrong], "other": "x"})
    assert [error["loc"] for error in long.value.errors()] == [("items", SHORT, "advised"), ("other",)]


@pytest.mark.parametrize(("more", "told"), [(0, 3), (1, 2)])
def test_how_long_a_document_may_be_is_counted_wherever_its_values_stand(more: int, told: int) -> None:
    wrong = ["1", "2", *range(SHORT - 6 + more)]  # six with these two: items, other, the one item, its parts
    with pytest.raises(ValidationError) as refused:
        validate(Many, {"items": [{"parts": wrong}], "other": "x"})
    assert refused.value.error_count() == told


def test_a_long_document_is_taken_as_a_short_one_is() -> None:
    found = validate(Many, {"items": [{"advised": 2.0}] * SHORT, "other": 1})
    assert [one.advised for one in found.items] == [2] * SHORT
