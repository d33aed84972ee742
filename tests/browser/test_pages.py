"""The pages in a headless Chromium: no request to another machine, no error in the console."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import odds, resolve
from tablecall.engine.requests import untagged
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


def test_play_page_shows_rulings_options_odds_and_links() -> None:
    shown = look("play")
    assert shown["examples"] == [f"{one.tag}: {name}" for one in PUBLISHED.values() for name in one.action.examples]
    asked: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
    one = PUBLISHED["jazz.check"]

    def body(**more: Any) -> Body:
        return untagged(one.system, one.action, {**asked, "seed": "43", **more})

    ruling, rescued = (resolve(one.system, one.action, body(**more)) for more in ({}, {"rescue": True}))
    for text in (shown["ruling"], shown["handed"]):
        assert ruling["summary"] in text
        assert all(f"{step['text']} {step['rule']}" in text for step in ruling["steps"])
    assert shown["focused"] == "H2"
    assert f"-d '{json.dumps({**asked, 'seed': '43'}, separators=(',', ':'))}'" in shown["curl"]
    assert shown["rescued"] == {"request": {**asked, "rescue": True}, "summary": rescued["summary"]}
    (success, failure) = odds(one.system, one.action, body(rescue=True))["outcomes"]
    assert all(row["percent"] in shown["odds"] and row["fraction"] in shown["odds"] for row in (success, failure))
    assert shown["bars"] == 2
    assert shown["again"] == shown["drawn"]["summary"]
    assert "The address holds no request" in shown["unread"]
    assert len(shown["next"]["order"]) == len(shown["next"]["combatants"])
    assert "seed" not in shown["next"]
    assert "between" in shown["simulated"]
    assert "on average" in shown["simulated"]
    assert shown["writing"] == "request"


def test_errors_on_the_play_page_are_focused_and_visible() -> None:
    shown = look("refused")
    for place in ("address", "unread", "shape", "asking", "offline", "own"):
        assert [shown[place][key] for key in ("focused", "visible", "sideways")] == [True, True, False], place
    assert "It is no JSON" in shown["address"]["said"]
    assert "It is no JSON" in shown["unread"]["said"]
    assert "/seed: a seed must be text" in shown["shape"]["said"]
    assert shown["writing"] == "request"
    assert shown["alert"] == "The examples are not there (closed). A request of your own can be asked all the same."
    assert "seed 43" in shown["own"]["said"]


def test_browser_history_of_the_play_page() -> None:
    shown = look("retraced")
    assert shown["shown"] == {"seed": "43", "locked": True, "note": "The request names its own seed, and that one is used."}
    asked = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
    assert shown["moved"] == {"request": asked, "seed": "43", "locked": False}
    assert shown["back"] == {"request": asked, "seed": "43", "summary": shown["summary"]}
    assert (shown["twice"], shown["all"], shown["entries"]) == (1, 3, 3)
    assert "7/12" in shown["odds"]["said"]
    assert shown["first"].endswith("/play")
    assert shown["again"] == shown["drawn"]


def test_play_page_names_participants_and_replaced_faces() -> None:
    shown = look("named")
    odds, ruling, round_ = (shown[page]["said"].split("\n") for page in ("odds", "ruling", "round"))
    first_cells = [line.split("\t")[0] for line in odds]
    assert {"attackers.0", "Rook attackers.1", "Guard defender", "Guard: health defender.health"} <= set(first_cells)
    assert any(line.startswith("Rook attackers.1\tthief") for line in ruling)
    assert "attackers.1, d6" in ruling
    assert any(" was " in line for line in ruling)
    assert shown["titles"] == 0
    first_cells = [line.split("\t")[0] for line in round_]
    assert {"Rook combatants.0", "Guard (left) combatants.1", "Guard (right) combatants.2", "chief combatants.3"} <= set(first_cells)
    assert not any(shown[page]["sideways"] for page in ("odds", "ruling", "round"))


def test_rest_reference_sends_requests() -> None:
    shown = look("docs")
    assert shown["operations"] > 2 * len(PUBLISHED)
    assert "200" in shown["shown"]
    assert '"action": "jazz.check"' in shown["shown"]


def test_rest_reference_works_behind_a_proxy_that_strips_a_prefix() -> None:
    shown = look("prefixed")
    assert "200" in shown["shown"]
    assert '"name": "tablecall"' in shown["shown"]
    assert shown["outside"] == []
