"""JSON bodies: what is valid, what is out of bounds, and what a long one costs."""

from __future__ import annotations

import asyncio
import json
import time
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
from tests.http.test_limits import ask, scope
from tests.support.contexts import context

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_parse_returns_the_document_that_was_written(document: Any) -> None:
    for text in (json.dumps(document), json.dumps(document, ensure_ascii=False, indent=1)):
        assert parse(text.encode()) == document


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=4), st.data())
def test_duplicate_names_are_refused(document: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(document)))
    twice = f'{{{json.dumps(name)}: ":", {json.dumps(document)[1:]}'
    with pytest.raises(NotJson):
        parse(twice.encode())
    with pytest.raises(NotJson):
        parse(f'{{"x": [{twice}]}}'.encode())


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


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e400",
        b'"\\ud800"',
        b'"\\ud800\\ud800"',
        b'{"\\udfff":1}',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b"\xef\xbb\xbf{}",
        b"\xfe\xff\x00{\x00}",
        b"9" * 5000,
        b"[" * 40_000,
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b"{} {}",
        b"01",
        b"'a'",
        b"{a:1}",
        b"[1,]",
        b'"\x00"',
        b"// a\n1",
    ],
    ids=range(24),
)
def test_invalid_json_is_refused(text: bytes) -> None:
    with pytest.raises(NotJson) as caught:
        parse(text)
    assert caught.value.findings[0].pointer == ""


