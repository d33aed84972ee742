"""How these tests play Jazz: an action by its name, its dice by roll, what it is refused for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from pydantic import ValidationError

from service import readings
from service.dice import falls
from service.dice.rolling import Rolling
from service.refusal import Refusal
from service.ruling import Verdict
from service.systems import ACTIONS

Faces = dict[str, list[int]]

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


def _body(action: str, request: dict[str, Any], faces: Faces | None) -> tuple[Any, Any, Any]:
    system, found = ACTIONS[f"jazz.{action}"]
    dice = [{"roll": roll, "faces": shown} for roll, shown in (faces or {}).items()]
    return system, found, found.body.model_validate({"seed": 1, "dice": dice} | request)


def play(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The ruling of an action on these faces; rolls not named use seed 1."""
    return readings.resolve(*_body(action, request, faces))


def ask(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The odds of an action; rolls named are held."""
    return readings.odds(*_body(action, request, faces))


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


class More(Exception):
    """A die beyond those listed is asked for."""


class Listed(falls.Faces):
    """The faces of every roll, one after the other, from one list."""

    def __init__(self, faces: tuple[int, ...]) -> None:
        self.faces = faces
        self.used = 0

    def first(self, sides: int) -> int:
        if self.used == len(self.faces):
            raise More
        self.used += 1
        return self.faces[self.used - 1]

    def again(self, index: int, sides: int) -> int:
        return self.first(sides)


def every_fall(rule: Callable[[Rolling], Verdict], faces: tuple[int, ...] = ()) -> Iterator[tuple[Fraction, Verdict]]:
    """Every ordered fall the rule can ask for, as likely as it is."""
    listed = Listed(faces)
    try:
        verdict = rule(Rolling(lambda _: listed))
    except More:
        for face in range(1, 7):
            yield from every_fall(rule, (*faces, face))
    else:
        yield Fraction(1, 6 ** len(faces)), verdict
