"""What a browser sees: the front page, a table to play at, GraphiQL and the REST reference, and the files they are made of.

All but the first are built from ``service/ui`` into ``service/static`` (``make pages``). Where they are not built, their
places show the front page and say so. No page asks anything of another machine, and its policy would not let it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
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
from tablecall.model.base import Simulable

BUILT = Path(__file__).parent.parent / "static"
"""Where the built pages stand."""

LINKS = {
    "play": "roll for an example of every action, see why, take what is still open, look at the odds",
    "graphql": "ask in GraphQL, with an example of every action",
    "docs": "the REST reference, with a form for every operation",
    "systems": "the rule systems as data: actions, numbered rules, tables",
    "openapi.json": "the REST contract",
    "openapi.yaml": "the same as YAML",
    "schema.graphql": "the GraphQL contract",
    "version": "what is running",
}
"""Where the front page leads, relative to itself: the service may stand behind a prefix."""

HEADERS = {
    # Monaco, GraphiQL's editor, and swagger-ui write styles into elements; no script but our own files runs.
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
"""What every page is sent with."""


def routes() -> list[BaseRoute]:
    """The front page, the table to play at, the REST reference, and the files of the pages. For ``/graphql`` see `graphiql`."""
    return [
        Route("/", front()),
        Route("/docs", built("docs.html", "The REST reference")),
        Route("/play", built("play.html", "The table to play at")),
        Route("/static/examples.json", _examples),
        Route("/static/requests.json", _requests),
        Mount("/static", Files(directory=BUILT / "static", check_dir=False)),
    ]


def graphiql() -> Endpoint:
    """GraphiQL."""
    return built("graphiql.html", "GraphiQL")


def front() -> Endpoint:
    """The front page: a list of links."""
    return _page(_links())


def built(name: str, title: str) -> Endpoint:
    """A page that was built; where it was not, the front page and a word about it."""
    file = BUILT / name
    if file.exists():
        return _page(file.read_text("utf-8"))
    return _page(_links(f"{title} is not built here. `make pages` builds it, and so does building a wheel; then start the service again."))


def _page(text: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(text, media_type="text/html", headers={**HEADERS, "cache-control": "no-cache"})

    return endpoint


def _links(note: str = "") -> str:
    items = "".join(f'<li><a href="{path}">{path}</a>: {html.escape(text)}</li>' for path, text in LINKS.items())
    said = f"<p>{html.escape(note)}</p>" if note else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<title>Tablecall</title><link rel="icon" href="data:,"></head><body><h1>Tablecall</h1>'
        f"<p>A rules service for tabletop role-playing games.</p>{said}<ul>{items}</ul></body></html>"
    )


class Files(StaticFiles):
    """The built files. Their names hold a digest of what is in them, so a browser may keep them for good."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the file, or let the 404 be told as every other."""

        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = {**HEADERS, "cache-control": "public, max-age=31536000, immutable"}
                message["headers"] = [*message["headers"], *((name.encode(), value.encode()) for name, value in headers.items())]
            await send(message)

        await super().__call__(scope, receive, kept)

    async def check_config(self) -> None:
        """Where nothing is built, no file is there; that is no mistake."""


# ── The examples: as requests to play with, and as GraphiQL's tabs ───────────────────────────────────────────────────


async def _requests(request: Request) -> Response:
    return Response(orjson.dumps(requests()), media_type="application/json")


@cache
def requests() -> list[dict[str, Any]]:
    """Every example of every action as `/resolve` takes it, with its name, what the action is for, and all the fields it takes."""
    found = []
    for one in PUBLISHED.values():
        takes = [field.alias for field in one.body.model_fields.values()]
        for name, example in one.action.examples.items():
            request = {"action": one.tag, **example}
            found.append({"action": one.tag, "text": one.action.text, "name": name, "takes": takes, "request": request})
    return found


async def _examples(request: Request) -> Response:
    return Response(orjson.dumps(examples()), media_type="application/json")


@cache
def examples() -> list[dict[str, Any]]:
    """A query for each action with its first example, one for odds, and a subscription where there is something to follow."""
    every = PUBLISHED.values()
    simulable = (published for published in every if issubclass(published.action.body, Simulable))
    return [*map(_ruling, every), _odds(next(iter(every))), *map(_simulation, simulable)]


def _ruling(published: PublishedAction) -> dict[str, Any]:
    """The line, the steps, the changes and the dice of a ruling."""
    query = f"""# {published.tag}: {published.action.text}
query {published.name}($request: ResolveRequest!) {{
  resolve(request: $request) {{
    summary
    outcome
    total
    target
    margin
    rolls {{
      roll
      name
      dice {{ sides face kept }}
      modifier
      total
    }}
    steps {{ rule text }}
    effects {{ on stat from to }}
    factors {{ on kind name value verdict }}
    seed
  }}
}}
"""
    return {"query": query, "variables": _variables(published)}


def _odds(published: PublishedAction) -> dict[str, Any]:
    query = f"""# The exact odds of the same request
query {published.name}Odds($request: ResolveRequest!) {{
  odds(request: $request) {{
    outcomes {{ outcome fraction percent }}
    rolls {{ roll mean standardDeviation }}
    expected
  }}
}}
"""
    return {"query": query, "variables": _variables(published)}


def _simulation(published: PublishedAction) -> dict[str, Any]:
    query = f"""# {published.tag}: the odds of a simulation, told while it is played
subscription {published.name}Simulation($request: ResolveRequest!) {{
  odds(request: $request) {{
    simulated {{ trials confidence }}
    outcomes {{ outcome percent interval {{ low high }} }}
    rounds {{ mean }}
  }}
}}
"""
    return {"query": query, "variables": _variables(published, method="simulation")}


def _variables(published: PublishedAction, **more: Any) -> Mapping[str, Any]:
    example = next(iter(published.action.examples.values()))
    return {"request": {published.field: {**example, **more}}}
