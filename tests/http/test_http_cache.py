"""Cacheable responses: tags, lifetimes and compression."""

from __future__ import annotations

import gzip

import pytest
from starlette.testclient import TestClient

CHECK = "/resolve/jazz/check?actor.bonus=3&difficulty=10"
SMALL = "/systems/jazz/rules/jazz.check.success"
CONSTANT = ["/openapi.json", "/openapi.yaml", "/schema.graphql", "/schemas/JazzCheck.json", "/systems", "/systems/jazz/rules", SMALL]


def get(client: TestClient, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    answer = client.get(path, headers={"accept-encoding": "identity"} | {name.replace("_", "-"): text for name, text in headers.items()})
    return answer.status_code, dict(answer.headers), answer.content


@pytest.mark.parametrize("path", CONSTANT)
def test_constant_responses_have_a_tag_and_are_not_sent_twice(client: TestClient, path: str) -> None:
    status, headers, body = get(client, path)
    assert (status, headers["cache-control"]) == (200, "public, max-age=300")
    for tags in (headers["etag"], f'"other", W/{headers["etag"]}', "*"):
        status, again, nothing = get(client, path, if_none_match=tags)
        assert (status, again["etag"], nothing) == (304, headers["etag"], b"")
        assert again["cache-control"] == headers["cache-control"]
    assert get(client, path, if_none_match='"other"')[2] == body


@pytest.mark.parametrize("path", CONSTANT[:-1])
def test_a_response_is_compressed_if_the_client_accepts_gzip(client: TestClient, path: str) -> None:
    with client.stream("GET", path, headers={"accept-encoding": "br, gzip"}) as answer:
        compressed = b"".join(answer.iter_raw())
        headers = answer.headers
    _, plain, body = get(client, path)
    assert headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in headers["vary"]
    assert gzip.decompress(compressed) == body
    assert len(compressed) < len(body)
    assert headers["etag"] != plain["etag"]


@pytest.mark.parametrize("accept", ["", "br", "gzip;q=0", "gzip; q=0.000", "identity, *;q=0"])
def test_a_response_is_not_compressed_otherwise(client: TestClient, accept: str) -> None:
    assert "content-encoding" not in get(client, "/openapi.json", accept_encoding=accept)[1]


@pytest.mark.parametrize("accept", ["gzip;q=0.5", "GZIP", "deflate,gzip"])
def test_gzip_may_be_a_second_choice(client: TestClient, accept: str) -> None:
    assert client.get("/openapi.json", headers={"accept-encoding": accept}).headers["content-encoding"] == "gzip"


def test_short_responses_are_not_compressed(client: TestClient) -> None:
    assert "content-encoding" not in get(client, SMALL, accept_encoding="gzip")[1]


def test_a_ruling_with_a_seed_never_changes(client: TestClient) -> None:
    _, headers, _ = get(client, f"{CHECK}&seed=42")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["vary"] == "Accept"


def test_a_ruling_without_a_seed_is_not_cached(client: TestClient) -> None:
    assert get(client, CHECK)[1]["cache-control"] == "no-store"


def test_odds_are_cached_as_long_as_the_rule_book(client: TestClient) -> None:
    assert get(client, CHECK.replace("resolve", "odds"))[1]["cache-control"] == "public, max-age=300"


@pytest.mark.parametrize("path", [f"{CHECK}&seed=42&nonsense=1", "/nowhere", "/livez", "/readyz", "/metrics", "/version"])
def test_nothing_else_is_cached(client: TestClient, path: str) -> None:
    assert get(client, path)[1]["cache-control"] == "no-store"


def test_responses_to_post_are_not_cached(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", json={"actor": {"bonus": 3}, "difficulty": 10, "seed": 42})
    assert answer.headers["cache-control"] == "no-store"
