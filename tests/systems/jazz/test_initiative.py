"""Initiative: who acts first."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import pytest

from tablecall.model.refusals import TooLargeToCount
from tests.systems.jazz.playing import (
    HOLDING,
    LUCKY,
    ROOK,
    UNLUCKY,
    effects,
    factors,
    fractions,
    odds,
    placed,
    play,
    refused,
    roll_names,
    values,
)
from tests.systems.playing import Faces


def entrants(*ids: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": id_, "name": id_.title(), **more} for id_ in ids]


PAIR, TRIO = entrants("a", "b"), entrants("a", "b", "c")
TIED: Faces = {"combatants.0": [3, 4], "combatants.1": [5, 2], "combatants.2": [1, 6]}


def test_two_dice_and_no_bonus() -> None:
    """jazz.conflict.initiative"""
    ruling = play("initiative", {"combatants.0": [1, 2], "combatants.1": [4, 4]}, combatants=PAIR)
    assert (ruling["outcome"], ruling["succeeded"], ruling["after"]) == (
        "ordered",
        None,
        {"combatants": PAIR, "order": [{"ids": ["b"], "total": 8}, {"ids": ["a"], "total": 3}]},
    )
    assert (ruling["total"], ruling["effects"], roll_names(ruling)) == (None, [], ["combatants.0", "combatants.1"])


@pytest.mark.parametrize(
    ("more", "faces", "factor"),
    [
        ({"initiativeBonus": 6}, [1, 2], "initiativeBonus"),
        ({"initiativeBonus": 1}, [4, 4], "initiativeBonus"),
        ({"drop": True}, [1, 2, 6], "drop"),
    ],
)
def test_bonus_and_drop(more: dict[str, Any], faces: list[int], factor: str) -> None:
    """jazz.conflict.drop"""
    fighters = [*entrants("a"), *entrants("b", **more)]
    dice = {"combatants.0": [4, 4], "combatants.1": faces}
    ruling = play("initiative", dice, combatants=fighters, ties="listed", include=["factors"])
    assert (placed(ruling), factors(ruling)) == (["b", "a"], {f"combatants.1.{factor}": "helpful"})
    assert values(ruling, "jazz.conflict.drop") == ([3] if factor == "drop" else [])


def test_single_combatant() -> None:
    assert placed(play("initiative", combatants=entrants("a"))) == ["a"]
    assert fractions("initiative", combatants=entrants("a")) == {"a": "1"}


class TestTies:
    """jazz.conflict.order"""

    def test_the_tied_roll_again_until_all_totals_differ(self) -> None:
        again: Faces = {
            "combatants.0.tie1": [3, 3],
            "combatants.1.tie1": [6, 6],
            "combatants.2.tie1": [2, 4],
            "combatants.0.tie2": [1, 1],
            "combatants.2.tie2": [1, 2],
        }
        ruling = play("initiative", TIED | again, combatants=TRIO)
        assert (placed(ruling), roll_names(ruling)) == (["b", "c", "a"], [*TIED, *again])
        assert values(ruling, "jazz.conflict.order") == ["rerollOff"] * 3

    def test_tie_break_without_drop_and_bonus(self) -> None:
        fighters = [*entrants("a", drop=True, initiativeBonus=2), *entrants("b")]
        dice = {"combatants.0": [1, 1, 2], "combatants.1": [3, 3], "combatants.0.tie1": [1, 1], "combatants.1.tie1": [1, 2]}
        assert placed(play("initiative", dice, combatants=fighters)) == ["b", "a"]

    @pytest.mark.parametrize(
        ("ties", "last", "order"),
        [
            ("listed", [1, 6], ["a", "b", "c"]),
            ("simultaneous", [1, 6], ["a=b=c"]),
            ("simultaneous", [1, 1], ["a=b", "c"]),
        ],
    )
    def test_other_readings(self, ties: str, last: list[int], order: list[str]) -> None:
        ruling = play("initiative", TIED | {"combatants.2": last}, combatants=TRIO, ties=ties)
        assert placed(ruling) == order
        assert values(ruling, "jazz.conflict.order") == [ties] * 2
        assert ruling["notes"] == []

    def test_option_without_effect(self) -> None:
        ruling = play("initiative", {"combatants.0": [1, 1], "combatants.1": [2, 2]}, combatants=PAIR, ties="listed")
        assert [note["pointer"] for note in ruling["notes"]] == ["/ties"]

    def test_house_rule(self) -> None:
        ruling = play("initiative", TIED, combatants=TRIO, houseRules={"initiativeTies": "simultaneous"})
        assert placed(ruling) == ["a=b=c"]
        ruling = play("initiative", TIED, combatants=TRIO, houseRules={"initiativeTies": "simultaneous"}, ties="listed")
        assert placed(ruling) == ["a", "b", "c"]


class TestHeldDice:
    """jazz.karma.positive, jazz.karma.negative, jazz.complication.die"""

    def test_karma(self) -> None:
        lucky = {"id": "a", "character": LUCKY, "spend": "karma"}
        ruling = play("initiative", {"combatants.0": [1, 2, 3], "combatants.1": [2, 2]}, combatants=[lucky, *entrants("b")])
        assert placed(ruling) == ["a", "b"]
        assert effects(ruling) == [("combatants.0.karma", "positive", "neutral")]
        assert ruling["after"]["combatants"][0] == {"id": "a", "character": LUCKY | {"karma": "neutral"}}
        assert ruling["summary"] == "Initiative: ⁨Rook⁩ 6, ⁨B⁩ 4. ⁨Rook⁩: karma positive → neutral"

    def test_imposed_and_cancelled(self) -> None:
        cursed = {"id": "a", "character": UNLUCKY, "imposeKarma": True}
        assert effects(play("initiative", {"combatants.0": [1]}, combatants=[cursed])) == [("combatants.0.karma", "negative", "neutral")]
        assert roll_names(play("initiative", {"combatants.0": [1, 2]}, combatants=[cursed | {"drop": True}])) == ["combatants.0"]

    def test_held_die(self) -> None:
        holding = {"id": "a", "character": HOLDING, "spend": "heldAdvantage"}
        assert effects(play("initiative", {"combatants.0": [1, 2, 3]}, combatants=[holding])) == [
            ("combatants.0.heldAdvantage", True, False)
        ]

    @pytest.mark.parametrize(
        ("entrant", "rule", "field"),
        [
            ({"character": ROOK, "spend": "karma"}, "jazz.karma.positive", "spend"),
            ({"character": ROOK, "imposeKarma": True}, "jazz.karma.negative", "imposeKarma"),
            ({"character": LUCKY, "spend": "karma", "drop": True}, "jazz.karma.positive", "spend"),
            ({"spend": "heldAdvantage"}, "jazz.complication.die", "spend"),
            ({"imposeKarma": True}, "jazz.karma.negative", "imposeKarma"),
        ],
    )
    def test_refused(self, entrant: dict[str, Any], rule: str, field: str) -> None:
        assert refused("initiative", combatants=[{"id": "a", **entrant}]) == (rule, f"/combatants/0/{field}")


class TestLatecomers:
    """jazz.conflict.order"""

    ORDER: ClassVar[list[dict[str, Any]]] = [{"ids": ["a"], "total": 9}, {"ids": ["b"], "total": 5}]

    def test_placed_without_moving_the_others(self) -> None:
        ruling = play("initiative", {"combatants.2": [3, 4]}, combatants=TRIO, order=self.ORDER, joining=["c"])
        assert ruling["after"]["order"] == [self.ORDER[0], {"ids": ["c"], "total": 7}, self.ORDER[1]]
        assert roll_names(ruling) == ["combatants.2"]

    @pytest.mark.parametrize(
        ("ties", "expected"), [("rerollOff", ["a", "b", "c"]), ("listed", ["a", "b", "c"]), ("simultaneous", ["a", "b=c"])]
    )
    def test_after_those_of_an_equal_total(self, ties: str, expected: list[str]) -> None:
        ruling = play("initiative", {"combatants.2": [1, 4]}, combatants=TRIO, order=self.ORDER, joining=["c"], ties=ties)
        assert placed(ruling) == expected

    def test_among_themselves(self) -> None:
        four = entrants(*"abcd")
        tied: Faces = {"combatants.2": [3, 3], "combatants.3": [2, 4]}
        again: Faces = {
            "combatants.2.tie1": [1, 1],
            "combatants.3.tie1": [1, 1],
            "combatants.2.tie2": [1, 1],
            "combatants.3.tie2": [6, 6],
        }
        asked: dict[str, Any] = {"combatants": four, "order": self.ORDER, "joining": ["c", "d"]}
        assert placed(play("initiative", tied | again, **asked)) == ["a", "d", "c", "b"]
        assert placed(play("initiative", tied, **asked, ties="listed")) == ["a", "c", "d", "b"]
        assert placed(play("initiative", tied, **asked, ties="simultaneous")) == ["a", "c=d", "b"]

    def test_odds(self) -> None:
        chances = fractions("initiative", combatants=TRIO, order=self.ORDER, joining=["c"])
        assert chances == {"a>c>b": "5/9", "c>a>b": "1/6", "a>b>c": "5/18"}

    @pytest.mark.parametrize(
        ("changed", "pointer"),
        [
            ({"joining": []}, "/joining"),
            ({"order": []}, "/order"),
            ({"joining": ["z"]}, "/joining/0"),
            ({"joining": ["c", "c"]}, "/joining/1"),
            ({"joining": ["b", "c"]}, "/order"),
            ({"order": [{"ids": ["a"], "total": 9}, {"ids": ["b"]}]}, "/order/1/total"),
        ],
    )
    def test_refused(self, changed: dict[str, Any], pointer: str) -> None:
        asked = {"combatants": TRIO, "order": self.ORDER, "joining": ["c"], **changed}
        assert refused("initiative", **asked) == ("jazz.conflict.order", pointer)


def test_ids_are_compared_as_text() -> None:
    assert refused("initiative", combatants=[{"id": 1}, {"id": "1"}]) == ("jazz.conflict.initiative", "/combatants/1/id")
    assert play("initiative", combatants=[{"id": 1}])["after"]["order"][0]["ids"] == [1]


class TestOdds:
    """jazz.conflict.order"""

    @pytest.mark.parametrize(
        ("ties", "expected"),
        [
            ("rerollOff", {"a>b": "1/2", "b>a": "1/2"}),
            ("listed", {"a>b": "721/1296", "b>a": "575/1296"}),
            ("simultaneous", {"a>b": "575/1296", "b>a": "575/1296", "a=b": "73/648"}),
        ],
    )
    def test_every_order_of_two(self, ties: str, expected: dict[str, str]) -> None:
        assert fractions("initiative", combatants=PAIR, ties=ties) == expected

    def test_drop(self) -> None:
        fighters = [*entrants("a", drop=True), *entrants("b")]
        assert fractions("initiative", combatants=fighters) == {"a>b": "527/648", "b>a": "121/648"}

    def test_every_order_of_five(self) -> None:
        counted = odds("initiative", combatants=entrants(*"abcde"))
        assert [row["fraction"] for row in counted["outcomes"]] == ["1/120"] * 120
        assert [roll["roll"] for roll in counted["rolls"]][5:] == [f"combatants.{index}.tie1" for index in range(5)]

    def test_ids_that_look_like_an_outcome_are_quoted(self) -> None:
        orders = fractions("initiative", combatants=entrants("a", "b", "a>b"), ties="listed")
        assert (len(orders), sum(map(Fraction, orders.values()))) == (6, 1)
        assert {'a>b>"a>b"', '"a>b">a>b', 'a>"a>b">b'} <= set(orders)
        orders = fractions("initiative", combatants=entrants("=", 'say "x"', "several together"), ties="simultaneous")
        assert '"="="say \\"x\\""="several together"' in orders
        first = fractions("initiative", combatants=entrants("several together", *"bcdef"), ties="simultaneous")
        assert len(first) == 7
        assert first['"several together"'] == first["b"] != first["several together"]

    @pytest.mark.parametrize("ties", ["rerollOff", "listed", "simultaneous"])
    def test_who_goes_first_of_more_than_five(self, ties: str) -> None:
        first = fractions("initiative", combatants=entrants(*"abcdef"), ties=ties)
        assert sum(map(Fraction, first.values())) == 1
        assert set(first) == set("abcdef") | ({"several together"} if ties == "simultaneous" else set())
        assert (first["a"] == first["f"]) is (ties != "listed")
        assert (first["a"] == "1/6") is (ties == "rerollOff")

    def test_sixty_four_combatants(self) -> None:
        fighters = [{"id": f"c{index}", "name": "x", "drop": index == 9, "initiativeBonus": index % 3} for index in range(64)]
        first = fractions("initiative", combatants=fighters)
        assert sum(map(Fraction, first.values())) == 1
        assert max(first, key=lambda id_: Fraction(first[id_])) == "c9"

    @pytest.mark.parametrize(
        ("faces", "expected"),
        [
            ({"combatants.2": [6, 6], "combatants.0.tie1": [3, 4]}, {"c>a>b": "1/2", "c>b>a": "1/2"}),
            (
                {"combatants.0.tie1": [6, 6], "combatants.1.tie1": [6, 6], "combatants.2.tie1": [1, 1]},
                {"a>b>c": "1/2", "b>a>c": "1/2"},
            ),
            (
                {
                    "combatants.0.tie1": [6, 6],
                    "combatants.1.tie1": [6, 6],
                    "combatants.2.tie1": [1, 1],
                    "combatants.0.tie2": [6, 6],
                    "combatants.1.tie2": [6, 5],
                },
                {"a>b>c": "1"},
            ),
        ],
    )
    def test_supplied_dice(self, faces: Faces, expected: dict[str, str]) -> None:
        assert fractions("initiative", TIED, combatants=TRIO)["b>a>c"] == "1/6"
        assert fractions("initiative", TIED | faces, combatants=TRIO) == expected

    def test_dice_for_a_tie_that_does_not_happen(self) -> None:
        dice: Faces = {"combatants.0.tie1": [1, 1], "combatants.1": [1, 1], "combatants.0": [1, 2]}
        assert refused("initiative", dice, combatants=TRIO) == ("jazz.dice.roll", "/dice/0/roll")

    def test_supplied_tie_break_among_many_is_too_large(self) -> None:
        with pytest.raises(TooLargeToCount):
            odds("initiative", {"combatants.0.tie1": [3, 4]}, combatants=entrants(*"abcdefghi"), method="exact")
        first = fractions("initiative", {"combatants.0.tie1": [6, 6]}, combatants=entrants(*"abcdef"))
        assert Fraction(first["a"]) > Fraction(first["b"]) == Fraction(first["f"])
