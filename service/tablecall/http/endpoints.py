"""What can be asked of an action, to be resolved or its odds, and in which forms that is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PublishedAction
from tablecall.contract.operations import RULED
from tablecall.engine import is_simulated, odds, resolve
from tablecall.engine.requests import untagged
from tablecall.http import chart, events
from tablecall.http.events import EVENTS
from tablecall.http.http_cache import immutable, short_lived
from tablecall.http.responses import json_response
from tablecall.model.base import Body
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext, context_of
from tablecall.systems.system import Action, System

JSON, TEXT, SVG = "application/json", "text/plain", "image/svg+xml"
RULING_FORMS, ODDS_FORMS = (JSON, TEXT), (JSON, TEXT, SVG, EVENTS)


@dataclass(frozen=True, slots=True)
class ActionEndpoint:
    """What can be asked of an action: how it is answered, in which forms, the words for it, how many answers are shown.

    ``answer`` is the reading itself, ``asked`` the same for a caller at the door. ``keep`` marks an answer to a GET: a ruling
    is the same for ever where the request has a seed, odds are for as long as the rule book is.
    """

    name: str
    title: str
    forms: tuple[str, ...]
    answer: Callable[[System, Action, Body], dict[str, Any]]
    asked: Callable[[RequestContext, System, Action, Body], Awaitable[dict[str, Any]]]
    text: Callable[[dict[str, Any]], str]
    schema: Callable[[PublishedAction], str]
    union: str
    problems: tuple[str, ...]
    keep: Callable[[Request, Response, Body], Response]
    shown: int = 1

    def sample(self, published: PublishedAction, number: int = 1) -> dict[str, Any]:
        """The answers to the first examples of an action, by tag and name. What draws its own seed has a fixed one."""
        found = {}
        for name, example in list(published.action.examples.items())[:number]:
            body = untagged(published.system, published.action, {"seed": _DRAWN, **example})
            answer = self.answer(published.system, published.action, body)
            drawn = {"seedFrom": "service"} if "seedFrom" in answer and "seed" not in example else {}
            found[f"{published.tag}: {name}"] = answer | drawn
        return found

    async def respond(self, request: Request, system: System, action: Action, body: Body, form: str) -> Response:
        """The answer in the form chosen."""
        context = context_of(request.scope)
        if form == EVENTS:
            return await events.event_stream(request, dispatch.progressing_odds(context, system, action, body))
        found = await self.asked(context, system, action, body)
        if form == TEXT:
            return Response(self.text(found), media_type="text/plain; charset=utf-8")
        return Response(chart.svg(found), media_type=SVG) if form == SVG else json_response(found)


_DRAWN = "7d1f0c52a98e4b6390c4e1d87a25b3f6"
"""A seed such as the service draws."""


def _cache_ruling(request: Request, response: Response, body: Body) -> Response:
    return response if body.seed is None else immutable(request, response)


def _cache_odds(request: Request, response: Response, body: Body) -> Response:
    changes = response.media_type == EVENTS or (is_simulated(body) and body.seed is None)
    return response if changes else short_lived(request, response)


def _odds_line(found: dict[str, Any]) -> str:
    how = f" (of {found['simulated']['trials']} trials)" if "simulated" in found else ""
    return chart.in_words(found) + how


VERBS = (
    ActionEndpoint(
        "resolve",
        "Resolve",
        RULING_FORMS,
        resolve,
        dispatch.ruling,
        lambda found: found["summary"],
        lambda one: f"{one.name}Ruling",
        "Ruling",
        RULED,
        _cache_ruling,
        2,
    ),
    ActionEndpoint(
        "odds",
        "Exact odds of",
        ODDS_FORMS,
        odds,
        dispatch.odds,
        _odds_line,
        lambda one: "Odds",
        "Odds",
        (*RULED, "too-large-to-count"),
        _cache_odds,
    ),
)
