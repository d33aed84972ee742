"""Translates pydantic's validation errors into findings (`Finding`): a JSON pointer, a code and a sentence each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from tablecall.model.annotations import fields_at
from tablecall.model.base import PATTERNS
from tablecall.model.refusals import Finding, Unprocessable, pointer_of
from tablecall.model.suggestions import suggestion
from tablecall.model.wording import plural

_CODES = {"extra_forbidden": "unknown-field", "missing": "missing", "not-allowed": "not-allowed", "json_invalid": "not-json"}
_BOUNDS = re.compile(r"too_(long|short)|greater_than|less_than|pattern_mismatch|multiple_of")
# Replaces messages in which pydantic names Python types.
_TYPE_DETAILS = dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "Input should be an object") | {
    "list_type": "Input should be an array",
}
# Replaces messages that repeat the input or its size: a sentence, the name of the bound in pydantic's context, its unit.
_BOUNDED = {
    "string_too_long": ("a text here has at most", "max_length", "character"),
    "string_too_short": ("a text here has at least", "min_length", "character"),
    "too_long": ("a list here has at most", "max_length", "item"),
    "too_short": ("a list here has at least", "min_length", "item"),
    "Dictionary too_long": ("an object here has at most", "max_length", "name"),
    "greater_than_equal": ("a number here is at least", "ge", ""),
    "less_than_equal": ("a number here is at most", "le", ""),
    "greater_than": ("a number here is more than", "gt", ""),
    "less_than": ("a number here is less than", "lt", ""),
}
_MAX_FINDINGS = 20


class Repeated(list[Any]):
    """The values of a query parameter that was given more than once where one value is expected."""


def unprocessable(error: ValidationError, model: type[BaseModel]) -> Unprocessable:
    """Pydantic's error as findings with JSON pointers. They never repeat the input."""
    details = error.errors(include_url=False)
    return Unprocessable(*dict.fromkeys(_finding(cast("Mapping[str, Any]", detail), model) for detail in details[:_MAX_FINDINGS]))


def _finding(detail: Mapping[str, Any], model: type[BaseModel]) -> Finding:
    kind, context = detail["type"], detail.get("ctx", {})
    pointer = pointer_of(detail["loc"]) + context.get("at", "")
    code = _CODES.get(kind) or ("out-of-bounds" if _BOUNDS.search(kind) else "wrong-type" if "type" in kind else "not-allowed")
    if kind == "not-allowed":
        return Finding(pointer, context["code"], context["detail"], context["rule"], context["facts"])
    return Finding(pointer, code, _detail(detail, model), context.get("rule"))


def _detail(detail: Mapping[str, Any], model: type[BaseModel]) -> str:
    """One sentence that says what is expected; it never repeats what was sent."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        *place, name = detail["loc"]
        return f"there is no such field{suggestion(name, fields_at(model, place))}"
    if kind in _TYPE_DETAILS:
        return _TYPE_DETAILS[kind]
    if isinstance(detail["input"], Repeated):
        return "the query has it more than once; only one value is accepted"
    bounded = _BOUNDED.get(f"{context.get('field_type')} {kind}", _BOUNDED.get(kind))
    if bounded is not None:
        sentence, bound, unit = bounded
        return f"{sentence} {plural(context[bound], unit) if unit else context[bound]}"
    if kind == "string_pattern_mismatch":
        return PATTERNS.get(context["pattern"], "the text is not of the published pattern")
    return str(detail["msg"])
