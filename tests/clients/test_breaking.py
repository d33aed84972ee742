"""The gate: what breaks a client is stopped, what does not is let through, and a new version may break."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.clients.conftest import HERE, Tools

ROOT = HERE.parent.parent


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("breaking", ROOT / ".ci" / "breaking.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


breaking = _module()


@pytest.fixture
def released(tools: Tools, tmp_path: Path) -> Path:
    """A folder whose contracts were just released."""
    for name in ("openapi/openapi.json", "schema/schema.graphql"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    breaking.release(tmp_path)
    return tmp_path


def change(root: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    file = root / "openapi" / "openapi.json"
    document = json.loads(file.read_text())
    edit(document)
    file.write_text(json.dumps(document))


def lose_a_property(document: dict[str, Any]) -> None:
    die = document["components"]["schemas"]["Die"]
    del die["properties"]["kept"]
    die["required"].remove("kept")


def ask_for_more(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["JazzCheck"]["required"].append("difficulty")


def gain_an_option(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["JazzCheck"]["properties"]["mood"] = {"type": "string", "description": "How it feels."}


def renumber(version: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["info"].update(version=version)


def test_what_is_as_released_breaks_nothing(released: Path) -> None:
    assert breaking.compare(released) == []


@pytest.mark.parametrize("edit", [lose_a_property, ask_for_more])
def test_a_break_is_stopped_and_the_way_out_is_told(released: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    change(released, edit)
    said = "\n".join(breaking.compare(released))
    assert "✖ major" in said
    assert "raise the version in pyproject.toml" in said


def test_an_addition_is_let_through(released: Path) -> None:
    change(released, gain_an_option)
    assert breaking.compare(released) == []


def test_a_break_in_graphql_is_stopped(released: Path) -> None:
    file = released / "schema" / "schema.graphql"
    text = file.read_text()
    file.write_text(text.replace('  """Whether it is part of the total."""\n  kept: Boolean!\n', ""))
    assert file.read_text() != text
    assert "✖  Field kept was removed from object type Die" in "\n".join(breaking.compare(released))


def test_a_new_version_may_break(released: Path) -> None:
    change(released, lose_a_property)
    change(released, renumber("1.0.0"))
    assert breaking.compare(released) == []


@pytest.mark.parametrize(
    ("before", "after", "may"),
    [("0.1.0", "0.1.1", False), ("0.1.0", "0.2.0", True), ("0.9.0", "1.0.0", True), ("1.2.0", "1.3.0", False), ("1.2.0", "2.0.0", True)],
)
def test_which_version_may_break(before: str, after: str, may: bool) -> None:
    assert breaking._may_break(before, after) is may


def test_which_version_comes_next() -> None:
    assert breaking._next("0.1.4") == "0.2.0"
    assert breaking._next("1.2.3") == "2.0.0"
