"""The ``tablecall`` command."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from joserfc.jwk import OKPKey
from typer.testing import CliRunner

from tablecall import cli, resolve
from tablecall.__main__ import main as command
from tablecall.app import contracts
from tablecall.cli import _tags, main
from tablecall.contract import golden_rulings
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import VERSION, odds
from tablecall.engine.requests import tagged
from tablecall.export import main as export_command
from tablecall.runtime import logs, server
from tablecall.terminal import with_progress

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
    assert (found.exit_code, found.stdout) == (1, "")
    assert json.loads(found.stderr)["type"] == f"./problems/{code}"


@pytest.mark.parametrize("verb", ["resolve", "odds", "rolls"])
def test_unreadable_file_is_a_usage_error(tmp_path: Path, verb: str) -> None:
    for path in (tmp_path / "nothing.json", tmp_path):
        found = run(main, [verb, str(path)])
        assert found.exit_code == 2
        assert "Traceback" not in found.output


@pytest.mark.parametrize("arguments", [["serve", "--port", "65536"], ["roll", "--text", "--json", "jazz.karma"]])
def test_invalid_option_is_a_usage_error(arguments: list[str]) -> None:
    assert run(main, arguments).exit_code == 2


def test_help_is_shown_without_a_command() -> None:
    assert "serve" in run(main, []).output


# ── What is generated ────────────────────────────────────────────────────────────────────────────────────────────────


def test_export_writes_missing_and_stale_files_and_removes_old_ones(tmp_path: Path) -> None:
    for golden in (golden_rulings.RULINGS, golden_rulings.VECTORS.parent):  # only made with --goldens
        shutil.copytree(ROOT / golden, tmp_path / golden)
    export = ["--root", str(tmp_path)]
    assert run(export_command, [*export, "--check"]).exit_code == 1
    first = run(export_command, export)
    assert (first.exit_code, first.output) == (0, f"{len(contracts())} written, 0 removed, 1 unchanged\n")
    assert all((tmp_path / path).read_bytes() == text for path, text in contracts().items())
    assert run(export_command, [*export, "--check"]).output == ""

    (tmp_path / "schema/json/JazzCheck.json").write_text("{}")
    (tmp_path / "schema/json/Gone.json").write_text("{}")
    (tmp_path / "openapi/notes.txt").write_text("mine")
    checked = run(export_command, [*export, "--check"])
    assert checked.exit_code == 1
    assert checked.output.splitlines() == [f"schema/json/{name}.json is out of date: run `make export`" for name in ("JazzCheck", "Gone")]
    assert run(export_command, export).output == f"1 written, 1 removed, {len(contracts())} unchanged\n"
    assert run(export_command, [*export, "--check"]).exit_code == 0
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


# ── Words instead of files ───────────────────────────────────────────────────────────────────────────────────────────


ROLL = ["roll", "jazz.check", "actor.bonus=3", "difficulty=10", "seed=42"]


def test_fields_are_those_of_a_query(tmp_path: Path) -> None:
    by_words, by_file = run(main, ROLL), run(main, ["roll", "-"], input=json.dumps(CHECK))
    assert (by_words.exit_code, by_words.output) == (0, by_file.output)
    file = tmp_path / "request.json"
    file.write_text(json.dumps(CHECK))
    replaced = json.loads(run(main, ["roll", str(file), "actor.bonus=5", "language="]).output)
    assert (replaced["rolls"][0]["modifier"], replaced["seed"]) == (5, "42")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([*ROLL, "--text"], "actor: 7 against 10, failure"),
        ([*ROLL, "--markdown"], "actor: 7 against 10, **failure**\nactor 2 \\+ 2 \\+ 3 = 7"),
        (["odds", *ROLL[1:], "--text"], "success 58.3 %, failure 41.7 %"),
        (["odds", *ROLL[1:], "--markdown"], "**success** 58.3 %, **failure** 41.7 %"),
        (["rolls", *ROLL[1:], "--text"], "actor: 2d6 for actor"),
        (["rolls", "jazz.complication", "character.name=Rook", "character.aspects.0.name=a", "character.aspects.0.bonus=1",
          "character.complication=wanted", "--text"], "all dice are there"),
    ],
)  # fmt: skip
def test_one_line(words: list[str], text: str) -> None:
    found = run(main, words)
    assert (found.exit_code, found.output.strip()) == (0, text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["roll", "jazz.check", "actor.bonus"], "actor.bonus is no field"),
        (["rules", "jazz.karma.rescu"], "did you mean jazz.karma.rescue?"),
        (["rules", "xyzzy"], "no rule is called xyzzy"),
        (["example", "jazz.chek"], "did you mean jazz.check?"),
        (["example", "xyzzy"], "see tablecall systems"),
        (["example", "jazz.check", "99"], "jazz.check has "),
    ],
)
def test_wrong_words_are_a_usage_error(words: list[str], said: str) -> None:
    found = run(main, words, env={"COLUMNS": "200"})
    assert found.exit_code == 2
    assert said in found.stderr


def test_refusal_in_words_says_how_to_fix_it() -> None:
    found = run(main, ["roll", "jazz.check", "actor.bonus=x", "difficulty=10", "--text"])
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines()[:2] == ["Validation Failed", "/actor/bonus `bonus` must be a whole number"]
    assert "the published schema" in found.stderr
    assert run(main, ["roll", "xyzzy", "a=1", "--text"]).stderr.startswith("Validation Failed\n/action there is no action “xyzzy”")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_of_windows_are_read(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "request.json"
    file.write_bytes(json.dumps(CHECK).encode(encoding))
    assert run(main, ["roll", str(file), "--text"]).output.strip() == "actor: 7 against 10, failure"


def test_broken_utf_16_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    file.write_bytes(b"\xff\xfe\x00")
    assert run(main, ["roll", str(file), "--text"]).exit_code == 1


def test_standard_input_is_read_without_a_name() -> None:
    assert run(main, ["roll", "--text"], input=json.dumps(CHECK)).output.strip() == "actor: 7 against 10, failure"


def test_version_and_completion() -> None:
    assert run(main, ["--version"]).output == f"tablecall {VERSION}\n"
    assert _tags("jazz.ch") == ["jazz.check", "jazz.character"]


@pytest.mark.parametrize("arguments", [["systems"], ["rules"], ["rules", "darkpages"], ["rules", "jazz.karma.rescue"], ["settings"]])
def test_lists_are_json_and_name_what_the_service_knows(arguments: list[str]) -> None:
    [(key, rows)] = json.loads(run(main, arguments).output).items()
    assert key == arguments[0]
    assert rows


@pytest.mark.parametrize("tag", PUBLISHED)
def test_every_example_can_be_rolled(tag: str) -> None:
    for number in range(1, len(PUBLISHED[tag].action.examples) + 1):
        text = run(main, ["example", tag, str(number)]).output
        assert run(main, ["roll", "--text"], input=text).exit_code == 0


@pytest.mark.parametrize(("name", "said"), [("typer", "tablecall[cli]"), ("rich", "tablecall[cli]"), ("starlette", "tablecall[server]")])
def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    def missing() -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(cli, "main", missing)
    with pytest.raises(SystemExit, match=re.escape(said)):
        command()


@pytest.mark.parametrize(
    ("module", "said"), [("tablecall", "Roll: resolve one request"), ("tablecall.export", "Write the generated files")]
)
def test_commands_run_as_modules(module: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True)
    assert said in done.stdout


# ── At a terminal ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a command shows at a terminal 200 columns wide, without the colours."""

    def shown(*words: str) -> str:
        monkeypatch.setattr(cli, "_form", lambda *_: "terminal")
        found = run(main, words, env={"COLUMNS": "200"})
        assert found.exit_code == 0, found.output
        return found.output

    return shown


