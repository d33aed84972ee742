"""The rule systems. To add one, write a package beside `jazz` and add its `SYSTEM` to the table below."""

from __future__ import annotations

from tablecall.systems.darkpages import SYSTEM as DARKPAGES
from tablecall.systems.jazz import SYSTEM as JAZZ
from tablecall.systems.system import Action, System

SYSTEMS: dict[str, System] = {system.name: system for system in (JAZZ, DARKPAGES)}
"""Every system, by its name in requests."""

ACTIONS: dict[str, tuple[System, Action]] = {
    f"{system.name}.{action.name}": (system, action) for system in SYSTEMS.values() for action in system.actions
}
"""Every action with its system, by tag: ``jazz.check``."""
