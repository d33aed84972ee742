"""What users of this and of other services reported: each test sends the small request that went wrong for somebody."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall.cli import main
from tests.support.client import problem

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
NYX: dict[str, Any] = {
    "name": "Nyx",
    "archetype": "Warrior",
    "attributes": {name: {"roll": 5, "keep": 3} for name in ("body", "mind", "soul")},
    "lethal": "health",
}


def jazz(id_: str | int, **more: Any) -> dict[str, Any]:
    aspects = [{"name": "driver", "bonus": 2}, {"name": "witch", "bonus": 2, "weird": True}]
    return {"id": id_, "name": f"Rook {id_}", "aspects": aspects, "health": {"current": 2, "max": 3}, **more}


def actor(id_: str | int, **more: Any) -> dict[str, Any]:
    return {"character": jazz(id_), "using": ["driver"], **more}


def nyx(id_: str | int, **more: Any) -> dict[str, Any]:
    return {"character": {"id": id_, **NYX, **more}, "attribute": "body"}


def resolve(client: TestClient, action: str, **body: Any) -> dict[str, Any]:
    """The ruling."""
    answer = client.post("/resolve", json={"action": action, **body})
    assert answer.status_code == 200, answer.text
    ruling: dict[str, Any] = answer.json()
    return ruling


def refusal(client: TestClient, action: str, **body: Any) -> dict[str, Any]:
    """The first error of a refusal."""
    error: dict[str, Any] = problem(client.post("/resolve", json={"action": action, **body}), 422)["errors"][0]
    return error


# ── Ids ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "body", "pointer"),
    [
        ("jazz.attack", {"attackers": [actor("r")], "defender": actor("r")}, "/defender/character/id"),
        ("jazz.attack", {"attackers": [actor(1)], "targets": [actor(2), actor("1")]}, "/targets/1/character/id"),
        ("jazz.teamwork", {"members": [actor(1), actor(2)], "opponent": actor(2)}, "/members/1/character/id"),
        ("jazz.recovery", {"characters": [jazz(1), jazz("1")], "rest": "night"}, "/characters/1/id"),
        ("darkpages.attack", {"attacker": nyx(1), "defender": nyx(1), "trauma": "injury"}, "/defender/character/id"),
        ("darkpages.swarm", {"members": [nyx(1), nyx(1)], "targetNumber": 9, "use": "highest"}, "/members/1/character/id"),
        ("darkpages.noMercy", {"attacker": nyx(1), "victim": nyx(1, defeated=True)["character"], "trauma": "injury"}, "/victim/id"),
    ],
)
def test_nobody_takes_part_twice(client: TestClient, action: str, body: dict[str, Any], pointer: str) -> None:
    assert refusal(client, action, **body)["pointer"] == pointer


def test_healer_may_be_the_subject_with_the_id_as_text(client: TestClient) -> None:
    body = {"actor": {"character": jazz(1), "using": ["witch"]}, "effect": "restoreHealth.full", "seed": 1}
    ruling = resolve(client, "jazz.check", **body, subject=jazz("1", name="Rook 1"))
    assert ruling["after"]["actor"]["character"]["weird"] == ruling["after"]["subject"]["weird"]
    assert "(1)" not in ruling["summary"]
    assert refusal(client, "jazz.check", **body, subject=jazz(1, name="Vale"))["code"] == "not-allowed"


def test_participants_of_a_conflict_may_share_a_sheet(client: TestClient) -> None:
    people = [{"id": "a", "actor": nyx("guard")}, {"id": "b", "actor": nyx("guard")}]
    attack = {"action": "darkpages.attack", "attacker": {"participant": "a"}, "defender": {"participant": "b"}, "trauma": "injury"}
    assert resolve(client, "darkpages.conflict", participants=people, actions=[attack])["outcome"] == "ongoing"


def test_targets_of_a_turn_are_attacked_once(client: TestClient) -> None:
    combatants = [{"id": name, "side": name, "actor": actor(name)} for name in "ab"]
    body = {"combatants": combatants, "order": [{"ids": ["a"]}, {"ids": ["b"]}]}
    assert (
        refusal(client, "jazz.turn", **body, turn={"by": ["a"], "targets": ["b", "b"], "using": ["witch"]})["pointer"] == "/turn/targets/1"
    )


# ── Lines and numbers ────────────────────────────────────────────────────────────────────────────────────────────────


def test_numbers_of_an_attack_are_those_of_the_damage_check(client: TestClient) -> None:
    dice = [
        {"roll": "attacker", "faces": [9, 5, 1, 1]},
        {"roll": "defender", "faces": [3, 3, 0, 0, 0]},
        {"roll": "defender.damage", "faces": [9, 4, 1, 1, 1]},
    ]
    body = {"attacker": {"pool": {"roll": 4, "keep": 2}}, "defender": nyx(1), "trauma": "injury", "dice": dice}
    ruling = resolve(client, "darkpages.attack", **body)
    assert (ruling["outcome"], ruling["total"], ruling["target"], ruling["margin"]) == ("stalemate", 14, 14, 0)
    assert "14 against 6." in ruling["summary"]
    assert "14 against 14, stalemate" in ruling["summary"]


def test_ledger_shows_the_first_spelling_of_an_archetype(client: TestClient) -> None:
    body = {"ledger": [{"archetype": "Straße", "points": 1}], "award": {"archetype": " STRASSE ", "points": 2}}
    assert resolve(client, "darkpages.training", **body)["summary"].replace("\u2068", "").replace("\u2069", "") == (
        "Training Points: each Straße +2. ledger entry: Training Points 1 → 3"
    )


def test_sheet_check_warns_of_who_is_out_of_the_game(client: TestClient) -> None:
    ruling = resolve(client, "darkpages.character", character=NYX | {"outOfGame": True, "damage": {"health": "destroyed"}})
    (found,) = ruling["findings"]
    assert (ruling["outcome"], found["rule"], found["pointer"]) == ("legal", "darkpages.damage.destroyed", "/character/outOfGame")


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "pointer", "code", "detail"),
    [
        ({"action": "jazz.chek"}, "/action", "unknown-action", "there is no action “jazz.chek”; did you mean “jazz.check”?"),
        ({"action": "jazz.\u202echeck"}, "/action", "unknown-action", "there is no action “…”; did you mean “jazz.check”?"),
        ({"action": "x" * 500}, "/action", "unknown-action", "there is no action “…”"),
        (CHECK | {"language": "fr"}, "/language", "unknown-value", "`language` must be one of “en” and “de”, not “fr”"),
        (CHECK | {"language": "f\nr"}, "/language", "unknown-value", "`language` must be one of “en” and “de”"),
        (CHECK | {"actor": {"bonus": 300}}, "/actor/bonus", "out-of-range", "`bonus` must be at most 99"),
        ({"action": "jazz.check"}, "/actor", "missing-field", "`actor` is missing"),
    ],
)
def test_refusal_tells_a_player_what_was_wrong(client: TestClient, body: dict[str, Any], pointer: str, code: str, detail: str) -> None:
    found = problem(client.post("/resolve", json=body), 422)
    assert found["detail"] == detail
    assert (found["errors"][0]["pointer"], found["errors"][0]["code"]) == (pointer, code)


def test_level_of_two_spellings_is_listed_once(client: TestClient) -> None:
    detail = refusal(client, "jazz.check", actor={"bonus": 3}, level="hard")["detail"]
    assert "“frustrating” and “nigh-impossible”, not “hard”" in detail
    assert "nighImpossible" not in detail


@pytest.mark.parametrize(("name", "meant"), [("actor[bonus]", "actor.bonus"), ("actor[using][]", "actor.using")])
def test_query_with_brackets_is_told_of_dots(client: TestClient, name: str, meant: str) -> None:
    found = problem(client.get("/resolve/jazz/check", params={name: "3", "difficulty": 10}), 422)
    assert found["detail"] == f"there is no field `{name}` here; did you mean “{meant}”?"
    assert "…" in problem(client.get("/resolve/jazz/check", params={"a[" + "b" * 500: "3"}), 422)["detail"]


@pytest.mark.parametrize(
    "rolls",
    [
        5,
        [5],
        [{"from": "table"}],
        [{"from": "table", "roll": "actor", "dice": [1, 2]}],
        [{"from": "table", "roll": "actor", "dice": [{"face": 1}]}],
        [{"from": "table", "roll": "actor", "dice": [{"face": "six", "replaced": []}]}],
    ],
)
def test_verify_says_that_a_ruling_with_broken_rolls_differs(client: TestClient, rolls: Any) -> None:
    sent = {"request": CHECK, "ruling": {"outcome": "success", "seed": "an evening", "rolls": rolls}}
    answer = client.post("/verify", json=sent)
    assert (answer.status_code, answer.json()["verdict"]) == (200, "differs"), answer.text
    assert answer.json()["differences"][0].startswith("/rolls")


def test_verify_asks_for_a_ruling_where_it_is_missing(client: TestClient) -> None:
    found = problem(client.post("/verify", json={"request": CHECK, "ruling": []}), 422)
    assert (found["detail"], found["errors"][0]["pointer"]) == ("a ruling must be a JSON object", "/ruling")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("ResolveRequest!", None, "the variable `r`: Expected value of non-null type 'ResolveRequest!' not to be None."),
        ("ResolveRequest!", {"jazzChek": {}}, "there is no field `jazzChek` here. Did you mean 'jazzCheck', 'jazzFate', or 'jazzTurn'?"),
        (
            "ResolveRequest!",
            {"jazzCheck": {"actor": {"bonus": 3}, "level": "nigh-impossible"}},
            "the variable `r`: Value 'nigh-impossible' does not exist in 'AttemptTermsLevel' enum. "
            "Did you mean the enum value 'nighImpossible'?",
        ),
        ("ResolveRequest!", {"jazzCheck": {"level": "x\u202e" * 50}}, "`level` must be one of"),
    ],
)
def test_graphql_names_the_variable_and_what_is_wrong(client: TestClient, variable: str, value: Any, message: str) -> None:
    query = f"query($r: {variable}) {{ resolve(request: $r) {{ outcome }} }}"
    error = client.post("/graphql", json={"query": query, "variables": {"r": value}}).json()["errors"][0]
    assert error["message"].startswith(message)
    assert "\u202e" not in error["message"]


def test_graphql_says_where_a_document_ends_to_be_one(client: TestClient) -> None:
    error = client.post("/graphql", json={"query": "{systems {"}).json()["errors"][0]
    assert error["message"] == "the query is not a GraphQL document from line 1, column 11 on"


# ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0"),
        ("application/openmetrics-text; version=0.0.1, text/plain; version=0.0.4", "text/plain; version=0.0.4"),
        ("text/plain; version=1.0.0", "text/plain; version=1.0.0"),
        ("*/*", "text/plain; version=0.0.4"),
    ],
)
def test_metrics_are_in_the_version_that_the_scraper_reads(client: TestClient, accept: str, media: str) -> None:
    assert client.get("/metrics", headers={"accept": accept}).headers["content-type"].startswith(f"{media}; charset=utf-8")


def test_undecided_fight_goes_on_with_the_same_seed(client: TestClient) -> None:
    combatants = [{"id": name, "side": name, "actor": actor(name)} for name in "ab"]
    first = resolve(client, "jazz.fight", combatants=combatants, maxRounds=1, seed="the vault")
    second = resolve(client, "jazz.fight", **first["after"], maxRounds=1, seed="the vault")
    whole = resolve(client, "jazz.fight", combatants=combatants, maxRounds=2, seed="the vault")
    assert whole["after"] == second["after"]
    assert whole["rolls"] == first["rolls"] + second["rolls"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_command_line_reads_what_editors_write(encoding: str) -> None:
    run = CliRunner().invoke(main, ["resolve", "-"], input=json.dumps({**CHECK, "actor": {"bonus": 3, "name": "Zoë"}}).encode(encoding))
    assert (run.exit_code, json.loads(run.stdout)["rolls"][0]["name"]) == (0, "Zoë")


def test_command_line_refuses_half_a_character() -> None:
    run = CliRunner().invoke(main, ["resolve", "-"], input=b"\xff\xfe\x00")
    assert (run.exit_code, json.loads(run.stdout)["status"]) == (1, 400)
