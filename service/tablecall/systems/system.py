"""What a rule system consists of: numbered rules, tables and actions. Knows no particular system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.text import Sentence
from tablecall.systems.verdict import Verdict


@dataclass(frozen=True)
class Rule:
    """One numbered rule of a rule book, restated in our own words.

    Steps and refusals cite ``id``. ``title`` is a short name; an empty one follows from the id. ``reading`` says how this service
    interprets the rule, ``advice`` what the book recommends to the game master. ``options`` are the other readings
    a request may choose, as ``(field, values)``; the first value is the default.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}  # a misspelt key in rules.toml is an error

    id: str
    heading: str
    text: str
    reading: str = ""
    advice: str = ""
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    title: str = ""


@dataclass(frozen=True)
class Action:
    """One kind of request a system can resolve.

    ``rule`` resolves a request. ``summary`` gives the sentences of a ruling: who did what, what decided, the outcome; the
    odds never call it. ``outcomes`` lists
    every possible outcome, or is empty if callers name the outcomes. ``after`` and ``fields`` give the types of what a ruling
    of this action has in addition to the common fields: ``after`` inside its ``after``, ``fields`` at the top level.
    ``examples`` are complete, valid request bodies by name.
    """

    name: str
    body: type[Body]
    rule: Callable[[Any, Dice], Verdict]
    summary: Callable[[Any, Verdict, RolledDice], list[Sentence]]
    outcomes: tuple[str, ...]
    title: str
    text: str
    examples: Mapping[str, Mapping[str, Any]]
    after: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """One rule book: its name in requests, its version, rules, tables and actions.

    ``dice_rule`` is the rule that is cited when supplied dice do not fit the roll.
    """

    name: str
    title: str
    credit: str
    version: str
    rules: tuple[Rule, ...]
    tables: Mapping[str, Any]
    dice_rule: str
    actions: tuple[Action, ...]
