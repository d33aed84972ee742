"""What the models of both games share: where faces come from, and the form of an answer."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

Document = dict[str, Any]


class Refused(Exception):
    """The rule book forbids it."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class Dice:
    """Faces, remembered by the name of their roll."""

    def __init__(self, face: Callable[[int, int], int]) -> None:
        self.face = face
        self.faces: dict[str, list[int]] = {}

    def roll(self, name: str, sides: int, lowest: int = 1) -> int:
        face = self.face(sides, lowest)
        self.faces.setdefault(name, []).append(face)
        return face

    def document(self) -> list[Document]:
        """The faces as a request hands them in."""
        return [{"roll": name, "faces": faces} for name, faces in self.faces.items()]


def drawn(chance: random.Random) -> Dice:
    """Faces by chance."""
    return Dice(lambda sides, lowest: chance.randrange(lowest, lowest + sides))


class Answer:
    """What a model says of a request."""

    def __init__(self, outcome: str, succeeded: bool | None, total: int | None = None, target: int | None = None) -> None:
        self.outcome = outcome
        self.succeeded = succeeded
        self.total = total
        self.target = target
        self.after: Document = {}
        self.results: list[tuple[str, int]] = []
        self.fallen: list[Document] = []
        self.points: dict[str, int] = {}
        self.extra: Document = {}

    def leaving(self, after: Document) -> Answer:
        self.after = after
        return self

    @property
    def margin(self) -> int | None:
        return None if self.total is None or self.target is None else self.total - self.target

    @property
    def told(self) -> str:
        """What the odds count: the outcome; of an attack on several, how many are hit."""
        return str(sum(outcome == "hit" for outcome, _ in self.results)) if self.results else self.outcome

    def numbers(self) -> Document:
        names = ("outcome", "succeeded", "total", "target", "margin")
        return {name: getattr(self, name) for name in names}


def sent(request: Document, *names: str) -> Document:
    """A copy of the participants of a request."""
    return {name: deepcopy(request[name]) for name in names if request.get(name) is not None}


def name_key(name: str) -> str:
    """Names are compared without case, Unicode form and blanks at either end."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


class _More(Exception):
    """One more die is needed."""


class _TooMany(Exception):
    """There are too many ways for the dice to fall."""


def enumerated(play: Callable[[Document, Dice], Answer], request: Document, *, most: int) -> dict[str, Fraction] | None:
    """The chance of every outcome, by every sequence of faces; None where there are more than ``most`` of them."""
    chances: dict[str, Fraction] = {}
    try:
        for chance, answer in _every(play, request, [], 1, most):
            chances[answer.told] = chances.get(answer.told, Fraction()) + chance
    except _TooMany:
        return None
    return chances


def _every(
    play: Callable[[Document, Dice], Answer], request: Document, faces: list[int], ways: int, most: int
) -> Iterator[tuple[Fraction, Answer]]:
    left = iter(faces)

    def face(sides: int, lowest: int) -> int:
        known = next(left, None)
        if known is None:
            raise _More(sides, lowest)
        return known

    try:
        answer = play(request, Dice(face))
    except _More as more:
        sides, lowest = more.args
        if ways * sides > most:
            raise _TooMany from None
        for shown in range(lowest, lowest + sides):
            yield from _every(play, request, [*faces, shown], ways * sides, most)
    else:
        yield Fraction(1, ways), answer
