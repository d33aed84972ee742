"""Weird aspects: what an extraordinary use costs, and healing."""

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
    unused,
    value,
    values,
)

LOSE: dict[str, list[int]] = {"actor": [1, 2]}
WIN: dict[str, list[int]] = {"actor": [6, 6]}
PAID = ("actor.weird", 2, 1)


class TestSpend:
    """jazz.weird.spend"""

    @pytest.mark.parametrize(
        ("request_", "faces", "changes", "cited"),
        [
            ({"difficulty": 8}, LOSE, [PAID], [1]),
            ({"difficulty": 8, "spendOn": "success"}, LOSE, [], ["success"]),
            ({"difficulty": 5, "spendOn": "success"}, LOSE, [PAID], [1]),
            ({"stakes": "none", "spendOn": "success"}, {}, [PAID], [1]),
        ],
    )
    def test_one_weird_for_the_attempt_or_for_success(
        self, request_: dict[str, Any], faces: dict[str, list[int]], changes: list[Any], cited: list[Any]
    ) -> None:
        ruling = play("check", faces, actor=bewitching(), **request_)
        assert (effects(ruling), values(ruling, "jazz.weird.spend")) == (changes, cited)

    def test_only_weird_aspects_count(self) -> None:
        ruling = play("check", LOSE, actor={"character": ROOK, "using": [DRIVER, WITCH], "extraordinary": True}, difficulty=8)
        assert (ruling["total"], values(ruling, "jazz.weird.spend")) == (5, [None, 1])

    def test_extraordinary_applies_to_one_roll(self) -> None:
        ruling = play("check", LOSE, actor=bewitching(hurt(4, 1)), difficulty=8)
        assert "extraordinary" not in ruling["after"]["actor"]
        assert play("check", actor=ruling["after"]["actor"], difficulty=8)["effects"] == []

    @pytest.mark.parametrize(
        ("action", "request_"),
        [
            ("check", {"actor": {}, "difficulty": 8}),
            ("check", {"actor": {}, "opponent": {}}),
            ("check", {"actor": {}, "stakes": "none"}),
            ("teamwork", {"members": [{}], "difficulty": 8}),
            ("teamwork", {"members": [{}], "opponent": {}}),
        ],
    )
    def test_spend_on_without_an_extraordinary_use_is_reported(self, action: str, request_: dict[str, Any]) -> None:
        assert unused(play(action, **request_, spendOn="success")) == ["/spendOn"]
        assert unused(play(action, **request_)) == []

    def test_without_a_sheet_the_cost_is_still_reported(self) -> None:
        ruling = play("check", LOSE, actor={"bonus": 3, "extraordinary": True}, difficulty=8)
        assert ruling["effects"] == [{"on": "actor", "id": None, "stat": "weird", "from": None, "to": None, "change": -1, "pointer": None}]

    @pytest.mark.parametrize(("spend_on", "faces", "cost"), [("attempt", [6, 6], 1), ("success", [6, 6], 0), ("success", [1, 1], 1)])
    def test_opponent_pays_too(self, spend_on: str, faces: list[int], cost: int) -> None:
        for action, roll, side in (("check", "actor", {"actor": {}}), ("teamwork", "members.0", {"members": [{}]})):
            ruling = play(action, {roll: faces, "opponent": [3, 4]}, **side, opponent=bewitching(), spendOn=spend_on)
            assert effects(ruling) == [("opponent.weird", 2, 1)] * cost
            assert values(ruling, "jazz.weird.spend") == ([1] if cost else ["success"])

    @pytest.mark.parametrize(("difficulty", "spend_on", "cited"), [(8, "attempt", [1]), (8, "success", ["success"]), (7, "success", [1])])
    def test_in_a_team(self, difficulty: int, spend_on: str, cited: list[Any]) -> None:
        dice = {"members.0": [1, 2], "members.1": [1, 1]}
        ruling = play("teamwork", dice, members=[bewitching(), {"bonus": 0}], difficulty=difficulty, spendOn=spend_on)
        assert values(ruling, "jazz.weird.spend") == cited
        assert effects(ruling) == [("members.0.weird", 2, 1)] * (1 in cited)


class TestFree:
    """jazz.weird.free, jazz.weird.depleted"""

    def test_ordinary_use(self) -> None:
        ordinary = {"character": hurt(4, 0), "using": [WITCH]}
        for request in ({"actor": ordinary, "difficulty": 8}, {"actor": {}, "opponent": ordinary}):
            ruling = play("check", **request)
            assert (ruling["effects"], values(ruling, "jazz.weird.free")) == ([], [None])
        assert values(play("teamwork", members=[{}], opponent=ordinary), "jazz.weird.free") == [None]
        for actor in (driving(), bewitching()):
            assert values(play("check", actor=actor, difficulty=8), "jazz.weird.free") == []

    def test_attack_and_defence_cost_weird_only_if_extraordinary(self) -> None:
        ruling = play("attack", attackers=[bewitching()], defender={"character": ROOK, "using": [WITCH]})
        assert (effects(ruling)[0], values(ruling, "jazz.weird.free")) == (("attackers.0.weird", 2, 1), [None])
        ruling = play("attack", attackers=[{"character": ROOK, "using": [WITCH]}], defender=bewitching())
        assert (effects(ruling)[0], values(ruling, "jazz.weird.spend")) == (("defender.weird", 2, 1), [1])

    @pytest.mark.parametrize(
        ("actor", "rule"), [(bewitching(hurt(4, 0)), "jazz.weird.depleted"), (driving(extraordinary=True), "jazz.weird.spend")]
    )
    def test_extraordinary_attacks_and_defences_that_are_refused(self, actor: dict[str, Any], rule: str) -> None:
        assert refused("attack", attackers=[actor], defender={})[0] == rule
        assert refused("attack", attackers=[{}], defender=actor)[0] == rule


