"""The check for breaking changes of the contracts."""

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
from tests.support.growing import Tree, grow

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
    """A folder with the contracts as released."""
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


def remove_a_property(document: dict[str, Any]) -> None:
    die = document["components"]["schemas"]["Die"]
    del die["properties"]["kept"]
    die["required"].remove("kept")


def require_a_field(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["JazzCheck"]["required"].append("difficulty")


def add_an_optional_field(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["JazzCheck"]["properties"]["mood"] = {"type": "string", "description": "How it feels."}


def add_an_action(document: dict[str, Any]) -> None:
    """A new action has a new member in the unions of requests and of rulings, and new paths."""
    schemas = document["components"]["schemas"]
    for union, model in (("ResolveRequest", "JazzCheckRequest"), ("Ruling", "JazzCheckRuling")):
        new = model.replace("Check", "Dance")
        schemas[new] = json.loads(json.dumps(schemas[model]).replace("jazz.check", "jazz.dance"))
        schemas[union]["oneOf"].append({"$ref": f"#/components/schemas/{new}"})
        schemas[union]["discriminator"]["mapping"]["jazz.dance"] = f"#/components/schemas/{new}"


def add_an_optional_field_to_an_answer(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["Die"]["properties"]["colour"] = {"type": "string", "description": "Its colour."}


def remove_an_action(document: dict[str, Any]) -> None:
    for union in ("ResolveRequest", "Ruling"):
        schema = document["components"]["schemas"][union]
        gone = schema["discriminator"]["mapping"].pop("jazz.check")
        schema["oneOf"].remove({"$ref": gone})


def rename_an_action(document: dict[str, Any]) -> None:
    add_an_action(document)
    remove_an_action(document)


def add_an_outcome_to_an_action_that_was_released(document: dict[str, Any]) -> None:
    document["components"]["schemas"]["JazzCheckOutcome"]["enum"].append("farce")


def test_no_change_is_accepted(released: Path) -> None:
    assert breaking.compare(released) == []


@pytest.mark.parametrize(
    "edit",
    [remove_a_property, require_a_field, remove_an_action, rename_an_action, add_an_outcome_to_an_action_that_was_released],
)
def test_breaking_change_is_refused_with_a_remedy(released: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    change(released, edit)
    report = "\n".join(breaking.compare(released))
    assert "✖ major" in report
    assert "raise the version in pyproject.toml" in report


@pytest.mark.parametrize("edit", [add_an_optional_field, add_an_optional_field_to_an_answer, add_an_action])
def test_addition_is_accepted(released: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    change(released, edit)
    assert breaking.compare(released) == []


def test_growth_is_accepted(tools: Tools, tmp_path: Path) -> None:
    """A new field, a new member of an answer, a new action and a new system, all by the tools."""
    tree = Tree(tmp_path)
    breaking.release(tree.root)
    grow(tree)
    tree.export()
    assert "d20.check" in (tree.root / "openapi" / "openapi.json").read_text("utf-8")
    assert breaking.compare(tree.root) == []


def test_breaking_change_of_graphql_is_refused(released: Path) -> None:
    file = released / "schema" / "schema.graphql"
    text = file.read_text()
    file.write_text(text.replace('  """Whether it is part of the total."""\n  kept: Boolean!\n', ""))
    assert file.read_text() != text
    assert "✖  Field kept was removed from object type Die" in "\n".join(breaking.compare(released))


def test_new_version_may_break(released: Path) -> None:
    change(released, remove_a_property)
    change(released, lambda document: document["info"].update(version="1.0.0"))
    assert breaking.compare(released) == []


@pytest.mark.parametrize(
    ("before", "after", "may"),
    [("0.1.0", "0.1.1", False), ("0.1.0", "0.2.0", True), ("0.9.0", "1.0.0", True), ("1.2.0", "1.3.0", False), ("1.2.0", "2.0.0", True)],
)
def test_versions_that_may_break(before: str, after: str, may: bool) -> None:
    assert breaking._may_break(before, after) is may


def test_next_version() -> None:
    assert breaking._next("0.1.4") == "0.2.0"
    assert breaking._next("1.2.3") == "2.0.0"
