"""Conflict: who acts first, attacks, teams, and rounds of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tablecall.model.refusals import TooLargeToCount
from tests.systems.jazz.playing import (
    DRIVER,
    ROOK,
    THUG,
    WITCH,
    bewitching,
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
from tests.systems.playing import Faces

THUGGISH = {"character": THUG, "using": ["thug"]}


def entrants(*ids: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": one, "name": one.title(), **more} for one in ids]


class TestInitiative:
    """jazz.conflict.initiative"""

    def test_two_dice_and_no_bonus(self) -> None:
        ruling = play("initiative", {"combatants.0": [1, 2], "combatants.1": [4, 4]}, combatants=entrants("rook", "guard"))
        assert (ruling["outcome"], ruling["succeeded"], ruling["after"]) == ("ordered", None, {"order": [["guard"], ["rook"]]})
        assert (ruling["total"], ruling["effects"], roll_names(ruling)) == (None, [], ["combatants.0", "combatants.1"])
        assert texts(ruling, "jazz.conflict.initiative") == ["Rook: 2d6 + 0 = 3", "Guard: 2d6 + 0 = 8"]
        assert ruling["summary"] == "Initiative: Guard 8, Rook 3"

    def test_a_bonus_is_an_option(self) -> None:
        fighters = [*entrants("rook", initiativeBonus=6), *entrants("guard")]
        ruling = play("initiative", {"combatants.0": [1, 2], "combatants.1": [4, 4]}, combatants=fighters, include=["factors"])
        assert ruling["after"]["order"] == [["rook"], ["guard"]]
        assert texts(ruling, "jazz.conflict.initiative")[0] == "Rook: 2d6 + 6 = 9 (option initiativeBonus)"
        assert factors(ruling) == {"combatants.0.initiativeBonus": "helpful"}
        level: Faces = {"combatants.0": [4, 4], "combatants.1": [4, 4]}
        fighters = [*entrants("guard"), *entrants("rook", initiativeBonus=1)]
        ruling = play("initiative", level, combatants=fighters, ties="listed", include=["factors"])
        assert (ruling["after"]["order"], factors(ruling)) == ([["rook"], ["guard"]], {"combatants.1.initiativeBonus": "helpful"})

    def test_one_alone_is_first(self) -> None:
        assert play("initiative", combatants=entrants("rook"))["after"]["order"] == [["rook"]]
        assert fractions("initiative", combatants=entrants("rook")) == {"rook": "1"}

    def test_each_has_an_id_of_their_own(self) -> None:
        fighters = entrants("rook", "guard", "rook")
        assert refused("initiative", combatants=fighters) == ("jazz.conflict.initiative", "/combatants/2/id")


class TestDrop:
    """jazz.conflict.drop"""

    def test_an_extra_die(self) -> None:
        fighters = [*entrants("rook", drop=True), *entrants("guard")]
        ruling = play("initiative", {"combatants.0": [1, 2, 6], "combatants.1": [4, 4]}, combatants=fighters, include=["factors"])
        assert ruling["after"]["order"] == [["rook"], ["guard"]]
        assert (texts(ruling, "jazz.conflict.drop"), value(ruling, "jazz.conflict.drop")) == (["Rook has the drop: one extra die, 3d6"], 3)
        assert factors(ruling) == {"combatants.0.drop": "helpful"}
        assert fractions("initiative", combatants=fighters) == {"rook>guard": "527/648", "guard>rook": "121/648"}


class TestOrder:
    """jazz.conflict.order"""

    TIED: Faces = {"combatants.0": [3, 4], "combatants.1": [5, 2], "combatants.2": [1, 6]}

    def test_the_tied_roll_again_until_all_differ(self) -> None:
        again: Faces = {
            "combatants.0.tie1": [3, 3],
            "combatants.1.tie1": [6, 6],
            "combatants.2.tie1": [2, 4],
            "combatants.0.tie2": [1, 1],
            "combatants.2.tie2": [1, 2],
        }
        ruling = play("initiative", self.TIED | again, combatants=entrants("a", "b", "c"))
        assert ruling["after"]["order"] == [["b"], ["c"], ["a"]]
        assert roll_names(ruling) == [*self.TIED, *again]
        assert texts(ruling, "jazz.conflict.order") == [
            "a tie: A and B and C roll again",
            "a tie: A and C roll again",
            "from the highest to the lowest: B, then C, then A",
        ]
        assert values(ruling, "jazz.conflict.order") == ["rerollOff"] * 3

    def test_a_tie_is_rolled_off_without_drop_and_bonus(self) -> None:
        fighters = [*entrants("a", drop=True, initiativeBonus=2), *entrants("b")]
        dice = {"combatants.0": [1, 1, 2], "combatants.1": [3, 3], "combatants.0.tie1": [1, 1], "combatants.1.tie1": [1, 2]}
        assert play("initiative", dice, combatants=fighters)["after"]["order"] == [["b"], ["a"]]

    def test_or_the_list_decides(self) -> None:
        ruling = play("initiative", self.TIED, combatants=entrants("c", "a", "b"), ties="listed")
        assert ruling["after"]["order"] == [["c"], ["a"], ["b"]]
        assert texts(ruling, "jazz.conflict.order") == ["from the highest to the lowest: C, then A, then B (option ties: listed)"]
        assert value(ruling, "jazz.conflict.order") == "listed"

    def test_or_they_act_together(self) -> None:
        dice = self.TIED | {"combatants.1": [1, 1]}
        ruling = play("initiative", dice, combatants=entrants("a", "b", "c"), ties="simultaneous")
        assert ruling["after"]["order"] == [["a", "c"], ["b"]]
        assert texts(ruling, "jazz.conflict.order") == ["from the highest to the lowest: A and C, then B (option ties: simultaneous)"]
        assert ruling["summary"] == "Initiative: A 7 and C 7, B 2"

    def test_odds_of_every_order(self) -> None:
        pair = entrants("a", "b")
        assert fractions("initiative", combatants=pair) == {"a>b": "1/2", "b>a": "1/2"}
        assert fractions("initiative", combatants=pair, ties="listed") == {"a>b": "721/1296", "b>a": "575/1296"}
        assert fractions("initiative", combatants=pair, ties="simultaneous") == {"a>b": "575/1296", "b>a": "575/1296", "a=b": "73/648"}
        five = odds("initiative", combatants=entrants(*"abcde"))
        assert {row["fraction"] for row in five["outcomes"]} == {"1/120"}
        assert len(five["outcomes"]) == 120
        assert [roll["roll"] for roll in five["rolls"]][5:] == [f"combatants.{index}.tie1" for index in range(5)]

    def test_ids_that_look_like_orders_are_told_apart(self) -> None:
        found = fractions("initiative", combatants=entrants("a", "b", "a>b"), ties="listed")
        assert len(found) == 6
        assert sum(map(Fraction, found.values())) == 1
        assert {'a>b>"a>b"', '"a>b">a>b', 'a>"a>b">b'} <= set(found)
        found = fractions("initiative", combatants=entrants("=", 'say "x"', "several together"), ties="simultaneous")
        assert '"="="say \\"x\\""="several together"' in found
        six = fractions("initiative", combatants=entrants("several together", *"bcdef"), ties="simultaneous")
        assert len(six) == 7
        assert six['"several together"'] == six["b"] != six["several together"]

    @pytest.mark.parametrize(
        ("ties", "first", "last"), [("rerollOff", "1/6", "1/6"), ("listed", "5385031/23328000", None), ("simultaneous", None, None)]
    )
    def test_odds_of_who_goes_first_of_more(self, ties: str, first: str | None, last: str | None) -> None:
        found = fractions("initiative", combatants=entrants(*"abcdef"), ties=ties)
        assert sum(map(Fraction, found.values())) == 1
        assert set(found) == set("abcdef") | ({"several together"} if ties == "simultaneous" else set())
        if ties == "rerollOff":
            assert (found["a"], found["f"]) == (first, last)
        else:
            assert (found["a"] == found["f"]) is (ties == "simultaneous")

    def test_odds_of_sixty_four(self) -> None:
        fighters = [{"id": f"c{index}", "name": "x", "drop": index == 9, "initiativeBonus": index % 3} for index in range(64)]
        found = fractions("initiative", combatants=fighters)
        assert sum(map(Fraction, found.values())) == 1
        assert max(found, key=lambda one: Fraction(found[one])) == "c9"

    def test_dice_on_the_table_are_held(self) -> None:
        fighters = entrants("a", "b", "c")
        assert fractions("initiative", self.TIED, combatants=fighters)["b>a>c"] == "1/6"
        assert fractions("initiative", self.TIED | {"combatants.2": [6, 6], "combatants.0.tie1": [3, 4]}, combatants=fighters) == {
            "c>a>b": "1/2",
            "c>b>a": "1/2",
        }
        held = {"combatants.0.tie1": [6, 6], "combatants.1.tie1": [6, 6], "combatants.2.tie1": [1, 1]}
        assert fractions("initiative", self.TIED | held, combatants=fighters) == {"a>b>c": "1/2", "b>a>c": "1/2"}
        assert fractions(
            "initiative", self.TIED | held | {"combatants.0.tie2": [6, 6], "combatants.1.tie2": [6, 5]}, combatants=fighters
        ) == {"a>b>c": "1"}
        assert refused(
            "initiative", {"combatants.0.tie1": [1, 1], "combatants.1": [1, 1], "combatants.0": [1, 2]}, combatants=fighters
        ) == (
            "jazz.dice.roll",
            "/dice/0/roll",
        )

    def test_dice_for_a_tie_among_more_than_can_be_followed_are_too_much(self) -> None:
        with pytest.raises(TooLargeToCount):
            odds("initiative", {"combatants.0.tie1": [3, 4]}, combatants=entrants(*"abcdefghi"))
        found = fractions("initiative", {"combatants.0.tie1": [6, 6]}, combatants=entrants(*"abcdef"))
        assert Fraction(found["a"]) > Fraction(found["b"]) == Fraction(found["f"])


def duel(attack: list[int], defence: list[int], **defender: Any) -> dict[str, Any]:
    """An attack with +2 on Rook at the wheel, or on somebody else."""
    dice = {"attackers.0": attack, "defender": defence}
    return play("attack", dice, attackers=[{"bonus": 2}], defender=defender or driving())


class TestAttack:
    """jazz.conflict.attack"""

    def test_a_tie_hits_and_costs_one_health(self) -> None:
        ruling = duel([3, 4], [3, 2])
        assert (ruling["outcome"], ruling["succeeded"], ruling["margin"]) == ("hit", True, 0)
        assert effects(ruling) == [("defender.health", 4, 3)]
        assert texts(ruling, "jazz.conflict.attack") == ["9 against 9: a hit"]
        assert ruling["summary"] == "attackers.0 on Rook: 3 + 4 + 2 = 9 against 9: hit"
        assert roll_names(ruling) == ["attackers.0", "defender"]

    def test_the_margin_never_matters(self) -> None:
        assert effects(duel([6, 6], [1, 1])) == [("defender.health", 4, 3)]

    def test_a_miss(self) -> None:
        ruling = duel([3, 3], [3, 2])
        assert (ruling["outcome"], ruling["succeeded"], ruling["margin"], ruling["effects"]) == ("miss", False, -1, [])
        assert texts(ruling, "jazz.conflict.attack") == ["8 against 9: a miss"]

    @pytest.mark.parametrize("defender", [{"bonus": 0}, {"character": rook(survivalAspect=None)}])
    def test_without_a_pool_the_hit_is_told_all_the_same(self, defender: dict[str, Any]) -> None:
        ruling = duel([6, 6], [1, 1], **defender)
        assert [(effect["stat"], effect["from"], effect["change"]) for effect in ruling["effects"]] == [("health", None, -1)]

    def test_dice_spent_and_imposed_are_used_up_on_both_sides(self) -> None:
        attacker = driving(rook(karma="positive"), spend="karma")
        defender = driving(rook(karma="negative"), imposeKarma=True)
        ruling = play("attack", {"attackers.0": [1, 1, 1], "defender": [6]}, attackers=[attacker], defender=defender)
        assert (ruling["outcome"], effects(ruling)) == (
            "miss",
            [("attackers.0.karma", "positive", "neutral"), ("defender.karma", "negative", "neutral")],
        )

    def test_odds(self) -> None:
        assert fractions("attack", attackers=[{"bonus": 2}], defender={"bonus": 2}) == {"hit": "721/1296", "miss": "575/1296"}
        assert fractions("attack", {"defender": [3, 3]}, attackers=[{"bonus": 2}], defender={"bonus": 2})["hit"] == "13/18"
        assert fractions("attack", {"attackers.0": [3, 3]}, attackers=[{"bonus": 2}], defender={"bonus": 2})["hit"] == "5/12"
        both = {"attackers.0": [3, 3], "defender": [3, 3]}
        assert fractions("attack", both, attackers=[{"bonus": 2}], defender={"bonus": 2}) == {"hit": "1"}
        assert odds("attack", attackers=[{"bonus": 2}], defender=driving())["expected"]["defender.health"] == pytest.approx(-145 / 432)


class TestOut:
    """jazz.conflict.out"""

    def test_at_no_health(self) -> None:
        ruling = duel([6, 4], [1, 2], **driving(hurt(1)))
        assert effects(ruling) == [("defender.health", 1, 0), ("defender.out", False, True)]
        assert (ruling["after"]["defender"]["character"]["out"], ruling["effects"][1]["change"]) == (True, 1)
        assert texts(ruling, "jazz.conflict.out") == ["Rook has no health left and is out of the fight"]

    FRAIL = rook(aspects=[{"name": DRIVER, "bonus": 1}], health={"current": 0, "max": 1})

    @pytest.mark.parametrize("sheet", [hurt(0), rook(out=True), hurt(3, out=True), FRAIL])
    def test_whoever_is_out_neither_acts_nor_is_attacked(self, sheet: dict[str, Any]) -> None:
        assert refused("check", actor=driving(sheet), difficulty=8) == ("jazz.conflict.out", "/actor/character")
        assert refused("teamwork", members=[{}, driving(sheet)], difficulty=8) == ("jazz.conflict.out", "/members/1/character")
        assert refused("attack", attackers=[driving(sheet)], defender={}) == ("jazz.conflict.out", "/attackers/0/character")
        assert refused("attack", attackers=[{}], defender=driving(sheet)) == ("jazz.conflict.out", "/defender/character")

    def test_health_that_nobody_counts_brings_down_nobody_who_is_named(self) -> None:
        """jazz.health.pool"""
        text = "Rook: a health is lost, but without a survival aspect nobody knows of how many, so nobody can be brought down"
        countless = rook(survivalAspect=None)
        ruling = duel([6, 6], [1, 1], character=countless)
        assert (effects(ruling), texts(ruling, "jazz.health.pool")) == ([("defender.health", None, None)], [text])
        ruling = duel([6, 6], [1, 1], character={**countless, "named": False})
        assert (effects(ruling)[1:], texts(ruling, "jazz.health.pool")) == ([("defender.out", False, True)], [])

    def test_a_pool_that_holds_nothing_is_not_being_out(self) -> None:
        nobody = {"name": "Ghost", "aspects": [], "health": {"current": 0, "max": 0}}
        ruling = duel([6, 6], [1, 1], character=nobody)
        assert effects(ruling) == [("defender.out", False, True)]


class TestUnnamed:
    """jazz.conflict.unnamed"""

    def test_out_at_the_first_hit(self) -> None:
        tough = {**THUG, "health": {"current": 5, "max": 5}}
        ruling = duel([3, 3], [3, 3], character=tough, using=["thug"])
        assert effects(ruling) == [("defender.health", 5, 4), ("defender.out", False, True)]
        assert texts(ruling, "jazz.conflict.unnamed") == ["Thug is unnamed, and out of the fight at once"]
        assert texts(ruling, "jazz.conflict.out") == []

    def test_without_a_pool_too(self) -> None:
        ruling = duel([3, 3], [3, 3], character={"name": "Thug", "named": False, "aspects": []})
        assert [(effect["stat"], effect["to"]) for effect in ruling["effects"]] == [("health", None), ("out", True)]

    def test_it_defends_like_anyone(self) -> None:
        assert duel([3, 3], [4, 4], **THUGGISH)["outcome"] == "miss"


class TestKind:
    """jazz.conflict.kind"""

    @pytest.mark.parametrize("kind", ["mental", "social", "a war of {words}"])
    def test_a_label_and_the_same_pool(self, kind: str) -> None:
        ruling = play("attack", {"attackers.0": [6, 6], "defender": [1, 1]}, attackers=[{}], defender=driving(), kind=kind)
        assert (effects(ruling), value(ruling, "jazz.conflict.kind")) == ([("defender.health", 4, 3)], kind)
        assert texts(ruling, "jazz.conflict.kind") == [f"a {kind} conflict wears down health all the same"]
        assert texts(duel([1, 1], [1, 1]), "jazz.conflict.kind") == []
        assert refused("attack", attackers=[{}], defender={}, kind="") == (None, "/kind")


class TestTeam:
    """jazz.team.highest"""

    def test_the_highest_and_the_number(self) -> None:
        dice = {"members.0": [2, 2], "members.1": [4, 3]}
        ruling = play("teamwork", dice, members=[{"bonus": 1}, {"bonus": 3}], difficulty=12, include=["factors"])
        assert (ruling["outcome"], ruling["total"], roll_names(ruling)) == ("success", 12, ["members.0", "members.1"])
        assert texts(ruling, "jazz.team.highest") == ["2 of them: members.1 has the highest, 10 + 2"]
        assert value(ruling, "jazz.team.highest") == 2
        assert ruling["summary"] == "members.1 and 1 more: 4 + 3 + 3 + 2 = 12 against 12: success"
        assert factors(ruling) == {
            "members.0.bonus": "irrelevant",
            "members.1.bonus": "necessary",
            "members.0.member": "necessary",
            "members.1.member": "necessary",
            "members.team": "necessary",
        }
        without = {f"{factor['on']}.{factor['kind']}": (factor["value"], factor["without"]["total"]) for factor in ruling["factors"]}
        assert without == {
            "members.0.bonus": (1, 12),
            "members.1.bonus": (3, 9),
            "members.0.member": (1, 10),
            "members.1.member": (1, 5),
            "members.team": (2, 10),
        }

    def test_alone_adds_nothing(self) -> None:
        ruling = play("teamwork", {"members.0": [4, 3]}, members=[{"bonus": 3}], difficulty=11, include=["factors"])
        assert (ruling["outcome"], ruling["total"], factors(ruling)) == ("failure", 10, {"members.0.bonus": "helpful"})
        assert (texts(ruling, "jazz.team.highest"), value(ruling, "jazz.team.highest")) == (["members.0: alone, so nothing is added"], 0)
        assert ruling["summary"] == "members.0: 4 + 3 + 3 = 10 against 11: failure by 1"

    def test_the_first_listed_is_credited_with_a_shared_highest(self) -> None:
        dice = {"members.0": [1, 1], "members.1": [3, 3], "members.2": [2, 4]}
        ruling = play("teamwork", dice, members=[{}, {}, driving(ROOK, universal=False) | {"using": []}], level="easy")
        assert texts(ruling, "jazz.team.highest") == ["3 of them: members.1 has the highest, 6 + 3"]
        assert (ruling["target"], ruling["summary"]) == (8, "members.1 and 2 more: 3 + 3 + 3 = 9 against 8: success by 1")

    @pytest.mark.parametrize(("ties", "outcome"), [("actor", "success"), ("opponent", "failure"), ("stalemate", "stalemate")])
    def test_against_somebody(self, ties: str, outcome: str) -> None:
        dice = {"members.0": [2, 2], "members.1": [4, 3], "opponent": [3, 3]}
        ruling = play("teamwork", dice, members=[{}, {}], opponent={"bonus": 3}, ties=ties)
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == (outcome, 9, 9)

    def test_everyone_pays_for_their_own_roll(self) -> None:
        lucky = driving(rook(karma="positive"), spend="karma")
        opponent = driving(rook(heldAdvantage=True), spend="heldAdvantage")
        ruling = play("teamwork", members=[lucky, lucky], opponent=opponent)
        assert effects(ruling) == [
            ("members.0.karma", "positive", "neutral"),
            ("members.1.karma", "positive", "neutral"),
            ("opponent.heldAdvantage", True, False),
        ]

    def test_nobody_is_in_a_team_twice(self) -> None:
        members = [driving(rook(id="pc")), {}, driving(rook(id="npc")), driving(rook(id="pc"))]
        assert refused("teamwork", members=members, difficulty=8) == ("jazz.team.highest", "/members/3/character/id")
        assert play("teamwork", members=members[:3], difficulty=8)["rolls"]

    def test_odds_of_thirty_two(self) -> None:
        found = fractions("teamwork", members=[{"bonus": 0}] * 32, difficulty=44)
        assert Fraction(found["failure"]) == Fraction(35, 36) ** 32
        assert fractions("teamwork", members=[{}, {}], difficulty=14) == {"success": "71/1296", "failure": "1225/1296"}


class TestTeamAttack:
    """jazz.team.attack"""

    def test_one_health_and_one_defence(self) -> None:
        dice = {"attackers.0": [1, 1], "attackers.1": [3, 3], "defender": [3, 2]}
        ruling = play("attack", dice, attackers=[{"bonus": 0}, {"bonus": 1}], defender=driving(), include=["factors"])
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("hit", 9, 9)
        assert effects(ruling) == [("defender.health", 4, 3)]
        assert texts(ruling, "jazz.team.attack") == ["2 of them: attackers.1 has the highest, 7 + 2"]
        assert ruling["summary"] == "attackers.1 and 1 more on Rook: 3 + 3 + 1 + 2 = 9 against 9: hit"
        assert factors(ruling)["attackers.team"] == "necessary"

    def test_defenders_team_up_only_where_so_chosen(self) -> None:
        dice = {"attackers.0": [6, 3], "defender": [3, 3], "teamDefence.0": [4, 3]}
        ruling = play("attack", dice, attackers=[{}], defender={}, teamDefence=[{}], include=["factors"])
        assert (ruling["outcome"], ruling["target"]) == ("hit", 9)
        assert (value(ruling, "jazz.team.attack"), value(ruling, "jazz.team.highest")) == ("teamDefence", 2)
        assert texts(ruling, "jazz.team.attack") == ["the defenders team up (option teamDefence)"]
        assert roll_names(ruling) == ["attackers.0", "defender", "teamDefence.0"]
        assert factors(ruling)["defender.team"] == "helpful"
        assert refused("attack", attackers=[{}], defender={}, teamDefence=[driving(hurt(0))]) == (
            "jazz.conflict.out",
            "/teamDefence/0/character",
        )
        hidden = play("attack", dice, attackers=[{}], defender={}, teamDefence=[{"extraordinary": True}])
        assert texts(hidden, "jazz.weird.free") == ["teamDefence.0: defending is not extraordinary, so no weird is spent"]

    def test_what_might_have_been_declared_is_offered_after_a_miss(self) -> None:
        lucky, held = driving(rook(karma="positive")), driving(rook(name="Wren", heldAdvantage=True), advantage=False)
        request = {"defender": {"bonus": 30}, "seed": 4, "include": ["options"]}
        ruling = play("attack", attackers=[{"bonus": 1}, lucky, held], **request)
        assert [(option["choice"], option["text"].partition(":")[0], option["then"]) for option in ruling["options"]] == [
            ("spendKarma", "Rook", "miss"),
            ("spendHeldAdvantage", "Wren", "miss"),
        ]
        first, second = (option["request"]["attackers"] for option in ruling["options"])
        assert [attacker.get("spend") for attacker in first] == [None, "karma", None]
        assert [attacker.get("spend") for attacker in second] == [None, None, "heldAdvantage"]
        assert (first[0], first[1]["using"]) == ({"bonus": 1}, [DRIVER])
        taken = play("attack", **{**request, "attackers": first})
        assert effects(taken) == [("attackers.1.karma", "positive", "neutral")]

    def test_and_after_a_failure_of_a_team(self) -> None:
        request = {"difficulty": 30, "seed": 4, "include": ["options"]}
        members = [{"bonus": 1}, driving(rook(karma="positive"))]
        (option,) = play("teamwork", members=members, **request)["options"]
        assert (option["choice"], option["then"]) == ("spendKarma", "failure")
        assert [member.get("spend") for member in option["request"]["members"]] == [None, "karma"]
        taken = play("teamwork", **{**request, **option["request"]})
        assert effects(taken) == [("members.1.karma", "positive", "neutral")]
        assert play("teamwork", **{**request, "difficulty": 2}, members=members)["options"] == []

    def test_by_somebody_alone_it_may_turn_a_miss(self) -> None:
        request = {"attackers": [driving(rook(karma="positive"))], "include": ["options"], "seed": 4}
        total = play("attack", **request, defender={})["total"]
        ruling = play("attack", {"defender": [1, 1]}, **request, defender={"bonus": total - 1})
        assert (ruling["outcome"], [option["then"] for option in ruling["options"]]) == ("miss", ["hit"])
        for more in ({"defender": {"bonus": 0}}, {"attackers": [driving(ROOK)]}, {"attackers": [{"bonus": 1}]}):
            unlikely = play("attack", **{**request, "defender": {"bonus": 30}, **more})
            assert (unlikely["outcome"], unlikely["options"]) == ("hit" if "defender" in more else "miss", [])

    def test_no_more_than_a_few_are_offered(self) -> None:
        lucky = [driving(rook(name=f"Rook {number}", karma="positive", heldAdvantage=True)) for number in range(9)]
        ruling = play("attack", attackers=lucky, defender={"bonus": 60}, include=["options"])
        assert len(ruling["options"]) == 8


def fighter(one: str, side: str, actor: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": one, "side": side, "actor": actor, **more}


def named(name: str, health: int = 2, **more: Any) -> dict[str, Any]:
    """Somebody with +2 at everything."""
    sheet = {"name": name, "aspects": [{"name": "fighter", "bonus": 2}], "survivalAspect": "fighter"}
    return {"character": {**sheet, "health": {"current": health, "max": 2}, **more}, "using": ["fighter"]}


A, B, C, D = fighter("a", "x", named("Ana")), fighter("b", "x", named("Bo")), fighter("c", "y", named("Cy")), fighter("d", "y", named("Di"))
DOWN = [A, B, fighter("c", "y", named("Cy", 0)), D]
GREEDY = fighter("a", "x", named("Ana") | {"spend": "karma"})
HIT, MISS = ([6, 6], [1, 1]), ([1, 1], [6, 6])


def turn(number: int, faces: tuple[list[int], list[int]], attackers: int = 1) -> Faces:
    """One attack's dice: every attacker's and the defender's."""
    attack, defence = faces
    return {f"turns.{number}.attackers.{index}": attack for index in range(attackers)} | {f"turns.{number}.defender": defence}


