"""Routing: what is looked up is what Starlette would have found."""

from __future__ import annotations

import asyncio
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


def saying(text: str) -> EndpointApp:
    async def endpoint(request: Request) -> Response:
        route = request.scope["route"]
        return PlainTextResponse(f"{text} {route.path} {request.path_params} {request.scope['router'].__class__.__name__}")

    return EndpointApp(endpoint)


async def later(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("any method")(scope, receive, send)


class Later:
    __call__ = staticmethod(later)


ROUTES = [
    Route("/a", saying("first"), methods=["GET"]),
    Route("/a", saying("second"), methods=["GET"]),
    Route("/a", saying("posted"), methods=["POST"]),
    Route("/{name}/b", saying("named")),
    Route("/any", Later()),
    Route("/any", saying("never"), methods=["GET"]),
    Route("/some/{id}", saying("one")),
    Route("/some/{id}", saying("put"), methods=["PUT"]),
    Route("/some/{id}/part", saying("part")),
    Mount("/files", Later()),
    Route("/some/{id}/{rest}", saying("rest")),
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
def test_every_route_answers_as_it_would_if_each_were_tried(path: str, method: str, root: str) -> None:
    known, tried = (
        TestClient(app_of(router), root_path=root).request(method, root + path, follow_redirects=False)
        for router in (IndexedRouter(ROUTES), Router(ROUTES, redirect_slashes=False))
    )
    assert (known.status_code, known.text.replace("IndexedRouter", "Router")) == (tried.status_code, tried.text)


@pytest.mark.parametrize(("path", "right"), [("/a/", "/a"), ("/a//", "/a"), ("/some/1/", "/some/{id}"), ("/x/b/", "/{name}/b")])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("root", ["", "/below"])
def test_a_slash_too_many_is_told_of(path: str, right: str, method: str, root: str) -> None:
    asked = TestClient(app_of(IndexedRouter(ROUTES)), root_path=root)
    with pytest.raises(HttpProblem) as refused:
        asked.request(method, root + path)
    assert (refused.value.kind.code, refused.value.detail) == ("not-found", f"no path ends with a slash; this one is {right}")


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
def test_what_a_path_is_and_answers_is_known_without_asking_it(
    path: str, method: str, right: str | None, methods: list[str], root: str
) -> None:
    router = IndexedRouter(ROUTES)
    scope = {"type": "http", "method": method, "path": root + path, "root_path": root}
    found = router.route_of(scope)
    assert (found and found.path, router.methods(scope)) == (right, methods)


def test_every_path_of_ours_without_parameters_is_looked_up() -> None:
    router = create_app().router
    assert isinstance(router, IndexedRouter)
    assert ("POST", "/resolve") in router.by_method
    assert ("HEAD", "/livez") in router.by_method
    assert "/graphql" in router.any_method
    assert not [path for _, path in router.by_method if "{" in path]


def test_what_an_endpoint_refuses_goes_further_out() -> None:
    async def endpoint(request: Request) -> Response:
        raise HttpProblem("busy")

    with pytest.raises(HttpProblem):
        asyncio.run(EndpointApp(endpoint)({"type": "http"}, later, later))  # type: ignore[arg-type]


def test_what_any_origin_may_read_does_not_vary_by_the_origin() -> None:
    client = TestClient(create_app())
    for origin in ({}, {"origin": "https://table.example.org"}):
        answer = client.get("/systems", headers=origin)
        assert answer.headers["vary"] == "Accept-Encoding"
        assert "vary" not in client.get("/version", headers=origin).headers
        assert answer.headers["access-control-allow-origin"] == "*"
