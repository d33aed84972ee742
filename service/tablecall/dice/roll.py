"""The roll reading: faces from a seed's stream, from the table's own dice, or the same faces once more.

`RolledDice` is the source a ruling is made with. `ReplayedFaces` hands out the faces of an earlier reading again, so that a rule can
be asked what would have come of the very same dice with one contribution taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar, cast

from tablecall.dice.faces import Die, FaceSource, RollResult, Special
from tablecall.dice.markov import M, MarkovProcess, Q, S, along, no_checkpoint
from tablecall.dice.rng import LOWEST_FACE, SeededFaces
from tablecall.dice.source import Again, Quantity, Roll, Total
from tablecall.model.base import MAX_SEED
from tablecall.model.refusals import WrongDice

T = TypeVar("T")

_SPECIALS: tuple[Special | None, ...] = ("dismal", "dramatic", None)
"""From the worst up."""


class SuppliedFaces(FaceSource):
    """The faces of one roll that was made at the table, in the order drawn. Refuses to run short or to hold an impossible face."""

    __slots__ = ("_faces", "_taken", "needs", "pointer")

    def __init__(self, faces: Sequence[int], pointer: str) -> None:
        """``pointer`` is where the faces stand in the request."""
        self._faces = faces
        self.pointer = pointer
        self._taken = 0
        self.needs = ""

    def first(self, sides: int) -> int:
        """The next given face of a die with that many sides."""
        if self._taken == len(self._faces):
            raise WrongDice.at(self.pointer, f"too few dice: this roll needs {self.needs}")
        face = self._faces[self._taken]
        low = LOWEST_FACE[sides]
        if not low <= face < low + sides:
            raise WrongDice.at(
                f"{self.pointer}/{self._taken}",
                f"no such face: a d{sides} shows {low} to {low + sides - 1}, and this roll needs {self.needs}",
            )
        self._taken += 1
        return face

    def again(self, index: int, sides: int) -> int:
        """The next given face, for base die ``index`` rolled again."""
        return self.first(sides)

    def finish(self) -> None:
        """Refuse faces that are left over."""
        if self._taken < len(self._faces):
            raise WrongDice.at(self.pointer, f"too many dice: this roll needs {self.needs}")


class ReplayedFaces(FaceSource):
    """The faces of an earlier fall once more: die by die, each with its own re-rolls; dice beyond them come from ``more``."""

    __slots__ = ("_dice", "_more", "_next", "_shown")

    def __init__(self, dice: Sequence[Die], more: FaceSource) -> None:
        self._dice = dice
        self._more = more
        self._next = 0
        self._shown = [0] * len(dice)

    def first(self, sides: int) -> int:
        """The face base die number so-and-so showed first."""
        index = self._next
        self._next += 1
        return self._face(index) if index < len(self._dice) else self._more.first(sides)

    def again(self, index: int, sides: int) -> int:
        """The face that die showed next, if it was rolled again then too."""
        if index < len(self._dice) and self._shown[index] < len(self._dice[index].replaced):
            self._shown[index] += 1
            return self._face(index)
        return self._more.again(index, sides)

    def _face(self, index: int) -> int:
        die = self._dice[index]
        history = [*die.replaced, die.face]
        return history[self._shown[index]]


@dataclass(slots=True)
class NamedRoll:
    """A fall with the roll's name and the roller's."""

    roll: str
    who: str
    result: RollResult


@dataclass(slots=True)
class Contribution:
    """One bonus, die or modifier that went into a roll: whose, of what kind, under what name, worth what."""

    on: str
    kind: str
    name: str
    value: object


@dataclass(slots=True)
class OpenOption:
    """A choice left open: its name, a sentence, the merge patch that takes it."""

    choice: str
    text: str
    patch: dict[str, object]


@dataclass(slots=True)
class RolledDice:
    """A source of dice that fall, and the record of what was said about them.

    ``faces_of`` gives the faces of a roll by its name; one inside a scene is asked for as ``turns.0/attackers.0``.
    ``without`` names one contribution (whose, of what kind, its own name) that is taken away. ``offering`` says whether
    offers are wanted. ``steps`` are written in the published words (`tablecall.model.ruling.Step`), for a ruling shows all of them;
    ``scenes`` are the records of the actions inside this one. ``pace`` is called at every move of what goes on until it is over.
    """

    faces_of: Callable[[str], FaceSource]
    without: tuple[str, str, str] | None = None
    wants_options: bool = False
    wants_steps: bool = True
    rolls: list[NamedRoll] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    contributions: list[Contribution] = field(default_factory=list)
    offers: list[OpenOption] = field(default_factory=list)
    scenes: dict[str, RolledDice] = field(default_factory=dict)
    terse: dict[str, RolledDice] | None = None
    pace: Callable[[], None] = no_checkpoint

    def roll(self, name: str, quantity: Quantity, who: str, *, list_first: bool = False) -> Roll:
        """Let the dice of ``quantity`` fall."""
        fall = read(quantity, self.faces_of(name))
        self.rolls.insert(0 if list_first else len(self.rolls), NamedRoll(name, who, fall))
        return fall

    def compare(self, left: Total, right: Total) -> int:
        """The sign of the difference."""
        one: int = left  # type: ignore[assignment]  # dice that fell are numbers
        other: int = right  # type: ignore[assignment]
        return (one > other) - (one < other)

    def reaches(self, left: Total, right: Total) -> bool:
        """Whether it does."""
        return self.compare(left, right) >= 0

    def value(self, total: Total, most: int | None = None) -> int:
        """The number itself."""
        return cast("int", total)

    def special(self, roll: Roll) -> Special | None:
        """The fall's own word."""
        return cast("RollResult", roll).special

    def rank(
        self,
        rolls: Sequence[Roll],
        again: Again | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places as the totals have it."""
        return list(_places(range(len(rolls)), rolls, again, share_places, 1))

    def extreme_roll(self, rolls: Sequence[Roll], *, highest: bool) -> tuple[Roll, int]:
        """The first of the highest (lowest)."""
        falls = [cast("RollResult", roll) for roll in rolls]
        ranks = [(fall.total, _SPECIALS.index(fall.special)) for fall in falls]
        index = ranks.index(max(ranks) if highest else min(ranks))
        return falls[index], index

    def mean_zeros(self, roll: Roll) -> int:
        """The kept zeros."""
        return cast("RollResult", roll).zeros

    def count_zeros(self, roll: Roll) -> int:
        """The kept zeros."""
        return cast("RollResult", roll).zeros

    def faces(self, roll: Roll) -> Sequence[int]:
        """The faces as they stand."""
        return [die.face for die in cast("RollResult", roll).dice]

    def scene(self, name: str) -> RolledDice:
        """A record of its own, with the same faces behind it."""
        on, *what = self.without or ("", "", "")
        without = (on.removeprefix(f"{name}."), *what) if on.startswith(f"{name}.") else None
        inner = self.scenes[name] = RolledDice(lambda roll: self.faces_of(f"{name}/{roll}"), cast("tuple[str, str, str] | None", without))
        return inner

    def follow(self, name: str, course: MarkovProcess[S, M, Q]) -> S:
        """Along it once."""
        return along(course, self, lambda question, time: course.decide(question, time, self), self.pace)[0]

    def dedupe_steps(self, name: str) -> RolledDice:
        """The same record, in which no step of that name stands twice."""
        self.terse = self.terse or {}
        if name not in self.terse:
            shared = self.rolls, self.steps, self.contributions, self.offers, self.scenes
            self.terse[name] = _Terse(self.faces_of, self.without, self.wants_options, self.wants_steps, *shared)
        return self.terse[name]

    def declare_branches(self, ways: int) -> None:
        """Dice fall one way only."""

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """Made here and now."""
        return make()

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Write the step down."""
        self.steps.append({"rule": rule, "text": text.format(*facts) if facts else text, "value": value})

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Note the contribution; leave it out where it is the one taken away."""
        if self.without == (on, kind, name):
            return without
        self.contributions.append(Contribution(on, kind, name, value))
        return value

    def option(self, choice: str, text: str, patch: dict[str, object]) -> None:
        """Note the choice."""
        self.offers.append(OpenOption(choice, text, patch))


@dataclass(slots=True)
class _Terse(RolledDice):
    """Writes each step once."""

    said: set[tuple[str, str, tuple[object, ...], object]] = field(default_factory=set)

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Write the step down, unless it stands there."""
        key = (rule, text, facts, value)
        if key not in self.said:
            self.said.add(key)
            RolledDice.step(self, rule, text, *facts, value=value)


def _places(indices: Sequence[int], rolls: Sequence[Roll], again: Again | None, share_places: bool, throw: int) -> Iterator[list[int]]:
    by_total: dict[int, list[int]] = {}
    for index, roll in zip(indices, rolls, strict=True):
        by_total.setdefault(cast("int", roll.total), []).append(index)
    for total in sorted(by_total, reverse=True):
        tied = by_total[total]
        if share_places or len(tied) == 1:
            yield tied
        elif again is None:
            yield from ([index] for index in tied)
        else:
            yield from _places(tied, again(tied, throw), again, share_places, throw + 1)


def all_rolls(record: RolledDice) -> Iterator[NamedRoll]:
    """The rolls of a record and of the scenes inside it, each named as its faces are asked for."""
    yield from record.rolls
    for name, inner in record.scenes.items():
        yield from (NamedRoll(f"{name}/{named.roll}", named.who, named.result) for named in all_rolls(inner))


def all_contributions(record: RolledDice) -> Iterator[Contribution]:
    """The contributions of a record and of the scenes inside it, each under its place in the whole."""
    yield from record.contributions
    for name, inner in record.scenes.items():
        yield from (Contribution(f"{name}.{one.on}", one.kind, one.name, one.value) for one in all_contributions(inner))


def inner_seed(seed: str, scene: str) -> str:
    """The seed of a scene: ``{seed}/{scene}``, or that text's SHA-256 where it would be longer than a seed may be."""
    text = f"{seed}/{scene}"
    return text if len(text) <= MAX_SEED else sha256(text.encode()).hexdigest()


def _stream(seed: str, name: str) -> SeededFaces:
    scene, _, roll = name.rpartition("/")
    return SeededFaces(inner_seed(seed, scene) if scene else seed, roll)


def read(quantity: Quantity, faces: FaceSource) -> RollResult:
    """Let the dice of ``quantity`` fall; dice made at the table must be neither too few nor too many."""
    if type(faces) is not SuppliedFaces:
        return quantity.read(faces)
    faces.needs = quantity.needs
    fall = quantity.read(faces)
    faces.finish()
    return fall


def seeded(seed: str, given: dict[str, SuppliedFaces] | None = None) -> Callable[[str], FaceSource]:
    """Faces by roll name: the table's own where ``given`` has them (each roll once), else from the seed."""
    own = given or {}

    def faces_of(name: str) -> FaceSource:
        taken = own.pop(name.replace("/", "."), None) if own else None
        return taken or _stream(seed, name)

    return faces_of


def replayed(rolls: Sequence[NamedRoll], seed: str) -> Callable[[str], FaceSource]:
    """Faces by roll name: those of ``rolls`` once more, and from the seed's own stream what was not rolled then."""
    fallen = {named.roll: named.result for named in rolls}

    def faces_of(name: str) -> FaceSource:
        stream = _stream(seed, name)
        if name not in fallen:
            return stream
        dice = fallen[name].dice
        for die in dice:
            stream.first(die.sides)
            for _ in die.replaced:
                stream.again(0, die.sides)
        return ReplayedFaces(dice, stream)

    return faces_of
