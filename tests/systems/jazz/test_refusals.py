"""What Jazz refuses, in the order of its rules: the rule that speaks, the place it speaks of, and the words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import DRIVER, ROOK, bewitching, driving, hurt, refusal, rook

NO_SUCH_ASPECT = (
    "the character has no such aspect: names are compared letter by letter, capitals too, with the `aspects` of the `character`"
)
HEAL: dict[str, Any] = {"actor": {}, "effect": "restoreHealth.one"}
SIDES = [
    {"id": "a", "side": "x", "actor": driving()},
    {"id": "b", "side": "y", "actor": {}},
    {"id": "c", "side": "y", "actor": driving(hurt(0))},
]
LEARN: dict[str, Any] = {"character": ROOK, "aspect": {"name": "baker"}, "fictionLevel": "heroic"}


def actor(**words: Any) -> dict[str, Any]:
    """A check by that roller."""
    return {"actor": words, "difficulty": 8}


def sheet(**changed: Any) -> dict[str, Any]:
    """A check by Rook, the sheet changed."""
    return actor(character=rook(**changed))


def battle(*orders: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A round of one against two, one of whom is down."""
    return {"combatants": SIDES, "orders": list(orders), **more}


REFUSALS: list[tuple[str, dict[str, Any], str, str, str]] = [
    # the sheet
    (
        "check",
        sheet(aspects=[{"name": DRIVER, "bonus": 0}]),
        "jazz.aspects.primary",
        "/actor/character/aspects/0/bonus",
        "an aspect has a bonus of at least 1",
    ),
    (
        "check",
        sheet(aspects=[{"name": DRIVER, "bonus": 1}] * 2),
        "jazz.aspects.primary",
        "/actor/character/aspects",
        "each aspect stands on the sheet once",
    ),
    (
        "check",
        sheet(health={"current": 5, "max": 4}),
        "jazz.health.pool",
        "/actor/character/health/current",
        "a pool holds no more than its maximum",
    ),
    (
        "check",
        sheet(weird={"current": 3, "max": 2}),
        "jazz.weird.pool",
        "/actor/character/weird/current",
        "a pool holds no more than its maximum",
    ),
    (
        "check",
        sheet(survivalAspect="cook"),
        "jazz.health.pool",
        "/actor/character/survivalAspect",
        "the survival aspect is one of the sheet's aspects",
    ),
    (
        "check",
        sheet(aspects=ROOK["aspects"][:1], weird={"current": 0, "max": 1}),
        "jazz.weird.pool",
        "/actor/character/weird",
        "a weird pool needs a weird aspect",
    ),
    (
        "check",
        sheet(aspects=[{"name": f"art {index}", "bonus": 99, "weird": True} for index in range(11)], survivalAspect=None, weirdPool="sum"),
        "jazz.weird.pool",
        "/actor/character/weirdPool",
        "a pool holds 999 at most",
    ),
    # who rolls, and how
    ("check", actor(using=[DRIVER]), "jazz.aspects.highest", "/actor/using", "aspects that apply need the character they stand on"),
    ("check", actor(spend="karma"), "jazz.karma.positive", "/actor/spend", "only a character holds a die to spend"),
    ("check", actor(spend="heldAdvantage"), "jazz.complication.die", "/actor/spend", "only a character holds a die to spend"),
    ("check", actor(imposeKarma=True), "jazz.karma.negative", "/actor/imposeKarma", "only a character has karma"),
    (
        "check",
        actor(character=ROOK, bonus=0),
        "jazz.aspects.highest",
        "/actor/bonus",
        "a bare bonus is for rollers without a character",
    ),
    (
        "check",
        actor(character=ROOK, using=["baker"]),
        "jazz.aspects.highest",
        "/actor/using/0",
        NO_SUCH_ASPECT,
    ),
    (
        "check",
        actor(gear={"reroll": [1, 2, 3, 4, 5, 6], "until": "clear"}),
        "jazz.dice.reroll",
        "/actor/gear/reroll",
        "re-rolling all six faces until none shows would never end",
    ),
    # a check
    (
        "check",
        {"actor": {}},
        "jazz.check.success",
        "",
        "exactly one of difficulty, level, effect, opponent is what the roll is measured against",
    ),
    (
        "check",
        {**actor(), "level": "easy", "stakes": "none"},
        "jazz.check.success",
        "",
        "at most one of difficulty, level, effect, opponent is what the roll is measured against",
    ),
    (
        "teamwork",
        {"members": [{}]},
        "jazz.check.success",
        "",
        "exactly one of difficulty, level, opponent is what the roll is measured against",
    ),
    (
        "check",
        {"actor": {}, "effect": "teleport"},
        "jazz.difficulty.weird",
        "/effect",
        "no such row in the table of weird effects: weirdEffects under /systems/jazz/tables lists the ids; "
        "did you mean `teleport.individual.nearby`?",
    ),
    (
        "check",
        {"actor": {}, "effect": "fly"},
        "jazz.difficulty.weird",
        "/effect",
        "no such row in the table of weird effects: weirdEffects under /systems/jazz/tables lists the ids",
    ),
    (
        "check",
        {**actor(), "subject": ROOK},
        "jazz.weird.restore",
        "/subject",
        "only a row that restores health has a subject",
    ),
    (
        "check",
        {**HEAL, "subject": rook(survivalAspect=None)},
        "jazz.weird.restore",
        "/subject/health",
        "without a health pool nothing can be restored",
    ),
    (
        "check",
        {**actor(advantage=True), "rescue": True},
        "jazz.karma.rescue",
        "/rescue",
        "no rescue: the roll already had an advantage",
    ),
    (
        "check",
        {**sheet(karma="negative"), "rescue": True},
        "jazz.karma.rescue",
        "/rescue",
        "no rescue: karma is already negative",
    ),
    # the weird
    (
        "check",
        {"actor": driving(extraordinary=True), "difficulty": 8},
        "jazz.weird.spend",
        "/actor/extraordinary",
        "a truly extraordinary use needs a weird aspect that applies",
    ),
    (
        "check",
        {"actor": bewitching(hurt(4, 0)), "difficulty": 8},
        "jazz.weird.depleted",
        "/actor/extraordinary",
        "no weird is left: nothing extraordinary until after a rest",
    ),
    # conflict
    (
        "check",
        {"actor": driving(hurt(0)), "difficulty": 8},
        "jazz.conflict.out",
        "/actor/character",
        "whoever is out of the fight cannot act",
    ),
    (
        "attack",
        {"attackers": [{}], "defender": driving(hurt(0))},
        "jazz.conflict.out",
        "/defender/character",
        "whoever is out of the fight is not attacked",
    ),
    (
        "initiative",
        {"combatants": [{"id": "a", "name": "Ana"}, {"id": "a", "name": "Bo"}]},
        "jazz.conflict.initiative",
        "/combatants/1/id",
        "each combatant has an id of their own",
    ),
    (
        "teamwork",
        {"members": [driving(rook(id="pc"))] * 2, "difficulty": 8},
        "jazz.team.highest",
        "/members/1/character/id",
        "the same character is there already",
    ),
    # a round
    (
        "round",
        battle(order=[["a"], ["b"]]),
        "jazz.conflict.order",
        "/order",
        "the order names every combatant once, and nobody else",
    ),
    (
        "round",
        battle({"by": ["z"], "attack": "b"}),
        "jazz.conflict.attack",
        "/orders/0/by/0",
        "there is no combatant of that id",
    ),
    (
        "round",
        battle({"by": ["a"], "attack": "b"}, {"by": ["a"], "attack": "b"}),
        "jazz.conflict.once",
        "/orders/1/by/0",
        "a character attacks once in a round",
    ),
    ("round", battle({"by": ["b"], "attack": "c"}), "jazz.conflict.attack", "/orders/0/attack", "an attack is on another side"),
    (
        "round",
        battle({"by": ["b"], "attack": "a", "using": [DRIVER]}),
        "jazz.aspects.highest",
        "/orders/0/using/0",
        "none of the attackers has such an aspect: names are compared letter by letter, capitals too, "
        "with the `aspects` of each `character`",
    ),
    (
        "round",
        battle({"by": ["c"], "attack": "a"}),
        "jazz.conflict.out",
        "/orders/0/by/0",
        "whoever is out of the fight cannot act",
    ),
    (
        "round",
        battle({"by": ["a"], "attack": "c"}),
        "jazz.conflict.out",
        "/orders/0/attack",
        "whoever is out of the fight is not attacked",
    ),
    # karma
    (
        "check",
        actor(character=ROOK, imposeKarma=True),
        "jazz.karma.negative",
        "/actor/imposeKarma",
        "the character has no negative karma to impose",
    ),
    (
        "check",
        actor(character=ROOK, spend="karma"),
        "jazz.karma.positive",
        "/actor/spend",
        "the character does not hold the die to be spent",
    ),
    (
        "check",
        actor(character=rook(karma="positive"), spend="karma", advantage=True),
        "jazz.karma.positive",
        "/actor/spend",
        "the roll already has an advantage, so the die is kept",
    ),
    # recovery and advancement
    (
        "recovery",
        {"character": ROOK, "rest": "night", "pools": ["health", "health"]},
        "jazz.recovery.rest",
        "/pools",
        "each pool is named once",
    ),
    (
        "recovery",
        {"character": ROOK, "rest": "night", "blocked": ["weird", "weird"]},
        "jazz.recovery.rest",
        "/blocked",
        "each pool is named once",
    ),
    (
        "improve",
        {"character": ROOK, "aspect": "baker", "fictionLevel": "heroic"},
        "jazz.advance.improve",
        "/aspect",
        NO_SUCH_ASPECT,
    ),
    ("learn", {**LEARN, "aspect": {"name": DRIVER}}, "jazz.advance.learn", "/aspect/name", "the character has this aspect already"),
    ("learn", {**LEARN, "similarTo": "cook"}, "jazz.advance.learn", "/similarTo", NO_SUCH_ASPECT),
    (
        "learn",
        {**LEARN, "character": {"name": "Polymath", "aspects": [{"name": f"art {index}", "bonus": 1} for index in range(50)]}},
        "jazz.advance.learn",
        "/character/aspects",
        "a sheet holds 50 aspects at most",
    ),
]


@pytest.mark.parametrize(("action", "request_", "rule", "pointer", "text"), REFUSALS)
def test_refuses(action: str, request_: dict[str, Any], rule: str, pointer: str, text: str) -> None:
    assert refusal(action, **request_) == (rule, pointer, text)
