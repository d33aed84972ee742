"""What the tools answer: one line of text, and the whole document. Nothing here knows the protocol.

There is no tool for each action: their schemas would cost a model 58,000 tokens, and many clients lose a schema with references. So
every schema is flat, and ``describe`` gives that of one action.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from tablecall.contract import json_schema
from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.system_models import system_data
from tablecall.engine.requests import as_object, tagged
from tablecall.http.json_body import parse
from tablecall.http.odds_forms import in_words
from tablecall.model.base import Body
from tablecall.model.problems import HttpProblem, kind_of, problem_body
from tablecall.model.refusals import Refusal
from tablecall.model.text import LANGUAGES
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext, speaking
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action, System

Answer = tuple[str, dict[str, Any]]
"""A text, and the document."""

_ACTION = {"type": "string", "enum": list(PUBLISHED), "description": "What is attempted."}
_REQUEST = {"type": "object", "description": "The request, as `describe` shows it: who acts, against what. Send sheets whole."}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its title, what a model reads about it, its arguments, and what answers a call."""

    title: str
    text: str
    arguments: dict[str, dict[str, Any]]
    answer: Callable[[RequestContext, dict[str, Any]], Awaitable[Answer]]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return {"type": "object", "properties": self.arguments, "required": list(self.arguments)}


async def _systems(context: RequestContext, arguments: dict[str, Any]) -> Answer:
    systems = [system_data(system) for system in SYSTEMS.values()]
    lines = [line for system in systems for line in (system["title"], *(f"- {row['action']}: {row['text']}" for row in system["actions"]))]
    return "\n".join(lines), {"systems": systems}


async def _describe(context: RequestContext, arguments: dict[str, Any]) -> Answer:
    tag = arguments.get("action")
    if tag not in list(PUBLISHED):
        tagged({"action": tag})  # refuses, and names the nearest
    published = PUBLISHED[str(tag)]
    action = published.action
    shown = {
        "action": published.tag,
        "text": action.text,
        "outcomes": list(action.outcomes),
        "example": next(iter(action.examples.values())),
        "schema": json_schema.standalone(published.name),
    }
    return orjson.dumps(shown).decode(), shown


async def _resolve(context: RequestContext, arguments: dict[str, Any]) -> Answer:
    ruling = await dispatch.ruling(context, *_asked(context, arguments))
    return ruling["summary"], ruling


async def _odds(context: RequestContext, arguments: dict[str, Any]) -> Answer:
    odds = await dispatch.odds(context, *_asked(context, arguments))
    return in_words(odds, context.language or LANGUAGES[0]), odds


async def _rolls(context: RequestContext, arguments: dict[str, Any]) -> Answer:
    answer = dispatch.needed_rolls(context, *_asked(context, arguments))
    lines = [f"{row['name']} rolls {row['dice']}: `{row['roll']}`" for row in answer["needed"]]
    return "\n".join(lines) or "No more dice are needed: resolve it.", answer


def _asked(context: RequestContext, arguments: dict[str, Any]) -> tuple[System, Action, Body]:
    """The action and its request. Models also send the request as text, or its fields beside the action."""
    fields = {name: value for name, value in arguments.items() if name != "action"}
    request = fields.get("request", fields)
    document = as_object(parse(request.encode()) if isinstance(request, str) else request)
    context.language = next((known for known in LANGUAGES if known == document.get("language")), context.language)
    system, action, body = tagged({"action": arguments.get("action"), **document})
    return system, action, speaking(body, context.language or LANGUAGES[0])


TOOLS = {
    "systems": Tool("Rule systems", "List the rule systems and their actions, each in a sentence. Start here.", {}, _systems),
    "describe": Tool("Describe an action", "The JSON Schema of an action's request, and an example.", {"action": _ACTION}, _describe),
    "resolve": Tool(
        "Resolve an action",
        "Roll the dice and apply the rules. Answers what happened, why, and `after`: the participants to send with the next request. "
        "Dice are the service's or the table's, never yours.",
        {"action": _ACTION, "request": _REQUEST},
        _resolve,
    ),
    "odds": Tool(
        "Odds of an action", "The exact chances of a request, before anybody rolls.", {"action": _ACTION, "request": _REQUEST}, _odds
    ),
    "rolls": Tool(
        "Dice needed",
        "Which dice the players roll by hand. Put the faces into `dice` of the request and ask again, until none is needed. Then resolve.",
        {"action": _ACTION, "request": _REQUEST},
        _rolls,
    ),
}


def refused(context: RequestContext, error: Refusal | HttpProblem) -> Answer:
    """A refusal in the usual words: what a model can fix, line by line, and the problem."""
    context.refused(kind_of(error).code)
    problem = problem_body(error, context.language or LANGUAGES[0])
    lines = [f"{finding['pointer'] or '/'}: {finding['detail']} ({finding['hint']})" for finding in problem["errors"]]
    return "\n".join([problem["detail"], *lines]), problem
