"""What the documents say is what the code does: settings, endpoints, actions, roll names, problems, metrics, limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import yaml
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.batch_models import MAX_REQUESTS
from tablecall.dice.enumeration import MAX_BRANCHES
from tablecall.engine.requests import tagged
from tablecall.engine.rulings import resolve
from tablecall.graphql import limits as graphql
from tablecall.http import batch, json_body
from tablecall.model.base import Model
from tablecall.model.problems import FINDINGS, KINDS
from tablecall.runtime.connection import MAX_WAITING
from tablecall.settings import Settings
from tablecall.systems import ACTIONS, SYSTEMS
from tablecall.systems.darkpages.sheet import DarkpagesCharacter
from tablecall.systems.jazz.fight import MAX_TURNS
from tablecall.systems.jazz.sheet import JazzCharacter
from tests.docs.documents import DOCUMENTS, ROOT, code_spans, table, tables, text

RULINGS, OPERATING, GRAPHQL = "docs/requests-and-rulings.md", "docs/operating.md", "docs/graphql.md"


def spans(cell: str) -> list[str]:
    """The inline code of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def numbers(rows: Iterable[list[str]]) -> list[int]:
    """The numbers in the second column; MiB in bytes."""
    found = []
    for row in rows:
        number, _, unit = row[1].partition(" ")
        found.append(int(number.replace(",", "")) * (1 << 20 if unit == "MiB" else 1))
    return found


# ── The service ──────────────────────────────────────────────────────────────────────────────────────────────────────


def setting(name: str, field: FieldInfo) -> list[str]:
    """A row of the table without its meaning: the variable, its default, its range or its words."""
    default = "" if field.default is None else f"`{json.dumps(field.default) if not isinstance(field.default, str) else field.default}`"
    bounds = [str(bound.ge) for bound in field.metadata if isinstance(bound, Ge)]
    bounds += [f">{bound.gt}" for bound in field.metadata if isinstance(bound, Gt)]
    bounds += [str(bound.le) for bound in field.metadata if isinstance(bound, Le)]
    words = re.findall(r"'(\w+)'", str(field.annotation)) if "Literal" in str(field.annotation) else []
    return [f"`TABLECALL_{name.upper()}`", default, "–".join(bounds) or ", ".join(words)]


def test_settings_are_those_of_the_code() -> None:
    rows = table(OPERATING, "setting")
    assert [row[:3] for row in rows] == [setting(name, field) for name, field in Settings.model_fields.items()]
    assert all(row[3].endswith(".") for row in rows)


def test_settings_in_texts_exist() -> None:
    known = {f"TABLECALL_{name.upper()}" for name in Settings.model_fields}
    for document in DOCUMENTS:
        assert set(re.findall(r"TABLECALL_[A-Z_]*[A-Z]", text(document))) <= known, document


def routes() -> Iterator[str]:
    """Method and path of every route; those of the actions as one."""
    for route in create_app(Settings()).routes:
        path = re.sub(rf"^/(resolve|odds)/({'|'.join(SYSTEMS)})/\w+$", r"/\1/{system}/{action}", getattr(route, "path", ""))
        if not path.startswith("/static"):
            yield from (f"{method} {path}" for method in getattr(route, "methods", None) or () if method in ("GET", "POST"))


def test_endpoints_are_the_routes() -> None:
    shown = [endpoint for row in table("README.md", "endpoint") for endpoint in spans(row[0])]
    assert len(shown) == len(set(shown))
    assert set(shown) == set(routes())


def test_metrics_are_those_exposed(client: TestClient) -> None:
    exposed = re.findall(r"^# TYPE (tablecall_\w+) ", client.get("/metrics").text, re.MULTILINE)
    assert {name for row in table(OPERATING, "metric") for name in spans(row[0])} == set(exposed)


def test_alerts_are_those_of_prometheus() -> None:
    (group,) = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    assert {name for row in table(OPERATING, "alert") for name in spans(row[0])} == {rule["alert"] for rule in group["rules"]}


