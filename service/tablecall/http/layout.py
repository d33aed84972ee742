"""The layout of pages that are rendered here: the rule books, problems and 404. No script runs, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

HTML = "text/html"
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
}
"""The headers of every such page."""
LINKS = {"": "Play", "systems": "Rules", "docs": "REST", "graphql": "GraphQL"}
"""The links at the top of every page, relative to the root of the service."""
_STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:1rem/1.55 system-ui,sans-serif;max-width:52rem;margin:0 auto;padding:0 1rem 4rem}
nav{display:flex;flex-wrap:wrap;gap:1rem;padding:.8rem 0;border-bottom:1px solid var(--line)}
h2{margin-top:2.2rem}section{padding:.4rem 0}h3{margin:.8rem 0 .2rem;font-size:1.05rem}
:target{background:var(--soft);outline:.4rem solid var(--soft)}
code,.id{font:.88em ui-monospace,monospace;overflow-wrap:anywhere}.id,footer{opacity:.75}
table{border-collapse:collapse;display:block;overflow-x:auto;font-size:.92rem}
th,td{border:1px solid var(--line);padding:.3rem .55rem;text-align:left;vertical-align:top}
dt{font-weight:600;margin-top:.6rem}dd{margin-left:1rem}
"""


def page(title: str, body: str, root: str, language: str = "en") -> bytes:
    """A whole page. ``body`` is HTML, ``title`` is text, ``root`` leads to the root of the service."""
    links = "".join(f'<a href="{root}{path}">{text}</a>' for path, text in LINKS.items())
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>{escape(title)} · Tablecall</title><link rel="icon" href="{root}favicon.ico"><style>{_STYLE}</style></head><body>'
        f"<nav>{links}</nav><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    ).encode()


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
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = ("".join(f"<td>{value(row.get(name))}</td>" for name in columns) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def value(data: Any) -> str:
    """Any JSON value as HTML: objects as term lists, lists of objects as tables."""
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        return table(data)
    if isinstance(data, list):
        return ", ".join(map(value, data))
    if isinstance(data, dict):
        return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{value(part)}</dd>" for name, part in data.items()) + "</dl>"
    return "" if data is None else inline(str(data).lower() if isinstance(data, bool) else str(data))
