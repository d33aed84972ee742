"""What may only ever be added to: the vectors of the dice and the golden rulings, committed under ``schema/``.

A golden ruling is a file ``{"request": …, "ruling": …}``: what `POST /verify` takes. A file with a request alone is one to
be made. `check` says what is missing or no longer so, `make` fills in what is missing; neither changes a ruling that is
there. The service's version stands in a golden as of the day it was made, and is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.json_schema import as_text
from tablecall.dice.vectors import vectors
from tablecall.engine import resolve
from tablecall.engine.requests import tagged
from tablecall.engine.verify import of_version
from tablecall.model.refusals import Refusal

COMMAND = "tablecall export --goldens"
RULINGS = Path("schema/rulings")
VECTORS = Path("schema/dice/vectors.json")
_SEEDS = 300


def check(root: Path) -> Iterator[str]:
    """A sentence for everything that is missing or differs under ``root``."""
    if not (root / VECTORS).exists():
        yield f"{VECTORS} is missing: `{COMMAND}` makes it"
    elif _read(root / VECTORS) != vectors():
        yield f"{VECTORS} is not what the dice give: vectors are only ever added to, and `{COMMAND}` adds them"
    for path, golden in _goldens(root).items():
        if "ruling" not in golden:
            yield f"{path} has no ruling yet: `{COMMAND}` makes it"
        elif not stands(golden):
            yield (
                f"{path} is not what the service rules now. That breaks what callers were promised. If it is meant, say so under "
                f"Rules in CHANGELOG.md, remove the ruling from the file, and `{COMMAND}` makes it anew"
            )
    for published, outcome in _missing(root):
        yield f"there is no golden ruling of {published.tag}{_of(outcome)}: `{COMMAND}` makes it of an example and a seed"


def make(root: Path) -> Iterator[str]:
    """Write what is missing under ``root``; a sentence for each file written, and for what could not be made."""
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
            yield f'no example of {published.tag} will do{_of(outcome)}: write {path} as {{"request": …}}, and run this again'
        else:
            yield _write(root, path, as_text({"request": request, "ruling": _ruling(request)}))


def stands(golden: dict[str, Any]) -> bool:
    """Whether the service still rules so."""
    try:
        return of_version(_ruling(golden["request"]), None) == of_version(golden["ruling"], None)
    except Refusal:
        return False


def _ruling(request: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(orjson.dumps(resolve(*tagged(request))))
    return found


def _goldens(root: Path) -> dict[Path, dict[str, Any]]:
    return {path.relative_to(root): _read(path) for path in sorted((root / RULINGS).glob("*.json"))}


def _missing(root: Path) -> Iterator[tuple[PublishedAction, str]]:
    """Every action and outcome no golden shows; an action whose outcomes are the caller's own words needs one of any."""
    goldens = _goldens(root).values()
    asked = {golden["request"]["action"] for golden in goldens}
    shown = {(golden["ruling"]["action"], golden["ruling"]["outcome"]) for golden in goldens if "ruling" in golden}
    for published in PUBLISHED.values():
        for outcome in published.action.outcomes:
            if (published.tag, outcome) not in shown:
                yield published, outcome
        if not published.action.outcomes and published.tag not in asked:
            yield published, ""


def _find(published: PublishedAction, outcome: str) -> dict[str, Any] | None:
    """The first of the action's examples and the first of a row of seeds that come out so."""
    for example in published.action.examples.values():
        for number in range(_SEEDS):
            request = {"action": published.tag, **example, "seed": f"golden {number}"}
            try:
                found = resolve(*tagged(request))["outcome"]
            except Refusal:  # a hand picked for one fall of the dice is refused on others
                continue
            if found == outcome or not outcome:
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
    """One vector a line."""
    lines = b",\n    ".join(orjson.dumps(vector) for vector in document["vectors"])
    return b'{\n  "rng": ' + orjson.dumps(document["rng"]) + b',\n  "vectors": [\n    ' + lines + b"\n  ]\n}\n"
