"""What was nearly meant, where a name is none of those there are.

Only names that are published are ever suggested, never the caller's own: a refusal does not repeat what was sent.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

FEW = 6
"""So many names are all told where none is near."""
_LONGEST = 64
"""No name there is has more characters; nothing is near one that has."""
_NEAR = 0.7
"""How much of two names is the same where they are near, as difflib measures it: `bonos` and `bonus` have 0.8."""
_BEGINNING = 3
"""So many characters of a name's beginning tell which is meant."""


def suggestion(name: str, names: Collection[str], few: int = FEW) -> str:
    """How a sentence about ``name`` ends: with the one of ``names`` that is near, else with all of them where they are ``few``."""
    near = nearest(name, names)
    if near is not None:
        return f"; did you mean `{near}`?"
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names)}" if 0 < len(names) <= few else ""


def nearest(name: str, names: Collection[str]) -> str | None:
    """Which of ``names`` is near: spelt nearly the same, or begun the same. Capitals, hyphens and underscores count for nothing."""
    if len(name) > _LONGEST:
        return None
    sought, folded = _fold(name), {_fold(one): one for one in names}
    close = get_close_matches(sought, folded, 1, _NEAR)
    begun = (one for one in folded if one.startswith(sought)) if len(sought) >= _BEGINNING else ()
    return next((folded[one] for one in (*close, *begun)), None)


def _fold(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
