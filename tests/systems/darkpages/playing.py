"""How these tests play darkpages: an action by its name, its dice by roll, what it is refused for."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tablecall.model.refusals import Refusal
from tests.systems import playing
from tests.systems.playing import Faces

NYX: dict[str, Any] = {
    "name": "Nyx",
    "archetype": "Warrior",
    "attributes": {"body": {"roll": 5, "keep": 3}, "mind": {"roll": 4, "keep": 2}, "soul": {"roll": 3, "keep": 2}},
    "lethal": "health",
}
"""Body 5k3, Mind 4k2, Soul 3k2; Injury and Illness are lethal."""


def nyx(**changed: Any) -> dict[str, Any]:
    """Nyx, some of her sheet changed."""
    return NYX | changed


def pool(roll: int, keep: int, /, **more: Any) -> dict[str, Any]:
    """A roller without a sheet."""
    return {"pool": {"roll": roll, "keep": keep}, **more}


def npc(roll: int, keep: int) -> dict[str, Any]:
    """A roller of the game master's."""
    return pool(roll, keep, npc=True)


def play(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The ruling of an action on these faces; rolls not named use seed 1."""
    return playing.ruling(f"darkpages.{action}", faces, request)


def ask(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The odds of an action; rolls named are held."""
    return playing.odds(f"darkpages.{action}", faces, request)


def chances(action: str, /, **request: Any) -> dict[str, str]:
    """The exact fraction of each outcome."""
    return {row["outcome"]: row["fraction"] for row in ask(action, **request)["outcomes"]}


def why_refused(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str, str, str]:
    """The rule an action is refused by, where, by which code and in which words."""
    try:
        play(action, faces, **request)
    except ValidationError as error:
        first = error.errors()[0]
        context = first.get("ctx", {})
        return context.get("rule"), "".join(f"/{part}" for part in first["loc"]) + context.get("at", ""), first["type"], first["msg"]
    except Refusal as refusal:
        (finding,) = refusal.findings
        return finding.rule, finding.pointer, finding.code, finding.detail
    raise AssertionError("not refused")


def refused(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str]:
    """The rule an action is refused by, and where."""
    rule, at, _, _ = why_refused(action, faces, **request)
    return rule, at


def cites(ruling: dict[str, Any], rule: str) -> list[Any]:
    """The values of the steps that cite a rule."""
    return [step["value"] for step in ruling["steps"] if step["rule"] == rule]


def kept(ruling: dict[str, Any], roll: str) -> list[int]:
    """The faces kept of a roll."""
    (found,) = [one for one in ruling["rolls"] if one["roll"] == roll]
    return [die["face"] for die in found["dice"] if die["kept"]]


def points(ruling: dict[str, Any]) -> dict[str, int]:
    """The Training Points each Archetype earns."""
    return {effect["on"].partition(":")[2]: effect["change"] for effect in ruling["effects"] if effect["stat"] == "trainingPoints"}


def rolled(ruling: dict[str, Any]) -> list[str]:
    """The rolls made."""
    return [roll["roll"] for roll in ruling["rolls"]]
