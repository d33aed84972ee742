"""Reading: a body to JSON, a flat query to the same JSON, JSON to an action's body."""

from __future__ import annotations

import contextlib
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from starlette.testclient import TestClient

from tablecall.engine.requests import body_of, tagged, untagged
from tablecall.http.query import document_of as flat
from tablecall.model.base import Model, Seed
from tablecall.model.refusals import Unprocessable
from tablecall.systems import ACTIONS
from tests.support.client import problem


def test_a_tag_or_a_path_says_which_body() -> None:
    system, action = ACTIONS["jazz.check"]
    document = {"actor": {"bonus": 1}, "difficulty": 3}
    by_tag = tagged({"action": "jazz.check", **document})
    assert by_tag == (system, action, untagged(system, action, document)) == (system, action, body_of(action, document))
    assert untagged(system, action, {"action": "jazz.check", **document}) == by_tag[2]
    with pytest.raises(Unprocessable, match=r"this path resolves jazz\.check"):
        untagged(system, action, {"action": "jazz.attack", **document})


# ── Bodies over HTTP ─────────────────────────────────────────────────────────────────────────────────────────────────

CHECK = b'{"actor":{"bonus":3},"difficulty":10,"seed":42}'


@pytest.mark.parametrize(
    "media", ["application/json", "application/json; charset=utf-8", "Application/JSON", "text/json", "application/merge-patch+json"]
)
def test_json_by_any_of_its_names(client: TestClient, media: str) -> None:
    assert client.post("/resolve/jazz/check", content=CHECK, headers={"content-type": media}).status_code == 200


@pytest.mark.parametrize("media", ["", "text/plain", "application/xml", "application/x-www-form-urlencoded", "text/x+json", "json"])
def test_what_is_called_otherwise_is_refused(client: TestClient, media: str) -> None:
    problem(client.post("/resolve/jazz/check", content=CHECK, headers={"content-type": media}), 415, "unsupported-media-type")


def test_a_body_that_comes_in_pieces_is_counted_as_it_comes(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    pieces = (CHECK[index : index + 7] for index in range(0, len(CHECK), 7))
    assert client.post("/resolve/jazz/check", content=pieces, headers=headers).status_code == 200
    endless = (b" " * 1024 for _ in range(1025))
    problem(client.post("/resolve/jazz/check", content=endless, headers=headers), 413, "too-large")


# ── The flat query ───────────────────────────────────────────────────────────────────────────────────────────────────


class Leaf(Model):
    number: int = 0
    wide: Annotated[int, Field(ge=0)] | None = None
    sure: bool = False
    word: Literal["one", "two"] = "one"
    numbers: list[int] = []
    lists: list[list[int]] = []
    free: Any = None


class Root(Model):
    leaf: Leaf | None = None
    leaves: list[Leaf] = []
    seed: Seed | None = None


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ([("leaf.number", "3")], {"leaf": {"number": 3}}),
        ([("leaf.number", "-3")], {"leaf": {"number": -3}}),
        ([("leaf.number", "3.0")], {"leaf": {"number": 3}}),
        ([("leaf.number", "3.5")], {"leaf": {"number": "3.5"}}),
        ([("leaf.number", "")], {"leaf": {"number": ""}}),
        ([("leaf.number", "9" * 5000)], {"leaf": {"number": "9" * 5000}}),
        ([("leaf.number", "٣")], {"leaf": {"number": "٣"}}),
        ([("leaf.wide", "3")], {"leaf": {"wide": 3}}),
        ([("leaf.sure", "true")], {"leaf": {"sure": True}}),
        ([("leaf.sure", "false")], {"leaf": {"sure": False}}),
        ([("leaf.sure", "yes")], {"leaf": {"sure": "yes"}}),
        ([("leaf.word", "two")], {"leaf": {"word": "two"}}),
        ([("leaf.free", "3")], {"leaf": {"free": "3"}}),
        ([("leaf.numbers", "3")], {"leaf": {"numbers": [3]}}),
        ([("leaf.numbers", "3"), ("leaf.numbers", "4")], {"leaf": {"numbers": [3, 4]}}),
        ([("leaf.numbers.1", "3"), ("leaf.numbers.0", "4")], {"leaf": {"numbers": [4, 3]}}),
        ([("leaf.lists.0", "3"), ("leaf.lists.0", "4"), ("leaf.lists.1", "5")], {"leaf": {"lists": [[3, 4], [5]]}}),
        ([("leaves.0.number", "3"), ("leaves.1.sure", "true")], {"leaves": [{"number": 3}, {"sure": True}]}),
        ([(f"leaves.{index}.number", str(index)) for index in range(12)], {"leaves": [{"number": index} for index in range(12)]}),
        ([("leaves.00.number", "3")], {"leaves": {"00": {"number": "3"}}}),
        ([("leaf.number", "3"), ("leaf.number", "4")], {"leaf": {"number": [3, 4]}}),
        ([("leaf.number.0.x", "3")], {"leaf": {"number": [{"x": "3"}]}}),
        ([("nobody.here", "3")], {"nobody": {"here": "3"}}),
        ([("seed", "42")], {"seed": "42"}),
        ([], {}),
    ],
    ids=range(25),
)
def test_a_flat_query_is_the_document_it_means(query: list[tuple[str, str]], document: dict[str, Any]) -> None:
    assert flat(Root, query) == document


@given(st.lists(st.tuples(st.text("ab0.1~/", max_size=12), st.text(max_size=3)), max_size=6))
def test_no_query_is_more_than_refused(pairs: list[tuple[str, str]]) -> None:
    with contextlib.suppress(Unprocessable):
        assert isinstance(flat(Root, pairs), dict | list)
