"""Names that callers give: how they are compared, and how they stand in a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MAX_QUOTED = 60
"""The most characters of the caller's own word that a refusal repeats."""

_SPACES = re.compile(r"[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+")
# zero-width space, directional marks and isolates, byte order mark; joiners (U+200C, U+200D) stay
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


# letters and symbols by their category, but drawn as nothing
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def name_key(name: str) -> str:
    """Two names are the same if their keys are: case, Unicode form and blanks at either end do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


def visible(name: str) -> bool:
    """Whether there is anything to see of it: neither a blank, nor a mark or filler without a glyph."""
    if name.isascii():
        return bool(name.strip())
    return any(character not in _FILLERS and unicodedata.category(character)[0] not in "ZC" for character in name)


def cleaned(text: str) -> str:
    """Text on one line, without directional marks of its own."""
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", _SPACES.sub(" ", text)).strip()


def isolated(text: str, escape: Callable[[str], str] | None = None) -> str:
    """Text between U+2068 and U+2069: its direction does not change that of the sentence around it."""
    plain = cleaned(text)
    return f"\u2068{plain if escape is None else escape(plain)}\u2069"


def quotable(text: str) -> str:
    """The text if it may be repeated in a refusal: short and printable. Otherwise an ellipsis."""
    return text if len(text) <= MAX_QUOTED and text.isprintable() and not _INVISIBLE.search(text) else "…"
