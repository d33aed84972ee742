"""The rule systems. To add one, write a package beside `jazz` with a `SYSTEM`, and add its name below."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from tablecall.systems.system import Action, System

_NAMES = (
    "jazz",
    "darkpages",
)
SYSTEMS: dict[str, System] = {name: import_module(f"{__name__}.{name}").SYSTEM for name in _NAMES}
"""Every system, by its name in requests."""

ACTIONS: dict[str, tuple[System, Action]] = {
    f"{system.name}.{action.name}": (system, action) for system in SYSTEMS.values() for action in system.actions
}
"""Every action with its system, by tag: ``jazz.check``."""


class _Systems(ModuleType):
    """This package, which can also be called: ``from tablecall import systems`` gets the function of the library, or else this."""

    def __call__(self) -> Any:
        """The rule systems as the library lists them."""
        return import_module("tablecall.library").systems()


sys.modules[__name__].__class__ = _Systems
