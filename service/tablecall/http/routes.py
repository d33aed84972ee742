"""Every REST operation. Each action can be asked for its ruling and its odds, in several media types, by POST or GET.

Reads from the top: what one endpoint answers, then the operations made of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.flat_query import can_be_queried, query_parameters
from tablecall.contract.operations import RULED, SENT, Operation
from tablecall.engine import odds, resolve, rolls
from tablecall.engine.flat import document_of
from tablecall.engine.requests import tagged, untagged
from tablecall.http import batch, chart, events, health, problem_pages, rulebooks, verify
from tablecall.http.events import EVENTS
from tablecall.http.http_cache import ReplayTag
from tablecall.http.negotiation import negotiate, negotiate_language
from tablecall.http.odds_forms import as_csv, in_markdown, in_words
from tablecall.http.query import read_query
from tablecall.http.request_body import header, read_json
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, Unprocessable
from tablecall.model.text import LANGUAGES, Language
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext, context_of, speaking
from tablecall.settings import Settings
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action, System

JSON, TEXT, MARKDOWN, SVG, CSV = "application/json", "text/plain", "text/markdown", "image/svg+xml", "text/csv"
RULING_FORMS, ODDS_FORMS = (JSON, TEXT, MARKDOWN), (JSON, TEXT, MARKDOWN, SVG, CSV, EVENTS)
FORMATS = {"json": JSON, "text": TEXT, "markdown": MARKDOWN, "svg": SVG, "csv": CSV}
"""The media type of each value of the query parameter ``format``."""
_SHOWN = 3
"""The number of actions of each system in the examples of an operation for any action."""
VARY = "Accept, Accept-Language"
_EXAMPLE_SEED = "7d1f0c52a98e4b6390c4e1d87a25b3f6"
"""A seed as the service draws one, for the examples in the published contract."""


class JsonResponse(Response):
    """A JSON response whose headers are fixed; Starlette's own class builds them for every response."""

    def __init__(self, body: bytes, language: Language | None = None) -> None:
        self.status_code = 200
        self.background = None
        self.body = body
        self.raw_headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json; charset=utf-8")]
        if language:
            self.raw_headers.append((b"content-language", language.encode()))


@dataclass(frozen=True, slots=True)
class ActionEndpoint:
    """How one verb (resolve, odds) is answered for every action.

    ``compute`` is the engine's own function, for the examples of the contract; ``dispatch`` the same for a request. ``forms``
    are the media types of the answer; ``render`` makes each of them but JSON and events. ``schema`` names an action's answer in the
    contract, ``union`` the answer of any action. ``repeatable`` is whether the same address always gives the same answer, which is
    only known for sure with the answer. ``samples`` is the number of example answers in the contract.
    """

    name: str
    title: str
    forms: tuple[str, ...]
    compute: Callable[[System, Action, Body], dict[str, Any]]
    dispatch: Callable[[RequestContext, System, Action, Body], Awaitable[dict[str, Any]]]
    render: Mapping[str, Callable[[dict[str, Any], Language], str]]
    schema: Callable[[PublishedAction], str]
    union: str
    problems: tuple[str, ...]
    repeatable: Callable[[Body, dict[str, Any] | None], bool]
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
        """The answer to a POST as the media type ``form``."""
        return (await self._answer(request, system, action, body, form))[0]

    async def respond_to_get(self, request: Request, system: System, action: Action, body: Body, form: str) -> Response:
        """The answer to a GET: caches may keep it if the same address always gives the same answer."""
        tag = ReplayTag(request, form, context_of(request.scope).language, system.version)
        if tag.known and self.repeatable(body, None):
            return tag.not_modified()
        response, answer = await self._answer(request, system, action, body, form)
        return tag.mark(response) if answer is not None and self.repeatable(body, answer) else response

    async def _answer(
        self, request: Request, system: System, action: Action, body: Body, form: str
    ) -> tuple[Response, dict[str, Any] | None]:
        """The response, and the answer in it, unless it is a stream."""
        context = context_of(request.scope)
        if form == EVENTS:
            return await events.event_stream(request, dispatch.progressing_odds(context, system, action, body)), None
        answer = await self.dispatch(context, system, action, body)
        language = body.language or LANGUAGES[0]
        if form == JSON:
            return JsonResponse(orjson.dumps(answer), language), answer
        media_type = SVG if form.startswith(SVG) else f"{form}; charset=utf-8"
        text = self.render[form](answer, language).encode()
        return Response(text, headers={"content-language": language}, media_type=media_type), answer


def _in_language(request: Request, document: dict[str, Any]) -> Language:
    """The language of the answer: the request's own, or else that of ``Accept-Language``. Problems are in it, too."""
    sent = document.get("language")
    language = next((known for known in LANGUAGES if known == sent), None) or negotiate_language(header(request, b"accept-language"))
    context_of(request.scope).language = language
    return language


def _seeded(body: Body, answer: dict[str, Any] | None) -> bool:
    return body.seed is not None


def _counted_or_seeded(body: Body, answer: dict[str, Any] | None) -> bool:
    return body.seed is not None or (body.method != "simulation" if answer is None else answer["method"] == "exact")


