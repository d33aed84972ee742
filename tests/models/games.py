"""The games that have a model."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.models import asking_darkpages, asking_jazz, darkpages, jazz
from tests.models.dice import Answer, Dice, Document

Play = Mapping[str, Callable[[Document, Dice], Answer]]
"""The actions of a model."""


@dataclass(frozen=True)
class Game:
    """A model, and random requests for it."""

    name: str
    play: Play
    ask: Callable[[random.Random], Callable[[], Document]]


GAMES = [
    Game("jazz", jazz.PLAY, lambda chance: asking_jazz.Asking(chance).request),
    Game("darkpages", darkpages.PLAY, lambda chance: asking_darkpages.Asking(chance).request),
]
