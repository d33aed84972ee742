"""A course of events: what goes from state to state, one question of chance at a time, round after round, until it is over.

A rule that goes on for as long as the dice will have it (a fight to the end) describes it as a course and hands it to
`tablecall.dice.source.Dice.follow`. A roll goes along it once. The odds would never come to the end of its branches one by one;
but two ways that lead to the same state are one from there on, so they are counted by states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from tablecall.dice.distribution import Distribution

if TYPE_CHECKING:
    from tablecall.dice.source import Dice

S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)
Q = TypeVar("Q", bound=Hashable)


class MarkovProcess(Protocol[S, M, Q]):
    """States, moves and questions are values: equal ones are the same. What a move makes of a state hangs on nothing else."""

    @property
    def start(self) -> S:
        """The state it begins in."""
        ...

    @property
    def moves(self) -> Sequence[M]:
        """What is done in each round, in order."""
        ...

    @property
    def max_rounds(self) -> int:
        """After so many rounds it ends, whatever the state."""
        ...

    @property
    def special_rounds(self) -> frozenset[int]:
        """The rounds, counted from 1, whose dice may be unlike those of every other: some were rolled at the table."""
        ...

    @property
    def state_bound(self) -> int:
        """How many states there can be at most."""
        ...

    def is_over(self, state: S) -> bool:
        """Whether nothing more can happen."""
        ...

    def question(self, state: S, move: M) -> Q | None:
        """What the dice decide about a move; nothing where nobody rolls."""
        ...

    def possible_questions(self, move: M) -> Sequence[Q]:
        """Everything that `asks` may answer of that move."""
        ...

    def decide(self, question: Q, time: int, dice: Dice) -> bool:
        """Decide it, by the dice of that round."""
        ...

    def next_state(self, state: S, move: M, question: Q | None, decided: bool, time: int, dice: Dice) -> S:
        """The state it leads to."""
        ...


A_BRANCH = 64
"""How many states on the way along a course count as one branch of the odds."""
FORKS_A_BRANCH = 4
"""How many different forks of a course do: each is worked out, and remembered."""
AnyCourse = MarkovProcess[Any, Any, Any]
"""Any course at all."""


def branches(breadth: int, moves: int, times: int) -> int:
    """As how many branches of the odds a course counts at most that has so many states, moves and rounds."""
    forks = breadth * moves
    return max(-(-forks * times // A_BRANCH), forks // FORKS_A_BRANCH)


class Transition(NamedTuple):
    """Where one move may lead from one state: to ``yes`` in ``ways`` of ``whole`` equally likely cases, to ``no`` in the ``rest``.

    Where nothing is asked, that is none of one. Of numbers of 64 bits, each as likely, those below ``bound`` lead to ``yes``.
    ``yes_ends`` and ``no_ends`` say whether nothing more can happen there.
    """

    yes: int
    no: int
    ways: int
    rest: int
    whole: int
    bound: int
    yes_ends: bool
    no_ends: bool


MOST_FORKS = 100_000
"""How many forks are worth remembering: some forty megabytes."""


@dataclass(slots=True)
class Table:
    """The forks of a course by what is done and the state it is done in, each worked out once.

    States have numbers here, in the order in which they come up: to look one up by what it is made of takes longer.
    """

    chance: Callable[[Hashable, int], tuple[int, int]]
    """In how many ways of how many a question is decided with yes, in that round."""
    dice: Dice
    """Those that are told of what happens; nobody reads it."""
    states: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)
    forks: dict[tuple[int, Hashable], dict[int, Transition]] = field(default_factory=dict)
    known: int = 0

    def number(self, state: Any) -> int:
        """The number of a state."""
        found = self.numbers.get(state)
        if found is None:
            found = self.numbers[state] = len(self.states)
            self.states.append(state)
        return found

    def of(self, course: AnyCourse, move: Hashable, time: int) -> dict[int, Transition]:
        """The forks of one move that are known by now, by the number of the state."""
        return self.forks.setdefault((time if time in course.special_rounds else 0, move), {})

    def fork(self, course: AnyCourse, number: int, move: Any, time: int) -> Transition:
        """What that move may make of that state; from now on it is one of those that are known."""
        found = self.of(course, move, time)[number] = self._fork(course, self.states[number], move, time)
        self.known += 1
        return found

    def _fork(self, course: AnyCourse, state: Any, move: Any, time: int) -> Transition:
        question = course.question(state, move)
        if question is None:
            there = course.next_state(state, move, None, False, time, self.dice)
            number, over = self.number(there), course.is_over(there)
            return Transition(number, number, 0, 1, 1, 0, over, over)
        ways, whole = self.chance(question, time)
        no, yes = (course.next_state(state, move, question, decided, time, self.dice) for decided in (False, True))
        bound = -(-(ways << 64) // whole)
        return Transition(self.number(yes), self.number(no), ways, whole - ways, whole, bound, course.is_over(yes), course.is_over(no))

    def pass_by(self, course: AnyCourse, time: int) -> None:
        """A round is over whose forks are no other's."""
        for move in course.moves:
            self.forks.pop((time, move), None)

    def forget(self) -> None:
        """Begin anew where there is more than is worth remembering. Numbers handed out before mean nothing any more."""
        if self.known > MOST_FORKS:
            self.states.clear()
            self.numbers.clear()
            self.forks.clear()
            self.known = 0


