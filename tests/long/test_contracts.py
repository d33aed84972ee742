"""Thousands of requests that schemathesis generates from the contracts, valid and invalid.

A request that may be of any action takes Hypothesis a tenth of a second, and most such are refused at once for naming two actions. So
GraphQL's contract is also tested in parts: one action each, with a third of the optional fields of each input. Whatever a part allows,
the whole allows. Each operation gets its share of requests, however long that takes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from graphql import (
    DefinitionNode,
    DocumentNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InputValueDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    StringValueNode,
    TypeNode,
    Visitor,
    parse,
    print_ast,
    visit,
)
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.graphql import nodes
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tablecall.http.batch import batch_of
from tablecall.model.refusals import Refusal
from tests.long.serving import WAIT, Service

ROOT = Path(__file__).parents[2]
OPENAPI = ROOT / "openapi" / "openapi.json"
SDL = (ROOT / "schema" / "schema.graphql").read_text()
CASES = int(os.environ.get("LONG_CASES", "5000"))
"""The least number of requests for each contract."""
SEED = int(os.environ.get("LONG_SEED", "1"))
PARTS = 3
ROUNDS = 20
"""How often Hypothesis may start again if it generates too few different requests."""

Send = Callable[[Any], Any]


def operations(schema: Any) -> list[Any]:
    return [result.ok() for result in schema.get_all_operations()]


def attack(operation: Any, share: int, send: Send) -> int:
    """Send ``share`` generated requests to one operation, valid and invalid; returns how many were sent."""
    strategy = st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])
    sent = 0

    @given(strategy)
    def every(case: Any) -> None:
        nonlocal sent
        not_echoed(case, send(case))
        sent += 1

    for number in range(ROUNDS):
        if sent < share:
            limits = settings(
                max_examples=share - sent,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            seed(SEED + number)(limits(every))()
    assert sent >= share
    return sent


# ── Refusals repeat only short, printable input ──────────────────────────────────────────────────────────────────────

SOURCES = "".join(path.read_text() for pattern in ("service/**/*.py", "tests/*/*.py") for path in ROOT.glob(pattern))
OURS = OPENAPI.read_text() + SDL + SOURCES
"""Text that a refusal may contain anyway. Hypothesis also draws text from source files."""
MIN_LENGTH = 6
"""Shorter text may occur in a response by chance."""
MAX_QUOTED = 60
"""The longest text that a refusal quotes."""


def not_echoed(case: Any, response: Any) -> None:
    """No text of the request is in the refusal, except names in its pointers and what is short and printable."""
    refusal = refusal_text(response)
    for text in texts(case):
        quotable = len(text) <= MAX_QUOTED and text.isprintable()
        assert quotable or len(text) < MIN_LENGTH or text in OURS or text not in refusal


def refusal_text(response: Any) -> str:
    if response.status_code >= 400:
        return str(response.text)
    errors = response.json().get("errors") if response.content.startswith(b"{") else None
    return json.dumps(errors, ensure_ascii=False) if errors else ""


def texts(case: Any) -> Iterator[str]:
    """Every string among the values sent."""
    if isinstance(case.body, str) and case.operation.label.startswith("Query."):
        collector = StringValues()
        visit(parse(case.body), collector)
        yield from collector.texts
    else:
        for sent in (case.body, case.query, case.path_parameters):
            yield from leaves(sent)


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)


class StringValues(Visitor):
    """Collects the string literals of a query."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
        self.texts.append(node.value)


# ── REST ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def rest() -> list[Any]:
    """Every operation of the document."""
    schema = schemathesis.openapi.from_path(OPENAPI)
    checks = schema.config.checks
    # A valid request may still be forbidden by a rule, name something unknown, or exceed a bound.
    checks.positive_data_acceptance.expected_statuses = ["2xx", "404", "413", "414", "422", "431"]
    checks.negative_data_rejection.expected_statuses = [*checks.negative_data_rejection.expected_statuses, "413", "414", "431"]
    return operations(schema)


def takes_something(operation: Any) -> bool:
    """Whether requests to it can differ."""
    return bool(operation.body) or any(True for _ in operation.iter_parameters())


def meaningful(query: Any) -> dict[str, Any]:
    """The parameters of a query that are not left out: all but empty ones and ``_``."""
    return {name: value for name, value in (query or {}).items() if name != "_" and value not in ("", None, [], [""], {})}


def is_lenient(case: Any) -> bool:
    """Whether the query uses what is read more widely than it is published: empty values, ``_``, and 1 or 0 for a boolean."""
    query = case.query or {}
    return len(meaningful(query)) < len(query) or any(str(value).lower() in {"1", "0", "true", "false"} for value in query.values())


def has_errors_only_inside(case: Any) -> bool:
    """Whether it is a valid batch, whose requests may be invalid: each is refused on its own, with status 200 for the batch."""
    if case.operation.label != "POST /batch" or set(meaningful(case.query)) - {"seed"} or not isinstance(case.body, dict):
        return False
    try:
        batch_of(case.body)
    except Refusal:
        return False
    return True


REST = rest()
REST_SHARE = math.ceil(CASES / sum(map(takes_something, REST)))


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.label) for one in REST])
def test_rest(service: Service, session: requests.Session, record_property: Callable[[str, object], None], operation: Any) -> None:
    def send(case: Any) -> Any:
        inside = has_errors_only_inside(case)
        unchecked = [negative_data_rejection] if inside or is_lenient(case) else []
        response = case.call_and_validate(base_url=service.address, session=session, timeout=WAIT, excluded_checks=unchecked)
        assert not inside or response.status_code != 200 or len(response.json()["results"]) == len(case.body["requests"])
        return response

    sent = attack(operation, REST_SHARE if takes_something(operation) else 1, send)
    record_property("cases by REST", sent)


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
schemathesis.graphql.scalar("Id", st.integers().map(nodes.Int) | st.text(max_size=8).map(nodes.String))
schemathesis.graphql.scalar("Seed", st.integers().map(nodes.Int) | st.text(max_size=8).map(nodes.String))
schemathesis.graphql.scalar("JSON", ANYTHING.map(json.dumps).map(nodes.String))

