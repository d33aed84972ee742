"""Rounds of a conflict: declared attacks on their turns."""

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
    combatant,
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


def fighter(name: str, health: int = 2, *, spend: str | None = None, imposeKarma: bool = False, **sheet: Any) -> dict[str, Any]:  # noqa: N803
    """An actor with +2 at everything."""
    character = {"name": name, "aspects": [{"name": "fighter", "bonus": 2}], "health": {"current": health, "max": 2}, **sheet}
    return {"character": character, "using": ["fighter"], "spend": spend, "imposeKarma": imposeKarma}


A, B = combatant("a", "x", fighter("Ana")), combatant("b", "x", fighter("Bo"))
C, D = combatant("c", "y", fighter("Cy")), combatant("d", "y", fighter("Di"))
WEAK_A, WEAK_C = combatant("a", "x", fighter("Ana", 1)), combatant("c", "y", fighter("Cy", 1))
LUCKY_A = combatant("a", "x", fighter("Ana", karma="positive", spend="karma"))
HIT, MISS = ([6, 6], [1, 1]), ([1, 1], [6, 6])
HIT_CHANCE = Fraction(721, 1296)
"""The chance that one of these hits another."""


def turn(number: int, faces: tuple[list[int], list[int]], attackers: int = 1) -> Faces:
    """The dice of one attack: every attacker's and the defender's."""
    attack, defence = faces
    return {f"turns.{number}.attackers.{index}": attack for index in range(attackers)} | {f"turns.{number}.defender": defence}


def attack(*by: str, on: str, **more: Any) -> dict[str, Any]:
    return {"by": list(by), "attack": on, **more}


def request(combatants: list[dict[str, Any]], *orders: dict[str, Any], order: str | None = None, **more: Any) -> dict[str, Any]:
    """A round of these; the order of initiative is that of the list or as given: `a c=d`."""
    places = [place.split("=") for place in order.split()] if order else [[someone["id"]] for someone in combatants]
    return {"combatants": combatants, "orders": list(orders), "order": places, **more}


def resolved_alone(ruling: dict[str, Any]) -> dict[str, Any]:
    """The ruling that the request of a turn gives by itself, in the form of the turn."""
    alone = dict(ruling["request"])
    return play(alone.pop("action").removeprefix("jazz."), None, **alone) | {"request": ruling["request"]}


class TestOnce:
    """jazz.conflict.once"""

    def test_one_attack_and_any_number_of_defences(self) -> None:
        dice = turn(0, HIT) | turn(1, MISS) | turn(2, MISS) | turn(3, HIT)
        orders = [attack("a", on="c"), attack("b", on="c"), attack("c", on="a"), attack("d", on="a")]
        ruling = play("round", dice, **request([A, B, C, D], *orders))
        assert [inner["outcome"] for inner in ruling["turns"]] == ["hit", "miss", "miss", "hit"]
        assert (ruling["outcome"], ruling["succeeded"]) == ("ongoing", None)
        assert effects(ruling) == [("combatants.2.health", 2, 1), ("combatants.0.health", 2, 1)]
        assert [effect["id"] for effect in ruling["effects"]] == ["c", "a"]
        assert ruling["summary"] == "Round 1: Ana on Cy: hit; Bo on Cy: miss; Cy on Ana: miss; Di on Ana: hit; ongoing"
        assert values(ruling, "jazz.conflict.attack") == ["turns.0", "turns.1", "turns.2", "turns.3"]

    @pytest.mark.parametrize(
        ("orders", "pointer"),
        [
            ([attack("a", on="c"), attack("a", on="d")], "/orders/1/by/0"),
            ([attack("a", "a", on="c")], "/orders/0/by/1"),
            ([attack("b", on="c"), attack("a", "b", on="d")], "/orders/1/by/1"),
        ],
    )
    def test_second_attack(self, orders: list[dict[str, Any]], pointer: str) -> None:
        assert refused("round", **request([A, B, C, D], *orders)) == ("jazz.conflict.once", pointer)

    def test_character_under_two_ids(self) -> None:
        twins = [combatant(id_, "x", fighter("Ana", id="pc")) for id_ in "ab"]
        assert refused("round", **request([*twins, C], attack("a", "b", on="c"))) == ("jazz.conflict.once", "/orders/0/by/1")
        assert play("round", **request([*twins, C], attack("a", on="c"), attack("b", on="c")))["turns"]


