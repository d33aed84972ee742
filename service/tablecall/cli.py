"""The ``tablecall`` command.

Each command imports what only it needs: a roll needs no server and no cryptography. A worker process imports this module too,
because it was the main module of the service.
"""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from tablecall.model.refusals import Refusal

if TYPE_CHECKING:
    from tablecall.engine.receipts import Receipts
    from tablecall.settings import Settings

_EXITS = "Ends with 0 if it was answered (a failed check is an answer), 1 if it was refused or does not match, 2 for wrong usage."

main = typer.Typer(
    help="A rules service for tabletop role-playing games: rulings, odds, and a server for both.",
    epilog=_EXITS,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

_FROM_FILE = (
    "[bold]tablecall {verb} request.json[/bold] takes a file, [bold]-[/bold] or a pipe standard input; fields after it replace those in it."
)


def _help(text: str, verb: str) -> str:
    return (
        f"{text}\n\n[bold]tablecall {verb} jazz.check actor.bonus=3 difficulty=10[/bold]\n\n"
        f"[bold]tablecall {verb} request.json seed=7[/bold] reads a file, in which the fields after it are replaced; "
        "[bold]-[/bold] or a pipe is standard input."
    )


def _tags(incomplete: str) -> list[str]:
    from tablecall.systems import ACTIONS

    return [tag for tag in ACTIONS if tag.startswith(incomplete)]


Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ACTION|FILE|-] [FIELD=VALUE]…",
        help="An action and its fields, as in a query: actor.bonus=3, attackers.0.bonus=2. Or a JSON file.",
        autocompletion=_tags,
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, as REST answers it. The default where the output is no terminal.")]
AsText = Annotated[bool, typer.Option("--text", help="Print one line of text.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print safe Markdown, for a chat.")]


def _version(wanted: bool) -> None:
    if wanted:
        from tablecall.engine.version import VERSION

        typer.echo(f"tablecall {VERSION}")
        raise typer.Exit


@main.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """Common options."""


# ── Rulings and odds ─────────────────────────────────────────────────────────────────────────────────────────────────


@main.command(epilog=_EXITS, help=_help("Roll: resolve one request and print the ruling.", "roll"))
def roll(words: Words = None, as_json: AsJson = False, as_text: AsText = False, as_markdown: AsMarkdown = False) -> None:
    """Resolve one request. With TABLECALL_SIGNING_KEY the ruling has a receipt."""
    from tablecall.engine import resolve
    from tablecall.engine.requests import tagged

    signs = any(name.upper().startswith("TABLECALL_SIGNING_KEY") for name in os.environ)
    receipts = _configured()[1] if signs else None

    def ruled(document: dict[str, Any]) -> dict[str, Any]:
        system, action, body = tagged(document)
        ruling = resolve(system, action, body)
        if receipts is not None:
            receipts.sign(body, ruling)
        return ruling

    _answer(words, ruled, _form(as_json, as_text, as_markdown))


main.command("resolve", hidden=True)(roll)


@main.command(epilog=_EXITS, help=_help("Print the odds of one request.", "odds"))
def odds(words: Words = None, as_json: AsJson = False, as_text: AsText = False, as_markdown: AsMarkdown = False) -> None:
    """The odds: exact where they can be counted, else simulated."""
    from tablecall.engine import odds as count
    from tablecall.engine.requests import tagged

    form = _form(as_json, as_text, as_markdown)

    def counted(document: dict[str, Any]) -> dict[str, Any]:
        asked = tagged(document)
        if sys.stderr.isatty() and asked[2].method != "exact":
            from tablecall.terminal import with_progress

            return with_progress(*asked)
        return count(*asked)

    _answer(words, counted, form)


@main.command(epilog=_EXITS, help=_help("Print which dice a table needs to roll next.", "rolls"))
def rolls(words: Words = None, as_json: AsJson = False, as_text: AsText = False, as_markdown: AsMarkdown = False) -> None:
    """The dice that one request needs next."""
    from tablecall.engine import rolls as needed
    from tablecall.engine.requests import tagged

    _answer(words, lambda document: needed(*tagged(document)), _form(as_json, as_text, as_markdown))


