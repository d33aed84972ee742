"""The published shapes of the rule systems, their actions, rules and tables, and of the service's version."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tablecall.dice.rng import RNG
from tablecall.engine import VERSION
from tablecall.model.ruling import OutputModel
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Rule, System


class SystemAction(OutputModel):
    """An action."""

    action: str
    """Its tag."""
    title: str
    """Its name."""
    text: str
    """What it resolves."""
    outcomes: list[str]
    """Every outcome it can have; empty if the outcomes are the caller's own words."""


class RuleSystem(OutputModel):
    """A rule system."""

    system: str
    """Its name in requests."""
    title: str
    """Its name in full."""
    credit: str
    """The authors of the rules."""
    rulebook: str
    """The rule book, and the edition of its implementation here."""
    actions: list[SystemAction]
    """Its actions."""


class SystemList(OutputModel):
    """The rule systems."""

    systems: list[RuleSystem]
    """All of them."""


class RuleOption(OutputModel):
    """A house rule that a request may choose."""

    field: str
    """The field of the request that chooses it."""
    values: list[str]
    """The allowed values; the first is the default."""


class NumberedRule(OutputModel):
    """One rule, in our own words."""

    id: str
    """The id that steps and refusals cite."""
    heading: str
    """The heading it belongs to."""
    text: str
    """The rule."""
    reading: str
    """How it is interpreted here, if the book leaves room."""
    advice: str
    """What the book recommends to the game master, in our own words; empty if nothing."""
    options: list[RuleOption]
    """The house rules that a request may choose."""


class RuleList(OutputModel):
    """The rules of a system, in the book's order."""

    system: str
    """The system."""
    rulebook: str
    """The rule book, and the edition of its implementation here."""
    rules: list[NumberedRule]
    """All rules."""


class SystemTables(OutputModel):
    """The tables of a system as data."""

    system: str
    """The system."""
    tables: Annotated[dict[str, list[dict[str, Any]]], Field(description="The rows of each table, by the name of the table.")]


class Version(OutputModel):
    """The running service."""

    name: str
    """The name of the service."""
    version: str
    """Its version."""
    rngs: list[str]
    """The dice algorithms a request may pin."""
    rulebooks: list[str]
    """The rule books, and the editions of their implementations here."""
    signed: bool
    """Whether every ruling has a receipt. `/.well-known/jwks.json` has the keys to check it with."""


def system_data(system: System) -> dict[str, Any]:
    """A system as published (`RuleSystem`)."""
    return {
        "system": system.name,
        "title": system.title,
        "credit": system.credit,
        "rulebook": system.version,
        "actions": [
            {"action": f"{system.name}.{action.name}", "title": action.title, "text": action.text, "outcomes": list(action.outcomes)}
            for action in system.actions
        ],
    }


def rule_data(rule: Rule) -> dict[str, Any]:
    """A rule as published (`NumberedRule`)."""
    options = [{"field": name, "values": list(values)} for name, values in rule.options]
    texts = {"id": rule.id, "heading": rule.heading, "text": rule.text, "reading": rule.reading, "advice": rule.advice}
    return {**texts, "options": options}


def rules_data(system: System) -> dict[str, Any]:
    """A system's rules as published (`RuleList`)."""
    return {"system": system.name, "rulebook": system.version, "rules": [rule_data(rule) for rule in system.rules]}


def tables_data(system: System) -> dict[str, Any]:
    """A system's tables as published (`SystemTables`)."""
    return {"system": system.name, "tables": system.tables}


def find_rule(id_: str) -> Rule | None:
    """The rule with that id, in any system."""
    return next((rule for system in SYSTEMS.values() for rule in system.rules if rule.id == id_), None)


def version_data(*, signed: bool) -> dict[str, Any]:
    """The version as published (`Version`); ``signed``: rulings carry a receipt."""
    rulebooks = [system.version for system in SYSTEMS.values()]
    return {"name": "tablecall", "version": VERSION, "rngs": [RNG], "rulebooks": rulebooks, "signed": signed}
