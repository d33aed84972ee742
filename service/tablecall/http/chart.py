"""The odds as a picture: a bar for each outcome, a column for each round something may take; SVG, readable in light and dark."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

from tablecall.http.odds_forms import in_words
from tablecall.model.text import LANGUAGES, Language

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold (XML 1.0, section 2.2)."""
WIDTH, ROW, LABEL, NUMBER = 640, 34, 170, 90
COLUMNS = 100
"""How high the likeliest number of rounds stands."""
_STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.bar{fill:#3d6fb4}.back{fill:#e4e7eb}.may-be{stroke:#1f2933;stroke-width:3}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.back{fill:#323f4b}.bar{fill:#7ba7e0}.may-be{stroke:#fff}}"
)


def svg(odds: dict[str, Any], language: Language = LANGUAGES[0]) -> str:
    """A bar chart of the outcomes of ``odds`` (`Odds`), with their percentages; of a simulation, with their intervals as lines.

    Below it, where there are any, the rounds it takes.
    """
    rows, rounds = odds["outcomes"], odds.get("rounds")
    below = ROW * (len(rows) + 1) + 10
    height = below if rounds is None else below + ROW + COLUMNS + ROW
    bars = "".join(_bar(row, row["outcomeText"], index) for index, row in enumerate(rows))
    columns = "" if rounds is None else _columns(rounds, below)
    how = f"odds of {odds['simulated']['trials']:,} trials" if "simulated" in odds else "exact odds"
    title = escape(f"{odds['action']}: {how}")
    said = escape(_NO_XML.sub("\ufffd", in_words(odds, language)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc">'
        f'<title id="title">{title}</title><desc id="desc">{said}</desc><style>{_STYLE}</style>'
        f'<text x="10" y="24" font-weight="600">{title}</text>{bars}{columns}</svg>'
    )


def _bar(row: dict[str, Any], text: str, index: int) -> str:
    top = ROW * (index + 1) + 4
    most = WIDTH - LABEL - NUMBER
    interval = row.get("interval")
    may_be = (
        ""
        if interval is None
        else f'<path class="may-be" d="M{LABEL + most * interval["low"]:.1f} {top + 13}H{LABEL + most * interval["high"]:.1f}"/>'
    )
    return (
        f'<text x="10" y="{top + 18}">{escape(_shortened(text))}</text>'
        f'<rect class="back" x="{LABEL}" y="{top + 4}" width="{most}" height="18" rx="3"/>'
        f'<rect class="bar" x="{LABEL}" y="{top + 4}" width="{most * row["probability"]:.1f}" height="18" rx="3"/>{may_be}'
        f'<text x="{WIDTH - NUMBER + 10}" y="{top + 18}">{escape(row["percent"])}</text>'
    )


def _columns(rounds: dict[str, Any], top: int) -> str:
    """A column for each number of rounds, the likeliest as high as there is room; those lower than half a pixel are left out.

    The first, the likeliest and the last drawn are named.
    """
    likeliest = max(rounds["distribution"], key=lambda row: row["probability"])
    rows = [row for row in rounds["distribution"] if 2 * COLUMNS * row["probability"] >= likeliest["probability"]]
    first, last = rows[0]["rounds"], rows[-1]["rounds"]
    step = min((WIDTH - 20) / (last - first + 1), ROW)
    foot = top + ROW + COLUMNS
    drawn = []
    for row in rows:
        left, high = 10 + step * (row["rounds"] - first), COLUMNS * row["probability"] / likeliest["probability"]
        drawn.append(f'<rect class="bar" x="{left:.1f}" y="{foot - high:.1f}" width="{step * 0.8:.1f}" height="{high:.1f}"/>')
    named = sorted({first, likeliest["rounds"], last})
    names = [f'<text x="{10 + step * (number - first + 0.4):.1f}" y="{foot + 18}" text-anchor="middle">{number}</text>' for number in named]
    title = f"rounds: {rounds['mean']:.1f} on average, {likeliest['rounds']} most often"
    return f'<text x="10" y="{top + 20}">{title}</text>{"".join(drawn)}{"".join(names)}'


def _shortened(text: str) -> str:
    text = _NO_XML.sub("\ufffd", text)
    return text if len(text) <= 20 else text[:19] + "…"
