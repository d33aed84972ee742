"""Bounds on the branches of the odds: never too low, close enough, and refused before the first roll if too high."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall import engine
from tablecall.dice.enumeration import EnumeratedDice, explore
from tablecall.dice.roll import SuppliedFaces
from tablecall.model.refusals import TooLargeToCount, Unprocessable
from tablecall.systems import ACTIONS
from tests.systems.darkpages.playing import NYX, npc, nyx, pool

SUCCEED: dict[str, Any] = {"keep": "mostZerosThatSucceed"}
STRESS: dict[str, Any] = {"trauma": "stress"}
LARGE = pool(40, 20, archetype="W") | SUCCEED
LEARNERS = [pool(1, 1, archetype="W"), pool(1, 1, archetype="V")]
ONE, TWO, TWO_KEPT = npc(1, 1), pool(2, 1), npc(2, 2)
NEEDS_TARGET = pool(2, 1) | SUCCEED
"""Eleven totals change its choice: a Dismal 0, a Dramatic 0, and 1 to 9."""


def supplied(roll: str, *faces: int) -> dict[str, Any]:
    return {"roll": roll, "faces": list(faces)}


def followed_and_bound(action: str, request: dict[str, Any]) -> tuple[int, int]:
    """The number of branches the odds follow, and the bound the rule declares (1 if none)."""
    definition = ACTIONS[f"darkpages.{action}"][1]
    body = definition.body.model_validate(request)
    faces = {dice.roll: dice.faces for dice in body.dice}

    def rule(dice: EnumeratedDice) -> int:
        definition.rule(body, dice)
        return dice.declared

    branches = list(explore(rule, lambda name: SuppliedFaces(faces[name], "") if name in faces else None))
    return len(branches), branches[0].verdict


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        ("defend", {"attacker": npc(40, 20), "defender": LARGE, "ward": ONE} | STRESS),
        ("attack", {"attacker": LARGE, "defender": LARGE} | STRESS),
        ("defend", {"attacker": LARGE, "defender": npc(40, 20), "ward": LARGE, "reuseAttack": True} | STRESS),
        (
            "teamwork",
            {
                "members": [pool(40, 40, modifiers=["+20/12"]) | SUCCEED, *LEARNERS],
                "leader": 0,
                "opponent": pool(40, 40, modifiers=["+20/20"]),
            },
        ),
    ],
)
def test_too_many_branches_are_refused_before_the_first_roll(
    action: str, request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("rolled")

    system, definition = ACTIONS[f"darkpages.{action}"]
    body = definition.body.model_validate({**request_, "method": "exact"})
    assert engine.resolve(system, definition, body)["rolls"]
    monkeypatch.setattr(EnumeratedDice, "roll", never)
    with pytest.raises(TooLargeToCount):
        engine.odds(system, definition, body)


@pytest.mark.parametrize("resisting", [pool(3, 2) | SUCCEED, pool(3, 1) | SUCCEED, pool(3, 2), npc(3, 2)])
@pytest.mark.parametrize("defending", [pool(4, 2), pool(4, 2) | SUCCEED, pool(3, 1) | SUCCEED])
@pytest.mark.parametrize("attacking", [pool(4, 2), pool(4, 3) | SUCCEED])
@pytest.mark.parametrize("rolled", ["attacker", "defender", ""])
def test_bound_is_never_too_low(attacking: dict[str, Any], defending: dict[str, Any], resisting: dict[str, Any], rolled: str) -> None:
    request = {"attacker": attacking, "defender": defending} | STRESS
    if rolled:
        request["dice"] = [supplied(rolled, *[3, 0, 2, 4][: request[rolled]["pool"]["roll"]])]
    for action, more in (("attack", {}), ("defend", {"ward": resisting}), ("defend", {"ward": resisting, "reuseAttack": True})):
        for keep in ({}, {"damageKeep": "mostZerosThatSucceed"}):
            branches, bound = followed_and_bound(action, request | more | keep)
            assert bound == 1 or branches <= bound
            assert bound > 1 or "keep" not in attacking
            assert branches < 2_000 or bound < branches * 1.3


@pytest.mark.parametrize("opponent", [npc(6, 4), pool(6, 4) | SUCCEED, ONE])
@pytest.mark.parametrize("leader", [pool(7, 3) | SUCCEED, pool(7, 3)])
def test_bound_with_zeros_counted_one_by_one_is_never_too_low(leader: dict[str, Any], opponent: dict[str, Any]) -> None:
    branches, bound = followed_and_bound("teamwork", {"members": [leader, *LEARNERS], "leader": 0, "opponent": opponent})
    assert (bound == 1) == ("keep" not in leader and "keep" not in opponent)
    assert bound == 1 or branches <= bound


RESIST_SUCCEED = {"damageKeep": "mostZerosThatSucceed"}
REUSE = {"reuseAttack": True}


@pytest.mark.parametrize(
    ("attacker", "defender", "more", "expected"),
    [
        # Four results for each total faced; the last is a damage check with five.
        (NEEDS_TARGET, ONE, {}, 11 * (3 + 5)),
        (pool(3, 2) | SUCCEED, ONE, {}, 11 * (3 + 5)),
        (NEEDS_TARGET, TWO_KEPT, {}, 11 * (3 + 5)),
        (NEEDS_TARGET, ONE, {"dice": [supplied("defender", 4)]}, 3 + 5),
        # The damage check needs the total too: four results for each total between the one faced and 9.
        (NEEDS_TARGET, TWO, RESIST_SUCCEED, 11 * 3 + 4 * (9 + sum(range(10)) + 1)),
        (NEEDS_TARGET, TWO, RESIST_SUCCEED | {"dice": [supplied("attacker", 4, 0)]}, 11 * (3 + 4)),
        (NEEDS_TARGET, TWO, RESIST_SUCCEED | {"dice": [supplied("defender", 4, 0)]}, 3 + 4 * 9),
        (NEEDS_TARGET, pool(1, 1), RESIST_SUCCEED, 11 * (3 + 5)),
        # Nobody needs a total in the first check.
        (TWO, NEEDS_TARGET, {}, 1),
    ],
)
def test_bound_of_an_attack_by_hand(attacker: dict[str, Any], defender: dict[str, Any], more: dict[str, Any], expected: int) -> None:
    assert followed_and_bound("attack", {"attacker": attacker, "defender": defender} | STRESS | more)[1] == expected


@pytest.mark.parametrize(
    ("attacker", "defender", "ward", "more", "expected"),
    [
        # The defender needs the total: one success, two failures, then a second attack that fails in two ways or has any total.
        (ONE, NEEDS_TARGET, ONE, {}, 11 * (1 + 2 * 5 + 2 * 4 + 4 * 9)),
        (ONE, NEEDS_TARGET, ONE, REUSE, 11 * (1 + 2 * 5 + 4)),
        (TWO_KEPT, NEEDS_TARGET, ONE, {}, 11 * (1 + 2 * 5 + 2 * 4 + 4 * 9) + 2 * 5),
        (TWO_KEPT, NEEDS_TARGET, ONE, {"damageKeepDice": [0]}, 11 * (1 + 2 * 5 + 3 * 5) + 2 * 5),
        (TWO_KEPT, NEEDS_TARGET, NEEDS_TARGET, {}, 11 * (1 + 2 * 4 + 2 * 4 + 4 * 9) + 2 * 4),
        (TWO_KEPT, NEEDS_TARGET, NEEDS_TARGET | {"modifiers": ["+1/1"]}, {}, 11 * (1 + 2 * 4 + 2 * 4 + 4 * 9) + 2 * 4 * 9),
        (TWO_KEPT, NEEDS_TARGET, ONE, {"dice": [supplied("attacker.second", 4, 0)]}, 11 * (1 + 2 * 5 + 2 * 4 + 4) + 2 * 5),
        # The attacker needs the total: success, Dismal, lower or equal.
        (NEEDS_TARGET, TWO_KEPT, ONE, {}, 11 * (2 * 3 * 5 + 1 + 5)),
        (NEEDS_TARGET, TWO_KEPT, ONE, REUSE, 11 * (2 * 5 + 1 + 5)),
        (NEEDS_TARGET, TWO_KEPT, NEEDS_TARGET, REUSE, 11 * (2 * 5 + 1) + 4 * (9 + sum(range(10)) + 1)),
        (NEEDS_TARGET, NEEDS_TARGET, TWO_KEPT, REUSE, 11 * (4 + 1 + 5) + 4 * (2 + sum(range(10)))),
        (NEEDS_TARGET, NEEDS_TARGET, TWO_KEPT, REUSE | {"dice": [supplied("ward", 4, 4)]}, 4 + 4 * 9 + 1 + 5),
        (NEEDS_TARGET, NEEDS_TARGET, TWO_KEPT, REUSE | {"dice": [supplied("attacker", 4, 0)]}, 11 * (2 * 4 + 1 + 5)),
        # Nobody needs a total in the first check.
        (TWO, TWO, NEEDS_TARGET, {}, 1),
    ],
)
def test_bound_of_a_defence_by_hand(
    attacker: dict[str, Any], defender: dict[str, Any], ward: dict[str, Any], more: dict[str, Any], expected: int
) -> None:
    request = {"attacker": attacker, "defender": defender, "ward": ward} | STRESS | more
    assert followed_and_bound("defend", request)[1] == expected


@pytest.mark.parametrize(
    ("leader", "opponent", "expected"),
    [
        # Up to three zeros are kept. The other dice succeed, only equal the total, or fail.
        (pool(4, 1) | SUCCEED, ONE, 2 * 12 + 8 * 12 + 11),
        (pool(4, 1), NEEDS_TARGET, 2 * (2 + 4 * 4) + 9 * (2 + 4 * 3)),
        (pool(4, 1), pool(3, 2) | SUCCEED, 2 * 18 + 9 * 14 + 9 * 10),
        (pool(4, 1), TWO, 1),
    ],
)
def test_bound_of_teamwork_by_hand(leader: dict[str, Any], opponent: dict[str, Any], expected: int) -> None:
    assert followed_and_bound("teamwork", {"members": [leader, *LEARNERS], "leader": 0, "opponent": opponent})[1] == expected


def test_check_whose_zeros_teach_one_archetype_declares_no_bound() -> None:
    request = {"actor": NEEDS_TARGET | {"archetype": "W"}, "opponent": NEEDS_TARGET | {"archetype": "V"}}
    assert followed_and_bound("check", request)[1] == 1


def test_supplied_dice_leave_few_branches() -> None:
    request = {"attacker": npc(40, 20), "defender": LARGE, "ward": ONE} | STRESS
    dice = [supplied("attacker", *[5] * 40)]
    branches, bound = followed_and_bound("defend", request | {"dice": dice})
    assert 500 < branches <= bound < 1_000
    dice.append(supplied("attacker.second", *[5] * 40))
    branches, bound = followed_and_bound("defend", request | {"dice": dice})
    assert branches <= bound < 50


@pytest.mark.parametrize(("action", "harmed"), [("attack", "defender"), ("defend", "defender"), ("defend", "ward")])
def test_damage_check_with_too_many_dice_is_refused_at_its_roller(action: str, harmed: str) -> None:
    """darkpages.modifiers.sum"""
    strong = nyx(attributes=NYX["attributes"] | {"body": {"roll": 40, "keep": 1}})
    request = {"attacker": NEEDS_TARGET, "defender": TWO, "trauma": "injury"} | ({"ward": TWO} if action == "defend" else {})
    request[harmed] = {"character": strong, "attribute": "soul", "modifiers": ["+21/0"]} | SUCCEED
    system, definition = ACTIONS[f"darkpages.{action}"]
    with pytest.raises(Unprocessable) as refused:
        engine.odds(system, definition, definition.body.model_validate(request))
    assert refused.value.findings[0].pointer == f"/{harmed}"


@pytest.mark.parametrize("keep", [{}, {"keep": "mostZeros"}, SUCCEED])
def test_positions_for_an_impossible_damage_check_are_not_validated(keep: dict[str, Any]) -> None:
    """darkpages.dice.choice"""
    dice = [supplied("attacker", 0, 1), supplied("defender", 9, 9)]
    request = {"attacker": NEEDS_TARGET, "defender": TWO | keep, "damageKeepDice": [0, 1, 7], "dice": dice} | STRESS
    system, definition = ACTIONS["darkpages.attack"]
    odds = engine.odds(system, definition, definition.body.model_validate(request))
    assert [(row["outcome"], row["fraction"]) for row in odds["outcomes"]] == [("failed", "1")]
