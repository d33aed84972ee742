"""The indexed router finds the same routes as Starlette's."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.http.router import EndpointApp, IndexedRouter
from tablecall.model.problems import HttpProblem


def says(text: str) -> EndpointApp:
    async def endpoint(request: Request) -> Response:
        route = request.scope["route"]
        return PlainTextResponse(f"{text} {route.path} {request.path_params} {request.scope['router'].__class__.__name__}")

    return EndpointApp(endpoint)


async def any_method(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("any method")(scope, receive, send)


class AnyMethod:
    __call__ = staticmethod(any_method)


ROUTES = [
    Route("/a", says("first"), methods=["GET"]),
    Route("/a", says("second"), methods=["GET"]),
    Route("/a", says("posted"), methods=["POST"]),
    Route("/{name}/b", says("named")),
    Route("/any", AnyMethod()),
    Route("/any", says("never"), methods=["GET"]),
    Route("/some/{id}", says("one")),
    Route("/some/{id}", says("put"), methods=["PUT"]),
    Route("/some/{id}/part", says("part")),
    Mount("/files", AnyMethod()),
    Route("/some/{id}/{rest}", says("rest")),
]


def app_of(router: Any) -> Starlette:
    app = Starlette()
    app.router = router
    return app


@pytest.mark.parametrize(
    "path",
    ["/", "/a", "/x/b", "/any", "/nothing", "/nothing/", "/some", "/some/1", "/some/1/part", "/some/1/b", "/some/b", "/files/x"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "OPTIONS"])
@pytest.mark.parametrize("root", ["", "/below"])
def test_indexed_router_equals_starlettes(path: str, method: str, root: str) -> None:
    known, tried = (
        TestClient(app_of(router), root_path=root).request(method, root + path, follow_redirects=False)
        for router in (IndexedRouter(ROUTES), Router(ROUTES, redirect_slashes=False))
    )
    assert (known.status_code, known.text.replace("IndexedRouter", "Router")) == (tried.status_code, tried.text)


@pytest.mark.parametrize(("path", "right"), [("/a/", "/a"), ("/a//", "/a"), ("/some/1/", "/some/{id}"), ("/x/b/", "/{name}/b")])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("root", ["", "/below"])
def test_trailing_slash_is_refused_with_the_right_path(path: str, right: str, method: str, root: str) -> None:
    client = TestClient(app_of(IndexedRouter(ROUTES)), root_path=root)
    with pytest.raises(HttpProblem) as refused:
        client.request(method, root + path)
    assert refused.value.kind.code == "not-found"
    assert refused.value.words().endswith(f" {right}")


@pytest.mark.parametrize(
    ("path", "method", "right", "methods"),
    [
        ("/a", "HEAD", "/a", ["GET", "HEAD", "OPTIONS", "POST"]),
        ("/a", "PUT", None, ["GET", "HEAD", "OPTIONS", "POST"]),
        ("/any", "PUT", "/any", ["GET", "HEAD", "OPTIONS"]),
        ("/some/1", "PUT", "/some/{id}", ["OPTIONS", "PUT"]),
        ("/files/x", "GET", None, []),
        ("/nothing", "GET", None, []),
    ],
)
@pytest.mark.parametrize("root", ["", "/below"])
def test_route_and_methods_of_a_path(path: str, method: str, right: str | None, methods: list[str], root: str) -> None:
    router = IndexedRouter(ROUTES)
    scope = {"type": "http", "method": method, "path": root + path, "root_path": root}
    found = router.route_of(scope)
    assert (found and found.path, router.methods(scope)) == (right, methods)


def test_paths_without_parameters_are_indexed() -> None:
    router = create_app().router
    assert isinstance(router, IndexedRouter)
    assert ("POST", "/resolve") in router.by_method
    assert ("HEAD", "/livez") in router.by_method
    assert "/graphql" in router.any_method
    assert not [path for _, path in router.by_method if "{" in path]
