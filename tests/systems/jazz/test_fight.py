"""A whole conflict: the attacks of every round until one side stands, as a roll, as exact odds, and simulated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablecall import engine
from tablecall.engine.budget import Budget, BudgetExceeded, at_once
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.systems import ACTIONS
from tablecall.systems.jazz.combat_process import Fight, Standing
from tablecall.systems.jazz.fight import JazzFight
from tablecall.systems.verdict import Verdict
from tests.systems.jazz.playing import (
    ROOK,
    THUG,
    ask,
    bewitching,
    chances,
    effects,
    factors,
    hurt,
    play,
    refusal,
    refused,
    rolled,
    said,
    value,
)
from tests.systems.playing import Faces


def one(known_as: str, side: str, health: int = 1, bonus: int = 2, **more: Any) -> dict[str, Any]:
    """Somebody with a bonus for everything, by the same name and id unless told otherwise; more is about how they roll, or of the sheet."""
    aspect = {"name": "fighter", "bonus": bonus}
    rolling: dict[str, Any] = {key: more.pop(key) for key in ("spend", "imposeKarma", "advantage", "disadvantage") if key in more}
    combatant: dict[str, Any] = {key: more.pop(key) for key in ("drop", "initiativeBonus") if key in more}
    sheet = {"name": known_as.capitalize(), "aspects": [aspect], "health": {"current": health, "max": max(health, 4)}, **more}
    return {"id": known_as, "side": side, "actor": {"character": sheet, "using": ["fighter"], **rolling}, **combatant}


def listed(*names: str) -> list[list[str]]:
    """An order: each name a place; ``a=c`` those who share one."""
    return [name.split("=") for name in names]


HIT, MISS = ([6, 6], [1, 1]), ([1, 1], [6, 6])


def blow(time: int, by: int, on: int, faces: tuple[list[int], list[int]] = HIT) -> Faces:
    """One attack's dice."""
    return {f"combatants.{by}.round{time}.attack": faces[0], f"combatants.{on}.round{time}.against{by}": faces[1]}


def blows(ruling: dict[str, Any]) -> list[str]:
    """Every attack: the round, whose, on whom, what came of it."""
    return [f"{attack['round']} {attack['by']} {attack['on']} {attack['outcome']}" for attack in ruling["attacks"]]


A, C = one("ana", "x"), one("cy", "y")


class TestFight:
    """jazz.conflict.order, jazz.conflict.attack, jazz.conflict.out"""

    def test_round_follows_round_until_one_side_stands(self) -> None:
        dice = blow(1, 0, 1) | blow(1, 1, 0, MISS) | blow(2, 0, 1, MISS) | blow(2, 1, 0) | blow(3, 0, 1)
        ruling = play("fight", dice, combatants=[one("ana", "x", 3), one("cy", "y", 2)], order=listed("ana", "cy"))
        assert (ruling["outcome"], ruling["succeeded"], ruling["rounds"]) == ("x", None, 3)
        assert blows(ruling) == ["1 ana cy hit", "1 cy ana miss", "2 ana cy miss", "2 cy ana hit", "3 ana cy hit"]
        assert rolled(ruling) == list(dice)
        assert ruling["attacks"][0] == {
            "round": 1,
            "by": "ana",
            "on": "cy",
            "outcome": "hit",
            "total": 14,
            "target": 4,
            "health": 1,
            "out": False,
        }
        assert (ruling["attacks"][-1]["health"], ruling["attacks"][-1]["out"]) == (0, True)
        assert effects(ruling) == [("combatants.0.health", 3, 2), ("combatants.1.health", 2, 0), ("combatants.1.out", False, True)]
        assert ruling["summary"] == "A fight of 3 rounds, 5 attacks, won by x; down: Cy"
        assert ruling["markdown"] == "**x**: A fight of 3 rounds, 5 attacks, won by x; down\\: Cy"
        assert ruling["after"]["order"] == listed("ana", "cy")
        assert ruling["after"]["combatants"][1]["actor"]["character"]["out"] is True

    def test_it_says_how_somebody_rolls_once_and_every_attack(self) -> None:
        dice = blow(1, 0, 1, MISS) | blow(1, 1, 0, MISS) | blow(2, 0, 1, MISS) | blow(2, 1, 0)
        ruling = play("fight", dice, combatants=[A, C], order=listed("ana", "cy"))
        assert said(ruling, "jazz.dice.roll") == ["Ana: 2d6 + 2", "Cy: 2d6 + 2"]
        assert said(ruling, "jazz.aspects.highest") == ["Ana: fighter +2", "Cy: fighter +2"]
        assert said(ruling, "jazz.conflict.attack") == [
            "round 1: Ana on Cy: 4 against 14: a miss",
            "round 1: Cy on Ana: 4 against 14: a miss",
            "round 2: Ana on Cy: 4 against 14: a miss",
            "round 2: Cy on Ana: 14 against 4: a hit",
        ]
        assert said(ruling, "jazz.conflict.out") == [
            "round 2: Ana has no health left and is out of the fight",
            "y is all that still stands, so the conflict is over",
        ]

    def test_initiative_is_rolled_once_where_no_order_is_known(self) -> None:
        dice = {"combatants.0": [1, 1], "combatants.1": [1, 2, 2]} | blow(1, 1, 0, MISS) | blow(1, 0, 1)
        ruling = play("fight", dice, combatants=[A, one("cy", "y", drop=True)])
        assert (blows(ruling), ruling["after"]["order"]) == (["1 cy ana miss", "1 ana cy hit"], listed("cy", "ana"))
        assert rolled(ruling)[:2] == ["combatants.0", "combatants.1"]
        again = play("fight", blow(1, 1, 0), combatants=[A, C], order=listed("cy", "ana"), ties="listed")
        assert said(again, "jazz.conflict.order") == ["the order was given, so there is no tie to decide (option ties)"]

    def test_an_attack_is_the_attack_of_its_own_action(self) -> None:
        fighters = [one("ana", "x", 4, 3, advantage=True), one("bo", "x", 3, disadvantage=True), one("cy", "y", 4, 4)]
        ruling = play("fight", combatants=fighters, seed="the yard")
        dice = {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in ruling["rolls"]}
        places = {fighter["id"]: (index, fighter["actor"]) for index, fighter in enumerate(fighters)}
        for attack in ruling["attacks"]:
            (by, attacker), (on, defender) = places[attack["by"]], places[attack["on"]]
            faces = {
                "attackers.0": dice[f"combatants.{by}.round{attack['round']}.attack"],
                "defender": dice[f"combatants.{on}.round{attack['round']}.against{by}"],
            }
            alone = play("attack", faces, attackers=[attacker], defender=defender)
            assert (alone["outcome"], alone["total"], alone["target"]) == (attack["outcome"], attack["total"], attack["target"])
        assert len(ruling["attacks"]) > 5

    def test_dice_hang_on_the_round_and_on_who_rolls_alone(self) -> None:
        fighters = [one("ana", "x", 4), one("cy", "y", 4)]
        first = play("fight", combatants=fighters, order=listed("ana", "cy"), seed=3)
        other = play("fight", combatants=fighters, order=listed("cy", "ana"), seed=3)
        dice = {roll["roll"]: roll["dice"] for roll in first["rolls"]}
        same = [roll for roll in other["rolls"] if roll["roll"] in dice]
        assert len(same) > 4
        assert all(dice[roll["roll"]] == roll["dice"] for roll in same)

    def test_unnamed_go_down_at_once(self) -> None:
        """jazz.conflict.unnamed"""
        thug = {"id": "thug", "side": "y", "actor": {"character": THUG, "using": ["thug"]}}
        poolless = {"id": "z", "side": "y", "actor": {"character": {"name": "Zed", "named": False, "aspects": []}}}
        ruling = play(
            "fight", blow(1, 0, 1) | blow(2, 0, 2), combatants=[one("ana", "x", 4), thug, poolless], order=listed("ana", "thug", "z")
        )
        assert said(ruling, "jazz.conflict.unnamed") == [
            "round 1: Thug is unnamed, and is out of the fight",
            "round 2: Zed is unnamed, and is out of the fight",
        ]
        assert [effect["stat"] for effect in ruling["effects"] if effect["on"] == "combatants.2"] == ["health", "out"]
        assert ruling["effects"][-2] == {"on": "combatants.2", "id": "z", "stat": "health", "from": None, "to": None, "change": -1}
        assert ruling["attacks"][-1]["health"] is None

    def test_a_pool_that_holds_nothing_goes_with_the_first_hit(self) -> None:
        empty = one("cy", "y")
        empty["actor"]["character"]["health"] = {"current": 0, "max": 0}
        ruling = play("fight", blow(1, 0, 1), combatants=[A, empty], order=listed("ana", "cy"))
        assert effects(ruling) == [("combatants.1.out", False, True)]

    def test_every_kind_wears_down_health(self) -> None:
        """jazz.conflict.kind"""
        ruling = play("fight", blow(1, 0, 1), combatants=[A, C], order=listed("ana", "cy"), kind="social")
        assert value(ruling, "jazz.conflict.kind") == "social"
        assert said(ruling, "jazz.conflict.kind") == ["a social conflict wears down health all the same"]
        assert said(play("fight", blow(1, 0, 1), combatants=[A, C], order=listed("ana", "cy")), "jazz.conflict.kind") == []

    def test_weird_is_free(self) -> None:
        """jazz.weird.free"""
        rook = {"id": "rook", "side": "x", "actor": {"character": ROOK, "using": ["hereditary witch"], "extraordinary": True}}
        ruling = play("fight", blow(1, 0, 1), combatants=[rook, C], order=listed("rook", "cy"))
        assert said(ruling, "jazz.weird.free") == ["Rook: attacking one target is not extraordinary, so no weird is spent"]
        summed = {**ROOK, "weirdPool": "sum"}
        rook["actor"] = {"character": summed, "using": ["hereditary witch"]}
        assert said(play("fight", combatants=[rook, C]), "jazz.weird.pool")

    def test_so_whoever_has_no_weird_left_fights_on(self) -> None:
        """jazz.weird.free, jazz.weird.depleted"""
        drained = {"id": "rook", "side": "x", "actor": bewitching(hurt(4, weird=0))}
        ruling = play("fight", blow(1, 1, 0, MISS) | blow(1, 0, 1), combatants=[drained, C], order=listed("cy", "rook"))
        assert said(ruling, "jazz.weird.free") == [
            f"Rook: {what} is not extraordinary, so no weird is spent" for what in ("defending", "attacking one target")
        ]
        assert (ruling["outcome"], [stat for stat, _, _ in effects(ruling)]) == ("x", ["combatants.1.health", "combatants.1.out"])


