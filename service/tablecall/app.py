"""The wiring as data: settings to routes, middleware and handlers."""

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
    """The application, for any ASGI server. Without ``settings`` they are read from the environment.

    Whoever wants to know how it is, or to tell it that it will stop, keeps the ``vitals``.
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
        Route("/graphql", graphql),  # says in its own way that it answers no other
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
    # Starlette's own two layers, which turn exceptions into answers, are left out: the front door does that.
    app.middleware_stack = _inside(app.router.app, layers)
    return app


def _graphql(settings: Settings) -> ASGIApp:
    """The GraphQL door. To load what it needs takes as long as to load everything else."""
    from tablecall.graphql.schema import SCHEMA
    from tablecall.graphql.view import View

    return View(SCHEMA, most=settings.max_body_bytes, page=pages.graphiql(), suggestions=settings.graphql_suggestions)


def _inside(app: ASGIApp, layers: Sequence[Middleware]) -> ASGIApp:
    """The application inside its layers, the outermost first."""
    for layer, positional, named in reversed(layers):
        app = layer(app, *positional, **named)
    return app
