"""darkpages.conflict beyond the shared cases: what it refuses, who takes no part, its options and its odds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import nyx, odds, play, refusal

NYX: dict[str, Any] = {"id": "nyx", "actor": {"character": nyx(), "attribute": "body"}}
BO: dict[str, Any] = {"id": "bo", "actor": {"character": nyx(name="Bo"), "attribute": "body"}}
CY: dict[str, Any] = {"id": "cy", "actor": {"character": nyx(name="Cy"), "attribute": "body"}}
THUG: dict[str, Any] = {"id": "thug", "actor": {"pool": {"roll": 3, "keep": 2}, "npc": True, "name": "Thug"}}
EVERYBODY = [NYX, BO, CY, THUG]


def down(fighter: dict[str, Any]) -> dict[str, Any]:
    """The same, Defeated."""
    character = fighter["actor"]["character"]
    return {**fighter, "actor": {**fighter["actor"], "character": {**character, "defeated": True}}}


def check(who: str, target: int = 9, **more: Any) -> dict[str, Any]:
    return {"action": "darkpages.check", "actor": {"participant": who}, "targetNumber": target, **more}


def attack(by: str, on: str) -> dict[str, Any]:
    return {"action": "darkpages.attack", "attacker": {"participant": by}, "defender": {"participant": on}, "trauma": "injury"}


def team(*members: str, **more: Any) -> dict[str, Any]:
    return {"action": "darkpages.teamwork", "members": [{"participant": who} for who in members], "targetNumber": 9, **more}


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("request_", "pointer", "code"),
    [
        ({"participants": [NYX, {**BO, "id": "nyx"}], "actions": [check("nyx")]}, "/participants/1/id", "conflicting-fields"),
        ({"participants": [NYX]}, "/actions", "missing-field"),
        ({"participants": [NYX], "actions": [check("nix")]}, "/actions/0/actor/participant", "unknown-name"),
        ({"participants": [NYX, BO], "actions": [attack("nyx", "nyx")]}, "/actions/0/defender/participant", "conflicting-fields"),
        (
            {"participants": [THUG], "actions": [{"action": "darkpages.concede", "character": {"participant": "thug"}}]},
            "/actions/0/character",
            "not-allowed",
        ),
        ({"participants": [NYX], "actions": [check("nyx", target=-1)]}, "/actions/0/targetNumber", "out-of-range"),
        ({"participants": [NYX, THUG], "actions": [check("nyx", opponent={"participant": "thug"})]}, "/actions/0", "conflicting-fields"),
    ],
)
def test_refusals(request_: dict[str, Any], pointer: str, code: str) -> None:
    rule, where, found, _ = refusal("conflict", **request_)
    assert (where, found) == (pointer, code)
    assert rule == (
        "darkpages.check.target"
        if "targetNumber" in str(request_) and where in ("/actions/0/targetNumber", "/actions/0")
        else "darkpages.iiee.conflict"
    )


def test_refusal_names_the_nearest_participant() -> None:
    night = {**NYX, "id": "nightingale"}
    assert "did you mean “nightingale”?" in refusal("conflict", participants=[night], actions=[check("nightingal")])[3]


def test_what_the_participants_as_sent_forbid_is_refused() -> None:
    spent = {**NYX, "actor": {**NYX["actor"], "keepDice": [7, 8, 9]}}
    rule, where, _, _ = refusal("conflict", participants=[spent], actions=[check("nyx")])
    assert (rule, where) == ("darkpages.dice.keep", "/participants/0/actor/keepDice")


# ── Who takes part ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_said_in_the_action_wins_over_the_dice_chosen_by_the_participant() -> None:
    chosen = {**NYX, "actor": {**NYX["actor"], "keepDice": [0, 1, 2]}}
    faces = {"participants.0.action1": [0, 0, 1, 9, 9]}
    kept = [
        [die["face"] for die in play("conflict", faces, participants=[chosen], actions=[action])["rolls"][0]["dice"] if die["kept"]]
        for action in (check("nyx"), check("nyx") | {"actor": {"participant": "nyx", "keep": "highest"}})
    ]
    assert kept == [[0, 0, 1], [1, 9, 9]]


def test_defeated_members_take_no_part() -> None:
    """Their awards go, and the leader is found again among those who stand."""
    ruling = play("conflict", participants=[down(NYX), BO, CY], actions=[team("nyx", "bo", "cy", leader=1, awards=[0, 2])])
    assert [roll["roll"] for roll in ruling["rolls"]] == ["participants.1.action1"]
    assert ("darkpages.damage.defeated", "darkpages.conflict.no_part") in [(step["rule"], step["key"]) for step in ruling["steps"]]


def test_team_without_its_leader_is_skipped() -> None:
    ruling = play("conflict", participants=[down(NYX), BO], actions=[team("nyx", "bo", leader=0)])
    assert [part["outcome"] for part in ruling["results"]] == ["skipped"]


def test_opponents_who_are_all_defeated_are_what_the_rule_decides() -> None:
    faced = {
        "action": "darkpages.swarm",
        "use": "highest",
        "members": [{"participant": "bo"}],
        "opponents": [{"participant": "nyx"}, {"participant": "cy"}],
    }
    rule, _, _, _ = refusal("conflict", participants=[down(NYX), BO, down(CY)], actions=[faced])
    assert rule == "darkpages.damage.defeated"


def test_attack_on_somebody_defeated_before_is_skipped() -> None:
    faces = {"participants.3.action1": [9, 9, 9], "participants.0.action1": [0] * 5, "participants.0.action1.damage": [0] * 5}
    ruling = play("conflict", faces, participants=EVERYBODY, actions=[attack("thug", "nyx"), attack("thug", "nyx")])
    assert [part["outcome"] for part in ruling["results"]][1] == "skipped"


# ── Options and odds ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_options_change_the_list_of_actions() -> None:
    ruling = play(
        "conflict", {"participants.0.action1": [0, 0, 0, 9, 1]}, participants=[NYX, BO], actions=[check("nyx")], include=["options"]
    )
    (part,) = ruling["results"]
    choice = next(option for option in part["options"] if option["request"] is not None)
    (action,) = choice["request"]["actions"]
    assert action["actor"]["participant"] == "nyx"
    assert "keepDice" in action["actor"]


def test_awards_of_a_team_are_options_by_their_declared_places() -> None:
    faces = {"participants.2.action1": [0, 9, 9, 9, 9]}
    ruling = play("conflict", faces, participants=[down(NYX), BO, CY], actions=[team("nyx", "bo", "cy", leader=2)], include=["options"])
    offered = [option for part in ruling["results"] for option in part["options"] if option["request"] is not None]
    assert all(action["members"][0] == {"participant": "nyx"} for option in offered for action in option["request"]["actions"])


def test_compared_choices() -> None:
    found = odds("conflict", participants=[NYX, THUG], actions=[check("nyx", 20)], keepChoices=True)
    assert [(row["on"], row["keep"]) for row in found["keepChoices"]] == [
        ("participants.0", keep) for keep in ("highest", "mostZeros", "mostZerosThatSucceed")
    ]
    assert len({row["results"][0]["outcomes"][0]["fraction"] for row in found["keepChoices"]}) > 1


def test_end_of_the_conflict() -> None:
    thug = {**THUG, "actor": {**THUG["actor"], "defeated": True}}
    ruling = play("conflict", participants=[down(NYX), thug], end=True, done=4)
    assert [(effect["on"], effect["stat"], effect["to"]) for effect in ruling["effects"]] == [
        ("participants.0", "defeated", False),
        ("participants.1", "defeated", False),
    ]
    assert (ruling["outcome"], ruling["after"]["done"], ruling["results"]) == ("finished", 4, [])


def test_simulated_odds_of_each_action() -> None:
    asked = {"participants": [NYX, THUG], "actions": [check("nyx", 20), attack("nyx", "thug")], "seed": "s"}
    exact, simulated = odds("conflict", **asked), odds("conflict", **asked, method="simulation", trials=2000, keepChoices=True)
    for counted, played in zip(exact["results"], simulated["results"], strict=True):
        chances = {row["outcome"]: row["probability"] for row in counted["outcomes"]}
        for row in played["outcomes"]:
            assert row["interval"]["low"] - 0.02 <= chances[row["outcome"]] <= row["interval"]["high"] + 0.02
    assert [row["keep"] for row in simulated["keepChoices"]] == ["highest", "mostZeros", "mostZerosThatSucceed"]


def test_dice_for_rolls_that_do_not_happen_are_listed() -> None:
    faces = {"participants.0.action1": [9] * 5, "participants.0.action1.damage": [1, 2], "participants.0.action1.second": [3]}
    ruling = play("conflict", faces, participants=[NYX], actions=[check("nyx")])
    assert [row["roll"] for row in ruling["unusedDice"]] == ["participants.0.action1.damage", "participants.0.action1.second"]


def test_house_rules_are_those_of_every_action() -> None:
    weak = {**NYX, "actor": {"pool": {"roll": 1, "keep": 1}, "modifiers": ["-1/0"]}}
    rolls = [
        play("conflict", participants=[weak], actions=[check("nyx")], **house)["rolls"][0]["dice"]
        for house in ({}, {"houseRules": {"floor": "zero"}})
    ]
    assert [len(dice) for dice in rolls] == [1, 0]


# ── What was sent, and what happened ─────────────────────────────────────────────────────────────────────────────────


def test_crowd_whose_opponent_is_defeated_by_then_is_skipped() -> None:
    swarm = {
        "action": "darkpages.swarm",
        "members": [{"participant": "nyx"}, {"participant": "bo"}],
        "use": "highest",
        "opponent": {"participant": "cy"},
    }
    concede = {"action": "darkpages.concede", "character": {"participant": "cy"}}
    ruling = play("conflict", {}, participants=EVERYBODY, actions=[concede, swarm])
    assert [result["outcome"] for result in ruling["results"]] == ["defeated", "skipped"]
    assert ruling["rolls"] == []


def test_what_the_sheets_as_sent_forbid_is_refused_whatever_happens_before() -> None:
    ruined = {"id": "nyx", "actor": {"character": nyx(damage={"health": "destroyed"}), "attribute": "body"}}
    concede = {"action": "darkpages.concede", "character": {"participant": "nyx"}}
    rule, pointer, _, _ = refusal("conflict", participants=[ruined, THUG], actions=[attack("thug", "nyx"), concede])
    assert (rule, pointer) == ("darkpages.damage.defeated", "/participants/0/actor/character/damage")