FROM, ENDS = "this is not a JSON document in UTF-8 from {} on", "this JSON document ends at {}, before it is whole"
EMPTY = "this is empty: a JSON document in UTF-8 is wanted"
PLACES: list[tuple[bytes, str]] = [
    (b"", EMPTY),
    (b" \t\r\n", EMPTY),
    (b"\xef\xbb\xbf{}", "this begins with a byte order mark: a JSON document in UTF-8 has none"),
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


@pytest.mark.parametrize(("text", "said"), PLACES)
def test_syntax_error_position(text: bytes, said: str) -> None:
    for reading in (parse, lambda text: asyncio.run(read(context(), text))):
        with pytest.raises(NotJson) as caught:
            reading(text)
        assert [found.detail for found in caught.value.findings] == [said]


@given(JSON, st.integers(1, 3), st.data())
def test_syntax_error_position_is_the_first_wrong_character(document: Any, indent: int, data: st.DataObject) -> None:
    whole = json.dumps([document], ensure_ascii=False, indent=indent)
    spaces = [index for index, one in enumerate(whole) if one == "\n"]
    where = data.draw(st.sampled_from(spaces))
    line, column = whole[:where].count("\n") + 1, where - whole.rfind("\n", 0, where)
    with pytest.raises(NotJson, match=rf"from line {line}, column {column} on$"):
        parse(f"{whole[:where]}?{whole[where:]}".encode())


@pytest.mark.parametrize("document", [None, True, 3, "text", [], [{}]])
def test_as_object_refuses_other_types(document: object) -> None:
    with pytest.raises(Unprocessable):
        as_object(document)


# ── Bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def named(names: int) -> bytes:
    return json.dumps({f"n{index}": 0 for index in range(names)}).encode()


def filled(unit: bytes, count: int) -> bytes:
    """A list of ``count`` copies of ``unit``."""
    return b"[" + b",".join([unit] * count) + b"]"


BOUNDS: list[tuple[Callable[[int], bytes], int, str]] = [
    (nested, MAX_NESTING, f"at most {MAX_NESTING} lists and objects deep"),
    (lambda names: b"[[" + named(names) + b"]]", MAX_NAMES, f"at most {MAX_NAMES} names"),
    (lambda count: filled(b"[]", count - 1), MAX_CONTAINERS, f"at most {MAX_CONTAINERS} lists and objects"),
    (lambda count: filled(b"{}", count - 1), MAX_CONTAINERS, f"at most {MAX_CONTAINERS} lists and objects"),
    (lambda commas: filled(b"0", commas + 1), MAX_VALUES, f"at most {MAX_VALUES} commas"),
]


@pytest.mark.parametrize(("made", "most", "said"), BOUNDS)
def test_bounds(made: Callable[[int], bytes], most: int, said: str) -> None:
    assert asyncio.run(read(context(), made(most))) == parse(made(most)) == json.loads(made(most))
    for reading in (parse, lambda text: asyncio.run(read(context(), text))):
        with pytest.raises(Unprocessable, match=said):
            reading(made(most + 1))


@pytest.mark.parametrize("text", [b"{}" * 2, b'{"a": [1, 2], "b": {"c": "x"}}', b'[{"a": 1}]', b'["\\u003a"]', b'"\\u003a"'])
def test_read_and_parse_agree(text: bytes) -> None:
    def outcome(reading: Callable[[bytes], Any]) -> Any:
        try:
            return reading(text)
        except NotJson as refused:
            return refused.findings

    assert outcome(parse) == outcome(lambda text: asyncio.run(read(context(), text)))


MANY_NAMES = b",".join(b'"n%d":{}' % index for index in range(200))
MEGABYTE = 1_000_000
LONG = {
    "objects": filled(b'{"a":[{}]}', 10_000),
    "escaped colons": filled(b'{"\\u003a":"\\u003a"}', 10_000),
    "names": filled(b"{" + MANY_NAMES + b"}", 100),
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
    assert asyncio.run(read(context(), text)) == json.loads(text)
    assert pauses >= (text.count(b"{") + text.count(b"[")) // 512


def peak_memory(text: bytes) -> int:
    """The most bytes allocated at once while ``text`` is read."""
    tracemalloc.start()
    try:
        asyncio.run(read(context(), text))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_memory_of_a_long_string_is_bounded(text: bytes) -> None:
    """About 13 bytes for each byte of text, nearly all of them orjson's own, most of which it never touches."""
    assert peak_memory(text) < 20 * len(text)


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_no_step_of_a_long_string_takes_long(text: bytes) -> None:
    """Processor time, so that other processes do not count; a pattern with backtracking took 80 ms here, and 3 ms are usual."""

    def longest_step() -> float:
        _, checks = json_body._loaded(text)
        assert checks is not None
        longest, started = 0.0, time.thread_time()
        for _ in checks:
            longest, started = max(longest, time.thread_time() - started), time.thread_time()
        return max(longest, time.thread_time() - started)

    assert min(longest_step() for _ in range(5)) < 0.03


@pytest.mark.parametrize("path", ["/resolve", "/batch", "/graphql", "/verify", "/odds/jazz/check"])
def test_bounds_apply_to_every_endpoint(client: TestClient, path: str) -> None:
    answer = client.post(path, content=b'{"a":' + filled(b"[]", MAX_CONTAINERS) + b"}", headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert f"at most {MAX_CONTAINERS} lists and objects" in answer.text


def test_bounds_apply_to_each_line_of_a_batch(client: TestClient) -> None:
    lines = b'{"a":' + filled(b"[]", MAX_CONTAINERS) + b'}\n{"action":"jazz.karma"}\n'
    first, second = client.post("/batch", content=lines, headers={"content-type": "application/x-ndjson"}).text.splitlines()
    assert f"at most {MAX_CONTAINERS} lists and objects" in first
    assert "/character" in second


# ── One megabyte at every endpoint ───────────────────────────────────────────────────────────────────────────────────


class Callbacks:
    """The processor time of the longest callback of the event loop. Other processes do not count."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.longest = 0.0
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            started = time.thread_time()
            run(handle)
            self.longest = max(self.longest, time.thread_time() - started)

        monkeypatch.setattr(asyncio.Handle, "_run", timed)


UNKNOWN_NAMES = b"{" + b",".join(b'"n%d":1' % index for index in range(MAX_NAMES)) + b"}"
WRONG_ACTOR = b'{"character":{"name":"x","aspects":[' + b",".join([UNKNOWN_NAMES] * 50) + b"]}}"
COSTLY = {
    "escaped colon": b'{"action":"jazz.fight","requests":["\\u003a' + b"a" * MEGABYTE + b'"]}',
    "escaped colons": b'{"action":"jazz.fight","requests":["' + b"\\u003a" * (MEGABYTE // 6) + b'"]}',
    "unknown names": b'{"action":"jazz.fight","combatants":['
    + b",".join([b'{"id":"a","side":"b","actor":' + WRONG_ACTOR + b"}"] * 7)
    + b"]}",
    "numbers": b'{"action":"jazz.fight","order":' + filled(b"1.2345", 99_000) + b"}",
}
PARTS = {
    "/resolve": b"%s",
    "/odds": b"%s",
    "/resolve/jazz/fight": b"%s",
    "/batch": b'{"requests":[%s]}',
    "/verify": b'{"request":%s,"ruling":{"outcome":"success"}}',
    "/graphql": b'{"query":"query($r: ResolveRequest!) { resolve(request: $r) { outcome } }","variables":{"r":%s}}',
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
@pytest.mark.parametrize("path", PARTS)
def test_a_megabyte_blocks_no_endpoint(path: str, text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """About 5 to 15 ms of processor time and 13 to 20 bytes of memory for each byte, most of which orjson never touches."""
    app, body = create_app(Settings(odds_workers=0)), PARTS[path] % text
    asyncio.run(ask(app, scope("/graphql"), b'{"query":"{ __typename }"}'))
    callbacks = Callbacks(monkeypatch)
    times = []
    for _ in range(3):
        callbacks.longest = 0.0
        asyncio.run(ask(app, scope(path), body))
        times.append(callbacks.longest)
    assert min(times) < 0.05
    tracemalloc.start()
    try:
        asyncio.run(ask(app, scope(path), body))
        assert tracemalloc.get_traced_memory()[1] < 25 * MEGABYTE
    finally:
        tracemalloc.stop()
