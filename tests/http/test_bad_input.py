"""Bad input at every endpoint: a 4xx with a pointer, never a 500, a traceback or a piece of the input."""

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
"""Part of every value that is sent. No response may contain it."""
BOUND = Settings().max_body_bytes
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
JSON = {"content-type": "application/json"}
GRAPHQL_RESPONSE = "application/graphql-response+json"

Send = Callable[[TestClient, bytes], httpx2.Response]


def rest(path: str, tag: bool) -> Send:
    def send(client: TestClient, body: bytes) -> httpx2.Response:
        if tag and body.startswith(b"{"):
            body = b'{"action":"jazz.check"' + (b"}" if body == b"{}" else b"," + body[1:])
        return client.post(path, content=body, headers=JSON)

    return send


def graphql(field: str, accept: str) -> Send:
    query = f"query($request: ResolveRequest!) {{ {field} }}"

    def send(client: TestClient, body: bytes) -> httpx2.Response:
        document = b'{"query":' + json.dumps(query).encode() + b',"variables":{"request":{"jazzCheck":' + body + b"}}}"
        return client.post("/graphql", content=document, headers={**JSON, "accept": accept})

    return send


ENDPOINTS: dict[str, Send] = {
    "resolve-by-tag": rest("/resolve", tag=True),
    "resolve-by-path": rest("/resolve/jazz/check", tag=False),
    "odds-by-tag": rest("/odds", tag=True),
    "odds-by-path": rest("/odds/jazz/check", tag=False),
    "graphql": graphql("resolve(request: $request) { outcome }", "application/json"),
    "graphql-response": graphql("resolve(request: $request) { outcome }", GRAPHQL_RESPONSE),
    "graphql-odds": graphql("odds(request: $request) { method }", "application/json"),
}


@pytest.fixture(autouse=True)
def no_errors(caplog: pytest.LogCaptureFixture) -> Any:
    """Nothing goes wrong inside."""
    yield
    assert not [record for record in caplog.records if record.exc_info or record.levelno >= logging.WARNING]


def refused(answer: httpx2.Response, status: int | None = None, code: str | None = None, *, quotes: bool | None = False) -> dict[str, Any]:
    """The problem of a response that is short and repeats nothing of the input, unless it ``quotes`` a short name (None: it may)."""
    assert quotes is None or (MARK in answer.text) is quotes
    assert len(answer.content) < 10_000
    return problem(answer, status, code)


def check(**changes: Any) -> bytes:
    return json.dumps(CHECK | changes).encode()


def raw(field: str, value: bytes) -> bytes:
    """A check with a field written byte for byte."""
    return check()[:-1] + f',"{field}":'.encode() + value + b"}"


def actor(**fields: Any) -> bytes:
    return check(actor={"bonus": 3} | fields)


def dice(*faces: int, roll: str = "actor", times: int = 1) -> bytes:
    return check(dice=[{"roll": roll, "faces": faces}] * times)


# ── JSON bodies ──────────────────────────────────────────────────────────────────────────────────────────────────────

NOT_JSON: dict[str, bytes] = {
    "not JSON": b"{" + MARK.encode(),
    "cut short": check()[:-1],
    "two documents": check() + b" " + check(),
    "NaN": raw("level", b"NaN"),
    "Infinity": raw("level", b"Infinity"),
    "-Infinity": raw("level", b"-Infinity"),
    "a leading zero": raw("level", b"01"),
    "a trailing comma": check()[:-1] + b",}",
    "a name without quotes": b"{seed:1}",
    "single quotes": raw("rng", b"'a'"),
    "a lone surrogate, escaped": raw("rng", b'"\\ud800' + MARK.encode() + b'"'),
    "two high surrogates, escaped": raw("rng", b'"\\ud800\\ud800"'),
    "a lone surrogate in an unknown field": raw("nobody", b'"\\udfff' + MARK.encode() + b'"'),
    "a lone surrogate in a name": raw("\\ud800", b"1"),
    "a lone surrogate, raw": raw("rng", b'"\xed\xa0\x80"'),
    "not UTF-8": raw("nobody", b'"\xff"'),
    "Latin-1": raw("rng", '"ü"'.encode("latin-1")),
    "UTF-16": check().decode().encode("utf-16"),
    "two byte order marks": b"\xef\xbb\xbf" * 2 + check(),
    "5,000 digits": raw("level", b"9" * 5000),
    "5,000 digits in an unknown field": raw("nobody", b"9" * 5000),
    "40,000 brackets": raw("actor", b"[" * 40_000),
    "40,000 closed brackets": raw("actor", b"[" * 40_000 + b"]" * 40_000),
    "40,000 braces": raw("actor", b'{"a":' * 40_000 + b"1" + b"}" * 40_000),
    "a duplicate name": raw("seed", b'"again"'),
    "a duplicate name, once escaped": raw("se\\u0065d", b'"again"'),
    "a duplicate name, nested": check(actor=0).replace(b": 0", b': {"bonus": 1, "bonus": 2, "using": []}'),
    "a control character": raw("rng", b'"\x01"'),
    "1e400 and NaN": raw("level", b"[1e400, NaN]"),
    "1e400 in text": b'"1e400',
    "a lone surrogate beside 1e100": raw("rng", b'["\\ud800", 1e100]'),
    "a comment": b"/* x */" + check(),
}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("hazard", NOT_JSON)
def test_invalid_json(client: TestClient, endpoint: str, hazard: str) -> None:
    answer = ENDPOINTS[endpoint](client, NOT_JSON[hazard])
    refused(answer, 400, "not-json")
    assert answer.status_code == 400


