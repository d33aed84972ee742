"""JSON bodies: what is valid, what is out of bounds, and what a long one costs."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.engine.requests import as_object
from tablecall.http import json_body
from tablecall.http.json_body import MAX_CONTAINERS, MAX_NAMES, MAX_NESTING, MAX_VALUES, parse, read
from tablecall.model.refusals import NotJson, Unprocessable
from tablecall.settings import Settings
from tests.support.asgi import call, scope

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def read_now(text: bytes) -> Any:
    return asyncio.run(read(text))


READERS = pytest.mark.parametrize("reader", [parse, read_now])


@given(JSON)
def test_parse_returns_the_document_that_was_written(document: Any) -> None:
    for text in (json.dumps(document), json.dumps(document, ensure_ascii=False, indent=1)):
        assert parse(text.encode()) == document


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=4), st.data())
def test_duplicate_names_are_refused(document: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(document)))
    twice = f'{{{json.dumps(name)}: ":", {json.dumps(document)[1:]}'
    for text in (twice, f'{{"x": [{twice}]}}'):
        with pytest.raises(NotJson):
            parse(text.encode())


COLONS = st.text(st.sampled_from([":", "a", "\\", '"', "\n", "é"]), max_size=4)


@given(st.dictionaries(COLONS, COLONS, min_size=1, max_size=3), st.data())
def test_escaped_colons_and_backslashes_do_not_hide_a_duplicate(document: dict[str, str], data: st.DataObject) -> None:
    def written(text: str) -> str:
        parts = [data.draw(st.sampled_from(["\\u003a", "\\u003A", ":"])) if one == ":" else json.dumps(one)[1:-1] for one in text]
        return f'"{"".join(parts)}"'

    pairs = [f"{written(name)}:{written(value)}" for name, value in document.items()]
    assert parse(f"{{{','.join(pairs)}}}".encode()) == document
    assert parse(f"[[{{{','.join(pairs)}}}], 1]".encode()) == [[document], 1]
    again = data.draw(st.sampled_from(list(document)))
    with pytest.raises(NotJson):
        parse(f"{{{','.join([*pairs, f'{written(again)}:{written(again)}'])}}}".encode())


FROM, ENDS = "this is not a JSON document in UTF-8 from {} on", "this JSON document ends at {}, before it is whole"
EMPTY = "this is empty: a JSON document in UTF-8 is wanted"
POSITIONS: list[tuple[bytes, str]] = [
    (b"", EMPTY),
    (b" \t\r\n", EMPTY),
    (b'{"a": 1,}', FROM.format("column 8")),
    (b'{"a": x}\n\n', FROM.format("column 7")),
    (b'{\n "a": 1,\n "b": xx}', FROM.format("line 3, column 7")),
    (b"\n\n x", FROM.format("line 3, column 2")),
    (b'{\r\n"a": x}', FROM.format("line 2, column 6")),
    # Characters are counted, not bytes.
    ('{"üü": x}'.encode(), FROM.format("column 8")),
    ('{"😀": "€",\n "😀": x}'.encode(), FROM.format("line 2, column 7")),
    # Invalid UTF-8.
    (b'"\xff"', FROM.format("column 2")),
    (b'{"\xc3\xbc": "\xff"}', FROM.format("column 8")),
    (b'{"\xc3\xbc":\n 1, "\xc3\xbc": "\xff"}', FROM.format("line 2, column 11")),
    (b'{"a": x, "b": "\xff"}', FROM.format("column 16")),
    (b'"\xed\xa0\x80"', FROM.format("column 2")),
    (b'"\xe2\x82', FROM.format("column 2")),
    (b"\xff\xfe{\x00}\x00", FROM.format("column 1")),
    (b'"\\ud800"', FROM.format("column 2")),
    (b'"a\nb"', FROM.format("line 1, column 3")),
    (b"[NaN]", FROM.format("column 2")),
    (b"{} {}", FROM.format("column 4")),
    (b'{"a":', ENDS.format("column 6")),
    (b'{"a": [1,\n 2', ENDS.format("line 2, column 3")),
]


@READERS
@pytest.mark.parametrize(("text", "detail"), POSITIONS)
def test_position_of_a_syntax_error(reader: Callable[[bytes], Any], text: bytes, detail: str) -> None:
    with pytest.raises(NotJson) as caught:
        reader(text)
    assert [(finding.pointer, finding.words()) for finding in caught.value.findings] == [("", detail)]


@given(JSON, st.integers(1, 3), st.data())
def test_position_of_a_syntax_error_is_the_first_wrong_character(document: Any, indent: int, data: st.DataObject) -> None:
    text = json.dumps([document], ensure_ascii=False, indent=indent)
    at = data.draw(st.sampled_from([index for index, character in enumerate(text) if character == "\n"]))
    line, column = text[:at].count("\n") + 1, at - text.rfind("\n", 0, at)
    with pytest.raises(NotJson, match=rf"from line {line}, column {column} on$"):
        parse(f"{text[:at]}?{text[at:]}".encode())


@pytest.mark.parametrize("document", [None, True, 3, "text", [], [{}]])
def test_as_object_refuses_other_types(document: object) -> None:
    with pytest.raises(Unprocessable):
        as_object(document)


# ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return opening * depth + closing * depth


def named(names: int) -> bytes:
    return json.dumps({f"n{index}": 0 for index in range(names)}).encode()


def filled(unit: bytes, count: int) -> bytes:
    """A list of ``count`` copies of ``unit``."""
    return b"[" + b",".join([unit] * count) + b"]"


BOUNDS: list[tuple[Callable[[int], bytes], int, str]] = [
    (nested, MAX_NESTING, f"at most {MAX_NESTING} deep"),
    (lambda depth: nested(depth - 1, b'{"a":', b"}").replace(b":}", b":{}}"), MAX_NESTING, "nested at most"),
    (lambda names: b"[[" + named(names) + b"]]", MAX_NAMES, f"at most {MAX_NAMES} names"),
    (lambda count: filled(b"[]", count - 1), MAX_CONTAINERS, f"at most {MAX_CONTAINERS} lists and objects"),
    (lambda count: filled(b"{}", count - 1), MAX_CONTAINERS, f"at most {MAX_CONTAINERS} lists and objects"),
    (lambda commas: filled(b"0", commas + 1), MAX_VALUES, f"at most {MAX_VALUES} commas"),
]


@READERS
@pytest.mark.parametrize(("made", "most", "detail"), BOUNDS)
def test_bounds(reader: Callable[[bytes], Any], made: Callable[[int], bytes], most: int, detail: str) -> None:
    assert reader(made(most)) == json.loads(made(most))
    with pytest.raises(Unprocessable, match=detail):
        reader(made(most + 1))


@pytest.mark.parametrize("path", ["/resolve", "/batch", "/graphql", "/verify", "/odds/jazz/check"])
def test_bounds_apply_to_every_endpoint(client: TestClient, path: str) -> None:
    answer = client.post(path, content=nested(MAX_NESTING + 1), headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert f"at most {MAX_NESTING} deep" in answer.text


def test_bounds_apply_to_each_line_of_a_batch(client: TestClient) -> None:
    lines = b'{"a":' + filled(b"[]", MAX_CONTAINERS) + b'}\n{"action":"jazz.karma"}\n'
    first, second = client.post("/batch", content=lines, headers={"content-type": "application/x-ndjson"}).text.splitlines()
    assert f"at most {MAX_CONTAINERS} lists and objects" in first
    assert "/character" in second


@READERS
@pytest.mark.parametrize("text", [b'{"a": [1, 2], "b": {"c": "x"}}', b'["\\u003a"]', b'"\\u003a"', b'"%b"' % (b"[{" * 200)])
def test_brackets_and_colons_inside_strings_are_text(reader: Callable[[bytes], Any], text: bytes) -> None:
    assert reader(text) == json.loads(text)


# ── Long documents ───────────────────────────────────────────────────────────────────────────────────────────────────

MEGABYTE = 1_000_000
LONG = {
    "objects": filled(b'{"a":[{}]}', 10_000),
    "escaped colons": filled(b'{"\\u003a":"\\u003a"}', 10_000),
    "names": filled(named(200).replace(b"0,", b"{},"), 100),
}
STRINGS = {
    "one escaped colon": b'{"requests":["\\u003a' + b"a" * MEGABYTE + b'"]}',
    "escaped colons": b'{"requests":["' + b"\\u003a" * (MEGABYTE // 6) + b'"]}',
    "backslashes": b'{"requests":["\\u003a' + b"\\\\" * (MEGABYTE // 2) + b'"]}',
    "colons": b'{"requests":["\\u003a' + b":" * MEGABYTE + b'"]}',
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_checks_of_a_long_document_pause(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other requests run at least once for every 512 lists and objects."""
    pauses = 0

    async def sliced(work: Any) -> None:
        nonlocal pauses
        for _ in work:
            pauses += 1

    monkeypatch.setattr(json_body, "sliced", sliced)
    assert read_now(text) == json.loads(text)
    assert pauses >= (text.count(b"{") + text.count(b"[")) // 512


