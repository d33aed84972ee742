"""``POST /mcp``: streamable HTTP without sessions, answered as JSON, within the bounds of the other endpoints."""

from __future__ import annotations

import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from tablecall.http.negotiation import negotiate_language
from tablecall.http.request_body import header, read_json
from tablecall.mcp.server import make_server
from tablecall.runtime.request_context import context_of
from tablecall.settings import Settings


class McpEndpoint:
    """Reads the body within the limits, then lets the SDK answer.

    A session manager for each request costs 0.1 ms, and nothing outlives the request: not its tasks, not when it is cancelled.
    """

    def __init__(self, settings: Settings) -> None:
        self.limit = settings.max_body_bytes
        self.origins = settings.cors_origins
        self.server = make_server(lambda context: context_of(context.request.scope))  # type: ignore[union-attr]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        origin = header(request, b"origin")
        if origin and not {"*", origin} & set(self.origins):
            # The protocol demands it: a page must not reach a server on the visitor's own machine by another name.
            await _forbidden()(scope, receive, send)
            return
        context_of(scope).language = negotiate_language(header(request, b"accept-language"))
        body: Message = {"type": "http.request", "body": orjson.dumps(await read_json(request, self.limit)), "more_body": False}
        parts = iter([body])

        async def replay() -> Message:
            return next(parts, None) or await receive()

        manager = StreamableHTTPSessionManager(self.server, stateless=True, json_response=True, max_request_body_size=2 * self.limit)
        async with manager.run():
            await manager.handle_request(scope, replay, send)


def _forbidden() -> Response:
    error = {"code": -32600, "message": "this origin is not allowed: see TABLECALL_CORS_ORIGINS"}
    return Response(orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error}), 403, media_type="application/json")
