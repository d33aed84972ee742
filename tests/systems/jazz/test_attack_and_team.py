"""Attacks, and teams that act together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.systems.jazz.playing import (
    DRIVER,
    HOLDING,
    LUCKY,
    ROOK,
    THUG,
    UNLUCKY,
    driving,
    effects,
    factors,
    fractions,
    hurt,
    odds,
    play,
    refused,
    roll_names,
    rook,
    texts,
    value,
    values,
)

PC, NPC = driving(rook(id="pc")), driving(rook(id="npc"))
POOLLESS = {"name": "Thug", "named": False, "aspects": []}
OUT = ("defender.out", False, True)


def duel(attack: list[int], defence: list[int], defender: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """An attack with +2 on Rook, who defends with +4, or on somebody else."""
    dice = {"attackers.0": attack, "defender": defence}
    return play("attack", dice, attackers=[{"bonus": 2}], defender=driving() if defender is None else defender, **more)


class TestAttack:
    """jazz.conflict.attack, jazz.conflict.out, jazz.conflict.unnamed, jazz.conflict.kind, jazz.health.pool"""

    @pytest.mark.parametrize(
        ("attack", "defence", "outcome", "margin"), [([3, 4], [3, 2], "hit", 0), ([6, 6], [1, 1], "hit", 8), ([3, 3], [3, 2], "miss", -1)]
    )
    def test_hit_costs_one_health_whatever_the_margin(self, attack: list[int], defence: list[int], outcome: str, margin: int) -> None:
        ruling = duel(attack, defence)
        hit = outcome == "hit"
        assert (ruling["outcome"], ruling["succeeded"], ruling["margin"]) == (outcome, hit, margin)
        assert effects(ruling) == ([("defender.health", 4, 3)] if hit else [])
        assert (values(ruling, "jazz.conflict.attack"), roll_names(ruling)) == ([None], ["attackers.0", "defender"])

    @pytest.mark.parametrize(
        ("sheet", "changes", "rule"),
        [
            (hurt(1), [("defender.health", 1, 0), OUT], "jazz.conflict.out"),
            ({**THUG, "health": {"current": 5, "max": 5}}, [("defender.health", 5, 4), OUT], "jazz.conflict.unnamed"),
            (POOLLESS, [("defender.health", None, None), OUT], "jazz.conflict.unnamed"),
            (rook(survivalAspect=None), [("defender.health", None, None)], "jazz.health.pool"),
            # a pool of 0 does not mean being out
            ({"name": "Ghost", "aspects": [], "health": {"current": 0, "max": 0}}, [OUT], "jazz.conflict.out"),
        ],
    )
    def test_who_is_out(self, sheet: dict[str, Any], changes: list[tuple[str, Any, Any]], rule: str) -> None:
        ruling = duel([6, 6], [1, 1], {"character": sheet})
        assert effects(ruling) == changes
        cited = {step["rule"] for step in ruling["steps"]} & {"jazz.conflict.out", "jazz.conflict.unnamed", "jazz.health.pool"}
        assert cited == {rule} | ({"jazz.conflict.out"} if OUT in changes else set())
        assert {effect["stat"]: effect["change"] for effect in ruling["effects"]} == {
            name.removeprefix("defender."): -1 if "health" in name else 1 for name, _, _ in changes
        }

    def test_defender_without_a_sheet(self) -> None:
        ruling = duel([6, 6], [1, 1], {"bonus": 0})
        assert [(effect["stat"], effect["from"], effect["change"]) for effect in ruling["effects"]] == [("health", None, -1)]

    def test_unnamed_characters_defend_like_anyone(self) -> None:
        assert duel([3, 3], [4, 4], {"character": THUG, "using": ["thug"]})["outcome"] == "miss"

    FRAIL = rook(aspects=[{"name": DRIVER, "bonus": 1}], health={"current": 0, "max": 1})

    @pytest.mark.parametrize("sheet", [rook(out=True), hurt(3, out=True), FRAIL])
    def test_who_counts_as_out(self, sheet: dict[str, Any]) -> None:
        assert refused("check", actor=driving(sheet), difficulty=8) == ("jazz.conflict.out", "/actor/character")
        assert refused("attack", attackers=[{}], defender=driving(sheet)) == ("jazz.conflict.out", "/defender/character")

    @pytest.mark.parametrize("kind", ["mental", "social", "a war of {words}"])
    def test_every_kind_uses_the_same_pool(self, kind: str) -> None:
        ruling = duel([6, 6], [1, 1], kind=kind)
        assert (effects(ruling), value(ruling, "jazz.conflict.kind")) == ([("defender.health", 4, 3)], kind)
        assert texts(duel([1, 1], [1, 1]), "jazz.conflict.kind") == []

    def test_both_sides_use_up_their_dice(self) -> None:
        attacker, defender = driving(LUCKY, spend="karma"), driving(UNLUCKY, imposeKarma=True)
        ruling = play("attack", {"attackers.0": [1, 1, 1], "defender": [6]}, attackers=[attacker], defender=defender)
        assert ruling["outcome"] == "miss"
        assert effects(ruling) == [("attackers.0.karma", "positive", "neutral"), ("defender.karma", "negative", "neutral")]

    @pytest.mark.parametrize(
        ("faces", "hit"),
        [
            ({}, "721/1296"),
            ({"defender": [3, 3]}, "13/18"),
            ({"attackers.0": [3, 3]}, "5/12"),
            ({"attackers.0": [3, 3], "defender": [3, 3]}, "1"),
        ],
    )
    def test_odds(self, faces: dict[str, list[int]], hit: str) -> None:
        assert fractions("attack", faces, attackers=[{"bonus": 2}], defender={"bonus": 2})["hit"] == hit

    def test_expected_damage(self) -> None:
        assert odds("attack", attackers=[{"bonus": 2}], defender=driving())["expected"]["defender.health"] == pytest.approx(-145 / 432)

    @pytest.mark.parametrize(
        ("request_", "pointer"),
        [
            ({"attackers": [PC, {}, PC], "defender": {}}, "/attackers/2/character/id"),
            ({"attackers": [{}], "defender": PC, "teamDefence": [NPC, PC]}, "/teamDefence/1/character/id"),
            ({"attackers": [{}], "defender": {}, "teamDefence": [NPC, NPC]}, "/teamDefence/1/character/id"),
        ],
    )
    def test_same_character_twice_on_a_side(self, request_: dict[str, Any], pointer: str) -> None:
        """jazz.conflict.once"""
        assert refused("attack", **request_) == ("jazz.conflict.once", pointer)

    def test_different_characters_and_both_sides(self) -> None:
        assert play("attack", attackers=[PC, NPC, driving(), driving()], defender=PC, teamDefence=[{}])["rolls"]


class TestTeamwork:
    """jazz.team.highest"""

    def test_highest_total_plus_number(self) -> None:
        dice = {"members.0": [2, 2], "members.1": [4, 3]}
        ruling = play("teamwork", dice, members=[{"bonus": 1}, {"bonus": 3}], difficulty=12, include=["factors"])
        assert (ruling["outcome"], ruling["total"], roll_names(ruling)) == ("success", 12, ["members.0", "members.1"])
        assert value(ruling, "jazz.team.highest") == 2
        rows = {f"{row['on']}.{row['kind']}": (row["verdict"], row["value"], row["without"]["total"]) for row in ruling["factors"]}
        assert rows == {
            "members.0.bonus": ("irrelevant", 1, 12),
            "members.1.bonus": ("necessary", 3, 9),
            "members.0.member": ("necessary", 1, 10),
            "members.1.member": ("necessary", 1, 5),
            "members.team": ("necessary", 2, 10),
        }

    def test_single_member_adds_nothing(self) -> None:
        ruling = play("teamwork", {"members.0": [4, 3]}, members=[{"bonus": 3}], difficulty=11, include=["factors"])
        assert (ruling["outcome"], ruling["total"], factors(ruling)) == ("failure", 10, {"members.0.bonus": "helpful"})
        assert values(ruling, "jazz.team.highest") == []

    def test_first_of_equals_is_named(self) -> None:
        dice = {"members.0": [1, 1], "members.1": [3, 3], "members.2": [2, 4]}
        ruling = play("teamwork", dice, members=[{}, {}, {"character": ROOK}], level="easy")
        assert (ruling["target"], ruling["total"]) == (8, 9)
        assert [step["args"]["who"] for step in ruling["steps"] if step["rule"] == "jazz.team.highest"] == ["members.1"]

    @pytest.mark.parametrize(("ties", "outcome"), [("actor", "success"), ("opponent", "failure"), ("stalemate", "stalemate")])
    def test_against_an_opponent(self, ties: str, outcome: str) -> None:
        dice = {"members.0": [2, 2], "members.1": [4, 3], "opponent": [3, 3]}
        ruling = play("teamwork", dice, members=[{}, {}], opponent={"bonus": 3}, ties=ties)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == (outcome, 9, 9)

    def test_everyone_uses_up_their_own_dice(self) -> None:
        lucky = driving(LUCKY, spend="karma")
        ruling = play("teamwork", members=[lucky, lucky], opponent=driving(HOLDING, spend="heldAdvantage"))
        spent = [(f"members.{index}.karma", "positive", "neutral") for index in (0, 1)]
        assert effects(ruling) == [*spent, ("opponent.heldAdvantage", True, False)]

    def test_odds(self) -> None:
        assert Fraction(fractions("teamwork", members=[{"bonus": 0}] * 32, difficulty=44)["failure"]) == Fraction(35, 36) ** 32
        assert fractions("teamwork", members=[{}, {}], difficulty=14) == {"success": "71/1296", "failure": "1225/1296"}


class TestTeamAttack:
    """jazz.team.attack"""

    def test_one_defence_and_one_health(self) -> None:
        dice = {"attackers.0": [1, 1], "attackers.1": [3, 3], "defender": [3, 2]}
        ruling = play("attack", dice, attackers=[{"bonus": 0}, {"bonus": 1}], defender=driving(), include=["factors"])
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("hit", 9, 9)
        assert (effects(ruling), values(ruling, "jazz.team.attack")) == ([("defender.health", 4, 3)], [2])
        assert factors(ruling)["attackers.team"] == "necessary"

    def test_team_defence_is_optional(self) -> None:
        dice = {"attackers.0": [6, 3], "defender": [3, 3], "teamDefence.0": [4, 3]}
        ruling = play("attack", dice, attackers=[{}], defender={}, teamDefence=[{}], include=["factors"])
        assert (ruling["outcome"], ruling["target"], roll_names(ruling)) == ("hit", 9, ["attackers.0", "defender", "teamDefence.0"])
        assert (value(ruling, "jazz.team.attack"), value(ruling, "jazz.team.highest")) == ("teamDefence", 2)
        assert factors(ruling)["defender.team"] == "helpful"


class TestOptions:
    """jazz.karma.rescue, jazz.conflict.out: what is still open after an attack."""

    def test_rescue_of_the_attackers_after_a_miss(self) -> None:
        attackers = [{"bonus": 1}, driving(advantage=True), driving(UNLUCKY), driving()]
        ruling = play("attack", attackers=attackers, defender={"bonus": 30}, include=["options"])
        assert [(option["choice"], option["request"]) for option in ruling["options"]] == [
            ("rescue", {"rescue": "attackers.0"}),
            ("rescue", {"rescue": "attackers.3"}),
        ]

    def test_rescue_of_the_defender_and_the_choice_of_the_winner_after_a_hit(self) -> None:
        dice = {"attackers.0": [4, 4], "defender": [1, 1]}
        defender = driving({**ROOK, "health": {"current": 1, "max": 4}})
        rescue, fate = play("attack", dice, attackers=[{"bonus": 4}], defender=defender, include=["options"])["options"]
        assert (rescue["request"], rescue["chance"]) == ({"rescue": "defender"}, 0)
        assert (fate["choice"], fate["request"]) == ("fate", None)

    def test_rescue_of_a_member_after_a_failure(self) -> None:
        (first, second) = play("teamwork", members=[{}, {"bonus": 1}], difficulty=30, include=["options"])["options"]
        assert [first["request"], second["request"]] == [{"rescue": "members.0"}, {"rescue": "members.1"}]
        assert play("teamwork", members=[{}, {"bonus": 1}], difficulty=2, include=["options"])["options"] == []
