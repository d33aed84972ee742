"""How the service is, by REST: alive, ready, its metrics, its version; and what its refusals mean."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract import system_models
from tablecall.contract.operations import Operation, path_parameter
from tablecall.http.request_body import header
from tablecall.http.responses import json_response
from tablecall.model.problems import EXPLAINED, HttpProblem
from tablecall.runtime.request_context import context_of

JSON, TEXT = "application/json", "text/plain"


async def _get_livez(request: Request) -> Response:
    return Response("ok\n", media_type="text/plain")


async def _get_readyz(request: Request) -> Response:
    services = context_of(request.scope).services
    if not services.ready:
        raise HttpProblem("busy", "the service is stopping" if services.draining else "the service is at its limit of requests")
    return Response("ok\n", media_type="text/plain")


async def _get_metrics(request: Request) -> Response:
    services = context_of(request.scope).services
    services.report()
    body, media = await asyncio.to_thread(services.metrics.text, header(request, b"accept"))
    return Response(body, headers={"content-type": media})


async def _get_version(request: Request) -> Response:
    return json_response(system_models.version_data(signed=context_of(request.scope).services.receipts.signed))


async def _get_problem(request: Request) -> Response:
    text = EXPLAINED.get(request.path_params["code"])
    if text is None:
        raise HttpProblem("not-found", "no such problem: there are " + ", ".join(EXPLAINED))
    return Response(text, media_type="text/plain; charset=utf-8")


def _running() -> dict[str, Any]:
    return {"This version": system_models.version_data(signed=False)}


def operations() -> list[Operation]:
    """Every one of them."""
    code = path_parameter("code", "The problem's code.", "rule-forbids")
    return [
        Operation(
            "GET",
            "/problems/{code}",
            _get_problem,
            "problem",
            "What a refusal means and how to mend it",
            "operations",
            {TEXT: None},
            problems=("not-found",),
            parameters=(code,),
        ),
        Operation("GET", "/livez", _get_livez, "livez", "Whether the process lives", "operations", {TEXT: None}),
        Operation("GET", "/readyz", _get_readyz, "readyz", "Whether it takes requests", "operations", {TEXT: None}),
        Operation(
            "GET", "/metrics", _get_metrics, "metrics", "What was asked, how long it took, how busy it is", "operations", {TEXT: None}
        ),
        Operation("GET", "/version", _get_version, "version", "What is running", "operations", {JSON: "Version"}, samples=_running),
    ]
