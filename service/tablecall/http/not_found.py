"""A path that leads nowhere: what was nearly meant."""

from __future__ import annotations

from tablecall.model.suggestions import suggestion
from tablecall.systems import SYSTEMS

_VERBS = ("resolve", "odds")


def meant(path: str) -> str | None:
    """What there is instead of an action of a system, or of a system; nothing to say of other paths."""
    verb, _, rest = path.removeprefix("/").partition("/")
    name, _, action = rest.partition("/")
    if verb not in _VERBS or not name:
        return None
    if name not in SYSTEMS:
        return f"no such system{suggestion(name, SYSTEMS, len(SYSTEMS))}"
    names = [one.name for one in SYSTEMS[name].actions]
    return f"{name} has no such action{suggestion(action, names, len(names))}"
