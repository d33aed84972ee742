"""Refusals as the web knows them: ``application/problem+json`` (RFC 9457), one shape for every door and every status."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

import orjson
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from tablecall.http.not_found import meant
from tablecall.model.annotations import fields_at
from tablecall.model.base import PATTERNS
from tablecall.model.refusals import Finding, Forbidden, NotJson, Refusal, TooLargeToCount, UnknownRng, Unprocessable, WrongDice, pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.model.suggestions import suggestion
from tablecall.model.wording import number
from tablecall.runtime.request_context import current

MEDIA_TYPE = "application/problem+json"

log = logging.getLogger("tablecall")


class ProblemFinding(OutputModel):
    """One thing that is wrong, and where."""

    pointer: str
    """A JSON pointer (RFC 6901) into the request; empty for the whole of it."""
    code: str
    """What kind of wrong it is."""
    detail: str
    """What would be right."""
    rule: str | None = None
    """The rule that forbids it, where one does."""


class Problem(OutputModel):
    """Why a request was refused. It never repeats what was sent."""

    type: str
    """Where this kind of problem is explained: `/problems/{code}`."""
    title: str
    """The kind of problem, in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong with this request."""
    errors: list[ProblemFinding]
    """Each thing that is wrong."""


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its code and status, its title, how to mend it, and the headers it is answered with."""

    code: str
    status: int
    title: str
    mend: str
    headers: Mapping[str, str] = field(default_factory=dict)


def _kind(refusal: type[Refusal], mend: str) -> ProblemKind:
    return ProblemKind(refusal.code, refusal.status, refusal.title, mend)


_CLOSE = {"Connection": "close"}
"""After what was not read to its end the connection cannot be used again."""

KINDS: dict[str, ProblemKind] = {
    kind.code: kind
    for kind in (
        _kind(NotJson, "Send one JSON document in UTF-8: no NaN, no lone surrogates, no numbers beyond a double, no byte order mark."),
        _kind(Unprocessable, "Compare the request with the published schema: each finding's pointer says where they differ."),
        _kind(Forbidden, "The rule named in the finding forbids it: read the rule under /systems, and change what is attempted."),
        _kind(WrongDice, "Send exactly the dice the named roll needs, in the order drawn, or leave the roll to the seed."),
        _kind(UnknownRng, "Leave rng out, or name an algorithm that /version lists."),
        _kind(
            TooLargeToCount,
            "Ask about fewer dice or fewer participants, or roll instead. A fight may be simulated.",
        ),
        ProblemKind("not-found", 404, "Nothing here", "See /systems for what is here, and /docs for every path."),
        ProblemKind("method-not-allowed", 405, "Not by this method", "The Allow header lists the methods this path answers."),
        ProblemKind(
            "not-acceptable",
            406,
            "Not in any form asked for",
            "Accept application/json (of a batch in lines, application/x-ndjson), or what the operation lists in /openapi.json.",
        ),
        ProblemKind(
            "unauthorized", 401, "No key, or not one of the keys", "Send Authorization: Bearer and a key.", {"WWW-Authenticate": "Bearer"}
        ),
        ProblemKind("too-slow", 408, "Too slow", "Send the whole request sooner.", _CLOSE),
        ProblemKind("too-large", 413, "Too large", "Send a smaller body: the detail names the bound.", _CLOSE),
        ProblemKind("url-too-long", 414, "Too long a path or query", "Send a body by POST instead of a long query.", _CLOSE),
        ProblemKind("headers-too-large", 431, "Too much before the body", "Send fewer or shorter headers.", _CLOSE),
        ProblemKind(
            "unsupported-media-type", 415, "Not a media type read here", "Send the body as application/json, without a Content-Encoding."
        ),
        ProblemKind("bad-request", 400, "Not a request this service reads", "Compare the request with /openapi.json."),
        ProblemKind(
            "not-implemented",
            501,
            "Not Implemented",
            "Send the body with a Content-Length, or with Transfer-Encoding: chunked and no other coding. CONNECT is not supported.",
            _CLOSE,
        ),
        ProblemKind("too-costly", 422, "Too costly a query", "Ask for less at once: the detail names the bound."),
        # What stands before the service counts callers; the service knows none.
        ProblemKind("too-many-requests", 429, "Too many requests", "Ask less often, and again after Retry-After.", {"Retry-After": "1"}),
        ProblemKind(
            "busy", 503, "Too busy", "Nothing was done. Try again after as many seconds as Retry-After says.", {"Retry-After": "1"}
        ),
        ProblemKind("timed-out", 503, "It took too long", "Nothing was changed. Ask for less, or try again later.", {"Retry-After": "5"}),
        ProblemKind("internal", 500, "Our mistake", "Nothing was changed. Try again, and report it if it happens again."),
    )
}
"""Every kind of problem there is, by its code."""