def order(*by: str, attack: str, **more: Any) -> dict[str, Any]:
    return {"by": list(by), "attack": attack, **more}


LISTED = [["a"], ["b"], ["c"], ["d"]]


class TestOnce:
    """jazz.conflict.once"""

    def test_one_attack_each_and_any_number_of_defences(self) -> None:
        dice = turn(0, HIT) | turn(1, MISS) | turn(2, MISS) | turn(3, HIT)
        orders = [order("a", attack="c"), order("b", attack="c"), order("c", attack="a"), order("d", attack="a")]
        ruling = play("round", dice, combatants=[A, B, C, D], order=LISTED, orders=orders)
        assert [turn["outcome"] for turn in ruling["turns"]] == ["hit", "miss", "miss", "hit"]
        assert (ruling["outcome"], ruling["succeeded"]) == ("ongoing", None)
        assert effects(ruling) == [("combatants.2.health", 2, 1), ("combatants.0.health", 2, 1)]
        assert [effect["id"] for effect in ruling["effects"]] == ["c", "a"]
        assert ruling["summary"] == "Round 1: Ana on Cy: hit; Bo on Cy: miss; Cy on Ana: miss; Di on Ana: hit; ongoing"
        assert values(ruling, "jazz.conflict.attack") == ["turns.0", "turns.1", "turns.2", "turns.3"]

    @pytest.mark.parametrize(
        ("orders", "pointer"),
        [
            ([order("a", attack="c"), order("a", attack="d")], "/orders/1/by/0"),
            ([order("a", "a", attack="c")], "/orders/0/by/1"),
            ([order("b", attack="c"), order("a", "b", attack="d")], "/orders/1/by/1"),
        ],
    )
    def test_refuses_a_second_attack(self, orders: list[dict[str, Any]], pointer: str) -> None:
        assert refused("round", combatants=[A, B, C, D], orders=orders) == ("jazz.conflict.once", pointer)

    def test_the_same_character_is_on_a_side_once(self) -> None:
        pc, npc = driving(rook(id="pc")), driving(rook(id="npc"))
        for request, pointer in (
            ({"attackers": [pc, {}, pc], "defender": {}}, "/attackers/2/character/id"),
            ({"attackers": [{}], "defender": pc, "teamDefence": [npc, pc]}, "/teamDefence/1/character/id"),
            ({"attackers": [{}], "defender": {}, "teamDefence": [npc, npc]}, "/teamDefence/1/character/id"),
        ):
            assert refused("attack", **request) == ("jazz.conflict.once", pointer)
        assert play("attack", attackers=[pc, npc, driving(), driving()], defender={}, teamDefence=[{}])["rolls"]

    def test_nor_in_a_team_under_two_ids(self) -> None:
        twins = [fighter("a", "x", named("Ana", id="pc")), fighter("b", "x", named("Ana", id="pc")), C]
        assert refused("round", combatants=twins, orders=[order("a", "b", attack="c")]) == ("jazz.conflict.once", "/orders/0/by/1")
        assert play("round", combatants=twins, orders=[order("a", attack="c"), order("b", attack="c")])["turns"]


