"""Compares the contracts with those last released, and fails where a client of those would break.

    python .ci/breaking.py            compare openapi/openapi.json and schema/schema.graphql with the released ones
    python .ci/breaking.py --release  take what is here as released from now on

A new optional field, action or system is no break. The released contracts
stand beside the others, as released.json (without its examples) and released.graphql. A break that is meant needs a new version in
pyproject.toml: a new major one, or before 1.0 a new minor one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "tests" / "clients" / "node_modules" / ".bin"


def compare(root: Path) -> list[str]:
    """What breaks, as the tools tell it: nothing where nothing does, or where the version says that it may."""
    released, now = _read(root / "openapi" / "released.json"), _read(root / "openapi" / "openapi.json")
    before, after = released["info"]["version"], now["info"]["version"]
    if _may_break(before, after):
        return []
    with TemporaryDirectory() as folder:
        compared = Path(folder) / "openapi.json"
        compared.write_text(json.dumps(_without_new_members(now, released)), "utf-8")
        redocly = ("redocly", "diff", "openapi/released.json", str(compared), "--fail-on", "major")
        inspector = ("graphql-inspector", "diff", "schema/released.graphql", "schema/schema.graphql")
        said = [text for command in (redocly, inspector) if (text := _complaint(command, root))]
    if said:
        said.append(
            f"This breaks clients of {before}. If it is meant, raise the version in pyproject.toml to {_next(before)}, say so in "
            "CHANGELOG.md, and run `make export`. When that version is out, `make released` makes its contract the one to keep."
        )
    return said


def release(root: Path) -> None:
    """Take the contracts that are here as released."""
    document = _read(root / "openapi" / "openapi.json")
    document["components"]["examples"] = {}
    text = json.dumps(_without_examples(document), ensure_ascii=False, indent=1, sort_keys=True)
    (root / "openapi" / "released.json").write_text(text + "\n", "utf-8")
    shutil.copy(root / "schema" / "schema.graphql", root / "schema" / "released.graphql")


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _without_new_members(now: dict[str, Any], released: dict[str, Any]) -> dict[str, Any]:
    """The document without the new members of its tagged unions, such as the ruling of a new action.

    Redocly takes any new member of an answer for a break. But an answer has the tag that the client asked for, so a client that does not
    know an action never gets its ruling. What is inside a member that was released is compared as it is.
    """
    before = released["components"]["schemas"]
    schemas = dict(now["components"]["schemas"])
    for name, schema in schemas.items():
        if "discriminator" in schema and "oneOf" in before.get(name, {}):
            known = {member["$ref"] for member in before[name]["oneOf"]}
            mapping = schema["discriminator"]["mapping"]
            schemas[name] = {
                **schema,
                "oneOf": [member for member in schema["oneOf"] if member["$ref"] in known],
                "discriminator": {**schema["discriminator"], "mapping": {tag: ref for tag, ref in mapping.items() if ref in known}},
            }
    return {**now, "components": {**now["components"], "schemas": schemas}}


def _without_examples(value: Any) -> Any:
    """A document without the examples of its operations; a property may well be called so."""
    if isinstance(value, dict):
        return {
            key: _without_examples(part) for key, part in value.items() if key != "examples" or "schema" not in value or "$ref" in value
        }
    return [_without_examples(part) for part in value] if isinstance(value, list) else value


def _numbers(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def _may_break(before: str, after: str) -> bool:
    (major, minor), (new_major, new_minor) = _numbers(before), _numbers(after)
    return new_major > major or (major == new_major == 0 and new_minor > minor)


def _next(version: str) -> str:
    major, minor = _numbers(version)
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def _complaint(command: tuple[str, ...], root: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "REDOCLY_TELEMETRY": "off", "NO_COLOR": "1"}
    done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=root, env=environment, capture_output=True, text=True)
    if not done.returncode:
        return ""
    # Both mark what breaks with a cross; without one, the tool itself failed.
    broken = [line for line in done.stdout.splitlines() if "✖" in line]
    return "\n".join([f"{command[0]}:", *broken]) if broken else f"{done.stdout}\n{done.stderr}".strip()


if __name__ == "__main__":
    if sys.argv[1:] == ["--release"]:
        release(ROOT)
    else:
        sys.exit("\n\n".join(compare(ROOT)) or None)