def test_limits_are_those_of_the_code() -> None:
    fight = json.loads((ROOT / "schema" / "json" / "JazzFight.json").read_text(encoding="utf-8"))["properties"]
    assert numbers(table(OPERATING, "limit")) == [
        *(json_body.MAX_CONTAINERS, json_body.MAX_NESTING, json_body.MAX_VALUES, json_body.MAX_NAMES),
        *(MAX_WAITING, MAX_REQUESTS, batch.MAX_ANSWER, MAX_BRANCHES),
        *(fight["combatants"]["maxItems"], MAX_TURNS, fight["trials"]["maximum"]),
    ]
    assert numbers(table(GRAPHQL, "limit")) == [
        *(graphql.MAX_CHARACTERS, graphql.MAX_TOKENS, graphql.MAX_DEPTH, graphql.MAX_ALIASES, graphql.MAX_COST),
        *(graphql.MAX_REPEATS, graphql.MAX_LITERALS, graphql.MAX_ERRORS, graphql.MAX_VALUES, graphql.MAX_NAME, graphql.MAX_ANSWERED),
    ]


def test_costs_of_graphql_are_those_of_the_code() -> None:
    rows = table(GRAPHQL, "field")[1:]
    assert {name: number for row, number in zip(rows, numbers(rows), strict=True) for name in spans(row[0])} == graphql.WEIGHTS


def test_problems_are_those_of_the_code() -> None:
    rows = table(RULINGS, "code")
    assert [(spans(row[0]), int(row[1])) for row in rows] == sorted(
        (([kind.code], kind.status) for kind in KINDS.values()),
        key=lambda kind: (kind[1], [row[0] for row in rows].index(f"`{kind[0][0]}`")),
    )
    assert [spans(row[0]) for row in table(RULINGS, "finding")] == [[code] for code in FINDINGS]


def test_measurements_are_those_of_the_last_benchmark() -> None:
    figures = json.loads((ROOT / "tests" / "benchmarks" / "results.json").read_text(encoding="utf-8"))["figures"].values()
    measured = text("docs/performance.md").partition("<!-- measured by `make bench` -->\n")[2].partition("<!-- /measured -->\n")[0]
    rows = [row for row in table("docs/performance.md", "measured") if f"| {row[0]} |" in measured]
    assert [row[0] for row in rows] == [figure["name"] for figure in figures]
    for row, figure in zip(rows, figures, strict=True):
        number, unit = row[1].split(" ", 1)
        assert unit == figure["unit"]
        assert float(number) == pytest.approx(figure["value"], abs=0.006)


# ── The rules ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_actions_and_outcomes_are_those_of_the_systems() -> None:
    rows = tables(RULINGS, "action", "what happens", "outcomes")
    shown = {spans(row[0])[0]: spans(row[2]) for row in rows}
    assert list(shown) == list(ACTIONS)
    for tag, (_, action) in ACTIONS.items():
        assert shown[tag] == list(action.outcomes or ["undecided"]), tag


