"""Roll R d10, keep K of them: which dice are kept, what they say, and the exact odds of it.

The odds are counted on packed polynomials (see sums.py) whose exponent is the total. Where the highest are kept: let H(t) count
the falls when every face below t is lifted to t. Then H(0) is what is wanted, H(9) is 10^R·X^9K, and H(t) differs from H(t+1)
only by the falls in which fewer than K dice, a of them, show more than t: the other K−a kept dice stand at t or at t+1. With
S = X + … + X^(9−t), what those a dice may show above t, that is

    H(t) − H(t+1) = X^tK · Σ C(R,a)·(t+1)^(R−a)·S^a·(1 − X^(K−a)), a = 0 … K−1,

a Horner pass for each t. As S·(1−X) = X·(1 − X^(9−t)), each of its steps is one shift and one subtraction if all of it is
multiplied by (1−X)^(K−1), and divided by that in the end.

Other choices need to know the *threshold* itself, the lowest face kept: a dice rank above it (a < K), the other R−a rank at or
below it, and at least K−a of these show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import comb
from operator import mul
from typing import ClassVar, Literal

from tablecall.dice.distribution import Distribution
from tablecall.dice.faces import Die, FaceSource, RollResult, Special
from tablecall.dice.memo import known
from tablecall.dice.pools import run, slot_size, unpack

Choice = Literal["highest", "mostZeros", "mostZerosThatSucceed"]
Counts = tuple[Sequence[int], Sequence[int]]
"""Ways by total and kept zeros by total (summed over those ways), from total 0 to 9K."""


@dataclass(slots=True)
class KeepPool:
    """``roll`` d10 (faces 0 to 9), of which exactly min(``keep``, ``roll``) are kept and summed (darkpages.dice.keep).

    ``choice`` says which (darkpages.dice.choice): the ``highest``; ``mostZeros``, then the highest others; or
    ``mostZerosThatSucceed``, as many zeros as leave the total at ``beat`` or more, and the highest where nothing does
    (without ``beat`` every total succeeds). ``positions``, indices into the dice as drawn, overrides it. ``counted`` says whether
    anyone asks how many zeros are kept: the odds are spared that where not.
    """

    roll: int
    keep: int
    choice: Choice = "highest"
    beat: int | None = None
    positions: tuple[int, ...] | None = None
    counted: bool = True
    sides: ClassVar[int] = 10

    @property
    def needs(self) -> str:
        """The dice in words."""
        return f"{self.roll}d10"

    def read(self, faces: FaceSource) -> RollResult:
        """The fall that ``faces`` gives, dice in the order drawn, the kept ones marked."""
        shown = faces.several(self.roll, 10)
        kept = self._kept(shown)
        dice = [Die(10, face, index in kept) for index, face in enumerate(shown)]
        values = [shown[index] for index in kept]
        return RollResult(dice, 0, sum(values), values.count(0), _special(shown, values))

    def chances(self) -> Distribution:
        """The weights of the 10^``roll`` falls by total, kept zeros by total, dismal and dramatic falls."""
        kept = min(self.keep, self.roll)
        if self.positions is None and kept and not self.counted and (self.choice == "highest" or kept == self.roll):
            return _uncounted(self.roll, kept)
        if self.positions is not None or kept in (0, self.roll):
            return _chances(self.roll, kept, "positions", 0)
        if self.choice != "mostZerosThatSucceed":
            return _chances(self.roll, kept, self.choice, 0)
        beat = self.beat or 0
        if beat <= 0:
            return _chances(self.roll, kept, "mostZeros", 0)
        return _chances(self.roll, kept, self.choice, beat) if beat <= 9 * kept else _chances(self.roll, kept, "highest", 0)

    def by_zeros(self) -> tuple[tuple[int, ...], ...]:
        """The same weights told apart by the number of zeros kept: ``[zeros][total]``."""
        kept = min(self.keep, self.roll)
        if self.positions is not None:
            return _positions_by_zeros(self.roll, kept)
        # Where nothing succeeds the highest are kept, where everything does the most zeros are.
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
    """The choices worth having for the d10 ``faces`` shown, by kept zeros from the fewest to the most (darkpages.dice.choice).

    Each is the ascending positions of that many zeros and of the highest other dice, leftmost among equals. The first keeps the
    highest, the last the most zeros; each total is lower than the one before.
    """
    ranked = sorted(range(len(faces)), key=faces.__getitem__, reverse=True)
    others = len(faces) - faces.count(0)
    kept = min(keep, len(faces))
    fewest, most = max(0, kept - others), min(kept, len(faces) - others)
    return [tuple(sorted(ranked[: kept - zeros] + ranked[others : others + zeros])) for zeros in range(fewest, most + 1)]


def _special(shown: Sequence[int], kept: Sequence[int]) -> Special | None:
    """Nothing but zeros rolled (darkpages.zero.dismal), or nothing but zeros kept (darkpages.zero.dramatic)."""
    if shown and not any(shown):
        return "dismal"
    return "dramatic" if kept and not any(kept) else None


@known(lambda chances: 2 * len(chances.weights))
def _chances(roll: int, kept: int, choice: Choice | Literal["positions"], beat: int) -> Distribution:
    """The chances of a choice. Keeping dice, a total of 0 is nothing but zeros: dismal in one way, dramatic in the others."""
    if choice == "mostZerosThatSucceed":
        weights, zeros = _succeed(roll, kept, beat)
    else:
        weights, zeros = {"positions": _positions, "highest": _highest, "mostZeros": _most_zeros}[choice](roll, kept)
    dismal = min(roll, 1)
    dramatic = weights[0] - dismal if kept else 0
    return Distribution(0, tuple(weights), 10**roll, tuple(zeros), dismal, dramatic)


@known(lambda chances: len(chances.weights))
def _uncounted(roll: int, kept: int) -> Distribution:
    """The chances of keeping the highest (or all) where nobody asks for the kept zeros."""
    whole = 10**roll
    size = slot_size(whole)
    weights = unpack(_packed(roll, kept, 8 * size), size, 9 * kept + 1)
    return Distribution(0, weights, whole, None, 1, weights[0] - 1)


def _positions(roll: int, kept: int) -> Counts:
    """No choice by face: the kept dice are ``kept`` independent d10, the others free."""
    size = slot_size(10**roll * roll)
    die = run(10, 8 * size)
    others = die ** max(kept - 1, 0) * 10 ** (roll - kept)
    return unpack(others * die if kept else others, size, 9 * kept + 1), unpack(others * kept, size, 9 * kept + 1)


def _highest(roll: int, kept: int) -> Counts:
    """The highest are kept; zeros only where fewer than ``kept`` dice show another face, and then these all count."""
    size = slot_size(10**roll * kept)
    zeros = _horner([kept_zeros * dice for kept_zeros, dice in enumerate(_above(roll, kept), 1)], 1, 9, 8 * size)
    return unpack(_packed(roll, kept, 8 * size), size, 9 * kept + 1), unpack(zeros, size, 9 * kept + 1)


def _packed(roll: int, kept: int, slot: int, sides: int = 10) -> int:
    """Ways by total, the highest kept of dice with faces from 0, packed in slots of ``slot`` bits.

    From H(9), where all the faces are nines, down to H(0); until the end all of it times (1−X)^(K−1).
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
    """The most zeros are kept. With a total left, every zero is: each of the R dice is one in (R−1)k(K−1) ways of that total."""
    weights = _zeros_first(roll, kept)
    zeros = [*(roll * ways for ways in _zeros_first(roll - 1, kept - 1)), *[0] * 9]
    zeros[0] = kept * weights[0]
    return weights, zeros


