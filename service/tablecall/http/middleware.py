"""The outermost layer of the application.

It gives each request an id, a context and time limits, adds the headers that every response has, turns every error into a
problem, and reports the request when it is over. It is one layer because each ASGI layer adds the same cost to every request
(about 3 µs), however little it does.
"""

from __future__ import annotations

import asyncio
from time import perf_counter, time
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablecall.http.addresses import path_of
from tablecall.http.cors import TO_ALL, Cors, Headers
from tablecall.http.problems import refusal_of, respond, unrouted
from tablecall.model.problems import HttpProblem
from tablecall.runtime.request_context import RequestContext, attach, request_id
from tablecall.runtime.request_record import OTHER, REQUEST_ID
from tablecall.runtime.services import Services

SECURITY: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
"""On every response. Transport security is left to the proxy, which knows whether there is TLS."""
CLOSED = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
"""On everything that is not a page: it loads nothing and runs nothing. Inline styles are for charts."""
NO_STORE = (b"cache-control", b"no-store")
CLOSE = (b"connection", b"close")
_OVERRIDABLE = frozenset({b"cache-control", b"content-security-policy", b"access-control-allow-origin"})
"""Headers that a response may set itself."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
DISCONNECTED = 499
"""The status in log and metrics of a request whose client disconnected before the response; it is never sent."""
HEALTH = frozenset({"/livez", "/readyz"})
"""Paths that are answered however busy the service is."""

T = TypeVar("T")


class RequestMiddleware:
    """Limits each request: one too many (503), a body that arrives too slowly (408), a response that starts too late (503).

    A response that has started may go on.
    """

    def __init__(self, app: ASGIApp, services: Services) -> None:
        settings = services.settings
        self.app = app
        self.services = services
        self.max_requests = settings.max_requests
        self.body_seconds = min(settings.body_seconds, settings.request_seconds)
        self.request_seconds = settings.request_seconds
        self.cors = Cors(settings)
        self.usual: Headers = [NO_STORE, CLOSED, *SECURITY, *(TO_ALL if self.cors.open_to_all else ())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; if the response has not started, any error is answered with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, services = perf_counter(), self.services
        request = ActiveRequest(self, scope, receive, send)
        attach(scope, request)
        token = REQUEST_ID.set(request.id)
        services.running += 1
        try:
            if services.running > self.max_requests and path_of(scope) not in HEALTH:
                raise HttpProblem("busy")
            await (self.app if scope["method"] != "OPTIONS" else self._options)(scope, request.receive, request.send)
        except ClientDisconnect:
            # The client disconnected while sending its body: nobody to answer, and no error of ours.
            pass
        except asyncio.CancelledError:
            # Also cancelled when the grace period of a stopping service is over; that is no error either.
            code = "busy" if services.draining else request.timeout
            # Code that waited inside may have cancelled the task once more on its way out.
            if not code or (request.task.uncancel() > 0 and not services.draining):
                raise
            if not request.status:
                await respond(scope, HttpProblem(code))(scope, receive, request.send)
        except Exception as error:
            if request.status:
                raise
            response = unrouted(scope, error) if isinstance(error, HTTPException) else respond(scope, refusal_of(error))
            await response(scope, receive, request.send)
        finally:
            request.timer.cancel()
            services.running -= 1
            route = scope.get("route")
            request.status = request.status or DISCONNECTED
            request.route = "unmatched" if route is None else route.path
            request.method = scope["method"] if scope["method"] in METHODS else OTHER
            request.seconds, request.ended = perf_counter() - started, time()
            services.ended(request, request.loop)
            REQUEST_ID.reset(token)

    async def _options(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.cors.preflight(scope) or self.app)(scope, receive, send)

    def add_headers(self, own: Headers, request: ActiveRequest) -> Headers:
        """The response's own headers, and those of every response that it does not set itself."""
        headers = [*own, (b"x-request-id", request.id.encode())]
        for name, value in own:
            if name in _OVERRIDABLE or value.startswith(b"text/html"):
                by_name = dict(own)
                is_page = by_name.get(b"content-type", b"").startswith(b"text/html")
                headers += [pair for pair in self.usual if pair[0] not in by_name and not (is_page and pair is CLOSED)]
                break
        else:
            headers += self.usual
        if self.services.draining:
            headers.append(CLOSE)
        return headers if self.cors.open_to_all else self.cors.for_origin(headers, request.scope["headers"])


class ActiveRequest(RequestContext):
    """A request while it is answered: its context, its connection and its time limits. One timer serves both limits."""

    __slots__ = (
        "body_complete",
        "client_receive",
        "client_send",
        "loop",
        "middleware",
        "not_read",
        "receiving",
        "scope",
        "task",
        "timer",
    )

    def __init__(self, middleware: RequestMiddleware, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(request_id(scope["headers"]), services=middleware.services)
        task = asyncio.current_task()
        assert task is not None
        self.middleware = middleware
        self.scope = scope
        self.task = task
        self.loop = task.get_loop()
        self.client_receive = receive
        self.client_send = send
        self.receiving = self.body_complete = self.not_read = False
        self.deadline = self.loop.time() + middleware.request_seconds
        self.timer = self.loop.call_later(middleware.body_seconds, self.body_deadline)

    async def receive(self) -> Message:
        """The next part of the body; notes whether more of it is expected."""
        self.receiving = not self.body_complete
        if self.not_read and not self.status:
            self._restart_body_timer()
        message = await self.client_receive()
        self.receiving = bool(message.get("more_body"))
        self.body_complete = not self.receiving
        return message

    async def unless_gone(self, work: asyncio.Future[T]) -> T:
        """The result of work done elsewhere. If the client disconnects, the work is cancelled and `ClientDisconnect` raised."""
        if self.scope["method"] == "POST" and not self.body_complete:
            return await work
        disconnected = asyncio.ensure_future(self._disconnected())
        try:
            await asyncio.wait((work, disconnected), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnect
            return work.result()
        finally:
            disconnected.cancel()
            work.cancel()

    async def _disconnected(self) -> None:
        while (await self.client_receive())["type"] != "http.disconnect":
            pass

    async def send(self, message: Message) -> None:
        """Send a part of the response. Once it has started, it was in time."""
        if message["type"] == "http.response.start":
            self.timer.cancel()
            self.status = message["status"]
            message["headers"] = self.middleware.add_headers(message.get("headers", []), self)
        await self.client_send(message)

    def body_deadline(self) -> None:
        """The time for the body is over: the request ends if it still waits for the body."""
        if self.receiving:
            self.stop("too-slow")
        else:
            self.not_read = not self.body_complete
            self.timer = self.loop.call_at(self.deadline, self.stop, "timed-out")

    def _restart_body_timer(self) -> None:
        """The application starts to read only now, for instance because GraphQL was loading: the body has the same time again."""
        self.not_read = False
        until = self.loop.time() + self.middleware.body_seconds
        if until < self.deadline:
            self.timer.cancel()
            self.timer = self.loop.call_at(until, self.body_deadline)

    def stop(self, code: str) -> None:
        """Cancel whatever is being done for the request."""
        self.timeout = code
        self.task.cancel()
