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
    jazz.aspects.untrained: Rook: this takes a specialist, and here is one
    jazz.aspects.highest: Rook: former getaway driver +4
    jazz.karma.positive: Rook: positive karma is spent on an advantage die
    jazz.dice.disadvantage: Rook: the situation gives a disadvantage
    jazz.equipment.lost: Rook: without the ordinary equipment, a disadvantage
    jazz.dice.single: Rook: 2 sources of disadvantage count as one
    jazz.dice.cancel: Rook: advantage and disadvantage cancel, 2d6
    jazz.equipment.unusual: Rook: unusual gear changes the dice
    jazz.dice.reroll: Rook: dice that show 1 or 2 are rolled again, once
    jazz.dice.roll: Rook: 2d6 + 4 = 12
    jazz.check.success: 12 reaches 8
    summary: Rook: 5 + 3 + 4 = 12 against 8: success by 4
    """: (
        "check",
        {"actor": [5, 3]},
        by(driving(LUCKY, spend="karma", disadvantage=True, withoutEquipment=True, gear=REROLL), specialistOnly=True),
    ),
    """
    jazz.aspects.universal: actor: +2 already covers what everyone can do
    jazz.dice.advantage: actor: the situation gives an advantage
    jazz.equipment.unusual: actor: unusual gear gives an advantage
    jazz.dice.single: actor: 2 sources of advantage count as one
    jazz.dice.advantage: actor: one extra die, 3d6
    jazz.dice.reroll: actor: dice that show 6 are rolled again, until none does (option until)
    jazz.aspects.missing: actor: the increase is for want of an aspect, and one applies
    jazz.check.success: 5 falls short of 8
    """: (
        "check",
        {"actor": [1, 1, 1]},
        by({"bonus": 2, "universal": True, "advantage": True, "gear": {"advantage": True, **CLEAR}}, difficultyIncrease=1),
    ),
    """
    jazz.aspects.universal: actor: everyone here can do this, so the bonus is +1
    jazz.dice.disadvantage: actor: one die less, 1d6
    jazz.dice.reroll: actor: no faces are named, so nothing is rolled again (option until)
    jazz.aspects.missing: actor: the increase is for want of an aspect, and everyone here can do this
    jazz.check.contest: nobody opposes, so there is no tie to decide (option ties)
    """: ("check", {}, by({"universal": True, "disadvantage": True, "gear": {"until": "clear"}}, difficultyIncrease=2, ties="opponent")),
    """
    jazz.aspects.missing: actor: no aspect applies, so nothing is added
    jazz.difficulty.table: easy is difficulty 8
    jazz.aspects.missing: actor: without an aspect it is harder by 2
    jazz.karma.rescue: actor: no rescue is granted, so there is no choice of how (option rescueBy)
    jazz.weird.spend: nothing extraordinary is tried, so no weird is at stake (option spendOn)
    """: (
        "check",
        {"actor": [1, 1]},
        {"actor": {}, "level": "easy", "difficultyIncrease": 2, "rescueBy": "rollAgain", "spendOn": "success"},
    ),
    "jazz.karma.negative: Rook: negative karma is imposed and used up": ("check", {}, by(driving(UNLUCKY, imposeKarma=True))),
    "jazz.complication.die: Rook: the die a complication earned is spent": ("check", {}, by(driving(HOLDING, spend="heldAdvantage"))),
    # without a roll
    """
    jazz.check.stakes: Rook: nothing to lose and no hurry, so no roll
    jazz.karma.positive: Rook: no roll, so the die is kept
    jazz.dice.reroll: Rook: no roll, so nothing is rolled again
    jazz.aspects.universal: Rook: no roll, so there is no bonus to be at least 1
    jazz.karma.negative: Rook: no roll, so nothing is imposed
    jazz.dice.disadvantage: Rook: no roll, so the situation takes no die
    jazz.equipment.lost: Rook: no roll, so the missing equipment takes no die
    jazz.weird.spend: Rook: no roll, so no weird is spent
    jazz.check.contest: no roll, so there is no tie to decide (option ties)
    jazz.aspects.missing: Rook: no roll, and no number to be harder by 2
    summary: Rook: automatic, no roll
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
    jazz.dice.advantage: actor: no roll, so the situation gives no die
    jazz.equipment.unusual: actor: no roll, so the gear gives no die
    """: ("check", {}, {"actor": {"advantage": True, "gear": {"advantage": True}}, "stakes": "routine"}),
    """
    jazz.aspects.untrained: actor: only a specialist can try this
    jazz.karma.rescue: actor: no roll, so nothing to rescue
    jazz.weird.spend: actor: nothing is tried, so no weird is spent
    """: ("check", {}, by({"extraordinary": True}, specialistOnly=True, rescue=True)),
    # contests
    "jazz.check.contest: 6 against 5": ("check", {"actor": [3, 3], "opponent": [3, 2]}, CONTEST),
    "jazz.check.contest: 6 against 5, so there is no tie to decide (option ties)": (
        "check",
        {"actor": [3, 3], "opponent": [3, 2]},
        CONTEST | {"ties": "opponent"},
    ),
    "jazz.check.contest: a tie at 6: actor has it (option ties)": ("check", {"actor": [3, 3], "opponent": [3, 3]}, CONTEST),
    "jazz.check.contest: a tie at 6: nobody has it (option ties)": (
        "check",
        {"actor": [3, 3], "opponent": [3, 3]},
        CONTEST | {"ties": "stalemate"},
    ),
    # rescues
    """
    jazz.karma.rescue: Rook: the game master grants one more die, 5
    jazz.dice.cancel: Rook: with it the disadvantage is cancelled, 2d6
    jazz.karma.rescue: Rook: rescued, so karma turns negative
    summary: Rook: 3 + 4 + 5 = 12 against 12: success
    """: ("check", {"actor": [3], "actor.rescue": [5]}, RESCUED | {"actor": driving(disadvantage=True)}),
    """
    jazz.karma.rescue: Rook: the game master grants a new roll with the advantage (option rescueBy)
    jazz.karma.neutral: Rook: rescued, so karma turns neutral
    summary: Rook: 2 + 3 + 4 + 4 = 13 against 12: success by 1
    """: ("check", {"actor": [3, 3], "actor.rescue": [2, 3, 4]}, RESCUED | {"actor": driving(LUCKY), "rescueBy": "rollAgain"}),
    "jazz.karma.rescue: actor: rescued, so karma moves one place towards negative": (
        "check",
        {"actor": [3, 3], "actor.rescue": [6]},
        RESCUED | {"actor": {}},
    ),
    "jazz.karma.rescue: Rook: no rescue was needed": ("check", {"actor": [6, 6]}, RESCUED),
    "jazz.karma.rescue: Rook: no rescue was needed (option rescueBy)": ("check", {"actor": [6, 6]}, RESCUED | {"rescueBy": "rollAgain"}),
    # weird
    """
    jazz.weird.spend: Rook: baker and former getaway driver cannot do the truly extraordinary, so the weird counts alone
    jazz.weird.spend: Rook: success (option spendOn)
    jazz.weird.spend: Rook: truly extraordinary, one weird spent
    """: (
        "check",
        {"actor": [3, 3]},
        by(bewitching(rook(aspects=[BAKER, *ROOK["aspects"]]), using=["baker", WITCH, DRIVER]), spendOn="success"),
    ),
    "jazz.weird.spend: Rook: no success (option spendOn)": ("check", {"actor": [1, 1]}, by(bewitching(), spendOn="success")),
    "jazz.weird.free: Rook: an ordinary use of a weird aspect costs nothing": ("check", {}, by(driving(using=[WITCH]))),
    "jazz.weird.pool: Rook: the weird aspects add up to a weird pool of 3 (option weirdPool)": ("check", {}, by(driving(SUM))),
    """
    jazz.difficulty.weird: restoreHealth.one is difficulty 8
    jazz.weird.restore: Rook: not out, where the row is for somebody unconscious; it counts all the same
    jazz.weird.restore: Rook: health 3 becomes 4
    """: ("check", {}, HEAL | {"subject": hurt(3)}),
    "jazz.weird.restore: Rook: failure, so nothing is restored": ("check", {"actor": [1, 1]}, HEAL | {"actor": {}, "subject": ROOK}),
    # options
    """
    rescue: the game master grants one more die; success then costs karma
    spendKarma: Rook: positive karma on this roll; it has to be declared before the dice are read
    spendHeldAdvantage: Rook: the die a complication earned on this roll; it has to be declared before the dice are read
    """: (
        "check",
        {},
        by(driving(rook(karma="positive", heldAdvantage=True), disadvantage=True), difficulty=12, seed=2, include=["options"]),
    ),
    # teams
    """
    jazz.team.highest: members.0: alone, so nothing is added
    summary: members.0: 4 + 3 + 3 = 10 against 11: failure by 1
    """: ("teamwork", {"members.0": [4, 3]}, {"members": [{"bonus": 3}], "difficulty": 11}),
    """
    jazz.team.attack: 2 of them: attackers.1 has the highest, 7 + 2
    jazz.team.attack: the defenders team up (option teamDefence)
    jazz.team.highest: 2 of them: defender has the highest, 4 + 2
    jazz.conflict.attack: 9 against 6: a hit
    summary: attackers.1 and 1 more on defender: 3 + 3 + 1 + 2 = 9 against 6: hit by 3
    """: (
        "attack",
        {"attackers.0": [1, 1], "attackers.1": [3, 3], "defender": [2, 2], "teamDefence.0": [1, 1]},
        {"attackers": [{}, {"bonus": 1}], "defender": {}, "teamDefence": [{}]},
    ),
    # initiative
    """
    jazz.conflict.initiative: Ana: 2d6 + 6 = 9 (option initiativeBonus)
    jazz.conflict.drop: Bo has the drop: one extra die, 3d6
    jazz.conflict.initiative: Bo: 3d6 + 0 = 9
    jazz.conflict.order: a tie: Ana and Bo roll again
    jazz.conflict.order: from the highest to the lowest: Bo, then Ana
    summary: Initiative: Bo 9, Ana 9
    """: (
        "initiative",
        {"combatants.0": [1, 2], "combatants.1": [3, 3, 3], "combatants.0.tie1": [1, 1], "combatants.1.tie1": [2, 1]},
        {"combatants": [{"id": "a", "name": "Ana", "initiativeBonus": 6}, {"id": "b", "name": "Bo", "drop": True}]},
    ),
    """
    jazz.conflict.order: from the highest to the lowest: Ana and Bo (option ties: simultaneous)
    summary: Initiative: Ana 3 and Bo 3
    """: (
        "initiative",
        {"combatants.0": [1, 2], "combatants.1": [1, 2]},
        {"combatants": [{"id": "a", "name": "Ana"}, {"id": "b", "name": "Bo"}], "ties": "simultaneous"},
    ),
    # attacks
    """
    jazz.weird.free: Rook: attacking one target is not extraordinary, so no weird is spent
    jazz.weird.free: Rook: defending is not extraordinary, so no weird is spent
    jazz.conflict.kind: a a war of {words} conflict wears down health all the same
    jazz.conflict.attack: 4 against 9: a miss
    """: (
        "attack",
        {"attackers.0": [1, 1], "defender": [3, 4]},
        {"attackers": [bewitching()], "defender": bewitching(), "kind": "a war of {words}"},
    ),
    "jazz.conflict.out: Rook has no health left and is out of the fight": (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": driving(hurt(1))},
    ),
    "jazz.conflict.unnamed: Thug is unnamed, and out of the fight at once": (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": {"character": THUG}},
    ),
    "jazz.health.pool: Rook: a health is lost, but without a survival aspect nobody knows of how many, so nobody can be brought down": (
        "attack",
        {},
        {"attackers": [{"bonus": 99}], "defender": driving(rook(survivalAspect=None))},
    ),
    # rounds
    """
    jazz.conflict.initiative: initiative is rolled once per conflict, and the order stands
    jazz.conflict.order: the order was given, so there is no tie to decide (option ties)
    jazz.conflict.drop: the order was given, so to have the drop on the others changes nothing
    jazz.conflict.initiative: the order was given, so no bonus is added (option initiativeBonus)
    jazz.conflict.order: more than one side still stands, so another round follows
    summary: Round 1: nobody attacks; ongoing
    """: ("round", {}, attacks(combatants=[{**ANA, "drop": True}, {**CY, "initiativeBonus": 2}], ties="listed")),
    """
    jazz.conflict.attack: Ana on Cy: hit
    jazz.conflict.out: Cy is out already, so Bo does not attack
    jazz.conflict.out: Cy went down before the turn came, and does not attack
    jazz.conflict.out: x is all that still stands, so the conflict is over
    summary: Round 1: Ana on Cy: hit; finished
    """: ("round", HIT, attacks("a c", "b c", "c a", combatants=[ANA, BO, CY], order=[["a"], ["b"], ["c"]])),
    "jazz.conflict.out: Cy is out already, so Ana and Bo do not attack": (
        "round",
        HIT,
        attacks("d c", "a b c", combatants=[ANA, BO, CY, {**BO, "id": "d"}], order=[["d"], ["a"], ["b"], ["c"]]),
    ),
    "jazz.conflict.out: nobody still stands, so the conflict is over": ("round", HITS, attacks("a c", "c a", order=[["a", "c"]])),
    "jazz.karma.positive: Rook: no roll for it this round, so nothing is spent": (
        "round",
        {},
        attacks(combatants=[ANA, combatant("c", "y", driving(hurt(0), spend="karma"))]),
    ),
    # fights
    """
    jazz.conflict.attack: x: on the weakest who stands (option tactics)
    jazz.dice.roll: Ana: 2d6 + 0
    jazz.conflict.attack: round 1: Ana on Cy: 12 against 2: a hit
    jazz.conflict.out: round 1: Cy has no health left and is out of the fight
    jazz.conflict.out: x is all that still stands, so the conflict is over
    summary: A fight of 1 round, 1 attack, won by x; down: Cy
    """: (
        "fight",
        {"combatants.0.round1.attack": [6, 6], "combatants.1.round1.against0": [1, 1]},
        {"combatants": [ANA, CY], "order": ORDER, "tactics": {"x": "weakest"}},
    ),
    """
    jazz.conflict.unnamed: round 1: Thug is unnamed, and is out of the fight
    jazz.karma.positive: Thug: no attack in this fight, so the die is kept
    """: (
        "fight",
        {"combatants.0.round1.attack": [6, 6], "combatants.1.round1.against0": [1, 1]},
        {"combatants": [ANA, combatant("c", "y", {"character": {**THUG, "karma": "positive"}, "spend": "karma"})], "order": ORDER},
    ),
    """
    jazz.conflict.order: Rook and Wren act at the same time: each attacks, even if brought down just before
    jazz.conflict.order: after 1 round more than one side still stands (option maxRounds)
    summary: A fight of 1 round, 2 attacks, undecided; nobody went down
    """: (
        "fight",
        {"combatants.0.round1.attack": [1, 1], "combatants.1.round1.against0": [1, 1]},
        {"combatants": DRIVERS, "order": [["r", "w"]], "maxRounds": 1},
    ),
    "jazz.conflict.out: nobody still stands, so the conflict is over, and nobody's": (
        "fight",
        {},
        {"combatants": [combatant("a", "x", driving(hurt(0))), combatant("c", "y", driving(hurt(0)))]},
    ),
    # karma and complications
    """
    jazz.karma.positive: Rook: karma was neutral and becomes positive
    summary: Rook: positive karma granted, karma is positive
    """: ("karma", {}, {"character": ROOK, "grant": "positive"}),
    """
    jazz.karma.neutral: Rook: karma is positive already, and never more than that
    summary: Rook: positive karma unchanged, karma is positive
    """: ("karma", {}, {"character": LUCKY, "grant": "positive"}),
    """
    jazz.complication.sheet: Rook: the sheet names no complication; the table knows which it was
    jazz.complication.die: Rook: earns an advantage die for a later roll
    summary: Rook: granted, an advantage die is held
    """: ("complication", {}, {"character": ROOK}),
    "jazz.complication.die: Rook: one such die is held already, and no more than one": ("complication", {}, {"character": HOLDING}),
    # recovery
    """
    jazz.recovery.rest: health: half of the 3 lost is 1 (option rounding: down)
    jazz.recovery.rest: weird: half of the 1 lost is 0 (option rounding: down)
    jazz.conflict.out: Rook comes round
    summary: Rook, half an hour's rest: health 1 → 2; recovered
    """: ("recovery", {}, {"character": hurt(1, 1, out=True), "rest": "halfHour", "rounding": "down"}),
    """
    jazz.recovery.rest: health: today's rest for it is used up
    jazz.recovery.rest: weird: half of the 1 lost is 1
    """: ("recovery", {}, {"character": hurt(1, 1, rested={"health": True}), "rest": "halfHour"}),
    """
    jazz.recovery.rest: health: the rest is not for it (option pools)
    jazz.recovery.rest: weird: it is held back (option blocked)
    jazz.conflict.out: Rook stays out
    summary: Rook, half an hour's rest: no pool rises; unchanged
    """: ("recovery", {}, {"character": hurt(1, 0, out=True), "rest": "halfHour", "pools": ["weird"], "blocked": ["weird"]}),
    """
    jazz.recovery.sleep: health: full again, 1
    jazz.recovery.sleep: weird: there is no such pool
    jazz.recovery.sleep: nothing is halved, so nothing is rounded (option rounding)
    jazz.recovery.sleep: Thug: a new day, with its half-hour rests
    summary: Thug, a night's sleep: health 0 → 1; recovered
    """: ("recovery", {}, {"character": {**THUG, "health": {"current": 0, "max": 1}}, "rest": "night", "rounding": "down"}),
    "jazz.recovery.sleep: health: nothing of it is lost": ("recovery", {}, {"character": ROOK, "rest": "night"}),
    # advancement
    """
    jazz.advance.cap: former getaway driver +4: elite allows +4 at most
    summary: Rook, former getaway driver: no roll: atMaximum
    """: ("improve", {}, {"character": ROOK, "aspect": DRIVER, "fictionLevel": "elite"}),
    "jazz.advance.improve: Rook: 2d6, not all sixes": ("improve", {"character": [6, 5]}, {"character": ROOK, "aspect": WITCH} | LEVEL),
    """
    jazz.advance.improve: Rook: 2d6, all sixes
    jazz.advance.improve: hereditary witch rises to +3
    jazz.aspects.expertise: hereditary witch: one more phrase of expertise is due
    jazz.advance.pools: the weird pool rises by one
    summary: Rook, hereditary witch: 6 + 6: improved
    """: ("improve", {"character": [6, 6]}, {"character": ROOK, "aspect": WITCH} | LEVEL),
    """
    jazz.advance.learn: medium: nothing on the sheet is similar, so one die
    jazz.advance.learn: medium comes in at +1
    jazz.weird.pool: the weird aspects now add up to 4 (option weirdPool)
    summary: Rook, medium: 6: learned
    """: ("learn", {"character": [6]}, {"character": SUM, "aspect": {"name": "medium", "weird": True}} | LEVEL),
    "jazz.weird.pool: the weird pool is the highest of the weird aspects, which stays 2": (
        "learn",
        {"character": [6]},
        {"character": ROOK, "aspect": {"name": "medium", "weird": True}} | LEVEL,
    ),
    # the sheet check
    """
    jazz.fiction.levels: error: bonuses of 6 in all, where mundane allows 4
    jazz.fiction.levels: error: a bonus of +4, where mundane allows +2
    jazz.health.pool: error: a health pool of 3, where the survival aspect gives 4
    jazz.weird.pool: error: a weird pool of 3, where the weird aspects give 2
    jazz.aspects.expertise: warning: 0 phrases of expertise for a bonus of +4
    jazz.complication.sheet: any complication will do
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
    jazz.aspects.primary: error: the sheet lacks a secondary aspect
    jazz.fiction.levels: warning: bonuses of 4 in all, where elite gives 8
    jazz.health.pool: warning: no survival aspect is named, so there is no health pool
    """: ("character", {}, {"character": rook(aspects=ROOK["aspects"][:1], survivalAspect=None), "fictionLevel": "elite"}),
    """
    jazz.aspects.primary: error: the sheet lacks a primary aspect and a secondary one
    jazz.health.pool: error: a health pool that no survival aspect explains
    """: ("character", {}, {"character": {"name": "Blank", "aspects": [], "health": {"current": 1, "max": 1}}, "fictionLevel": "mundane"}),
    """
    jazz.fiction.levels: Ana: there is nothing to say against the sheet
    summary: Ana: legal for mundane, no findings
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


@pytest.mark.parametrize("expected", CASES)
def test_texts(expected: str) -> None:
    action, faces, request = CASES[expected]
    ruling = play(action, faces, **request)
    lines = [f"{step['rule']}: {step['text']}" for step in ruling["steps"]]
    lines += [f"{option['choice']}: {option['text']}" for option in ruling.get("options", ())]
    lines.append(f"summary: {ruling['summary']}")
    wanted = [line.strip() for line in expected.strip().splitlines()]
    assert [line for line in lines if line in wanted] == wanted
