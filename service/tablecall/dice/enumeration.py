"""The odds reading: every fall there is, each with its exact integer weight.

A rule is run once for every way its decisions can go. `EnumeratedDice` stands in for the dice of one such run: a roll is a
distribution, a comparison decides one way and leaves the others to later runs, and what was decided narrows the
distribution for whatever the rule asks next. Nothing readable is built.

After two rolls were compared with each other, either one may be asked about again, but not both: the service would need
their joint distribution. A rule that does is a mistake in the rule and raises `NeedsJointDistribution`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import factorial, lcm, prod
from typing import TypeVar, cast

from tablecall.dice import ranking
from tablecall.dice.branch import Branch
from tablecall.dice.conditional import ConditionalDistribution, LazyTotal, NeedsJointDistribution, condition, left_by, moved, narrow
from tablecall.dice.distribution import Distribution, compared
from tablecall.dice.faces import FaceSource, Special
from tablecall.dice.keep import KeepPool
from tablecall.dice.markov import M, MarkovProcess, Q, S, Table, branches, no_checkpoint, weighed
from tablecall.dice.ranking import Order, Part
from tablecall.dice.roll import read
from tablecall.dice.source import Again, Dice, Quantity, Roll, Total
from tablecall.model.refusals import Finding, TooLargeToCount

T = TypeVar("T")
V = TypeVar("V")

MAX_BRANCHES = 50_000
"""How many ways the decisions of one request may go before its exact odds are refused."""

MOST_BITS = 13_000
"""How long the numbers of a course may get: as fractions have 3,900 digits above and below the line."""

_TOO_LONG = "the exact odds would be fractions of more than 3,900 digits, which is the bound; fewer rounds make shorter ones"
_SPECIALS: tuple[Special | None, ...] = ("dismal", "dramatic", None)


@dataclass(slots=True)
class EnumeratedDice:
    """One run through the decisions: those on ``path`` as given, every later one the first way that is open.

    ``frontier`` collects the paths not taken. ``memo`` keeps the weights of decisions already met on an earlier run.
    ``made`` keeps what no decision changes. ``fixed`` gives the faces of rolls that were made at the table. ``lasted`` says in
    which round the course that was followed ends. ``pace`` is called now and then where a run takes longer than usual.
    """

    path: tuple[int, ...]
    frontier: list[tuple[int, ...]]
    memo: dict[tuple[int, ...], list[int]]
    made: dict[str, object]
    fixed: Callable[[str], FaceSource | None]
    taken: list[int] = field(default_factory=list)
    numerator: int = 1
    denominator: int = 1
    asked: dict[str, Distribution] = field(default_factory=dict)
    lasted: Distribution | None = None
    wants_options: bool = False
    wants_steps: bool = False
    foreseen: int = 1
    pace: Callable[[], None] = no_checkpoint

    def roll(self, name: str, quantity: Quantity, who: str, *, list_first: bool = False) -> Roll:
        """The quantity's exact distribution, or the one fall that was made at the table."""
        faces = self.fixed(name)
        chances = quantity.chances() if faces is None else _certain(quantity, faces)
        self.asked[name] = chances
        leaf = ConditionalDistribution(chances)
        leaf.quantity = quantity if faces is None and isinstance(quantity, KeepPool) else None
        return LazyTotal(leaf)

    def compare(self, left: Total, right: Total) -> int:
        """Decide which is higher, each way with its weight."""
        if isinstance(left, LazyTotal):
            return self._against(left, right) if isinstance(right, LazyTotal) else self._meets(left, cast("int", right))
        if isinstance(right, LazyTotal):
            return -self._meets(right, cast("int", left))
        one, other = cast("int", left), cast("int", right)
        return (one > other) - (one < other)

    def reaches(self, left: Total, right: Total) -> bool:
        """Decide whether it does, each way with its weight."""
        if isinstance(left, LazyTotal):
            sign = (
                self._against(left, right, reaching=True)
                if isinstance(right, LazyTotal)
                else self._meets(left, cast("int", right), reaching=True)
            )
            return sign > 0
        if isinstance(right, LazyTotal):
            return self._meets(right, cast("int", left) + 1, reaching=True) < 0
        return cast("int", left) >= cast("int", right)

    def value(self, total: Total, most: int | None = None) -> int:
        """Follow every value, those from ``most`` up together."""
        if not isinstance(total, LazyTotal):
            return cast("int", total)
        leaf = total.leaf.ask()
        size = len(leaf.weights)
        last = size - 1 if most is None else min(max(most - total.shift - leaf.low, 0), size - 1)
        index = self._decide(lambda: [*leaf.weights[:last], sum(leaf.weights[last:])])
        leaf.cut(index, index + 1 if index < last else size)
        return leaf.low + total.shift

    def special(self, roll: Roll) -> Special | None:
        """Decide between only zeros rolled, only zeros kept, and neither."""
        leaf = cast("LazyTotal", roll).leaf.ask()
        if leaf.narrowed or leaf.said:
            raise NeedsJointDistribution
        if not leaf.dismal and not leaf.dramatic:
            return None
        ways = [leaf.dismal, leaf.dramatic, leaf.whole - leaf.dismal - leaf.dramatic]
        word = _SPECIALS[self._decide(lambda: ways)]
        condition(leaf, word)
        return word

    def rank(
        self,
        rolls: Sequence[Roll],
        again: Again | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """Decide on one order, or on who comes first, each way with its weight."""
        indices = list(range(len(rolls)) if among is None else among)
        places = self._ranked(indices, [rolls[index] for index in indices], again, 1, share_places=share_places, leader_only=leader_only)
        placed = {index for place in places for index in place}
        rest = [index for index in range(len(rolls)) if index not in placed]
        return [*places, rest] if rest else places

    def extreme_roll(self, rolls: Sequence[Roll], *, highest: bool) -> tuple[Roll, int]:
        """The distribution of the highest (lowest) of several: dismal where all (any) are, dramatic where else none is (any is) better."""
        leaves = [cast("LazyTotal", roll).leaf for roll in rolls]
        if any((leaf.narrowed or leaf.said) and (leaf.dismal or leaf.dramatic) for leaf in leaves):
            raise NeedsJointDistribution
        chances = _extreme([_shifted(roll) for roll in rolls], highest=highest)
        if highest:
            dismal = prod(leaf.dismal for leaf in leaves)
            dramatic = prod(leaf.dismal + leaf.dramatic for leaf in leaves) - dismal
        else:
            better = prod(leaf.whole - leaf.dismal for leaf in leaves)
            dismal = chances.whole - better
            dramatic = better - prod(leaf.whole - leaf.dismal - leaf.dramatic for leaf in leaves)
        return LazyTotal(ConditionalDistribution(replace(chances, dismal=dismal, dramatic=dramatic))), 0

    def mean_zeros(self, roll: Roll) -> int | Fraction:
        """The mean of the kept zeros, given what was decided so far."""
        leaf = cast("LazyTotal", roll).leaf
        if leaf.spent:
            raise NeedsJointDistribution
        leaf.settle()
        return Fraction(sum(leaf.zeros or ()), leaf.whole)

    def count_zeros(self, roll: Roll) -> int:
        """Follow every number of kept zeros."""
        leaf = cast("LazyTotal", roll).leaf.ask()
        if leaf.partners:
            raise NeedsJointDistribution
        if leaf.quantity is None:
            return sum(leaf.zeros or ()) // leaf.whole
        rows = [row[leaf.low : leaf.low + len(leaf.weights)] for row in leaf.quantity.by_zeros()]
        ways = [sum(row) for row in rows[:-1]]
        # Where nothing but zeros are kept the roll is special: decided before this, or all of it still to come.
        ways.append(leaf.whole - sum(ways))
        zeros = self._decide(lambda: ways)
        leaf.weights, leaf.whole = rows[zeros], ways[zeros]
        leaf.zeros = [zeros * weight for weight in leaf.weights]
        leaf.narrowed, leaf.quantity = True, None
        return zeros

    def faces(self, roll: Roll) -> Sequence[int]:
        """Nothing to show."""
        return ()

    def scene(self, name: str) -> EnumeratedDice:
        """The same branches; only the rolls are named within the scene."""
        return _Scene(self, name)

    def follow(self, name: str, course: MarkovProcess[S, M, Q]) -> S:
        """Decide on the state it ends in, each with its weight."""
        here = f"{name} {self.taken}"
        if here not in self.made:
            self.made[here] = self._along(name, course)
        (ends, self.lasted), held = cast("tuple[tuple[dict[S, int], Distribution], dict[str, Distribution]]", self.made[here])
        self.asked.update(held)
        return list(ends)[self._decide(lambda: list(ends.values()))]

    def _along(self, name: str, course: MarkovProcess[S, M, Q]) -> tuple[tuple[dict[S, int], Distribution], dict[str, Distribution]]:
        """How it may end (`tablecall.dice.markov.weighed`); and those of its rolls that are held fixed."""
        table, held = self.cached(name, lambda: tabled(course, self.fixed, self, self.pace))
        if course.is_over(course.start):
            return ({course.start: 1}, Distribution(0, (1,), 1)), held
        if branches(course.state_bound, len(course.moves), course.max_rounds) > MAX_BRANCHES:
            raise _too_many()
        longest = [lcm(*(table.chance(question, 0)[1] for question in course.possible_questions(move))) for move in course.moves]
        if course.max_rounds * sum(whole.bit_length() for whole in longest) > MOST_BITS:
            raise TooLargeToCount(Finding("", TooLargeToCount.code, _TOO_LONG))
        return weighed(course, table, self.pace), held

    def dedupe_steps(self, name: str) -> EnumeratedDice:
        """Nothing is written down as it is."""
        return self

    def declare_branches(self, ways: int) -> None:
        """Refuse more ways than will be followed."""
        self.foreseen *= ways
        if self.foreseen > MAX_BRANCHES:
            raise _too_many()

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """Made on the first run."""
        if name not in self.made:
            self.made[name] = make()
        return cast("T", self.made[name])

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Nothing is written down."""

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Every contribution counts."""
        return value

    def option(self, choice: str, text: str, patch: dict[str, object]) -> None:
        """Nothing is offered."""

    def _meets(self, spread: LazyTotal, number: int, *, reaching: bool = False) -> int:
        """The sign of the difference; where ``reaching``, being equal is being above."""
        leaf = spread.leaf.ask()
        size = len(leaf.weights)
        at = number - spread.shift - leaf.low
        start = min(max(at, 0), size)
        stop = start if reaching else min(max(at + 1, 0), size)

        def ways() -> list[int]:
            below, equal = sum(leaf.weights[:start]), sum(leaf.weights[start:stop])
            return [below, equal, leaf.whole - below - equal]

        way = self._decide(ways)
        leaf.cut(*((0, start), (start, stop), (stop, size))[way])
        return way - 1

    def _against(self, left: LazyTotal, right: LazyTotal, *, reaching: bool = False) -> int:
        """The sign of the difference; where ``reaching``, being equal is being above."""
        one, other = left.leaf.ask(), right.leaf.ask()
        if one is other:
            raise NeedsJointDistribution
        gap = left.shift - right.shift
        mine = range(one.low + gap, one.low + gap + len(one.weights))
        theirs = range(other.low - gap, other.low - gap + len(other.weights))

        def ways() -> list[int]:
            above, equal = compared(mine.start - other.low, one.weights, other.weights)
            less = one.whole * other.whole - above - equal
            return [less, 0, above + equal] if reaching else [less, equal, above]

        sign = self._decide(ways) - 1
        wider = int(reaching and sign > 0)
        one_left = partial(left_by, other.low, other.weights, moved(mine, wider), sign)
        other_left = partial(left_by, one.low, one.weights, moved(theirs, -wider), -sign)
        for leaf, remaining, partner in ((one, one_left, other), (other, other_left, one)):
            leaf.narrowed = True
            leaf.narrow = partial(narrow, leaf, remaining)
            leaf.partners.append(partner)
        return sign

    def _ranked(
        self, indices: list[int], rolls: Sequence[Roll], again: Again | None, throw: int, *, share_places: bool, leader_only: bool
    ) -> list[list[int]]:
        parts = [_shifted(roll) for roll in rolls]
        known = None if leader_only else _known_order(indices, parts, share_places=share_places, listed=again is None)
        if known is not None:
            return known
        if share_places or again is None:
            return self._placed(indices, parts, "together" if share_places else "listed", leader_only=leader_only)
        if self._even(indices, parts, again, throw):
            return self._placed(indices, parts, "even", leader_only=leader_only)
        if ranking.shared_count(len(parts)) > MAX_BRANCHES:
            raise _too_many()
        order = ranking.shared(len(parts))[self._decide(lambda: ranking.shared_weights(parts, self.pace))]
        found: list[list[int]] = []
        for place in ([indices[index] for index in tied] for tied in order):
            # a lone one ends the recursion, and costs no branch
            found += (
                [place]
                if len(place) == 1
                else self._ranked(place, again(place, throw), again, throw + 1, share_places=False, leader_only=False)
            )
        return found

    def _placed(self, indices: list[int], parts: list[Part], ties: str, *, leader_only: bool) -> list[list[int]]:
        if leader_only:
            first = self._decide(lambda: _LEADERS[ties](parts))
            return [[indices[first]]] if first < len(indices) else [indices]
        every, how_many, weights = _ORDERS[ties]
        self.declare_branches(how_many(len(parts)))
        order = every(len(parts))[self._decide(lambda: weights(parts, self.pace))]
        return [[indices[index] for index in place] for place in order]

    def _even(self, indices: list[int], parts: list[Part], again: Again, throw: int) -> bool:
        """Whether all who may be tied would throw the same dice, none of them made at the table: then no order is likelier."""
        seen = Counter(value for low, weights, _ in parts for value, ways in enumerate(weights, low) if ways)
        tied = [
            index
            for index, (low, weights, _) in zip(indices, parts, strict=True)
            if any(ways and seen[value] > 1 for value, ways in enumerate(weights, low))
        ]
        throws = {(part[0], tuple(part[1])) for part in map(_part, again(tied, throw))} if tied else set()
        return len(throws) < 2 and all(len(weights) > 1 for _, weights in throws)

    def _decide(self, ways: Callable[[], list[int]]) -> int:
        """Go one way at a fork whose ways have these weights; the ways that have none do not exist."""
        here = tuple(self.taken)
        weights = self.memo.get(here)
        if weights is None:
            weights = self.memo[here] = ways()
        depth = len(here)
        if depth < len(self.path):
            way = self.path[depth]
        else:
            open_ways = [index for index, weight in enumerate(weights) if weight]
            way = open_ways[0]
            self.frontier.extend((*here, other) for other in open_ways[1:])
        self.taken.append(way)
        self.numerator *= weights[way]
        self.denominator *= sum(weights)
        return way


def _certain(quantity: Quantity, faces: FaceSource) -> Distribution:
    """The distribution of a fall that is already on the table."""
    fall = read(quantity, faces)
    dismal, dramatic = int(fall.special == "dismal"), int(fall.special == "dramatic")
    return Distribution(fall.total, (1,), 1, (fall.zeros,), dismal, dramatic)


def _known_order(indices: list[int], parts: list[Part], *, share_places: bool, listed: bool) -> list[list[int]] | None:
    """The order of totals that are all known already; none where one is not, or where equals would have to be told apart."""
    totals = [low for low, weights, _ in parts if len(weights) == 1]
    if len(totals) < len(parts) or not (share_places or listed or len(set(totals)) == len(totals)):
        return None
    places = [[index for index, one in zip(indices, totals, strict=True) if one == total] for total in sorted(set(totals), reverse=True)]
    return places if share_places else [[index] for place in places for index in place]


def _part(roll: Roll) -> Part:
    leaf = cast("LazyTotal", roll).leaf.ask()
    return leaf.low, leaf.weights, leaf.whole


def _shifted(roll: Roll) -> Part:
    """The part of a roll that is not to be asked about again."""
    found = _part(roll)
    cast("LazyTotal", roll).leaf.spent = True
    return found


_Weights = Callable[[list[Part], Callable[[], None]], list[int]]
_ORDERS: dict[str, tuple[Callable[[int], Sequence[Order]], Callable[[int], int], _Weights]] = {
    "together": (ranking.shared, ranking.shared_count, ranking.shared_weights),
    "listed": (ranking.strict, factorial, ranking.listed_weights),
    "even": (ranking.strict, factorial, ranking.even_weights),
}
_LEADERS: dict[str, Callable[[list[Part]], list[int]]] = {
    "together": ranking.alone_first,
    "listed": ranking.listed_first,
    "even": ranking.even_first,
}


def _extreme(parts: list[Part], *, highest: bool) -> Distribution:
    """The highest (lowest) of independent totals: multiply the weights at or below (at or above) each value."""
    if not highest:
        parts = [(-(low + len(weights) - 1), weights[::-1], whole) for low, weights, whole in parts]
    start = max(low for low, _, _ in parts)
    stop = max(low + len(weights) for low, weights, _ in parts)
    counts = [1] * (stop - start)
    for low, weights, _ in parts:
        sums = list(accumulate(weights))
        last = len(sums) - 1
        counts = [count * sums[min(value - low, last)] for count, value in zip(counts, range(start, stop), strict=True)]
    whole = counts[-1]
    found = [count - before for count, before in zip(counts, [0, *counts], strict=False)]
    return Distribution(start, tuple(found), whole) if highest else Distribution(-(stop - 1), tuple(found[::-1]), whole)


class _Scene(EnumeratedDice):
    """The dice of a scene: every decision belongs to the whole, every roll is named within the scene."""

    __slots__ = ("name", "whole")

    def __init__(self, whole: EnumeratedDice, name: str) -> None:
        super().__init__(whole.path, whole.frontier, whole.memo, whole.made, whole.fixed, whole.taken, pace=whole.pace)
        self.whole = whole
        self.name = name

    def roll(self, name: str, quantity: Quantity, who: str, *, list_first: bool = False) -> Roll:
        """The whole's roll of that name within the scene."""
        return self.whole.roll(f"{self.name}.{name}", quantity, who, list_first=list_first)

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """Made anew: which action a scene of this name holds may hang on earlier dice."""
        return make()

    def declare_branches(self, ways: int) -> None:
        """One bound for the whole."""
        self.whole.declare_branches(ways)

    def _decide(self, ways: Callable[[], list[int]]) -> int:
        return self.whole._decide(ways)


def _too_many() -> TooLargeToCount:
    text = f"the exact odds would follow more than {MAX_BRANCHES} branches, which is the bound"
    return TooLargeToCount(Finding("", TooLargeToCount.code, text))


def nothing(name: str) -> None:
    """Nothing was made at the table."""


def tabled(
    course: MarkovProcess[S, M, Q], fixed: Callable[[str], FaceSource | None], dice: Dice, pace: Callable[[], None] = no_checkpoint
) -> tuple[Table, dict[str, Distribution]]:
    """The forks of a course, none of them known yet; and, as they come up, its rolls that were made at the table.

    ``pace`` is called at every question that was not asked before.
    """
    known: dict[tuple[Hashable, int], tuple[int, int]] = {}
    held: dict[str, Distribution] = {}

    def chance(question: Hashable, time: int) -> tuple[int, int]:
        apart = time in course.special_rounds
        key = question, time if apart else 0
        if key not in known:
            pace()
            # What stands for every other round has the dice of none, not of one that happens to be called as it is.
            made = fixed if apart else nothing
            ways = list(explore(partial(course.decide, cast("Q", question), time), made))
            held.update((name, chances) for way in ways for name, chances in way.asked.items() if made(name) is not None)
            known[key] = sum((way.probability for way in ways if way.verdict), Fraction()).as_integer_ratio()
        return known[key]

    return Table(chance, dice), held


def explore(
    rule: Callable[[EnumeratedDice], V], fixed: Callable[[str], FaceSource | None], pace: Callable[[], None] = no_checkpoint
) -> Iterator[Branch[V]]:
    """Run ``rule`` along every way its decisions can go; the probabilities add up to 1.

    ``fixed`` gives, anew each time, the faces of a roll made at the table (``None``: still to roll). ``pace`` is called
    once for each way, more often where one takes longer than usual, and may end it all by what it raises.
    Refuses (`TooLargeToCount`) what would take more than `MAX_BRANCHES` runs.
    """
    frontier: list[tuple[int, ...]] = [()]
    memo: dict[tuple[int, ...], list[int]] = {}
    made: dict[str, object] = {}
    runs = 0
    while frontier:
        path = frontier.pop()
        runs += 1
        if runs + len(frontier) > MAX_BRANCHES:
            raise _too_many()
        source = EnumeratedDice(path, frontier, memo, made, fixed, pace=pace)
        verdict = rule(source)
        pace()
        yield Branch(source.numerator, source.denominator, verdict, source.asked, source.lasted)
