"""The dice of a ruling: faces from a seed, supplied by the request, or replayed.

`RolledDice` is the source of dice a ruling is made with. `ReplayedFaces` yields the faces of an earlier ruling again, to find out what
would have happened on the same dice without one contribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeVar, cast

from tablecall.dice.faces import Die, FaceSource, RollResult, Special
from tablecall.dice.markov import no_checkpoint, walk
from tablecall.dice.rng import SeededFaces
from tablecall.dice.source import M, MarkovProcess, Offer, Pool, Q, Reroll, Roll, S, Total, Undecided
from tablecall.model.base import MAX_SEED
from tablecall.model.refusals import WrongDice
from tablecall.model.text import Sentence

T = TypeVar("T")


class SuppliedFaces(FaceSource):
    """The faces of one roll made at the table, in the order drawn. Refuses missing, surplus and impossible faces.

    ``pointer`` is the place of the faces in the request, ``roll`` the name of their roll.
    """

    __slots__ = ("_faces", "_taken", "needs", "pointer", "roll")

    def __init__(self, faces: Sequence[int], pointer: str, roll: str = "") -> None:
        self._faces = faces
        self.pointer = pointer
        self.roll = roll
        self._taken = 0
        self.needs: Sequence[Sentence] = ()

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next supplied face, checked against a die with that many sides."""
        if self._taken == len(self._faces):
            raise WrongDice.at(self.pointer, "refused.dice_few", roll=self.roll, needs=self.needs)
        face = self._faces[self._taken]
        if not lowest <= face < lowest + sides:
            facts = {"sides": sides, "low": lowest, "high": lowest + sides - 1, "roll": self.roll, "needs": self.needs}
            raise WrongDice.at(f"{self.pointer}/{self._taken}", "refused.dice_face", **facts)
        self._taken += 1
        return face

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next supplied face."""
        return self.draw(sides, lowest)

    def finish(self) -> None:
        """Refuse surplus faces."""
        if self._taken < len(self._faces):
            raise WrongDice.at(self.pointer, "refused.dice_many", roll=self.roll, needs=self.needs)


class ReplayedFaces(FaceSource):
    """The faces of an earlier result again, die by die with its re-rolls. Dice beyond them come from ``more``."""

    __slots__ = ("_dice", "_more", "_next", "_shown")

    def __init__(self, dice: Sequence[Die], more: FaceSource) -> None:
        self._dice = dice
        self._more = more
        self._next = 0
        self._shown = [0] * len(dice)

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The face the next base die showed first."""
        index = self._next
        self._next += 1
        return self._face(index) if index < len(self._dice) else self._more.draw(sides, lowest)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The face that die showed next, if it was re-rolled before too."""
        if index < len(self._dice) and self._shown[index] < len(self._dice[index].replaced):
            self._shown[index] += 1
            return self._face(index)
        return self._more.redraw(index, sides, lowest)

    def _face(self, index: int) -> int:
        die = self._dice[index]
        history = [*die.replaced, die.face]
        return history[self._shown[index]]


@dataclass(slots=True)
class NamedRoll:
    """The result of a roll, with the roll's name and who rolled."""

    roll: str
    who: str
    result: RollResult


@dataclass(slots=True)
class Contribution:
    """One bonus, die or modifier of a roll: whose, of what kind, its own name, and its value."""

    on: str
    kind: str
    name: str
    value: object


