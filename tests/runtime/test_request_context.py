"""What is logged of a request, and what never is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support.contexts import context
from tests.support.log import LoggingClient

SECRET = "nobody-may-read-this"
CHECK = {"actor": {"bonus": 3}, "difficulty": 10, "seed": SECRET}


def line(service: LoggingClient) -> dict[str, Any]:
    """The only line."""
    [text] = service.log
    fields: dict[str, Any] = json.loads(text)
    return fields


@pytest.fixture
def service() -> LoggingClient:
    return LoggingClient()


@pytest.mark.parametrize("given", ["a", "A-b.c_d:9", "0" * 64, "7d1f0c52-a98e-4b63-90c4-e1d87a25b3f6"])
def test_request_id_of_the_client_is_used(service: LoggingClient, given: str) -> None:
    answer = service.get("/systems", headers={"x-request-id": given})
    assert answer.headers["x-request-id"] == line(service)["request_id"] == given


@pytest.mark.parametrize("given", [None, "", "0" * 65, "a b", "a\tb", "ä", '"', "<script>", "a,b"])
def test_invalid_request_id_is_replaced(service: LoggingClient, given: str | None) -> None:
    headers = [] if given is None else [(b"x-request-id", given.encode())]
    made = {service.get("/systems", headers=headers).headers["x-request-id"] for _ in range(2)}
    assert len(made) == 2
    assert all(re.fullmatch(r"[0-9a-f]{32}", one) for one in made)


def test_line_of_a_ruling(service: LoggingClient) -> None:
    service.post("/resolve/jazz/check", json=CHECK)
    fields = line(service)
    assert fields["ms"] > 0
    assert {name: fields[name] for name in fields.keys() - {"ms", "timestamp", "request_id"}} == {
        "event": "request",
        "level": "info",
        "method": "POST",
        "route": "/resolve/jazz/check",
        "status": 200,
        "verb": "resolve",
        "action": "jazz.check",
        "outcome": "success",
    }


def test_line_of_several_rulings(service: LoggingClient) -> None:
    field = "resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { outcome }"
    service.post("/graphql", json={"query": f"{{ a: {field} b: {field} }}"})
    fields = line(service)
    assert (fields["action"], fields["count"], fields["status"]) == (["jazz.check"], 2, 200)


@pytest.mark.parametrize(
    ("path", "document", "code"),
    [
        ("/resolve/jazz/check", {**CHECK, SECRET: SECRET}, "invalid-request"),
        ("/resolve", {"action": SECRET}, "invalid-request"),
        (f"/{SECRET}", {}, "not-found"),
        ("/graphql", {"query": "{ " + SECRET.replace("-", "_") + " }"}, "invalid-request"),
        (f"/systems?{SECRET}={SECRET}", {}, "method-not-allowed"),
    ],
)
def test_line_of_a_refusal_has_its_code_and_nothing_that_was_sent(
    service: LoggingClient, path: str, document: dict[str, Any], code: str
) -> None:
    service.post(path, json=document, headers={"authorization": f"Bearer {SECRET}", "user-agent": SECRET})
    fields = line(service)
    assert fields["refusals"] == [code]
    assert SECRET not in str(fields).replace("_", "-")


def test_outcome_in_the_words_of_the_client_is_not_logged() -> None:
    request = context()
    for outcome in (SECRET, "undecided"):
        request.acted("resolve", "jazz.fight", outcome, ("undecided",))
    assert [outcome for _, _, outcome in request.actions] == ["other", "undecided"]
