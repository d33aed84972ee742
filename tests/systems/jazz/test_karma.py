"""Karma, complications and equipment: dice for later rolls, and how they combine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    HOLDING,
    LUCKY,
    ROOK,
    UNLUCKY,
    driving,
    effects,
    factors,
    fractions,
    odds,
    play,
    refused,
    roll_names,
    rook,
    texts,
    unused,
    value,
    values,
)

SPENT = ("actor.karma", "positive", "neutral")
IMPOSED = ("actor.karma", "negative", "neutral")
BOTH = rook(karma="positive", heldAdvantage=True)


@pytest.mark.parametrize(
    ("actor", "faces", "rule", "effect"),
    [
        (driving(LUCKY, spend="karma"), [1, 1, 2], "jazz.karma.positive", SPENT),
        (driving(LUCKY, spend="karma", disadvantage=True), [1, 3], "jazz.karma.positive", SPENT),
        (driving(LUCKY, spend="karma", withoutEquipment=True), [1, 3], "jazz.equipment.lost", SPENT),
        (driving(LUCKY, spend="karma", gear={"reroll": [1]}), [2, 2, 2], "jazz.equipment.unusual", SPENT),
        (driving(BOTH, spend="heldAdvantage"), [1, 1, 2], "jazz.complication.die", ("actor.heldAdvantage", True, False)),
        (driving(UNLUCKY, imposeKarma=True), [4], "jazz.karma.negative", IMPOSED),
        # used up even when an advantage cancels it
        (driving(UNLUCKY, imposeKarma=True, advantage=True), [1, 3], "jazz.karma.negative", IMPOSED),
    ],
)
def test_dice_are_used_up(actor: dict[str, Any], faces: list[int], rule: str, effect: tuple[str, Any, Any]) -> None:
    ruling = play("check", {"actor": faces}, actor=actor, difficulty=8, include=["factors"])
    assert (ruling["outcome"], effects(ruling), len(texts(ruling, rule))) == ("success", [effect], 1)
    assert ruling["effects"][0]["change"] == (1 if effect is IMPOSED else -1)
    assert not {"spend", "imposeKarma"} & ruling["after"]["actor"].keys()
    used = actor.get("spend", "imposeKarma")
    assert f"actor.{used}" in factors(ruling)


class TestOptions:
    """jazz.karma.rescue: all that is offered after a failure. Dice that had to be declared before the roll are not."""

    REQUEST: dict[str, Any] = {"difficulty": 12, "seed": 2, "include": ["options"]}

    def test_a_rescue(self) -> None:
        ruling = play("check", actor=driving(BOTH, disadvantage=True), **self.REQUEST)
        assert [(option["choice"], option["request"]) for option in ruling["options"]] == [
            ("rescue", {"rescue": True}),
        ]

    @pytest.mark.parametrize(
        "more",
        [
            {"actor": driving(), "difficulty": 2},
            {"actor": driving(LUCKY), "rescue": True},
            {"actor": driving(LUCKY, advantage=True)},
            {"actor": driving(LUCKY, gear={"advantage": True})},
            {"actor": driving(BOTH, spend="karma")},
            {"actor": driving(UNLUCKY)},
            {"actor": driving(LUCKY), "specialistOnly": True, "stakes": "none"},
        ],
    )
    def test_nothing_that_would_be_refused_or_change_nothing(self, more: dict[str, Any]) -> None:
        assert play("check", **{"difficulty": 30, "include": ["options"], **more})["options"] == []

    def test_supplied_dice_that_do_not_suffice(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor=driving(LUCKY), difficulty=12, include=["options"])
        assert [option["choice"] for option in ruling["options"]] == ["rescue"]


class TestRescue:
    """jazz.karma.rescue"""

    REQUEST: dict[str, Any] = {"actor": driving(), "difficulty": 12, "rescue": True}

    @pytest.mark.parametrize(
        ("more", "faces", "die", "outcome", "total"),
        [
            ({}, [3, 3], [2], "success", 12),
            ({}, [3, 3], [1], "failure", 11),
            ({"actor": driving(disadvantage=True)}, [4], [4], "success", 12),
            ({"actor": driving(gear={"reroll": [1]})}, [3, 3], [1, 5], "success", 15),
            ({"actor": driving(gear={"reroll": [1], "until": "clear"})}, [3, 3], [1, 1, 5], "success", 15),
            ({"rescueBy": "rollAgain"}, [3, 3], [2, 3, 4], "success", 13),
            ({"rescueBy": "rollAgain", "actor": driving(disadvantage=True)}, [3], [2, 3], "failure", 9),
        ],
    )
    def test_one_more_die_or_the_whole_roll(self, more: dict[str, Any], faces: list[int], die: list[int], outcome: str, total: int) -> None:
        ruling = play("check", {"actor": faces, "actor.rescue": die}, **{**self.REQUEST, **more})
        assert (ruling["outcome"], ruling["total"], roll_names(ruling)) == (outcome, total, ["actor", "actor.rescue"])
        assert effects(ruling) == ([("actor.karma", "neutral", "negative")] if outcome == "success" else [])
        how = "rollAgain" if "rescueBy" in more else None
        assert values(ruling, "jazz.karma.rescue") == [how, *(["negative"] if outcome == "success" else [])]
        assert values(ruling, "jazz.dice.cancel") == ([2] if len(faces) == 1 else [])

    @pytest.mark.parametrize(("again", "total"), [([1, 1, 1], 9), ([3, 3, 3], 11)])
    def test_roll_of_a_team_made_again_replaces_the_first(self, again: list[int], total: int) -> None:
        dice = {"members.0": [6, 4], "members.1": [4, 3], "members.0.rescue": again}
        ruling = play("teamwork", dice, members=[{}, {}], difficulty=20, rescue="members.0", rescueBy="rollAgain")
        assert (ruling["outcome"], ruling["total"], ruling["margin"]) == ("failure", total, total - 20)

    @pytest.mark.parametrize("rescue_by", ["addDie", "rollAgain"])
    def test_not_needed(self, rescue_by: str) -> None:
        ruling = play("check", {"actor": [4, 4]}, **self.REQUEST, rescueBy=rescue_by, include=["factors"])
        assert (ruling["outcome"], roll_names(ruling), ruling["effects"]) == ("success", ["actor"], [])
        assert "actor.rescue" not in factors(ruling)

    def test_a_tie_without_success_is_rescued(self) -> None:
        dice = {"actor": [3, 3], "opponent": [5, 5], "actor.rescue": [1]}
        ruling = play("check", dice, actor=driving(), opponent={}, ties="stalemate", rescue=True)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("success", 11, 10)

    def test_positive_karma_is_cancelled(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [2]}, **{**self.REQUEST, "actor": driving(LUCKY)})
        assert (effects(ruling), value(ruling, "jazz.karma.neutral")) == ([SPENT], "neutral")

    def test_without_a_sheet_the_change_is_still_reported(self) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [6]}, actor={}, difficulty=12, rescue=True)
        assert [(effect["stat"], effect["to"], effect["change"]) for effect in ruling["effects"]] == [("karma", None, -1)]
        assert values(ruling, "jazz.karma.rescue") == [None, None]

    @pytest.mark.parametrize(("die", "verdict"), [(2, "necessary"), (1, "helpful")])
    def test_factor(self, die: int, verdict: str) -> None:
        ruling = play("check", {"actor": [3, 3], "actor.rescue": [die]}, **self.REQUEST, include=["factors"])
        assert factors(ruling)["actor.rescue"] == verdict
        without = next(factor["without"] for factor in ruling["factors"] if factor["kind"] == "rescue")
        assert without == {"outcome": "failure", "total": 10, "margin": -2}

    @pytest.mark.parametrize("more", [{}, {"stakes": "none"}, {"specialistOnly": True}])
    def test_rescue_by_without_a_rescue_is_reported(self, more: dict[str, Any]) -> None:
        request = {**self.REQUEST, "rescue": False, **more}
        assert "/rescueBy" in unused(play("check", **request, rescueBy="rollAgain"))
        assert "/rescueBy" not in unused(play("check", **request))

    def test_against_the_same_opposing_total(self) -> None:
        dice = {"actor": [3, 3], "opponent": [6, 5], "actor.rescue": [1]}
        ruling = play("check", dice, actor=driving(), opponent={"bonus": 0}, rescue=True)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("success", 11, 11)
        assert values(ruling, "jazz.check.contest") == [None, "actor"]

    @pytest.mark.parametrize(
        "actor",
        [
            driving(gear={"advantage": True}),
            driving(advantage=True, disadvantage=True),
            driving(LUCKY, spend="karma"),
            driving(UNLUCKY, imposeKarma=True),
        ],
    )
    def test_refused_with_an_advantage_or_negative_karma(self, actor: dict[str, Any]) -> None:
        assert refused("check", actor=actor, difficulty=12, rescue=True) == ("jazz.karma.rescue", "/rescue")

    def test_odds(self) -> None:
        request: dict[str, Any] = {"actor": {}, "difficulty": 12, "rescue": True}
        assert fractions("check", **request) == {"success": "3/8", "failure": "5/8"}
        assert fractions("check", **request, rescueBy="rollAgain") == {"success": "113/288", "failure": "175/288"}
        assert odds("check", **request)["expected"] == {"actor.karma": pytest.approx(-75 / 216)}


@pytest.mark.parametrize(
    ("held", "grant", "outcome", "now", "rule"),
    [
        ("neutral", "positive", "granted", "positive", "jazz.karma.positive"),
        ("neutral", "negative", "granted", "negative", "jazz.karma.negative"),
        ("positive", "negative", "cancelled", "neutral", "jazz.karma.neutral"),
        ("negative", "positive", "cancelled", "neutral", "jazz.karma.neutral"),
        ("positive", "positive", "unchanged", "positive", "jazz.karma.neutral"),
        ("negative", "negative", "unchanged", "negative", "jazz.karma.neutral"),
    ],
)
def test_karma_is_granted(held: str, grant: str, outcome: str, now: str, rule: str) -> None:
    ruling = play("karma", character=rook(karma=held), grant=grant)
    assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == (outcome, None, [])
    assert effects(ruling) == ([("character.karma", held, now)] if held != now else [])
    assert [effect["change"] for effect in ruling["effects"]] == ([1 if grant == "positive" else -1] if held != now else [])
    assert value(ruling, rule) == (now if held != now else None)
    assert ruling["after"]["character"]["karma"] == now
    assert fractions("karma", character=rook(karma=held), grant=grant) == {outcome: "1"}


def test_complication_earns_a_die_at_most_once() -> None:
    """jazz.complication.die, jazz.complication.sheet"""
    ruling = play("complication", character=rook(complication="wanted"))
    assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("granted", None, [("character.heldAdvantage", False, True)])
    assert (values(ruling, "jazz.complication.die"), values(ruling, "jazz.complication.sheet")) == ([None], [])
    ruling = play("complication", character=HOLDING)
    assert (ruling["outcome"], ruling["effects"]) == ("unchanged", [])
    assert values(ruling, "jazz.complication.sheet") == [None]


def test_ordinary_equipment_is_assumed() -> None:
    """jazz.equipment.ordinary"""
    ruling = play("check", {"actor": [2, 2]}, actor=driving(ROOK), difficulty=8)
    assert (ruling["total"], texts(ruling, "jazz.equipment.lost")) == (8, [])
