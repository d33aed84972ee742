"""GraphQL errors. Each carries a code and the problem that REST would answer.

A message names places and repeats at most short names of what was sent. graphql-core's own messages repeat values, so they are reworded.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Container, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLFormattedError,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
)

from tablecall.contract.action_models import PUBLISHED
from tablecall.engine.requests import body_of
from tablecall.engine.verify import within
from tablecall.graphql.types import rest_form
from tablecall.http.problems import refusal_of
from tablecall.model.problems import HttpProblem, kind_of, problem_body
from tablecall.model.refusals import Finding, Refusal, Unprocessable
from tablecall.model.text import LANGUAGES, Language

PARSE, VALIDATION, INPUT, INTERNAL = "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT", "INTERNAL_SERVER_ERROR"


@contextmanager
def wrap(language: Language = LANGUAGES[0]) -> Iterator[None]:
    """Raise a refusal as a GraphQL error that carries the problem, in a language."""
    try:
        yield
    except (Refusal, HttpProblem) as refusal:
        raise _with_problem(refusal, language) from None


def _with_problem(refusal: Refusal | HttpProblem, language: Language = LANGUAGES[0]) -> GraphQLError:
    code = INTERNAL if kind_of(refusal).code == "internal" else INPUT
    problem = problem_body(refusal, language)
    return GraphQLError(problem["detail"], extensions={"code": code, "problem": problem})


async def streamed(answers: AsyncIterator[dict[str, Any]], language: Language | None) -> AsyncIterator[Any]:
    """The answers. A refusal is the last of them: GraphQL reports it as an error."""
    try:
        async for answer in answers:
            yield answer
    except Exception as error:
        yield _with_problem(refusal_of(error), language or LANGUAGES[0])


_VARIABLE = re.compile(r"^Variable '\$(\w{1,64})' has invalid value(?: at ((?:\.\w{1,64}|\[\d{1,6}\]){1,40}))?: (.*)$", re.DOTALL)
_UNKNOWN = re.compile(
    r"Expected value of type '(\w+)!?' not to include unknown field '(\w{1,64})[^']*'(?:\.( Did you mean '\w+'(?:,? (?:or )?'\w+')*\?))?"
)
_REASON = re.compile(
    r"Value '[\w -]{1,60}' does not exist in '\w+' enum\.( Did you mean [^.]*\?)?"
    r"|Expected (a )?value of (non-null )?type '[\w!\[\]]+'[\w ]*\.?|\w+ cannot represent [\w -]+"
)
"""What a message about a variable may repeat: names of the schema, and one short word of the caller's own."""
_MAX_NAME = 60
"""The longest name of the caller's own that a message repeats."""
_OF_ACTIONS = {"ResolveRequest": "jazzCheck", "DarkpagesConflictDeclaredInput": "darkpagesCheck"}
"""The `oneOf` inputs of actions, and one of the actions of each."""
_BOUND = re.compile(r"contains more than [0-9]+ tokens|is nested too deeply")
_POINT = re.compile(r"\.(\w+)|\[(\d+)\]")
# Where graphql-core's messages begin to repeat a value; and the names they quote before that: '[Name!]', '$name', 'Type.field(name:)'.
_FOUND = re.compile(r"(, but encountered|[,.;]? [Ff]ound\b|: ).*$", re.DOTALL)
_SUGGESTED = re.compile(r" Did you mean .*$", re.DOTALL)
_QUOTED, _NAME = re.compile(r"'[^']*'|\"[^\"]*\""), re.compile(r"\w+")


