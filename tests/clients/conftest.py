"""A running service, and the tools that generate clients: npm and Python packages installed by `make clients`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    """The address of a running service."""
    with serving() as base:
        yield base


@contextmanager
def serving(environment: dict[str, str] | None = None) -> Iterator[str]:
    """Run a service on a free port, with these environment variables; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from tablecall.cli import main; main()", "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        base = f"http://127.0.0.1:{port}"
        try:
            _wait(process, base)
            yield base
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], base: str) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{base}/livez"):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the service did not start")


class Tools:
    """Runs generators, checkers and clients; a failure shows their output."""

    def __init__(self) -> None:
        for folder in (HERE / "node_modules", HERE / ".venv"):
            if not folder.exists():
                pytest.fail(f"{folder.name} is missing: make clients")
        self.modules = HERE / "node_modules"
        self.python = HERE / ".venv" / "bin" / "python"
        path = (self.modules / ".bin", self.python.parent, Path(sys.executable).parent, os.environ["PATH"])
        quiet = {"REDOCLY_TELEMETRY": "off", "DO_NOT_TRACK": "1", "NO_COLOR": "1", "PYTHONWARNINGS": "default"}
        self.environment = {**os.environ, **quiet, "PATH": os.pathsep.join(map(str, path))}

    def run(self, *command: str | Path, cwd: Path, expect: int = 0) -> str:
        """The output of a command, which must exit with ``expect``."""
        done = subprocess.run([str(part) for part in command], cwd=cwd, env=self.environment, capture_output=True, text=True, timeout=300)
        output = f"{done.stdout}\n{done.stderr}"
        assert done.returncode == expect, f"{command[0]} exited with {done.returncode}:\n{output[-4000:]}"
        return output


@pytest.fixture(scope="session")
def tools() -> Tools:
    return Tools()