class TestInitiative:
    """jazz.conflict.initiative, jazz.conflict.order"""

    def test_rolled_once_and_carried_on(self) -> None:
        ruling = play("round", {"combatants.0": [1, 1], "combatants.1": [6, 5]}, combatants=[A, C])
        assert (ruling["after"]["order"], ruling["after"]["round"]) == ([["c"], ["a"]], 2)
        assert (roll_names(ruling), ruling["turns"], ruling["outcome"]) == (["combatants.0", "combatants.1"], [], "ongoing")
        assert values(ruling, "jazz.conflict.order") == ["rerollOff", None]
        after = play("round", **ruling["after"])
        assert (roll_names(after), after["after"]["round"], after["after"]["order"]) == ([], 3, [["c"], ["a"]])
        assert values(after, "jazz.conflict.initiative") == [None]

    @pytest.mark.parametrize(("ties", "order"), [("simultaneous", [["a", "c"]]), ("listed", [["a"], ["c"]])])
    def test_drop_bonus_and_ties(self, ties: str, order: list[list[str]]) -> None:
        fighters = [{**A, "initiativeBonus": 3}, {**C, "drop": True}]
        ruling = play("round", {"combatants.0": [1, 1], "combatants.1": [1, 2, 2]}, combatants=fighters, ties=ties)
        assert ruling["after"]["order"] == order

    @pytest.mark.parametrize(
        ("changed", "more", "rule"),
        [
            ({"drop": True}, {}, "jazz.conflict.drop"),
            ({"initiativeBonus": 2}, {}, "jazz.conflict.initiative"),
            ({}, {"ties": "listed"}, "jazz.conflict.order"),
        ],
    )
    def test_what_a_given_order_makes_irrelevant_is_reported(self, changed: dict[str, Any], more: dict[str, Any], rule: str) -> None:
        def reported(**request_: Any) -> bool:
            return any(text.startswith("the order was given") for text in texts(play("round", **request_), rule))

        assert reported(**request([A, {**C, **changed}], **more))
        assert not reported(combatants=[A, {**C, **changed}], **more)
        assert not reported(**request([A, C]))

    @pytest.mark.parametrize("order", ["a b c", "a b c d d", "a b c z"])
    def test_order_of_others(self, order: str) -> None:
        assert refused("round", **request([A, B, C, D], order=order)) == ("jazz.conflict.order", "/order")


