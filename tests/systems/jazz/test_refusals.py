"""Every refusal of Jazz once: the rule, the place in the request, and the detail."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import DRIVER, ROOK, bewitching, driving, hurt, refusal, rook

NO_SUCH_ASPECT = "the character has no aspect of that name; names are case-sensitive and must match exactly"
TARGETS = "one of difficulty, level, effect, opponent to roll against"
ALL_FACES = {"reroll": [1, 2, 3, 4, 5, 6], "until": "clear"}
ARTS = [{"name": f"art {index}", "bonus": 99, "weird": True} for index in range(50)]
SEERS = {"aspects": ARTS[:11], "survivalAspect": None, "weirdPool": "sum"}
POLYMATH = {"name": "Polymath", "aspects": ARTS}
HEALTH, WEIRD = {"current": 5, "max": 4}, {"current": 3, "max": 2}
OUT = driving(hurt(0))
COMBATANTS = [
    {"id": "a", "side": "x", "actor": driving()},
    {"id": "b", "side": "y", "actor": {}},
    {"id": "c", "side": "y", "actor": OUT},
]
TWINS = [{"id": "a", "name": "Ana"}, {"id": "a", "name": "Bo"}]
LEARN: dict[str, Any] = {"character": ROOK, "aspect": {"name": "baker"}, "fictionLevel": "heroic"}


def by(**actor: Any) -> dict[str, Any]:
    """A check by this actor."""
    return {"actor": actor, "difficulty": 8}


def with_sheet(**changed: Any) -> dict[str, Any]:
    """A check by Rook with a changed sheet."""
    return by(character=rook(**changed))


def orders(*declared: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A round of one against two, of whom one is out."""
    return {"combatants": COMBATANTS, "orders": list(declared), **more}


def attack(by: str, on: str, **more: Any) -> dict[str, Any]:
    """One declared attack."""
    return {"by": [by], "attack": on, **more}


