"""Translates pydantic's validation errors into findings (`Finding`): a JSON pointer, a code and a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from tablecall.model.annotations import fields_at
from tablecall.model.base import PATTERNS
from tablecall.model.names import quotable
from tablecall.model.refusals import Facts, Finding, Unprocessable, pointer_of
from tablecall.model.suggestions import nearest

# The type of a pydantic error: its code here, the key of its sentence, and the name of the bound in pydantic's context.
_BOUNDED = {
    "string_too_long": ("too-long", "text_too_long", "max_length"),
    "string_too_short": ("too-short", "text_too_short", "min_length"),
    "too_long": ("too-long", "list_too_long", "max_length"),
    "too_short": ("too-short", "list_too_short", "min_length"),
    "greater_than_equal": ("out-of-range", "at_least", "ge"),
    "less_than_equal": ("out-of-range", "at_most", "le"),
    "greater_than": ("out-of-range", "more_than", "gt"),
    "less_than": ("out-of-range", "less_than", "lt"),
}
_TYPES = {
    "model_type": "object",
    "model_attributes_type": "object",
    "dict_type": "object",
    "list_type": "list",
    "string_type": "text",
    "int_type": "integer",
    "int_from_float": "integer",
    "int_parsing": "integer",
    "int_parsing_size": "integer",
    "bool_type": "boolean",
    "bool_parsing": "boolean",
    "float_type": "number",
    "float_parsing": "number",
}
"""What pydantic expected, as the end of the key of a sentence."""
_NOT_FOR_VALUES = frozenset({"extra_forbidden", "model_type", "model_attributes_type", "dict_type"})
"""The errors of a field that takes no single value anyway, however often it was sent."""
_MAX_FINDINGS = 20
_MAX_LISTED = 12
"""How many allowed values a sentence lists."""


class Repeated(list[Any]):
    """The values of a query parameter that was given more than once where one value is expected."""


def unprocessable(error: ValidationError, model: type[BaseModel]) -> Unprocessable:
    """Pydantic's error as findings with JSON pointers. Of the input they repeat at most a short name."""
    details = error.errors(include_url=False)
    return Unprocessable(*dict.fromkeys(_finding(cast("Mapping[str, Any]", detail), model) for detail in details[:_MAX_FINDINGS]))


def _finding(detail: Mapping[str, Any], model: type[BaseModel]) -> Finding:
    kind, context, place = detail["type"], detail.get("ctx", {}), _without_tags(detail["type"], detail["loc"])
    pointer = pointer_of(place) + context.get("at", "")
    if kind == "not-allowed" and not isinstance(detail["input"], Repeated):
        return Finding(pointer, context["code"], context["detail"], context["rule"], context["facts"])
    code, key, facts = _sentence(kind, context, detail, model)
    return Finding(pointer, code, f"refused.{key}", None, (("field", _field(place)), *facts))


def _without_tags(kind: str, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The place without the tags of unions, which pydantic puts behind the number of an item: ``actions``, 0, ``darkpages.check``."""
    last = len(place) - 1 if kind == "extra_forbidden" else len(place)
    return tuple(
        part
        for number, part in enumerate(place)
        if not (number and number < last and isinstance(part, str) and "." in part and isinstance(place[number - 1], int))
    )


def _field(place: tuple[str | int, ...]) -> str:
    """The name of a field as a sentence says it: ``bonus``, or ``orders 2`` for the second item of a list."""
    if not place:
        return "request"
    last = place[-1]
    if isinstance(last, int):
        return f"{_field(place[:-1])} {last + 1}"
    return last if len(last) <= 60 and last.isprintable() else "…"


def _sentence(kind: str, context: Mapping[str, Any], detail: Mapping[str, Any], model: type[BaseModel]) -> tuple[str, str, Facts]:
    """The code, the key of the sentence, and the facts in it besides the field."""
    if isinstance(detail["input"], Repeated) and kind not in _NOT_FOR_VALUES:
        return "wrong-type", "repeated", ()
    if kind == "missing":
        return "missing-field", "missing_field", ()
    if kind == "extra_forbidden":
        *place, name = _without_tags(kind, detail["loc"])
        return "unknown-field", "unknown_field", (("near", nearest(str(name), fields_at(model, place)) or ""),)
    if kind in _BOUNDED:
        code, key, bound = _BOUNDED[kind]
        return code, "object_too_long" if context.get("field_type") == "Dictionary" else key, (("bound", context[bound]),)
    if kind in _TYPES:
        return "wrong-type", f"expected_{_TYPES[kind]}", ()
    if kind == "string_pattern_mismatch":
        return "bad-characters", PATTERNS.get(context["pattern"], "pattern"), ()
    if kind in ("literal_error", "enum"):
        spelled = [part.strip(" '") for part in context["expected"].replace(" or ", ", ").split(",")]
        values = tuple({part.replace("-", "").lower(): part for part in reversed(spelled)}.values())[::-1]  # each once, as first spelled
        sent = detail["input"]
        near = nearest(sent, values) if isinstance(sent, str) else None
        facts = (("values", values[:_MAX_LISTED]), ("near", near or ""))
        if isinstance(sent, str) and quotable(sent) == sent:
            return "unknown-value", "unknown_word", (*facts, ("sent", sent))
        return "unknown-value", "unknown_value", facts
    if kind == "union_tag_not_found":
        return "missing-field", "missing_tag", ()
    if kind == "union_tag_invalid":
        return "unknown-action", "unknown_action", (("near", ""),)
    return "invalid-value", "invalid_value", ()
