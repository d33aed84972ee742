"""What a batch in lines costs the others, and what it saves its caller: everything over real sockets, in one run.

The service runs in a process of its own. Singles are asked one after the other on one open connection, first alone, then while
a batch of 10,000 lines runs beside them. The batch's own speed is held against singles asked one by one.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

from tests.benchmarks.measuring import Figure, Question, Stage, Subject, load, processor_seconds

GOAL_MS = 10.0
"""The most the slowest single in a hundred may take beside a batch, in milliseconds."""
LINES = 10_000
SINGLES = 2_000
CHECK = json.dumps({"action": "jazz.check", "actor": {"bonus": 3}, "opponent": {"bonus": 2}}).encode()
JSON = {"content-type": "application/json"}


@contextmanager
def service() -> Iterator[int]:
    """The service on a free port."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command: list[str | Path] = [Path(sys.executable).with_name("tablecall"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            with closing(HTTPConnection("127.0.0.1", port)) as connection:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the service does not start")


def singles(port: int, go_on: threading.Event, most: int) -> list[float]:
    """How long each of up to ``most`` singles takes while ``go_on`` is set, in milliseconds."""
    found: list[float] = []
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        while go_on.is_set() and len(found) < most:
            started = time.perf_counter()
            connection.request("POST", "/resolve", CHECK, JSON)
            connection.getresponse().read()
            found.append((time.perf_counter() - started) * 1000)
    return found


def batch(port: int) -> float:
    """How many rulings a second a batch gives, sent and read at the same time."""
    body = (CHECK + b"\n") * LINES
    said = {"host": "x", "content-type": "application/x-ndjson", "content-length": len(body), "connection": "close"}
    lines = ["POST /batch?seed=s HTTP/1.1", *(f"{name}: {value}" for name, value in said.items()), "", ""]
    head = "\r\n".join(lines)
    started, answered = time.perf_counter(), 0
    with closing(socket.create_connection(("127.0.0.1", port))) as wire:
        writer = threading.Thread(target=wire.sendall, args=(head.encode() + body,))
        writer.start()
        while part := wire.recv(1 << 16):
            answered += part.count(b'{"ruling"')
        writer.join()
    # Two parts may meet within the word that is counted.
    if answered < LINES * 0.99:
        raise SystemExit(f"{answered} answers to {LINES} lines")
    return LINES / (time.perf_counter() - started)


def batch_elsewhere(port: int) -> Future[float]:
    """The same from a process of its own: two callers in one would wait for each other."""
    command = [sys.executable, __file__, str(port)]
    return ThreadPoolExecutor(1).submit(lambda: float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def figures() -> list[Figure]:
    """A batch in lines against singles by the processor time of each ruling, and what it costs those beside it."""
    with Stage() as stage:
        port, pid = stage.ours()
        single = Subject("single", port, pid, Question("/resolve", json.loads(CHECK)))
        load(single, 1)
        batch(port)
        ratios = []
        for _ in range(5):
            cost, _ = load(single, 1)
            before = processor_seconds(pid)
            batch(port)
            ratios.append(cost / ((processor_seconds(pid) - before) / LINES * 1e6))
        go_on = threading.Event()
        go_on.set()
        busy = batch_elsewhere(port)
        busy.add_done_callback(lambda _: go_on.clear())
        beside = quantiles(singles(port, go_on, 1_000_000), n=100)[98]
    return [
        Figure("batch", "a ruling in a batch of 10,000 lines against a single one, by processor time", median(ratios), 3.5),
        Figure("batch-beside", "the slowest of a hundred singles beside such a batch", beside, GOAL_MS, more=False, unit="ms"),
    ]


def tell(name: str, times: list[float]) -> float:
    """Print a row of percentiles; gives the 99th."""
    p99 = quantiles(times, n=100)[98]
    print(f"{name:42} {len(times):6} {median(times):8.2f} {p99:8.2f} {max(times):8.2f}")
    return p99


def main() -> None:
    """Print both tables."""
    with service() as port:
        go_on = threading.Event()
        go_on.set()
        singles(port, go_on, 300)  # warm up
        print(f"{'a single /resolve, in ms':42} {'asked':>6} {'median':>8} {'p99':>8} {'most':>8}")
        started = time.perf_counter()
        tell("alone", singles(port, go_on, SINGLES))
        one_by_one = SINGLES / (time.perf_counter() - started)
        alone = batch_elsewhere(port).result()
        busy = batch_elsewhere(port)
        busy.add_done_callback(lambda _: go_on.clear())
        beside = singles(port, go_on, 1_000_000)
        p99 = tell(f"beside a batch of {LINES:,} lines", beside)
        print(f"\np99 beside the batch: {p99:.1f} ms, goal {GOAL_MS:.0f} ms: {'met' if p99 <= GOAL_MS else 'missed'}")
        print(
            f"rulings a second: singles one by one {one_by_one:,.0f}; batch alone {alone:,.0f}; batch beside singles {busy.result():,.0f}"
        )


if __name__ == "__main__":
    if sys.argv[1:]:
        print(batch(int(sys.argv[1])))
    else:
        main()