def fight(*actors: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A fight of each of these actors against all others."""
    return {"combatants": [{"id": f"c{index}", "side": f"s{index}", "actor": actor} for index, actor in enumerate(actors)], **more}


ZERO = rook(aspects=[{"name": DRIVER, "bonus": 0}])
TWICE = [{"name": DRIVER, "bonus": 1}] * 2
SHEET = "/actor/character"
REFUSALS: list[tuple[str, dict[str, Any], str, str, str]] = [
    # the sheet
    ("check", by(character=ZERO), "jazz.aspects.primary", f"{SHEET}/aspects/0/bonus", "an aspect has a bonus of at least 1"),
    ("check", with_sheet(aspects=TWICE), "jazz.aspects.primary", f"{SHEET}/aspects", "an aspect can be on the sheet only once"),
    ("check", with_sheet(health=HEALTH), "jazz.health.pool", f"{SHEET}/health/current", "`current` cannot be more than `max`"),
    ("check", with_sheet(weird=WEIRD), "jazz.weird.pool", f"{SHEET}/weird/current", "`current` cannot be more than `max`"),
    (
        "check",
        with_sheet(survivalAspect="cook"),
        "jazz.health.pool",
        f"{SHEET}/survivalAspect",
        "the survival aspect must be one of the sheet's aspects",
    ),
    (
        "check",
        with_sheet(aspects=ROOK["aspects"][:1], weird={"current": 0, "max": 1}),
        "jazz.weird.pool",
        f"{SHEET}/weird",
        "a weird pool needs a weird aspect",
    ),
    ("check", with_sheet(**SEERS), "jazz.weird.pool", f"{SHEET}/weirdPool", "a pool can hold at most 999 points"),
    # the actor
    ("check", by(using=[DRIVER]), "jazz.aspects.highest", "/actor/using", "`using` names aspects, so it needs a `character`"),
    ("check", by(spend="karma"), "jazz.karma.positive", "/actor/spend", "only a `character` can hold a die to spend"),
    ("check", by(spend="heldAdvantage"), "jazz.complication.die", "/actor/spend", "only a `character` can hold a die to spend"),
    ("check", by(imposeKarma=True), "jazz.karma.negative", "/actor/imposeKarma", "only a `character` can have karma"),
    ("check", by(character=ROOK, bonus=0), "jazz.aspects.highest", "/actor/bonus", "`bonus` is for rollers without a `character`"),
    ("check", by(character=ROOK, using=[DRIVER, "baker"]), "jazz.aspects.highest", "/actor/using/1", NO_SUCH_ASPECT),
    ("check", by(gear=ALL_FACES), "jazz.dice.reroll", "/actor/gear/reroll", "re-rolling until none of the six faces shows would never end"),
    # what the roll is against
    ("check", {"actor": {}}, "jazz.check.success", "", f"give exactly {TARGETS}"),
    ("check", {**by(), "level": "easy"}, "jazz.check.success", "", f"give exactly {TARGETS}"),
    ("check", {**by(), "level": "easy", "stakes": "none"}, "jazz.check.success", "", f"give at most {TARGETS}"),
    ("teamwork", {"members": [{}]}, "jazz.check.success", "", "give exactly one of difficulty, level, opponent to roll against"),
    (
        "check",
        {"actor": {}, "effect": "teleport"},
        "jazz.difficulty.weird",
        "/effect",
        "no weird effect has that id; weirdEffects in /systems/jazz/tables lists them; did you mean `teleport.individual.nearby`?",
    ),
    (
        "check",
        {"actor": {}, "effect": "fly"},
        "jazz.difficulty.weird",
        "/effect",
        "no weird effect has that id; weirdEffects in /systems/jazz/tables lists them",
    ),
    ("check", {**by(), "subject": ROOK}, "jazz.weird.restore", "/subject", "`subject` needs an `effect` that restores health"),
    (
        "check",
        {"actor": {}, "effect": "animal.command", "subject": ROOK},
        "jazz.weird.restore",
        "/subject",
        "`subject` needs an `effect` that restores health",
    ),
    (
        "check",
        {"actor": {}, "effect": "restoreHealth.one", "subject": rook(survivalAspect=None)},
        "jazz.weird.restore",
        "/subject/health",
        "the subject has no health pool to restore",
    ),
    # weird
    (
        "check",
        by(**driving(extraordinary=True)),
        "jazz.weird.spend",
        "/actor/extraordinary",
        "an extraordinary use needs a weird aspect in `using`",
    ),
    ("check", by(**bewitching(hurt(4, 0))), "jazz.weird.depleted", "/actor/extraordinary", "no weird is left for an extraordinary use"),
    (
        "teamwork",
        {"members": [{}, bewitching(hurt(4, 0))], "difficulty": 8},
        "jazz.weird.depleted",
        "/members/1/extraordinary",
        "no weird is left for an extraordinary use",
    ),
    # karma and dice to spend
    ("check", {**by(advantage=True), "rescue": True}, "jazz.karma.rescue", "/rescue", "no rescue: the roll already has an advantage"),
    ("check", {**with_sheet(karma="negative"), "rescue": True}, "jazz.karma.rescue", "/rescue", "no rescue: karma is already negative"),
    (
        "check",
        by(character=rook(karma="positive"), imposeKarma=True),
        "jazz.karma.negative",
        "/actor/imposeKarma",
        "the character has no negative karma to impose",
    ),
    (
        "check",
        by(character=rook(heldAdvantage=True), spend="karma"),
        "jazz.karma.positive",
        "/actor/spend",
        "the character does not hold the die to spend",
    ),
    (
        "check",
        by(character=rook(karma="positive"), spend="heldAdvantage"),
        "jazz.complication.die",
        "/actor/spend",
        "the character does not hold the die to spend",
    ),
    (
        "check",
        by(character=rook(karma="positive"), spend="karma", advantage=True),
        "jazz.karma.positive",
        "/actor/spend",
        "the roll already has an advantage, so the die is kept",
    ),
    (
        "check",
        by(character=rook(heldAdvantage=True), spend="heldAdvantage", gear={"advantage": True}),
        "jazz.complication.die",
        "/actor/spend",
        "the roll already has an advantage, so the die is kept",
    ),
    # who may act, and whom
    ("check", by(**OUT), "jazz.conflict.out", SHEET, "a character who is out of the fight cannot act"),
    ("check", {"actor": {}, "opponent": OUT}, "jazz.conflict.out", "/opponent/character", "a character who is out of the fight cannot act"),
    (
        "teamwork",
        {"members": [{}, OUT], "difficulty": 8},
        "jazz.conflict.out",
        "/members/1/character",
        "a character who is out of the fight cannot act",
    ),
    (
        "attack",
        {"attackers": [OUT], "defender": {}},
        "jazz.conflict.out",
        "/attackers/0/character",
        "a character who is out of the fight cannot act",
    ),
    (
        "attack",
        {"attackers": [{}], "defender": OUT},
        "jazz.conflict.out",
        "/defender/character",
        "a character who is out of the fight cannot be attacked",
    ),
    (
        "attack",
        {"attackers": [{}], "defender": {}, "teamDefence": [OUT]},
        "jazz.conflict.out",
        "/teamDefence/0/character",
        "a character who is out of the fight cannot act",
    ),
    ("initiative", {"combatants": TWINS}, "jazz.conflict.initiative", "/combatants/1/id", "each combatant needs an id of their own"),
    (
        "teamwork",
        {"members": [driving(rook(id="pc")), {}, driving(rook(id="npc")), driving(rook(id="pc"))], "difficulty": 8},
        "jazz.team.highest",
        "/members/3/character/id",
        "the same character appears twice",
    ),
    # a round
    ("round", orders(order=[["a"], ["b"]]), "jazz.conflict.order", "/order", "`order` must name every combatant once and nobody else"),
    ("round", orders(attack("z", "b")), "jazz.conflict.attack", "/orders/0/by/0", "no combatant has that id"),
    ("round", orders(attack("a", "z")), "jazz.conflict.attack", "/orders/0/attack", "no combatant has that id"),
    (
        "round",
        orders(attack("a", "b"), attack("a", "b")),
        "jazz.conflict.once",
        "/orders/1/by/0",
        "a character may attack only once in a round",
    ),
    ("round", orders(attack("b", "c")), "jazz.conflict.attack", "/orders/0/attack", "a combatant cannot attack their own side"),
    (
        "round",
        orders(attack("b", "a", using=[DRIVER])),
        "jazz.aspects.highest",
        "/orders/0/using/0",
        "none of the attackers has an aspect of that name; names are case-sensitive and must match exactly",
    ),
    ("round", orders(attack("c", "a")), "jazz.conflict.out", "/orders/0/by/0", "a character who is out of the fight cannot act"),
    ("round", orders(attack("a", "c")), "jazz.conflict.out", "/orders/0/attack", "a character who is out of the fight cannot be attacked"),
    # a fight
    ("fight", fight(driving(), {"bonus": 3}), "jazz.conflict.out", "/combatants/1/actor", "every combatant in a fight needs a `character`"),
    (
        "fight",
        fight(driving(), driving(rook(survivalAspect=None))),
        "jazz.health.pool",
        "/combatants/1/actor/character/health",
        "a combatant in a fight needs `health`, or a `survivalAspect` to derive it from",
    ),
    (
        "fight",
        fight(driving(), driving(), tactics={"s0": "first", "a/b~": "first"}),
        "jazz.conflict.attack",
        "/tactics/a~1b~0",
        "no combatant is on that side",
    ),
    (
        "fight",
        {"combatants": [COMBATANTS[0], {**COMBATANTS[0], "id": "b", "side": "undecided"}]},
        "jazz.conflict.out",
        "/combatants/1/side",
        "a side cannot be called undecided",
    ),
    (
        "fight",
        fight(driving(), driving(), driving(), maxRounds=667),
        "jazz.conflict.order",
        "/maxRounds",
        "combatants times rounds can be at most 2000",
    ),
    # recovery and advancement
    (
        "recovery",
        {"character": ROOK, "rest": "night", "pools": ["health"] * 2},
        "jazz.recovery.rest",
        "/pools",
        "each pool can be named only once",
    ),
    (
        "recovery",
        {"character": ROOK, "rest": "night", "blocked": ["weird"] * 2},
        "jazz.recovery.rest",
        "/blocked",
        "each pool can be named only once",
    ),
    ("improve", {**LEARN, "aspect": "baker"}, "jazz.advance.improve", "/aspect", NO_SUCH_ASPECT),
    ("learn", {**LEARN, "aspect": {"name": DRIVER}}, "jazz.advance.learn", "/aspect/name", "the character already has this aspect"),
    ("learn", {**LEARN, "similarTo": "cook"}, "jazz.advance.learn", "/similarTo", NO_SUCH_ASPECT),
    ("learn", {**LEARN, "character": POLYMATH}, "jazz.advance.learn", "/character/aspects", "a sheet can have at most 50 aspects"),
]


@pytest.mark.parametrize(("action", "request_", "rule", "pointer", "text"), REFUSALS)
def test_refusal(action: str, request_: dict[str, Any], rule: str, pointer: str, text: str) -> None:
    assert refusal(action, **request_) == (rule, pointer, text)


@pytest.mark.parametrize(
    ("action", "request_", "pointer"),
    [
        ("check", by(character=rook(aspects=[{"name": "thug", "bonus": 100}])), f"{SHEET}/aspects/0/bonus"),
        ("check", by(character=rook(aspects=[{"name": "thug", "bonus": True}])), f"{SHEET}/aspects/0/bonus"),
        ("check", {"actor": {}, "level": "trivial"}, "/level"),
        ("character", {"character": ROOK, "fictionLevel": "cosmic"}, "/fictionLevel"),
        ("attack", {"attackers": [{}], "defender": {}, "kind": ""}, "/kind"),
        ("fight", fight(driving()), "/combatants"),
        ("fight", fight(driving(), driving(), maxRounds=0), "/maxRounds"),
        ("fight", fight(driving(), driving(), maxRounds=1001), "/maxRounds"),
        ("fight", fight(driving(), driving(), tactics={"": "first"}), "/tactics//[key]"),
        ("fight", fight(driving(), driving(), tactics={"s" * 121: "first"}), "/tactics/" + "s" * 121 + "/[key]"),
        ("fight", fight(driving(), driving(), tactics={"s0": "luckiest"}), "/tactics/s0"),
        ("fight", fight(driving(), driving(), trials=99), "/trials"),
        ("fight", fight(driving(), driving(), method="guess"), "/method"),
    ],
)
def test_values_outside_the_schema(action: str, request_: dict[str, Any], pointer: str) -> None:
    assert refusal(action, **request_)[:2] == (None, pointer)
