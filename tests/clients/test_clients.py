"""Clients are generated from the committed contracts, type-checked, and run against a running service."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tablecall.engine import odds, resolve
from tablecall.systems import ACTIONS, SYSTEMS
from tests.clients.conftest import HERE, Tools, serving
from tests.clients.programs.sheets import ATTACK, CHECK
from tests.support.growing import Tree, grow

ROOT = HERE.parent.parent
OPENAPI = ROOT / "openapi" / "openapi.json"
ONE_SYSTEM = ROOT / "openapi" / "jazz.json"
"""The document of one system: the smallest that a tracker needs."""
SCHEMA = ROOT / "schema" / "schema.graphql"
PROGRAMS = HERE / "programs"


def expected() -> dict[str, Any]:
    """What every program must receive, computed without HTTP."""
    check, attack = _answer("jazz.check", CHECK), _answer("jazz.attack", ATTACK)
    system, action = ACTIONS["jazz.check"]
    chances = odds(system, action, action.body.model_validate(CHECK))["outcomes"]
    defender = attack["after"]["defender"]["character"]
    return {
        "check": {"outcome": check["outcome"], "total": check["total"]},
        "attack": {"outcome": attack["outcome"], "defender": defender["id"], "out": defender["out"]},
        "refusal": {"status": 422, "pointer": "/actor/bonus", "rule": "jazz.aspects.highest"},
        "odds": [f"{row['outcome']} {row['fraction']}" for row in chances],
    }


def _answer(tag: str, body: dict[str, Any]) -> dict[str, Any]:
    system, action = ACTIONS[tag]
    return resolve(system, action, action.body.model_validate(body))


def printed(output: str) -> dict[str, Any]:
    """The line of JSON a program prints."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    document: dict[str, Any] = json.loads(lines[-1])
    return document


# ── TypeScript ───────────────────────────────────────────────────────────────────────────────────────────────────────

GENERATORS: dict[str, list[str]] = {
    "openapi-fetch": ["openapi-typescript", str(ONE_SYSTEM), "--output", "generated/api.d.ts"],
    "hey-api": ["openapi-ts", "--input", str(OPENAPI), "--output", "generated", "--client", "@hey-api/client-fetch"],
    "orval": ["orval", "--input", str(OPENAPI), "--output", "generated/api.ts", "--client", "fetch"],
    "redocly": ["redocly", "generate-client", str(OPENAPI), "--output", "generated/client.ts", "--error-mode", "result"],
    "graphql-codegen": ["graphql-codegen", "--config", "codegen.json"],
    "gql-tada": ["gql.tada", "generate-output"],
}


@pytest.mark.parametrize("name", GENERATORS)
def test_typescript(name: str, tools: Tools, service: str, tmp_path: Path) -> None:
    _prepare(name, tmp_path, tools)
    tools.run(*GENERATORS[name], cwd=tmp_path)
    tools.run("tsc", "--project", "tsconfig.json", cwd=tmp_path)
    tools.run("esbuild", f"{name}.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=bundle.mjs", cwd=tmp_path)
    assert printed(tools.run("node", "bundle.mjs", service, cwd=tmp_path)) == expected()


@pytest.mark.parametrize("system", SYSTEMS)
def test_types_of_one_system_are_small(system: str, tools: Tools, tmp_path: Path) -> None:
    tools.run("openapi-typescript", ROOT / "openapi" / f"{system}.json", "--output", "api.d.ts", cwd=tmp_path)
    assert 100_000 < (tmp_path / "api.d.ts").stat().st_size <= 250_000


def test_tracker_needs_no_flag_and_no_cast(tools: Tools, service: str, tmp_path: Path) -> None:
    """What comes back in `after` is sent again as it is, and the compiler agrees."""
    _prepare("tracker", tmp_path, tools)
    tools.run("openapi-typescript", ONE_SYSTEM, "--output", "generated/api.d.ts", cwd=tmp_path)
    tools.run("tsc", "--project", "tsconfig.json", cwd=tmp_path)
    assert not re.search(r"\bas\b|\bany\b|@ts-|[\])\w]!", "\n".join(_code("tracker.ts")))
    tools.run("esbuild", "tracker.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=bundle.mjs", cwd=tmp_path)
    assert printed(tools.run("node", "bundle.mjs", service, cwd=tmp_path)) == {"over": "crew", "turns": 18, "round": 7}


