"""How what every action tells is put: counts, margins."""

from __future__ import annotations


def plural(count: int, word: str) -> str:
    """``1 zero``, ``2 zeros``."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def by_margin(margin: int | None) -> str:
    """How far off: `` by 2``, or nothing for exactly and where there is no margin."""
    return f" by {abs(margin)}" if margin else ""
