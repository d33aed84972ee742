"""README, "Use it from…": every piece of code is run, and prints what it says."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import HERE, Tools

README = (HERE.parent.parent / "README.md").read_text("utf-8")
SECTION = README[README.index("\n## Use it from…") :]
SECTION = SECTION[: SECTION.index("\n## ", 1)]
CODE = re.findall(r"^### ([^\n]+)\n.*?```(sh|js|python)\n(.*?)```", SECTION, re.DOTALL | re.MULTILINE)
RUNNERS = {"sh": ("sh", "snippet.sh"), "js": ("node", "snippet.mjs"), "python": (sys.executable, "snippet.py")}


def test_all_of_them_are_found() -> None:
    assert [title for title, _, _ in CODE] == ["curl", "JavaScript", "Python", "GraphQL", "A chat bot", "A fight, followed"]
    assert len(CODE) == SECTION.count("```") / 2


@pytest.mark.parametrize(("title", "language", "code"), CODE, ids=[title for title, _, _ in CODE])
def test_code_in_the_readme(title: str, language: str, code: str, tools: Tools, service: str, tmp_path: Path) -> None:
    if language == "sh" and shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    program, name = RUNNERS[language]
    (tmp_path / name).write_text(code.replace("http://127.0.0.1:8000", service))
    promised = re.findall(r"^(?:#|//) prints: (.*)$", code, re.MULTILINE)
    assert tools.run(program, name, cwd=tmp_path).split("\n")[: len(promised)] == promised
    assert promised
