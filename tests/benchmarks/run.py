"""Measures everything in one run: `results.json`, the drawing of the curves, and the table in docs/performance.md.

With ``--check`` nothing is written: the ratios that matter are measured again, more briefly, and held against `results.json`.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import batch, counting, curves, fights, odds, single_requests, starting
from tests.benchmarks.measuring import HERE, ROOT, Figure

RESULTS, DRAWING, DOCUMENT = HERE / "results.json", HERE / "curves.svg", ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- measured by `make bench` -->\n", "<!-- /measured -->\n"
WORSE = 0.25
"""By which part a ratio may be worse than the committed one."""
CHECKED = (
    "bare",
    "fastapi",
    "fastify",
    "d20",
    "graphql",
    "odds",
    "layers",
    "keep",
    "joint",
    "opposed",
    "sums",
    "seeded",
    "fight-3",
    "fight-simulated",
)
"""What is checked: ratios of processor time taken in turns. Times, and rates, hang on the machine."""
_BRIEF = 3
_WORDS = {True: "met", False: "missed", None: ""}


def rows(figures: Sequence[Figure]) -> list[str]:
    """The table in Markdown."""
    found = ["| measured | | goal | |", "|---|---|---|---|"]
    for figure in figures:
        bound = "" if figure.goal is None else f"{'≥' if figure.more else '≤'} {figure.goal:g} {figure.unit}"
        found.append(f"| {figure.name} | {figure.value:.2f} {figure.unit} | {bound} | {_WORDS[figure.met]} |")
    return found


def measure() -> None:
    """Everything, written down."""
    figures, asked = single_requests.figures()
    figures += [*batch.figures(), *odds.figures(), *counting.figures(), *fights.figures(), *starting.figures()]
    grown = curves.curves()
    costs = {
        one.name: {"processorMicroseconds": round(median(one.costs), 1), "requestsPerSecond": round(median(one.rates))} for one in asked
    }
    document: dict[str, Any] = {
        "measuredWith": {"python": platform.python_version(), "system": platform.system(), "processors": os.cpu_count()},
        "figures": {figure.id: {**asdict(figure), "value": round(figure.value, 3), "met": figure.met} for figure in figures},
        "requests": costs,
        "curves": {name: {"microseconds": points, "exponent": round(curves.slope(points), 2)} for name, points in grown.items()},
    }
    RESULTS.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    DRAWING.write_text(curves.plot(grown))
    table = "\n".join(rows(figures))
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.partition(END)[2]}")
    print("\n".join(single_requests.table(asked)), table, sep="\n\n")


def check() -> int:
    """Whether anything became slower: how many ratios are worse than they may be."""
    before = json.loads(RESULTS.read_text())["figures"]
    figures = {figure.id: figure for figure in (*single_requests.figures(_BRIEF)[0], *counting.figures(), *fights.figures())}
    late = 0
    for id in CHECKED:
        worse = figures[id].worse(before[id]["value"])
        late += worse > WORSE
        print(f"{id:15} was {before[id]['value']:8.2f}, is {figures[id].value:8.2f}{f': {worse:.0%} worse' if worse > WORSE else ''}")
    return late


def main(arguments: Sequence[str]) -> int:
    """Measure, or check."""
    if "--check" in arguments:
        return check()
    measure()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    raise SystemExit(main(sys.argv[1:]))