@dataclass(slots=True)
class RolledDice:
    """Dice that are really rolled, and the record of a ruling.

    ``faces_of`` returns the faces of a roll by its name. ``without`` names one contribution to take away: whose, of what kind, its own
    name. ``steps`` are the rule, key, facts and value of each note; the engine writes the sentences. ``used`` are the options that had an
    effect, by place and field. ``options`` are those offered, if they are wanted. ``checkpoint`` is called at every move of a process and
    may raise to stop it.
    """

    faces_of: Callable[[str], FaceSource]
    without: tuple[str, str, str] | None = None
    wants_options: bool = False
    rolls: list[NamedRoll] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    contributions: list[Contribution] = field(default_factory=list)
    options: list[Offer] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    checkpoint: Callable[[], None] = no_checkpoint

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """Roll the dice of ``pool``."""
        result = read(pool, self.faces_of(name))
        self.rolls.insert(0 if list_first else len(self.rolls), NamedRoll(name, who, result))
        return result

    def compare(self, left: Total, right: Total, *, tie: Literal[0, 1] = 0) -> int:
        """The sign of the difference, or ``tie``."""
        mine: int = left  # type: ignore[assignment]  # rolled totals are integers
        theirs: int = right  # type: ignore[assignment]
        return (mine > theirs) - (mine < theirs) or tie

    def value(self, number: Total | Undecided, cap: int | None = None) -> int:
        """The number itself."""
        return cast("int", number)

    def special(self, roll: Roll) -> Special | None:
        """The special of the result."""
        return cast("RollResult", roll).special

    def rank(
        self,
        rolls: Sequence[Roll],
        reroll: Reroll | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places by total."""
        return list(_places(range(len(rolls)), rolls, reroll, share_places, 1))

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Run it once."""
        return walk(process, self, lambda question, time: process.decide(question, time, self), self.checkpoint)[0]

    def declare_branches(self, bound: Callable[[], int]) -> None:
        """Rolled dice take one branch only."""

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of ``make``."""
        return make()

    def note(self, rule: str, key: str, /, *, value: object = None, **facts: object) -> None:
        """Record the step. The engine writes its sentence."""
        self.steps.append({"rule": rule, "key": key, "facts": facts, "value": value})

    def option(self, at: str, field: str) -> None:
        """Record that the option had an effect."""
        self.used.add((at, field))

    def explain(self, notes: Callable[[], object]) -> None:
        """Record the steps of ``notes``."""
        notes()

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record the contribution, unless it is the one to take away."""
        if self.without == (on, kind, name):
            return without
        self.contributions.append(Contribution(on, kind, name, value))
        return value

    def offer(self, choices: Callable[[], Iterable[Offer]]) -> None:
        """Record the options, if they are wanted."""
        if self.wants_options:
            self.options += choices()


def _places(indices: Sequence[int], rolls: Sequence[Roll], reroll: Reroll | None, share_places: bool, throw: int) -> Iterator[list[int]]:
    by_total: dict[int, list[int]] = {}
    for index, roll in zip(indices, rolls, strict=True):
        by_total.setdefault(cast("int", roll.total), []).append(index)
    for total in sorted(by_total, reverse=True):
        tied = by_total[total]
        if share_places or len(tied) == 1:
            yield tied
        elif reroll is None:
            yield from ([index] for index in tied)
        else:
            yield from _places(tied, reroll(tied, throw), reroll, share_places, throw + 1)


def inner_seed(seed: str, name: str) -> str:
    """The seed of a part of something: ``{seed}/{name}``, or the SHA-256 of that text if it is too long for a seed."""
    text = f"{seed}/{name}"
    return text if len(text) <= MAX_SEED else sha256(text.encode()).hexdigest()


def read(pool: Pool, faces: FaceSource) -> RollResult:
    """Roll the dice of ``pool``. Supplied faces must be exactly as many as it needs."""
    if type(faces) is not SuppliedFaces:
        return pool.read(faces)
    faces.needs = (pool.needs,)
    result = pool.read(faces)
    faces.finish()
    return result


def seeded(seed: str, supplied: dict[str, SuppliedFaces] | None = None) -> Callable[[str], FaceSource]:
    """Faces by roll name: those ``supplied`` (each is used up by its roll), or else faces from the seed."""

    def faces_of(name: str) -> FaceSource:
        if supplied and (faces := supplied.pop(name, None)):
            return faces
        return SeededFaces(seed, name)

    return faces_of


def replayed(rolls: Sequence[NamedRoll], seed: str, new: set[str] | None = None) -> Callable[[str], FaceSource]:
    """Faces by roll name: those of ``rolls`` again. What was not rolled then continues the sequence of the seed.

    ``new`` collects the names of rolls that take such dice.
    """
    results, seeded_faces = {named.roll: named.result for named in rolls}, seeded(seed)
    new = set() if new is None else new

    def faces_of(name: str) -> FaceSource:
        faces = seeded_faces(name)
        dice = results[name].dice if name in results else ()
        for die in dice:
            faces.draw(die.sides)
            for _ in die.replaced:
                faces.redraw(0, die.sides)
        return ReplayedFaces(dice, _Noted(faces, name, new))

    return faces_of


class _Noted(FaceSource):
    """Faces that put the name of their roll into a set when they are used."""

    __slots__ = ("_faces", "_name", "_names")

    def __init__(self, faces: FaceSource, name: str, names: set[str]) -> None:
        self._faces = faces
        self._name = name
        self._names = names

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next face."""
        self._names.add(self._name)
        return self._faces.draw(sides, lowest)

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next face."""
        self._names.add(self._name)
        return self._faces.redraw(index, sides, lowest)