_PICTURES = {f"{SVG}{'; theme=' if theme else ''}{theme}": partial(chart.svg, theme=theme) for theme in ("", *chart.THEMES)}
"""A chart for each value of the query parameter ``theme``."""
ENDPOINTS = (
    ActionEndpoint(
        "resolve",
        "Resolve",
        RULING_FORMS,
        resolve,
        dispatch.ruling,
        {TEXT: lambda ruling, _: ruling["summary"], MARKDOWN: lambda ruling, _: ruling["markdown"]},
        lambda published: f"{published.name}Ruling",
        "Ruling",
        RULED,
        _seeded,
    ),
    ActionEndpoint(
        "odds",
        "Exact odds of",
        ODDS_FORMS,
        odds,
        dispatch.odds,
        {TEXT: in_words, MARKDOWN: in_markdown, CSV: lambda odds, _: as_csv(odds), **_PICTURES},
        lambda published: "Odds",
        "Odds",
        (*RULED, "too-large-to-count"),
        _counted_or_seeded,
    ),
)


def operations(settings: Settings) -> list[Operation]:
    """Every operation, within the limits of the ``settings``. The busiest come first."""
    limit = settings.max_body_bytes
    rows = [_any_action(endpoint, limit) for endpoint in ENDPOINTS]
    for endpoint in ENDPOINTS:
        for published in PUBLISHED.values():
            rows.append(_by_post(endpoint, published, limit))
            if can_be_queried(published):
                rows.append(_by_get(endpoint, published))
    return [
        *rows,
        _needed_rolls(limit),
        batch.operation(settings),
        *verify.operations(limit),
        *rulebooks.operations(),
        *problem_pages.operations(),
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
        document, language = await _read(request, limit)
        form = negotiate(header(request, b"accept"), endpoint.forms)
        system, action, body = tagged(document)
        return await endpoint.respond(request, system, action, speaking(body, language), form)

    shown = [row for system in SYSTEMS for row in [row for row in PUBLISHED.values() if row.system.name == system][:_SHOWN]]
    examples = {
        f"{published.tag}: {name}": {"action": published.tag, **body}
        for published in shown
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
        lambda: {name: answer for published in shown for name, answer in endpoint.sample(published).items()},
    )


async def _read(request: Request, limit: int) -> tuple[dict[str, Any], Language]:
    """The body of a request, and the language of its answer."""
    document = await read_json(request, limit)
    return document, _in_language(request, document)


def _without(name: str, parameters: Sequence[tuple[str, str]]) -> tuple[list[str], list[tuple[str, str]]]:
    """The values of one parameter, and the other parameters."""
    return [text for other, text in parameters if other == name and text], [pair for pair in parameters if pair[0] != name]


def _form(request: Request, formats: Sequence[str], themes: Sequence[str], offered: Sequence[str]) -> str:
    """The media type of the answer to a GET: that of ``format``, or else what ``Accept`` prefers. A chart has its theme in it."""
    theme = _known("theme", themes, chart.THEMES)
    chosen = _known("format", formats, tuple(name for name, media in FORMATS.items() if media in offered))
    form = FORMATS[chosen] if chosen else negotiate(header(request, b"accept"), offered)
    return f"{form}; theme={theme}" if theme and form == SVG else form


def _known(name: str, values: Sequence[str], known: tuple[str, ...]) -> str:
    """The value of a parameter in lower case, nothing if it was not sent."""
    if not values:
        return ""
    if len(values) > 1 or values[0].lower() not in known:
        raise Unprocessable(
            Finding(f"/{name}", "unknown-value", "refused.unknown_value", None, (("field", name), ("values", known), ("near", "")))
        )
    return values[0].lower()


def _needed_rolls(limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        document, language = await _read(request, limit)
        negotiate(header(request, b"accept"), (JSON,))
        system, action, body = tagged(document)
        speaking(body, language)
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
        document, language = await _read(request, limit)
        form = negotiate(header(request, b"accept"), endpoint.forms)
        body = speaking(untagged(published.system, published.action, document), language)
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
        context_of(request.scope).language = negotiate_language(header(request, b"accept-language"))
        formats, parameters = _without("format", read_query(request))
        themes, parameters = _without("theme", parameters) if SVG in endpoint.forms else ([], parameters)
        document = document_of(published.body, parameters)
        language = _in_language(request, document)
        form = _form(request, formats, themes, endpoint.forms)
        body = speaking(untagged(published.system, published.action, document), language)
        response = await endpoint.respond_to_get(request, published.system, published.action, body, form)
        response.headers["vary"] = VARY
        return response

    return Operation(
        "GET",
        f"/{endpoint.name}/{published.path}",
        respond,
        f"{endpoint.name}{published.name}ByQuery",
        f"{endpoint.title} {published.tag}, by query",
        endpoint.name,
        _answers(endpoint, endpoint.schema(published)),
        f"{published.action.text} For clients that can only send GET: each value by its dotted name. "
        "`format=text` returns only the summary.",
        None,
        ("bad-request", "invalid-request", "not-acceptable", *endpoint.problems),
        query=lambda: query_parameters(published, tuple(name for name, media in FORMATS.items() if media in endpoint.forms)),
        samples=lambda: endpoint.sample(published, endpoint.samples),
    )
