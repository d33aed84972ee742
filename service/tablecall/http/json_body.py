"""JSON documents as RFC 7493 has them, read within bounds: what a few bytes say may take long to make, and longer to look through."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from itertools import islice
from typing import Any

import orjson

from tablecall.engine import Cooperative, at_once
from tablecall.model.refusals import Finding, NotJson, Unprocessable
from tablecall.runtime.cooperative import sliced
from tablecall.runtime.request_context import RequestContext

MAX_NESTING = 64
"""How deep lists and objects may stand in each other."""
MAX_NAMES = 256
"""How many names one object may have: no published one has half as many, and to be told of each takes pydantic a while."""
MAX_CONTAINERS = 50_000
"""How many lists and objects a document may have: three times those of the largest that is right."""
MAX_VALUES = 100_000
"""How many commas a document may have, those of its texts too: it has hardly more values."""
_AT_ONCE = 256
"""So many lists and objects, or names, are looked at before others have their turn."""


async def read(context: RequestContext, text: bytes) -> Any:
    """A JSON document, as `parse` reads it, holding nobody up."""
    document, sure = _loaded(text)
    if not sure:
        await sliced(_looked_through(text, document))
    return document


def parse(text: bytes) -> Any:
    """A JSON document; refuses what is not one, a name given twice, and what is too much. The refusal never shows the text."""
    document, sure = _loaded(text)
    if not sure:
        at_once(_looked_through(text, document))
    return document


def _loaded(text: bytes) -> tuple[Any, bool]:
    """The document, and whether it is sure to be within bounds, with every name kept: a small one mostly is."""
    opened = text.count(b"[") + text.count(b"{")
    if opened > MAX_CONTAINERS:
        raise _out_of_bounds(f"a document has at most {MAX_CONTAINERS} lists and objects")
    if text.count(b",") > MAX_VALUES:
        raise _out_of_bounds(f"a document has at most {MAX_VALUES} commas")
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotJson(Finding("", NotJson.code, _not_json(text, error))) from None
    colons = text.count(b":")
    if colons > MAX_NAMES or opened > MAX_NESTING or _ESCAPED in text:
        return document, False
    if _colons(document) != colons:
        raise _twice()
    return document, True


def _not_json(text: bytes, error: orjson.JSONDecodeError) -> str:
    """Where the text is no longer a JSON document in UTF-8, in characters from 1 on. Of a text of one line only the column is told."""
    if not text.strip():
        return "this is empty: a JSON document in UTF-8 is wanted"
    if text.startswith(BOM_UTF8):
        return "this begins with a byte order mark: a JSON document in UTF-8 has none"
    line, column, ended = error.lineno, error.colno, error.pos == len(error.doc)
    try:
        text.decode()
    except UnicodeDecodeError as other:  # orjson does not say where
        before = text[: other.start].decode()
        line, column, ended = before.count("\n") + 1, len(before) - before.rfind("\n"), False
    where = f"line {line}, column {column}" if b"\n" in text.rstrip() else f"column {column}"
    return f"this JSON document ends at {where}, before it is whole" if ended else f"this is not a JSON document in UTF-8 from {where} on"


def _looked_through(text: bytes, document: Any) -> Cooperative[None]:
    """Refuse what is out of bounds, or has lost a name."""
    yield from _within_bounds(document)
    if _ESCAPED in text:
        there, written = (yield from _names(document)), (yield from _names_written(text))
    else:
        there, written = _colons(document), text.count(b":")
    if there != written:
        raise _twice()


_ESCAPED = b"\\u003"
"""How an escaped colon begins."""


def _colons(document: Any) -> int:
    """How many colons a document has, written again.

    One follows every name, and a name given twice, of which only one is left, has taken its own along: unless some were escaped
    there are as many as in the text.
    """
    return orjson.dumps(document).count(b":")


def _twice() -> NotJson:
    return NotJson(Finding("", NotJson.code, "a name stands twice in one object"))


def _within_bounds(document: Any) -> Cooperative[None]:
    """Refuse what is too deep, or has an object with too many names; level by level."""
    level = [document]
    for _ in range(MAX_NESTING):
        below: list[Any] = []
        for number, value in enumerate(level):
            if number % _AT_ONCE == _AT_ONCE - 1:
                yield None
            if isinstance(value, dict):
                if len(value) > MAX_NAMES:
                    raise _out_of_bounds(f"an object has at most {MAX_NAMES} names")
                below += [part for part in value.values() if isinstance(part, dict | list)]
            elif isinstance(value, list):
                below += [part for part in value if isinstance(part, dict | list)]
        if not below:
            return
        level = below
    raise _out_of_bounds(f"a document is at most {MAX_NESTING} lists and objects deep")


def _names(document: Any) -> Cooperative[int]:
    """How many names the objects of a document have in all."""
    found, seen, still = 0, 0, [document]
    while still:
        value = still.pop()
        seen += 1
        if seen % _AT_ONCE == 0:
            yield None
        if isinstance(value, dict):
            found += len(value)
            still += value.values()
        elif isinstance(value, list):
            still += value
    return found


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"[ \t\r\n]*(:?)', re.DOTALL)


def _names_written(text: bytes) -> Cooperative[int]:
    """How many of the strings of a document's text are names: a colon follows them."""
    strings, found = _STRING.finditer(text), 0
    while some := list(islice(strings, _AT_ONCE)):
        found += sum(1 for match in some if match[1])
        yield None
    return found


def _out_of_bounds(detail: str) -> Unprocessable:
    return Unprocessable(Finding("", "out-of-bounds", detail))
