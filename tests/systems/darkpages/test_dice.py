"""Dice: the faces, what is kept, who chooses, and the notation of modifiers."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.systems.darkpages.sheet import DarkpagesPool
from tests.systems.darkpages.playing import cites, kept, npc, nyx, play, points, pool, refused


def check(faces: list[int], actor: dict[str, Any], target: int = 15, **more: Any) -> dict[str, Any]:
    return play("check", {"actor": faces}, actor=actor, targetNumber=target, **more)


class TestFaces:
    """darkpages.dice.faces"""

    def test_a_nine_is_nine_and_a_zero_is_nothing(self) -> None:
        assert check([9, 0], pool(2, 2))["total"] == 9

    @pytest.mark.parametrize("face", [10, -1, 11])
    def test_no_other_face_is_accepted_nor_guessed(self, face: int) -> None:
        assert refused("check", {"actor": [9, face]}, actor=pool(2, 2), targetNumber=5) == ("darkpages.dice.faces", "/dice/0/faces/1")

    def test_neither_too_few_nor_too_many_nor_dice_of_another_roll(self) -> None:
        for faces, where in (({"actor": [1]}, "faces"), ({"actor": [1, 2, 3]}, "faces"), ({"opponent": [1, 2]}, "roll")):
            rule, pointer = refused("check", faces, actor=pool(2, 2), targetNumber=5)
            assert (rule, pointer) == ("darkpages.dice.faces", f"/dice/0/{where}")


class TestKeep:
    """darkpages.dice.keep"""

    def test_the_kept_are_totalled(self) -> None:
        ruling = check([9, 0, 4, 7], pool(4, 2))
        assert (ruling["total"], kept(ruling, "actor")) == (16, [9, 7])

    def test_keeping_more_than_are_rolled_keeps_them_all_and_leaves_the_sheet(self) -> None:
        ruling = check([5, 6], pool(2, 3))
        assert (ruling["total"], kept(ruling, "actor")) == (11, [5, 6])
        assert ruling["after"]["actor"]["pool"] == {"roll": 2, "keep": 3}

    @pytest.mark.parametrize(
        ("roll", "keep", "rule", "at"),
        [
            (0, 1, "darkpages.attributes", "roll"),
            (1, 0, "darkpages.dice.keep", "keep"),
            (1, -2, "darkpages.dice.keep", "keep"),
            (1, 0.0, "darkpages.dice.keep", "keep"),
            (41, 1, None, "roll"),
            (1, 41, None, "keep"),
            (True, 1, None, "roll"),
            (1, False, None, "keep"),
            (1, "0", None, "keep"),
        ],
    )
    def test_a_pool_is_one_to_forty_dice(self, roll: Any, keep: Any, rule: str | None, at: str) -> None:
        assert refused("check", actor={"pool": {"roll": roll, "keep": keep}}, targetNumber=5) == (rule, f"/actor/pool/{at}")
        sheet = nyx(attributes=nyx()["attributes"] | {"soul": {"roll": roll, "keep": keep}})
        assert refused("character", character=sheet) == (rule, f"/character/attributes/soul/{at}")

    def test_the_bounds_are_published(self) -> None:
        for field in ("roll", "keep"):
            published = DarkpagesPool.model_json_schema()["properties"][field]
            assert (published["type"], published["minimum"], published["maximum"]) == ("integer", 1, 40)

    @pytest.mark.parametrize("positions", [[0], [0, 1, 2], [0, 0], [0, 4], []])
    def test_exactly_as_many_different_dice_are_chosen_as_are_kept(self, positions: list[int]) -> None:
        rule, pointer = refused("check", actor=pool(4, 2, keepDice=positions), targetNumber=5)
        assert (rule, pointer) == ("darkpages.dice.keep", "/actor/keepDice")


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
    def test_the_four_ways(self, choice: dict[str, Any], expected: list[int]) -> None:
        ruling = check([9, 0, 0, 8, 5], pool(5, 3, archetype="Warrior") | choice)
        assert kept(ruling, "actor") == expected
        assert points(ruling) == ({"Warrior": expected.count(0)} if 0 in expected else {})

    def test_what_the_listed_dice_go_before_is_said(self) -> None:
        for keep, said in (("mostZeros", ", whatever mostZeros would keep"), ("highest", "")):
            ruling = check([9, 0, 0], pool(3, 1, keep=keep, keepDice=[1]))
            assert [step["text"] for step in ruling["steps"] if step["rule"] == "darkpages.dice.choice"] == [
                f"actor: the player keeps these very dice{said}"
            ]

    def test_of_two_who_would_wait_for_each_other_one_does_not(self) -> None:
        eager = pool(3, 2, keep="mostZerosThatSucceed")
        ruling = play("check", {"actor": [9, 5, 0], "opponent": [4, 3, 0]}, actor=eager, opponent=eager)
        assert (kept(ruling, "actor"), kept(ruling, "opponent")) == ([9, 0], [4, 3])
        assert cites(ruling, "darkpages.dice.choice") == ["highest", "mostZerosThatSucceed"]

    def test_whoever_has_no_choice_keeps_nobody_waiting(self) -> None:
        actor, eager = pool(2, 2, keep="mostZerosThatSucceed"), pool(3, 2, keep="mostZerosThatSucceed")
        ruling = play("check", {"actor": [3, 0], "opponent": [4, 3, 0]}, actor=actor, opponent=eager)
        assert (kept(ruling, "actor"), kept(ruling, "opponent")) == ([3, 0], [4, 0])

    def test_where_nothing_succeeds_the_highest_are_kept(self) -> None:
        assert kept(check([1, 0, 2], pool(3, 2, keep="mostZerosThatSucceed")), "actor") == [1, 2]

    @pytest.mark.parametrize("choice", [{"keep": "mostZeros"}, {"keepDice": [0, 1]}])
    def test_the_game_master_keeps_the_highest(self, choice: dict[str, Any]) -> None:
        field = next(iter(choice))
        assert refused("check", actor=npc(3, 2) | choice, targetNumber=5) == ("darkpages.dice.choice", f"/actor/{field}")
        assert refused("check", actor={"character": nyx(npc=True), "attribute": "mind"} | choice, targetNumber=5)[1] == f"/actor/{field}"

    def test_every_choice_worth_having_is_an_option_on_the_same_dice(self) -> None:
        ruling = play("check", {"actor": [9, 0, 0, 8, 5]}, actor=pool(5, 3, archetype="Warrior"), targetNumber=15, include=["options"])
        assert [(one["text"], one["then"]) for one in ruling["options"]] == [
            ("actor keeps 1 zero: total 17, 1 Training Point for each Warrior", "success"),
            ("actor keeps 2 zeros: total 9, 2 Training Points for each Warrior", "failure"),
        ]
        assert [one["request"] for one in ruling["options"]] == [{"actor": {"keepDice": [0, 1, 3]}}, {"actor": {"keepDice": [0, 1, 2]}}]

    def test_without_a_choice_there_is_no_option(self) -> None:
        for actor in (npc(3, 2), pool(2, 2)):
            assert play("check", actor=actor, targetNumber=5, include=["options"])["options"] == []

    def test_the_dice_chosen_are_chosen_for_this_roll_alone(self) -> None:
        assert check([1, 2, 3], pool(3, 1, keepDice=[0]))["after"]["actor"]["keepDice"] is None


class TestNotation:
    """darkpages.modifiers.notation"""

    @pytest.mark.parametrize(
        ("modifier", "dice"),
        [
            ("+1/1", (6, 5)),
            ("-2/0", (3, 4)),
            ("+0/1", (5, 5)),
            ("-1/2", (4, 2)),
            ("-1/-1", (4, 3)),
            ("+1/+1", (6, 5)),
            ("−1/2", (4, 2)),
            ("−1/−1", (4, 3)),
            ("-0/0", (5, 4)),
        ],
    )
    def test_one_sign_speaks_for_both_numbers(self, modifier: str, dice: tuple[int, int]) -> None:
        ruling = play("check", actor=pool(5, 4, modifiers=[modifier]), targetNumber=5)
        assert (len(ruling["rolls"][0]["dice"]), len(kept(ruling, "actor"))) == (dice[0], min(dice))

    @pytest.mark.parametrize(
        "modifier", ["1/1", "+1/-1", "-1/+1", "+1", "+1/", "/1", "+-1/1", "+1/1/1", "", "+ 1/1", "+1/1 ", "+100/1", "+\uff11/1"]
    )
    def test_unsigned_mixed_or_malformed_is_refused(self, modifier: str) -> None:
        assert refused("check", actor=pool(5, 4, modifiers=["+1/0", modifier]), targetNumber=5) == (
            "darkpages.modifiers.notation",
            "/actor/modifiers/1",
        )


class TestSum:
    """darkpages.modifiers.sum"""

    def test_each_is_valid_by_itself_and_the_sum_may_be_mixed(self) -> None:
        ruling = play("check", actor=pool(3, 3, modifiers=["+2/0", "-1/-1"]), targetNumber=5)
        assert cites(ruling, "darkpages.modifiers.sum") == ["4k2"]

    def test_all_are_added_before_the_floor(self) -> None:
        ruling = play("check", actor=pool(2, 2, modifiers=["-5/5", "+4/4"]), targetNumber=5)
        assert cites(ruling, "darkpages.modifiers.sum") == ["1k1"]
        assert cites(ruling, "darkpages.modifiers.floor") == []

    def test_a_pool_has_sixty_dice_at_most_and_may_keep_any_number(self) -> None:
        assert refused("check", actor=pool(40, 2, modifiers=["+21/0"]), targetNumber=5) == ("darkpages.modifiers.sum", "/actor")
        assert len(kept(play("check", actor=pool(2, 40, modifiers=["+0/99"]), targetNumber=5), "actor")) == 2

    def test_each_modifier_says_what_it_mattered(self) -> None:
        ruling = play("check", {"actor": [3, 9, 1]}, actor=pool(1, 1, modifiers=["+1/0", "+1/0"]), targetNumber=9, include=["factors"])
        assert [(one["kind"], one["name"], one["value"], one["verdict"]) for one in ruling["factors"]] == [
            ("modifiers.0", "+1/0", "+1/0", "irrelevant"),
            ("modifiers.1", "+1/0", "+1/0", "irrelevant"),
        ]


class TestFloor:
    """darkpages.modifiers.floor"""

    def test_one_die_is_left_to_roll_and_to_keep(self) -> None:
        ruling = check([7], pool(2, 2, modifiers=["-9/9"]), target=7)
        assert (ruling["outcome"], cites(ruling, "darkpages.modifiers.floor")) == ("success", ["one"])

    @pytest.mark.parametrize(("modifier", "faces"), [("-9/9", []), ("-0/9", [0, 9]), ("-0/2", [0, 0])])
    def test_at_zero_nothing_is_kept_and_it_fails_without_a_name(self, modifier: str, faces: list[int]) -> None:
        ruling = check(faces, pool(2, 2, modifiers=[modifier], archetype="Warrior"), target=1, floor="zero")
        expected = "dismalFailure" if faces == [0, 0] else "failure"
        assert (ruling["outcome"], ruling["total"], ruling["succeeded"], ruling["effects"]) == (expected, 0, False, [])

    def test_at_zero_a_pool_that_is_left_rolls_as_ever(self) -> None:
        ruling = check([9], pool(2, 2, modifiers=["-1/0"]), target=9, floor="zero")
        assert (ruling["outcome"], cites(ruling, "darkpages.modifiers.floor")) == ("success", ["zero"])
