"""Whether the service grows: many mixed requests, and its memory at the end against its memory after the first tenth.

``SOAK_REQUESTS`` says how many (30,000; 300,000 is the full one). Answers above 499, a traceback in the log, and a twentieth more
memory end it. ``make test-long`` soaks its own service in 30,000.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tablecall.contract.action_models import PUBLISHED
from tests.benchmarks.latency import Caller, asked
from tests.long.serving import Service

CALLERS = 16
COUNT = int(os.environ.get("SOAK_REQUESTS", "30000"))
FLAT = 1.05
"""What memory may grow to, against what it was after the first tenth."""


def mixed(draw: random.Random) -> list[bytes]:
    """Rulings, odds, queries, contracts and nonsense, none like another's seed."""
    found = []
    for tag, one in PUBLISHED.items():
        for example in one.action.examples.values():
            body = json.dumps({**example, "seed": draw.getrandbits(50)}).encode()
            found += [asked(f"/resolve/{one.path}", body)] * 3
            found.append(asked("/resolve", json.dumps({"action": tag, **example, "include": ["factors", "options"]}).encode()))
            found.append(asked("/resolve", json.dumps({"action": tag, "nonsense": draw.getrandbits(50)}).encode()))
            if not one.path.endswith("round"):
                found.append(asked(f"/odds/{one.path}", body))
    number = draw.getrandbits(50)
    query = f"{{ a{number}: resolve(request: {{jazzCheck: {{actor: {{bonus: 3}}, difficulty: 10}}}}) {{ summary }} systems {{ system }} }}"
    found += [asked("/graphql", json.dumps({"query": query}).encode())] * 5
    found += [asked(path) for path in ("/systems", "/openapi.json", "/metrics", "/livez", f"/nowhere/{number}", "/schemas/Ruling.json")]
    return found


async def soak(port: int, resident: Callable[[], int], count: int) -> float:
    """Send them all, telling of the memory at every tenth; gives how many times that of the first tenth it is at the end."""
    draw, statuses, sent, memory = random.Random(1), Counter[int](), 0, list[int]()
    began = perf_counter()

    async def call() -> None:
        nonlocal sent
        async with Caller(port) as caller:
            while sent < count:
                for request in draw.sample(mixed(draw), 40):
                    status, _ = await caller.ask(request)
                    statuses[status] += 1
                    sent += 1
                    if sent % (count // 10) == 0:
                        memory.append(resident())
                        print(f"{sent:>9,} requests {perf_counter() - began:7.1f} s {memory[-1] / 2**20:7.1f} MB", flush=True)

    await asyncio.gather(*(call() for _ in range(CALLERS)))
    print(f"statuses {dict(sorted(statuses.items()))}")
    assert not [status for status in statuses if status > 499 and status != 503]
    return memory[9] / memory[0]


def main() -> None:
    """Soak one service."""
    with tempfile.NamedTemporaryFile() as log:
        service = Service(Path(log.name), log_requests="true")
        try:
            grown = asyncio.run(soak(service.port, service.resident, COUNT))
        finally:
            said = service.stop()
    print(f"memory at the end against its tenth: {grown:.3f} times")
    assert grown < FLAT
    assert "Traceback" not in said


if __name__ == "__main__":
    main()
