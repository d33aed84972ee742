"""Every code of a refusal explained: cause, fix and an example, as JSON or as a page."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.operations import Operation, path_parameter
from tablecall.http import layout
from tablecall.http.addresses import root_of
from tablecall.http.http_cache import kept
from tablecall.http.negotiation import negotiate_language, prefers
from tablecall.http.problems import unknown
from tablecall.http.request_body import header
from tablecall.model.problems import FINDINGS, KINDS, cause_of, fix_of
from tablecall.model.text import Language

JSON = "application/json"
CODES = {**{kind.code: kind.title for kind in KINDS.values()}, **FINDINGS}
"""The title of every code."""


@cache
def examples() -> dict[str, Any]:
    """The example requests by code."""
    return tomllib.loads(files("tablecall.http").joinpath("problem_examples.toml").read_text("utf-8"))


def explained(code: str, language: Language = "en") -> dict[str, Any]:
    """One code (`ProblemCode`)."""
    example = examples().get(code)
    return {
        "code": code,
        "title": CODES[code],
        "status": KINDS[code].status if code in KINDS else None,
        "cause": cause_of(code, language),
        "fix": fix_of(code, language),
        **({"example": example} if example else {}),
    }


def _section(found: dict[str, Any]) -> str:
    status = f" ({found['status']})" if found["status"] else ""
    example = found.get("example")
    shown = ""
    if example:
        body = orjson.dumps(example["body"], option=orjson.OPT_INDENT_2).decode() if "body" in example else ""
        shown = f"<pre tabindex=0><code>{escape(example['method'])} {escape(example['path'])}\n{escape(body)}</code></pre>"
    text = layout.paragraph(found["cause"]) + layout.paragraph(found["fix"])
    head = f'<h2>{escape(found["title"])}{status}</h2><div class="id">{found["code"]}</div>'
    return f'<section id="{found["code"]}">{head}{text}{shown}</section>'


def _answer(request: Request, title: str, document: Callable[[Language], dict[str, Any]]) -> Response:
    language = negotiate_language(header(request, b"accept-language"))
    data = document(language)
    if prefers(header(request, b"accept"), layout.HTML, JSON):
        sections = "".join(map(_section, data.get("problems", [data])))
        body, media = layout.page(title, sections, root_of(request.scope), language, "docs"), layout.HTML
    else:
        body, media = orjson.dumps(data), JSON
    response = kept(body, media).answer(request, "Accept, Accept-Encoding, Accept-Language")
    response.headers.update({**(layout.HEADERS if media == layout.HTML else {}), "content-language": language})
    return response


async def _get_problems(request: Request) -> Response:
    return _answer(request, "Problems", lambda language: {"problems": [explained(code, language) for code in CODES]})


async def _get_problem(request: Request) -> Response:
    code = request.path_params["code"]
    if code not in CODES:
        raise unknown("code", code, CODES)
    return _answer(request, CODES[code], lambda language: explained(code, language))


def operations() -> list[Operation]:
    """The operations of this module."""
    code = path_parameter("code", "The code.", "rule-forbids")
    return [
        Operation(
            "GET",
            "/problems",
            _get_problems,
            "problems",
            "Every code of a refusal",
            "operations",
            {JSON: "ProblemCodes"},
            samples=lambda: {"Two codes": {"problems": [explained("rule-forbids"), explained("missing-field")]}},
        ),
        Operation(
            "GET",
            "/problems/{code}",
            _get_problem,
            "problem",
            "One code of a refusal",
            "operations",
            {JSON: "ProblemCode"},
            problems=("not-found",),
            parameters=(code,),
            samples=lambda: {"rule-forbids": explained("rule-forbids")},
        ),
    ]
