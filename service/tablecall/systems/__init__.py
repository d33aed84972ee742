"""The rule systems. To add one, write a package beside `jazz` with a `SYSTEM`, and add its name below.

A system is imported when it is first used, so that one roll of one game takes half the time to start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from tablecall.systems.system import Action, System

_NAMES = (
    "jazz",
    "darkpages",
)


class _ByName(Mapping[str, System]):
    """The systems by name."""

    def __getitem__(self, name: str) -> System:
        if name not in _NAMES:
            raise KeyError(name)
        system: System = import_module(f"{__name__}.{name}").SYSTEM
        return system

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


class _ByTag(Mapping[str, tuple[System, Action]]):
    """The actions by tag."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[System, Action]] = {}

    def __getitem__(self, tag: str) -> tuple[System, Action]:
        if tag not in self._known:
            system = SYSTEMS[tag.partition(".")[0]]
            self._known |= {f"{system.name}.{action.name}": (system, action) for action in system.actions}
        return self._known[tag]

    def __iter__(self) -> Iterator[str]:
        return (f"{system.name}.{action.name}" for system in SYSTEMS.values() for action in system.actions)

    def __len__(self) -> int:
        return sum(len(system.actions) for system in SYSTEMS.values())


SYSTEMS = _ByName()
"""Every system, by its name in requests."""
ACTIONS = _ByTag()
"""Every action with its system, by tag: ``jazz.check``."""


class _Systems(ModuleType):
    """This package, which can also be called: ``from tablecall import systems`` gets the function of the library, or else this."""

    def __call__(self) -> Any:
        """The rule systems as the library lists them."""
        return import_module("tablecall.library").systems()


sys.modules[__name__].__class__ = _Systems
