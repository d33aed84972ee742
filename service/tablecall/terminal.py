"""Answers for people at a terminal: colours, words and bars. Colour never carries meaning alone."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tablecall.dice.rng import seed_text
from tablecall.engine import Budget, SimulationResult, part_count, run_trials, simulated_odds
from tablecall.engine.odds import exact_odds
from tablecall.engine.outcomes import worded
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount
from tablecall.systems.system import Action, System

_BAR = 30
_GOOD, _BAD = "green", "red"


def show(result: Mapping[str, Any]) -> None:
    """Print an answer for people."""
    printed = next(printed for key, printed in _SHOWN.items() if key in result)
    printed(Console(highlight=False), result)


def _ruling(console: Console, ruling: Mapping[str, Any]) -> None:
    style = {True: _GOOD, False: _BAD, None: "bold"}[ruling["succeeded"]]
    console.print(Text(ruling["summary"]), style=style)
    for roll in ruling["rolls"][:20]:
        dice = "  ".join(_die(die) for die in roll["dice"])
        modifier = f" {roll['modifier']:+d}" if roll["modifier"] else ""
        console.print(f"  {escape(roll['name'])}  {dice}{modifier} = [bold]{roll['total']}[/bold]")
    for step in ruling["steps"]:
        console.print(f"  [dim]{step['rule']}[/dim]  {escape(step['text'])}")
    for option in ruling.get("options", []):
        chance = "" if option["chance"] is None else f" [bold]{option['chance']:.0%}[/bold]"
        console.print(f"  [cyan]?[/cyan] {escape(option['text'])}{chance}")
    console.print(f"  [dim]seed {escape(ruling['seed'])}[/dim]")


def _die(die: Mapping[str, Any]) -> str:
    """A die: struck through and in brackets if it does not count."""
    return f"[bold]{die['face']}[/bold]" if die["kept"] else f"[dim strike]({die['face']})[/dim strike]"


def _odds(console: Console, odds: Mapping[str, Any]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 1))
    for row in odds["outcomes"]:
        table.add_row(escape(row["outcomeText"]), ProgressBar(total=1, completed=row["probability"], width=_BAR), row["percent"])
    console.print(table)
    rounds = odds.get("rounds")
    if rounds is not None:
        console.print(f"  {rounds['mean']:.1f} rounds on average")
    trials = f", {odds['trials']} trials" if odds.get("trials") else ""
    console.print(f"  [dim]{odds['method']}{trials}[/dim]")


def _rolls(console: Console, rolls: Mapping[str, Any]) -> None:
    for one in rolls["needed"]:
        console.print(f"  {escape(one['name'])} rolls [bold]{one['dice']}[/bold]  [dim]{one['roll']}[/dim]")
    console.print("  All dice are there." if rolls["complete"] else "  Send the faces in `dice`, and ask again.")


def _verification(console: Console, result: Mapping[str, Any]) -> None:
    console.print(f"[{_GOOD if result['verdict'] == 'match' else _BAD}]{result['verdict']}[/]  receipt: {result['receipt']}")
    for pointer in result["differences"]:
        console.print(f"  {escape(pointer)} differs")


def _systems(console: Console, result: Mapping[str, Any]) -> None:
    for system in result["systems"]:
        console.print(f"[bold]{escape(system['title'])}[/bold]  [dim]{system['rulebook']}[/dim]")
        table = Table(box=None, show_header=False, padding=(0, 2))
        for action in system["actions"]:
            table.add_row(f"[cyan]{action['action']}[/cyan]", escape(action["text"].partition(".")[0]))
        console.print(table)


def _rules(console: Console, result: Mapping[str, Any]) -> None:
    for rule in result["rules"]:
        console.print(f"[cyan]{rule['id']}[/cyan]  {escape(rule['text'])}")
        if len(result["rules"]) == 1:
            for name in ("reading", "advice"):
                if rule.get(name):
                    console.print(f"  {escape(rule[name])}")


def _settings(console: Console, result: Mapping[str, Any]) -> None:
    for row in result["settings"]:
        console.print(f"[cyan]{row['name']}[/cyan]  [dim]{escape(str(row['default']))}[/dim]\n  {escape(row['description'])}")


_SHOWN: dict[str, Callable[[Console, Mapping[str, Any]], None]] = {
    "outcomes": _odds,
    "needed": _rolls,
    "verdict": _verification,
    "systems": _systems,
    "rules": _rules,
    "settings": _settings,
    "summary": _ruling,
}
"""How each answer is printed, by a member that only it has."""


def with_progress(system: System, action: Action, body: Body) -> dict[str, Any]:
    """The odds, with a progress bar on standard error while they are simulated."""
    if body.method != "simulation":
        try:
            return worded(exact_odds(system, action, body, Budget()), action, body.language)
        except TooLargeToCount:
            pass
    seed, result = seed_text(body.seed), SimulationResult()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for part in progress.track(range(part_count(body)), description="Simulating"):
            result.add(run_trials(system, action, body, seed, range(part, part + 1)))
    return worded(simulated_odds(system, action, body, seed, result), action, body.language)


def open_soon(host: str, port: int) -> None:
    """Open the page of a service that is about to start, once it has had a moment to listen."""
    shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
    timer = threading.Timer(1.5, webbrowser.open, (f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/",))
    timer.daemon = True
    timer.start()
