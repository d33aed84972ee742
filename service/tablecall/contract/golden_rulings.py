"""Golden rulings and dice vectors, committed under ``schema/``: they are only ever added to.

A golden ruling is a file ``{"request": …, "ruling": …}``, as `POST /verify` takes it. A file with only a request gets its ruling from
`make`. `check` reports what is missing or differs, `make` adds what is missing. Neither changes an existing ruling; `remake` does.
The version of the service in a golden ruling is that of the day it was made, and is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.json_schema import as_text
from tablecall.dice.vectors import vectors
from tablecall.engine import resolve
from tablecall.engine.canonical import decided
from tablecall.engine.requests import tagged
from tablecall.engine.verify import of_version
from tablecall.model.refusals import Refusal
from tablecall.model.text import LANGUAGES

COMMAND = "python -m tablecall.export --goldens"
RULINGS = Path("schema/rulings")
VECTORS = Path("schema/dice/vectors.json")
SENTENCES = Path("schema/rulings/README.md")
"""What each golden ruling says: a generated file, so that a review sees which sentences a change touches."""
_SEEDS = 300
_ISOLATES = re.compile("[\u2068\u2069]")


def check(root: Path) -> Iterator[str]:
    """A sentence for everything under ``root`` that is missing or differs."""
    if not (root / VECTORS).exists():
        yield f"{VECTORS} is missing: run `{COMMAND}`"
    elif _read(root / VECTORS) != vectors():
        yield f"{VECTORS} differs from the dice: vectors are only ever added, by `{COMMAND}`"
    for path, golden in _goldens(root).items():
        if "ruling" not in golden:
            yield f"{path} has no ruling yet: run `{COMMAND}`"
        elif not stands(golden):
            yield (
                f"{path} differs from what the service rules now. That breaks a promise to callers. If it is intended, say so under "
                f"Rules in CHANGELOG.md, and run `{COMMAND} --remake`"
            )
    for published, outcome in _missing(root):
        yield f"no golden ruling of {published.tag}{_of(outcome)}: run `{COMMAND}` to make it from an example"


def make(root: Path) -> Iterator[str]:
    """Write what is missing under ``root``. Yields a sentence for each file written, and for what could not be made."""
    new = vectors()
    old = _read(root / VECTORS) if (root / VECTORS).exists() else {"vectors": []}
    if old != new and all(vector in new["vectors"] for vector in old["vectors"]):
        yield _write(root, VECTORS, _vectors_text(new))
    for path, golden in _goldens(root).items():
        if "ruling" not in golden:
            yield _write(root, path, as_text({"request": golden["request"], "ruling": _ruling(golden["request"])}))
    for published, outcome in list(_missing(root)):
        request = _find(published, outcome)
        path = RULINGS / f"{published.tag}{'.' if outcome else ''}{outcome}.json"
        if request is None:
            yield f'no example of {published.tag} works{_of(outcome)}: write {path} as {{"request": …}}, and run this again'
        else:
            yield _write(root, path, as_text({"request": request, "ruling": _ruling(request)}))


def sentences(root: Path) -> bytes:
    """The summary of every golden ruling in every language, and its Markdown."""
    parts = ["# What the golden rulings say\n\nOne for each outcome of each action. Made by `make export`.\n"]
    for path, golden in ((path, golden) for path, golden in _goldens(root).items() if "ruling" in golden and stands(golden)):
        rulings = {language: _ruling({**golden["request"], "language": language}) for language in LANGUAGES}
        lines = [f"- {language}: {ruling['summary']}\n" for language, ruling in rulings.items()]
        markdown = "  \n  ".join(rulings[LANGUAGES[0]]["markdown"].splitlines())
        parts.append(f"\n## {path.stem}\n\n{''.join(lines)}- {markdown}\n")
    return _ISOLATES.sub("", "".join(parts)).encode()


def remake(root: Path) -> Iterator[str]:
    """For a release that breaks rulings: make again what does not stand, remove what is refused now, and add what is missing."""
    for path, golden in _goldens(root).items():
        if "ruling" in golden and not stands(golden):
            try:
                yield _write(root, path, as_text({"request": golden["request"], "ruling": _ruling(golden["request"])}))
            except Refusal:
                (root / path).unlink()
                yield f"{path} removed: its request is refused now"
    yield from make(root)


def stands(golden: dict[str, Any]) -> bool:
    """Whether the service still decides this: a better sentence or a new optional member is no difference."""
    try:
        request = tagged(golden["request"])
    except Refusal:
        return False
    model = type(request[-1])
    now: dict[str, Any] = orjson.loads(orjson.dumps(resolve(*request)))
    return decided(of_version(now, None), model) == decided(of_version(golden["ruling"], None), model)


def _ruling(request: dict[str, Any]) -> dict[str, Any]:
    ruling: dict[str, Any] = orjson.loads(orjson.dumps(resolve(*tagged(request))))
    return ruling


def _goldens(root: Path) -> dict[Path, dict[str, Any]]:
    return {path.relative_to(root): _read(path) for path in sorted((root / RULINGS).glob("*.json"))}


def _missing(root: Path) -> Iterator[tuple[PublishedAction, str]]:
    """Every action and outcome without a golden ruling. An action whose outcomes are the caller's words needs one of any outcome."""
    goldens = _goldens(root).values()
    actions = {golden["request"]["action"] for golden in goldens}
    outcomes = {(golden["ruling"]["action"], golden["ruling"]["outcome"]) for golden in goldens if "ruling" in golden}
    for published in PUBLISHED.values():
        for outcome in published.action.outcomes:
            if (published.tag, outcome) not in outcomes:
                yield published, outcome
        if not published.action.outcomes and published.tag not in actions:
            yield published, ""


def _find(published: PublishedAction, outcome: str) -> dict[str, Any] | None:
    """The first example of the action, with the first of some seeds, that has this outcome."""
    for example in published.action.examples.values():
        for number in range(_SEEDS):
            request = {"action": published.tag, **example, "seed": f"golden {number}"}
            try:
                actual = resolve(*tagged(request))["outcome"]
            except Refusal:  # dice kept by position may be invalid on other faces
                continue
            if outcome in ("", actual):
                return request
    return None


def _of(outcome: str) -> str:
    return f" for the outcome {outcome}" if outcome else ""


def _read(path: Path) -> Any:
    return orjson.loads(path.read_bytes())


def _write(root: Path, path: Path, text: bytes) -> str:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text)
    return f"{path} written"


def _vectors_text(document: dict[str, Any]) -> bytes:
    """The document with one vector per line."""
    lines = b",\n    ".join(orjson.dumps(vector) for vector in document["vectors"])
    return b'{\n  "rng": ' + orjson.dumps(document["rng"]) + b',\n  "vectors": [\n    ' + lines + b"\n  ]\n}\n"
