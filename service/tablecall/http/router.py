"""Routing: a path without parameters is looked up; what is left is tried in its order, as Starlette does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import Receive, Scope, Send

from tablecall.contract.operations import Endpoint
from tablecall.model.problems import HttpProblem


class EndpointApp:
    """An endpoint as an ASGI application. What it refuses is turned into a problem further out, once for all."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)


class IndexedRouter(Router):
    """Starlette's router, which tries every route in turn, except that it looks first.

    A path without parameters is found at once; of the others only those are tried that begin with the same part. Nobody is
    sent elsewhere: many callers follow no redirect, least of all with a body.
    """

    def __init__(self, routes: Sequence[BaseRoute], **named: Any) -> None:
        super().__init__(routes, redirect_slashes=False, **named)
        self.known: dict[tuple[str, str], Route] = {}
        self.for_all: dict[str, Route] = {}
        self.fixed: dict[str, list[BaseRoute]] = {}
        self.varied = [route for route in routes if isinstance(route, Route) and route.param_convertors]
        for route in [route for route in routes if isinstance(route, Route) and not route.param_convertors]:
            self.fixed.setdefault(route.path, []).append(route)
            if route.methods is None:
                self.for_all.setdefault(route.path, route)
            elif route.path not in self.for_all:
                for method in route.methods:
                    self.known.setdefault((method, route.path), route)
        begun = {_beginning(route) for route in routes}
        self.beginning = {part: self._of([route for route in routes if _beginning(route) in (part, None)]) for part in begun if part}

    def _of(self, routes: Sequence[BaseRoute]) -> Router:
        return Router(routes, redirect_slashes=False, default=self.not_found)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope["router"] = self
        if scope["type"] != "http" or scope.get("root_path"):
            await super().app(scope, receive, send)
            return
        path = scope["path"]
        route = self.known.get((scope["method"], path)) or self.for_all.get(path)
        if route is not None:
            scope.update(route=route, endpoint=route.endpoint, path_params={})
            await route.app(scope, receive, send)
            return
        few = self.beginning.get(path.partition("/")[2].partition("/")[0])
        await (few.app if few else super().app)(scope, receive, send)

    async def not_found(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Nothing is here; where that is for a slash at the end, it is said."""
        path = scope.get("path", "")
        for route in self.at({**scope, "path": path.rstrip("/")}) if path.endswith("/") else ():
            raise HttpProblem("not-found", f"no path ends with a slash; this one is {route.path}")
        await super().not_found(scope, receive, send)

    def at(self, scope: Scope) -> Iterator[Route]:
        """The routes of a path, whatever the method."""
        likely = self.routes if scope.get("root_path") else [*self.fixed.get(scope["path"], ()), *self.varied]
        return (route for route in likely if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE)

    def asked(self, scope: Scope) -> Route | None:
        """The route that answers a request, if there is one."""
        return next((route for route in self.at(scope) if route.methods is None or scope["method"] in route.methods), None)

    def methods(self, scope: Scope) -> list[str]:
        """The methods that a path answers; none where there is nothing."""
        found = {method for route in self.at(scope) for method in route.methods or ()}
        return sorted({*found, "OPTIONS"}) if found else []


def _beginning(route: BaseRoute) -> str | None:
    """The first part of a route's path; none where it is a parameter, or not known."""
    part = route.path.partition("/")[2].partition("/")[0] if isinstance(route, Route) else "{"
    return None if "{" in part else part
