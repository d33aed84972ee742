"""From a request to an action's body: media types of JSON, and the document that a flat query stands for."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from starlette.testclient import TestClient

from tablecall.engine.flat import document_of as flat
from tablecall.engine.requests import body_of, tagged, untagged
from tablecall.model.base import Model, Seed
from tablecall.model.refusals import Unprocessable
from tablecall.systems import ACTIONS

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}


def test_tag_or_path_selects_the_body() -> None:
    system, action = ACTIONS["jazz.check"]
    by_tag = tagged({"action": "jazz.check", **CHECK})
    assert by_tag == (system, action, untagged(system, action, CHECK)) == (system, action, body_of(action, CHECK))
    assert untagged(system, action, {"action": "jazz.check", **CHECK}) == by_tag[2]
    assert untagged(system, action, {"action": None, **CHECK}) == by_tag[2]
    with pytest.raises(Unprocessable, match=r"this path resolves jazz\.check"):
        untagged(system, action, {"action": "jazz.attack", **CHECK})


@pytest.mark.parametrize(
    "media", ["application/json", "application/json; charset=utf-8", "Application/JSON", "text/json", "application/merge-patch+json"]
)
def test_media_type_of_json_is_accepted(client: TestClient, media: str) -> None:
    assert client.post("/resolve/jazz/check", content=json.dumps(CHECK), headers={"content-type": media}).status_code == 200


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
        *(
            ([(f"leaf.{name}", text)], {"leaf": {name: value}})
            for name, text, value in [
                ("number", "3", 3),
                ("number", "-3", -3),
                ("number", "+3", 3),
                ("number", " 3", 3),  # a plus sent unescaped
                ("number", "  3", "  3"),
                ("number", "3.0", 3),
                ("number", "3.5", "3.5"),
                ("number", "", ""),
                ("number", "9" * 5000, "9" * 5000),
                ("number", "٣", "٣"),
                ("wide", "3", 3),
                ("sure", "true", True),
                ("sure", "false", False),
                ("sure", "yes", "yes"),
                ("word", "two", "two"),
                ("free", "3", "3"),
                ("free", " 1/1", "+1/1"),  # a modifier whose plus was sent unescaped
                ("free", " 1 of 2", " 1 of 2"),
                ("numbers", "3", [3]),
            ]
        ),
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
    ids=range(30),
)
def test_document_of_a_flat_query(query: list[tuple[str, str]], document: dict[str, Any]) -> None:
    assert flat(Root, query) == document
