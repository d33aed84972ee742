"""What the rules of darkpages refuse: by which rule, at which place of the request, in which words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import NYX, npc, nyx, pool, why_refused

BODY = {"character": NYX, "attribute": "body"}
OUT = {"character": nyx(outOfGame=True), "attribute": "body"}
DOWN = {"character": nyx(defeated=True), "attribute": "body"}
RUINED = nyx(damage={"health": "destroyed"})
SCAR = {"modifier": "-1/0"}
LEDGER = [{"archetype": "Spy", "points": 9}]

REFUSED: dict[str, tuple[str, dict[str, Any], tuple[str, str, str, str]]] = {
    "a Target Number of nothing": (
        "check",
        {"actor": pool(1, 1), "targetNumber": 0},
        ("darkpages.check.target", "/targetNumber", "not-allowed", "a Target Number is at least 1"),
    ),
    "a death as the goal": (
        "check",
        {"actor": pool(1, 1), "targetNumber": 5, "removesFromPlay": True},
        ("darkpages.goals.death", "/removesFromPlay", "not-allowed", "somebody's death, or their lasting removal, cannot be the goal"),
    ),
    "a goal that is several": (
        "check",
        {"actor": pool(1, 1), "targetNumber": 5, "goal": "grab the bomb AND run"},
        ("darkpages.goals.single", "/goal", "not-allowed", "a goal with the word and in it is several goals: make a check for each"),
    ),
    "two things against it": (
        "check",
        {"actor": pool(1, 1), "targetNumber": 5, "opponent": pool(1, 1)},
        ("darkpages.check.target", "", "not-allowed", "a check is against exactly one of targetNumber and opponent"),
    ),
    "nothing against it": (
        "check",
        {"actor": pool(1, 1)},
        ("darkpages.check.target", "", "not-allowed", "a check is against exactly one of targetNumber and opponent"),
    ),
    "two things against it, nothing at stake": (
        "check",
        {"actor": pool(1, 1), "targetNumber": 5, "opponent": pool(1, 1), "stakes": "nothing"},
        ("darkpages.check.target", "", "not-allowed", "a check is against exactly one of targetNumber and opponent"),
    ),
    "an Attribute for harm": (
        "damage",
        {"target": BODY, "trauma": "injury", "against": 5},
        ("darkpages.damage.check", "/target/attribute", "not-allowed", "the Trauma says which Attribute resists it"),
    ),
    "somebody out of the game": (
        "check",
        {"actor": OUT, "targetNumber": 5},
        ("darkpages.damage.destroyed", "/actor/character", "rule-forbids", "whoever is out of the game takes no part"),
    ),
    "somebody Defeated": (
        "check",
        {"actor": pool(1, 1), "opponent": DOWN},
        ("darkpages.damage.defeated", "/opponent/character", "rule-forbids", "whoever is Defeated takes no part until the conflict ends"),
    ),
    "a defender who is out of the game": (
        "attack",
        {"attacker": pool(1, 1), "defender": OUT, "trauma": "injury"},
        ("darkpages.damage.destroyed", "/defender/character", "rule-forbids", "whoever is out of the game takes no part"),
    ),
    "a ward who is Defeated": (
        "defend",
        {"attacker": pool(1, 1), "defender": pool(1, 1), "ward": DOWN, "trauma": "injury"},
        ("darkpages.damage.defeated", "/ward/character", "rule-forbids", "whoever is Defeated takes no part until the conflict ends"),
    ),
    "a rescuer who is Defeated": (
        "noMercy",
        {"attacker": pool(1, 1), "rescuer": DOWN, "victim": nyx(defeated=True), "trauma": "injury"},
        ("darkpages.damage.defeated", "/rescuer/character", "rule-forbids", "whoever is Defeated takes no part until the conflict ends"),
    ),
    "an attacker who is Defeated, without mercy": (
        "noMercy",
        {"attacker": DOWN, "victim": nyx(defeated=True), "trauma": "injury"},
        ("darkpages.damage.defeated", "/attacker/character", "rule-forbids", "whoever is Defeated takes no part until the conflict ends"),
    ),
    "a member who is out of the game": (
        "swarm",
        {"members": [pool(1, 1), OUT], "use": "lowest", "targetNumber": 5},
        ("darkpages.damage.destroyed", "/members/1/character", "rule-forbids", "whoever is out of the game takes no part"),
    ),
    "a target who is Defeated": (
        "damage",
        {"target": {"character": nyx(defeated=True)}, "trauma": "injury", "against": 5},
        ("darkpages.damage.defeated", "/target/character", "rule-forbids", "whoever is Defeated takes no part until the conflict ends"),
    ),
    "a pool beyond all bounds": (
        "check",
        {"actor": pool(40, 1, modifiers=["+21/0"]), "targetNumber": 5},
        ("darkpages.modifiers.sum", "/actor", "out-of-bounds", "with every modifier a pool has at most 60 dice"),
    ),
    "no Attribute": (
        "check",
        {"actor": {"character": NYX}, "targetNumber": 5},
        ("darkpages.attributes", "/actor/attribute", "missing", "say which Attribute is checked"),
    ),
    "too few dice kept": (
        "check",
        {"actor": pool(3, 2, keepDice=[0]), "targetNumber": 5},
        ("darkpages.dice.keep", "/actor/keepDice", "rule-forbids", "exactly 2 different dice of 3 are kept"),
    ),
    "a die kept twice": (
        "check",
        {"actor": pool(3, 2, keepDice=[0, 0]), "targetNumber": 5},
        ("darkpages.dice.keep", "/actor/keepDice", "rule-forbids", "exactly 2 different dice of 3 are kept"),
    ),
    "a die kept that is not rolled": (
        "check",
        {"actor": pool(3, 2, keepDice=[0, 3]), "targetNumber": 5},
        ("darkpages.dice.keep", "/actor/keepDice", "rule-forbids", "exactly 2 different dice of 3 are kept"),
    ),
    "too many dice kept": (
        "check",
        {"actor": pool(3, 2, keepDice=[0, 1, 1]), "targetNumber": 5},
        ("darkpages.dice.keep", "/actor/keepDice", "rule-forbids", "exactly 2 different dice of 3 are kept"),
    ),
    "the wrong dice of a damage check": (
        "attack",
        {
            "attacker": pool(9, 9),
            "defender": pool(1, 1),
            "trauma": "injury",
            "damageKeepDice": [0, 1],
            "dice": [{"roll": "attacker", "faces": [9] * 9}],
        },
        ("darkpages.dice.keep", "/damageKeepDice", "rule-forbids", "exactly 1 die of 1 is kept"),
    ),
    "the wrong dice of a second attack": (
        "defend",
        {
            "attacker": pool(1, 1),
            "defender": pool(9, 9),
            "ward": pool(1, 1),
            "trauma": "injury",
            "secondKeepDice": [0, 1],
            "dice": [{"roll": "defender", "faces": [9] * 9}],
        },
        ("darkpages.dice.keep", "/secondKeepDice", "rule-forbids", "exactly 1 die of 1 is kept"),
    ),
    "a choice of the game master's damage dice": (
        "attack",
        {"attacker": pool(1, 1), "defender": npc(2, 1), "trauma": "injury", "damageKeep": "mostZeros"},
        ("darkpages.dice.choice", "/damageKeep", "rule-forbids", "the game master's characters keep the highest dice"),
    ),
    "the very damage dice of the game master's": (
        "attack",
        {"attacker": pool(1, 1), "defender": npc(2, 1), "trauma": "injury", "damageKeepDice": [0]},
        ("darkpages.dice.choice", "/damageKeepDice", "rule-forbids", "the game master's characters keep the highest dice"),
    ),
    "the very second dice of the game master's": (
        "defend",
        {"attacker": npc(1, 1), "defender": pool(2, 1), "ward": pool(1, 1), "trauma": "injury", "secondKeepDice": [0]},
        ("darkpages.dice.choice", "/secondKeepDice", "rule-forbids", "the game master's characters keep the highest dice"),
    ),
    "a choice of the game master's dice": (
        "check",
        {"actor": pool(2, 1, npc=True, keep="mostZeros"), "targetNumber": 5},
        ("darkpages.dice.choice", "/actor/keep", "not-allowed", "the game master's characters keep the highest dice"),
    ),
    "the very dice of the game master's": (
        "check",
        {"actor": pool(2, 1, npc=True, keepDice=[0]), "targetNumber": 5},
        ("darkpages.dice.choice", "/actor/keepDice", "not-allowed", "the game master's characters keep the highest dice"),
    ),
    "an Attribute without a sheet": (
        "check",
        {"actor": pool(1, 1, attribute="body"), "targetNumber": 5},
        ("darkpages.attributes", "/actor/attribute", "not-allowed", "an Attribute needs the character it belongs to"),
    ),
    "neither sheet nor pool": (
        "check",
        {"actor": {}, "targetNumber": 5},
        ("darkpages.attributes", "/actor", "not-allowed", "how many dice to roll and keep comes with the request: a character, or a pool"),
    ),
    "scars without a sheet": (
        "check",
        {"actor": pool(1, 1, scars=[0]), "targetNumber": 5},
        ("darkpages.scars", "/actor/scars", "not-allowed", "scars that matter need the character who carries them"),
    ),
    "a sheet and a pool": (
        "check",
        {"actor": BODY | pool(1, 1), "targetNumber": 5},
        ("darkpages.attributes", "/actor/pool", "not-allowed", "a bare pool is for rollers without a character"),
    ),
    "a scar that is not on the sheet": (
        "check",
        {"actor": BODY | {"character": nyx(scars=[SCAR]), "scars": [0, 1]}, "targetNumber": 5},
        ("darkpages.scars", "/actor/scars/1", "not-allowed", "no such scar on the sheet, or named twice"),
    ),
    "a scar named twice": (
        "check",
        {"actor": BODY | {"character": nyx(scars=[SCAR, SCAR]), "scars": [0, 0]}, "targetNumber": 5},
        ("darkpages.scars", "/actor/scars/1", "not-allowed", "no such scar on the sheet, or named twice"),
    ),
    "a modifier of two minds": (
        "check",
        {"actor": pool(1, 1, modifiers=["+1/1", "+1/-1"]), "targetNumber": 5},
        (
            "darkpages.modifiers.notation",
            "/actor/modifiers/1",
            "not-allowed",
            "a modifier is a sign, dice rolled, a stroke, dice kept, and the sign speaks for both: `+1/0`, `-1/2`",
        ),
    ),
    "a scar that helps": (
        "check",
        {"actor": BODY | {"character": nyx(scars=[{"modifier": "+1/0"}])}, "targetNumber": 5},
        ("darkpages.scars", "/actor/character/scars/0/modifier", "not-allowed", "a Scar is a negative modifier"),
    ),
    "a scar that does nothing": (
        "check",
        {"actor": BODY | {"character": nyx(scars=[{"modifier": "-0/0"}])}, "targetNumber": 5},
        ("darkpages.scars", "/actor/character/scars/0/modifier", "not-allowed", "a Scar is a negative modifier"),
    ),
    "a scar of two minds": (
        "check",
        {"actor": BODY | {"character": nyx(scars=[{"modifier": "-1/+1"}])}, "targetNumber": 5},
        (
            "darkpages.modifiers.notation",
            "/actor/character/scars/0/modifier",
            "not-allowed",
            "a modifier is a sign, dice rolled, a stroke, dice kept, and the sign speaks for both: `+1/0`, `-1/2`",
        ),
    ),
    "no die rolled": (
        "check",
        {"actor": pool(0, 1), "targetNumber": 5},
        ("darkpages.attributes", "/actor/pool/roll", "not-allowed", "everyone rolls at least one die, before modifiers"),
    ),
    "no die kept": (
        "check",
        {"actor": pool(1, 0), "targetNumber": 5},
        ("darkpages.dice.keep", "/actor/pool/keep", "not-allowed", "everyone keeps at least one die, before modifiers"),
    ),
    "a pool without dice to keep": (
        "check",
        {"actor": {"pool": {"roll": 1}}, "targetNumber": 5},
        (
            "darkpages.attributes",
            "/actor/pool/keep",
            "not-allowed",
            "the rules give a rating no dice of its own: roll and keep of each Attribute come with the request",
        ),
    ),
    "a pool without dice to roll": (
        "check",
        {"actor": {"pool": {"keep": 1}}, "targetNumber": 5},
        (
            "darkpages.attributes",
            "/actor/pool/roll",
            "not-allowed",
            "the rules give a rating no dice of its own: roll and keep of each Attribute come with the request",
        ),
    ),
    "a sheet without Attributes": (
        "check",
        {"actor": {"character": {"name": "Nyx", "lethal": "health"}}, "targetNumber": 5},
        (
            "darkpages.attributes",
            "/actor/character/attributes",
            "not-allowed",
            "the rules give a rating no dice of its own: roll and keep of each Attribute come with the request",
        ),
    ),
    "a sheet without Mind": (
        "check",
        {"actor": {"character": nyx(attributes={"body": {"roll": 1, "keep": 1}, "soul": {"roll": 1, "keep": 1}})}, "targetNumber": 5},
        (
            "darkpages.attributes",
            "/actor/character/attributes/mind",
            "not-allowed",
            "the rules give a rating no dice of its own: roll and keep of each Attribute come with the request",
        ),
    ),
    "a victim who is gone": (
        "noMercy",
        {"attacker": pool(1, 1), "victim": nyx(outOfGame=True, defeated=True), "trauma": "injury"},
        ("darkpages.noMercy", "/victim/outOfGame", "rule-forbids", "whoever is out of the game cannot be killed"),
    ),
    "a victim who stands": (
        "noMercy",
        {"attacker": pool(1, 1), "victim": NYX, "trauma": "injury"},
        ("darkpages.noMercy", "/victim/defeated", "rule-forbids", "only a Defeated character can be finished off"),
    ),
    "Trauma that does not kill": (
        "noMercy",
        {"attacker": pool(1, 1), "victim": nyx(defeated=True), "trauma": "stress"},
        ("darkpages.noMercy", "/trauma", "rule-forbids", "only Trauma that is lethal to the victim kills"),
    ),
    "no Scar where one is due": (
        "recovery",
        {"character": RUINED, "when": "sessionEnd"},
        ("darkpages.recovery.destroyed", "/scar", "rule-forbids", "a Destroyed character recovers with a Scar, and the table says which"),
    ),
    "a Scar where none is due": (
        "recovery",
        {"character": RUINED, "when": "sessionStart", "scar": SCAR},
        ("darkpages.scars", "/scar", "rule-forbids", "a Scar is left by recovering from Destroyed at the end of a session, not otherwise"),
    ),
    "more Scars than a sheet holds": (
        "recovery",
        {"character": nyx(damage={"health": "destroyed"}, scars=[SCAR] * 50), "when": "interval", "scar": SCAR},
        ("darkpages.scars", "/character/scars", "rule-forbids", "a sheet holds at most 50 scars"),
    ),
    "neither award nor spending": (
        "training",
        {},
        ("darkpages.training.session", "", "not-allowed", "exactly one of award and spend is sent"),
    ),
    "award and spending": (
        "training",
        {"award": {"archetype": "Spy", "points": 1}, "spend": {"archetype": "Spy", "cost": 1, "power": "Shadow"}},
        ("darkpages.training.session", "", "not-allowed", "exactly one of award and spend is sent"),
    ),
    "an Archetype twice in the ledger": (
        "training",
        {"ledger": [{"archetype": "Spy", "points": 1}] * 2, "award": {"archetype": "Spy", "points": 1}},
        ("darkpages.training.session", "/ledger/1/archetype", "not-allowed", "each Archetype stands in the ledger once"),
    ),
    "more points than a ledger holds": (
        "training",
        {"ledger": [{"archetype": "Spy", "points": 1_000_000_000}], "award": {"archetype": "Spy", "points": 1}},
        ("darkpages.training.session", "/award/points", "rule-forbids", "the ledger holds at most 1000000000 points of an Archetype"),
    ),
    "an Attribute bought": (
        "training",
        {"ledger": LEDGER, "spend": {"archetype": "Spy", "cost": 1, "power": " BODY "}, "sessionEnded": True},
        ("darkpages.training.session", "/spend/power", "rule-forbids", "Training Points are spent on powers, never on Attributes"),
    ),
    "spending in the session": (
        "training",
        {"ledger": LEDGER, "spend": {"archetype": "Spy", "cost": 1, "power": "Shadow"}},
        ("darkpages.training.session", "/sessionEnded", "rule-forbids", "Training Points are spent once the session has ended"),
    ),
    "spending what is not there": (
        "training",
        {"ledger": LEDGER, "spend": {"archetype": "Spy", "cost": 10, "power": "Shadow"}, "sessionEnded": True},
        ("darkpages.training.session", "/spend/cost", "rule-forbids", "there are 9 Training Points to spend"),
    ),
    "spending more than one point": (
        "training",
        {"ledger": [{"archetype": "Spy", "points": 1}], "spend": {"archetype": "Spy", "cost": 2, "power": "Shadow"}, "sessionEnded": True},
        ("darkpages.training.session", "/spend/cost", "rule-forbids", "there is 1 Training Point to spend"),
    ),
    "an id twice": (
        "initiation",
        {"participants": [{"id": "a"}, {"id": "b"}, {"id": "a"}]},
        ("darkpages.iiee.order", "/participants/2/id", "not-allowed", "each participant has an id of its own"),
    ),
    "a factor twice": (
        "initiation",
        {"participants": [{"id": "a"}], "weigh": ["ease", "drama", "ease"]},
        ("darkpages.iiee.order", "/weigh", "not-allowed", "each of the three has one place in the order of weight"),
    ),
    "a leader who is not there": (
        "teamwork",
        {"members": [pool(1, 1)], "leader": 1, "targetNumber": 5},
        ("darkpages.teamwork", "/leader", "not-allowed", "no such member"),
    ),
    "an award to nobody": (
        "teamwork",
        {"members": [pool(1, 1)], "awards": [0, 1], "targetNumber": 5},
        ("darkpages.teamwork.points", "/awards/1", "not-allowed", "no such member"),
    ),
    "an award to the leader": (
        "teamwork",
        {"members": [pool(1, 1), pool(1, 1)], "awards": [1, 0], "targetNumber": 5},
        ("darkpages.teamwork.points", "/awards/1", "rule-forbids", "a kept zero teaches an assistant who is a player's"),
    ),
    "an award to the game master's": (
        "teamwork",
        {"members": [pool(1, 1), npc(1, 1)], "awards": [1], "targetNumber": 5},
        ("darkpages.teamwork.points", "/awards/0", "rule-forbids", "a kept zero teaches an assistant who is a player's"),
    ),
}
"""An action and a request; the rule that speaks, the place, the code, and what is said."""


@pytest.mark.parametrize(("action", "request_", "said"), REFUSED.values(), ids=REFUSED)
def test_what_the_rules_refuse(action: str, request_: dict[str, Any], said: tuple[str, str, str, str]) -> None:
    assert why_refused(action, **request_) == said
