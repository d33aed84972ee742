"""The odds as a picture: a bar for each outcome, columns for the totals and the rounds; SVG on a card of its own, light or dark.

The colours and the columns are those of the table in the browser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape
from zlib import crc32

from tablecall.http.odds_forms import in_words
from tablecall.model.text import LANGUAGES, Language

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold (XML 1.0, section 2.2)."""
WIDTH, ROW, LABEL, NUMBER = 640, 34, 170, 90
COLUMNS = 100
"""How high the likeliest number stands."""
THEMES = ("light", "dark")
_LIGHT = (
    "text{font:14px system-ui,sans-serif;fill:#1e2227}.card{fill:#fff;stroke:#ddd6ca}.back{fill:#efebe3}.bar{fill:#5b3cb0}"
    ".column{fill:#d8d0c2;stroke:#8d8577}.may-be{stroke:#1e2227;stroke-width:3}"
)
_DARK = (
    "text{fill:#eceef2}.card{fill:#1b2028;stroke:#333b47}.back{fill:#333b47}.bar{fill:#b9a5ff}"
    ".column{fill:#3a4350;stroke:#717c8c}.may-be{stroke:#fff}"
)
_STYLES = {"": f"{_LIGHT}@media(prefers-color-scheme:dark){{{_DARK}}}", "light": _LIGHT, "dark": _LIGHT + _DARK}


def svg(odds: dict[str, Any], language: Language = LANGUAGES[0], theme: str = "") -> str:
    """A bar chart of the outcomes of ``odds`` (`Odds`), with their percentages; of a simulation, with their intervals as lines.

    Below it, where there are any, the totals of the first roll and the rounds it takes. Without a ``theme`` it follows the reader's.
    """
    rows, rounds = odds["outcomes"], odds.get("rounds")
    height = ROW * (len(rows) + 1) + 10
    bars = "".join(_bar(row, row["outcomeText"], index) for index, row in enumerate(rows))
    columns = ""
    for title_of, numbers in (*_totals(odds), *(() if rounds is None else (_rounds(rounds),))):
        columns += _columns(title_of, numbers, height)
        height += ROW + COLUMNS + ROW
    how = f"odds of {odds['simulated']['trials']:,} trials" if "simulated" in odds else "exact odds"
    title = escape(f"{odds['action']}: {how}")
    said = escape(_NO_XML.sub("\ufffd", in_words(odds, language)))
    name = f"c{crc32(f'{title}{said}{height}'.encode()):08x}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="{name}t {name}d" class="{name}"><title id="{name}t">{title}</title><desc id="{name}d">{said}</desc>'
        f"<style>{_scoped(_STYLES[theme], name)}</style>"
        f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="12"/>'
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


def _scoped(style: str, name: str) -> str:
    """The style for one chart alone, because a page may hold several."""
    return re.sub(r"(^|(?<=[{}]))(?=[.t])", f".{name} ", style)


def _totals(odds: dict[str, Any]) -> list[tuple[str, list[tuple[int, float]]]]:
    """The totals of the first roll, if dice decide them."""
    for roll in odds.get("rolls", ())[:1]:
        rows = [(row["total"], row["probability"]) for row in roll["distribution"]]
        if len(rows) > 1:
            return [(f"totals of {escape(roll['roll'])}: {roll['mean']:.1f} on average", rows)]
    return []


def _rounds(rounds: dict[str, Any]) -> tuple[str, list[tuple[int, float]]]:
    rows = [(row["rounds"], row["probability"]) for row in rounds["distribution"]]
    return f"rounds: {rounds['mean']:.1f} on average, {max(rows, key=_share)[0]} most often", rows


def _share(row: tuple[int, float]) -> float:
    return row[1]


def _columns(title: str, numbers: Sequence[tuple[int, float]], top: int) -> str:
    """A column for each number, the likeliest as high as there is room; those lower than half a pixel are left out.

    The first, the likeliest and the last drawn are named; all are where there is room.
    """
    likeliest, most = max(numbers, key=_share)
    rows = [row for row in numbers if 2 * COLUMNS * row[1] >= most]
    first, last = rows[0][0], rows[-1][0]
    step = min((WIDTH - 20) / (last - first + 1), ROW)
    foot = top + ROW + COLUMNS
    drawn = []
    for number, share in rows:
        left, high = 10 + step * (number - first), COLUMNS * share / most
        drawn.append(f'<rect class="column" x="{left:.1f}" y="{foot - high:.1f}" width="{step * 0.8:.1f}" height="{high:.1f}"/>')
    named = range(first, last + 1) if step > 24 else sorted({first, likeliest, last})
    names = [f'<text x="{10 + step * (number - first + 0.4):.1f}" y="{foot + 18}" text-anchor="middle">{number}</text>' for number in named]
    return f'<text x="10" y="{top + 20}">{title}</text>{"".join(drawn)}{"".join(names)}'


def _shortened(text: str) -> str:
    text = _NO_XML.sub("\ufffd", text)
    return text if len(text) <= 20 else text[:19] + "…"
