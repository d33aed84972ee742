"""Karma, complications, gear: dice for later, and how they work together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import ROOK, ask, chances, driving, effects, factors, play, refused, rolled, rook, said, value, values

LUCKY, UNLUCKY = rook(karma="positive"), rook(karma="negative")


class TestPositive:
    """jazz.karma.positive"""

    def test_an_advantage_die_and_it_is_spent(self) -> None:
        ruling = play("check", {"actor": [1, 1, 2]}, actor=driving(LUCKY, spend="karma"), difficulty=8, include=["factors"])
        assert (ruling["outcome"], effects(ruling)) == ("success", [("actor.karma", "positive", "neutral")])
        assert (ruling["after"]["actor"]["character"]["karma"], ruling["after"]["actor"]["spend"]) == ("neutral", None)
        assert ruling["effects"][0]["change"] == -1
        assert factors(ruling)["actor.karma"] == "necessary"
        assert said(ruling, "jazz.karma.positive") == ["Rook: positive karma is spent on an advantage die"]

    def test_refused_and_kept_where_it_would_be_wasted(self) -> None:
        for more in ({"advantage": True}, {"gear": {"advantage": True}}):
            actor = driving(LUCKY, spend="karma", **more)
            assert refused("check", actor=actor, difficulty=8) == ("jazz.karma.positive", "/actor/spend")
        cursed = driving(LUCKY, spend="karma", disadvantage=True)
        assert play("check", {"actor": [1, 3]}, actor=cursed, difficulty=8)["outcome"] == "success"
        assert play("check", actor=driving(LUCKY, spend="karma", gear={"reroll": [1]}), difficulty=8)["effects"]

    def test_refused_where_there_is_none(self) -> None:
        assert refused("check", actor=driving(ROOK, spend="karma"), difficulty=8) == ("jazz.karma.positive", "/actor/spend")
        assert refused("check", actor=driving(UNLUCKY, spend="karma"), difficulty=8) == ("jazz.karma.positive", "/actor/spend")
        assert refused("check", actor={"bonus": 1, "spend": "karma"}, difficulty=8) == ("jazz.karma.positive", "/actor/spend")

    def test_what_might_have_been_declared_is_offered_after_a_failure(self) -> None:
        request = {"difficulty": 12, "seed": 2, "include": ["options"]}
        ruling = play("check", {}, actor=driving(LUCKY), **request)
        assert ruling["outcome"] == "failure"
        assert [option["choice"] for option in ruling["options"]] == ["rescue", "spendKarma"]
        assert ruling["options"][1] == {
            "choice": "spendKarma",
            "text": "Rook: positive karma on this roll; it has to be declared before the dice are read",
            "request": {"actor": {"spend": "karma"}},
            "then": play("check", actor=driving(LUCKY, spend="karma"), **request)["outcome"],
        }
        both = play("check", actor=driving(rook(karma="positive", heldAdvantage=True), disadvantage=True), **request)
        assert [option["choice"] for option in both["options"]] == ["rescue", "spendKarma", "spendHeldAdvantage"]
        assert both["options"][2]["request"] == {"actor": {"spend": "heldAdvantage"}}
        assert both["options"][2]["text"] == (
            "Rook: the die a complication earned on this roll; it has to be declared before the dice are read"
        )

    @pytest.mark.parametrize(
        "more",
        [
            {"actor": driving(LUCKY), "difficulty": 2},
            {"actor": driving(LUCKY), "rescue": True},
            {"actor": driving(LUCKY, advantage=True)},
            {"actor": driving(LUCKY, gear={"advantage": True})},
            {"actor": driving(rook(karma="positive", heldAdvantage=True), spend="karma")},
            {"actor": driving(UNLUCKY)},
            {"actor": driving(LUCKY), "specialistOnly": True, "stakes": "none"},
        ],
    )
    def test_and_not_where_it_could_not_be(self, more: dict[str, Any]) -> None:
        assert play("check", **{"difficulty": 30, "include": ["options"], **more})["options"] == []

    def test_dice_on_the_table_leave_only_what_they_suffice_for(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor=driving(LUCKY), difficulty=12, include=["options"])
        assert [option["choice"] for option in ruling["options"]] == ["rescue"]

    def test_granted(self) -> None:
        ruling = play("karma", character=ROOK, grant="positive")
        assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("granted", None, [("character.karma", "neutral", "positive")])
        assert (ruling["rolls"], ruling["effects"][0]["change"]) == ([], 1)
        assert value(ruling, "jazz.karma.positive") == "positive"
        assert ruling["summary"] == "Rook: positive karma granted, karma is positive"
        assert chances("karma", character=ROOK, grant="positive") == {"granted": "1"}


class TestRescue:
    """jazz.karma.rescue"""

    REQUEST = {"actor": driving(), "difficulty": 12, "rescue": True}

    def test_one_more_die_and_success_turns_karma(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [2]}, **self.REQUEST)
        assert (ruling["outcome"], ruling["total"], rolled(ruling)) == ("success", 12, ["actor", "actor.rescue"])
        assert effects(ruling) == [("actor.karma", "neutral", "negative")]
        assert said(ruling, "jazz.karma.rescue") == [
            "Rook: the game master grants one more die, 2",
            "Rook: rescued, so karma turns negative",
        ]
        assert values(ruling, "jazz.karma.rescue") == [None, "negative"]
        assert said(ruling, "jazz.check.success") == ["10 falls short of 12", "12 reaches 12"]
        assert ruling["summary"] == "Rook: 3 + 3 + 4 + 2 = 12 against 12: success"

    def test_a_rescue_that_fails_costs_nothing(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [1]}, **self.REQUEST)
        assert (ruling["outcome"], ruling["effects"]) == ("failure", [])

    def test_none_needed(self) -> None:
        ruling = play("check", {"actor": [4, 4]}, **self.REQUEST)
        assert (ruling["outcome"], rolled(ruling), ruling["effects"]) == ("success", ["actor"], [])
        assert said(ruling, "jazz.karma.rescue") == ["Rook: no rescue was needed"]

    def test_a_stalemate_is_no_failure(self) -> None:
        ruling = play("check", {"actor": [3, 3], "opponent": [5, 5]}, actor=driving(), opponent={}, ties="stalemate", rescue=True)
        assert (ruling["outcome"], rolled(ruling)) == ("stalemate", ["actor", "opponent"])

    def test_positive_karma_is_cancelled_by_it(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [2]}, **{**self.REQUEST, "actor": driving(LUCKY)})
        assert effects(ruling) == [("actor.karma", "positive", "neutral")]
        assert said(ruling, "jazz.karma.neutral") == ["Rook: rescued, so karma turns neutral"]
        assert value(ruling, "jazz.karma.neutral") == "neutral"

    def test_the_second_die_undoes_a_disadvantage(self) -> None:
        ruling = play("check", {"actor": [4], "actor.rescue": [4]}, **{**self.REQUEST, "actor": driving(disadvantage=True)})
        assert (ruling["outcome"], ruling["total"]) == ("success", 12)
        assert said(ruling, "jazz.dice.cancel") == ["Rook: with it the disadvantage is cancelled, 2d6"]

    def test_it_is_one_of_the_things_that_mattered(self) -> None:
        for die, verdict in ((2, "necessary"), (1, "helpful")):
            ruling = play("check", {"actor": [3, 3], "actor.rescue": [die]}, **self.REQUEST, include=["factors"])
            assert factors(ruling)["actor.rescue"] == verdict
            without = next(factor["without"] for factor in ruling["factors"] if factor["kind"] == "rescue")
            assert without == {"outcome": "failure", "total": 10, "margin": -2}
        unneeded = play("check", {"actor": [4, 4]}, **self.REQUEST, include=["factors"])
        assert "actor.rescue" not in factors(unneeded)

    def test_gear_rolls_the_extra_die_again(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [1, 5]}, **{**self.REQUEST, "actor": driving(gear={"reroll": [1]})})
        assert (ruling["total"], ruling["rolls"][1]["dice"][0]["replaced"]) == (15, [1])
        until_clear = driving(gear={"reroll": [1], "until": "clear"})
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [1, 1, 5]}, **{**self.REQUEST, "actor": until_clear})
        assert (ruling["total"], ruling["rolls"][1]["dice"][0]["replaced"]) == (15, [1, 1])

    @pytest.mark.parametrize(("more", "faces", "total"), [({}, [2, 3, 4], 13), ({"disadvantage": True}, [2, 3], 9)])
    def test_or_the_whole_roll_again_with_the_advantage(self, more: dict[str, Any], faces: list[int], total: int) -> None:
        dice = {"actor": [3, 3] if not more else [3], "actor.rescue": faces}
        ruling = play("check", dice, **{**self.REQUEST, "actor": driving(**more), "rescueBy": "rollAgain"})
        assert ruling["total"] == total
        assert said(ruling, "jazz.karma.rescue")[0] == "Rook: the game master grants a new roll with the advantage (option rescueBy)"
        assert values(ruling, "jazz.karma.rescue")[0] == "rollAgain"
        assert said(ruling, "jazz.dice.cancel") == (["Rook: advantage and disadvantage cancel, 2d6"] if more else [])
        assert said(ruling, "jazz.dice.advantage") == ([] if more else ["Rook: one extra die, 3d6"])
        assert ruling["summary"].startswith("Rook: " + " + ".join(map(str, faces)) + f" + 4 = {total} against 12")

    def test_how_is_idle_where_there_is_none(self) -> None:
        request = {**self.REQUEST, "rescue": False}
        for more in ({}, {"stakes": "none"}, {"specialistOnly": True}):
            ruling = play("check", **request, **more, rescueBy="rollAgain")
            assert said(ruling, "jazz.karma.rescue") == ["Rook: no rescue is granted, so there is no choice of how (option rescueBy)"]
            assert said(play("check", **request, **more), "jazz.karma.rescue") == []

    def test_without_a_failure_the_line_shows_the_only_roll(self) -> None:
        ruling = play("check", {"actor": [4, 4]}, **self.REQUEST, rescueBy="rollAgain")
        assert said(ruling, "jazz.karma.rescue") == ["Rook: no rescue was needed (option rescueBy)"]
        assert ruling["summary"] == "Rook: 4 + 4 + 4 = 12 against 12: success"

    def test_against_the_same_opposing_total(self) -> None:
        dice = {"actor": [3, 3], "opponent": [6, 5], "actor.rescue": [1]}
        ruling = play("check", dice, actor=driving(), opponent={"bonus": 0}, rescue=True)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("success", 11, 11)
        assert said(ruling, "jazz.check.contest")[-1] == "a tie at 11: actor has it (option ties)"

    def test_without_a_sheet_karma_is_told_all_the_same(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [2]}, actor={"bonus": 4}, difficulty=12, rescue=True)
        assert [(effect["stat"], effect["to"], effect["change"]) for effect in ruling["effects"]] == [("karma", None, -1)]
        assert said(ruling, "jazz.karma.rescue")[1] == "actor: rescued, so karma moves one place towards negative"
        assert values(ruling, "jazz.karma.rescue") == [None, None]

    @pytest.mark.parametrize(
        "actor",
        [
            driving(advantage=True),
            driving(gear={"advantage": True}),
            driving(advantage=True, disadvantage=True),
            driving(LUCKY, spend="karma"),
            driving(UNLUCKY),
            driving(UNLUCKY, imposeKarma=True),
        ],
    )
    def test_refused_with_an_advantage_or_negative_karma(self, actor: dict[str, Any]) -> None:
        assert refused("check", actor=actor, difficulty=12, rescue=True) == ("jazz.karma.rescue", "/rescue")

    def test_offered_after_a_failure(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor=driving(), difficulty=12, seed=2, include=["options"])
        assert ruling["options"] == [
            {
                "choice": "rescue",
                "text": "the game master grants one more die; success then costs karma",
                "request": {"rescue": True},
                "then": "success",
            }
        ]
        for more in ({"rescue": True}, {"difficulty": 8}, {"actor": driving(advantage=True)}, {"actor": driving(UNLUCKY)}):
            request = {"actor": driving(), "difficulty": 30, **more}
            assert play("check", **request, include=["options"])["options"] == []

    def test_odds(self) -> None:
        assert chances("check", actor={"bonus": 0}, difficulty=12, rescue=True) == {"success": "3/8", "failure": "5/8"}
        again = chances("check", actor={"bonus": 0}, difficulty=12, rescue=True, rescueBy="rollAgain")
        assert again == {"success": "113/288", "failure": "175/288"}
        assert ask("check", actor={}, difficulty=12, rescue=True)["expected"] == {"actor.karma": pytest.approx(-75 / 216)}


class TestNegative:
    """jazz.karma.negative"""

    def test_a_disadvantage_die_and_it_is_used_up(self) -> None:
        ruling = play("check", {"actor": [3]}, actor=driving(UNLUCKY, imposeKarma=True), difficulty=8)
        assert (ruling["outcome"], effects(ruling)) == ("failure", [("actor.karma", "negative", "neutral")])
        assert (ruling["after"]["actor"]["imposeKarma"], ruling["effects"][0]["change"]) == (False, 1)
        assert said(ruling, "jazz.karma.negative") == ["Rook: negative karma is imposed and used up"]

    def test_used_up_even_when_an_advantage_cancels_it(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor=driving(UNLUCKY, imposeKarma=True, advantage=True), difficulty=8)
        assert (ruling["total"], effects(ruling)) == (10, [("actor.karma", "negative", "neutral")])

    def test_refused_where_there_is_none(self) -> None:
        assert refused("check", actor=driving(ROOK, imposeKarma=True), difficulty=8) == ("jazz.karma.negative", "/actor/imposeKarma")
        assert refused("check", actor=driving(LUCKY, imposeKarma=True), difficulty=8) == ("jazz.karma.negative", "/actor/imposeKarma")
        assert refused("check", actor={"imposeKarma": True}, difficulty=8) == ("jazz.karma.negative", "/actor/imposeKarma")

    def test_granted(self) -> None:
        ruling = play("karma", character=ROOK, grant="negative")
        assert (ruling["outcome"], effects(ruling)) == ("granted", [("character.karma", "neutral", "negative")])
        assert said(ruling, "jazz.karma.negative") == ["Rook: karma was neutral and becomes negative"]


class TestNeutral:
    """jazz.karma.neutral"""

    @pytest.mark.parametrize(("held", "grant"), [("positive", "negative"), ("negative", "positive")])
    def test_opposites_cancel(self, held: str, grant: str) -> None:
        ruling = play("karma", character=rook(karma=held), grant=grant)
        assert (ruling["outcome"], effects(ruling)) == ("cancelled", [("character.karma", held, "neutral")])
        assert said(ruling, "jazz.karma.neutral") == [f"Rook: karma was {held} and becomes neutral"]
        assert value(ruling, "jazz.karma.neutral") == "neutral"
        assert ruling["summary"] == f"Rook: {grant} karma cancelled, karma is neutral"

    @pytest.mark.parametrize("kind", ["positive", "negative"])
    def test_never_more_than_one_of_a_kind(self, kind: str) -> None:
        ruling = play("karma", character=rook(karma=kind), grant=kind)
        assert (ruling["outcome"], ruling["effects"], ruling["after"]["character"]["karma"]) == ("unchanged", [], kind)
        assert said(ruling, "jazz.karma.neutral") == [f"Rook: karma is {kind} already, and never more than that"]
        assert ruling["summary"] == f"Rook: {kind} karma unchanged, karma is {kind}"


class TestComplication:
    """jazz.complication.die"""

    def test_earned(self) -> None:
        ruling = play("complication", character=rook(complication="wanted"))
        assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("granted", None, [("character.heldAdvantage", False, True)])
        assert said(ruling, "jazz.complication.die") == ["Rook: earns an advantage die for a later roll"]
        assert said(ruling, "jazz.complication.sheet") == []
        assert ruling["summary"] == "Rook: granted, an advantage die is held"

    def test_one_at_most(self) -> None:
        ruling = play("complication", character=rook(heldAdvantage=True))
        assert (ruling["outcome"], ruling["effects"]) == ("unchanged", [])
        assert said(ruling, "jazz.complication.die") == ["Rook: one such die is held already, and no more than one"]
        assert said(ruling, "jazz.complication.sheet") == ["Rook: the sheet names no complication; the table knows which it was"]

    def test_spent_on_a_roll_beside_karma(self) -> None:
        sheet = rook(heldAdvantage=True, karma="positive")
        ruling = play("check", {"actor": [1, 1, 2]}, actor=driving(sheet, spend="heldAdvantage"), difficulty=8)
        assert (ruling["outcome"], effects(ruling)) == ("success", [("actor.heldAdvantage", True, False)])
        assert said(ruling, "jazz.complication.die") == ["Rook: the die a complication earned is spent"]

    def test_refused_where_it_would_be_wasted_or_is_not_held(self) -> None:
        held = driving(rook(heldAdvantage=True), spend="heldAdvantage", advantage=True)
        assert refused("check", actor=held, difficulty=8) == ("jazz.complication.die", "/actor/spend")
        assert refused("check", actor=driving(LUCKY, spend="heldAdvantage"), difficulty=8) == ("jazz.complication.die", "/actor/spend")
        assert refused("check", actor={"spend": "heldAdvantage"}, difficulty=8) == ("jazz.complication.die", "/actor/spend")


class TestEquipmentLost:
    """jazz.equipment.lost"""

    def test_a_disadvantage(self) -> None:
        ruling = play("check", {"actor": [6]}, actor=driving(withoutEquipment=True), difficulty=8, include=["factors"])
        assert ruling["total"] == 10
        assert said(ruling, "jazz.equipment.lost") == ["Rook: without the ordinary equipment, a disadvantage"]
        assert "actor.withoutEquipment" in factors(ruling)

    def test_karma_makes_up_for_it(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor=driving(LUCKY, withoutEquipment=True, spend="karma"), difficulty=10)
        assert (ruling["outcome"], effects(ruling)) == ("success", [("actor.karma", "positive", "neutral")])


class TestEquipmentUnusual:
    """jazz.equipment.unusual"""

    def test_an_advantage_or_rerolls_or_both(self) -> None:
        gear = {"advantage": True, "reroll": [1]}
        ruling = play("check", {"actor": [1, 2, 3, 6]}, actor={"gear": gear}, difficulty=8)
        assert ruling["total"] == 11
        assert said(ruling, "jazz.equipment.unusual") == [
            "actor: unusual gear gives an advantage",
            "actor: unusual gear changes the dice",
        ]
        assert said(play("check", actor={"gear": {}}, difficulty=8), "jazz.equipment.unusual") == []
