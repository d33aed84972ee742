"""Helpers for the tests of every system: resolve an action by tag with given faces; enumerate every roll of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tablecall import engine
from tablecall.dice import faces
from tablecall.dice.roll import RolledDice
from tablecall.model.base import Body
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict

Faces = dict[str, list[int]]


def asked(tag: str, faces: Faces | None, request: dict[str, Any]) -> tuple[System, Action, Body]:
    """An action and its request with these faces; other rolls use seed 1."""
    system, action = ACTIONS[tag]
    dice = [{"roll": roll, "faces": shown} for roll, shown in (faces or {}).items()]
    return system, action, action.body.model_validate({"seed": 1, "dice": dice} | request)


def ruling(tag: str, faces: Faces | None, request: dict[str, Any]) -> dict[str, Any]:
    """The ruling of an action."""
    return engine.resolve(*asked(tag, faces, request))


def odds(tag: str, faces: Faces | None, request: dict[str, Any]) -> dict[str, Any]:
    """The odds of an action, given these faces."""
    return engine.odds(*asked(tag, faces, request))


class More(Exception):
    """A rule asked for more dice than `Listed` has."""


class Listed(faces.FaceSource):
    """Faces from one list, for every roll in turn."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.faces = faces
        self.used = 0

    def draw(self, sides: int, lowest: int = 1) -> int:
        if self.used == len(self.faces):
            raise More
        self.used += 1
        return self.faces[self.used - 1]

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        return self.draw(sides, lowest)


def every_fall(
    rule: Callable[[RolledDice], Verdict], die: range, held: Mapping[str, Sequence[int]] | None = None, faces: tuple[int, ...] = ()
) -> Iterator[tuple[Fraction, Verdict]]:
    """Every sequence of faces a rule can ask for beside those ``held``: its probability and the verdict."""
    listed, fixed = Listed(faces), held or {}
    try:
        verdict = rule(RolledDice(lambda name: Listed(fixed[name]) if name in fixed else listed))
    except More:
        for face in die:
            yield from every_fall(rule, die, held, (*faces, face))
    else:
        yield Fraction(1, len(die) ** len(faces)), verdict