class TestTurns:
    """jazz.conflict.out, jazz.conflict.order, jazz.team.attack"""

    def test_out_before_the_turn(self) -> None:
        asked = request([A, WEAK_C, D], attack("c", on="a"), attack("a", on="c"))
        ruling = play("round", turn(0, HIT), **asked)
        assert [inner["outcome"] for inner in ruling["turns"]] == ["hit"]
        assert effects(ruling) == [("combatants.1.health", 1, 0), ("combatants.1.out", False, True)]
        assert values(ruling, "jazz.conflict.out") == [None]
        assert refused("round", turn(1, HIT), **asked) == ("jazz.dice.roll", "/dice/0/roll")

    @pytest.mark.parametrize("target", [WEAK_C, combatant("c", "y", {"character": {**THUG, "health": {"current": 5, "max": 5}}})])
    def test_out_already(self, target: dict[str, Any]) -> None:
        """jazz.conflict.unnamed"""
        ruling = play("round", turn(0, HIT), **request([A, B, target], attack("a", on="c"), attack("b", on="c")))
        assert (len(ruling["turns"]), ruling["outcome"], values(ruling, "jazz.conflict.out")) == (1, "finished", [None, None])
        assert effects(ruling)[-1] == ("combatants.2.out", False, True)

    def test_team_acts_on_the_turn_of_its_slowest_member(self) -> None:
        orders = [attack("a", "b", on="d"), attack("c", on="a"), attack("d", on="b")]
        dice = turn(0, MISS) | turn(1, ([3, 3], [1, 1]), 2)
        ruling = play("round", dice, **request([A, B, C, D], *orders, order="a c b d"))
        assert (ruling["turns"][1]["total"], ruling["summary"].split("; ")[1]) == (10, "Ana and Bo on Di: hit")

    def test_team_acts_without_members_who_are_out(self) -> None:
        orders = [attack("a", "b", on="d"), attack("c", on="a"), attack("d", on="b")]
        dice = turn(0, HIT) | turn(1, ([3, 3], [1, 1])) | turn(2, MISS)
        ruling = play("round", dice, **request([WEAK_A, B, C, D], *orders, order="a c b d"))
        assert [len(inner["request"]["attackers"]) for inner in ruling["turns"]] == [1, 1, 1]
        assert ruling["summary"] == "Round 1: Cy on Ana: hit; Bo on Di: hit; Di on Bo: miss; ongoing"
        assert values(ruling, "jazz.conflict.out") == [None]

    def test_shared_place(self) -> None:
        dice = turn(0, HIT) | turn(1, HIT)
        ruling = play("round", dice, **request([WEAK_A, WEAK_C], attack("c", on="a"), attack("a", on="c"), order="a=c"))
        assert (ruling["outcome"], values(ruling, "jazz.conflict.out")) == ("finished", [None])
        assert effects(ruling) == [
            ("combatants.0.health", 1, 0),
            ("combatants.0.out", False, True),
            ("combatants.1.health", 1, 0),
            ("combatants.1.out", False, True),
        ]

    def test_hits_at_the_same_time_add_up(self) -> None:
        orders = [attack("a", on="c"), attack("b", on="c")]
        ruling = play("round", turn(0, HIT) | turn(1, HIT), **request([A, B, C], *orders, order="a=b=c"))
        assert effects(ruling) == [("combatants.2.health", 2, 1), ("combatants.2.health", 1, 0), ("combatants.2.out", False, True)]
        assert len(play("round", turn(0, HIT), **request([A, B, WEAK_C], *orders, order="a=b=c"))["turns"]) == 1

    def test_equal_places_keep_the_order_declared(self) -> None:
        orders = [attack("d", on="a"), attack("c", on="a"), attack("a", on="d")]
        ruling = play("round", **request([A, C, D], *orders, order="a c=d"))
        assert [inner["request"]["attackers"][0]["character"]["name"] for inner in ruling["turns"]] == ["Ana", "Di", "Cy"]

    def test_aspects_for_one_attack(self) -> None:
        """jazz.aspects.highest"""
        fighters = [combatant("r", "x", driving()), B, combatant("g", "x", {"bonus": 1}), C]
        ruling = play("round", **request(fighters, attack("r", "b", "g", on="c", using=[WITCH, "fighter"])))
        attackers = ruling["turns"][0]["request"]["attackers"]
        assert [actor.get("using") for actor in attackers] == [[WITCH], ["fighter"], None]
        assert (attackers[2]["bonus"], ruling["after"]["combatants"][0]["actor"]["using"]) == (1, [DRIVER])
        asked = request(fighters, attack("b", "g", on="c", using=["fighter", WITCH]))
        assert refused("round", **asked) == ("jazz.aspects.highest", "/orders/0/using/1")

    def test_combatant_without_a_pool_or_sheet(self) -> None:
        """jazz.health.pool"""
        for actor in (driving(rook(survivalAspect=None)), {"bonus": 0}):
            someone = combatant("z", "y", actor)
            ruling = play("round", turn(0, HIT), **request([A, someone], attack("a", on="z")))
            assert ruling["effects"] == [{"on": "combatants.1", "id": "z", "stat": "health", "from": None, "to": None, "change": -1}]
            assert ruling["outcome"] == "ongoing"

    def test_combatants_who_are_out_may_be_listed(self) -> None:
        out = combatant("c", "y", fighter("Cy", 0, spend="karma"))
        ruling = play("round", **request([A, out, D]))
        assert (ruling["outcome"], values(ruling, "jazz.karma.positive")) == ("ongoing", [None])
        assert play("round", **request([A, out]))["outcome"] == "finished"

    def test_kind(self) -> None:
        """jazz.conflict.kind"""
        (inner,) = play("round", **request([A, C], attack("a", on="c"), kind="social"))["turns"]
        assert (inner["request"]["kind"], value(inner, "jazz.conflict.kind")) == ("social", "social")
        assert value(play("round", **request([A, C], kind="social")), "jazz.conflict.kind") == "social"

    def test_weird_is_free(self) -> None:
        """jazz.weird.free"""
        spent = combatant("r", "x", bewitching(hurt(4, 0)))
        ruling = play("round", **request([spent, C], attack("r", on="c"), attack("c", on="r")))
        assert [values(inner, "jazz.weird.free") for inner in ruling["turns"]] == [[None], [None]]

    def test_factors(self) -> None:
        asked = request([A, WEAK_C], attack("a", on="c"), seed=7, include=["factors"])
        ruling = play("round", turn(0, ([3, 3], [3, 3])), **asked)
        assert factors(ruling) == {"turns.0.attackers.0.bonus": "necessary", "turns.0.defender.bonus": "irrelevant"}