def names_of(schema: GraphQLSchema) -> frozenset[str]:
    """Every name in a schema. A message may repeat these."""
    names = set(schema.type_map) | {directive.name for directive in schema.directives}
    for graphql_type in schema.type_map.values():
        if isinstance(graphql_type, GraphQLEnumType):
            names |= set(graphql_type.values)
        elif isinstance(graphql_type, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            names |= set(graphql_type.fields)
            names |= {name for field in graphql_type.fields.values() for name in getattr(field, "args", ())}
    return frozenset(names)


def is_internal(error: GraphQLError) -> bool:
    """Whether the service failed: a resolver raised something other than a refusal or an error about an argument."""
    return error.path is not None and "problem" not in (error.extensions or {}) and not error.message.startswith("Argument '")


def formatted(
    error: GraphQLError,
    known: Container[str],
    variables: Mapping[str, Any] = MappingProxyType({}),
    language: Language = LANGUAGES[0],
    *,
    suggestions: bool = True,
) -> GraphQLFormattedError:
    """The error as the response has it: message, locations, path, code and problem. ``known`` are the names of the schema.

    What is wrong in a request among the ``variables`` is said as REST says it. Without ``suggestions`` no similar names are suggested.
    """
    response: Any = {"message": error.message}
    if error.locations:
        response["locations"] = [{"line": location.line, "column": location.column} for location in error.locations]
    if error.path is not None:
        response["path"] = error.path
    if error.extensions and "problem" in error.extensions:
        response["extensions"] = dict(error.extensions)
        return response  # type: ignore[no-any-return]
    if is_internal(error):
        response["message"] = "an unexpected failure; nothing was changed"
        response["extensions"] = {"code": INTERNAL, "problem": problem_body(HttpProblem("internal"))}
        return response  # type: ignore[no-any-return]
    refusal = _refusal_by_rest(error.message, variables) if suggestions else None
    if refusal is not None:
        problem = problem_body(refusal[0], refusal[1] or language)
        response["message"], response["extensions"] = problem["detail"], {"code": INPUT, "problem": problem}
        return response  # type: ignore[no-any-return]
    code, message, pointer = _request_error(error, known)
    message = message if suggestions else _SUGGESTED.sub("", message)
    response["message"] = message
    response["extensions"] = {"code": code, "problem": problem_body(Unprocessable(Finding(pointer, "invalid-query", message)))}
    return response  # type: ignore[no-any-return]


def _request_error(error: GraphQLError, known: Container[str]) -> tuple[str, str, str]:
    """Code, message and pointer of an error that was found before execution."""
    if error.message.startswith("Syntax Error"):
        bounded = _BOUND.search(error.message) is not None
        at = f"line {error.locations[0].line}, column {error.locations[0].column}" if error.locations else "its start"
        return PARSE, "the query is too long or nested too deeply" if bounded else f"the query is not a GraphQL document from {at} on", ""
    if error.message.startswith("Unknown operation named"):
        return VALIDATION, "the document has no operation of this name", "/operationName"
    variable = _VARIABLE.match(error.message)
    if variable is None:
        unknown = _UNKNOWN.match(error.message)
        return VALIDATION, _action_hint(unknown, "{}") or _without_input(error.message, known, _MAX_NAME), ""
    name, place, why = variable.groups()
    pointer = f"/variables/{name}{_POINT.sub(_slash, place or '')}"
    unknown = _UNKNOWN.match(why)
    if unknown is not None:
        told = f"there is no field `{unknown[2]}` here.{_without_input(unknown[3] or '', known)}"
        return INPUT, _action_hint(unknown, '"{}"') or told, f"{pointer}/{unknown[2]}"
    why = _FOUND.sub("", why)
    told = why if _REASON.fullmatch(why) else "not of the type the query declares for it"
    return INPUT, f"the variable `{name}`: {told}", pointer


_REQUEST = re.compile(r"((?:\[\d{1,6}\])?)\.\w{1,64}")


def _refusal_by_rest(message: str, variables: Mapping[str, Any]) -> tuple[Refusal, Language | None] | None:
    """The refusal that REST gives for the request that does not fit its variable, and the request's own language.

    ``None`` if it is no request, or not refused by REST. Of a batch the pointers begin with the place of the request.
    """
    variable = _VARIABLE.match(message)
    place = _REQUEST.match(variable[2] or "") if variable is not None else None
    if variable is None or place is None:
        return None
    request, prefix = variables[variable[1]], ""
    if place[1]:
        index = int(place[1][1:-1])
        request, prefix = request[index], f"/requests/{index}"
    ((name, body),) = request.items() if isinstance(request, dict) and len(request) == 1 else [("", None)]
    published = next((one for one in PUBLISHED.values() if one.field == name), None)
    if published is None or not isinstance(body, dict):
        return None
    try:
        with within(prefix):
            body_of(published.action, rest_form(body))
    except Refusal as refusal:
        return refusal, next((known for known in LANGUAGES if known == body.get("language")), None)
    return None


def _action_hint(unknown: re.Match[str] | None, named: str) -> str:
    """Hint for clients that send the REST form of a request; empty if the name of the action is only misspelt.

    ``named`` is how the name of a field is written there: with quotes in JSON, without in a query.
    """
    if unknown is None or unknown[1] not in _OF_ACTIONS or unknown[3]:
        return ""
    first = _OF_ACTIONS[unknown[1]]
    return f"here the action is the field's name. Did you mean '{{{named.format(first)}: {{…}}}}'?"


def _without_input(message: str, known: Container[str], longest: int = 0) -> str:
    """The message without values, and without names that are not in the schema and longer than ``longest``."""

    def own(name: re.Match[str]) -> str:
        return name[0] if name[0] in known or len(name[0]) <= longest else "…"

    return _QUOTED.sub(lambda quoted: _NAME.sub(own, quoted[0]), _FOUND.sub("", message))[:500]


def _slash(match: re.Match[str]) -> str:
    return f"/{match[1] or match[2]}"
