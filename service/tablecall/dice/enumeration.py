"""The odds: a rule is run once for every branch of its decisions, each with its exact integer weight.

`EnumeratedDice` are the dice of one such run. A roll is a distribution. A comparison decides one way, leaves the others to later runs, and
narrows the distribution for everything the rule asks next. No text is built.

After two rolls were compared with each other, either one may be queried again, but not both: that would take their joint distribution. A
rule that does so is wrong and raises `NeedsJointDistribution`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Literal, TypeVar, cast

from tablecall.dice import ranking
from tablecall.dice.branch import Branch
from tablecall.dice.conditional import (
    ConditionalDistribution,
    LazyTotal,
    LazyZeros,
    NeedsJointDistribution,
    comparison_factors,
    shifted_range,
)
from tablecall.dice.distribution import Distribution, compared
from tablecall.dice.faces import SPECIALS, FaceSource, Special
from tablecall.dice.keep import KeepPool
from tablecall.dice.known import KnownDice
from tablecall.dice.markov import TransitionTable, branches, end_states, no_checkpoint
from tablecall.dice.ranking import Part
from tablecall.dice.roll import read
from tablecall.dice.source import Dice, M, MarkovProcess, Offer, Pool, Q, Reroll, Roll, S, Total, Undecided
from tablecall.model.refusals import TooLargeToCount

T = TypeVar("T")
V = TypeVar("V")

MAX_BRANCHES = 50_000
"""The branches of one request beyond which its exact odds are refused."""

MAX_BITS = 13_000
"""The longest denominator the odds of a process may have, in bits: a fraction with 3,900 digits above and below the line."""


@dataclass(slots=True)
class EnumeratedDice:
    """One run of a rule along ``path``; beyond the path, every decision takes its first branch.

    ``frontier`` collects the paths to run later. ``memo`` holds the weights of decisions met in earlier runs. ``cache`` holds what does
    not depend on dice (`cached`). ``supplied`` returns the faces of rolls made at the table. ``choices`` are the decisions so far,
    ``declared`` is the number of branches declared, and ``rounds`` the distribution of the rounds of the process that was followed.
    ``checkpoint`` is called in runs that take long and may raise to stop them. ``without`` names one contribution to take away.
    """

    path: tuple[int, ...]
    frontier: list[tuple[int, ...]]
    memo: dict[tuple[int, ...], list[int]]
    cache: dict[str, object]
    supplied: Callable[[str], FaceSource | None]
    choices: list[int] = field(default_factory=list)
    numerator: int = 1
    denominator: int = 1
    rolls: dict[str, Distribution] = field(default_factory=dict)
    rounds: Distribution | None = None
    declared: int = 1
    checkpoint: Callable[[], None] = no_checkpoint
    without: tuple[str, str, str] | None = None

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """The exact distribution of ``pool``, or the one result of the dice supplied for it."""
        faces = self.supplied(name)
        distribution = pool.distribution() if faces is None else _certain(pool, faces)
        self.rolls[name] = distribution
        conditional = ConditionalDistribution(distribution)
        conditional.pool = pool if faces is None and isinstance(pool, KeepPool) else None
        return LazyTotal(conditional)

    def compare(self, left: Total, right: Total, *, tie: Literal[0, 1] = 0) -> int:
        """Decide which is higher."""
        if isinstance(left, LazyTotal):
            if isinstance(right, LazyTotal):
                return self._compare_rolls(left, right, tie=tie)
            return self._compare_with_number(left, cast("int", right), tie=tie)
        mine = cast("int", left)
        if isinstance(right, LazyTotal):
            # from the other side a tie counts as lower: as if the number were higher by one, and there were no ties
            return -self._compare_with_number(right, mine + tie, tie=tie)
        theirs = cast("int", right)
        return (mine > theirs) - (mine < theirs) or tie

    def value(self, number: Total | Undecided, cap: int | None = None) -> int:
        """Decide on the value; those from ``cap`` up are one branch."""
        if not isinstance(number, LazyTotal):
            return self._count_zeros(number.conditional) if isinstance(number, LazyZeros) else cast("int", number)
        conditional, total = number.conditional.query(), number
        size = len(conditional.weights)
        last = size - 1 if cap is None else min(max(cap - total.shift - conditional.low, 0), size - 1)
        index = self._decide(lambda: [*conditional.weights[:last], sum(conditional.weights[last:])])
        conditional.restrict(index, index + 1 if index < last else size)
        return conditional.low + total.shift

    def special(self, roll: Roll) -> Special | None:
        """Decide on the special."""
        conditional = cast("LazyTotal", roll).conditional.query()
        if conditional.narrowed or conditional.special_known:
            raise NeedsJointDistribution
        dismal, dramatic = conditional.dismal, conditional.dramatic
        if not dismal and not dramatic:
            return None
        special = SPECIALS[self._decide(lambda: [dismal, dramatic, conditional.denominator - dismal - dramatic])]
        conditional.restrict_to_special(special)
        return special

    def rank(
        self,
        rolls: Sequence[Roll],
        reroll: Reroll | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """Decide on the order, or on who comes first."""
        indices = list(range(len(rolls)) if among is None else among)
        places = self._ranked(indices, [rolls[index] for index in indices], reroll, 1, share_places=share_places, leader_only=leader_only)
        placed = {index for place in places for index in place}
        rest = [index for index in range(len(rolls)) if index not in placed]
        return [*places, rest] if rest else places

    def _count_zeros(self, conditional: ConditionalDistribution) -> int:
        """Decide on the number of kept zeros."""
        conditional.query()
        if conditional.partners:
            raise NeedsJointDistribution
        if conditional.pool is None:
            return sum(conditional.zeros or ()) // conditional.denominator
        rows = [row[conditional.low : conditional.low + len(conditional.weights)] for row in conditional.pool.by_zeros()]
        weights = [sum(row) for row in rows[:-1]]
        # A roll that keeps only zeros is special. The special may be decided already, so that row takes what is left of the denominator.
        weights.append(conditional.denominator - sum(weights))
        zeros = self._decide(lambda: weights)
        conditional.weights, conditional.denominator = rows[zeros], weights[zeros]
        conditional.zeros = [zeros * weight for weight in conditional.weights]
        conditional.narrowed, conditional.pool = True, None
        return zeros

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Decide on the final state."""
        key = f"{name} {self.choices}"
        if key not in self.cache:
            self.cache[key] = self._end_states(name, process)
        (states, self.rounds), supplied_rolls = cast("tuple[tuple[dict[S, int], Distribution], dict[str, Distribution]]", self.cache[key])
        self.rolls.update(supplied_rolls)
        return list(states)[self._decide(lambda: list(states.values()))]

    def _end_states(self, name: str, process: MarkovProcess[S, M, Q]) -> tuple[tuple[dict[S, int], Distribution], dict[str, Distribution]]:
        """The result of `tablecall.dice.markov.end_states`, and the distributions of the process's supplied rolls."""
        table, supplied_rolls = self.cached(name, lambda: transition_table(process, self.supplied, self, self.checkpoint))
        if process.is_over(process.start):
            return ({process.start: 1}, Distribution(0, (1,), 1)), supplied_rolls
        if branches(process.state_bound, len(process.moves), process.max_rounds) > MAX_BRANCHES:
            raise too_many_branches()
        factors = [lcm(*(table.chance(question, 0)[1] for question in process.possible_questions(move))) for move in process.moves]
        if process.max_rounds * sum(factor.bit_length() for factor in factors) > MAX_BITS:
            raise TooLargeToCount.by("refused.too_long_numbers")
        return end_states(process, table, self.checkpoint), supplied_rolls

    def declare_branches(self, bound: Callable[[], int]) -> None:
        """Refuse too many branches. The bound is computed once."""
        self._declare(self.cached("declared branches", bound))

    def _declare(self, branches: int) -> None:
        self.declared *= branches
        if self.declared > MAX_BRANCHES:
            raise too_many_branches()

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of ``make`` on the first run."""
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
        """The value, unless this contribution is taken away."""
        return without if self.without == (on, kind, name) else value

    def offer(self, choices: Callable[[], Iterable[Offer]]) -> None:
        """No options are recorded."""

    def _compare_with_number(self, total: LazyTotal, number: int, *, tie: int) -> int:
        """The sign of the difference, or ``tie``."""
        conditional = total.conditional.query()
        size = len(conditional.weights)
        index = number - total.shift - conditional.low
        start = min(max(index, 0), size)
        stop = start if tie else min(max(index + 1, 0), size)

        def weights() -> list[int]:
            lower, equal = sum(conditional.weights[:start]), sum(conditional.weights[start:stop])
            return [lower, equal, conditional.denominator - lower - equal]

        choice = self._decide(weights)
        conditional.restrict(*((0, start), (start, stop), (stop, size))[choice])
        return choice - 1

    def _compare_rolls(self, left: LazyTotal, right: LazyTotal, *, tie: int) -> int:
        """The sign of the difference, or ``tie``."""
        mine, theirs = left.conditional.query(), right.conditional.query()
        if mine is theirs:
            raise NeedsJointDistribution
        shift = left.shift - right.shift
        # the totals of each side as the other side counts them
        my_totals = range(mine.low + shift, mine.low + shift + len(mine.weights))
        their_totals = range(theirs.low - shift, theirs.low - shift + len(theirs.weights))

        def weights() -> list[int]:
            higher, equal = compared(my_totals.start - theirs.low, mine.weights, theirs.weights)
            lower = mine.denominator * theirs.denominator - higher - equal
            return [lower, 0, higher + equal] if tie else [lower, equal, higher]

        sign = self._decide(weights) - 1
        higher_by = tie if sign > 0 else 0
        my_factors = partial(comparison_factors, theirs.low, theirs.weights, shifted_range(my_totals, higher_by), sign)
        their_factors = partial(comparison_factors, mine.low, mine.weights, shifted_range(their_totals, -higher_by), -sign)
        mine.narrow_later(my_factors, theirs)
        theirs.narrow_later(their_factors, mine)
        return sign

    def _ranked(
        self, indices: list[int], rolls: Sequence[Roll], reroll: Reroll | None, throw: int, *, share_places: bool, leader_only: bool
    ) -> list[list[int]]:
        parts = [cast("LazyTotal", roll).conditional.consume() for roll in rolls]
        certain = None if leader_only else ranking.certain_order(parts, share_places=share_places, keep_listed=reroll is None)
        if certain is not None:
            return [[indices[index] for index in place] for place in certain]
        if share_places or reroll is None:
            return self._placed(indices, parts, "shared" if share_places else "listed", leader_only=leader_only)
        if self._ties_are_even(indices, parts, reroll, throw):
            return self._placed(indices, parts, "even", leader_only=leader_only)
        if ranking.shared_count(len(parts)) > MAX_BRANCHES:
            raise too_many_branches()
        order = ranking.shared(len(parts))[self._decide(lambda: ranking.shared_weights(parts, self.checkpoint))]
        places: list[list[int]] = []
        for tied in ([indices[index] for index in place] for place in order):
            if len(tied) == 1:
                places.append(tied)
            else:
                places += self._ranked(tied, reroll(tied, throw), reroll, throw + 1, share_places=False, leader_only=False)
        return places

    def _placed(self, indices: list[int], parts: list[Part], ties: ranking.Ties, *, leader_only: bool) -> list[list[int]]:
        if leader_only:
            first = self._decide(lambda: ranking.LEADERS[ties](parts))
            return [[indices[first]]] if first < len(indices) else [indices]
        orders, count, weights = ranking.ORDERS[ties]
        self._declare(count(len(parts)))
        order = orders(len(parts))[self._decide(lambda: weights(parts, self.checkpoint))]
        return [[indices[index] for index in place] for place in order]

    def _ties_are_even(self, indices: list[int], parts: list[Part], reroll: Reroll, throw: int) -> bool:
        """Whether all who may tie would roll off with the same dice, none of them supplied: then every order is equally likely."""
        seen = Counter(value for low, weights, _ in parts for value, weight in enumerate(weights, low) if weight)
        tied = [
            index
            for index, (low, weights, _) in zip(indices, parts, strict=True)
            if any(weight and seen[value] > 1 for value, weight in enumerate(weights, low))
        ]
        again = [cast("LazyTotal", roll).conditional.part() for roll in (reroll(tied, throw) if tied else ())]
        rerolls = {(low, tuple(weights)) for low, weights, _ in again}
        return len(rerolls) < 2 and all(len(weights) > 1 for _, weights in rerolls)

    def _decide(self, make_weights: Callable[[], list[int]]) -> int:
        """Take one branch of a decision, given the weights of all. Branches of weight 0 do not exist."""
        decision = tuple(self.choices)
        weights = self.memo.get(decision)
        if weights is None:
            weights = self.memo[decision] = make_weights()
        depth = len(decision)
        if depth < len(self.path):
            choice = self.path[depth]
        else:
            choice, *others = [index for index, weight in enumerate(weights) if weight]
            self.frontier.extend((*decision, other) for other in others)
        self.choices.append(choice)
        self.numerator *= weights[choice]
        self.denominator *= sum(weights)
        return choice


def _certain(pool: Pool, faces: FaceSource) -> Distribution:
    """The distribution of a roll whose dice were supplied, or are known in part."""
    if type(faces) is KnownDice:
        return faces.distribution(pool)
    result = read(pool, faces)
    dismal, dramatic = int(result.special == "dismal"), int(result.special == "dramatic")
    return Distribution(result.total, (1,), 1, (result.zeros,), dismal, dramatic)


def too_many_branches() -> TooLargeToCount:
    """The refusal of more branches than one request may follow."""
    return TooLargeToCount.by("refused.too_many_branches", max=MAX_BRANCHES)


def no_supplied_dice(name: str) -> None:
    """No dice were supplied for any roll."""


def transition_table(
    process: MarkovProcess[S, M, Q],
    supplied: Callable[[str], FaceSource | None],
    dice: Dice,
    checkpoint: Callable[[], None] = no_checkpoint,
) -> tuple[TransitionTable, dict[str, Distribution]]:
    """An empty table of a process's transitions, and the distributions of its supplied rolls, filled in as they come up.

    ``checkpoint`` is called for every new question and may raise to stop the work.
    """
    chances: dict[tuple[Hashable, int], tuple[int, int]] = {}
    supplied_rolls: dict[str, Distribution] = {}

    def chance(question: Hashable, time: int) -> tuple[int, int]:
        special = time in process.special_rounds
        key = question, time if special else 0
        if key not in chances:
            checkpoint()
            # The question of an ordinary round stands for all of them, so no dice may be supplied for it.
            faces_of = supplied if special else no_supplied_dice
            explored = list(explore(partial(process.decide, cast("Q", question), time), faces_of))
            supplied_rolls.update(
                (name, distribution) for branch in explored for name, distribution in branch.rolls.items() if faces_of(name) is not None
            )
            chances[key] = sum((branch.probability for branch in explored if branch.verdict), Fraction()).as_integer_ratio()
        return chances[key]

    return TransitionTable(chance, dice), supplied_rolls


def explore(
    rule: Callable[[EnumeratedDice], V],
    supplied: Callable[[str], FaceSource | None],
    checkpoint: Callable[[], None] = no_checkpoint,
    without: tuple[str, str, str] | None = None,
) -> Iterator[Branch[V]]:
    """Run ``rule`` along every branch of its decisions; the probabilities add up to 1.

    ``supplied`` returns new faces of a supplied roll, or ``None`` for a roll that is still to be made. ``checkpoint`` is called once
    for each branch, more often in long ones, and may raise to stop the work. ``without`` names one contribution to take away. Refuses
    (`TooLargeToCount`) more than `MAX_BRANCHES` runs.
    """
    frontier: list[tuple[int, ...]] = [()]
    memo: dict[tuple[int, ...], list[int]] = {}
    cache: dict[str, object] = {}
    runs = 0
    while frontier:
        path = frontier.pop()
        runs += 1
        if runs + len(frontier) > MAX_BRANCHES:
            raise too_many_branches()
        dice = EnumeratedDice(path, frontier, memo, cache, supplied, checkpoint=checkpoint, without=without)
        verdict = rule(dice)
        checkpoint()
        yield Branch(dice.numerator, dice.denominator, verdict, dice.rolls, dice.rounds)
