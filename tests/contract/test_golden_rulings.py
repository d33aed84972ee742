"""Golden rulings and dice vectors: each is valid, missing ones are made, and none is ever rewritten.

That none is missing or differs is checked by `make lint`.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tablecall import export
from tablecall.contract import golden_rulings
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine.receipts import NO_RECEIPTS
from tablecall.engine.verify import verify
from tests.contract.test_published_shapes import validate_request, validate_ruling

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / golden_rulings.RULINGS).glob("*.json"))


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_ruling_is_valid_and_verifies(path: Path) -> None:
    golden = read(path)
    assert list(golden) == ["request", "ruling"]
    assert path.name.startswith(golden["request"]["action"] + ".")
    assert isinstance(golden["request"]["seed"], str | int)
    validate_request(golden["request"])
    validate_ruling(golden["ruling"])
    assert verify(golden, NO_RECEIPTS)["verdict"] == "match"


# ── check and make ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("schema/rulings", "schema/dice"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def success(root: Path) -> Path:
    return root / golden_rulings.RULINGS / "jazz.check.success.json"


def test_changed_ruling_is_reported_and_not_rewritten(root: Path) -> None:
    golden = read(success(root))
    golden["ruling"]["summary"] = "in other words"
    golden["ruling"]["later"] = None
    success(root).write_text(json.dumps(golden))
    assert list(golden_rulings.check(root)) == []
    golden["ruling"]["total"] += 1
    success(root).write_text(json.dumps(golden))
    (sentence,) = golden_rulings.check(root)
    assert "jazz.check.success.json" in sentence
    assert list(golden_rulings.make(root)) == []
    assert read(success(root)) == golden


def test_request_that_is_refused_now_is_reported(root: Path) -> None:
    golden = read(success(root))
    golden["request"]["actor"] = 5
    success(root).write_text(json.dumps(golden))
    assert len(list(golden_rulings.check(root))) == 1


def test_version_is_not_compared(root: Path) -> None:
    golden = read(success(root))
    golden["ruling"]["version"] = "99.0.0"
    success(root).write_text(json.dumps(golden))
    assert list(golden_rulings.check(root)) == []


def test_file_with_only_a_request_gets_its_ruling(root: Path) -> None:
    golden = read(success(root))
    path = root / golden_rulings.RULINGS / "jazz.check.another.json"
    path.write_text(json.dumps({"request": golden["request"]}))
    (sentence,) = golden_rulings.check(root)
    assert "jazz.check.another.json" in sentence
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.check.another.json written"]
    assert read(path)["ruling"] | {"version": None} == golden["ruling"] | {"version": None}


def test_missing_outcome_is_reported_and_made_from_an_example(root: Path) -> None:
    success(root).unlink()
    (sentence,) = golden_rulings.check(root)
    assert "jazz.check for the outcome success" in sentence
    assert golden_rulings.COMMAND in sentence
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.check.success.json written"]
    assert list(golden_rulings.check(root)) == []


def test_outcome_that_no_example_gives_must_be_written_by_hand(root: Path) -> None:
    (root / golden_rulings.RULINGS / "jazz.check.impossible.json").unlink()
    (sentence,) = golden_rulings.make(root)
    assert 'write schema/rulings/jazz.check.impossible.json as {"request": …}' in sentence


def test_example_that_keeps_certain_dice_is_skipped_on_other_dice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = PUBLISHED["darkpages.check"]
    picked = {"actor": {"pool": {"roll": 4, "keep": 2}, "keepDice": [0]}, "targetNumber": 5}
    plain = {"actor": {"pool": {"roll": 4, "keep": 2}}, "targetNumber": 5}
    changed = replace(published, action=replace(published.action, examples={"picked": picked, "plain": plain}))
    monkeypatch.setitem(PUBLISHED, "darkpages.check", changed)
    (root / golden_rulings.RULINGS / "darkpages.check.success.json").unlink()
    assert list(golden_rulings.make(root)) == ["schema/rulings/darkpages.check.success.json written"]
    assert "keepDice" not in read(root / golden_rulings.RULINGS / "darkpages.check.success.json")["request"]["actor"]


def test_action_without_fixed_outcomes_needs_one_golden_ruling(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = PUBLISHED["jazz.initiative"]
    monkeypatch.setitem(PUBLISHED, "jazz.initiative", replace(published, action=replace(published.action, outcomes=())))
    assert list(golden_rulings.check(root)) == []
    for path in (root / golden_rulings.RULINGS).glob("jazz.initiative*"):
        path.unlink()
    (sentence,) = golden_rulings.check(root)
    assert "jazz.initiative:" in sentence
    assert list(golden_rulings.make(root)) == ["schema/rulings/jazz.initiative.json written"]


def test_vectors_are_added_but_never_changed(root: Path) -> None:
    path = root / golden_rulings.VECTORS
    document = read(path)
    path.write_text(json.dumps(document | {"vectors": document["vectors"][1:]}))
    assert str(golden_rulings.VECTORS) in next(golden_rulings.check(root))
    assert list(golden_rulings.make(root)) == [f"{golden_rulings.VECTORS} written"]
    assert path.read_bytes() == (ROOT / golden_rulings.VECTORS).read_bytes()

    wrong = document | {"vectors": [document["vectors"][0] | {"faces": [6, 6]}]}
    path.write_text(json.dumps(wrong))
    assert list(golden_rulings.make(root)) == []
    assert read(path) == wrong

    path.unlink()
    (sentence,) = golden_rulings.check(root)
    assert str(golden_rulings.VECTORS) in sentence
    assert list(golden_rulings.make(root)) == [f"{golden_rulings.VECTORS} written"]


def test_remake_replaces_what_differs_and_removes_what_is_refused(root: Path) -> None:
    folder = root / golden_rulings.RULINGS
    original, untouched = read(success(root)), read(folder / "jazz.check.failure.json")
    success(root).write_text(json.dumps({**original, "ruling": {**original["ruling"], "total": 99}}))
    refused = folder / "jazz.check.refused.json"
    refused.write_text(json.dumps({"request": {"action": "jazz.check"}, "ruling": original["ruling"]}))
    result = CliRunner().invoke(export.main, ["--root", str(root), "--goldens", "--remake"])
    told = [line for line in result.stdout.splitlines() if line.startswith("schema/rulings")]
    assert told == [
        "schema/rulings/jazz.check.refused.json removed: its request is refused now",
        "schema/rulings/jazz.check.success.json written",
    ]
    assert (read(success(root)), read(folder / "jazz.check.failure.json")) == (original, untouched)
    assert not refused.exists()


def test_export_command_checks_and_makes_goldens(root: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(export.main, ["--root", str(root), *arguments])
        return result.exit_code, result.stdout

    success(root).unlink()
    code, output = run()
    assert (code, "rulings" in output) == (0, False)
    code, output = run("--check")
    assert (code, golden_rulings.COMMAND in output) == (1, True)
    code, output = run("--goldens")
    assert (code, "schema/rulings/jazz.check.success.json written" in output) == (0, True)
    assert run("--check")[0] == 0


def test_sentences_show_what_stands_in_both_languages(root: Path) -> None:
    text = golden_rulings.sentences(root).decode()
    assert text.count("\n## ") == text.count("\n- en: ") == text.count("\n- de: ") == len(GOLDEN)
    success(root).write_text(json.dumps({"request": {"action": "jazz.check", "nonsense": True}, "ruling": {}}))
    assert golden_rulings.sentences(root).decode().count("\n## ") == len(GOLDEN) - 1
