"""The command ``tablecall``: serve, resolve, odds, verify, export."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from pydantic import ValidationError

from tablecall.engine import odds as count
from tablecall.engine import resolve as rule
from tablecall.engine.requests import as_object, tagged
from tablecall.engine.verify import verify as check
from tablecall.http.json_body import parse
from tablecall.model.problems import problem_body
from tablecall.model.refusals import Refusal
from tablecall.runtime.signing_keys import KeyProblem, receipts_of
from tablecall.settings import PREFIX, Settings

main = typer.Typer(help="A rules service for tabletop role-playing games.", no_args_is_help=True, add_completion=False)

Source = Annotated[Path, typer.Argument(help="A file with a request as JSON; - reads it from the standard input.", allow_dash=True)]

Reading = Callable[[dict[str, Any]], dict[str, Any]]


@main.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on (TABLECALL_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on (TABLECALL_PORT).", min=0, max=65535)] = None,
) -> None:
    """Serve REST and GraphQL until told to stop."""
    from tablecall.app import create_app
    from tablecall.runtime import server
    from tablecall.runtime.services import Services

    given: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    with _settled():
        settings = Settings(**given)
        services = Services(settings)
        app = create_app(services=services)
    server.serve(app, settings, services)


@contextmanager
def _settled() -> Iterator[None]:
    """Say which setting is not one, and stop."""
    try:
        yield
    except ValidationError as error:
        for detail in error.errors():
            name, *entry = detail["loc"]
            where = "".join(f", entry {number + 1}" for number in entry if isinstance(number, int))
            typer.echo(f"{PREFIX}{str(name).upper()}{where}: {detail['msg']}", err=True)
        raise typer.Exit(2) from None
    except KeyProblem as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None


@main.command()
def resolve(source: Source) -> None:
    """Resolve one request and print the ruling, with a receipt where there is a key (TABLECALL_SIGNING_KEY)."""
    with _settled():
        receipts = receipts_of(Settings())

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
def verify(
    source: Annotated[Path, typer.Argument(help='A file with {"request": …, "ruling": …}; - reads the standard input.', allow_dash=True)],
) -> None:
    """Check a ruling against its request and its receipt; fails unless they match."""
    with _settled():
        receipts = receipts_of(Settings())
    _answer(source, lambda document: check(document, receipts), lambda found: found["verdict"] == "match")


def _answer(source: Path, reading: Reading, good: Callable[[dict[str, Any]], bool] = bool) -> None:
    text = _read(source)
    try:
        found = reading(as_object(parse(text)))
        code = 0 if good(found) else 1
    except Refusal as refusal:
        found, code = problem_body(refusal), 1
    typer.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    raise typer.Exit(code)


def _read(source: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{source}: {error.strerror}") from None


@main.command()
def export(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail where a file is not what it should be.")] = False,
    golden: Annotated[bool, typer.Option("--goldens", help="Also make the golden rulings and dice vectors that are missing.")] = False,
    root: Annotated[Path, typer.Option(help="The repository.", exists=True, file_okay=False)] = Path(),
) -> None:
    """Write everything that is generated: openapi/ and schema/. What is golden is only ever added to, and when asked."""
    from tablecall.app import contracts
    from tablecall.contract import golden_rulings

    found = contracts()
    stale = sorted(path for path, text in found.items() if not (root / path).exists() or (root / path).read_bytes() != text)
    extra = sorted(
        str(path.relative_to(root)) for path in (root / "schema" / "json").glob("*.json") if str(path.relative_to(root)) not in found
    )
    if check:
        for path in [*stale, *extra]:
            typer.echo(f"{path} is not what `tablecall export` makes")
        broken = list(golden_rulings.check(root))
        for sentence in broken:
            typer.echo(sentence)
        raise typer.Exit(1 if stale or extra or broken else 0)
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(found[path])
    for path in extra:
        (root / path).unlink()
    for sentence in golden_rulings.make(root) if golden else ():
        typer.echo(sentence)
    typer.echo(f"{len(stale)} written, {len(extra)} removed, {len(found) - len(stale)} as they were")
