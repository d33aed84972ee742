"""A whole fight: as a ruling, as exact odds, and simulated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablecall import engine
from tablecall.engine.budget import Budget, BudgetExceeded, at_once
from tablecall.model.refusals import TooLargeToCount, WrongDice
from tablecall.systems import ACTIONS
from tablecall.systems.jazz.combat_process import CombatProcess, FightState
from tablecall.systems.jazz.fight import JazzFight
from tablecall.systems.verdict import Verdict
from tests.systems.jazz.playing import (
    HIT_CHANCE,
    MISS,
    THUG,
    bewitching,
    blow,
    combatant,
    effects,
    factors,
    fighter,
    fractions,
    hurt,
    odds,
    order,
    placed,
    play,
    refusal,
    refused,
    roll_names,
    texts,
    value,
    values,
)
from tests.systems.playing import Faces

SYSTEM, FIGHT = ACTIONS["jazz.fight"]


def blows(ruling: dict[str, Any]) -> list[str]:
    """Every attack: round, attacker, defender, outcome."""
    return [f"{attack['round']} {attack['by']} {attack['on']} {attack['outcome']}" for attack in ruling["attacks"]]


A, C = fighter("ana", "x"), fighter("cy", "y")
DUEL: dict[str, Any] = {"combatants": [A, C], "order": order("ana", "cy")}


def fight(*fighters: dict[str, Any], faces: Faces | None = None, **more: Any) -> dict[str, Any]:
    """The ruling of a fight; by default in the order listed."""
    return play("fight", faces, **{"combatants": list(fighters), "order": order(*(someone["id"] for someone in fighters)), **more})


def body(**request: Any) -> JazzFight:
    return JazzFight.read(request)


class TestFight:
    """jazz.conflict.order, jazz.conflict.attack, jazz.conflict.out"""

    def test_rounds_until_one_side_stands(self) -> None:
        dice = blow(1, 0, 1) | blow(1, 1, 0, MISS) | blow(2, 0, 1, MISS) | blow(2, 1, 0) | blow(3, 0, 1)
        ruling = fight(fighter("ana", "x", 3), fighter("cy", "y", 2), faces=dice)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rounds"]) == ("x", None, 3)
        assert blows(ruling) == ["1 ana cy hit", "1 cy ana miss", "2 ana cy miss", "2 cy ana hit", "3 ana cy hit"]
        assert roll_names(ruling) == list(dice)
        first = {
            "round": 1,
            "by": "ana",
            "team": ["ana"],
            "on": "cy",
            "outcome": "hit",
            "total": 14,
            "target": 4,
            "health": 1,
            "out": False,
        }
        assert ruling["attacks"][0] == first
        assert (ruling["attacks"][-1]["health"], ruling["attacks"][-1]["out"]) == (0, True)
        assert effects(ruling) == [("combatants.0.health", 3, 2), ("combatants.1.health", 2, 0), ("combatants.1.out", False, True)]
        assert ruling["summary"].startswith("3 rounds, 5 attacks: ⁨x⁩ wins. Out: ⁨Cy⁩. ")
        assert ruling["after"]["order"] == order("ana", "cy")
        assert ruling["after"]["combatants"][1]["actor"]["character"]["out"] is True
        # how somebody rolls is reported once
        assert len(texts(ruling, "jazz.aspects.highest")) == 2
        assert len(texts(ruling, "jazz.conflict.attack")) == 5

    def test_initiative_is_rolled_without_an_order(self) -> None:
        dice = {"combatants.0": [1, 1], "combatants.1": [1, 2, 2]} | blow(1, 1, 0, MISS) | blow(1, 0, 1)
        ruling = play("fight", dice, combatants=[A, fighter("cy", "y", drop=True)])
        assert (blows(ruling), placed(ruling)) == (["1 cy ana miss", "1 ana cy hit"], ["cy", "ana"])
        assert roll_names(ruling)[:2] == ["combatants.0", "combatants.1"]
        assert [note["pointer"] for note in play("fight", **DUEL, ties="listed")["notes"]] == ["/ties"]

    def test_every_attack_is_a_jazz_attack(self) -> None:
        fighters = [fighter("ana", "x", 4, 3, advantage=True), fighter("bo", "x", 3, disadvantage=True), fighter("cy", "y", 4, 4)]
        ruling = play("fight", combatants=fighters, seed="the yard")
        dice = {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in ruling["rolls"]}
        places = {someone["id"]: (index, someone["actor"]) for index, someone in enumerate(fighters)}
        for attack in ruling["attacks"]:
            (by, attacker), (on, defender) = places[attack["by"]], places[attack["on"]]
            names = {"attackers.0": f"{by}.round{attack['round']}.attack", "defender": f"{on}.round{attack['round']}.against.{by}"}
            faces = {roll: dice[f"combatants.{name}"] for roll, name in names.items()}
            alone = play("attack", faces, attackers=[attacker], defender=defender)
            assert (alone["outcome"], alone["total"], alone["target"]) == (attack["outcome"], attack["total"], attack["target"])
        assert len(ruling["attacks"]) > 5

    def test_dice_depend_only_on_the_round_and_the_roller(self) -> None:
        fighters = [fighter("ana", "x", 4), fighter("cy", "y", 4)]
        first, second = (fight(*fighters, order=places, seed=3) for places in (order("ana", "cy"), order("cy", "ana")))
        dice = {roll["roll"]: roll["dice"] for roll in first["rolls"]}
        common = [roll for roll in second["rolls"] if roll["roll"] in dice]
        assert len(common) > 4
        assert all(dice[roll["roll"]] == roll["dice"] for roll in common)

    def test_unnamed_go_out_at_once(self) -> None:
        """jazz.conflict.unnamed"""
        thug = combatant("thug", "y", {"character": THUG, "using": ["thug"]})
        poolless = combatant("z", "y", {"character": {"name": "Zed", "named": False, "aspects": []}})
        ruling = fight(fighter("ana", "x", 4), thug, poolless, faces=blow(1, 0, 1) | blow(2, 0, 2))
        assert (values(ruling, "jazz.conflict.unnamed"), ruling["attacks"][-1]["health"]) == ([None, None], None)
        assert effects(ruling)[-2:] == [("combatants.2.health", None, None), ("combatants.2.out", False, True)]
        assert ruling["effects"][-2]["change"] == -1

    def test_pool_of_zero_takes_one_hit(self) -> None:
        empty = fighter("cy", "y")
        empty["actor"]["character"]["health"] = {"current": 0, "max": 0}
        assert effects(fight(A, empty, faces=blow(1, 0, 1))) == [("combatants.1.out", False, True)]

    def test_kind(self) -> None:
        """jazz.conflict.kind"""
        assert value(play("fight", **DUEL, kind="social"), "jazz.conflict.kind") == "social"
        assert texts(play("fight", **DUEL), "jazz.conflict.kind") == []

    def test_extraordinary_attack(self) -> None:
        """jazz.weird.free, jazz.weird.depleted, jazz.weird.pool"""
        dice = blow(1, 0, 1, MISS) | blow(1, 1, 0, MISS) | blow(2, 0, 1, MISS) | blow(2, 1, 0)
        ruling = fight(C, combatant("rook", "x", bewitching(hurt(4))), faces=dice)
        assert [change for change in effects(ruling) if "weird" in change[0]] == [("combatants.1.weird", 2, 1)]
        assert "extraordinary" not in ruling["after"]["combatants"][1]["actor"]
        empty = {"combatants": [C, combatant("rook", "x", bewitching(hurt(4, weird=0)))]}
        assert refused("fight", **empty) == ("jazz.weird.depleted", "/combatants/1/actor/extraordinary")

    def test_factors(self) -> None:
        ruling = fight(fighter("ana", "x", 1, 4), C, faces=blow(1, 0, 1, ([2, 1], [2, 2])), include=["factors"], seed=1)
        assert (ruling["outcome"], set(factors(ruling))) == ("x", {"combatants.0.bonus", "combatants.1.bonus"})
        # without her bonus Ana misses, and dice that nobody rolled would decide
        assert factors(ruling)["combatants.0.bonus"] == "uncertain"


class TestLabels:
    """Combatants with the same name are told apart by their ids."""

    THUGS = tuple(fighter(id_, "y", named=False, name="Thug") for id_ in ("t1", "t2", "t3"))
    FIGHTERS = (fighter("ana", "x", 4), fighter("bo", "x", 4), *THUGS)

    def test_who_went_down(self) -> None:
        dice = blow(1, 0, 2) | blow(1, 1, 3) | blow(1, 4, 0, MISS) | blow(2, 0, 4)
        ruling = fight(*self.FIGHTERS, faces=dice)
        assert ruling["summary"].startswith("2 rounds, 4 attacks: ⁨x⁩ wins. Out: ⁨Thug (t1)⁩, ⁨Thug (t2)⁩ and ⁨Thug (t3)⁩. ")
        assert [text.split(" is ")[0] for text in texts(ruling, "jazz.conflict.unnamed")] == [
            f"Round {time}: ⁨Thug ({id_})⁩" for time, id_ in ((1, "t1"), (1, "t2"), (2, "t3"))
        ]
        assert [roll["name"] for roll in ruling["rolls"][:2]] == ["Ana", "Thug"]

    def test_steps_of_every_attack(self) -> None:
        dice = blow(1, 0, 2, MISS) | blow(1, 1, 2, MISS) | blow(1, 2, 0, MISS) | blow(1, 3, 0, MISS) | blow(1, 4, 0, MISS)
        ruling = fight(*self.FIGHTERS, faces=dice, maxRounds=1)
        thugs = [f"Thug ({id_})" for id_ in ("t1", "t2", "t3")]
        attacks = texts(ruling, "jazz.conflict.attack")[2:]
        assert attacks == [f"Round 1: ⁨{thug}⁩ against ⁨Ana⁩: 4 against 14, miss" for thug in thugs]
        who = ("Ana", thugs[0], "Bo", *thugs[1:])
        assert texts(ruling, "jazz.aspects.highest") == [f"⁨{name}⁩: ⁨fighter⁩ +2" for name in who]

    def test_summary_of_a_crowd_is_cut_in_markdown(self) -> None:
        crowd = [fighter(f"c{index}", "y", named=False) for index in range(40)]
        dice = {roll: faces for index in range(40) for roll, faces in blow(index + 1, 0, index + 1).items()}
        ruling = fight(fighter("ana", "x", 900), *crowd, faces=dice)
        assert len(ruling["markdown"].encode("utf-16-le")) // 2 <= 1900


class TestTactics:
    """jazz.conflict.attack"""

    FOES = (fighter("b", "y", 2), fighter("c", "y", 1), fighter("d", "y", 3), fighter("e", "z", 1), fighter("f", "z", 3))

    @pytest.mark.parametrize(("tactic", "target"), [(None, "b"), ("first", "b"), ("weakest", "c"), ("strongest", "d")])
    def test_target(self, tactic: str | None, target: str) -> None:
        ruling = fight(A, *self.FOES, maxRounds=1, tactics={"x": tactic} if tactic else {})
        assert ruling["attacks"][0]["on"] == target
        assert [step["value"] for step in ruling["steps"] if step["key"] == "jazz.fight.tactic"] == ([tactic] if tactic else [])

    def test_each_side_has_its_own(self) -> None:
        fighters = [fighter("a", "x", 1), fighter("b", "x", 4), fighter("c", "y", 4), fighter("d", "y", 1)]
        dice = blow(1, 0, 3, MISS) | blow(1, 1, 3, MISS) | blow(1, 2, 1, MISS) | blow(1, 3, 1, MISS)
        ruling = fight(*fighters, faces=dice, maxRounds=1, tactics={"x": "weakest", "y": "strongest"})
        assert [attack["on"] for attack in ruling["attacks"]] == ["d", "d", "b", "b"]

    def test_weakest_is_who_takes_the_fewest_hits(self) -> None:
        ruling = fight(A, fighter("b", "y", 2), fighter("c", "y", 4, named=False), maxRounds=1, tactics={"x": "weakest"})
        assert ruling["attacks"][0]["on"] == "c"

    def test_target_changes_with_the_fight(self) -> None:
        dice = blow(1, 0, 1) | blow(1, 1, 0, MISS) | blow(1, 2, 0, MISS) | blow(2, 0, 2)
        fighters = [fighter("ana", "x", 4), fighter("b", "y", 2), fighter("c", "y", 2)]
        ruling = fight(*fighters, faces=dice, maxRounds=2, tactics={"x": "strongest"})
        assert [attack["on"] for attack in ruling["attacks"] if attack["by"] == "ana"] == ["b", "c"]

    def test_only_standing_foes(self) -> None:
        fighters = [fighter("ana", "x", 4), fighter("bo", "x", 4), C, fighter("di", "y", 1)]
        assert blows(fight(*fighters, faces=blow(1, 0, 2) | blow(1, 1, 3))) == ["1 ana cy hit", "1 bo di hit"]


class TestDiceToSpend:
    """jazz.karma.positive, jazz.karma.negative, jazz.complication.die"""

    LUCKY = fighter("bo", "x", spend="karma", karma="positive")

    def test_first_attack(self) -> None:
        lucky, cursed = fighter("ana", "x", 4, spend="karma", karma="positive"), fighter("cy", "y", 1, imposeKarma=True, karma="negative")
        dice = blow(1, 1, 0, ([1], [6, 6])) | blow(1, 0, 1, ([1, 1, 1], [6, 6])) | blow(2, 1, 0, MISS) | blow(2, 0, 1)
        ruling = fight(lucky, cursed, faces=dice, order=order("cy", "ana"))
        assert effects(ruling)[0] == ("combatants.0.karma", "positive", "neutral")
        assert ("combatants.1.karma", "negative", "neutral") in effects(ruling)
        assert len(texts(ruling, "jazz.karma.positive")) == 1
        assert "spend" not in ruling["after"]["combatants"][0]["actor"]

    def test_kept_without_an_attack(self) -> None:
        kept = fight(A, self.LUCKY, C, faces=blow(1, 0, 2))
        assert kept["after"]["combatants"][1]["actor"]["spend"] == "karma"
        assert [stat for stat, _, _ in effects(kept)] == ["combatants.2.health", "combatants.2.out"]
        spent = fight(A, self.LUCKY, C, faces=blow(1, 1, 2, ([6, 6, 6], [1, 1])), order=order("bo", "ana", "cy"))
        assert effects(spent)[0] == ("combatants.1.karma", "positive", "neutral")

    def test_kept_by_a_fighter_who_goes_out_first(self) -> None:
        dice = blow(1, 0, 2, ([1, 1, 1], [6, 6])) | blow(1, 2, 1) | blow(2, 0, 2)
        ana = fighter("ana", "x", 4, spend="karma", karma="positive")
        ruling = fight(ana, self.LUCKY, C, faces=dice, order=order("ana", "cy", "bo"), tactics={"y": "weakest"})
        assert blows(ruling) == ["1 ana cy miss", "1 cy bo hit", "2 ana cy hit"]
        assert [stat for stat, _, _ in effects(ruling) if stat.endswith("karma")] == ["combatants.0.karma"]

    def test_combatant_who_is_out(self) -> None:
        ruling = fight(A, fighter("bo", "x", spend="karma", out=True), C, faces=blow(1, 0, 2))
        assert texts(ruling, "jazz.karma.positive") == []
        assert effects(ruling) == [("combatants.2.health", 1, 0), ("combatants.2.out", False, True)]
        assert ruling["after"]["order"] == order("ana", "bo", "cy")

    def test_dice_must_be_held(self) -> None:
        asked = [fighter("ana", "x", spend="karma"), C]
        assert refused("fight", combatants=asked) == ("jazz.karma.positive", "/combatants/0/actor/spend")


class TestEnd:
    """jazz.conflict.out, jazz.conflict.order"""

    def test_undecided_after_the_last_round(self) -> None:
        fighters = [fighter("ana", "x", 4), fighter("cy", "y", 4)]
        ruling = fight(*fighters, faces=blow(1, 0, 1) | blow(1, 1, 0, MISS), maxRounds=1)
        assert (ruling["outcome"], ruling["rounds"]) == ("undecided", 1)
        again = play("fight", **ruling["after"], maxRounds=1)
        assert again["attacks"][0]["health"] in (3, 2)

    @pytest.mark.parametrize(
        ("fighters", "outcome"),
        [
            ([A, fighter("bo", "x")], "x"),
            ([A, fighter("cy", "y", out=True)], "x"),
            ([fighter("ana", "x", 0), fighter("cy", "y", out=True)], "undecided"),
        ],
    )
    def test_no_fight_if_at_most_one_side_stands(self, fighters: list[dict[str, Any]], outcome: str) -> None:
        ruling = play("fight", combatants=fighters)
        assert (ruling["outcome"], ruling["rolls"], ruling["attacks"], ruling["rounds"]) == (outcome, [], [], 0)
        assert (ruling["after"]["order"], values(ruling, "jazz.conflict.out")) == ([], [None])
        assert fractions("fight", combatants=fighters) == {outcome: "1"}
        simulated = fractions("fight", combatants=fighters, method="simulation", trials=100)
        assert {word: share for word, share in simulated.items() if share != "0"} == {outcome: "1"}

    @pytest.mark.parametrize("number", [2, 64])
    def test_default_rounds(self, number: int) -> None:
        fighters = [fighter(f"c{index}", "xy"[index % 2]) for index in range(number)]
        assert body(combatants=fighters).rounds == {2: 100, 64: 31}[number]

    def test_most_rounds(self) -> None:
        assert body(**DUEL, maxRounds=1000).rounds == 1000
        assert body(combatants=[A, *(fighter(f"c{index}", "y") for index in range(3))], maxRounds=500).rounds == 500

    def test_longest_side_name(self) -> None:
        side = "s" * 120
        assert play("fight", combatants=[fighter("ana", side), C], tactics={side: "weakest"})["outcome"] in (side, "y")

    def test_shared_place(self) -> None:
        ruling = fight(A, C, faces=blow(1, 0, 1) | blow(1, 1, 0), order=order("ana=cy"))
        assert (ruling["outcome"], blows(ruling)) == ("undecided", ["1 ana cy hit", "1 cy ana hit"])
        assert len(texts(ruling, "jazz.conflict.order")) == 1
        counted = fractions("fight", combatants=[A, C], order=order("ana=cy"), maxRounds=1)
        once = HIT_CHANCE * (1 - HIT_CHANCE)
        assert {word: Fraction(part) for word, part in counted.items()} == {"x": once, "y": once, "undecided": 1 - 2 * once}

    def test_only_those_who_stood_when_a_shared_place_began(self) -> None:
        dice = blow(1, 0, 2) | blow(1, 1, 3, MISS) | blow(1, 3, 0)
        ruling = fight(A, fighter("bo", "x"), C, fighter("di", "y"), faces=dice, order=order("ana", "bo=cy", "di"), maxRounds=1)
        assert blows(ruling) == ["1 ana cy hit", "1 bo di miss", "1 di ana hit"]

    @pytest.mark.parametrize("tactic", ["first", "weakest", "strongest"])
    def test_no_foe_left_in_a_shared_place(self, tactic: str) -> None:
        dice = blow(1, 0, 2) | blow(1, 2, 0)
        ruling = fight(A, fighter("bo", "x"), C, faces=dice, order=order("ana=bo=cy"), tactics={"x": tactic})
        assert (blows(ruling), ruling["outcome"]) == (["1 ana cy hit", "1 cy ana hit"], "x")

    def test_everybody_rolls_initiative(self) -> None:
        fighters = [A, fighter("bo", "x", 0, drop=True), C]
        dice = {"combatants.0": [3, 4], "combatants.1": [1, 1, 1], "combatants.2": [1, 1]} | blow(1, 0, 2)
        ruling = play("fight", dice, combatants=fighters)
        assert placed(ruling) == ["ana", "bo", "cy"]
        assert fractions("fight", dice, combatants=fighters) == {"x": "1"}
        poolless = combatant("z", "y", {"character": {"name": "Zed", "aspects": [], "out": True}})
        assert play("fight", combatants=[A, C, poolless])["outcome"] in ("x", "y")


class TestUnderWay:
    """A fight may begin in the middle of a round."""

    def test_who_has_acted(self) -> None:
        dice = blow(3, 1, 0, MISS) | blow(4, 0, 1)
        ruling = fight(A, C, faces=dice, round=3, acted=["ana"])
        assert (blows(ruling), ruling["rounds"]) == (["3 cy ana miss", "4 ana cy hit"], 2)
        assert (ruling["after"]["round"], ruling["after"]["acted"]) == (4, ["ana"])

    def test_odds_of_the_rest(self) -> None:
        second = fractions("fight", **DUEL, acted=["ana"], maxRounds=1)
        assert {word: Fraction(part) for word, part in second.items()} == {"y": HIT_CHANCE, "undecided": 1 - HIT_CHANCE}

    def test_falling(self) -> None:
        state = {"combatants": [A, fighter("cy", "y", 0)], "order": order("ana=cy"), "acted": ["ana"], "falling": ["cy"]}
        ruling = play("fight", blow(1, 1, 0), **state)
        assert (blows(ruling), ruling["outcome"]) == (["1 cy ana hit"], "undecided")
        assert fractions("fight", **state) == {"x": str(1 - HIT_CHANCE), "undecided": str(HIT_CHANCE)}

    def test_die_of_who_has_acted_goes_into_a_defence(self) -> None:
        lucky = fighter("ana", "x", 2, spend="karma", karma="positive")
        dice = {"combatants.1.round1.attack": [6, 6], "combatants.0.round1.against.1": [1, 1, 1]}
        ruling = fight(lucky, C, faces=dice, acted=["ana"], maxRounds=1)
        assert ("combatants.0.karma", "positive", "neutral") in effects(ruling)

    def test_after_of_a_turn(self) -> None:
        turn = play("turn", blow(1, 0, 1, MISS), **DUEL, turn={"by": ["ana"], "attack": "cy"})
        assert sum(map(Fraction, fractions("fight", **turn["after"], maxRounds=2).values())) == 1


class TestTogether:
    """jazz.team.attack"""

    TRIO = (fighter("ana", "x", 2), fighter("bo", "x", 1), fighter("cy", "y", 3))

    def test_highest_and_their_number_on_the_turn_of_the_slowest(self) -> None:
        dice = blow(1, 2, 0, MISS) | {
            "combatants.0.round1.attack": [3, 3],
            "combatants.1.round1.attack": [1, 1],
            "combatants.2.round1.against.0": [4, 4],
        }
        ruling = fight(*self.TRIO, faces=dice, order=order("ana", "cy", "bo"), together=["X "], maxRounds=1)
        assert blows(ruling) == ["1 cy ana miss", "1 ana cy hit"]
        assert (ruling["attacks"][1]["team"], ruling["attacks"][1]["total"]) == (["ana", "bo"], 10)

    def test_members_who_are_out_do_not_count(self) -> None:
        dice = blow(1, 2, 1) | blow(1, 0, 2, ([3, 3], [4, 4]))
        ruling = fight(*self.TRIO, faces=dice, order=order("cy", "ana", "bo"), tactics={"y": "weakest"}, together=["x"], maxRounds=1)
        assert (ruling["attacks"][1]["team"], ruling["attacks"][1]["total"]) == (["ana"], 8)

    def test_odds_equal_the_attack(self) -> None:
        pair = [someone["actor"] for someone in self.TRIO[:2]]
        foe = fighter("cy", "y", 1)
        chance = fractions("attack", attackers=pair, defender=foe["actor"])["hit"]
        counted = fractions("fight", combatants=[*self.TRIO[:2], foe], order=order("ana=bo", "cy"), together=["x"], maxRounds=1)
        assert counted["x"] == chance

    @pytest.mark.parametrize("changed", [{"together": ["z"]}, {"together": ["x", "X"]}, {"tactics": {"z": "first"}}])
    def test_refused(self, changed: dict[str, Any]) -> None:
        assert refused("fight", combatants=list(self.TRIO), **changed)[0] == "jazz.conflict.attack"

    def test_large_team(self) -> None:
        crowd = [fighter(f"x{number}", "x", 1, named=False) for number in range(7)]
        simulated = odds("fight", combatants=[*crowd, fighter("cy", "y", 9)], together=["x"], method="simulation", trials=100)
        assert sum(row["probability"] for row in simulated["outcomes"]) == pytest.approx(1)


class TestSuppliedDice:
    @pytest.mark.parametrize(
        ("dice", "detail"),
        [
            ({"nobody": [1]}, "no turn here can make"),
            ({"combatants.0.round0.attack": [1, 1]}, "no turn here can make"),
            ({"combatants.0.round4.attack": [1, 1]}, "no turn here can make"),
            ({"combatants.2.round1.attack": [1, 1]}, "no turn here can make"),
            ({"combatants.0": [1, 1]}, "no turn here can make"),
            ({"combatants.0.round1.against.0": [1, 1]}, "no turn here can make"),
            ({"combatants.0.round1.attack": [1]}, "too few dice"),
            ({"combatants.0.round1.attack": [1, 1, 1]}, "too many dice"),
            ({"combatants.1.round1.against.0": [1, 7]}, "no such face"),
        ],
    )
    def test_refused(self, dice: Faces, detail: str) -> None:
        rule, pointer, text = refusal("fight", dice, **DUEL, maxRounds=3)
        assert (rule, pointer.startswith("/dice/0"), text.startswith(detail)) == ("jazz.dice.roll", True, True)
        for method in ("exact", "simulation"):
            with pytest.raises(WrongDice, match=detail):
                odds("fight", dice, **DUEL, maxRounds=3, method=method, trials=100)

    def test_refusal_names_the_nearest_roll(self) -> None:
        for method in ("exact", "simulation"):
            with pytest.raises(WrongDice, match=r"the nearest is combatants\.0\.round1\.attack"):
                odds("fight", {"combatants.0.attack": [1, 1]}, **DUEL, method=method, trials=100)

    def test_dice_that_were_not_needed_are_listed(self) -> None:
        ruling = fight(A, C, faces=blow(1, 0, 1) | {"combatants.1.round1.attack": [1, 1]})
        assert ruling["unusedDice"] == [{"roll": "combatants.1.round1.attack", "faces": [1, 1]}]

    def test_dice_for_an_unlikely_round(self) -> None:
        simulated = odds("fight", {"combatants.0.round60.attack": [1, 1]}, **DUEL, method="simulation", trials=100)["simulated"]
        assert simulated["trials"] == 100

    def test_odds_given_the_dice(self) -> None:
        miss, second = blow(1, 0, 1, MISS), blow(2, 0, 1)
        asked = {**DUEL, "maxRounds": 2}
        assert Fraction(fractions("fight", miss, **asked)["x"]) == (1 - HIT_CHANCE) * HIT_CHANCE
        assert fractions("fight", miss | blow(1, 1, 0), **asked) == {"y": "1"}
        assert Fraction(fractions("fight", second, **asked)["x"]) == HIT_CHANCE + (1 - HIT_CHANCE) ** 2
        (roll,) = odds("fight", {"combatants.0.round2.attack": [6, 6]}, **asked)["rolls"]
        assert (roll["roll"], [row["total"] for row in roll["distribution"]]) == ("combatants.0.round2.attack", [14])

    def test_odds_given_dice_and_a_die_to_spend(self) -> None:
        asked = {**DUEL, "combatants": [fighter("ana", "x", spend="karma", karma="positive"), C], "maxRounds": 2}
        three = {"combatants.0.round1.attack": [6, 6, 6], "combatants.1.round1.against.0": [1, 1]}
        assert fractions("fight", three, **asked) == {"x": "1"}
        assert Fraction(fractions("fight", blow(2, 0, 1), **asked)["x"]) > Fraction(fractions("fight", **asked)["x"])


class TestTooLarge:
    @pytest.mark.parametrize("ties", ["rerollOff", "listed", "simultaneous"])
    def test_refused_before_any_order_is_weighed(self, ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Weighing the orders of eight combatants would take seconds."""

        def fail(*parts: object) -> list[int]:
            raise AssertionError

        monkeypatch.setattr("tablecall.dice.ranking._weighed_orders", fail)
        crowd = [fighter(f"{side}{index}", side) for side in "xy" for index in range(4)]
        with pytest.raises(TooLargeToCount, match="50000 branches"):
            odds("fight", combatants=crowd, ties=ties, method="exact")

    @pytest.mark.parametrize(
        ("request_", "bound"),
        [
            ({"combatants": [fighter(f"{side}{index}", side, 4) for side in "xy" for index in range(3)]}, "50000 branches"),
            ({"combatants": [fighter(f"{side}{index}", side, 900) for side in "xy" for index in range(2)]}, "50000 branches"),
            ({**DUEL, "combatants": [fighter("ana", "x", 4), fighter("cy", "y", 4)], "maxRounds": 1000}, "fractions would be too long"),
            ({"combatants": [fighter(f"c{index}", f"s{index}", 4) for index in range(9)], "maxRounds": 10}, "50000 branches"),
        ],
    )
    def test_can_be_simulated_instead(self, request_: dict[str, Any], bound: str) -> None:
        with pytest.raises(TooLargeToCount, match=bound):
            odds("fight", **request_, method="exact")
        simulated = odds("fight", **request_, trials=100)
        assert simulated["method"] == "simulation"
        assert sum(Fraction(row["fraction"]) for row in simulated["outcomes"]) == 1


