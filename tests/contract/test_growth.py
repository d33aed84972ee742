"""Growth breaks nothing: a copy of the tree gets a new field, a new action and a new system, and everything from before still stands.

This is the walk-through of docs/architecture.md. A system is one folder, one line in ``systems/__init__.py``, and one file of cases.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
D20 = ROOT / "tests" / "support" / "d20"
COPIED = ("service", "tests", "schema", "openapi", "pyproject.toml")
SIGN = """
import json, sys
from joserfc.jwk import OKPKey
from tablecall.engine import receipts, resolve, verify
from tablecall.engine.requests import tagged
desk = receipts.Receipts(OKPKey.import_key(json.load(open("key.json"))))
for request in json.load(sys.stdin):
    if "ruling" in request:
        print(json.dumps(verify.verify(request, desk)))
    else:
        system, action, body = tagged(request)
        ruling = resolve(system, action, body)
        desk.sign(body, ruling)
        print(json.dumps(ruling))
"""
ANSWERS = """
import json
from starlette.testclient import TestClient
from tablecall.app import create_app
from tablecall.settings import Settings
with TestClient(create_app(Settings(odds_workers=0))) as client:
    body = {"hero": {"name": "Ida", "bonus": 3}, "target": 12, "seed": 20}
    query = "mutation($request: ResolveRequest!) { resolve(request: $request) { outcome total } }"
    print(json.dumps({
        "tag": client.post("/resolve", json={"action": "d20.check", **body}).json(),
        "path": client.post("/resolve/d20/check", json=body).json(),
        "query": client.get("/resolve/d20/check?hero.name=Ida&hero.bonus=3&target=12&seed=20").json(),
        "odds": client.post("/odds/d20/check", json=body).json(),
        "rolls": client.post("/rolls", json={"action": "d20.check", **body}).json(),
        "graphql": client.post("/graphql", json={"query": query, "variables": {"request": {"d20Check": body}}}).json(),
        "german": client.post("/resolve", json={"action": "d20.check", **body, "language": "de"}).json(),
        "systems": [system["system"] for system in client.get("/systems").json()["systems"]],
    }))
"""


def insert(path: Path, before: str, text: str) -> None:
    """Put text before the one place where another stands."""
    source = path.read_text("utf-8")
    assert source.count(before) == 1, (path, before)
    path.write_text(source.replace(before, text + before), "utf-8")


class Tree:
    """A copy of the service, its contracts and its tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__", ".venv"))
            else:
                shutil.copy(source, root / name)

    def run(self, *command: str, sent: str = "") -> str:
        """Run a command of Python in the tree; it must succeed."""
        environment = {**os.environ, "PYTHONPATH": f"{self.root / 'service'}{os.pathsep}{self.root}"}
        done = subprocess.run([sys.executable, *command], cwd=self.root, env=environment, input=sent, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def export(self, *options: str) -> str:
        return self.run("-c", "from tablecall.cli import main; main()", "export", *options)

    def signed(self, documents: list[Any]) -> list[Any]:
        """Requests resolved and signed, or rulings verified."""
        return [json.loads(line) for line in self.run("-c", SIGN, sent=json.dumps(documents)).splitlines()]


def grow(tree: Tree) -> None:
    """A field and an action of Jazz, and a system."""
    systems = tree.root / "service" / "tablecall" / "systems"
    jazz = systems / "jazz"
    insert(jazz / "sheet.py", "    universal: bool = False\n", '    mood: int = 0\n    """How they feel."""\n')
    insert(
        jazz / "rules.toml",
        "[actions.complication]",
        '[actions.praise]\ntitle = "Praise"\ntext = "Karma by another name."\noutcomes = ["granted", "cancelled", "unchanged"]\n\n',
    )
    insert(jazz / "karma.py", "def karma(request", 'class JazzPraise(JazzKarma):\n    """Karma by another name."""\n\n\n')
    insert(
        jazz / "__init__.py",
        '    _BOOK.action("karma",',
        '    _BOOK.action("praise", karma.JazzPraise, karma.karma, karma.karma_summary),\n',
    )
    examples = json.loads((jazz / "examples.json").read_text())
    examples["examples"]["praise"] = examples["examples"]["karma"]
    (jazz / "examples.json").write_text(json.dumps(examples))
    shutil.copytree(D20, systems / "d20", ignore=shutil.ignore_patterns("cases.json", "__pycache__"))
    insert(systems / "__init__.py", '    "darkpages",\n', '    "d20",\n')
    shutil.copy(D20 / "cases.json", tree.root / "tests" / "cases" / "d20.json")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.json")}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tree, list[Any], dict[str, bytes]]:
    """The tree after it grew, what it signed before, and its golden rulings of before."""
    tree = Tree(tmp_path_factory.mktemp("grown"))
    (tree.root / "key.json").write_text(json.dumps(KEY))
    goldens = contents(tree.root / "schema" / "rulings")
    requests = [json.loads(text)["request"] for text in goldens.values()]
    before = [{"request": request, "ruling": ruling} for request, ruling in zip(requests, tree.signed(requests), strict=True)]
    grow(tree)
    tree.export()
    tree.export("--goldens")
    return tree, before, goldens


KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}
"""The example of RFC 8037."""


