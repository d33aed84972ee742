"""The odds of every Jazz action equal a count of every ordered fall of its dice, driven through the same rule."""

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
from tablecall.systems import ACTIONS
from tests.systems.jazz.playing import ROOK, THUG, WITCH, bewitching, driving, fractions, hurt, rook
from tests.systems.playing import every_fall

WEAK = {"character": hurt(1), "using": [WITCH]}
CURSED = {"disadvantage": True}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "check": ("check", {"actor": {"bonus": 2}, "difficulty": 9}),
    "check with advantage": ("check", {"actor": {"advantage": True}, "difficulty": 12}),
    "check, ones again": ("check", {"actor": {"gear": {"reroll": [1]}}, "difficulty": 7}),
    "check, a die to spend": ("check", {"actor": driving(rook(karma="positive"), spend="karma"), "difficulty": 14}),
    "check, weird on success": ("check", {"actor": bewitching(), "difficulty": 9, "spendOn": "success"}),
    "check, healing": ("check", {"actor": bewitching(), "effect": "restoreHealth.half", "subject": hurt(0, out=True)}),
    "check, a rescue": ("check", {"actor": driving(disadvantage=True), "difficulty": 10, "rescue": True}),
    "check, a rescue by rolling again": ("check", {"actor": driving(**CURSED), "difficulty": 9, "rescue": True, "rescueBy": "rollAgain"}),
    "contest": ("check", {"actor": {"bonus": 1}, "opponent": CURSED, "ties": "stalemate"}),
    "contest, a rescue": ("check", {"actor": CURSED, "opponent": CURSED, "rescue": True, "difficultyIncrease": 1}),
    "teamwork": ("teamwork", {"members": [CURSED, {"bonus": 1}], "difficulty": 9}),
    "teamwork against somebody": ("teamwork", {"members": [CURSED, CURSED], "opponent": {"bonus": 1}, "ties": "opponent"}),
    "teamwork, weird on success": ("teamwork", {"members": [bewitching(**CURSED), CURSED], "difficulty": 7, "spendOn": "success"}),
    "attack": ("attack", {"attackers": [{"bonus": 2}], "defender": WEAK}),
    "attack of a team": ("attack", {"attackers": [CURSED, CURSED], "defender": {"character": THUG}}),
    "attack on a team": ("attack", {"attackers": [CURSED], "defender": CURSED, "teamDefence": [{"bonus": 1, **CURSED}]}),
    "improve": ("improve", {"character": ROOK, "aspect": WITCH, "fictionLevel": "heroic"}),
    "learn": ("learn", {"character": THUG, "aspect": {"name": "seer", "weird": True}, "fictionLevel": "heroic"}),
    "karma": ("karma", {"character": ROOK, "grant": "negative"}),
    "initiative, listed": ("initiative", {"combatants": [{"id": one, "name": one} for one in "ab"], "ties": "listed"}),
    "initiative, at the same time": ("initiative", {"combatants": [{"id": one, "name": one} for one in "ab"], "ties": "simultaneous"}),
}


def side(one: str, on: str, sheet: dict[str, Any]) -> dict[str, Any]:
    return {"id": one, "side": on, "actor": {"character": sheet, **CURSED}}


FRAIL = hurt(1)
REQUESTS |= {
    "round": (
        "round",
        {
            "combatants": [side("a", "x", FRAIL), side("b", "y", THUG), side("c", "y", FRAIL)],
            "order": [["b"], ["a"], ["c"]],
            "orders": [{"by": ["a"], "attack": "b"}, {"by": ["b", "c"], "attack": "a"}],
        },
    ),
    "round at the same time": (
        "round",
        {
            "combatants": [side("a", "x", FRAIL), side("b", "y", THUG), side("c", "y", FRAIL)],
            "order": [["a", "c"], ["b"]],
            "orders": [{"by": ["a"], "attack": "c"}, {"by": ["c"], "attack": "a"}, {"by": ["b"], "attack": "a"}],
        },
    ),
}


def naive(action: str, request: dict[str, Any]) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    _, found = ACTIONS[f"jazz.{action}"]
    body = found.body.model_validate(request)
    outcomes: dict[str, Fraction] = {}
    expected: dict[str, Fraction] = {}
    for chance, verdict in every_fall(lambda dice: found.rule(body, dice), range(1, 7)):
        word = verdict.odds_outcome or verdict.outcome
        outcomes[word] = outcomes.get(word, Fraction()) + chance
        for change in verdict.changes:
            stat = f"{change.on}.{change.stat}"
            expected[stat] = expected.get(stat, Fraction()) + chance * (change.change or 0)
    return outcomes, expected


