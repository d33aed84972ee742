"""The sentences of rulings: whole rulings of each action, in both languages; the choices that are still open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.systems.darkpages.playing import NYX, npc, nyx, play, pool
from tests.systems.playing import Faces

ONE = pool(1, 1)
SPY = pool(1, 1, archetype="Spy")
DOWN = nyx(defeated=True)
DESTROYED = {"character": nyx(damage={"health": "destroyed"})}

RULINGS: list[dict[str, Any]] = orjson.loads(Path(__file__).with_name("rulings.json").read_bytes())
"""Requests with their dice: the steps as rule, key, value and text; the summary; the options that had no effect."""


@pytest.mark.parametrize("case", RULINGS, ids=lambda case: case["action"])
def test_steps_and_summary_of_a_whole_ruling(case: dict[str, Any]) -> None:
    ruling = play(case["action"], case["faces"], **case["request"])
    steps = [
        [step["rule"].removeprefix("darkpages."), step["key"].removeprefix("darkpages."), step["value"], step["text"]]
        for step in ruling["steps"]
    ]
    assert steps == case["steps"]
    assert (ruling["summary"], [note["pointer"] for note in ruling["notes"]]) == (case["summary"], case["notes"])


@pytest.mark.parametrize("case", RULINGS, ids=lambda case: case["action"])
def test_german_changes_sentences_alone(case: dict[str, Any]) -> None:
    english = play(case["action"], case["faces"], **case["request"])
    german = play(case["action"], case["faces"], **case["request"], language="de")
    assert [(step["rule"], step["key"], step["value"]) for step in german["steps"]] == [
        (step["rule"], step["key"], step["value"]) for step in english["steps"]
    ]
    assert (german["rolls"], german["effects"], german["after"]) == (english["rolls"], english["effects"], english["after"])
    assert german["summary"] != english["summary"]
    assert not any(step["text"].startswith("darkpages.") or "{" in step["text"] for step in german["steps"])


# ── Choices still open ───────────────────────────────────────────────────────────────────────────────────────────────

Offered = tuple[str, dict[str, Any]]
RISK = {"onHarm": "risk"}
DEFEATED = {"onHarm": "defeated"}

OFFERED: dict[str, tuple[str, Faces, dict[str, Any], list[Offered]]] = {
    "risk it": (
        "damage",
        {"target": [1] * 5},
        {"target": {"character": NYX}, "trauma": "injury", "against": 30, "opposed": True},
        [("risk", RISK)],
    ),
    "be Defeated": (
        "damage",
        {"target": [1] * 5},
        {"target": {"character": NYX}, "trauma": "injury", "against": 30, "opposed": True} | RISK,
        [("defeated", DEFEATED)],
    ),
    "risk it, bare pool": (
        "damage",
        {"target": [1]},
        {"target": ONE, "trauma": "injury", "against": 30, "opposed": True},
        [("risk", RISK)],
    ),
    "be Defeated, bare pool": (
        "damage",
        {"target": [1]},
        {"target": ONE, "trauma": "injury", "against": 30, "opposed": True} | RISK,
        [("defeated", DEFEATED)],
    ),
    "Destroyed, other Trauma": (
        "damage",
        {"target": [1] * 4},
        {"target": DESTROYED, "trauma": "stress", "against": 30, "opposed": True},
        [("risk", RISK)],
    ),
    "Destroyed, lethal Trauma: none": (
        "damage",
        {"target": [1] * 4},
        {"target": DESTROYED, "trauma": "injury", "against": 30, "opposed": True},
        [],
    ),
    "Destroyed, risked: none": (
        "damage",
        {"target": [1] * 4},
        {"target": DESTROYED, "trauma": "stress", "against": 30, "opposed": True} | RISK,
        [],
    ),
    "zeros that earn": (
        "check",
        {"actor": [9, 0, 8, 0, 7]},
        {"actor": pool(5, 3, archetype="Spy"), "targetNumber": 20},
        [
            ("keepZeros", {"actor": {"keepDice": [0, 1, 2]}}),
            ("keepZeros", {"actor": {"keepDice": [0, 1, 3]}}),
        ],
    ),
    "zeros of either side": (
        "check",
        {"actor": [9, 0], "opponent": [0, 8]},
        {"actor": pool(2, 1), "opponent": pool(2, 1)},
        [
            ("keepZeros", {"actor": {"keepDice": [1]}}),
            ("keepZeros", {"opponent": {"keepDice": [0]}}),
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
                {"attacker": {"keepDice": [1]}, "dice": [{"roll": "attacker", "faces": [9, 0]}, {"roll": "defender", "faces": [8, 0]}]},
            ),
            ("keepZeros", {"defender": {"keepDice": [1]}}),
            ("keepZeros", {"damageKeepDice": [1]}),
        ],
    ),
    "zeros of a defence": (
        "defend",
        {"ward": [9, 0], "attacker": [8, 0], "attacker.second": [7, 0], "defender.damage": [8]},
        {"attacker": pool(2, 1), "defender": SPY, "ward": pool(2, 1), "trauma": "stress", "damageKeepDice": [0]},
        [
            (
                "keepZeros",
                {
                    "ward": {"keepDice": [1]},
                    "damageKeepDice": None,
                    "dice": [{"roll": "ward", "faces": [9, 0]}, {"roll": "attacker", "faces": [8, 0]}],
                },
            ),
            ("keepZeros", {"attacker": {"keepDice": [1]}, "damageKeepDice": None}),
        ],
    ),
    "zeros of a rescuer": (
        "noMercy",
        {"attacker": [9], "rescuer": [8, 0]},
        {"attacker": ONE, "rescuer": pool(2, 1, archetype="Spy"), "victim": DOWN, "trauma": "injury"},
        [("keepZeros", {"rescuer": {"keepDice": [1]}})],
    ),
    "zeros of a team: the whole list": (
        "teamwork",
        {"members.1": [9, 8, 7, 0, 0]},
        {"members": [SPY, pool(5, 1), pool(1, 1, archetype="Mystic", keepDice=[0])], "leader": 1, "targetNumber": 12},
        [
            ("keepZeros", {"members": [SPY, pool(5, 1, keepDice=[0, 1, 3]), pool(1, 1, archetype="Mystic", keepDice=[0])]}),
            ("keepZeros", {"members": [SPY, pool(5, 1, keepDice=[0, 3, 4]), pool(1, 1, archetype="Mystic", keepDice=[0])]}),
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
                {"members": [{"character": nyx(outOfGame=False), "attribute": "soul"}, pool(2, 1, modifiers=["-0/1"], keepDice=[1])]},
            )
        ],
    ),
}
"""An action, its dice, its request; its options as name and merge patch."""


@pytest.mark.parametrize(("action", "faces", "request_", "offered"), OFFERED.values(), ids=OFFERED)
def test_options(action: str, faces: Faces, request_: dict[str, Any], offered: list[Offered]) -> None:
    options = play(action, faces, include=["options"], **request_)["options"]
    assert [(option["choice"], option["request"]) for option in options] == offered