class TestRestore:
    """jazz.weird.restore"""

    @pytest.mark.parametrize(
        ("row", "difficulty", "before", "most", "after"),
        [
            ("one", 8, 0, 4, 1),
            ("half", 10, 0, 4, 2),
            ("half", 10, 1, 5, 3),
            ("half", 10, 3, 4, 4),
            ("full", 12, 1, 7, 7),
            ("dying", 14, 0, 4, 1),
            ("dead", 16, 0, 4, 1),
        ],
    )
    def test_rows(self, row: str, difficulty: int, before: int, most: int, after: int) -> None:
        subject = {"name": "Thug", "aspects": [], "health": {"current": before, "max": most}, "out": before == 0}
        ruling = play("check", {"actor": [6, 6, 6]}, actor=bewitching(advantage=True), effect=f"restoreHealth.{row}", subject=subject)
        assert (ruling["target"], ruling["outcome"], value(ruling, "jazz.weird.restore")) == (difficulty, "success", after - before)
        healed = ruling["after"]["subject"]
        assert (healed["health"], healed["out"]) == ({"current": after, "max": most}, False)

    @pytest.mark.parametrize(("row", "reported"), [("one", 1), ("dying", 1), ("dead", 1), ("half", 0), ("full", 0)])
    def test_row_meant_for_somebody_worse_off(self, row: str, reported: int) -> None:
        ruling = play("check", actor={"bonus": 99, "extraordinary": False}, effect=f"restoreHealth.{row}", subject=hurt(3))
        assert (effects(ruling), values(ruling, "jazz.weird.restore")) == ([("subject.health", 3, 4)], [None] * reported + [1])

    @pytest.mark.parametrize(
        ("subject", "faces", "changes", "cited"),
        [
            ({**THUG, "health": {"current": 0, "max": 1}, "out": True}, [1, 2], [], [0]),
            (THUG, [6, 6], [], [None, 0]),
            ({**THUG, "out": True}, [6, 6], [("subject.out", True, False)], [0]),
            ({**THUG, "health": {"current": 0, "max": 0}, "out": True}, [6, 6], [], [0]),
        ],
    )
    def test_nothing_to_heal(self, subject: dict[str, Any], faces: list[int], changes: list[Any], cited: list[Any]) -> None:
        """A failure, full health with or without being out, and a pool of 0."""
        ruling = play("check", {"actor": faces}, actor=bewitching(), effect="restoreHealth.one", subject=subject)
        assert (effects(ruling), values(ruling, "jazz.weird.restore")) == ([PAID, *changes], cited)

    def test_impossible_attempt(self) -> None:
        ruling = play("check", actor={}, effect="restoreHealth.one", subject=hurt(0), specialistOnly=True)
        assert values(ruling, "jazz.weird.restore") == []

    def test_healing_oneself_changes_both_places(self) -> None:
        witch = hurt(1, id="pc-1")
        ruling = play("check", WIN, actor=bewitching(witch), effect="restoreHealth.half", subject=witch)
        assert effects(ruling) == [PAID, ("subject.health", 1, 3)]
        healed = ruling["after"]["subject"]
        assert (healed["health"], healed["weird"]) == ({"current": 3, "max": 4}, {"current": 1, "max": 2})
        assert ruling["after"]["actor"]["character"] == healed

    @pytest.mark.parametrize(
        ("actor", "subject"),
        [
            (hurt(1, id="pc-1"), hurt(1, id=None)),
            (hurt(1, id="pc-1"), hurt(1, id="pc-2")),
            (hurt(1, id="pc-1"), hurt(1, id="pc-1", name="Wren")),
            (hurt(1), hurt(1)),
        ],
    )
    def test_somebody_else_is_not_changed(self, actor: dict[str, Any], subject: dict[str, Any]) -> None:
        ruling = play("check", WIN, actor=bewitching(actor), effect="restoreHealth.half", subject=subject)
        assert ruling["after"]["actor"]["character"]["health"]["current"] == 1
        assert ruling["after"]["subject"]["weird"]["current"] == 2


def test_no_weird_left_bars_only_extraordinary_uses() -> None:
    """jazz.weird.depleted"""
    ruling = play("check", {"actor": [3, 3]}, actor={"character": rook(weird={"current": 0, "max": 2}), "using": [WITCH]}, difficulty=8)
    assert ruling["outcome"] == "success"