def no_checkpoint() -> None:
    """Nobody waits."""


def along(
    course: MarkovProcess[S, M, Q], dice: Dice, decide: Callable[[Q, int], bool], pace: Callable[[], None] = no_checkpoint
) -> tuple[S, int]:
    """Go along it once, every question decided so: the state it ends in, and in which round; in none, where it was over before.

    ``pace`` is called at every move, and may end it.
    """
    state = course.start
    if course.is_over(state):
        return state, 0
    for time in range(1, course.max_rounds + 1):
        for move in course.moves:
            pace()
            question = course.question(state, move)
            decided = question is not None and decide(question, time)
            state = course.next_state(state, move, question, decided, time, dice)
            if course.is_over(state):
                return state, time
    return state, course.max_rounds


def weighed(course: MarkovProcess[S, M, Q], table: Table, pace: Callable[[], None]) -> tuple[dict[S, int], Distribution]:
    """Go along it every way there is: the weights of the states it may end in, in the order in which they come up.

    And how likely it ends in which round; whatever state it is in after the last, it ends there. ``pace`` is called for every
    `A_BRANCH` states of a move.
    """
    live, ends, whole, going = {table.number(course.start): 1}, dict[int, int](), 1, list[tuple[int, int]]()
    for time in range(1, course.max_rounds + 1):
        going.append((sum(live.values()), whole))
        for move in course.moves:
            live, times = _moved(course, table, move, time, live, ends, pace)
            whole *= times
        if time in course.special_rounds:
            table.pass_by(course, time)
    states = {table.states[number]: ends.get(number, 0) + live.get(number, 0) for number in (*ends, *live)}
    return states, _lasting(going, whole)


def _lasting(going: list[tuple[int, int]], whole: int) -> Distribution:
    """In which round it ends, of how many of how many ways each round begins; the last ends it."""
    still = [ways * (whole // of) for ways, of in going if ways]
    ended = [before - after for before, after in zip(still, [*still[1:], 0], strict=True)]
    first = next(place for place, ways in enumerate(ended) if ways)
    return Distribution(first + 1, tuple(ended[first:]), whole)


def _moved(
    course: MarkovProcess[S, M, Q],
    table: Table,
    move: M,
    time: int,
    live: dict[int, int],
    ends: dict[int, int],
    pace: Callable[[], None],
) -> tuple[dict[int, int], int]:
    """The weights of the states after one move, and how many times as many they are in all.

    Those that are the end are put with ``ends``, whose weights grow alike.
    """
    known, found, forks = table.of(course, move, time), dict[int, int](), []
    for place, number in enumerate(live):
        if not place % A_BRANCH:
            pace()
        forks.append(known.get(number) or table.fork(course, number, move, time))
    whole = lcm(*{fork.whole for fork in forks})
    if whole > 1:
        for number in ends:
            ends[number] *= whole
    for (yes, no, ways, rest, part, _, yes_ends, no_ends), weight in zip(forks, live.values(), strict=True):
        if part != whole:
            ways, rest = ways * (whole // part), rest * (whole // part)
        if ways:
            among = ends if yes_ends else found
            among[yes] = among.get(yes, 0) + weight * ways
        if rest:
            among = ends if no_ends else found
            among[no] = among.get(no, 0) + weight * rest
    return found, whole
