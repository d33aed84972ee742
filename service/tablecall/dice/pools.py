"""Pools whose dice are all summed (NdS plus a modifier, with re-rolls), and the packed polynomials that count their odds.

A *packed* polynomial is one big integer: the value of the polynomial at X = 256^size. The count for exponent i occupies the bytes i·size
to (i+1)·size. Multiplying two such integers convolves whole distributions at once, and every other identity of polynomials holds too.
Intermediate counts may be negative or overflow their slot, as long as the counts of the final result do not.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Die, FaceSource, RollResult
from tablecall.model.text import Sentence, say

Until = Literal["once", "clear"]


@dataclass(slots=True)
class SumPool:
    """``count`` dice with ``sides`` faces, from ``lowest`` up, summed, plus ``modifier`` (jazz.dice.roll).

    Dice that show a face in ``reroll`` are rolled again (jazz.dice.reroll). ``until`` says how often: ``once``, and the second face
    counts, or until the die is ``clear`` of those faces, which requires a face that is not listed.
    """

    count: int
    modifier: int = 0
    reroll: tuple[int, ...] = ()
    until: Until = "once"
    sides: int = 6
    lowest: int = 1

    @property
    def needs(self) -> Sentence:
        """The dice to supply."""
        key = f"dice.{self.until}" if self.reroll else "dice.plain"
        return say(key, count=self.count, sides=self.sides, faces="/".join(map(str, self.reroll)))

    def read(self, faces: FaceSource) -> RollResult:
        """The result that ``faces`` give: all base dice first, then the re-rolls from left to right (jazz.dice.reroll)."""
        shown = faces.draw_many(self.count, self.sides, self.lowest)
        dice, total = [Die(self.sides, face, lowest=self.lowest) for face in shown], sum(shown)
        if self.reroll:
            total += sum(self._redraw(index, die, faces) for index, die in enumerate(dice))
        return RollResult(dice, self.modifier, total + self.modifier)

    def _redraw(self, index: int, die: Die, faces: FaceSource) -> int:
        """Roll a die again as often as needed; return the change of its face."""
        before = die.face
        while die.face in self.reroll and (self.until == "clear" or not die.replaced):
            die.replaced.append(die.face)
            die.face = faces.redraw(index, self.sides, self.lowest)
        return die.face - before

    def distribution(self) -> Distribution:
        """The exact distribution of the total."""
        # the distribution of dice that start at 1, moved
        offset = self.lowest - 1
        reroll = tuple(face - offset for face in self.reroll) if offset else self.reroll
        return _distribution(self.count, self.modifier + self.count * offset, reroll, self.until, self.sides)


@lru_cache(maxsize=4096)
def _distribution(count: int, modifier: int, reroll: tuple[int, ...], until: Until, sides: int) -> Distribution:
    """The ``count``-th power of one die's polynomial, which is X + … + X^``sides`` without re-rolls."""
    if not reroll:
        denominator = sides**count
        size = slot_size(denominator)
        weights = unpack(run(sides, 8 * size) ** count, size, (sides - 1) * count + 1)
        return Distribution(count + modifier, weights, denominator)
    die = _die(frozenset(reroll).intersection(range(1, sides + 1)), until, sides)
    lowest, highest, denominator = min(die), max(die), sum(die.values()) ** count
    size = slot_size(denominator)
    packed = sum(ways << 8 * size * (face - lowest) for face, ways in die.items())
    return Distribution(lowest * count + modifier, unpack(packed**count, size, (highest - lowest) * count + 1), denominator)


def _die(reroll: frozenset[int], until: Until, sides: int) -> dict[int, int]:
    """The weights of one die by its final face (jazz.dice.reroll): uniform over the unlisted faces, or two throws if re-rolled once."""
    faces = range(1, sides + 1)
    if until == "clear" or not reroll:
        return {face: 1 for face in faces if face not in reroll}
    return {face: len(reroll) + (0 if face in reroll else sides) for face in faces}


_WORDS: dict[int, Literal["H", "I", "Q"]] = {2: "H", 4: "I", 8: "Q"} if sys.byteorder == "little" else {}
"""The format of slots that are machine integers, by their size: Python decodes these all at once."""
_SIZES = [1 if bits <= 8 else 2 if bits <= 16 else 4 if bits <= 32 else 8 for bits in range(65)]


def slot_size(largest: int) -> int:
    """The bytes of a slot that holds counts up to ``largest``: 1, 2, 4 or 8, and beyond that the fewest that suffice."""
    bits = largest.bit_length()
    return _SIZES[bits] if bits <= 64 else (bits + 7) // 8


def run(length: int, slot: int) -> int:
    """1 + X + … (``length`` terms), packed in slots of ``slot`` bits."""
    return ((1 << slot * length) - 1) // ((1 << slot) - 1)


def unpack(packed: int, size: int, count: int) -> tuple[int, ...]:
    """All ``count`` counts of a packed polynomial with slots of ``size`` bytes."""
    table = packed.to_bytes(size * count, "little")
    if size == 1:
        return tuple(table)
    if size in _WORDS:
        return tuple(memoryview(table).cast(_WORDS[size]))
    return tuple([int.from_bytes(table[start : start + size], "little") for start in range(0, size * count, size)])