# ── The odds ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Health = tuple[int, ...]


def sides_standing(fighters: list[dict[str, Any]], health: Health) -> set[str]:
    return {someone["side"] for someone, left in zip(fighters, health, strict=True) if left}


def counted_slowly(
    fighters: list[dict[str, Any]], places: list[dict[str, Any]], tactics: dict[str, str], rounds: int
) -> tuple[dict[str, Fraction], dict[int, Fraction]]:
    """The chance of each outcome and of each number of rounds, straight from the rules."""
    before = Fraction(1)
    outcomes: dict[str, Fraction] = {}
    lengths: dict[int, Fraction] = {}
    for number, states in enumerate(after_each_round(fighters, places, tactics, rounds)):
        undecided = sum((chance for health, chance in states.items() if len(sides_standing(fighters, health)) > 1), Fraction())
        lengths[number] = before - (0 if number == rounds else undecided)
        before = undecided
    for health, chance in states.items():
        left = sides_standing(fighters, health)
        outcome = left.pop() if len(left) == 1 else "undecided"
        outcomes[outcome] = outcomes.get(outcome, Fraction()) + chance
    return {outcome: chance for outcome, chance in outcomes.items() if chance}, {number: part for number, part in lengths.items() if part}


def after_each_round(
    fighters: list[dict[str, Any]], places: list[dict[str, Any]], tactics: dict[str, str], rounds: int
) -> Iterable[dict[Health, Fraction]]:
    """The chance of everybody's health before the first round and after each, one attack after the other."""
    index = {someone["id"]: number for number, someone in enumerate(fighters)}
    able = [number for number, someone in enumerate(fighters) if someone["actor"]["character"]["health"]["current"]]
    actors = [someone["actor"] for someone in fighters]
    hit = {
        (by, on): Fraction(fractions("attack", attackers=[actors[by]], defender=actors[on]).get("hit", "0")) for by in able for on in able
    }

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
            less = tuple(left - (foe == on) for foe, left in enumerate(health))
            yield from one_place(less, acting[1:], chance * hit[acting[0], on])
            yield from one_place(health, acting[1:], chance * (1 - hit[acting[0], on]))

    states = {tuple(actor["character"]["health"]["current"] for actor in actors): Fraction(1)}
    yield states
    for _ in range(rounds):
        for place in places:
            after: dict[Health, Fraction] = {}
            for health, chance in states.items():
                acting = [index[id_] for id_ in place["ids"] if health[index[id_]]] if len(sides_standing(fighters, health)) > 1 else []
                for state, part in one_place(health, acting, chance):
                    after[state] = after.get(state, Fraction()) + part
            states = after
        yield states


