"""Measures everything in one run: `results.json`, the drawing of the curves, and the table in docs/performance.md.

``--check`` writes nothing: it measures the important ratios again, with fewer rounds, and compares them with `results.json`. Names of
modules, such as ``odds counting``, print the figures of these alone.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import actions, batch, counting, curves, fights, odds, single_requests, starting
from tests.benchmarks.measuring import HERE, ROOT, Figure

RESULTS, DRAWING, DOCUMENT = HERE / "results.json", HERE / "curves.svg", ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- measured by `make bench` -->\n", "<!-- /measured -->\n"
WORSE = 0.25
"""The share by which a ratio may be worse than the committed one."""
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
"""Ratios of processor time. Times and rates depend on the machine."""
CHECK_ROUNDS = 3
_WORDS = {True: "met", False: "missed", None: ""}


def rows(figures: Sequence[Figure]) -> list[str]:
    """The table in Markdown."""
    lines = ["| measured | | goal | |", "|---|---|---|---|"]
    for figure in figures:
        bound = "" if figure.goal is None else f"{'≥' if figure.more else '≤'} {figure.goal:g} {figure.unit}"
        lines.append(f"| {figure.name} | {figure.value:.2f} {figure.unit} | {bound} | {_WORDS[figure.met]} |")
    return lines


MODULES: dict[str, Callable[[], list[Figure]]] = {
    "single_requests": lambda: single_requests.figures()[0],
    "batch": batch.figures,
    "odds": odds.figures,
    "actions": actions.figures,
    "counting": counting.figures,
    "fights": fights.figures,
    "starting": starting.figures,
}


def measure() -> None:
    """Measure everything and write it."""
    figures, subjects = single_requests.figures()
    figures += [figure for name, measured in MODULES.items() if name != "single_requests" for figure in measured()]
    by_name = curves.curves()
    document: dict[str, Any] = {
        "measuredWith": {"python": platform.python_version(), "system": platform.system(), "processors": os.cpu_count()},
        "figures": {figure.id: {**asdict(figure), "value": round(figure.value, 3), "met": figure.met} for figure in figures},
        "requests": {
            subject.name: {"processorMicroseconds": round(median(subject.costs), 1), "requestsPerSecond": round(median(subject.rates))}
            for subject in subjects
        },
        "curves": {name: {"microseconds": points, "exponent": round(curves.slope(points), 2)} for name, points in by_name.items()},
    }
    RESULTS.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    DRAWING.write_text(curves.plot(by_name))
    table = "\n".join(rows(figures))
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.partition(END)[2]}")
    print(table)


def check() -> int:
    """Measure the ratios again; returns how many are worse than allowed."""
    before = json.loads(RESULTS.read_text())["figures"]
    figures = {figure.id: figure for figure in (*single_requests.figures(CHECK_ROUNDS)[0], *counting.figures(), *fights.figures())}
    failures = 0
    for id in CHECKED:
        worse = figures[id].worse(before[id]["value"])
        failures += worse > WORSE
        print(f"{id:15} was {before[id]['value']:8.2f}, is {figures[id].value:8.2f}{f': {worse:.0%} worse' if worse > WORSE else ''}")
    return failures


def main(arguments: Sequence[str]) -> int:
    """Measure everything, check, or print the figures of some modules."""
    if "--check" in arguments:
        return check()
    if arguments:
        print("\n".join(rows([figure for name in arguments for figure in MODULES[name]()])))
    else:
        measure()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    raise SystemExit(main(sys.argv[1:]))