def peak_memory(work: Callable[[], object]) -> int:
    """The most bytes allocated at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_memory_of_a_long_string_is_bounded(text: bytes) -> None:
    """About 13 bytes for each byte of text, nearly all of them orjson's own, most of which it never touches."""
    assert peak_memory(lambda: read_now(text)) < 20 * len(text)


UNKNOWN_NAMES = b"{" + b",".join(b'"n%d":1' % index for index in range(MAX_NAMES)) + b"}"
WRONG_ACTOR = b'{"character":{"name":"x","aspects":' + filled(UNKNOWN_NAMES, 50) + b"}}"
COSTLY = {
    "escaped colon": b'{"action":"jazz.fight","requests":["\\u003a' + b"a" * MEGABYTE + b'"]}',
    "unknown names": b'{"action":"jazz.fight","combatants":' + filled(b'{"id":"a","side":"b","actor":' + WRONG_ACTOR + b"}", 7) + b"}",
    "numbers": b'{"action":"jazz.fight","order":' + filled(b"1.2345", 99_000) + b"}",
}
BODIES = {
    "/resolve": b"%s",
    "/odds": b"%s",
    "/resolve/jazz/fight": b"%s",
    "/batch": b'{"requests":[%s]}',
    "/verify": b'{"request":%s,"ruling":{"outcome":"success"}}',
    "/graphql": b'{"query":"query($r: ResolveRequest!) { resolve(request: $r) { outcome } }","variables":{"r":%s}}',
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
@pytest.mark.parametrize("path", BODIES)
def test_memory_of_a_megabyte_is_bounded_at_every_endpoint(path: str, text: bytes) -> None:
    """13 to 20 bytes for each byte of the body."""
    app = create_app(Settings(odds_workers=0))
    asyncio.run(call(app, scope("/graphql"), b'{"query":"{ __typename }"}'))  # makes the GraphQL endpoint
    assert peak_memory(lambda: asyncio.run(call(app, scope(path), BODIES[path] % text))) < 25 * MEGABYTE
