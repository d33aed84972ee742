"""The odds of every action equal a count of every possible roll, made through the same rule."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tablecall import engine
from tablecall.dice.conditional import NeedsJointDistribution
from tablecall.dice.enumeration import EnumeratedDice
from tablecall.dice.keep import Choice, KeepPool
from tablecall.systems import ACTIONS
from tests.systems.darkpages.playing import NYX, npc, nyx, pool
from tests.systems.playing import Listed, every_fall

SMALL = {"body": {"roll": 1, "keep": 1}, "mind": {"roll": 2, "keep": 1}, "soul": {"roll": 1, "keep": 1}}
ONE = npc(1, 1)
TWO = pool(2, 1)
W, V, B = ({"archetype": archetype} for archetype in "WVB")
LEARNERS = [pool(1, 1) | W, pool(1, 1) | V]
MOST_ZEROS: dict[str, Any] = {"keep": "mostZeros"}
SUCCEED: dict[str, Any] = {"keep": "mostZerosThatSucceed"}
NO_DICE = pool(1, 1, modifiers=["-0/1"])
STRESS: dict[str, Any] = {"trauma": "stress"}
INJURY: dict[str, Any] = {"trauma": "injury"}
ATTACK: dict[str, Any] = {"attacker": ONE, "defender": ONE} | STRESS
DEFEND: dict[str, Any] = {"attacker": ONE, "defender": pool(1, 1) | W, "ward": ONE} | STRESS
NO_MERCY = {"attacker": npc(2, 1), "victim": nyx(defeated=True)} | INJURY


def supplied(**faces: list[int]) -> dict[str, Any]:
    """Dice of the request, which keep the count small."""
    return {"dice": [{"roll": roll, "faces": shown} for roll, shown in faces.items()]}


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    f"check {choice} {roll}k{keep} {target}": ("check", {"actor": pool(roll, keep, archetype="W", keep=choice), "targetNumber": target})
    for roll, keep, target in ((1, 1, 1), (2, 1, 5), (3, 2, 9), (3, 3, 14), (3, 2, 30))
    for choice in ("highest", "mostZeros", "mostZerosThatSucceed")
} | {
    "check keepDice": ("check", {"actor": pool(3, 2, keepDice=[2, 0]) | W, "targetNumber": 9}),
    "check floor zero": ("check", {"actor": pool(2, 1, modifiers=["-0/1"]), "targetNumber": 1, "floor": "zero"}),
    "opposed": ("check", {"actor": TWO | W, "opponent": pool(2, 2) | W}),
    "opposed, actor needs the total": ("check", {"actor": TWO | W | SUCCEED, "opponent": npc(2, 1)}),
    "opposed, opponent needs the total": ("check", {"actor": TWO | MOST_ZEROS, "opponent": pool(2, 2) | W | SUCCEED}),
    "opposed, both need the total": ("check", {"actor": TWO | W | SUCCEED, "opponent": TWO | V | SUCCEED}),
    "opposed, no dice": ("check", {"actor": ONE, "opponent": NO_DICE, "floor": "zero"}),
    "damage": ("damage", {"target": {"character": nyx(attributes=SMALL)}, "against": 5, "opposed": True} | STRESS),
    "damage, risk": ("damage", {"target": {"character": NYX}, "trauma": "corruption", "against": 12, "opposed": True, "onHarm": "risk"}),
    "damage, Target Number": ("damage", {"target": pool(3, 2) | W | SUCCEED, "against": 9, "opposed": False} | STRESS),
    "damage, Target Number 0": ("damage", {"target": pool(3, 2) | W | SUCCEED, "against": 0, "opposed": False} | STRESS),
    "damage, zeros that succeed": (
        "damage",
        {"target": pool(3, 2) | W | SUCCEED, "against": 9, "opposed": True, "damageTie": "harm"} | STRESS,
    ),
    "attack": ("attack", ATTACK | {"attacker": pool(1, 1) | V, "defender": pool(1, 1) | W}),
    "attack on a sheet": (
        "attack",
        ATTACK
        | INJURY
        | {"defender": {"character": nyx(attributes=SMALL, damage={"health": "damaged"})}, "resistWith": "mind", "onHarm": "risk"},
    ),
    "attack, another Attribute resists": (
        "attack",
        ATTACK | INJURY | {"defender": {"character": nyx(attributes=SMALL), "attribute": "body"}, "resistWith": "mind"},
    ),
    "attack, attacker needs the total": ("attack", ATTACK | {"attacker": TWO | V | SUCCEED}),
    "attack, defender needs the total": (
        "attack",
        ATTACK | {"attacker": npc(2, 1), "defender": TWO | W | SUCCEED} | supplied(defender=[0, 2]),
    ),
    "attack, totals the defender cannot reach": (
        "attack",
        ATTACK | {"attacker": pool(2, 2), "defender": TWO | W | SUCCEED} | supplied(defender=[0, 3]),
    ),
    "attack, zeros in the damage check": (
        "attack",
        ATTACK | {"attacker": TWO, "defender": TWO | W, "damageKeep": "mostZeros", "damageTie": "harm"} | supplied(defender=[0, 0]),
    ),
    "attack, both need the total": ("attack", ATTACK | {"attacker": TWO | V | SUCCEED, "defender": pool(1, 1) | W | SUCCEED}),
    "teamwork, one Archetype": ("teamwork", {"members": [pool(3, 1), *LEARNERS[:1] * 2], "targetNumber": 9}),
    "teamwork, in turn": ("teamwork", {"members": [pool(3, 1), *LEARNERS], "targetNumber": 9}),
    "teamwork, most zeros": (
        "teamwork",
        {"members": [pool(3, 1) | MOST_ZEROS, *LEARNERS], "opponent": pool(1, 1) | V, "leader": 0},
    ),
    "teamwork, awards": (
        "teamwork",
        {"members": [pool(4, 2) | SUCCEED, *LEARNERS, pool(1, 1)], "awards": [2, 2, 1], "targetNumber": 12},
    ),
    "teamwork, keepDice": ("teamwork", {"members": [pool(4, 1, keepDice=[3, 1, 0]), *LEARNERS], "targetNumber": 9}),
    "teamwork, opponent needs the total": ("teamwork", {"members": [TWO, *LEARNERS], "opponent": TWO | V | SUCCEED}),
    "teamwork, leader needs the total": ("teamwork", {"members": [TWO | SUCCEED, *LEARNERS], "opponent": ONE}),
    "defend": ("defend", DEFEND),
    "defend, the ward rolls": (
        "defend",
        DEFEND | {"attacker": pool(1, 1) | V, "ward": TWO | B, "onHarm": "risk"} | supplied(attacker=[5]),
    ),
    "defend, first attack counts twice": (
        "defend",
        DEFEND | {"attacker": pool(1, 1) | V, "defender": TWO | W, "reuseAttack": True} | supplied(defender=[0, 7]),
    ),
    "defend, defender needs the total": (
        "defend",
        DEFEND | {"defender": TWO | W | SUCCEED, "reuseAttack": True} | supplied(defender=[6, 0]),
    ),
    "defend, attacker keeps zeros": (
        "defend",
        DEFEND | {"attacker": TWO | V | MOST_ZEROS, "defender": ONE, "damageTie": "harm"} | supplied(defender=[8], attacker=[5, 3]),
    ),
    "defend, attacker needs the total": (
        "defend",
        DEFEND | {"attacker": TWO | V | SUCCEED, "defender": TWO | W, "reuseAttack": True} | supplied(defender=[5, 0]),
    ),
    "swarm, highest": ("swarm", {"members": [TWO, ONE], "use": "highest", "targetNumber": 6}),
    "swarm, lowest": ("swarm", {"members": [TWO | MOST_ZEROS, ONE], "use": "lowest", "targetNumber": 3}),
    "swarm, opposed": ("swarm", {"members": [ONE, ONE], "use": "lowest", "opponent": pool(1, 1) | W}),
    "swarm, lowest, most zeros": ("swarm", {"members": [TWO | MOST_ZEROS] * 2, "use": "lowest", "targetNumber": 3}),
    "swarm, highest, most zeros": ("swarm", {"members": [TWO | MOST_ZEROS] * 2, "use": "highest", "targetNumber": 3}),
    "swarm, most zeros, opposed": (
        "swarm",
        {"members": [TWO | MOST_ZEROS, pool(1, 1) | MOST_ZEROS], "use": "highest", "opponent": pool(1, 1) | W},
    ),
    "swarm, lowest, no dice": ("swarm", {"members": [NO_DICE, ONE], "use": "lowest", "opponent": ONE, "floor": "zero"}),
    "swarm, highest, no dice": ("swarm", {"members": [NO_DICE, ONE], "use": "highest", "opponent": ONE, "floor": "zero"}),
    "swarm, opponent needs the total": ("swarm", {"members": [ONE, ONE], "use": "highest", "opponent": TWO | W | SUCCEED}),
    "no mercy": ("noMercy", NO_MERCY | {"rescuer": TWO | W}),
    "no mercy, no rescuer": ("noMercy", NO_MERCY),
}


def count_every_roll(action: str, request: dict[str, Any]) -> tuple[dict[str, Fraction], dict[str, float]]:
    """The probability of each outcome and the mean of each change."""
    rule, body = ACTIONS[f"darkpages.{action}"][1].rule, ACTIONS[f"darkpages.{action}"][1].body.model_validate(request)
    fixed = {dice.roll: tuple(dice.faces) for dice in body.dice}
    outcomes, means = Counter[str](), Counter[str]()
    for probability, verdict in every_fall(lambda dice: rule(body, dice), range(10), fixed):
        outcomes[verdict.outcome] += probability  # type: ignore[assignment]
        for change in verdict.changes:
            means[f"{change.on}.{change.stat}"] += probability * (change.change or 0)  # type: ignore[assignment]
    return dict(outcomes), {stat: float(mean) for stat, mean in means.items() if mean}  # type: ignore[arg-type]


@pytest.mark.parametrize(("action", "request_"), list(CASES.values()), ids=list(CASES))
def test_odds_equal_a_count_of_every_roll(action: str, request_: dict[str, Any]) -> None:
    system, definition = ACTIONS[f"darkpages.{action}"]
    odds = engine.odds(system, definition, definition.body.model_validate(request_))
    outcomes, means = count_every_roll(action, request_)
    assert {row["outcome"]: Fraction(row["fraction"]) for row in odds["outcomes"]} == outcomes
    assert {stat: mean for stat, mean in odds["expected"].items() if mean} == pytest.approx(means)


@pytest.mark.parametrize("choice", ["highest", "mostZeros", "mostZerosThatSucceed"])
@pytest.mark.parametrize(("roll", "keep"), [(0, 0), (1, 1), (3, 1), (3, 2), (3, 5), (4, 3)])
def test_totals_by_kept_zeros_are_exact(choice: Choice, roll: int, keep: int) -> None:
    for beat in (None, -1, 0, 1, 9, 10, 19, 99) if choice == "mostZerosThatSucceed" else (None,):
        quantity = KeepPool(roll, keep, choice, beat)
        counted = Counter[tuple[int, int]]()
        for faces in product(range(10), repeat=roll):
            result = quantity.read(Listed(faces))
            counted[result.zeros, result.total] += 1
        rows = quantity.by_zeros()
        assert {(zeros, total): ways for zeros, row in enumerate(rows) for total, ways in enumerate(row) if ways} == counted


def test_zeros_cannot_be_counted_after_a_comparison() -> None:
    dice = EnumeratedDice((), [], {}, {}, lambda _: None)
    roll, other = dice.roll("actor", KeepPool(2, 1), "actor"), dice.roll("opponent", KeepPool(2, 1), "opponent")
    dice.compare(roll.total, other.total)
    with pytest.raises(NeedsJointDistribution):
        dice.value(roll.zeros)
