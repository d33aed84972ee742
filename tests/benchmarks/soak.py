"""Whether memory grows: many mixed requests, and the memory at the end against that after the first tenth.

``SOAK_REQUESTS`` sets their number: 30,000, as in ``make test-long``; a full run has 300,000. It fails on a status of 500 or more
(except 503), on a traceback in the log, and if memory grows by a twentieth.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tablecall.contract.action_models import PUBLISHED
from tests.long.serving import Service

CLIENTS = 16
COUNT = int(os.environ.get("SOAK_REQUESTS", "30000"))
MAX_GROWTH = 1.05


def http_request(path: str, body: bytes = b"") -> bytes:
    """A GET, or a POST with a JSON body."""
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: here\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def mixed_requests(draw: random.Random) -> list[bytes]:
    """Rulings, odds, queries, contracts and invalid requests; each time with other seeds."""
    requests = []
    for tag, published in PUBLISHED.items():
        for example in published.action.examples.values():
            body = json.dumps({**example, "seed": draw.getrandbits(50)}).encode()
            requests += [http_request(f"/resolve/{published.path}", body)] * 3
            requests.append(http_request("/resolve", json.dumps({"action": tag, **example, "include": ["factors", "options"]}).encode()))
            requests.append(http_request("/resolve", json.dumps({"action": tag, "unknown": draw.getrandbits(50)}).encode()))
            if not published.path.endswith("round"):
                requests.append(http_request(f"/odds/{published.path}", body))
    number = draw.getrandbits(50)
    query = f"{{ a{number}: resolve(request: {{jazzCheck: {{actor: {{bonus: 3}}, difficulty: 10}}}}) {{ summary }} systems {{ system }} }}"
    requests += [http_request("/graphql", json.dumps({"query": query}).encode())] * 5
    paths = ("/systems", "/openapi.json", "/metrics", "/livez", f"/nowhere/{number}", "/schemas/Ruling.json")
    return requests + [http_request(path) for path in paths]


async def soak(port: int, resident: Callable[[], int], count: int) -> float:
    """Send them, printing the memory at every tenth; returns the memory at the end over that after the first tenth."""
    draw, statuses, sent, memory = random.Random(1), Counter[int](), 0, list[int]()
    began = perf_counter()

    async def client() -> None:
        nonlocal sent
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        while sent < count:
            for request in draw.sample(mixed_requests(draw), 40):
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                statuses[int(head[9:12])] += 1
                sent += 1
                if sent % (count // 10) == 0:
                    memory.append(resident())
                    print(f"{sent:>9,} requests {perf_counter() - began:7.1f} s {memory[-1] / 2**20:7.1f} MB", flush=True)
        writer.close()

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    print(f"statuses {dict(sorted(statuses.items()))}")
    assert not [status for status in statuses if status > 499 and status != 503]
    return memory[9] / memory[0]


def main() -> None:
    """Soak one service."""
    with tempfile.NamedTemporaryFile() as log:
        service = Service(Path(log.name), log_requests="true")
        try:
            growth = asyncio.run(soak(service.port, service.resident, COUNT))
        finally:
            output = service.stop()
    print(f"memory at the end against that after the first tenth: {growth:.3f} times")
    assert growth < MAX_GROWTH
    assert "Traceback" not in output


if __name__ == "__main__":
    main()