FINDINGS: dict[str, tuple[str, str]] = {
    "missing": ("Something is missing", "Add what stands at the pointer: the published schema lists it among the required."),
    "unknown-field": ("There is no such field", "Take it out, or spell it as the published schema does: names are in camel case."),
    "wrong-type": ("Of another type", "Send the type the published schema has at the pointer: no text for a number, no 1 for true."),
    "out-of-bounds": (
        "Out of bounds",
        "Keep within the bound that the detail names: of a number, a text's length or its characters, a list.",
    ),
    "not-allowed": ("Not allowed here", "The detail says what would be right; where a rule is named, read it under /systems."),
    "invalid-query": ("Not a query of the published schema", "Compare the operation and its variables with /schema.graphql."),
}
"""The codes of findings that are no kinds of problem: what each means, and how to mend it."""

EXPLAINED: dict[str, str] = {
    **{code: f"{title}\n\n{mend}\n" for code, (title, mend) in FINDINGS.items()},
    **{code: f"{kind.title} ({kind.status})\n\n{kind.mend}\n" for code, kind in KINDS.items()},
}
"""What every code means, of problems and of their findings; `GET /problems/{code}` serves it."""

BY_STATUS = {404: "not-found", 405: "method-not-allowed", 406: "not-acceptable", 413: "too-large", 415: "unsupported-media-type"}


class HttpProblem(Exception):
    """A door refuses: one of the kinds that speak of HTTP, not of rules."""

    def __init__(self, code: str, detail: str | None = None, *findings: Finding) -> None:
        """Left out, ``detail`` says how to mend it."""
        self.kind = KINDS[code]
        self.detail = detail or self.kind.mend
        self.findings = findings
        super().__init__(self.detail)


def refusal_of(error: Exception) -> Refusal | HttpProblem:
    """What was refused, or our mistake: that is told to the log."""
    if isinstance(error, Refusal | HttpProblem):
        return error
    log.error("unexpected failure", exc_info=error)
    return HttpProblem("internal")


def kind_of(error: Refusal | HttpProblem) -> ProblemKind:
    """Which kind of problem it is."""
    return error.kind if isinstance(error, HttpProblem) else KINDS[error.code]


def body_of(error: Refusal | HttpProblem) -> dict[str, Any]:
    """The problem as published (`Problem`)."""
    kind = kind_of(error)
    return {
        "type": f"/problems/{kind.code}",
        "title": kind.title,
        "status": kind.status,
        "detail": error.detail,
        "errors": [
            {"pointer": found.pointer, "code": found.code, "detail": found.detail, **({"rule": found.rule} if found.rule else {})}
            for found in error.findings
        ],
    }


