"""The interface between rules and dice. A rule is written once; the source of dice it gets decides what is computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import FaceSource, RollResult, Special

T = TypeVar("T")
S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)
Q = TypeVar("Q", bound=Hashable)


class Pool(Protocol):
    """The dice of one roll as a rule describes them: immutable, read from faces or counted exactly."""

    @property
    def needs(self) -> str:
        """The dice to supply for it, in words."""
        ...

    def read(self, faces: FaceSource) -> RollResult:
        """Draw the dice and evaluate them."""
        ...

    def distribution(self) -> Distribution:
        """The exact distribution of what `read` returns."""
        ...


class Total(Protocol):
    """A number that depends on dice: an integer in a ruling, a distribution in the odds. Integers may be added."""

    def __add__(self, number: int, /) -> Total: ...


class Roll(Protocol):
    """One roll a rule asked for."""

    @property
    def total(self) -> Total:
        """Kept faces plus modifier."""
        ...


Reroll = Callable[[Sequence[int], int], Sequence[Roll]]
"""Rolls again for the tied rolls, given by index, for the n-th time (from 1)."""


class Dice(Protocol):
    """What a rule may ask of the dice, and how it records its reasons.

    Every roll has a name (`roll`), and every decision that depends on dice is made here (`compare`, `special`, `value`, …): a rule never
    branches on a total itself. `step`, `contribution` and `option` record what was decided; in the odds they cost next to nothing.
    """

    wants_options: bool
    """Whether anyone reads the options: if not, a rule may skip preparing `option`."""
    wants_steps: bool
    """Whether anyone reads the steps: if not, a rule may skip work it does for them only."""

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """Roll ``pool`` for ``who``. ``name`` is the roller's place in the request; ``list_first`` lists the roll before all others."""
        ...

    def compare(self, left: Total, right: Total) -> int:
        """1 if ``left`` is higher, 0 if both are equal, −1 if it is lower."""
        ...

    def reaches(self, left: Total, right: Total) -> bool:
        """Whether ``left`` is at least ``right``. In the odds this takes fewer branches than `compare`."""
        ...

    def value(self, total: Total, cap: int | None = None) -> int:
        """The number itself. In the odds every value is a branch, so this is expensive: use `compare` if it suffices.

        Values from ``cap`` up are one branch, whose number is the lowest of them.
        """
        ...

    def special(self, roll: Roll) -> Special | None:
        """Whether the roll shows only zeros (dismal) or keeps only zeros (dramatic)."""
        ...

    def rank(
        self,
        rolls: Sequence[Roll],
        reroll: Reroll | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places from the highest total down, each the indices of the rolls in it.

        Equal totals share a place with ``share_places``, are rolled off with ``reroll`` until they differ, or else keep the order listed.

        Two arguments only limit what the odds tell apart. With ``among`` they rank only these rolls; the others share the last place.
        With ``leader_only`` they follow only who comes first: all others share the last place, and a shared first place is returned
        as one place of all rolls.
        """
        ...

    def extreme_roll(self, rolls: Sequence[Roll], *, highest: bool) -> tuple[Roll, int]:
        """The highest or lowest of several rolls as one roll, and its index.

        Of equal totals a dismal roll ranks lowest and a dramatic one next; otherwise the first counts. In the odds the index is always 0.
        """
        ...

    def mean_zeros(self, roll: Roll) -> int | Fraction:
        """How many zeros are kept: the number in a ruling, the mean of this branch in the odds. Only use it in sums."""
        ...

    def count_zeros(self, roll: Roll) -> int:
        """How many zeros are kept. In the odds each number is a branch. Call it after `special`, before the roll is compared to another."""
        ...

    def faces(self, roll: Roll) -> Sequence[int]:
        """The faces in the order drawn; empty in the odds."""
        ...

    def scene(self, name: str) -> Dice:
        """The dice for an action inside this one. Its rolls are named as if it were alone, and it records its own steps."""
        ...

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Run a process until it is over or its rounds are: the state it ends in.

        In the odds every final state is a branch. The rolls of the process are not listed in the odds, but the number of rounds is.
        Refused if it counts as too many branches (`tablecall.dice.markov.branches`). A rule that decides other things too must declare
        the branches of everything together (`declare_branches`).
        """
        ...

    def dedupe_steps(self, name: str) -> Dice:
        """The same dice, but a step already recorded under this name is not recorded again."""
        ...

    def declare_branches(self, branches: int) -> None:
        """Before the first roll, state an upper bound of the branches. The odds refuse too many, together with those of `rank`."""
        ...

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of ``make``, which must not depend on dice. In the odds it is made once for all branches."""
        ...

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Record that ``rule`` decided something: ``text`` with ``facts`` in its braces, and the value decided."""
        ...

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record what a bonus, a die or a modifier of ``on`` adds. Returns ``value``, or ``without`` if it is being taken away."""
        ...

    def option(self, choice: str, text: str, patch: dict[str, object]) -> None:
        """Record a choice the rules leave open, as a merge patch of the request that takes it."""
        ...


class MarkovProcess(Protocol[S, M, Q]):
    """States, moves and questions are values, compared by equality. What a move makes of a state must depend on nothing else."""

    @property
    def start(self) -> S:
        """The first state."""
        ...

    @property
    def moves(self) -> Sequence[M]:
        """The moves of each round, in order."""
        ...

    @property
    def max_rounds(self) -> int:
        """The round after which it ends in any state."""
        ...

    @property
    def special_rounds(self) -> frozenset[int]:
        """The rounds, counted from 1, whose dice may differ from those of all others because some were supplied."""
        ...

    @property
    def state_bound(self) -> int:
        """An upper bound of the number of states."""
        ...

    def is_over(self, state: S) -> bool:
        """Whether nothing more can happen."""
        ...

    def question(self, state: S, move: M) -> Q | None:
        """What the dice decide about a move; ``None`` if nobody rolls."""
        ...

    def possible_questions(self, move: M) -> Sequence[Q]:
        """Everything `question` may return for that move."""
        ...

    def decide(self, question: Q, time: int, dice: Dice) -> bool:
        """Decide the question with the dice of round ``time``."""
        ...

    def next_state(self, state: S, move: M, question: Q | None, decided: bool, time: int, dice: Dice) -> S:
        """The state after the move."""
        ...
