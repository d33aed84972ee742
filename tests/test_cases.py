"""The cases of the rule books by REST and GraphQL: rulings, refusals and exact odds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.settings import Settings
from tests.support.client import request_of, whole_odds, whole_ruling

CASES: list[dict[str, Any]] = [
    case for file in sorted((Path(__file__).parent / "cases").glob("*.json")) for case in json.loads(file.read_text()) if "request" in case
]
PUBLISHED_CASES = [case for case in CASES if case["request"]["action"] in PUBLISHED and "path" not in case]
MISSING = "<missing>"


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(Settings()))


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer."""
    for key in filter(None, pointer.split("/")):
        try:
            document = document[int(key)] if isinstance(document, list) else document[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return MISSING
    return document


def check(case: Mapping[str, Any], answer: Mapping[str, Any], status: int) -> None:
    """Compare an answer, or the problem answered instead, with the case."""
    if "refused" in case:
        assert status == case["refused"]["status"], answer
        # GraphQL refuses some requests by type, before any rule.
        if "rule" in case["refused"] and answer["errors"][0]["code"] != "invalid-query":
            assert case["refused"]["rule"] in [error.get("rule") for error in answer["errors"]]
        return
    assert status == 200, answer
    if "odds" in case:
        chances = {row["outcome"]: Fraction(row["fraction"]) for row in answer["outcomes"]}
        assert {name: chances.get(name, Fraction()) for name in case["odds"]} == {
            name: Fraction(text) for name, text in case["odds"].items()
        }
        assert sum(chances.values()) == 1
        return
    expected = [(pointer, type(value), value) for pointer, value in case["expect"].items()]
    assert [(pointer, type(at(answer, pointer)), at(answer, pointer)) for pointer in case["expect"]] == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case_by_rest(client: TestClient, case: Mapping[str, Any]) -> None:
    answer = client.post(case.get("path", "/odds" if "odds" in case else "/resolve"), json=case["request"])
    check(case, answer.json(), answer.status_code)
    for step in case.get("then", []):
        # the next request is the answer's `after` with something laid over it
        request = {"action": case["request"]["action"], **answer.json()["after"], **step["with"]}
        answer = client.post("/resolve", json=request)
        check(step, answer.json(), answer.status_code)


@pytest.mark.parametrize("case", PUBLISHED_CASES, ids=lambda case: case["id"])
def test_case_by_graphql(client: TestClient, case: Mapping[str, Any]) -> None:
    body = dict(case["request"])
    tag = body.pop("action")
    query = whole_odds() if "odds" in case else whole_ruling(tag)
    answer = client.post("/graphql", json={"query": query, "variables": {"request": request_of(tag, body)}}).json()
    if "errors" in answer:
        problem = answer["errors"][0]["extensions"]["problem"]
        check(case, problem, problem["status"])
    else:
        ruling = next(iter(answer["data"].values()))
        # `after` is as the wire has it, without what GraphQL cannot leave out
        check(case, {**with_ids(ruling), "after": ruling.get("afterJson")}, 200)


def with_ids(answer: Any) -> Any:
    """The answer with REST's name for what the caller sent as `id`."""
    if isinstance(answer, dict):
        return {"id" if name == "ref" else name: with_ids(value) for name, value in answer.items()}
    return [with_ids(value) for value in answer] if isinstance(answer, list) else answer
