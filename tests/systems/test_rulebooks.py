"""The rule books: unique ids, whole sentences, defaults first, and how their files are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tablecall.model.text import LANGUAGES
from tablecall.systems import SYSTEMS
from tablecall.systems.rulebook import read_rulebook
from tablecall.systems.system import System

of_each_system = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


@of_each_system
def test_ids(system: System) -> None:
    assert len({rule.id for rule in system.rules}) == len(system.rules)
    for rule in system.rules:
        assert re.fullmatch(rf"{system.name}(\.[a-zA-Z]+)+", rule.id)


@of_each_system
def test_whole_sentences(system: System) -> None:
    for rule in system.rules:
        assert re.fullmatch(r"\S.*\.", rule.text), rule.id
        assert re.fullmatch(r"(\S.*\.)?", rule.reading), rule.id
        assert "  " not in rule.text + rule.reading, rule.id


@of_each_system
def test_rules_of_a_heading_stand_together(system: System) -> None:
    headings = [heading for heading, _ in groupby(rule.heading for rule in system.rules)]
    assert len(set(headings)) == len(headings) > 1
    assert all(headings)


@of_each_system
def test_book(system: System) -> None:
    assert re.fullmatch(rf"{system.name} \S+/[0-9]+", system.version)
    assert system.title
    assert re.search(r" by [A-Z][a-z]+ .*[A-Z][a-z]+", system.credit)


def fields(type_: Any, seen: set[type[BaseModel]]) -> Iterator[tuple[str, object]]:
    """Every field of a request, however deep: its name in JSON and its default."""
    if isinstance(type_, type) and issubclass(type_, BaseModel) and type_ not in seen:
        seen.add(type_)
        for name, field in type_.model_fields.items():
            yield field.alias or name, field.default
            yield from fields(field.annotation, seen)
    for part in get_args(type_):
        yield from fields(part, seen)


def firsts(options: list[tuple[str, tuple[str, ...]]]) -> set[tuple[str, str]]:
    """The fields and first values of options."""
    return {(field.rpartition(".")[2], values[0]) for field, values in options}


@of_each_system
def test_every_option_is_a_field_with_that_default(system: System) -> None:
    in_json = {"None": "null", "True": "true", "False": "false"}
    defaults: set[tuple[str, str]] = set()
    seen: set[type[BaseModel]] = set()
    for action in system.actions:
        defaults |= {(name, in_json.get(str(default), str(default))) for name, default in fields(action.body, seen)}
    options = [(field, values) for rule in system.rules for field, values in rule.options]
    # a field that a house rule may stand in for has no default of its own
    names = {name for name, default in defaults if default == "null"}
    assert {(name, first) for name, first in firsts(options) if name not in names} <= defaults
    for field, values in options:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", field)
        assert len(set(values)) == len(values) >= 2


def test_options_are_read() -> None:
    assert any(rule.options for system in SYSTEMS.values() for rule in system.rules)


@of_each_system
def test_files_have_the_same_actions_as_the_code(system: System) -> None:
    book = read_rulebook(files(f"tablecall.systems.{system.name}"))
    assert set(book.actions) == set(book.examples) == {action.name for action in system.actions}


RULES = """
name = "toy"
title = "Toy"
credit = "Made for this test."
version = "toy 1/1"
[actions.gamble]
title = "A gamble"
text = "Two dice."
outcomes = ["won", "lost"]
[[rules]]
id = "toy.dice"
heading = "Dice"
text = "Dice have six sides."
"""
EXAMPLES = """{
  "shared": {"pip": {"name": "Pip", "luck": 1}},
  "examples": {"gamble": {"First": {"players": [{"$use": "pip"}, {"$use": "pip", "luck": 2, "coins": 3}], "seed": 1}}}
}"""


def write(folder: Path, rules: str, examples: str) -> Path:
    (folder / "rules.toml").write_text(rules)
    (folder / "examples.json").write_text(examples)
    (folder / "text").mkdir()
    for language in LANGUAGES:
        (folder / "text" / f"{language}.toml").write_text("")
    return folder


def test_shared_objects_are_copied_into_the_examples(tmp_path: Path) -> None:
    book = read_rulebook(write(tmp_path, RULES, EXAMPLES))
    players = [{"name": "Pip", "luck": 1}, {"name": "Pip", "luck": 2, "coins": 3}]
    assert book.examples == {"gamble": {"First": {"players": players, "seed": 1}}}


@pytest.mark.parametrize(
    ("rules", "examples", "message"),
    [
        (RULES.replace('"Toy"', "Toy"), EXAMPLES, r"Invalid value \(at line 3"),
        (RULES.replace("heading", "headline"), EXAMPLES, r"rules\.0\.headline\n +Unexpected"),
        (RULES.replace('"Two dice."', "2"), EXAMPLES, r"actions\.gamble\.text\n +Input should be a valid string"),
        (RULES.replace("[actions.gamble]", "[actions.gamble]\ntitel = 1"), EXAMPLES, r"actions\.gamble\.titel\n +Extra inputs"),
        (RULES, EXAMPLES[:-1], "unexpected end of data: line 4"),
        (RULES, EXAMPLES.replace('"pip", "luck"', '"pop", "luck"'), "'pop'"),
        (RULES, EXAMPLES.replace('"examples"', '"example"'), "'examples'"),
    ],
)
def test_malformed_file_is_an_error_that_names_the_folder(tmp_path: Path, rules: str, examples: str, message: str) -> None:
    with pytest.raises((KeyError, ValueError), match=message) as error:
        read_rulebook(write(tmp_path, rules, examples))
    assert error.value.__notes__ == [f"in rules.toml or examples.json in {tmp_path}"]