class TestWhoIsWho:
    """Those of one name are told apart by their ids, and nothing that happened twice is told once."""

    THUGS = tuple(one(name, "y", named=False, name="Thug") for name in ("t1", "t2", "t3"))
    ORDER = listed("ana", "bo", "t1", "t2", "t3")

    def fighters(self, **more: Any) -> list[dict[str, Any]]:
        return [one("ana", "x", 4), one("bo", "x", 4), *({**thug, **more} for thug in self.THUGS)]

    def test_all_who_went_down_are_named(self) -> None:
        dice = blow(1, 0, 2) | blow(1, 1, 3) | blow(1, 4, 0, MISS) | blow(2, 0, 4)
        ruling = play("fight", dice, combatants=self.fighters(), order=self.ORDER)
        assert ruling["summary"] == "A fight of 2 rounds, 4 attacks, won by x; down: Thug (t1), Thug (t2), Thug (t3)"
        assert said(ruling, "jazz.conflict.unnamed") == [
            f"round {number}: Thug ({name}) is unnamed, and is out of the fight" for number, name in ((1, "t1"), (1, "t2"), (2, "t3"))
        ]
        assert [roll["name"] for roll in ruling["rolls"][:2]] == ["Ana", "Thug"]

    def test_every_attack_is_told(self) -> None:
        dice = blow(1, 0, 2, MISS) | blow(1, 1, 2, MISS) | blow(1, 2, 0, MISS) | blow(1, 3, 0, MISS) | blow(1, 4, 0, MISS)
        ruling = play("fight", dice, combatants=self.fighters(), order=self.ORDER, maxRounds=1)
        assert said(ruling, "jazz.conflict.attack")[2:] == [
            f"round 1: Thug ({name}) on Ana: 4 against 14: a miss" for name in ("t1", "t2", "t3")
        ]
        whoever = ("Ana", "Thug (t1)", "Bo", "Thug (t2)", "Thug (t3)")
        assert said(ruling, "jazz.dice.roll") == [f"{who}: 2d6 + 2" for who in whoever]
        assert said(ruling, "jazz.aspects.highest") == [f"{who}: fighter +2" for who in whoever]

    @pytest.mark.parametrize(("many", "more"), [(8, ""), (9, " and 1 more"), (10, " and 2 more")])
    def test_of_many_who_went_down_only_some_are_named(self, many: int, more: str) -> None:
        crowd = [one(f"c{number}", "y", named=False) for number in range(many)]
        dice = {roll: faces for number in range(many) for roll, faces in blow(number + 1, 0, number + 1).items()}
        ana = one("ana", "x", 900)
        ruling = play("fight", dice, combatants=[ana, *crowd], order=listed("ana", *(fighter["id"] for fighter in crowd)))
        assert ruling["summary"].endswith(f"down: C0, C1, C2, C3, C4, C5, C6, C7{more}")

    def test_after_a_die_is_spent_it_is_told_how_they_roll_without(self) -> None:
        lucky = one("ana", "x", 4, spend="karma", karma="positive")
        dice = blow(1, 1, 0, MISS) | blow(1, 0, 1, ([1, 1, 1], [6, 6])) | blow(2, 1, 0, MISS)
        ruling = play("fight", dice, combatants=[lucky, one("cy", "y", 4)], order=listed("cy", "ana"), maxRounds=2)
        assert said(ruling, "jazz.dice.roll") == ["Cy: 2d6 + 2", "Ana: 2d6 + 2", "Ana: 3d6 + 2", "Ana: 2d6 + 2"]


