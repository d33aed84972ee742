"""One table of hazards, run over every door: a 4xx that says where, never a 500, never a traceback, never the input."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from tablecall.settings import Settings
from tests.support.client import problem

MARK = "xyzzy"
"""Planted in every value that is sent, and never to be found in an answer."""
BOUND = Settings().max_body_bytes
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
QUERY = "query($request: ResolveRequest!) { resolve(request: $request) { outcome } }"
ODDS = "query($request: ResolveRequest!) { odds(request: $request) { method } }"

Door = Callable[[TestClient, bytes], httpx2.Response]


def rest(path: str, tag: bool) -> Door:
    def send(client: TestClient, body: bytes) -> httpx2.Response:
        if tag and body.startswith(b"{"):
            body = b'{"action":"jazz.check"' + (b"}" if body == b"{}" else b"," + body[1:])
        return client.post(path, content=body, headers={"content-type": "application/json"})

    return send


def graphql(query: str, accept: str) -> Door:
    def send(client: TestClient, body: bytes) -> httpx2.Response:
        whole = b'{"query":' + json.dumps(query).encode() + b',"variables":{"request":{"jazzCheck":' + body + b"}}}"
        return client.post("/graphql", content=whole, headers={"content-type": "application/json", "accept": accept})

    return send


DOORS: dict[str, Door] = {
    "resolve-by-tag": rest("/resolve", tag=True),
    "resolve-by-path": rest("/resolve/jazz/check", tag=False),
    "odds-by-tag": rest("/odds", tag=True),
    "odds-by-path": rest("/odds/jazz/check", tag=False),
    "graphql": graphql(QUERY, "application/json"),
    "graphql-response": graphql(QUERY, "application/graphql-response+json"),
    "graphql-odds": graphql(ODDS, "application/json"),
}


def check(**changes: Any) -> bytes:
    return json.dumps(CHECK | changes).encode()


def raw(field: str, value: bytes) -> bytes:
    """A check with a field written byte for byte."""
    return check()[:-1] + f',"{field}":'.encode() + value + b"}"


NOT_JSON: dict[str, bytes] = {
    "not JSON": b"{" + MARK.encode(),
    "cut short": check()[:-1],
    "two documents": check() + b" " + check(),
    "NaN": raw("level", b"NaN"),
    "Infinity": raw("level", b"Infinity"),
    "-Infinity": raw("level", b"-Infinity"),
    "1e400": raw("level", b"1e400"),
    "a lone surrogate, escaped": raw("rng", b'"\\ud800' + MARK.encode() + b'"'),
    "a lone surrogate in a field that is refused": raw("nobody", b'"\\udfff' + MARK.encode() + b'"'),
    "a lone surrogate in a name": raw("\\ud800", b"1"),
    "a lone surrogate, raw": raw("rng", b'"\xed\xa0\x80"'),
    "a lone surrogate, raw, in a field that is refused": raw("nobody", b'"\xed\xa0\x80"'),
    "not UTF-8": raw("rng", b'"\xff"'),
    "Latin-1": raw("rng", '"ü"'.encode("latin-1")),
    "UTF-16": check().decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + check(),
    "5,000 digits": raw("level", b"9" * 5000),
    "5,000 digits in a field that is refused": raw("nobody", b"9" * 5000),
    "40,000 brackets": raw("actor", b"[" * 40_000),
    "40,000 closed brackets": raw("actor", b"[" * 40_000 + b"]" * 40_000),
    "40,000 braces": raw("actor", b'{"a":' * 40_000 + b"1" + b"}" * 40_000),
    "a field given twice": raw("seed", b'"again"'),
    "a field given twice, once in disguise": raw("se\\u0065d", b'"again"'),
    "a field given twice, deep inside": check(actor=0).replace(b": 0", b': {"bonus": 1, "bonus": 2, "using": []}'),
    "a control character": raw("rng", b'"\x01"'),
    "a comment": b"/* x */" + check(),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("hazard", NOT_JSON)
def test_what_is_not_json(client: TestClient, caplog: pytest.LogCaptureFixture, door: str, hazard: str) -> None:
    answer = DOORS[door](client, NOT_JSON[hazard])
    problem(answer, 400, "not-json")
    assert answer.status_code == 400
    unharmed(answer, caplog)


def unharmed(answer: httpx2.Response, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of the input came back, and nothing went wrong inside."""
    assert MARK not in answer.text
    assert len(answer.content) < 10_000
    assert not [record for record in caplog.records if record.exc_info or record.levelno >= logging.WARNING]


DEEP = b"[" * 900 + b"]" * 900

