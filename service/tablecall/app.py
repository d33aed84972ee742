"""Builds the application: routes, middleware and handlers, from the settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp

from tablecall.contract.export import text
from tablecall.engine.receipts import Sealing, receipts_of
from tablecall.http import api_keys, pages, routes
from tablecall.http.http_cache import constant
from tablecall.http.middleware import RequestMiddleware
from tablecall.http.router import EndpointApp, IndexedRouter
from tablecall.runtime import traces
from tablecall.runtime.app_state import AppState
from tablecall.runtime.lazy import LazyApp
from tablecall.settings import Settings

CONTRACTS = {
    "/openapi.json": ("openapi/openapi.json", "application/json"),
    "/openapi.yaml": ("openapi/openapi.yaml", "application/yaml"),
    "/schema.graphql": ("schema/schema.graphql", "text/plain; charset=utf-8"),
}


def create_app(settings: Settings | None = None, vitals: AppState | None = None) -> Starlette:
    """Make the ASGI application. Without ``settings`` they are read from the environment.

    Pass ``vitals`` to read the state of the application, or to announce that it will stop.
    """
    found = settings or Settings()
    seen = vitals or AppState(found)
    operations = routes.operations(found)
    receipts = receipts_of(found)
    graphql = LazyApp(partial(_graphql, found))
    seen.later.append(graphql.make)
    table = [
        *(Route(row.path, EndpointApp(row.endpoint), methods=[row.method], name=row.id) for row in operations),
        Route("/graphql", graphql, methods=["GET", "POST"]),
        Route("/graphql", graphql),  # refuses other methods in the form GraphQL clients expect
        *(Route(path, constant(partial(text, file), media)) for path, (file, media) in CONTRACTS.items()),
        *pages.routes(),
    ]
    app = Starlette()
    app.router = router = IndexedRouter(table, lifespan=seen.living)
    layers = [
        *traces.layers(found),
        Middleware(RequestMiddleware, vitals=seen),
        *([Middleware(Sealing, receipts=receipts)] if receipts.known else []),
        *api_keys.layers(found, router.asked),
    ]
    # Without Starlette's two layers for exceptions: RequestMiddleware answers those.
    app.middleware_stack = _inside(app.router.app, layers)
    return app


def _graphql(settings: Settings) -> ASGIApp:
    """Make the GraphQL endpoint. Importing it takes as long as importing everything else."""
    from tablecall.graphql.schema import SCHEMA
    from tablecall.graphql.view import View

    return View(SCHEMA, most=settings.max_body_bytes, page=pages.graphiql(), suggestions=settings.graphql_suggestions)


def _inside(app: ASGIApp, layers: Sequence[Middleware]) -> ASGIApp:
    """Wrap the application in its layers; the first is the outermost."""
    for layer, positional, named in reversed(layers):
        app = layer(app, *positional, **named)
    return app
