"""Refusals: every kind there is, one shape on every door, and what each finding says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.testclient import TestClient

from tablecall.contract.action_models import PUBLISHED
from tablecall.http import problems
from tablecall.http.problems import respond
from tablecall.model.base import PATTERNS, ROLL, Name, not_allowed
from tablecall.model.findings import unprocessable
from tablecall.model.problems import FINDINGS, KINDS, HttpProblem, ProblemKind, problem_body
from tablecall.model.refusals import Finding, Forbidden, Refusal, Unprocessable
from tablecall.runtime.request_context import attach
from tests.support.client import problem
from tests.support.contexts import context

CHECK = {"actor": {"bonus": 3}, "difficulty": 10}
JSON = {"content-type": "application/json"}
ROOK = {"name": "Rook", "aspects": [{"name": "driver", "bonus": 1}]}

REACHED: dict[str, Callable[[TestClient], object]] = {
    "not-json": lambda client: client.post("/resolve", content=b"{", headers=JSON),
    "invalid-request": lambda client: client.post("/resolve/jazz/check", json={}),
    "rule-forbids": lambda client: client.post("/resolve/jazz/check", json={**CHECK, "actor": {"character": ROOK, "spend": "karma"}}),
    "wrong-dice": lambda client: client.post("/resolve/jazz/check", json={**CHECK, "dice": [{"roll": "nobody", "faces": [1]}]}),
    "unknown-rng": lambda client: client.post("/resolve/jazz/check", json={**CHECK, "rng": "tablecall-0"}),
    "not-found": lambda client: client.get("/nowhere"),
    "method-not-allowed": lambda client: client.delete("/resolve"),
    "not-acceptable": lambda client: client.post("/resolve/jazz/check", json=CHECK, headers={"accept": "image/png"}),
    "too-large": lambda client: client.post("/resolve", content=b" " * (1024 * 1024 + 1), headers=JSON),
    "unsupported-media-type": lambda client: client.post("/resolve", content=b"{}", headers={"content-type": "text/csv"}),
    "bad-request": lambda client: client.get("/resolve/jazz/check?seed=%FF"),
}
"""How a caller meets each kind of problem."""
ELSEWHERE = {
    "too-large-to-count": "tests/dice/test_exploring.py: no small request of the three actions passes the bound",
    "internal": "tests/http/test_failures.py: it takes a rule that fails",
}
"""Kinds that are met elsewhere, and where."""


@pytest.mark.parametrize("code", list(REACHED))
def test_a_caller_meets_every_kind(client: TestClient, code: str) -> None:
    problem(REACHED[code](client), KINDS[code].status, code)  # type: ignore[arg-type]


def test_no_kind_of_a_door_or_a_rule_is_forgotten() -> None:
    def every(refusal: type[Refusal]) -> set[str]:
        return {refusal.code}.union(*(every(kind) for kind in refusal.__subclasses__()))

    assert every(Refusal) - {Refusal.code} <= set(KINDS)
    assert set(problems.BY_STATUS.values()) <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_explains_itself(client: TestClient, kind: ProblemKind) -> None:
    answer = client.get(f"/problems/{kind.code}")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == f"{kind.title} ({kind.status})\n\n{kind.fix}\n"
    assert 400 <= kind.status < 500 or kind.code in ("internal", "not-implemented", "unavailable", "overloaded", "busy", "timed-out")


@pytest.mark.parametrize("code", FINDINGS)
def test_every_finding_does_too(client: TestClient, code: str) -> None:
    title, mend = FINDINGS[code]
    assert client.get(f"/problems/{code}").text == f"{title}\n\n{mend}\n"
    assert code not in KINDS


def test_a_kind_there_is_none_of(client: TestClient) -> None:
    assert "not-json" in problem(client.get("/problems/nothing"), 404, "not-found")["detail"]


def test_the_rule_that_forbids_is_named() -> None:
    found = problem_body(Forbidden.by("jazz.karma.positive", "/actor/spend", "there is no karma to spend"))
    assert found == {
        "type": "/problems/rule-forbids",
        "title": "Forbidden By The Rules",
        "status": 422,
        "detail": "there is no karma to spend",
        "errors": [
            {"pointer": "/actor/spend", "code": "rule-forbids", "detail": "there is no karma to spend", "rule": "jazz.karma.positive"}
        ],
    }


def test_a_refusal_without_findings_speaks_by_its_title() -> None:
    assert problem_body(Unprocessable())["detail"] == "Validation Failed"
    assert problem_body(Unprocessable(detail="two things at once"))["detail"] == "two things at once"


def test_a_door_says_how_to_mend_it_where_it_has_nothing_nearer() -> None:
    assert problem_body(HttpProblem("not-found"))["detail"] == KINDS["not-found"].fix
    found = problem_body(HttpProblem("bad-request", "no", Finding("/query", "missing", "no")))
    assert found["detail"] == "no"
    assert found["errors"] == [{"pointer": "/query", "code": "missing", "detail": "no"}]


def test_headers_are_sent_along() -> None:
    scope: dict[str, object] = {}
    attach(scope, noted := context())
    answer = respond(scope, HttpProblem("method-not-allowed"), {"Allow": "GET"})
    assert noted.refusals == ["method-not-allowed"]
    assert (answer.status_code, answer.headers["allow"], answer.media_type) == (405, "GET", "application/problem+json")


# ── From pydantic's findings ─────────────────────────────────────────────────────────────────────────────────────────


class Inner(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    number: Annotated[int, Field(ge=1, le=7)]


class Outer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    inner: Inner
    names: Annotated[list[Annotated[str, Field(min_length=1, max_length=3, pattern="^[a-z]*$")]], Field(max_length=200)] = []
    sides: Annotated[dict[str, Annotated[float, Field(gt=0, lt=1)]], Field(max_length=1)] = {}
    one: Annotated[list[int], Field(min_length=1)] = [1]


def refused(document: object) -> Unprocessable:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(document)
    return unprocessable(caught.value, Outer)


@pytest.mark.parametrize(
    ("document", "pointer", "code"),
    [
        ({}, "/inner", "missing"),
        ({"inner": {"number": 1, "x/y~z": 1}}, "/inner/x~1y~0z", "unknown-field"),
        ({"inner": {"number": 1, "k" * 1000: 1}}, "/inner/" + "k" * 64, "unknown-field"),
        ({"inner": {"number": 0}}, "/inner/number", "out-of-bounds"),
        ({"inner": {"number": "1"}}, "/inner/number", "wrong-type"),
        ({"inner": 3}, "/inner", "wrong-type"),
        ({"inner": {"number": 1}, "names": ["aaaa"]}, "/names/0", "out-of-bounds"),
        ({"inner": {"number": 1}, "names": ["A"]}, "/names/0", "out-of-bounds"),
        ({"inner": {"number": 1}, "names": {}}, "/names", "wrong-type"),
        ({"inner": {"number": 1}, "names": ["a"] * 201}, "/names", "out-of-bounds"),
    ],
)
def test_each_finding_has_its_place_and_its_code(document: object, pointer: str, code: str) -> None:
    (found,) = refused(document).findings
    assert (found.pointer, found.code) == (pointer, code)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"inner": {"number": 1, "numer": 1}}, "there is no such field; did you mean `number`?"),
        ({"inner": {"number": 1, "xyzzy": 1}}, "there is no such field; there is number"),
        ({"inner": {"number": 1}, "xyzzy": 1}, "there is no such field; there are inner, names, sides, one"),
        ({"inner": {"number": 1}, "names": ["aaaa"]}, "a text here has at most 3 characters"),
        ({"inner": {"number": 1}, "names": [""]}, "a text here has at least 1 character"),
        ({"inner": {"number": 1}, "names": ["A"]}, "the text is not of the published pattern"),
        ({"inner": {"number": 1}, "names": ["a"] * 201}, "a list here has at most 200 items"),
        ({"inner": {"number": 1}, "one": []}, "a list here has at least 1 item"),
        ({"inner": {"number": 1}, "sides": {"a": 0.5, "b": 0.5}}, "an object here has at most 1 name"),
        ({"inner": {"number": 1}, "sides": {"a": 0.0}}, "a number here is more than 0.0"),
        ({"inner": {"number": 1}, "sides": {"a": 1.0}}, "a number here is less than 1.0"),
        ({"inner": {"number": 0}}, "a number here is at least 1"),
        ({"inner": {"number": 8}}, "a number here is at most 7"),
        ({"inner": []}, "Input should be an object"),
        ({"inner": {"number": "1"}}, "Input should be a valid integer"),
    ],
)
def test_a_finding_says_what_would_be_right(document: object, said: str) -> None:
    assert refused(document).findings[0].detail == said


def test_a_pattern_is_told_in_words() -> None:
    class Told(BaseModel):
        roll: Annotated[str, Field(pattern=ROLL)] = "actor"
        name: Name = "Rook"

    with pytest.raises(ValidationError) as caught:
        Told.model_validate({"roll": "a b", "name": "a\nb"})
    assert [found.detail for found in unprocessable(caught.value, Told).findings] == [
        "the name of a roll has letters, digits and dots only",
        "a text here has no control characters",
    ]


def patterns(schema: object) -> set[str]:
    """Every pattern in a core schema that pydantic asks for."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    own = {schema["pattern"]} if isinstance(schema, dict) and schema.get("type") == "str" and "pattern" in schema else set()
    return own.union(*(patterns(part) for part in parts))


@pytest.mark.parametrize("tag", PUBLISHED)
def test_every_published_pattern_has_words(tag: str) -> None:
    assert patterns(PUBLISHED[tag].action.body.__pydantic_core_schema__) <= set(PATTERNS)


def test_no_finding_speaks_of_python() -> None:
    assert "dict" not in refused({"inner": 3}).findings[0].detail
    assert "Inner" not in refused({"inner": 3}).findings[0].detail


def test_at_most_twenty_findings() -> None:
    assert len(refused({"inner": {"number": 1}, "names": [1] * 100}).findings) == 20


def test_a_models_own_finding_has_a_rule_and_a_place_within() -> None:
    class Own(BaseModel):
        value: int

        def model_post_init(self, context: object) -> None:
            raise not_allowed("it is not allowed", rule="a.rule", at="/value")

    with pytest.raises(ValidationError) as caught:
        Own.model_validate({"value": 1})
    assert unprocessable(caught.value, Own).findings == (Finding("/value", "not-allowed", "it is not allowed", "a.rule"),)
