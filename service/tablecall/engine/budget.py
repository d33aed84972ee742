"""Work that pauses, so that others have their turn."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from tablecall.dice.markov import no_checkpoint
from tablecall.model.base import Body
from tablecall.systems.system import Action, System

T = TypeVar("T")


class BudgetExceeded(Exception):
    """It takes longer than may be waited for here."""


class MoveBudget:
    """A pace of so many moves at most; the next is `BudgetExceeded`."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self) -> None:
        """One move more."""
        self.left -= 1
        if self.left < 0:
            raise BudgetExceeded


@dataclass(frozen=True, slots=True)
class Offload:
    """A ruling that may take long, to be made wherever it delays nobody."""

    work: Callable[[System, Action, Body, frozenset[str]], Cooperative[dict[str, Any]]]
    system: System
    action: Action
    body: Body
    include: frozenset[str]

    def made(self, checkpoint: Callable[[], None] = no_checkpoint) -> dict[str, Any]:
        """The ruling. ``pace`` is called now and then, and may end it by what it raises."""
        return at_once(self.work(self.system, self.action, self.body, self.include), checkpoint)


@dataclass(frozen=True, slots=True)
class InThread:
    """Work that may take long for what it is, and can be done beside everything else."""

    work: Callable[[], Any]

    def made(self, checkpoint: Callable[[], None] = no_checkpoint) -> Any:
        """What it gives."""
        return self.work()


Cooperative = Generator[Offload | InThread | None, Any, T]
"""Work that pauses now and then, for whoever has more to do than this, and what it gives in the end. Where it pauses for a
`Offload` ruling, or for something `InThread`, it is sent that."""


def at_once(work: Cooperative[T], checkpoint: Callable[[], None] = no_checkpoint) -> T:
    """The work done without a pause."""
    asked: Offload | InThread | None = None
    while True:
        try:
            asked = work.send(asked.made(checkpoint) if asked else None)
        except StopIteration as end:
            return cast("T", end.value)
        checkpoint()
