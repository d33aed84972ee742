"""REST endpoints for operators: health checks, metrics, version, and explanations of problems."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract import system_models
from tablecall.contract.operations import Operation
from tablecall.http.request_body import header
from tablecall.model.problems import HttpProblem
from tablecall.runtime.request_context import context_of

JSON, TEXT = "application/json", "text/plain"


async def _get_livez(request: Request) -> Response:
    return Response("ok\n", media_type="text/plain")


async def _get_readyz(request: Request) -> Response:
    services = context_of(request.scope).services
    if not services.ready:
        raise HttpProblem("busy", "http.stopping" if services.draining else "http.at_limit")
    return Response("ok\n", media_type="text/plain")


async def _get_metrics(request: Request) -> Response:
    services = context_of(request.scope).services
    services.report()
    body, media = await asyncio.to_thread(services.metrics.text, header(request, b"accept"))
    return Response(body, headers={"content-type": media})


async def _get_version(request: Request) -> Response:
    return Response(
        orjson.dumps(system_models.version_data(signed=context_of(request.scope).services.receipts.signed)),
        media_type=f"{JSON}; charset=utf-8",
    )


def _running() -> dict[str, Any]:
    return {"This version": system_models.version_data(signed=False)}


def operations() -> list[Operation]:
    """All operations of this module."""
    return [
        Operation("GET", "/livez", _get_livez, "livez", "Check that the process is alive", "operations", {TEXT: None}),
        Operation("GET", "/readyz", _get_readyz, "readyz", "Check that the service accepts requests", "operations", {TEXT: None}),
        Operation("GET", "/metrics", _get_metrics, "metrics", "Read the metrics", "operations", {TEXT: None}),
        Operation("GET", "/version", _get_version, "version", "Read the version", "operations", {JSON: "Version"}, samples=_running),
    ]
