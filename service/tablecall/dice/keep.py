"""Pools of d10: roll R, keep K of them. Which dice are kept, the special, and the exact odds.

The odds are counted with packed polynomials (see pools.py) with the total as exponent. To keep the highest, let H(t) count the results when
every face below t is raised to t. H(0) is what we want, and H(9) is 10^R·X^9K. H(t) differs from H(t+1) only in the results in which fewer
than K dice, say a of them, show more than t; the other K−a kept dice are then at t, or at t+1. With S = X + … + X^(9−t), which is what
each of those a dice may show above t,

    H(t) − H(t+1) = X^tK · Σ C(R,a)·(t+1)^(R−a)·S^a·(1 − X^(K−a)), a = 0 … K−1,

one Horner pass for each t. Because S·(1−X) = X·(1 − X^(9−t)), each Horner step is one shift and one subtraction if everything is multiplied
by (1−X)^(K−1) first and divided by it at the end.

Other choices need the *threshold*, the lowest face kept: a dice rank above it (a < K), the other R−a rank at or below it, and at least K−a
of those show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import comb
from operator import mul
from typing import Literal

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Die, FaceSource, RollResult, Special
from tablecall.dice.memo import memoized
from tablecall.dice.pools import run, slot_size, unpack
from tablecall.model.text import Sentence, say

Choice = Literal["highest", "mostZeros", "mostZerosThatSucceed"]
Counts = tuple[Sequence[int], Sequence[int]]
"""The number of results by total, and their kept zeros summed by total, for the totals 0 to 9K."""


@dataclass(slots=True)
class KeepPool:
    """``roll`` d10 (faces 0 to 9), of which exactly min(``keep``, ``roll``) are kept and summed (darkpages.dice.keep).

    ``choice`` says which (darkpages.dice.choice): the ``highest``; ``mostZeros``, then the highest others; or
    ``mostZerosThatSucceed``, as many zeros as possible with a total of at least ``beat``, or the highest if no choice reaches it
    (without ``beat`` every total succeeds). ``positions``, indices into the dice as drawn, overrides ``choice``. ``counted``: whether the
    rule asks how many zeros are kept; if not, the odds do not count them.
    """

    roll: int
    keep: int
    choice: Choice = "highest"
    beat: int | None = None
    positions: tuple[int, ...] | None = None
    counted: bool = True

    @property
    def needs(self) -> Sentence:
        """The dice to supply."""
        return say("dice.plain", count=self.roll, sides=10)

    def read(self, faces: FaceSource) -> RollResult:
        """The result that ``faces`` give, with the dice in the order drawn and the kept ones marked."""
        shown = faces.draw_many(self.roll, 10, 0)
        kept = self._kept(shown)
        dice = [Die(10, face, index in kept, lowest=0) for index, face in enumerate(shown)]
        values = [shown[index] for index in kept]
        return RollResult(dice, 0, sum(values), values.count(0), _special(shown, values))

    def distribution(self) -> Distribution:
        """The exact distribution of the total, of the kept zeros and of the specials, over 10^``roll`` results."""
        kept = min(self.keep, self.roll)
        if self.positions is None and kept and not self.counted and (self.choice == "highest" or kept == self.roll):
            return _uncounted(self.roll, kept)
        if self.positions is not None or kept in (0, self.roll):
            return _distribution(self.roll, kept, "positions", 0)
        if self.choice != "mostZerosThatSucceed":
            return _distribution(self.roll, kept, self.choice, 0)
        beat = self.beat or 0
        if beat <= 0:
            return _distribution(self.roll, kept, "mostZeros", 0)
        return _distribution(self.roll, kept, self.choice, beat) if beat <= 9 * kept else _distribution(self.roll, kept, "highest", 0)

    def by_zeros(self) -> tuple[tuple[int, ...], ...]:
        """The same weights split by the number of kept zeros: ``[zeros][total]``."""
        kept = min(self.keep, self.roll)
        if self.positions is not None:
            return _positions_by_zeros(self.roll, kept)
        # If nothing can succeed the highest are kept; if everything does, the most zeros are.
        beat = {"highest": 9 * kept + 1, "mostZeros": 0}.get(self.choice, self.beat or 0)
        if kept and beat > 9 * kept:
            return _highest_by_zeros(self.roll, kept)
        return _most_zeros_by_zeros(self.roll, kept) if kept and beat <= 0 else _by_zeros(self.roll, kept, beat)

    def _kept(self, shown: Sequence[int]) -> tuple[int, ...]:
        """The positions kept of the faces shown (darkpages.dice.choice)."""
        if self.positions is not None:
            return self.positions
        options = choices(shown, self.keep)
        if self.choice == "highest":
            return options[0]
        beat = self.beat or 0 if self.choice == "mostZerosThatSucceed" else 0
        return next((kept for kept in reversed(options) if sum(shown[index] for index in kept) >= beat), options[0])


def choices(faces: Sequence[int], keep: int) -> list[tuple[int, ...]]:
    """The sensible choices of dice to keep, from the fewest kept zeros to the most (darkpages.dice.choice).

    Each choice is the ascending positions of its zeros and of the highest other dice, leftmost among equals. The first choice keeps
    the highest dice, the last the most zeros. Each total is lower than the one before.
    """
    ranked = sorted(range(len(faces)), key=faces.__getitem__, reverse=True)
    others = len(faces) - faces.count(0)
    kept = min(keep, len(faces))
    fewest, most = max(0, kept - others), min(kept, len(faces) - others)
    return [tuple(sorted(ranked[: kept - zeros] + ranked[others : others + zeros])) for zeros in range(fewest, most + 1)]


def _special(shown: Sequence[int], kept: Sequence[int]) -> Special | None:
    """Only zeros rolled (darkpages.zero.dismal), or only zeros kept (darkpages.zero.dramatic)."""
    if shown and not any(shown):
        return "dismal"
    return "dramatic" if kept and not any(kept) else None


@memoized(cost=lambda distribution: 2 * len(distribution.weights))
def _distribution(roll: int, kept: int, choice: Choice | Literal["positions"], beat: int) -> Distribution:
    """The distribution of a choice. A total of 0 keeps only zeros: dismal in one result, dramatic in the others."""
    if choice == "mostZerosThatSucceed":
        weights, zeros = _succeed(roll, kept, beat)
    else:
        weights, zeros = {"positions": _positions, "highest": _highest, "mostZeros": _most_zeros}[choice](roll, kept)
    dismal = min(roll, 1)
    dramatic = weights[0] - dismal if kept else 0
    return Distribution(0, tuple(weights), 10**roll, tuple(zeros), dismal, dramatic)


@memoized(cost=lambda distribution: len(distribution.weights))
def _uncounted(roll: int, kept: int) -> Distribution:
    """The distribution of keeping the highest (or all) without counting zeros."""
    denominator = 10**roll
    size = slot_size(denominator)
    weights = unpack(_packed(roll, kept, 8 * size), size, 9 * kept + 1)
    return Distribution(0, weights, denominator, None, 1, weights[0] - 1)


def _positions(roll: int, kept: int) -> Counts:
    """A choice by position: the kept dice are ``kept`` independent d10, the others show anything."""
    size = slot_size(10**roll * roll)
    die = run(10, 8 * size)
    others = die ** max(kept - 1, 0) * 10 ** (roll - kept)
    return unpack(others * die if kept else others, size, 9 * kept + 1), unpack(others * kept, size, 9 * kept + 1)


def _highest(roll: int, kept: int) -> Counts:
    """The highest are kept. Zeros are kept only if fewer than ``kept`` dice show another face, and then all of those count."""
    size = slot_size(10**roll * kept)
    zeros = _horner([kept_zeros * dice for kept_zeros, dice in enumerate(_above(roll, kept), 1)], 1, 9, 8 * size)
    return unpack(_packed(roll, kept, 8 * size), size, 9 * kept + 1), unpack(zeros, size, 9 * kept + 1)


def _packed(roll: int, kept: int, slot: int, sides: int = 10) -> int:
    """The number of results by total, keeping the highest of dice with faces from 0, packed in slots of ``slot`` bits.

    Goes from H(9), where every face is a nine, down to H(0), with everything multiplied by (1−X)^(K−1) until the end.
    """
    weights: int
    if kept == roll:
        weights = run(sides, slot) ** roll
        return weights
    scales = list(accumulate(repeat(1 - (1 << slot), kept - 1), mul, initial=1))
    terms = []
    for lifted, (dice, scale) in enumerate(zip(_above(roll, kept), scales, strict=True), 1):
        ways = dice * scale
        terms.append((ways << slot * (kept - lifted)) - (ways << slot * kept))
    weights = sides**roll * scales[-1]
    for faces in range(sides - 1, 0, -1):
        sums, ways, above = 0, 1, slot * (sides - faces)
        for term in terms:
            sums += ways * term - (sums << above)
            ways *= faces
        weights = (weights << slot * kept) + sums * faces ** (roll - kept + 1)
    return weights // scales[-1]


def _most_zeros(roll: int, kept: int) -> Counts:
    """The most zeros are kept.

    A total above 0 keeps every zero, and each of the R dice is a zero in as many results as (R−1)k(K−1) has with that total.
    """
    weights = _zeros_first(roll, kept)
    zeros = [*(roll * ways for ways in _zeros_first(roll - 1, kept - 1)), *[0] * 9]
    zeros[0] = kept * weights[0]
    return weights, zeros


def _zeros_first(roll: int, kept: int) -> Sequence[int]:
    """The number of results by total when dice rank 0, 9, 8 … 1 and the first in rank are kept."""
    if not kept:
        return (10**roll,)
    size = slot_size(10**roll)
    slot = 8 * size
    above, repeats = _above(roll, kept), _repeats(roll - kept, kept)
    weights = _showing(10, roll - kept, repeats)[-1]
    for face in range(1, 10):
        ways = map(mul, _showing(face, roll - kept, repeats), above)
        terms = [ways_shown << slot * face * shown for shown, ways_shown in enumerate(ways, 1)]
        weights += _horner(terms, face + 1, 9 - face, slot, zero=1)
    return unpack(weights, size, 9 * kept + 1)


def _succeed(roll: int, kept: int, beat: int) -> Counts:
    """The most zeros that still reach ``beat``: totals below it keep the highest dice; from it on, the most zeros or fewer."""
    lost, lost_zeros = _highest(roll, kept)
    most, most_zeros = _most_zeros(roll, kept)
    weights, zeros = [*lost[:beat], *most[beat:]], [*lost_zeros[:beat], *most_zeros[beat:]]
    for total, (ways, kept_zeros) in enumerate(_fewer_zeros(roll, kept, beat), beat):
        weights[total] += ways
        zeros[total] += kept_zeros
    return weights, zeros


def _fewer_zeros(roll: int, kept: int, beat: int) -> list[tuple[int, int]]:
    """The number of results and their kept zeros, by total from ``beat`` on, when keeping every possible zero would not succeed.

    The choice is then z zeros and the j = K−z highest others if those others reach ``beat``, but do not without the last of them,
    which shows the threshold face. So only the totals ``beat`` to ``beat`` + face − 1 occur. Slots are twice as wide here: the lower
    half holds the number of results, the upper half that number times z.
    """
    size = slot_size(10**roll * kept)
    slot = 16 * size
    above, repeats = _above(roll, kept), _repeats(roll - kept - 1, kept + 1)
    zeros = [[comb(roll - kept - 1 + short, left) for left in range(short - 1, -1, -1)] for short in range(1, kept + 1)]
    window = 0
    for face in range(1, 10):
        rows = _rows(face, roll - kept - 1, repeats, zeros)
        terms = [dice * _pack_row(row, size, face) for dice, row in zip(above, rows, strict=True)]
        window += _horner(terms, face + 1, 9 - face, slot) >> slot * beat & (1 << slot * face) - 1
    halves = unpack(window, size, 18)
    return list(zip(halves[::2], halves[1::2], strict=True))[: 9 * kept + 1 - beat]


def _pack_row(row: list[int], size: int, face: int) -> int:
    """A row of ``_rows`` in double slots: b dice at the threshold add b·face to the total, with len(row)−b zeros kept."""
    width = 2 * size * face
    tagged = [ways + (ways * zeros << 8 * size) for zeros, ways in enumerate(reversed(row))]
    return int.from_bytes(b"".join([entry.to_bytes(width, "big") for entry in tagged]) + bytes(width), "big")


def _rows(face: int, spare: int, repeats: list[int], zeros: list[list[int]]) -> Iterator[list[int]]:
    """For n = 1 … K and b = 1 … n: in how many results ``spare``+1+n dice with faces 0 to ``face`` show ``face`` at least b times
    and a zero more than n−b times (n−b zeros are kept, and one more could have been).

    Each row adds one die to the row before: ``face``, a zero, or one of the ``face``−1 between, which needs both counts without it.
    """
    edges = _showing(face + 1, spare, repeats)
    enough = [(face - 1) * ways for ways in _showing(face, spare, repeats)]
    row = [edges[0], edges[0]]
    for edge, places in zip(edges[1:], zeros, strict=True):
        inner = [face * more + fewer - ways * place for more, fewer, ways, place in zip(row[1:], row, enough, places, strict=False)]
        yield inner
        row = [edge, *inner, edge]


@memoized(cost=lambda rows: sum(map(len, rows)))
def _highest_by_zeros(roll: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Results by kept zeros and total, keeping the highest: with z > 0 zeros, K−z dice show another face, and all of those are kept."""
    size = slot_size(10**roll)
    slot = 8 * size
    shown = accumulate(repeat(run(9, slot) << slot, kept - 1), mul, initial=1)
    rows = [comb(roll, others) * ways for others, ways in enumerate(shown)]
    rows.append(_packed(roll, kept, slot) - sum(rows))
    return _unpacked(rows[::-1], size, kept)


