"""Finds words that plain technical English does without, in texts, code and names: ``python .ci/words.py [ROOT]``.

Prints ``file:line: word`` for each, and fails when there are more than `LIMIT`. Names are split into words: ``dear_odds`` holds "dear".
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIMIT = 40
"""Never raise it."""

WORDS = """
    anew dear dearer dearest dearly ere hence henceforth hereafter hereby heretofore hither lest mend mended mending mends nor reckon
    reckoned reckoner reckoning reckons shall thereof thither unto upon whence wherein whereof whilst whoever whomever whosoever
"""
PHRASES = (
    "comes to grief",
    "for ever",
    "gives? up (?:its|their) place",
    "goes away",
    "hang(?:s|ing)? on",
    "is no setting",
    "save for",
    "so many",
    "the same again",
    "there (?:is|are|was|were) none",
    "told of",
    "what is asked",
    "went away",
)
FILES = ("*.md", "*.py", "Makefile", "pyproject.toml", ".github", "docs", "service", "clients")
SKIPPED = {"package-lock.json", "words.py", "test_words.py"}
PATTERN = re.compile(rf"\b(?:{'|'.join([*WORDS.split(), *PHRASES])})\b".replace(" ", r"\s+"), re.IGNORECASE)


def found(text: str) -> Iterator[tuple[int, str]]:
    """Each word of the list in a text, with its line. Works on words of names too, and across the end of a line."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))
    for match in PATTERN.finditer(split):
        yield split.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def main(root: Path) -> int:
    """Print all of them; the result is how many there are."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "--", *FILES]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    paths = [root / name for name in sorted(set(names)) if Path(name).name not in SKIPPED and (root / name).is_file()]
    lines = [f"{path.relative_to(root)}:{line}: {word}" for path in paths for line, word in found(path.read_text("utf-8", "ignore"))]
    print("\n".join(lines))
    return len(lines)


if __name__ == "__main__":
    count = main(Path(*sys.argv[1:]))
    sys.exit(f"{count} words to replace, {LIMIT} allowed" if count > LIMIT else None)