WRONG: dict[str, tuple[bytes, str]] = {
    "null": (b"null", ""),
    "an array": (b"[]", ""),
    "text": (f'"{MARK}"'.encode(), ""),
    "a number": (b"7", ""),
    "nothing in it": (b"{}", "/actor"),
    "900 brackets in a field": (raw("rng", DEEP), "/rng"),
    "900 brackets in a field that is refused": (raw("nobody", DEEP), "/nobody"),
    "900 braces in a sheet": (check(actor=0).replace(b": 0", b": " + b'{"character":' * 900 + b"1" + b"}" * 900), "/actor/character"),
    "a field there is none of": (check(nobody=MARK), "/nobody"),
    "a field there is none of, inside": (check(actor={"bonus": 3, "nobody": MARK}), "/actor/nobody"),
    "a very long name": (check(**{"n" * 100_000: MARK}), "/" + "n" * 64),
    "text for an integer": (check(actor={"bonus": MARK}), "/actor/bonus"),
    "digits for an integer": (check(actor={"bonus": "3"}), "/actor/bonus"),
    "true for an integer": (check(actor={"bonus": True}), "/actor/bonus"),
    "a fraction for an integer": (check(actor={"bonus": 3.5}), "/actor/bonus"),
    "1e300 for an integer": (check(actor={"bonus": 1e300}), "/actor/bonus"),
    "null for an object": (check(actor=None), "/actor"),
    "an integer for an object": (check(actor=3), "/actor"),
    "an array for an object": (check(actor=[MARK]), "/actor"),
    "an integer for true": (check(actor={"bonus": 3, "advantage": 1}), "/actor/advantage"),
    "text for true": (check(actor={"bonus": 3, "advantage": MARK}), "/actor/advantage"),
    "a field there nearly is": (check(actor={"bonus": 3, "bonos": MARK}), "/actor/bonos"),
    "an aspect the sheet has otherwise": (
        check(actor={"character": {"name": MARK, "aspects": [{"name": f"{MARK} driver", "bonus": 1}]}, "using": [f"{MARK} Driver"]}),
        "/actor/using/0",
    ),
    "a row of the weird table, nearly": (check(difficulty=None, effect=f"teleport.{MARK}"), "/effect"),
    "an object for a list": (check(dice={"roll": MARK}), "/dice"),
    "text for a word": (check(actor={"bonus": 3, "spend": MARK}), "/actor/spend"),
    "an integer for a word": (check(actor={"bonus": 3, "spend": 3}), "/actor/spend"),
    "an integer for text": (check(rng=3), "/rng"),
    "a list too long": (check(actor={"using": [MARK] * 10_000}), "/actor/using"),
    "a text too long": (check(rng=MARK * 10_000), "/rng"),
    "a seed too long": (check(seed=MARK + "x" * 252), "/seed"),
    "a seed with a control character": (check(seed=f"{MARK}\n"), "/seed"),
    "a seed with DEL": (check(seed=f"{MARK}\x7f"), "/seed"),
    "a seed with a control character beyond ASCII": (check(seed=f"{MARK}\x85"), "/seed"),
    "an empty seed": (check(seed=""), "/seed"),
    "a seed of 2**53": (check(seed=2**53), "/seed"),
    "a seed of -2**53": (check(seed=-(2**53)), "/seed"),
    "a seed of 10**30": (check(seed=10**30), "/seed"),
    "a seed of true": (check(seed=True), "/seed"),
    "a seed of 1.5": (check(seed=1.5), "/seed"),
    "a seed of an object": (check(seed={"value": MARK}), "/seed"),
    "a face of 7": (check(dice=[{"roll": "actor", "faces": [7, 1]}]), "/dice/0/faces/0"),
    "a face of 0": (check(dice=[{"roll": "actor", "faces": [1, 0]}]), "/dice/0/faces/1"),
    "a face of 10": (check(dice=[{"roll": "actor", "faces": [10, 1]}]), "/dice/0/faces/0"),
    "a face of -1": (check(dice=[{"roll": "actor", "faces": [-1, 1]}]), "/dice/0/faces/0"),
    "a face of 10**6": (check(dice=[{"roll": "actor", "faces": [10**6, 1]}]), "/dice/0/faces/0"),
    "too few dice": (check(dice=[{"roll": "actor", "faces": [1]}]), "/dice/0/faces"),
    "too many dice": (check(dice=[{"roll": "actor", "faces": [1, 2, 3]}]), "/dice/0/faces"),
    "10,000 dice": (check(dice=[{"roll": "actor", "faces": [1] * 10_000}]), "/dice/0/faces"),
    "dice for a roll that never happens": (check(dice=[{"roll": MARK, "faces": [1, 2]}]), "/dice/0/roll"),
    "dice for a roll that cannot be": (check(dice=[{"roll": f"../{MARK}", "faces": [1, 2]}]), "/dice/0/roll"),
    "dice given twice": (check(dice=[{"roll": "actor", "faces": [1, 2]}] * 2), "/dice/1/roll"),
    "dice of an algorithm there is none of": (check(rng=MARK), "/rng"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("hazard", WRONG)
def test_what_is_json_but_not_allowed(client: TestClient, caplog: pytest.LogCaptureFixture, door: str, hazard: str) -> None:
    body, pointer = WRONG[hazard]
    answer = DOORS[door](client, body)
    found = problem(answer, 422)
    # GraphQL answers 200 where a field failed; where nothing ran, 200 or 400, by media type; and 422 where it did not read on.
    assert answer.status_code in ((422,) if "graphql" not in door else (200, 400, 422) if "response" in door else (200, 422))
    if found["errors"] and not (body[:1] != b"{" and "by-tag" in door):
        pointers = [error["pointer"].removeprefix("/variables/request/jazzCheck") for error in found["errors"]]
        assert any(one == pointer or one.startswith(f"{pointer}/") or pointer.startswith(f"{one}/") for one in pointers), pointers
    unharmed(answer, caplog)


# ── What is wrong before the body is read ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/resolve", "/odds/jazz/check", "/graphql"])
@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", f"{MARK}/{MARK}", "", "ü"]
)
def test_another_media_type(client: TestClient, caplog: pytest.LogCaptureFixture, path: str, media: str) -> None:
    answer = client.post(path, content=check(), headers=[(b"content-type", media.encode("latin-1"))])
    problem(answer, 415, "unsupported-media-type")
    unharmed(answer, caplog)


@pytest.mark.parametrize("path", ["/resolve", "/odds/jazz/check", "/graphql", "/batch", "/batch?seed=lines", "/verify"])
def test_a_packed_body(client: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    media = "application/x-ndjson" if path.endswith("lines") else "application/json"
    answer = client.post(path, content=gzip.compress(check()), headers={"content-type": media, "content-encoding": "gzip"})
    assert "Content-Encoding" in problem(answer, 415, "unsupported-media-type")["detail"]
    unharmed(answer, caplog)
    headers = {"content-type": "application/json", "content-encoding": "Identity"}
    plain = client.post("/resolve/jazz/check", content=check(), headers=headers)
    assert plain.status_code == 200


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check", "/odds", "/graphql"])
def test_a_byte_too_many(client: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    headers = {"content-type": "application/json"}
    whole = json.dumps({"query": "{__typename}"} if path == "/graphql" else {"action": "jazz.check", **CHECK}).encode()
    assert client.post(path, content=whole.ljust(BOUND), headers=headers).status_code == 200
    answer = client.post(path, content=whole.ljust(BOUND + 1), headers=headers)
    assert answer.status_code == 413
    problem(answer, 413, "too-large")
    unharmed(answer, caplog)


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check", "/odds", "/graphql"])
def test_no_body_at_all(client: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    problem(client.post(path), 415, "unsupported-media-type")
    answer = client.post(path, headers={"content-type": "application/json"})
    problem(answer, 400, "not-json")
    unharmed(answer, caplog)


QUERIES = {
    "a percent-encoded surrogate": (f"seed=%ED%A0%80{MARK}", 400),
    "not UTF-8": (f"seed=%FF{MARK}", 400),
    "a field there is none of": (f"nobody={MARK}", 422),
    "text for an integer": (f"difficulty={MARK}", 422),
    "5,000 digits": ("difficulty=" + "9" * 5000, 422),
    "NaN": ("difficulty=NaN", 422),
    "1e400": ("difficulty=1e400", 422),
    "a seed too long": (f"seed={MARK}" + "x" * 252, 422),
    "a seed with a control character": (f"seed={MARK}%0A", 422),
    "a very long name": ("n" * 5000 + "=1", 422),
    "a name of many parts": ("a." * 2000 + "a=1", 422),
    "two at one place": (f"actor={MARK}", 422),
    "a list too long": (f"actor.using={MARK}&" * 200, 422),
    "one value twice": (f"difficulty=10&actor.spend={MARK}&actor.spend={MARK}", 422),
}


@pytest.mark.parametrize("path", ["/resolve/jazz/check", "/odds/jazz/check"])
@pytest.mark.parametrize("hazard", QUERIES)
def test_a_query(client: TestClient, caplog: pytest.LogCaptureFixture, path: str, hazard: str) -> None:
    query, status = QUERIES[hazard]
    answer = client.get(f"{path}?actor.bonus=3&{'' if 'difficulty' in query else 'difficulty=10&'}{query}")
    problem(answer, status)
    unharmed(answer, caplog)


PATHS = [
    f"/{MARK}",
    f"/resolve/{MARK}/check",
    f"/resolve/jazz/{MARK}",
    f"/odds/jazz/check/{MARK}",
    f"/odds/jazz{MARK}/check",
    f"/systems/{MARK}",
    f"/systems/jazz/rules/{MARK}",
    f"/systems/jazz/rules/jazz.dice.roll{MARK}",
    f"/schemas/{MARK}",
    f"/problems/{MARK}",
    "/%FF",
    "/%ED%A0%80",
    "/systems/%00",
    "/systems/..%2f..%2fetc",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path(client: TestClient, caplog: pytest.LogCaptureFixture, path: str) -> None:
    answer = client.get(path)
    problem(answer, 404, "not-found")
    unharmed(answer, caplog)


# ── Written into a GraphQL query ─────────────────────────────────────────────────────────────────────────────────────

WRITTEN = {
    "text for an integer": f'{{actor: {{bonus: "{MARK}"}}, difficulty: 10}}',
    "a word there is none of": f"{{actor: {{bonus: 3, spend: {MARK}}}, difficulty: 10}}",
    "a word for a seed": f"{{actor: {{bonus: 3}}, difficulty: 10, seed: {MARK}}}",
    "a field there is none of": f"{{actor: {{bonus: 3, {MARK}: 1}}, difficulty: 10}}",
    "an object for a seed": f"{{actor: {{bonus: 3}}, difficulty: 10, seed: {{{MARK}: 1}}}}",
    "text for an object": f'{{actor: "{MARK}", difficulty: 10}}',
    "a list for an object": f'{{actor: ["{MARK}"], difficulty: 10}}',
    "something missing": f'{{actor: {{character: {{name: "{MARK}"}}}}, difficulty: 10}}',
    "5,000 digits": "{actor: {bonus: 3}, difficulty: " + "9" * 5000 + "}",
    "5,000 digits for a seed": "{actor: {bonus: 3}, difficulty: 10, seed: " + "9" * 5000 + "}",
    "brackets": "{actor: {bonus: 3}, difficulty: 10, seed: " + "[" * 500 + "]" * 500 + "}",
    "a variable there is none of": f"{{actor: {{bonus: 3}}, difficulty: ${MARK}}}",
    "a character no text may have": f'{{actor: {{bonus: 3}}, difficulty: 10, seed: "{MARK}\\u0001"}}',
    "an escaped surrogate": f'{{actor: {{bonus: 3}}, difficulty: 10, seed: "{MARK}\\ud800"}}',
    "nonsense": f"{{actor: {MARK} {MARK}",
}


@pytest.mark.parametrize("accept", ["application/json", "application/graphql-response+json"])
@pytest.mark.parametrize("hazard", WRITTEN)
def test_what_is_written_into_a_query(client: TestClient, caplog: pytest.LogCaptureFixture, hazard: str, accept: str) -> None:
    query = f"{{ resolve(request: {{jazzCheck: {WRITTEN[hazard]}}}) {{ outcome }} }}"
    answer = client.post("/graphql", json={"query": query}, headers={"accept": accept})
    problem(answer, 422)
    unharmed(answer, caplog)


SELECTED = {
    "a field there is none of": f"{{ {MARK} }}",
    "a type there is none of": f"{{ ... on {MARK} {{ a }} }}",
    "a fragment there is none of": f"{{ ...{MARK} }}",
    "a directive there is none of": f"{{ __typename @{MARK} }}",
    "an argument there is none of": f"{{ systems({MARK}: 1) {{ system }} }}",
    "a variable's type there is none of": f"query($a: {MARK}) {{ system(name: $a) {{ system }} }}",
    "names given twice": f"query {MARK} {{ __typename }} query {MARK} {{ __typename }}",
    "an endless fragment": f"{{ ...{MARK} }} fragment {MARK} on Query {{ ...{MARK} }}",
    "another kind of definition": f"type {MARK} {{ a: Int }}",
    "a mutation": f"mutation {MARK} {{ a }}",
}


@pytest.mark.parametrize("hazard", SELECTED)
def test_what_is_selected(client: TestClient, caplog: pytest.LogCaptureFixture, hazard: str) -> None:
    operation = MARK if hazard == "names given twice" else None
    answer = client.post("/graphql", json={"query": SELECTED[hazard], "operationName": operation})
    assert 400 <= problem(answer)["status"] < 500
    unharmed(answer, caplog)