@st.composite
def fights(draw: st.DrawFn) -> dict[str, Any]:
    """A small fight of one to three sides in a known order, with shared places."""
    sides = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=2, max_size=4))
    fighters = [fighter(f"f{number}", side, draw(st.integers(0, 2)), draw(st.integers(1, 4))) for number, side in enumerate(sides)]
    ids = draw(st.permutations([someone["id"] for someone in fighters]))
    places = [[ids[0]]]
    for id_ in ids[1:]:
        if draw(st.booleans()):
            places[-1].append(id_)
        else:
            places.append([id_])
    tactics = {side: draw(st.sampled_from(["first", "weakest", "strongest"])) for side in set(sides)}
    return {"combatants": fighters, "order": [{"ids": place} for place in places], "tactics": tactics, "maxRounds": draw(st.integers(1, 3))}


@settings(max_examples=60)
@given(fights())
def test_odds_equal_a_slow_count(request_: dict[str, Any]) -> None:
    outcomes, lengths = counted_slowly(request_["combatants"], request_["order"], request_["tactics"], request_["maxRounds"])
    counted = odds("fight", **request_)
    assert {row["outcome"]: Fraction(row["fraction"]) for row in counted["outcomes"]} == outcomes
    rounds = {row["rounds"]: row["probability"] for row in counted["rounds"]["distribution"]}
    assert rounds == {number: float(chance) for number, chance in lengths.items()}


