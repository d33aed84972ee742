"""The published shapes of the rule systems, their actions, rules and tables, and of the service's version."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from tablecall.dice.rng import RNG
from tablecall.engine import VERSION
from tablecall.model.ruling import OutputModel
from tablecall.model.text import CATALOGUE
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Rule, System

_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


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
    title: str
    """A short name."""
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


class RuleGroup(OutputModel):
    """The rules under one heading."""

    heading: str
    """The heading."""
    rules: list[str]
    """The ids of its rules, in order."""


class RuleList(OutputModel):
    """The rules of a system, in the book's order."""

    system: str
    """The system."""
    rulebook: str
    """The rule book, and the edition of its implementation here."""
    rules: list[NumberedRule]
    """All rules."""
    groups: list[RuleGroup]
    """The headings in order, with the ids of their rules: the structure of a reference page."""


class SystemTables(OutputModel):
    """The tables of a system as data."""

    system: str
    """The system."""
    tables: Annotated[dict[str, list[dict[str, Any]]], Field(description="The rows of each table, by the name of the table.")]


class SystemTemplates(OutputModel):
    """The templates of all sentences, so that clients can translate steps themselves."""

    system: str
    """The system."""
    templates: Annotated[
        dict[str, dict[str, str]],
        Field(
            description="By language, then by key. The `key` of a step names its template, and its `args` are the facts in the "
            "placeholders. Keys of the system start with its name; the others are common to all systems."
        ),
    ]


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
    return {
        "id": rule.id,
        "title": rule_title(rule),
        "heading": rule.heading,
        "text": rule.text,
        "reading": rule.reading,
        "advice": rule.advice,
        "options": options,
    }


def rule_title(rule: Rule) -> str:
    """The rule's title, or else its id in words: ``jazz.karma.positive`` is "Karma: positive"."""
    words = [part.replace("_", " ") for part in _CAPITAL.sub(lambda match: f" {match[0].lower()}", rule.id).split(".")[1:]]
    return rule.title or ": ".join(words).capitalize()


def rules_data(system: System) -> dict[str, Any]:
    """A system's rules as published (`RuleList`)."""
    return {
        "system": system.name,
        "rulebook": system.version,
        "rules": [rule_data(rule) for rule in system.rules],
        "groups": _groups(system),
    }


def _groups(system: System) -> list[dict[str, Any]]:
    groups: dict[str, list[str]] = {}
    for rule in system.rules:
        groups.setdefault(rule.heading, []).append(rule.id)
    return [{"heading": heading, "rules": ids} for heading, ids in groups.items()]


def tables_data(system: System) -> dict[str, Any]:
    """A system's tables as published (`SystemTables`)."""
    return {"system": system.name, "tables": system.tables}


def templates_of(system: System) -> dict[str, dict[str, str]]:
    """The templates that the sentences of a system are made of, by language and key: its own, and those that all systems share."""
    own = f"{system.name}."
    return {
        language: {key: text for key, text in texts.items() if key.startswith(own) or key in CATALOGUE.shared}
        for language, texts in CATALOGUE.templates.items()
    }


def templates_data(system: System) -> dict[str, Any]:
    """A system's templates as published (`SystemTemplates`)."""
    return {"system": system.name, "templates": templates_of(system)}


def find_rule(id_: str) -> Rule | None:
    """The rule with that id, in any system."""
    return next((rule for system in SYSTEMS.values() for rule in system.rules if rule.id == id_), None)


def version_data(*, signed: bool) -> dict[str, Any]:
    """The version as published (`Version`); ``signed``: rulings carry a receipt."""
    rulebooks = [system.version for system in SYSTEMS.values()]
    return {"name": "tablecall", "version": VERSION, "rngs": [RNG], "rulebooks": rulebooks, "signed": signed}
