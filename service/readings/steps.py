"""Work that pauses, so that others have their turn."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from service.dice.exploring import unhurried
from service.model import Body
from service.systems.system import Action, System

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dear:
    """A ruling that may take long, to be made wherever it delays nobody."""

    work: Callable[[System, Action, Body, frozenset[str]], Steps[dict[str, Any]]]
    system: System
    action: Action
    body: Body
    include: frozenset[str]

    def made(self, pace: Callable[[], None] = unhurried) -> dict[str, Any]:
        """The ruling. ``pace`` is called now and then, and may end it by what it raises."""
        return at_once(self.work(self.system, self.action, self.body, self.include), pace)


Steps = Generator[Dear | None, Any, T]
"""Work that pauses now and then, for whoever has more to do than this, and what it gives in the end. Where it pauses for a
`Dear` ruling, it is sent that."""


def at_once(work: Steps[T], pace: Callable[[], None] = unhurried) -> T:
    """The work done without a pause."""
    asked = None
    while True:
        try:
            asked = work.send(asked.made(pace) if asked else None)
        except StopIteration as end:
            return cast("T", end.value)
        pace()
