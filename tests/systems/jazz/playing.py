"""Helpers of the Jazz tests: characters, actors, and short ways to resolve an action and read its ruling."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from pydantic import ValidationError

from tablecall.model.findings import unprocessable
from tablecall.model.refusals import Refusal
from tablecall.systems import ACTIONS
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
    """Rook with parts of the sheet changed."""
    return ROOK | changed


def hurt(health: int, weird: int = 2, **changed: Any) -> dict[str, Any]:
    """Rook with that much left in both pools."""
    return rook(health={"current": health, "max": 4}, weird={"current": weird, "max": 2}, **changed)


LUCKY, UNLUCKY, HOLDING = rook(karma="positive"), rook(karma="negative"), rook(heldAdvantage=True)


def driving(sheet: dict[str, Any] = ROOK, /, **more: Any) -> dict[str, Any]:
    """Rook rolls as a driver, with +4."""
    return {"character": sheet, "using": [DRIVER], **more}


def bewitching(sheet: dict[str, Any] = ROOK, /, **more: Any) -> dict[str, Any]:
    """Rook makes an extraordinary use of the weird aspect, with +2."""
    return {"character": sheet, "using": [WITCH], "extraordinary": True, **more}


def combatant(id_: str, side: str, actor: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": id_, "side": side, "actor": actor, **more}


def fighter(id_: str, side: str, health: int = 1, bonus: int = 2, **more: Any) -> dict[str, Any]:
    """A combatant with a bonus for everything, named after the id. ``more`` is part of the combatant, the actor or the sheet."""
    actor: dict[str, Any] = {key: more.pop(key) for key in ("spend", "imposeKarma", "advantage", "disadvantage") if key in more}
    own: dict[str, Any] = {key: more.pop(key) for key in ("drop", "initiativeBonus") if key in more}
    pool = {"current": health, "max": max(health, 4)}
    sheet = {"name": id_.capitalize(), "aspects": [{"name": "fighter", "bonus": bonus}], "health": pool, **more}
    return combatant(id_, side, {"character": sheet, "using": ["fighter"], **actor}, **own)


def order(*places: str) -> list[dict[str, Any]]:
    """An order of initiative; ``a=c`` is a shared place."""
    return [{"ids": place.split("=")} for place in places]


def placed(ruling: dict[str, Any]) -> list[str]:
    """The order of initiative in ``after``, as `order` takes it."""
    return ["=".join(place["ids"]) for place in ruling["after"]["order"]]


HIT, MISS = ([6, 6], [1, 1]), ([1, 1], [6, 6])
HIT_CHANCE = Fraction(721, 1296)
"""The chance that one of equal fighters hits the other."""


def blow(time: int, by: int, on: int, faces: tuple[list[int], list[int]] = HIT) -> Faces:
    """The dice of one attack."""
    return {f"combatants.{by}.round{time}.attack": faces[0], f"combatants.{on}.round{time}.against.{by}": faces[1]}


def play(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The ruling of an action with these faces; other rolls use seed 1."""
    return playing.ruling(f"jazz.{action}", faces, request)


def odds(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, Any]:
    """The odds of an action, given these faces."""
    return playing.odds(f"jazz.{action}", faces, request)


def fractions(action: str, faces: Faces | None = None, /, **request: Any) -> dict[str, str]:
    """The exact fraction of each outcome."""
    return {row["outcome"]: row["fraction"] for row in odds(action, faces, **request)["outcomes"]}


def refusal(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str, str]:
    """The rule, the pointer and the detail of a refusal."""
    with pytest.raises((ValidationError, Refusal)) as caught:
        play(action, faces, **request)
    error = caught.value
    if isinstance(error, ValidationError):
        error = unprocessable(error, ACTIONS[f"jazz.{action}"][1].body)
    assert isinstance(error, Refusal)
    first = error.findings[0]
    return first.rule, first.pointer, first.words()


def refused(action: str, faces: Faces | None = None, /, **request: Any) -> tuple[str | None, str]:
    """The rule and the pointer of a refusal."""
    return refusal(action, faces, **request)[:2]


def texts(ruling: dict[str, Any], rule: str) -> list[str]:
    """The texts of the steps that cite a rule."""
    return [step["text"] for step in ruling["steps"] if step["rule"] == rule]


def values(ruling: dict[str, Any], rule: str) -> list[Any]:
    """The values of the steps that cite a rule."""
    return [step["value"] for step in ruling["steps"] if step["rule"] == rule]


def value(ruling: dict[str, Any], rule: str) -> Any:
    """The value of the only step that cites a rule."""
    (single,) = values(ruling, rule)
    return single


def unused(ruling: dict[str, Any]) -> list[str]:
    """Where options stand that were sent and had no effect."""
    return [note["pointer"] for note in ruling["notes"]]


def roll_names(ruling: dict[str, Any]) -> list[str]:
    return [roll["roll"] for roll in ruling["rolls"]]


def effects(ruling: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Every change: what, from, to."""
    return [(f"{effect['on']}.{effect['stat']}", effect["from"], effect["to"]) for effect in ruling["effects"]]


def factors(ruling: dict[str, Any]) -> dict[str, str]:
    """The verdict on each contribution, by roll and kind."""
    return {f"{factor['on']}.{factor['kind']}": factor["verdict"] for factor in ruling["factors"]}
