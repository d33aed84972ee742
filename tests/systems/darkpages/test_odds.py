"""The odds of every darkpages action equal a count of every ordered fall of its dice, driven through the same rule."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tablecall import engine
from tablecall.dice.conditional import NeedsJointDistribution
from tablecall.dice.enumeration import EnumeratedDice, explore
from tablecall.dice.keep import Choice, KeepPool
from tablecall.dice.roll import SuppliedFaces
from tablecall.model.refusals import TooLargeToCount, Unprocessable
from tablecall.systems import ACTIONS
from tests.systems.darkpages.playing import NYX, npc, nyx, pool
from tests.systems.playing import Listed, every_fall

EAGER: dict[str, Any] = {"keep": "mostZerosThatSucceed"}
GREEDY: dict[str, Any] = {"keep": "mostZeros"}
SMALL = {"body": {"roll": 1, "keep": 1}, "mind": {"roll": 2, "keep": 1}, "soul": {"roll": 1, "keep": 1}}


def naive(action: str, request: dict[str, Any]) -> tuple[dict[str, Fraction], dict[str, float]]:
    _, found = ACTIONS[f"darkpages.{action}"]
    body = found.body.model_validate(request)
    held = {dice.roll: tuple(dice.faces) for dice in body.dice}
    outcomes, expected = Counter[str](), Counter[str]()
    for chance, verdict in every_fall(lambda dice: found.rule(body, dice), range(10), held):
        outcomes[verdict.outcome] += chance  # type: ignore[assignment]
        for change in verdict.changes:
            expected[f"{change.on}.{change.stat}"] += chance * (change.change or 0)  # type: ignore[assignment]
    return dict(outcomes), {stat: float(mean) for stat, mean in expected.items()}  # type: ignore[arg-type]


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    f"check {choice or 'highest'} {roll}k{keep} {target}": (
        "check",
        {"actor": pool(roll, keep, archetype="Warrior", **({"keep": choice} if choice else {})), "targetNumber": target},
    )
    for roll, keep, target in ((1, 1, 1), (2, 1, 5), (3, 2, 9), (3, 3, 14), (3, 2, 30))
    for choice in (None, "mostZeros", "mostZerosThatSucceed")
} | {
    "check keepDice": ("check", {"actor": pool(3, 2, archetype="W", keepDice=[2, 0]), "targetNumber": 9}),
    "check floor zero": ("check", {"actor": pool(2, 1, modifiers=["-0/1"]), "targetNumber": 1, "floor": "zero"}),
    "opposed": ("check", {"actor": pool(2, 1, archetype="W"), "opponent": pool(2, 2, archetype="W")}),
    "opposed, the actor waits": ("check", {"actor": pool(2, 1, archetype="W") | EAGER, "opponent": npc(2, 1)}),
    "opposed, the opponent waits": ("check", {"actor": pool(2, 1) | GREEDY, "opponent": pool(2, 2, archetype="W") | EAGER}),
    "opposed, both wait": ("check", {"actor": pool(2, 1, archetype="W") | EAGER, "opponent": pool(2, 1, archetype="V") | EAGER}),
    "opposed, no dice": ("check", {"actor": npc(1, 1), "opponent": pool(1, 1, modifiers=["-0/1"]), "floor": "zero"}),
    "damage": ("damage", {"target": {"character": nyx(attributes=SMALL)}, "trauma": "stress", "against": 5}),
    "damage risked": ("damage", {"target": {"character": NYX}, "trauma": "corruption", "against": 12, "onHarm": "risk"}),
    "damage by number": ("damage", {"target": pool(3, 2, archetype="W") | EAGER, "trauma": "stress", "against": 9, "opposed": False}),
    "damage by no number, eager": (
        "damage",
        {"target": pool(3, 2, archetype="W") | EAGER, "trauma": "stress", "against": 0, "opposed": False},
    ),
    "damage eager": ("damage", {"target": pool(3, 2, archetype="W") | EAGER, "trauma": "stress", "against": 9, "damageTie": "harm"}),
    "attack": ("attack", {"attacker": pool(1, 1, archetype="V"), "defender": pool(1, 1, archetype="W"), "trauma": "injury"}),
    "attack on a sheet": (
        "attack",
        {
            "attacker": npc(1, 1),
            "defender": {"character": nyx(attributes=SMALL, damage={"health": "damaged"})},
            "trauma": "injury",
            "resistWith": "mind",
            "onHarm": "risk",
        },
    ),
    "attack, the attacker waits": ("attack", {"attacker": pool(2, 1, archetype="V") | EAGER, "defender": npc(1, 1), "trauma": "stress"}),
    "attack, the defender waits": (
        "attack",
        {
            "attacker": npc(2, 1),
            "defender": pool(2, 1, archetype="W") | EAGER,
            "trauma": "stress",
            "dice": [{"roll": "defender", "faces": [0, 2]}],
        },
    ),
    "attack, zeros in the damage check": (
        "attack",
        {
            "attacker": pool(2, 1),
            "defender": pool(2, 1, archetype="W"),
            "trauma": "stress",
            "damageKeep": "mostZeros",
            "damageTie": "harm",
            "dice": [{"roll": "defender", "faces": [0, 0]}],
        },
    ),
    "attack, resisted with another attribute": (
        "attack",
        {
            "attacker": npc(1, 1),
            "defender": {"character": nyx(attributes=SMALL), "attribute": "body"},
            "trauma": "injury",
            "resistWith": "mind",
        },
    ),
    "attack, totals beyond the waiting one's are alike": (
        "attack",
        {
            "attacker": pool(2, 2),
            "defender": pool(2, 1, archetype="W") | EAGER,
            "trauma": "stress",
            "dice": [{"roll": "defender", "faces": [0, 3]}],
        },
    ),
    "attack, both wait": (
        "attack",
        {"attacker": pool(2, 1, archetype="V") | EAGER, "defender": pool(1, 1, archetype="W") | EAGER, "trauma": "stress"},
    ),
    "teamwork alike": ("teamwork", {"members": [pool(3, 1), pool(1, 1, archetype="W"), pool(1, 1, archetype="W")], "targetNumber": 9}),
    "teamwork in turn": ("teamwork", {"members": [pool(3, 1), pool(1, 1, archetype="W"), pool(1, 1, archetype="V")], "targetNumber": 9}),
    "teamwork in turn, zeros kept": (
        "teamwork",
        {
            "members": [pool(3, 1) | GREEDY, pool(1, 1, archetype="W"), pool(1, 1, archetype="V")],
            "opponent": pool(1, 1, archetype="V"),
            "leader": 0,
        },
    ),
    "teamwork awarded": (
        "teamwork",
        {
            "members": [pool(4, 2) | EAGER, pool(1, 1, archetype="W"), pool(1, 1, archetype="V"), pool(1, 1)],
            "awards": [2, 2, 1],
            "targetNumber": 12,
        },
    ),
    "teamwork, these very dice": (
        "teamwork",
        {"members": [pool(4, 1, keepDice=[3, 1, 0]), pool(1, 1, archetype="W"), pool(1, 1, archetype="V")], "targetNumber": 9},
    ),
    "teamwork against one who waits": (
        "teamwork",
        {"members": [pool(2, 1), pool(1, 1, archetype="W"), pool(1, 1, archetype="V")], "opponent": pool(2, 1, archetype="V") | EAGER},
    ),
    "teamwork that waits": (
        "teamwork",
        {"members": [pool(2, 1) | EAGER, pool(1, 1, archetype="W"), pool(1, 1, archetype="V")], "opponent": npc(1, 1)},
    ),
    "defend": ("defend", {"attacker": npc(1, 1), "defender": pool(1, 1, archetype="W"), "ward": npc(1, 1), "trauma": "stress"}),
    "defend, the ward rolls": (
        "defend",
        {
            "attacker": pool(1, 1, archetype="V"),
            "defender": pool(1, 1, archetype="W"),
            "ward": pool(2, 1, archetype="B"),
            "trauma": "stress",
            "onHarm": "risk",
            "dice": [{"roll": "attacker", "faces": [5]}],
        },
    ),
    "defend, the first attack stands": (
        "defend",
        {
            "attacker": pool(1, 1, archetype="V"),
            "defender": pool(2, 1, archetype="W"),
            "ward": npc(1, 1),
            "trauma": "stress",
            "reuseAttack": True,
            "dice": [{"roll": "defender", "faces": [0, 7]}],
        },
    ),
    "defend, the defender waits": (
        "defend",
        {
            "attacker": npc(1, 1),
            "defender": pool(2, 1, archetype="W") | EAGER,
            "ward": npc(1, 1),
            "trauma": "stress",
            "reuseAttack": True,
            "dice": [{"roll": "defender", "faces": [6, 0]}],
        },
    ),
    "defend, the attacker keeps zeros": (
        "defend",
        {
            "attacker": pool(2, 1, archetype="V") | GREEDY,
            "defender": npc(1, 1),
            "ward": npc(1, 1),
            "trauma": "stress",
            "damageTie": "harm",
            "dice": [{"roll": "defender", "faces": [8]}, {"roll": "attacker", "faces": [5, 3]}],
        },
    ),
    "defend, the attacker waits": (
        "defend",
        {
            "attacker": pool(2, 1, archetype="V") | EAGER,
            "defender": pool(2, 1, archetype="W"),
            "ward": npc(1, 1),
            "trauma": "stress",
            "dice": [{"roll": "defender", "faces": [5, 0]}],
            "reuseAttack": True,
        },
    ),
    "swarm highest": ("swarm", {"members": [pool(2, 1), npc(1, 1)], "use": "highest", "targetNumber": 6}),
    "swarm lowest": ("swarm", {"members": [pool(2, 1) | GREEDY, npc(1, 1)], "use": "lowest", "targetNumber": 3}),
    "swarm opposed": ("swarm", {"members": [npc(1, 1), npc(1, 1)], "use": "lowest", "opponent": pool(1, 1, archetype="W")}),
    "swarm lowest, zeros kept": ("swarm", {"members": [pool(2, 1) | GREEDY, pool(2, 1) | GREEDY], "use": "lowest", "targetNumber": 3}),
    "swarm highest, zeros kept": ("swarm", {"members": [pool(2, 1) | GREEDY, pool(2, 1) | GREEDY], "use": "highest", "targetNumber": 3}),
    "swarm highest, zeros kept, opposed": (
        "swarm",
        {"members": [pool(2, 1) | GREEDY, pool(1, 1) | GREEDY], "use": "highest", "opponent": pool(1, 1, archetype="W")},
    ),
    "swarm lowest, no dice": (
        "swarm",
        {"members": [pool(1, 1, modifiers=["-0/1"]), npc(1, 1)], "use": "lowest", "opponent": npc(1, 1), "floor": "zero"},
    ),
    "swarm highest, no dice": (
        "swarm",
        {"members": [pool(1, 1, modifiers=["-0/1"]), npc(1, 1)], "use": "highest", "opponent": npc(1, 1), "floor": "zero"},
    ),
    "swarm against one who waits": ("swarm", {"members": [npc(1, 1)] * 2, "use": "highest", "opponent": pool(2, 1, archetype="W") | EAGER}),
    "no mercy": (
        "noMercy",
        {"attacker": npc(2, 1), "victim": nyx(defeated=True), "trauma": "injury", "rescuer": pool(2, 1, archetype="W")},
    ),
    "no mercy, no rescuer": ("noMercy", {"attacker": npc(2, 1), "victim": nyx(defeated=True), "trauma": "injury"}),
}


@pytest.mark.parametrize(("action", "request_"), list(CASES.values()), ids=list(CASES))
def test_the_odds_are_a_count_of_every_fall(action: str, request_: dict[str, Any]) -> None:
    system, found = ACTIONS[f"darkpages.{action}"]
    odds = engine.odds(system, found, found.body.model_validate(request_))
    outcomes, expected = naive(action, request_)
    assert {row["outcome"]: Fraction(row["fraction"]) for row in odds["outcomes"]} == outcomes
    assert {stat: mean for stat, mean in odds["expected"].items() if mean} == pytest.approx(
        {stat: mean for stat, mean in expected.items() if mean}
    )


LARGE = pool(40, 20, archetype="W") | EAGER
CROWD = [pool(1, 1, archetype="W"), pool(1, 1, archetype="V")]
TOO_LARGE: dict[str, tuple[str, dict[str, Any]]] = {
    "a waiting defender, and a fresh second attack": ("defend", {"attacker": npc(40, 20), "defender": LARGE, "ward": npc(1, 1)}),
    "a waiting attacker of one who waits": ("attack", {"attacker": LARGE, "defender": LARGE}),
    "a waiting attacker, and a first attack that stands": (
        "defend",
        {"attacker": LARGE, "defender": npc(40, 20), "ward": LARGE, "reuseAttack": True},
    ),
    "zeros that teach different Archetypes": (
        "teamwork",
        {"members": [pool(40, 40, modifiers=["+20/12"]) | EAGER, *CROWD], "leader": 0, "opponent": pool(40, 40, modifiers=["+20/20"])},
    ),
}


def followed(action: str, request: dict[str, Any]) -> tuple[int, int]:
    """How many ways are followed, and how many were foreseen."""
    _, found = ACTIONS[f"darkpages.{action}"]
    body = found.body.model_validate(request)
    held = {dice.roll: dice.faces for dice in body.dice}

    def declared(dice: EnumeratedDice) -> int:
        found.rule(body, dice)
        return dice.declared

    ways = list(explore(declared, lambda name: SuppliedFaces(held[name], "") if name in held else None))
    return len(ways), ways[0].verdict


@pytest.mark.parametrize(("action", "request_"), list(TOO_LARGE.values()), ids=list(TOO_LARGE))
def test_too_many_ways_are_refused_before_the_first_roll(action: str, request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    system, found = ACTIONS[f"darkpages.{action}"]
    more = {} if action == "teamwork" else {"trauma": "stress"}

    def never(*_: object, **__: object) -> None:
        raise AssertionError("rolled")

    body = found.body.model_validate(request_ | more)
    assert engine.resolve(system, found, body)["rolls"]
    monkeypatch.setattr(EnumeratedDice, "roll", never)
    with pytest.raises(TooLargeToCount):
        engine.odds(system, found, body)


@pytest.mark.parametrize("resisting", [pool(3, 2) | EAGER, pool(3, 1) | EAGER, pool(3, 2), npc(3, 2)])
@pytest.mark.parametrize("defending", [pool(4, 2), pool(4, 2) | EAGER, pool(3, 1) | EAGER])
@pytest.mark.parametrize("attacking", [pool(4, 2), pool(4, 3) | EAGER])
@pytest.mark.parametrize("held", ["attacker", "defender", ""])
def test_never_fewer_ways_are_foreseen_than_followed(
    attacking: dict[str, Any], defending: dict[str, Any], resisting: dict[str, Any], held: str
) -> None:
    body: dict[str, Any] = {"attacker": attacking, "defender": defending, "trauma": "stress"}
    if held:
        body["dice"] = [{"roll": held, "faces": [3, 0, 2, 4][: body[held]["pool"]["roll"]]}]
    for action, more in (("attack", {}), ("defend", {"ward": resisting}), ("defend", {"ward": resisting, "reuseAttack": True})):
        for keep in ({}, {"damageKeep": "mostZerosThatSucceed"}):
            ways, foreseen = followed(action, body | more | keep)
            assert foreseen == 1 or ways <= foreseen
            assert foreseen > 1 or "keep" not in attacking
            assert ways < 2_000 or foreseen < ways * 1.3


WAITING = pool(2, 1) | EAGER
"""Faces totals of 0 to 9, which 0 a Dismal and 0 a Dramatic Failure go before: eleven in all."""
RESISTING = {"damageKeep": "mostZerosThatSucceed"}


@pytest.mark.parametrize(
    ("action", "more", "ways"),
    [
        # Four ways for each total faced, the last of them a damage check with five.
        ("attack", {"attacker": WAITING, "defender": npc(1, 1)}, 11 * (3 + 5)),
        ("attack", {"attacker": pool(3, 2) | EAGER, "defender": npc(1, 1)}, 11 * (3 + 5)),
        ("attack", {"attacker": WAITING, "defender": npc(2, 2)}, 11 * (3 + 5)),
        ("attack", {"attacker": WAITING, "defender": npc(1, 1), "dice": [{"roll": "defender", "faces": [4]}]}, 3 + 5),
        # The damage check waits as well: four ways for each total between what was faced and 9.
        ("attack", {"attacker": WAITING, "defender": pool(2, 1)} | RESISTING, 11 * 3 + 4 * (9 + sum(range(10)) + 1)),
        (
            "attack",
            {"attacker": WAITING, "defender": pool(2, 1), "dice": [{"roll": "attacker", "faces": [4, 0]}]} | RESISTING,
            11 * (3 + 4),
        ),
        (
            "attack",
            {"attacker": WAITING, "defender": pool(2, 1), "dice": [{"roll": "defender", "faces": [4, 0]}]} | RESISTING,
            3 + 4 * 9,
        ),
        ("attack", {"attacker": WAITING, "defender": pool(1, 1)} | RESISTING, 11 * (3 + 5)),
        # Waits in the first check, fails in two ways, then meets a second attack: no success in two ways, else of any total.
        ("defend", {"attacker": npc(1, 1), "defender": WAITING, "ward": npc(1, 1)}, 11 * (1 + 2 * 5 + 2 * 4 + 4 * 9)),
        ("defend", {"attacker": npc(1, 1), "defender": WAITING, "ward": npc(1, 1), "reuseAttack": True}, 11 * (1 + 2 * 5 + 4)),
        ("defend", {"attacker": npc(2, 2), "defender": WAITING, "ward": npc(1, 1)}, 11 * (1 + 2 * 5 + 2 * 4 + 4 * 9) + 2 * 5),
        (
            "defend",
            {"attacker": npc(2, 2), "defender": WAITING, "ward": npc(1, 1), "damageKeepDice": [0]},
            11 * (1 + 2 * 5 + 3 * 5) + 2 * 5,
        ),
        ("defend", {"attacker": npc(2, 2), "defender": WAITING, "ward": WAITING}, 11 * (1 + 2 * 4 + 2 * 4 + 4 * 9) + 2 * 4),
        (
            "defend",
            {"attacker": npc(2, 2), "defender": WAITING, "ward": WAITING | {"modifiers": ["+1/1"]}},
            11 * (1 + 2 * 4 + 2 * 4 + 4 * 9) + 2 * 4 * 9,
        ),
        (
            "defend",
            {"attacker": npc(2, 2), "defender": WAITING, "ward": npc(1, 1), "dice": [{"roll": "attacker.second", "faces": [4, 0]}]},
            11 * (1 + 2 * 5 + 2 * 4 + 4) + 2 * 5,
        ),
        # The attacker waits: enough or not, what is not enough being dismal or lower.
        ("defend", {"attacker": WAITING, "defender": npc(2, 2), "ward": npc(1, 1)}, 11 * (2 * 3 * 5 + 1 + 5)),
        ("defend", {"attacker": WAITING, "defender": npc(2, 2), "ward": npc(1, 1), "reuseAttack": True}, 11 * (2 * 5 + 1 + 5)),
        (
            "defend",
            {"attacker": WAITING, "defender": npc(2, 2), "ward": WAITING, "reuseAttack": True},
            11 * (2 * 5 + 1) + 4 * (9 + sum(range(10)) + 1),
        ),
        (
            "defend",
            {"attacker": WAITING, "defender": WAITING, "ward": npc(2, 2), "reuseAttack": True},
            11 * (4 + 1 + 5) + 4 * (2 + sum(range(10))),
        ),
        (
            "defend",
            {"attacker": WAITING, "defender": WAITING, "ward": npc(2, 2), "reuseAttack": True, "dice": [{"roll": "ward", "faces": [4, 4]}]},
            4 + 4 * 9 + 1 + 5,
        ),
        (
            "defend",
            {
                "attacker": WAITING,
                "defender": WAITING,
                "ward": npc(2, 2),
                "reuseAttack": True,
                "dice": [{"roll": "attacker", "faces": [4, 0]}],
            },
            11 * (2 * 4 + 1 + 5),
        ),
        # Three zeros may be kept of 27: what is left reaches a total, or only equals it, or not.
        ("teamwork", {"members": [pool(4, 1) | EAGER, *CROWD], "leader": 0, "opponent": npc(1, 1)}, 2 * 12 + 8 * 12 + 11),
        ("teamwork", {"members": [pool(4, 1), *CROWD], "leader": 0, "opponent": WAITING}, 2 * (2 + 4 * 4) + 9 * (2 + 4 * 3)),
        ("teamwork", {"members": [pool(4, 1), *CROWD], "leader": 0, "opponent": pool(3, 2) | EAGER}, 2 * 18 + 9 * 14 + 9 * 10),
        ("teamwork", {"members": [pool(4, 1), *CROWD], "leader": 0, "opponent": pool(2, 1)}, 1),
        # What does not wait, or teaches one Archetype alone, has nothing to foresee.
        ("attack", {"attacker": pool(2, 1), "defender": WAITING}, 1),
        ("defend", {"attacker": pool(2, 1), "defender": pool(2, 1), "ward": WAITING}, 1),
        ("check", {"actor": WAITING | {"archetype": "W"}, "opponent": WAITING | {"archetype": "V"}}, 1),
    ],
)
def test_the_ways_are_foreseen_as_by_hand(action: str, more: dict[str, Any], ways: int) -> None:
    harm = {"trauma": "stress"} if action in ("attack", "defend") else {}
    assert followed(action, more | harm)[1] == ways


@pytest.mark.parametrize("eager", [{"opponent": npc(6, 4)}, {"opponent": pool(6, 4) | EAGER}, {"opponent": npc(1, 1)}])
@pytest.mark.parametrize("leader", [pool(7, 3) | EAGER, pool(7, 3)])
def test_nor_where_zeros_are_told_apart(leader: dict[str, Any], eager: dict[str, Any]) -> None:
    ways, foreseen = followed("teamwork", {"members": [leader, *CROWD], "leader": 0} | eager)
    assert (foreseen == 1) == ("keep" not in leader and "keep" not in eager["opponent"])
    assert foreseen == 1 or ways <= foreseen


def test_dice_on_the_table_leave_little_to_follow() -> None:
    body = {"attacker": npc(40, 20), "defender": LARGE, "ward": npc(1, 1), "trauma": "stress"}
    held = [{"roll": "attacker", "faces": [5] * 40}]
    ways, foreseen = followed("defend", body | {"dice": held})
    assert 500 < ways <= foreseen < 1_000
    held.append({"roll": "attacker.second", "faces": [5] * 40})
    ways, foreseen = followed("defend", body | {"dice": held, "defender": LARGE})
    assert ways <= foreseen < 50


@pytest.mark.parametrize("choice", ["highest", "mostZeros", "mostZerosThatSucceed"])
@pytest.mark.parametrize(("roll", "keep"), [(0, 0), (1, 1), (3, 1), (3, 2), (3, 5), (4, 3)])
def test_kept_zeros_are_told_apart_exactly(choice: Choice, roll: int, keep: int) -> None:
    for beat in (None, -1, 0, 1, 9, 10, 19, 99) if choice == "mostZerosThatSucceed" else (None,):
        quantity = KeepPool(roll, keep, choice, beat)
        counted = Counter[tuple[int, int]]()
        for faces in product(range(10), repeat=roll):
            fall = quantity.read(Listed(faces))
            counted[fall.zeros, fall.total] += 1
        rows = quantity.by_zeros()
        assert {(zeros, total): ways for zeros, row in enumerate(rows) for total, ways in enumerate(row) if ways} == counted


def test_kept_zeros_are_counted_before_the_roll_is_compared_with_another() -> None:
    dice = EnumeratedDice((), [], {}, {}, lambda _: None)
    roll, other = dice.roll("actor", KeepPool(2, 1), "actor"), dice.roll("opponent", KeepPool(2, 1), "opponent")
    dice.compare(roll.total, other.total)
    with pytest.raises(NeedsJointDistribution):
        dice.count_zeros(roll)


def pointer_refused(action: str, request: dict[str, Any]) -> str:
    system, found = ACTIONS[f"darkpages.{action}"]
    with pytest.raises(Unprocessable) as refused:
        engine.odds(system, found, found.body.model_validate(request | {"trauma": "injury"}))
    return refused.value.findings[0].pointer


@pytest.mark.parametrize(("action", "harmed"), [("attack", "defender"), ("defend", "defender"), ("defend", "ward")])
def test_a_damage_check_of_too_many_dice_is_refused_at_its_roller(action: str, harmed: str) -> None:
    """darkpages.modifiers.sum"""
    strong = nyx(attributes=NYX["attributes"] | {"body": {"roll": 40, "keep": 1}})
    request = {"attacker": pool(2, 1) | EAGER, "defender": pool(2, 1)} | ({"ward": pool(2, 1)} if action == "defend" else {})
    request[harmed] = {"character": strong, "attribute": "soul", "modifiers": ["+21/0"]} | EAGER
    assert pointer_refused(action, request) == f"/{harmed}"


@pytest.mark.parametrize("keep", [{}, GREEDY, EAGER])
def test_dice_chosen_for_a_damage_check_that_cannot_come_are_not_looked_at(keep: dict[str, Any]) -> None:
    """darkpages.dice.choice"""
    held = [{"roll": "attacker", "faces": [0, 1]}, {"roll": "defender", "faces": [9, 9]}]
    request = {"attacker": pool(2, 1) | EAGER, "defender": pool(2, 1) | keep, "trauma": "stress", "damageKeepDice": [0, 1, 7]}
    system, found = ACTIONS["darkpages.attack"]
    odds = engine.odds(system, found, found.body.model_validate(request | {"dice": held}))
    assert [(row["outcome"], row["fraction"]) for row in odds["outcomes"]] == [("failed", "1")]
