"""The pages in a headless Chromium, as a visitor has them: nothing is asked of another machine, nothing goes wrong."""

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
from tablecall.model.base import Body, Simulable
from tests.clients.conftest import HERE as CLIENTS
from tests.clients.conftest import Tools, serving

ROOT = CLIENTS.parent.parent
LOOK = Path(__file__).parent / "look.mjs"

pytestmark = pytest.mark.browser


def look(page: str) -> dict[str, Any]:
    """What was seen of a page; the screenshot stays in build/ for whoever wants to look too."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or pytest.fail("there is no Chromium: apt-get install chromium")
    if not (pages.BUILT / "graphiql.html").exists():
        pytest.fail("the pages are not built: make pages")
    (ROOT / "build").mkdir(exist_ok=True)
    with serving() as base:
        said = Tools().run("node", LOOK, CLIENTS / "node_modules", chromium, base, page, ROOT / "build" / f"{page}.png", cwd=CLIENTS)
    found: dict[str, Any] = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    assert {key: found[key] for key in ("external", "console", "failed")} == {"external": [], "console": [], "failed": []}
    return found


def test_graphiql_opens_with_an_example_of_every_action_and_answers() -> None:
    found = look("graphql")
    assert [name.strip() for name in found["tabs"]] == [
        *(one.name for one in PUBLISHED.values()),
        f"{next(iter(PUBLISHED.values())).name}Odds",
        "JazzFightSimulation",
    ]
    assert "resolve" in found["explorer"]
    assert '"summary": "actor: 2 + 2 + 3 = 7 against 10: failure by 3"' in " ".join(found["shown"].split())
    assert found["history"] >= 1
    assert found["wrong"] == []


def test_graphiql_follows_a_simulation_to_its_last_trial() -> None:
    found = look("subscription")
    assert found["authorization"] == "Bearer of arms"
    assert found["accept"] == "text/event-stream"
    assert len(found["trials"]) > 2
    assert found["trials"] == sorted(found["trials"])
    assert found["trials"][-1] == Simulable.model_fields["trials"].default
    assert '"interval"' in found["shown"]


def test_a_table_to_play_at_rules_offers_weighs_and_hands_on() -> None:
    found = look("play")
    assert found["examples"] == [f"{one.tag}: {name}" for one in PUBLISHED.values() for name in one.action.examples]
    asked: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
    one = PUBLISHED["jazz.check"]

    def body(**more: Any) -> Body:
        return untagged(one.system, one.action, {**asked, "seed": "43", **more})

    ruling, rescued = (resolve(one.system, one.action, body(**more)) for more in ({}, {"rescue": True}))
    for shown in (found["ruling"], found["handed"]):
        assert ruling["summary"] in shown
        assert all(f"{step['text']} {step['rule']}" in shown for step in ruling["steps"])
    assert found["focused"] == "H2"
    assert f"-d '{json.dumps({**asked, 'seed': '43'}, separators=(',', ':'))}'" in found["curl"]
    assert found["rescued"] == {"request": {**asked, "rescue": True}, "summary": rescued["summary"]}
    (success, failure) = odds(one.system, one.action, body(rescue=True))["outcomes"]
    assert all(row["percent"] in found["odds"] and row["fraction"] in found["odds"] for row in (success, failure))
    assert found["bars"] == 2
    assert found["again"] == found["drawn"]["summary"]
    assert "The address holds no request" in found["unread"]
    assert len(found["next"]["order"]) == len(found["next"]["combatants"])
    assert "seed" not in found["next"]
    assert "between" in found["simulated"]
    assert "on average" in found["simulated"]
    assert found["writing"] == "request"


def test_whatever_is_refused_or_fails_is_led_to_as_an_answer_is() -> None:
    found = look("refused")
    for place in ("address", "unread", "shape", "asking", "offline", "own"):
        assert [found[place][key] for key in ("focused", "visible", "sideways")] == [True, True, False], place
    assert "It is no JSON" in found["address"]["said"]
    assert "It is no JSON" in found["unread"]["said"]
    assert "/seed: a seed is text" in found["shape"]["said"]
    assert found["writing"] == "request"
    assert found["alert"] == "The examples are not there (closed). A request of your own can be asked all the same."
    assert "seed 43" in found["own"]["said"]


def test_whatever_was_asked_for_can_be_gone_back_to() -> None:
    found = look("retraced")
    assert found["shown"] == {"seed": "43", "locked": True, "note": "The request names its own seed, and that one is used."}
    asked = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
    assert found["moved"] == {"request": asked, "seed": "43", "locked": False}
    assert found["back"] == {"request": asked, "seed": "43", "summary": found["summary"]}
    assert (found["twice"], found["all"], found["entries"]) == (1, 3, 3)
    assert "7/12" in found["odds"]["said"]
    assert found["first"].endswith("/play")
    assert found["again"] == found["drawn"]


def test_who_is_meant_is_told_by_name_and_what_dice_showed_can_be_read() -> None:
    found = look("named")
    odds, ruling, round_ = (found[page]["said"].split("\n") for page in ("odds", "ruling", "round"))
    told = [line.split("\t")[0] for line in odds]
    assert {"attackers.0", "Rook attackers.1", "Guard defender", "Guard: health defender.health"} <= set(told)
    assert any(line.startswith("Rook attackers.1\tthief") for line in ruling)
    assert "attackers.1, d6" in ruling
    assert any(" was " in line for line in ruling)
    assert found["titles"] == 0
    told = [line.split("\t")[0] for line in round_]
    assert {"Rook combatants.0", "Guard (left) combatants.1", "Guard (right) combatants.2", "chief combatants.3"} <= set(told)
    assert not any(found[page]["sideways"] for page in ("odds", "ruling", "round"))


def test_the_rest_reference_opens_and_answers() -> None:
    found = look("docs")
    assert found["operations"] > 4 * len(PUBLISHED)
    assert "200" in found["shown"]
    assert '"action": "jazz.check"' in found["shown"]