def _code(program: str) -> list[str]:
    """The lines of a program that are no comments."""
    return [line for line in (PROGRAMS / program).read_text(encoding="utf-8").splitlines() if not line.startswith("//")]


def _prepare(name: str, folder: Path, tools: Tools) -> None:
    """A project with the program, its requests, and the generator's settings."""
    for file in (f"{name}.ts", "sheets.ts", "tsconfig.json"):
        shutil.copy(PROGRAMS / file, folder)
    (folder / "node_modules").symlink_to(tools.modules)
    (folder / "package.json").write_text('{"type": "module"}')
    preset = {"preset": "client", "presetConfig": {"fragmentMasking": False}, "config": {"useTypeImports": True, "scalars": SCALARS}}
    settings = {"schema": str(SCHEMA), "documents": [f"{name}.ts"], "generates": {"./generated/": preset}}
    (folder / "codegen.json").write_text(json.dumps(settings))
    if name == "gql-tada":
        options = json.loads((folder / "tsconfig.json").read_text())
        plugin = {"name": "gql.tada/ts-plugin", "schema": str(SCHEMA), "tadaOutputLocation": "./generated/graphql-env.d.ts"}
        options["compilerOptions"]["plugins"] = [plugin]
        (folder / "tsconfig.json").write_text(json.dumps(options))
        (folder / "generated").mkdir()


SCALARS = {"Seed": "string | number", "Id": "string | number", "JSON": "unknown"}


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────────────────

MODELS = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated", "--use-type-alias"]
STYLE = ["--enum-field-as-literal", "all", "--formatters", "builtin", "--target-python-version", "3.11"]


def test_datamodel_code_generator(tools: Tools, service: str, tmp_path: Path) -> None:
    tools.run("datamodel-codegen", "--input", OPENAPI, "--output", "generated.py", *MODELS, *STYLE, cwd=tmp_path)
    _check_and_run("datamodel", tools, service, tmp_path)


def test_client_of_before_works_after_growth(tools: Tools, tmp_path: Path) -> None:
    """The strictest of the clients: it validates every answer."""
    tree = Tree(tmp_path / "tree")
    grow(tree)
    tools.run("datamodel-codegen", "--input", OPENAPI, "--output", "generated.py", *MODELS, *STYLE, cwd=tmp_path)
    with serving(tree.environment) as service:
        _check_and_run("datamodel", tools, service, tmp_path)


def test_openapi_python_client(tools: Tools, service: str, tmp_path: Path) -> None:
    output = tools.run("openapi-python-client", "generate", "--path", OPENAPI, "--output-path", "generated", "--meta", "none", cwd=tmp_path)
    assert "warning" not in output.lower(), output
    _check_and_run("openapi_python_client", tools, service, tmp_path)


def test_ariadne_codegen(tools: Tools, service: str, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "operations.graphql", tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.ariadne-codegen]\nschema_path = "{SCHEMA}"\nqueries_path = "operations.graphql"\n'
        'target_package_name = "generated"\n[tool.ariadne-codegen.scalars.Seed]\ntype = "str | int"\n'
        '[tool.ariadne-codegen.scalars.Id]\ntype = "str | int"\n'
    )
    tools.run("ariadne-codegen", cwd=tmp_path)
    _check_and_run("ariadne", tools, service, tmp_path)


def _check_and_run(name: str, tools: Tools, service: str, folder: Path) -> None:
    for file in (f"{name}.py", "sheets.py"):
        shutil.copy(PROGRAMS / file, folder)
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-executable", tools.python)
    tools.run(*mypy, "--cache-dir", folder.parent / "mypy", "--follow-imports=silent", f"{name}.py", cwd=folder)
    assert printed(tools.run(tools.python, f"{name}.py", service, cwd=folder)) == expected()
