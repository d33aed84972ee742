"""The committed JSON Schemas against what is really sent and answered: every case, every golden ruling."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tablecall.engine import odds, resolve
from tablecall.engine.requests import tagged
from tablecall.systems import ACTIONS

ROOT = Path(__file__).parents[2]
CASES = [case for file in sorted((ROOT / "tests" / "cases").glob("*.json")) for case in json.loads(file.read_text("utf-8"))]
ANSWERED = [case for case in CASES if "refused" not in case and case["request"]["action"] in ACTIONS]
GOLDENS = sorted((ROOT / "schema" / "rulings").rglob("*.json"))


@cache
def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOT / "schema" / "json" / f"{name}.json").read_text("utf-8")))


def fits(name: str, document: Any) -> None:
    assert [f"{error.json_path}: {error.message}" for error in schema(name).iter_errors(document)] == []


def fits_ruling(tag: str, ruling: dict[str, Any]) -> None:
    """The union and the action's own shape."""
    fits("Ruling", ruling)
    fits(f"{ACTIONS[tag][1].body.__name__}Ruling", ruling)


@pytest.mark.parametrize("case", ANSWERED, ids=[case["id"] for case in ANSWERED])
def test_a_case_is_of_the_published_shape(case: dict[str, Any]) -> None:
    request = case["request"]
    fits("ResolveRequest", request)
    fits(f"{ACTIONS[request['action']][1].body.__name__}Request", request)
    system, action, body = tagged(dict(request))
    if "odds" in case:
        fits("Odds", odds(system, action, body))
    else:
        fits_ruling(request["action"], resolve(system, action, body, include=frozenset({"factors", "options"})))


@pytest.mark.parametrize("path", GOLDENS, ids=[path.stem for path in GOLDENS])
def test_a_golden_ruling_is_of_the_published_shape(path: Path) -> None:
    golden = json.loads(path.read_text("utf-8"))
    fits("ResolveRequest", golden["request"])
    fits_ruling(golden["request"]["action"], golden["ruling"])
