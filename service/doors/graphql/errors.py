"""Errors as GraphQL has them: every one carries a code and the problem REST would have answered with.

A message names places, never what was sent: graphql-core's own messages repeat values, so those are said anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphql import GraphQLError, GraphQLFormattedError

from service.doors.problems import Refused, body_of
from service.refusal import Finding, Refusal, Unprocessable

PARSE, VALIDATION, INPUT, INTERNAL = "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT", "INTERNAL_SERVER_ERROR"


@contextmanager
def wrap() -> Iterator[None]:
    """Turn a refusal into a GraphQL error that carries the problem."""
    try:
        yield
    except Refusal as refusal:
        raise GraphQLError(refusal.detail, extensions={"code": INPUT, "problem": body_of(refusal)}) from None


_VARIABLE = re.compile(r"^Variable '\$(\w{1,64})' has invalid value(?: at ((?:\.\w{1,64}|\[\d{1,6}\]){1,40}))?: (.*)$", re.DOTALL)
_FOUND = re.compile(r", found .*$|: .*$", re.DOTALL)
_POINT = re.compile(r"\.(\w+)|\[(\d+)\]")
_QUOTED = re.compile(r"(\"\"\".*?\"\"\"|\"(?:[^\"\\]|\\.)*\")", re.DOTALL)


def said(error: GraphQLError) -> GraphQLFormattedError:
    """The error as it is answered: message, places, path, code and problem."""
    found: Any = {"message": error.message}
    if error.locations:
        found["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path is not None:
        found["path"] = error.path
    if error.extensions and "problem" in error.extensions:
        found["extensions"] = dict(error.extensions)
        return found  # type: ignore[no-any-return]
    if error.path is not None and error.original_error is not None:
        found["message"] = "an unexpected failure; nothing was changed"
        found["extensions"] = {"code": INTERNAL, "problem": body_of(Refused("internal"))}
        return found  # type: ignore[no-any-return]
    code, message, pointer = _request_error(error)
    found["message"] = message
    found["extensions"] = {"code": code, "problem": body_of(Unprocessable(Finding(pointer, "invalid-query", message)))}
    return found  # type: ignore[no-any-return]


def _request_error(error: GraphQLError) -> tuple[str, str, str]:
    """Code, message and pointer of an error found before anything ran."""
    if error.message.startswith("Syntax Error"):
        return PARSE, "the query is not a GraphQL document", ""
    variable = _VARIABLE.match(error.message)
    if variable is not None:
        name, place, why = variable.groups()
        unknown = "not to include unknown field" in why
        message = "there is a field its type does not have" if unknown else "a variable is not of the type the query declares for it"
        return INPUT, message, f"/variables/{name}{_POINT.sub(_slash, place or '')}"
    return VALIDATION, _QUOTED.sub("…", _FOUND.sub("", error.message))[:500], ""


def _slash(match: re.Match[str]) -> str:
    return f"/{match[1] or match[2]}"
