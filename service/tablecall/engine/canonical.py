"""One text for one document (RFC 8785), and one document for one question: what receipts are taken over."""

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
"""What of a request is no part of the question: the seed, and what is merely to be shown."""
_DOUBTFUL = re.compile(rb"[\xf0-\xf4]|[:,\[]-?[0-9]+[.eE]|[:,\[]-?[0-9]{16}")


def canonical(document: Mapping[str, Any] | list[Any]) -> bytes:
    """A JSON document as RFC 8785 writes it. Refuses (`ValueError`) a number that no double holds.

    orjson writes the same, save for fractions, long integers, and names beyond the basic plane: where there could be any of
    these, the slow writer writes.
    """
    text = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    return rfc8785.dumps(document) if _DOUBTFUL.search(text) else text


def digest(document: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical text, in base64url without padding."""
    return urlsafe_b64encode(sha256(canonical(document)).digest()).rstrip(b"=").decode()


def question(tag: str, body: Body) -> dict[str, Any]:
    """What a request asks, whichever door it came through: its action and its body as sent, what equals its default left out.

    The seed and what is merely to be shown (``include``) are no part of the question.
    """
    asked = {name: value for name, value in body.sent.items() if name not in UNASKED}
    return {"action": tag, **_plain(type(body), asked)}


def _plain(model: type[BaseModel], document: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in document.items():
        inner, default = _field(model, name)
        said = _said(inner, value)
        if said != default:
            found[name] = said
    return found


def _said(inner: type[BaseModel] | None, value: Any) -> Any:
    if isinstance(value, dict):
        return _plain(inner, value) if inner else {name: _said(None, part) for name, part in value.items()}
    if isinstance(value, list):
        return [_said(inner, part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@cache
def _field(model: type[BaseModel], alias: str) -> tuple[type[BaseModel] | None, Any]:
    """The model inside a field, and its default as the wire has it."""
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == alias)
    default = field.get_default(call_default_factory=True)
    return model_in(field.annotation), {} if isinstance(default, BaseModel) else default
