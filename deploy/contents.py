"""Adds what the pages are built from to the image's list of contents: ``contents.py BOM PACKAGE_LOCK``.

CycloneDX's own tool lists the Python packages; here npm's lock joins them, with the digests it pins. All of the lock, since a
bundle does not say which of it went in. The same lock gives the same list, byte for byte.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote


def components(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """Each package of a package-lock.json as a CycloneDX component, in order, once each."""
    found = {
        (name, package["version"]): _component(name, package)
        for path, package in lock["packages"].items()
        if (name := path.rpartition("node_modules/")[2]) and not package.get("link")
    }
    return [found[key] for key in sorted(found)]


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
    """Rewrite the list with the packages added."""
    listing = json.loads(bom.read_text())
    listing["components"] += components(json.loads(lock.read_text()))
    bom.write_text(json.dumps(listing, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
