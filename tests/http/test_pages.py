"""The web pages: their security policy, what is served before they are built, and their examples."""

from __future__ import annotations

import gzip
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
    """A folder with pages in place of the built ones."""
    (tmp_path / "static").mkdir()
    script = "// a script"
    (tmp_path / "static" / "page-AbC12_-3.js").write_text(script)
    (tmp_path / "static" / "page-AbC12_-3.js.gz").write_bytes(gzip.compress(script.encode()))
    (tmp_path / "static" / "rules.js").write_text(script)
    (tmp_path / "sw.js").write_text(script)
    for name in ("docs.html", "graphiql.html", "table.html"):
        (tmp_path / name).write_text(f"<!doctype html><title>{name}</title>")
    monkeypatch.setattr(pages, "BUILT", tmp_path)
    return tmp_path


@pytest.fixture
def unbuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "BUILT", tmp_path / "nowhere")


def browser() -> TestClient:
    return TestClient(create_app(Settings()))


def test_all_links_of_an_unbuilt_page_work(unbuilt: None) -> None:
    client = browser()
    page = client.get("/", headers=HTML)
    assert page.headers["content-type"].startswith("text/html")
    for path in pages.LINKS:
        assert f'href="{path}"' in page.text
        assert client.get(f"/{path}", headers=HTML).status_code == 200


@pytest.mark.parametrize(
    ("path", "name"),
    [("/", "table.html"), ("/graphql", "graphiql.html"), ("/docs", "docs.html"), ("/play", "table.html"), ("/characters", "table.html")],
)
def test_built_page_is_served(built: Path, path: str, name: str) -> None:
    assert f"<title>{name}</title>" in browser().get(path, headers=HTML).text
    assert f"<title>{name}</title>" in browser().get(path, headers={"accept": "text/html"}).text


@pytest.mark.parametrize("path", ["/", "/graphql", "/docs", "/play"])
def test_unbuilt_page_shows_the_start_page_with_a_note(unbuilt: None, path: str) -> None:
    page = browser().get(path, headers=HTML)
    assert page.status_code == 200
    assert "is not built. Run `make pages`" in page.text
    assert 'href="openapi.json"' in page.text


@pytest.mark.parametrize("path", ["/", "/graphql", "/docs", "/characters", "/sw.js", "/static/page-AbC12_-3.js"])
def test_content_security_policy_allows_only_own_scripts(built: Path, path: str) -> None:
    headers = browser().get(path, headers=HTML).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["worker-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert ("unsafe" in policy["style-src"]) == (path in ("/graphql", "/docs"))
    assert "http" not in headers["content-security-policy"]


def test_built_file_is_cached_permanently(built: Path) -> None:
    answer = browser().get("/static/page-AbC12_-3.js")
    assert answer.text == "// a script"
    assert "immutable" in answer.headers["cache-control"]
    for path in ("/docs", "/sw.js", "/static/rules.js"):
        assert browser().get(path, headers=HTML).headers["cache-control"] == "no-cache"


def test_built_file_is_sent_as_the_build_compressed_it(built: Path) -> None:
    for accepted, coding in (("br, gzip", "gzip"), ("identity", None)):
        answer = browser().get("/static/page-AbC12_-3.js", headers={"accept-encoding": accepted})
        assert (answer.text, answer.headers.get("content-encoding")) == ("// a script", coding)
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("pages", ["built", "unbuilt"])
def test_missing_file_is_a_problem(request: pytest.FixtureRequest, pages: str) -> None:
    request.getfixturevalue(pages)
    for path in ("/static/nothing.js", "/static/../graphiql.html", "/static/%2e%2e/docs.html"):
        answer = browser().get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json; charset=utf-8"
        assert "immutable" not in answer.headers.get("cache-control", "")


def test_links_are_relative(unbuilt: None) -> None:
    outer = Starlette()
    outer.mount("/rules", create_app(Settings()))
    page = TestClient(outer).get("/rules/", headers=HTML).text
    assert 'href="/' not in page


def test_graphiql_has_a_working_example_of_every_action(client: TestClient) -> None:
    examples = client.get("/static/examples.json").json()
    queries = [example for example in examples if not _subscribes(example)]
    assert len(queries) == len(PUBLISHED) + 1
    for example in queries:
        assert "errors" not in ask(client, example["query"], example["variables"]), example["query"]


def test_the_table_has_every_example_without_its_dice(client: TestClient) -> None:
    examples = client.get("/static/requests.json").json()
    assert [(example["action"], example["name"]) for example in examples] == [
        (published.tag, name) for published in PUBLISHED.values() for name in published.action.examples
    ]
    for example in examples:
        assert not {"seed", "dice", "include"} & set(example["request"])
        assert client.post("/resolve", json=example["request"]).json()["action"] == example["action"]


def test_graphiql_has_a_subscription_to_a_simulation(client: TestClient) -> None:
    (example,) = filter(_subscribes, client.get("/static/examples.json").json())
    # All trials would take long while coverage is measured.
    (body,) = example["variables"]["request"].values()
    body["trials"] = 2_000
    events = client.post("/graphql", json=example, headers={"accept": "text/event-stream"}).text
    trials = [json.loads(line[6:])["data"]["odds"]["simulated"]["trials"] for line in events.splitlines() if line.startswith("data: {")]
    assert len(trials) > 2
    assert trials[-1] == 2_000


def _subscribes(example: dict[str, Any]) -> bool:
    return "\nsubscription " in example["query"]