class TestDiceToSpend:
    """jazz.karma.positive, jazz.karma.negative, jazz.complication.die"""

    def test_own_attack(self) -> None:
        dice = turn(0, MISS) | {"turns.1.attackers.0": [1, 1, 1], "turns.1.defender": [1, 1]}
        ruling = play("round", dice, **request([LUCKY_A, C], attack("c", on="a"), attack("a", on="c"), order="c a"))
        assert [effect[0] for effect in effects(ruling)] == ["combatants.0.karma", "combatants.1.health"]
        assert ruling["after"]["combatants"][0]["actor"]["spend"] is None

    def test_first_defence_of_a_combatant_who_does_not_attack(self) -> None:
        unlucky = combatant("c", "y", fighter("Cy", karma="negative", imposeKarma=True))
        held = combatant("d", "y", fighter("Di", heldAdvantage=True, spend="heldAdvantage"))
        dice = {"turns.0.defender": [6], "turns.0.attackers.0": [1, 1], "turns.1.defender": [6, 6], "turns.1.attackers.0": [1, 1]}
        ruling = play("round", dice, **request([A, B, unlucky, held], attack("a", on="c"), attack("b", on="c")))
        assert effects(ruling) == [("combatants.2.karma", "negative", "neutral")]
        dice = {"turns.0.defender": [6, 6, 6], "turns.0.attackers.0": [1, 1]}
        ruling = play("round", dice, **request([A, B, unlucky, held], attack("a", on="d")))
        assert effects(ruling) == [("combatants.3.heldAdvantage", True, False)]
        after = [someone["actor"]["character"] for someone in ruling["after"]["combatants"]]
        assert (after[3]["heldAdvantage"], after[2]["karma"]) == (False, "negative")

    def test_used_up_in_the_next_turn(self) -> None:
        held = combatant("c", "y", fighter("Cy", heldAdvantage=True, spend="heldAdvantage"))
        ruling = play("round", **request([LUCKY_A, held, B], attack("a", on="c"), attack("c", on="a"), attack("b", on="c")))
        first, second, third = (inner["request"] for inner in ruling["turns"])
        assert (first["attackers"][0]["spend"], first["attackers"][0]["character"]["karma"]) == ("karma", "positive")
        assert (second["defender"]["spend"], second["defender"]["character"]["karma"]) == (None, "neutral")
        assert (first["defender"]["spend"], second["attackers"][0]["spend"]) == (None, "heldAdvantage")
        assert (third["defender"]["spend"], third["defender"]["character"]["heldAdvantage"]) == (None, False)

    def test_kept_without_a_roll(self) -> None:
        unlucky = combatant("b", "x", fighter("Bo", karma="negative", imposeKarma=True))
        # Di brings Cy down first, so Cy's own attack, which the die was for, never comes
        weak = combatant("c", "y", fighter("Cy", 1, heldAdvantage=True, spend="heldAdvantage"))
        foe = combatant("d", "z", fighter("Di"))
        ruling = play(
            "round", turn(0, HIT), **request([LUCKY_A, unlucky, weak, foe], attack("c", on="a"), attack("d", on="c"), order="d c a b")
        )
        for rule in ("jazz.karma.positive", "jazz.karma.negative", "jazz.complication.die"):
            assert values(ruling, rule) == [None]
        after = [someone["actor"] for someone in ruling["after"]["combatants"]]
        assert [actor["spend"] for actor in after] == [None] * 4
        assert [actor["character"]["karma"] for actor in after] == ["positive", "negative", "neutral", "neutral"]
        assert after[2]["character"]["heldAdvantage"] is True
        used = play("round", turn(0, MISS) | {"turns.0.defender": [6, 6, 6]}, combatants=[LUCKY_A, foe], orders=[attack("d", on="a")])
        assert texts(used, "jazz.karma.positive") == []