QUOTING = {"a misspelt aspect", "an unknown word", "a misspelt row of the weird table", "dice for an unknown roll"}
"""The hazards whose refusal repeats the caller's own short word."""
DEEP = b"[" * 900 + b"]" * 900


@pytest.mark.parametrize("endpoint", ["resolve-by-tag", "resolve-by-path", "odds-by-path"])
def test_byte_order_mark_is_skipped(client: TestClient, endpoint: str) -> None:
    path = {"resolve-by-tag": "/resolve", "resolve-by-path": "/resolve/jazz/check", "odds-by-path": "/odds/jazz/check"}[endpoint]
    body = check(action="jazz.check")
    plain, marked = (client.post(path, content=start + body, headers=JSON) for start in (b"", b"\xef\xbb\xbf"))
    assert (marked.status_code, marked.content) == (200, plain.content)


INVALID: dict[str, tuple[bytes, str]] = {
    "null": (b"null", ""),
    "an array": (b"[]", ""),
    "text": (f'"{MARK}"'.encode(), ""),
    "a number": (b"7", ""),
    "an empty object": (b"{}", "/actor"),
    "900 brackets in a field": (raw("rng", DEEP), "/rng"),
    "900 brackets in an unknown field": (raw("nobody", DEEP), "/nobody"),
    "900 braces in a sheet": (check(actor=0).replace(b": 0", b": " + b'{"character":' * 900 + b"1" + b"}" * 900), "/actor/character"),
    "an unknown field": (check(nobody=MARK), "/nobody"),
    "an unknown nested field": (actor(nobody=MARK), "/actor/nobody"),
    "a misspelt field": (actor(bonos=MARK), "/actor/bonos"),
    "a very long name": (check(**{"n" * 100_000: MARK}), "/" + "n" * 64),
    "text for an integer": (actor(bonus=MARK), "/actor/bonus"),
    "digits for an integer": (actor(bonus="3"), "/actor/bonus"),
    "true for an integer": (actor(bonus=True), "/actor/bonus"),
    "a fraction for an integer": (actor(bonus=3.5), "/actor/bonus"),
    "1e400 for an integer": (check(actor=0).replace(b": 0", b': {"bonus": 1e400}'), "/actor/bonus"),
    "-1e400 in an unknown field": (raw("nobody", b'[0, {"a": -1e400}]'), "/nobody/1/a"),
    "1e300 for an integer": (actor(bonus=1e300), "/actor/bonus"),
    "null for an object": (check(actor=None), "/actor"),
    "an integer for an object": (check(actor=3), "/actor"),
    "an array for an object": (check(actor=[MARK]), "/actor"),
    "an integer for a boolean": (actor(advantage=1), "/actor/advantage"),
    "text for a boolean": (actor(advantage=MARK), "/actor/advantage"),
    "a misspelt aspect": (
        check(actor={"character": {"name": "Rook", "aspects": [{"name": "driver", "bonus": 1}]}, "using": [f"{MARK} driver"]}),
        "/actor/using/0",
    ),
    "a misspelt row of the weird table": (check(difficulty=None, effect=f"teleport.{MARK}"), "/effect"),
    "an object for a list": (check(dice={"roll": MARK}), "/dice"),
    "an unknown word": (actor(spend=MARK), "/actor/spend"),
    "an integer for a word": (actor(spend=3), "/actor/spend"),
    "an integer for text": (check(rng=3), "/rng"),
    "a list too long": (actor(using=[MARK] * 10_000), "/actor/using"),
    "a text too long": (check(rng=MARK * 10_000), "/rng"),
    "an unknown rng": (check(rng=MARK), "/rng"),
    "dice too few": (dice(1), "/dice/0/faces"),
    "dice too many": (dice(1, 2, 3), "/dice/0/faces"),
    "dice 10,000": (dice(*[1] * 10_000), "/dice/0/faces"),
    "dice for an unknown roll": (dice(1, 2, roll=MARK), "/dice/0/roll"),
    "dice for an invalid roll": (dice(1, 2, roll=f"../{MARK}"), "/dice/0/roll"),
    "dice twice": (dice(1, 2, times=2), "/dice/1/roll"),
    **{f"a face of {face}": (dice(face, 1), "/dice/0/faces/0") for face in (-1, 0, 7, 10, 10**6)},
    **{
        f"a seed: {name}": (check(seed=seed), "/seed")
        for name, seed in {
            "too long": MARK + "x" * 252,
            "with a control character": f"{MARK}\n",
            "with DEL": f"{MARK}\x7f",
            "with a C1 control character": f"{MARK}\x85",
            "empty": "",
            "2**53": 2**53,
            "-2**53": -(2**53),
            "10**30": 10**30,
            "true": True,
            "1.5": 1.5,
            "an object": {"value": MARK},
        }.items()
    },
}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("hazard", INVALID)
def test_invalid_request(client: TestClient, endpoint: str, hazard: str) -> None:
    body, pointer = INVALID[hazard]
    answer = ENDPOINTS[endpoint](client, body)
    found = refused(answer, 422, quotes=hazard in QUOTING)
    # GraphQL answers 200 if a field failed, 200 or 400 by media type if nothing ran, and 422 if it stopped reading.
    assert answer.status_code in ((422,) if "graphql" not in endpoint else (200, 400, 422) if "response" in endpoint else (200, 422))
    if found["errors"] and not (body[:1] != b"{" and "by-tag" in endpoint):
        pointers = [error["pointer"].removeprefix("/variables/request/jazzCheck") for error in found["errors"]]
        assert any(one == pointer or one.startswith(f"{pointer}/") or pointer.startswith(f"{one}/") for one in pointers), pointers


