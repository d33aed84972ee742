"""Bounds on GraphQL documents."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLError, GraphQLNonNull, get_introspection_query, parse
from graphql.validation import specified_rules, validate
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.graphql import limits
from tablecall.graphql.extensions import errors_of
from tablecall.graphql.limits import MAX_ERRORS, MAX_LITERALS, Budget, Exceeded, Limits, is_introspection
from tablecall.graphql.schema import SCHEMA
from tablecall.settings import Settings
from tests.support.client import EXAMPLES, ids, request_of

DOUBLING = "".join(f"fragment F{i} on Query {{ ...F{i + 1} ...F{i + 1} }} " for i in range(80)) + "fragment F80 on Query { __typename }"


def errors(query: str) -> list[GraphQLError]:
    return validate(SCHEMA._schema, parse(query), [Limits])


def spent(query: str) -> Budget:
    budget = Budget()
    budget.document(parse(query))
    return budget


def many(count: int, text: str) -> str:
    return "{ " + " ".join(text.format(i=i) for i in range(count)) + " }"


def nested(depth: int) -> str:
    return "{ " + "systems { " * depth + "system" + " }" * depth + " }"


def unknown_fields(count: int) -> str:
    """A literal with one field more than ``count``, each nearly the name of an action."""
    return "{ resolve(request: {" + " ".join(f"darkpagesChara{i}: 1" for i in range(count + 1)) + "}) { outcome } }"


TOO_MUCH = {
    "depth": nested(limits.MAX_DEPTH),
    "aliases": many(limits.MAX_ALIASES + 1, "a{i}: __typename"),
    "cost of odds": many(30, "a{i}: odds(request: {{}}) {{ action }}"),
    "cost of fields": many(limits.MAX_COST + 1, "f{i}"),
    "cost of inline fragments": many(limits.MAX_COST + 1, "... {{ a }}"),
    "repeats": many(33, "systems {{ system }}"),
    "repeats in merged fields": "{ " + " ".join("systems { " + "system " * 8 + "}" for _ in range(4)) + " }",
    "repeats in a fragment that is not used": "{ __typename } fragment F on Query " + many(33, "__typename"),
    "a fragment that multiplies": "{ ...F0 } "
    + "".join(f"fragment F{i} on Query {{ a {{ ...F{i + 1} }} b {{ ...F{i + 1} }} }} " for i in range(14))
    + "fragment F14 on Query { a }",
    "fields of a literal": unknown_fields(MAX_LITERALS),
    "items of a literal": "{ resolve(request: [" + "1 " * (MAX_LITERALS + 1) + "]) { outcome } }",
    "literals in directives": many(101, "a{i} @x(a: {{b: [1, 2, 3]}})"),
    "literals in defaults": "query (" + " ".join(f"$v{i}: X = {{a: [1, 2, 3]}}" for i in range(101)) + ") { a }",
    "all types twice": many(2, "a{i}: __schema {{ types {{ name }} }}"),
    "too many lists in all types": "{ __schema { types " + many(18, "a{i}: fields {{ name }}") + " } }",
    "lists in lists": "{ __schema { types { fields { type { fields { name } } } } } }",
    "types of types": '{ __type(name: "Query") { '
    + "ofType { " * limits.MAX_INTROSPECTION_DEPTH
    + "name"
    + " }" * (limits.MAX_INTROSPECTION_DEPTH + 2),
}


@pytest.mark.parametrize("query", TOO_MUCH.values(), ids=TOO_MUCH.keys())
def test_document_out_of_bounds_is_refused_with_the_bound(query: str) -> None:
    [error] = errors(query)
    assert error.extensions is not None
    problem: Any = error.extensions["problem"]
    assert problem["type"] == "./problems/too-costly"
    assert any(str(bound) in problem["detail"] for bound in (16, 20, 100, 2500, 500, 1150, 2, 300))


WITHIN = {
    "depth": nested(limits.MAX_DEPTH - 1),
    "aliases": many(limits.MAX_ALIASES, "a{i}: __typename"),
    "odds": many(24, "a{i}: odds(request: {{}}) {{ action }}"),
    "repeats": many(32, "__typename"),
    "doubling fragments": "{ ...F0 } " + DOUBLING,
    "fragments in a ring": "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
    "a ring that is not used": "{ __typename } fragment A on Query { ...B } fragment B on Query { ...A }",
    "an unknown fragment": "{ ...A }",
    "literals": unknown_fields(MAX_LITERALS - 1),
    "introspection": get_introspection_query(
        specified_by_url=True, directive_is_repeatable=True, schema_description=True, input_value_deprecation=True
    ),
}


@pytest.mark.parametrize("query", WITHIN.values(), ids=WITHIN.keys())
def test_document_within_bounds_is_accepted(query: str) -> None:
    assert errors(query) == []


def test_fragment_costs_once_per_selection_set() -> None:
    fragment = " fragment F on System { system title }"
    assert spent("{ ...A ...A } fragment A on Query { __typename }").cost == 2
    assert spent("{ a { ...F } b { ...F ...F } }" + fragment).cost == 2 + 2 * 3


def test_introspection_names_below_the_root_cost_the_usual() -> None:
    budget = spent("{ a { __schema { types { name } } } }")
    assert (budget.cost, budget.introspection) == (4, 0)


def test_introspection_has_its_own_budget() -> None:
    budget = spent("{ __schema { types { name } } systems { system } }")
    assert (budget.cost, budget.introspection) == (3, 602)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ __schema { queryType { name } } }", True),
        ('{ __typename __type(name: "Query") { name } a: __schema { queryType { name } } }', True),
        ("{ __typename }", False),
        ("{ __schema { queryType { name } } systems { title } }", False),
        ("{ ...F } fragment F on Query { __schema { queryType { name } } }", False),
        ("subscription { __schema { queryType { name } } }", False),
        ("query A { __schema { queryType { name } } } query B { systems { title } }", False),
        ("{ __schema {", False),
    ],
)
def test_is_introspection(query: str, expected: bool) -> None:
    assert is_introspection(query, None) is expected


def test_introspection_runs_in_a_thread_and_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    client = TestClient(create_app(Settings()))
    threads: list[str] = []
    execute = type(SCHEMA).execute_sync

    def noted(schema: Any, *arguments: Any, **options: Any) -> Any:
        threads.append(threading.current_thread().name)
        return execute(schema, *arguments, **options)

    monkeypatch.setattr(type(SCHEMA), "execute_sync", noted)
    expected = SCHEMA.execute_sync(WITHIN["introspection"]).data
    threads.clear()
    for _ in range(3):
        answer = client.post("/graphql", json={"query": WITHIN["introspection"]})
        assert answer.json() == {"data": expected}
    assert len(threads) == 1
    assert threads[0].startswith("asyncio_")


def test_introspection_with_variables_and_errors(client: TestClient) -> None:
    query = "query ($name: String!) { __type(name: $name) { name } }"
    for name in ("Query", "Odds"):
        found = client.post("/graphql", json={"query": query, "variables": {"name": name}}).json()
        assert found == {"data": {"__type": {"name": name}}}
    refused = client.post("/graphql", json={"query": query}).json()
    assert list(refused) == ["errors"]
    assert refused["errors"][0]["extensions"]["problem"]["errors"][0]["pointer"] == "/variables/name"


def test_bounds_are_checked_before_the_other_rules() -> None:
    found = validate(SCHEMA._schema, parse(many(400, "nothing")), [*specified_rules, Limits])
    assert len(found) == 1


@pytest.mark.parametrize("query", [unknown_fields(MAX_LITERALS - 1), many(400, "nothing{i}")], ids=["literals", "fields"])
def test_number_of_errors_is_bounded(client: TestClient, query: str) -> None:
    """Each error about a literal prints all of it, and looks for similar names."""
    answered = client.post("/graphql", json={"query": query}).json()["errors"]
    assert len(answered) == MAX_ERRORS + 1
    assert answered[-1]["message"].startswith("Too many validation errors")
    assert answered[-1]["extensions"]["problem"]["type"] == "./problems/invalid-request"


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_every_example_fits_into_a_literal(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    query = f"{{ resolve(request: {literal(request_of(tag, body), SCHEMA._schema.type_map['ResolveRequest'])}) {{ action }} }}"
    assert client.post("/graphql", json={"query": query}).json() == {"data": {"resolve": {"action": tag}}}


def literal(value: Any, kind: Any) -> str:
    """A JSON value as a GraphQL literal of a type."""
    kind = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    if isinstance(value, list):
        return "[" + " ".join(literal(part, getattr(kind, "of_type", kind)) for part in value) + "]"
    if isinstance(value, dict):
        types = {name: field.type for name, field in getattr(kind, "fields", {}).items()}
        return "{" + " ".join(f"{name}: {literal(part, types.get(name, kind))}" for name, part in value.items()) + "}"
    return str(value) if isinstance(kind, GraphQLEnumType) else json.dumps(value)


def test_validated_documents_are_cached() -> None:
    query = "{ systems { system title } }"
    assert SCHEMA.execute_sync(query).errors is None
    before = errors_of.cache_info()
    assert SCHEMA.execute_sync(query).errors is None
    after = errors_of.cache_info()
    assert (after.hits - before.hits, after.misses - before.misses) == (1, 0)
    assert after.maxsize == limits.MAX_CACHED


@pytest.mark.parametrize("suggestions", [True, False])
def test_suggestions_can_be_switched_off(suggestions: bool) -> None:
    client = TestClient(create_app(Settings(graphql_suggestions=suggestions)))
    for query in ("{ systemz { title } }", "{ systems { titel } }", '{ system(nam: "jazz") { title } }'):
        error = client.post("/graphql", json={"query": query}).json()["errors"][0]
        assert ("Did you mean" in error["message"]) is suggestions
        assert error["message"].startswith(("Cannot query field", "Unknown argument"))
    query = "query($request: ResolveRequest!) { resolve(request: $request) { outcome } }"
    for request in ({"jazzCheck": {"actor": {"bonos": 1}, "difficulty": 8}}, {"action": "jazz.check"}):
        error = client.post("/graphql", json={"query": query, "variables": {"request": request}}).json()["errors"][0]
        assert ("did you mean" in error["message"].lower()) is suggestions


def test_query_that_is_too_long_is_not_parsed(client: TestClient) -> None:
    for size, refused in ((limits.MAX_CHARACTERS, False), (limits.MAX_CHARACTERS + 1, True)):
        answer = client.post("/graphql", json={"query": "{ __typename }".ljust(size)})
        assert ("./problems/too-costly" in answer.text) is refused


@pytest.mark.parametrize("part", [{}, 1, [1], "text"])
def test_variables_are_bounded(client: TestClient, part: Any) -> None:
    most = (limits.MAX_VALUES - 1) // (1 + limits.OBJECT * isinstance(part, dict) + isinstance(part, list))
    query = "query($ruling: JSON!) { verify(request: {}, ruling: $ruling) { verdict } }"
    for count, refused in ((most, False), (most + 1, True)):
        answer = client.post("/graphql", json={"query": query, "variables": {"ruling": [part] * count}})
        assert ("./problems/too-costly" in answer.text) is refused
        assert (answer.status_code == 422) is refused


def test_names_in_the_variables_are_bounded(client: TestClient) -> None:
    query = "query($ruling: JSON!) { verify(request: {}, ruling: $ruling) { verdict } }"
    for length, refused in ((limits.MAX_NAME, False), (limits.MAX_NAME + 1, True)):
        ruling = [{"n" * length: "x" * limits.SMALL_BODY}]
        answer = client.post("/graphql", json={"query": query, "variables": {"ruling": ruling}})
        assert ("a name in the variables has at most 1000 characters" in answer.text) is refused


def test_walk_stops_at_the_bound() -> None:
    steps = Budget()
    with pytest.raises(Exceeded):
        steps.document(parse(TOO_MUCH["a fragment that multiplies"]))
    assert steps.cost == limits.MAX_COST + 1
