"""Tablecall: a rules service for tabletop role-playing games. Ask what a character attempts, get the ruling.

``from tablecall import resolve, odds, rolls, verify, systems, Refused``. The names are imported when they are first used, so that
importing the package takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablecall.library import Refused, odds, resolve, rolls, systems, verify

__all__ = ["Refused", "odds", "resolve", "rolls", "systems", "verify"]


def __getattr__(name: str) -> Any:
    """A name of the library, imported now."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tablecall.library"), name)


def __dir__() -> list[str]:
    """The names of the library."""
    return sorted([*globals(), *__all__])
