"""'Did you mean …?' for unknown names.

Only published names are suggested, never the caller's own: a refusal does not repeat what was sent.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_MAX_LENGTH = 64
"""No published name is longer, so nothing is similar to a longer one."""
_SIMILAR = 0.7
"""The similarity ratio of difflib from which names are similar; `bonos` and `bonus` have 0.8."""
_MIN_PREFIX = 3
"""The length from which the start of a name matches the name."""


def nearest(name: str, names: Collection[str]) -> str | None:
    """The one of ``names`` with a similar spelling or the same start, ignoring case, hyphens and underscores."""
    if len(name) > _MAX_LENGTH:
        return None
    wanted, originals = _fold(name), {_fold(original): original for original in names}
    close = get_close_matches(wanted, originals, 1, _SIMILAR)
    starting = (folded for folded in originals if folded.startswith(wanted)) if len(wanted) >= _MIN_PREFIX else ()
    return next((originals[folded] for folded in (*close, *starting)), None)


def _fold(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