class TestTactics:
    """jazz.conflict.attack"""

    FOES = (one("b", "y", 2), one("c", "y", 1), one("d", "y", 3), one("e", "z", 1), one("f", "z", 3))
    ORDER = listed("ana", "b", "c", "d", "e", "f")

    @pytest.mark.parametrize(("tactic", "target"), [(None, "b"), ("first", "b"), ("weakest", "c"), ("strongest", "d")])
    def test_they_say_whom(self, tactic: str | None, target: str) -> None:
        tactics = {"tactics": {"x": tactic}} if tactic else {}
        ruling = play("fight", combatants=[A, *self.FOES], order=self.ORDER, maxRounds=1, **tactics)
        assert ruling["attacks"][0]["on"] == target
        chosen = [step for step in ruling["steps"] if "option tactics" in step["text"]]
        told = [(f"x: on the {tactic} who stands (option tactics)", tactic)] if tactic else []
        assert [(step["text"], step["value"]) for step in chosen] == told

    def test_each_side_has_its_own(self) -> None:
        fighters = [one("a", "x", 1), one("b", "x", 4), one("c", "y", 4), one("d", "y", 1)]
        dice = blow(1, 0, 3, MISS) | blow(1, 1, 3, MISS) | blow(1, 2, 1, MISS) | blow(1, 3, 1, MISS)
        ruling = play("fight", dice, combatants=fighters, order=listed(*"abcd"), maxRounds=1, tactics={"x": "weakest", "y": "strongest"})
        assert [attack["on"] for attack in ruling["attacks"]] == ["d", "d", "b", "b"]

    def test_weakest_is_whom_the_fewest_hits_take_out(self) -> None:
        unnamed = one("c", "y", 4, named=False)
        ruling = play(
            "fight", combatants=[A, one("b", "y", 2), unnamed], order=listed("ana", "b", "c"), maxRounds=1, tactics={"x": "weakest"}
        )
        assert ruling["attacks"][0]["on"] == "c"

    def test_strongest_moves_on_when_others_are_stronger(self) -> None:
        dice = blow(1, 0, 1) | blow(1, 1, 0, MISS) | blow(1, 2, 0, MISS) | blow(2, 0, 2)
        fighters = [one("ana", "x", 4), one("b", "y", 2), one("c", "y", 2)]
        ruling = play("fight", dice, combatants=fighters, order=listed("ana", "b", "c"), maxRounds=2, tactics={"x": "strongest"})
        assert [attack["on"] for attack in ruling["attacks"] if attack["by"] == "ana"] == ["b", "c"]

    def test_nobody_attacks_their_own_side_or_the_fallen(self) -> None:
        fighters = [one("ana", "x", 4), one("bo", "x", 4), one("cy", "y", 1), one("di", "y", 1)]
        dice = blow(1, 0, 2) | blow(1, 1, 3)
        ruling = play("fight", dice, combatants=fighters, order=listed("ana", "bo", "cy", "di"))
        assert blows(ruling) == ["1 ana cy hit", "1 bo di hit"]


class TestDiceToSpend:
    """jazz.karma.positive, jazz.karma.negative, jazz.complication.die"""

    def test_they_go_into_the_first_attack(self) -> None:
        lucky, cursed = one("ana", "x", 4, spend="karma", karma="positive"), one("cy", "y", 1, imposeKarma=True, karma="negative")
        dice = blow(1, 1, 0, ([1], [6, 6])) | blow(1, 0, 1, ([1, 1, 1], [6, 6])) | blow(2, 1, 0, MISS) | blow(2, 0, 1)
        ruling = play("fight", dice, combatants=[lucky, cursed], order=listed("cy", "ana"))
        assert effects(ruling)[0] == ("combatants.0.karma", "positive", "neutral")
        assert ("combatants.1.karma", "negative", "neutral") in effects(ruling)
        assert said(ruling, "jazz.karma.positive") == ["Ana: positive karma is spent on an advantage die"]
        assert ruling["after"]["combatants"][0]["actor"]["spend"] is None

    def test_whoever_never_attacks_keeps_them(self) -> None:
        lucky = one("ana", "x", spend="heldAdvantage", heldAdvantage=True)
        ruling = play("fight", blow(1, 1, 0), combatants=[lucky, C], order=listed("cy", "ana"))
        assert said(ruling, "jazz.complication.die") == ["Ana: no attack in this fight, so the die is kept"]
        assert [stat for stat, _, _ in effects(ruling)] == ["combatants.0.health", "combatants.0.out"]

    def test_each_keeps_or_spends_their_own(self) -> None:
        fighters = [one("ana", "x"), one("bo", "x", spend="karma", karma="positive"), C]
        kept = play("fight", blow(1, 0, 2), combatants=fighters, order=listed("ana", "bo", "cy"))
        assert said(kept, "jazz.karma.positive") == ["Bo: no attack in this fight, so the die is kept"]
        assert [stat for stat, _, _ in effects(kept)] == ["combatants.2.health", "combatants.2.out"]
        spent = play("fight", blow(1, 1, 2, ([6, 6, 6], [1, 1])), combatants=fighters, order=listed("bo", "ana", "cy"))
        assert effects(spent)[0] == ("combatants.1.karma", "positive", "neutral")

    def test_nobody_spends_what_another_took_out_of_the_fight(self) -> None:
        lucky = [one(known_as, "x", health, spend="karma", karma="positive") for known_as, health in (("ana", 4), ("bo", 1))]
        dice = blow(1, 0, 2, ([1, 1, 1], [6, 6])) | blow(1, 2, 1) | blow(2, 0, 2)
        ruling = play("fight", dice, combatants=[*lucky, C], order=listed("ana", "cy", "bo"), tactics={"y": "weakest"})
        assert blows(ruling) == ["1 ana cy miss", "1 cy bo hit", "2 ana cy hit"]
        assert [stat for stat, _, _ in effects(ruling) if stat.endswith("karma")] == ["combatants.0.karma"]

    def test_whoever_is_out_has_nothing_to_spend(self) -> None:
        out = one("bo", "x", spend="karma", out=True)
        ruling = play("fight", blow(1, 0, 2), combatants=[A, out, C], order=listed("ana", "bo", "cy"))
        assert said(ruling, "jazz.karma.positive") == ["Bo: no attack in this fight, so nothing is spent"]
        assert blows(ruling) == ["1 ana cy hit"]
        assert effects(ruling) == [("combatants.2.health", 1, 0), ("combatants.2.out", False, True)]
        assert ruling["after"]["order"] == listed("ana", "cy", "bo")


