"""What users of this and of other services reported: each test sends the small request that went wrong for somebody."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

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
