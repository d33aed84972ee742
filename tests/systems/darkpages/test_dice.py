"""Dice: faces, kept dice, the player's choice, and modifiers."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.model.refusals import WrongDice
from tablecall.systems.darkpages.sheet import DarkpagesPool
from tests.systems.darkpages.playing import kept, npc, play, points, pool, refusal, size, taken, values

ZEROS_THAT_SUCCEED = pool(3, 2, keep="mostZerosThatSucceed")


def check(faces: list[int], actor: dict[str, Any], target: int = 15, **more: Any) -> dict[str, Any]:
    return play("check", {"actor": faces}, actor=actor, targetNumber=target, **more)


class TestFaces:
    """darkpages.dice.faces"""

    def test_nine_counts_nine_and_zero_counts_zero(self) -> None:
        assert check([9, 0], pool(2, 2))["total"] == 9

    @pytest.mark.parametrize(
        ("roll", "faces", "at"),
        [
            ("actor", [9, 10], "faces/1"),
            ("actor", [9, -1], "faces/1"),
            ("actor", [9, 11], "faces/1"),
            ("actor", [1], "faces"),
            ("actor", [1, 2, 3], "faces"),
            ("opponent", [1, 2], "roll"),
        ],
    )
    def test_wrong_faces_wrong_count_and_unknown_roll_are_refused(self, roll: str, faces: list[int], at: str) -> None:
        refused = refusal("check", actor=pool(2, 2), targetNumber=5, dice=[{"roll": roll, "faces": faces}])
        assert refused[:3] == ("darkpages.dice.faces", f"/dice/0/{at}", WrongDice.code)


class TestKeep:
    """darkpages.dice.keep"""

    def test_total_is_the_sum_of_kept_dice(self) -> None:
        ruling = check([9, 0, 4, 7], pool(4, 2))
        assert (ruling["total"], kept(ruling, "actor")) == (16, [9, 7])

    def test_keep_above_roll_keeps_all_dice_and_leaves_the_sheet(self) -> None:
        ruling = check([5, 6], pool(2, 3))
        assert (ruling["total"], kept(ruling, "actor")) == (11, [5, 6])
        assert ruling["after"]["actor"]["pool"] == {"roll": 2, "keep": 3}

    @pytest.mark.parametrize("field", ["roll", "keep"])
    def test_bounds_are_published(self, field: str) -> None:
        published = DarkpagesPool.model_json_schema()["properties"][field]
        assert (published["type"], published["minimum"], published["maximum"]) == ("integer", 1, 40)


class TestChoice:
    """darkpages.dice.choice"""

    @pytest.mark.parametrize(
        ("choice", "expected"),
        [
            ({}, [9, 8, 5]),
            ({"keep": "mostZeros"}, [9, 0, 0]),
            ({"keep": "mostZerosThatSucceed"}, [9, 0, 8]),
            ({"keepDice": [1, 2, 4]}, [0, 0, 5]),
            ({"keep": "mostZeros", "keepDice": [0, 3, 4]}, [9, 8, 5]),
        ],
    )
    def test_kept_dice_and_points_of_each_choice(self, choice: dict[str, Any], expected: list[int]) -> None:
        ruling = check([9, 0, 0, 8, 5], pool(5, 3, archetype="Warrior") | choice)
        assert kept(ruling, "actor") == expected
        assert points(ruling) == ({"Warrior": expected.count(0)} if 0 in expected else {})

    @pytest.mark.parametrize(
        ("actor", "opponent", "faces", "actor_keeps", "opponent_keeps"),
        [
            (ZEROS_THAT_SUCCEED, pool(3, 2), [[9, 0, 2], [8, 0, 0]], [9, 0], [8, 0]),
            (ZEROS_THAT_SUCCEED, pool(3, 2), [[9, 0, 2], [9, 0, 0]], [9, 2], [9, 0]),
            (pool(3, 2, keepDice=[1, 2]), ZEROS_THAT_SUCCEED, [[9, 0, 2], [8, 0, 0]], [0, 2], [8, 0]),
            (pool(3, 2, keepDice=[1, 2]), ZEROS_THAT_SUCCEED, [[9, 6, 2], [8, 0, 2]], [6, 2], [8, 2]),
            # If both would choose last, the opponent keeps the highest.
            (ZEROS_THAT_SUCCEED, ZEROS_THAT_SUCCEED, [[9, 5, 0], [4, 3, 0]], [9, 0], [4, 3]),
            # A side that keeps all its dice has no choice to make.
            (pool(2, 2, keep="mostZerosThatSucceed"), ZEROS_THAT_SUCCEED, [[3, 0], [4, 3, 0]], [3, 0], [4, 0]),
            # Any total beats a Dismal Failure.
            (ZEROS_THAT_SUCCEED, npc(1, 1), [[1, 0, 2], [0]], [0, 2], [0]),
            (npc(1, 1), ZEROS_THAT_SUCCEED, [[0], [1, 0, 2]], [0], [0, 2]),
        ],
    )
    def test_side_that_needs_a_target_chooses_last(
        self, actor: dict[str, Any], opponent: dict[str, Any], faces: list[list[int]], actor_keeps: list[int], opponent_keeps: list[int]
    ) -> None:
        ruling = play("check", {"actor": faces[0], "opponent": faces[1]}, actor=actor, opponent=opponent)
        assert (kept(ruling, "actor"), kept(ruling, "opponent")) == (actor_keeps, opponent_keeps)
        assert [roll["roll"] for roll in ruling["rolls"]] == ["actor", "opponent"]

    def test_highest_are_kept_where_nothing_succeeds(self) -> None:
        assert kept(check([1, 0, 2], ZEROS_THAT_SUCCEED), "actor") == [1, 2]

    def test_every_useful_choice_is_an_option(self) -> None:
        ruling = check([9, 0, 0, 8, 5], pool(5, 3), include=["options"])
        assert taken(ruling) == [{"actor": {"keepDice": [0, 1, 3]}}, {"actor": {"keepDice": [0, 1, 2]}}]

    @pytest.mark.parametrize("actor", [npc(3, 2), pool(2, 2)])
    def test_no_option_without_a_choice(self, actor: dict[str, Any]) -> None:
        assert play("check", actor=actor, targetNumber=5, include=["options"])["options"] == []

    def test_keep_dice_is_cleared_for_the_next_request(self) -> None:
        assert check([1, 2, 3], pool(3, 1, keepDice=[0], modifiers=["+0/0"]))["after"]["actor"] == pool(3, 1)


class TestModifiers:
    """darkpages.modifiers.notation, darkpages.modifiers.sum, darkpages.modifiers.floor"""

    @pytest.mark.parametrize(
        ("modifiers", "expected"),
        [
            (["+1/1"], "6k5"),
            (["-2/0"], "3k3"),
            (["+0/1"], "5k5"),
            (["-1/2"], "4k2"),
            (["-1/-1"], "4k3"),
            (["+1/+1"], "6k5"),
            (["−1/2"], "4k2"),
            (["−1/−1"], "4k3"),
            (["-0/0"], "5k4"),
            (["+2/0", "-1/-1"], "6k3"),
            (["-9/9", "+8/8"], "4k3"),
            (["+0/99"], "5k5"),
            (["-9/9"], "1k1"),
            (["–1/0"], "4k4"),
        ],
    )
    def test_one_sign_counts_for_both_numbers_and_all_are_added(self, modifiers: list[str], expected: str) -> None:
        ruling = play("check", actor=pool(5, 4, modifiers=modifiers), targetNumber=5)
        assert size(ruling) == expected
        assert values(ruling, "darkpages.modifiers.floor") == (["one"] if modifiers == ["-9/9"] else [])

    def test_sum_before_the_floor_is_reported(self) -> None:
        ruling = play("check", actor=pool(2, 2, modifiers=["-5/5", "+2/4"]), targetNumber=5)
        assert (values(ruling, "darkpages.modifiers.sum"), size(ruling)) == (["-1k1"], "1k1")

    def test_each_modifier_is_a_factor(self) -> None:
        ruling = check([3, 9, 1], pool(1, 1, modifiers=["+1/0", "+1/0"]), target=9, include=["factors"])
        assert [(factor["kind"], factor["name"], factor["value"], factor["verdict"]) for factor in ruling["factors"]] == [
            ("modifiers.0", "+1/0", "+1/0", "irrelevant"),
            ("modifiers.1", "+1/0", "+1/0", "irrelevant"),
        ]

    @pytest.mark.parametrize(
        ("modifier", "faces", "outcome", "total"),
        [
            ("-9/9", [], "failure", 0),
            ("-0/9", [0, 9], "failure", 0),
            ("-0/2", [0, 0], "dismalFailure", 0),
            ("-1/0", [9], "success", 9),
        ],
    )
    def test_floor_zero_allows_no_dice(self, modifier: str, faces: list[int], outcome: str, total: int) -> None:
        ruling = check(faces, pool(2, 2, modifiers=[modifier], archetype="Warrior"), target=1, floor="zero")
        assert (ruling["outcome"], ruling["total"], ruling["effects"]) == (outcome, total, [])
        assert (values(ruling, "darkpages.modifiers.floor") != []) is (modifier != "-1/0")
