"""The front door: the one layer around everything else.

It gives a request its id and so much time, an answer the headers all answers have; it turns whatever goes wrong inside into a
problem, told to the log and never to the caller; and when a request is over, it tells of it. It is one layer, since each costs
every request the same again, however little it does.
"""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.doors.cors import Cors
from service.doors.observing.visit import Visit, current, enter, leave, request_id
from service.doors.observing.vitals import Vitals
from service.doors.problems import Refused, respond, unrouted
from service.refusal import Refusal

Headers = list[tuple[bytes, bytes]]

SECURITY: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
"""What every answer says to a browser. Transport security is the proxy's to promise: only it knows that there is TLS."""
CLOSED = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
"""For whatever is no page: it loads nothing and runs nothing. The styles are those inside a chart."""
NO_STORE = (b"cache-control", b"no-store")
CLOSE = (b"connection", b"close")
_OWN = frozenset({b"cache-control", b"content-security-policy", b"access-control-allow-origin"})
"""What some answers say themselves."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
GONE = 499
"""What the log and the metrics call a request whose caller went away before the answer; nobody is ever sent it."""
HEALTH = frozenset({"/livez", "/readyz"})
"""What is answered however busy the service is."""

log = logging.getLogger("tablecall")


class Front:
    """Notes every request, guards it, and tells of it when it is over.

    Refuses one request too many (503), a body that arrives too slowly (408), an answer that does not begin in time (503). An
    answer that has begun may go on.
    """

    def __init__(self, app: ASGIApp, vitals: Vitals) -> None:
        settings = vitals.settings
        self.app = app
        self.vitals = vitals
        self.most = settings.max_requests
        self.body_seconds = min(settings.body_seconds, settings.request_seconds)
        self.rest = settings.request_seconds - self.body_seconds
        self.cors = Cors(self.guarded, settings)
        self.usual: Headers = [NO_STORE, CLOSED, *SECURITY, *self.cors.said_to_all]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, vitals = perf_counter(), self.vitals
        visit = Visit(request_id(scope["headers"]), vitals)
        passage = Passage(self, visit, receive, send)
        answer = self.guarded if self.cors.allow_all_origins and scope["method"] != "OPTIONS" else self.cors
        token = enter(visit)
        vitals.running += 1
        try:
            await answer(scope, passage.receive, passage.send)
        finally:
            passage.timer.cancel()
            vitals.running -= 1
            visit.status = visit.status or GONE
            route = scope.get("route")
            path = "unmatched" if route is None else route.path
            method = scope["method"] if scope["method"] in METHODS else "other"
            seconds = perf_counter() - started
            vitals.metrics.told(method, path, visit, seconds)
            vitals.log.told(method, path, visit, seconds)
            leave(token)

    async def guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say in a problem why not, if the answer has not begun."""
        visit = current()
        try:
            if self.vitals.running > self.most and scope["path"] not in HEALTH:
                raise Refused("busy")
            await self.app(scope, receive, send)
        except ClientDisconnect:
            # The caller went away in the middle of a body: there is nobody to answer, and nothing to mend.
            return
        except asyncio.CancelledError:
            # Cancelled by whoever stops the service when its grace is over: that is no fault either.
            why = "busy" if self.vitals.draining else visit.late
            task = asyncio.current_task()
            assert task is not None
            if visit.status or not why or task.uncancel() > 0:
                raise
            await respond(Refused(why))(scope, receive, send)
        except Exception as error:
            if visit.status:
                raise
            answer = unrouted(scope, error) if isinstance(error, HTTPException) else respond(_refusal(error))
            await answer(scope, receive, send)

    def headed(self, found: Headers, visit: Visit) -> Headers:
        """The answer's own headers, and what it has not said itself of those that all answers have."""
        own = dict(found)
        page = own.get(b"content-type", b"").startswith(b"text/html")
        headers = [*found, (b"x-request-id", visit.id.encode())]
        if not page and own.keys().isdisjoint(_OWN):
            headers += self.usual
        else:
            headers += [pair for pair in self.usual if pair[0] not in own and not (page and pair is CLOSED)]
        if self.vitals.draining:
            headers.append(CLOSE)
        return headers


def _refusal(error: Exception) -> Refusal | Refused:
    """What was refused, or our mistake: that is told to the log."""
    if isinstance(error, Refusal | Refused):
        return error
    log.error("unexpected failure", exc_info=error)
    return Refused("internal")


class Passage:
    """What goes in and out for one request, and the time it has. One timer does for all, on the event loop's own clock."""

    __slots__ = ("arriving", "from_caller", "front", "loop", "task", "timer", "to_caller", "visit")

    def __init__(self, front: Front, visit: Visit, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.front = front
        self.visit = visit
        self.task = task
        self.loop = task.get_loop()
        self.from_caller = receive
        self.to_caller = send
        self.arriving = False
        self.timer = self.loop.call_later(front.body_seconds, self.body_is_late)

    async def receive(self) -> Message:
        """What the caller sends, noting whether there is more of it to wait for."""
        self.arriving = True
        message = await self.from_caller()
        self.arriving = bool(message.get("more_body"))
        return message

    async def send(self, message: Message) -> None:
        """The answer, with its headers; once it has begun, it was in time."""
        if message["type"] == "http.response.start":
            self.timer.cancel()
            self.visit.status = message["status"]
            message["headers"] = self.front.headed(message.get("headers", []), self.visit)
        await self.to_caller(message)

    def body_is_late(self) -> None:
        """The first bound: it is only for whoever still waits for the body."""
        if self.arriving:
            self.end("too-slow")
        else:
            self.timer = self.loop.call_later(self.front.rest, self.end, "timed-out")

    def end(self, code: str) -> None:
        """Stop whatever is being done for the request."""
        self.visit.late = code
        self.task.cancel()
