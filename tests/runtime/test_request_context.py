"""What is noted of a request, and what never is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support.contexts import context
from tests.support.log import LoggingClient

SECRET = "nobody-may-read-this"
CHECK = {"actor": {"bonus": 3}, "difficulty": 10, "seed": SECRET}


def lines(service: LoggingClient) -> list[dict[str, Any]]:
    return [json.loads(line) for line in service.log]


@pytest.fixture
def service() -> LoggingClient:
    return LoggingClient()


@pytest.mark.parametrize("given", ["a", "A-b.c_d:9", "0" * 64, "7d1f0c52-a98e-4b63-90c4-e1d87a25b3f6"])
def test_a_callers_own_id_is_used(service: LoggingClient, given: str) -> None:
    answer = service.get("/systems", headers={"x-request-id": given})
    assert answer.headers["x-request-id"] == given
    assert lines(service)[0]["request_id"] == given


@pytest.mark.parametrize("given", [None, "", "0" * 65, "a b", "a\tb", "ä", '"', "<script>", "a,b"])
def test_any_other_is_replaced(service: LoggingClient, given: str | None) -> None:
    headers = [] if given is None else [(b"x-request-id", given.encode())]
    found = {service.get("/systems", headers=headers).headers["x-request-id"] for _ in range(2)}
    assert len(found) == 2
    assert all(re.fullmatch(r"[0-9a-f]{32}", one) for one in found)


def test_a_ruling_has_its_line(service: LoggingClient) -> None:
    service.post("/resolve/jazz/check", json=CHECK)
    [line] = lines(service)
    assert line["ms"] > 0
    assert {name: line[name] for name in line.keys() - {"ms", "timestamp", "request_id"}} == {
        "event": "request",
        "level": "info",
        "method": "POST",
        "route": "/resolve/jazz/check",
        "status": 200,
        "verb": "resolve",
        "action": "jazz.check",
        "outcome": "success",
    }


def test_several_rulings_have_one_line(service: LoggingClient) -> None:
    field = "resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { outcome }"
    service.post("/graphql", json={"query": f"{{ a: {field} b: {field} }}"})
    [line] = lines(service)
    assert (line["action"], line["count"], line["status"]) == (["jazz.check"], 2, 200)


REFUSED = {
    "/resolve/jazz/check": ({**CHECK, SECRET: SECRET}, ["invalid-request"]),
    "/resolve": ({"action": SECRET}, ["invalid-request"]),
    f"/{SECRET}": ({}, ["not-found"]),
    "/graphql": ({"query": "{ " + SECRET.replace("-", "_") + " }"}, ["invalid-request"]),
    f"/systems?{SECRET}={SECRET}": ({}, ["method-not-allowed"]),
}


@pytest.mark.parametrize(("path", "asked"), REFUSED.items())
def test_a_refusal_has_its_code_in_the_line_and_nothing_that_was_sent(
    service: LoggingClient, path: str, asked: tuple[dict[str, Any], list[str]]
) -> None:
    service.post(path, json=asked[0], headers={"authorization": f"Bearer {SECRET}", "user-agent": SECRET})
    [text] = service.log
    assert json.loads(text)["refusals"] == asked[1]
    assert SECRET not in text.replace("_", "-")


def test_an_outcome_in_the_callers_words_is_not_repeated() -> None:
    found = context()
    found.acted("resolve", "jazz.fight", SECRET, ("undecided",))
    found.acted("resolve", "jazz.fight", "undecided", ("undecided",))
    assert [outcome for _, _, outcome in found.actions] == ["other", "undecided"]
