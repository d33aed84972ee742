"""The command ``tablecall``: serve, resolve, odds, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
import uvicorn
from pydantic import ValidationError

from service.doors.problems import body_of
from service.doors.reading import as_object, parse, tagged
from service.readings import odds as count
from service.readings import resolve as rule_on
from service.refusal import Refusal
from service.settings import Settings

main = typer.Typer(help="A rules service for tabletop role-playing games.", no_args_is_help=True, add_completion=False)

Source = Annotated[Path, typer.Argument(help="A file with a request as JSON; - reads it from the standard input.", allow_dash=True)]


@main.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on (TABLECALL_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on (TABLECALL_PORT).", min=0, max=65535)] = None,
) -> None:
    """Serve REST and GraphQL until told to stop."""
    from service.app import create_app

    given: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    try:
        settings = Settings(**given)
    except ValidationError as error:
        for detail in error.errors():
            typer.echo(f"TABLECALL_{'_'.join(map(str, detail['loc'])).upper()}: {detail['msg']}", err=True)
        raise typer.Exit(2) from None
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, access_log=False, server_header=False)


@main.command()
def resolve(source: Source) -> None:
    """Resolve one request and print the ruling."""
    _answer(source, rule_on)


@main.command()
def odds(source: Source) -> None:
    """Print the exact odds of one request."""
    _answer(source, count)


def _answer(source: Path, reading: Any) -> None:
    text = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    try:
        found, code = reading(*tagged(as_object(parse(text)))), 0
    except Refusal as refusal:
        found, code = body_of(refusal), 1
    typer.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    raise typer.Exit(code)


@main.command()
def export(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail where a file is not what it should be.")] = False,
    golden: Annotated[bool, typer.Option("--goldens", help="Also make the golden rulings and dice vectors that are missing.")] = False,
    root: Annotated[Path, typer.Option(help="The repository.", exists=True, file_okay=False)] = Path(),
) -> None:
    """Write everything that is generated: openapi/ and schema/. What is golden is only ever added to, and when asked."""
    from service.doors import goldens
    from service.doors.generated import texts

    found = texts()
    stale = sorted(path for path, text in found.items() if not (root / path).exists() or (root / path).read_bytes() != text)
    extra = sorted(
        str(path.relative_to(root)) for path in (root / "schema" / "json").glob("*.json") if str(path.relative_to(root)) not in found
    )
    if check:
        for path in [*stale, *extra]:
            typer.echo(f"{path} is not what `tablecall export` makes")
        raise typer.Exit(1 if stale or extra else 0)
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(found[path])
    for path in extra:
        (root / path).unlink()
    for sentence in goldens.make(root) if golden else ():
        typer.echo(sentence)
    typer.echo(f"{len(stale)} written, {len(extra)} removed, {len(found) - len(stale)} as they were")
