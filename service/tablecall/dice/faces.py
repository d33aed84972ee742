"""What lies on the table: dice, the fall of one roll, and the faces a roll is read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Special = Literal["dismal", "dramatic"]


@dataclass(slots=True)
class Die:
    """One die as it stands: its sides, the face that counts, whether it is kept, the faces it showed before re-rolls."""

    sides: int
    face: int
    kept: bool = True
    replaced: list[int] = field(default_factory=list)


@dataclass(slots=True)
class RollResult:
    """One roll as it fell. ``total`` is the kept faces plus ``modifier``; ``zeros`` counts the kept zeros (d10 only)."""

    dice: list[Die]
    modifier: int
    total: int
    zeros: int = 0
    special: Special | None = None


class FaceSource(ABC):
    """Where one roll's faces come from: the seed's stream, the table's own dice, or an earlier fall."""

    __slots__ = ()

    @abstractmethod
    def first(self, sides: int) -> int:
        """The next base die's face: 1 to 6 for a d6, 0 to 9 for a d10."""

    def several(self, count: int, sides: int) -> Sequence[int]:
        """The faces of so many base dice, in the order drawn."""
        return [self.first(sides) for _ in range(count)]

    @abstractmethod
    def again(self, index: int, sides: int) -> int:
        """The face that replaces base die ``index`` when it is re-rolled."""
