"""Every problem a request can be refused with, and the document it is answered as (RFC 9457).

One shape on every endpoint and for every status: `Problem`. `KINDS` lists the kinds of problem, `FINDINGS` the codes of the
single findings inside one. Nothing here knows HTTP beyond status codes and header names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablecall.model.refusals import Finding, Forbidden, NotJson, Refusal, TooLargeToCount, UnknownRng, Unprocessable, WrongDice
from tablecall.model.ruling import OutputModel
from tablecall.model.text import LANGUAGES, Language

MEDIA_TYPE = "application/problem+json"


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
    """Where this kind of problem is explained, relative to the address of the request: its last part is the code."""
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
    """A kind of problem: its code, HTTP status and title, how a caller fixes it, and the response headers it adds."""

    code: str
    status: int
    title: str
    fix: str
    headers: Mapping[str, str] = field(default_factory=dict)


def _kind(refusal: type[Refusal], fix: str) -> ProblemKind:
    return ProblemKind(refusal.code, refusal.status, refusal.title, fix)


_CLOSE = {"Connection": "close"}
"""The rest of the request is not read, so the connection cannot be used again."""

KINDS: dict[str, ProblemKind] = {
    kind.code: kind
    for kind in (
        _kind(NotJson, "Send one JSON document in UTF-8, without NaN, lone surrogates, numbers beyond a double or a byte order mark."),
        _kind(Unprocessable, "Compare the request with the published schema. The pointer of each finding says where they differ."),
        _kind(Forbidden, "Read the rule named in the finding under /systems, and change what is attempted."),
        _kind(WrongDice, "Send exactly the dice that the named roll needs, in the order rolled, or leave the roll to the seed."),
        _kind(UnknownRng, "Leave rng out, or name an algorithm that /version lists."),
        _kind(TooLargeToCount, "Ask about fewer dice or fewer participants, or roll instead. A fight can be simulated."),
        ProblemKind("not-found", 404, "Not Found", "See /systems for the rule systems, and /docs for every path."),
        ProblemKind("method-not-allowed", 405, "Method Not Allowed", "Use one of the methods in the Allow header."),
        ProblemKind(
            "not-acceptable",
            406,
            "Not Acceptable",
            "Accept application/json (for a batch in lines, application/x-ndjson), or what /openapi.json lists for the operation.",
        ),
        ProblemKind("unauthorized", 401, "Unauthorized", "Send a valid key: Authorization: Bearer KEY.", {"WWW-Authenticate": "Bearer"}),
        ProblemKind("too-slow", 408, "Request Timeout", "Send the whole request faster.", _CLOSE),
        ProblemKind("too-large", 413, "Content Too Large", "Send a smaller body. The detail names the limit.", _CLOSE),
        ProblemKind("url-too-long", 414, "URI Too Long", "Use POST with a body instead of a long query.", _CLOSE),
        ProblemKind("headers-too-large", 431, "Request Header Fields Too Large", "Send fewer or shorter headers.", _CLOSE),
        ProblemKind(
            "unsupported-media-type", 415, "Unsupported Media Type", "Send the body as application/json, without a Content-Encoding."
        ),
        ProblemKind("bad-request", 400, "Bad Request", "Compare the request with /openapi.json."),
        ProblemKind(
            "not-implemented",
            501,
            "Not Implemented",
            "Send the body with a Content-Length, or with Transfer-Encoding: chunked and no other coding. CONNECT is not supported.",
            _CLOSE,
        ),
        ProblemKind("too-costly", 422, "Query Too Expensive", "Ask for less at once. The detail names the limit."),
        # The service does not count requests per client; a proxy in front of it may answer with this one.
        ProblemKind(
            "too-many-requests", 429, "Too Many Requests", "Wait for the seconds in Retry-After, then send fewer.", {"Retry-After": "1"}
        ),
        ProblemKind(
            "busy", 503, "Service Unavailable", "Nothing was done. Try again after the seconds in Retry-After.", {"Retry-After": "1"}
        ),
        ProblemKind("timed-out", 503, "Timed Out", "Nothing was changed. Ask for less, or try again later.", {"Retry-After": "5"}),
        ProblemKind("internal", 500, "Internal Error", "Nothing was changed. Try again, and report it if it happens again."),
    )
}
"""Every kind of problem by its code."""

FINDINGS: dict[str, tuple[str, str]] = {
    "missing-field": ("Missing Field", "Add the field at the pointer. The published schema lists which fields are required."),
    "unknown-field": ("Unknown Field", "Remove the field, or spell it as in the published schema (camelCase)."),
    "wrong-type": ("Wrong Type", "Send the type that the published schema has at the pointer. A text is not a number, and 1 is not true."),
    "out-of-range": ("Out Of Range", "Stay within the bound that the detail names."),
    "too-long": ("Too Long", "Shorten the text or the list to the bound that the detail names."),
    "too-short": ("Too Short", "Lengthen the text or the list to the bound that the detail names."),
    "bad-characters": ("Bad Characters", "Leave out the characters that the detail names, such as control characters."),
    "unknown-value": ("Unknown Value", "Send one of the values that the detail names."),
    "unknown-action": ("Unknown Action", "GET /systems lists every action."),
    "unknown-aspect": (
        "Unknown Aspect",
        "Name an aspect of the sheet. Case, blanks at either end and Unicode form do not count.",
    ),
    "unknown-name": (
        "Unknown Name",
        "Name something that exists: a row of a table, a roll, a participant.",
    ),
    "needs-one-of": ("Needs One Of", "Send one of the fields that the detail names."),
    "conflicting-fields": ("Conflicting Fields", "Send only one of the fields that exclude each other."),
    "bad-notation": ("Bad Notation", "Write a modifier as a sign, dice to roll, a slash, dice to keep: `+1/0` or `-1/2`."),
    "invalid-value": ("Invalid Value", "Compare the value with the published schema."),
    "not-allowed": ("Not Allowed", "The detail says what is allowed. If it names a rule, read the rule under /systems."),
    "invalid-query": ("Invalid Query", "Compare the operation and its variables with /schema.graphql."),
}
"""Title and fix of the finding codes that are not kinds of problem."""

EXPLAINED: dict[str, str] = {
    **{code: f"{title}\n\n{fix}\n" for code, (title, fix) in FINDINGS.items()},
    **{code: f"{kind.title} ({kind.status})\n\n{kind.fix}\n" for code, kind in KINDS.items()},
}
"""The text of `GET /problems/{code}` for every code."""


class HttpProblem(Exception):
    """A refusal that is about HTTP or about load, not about rules: one of `KINDS`. ``detail`` defaults to the kind's fix."""

    def __init__(self, code: str, detail: str | None = None, *findings: Finding) -> None:
        self.kind = KINDS[code]
        self.detail = detail or self.kind.fix
        self.findings = findings
        super().__init__(self.detail)


def kind_of(error: Refusal | HttpProblem) -> ProblemKind:
    """The kind of problem that an error is."""
    return error.kind if isinstance(error, HttpProblem) else KINDS[error.code]


def problem_body(error: Refusal | HttpProblem, language: Language = LANGUAGES[0], root: str = "./") -> dict[str, Any]:
    """The problem as published (`Problem`), in a language. ``root`` leads from the path of the request to the root of the service."""
    kind = kind_of(error)
    return {
        "type": f"{root}problems/{kind.code}",
        "title": kind.title,
        "status": kind.status,
        "detail": error.detail if isinstance(error, HttpProblem) else error.words(language),
        "errors": [
            {
                "pointer": finding.pointer,
                "code": finding.code,
                "detail": finding.words(language),
                **({"rule": finding.rule} if finding.rule else {}),
            }
            for finding in error.findings
        ],
    }
