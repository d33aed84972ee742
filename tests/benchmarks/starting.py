"""Start-up time, memory of a busy worker, and how much a second worker adds."""

from __future__ import annotations

import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from tests.benchmarks.measuring import Figure, Question, Stage, Subject, free_port, load, processor_seconds, running, uvicorn
from tests.benchmarks.questions import SMALL, WHOLE

STARTS = 5
CONNECTIONS = 64
"""With few connections one worker may get most of them, and the other waits for work."""


def start() -> tuple[float, float]:
    """Seconds from the start of a process to its first response: by the clock, and of processor time."""
    begun = time.perf_counter()
    with Stage() as stage:
        port, pid = stage.ours()
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", "/resolve/jazz/check?actor.bonus=3&difficulty=10")
            connection.getresponse().read()
            return time.perf_counter() - begun, processor_seconds(pid)


def megabytes(pid: int) -> float:
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def figures() -> list[Figure]:
    """Measure all three."""
    clock, processor = (median(column) for column in zip(*(start() for _ in range(STARTS)), strict=True))
    with Stage() as stage:
        port, pid = stage.ours()
        for body in (WHOLE, SMALL):
            load(Subject("ours", port, pid, Question("/resolve", body)), 2)
        memory = megabytes(pid)
    return [
        Figure(
            "start", "time from start to the first response", clock, 1.0, more=False, unit="s", note=f"processor time {processor:.2f} s"
        ),
        Figure("memory", "memory of one worker after some ten thousand requests", memory, 120, more=False, unit="MB"),
        Figure("workers", "two workers against one, the client on the same two processors", second_worker(), 1.65),
    ]


def second_worker(rounds: int = 3) -> float:
    """How many times as many requests two workers answer."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, measured in rates.items():
            port = free_port()
            command = uvicorn("tablecall.app:create_app", port, "--factory", "--workers", str(workers))
            with running(command, port) as pid:
                subject = Subject("workers", port, pid, Question("/resolve", WHOLE))
                time.sleep(3)  # the second may still start
                load(subject, 1, CONNECTIONS)
                measured.append(load(subject, 2, CONNECTIONS)[1])
    return median(two / one for one, two in zip(rates[1], rates[2], strict=True))
