"""The quick validator takes nothing that the model does not, and makes the same of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from typing import Annotated, Any

import pytest
from hypothesis import given
from pydantic import BeforeValidator, Field, ValidationError

from service.doors.shapes import PUBLISHED
from service.model import Model, WholeNumber
from service.validation import _quick, advice, validate
from tests.doors.test_fuzz import spoiled

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
