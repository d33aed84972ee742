"""The web pages: the play page (also the start page), GraphiQL and the REST reference, with their files.

``make pages`` builds them from ``service/web`` into ``service/tablecall/static``. If they are not built, their paths show a list of links
with a note. No page loads anything from another machine; the content security policy forbids it.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.operations import Endpoint

BUILT = Path(__file__).parent.parent / "static"
"""The folder of the built pages."""
QUERIES = Path(__file__).parent / "queries"
"""The example queries, with NAME, TAG and TEXT in place of an action's own."""

LINKS = {
    "play": "try every action: roll, read the reasons, see the odds",
    "graphql": "GraphiQL, with an example of every action",
    "docs": "the REST reference, with a form for every operation",
    "systems": "the rule systems as data: actions, numbered rules, tables",
    "openapi.json": "the REST contract",
    "openapi.yaml": "the same as YAML",
    "schema.graphql": "the GraphQL contract",
    "version": "the version of this service",
}
"""The links that are shown in place of a page that is not built. They are relative, because the service may be behind a path prefix."""

HEADERS = {
    # Monaco (the editor of GraphiQL) and swagger-ui set inline styles. Scripts run only from our own files.
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    ),
}
"""The headers of every page."""


def routes() -> list[BaseRoute]:
    """The routes of the pages and their files, except GraphiQL, which shares ``/graphql`` with the API."""
    return [
        Route("/", built("play.html", "The play page")),
        Route("/docs", built("docs.html", "The REST reference")),
        Route("/play", built("play.html", "The play page")),
        Route("/static/examples.json", _json(examples)),
        Route("/static/requests.json", _json(requests)),
        Mount("/static", Files(directory=BUILT / "static", check_dir=False)),
    ]


def graphiql() -> Endpoint:
    """The GraphiQL page."""
    return built("graphiql.html", "GraphiQL")


def built(name: str, title: str) -> Endpoint:
    """A built page, or a list of links with a note if it is not built."""
    file = BUILT / name
    if file.exists():
        return _page(file.read_text("utf-8"))
    return _page(_links(f"{title} is not built. Run `make pages`, then restart the service."))


def _page(text: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(text, media_type="text/html", headers={**HEADERS, "cache-control": "no-cache"})

    return endpoint


def _links(note: str) -> str:
    items = "".join(f'<li><a href="{path}">{path}</a>: {html.escape(text)}</li>' for path, text in LINKS.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>Tablecall</title><link rel="icon" href="data:,"></head><body><h1>Tablecall</h1>'
        f"<p>A rules service for tabletop role-playing games.</p><p>{html.escape(note)}</p><ul>{items}</ul></body></html>"
    )


class Files(StaticFiles):
    """The built files. Their names hold a digest of their content, so browsers may cache them permanently."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file. A missing file is an ordinary 404."""

        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = {**HEADERS, "cache-control": "public, max-age=31536000, immutable"}
                message["headers"] = [*message["headers"], *((name.encode(), value.encode()) for name, value in headers.items())]
            await send(message)

        await super().__call__(scope, receive, kept)

    async def check_config(self) -> None:
        """Do nothing: the folder may be missing because the pages are not built."""


# ── The examples: requests for the play page, and tabs of GraphiQL ───────────────────────────────────────────────────


def _json(make: Callable[[], list[dict[str, Any]]]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(orjson.dumps(make()), media_type="application/json; charset=utf-8")

    return endpoint


@cache
def requests() -> list[dict[str, Any]]:
    """Every example of every action: the request for ``/resolve``, its name, the description of the action and the fields it accepts."""
    rows = []
    for published in PUBLISHED.values():
        fields = [field.alias for field in published.body.model_fields.values()]
        for name, example in published.action.examples.items():
            request = {"action": published.tag, **example}
            rows.append({"action": published.tag, "text": published.action.text, "name": name, "takes": fields, "request": request})
    return rows


@cache
def examples() -> list[dict[str, Any]]:
    """A query for the first example of each action, one query for odds, and a subscription for each action of unknown length."""
    every = list(PUBLISHED.values())
    simulations = [_example("simulation", one, method="simulation") for one in every if one.action.body.unbounded]
    return [*(_example("ruling", published) for published in every), _example("odds", every[0]), *simulations]


def _example(query: str, published: PublishedAction, **more: Any) -> dict[str, Any]:
    """A query of the folder ``queries``, for the first example of an action."""
    text = (QUERIES / f"{query}.graphql").read_text("utf-8")
    for word, value in (("NAME", published.name), ("TAG", published.tag), ("TEXT", published.action.text)):
        text = text.replace(word, value)
    example = next(iter(published.action.examples.values()))
    return {"query": text, "variables": {"request": {published.field: _declared_by_name({**example, **more})}}}


def _declared_by_name(body: dict[str, Any]) -> dict[str, Any]:
    """A request with the actions that it declares within itself as GraphQL has them: each under its name."""
    if "actions" not in body:
        return body
    declared = [{PUBLISHED[one["action"]].field: {name: part for name, part in one.items() if name != "action"}} for one in body["actions"]]
    return {**body, "actions": declared}
