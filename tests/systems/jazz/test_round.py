"""Rounds of a conflict (jazz.conflict.order, jazz.conflict.once, jazz.team.attack): what only a round has. Turns are in test_turn.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    HIT_CHANCE,
    MISS,
    ROOK,
    THUG,
    blow,
    combatant,
    driving,
    effects,
    fighter,
    fractions,
    odds,
    order,
    play,
    refused,
    roll_names,
    texts,
)
from tests.systems.jazz.test_turn import ANN, BOB, CAT, FALLEN_BEN, HEALER, TRIO, attack, sheet
from tests.systems.playing import Faces

ASPECTS: dict[str, Any] = {
    "aspects": [{"name": "fighter", "bonus": 2}, {"name": "mage", "bonus": 3, "weird": True}],
    "weird": {"current": 2, "max": 3},
}


def turns(ruling: dict[str, Any]) -> list[tuple[list[str], list[str], str]]:
    """Who acts, on whom, and the outcome."""
    return [(turn["by"], turn["on"], turn["outcome"]) for turn in ruling["turns"]]


def faces(*several: Faces) -> Faces:
    return {name: shown for some in several for name, shown in some.items()}


class TestTurns:
    def test_in_the_order_of_initiative(self) -> None:
        ruling = play("round", faces(blow(1, 0, 1, MISS), blow(1, 1, 0), blow(1, 2, 0, MISS)), **TRIO,
                      orders=[attack("cat", "ann"), attack("bob", "ann"), attack("ann", "bob")])  # fmt: skip
        assert turns(ruling) == [(["ann"], ["bob"], "miss"), (["bob"], ["ann"], "hit"), (["cat"], ["ann"], "miss")]
        assert (ruling["after"]["round"], ruling["after"]["acted"], ruling["next"], ruling["over"]) == (2, [], ["ann"], None)
        assert [ruling[field] for field in ("succeeded", "total", "target", "margin")] == [None] * 4
        assert ruling["turns"][1]["rolls"] == ["combatants.1.round1.attack", "combatants.0.round1.against.1"]

    def test_initiative_is_rolled_and_the_order_comes_back_with_totals(self) -> None:
        given = {"combatants.0": [1, 1], "combatants.1": [6, 6], "combatants.2": [3, 3]}
        ruling = play("round", given, combatants=TRIO["combatants"])
        assert [place["total"] for place in ruling["after"]["order"]] == [12, 6, 2]
        assert ruling["turns"] == []

    def test_the_rest_of_a_round(self) -> None:
        ruling = play("round", blow(1, 2, 0), **TRIO, acted=["ann"], orders=[attack("cat", "ann")])
        assert (turns(ruling), ruling["after"]["round"]) == ([(["cat"], ["ann"], "hit")], 2)
        assert refused("round", **TRIO, acted=["ann"], orders=[attack("ann", "bob")]) == ("jazz.conflict.action", "/orders/0/by/0")

    @pytest.mark.parametrize(
        ("second", "rule"),
        [
            (attack("ann", "cat"), "jazz.conflict.once"),
            ({"by": ["ann"], "pass": True}, "jazz.conflict.action"),
            ({"by": ["bob", "ann"], "check": {"difficulty": 8}}, "jazz.conflict.action"),
        ],
    )
    def test_second_action(self, second: dict[str, Any], rule: str) -> None:
        refusal = refused("round", combatants=TRIO["combatants"], orders=[attack("ann", "bob"), second])
        assert refusal == (rule, f"/orders/1/by/{second['by'].index('ann')}")

    def test_waiting_is_for_turns(self) -> None:
        assert refused("round", **TRIO, orders=[{"by": ["ann"], "wait": True}]) == ("jazz.conflict.order", "/orders/0/wait")

    def test_any_action(self) -> None:
        orders = [{"by": ["ann"], "check": {"difficulty": 8}}, {"by": ["bob"], "pass": True}]
        ruling = play("round", {"combatants.0.round1.check": [3, 3]}, **TRIO, orders=orders)
        assert turns(ruling) == [(["ann"], [], "success"), (["bob"], [], "passed")]

    def test_over(self) -> None:
        people = [ANN, fighter("bob", "foes"), fighter("dan", "heroes")]
        orders = [attack("ann", "bob"), attack("bob", "ann"), {"by": ["dan"], "check": {"difficulty": 2}}]
        ruling = play("round", blow(1, 0, 1), combatants=people, order=order("ann", "bob", "dan"), orders=orders)
        assert turns(ruling) == [(["ann"], ["bob"], "hit"), (["bob"], [], "lost"), (["dan"], [], "lost")]
        assert (ruling["outcome"], ruling["over"], ruling["after"]["round"], ruling["after"]["acted"]) == ("finished", "heroes", 1, ["ann"])
        assert refused("round", **ruling["after"], orders=[attack("ann", "bob")])[0] == "jazz.conflict.out"
        assert play("round", **ruling["after"])["outcome"] == "finished"

    def test_kind_is_a_label(self) -> None:
        ruling = play("round", blow(1, 0, 1), **TRIO, kind="social", orders=[attack("ann", "bob")])
        assert texts(ruling, "jazz.conflict.kind")
        assert effects(ruling) == [("combatants.1.health", 2, 1)]


class TestLostTurns:
    def test_out_before_the_turn(self) -> None:
        people = [ANN, fighter("bob", "foes"), CAT]
        orders = [attack("ann", "bob"), attack("bob", "ann"), attack("cat", "ann")]
        ruling = play("round", faces(blow(1, 0, 1), blow(1, 2, 0)), combatants=people, order=order("ann", "bob", "cat"), orders=orders)
        assert turns(ruling) == [(["ann"], ["bob"], "hit"), (["bob"], [], "lost"), (["cat"], ["ann"], "hit")]
        lost = ruling["turns"][1]
        assert [lost[field] for field in ("succeeded", "total", "target", "margin")] == [None] * 4

    def test_target_is_out(self) -> None:
        people = [ANN, fighter("bob", "foes"), fighter("dan", "heroes"), CAT]
        request = {"combatants": people, "order": order("ann", "dan", "bob", "cat")}
        ruling = play("round", blow(1, 0, 1), **request, orders=[attack("ann", "bob"), attack("dan", "bob")])
        assert turns(ruling) == [(["ann"], ["bob"], "hit"), (["dan"], [], "lost")]
        both = faces(blow(1, 0, 1), blow(1, 2, 3))
        ruling = play("round", both, **request, orders=[attack("ann", "bob"), attack("dan", ["bob", "cat"])])
        assert turns(ruling)[1] == (["dan"], ["cat"], "hit")

    def test_what_the_request_forbids_is_refused(self) -> None:
        people = [ANN, fighter("bob", "foes", 0), CAT]
        request = {"combatants": people, "order": order("ann", "bob", "cat")}
        assert refused("round", **request, orders=[attack("ann", "bob")]) == ("jazz.conflict.out", "/orders/0/attack")
        ruling = play("round", **request, orders=[attack("bob", "ann")])
        assert turns(ruling) == [(["bob"], [], "lost")]
        tricked = [fighter("ann", "heroes", 2, karma="negative"), BOB]
        rescue = [{"by": ["ann"], "check": {"difficulty": 8}, "rescue": "ann"}]
        refusal = refused("round", combatants=tricked, order=order("ann", "bob"), orders=rescue)
        assert refusal == ("jazz.karma.rescue", "/orders/0/rescue")

    def test_what_only_went_before_forbids(self) -> None:
        """Two draw on one pool of weird: the second time it is empty."""
        mage = fighter("ann", "heroes", 2, **{**ASPECTS, "weird": {"current": 1, "max": 3}})
        mage["actor"] |= {"using": ["mage"], "extraordinary": True}
        orders = [attack("ann", "bob"), attack("bob", "ann")]
        given = faces(blow(1, 1, 0, MISS))
        ruling = play("round", given, combatants=[mage, BOB], order=order("bob", "ann"), orders=orders)
        # the defence leaves it for the own attack
        assert turns(ruling)[1][2] in ("hit", "miss")
        assert "extraordinary" not in ruling["after"]["combatants"][0]["actor"]
        assert ruling["after"]["combatants"][0]["actor"]["character"]["weird"]["current"] == 0

    def test_second_rescue_is_forbidden_by_the_first(self) -> None:
        given = faces(blow(1, 1, 0, ([4, 4], [1, 1])), {"combatants.0.round1.against.1.rescue": [6]}, blow(1, 2, 0, MISS))
        orders = [attack("bob", "ann", rescue="ann"), attack("ann", "bob", rescue="ann"), attack("cat", "ann")]
        given["combatants.0.round1.against.1"] = [2, 2]
        ruling = play("round", given, combatants=TRIO["combatants"], order=order("bob", "ann", "cat"), orders=orders)
        assert [turn["outcome"] for turn in ruling["turns"]] == ["miss", "lost", "miss"]

    def test_healed_before_the_round_ends(self) -> None:
        orders = [
            attack("ben", "bob"),
            {"by": ["ann"], "using": ["healer"], "check": {"effect": "restoreHealth.one", "subject": "ben"}},
            attack("bob", "ann"),
        ]
        request = {"combatants": [HEALER, FALLEN_BEN, BOB], "order": order("ben", "ann", "bob"), "orders": orders}
        given = faces({"combatants.0.round1.check": [4, 4]}, blow(1, 1, 2, MISS), blow(1, 2, 0, MISS))
        healed = play("round", given, **request)
        assert [turn["by"][0] for turn in healed["turns"]] == ["ann", "ben", "bob"]
        failed = play("round", faces({"combatants.0.round1.check": [1, 1]}, blow(1, 2, 0, MISS)), **request)
        assert turns(failed) == [(["ben"], [], "lost"), (["ann"], ["ben"], "failure"), (["bob"], ["ann"], "miss")]

    def test_dice_of_a_lost_turn_are_listed(self) -> None:
        people = [ANN, fighter("bob", "foes"), CAT]
        given = faces(blow(1, 0, 1), {"combatants.1.round1.attack": [6, 6]})
        ruling = play(
            "round", given, combatants=people, order=order("ann", "bob", "cat"), orders=[attack("ann", "bob"), attack("bob", "ann")]
        )
        assert ruling["unusedDice"] == [{"roll": "combatants.1.round1.attack", "faces": [6, 6]}]
        assert refused("round", {"combatants.2.round1.attack": [1, 1]}, **TRIO, orders=[attack("ann", "bob")])[1] == "/dice/0/roll"


class TestTeams:
    def test_turn_of_the_slowest(self) -> None:
        people = [ANN, BOB, fighter("dan", "heroes")]
        orders = [{"by": ["ann", "dan"], "attack": "bob"}, attack("bob", "dan")]
        given = faces(blow(1, 1, 2), {"combatants.0.round1.attack": [3, 3], "combatants.1.round1.against.0": [4, 4]})
        ruling = play("round", given, combatants=people, order=order("ann", "bob", "dan"), orders=orders)
        # the slowest falls before: the team still acts in that place, and counts one
        assert turns(ruling) == [(["bob"], ["dan"], "hit"), (["ann", "dan"], ["bob"], "miss")]
        assert (ruling["turns"][1]["total"], ruling["turns"][1]["target"]) == (8, 10)

    def test_slowest_who_stands_as_the_round_begins(self) -> None:
        people = [ANN, BOB, fighter("dan", "heroes", 0)]
        orders = [attack("bob", "ann"), {"by": ["dan", "ann"], "attack": "bob"}]
        ruling = play("round", combatants=people, order=order("ann", "bob", "dan"), orders=orders)
        assert [turn["by"] for turn in ruling["turns"]] == [["dan", "ann"], ["bob"]]
        assert roll_names(ruling)[:2] == ["combatants.0.round1.attack", "combatants.1.round1.against.2"]

    def test_teamwork_heals(self) -> None:
        other = fighter("eve", "heroes", 2, **ASPECTS)
        check = {"by": ["ann", "eve"], "using": ["healer", "mage"], "check": {"effect": "restoreHealth.one", "subject": "ben"}}
        given = {"combatants.0.round1.check": [2, 2], "combatants.2.round1.check": [1, 1]}
        request = {"combatants": [HEALER, FALLEN_BEN, other, BOB], "order": order("ann", "eve", "bob", "ben")}
        ruling = play("round", given, **request, orders=[check])
        assert (ruling["turns"][0]["outcome"], ruling["turns"][0]["total"], ruling["turns"][0]["on"]) == ("success", 9, ["ben"])
        assert sheet(ruling, 1)["out"] is False
        assert (sheet(ruling, 0)["weird"]["current"], sheet(ruling, 2)["weird"]["current"]) == (1, 1)


class TestOneMoment:
    def test_both_fall(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes")]
        ruling = play("round", faces(blow(1, 0, 1), blow(1, 1, 0)), combatants=people, order=order("ann=bob"),
                      orders=[attack("ann", "bob"), attack("bob", "ann")])  # fmt: skip
        assert turns(ruling) == [(["ann"], ["bob"], "hit"), (["bob"], ["ann"], "hit")]
        assert (ruling["outcome"], ruling["over"], ruling["next"]) == ("finished", None, [])

    def test_falling_without_an_order(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes")]
        ruling = play("round", blow(1, 0, 1), combatants=people, order=order("ann=bob"), orders=[attack("ann", "bob")])
        assert (ruling["outcome"], ruling["over"], ruling["after"]["falling"]) == ("finished", "heroes", [])
        assert ruling["after"]["acted"] == ["ann", "bob"]


class TestManyTargets:
    def test_each_defends(self) -> None:
        mage = fighter("ann", "heroes", 2, **ASPECTS)
        mage["actor"]["using"] = ["mage"]
        given = {"combatants.0.round1.attack": [3, 3], "combatants.1.round1.against.0": [1, 1], "combatants.2.round1.against.0": [5, 5]}
        orders = [{"by": ["ann"], "targets": ["bob", "cat"]}]
        ruling = play("round", given, combatants=[mage, BOB, CAT], order=order("ann", "bob", "cat"), orders=orders)
        (turn,) = ruling["turns"]
        assert (turn["kind"], turn["on"], turn["outcome"], turn["target"]) == ("targets", ["bob", "cat"], "hit", None)
        assert turn["results"] == [
            {"on": "bob", "outcome": "hit", "total": 9, "target": 4, "margin": 5},
            {"on": "cat", "outcome": "miss", "total": 9, "target": 12, "margin": -3},
        ]
        assert sheet(ruling, 0)["weird"]["current"] == 1

    def test_those_who_are_out_are_left_out(self) -> None:
        mage = fighter("ann", "heroes", 2, **ASPECTS)
        mage["actor"]["using"] = ["mage"]
        people = [mage, fighter("bob", "foes", 0), CAT]
        orders = [{"by": ["ann"], "targets": ["bob", "cat"]}]
        ruling = play("round", combatants=people, order=order("ann", "bob", "cat"), orders=orders)
        assert ruling["turns"][0]["on"] == ["cat"]

    def test_needs_a_weird_aspect(self) -> None:
        orders = [{"by": ["ann"], "targets": ["bob", "cat"]}]
        assert refused("round", **TRIO, orders=orders) == ("jazz.weird.many", "/combatants/0/actor/using")


class TestRescue:
    def test_attacker(self) -> None:
        given = faces(blow(1, 0, 1, ([1, 1], [2, 2])), {"combatants.0.round1.attack.rescue": [6]})
        ruling = play("round", given, **TRIO, orders=[attack("ann", "bob", rescue="ann")])
        assert turns(ruling) == [(["ann"], ["bob"], "hit")]
        assert effects(ruling) == [("combatants.0.karma", "neutral", "negative"), ("combatants.1.health", 2, 1)]

    def test_defender(self) -> None:
        given = faces(blow(1, 0, 1), {"combatants.1.round1.against.0.rescue": [6]})
        ruling = play("round", given, **TRIO, orders=[attack("ann", "bob", rescue="bob")])
        assert turns(ruling) == [(["ann"], ["bob"], "hit")]
        assert roll_names(ruling)[-1] == "combatants.1.round1.against.0.rescue"

    def test_for_somebody_else(self) -> None:
        assert refused("round", **TRIO, orders=[attack("ann", "bob", rescue="cat")]) == ("jazz.karma.rescue", "/orders/0/rescue")


class TestDiceToSpend:
    def test_kept_for_the_own_action(self) -> None:
        people = [fighter("ann", "heroes", 2, karma="positive", spend="karma"), BOB]
        given = faces(blow(1, 1, 0, MISS), {"combatants.0.round1.attack": [1, 1, 1], "combatants.1.round1.against.0": [1, 1]})
        ruling = play("round", given, combatants=people, order=order("bob", "ann"), orders=[attack("bob", "ann"), attack("ann", "bob")])
        assert sheet(ruling, 0)["karma"] == "neutral"
        assert "spend" not in ruling["after"]["combatants"][0]["actor"]

    def test_kept_where_the_own_action_is_lost(self) -> None:
        people = [fighter("ann", "heroes", 1, karma="positive", spend="karma"), BOB, fighter("dan", "heroes")]
        ruling = play("round", blow(1, 1, 0), combatants=people, order=order("bob", "ann", "dan"),
                      orders=[attack("bob", "ann"), attack("ann", "bob")])  # fmt: skip
        assert sheet(ruling, 0)["karma"] == "positive"
        assert ruling["after"]["combatants"][0]["actor"]["spend"] == "karma"

    def test_first_defence(self) -> None:
        people = [fighter("ann", "heroes", 2, karma="positive", spend="karma"), BOB, CAT]
        given = faces({"combatants.1.round1.attack": [6, 6], "combatants.0.round1.against.1": [1, 1, 1]}, blow(1, 2, 0))
        ruling = play(
            "round", given, combatants=people, order=order("bob", "cat", "ann"), orders=[attack("bob", "ann"), attack("cat", "ann")]
        )
        assert sheet(ruling, 0)["karma"] == "neutral"


class TestOdds:
    def test_first_attack_may_prevent_the_second(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes")]
        chances = fractions("round", combatants=people, order=order("ann", "bob"), orders=[attack("ann", "bob"), attack("bob", "ann")])
        going_on = (1 - HIT_CHANCE) ** 2
        assert chances == {"ongoing": str(going_on), "finished": str(1 - going_on)}

    def test_rolls(self) -> None:
        counted = odds("round", **TRIO, orders=[attack("ann", "bob")])
        assert [roll["roll"] for roll in counted["rolls"]] == ["combatants.0.round1.attack", "combatants.1.round1.against.0"]
        assert "turns" not in counted

    def test_initiative_decides_who_is_first(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes")]
        counted = odds("round", combatants=people, orders=[attack("ann", "bob"), attack("bob", "ann")])
        assert counted["expected"]["combatants.0.health"] == pytest.approx(counted["expected"]["combatants.1.health"])


def test_without_a_sheet() -> None:
    thug = combatant("thug", "gang", {"character": THUG, "using": ["thug"]})
    people = [combatant("rook", "crew", driving(ROOK)), thug, combatant("x", "gang", {"bonus": 1})]
    ruling = play("round", combatants=people, order=order("x", "rook", "thug"), orders=[attack("x", "rook"), attack("rook", "x")])
    assert [roll["name"] for roll in ruling["rolls"]] == ["x", "Rook", "Rook", "x"]
