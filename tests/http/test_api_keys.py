"""API keys."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.client import problem

KEY, OTHER = "a key nobody guesses", "another one"


@pytest.fixture(scope="module")
def locked() -> TestClient:
    return TestClient(create_app(Settings(api_keys=[hashlib.sha256(key.encode()).hexdigest() for key in (KEY, OTHER)])))


@pytest.mark.parametrize("path", ["/systems", "/metrics", "/openapi.json", "/graphql?query={__typename}", "/nowhere", "/version"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": f"Basic {KEY}"},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {KEY}x"},
        {"authorization": f"Bearer {hashlib.sha256(KEY.encode()).hexdigest()}"},
        [("authorization", f"Bearer {KEY}"), ("authorization", "Bearer wrong")],
    ],
)
def test_a_request_without_a_valid_key_is_refused(locked: TestClient, path: str, headers: dict[str, str]) -> None:
    answer = locked.get(path, headers=headers)
    problem(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert KEY not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "route"),
    [
        ("POST", "/resolve/jazz/check?seed=1", "/resolve/jazz/check"),
        ("GET", "/systems/jazz/rules/mine", "/systems/{system}/rules/{id}"),
        ("GET", "/systems/jazz/rules/mine/", "unmatched"),
        ("GET", "/mine", "unmatched"),
        ("DELETE", "/resolve", "unmatched"),
        ("MINE", "/resolve", "unmatched"),
    ],
)
def test_who_is_refused_is_told_of_by_route_template(method: str, path: str, route: str) -> None:
    services = Services(Settings(api_keys=["0" * 64]))
    log = io.StringIO()
    services.writer = LogWriter(log)
    problem(TestClient(create_app(services=services)).request(method, path), 401, "unauthorized")
    services.report()
    services.writer.close(10)
    (line,) = map(json.loads, log.getvalue().splitlines())
    assert (line["route"], line["status"]) == (route, 401)
    counted = services.metrics.text("")[0].decode()
    assert f'route="{route}",status="401"' in counted
    assert "mine" not in counted.lower()


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
@pytest.mark.parametrize("key", [KEY, OTHER])
def test_each_key_is_accepted(locked: TestClient, scheme: str, key: str) -> None:
    assert locked.get("/systems", headers={"authorization": f"{scheme} {key}"}).status_code == 200


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
def test_the_documented_command_makes_a_key_and_its_hash() -> None:
    (made,) = re.findall(r"^key=.*$", (Path(__file__).parents[2] / "docs" / "operating.md").read_text(encoding="utf-8"), re.MULTILINE)
    key, found = subprocess.run(["sh", "-c", made], check=True, capture_output=True, text=True).stdout.splitlines()
    opened = TestClient(create_app(Settings(api_keys=[found])))
    assert opened.get("/systems", headers={"authorization": f"Bearer {key}"}).status_code == 200


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_checks_need_no_key(locked: TestClient, path: str) -> None:
    assert locked.get(path).status_code == 200


def test_a_preflight_needs_no_key(locked: TestClient) -> None:
    preflight = {
        "origin": "https://table.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    answer = locked.options("/resolve", headers=preflight)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-headers"] == "authorization"


def test_responses_are_not_cached_for_others(locked: TestClient) -> None:
    answer = locked.get("/systems", headers={"authorization": f"Bearer {KEY}"})
    assert answer.headers["cache-control"].startswith("private, ")


@pytest.mark.parametrize("entry", ["", "secret", "A" * 64, "0" * 63])
def test_a_key_in_the_settings_must_be_a_hash(entry: str) -> None:
    with pytest.raises(ValidationError):
        Settings(api_keys=[entry])
