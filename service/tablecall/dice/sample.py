"""The dice of a simulation, for odds that are too large to count: sums are drawn from their exact distributions.

The rule is the same as for the exact odds (`tablecall.dice.enumeration`), run once for each trial. Nothing is recorded.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from hashlib import shake_256
from itertools import accumulate, repeat
from typing import TypeVar, cast

from tablecall.dice.distribution import Distribution
from tablecall.dice.enumeration import no_supplied_dice, transition_table
from tablecall.dice.faces import FaceSource, RollResult
from tablecall.dice.markov import MAX_TRANSITIONS, TransitionTable, walk
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice, read
from tablecall.dice.source import M, MarkovProcess, Pool, Q, Roll, S

T = TypeVar("T")

NUMBERS_PER_BLOCK = 512
_NUMBER, _BLOCK = struct.Struct(">Q"), struct.Struct(f">{NUMBERS_PER_BLOCK}Q")


def random_numbers(seed: str, part: int) -> Iterator[int]:
    """Endless 64-bit numbers, always the same for one seed and one part of a simulation.

    Parts have independent numbers, so they can be simulated at the same time.
    """
    prefix = b"tablecall-1/simulation\0" + seed.encode() + b"\0" + _NUMBER.pack(part)
    block = 0
    while True:
        yield from _BLOCK.unpack(shake_256(prefix + _NUMBER.pack(block)).digest(_BLOCK.size))
        block += 1


class RandomFaces(FaceSource):
    """Faces made of random 64-bit numbers (`random_numbers`)."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next face."""
        return lowest + (next(self._numbers) * sides >> 64)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next face."""
        return self.draw(sides, lowest)


class SampledDice(RolledDice):
    """One trial of a rule. Of dice that are all summed only the total is drawn.

    ``supplied`` returns the faces of rolls made at the table, ``numbers`` are random (`random_numbers`), and ``cache`` holds what is
    the same in every trial. ``names`` collects the names of the rolls made. ``last_round`` is set to the
    round in which the process that was followed ended.

    A 64-bit number is scaled to the denominator of a distribution. As denominators are far below 2⁶⁴, the error is less than 2⁻⁴⁰.
    """

    __slots__ = ("cache", "last_round", "names", "numbers", "supplied")

    def __init__(
        self,
        supplied: Callable[[str], FaceSource | None],
        numbers: Iterator[int],
        cache: dict[object, object],
        names: set[str],
    ) -> None:
        super().__init__(_no_faces)
        self.supplied = supplied
        self.numbers = numbers
        self.cache = cache
        self.names = names
        self.last_round: int | None = None

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """A random total, or the total of the dice supplied."""
        self.names.add(name)
        faces = self.supplied(name)
        if faces is not None:
            return read(pool, faces)
        if type(pool) is not SumPool:
            return pool.read(RandomFaces(self.numbers))
        distribution = pool.distribution()
        sums = self.cached(id(distribution), lambda: _CumulativeWeights(distribution)).sums
        return RollResult([], 0, distribution.low + bisect_right(sums, next(self.numbers) * distribution.denominator >> 64))

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Run the process once, with random transitions."""
        state, self.last_round = self._walk(name, process)
        return state

    def _walk(self, name: str, process: MarkovProcess[S, M, Q]) -> tuple[S, int]:
        """The final state and its round."""
        if process.is_over(process.start):
            return process.start, 0
        table = self.cached(name, lambda: self._transition_table(process))
        if process.state_bound > MAX_TRANSITIONS:
            return self._walk_without_table(process, table)
        table.trim()
        number, numbers = table.number(process.start), self.numbers
        ordinary = [table.of(process, move, 0) for move in process.moves]
        for time in range(1, process.max_rounds + 1):
            by_move = [table.of(process, move, time) for move in process.moves] if time in process.special_rounds else ordinary
            for move, transitions in zip(process.moves, by_move, strict=True):
                transition = transitions.get(number)
                if transition is None:
                    transition = table.add(process, number, move, time)
                yes, no, weight, rest, _, threshold, yes_ends, no_ends = transition
                # a certain transition uses up no random number
                number, over = (yes, yes_ends) if weight and (not rest or next(numbers) < threshold) else (no, no_ends)
                if over:
                    return cast("S", table.states[number]), time
        return cast("S", table.states[number]), process.max_rounds

    def _walk_without_table(self, process: MarkovProcess[S, M, Q], table: TransitionTable) -> tuple[S, int]:
        """The same for a process whose states rarely recur: storing transitions would take longer than computing them."""

        def decide(question: Q, time: int) -> bool:
            weight, denominator = table.chance(question, time)
            return weight > 0 and (weight == denominator or next(self.numbers) * denominator >> 64 < weight)

        return walk(process, self, decide)

    def _transition_table(self, process: MarkovProcess[S, M, Q]) -> TransitionTable:
        """The table of a process. Every roll that may be made in a round with supplied dice counts as made."""
        collector = SampledDice(no_supplied_dice, repeat(0), self.cache, self.names)
        for time in process.special_rounds:
            for move in process.moves:
                for question in process.possible_questions(move):
                    process.decide(question, time, collector)
        return transition_table(process, self.supplied, self)[0]

    def cached(self, name: object, make: Callable[[], T]) -> T:
        """The result of ``make`` in the first trial."""
        if name not in self.cache:
            self.cache[name] = make()
        return cast("T", self.cache[name])

    def note(self, rule: str, key: str, /, *, value: object = None, **facts: object) -> None:
        """No steps are recorded."""

    def option(self, at: str, field: str) -> None:
        """No options are reported."""

    def explain(self, notes: Callable[[], object]) -> None:
        """No steps are recorded."""

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """No contribution is taken away."""
        return value


def _no_faces(name: str) -> FaceSource:
    """A simulation draws totals, never faces."""
    raise LookupError(name)


class _CumulativeWeights:
    """The cumulative weights of a distribution. Cached by its identity, so it keeps a reference to it."""

    __slots__ = ("distribution", "sums")

    def __init__(self, distribution: Distribution) -> None:
        self.distribution = distribution
        self.sums = list(accumulate(distribution.weights))
