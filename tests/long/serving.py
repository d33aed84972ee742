"""A service in its own process, and what it reports."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

WAIT = 60.0


class Service:
    """A running service that logs to ``log``."""

    def __init__(self, log: Path, **settings: object) -> None:
        environment = {**os.environ, **{f"TABLECALL_{name.upper()}": str(value) for name, value in {"port": 0, **settings}.items()}}
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen([Path(sys.executable).parent / "tablecall", "serve"], env=environment, stderr=output)
        self.port = 0
        wait_for(self.listens, 60)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def listens(self) -> bool:
        match = re.search(r"running on http://127\.0\.0\.1:(\d+)", self.log.read_text())
        self.port = int(match[1]) if match else 0
        return match is not None

    def get(self, path: str) -> str:
        with urlopen(self.address + path, timeout=WAIT) as response:
            return str(response.read().decode())

    def metric(self, name: str) -> float:
        return sum(float(line.rpartition(" ")[2]) for line in self.get("/metrics").splitlines() if re.match(rf"{name}[ {{]", line))

    def resident(self) -> int:
        """The memory of the main process, in bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), WAIT)

    def stop(self) -> str:
        """Stop the service, which exits with 0; returns its log."""
        self.process.terminate()
        assert self.process.wait(60) == 0
        return self.log.read_text()


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)
