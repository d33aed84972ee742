"""Helpers of these tests: sheets, pools, rulings, odds and refusals of darkpages actions."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tablecall.model.findings import unprocessable
from tablecall.model.refusals import Refusal
from tablecall.systems import ACTIONS
from tests.systems import playing
from tests.systems.playing import Faces

NYX: dict[str, Any] = {
    "name": "Nyx",
    "archetype": "Warrior",
    "attributes": {"body": {"roll": 5, "keep": 3}, "mind": {"roll": 4, "keep": 2}, "soul": {"roll": 3, "keep": 2}},
    "lethal": "health",
}
"""Body 5k3, Mind 4k2, Soul 3k2; Injury and Illness are lethal."""
BODY: dict[str, Any] = {"character": NYX, "attribute": "body"}


def nyx(**changed: Any) -> dict[str, Any]:
    """Nyx with other fields."""
    return NYX | changed


def pool(roll: int, keep: int, /, **more: Any) -> dict[str, Any]:
    """A player's roller without a sheet."""
    return {"pool": {"roll": roll, "keep": keep}, **more}


def npc(roll: int, keep: int) -> dict[str, Any]:
    """An NPC without a sheet."""
    return pool(roll, keep, npc=True)


def play(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The ruling of an action with these faces; other rolls use seed 1."""
    return playing.ruling(f"darkpages.{action}", faces, request)


def odds(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The odds of an action; the rolls in ``faces`` are fixed."""
    return playing.odds(f"darkpages.{action}", faces, request)


def fractions(action: str, /, **request: Any) -> dict[str, str]:
    """The exact fraction of each outcome."""
    return {row["outcome"]: row["fraction"] for row in odds(action, **request)["outcomes"]}


def refusal(action: str, /, **request: Any) -> tuple[str | None, str, str, str]:
    """The rule, the pointer, the code and the sentence of a refusal."""
    try:
        play(action, **request)
    except ValidationError as error:
        finding = unprocessable(error, ACTIONS[f"darkpages.{action}"][1].body).findings[0]
    except Refusal as refused:
        (finding,) = refused.findings
    else:
        raise AssertionError("not refused")
    return finding.rule, finding.pointer, finding.code, finding.words()


def values(ruling: dict[str, Any], rule: str) -> list[Any]:
    """The values of the steps that cite a rule."""
    return [step["value"] for step in ruling["steps"] if step["rule"] == rule]


def kept(ruling: dict[str, Any], roll: str) -> list[int]:
    """The kept faces of a roll, in the order drawn."""
    (dice,) = [one["dice"] for one in ruling["rolls"] if one["roll"] == roll]
    return [die["face"] for die in dice if die["kept"]]


def size(ruling: dict[str, Any], index: int = 0) -> str:
    """The dice rolled and kept of a roll, such as ``5k3``."""
    dice = ruling["rolls"][index]["dice"]
    return f"{len(dice)}k{sum(die['kept'] for die in dice)}"


def points(ruling: dict[str, Any]) -> dict[str, int]:
    """The Training Points each Archetype earns."""
    return {effect["on"].partition(":")[2]: effect["change"] for effect in ruling["effects"] if effect["stat"] == "trainingPoints"}


def roll_names(ruling: dict[str, Any]) -> list[str]:
    """The names of the rolls made."""
    return [roll["roll"] for roll in ruling["rolls"]]


def taken(ruling: dict[str, Any]) -> list[dict[str, Any]]:
    """The merge patch of each option."""
    return [option["request"] for option in ruling["options"]]
