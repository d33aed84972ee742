"""Weird attacks on several, rescues of any roll, what becomes of the losers, and findings of the sheet check."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    ROOK,
    THUG,
    UNLUCKY,
    WITCH,
    bewitching,
    driving,
    effects,
    fractions,
    hurt,
    play,
    refused,
    rook,
    unused,
    values,
)

MANY: dict[str, Any] = {"attackers": [{"character": ROOK, "using": [WITCH]}], "targets": [{"bonus": 1}, {"character": THUG}]}
FACES = {"attackers.0": [3, 3], "targets.0": [4, 3], "targets.1": [5, 4]}
"""8 against 8 and 9: one is hit."""


class TestTargets:
    """jazz.weird.many"""

    def test_one_attack_roll_against_each(self) -> None:
        ruling = play("attack", FACES, **MANY)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("hit", 8, None)
        assert ruling["results"] == [
            {"on": "targets.0", "outcome": "hit", "total": 8, "target": 8, "margin": 0},
            {"on": "targets.1", "outcome": "miss", "total": 8, "target": 9, "margin": -1},
        ]
        assert effects(ruling) == [("attackers.0.weird", 2, 1), ("targets.0.health", None, None)]

    def test_odds_count_those_who_are_hit(self) -> None:
        assert fractions("attack", FACES, **MANY) == {"1": "1"}

    @pytest.mark.parametrize(
        ("rescue", "faces", "total", "hit"),
        [
            ("attackers.0", {"attackers.0": [1, 1], "attackers.0.rescue": [4]}, 8, ["hit", "miss"]),
            ("targets.0", {"targets.0.rescue": [1]}, 8, ["miss", "miss"]),
            ("targets.1", {}, 8, ["hit", "miss"]),
        ],
    )
    def test_rescue(self, rescue: str, faces: dict[str, list[int]], total: int, hit: list[str]) -> None:
        ruling = play("attack", FACES | faces, **MANY, rescue=rescue)
        assert (ruling["total"], [result["outcome"] for result in ruling["results"]]) == (total, hit)

    @pytest.mark.parametrize(
        ("request_", "rule"),
        [
            ({**MANY, "attackers": [driving()]}, "jazz.weird.many"),
            ({**MANY, "attackers": [{"character": hurt(4, 0), "using": [WITCH]}]}, "jazz.weird.depleted"),
            ({**MANY, "teamDefence": [{}]}, "jazz.weird.many"),
            ({**MANY, "defender": {}}, "jazz.conflict.attack"),
            ({"attackers": [{}]}, "jazz.conflict.attack"),
            ({**MANY, "targets": [driving(hurt(0)), {}]}, "jazz.conflict.out"),
            ({**MANY, "rescue": "targets.2"}, "jazz.karma.rescue"),
        ],
    )
    def test_refused(self, request_: dict[str, Any], rule: str) -> None:
        assert refused("attack", **request_)[0] == rule


class TestRescue:
    """jazz.karma.rescue"""

    def test_attacker(self) -> None:
        dice = {"attackers.0": [1, 1], "defender": [3, 3], "attackers.0.rescue": [4]}
        ruling = play("attack", dice, attackers=[driving()], defender={"bonus": 4}, rescue="attackers.0")
        assert (ruling["outcome"], ruling["total"], effects(ruling)[0]) == ("hit", 10, ("attackers.0.karma", "neutral", "negative"))

    def test_defender(self) -> None:
        dice = {"attackers.0": [3, 3], "defender": [1, 1], "defender.rescue": [5]}
        ruling = play("attack", dice, attackers=[{"bonus": 4}], defender=driving(), rescue="defender")
        assert (ruling["outcome"], ruling["target"], effects(ruling)) == ("miss", 11, [("defender.karma", "neutral", "negative")])

    def test_member_of_a_team(self) -> None:
        dice = {"members.0": [3, 3], "members.1": [1, 2], "members.1.rescue": [6]}
        request: dict[str, Any] = {"members": [{}, driving()], "difficulty": 15, "rescue": "members.1"}
        ruling = play("teamwork", dice, **request)
        assert (ruling["outcome"], ruling["total"]) == ("success", 15)
        # one that does not become the best changes nothing
        ruling = play("teamwork", dice | {"members.0": [6, 6], "members.1": [1, 1], "members.1.rescue": [1]}, **request)
        assert (ruling["outcome"], ruling["total"], ruling["effects"]) == ("failure", 14, [])

    def test_refused(self) -> None:
        request: dict[str, Any] = {"attackers": [{"advantage": True}], "defender": driving(UNLUCKY)}
        for rescue in ("attackers.0", "defender", "members.0"):
            assert refused("attack", **request, rescue=rescue) == ("jazz.karma.rescue", "/rescue")
        assert refused("teamwork", members=[{}], difficulty=8, rescue="members.1") == ("jazz.karma.rescue", "/rescue")

    def test_house_rule(self) -> None:
        dice = {"actor": [1, 1], "actor.rescue": [6, 5, 4]}
        request: dict[str, Any] = {"actor": {}, "difficulty": 12, "rescue": True, "houseRules": {"rescueBy": "rollAgain"}}
        assert play("check", dice, **request)["total"] == 15
        assert play("check", {**dice, "actor.rescue": [6]}, **request, rescueBy="addDie")["total"] == 8


class TestFate:
    """jazz.conflict.out, jazz.weird.restore"""

    def test_recorded(self) -> None:
        ruling = play("fate", character=hurt(0), condition="dying")
        assert (ruling["outcome"], effects(ruling)) == ("recorded", [("character.condition", None, "dying")])
        assert play("fate", character=hurt(0, condition="dying"), condition="dying")["effects"] == []
        assert values(play("fate", character=ROOK, condition="spared"), "jazz.conflict.out") == ["spared"]

    @pytest.mark.parametrize(
        ("condition", "weakest"), [("unconscious", 0), ("Dying ", 3), ("dead", 4), ("captured", 0)], ids=lambda value: str(value).strip()
    )
    def test_row_has_to_be_strong_enough(self, condition: str, weakest: int) -> None:
        subject = hurt(0, out=True, condition=condition)
        for index, row in enumerate(("one", "half", "full", "dying", "dead")):
            request: dict[str, Any] = {"actor": {"bonus": 30}, "effect": f"restoreHealth.{row}", "subject": subject}
            if index < weakest:
                assert refused("check", **request) == ("jazz.weird.restore", "/subject/condition")
            else:
                healed = play("check", **request)["after"]["subject"]
                assert "condition" not in healed
                assert not healed["out"]

    def test_subject_without_a_pool(self) -> None:
        unnamed = {"name": "Thug", "named": False, "aspects": [], "out": True}
        request: dict[str, Any] = {"actor": {"bonus": 30}, "effect": "restoreHealth.one"}
        assert play("check", **request, subject=unnamed)["after"]["subject"]["out"] is False
        assert refused("check", **request, subject={**unnamed, "named": True}) == ("jazz.weird.restore", "/subject/health")

    def test_amount_rounding_and_nobody(self) -> None:
        subject = {"name": "Bo", "aspects": [], "health": {"current": 0, "max": 5}}
        request: dict[str, Any] = {"actor": bewitching(rook(), advantage=True), "effect": "restoreHealth.half"}
        dice = {"actor": [6, 6, 6]}
        for more, health in (({}, 2), ({"rounding": "up"}, 3), ({"amount": 1}, 1), ({"amount": 9}, 2)):
            assert play("check", dice, **request, **more, subject=subject)["after"]["subject"]["health"]["current"] == health
        assert values(play("check", dice, **request), "jazz.weird.restore") == [0]
        assert refused("check", actor={}, difficulty=8, amount=1) == ("jazz.weird.restore", "/amount")


class TestSeveralRest:
    """jazz.recovery.rest, jazz.recovery.sleep"""

    def test_each_by_themselves(self) -> None:
        ruling = play("recovery", characters=[hurt(0, out=True, condition="unconscious"), ROOK], rest="night")
        assert effects(ruling) == [
            ("characters.0.health", 0, 4),
            ("characters.0.out", True, False),
            ("characters.0.condition", "unconscious", None),
        ]

    def test_one_or_several(self) -> None:
        for who in ({}, {"character": ROOK, "characters": [ROOK]}):
            assert refused("recovery", **who, rest="night")[0] == "jazz.recovery.rest"

    def test_house_rule_for_rounding(self) -> None:
        request: dict[str, Any] = {"character": hurt(1), "rest": "halfHour", "houseRules": {"rounding": "down"}}
        assert play("recovery", **request)["after"]["character"]["health"]["current"] == 2
        ruling = play("recovery", **request, rounding="up")
        assert (ruling["after"]["character"]["health"]["current"], unused(ruling)) == (3, [])


class TestFindings:
    """jazz.fiction.levels, jazz.aspects.highest: findings in place of refusals"""

    @pytest.mark.parametrize(
        ("changed", "rule", "pointer"),
        [
            ({"aspects": [*ROOK["aspects"], {"name": f" {WITCH.upper()}", "bonus": 1}]}, "jazz.aspects.highest", "aspects/2/name"),
            ({"survivalAspect": "cook"}, "jazz.health.pool", "survivalAspect"),
            ({"health": {"current": 5, "max": 4}}, "jazz.health.pool", "health/current"),
            ({"aspects": ROOK["aspects"][:1], "weird": {"current": 1, "max": 1}}, "jazz.weird.pool", "weird"),
        ],
    )
    def test_found(self, changed: dict[str, Any], rule: str, pointer: str) -> None:
        ruling = play("character", character=rook(**changed), fictionLevel="elite", stage="npc")
        errors = [(row["rule"], row["pointer"]) for row in ruling["findings"] if row["severity"] == "error"]
        assert (ruling["outcome"], errors) == ("illegal", [(rule, f"/character/{pointer}")])

    @pytest.mark.parametrize(("stage", "outcome"), [("creation", "illegal"), ("play", "legal"), ("npc", "legal")])
    def test_stages(self, stage: str, outcome: str) -> None:
        aspects = [{"name": name, "bonus": 4} for name in "abc"]
        assert (
            play("character", character=rook(aspects=aspects, survivalAspect="a"), fictionLevel="elite", stage=stage)["outcome"] == outcome
        )

    def test_unnamed_is_checked_as_npc(self) -> None:
        dragon = {"name": "Dragon", "named": False, "aspects": [{"name": "dragon", "bonus": 9}], "survivalAspect": "dragon"}
        ruling = play("character", character=dragon, fictionLevel="elite")
        assert (ruling["outcome"], effects(ruling)) == ("legal", [("character.health", None, {"current": 9, "max": 9})])
