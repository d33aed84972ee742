"""API keys."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.settings import Settings
from tests.support.client import problem
from tests.support.log import LoggingClient

KEY, OTHER = "a key nobody guesses", "another one"
HASHES = [hashlib.sha256(key.encode()).hexdigest() for key in (KEY, OTHER)]


@pytest.fixture(scope="module")
def locked() -> TestClient:
    """A service that requires one of two keys."""
    return TestClient(create_app(Settings(api_keys=HASHES)))


@pytest.mark.parametrize("path", ["/systems", "/metrics", "/openapi.json", "/graphql?query={__typename}", "/nowhere", "/version"])
@pytest.mark.parametrize(
    "authorization",
    [
        [],
        ["Bearer"],
        [f"Basic {KEY}"],
        ["Bearer wrong"],
        [f"Bearer {KEY}x"],
        [f"Bearer {HASHES[0]}"],
        [f"Bearer {KEY}", "Bearer wrong"],
    ],
)
def test_request_without_valid_key_is_refused(locked: TestClient, path: str, authorization: list[str]) -> None:
    answer = locked.get(path, headers=[("authorization", value) for value in authorization])
    problem(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
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
def test_refused_request_is_logged_and_counted_by_route_template(method: str, path: str, route: str) -> None:
    client = LoggingClient(api_keys=["0" * 64])
    problem(client.request(method, path), 401, "unauthorized")
    (line,) = map(json.loads, client.log)
    assert (line["route"], line["status"]) == (route, 401)
    metrics = client.services.metrics.text("")[0].decode()
    assert f'route="{route}",status="401"' in metrics
    assert "mine" not in metrics.lower()


@pytest.mark.parametrize(("scheme", "key"), [("Bearer", KEY), ("bearer", OTHER)])
def test_each_key_is_accepted_and_its_responses_are_private(locked: TestClient, scheme: str, key: str) -> None:
    answer = locked.get("/systems", headers={"authorization": f"{scheme} {key}"})
    assert answer.status_code == 200
    assert answer.headers["cache-control"].startswith("private, ")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_documented_command_makes_key_and_hash() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "operating.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^key=.*$", guide, re.MULTILINE)
    key, digest = subprocess.run(["sh", "-c", command], check=True, capture_output=True, text=True).stdout.splitlines()
    client = TestClient(create_app(Settings(api_keys=[digest])))
    assert client.get("/systems", headers={"authorization": f"Bearer {key}"}).status_code == 200


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_checks_need_no_key(locked: TestClient, path: str) -> None:
    assert locked.get(path).status_code == 200


def test_preflight_needs_no_key(locked: TestClient) -> None:
    headers = {"origin": "https://table.example", "access-control-request-method": "POST"}
    answer = locked.options("/resolve", headers={**headers, "access-control-request-headers": "authorization"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-headers"] == "authorization"


@pytest.mark.parametrize("entry", ["", "secret", "A" * 64, "0" * 63])
def test_key_in_settings_must_be_a_hash(entry: str) -> None:
    with pytest.raises(ValidationError):
        Settings(api_keys=[entry])


@pytest.mark.parametrize("path", ["/", "/play", "/characters", "/docs", "/systems", "/systems/jazz/rules", "/problems", "/graphql"])
def test_browser_opens_a_page_without_a_key(locked: TestClient, path: str) -> None:
    page = locked.get(path, headers={"accept": "text/html"})
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    if path not in ("/", "/play", "/characters", "/docs"):
        problem(locked.get(path, headers={"accept": "application/json"}), 401, "unauthorized")
    problem(locked.post(path, headers={"accept": "text/html"}), 401, "unauthorized")


def test_files_of_the_pages_need_no_key(locked: TestClient) -> None:
    assert locked.get("/static/requests.json").status_code == 200
    problem(locked.get("/static/nothing.js"), 404, "not-found")
    problem(locked.get("/graphql?query={__typename}", headers={"accept": "text/html"}), 401, "unauthorized")
