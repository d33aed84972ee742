"""A copy of the tree that grows: a field of a request, one of an answer, an action, and a system (see `tests/contract/test_growth.py`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def insert(path: Path, before: str, text: str) -> None:
    """Put text before the one place where another stands."""
    source = path.read_text("utf-8")
    assert source.count(before) == 1, (path, before)
    path.write_text(source.replace(before, text + before), "utf-8")


class Tree:
    """A copy of the service, its contracts and its tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__", ".venv"))
            else:
                shutil.copy(source, root / name)

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which Python imports this tree."""
        return {**os.environ, "PYTHONPATH": f"{self.root / 'service'}{os.pathsep}{self.root}"}

    def run(self, *command: str, sent: str = "") -> str:
        """Run a command of Python in the tree; it must succeed."""
        done = subprocess.run([sys.executable, *command], cwd=self.root, env=self.environment, input=sent, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def export(self, *options: str) -> str:
        return self.run("-c", "from tablecall.export import main; main()", *options)

    def signed(self, documents: list[Any]) -> list[Any]:
        """Requests resolved and signed, or rulings verified."""
        return [json.loads(line) for line in self.run("-c", SIGN, sent=json.dumps(documents)).splitlines()]


def grow(tree: Tree) -> None:
    """Add a field to a request, a member to an answer, an action to Jazz, and a system."""
    package = tree.root / "service" / "tablecall"
    insert(package / "model" / "ruling.py", "    kept: bool\n", '    colour: str | None = None\n    """Its colour."""\n')
    insert(package / "engine" / "rulings.py", '"kept": die.kept,', '"colour": None, ')
    systems = package / "systems"
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
