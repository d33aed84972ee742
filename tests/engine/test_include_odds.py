"""The odds inside a ruling: those of the same request, within the same bounds."""

from __future__ import annotations

import json
from typing import Any

from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall.cli import main
from tests.support.client import problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}


def test_one_request_shows_the_chance_and_the_roll(client: TestClient) -> None:
    ruling = client.post("/resolve/jazz/check", json={**CHECK, "include": ["odds"]}).json()
    assert ruling.pop("odds") == client.post("/odds/jazz/check", json=CHECK).json()
    assert ruling == client.post("/resolve/jazz/check", json=CHECK).json()


def test_by_query(client: TestClient) -> None:
    ruling = client.get("/resolve/jazz/check?actor.bonus=3&difficulty=10&include=odds").json()
    assert ruling["odds"]["outcomes"][0]["fraction"] == "7/12"


def test_with_factors_and_options(client: TestClient) -> None:
    ruling = client.post("/resolve/jazz/check", json={**CHECK, "include": ["odds", "factors", "options"]}).json()
    assert {"odds", "factors", "options"} <= ruling.keys()


def test_bound_of_odds_holds(client: TestClient) -> None:
    crowd = {"combatants": [{"id": str(number), "name": "x", "drop": number % 2 == 0} for number in range(32)], "include": ["odds"]}
    found = client.post("/resolve/jazz/initiative", json=crowd)
    if found.status_code != 200:
        problem(found, 422, "too-large-to-count")


def test_ruling_with_odds_is_verified(client: TestClient) -> None:
    request = {"action": "jazz.check", **CHECK, "include": ["odds"]}
    ruling = client.post("/resolve", json=request).json()
    answer = client.post("/verify", json={"request": request, "ruling": ruling}).json()
    assert (answer["verdict"], answer["differences"]) == ("match", [])


def test_graphql_includes_the_odds_that_are_selected(client: TestClient) -> None:
    one = 'resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10, seed: "42"}}) {outcome odds {outcomes {fraction}}}'
    answer = client.post("/graphql", json={"query": f"{{a: {one} b: {one}}}"}).json()
    assert (
        answer["data"]["a"]
        == answer["data"]["b"]
        == {"outcome": "failure", "odds": {"outcomes": [{"fraction": "7/12"}, {"fraction": "5/12"}]}}
    )


def test_command(tmp_path: Any) -> None:
    result = CliRunner().invoke(main, ["resolve", "-"], input=json.dumps({"action": "jazz.check", **CHECK, "include": ["odds"]}))
    assert json.loads(result.output)["odds"]["outcomes"][0]["fraction"] == "7/12"
