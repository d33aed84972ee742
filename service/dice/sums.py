"""Dice that are all summed: NdS plus a modifier, some faces re-rolled; and the packed counts its odds are made of.

A *packed* polynomial is one big integer: the count for exponent i stands in bytes i·size to (i+1)·size. Integer multiplication
then convolves whole distributions at once, exactly, as long as no count outgrows its slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from service.dice.chances import Chances
from service.dice.falls import Die, Faces, Fall

Until = Literal["once", "clear"]


@dataclass(frozen=True, slots=True)
class Sum:
    """``count`` dice with faces 1 to ``sides``, summed, plus ``modifier`` (jazz.dice.roll).

    Dice showing a face in ``reroll`` are rolled again (jazz.dice.reroll): ``once``, the second result stands, or until the
    die is ``clear`` of those faces (which needs a face that is not listed).
    """

    count: int
    modifier: int = 0
    reroll: tuple[int, ...] = ()
    until: Until = "once"
    sides: int = 6

    @property
    def needs(self) -> str:
        """The dice in words."""
        dice = f"{self.count}d{self.sides}"
        if not self.reroll:
            return dice
        shows = f"each die that shows {' or '.join(map(str, self.reroll))}"
        return f"{dice}, then one more face for {shows}" if self.until == "once" else f"{dice}, then more for {shows} until it does not"

    def read(self, faces: Faces) -> Fall:
        """The fall that ``faces`` gives: all base dice first, then the re-rolls from left to right (jazz.dice.reroll)."""
        dice = [Die(self.sides, faces.first(self.sides)) for _ in range(self.count)]
        for index, die in enumerate(dice):
            while die.face in self.reroll and (self.until == "clear" or not die.replaced):
                die.replaced.append(die.face)
                die.face = faces.again(index, self.sides)
        return Fall(dice, self.modifier, sum(die.face for die in dice) + self.modifier)

    def chances(self) -> Chances:
        """The weights by total, of ``sides``, ``sides``² (re-rolled once) or the unlisted faces (clear) to the ``count``-th."""
        return _chances(self.count, self.modifier, self.reroll, self.until, self.sides)


@lru_cache(maxsize=4096)
def _chances(count: int, modifier: int, reroll: tuple[int, ...], until: Until, sides: int) -> Chances:
    """The count-th power of one die's weights by face."""
    die = _die(frozenset(reroll).intersection(range(1, sides + 1)), until, sides)
    lowest, highest, whole = min(die), max(die), sum(die.values()) ** count
    size = slot_size(whole)
    packed = sum(ways << 8 * size * (face - lowest) for face, ways in die.items())
    weights = unpack(packed**count, size, (highest - lowest) * count + 1)
    return Chances(lowest * count + modifier, tuple(weights), whole)


def _die(reroll: frozenset[int], until: Until, sides: int) -> dict[int, int]:
    """One die's ways by final face (jazz.dice.reroll): none listed, uniform; clear, uniform over the unlisted; else two throws."""
    faces = range(1, sides + 1)
    if until == "clear" or not reroll:
        return {face: 1 for face in faces if face not in reroll}
    return {face: len(reroll) + (0 if face in reroll else sides) for face in faces}


def slot_size(largest: int) -> int:
    """The bytes of a slot that holds counts up to ``largest``."""
    return largest.bit_length() // 8 + 1


def unpack(packed: int, size: int, count: int) -> list[int]:
    """The first ``count`` counts of a packed polynomial with slots of ``size`` bytes; there are no others."""
    table = packed.to_bytes(size * count, "little")
    return [int.from_bytes(table[start : start + size], "little") for start in range(0, size * count, size)]
