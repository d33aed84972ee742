"""The npm package in a headless Chromium: a page of another origin, without a bundler."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.clients.conftest import HERE as CLIENTS
from tests.clients.conftest import Tools, serving
from tests.clients.test_typescript import installed

pytestmark = pytest.mark.browser


def test_package_works_on_a_page_of_another_origin(tmp_path: Path) -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or pytest.fail("Chromium is missing: apt-get install chromium")
    tools = Tools()
    dist = installed(tools, tmp_path) / "node_modules" / "@tablecall" / "client" / "dist"
    with serving() as base:
        output = tools.run("node", Path(__file__).parent / "package.mjs", tools.modules, chromium, base, dist, cwd=CLIENTS)
    assert json.loads(next(line for line in output.splitlines() if line.startswith("{"))) == {
        "health": [1, 2],
        "wrong": [[], ["/rolls/0"]],
        "rescued": "success",
        "handed": "table",
        "trials": 1000,
        "turns": 2,
        "refused": ["Refused", 422],
        "problems": ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"],
    }
