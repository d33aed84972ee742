"""The entry point of the ``tablecall`` command, also as ``python -m tablecall``. It says which extra is missing."""

from __future__ import annotations

import sys

from tablecall.model import documented


def main() -> None:
    """Run the command."""
    documented.WANTED = sys.argv[1:2] in (["serve"], ["mcp"])
    try:
        from tablecall.cli import main as run

        run()
    except ModuleNotFoundError as error:
        extra = "cli" if error.name in ("typer", "rich") else "server"
        sys.exit(f"The command needs more packages: pip install 'tablecall[{extra}]' (there is no {error.name})")


if __name__ == "__main__":
    main()
