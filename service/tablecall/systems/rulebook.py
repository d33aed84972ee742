"""Reads the data files in the folder of a system: its rules, and the titles, texts and examples of its actions."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.text import CATALOGUE, Sentence
from tablecall.systems.system import Action, Rule, System
from tablecall.systems.verdict import Verdict

RequestBody = TypeVar("RequestBody", bound=Body)


class ActionTexts(BaseModel):
    """The part of an `Action` that is written in ``rules.toml``."""

    model_config = ConfigDict(extra="forbid")

    title: str
    text: str
    outcomes: tuple[str, ...]


class Rulebook(BaseModel):
    """The content of ``rules.toml`` and ``examples.json``. `actions` and `examples` are by the name of the action."""

    model_config = ConfigDict(extra="forbid")

    name: str
    title: str
    credit: str
    version: str
    actions: dict[str, ActionTexts]
    rules: tuple[Rule, ...]
    examples: dict[str, dict[str, dict[str, Any]]]

    def action(
        self,
        name: str,
        body: type[RequestBody],
        rule: Callable[[RequestBody, Dice], Verdict],
        summary: Callable[[RequestBody, Verdict, RolledDice], list[Sentence]],
        *,
        after: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Action:
        """The action of this name, with its texts, outcomes and examples from the files. The parameters are described at `Action`."""
        texts, examples = self.actions[name], self.examples[name]
        return Action(name, body, rule, summary, texts.outcomes, texts.title, texts.text, examples, after or {}, fields or {})

    def system(self, tables: Mapping[str, Any], dice_rule: str, *actions: Action) -> System:
        """The system of this rule book. The parameters are described at `System`."""
        return System(self.name, self.title, self.credit, self.version, self.rules, tables, dice_rule, actions)


def read_rulebook(folder: Traversable) -> Rulebook:
    """Read ``rules.toml`` and ``examples.json``, and add the texts of the system to the catalogue.

    In the examples, an object with the member ``$use`` is a copy of the object of that name in ``shared``, with the other members
    added or replaced. A malformed file raises `ValueError` or `KeyError` with a note that names the folder.
    """
    try:
        rules = tomllib.loads(folder.joinpath("rules.toml").read_text("utf-8"))
        CATALOGUE.add(folder.joinpath("text"), rules["name"])
        examples = orjson.loads(folder.joinpath("examples.json").read_bytes())
        return Rulebook.model_validate({**rules, "examples": _with_shared(examples["examples"], examples["shared"])})
    except (KeyError, ValueError) as error:
        error.add_note(f"in rules.toml or examples.json in {folder}")
        raise


def _with_shared(document: Any, shared: Mapping[str, Any]) -> Any:
    """The document with a copy of a shared object in place of each ``$use``."""
    if isinstance(document, list):
        return [_with_shared(item, shared) for item in document]
    if not isinstance(document, dict):
        return document
    members = {name: _with_shared(value, shared) for name, value in document.items() if name != "$use"}
    return {**shared[document["$use"]], **members} if "$use" in document else members