class TestRound:
    """jazz.conflict.order, jazz.conflict.out, jazz.conflict.attack"""

    def test_initiative_is_rolled_once_and_carried(self) -> None:
        dice = {"combatants.0": [1, 1], "combatants.1": [6, 5]}
        ruling = play("round", dice, combatants=[A, C], orders=[])
        assert (ruling["after"]["order"], ruling["after"]["round"]) == ([["c"], ["a"]], 2)
        assert (roll_names(ruling), ruling["turns"], ruling["outcome"]) == (["combatants.0", "combatants.1"], [], "ongoing")
        assert ruling["summary"] == "Round 1: nobody attacks; ongoing"
        assert texts(ruling, "jazz.conflict.order") == [
            "from the highest to the lowest: Cy, then Ana",
            "more than one side still stands, so another round follows",
        ]
        after = play("round", **ruling["after"])
        assert (roll_names(after), after["after"]["round"], after["after"]["order"]) == ([], 3, [["c"], ["a"]])
        assert texts(after, "jazz.conflict.initiative") == ["initiative is rolled once per conflict, and the order stands"]

    def test_ties_are_idle_where_the_order_was_given(self) -> None:
        idle = "the order was given, so there is no tie to decide (option ties)"
        ruling = play("round", combatants=[A, C], order=[["a"], ["c"]], ties="listed")
        assert texts(ruling, "jazz.conflict.order")[0] == idle
        assert idle not in texts(play("round", combatants=[A, C], order=[["a"], ["c"]]), "jazz.conflict.order")
        assert idle not in texts(play("round", combatants=[A, C], ties="listed"), "jazz.conflict.order")

    @pytest.mark.parametrize(
        ("more", "rule", "idle"),
        [
            ({"drop": True}, "jazz.conflict.drop", "the order was given, so to have the drop on the others changes nothing"),
            ({"initiativeBonus": 2}, "jazz.conflict.initiative", "the order was given, so no bonus is added (option initiativeBonus)"),
        ],
    )
    def test_so_is_whatever_else_is_for_initiative(self, more: dict[str, Any], rule: str, idle: str) -> None:
        combatants = [A, {**C, **more}]
        assert idle in texts(play("round", combatants=combatants, order=[["a"], ["c"]]), rule)
        assert idle not in texts(play("round", combatants=combatants), rule)
        assert idle not in texts(play("round", combatants=[A, C], order=[["a"], ["c"]]), rule)

    def test_a_round_says_of_what_kind_it_is_though_nobody_attacks(self) -> None:
        """jazz.conflict.kind"""
        ruling = play("round", combatants=[A, C], order=[["a"], ["c"]], kind="social")
        assert texts(ruling, "jazz.conflict.kind") == ["a social conflict wears down health all the same"]

    def test_a_die_that_finds_no_roll_is_kept(self) -> None:
        """jazz.karma.positive, jazz.karma.negative, jazz.complication.die"""
        lucky = fighter("a", "x", named("Ana", karma="positive") | {"spend": "karma"})
        unlucky = fighter("b", "x", named("Bo", karma="negative") | {"imposeKarma": True})
        weak = fighter("c", "y", named("Cy", 1, heldAdvantage=True) | {"spend": "heldAdvantage"})
        # Di brings Cy down first, so Cy's own attack never comes; the die was for it, and not for the defence
        foe = fighter("d", "z", named("Di"))
        places = [["d"], ["c"], ["a"], ["b"]]
        orders = [order("c", attack="a"), order("d", attack="c")]
        ruling = play("round", turn(0, HIT), combatants=[lucky, unlucky, weak, foe], order=places, orders=orders)
        assert texts(ruling, "jazz.karma.positive") == ["Ana: no roll for it this round, so the die is kept"]
        assert texts(ruling, "jazz.karma.negative") == ["Bo: no roll for it this round, so nothing is imposed"]
        assert texts(ruling, "jazz.complication.die") == ["Cy: no roll for it this round, so the die is kept"]
        after = [combatant["actor"] for combatant in ruling["after"]["combatants"]]
        assert [actor["spend"] for actor in after] == [None, None, None, None]
        assert [actor["character"]["karma"] for actor in after] == ["positive", "negative", "neutral", "neutral"]
        assert after[2]["character"]["heldAdvantage"] is True
        used = play("round", turn(0, MISS) | {"turns.0.defender": [6, 6, 6]}, combatants=[lucky, foe], orders=[order("d", attack="a")])
        assert texts(used, "jazz.karma.positive") == []

    def test_drop_bonus_and_ties_are_those_of_initiative(self) -> None:
        fighters = [{**A, "initiativeBonus": 3}, {**C, "drop": True}]
        ruling = play("round", {"combatants.0": [1, 1], "combatants.1": [1, 2, 2]}, combatants=fighters, ties="simultaneous")
        assert ruling["after"]["order"] == [["a", "c"]]
        ruling = play("round", {"combatants.0": [1, 1], "combatants.1": [1, 2, 2]}, combatants=fighters, ties="listed")
        assert ruling["after"]["order"] == [["a"], ["c"]]

    def test_whoever_goes_down_before_the_turn_does_not_act(self) -> None:
        weak = fighter("c", "y", named("Cy", 1))
        orders = [order("c", attack="a"), order("a", attack="c")]
        ruling = play("round", turn(0, HIT), combatants=[A, weak, D], order=[["a"], ["c"], ["d"]], orders=orders)
        assert [turn["outcome"] for turn in ruling["turns"]] == ["hit"]
        assert effects(ruling) == [("combatants.1.health", 1, 0), ("combatants.1.out", False, True)]
        assert texts(ruling, "jazz.conflict.out") == ["Cy went down before the turn came, and does not attack"]
        assert refused("round", turn(1, HIT), combatants=[A, weak, D], order=[["a"], ["c"], ["d"]], orders=orders) == (
            "jazz.dice.roll",
            "/dice/0/roll",
        )

    def test_whoever_is_down_already_is_not_attacked_again(self) -> None:
        weak = fighter("c", "y", named("Cy", 1))
        orders = [order("a", attack="c"), order("b", attack="c")]
        ruling = play("round", turn(0, HIT), combatants=[A, B, weak], order=LISTED[:3], orders=orders)
        assert len(ruling["turns"]) == 1
        assert texts(ruling, "jazz.conflict.out") == [
            "Cy is out already, so Bo does not attack",
            "x is all that still stands, so the conflict is over",
        ]
        assert ruling["outcome"] == "finished"
        team = [order("d", attack="c"), order("a", "b", attack="c")]
        ruling = play("round", turn(0, HIT), combatants=[A, B, weak, {**D, "side": "z"}], order=[["d"], ["a"], ["b"], ["c"]], orders=team)
        assert texts(ruling, "jazz.conflict.out")[0] == "Cy is out already, so Ana and Bo do not attack"

    def test_an_unnamed_one_is_down_with_health_left(self) -> None:
        """jazz.conflict.unnamed"""
        tough = fighter("c", "y", {"character": {**THUG, "health": {"current": 5, "max": 5}}})
        ruling = play(
            "round", turn(0, HIT), combatants=[A, B, tough], order=LISTED[:3], orders=[order("a", attack="c"), order("b", attack="c")]
        )
        assert effects(ruling) == [("combatants.2.health", 5, 4), ("combatants.2.out", False, True)]
        assert texts(ruling, "jazz.conflict.out")[0] == "Thug is out already, so Bo does not attack"

    def test_a_team_attacks_on_its_slowest_members_turn_with_whoever_still_stands(self) -> None:
        """jazz.team.attack"""
        weak = fighter("a", "x", named("Ana", 1))
        orders = [order("a", "b", attack="d"), order("c", attack="a"), order("d", attack="b")]
        places = [["a"], ["c"], ["b"], ["d"]]
        dice = turn(0, HIT) | turn(1, ([3, 3], [1, 1])) | turn(2, MISS)
        ruling = play("round", dice, combatants=[weak, B, C, D], order=places, orders=orders)
        assert [len(turn["request"]["attackers"]) for turn in ruling["turns"]] == [1, 1, 1]
        assert ruling["summary"] == "Round 1: Cy on Ana: hit; Bo on Di: hit; Di on Bo: miss; ongoing"
        assert texts(ruling, "jazz.conflict.out") == ["Ana went down before the turn came, and does not attack"]
        both = play("round", turn(0, MISS) | turn(1, ([3, 3], [1, 1]), 2), combatants=[A, B, C, D], order=places, orders=orders)
        assert both["turns"][1]["total"] == 10
        assert both["summary"].split("; ")[1] == "Ana and Bo on Di: hit"

    def test_those_who_act_at_the_same_time_all_do(self) -> None:
        weak_a, weak_c = fighter("a", "x", named("Ana", 1)), fighter("c", "y", named("Cy", 1))
        orders = [order("c", attack="a"), order("a", attack="c")]
        ruling = play("round", turn(0, HIT) | turn(1, HIT), combatants=[weak_a, weak_c], order=[["a", "c"]], orders=orders)
        assert ruling["outcome"] == "finished"
        assert effects(ruling) == [
            ("combatants.0.health", 1, 0),
            ("combatants.0.out", False, True),
            ("combatants.1.health", 1, 0),
            ("combatants.1.out", False, True),
        ]
        assert texts(ruling, "jazz.conflict.out") == ["nobody still stands, so the conflict is over"]
        assert all(turn == resolved_alone(turn) for turn in ruling["turns"])

    def test_hits_at_the_same_time_add_up(self) -> None:
        orders = [order("a", attack="c"), order("b", attack="c")]
        dice = turn(0, HIT) | turn(1, HIT)
        ruling = play("round", dice, combatants=[A, B, C], order=[["a", "b", "c"]], orders=orders)
        assert effects(ruling) == [("combatants.2.health", 2, 1), ("combatants.2.health", 1, 0), ("combatants.2.out", False, True)]
        weak = fighter("c", "y", named("Cy", 1))
        ruling = play("round", turn(0, HIT), combatants=[A, B, weak], order=[["a", "b", "c"]], orders=orders)
        assert len(ruling["turns"]) == 1

    def test_turns_follow_the_order_and_equals_the_orders(self) -> None:
        orders = [order("d", attack="a"), order("c", attack="a"), order("a", attack="d")]
        ruling = play("round", combatants=[A, C, D], order=[["a"], ["c", "d"]], orders=orders)
        names = [turn["request"]["attackers"][0]["character"]["name"] for turn in ruling["turns"]]
        assert names == ["Ana", "Di", "Cy"]

    def test_aspects_for_one_attack(self) -> None:
        orders = [order("r", "b", attack="c", using=[WITCH, "fighter"])]
        fighters = [fighter("r", "x", driving()), B, fighter("g", "x", {"bonus": 1}), C]
        places = [["r"], ["b"], ["g"], ["c"]]
        ruling = play("round", combatants=fighters, order=places, orders=orders)
        assert [actor["using"] for actor in ruling["turns"][0]["request"]["attackers"]] == [[WITCH], ["fighter"]]
        assert ruling["after"]["combatants"][0]["actor"]["using"] == [DRIVER]
        bare = play("round", combatants=fighters, order=places, orders=[order("r", "g", attack="c", using=[WITCH])])
        assert bare["turns"][0]["request"]["attackers"][1]["bonus"] == 1
        assert refused("round", combatants=fighters, orders=[order("b", "g", attack="c", using=["fighter", WITCH])]) == (
            "jazz.aspects.highest",
            "/orders/0/using/1",
        )

    def test_a_die_to_spend_goes_into_their_own_attack(self) -> None:
        lucky = fighter("a", "x", named("Ana", karma="positive") | {"spend": "karma"})
        dice = turn(0, MISS) | {"turns.1.attackers.0": [1, 1, 1], "turns.1.defender": [1, 1]}
        ruling = play("round", dice, combatants=[lucky, C], order=[["c"], ["a"]], orders=[order("c", attack="a"), order("a", attack="c")])
        assert [effect[0] for effect in effects(ruling)] == ["combatants.0.karma", "combatants.1.health"]
        assert ruling["after"]["combatants"][0]["actor"]["spend"] is None

    def test_or_without_one_into_their_first_defence(self) -> None:
        unlucky = fighter("c", "y", named("Cy", karma="negative") | {"imposeKarma": True})
        held = fighter("d", "y", named("Di", heldAdvantage=True) | {"spend": "heldAdvantage"})
        dice = {"turns.0.defender": [6], "turns.0.attackers.0": [1, 1], "turns.1.defender": [6, 6], "turns.1.attackers.0": [1, 1]}
        fighters = [A, B, unlucky, held]
        ruling = play("round", dice, combatants=fighters, order=LISTED, orders=[order("a", attack="c"), order("b", attack="c")])
        assert effects(ruling) == [("combatants.2.karma", "negative", "neutral")]
        dice = {"turns.0.defender": [6, 6, 6], "turns.0.attackers.0": [1, 1]}
        ruling = play("round", dice, combatants=fighters, order=LISTED, orders=[order("a", attack="d")])
        assert effects(ruling) == [("combatants.3.heldAdvantage", True, False)]
        assert ruling["after"]["combatants"][3]["actor"]["character"]["heldAdvantage"] is False
        assert ruling["after"]["combatants"][2]["actor"]["character"]["karma"] == "negative"

    def test_what_was_used_up_is_gone_in_the_next_turn(self) -> None:
        lucky = fighter("a", "x", named("Ana", karma="positive") | {"spend": "karma"})
        held = fighter("c", "y", named("Cy", heldAdvantage=True) | {"spend": "heldAdvantage"})
        orders = [order("a", attack="c"), order("c", attack="a"), order("b", attack="c")]
        ruling = play("round", combatants=[lucky, held, B], order=[["a"], ["c"], ["b"]], orders=orders)
        first, second, third = (turn["request"] for turn in ruling["turns"])
        assert (first["attackers"][0]["spend"], first["attackers"][0]["character"]["karma"]) == ("karma", "positive")
        assert (second["defender"]["spend"], second["defender"]["character"]["karma"]) == (None, "neutral")
        assert (first["defender"]["spend"], second["attackers"][0]["spend"]) == (None, "heldAdvantage")
        assert (third["defender"]["spend"], third["defender"]["character"]["heldAdvantage"]) == (None, False)

    def test_extraordinary_or_not_attacks_and_defences_are_free(self) -> None:
        """jazz.weird.free"""
        spent = fighter("r", "x", bewitching(hurt(4, 0)))
        ruling = play("round", combatants=[spent, C], order=[["r"], ["c"]], orders=[order("r", attack="c"), order("c", attack="r")])
        assert [len(texts(turn, "jazz.weird.free")) for turn in ruling["turns"]] == [1, 1]

    def test_a_hit_without_a_pool_is_told_all_the_same(self) -> None:
        poolless = fighter("c", "y", driving(rook(survivalAspect=None)))
        orders = [order("a", attack="c"), order("b", attack="c")]
        ruling = play("round", turn(0, HIT) | turn(1, HIT), combatants=[A, B, poolless], order=LISTED[:3], orders=orders)
        assert [(effect["stat"], effect["to"], effect["change"]) for effect in ruling["effects"]] == [("health", None, -1)] * 2

    def test_whoever_has_no_sheet_never_goes_down(self) -> None:
        bare = fighter("z", "y", {"bonus": 0})
        ruling = play("round", turn(0, HIT), combatants=[A, bare], order=[["a"], ["z"]], orders=[order("a", attack="z")])
        assert ruling["outcome"] == "ongoing"
        assert ruling["effects"] == [{"on": "combatants.1", "id": "z", "stat": "health", "from": None, "to": None, "change": -1}]
        assert ruling["summary"] == "Round 1: Ana on z: hit; ongoing"

    def test_a_label_goes_into_every_attack(self) -> None:
        ruling = play("round", combatants=[A, C], order=[["a"], ["c"]], orders=[order("a", attack="c")], kind="social")
        assert ruling["turns"][0]["request"]["kind"] == "social"
        assert value(ruling["turns"][0], "jazz.conflict.kind") == "social"
        (plain,) = play("round", combatants=[A, C], order=[["a"], ["c"]], orders=[order("a", attack="c")])["turns"]
        assert (plain["request"]["kind"], texts(plain, "jazz.conflict.kind")) == ("physical", [])

    def test_what_mattered(self) -> None:
        dice = turn(0, ([3, 3], [3, 3]))
        weak = fighter("c", "y", named("Cy", 1))
        ruling = play(
            "round", dice, combatants=[A, weak], order=[["a"], ["c"]], orders=[order("a", attack="c")], seed=7, include=["factors"]
        )
        assert (ruling["outcome"], factors(ruling)) == (
            "finished",
            {"turns.0.attackers.0.bonus": "necessary", "turns.0.defender.bonus": "irrelevant"},
        )

    @pytest.mark.parametrize(
        ("request_", "refusal"),
        [
            ({"combatants": [A, {**C, "id": "a"}]}, ("jazz.conflict.initiative", "/combatants/1/id")),
            ({"orders": [order("z", attack="c")]}, ("jazz.conflict.attack", "/orders/0/by/0")),
            ({"orders": [order("a", attack="z")]}, ("jazz.conflict.attack", "/orders/0/attack")),
            ({"orders": [order("a", attack="b")]}, ("jazz.conflict.attack", "/orders/0/attack")),
            ({"orders": [order("a", attack="a")]}, ("jazz.conflict.attack", "/orders/0/attack")),
            ({"orders": [order("a", "c", attack="d")]}, ("jazz.conflict.attack", "/orders/0/attack")),
            ({"order": [["a"], ["b"], ["c"]]}, ("jazz.conflict.order", "/order")),
            ({"order": [["a"], ["b"], ["c"], ["d"], ["d"]]}, ("jazz.conflict.order", "/order")),
            ({"order": [["a"], ["b"], ["c"], ["z"]]}, ("jazz.conflict.order", "/order")),
            ({"combatants": DOWN, "orders": [order("c", attack="a")]}, ("jazz.conflict.out", "/orders/0/by/0")),
            ({"combatants": DOWN, "orders": [order("a", attack="c")]}, ("jazz.conflict.out", "/orders/0/attack")),
            ({"combatants": [GREEDY, C]}, ("jazz.karma.positive", "/combatants/0/actor/spend")),
        ],
    )
    def test_refuses(self, request_: dict[str, Any], refusal: tuple[str, str]) -> None:
        assert refused("round", **{"combatants": [A, B, C, D], **request_}) == refusal

    def test_whoever_is_out_may_be_there_whatever_they_hold(self) -> None:
        out = fighter("c", "y", named("Cy", 0) | {"spend": "karma"})
        ruling = play("round", combatants=[A, out, D], order=[["a"], ["c"], ["d"]])
        assert ruling["outcome"] == "ongoing"
        assert texts(ruling, "jazz.karma.positive") == ["Cy: no roll for it this round, so nothing is spent"]
        assert play("round", combatants=[A, out], order=[["a"], ["c"]])["outcome"] == "finished"