class TestTheEnd:
    """jazz.conflict.out, jazz.conflict.order"""

    def test_after_so_many_rounds_it_is_undecided_and_goes_on_from_there(self) -> None:
        fighters = [one("ana", "x", 4), one("cy", "y", 4)]
        ruling = play("fight", blow(1, 0, 1) | blow(1, 1, 0, MISS), combatants=fighters, order=listed("ana", "cy"), maxRounds=1)
        assert (ruling["outcome"], ruling["rounds"], ruling["summary"]) == (
            "undecided",
            1,
            "A fight of 1 round, 2 attacks, undecided; nobody went down",
        )
        assert said(ruling, "jazz.conflict.order") == ["after 1 round more than one side still stands (option maxRounds)"]
        more = play("fight", **ruling["after"], maxRounds=1)
        assert more["attacks"][0]["health"] in (3, 2)

    def test_where_one_side_stands_there_is_no_fight(self) -> None:
        ruling: dict[str, Any] = {}
        for fighters, outcome in (
            ([A, one("bo", "x")], "x"),
            ([A, one("cy", "y", out=True)], "x"),
            ([one("ana", "x", 0), one("cy", "y", out=True)], "undecided"),
        ):
            ruling = play("fight", combatants=fighters)
            assert (ruling["outcome"], ruling["rolls"], ruling["attacks"], ruling["rounds"]) == (outcome, [], [], 0)
            assert ruling["after"]["order"] == []
            assert chances("fight", combatants=fighters) == {outcome: "1"}
            assert list(ask("fight", combatants=fighters, method="simulation", trials=100)["outcomes"][0].values())[:3] == [outcome, 1, "1"]
        assert said(ruling, "jazz.conflict.out") == ["nobody still stands, so the conflict is over, and nobody's"]
        assert ruling["summary"] == "A fight of 0 rounds, 0 attacks, undecided; nobody went down"

    def test_those_who_act_together_may_bring_each_other_down(self) -> None:
        ruling = play("fight", blow(1, 0, 1) | blow(1, 1, 0), combatants=[A, C], order=listed("ana=cy"))
        assert (ruling["outcome"], blows(ruling)) == ("undecided", ["1 ana cy hit", "1 cy ana hit"])
        hit = Fraction(721, 1296)
        once = 1 - (1 - hit) ** 2
        found = {word: Fraction(part) for word, part in chances("fight", combatants=[A, C], order=listed("ana=cy"), maxRounds=1).items()}
        assert found == {"x": hit * (1 - hit), "y": hit * (1 - hit), "undecided": 1 - once + hit * hit}

    def test_of_those_who_act_together_only_who_stood_before_acts(self) -> None:
        fighters = [A, one("bo", "x"), C, one("di", "y")]
        dice = blow(1, 0, 2) | blow(1, 1, 3, MISS) | blow(1, 3, 0)
        ruling = play("fight", dice, combatants=fighters, order=listed("ana", "bo=cy", "di"), maxRounds=1)
        assert blows(ruling) == ["1 ana cy hit", "1 bo di miss", "1 di ana hit"]

    def test_it_says_who_acts_together(self) -> None:
        ruling = play("fight", blow(1, 0, 1) | blow(1, 1, 0), combatants=[A, C], order=listed("ana=cy"))
        text = "Ana and Cy act at the same time: each attacks, even if brought down just before"
        assert text in said(ruling, "jazz.conflict.order")
        assert text not in said(play("fight", combatants=[A, C], order=listed("ana", "cy")), "jazz.conflict.order")

    def test_whoever_is_out_already_rolls_no_initiative_and_comes_last(self) -> None:
        out = one("bo", "x", 0, drop=True)
        dice = {"combatants.0": [3, 4], "combatants.2": [1, 1]} | blow(1, 0, 2)
        ruling = play("fight", dice, combatants=[A, out, C])
        assert (rolled(ruling)[:2], ruling["after"]["order"]) == (["combatants.0", "combatants.2"], listed("ana", "cy", "bo"))
        assert [roll["roll"] for roll in ask("fight", dice, combatants=[A, out, C])["rolls"]][:2] == ["combatants.0", "combatants.2"]
        for reading in (play, ask):
            with pytest.raises(WrongDice, match="does not happen"):
                reading("fight", {"combatants.1": [1, 1, 1]}, combatants=[A, out, C])
        bare = {"id": "z", "side": "y", "actor": {"character": {"name": "Zed", "aspects": [], "out": True}}}
        assert play("fight", combatants=[A, C, bare])["outcome"] in ("x", "y")

    @pytest.mark.parametrize("tactic", ["first", "weakest", "strongest"])
    def test_those_who_act_together_find_nobody_left(self, tactic: str) -> None:
        fighters = [A, one("bo", "x"), C]
        dice = blow(1, 0, 2) | blow(1, 2, 0)
        ruling = play("fight", dice, combatants=fighters, order=listed("ana=bo=cy"), tactics={"x": tactic})
        assert blows(ruling) == ["1 ana cy hit", "1 cy ana hit"]
        assert ruling["outcome"] == "x"


