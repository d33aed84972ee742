"""What a caller may keep, and for how long."""

from __future__ import annotations

import gzip

import pytest
from starlette.testclient import TestClient

CHECK = "/resolve/jazz/check?actor.bonus=3&difficulty=10"
SMALL = "/systems/jazz/rules/jazz.check.success"
LASTING = ["/openapi.json", "/openapi.yaml", "/schema.graphql", "/schemas/JazzCheck.json", "/systems", "/systems/jazz/rules", SMALL]


def get(client: TestClient, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    answer = client.get(path, headers={"accept-encoding": "identity"} | {name.replace("_", "-"): text for name, text in headers.items()})
    return answer.status_code, dict(answer.headers), answer.content


@pytest.mark.parametrize("path", LASTING)
def test_what_does_not_change_has_a_tag_and_is_not_sent_twice(client: TestClient, path: str) -> None:
    status, headers, body = get(client, path)
    assert (status, headers["cache-control"]) == (200, "public, max-age=300")
    for tags in (headers["etag"], f'"other", W/{headers["etag"]}', "*"):
        status, again, nothing = get(client, path, if_none_match=tags)
        assert (status, again["etag"], nothing) == (304, headers["etag"], b"")
        assert again["cache-control"] == headers["cache-control"]
    assert get(client, path, if_none_match='"other"')[2] == body


@pytest.mark.parametrize("path", LASTING[:-1])
def test_it_is_packed_for_who_can_unpack_it(client: TestClient, path: str) -> None:
    with client.stream("GET", path, headers={"accept-encoding": "br, gzip"}) as answer:
        packed = b"".join(answer.iter_raw())
        headers = answer.headers
    _, plain, body = get(client, path)
    assert headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in headers["vary"]
    assert gzip.decompress(packed) == body
    assert len(packed) < len(body)
    assert headers["etag"] != plain["etag"]


@pytest.mark.parametrize("accept", ["", "br", "gzip;q=0", "gzip; q=0.000", "identity, *;q=0"])
def test_it_is_not_packed_for_who_cannot(client: TestClient, accept: str) -> None:
    assert "content-encoding" not in get(client, "/openapi.json", accept_encoding=accept)[1]


@pytest.mark.parametrize("accept", ["gzip;q=0.5", "GZIP", "deflate,gzip"])
def test_it_is_for_who_would_rather_have_something_else(client: TestClient, accept: str) -> None:
    assert client.get("/openapi.json", headers={"accept-encoding": accept}).headers["content-encoding"] == "gzip"


def test_what_is_short_is_not_worth_packing(client: TestClient) -> None:
    assert "content-encoding" not in get(client, SMALL, accept_encoding="gzip")[1]


def test_a_ruling_with_a_seed_is_the_same_for_ever(client: TestClient) -> None:
    _, headers, _ = get(client, f"{CHECK}&seed=42")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["vary"] == "Accept"


def test_a_ruling_without_one_is_new_each_time(client: TestClient) -> None:
    assert get(client, CHECK)[1]["cache-control"] == "no-store"


def test_odds_are_the_same_for_as_long_as_the_rule_book(client: TestClient) -> None:
    assert get(client, CHECK.replace("resolve", "odds"))[1]["cache-control"] == "public, max-age=300"


@pytest.mark.parametrize("path", [f"{CHECK}&seed=42&nonsense=1", "/nowhere", "/livez", "/readyz", "/metrics", "/version"])
def test_nothing_else_is_kept(client: TestClient, path: str) -> None:
    assert get(client, path)[1]["cache-control"] == "no-store"


def test_an_answer_to_a_body_is_not_kept(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", json={"actor": {"bonus": 3}, "difficulty": 10, "seed": 42})
    assert answer.headers["cache-control"] == "no-store"
