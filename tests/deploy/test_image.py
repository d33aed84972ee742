"""The image: built from the locks, with a complete list of contents."""

from __future__ import annotations

import json
import re
from pathlib import Path

from deploy import contents
from deploy.proof import image

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()

LOCK = {
    "packages": {
        "": {"name": "pages", "version": "1"},
        "node_modules/b": {"version": "2.0.0-x+y", "license": "MIT"},
        "node_modules/@scope/a": {"version": "1.0.0", "integrity": "sha512-AAEC"},
        "node_modules/b/node_modules/@scope/a": {"version": "1.0.0", "integrity": "sha512-AAEC"},
        "node_modules/here": {"link": True},
    }
}


def test_each_npm_package_is_listed_once_with_its_digest() -> None:
    assert contents.components(LOCK) == [
        {
            "type": "library",
            "bom-ref": "pkg:npm/%40scope/a@1.0.0",
            "name": "@scope/a",
            "version": "1.0.0",
            "purl": "pkg:npm/%40scope/a@1.0.0",
            "hashes": [{"alg": "SHA-512", "content": "000102"}],
        },
        {
            "type": "library",
            "bom-ref": "pkg:npm/b@2.0.0-x%2By",
            "name": "b",
            "version": "2.0.0-x+y",
            "purl": "pkg:npm/b@2.0.0-x%2By",
            "licenses": [{"expression": "MIT"}],
        },
    ]


def test_npm_packages_are_added_to_the_list(tmp_path: Path) -> None:
    bom, lock = tmp_path / "bom.json", tmp_path / "lock.json"
    bom.write_text(json.dumps({"components": [{"name": "starlette"}]}))
    lock.write_text(json.dumps(LOCK))
    contents.main(bom, lock)
    assert [part["name"] for part in json.loads(bom.read_text())["components"]] == ["starlette", "@scope/a", "b"]


def test_every_package_is_installed_by_its_hash() -> None:
    installed = re.findall(r"pip(?: --python \S+)? install (.*?)(?= \\|$)", DOCKERFILE, re.MULTILINE)
    assert len(installed) == 5
    for options in installed:
        assert "--require-hashes" in options or "--no-index" in options


def test_copied_files_are_not_ignored() -> None:
    allowed = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().splitlines()
    for place in [place for line in re.findall(r"^COPY ((?!--from).*) \S+$", DOCKERFILE, re.MULTILINE) for place in line.split()]:
        assert place == "." or any(place == rule[1:] or place.startswith(f"{rule[1:]}/") for rule in allowed if rule.startswith("!"))


def test_image_runs_as_a_numbered_user_and_is_the_one_that_is_proved() -> None:
    lines = {"USER 10001:10001", f"ARG PYTHON_IMAGE={image.BASE}", f"ARG SOURCE_DATE_EPOCH={image.DATE}"}
    assert lines <= set(DOCKERFILE.splitlines())
