"""Dice: how many are rolled, which are rolled again, and what the total is compared with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    HOLDING,
    LUCKY,
    ROOK,
    UNLUCKY,
    bewitching,
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

ADVANTAGE = {"gear": {"advantage": True}}


def test_two_dice_and_the_bonus() -> None:
    """jazz.dice.roll"""
    ruling = play("check", {"actor": [5, 3]}, actor=driving(), difficulty=10)
    assert (ruling["outcome"], ruling["total"], ruling["margin"], ruling["rolls"][0]["name"]) == ("success", 12, 2, "Rook")


@pytest.mark.parametrize("faces", [[5], [5, 3, 1], [0, 3], [5, 7]])
def test_supplied_dice_must_fit_the_roll(faces: list[int]) -> None:
    rule, pointer = refused("check", {"actor": faces}, actor=driving(), difficulty=10)
    assert (rule, pointer.startswith("/dice/0/faces")) == ("jazz.dice.roll", True)


@pytest.mark.parametrize(
    ("actor", "faces", "cited"),
    [
        ({}, [1, 1], []),
        ({"advantage": True}, [1, 1, 1], [("jazz.dice.advantage", None), ("jazz.dice.advantage", 3)]),
        ({"disadvantage": True}, [1], [("jazz.dice.disadvantage", None), ("jazz.dice.disadvantage", 1)]),
        ({"withoutEquipment": True}, [1], [("jazz.equipment.lost", None), ("jazz.dice.disadvantage", 1)]),
        (ADVANTAGE, [1, 1, 1], [("jazz.equipment.unusual", None), ("jazz.dice.advantage", 3)]),
        (
            {"advantage": True, **ADVANTAGE},
            [1, 1, 1],
            [("jazz.dice.advantage", None), ("jazz.equipment.unusual", None), ("jazz.dice.single", 1), ("jazz.dice.advantage", 3)],
        ),
        (
            {"disadvantage": True, "withoutEquipment": True},
            [1],
            [("jazz.dice.disadvantage", None), ("jazz.equipment.lost", None), ("jazz.dice.single", 1), ("jazz.dice.disadvantage", 1)],
        ),
        (
            {"advantage": True, "disadvantage": True},
            [1, 1],
            [("jazz.dice.advantage", None), ("jazz.dice.disadvantage", None), ("jazz.dice.cancel", 2)],
        ),
        (
            {"advantage": True, "disadvantage": True, **ADVANTAGE},
            [1, 1],
            [
                ("jazz.dice.advantage", None),
                ("jazz.equipment.unusual", None),
                ("jazz.dice.single", 1),
                ("jazz.dice.disadvantage", None),
                ("jazz.dice.cancel", 2),
            ],
        ),
    ],
)
def test_number_of_dice(actor: dict[str, Any], faces: list[int], cited: list[tuple[str, int | None]]) -> None:
    ruling = play("check", {"actor": faces}, actor={"bonus": 1, **actor}, difficulty=3)
    assert ruling["total"] == 1 + len(faces)
    steps = [(step["rule"], step["value"]) for step in ruling["steps"]]
    assert steps == [*cited, ("jazz.dice.roll", None), ("jazz.check.success", None)]


def test_factor_of_an_advantage() -> None:
    ruling = play("check", {"actor": [5, 5, 4]}, actor={"advantage": True}, difficulty=14, include=["factors"])
    (factor,) = ruling["factors"]
    assert (factors(ruling), factor["value"], factor["without"]["total"]) == ({"actor.advantage": "necessary"}, True, 10)
    actor = {"advantage": True, **ADVANTAGE}
    ruling = play("check", {"actor": [1, 1, 1]}, actor=actor, difficulty=3, include=["factors"])
    assert factors(ruling) == {"actor.advantage": "irrelevant", "actor.gear": "irrelevant"}


class TestReroll:
    """jazz.dice.reroll"""

    @pytest.mark.parametrize(
        ("actor", "faces", "total", "replaced", "until"),
        [
            ({"gear": {"reroll": [1]}}, [1, 4, 1], 5, [1], "once"),
            ({"gear": {"reroll": [6], "until": "clear"}}, [6, 2, 6, 6, 3], 5, [6, 6, 6], "clear"),
            ({"advantage": True, "gear": {"reroll": [1, 1]}}, [1, 2, 2, 6], 10, [1], "once"),
        ],
    )
    def test_replaced_dice(self, actor: dict[str, Any], faces: list[int], total: int, replaced: list[int], until: str) -> None:
        ruling = play("check", {"actor": faces}, actor=actor, difficulty=10, include=["factors"])
        assert (ruling["total"], ruling["rolls"][0]["dice"][0]["replaced"]) == (total, replaced)
        assert (value(ruling, "jazz.dice.reroll"), "actor.reroll" in factors(ruling)) == (until, True)

    def test_gear_without_faces(self) -> None:
        assert unused(play("check", actor={"gear": {"until": "clear"}}, difficulty=6)) == ["/actor/gear"]
        ruling = play("check", actor={"gear": {}}, difficulty=6)
        assert {step["rule"] for step in ruling["steps"]} == {"jazz.aspects.missing", "jazz.dice.roll", "jazz.check.success"}

    def test_all_faces_once_and_five_faces_until_clear(self) -> None:
        assert play("check", actor={"gear": {"reroll": [1, 2, 3, 4, 5, 6]}}, difficulty=8)["rolls"]
        assert play("check", actor={"gear": {"reroll": [1, 2, 3, 4, 5], "until": "clear"}}, difficulty=8)["total"] == 12


class TestSuccess:
    """jazz.check.success"""

    @pytest.mark.parametrize(("difficulty", "outcome"), [(10, "success"), (11, "failure"), (0, "success"), (-5, "success")])
    def test_total_at_least_the_difficulty(self, difficulty: int, outcome: str) -> None:
        ruling = play("check", {"actor": [4, 4]}, actor={"bonus": 2}, difficulty=difficulty)
        assert (ruling["outcome"], ruling["succeeded"], ruling["target"]) == (outcome, outcome == "success", difficulty)

    def test_odds(self) -> None:
        assert fractions("check", actor={"bonus": 2}, difficulty=10) == {"success": "5/12", "failure": "7/12"}
        assert fractions("check", {"actor": [4, 4]}, actor={"bonus": 2}, difficulty=10) == {"success": "1"}
        expected = odds("check", actor=bewitching(), difficulty=9, spendOn="success")["expected"]
        assert expected == {"actor.weird": pytest.approx(-21 / 36)}


class TestContest:
    """jazz.check.contest"""

    @pytest.mark.parametrize(
        ("faces", "ties", "outcome", "succeeded", "decided_by"),
        [
            ([4, 5], "opponent", "success", True, None),
            ([4, 3], "actor", "failure", False, None),
            ([4, 4], "actor", "success", True, "actor"),
            ([4, 4], "opponent", "failure", False, "opponent"),
            ([4, 4], "stalemate", "stalemate", None, "stalemate"),
        ],
    )
    def test_comparison(self, faces: list[int], ties: str, outcome: str, succeeded: bool | None, decided_by: str | None) -> None:
        ruling = play("check", {"actor": faces, "opponent": [4, 3]}, actor={"bonus": 2}, opponent={"bonus": 3}, ties=ties)
        assert (ruling["outcome"], ruling["succeeded"], ruling["margin"]) == (outcome, succeeded, sum(faces) - 8)
        assert (ruling["target"], roll_names(ruling)) == (10, ["actor", "opponent"])
        assert value(ruling, "jazz.check.contest") == decided_by

    @pytest.mark.parametrize("target", [{"difficulty": 8}, {"level": "easy"}, {"effect": "animal.command"}])
    def test_ties_without_an_opponent_are_reported(self, target: dict[str, Any]) -> None:
        for action, roller in (("check", {"actor": {}}), ("teamwork", {"members": [{}]})):
            if action == "check" or "effect" not in target:
                ruling = play(action, **roller, **target, ties="stalemate")
                assert (unused(ruling), texts(ruling, "jazz.check.contest")) == (["/ties"], [])
                assert unused(play(action, **roller, **target)) == []

    def test_odds(self) -> None:
        expected = {"success": "575/1296", "failure": "575/1296", "stalemate": "73/648"}
        assert fractions("check", actor={}, opponent={}, ties="stalemate") == expected


class TestWithoutRoll:
    """jazz.check.routine, jazz.check.stakes"""

    @pytest.mark.parametrize(("stakes", "rule", "other"), [("routine", "routine", "stakes"), ("none", "stakes", "routine")])
    def test_automatic(self, stakes: str, rule: str, other: str) -> None:
        for target, number in (({}, None), ({"difficulty": 16}, 16), ({"level": "nighImpossible"}, 16), ({"opponent": {"bonus": 9}}, None)):
            ruling = play("check", actor={"bonus": 0}, stakes=stakes, **target)
            assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("automatic", True, [])
            assert (ruling["target"], ruling["total"]) == (number, None)
            assert (values(ruling, f"jazz.check.{rule}"), values(ruling, f"jazz.check.{other}")) == ([stakes], [])
        assert fractions("check", actor={"bonus": 0}, stakes=stakes) == {"automatic": "1"}
        assert play("check", actor={}, stakes=stakes, specialistOnly=True)["outcome"] == "impossible"

    def test_dice_for_a_roll_that_is_not_made(self) -> None:
        assert refused("check", {"actor": [1, 2]}, actor={}, difficulty=16, stakes="routine") == ("jazz.dice.roll", "/dice/0/roll")

    @pytest.mark.parametrize("request_", [{"stakes": "routine"}, {"specialistOnly": True}])
    @pytest.mark.parametrize(
        ("roller", "field"),
        [
            ({"advantage": True}, "advantage"),
            (ADVANTAGE, "gear"),
            ({"disadvantage": True}, "disadvantage"),
            ({"withoutEquipment": True}, "withoutEquipment"),
            ({"gear": {"reroll": [1]}}, "gear"),
            ({"universal": True}, "universal"),
            ({"character": LUCKY, "spend": "karma"}, "spend"),
            ({"character": HOLDING, "spend": "heldAdvantage"}, "spend"),
            ({"character": UNLUCKY, "imposeKarma": True}, "imposeKarma"),
        ],
    )
    def test_everything_for_the_roll_is_reported_and_kept(self, roller: dict[str, Any], field: str, request_: dict[str, Any]) -> None:
        for place in ("actor", "opponent"):
            ruling = play("check", **{"actor": {}, "opponent": {}, place: roller}, **request_)
            assert (unused(ruling), ruling["effects"]) == ([f"/{place}/{field}"], [])
            assert not {"spend", "imposeKarma"} & ruling["after"][place].keys()

    def test_extraordinary_use_costs_weird_and_heals(self) -> None:
        subject = {**ROOK, "health": {"current": 0, "max": 4}, "out": True}
        ruling = play("check", actor=bewitching(), effect="restoreHealth.one", subject=subject, stakes="none")
        assert effects(ruling) == [("actor.weird", 2, 1), ("subject.health", 0, 1), ("subject.out", True, False)]

    def test_opponent_keeps_weird(self) -> None:
        ruling = play("check", actor={}, opponent=bewitching(), stakes="none")
        assert (ruling["effects"], values(ruling, "jazz.weird.spend"), unused(ruling)) == ([], [], ["/opponent/extraordinary"])


@pytest.mark.parametrize(
    ("level", "difficulty"),
    [("easy", 8), ("challenging", 10), ("demanding", 12), ("frustrating", 14), ("nigh-impossible", 16), ("nighImpossible", 16)],
)
def test_levels(level: str, difficulty: int) -> None:
    """jazz.difficulty.table"""
    ruling = play("check", actor={"bonus": 2}, level=level)
    assert (ruling["target"], value(ruling, "jazz.difficulty.table")) == (difficulty, difficulty)


def test_weird_effect_gives_the_difficulty() -> None:
    """jazz.difficulty.weird"""
    ruling = play("check", actor=bewitching(rook()), effect="teleport.group.otherWorld")
    assert (ruling["target"], value(ruling, "jazz.difficulty.weird")) == (16, 16)
