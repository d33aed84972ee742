"""Every REST operation: resolve and odds of every action, and all the others."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.openapi import flat_parameters
from tablecall.contract.operations import SENT, Operation
from tablecall.engine.requests import tagged, untagged
from tablecall.http import batch, health, negotiation, rulebooks, verify
from tablecall.http.endpoints import ENDPOINTS, JSON, ActionEndpoint
from tablecall.http.events import EVENTS
from tablecall.http.query import document_of, read_query
from tablecall.http.request_body import header, read_json
from tablecall.settings import Settings


def operations(settings: Settings) -> list[Operation]:
    """Every operation, within the limits of the ``settings``. The busiest come first."""
    limit = settings.max_body_bytes
    rows = [_any_action(endpoint, limit) for endpoint in ENDPOINTS]
    for endpoint in ENDPOINTS:
        for published in PUBLISHED.values():
            rows += [_by_post(endpoint, published, limit), _by_get(endpoint, published)]
    return [*rows, batch.operation(settings), *verify.operations(limit), *rulebooks.operations(), *health.operations()]


def _other_forms(endpoint: ActionEndpoint) -> str:
    """The other media types of a POST, in words only: a generated client with several would have to ask which one it got."""
    streamed = " As text/event-stream a simulation reports its progress: events `progress`, the last one `done`."
    others = " and ".join(", ".join(endpoint.forms[1:]).rsplit(", ", 1))
    return f"Also answers as {others} if Accept asks for it.{streamed if EVENTS in endpoint.forms else ''}"


def _answers(endpoint: ActionEndpoint, schema: str) -> dict[str, str | None]:
    return {form: schema if form == JSON else None for form in endpoint.forms}


def _any_action(endpoint: ActionEndpoint, limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        form = negotiation.negotiate(header(request, b"accept"), endpoint.forms)
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


def _by_post(endpoint: ActionEndpoint, published: PublishedAction, limit: int) -> Operation:
    async def respond(request: Request) -> Response:
        form = negotiation.negotiate(header(request, b"accept"), endpoint.forms)
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
        form = negotiation.negotiate(header(request, b"accept"), endpoint.forms)
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
