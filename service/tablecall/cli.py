"""The ``tablecall`` command: serve, resolve, odds, rolls, verify, export.

Each command imports what only it needs. A worker process imports this module too, because it was the main module of the service:
without the server and the cryptography it starts sooner and holds 10 MB less.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from pydantic import ValidationError

from tablecall.engine import odds as count
from tablecall.engine import resolve as rule
from tablecall.engine import rolls as needed
from tablecall.engine.requests import as_object, tagged
from tablecall.http.json_body import parse
from tablecall.model.problems import problem_body
from tablecall.model.refusals import Refusal

if TYPE_CHECKING:
    from tablecall.engine.receipts import Receipts
    from tablecall.settings import Settings

main = typer.Typer(help="A rules service for tabletop role-playing games.", no_args_is_help=True, add_completion=False)

Source = Annotated[Path, typer.Argument(help="A JSON file with one request, or - for standard input.", allow_dash=True)]

Handler = Callable[[dict[str, Any]], dict[str, Any]]


@main.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on. Overrides TABLECALL_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; 0 chooses a free one. Overrides TABLECALL_PORT.", min=0, max=65535)
    ] = None,
) -> None:
    """Serve REST and GraphQL until SIGTERM or Ctrl-C. TABLECALL_… environment variables configure the service."""
    from tablecall.app import create_app
    from tablecall.runtime import server
    from tablecall.runtime.services import Services

    settings, receipts = _configured(**{name: value for name, value in (("host", host), ("port", port)) if value is not None})
    services = Services(settings, receipts)
    server.serve(create_app(services=services), settings, services)


def _configured(**given: Any) -> tuple[Settings, Receipts]:
    """The settings and the keys that they name. Reports invalid ones by name, and ends the command with 2."""
    from tablecall.runtime.signing_keys import KeyProblem, receipts_of
    from tablecall.settings import PREFIX, Settings

    try:
        settings = Settings(**given)
        return settings, receipts_of(settings)
    except ValidationError as error:
        for detail in error.errors():
            name, *entry = detail["loc"]
            where = "".join(f", entry {number + 1}" for number in entry if isinstance(number, int))
            typer.echo(f"{PREFIX}{str(name).upper()}{where}: {detail['msg']}", err=True)
    except KeyProblem as error:
        typer.echo(str(error), err=True)
    raise typer.Exit(2)


@main.command()
def resolve(source: Source) -> None:
    """Resolve one request and print the ruling. With TABLECALL_SIGNING_KEY it has a receipt."""
    _, receipts = _configured()

    def signed(document: dict[str, Any]) -> dict[str, Any]:
        system, action, body = tagged(document)
        ruling = rule(system, action, body)
        receipts.sign(body, ruling)
        return ruling

    _answer(source, signed)


@main.command()
def odds(source: Source) -> None:
    """Print the exact odds of one request."""
    _answer(source, lambda document: count(*tagged(document)))


@main.command()
def rolls(source: Source) -> None:
    """Print which dice one request needs next, for dice rolled at the table."""
    _answer(source, lambda document: needed(*tagged(document)))


@main.command()
def verify(
    source: Annotated[Path, typer.Argument(help='A JSON file with {"request": …, "ruling": …}, or - for standard input.', allow_dash=True)],
) -> None:
    """Check a ruling against its request and its receipt. Exits with 1 unless they match."""
    from tablecall.engine.verify import verify as check

    _, receipts = _configured()
    _answer(source, lambda document: check(document, receipts), lambda result: result["verdict"] == "match")


def _answer(source: Path, handler: Handler, succeeded: Callable[[dict[str, Any]], bool] = bool) -> None:
    """Print what ``handler`` makes of the document; a refusal is printed as its problem and ends the command with 1."""
    text = _read(source)
    try:
        result = handler(as_object(parse(text)))
        code = 0 if succeeded(result) else 1
    except Refusal as refusal:
        result, code = problem_body(refusal), 1
    typer.echo(orjson.dumps(result, option=orjson.OPT_INDENT_2))
    raise typer.Exit(code)


def _read(source: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{source}: {error.strerror}") from None


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
    from tablecall.app import contracts
    from tablecall.contract import golden_rulings

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
            typer.echo(f"{path} is out of date: run `tablecall export`")
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
