"""Every sentence of a step, an option or a summary once. The other tests assert rules and values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    DRIVER,
    HOLDING,
    LUCKY,
    ROOK,
    THUG,
    UNLUCKY,
    WITCH,
    bewitching,
    combatant,
    driving,
    hurt,
    play,
    rook,
)
from tests.systems.playing import Faces

SUM = rook(aspects=[*ROOK["aspects"], {"name": "seer", "bonus": 1, "weird": True}], weirdPool="sum")
BAKER = {"name": "baker", "bonus": 1}
REROLL, CLEAR = {"reroll": [2, 1]}, {"reroll": [6], "until": "clear"}
HEAL = {"actor": {"bonus": 9}, "effect": "restoreHealth.one"}
RESCUED: dict[str, Any] = {"actor": driving(), "difficulty": 12, "rescue": True}
CONTEST: dict[str, Any] = {"actor": {}, "opponent": {}}
ANA, BO, CY = (
    combatant(name[0].lower(), side, {"character": {"name": name, "aspects": [], "health": {"current": 1, "max": 2}}})
    for side, name in (("x", "Ana"), ("x", "Bo"), ("y", "Cy"))
)
DRIVERS = [combatant("r", "x", driving()), combatant("w", "y", driving(rook(name="Wren")))]
ORDER = [["a"], ["c"]]
HITS: Faces = {f"turns.{turn}.{roll}": faces for turn in (0, 1) for roll, faces in (("attackers.0", [6, 6]), ("defender", [1, 1]))}
HIT = dict(list(HITS.items())[:2])
LEVEL = {"fictionLevel": "heroic"}


def by(actor: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A check against 8."""
    return {"actor": actor, "difficulty": 8} | more


def attacks(*declared: str, **more: Any) -> dict[str, Any]:
    """A round of Ana against Cy, unless others are named: `a c` declares an attack by a on c."""
    orders = [{"by": pair.split()[:-1], "attack": pair.split()[-1]} for pair in declared]
    return {"combatants": [ANA, CY], "order": ORDER, "orders": orders, **more}


