"""Server-sent events (``text/event-stream``, HTML standard): odds as they become known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Scope

from tablecall.http.addresses import root_of
from tablecall.http.problems import refusal_of
from tablecall.http.request_body import header
from tablecall.model.problems import problem_body
from tablecall.model.text import LANGUAGES
from tablecall.runtime.request_context import context_of

EVENTS = "text/event-stream"
DONE = b"done"


async def event_stream(request: Request, answers: AsyncIterator[dict[str, Any]]) -> Response:
    """One event ``progress`` for each answer; the last answer is sent again as ``done``. An error on the way is a ``problem``.

    The stream starts with the first answer, so that anything refused before it is an ordinary problem. A browser that
    reconnects after the end of the stream gets 204, which tells it to stop.
    """
    if header(request, b"last-event-id").encode() == DONE:
        return Response(status_code=204)
    first = await anext(answers)
    return StreamingResponse(_events(request.scope, first, answers), media_type=EVENTS, headers={"x-accel-buffering": "no"})


async def _events(scope: Scope, last: dict[str, Any], answers: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    try:
        if "simulated" in last:
            yield _event(b"progress", last)
        async for last in answers:
            yield _event(b"progress", last)
    except Exception as error:
        yield _event(b"problem", problem_body(refusal_of(error), context_of(scope).language or LANGUAGES[0], root_of(scope)), DONE)
    else:
        yield _event(DONE, last, DONE)


def one_line(json: bytes) -> bytes:
    """JSON that no reader takes for several lines: U+2028 and U+2029, which some take for line ends, are escaped."""
    return json.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def _event(name: bytes, data: dict[str, Any], event_id: bytes = b"") -> bytes:
    id_line = b"id: %b\n" % event_id if event_id else b""
    return b"event: %b\n%bdata: %b\n\n" % (name, id_line, one_line(orjson.dumps(data)))
