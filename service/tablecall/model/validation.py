"""Models validated twice as fast where what was sent is right.

A model says what is right, what is taken all the same (3.0 for 3), and in words what is wrong. For a request that is right only
the first is needed, and that pydantic does without calling back into Python. So a model has a second validator, made of its own
core schema without what is marked `advice`; what that one does not take is the model's to take or to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import SchemaValidator

M = TypeVar("M", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Any])

_ADVICE: set[Callable[..., Any]] = set()
_OTHERS = frozenset({"cls", "config", "metadata", "serialization"})
"""What of a core schema is no schema, nor holds one that validates."""


def advice(function: F) -> F:
    """Marks what is called before validation only to say better what is wrong, or to take what is nearly right.

    What the validation takes by itself, it must leave as it is.
    """
    _ADVICE.add(function)
    return function


def validate(model: type[M], document: Mapping[str, Any]) -> M:
    """The document as the model has it. Refuses (`pydantic.ValidationError`) what the model refuses, in its words.

    Of a long document no list is looked through beyond the first item that is wrong: to be told of all would take long, and
    nobody reads it.
    """
    try:
        found: M = _quick(model).validate_python(document)
    except ValidationError:
        return model.model_validate(document) if _is_short(document) else _brief(model).validate_python(document)
    return found


SHORT = 2_000
"""How many values a document has that is told of all that is wrong with it."""


def _is_short(document: Mapping[str, Any]) -> bool:
    seen = 0
    still: list[Any] = [document]
    while still:
        value = still.pop()
        parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        seen += len(parts)
        if seen > SHORT:
            return False
        still += parts
    return True


@cache
def _quick(model: type[BaseModel]) -> SchemaValidator:
    """Says of what is right what it is, and of what is wrong no more than that."""
    return _validator(_changed(model.__pydantic_core_schema__, advice=False))


@cache
def _brief(model: type[BaseModel]) -> SchemaValidator:
    """Says what the model says, of each list up to the first item that is wrong."""
    return _validator(_changed(model.__pydantic_core_schema__, advice=True))


def _validator(schema: Any) -> SchemaValidator:
    # Not of the validators the models inside have already: they are what is to be done without.
    return SchemaValidator(schema, _use_prebuilt=False)


def _changed(schema: Any, *, advice: bool) -> Any:
    """A core schema with ``advice`` or without; a wrong item ends a list, and a list that is left out is made anew rather than copied."""
    if isinstance(schema, list):
        return [_changed(part, advice=advice) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if not advice and schema.get("type") == "function-before" and _is_advice(schema["function"]["function"]):
        return _changed(schema["schema"], advice=advice)
    found = {name: part if name in _OTHERS else _changed(part, advice=advice) for name, part in schema.items()}
    if found.get("type") == "list":
        found["fail_fast"] = True
    if found.get("type") == "default" and found.get("default") == []:
        del found["default"]
        found["default_factory"] = list
    return found


def _is_advice(function: Callable[..., Any]) -> bool:
    return getattr(function, "__func__", function) in _ADVICE