def test_ruling_is_shown_with_dice_rules_and_options(terminal: Callable[..., str]) -> None:
    sheet = ("name=Rook", "aspects.0.name=driver", "aspects.0.bonus=3")
    rook = (*(f"actor.character.{field}" for field in sheet), "actor.using=driver")
    shown = terminal("roll", "jazz.check", *rook, "difficulty=15", "seed=42", "include=options")
    assert shown.translate({0x2068: None, 0x2069: None}).splitlines()[0] == "Rook: 7 against 15, failure"
    for part in ("+3 = 7", "jazz.check.success", "? ", "%", "seed 42"):
        assert part in shown
    assert "(0)" in terminal("roll", "darkpages.check", "actor.pool.roll=6", "actor.pool.keep=2", "targetNumber=9", "seed=5")


def test_odds_are_shown_as_bars(terminal: Callable[..., str], tmp_path: Path) -> None:
    shown = terminal("odds", "jazz.check", "actor.bonus=3", "difficulty=10")
    assert [line.split()[0] for line in shown.splitlines()] == ["success", "failure", "exact"]
    assert "━" in shown
    fight = json.dumps({"action": "jazz.fight", **next(iter(PUBLISHED["jazz.fight"].action.examples.values()))})
    file = tmp_path / "fight.json"
    file.write_text(fight)
    assert "rounds on average" in terminal("odds", str(file), "method=simulation", "trials=100", "seed=1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rolls", *ROLL[1:]], "actor rolls 2d6"),
        (["systems"], "jazz.check"),
        (["rules", "jazz.karma.rescue"], "Any failed roll can be rescued"),
        (["rules", "jazz.karma"], "jazz.karma.neutral"),
        (["settings"], "TABLECALL_PORT"),
    ],
)
def test_other_answers_are_shown_in_words(terminal: Callable[..., str], words: list[str], said: str) -> None:
    assert said in terminal(*words)


