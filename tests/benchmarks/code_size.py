"""Prints how large the code is, and how many files and functions answer one ruling: ``make metrics``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from tablecall.app import create_app
from tablecall.settings import Settings

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "service" / "tablecall"
ATTACK = b'{"attackers": [{"bonus": 5}], "defender": {"bonus": 3}, "seed": 7}'
SCOPE = {
    "type": "http",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "method": "POST",
    "path": "/resolve/jazz/attack",
    "raw_path": b"/resolve/jazz/attack",
    "root_path": "",
    "query_string": b"",
    "headers": [(b"host", b"x"), (b"content-type", b"application/json"), (b"content-length", b"%d" % len(ATTACK))],
    "client": ("127.0.0.1", 1),
    "server": ("127.0.0.1", 8000),
    "scheme": "http",
}


def main() -> None:
    """Print one line for each figure."""
    for name, folders in (
        ("package", ["."]),
        ("http + graphql + runtime", ["http", "graphql", "runtime"]),
        ("systems", ["systems"]),
        ("dice", ["dice"]),
        ("engine + contract + model", ["engine", "contract", "model"]),
    ):
        print(f"{name:<28}{sum(lines(path) for folder in folders for path in (PACKAGE / folder).rglob('*.py')):>7} lines")
    print(f"{'tests':<28}{sum(lines(path) for path in test_files()):>7} lines")
    print(f"{'README':<28}{lines(ROOT / 'README.md'):>7} lines")
    calls = asyncio.run(calls_of_a_ruling())
    print(
        f"{'POST /resolve/jazz/attack':<28}{len({file for file, _ in calls}):>7} files, {len(calls)} calls of {len(set(calls))} functions"
    )


def lines(path: Path) -> int:
    """The number of lines of a file."""
    return path.read_bytes().count(b"\n")


def test_files() -> Iterator[Path]:
    """Every Python file of the tests that belongs to the repository."""
    return (path for path in (ROOT / "tests").rglob("*.py") if not {".venv", "node_modules"} & set(path.parts))


async def calls_of_a_ruling() -> list[tuple[str, str]]:
    """The functions of the package that a warm application calls for one attack, in order, without the server."""
    app = create_app(Settings(log_requests=False))
    calls: list[tuple[str, str]] = []

    def record(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and str(PACKAGE) in code.co_filename and not code.co_name.startswith("<"):
            calls.append((code.co_filename, code.co_qualname))

    for traced in (False, False, True):
        sys.setprofile(record if traced else None)
        try:
            await app(dict(SCOPE), receive, send)
        finally:
            sys.setprofile(None)
    return calls


async def receive() -> dict[str, Any]:
    """The whole body."""
    return {"type": "http.request", "body": ATTACK, "more_body": False}


async def send(message: Any) -> None:
    """Take the response."""


if __name__ == "__main__":
    main()
