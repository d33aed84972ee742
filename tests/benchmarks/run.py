"""Runs every benchmark in this folder, one after the other: each module's `main` prints its table."""

from __future__ import annotations

import runpy
from pathlib import Path


def main() -> None:
    """Run them all."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name != Path(__file__).name:
            print(f"── {path.stem} " + "─" * (100 - len(path.stem)))
            runpy.run_path(str(path), run_name="__main__")
            print()


if __name__ == "__main__":
    main()
