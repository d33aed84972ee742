"""What the rules refuse: each sentence once, with its rule, its code, its places in requests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import BODY, NYX, npc, nyx, pool, refusal

ONE = pool(1, 1)
SPY = pool(1, 1, archetype="Spy")
OUT = {"character": nyx(outOfGame=True), "attribute": "body"}
DOWN = {"character": nyx(defeated=True), "attribute": "body"}
SCAR = {"modifier": "-1/0"}
DESTROYED = nyx(damage={"health": "destroyed"})
SHADOW = {"archetype": "Spy", "cost": 1, "power": "Shadow"}
NO_DICE = {"name": "Nyx", "lethal": "health"}


def check(actor: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "check", {"actor": actor, "targetNumber": 5} | more


def attack(**more: Any) -> tuple[str, dict[str, Any]]:
    return "attack", {"attacker": ONE, "defender": ONE, "trauma": "injury"} | more


def defend(**more: Any) -> tuple[str, dict[str, Any]]:
    return "defend", {"attacker": ONE, "defender": ONE, "ward": ONE, "trauma": "injury"} | more


def no_mercy(**more: Any) -> tuple[str, dict[str, Any]]:
    return "noMercy", {"attacker": ONE, "victim": nyx(defeated=True), "trauma": "injury"} | more


def teamwork(*members: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "teamwork", {"members": list(members), "targetNumber": 5} | more


def swarm(*members: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "swarm", {"members": list(members), "targetNumber": 5, "use": "lowest"} | more


def damage(target: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "damage", {"target": target, "trauma": "injury", "against": 5, "opposed": True}


def recovery(character: dict[str, Any], when: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "recovery", {"character": character, "when": when} | more


def training(points: int | None = None, **more: Any) -> tuple[str, dict[str, Any]]:
    return "training", ({} if points is None else {"ledger": [{"archetype": "Spy", "points": points}]}) | more


def scars(*modifiers: str, count: list[int] | None = None) -> dict[str, Any]:
    return BODY | {"character": nyx(scars=[{"modifier": modifier} for modifier in modifiers]), "scars": count or []}


REFUSED: list[tuple[str, str, str, list[tuple[tuple[str, dict[str, Any]], str]]]] = [
    (
        "darkpages.check.target",
        "out-of-range",
        "a Target Number is at least 1",
        [(check(ONE, targetNumber=number), "/targetNumber") for number in (0, -5, 0.0)],
    ),
    (
        "darkpages.check.target",
        "conflicting-fields",
        "only one of `targetNumber`, `opponent` and `opponents` can be given",
        [
            (check(ONE, opponent=ONE), ""),
            (check(ONE, opponent=ONE, stakes="nothing"), ""),
            (teamwork(ONE, opponents=[ONE]), ""),
            (swarm(ONE, opponents=[ONE]), ""),
        ],
    ),
    (
        "darkpages.check.target",
        "needs-one-of",
        "one of `targetNumber`, `opponent` and `opponents` is needed",
        [(action, "") for action in (("check", {"actor": ONE}), teamwork(ONE, targetNumber=None), swarm(ONE, targetNumber=None))],
    ),
    (
        "darkpages.goals.death",
        "rule-forbids",
        "a goal cannot be someone's death or permanent removal",
        [
            ((action, request | {"removesFromPlay": True}), "/removesFromPlay")
            for action, request in (check(ONE), teamwork(ONE), swarm(ONE), attack(), defend())
        ],
    ),
    (
        "darkpages.goals.single",
        "rule-forbids",
        "a goal is one sentence without the word “and”: make a check for each goal",
        [(check(ONE, goal=goal), "/goal") for goal in ("grab it and run", "AND then", "this And that", "salt & pepper", "Grab it. Flee.")],
    ),
    (
        "darkpages.damage.check",
        "conflicting-fields",
        "injury is resisted with Body",
        [(damage(BODY | {"attribute": "mind"}), "/target/attribute")],
    ),
    (
        "darkpages.damage.destroyed",
        "rule-forbids",
        "“Nyx” is out of the game and takes no part",
        [
            (check(OUT), "/actor/character"),
            (("check", {"actor": ONE, "opponent": OUT}), "/opponent/character"),
            (attack(defender=OUT), "/defender/character"),
            *((defend(**{who: OUT}), f"/{who}/character") for who in ("attacker", "defender", "ward")),
            (swarm(ONE, OUT), "/members/1/character"),
            (damage({"character": nyx(outOfGame=True)}), "/target/character"),
        ],
    ),
    (
        "darkpages.damage.defeated",
        "rule-forbids",
        "“Nyx” is Defeated and takes no part until the conflict ends",
        [
            (check(DOWN), "/actor/character"),
            (("check", {"actor": ONE, "opponent": DOWN}), "/opponent/character"),
            (attack(attacker=DOWN), "/attacker/character"),
            (attack(defender=DOWN), "/defender/character"),
            (defend(ward=DOWN), "/ward/character"),
            (no_mercy(rescuer=DOWN), "/rescuer/character"),
            (no_mercy(attacker=DOWN), "/attacker/character"),
            (teamwork(pool(9, 9), DOWN), "/members/1/character"),
            (swarm(ONE, DOWN), "/members/1/character"),
            (damage({"character": nyx(defeated=True)}), "/target/character"),
        ],
    ),
    (
        "darkpages.modifiers.sum",
        "out-of-range",
        "a pool has at most 60 dice, all modifiers included",
        [(check(pool(40, 1, modifiers=["+21/0"])), "/actor")],
    ),
    (
        "darkpages.attributes",
        "missing-field",
        "the Attribute to roll is missing",
        [(check({"character": NYX}), "/actor/attribute"), (teamwork(BODY, {"character": NYX}), "/members/1/attribute")],
    ),
    (
        "darkpages.dice.keep",
        "rule-forbids",
        "keep exactly 2 different dice of the 3 rolled",
        [
            *((check(pool(3, 2, keepDice=kept)), "/actor/keepDice") for kept in ([], [0], [0, 0], [0, 3], [0, 1, 1], [0, 1, 2])),
            (teamwork(pool(3, 1, keepDice=[0]), ONE), "/members/0/keepDice"),
        ],
    ),
    (
        "darkpages.dice.keep",
        "rule-forbids",
        "keep exactly 1 die of the 1 rolled",
        [
            (attack(attacker=pool(9, 9), damageKeepDice=[0, 1], dice=[{"roll": "attacker", "faces": [9] * 9}]), "/damageKeepDice"),
            (
                defend(defender=pool(9, 9), secondKeepDice=[0, 1], dice=[{"roll": "defender", "faces": [9] * 9}]),
                "/secondKeepDice",
            ),
        ],
    ),
    (
        "darkpages.dice.choice",
        "rule-forbids",
        "the game master's characters keep the highest dice",
        [
            (attack(defender=npc(2, 1), damageKeep="mostZeros"), "/damageKeep"),
            (attack(defender=npc(2, 1), damageKeepDice=[0]), "/damageKeepDice"),
            (defend(defender=npc(1, 1), ward=npc(1, 1), damageKeep="mostZeros"), "/damageKeep"),
            (defend(defender=npc(1, 1), ward=npc(1, 1), damageKeepDice=[0]), "/damageKeepDice"),
            (defend(attacker=npc(1, 1), secondKeepDice=[0]), "/secondKeepDice"),
        ],
    ),
    (
        "darkpages.dice.choice",
        "rule-forbids",
        "the game master's characters keep the highest dice",
        [
            (check(npc(2, 1) | {"keep": "mostZeros"}), "/actor/keep"),
            (check(npc(2, 1) | {"keepDice": [0]}), "/actor/keepDice"),
            (check({"character": nyx(npc=True), "attribute": "mind", "keepDice": [0, 1]}), "/actor/keepDice"),
        ],
    ),
    (
        "darkpages.attributes",
        "conflicting-fields",
        "an Attribute needs a character",
        [(check({"attribute": "body"}), "/actor/attribute"), (check(pool(1, 1, attribute="body")), "/actor/attribute")],
    ),
    ("darkpages.attributes", "needs-one-of", "send a character or a pool: the rules define no default dice", [(check({}), "/actor")]),
    ("darkpages.attributes", "conflicting-fields", "send a character or a pool, not both", [(check(BODY | ONE), "/actor/pool")]),
    (
        "darkpages.attributes",
        "out-of-range",
        "a pool rolls at least 1 die before modifiers",
        [(check({"pool": {"roll": roll, "keep": 1}}), "/actor/pool/roll") for roll in (0, -3)],
    ),
    (
        "darkpages.dice.keep",
        "out-of-range",
        "a pool keeps at least 1 die before modifiers",
        [(check({"pool": {"roll": 1, "keep": keep}}), "/actor/pool/keep") for keep in (0, -2, 0.0)],
    ),
    (
        "darkpages.attributes",
        "missing-field",
        " is missing: the rules define no default dice, so every Attribute and pool gives its own",
        [
            (check({"pool": {"roll": 1}}), "/actor/pool/keep"),
            (check({"pool": {"keep": 1}}), "/actor/pool/roll"),
            (("character", {"character": NO_DICE}), "/character/attributes"),
            (("character", {"character": NO_DICE | {"attributes": {}}}), "/character/attributes/body"),
            (("character", {"character": NO_DICE | {"attributes": {"body": {}, "mind": {}}}}), "/character/attributes/soul"),
            (("character", {"character": nyx(attributes=NYX["attributes"] | {"mind": {"keep": 1}})}), "/character/attributes/mind/roll"),
        ],
    ),
    (
        "darkpages.scars",
        "conflicting-fields",
        "Scars need the character who has them",
        [(check(pool(1, 1, scars=[0])), "/actor/scars")],
    ),
    (
        "darkpages.scars",
        "unknown-name",
        "no such Scar is on the sheet, or it is listed twice",
        [(check(scars("-1/0", count=[0, 1])), "/actor/scars/1"), (check(scars("-1/0", "-1/0", count=[0, 0])), "/actor/scars/1")],
    ),
    (
        "darkpages.scars",
        "bad-notation",
        "a Scar is a negative modifier",
        [(check(scars(modifier)), "/actor/character/scars/0/modifier") for modifier in ("+1/0", "-0/0", "+0/0", "−0/−0")],
    ),
    (
        "darkpages.modifiers.notation",
        "bad-notation",
        "a modifier is one sign, the dice to roll, a slash and the dice to keep, such as `+1/0` or `-1/2`; the sign counts for both",
        [
            *(
                (check(pool(1, 1, modifiers=["+1/0", modifier])), "/actor/modifiers/1")
                for modifier in ("1/1", "+1/-1", "-1/+1", "+1", "+1/", "/1", "+-1/1", "+1/1/1", "", "+ 1/1", "+1/1 ", "+100/1", "+\uff11/1")
            ),
            (check(scars("-1/+1")), "/actor/character/scars/0/modifier"),
        ],
    ),
    (
        "darkpages.noMercy",
        "rule-forbids",
        "“Nyx” is out of the game already",
        [(no_mercy(victim=OUT["character"]), "/victim/outOfGame")],
    ),
    ("darkpages.noMercy", "rule-forbids", "“Nyx” must be Defeated first", [(no_mercy(victim=NYX), "/victim/defeated")]),
    (
        "darkpages.noMercy",
        "rule-forbids",
        " is not lethal to “Nyx”",
        [(no_mercy(trauma=trauma), "/trauma") for trauma in ("stress", "fatigue", "corruption")],
    ),
    (
        "darkpages.recovery.destroyed",
        "rule-forbids",
        "recovering from Destroyed leaves a Scar: send it as `scar`",
        [(recovery(DESTROYED, "sessionEnd"), "/scar")],
    ),
    (
        "darkpages.scars",
        "rule-forbids",
        "only recovery from Destroyed at the end of a session leaves a Scar",
        [
            (recovery(DESTROYED, "sessionStart", scar=SCAR), "/scar"),
            (recovery(NYX, "sessionEnd", scar=SCAR), "/scar"),
            (recovery(DESTROYED | {"outOfGame": True}, "sessionEnd", scar=SCAR), "/scar"),
        ],
    ),
    (
        "darkpages.scars",
        "rule-forbids",
        "a sheet holds at most 50 Scars",
        [(recovery(DESTROYED | {"scars": [SCAR] * 50}, "interval", scar=SCAR), "/character/scars")],
    ),
    (
        "darkpages.training.session",
        "needs-one-of",
        "one of `award`, `awards` and `spend` is needed, and only one",
        [(training(), "")],
    ),
    (
        "darkpages.training.session",
        "conflicting-fields",
        "one of `award`, `awards` and `spend` is needed, and only one",
        [(training(award={"archetype": "Spy", "points": 1}, spend=SHADOW), "")],
    ),
    (
        "darkpages.training.session",
        "conflicting-fields",
        "this entry is in the ledger twice",
        [(training(ledger=[{"archetype": "Spy", "points": 1}] * 2, spend=SHADOW), "/ledger/1/archetype")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "a ledger holds at most 1000000000 Training Points for each entry",
        [(training(1_000_000_000, award={"archetype": "Spy", "points": 1}), "/ledger/0/points")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "Training Points buy powers, never Attributes",
        [(training(9, spend=SHADOW | {"power": power}), "/spend/power") for power in ("body", " MIND ", "Soul")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "Training Points are spent only after the session has ended",
        [(training(9, spend=SHADOW), "/sessionEnded")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "no entry of the ledger is for “Spy”",
        [(training(None, spend=SHADOW, sessionEnded=True), "/spend/cost")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "the entry has only 1 Training Point",
        [(training(1, spend=SHADOW | {"cost": 10}, sessionEnded=True), "/spend/cost")],
    ),
    (
        "darkpages.training.session",
        "rule-forbids",
        "several entries are for “Spy”: say which pays, by `id` or `name`",
        [
            (
                training(ledger=[{"id": name, "archetype": "Spy", "points": 5} for name in "ab"], spend=SHADOW, sessionEnded=True),
                "/spend",
            )
        ],
    ),
    (
        "darkpages.damage.defeated",
        "rule-forbids",
        "“Nyx” is Defeated already",
        [(("concede", {"character": nyx(defeated=True)}), "/character/defeated")],
    ),
    (
        "darkpages.damage.defeated",
        "rule-forbids",
        "“Nyx” is Destroyed and can no longer choose to be Defeated",
        [(("concede", {"character": DESTROYED}), "/character/damage")],
    ),
    (
        "darkpages.damage.destroyed",
        "rule-forbids",
        "“Nyx” is still in the game",
        [(recovery(NYX, "returnAsNpc"), "/character/outOfGame")],
    ),
    (
        "darkpages.check.hazard",
        "conflicting-fields",
        "`damageKeep` is for the damage check, which needs a `trauma`",
        [(check(ONE, damageKeep="highest"), "/damageKeep")],
    ),
    (
        "darkpages.iiee.order",
        "conflicting-fields",
        "each participant needs an id of their own",
        [(("initiation", {"participants": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}), "/participants/2/id")],
    ),
    (
        "darkpages.iiee.order",
        "conflicting-fields",
        "list each score once",
        [(("initiation", {"participants": [{"id": "a"}], "weigh": ["ease", "drama", "ease"]}), "/weigh")],
    ),
    ("darkpages.teamwork", "unknown-name", "no such member", [(teamwork(ONE, leader=1), "/leader")]),
    ("darkpages.teamwork.points", "unknown-name", "no such member", [(teamwork(ONE, awards=[0, 1]), "/awards/1")]),
    (
        "darkpages.teamwork.points",
        "rule-forbids",
        "Training Points go to assistants with an Archetype who are players' characters",
        [
            (teamwork(ONE, SPY, awards=[1, 0]), "/awards/1"),
            (teamwork(ONE, ONE, awards=[1]), "/awards/0"),
            (teamwork(ONE, npc(1, 1), awards=[1]), "/awards/0"),
        ],
    ),
]
"""A rule, a problem code, a sentence or its end; the actions refused with it, each with the place named."""

CASES = [
    pytest.param(action, request, (rule, at, code, detail), id=f"{action}{at}: {detail} ({number})")
    for rule, code, detail, refused in REFUSED
    for number, ((action, request), at) in enumerate(refused)
]


@pytest.mark.parametrize(("action", "request_", "expected"), CASES)
def test_refusal(action: str, request_: dict[str, Any], expected: tuple[str, str, str, str]) -> None:
    rule, at, code, sentence = refusal(action, **request_)
    assert (rule, at, code) == expected[:3]
    assert sentence.endswith(expected[3])


@pytest.mark.parametrize(
    ("action", "request_", "at"),
    [
        *((*check(ONE, targetNumber=number), "/targetNumber") for number in (1001, True, 0.5, "5")),
        *((*check({"pool": {"roll": roll, "keep": 1}}), "/actor/pool/roll") for roll in (41, True)),
        *((*check({"pool": {"roll": 1, "keep": keep}}), "/actor/pool/keep") for keep in (41, False, "0")),
        ("character", {"character": "Nyx"}, "/character"),
        ("swarm", {"members": [ONE], "targetNumber": 5}, "/use"),
        ("initiation", {"participants": []}, "/participants"),
        ("initiation", {"participants": [{"id": "a", "drama": 101}]}, "/participants/0/drama"),
    ],
)
def test_values_outside_the_schema_are_refused_without_a_rule(action: str, request_: dict[str, Any], at: str) -> None:
    assert refusal(action, **request_)[:2] == (None, at)
