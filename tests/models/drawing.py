"""What the random requests of both games are drawn with."""

from __future__ import annotations

import random
from typing import Any

from tests.models.dice import Document


class Drawing:
    """Draws from a source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def some(self, likely: float) -> bool:
        return self.chance.random() < likely

    def put(self, document: Document, likely: float, **values: Any) -> None:
        """Fields that some requests send."""
        for name, value in values.items():
            if self.some(likely):
                document[name] = value