PIP = {"character": {"name": "Pip", "aspects": [], "health": {"current": 1, "max": 1}}}
POOL = {"pool": {"roll": 3, "keep": 2}}
MORE: list[dict[str, Any]] = [
    {"action": "jazz.check", "actor": {"bonus": 0}, "difficulty": 20, "rescue": True},
    {"action": "jazz.attack", "attackers": [{"bonus": 1}], "defender": {"bonus": 1}, "teamDefence": [{"bonus": 2}]},
    {
        "action": "jazz.round",
        "combatants": [{"id": name, "side": name, "actor": {"bonus": 1}} for name in "abcdefgh"],
        "orders": [{"by": ["a"], "attack": "b"}],
    },
    {"action": "jazz.turn", "combatants": [{"id": name, "side": name, "actor": {"bonus": 1}} for name in "abcdefgh"]},
    {"action": "jazz.fight", "combatants": [{"id": name, "side": name, "actor": PIP} for name in "abcdefgh"]},
    {"action": "jazz.attack", "attackers": [{"bonus": 99}], "defender": {"bonus": 1}, "rescue": "defender"},
    {"action": "jazz.attack", "attackers": [{"bonus": 99}], "targets": [{"bonus": 1}, {"bonus": 1}], "rescue": "targets.1"},
    {"action": "jazz.teamwork", "members": [{"bonus": 1}], "difficulty": 50, "rescue": "members.0"},
    {"action": "darkpages.check", "actor": POOL, "targetNumber": 99, "trauma": "injury"},
    {"action": "darkpages.teamwork", "members": [POOL], "opponents": [POOL, POOL]},
    {"action": "darkpages.swarm", "members": [POOL], "opponents": [POOL, POOL], "use": "highest"},
    {
        "action": "darkpages.conflict",
        "participants": [{"id": name, "actor": POOL} for name in "abc"],
        "actions": [
            {
                "action": "darkpages.defend",
                **{role: {"participant": name} for role, name in (("attacker", "a"), ("defender", "b"), ("ward", "c"))},
                "trauma": "injury",
            }
        ],
    },
    {
        "action": "darkpages.defend",
        "attacker": {"pool": {"roll": 2, "keep": 1}, "npc": True},
        "defender": {"pool": {"roll": 3, "keep": 2}},
        "ward": {"pool": {"roll": 6, "keep": 4}},
        "trauma": "injury",
    },
]
"""Requests whose rolls no example makes."""


def rolls() -> dict[str, set[str]]:
    """Every roll that the examples and `MORE` make, by action, as dice handed in name them."""
    made: dict[str, set[str]] = {tag: set() for tag in ACTIONS}
    examples = [{"action": tag, **body} for tag, (_, action) in ACTIONS.items() for body in action.examples.values()]
    for request in (*examples, *({**more, "seed": seed} for more in MORE for seed in range(8))):
        ruling = resolve(*tagged(request))
        made[ruling["action"]] |= {roll["roll"] for roll in ruling["rolls"]}
    return made


def test_roll_names_are_those_made() -> None:
    rows = table(RULINGS, "action", "rolls")
    shown = {tag: [re.sub(r"[NMRK]\b", r"\\d+", re.escape(name)) for name in spans(row[1])] for row in rows for tag in spans(row[0])}
    for tag, made in rolls().items():
        patterns = shown.get(tag, [])
        unused = [pattern for pattern in patterns if not any(re.fullmatch(pattern, roll) for roll in made)]
        unknown = [roll for roll in made if not any(re.fullmatch(pattern, roll) for pattern in patterns)]
        assert not unused + unknown, tag


@pytest.mark.parametrize(("title", "sheet"), [("Jazz", JazzCharacter), ("darkpages", DarkpagesCharacter)])
def test_sheets_are_those_of_the_code(title: str, sheet: type[Model]) -> None:
    section = text("docs/getting-started.md").partition(f"### The whole {title} sheet\n")[2].partition("\n#")[0]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    described = {name for row in rows for name in spans(row)}
    assert described == {field.alias or name for name, field in sheet.model_fields.items()}


def test_house_rules_are_options_of_the_books() -> None:
    options = [(rule.id, *option) for system in SYSTEMS.values() for rule in system.rules for option in rule.options]
    for option, values, _, rule in table(RULINGS, "option"):
        assert (*spans(rule), *spans(option), tuple(spans(values))) in options


@pytest.mark.parametrize("document", DOCUMENTS)
def test_actions_and_rules_in_texts_exist(document: str) -> None:
    known = {*ACTIONS, *(rule.id for system in SYSTEMS.values() for rule in system.rules)}
    assert set(re.findall(r"\b(?:jazz|darkpages)\.[a-z][\w.]*\w", " ".join(code_spans(document)))) - known <= {"jazz.round*"}, document


# ── The texts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_readme_is_short() -> None:
    assert len(text("README.md").splitlines()) <= 150