class TestRefusals:
    BARE = {"id": "z", "side": "y", "actor": {"bonus": 3}}
    POOLLESS = {"id": "z", "side": "y", "actor": {"character": {"name": "Zed", "aspects": []}}}

    @pytest.mark.parametrize(
        ("request_", "found"),
        [
            ({"combatants": [A, BARE]}, ("jazz.conflict.out", "/combatants/1/actor")),
            ({"combatants": [A, POOLLESS]}, ("jazz.health.pool", "/combatants/1/actor/character/health")),
            ({"combatants": [A, A]}, ("jazz.conflict.initiative", "/combatants/1/id")),
            ({"order": listed("ana")}, ("jazz.conflict.order", "/order")),
            ({"tactics": {"x": "first", "a/b~": "first"}}, ("jazz.conflict.attack", "/tactics/a~1b~0")),
            ({"combatants": [A, one("cy", "undecided")]}, ("jazz.conflict.out", "/combatants/1/side")),
            ({"combatants": [A, C, one("di", "y")], "maxRounds": 667}, ("jazz.conflict.order", "/maxRounds")),
            ({"combatants": [one("ana", "x", spend="karma"), C]}, ("jazz.karma.positive", "/combatants/0/actor/spend")),
            ({"combatants": [A]}, (None, "/combatants")),
            ({"maxRounds": 0}, (None, "/maxRounds")),
            ({"maxRounds": 1001}, (None, "/maxRounds")),
            ({"tactics": {"": "first"}}, (None, "/tactics//[key]")),
            ({"tactics": {"s" * 121: "first"}}, (None, "/tactics/" + "s" * 121 + "/[key]")),
            ({"tactics": {"x": "luckiest"}}, (None, "/tactics/x")),
            ({"trials": 99}, (None, "/trials")),
            ({"method": "guess"}, (None, "/method")),
        ],
    )
    def test_they_say_where(self, request_: dict[str, Any], found: tuple[str | None, str]) -> None:
        assert refused("fight", **{"combatants": [A, C], **request_}) == found

    def test_as_many_turns_as_are_allowed(self) -> None:
        fighters = [A, *(one(f"c{index}", "y") for index in range(3))]
        assert play("fight", combatants=fighters, maxRounds=500)["outcome"] in ("x", "y")

    def test_a_side_may_have_as_long_a_name(self) -> None:
        long = "s" * 120
        assert play("fight", combatants=[one("ana", long), C], tactics={long: "weakest"})["outcome"] in (long, "y")

    @pytest.mark.parametrize(
        ("dice", "why"),
        [
            ({"nobody": [1]}, "this roll does not happen"),
            ({"combatants.0.round0.attack": [1, 1]}, "this roll does not happen"),
            ({"combatants.0.round4.attack": [1, 1]}, "this roll does not happen"),
            ({"combatants.0.round1.attack": [1]}, "too few dice"),
            ({"combatants.0.round1.attack": [1, 1, 1]}, "too many dice"),
            ({"combatants.1.round1.against0": [1, 7]}, "no such face"),
        ],
    )
    def test_dice_that_are_not_its(self, dice: Faces, why: str) -> None:
        asked = {"combatants": [A, C], "order": listed("ana", "cy"), "maxRounds": 3}
        rule, pointer, text = refusal("fight", dice, **asked)
        assert (rule, pointer.startswith("/dice/0"), text.startswith(why)) == ("jazz.dice.roll", True, True)
        for method in ("exact", "simulation"):
            with pytest.raises(WrongDice, match=why):
                ask("fight", dice, **asked, method=method, trials=100)

    def test_what_is_rolled_is_named_however_it_is_read(self) -> None:
        asked = {"combatants": [A, C], "order": listed("ana", "cy")}
        for method in ("exact", "simulation"):
            with pytest.raises(WrongDice, match=r"the rolls made are combatants\.0\.round1\.attack"):
                ask("fight", {"combatants.0.attack": [1, 1]}, **asked, method=method, trials=100)
        crowd = [one(f"c{number}", "y") for number in range(20)]
        with pytest.raises(WrongDice, match=r" and [0-9]+ more$"):
            play("fight", {"nobody": [1]}, combatants=[one("ana", "x", 9), *crowd])

    def test_dice_for_what_seldom_happens_are_its_own(self) -> None:
        asked = {"combatants": [A, C], "order": listed("ana", "cy"), "method": "simulation", "trials": 100}
        assert ask("fight", {"combatants.0.round60.attack": [1, 1]}, **asked)["simulated"]["trials"] == 100

    @pytest.mark.parametrize("ties", ["rerollOff", "listed", "simultaneous"])
    def test_what_is_too_large_is_refused_before_any_order_is_weighed(self, ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """The orders of eight alone would take seconds to weigh."""

        def weighs(*parts: object) -> list[int]:
            raise AssertionError

        monkeypatch.setattr("tablecall.dice.ranking._weighed_orders", weighs)
        crowd = [one(f"{side}{index}", side) for side in "xy" for index in range(4)]
        with pytest.raises(TooLargeToCount, match="50000 branches"):
            ask("fight", combatants=crowd, ties=ties)

    @pytest.mark.parametrize(
        ("request_", "bound"),
        [
            ({"combatants": [one(f"{side}{index}", side, 4) for side in "xy" for index in range(3)]}, "50000 branches"),
            ({"combatants": [one(f"{side}{index}", side, 900) for side in "xy" for index in range(2)]}, "50000 branches"),
            ({"combatants": [one("ana", "x", 4), one("cy", "y", 4)], "order": listed("ana", "cy"), "maxRounds": 1000}, "3,900 digits"),
            ({"combatants": [one(f"c{index}", f"s{index}", 4) for index in range(9)], "maxRounds": 10}, "50000 branches"),
        ],
    )
    def test_too_large_to_count_is_refused_and_may_be_simulated(self, request_: dict[str, Any], bound: str) -> None:
        with pytest.raises(TooLargeToCount, match=f"{bound}.*simulated"):
            ask("fight", **request_)
        assert sum(Fraction(row["fraction"]) for row in ask("fight", **request_, method="simulation", trials=100)["outcomes"]) == 1


# ── The odds ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def hit(attacker: dict[str, Any], defender: dict[str, Any]) -> Fraction:
    """The chance of one attack, as its own action has it."""
    return Fraction(chances("attack", attackers=[attacker["actor"]], defender=defender["actor"]).get("hit", "0"))


Health = tuple[int, ...]


def standing(fighters: list[dict[str, Any]], health: Health) -> set[str]:
    """The sides of which somebody stands."""
    return {fighter["side"] for fighter, left in zip(fighters, health, strict=True) if left}


def fought(
    fighters: list[dict[str, Any]], order: list[list[str]], tactics: dict[str, str], rounds: int
) -> tuple[dict[str, Fraction], dict[int, Fraction]]:
    """The chance of each outcome and of each number of rounds, straight from the rules."""
    before = Fraction(1)
    found: dict[str, Fraction] = {}
    lengths: dict[int, Fraction] = {}
    for number, live in enumerate(by_rounds(fighters, order, tactics, rounds)):
        going = sum((chance for health, chance in live.items() if len(standing(fighters, health)) > 1), Fraction())
        lengths[number] = before - (0 if number == rounds else going)
        before = going
    for health, chance in live.items():
        left = standing(fighters, health)
        word = left.pop() if len(left) == 1 else "undecided"
        found[word] = found.get(word, Fraction()) + chance
    return {word: chance for word, chance in found.items() if chance}, {number: chance for number, chance in lengths.items() if chance}


def by_rounds(
    fighters: list[dict[str, Any]], order: list[list[str]], tactics: dict[str, str], rounds: int
) -> Iterable[dict[Health, Fraction]]:
    """The chance of everybody's health after each round, from before the first: every way there is, one attack after the other."""
    index = {fighter["id"]: number for number, fighter in enumerate(fighters)}
    able = [number for number, fighter in enumerate(fighters) if fighter["actor"]["character"]["health"]["current"]]
    known = {(by, on): hit(fighters[by], fighters[on]) for by in able for on in able}

    def target(who: int, health: Health) -> int | None:
        foes = [foe for foe, left in enumerate(health) if left and fighters[foe]["side"] != fighters[who]["side"]]
        ranks = {"first": lambda _: 0, "weakest": lambda foe: health[foe], "strongest": lambda foe: -health[foe]}
        return min(foes, key=ranks[tactics.get(fighters[who]["side"], "first")], default=None)

    def one_place(health: Health, acting: list[int], chance: Fraction) -> Iterable[tuple[Health, Fraction]]:
        on = target(acting[0], health) if acting else None
        if not acting:
            yield health, chance
        elif on is None:
            yield from one_place(health, acting[1:], chance)
        else:
            struck = known[acting[0], on]
            less = tuple(left - (foe == on) for foe, left in enumerate(health))
            yield from one_place(less, acting[1:], chance * struck)
            yield from one_place(health, acting[1:], chance * (1 - struck))

    live = {tuple(fighter["actor"]["character"]["health"]["current"] for fighter in fighters): Fraction(1)}
    yield live
    for _ in range(rounds):
        for place in order:
            after: dict[Health, Fraction] = {}
            for health, chance in live.items():
                acting = [index[name] for name in place if health[index[name]]] if len(standing(fighters, health)) > 1 else []
                for there, part in one_place(health, acting, chance):
                    after[there] = after.get(there, Fraction()) + part
            live = after
        yield live


TACTICS = st.sampled_from(["first", "weakest", "strongest"])


@st.composite
def fights(draw: st.DrawFn) -> dict[str, Any]:
    """A small fight of two or three sides in a known order, some of it at the same time."""
    sides = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=2, max_size=4))
    fighters = [one(f"f{number}", side, draw(st.integers(0, 2)), draw(st.integers(1, 4))) for number, side in enumerate(sides)]
    names = draw(st.permutations([fighter["id"] for fighter in fighters]))
    cuts = draw(st.lists(st.booleans(), min_size=len(names) - 1, max_size=len(names) - 1))
    order = [[names[0]]]
    for name, together in zip(names[1:], cuts, strict=True):
        if together:
            order[-1].append(name)
        else:
            order.append([name])
    tactics = {side: draw(TACTICS) for side in set(sides)}
    return {"combatants": fighters, "order": order, "tactics": tactics, "maxRounds": draw(st.integers(1, 3))}


