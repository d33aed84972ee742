"""The canonical text of a document (RFC 8785), and the canonical form of a request: what receipts sign."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

import orjson
import rfc8785
from pydantic import BaseModel

from tablecall.model.annotations import model_in
from tablecall.model.base import Body

UNASKED = frozenset({"seed", "include"})
"""The fields of a request that do not belong to its question: the seed, and what to include in the ruling."""
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


def question(tag: str, body: Body) -> dict[str, Any]:
    """The question a request asks: its action and its body as sent, without ``seed`` and ``include``, and without default values.

    It is the same for REST and GraphQL.
    """
    sent = {name: value for name, value in body.sent.items() if name not in UNASKED}
    return {"action": tag, **_without_defaults(type(body), sent)}


def _without_defaults(model: type[BaseModel], document: Mapping[str, Any]) -> dict[str, Any]:
    remaining = {}
    for name, value in document.items():
        inner, default = _field(model, name)
        normalized = _normalized(inner, value)
        if normalized != default:
            remaining[name] = normalized
    return remaining


def _normalized(inner: type[BaseModel] | None, value: Any) -> Any:
    if isinstance(value, dict):
        return _without_defaults(inner, value) if inner else {name: _normalized(None, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_normalized(inner, part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@cache
def _field(model: type[BaseModel], alias: str) -> tuple[type[BaseModel] | None, Any]:
    """The model inside a field, and the field's default as JSON."""
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == alias)
    default = field.get_default(call_default_factory=True)
    return model_in(field.annotation), {} if isinstance(default, BaseModel) else default
