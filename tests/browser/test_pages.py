"""The pages in a headless Chromium: no request to another machine, no error in the console."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.flat_query import can_be_queried
from tablecall.http import pages
from tablecall.model.base import Body
from tests.clients.conftest import HERE as CLIENTS
from tests.clients.conftest import Tools, serving

ROOT = CLIENTS.parent.parent
LOOK = Path(__file__).parent / "look.mjs"

pytestmark = pytest.mark.browser


def look(page: str) -> dict[str, Any]:
    """Open a page and return what it shows. A screenshot is saved in build/."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or pytest.fail("Chromium is missing: apt-get install chromium")
    if not (pages.BUILT / "graphiql.html").exists():
        pytest.fail("the pages are not built: make pages")
    (ROOT / "build").mkdir(exist_ok=True)
    with serving() as base:
        output = Tools().run("node", LOOK, CLIENTS / "node_modules", chromium, base, page, ROOT / "build" / f"{page}.png", cwd=CLIENTS)
    page_state: dict[str, Any] = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    assert {key: page_state[key] for key in ("external", "console", "failed")} == {"external": [], "console": [], "failed": []}
    return page_state


def test_graphiql_has_an_example_of_every_action_and_runs_queries() -> None:
    shown = look("graphql")
    assert [name.strip() for name in shown["tabs"]] == [
        *(one.name for one in PUBLISHED.values()),
        f"{next(iter(PUBLISHED.values())).name}Odds",
        "JazzFightSimulation",
    ]
    assert "resolve" in shown["explorer"]
    assert '"summary": "actor: 7 against 10, failure"' in " ".join(shown["shown"].split())
    assert shown["history"] >= 1
    assert shown["wrong"] == []


def test_graphiql_subscribes_to_a_simulation() -> None:
    shown = look("subscription")
    assert shown["authorization"] == "Bearer of arms"
    assert shown["accept"] == "text/event-stream"
    assert len(shown["trials"]) > 2
    assert shown["trials"] == sorted(shown["trials"])
    assert shown["trials"][-1] == Body.model_fields["trials"].default
    assert '"interval"' in shown["shown"]


def test_graphiql_fits_a_phone() -> None:
    shown = look("narrow")
    assert shown["below"]
    assert shown["width"] > 250
    assert shown["sideways"] == 390


def test_rest_reference_sends_requests() -> None:
    shown = look("docs")
    assert shown["operations"] > len(PUBLISHED)
    for answer in shown["shown"].values():
        assert "200" in answer
        assert '"outcome"' in answer
    assert shown["locks"] == 0
    assert min(shown["dark"]) > 150, "light text on a dark page"


def test_every_get_of_the_rest_reference_executes_as_it_stands() -> None:
    shown = look("everything")
    assert [name for name in shown["pressed"] if ": " in name] == []
    assert len(shown["pressed"]) == 2 * sum(can_be_queried(published) for published in PUBLISHED.values())
    assert len(shown["answers"]) >= len(shown["pressed"])
    assert [answer for answer in shown["answers"] if answer[2] >= 400] == []


def test_rest_reference_works_behind_a_proxy_that_strips_a_prefix() -> None:
    shown = look("prefixed")
    assert "200" in shown["shown"]
    assert '"name": "tablecall"' in shown["shown"]
    assert shown["outside"] == []
