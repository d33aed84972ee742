"""What a conflict refuses, with the sentence a player reads."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.model.text import CATALOGUE
from tests.systems.jazz.playing import combatant, driving, fighter, order, refusal, rook
from tests.systems.jazz.test_turn import ANN, BOB, TRIO, attack


def fight(*actors: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A fight of each of these actors against all others."""
    return {"combatants": [combatant(f"c{index}", f"s{index}", actor) for index, actor in enumerate(actors)], **more}


WITHOUT_POOL = driving(rook(survivalAspect=None))
REFUSALS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "out_of_turn": ("turn", {**TRIO, "turn": attack("cat", "ann")}, "jazz.conflict.order", "it is not the turn of “Cat”; next: “Ann”"),
    "acted_already": (
        "round",
        {**TRIO, "acted": ["ann"], "orders": [attack("ann", "bob")]},
        "jazz.conflict.action",
        "“Ann” has had their action in this round",
    ),
    "out_cannot_act": (
        "turn",
        {
            "combatants": [ANN, fighter("bob", "foes", 0), fighter("cat", "foes")],
            "order": order("bob", "ann", "cat"),
            "turn": attack("bob", "ann"),
        },
        "jazz.conflict.out",
        "“Bob” is out of the fight and cannot act",
    ),
    "no_combatant": (
        "turn",
        {**TRIO, "turn": attack("ann", "dave")},
        "jazz.conflict.attack",
        "no combatant has the id “dave”",
    ),
    "own_side": (
        "turn",
        {**TRIO, "acted": ["ann"], "turn": attack("bob", "cat")},
        "jazz.conflict.attack",
        "a combatant cannot attack their own side",
    ),
    "nobody_has_aspect": (
        "turn",
        {**TRIO, "turn": attack("ann", "bob", using=["fihgter"])},
        "jazz.aspects.highest",
        "none of those who act has an aspect called “fihgter”; did you mean “fighter”?",
    ),
    "character_twice": (
        "round",
        {
            "combatants": [fighter("ann", "x", id="pc"), fighter("ben", "x", id="pc"), fighter("cat", "y")],
            "orders": [{"by": ["ann", "ben"], "attack": "cat"}],
        },
        "jazz.conflict.once",
        "the same character appears twice",
    ),
    "order_incomplete": (
        "fight",
        {"combatants": [ANN, BOB], "order": order("ann")},
        "jazz.conflict.order",
        "`order` must name every combatant once and nobody else",
    ),
    "sheet_needed": ("fight", fight(driving(), {"bonus": 3}), "jazz.conflict.out", "every combatant in a fight needs a `character`"),
    "health_needed": (
        "fight",
        fight(driving(), WITHOUT_POOL),
        "jazz.health.pool",
        "a combatant in a fight needs `health`, or a `survivalAspect` to derive it from",
    ),
    "no_side": (
        "fight",
        fight(driving(), driving(), tactics={"s00": "first"}),
        "jazz.conflict.attack",
        "nobody is on the side “s00”; did you mean “s0”?",
    ),
    "called_undecided": (
        "fight",
        {"combatants": [ANN, fighter("bob", "Undecided")]},
        "jazz.conflict.out",
        "a side cannot be called undecided",
    ),
    "too_many_turns": (
        "fight",
        fight(driving(), driving(), driving(), maxRounds=667),
        "jazz.conflict.order",
        "combatants times rounds can be at most 2000",
    ),
}
"""By the key of the sentence: the action, the request, the rule and the sentence."""


@pytest.mark.parametrize("key", REFUSALS)
def test_refusal(key: str) -> None:
    action, request, rule, sentence = REFUSALS[key]
    found, pointer, detail = refusal(action, **request)
    assert (found, detail) == (rule, sentence)
    assert pointer.startswith("/")
    assert CATALOGUE.find("jazz", f"refused.{key}", "de") is not None
