"""Every REST operation. Each action can be asked for its ruling and its odds, in several media types, by POST or GET.

Reads from the top: what one endpoint answers, then the operations made of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.openapi import flat_parameters
from tablecall.contract.operations import RULED, SENT, Operation
from tablecall.engine import is_simulated, odds, resolve, rolls
from tablecall.engine.requests import tagged, untagged
from tablecall.http import batch, chart, events, health, rulebooks, verify
from tablecall.http.events import EVENTS
from tablecall.http.http_cache import immutable, short_lived
from tablecall.http.negotiation import negotiate
from tablecall.http.query import document_of, read_query
from tablecall.http.request_body import header, read_json
from tablecall.model.base import Body
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext, context_of
from tablecall.settings import Settings
from tablecall.systems.system import Action, System

JSON, TEXT, SVG = "application/json", "text/plain", "image/svg+xml"
RULING_FORMS, ODDS_FORMS = (JSON, TEXT), (JSON, TEXT, SVG, EVENTS)
_EXAMPLE_SEED = "7d1f0c52a98e4b6390c4e1d87a25b3f6"
"""A seed as the service draws one, for the examples in the published contract."""


class JsonResponse(Response):
    """A JSON response whose headers are fixed; Starlette's own class builds them for every response."""

    def __init__(self, body: bytes) -> None:
        self.status_code = 200
        self.background = None
        self.body = body
        self.raw_headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]


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
        return Response(chart.svg(answer), media_type=SVG) if form == SVG else JsonResponse(orjson.dumps(answer))


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


def operations(settings: Settings) -> list[Operation]:
    """Every operation, within the limits of the ``settings``. The busiest come first."""
    limit = settings.max_body_bytes
    rows = [_any_action(endpoint, limit) for endpoint in ENDPOINTS]
    for endpoint in ENDPOINTS:
        for published in PUBLISHED.values():
            rows += [_by_post(endpoint, published, limit), _by_get(endpoint, published)]
    return [
        *rows,
        _needed_rolls(limit),
        batch.operation(settings),
        *verify.operations(limit),
        *rulebooks.operations(),
        *health.operations(),
    ]


def _other_forms(endpoint: ActionEndpoint) -> str:
    """The other media types of a POST, in words only: a generated client with several would have to ask which one it got."""
    streamed = " As text/event-stream a simulation reports its progress: events `progress`, the last one `done`."
    others = " and ".join(", ".join(endpoint.forms[1:]).rsplit(", ", 1))
    return f"Also answers as {others} if Accept asks for it.{streamed if EVENTS in endpoint.forms else ''}"


def _answers(endpoint: ActionEndpoint, schema: str) -> dict[str, str | None]:
    return {form: schema if form == JSON else None for form in endpoint.forms}


def _any_action(endpoint: ActionEndpoint, limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        form = negotiate(header(request, b"accept"), endpoint.forms)
        return await endpoint.respond(request, *tagged(await read_json(request, limit)), form)

    examples = {
        f"{tag}: {name}": {"action": tag, **body}
        for tag, published in PUBLISHED.items()
        for name, body in list(published.action.examples.items())[:1]
    }
    return Operation(
        "POST",
        f"/{endpoint.name}",
        respond,
        endpoint.name,
        f"{endpoint.title} any action",
        endpoint.name,
        {JSON: endpoint.union},
        f"The request names its action by its tag. {_other_forms(endpoint)}",
        "ResolveRequest",
        (*SENT, "not-acceptable", *endpoint.problems),
        (),
        examples,
        lambda: {name: answer for published in PUBLISHED.values() for name, answer in endpoint.sample(published).items()},
    )


def _needed_rolls(limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        negotiate(header(request, b"accept"), (JSON,))
        system, action, body = tagged(await read_json(request, limit))
        return JsonResponse(orjson.dumps(dispatch.needed_rolls(context_of(request.scope), system, action, body)))

    examples = _roll_examples()
    return Operation(
        "POST",
        "/rolls",
        respond,
        "rolls",
        "Which dice any action needs next",
        "resolve",
        {JSON: "NeededRolls"},
        "For tables with physical dice: roll what is needed, put the faces into `dice` of the same request, and ask again until it is "
        "complete. Then resolve it.",
        "ResolveRequest",
        (*SENT, "not-acceptable", *RULED),
        (),
        examples,
        lambda: {name: rolls(*tagged(example)) for name, example in examples.items()},
    )


def _roll_examples() -> dict[str, Any]:
    """The first example of each system, without its dice."""
    first = {published.system.name: published for published in reversed(PUBLISHED.values())}
    examples = {}
    for published in first.values():
        name, body = next(iter(published.action.examples.items()))
        examples[f"{published.tag}: {name}"] = {"action": published.tag, **{key: part for key, part in body.items() if key != "dice"}}
    return examples


def _by_post(endpoint: ActionEndpoint, published: PublishedAction, limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        form = negotiate(header(request, b"accept"), endpoint.forms)
        body = untagged(published.system, published.action, await read_json(request, limit))
        return await endpoint.respond(request, published.system, published.action, body, form)

    return Operation(
        "POST",
        f"/{endpoint.name}/{published.path}",
        respond,
        f"{endpoint.name}{published.name}",
        f"{endpoint.title} {published.tag}",
        endpoint.name,
        {JSON: endpoint.schema(published)},
        f"{published.action.text} {_other_forms(endpoint)}",
        published.name,
        (*SENT, "not-acceptable", *endpoint.problems),
        (),
        published.action.examples,
        lambda: endpoint.sample(published, endpoint.samples),
    )


def _by_get(endpoint: ActionEndpoint, published: PublishedAction) -> Operation:
    async def respond(request: Request) -> Response:
        form = negotiate(header(request, b"accept"), endpoint.forms)
        body = untagged(published.system, published.action, document_of(published.body, read_query(request)))
        response = await endpoint.respond(request, published.system, published.action, body, form)
        return endpoint.cache(request, response, body)

    return Operation(
        "GET",
        f"/{endpoint.name}/{published.path}",
        respond,
        f"{endpoint.name}{published.name}ByQuery",
        f"{endpoint.title} {published.tag}, by query",
        endpoint.name,
        _answers(endpoint, endpoint.schema(published)),
        f"{published.action.text} For clients that can only send GET: each value by its dotted name. text/plain returns only the summary.",
        None,
        ("bad-request", "invalid-request", "not-acceptable", *endpoint.problems),
        query=lambda: flat_parameters(published.body),
        samples=lambda: endpoint.sample(published, endpoint.samples),
    )