CASES: dict[str, tuple[str, Faces, dict[str, Any]]] = {
    """
    jazz.aspects.highest: Rook: former getaway driver +4
    jazz.karma.positive: Rook: positive karma is spent on an advantage die
    jazz.dice.disadvantage: Rook: the situation gives a disadvantage
    jazz.equipment.lost: Rook: without the ordinary equipment, a disadvantage
    jazz.dice.single: Rook: 2 reasons of one kind count as one
    jazz.dice.cancel: Rook: advantage and disadvantage cancel, 2d6
    jazz.equipment.unusual: Rook: unusual gear changes the dice
    jazz.dice.reroll: Rook: dice that show 1 2 are rolled again, once
    jazz.dice.roll: Rook: 2d6 + 4 = 12
    jazz.check.success: 12 reaches 8
    summary: Rook: 12 against 8, success. Rook: karma positive → neutral
    """: (
        "check",
        {"actor": [5, 3]},
        by(driving(LUCKY, spend="karma", disadvantage=True, withoutEquipment=True, gear=REROLL), specialistOnly=True),
    ),
    """
    jazz.dice.advantage: actor: the situation gives an advantage
    jazz.equipment.unusual: actor: unusual gear gives an advantage
    jazz.dice.advantage: actor: one extra die, 3d6
    jazz.dice.reroll: actor: dice that show 6 are rolled again until none does
    jazz.check.success: 5 falls short of 8
    summary: actor: 5 against 8, failure
    """: (
        "check",
        {"actor": [1, 1, 1]},
        by({"bonus": 2, "universal": True, "advantage": True, "gear": {"advantage": True, **CLEAR}}, difficultyIncrease=1),
    ),
    """
    jazz.aspects.universal: actor: everyone here can do this, so the bonus is +1
    jazz.dice.disadvantage: actor: one die less, 1d6
    """: ("check", {}, by({"universal": True, "disadvantage": True, "gear": {"until": "clear"}}, difficultyIncrease=2, ties="opponent")),
    """
    jazz.aspects.missing: actor: no aspect applies, so nothing is added
    jazz.difficulty.table: easy is difficulty 8
    jazz.aspects.missing: actor: without an aspect it is harder by 2
    """: (
        "check",
        {"actor": [1, 1]},
        {"actor": {}, "level": "easy", "difficultyIncrease": 2, "rescueBy": "rollAgain", "spendOn": "success"},
    ),
    """
    jazz.karma.negative: Rook: negative karma is imposed and used up
    """: ("check", {}, by(driving(UNLUCKY, imposeKarma=True))),
    """
    jazz.complication.die: Rook: the die earned by a complication is spent
    """: ("check", {}, by(driving(HOLDING, spend="heldAdvantage"))),
    # without a roll
    """
    jazz.check.stakes: Rook: nothing to lose and no hurry, so no roll
    summary: Rook: no roll, automatic success
    """: (
        "check",
        {},
        {
            "actor": driving(LUCKY, spend="karma", universal=True, gear=REROLL),
            "opponent": bewitching(UNLUCKY, imposeKarma=True, withoutEquipment=True, disadvantage=True),
            "stakes": "none",
            "ties": "stalemate",
            "difficultyIncrease": 2,
        },
    ),
    """
    jazz.check.routine: actor: a routine task succeeds without a roll
    """: ("check", {}, {"actor": {"advantage": True, "gear": {"advantage": True}}, "stakes": "routine"}),
    """
    jazz.aspects.untrained: actor: only a specialist can try this
    summary: actor: no roll, impossible
    """: ("check", {}, by({"extraordinary": True}, specialistOnly=True, rescue=True)),
    # contests
    """
    jazz.check.contest: 6 against 5: higher, so it succeeds
    summary: actor against opponent: 6 against 5, success
    """: ("check", {"actor": [3, 3], "opponent": [3, 2]}, CONTEST),
    """
    jazz.check.contest: A tie at 6: it goes to the acting side
    """: ("check", {"actor": [3, 3], "opponent": [3, 3]}, CONTEST),
    """
    jazz.check.contest: A tie at 6: nobody wins it
    summary: actor against opponent: 6 against 6, stalemate
    """: (
        "check",
        {"actor": [3, 3], "opponent": [3, 3]},
        CONTEST | {"ties": "stalemate"},
    ),
    # rescues
    """
    jazz.karma.rescue: Rook: the game master grants one more die, 5
    jazz.dice.cancel: Rook: with it the disadvantage is cancelled, 2d6
    jazz.karma.rescue: Rook: rescued, so karma is now negative
    """: ("check", {"actor": [3], "actor.rescue": [5]}, RESCUED | {"actor": driving(disadvantage=True)}),
    """
    jazz.karma.rescue: Rook: the game master grants a new roll with the advantage
    """: ("check", {"actor": [3, 3], "actor.rescue": [2, 3, 4]}, RESCUED | {"actor": driving(LUCKY), "rescueBy": "rollAgain"}),
    """
    jazz.karma.rescue: actor: rescued, so karma moves one place towards negative
    """: (
        "check",
        {"actor": [3, 3], "actor.rescue": [6]},
        RESCUED | {"actor": {}},
    ),
    # weird
    """
    jazz.weird.spend: Rook: only weird aspects do the extraordinary, so former getaway driver and baker does not count
    jazz.weird.spend: Rook: truly extraordinary, one weird spent
    """: (
        "check",
        {"actor": [3, 3]},
        by(bewitching(rook(aspects=[BAKER, *ROOK["aspects"]]), using=["baker", WITCH, DRIVER]), spendOn="success"),
    ),
    """
    jazz.weird.spend: Rook: extraordinary, but no success, so no weird is spent
    """: ("check", {"actor": [1, 1]}, by(bewitching(), spendOn="success")),
    """
    jazz.weird.free: Rook: an ordinary use of a weird aspect costs nothing
    """: ("check", {}, by(driving(using=[WITCH]))),
    """
    jazz.weird.pool: Rook: several weird aspects; together they make a weird pool of 3
    """: ("check", {}, by(driving(SUM))),
    """
    jazz.difficulty.weird: restoreHealth.one is difficulty 8
    jazz.weird.restore: Rook: not out, where the row is for somebody unconscious; it counts all the same
    jazz.weird.restore: Rook: health 3 becomes 4
    """: ("check", {}, HEAL | {"subject": hurt(3)}),
    """
    jazz.weird.restore: Rook: no success, so nothing is restored
    """: ("check", {"actor": [1, 1]}, HEAL | {"actor": {}, "subject": ROOK}),
    # options
    """
    rescue: The game master grants Rook one more die; success then costs karma
    """: (
        "check",
        {},
        by(driving(rook(karma="positive", heldAdvantage=True), disadvantage=True), difficulty=12, seed=2, include=["options"]),
    ),
    # teams
    """
    summary: member: 10 against 11, failure
    """: ("teamwork", {"members.0": [4, 3]}, {"members": [{"bonus": 3}], "difficulty": 11}),
    """
    jazz.team.attack: attacker 2 has the highest total, 7; the number of members adds 2
    jazz.team.attack: defender and defender defend as a team
    jazz.conflict.attack: 9 against 6: a hit
    summary: attacker 1 and attacker 2 attack defender: 9 against 6, hit. defender: health −1
    """: (
        "attack",
        {"attackers.0": [1, 1], "attackers.1": [3, 3], "defender": [2, 2], "teamDefence.0": [1, 1]},
        {"attackers": [{}, {"bonus": 1}], "defender": {}, "teamDefence": [{}]},
    ),
    # initiative
    """
    jazz.conflict.initiative: Ana rolls for initiative: 1 + 2 + 6 = 9
    jazz.conflict.drop: Bo has the drop on the others: one extra die
    jazz.conflict.order: Ana and Bo have the same total and roll again
    jazz.conflict.order: The order is Bo and Ana
    summary: Initiative: Bo 9, Ana 9
    """: (
        "initiative",
        {"combatants.0": [1, 2], "combatants.1": [3, 3, 3], "combatants.0.tie1": [1, 1], "combatants.1.tie1": [2, 1]},
        {"combatants": [{"id": "a", "name": "Ana", "initiativeBonus": 6}, {"id": "b", "name": "Bo", "drop": True}]},
    ),
    """
    jazz.conflict.order: Equal totals act at the same time
    """: (
        "initiative",
        {"combatants.0": [1, 2], "combatants.1": [1, 2]},
        {"combatants": [{"id": "a", "name": "Ana"}, {"id": "b", "name": "Bo"}], "ties": "simultaneous"},
    ),
    # attacks
    """
    jazz.conflict.kind: A conflict of the kind a war of {words} wears down health all the same
    jazz.conflict.attack: 4 against 9: a miss
    summary: Rook attacks Rook: 4 against 9, miss. Rook: weird 2 → 1. Rook: weird 2 → 1
    """: (
        "attack",
        {"attackers.0": [1, 1], "defender": [3, 4]},
        {"attackers": [bewitching()], "defender": bewitching(), "kind": "a war of {words}"},
    ),
    """
    jazz.conflict.out: Rook has no health left and is out of the fight
    jazz.conflict.out: The winner chooses what becomes of Rook
    """: (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": driving(hurt(1))},
    ),
    """
    jazz.conflict.unnamed: Thug is unnamed, and out of the fight at once
    """: (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": {"character": THUG}},
    ),
    """
    jazz.health.pool: Rook: one health is lost, but without a survival aspect there is no pool, so nobody can be brought down
    """: (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": driving(rook(survivalAspect=None))},
    ),
    # rounds
    # fights
    """
    jazz.conflict.out: The conflict is over: nobody still stands
    summary: 0 rounds, 0 attacks: undecided
    """: (
        "fight",
        {},
        {"combatants": [combatant("a", "x", driving(hurt(0))), combatant("c", "y", driving(hurt(0)))]},
    ),
    # karma and complications
    """
    jazz.karma.positive: Rook: karma was neutral and becomes positive
    summary: Rook: positive karma, granted. Rook: karma neutral → positive
    """: ("karma", {}, {"character": ROOK, "grant": "positive"}),
    """
    jazz.karma.neutral: Rook: karma is positive already, and cannot be more than that
    summary: Rook: positive karma, unchanged
    """: ("karma", {}, {"character": LUCKY, "grant": "positive"}),
    """
    jazz.complication.sheet: Rook: the sheet names no complication; the table knows which it was
    jazz.complication.die: Rook: earns an advantage die for a later roll
    summary: Rook: a complication costs something, granted. Rook: holds an advantage die
    """: ("complication", {}, {"character": ROOK}),
    """
    jazz.complication.die: Rook: one such die is held already, and no more than one can be
    summary: Rook: a complication costs something, unchanged
    """: ("complication", {}, {"character": HOLDING}),
    # recovery
    """
    jazz.recovery.rest: Rook: half of the 3 health lost comes back, 1 → 2
    jazz.conflict.out: Rook comes round
    summary: Rook: half an hour's rest, recovered. Rook: health 1 → 2, today's rest for health is used up, back on their feet
    """: ("recovery", {}, {"character": hurt(1, 1, out=True), "rest": "halfHour", "rounding": "down"}),
    """
    jazz.recovery.rest: Rook: today's rest for health is used up
    """: ("recovery", {}, {"character": hurt(1, 1, rested={"health": True}), "rest": "halfHour"}),
    """
    jazz.recovery.rest: Rook: the rest is not for health
    jazz.recovery.rest: Rook: weird is held back
    jazz.conflict.out: Rook stays out
    summary: Rook: half an hour's rest, unchanged
    """: ("recovery", {}, {"character": hurt(1, 0, out=True), "rest": "halfHour", "pools": ["weird"], "blocked": ["weird"]}),
    """
    jazz.recovery.sleep: Thug: health is full again, 0 → 1
    jazz.recovery.sleep: Thug: there is no pool of weird
    jazz.recovery.sleep: Thug: a new day, with its half-hour rests
    """: ("recovery", {}, {"character": {**THUG, "health": {"current": 0, "max": 1}}, "rest": "night", "rounding": "down"}),
    """
    jazz.recovery.sleep: Rook: no health is lost
    """: ("recovery", {}, {"character": ROOK, "rest": "night"}),
    # advancement
    """
    jazz.advance.cap: former getaway driver +4: elite allows +4 at most
    summary: Rook cannot improve former getaway driver: at the maximum
    """: ("improve", {}, {"character": ROOK, "aspect": DRIVER, "fictionLevel": "elite"}),
    """
    jazz.advance.improve: Rook: 2d6, not all sixes
    summary: Rook tries to improve hereditary witch: not all sixes, unchanged. Rook: this session's attempt is used up
    """: ("improve", {"character": [6, 5]}, {"character": ROOK, "aspect": WITCH} | LEVEL),
    """
    jazz.advance.improve: Rook: 2d6, all sixes
    jazz.advance.improve: hereditary witch rises to +3
    jazz.aspects.expertise: hereditary witch: one more phrase of expertise is due
    jazz.advance.pools: The pool of weird rises by one
    """: ("improve", {"character": [6, 6]}, {"character": ROOK, "aspect": WITCH} | LEVEL),
    """
    jazz.advance.learn: medium: nothing on the sheet is similar, so one die
    jazz.advance.learn: medium comes in at +1
    """: ("learn", {"character": [6]}, {"character": SUM, "aspect": {"name": "medium", "weird": True}} | LEVEL),
    """
    jazz.weird.pool: Rook: the weird pool stays at 2
    """: (
        "learn",
        {"character": [6]},
        {"character": ROOK, "aspect": {"name": "medium", "weird": True}} | LEVEL,
    ),
    # the sheet check
    """
    jazz.fiction.levels: The bonuses add up to 6, where mundane allows 4
    jazz.fiction.levels: former getaway driver has a bonus of +4, where mundane allows +2
    jazz.health.pool: A health pool of 3, where the survival aspect gives 4
    jazz.weird.pool: A weird pool of 3, where the weird aspects give 2
    jazz.aspects.expertise: former getaway driver has 0 phrases of expertise for a bonus of +4
    jazz.complication.sheet: Rook: any complication will do
    summary: Rook: illegal for mundane, 6 findings
    """: (
        "character",
        {},
        {
            "character": rook(health={"current": 1, "max": 3}, weird={"current": 1, "max": 3}, complication="wanted"),
            "fictionLevel": "mundane",
        },
    ),
    """
    jazz.aspects.primary: The sheet lacks a secondary aspect
    jazz.fiction.levels: The bonuses add up to 4, where elite gives 8
    jazz.health.pool: No survival aspect is named, so there is no health pool
    """: ("character", {}, {"character": rook(aspects=ROOK["aspects"][:1], survivalAspect=None), "fictionLevel": "elite"}),
    """
    jazz.aspects.primary: The sheet lacks a primary and a secondary aspect
    jazz.health.pool: No survival aspect explains the health pool
    """: ("character", {}, {"character": {"name": "Blank", "aspects": [], "health": {"current": 1, "max": 1}}, "fictionLevel": "mundane"}),
    """
    jazz.fiction.levels: Ana: nothing is wrong with the sheet
    summary: Ana: legal for mundane, 0 findings. Ana: health 2
    """: (
        "character",
        {},
        {
            "character": {
                "name": "Ana",
                "aspects": [{"name": name, "bonus": 2, "expertise": ["a", "b"]} for name in ("baker", "cook")],
                "survivalAspect": "cook",
            },
            "fictionLevel": "mundane",
        },
    ),
}
"""By some of the steps in order, and other lines of the ruling: the action, the dice and the request."""


@pytest.mark.parametrize("expected", CASES, ids=lambda text: text.strip().partition(":")[0])
def test_texts(expected: str) -> None:
    action, faces, request = CASES[expected]
    ruling = play(action, faces, **request)
    lines = [f"{step['rule']}: {step['text']}" for step in ruling["steps"]]
    lines += [f"{option['choice']}: {option['text']}" for option in ruling.get("options", ())]
    lines.append(f"summary: {ruling['summary']}")
    # without the isolates around names
    lines = [line.translate({0x2068: None, 0x2069: None}) for line in lines]
    wanted = [line.strip() for line in expected.strip().splitlines()]
    assert [line for line in lines if line in wanted] == wanted
