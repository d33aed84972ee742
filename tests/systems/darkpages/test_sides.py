"""Both sides of teamwork and swarm as groups, rollers with and without sheets, and recovery of several."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import BODY, npc, nyx, play, pool, refusal


@pytest.mark.parametrize(
    ("actor", "rule", "pointer"),
    [
        ({**BODY, "pool": {"roll": 2, "keep": 1}}, "darkpages.attributes", "/actor/pool"),
        ({**BODY, "name": "Bo"}, "darkpages.attributes", "/actor/name"),
        ({**BODY, "defeated": True}, "darkpages.attributes", "/actor/defeated"),
        ({"pool": {"roll": 2, "keep": 1}, "scars": [0]}, "darkpages.scars", "/actor/scars"),
    ],
)
def test_what_a_sheet_says_is_not_said_again(actor: dict[str, Any], rule: str, pointer: str) -> None:
    assert refusal("check", actor=actor, targetNumber=9)[:3] == (rule, pointer, "conflicting-fields")


def test_defeated_roller_without_a_sheet_cannot_act() -> None:
    rule, pointer, _, _ = refusal("check", actor=pool(3, 2, defeated=True), targetNumber=9)
    assert (rule, pointer) == ("darkpages.damage.defeated", "/actor/defeated")


@pytest.mark.parametrize(("people", "code"), [({}, "needs-one-of"), ({"character": nyx(), "characters": [nyx()]}, "conflicting-fields")])
def test_recovery_of_one_or_of_several(people: dict[str, Any], code: str) -> None:
    assert refusal("recovery", when="conflictEnd", **people)[:3] == ("darkpages.recovery.conflictEnd", "", code)


def test_return_as_npc_of_who_was_defeated() -> None:
    gone = nyx(outOfGame=True, defeated=True, npc=True, damage={"health": "destroyed"})
    ruling = play("recovery", when="returnAsNpc", character=gone)
    assert [(effect["stat"], effect["to"]) for effect in ruling["effects"]] == [
        ("outOfGame", False),
        ("defeated", False),
        ("damage.health", "damaged"),
    ]
    hurt = play("recovery", when="returnAsNpc", character=nyx(outOfGame=True, damage={"health": "damaged"}))
    assert [(effect["stat"], effect["to"]) for effect in hurt["effects"]] == [("outOfGame", False), ("npc", True)]


def test_swarm_against_a_swarm() -> None:
    """The highest roll of the opponents opposes (darkpages.swarm)."""
    faces = {"members.0": [9, 9], "members.1": [1, 0], "opponents.0": [3, 4], "opponents.1": [8, 8]}
    ruling = play("swarm", faces, use="highest", members=[npc(2, 2), npc(2, 2)], opponents=[npc(2, 2), npc(2, 2)])
    assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("success", 18, 16)


@pytest.mark.parametrize(
    ("mine", "theirs", "outcome"),
    [([0, 0], [0, 0], "stalemate"), ([0, 0], [1, 0], "dismalFailure"), ([5, 5], [0, 0], "success")],
)
def test_swarms_of_zeros(mine: list[int], theirs: list[int], outcome: str) -> None:
    ruling = play("swarm", {"members.0": mine, "opponents.0": theirs}, use="highest", members=[npc(2, 2)], opponents=[npc(2, 2)])
    assert ruling["outcome"] == outcome


def test_team_against_a_team() -> None:
    """The highest rated leads; kept zeros teach the assistants, or a single opponent."""
    teams = {"members": [pool(2, 2, archetype="Warrior")], "opponents": [pool(2, 2, archetype="Sage"), pool(4, 2, archetype="Rogue")]}
    ruling = play("teamwork", {"members.0": [9, 9], "opponents.1": [9, 1, 0, 0]}, **teams, include=["options"])
    assert (ruling["outcome"], ruling["target"]) == ("success", 10)
    alone = {"members": [pool(2, 2)], "opponents": [pool(2, 2, archetype="Sage", keep="mostZeros")]}
    taught = play("teamwork", {"members.0": [9, 9], "opponents.0": [0, 1]}, **alone)
    assert [(effect["on"], effect["change"]) for effect in taught["effects"]] == [("archetype:Sage", 1)]
    choosing = play("teamwork", {"members.0": [9, 9], "opponents.1": [0, 1, 9, 9]}, **teams, include=["options"])
    patches = [option["request"] for option in choosing["options"] if option["request"] and "opponents" in option["request"]]
    assert all(len(patch["opponents"]) == 2 and "keepDice" in patch["opponents"][1] for patch in patches)
    assert patches


def test_awards_are_summed_from_effects() -> None:
    effects = [
        {"on": "archetype:Warrior", "stat": "trainingPoints", "from": None, "to": None, "change": 2},
        {"on": "archetype:warrior", "stat": "trainingPoints", "from": None, "to": None, "change": 1},
        {"on": "actor", "stat": "health", "from": "unhurt", "to": "diminished", "change": None},
        {"on": "archetype:Warrior", "stat": "trainingPoints", "from": 5, "to": 3, "change": -2},
    ]
    ruling = play("training", awards=effects)
    assert [(effect["on"], effect["change"]) for effect in ruling["effects"]] == [("archetype:Warrior", 3)]


def test_opposed_check_by_a_pool() -> None:
    ruling = play("check", {"actor": [9, 9], "opponent": [1, 1]}, actor=pool(2, 2), opponent=npc(2, 2))
    assert (ruling["outcome"], ruling["target"]) == ("success", 2)


def test_conceding_is_not_for_who_is_out_of_the_game() -> None:
    assert refusal("concede", character=nyx(outOfGame=True))[:2] == ("darkpages.damage.destroyed", "/character/outOfGame")


def test_two_sides_without_dice_are_a_stalemate() -> None:
    none = pool(1, 1, modifiers=["-1/0"])
    ruling = play("swarm", use="highest", members=[none, none], opponents=[none], floor="zero")
    assert (ruling["outcome"], ruling["succeeded"]) == ("stalemate", None)


@pytest.mark.parametrize("action", ["defend", "noMercy"])
def test_no_roll_without_stakes(action: str) -> None:
    request: dict[str, Any] = {
        "defend": {"attacker": npc(3, 2), "defender": pool(3, 2), "ward": pool(3, 2), "trauma": "injury"},
        "noMercy": {"attacker": pool(3, 2), "victim": nyx(npc=True, defeated=True), "trauma": "injury"},
    }[action]
    ruling = play(action, **request, stakes="nothing")
    assert (ruling["outcome"], ruling["rolls"]) == ("noRoll", [])
