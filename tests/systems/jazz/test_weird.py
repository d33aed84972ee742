"""The weird: what the truly extraordinary costs, and what it heals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    DRIVER,
    ROOK,
    THUG,
    WITCH,
    bewitching,
    driving,
    effects,
    hurt,
    play,
    refused,
    rook,
    said,
    value,
    values,
)

LOSE: dict[str, list[int]] = {"actor": [1, 2]}


class TestSpend:
    """jazz.weird.spend"""

    def test_one_weird_for_the_attempt(self) -> None:
        ruling = play("check", LOSE, actor=bewitching(), difficulty=8)
        assert (ruling["outcome"], effects(ruling)) == ("failure", [("actor.weird", 2, 1)])
        assert ruling["after"]["actor"]["character"]["weird"] == {"current": 1, "max": 2}
        assert said(ruling, "jazz.weird.spend") == ["Rook: truly extraordinary, one weird spent"]
        assert value(ruling, "jazz.weird.spend") == 1

    @pytest.mark.parametrize(("difficulty", "left", "text"), [(8, 2, "no success"), (5, 1, "success")])
    def test_or_only_for_success(self, difficulty: int, left: int, text: str) -> None:
        ruling = play("check", LOSE, actor=bewitching(), difficulty=difficulty, spendOn="success")
        assert ruling["after"]["actor"]["character"]["weird"]["current"] == left
        assert said(ruling, "jazz.weird.spend")[0] == f"Rook: {text} (option spendOn)"
        assert values(ruling, "jazz.weird.spend") == (["success", 1] if left == 1 else ["success"])

    def test_only_a_weird_aspect_does_it(self) -> None:
        both = {"character": ROOK, "using": [DRIVER, WITCH], "extraordinary": True}
        ruling = play("check", LOSE, actor=both, difficulty=8)
        assert ruling["total"] == 5
        assert said(ruling, "jazz.weird.spend") == [
            "Rook: former getaway driver cannot do the truly extraordinary, so the weird counts alone",
            "Rook: truly extraordinary, one weird spent",
        ]
        crook = rook(aspects=[*ROOK["aspects"], {"name": "pickpocket", "bonus": 1}])
        three = {"character": crook, "using": ["pickpocket", WITCH, DRIVER], "extraordinary": True}
        assert said(play("check", LOSE, actor=three, difficulty=8), "jazz.weird.spend")[0] == (
            "Rook: former getaway driver and pickpocket cannot do the truly extraordinary, so the weird counts alone"
        )
        assert refused("check", actor=driving(extraordinary=True), difficulty=8) == ("jazz.weird.spend", "/actor/extraordinary")

    def test_it_speaks_of_one_roll(self) -> None:
        ruling = play("check", LOSE, actor=bewitching(hurt(4, 1)), difficulty=8)
        assert ruling["after"]["actor"]["extraordinary"] is False
        assert play("check", actor=ruling["after"]["actor"], difficulty=8)["effects"] == []

    def test_when_it_costs_is_idle_where_nobody_tries_it(self) -> None:
        idle = ["nothing extraordinary is tried, so no weird is at stake (option spendOn)"]
        against: list[dict[str, Any]] = [{"difficulty": 8}, {"opponent": {}}, {"stakes": "none"}]
        for more in against:
            assert said(play("check", actor={}, spendOn="success", **more), "jazz.weird.spend") == idle
        assert said(play("teamwork", members=[{}], difficulty=8, spendOn="success"), "jazz.weird.spend") == idle
        assert said(play("teamwork", members=[{}], opponent={}, spendOn="success"), "jazz.weird.spend") == idle
        assert said(play("teamwork", members=[{}], opponent={}), "jazz.weird.spend") == []

    def test_without_a_roll_it_succeeds_and_costs(self) -> None:
        ruling = play("check", actor=bewitching(), stakes="none", spendOn="success")
        assert said(ruling, "jazz.weird.spend") == [
            "Rook: success (option spendOn)",
            "Rook: truly extraordinary, one weird spent",
        ]

    def test_without_a_sheet_the_cost_is_told_all_the_same(self) -> None:
        ruling = play("check", LOSE, actor={"bonus": 3, "extraordinary": True}, difficulty=8)
        assert ruling["effects"] == [{"on": "actor", "id": None, "stat": "weird", "from": None, "to": None, "change": -1}]

    @pytest.mark.parametrize(("spend_on", "faces", "cost"), [("attempt", [6, 6], 1), ("success", [6, 6], 0), ("success", [1, 1], 1)])
    def test_who_opposes_pays_too(self, spend_on: str, faces: list[int], cost: int) -> None:
        ruling = play("check", {"actor": faces, "opponent": [3, 4]}, actor={}, opponent=bewitching(), spendOn=spend_on)
        assert ruling["after"]["opponent"]["character"]["weird"]["current"] == 2 - cost
        came = {"attempt": [], "success": ["Rook: success (option spendOn)" if cost else "Rook: no success (option spendOn)"]}[spend_on]
        assert said(ruling, "jazz.weird.spend") == [*came, *["Rook: truly extraordinary, one weird spent"] * cost]

    def test_in_a_team(self) -> None:
        dice = {"members.0": [1, 2], "members.1": [1, 1]}
        ruling = play("teamwork", dice, members=[bewitching(), {"bonus": 0}], difficulty=8)
        assert effects(ruling) == [("members.0.weird", 2, 1)]
        on_success = {"members": [bewitching(), {"bonus": 0}], "spendOn": "success"}
        assert effects(play("teamwork", dice, **on_success, difficulty=8)) == []
        ruling = play("teamwork", dice, **on_success, difficulty=7)
        assert (effects(ruling), said(ruling, "jazz.weird.spend")[0]) == ([("members.0.weird", 2, 1)], "Rook: success (option spendOn)")

    @pytest.mark.parametrize(("opposing", "said_", "cost"), [([6, 6], "success", 1), ([1, 1], "no success", 0)])
    def test_against_a_team(self, opposing: list[int], said_: str, cost: int) -> None:
        ruling = play("teamwork", {"members.0": [3, 4], "opponent": opposing}, members=[{}], opponent=bewitching(), spendOn="success")
        assert ruling["after"]["opponent"]["character"]["weird"]["current"] == 2 - cost
        spent = ["Rook: truly extraordinary, one weird spent"] * cost
        assert said(ruling, "jazz.weird.spend") == [f"Rook: {said_} (option spendOn)", *spent]
        attempt = play("teamwork", members=[{}], opponent=bewitching())
        assert effects(attempt) == [("opponent.weird", 2, 1)]

    def test_an_ordinary_use_by_whoever_opposes_is_said(self) -> None:
        """jazz.weird.free"""
        free = ["Rook: an ordinary use of a weird aspect costs nothing"]
        opponent = {"character": ROOK, "using": [WITCH]}
        assert said(play("check", actor={}, opponent=opponent), "jazz.weird.free") == free
        assert said(play("teamwork", members=[{}], opponent=opponent), "jazz.weird.free") == free


class TestFree:
    """jazz.weird.free"""

    def test_an_ordinary_use(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor={"character": ROOK, "using": [WITCH]}, difficulty=8)
        assert (ruling["outcome"], ruling["effects"]) == ("success", [])
        assert said(ruling, "jazz.weird.free") == ["Rook: an ordinary use of a weird aspect costs nothing"]
        assert said(play("check", actor=driving(), difficulty=8), "jazz.weird.free") == []
        assert said(play("check", actor=bewitching(), difficulty=8), "jazz.weird.free") == []

    def test_an_attack_and_a_defence(self) -> None:
        ruling = play("attack", attackers=[bewitching(hurt(4, 0))], defender=bewitching(hurt(4, 0)))
        assert said(ruling, "jazz.weird.free") == [
            "Rook: attacking one target is not extraordinary, so no weird is spent",
            "Rook: defending is not extraordinary, so no weird is spent",
        ]
        assert all(effect["stat"] != "weird" for effect in ruling["effects"])
        ruling = play("attack", attackers=[{"bonus": 1, "extraordinary": True}], defender={"bonus": 1})
        assert all(effect["stat"] != "weird" for effect in ruling["effects"])


class TestDepleted:
    """jazz.weird.depleted"""

    def test_nothing_extraordinary_at_zero(self) -> None:
        assert refused("check", actor=bewitching(hurt(4, 0)), difficulty=8) == ("jazz.weird.depleted", "/actor/extraordinary")
        assert refused("check", actor=bewitching(hurt(4, 0)), difficulty=8, stakes="routine")[0] == "jazz.weird.depleted"
        members = [{"bonus": 1}, bewitching(hurt(4, 0))]
        assert refused("teamwork", members=members, difficulty=8) == ("jazz.weird.depleted", "/members/1/extraordinary")

    def test_ordinary_uses_go_on(self) -> None:
        ruling = play("check", {"actor": [3, 3]}, actor={"character": hurt(4, 0), "using": [WITCH]}, difficulty=8)
        assert ruling["outcome"] == "success"


class TestRestore:
    """jazz.weird.restore"""

    @pytest.mark.parametrize(
        ("row", "difficulty", "before", "most", "after"),
        [
            ("one", 8, 0, 4, 1),
            ("half", 10, 0, 4, 2),
            ("half", 10, 1, 5, 4),
            ("half", 10, 3, 4, 4),
            ("full", 12, 1, 7, 7),
            ("dying", 14, 0, 4, 1),
            ("dead", 16, 0, 4, 1),
        ],
    )
    def test_the_rows(self, row: str, difficulty: int, before: int, most: int, after: int) -> None:
        subject = {"name": "Thug", "aspects": [], "health": {"current": before, "max": most}, "out": before == 0}
        dice = {"actor": [6, 6, 6]}
        ruling = play("check", dice, actor=bewitching(advantage=True), effect=f"restoreHealth.{row}", subject=subject)
        assert (ruling["target"], ruling["outcome"]) == (difficulty, "success")
        assert ruling["after"]["subject"]["health"] == {"current": after, "max": most}
        assert ruling["after"]["subject"]["out"] is False
        assert value(ruling, "jazz.weird.restore") == after - before
        assert said(ruling, "jazz.weird.restore") == [f"Thug: health {before} becomes {after}"]

    def test_a_failure_heals_nobody(self) -> None:
        subject = {**THUG, "health": {"current": 0, "max": 1}, "out": True}
        ruling = play("check", LOSE, actor=bewitching(), effect="restoreHealth.one", subject=subject)
        assert effects(ruling) == [("actor.weird", 2, 1)]
        assert said(ruling, "jazz.weird.restore") == ["Thug: failure, so nothing is restored"]
        assert value(ruling, "jazz.weird.restore") == 0
        barred = play("check", actor={}, effect="restoreHealth.one", subject=subject, specialistOnly=True)
        assert said(barred, "jazz.weird.restore") == ["Thug: impossible, so nothing is restored"]

    def test_nothing_to_heal_is_no_effect(self) -> None:
        ruling = play("check", {"actor": [6, 6]}, actor=bewitching(), effect="restoreHealth.one", subject=THUG)
        assert effects(ruling) == [("actor.weird", 2, 1)]

    @pytest.mark.parametrize(
        ("row", "whom"), [("one", "unconscious"), ("dying", "dying"), ("dead", "dead"), ("half", None), ("full", None)]
    )
    def test_a_row_for_somebody_worse_off_counts_all_the_same(self, row: str, whom: str | None) -> None:
        ruling = play("check", actor={"bonus": 99}, effect=f"restoreHealth.{row}", subject=hurt(3))
        assert effects(ruling) == [("subject.health", 3, 4)]
        aside = [f"Rook: not out, where the row is for somebody {whom}; it counts all the same"] if whom else []
        assert said(ruling, "jazz.weird.restore") == [*aside, "Rook: health 3 becomes 4"]

    def test_whoever_went_down_unhurt_comes_round(self) -> None:
        ruling = play("check", {"actor": [6, 6]}, actor=bewitching(), effect="restoreHealth.one", subject={**THUG, "out": True})
        assert effects(ruling) == [("actor.weird", 2, 1), ("subject.out", True, False)]

    def test_a_pool_that_holds_nothing_brings_nobody_round(self) -> None:
        subject = {**THUG, "health": {"current": 0, "max": 0}, "out": True}
        ruling = play("check", {"actor": [6, 6]}, actor=bewitching(), effect="restoreHealth.one", subject=subject)
        assert effects(ruling) == [("actor.weird", 2, 1)]

    def test_who_heals_themselves_comes_back_as_one(self) -> None:
        witch = hurt(1, id="pc-1")
        actor = {"character": witch, "using": [WITCH], "extraordinary": True}
        ruling = play("check", {"actor": [6, 6]}, actor=actor, effect="restoreHealth.half", subject=witch)
        assert effects(ruling) == [("actor.weird", 2, 1), ("subject.health", 1, 3)]
        whole = ruling["after"]["subject"]
        assert (whole["health"], whole["weird"]) == ({"current": 3, "max": 4}, {"current": 1, "max": 2})
        assert ruling["after"]["actor"]["character"] == whole

    @pytest.mark.parametrize("other", [{"id": None}, {"id": "pc-2"}, {"name": "Somebody else"}])
    def test_who_is_somebody_else_does_not(self, other: dict[str, Any]) -> None:
        witch = hurt(1, id="pc-1")
        actor = {"character": witch, "using": [WITCH], "extraordinary": True}
        ruling = play("check", {"actor": [6, 6]}, actor=actor, effect="restoreHealth.half", subject={**witch, **other})
        assert ruling["after"]["actor"]["character"]["health"]["current"] == 1
        assert ruling["after"]["subject"]["weird"]["current"] == 2

    def test_nor_who_only_looks_alike(self) -> None:
        actor = {"character": hurt(1), "using": [WITCH], "extraordinary": True}
        ruling = play("check", {"actor": [6, 6]}, actor=actor, effect="restoreHealth.half", subject=hurt(1))
        assert ruling["after"]["actor"]["character"]["health"]["current"] == 1

    @pytest.mark.parametrize("request_", [{"difficulty": 8}, {"effect": "animal.command"}, {"level": "easy"}])
    def test_refuses_a_subject_with_nothing_to_heal_by(self, request_: dict[str, Any]) -> None:
        assert refused("check", actor=bewitching(), subject=ROOK, **request_) == ("jazz.weird.restore", "/subject")

    def test_refuses_a_subject_without_a_health_pool(self) -> None:
        subject = rook(survivalAspect=None)
        assert refused("check", actor=bewitching(), effect="restoreHealth.one", subject=subject) == (
            "jazz.weird.restore",
            "/subject/health",
        )
