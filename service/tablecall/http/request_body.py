"""Reading what was sent: a body to a JSON object, a flat query to the same object, the object to an action's body."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from tablecall.http.json_body import as_object, read
from tablecall.http.problems import HttpProblem, Repeated, unprocessable
from tablecall.model.annotations import fields_of, item_of, opened
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, Unprocessable, pointer_of
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System

JSON = frozenset({"application/json", "text/json"})


def header(request: Request, name: bytes) -> str:
    """A header, given in lower case; empty where the caller sent none."""
    for found, value in request.scope["headers"]:
        if found == name:
            return str(value, "latin-1")
    return ""


def media_type(request: Request) -> str:
    """What the body is said to be, without parameters."""
    return header(request, b"content-type").partition(";")[0].strip().lower()


def as_it_is(request: Request) -> None:
    """Refuse (415) a body that is packed: unpacked it may be any size."""
    if header(request, b"content-encoding").lower() not in ("", "identity"):
        raise HttpProblem("unsupported-media-type", "a body is sent as it is, without a Content-Encoding")


async def read_bytes(request: Request, most: int) -> bytes:
    """The body, counted as it arrives; refuses one that is packed (415), and more than ``most`` bytes (413)."""
    as_it_is(request)
    length = header(request, b"content-length")
    if length.isdecimal() and (len(length) > 18 or int(length) > most):
        raise HttpProblem("too-large", f"a body has at most {most} bytes")
    body, more = b"", True
    parts, size = [], 0
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body, more = message.get("body", b""), message.get("more_body", False)
        size += len(body)
        if size > most:
            raise HttpProblem("too-large", f"a body has at most {most} bytes")
        parts.append(body)
    return body if len(parts) == 1 else b"".join(parts)


async def read_json(request: Request, most: int, wanted: str = "a request is a JSON object") -> dict[str, Any]:
    """The body as a JSON object; refuses other media types (415), what is not JSON (400), and other JSON (422): ``wanted`` says which."""
    media = media_type(request)
    if media not in JSON and not (media.startswith("application/") and media.endswith("+json")):
        raise HttpProblem("unsupported-media-type")
    return as_object(await read(await read_bytes(request, most)), wanted)


def tagged(document: dict[str, Any]) -> tuple[System, Action, Body]:
    """The action a request names by its tag, and its body."""
    tag = document.get("action")
    if tag is None:
        raise Unprocessable(Finding("/action", "missing", "say which action: " + ", ".join(ACTIONS)))
    system, action = _named(tag)
    return system, action, body_of(action, _bare(document))


def untagged(system: System, action: Action, document: dict[str, Any]) -> Body:
    """The body of an action the path already names; a tag that names another is refused."""
    if document.get("action", tag := f"{system.name}.{action.name}") != tag:
        raise Unprocessable(Finding("/action", "not-allowed", f"this path resolves {tag}"))
    return body_of(action, _bare(document))


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    """The document without its tag."""
    found = document.copy()
    found.pop("action", None)
    return found


def _named(tag: Any) -> tuple[System, Action]:
    if not isinstance(tag, str) or tag not in ACTIONS:
        raise Unprocessable(Finding("/action", "not-allowed", "no such action: there are " + ", ".join(ACTIONS)))
    return ACTIONS[tag]


def body_of(action: Action, document: dict[str, Any]) -> Body:
    """The body, validated; refuses it with a finding for each place that is wrong."""
    try:
        return action.body.read(document)
    except ValidationError as error:
        raise unprocessable(error, action.body) from None


# ── The flat query of callers that can only GET ──────────────────────────────────────────────────────────────────────

MAX_PARAMETERS = 1000
"""The most parameters a query may have."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}(\.0{1,9})?")
_INDEX = re.compile(r"0|[1-9][0-9]?")
_MAX_DEPTH = 8


def read_query(request: Request) -> list[tuple[str, str]]:
    """The names and texts of the query, in order; refuses (400) what is not percent-encoded UTF-8, and too many."""
    raw: bytes = request.scope["query_string"]
    try:
        return parse_qsl(raw.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise HttpProblem("bad-request", f"a query is at most {MAX_PARAMETERS} parameters in percent-encoded UTF-8") from None


def flat(model: type[BaseModel], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A flat query as the object it means: ``actor.bonus=3`` and ``attackers.0.bonus=3``; a name given again makes a list.

    Text is read as the model's field there wants it: a number, ``true`` or ``false``, or itself. What does not read so
    stays text, for the model to refuse.
    """
    found: dict[str, Any] = {}
    for name, text in pairs:
        keys = name.split(".")
        if len(keys) > _MAX_DEPTH:
            raise Unprocessable(Finding(pointer_of(keys[:_MAX_DEPTH]), "unknown-field", f"a name has at most {_MAX_DEPTH} parts"))
        _put(found, keys, text)
    return cast("dict[str, Any]", _typed(model, _lists(found)))


def _put(found: dict[str, Any], keys: list[str], text: str) -> None:
    *way, last = keys
    for depth, key in enumerate(way, 1):
        found = found.setdefault(key, {})
        if not isinstance(found, dict):
            raise _both(keys[:depth])
    texts = found.setdefault(last, [])
    if not isinstance(texts, list):
        raise _both(keys)
    texts.append(text)


def _both(keys: list[str]) -> Unprocessable:
    return Unprocessable(Finding(pointer_of(keys), "wrong-type", "one name stands for a value and for what is inside it"))


def _lists(value: Any, place: tuple[str, ...] = ()) -> Any:
    """Objects whose keys are 0, 1, 2 … are lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: _lists(part, (*place, key)) for key, part in value.items()}
    if inner and all(_INDEX.fullmatch(key) for key in inner):
        if sorted(map(int, inner)) != list(range(len(inner))):
            raise Unprocessable(Finding(pointer_of(place), "not-allowed", "a list is numbered from 0 without a gap"))
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _typed(annotation: Any, value: Any) -> Any:
    """The texts at a place as its annotation wants them."""
    kinds = list(opened(annotation))
    if isinstance(value, dict):
        fields = fields_of(kinds)
        return {key: _typed(fields.get(key), part) for key, part in value.items()}
    wants = item_of(kinds)
    if wants is not None:
        return [_typed(wants, part if isinstance(part, dict | list) else [part]) for part in value]
    if any(not isinstance(part, str) for part in value):
        return [_typed(None, part) for part in value]
    texts = [_scalar(kinds, text) for text in value]
    return texts[0] if len(texts) == 1 else Repeated(texts)


def _scalar(kinds: list[Any], text: str) -> Any:
    if bool in kinds and text in ("true", "false"):
        return text == "true"
    if int in kinds and str not in kinds and _INTEGER.fullmatch(text):
        return int(text.partition(".")[0])
    return text
