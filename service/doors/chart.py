"""The odds as a picture: a bar for each outcome, in SVG, readable in light and dark."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold (XML 1.0, section 2.2)."""
WIDTH, ROW, LABEL, NUMBER = 640, 34, 170, 90
_STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.bar{fill:#3d6fb4}.back{fill:#e4e7eb}.may-be{stroke:#1f2933;stroke-width:3}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.back{fill:#323f4b}.bar{fill:#7ba7e0}.may-be{stroke:#fff}}"
)


def svg(odds: dict[str, Any]) -> str:
    """A bar chart of the outcomes of ``odds`` (`Odds`), with their percentages; of a simulation, with their intervals as lines."""
    rows = odds["outcomes"]
    height = ROW * (len(rows) + 1) + 10
    bars = "".join(_bar(row, index) for index, row in enumerate(rows))
    how = f"odds of {odds['simulated']['trials']:,} trials" if "simulated" in odds else "exact odds"
    title = escape(f"{odds['action']}: {how}")
    said = escape(_NO_XML.sub("\ufffd", ", ".join(f"{row['outcome']} {row['percent']}" for row in rows)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc">'
        f'<title id="title">{title}</title><desc id="desc">{said}</desc><style>{_STYLE}</style>'
        f'<text x="10" y="24" font-weight="600">{title}</text>{bars}</svg>'
    )


def _bar(row: dict[str, Any], index: int) -> str:
    top = ROW * (index + 1) + 4
    most = WIDTH - LABEL - NUMBER
    interval = row.get("interval")
    may_be = (
        ""
        if interval is None
        else f'<path class="may-be" d="M{LABEL + most * interval["low"]:.1f} {top + 13}H{LABEL + most * interval["high"]:.1f}"/>'
    )
    return (
        f'<text x="10" y="{top + 18}">{escape(_shortened(row["outcome"]))}</text>'
        f'<rect class="back" x="{LABEL}" y="{top + 4}" width="{most}" height="18" rx="3"/>'
        f'<rect class="bar" x="{LABEL}" y="{top + 4}" width="{most * row["probability"]:.1f}" height="18" rx="3"/>{may_be}'
        f'<text x="{WIDTH - NUMBER + 10}" y="{top + 18}">{escape(row["percent"])}</text>'
    )


def _shortened(text: str) -> str:
    text = _NO_XML.sub("\ufffd", text)
    return text if len(text) <= 20 else text[:19] + "…"
