"""Dice with their faces, the result of one roll, and the sources a roll reads its faces from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Special = Literal["dismal", "dramatic"]

SPECIALS: tuple[Special | None, ...] = ("dismal", "dramatic", None)
"""Every special of a roll, from the lowest rank up."""


@dataclass(slots=True)
class Die:
    """One die: its sides, the face that counts, whether it is kept, the faces it showed before re-rolls, earliest first, and its
    lowest face."""

    sides: int
    face: int
    kept: bool = True
    replaced: list[int] = field(default_factory=list)
    lowest: int = 1


@dataclass(slots=True)
class RollResult:
    """The result of one roll. ``total`` is the kept faces plus ``modifier``; ``zeros`` counts the kept zeros (d10 only)."""

    dice: list[Die]
    modifier: int
    total: int
    zeros: int = 0
    special: Special | None = None

    @property
    def mean_zeros(self) -> int:
        """The number of kept zeros: nothing is unknown of a roll that was made."""
        return self.zeros

    @property
    def faces(self) -> Sequence[int]:
        """The faces in the order drawn."""
        return [die.face for die in self.dice]


class FaceSource(ABC):
    """The faces of one roll: from a seed, supplied by the request, or replayed from an earlier result."""

    __slots__ = ()

    @abstractmethod
    def draw(self, sides: int, lowest: int = 1) -> int:
        """The face of the next base die, from ``lowest`` up: 1 to 6 for a d6, 0 to 9 for a d10 whose lowest face is 0."""

    def draw_many(self, count: int, sides: int, lowest: int = 1) -> Sequence[int]:
        """The faces of the next ``count`` base dice, in the order drawn."""
        return [self.draw(sides, lowest) for _ in range(count)]

    @abstractmethod
    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The face that replaces the one of base die ``index`` when it is re-rolled."""
