"""Cacheable responses: tags, lifetimes and compression."""

from __future__ import annotations

import gzip
from hashlib import sha256

import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.http.routes import ENDPOINTS
from tablecall.model.base import Body
from tablecall.settings import Settings

CHECK = "/resolve/jazz/check?actor.bonus=3&difficulty=10"
SMALL = "/systems/jazz/rules/jazz.check.success"
CONSTANT = ["/openapi.json", "/openapi.yaml", "/schema.graphql", "/schemas/JazzCheck.json", "/systems", "/systems/jazz/rules", SMALL]


def get(client: TestClient, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    answer = client.get(path, headers={"accept-encoding": "identity"} | {name.replace("_", "-"): text for name, text in headers.items()})
    return answer.status_code, dict(answer.headers), answer.content


@pytest.mark.parametrize("path", CONSTANT)
def test_constant_response_has_an_etag_and_is_not_sent_twice(client: TestClient, path: str) -> None:
    status, headers, body = get(client, path)
    assert (status, headers["cache-control"]) == (200, "public, max-age=300")
    for tags in (headers["etag"], f'"other", W/{headers["etag"]}', "*"):
        status, again, nothing = get(client, path, if_none_match=tags)
        assert (status, again["etag"], nothing) == (304, headers["etag"], b"")
        assert again["cache-control"] == headers["cache-control"]
    assert get(client, path, if_none_match='"other"')[2] == body


@pytest.mark.parametrize("path", CONSTANT[:-1])
def test_response_is_compressed_if_the_client_accepts_gzip(client: TestClient, path: str) -> None:
    with client.stream("GET", path, headers={"accept-encoding": "br, gzip"}) as answer:
        compressed = b"".join(answer.iter_raw())
        headers = answer.headers
    _, plain, body = get(client, path)
    assert headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in headers["vary"]
    assert gzip.decompress(compressed) == body
    assert len(compressed) < len(body)
    assert headers["etag"] != plain["etag"]


@pytest.mark.parametrize(
    ("path", "accept", "encoding"),
    [
        *(("/openapi.json", accept, None) for accept in ("", "br", "gzip;q=0", "gzip; q=0.000", "identity, *;q=0")),
        *(("/openapi.json", accept, "gzip") for accept in ("gzip;q=0.5", "GZIP", "deflate,gzip")),
        pytest.param(SMALL, "gzip", None, id="too short"),
    ],
)
def test_compression_follows_accept_encoding(client: TestClient, path: str, accept: str, encoding: str | None) -> None:
    assert client.get(path, headers={"accept-encoding": accept}).headers.get("content-encoding") == encoding


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{CHECK}&seed=42", "public, max-age=3600"),
        (CHECK, "no-store"),
        (CHECK.replace("resolve", "odds"), "public, max-age=3600"),
        *((path, "no-store") for path in (f"{CHECK}&seed=42&nonsense=1", "/nowhere", "/livez", "/readyz", "/metrics", "/version")),
    ],
)
def test_lifetime_in_caches(client: TestClient, path: str, expected: str) -> None:
    headers = client.get(path).headers
    assert headers["cache-control"] == expected
    assert "immutable" not in expected
    assert expected == "no-store" or headers["vary"] == "Accept, Accept-Language"


@pytest.mark.parametrize("path", [f"{CHECK}&seed=42", CHECK.replace("resolve", "odds")])
def test_repeatable_answer_has_a_tag_over_form_and_language(client: TestClient, path: str) -> None:
    _, headers, body = get(client, path)
    tag = headers["etag"]
    status, again, nothing = get(client, path, if_none_match=tag)
    assert (status, nothing) == (304, b"")
    assert {name: again[name] for name in ("etag", "cache-control", "vary")} == {
        name: headers[name] for name in ("etag", "cache-control", "vary")
    }
    others = [
        client.get(path, headers={"if-none-match": tag, **more})
        for more in ({"accept-language": "de"}, {"accept": "text/plain"}, {"accept": "text/markdown"})
    ]
    others += [client.get(f"{path}&format=text", headers={"if-none-match": tag}), client.get(path, headers={"if-none-match": "*"})]
    assert [answer.status_code for answer in others] == [200] * len(others)
    assert len({tag, *(answer.headers["etag"] for answer in others[:3])}) == 4
    assert others[-1].content == body


def test_tag_changes_with_version_and_rule_book(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = client.get(f"{CHECK}&seed=42").headers["etag"]
    monkeypatch.setattr("tablecall.http.http_cache.VERSION", "99")
    assert client.get(f"{CHECK}&seed=42").headers["etag"] != tag


def test_answer_is_private_where_keys_are_asked_for() -> None:
    with_keys = TestClient(create_app(Settings(odds_workers=0, api_keys=[sha256(b"key").hexdigest()])))
    answer = with_keys.get(f"{CHECK}&seed=42", headers={"authorization": "Bearer key"})
    assert answer.headers["cache-control"] == "private, max-age=3600"


def test_simulation_is_repeatable_only_with_a_seed() -> None:
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "odds")
    bodies = [Body(method="simulation", seed=seed) for seed in (None, "1")]
    assert [endpoint.repeatable(body, None) for body in bodies] == [False, True]
    assert [endpoint.repeatable(Body(), {"method": method}) for method in ("exact", "simulation")] == [True, False]


def test_responses_to_post_are_not_cached(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", json={"actor": {"bonus": 3}, "difficulty": 10, "seed": 42})
    assert answer.headers["cache-control"] == "no-store"
