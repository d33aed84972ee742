"""Adds the npm packages of the pages to the image's software bill of materials: ``contents.py BOM PACKAGE_LOCK``.

CycloneDX's tool lists the Python packages. This adds every package of npm's lock file with its digest, because a bundle does not say
which packages it holds. The same lock gives the same list, byte for byte.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote


def components(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """Each package of a package-lock.json as one CycloneDX component, sorted."""
    by_version = {
        (name, package["version"]): _component(name, package)
        for path, package in lock["packages"].items()
        if (name := path.rpartition("node_modules/")[2]) and not package.get("link")
    }
    return [by_version[key] for key in sorted(by_version)]


def _component(name: str, package: dict[str, Any]) -> dict[str, Any]:
    purl = f"pkg:npm/{quote(name, safe='/')}@{quote(package['version'])}"
    component: dict[str, Any] = {"type": "library", "bom-ref": purl, "name": name, "version": package["version"], "purl": purl}
    algorithm, _, digest = package.get("integrity", "").partition("-")
    if algorithm == "sha512":
        component["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(digest).hex()}]
    if "license" in package:
        component["licenses"] = [{"expression": package["license"]}]
    return component


def main(bom: Path, lock: Path) -> None:
    """Add the packages to the file."""
    listing = json.loads(bom.read_text())
    listing["components"] += components(json.loads(lock.read_text()))
    bom.write_text(json.dumps(listing, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
