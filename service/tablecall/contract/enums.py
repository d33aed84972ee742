"""The words a field may be, as an enumeration with a name and a meaning each: the same in OpenAPI and in GraphQL.

The name is the class that declares the field and the field: ``JazzCheckTies``. The meanings are taken from the field's own
description, which speaks of a word in backticks where the word needs it.
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
    """The words a field (or each item of its list) may be; none where it is no choice of words."""
    for kind in union_members(annotation):
        if get_origin(kind) is list:
            return words(get_args(kind)[0])
        if get_origin(kind) is Literal and len(get_args(kind)) > 1 and all(isinstance(word, str) for word in get_args(kind)):
            return get_args(kind)
    return ()


def name_of(model: type[BaseModel], field: str) -> str:
    """``JazzCheckTies``: after the class that declares the field, so that what inherits it shares it."""
    owner = next((parent for parent in model.__mro__ if field in inspect.get_annotations(parent)), model).__name__
    owner = owner.removesuffix("Ruling") or owner
    tail = "".join(part.capitalize() for part in field.strip("_").split("_"))
    if any(get_origin(kind) is dict for kind in union_members(model.model_fields[field].annotation)):
        tail = tail.removesuffix("s")  # a word of one of them; generators call all of them by the field's own name
    return tail if tail.startswith(owner) else owner + tail


def says(model: type[BaseModel], field: str) -> str:
    """The description of the enumeration: the field's."""
    return model.model_fields[field].description or f"What `{to_camel(field)}` may be."


def meaning(text: str, word: str, others: Iterable[str] = ()) -> str:
    """What one word of a field means: the clause of the field's description that speaks of it.

    Where it speaks of the ``others`` alone, this is the ordinary one; where of none, the word answers what the field asks.
    """
    for clause in _CLAUSE.split(text):
        if f"`{word}`" in clause:
            return _sentence(clause.strip().removeprefix(f"`{word}`:").rstrip(";.").strip())
    if any(f"`{other}`" in text for other in others):
        return f"{_sentence(spaced(word)).rstrip('.')}: the ordinary case."
    asked = _CLAUSE.split(text)[0].rstrip(";.").strip()
    return f"{_sentence(spaced(word)).rstrip('.')}: {asked[:1].lower()}{asked[1:]}."


def spaced(word: str) -> str:
    """``noRoll`` as ``no roll``: a word of the wire as a person writes it."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f" {found[1].lower()}", word).replace("-", " ").replace("_", " ")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
