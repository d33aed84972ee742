"""The Python library."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from joserfc.jwk import OKPKey
from pydantic import ValidationError
from starlette.testclient import TestClient

import tablecall
from tablecall import Refused, library, odds, requests, resolve, rolls, systems, verify
from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import resolve as engine_resolve
from tablecall.engine.receipts import Receipts
from tablecall.engine.requests import tagged
from tablecall.model.base import Body
from tablecall.requests import JazzActor, JazzCheck

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
SERVER = ("starlette", "uvicorn", "strawberry", "graphql", "typer", "rich", "structlog", "pebble", "prometheus_client", "opentelemetry",
          "pydantic_settings", "yaml", "httptools", "mcp")  # fmt: skip
EXAMPLES = [
    pytest.param({"action": tag, "include": ["factors", "options"], "seed": 7, **example}, id=f"{tag} {name}")
    for tag, published in PUBLISHED.items()
    for name, example in published.action.examples.items()
]


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app())


@pytest.mark.parametrize("request_", EXAMPLES)
def test_ruling_is_what_rest_answers(client: TestClient, request_: dict[str, Any]) -> None:
    ruling = resolve(request_)
    assert ruling.model_dump(mode="json", by_alias=True) == client.post("/resolve", json=request_).json()
    assert type(ruling) is PUBLISHED[request_["action"]].ruling


def test_a_request_is_a_mapping_or_fields_or_a_model() -> None:
    model = JazzCheck(actor=JazzActor(bonus=3, without_equipment=False), difficulty=10, seed=42)
    assert (
        resolve(CHECK)
        == resolve(**CHECK)
        == resolve(model)
        == resolve(JazzCheck(actor=JazzActor(bonus=3), difficulty=9), difficulty=10, seed=42)
    )
    assert [row.percent for row in odds(model).outcomes] == ["58.3 %", "41.7 %"]
    assert rolls(model).needed[0].dice == "2d6"


def test_models_have_python_names_and_json_has_its_own() -> None:
    model = JazzCheck(actor=JazzActor(bonus=0), difficulty=10, difficulty_increase=2)
    assert JazzCheck(actor=JazzActor(bonus=0), difficulty=10, difficultyIncrease=2) == model
    assert resolve(model).target == 12
    with pytest.raises(ValidationError):
        JazzCheck.model_validate({"actor": {"bonus": 0}, "difficulty": 10, "difficulty_increase": 2})
    with pytest.raises(ValidationError):
        JazzCheck(actor=JazzActor(bonus=0), difficulty=10, difficulty_incraese=2)


def test_every_action_has_its_model() -> None:
    bodies = {published.action.body for published in PUBLISHED.values()}
    assert bodies == {kind for name in requests.__all__ if issubclass(kind := getattr(requests, name), Body)}


def test_refusal_is_told_in_the_language_of_the_request() -> None:
    with pytest.raises(Refused, match="`actor` is missing") as english:
        resolve(action="jazz.check")
    with pytest.raises(Refused, match="`actor` fehlt") as german:
        odds(action="jazz.check", language="de")
    assert english.value.code == german.value.code == "invalid-request"
    assert [(error.pointer, error.code) for error in english.value.errors] == [("/actor", "missing-field")]
    for wrong in ({}, {"action": 7}, {"action": "jazz.check", "language": []}):
        with pytest.raises(Refused):
            rolls(wrong)


def test_verification_knows_the_keys_it_is_given() -> None:
    key, other = OKPKey.generate_key("Ed25519"), OKPKey.generate_key("Ed25519")
    system, action, body = tagged(CHECK)
    signed = json.loads(json.dumps(engine_resolve(system, action, body)))
    Receipts(key).sign(body, signed)
    assert verify(CHECK, resolve(CHECK)).verdict == "match"
    assert verify(CHECK, {**resolve(CHECK).model_dump(by_alias=True), "total": 2}).differences == ["/total"]
    assert verify(CHECK, signed, keys=[key.as_dict(private=False)]).receipt == "valid"
    assert verify(CHECK, signed, keys=[other.as_dict(private=False)]).receipt == "unknownKey"


def test_systems_are_listed_by_the_function_and_the_package() -> None:
    assert [system.system for system in systems()] == ["jazz", "darkpages"]
    assert sys.modules["tablecall.systems"]() == library.systems()  # type: ignore[operator]


def test_names_of_the_package() -> None:
    assert set(tablecall.__all__) <= set(dir(tablecall))
    with pytest.raises(AttributeError, match="xyzzy"):
        tablecall.xyzzy  # noqa: B018


def test_importing_takes_nothing_and_using_it_no_server() -> None:
    program = f"""
import sys
import tablecall
assert not {{"pydantic", "orjson", "tablecall.library"}} & set(sys.modules)
for name in {SERVER}:
    sys.modules[name] = None
ruling = tablecall.resolve({CHECK})
assert tablecall.verify({CHECK}, ruling).verdict == "match"
print(ruling.total, tablecall.odds({CHECK}).outcomes[0].percent, len(tablecall.systems()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("7 58.3 % 2\n", "")
