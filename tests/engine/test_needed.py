"""Which dice a table needs to roll next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from starlette.testclient import TestClient

from tablecall.dice.needed import NeededDice
from tablecall.engine import resolve, rolls
from tablecall.model.refusals import Forbidden, UnknownRng, WrongDice
from tablecall.systems import ACTIONS
from tests.support.client import EXAMPLES, ids, problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}


def needed(tag: str, document: dict[str, Any], **dice: list[int]) -> dict[str, Any]:
    system, action = ACTIONS[tag]
    given = [{"roll": name.replace("__", "."), "faces": faces} for name, faces in dice.items()]
    return rolls(system, action, action.body.model_validate({**document, "dice": given}))


def named(answer: dict[str, Any]) -> list[str]:
    return [f"{roll['roll']} {roll['dice']}" for roll in answer["needed"]]


def test_dice_of_a_check() -> None:
    roll = {"roll": "actor", "name": "actor", "dice": "2d6", "sides": 6, "count": 2}
    assert needed("jazz.check", CHECK) == {"needed": [roll], "complete": False}
    assert needed("jazz.check", CHECK, actor=[3, 4]) == {"needed": [], "complete": True}


def test_both_sides_of_an_attack_roll_at_the_same_time() -> None:
    attack = {"attackers": [{"bonus": 1}, {"bonus": 2}], "defender": {"bonus": 3}}
    assert named(needed("jazz.attack", attack)) == ["attackers.0 2d6", "attackers.1 2d6", "defender 2d6"]
    assert named(needed("jazz.attack", attack, attackers__0=[1, 2])) == ["attackers.1 2d6", "defender 2d6"]


def test_roll_that_depends_on_others_is_needed_once_they_are_known() -> None:
    check = {**CHECK, "rescue": True}
    assert named(needed("jazz.check", check)) == ["actor 2d6"]
    assert named(needed("jazz.check", check, actor=[1, 2])) == ["actor.rescue 1d6"]
    assert needed("jazz.check", check, actor=[6, 6])["complete"]


def test_only_missing_faces_are_needed() -> None:
    gear = {"actor": {"bonus": 3, "gear": {"reroll": [1, 2], "until": "clear"}}, "difficulty": 10}
    assert named(needed("jazz.check", gear, actor=[])) == ["actor 2d6"]
    assert named(needed("jazz.check", gear, actor=[1])) == ["actor 1d6"]
    assert named(needed("jazz.check", gear, actor=[1, 2])) == ["actor 2d6"]  # both are rolled again
    assert named(needed("jazz.check", gear, actor=[1, 2, 5])) == ["actor 1d6"]
    assert needed("jazz.check", gear, actor=[1, 2, 5, 3])["complete"]


def test_die_that_is_rolled_again_until_a_six() -> None:
    gear = {"actor": {"bonus": 3, "gear": {"reroll": [1, 2, 3, 4, 5], "until": "clear"}}, "difficulty": 10}
    assert named(needed("jazz.check", gear)) == ["actor 2d6"]
    assert named(needed("jazz.check", gear, actor=[1, 2])) == ["actor 2d6"]
    assert named(needed("jazz.check", gear, actor=[1, 2, 3, 4, 5])) == ["actor 2d6"]
    assert named(needed("jazz.check", gear, actor=[1, 2, 3, 6, 5])) == ["actor 1d6"]


def test_all_ties_are_rolled_off_at_the_same_time() -> None:
    combatants = [{"id": str(number), "side": "us", "name": str(number)} for number in range(4)]
    body = {"combatants": [{"id": combatant["id"], "name": combatant["name"]} for combatant in combatants]}
    faces = {"combatants__0": [1, 1], "combatants__1": [6, 6], "combatants__2": [1, 1], "combatants__3": [6, 6]}
    assert named(needed("jazz.initiative", body, **faces)) == [f"combatants.{number}.tie1 2d6" for number in (1, 3, 0, 2)]


def test_dice_that_a_later_choice_reads_are_rolled_with_the_others() -> None:
    opposed = {
        "actor": {"pool": {"roll": 3, "keep": 2}, "keep": "mostZerosThatSucceed"},
        "opponent": {"pool": {"roll": 4, "keep": 2}, "npc": True},
    }
    assert named(needed("darkpages.check", opposed)) == ["actor 3d10", "opponent 4d10"]


def test_refusals() -> None:
    with pytest.raises(WrongDice, match="no such face"):
        needed("jazz.check", CHECK, actor=[7])
    with pytest.raises(WrongDice, match="too many dice"):
        needed("jazz.check", CHECK, actor=[1, 2, 3])
    with pytest.raises(WrongDice, match="does not happen"):
        needed("jazz.check", CHECK, acter=[1, 2])
    with pytest.raises(WrongDice, match="does not happen"):
        needed("jazz.check", CHECK, actor=[1, 2], acter=[1, 2])
    with pytest.raises(UnknownRng):
        needed("jazz.check", {**CHECK, "rng": "other"})
    with pytest.raises(Forbidden):
        needed("jazz.check", {**CHECK, "rescue": True, "actor": {"bonus": 1, "advantage": True}})


def test_nothing_is_drawn_from_a_seed() -> None:
    with pytest.raises(LookupError):
        NeededDice({}, [], set()).faces_of("actor")


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_asking_until_complete_gives_all_dice_of_the_ruling(tag: str, name: str, body: dict[str, Any]) -> None:
    system, action = ACTIONS[tag]
    document = {key: value for key, value in body.items() if key != "dice"}
    given: dict[str, list[int]] = {}
    faces = _faces()
    request = action.body.model_validate(document)
    answer: dict[str, Any] = {"complete": False}
    while not answer["complete"]:
        dice = [{"roll": roll, "faces": shown} for roll, shown in given.items()]
        request = action.body.model_validate({**document, "dice": dice})
        answer = rolls(system, action, request)
        for roll in answer["needed"]:
            low = 0 if roll["sides"] == 10 else 1
            given.setdefault(roll["roll"], []).extend(low + next(faces) % roll["sides"] for _ in range(roll["count"]))
    ruling = resolve(system, action, request)
    assert {roll["roll"]: roll["from"] for roll in ruling["rolls"] if roll["dice"]}.keys() <= given.keys()
    assert {roll["from"] for roll in ruling["rolls"] if roll["dice"]} <= {"table"}


def _faces() -> Iterator[int]:
    number = 1
    while True:
        number = number * 1103515245 + 12345 & 0x7FFFFFFF
        yield number >> 8


class TestUnused:
    """Dice for rolls that did not happen, where an action allows them."""

    fight: ClassVar[dict[str, Any]] = {"combatants": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}], "seed": 1}

    def request(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> tuple[Any, Any, Any]:
        system, action = ACTIONS["jazz.initiative"]
        possible = {"combatants.0", "combatants.1", "combatants.0.tie1", "combatants.1.tie1", "combatants.1.tie2"}
        monkeypatch.setattr(action.body, "possible_rolls", lambda self: possible)
        given = [{"roll": name, "faces": [1, 2]} for name in names]
        return system, action, action.body.model_validate({**self.fight, "dice": given})

    def test_possible_rolls_are_listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ruling = resolve(*self.request(monkeypatch, "combatants.0", "combatants.0.tie1"))
        assert ruling["unusedDice"] == [{"roll": "combatants.0.tie1", "faces": [1, 2]}]
        assert ruling["rolls"][0]["from"] == "table"

    def test_none_unused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert resolve(*self.request(monkeypatch))["unusedDice"] == []

    @pytest.mark.parametrize(
        ("name", "nearest"),
        [("combatants.7", "combatants.1"), ("combatants.1.tie9", "combatants.1.tie2"), ("cmbatants.0", "combatants.0")],
    )
    def test_impossible_ones_are_refused_with_the_nearest(self, name: str, nearest: str, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(WrongDice, match=f"{nearest}$"):
            resolve(*self.request(monkeypatch, name))

    def test_nothing_can_be_rolled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        system, action = ACTIONS["jazz.check"]
        monkeypatch.setattr(action.body, "possible_rolls", lambda self: set())
        body = action.body.model_validate({**CHECK, "stakes": "routine", "dice": [{"roll": "actor", "faces": [1, 2]}]})
        with pytest.raises(WrongDice, match="nothing is rolled"):
            resolve(system, action, body)


class TestRest:
    def test_needed_rolls(self, client: TestClient) -> None:
        answer = client.post("/rolls", json={"action": "jazz.check", **CHECK})
        assert answer.json() == needed("jazz.check", CHECK)
        assert answer.headers["content-type"] == "application/json; charset=utf-8"

    def test_refusals(self, client: TestClient) -> None:
        problem(client.post("/rolls", json=CHECK), 422, "invalid-request")
        problem(client.post("/rolls", json={"action": "jazz.check", **CHECK}, headers={"accept": "image/png"}), 406, "not-acceptable")
