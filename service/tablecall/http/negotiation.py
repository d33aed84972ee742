"""Content negotiation: which of the offered media types a client prefers (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tablecall.model.problems import HttpProblem

_QUALITY = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def negotiate(accept: str, offered: Sequence[str]) -> str:
    """The offered media type with the highest quality, the first of equals. Refuses (406) if none is acceptable."""
    if not accept or accept == "*/*":
        return offered[0]
    ranges = [_range(part) for part in accept.split(",")]
    best = max(offered, key=lambda media: _quality(media, ranges))
    if _quality(best, ranges) <= 0:
        raise HttpProblem("not-acceptable", "this answers as " + " or ".join(offered))
    return best


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