def resolved_alone(turn: dict[str, Any]) -> dict[str, Any]:
    """The ruling that the request of a turn gives by itself, with that request beside it."""
    request = dict(turn["request"])
    action = request.pop("action").removeprefix("jazz.")
    return play(action, None, **request) | {"request": turn["request"]}


class TestTurns:
    """The rulings inside a round are rulings of their own."""

    ORDERS = [order("a", "b", attack="c"), order("c", attack="a"), order("d", attack="b")]

    @pytest.mark.parametrize("seed", [1, "the vault", "x" * 250, "é" * 256])
    def test_each_is_resolved_alone_to_the_same(self, seed: str | int) -> None:
        ruling = play("round", {"turns.1.defender": [2, 5]}, combatants=[A, B, C, D], orders=self.ORDERS, seed=seed)
        assert len(ruling["turns"]) == 3
        for turn in ruling["turns"]:
            assert turn["action"] == "jazz.attack"
            assert turn["seedFrom"] == "request"
            assert resolved_alone(turn) == turn
        assert ruling["turns"][1]["request"]["dice"] == [{"roll": "defender", "faces": [2, 5]}]
        assert "dice" not in ruling["turns"][0]["request"]

    def test_pools_left_out_are_in_their_requests(self) -> None:
        """jazz.health.pool, jazz.weird.pool: said once, by the round."""
        mages = rook(aspects=[*ROOK["aspects"], {"name": "seer", "bonus": 1, "weird": True}], weirdPool="sum")
        fighters = [fighter("r", "x", driving(mages)), C]
        ruling = play("round", combatants=fighters, order=[["r"], ["c"]], orders=[order("r", attack="c")])
        (turn,) = ruling["turns"]
        sheet = turn["request"]["attackers"][0]["character"]
        assert (sheet["health"], sheet["weird"]) == ({"current": 4, "max": 4}, {"current": 3, "max": 3})
        assert (len(texts(ruling, "jazz.weird.pool")), texts(turn, "jazz.weird.pool")) == (1, [])
        assert resolved_alone(turn) == turn

    def test_the_seed_says_which_turn(self) -> None:
        ruling = play("round", combatants=[A, B, C, D], orders=self.ORDERS, seed="s")
        assert [turn["seed"] for turn in ruling["turns"]] == ["s/turns.0", "s/turns.1", "s/turns.2"]

    def test_the_sheets_are_those_of_the_moment(self) -> None:
        dice = turn(0, HIT) | turn(1, HIT)
        ruling = play("round", dice, combatants=[A, B, C], order=LISTED[:3], orders=[order("a", attack="c"), order("b", attack="c")])
        healths = [turn["request"]["defender"]["character"]["health"]["current"] for turn in ruling["turns"]]
        assert healths == [2, 1]
        assert ruling["after"]["combatants"][2]["actor"]["character"]["health"]["current"] == 0


