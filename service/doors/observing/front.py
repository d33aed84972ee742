"""The outermost layer: gives every request its id and every answer the headers all answers have, and tells what happened."""

from __future__ import annotations

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.doors.observing.visit import Visit, enter, leave, request_id
from service.doors.observing.vitals import Vitals

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
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
GONE = 499
"""What the log and the metrics call a request whose caller went away before the answer; nobody is ever sent it."""


class Front:
    """Notes every request, and tells of it when it is over."""

    def __init__(self, app: ASGIApp, vitals: Vitals) -> None:
        self.app = app
        self.vitals = vitals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, vitals = perf_counter(), self.vitals
        visit = Visit(request_id(scope["headers"]), vitals)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                message["headers"] = self._headers(message.get("headers", ()), visit)
            await send(message)

        token = enter(visit)
        vitals.running += 1
        try:
            await self.app(scope, receive, sent)
        finally:
            vitals.running -= 1
            visit.status = visit.status or GONE
            route = getattr(scope.get("route"), "path", "unmatched")
            method = scope["method"] if scope["method"] in METHODS else "other"
            seconds = perf_counter() - started
            vitals.metrics.told(method, route, visit, seconds)
            vitals.log.told(method, route, visit, seconds)
            leave(token)

    def _headers(self, found: Headers, visit: Visit) -> Headers:
        """The answer's own headers, and what it has not said itself of those that all answers have."""
        headers = [*found, (b"x-request-id", visit.id.encode()), *SECURITY]
        said = dict(found)
        if b"cache-control" not in said:
            headers.append(NO_STORE)
        if b"content-security-policy" not in said and not said.get(b"content-type", b"").startswith(b"text/html"):
            headers.append(CLOSED)
        if self.vitals.draining:
            headers.append(CLOSE)
        return headers