@main.command(epilog=_EXITS)
def verify(
    source: Annotated[
        Path, typer.Argument(help='A JSON file with {"request": …, "ruling": …}, or - for standard input.', allow_dash=True)
    ] = Path("-"),
    as_json: AsJson = False,
    as_text: AsText = False,
) -> None:
    """Check a ruling against its request, and its receipt against the keys of TABLECALL_VERIFYING_KEYS.

    [bold]tablecall verify game.json[/bold]
    """
    from tablecall.engine.verify import verify as check

    _, receipts = _configured()
    _answer([str(source)], lambda document: check(document, receipts), _form(as_json, as_text), lambda result: result["verdict"] == "match")


# ── The rules ────────────────────────────────────────────────────────────────────────────────────────────────────────


@main.command()
def systems(as_json: AsJson = False) -> None:
    """List the rule systems and their actions.

    [bold]tablecall systems[/bold]
    """
    from tablecall.contract.system_models import system_data
    from tablecall.systems import SYSTEMS

    _print({"systems": [system_data(system) for system in SYSTEMS.values()]}, _form(as_json))


@main.command()
def rules(
    name: Annotated[str, typer.Argument(help="A rule's id, the beginning of some ids, or a system.")] = "", as_json: AsJson = False
) -> None:
    """Print rules.

    [bold]tablecall rules jazz.karma.rescue[/bold] prints one, [bold]tablecall rules jazz.karma[/bold] those about karma.
    """
    from tablecall.contract.system_models import rule_data
    from tablecall.model.suggestions import nearest
    from tablecall.systems import SYSTEMS

    known = {rule.id: rule for system in SYSTEMS.values() for rule in system.rules}
    found = [rule_data(rule) for id_, rule in known.items() if f"{id_}.".startswith(f"{name}.") or not name]
    if not found:
        near = nearest(name, known)
        raise typer.BadParameter(f"no rule is called {name}" + (f"; did you mean {near}?" if near else ""))
    _print({"rules": found}, _form(as_json))


@main.command()
def example(
    action: Annotated[str, typer.Argument(help="The action.", autocompletion=_tags)],
    number: Annotated[int, typer.Argument(help="Which of its examples.", min=1)] = 1,
) -> None:
    """Print an example of a request, to be edited and rolled.

    [bold]tablecall example jazz.attack > attack.json[/bold], then [bold]tablecall roll attack.json[/bold]
    """
    from tablecall.model.suggestions import nearest
    from tablecall.systems import ACTIONS

    if action not in ACTIONS:
        near = nearest(action, list(ACTIONS))
        raise typer.BadParameter(f"there is no action {action}" + (f"; did you mean {near}?" if near else ": see tablecall systems"))
    examples = list(ACTIONS[action][1].examples.values())
    if number > len(examples):
        raise typer.BadParameter(f"{action} has {len(examples)} examples")
    _print({"action": action, **examples[number - 1]}, "json")


# ── The server ───────────────────────────────────────────────────────────────────────────────────────────────────────


