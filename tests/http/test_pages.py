"""What a browser is given: pages under a strict policy, plain ones where none are built, an example of every action."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.http import pages
from tablecall.settings import Settings
from tests.support.client import ask

HTML = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of pages that stands for the built ones."""
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "page-AbC123.js").write_text("// a script")
    for name in ("docs.html", "graphiql.html", "play.html"):
        (tmp_path / name).write_text(f"<!doctype html><title>{name}</title>")
    monkeypatch.setattr(pages, "BUILT", tmp_path)
    return tmp_path


@pytest.fixture
def unbuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "BUILT", tmp_path / "nowhere")


def browser() -> TestClient:
    return TestClient(create_app(Settings()))


def test_the_front_page_leads_everywhere(client: TestClient) -> None:
    page = client.get("/", headers=HTML)
    assert page.headers["content-type"].startswith("text/html")
    for path in pages.LINKS:
        assert f'href="{path}"' in page.text
        assert client.get(f"/{path}", headers=HTML).status_code == 200


@pytest.mark.parametrize(("path", "name"), [("/graphql", "graphiql.html"), ("/docs", "docs.html"), ("/play", "play.html")])
def test_a_built_page_is_shown(built: Path, path: str, name: str) -> None:
    assert f"<title>{name}</title>" in browser().get(path, headers=HTML).text
    assert f"<title>{name}</title>" in browser().get(path, headers={"accept": "text/html"}).text


@pytest.mark.parametrize("path", ["/graphql", "/docs", "/play"])
def test_where_no_page_is_built_its_place_says_so_and_leads_on(unbuilt: None, path: str) -> None:
    page = browser().get(path, headers=HTML)
    assert page.status_code == 200
    assert "is not built here. `make pages` builds it" in page.text
    assert 'href="openapi.json"' in page.text


@pytest.mark.parametrize("path", ["/", "/graphql", "/docs", "/play", "/static/page-AbC123.js"])
def test_a_page_may_run_nothing_but_our_own_scripts(built: Path, path: str) -> None:
    headers = browser().get(path, headers=HTML).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["worker-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "http" not in headers["content-security-policy"]


def test_a_built_file_may_be_kept_for_good(built: Path) -> None:
    answer = browser().get("/static/page-AbC123.js")
    assert answer.text == "// a script"
    assert "immutable" in answer.headers["cache-control"]
    assert browser().get("/docs", headers=HTML).headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("pages", ["built", "unbuilt"])
def test_a_file_that_is_not_there_is_a_problem(request: pytest.FixtureRequest, pages: str) -> None:
    request.getfixturevalue(pages)
    for path in ("/static/nothing.js", "/static/../graphiql.html", "/static/%2e%2e/docs.html"):
        answer = browser().get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert "immutable" not in answer.headers.get("cache-control", "")


def test_the_application_may_stand_behind_a_prefix() -> None:
    """Every address in a page is relative."""
    outer = Starlette()
    outer.mount("/rules", create_app(Settings()))
    page = TestClient(outer).get("/rules/", headers=HTML).text
    assert 'href="/' not in page


def test_there_is_an_example_of_every_action(client: TestClient) -> None:
    examples = client.get("/static/examples.json").json()
    asked = [example for example in examples if not _subscribes(example)]
    assert len(asked) == len(PUBLISHED) + 1
    for example in asked:
        assert "errors" not in ask(client, example["query"], example["variables"]), example["query"]


def test_every_example_may_be_played_with(client: TestClient) -> None:
    examples = client.get("/static/requests.json").json()
    assert [(one["action"], one["name"]) for one in examples] == [
        (published.tag, name) for published in PUBLISHED.values() for name in published.action.examples
    ]
    for one in examples:
        assert client.post("/resolve", json=one["request"]).json()["action"] == one["action"]
        assert set(one["request"]) <= set(one["takes"])
    assert "order" in next(one["takes"] for one in examples if one["action"] == "jazz.fight")


def test_there_is_a_simulation_to_follow(client: TestClient) -> None:
    (followed,) = filter(_subscribes, client.get("/static/examples.json").json())
    # All the trials would take long while the tests' lines are counted.
    (body,) = followed["variables"]["request"].values()
    body["trials"] = 2_000
    events = client.post("/graphql", json=followed, headers={"accept": "text/event-stream"}).text
    told = [json.loads(line[6:])["data"]["odds"]["simulated"]["trials"] for line in events.splitlines() if line.startswith("data: {")]
    assert len(told) > 2
    assert told[-1] == 2_000


def _subscribes(example: dict[str, Any]) -> bool:
    return "\nsubscription " in example["query"]
