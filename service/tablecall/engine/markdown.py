"""A ruling as one line of Markdown for a chat: the outcome in bold, the margin, the dice.

Names sent by callers cannot format the line, add a link or mention anybody. They are escaped as CommonMark specifies, and a zero-width
space breaks everything that chats turn into links and mentions even if it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tablecall.model.wording import by_margin, plural

MAX_ROLLS = 4
"""How many rolls the line shows; the others are counted."""
MAX_DICE = 20
"""How many dice of a roll the line shows."""

_BREAK = "\u200b"
_SPACES = re.compile(r"[\s\u0000-\u001f\u007f-\u009f]+")
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~:&$=^-])")
# @somebody, <@id>, #channel, :emoji:, scheme://, somewhere.com
_LIVE = re.compile(r"(?<=[@<#:])(?=\S)|(?<=\w)(?=\.[^\W\d])")
_PLAIN = re.compile(r"(?:[^\W_]|[ ,'])*")


def line(ruling: Mapping[str, Any]) -> str:
    """``**success** by 2: Rook 5 + 3 + 4 = 12 against 10``. Without dice, or with many rolls but no total, the summary follows instead."""
    return f"**{_outcome(ruling['outcome'])}**{by_margin(ruling['margin'])}: {_dice(ruling) or escape(ruling['summary'])}"


@lru_cache(maxsize=1024)
def escape(text: str) -> str:
    """Text that Markdown shows literally, on one line, and no chat turns into anything."""
    if _PLAIN.fullmatch(text):
        return text
    plain = _INVISIBLE.sub("", _SPACES.sub(" ", text)).strip()
    return _MARKS.sub(r"\\\1", _LIVE.sub(_BREAK, plain))


@lru_cache(maxsize=256)
def _outcome(word: str) -> str:
    """``noRoll`` as ``no roll``."""
    return escape(re.sub(r"(?<=[a-z])([A-Z])(?=[a-z])", lambda match: f" {match[1].lower()}", word))


def _dice(ruling: Mapping[str, Any]) -> str:
    rolls: Sequence[Mapping[str, Any]] = ruling["rolls"]
    if len(rolls) > MAX_ROLLS and ruling["total"] is None:
        return ""  # the first few would not explain the outcome
    total, target = ruling["total"], ruling["target"]
    if len(rolls) == 1:
        shown = _roll(rolls[0])
        if total is None or target is None:
            return shown
        return f"{shown} against {target}" if rolls[0]["total"] == total else f"{shown} {total} against {target}"
    shown = "; ".join([_roll(roll) for roll in rolls[:MAX_ROLLS]])
    more = len(rolls) - MAX_ROLLS
    rest = f"; and {plural(more, 'more roll')}" if more > 0 else ""
    against = f"; {total} against {target}" if rolls and total is not None and target is not None else ""
    return f"{shown}{rest}{against}"


def _roll(roll: Mapping[str, Any]) -> str:
    """``Rook 5 + 3 + 4 = 12``. Dice that are not kept follow, struck out."""
    dice = roll["dice"][:MAX_DICE]
    kept = [str(die["face"]) for die in dice if die["kept"]]
    struck = [str(die["face"]) for die in dice if not die["kept"]] if len(kept) < len(dice) else []
    aside = f" ~~{' '.join(struck)}~~" if struck else ""
    more = " …" if len(roll["dice"]) > MAX_DICE else ""
    modifier = roll["modifier"]
    added = f" {'+' if modifier > 0 else '−'} {abs(modifier)}" if modifier else ""
    return f"{escape(roll['name'])} {' + '.join(kept) or 'nothing'}{aside}{more}{added} = {roll['total']}"
