"""The committed JSON Schemas accept the requests and responses of every case of the rule books."""

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
ACCEPTED = [case for case in CASES if "refused" not in case and case["request"]["action"] in ACTIONS]


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOT / "schema" / "json" / f"{name}.json").read_text("utf-8")))


def validate(name: str, document: Any) -> None:
    assert [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)] == []


def validate_request(request: dict[str, Any]) -> None:
    validate("ResolveRequest", request)
    validate(f"{ACTIONS[request['action']][1].body.__name__}Request", request)


def validate_ruling(ruling: dict[str, Any]) -> None:
    validate("Ruling", ruling)
    validate(f"{ACTIONS[ruling['action']][1].body.__name__}Ruling", ruling)


@pytest.mark.parametrize("case", ACCEPTED, ids=[case["id"] for case in ACCEPTED])
def test_case_matches_its_schemas(case: dict[str, Any]) -> None:
    validate_request(case["request"])
    system, action, body = tagged(dict(case["request"]))
    if "odds" in case:
        validate("Odds", odds(system, action, body))
    else:
        validate_ruling(resolve(system, action, body, include=frozenset({"factors", "options"})))
