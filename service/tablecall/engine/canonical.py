"""The canonical text of a document (RFC 8785), and the canonical form of a request: what receipts sign."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Literal

import orjson
import rfc8785
from pydantic import BaseModel

from tablecall.model.annotations import models_in
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
        annotation, default = _field(model, name)
        normalized = _normalized(annotation, value)
        if normalized != default:
            remaining[name] = normalized
    return remaining


def _normalized(annotation: Any, value: Any) -> Any:
    if isinstance(value, dict):
        model = _member(models_in(annotation), value)
        return _without_defaults(model, value) if model else {name: _normalized(None, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_normalized(annotation, part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


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
