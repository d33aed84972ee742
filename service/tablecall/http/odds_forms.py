"""Odds as one line of text, as Markdown and as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

from tablecall.model.names import isolated
from tablecall.model.text import LANGUAGES, Language, escape
from tablecall.systems import ACTIONS

COLUMNS = ("outcome", "outcomeText", "probability", "fraction", "percent", "low", "high")
"""The columns of the CSV. ``low`` and ``high`` are the interval of a simulation, empty for exact odds."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet takes for a formula."""


def in_words(odds: Mapping[str, Any], language: Language = LANGUAGES[0]) -> str:
    """``success 41.7 %, failure 58.3 %``, how many rounds it takes, and the trials of a simulation."""
    return _line(odds, language, isolated, str)


def in_markdown(odds: Mapping[str, Any], language: Language = LANGUAGES[0]) -> str:
    """The same with bold outcomes, as safe Markdown."""
    return _line(odds, language, lambda text: isolated(text, escape), lambda text: f"**{text}**")


def _line(odds: Mapping[str, Any], language: Language, own: Callable[[str], str], mark: Callable[[str], str]) -> str:
    known = ACTIONS[odds["action"]][1].outcomes
    rows = [
        f"{mark(row['outcomeText'] if row['outcome'] in known else own(row['outcomeText']))} {row['percent']}" for row in odds["outcomes"]
    ]
    rounds = odds.get("rounds")
    length = "" if rounds is None else f"; {_WORDS[language]['rounds'].format(mean=rounds['mean'])}"
    trials = f" ({_WORDS[language]['trials'].format(trials=odds['simulated']['trials'])})" if "simulated" in odds else ""
    return ", ".join(rows) + length + trials


_WORDS: dict[str, dict[str, str]] = {
    "en": {"rounds": "{mean:.1f} rounds on average", "trials": "of {trials} trials"},
    "de": {"rounds": "im Mittel {mean:.1f} Runden", "trials": "aus {trials} Versuchen"},
}


def as_csv(odds: Mapping[str, Any]) -> str:
    """A row for each outcome, with a header. A cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in odds["outcomes"]:
        interval = row.get("interval") or {}
        cells = (row["outcome"], row["outcomeText"], row["probability"], row["fraction"], row["percent"])
        writer.writerow([_inert(cell) for cell in (*cells, interval.get("low"), interval.get("high"))])
    return file.getvalue()


def _inert(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