class TestOdds:
    def test_three_sides(self) -> None:
        fighters = [fighter("a", "x", 2, 1), fighter("b", "y", 1, 3), fighter("c", "z", 2)]
        tactics, places = {"x": "weakest", "y": "strongest"}, order("b", "a=c")
        expected, _ = counted_slowly(fighters, places, tactics, 3)
        counted = fractions("fight", combatants=fighters, order=places, tactics=tactics, maxRounds=3)
        assert {word: Fraction(part) for word, part in counted.items()} == expected
        assert len(expected) == 4

    def test_duel_to_the_end(self) -> None:
        """Who attacks first wins with h / (1 − (1 − h)²); after a hundred rounds hardly anything is left."""
        counted = odds("fight", **DUEL)
        first, second, undecided = (Fraction(row["fraction"]) for row in counted["outcomes"])
        assert [row["outcome"] for row in counted["outcomes"]] == ["x", "y", "undecided"]
        assert first == HIT_CHANCE / (1 - (1 - HIT_CHANCE) ** 2) * (1 - (1 - HIT_CHANCE) ** 200)
        assert undecided == (1 - HIT_CHANCE) ** 200
        assert first + second + undecided == 1
        assert (counted["outcomes"][2]["percent"], counted["rolls"]) == ("<0.1 %", [])
        x, y = float(first), float(second)
        expected = {"combatants.0.health": -y, "combatants.0.out": y, "combatants.1.health": -x, "combatants.1.out": x}
        assert counted["expected"] == pytest.approx(expected)

    def test_number_of_rounds(self) -> None:
        """A duel goes on while both miss, so the rounds before the last are a geometric series."""
        goes_on = (1 - HIT_CHANCE) ** 2
        rounds = odds("fight", **DUEL, maxRounds=3)["rounds"]
        chances = [1 - goes_on, goes_on * (1 - goes_on), goes_on**2]
        assert rounds["distribution"] == [{"rounds": number, "probability": float(part)} for number, part in enumerate(chances, 1)]
        mean, square = (sum(part * number**power for number, part in enumerate(chances, 1)) for power in (1, 2))
        assert (rounds["mean"], rounds["standardDeviation"]) == (float(mean), pytest.approx(float(square - mean**2) ** 0.5))
        rounds = odds("fight", **DUEL)["rounds"]
        assert (rounds["mean"], len(rounds["distribution"])) == (pytest.approx(float(1 / (1 - goes_on))), 100)

    def test_rounds_with_rolled_initiative(self) -> None:
        """Every order is equally likely."""
        fighters = [fighter("ana", "x"), fighter("bo", "x"), fighter("cy", "y", 2)]
        orders = [order(*ids) for ids in permutations(("ana", "bo", "cy"))]
        given = [odds("fight", combatants=fighters, order=places, maxRounds=2)["rounds"] for places in orders]
        mixed = odds("fight", combatants=fighters, maxRounds=2)["rounds"]
        means = [rounds["mean"] for rounds in given]
        assert len({round(mean, 9) for mean in means}) > 1
        assert mixed["mean"] == pytest.approx(sum(means) / len(orders))
        assert [row["probability"] for row in mixed["distribution"]] == pytest.approx(
            [sum(rounds["distribution"][number]["probability"] for rounds in given) / len(orders) for number in range(2)]
        )

    @pytest.mark.parametrize("method", ["exact", "simulation"])
    def test_no_rounds(self, method: str) -> None:
        rounds = odds("fight", combatants=[A, fighter("bo", "x")], method=method)["rounds"]
        assert rounds == {"distribution": [{"rounds": 0, "probability": 1.0}], "mean": 0.0, "standardDeviation": 0.0}

    def test_actions_without_rounds(self) -> None:
        assert "rounds" not in odds("attack", attackers=[A["actor"]], defender=C["actor"])
        at_once = replace(FIGHT, rule=lambda request, dice: Verdict("x", succeeded=None))
        assert "rounds" not in engine.odds(SYSTEM, at_once, body(combatants=[A, C], method="simulation", trials=100))

    def test_initiative_is_counted(self) -> None:
        early = Fraction(527, 648)
        first = HIT_CHANCE / (1 - (1 - HIT_CHANCE) ** 2)
        counted = odds("fight", combatants=[fighter("ana", "x", drop=True), C])
        assert counted["outcomes"][0]["probability"] == pytest.approx(float(early * first + (1 - early) * (1 - first)))
        assert [roll["roll"] for roll in counted["rolls"][:2]] == ["combatants.0", "combatants.1"]

    def test_supplied_initiative_is_not_counted(self) -> None:
        crowd = [fighter(f"{side}{number}", side, 2) for side in "xy" for number in range(3)]
        dice = {f"combatants.{number}": faces for number, faces in enumerate(([6, 6], [6, 5], [5, 5], [4, 5], [4, 4], [3, 4]))}
        tie = dice | {"combatants.1": [6, 6]}
        asked: dict[str, Any] = {"combatants": crowd, "maxRounds": 3}
        places = order(*(someone["id"] for someone in crowd))
        assert (
            fractions("fight", **asked, order=places)
            == fractions("fight", dice, **asked)
            == fractions("fight", tie, **asked, ties="listed")
        )
        together = fractions("fight", **asked, order=[{"ids": ["x0", "x1"]}, *places[2:]])
        assert fractions("fight", tie, **asked, ties="simultaneous") == together
        assert fractions("fight", {"combatants.0": [6, 6], "combatants.1": [6, 6]}, combatants=[A, C], maxRounds=1)

    def test_die_to_spend_counts_once(self) -> None:
        lucky = fighter("ana", "x", spend="karma", karma="positive")
        once = Fraction(fractions("attack", attackers=[lucky["actor"]], defender=C["actor"])["hit"])
        counted = odds("fight", **{**DUEL, "combatants": [lucky, C]}, maxRounds=2)
        assert Fraction(counted["outcomes"][0]["fraction"]) == once + (1 - once) * (1 - HIT_CHANCE) * HIT_CHANCE
        assert counted["expected"]["combatants.0.karma"] == -1

    def test_combatants_who_are_out_cost_nothing(self) -> None:
        asked: dict[str, Any] = {**DUEL, "combatants": [fighter("ana", "x", 30), fighter("cy", "y", 30)], "maxRounds": 60}
        out = [fighter(f"o{number}", "x", out=True, spend="karma") for number in range(6)]
        more = {"combatants": [*asked["combatants"], *out], "order": order("ana", "cy", *(someone["id"] for someone in out))}
        assert fractions("fight", **{**asked, **more}) == fractions("fight", **asked)


