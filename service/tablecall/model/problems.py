"""Every problem a request can be refused with, and the document it is answered as (RFC 9457).

One shape on every endpoint and for every status: `Problem`. `KINDS` lists the kinds of problem, `FINDINGS` the codes of the
single findings inside one. Nothing here knows HTTP beyond status codes and header names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablecall.model.refusals import (
    Finding,
    Forbidden,
    NotJson,
    Refusal,
    TooLargeToCount,
    UnknownRng,
    Unprocessable,
    WrongDice,
    facts_of,
    sentence,
)
from tablecall.model.ruling import OutputModel
from tablecall.model.text import CATALOGUE, LANGUAGES, Language, Scope

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
    hint: str | None = None
    """How to fix what has this code."""


class Problem(OutputModel):
    """Why a request was refused. Of what was sent it repeats at most a short name."""

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


class ProblemExample(OutputModel):
    """A request that is answered with the code."""

    method: str
    """The HTTP method."""
    path: str
    """The path, with the query."""
    body: dict[str, Any] | None = None
    """The body. Left out where there is none."""


class ProblemCode(OutputModel):
    """One code explained."""

    code: str
    """The code of a problem (the last part of its `type`) or of one of its `errors`."""
    title: str
    """The code in words."""
    status: int | None
    """The HTTP status of a problem; null for a code of `errors` only."""
    cause: str
    """Why a request gets it."""
    fix: str
    """How to fix it."""
    example: ProblemExample | None = None
    """A request that gets it. Left out where no single request does, such as when the service is busy."""


class ProblemCodes(OutputModel):
    """Every code explained."""

    problems: list[ProblemCode]
    """The problems first, then the codes of `errors`."""


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its code, HTTP status and title, and the response headers it adds."""

    code: str
    status: int
    title: str
    headers: Mapping[str, str] = field(default_factory=dict)


def _kind(refusal: type[Refusal]) -> ProblemKind:
    return ProblemKind(refusal.code, refusal.status, refusal.title)


_CLOSE = {"Connection": "close"}
"""The rest of the request is not read, so the connection cannot be used again."""

KINDS: dict[str, ProblemKind] = {
    kind.code: kind
    for kind in (
        _kind(NotJson),
        _kind(Unprocessable),
        _kind(Forbidden),
        _kind(WrongDice),
        _kind(UnknownRng),
        _kind(TooLargeToCount),
        ProblemKind("not-found", 404, "Not Found"),
        ProblemKind("method-not-allowed", 405, "Method Not Allowed"),
        ProblemKind(
            "not-acceptable",
            406,
            "Not Acceptable",
        ),
        ProblemKind("unauthorized", 401, "Unauthorized", {"WWW-Authenticate": "Bearer"}),
        ProblemKind("too-slow", 408, "Request Timeout", _CLOSE),
        ProblemKind("too-large", 413, "Content Too Large", _CLOSE),
        ProblemKind("url-too-long", 414, "URI Too Long", _CLOSE),
        ProblemKind("headers-too-large", 431, "Request Header Fields Too Large", _CLOSE),
        ProblemKind("unsupported-media-type", 415, "Unsupported Media Type"),
        ProblemKind("bad-request", 400, "Bad Request"),
        ProblemKind(
            "not-implemented",
            501,
            "Not Implemented",
            _CLOSE,
        ),
        ProblemKind("too-costly", 422, "Query Too Expensive"),
        # The service does not count requests per client; a proxy in front of it may answer with this one.
        ProblemKind("too-many-requests", 429, "Too Many Requests", {"Retry-After": "1"}),
        ProblemKind("busy", 503, "Service Unavailable", {"Retry-After": "1"}),
        ProblemKind("timed-out", 503, "Timed Out", {"Retry-After": "5"}),
        ProblemKind("internal", 500, "Internal Error"),
    )
}
"""Every kind of problem by its code."""

FINDINGS: dict[str, str] = {
    "missing-field": "Missing Field",
    "unknown-field": "Unknown Field",
    "wrong-type": "Wrong Type",
    "out-of-range": "Out Of Range",
    "too-long": "Too Long",
    "too-short": "Too Short",
    "bad-characters": "Bad Characters",
    "unknown-value": "Unknown Value",
    "unknown-action": "Unknown Action",
    "unknown-aspect": "Unknown Aspect",
    "unknown-name": "Unknown Name",
    "needs-one-of": "Needs One Of",
    "conflicting-fields": "Conflicting Fields",
    "bad-notation": "Bad Notation",
    "invalid-value": "Invalid Value",
    "not-allowed": "Not Allowed",
    "invalid-query": "Invalid Query",
}
"""The title of each code of a finding that is no kind of problem."""


def cause_of(code: str, language: Language = LANGUAGES[0]) -> str:
    """Why a request gets this code."""
    return _text("cause", code, language)


def fix_of(code: str, language: Language = LANGUAGES[0]) -> str:
    """How the caller fixes it."""
    return _text("fix", code, language)


def _text(kind: str, code: str, language: Language) -> str:
    return CATALOGUE.render(f"{kind}.{code}", {}, Scope(language=language)).text


class HttpProblem(Exception):
    """A refusal that is about HTTP or about load, not about rules: one of `KINDS`. Without a ``detail`` it says how to fix it.

    ``detail`` is the key of a template, with its ``facts``, or else the sentence itself.
    """

    def __init__(self, code: str, detail: str | None = None, *findings: Finding, **facts: object) -> None:
        self.kind = KINDS[code]
        self.detail = detail
        self.facts = facts_of(facts)
        self.findings = findings
        super().__init__(self.words())

    def words(self, language: Language = LANGUAGES[0]) -> str:
        """What is wrong, in one sentence."""
        return sentence(self.detail, self.facts, language) if self.detail else fix_of(self.kind.code, language)


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
        "detail": error.words(language),
        "errors": [
            {
                "pointer": finding.pointer,
                "code": finding.code,
                "detail": finding.words(language),
                **({"rule": finding.rule} if finding.rule else {}),
                "hint": fix_of(finding.code, language),
            }
            for finding in error.findings
        ],
    }