@settings(max_examples=60)
@given(fights())
def test_the_odds_are_those_of_every_way_it_can_go(request_: dict[str, Any]) -> None:
    outcomes, lengths = fought(request_["combatants"], request_["order"], request_["tactics"], request_["maxRounds"])
    found = ask("fight", **request_)
    assert {row["outcome"]: Fraction(row["fraction"]) for row in found["outcomes"]} == outcomes
    assert {row["rounds"]: row["probability"] for row in found["rounds"]["distribution"]} == {
        number: float(chance) for number, chance in lengths.items()
    }


class TestOdds:
    def test_of_three_sides_they_are_too(self) -> None:
        fighters = [one("a", "x", 2, 1), one("b", "y", 1, 3), one("c", "z", 2)]
        tactics = {"x": "weakest", "y": "strongest"}
        expected, _ = fought(fighters, listed("b", "a=c"), tactics, 3)
        found = chances("fight", combatants=fighters, order=listed("b", "a=c"), tactics=tactics, maxRounds=3)
        assert {word: Fraction(part) for word, part in found.items()} == expected
        assert len(expected) == 4

    def test_of_a_duel_to_the_end_they_are_nearly_the_series(self) -> None:
        """Whoever strikes first wins with h / (1 − (1 − h)²); after a hundred rounds nothing worth naming is left."""
        struck = Fraction(721, 1296)
        found = ask("fight", combatants=[A, C], order=listed("ana", "cy"))
        first, second, undecided = (Fraction(row["fraction"]) for row in found["outcomes"])
        assert [row["outcome"] for row in found["outcomes"]] == ["x", "y", "undecided"]
        assert first == struck / (1 - (1 - struck) ** 2) * (1 - (1 - struck) ** 200)
        assert undecided == (1 - struck) ** 200
        assert first + second + undecided == 1
        assert found["outcomes"][2]["percent"] == "<0.1 %"
        assert found["expected"] == pytest.approx(
            {
                "combatants.0.health": -float(second),
                "combatants.0.out": float(second),
                "combatants.1.health": -float(first),
                "combatants.1.out": float(first),
            }
        )
        assert found["rolls"] == []

    def test_they_say_how_many_rounds_it_takes(self) -> None:
        """A duel goes on while both miss: the rounds before the last are a geometric series."""
        struck = Fraction(721, 1296)
        goes_on = (1 - struck) ** 2
        found = ask("fight", combatants=[A, C], order=listed("ana", "cy"), maxRounds=3)["rounds"]
        chances_ = [1 - goes_on, goes_on * (1 - goes_on), goes_on**2]
        assert found["distribution"] == [{"rounds": number, "probability": float(part)} for number, part in enumerate(chances_, 1)]
        mean, square = (sum(part * number**power for number, part in enumerate(chances_, 1)) for power in (1, 2))
        assert (found["mean"], found["standardDeviation"]) == (float(mean), pytest.approx(float(square - mean**2) ** 0.5))
        whole = ask("fight", combatants=[A, C], order=listed("ana", "cy"))["rounds"]
        assert whole["mean"] == pytest.approx(float(1 / (1 - goes_on)))
        assert len(whole["distribution"]) == 100

    def test_of_initiative_that_is_rolled_they_mix_the_rounds(self) -> None:
        """Every order is as likely, and how long it takes hangs on when the lone one strikes."""
        fighters = [one("ana", "x"), one("bo", "x"), one("cy", "y", 2)]
        orders = [listed(*names) for names in permutations(("ana", "bo", "cy"))]
        known = [ask("fight", combatants=fighters, order=order, maxRounds=2)["rounds"] for order in orders]
        rolled = ask("fight", combatants=fighters, maxRounds=2)["rounds"]
        means = [found["mean"] for found in known]
        assert len({round(mean, 9) for mean in means}) > 1
        assert rolled["mean"] == pytest.approx(sum(means) / len(orders))
        assert [row["probability"] for row in rolled["distribution"]] == pytest.approx(
            [sum(found["distribution"][place]["probability"] for found in known) / len(orders) for place in range(2)]
        )

    def test_a_fight_that_is_over_takes_no_round(self) -> None:
        for method in ("exact", "simulation"):
            found = ask("fight", combatants=[A, one("bo", "x")], method=method)["rounds"]
            assert found == {"distribution": [{"rounds": 0, "probability": 1.0}], "mean": 0.0, "standardDeviation": 0.0}

    def test_what_does_not_go_by_rounds_tells_of_none(self) -> None:
        assert "rounds" not in ask("attack", attackers=[A["actor"]], defender=C["actor"])
        system, action = ACTIONS["jazz.fight"]
        without_rounds = replace(action, rule=lambda request, dice: Verdict("x", succeeded=None))
        body = JazzFight.read({"combatants": [A, C], "method": "simulation", "trials": 100})
        assert "rounds" not in engine.odds(system, without_rounds, body)

    def test_initiative_is_counted_too(self) -> None:
        struck, early = Fraction(721, 1296), Fraction(527, 648)
        first = struck / (1 - (1 - struck) ** 2)
        found = ask("fight", combatants=[one("ana", "x", drop=True), C])
        assert found["outcomes"][0]["probability"] == pytest.approx(float(early * first + (1 - early) * (1 - first)))
        assert [roll["roll"] for roll in found["rolls"][:2]] == ["combatants.0", "combatants.1"]

    def test_initiative_that_is_known_is_not_counted(self) -> None:
        crowd = [one(f"{side}{number}", side, 2) for side in "xy" for number in range(3)]
        dice = {f"combatants.{number}": faces for number, faces in enumerate(([6, 6], [6, 5], [5, 5], [4, 5], [4, 4], [3, 4]))}
        asked: dict[str, Any] = {"combatants": crowd, "maxRounds": 3}
        known = chances("fight", **asked, order=[[fighter["id"]] for fighter in crowd])
        assert chances("fight", dice, **asked) == known
        assert chances("fight", dice | {"combatants.1": [6, 6]}, **asked, ties="listed") == known
        together = chances("fight", dice | {"combatants.1": [6, 6]}, **asked, ties="simultaneous")
        assert together == chances("fight", **asked, order=[["x0", "x1"], *([fighter["id"]] for fighter in crowd[2:])])
        assert chances("fight", {"combatants.0": [6, 6], "combatants.1": [6, 6]}, combatants=[A, C], maxRounds=1)

    def test_a_die_to_spend_counts_once(self) -> None:
        lucky = one("ana", "x", spend="karma", karma="positive")
        once = Fraction(chances("attack", attackers=[lucky["actor"]], defender=C["actor"])["hit"])
        struck = Fraction(721, 1296)
        found = chances("fight", combatants=[lucky, C], order=listed("ana", "cy"), maxRounds=2)
        assert Fraction(found["x"]) == once + (1 - once) * (1 - struck) * struck
        assert ask("fight", combatants=[lucky, C], order=listed("ana", "cy"), maxRounds=2)["expected"]["combatants.0.karma"] == -1

    def test_whoever_is_out_makes_them_no_dearer(self) -> None:
        duel: dict[str, Any] = {"combatants": [one("ana", "x", 30), one("cy", "y", 30)], "maxRounds": 60}
        out = [one(f"o{number}", "x", out=True, spend="karma") for number in range(6)]
        among = {**duel, "combatants": [*duel["combatants"], *out], "order": listed("ana", "cy", *(fighter["id"] for fighter in out))}
        assert chances("fight", **among) == chances("fight", **duel, order=listed("ana", "cy"))

    def test_dice_handed_in_are_held(self) -> None:
        asked = {"combatants": [A, C], "order": listed("ana", "cy"), "maxRounds": 2}
        struck = Fraction(721, 1296)
        miss = blow(1, 0, 1, MISS)
        assert Fraction(chances("fight", miss, **asked)["x"]) == (1 - struck) * struck
        assert chances("fight", miss | blow(1, 1, 0, HIT), **asked) == {"y": "1"}
        second = blow(2, 0, 1)
        assert Fraction(chances("fight", second, **asked)["x"]) == struck + (1 - struck) ** 2
        found = ask("fight", {"combatants.0.round2.attack": [6, 6]}, **asked)
        assert [roll["roll"] for roll in found["rolls"]] == ["combatants.0.round2.attack"]
        assert [row["total"] for row in found["rolls"][0]["distribution"]] == [14]

    def test_held_dice_fit_whatever_is_rolled_with_them(self) -> None:
        lucky = one("ana", "x", spend="karma", karma="positive")
        asked = {"combatants": [lucky, C], "order": listed("ana", "cy"), "maxRounds": 2}
        three = {"combatants.0.round1.attack": [6, 6, 6], "combatants.1.round1.against0": [1, 1]}
        assert chances("fight", three, **asked) == {"x": "1"}
        two = {"combatants.0.round2.attack": [6, 6], "combatants.1.round2.against0": [1, 1]}
        assert Fraction(chances("fight", two, **asked)["x"]) > Fraction(chances("fight", **asked)["x"])


