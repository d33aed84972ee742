"""The outermost layer: whatever goes wrong inside is answered as a problem, and told to the log, never to the caller."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cached_property

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.doors.problems import Refused, respond
from service.refusal import Refusal

log = logging.getLogger("tablecall")


class Guard:
    """Turns what the layers refuse into its problem, and an exception nobody handled into a 500, if the answer has not begun."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything through, watching whether an answer has begun."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            # The caller went away in the middle of a body: there is nobody to answer, and nothing to mend.
            return
        except Exception as error:
            if scope["type"] != "http" or begun:
                raise
            await respond(_refusal(error))(scope, receive, send)


def _refusal(error: Exception) -> Refusal | Refused:
    """What a layer refused, or our mistake: that is told to the log."""
    if isinstance(error, Refusal | Refused):
        return error
    log.error("unexpected failure", exc_info=error)
    return Refused("internal")


class Cors(CORSMiddleware):
    """Starlette's, except that a refused preflight is a problem like every other refusal."""

    @cached_property
    def said_to_all(self) -> list[tuple[bytes, bytes]]:
        """What every answer says, asked with an origin or not, as it goes over the wire."""
        return [(name.lower().encode(), value.encode()) for name, value in self.simple_headers.items()]

    def preflight_response(self, request_headers: Headers) -> Response:
        """200, or a problem that carries the same headers."""
        found = super().preflight_response(request_headers)
        if found.status_code == 200:
            return found
        kept = {name: value for name, value in found.headers.items() if name not in ("content-length", "content-type")}
        return respond(Refused("bad-request", "this cross-origin request is not allowed"), kept)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Where any origin may call, what is added hangs on nothing the caller said, but for a preflight."""
        if not self.allow_all_origins or scope["type"] != "http" or scope["method"] == "OPTIONS":
            await super().__call__(scope, receive, send)
            return

        async def open_to_all(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._open_to_all(message.get("headers", ()))
            await send(message)

        await self.app(scope, receive, open_to_all)

    def _open_to_all(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The headers with Starlette's own for any origin; what varies already varies by the origin as well."""
        varies = [value for name, value in headers if name == b"vary"]
        kept = [pair for pair in headers if pair[0] != b"vary"] if varies else headers
        return [*kept, *self.said_to_all, (b"vary", b", ".join([*varies, b"Origin"]))]

    async def send(self, message: Message, send: Send, request_headers: Headers) -> None:
        """Where any origin may call, every answer says so, asked with an origin or not."""
        if message["type"] == "http.response.start" and self.allow_all_origins:
            MutableHeaders(scope=message).update(self.simple_headers)
        await super().send(message, send, request_headers)
