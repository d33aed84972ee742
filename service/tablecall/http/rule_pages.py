"""The rule books as readable pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape
from itertools import groupby
from typing import Any

from tablecall.contract import system_models
from tablecall.engine import resolve
from tablecall.engine.requests import body_of
from tablecall.http import layout
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Rule, System


def systems(root: str) -> bytes:
    """The list of all systems."""
    return layout.page("Rules", "".join(_entry(system, f"{root}systems/{system.name}") for system in SYSTEMS.values()), root)


def _entry(system: System, base: str) -> str:
    ways = " · ".join(f'<a href="{base}{path}">{text}</a>' for path, text in (("/rules", "Rules"), ("/tables", "Tables"), ("", "Actions")))
    return f'<h2><a href="{base}/rules">{escape(system.title)}</a></h2>{layout.paragraph(system.credit)}<p>{ways}</p>'


def system(system: System, root: str) -> bytes:
    """One system: its actions, and where its rules and tables are."""
    data = system_models.system_data(system)
    base = f"{root}systems/{system.name}"
    links = layout.items(
        [
            f'<a href="{base}/rules">The rules</a>, numbered and in our own words',
            f'<a href="{base}/tables">The tables</a>',
            f'<a href="{root}openapi/{system.name}.json">The REST contract of this system</a> (OpenAPI)',
        ]
    )
    actions = "".join(_action(action) for action in data["actions"])
    credit = layout.paragraph(system.credit) + layout.paragraph(f"Edition: {system.version}")
    return layout.page(system.title, f"{credit}{links}<h2>Actions</h2>{actions}", root)


def _action(action: Mapping[str, Any]) -> str:
    outcomes = ", ".join(f"`{outcome}`" for outcome in action["outcomes"]) or "named by the caller"
    return (
        f'<section id="{escape(action["action"])}"><h3>{escape(action["title"])}</h3><div class="id">{escape(action["action"])}</div>'
        f"{layout.paragraph(action['text'])}{layout.paragraph(outcomes, 'Outcomes:')}</section>"
    )


def rules(system: System, root: str) -> bytes:
    """All rules of a system, grouped by heading, each with an anchor: its id."""
    base = f"{root}systems/{system.name}/rules"
    groups = [(heading, list(group)) for heading, group in groupby(system.rules, lambda rule: rule.heading)]
    contents = layout.items(f'<a href="#{escape(group[0].id)}">{escape(heading)}</a>' for heading, group in groups)
    body = "".join(
        f"<h2>{escape(heading)}</h2>" + "".join(_rule(system, rule, f"{base}/{rule.id}", base) for rule in group)
        for heading, group in groups
    )
    return layout.page(f"Rules: {system.title}", layout.paragraph(system.credit) + contents + body, root)


def rule(system: System, rule: Rule, root: str) -> bytes:
    """One rule."""
    base = f"{root}systems/{system.name}/rules"
    back = f'<p><a href="{base}#{escape(rule.id)}">All rules of {escape(system.title)}</a> · {escape(rule.heading)}</p>'
    return layout.page(system_models.rule_title(rule), _rule(system, rule, "", base) + back, root)


def _rule(system: System, rule: Rule, link: str, base: str) -> str:
    title = escape(system_models.rule_title(rule))
    heading = f'<h3><a href="{link}">{title}</a></h3>' if link else ""
    options = (
        f"`{field}`: {', '.join(f'`{word}`' for word in words)}; the first is the default. In: {_with_field(system, field)}"
        for field, words in rule.options
    )
    choices = layout.items(map(layout.inline, options)) if rule.options else ""
    cited = ", ".join(f"`{tag}`" for tag in cited_by(system.name).get(rule.id, ()))
    name = escape(rule.id)
    return (
        f'<section class="rule-of" id="{name}">{heading}<div class="id"><a href="{base}#{name}">{name}</a></div>'
        f"{layout.paragraph(rule.text)}{layout.paragraph(rule.reading, 'Reading:')}{layout.paragraph(rule.advice, 'Advice:')}"
        f"{'<p><b>Options:</b></p>' + choices if choices else ''}{layout.paragraph(cited, 'Cited by examples of:')}</section>"
    )


def _with_field(system: System, field: str) -> str:
    """The actions whose requests have an option of this name, themselves or in their house rules."""
    tags = [
        f"`{system.name}.{action.name}`"
        for action in system.actions
        if any((info.alias or name) == field for name, info in action.body.model_fields.items())
    ]
    return ", ".join(tags) or "the participants or the house rules of a request"


@cache
def cited_by(name: str) -> dict[str, list[str]]:
    """The actions whose examples cite a rule in their steps, by the id of the rule."""
    cited: dict[str, list[str]] = {}
    system = SYSTEMS[name]
    for action in system.actions:
        rulings = [resolve(system, action, body_of(action, {"seed": "1", **example})) for example in action.examples.values()]
        for rule_id in dict.fromkeys(step["rule"] for ruling in rulings for step in ruling["steps"]):
            cited.setdefault(rule_id, []).append(f"{system.name}.{action.name}")
    return cited


def tables(system: System, root: str) -> bytes:
    """All tables of a system."""
    body = "".join(
        f'<section id="{escape(name)}"><h2>{escape(name)}</h2>{layout.value(rows)}</section>' for name, rows in system.tables.items()
    )
    return layout.page(f"Tables: {system.title}", body, root)