class TestInnerRulings:
    """Every turn is a ruling of its own."""

    ORDERS = [attack("a", "b", on="c"), attack("c", on="a"), attack("d", on="b")]

    @pytest.mark.parametrize("seed", [1, "the vault", "x" * 250, "é" * 256])
    def test_request_of_a_turn_gives_the_same_ruling(self, seed: str | int) -> None:
        ruling = play("round", {"turns.1.defender": [2, 5]}, combatants=[A, B, C, D], orders=self.ORDERS, seed=seed)
        assert len(ruling["turns"]) == 3
        for inner in ruling["turns"]:
            assert (inner["action"], inner["seedFrom"]) == ("jazz.attack", "request")
            assert resolved_alone(inner) == inner
        assert ruling["turns"][1]["request"]["dice"] == [{"roll": "defender", "faces": [2, 5]}]
        assert "dice" not in ruling["turns"][0]["request"]

    def test_seeds(self) -> None:
        ruling = play("round", combatants=[A, B, C, D], orders=self.ORDERS, seed="s")
        assert [inner["seed"] for inner in ruling["turns"]] == ["s/turns.0", "s/turns.1", "s/turns.2"]

    def test_derived_pools_are_sent_and_reported_once(self) -> None:
        """jazz.weird.pool"""
        sheet = rook(aspects=[*ROOK["aspects"], {"name": "seer", "bonus": 1, "weird": True}], weirdPool="sum")
        ruling = play("round", **request([combatant("r", "x", driving(sheet)), C], attack("r", on="c")))
        (inner,) = ruling["turns"]
        sent = inner["request"]["attackers"][0]["character"]
        assert (sent["health"], sent["weird"]) == ({"current": 4, "max": 4}, {"current": 3, "max": 3})
        assert (values(ruling, "jazz.weird.pool"), values(inner, "jazz.weird.pool")) == (["sum"], [])
        assert resolved_alone(inner) == inner

    def test_sheets_are_those_of_the_moment(self) -> None:
        ruling = play("round", turn(0, HIT) | turn(1, HIT), **request([A, B, C], attack("a", on="c"), attack("b", on="c")))
        assert [inner["request"]["defender"]["character"]["health"]["current"] for inner in ruling["turns"]] == [2, 1]
        assert ruling["after"]["combatants"][2]["actor"]["character"]["health"]["current"] == 0


class TestOdds:
    """jazz.conflict.order"""

    BOTH = [attack("a", on="c"), attack("c", on="a")]

    def test_one_attack(self) -> None:
        counted = odds("round", **request([A, WEAK_C], attack("a", on="c")))
        assert {row["outcome"]: row["fraction"] for row in counted["outcomes"]} == {"finished": "721/1296", "ongoing": "575/1296"}
        assert counted["expected"]["combatants.1.health"] == pytest.approx(-721 / 1296)
        assert [roll["roll"] for roll in counted["rolls"]] == ["turns.0.attackers.0", "turns.0.defender"]

    def test_first_attack_may_prevent_the_second(self) -> None:
        counted = fractions("round", **request([WEAK_A, WEAK_C], *self.BOTH))
        assert Fraction(counted["finished"]) == 1 - (1 - HIT_CHANCE) ** 2
        assert fractions("round", combatants=[WEAK_A, WEAK_C], orders=self.BOTH) == counted
        assert fractions("round", **request([WEAK_A, WEAK_C], *self.BOTH, order="a=c")) == counted
        assert fractions("round", turn(0, HIT), **request([WEAK_A, WEAK_C], *self.BOTH)) == {"finished": "1"}

    def test_initiative_decides_who_is_first(self) -> None:
        first = Fraction(527, 648)
        expected = odds("round", combatants=[{**WEAK_A, "drop": True}, WEAK_C, B], orders=self.BOTH)["expected"]
        out = first * HIT_CHANCE + (1 - first) * (1 - HIT_CHANCE) * HIT_CHANCE
        assert expected["combatants.1.out"] == pytest.approx(float(out))

    def test_bystanders_cost_nothing(self) -> None:
        crowd = [combatant(f"z{index}", "y", {"bonus": 1}) for index in range(40)]
        for orders in ([attack("a", on="c")], []):
            assert fractions("round", combatants=[A, C, *crowd], orders=orders) == {"ongoing": "1"}

    @pytest.mark.parametrize(("number", "given"), [(12, False), (13, True)])
    def test_too_many_attacks(self, number: int, given: bool) -> None:
        asked = request([*(combatant(f"a{index}", "x", fighter("Ana")) for index in range(number)), C])
        orders = [attack(f"a{index}", on="c") for index in range(number)]
        with pytest.raises(TooLargeToCount):
            odds("round", **{**asked, "orders": orders, "order": asked["order"] if given else []})

    def test_twelve_attacks_in_a_given_order(self) -> None:
        fighters = [combatant(f"a{index}", "x", {"bonus": 1}) for index in range(12)]
        dice = {roll: faces for number in range(12) for roll, faces in turn(number, MISS).items()}
        asked = request([*fighters, C], *(attack(f"a{index}", on="c") for index in range(12)))
        assert fractions("round", dice, **asked) == {"ongoing": "1"}