class TestOddsOfARound:
    """jazz.conflict.order"""

    def test_of_one_attack_they_are_those_of_the_attack(self) -> None:
        weak = fighter("c", "y", named("Cy", 1))
        found = odds("round", combatants=[A, weak], order=[["a"], ["c"]], orders=[order("a", attack="c")])
        assert {row["outcome"]: row["fraction"] for row in found["outcomes"]} == {"finished": "721/1296", "ongoing": "575/1296"}
        assert found["expected"]["combatants.1.health"] == pytest.approx(-721 / 1296)
        assert [roll["roll"] for roll in found["rolls"]] == ["turns.0.attackers.0", "turns.0.defender"]

    def test_whoever_is_faster_may_prevent_the_answer(self) -> None:
        weak_a, weak_c = fighter("a", "x", named("Ana", 1)), fighter("c", "y", named("Cy", 1))
        orders = [order("a", attack="c"), order("c", attack="a")]
        hit = Fraction(721, 1296)
        found = fractions("round", combatants=[weak_a, weak_c], order=[["a"], ["c"]], orders=orders)
        assert Fraction(found["finished"]) == 1 - (1 - hit) ** 2
        assert found == fractions("round", combatants=[weak_a, weak_c], orders=orders)
        together = fractions("round", combatants=[weak_a, weak_c], order=[["a", "c"]], orders=orders)
        assert Fraction(together["finished"]) == 1 - (1 - hit) ** 2
        held = fractions("round", turn(0, HIT), combatants=[weak_a, weak_c], order=[["a"], ["c"]], orders=orders)
        assert held == {"finished": "1"}

    def test_initiative_decides_who_that_is(self) -> None:
        weak_a, weak_c = fighter("a", "x", named("Ana", 1), drop=True), fighter("c", "y", named("Cy", 1))
        orders = [order("a", attack="c"), order("c", attack="a")]
        hit, first = Fraction(721, 1296), Fraction(527, 648)
        expected = odds("round", combatants=[weak_a, weak_c, B], orders=orders)["expected"]
        assert expected["combatants.1.out"] == pytest.approx(float(first * hit + (1 - first) * (1 - hit) * hit))

    def test_many_bystanders_cost_nothing(self) -> None:
        crowd = [fighter(f"z{index}", "y", {"bonus": 1}) for index in range(40)]
        assert fractions("round", combatants=[A, C, *crowd], orders=[order("a", attack="c")]) == {"ongoing": "1"}
        assert fractions("round", combatants=[A, C, *crowd]) == {"ongoing": "1"}

    @pytest.mark.parametrize(("number", "order_"), [(12, False), (13, True)])
    def test_too_many_attacks_are_refused_up_front(self, number: int, order_: bool) -> None:
        fighters = [fighter(f"a{index}", "x", named("Ana")) for index in range(number)]
        orders = [order(f"a{index}", attack="c") for index in range(number)]
        places = [[f"a{index}"] for index in range(number)] + [["c"]]
        with pytest.raises(TooLargeToCount):
            odds("round", combatants=[*fighters, C], orders=orders, order=places if order_ else [])

    def test_twelve_attacks_in_a_given_order_are_not_too_many(self) -> None:
        fighters = [fighter(f"a{index}", "x", {"bonus": 1}) for index in range(12)]
        orders = [order(f"a{index}", attack="c") for index in range(12)]
        places = [[f"a{index}"] for index in range(12)] + [["c"]]
        dice: Faces = {}
        for number in range(12):
            dice |= turn(number, MISS)
        assert fractions("round", dice, combatants=[*fighters, C], orders=orders, order=places) == {"ongoing": "1"}