# ── Before the body is read ──────────────────────────────────────────────────────────────────────────────────────────

MEDIA = [
    *("", "ü", "json", "text/plain", "text/x+json", "application/xml", f"{MARK}/{MARK}"),
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
]


@pytest.mark.parametrize("path", ["/resolve", "/odds/jazz/check", "/graphql"])
@pytest.mark.parametrize("media", MEDIA)
def test_unsupported_media_type(client: TestClient, path: str, media: str) -> None:
    answer = client.post(path, content=check(), headers=[(b"content-type", media.encode("latin-1"))])
    refused(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize("path", ["/resolve", "/odds/jazz/check", "/graphql", "/batch", "/batch?seed=lines", "/verify"])
def test_compressed_body(client: TestClient, path: str) -> None:
    media = "application/x-ndjson" if path.endswith("lines") else "application/json"
    answer = client.post(path, content=gzip.compress(check()), headers={"content-type": media, "content-encoding": "gzip"})
    assert "Content-Encoding" in refused(answer, 415, "unsupported-media-type")["detail"]


def test_content_encoding_identity_is_accepted(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", content=check(), headers={**JSON, "content-encoding": "Identity"})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check", "/odds", "/graphql"])
def test_size_of_a_body(client: TestClient, path: str) -> None:
    body = json.dumps({"query": "{__typename}"} if path == "/graphql" else {"action": "jazz.check", **CHECK}).encode()
    assert client.post(path, content=body.ljust(BOUND), headers=JSON).status_code == 200
    refused(client.post(path, content=body.ljust(BOUND + 1), headers=JSON), 413, "too-large")
    refused(client.post(path, headers=JSON), 400, "not-json")
    refused(client.post(path), 415, "unsupported-media-type")


# ── Queries and paths ────────────────────────────────────────────────────────────────────────────────────────────────

QUERIES = {
    "an encoded surrogate": (f"seed=%ED%A0%80{MARK}", 400),
    "not UTF-8": (f"seed=%FF{MARK}", 400),
    "an unknown field": (f"nobody={MARK}", 422),
    "text for an integer": (f"difficulty={MARK}", 422),
    "5,000 digits": ("difficulty=" + "9" * 5000, 422),
    "NaN": ("difficulty=NaN", 422),
    "1e400": ("difficulty=1e400", 422),
    "a seed too long": (f"seed={MARK}" + "x" * 252, 422),
    "a seed with a control character": (f"seed={MARK}%0A", 422),
    "a very long name": ("n" * 5000 + "=1", 422),
    "a name of many parts": ("a." * 2000 + "a=1", 422),
    "a value and an object": (f"actor={MARK}", 422),
    "a list too long": (f"actor.using={MARK}&" * 200, 422),
    "a value twice": (f"difficulty=10&actor.spend={MARK}&actor.spend={MARK}", 422),
}