@main.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on. Overrides TABLECALL_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; 0 chooses a free one. Overrides TABLECALL_PORT.", min=0, max=65535)
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve REST, GraphQL and the pages until SIGTERM or Ctrl-C. `tablecall settings` lists what can be configured.

    [bold]tablecall serve --port 8080 --open[/bold]
    """
    from tablecall.app import create_app
    from tablecall.runtime import server
    from tablecall.runtime.services import Services

    settings, receipts = _configured(**{name: value for name, value in (("host", host), ("port", port)) if value is not None})
    services = Services(settings, receipts)
    if open_page:
        from tablecall.terminal import open_soon

        open_soon(settings.host, settings.port)
    server.serve(create_app(services=services), settings, services)


@main.command()
def settings(as_json: AsJson = False) -> None:
    """List the environment variables that configure the service, with their defaults.

    [bold]tablecall settings[/bold]
    """
    from tablecall.settings import PREFIX, Settings

    rows = [
        {
            "name": f"{PREFIX}{name.upper()}",
            "default": field.get_default(),
            "description": " ".join((field.description or "").split()),
        }
        for name, field in Settings.model_fields.items()
    ]
    _print({"settings": rows}, _form(as_json))


@main.command()
def mcp() -> None:
    """Answer an assistant over standard input and output (Model Context Protocol). Needs the extra `mcp`."""
    from tablecall.mcp import installed

    if not installed():
        typer.echo("pip install 'tablecall[mcp]'", err=True)
        raise typer.Exit(2)
    from tablecall.mcp.stdio import serve
    from tablecall.runtime.services import Services

    serve(Services(*_configured()))


def _configured(**given: Any) -> tuple[Settings, Receipts]:
    """The settings and the keys that they name. Reports invalid ones by name, and ends the command with 2."""
    from pydantic import ValidationError

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


# ── Reading and printing ─────────────────────────────────────────────────────────────────────────────────────────────


def _form(as_json: bool, as_text: bool = False, as_markdown: bool = False) -> str:
    """How to print: ``json``, ``text``, ``markdown``, or ``terminal``."""
    chosen = [form for form, wanted in (("json", as_json), ("text", as_text), ("markdown", as_markdown)) if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter("choose one of --json, --text and --markdown")
    return chosen[0] if chosen else "terminal" if sys.stdout.isatty() else "json"


def _answer(
    words: list[str] | None,
    handler: Callable[[dict[str, Any]], dict[str, Any]],
    form: str,
    succeeded: Callable[[dict[str, Any]], bool] = bool,
) -> None:
    """Print what ``handler`` makes of the request. A refusal goes to standard error and ends the command with 1."""
    try:
        result = handler(_request(words))
    except Refusal as refusal:
        from tablecall.model.problems import problem_body

        problem = problem_body(refusal)
        typer.echo(orjson.dumps(problem, option=orjson.OPT_INDENT_2).decode() if form == "json" else _told(problem), err=True)
        raise typer.Exit(1) from None
    _print(result, form)
    raise typer.Exit(0 if succeeded(result) else 1)


def _told(problem: dict[str, Any]) -> str:
    """A problem in words, each finding with how to fix it."""
    lines = [f"{error['pointer']} {error['detail']}\n  {error['hint']}".strip() for error in problem["errors"]]
    return "\n".join([problem["title"], *(lines or [problem["detail"]])])


def _request(words: list[str] | None) -> dict[str, Any]:
    """The request that the arguments or standard input give. Refuses a document that is no JSON object."""
    from tablecall.engine import merge
    from tablecall.engine.flat import document_of
    from tablecall.engine.requests import as_object, tagged_action

    first, *fields = words or ["-"]
    if not words and sys.stdin.isatty():
        raise typer.BadParameter("name an action or a file: tablecall roll jazz.check actor.bonus=3 difficulty=10")
    if wrong := next((field for field in fields if "=" not in field), None):
        raise typer.BadParameter(f"{wrong} is no field: write it as name=value")
    pairs = [(name, value) for name, _, value in (field.partition("=") for field in fields) if value]
    is_file = first == "-" or "/" in first or first.endswith(".json") or Path(first).exists()
    document = _read(Path(first)) if is_file else {"action": first}
    sent = as_object(document)
    return as_object(merge(sent, document_of(tagged_action(sent)[1].body, pairs))) if pairs else sent


def _read(source: Path) -> Any:
    from tablecall.http.json_body import parse

    try:
        text = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{source}: {error.strerror}") from None
    return parse(_as_utf8(text))


def _as_utf8(text: bytes) -> bytes:
    """The text in UTF-8. UTF-16 is read if it has a byte order mark, as some editors and shells write it."""
    return text.decode("utf-16", "replace").encode() if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else text


def _print(result: dict[str, Any], form: str) -> None:
    if form == "terminal":
        from tablecall.terminal import show

        show(result)
    else:
        typer.echo(orjson.dumps(result, option=orjson.OPT_INDENT_2) if form == "json" else _line(result, form))


def _line(result: dict[str, Any], form: str) -> str:
    """An answer as one line of text or as Markdown."""
    if "outcomes" in result:
        from tablecall.http.odds_forms import in_markdown, in_words

        return in_words(result) if form == "text" else in_markdown(result)
    if "needed" in result:
        return ", ".join(f"{one['name']}: {one['dice']} for {one['roll']}" for one in result["needed"]) or "all dice are there"
    return str(result["verdict"] if "verdict" in result else result["summary" if form == "text" else "markdown"])