def test_golden_rulings_stand(grown: tuple[Tree, list[Any], dict[str, bytes]]) -> None:
    tree, _, goldens = grown
    now = contents(tree.root / "schema" / "rulings")
    assert {name: now[name] for name in goldens} == goldens
    added = set(now) - set(goldens)
    assert {"d20.check.success.json", "d20.check.failure.json", "jazz.praise.granted.json"} <= added
    tree.export("--check")


def test_receipts_of_before_are_valid(grown: tuple[Tree, list[Any], dict[str, bytes]]) -> None:
    tree, before, _ = grown
    for document, found in zip(before, tree.signed(before), strict=True):
        assert (found["verdict"], found["receipt"], found["differences"]) == ("match", "valid", []), document["request"]


def test_verifiers_know_the_new_dice(grown: tuple[Tree, list[Any], dict[str, bytes]]) -> None:
    tree, _, _ = grown
    files = [f"schema/rulings/{name}" for name in contents(tree.root / "schema" / "rulings")]
    tree.run("schema/dice/verify.py", *files)
    done = subprocess.run(["node", "schema/dice/verify.mjs", *files], cwd=tree.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_endpoint_knows_the_new_system(grown: tuple[Tree, list[Any], dict[str, bytes]]) -> None:
    tree, _, _ = grown
    answers = json.loads(tree.run("-c", ANSWERS).splitlines()[-1])
    ruling = answers["tag"]
    assert answers["path"] == answers["query"] == ruling
    assert answers["graphql"] == {"data": {"resolve": {"outcome": ruling["outcome"], "total": ruling["total"]}}}
    assert [(row["outcome"], row["fraction"]) for row in answers["odds"]["outcomes"]] == [("success", "3/5"), ("failure", "2/5")]
    assert answers["rolls"]["needed"] == [{"roll": "hero", "name": "Ida", "dice": "1d20", "sides": 20, "count": 1}]
    assert answers["german"]["outcomeText"] in ("Erfolg", "Fehlschlag")
    assert answers["systems"] == ["jazz", "d20", "darkpages"]


def test_tests_of_every_system_pass(grown: tuple[Tree, list[Any], dict[str, bytes]]) -> None:
    """Those that a new system gets at once: the contract of its actions, its rule book, its texts, and its cases."""
    tree, _, _ = grown
    files = ("tests/systems/test_contract.py", "tests/systems/test_rulebooks.py", "tests/systems/test_inner.py", "tests/test_cases.py")
    tree.run("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", "d20 or praise", *files)
