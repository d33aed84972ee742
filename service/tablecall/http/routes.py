"""The REST doors: resolve and odds for every action, and all the other operations there are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.openapi import flat_parameters
from tablecall.contract.operations import SENT, Operation
from tablecall.engine.requests import tagged, untagged
from tablecall.http import batch, health, negotiation, rulebooks, verify
from tablecall.http.endpoints import JSON, VERBS, ActionEndpoint
from tablecall.http.events import EVENTS
from tablecall.http.request_body import flat, header, read_json, read_query
from tablecall.settings import Settings


def operations(settings: Settings) -> list[Operation]:
    """Every operation, within the bounds that ``settings`` hold. The busiest come first."""
    most = settings.max_body_bytes
    found = [_any_action(verb, most) for verb in VERBS]
    for verb in VERBS:
        for published in PUBLISHED.values():
            found += [_posted(verb, published, most), _got(verb, published)]
    return [*found, batch.operation(settings), *verify.operations(most), *rulebooks.operations(), *health.operations()]


def _also(verb: ActionEndpoint) -> str:
    """The other forms of a POST's answer, told in words: a client generated from several forms would have to ask which it got."""
    streamed = " As text/event-stream a simulation is told of while it is played: events `progress`, the last `done`."
    others = " and ".join(", ".join(verb.forms[1:]).rsplit(", ", 1))
    return f"Answers as {others} too where Accept asks for it.{streamed if EVENTS in verb.forms else ''}"


def _answers(verb: ActionEndpoint, schema: str) -> dict[str, str | None]:
    return {form: schema if form == JSON else None for form in verb.forms}


def _any_action(verb: ActionEndpoint, most: int) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = negotiation.negotiate(header(request, b"accept"), verb.forms)
        return await verb.respond(request, *tagged(await read_json(request, most)), form)

    examples = {
        f"{tag}: {name}": {"action": tag, **body} for tag, one in PUBLISHED.items() for name, body in list(one.action.examples.items())[:1]
    }
    return Operation(
        "POST",
        f"/{verb.name}",
        endpoint,
        verb.name,
        f"{verb.title} any action",
        verb.name,
        {JSON: verb.union},
        f"The request names its action by its tag. {_also(verb)}",
        "ResolveRequest",
        (*SENT, "not-acceptable", *verb.problems),
        (),
        examples,
        lambda: {name: answer for published in PUBLISHED.values() for name, answer in verb.sample(published).items()},
    )


def _posted(verb: ActionEndpoint, published: PublishedAction, most: int) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = negotiation.negotiate(header(request, b"accept"), verb.forms)
        body = untagged(published.system, published.action, await read_json(request, most))
        return await verb.respond(request, published.system, published.action, body, form)

    return Operation(
        "POST",
        f"/{verb.name}/{published.path}",
        endpoint,
        f"{verb.name}{published.name}",
        f"{verb.title} {published.tag}",
        verb.name,
        {JSON: verb.schema(published)},
        f"{published.action.text} {_also(verb)}",
        published.name,
        (*SENT, "not-acceptable", *verb.problems),
        (),
        published.action.examples,
        lambda: verb.sample(published, verb.shown),
    )


def _got(verb: ActionEndpoint, published: PublishedAction) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = negotiation.negotiate(header(request, b"accept"), verb.forms)
        body = untagged(published.system, published.action, flat(published.body, read_query(request)))
        found = await verb.respond(request, published.system, published.action, body, form)
        return verb.keep(request, found, body)

    return Operation(
        "GET",
        f"/{verb.name}/{published.path}",
        endpoint,
        f"{verb.name}{published.name}ByQuery",
        f"{verb.title} {published.tag}, by query",
        verb.name,
        _answers(verb, verb.schema(published)),
        f"{published.action.text} For callers that can only GET: every scalar by its dotted name. As text/plain, the one line alone.",
        None,
        ("bad-request", "invalid-request", "not-acceptable", *verb.problems),
        query=lambda: flat_parameters(published.body),
        samples=lambda: verb.sample(published, verb.shown),
    )
