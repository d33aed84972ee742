"""What a rule may ask of the dice. A rule is written once against this; the source handed in decides the reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import FaceSource, RollResult, Special
from tablecall.dice.markov import M, MarkovProcess, Q, S

T = TypeVar("T")


class Quantity(Protocol):
    """A roll as a rule describes it, never changed once made: read from faces, or counted exactly."""

    @property
    def sides(self) -> int:
        """How many sides each die has."""
        ...

    @property
    def needs(self) -> str:
        """How many dice of what kind the roll takes, in words."""
        ...

    def read(self, faces: FaceSource) -> RollResult:
        """Draw the dice and read them."""
        ...

    def chances(self) -> Distribution:
        """The exact distribution of what `read` gives."""
        ...


class Total(Protocol):
    """A number that hangs on dice: an integer in a roll, a distribution in the odds. Numbers may be added to it."""

    def __add__(self, number: int, /) -> Total: ...


class Roll(Protocol):
    """One roll that was asked for."""

    @property
    def total(self) -> Total:
        """Kept faces plus modifier."""
        ...


Again = Callable[[Sequence[int], int], Sequence[Roll]]
"""Rolls once more for the tied, given by index, for the n-th time (from 1)."""


class Dice(Protocol):
    """Dice, and a pencil: what a rule asks, and where it says why.

    The chance a rule depends on is always asked for by name (`roll`) and always decided through the source (`compare`,
    `special`, `value`): a rule never branches on a total by itself. `step`, `weigh` and `offer` write down what was
    decided; in the odds reading they cost next to nothing.
    """

    wants_options: bool
    """Whether anyone will read what is offered: a rule may skip preparing `offer` where not."""
    wants_steps: bool
    """Whether anyone will read the steps: a rule may skip what it would work out for them alone where not."""

    def roll(self, name: str, quantity: Quantity, who: str, *, list_first: bool = False) -> Roll:
        """Roll ``quantity`` under ``name`` (where the roller stands in the request) for ``who``; ``list_first`` lists it first."""
        ...

    def compare(self, left: Total, right: Total) -> int:
        """1 where ``left`` is the higher, 0 where they are equal, −1 where it is the lower."""
        ...

    def reaches(self, left: Total, right: Total) -> bool:
        """Whether ``left`` is at least ``right``: `compare` where equality says nothing of its own, at fewer branches."""
        ...

    def value(self, total: Total, most: int | None = None) -> int:
        """The very number: in the odds reading every value is followed as a branch of its own. Dear; use `compare` where it serves.

        Whoever does not tell the values from ``most`` up apart says so: they are one branch then, and the number is its lowest.
        """
        ...

    def special(self, roll: Roll) -> Special | None:
        """Whether the roll shows only zeros (dismal) or keeps only zeros (dramatic)."""
        ...

    def rank(
        self,
        rolls: Sequence[Roll],
        again: Again | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places from the highest total down, each the indices of the rolls that share it.

        Equal totals are rolled off with ``again`` until they differ; without it they keep the order listed, or stay
        ``share_places``. The odds follow only the order ``among`` some (all, where none are named): the others share the last
        place. With ``leader_only`` they follow only who comes first: everyone else shares the last place, and where a first
        place is shared there is one place of all.
        """
        ...

    def extreme_roll(self, rolls: Sequence[Roll], *, highest: bool) -> tuple[Roll, int]:
        """The highest or lowest of several rolls as one roll, and its index.

        Of equal totals a dismal roll ranks lowest and a dramatic one next; otherwise the first counts. In the odds the index is always 0.
        """
        ...

    def mean_zeros(self, roll: Roll) -> int | Fraction:
        """How many zeros are kept: the number in a roll, the mean of this branch in the odds. Only ever to be added up."""
        ...

    def count_zeros(self, roll: Roll) -> int:
        """How many zeros are kept, a branch of its own for each in the odds. After `special`, before the roll meets another."""
        ...

    def faces(self, roll: Roll) -> Sequence[int]:
        """The faces as they stand, in the order drawn; empty where nothing is offered."""
        ...

    def scene(self, name: str) -> Dice:
        """The dice of an action inside this one, named ``name``: rolls are named as in that action alone, and its steps are its own."""
        ...

    def follow(self, name: str, course: MarkovProcess[S, M, Q]) -> S:
        """Go along a course of events, by a name of its own, until it is over or its rounds are: the state it ends in.

        In the odds every state it may end in is a branch; its own rolls are not among those whose distributions are told, but how
        many rounds it takes is. Refused where it counts as more branches (`tablecall.dice.markov.branches`) than are followed; whoever
        decides other things beside it declares all of them together.
        """
        ...

    def dedupe_steps(self, name: str) -> Dice:
        """The same dice; a step that was written down under this name already is not written down again."""
        ...

    def declare_branches(self, ways: int) -> None:
        """Say before the first roll how many ways the decisions may go at most; together with `rank`, the odds refuse too many."""
        ...

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """What no die decides, under a name of its own: made anew for a roll, once for all branches in the odds."""
        ...

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Write down that ``rule`` decided something: ``text`` with ``facts`` in its braces, and the value decided."""
        ...

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """One contribution of ``on`` (a bonus, a die, a modifier): its value, or ``without`` where it is being taken away."""
        ...

    def option(self, choice: str, text: str, patch: dict[str, object]) -> None:
        """A choice the rules still leave open, as a merge patch of the request that takes it."""
        ...
