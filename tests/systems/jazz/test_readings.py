"""Readings of the jazz rules that the shared cases do not reach."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.systems.jazz.fight import FightRolls, JazzFight
from tests.systems.jazz.playing import ROOK, WITCH, blow, combatant, fighter, odds, order, play, refused, rook, values

ANN, BOB, CAT = fighter("ann", "heroes"), fighter("bob", "foes"), fighter("cat", "foes")


def attack(by: str | list[str], on: str, **more: Any) -> dict[str, Any]:
    return {"by": [by] if isinstance(by, str) else by, "attack": on, **more}


def test_blank_complication_is_refused() -> None:
    assert refused("complication", character=rook(complication="  ")) == ("jazz.complication.die", "/character/complication")


def test_mundane_use_of_a_weird_row_costs_nothing() -> None:
    ruling = play(
        "check", {"actor": [6, 6]}, actor={"character": ROOK, "using": [WITCH], "extraordinary": False}, effect="teleport.individual.nearby"
    )
    assert "jazz.weird.mundane_row" in [step["key"] for step in ruling["steps"]]
    assert ruling["effects"] == []


def test_pool_of_somebody_out_rises_without_filling() -> None:
    health, aspects = {"current": 0, "max": 2}, [{"name": "tough", "bonus": 2}]
    sheet = {"name": "Rook", "aspects": aspects, "survivalAspect": "tough", "health": health, "out": True}
    ruling = play("improve", {"character": [6, 6]}, character=sheet, aspect="tough", fictionLevel="mythic")
    pools = [(effect["stat"], effect["from"], effect["to"]) for effect in ruling["effects"] if "health" in effect["stat"]]
    assert pools == [("health.max", 2, 3)]
    assert "jazz.advance.pool_out" in [step["key"] for step in ruling["steps"]]


@pytest.mark.parametrize(
    ("actor", "rule", "pointer"),
    [
        ({"bonus": 1, "imposeKarma": True}, "jazz.karma.negative", "/actor/imposeKarma"),
        ({"character": ROOK, "name": "Rook"}, "jazz.dice.roll", "/actor/name"),
    ],
)
def test_what_needs_a_sheet_or_is_on_it(actor: dict[str, Any], rule: str, pointer: str) -> None:
    assert refused("check", actor=actor, difficulty=9) == (rule, pointer)


def test_house_rule_of_the_weird_pool() -> None:
    aspects = [{"name": "witch", "bonus": 2, "weird": True}, {"name": "seer", "bonus": 3, "weird": True}]
    sheet = {"name": "Ada", "aspects": aspects}
    highest, together = (
        play("character", character=sheet, fictionLevel="mythic", **house)["after"]["character"]["weird"]["max"]
        for house in ({}, {"houseRules": {"weirdPool": "sum"}})
    )
    assert (highest, together) == (3, 5)


def test_falling_keeps_a_conflict_going() -> None:
    """bob was put out by somebody of his own place, and still acts (jazz.conflict.out)."""
    bob = fighter("bob", "foes", 0)
    state = {"combatants": [ANN, bob], "order": order("ann=bob"), "acted": ["ann"], "falling": ["bob"]}
    ruling = play("turn", blow(1, 1, 0), **state, turn=attack("bob", "ann"))
    assert ruling["turn"]["outcome"] == "hit"


def test_member_who_is_out_takes_no_part() -> None:
    state = {"combatants": [ANN, fighter("abe", "heroes", 0), BOB], "order": order("ann", "abe", "bob")}
    ruling = play("turn", {}, **state, turn=attack(["ann", "abe"], "bob"))
    assert values(ruling, "jazz.conflict.out") == [None]
    assert [roll["roll"] for roll in ruling["rolls"]] == ["combatants.0.round1.attack", "combatants.2.round1.against.0"]


def test_those_out_may_be_attacked_in_a_round_that_heals_them() -> None:
    out = fighter("cat", "foes", 0)
    heal = {"by": ["bob"], "check": {"effect": "restoreHealth.one", "subject": "cat"}, "using": ["healer"]}
    sheet = {"name": "Bob", "aspects": [{"name": "healer", "bonus": 9, "weird": True}], "health": {"current": 1, "max": 1}}
    healer = combatant("bob", "foes", {"character": sheet})
    state = {"combatants": [ANN, healer, out], "order": order("bob", "cat", "ann")}
    assert refused("round", **state, orders=[attack("ann", "cat")]) == ("jazz.conflict.out", "/orders/0/attack")
    ruling = play("round", **state, orders=[heal, attack("ann", "cat")])
    assert ruling["turns"][0]["kind"] == "check"


def test_odds_of_an_attack_on_several_by_simulation() -> None:
    asked = {"attackers": [{"character": ROOK, "using": [WITCH]}], "targets": [{"bonus": 1}, {"bonus": 40}]}
    exact, simulated = (odds("attack", **asked, method=method, trials=1000) for method in ("exact", "simulation"))
    assert sorted(row["outcome"] for row in simulated["outcomes"]) == ["0", "1", "2"]
    chances = {row["outcome"]: row["probability"] for row in exact["outcomes"]}
    assert all(row["interval"]["low"] <= chances.get(row["outcome"], 0) <= row["interval"]["high"] for row in simulated["outcomes"])


def test_number_of_possible_rolls() -> None:
    rolls = FightRolls(JazzFight.model_validate({"combatants": [ANN, BOB]}))
    assert len(rolls) == len(list(rolls)) == 6


def test_combatant_without_a_name_is_called_by_the_id() -> None:
    ruling = play("turn", {}, combatants=[combatant("x", "a", {"bonus": 1}), BOB], order=order("x", "bob"), turn=attack("x", "bob"))
    assert "\u2068x\u2069" in ruling["summary"]


def test_names_of_tables_match_without_regard_to_case() -> None:
    level = play("check", actor={"bonus": 1}, level=" NIGH-impossible")
    row = play("check", actor={"bonus": 1}, effect="Teleport.individual.NEARBY")
    assert (level["target"], row["target"]) == (16, 8)


def test_house_rule_of_the_weird_pool_is_that_of_every_sheet() -> None:
    aspects = [{"name": "witch", "bonus": 2, "weird": True}, {"name": "seer", "bonus": 3, "weird": True}]
    actor = {"character": {"name": "Ada", "aspects": aspects}, "using": ["seer"]}
    asked = {"attackers": [{"bonus": 1}, actor | {"extraordinary": True}], "defender": {"bonus": 1}}
    spent = [
        [effect["to"] for effect in play("attack", **asked, **house)["effects"] if effect["stat"] == "weird"]
        for house in ({}, {"houseRules": {"weirdPool": "sum"}}, {"houseRules": {"rounding": "down"}})
    ]
    assert spent == [[2], [4], [2]]


def test_house_rule_of_the_weird_pool_leaves_what_the_sheet_says() -> None:
    aspects = [{"name": "witch", "bonus": 2, "weird": True}, {"name": "seer", "bonus": 3, "weird": True}]
    for own, size in (({"weirdPool": "highest"}, 3), ({"weird": {"current": 4, "max": 4}}, 4)):
        actor = {"character": {"name": "Ada", "aspects": aspects, **own}, "using": ["seer"], "extraordinary": True}
        ruling = play("attack", attackers=[actor], defender={"bonus": 1}, houseRules={"weirdPool": "sum"})
        assert [(effect["from"], effect["to"]) for effect in ruling["effects"] if effect["stat"] == "weird"] == [(size, size - 1)]


def test_impossible_check_of_a_turn_uses_nothing_up() -> None:
    ann = fighter("ann", "heroes", karma="positive", spend="karma")
    ann["actor"]["using"] = []
    asked = {"combatants": [ann, BOB], "order": order("ann", "bob")}
    ruling = play("turn", **asked, turn={"by": ["ann"], "check": {"difficulty": 9, "specialistOnly": True}})
    assert (ruling["turn"]["outcome"], ruling["rolls"], ruling["effects"]) == ("impossible", [], [])
    assert ruling["after"]["combatants"][0]["actor"]["character"]["karma"] == "positive"


def test_who_is_falling_acts_in_a_round_although_one_side_stands_alone() -> None:
    fallen = fighter("bob", "foes", health=0)
    asked = {"combatants": [ANN, fallen], "order": order("ann=bob"), "acted": ["ann"]}
    ruling = play("round", blow(1, 1, 0), **asked, falling=["bob"], orders=[attack("bob", "ann")])
    assert (ruling["outcome"], ruling["over"], [turn["outcome"] for turn in ruling["turns"]]) == ("finished", None, ["hit"])
    assert refused("round", **asked, orders=[attack("bob", "ann")])[0] == "jazz.conflict.out"