@pytest.mark.parametrize(
    ("sides", "hits", "rounds", "states"),
    [
        # between two sides, the hits of each side are counted together: from none to all that it can take
        ("xy", (4, 9), 100, 5 * 10),
        ("xxyy", (2, 3, 4, 5), 100, 6 * 10),
        # no more hits than there are attacks
        ("xy", (4, 9), 3, 4 * 4),
        ("xxy", (5, 5, 5), 2, 3 * 5),
        ("xxy", (1, 9, 9), 4, 5 * 9),
        ("xyyyy", (9, 1, 1, 1, 1), 2, 9 * 3),
        # a fighter who is out takes none, so the others take at most what they have left
        ("xxy", (0, 2, 5), 100, 3 * 6),
        # between three sides, each fighter's hits are counted
        ("xyz", (1, 2, 3), 100, 2 * 3 * 4),
        ("xyz", (4, 4, 4), 1, 3 * 3 * 3),
        ("xyzz", (9, 9, 9, 9), 2, 7 * 7 * 5 * 5),
    ],
)
def test_bound_on_the_number_of_states(sides: str, hits: tuple[int, ...], rounds: int, states: int) -> None:
    foes = [[index for index, other in enumerate(sides) if other != side] for side in sides]
    for dice, ways in ((0, 1), (0b1, 2), (0b10, 2), (0b11, 4)):
        start = FightState(hits, dice, 0)
        process = CombatProcess((), list(sides), foes, ["first"] * len(sides), (), start, rounds, frozenset())
        assert process.state_bound == states * ways


