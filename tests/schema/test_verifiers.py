"""The independent verifiers under ``schema/dice``, in Python and JavaScript, agree with the service."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tablecall.dice.rng import SeededFaces
from tablecall.dice.vectors import vectors
from tablecall.engine import resolve
from tablecall.engine.requests import tagged

SCHEMA = Path(__file__).parents[2] / "schema"
VECTORS = SCHEMA / "dice" / "vectors.json"
LANGUAGES = ["python", "javascript"]


def node() -> str:
    """Node from the development environment next to this Python, or else the system's."""
    own = Path(sys.executable).with_name("node")
    return str(own) if own.exists() else shutil.which("node") or "node"


def verify(language: str, *arguments: str, sent: str = "") -> subprocess.CompletedProcess[str]:
    program = {"python": [sys.executable, "-I", "verify.py"], "javascript": [node(), "verify.mjs"]}[language]
    command = [*program[:-1], str(SCHEMA / "dice" / program[-1])]
    return subprocess.run([*command, *arguments], input=sent, capture_output=True, text=True, check=False, timeout=120)


@cache
def committed() -> Any:
    return json.loads(VECTORS.read_bytes())


def test_vectors_are_current_and_varied() -> None:
    rows = committed()["vectors"]
    assert len(rows) >= 200
    assert committed() == vectors()
    seeds = [row["seed"] for row in rows]
    assert any(isinstance(seed, int) for seed in seeds)
    assert any(isinstance(seed, str) and max(seed, default="") > "\uffff" for seed in seeds)
    assert {row["sides"] for row in rows} == {2, 3, 4, 6, 8, 10, 12, 20, 100}
    assert {row.get("lowest") for row in rows if row["sides"] == 10} == {None, 1}
    assert max(len(row["faces"]) for row in rows) > 32 * 10  # across many blocks, with rejected bytes


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_vector_and_golden_ruling_verifies(language: str) -> None:
    files = [VECTORS, *sorted((SCHEMA / "rulings").glob("*.json"))]
    found = verify(language, *map(str, files))
    assert found.stdout == f"{len(files)} of {len(files)} as the seed has them\n"
    assert found.returncode == 0


def ruling(**changed: Any) -> dict[str, Any]:
    dice = [{"sides": 6, "face": 2, "kept": True, "replaced": []}, {"sides": 6, "face": 5, "kept": True, "replaced": [2]}]
    roll = {"roll": "actor", "name": "actor", "dice": dice, "modifier": 0, "total": 7}
    return {"seed": "42", "rng": "tablecall-1", "rolls": [roll], **changed}


def one_die(sides: int, face: int, **lowest: int) -> dict[str, Any]:
    return ruling(rolls=[{"roll": "actor", "dice": [{"sides": sides, "face": face, "kept": True, "replaced": [], **lowest}]}])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (ruling(), None),
        (ruling(seed="43"), "/rolls/0"),
        (ruling(rng="tablecall-2"), "/rng"),
        ({"ruling": ruling(seed="43")}, "/ruling/rolls/0"),
        ({"request": {"dice": [{"roll": "actor", "faces": [2, 2, 5]}]}, "ruling": ruling(seed="43")}, None),
        ({"request": {"dice": [{"roll": "actor", "faces": [2, 2, 6]}]}, "ruling": ruling()}, "/ruling/rolls/0"),
        (ruling(rolls=[{"roll": "actor", "dice": []}]), None),
        (one_die(20, 10), None),
        (one_die(20, 11), "/rolls/0"),
        (one_die(10, 8, lowest=1), None),
        (one_die(10, 7), None),
        (one_die(10, 8), "/rolls/0"),
        ({"rng": "tablecall-1", "vectors": [{"seed": 42, "roll": "actor", "sides": 6, "key": "", "faces": [2]}]}, "/vectors/0"),
        ({"rng": "tablecall-1", "vectors": [{**vectors()["vectors"][0], "faces": [2, 2, 2]}]}, "/vectors/0"),
    ],
)
def test_wrong_roll_is_reported(language: str, document: Any, pointer: str | None, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text(json.dumps(document))
    found = verify(language, str(tmp_path / "it.json"))
    assert found.returncode == (0 if pointer is None else 1)
    assert found.stdout.count("is not what the seed gives") == (0 if pointer is None else 1)
    assert f" {pointer} is not" in found.stdout or pointer is None


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_dice_of_the_table_are_not_accused(language: str, tmp_path: Path) -> None:
    """Alone, a ruling says which dice came from the table; with its request they must be those handed in."""
    request = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "dice": [{"roll": "actor", "faces": [6, 6]}], "seed": 42}
    made = resolve(*tagged(request))
    path = tmp_path / "it.json"
    for document in (made, {"request": request, "ruling": made}):
        path.write_text(json.dumps(document))
        assert verify(language, str(path)).returncode == 0
    path.write_text(json.dumps({"request": {**request, "dice": [{"roll": "actor", "faces": [6, 5]}]}, "ruling": made}))
    assert "/ruling/rolls/0 is not" in verify(language, str(path)).stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_usage_without_a_file(language: str) -> None:
    found = verify(language)
    assert (found.returncode, found.stdout) == (2, "")
    assert "FILE …" in found.stderr


@cache
def ten_thousand() -> tuple[str, str]:
    """Ten thousand random rolls as JSON lines, and the digest of the faces the service draws for them."""
    chance = Random("ten thousand")
    lines, digest = [], sha256()
    for _ in range(10_000):
        points = (
            chance.choice([chance.randrange(32, 127), chance.randrange(160, 0xD800), chance.randrange(0xE000, 0x110000)]) for _ in range(8)
        )
        seed, roll = "".join(map(chr, points)), f"attackers.{chance.randrange(32)}"
        sides, lowest, count = chance.randrange(2, 101), chance.randrange(2), chance.randrange(1, 70)
        stream = SeededFaces(seed, roll)
        lines.append(json.dumps({"seed": seed, "roll": roll, "sides": sides, "lowest": lowest, "count": count}))
        digest.update(" ".join(str(stream.draw(sides, lowest)) for _ in range(count)).encode() + b"\n")
    return "\n".join(lines), digest.hexdigest()


@pytest.mark.parametrize("language", LANGUAGES)
def test_ten_thousand_random_rolls_agree(language: str) -> None:
    sent, digest = ten_thousand()
    found = verify(language, "--draw", sent=sent)
    assert found.returncode == 0
    assert found.stdout.splitlines()[-1] == digest
