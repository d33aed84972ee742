"""Responses for problems (RFC 9457), also for requests that match no route."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from tablecall.http import layout
from tablecall.http.addresses import path_of, root_of
from tablecall.http.negotiation import negotiate_language, prefers
from tablecall.model.problems import MEDIA_TYPE, HttpProblem, kind_of, problem_body
from tablecall.model.refusals import Refusal
from tablecall.model.suggestions import nearest
from tablecall.runtime.request_context import context_of
from tablecall.systems import SYSTEMS

log = logging.getLogger("tablecall")

BY_STATUS = {404: "not-found", 405: "method-not-allowed", 406: "not-acceptable", 413: "too-large", 415: "unsupported-media-type"}


def refusal_of(error: Exception) -> Refusal | HttpProblem:
    """The error itself if it is a refusal; anything else is logged and becomes an internal error."""
    if isinstance(error, Refusal | HttpProblem):
        return error
    log.error("unexpected failure", exc_info=error)
    return HttpProblem("internal")


def respond(scope: Scope, error: Refusal | HttpProblem, headers: Mapping[str, str] | None = None) -> Response:
    """The response for a problem, with the headers of its kind; it is counted in the request's context. A browser gets a 404 as a page."""
    kind, context = kind_of(error), context_of(scope)
    context.refused(kind.code)
    language = context.language or negotiate_language(_header(scope, b"accept-language"))
    problem = problem_body(error, language, root_of(scope))
    headers = {**kind.headers, "content-language": language, "vary": "Accept, Accept-Language", **(headers or {})}
    if kind.status == 404 and scope["method"] in ("GET", "HEAD") and prefers(_header(scope, b"accept"), layout.HTML, MEDIA_TYPE):
        page = layout.missing(kind.title, problem["detail"], root_of(scope), language)
        return Response(page, 404, {**headers, **layout.HEADERS}, layout.HTML)
    return Response(orjson.dumps(problem), kind.status, headers, f"{MEDIA_TYPE}; charset=utf-8")


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope.get("headers", ()) if key == name), "")


def unrouted(scope: Scope, error: HTTPException) -> Response:
    """The response for Starlette's own exceptions (404, 405). OPTIONS, which no route declares, is answered here for all of them."""
    # Starlette's own Allow header lists only the methods of the first route with that path.
    headers = {"Allow": ", ".join(scope["router"].methods(scope))} if error.status_code == 405 else error.headers
    if error.status_code == 405 and scope["method"] == "OPTIONS":
        return Response(status_code=204, headers=headers)
    problem = unknown_path(path_of(scope)) if error.status_code == 404 else HttpProblem(BY_STATUS.get(error.status_code, "bad-request"))
    return respond(scope, problem, headers)


def unknown_path(path: str) -> HttpProblem:
    """The problem of an unknown path: under /resolve and /odds it names the nearest system or action."""
    verb, _, rest = path.removeprefix("/").partition("/")
    name, _, action = rest.partition("/")
    if verb not in ("resolve", "odds") or not name:
        return HttpProblem("not-found")
    if name not in SYSTEMS:
        return unknown("system", name, SYSTEMS)
    return unknown("action", action, [known.name for known in SYSTEMS[name].actions], system=name)


def unknown(kind: str, name: str, known: Collection[str], **facts: object) -> HttpProblem:
    """The problem (404) of an unknown name: it suggests the nearest known one, or else lists all."""
    near = nearest(name, known)
    return HttpProblem("not-found", f"http.unknown_{kind}{'' if near else '_of'}", near=near, known=list(known), **facts)
