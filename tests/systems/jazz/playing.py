"""How these tests play Jazz: an action by its name, its dice by roll, what it is refused for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tablecall.model.refusals import Refusal
from tests.systems import playing
from tests.systems.playing import Faces

DRIVER, WITCH = "former getaway driver", "hereditary witch"
ROOK: dict[str, Any] = {
    "name": "Rook",
    "aspects": [{"name": DRIVER, "bonus": 4}, {"name": WITCH, "bonus": 2, "weird": True}],
    "survivalAspect": DRIVER,
}
"""Health 4, weird 2."""
THUG: dict[str, Any] = {"name": "Thug", "named": False, "aspects": [{"name": "thug", "bonus": 1}], "survivalAspect": "thug"}
"""Unnamed, health 1."""


def rook(**changed: Any) -> dict[str, Any]:
    """Rook, some of the sheet changed."""
    return ROOK | changed


def hurt(health: int, weird: int = 2, **changed: Any) -> dict[str, Any]:
    """Rook with so much left of both pools."""
    return rook(health={"current": health, "max": 4}, weird={"current": weird, "max": 2}, **changed)


def driving(sheet: dict[str, Any] = ROOK, /, **more: Any) -> dict[str, Any]:
    """Rook rolls as a driver."""
    return {"character": sheet, "using": [DRIVER], **more}


def bewitching(sheet: dict[str, Any] = ROOK, /, **more: Any) -> dict[str, Any]:
    """Rook does what only a witch can."""
    return {"character": sheet, "using": [WITCH], "extraordinary": True, **more}


def play(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The ruling of an action on these faces; rolls not named use seed 1."""
    return playing.ruling(f"jazz.{action}", faces, request)


def ask(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The odds of an action; rolls named are held."""
    return playing.odds(f"jazz.{action}", faces, request)


def chances(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, str]:
    """The exact fraction of each outcome."""
    return {row["outcome"]: row["fraction"] for row in ask(action, faces, **request)["outcomes"]}


def refusal(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str, str]:
    """The rule an action is refused by, where, and in what words; they repeat no text of the request."""
    with pytest.raises((ValidationError, Refusal)) as caught:
        play(action, faces, **request)
    found = caught.value
    if isinstance(found, ValidationError):
        first = found.errors()[0]
        context, text = first.get("ctx", {}), first["msg"]
        rule, pointer = context.get("rule"), "".join(f"/{part}" for part in first["loc"]) + context.get("at", "")
    else:
        assert isinstance(found, Refusal)
        rule, pointer, text = found.findings[0].rule, found.findings[0].pointer, found.detail
    assert "Rook" not in text
    return rule, pointer, text


def refused(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str]:
    """The rule an action is refused by, and where."""
    return refusal(action, faces, **request)[:2]


def said(ruling: dict[str, Any], rule: str) -> list[str]:
    """What the steps that cite a rule say."""
    return [step["text"] for step in ruling["steps"] if step["rule"] == rule]


def value(ruling: dict[str, Any], rule: str) -> Any:
    """The value of the one step that cites a rule."""
    (found,) = [step["value"] for step in ruling["steps"] if step["rule"] == rule]
    return found


def values(ruling: dict[str, Any], rule: str) -> list[Any]:
    """The values of the steps that cite a rule, in order."""
    return [step["value"] for step in ruling["steps"] if step["rule"] == rule]


def rolled(ruling: dict[str, Any]) -> list[str]:
    """The rolls made."""
    return [roll["roll"] for roll in ruling["rolls"]]


def effects(ruling: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """What changes: where, from what, to what."""
    return [(f"{effect['on']}.{effect['stat']}", effect["from"], effect["to"]) for effect in ruling["effects"]]


def factors(ruling: dict[str, Any]) -> dict[str, str]:
    """The verdict on each contribution, under whose it is and of what kind."""
    return {f"{factor['on']}.{factor['kind']}": factor["verdict"] for factor in ruling["factors"]}
