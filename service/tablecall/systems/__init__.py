"""The rule systems. A new one joins with a folder of its own and its line in this table."""

from __future__ import annotations

from tablecall.systems.darkpages import SYSTEM as DARKPAGES
from tablecall.systems.jazz import SYSTEM as JAZZ
from tablecall.systems.system import Action, System

SYSTEMS: dict[str, System] = {system.name: system for system in (JAZZ, DARKPAGES)}
"""Every system by its name on the wire."""

ACTIONS: dict[str, tuple[System, Action]] = {
    f"{system.name}.{action.name}": (system, action) for system in SYSTEMS.values() for action in system.actions
}
"""Every action by its tag, ``jazz.check``."""
