"""Links, anchors and paths in the documents lead somewhere."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from tests.docs.documents import DOCUMENTS, ROOT, anchors, code_spans, links

PATHS = re.compile(r"(service|tests|deploy|schema|openapi|docs|\.ci|\.github)/[\w./-]+")
"""Inline code that is the path of a file or folder here."""
BUILT = {"service/tablecall/static"}
"""What `make pages` writes."""


def resolved(document: str, target: str) -> str:
    """The path in the repository that a relative link means."""
    parts: list[str] = []
    for part in (PurePosixPath(document).parent / target).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files_and_headings(document: str) -> None:
    for link in links(document):
        if link.startswith("http"):
            assert link.startswith("http://127.0.0.1:8000/"), f"{document} links to another host: {link}"
            continue
        path, _, anchor = link.partition("#")
        target = resolved(document, path) if path else document
        assert (ROOT / target).is_file(), f"{document} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{document} links to {link}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_in_inline_code_are_there(document: str) -> None:
    for path in filter(PATHS.fullmatch, code_spans(document)):
        assert path in BUILT or (ROOT / path).exists(), f"{document} names {path}"


def test_every_document_is_linked_from_the_readme() -> None:
    assert {resolved("README.md", link) for link in links("README.md")} >= {name for name in DOCUMENTS if name != "README.md"}


def test_pictures_are_small() -> None:
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture.stat().st_size < 150_000