@pytest.mark.parametrize("path", ["/resolve/jazz/check", "/odds/jazz/check"])
@pytest.mark.parametrize("hazard", QUERIES)
def test_invalid_query(client: TestClient, path: str, hazard: str) -> None:
    query, status = QUERIES[hazard]
    refused(client.get(f"{path}?actor.bonus=3&{'' if 'difficulty' in query else 'difficulty=10&'}{query}"), status)


PATHS = [
    *(f"/{MARK}", f"/resolve/{MARK}/check", f"/resolve/jazz/{MARK}", f"/odds/jazz/check/{MARK}", f"/odds/jazz{MARK}/check"),
    *(f"/systems/{MARK}", f"/systems/jazz/rules/{MARK}", f"/systems/jazz/rules/jazz.dice.roll{MARK}"),
    *(f"/schemas/{MARK}", f"/problems/{MARK}", "/%FF", "/%ED%A0%80", "/systems/%00", "/systems/..%2f..%2fetc"),
]


@pytest.mark.parametrize("path", PATHS)
def test_unknown_path(client: TestClient, path: str) -> None:
    refused(client.get(path), 404, "not-found")


# ── GraphQL documents ────────────────────────────────────────────────────────────────────────────────────────────────

LITERALS = {
    "text for an integer": f'{{actor: {{bonus: "{MARK}"}}, difficulty: 10}}',
    "an unknown word": f"{{actor: {{bonus: 3, spend: {MARK}}}, difficulty: 10}}",
    "a word for a seed": f"{{actor: {{bonus: 3}}, difficulty: 10, seed: {MARK}}}",
    "an unknown field": f"{{actor: {{bonus: 3, {MARK}: 1}}, difficulty: 10}}",
    "an object for a seed": f"{{actor: {{bonus: 3}}, difficulty: 10, seed: {{{MARK}: 1}}}}",
    "text for an object": f'{{actor: "{MARK}", difficulty: 10}}',
    "a list for an object": f'{{actor: ["{MARK}"], difficulty: 10}}',
    "a missing field": f'{{actor: {{character: {{name: "{MARK}"}}}}, difficulty: 10}}',
    "5,000 digits": "{actor: {bonus: 3}, difficulty: " + "9" * 5000 + "}",
    "5,000 digits for a seed": "{actor: {bonus: 3}, difficulty: 10, seed: " + "9" * 5000 + "}",
    "brackets": "{actor: {bonus: 3}, difficulty: 10, seed: " + "[" * 500 + "]" * 500 + "}",
    "an unknown variable": f"{{actor: {{bonus: 3}}, difficulty: ${MARK}}}",
    "a control character": f'{{actor: {{bonus: 3}}, difficulty: 10, seed: "{MARK}\\u0001"}}',
    "an escaped surrogate": f'{{actor: {{bonus: 3}}, difficulty: 10, seed: "{MARK}\\ud800"}}',
    "a syntax error": f"{{actor: {MARK} {MARK}",
}


@pytest.mark.parametrize("accept", ["application/json", GRAPHQL_RESPONSE])
@pytest.mark.parametrize("hazard", LITERALS)
def test_invalid_graphql_literal(client: TestClient, hazard: str, accept: str) -> None:
    query = f"{{ resolve(request: {{jazzCheck: {LITERALS[hazard]}}}) {{ outcome }} }}"
    refused(client.post("/graphql", json={"query": query}, headers={"accept": accept}), 422, quotes=None)


SELECTIONS = {
    "an unknown field": f"{{ {MARK} }}",
    "an unknown type": f"{{ ... on {MARK} {{ a }} }}",
    "an unknown fragment": f"{{ ...{MARK} }}",
    "an unknown directive": f"{{ __typename @{MARK} }}",
    "an unknown argument": f"{{ systems({MARK}: 1) {{ system }} }}",
    "a variable of an unknown type": f"query($a: {MARK}) {{ system(name: $a) {{ system }} }}",
    "a duplicate name": f"query {MARK} {{ __typename }} query {MARK} {{ __typename }}",
    "an endless fragment": f"{{ ...{MARK} }} fragment {MARK} on Query {{ ...{MARK} }}",
    "a type definition": f"type {MARK} {{ a: Int }}",
    "a mutation": f"mutation {MARK} {{ a }}",
}


@pytest.mark.parametrize("hazard", SELECTIONS)
def test_invalid_graphql_selection(client: TestClient, hazard: str) -> None:
    operation = MARK if hazard == "a duplicate name" else None
    answer = client.post("/graphql", json={"query": SELECTIONS[hazard], "operationName": operation})
    assert 400 <= refused(answer, quotes=None)["status"] < 500
