"""Problems: every kind, its documentation, and the findings in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.testclient import TestClient

from tablecall.contract.action_models import PUBLISHED
from tablecall.http import problems
from tablecall.http.problem_pages import CODES, examples
from tablecall.http.problems import respond
from tablecall.model.base import PATTERNS, ROLL, Name, not_allowed
from tablecall.model.findings import unprocessable
from tablecall.model.problems import KINDS, HttpProblem, cause_of, fix_of, problem_body
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
"""A request that gets each kind of problem."""


@pytest.mark.parametrize("code", list(REACHED))
def test_kind_is_reached(client: TestClient, code: str) -> None:
    problem(REACHED[code](client), KINDS[code].status, code)  # type: ignore[arg-type]


def test_every_refusal_has_a_published_kind() -> None:
    def codes(refusal: type[Refusal]) -> set[str]:
        return {refusal.code}.union(*(codes(kind) for kind in refusal.__subclasses__()))

    assert codes(Refusal) - {Refusal.code} <= set(KINDS)
    assert set(problems.BY_STATUS.values()) <= set(KINDS)


@pytest.mark.parametrize("code", CODES)
def test_code_is_explained_as_json_and_as_a_page(client: TestClient, code: str) -> None:
    english, german = (client.get(f"/problems/{code}", headers={"accept-language": language}) for language in ("en", "de"))
    assert english.headers["content-type"] == "application/json; charset=utf-8"
    found = english.json()
    assert (found["code"], found["title"], found["cause"], found["fix"]) == (code, CODES[code], cause_of(code), fix_of(code))
    assert found["status"] == (KINDS[code].status if code in KINDS else None)
    assert (german.json()["fix"], german.headers["content-language"]) == (fix_of(code, "de"), "de")
    page = client.get(f"/problems/{code}", headers={"accept": "text/html"})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<section id="{code}">' in page.text


def test_all_codes_on_one_page(client: TestClient) -> None:
    assert [row["code"] for row in client.get("/problems").json()["problems"]] == list(CODES)
    page = client.get("/problems", headers={"accept": "text/html"}).text
    assert all(f'<section id="{code}">' in page for code in CODES)


def test_unknown_code_is_not_found_with_the_nearest(client: TestClient) -> None:
    assert "did you mean “wrong-dice”?" in problem(client.get("/problems/wrong-dise"), 404, "not-found")["detail"]


WITHOUT_EXAMPLE = {
    # need a header, a body that is no JSON, or a service that is busy
    *("not-json", "not-acceptable", "unauthorized", "too-slow", "too-large", "url-too-long", "headers-too-large"),
    *("unsupported-media-type", "not-implemented", "too-costly", "too-many-requests", "busy", "timed-out", "internal"),
}


def test_codes_with_an_example() -> None:
    assert set(CODES) - set(examples()) == WITHOUT_EXAMPLE


@pytest.mark.parametrize("code", examples())
def test_example_gets_its_code(client: TestClient, code: str) -> None:
    example = examples()[code]
    answer = client.request(example["method"], example["path"], json=example.get("body"), headers={"accept": "application/json"})
    document = answer.json()
    found = document["errors"][0]["extensions"]["problem"] if example["path"] == "/graphql" else document
    assert code in {found["type"].rpartition("/")[2], *(error["code"] for error in found["errors"])}, found


def test_rule_that_forbids_is_named() -> None:
    finding = {
        "pointer": "/actor/spend",
        "code": "rule-forbids",
        "detail": "no karma left",
        "rule": "jazz.karma.positive",
        "hint": fix_of("rule-forbids"),
    }
    assert problem_body(Forbidden.by("jazz.karma.positive", "/actor/spend", "no karma left")) == {
        "type": "./problems/rule-forbids",
        "title": KINDS["rule-forbids"].title,
        "status": 422,
        "detail": "no karma left",
        "errors": [finding],
    }


FINDING = Finding("/query", "missing-field", "of the finding")


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (Unprocessable(), KINDS["invalid-request"].title),
        (Unprocessable(detail="its own"), "its own"),
        (HttpProblem("not-found"), fix_of("not-found")),
        (HttpProblem("bad-request", "its own", FINDING), "its own"),
    ],
)
def test_detail_of_a_problem(error: Refusal | HttpProblem, detail: str) -> None:
    assert problem_body(error)["detail"] == detail


def test_response_has_the_given_headers() -> None:
    scope: dict[str, object] = {}
    attach(scope, request := context())
    answer = respond(scope, HttpProblem("method-not-allowed"), {"Allow": "GET"})
    assert request.refusals == ["method-not-allowed"]
    assert (answer.status_code, answer.headers["allow"], answer.media_type) == (405, "GET", "application/problem+json; charset=utf-8")


# ── From pydantic's findings ─────────────────────────────────────────────────────────────────────────────────────────


class Inner(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    number: Annotated[int, Field(ge=1, le=7)]


class First(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    action: Literal["toy.a"]
    number: int = 1


class Second(BaseModel):
    action: Literal["toy.b"]


class Outer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    inner: Inner
    names: Annotated[list[Annotated[str, Field(min_length=1, max_length=3, pattern="^[a-z]*$")]], Field(max_length=200)] = []
    sides: Annotated[dict[str, Annotated[float, Field(gt=0, lt=1)]], Field(max_length=1)] = {}
    one: Annotated[list[int], Field(min_length=1)] = [1]
    day: date | None = None
    parts: list[Annotated[First | Second, Field(discriminator="action")]] = []


def refused(document: object, model: type[BaseModel] = Outer) -> tuple[Finding, ...]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(document)
    return unprocessable(caught.value, model).findings


INNER = {"inner": {"number": 1}}


@pytest.mark.parametrize(
    ("document", "pointer", "code", "detail"),
    [
        ({}, "/inner", "missing-field", "`inner` is missing"),
        ({"inner": {"number": 1, "x/y~z": 1}}, "/inner/x~1y~0z", "unknown-field", "there is no field `x/y~z` here"),
        ({"inner": {"number": 1, "numer": 1}}, "/inner/numer", "unknown-field", "did you mean “number”?"),
        ({"inner": {"number": 1, "k" * 1000: 1}}, "/inner/" + "k" * 64, "unknown-field", ""),
        (INNER | {"xyzzy": 1}, "/xyzzy", "unknown-field", "there is no field `xyzzy` here"),
        ({"inner": {"number": 0}}, "/inner/number", "out-of-range", "`number` must be at least 1"),
        ({"inner": {"number": 8}}, "/inner/number", "out-of-range", "`number` must be at most 7"),
        (INNER | {"sides": {"a": 0.0}}, "/sides/a", "out-of-range", "`a` must be more than 0.0"),
        (INNER | {"sides": {"a": 1.0}}, "/sides/a", "out-of-range", "`a` must be less than 1.0"),
        (INNER | {"sides": {"a": 0.5, "b": 0.5}}, "/sides", "too-long", "`sides` can have at most 1 name"),
        (INNER | {"names": ["aaaa"]}, "/names/0", "too-long", "`names 1` can have at most 3 characters"),
        (INNER | {"names": [""]}, "/names/0", "too-short", "`names 1` must have at least 1 character"),
        (INNER | {"names": ["A"]}, "/names/0", "bad-characters", "pattern"),
        (INNER | {"names": ["a"] * 201}, "/names", "too-long", "`names` can have at most 200 entries"),
        (INNER | {"one": []}, "/one", "too-short", "`one` must have at least 1 entry"),
        (INNER | {"names": {}}, "/names", "wrong-type", ""),
        ({"inner": 3}, "/inner", "wrong-type", "object"),
        ({"inner": {"number": "1"}}, "/inner/number", "wrong-type", "whole number"),
        (3, "", "wrong-type", "`request` must be an object"),
        (INNER | {"day": "x"}, "/day", "invalid-value", "`day` is not of the published shape"),
        (INNER | {"parts": [{}]}, "/parts/0", "missing-field", "`action` must say which action it is"),
        (INNER | {"parts": [{"action": "toy.c"}]}, "/parts/0", "unknown-action", "there is no such action"),
        (INNER | {"parts": [{"action": "toy.a", "toy.x": 1}]}, "/parts/0/toy.x", "unknown-field", "`toy.x`"),
        (INNER | {"parts": [{"action": "toy.a", "number": "1"}]}, "/parts/0/number", "wrong-type", "whole number"),
        (INNER | {"y" * 61: 1}, "/" + "y" * 61, "unknown-field", "`…`"),
    ],
)
def test_finding_of_an_invalid_document(document: object, pointer: str, code: str, detail: str) -> None:
    (finding,) = refused(document)
    assert (finding.pointer, finding.code) == (pointer, code)
    assert detail in finding.words()
    assert not {"dict", "Inner"} & set(finding.words().split())  # no word of Python


def test_pattern_is_reported_in_words() -> None:
    class Patterned(BaseModel):
        roll: Annotated[str, Field(pattern=ROLL)] = "actor"
        name: Name = "Rook"

    details = [finding.words() for finding in refused({"roll": "a b", "name": "a\nb"}, Patterned)]
    assert [word in detail for word, detail in zip(("letters, digits and dots", "control characters"), details, strict=True)] == [True] * 2


def patterns(schema: object) -> set[str]:
    """Every pattern in a core schema that pydantic asks for."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    own = {schema["pattern"]} if isinstance(schema, dict) and schema.get("type") == "str" and "pattern" in schema else set()
    return own.union(*(patterns(part) for part in parts))