@pytest.mark.parametrize("name", REQUESTS)
def test_every_fall_counted(name: str) -> None:
    action, request = REQUESTS[name]
    outcomes, expected = naive(action, request)
    assert sum(outcomes.values()) == 1
    assert {word: Fraction(part) for word, part in fractions(action, **request).items()} == outcomes
    system, found = ACTIONS[f"jazz.{action}"]
    odds = engine.odds(system, found, found.body.model_validate(request))
    assert odds["expected"] == pytest.approx({stat: float(mean) for stat, mean in expected.items()})


def test_every_action_is_among_them_or_rolls_nothing() -> None:
    assert {action for action, _ in REQUESTS.values()} | {"complication", "recovery", "character"} == {
        action.name for action in ACTIONS["jazz.check"][0].actions
    } - {"fight"}


def places(totals: Sequence[int]) -> list[list[int]]:
    return [[index for index, one in enumerate(totals) if one == total] for total in sorted(set(totals), reverse=True)]


def orders(fighters: list[tuple[bool, int]], ties: str) -> dict[str, Fraction]:
    """The chance of each order, by every set of totals there is; a tie rolled off has every order equally often."""
    rolls = []
    for drop, bonus in fighters:
        dice = Counter(sum(faces) + bonus for faces in product(range(1, 7), repeat=2 + drop))
        rolls.append({total: Fraction(ways, dice.total()) for total, ways in dice.items()})
    found: dict[str, Fraction] = {}
    for totals in product(*rolls):
        chance = prod((roll[total] for roll, total in zip(rolls, totals, strict=True)), start=Fraction(1))
        order = places(totals)
        ways = [order]
        if ties == "listed":
            ways = [[[one] for place in order for one in place]]
        elif ties == "rerollOff":
            ways = [[[one] for one in sum(way, ())] for way in product(*(permutations(place) for place in order))]
        for way in ways:
            word = ">".join("=".join(f"c{one}" for one in place) for place in way)
            found[word] = found.get(word, Fraction()) + chance / len(ways)
    return found


FIGHTERS = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=3)


@given(fighters=FIGHTERS, ties=st.sampled_from(["rerollOff", "listed", "simultaneous"]))
def test_initiative_by_every_set_of_totals(fighters: list[tuple[bool, int]], ties: str) -> None:
    combatants = [{"id": f"c{n}", "name": "x", "drop": drop, "initiativeBonus": bonus} for n, (drop, bonus) in enumerate(fighters)]
    found = {word: Fraction(part) for word, part in fractions("initiative", combatants=combatants, ties=ties).items()}
    assert found == orders(fighters, ties)


@given(
    fighters=st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=6, max_size=6), ties=st.sampled_from(["rerollOff", "listed"])
)
def test_who_goes_first_of_many_is_who_beats_everybody(fighters: list[tuple[bool, int]], ties: str) -> None:
    """Against a slow way: over the totals of one, how many of the others are below or equal."""
    combatants = [{"id": f"c{n}", "name": "x", "drop": drop, "initiativeBonus": bonus} for n, (drop, bonus) in enumerate(fighters)]
    found = {word: Fraction(part) for word, part in fractions("initiative", combatants=combatants, ties=ties).items()}
    rolls = [Counter(sum(faces) + bonus for faces in product(range(1, 7), repeat=2 + drop)) for drop, bonus in fighters]
    for index, roll in enumerate(rolls):
        others = [(other, number) for number, other in enumerate(rolls) if number != index]
        chance = Fraction()
        for total, ways in roll.items():
            for equal in product((False, True), repeat=len(others)):
                share = Fraction(ways, roll.total())
                for (other, _), same in zip(others, equal, strict=True):
                    below = other[total] if same else sum(more for one, more in other.items() if one < total)
                    share *= Fraction(below, other.total())
                if ties == "rerollOff":
                    chance += share / (1 + sum(equal))
                elif all(number > index for (_, number), same in zip(others, equal, strict=True) if same):
                    chance += share
        assert found.get(f"c{index}", Fraction()) == chance


def test_the_tied_are_equally_likely_in_any_order() -> None:
    assert orders([(False, 0)] * 3, "rerollOff") == dict.fromkeys(
        (">".join(f"c{one}" for one in way) for way in permutations(range(3))), Fraction(1, factorial(3))
    )