def test_verification_is_shown_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cli, "_form", lambda *_: "terminal")
    ruling = resolve(CHECK).model_dump(mode="json", by_alias=True)
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"request": CHECK, "ruling": ruling}))
    assert "match  receipt: none" in run(main, ["verify", str(file)]).output
    file.write_text(json.dumps({"request": CHECK, "ruling": {**ruling, "total": 1}}))
    found = run(main, ["verify", str(file)])
    assert found.exit_code == 1
    assert "/total differs" in found.output


@pytest.mark.parametrize("method", ["auto", "simulation"])
def test_progress_of_a_simulation_changes_nothing(method: str) -> None:
    asked = tagged({**CHECK, "method": method, "trials": 3000})
    assert with_progress(*asked) == odds(*asked)


def test_simulation_at_a_terminal_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    stderr.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(cli, "_print", lambda result, form: printed.append(result.get("trials")))
    printed: list[int] = []
    for words, trials in ((["method=simulation", "trials=500"], [500]), (["method=exact"], [500, None])):
        with pytest.raises(typer.Exit):
            cli.odds([*ROLL[1:], *words])
        assert printed == trials


def test_nothing_typed_at_a_terminal_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.StringIO()
    stdin.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(typer.BadParameter, match="name an action or a file"):
        cli.roll()


def test_progress_is_shown_for_what_is_too_large_to_count() -> None:
    people = [{"id": str(n), "side": "ab"[n % 2], "actor": {"character": {"name": f"N{n}", "aspects": [{"name": "a", "bonus": 3}],
               "survivalAspect": "a"}, "using": ["a"]}} for n in range(6)]  # fmt: skip
    assert with_progress(*tagged({"action": "jazz.fight", "combatants": people, "trials": 100}))["method"] == "simulation"


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("::1", "[::1]"), ("table.local", "table.local")])
def test_page_is_opened_at_an_address_of_this_machine(monkeypatch: pytest.MonkeyPatch, host: str, shown: str) -> None:
    started: list[tuple[Any, ...]] = []

    class Timer:
        daemon = False

        def __init__(self, _: float, __: object, arguments: tuple[Any, ...]) -> None:
            self.arguments = arguments

        def start(self) -> None:
            started.append(self.arguments)

    monkeypatch.setattr(threading, "Timer", Timer)
    monkeypatch.setattr(server.Server, "run", lambda server: None)
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    assert run(main, ["serve", "--open", "--host", host, "--port", "8123"]).exit_code == 0
    assert started == [(f"http://{shown}:8123/",)]