@pytest.mark.parametrize("tag", PUBLISHED)
def test_published_pattern_has_words(tag: str) -> None:
    assert patterns(PUBLISHED[tag].action.body.__pydantic_core_schema__) <= set(PATTERNS)


def test_at_most_twenty_findings() -> None:
    assert len(refused(INNER | {"names": [1] * 100})) == 20


def test_finding_of_a_model_keeps_its_rule_and_pointer() -> None:
    class Own(BaseModel):
        value: int

        def model_post_init(self, context: object) -> None:
            raise not_allowed("it is not allowed", rule="a.rule", at="/value")

    assert refused({"value": 1}, Own) == (Finding("/value", "not-allowed", "it is not allowed", "a.rule"),)


IN_GERMAN = [
    ("POST", "/resolve/jazz/check", b"", {}),
    ("POST", "/resolve/jazz/check", b'{"a":', {}),
    ("POST", "/resolve/jazz/check", b'{\n"a": x}', {}),
    ("POST", "/resolve/jazz/check", b'{"a": 1, "a": 2}', {}),
    ("POST", "/resolve/jazz/check", b'{"actor": {"bonus": 1e999}}', {}),
    ("POST", "/resolve/jazz/check", b"[" * 80 + b"]" * 80, {}),
    ("POST", "/resolve/jazz/check", b"{}", {"content-encoding": "gzip"}),
    ("POST", "/resolve/jazz/check", b"{}", {"content-type": "text/plain"}),
    ("POST", "/resolve/jazz/check", b'{"rng": "' + b"x" * 2_000_000 + b'"}', {}),
    ("POST", "/batch", b"[]", {}),
    ("POST", "/verify", b"[]", {}),
    ("POST", "/verify", b'{"request": {"action": "jazz.karma"}, "ruling": {}}', {}),
    ("GET", "/resolve/jazz/check?" + "a=1&" * 1001, b"", {}),
    ("GET", "/resolve/jazz/check", b"", {"accept": "video/*"}),
    ("GET", "/systems/", b"", {}),
    ("GET", "/resolve/jaz/check", b"", {}),
    ("GET", "/resolve/jazz/xyzzy", b"", {}),
    ("GET", "/systems/xyzzy", b"", {}),
    ("GET", "/systems/jazz/rules/jazz.dice.rol", b"", {}),
    ("GET", "/schemas/xyzzy", b"", {}),
    ("GET", "/problems/xyzzy", b"", {}),
    ("GET", "/nowhere", b"", {}),
    ("DELETE", "/version", b"", {}),
]


@pytest.mark.parametrize(("method", "path", "body", "headers"), IN_GERMAN)
def test_problems_of_http_are_told_in_german(client: TestClient, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
    sent = {"content-type": "application/json", "accept": "application/json", **headers}
    english, german = (
        client.request(method, path, content=body, headers={**sent, "accept-language": language}) for language in ("en", "de")
    )
    one, other = english.json(), german.json()
    assert (english.headers["content-language"], german.headers["content-language"]) == ("en", "de")
    assert [one[name] for name in ("type", "title", "status")] == [other[name] for name in ("type", "title", "status")]
    assert one["detail"] != other["detail"]
    for error, same in zip(one["errors"], other["errors"], strict=True):
        assert (error["pointer"], error["code"]) == (same["pointer"], same["code"])
        assert error["detail"] != same["detail"]
        assert error["hint"] != same["hint"]
