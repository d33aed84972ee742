"""What schemathesis makes of the contracts: thousands of requests to every operation, as they should be and not.

Hypothesis makes a value in the time of the choices in it, so a request that might be of any action, with any field of it, takes
a tenth of a second, and most such are refused at once for being two. So GraphQL's contract is also taken in parts: one action
each, with a third of the optional fields of each input. What a part allows, the whole allows. Nothing here has a time limit:
each operation gets its share of requests or fails.
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
from tests.long.serving import Service

ROOT = Path(__file__).parents[2]
OPENAPI = ROOT / "openapi" / "openapi.json"
SDL = (ROOT / "schema" / "schema.graphql").read_text()
CASES = int(os.environ.get("LONG_CASES", "5000"))
"""How many requests each contract is good for, at the least."""
SEED = int(os.environ.get("LONG_SEED", "1"))
"""Another number, other requests."""
PARTS = 3
ROUNDS = 20
"""How often Hypothesis may begin again where it made fewer different requests than it was told to."""

Send = Callable[[Any], Any]


def operations(schema: Any) -> list[Any]:
    return [found.ok() for found in schema.get_all_operations()]


def attack(operation: Any, share: int, send: Send) -> int:
    """Make and send ``share`` requests to one operation, valid ones and others; gives how many were."""
    strategy = st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])
    sent = 0

    @given(strategy)
    def every(case: Any) -> None:
        nonlocal sent
        not_echoed(case, send(case))
        sent += 1

    for number in range(ROUNDS):
        if sent < share:
            # Nothing is kept or shrunk, and Hypothesis need not say that making one takes long: we know.
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


# ── No word of the input in a refusal ────────────────────────────────────────────────────────────────────────────────

SOURCES = "".join(path.read_text() for rooms in ("service/**/*.py", "tests/*/*.py") for path in ROOT.glob(rooms))
OURS = OPENAPI.read_text() + SDL + SOURCES
"""Our own words may stand in a refusal, whoever else says them; and Hypothesis does: it also draws from the sources it finds."""
TELLING = 6
"""A shorter text may stand in an answer by chance."""


def not_echoed(case: Any, answer: Any) -> None:
    """No text of the request stands in the refusal, but for the names that its pointers have to name."""
    found = refusals(answer)
    for text in texts(case):
        assert len(text) < TELLING or text in OURS or text not in found


def refusals(answer: Any) -> str:
    """What was said by way of refusal."""
    if answer.status_code >= 400:
        return str(answer.text)
    errors = answer.json().get("errors") if answer.content.startswith(b"{") else None
    return json.dumps(errors, ensure_ascii=False) if errors else ""


def texts(case: Any) -> Iterator[str]:
    """Every text among the values that were sent."""
    if isinstance(case.body, str) and case.operation.label.startswith("Query."):
        said: list[str] = []
        visit(parse(case.body), Said(said))
        yield from said
    else:
        for sent in (case.body, case.query, case.path_parameters):
            yield from leaves(sent)


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)


class Said(Visitor):
    """Gathers the texts of a query."""

    def __init__(self, found: list[str]) -> None:
        super().__init__()
        self.found = found

    def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
        self.found.append(node.value)


# ── REST ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def rest() -> list[Any]:
    """Every operation of the document."""
    schema = schemathesis.openapi.from_path(OPENAPI)
    checks = schema.config.checks
    # A well-formed request may still be one that the rules forbid, name nothing there is, or be larger than the bounds.
    checks.positive_data_acceptance.expected_statuses = ["2xx", "404", "413", "414", "422", "431"]
    checks.negative_data_rejection.expected_statuses = [*checks.negative_data_rejection.expected_statuses, "413", "414", "431"]
    return operations(schema)


def takes_something(operation: Any) -> bool:
    """Whether two requests to it can differ."""
    return bool(operation.body) or any(True for _ in operation.iter_parameters())


def is_refused_in_parts(case: Any) -> bool:
    """Whether it is a batch with nothing wrong but in its requests: each is refused in its own place, and the batch is answered."""
    if case.operation.label != "POST /batch" or set(case.query or ()) - {"seed"} or not isinstance(case.body, dict):
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
        if not is_refused_in_parts(case):
            return case.call_and_validate(base_url=service.address, session=session)
        answer = case.call_and_validate(base_url=service.address, session=session, excluded_checks=[negative_data_rejection])
        assert answer.status_code != 200 or len(answer.json()["results"]) == len(case.body["requests"])
        return answer

    sent = attack(operation, REST_SHARE if takes_something(operation) else 1, send)
    record_property("cases by REST", sent)


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
schemathesis.graphql.scalar("Seed", st.integers().map(nodes.Int) | st.text(max_size=8).map(nodes.String))
schemathesis.graphql.scalar("JSON", ANYTHING.map(json.dumps).map(nodes.String))

DOCUMENT = parse(SDL, no_location=True)
REQUEST = next(one for one in DOCUMENT.definitions if isinstance(one, InputObjectTypeDefinitionNode) and one.name.value == "ResolveRequest")
DEFINED = {one.name.value: one for one in DOCUMENT.definitions if hasattr(one, "name")}
MEMBERS = [field.name.value for field in REQUEST.fields or ()]
VERBS = ("resolve", "odds", "verify")
"""What a part is asked: a batch of one action is a list of what these take."""


def narrowed(member: str, part: int) -> DocumentNode:
    """The contract with one action, a part of the optional fields of each input that has many, and nothing that is out of reach then."""
    (asked,) = (field for field in REQUEST.fields or () if field.name.value == member)
    ruling = leads_to(asked.type).removesuffix("Input") + "Ruling"
    found: dict[str, DefinitionNode] = {}
    ahead = ["Query", ruling]
    while ahead:
        one = ahead.pop()
        if one in DEFINED and one not in found:
            found[one] = part_of(DEFINED[one], asked, part)
            ahead += [leads_to(kind) for field in fields_of(found[one]) for kind in types_of(field)]
    return DocumentNode(definitions=tuple(found.values()))


def part_of(definition: DefinitionNode, asked: InputValueDefinitionNode, part: int) -> DefinitionNode:
    if not isinstance(definition, InputObjectTypeDefinitionNode):
        return definition
    if definition is REQUEST:
        # The one field there is left is required: without @oneOf, nothing else says so.
        return replace(definition, directives=(), fields=(replace(asked, type=NonNullTypeNode(type=asked.type)),))  # type: ignore[arg-type]
    fields = definition.fields or ()
    optional = [field for field in fields if is_optional(field)]
    kept = optional[part::PARTS] if len(optional) > PARTS else optional
    return replace(definition, fields=tuple(field for field in fields if field in kept or not is_optional(field)))


def is_optional(field: InputValueDefinitionNode) -> bool:
    return not isinstance(field.type, NonNullTypeNode) or field.default_value is not None


def leads_to(kind: TypeNode) -> str:
    """The name of a type, whatever is wrapped around it."""
    while not isinstance(kind, NamedTypeNode):
        assert isinstance(kind, ListTypeNode | NonNullTypeNode)
        kind = kind.type
    return kind.name.value


def fields_of(definition: DefinitionNode) -> tuple[Any, ...]:
    return getattr(definition, "fields", None) or ()


def types_of(field: FieldDefinitionNode | InputValueDefinitionNode) -> list[TypeNode]:
    """The type of a field, and those of its arguments."""
    return [field.type, *(argument.type for argument in getattr(field, "arguments", None) or ())]


def fields(document: DocumentNode) -> set[tuple[str, str]]:
    """Every field of every type."""
    return {(one.name.value, field.name.value) for one in document.definitions if hasattr(one, "name") for field in fields_of(one)}


def test_the_parts_leave_nothing_out() -> None:
    """Nothing but the subscription, which is asked as the query of the same name is: by queries Schemathesis knows."""
    followed = DEFINED["Subscription"]
    left_out = {(followed.name.value, field.name.value) for field in fields_of(followed)}
    queries = {field.name.value: types_of(field) for field in fields_of(DEFINED["Query"])}
    assert all(types_of(field) == queries[field.name.value] for field in fields_of(followed))
    assert set().union(*(fields(narrowed(member, part)) for member in MEMBERS for part in range(PARTS))) == fields(DOCUMENT) - left_out


GRAPHQL = operations(schemathesis.graphql.from_file(SDL))
GRAPHQL_SHARE = math.ceil(CASES / (len(GRAPHQL) + len(MEMBERS) * PARTS * len(VERBS)))


def send_graphql(service: Service, session: requests.Session) -> Send:
    def send(case: Any) -> Any:
        # It knows nothing of @oneOf, nor of the bounds an SDL cannot say: sound queries are refused, and rightly.
        found = case.call_and_validate(base_url=f"{service.address}/graphql", session=session, excluded_checks=[positive_data_acceptance])
        assert found.status_code in {200, 400, 413, 422}
        return found

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
