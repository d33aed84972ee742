"""The front door: the one layer around everything else.

It gives a request its id and so much time, an answer the headers all answers have; it turns whatever goes wrong inside into a
problem, told to the log and never to the caller; and when a request is over, it tells of it. It is one layer, since each costs
every request the same again, however little it does.
"""

from __future__ import annotations

import asyncio
from time import perf_counter, time
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablecall.http.cors import TO_ALL, Cors, Headers
from tablecall.http.problems import HttpProblem, refusal_of, respond, unrouted
from tablecall.runtime.app_state import AppState
from tablecall.runtime.request_context import OTHER, RequestContext, enter, leave, request_id

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

T = TypeVar("T")


class RequestMiddleware:
    """Notes every request, guards it, and tells of it when it is over.

    Refuses one request too many (503), a body that arrives too slowly (408), an answer that does not begin in time (503). An
    answer that has begun may go on.
    """

    def __init__(self, app: ASGIApp, vitals: AppState) -> None:
        settings = vitals.settings
        self.app = app
        self.vitals = vitals
        self.most = settings.max_requests
        self.body_seconds = min(settings.body_seconds, settings.request_seconds)
        self.rest = settings.request_seconds - self.body_seconds
        self.cors = Cors(settings)
        self.usual: Headers = [NO_STORE, CLOSED, *SECURITY, *(TO_ALL if self.cors.open_to_all else ())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say in a problem why not, if the answer has not begun."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, vitals = perf_counter(), self.vitals
        passage = ActiveRequest(self, scope, receive, send)
        token = enter(passage)
        vitals.running += 1
        try:
            if vitals.running > self.most and scope["path"] not in HEALTH:
                raise HttpProblem("busy")
            await (self.app if scope["method"] != "OPTIONS" else self._options)(scope, passage.receive, passage.send)
        except ClientDisconnect:
            # The caller went away in the middle of a body: there is nobody to answer, and nothing to mend.
            pass
        except asyncio.CancelledError:
            # Cancelled by whoever stops the service when its grace is over: that is no fault either.
            why = "busy" if vitals.draining else passage.late
            # Whoever waited inside may have cancelled it once more on the way out.
            if not why or (passage.task.uncancel() > 0 and not vitals.draining):
                raise
            if not passage.status:
                await respond(HttpProblem(why))(scope, receive, passage.send)
        except Exception as error:
            if passage.status:
                raise
            answer = unrouted(scope, error) if isinstance(error, HTTPException) else respond(refusal_of(error))
            await answer(scope, receive, passage.send)
        finally:
            passage.timer.cancel()
            vitals.running -= 1
            route = scope.get("route")
            passage.status = passage.status or GONE
            passage.route = "unmatched" if route is None else route.path
            passage.method = scope["method"] if scope["method"] in METHODS else OTHER
            passage.seconds, passage.ended = perf_counter() - started, time()
            vitals.over(passage, passage.loop)
            leave(token)

    async def _options(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.cors.preflight(scope) or self.app)(scope, receive, send)

    def headed(self, found: Headers, passage: ActiveRequest) -> Headers:
        """The answer's own headers, and what it has not said itself of those that all answers have."""
        headers = [*found, (b"x-request-id", passage.id.encode())]
        for name, value in found:
            if name in _OWN or value.startswith(b"text/html"):
                own = dict(found)
                page = own.get(b"content-type", b"").startswith(b"text/html")
                headers += [pair for pair in self.usual if pair[0] not in own and not (page and pair is CLOSED)]
                break
        else:
            headers += self.usual
        if self.vitals.draining:
            headers.append(CLOSE)
        return headers if self.cors.open_to_all else self.cors.for_origin(headers, passage.scope["headers"])


class ActiveRequest(RequestContext):
    """A request on its way in and its answer on its way out, and the time it has. One timer does for all."""

    __slots__ = ("arrived", "arriving", "from_caller", "front", "loop", "scope", "task", "timer", "to_caller")

    def __init__(self, front: RequestMiddleware, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(request_id(scope["headers"]), front.vitals)
        task = asyncio.current_task()
        assert task is not None
        self.front = front
        self.scope = scope
        self.task = task
        self.loop = task.get_loop()
        self.from_caller = receive
        self.to_caller = send
        self.arriving = self.arrived = False
        self.timer = self.loop.call_later(front.body_seconds, self.body_is_late)

    async def receive(self) -> Message:
        """What the caller sends, noting whether there is more of it to wait for."""
        self.arriving = not self.arrived
        message = await self.from_caller()
        self.arriving = bool(message.get("more_body"))
        self.arrived = not self.arriving
        return message

    async def unless_gone(self, work: asyncio.Future[T]) -> T:
        """What comes of work that is done elsewhere, unless the caller hangs up: then it is given up."""
        if self.scope["method"] == "POST" and not self.arrived:
            return await work
        gone = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnect
            return work.result()
        finally:
            gone.cancel()
            work.cancel()

    async def _gone(self) -> None:
        """Wait until the caller hangs up."""
        while (await self.from_caller())["type"] != "http.disconnect":
            pass

    async def send(self, message: Message) -> None:
        """The answer, with its headers; once it has begun, it was in time."""
        if message["type"] == "http.response.start":
            self.timer.cancel()
            self.status = message["status"]
            message["headers"] = self.front.headed(message.get("headers", []), self)
        await self.to_caller(message)

    def body_is_late(self) -> None:
        """The first bound: it is only for whoever still waits for the body."""
        if self.arriving:
            self.end("too-slow")
        else:
            self.timer = self.loop.call_later(self.front.rest, self.end, "timed-out")

    def end(self, code: str) -> None:
        """Stop whatever is being done for the request."""
        self.late = code
        self.task.cancel()
