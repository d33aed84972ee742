"""Plans for repeated documents: the response is exactly that of graphql-core."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from graphql import GraphQLInterfaceType, GraphQLObjectType, OperationDefinitionNode, get_named_type, parse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine.requests import body_of
from tablecall.graphql import compiled, limits, schema
from tablecall.graphql.compiled import Compiler, Inputs, Plans, Uncovered
from tablecall.graphql.schema import EXTRAS, SCHEMA
from tablecall.graphql.view import View
from tablecall.model.base import Body
from tablecall.runtime import dispatch
from tablecall.runtime.lazy import LazyApp
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.request_record import RequestRecord
from tablecall.systems.system import Action

TYPES = SCHEMA._schema.type_map
ASK = "query Ask($request: ResolveRequest!) { resolve(request: $request) { outcome rolls { total dice { face } } } }"
CHECK: dict[str, Any] = {"jazzCheck": {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}}


def view_of(client: TestClient) -> View:
    routes: Any = client.app
    lazy = next(route.endpoint for route in routes.router.routes if isinstance(route, Route) and isinstance(route.endpoint, LazyApp))
    view = lazy.make()
    assert isinstance(view, View)
    return view


@pytest.fixture(scope="module")
def plain() -> TestClient:
    """A service without plans."""
    client = TestClient(create_app())
    view_of(client).plans = Plans(SCHEMA._schema, EXTRAS, 0)
    return client


@pytest.fixture(scope="module")
def planning() -> TestClient:
    return TestClient(create_app())


def examples() -> list[dict[str, Any]]:
    return [{published.field: {"seed": 7, **example}} for published in PUBLISHED.values() for example in published.action.examples.values()]


class Selecting:
    """Draws selections: fields under aliases and not, fragments of both kinds, directives, ``__typename``."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.fragments: list[str] = []
        self.names = 0

    def some(self, most: int) -> int:
        return self.data.draw(st.integers(0, most))

    def fields(self, kind: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
        names = self.data.draw(st.lists(st.sampled_from(sorted(kind.fields)), min_size=1, max_size=6))
        parts = [self.field(kind, name, depth) for name in names]
        if self.some(3) == 0:
            parts.append(f"... on {kind.name} {{ {self.field(kind, names[0], depth)} __typename }}")
        if self.some(4) == 0:
            self.names += 1
            called = f"F{self.names}"
            self.fragments.append(f"fragment {called} on {kind.name} {{ {self.field(kind, names[-1], depth)} }}")
            parts += [f"...{called}"] * 2
        if self.some(4) == 0:
            parts.append(self.data.draw(st.sampled_from(["__typename", "kind: __typename", "... { __typename }"])))
        return " ".join(parts)

    def field(self, kind: GraphQLObjectType | GraphQLInterfaceType, name: str, depth: int) -> str:
        inner = get_named_type(kind.fields[name].type)
        below = ""
        if isinstance(inner, GraphQLObjectType | GraphQLInterfaceType):
            below = f" {{ {self.fields(inner, depth - 1) if depth else '__typename'} }}"
        directive = self.data.draw(st.sampled_from(["", "", "", "", "", "", "", " @include(if: true)", " @skip(if: true)"]))
        self.names += 1
        alias = f"a{self.names}: " if self.names < 90 and (below or self.some(2) == 0) else ""
        return f"{alias}{name}{directive}{below}"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_plan_selects_like_graphql_core(plain: TestClient, planning: TestClient, data: st.DataObject) -> None:
    request = data.draw(st.sampled_from(examples()))
    selecting = Selecting(data)
    ruling = TYPES["Ruling"]
    (own,) = (TYPES[f"{published.name}Ruling"] for published in PUBLISHED.values() if published.field in request)
    other = TYPES[data.draw(st.sampled_from(["JazzCheckRuling", "DarkpagesAttackRuling"]))]
    assert isinstance(ruling, GraphQLInterfaceType)
    assert isinstance(own, GraphQLObjectType)
    assert isinstance(other, GraphQLObjectType)
    parts = [selecting.fields(ruling, 3), f"... on {own.name} {{ {selecting.fields(own, 3)} }}"]
    parts.append(f"... on {other.name} {{ {selecting.fields(other, 1)} }}")
    alias = data.draw(st.sampled_from(["", "mine: "]))
    query = f"query Q($r: ResolveRequest!) {{ {alias}resolve(request: $r) {{ {' '.join(parts)} }} }} {' '.join(selecting.fragments)}"
    same(plain, planning, query, request)


def same(plain: TestClient, planning: TestClient, query: str, request: Any, times: int = 2) -> None:
    body = {"query": query, "variables": {"r": request}}
    expected = plain.post("/graphql", json=body)
    for _ in range(times):
        assert_equal(planning.post("/graphql", json=body), expected)


def assert_equal(response: httpx2.Response, expected: httpx2.Response) -> None:
    assert (response.status_code, response.text) == (expected.status_code, expected.text)
    assert response.headers["content-type"] == expected.headers["content-type"]


ODD: list[Any] = [None, True, 0, 1, 3.0, 2.5, 2**31, "x", "", "success", [], [1], ["x"], [None], {}, {"x": 1}, {"name": "x", "aspects": []}]


def altered(value: Any, data: st.DataObject) -> Any:
    """The same value with one part changed, removed or added."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 3)):
        name = data.draw(st.sampled_from(sorted(value)))
        match data.draw(st.integers(0, 5)):
            case 0:
                return {key: part for key, part in value.items() if key != name}
            case 1:
                return {**value, "unknown": data.draw(st.sampled_from(ODD))}
            case _:
                return {**value, name: altered(value[name], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 3)):
        return [altered(value[0], data), *value[1:]]
    return data.draw(st.sampled_from(ODD))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_plan_coerces_like_graphql_core(plain: TestClient, planning: TestClient, data: st.DataObject) -> None:
    query = "query Q($r: ResolveRequest!) { resolve(request: $r) { action outcome total summary seedFrom factors { name } } }"
    [(field, body)] = data.draw(st.sampled_from(examples())).items()
    same(plain, planning, query, {field: body})
    request = altered({field: altered(body, data) if data.draw(st.booleans()) else body}, data)
    if isinstance(request, dict):
        # Two dice of its own would differ.
        request = {
            key: {**part, "seed": 3} if isinstance(part, dict) and part.get("seed") is None else part for key, part in request.items()
        }
    same(plain, planning, query, request, times=1)


def test_object_that_is_not_there_is_null(plain: TestClient, planning: TestClient) -> None:
    """Without an order nobody acts: initiative is rolled, and `turn` is null."""
    query = "query Q($r: ResolveRequest!) { resolve(request: $r) { ... on JazzTurnRuling { turn { kind } } } }"
    combatants = [{"id": name, "side": name, "actor": {"bonus": 1}} for name in "ab"]
    same(plain, planning, query, {"jazzTurn": {"combatants": combatants, "seed": 1}}, times=3)


def test_plan_is_made_at_the_second_request(planning: TestClient) -> None:
    plans = view_of(planning).plans = Plans(SCHEMA._schema, EXTRAS, 2)
    body = {"query": ASK, "variables": {"request": CHECK}}
    assert plans.find(ASK, None) is None
    answers = [planning.post("/graphql", json=body).text for _ in range(3)]
    assert len(set(answers)) == 1
    plan = plans.find(ASK, None)
    assert plan is not None
    assert plan.pickers.keys() == {"jazz.check"}
    for number in range(4):
        other = ASK.replace("Ask", f"Ask{number}")
        for _ in range(3):
            planning.post("/graphql", json={**body, "query": other})
    assert plans.find(ASK, None) is None


def test_invalid_document_has_no_plan(planning: TestClient) -> None:
    plans = view_of(planning).plans
    query = "query ($request: ResolveRequest!) { resolve(request: $request) { nothing } }"
    for _ in range(3):
        assert "errors" in planning.post("/graphql", json={"query": query, "variables": {"request": CHECK}}).json()
    assert plans.find(query, None) is None


UNCOVERED = {
    "another field": "{ systems { title } }",
    "two fields": "query ($r: ResolveRequest!) { resolve(request: $r) { outcome } again: resolve(request: $r) { outcome } }",
    "a literal": '{ resolve(request: {jazzCheck: {actor: {bonus: 1}, difficulty: 9, seed: "x"}}) { outcome } }',
    "parts of a request": "query ($r: JazzCheckInput!) { resolve(request: {jazzCheck: $r}) { outcome } }",
    "a default": "query ($r: ResolveRequest! = {jazzCheck: {actor: {bonus: 1}, difficulty: 9}}) { resolve(request: $r) { outcome } }",
    "a directive": "query ($r: ResolveRequest!) { resolve(request: $r) @include(if: true) { outcome } }",
    "introspection": "{ __typename }",
}


@pytest.mark.parametrize("query", UNCOVERED.values(), ids=UNCOVERED.keys())
def test_uncovered_documents_are_left_to_graphql_core(plain: TestClient, planning: TestClient, query: str) -> None:
    request = CHECK["jazzCheck"] if "JazzCheckInput" in query else CHECK
    same(plain, planning, query, request, times=3)
    assert view_of(planning).plans.find(query, None) is None


def test_null_for_nullable_input_is_accepted(plain: TestClient, planning: TestClient) -> None:
    query = "query Q($r: ResolveRequest!) { resolve(request: $r) { outcome } }"
    same(plain, planning, query, {"jazzCheck": {**CHECK["jazzCheck"], "opponent": None, "level": None}}, times=3)


def test_operation_name_chooses_the_plan(plain: TestClient, planning: TestClient) -> None:
    query = f"{ASK} {ASK.replace('Ask', 'Other').replace('outcome', 'total')}"
    for name in ("Ask", "Other", "Ask", "Other", "Ask", "Nobody", None):
        body = {"query": query, "variables": {"request": CHECK}, "operationName": name}
        assert planning.post("/graphql", json=body).text == plain.post("/graphql", json=body).text


@pytest.mark.parametrize(
    "headers", [{"accept": "application/graphql-response+json"}, {"accept": "text/html"}, {"content-type": "text/plain"}]
)
def test_other_media_types_have_no_plan(plain: TestClient, planning: TestClient, headers: dict[str, str]) -> None:
    body = json.dumps({"query": ASK, "variables": {"request": CHECK}})
    for _ in range(3):
        assert_equal(*(client.post("/graphql", content=body, headers=headers) for client in (planning, plain)))


def test_extras_are_made_if_selected(plain: TestClient, planning: TestClient) -> None:
    query = (
        "query Q($r: ResolveRequest!) { resolve(request: $r) { ... on Ruling { ...F ...F } } } fragment F on Ruling { factors { name } }"
    )
    same(plain, planning, query, CHECK, times=3)
    assert planning.post("/graphql", json={"query": query, "variables": {"r": CHECK}}).json()["data"]["resolve"]["factors"]


def test_planned_rulings_are_counted(planning: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    acted = RequestRecord.acted

    def noted(visit: RequestRecord, verb: str, tag: str, *rest: Any) -> None:
        seen.append(tag)
        acted(visit, verb, tag, *rest)

    monkeypatch.setattr(RequestRecord, "acted", noted)
    for _ in range(3):
        planning.post("/graphql", json={"query": ASK, "variables": {"request": CHECK}})
    assert seen == ["jazz.check"] * 3


REFUSED: dict[str, Any] = {
    "by its model": {**CHECK["jazzCheck"], "actor": {"bonus": 3, "using": ["stealth"]}},
    "by the dice": {**CHECK["jazzCheck"], "dice": [{"roll": "actor", "faces": [9]}]},
    "by a rule": {**CHECK["jazzCheck"], "actor": {"character": {"name": "Ash", "aspects": []}, "spend": "karma"}},
}
MERGED = """query Q($r: ResolveRequest!) {
  mine: resolve(request: $r) { outcome }
  ...F
}
fragment F on Query { mine: resolve(request: $r) { total } }"""


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_refusal_runs_once_and_is_counted_once(
    plain: TestClient, planning: TestClient, monkeypatch: pytest.MonkeyPatch, request_: dict[str, Any]
) -> None:
    same(plain, planning, MERGED, CHECK)
    refused = plain.post("/graphql", json={"query": MERGED, "variables": {"r": {"jazzCheck": request_}}}).json()
    [error] = refused["errors"]
    assert error["path"] == ["mine"]
    assert [place["line"] for place in error["locations"]] == [2, 5]
    read: list[str] = []
    codes: list[str] = []

    def counted(action: Action, document: dict[str, Any]) -> Body:
        read.append(action.name)
        return body_of(action, document)

    monkeypatch.setattr(compiled, "body_of", counted)
    monkeypatch.setattr(schema, "body_of", counted)
    monkeypatch.setattr(RequestRecord, "refused", lambda context, code: codes.append(code))
    assert planning.post("/graphql", json={"query": MERGED, "variables": {"r": {"jazzCheck": request_}}}).json() == refused
    assert read == ["check"]
    assert codes == [error["extensions"]["problem"]["type"].rpartition("/")[2]]


def test_failure_runs_once_and_is_logged_once(
    plain: TestClient, planning: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    same(plain, planning, MERGED, CHECK)

    calls: list[str] = []

    async def failing(*asked: Any, **named: Any) -> Any:
        calls.append("ruling")
        raise RuntimeError("a secret")

    monkeypatch.setattr(dispatch, "ruling", failing)
    body = {"query": MERGED, "variables": {"r": CHECK}}
    expected = plain.post("/graphql", json=body).json()
    assert expected["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"
    caplog.clear()
    calls.clear()
    assert planning.post("/graphql", json=body).json() == expected
    assert calls == ["ruling"]
    [record] = caplog.records
    assert isinstance(record.exc_info, tuple)
    assert isinstance(record.exc_info[1], RuntimeError)


def test_planned_responses_are_bounded(plain: TestClient, planning: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of a short ruling are not counted; those of a long one are, and too many are refused."""
    monkeypatch.setattr(limits, "MAX_ANSWERED", 200)
    aliases = " ".join(f"a{index}: face" for index in range(20))
    query = f"query Q($r: ResolveRequest!) {{ resolve(request: $r) {{ rolls {{ dice {{ {aliases} }} }} }} }}"
    few, many = ({"darkpagesCheck": {"actor": {"pool": {"roll": dice, "keep": 1}}, "targetNumber": 9, "seed": 1}} for dice in (4, 40))
    weighed: list[int] = []

    def charge(context: RequestContext, values: int) -> None:
        weighed.append(values)
        limits.charge(context, values)

    monkeypatch.setattr(compiled, "charge", charge)
    same(plain, planning, query, few, times=3)
    assert weighed == []
    same(plain, planning, query, many, times=1)
    assert "an answer holds at most 200 values" in planning.post("/graphql", json={"query": query, "variables": {"r": many}}).text
    assert weighed == [40 * 20] * 2  # once for each request


def test_long_rulings_are_left_to_graphql_core(plain: TestClient, planning: TestClient) -> None:
    round_ = next(one for one in examples() if "jazzRound" in one)
    query = "query Q($r: ResolveRequest!) { resolve(request: $r) { outcome ... on JazzRoundRuling { turns { outcome } } } }"
    same(plain, planning, query, round_, times=3)
    plan = view_of(planning).plans.find(query, None)
    assert plan is not None
    assert plan.pickers == {}


def object_type(name: str) -> GraphQLObjectType:
    found = TYPES[name]
    assert isinstance(found, GraphQLObjectType)
    return found


def compiler() -> Compiler:
    return Compiler(SCHEMA._schema, Inputs(SCHEMA._schema), parse(ASK), EXTRAS)


def selected(query: str) -> list[Any]:
    [operation] = parse(query).definitions
    assert isinstance(operation, OperationDefinitionNode)
    return [operation]


WRONG: list[tuple[Callable[[Any], Any], Any]] = [
    (compiled._of(str), 1),
    (compiled._int, "1"),
    (compiled._int, 2**31),
    (compiled._of(bool), 0),
    (compiled._list_of(compiled._of(str)), "x"),
    (compiled._non_null(compiled._of(str)), None),
    (compiled._enum({"a": "A"}), "b"),
    (compiled._enum({"a": "A"}), []),
    (lambda of_no_document: compiler()._object(object_type("Roll"), selected("{ total }"))(of_no_document), []),
    (lambda no_object: compiler()._object(object_type("Roll"), selected("{ total }"))(no_object), "x"),
    (lambda one_of_several_types: compiler()._complete(one_of_several_types, []), TYPES["Ruling"]),
    (compiled._key, object_type("BatchAnswer").fields["results"]),
    (compiled._scalar, TYPES["Float"]),
]


@pytest.mark.parametrize(("complete", "value"), WRONG)
def test_values_that_need_conversion_are_not_covered(complete: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(Uncovered):
        complete(value)


def test_object_may_be_null() -> None:
    assert compiler()._object(object_type("Roll"), selected("{ total }"))(None) is None
