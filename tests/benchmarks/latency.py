"""How long callers wait: for a ruling from an idle service, from one that 64 others ask, and while its pool of odds is full.

Each caller is a connection of its own, kept open. p50 and p99 in milliseconds, and `/livez` while the pool is full. What stands
in one run may be compared; times of other machines may not.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import randint
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.long.serving import Service

CHECK = json.dumps({"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}).encode()


def heavy(size: int = 10) -> bytes:
    """A round whose exact odds take seconds, not like one asked before: what is remembered is not dear."""
    who = [str(index) for index in range(size)]
    return json.dumps(
        {
            "action": "jazz.round",
            "combatants": [{"id": one, "side": "ab"[int(one) % 2], "actor": {"bonus": randint(0, 6)}} for one in who],
            "order": [[one] for one in who],
            "round": 1,
            "orders": [{"by": [one], "attack": str((int(one) + 1) % size)} for one in who],
        }
    ).encode()


def asked(path: str, body: bytes = b"") -> bytes:
    """A request as bytes."""
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: here\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


class Caller:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Caller:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, request: bytes) -> tuple[int, float]:
        """The status, and the seconds until the whole answer was there."""
        began = perf_counter()
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        await self.reader.readexactly(int(length[1]) if length else 0)
        return int(head[9:12]), perf_counter() - began


def told(name: str, waits: Sequence[float]) -> str:
    """One row: p50 and p99."""
    ordered = sorted(waits)
    half, most = ordered[len(ordered) // 2], ordered[min(int(len(ordered) * 0.99), len(ordered) - 1)]
    return f"{name:<46} {half * 1000:8.2f} {most * 1000:8.2f} {ordered[-1] * 1000:8.2f} ms  ({len(ordered)} requests)"


async def repeatedly(port: int, request: bytes, seconds: float, pause: float = 0) -> list[float]:
    """How long each of the requests took that one caller sent for so long."""
    waits = []
    async with Caller(port) as caller:
        until = perf_counter() + seconds
        while perf_counter() < until:
            status, wait = await caller.ask(request)
            assert status == 200, status
            waits.append(wait)
            if pause:
                await asyncio.sleep(pause)
    return waits


async def fill(port: int, stop: asyncio.Event) -> dict[int, int]:
    """Keep the pool of odds full, and count how the questions were answered."""
    counts: dict[int, int] = {}

    async def one() -> None:
        async with Caller(port) as caller:
            while not stop.is_set():
                status, _ = await caller.ask(asked("/odds", heavy()))
                counts[status] = counts.get(status, 0) + 1
                if status == 503:
                    await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(6)))
    return counts


async def measure(port: int, seconds: float) -> None:
    """Everything, one after the other."""
    ruling, living = asked("/resolve", CHECK), asked("/livez")
    await repeatedly(port, ruling, 1)
    print(f"{'':<46} {'p50':>8} {'p99':>8} {'most':>8}")
    print(told("a ruling, idle", await repeatedly(port, ruling, seconds)))
    crowd = await asyncio.gather(*(repeatedly(port, ruling, seconds) for _ in range(64)))
    print(told("a ruling, 64 at once", [wait for waits in crowd for wait in waits]))
    stop = asyncio.Event()
    filling = asyncio.create_task(fill(port, stop))
    await asyncio.sleep(3)
    waits, lives = await asyncio.gather(repeatedly(port, ruling, seconds, 0.002), repeatedly(port, living, seconds, 0.01))
    stop.set()
    print(told("a ruling, the pool of odds full", waits))
    print(told("/livez, the pool of odds full", lives))
    counts = await filling
    print(f"dear odds meanwhile: {counts.get(200, 0)} answered, {counts.get(503, 0)} told to come back, {sum(counts.values())} in all")


def main() -> None:
    """Measure a service with one odds process and room for two more questions."""
    with tempfile.NamedTemporaryFile() as log:
        service = Service(Path(log.name), odds_workers=1, odds_queue=2, log_requests="true")
        try:
            asyncio.run(measure(service.port, float(os.environ.get("LATENCY_SECONDS", "5"))))
        finally:
            service.stop()


if __name__ == "__main__":
    main()
