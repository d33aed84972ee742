"""How the cost grows with the size of a team, a pool, a fight, a batch and a GraphQL document. In one process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from math import log
from statistics import median
from time import process_time
from typing import Any

from starlette.types import ASGIApp, Message

from tablecall.app import create_app
from tablecall.engine import odds, resolve
from tablecall.engine.requests import tagged
from tablecall.settings import Settings
from tests.benchmarks.fights import fight
from tests.benchmarks.odds import cache_clearers

ROUNDS = 7
Curve = dict[int, float]
"""Microseconds of processor time by size."""


def cost(run: Callable[[], Any], budget: float = 0.02) -> float:
    """Microseconds of processor time of one run: the median of rounds of ``budget`` seconds."""
    run()
    start = process_time()
    run()
    times = max(1, int(budget / max(process_time() - start, 1e-6)))
    costs = []
    for _ in range(ROUNDS):
        start = process_time()
        for _ in range(times):
            run()
        costs.append((process_time() - start) / times * 1e6)
    return median(costs)


def curve(sizes: Sequence[int], run_of: Callable[[int], Callable[[], Any]]) -> Curve:
    """The cost by size."""
    return {size: round(cost(run_of(size)), 1) for size in sizes}


def ruled(document: Mapping[str, Any]) -> Callable[[], Any]:
    """A ruling, its body validated each time."""
    return lambda: resolve(*tagged({**document, "seed": 1}))


def counted(document: Mapping[str, Any]) -> Callable[[], Any]:
    """The odds, with full caches."""
    return lambda: odds(*tagged(dict(document)))


def counted_uncached(document: Mapping[str, Any]) -> Callable[[], Any]:
    """The odds, with empty caches."""
    run = counted(document)
    run()
    clearers = cache_clearers(("tablecall.dice.", "tablecall.engine"))

    def uncached() -> None:
        for clear in clearers:
            clear()
        run()

    return uncached


def answered(app: ASGIApp, path: str, body: Any) -> Callable[[], Any]:
    """A request to the whole application, without a server."""
    sent = json.dumps(body).encode()
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
    base: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"}
    base |= {"path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"", "headers": headers}
    base |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}

    async def request() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Message) -> None:
            if message.get("status", 200) != 200:
                raise SystemExit(f"{path} answered {message['status']}")

        await app({**base}, receive, send)

    return lambda: runner.run(request())


runner = asyncio.Runner()


def team(size: int) -> dict[str, Any]:
    return {"action": "jazz.teamwork", "members": [{"bonus": 1 + place % 5} for place in range(size)], "difficulty": 15}


def pool(size: int) -> dict[str, Any]:
    return {"action": "darkpages.check", "actor": {"pool": {"roll": size, "keep": (size + 1) // 2}}, "targetNumber": 20}


def batch(size: int) -> dict[str, Any]:
    return {"seed": "s", "requests": [{"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}] * size}


def document(size: int) -> dict[str, Any]:
    """A query for ``size`` fields: aliases up to their bound, then repeated fields, which are merged."""
    own = [f"a{place}: total" for place in range(min(size, 99))]
    more = " ".join(["outcome", *own]) if size <= 100 else " ".join(own)
    rest = size - 99
    names = ("outcome", "total", "target", "margin", "summary", "seed", "rng", "version", "rulebook", "succeeded")
    others = [f"... on JazzCheckRuling {{ {' '.join(names[: min(10, rest - start)])} }}" for start in range(0, max(rest, 0), 10)]
    query = f"query Q($r: ResolveRequest!) {{ resolve(request: $r) {{ {more} {' '.join(others)} }} }}"
    return {"query": query, "variables": {"r": {"jazzCheck": {"actor": {"bonus": 3}, "difficulty": 10, "seed": 1}}}}


def curves() -> dict[str, Curve]:
    """Every curve."""
    app = create_app(Settings(log_requests=False, max_batch_lines=10_000))
    members, dice = (1, 2, 4, 8, 16, 24, 32), (1, 2, 5, 10, 15, 20, 30, 40)
    return {
        "team, a ruling": curve(members, lambda size: ruled(team(size))),
        "team, its odds": curve(members, lambda size: counted(team(size))),
        "pool, a ruling": curve(dice, lambda size: ruled(pool(size))),
        "pool, its odds": curve(dice, lambda size: counted(pool(size))),
        "pool, its odds uncached": curve(dice, lambda size: counted_uncached(pool(size))),
        # n on each side: 2n attacks a round, each from about (7n)² states, with numbers that grow with the attacks
        "fight, its odds": curve((1, 2, 3, 4), lambda size: counted(fight(size))),
        "batch": curve((1, 10, 50, 100, 250, 500, 1000), lambda size: answered(app, "/batch", batch(size))),
        "GraphQL fields": curve((1, 10, 25, 50, 100, 150, 200), lambda size: answered(app, "/graphql", document(size))),
    }


def slope(points: Curve) -> float:
    """The exponent between the middle and the largest size: 1 is linear."""
    sizes = sorted(points)
    middle, last = sizes[len(sizes) // 2], sizes[-1]
    return log(points[last] / points[middle]) / log(last / middle)


def plot(by_name: Mapping[str, Curve]) -> str:
    """One small drawing for each curve."""
    wide, high, gap = 220, 130, 34
    parts = []
    for place, (name, points) in enumerate(by_name.items()):
        left, top = gap + place % 3 * (wide + gap), gap + place // 3 * (high + 2 * gap)
        across, up = max(points), max(points.values())
        dots = " ".join(f"{left + wide * x / across:.1f},{top + high * (1 - y / up):.1f}" for x, y in points.items())
        parts.append(f'<path d="M{left},{top}v{high}h{wide}" fill="none" stroke="#999"/>')
        parts.append(f'<polyline points="{dots}" fill="none" stroke="#246" stroke-width="2"/>')
        parts.append(f'<text x="{left}" y="{top - 8}">{name}: {up:,.0f} µs at {across:,}, growing as n^{slope(points):.1f}</text>')
    rows = (len(by_name) + 2) // 3
    size = f'width="{3 * (wide + gap) + gap}" height="{rows * (high + 2 * gap)}"'
    style = 'font-family="sans-serif" font-size="10"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(parts) + "\n</svg>\n"
