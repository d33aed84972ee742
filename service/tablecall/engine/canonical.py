"""The canonical text of a document (RFC 8785), and the canonical form of a request: what receipts sign."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Literal, get_args, get_origin

import orjson
import rfc8785
from pydantic import BaseModel

from tablecall.model.annotations import models_in, union_members
from tablecall.model.base import Body

UNASKED = frozenset({"seed", "include", "language"})
"""The fields of a request that do not belong to its question: the seed, what to include in the ruling, and the language."""
PROSE = frozenset({"summary", "markdown", "outcomeText", "text"})
"""The members of a ruling that are sentences: a better one breaks no receipt."""
_IDS = frozenset({"id", "ids", "by", "on", "next", "acted", "waiting", "falling"})
"""The members of a ruling that hold ids, or lists of them."""
_HOUSE_RULES = "houseRules"
"""An object that says nothing where it is empty; its fields have no default."""
_MEANINGFUL = frozenset({"succeeded", "from", "to", "value"})
"""The members of a ruling in which false and null say different things."""
_NEEDS_RFC8785 = re.compile(rb"[\xf0-\xf4]|[:,\[]-?[0-9]+[.eE]|[:,\[]-?[0-9]{16}")


def canonical(document: Mapping[str, Any] | list[Any]) -> bytes:
    """A JSON document as RFC 8785 writes it. Raises `ValueError` for a number that no double can hold.

    orjson writes the same, except for fractions, long integers and names with characters beyond the basic plane. If the text may contain
    any of these, the slower rfc8785 writes it.
    """
    text = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    return rfc8785.dumps(document) if _NEEDS_RFC8785.search(text) else text


def digest(document: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical text, in base64url without padding."""
    return urlsafe_b64encode(sha256(canonical(document)).digest()).rstrip(b"=").decode()


def decided(ruling: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """What a ruling of a request of this ``model`` decides: without prose, and without what says nothing (null, false, empty).

    So a better sentence and a new optional member leave it as it is.
    """
    return {name: _after(part, model) if name == "after" else part for name, part in _decided(with_text_ids(ruling)).items()}


def with_text_ids(document: Any, name: str = "") -> Any:
    """The document with every id as text, as 1 and "1" are the same id. The caller's own ``data`` stays as it is."""
    if isinstance(document, dict):
        return {key: part if key == "data" else with_text_ids(part, key) for key, part in document.items()}
    if isinstance(document, list):
        return [with_text_ids(part, name) for part in document]
    return str(document) if name in _IDS and type(document) is int else document


def _decided(document: Mapping[str, Any]) -> dict[str, Any]:
    remaining = {}
    for name, value in document.items():
        if name in PROSE:
            continue
        part = value if name == "after" else _without_prose(value)
        if part or name in _MEANINGFUL or (type(part) is int and part == 0):
            remaining[name] = part
    return remaining


def _without_prose(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _decided(value)
    return [_without_prose(item) for item in value] if isinstance(value, list) else value


def _after(after: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The participants without defaults; the state of a conflict as it is."""
    known = {field.alias or name for name, field in model.model_fields.items()}
    sent = {name: value for name, value in after.items() if name in known}
    return {**{name: value for name, value in after.items() if name not in known}, **_without_defaults(model, sent)}


def question(tag: str, body: Body) -> dict[str, Any]:
    """The question a request asks: its action and its body as sent, without ``seed`` and ``include``, and without default values.

    It is the same for REST and GraphQL.
    """
    sent = {name: value for name, value in body.sent.items() if name not in UNASKED}
    return {"action": tag, **_without_defaults(type(body), sent)}


def _without_defaults(model: type[BaseModel], document: Mapping[str, Any]) -> dict[str, Any]:
    remaining = {}
    for name, value in document.items():
        annotation, default = _field(model, name)
        normalized = _normalized(annotation, value)
        if value is not None and normalized != default and (name != _HOUSE_RULES or normalized):
            remaining[name] = normalized
    return remaining


def _normalized(annotation: Any, value: Any) -> Any:
    """One spelling for values that mean the same: 3.0 is 3, the id 1 is "1", and an id where a list may stand is a list of it."""
    if isinstance(value, dict):
        model = _member(models_in(annotation), value)
        return _without_defaults(model, value) if model else {name: _normalized(None, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_normalized(annotation, part) for part in value]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text, number, listed = _kinds(annotation)
    if text and number and type(value) is int:
        value = str(value)
    return [value] if text and listed and isinstance(value, str) else value


@cache
def _kinds(annotation: Any) -> tuple[bool, bool, bool]:
    """Whether a field may hold text, an integer, and a list beside a single value."""
    members = set(union_members(annotation))
    lists = {member for member in members if get_origin(member) is list}
    single = members - lists - {type(None)}
    inner = {part for member in lists for argument in get_args(member) for part in union_members(argument)}
    return str in single | inner, int in single | inner, bool(lists and single)


def _member(models: tuple[type[BaseModel], ...], document: Mapping[str, Any]) -> type[BaseModel] | None:
    """Which of the models of a field a document is of: the one with its tag, if there are several."""
    if len(models) > 1 and "action" in document:
        models = tuple(model for model in models if _field(model, "action")[0] == Literal[document["action"]])
    return models[0] if models else None


@cache
def _field(model: type[BaseModel], alias: str) -> tuple[Any, Any]:
    """The type of a field, and its default as JSON."""
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == alias)
    default = field.get_default(call_default_factory=True)
    return field.annotation, {} if isinstance(default, BaseModel) else default
