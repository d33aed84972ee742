"""The table in a headless Chromium: each scenario of ``table.mjs`` is one visit, and asserts what it sees."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablecall.http import pages
from tests.clients.conftest import HERE as CLIENTS
from tests.clients.conftest import Tools, serving

SCRIPT = Path(__file__).parent / "table.mjs"
BUILD = CLIENTS.parent.parent / "build"
SCENARIOS = re.findall(r"^  async (\w+)\(\) \{$", SCRIPT.read_text(), re.MULTILINE)
KEYS = {"keys": {"TABLECALL_API_KEYS": f'["{hashlib.sha256(b"a key").hexdigest()}"]'}}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def table() -> Iterator[str]:
    """The address of a service without keys."""
    if not (pages.BUILT / "table.html").exists():
        pytest.fail("the pages are not built: make pages")
    with serving() as base:
        yield base


def visit(base: str, scenario: str) -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or pytest.fail("Chromium is missing: apt-get install chromium")
    BUILD.mkdir(exist_ok=True)
    output = Tools().run("node", SCRIPT, CLIENTS / "node_modules", chromium, base, scenario, BUILD, cwd=CLIENTS)
    (BUILD / f"visit-{scenario}.txt").write_text(output)


@pytest.mark.parametrize("scenario", sorted(set(SCENARIOS) - set(KEYS)))
def test_visit(table: str, scenario: str) -> None:
    visit(table, scenario)


@pytest.mark.parametrize("scenario", sorted(KEYS))
def test_visit_to_a_service_with_keys(scenario: str) -> None:
    with serving({**os.environ, **KEYS[scenario]}) as base:
        visit(base, scenario)
