"""Routing: a path without parameters is looked up; what is left is tried in its order, as Starlette does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

from service.doors.operations import Endpoint


class Answering:
    """An endpoint as an ASGI application. What it refuses is turned into a problem further out, once for all."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)


class LookUp(Router):
    """Starlette's router, which tries every route in turn, except that it finds a path without parameters at once."""

    def __init__(self, routes: Sequence[BaseRoute], **named: Any) -> None:
        super().__init__(routes, **named)
        self.known: dict[tuple[str, str], Route] = {}
        for route in routes:
            if isinstance(route, Route) and not route.param_convertors:
                for method in route.methods or ():
                    self.known.setdefault((method, route.path), route)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = self.known.get((scope["method"], scope["path"])) if scope["type"] == "http" and not scope.get("root_path") else None
        if route is None:
            await super().app(scope, receive, send)
            return
        scope.update(router=self, route=route, endpoint=route.endpoint, path_params={})
        await route.app(scope, receive, send)
