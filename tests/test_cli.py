"""The ``tablecall`` command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import OKPKey
from typer.testing import CliRunner

from tablecall.app import contracts
from tablecall.cli import main
from tablecall.contract import golden_rulings
from tablecall.runtime import logs, server

ROOT = Path(__file__).parents[1]
CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
run = CliRunner().invoke


# ── One request ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("verb", "key", "value"), [("resolve", "seed", "42"), ("odds", "method", "exact"), ("rolls", "complete", False)])
def test_request_is_read_from_a_file_or_from_standard_input(tmp_path: Path, verb: str, key: str, value: str) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(CHECK))
    by_file, by_input = run(main, [verb, str(file)]), run(main, [verb, "-"], input=json.dumps(CHECK))
    assert (by_file.exit_code, by_file.output) == (0, by_input.output)
    assert json.loads(by_file.output)[key] == value


@pytest.mark.parametrize("verb", ["resolve", "odds", "rolls"])
@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "not-json"), ("[]", "invalid-request"), ("{}", "invalid-request"), (json.dumps({**CHECK, "rng": "x"}), "unknown-rng")],
)
def test_refused_request_prints_the_problem_and_fails(verb: str, text: str, code: str) -> None:
    found = run(main, [verb, "-"], input=text)
    assert found.exit_code == 1
    assert json.loads(found.output)["type"] == f"./problems/{code}"


@pytest.mark.parametrize("verb", ["resolve", "odds", "rolls"])
def test_unreadable_file_is_a_usage_error(tmp_path: Path, verb: str) -> None:
    for path in (tmp_path / "nothing.json", tmp_path):
        found = run(main, [verb, str(path)])
        assert found.exit_code == 2
        assert "Traceback" not in found.output


@pytest.mark.parametrize("arguments", [["serve", "--port", "65536"], ["export", "--root", "nowhere"]])
def test_invalid_option_is_a_usage_error(arguments: list[str]) -> None:
    assert run(main, arguments).exit_code == 2


def test_help_is_shown_without_a_command() -> None:
    assert "serve" in run(main, []).output


# ── What is generated ────────────────────────────────────────────────────────────────────────────────────────────────


def test_export_writes_missing_and_stale_files_and_removes_old_ones(tmp_path: Path) -> None:
    for golden in (golden_rulings.RULINGS, golden_rulings.VECTORS.parent):  # only made with --goldens
        shutil.copytree(ROOT / golden, tmp_path / golden)
    export = ["export", "--root", str(tmp_path)]
    assert run(main, [*export, "--check"]).exit_code == 1
    first = run(main, export)
    assert (first.exit_code, first.output) == (0, f"{len(contracts())} written, 0 removed, 1 unchanged\n")
    assert all((tmp_path / path).read_bytes() == text for path, text in contracts().items())
    assert run(main, [*export, "--check"]).output == ""

    (tmp_path / "schema/json/JazzCheck.json").write_text("{}")
    (tmp_path / "schema/json/Gone.json").write_text("{}")
    (tmp_path / "openapi/notes.txt").write_text("mine")
    checked = run(main, [*export, "--check"])
    assert checked.exit_code == 1
    assert checked.output.splitlines() == [
        f"schema/json/{name}.json is out of date: run `tablecall export`" for name in ("JazzCheck", "Gone")
    ]
    assert run(main, export).output == f"1 written, 1 removed, {len(contracts())} unchanged\n"
    assert run(main, [*export, "--check"]).exit_code == 0
    assert (tmp_path / "openapi/notes.txt").read_text() == "mine"


# ── Serving ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("PORT", "http", "TABLECALL_PORT: "),
        ("MAX_BODY_BYTES", "1", "TABLECALL_MAX_BODY_BYTES: "),
        ("CORS_ORIGINS", "xyzzy", 'TABLECALL_CORS_ORIGINS: must be a JSON list, such as ["https://table.example.org"]'),
        ("API_KEYS", json.dumps(["0" * 64, "xyzzy"]), "TABLECALL_API_KEYS, entry 2: "),
        ("API_KEYS", "xyzzy", "TABLECALL_API_KEYS: must be a JSON list, "),
    ],
)
def test_invalid_setting_is_named_and_ends_the_command(monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str) -> None:
    monkeypatch.setenv(f"TABLECALL_{name}", text)
    found = run(main, ["serve"])
    assert found.exit_code == 2
    assert said in found.output
    assert "xyzzy" not in found.output


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"TABLECALL_MAX_BODY": "secret"}, ["unknown settings are ignored: TABLECALL_MAX_BODY (did you mean TABLECALL_MAX_BODY_BYTES?)"]),
        ({"TABLECALL_PORT": "1"}, []),
    ],
)
def test_unknown_settings_are_logged_at_the_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, given: dict[str, str], said: list[str]
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(server.Server, "run", lambda server: None)
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    assert run(main, ["serve"]).exit_code == 0
    assert [(record.levelname, record.message) for record in caplog.records] == [("WARNING", text) for text in said]


def test_worker_processes_do_not_inherit_the_signing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    key = OKPKey.generate_key("Ed25519").as_dict(private=True)
    for name in ("TABLECALL_SIGNING_KEY", "tablecall_signing_key"):
        monkeypatch.setenv(name, json.dumps(key))
    signing: list[bool] = []
    monkeypatch.setattr(server.Server, "run", lambda server: signing.append(server.services.receipts.signed))
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    assert run(main, ["serve"]).exit_code == 0
    assert signing == [True]
    assert "TABLECALL_SIGNING_KEY" not in {name.upper() for name in os.environ}


def test_worker_processes_do_not_import_the_server_or_cryptography() -> None:
    # A spawned process imports the main module of its parent, and what its first job needs.
    program = "import sys, tablecall.cli, tablecall.runtime.worker_pool, tablecall.engine.jobs; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.split()
    assert "pebble" in loaded
    assert not {"cryptography", "graphql", "joserfc", "opentelemetry", "prometheus_client", "starlette", "strawberry", "uvicorn"} & set(
        loaded
    )
