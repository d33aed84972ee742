"""Content negotiation: which media type and which language a client prefers (RFC 9110, sections 12.5.1 and 12.5.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tablecall.model.problems import HttpProblem
from tablecall.model.text import LANGUAGES, Language

_QUALITY = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def negotiate(accept: str, offered: Sequence[str]) -> str:
    """The offered media type with the highest quality, the first of equals. Refuses (406) if none is acceptable."""
    if not accept or accept == "*/*":
        return offered[0]
    ranges = [_range(part) for part in accept.split(",")]
    best = max(offered, key=lambda media: _quality(media, ranges))
    if _quality(best, ranges) <= 0:
        raise HttpProblem("not-acceptable", "http.offered", types=list(offered))
    return best


def prefers(accept: str, media: str, default: str) -> bool:
    """Whether a client prefers ``media`` to ``default``. A client that accepts neither gets the default."""
    try:
        return negotiate(accept, (default, media)) == media
    except HttpProblem:
        return False


def negotiate_language(accept: str) -> Language:
    """The language that a client prefers, or else the first of `LANGUAGES`. Of equal qualities the first listed counts.

    A range such as ``de-AT`` asks for ``de``, as in the lookup of RFC 4647, section 3.4.
    """
    if not accept:
        return LANGUAGES[0]
    ranges = [(*_range(part), -position) for position, part in enumerate(accept.split(","))]

    def rank(language: str) -> tuple[float, int]:
        named = [(quality, order) for name, quality, order in ranges if name.partition("-")[0] == language]
        return max(named or [(quality, order) for name, quality, order in ranges if name == "*"], default=(0.0, 0))

    return max(LANGUAGES, key=rank)


def _range(part: str) -> tuple[str, float]:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
    return media, float(quality) if _QUALITY.fullmatch(quality) else 1.0


def _quality(media: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The quality that the most specific matching range gives a media type; 0 if no range matches."""
    main_type = media.partition("/")[0]
    for pattern in (media, f"{main_type}/*", "*/*"):
        qualities = [quality for name, quality in ranges if name == pattern]
        if qualities:
            return qualities[0]
    return 0.0
