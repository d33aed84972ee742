"""GraphQL over HTTP: Strawberry's view, made to keep the whole of the specification and the problems of this service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, cast

import orjson
from cross_web import AsyncHTTPRequestAdapter, HTTPException, StarletteRequestAdapter
from graphql import ExecutionResult as Result
from graphql import GraphQLError, OperationType, get_operation_ast
from graphql import parse as parse_document
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.schema import Schema
from strawberry.schema.exceptions import CannotGetOperationTypeError
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL
from strawberry.types import ExecutionResult, SubscriptionExecutionResult

from tablecall.contract.operations import Endpoint
from tablecall.graphql.compiled import Plans, Uncovered
from tablecall.graphql.errors import INPUT, names_of, said
from tablecall.graphql.limits import MAX_CACHED, MAX_CHARACTERS, MAX_TOKENS, SMALL_BODY, bound_variables, is_introspection
from tablecall.graphql.schema import EXTRAS
from tablecall.http import negotiation
from tablecall.http.events import EVENTS
from tablecall.http.json_body import parse, read
from tablecall.http.query import read_query
from tablecall.http.request_body import header, read_bytes
from tablecall.model.problems import HttpProblem, kind_of, problem_body
from tablecall.model.refusals import Finding, NotJson, Refusal
from tablecall.runtime.request_context import RequestContext, context_of

JSON, RESPONSE, PAGE = "application/json", "application/graphql-response+json", "text/html"
FORMS = (JSON, RESPONSE, EVENTS)


MAX_INTROSPECTIONS = 4
"""How many answers about the schema are kept: the usual tools ask one question each, again and again."""


class Bounded(StarletteRequestAdapter):
    """A request read as every door reads one: a body of at most ``most`` bytes, a query in UTF-8."""

    def __init__(self, request: Request, most: int) -> None:
        super().__init__(request)
        self.request = request
        self.context = context_of(request.scope)
        self.most = most

    @property
    def query_params(self) -> Mapping[str, str | None]:
        """The query; of a name given twice, the last."""
        return dict(read_query(self.request))

    async def get_body(self) -> bytes:
        """The body, counted as it arrives."""
        return await read_bytes(self.request, self.most)


class View(GraphQL[Any, Any]):
    """``/graphql``: POST and GET; a browser's GET shows the page."""

    def __init__(self, schema: Schema, *, most: int, page: Endpoint, suggestions: bool = True) -> None:
        """``most`` is the largest body in bytes, ``page`` what a browser is shown; errors may make ``suggestions``."""
        super().__init__(schema, subscription_protocols=[GRAPHQL_SSE_PROTOCOL])
        self.request_adapter_class = cast("Any", partial(Bounded, most=most))
        self.most = most
        self.plans = Plans(schema._schema, EXTRAS, MAX_CACHED)
        self.page = page
        self.suggestions = suggestions
        self.known = names_of(schema._schema)
        self.introspect = lru_cache(MAX_INTROSPECTIONS)(self._introspect)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whatever is refused on the way is a GraphQL error that carries the problem."""
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={"allow": "GET, HEAD, OPTIONS, POST"})(scope, receive, send)
            return
        # A HEAD is a GET whose body the server leaves out.
        request = Request({**scope, "method": "GET"} if scope["method"] == "HEAD" else scope, receive)
        try:
            response = await self._again(request) or await self.run(request)
        except (Refusal, HttpProblem) as error:
            response = _refused(error, request)
        except HTTPException as error:
            response = _refused(_refusal(error), request)
        await response(scope, receive, send)

    async def _again(self, request: Request) -> Response | None:
        """The answer to a document that has a plan, where JSON is sent and asked for; none where Strawberry must answer."""
        if request.method != "POST" or header(request, b"content-type") != JSON or header(request, b"accept") not in ("", JSON, "*/*"):
            return None
        sent = await read_bytes(request, self.most)
        _hand_on(request, sent)
        context = context_of(request.scope)
        asked = await _posted(context, sent)
        plan = self.plans.find(asked.query or "", asked.operation_name)
        if plan is None:
            return None
        try:
            result = await plan.answer(context, asked.variables or {})
        except Uncovered:
            return None
        if result.errors:
            self.schema.process_errors(result.errors)
        return Response(orjson.dumps(await self.process_result(request, result)), media_type=f"{JSON}; charset=utf-8")

    async def execute_single(
        self,
        request: Request,
        request_adapter: AsyncHTTPRequestAdapter,
        sub_response: Response,
        context: Any,
        root_value: Any,
        request_data: GraphQLRequestData,
    ) -> ExecutionResult:
        """Strawberry's answer; a document it finds nothing wrong with may have a plan when it comes again."""
        query, operation = request_data.query or "", request_data.operation_name
        if is_introspection(query, operation):
            return await asyncio.to_thread(self.introspect, query, operation, orjson.dumps(request_data.variables))
        result = await super().execute_single(request, request_adapter, sub_response, context, root_value, request_data)
        if not result.errors:
            self.plans.answered(query, operation)
        return result

    def _introspect(self, query: str, operation: str | None, variables: bytes) -> ExecutionResult:
        """The answer to questions about the schema only, its data already JSON. Takes 0.1 s for the usual query of all types."""
        result = self.schema.execute_sync(query, orjson.loads(variables), operation_name=operation)
        return ExecutionResult(result.data and orjson.Fragment(orjson.dumps(result.data)), result.errors)  # type: ignore[arg-type]

    async def execute_operation(self, *arguments: Any, **named: Any) -> Any:
        """Strawberry's answer, or the answers it streams; what goes wrong with those is an answer too."""
        result = await super().execute_operation(*arguments, **named)
        return _answers(result) if isinstance(result, SubscriptionExecutionResult) else result

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """The operation; refuses other media types (415), what is not JSON, and what is not one operation (400)."""
        found = await self._read(request)
        accept = request.headers.get("accept", "")
        if _subscribes(found):
            negotiation.negotiate(accept, (EVENTS,))
            found.protocol = "sse"
        elif negotiation.negotiate(accept, FORMS) == EVENTS:
            found.protocol = "sse"
        return found

    async def _read(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        if request.method == "GET":
            return _operation(_queried(request.query_params))
        if (request.content_type or "").partition(";")[0].strip().lower() != JSON:
            raise HttpProblem("unsupported-media-type")
        return await _posted(cast("Bounded", request).context, await request.get_body())

    def encode_json(self, data: object) -> bytes:
        """JSON as every door writes it."""
        return orjson.dumps(data)

    async def render_graphql_ide(self, request: Request) -> Response:
        """The page for a browser."""
        return await self.page(request)

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Choose the media type first: the status hangs on it. Who asks nothing may have the page."""
        found = await super().get_sub_response(request)
        asking = request.scope["method"] == "POST" or "query" in request.query_params
        forms = FORMS if asking else (JSON, RESPONSE, PAGE)
        found.media_type = negotiation.negotiate(request.headers.get("accept", ""), forms)
        return found

    async def process_result(self, request: Request, result: ExecutionResult | Result) -> GraphQLHTTPResponse:
        """The answer; a request error has no data."""
        errors = result.errors or []
        found: Any = {"data": result.data} if result.data is not None or any(error.path for error in errors) else {}
        if errors:
            found["errors"] = [said(error, self.known, suggestions=self.suggestions) for error in errors]
            for error in found["errors"]:
                context_of(request.scope).refused(error["extensions"]["problem"]["type"].rpartition("/")[2])
        return cast("GraphQLHTTPResponse", found)

    def create_response(self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response) -> Response:
        """As ``application/graphql-response+json`` a request error is a 400; as ``application/json`` every answer is a 200."""
        status = 400 if sub_response.media_type == RESPONSE and "data" not in response_data else 200
        return Response(self.encode_json(response_data), status, media_type=f"{sub_response.media_type}; charset=utf-8")


def _hand_on(request: Request, sent: bytes) -> None:
    """Let the body be read once more."""

    async def receive() -> Message:
        return {"type": "http.request", "body": sent, "more_body": False}

    request._receive = receive


# ── Reading an operation ─────────────────────────────────────────────────────────────────────────────────────────────

_PARTS: dict[str, tuple[type, str]] = {
    "query": (str, "text"),
    "operationName": (str, "text"),
    "variables": (dict, "an object"),
    "extensions": (dict, "an object"),
}


def _queried(query: Mapping[str, Any]) -> dict[str, Any]:
    """The operation of a GET: variables and extensions are JSON in a parameter each."""
    return {name: _parsed(name, text) if name in ("variables", "extensions") else text for name, text in query.items() if text}


def _parsed(name: str, text: str) -> Any:
    try:
        return parse(text.encode())
    except NotJson as error:
        raise HttpProblem("bad-request", error.detail, Finding(f"/{name}", NotJson.code, error.detail)) from None


async def _posted(context: RequestContext, body: bytes) -> GraphQLRequestData:
    """The operation in a body; refuses one whose variables hold too much."""
    found = _operation(await read(context, body))
    if len(body) > SMALL_BODY and found.variables:
        bound_variables(found.variables)
    return found


def _operation(sent: Any) -> GraphQLRequestData:
    """What was sent, if it is one operation."""
    if not isinstance(sent, dict):
        raise _ill_formed(Finding("", "wrong-type", "an operation is a JSON object, one at a time"))
    if isinstance(sent.get("query"), str) and len(sent["query"]) > MAX_CHARACTERS:
        raise HttpProblem("too-costly", f"the text of a query has at most {MAX_CHARACTERS} characters")
    if not sent.get("query"):
        raise _ill_formed(Finding("/query", "missing", "an operation has the text of its query"))
    for name, (kind, said_kind) in _PARTS.items():
        if not isinstance(sent.get(name), kind | None):
            raise _ill_formed(Finding(f"/{name}", "wrong-type", f"this is {said_kind}"))
    return GraphQLRequestData(sent["query"], sent.get("variables"), sent.get("operationName"), sent.get("extensions"))


async def _answers(results: SubscriptionExecutionResult) -> AsyncIterator[Any]:
    """What is streamed. Strawberry would break it off where the document cannot be parsed."""
    try:
        async for result in results:
            yield result
    except GraphQLError as error:
        yield ExecutionResult(None, [error])


def _subscribes(asked: GraphQLRequestData) -> bool:
    """Whether the operation is a subscription."""
    if not asked.query or "subscription" not in asked.query:
        return False
    with suppress(GraphQLError):
        operation = get_operation_ast(parse_document(asked.query, no_location=True, max_tokens=MAX_TOKENS), asked.operation_name)
        return operation is not None and operation.operation is OperationType.SUBSCRIPTION
    return False


def _ill_formed(finding: Finding) -> HttpProblem:
    return HttpProblem("bad-request", finding.detail, finding)


def _refusal(error: HTTPException) -> HttpProblem:
    """What Strawberry refuses: a method that is neither, an operation it cannot choose, or one that a GET must not run."""
    if isinstance(error.__cause__, CannotGetOperationTypeError):
        return _ill_formed(Finding("/operationName", "not-allowed", "it names one of the document's operations"))
    return HttpProblem("method-not-allowed")


def _refused(error: Refusal | HttpProblem, request: Request) -> Response:
    """A refusal before anything was asked of the schema, in whichever form the caller would rather have."""
    problem = problem_body(error)
    methods = "OPTIONS, POST" if request.method == "GET" else "GET, HEAD, OPTIONS, POST"
    kind = kind_of(error)
    context_of(request.scope).refused(kind.code)
    headers = {"allow": methods} if kind.status == 405 else kind.headers
    body = {"errors": [{"message": problem["detail"], "extensions": {"code": INPUT, "problem": problem}}]}
    return Response(orjson.dumps(body), problem["status"], headers, _form(request) or JSON)


def _form(request: Request) -> str | None:
    try:
        return negotiation.negotiate(header(request, b"accept"), (JSON, RESPONSE))
    except HttpProblem:
        return None
