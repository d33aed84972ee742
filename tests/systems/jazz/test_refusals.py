"""Every refusal of Jazz once: the rule, the place in the request, and the detail."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import DRIVER, ROOK, bewitching, driving, hurt, refusal, rook

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
REFUSALS: dict[tuple[str, str], list[tuple[str, str, dict[str, Any]]]] = {
    ("jazz.aspects.primary", "an aspect has a bonus of at least 1"): [
        (f"{SHEET}/aspects/0/bonus", "check", by(character=ZERO)),
    ],
    ("jazz.aspects.primary", "two aspects on the sheet have the same name; case and Unicode form do not count"): [
        (f"{SHEET}/aspects", "check", with_sheet(aspects=TWICE)),
    ],
    ("jazz.health.pool", "`current` cannot be more than `max`"): [
        (f"{SHEET}/health/current", "check", with_sheet(health=HEALTH)),
    ],
    ("jazz.weird.pool", "`current` cannot be more than `max`"): [
        (f"{SHEET}/weird/current", "check", with_sheet(weird=WEIRD)),
    ],
    ("jazz.health.pool", "no aspect called “cook”"): [
        (f"{SHEET}/survivalAspect", "check", with_sheet(survivalAspect="cook")),
    ],
    ("jazz.weird.pool", "a weird pool needs a weird aspect"): [
        (f"{SHEET}/weird", "check", with_sheet(aspects=ROOK["aspects"][:1], weird={"current": 0, "max": 1})),
    ],
    ("jazz.weird.pool", "a pool can hold at most 999 points"): [
        (f"{SHEET}/weirdPool", "check", with_sheet(**SEERS)),
    ],
    ("jazz.aspects.highest", "`using` names aspects, so it needs a `character`"): [
        ("/actor/using", "check", by(using=[DRIVER])),
    ],
    ("jazz.karma.positive", "only a `character` can hold a die to spend"): [
        ("/actor/spend", "check", by(spend="karma")),
    ],
    ("jazz.complication.die", "only a `character` can hold a die to spend"): [
        ("/actor/spend", "check", by(spend="heldAdvantage")),
    ],
    ("jazz.karma.negative", "only a `character` can have karma"): [
        ("/actor/imposeKarma", "check", by(imposeKarma=True)),
    ],
    ("jazz.aspects.highest", "`bonus` is for rollers without a `character`"): [
        ("/actor/bonus", "check", by(character=ROOK, bonus=0)),
    ],
    ("jazz.aspects.highest", "no aspect called “baker”"): [
        ("/actor/using/1", "check", by(character=ROOK, using=[DRIVER, "baker"])),
    ],
    ("jazz.dice.reroll", "re-rolling until none of the six faces shows would never end"): [
        ("/actor/gear/reroll", "check", by(gear=ALL_FACES)),
    ],
    ("jazz.check.success", "one of `difficulty`, `level`, `effect` and `opponent` is needed"): [
        ("", "check", {"actor": {}}),
        ("", "teamwork", {"members": [{}]}),
    ],
    ("jazz.check.success", "only one of `difficulty`, `level`, `effect` and `opponent` can be given"): [
        ("", "check", {**by(), "level": "easy"}),
        ("", "check", {**by(), "level": "easy", "stakes": "none"}),
    ],
    ("jazz.difficulty.weird", "no row of the weird effects table is called “teleport”; did you mean “teleport.individual.nearby”?"): [
        ("/effect", "check", {"actor": {}, "effect": "teleport"}),
    ],
    ("jazz.difficulty.weird", "no row of the weird effects table is called “fly”"): [
        ("/effect", "check", {"actor": {}, "effect": "fly"}),
    ],
    ("jazz.weird.restore", "`subject` needs an `effect` that restores health"): [
        ("/subject", "check", {**by(), "subject": ROOK}),
        ("/subject", "check", {"actor": {}, "effect": "animal.command", "subject": ROOK}),
    ],
    ("jazz.weird.restore", "“Rook” has no health pool to restore"): [
        ("/subject/health", "check", {"actor": {}, "effect": "restoreHealth.one", "subject": rook(survivalAspect=None)}),
    ],
    ("jazz.weird.spend", "“Rook” needs a weird aspect in `using` for something truly extraordinary"): [
        ("/actor/using", "check", by(**driving(extraordinary=True))),
    ],
    ("jazz.weird.depleted", "“Rook” has no weird left for something truly extraordinary"): [
        ("/actor/extraordinary", "check", by(**bewitching(hurt(4, 0)))),
        ("/members/1/extraordinary", "teamwork", {"members": [{}, bewitching(hurt(4, 0))], "difficulty": 8}),
    ],
    ("jazz.karma.rescue", "no rescue for “actor”: the roll already has an advantage"): [
        ("/rescue", "check", {**by(advantage=True), "rescue": True}),
    ],
    ("jazz.karma.rescue", "no rescue for “Rook”: karma is already negative"): [
        ("/rescue", "check", {**with_sheet(karma="negative"), "rescue": True}),
    ],
    ("jazz.karma.negative", "“Rook” has no negative karma to impose"): [
        ("/actor/imposeKarma", "check", by(character=rook(karma="positive"), imposeKarma=True)),
    ],
    ("jazz.karma.positive", "“Rook” has no positive karma to spend"): [
        ("/actor/spend", "check", by(character=rook(heldAdvantage=True), spend="karma")),
    ],
    ("jazz.complication.die", "“Rook” holds no advantage die to spend"): [
        ("/actor/spend", "check", by(character=rook(karma="positive"), spend="heldAdvantage")),
    ],
    ("jazz.karma.positive", "the roll of “Rook” already has an advantage, so the die is kept"): [
        ("/actor/spend", "check", by(character=rook(karma="positive"), spend="karma", advantage=True)),
    ],
    ("jazz.complication.die", "the roll of “Rook” already has an advantage, so the die is kept"): [
        ("/actor/spend", "check", by(character=rook(heldAdvantage=True), spend="heldAdvantage", gear={"advantage": True})),
    ],
    ("jazz.conflict.out", "“Rook” is out of the fight and cannot act"): [
        (SHEET, "check", by(**OUT)),
        ("/opponent/character", "check", {"actor": {}, "opponent": OUT}),
        ("/members/1/character", "teamwork", {"members": [{}, OUT], "difficulty": 8}),
        ("/attackers/0/character", "attack", {"attackers": [OUT], "defender": {}}),
    ],
    ("jazz.conflict.out", "“Rook” is out of the fight and cannot be attacked"): [
        ("/teamDefence/0/character", "attack", {"attackers": [{}], "defender": {}, "teamDefence": [OUT]}),
        ("/defender/character", "attack", {"attackers": [{}], "defender": OUT}),
    ],
    ("jazz.conflict.out", "none of those who would be attacked or opposed still stands"): [
        ("/orders/0/attack", "round", orders(attack("a", "c"))),
    ],
    ("jazz.conflict.initiative", "each combatant needs an id of their own"): [
        ("/combatants/1/id", "initiative", {"combatants": TWINS}),
    ],
    ("jazz.team.highest", "the same character appears twice"): [
        (
            "/members/3/character/id",
            "teamwork",
            {"members": [driving(rook(id="pc")), {}, driving(rook(id="npc")), driving(rook(id="pc"))], "difficulty": 8},
        ),
    ],
    ("jazz.conflict.attack", "no combatant has the id “z”"): [
        ("/orders/0/by/0", "round", orders(attack("z", "b"))),
        ("/orders/0/attack", "round", orders(attack("a", "z"))),
    ],
    ("jazz.conflict.once", "a character may attack only once in a round"): [
        ("/orders/1/by/0", "round", orders(attack("a", "b"), attack("a", "b"))),
    ],
    ("jazz.conflict.attack", "a combatant cannot attack their own side"): [
        ("/orders/0/attack", "round", orders(attack("b", "c"))),
    ],
    ("jazz.aspects.highest", "none of those who act has an aspect called “former getaway driver”"): [
        ("/orders/0/using/0", "round", orders(attack("b", "a", using=[DRIVER]))),
    ],
    ("jazz.conflict.out", "every combatant in a fight needs a `character`"): [
        ("/combatants/1/actor", "fight", fight(driving(), {"bonus": 3})),
    ],
    ("jazz.health.pool", "a combatant in a fight needs `health`, or a `survivalAspect` to derive it from"): [
        ("/combatants/1/actor/character/health", "fight", fight(driving(), driving(rook(survivalAspect=None)))),
    ],
    ("jazz.conflict.attack", "nobody is on the side “a/b~”"): [
        ("/tactics/a~1b~0", "fight", fight(driving(), driving(), tactics={"s0": "first", "a/b~": "first"})),
    ],
    ("jazz.conflict.out", "a side cannot be called undecided"): [
        ("/combatants/1/side", "fight", {"combatants": [COMBATANTS[0], {**COMBATANTS[0], "id": "b", "side": "undecided"}]}),
    ],
    ("jazz.conflict.order", "combatants times rounds can be at most 2000"): [
        ("/maxRounds", "fight", fight(driving(), driving(), driving(), maxRounds=667)),
    ],
    ("jazz.recovery.rest", "each pool can be named only once"): [
        ("/pools", "recovery", {"character": ROOK, "rest": "night", "pools": ["health"] * 2}),
        ("/blocked", "recovery", {"character": ROOK, "rest": "night", "blocked": ["weird"] * 2}),
    ],
    ("jazz.advance.improve", "no aspect called “baker”"): [
        ("/aspect", "improve", {**LEARN, "aspect": "baker"}),
    ],
    ("jazz.advance.learn", "“Rook” already has the aspect “former getaway driver”"): [
        ("/aspect/name", "learn", {**LEARN, "aspect": {"name": DRIVER}}),
    ],
    ("jazz.advance.learn", "no aspect called “cook”"): [
        ("/similarTo", "learn", {**LEARN, "similarTo": "cook"}),
    ],
    ("jazz.advance.learn", "a sheet can have at most 50 aspects"): [
        ("/character/aspects", "learn", {**LEARN, "character": POLYMATH}),
    ],
}
"""By rule and detail: the pointer, the action and the request."""


@pytest.mark.parametrize(("rule", "detail"), REFUSALS)
def test_refusal(rule: str, detail: str) -> None:
    for pointer, action, request in REFUSALS[rule, detail]:
        assert refusal(action, **request) == (rule, pointer, detail)


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
        ("fight", fight(driving(), driving(), tactics={"s" * 121: "first"}), "/tactics/" + "s" * 64 + "/[key]"),
        ("fight", fight(driving(), driving(), tactics={"s0": "luckiest"}), "/tactics/s0"),
        ("fight", fight(driving(), driving(), trials=99), "/trials"),
        ("fight", fight(driving(), driving(), method="guess"), "/method"),
    ],
)
def test_values_outside_the_schema(action: str, request_: dict[str, Any], pointer: str) -> None:
    assert refusal(action, **request_)[:2] == (None, pointer)