@pytest.mark.parametrize(
    ("sides", "left", "rounds", "states"),
    [
        # as many hits as they stand, or none: of two sides each side's hits are counted together
        ("xy", (4, 9), 100, 5 * 10),
        ("xxyy", (2, 3, 4, 5), 100, 6 * 10),
        # no more hits than there are attacks
        ("xy", (4, 9), 3, 4 * 4),
        ("xxy", (5, 5, 5), 2, 3 * 5),
        ("xxy", (1, 9, 9), 4, 5 * 9),
        ("xyyyy", (9, 1, 1, 1, 1), 2, 9 * 3),
        # whoever is out takes none, so the others take at most what they have left
        ("xxy", (0, 2, 5), 100, 3 * 6),
        # of three sides everyone's hits count by themselves
        ("xyz", (1, 2, 3), 100, 2 * 3 * 4),
        ("xyz", (4, 4, 4), 1, 3 * 3 * 3),
        ("xyzz", (9, 9, 9, 9), 2, 7 * 7 * 5 * 5),
    ],
)
def test_how_many_states_there_may_be(sides: str, left: tuple[int, ...], rounds: int, states: int) -> None:
    foes = [[index for index, other in enumerate(sides) if other != side] for side in sides]
    for dice, ways in ((0, 1), (0b1, 2), (0b10, 2), (0b11, 4)):
        course = Fight((), list(sides), foes, ["first"] * len(sides), Standing(left, dice, 0), rounds, frozenset())
        assert course.state_bound == states * ways


