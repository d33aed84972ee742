"""Builds the application: routes, middleware and handlers, from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache, partial

import orjson
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from tablecall import mcp
from tablecall.contract import export
from tablecall.http import api_keys, pages, routes, site_files
from tablecall.http.http_cache import constant, kept
from tablecall.http.middleware import RequestMiddleware
from tablecall.http.problems import unknown
from tablecall.http.router import EndpointApp, IndexedRouter
from tablecall.runtime import traces
from tablecall.runtime.lazy import LazyApp
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tablecall.systems import SYSTEMS

CONTRACTS = {
    "/openapi.json": ("openapi/openapi.json", "application/json"),
    "/openapi.yaml": ("openapi/openapi.yaml", "application/yaml"),
    "/schema.graphql": ("schema/schema.graphql", "text/plain; charset=utf-8"),
}


def create_app(settings: Settings | None = None, services: Services | None = None) -> Starlette:
    """The application, for any ASGI server.

    Settings that are not given are read from the environment. Pass ``services`` to observe the application or to start draining it.
    """
    services = services or Services(settings or Settings())
    settings = services.settings
    operations = routes.operations(settings)
    graphql = LazyApp(partial(_graphql, settings))
    services.startup.append(graphql.make)
    table = [
        *(Route(row.path, EndpointApp(row.endpoint), methods=[row.method], name=row.id) for row in operations),
        Route("/graphql", graphql, methods=["GET", "POST"]),
        Route("/graphql", graphql),  # GraphQL answers other methods itself
        *([Route("/mcp", LazyApp(partial(_mcp, settings)), methods=["POST"])] if mcp.installed() else ()),
        *(Route(path, constant(partial(_contract, file), media)) for path, (file, media) in CONTRACTS.items()),
        Route("/openapi/{system}.json", EndpointApp(_system_contract), methods=["GET"]),
        *site_files.routes(),
        *pages.routes(),
    ]
    app = Starlette()
    app.router = router = IndexedRouter(table, lifespan=services.lifespan)
    layers = [
        *traces.layers(settings),
        Middleware(RequestMiddleware, services=services),
        *api_keys.layers(settings, router.route_of),
    ]
    # Starlette's own two layers, which turn exceptions into responses, are left out: RequestMiddleware does that.
    app.middleware_stack = _inside(app.router.app, layers)
    return app


@cache
def contracts() -> dict[str, bytes]:
    """Every generated file by its path. Loads GraphQL, so it takes a second the first time."""
    from tablecall.graphql.schema import SCHEMA

    return export.texts(routes.operations(Settings.model_construct()), SCHEMA.as_str())


def _contract(path: str) -> bytes:
    """A generated file as it is served: JSON without the spaces that make the committed file readable."""
    text = contracts()[path]
    return orjson.dumps(orjson.loads(text)) if path.endswith(".json") else text


async def _system_contract(request: Request) -> Response:
    """The OpenAPI document of one system."""
    name = request.path_params["system"]
    if name not in SYSTEMS:
        raise unknown("system", name, SYSTEMS)
    return kept(await asyncio.to_thread(_contract, f"openapi/{name}.json"), "application/json").answer(request)


def _graphql(settings: Settings) -> ASGIApp:
    """The GraphQL endpoint. Loading what it needs takes as long as loading everything else."""
    from tablecall.graphql.schema import SCHEMA
    from tablecall.graphql.view import View

    return View(SCHEMA, max_bytes=settings.max_body_bytes, page=pages.graphiql(), suggestions=settings.graphql_suggestions)


def _mcp(settings: Settings) -> ASGIApp:
    """The endpoint for assistants. Made at its first request: few services are asked by one, and it holds 20 MB."""
    from tablecall.mcp.endpoint import McpEndpoint

    return McpEndpoint(settings)


def _inside(app: ASGIApp, layers: Sequence[Middleware]) -> ASGIApp:
    """Wrap the application in its layers; the first is the outermost."""
    for layer, positional, named in reversed(layers):
        app = layer(app, *positional, **named)
    return app
