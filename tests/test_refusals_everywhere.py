"""Every refusal of a request, by every way in: REST, GraphQL, batch and command line say the same; no refusal is left untried."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall.app import create_app
from tablecall.cli import main
from tablecall.engine import resolve
from tablecall.engine.requests import tagged
from tablecall.model.refusals import Refusal
from tablecall.model.text import CATALOGUE
from tablecall.settings import Settings
from tests.support.client import request_of
from tests.systems.darkpages.test_refusals import REFUSED as DARKPAGES
from tests.systems.jazz.playing import fighter, order
from tests.systems.jazz.test_conflict_refusals import REFUSALS as CONFLICTS
from tests.systems.jazz.test_refusals import REFUSALS as JAZZ

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
"""A request that is resolved."""

WITCH = {
    "name": "Rook",
    "aspects": [{"name": "driver", "bonus": 2}, {"name": "witch", "bonus": 2, "weird": True}],
    "survivalAspect": "driver",
}
OUT = fighter("cy", "y", 0)
TRIO = [fighter("ann", "x"), fighter("bob", "y"), fighter("cy", "y")]
STATE: dict[str, Any] = {"combatants": TRIO, "order": order("ann", "bob", "cy")}
THUG = {"id": "thug", "actor": {"pool": {"roll": 3, "keep": 2}}}
SHEET = {"name": "Nyx", "attributes": {name: {"roll": 3, "keep": 2} for name in ("body", "mind", "soul")}, "lethal": "health"}


def turn(declared: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"action": "jazz.turn", **STATE, "turn": {"by": ["ann"], **declared}, **more}


def orders(*declared: dict[str, Any]) -> dict[str, Any]:
    return {"action": "jazz.round", **STATE, "orders": list(declared)}


def joining(*ids: str, **more: Any) -> dict[str, Any]:
    people = [{"id": name} for name in "abc"]
    return {"action": "jazz.initiative", "combatants": people, "joining": list(ids), **more}


def conflict(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"action": "darkpages.conflict", "participants": [THUG], "actions": list(actions), **more}


def roll(who: str) -> dict[str, Any]:
    return {"action": "darkpages.check", "actor": {"participant": who}, "targetNumber": 5}


def dice(roll: str, *faces: int) -> dict[str, Any]:
    return {**CHECK, "dice": [{"roll": roll, "faces": faces}]}


def place(*ids: str, **more: Any) -> dict[str, Any]:
    return {"ids": list(ids), **more}


ATTACK = {"action": "jazz.attack", "attackers": [{"bonus": 1}], "defender": {"bonus": 1}}
SEVERAL = {"action": "jazz.attack", "attackers": [{"bonus": 1}], "targets": [{"bonus": 1}, {"bonus": 1}]}
OTHERS: list[dict[str, Any]] = [
    {"action": "darkpages.recovery", "when": "respite"},
    conflict({"action": "darkpages.concede", "character": {"participant": "thug"}}),
    conflict(),
    {"action": "darkpages.check", "actor": {"character": SHEET, "attribute": "body", "name": "Bo"}, "targetNumber": 5},
    conflict({"action": "darkpages.attack", "attacker": {"participant": "thug"}, "defender": {"participant": "thug"}, "trauma": "injury"}),
    conflict(roll("thugs")),
    turn({"attack": "bob", "pass": True}),
    orders({"by": ["ann"], "attack": "bob"}, {"by": ["ann"], "check": {"difficulty": 9}}),
    {"action": "jazz.improve", "character": {**WITCH, "advanced": True}, "aspect": "driver", "fictionLevel": "heroic"},
    turn({"check": {"against": "ann"}}),
    {"action": "jazz.recovery", "rest": "night"},
    {"action": "jazz.turn", "combatants": [TRIO[0], OUT], "order": order("ann", "cy"), "turn": {"by": ["ann"], "pass": True}},
    SEVERAL | {"defender": {"bonus": 1}},
    {"action": "jazz.complication", "character": {**WITCH, "complication": " "}},
    {
        "action": "jazz.turn",
        "combatants": [TRIO[0], TRIO[1], OUT],
        "order": order("ann=cy", "bob"),
        "falling": ["cy"],
        "turn": {"by": ["cy"], "wait": True},
    },
    joining("c", "c", order=[place("a", total=9), place("b", total=8)]),
    {"action": "jazz.turn", **STATE, "acted": ["ann", "ann"], "turn": {"by": ["bob"], "pass": True}},
    SEVERAL | {"attackers": [{"character": WITCH, "using": ["driver"]}]},
    {"action": "jazz.check", "actor": {"character": WITCH, "name": "Rook"}, "difficulty": 9},
    ATTACK | {"rescue": "attackers.3"},
    ATTACK | {"attackers": [{"character": {"id": 1, **WITCH}}], "defender": {"character": {"id": "1", **WITCH}}},
    joining("c"),
    joining("c", order=[place("a", total=9)]),
    joining("c", order=[place("a", total=9), place("b")]),
    turn({"attack": "bob", "rescue": "cy"}),
    {"action": "jazz.check", "actor": {"character": WITCH, "using": ["driver"]}, "effect": "teleport.individual.nearby"},
    {
        "action": "jazz.check",
        "actor": {"character": WITCH, "using": ["witch"]},
        "effect": "restoreHealth.one",
        "subject": {"name": "V", "aspects": [], "health": {"current": 0, "max": 2}, "out": True, "condition": "dead"},
    },
    {"action": "jazz.fight", "combatants": TRIO, "together": ["x", "X "]},
    {
        "action": "jazz.turn",
        "combatants": [fighter("ann", "x"), {"id": "bob", "side": "y", "actor": {"bonus": 1}}],
        "order": order("ann", "bob"),
        "turn": {"by": ["ann"], "check": {"effect": "restoreHealth.one", "subject": "bob"}},
    },
    SEVERAL | {"teamDefence": [{"bonus": 1}]},
    {"action": "jazz.turn", "combatants": TRIO, "turn": {"by": ["ann"], "pass": True}},
    {"action": "jazz.turn", **STATE},
    orders({"by": ["ann"], "wait": True}),
    turn({"wait": True}, waiting=["ann"]),
    # of every request
    {**CHECK, "trials": 1},
    {**CHECK, "trials": 10**9},
    {**CHECK, "actor": {"character": {**WITCH, "data": 3}}},
    {**CHECK, "actor": {"character": {**WITCH, "data": {"x": "y" * 5000}}}},
    dice("actor", 7, 1),
    dice("actor", 1),
    dice("actor", 1, 2, 3),
    {**CHECK, "dice": [{"roll": "actor", "faces": [1, 2]}] * 2},
    dice("opponent", 1, 2),
    {**dice("actor", 1, 2), "stakes": "none"},
    {**turn({"attack": "bob"}), "dice": [{"roll": "combatants.9.round1.attack", "faces": [1, 2]}]},
    {**CHECK, "actor": {"advantage": 3}},
    {**CHECK, "actor": {"bonus": "3"}},
    {**CHECK, "include": {"odds": 1}},
    {**CHECK, "actor": 3},
    {**CHECK, "rng": 3},
    {**turn({"attack": "bob"}), "combatants": [{**TRIO[0], "id": True}, *TRIO[1:]]},
    {**CHECK, "include": ["odds"] * 4},
    {**ATTACK, "attackers": []},
    {"action": "jazz.check"},
    {**CHECK, "actor": {"name": " "}},
    {**CHECK, "actor": {"name": "a\nb"}},
    {"action": "jazz.fight", "combatants": TRIO, "tactics": {str(number): "first" for number in range(65)}},
    {**CHECK, "rng": "tablecall-0"},
    {**CHECK, "dice": [{"roll": "actor rescue", "faces": []}]},
    {**CHECK, "seed": ""},
    {**CHECK, "rng": "x" * 41},
    {**CHECK, "rng": ""},
    {**CHECK, "nobody": 1},
    {**CHECK, "include": ["chances"]},
    {**CHECK, "include": ["chances" * 9]},
]
"""Requests with the refusals that no other table has."""

ELSEWHERE = {
    *("and_more", "did_you_mean"),  # inside other sentences
    *("list_numbers", "name_parts", "repeated", "value_and_object", "two_seeds", "other_path"),  # of a query or a path
    *("too_long", "too_long_numbers", "too_many_branches", "too_many_results"),  # of exact odds
    "ruling_seed",  # of `/verify`
    *("many_errors", "missing_tag", "request_object", "ruling_object", "unknown_action", "no_action"),  # before there is an action
    *("dice_face", "dice_few", "dice_many", "dice_none", "dice_unused"),  # tried above, but the sentence is made before the rule is cited
    *("expected_number", "less_than", "more_than", "invalid_value", "pattern"),  # of types that no request has today
}
"""The common refusals that a request to `/resolve` cannot get; other tests reach them."""


def requests() -> list[dict[str, Any]]:
    """Every request of the tables of refusals."""
    jazz = [{"action": f"jazz.{action}", **body} for cases in JAZZ.values() for _, action, body in cases]
    conflicts = [{"action": f"jazz.{action}", **body} for action, body, _, _ in CONFLICTS.values()]
    darkpages = [{"action": f"darkpages.{action}", **body} for *_, cases in DARKPAGES for (action, body), _ in cases]
    return [*jazz, *conflicts, *darkpages, *OTHERS]


def keys_of(request: dict[str, Any]) -> set[str]:
    """The keys of the sentences with which a request is refused."""
    with pytest.raises(Refusal) as caught:
        resolve(*tagged(request))
    return {finding.detail for finding in caught.value.findings}


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(Settings()))


def errors(problem: dict[str, Any], start: str = "") -> tuple[str, list[tuple[str, str, Any]]]:
    """The code of a problem, and of each error its pointer, code and rule."""
    rows = [(error["pointer"].removeprefix(start), error["code"], error.get("rule")) for error in problem["errors"]]
    return problem["type"].rpartition("/")[2], rows


GRAPHQL = "mutation($request: ResolveRequest!) { resolve(request: $request) { outcome } }"


@pytest.mark.parametrize("request_", requests(), ids=lambda request: request["action"])
def test_refusal_is_the_same_everywhere(client: TestClient, request_: dict[str, Any]) -> None:
    answer = client.post("/resolve", json=request_)
    assert answer.status_code == 422, answer.text
    expected = errors(answer.json())
    (result,) = client.post("/batch", json={"requests": [request_]}).json()["results"]
    assert errors(result["problem"]) == expected
    body = {name: value for name, value in request_.items() if name != "action"}
    document = client.post("/graphql", json={"query": GRAPHQL, "variables": {"request": request_of(request_["action"], body)}}).json()
    found = errors(document["errors"][0]["extensions"]["problem"], "/variables/request")
    assert found == expected or found[1][0][1] == "invalid-query"  # what the type of a variable forbids never reaches a rule
    run = CliRunner().invoke(main, ["resolve", "-"], input=json.dumps(request_))
    assert (run.exit_code, errors(json.loads(run.stderr or run.output))) == (1, expected)


def test_every_refusal_is_tried() -> None:
    keys = {key for key in CATALOGUE.templates["en"] if ".refused." in f".{key}" and not key.startswith(("toy.", "d20."))}
    tried = set().union(*map(keys_of, requests()))
    assert sorted(keys - tried - {f"refused.{name}" for name in ELSEWHERE}) == []
