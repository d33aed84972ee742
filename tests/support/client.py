"""Helpers for requests: every example, GraphQL queries that select every field, and the shape of a problem."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
from graphql import GraphQLInterfaceType, GraphQLObjectType, GraphQLOutputType, GraphQLUnionType, get_named_type
from starlette.testclient import TestClient

from tablecall.contract.action_models import PUBLISHED
from tablecall.graphql.schema import SCHEMA
from tablecall.http.problem_pages import CODES
from tablecall.model.problems import KINDS

EXAMPLES = [
    (tag, name, {"seed": "an example", **example}) for tag, one in PUBLISHED.items() for name, example in one.action.examples.items()
]
"""Every example of every action, seeded: its tag, its name, its body."""


def ids(value: object) -> str | None:
    return value.replace(" ", "-") if isinstance(value, str) else ""


def member(tag: str) -> str:
    """The field of an action in GraphQL's ResolveRequest."""
    return PUBLISHED[tag].field


def request_of(tag: str, body: Any) -> dict[str, Any]:
    """GraphQL's ResolveRequest for a request of REST: an action that is declared within it stands under its name, too."""
    declared = body.get("actions") if isinstance(body, dict) else None
    if tag == "darkpages.conflict" and isinstance(declared, list):
        return {member(tag): {**body, "actions": [_declared(one) for one in declared]}}
    return {member(tag): body}


def _declared(one: Any) -> Any:
    if not isinstance(one, dict) or not isinstance(one.get("action"), str) or one["action"] not in PUBLISHED:
        return one
    return {member(one["action"]): {name: part for name, part in one.items() if name != "action"}}


def everything(kind: GraphQLOutputType, *, top: bool = True) -> str:
    """A selection of every field of a type, at any depth."""
    named = get_named_type(kind)
    if isinstance(named, GraphQLUnionType):
        return "{ __typename }"
    if not isinstance(named, GraphQLObjectType | GraphQLInterfaceType):
        return ""
    fields = " ".join(f"{name} {everything(field.type, top=False)}" for name, field in named.fields.items())
    return "{ " + fields + " }"


def whole_ruling(tag: str) -> str:
    """A query for every field of an action's ruling."""
    name = f"{PUBLISHED[tag].name}Ruling"
    kind = SCHEMA._schema.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    return f"query($request: ResolveRequest!) {{ resolve(request: $request) {{ ... on {name} {everything(kind)} }} }}"


def whole_odds() -> str:
    """A query for every field of the odds."""
    kind = SCHEMA._schema.type_map["Odds"]
    assert isinstance(kind, GraphQLObjectType)
    return f"query($request: ResolveRequest!) {{ odds(request: $request) {everything(kind)} }}"


def ask(client: TestClient, query: str, variables: Mapping[str, Any] | None = None, **sent: Any) -> dict[str, Any]:
    """The answer to a GraphQL query."""
    answer = client.post("/graphql", json={"query": query, "variables": variables, **sent})
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def agree(rest: Any, graphql: Any, place: str = "") -> Iterator[str]:
    """The differences between two answers. Below the top, GraphQL may have selected fewer fields."""
    if place.endswith("/request") and rest is not None and "actions" in rest:
        rest = request_of("darkpages.conflict", rest)["darkpagesConflict"]
    if isinstance(rest, dict) and isinstance(graphql, dict) and place != "/expected":
        # fields that REST leaves out are null in GraphQL; what the caller sent as `id` is `ref` there, and `afterJson` is REST's `after`
        if not place and set(rest) != {name for name in graphql if name in rest or graphql[name] is not None} - {"afterJson"}:
            yield f"names: {sorted(set(rest) ^ set(graphql))}"
        for name in graphql:
            key = {"ref": "id", "afterJson": "after"}.get(name, name) if name not in rest else name
            yield from agree(rest.get(key), graphql[name], f"{place}/{name}")
    elif isinstance(rest, list) and isinstance(graphql, list) and len(rest) == len(graphql):
        for index, (one, other) in enumerate(zip(rest, graphql, strict=True)):
            yield from agree(one, other, f"{place}/{index}")
    elif rest != graphql or type(rest) is not type(graphql):
        yield f"{place}: {rest!r} by REST, {graphql!r} by GraphQL"


def problem(answer: httpx2.Response, status: int | None = None, code: str | None = None) -> dict[str, Any]:
    """The problem of a refusal, whichever door gave it, checked for its shape."""
    found: dict[str, Any] = answer.json()
    if "errors" in found and "type" not in found:
        assert answer.headers["content-type"].partition(";")[0] in ("application/json", "application/graphql-response+json")
        assert all(error["extensions"]["code"] for error in found["errors"])
        found = found["errors"][0]["extensions"]["problem"]
    else:
        assert answer.headers["content-type"].partition(";")[0] == "application/problem+json"
        assert found["status"] == answer.status_code
    assert list(found) == ["type", "title", "status", "detail", "errors"]
    kind = KINDS[found["type"].rpartition("/")[2]]
    assert (found["title"], found["status"]) == (kind.title, kind.status)
    for error in found["errors"]:
        assert set(error) - {"rule"} == {"pointer", "code", "detail", "hint"}
        assert error["code"] in CODES
        assert re.fullmatch(r"(/([^~/]|~[01])*)*", error["pointer"]), error["pointer"]
    assert answer.headers["access-control-allow-origin"] == "*"
    if status is not None:
        assert found["status"] == status, found
    if code is not None:
        assert kind.code == code, found
    return found
