"""The golden rulings and vectors under ``schema/``: each still stands, every action and outcome has one, none is ever rewritten."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from tablecall import cli
from tablecall.contract import golden_rulings, json_schema
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine.receipts import NO_RECEIPTS
from tablecall.engine.verify import verify

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / golden_rulings.RULINGS).glob("*.json"))


def named(path: Path) -> str:
    return path.stem


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_nothing_is_missing_and_nothing_has_changed() -> None:
    """What is said here names the command that makes what is missing: `tablecall export --goldens`."""
    assert list(golden_rulings.check(ROOT)) == []


@pytest.mark.parametrize("path", GOLDEN, ids=named)
def test_a_golden_is_a_request_with_its_ruling(path: Path) -> None:
    golden = read(path)
    assert list(golden) == ["request", "ruling"]
    assert path.name.startswith(golden["request"]["action"] + ".")
    assert isinstance(golden["request"]["seed"], str | int)
    published = PUBLISHED[golden["request"]["action"]]
    Draft202012Validator(json_schema.standalone(f"{published.name}Request")).validate(golden["request"])
    Draft202012Validator(json_schema.standalone(f"{published.name}Ruling")).validate(golden["ruling"])
    assert verify(golden, NO_RECEIPTS)["verdict"] == "match"


# ── Made where missing, never rewritten ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("schema/rulings", "schema/dice"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def some(root: Path) -> Path:
    return root / golden_rulings.RULINGS / "jazz.check.success.json"


def test_a_change_is_named_and_left_alone(root: Path) -> None:
    golden = read(some(root))
    golden["ruling"]["summary"] = "in other words"
    some(root).write_text(json.dumps(golden))
    (sentence,) = golden_rulings.check(root)
    assert sentence.startswith("schema/rulings/jazz.check.success.json is not what the service rules now.")
    assert golden_rulings.COMMAND in sentence
    assert list(golden_rulings.make(root)) == []
    assert read(some(root)) == golden


def test_a_request_that_is_refused_now_is_named(root: Path) -> None:
    golden = read(some(root))
    golden["request"]["actor"] = 5
    some(root).write_text(json.dumps(golden))
    assert len(list(golden_rulings.check(root))) == 1


def test_another_version_breaks_no_golden(root: Path) -> None:
    golden = read(some(root))
    golden["ruling"]["version"] = "99.0.0"
    some(root).write_text(json.dumps(golden))
    assert list(golden_rulings.check(root)) == []


def test_a_request_alone_is_one_to_be_made(root: Path) -> None:
    golden = read(some(root))
    path = root / golden_rulings.RULINGS / "jazz.check.another.json"
    path.write_text(json.dumps({"request": golden["request"]}))
    (sentence,) = golden_rulings.check(root)
    assert sentence == f"schema/rulings/jazz.check.another.json has no ruling yet: `{golden_rulings.COMMAND}` makes it"
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.check.another.json written"]
    assert read(path)["ruling"] | {"version": None} == golden["ruling"] | {"version": None}


def test_an_outcome_without_a_golden_is_named_and_made_of_an_example(root: Path) -> None:
    some(root).unlink()
    (sentence,) = golden_rulings.check(root)
    assert "jazz.check for the outcome success" in sentence
    assert golden_rulings.COMMAND in sentence
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.check.success.json written"]
    assert list(golden_rulings.check(root)) == []


def test_an_outcome_no_example_gives_is_asked_for(root: Path) -> None:
    (root / golden_rulings.RULINGS / "jazz.check.impossible.json").unlink()
    (sentence,) = golden_rulings.make(root)
    assert 'write schema/rulings/jazz.check.impossible.json as {"request": …}' in sentence


def test_an_example_with_a_hand_picked_for_its_dice_is_passed_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = PUBLISHED["darkpages.check"]
    picked = {"actor": {"pool": {"roll": 4, "keep": 2}, "keepDice": [0]}, "targetNumber": 5}
    plain = {"actor": {"pool": {"roll": 4, "keep": 2}}, "targetNumber": 5}
    changed = replace(published, action=replace(published.action, examples={"picked": picked, "plain": plain}))
    monkeypatch.setitem(PUBLISHED, "darkpages.check", changed)
    (root / golden_rulings.RULINGS / "darkpages.check.success.json").unlink()
    assert list(golden_rulings.make(root)) == ["schema/rulings/darkpages.check.success.json written"]
    assert "keepDice" not in read(root / golden_rulings.RULINGS / "darkpages.check.success.json")["request"]["actor"]


def test_an_action_whose_outcomes_are_the_callers_words_needs_one_of_any(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = PUBLISHED["jazz.initiative"]
    monkeypatch.setitem(PUBLISHED, "jazz.initiative", replace(published, action=replace(published.action, outcomes=())))
    assert list(golden_rulings.check(root)) == []
    for path in (root / golden_rulings.RULINGS).glob("jazz.initiative*"):
        path.unlink()
    (sentence,) = golden_rulings.check(root)
    assert sentence.startswith("there is no golden ruling of jazz.initiative: ")
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.initiative.json written"]


def test_vectors_are_added_to_but_never_changed(root: Path) -> None:
    path = root / golden_rulings.VECTORS
    whole = read(path)
    path.write_text(json.dumps(whole | {"vectors": whole["vectors"][1:]}))
    assert golden_rulings.COMMAND in next(golden_rulings.check(root))
    assert list(golden_rulings.make(root)) == [f"{golden_rulings.VECTORS} written"]
    assert path.read_bytes() == (ROOT / golden_rulings.VECTORS).read_bytes()

    bent = whole | {"vectors": [whole["vectors"][0] | {"faces": [6, 6]}]}
    path.write_text(json.dumps(bent))
    assert list(golden_rulings.make(root)) == []
    assert read(path) == bent

    path.unlink()
    assert list(golden_rulings.check(root)) == [f"{golden_rulings.VECTORS} is missing: `{golden_rulings.COMMAND}` makes it"]
    assert list(golden_rulings.make(root)) == [f"{golden_rulings.VECTORS} written"]


def test_the_command_makes_and_checks(root: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        found = CliRunner().invoke(cli.main, ["export", "--root", str(root), *arguments])
        return found.exit_code, found.stdout

    some(root).unlink()
    code, said = run()
    assert code == 0
    assert "rulings" not in said
    code, said = run("--check")
    assert code == 1
    assert golden_rulings.COMMAND in said
    code, said = run("--goldens")
    assert code == 0
    assert "schema/rulings/jazz.check.success.json written" in said
    assert run("--check")[0] == 0
