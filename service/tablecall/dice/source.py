"""The interface between rules and dice. A rule is written once; the source of dice it gets decides what is computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import FaceSource, RollResult, Special
from tablecall.model.text import Sentence

T = TypeVar("T")
S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)
Q = TypeVar("Q", bound=Hashable)


class Pool(Protocol):
    """The dice of one roll as a rule describes them: immutable, read from faces or counted exactly."""

    @property
    def needs(self) -> Sentence:
        """The dice to supply for it."""
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


class Undecided(Protocol):
    """A number that depends on dice and that only `Dice.value` decides."""


class Roll(Protocol):
    """One roll a rule asked for."""

    @property
    def total(self) -> Total:
        """Kept faces plus modifier."""
        ...

    @property
    def zeros(self) -> int | Undecided:
        """How many zeros are kept, for `Dice.value`. Decide it after `Dice.special`, before the roll is compared to another."""
        ...

    @property
    def mean_zeros(self) -> int | Fraction:
        """How many zeros are kept: the number in a ruling, the mean of this branch in the odds. Only use it in sums."""
        ...

    @property
    def faces(self) -> Sequence[int]:
        """The faces in the order drawn; empty in the odds."""
        ...


Reroll = Callable[[Sequence[int], int], Sequence[Roll]]
"""Rolls again for the tied rolls, given by index, for the n-th time (from 1)."""


class Offer(NamedTuple):
    """A choice the rules leave open.

    ``key`` and ``facts`` are its sentence. ``request`` is the merge patch of the request that takes it; ``None`` if another action
    carries it out. ``costs`` are the changes that taking it makes, whatever the dice then show: place, stat, before, to. ``wins`` is
    the `succeeded` of the ruling that counts as a success for who takes it: false for a defender, ``None`` if it has no answer.
    """

    choice: str
    key: str
    facts: Mapping[str, object]
    request: Mapping[str, object] | None
    costs: Sequence[tuple[str, str, Any, Any]] = ()
    wins: bool | None = True


class Record(Protocol):
    """How a rule records its reasons. The odds record nothing."""

    def note(self, rule: str, key: str, /, *, value: object = None, **facts: object) -> None:
        """Record that ``rule`` decided something: the key of a sentence, the facts in it, and the value decided.

        Rollers are facts by their places in the request.
        """
        ...

    def option(self, at: str, field: str) -> None:
        """Record that an option of the request had an effect: the place of the participant (empty for the request) and its wire name."""
        ...

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record what a bonus, a die or a modifier of ``on`` adds. Returns ``value``, or ``without`` if it is being taken away."""
        ...


class Dice(Record, Protocol):
    """What a rule may ask of the dice.

    Every roll has a name (`roll`), and every decision that depends on dice is made here (`compare`, `value`, …): a rule never branches on
    a total itself. Only `cached` and `declare_branches` are for the odds alone: without them the odds would repeat costly preparations
    in every branch, and would follow 50,000 branches before they refuse one more.
    """

    def explain(self, notes: Callable[[], object]) -> None:
        """Call ``notes``, which records steps that take work or depend on dice, if steps are recorded. It must decide nothing else."""
        ...

    def offer(self, choices: Callable[[], Iterable[Offer]]) -> None:
        """Record the choices that the rules leave open. ``choices`` is only called if they are wanted."""
        ...

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """Roll ``pool`` for ``who``. ``name`` is the roller's place in the request; ``list_first`` lists the roll before all others."""
        ...

    def compare(self, left: Total, right: Total, *, tie: Literal[0, 1] = 0) -> int:
        """1 if ``left`` is higher, −1 if it is lower, ``tie`` if both are equal. With 1 for a tie the odds take fewer branches."""
        ...

    def value(self, number: Total | Undecided, cap: int | None = None) -> int:
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

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Run a process until it is over or its rounds are: the state it ends in.

        In the odds every final state is a branch. The rolls of the process are not listed in the odds, but the number of rounds is.
        Refused if it counts as too many branches (`tablecall.dice.markov.branches`). A rule that decides other things too must declare
        the branches of everything together (`declare_branches`).
        """
        ...

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of ``make``, which must not depend on dice. In the odds it is made once for all branches.

        The dice keep it and not a cache of functions, because ``make`` records steps: in a ruling it must run each time.
        """
        ...

    def declare_branches(self, bound: Callable[[], int]) -> None:
        """Before the first roll, at most once: an upper bound of the branches. The odds refuse too many, together with those of `rank`.

        Without it they would be refused only after as many branches as may be followed: after seconds instead of at once.
        """
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
