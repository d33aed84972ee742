"""Wording shared by all actions: counts and margins."""

from __future__ import annotations


def plural(count: int, word: str) -> str:
    """``1 zero``, ``2 zeros``."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def by_margin(margin: int | None) -> str:
    """`` by 2``; empty for a margin of 0 and without a margin."""
    return f" by {abs(margin)}" if margin else ""
