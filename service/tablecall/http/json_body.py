"""JSON request bodies as RFC 7493 (I-JSON) defines them, parsed within fixed bounds.

Every step is linear in the length of the text and runs in C, except for the walk over a document with many objects and lists. That
walk pauses, so that a long document does not block the event loop.
"""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from typing import Any

import orjson

from tablecall.engine import Cooperative, at_once
from tablecall.model.refusals import Finding, NotJson, Unprocessable, pointer_of
from tablecall.runtime.cooperative import sliced

MAX_NESTING = 64
"""How deeply lists and objects may be nested."""
MAX_NAMES = 256
"""The most names in one object. No published object has half as many."""
MAX_CONTAINERS = 50_000
"""The most lists and objects in a document. The largest realistic request has a third of this."""
MAX_VALUES = 100_000
"""The most commas in a document, including those inside strings. A document has about as many values as commas."""
_EXPONENT = re.compile(rb"[0-9][eE]\+?[0-9]{3}")
"""Part of every number beyond a double that is written with an exponent."""
_CONTAINERS_PER_STEP = 256
"""How many lists and objects are checked between two pauses."""


async def read(text: bytes) -> Any:
    """The document, as `parse` returns it, without blocking the event loop."""
    document, checks = _loaded(text)
    if checks is not None:
        await sliced(checks)
    return document


def parse(text: bytes) -> Any:
    """The document. Refuses invalid JSON, a name used twice in one object, and a document out of bounds.

    The refusal never quotes the text.
    """
    document, checks = _loaded(text)
    if checks is not None:
        at_once(checks)
    return document


def _loaded(text: bytes) -> tuple[Any, Cooperative[None] | None]:
    """The document, and the checks that it still needs. A short one mostly needs none. A byte order mark in front is skipped."""
    text = text.removeprefix(BOM_UTF8)
    opened = text.count(b"[") + text.count(b"{")
    if opened > MAX_CONTAINERS:
        raise _out_of_bounds("http.containers", MAX_CONTAINERS)
    if text.count(b",") > MAX_VALUES:
        raise _out_of_bounds("http.commas", MAX_VALUES)
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        _refuse_infinity(text)
        raise NotJson(_syntax_error(text, error)) from None
    colons = text.count(b":")
    if colons > MAX_NAMES or opened > MAX_NESTING or rb"\u003" in text:
        return document, _checks(text, document)
    _refuse_lost_names(document, colons)
    return document, None


def _refuse_infinity(text: bytes) -> None:
    """Refuse (422) JSON that orjson does not read for a number beyond a double, such as 1e400."""
    if not _EXPONENT.search(text):
        return
    try:
        level: list[tuple[tuple[str, ...], Any]] = [((), json.loads(text, parse_constant=int))]
    except (ValueError, RecursionError):
        return
    for path, value in level:
        if isinstance(value, float) and math.isinf(value):
            raise Unprocessable(Finding(pointer_of(path), "out-of-range", "http.double"))
        parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        level += [((*path, str(name)), part) for name, part in parts]


def _syntax_error(text: bytes, error: orjson.JSONDecodeError) -> Finding:
    """Where the text stops being JSON in UTF-8, counted in characters from 1. A text of one line is given no line number."""
    if not text.strip():
        return Finding("", NotJson.code, "http.empty")
    line, column, ended = error.lineno, error.colno, error.pos == len(error.doc)
    try:
        text.decode()
    except UnicodeDecodeError as bad_byte:  # orjson does not report the position
        before = text[: bad_byte.start].decode()
        line, column, ended = before.count("\n") + 1, len(before) - before.rfind("\n"), False
    if b"\n" in text.rstrip():
        key = "http.cut_short_lines" if ended else "http.not_json_lines"
    else:
        key = "http.cut_short" if ended else "http.not_json"
    return Finding("", NotJson.code, key, None, (("line", line), ("column", column)))


def _checks(text: bytes, document: Any) -> Cooperative[None]:
    """All checks of a document that may be too deep, have too many names in an object, or hide colons in escapes."""
    yield None
    yield from _check_bounds(document)
    colons = _colons(text)
    yield None
    _refuse_lost_names(document, colons)


def _refuse_lost_names(document: Any, colons: int) -> None:
    """Refuse a document whose text had more ``colons``: it gave a name twice in one object (RFC 7493, section 2.3).

    Of a name given twice the parsed document keeps only the last, so it has fewer colons when it is written again.
    """
    if orjson.dumps(document).count(b":") != colons:
        raise NotJson(Finding("", NotJson.code, "http.name_twice"))


def _check_bounds(document: Any) -> Cooperative[None]:
    """Refuse a document that is too deep, or has an object with too many names. Walks level by level."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_NESTING):
        below: list[Any] = []
        for number, value in enumerate(level, 1):
            if number % _CONTAINERS_PER_STEP == 0:
                yield None
            if isinstance(value, dict) and len(value) > MAX_NAMES:
                raise _out_of_bounds("http.names", MAX_NAMES)
            parts = value.values() if isinstance(value, dict) else value
            below += [part for part in parts if isinstance(part, dict | list)]
        if not below:
            return
        level = below
    raise _out_of_bounds("http.nesting", MAX_NESTING)


def _colons(text: bytes) -> int:
    """How many colons a JSON text has: as its syntax, inside strings, and escaped as ``\\u003a``."""
    # In `\\u003a` the first backslash escapes the second.
    escapes = text.replace(rb"\\", b"")
    return text.count(b":") + escapes.count(rb"\u003a") + escapes.count(rb"\u003A")


def _out_of_bounds(detail: str, most: int) -> Unprocessable:
    return Unprocessable(Finding("", "out-of-range", detail, None, (("max", most),)))
