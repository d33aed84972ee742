"""Markov processes: what moves from state to state, one decision at a time, round after round, until it is over.

A rule of unknown length (a fight) describes itself as a process and hands it to `tablecall.dice.source.Dice.follow`. A ruling walks
it once. The odds count states instead of branches: two paths to the same state are one path from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from math import lcm
from typing import Any, NamedTuple

from tablecall.dice.distribution import Distribution
from tablecall.dice.source import Dice, M, MarkovProcess, Q, S

STATES_PER_BRANCH = 64
"""How many states, counted once per move and round, cost as much as one branch of the odds."""
TRANSITIONS_PER_BRANCH = 4
"""How many different transitions cost as much as one branch: each is computed and stored."""
AnyProcess = MarkovProcess[Any, Any, Any]


def branches(states: int, moves: int, rounds: int) -> int:
    """How many branches of the odds a process counts as, given upper bounds of its states, moves and rounds."""
    transitions = states * moves
    return max(-(-transitions * rounds // STATES_PER_BRANCH), transitions // TRANSITIONS_PER_BRANCH)


class Transition(NamedTuple):
    """Where one move leads from one state: to ``yes`` with the probability ``weight / denominator``, to ``no`` with the rest of it.

    Without a question, ``weight`` is 0 of 1. Of the random 64-bit numbers, those below ``threshold`` lead to ``yes``. ``yes_ends`` and
    ``no_ends`` say whether the process is over there.
    """

    yes: int
    no: int
    weight: int
    rest: int
    denominator: int
    threshold: int
    yes_ends: bool
    no_ends: bool


MAX_TRANSITIONS = 100_000
"""How many transitions are kept from one simulated trial to the next, some 40 MB."""


@dataclass(slots=True)
class TransitionTable:
    """The transitions of a process by move and state, each computed once.

    States are numbered in the order in which they come up, because hashing a state takes longer than hashing a number.
    """

    chance: Callable[[Hashable, int], tuple[int, int]]
    """The probability of yes to a question in a round, as numerator and denominator."""
    dice: Dice
    """The dice passed to `MarkovProcess.next_state`; what it records is not read."""
    states: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)
    transitions: dict[tuple[int, Hashable], dict[int, Transition]] = field(default_factory=dict)
    size: int = 0

    def number(self, state: Any) -> int:
        """The number of a state."""
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            self.states.append(state)
        return number

    def of(self, process: AnyProcess, move: Hashable, time: int) -> dict[int, Transition]:
        """The transitions of one move computed so far, by the number of the state."""
        return self.transitions.setdefault((time if time in process.special_rounds else 0, move), {})

    def add(self, process: AnyProcess, number: int, move: Any, time: int) -> Transition:
        """Compute and store the transition of one move from one state."""
        transition = self.of(process, move, time)[number] = self._transition(process, self.states[number], move, time)
        self.size += 1
        return transition

    def _transition(self, process: AnyProcess, state: Any, move: Any, time: int) -> Transition:
        question = process.question(state, move)
        if question is None:
            after = process.next_state(state, move, None, False, time, self.dice)
            number, over = self.number(after), process.is_over(after)
            return Transition(number, number, 0, 1, 1, 0, over, over)
        weight, denominator = self.chance(question, time)
        no, yes = (process.next_state(state, move, question, decided, time, self.dice) for decided in (False, True))
        yes_ends, no_ends = process.is_over(yes), process.is_over(no)
        threshold = -(-(weight << 64) // denominator)
        return Transition(self.number(yes), self.number(no), weight, denominator - weight, denominator, threshold, yes_ends, no_ends)

    def drop_round(self, process: AnyProcess, time: int) -> None:
        """Forget the transitions of a special round that is over."""
        for move in process.moves:
            self.transitions.pop((time, move), None)

    def trim(self) -> None:
        """Empty the table if it has grown beyond its bound. Numbers of states handed out before become invalid."""
        if self.size > MAX_TRANSITIONS:
            self.states.clear()
            self.numbers.clear()
            self.transitions.clear()
            self.size = 0


def no_checkpoint() -> None:
    """The default checkpoint: never stops the work."""


def walk(
    process: MarkovProcess[S, M, Q], dice: Dice, decide: Callable[[Q, int], bool], checkpoint: Callable[[], None] = no_checkpoint
) -> tuple[S, int]:
    """Run the process once with ``decide``: the final state and its round (0 if it was over before the first).

    ``checkpoint`` is called at every move and may raise to stop the work.
    """
    state = process.start
    if process.is_over(state):
        return state, 0
    for time in range(1, process.max_rounds + 1):
        for move in process.moves:
            checkpoint()
            question = process.question(state, move)
            decided = question is not None and decide(question, time)
            state = process.next_state(state, move, question, decided, time, dice)
            if process.is_over(state):
                return state, time
    return state, process.max_rounds


def end_states(
    process: MarkovProcess[S, M, Q], table: TransitionTable, checkpoint: Callable[[], None]
) -> tuple[dict[S, int], Distribution]:
    """The weights of all final states, in the order in which they come up, and the distribution of the round in which it ends.

    The last round ends it in any state. ``checkpoint`` is called for every `STATES_PER_BRANCH` states of a move.
    """
    live, ended, denominator, alive = {table.number(process.start): 1}, dict[int, int](), 1, list[tuple[int, int]]()
    for time in range(1, process.max_rounds + 1):
        alive.append((sum(live.values()), denominator))
        for move in process.moves:
            live, factor = _advance(process, table, move, time, live, ended, checkpoint)
            denominator *= factor
        if time in process.special_rounds:
            table.drop_round(process, time)
    states = {table.states[number]: ended.get(number, 0) + live.get(number, 0) for number in (*ended, *live)}
    return states, _round_distribution(alive, denominator)


def _round_distribution(alive: list[tuple[int, int]], denominator: int) -> Distribution:
    """The distribution of the last round. ``alive`` is the probability that each round starts, as numerator and denominator."""
    starting = [weight * (denominator // scale) for weight, scale in alive if weight]
    ending = [before - after for before, after in zip(starting, [*starting[1:], 0], strict=True)]
    first = next(index for index, weight in enumerate(ending) if weight)
    return Distribution(first + 1, tuple(ending[first:]), denominator)


def _advance(
    process: MarkovProcess[S, M, Q],
    table: TransitionTable,
    move: M,
    time: int,
    live: dict[int, int],
    ended: dict[int, int],
    checkpoint: Callable[[], None],
) -> tuple[dict[int, int], int]:
    """The weights of the live states after one move, and the factor by which the common denominator grows.

    Final states move to ``ended``, whose weights are scaled by the same factor.
    """
    known, after, transitions = table.of(process, move, time), dict[int, int](), []
    for index, number in enumerate(live):
        if not index % STATES_PER_BRANCH:
            checkpoint()
        transitions.append(known.get(number) or table.add(process, number, move, time))
    factor = lcm(*{transition.denominator for transition in transitions})
    if factor > 1:
        for number in ended:
            ended[number] *= factor
    for (yes, no, weight, rest, denominator, _, yes_ends, no_ends), before in zip(transitions, live.values(), strict=True):
        if denominator != factor:
            weight, rest = weight * (factor // denominator), rest * (factor // denominator)
        if weight:
            target = ended if yes_ends else after
            target[yes] = target.get(yes, 0) + before * weight
        if rest:
            target = ended if no_ends else after
            target[no] = target.get(no, 0) + before * rest
    return after, factor
