"""The rule cases, as data: what each request gives, is refused for, or comes to in the odds. A system has a file of them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tablecall import engine
from tablecall.model.refusals import Refusal
from tablecall.systems import ACTIONS, SYSTEMS

FOLDER = Path(__file__).parents[1] / "cases"
CASES: dict[str, list[dict[str, Any]]] = {name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in SYSTEMS}
MISSING = "<missing>"


def at(document: Any, pointer: str) -> Any:
    for key in filter(None, pointer.split("/")):
        try:
            document = document[int(key)] if isinstance(document, list) else document[key]
        except (KeyError, IndexError, ValueError):
            return MISSING
    return document


def answer(reading: Any, case: dict[str, Any]) -> tuple[int, Any]:
    """What a reading answers: 200 and the document, or 422 and the rules that were broken."""
    request = dict(case["request"])
    system, action = ACTIONS[request.pop("action")]
    try:
        return 200, reading(system, action, action.body.model_validate(request))
    except ValidationError as error:
        return 422, [one.get("ctx", {}).get("rule") for one in error.errors()]
    except Refusal as refusal:
        return refusal.status, [finding.rule for finding in refusal.findings]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for cases in CASES.values() for case in cases])
def test_case(case: dict[str, Any]) -> None:
    if "odds" in case:
        status, odds = answer(engine.odds, case)
        assert status == 200, odds
        found = {row["outcome"]: Fraction(row["fraction"]) for row in odds["outcomes"]}
        assert {name: found.get(name, Fraction()) for name in case["odds"]} == {name: Fraction(part) for name, part in case["odds"].items()}
        assert sum(found.values()) == 1
        return
    status, document = answer(engine.resolve, case)
    if "refused" in case:
        assert status == case["refused"]["status"]
        assert case["refused"].get("rule", document[0]) in document
    else:
        assert status == 200, document
        assert {pointer: at(document, pointer) for pointer in case["expect"]} == case["expect"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_action_has_cases_and_every_rule_is_in_the_book(name: str) -> None:
    cases = CASES[name]
    book = {rule.id for rule in SYSTEMS[name].rules}
    named = {rule for case in cases for rule in case["rules"]}
    assert named == book
    assert {case["request"]["action"] for case in cases} == {f"{name}.{action.name}" for action in SYSTEMS[name].actions}
    assert len({case["id"] for case in cases}) == len(cases)


@pytest.mark.parametrize("tag", ACTIONS)
def test_every_example_is_answered(tag: str) -> None:
    system, action = ACTIONS[tag]
    assert len(action.examples) >= 2
    for example in action.examples.values():
        body = action.body.model_validate(example)
        outcome = engine.resolve(system, action, body, include=frozenset({"factors", "options"}))["outcome"]
        # a fight is won by a side, in the caller's own words
        assert outcome in action.outcomes or tag == "jazz.fight"
        words = {row["outcome"] for row in engine.odds(system, action, body)["outcomes"]}
        # the odds of initiative tell the orders apart
        assert words <= set(action.outcomes) or tag in ("jazz.initiative", "jazz.fight")
