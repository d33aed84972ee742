"""Addresses that work behind a proxy that strips a prefix, and under an ASGI root path."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from tablecall.app import create_app
from tablecall.http.addresses import path_of, root_of
from tablecall.settings import Settings
from tablecall.systems import SYSTEMS

CHECK = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}


class StrippingProxy:
    """Removes a prefix from the path and tells nobody, as a reverse proxy does. Other paths belong to another application."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"].startswith(self.prefix), f"{scope['path']} leaves the prefix"
        raw = scope["raw_path"].removeprefix(self.prefix.encode())
        await self.app({**scope, "path": scope["path"].removeprefix(self.prefix), "raw_path": raw}, receive, send)


def stripped() -> TestClient:
    return TestClient(StrippingProxy(create_app(Settings(odds_workers=0)), "/rules"))


def mounted() -> TestClient:
    outer = Starlette()
    outer.mount("/rules", create_app(Settings(odds_workers=0)))
    return TestClient(outer)


def rooted() -> TestClient:
    """As uvicorn does with --root-path: the root path stands in front of the path."""
    return TestClient(create_app(Settings(odds_workers=0)), root_path="/rules")


SETUPS = pytest.mark.parametrize("client", [stripped(), mounted(), rooted()], ids=["stripped", "mounted", "root path"])
WRONG = ["/nowhere", "/resolve/jazz/chek", "/resolve/jazz/check?x=1", "/systems/nobody/rules", "/resolve/jazz%2Fcheck", "/schemas/No.json"]


@SETUPS
@pytest.mark.parametrize("path", WRONG)
def test_problem_type_leads_to_its_page(client: TestClient, path: str) -> None:
    answer = client.get(f"/rules{path}")
    assert answer.status_code in (404, 422)
    url = urljoin(str(answer.url), answer.json()["type"])
    assert url.startswith("http://testserver/rules/problems/")
    assert client.get(url).status_code == 200


@SETUPS
def test_problem_of_a_post_leads_to_its_page(client: TestClient) -> None:
    batch = client.post("/rules/batch", json={"requests": [{"action": "jazz.nothing"}]})
    graphql = client.post("/rules/graphql", json={"query": "{ nothing }"})
    types = [
        (batch.url, batch.json()["results"][0]["problem"]["type"]),
        (graphql.url, graphql.json()["errors"][0]["extensions"]["problem"]["type"]),
    ]
    for base, reference in types:
        assert client.get(urljoin(str(base), reference)).status_code == 200


@SETUPS
@pytest.mark.parametrize("document", ["/openapi.json", *(f"/openapi/{name}.json" for name in SYSTEMS)])
def test_server_of_the_contract_is_the_service(client: TestClient, document: str) -> None:
    answer = client.get(f"/rules{document}")
    server = urljoin(str(answer.url), answer.json()["servers"][0]["url"]).rstrip("/")
    assert server == "http://testserver/rules"
    assert client.post(f"{server}/resolve/jazz/check", json=CHECK).status_code == 200


@SETUPS
@pytest.mark.parametrize("page", ["/", "/systems", "/systems/jazz", "/systems/jazz/rules", "/systems/jazz/tables", "/nowhere", "/docs"])
def test_links_of_pages_stay_inside(client: TestClient, page: str) -> None:
    answer = client.get(f"/rules{page}", headers={"accept": "text/html"})
    assert answer.headers["content-type"].startswith("text/html")
    links = [part.partition('"')[0] for part in answer.text.split('href="')[1:]]
    for link in [link for link in links if not link.startswith(("#", "data:", "https:"))][:12]:
        url = urljoin(str(answer.url), link.partition("#")[0])
        assert url.startswith("http://testserver/rules"), link
        assert client.get(url, headers={"accept": "text/html"}).status_code == 200, link


@pytest.mark.parametrize("path", ["/livez", "/resolve/jazz/check?actor.bonus=3&difficulty=10"])
def test_paths_without_a_key_are_open_under_a_root_path(path: str) -> None:
    client = TestClient(create_app(Settings(odds_workers=0, api_keys=["00" * 32])), root_path="/rules")
    assert client.get(f"/rules{path}").status_code == (200 if path == "/livez" else 401)


@pytest.mark.parametrize(
    ("scope", "path", "root"),
    [
        ({"path": "/resolve"}, "/resolve", "./"),
        ({"path": "/a/b/c"}, "/a/b/c", "../../"),
        ({"path": "/rules", "root_path": "/rules"}, "/", "./"),
        ({"path": "/rulesets/a", "root_path": "/rules"}, "/rulesets/a", "../"),
        ({"path": "/a", "root_path": "/rules/"}, "/a", "./"),
        ({"path": "/schemas/a/b", "raw_path": b"/schemas/a%2Fb"}, "/schemas/a/b", "../"),
    ],
)
def test_root_is_relative_to_the_path(scope: dict[str, Any], path: str, root: str) -> None:
    assert (path_of(scope), root_of(scope)) == (path, root)
