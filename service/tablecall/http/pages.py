"""The web pages: the table (also the start page), the characters, GraphiQL and the REST reference, with their files.

``make pages`` builds them from ``service/web`` into ``service/tablecall/static``. If they are not built, their paths show a list of links
with a note. No page loads anything from another machine; the content security policy forbids it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.operations import Endpoint
from tablecall.http.http_cache import constant
from tablecall.http.layout import HEADERS, policy

BUILT = Path(__file__).parent.parent / "static"
"""The folder of the built pages."""
QUERIES = Path(__file__).parent / "queries"
"""The example queries, with NAME, TAG and TEXT in place of an action's own."""

LINKS = {
    "graphql": "GraphiQL, with an example of every action",
    "docs": "the REST reference, with a form for every operation",
    "systems": "the rule systems as data: actions, numbered rules, tables",
    "openapi.json": "the REST contract",
    "openapi.yaml": "the same as YAML",
    "schema.graphql": "the GraphQL contract",
    "version": "the version of this service",
}
"""The links that are shown in place of a page that is not built. They are relative, because the service may be behind a path prefix."""

TOOL_HEADERS = policy(style_src="'self' 'unsafe-inline'")
"""The headers of GraphiQL and the REST reference: Monaco and swagger-ui set inline styles. Scripts run only from our own files."""
_FILES = {"sw.js": "text/javascript", "manifest.webmanifest": "application/manifest+json", "icon.svg": "image/svg+xml"}
"""Built files beside the pages. Their names stay the same, so browsers check them at every visit."""


def routes() -> list[BaseRoute]:
    """The routes of the pages and their files, except GraphiQL, which shares ``/graphql`` with the API."""
    return [
        *(Route(path, built("table.html", "The table")) for path in TABLE),
        Route("/docs", built("docs.html", "The REST reference", TOOL_HEADERS)),
        *(Route(f"/{name}", _file(name, media)) for name, media in _FILES.items() if (BUILT / name).exists()),
        Route("/static/examples.json", _json(examples)),
        Route("/static/requests.json", _json(requests)),
        Mount("/static", Files(directory=BUILT / "static", check_dir=False)),
    ]


TABLE = ("/", "/play", "/characters")
"""The paths of the table and its other place."""


def graphiql() -> Endpoint:
    """The GraphiQL page."""
    return built("graphiql.html", "GraphiQL", TOOL_HEADERS)


def built(name: str, title: str, headers: dict[str, str] = HEADERS) -> Endpoint:
    """A built page, or a list of links with a note if it is not built."""
    file = BUILT / name
    if file.exists():
        return _page(file.read_text("utf-8"), headers)
    return _page(_links(f"{title} is not built. Run `make pages`, then restart the service."), headers)


def _page(text: str, headers: dict[str, str], media: str = "text/html") -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(text, media_type=media, headers={**headers, "cache-control": "no-cache"})

    return endpoint


def _file(name: str, media: str) -> Endpoint:
    return _page((BUILT / name).read_text("utf-8"), HEADERS, media)


def _links(note: str) -> str:
    items = "".join(f'<li><a href="{path}">{path}</a>: {html.escape(text)}</li>' for path, text in LINKS.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>Tablecall</title><link rel="icon" href="data:,"></head><body><h1>Tablecall</h1>'
        f"<p>A rules service for tabletop role-playing games.</p><p>{html.escape(note)}</p><ul>{items}</ul></body></html>"
    )


class Files(StaticFiles):
    """The built files. Names with a digest may be cached permanently. Files that the build compressed are sent compressed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file in the best coding that the client accepts. A missing file is an ordinary 404."""
        accepted = Headers(scope=scope).get("accept-encoding", "")
        for coding, ending in (("br", ".br"), ("gzip", ".gz")):
            if coding in accepted and self.lookup_path(path + ending)[1]:
                response = await super().get_response(path + ending, scope)
                response.headers["content-type"] = guess_type(path)[0] or "application/octet-stream"
                response.headers["content-encoding"] = coding
                break
        else:
            response = await super().get_response(path, scope)
        lasting = "public, max-age=31536000, immutable" if _DIGEST.search(path) else "no-cache"
        response.headers.update({**HEADERS, "cache-control": lasting, "vary": "accept-encoding"})
        return response

    async def check_config(self) -> None:
        """Do nothing: the folder may be missing because the pages are not built."""


_DIGEST = re.compile(r"-[\w-]{8}\.\w+$")
"""What the build puts at the end of a file's name."""


# ── The examples: requests for the table, and tabs of GraphiQL ───────────────────────────────────────────────────────


def _json(make: Callable[[], list[dict[str, Any]]]) -> Endpoint:
    return constant(lambda: orjson.dumps(make()), "application/json")


def requests() -> list[dict[str, Any]]:
    """Every example of every action: its name and its request, without seed and dice, so that a roll is always new."""
    return [
        {"action": published.tag, "name": name, "request": {"action": published.tag, **_without_dice(example)}}
        for published in PUBLISHED.values()
        for name, example in published.action.examples.items()
    ]


def _without_dice(example: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in example.items() if name not in ("seed", "dice", "include")}


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
