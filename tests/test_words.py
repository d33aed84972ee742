"""The word list of ``make lint``: what it finds, and where it looks."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", ROOT / ".ci" / "words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


words = _module()


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("Whoever sends it", [(1, "Whoever")]),
        ("first line\nthe dear_odds are here", [(2, "dear")]),
        ("class DearOdds:", [(1, "Dear")]),
        ("def test_nothing_is_counted_anew():", [(1, "anew")]),
        ("kept for\n  ever, and\nso many others", [(1, "for ever"), (3, "so many")]),
        ("There are none; it hangs on it", [(1, "There are none"), (1, "hangs on")]),
        ("a normal reader, a minor amendment, an endearing forever", []),
    ],
)
def test_words_of_the_list_are_found(text: str, hits: list[tuple[int, str]]) -> None:
    assert list(words.found(text)) == hits


def test_texts_code_and_names_are_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "CHANGELOG.md": "Fixed.\n\nAsk anew.\n",
        "docs/guide.md": "a dear answer\n",
        "service/web/play.js": "const dearOdds = 1;\n",
        "tests/test_a.py": "def test_whoever_asks() -> None: ...\n",
        "data.csv": "nor\n",
        "service/web/package-lock.json": "nor\n",
        "ignored.md": "nor\n",
        ".gitignore": "/ignored.md\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert words.main(tmp_path) == 4
    assert capsys.readouterr().out.splitlines() == [
        "CHANGELOG.md:3: anew",
        "docs/guide.md:1: dear",
        "service/web/play.js:1: dear",
        "tests/test_a.py:1: whoever",
    ]
