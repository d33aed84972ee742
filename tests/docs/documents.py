"""The documents, read as Markdown: code blocks, headings, links and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    ".github/CONTRIBUTING.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]
"""Every document, by its path in the repository."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced code block: where it stands, its language, the word after the language, and the code."""

    place: str
    language: str
    role: str
    code: str


@cache
def text(document: str) -> str:
    """The whole document."""
    return (ROOT / document).read_text(encoding="utf-8")


@cache
def _tokens(document: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text(document))


def blocks(document: str) -> list[Block]:
    """The fenced code blocks, in order."""
    fences = [token for token in _tokens(document) if token.type == "fence"]
    return [_block(document, fence) for fence in fences]


def _block(document: str, fence: Token) -> Block:
    language, _, role = fence.info.strip().partition(" ")
    line = fence.map[0] + 1 if fence.map else 0
    return Block(f"{document}:{line}", language, role, fence.content)


def anchors(document: str) -> set[str]:
    """The anchors of the headings, as GitHub names them."""
    tokens = _tokens(document)
    titles = (tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open")
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(document: str) -> Iterator[str]:
    """The targets of links and images."""
    for token in _tokens(document):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"])
            elif child.type == "image":
                yield str(child.attrs["src"])


def code_spans(document: str) -> Iterator[str]:
    """The contents of inline code."""
    for token in _tokens(document):
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def table(document: str, *heading: str) -> list[list[str]]:
    """The rows of the one table whose heading begins with these cells, each cell as it is written."""
    assert len(_starts(document, heading)) == 1, f"{document} has {len(_starts(document, heading))} tables with the columns {heading}"
    return tables(document, *heading)


def tables(document: str, *heading: str) -> list[list[str]]:
    """The rows of all tables with this heading."""
    lines = text(document).splitlines()
    rows = []
    for start in _starts(document, heading):
        rows += [_cells(line) for line in takewhile(lambda line: line.startswith("|"), lines[start + 2 :])]
    return rows


def _starts(document: str, heading: Sequence[str]) -> list[int]:
    lines = text(document).splitlines()
    return [number for number, line in enumerate(lines) if _cells(line)[: len(heading)] == list(heading)]


def _cells(line: str) -> list[str]:
    if not line.startswith("|"):
        return []
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