def _zeros_first(roll: int, kept: int) -> Sequence[int]:
    """Ways by total when dice rank 0, 9, 8 … 1 and the first in rank are kept."""
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
    """The most zeros that still reach ``beat``: below it the highest were kept, from it on the most zeros, or fewer in between."""
    lost, lost_zeros = _highest(roll, kept)
    most, most_zeros = _most_zeros(roll, kept)
    weights, zeros = [*lost[:beat], *most[beat:]], [*lost_zeros[:beat], *most_zeros[beat:]]
    for total, (ways, kept_zeros) in enumerate(_fewer_zeros(roll, kept, beat), beat):
        weights[total] += ways
        zeros[total] += kept_zeros
    return weights, zeros


def _fewer_zeros(roll: int, kept: int, beat: int) -> list[tuple[int, int]]:
    """Ways and their kept zeros, by total from ``beat`` on, where not all zeros that could be kept still succeed.

    Keeping z zeros and the j = K−z highest others is then the choice exactly if these others reach ``beat`` and, without the last
    of them, which shows the threshold face, do not: only the totals ``beat`` to ``beat`` + face − 1 occur. A slot is double here:
    it holds the ways below and the ways times z above.
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
    found = unpack(window, size, 18)
    return list(zip(found[::2], found[1::2], strict=True))[: 9 * kept + 1 - beat]


def _pack_row(row: list[int], size: int, face: int) -> int:
    """A row of ``_rows`` in double slots: with b dice at the threshold, b·face of the total and len(row)−b zeros kept."""
    width = 2 * size * face
    tagged = [ways + (ways * zeros << 8 * size) for zeros, ways in enumerate(reversed(row))]
    return int.from_bytes(b"".join([entry.to_bytes(width, "big") for entry in tagged]) + bytes(width), "big")


def _rows(face: int, spare: int, repeats: list[int], zeros: list[list[int]]) -> Iterator[list[int]]:
    """For n = 1 … K and b = 1 … n: in how many ways ``spare``+1+n dice with faces 0 to ``face`` show it at least b times, and a
    zero more often than n−b times (n−b zeros are kept, and one more could have been).

    Each row adds one die to the row before: the face, a zero, or one of the ``face``−1 between, which needs both counts without it.
    """
    edges = _showing(face + 1, spare, repeats)
    enough = [(face - 1) * ways for ways in _showing(face, spare, repeats)]
    row = [edges[0], edges[0]]
    for edge, places in zip(edges[1:], zeros, strict=True):
        inner = [face * more + fewer - ways * place for more, fewer, ways, place in zip(row[1:], row, enough, places, strict=False)]
        yield inner
        row = [edge, *inner, edge]


@known(lambda rows: sum(map(len, rows)))
def _highest_by_zeros(roll: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Ways by kept zeros and total, the highest kept: with z > 0 zeros, K−z dice show another face, and all of these are kept."""
    size = slot_size(10**roll)
    slot = 8 * size
    shown = accumulate(repeat(run(9, slot) << slot, kept - 1), mul, initial=1)
    rows = [comb(roll, others) * ways for others, ways in enumerate(shown)]
    rows.append(_packed(roll, kept, slot) - sum(rows))
    return _unpacked(rows[::-1], size, kept)