class TestSimulation:
    FIGHTERS = (one("ana", "x", 3, 3), one("bo", "x", 2), one("cy", "y", 4, 3))

    def asked(self, **more: Any) -> dict[str, Any]:
        return {"combatants": list(self.FIGHTERS), "method": "simulation", "trials": 2000, "seed": "s", **more}

    def test_it_says_how_it_was_found_and_how_sure_it_is(self) -> None:
        exact = {row["outcome"]: row["probability"] for row in ask("fight", **self.asked(method="exact"))["outcomes"]}
        found = ask("fight", **self.asked())
        assert (found["action"], found["method"], found["rolls"]) == ("jazz.fight", "simulation", [])
        assert found["simulated"] == {"trials": 2000, "seed": "s", "seedFrom": "request", "confidence": 0.95}
        for row in found["outcomes"]:
            assert row["interval"]["low"] < exact[row["outcome"]] < row["interval"]["high"]
            assert row["interval"]["low"] < row["probability"] < row["interval"]["high"]
        assert sum(Fraction(row["fraction"]) for row in found["outcomes"]) == 1
        assert 0.03 < found["outcomes"][0]["interval"]["high"] - found["outcomes"][0]["interval"]["low"] < 0.05

    def test_its_means_are_nearly_the_exact_ones(self) -> None:
        exact = ask("fight", **self.asked(method="exact"))
        found = ask("fight", **self.asked(trials=20000))
        assert found["expected"] == {stat: pytest.approx(mean, abs=0.04) for stat, mean in exact["expected"].items()}
        assert found["rounds"]["mean"] == pytest.approx(exact["rounds"]["mean"], abs=0.04)
        assert found["rounds"]["standardDeviation"] == pytest.approx(exact["rounds"]["standardDeviation"], abs=0.04)
        assert sum(row["probability"] for row in found["rounds"]["distribution"]) == pytest.approx(1)

    def test_the_same_seed_gives_the_same_odds_for_ever(self) -> None:
        found = ask("fight", **self.asked())
        assert found == ask("fight", **self.asked())
        assert [row["fraction"] for row in found["outcomes"]] == ["1699/2000", "301/2000"]
        other = ask("fight", **self.asked(seed="t"))
        assert other["outcomes"] != found["outcomes"]
        drawn = ask("fight", **self.asked(seed=None))["simulated"]
        assert (drawn["seedFrom"], len(drawn["seed"])) == ("service", 32)

    def test_it_is_the_same_however_it_is_parted(self) -> None:
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read(self.asked(trials=1700))
        whole = engine.played(system, action, body, "s", range(engine.parts(body)))
        assert not whole.cut
        parted = engine.SimulationResult()
        for which in (range(20, 34), range(1), range(1, 20)):
            parted.add(engine.played(system, action, body, "s", which))
        assert (parted, whole.trials, engine.parts(body)) == (whole, 1700, 34)

    def test_dice_handed_in_are_held(self) -> None:
        asked = {"combatants": [A, C], "method": "simulation", "trials": 400}
        won = {"combatants.0": [6, 6], "combatants.1": [1, 1]} | blow(1, 0, 1)
        assert [row["outcome"] for row in ask("fight", won, **asked)["outcomes"]] == ["x"]
        lost = blow(1, 0, 1, MISS) | blow(1, 1, 0)
        assert [row["outcome"] for row in ask("fight", lost, **asked, order=listed("ana", "cy"))["outcomes"]] == ["y"]

    @pytest.mark.parametrize(("trials", "parts"), [(100, 2), (101, 3), (120, 3), (149, 3), (150, 3)])
    def test_it_is_played_as_often_as_asked(self, trials: int, parts: int) -> None:
        found = ask("fight", **self.asked(trials=trials))
        assert found["simulated"]["trials"] == trials
        assert all((Fraction(row["fraction"]) * trials).denominator == 1 for row in found["outcomes"])
        assert engine.parts(JazzFight.read(self.asked(trials=trials))) == parts

    def test_what_was_cut_short_anywhere_is_cut_short(self) -> None:
        found = engine.SimulationResult()
        for more, cut in ((engine.SimulationResult(), False), (engine.SimulationResult(cut=True), True), (engine.SimulationResult(), True)):
            found.add(more)
            assert found.cut is cut

    @pytest.mark.parametrize(("charges", "trials"), [(0, 0), (1, 2), (24, 48), (25, 50), (26, 52), (50, 100), (59, 118)])
    def test_a_spent_budget_leaves_the_trials_run_so_far(self, charges: int, trials: int) -> None:
        """Two trials are one charge. The result is that of a request for so many trials."""
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read(self.asked(trials=120))
        cut = engine.played(system, action, body, "s", range(3), Budget(charges))
        assert (cut.trials, cut.cut) == (trials, True)
        cut.cut = False
        shorter = body.model_copy(update={"trials": trials})
        assert cut == engine.played(system, action, shorter, "s", range(engine.parts(shorter)))

    def test_a_budget_that_is_just_enough_leaves_all_trials(self) -> None:
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read(self.asked(trials=120))
        assert not engine.played(system, action, body, "s", range(3), Budget(60)).cut

    def test_odds_of_no_trials_are_refused(self) -> None:
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read(self.asked(trials=120))
        with pytest.raises(BudgetExceeded):
            engine.odds(system, action, body, Budget(0))
        assert engine.odds(system, action, body, Budget(5))["simulated"]["trials"] == 10

    def test_only_where_all_was_played_it_is_known_what_does_not_happen(self) -> None:
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read(self.asked(trials=120, dice=[{"roll": "combatants.0.throw9", "faces": [1, 1]}]))
        some, every = (engine.played(system, action, body, "s", which) for which in (range(2), range(3)))
        assert engine.simulated(system, action, body, "s", some)["simulated"]["trials"] == 100
        with pytest.raises(WrongDice, match="this roll does not happen"):
            engine.simulated(system, action, body, "s", every)

    def test_each_roll_is_given_once(self) -> None:
        twice = [{"roll": "combatants.0.round1.attack", "faces": [1, 1]}] * 2
        with pytest.raises(WrongDice, match="each roll is given once") as refused:
            ask("fight", **self.asked(dice=twice))
        assert [(found.rule, found.pointer) for found in refused.value.findings] == [("jazz.dice.roll", "/dice/1/roll")]

    def test_a_ruling_does_not_ask_how_the_odds_are_found(self) -> None:
        rulings = [play("fight", combatants=[A, C], seed=8, **more) for more in ({}, {"method": "simulation", "trials": 100})]
        assert rulings[0] == rulings[1]

    def test_an_interval_ends_where_what_was_found_is_just_likely_enough(self) -> None:
        """Wilson's: as far from either end as 1.96 times the deviation that shares of that size have there."""
        for row in ask("fight", **self.asked(trials=500))["outcomes"]:
            for end, sign in (("high", 1), ("low", -1)):
                share = row["interval"][end]
                far = 1.959964 * sqrt(share * (1 - share) / 500)
                assert share == pytest.approx(row["probability"] + sign * far, abs=1e-6)

    def test_what_is_certain_has_an_interval_too(self) -> None:
        (row,) = ask("fight", combatants=[A, one("bo", "x")], method="simulation", trials=100)["outcomes"]
        assert (row["percent"], row["interval"]["high"]) == ("100 %", 1.0)
        assert row["interval"]["low"] == pytest.approx(0.963, abs=0.001)


class TestWhatMattered:
    def test_a_bonus_is_weighed_over_the_whole_fight(self) -> None:
        dice = blow(1, 0, 1, ([2, 1], [2, 2]))
        ruling = play("fight", dice, combatants=[one("ana", "x", 1, 4), C], order=listed("ana", "cy"), include=["factors"], seed=1)
        assert ruling["outcome"] == "x"
        assert set(factors(ruling)) == {"combatants.0.bonus", "combatants.1.bonus"}
        assert factors(ruling)["combatants.0.bonus"] in ("necessary", "helpful")


class TestUnbounded:
    MOVES = 120

    def resolved(self, include: frozenset[str] = frozenset(), **document: Any) -> dict[str, Any]:
        system, action = ACTIONS["jazz.fight"]
        body = JazzFight.read({"seed": 1, **document})
        ruling = at_once(engine.whole(system, action, body, include, Budget(self.MOVES)))
        assert ruling == engine.resolve(system, action, body, include=include)
        return ruling

    def test_a_fight_of_few_moves_is_within_the_budget(self) -> None:
        self.resolved(combatants=[one("ana", "x", 9), one("cy", "y", 9)], maxRounds=100)

    def test_a_long_fight_exceeds_the_budget(self) -> None:
        with pytest.raises(BudgetExceeded):
            self.resolved(combatants=[one("ana", "x", 99), one("cy", "y", 99)], maxRounds=100)

    @pytest.mark.parametrize("order", [listed("ana", "cy"), listed("ana=cy")])
    def test_a_fight_that_is_over_takes_no_more_moves(self, order: list[list[str]]) -> None:
        assert self.resolved(combatants=[A, C], order=order, maxRounds=1000)["rounds"] < 10

    def test_a_factor_that_makes_the_fight_long_exceeds_the_budget(self) -> None:
        """Without her bonus Ana does not win in one round, but fights on."""
        fighters = [one("ana", "x", 900, 99), *(one(f"c{number}", "y", 1, 1) for number in range(9))]
        fight: dict[str, Any] = {"combatants": fighters, "order": listed("ana", *(f"c{number}" for number in range(9)))}
        assert len(self.resolved(**fight)["attacks"]) < self.MOVES
        with pytest.raises(BudgetExceeded):
            self.resolved(include=frozenset({"factors"}), **fight)

    def test_the_moves_of_each_run_are_counted_from_the_beginning(self) -> None:
        """Two factors, so three runs of the fight: together they are more than 120 moves."""
        ruling = self.resolved(include=frozenset({"factors"}), combatants=[one("ana", "x", 22), one("cy", "y", 22)], maxRounds=50)
        assert self.MOVES / 3 < len(ruling["attacks"]) < self.MOVES
        assert len(ruling["factors"]) == 2

    def test_as_many_rounds_as_turns_allow(self) -> None:
        few, many = ([one(f"c{index}", "xy"[index % 2]) for index in range(number)] for number in (2, 64))
        assert [JazzFight.read({"combatants": fighters}).rounds for fighters in (few, many)] == [100, 31]
        assert JazzFight.read({"combatants": few, "maxRounds": 1000}).rounds == 1000
