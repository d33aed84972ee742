"""A batch of 10,000 lines: the cost of a ruling in it against a single request, and how long single requests wait beside it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from statistics import median, quantiles
from typing import Any

from tests.benchmarks.measuring import Figure, Question, Stage, Subject, load, processor_seconds

LINES = 10_000
CHECK = json.dumps({"action": "jazz.check", "actor": {"bonus": 3}, "opponent": {"bonus": 2}}).encode()


def milliseconds_of_singles(port: int, until: Callable[[], bool]) -> list[float]:
    """How long each of a series of single requests takes."""
    times: list[float] = []
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        while not until():
            started = time.perf_counter()
            connection.request("POST", "/resolve", CHECK, {"content-type": "application/json"})
            connection.getresponse().read()
            times.append((time.perf_counter() - started) * 1000)
    return times


def send_batch(port: int) -> None:
    """Send one batch and read its response at the same time."""
    body = (CHECK + b"\n") * LINES
    headers = {"host": "x", "content-type": "application/x-ndjson", "content-length": len(body), "connection": "close"}
    head = "\r\n".join(["POST /batch?seed=s HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""])
    answered = 0
    with closing(socket.create_connection(("127.0.0.1", port))) as wire:
        writer = threading.Thread(target=wire.sendall, args=(head.encode() + body,))
        writer.start()
        while part := wire.recv(1 << 16):
            answered += part.count(b'{"ruling"')
        writer.join()
    # A chunk may end within the text that is counted.
    if answered < LINES * 0.99:
        raise SystemExit(f"{answered} answers to {LINES} lines")


def batch_in_another_process(port: int) -> Future[Any]:
    """The same from its own process: two clients in one process would wait for each other."""
    command = [sys.executable, "-m", __name__, str(port)]
    return ThreadPoolExecutor(1).submit(subprocess.run, command, check=True)


def figures() -> list[Figure]:
    """Measure both."""
    with Stage() as stage:
        port, pid = stage.ours()
        single = Subject("single", port, pid, Question("/resolve", json.loads(CHECK)))
        load(single, 1)
        send_batch(port)
        ratios = []
        for _ in range(5):
            cost, _ = load(single, 1)
            before = processor_seconds(pid)
            send_batch(port)
            ratios.append(cost / ((processor_seconds(pid) - before) / LINES * 1e6))
        beside = quantiles(milliseconds_of_singles(port, batch_in_another_process(port).done), n=100)[98]
    return [
        Figure("batch", "a ruling in a batch of 10,000 lines against a single request", median(ratios), 3.5),
        Figure("batch-beside", "p99 of single requests beside such a batch", beside, 10.0, more=False, unit="ms"),
    ]


if __name__ == "__main__":
    send_batch(int(sys.argv[1]))