def respond(error: Refusal | HttpProblem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as an answer, with the headers of its kind."""
    kind = kind_of(error)
    current().refused(kind.code)
    return Response(orjson.dumps(body_of(error)), kind.status, {**kind.headers, **(headers or {})}, MEDIA_TYPE)


def raw(code: str, *, any_origin: bool) -> bytes:
    """A problem as the bytes of a response, for what is refused before a request exists. The connection closes after it.

    With ``any_origin`` the pages of every origin may read it.
    """
    error = HttpProblem(code)
    body = orjson.dumps(body_of(error))
    headers = {**error.kind.headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body)), "Connection": "close"}
    if any_origin:
        headers["Access-Control-Allow-Origin"] = "*"
    lines = "".join(f"{name.lower()}: {value}\r\n" for name, value in headers.items())
    status = HTTPStatus(error.kind.status)
    return f"HTTP/1.1 {status} {status.phrase}\r\n{lines}\r\n".encode() + body


def unrouted(scope: Scope, error: HTTPException) -> Response:
    """Starlette's own exceptions: 404, 405. OPTIONS, which no route has, is answered here for all of them."""
    # Starlette's own Allow header knows only the first route of a path.
    headers = {"Allow": ", ".join(scope["router"].methods(scope))} if error.status_code == 405 else error.headers
    if error.status_code == 405 and scope["method"] == "OPTIONS":
        return Response(status_code=204, headers=headers)
    detail = meant(scope["path"]) if error.status_code == 404 else None
    return respond(HttpProblem(BY_STATUS.get(error.status_code, "bad-request"), detail), headers)


# ── From pydantic's findings to ours ─────────────────────────────────────────────────────────────────────────────────

_CODES = {"extra_forbidden": "unknown-field", "missing": "missing", "not-allowed": "not-allowed", "json_invalid": "not-json"}
_BOUNDS = re.compile(r"too_(long|short)|greater_than|less_than|pattern_mismatch|multiple_of")
# Where pydantic speaks of its own classes, or of Python's.
_SAID = dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "Input should be an object") | {
    "list_type": "Input should be an array",
}
# Where it tells how much was sent, or a bound in its own words: what is bounded, how, and what its bound is called.
_BOUNDED = {
    "string_too_long": ("a text here has at most", "max_length", "character"),
    "string_too_short": ("a text here has at least", "min_length", "character"),
    "too_long": ("a list here has at most", "max_length", "item"),
    "too_short": ("a list here has at least", "min_length", "item"),
    "Dictionary too_long": ("an object here has at most", "max_length", "name"),
    "greater_than_equal": ("a number here is at least", "ge", ""),
    "less_than_equal": ("a number here is at most", "le", ""),
    "greater_than": ("a number here is more than", "gt", ""),
    "less_than": ("a number here is less than", "lt", ""),
}
_MAX_FINDINGS = 20


class Repeated(list[Any]):
    """What a query says more than once where one value is taken."""


def unprocessable(error: ValidationError, model: type[BaseModel]) -> Unprocessable:
    """What ``model`` refused, as findings with pointers. Pydantic's own input echo is left behind."""
    details = error.errors(include_url=False)
    return Unprocessable(*_distinct(_finding(cast("Mapping[str, Any]", detail), model) for detail in details[:_MAX_FINDINGS]))


def _finding(detail: Mapping[str, Any], model: type[BaseModel]) -> Finding:
    kind, context = detail["type"], detail.get("ctx", {})
    pointer = pointer_of(detail["loc"]) + context.get("at", "")
    code = _CODES.get(kind) or ("out-of-bounds" if _BOUNDS.search(kind) else "wrong-type" if "type" in kind else "not-allowed")
    return Finding(pointer, code, _said(detail, model), context.get("rule"))


def _said(detail: Mapping[str, Any], model: type[BaseModel]) -> str:
    """The sentence: what would be right, and nothing of what was sent."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        *place, name = detail["loc"]
        return f"there is no such field{suggestion(name, fields_at(model, place))}"
    if kind in _SAID:
        return _SAID[kind]
    if isinstance(detail["input"], Repeated):
        return "it stands more than once in the query: one value is taken here"
    bounded = _BOUNDED.get(f"{context.get('field_type')} {kind}", _BOUNDED.get(kind))
    if bounded is not None:
        said, bound, unit = bounded
        return f"{said} {number(context[bound], unit) if unit else context[bound]}"
    if kind == "string_pattern_mismatch":
        return PATTERNS.get(context["pattern"], "the text is not of the published pattern")
    return str(detail["msg"])


def _distinct(findings: Iterable[Finding]) -> Iterable[Finding]:
    return dict.fromkeys(findings)
