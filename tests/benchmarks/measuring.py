"""Servers side by side, in turns: processor time for each request, as ratios within one run.

wrk sends the requests from the other processor. The processor time of a server comes from the kernel, so that other work on the machine
hardly changes a ratio.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
RIVALS = HERE / "rivals"
ROOT = HERE.parents[1]
CONNECTIONS = 16

_RATE, _ERRORS = re.compile(r"(\d+) requests in"), re.compile(r"Socket errors|Non-2xx")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement: its value, its goal if it has one, and whether more is better."""

    id: str
    name: str
    value: float
    goal: float | None = None
    more: bool = True
    unit: str = "×"
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; ``None`` without a goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.more else self.value <= self.goal

    def worse(self, before: float) -> float:
        """By which share it is worse than before; negative if it is better."""
        return before / self.value - 1 if self.more else self.value / before - 1


@dataclass(frozen=True, slots=True)
class Question:
    """A request that is repeated. ``lua`` is appended to wrk's script."""

    path: str
    body: Any = None
    lua: str = ""
    media: str = "application/json"

    def script(self) -> str:
        """The request as a script for wrk."""
        if self.body is None:
            return self.lua
        sent = json.dumps(json.dumps(self.body, separators=(",", ":")), ensure_ascii=False)
        return f'wrk.method = "POST"\nwrk.headers["Content-Type"] = "{self.media}"\nwrk.body = {sent}\n{self.lua}'


@dataclass(slots=True)
class Subject:
    """A request to a running server, with its port and process, and what was measured."""

    name: str
    port: int
    pid: int
    question: Question
    costs: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)


def processor_seconds(pid: int) -> float:
    """The processor time of every thread of a process, and of its children."""
    seconds = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        seconds += int((task / "schedstat").read_text().split()[0]) / 1e9
        seconds += sum(processor_seconds(int(child)) for child in (task / "children").read_text().split())
    return seconds


def free_port() -> int:
    """A free port."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(command: Sequence[str | Path], port: int, env: Mapping[str, str] | None = None) -> Iterator[int]:
    """Run a server; yields its process id when it accepts connections."""
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_port(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def await_port(port: int) -> None:
    """Wait until a server listens."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with closing(socket.socket()) as wire:
            if wire.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"no server listens on port {port}")


def uvicorn(app: str, port: int, *more: str) -> list[str | Path]:
    """The command for an application behind uvicorn."""
    return [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--no-access-log", "--log-level", "warning", *more]


def rivals_site() -> Path:
    """The site-packages folder of the rivals."""
    return RIVALS / ".venv" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def rivals_path() -> dict[str, str]:
    """The environment for a rival."""
    return {"PYTHONPATH": os.pathsep.join((str(ROOT), str(RIVALS), str(rivals_site())))}


def load(subject: Subject, seconds: int, connections: int = CONNECTIONS) -> tuple[float, float]:
    """Send requests for some seconds; returns the server's processor time per request in µs, and requests per second."""
    if shutil.which("wrk") is None:
        raise SystemExit("these measurements need wrk: apt-get install wrk")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(subject.question.script())
        script.flush()
        address = f"http://127.0.0.1:{subject.port}{subject.question.path}"
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script.name, address]
        before, started = processor_seconds(subject.pid), time.perf_counter()
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        cost, elapsed = processor_seconds(subject.pid) - before, time.perf_counter() - started
    if _ERRORS.search(output):
        raise SystemExit(f"{subject.name}: not every request was answered with 200\n{output}")
    match = _RATE.search(output)
    assert match is not None
    return cost / int(match[1]) * 1e6, int(match[1]) / elapsed


def in_turns(subjects: Sequence[Subject], rounds: int, seconds: int) -> None:
    """Warm up each, then measure each in every round."""
    for subject in subjects:
        load(subject, 1)
    for _ in range(rounds):
        for subject in subjects:
            cost, rate = load(subject, seconds)
            subject.costs.append(cost)
            subject.rates.append(rate)


def ratio(one: Subject, other: Subject) -> float:
    """Requests that ``one`` answers in the processor time of one request to ``other``: the median over rounds."""
    return median(theirs / mine for mine, theirs in zip(one.costs, other.costs, strict=True))


class Stage:
    """Servers that are stopped together."""

    def __init__(self) -> None:
        self.open = ExitStack()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *failed: object) -> None:
        self.open.close()

    def ours(self, **settings: str) -> tuple[int, int]:
        """Start the service with everything on; returns port and process id."""
        port = free_port()
        command: list[str | Path] = [Path(sys.executable).with_name("tablecall"), "serve", "--port", str(port)]
        return port, self.open.enter_context(running(command, port, {"TABLECALL_LOG_FORMAT": "json", **settings}))

    def rival(self, app: str) -> tuple[int, int]:
        """Start an application of ``rivals/``."""
        port = free_port()
        return port, self.open.enter_context(running(uvicorn(app, port), port, rivals_path()))

    def node(self, program: str) -> tuple[int, int]:
        """Start a Node program of ``rivals/``."""
        port = free_port()
        return port, self.open.enter_context(running(["node", RIVALS / program, str(port)], port))
