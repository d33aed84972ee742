"""Checks: Target Numbers, opposition, stakes, goals, zeros, and the order of acting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import NYX, fractions, npc, nyx, odds, play, points, pool, values

ONE = pool(1, 1)
STAKES: list[tuple[str, dict[str, Any]]] = [
    ("check", {"actor": pool(2, 2)}),
    ("teamwork", {"members": [pool(2, 2)]}),
    ("swarm", {"members": [pool(2, 2)], "use": "lowest"}),
]


@pytest.mark.parametrize(("target", "outcome"), [(12, "success"), (13, "failure"), (1, "success")])
def test_total_that_reaches_the_target_number_succeeds(target: int, outcome: str) -> None:
    """darkpages.check.target"""
    ruling = play("check", {"actor": [5, 7]}, actor=pool(2, 2), targetNumber=target)
    assert (ruling["outcome"], ruling["succeeded"]) == (outcome, outcome == "success")
    assert (ruling["target"], ruling["margin"]) == (target, 12 - target)


@pytest.mark.parametrize(("theirs", "outcome", "succeeded"), [(8, "success", True), (9, "stalemate", None), (10, "failure", False)])
def test_higher_total_wins_and_a_tie_is_a_stalemate(theirs: int, outcome: str, succeeded: bool | None) -> None:
    """darkpages.check.opposed"""
    ruling = play("check", {"actor": [9, 0], "opponent": [theirs - 1, 1]}, actor=npc(2, 2), opponent=npc(2, 2))
    assert (ruling["outcome"], ruling["succeeded"], ruling["target"]) == (outcome, succeeded, theirs)


@pytest.mark.parametrize("stakes", ["nothing", "everything"])
@pytest.mark.parametrize(("action", "body"), STAKES)
@pytest.mark.parametrize("against", [{}, {"targetNumber": 5}, {"opponent": pool(2, 2)}])
def test_nobody_rolls_with_nothing_or_everything_at_stake(action: str, body: dict[str, Any], stakes: str, against: dict[str, Any]) -> None:
    """darkpages.check.stakes"""
    ruling = play(action, **body, **against, stakes=stakes)
    assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"], ruling["total"]) == ("noRoll", None, [], None)
    assert (ruling["target"], values(ruling, "darkpages.check.stakes")) == (against.get("targetNumber"), [stakes])
    assert fractions(action, **body, **against, stakes=stakes) == {"noRoll": "1"}


class TestGoals:
    """darkpages.goals.parts, darkpages.goals.single, darkpages.goals.death"""

    def test_goal_action_and_effect_are_returned(self) -> None:
        labels = {"goal": "I want to open the safe", "means": "a stethoscope", "effect": "it is open"}
        ruling = play("check", {"actor": [5]}, actor=ONE, targetNumber=5, **labels)
        assert {name: ruling[name] for name in labels} == labels
        assert len(values(ruling, "darkpages.goals.parts")) == 2
        assert "It happens: ⁨it is open⁩" in ruling["summary"]
        assert "The aim was: ⁨it is open⁩" in play("check", {"actor": [4]}, actor=ONE, targetNumber=5, **labels)["summary"]
        assert play("check", actor=ONE, targetNumber=5)["goal"] is None

    @pytest.mark.parametrize("goal", ["I want to grab it and run", "AND then", "this And that", "salt & pepper", "Grab it. Flee"])
    @pytest.mark.parametrize("policy", ["warn", "ignore"])
    def test_several_goals_are_accepted_by_policy(self, goal: str, policy: str) -> None:
        assert values(play("check", actor=ONE, targetNumber=5, goal=goal, goalPolicy=policy), "darkpages.goals.single") == [policy]

    @pytest.mark.parametrize(
        "goal", ["I want to reach the island", "Andrew has to leave", "I want my hand back", "win the rock-and-roll contest"]
    )
    @pytest.mark.parametrize("policy", ["reject", "warn"])
    def test_and_inside_a_word_is_no_second_goal(self, goal: str, policy: str) -> None:
        ruling = play("check", actor=ONE, targetNumber=5, goal=goal, goalPolicy=policy)
        assert values(ruling, "darkpages.goals.single") == []
        assert [note["pointer"] for note in ruling["notes"]] == ["/goalPolicy"]

    def test_no_mercy_allows_a_death_as_the_goal(self) -> None:
        ruling = play("noMercy", attacker=ONE, victim=nyx(defeated=True), trauma="injury", removesFromPlay=True)
        assert values(ruling, "darkpages.goals.death") == ["removesFromPlay"]


class TestPoints:
    """darkpages.zero.points"""

    @pytest.mark.parametrize(
        ("faces", "actor", "expected"),
        [
            ([9, 0, 0], pool(3, 3, archetype="Warrior"), {"Warrior": 2}),
            ([1, 0, 0], pool(3, 3, archetype="Warrior"), {"Warrior": 2}),  # a failure
            ([0, 0, 1], {"character": NYX, "attribute": "soul"}, {"Warrior": 1}),
            ([0, 0, 1], {"character": NYX, "attribute": "soul", "archetype": "Spy"}, {"Spy": 1}),
            ([0, 0, 1], {"character": nyx(npc=True), "attribute": "soul", "npc": False}, {"Warrior": 1}),
            ([9, 0], pool(2, 1, archetype="Warrior"), {}),  # not kept
            ([0], npc(1, 1) | {"archetype": "Thug"}, {}),
            ([0], ONE, {}),
        ],
    )
    def test_kept_zeros_earn_points_for_the_archetype(self, faces: list[int], actor: dict[str, Any], expected: dict[str, int]) -> None:
        ruling = play("check", {"actor": faces}, actor=actor, targetNumber=5)
        assert points(ruling) == expected
        assert [effect["on"] for effect in ruling["effects"]] == [f"archetype:{archetype}" for archetype in expected]

    def test_opponent_earns_too(self) -> None:
        sides = {"actor": pool(2, 2, archetype="Warrior"), "opponent": pool(2, 2, archetype="Mystic")}
        assert points(play("check", {"actor": [9, 0], "opponent": [0, 8]}, **sides)) == {"Warrior": 1, "Mystic": 1}

    def test_odds_give_the_mean(self) -> None:
        expected = odds("check", actor=pool(1, 1, archetype="Warrior"), targetNumber=5)["expected"]
        assert expected == {"archetype:Warrior.trainingPoints": 0.1}


@pytest.mark.parametrize("actor", [pool(2, 1), npc(2, 1)])
def test_only_zeros_rolled_is_a_dismal_failure(actor: dict[str, Any]) -> None:
    """darkpages.zero.dismal"""
    ruling = play("check", {"actor": [0, 0]}, actor=actor, targetNumber=1)
    assert (ruling["outcome"], ruling["succeeded"], values(ruling, "darkpages.zero.dismal")) == ("dismalFailure", False, ["dismal"])


@pytest.mark.parametrize(("face", "outcome", "steps"), [(0, "stalemate", ["dismal", "dismal", "stalemate"]), (9, "success", ["dismal"])])
def test_dismal_failure_of_an_opponent(face: int, outcome: str, steps: list[str]) -> None:
    """darkpages.zero.dismal"""
    ruling = play("check", {"actor": [face], "opponent": [0, 0]}, actor=ONE, opponent=npc(2, 1))
    assert (ruling["outcome"], values(ruling, "darkpages.zero.dismal")) == (outcome, steps)


def test_two_sides_without_dice_are_at_a_stalemate() -> None:
    """darkpages.modifiers.floor, darkpages.check.opposed"""
    no_dice = pool(1, 1, modifiers=["-1/1"])
    ruling = play("check", actor=no_dice, opponent=no_dice, floor="zero")
    assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("stalemate", 0, 0)
    assert play("check", {"opponent": [0]}, actor=no_dice, opponent=ONE, floor="zero")["outcome"] == "failure"


@pytest.mark.parametrize("against", [{"targetNumber": 1}, {"opponent": npc(1, 1), "dice": [{"roll": "opponent", "faces": [1]}]}])
def test_only_zeros_kept_is_a_dramatic_failure(against: dict[str, Any]) -> None:
    """darkpages.zero.dramatic"""
    dice = [{"roll": "actor", "faces": [9, 0]}, *against.get("dice", [])]
    actor = pool(2, 1, keep="mostZeros", archetype="Warrior")
    ruling = play("check", **{"actor": actor} | against | {"dice": dice})
    assert (ruling["outcome"], ruling["succeeded"], points(ruling)) == ("dramaticFailure", False, {"Warrior": 1})
    assert values(ruling, "darkpages.zero.dramatic") == ["dramatic"]


@pytest.mark.parametrize(
    ("weigh", "order"),
    [
        ({}, [["b"], ["a", "c"], ["d"]]),
        ({"weigh": ["drama", "ease", "proximity"]}, [["d"], ["a", "c"], ["b"]]),
        ({"weigh": ["ease", "drama", "proximity"]}, [["a", "c"], ["d"], ["b"]]),
    ],
)
def test_initiation_orders_by_weighted_scores(weigh: dict[str, Any], order: list[list[str]]) -> None:
    """darkpages.iiee.order"""
    participants = [
        {"id": "a", "name": "Nyx", "proximity": 1, "ease": 5},
        {"id": "b", "proximity": 3, "drama": -2},
        {"id": "c", "proximity": 1, "ease": 5},
        {"id": "d", "proximity": 1, "ease": 4, "drama": 100},
    ]
    ruling = play("initiation", participants=participants, **weigh)
    assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("ordered", None, [])
    assert [place["ids"] for place in ruling["after"]["order"]] == order
    assert [participant["id"] for participant in ruling["after"]["participants"]] == ["a", "b", "c", "d"]
