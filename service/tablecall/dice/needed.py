"""The dice that a rule needs next, given those that were rolled at the table.

`NeededDice` run a rule until it decides something with dice nobody has rolled yet. The rolls that it asked for up to there are certain
to happen, whatever they show, so the table can make all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from tablecall.dice.faces import RollResult, Special
from tablecall.dice.roll import RolledDice, SuppliedFaces
from tablecall.dice.source import Pool, Reroll, Roll, Total, Undecided

T = TypeVar("T")


class UnknownDice(Exception):
    """A rule decides something with dice that nobody has rolled."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Dice to roll next: for which roll, who rolls, how many, and with how many sides."""

    roll: str
    who: str
    count: int
    sides: int


class UnknownRoll:
    """A roll that was not made: its total, its zeros and what is added to them are not known."""

    __slots__ = ()
    faces: Sequence[int] = ()
    mean_zeros = 0

    @property
    def total(self) -> UnknownRoll:
        """Not known."""
        return self

    @property
    def zeros(self) -> UnknownRoll:
        """Not known."""
        return self

    def __add__(self, number: object, /) -> UnknownRoll:
        return self

    __radd__ = __add__


UNKNOWN = UnknownRoll()


class PartialFaces(SuppliedFaces):
    """The faces of one roll as far as they were supplied; it counts those that are missing.

    What is missing is filled with arbitrary faces. Dice that are rolled again count as missing only once the base dice are complete.
    """

    __slots__ = ("_base", "_redrawn", "_turn", "sides")

    def __init__(self, faces: Sequence[int], pointer: str, roll: str) -> None:
        super().__init__(faces, pointer, roll)
        self._base = 0
        self._redrawn: set[int] = set()
        self._turn = 0
        self.sides = 0

    @property
    def missing(self) -> int:
        """How many faces must be rolled next."""
        return self._base or len(self._redrawn)

    def draw(self, sides: int, lowest: int = 1) -> int:
        """The next supplied face, or any."""
        self.sides = sides
        if self._taken < len(self._faces):
            return super().draw(sides, lowest)
        self._base += 1
        return self._any()

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        """The next supplied face, or any."""
        if self._taken < len(self._faces):
            return super().draw(sides, lowest)
        self._redrawn.add(index)
        return self._any()

    def _any(self) -> int:
        """Another face each time, so that a die is not rolled again forever."""
        self._turn = self._turn % self.sides + 1
        return self._turn


class NeededDice(RolledDice):
    """Dice that stop a rule (`UnknownDice`) where it decides something with a roll that was not made. Nothing is recorded.

    ``supplied`` are the faces made at the table and their place in the request, by roll. ``missing`` collects the dice to roll next, and
    ``names`` the names of the rolls that happen.
    """

    __slots__ = ("missing", "names", "supplied")

    def __init__(self, supplied: Mapping[str, tuple[Sequence[int], str]], missing: list[Missing], names: set[str]) -> None:
        super().__init__(_no_faces)
        self.supplied = supplied
        self.missing = missing
        self.names = names

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """The result of the supplied faces, if they are complete."""
        self.names.add(name)
        faces = PartialFaces(*self.supplied.get(name, ((), "")), name)
        faces.needs = (pool.needs,)
        result = pool.read(faces)
        if faces.missing:
            self.missing.insert(0 if list_first else len(self.missing), Missing(name, who, faces.missing, faces.sides))
            return UNKNOWN
        faces.finish()
        return result

    def compare(self, left: Total, right: Total, *, tie: Literal[0, 1] = 0) -> int:
        """The sign of the difference of two known totals."""
        _known(left, right)
        return super().compare(left, right, tie=tie)

    def value(self, number: Total | Undecided, cap: int | None = None) -> int:
        """A known number."""
        _known(number)
        return super().value(number, cap)

    def special(self, roll: Roll) -> Special | None:
        """The special of a known roll. Another counts as ordinary: what a rule rolls before its next comparison, it rolls in any case."""
        return None if roll is UNKNOWN else super().special(roll)

    def rank(
        self,
        rolls: Sequence[Roll],
        reroll: Reroll | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places of known rolls. Everyone who is tied rolls again, before the rule stops for the first of these rolls."""
        if len(rolls) > 1:
            _known(*rolls)
        all_known = True

        def again(tied: Sequence[int], throw: int) -> Sequence[Roll]:
            nonlocal all_known
            assert reroll is not None
            made = reroll(tied, throw)
            if not any(roll is UNKNOWN for roll in made):
                return made
            all_known = False
            return [RollResult([], 0, number) for number in range(len(made))]  # any order: this tie is as good as broken

        places = super().rank(rolls, None if reroll is None else again, share_places=share_places, among=among, leader_only=leader_only)
        if not all_known:
            raise UnknownDice
        return places

    def note(self, rule: str, key: str, /, *, value: object = None, **facts: object) -> None:
        """No steps are recorded."""

    def option(self, at: str, field: str) -> None:
        """No options are reported."""

    def explain(self, notes: Callable[[], object]) -> None:
        """No steps are recorded."""

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """No contribution is taken away."""
        return value

    def offer(self, choices: Callable[[], Iterable[Any]]) -> None:
        """No options are recorded."""


def _known(*numbers: object) -> None:
    if any(number is UNKNOWN for number in numbers):
        raise UnknownDice


def _no_faces(name: str) -> Any:
    """Nothing is drawn from a seed."""
    raise LookupError(name)
