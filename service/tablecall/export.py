"""Writes the generated files of the repository: ``python -m tablecall.export``. For maintainers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablecall.app import contracts
from tablecall.contract import golden_rulings

main = typer.Typer(add_completion=False)


@main.command()
def export(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is out of date.")] = False,
    golden: Annotated[bool, typer.Option("--goldens", help="Also add missing golden rulings and dice vectors.")] = False,
    remake: Annotated[
        bool, typer.Option("--remake", help="With --goldens: make those that differ again, for a release that breaks.")
    ] = False,
    root: Annotated[Path, typer.Option(help="The folder of the repository.", exists=True, file_okay=False)] = Path(),
) -> None:
    """Write the generated files in openapi/ and schema/. Existing golden rulings only change with --remake."""
    make = golden_rulings.remake if remake else golden_rulings.make
    for sentence in make(root) if golden and not check else ():
        typer.echo(sentence)
    generated = {**contracts(), str(golden_rulings.SENTENCES): golden_rulings.sentences(root)}
    stale = sorted(path for path, text in generated.items() if not (root / path).exists() or (root / path).read_bytes() != text)
    extra = sorted(
        str(path.relative_to(root)) for path in (root / "schema" / "json").glob("*.json") if str(path.relative_to(root)) not in generated
    )
    if check:
        for path in [*stale, *extra]:
            typer.echo(f"{path} is out of date: run `make export`")
        differences = list(golden_rulings.check(root))
        for sentence in differences:
            typer.echo(sentence)
        raise typer.Exit(1 if stale or extra or differences else 0)
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(generated[path])
    for path in extra:
        (root / path).unlink()
    typer.echo(f"{len(stale)} written, {len(extra)} removed, {len(generated) - len(stale)} unchanged")


if __name__ == "__main__":
    main()