class TestBudget:
    """A ruling is given up, for a worker to make, once a run of the fight takes too many moves."""

    MOVES = 120

    def resolved(self, *include: str, **request: Any) -> dict[str, Any]:
        asked = body(**{"seed": 1, **request})
        ruling = at_once(engine.resolve_with_pauses(SYSTEM, FIGHT, asked, frozenset(include), Budget(self.MOVES)))
        assert ruling == engine.resolve(SYSTEM, FIGHT, asked, include=frozenset(include))
        return ruling

    def test_number_of_moves(self) -> None:
        self.resolved(combatants=[fighter("ana", "x", 9), fighter("cy", "y", 9)], maxRounds=100)
        with pytest.raises(BudgetExceeded):
            self.resolved(combatants=[fighter("ana", "x", 99), fighter("cy", "y", 99)], maxRounds=100)

    @pytest.mark.parametrize("places", [order("ana", "cy"), order("ana=cy")])
    def test_a_fight_that_is_over_takes_no_more_moves(self, places: list[dict[str, Any]]) -> None:
        assert self.resolved(combatants=[A, C], order=places, maxRounds=1000)["rounds"] < 10

    def test_a_factor_that_makes_the_fight_long(self) -> None:
        """Without her bonus Ana does not win in one round, but fights on."""
        fighters = [fighter("ana", "x", 900, 99), *(fighter(f"c{number}", "y", 1, 1) for number in range(9))]
        asked: dict[str, Any] = {"combatants": fighters, "order": order(*(someone["id"] for someone in fighters))}
        assert len(self.resolved(**asked)["attacks"]) < self.MOVES
        with pytest.raises(BudgetExceeded):
            self.resolved("factors", **asked)

    def test_each_run_is_counted_from_the_beginning(self) -> None:
        """Two factors take three runs of the fight, together more than 120 moves."""
        ruling = self.resolved("factors", combatants=[fighter("ana", "x", 22), fighter("cy", "y", 22)], maxRounds=50)
        assert self.MOVES / 3 < len(ruling["attacks"]) < self.MOVES
        assert len(ruling["factors"]) == 2
