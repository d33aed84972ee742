"""Conflicts turn by turn (jazz.conflict.order, jazz.conflict.action, jazz.conflict.out, jazz.team.attack)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    HIT_CHANCE,
    MISS,
    blow,
    combatant,
    effects,
    fighter,
    fractions,
    odds,
    order,
    play,
    refused,
    roll_names,
)
from tests.systems.playing import Faces

ANN, BOB, CAT = fighter("ann", "heroes", 2), fighter("bob", "foes", 2), fighter("cat", "foes", 2)
TRIO: dict[str, Any] = {"combatants": [ANN, BOB, CAT], "order": order("ann", "bob", "cat")}
HEALER = fighter(
    "ann",
    "heroes",
    2,
    aspects=[{"name": "fighter", "bonus": 2}, {"name": "healer", "bonus": 3, "weird": True}],
    weird={"current": 2, "max": 3},
)
FALLEN_BEN = fighter("ben", "heroes", 0, out=True)


def sheet(ruling: dict[str, Any], index: int) -> dict[str, Any]:
    found: dict[str, Any] = ruling["after"]["combatants"][index]["actor"]["character"]
    return found


def after(ruling: dict[str, Any], faces: Faces | None = None, /, **turn: Any) -> dict[str, Any]:
    """The ruling of the next turn."""
    return play("turn", faces, **ruling["after"], turn=turn)


def attack(by: str, on: str | list[str], **more: Any) -> dict[str, Any]:
    return {"by": [by], "attack": on, **more}


def state(ruling: dict[str, Any]) -> tuple[Any, ...]:
    """Round, who acted, who waits, who is falling, who is next."""
    shown = ruling["after"]
    return shown["round"], shown["acted"], shown["waiting"], shown["falling"], ruling["next"]


class TestState:
    def test_a_round_of_turns(self) -> None:
        first = play("turn", blow(1, 0, 1), **TRIO, turn=attack("ann", "bob"))
        assert (first["outcome"], first["succeeded"], first["total"], first["target"], first["margin"]) == ("ongoing", True, 14, 4, 10)
        assert state(first) == (1, ["ann"], [], [], ["bob"])
        assert first["turn"] == {
            "by": ["ann"],
            "kind": "attack",
            "on": ["bob"],
            "outcome": "hit",
            "succeeded": True,
            "total": 14,
            "target": 4,
            "margin": 10,
            "rolls": ["combatants.0.round1.attack", "combatants.1.round1.against.0"],
            "summary": "⁨Ann⁩ attacks ⁨Bob⁩: 14 against 4, hit. ⁨Bob⁩: health 2 → 1",
        } | {"summary": first["turn"]["summary"]}
        second = after(first, blow(1, 1, 0, MISS), **attack("bob", "ann"))
        assert state(second) == (1, ["ann", "bob"], [], [], ["cat"])
        third = after(second, by=["cat"], **{"pass": True})
        assert (third["turn"]["outcome"], third["turn"]["kind"], third["rolls"]) == ("passed", "pass", [])
        assert state(third) == (2, [], [], [], ["ann"])

    def test_initiative_only(self) -> None:
        faces = {"combatants.0": [1, 1], "combatants.1": [6, 6], "combatants.2": [3, 3]}
        ruling = play("turn", faces, combatants=TRIO["combatants"])
        assert [ruling[field] for field in ("turn", "total", "succeeded")] == [None] * 3
        assert ruling["after"]["order"] == [{"ids": ["bob"], "total": 12}, {"ids": ["cat"], "total": 6}, {"ids": ["ann"], "total": 2}]
        assert state(ruling) == (1, [], [], [], ["bob"])
        assert refused("turn", combatants=TRIO["combatants"], turn=attack("ann", "bob")) == ("jazz.conflict.initiative", "/turn")
        assert refused("turn", **TRIO) == ("jazz.conflict.order", "/turn")

    def test_over(self) -> None:
        ruling = play("turn", blow(1, 0, 1), combatants=[ANN, fighter("bob", "foes")], order=order("bob", "ann"), acted=["bob"],
                      turn=attack("ann", "bob"))  # fmt: skip
        assert (ruling["outcome"], ruling["over"], ruling["next"]) == ("finished", "heroes", [])
        assert (ruling["after"]["round"], ruling["after"]["acted"]) == (1, ["bob", "ann"])
        assert refused("turn", **ruling["after"], turn=attack("ann", "bob"))[0] == "jazz.conflict.out"
        assert refused("turn", **ruling["after"], turn={"by": ["ann"], "pass": True}) == ("jazz.conflict.out", "/turn")

    def test_sheets_come_back_as_sent(self) -> None:
        ruling = play("turn", blow(1, 0, 1, MISS), **TRIO, turn=attack("ann", "bob"))
        assert ruling["after"]["combatants"] == TRIO["combatants"]
        assert list(ruling["after"]) == ["combatants", "order", "round", "acted", "waiting", "falling"]

    def test_names_of_sides(self) -> None:
        people = [ANN, fighter("bob", "Heroes "), fighter("cat", "foes")]
        assert refused("turn", combatants=people, order=order("ann", "bob", "cat"), turn=attack("ann", "bob")) == (
            "jazz.conflict.attack",
            "/turn/attack",
        )
        blank = [ANN, fighter("bob", "  ")]
        assert refused("turn", combatants=blank) == (None, "/combatants/1/side")

    def test_without_a_sheet_nobody_is_ever_out(self) -> None:
        people = [ANN, combatant("x", "foes", {"bonus": 0})]
        ruling = play("turn", blow(1, 0, 1), combatants=people, order=order("ann", "x"), turn=attack("ann", "x"))
        assert (ruling["turn"]["outcome"], ruling["outcome"], ruling["next"]) == ("hit", "ongoing", ["x"])


class TestWhoseTurn:
    def test_out_of_turn(self) -> None:
        assert refused("turn", **TRIO, turn=attack("bob", "ann")) == ("jazz.conflict.order", "/turn/by/0")

    def test_acting_again(self) -> None:
        assert refused("turn", **TRIO, acted=["ann"], turn=attack("ann", "bob")) == ("jazz.conflict.action", "/turn/by/0")

    def test_out(self) -> None:
        people = [ANN, fighter("bob", "foes", 0), CAT]
        assert refused("turn", combatants=people, order=order("bob", "ann", "cat"), turn=attack("bob", "ann"))[0] == "jazz.conflict.out"
        ruling = play("turn", combatants=people, order=order("bob", "ann", "cat"), turn={"by": ["ann"], "pass": True})
        assert ruling["next"] == ["cat"]

    def test_acted_decides_and_not_the_place(self) -> None:
        """A character who has acted does not act again after the order changes (G10)."""
        changed = {"combatants": TRIO["combatants"], "order": order("cat", "bob", "ann"), "acted": ["cat", "ann"]}
        ruling = play("turn", **changed, turn={"by": ["bob"], "pass": True})
        assert state(ruling)[0] == 2

    def test_latecomer_has_an_action_in_the_round_they_join(self) -> None:
        people = [*TRIO["combatants"], fighter("dan", "heroes")]
        late = {"combatants": people, "order": order("dan", "ann", "bob", "cat"), "acted": ["ann", "bob"]}
        assert refused("turn", **late, turn=attack("cat", "ann")) == ("jazz.conflict.order", "/turn/by/0")
        ruling = play("turn", blow(1, 3, 2, MISS), **late, turn=attack("dan", "cat"))
        assert ruling["next"] == ["cat"]

    def test_three_tied_each_get_one_action(self) -> None:
        """With simultaneous ties none is passed over (G9)."""
        tied = {"combatants": TRIO["combatants"], "order": order("ann=bob=cat")}
        ruling = play("turn", **tied, turn={"by": ["bob"], "pass": True})
        assert ruling["next"] == ["ann", "cat"]
        ruling = after(ruling, by=["cat"], **{"pass": True})
        ruling = after(ruling, by=["ann"], **{"pass": True})
        assert state(ruling) == (2, [], [], [], ["ann", "bob", "cat"])

    def test_healed_before_the_round_ends(self) -> None:
        heal = {"by": ["ann"], "using": ["healer"], "check": {"effect": "restoreHealth.one", "subject": "ben"}}
        request = {"combatants": [HEALER, FALLEN_BEN, BOB], "order": order("ben", "ann", "bob")}
        ruling = play("turn", {"combatants.0.round1.check": [4, 4]}, **request, turn=heal)
        assert (ruling["turn"]["kind"], ruling["turn"]["on"], ruling["turn"]["total"]) == ("check", ["ben"], 11)
        assert (sheet(ruling, 1)["health"]["current"], sheet(ruling, 1)["out"]) == (1, False)
        assert ruling["next"] == ["ben"]

    def test_unknown_and_repeated(self) -> None:
        assert refused("turn", **TRIO, turn=attack("zoe", "bob"))[1] == "/turn/by/0"
        assert refused("turn", **TRIO, turn=attack("ann", ["bob", "zoe"]))[1] == "/turn/attack/1"
        assert refused("turn", **TRIO, turn={"by": ["ann", "ann"], "pass": True}) == ("jazz.conflict.action", "/turn/by/1")
        assert refused("turn", **TRIO, acted=["zoe"], turn=attack("ann", "bob"))[1] == "/acted/0"
        assert refused("turn", **TRIO, waiting=["bob", "bob"], turn=attack("ann", "bob"))[1] == "/waiting"

    @pytest.mark.parametrize("more", [{}, {"pass": True, "attack": "bob"}, {"wait": True, "pass": True}])
    def test_one_action(self, more: dict[str, Any]) -> None:
        assert refused("turn", **TRIO, turn={"by": ["ann"], **more})[0] == "jazz.conflict.action"


class TestWaiting:
    def test_waits_and_joins_a_team(self) -> None:
        request = {"combatants": [ANN, fighter("ben", "heroes"), BOB], "order": order("ann", "bob", "ben")}
        waits = play("turn", **request, turn={"by": ["ann"], "wait": True})
        assert (waits["turn"]["outcome"], waits["outcome"]) == ("waiting", "ongoing")
        assert state(waits) == (1, [], ["ann"], [], ["bob"])
        passes = after(waits, by=["bob"], **{"pass": True})
        assert state(passes) == (1, ["bob"], ["ann"], [], ["ben"])
        faces = {"combatants.0.round1.attack": [3, 3], "combatants.1.round1.attack": [2, 2], "combatants.2.round1.against.1": [4, 5]}
        team = after(passes, faces, by=["ben", "ann"], attack="bob")
        # 6 + 2, and two members
        assert (team["total"], team["target"], team["turn"]["outcome"]) == (10, 11, "miss")
        assert state(team)[:3] == (2, [], [])

    def test_waits_alone_and_acts_before_the_next(self) -> None:
        waits = play("turn", **TRIO, turn={"by": ["ann"], "wait": True})
        ruling = after(waits, blow(1, 0, 1, MISS), **attack("ann", "bob"))
        assert state(ruling) == (1, ["ann"], [], [], ["bob"])

    def test_only_waiting_ones_are_left(self) -> None:
        request = {**TRIO, "acted": ["bob", "cat"], "waiting": ["ann"]}
        assert refused("turn", **request, turn={"by": ["ann"], "wait": True})[1] == "/turn/wait"
        ruling = play("turn", **request, turn={"by": ["ann"], "pass": True})
        assert state(ruling) == (2, [], [], [], ["ann"])

    def test_who_falls_waits_no_more(self) -> None:
        request = {"combatants": [fighter("ann", "heroes"), BOB, fighter("dan", "heroes")], "order": order("ann", "bob", "dan")}
        ruling = play("turn", blow(1, 1, 0), **request, waiting=["ann"], turn=attack("bob", "ann"))
        assert state(ruling) == (1, ["bob"], [], [], ["dan"])


class TestOneMoment:
    SHARED: dict[str, Any] = {"combatants": [fighter("ann", "heroes"), fighter("bob", "foes")], "order": order("ann=bob")}

    def test_falling(self) -> None:
        first = play("turn", blow(1, 0, 1), **self.SHARED, turn=attack("ann", "bob"))
        assert (first["outcome"], first["over"]) == ("ongoing", None)
        assert state(first) == (1, ["ann"], [], ["bob"], ["bob"])
        assert refused("turn", **first["after"], turn={"by": ["bob"], "wait": True}) == ("jazz.conflict.out", "/turn/wait")
        second = after(first, blow(1, 1, 0), **attack("bob", "ann"))
        assert (second["outcome"], second["over"], second["next"], second["after"]["falling"]) == ("finished", None, [], [])

    def test_falling_is_out_for_everything_else(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes"), fighter("dan", "heroes"), fighter("cat", "foes")]
        first = play("turn", blow(1, 0, 1), combatants=people, order=order("ann=bob=dan", "cat"), turn=attack("ann", "bob"))
        assert first["next"] == ["bob", "dan"]
        assert refused("turn", **first["after"], turn=attack("dan", "bob"))[0] == "jazz.conflict.out"
        second = after(first, blow(1, 2, 3, MISS), **attack("dan", ["bob", "cat"]))
        assert (second["turn"]["on"], second["next"]) == (["cat"], ["bob"])
        third = after(second, by=["bob"], **{"pass": True})
        assert state(third) == (1, ["ann", "dan", "bob"], [], [], ["cat"])

    def test_by_another_place(self) -> None:
        people = [fighter("ann", "heroes"), fighter("bob", "foes"), fighter("cat", "foes")]
        ruling = play("turn", blow(1, 0, 1), combatants=people, order=order("ann", "bob=cat"), turn=attack("ann", "bob"))
        assert state(ruling) == (1, ["ann"], [], [], ["cat"])

    def test_who_has_acted_does_not_fall(self) -> None:
        first = play("turn", blow(1, 0, 1, MISS), **self.SHARED, turn=attack("ann", "bob"))
        second = after(first, blow(1, 1, 0), **attack("bob", "ann"))
        assert (second["outcome"], second["over"], second["after"]["acted"]) == ("finished", "foes", ["ann", "bob"])


class TestTeams:
    TEAM: dict[str, Any] = {"combatants": [ANN, fighter("ben", "heroes", 0), BOB], "order": order("ann=ben", "bob")}

    def test_member_who_is_out_does_not_count(self) -> None:
        faces = {"combatants.0.round1.attack": [3, 3], "combatants.2.round1.against.1": [1, 1]}
        ruling = play("turn", faces, **self.TEAM, turn={"by": ["ben", "ann"], "attack": "bob"})
        assert (ruling["total"], ruling["turn"]["by"], ruling["after"]["acted"]) == (8, ["ben", "ann"], ["ann"])

    def test_nobody_left(self) -> None:
        assert refused("turn", **self.TEAM, turn={"by": ["ben"], "attack": "bob"}) == ("jazz.conflict.out", "/turn/by/0")

    def test_teamwork(self) -> None:
        people = [ANN, fighter("ben", "heroes"), BOB]
        faces = {"combatants.0.round1.check": [3, 3], "combatants.1.round1.check": [2, 2]}
        request = {"combatants": people, "order": order("ann=ben", "bob"), "turn": {"by": ["ann", "ben"], "check": {"difficulty": 10}}}
        ruling = play("turn", faces, **request)
        assert (ruling["total"], ruling["target"], ruling["turn"]["outcome"]) == (10, 10, "success")


class TestTargets:
    def test_first_who_stands(self) -> None:
        people = [ANN, fighter("bob", "foes", 0), CAT]
        request = {"combatants": people, "order": order("ann", "bob", "cat")}
        ruling = play("turn", blow(1, 0, 2), **request, turn=attack("ann", ["bob", "cat"]))
        assert (ruling["turn"]["on"], roll_names(ruling)[1]) == (["cat"], "combatants.2.round1.against.0")
        assert refused("turn", **request, turn=attack("ann", "bob")) == ("jazz.conflict.out", "/turn/attack")

    def test_opposed_check(self) -> None:
        faces = {"combatants.0.round1.check": [3, 3], "combatants.1.round1.against.0": [2, 3]}
        ruling = play("turn", faces, **TRIO, turn={"by": ["ann"], "check": {"against": "bob"}})
        assert (ruling["turn"]["on"], ruling["total"], ruling["target"], ruling["turn"]["outcome"]) == (["bob"], 8, 7, "success")
        assert refused("turn", **TRIO, turn={"by": ["ann"], "check": {"against": "ann"}})[1] == "/turn/check/against"
        people = [ANN, fighter("bob", "foes", 0), CAT]
        request = {"combatants": people, "order": order("ann", "bob", "cat")}
        refusal = refused("turn", **request, turn={"by": ["ann"], "check": {"against": "bob"}})
        assert refusal == ("jazz.conflict.out", "/turn/check/against")

    def test_check_without_a_target(self) -> None:
        assert refused("turn", **TRIO, turn={"by": ["ann"], "check": {}})[0] == "jazz.check.success"
        assert refused("turn", **TRIO, turn={"by": ["ann"], "check": {"difficulty": 8, "subject": "bob"}})[0] == "jazz.weird.restore"

    def test_aspects_for_this_action(self) -> None:
        ruling = play("turn", {"combatants.0.round1.check": [1, 1]}, combatants=[HEALER, BOB], order=order("ann", "bob"),
                      turn={"by": ["ann"], "using": ["HEALER"], "check": {"difficulty": 5}})  # fmt: skip
        assert ruling["total"] == 5
        assert refused("turn", **TRIO, turn=attack("ann", "bob", using=["ninja"])) == ("jazz.aspects.highest", "/turn/using/0")


class TestDiceToSpend:
    def test_own_action(self) -> None:
        people = [fighter("ann", "heroes", karma="positive", spend="karma"), BOB]
        faces = {"combatants.0.round1.attack": [1, 1, 1], "combatants.1.round1.against.0": [6, 6]}
        ruling = play("turn", faces, combatants=people, order=order("ann", "bob"), turn=attack("ann", "bob"))
        assert effects(ruling) == [("combatants.0.karma", "positive", "neutral")]
        assert "spend" not in ruling["after"]["combatants"][0]["actor"]

    def test_defence(self) -> None:
        people = [ANN, fighter("bob", "foes", 2, karma="positive", spend="karma")]
        faces = {"combatants.0.round1.attack": [1, 1], "combatants.1.round1.against.0": [1, 1, 1]}
        ruling = play("turn", faces, combatants=people, order=order("ann", "bob"), turn=attack("ann", "bob"))
        assert (ruling["target"], sheet(ruling, 1)["karma"]) == (5, "neutral")

    def test_kept_without_a_roll(self) -> None:
        people = [fighter("ann", "heroes", karma="positive", spend="karma"), BOB]
        ruling = play("turn", combatants=people, order=order("ann", "bob"), turn={"by": ["ann"], "pass": True})
        assert ruling["after"]["combatants"] == people
        ruling = play("turn", combatants=people)
        assert ruling["after"]["combatants"] == people

    def test_must_be_held(self) -> None:
        people = [ANN, fighter("bob", "foes", 2, spend="karma")]
        refusal = refused("turn", combatants=people, order=order("ann", "bob"), turn=attack("ann", "bob"))
        assert refusal == ("jazz.karma.positive", "/combatants/1/actor/spend")


class TestOdds:
    def test_chances_of_the_action(self) -> None:
        counted = odds("turn", combatants=[ANN, fighter("bob", "foes", bonus=2)], order=order("ann", "bob"), turn=attack("ann", "bob"))
        assert {row["outcome"]: row["fraction"] for row in counted["outcomes"]} == {
            "finished": str(HIT_CHANCE),
            "ongoing": str(1 - HIT_CHANCE),
        }
        own = {row["outcome"]: row["fraction"] for row in counted["turn"]["outcomes"]}
        assert own == {"hit": str(HIT_CHANCE), "miss": str(1 - HIT_CHANCE)}

    def test_initiative_only(self) -> None:
        crowd = [fighter(f"c{number}", f"side {number % 2}") for number in range(20)]
        assert fractions("turn", combatants=crowd) == {"ongoing": "1"}


class TestFactorsAndOptions:
    """Each turn has its own, and the ruling all of them."""

    def test_of_a_turn(self) -> None:
        ruling = play("turn", blow(1, 0, 1, ([1, 1], [2, 3])), **TRIO, turn=attack("ann", "bob"), include=["factors", "options"])
        assert {factor["on"] for factor in ruling["turn"]["factors"]} == {"combatants.0.round1.attack", "combatants.1.round1.against.0"}
        (option,) = ruling["turn"]["options"]
        assert (option["choice"], option["request"]) == ("rescue", {"turn": {"by": ["ann"], "attack": ["bob"], "rescue": "ann"}})
        assert (ruling["factors"], ruling["options"]) == (ruling["turn"]["factors"], ruling["turn"]["options"])

    def test_of_a_fall(self) -> None:
        people = [ANN, fighter("bob", "foes"), CAT]
        request = {"combatants": people, "order": order("ann", "bob", "cat"), "turn": attack("ann", "bob"), "include": ["options"]}
        ruling = play("turn", blow(1, 0, 1), **request)
        assert [(option["choice"], option["request"]) for option in ruling["turn"]["options"]][-1] == ("fate", None)

    def test_of_a_check(self) -> None:
        asked = {**TRIO, "turn": {"by": ["ann"], "check": {"difficulty": 12}}, "include": ["options"]}
        (option,) = play("turn", {"combatants.0.round1.check": [2, 2]}, **asked)["turn"]["options"]
        assert option["request"]["turn"]["rescue"] == "ann"

    def test_of_a_round(self) -> None:
        orders = [attack("ann", "bob"), attack("bob", "ann")]
        ruling = play("round", blow(1, 0, 1, MISS) | blow(1, 1, 0, MISS), **TRIO, orders=orders, include=["options", "factors"])
        first, second = ruling["turns"]
        assert first["options"][0]["request"] == {
            "orders": [{"by": ["ann"], "attack": ["bob"], "rescue": "ann"}, {"by": ["bob"], "attack": ["ann"]}]
        }
        assert second["options"][0]["request"]["orders"][1]["rescue"] == "bob"
        assert all(factor["on"] in second["rolls"] for factor in second["factors"])


class TestDice:
    def test_dice_for_a_rescue_that_was_not_needed(self) -> None:
        faces = blow(1, 0, 1) | {"combatants.0.round1.attack.rescue": [3]}
        ruling = play("turn", faces, **TRIO, turn=attack("ann", "bob", rescue="ann"))
        assert ruling["unusedDice"] == [{"roll": "combatants.0.round1.attack.rescue", "faces": [3]}]

    def test_dice_for_a_tie_that_did_not_happen(self) -> None:
        faces = {"combatants.0": [1, 1], "combatants.1": [1, 2], "combatants.2": [1, 3], "combatants.0.tie1": [1, 1]}
        assert len(play("turn", faces, combatants=TRIO["combatants"])["unusedDice"]) == 1

    @pytest.mark.parametrize("turn", [{"by": ["ann"], "pass": True}, attack("ann", "cat")])
    def test_impossible_dice(self, turn: dict[str, Any]) -> None:
        assert refused("turn", {"combatants.1.round1.against.0": [1, 1]}, **TRIO, turn=turn)[1] == "/dice/0/roll"


class TestRefusals:
    def test_order_of_others(self) -> None:
        request = {**TRIO, "order": order("ann", "bob"), "turn": attack("ann", "bob")}
        assert refused("turn", **request) == ("jazz.conflict.order", "/order")

    def test_subject_without_a_sheet(self) -> None:
        people = [HEALER, combatant("x", "heroes", {"bonus": 1}), BOB]
        heal = {"by": ["ann"], "using": ["healer"], "check": {"effect": "restoreHealth.one", "subject": "x"}}
        refusal = refused("turn", combatants=people, order=order("ann", "x", "bob"), turn=heal)
        assert refusal == ("jazz.weird.restore", "/turn/check/subject")

    def test_automatic_check_uses_no_die(self) -> None:
        people = [fighter("ann", "heroes", karma="positive", spend="karma"), BOB]
        ruling = play("turn", combatants=people, order=order("ann", "bob"), turn={"by": ["ann"], "check": {"stakes": "none"}})
        assert (ruling["turn"]["outcome"], ruling["turn"]["total"], ruling["rolls"]) == ("automatic", None, [])
        assert ruling["after"]["combatants"][0]["actor"]["spend"] == "karma"

    def test_extraordinary_check_without_weird(self) -> None:
        mage = fighter("ann", "heroes", 2, aspects=[{"name": "mage", "bonus": 3, "weird": True}], weird={"current": 0, "max": 3})
        mage["actor"] |= {"using": ["mage"], "extraordinary": True}
        refusal = refused("turn", combatants=[mage, BOB], order=order("ann", "bob"), turn={"by": ["ann"], "check": {"difficulty": 8}})
        assert refusal == ("jazz.weird.depleted", "/combatants/0/actor/extraordinary")


def test_hits_add_up_over_turns() -> None:
    """The same conflict as one round: the rolls have the same names, so the seed gives the same dice."""
    ruling = play("turn", **TRIO, seed="campaign", turn=attack("ann", "bob"))
    names = roll_names(ruling)
    ruling = play("turn", **ruling["after"], seed="campaign", turn=attack("bob", "ann"))
    names += roll_names(ruling)
    ruling = play("turn", **ruling["after"], seed="campaign", turn=attack("cat", "ann"))
    names += roll_names(ruling)
    orders = [attack("cat", "ann"), attack("bob", "ann"), attack("ann", "bob")]
    whole = play("round", **TRIO, seed="campaign", orders=orders)
    assert (names, ruling["after"], ruling["next"]) == (roll_names(whole), whole["after"], whole["next"])
