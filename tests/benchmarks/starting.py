"""From nothing to the first answer, what a resting and a busy worker hold, and what a second worker brings."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from tests.benchmarks.measuring import Figure, Question, Stage, Subject, free_port, load, processor_seconds, running, uvicorn
from tests.benchmarks.questions import SMALL, WHOLE

STARTS = 5
SHARED = 64
"""Connections to share out between workers: of few, one worker may get so many more that the other waits for work."""


def started() -> tuple[float, float]:
    """Seconds from the start of a process to its first answer: by the clock, and of processor time."""
    port, begun = free_port(), time.perf_counter()
    command: list[str | Path] = [Path(sys.executable).with_name("tablecall"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while time.perf_counter() < begun + 60:
            try:
                with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                    connection.request("GET", "/resolve/jazz/check?actor.bonus=3&difficulty=10")
                    connection.getresponse().read()
                    return time.perf_counter() - begun, processor_seconds(process.pid)
            except OSError:
                time.sleep(0.01)
        raise SystemExit("the service does not start")
    finally:
        process.terminate()
        process.wait()


def megabytes(pid: int) -> float:
    """What a process holds of memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def figures() -> list[Figure]:
    """Start, memory, and a second worker."""
    starts = [started() for _ in range(STARTS)]
    with Stage() as stage:
        port, pid = stage.ours()
        for body in (WHOLE, SMALL):
            load(Subject("ours", port, pid, Question("/resolve", body)), 2)
        held = megabytes(pid)
    clock, processor = (median(column) for column in zip(*starts, strict=True))
    return [
        Figure("start", "to the first answer", clock, 1.0, more=False, unit="s", note=f"of processor time {processor:.2f} s"),
        Figure("memory", "one worker after some ten thousand requests", held, 120, more=False, unit="MB"),
        Figure("workers", "two workers against one, the client on the same two processors", second_worker(), 1.65),
    ]


def second_worker(rounds: int = 3) -> float:
    """How many times as many requests two workers answer."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, found in rates.items():
            port = free_port()
            command = uvicorn("tablecall.app:create_app", port, "--factory", "--workers", str(workers))
            with running(command, port) as pid:
                asked = Subject("workers", port, pid, Question("/resolve", WHOLE))
                time.sleep(3)  # the second may still start
                load(asked, 1, SHARED)
                found.append(load(asked, 2, SHARED)[1])
    return median(two / one for one, two in zip(rates[1], rates[2], strict=True))


def main() -> None:
    """Measure and print."""
    for figure in figures():
        print(f"{figure.name:75} {figure.value:8.2f} {figure.unit} goal {figure.goal:g}{'' if figure.met else '  missed'} {figure.note}")


if __name__ == "__main__":
    main()
