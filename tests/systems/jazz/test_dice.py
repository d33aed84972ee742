"""Dice: how many, re-rolled or not, and what they are measured against."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    ROOK,
    ask,
    bewitching,
    chances,
    driving,
    factors,
    hurt,
    play,
    refused,
    rolled,
    rook,
    said,
    value,
    values,
)


class TestRoll:
    """jazz.dice.roll"""

    def test_two_dice_and_the_bonus(self) -> None:
        ruling = play("check", {"actor": [5, 3]}, actor=driving(), difficulty=10)
        assert (ruling["outcome"], ruling["total"], ruling["margin"]) == ("success", 12, 2)
        assert said(ruling, "jazz.dice.roll") == ["Rook: 2d6 + 4 = 12"]
        assert ruling["summary"] == "Rook: 5 + 3 + 4 = 12 against 10: success by 2"
        assert ruling["rolls"][0]["name"] == "Rook"

    def test_without_a_bonus_the_line_has_none(self) -> None:
        ruling = play("check", {"actor": [5, 5]}, actor={"bonus": 0}, difficulty=10)
        assert ruling["summary"] == "actor: 5 + 5 = 10 against 10: success"

    @pytest.mark.parametrize("faces", [[5], [5, 3, 1], [0, 3], [5, 7]])
    def test_refuses_other_dice(self, faces: list[int]) -> None:
        rule, pointer = refused("check", {"actor": faces}, actor=driving(), difficulty=10)
        assert rule == "jazz.dice.roll"
        assert pointer.startswith("/dice/0/faces")


class TestAdvantage:
    """jazz.dice.advantage"""

    def test_three_dice_all_summed(self) -> None:
        ruling = play("check", {"actor": [5, 5, 4]}, actor={"bonus": 0, "advantage": True}, difficulty=14, include=["factors"])
        assert (ruling["outcome"], ruling["total"]) == ("success", 14)
        assert said(ruling, "jazz.dice.advantage") == ["actor: the situation gives an advantage", "actor: one extra die, 3d6"]
        assert values(ruling, "jazz.dice.advantage") == [None, 3]
        assert said(ruling, "jazz.dice.single") == []
        assert (factors(ruling), ruling["factors"][0]["without"]["total"]) == ({"actor.advantage": "necessary"}, 10)
        assert ruling["factors"][0]["value"] is True


class TestDisadvantage:
    """jazz.dice.disadvantage"""

    def test_one_die(self) -> None:
        ruling = play("check", {"actor": [6]}, actor={"bonus": 4, "disadvantage": True}, difficulty=10)
        assert (ruling["outcome"], ruling["total"]) == ("success", 10)
        assert said(ruling, "jazz.dice.disadvantage") == ["actor: the situation gives a disadvantage", "actor: one die less, 1d6"]
        assert values(ruling, "jazz.dice.disadvantage") == [None, 1]
        assert said(ruling, "jazz.dice.single") == []


class TestSingle:
    """jazz.dice.single"""

    def test_several_of_a_kind_count_as_one(self) -> None:
        ruling = play("check", {"actor": [1, 1, 1]}, actor={"advantage": True, "gear": {"advantage": True}}, difficulty=3)
        assert ruling["total"] == 3
        assert said(ruling, "jazz.dice.single") == ["actor: 2 sources of advantage count as one"]
        ruling = play("check", {"actor": [1]}, actor={"disadvantage": True, "withoutEquipment": True}, difficulty=3)
        assert ruling["total"] == 1
        assert said(ruling, "jazz.dice.single") == ["actor: 2 sources of disadvantage count as one"]
        assert value(ruling, "jazz.dice.single") == 1

    def test_one_of_two_is_irrelevant(self) -> None:
        actor = {"advantage": True, "gear": {"advantage": True}}
        ruling = play("check", {"actor": [1, 1, 1]}, actor=actor, difficulty=3, include=["factors"])
        assert factors(ruling) == {"actor.advantage": "irrelevant", "actor.gear": "irrelevant"}


class TestCancel:
    """jazz.dice.cancel"""

    @pytest.mark.parametrize("gear", [None, {"advantage": True}])
    def test_one_disadvantage_undoes_any_number_of_advantages(self, gear: dict[str, Any] | None) -> None:
        actor = {"bonus": 1, "advantage": True, "disadvantage": True, "gear": gear}
        ruling = play("check", {"actor": [3, 3]}, actor=actor, difficulty=8)
        assert (ruling["outcome"], ruling["total"]) == ("failure", 7)
        assert said(ruling, "jazz.dice.cancel") == ["actor: advantage and disadvantage cancel, 2d6"]
        assert value(ruling, "jazz.dice.cancel") == 2


class TestReroll:
    """jazz.dice.reroll"""

    def test_once_and_the_second_result_stands(self) -> None:
        ruling = play("check", {"actor": [1, 4, 1]}, actor={"gear": {"reroll": [1]}}, difficulty=6)
        assert (ruling["outcome"], ruling["total"]) == ("failure", 5)
        assert ruling["rolls"][0]["dice"][0] == {"sides": 6, "face": 1, "kept": True, "replaced": [1]}
        assert value(ruling, "jazz.dice.reroll") == "once"

    def test_until_clear(self) -> None:
        ruling = play("check", {"actor": [6, 2, 6, 6, 3]}, actor={"gear": {"reroll": [6], "until": "clear"}}, difficulty=6)
        assert ruling["rolls"][0]["dice"][0] == {"sides": 6, "face": 3, "kept": True, "replaced": [6, 6, 6]}
        assert value(ruling, "jazz.dice.reroll") == "clear"
        assert said(ruling, "jazz.dice.reroll") == ["actor: dice that show 6 are rolled again, until none does (option until)"]

    def test_the_advantage_die_too(self) -> None:
        actor = {"advantage": True, "gear": {"reroll": [1, 1]}}
        ruling = play("check", {"actor": [2, 2, 1, 6]}, actor=actor, difficulty=10, include=["factors"])
        assert (ruling["total"], factors(ruling)["actor.reroll"]) == (10, "necessary")
        assert said(ruling, "jazz.dice.reroll") == ["actor: dice that show 1 are rolled again, once"]
        ruling = play("check", {"actor": [3, 4]}, actor={"gear": {"reroll": [2, 1]}}, difficulty=6)
        assert said(ruling, "jazz.dice.reroll") == ["actor: dice that show 1 or 2 are rolled again, once"]

    def test_until_clear_of_nothing_is_said(self) -> None:
        ruling = play("check", {"actor": [1, 1]}, actor={"gear": {"until": "clear"}}, difficulty=6)
        assert said(ruling, "jazz.dice.reroll") == ["actor: no faces are named, so nothing is rolled again (option until)"]
        assert said(play("check", actor={"gear": {}}, difficulty=6), "jazz.dice.reroll") == []

    def test_refuses_what_would_never_end(self) -> None:
        gear = {"reroll": [1, 2, 3, 4, 5, 6], "until": "clear"}
        assert refused("check", actor={"gear": gear}, difficulty=8) == ("jazz.dice.reroll", "/actor/gear/reroll")
        assert play("check", actor={"gear": {**gear, "until": "once"}}, difficulty=8)["rolls"]
        assert play("check", actor={"gear": {**gear, "reroll": [1, 2, 3, 4, 5]}}, difficulty=8)["total"] == 12


class TestSuccess:
    """jazz.check.success"""

    @pytest.mark.parametrize(
        ("difficulty", "outcome", "text"),
        [(10, "success", "10 reaches 10"), (11, "failure", "10 falls short of 11"), (-5, "success", "10 reaches -5")],
    )
    def test_reaching_the_difficulty_succeeds(self, difficulty: int, outcome: str, text: str) -> None:
        ruling = play("check", {"actor": [4, 4]}, actor={"bonus": 2}, difficulty=difficulty)
        assert (ruling["outcome"], ruling["succeeded"]) == (outcome, outcome == "success")
        assert said(ruling, "jazz.check.success") == [text]

    def test_measured_against_exactly_one_thing(self) -> None:
        assert refused("check", actor={"bonus": 2}) == ("jazz.check.success", "")
        assert refused("check", actor={"bonus": 2}, difficulty=8, level="easy") == ("jazz.check.success", "")
        assert refused("check", actor={"bonus": 2}, difficulty=8, opponent={"bonus": 1}) == ("jazz.check.success", "")
        assert refused("teamwork", members=[{"bonus": 2}]) == ("jazz.check.success", "")

    def test_a_difficulty_of_zero_is_one(self) -> None:
        assert play("check", actor={"bonus": 2}, difficulty=0)["target"] == 0

    def test_odds(self) -> None:
        assert chances("check", actor={"bonus": 2}, difficulty=10) == {"success": "5/12", "failure": "7/12"}
        assert chances("check", {"actor": [4, 4]}, actor={"bonus": 2}, difficulty=10) == {"success": "1"}


class TestContest:
    """jazz.check.contest"""

    def test_the_higher_total(self) -> None:
        ruling = play("check", {"actor": [4, 4], "opponent": [3, 3]}, actor={"bonus": 2}, opponent={"bonus": 3})
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("success", 10, 9)
        assert said(ruling, "jazz.check.contest") == ["10 against 9"]
        assert rolled(ruling) == ["actor", "opponent"]
        ruling = play("check", {"actor": [4, 3], "opponent": [4, 4]}, actor={"bonus": 2}, opponent={"bonus": 3})
        assert (ruling["outcome"], ruling["succeeded"]) == ("failure", False)

    @pytest.mark.parametrize(
        ("ties", "outcome", "succeeded"), [("actor", "success", True), ("opponent", "failure", False), ("stalemate", "stalemate", None)]
    )
    def test_who_has_a_tie_is_an_option(self, ties: str, outcome: str, succeeded: bool | None) -> None:
        ruling = play("check", {"actor": [4, 4], "opponent": [4, 3]}, actor={"bonus": 2}, opponent={"bonus": 3}, ties=ties)
        assert (ruling["outcome"], ruling["succeeded"], ruling["margin"]) == (outcome, succeeded, 0)
        assert value(ruling, "jazz.check.contest") == ties
        assert said(ruling, "jazz.check.contest") == [f"a tie at 10: {'nobody' if ties == 'stalemate' else ties} has it (option ties)"]

    def test_an_option_that_did_not_apply_is_said(self) -> None:
        ruling = play("check", {"actor": [4, 4], "opponent": [3, 3]}, actor={"bonus": 2}, opponent={"bonus": 3}, ties="opponent")
        assert said(ruling, "jazz.check.contest") == ["10 against 9, so there is no tie to decide (option ties)"]

    def test_without_an_opponent_there_is_no_tie(self) -> None:
        unopposed = ["nobody opposes, so there is no tie to decide (option ties)"]
        for target in ({"difficulty": 8}, {"level": "easy"}, {"effect": "animal.command"}):
            assert said(play("check", actor={}, ties="stalemate", **target), "jazz.check.contest") == unopposed
            assert said(play("check", actor={}, **target), "jazz.check.contest") == []
        assert said(play("teamwork", members=[{}], difficulty=8, ties="opponent"), "jazz.check.contest") == unopposed
        assert said(play("teamwork", members=[{}], difficulty=8), "jazz.check.contest") == []

    def test_whoever_is_out_opposes_nobody(self) -> None:
        assert refused("check", actor={"bonus": 1}, opponent=driving(hurt(0))) == ("jazz.conflict.out", "/opponent/character")

    def test_odds(self) -> None:
        assert chances("check", actor={}, opponent={}, ties="stalemate") == {
            "success": "575/1296",
            "failure": "575/1296",
            "stalemate": "73/648",
        }


class TestRoutine:
    """jazz.check.routine"""

    def test_no_roll(self) -> None:
        ruling = play("check", actor={"bonus": 0}, difficulty=16, stakes="routine")
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"], ruling["target"], ruling["total"]) == (
            "automatic",
            True,
            [],
            16,
            None,
        )
        assert said(ruling, "jazz.check.routine") == ["actor: a routine task succeeds without a roll"]
        assert said(ruling, "jazz.check.stakes") == said(ruling, "jazz.check.contest") == []
        assert ruling["summary"] == "actor: automatic, no roll"
        assert chances("check", actor={"bonus": 0}, difficulty=16, stakes="routine") == {"automatic": "1"}

    @pytest.mark.parametrize("stakes", ["routine", "none"])
    def test_measured_against_nothing_or_one_thing(self, stakes: str) -> None:
        ruling = play("check", actor={"bonus": 0}, stakes=stakes)
        assert (ruling["outcome"], ruling["target"], ruling["rolls"]) == ("automatic", None, [])
        assert ruling["summary"] == "actor: automatic, no roll"
        assert chances("check", actor={"bonus": 0}, stakes=stakes) == {"automatic": "1"}
        assert refused("check", actor={"bonus": 0}, stakes=stakes, difficulty=8, level="easy") == ("jazz.check.success", "")
        assert refused("check", actor={"bonus": 0}, stakes="something") == ("jazz.check.success", "")
        barred = play("check", actor={"bonus": 0}, stakes=stakes, specialistOnly=True)
        assert (barred["outcome"], barred["target"]) == ("impossible", None)

    def test_harder_than_nothing(self) -> None:
        ruling = play("check", actor={"bonus": 0}, stakes="routine", difficultyIncrease=2)
        assert said(ruling, "jazz.aspects.missing") == ["actor: no roll, and no number to be harder by 2"]

    def test_against_somebody_there_is_no_target(self) -> None:
        assert play("check", actor={"bonus": 0}, opponent={"bonus": 9}, stakes="routine")["target"] is None

    def test_dice_for_a_roll_that_never_happens_are_refused(self) -> None:
        assert refused("check", {"actor": [1, 2]}, actor={"bonus": 0}, difficulty=16, stakes="routine") == (
            "jazz.dice.roll",
            "/dice/0/roll",
        )


class TestStakes:
    """jazz.check.stakes"""

    def test_nothing_to_lose_no_roll(self) -> None:
        ruling = play("check", actor={"bonus": 0}, level="nighImpossible", stakes="none")
        assert (ruling["outcome"], ruling["rolls"], ruling["target"]) == ("automatic", [], 16)
        assert said(ruling, "jazz.check.stakes") == ["actor: nothing to lose and no hurry, so no roll"]
        assert said(ruling, "jazz.check.routine") == []

    def test_what_would_go_into_a_roll_is_kept(self) -> None:
        ruling = play("check", actor=driving(rook(karma="positive"), spend="karma"), difficulty=8, stakes="none")
        assert (ruling["effects"], said(ruling, "jazz.karma.positive")) == ([], ["Rook: no roll, so the die is kept"])
        ruling = play("check", actor=driving(rook(heldAdvantage=True), spend="heldAdvantage"), difficulty=8, stakes="none")
        assert (ruling["effects"], said(ruling, "jazz.complication.die")) == ([], ["Rook: no roll, so the die is kept"])
        ruling = play("check", actor=driving(rook(karma="negative"), imposeKarma=True), difficulty=8, stakes="none")
        assert (ruling["effects"], said(ruling, "jazz.karma.negative")) == ([], ["Rook: no roll, so nothing is imposed"])
        assert ruling["after"]["actor"]["imposeKarma"] is False
        ruling = play("check", actor=driving(), difficulty=8, stakes="none", rescue=True)
        assert said(ruling, "jazz.karma.rescue") == ["Rook: no roll, so nothing to rescue"]

    def test_of_whoever_opposes_too(self) -> None:
        opponent = bewitching(rook(heldAdvantage=True), spend="heldAdvantage")
        ruling = play("check", actor={}, opponent=opponent, stakes="none")
        assert (ruling["outcome"], ruling["effects"]) == ("automatic", [])
        assert said(ruling, "jazz.complication.die") == ["Rook: no roll, so the die is kept"]
        assert said(ruling, "jazz.weird.spend") == ["Rook: no roll, so no weird is spent"]

    @pytest.mark.parametrize(("request_", "outcome"), [({"stakes": "routine"}, "automatic"), ({"specialistOnly": True}, "impossible")])
    @pytest.mark.parametrize(
        ("roller", "rule", "text"),
        [
            ({"advantage": True}, "jazz.dice.advantage", "the situation gives no die"),
            ({"gear": {"advantage": True}}, "jazz.equipment.unusual", "the gear gives no die"),
            ({"disadvantage": True}, "jazz.dice.disadvantage", "the situation takes no die"),
            ({"withoutEquipment": True}, "jazz.equipment.lost", "the missing equipment takes no die"),
            ({"gear": {"reroll": [1]}}, "jazz.dice.reroll", "nothing is rolled again"),
            ({"gear": {"until": "clear"}}, "jazz.dice.reroll", "nothing is rolled again"),
            ({"universal": True}, "jazz.aspects.universal", "there is no bonus to be at least 1"),
        ],
    )
    def test_what_was_asked_for_and_did_not_apply(
        self, roller: dict[str, Any], rule: str, text: str, request_: dict[str, Any], outcome: str
    ) -> None:
        for place in ("actor", "opponent"):
            ruling = play("check", **{"actor": {}, "opponent": {}, place: roller}, **request_)
            assert (ruling["outcome"], said(ruling, rule)) == (outcome, [f"{place}: no roll, so {text}"])
        assert said(play("check", actor={"gear": {}}, difficulty=8, stakes="none"), rule) == []

    def test_an_extraordinary_use_costs_its_weird_and_heals(self) -> None:
        subject = {**ROOK, "health": {"current": 0, "max": 4}, "out": True}
        ruling = play("check", actor=bewitching(), effect="restoreHealth.one", subject=subject, stakes="none")
        assert ruling["after"]["actor"]["character"]["weird"]["current"] == 1
        assert ruling["after"]["subject"]["health"]["current"] == 1


class TestTable:
    """jazz.difficulty.table"""

    @pytest.mark.parametrize(
        ("level", "difficulty"),
        [("easy", 8), ("challenging", 10), ("demanding", 12), ("frustrating", 14), ("nigh-impossible", 16), ("nighImpossible", 16)],
    )
    def test_the_levels(self, level: str, difficulty: int) -> None:
        ruling = play("check", actor={"bonus": 2}, level=level)
        assert (ruling["target"], value(ruling, "jazz.difficulty.table")) == (difficulty, difficulty)
        assert said(ruling, "jazz.difficulty.table") == [f"{level} is difficulty {difficulty}"]

    def test_refuses_a_level_there_is_not(self) -> None:
        assert refused("check", actor={"bonus": 2}, level="trivial")[1] == "/level"


class TestWeirdTable:
    """jazz.difficulty.weird"""

    def test_a_row_gives_the_difficulty(self) -> None:
        ruling = play("check", actor=bewitching(), effect="teleport.group.otherWorld")
        assert (ruling["target"], value(ruling, "jazz.difficulty.weird")) == (16, 16)
        assert said(ruling, "jazz.difficulty.weird") == ["teleport.group.otherWorld is difficulty 16"]

    def test_refuses_a_row_there_is_not(self) -> None:
        assert refused("check", actor=bewitching(), effect="teleport.everybody") == ("jazz.difficulty.weird", "/effect")


def test_the_odds_say_what_is_expected_of_the_sheet() -> None:
    odds = ask("check", actor=bewitching(), difficulty=9, spendOn="success")
    assert odds["expected"] == {"actor.weird": pytest.approx(-21 / 36)}
