"""Growth breaks nothing: a copy of the tree gets a new field, a new action and a new system, and everything from before still stands.

This is the walk-through of docs/architecture.md. A system is one folder, one line in ``systems/__init__.py``, and one file of cases.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.growing import Tree, grow

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