@known(lambda rows: sum(map(len, rows)))
def _most_zeros_by_zeros(roll: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Ways by kept zeros and total, the most zeros kept: with z < K, z dice show one, and of the others, 1 to 9, the K−z highest count."""
    size = slot_size(10**roll)
    slot = 8 * size
    rows = [comb(roll, zeros) * _packed(roll - zeros, kept - zeros, slot, 9) << slot * (kept - zeros) for zeros in range(kept)]
    rows.append(10**roll - sum(comb(roll, zeros) * 9 ** (roll - zeros) for zeros in range(kept)))
    return _unpacked(rows, size, kept)


def _unpacked(rows: list[int], size: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """Packed rows by kept zeros, each with every total to 9K: z of them leave 9(K−z) at most."""
    return tuple([unpack(row, size, 9 * (kept - zeros) + 1) + (0,) * (9 * zeros) for zeros, row in enumerate(rows)])


@known(lambda rows: sum(map(len, rows)))
def _by_zeros(roll: int, kept: int, beat: int) -> tuple[tuple[int, ...], ...]:
    """Ways by kept zeros and total, keeping as many zeros as leave the total at ``beat``, else the highest.

    In C(R, c) ways c dice show zeros. Keeping z of them is then the choice where the total reaches ``beat`` and, were the lowest
    other kept die a zero too, would not; with no more zeros to keep, that it reaches it; with no fewer, also that it does not.
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
    """No choice by face: each kept die shows a zero or it does not, the others are free."""
    rows = []
    for zeros in range(kept + 1):
        places = comb(kept, zeros) * 10 ** (roll - kept)
        row = [places * sum(column) for column in zip(*_tops(kept - zeros, kept - zeros), strict=True)]
        rows.append((*row, *[0] * (9 * zeros)))
    return tuple(rows)


@known(lambda rows: sum(map(len, rows)))
def _tops(dice: int, kept: int) -> tuple[tuple[int, ...], ...]:
    """The sum of the ``kept`` highest of ``dice`` dice that show 1 to 9: ways by the lowest face kept (0: none is) and total."""
    none = (0,) * (9 * kept + 1)
    if not kept:
        return ((9**dice,), *[none] * 9)
    size = slot_size(9**dice)
    slot = 8 * size
    above, repeats = _above(dice, kept), _repeats(dice - kept, kept)
    found = [none]
    for face in range(1, 10):
        terms = map(mul, _showing(face, dice - kept, repeats), above)
        packed = _horner(terms, 1, 9 - face, slot) << slot * face * kept
        found.append(unpack(packed, size, 9 * kept + 1))
    return tuple(found)


def _above(roll: int, kept: int) -> list[int]:
    """For a = K−1 … 0: in how many ways a dice of R are the ones above the threshold."""
    return [comb(roll, above) for above in range(kept - 1, -1, -1)]


def _repeats(spare: int, most: int) -> list[int]:
    """For n = 1 … ``most``: in how many ways n−1 of ``spare``+n−1 dice are the ones at the threshold."""
    return [comb(spare + shown, shown) for shown in range(most)]


def _showing(faces: int, spare: int, repeats: list[int]) -> list[int]:
    """For n = 1, 2 …: in how many ways ``spare``+n dice with ``faces`` faces show one of these, the threshold, at least n times.

    From n−1 to n the added die is free, unless exactly n−1 showed the threshold: then it must show it too.
    """
    ways, none = faces**spare, (faces - 1) ** (spare + 1)
    return [ways := faces * ways - places * none for places in repeats]


def _horner(terms: Iterable[int], low: int, length: int, slot: int, zero: int = 0) -> int:
    """Σ terms·base^a, the highest a first, with base = X^``low`` + … (``length`` faces) + ``zero``; slots of ``slot`` bits.

    Plain products are quickest up to 64 bits; beyond, a run of faces is doubled: 1 + X, then (1 + X)(1 + X²) …
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
    """How a run of ``length`` terms grows from one: the terms it has before each step, and whether it doubles or gains one."""
    done = 1
    for bit in f"{length:b}"[1:]:
        yield done, True
        done *= 2
        if bit == "1":
            yield done, False
            done += 1


_DOUBLINGS = [list(_doublings(length)) for length in range(10)]
