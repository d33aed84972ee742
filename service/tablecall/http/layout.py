"""The layout of pages that are rendered here: the rule books, problems and 404. They can be read without the script and the style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

HTML = "text/html"
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}


def policy(**changes: str) -> dict[str, str]:
    """The content security policy as a header, with other values for some of its rules."""
    rules = _POLICY | {name.replace("_", "-"): value for name, value in changes.items()}
    return {"content-security-policy": "; ".join(f"{name} {value}" for name, value in rules.items())}


HEADERS = policy()
"""The headers of every page and file."""
LINKS = {"": "Table", "characters": "Characters", "systems": "Rules", "docs": "API"}
"""The links at the top of every page, relative to the root of the service."""
_MARK = (
    '<svg viewBox="0 0 32 32" aria-hidden="true"><path class="edge" d="M16 2.5 28 9.3v13.4L16 29.5 4 22.7V9.3Z"></path>'
    '<path class="heart" d="M16 10.5 22 20.5H10Z"></path></svg>'
)


def page(title: str, body: str, root: str, language: str = "en", place: str | None = "systems") -> bytes:
    """A whole page. ``body`` is HTML, ``title`` is text, ``root`` leads to the root of the service. ``place`` is the link it belongs to."""
    links = "".join(f'<a href="{root}{path}"{" aria-current=page" if path == place else ""}>{text}</a>' for path, text in LINKS.items())
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>{escape(title)} · Tablecall</title><link rel="icon" href="{root}favicon.ico">'
        f'<link rel="stylesheet" href="{root}static/site.css"><script type="module" src="{root}static/rules.js"></script></head><body>'
        f'<header class="site"><a class="brand" href="{root}">{_MARK}<span>Tablecall</span></a>'
        f'<nav aria-label="Places">{links}</nav></header>'
        f'<main class="book"><h1>{escape(title)}</h1>{body}</main></body></html>'
    ).encode()


def missing(title: str, detail: str, root: str, language: str) -> bytes:
    """The page of a 404, with the ways on."""
    ways = (f'<a href="{root}{path}">{text}</a>' for path, text in LINKS.items())
    return page(title, paragraph(detail) + items(ways), root, language, None)


def paragraph(text: str, label: str = "") -> str:
    """A paragraph; nothing for an empty text. What stands between backquotes is shown as code."""
    start = f"<b>{escape(label)}</b> " if label else ""
    return f"<p>{start}{inline(text)}</p>" if text else ""


def inline(text: str) -> str:
    """Text as HTML, with what stands between backquotes as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{escape(part)}</code>" if number % 2 else escape(part) for number, part in enumerate(parts))


def items(entries: Iterable[str]) -> str:
    """A list of HTML entries."""
    return "<ul>" + "".join(f"<li>{entry}</li>" for entry in entries) + "</ul>"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a table; the columns are the names in them, in order of their first appearance."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    lines = "".join(f"<tr>{''.join(f'<td>{value(row.get(name))}</td>' for name in columns)}</tr>" for row in rows)
    return f"<div class=scroll tabindex=0><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"


def value(data: Any) -> str:
    """Any JSON value as HTML: objects as term lists, lists of objects as tables."""
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        return table(data)
    if isinstance(data, list):
        return ", ".join(map(value, data))
    if isinstance(data, dict):
        return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{value(part)}</dd>" for name, part in data.items()) + "</dl>"
    return "" if data is None else inline(str(data).lower() if isinstance(data, bool) else str(data))
