"""The numbered rules: unique ids, whole sentences, defaults first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tablecall.systems import SYSTEMS
from tablecall.systems.system import System

pytestmark = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


def test_ids(system: System) -> None:
    assert len({rule.id for rule in system.rules}) == len(system.rules)
    for rule in system.rules:
        assert re.fullmatch(rf"{system.name}(\.[a-zA-Z]+)+", rule.id)


def test_whole_sentences(system: System) -> None:
    for rule in system.rules:
        assert re.fullmatch(r"\S.*\.", rule.text), rule.id
        assert re.fullmatch(r"(\S.*\.)?", rule.reading), rule.id
        assert "  " not in rule.text + rule.reading, rule.id


def test_rules_of_a_heading_stand_together(system: System) -> None:
    headings = [heading for heading, _ in groupby(rule.heading for rule in system.rules)]
    assert len(set(headings)) == len(headings) > 1
    assert all(headings)


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


def test_every_option_is_a_field_with_that_default(system: System) -> None:
    in_json = {"None": "null", "True": "true", "False": "false"}
    defaults: set[tuple[str, str]] = set()
    seen: set[type[BaseModel]] = set()
    for action in system.actions:
        defaults |= {(name, in_json.get(str(default), str(default))) for name, default in fields(action.body, seen)}
    options = [(field, values) for rule in system.rules for field, values in rule.options]
    assert {(field.rpartition(".")[2], values[0]) for field, values in options} <= defaults
    for field, values in options:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", field)
        assert len(set(values)) == len(values) >= 2
    assert options
