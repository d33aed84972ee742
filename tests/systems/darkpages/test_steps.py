"""The sentences of rulings: one whole ruling of each action, then every other sentence of a step, a summary or an option once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action
from tests.systems.darkpages.playing import NYX, npc, nyx, play, pool
from tests.systems.playing import Faces

ONE = pool(1, 1)
SPY = pool(1, 1, archetype="Spy")
ZEROS_THAT_SUCCEED = pool(3, 2, keep="mostZerosThatSucceed")
NO_DICE = pool(1, 1, modifiers=["-1/1"])
DOWN = nyx(defeated=True)
DESTROYED = {"character": nyx(damage={"health": "destroyed"})}
HURT = nyx(
    damage={"health": "damaged", "sanity": "diminished"},
    overflow={"sanity": 2},
    scars=[{"attribute": "soul", "modifier": "-1/0"}, {"modifier": "-0/1"}],
)

Case = tuple[str, Faces, dict[str, Any], list[str]]


def steps_of(ruling: dict[str, Any]) -> list[str]:
    """The steps as ``rule: text``, with `` = value`` where there is one."""
    steps = [(step["rule"].removeprefix("darkpages."), step["text"], step["value"]) for step in ruling["steps"]]
    return [f"{rule}: {text}" if value is None else f"{rule}: {text} = {value}" for rule, text, value in steps]


WHOLE: list[Case] = [
    (
        "check",
        {"actor": [5, 6]},
        {"actor": {"character": HURT, "attribute": "mind", "modifiers": ["+1/1"], "scars": [0, 1]}, "targetNumber": 5, "overflow": "stack"},
        [
            "attributes: Nyx: mind 4k2 = mind",
            "scars: Nyx: the Scar weighs on soul, not here",
            "scars: Nyx: a Scar weighs -0/1 = -0/1",
            "damage.penalties: Nyx: sanity diminished weighs -1/0 = diminished",
            "damage.nonlethal: Nyx: 2 further harm weighs −1/−1 each (option overflow) = stack",
            "modifiers.sum: Nyx: 2k0 with everything added = 2k0",
            "modifiers.floor: Nyx: never fewer than 1 (option floor) = one",
            "dice.keep: Nyx: 2 dice, 1 kept, 6",
            "check.target: 6 reaches 5",
            "Nyx: 6 of 5 6 = 6 against 5: success by 1",
        ],
    ),
    (
        "attack",
        {"attacker": [9, 9], "defender": [1, 1, 1], "defender.damage": [1, 2, 3, 4]},
        {
            "attacker": pool(2, 2),
            "defender": {"character": NYX, "attribute": "soul"},
            "trauma": "injury",
            "resistWith": "mind",
            "goal": "to win",
        },
        [
            "goals.parts: the goal: to win",
            "attributes: Nyx: soul 3k2 = soul",
            "dice.keep: attacker: 2 dice, 2 kept, 18",
            "dice.keep: Nyx: 3 dice, 2 kept, 2",
            "check.opposed: 18 against 2: success",
            "damage.check: Nyx resists with mind (option resistWith) = mind",
            "attributes: Nyx: mind 4k2 = mind",
            "damage.traits: injury strikes body, and health bears it = body",
            "dice.keep: Nyx: 4 dice, 2 kept, 7",
            "damage.check: Nyx: 7 against 18, is harmed",
            "damage.lethal: injury is lethal to Nyx = True",
            "damage.defeated: Nyx is Defeated until the conflict ends (option onHarm) = defeated",
            "attacker on Nyx (to win): 9 + 9 of 9 9 = 18 against 2; Nyx resists with 3 + 4 of 1 2 3 4 = 7: defeated",
        ],
    ),
    (
        "damage",
        {"target": [1, 1, 1]},
        {
            "target": {"character": nyx(damage={"sanity": "damaged"}, overflow={"sanity": 2})},
            "trauma": "fatigue",
            "against": 30,
            "onHarm": "risk",
        },
        [
            "attributes: Nyx: mind 4k2 = mind",
            "damage.penalties: Nyx: sanity damaged weighs -1/-1 = damaged",
            "modifiers.sum: Nyx: 3k1 with everything added = 3k1",
            "damage.traits: fatigue strikes mind, and sanity bears it = mind",
            "dice.keep: Nyx: 3 dice, 1 kept, 1",
            "damage.check: Nyx: 1 against 30, is harmed",
            "damage.lethal: fatigue is not lethal to Nyx = False",
            "damage.defeated: Nyx risks it and stays up (option onHarm) = risk",
            "damage.nonlethal: Nyx: sanity gets no worse by it; the harm is counted = held",
            "Nyx resists fatigue: 1 of 1 1 1 = 1 against 30: held by 29",
        ],
    ),
    (
        "defend",
        {"ward": [9, 9], "attacker": [9], "attacker.second": [9], "defender.damage": [9]},
        {
            "attacker": pool(1, 1, keepDice=[0]),
            "defender": pool(1, 1, keepDice=[0]),
            "ward": pool(2, 2),
            "trauma": "stress",
            "secondKeepDice": [0],
            "goal": "to get away",
        },
        [
            "goals.parts: the goal: to get away",
            "defenders: ward is the higher rated and rolls against the attacker = ward",
            "dice.choice: defender does not roll against the attacker, so the dice chosen do not count",
            "dice.keep: ward: 2 dice, 2 kept, 18",
            "dice.keep: attacker: 1 die, 1 kept, 9",
            "dice.choice: attacker: the player keeps these very dice = highest",
            "check.opposed: 18 against 9: success",
            "defenders: ward is safe; the defender has to avoid harm in turn = wardSafe",
            "dice.keep: attacker: 1 die, 1 kept, 9",
            "dice.choice: attacker: the player keeps these very dice = highest",
            "damage.traits: stress strikes mind, and sanity bears it = mind",
            "dice.keep: defender: 1 die, 1 kept, 9",
            "damage.check: defender: 9 against 9, nothing changes (option damageTie) = stalemate",
            "defender for ward (to get away): 9 + 9 of 9 9 = 18 against 9; defender resists with 9 of 9 = 9: stalemate",
        ],
    ),
    (
        "noMercy",
        {"attacker": [1], "rescuer": [2]},
        {"attacker": ONE, "rescuer": ONE, "victim": DOWN, "trauma": "injury", "removesFromPlay": True, "goal": "an end"},
        [
            "goals.death: a goal that is allowed here alone = removesFromPlay",
            "goals.parts: the goal: an end",
            "dice.keep: attacker: 1 die, 1 kept, 1",
            "dice.keep: rescuer: 1 die, 1 kept, 2",
            "check.opposed: 1 against 2: failure",
            "noMercy: Nyx lives = spared",
            "optional.danger: the failure may endanger attacker",
            "attacker on Nyx (an end): 1 of 1 = 1 against 2: spared by 1",
        ],
    ),
    (
        "teamwork",
        {"members.0": [9, 0, 0]},
        {
            "members": [pool(3, 1), SPY | {"modifiers": ["+1/1"]}, npc(1, 1)],
            "targetNumber": 9,
            "goal": "to be gone",
            "means": "by car",
            "effect": "they are late",
        },
        [
            "teamwork: members.0 is the highest rated and makes the check = 0",
            "goals.parts: the goal: to be gone",
            "goals.parts: the means: by car",
            "goals.parts: the effect: they are late",
            "teamwork: members.1 only assists: modifiers, scars and chosen dice of an assistant do not count",
            "teamwork: 2 assistants, so 2 more dice are kept = 2",
            "modifiers.sum: members.0: 3k3 with everything added = 3k3",
            "dice.keep: members.0: 3 dice, 3 kept, 9",
            "teamwork.points: members.0: zeros kept, 2, so each Spy earns as many Training Points = 2",
            "check.target: 9 reaches 9",
            "members.0 and 2 more (to be gone; means: by car; effect: they are late): 9 + 0 + 0 of 9 0 0 = 9 against 9: success",
        ],
    ),
    (
        "swarm",
        {"members.0": [0], "members.1": [0, 9], "members.2": [5]},
        {"members": [ONE, pool(2, 1, keep="mostZeros"), ONE], "use": "lowest", "targetNumber": 5, "effect": "silence"},
        [
            "goals.parts: the effect: silence",
            "dice.keep: members.0: 1 die, 1 kept, 0",
            "dice.keep: members.1: 2 dice, 1 kept, 0",
            "dice.choice: members.1: the player keeps mostZeros = mostZeros",
            "dice.keep: members.2: 1 die, 1 kept, 5",
            "zero.dismal: members.0: nothing but zeros was rolled, a Dismal Failure = dismal",
            "zero.dramatic: members.1: nothing but zeros was kept, a Dramatic Failure = dramatic",
            "swarm: the lowest roll counts: members.0, 0; in a swarm nobody earns Training Points = lowest",
            "zero.dismal: the roll that counts is a failure in any case = dismalFailure",
            "optional.danger: the failure may endanger members.0, members.1, members.2",
            "members.0 for 3 (effect: silence): 0 of 0 = 0 against 5: dismalFailure by 5",
        ],
    ),
    (
        "recovery",
        {},
        {
            "character": nyx(damage={"health": "destroyed", "sanity": "damaged", "aura": "diminished"}, overflow={"sanity": 2}),
            "when": "interval",
            "scar": {"modifier": "-1/0"},
        },
        [
            "recovery.interval: the interval is up: it does what the end and the start of a session would",
            "recovery.destroyed: health eases to damaged = health",
            "scars: a Scar stays for good: -1/0 = -1/0",
            "recovery.damaged: health heals altogether = health",
            "recovery.damaged: sanity heals altogether = sanity",
            "recovery.diminished: aura is well again = aura",
            "Nyx, after the interval: health destroyed → damaged, a Scar of -1/0, "
            "health damaged → unhurt, sanity damaged → unhurt, overflow of sanity 2 → 0, aura diminished → unhurt",
        ],
    ),
    (
        "training",
        {},
        {"award": {"archetype": "Warrior", "points": 2}, "sessionEnded": True},
        [
            "training.session: each Warrior earns 2 Training Points = 2",
            "training.session: Training Points are earned at any time, so sessionEnded does not apply",
            "Warrior: awarded 2, 2 in hand",
        ],
    ),
    (
        "initiation",
        {},
        {
            "participants": [{"id": "a", "drama": 1}, {"id": "b", "name": "Nyx", "drama": 1}, {"id": "c"}],
            "weigh": ["drama", "ease", "proximity"],
        },
        ["iiee.order: drama weighs most, then ease, then proximity; equals share a place", "a with Nyx, then c"],
    ),
    (
        "character",
        {},
        {
            "character": nyx(
                archetype=None,
                lethal="aura",
                attributes={
                    name: NYX["attributes"][name] | {"rating": label}
                    for name, label in (("body", "Primary"), ("mind", "Best"), ("soul", "limited"))
                },
                damage={"health": "destroyed", "aura": "destroyed"},
                overflow={"aura": 1, "sanity": 1},
                defeated=True,
            )
        },
        [
            "damage.destroyed: error: only lethal Trauma destroys = error",
            "damage.destroyed: error: nobody is both Destroyed and Defeated and still in the game = error",
            "attributes: warning: an Attribute is rated Primary, Secondary or Limited = warning",
            "damage.lethal: warning: the Primary Attribute's Trauma is usually the lethal one, if not always = warning",
            "zero.points: warning: without an Archetype nobody earns what the kept zeros teach = warning",
            "damage.nonlethal: warning: further harm is counted on what is Damaged = warning",
            "damage.nonlethal: warning: further harm is counted where Trauma stops at Damaged, and the lethal one does not = warning",
            "Nyx: illegal, 7 findings",
        ],
    ),
]
"""One ruling of each action: its steps in order, then its summary."""


@pytest.mark.parametrize(("action", "faces", "request_", "expected"), WHOLE, ids=[case[0] for case in WHOLE])
def test_steps_and_summary_of_a_whole_ruling(action: str, faces: Faces, request_: dict[str, Any], expected: list[str]) -> None:
    ruling = play(action, faces, **request_)
    assert [*steps_of(ruling), ruling["summary"]] == expected


SENTENCES: list[Case] = [
    (
        "check",
        {"actor": [0]},
        {"actor": ONE, "targetNumber": 6, "goal": "grab the bomb And run", "goalPolicy": "warn"},
        [
            "goals.single: this is several goals (option goalPolicy) = warn",
            "zero.dismal: actor: nothing but zeros was rolled, a Dismal Failure = dismal",
            "zero.points: actor: zeros kept, 1, but no Archetype is there to earn points = 0",
            "actor (grab the bomb And run): 0 of 0 = 0 against 6: dismalFailure by 6",
        ],
    ),
    (
        "check",
        {"actor": [5]},
        {"actor": ONE, "targetNumber": 6, "goal": "grab the bomb and run", "goalPolicy": "ignore"},
        ["goals.single: the word is let pass (option goalPolicy) = ignore", "check.target: 5 falls short of 6"],
    ),
    (
        "check",
        {},
        {"actor": ONE, "targetNumber": 5, "goal": "the bomb", "goalPolicy": "warn"},
        ["goals.single: the goal is a single one, so there is nothing to object to (option goalPolicy)"],
    ),
    (
        "check",
        {"actor": [5]},
        {"actor": ONE, "targetNumber": 5, "means": "wire and patience", "goalPolicy": "ignore"},
        [
            "goals.single: no goal is sent, so there is nothing to object to (option goalPolicy)",
            "goals.parts: the means: wire and patience",
            "actor (means: wire and patience): 5 of 5 = 5 against 5: success",
        ],
    ),
    (
        "check",
        {"actor": [5]},
        {"actor": ONE, "targetNumber": 5, "goal": "", "means": "", "effect": ""},
        ["actor: 5 of 5 = 5 against 5: success"],
    ),
    (
        "check",
        {"actor": [0, 0, 9]},
        {"actor": pool(3, 1, archetype="Spy", keep="mostZeros"), "targetNumber": 6},
        [
            "zero.dramatic: actor: nothing but zeros was kept, a Dramatic Failure; the player tells how = dramatic",
            "zero.points: actor: zeros kept, 1, so each Spy earns as many Training Points = 1",
        ],
    ),
    (
        "check",
        {"actor": [0, 9]},
        {"actor": npc(2, 2), "targetNumber": 9},
        ["zero.points: actor: the game master's characters earn nothing = 0"],
    ),
    (
        "check",
        {},
        {"actor": pool(2, 1, keepDice=[1], keep="mostZeros"), "targetNumber": 9},
        ["dice.choice: actor: the player keeps these very dice, whatever mostZeros would keep = mostZeros"],
    ),
    (
        "check",
        {},
        {"actor": {"character": HURT, "attribute": "soul"}, "targetNumber": 5, "overflow": "stack"},
        ["damage.nonlethal: Nyx: no further harm is counted, so none weighs (option overflow)"],
    ),
    (
        "check",
        {},
        {"actor": ONE, "targetNumber": 5, "overflow": "stack"},
        ["damage.nonlethal: actor: a bare pool counts no further harm, so none weighs (option overflow)"],
    ),
    (
        "check",
        {},
        {"actor": pool(1, 1, modifiers=["-2/2"]), "targetNumber": 5, "floor": "zero"},
        [
            "modifiers.sum: actor: -1k-1 with everything added = -1k-1",
            "modifiers.floor: actor: never fewer than 0 (option floor) = zero",
            "dice.keep: actor: 0 dice, 0 kept, 0",
            "modifiers.floor: actor: no die is kept, so the total is 0 and fails = 0",
            "actor: nothing of no dice = 0 against 5: failure by 5",
        ],
    ),
    (
        "check",
        {"actor": [0], "opponent": [0, 0]},
        {"actor": ONE, "opponent": npc(2, 1)},
        ["zero.dismal: both rolled nothing but zeros: nobody wins = stalemate", "actor: 0 of 0 = 0 against 0: stalemate"],
    ),
    (
        "check",
        {"opponent": [0, 4, 3]},
        {"actor": ZEROS_THAT_SUCCEED, "opponent": ZEROS_THAT_SUCCEED},
        [
            "dice.keep: opponent: 3 dice, 2 kept, 7",
            "dice.choice: opponent: the other side waits for these dice, so the highest are kept = highest",
            "dice.choice: actor: the player keeps mostZerosThatSucceed = mostZerosThatSucceed",
        ],
    ),
    (
        "check",
        {},
        {
            "actor": {"character": HURT, "attribute": "mind", "keepDice": [0], "modifiers": ["+1/0"], "scars": [1]},
            "opponent": pool(2, 1, keep="mostZeros"),
            "stakes": "nothing",
            "floor": "zero",
            "overflow": "stack",
        },
        [
            "check.stakes: nothing is at stake: nobody rolls, the game master decides = nothing",
            "modifiers.floor: nobody rolls, so no pool has to be floored (option floor)",
            "damage.nonlethal: nobody rolls, so no further harm weighs (option overflow)",
            "dice.choice: Nyx does not roll, so the dice chosen do not count",
            "modifiers.sum: Nyx does not roll, so no modifier counts",
            "scars: Nyx does not roll, so no Scar weighs",
            "dice.choice: opponent does not roll, so keep does not apply",
            "Nyx: noRoll",
        ],
    ),
    (
        "attack",
        {"attacker": [9, 9], "defender": [1], "defender.damage": [1]},
        {"attacker": pool(2, 2), "defender": ONE, "trauma": "injury", "resistWith": "mind"},
        [
            "damage.check: defender: a bare pool serves for every roll, so resistWith does not apply",
            "damage.steps: defender: no sheet was sent, so it counts as unhurt",
        ],
    ),
    (
        "attack",
        {"attacker": [1], "defender": [9, 9, 9]},
        {
            "attacker": ONE,
            "defender": {"character": NYX, "attribute": "soul"},
            "trauma": "stress",
            "resistWith": "mind",
            "damageKeep": "mostZeros",
            "damageKeepDice": [0, 1],
            "damageTie": "harm",
            "onHarm": "risk",
        },
        [
            "dice.choice: there is no damage check, so the dice chosen for it do not count",
            "dice.choice: there is no damage check, so damageKeep does not apply",
            "damage.check: there is no damage check, so resistWith does not apply",
            "damage.check: there is no damage check, so there is no tie to decide (option damageTie)",
            "damage.defeated: there is no damage check, so nothing is risked (option onHarm)",
            "attacker on Nyx: 1 of 1 = 1 against 18: failed by 17",
        ],
    ),
    (
        "attack",
        {"attacker": [9], "defender": [0], "defender.damage": [9]},
        {"attacker": ONE, "defender": ONE, "trauma": "illness", "damageTie": "harm"},
        ["damage.check: defender: 9 against 9, is harmed (option damageTie) = harm"],
    ),
    (
        "attack",
        {"attacker": [9, 9], "defender": [1, 1, 1], "defender.damage": [9, 9, 1, 1, 0]},
        {
            "attacker": pool(2, 2),
            "defender": {"character": NYX, "keep": "mostZeros"},
            "trauma": "injury",
            "resistWith": "soul",
            "damageKeep": "highest",
            "onHarm": "risk",
        },
        [
            "damage.check: Nyx: soul counts against the attacker (option resistWith) = soul",
            "dice.choice: Nyx: the damage check keeps the highest (option damageKeep) = highest",
            "damage.check: Nyx: 19 against 18, resists",
            "damage.defeated: Nyx is not harmed, so nothing is risked (option onHarm)",
        ],
    ),
    (
        "attack",
        {"attacker": [9, 9], "defender": [1, 1]},
        {
            "attacker": pool(2, 2),
            "defender": pool(2, 1),
            "trauma": "injury",
            "damageKeep": "highest",
            "damageKeepDice": [1],
            "damageTie": "harm",
        },
        [
            "dice.choice: the dice of the damage check are chosen one by one, so damageKeep does not apply",
            "damage.check: the totals differ, so there is no tie to decide (option damageTie)",
        ],
    ),
    (
        "damage",
        {"target": [9]},
        {"target": ONE, "trauma": "fatigue", "against": 9, "opposed": False, "damageTie": "harm"},
        [
            "damage.check: a Target Number only has to be reached, so there is no tie to harm (option damageTie)",
            "damage.check: target: 9 against the Target Number 9, resists",
            "target resists fatigue: 9 of 9 = 9 against 9: resisted",
        ],
    ),
    (
        "damage",
        {},
        {"target": NO_DICE, "trauma": "stress", "against": 0, "opposed": False, "floor": "zero"},
        [
            "modifiers.floor: target: no die is kept, so the total is 0 and fails = 0",
            "damage.check: target: 0 against the Target Number 0, is harmed",
        ],
    ),
    (
        "damage",
        {"target": [0, 0, 9, 9]},
        {"target": {"character": NYX, "keep": "mostZeros"}, "trauma": "fatigue", "against": 3},
        ["damage.special: Nyx: a dramatic damage check is a failure like any other = dramatic"],
    ),
    (
        "damage",
        {"target": [0]},
        {"target": ONE, "trauma": "fatigue", "against": 0, "damageTie": "harm"},
        [
            "damage.special: target: a dismal damage check is a failure like any other = dismal",
            "damage.check: target: 0 against 0, is harmed",
            "damage.check: the roll fails whatever its total, so there is no tie to decide (option damageTie)",
        ],
    ),
    (
        "damage",
        {"target": [1] * 5},
        {"target": {"character": NYX}, "trauma": "injury", "against": 30, "onHarm": "risk"},
        ["damage.steps: Nyx: health goes from unhurt to diminished = diminished"],
    ),
    (
        "damage",
        {"target": [1] * 4},
        {"target": DESTROYED, "trauma": "illness", "against": 30, "onHarm": "risk"},
        [
            "damage.defeated: Nyx has nothing worse left to risk against lethal Trauma (option onHarm)",
            "damage.destroyed: Nyx is Destroyed: to be Defeated is to be out of the game = outOfGame",
        ],
    ),
    (
        "defend",
        {"defender": [9], "attacker": [8]},
        {
            "attacker": ONE,
            "defender": ONE,
            "ward": pool(1, 1, keep="mostZeros", modifiers=["-1/0"]),
            "trauma": "stress",
            "reuseAttack": True,
            "secondKeepDice": [0],
        },
        [
            "defenders: the attacker's first roll stands for the second (option reuseAttack) = True",
            "dice.choice: the attacker does not roll again, so the dice chosen for it do not count",
            "dice.choice: ward does not roll, so keep does not apply",
            "modifiers.sum: ward does not roll, so no modifier counts",
        ],
    ),
    (
        "defend",
        {"defender": [7], "attacker": [8]},
        {"attacker": ONE, "defender": ONE, "ward": npc(1, 1), "trauma": "stress", "reuseAttack": True, "damageKeep": "mostZeros"},
        [
            "optional.danger: the failure may endanger defender, ward",
            "defenders: there is no second contest for the first roll to stand in (option reuseAttack) = False",
            "defenders: the defence fails: ward faces the harm = ward",
            "dice.choice: ward: the game master's characters keep the highest dice = highest",
        ],
    ),
    (
        "defend",
        {"defender": [8], "attacker": [8]},
        {"attacker": ONE, "defender": ONE, "ward": ONE, "trauma": "stress", "onHarm": "risk"},
        [
            "check.opposed: 8 against 8: stalemate",
            "defenders: neither side has the better of it: nobody is harmed = stalemate",
            "damage.defeated: there is no damage check, so nothing is risked (option onHarm)",
            "defender for ward: 8 of 8 = 8 against 8: stalemate",
        ],
    ),
    (
        "defend",
        {"ward": [9, 0], "attacker": [8]},
        {"attacker": ONE, "defender": npc(1, 1) | {"archetype": "Guard"}, "ward": pool(2, 2, archetype="Spy"), "trauma": "stress"},
        ["defenders: ward: zeros kept, 1, but no Archetype is there to earn points = 0"],
    ),
    (
        "defend",
        {"defender": [1, 1], "attacker": [8], "ward.damage": [0, 9]},
        {"attacker": ONE, "defender": pool(2, 2), "ward": pool(2, 1, keep="mostZeros"), "trauma": "stress", "damageKeep": "highest"},
        [
            "dice.choice: ward rolls the damage check alone, so damageKeep counts in place of keep",
            "defender for ward: 1 + 1 of 1 1 = 2 against 8; ward resists with 9 of 0 9 = 9: resisted",
        ],
    ),
    (
        "noMercy",
        {},
        {"attacker": pool(2, 1, keep="mostZeros"), "victim": DOWN, "trauma": "injury", "floor": "zero", "effect": "a long fall"},
        [
            "noMercy: nobody stands in the way: Nyx is killed = killed",
            "modifiers.floor: nobody rolls, so no pool has to be floored (option floor)",
            "dice.choice: attacker does not roll, so keep does not apply",
            "attacker on Nyx (effect: a long fall): killed",
        ],
    ),
    (
        "noMercy",
        {"attacker": [3], "rescuer": [2]},
        {"attacker": ONE, "rescuer": ONE, "victim": DOWN, "trauma": "illness"},
        ["noMercy: Nyx is killed = killed", "attacker on Nyx: 3 of 3 = 3 against 2: killed by 1"],
    ),
    (
        "teamwork",
        {"members.1": [9]},
        {"members": [SPY, ONE], "leader": 1, "targetNumber": 9, "awards": [0]},
        [
            "teamwork: members.1 is named (option leader) and makes the check = 1",
            "teamwork: 1 assistant, so 1 more die is kept = 1",
            "teamwork.points: members.1: 1 award beyond the 0 kept zeros that can teach, so nobody learns by that (option awards) = 1",
            "members.1 and 1 more: 9 of 9 = 9 against 9: success",
        ],
    ),
    (
        "teamwork",
        {"members.0": [0, 9]},
        {"members": [npc(2, 2), SPY], "targetNumber": 9, "awards": [1, 1]},
        [
            "teamwork.points: members.0: 2 awards beyond the 0 kept zeros that can teach, so nobody learns by that (option awards) = 2",
            "zero.points: members.0: the game master's characters earn nothing = 0",
        ],
    ),
    (
        "teamwork",
        {"members.0": [0, 0, 9]},
        {"members": [pool(3, 2), SPY, pool(1, 1, archetype="Mystic")], "targetNumber": 9, "awards": [2]},
        [
            "teamwork.points: members.0: 1 kept zero for whom the request names (option awards) = 1",
            "teamwork.points: members.0: zeros kept, 1, so each Mystic earns as many Training Points = 1",
            "teamwork.points: members.0: zeros kept, 1, so each Spy earns as many Training Points = 1",
        ],
    ),
    (
        "teamwork",
        {},
        {"members": [pool(2, 2), SPY], "stakes": "everything", "awards": [1]},
        [
            "check.stakes: everything is at stake: nobody rolls, the game master decides = everything",
            "teamwork.points: nobody rolls, so no zero is there to be awarded (option awards) = 0",
            "members.0 and 1 more: noRoll",
        ],
    ),
    (
        "swarm",
        {"members.0": [0], "opponent": [0]},
        {"members": [ONE], "use": "highest", "opponent": npc(1, 1)},
        [
            "swarm: the highest roll counts: members.0, 0; in a swarm nobody earns Training Points = highest",
            "zero.dismal: both sides rolled nothing but zeros: nobody wins = stalemate",
        ],
    ),
    (
        "swarm",
        {"members.1": [5]},
        {"members": [NO_DICE, ONE], "use": "lowest", "floor": "zero", "targetNumber": 1},
        [
            "modifiers.floor: the total that counts is 0 without a die, and fails = 0",
            "members.0 for 2: nothing of no dice = 0 against 1: failure by 1",
        ],
    ),
    (
        "swarm",
        {"members.1": [5]},
        {"members": [NO_DICE, ONE], "use": "highest", "floor": "zero", "targetNumber": 5},
        ["check.target: 5 reaches 5", "members.1 for 2: 5 of 5 = 5 against 5: success"],
    ),
    (
        "swarm",
        {"opponent": [0]},
        {"members": [NO_DICE], "use": "lowest", "floor": "zero", "opponent": npc(1, 1)},
        ["modifiers.floor: the total that counts is 0 without a die, and fails = 0"],
    ),
    (
        "swarm",
        {"members.0": [0, 9, 0], "opponent": [0, 8, 0]},
        {"members": [ZEROS_THAT_SUCCEED], "use": "lowest", "opponent": ZEROS_THAT_SUCCEED},
        [
            "dice.choice: members.0: in a swarm nobody earns Training Points, so the highest are kept = highest",
            "dice.choice: opponent: in a swarm nobody earns Training Points, so the highest are kept = highest",
            "check.opposed: 9 against 8: success",
        ],
    ),
    ("swarm", {}, {"members": [ONE] * 2, "use": "highest", "stakes": "nothing", "goal": "to be gone"}, ["2 together (to be gone): noRoll"]),
    (
        "recovery",
        {},
        {"character": nyx(damage={"health": "damaged"}), "when": "sessionStart", "care": False},
        [
            "recovery.damaged: health stays damaged without care (option care) = False",
            "recovery.diminished: nothing of Nyx is diminished",
            "Nyx, at the start of the session: unchanged",
        ],
    ),
    (
        "recovery",
        {},
        {"character": NYX, "when": "interval", "care": False},
        ["recovery.destroyed: nothing is Destroyed", "recovery.damaged: nothing is damaged, so care decides nothing (option care) = False"],
    ),
    (
        "recovery",
        {},
        {"character": NYX, "when": "respite", "care": False},
        [
            "recovery.damaged: nothing that is damaged heals now, with care or without (option care) = False",
            "Nyx, after a respite: unchanged",
        ],
    ),
    ("recovery", {}, {"character": NYX, "when": "sessionEnd"}, ["Nyx, at the end of the session: unchanged"]),
    (
        "recovery",
        {},
        {"character": DOWN, "when": "conflictEnd"},
        ["recovery.conflictEnd: Nyx is back in play", "Nyx, after the conflict: no longer defeated"],
    ),
    ("recovery", {}, {"character": NYX, "when": "conflictEnd"}, ["recovery.conflictEnd: Nyx was not Defeated"]),
    (
        "recovery",
        {},
        {"character": nyx(outOfGame=True), "when": "sessionStart", "care": False},
        [
            "damage.destroyed: Nyx is out of the game, and recovers nothing",
            "recovery.damaged: nothing heals of who is out of the game, with care or without (option care) = False",
        ],
    ),
    (
        "training",
        {},
        {"ledger": [{"archetype": "Spy", "points": 3}], "spend": {"archetype": "Spy", "cost": 1, "power": "Shadow"}, "sessionEnded": True},
        ["training.session: Spy spends 1 Training Point on Shadow = 1", "Spy: spent 1 on Shadow, 2 in hand"],
    ),
    ("character", {}, {"character": NYX}, ["attributes: there is nothing to say against the sheet", "Nyx: legal, 0 findings"]),
    ("character", {}, {"character": nyx(archetype=None)}, ["Nyx: legal, 1 finding"]),
]
"""An action, its dice, its request; sentences of its ruling, the summary among them, in their order."""


@pytest.mark.parametrize(("action", "faces", "request_", "expected"), SENTENCES, ids=[f"{case[0]}: {case[3][0]}" for case in SENTENCES])
def test_sentences_of_a_ruling(action: str, faces: Faces, request_: dict[str, Any], expected: list[str]) -> None:
    ruling = play(action, faces, **request_)
    sentences = iter([*steps_of(ruling), ruling["summary"]])
    assert [sentence for sentence in expected if sentence not in sentences] == []


# ── Options that had no effect ───────────────────────────────────────────────────────────────────────────────────────

CHANGED: dict[str, Any] = {
    "floor": "zero",
    "overflow": "stack",
    "goal": "to be gone",
    "means": "by car",
    "effect": "they are late",
    "goalPolicy": "warn",
    "onHarm": "risk",
    "damageTie": "harm",
    "resistWith": "body",
    "damageKeep": "highest",
    "reuseAttack": True,
}
"""A value other than the default for each option."""


def without_options(action: Action) -> Iterator[dict[str, Any]]:
    """Every example without an option; where the action has stakes, also with nothing and everything at stake."""
    for body in action.examples.values():
        example = {field: value for field, value in body.items() if field not in {*CHANGED, "dice", "include"}}
        yield example
        if "stakes" in action.body.model_fields:
            yield example | {"stakes": "nothing"}
            yield example | {"stakes": "everything"}


EXAMPLES = [
    pytest.param(action, example, id=f"{action.name} {number}")
    for action in SYSTEMS["darkpages"].actions
    for number, example in enumerate(without_options(action))
]


@pytest.mark.parametrize(("action", "example"), EXAMPLES)
def test_every_option_changes_a_step_whatever_the_dice(action: Action, example: dict[str, Any]) -> None:
    fields = {str(field.alias) for field in action.body.model_fields.values()}
    for seed in range(8):
        steps = play(action.name, **example | {"seed": seed})["steps"]
        for option in fields & set(CHANGED):
            assert play(action.name, **example | {"seed": seed, option: CHANGED[option]})["steps"] != steps, option


# ── Choices still open ───────────────────────────────────────────────────────────────────────────────────────────────

Offered = tuple[str, str, dict[str, Any], str]
RISK = {"onHarm": "risk"}
DEFEATED = {"onHarm": "defeated"}

OFFERED: dict[str, tuple[str, Faces, dict[str, Any], list[Offered]]] = {
    "risk it": (
        "damage",
        {"target": [1] * 5},
        {"target": {"character": NYX}, "trauma": "injury", "against": 30},
        [("risk", "Nyx stays up, and gets worse instead", RISK, "diminished")],
    ),
    "be Defeated": (
        "damage",
        {"target": [1] * 5},
        {"target": {"character": NYX}, "trauma": "injury", "against": 30} | RISK,
        [("defeated", "Nyx is Defeated, and gets no worse", DEFEATED, "defeated")],
    ),
    "risk it, bare pool": (
        "damage",
        {"target": [1]},
        {"target": ONE, "trauma": "injury", "against": 30},
        [("risk", "target stays up, and gets worse instead", RISK, "diminished")],
    ),
    "be Defeated, bare pool": (
        "damage",
        {"target": [1]},
        {"target": ONE, "trauma": "injury", "against": 30} | RISK,
        [("defeated", "target is Defeated, and gets no worse", DEFEATED, "defeated")],
    ),
    "Destroyed, other Trauma": (
        "damage",
        {"target": [1] * 4},
        {"target": DESTROYED, "trauma": "stress", "against": 30},
        [("risk", "Nyx stays up, and bears the Trauma instead", RISK, "diminished")],
    ),
    "Destroyed, lethal Trauma: none": ("damage", {"target": [1] * 4}, {"target": DESTROYED, "trauma": "injury", "against": 30}, []),
    "Destroyed, risked: none": ("damage", {"target": [1] * 4}, {"target": DESTROYED, "trauma": "stress", "against": 30} | RISK, []),
    "zeros that earn": (
        "check",
        {"actor": [9, 0, 8, 0, 7]},
        {"actor": pool(5, 3, archetype="Spy"), "targetNumber": 20},
        [
            ("keepZeros", "actor keeps 1 zero: total 17, 1 Training Point for each Spy", {"actor": {"keepDice": [0, 1, 2]}}, "failure"),
            ("keepZeros", "actor keeps 2 zeros: total 9, 2 Training Points for each Spy", {"actor": {"keepDice": [0, 1, 3]}}, "failure"),
        ],
    ),
    "zeros of either side": (
        "check",
        {"actor": [9, 0], "opponent": [0, 8]},
        {"actor": pool(2, 1), "opponent": pool(2, 1)},
        [
            ("keepZeros", "actor keeps 1 zero: total 0", {"actor": {"keepDice": [1]}}, "dramaticFailure"),
            ("keepZeros", "opponent keeps 1 zero: total 0", {"opponent": {"keepDice": [0]}}, "success"),
        ],
    ),
    "zeros of NPCs: none": ("check", {"actor": [9, 0], "opponent": [0, 8]}, {"actor": npc(2, 1), "opponent": npc(2, 1)}, []),
    "zeros against a swarm: none": (
        "swarm",
        {"members.0": [9, 0], "opponent": [8, 0]},
        {"members": [pool(2, 1)], "use": "highest", "opponent": pool(2, 1)},
        [],
    ),
    "zeros of an attack": (
        "attack",
        {"attacker": [9, 0], "defender": [8, 0], "defender.damage": [9, 0]},
        {"attacker": pool(2, 1), "defender": pool(2, 1, archetype="Spy"), "trauma": "stress"},
        [
            (
                "keepZeros",
                "attacker keeps 1 zero: total 0",
                {"attacker": {"keepDice": [1]}, "dice": [{"roll": "attacker", "faces": [9, 0]}, {"roll": "defender", "faces": [8, 0]}]},
                "failed",
            ),
            ("keepZeros", "defender keeps 1 zero: total 0, 1 Training Point for each Spy", {"defender": {"keepDice": [1]}}, "stalemate"),
            ("keepZeros", "defender keeps 1 zero: total 0, 1 Training Point for each Spy", {"damageKeepDice": [1]}, "defeated"),
        ],
    ),
    "zeros of a defence": (
        "defend",
        {"ward": [9, 0], "attacker": [8, 0], "attacker.second": [7, 0], "defender.damage": [8]},
        {"attacker": pool(2, 1), "defender": SPY, "ward": pool(2, 1), "trauma": "stress", "damageKeepDice": [0]},
        [
            (
                "keepZeros",
                "ward keeps 1 zero: total 0, 1 Training Point for each Spy",
                {
                    "ward": {"keepDice": [1]},
                    "damageKeepDice": None,
                    "dice": [{"roll": "ward", "faces": [9, 0]}, {"roll": "attacker", "faces": [8, 0]}],
                },
                "defeated",
            ),
            ("keepZeros", "attacker keeps 1 zero: total 0", {"attacker": {"keepDice": [1]}, "damageKeepDice": None}, "wardSafe"),
        ],
    ),
    "zeros of a rescuer": (
        "noMercy",
        {"attacker": [9], "rescuer": [8, 0]},
        {"attacker": ONE, "rescuer": pool(2, 1, archetype="Spy"), "victim": DOWN, "trauma": "injury"},
        [("keepZeros", "rescuer keeps 1 zero: total 0, 1 Training Point for each Spy", {"rescuer": {"keepDice": [1]}}, "killed")],
    ),
    "zeros of a team: the whole list": (
        "teamwork",
        {"members.1": [9, 8, 7, 0, 0]},
        {"members": [SPY, pool(5, 1), pool(1, 1, archetype="Mystic", keepDice=[0])], "leader": 1, "targetNumber": 12},
        [
            (
                "keepZeros",
                "members.1 keeps 1 zero: total 17, 1 Training Point for each Spy",
                {"members": [SPY, pool(5, 1, keepDice=[0, 1, 3]), pool(1, 1, archetype="Mystic", keepDice=[0])]},
                "success",
            ),
            (
                "keepZeros",
                "members.1 keeps 2 zeros: total 9, 1 Training Point for each Spy, 1 Training Point for each Mystic",
                {"members": [SPY, pool(5, 1, keepDice=[0, 3, 4]), pool(1, 1, archetype="Mystic", keepDice=[0])]},
                "failure",
            ),
        ],
    ),
    "zeros of a team: sheets as they were sent": (
        "teamwork",
        {"members.1": [9, 0]},
        {
            "members": [{"character": nyx(outOfGame=False), "attribute": "soul"}, pool(2, 1, modifiers=["-0/1"])],
            "leader": 1,
            "targetNumber": 5,
        },
        [
            (
                "keepZeros",
                "members.1 keeps 1 zero: total 0, 1 Training Point for each Warrior",
                {"members": [{"character": nyx(outOfGame=False), "attribute": "soul"}, pool(2, 1, modifiers=["-0/1"], keepDice=[1])]},
                "dramaticFailure",
            )
        ],
    ),
}
"""An action, its dice, its request; its options as name, text, merge patch and the outcome they give."""


@pytest.mark.parametrize(("action", "faces", "request_", "offered"), OFFERED.values(), ids=OFFERED)
def test_options(action: str, faces: Faces, request_: dict[str, Any], offered: list[Offered]) -> None:
    options = play(action, faces, include=["options"], **request_)["options"]
    assert [(option["choice"], option["text"], option["request"], option["then"]) for option in options] == offered
