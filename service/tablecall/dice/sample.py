"""The reading of a simulation: what the dice decide is drawn by its exact chance, and nothing is written down.

For what is too large to count (`tablecall.dice.enumeration`). The rule is the same; only each time it is played once.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from hashlib import shake_256
from itertools import accumulate, repeat
from typing import TypeVar, cast

from tablecall.dice.distribution import Distribution
from tablecall.dice.enumeration import nothing, tabled
from tablecall.dice.faces import FaceSource, RollResult
from tablecall.dice.markov import MOST_FORKS, M, MarkovProcess, Q, S, Table, along
from tablecall.dice.roll import RolledDice, read
from tablecall.dice.source import Quantity, Roll

T = TypeVar("T")

WORDS = 512
_WORD, _WORDS = struct.Struct(">Q"), struct.Struct(f">{WORDS}Q")


def drawn(seed: str, part: int) -> Iterator[int]:
    """Numbers of 64 bits without end, for ever the same of one seed and part of a simulation.

    ``part`` tells apart what is drawn apart, so that it may be drawn at the same time.
    """
    begin = b"tablecall-1/simulation\0" + seed.encode() + b"\0" + _WORD.pack(part)
    block = 0
    while True:
        yield from _WORDS.unpack(shake_256(begin + _WORD.pack(block)).digest(_WORDS.size))
        block += 1


class SampledDice(RolledDice):
    """One time through, of a rule that asks for totals alone.

    A number drawn decides between the cases of a whole far below 2⁶⁴ as if each were equally likely: what is missing to that is
    less than one in 2⁴⁰.
    """

    __slots__ = ("draws", "fixed", "lasted", "made", "rolled", "within")

    def __init__(
        self,
        fixed: Callable[[str], FaceSource | None],
        draws: Iterator[int],
        made: dict[object, object],
        rolled: set[str],
        within: str = "",
    ) -> None:
        """``fixed`` gives the faces of a roll made at the table, ``draws`` the numbers of `drawn`.

        ``made`` keeps what is the same each time, ``rolled`` collects the rolls made; ``within`` begins their names. ``lasted``
        comes to be the round in which the course that was followed ended.
        """
        super().__init__(_none, wants_steps=False)
        self.fixed = fixed
        self.draws = draws
        self.made = made
        self.rolled = rolled
        self.within = within
        self.lasted: int | None = None

    def roll(self, name: str, quantity: Quantity, who: str, *, list_first: bool = False) -> Roll:
        """A total, drawn; or the one that was made at the table."""
        name = self.within + name
        self.rolled.add(name)
        faces = self.fixed(name)
        if faces is not None:
            return read(quantity, faces)
        chances = quantity.chances()
        sums = self.cached(id(chances), lambda: _Sums(chances)).upto
        return RollResult([], 0, chances.low + bisect_right(sums, next(self.draws) * chances.whole >> 64))

    def follow(self, name: str, course: MarkovProcess[S, M, Q]) -> S:
        """Along it once, every fork drawn."""
        end, self.lasted = self._along(name, course)
        return end

    def _along(self, name: str, course: MarkovProcess[S, M, Q]) -> tuple[S, int]:
        """The state it ends in, and in which round."""
        if course.is_over(course.start):
            return course.start, 0
        table = self.cached(name, lambda: self._tabled(course))
        if course.state_bound > MOST_FORKS:
            return self._played(course, table)
        table.forget()
        number, draws = table.number(course.start), self.draws
        usual = [table.of(course, move, 0) for move in course.moves]
        for time in range(1, course.max_rounds + 1):
            known = [table.of(course, move, time) for move in course.moves] if time in course.special_rounds else usual
            for move, forks in zip(course.moves, known, strict=True):
                fork = forks.get(number)
                if fork is None:
                    fork = table.fork(course, number, move, time)
                yes, no, ways, rest, _, bound, yes_ends, no_ends = fork
                # what is certain is not drawn
                number, over = (yes, yes_ends) if ways and (not rest or next(draws) < bound) else (no, no_ends)
                if over:
                    return cast("S", table.states[number]), time
        return cast("S", table.states[number]), course.max_rounds

    def _played(self, course: MarkovProcess[S, M, Q], table: Table) -> tuple[S, int]:
        """The same, of a course whose states hardly ever come up again: to remember them would take longer than to find out."""

        def decide(question: Q, time: int) -> bool:
            ways, whole = table.chance(question, time)
            return ways > 0 and (ways == whole or next(self.draws) * whole >> 64 < ways)

        return along(course, self, decide)

    def _tabled(self, course: MarkovProcess[S, M, Q]) -> Table:
        """The forks of a course; what may be rolled in the rounds of which some dice were made at the table counts as rolled."""
        naming = SampledDice(nothing, repeat(0), self.made, self.rolled, self.within)
        for time in course.special_rounds:
            for move in course.moves:
                for question in course.possible_questions(move):
                    course.decide(question, time, naming)
        return tabled(course, self.fixed, self)[0]

    def scene(self, name: str) -> SampledDice:
        """The same; only the rolls are named within the scene, and what is made is its own: its action may hang on earlier dice."""
        return SampledDice(self.fixed, self.draws, {}, self.rolled, f"{self.within}{name}.")

    def cached(self, name: object, make: Callable[[], T]) -> T:
        """Made the first time."""
        if name not in self.made:
            self.made[name] = make()
        return cast("T", self.made[name])

    def dedupe_steps(self, name: str) -> SampledDice:
        """Nothing is written down as it is."""
        return self

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Nothing is written down."""

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Every contribution counts."""
        return value

    def option(self, choice: str, text: str, patch: dict[str, object]) -> None:
        """Nothing is offered."""


def _none(name: str) -> FaceSource:
    """No faces fall: only totals are drawn."""
    raise LookupError(name)


class _Sums:
    """The ways that give each total of a distribution or less. It keeps the distribution, by whose identity it is known."""

    __slots__ = ("chances", "upto")

    def __init__(self, chances: Distribution) -> None:
        self.chances = chances
        self.upto = list(accumulate(chances.weights))