DOCUMENT = parse(SDL, no_location=True)
REQUEST = next(one for one in DOCUMENT.definitions if isinstance(one, InputObjectTypeDefinitionNode) and one.name.value == "ResolveRequest")
DEFINED = {one.name.value: one for one in DOCUMENT.definitions if hasattr(one, "name")}
MEMBERS = [field.name.value for field in REQUEST.fields or ()]
VERBS = ("resolve", "odds", "verify")
"""The fields queried in parts. A batch of one action is a list of what these take."""


def narrowed(member: str, part: int) -> DocumentNode:
    """The contract with one action, a part of the optional fields of each input, and only the types still in use."""
    (request_field,) = (field for field in REQUEST.fields or () if field.name.value == member)
    ruling = type_name(request_field.type).removesuffix("Input") + "Ruling"
    definitions: dict[str, DefinitionNode] = {}
    names = ["Query", ruling]
    while names:
        name = names.pop()
        if name in DEFINED and name not in definitions:
            definitions[name] = part_of(DEFINED[name], request_field, part)
            names += [type_name(type_) for field in fields_of(definitions[name]) for type_ in types_of(field)]
    return DocumentNode(definitions=tuple(definitions.values()))


def part_of(definition: DefinitionNode, request_field: InputValueDefinitionNode, part: int) -> DefinitionNode:
    if not isinstance(definition, InputObjectTypeDefinitionNode):
        return definition
    if definition is REQUEST:
        # Without @oneOf, the only field must be marked as required.
        return replace(definition, directives=(), fields=(replace(request_field, type=NonNullTypeNode(type=request_field.type)),))  # type: ignore[arg-type]
    fields = definition.fields or ()
    if definition.directives:  # an action declared in another: exactly one of the fields
        return definition
    # Objects within objects are in every part, so that each of their own fields is in one.
    optional = [
        field
        for field in fields
        if is_optional(field) and not isinstance(DEFINED.get(type_name(field.type)), InputObjectTypeDefinitionNode)
    ]
    kept = optional[part::PARTS] if len(optional) > PARTS else optional
    return replace(definition, fields=tuple(field for field in fields if field in kept or field not in optional))


def is_optional(field: InputValueDefinitionNode) -> bool:
    return not isinstance(field.type, NonNullTypeNode) or field.default_value is not None


def type_name(node: TypeNode) -> str:
    """The name of a type without its wrappers."""
    while not isinstance(node, NamedTypeNode):
        assert isinstance(node, ListTypeNode | NonNullTypeNode)
        node = node.type
    return node.name.value


def fields_of(definition: DefinitionNode) -> tuple[Any, ...]:
    return getattr(definition, "fields", None) or ()


def types_of(field: FieldDefinitionNode | InputValueDefinitionNode) -> list[TypeNode]:
    """The type of a field, and those of its arguments."""
    return [field.type, *(argument.type for argument in getattr(field, "arguments", None) or ())]


def fields(document: DocumentNode) -> set[tuple[str, str]]:
    """Every field of every type."""
    return {(one.name.value, field.name.value) for one in document.definitions if hasattr(one, "name") for field in fields_of(one)}


def test_parts_cover_the_whole_contract() -> None:
    """Except mutations and subscriptions, which take the same as the queries of the same name."""
    queries = {field.name.value: types_of(field) for field in fields_of(DEFINED["Query"])}
    left_out = {(root, field.name.value) for root in ("Mutation", "Subscription") for field in fields_of(DEFINED[root])}
    assert all(types_of(field) == queries[field.name.value] for root in ("Mutation", "Subscription") for field in fields_of(DEFINED[root]))
    assert set().union(*(fields(narrowed(member, part)) for member in MEMBERS for part in range(PARTS))) == fields(DOCUMENT) - left_out


GRAPHQL = operations(schemathesis.graphql.from_file(SDL))
GRAPHQL_SHARE = math.ceil(CASES / (len(GRAPHQL) + len(MEMBERS) * PARTS * len(VERBS)))


def send_graphql(service: Service, session: requests.Session) -> Send:
    def send(case: Any) -> Any:
        # Schemathesis does not know @oneOf and bounds outside the SDL, so valid queries may be refused.
        response = case.call_and_validate(
            base_url=f"{service.address}/graphql", session=session, timeout=WAIT, excluded_checks=[positive_data_acceptance]
        )
        assert response.status_code in {200, 400, 413, 422}
        return response

    return send


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.label) for one in GRAPHQL])
def test_graphql(service: Service, session: requests.Session, record_property: Callable[[str, object], None], operation: Any) -> None:
    record_property("cases by GraphQL", attack(operation, GRAPHQL_SHARE, send_graphql(service, session)))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("member", MEMBERS)
def test_graphql_in_parts(
    service: Service, session: requests.Session, record_property: Callable[[str, object], None], member: str, part: int
) -> None:
    schema, sent = schemathesis.graphql.from_file(print_ast(narrowed(member, part))), 0
    for verb in VERBS:
        sent += attack(schema["Query"][verb], GRAPHQL_SHARE, send_graphql(service, session))
    record_property("cases by GraphQL", sent)
