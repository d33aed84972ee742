"""Server-sent events (the HTML standard's ``text/event-stream``): odds told as they are found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tablecall.http.problems import refusal_of
from tablecall.http.request_body import header
from tablecall.model.problems import problem_body

EVENTS = "text/event-stream"
DONE = b"done"


async def event_stream(request: Request, found: AsyncIterator[dict[str, Any]]) -> Response:
    """An event ``progress`` for each answer of several; the last comes again as ``done``. What is refused on the way is a ``problem``.

    It begins with the first answer: what is refused before that is a problem like any other. A browser that comes again
    because the stream has ended is told (204) that there is no more.
    """
    if header(request, b"last-event-id").encode() == DONE:
        return Response(status_code=204)
    first = await anext(found)
    return StreamingResponse(_events(first, found), media_type=EVENTS, headers={"x-accel-buffering": "no"})


async def _events(last: dict[str, Any], found: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    try:
        if "simulated" in last:
            yield _event(b"progress", last)
        async for last in found:
            yield _event(b"progress", last)
    except Exception as error:
        yield _event(b"problem", problem_body(refusal_of(error)), DONE)
    else:
        yield _event(DONE, last, DONE)


def _event(name: bytes, data: dict[str, Any], known_as: bytes = b"") -> bytes:
    named = b"id: %b\n" % known_as if known_as else b""
    return b"event: %b\n%bdata: %b\n\n" % (name, named, orjson.dumps(data))
