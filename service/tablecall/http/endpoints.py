"""The two things that can be asked of an action, its ruling and its odds, and the forms in which each is answered."""

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
_EXAMPLE_SEED = "7d1f0c52a98e4b6390c4e1d87a25b3f6"
"""A seed as the service draws one, for the examples in the published contract."""


@dataclass(frozen=True, slots=True)
class ActionEndpoint:
    """How one verb (resolve, odds) is answered for every action.

    ``compute`` is the engine's own function, for the examples of the contract; ``dispatch`` the same for a request. ``forms``
    are the media types of the answer, ``text`` its one line. ``schema`` names an action's answer in the contract, ``union`` the
    answer of any action. ``cache`` adds caching headers to the response to a GET. ``samples`` is the number of example answers
    in the contract.
    """

    name: str
    title: str
    forms: tuple[str, ...]
    compute: Callable[[System, Action, Body], dict[str, Any]]
    dispatch: Callable[[RequestContext, System, Action, Body], Awaitable[dict[str, Any]]]
    text: Callable[[dict[str, Any]], str]
    schema: Callable[[PublishedAction], str]
    union: str
    problems: tuple[str, ...]
    cache: Callable[[Request, Response, Body], Response]
    samples: int = 1

    def sample(self, published: PublishedAction, number: int = 1) -> dict[str, Any]:
        """The answers to the first examples of an action, by tag and name. Examples without a seed get a fixed one."""
        answers = {}
        for name, example in list(published.action.examples.items())[:number]:
            body = untagged(published.system, published.action, {"seed": _EXAMPLE_SEED, **example})
            answer = self.compute(published.system, published.action, body)
            drawn = {"seedFrom": "service"} if "seedFrom" in answer and "seed" not in example else {}
            answers[f"{published.tag}: {name}"] = answer | drawn
        return answers

    async def respond(self, request: Request, system: System, action: Action, body: Body, form: str) -> Response:
        """The answer as the media type ``form``."""
        context = context_of(request.scope)
        if form == EVENTS:
            return await events.event_stream(request, dispatch.progressing_odds(context, system, action, body))
        answer = await self.dispatch(context, system, action, body)
        if form == TEXT:
            return Response(self.text(answer), media_type="text/plain; charset=utf-8")
        return Response(chart.svg(answer), media_type=SVG) if form == SVG else json_response(answer)


def _cache_ruling(request: Request, response: Response, body: Body) -> Response:
    return response if body.seed is None else immutable(request, response)


def _cache_odds(request: Request, response: Response, body: Body) -> Response:
    changes = response.media_type == EVENTS or (is_simulated(body) and body.seed is None)
    return response if changes else short_lived(request, response)


def _odds_line(answer: dict[str, Any]) -> str:
    trials = f" (of {answer['simulated']['trials']} trials)" if "simulated" in answer else ""
    return chart.in_words(answer) + trials


ENDPOINTS = (
    ActionEndpoint(
        "resolve",
        "Resolve",
        RULING_FORMS,
        resolve,
        dispatch.ruling,
        lambda ruling: ruling["summary"],
        lambda published: f"{published.name}Ruling",
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
        lambda published: "Odds",
        "Odds",
        (*RULED, "too-large-to-count"),
        _cache_odds,
    ),
)
