"""The shape of a rule system: numbered rules, tables and actions, all as data. Names no system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.systems.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Rule:
    """One numbered rule: ``id`` (what steps and refusals cite), its heading, the rule and the reading in our own words.

    ``options`` lists what a request may choose instead, as ``(field, values)``; the first value is the default.
    """

    id: str
    heading: str
    text: str
    reading: str = ""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be attempted.

    ``rule`` is the rule itself, ``summary`` its line for a reader (only ever called on dice that fell). ``outcomes`` are
    all its words. ``after`` and ``fields`` give the types of what its ruling has beside the participants and the
    envelope. ``examples`` are complete bodies by name; each is answered with 200.
    """

    name: str
    body: type[Body]
    rule: Callable[[Any, Dice], Verdict]
    summary: Callable[[Any, Verdict, RolledDice], str]
    outcomes: tuple[str, ...]
    title: str
    text: str
    examples: Mapping[str, Mapping[str, Any]]
    after: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class System:
    """A rule book: its name on the wire, its version, its numbered rules, its tables, its actions.

    ``dice_rule`` is the rule that speaks when dice handed in are not dice of this book.
    """

    name: str
    title: str
    credit: str
    version: str
    rules: tuple[Rule, ...]
    tables: Callable[[], Mapping[str, Any]]
    dice_rule: str
    actions: tuple[Action, ...]