@memoized(cost=lambda rows: sum(map(len, rows)))
def _most_zeros_by_zeros(roll: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Results by kept zeros and total, keeping the most zeros: with z < K, z dice show one, and the K−z highest of the others count."""
    size = slot_size(10**roll)
    slot = 8 * size
    rows = [comb(roll, zeros) * _packed(roll - zeros, kept - zeros, slot, 9) << slot * (kept - zeros) for zeros in range(kept)]
    rows.append(10**roll - sum(comb(roll, zeros) * 9 ** (roll - zeros) for zeros in range(kept)))
    return _unpacked(rows, size, kept)


def _unpacked(rows: list[int], size: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Rows by kept zeros, each with every total up to 9K; z zeros leave at most 9(K−z)."""
    return tuple([unpack(row, size, 9 * (kept - zeros) + 1) + (0,) * (9 * zeros) for zeros, row in enumerate(rows)])


@memoized(cost=lambda rows: sum(map(len, rows)))
def _by_zeros(roll: int, kept: int, beat: int) -> tuple[tuple[int, ...], ...]:
    """Results by kept zeros and total, keeping as many zeros as leave the total at ``beat``, or else the highest.

    In C(R, c) ways c dice show zeros. The choice is to keep z of them if the total reaches ``beat`` and would not if the lowest other
    kept die were a zero too. The most zeros need only reach it; the fewest are also kept if nothing reaches it.
    """
    rows = [[0] * (9 * kept + 1) for _ in range(kept + 1)]
    for shown in range(roll + 1):
        fewest, most, places = max(0, kept - roll + shown), min(kept, shown), comb(roll, shown)
        for zeros in range(fewest, most + 1):
            for face, tops in enumerate(_tops(roll - shown, kept - zeros)):
                start, stop = 0 if zeros == fewest else beat, len(tops) if zeros == most else beat + face
                for total, ways in enumerate(tops[start:stop], start):
                    rows[zeros][total] += places * ways
    return tuple(map(tuple, rows))


def _positions_by_zeros(roll: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """A choice by position: each kept die shows a zero or not, the others show anything."""
    rows = []
    for zeros in range(kept + 1):
        places = comb(kept, zeros) * 10 ** (roll - kept)
        row = [places * sum(column) for column in zip(*_tops(kept - zeros, kept - zeros), strict=True)]
        rows.append((*row, *[0] * (9 * zeros)))
    return tuple(rows)


@memoized(cost=lambda rows: sum(map(len, rows)))
def _tops(dice: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """The sum of the ``kept`` highest of ``dice`` dice that show 1 to 9: results by the lowest face kept (0: none) and by total."""
    none = (0,) * (9 * kept + 1)
    if not kept:
        return ((9**dice,), *[none] * 9)
    size = slot_size(9**dice)
    slot = 8 * size
    above, repeats = _above(dice, kept), _repeats(dice - kept, kept)
    by_lowest = [none]
    for face in range(1, 10):
        terms = map(mul, _showing(face, dice - kept, repeats), above)
        packed = _horner(terms, 1, 9 - face, slot) << slot * face * kept
        by_lowest.append(unpack(packed, size, 9 * kept + 1))
    return tuple(by_lowest)


def _above(roll: int, kept: int) -> list[int]:
    """For a = K−1 … 0: in how many ways a of R dice are the ones above the threshold."""
    return [comb(roll, above) for above in range(kept - 1, -1, -1)]


def _repeats(spare: int, most: int) -> list[int]:
    """For n = 1 … ``most``: in how many ways n−1 of ``spare``+n−1 dice are the ones at the threshold."""
    return [comb(spare + shown, shown) for shown in range(most)]


def _showing(faces: int, spare: int, repeats: list[int]) -> list[int]:
    """For n = 1, 2 …: in how many results ``spare``+n dice with ``faces`` faces show one of them, the threshold, at least n times.

    The die added from n−1 to n may show anything, unless exactly n−1 dice showed the threshold: then it must show it too.
    """
    ways, none = faces**spare, (faces - 1) ** (spare + 1)
    return [ways := faces * ways - places * none for places in repeats]


def _horner(terms: Iterable[int], low: int, length: int, slot: int, zero: int = 0) -> int:
    """Σ terms·base^a, the highest a first, with base = X^``low`` + … (``length`` faces) + ``zero``; slots of ``slot`` bits.

    Plain products are fastest up to 64 bits. Beyond that, a run of faces is built by doubling: 1 + X, then (1 + X)(1 + X²) …
    """
    packed = 0
    if slot <= 64 or not length:
        base = (run(length, slot) << slot * low) + zero
        for term in terms:
            packed = packed * base + term
        return packed
    steps = [(slot * done, doubles) for done, doubles in _DOUBLINGS[length]]
    for term in terms:
        grown = packed
        for shift, doubles in steps:
            grown += (grown if doubles else packed) << shift
        packed = (grown << slot * low) + packed + term if zero else (grown << slot * low) + term
    return packed


def _doublings(length: int) -> Iterator[tuple[int, bool]]:
    """How a run of ``length`` terms is built from one: its length before each step, and whether the step doubles it or adds one."""
    done = 1
    for bit in f"{length:b}"[1:]:
        yield done, True
        done *= 2
        if bit == "1":
            yield done, False
            done += 1


_DOUBLINGS = [list(_doublings(length)) for length in range(10)]
