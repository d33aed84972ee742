"""The odds of every Jazz action equal a count of every sequence of faces that its rule can ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall import engine
from tablecall.systems import ACTIONS, SYSTEMS
from tests.systems.jazz.playing import LUCKY, ROOK, THUG, WITCH, bewitching, combatant, driving, fractions, hurt
from tests.systems.playing import every_fall

FRAIL = hurt(1)
ONE_DIE = {"disadvantage": True}
PAIR = [{"id": "a", "name": "a"}, {"id": "b", "name": "b"}]
TRIO = [
    combatant(id_, side, {"character": sheet, **ONE_DIE}) for id_, side, sheet in (("a", "x", FRAIL), ("b", "y", THUG), ("c", "y", FRAIL))
]
IN_TURN = [{"ids": [id_]} for id_ in ("a", "b", "c")]
TOGETHER = [{"ids": ["b", "c"]}, {"ids": ["a"]}]
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "check": ("check", {"actor": {"bonus": 2}, "difficulty": 9}),
    "check with advantage": ("check", {"actor": {"advantage": True}, "difficulty": 12}),
    "check with re-rolls": ("check", {"actor": {"gear": {"reroll": [1]}}, "difficulty": 7}),
    "check with a die to spend": ("check", {"actor": driving(LUCKY, spend="karma"), "difficulty": 14}),
    "weird on success": ("check", {"actor": bewitching(), "difficulty": 9, "spendOn": "success"}),
    "healing": ("check", {"actor": bewitching(), "effect": "restoreHealth.half", "subject": hurt(0, out=True)}),
    "rescue": ("check", {"actor": driving(**ONE_DIE), "difficulty": 10, "rescue": True}),
    "rescue by rolling again": ("check", {"actor": driving(**ONE_DIE), "difficulty": 9, "rescue": True, "rescueBy": "rollAgain"}),
    "contest": ("check", {"actor": {"bonus": 1}, "opponent": ONE_DIE, "ties": "stalemate"}),
    "rescue in a contest": ("check", {"actor": ONE_DIE, "opponent": ONE_DIE, "rescue": True, "difficultyIncrease": 1}),
    "teamwork": ("teamwork", {"members": [ONE_DIE, {"bonus": 1}], "difficulty": 9}),
    "teamwork against an opponent": ("teamwork", {"members": [ONE_DIE, ONE_DIE], "opponent": {"bonus": 1}, "ties": "opponent"}),
    "teamwork, weird on success": ("teamwork", {"members": [bewitching(**ONE_DIE), ONE_DIE], "difficulty": 7, "spendOn": "success"}),
    "attack": ("attack", {"attackers": [{"bonus": 2}], "defender": {"character": FRAIL, "using": [WITCH]}}),
    "attack of a team": ("attack", {"attackers": [ONE_DIE, ONE_DIE], "defender": {"character": THUG}}),
    "attack on a team": ("attack", {"attackers": [ONE_DIE], "defender": ONE_DIE, "teamDefence": [{"bonus": 1, **ONE_DIE}]}),
    "improve": ("improve", {"character": ROOK, "aspect": WITCH, "fictionLevel": "heroic"}),
    "learn": ("learn", {"character": THUG, "aspect": {"name": "seer", "weird": True}, "fictionLevel": "heroic"}),
    "karma": ("karma", {"character": ROOK, "grant": "negative"}),
    "initiative, listed": ("initiative", {"combatants": PAIR, "ties": "listed"}),
    "initiative, at the same time": ("initiative", {"combatants": PAIR, "ties": "simultaneous"}),
    "latecomer": ("initiative", {"combatants": PAIR, "order": [{"ids": ["a"], "total": 7}], "joining": ["b"], "ties": "simultaneous"}),
    "turn": ("turn", {"combatants": TRIO, "order": IN_TURN, "turn": {"by": ["a"], "attack": ["b"]}}),
    "turn of a team": ("turn", {"combatants": TRIO, "order": TOGETHER, "turn": {"by": ["b", "c"], "attack": "a", "rescue": "c"}}),
    "opposed check in a turn": ("turn", {"combatants": TRIO, "order": IN_TURN, "turn": {"by": ["a"], "check": {"against": "c"}}}),
    "round": (
        "round",
        {
            "combatants": TRIO,
            "order": [{"ids": ["b"]}, {"ids": ["a"]}, {"ids": ["c"]}],
            "orders": [{"by": ["a"], "attack": "b"}, {"by": ["b", "c"], "attack": "a"}],
        },
    ),
    "round at the same time": (
        "round",
        {
            "combatants": TRIO,
            "order": [{"ids": ["a", "c"]}, {"ids": ["b"]}],
            "orders": [{"by": ["a"], "attack": "c"}, {"by": ["c"], "attack": "a"}],
        },
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_odds_equal_a_count_of_all_faces(name: str) -> None:
    tag, request = REQUESTS[name]
    system, action = ACTIONS[f"jazz.{tag}"]
    body = action.body.model_validate(request)
    outcomes: dict[str, Fraction] = {}
    expected: dict[str, Fraction] = {}
    for chance, verdict in every_fall(lambda dice: action.rule(body, dice), range(1, 7)):
        outcome = verdict.odds_outcome or verdict.outcome
        outcomes[outcome] = outcomes.get(outcome, Fraction()) + chance
        for change in verdict.changes:
            stat = f"{change.on}.{change.stat}"
            expected[stat] = expected.get(stat, Fraction()) + chance * (change.change or 0)
    assert sum(outcomes.values()) == 1
    odds = engine.odds(system, action, body)
    assert {row["outcome"]: Fraction(row["fraction"]) for row in odds["outcomes"]} == outcomes
    assert odds["expected"] == pytest.approx({stat: float(mean) for stat, mean in expected.items()})


def test_every_action_that_rolls_is_counted() -> None:
    """Fights are counted in test_fight.py; the last four actions roll nothing."""
    names = {action.name for action in SYSTEMS["jazz"].actions}
    assert {tag for tag, _ in REQUESTS.values()} == names - {"fight", "complication", "recovery", "fate", "character"}


def orders(fighters: list[tuple[bool, int]], ties: str) -> dict[str, Fraction]:
    """The chance of each order, from every set of totals. Re-rolled ties give every order equally often."""
    rolls = []
    for drop, bonus in fighters:
        dice = Counter(sum(faces) + bonus for faces in product(range(1, 7), repeat=2 + drop))
        rolls.append({total: Fraction(ways, dice.total()) for total, ways in dice.items()})
    chances: dict[str, Fraction] = {}
    for totals in product(*rolls):
        chance = prod((roll[total] for roll, total in zip(rolls, totals, strict=True)), start=Fraction(1))
        places = [[index for index, other in enumerate(totals) if other == total] for total in sorted(set(totals), reverse=True)]
        equally_likely: list[Sequence[Sequence[int]]] = [places]
        if ties == "listed":
            equally_likely = [[[index] for place in places for index in place]]
        elif ties == "rerollOff":
            equally_likely = [[[index] for index in sum(order, ())] for order in product(*map(permutations, places))]
        for order in equally_likely:
            outcome = ">".join("=".join(f"c{index}" for index in place) for place in order)
            chances[outcome] = chances.get(outcome, Fraction()) + chance / len(equally_likely)
    return chances


def initiative(fighters: list[tuple[bool, int]], ties: str) -> dict[str, Fraction]:
    """The odds of fighters with or without the drop, and with that bonus."""
    combatants = [{"id": f"c{n}", "name": "x", "drop": drop, "initiativeBonus": bonus} for n, (drop, bonus) in enumerate(fighters)]
    return {outcome: Fraction(part) for outcome, part in fractions("initiative", combatants=combatants, ties=ties).items()}


@given(
    fighters=st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=3),
    ties=st.sampled_from(["rerollOff", "listed", "simultaneous"]),
)
def test_initiative_equals_a_count_of_all_totals(fighters: list[tuple[bool, int]], ties: str) -> None:
    assert initiative(fighters, ties) == orders(fighters, ties)


@given(
    fighters=st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=6, max_size=6), ties=st.sampled_from(["rerollOff", "listed"])
)
def test_first_of_six_equals_a_slow_count(fighters: list[tuple[bool, int]], ties: str) -> None:
    """For each total of one fighter, how often each of the others is lower or equal."""
    counted = initiative(fighters, ties)
    rolls = [Counter(sum(faces) + bonus for faces in product(range(1, 7), repeat=2 + drop)) for drop, bonus in fighters]
    for index, roll in enumerate(rolls):
        others = [(other, number) for number, other in enumerate(rolls) if number != index]
        chance = Fraction()
        for total, ways in roll.items():
            for equal in product((False, True), repeat=len(others)):
                share = Fraction(ways, roll.total())
                for (other, _), same in zip(others, equal, strict=True):
                    lower = other[total] if same else sum(more for lesser, more in other.items() if lesser < total)
                    share *= Fraction(lower, other.total())
                if ties == "rerollOff":
                    chance += share / (1 + sum(equal))
                elif all(number > index for (_, number), same in zip(others, equal, strict=True) if same):
                    chance += share
        assert counted.get(f"c{index}", Fraction()) == chance


def test_equal_fighters_are_in_any_order_equally_often() -> None:
    every = (">".join(f"c{index}" for index in order) for order in permutations(range(3)))
    assert orders([(False, 0)] * 3, "rerollOff") == dict.fromkeys(every, Fraction(1, factorial(3)))
