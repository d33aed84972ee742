"""Every code sample in the documents: commands and programs run, answers are as shown, JSON fits its published schema."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from joserfc.jwk import OKPKey
from jsonschema import Draft202012Validator
from pydantic import SecretStr

import tablecall
from tests.docs.documents import DOCUMENTS, ROOT, Block, blocks
from tests.support.server import running

SHOWN = "http://127.0.0.1:8000"
"""The address in the samples; the service under test has another port."""
PROGRAMS = {"sh": ["sh", "-e"], "python": [sys.executable], "js": ["node"]}
SUFFIX = {"sh": "sample.sh", "python": "sample.py", "js": "sample.mjs"}
CHECKED = {*PROGRAMS, "graphql", "json", "ts"}
"""A `ts` block is compiled and run by tests/clients/test_typescript.py."""
FREE = {"text"}
"""Drawings and formulas, which are not checked. A `text answer` is compared."""
NOT_RUN = {
    "npm": "installs packages",
    "pip": "installs packages",
    "make": "sets up an environment, or runs these tests",
    "docker": "needs a container engine and images from a registry",
    "kubectl": "needs a cluster",
}
"""Commands that no test can run, and why. Every other block is run or checked."""
UNSEEN = {0x2068: None, 0x2069: None}
"""Characters around names that the documents do not show."""
NEEDED = ("curl", "node", "openssl", "sha256sum")
"""Programs that samples call; a machine may lack them."""
WITH_SAMPLES = [document for document in DOCUMENTS if blocks(document)]


# ── The service the samples call ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of a service that signs its rulings."""
    key = json.dumps(OKPKey.generate_key("Ed25519").as_dict(private=True))
    with running(signing_key=SecretStr(key)) as served:
        yield f"http://127.0.0.1:{served.port}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder like a checkout: with the verifiers, and the command `tablecall` on the path."""
    (tmp_path / "schema").symlink_to(ROOT / "schema")
    command = tmp_path / "bin" / "tablecall"
    command.parent.mkdir()
    # The package under test, whatever is installed.
    source = Path(tablecall.__file__).parents[1]
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -c "from tablecall.cli import main; main()" "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tmp_path


# ── Which blocks there are ───────────────────────────────────────────────────────────────────────────────────────────


def commands(code: str) -> list[str]:
    """The command lines of a shell block, without comments; a line that goes on is one."""
    lines = code.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def not_run(block: Block) -> set[str]:
    """Which commands of `NOT_RUN` a shell block consists of; empty where the block is run."""
    if block.language != "sh":
        return set()
    called = [NOT_RUN.keys() & set(re.split(r"[\s|]+", line)) for line in commands(block.code)]
    return set().union(*called) if all(called) else set()


@pytest.mark.parametrize("document", WITH_SAMPLES)
def test_every_block_says_how_it_is_checked(document: str) -> None:
    for block in blocks(document):
        assert block.language in CHECKED | FREE, block.place
        if block.language == "json":
            assert block.role == "answer" or schema(block).is_file(), block.place
        else:
            assert block.role in ("", "answer") or is_module(block), block.place


def test_only_what_cannot_be_run_is_excused() -> None:
    excused = [not_run(block) for document in DOCUMENTS for block in blocks(document)]
    assert set().union(*excused) == NOT_RUN.keys()


# ── Running them ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("document", WITH_SAMPLES)
def test_samples_do_what_the_text_says(document: str, service: str, place: Path) -> None:
    """The blocks of a document run in order, in one folder: a later one may use what an earlier one wrote.

    A `json` block names its schema, and the file that the text asks the reader to save it as, if there is one. A Python module, which later
    programs import, is only saved.
    """
    output = ""
    for block in blocks(document):
        if is_module(block):
            (place / block.role).write_text(block.code.replace(SHOWN, service))
        elif block.language in PROGRAMS and not not_run(block):
            output = run(block, service, place)
        elif block.language == "graphql":
            output = ask(service, block)
        elif block.language == "text" and block.role:
            assert output.strip() == block.code.strip(), block.place
        elif block.role == "answer":
            assert_shown(json.loads(block.code), json.loads(output), block.place)
        elif block.language == "json":
            assert_valid(block)
            for name in block.role.split()[1:]:
                (place / name).write_text(block.code)


def is_module(block: Block) -> bool:
    """Whether the block is a Python module that the text asks the reader to save."""
    return block.language == "python" and block.role.endswith(".py")


def run(block: Block, service: str, place: Path) -> str:
    """What a program prints; it must succeed, and print what its comments say."""
    for name in NEEDED:
        if re.search(rf"\b{name}\b", " ".join([*PROGRAMS[block.language], block.code])) and shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    file = place / SUFFIX[block.language]
    file.write_text(block.code.replace(SHOWN, service))
    environment = {**os.environ, "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        [*PROGRAMS[block.language], file.name], cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{block.place}: {done.stdout}{done.stderr}"
    said = re.findall(r"^(?:#|//) prints: (.*)$", block.code, re.MULTILINE)
    printed = done.stdout.translate(UNSEEN)
    assert printed.splitlines()[: len(said)] == said, block.place
    return printed


def ask(service: str, block: Block) -> str:
    """What GraphQL answers to a document without variables."""
    body = json.dumps({"query": block.code}).encode()
    with urlopen(Request(f"{service}/graphql", body, {"content-type": "application/json"})) as response:
        answer: str = response.read().decode().translate(UNSEEN)
    assert "errors" not in json.loads(answer), f"{block.place}: {answer}"
    return answer


def assert_shown(shown: Any, answer: Any, where: str) -> None:
    """Everything shown is in the answer. Objects may be shortened, lists may not."""
    if isinstance(shown, dict) and isinstance(answer, dict):
        for name, value in shown.items():
            assert name in answer, f"{where}: there is no {name}"
            assert_shown(value, answer[name], f"{where} {name}")
    elif isinstance(shown, list) and isinstance(answer, list):
        assert len(shown) == len(answer), f"{where}: {answer}"
        for index, (value, other) in enumerate(zip(shown, answer, strict=True)):
            assert_shown(value, other, f"{where} {index}")
    else:
        assert shown == answer, f"{where}: shown {shown!r}, answered {answer!r}"


def schema(block: Block) -> Path:
    """The published schema that a `json` block names."""
    return ROOT / "schema" / "json" / f"{block.role.split()[0]}.json"


def assert_valid(block: Block) -> None:
    """The document fits the published schema that its block names."""
    validator = Draft202012Validator(json.loads(schema(block).read_text(encoding="utf-8")))
    problems = [error.message for error in validator.iter_errors(json.loads(block.code))]
    assert not problems, f"{block.place}: {problems}"
