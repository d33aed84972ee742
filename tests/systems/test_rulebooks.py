"""The numbered rules as data: complete, unique, readable, defaults first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tablecall.systems import SYSTEMS
from tablecall.systems.darkpages import rulebook as darkpages
from tablecall.systems.jazz import rulebook as jazz
from tablecall.systems.system import Rule, System

JAZZ_HEADINGS = {"Sheet": 11, "Dice": 12, "Weird": 4, "Conflict": 10, "Karma, complications, gear": 7, "Recovery and advancement": 6}
DARKPAGES_HEADINGS = {"Dice": 6, "Checks": 10, "Attributes and damage": 10, "Recovery, scars, training": 7, "Optional mechanics": 6}

# What a request gets when it leaves the field out.
JAZZ_DEFAULTS = {
    ("jazz.aspects.universal", "universal"): "false",
    ("jazz.aspects.missing", "difficultyIncrease"): "0",
    ("jazz.aspects.untrained", "specialistOnly"): "false",
    ("jazz.weird.pool", "weirdPool"): "highest",
    ("jazz.dice.advantage", "advantage"): "false",
    ("jazz.dice.disadvantage", "disadvantage"): "false",
    ("jazz.dice.reroll", "until"): "once",
    ("jazz.check.contest", "ties"): "actor",
    ("jazz.check.routine", "stakes"): "something",
    ("jazz.check.stakes", "stakes"): "something",
    ("jazz.weird.spend", "extraordinary"): "false",
    ("jazz.weird.spend", "spendOn"): "attempt",
    ("jazz.conflict.initiative", "initiativeBonus"): "0",
    ("jazz.conflict.drop", "drop"): "false",
    ("jazz.conflict.order", "ties"): "rerollOff",
    ("jazz.conflict.unnamed", "named"): "true",
    ("jazz.team.attack", "teamDefence"): "[]",
    ("jazz.karma.positive", "spend"): "null",
    ("jazz.karma.rescue", "rescue"): "false",
    ("jazz.karma.rescue", "rescueBy"): "addDie",
    ("jazz.karma.negative", "imposeKarma"): "false",
    ("jazz.complication.die", "spend"): "null",
    ("jazz.equipment.lost", "withoutEquipment"): "false",
    ("jazz.recovery.rest", "rounding"): "up",
}
DARKPAGES_DEFAULTS = {
    ("darkpages.dice.choice", "keep"): "highest",
    ("darkpages.modifiers.floor", "floor"): "one",
    ("darkpages.check.stakes", "stakes"): "something",
    ("darkpages.goals.single", "goalPolicy"): "reject",
    ("darkpages.goals.death", "removesFromPlay"): "false",
    ("darkpages.damage.check", "damageTie"): "stalemate",
    ("darkpages.damage.defeated", "onHarm"): "defeated",
    ("darkpages.damage.nonlethal", "overflow"): "hold",
    ("darkpages.recovery.damaged", "care"): "true",
    ("darkpages.defenders", "reuseAttack"): "false",
}

BOOKS = [pytest.param("jazz", jazz.RULES, id="jazz"), pytest.param("darkpages", darkpages.RULES, id="darkpages")]


@pytest.mark.parametrize(("system", "rules"), BOOKS)
def test_ids_are_unique_and_begin_with_the_system(system: str, rules: tuple[Rule, ...]) -> None:
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        assert re.fullmatch(rf"{system}(\.[a-zA-Z]+)+", rule.id)


@pytest.mark.parametrize(("system", "rules"), BOOKS)
def test_every_rule_is_said_in_finished_sentences(system: str, rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        assert rule.heading
        assert re.fullmatch(r"\S.*\.", rule.text), rule.id
        assert re.fullmatch(r"(\S.*\.)?", rule.reading), rule.id
        assert "  " not in rule.text + rule.reading, rule.id


@pytest.mark.parametrize(
    ("rules", "total", "headings"), [(jazz.RULES, 50, JAZZ_HEADINGS), (darkpages.RULES, 39, DARKPAGES_HEADINGS)], ids=["jazz", "darkpages"]
)
def test_every_heading_has_all_its_rules_together(rules: tuple[Rule, ...], total: int, headings: dict[str, int]) -> None:
    assert len(rules) == total
    assert list(Counter(rule.heading for rule in rules).items()) == list(headings.items())
    order = [rule.heading for rule in rules]
    assert order == sorted(order, key=list(headings).index)


@pytest.mark.parametrize(
    ("rules", "defaults"), [(jazz.RULES, JAZZ_DEFAULTS), (darkpages.RULES, DARKPAGES_DEFAULTS)], ids=["jazz", "darkpages"]
)
def test_the_default_stands_first(rules: tuple[Rule, ...], defaults: dict[tuple[str, str], str]) -> None:
    assert {(rule.id, field): values[0] for rule in rules for field, values in rule.options} == defaults


@pytest.mark.parametrize(("system", "rules"), BOOKS)
def test_an_option_offers_a_choice(system: str, rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        for field, values in rule.options:
            assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", field)
            assert len(set(values)) == len(values) >= 2, rule.id


def test_versions_titles_and_credits() -> None:
    assert (jazz.VERSION, darkpages.VERSION) == ("jazz 3e/1", "darkpages I/1")
    assert all([jazz.TITLE, darkpages.TITLE])
    assert "Brandon Blackmoor" in jazz.CREDIT
    assert "Jared A. Sorensen" in darkpages.CREDIT


def fields(kind: Any, seen: set[type[BaseModel]]) -> Iterator[tuple[str, object]]:
    """Every field a request has, however deep: its name on the wire and its default."""
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
        seen.add(kind)
        for name, field in kind.model_fields.items():
            yield field.alias or name, field.default
            yield from fields(field.annotation, seen)
    for part in get_args(kind):
        yield from fields(part, seen)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_every_option_is_a_field_some_request_has_with_that_default(system: System) -> None:
    """What the rule book says may be chosen is what the requests say."""
    said = {"None": "null", "True": "true", "False": "false"}
    there: set[tuple[str, str]] = set()
    seen: set[type[BaseModel]] = set()
    for action in system.actions:
        there |= {(name, said.get(str(default), str(default))) for name, default in fields(action.body, seen)}
    options = {(name.rpartition(".")[2], values[0]) for rule in system.rules for name, values in rule.options}
    assert options
    assert options <= there
