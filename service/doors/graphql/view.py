"""GraphQL over HTTP: Strawberry's view, made to keep the whole of the specification and the problems of this service."""

from __future__ import annotations

from typing import Any, cast

import orjson
from cross_web import AsyncHTTPRequestAdapter, HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.schema import BaseSchema
from strawberry.types import ExecutionResult

from service.doors import accepting
from service.doors.graphql.errors import INPUT, said
from service.doors.problems import BY_STATUS, Refused, body_of
from service.doors.reading import parse
from service.refusal import Refusal

JSON, RESPONSE = "application/json", "application/graphql-response+json"


class View(GraphQL[Any, Any]):
    """``/graphql``: POST and GET; a browser's GET shows the page."""

    def __init__(self, schema: BaseSchema, *, most: int, page: str) -> None:
        """``most`` is the largest body in bytes, ``page`` what a browser is shown."""
        super().__init__(schema, subscription_protocols=[])
        self.most = most
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whatever is refused on the way is a GraphQL error that carries the problem."""
        request = Request(scope, receive)
        try:
            response = await self.run(request)
        except (Refusal, Refused) as error:
            response = _refused(error)
        except HTTPException as error:
            response = _refused(Refused(BY_STATUS.get(error.status_code, "bad-request")))
        await response(scope, receive, send)

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData | list[GraphQLRequestData]:
        """The operation; refuses other media types (415) and what is not JSON (400)."""
        if request.method == "POST" and (request.content_type or "").partition(";")[0].strip().lower() != JSON:
            raise Refused("unsupported-media-type")
        return await super().parse_http_body(request)

    def decode_json(self, data: str | bytes) -> object:
        """JSON as every door reads it."""
        return parse(data)

    def encode_json(self, data: object) -> bytes:
        """JSON as every door writes it."""
        return orjson.dumps(data)

    async def render_graphql_ide(self, request: Request) -> Response:
        """The page for a browser."""
        return HTMLResponse(self.page)

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Choose the media type first: the status hangs on it."""
        found = await super().get_sub_response(request)
        found.media_type = accepting.choose(request.headers.get("accept"), (JSON, RESPONSE))
        return found

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """The answer; a request error has no data."""
        errors = result.errors or []
        found: Any = {"data": result.data} if result.data is not None or any(error.path for error in errors) else {}
        if errors:
            found["errors"] = [said(error) for error in errors]
        return cast("GraphQLHTTPResponse", found)

    def create_response(self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response) -> Response:
        """As ``application/graphql-response+json`` a request error is a 400; as ``application/json`` every answer is a 200."""
        status = 400 if sub_response.media_type == RESPONSE and "data" not in response_data else 200
        return Response(self.encode_json(response_data), status, media_type=f"{sub_response.media_type}; charset=utf-8")


def _refused(error: Refusal | Refused) -> Response:
    problem = body_of(error)
    headers = {"allow": "GET, POST"} if problem["status"] == 405 else None
    body = {"errors": [{"message": problem["detail"], "extensions": {"code": INPUT, "problem": problem}}]}
    return Response(orjson.dumps(body), problem["status"], headers, JSON)
