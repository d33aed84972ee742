"""Named enumerations of the words a field allows, with a meaning for each word: the same in OpenAPI and GraphQL.

The name consists of the class that declares the field and the field: ``JazzCheckTies``. The meanings are clauses of the field's
description, which puts a word in backticks to explain it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from tablecall.model.annotations import union_members

_CLAUSE = re.compile(r"(?<=[.;])\s+")


def words(annotation: Any) -> tuple[str, ...]:
    """The words a field (or each item of its list) allows; empty if it is no enumeration."""
    for member in union_members(annotation):
        arguments = get_args(member)
        if get_origin(member) is list:
            return words(arguments[0])
        if get_origin(member) is Literal and len(arguments) > 1 and all(isinstance(word, str) for word in arguments):
            return arguments
    return ()


def name_of(model: type[BaseModel], field: str) -> str:
    """``JazzCheckTies``, after the class that declares the field, so that subclasses share it."""
    owner = next((parent for parent in model.__mro__ if field in inspect.get_annotations(parent)), model).__name__
    owner = owner.removesuffix("Ruling") or owner
    tail = "".join(part.capitalize() for part in field.strip("_").split("_"))
    if any(get_origin(member) is dict for member in union_members(model.model_fields[field].annotation)):
        tail = tail.removesuffix("s")  # the enumeration is that of one value; generators name the map after the field
    return tail if tail.startswith(owner) else owner + tail


def description(model: type[BaseModel], field: str) -> str:
    """The description of the enumeration: that of the field."""
    return model.model_fields[field].description or f"What `{to_camel(field)}` may be."


def meaning(text: str, word: str, others: Iterable[str] = ()) -> str:
    """What one word of a field means: the clause of the field's description that mentions it.

    If the description only mentions ``others``, this is the ordinary case. If it mentions none, the word answers the description.
    """
    for clause in _CLAUSE.split(text):
        if f"`{word}`" in clause:
            return _sentence(clause.strip().removeprefix(f"`{word}`:").rstrip(";.").strip())
    if any(f"`{other}`" in text for other in others):
        return f"{_sentence(spaced(word)).rstrip('.')}: the ordinary case."
    first = _CLAUSE.split(text)[0].rstrip(";.").strip()
    return f"{_sentence(spaced(word)).rstrip('.')}: {first[:1].lower()}{first[1:]}."


def spaced(word: str) -> str:
    """``no roll`` for ``noRoll``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f" {match[1].lower()}", word).replace("-", " ").replace("_", " ")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
