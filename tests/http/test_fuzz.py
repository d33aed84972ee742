"""Random input: the response has a published status, and a refusal repeats nothing of the input."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.flat_query import can_be_queried
from tablecall.engine.flat import document_of as flat
from tablecall.http.json_body import parse
from tablecall.model.refusals import Refusal
from tablecall.settings import Settings
from tablecall.systems.darkpages.sheet import NOTATION
from tests.support.client import EXAMPLES, problem

SENT = "zyxwvu" * 11
"""Part of every generated text except names, which pointers repeat. Refusals quote what was sent up to 60 characters."""
ALLOWED = {200, 400, 406, 413, 415, 422}
CLIENT = TestClient(create_app(Settings(log_requests=False, odds_seconds=0.2, odds_workers=0)))
"""Expensive odds are refused, so that the tests are fast."""

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8).map(SENT.__add__)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def judged(answer: httpx2.Response) -> None:
    """The status is published, and a refusal has the shape of a problem and repeats nothing of the input."""
    assert answer.status_code in ALLOWED, answer.text
    if answer.status_code != 200:
        problem(answer, answer.status_code, answer.json()["type"].rpartition("/")[2])
        assert SENT not in answer.text


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value in a document."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from paths(part, (*path, key))


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, Any]:
    """An example of an action with one to three values replaced or names added."""
    tag, _, example = draw(st.sampled_from(EXAMPLES))
    document = copy.deepcopy(example)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(paths(document))[1:] or [("seed",)]))
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        if isinstance(holder, dict) and draw(st.booleans()):
            holder["unknown name"] = draw(ANYTHING)
        else:
            holder[path[-1]] = draw(ANYTHING)
    return tag, document


@pytest.mark.parametrize("verb", ["resolve", "odds"])
@given(request=spoiled())
def test_spoiled_example(verb: str, request: tuple[str, Any]) -> None:
    tag, document = request
    body = json.dumps(document).encode()
    judged(CLIENT.post(f"/{verb}/{PUBLISHED[tag].path}", content=body, headers={"content-type": "application/json"}))


@given(example=st.sampled_from(EXAMPLES), data=st.data())
def test_spoiled_bytes(example: tuple[str, str, Any], data: st.DataObject) -> None:
    body = bytearray(json.dumps({"action": example[0], **example[2]}).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=6))
    answer = CLIENT.post("/resolve", content=bytes(body), headers={"content-type": "application/json"})
    assert answer.status_code in ALLOWED, answer.text


@given(
    text=st.binary(max_size=60)
    | ANYTHING.map(lambda value: json.dumps(value).encode())
    | st.text(alphabet='{}[]",:\\ 01eE.-tfn').map(str.encode)
)
def test_parsed_body_equals_pythons_or_is_refused(text: bytes) -> None:
    try:
        found = parse(text)
    except Refusal:
        return
    assert found == json.loads(text)


NAMES = st.lists(st.sampled_from([*"ab01", "actor", "attackers", "members", "bonus", "", "00", "10", "²", SENT]), min_size=1, max_size=10)


@given(tag=st.sampled_from(list(PUBLISHED)), pairs=st.lists(st.tuples(NAMES.map(".".join), st.text(max_size=6)), max_size=8))
def test_flat_query_is_an_object_or_is_refused(tag: str, pairs: list[tuple[str, str]]) -> None:
    try:
        found = flat(PUBLISHED[tag].body, pairs)
    except Refusal:
        return
    assert isinstance(found, dict)
    assert len(list(paths(found))) >= len({name for name, _ in pairs})


def test_query_that_looks_like_a_list_is_refused() -> None:
    problem = CLIENT.get("/resolve/jazz/check?0=x").json()
    assert (problem["status"], {error["pointer"] for error in problem["errors"]} >= {"/0"}) == (422, True)


@given(
    tag=st.sampled_from([tag for tag, published in PUBLISHED.items() if can_be_queried(published)]),
    pairs=st.lists(st.tuples(NAMES.map(".".join), st.text(max_size=6)), max_size=5),
    raw=st.binary(max_size=9),
)
def test_random_query(tag: str, pairs: list[tuple[str, str]], raw: bytes) -> None:
    query = "&".join(f"{quote(name)}={quote(value, safe='%&=+')}" for name, value in [*pairs, ("seed", raw.decode("latin-1"))])
    answer = CLIENT.get(f"/resolve/{PUBLISHED[tag].path}?{query}")
    assert answer.status_code in ALLOWED, answer.text


@given(text=st.from_regex(r"[+−-]?[0-9]{0,3}/?[+−-]?[0-9]{0,3}", fullmatch=True) | st.text(alphabet="+-−/0123456789 \n٣k", max_size=14))
def test_notation_of_modifiers_is_the_published_pattern(text: str) -> None:
    body = {"actor": {"pool": {"roll": 20, "keep": 10}, "modifiers": [text]}, "targetNumber": 5, "seed": 1}
    answer = CLIENT.post("/resolve/darkpages/check", json=body)
    # As ECMA-262 reads it: `$` is the very end.
    valid = re.fullmatch(NOTATION.removeprefix("^").removesuffix("$"), text, re.ASCII) is not None and len(text) <= 12
    errors = answer.json().get("errors", [])
    assert valid is ("/actor/modifiers/0" not in {error["pointer"] for error in errors}), errors
