"""GraphQL over HTTP: Strawberry's view, changed to follow the whole specification and to answer with this service's problems."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache, partial
from typing import Any, cast

import orjson
from cross_web import AsyncHTTPRequestAdapter, HTTPException, StarletteRequestAdapter
from graphql import ExecutionResult as Result
from graphql import GraphQLError, OperationType
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.schema import Schema
from strawberry.schema.exceptions import CannotGetOperationTypeError
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL
from strawberry.types import ExecutionResult, SubscriptionExecutionResult

from tablecall.contract.operations import Endpoint
from tablecall.graphql.compiled import Plans, Uncovered
from tablecall.graphql.errors import INPUT, formatted, names_of
from tablecall.graphql.limits import MAX_CACHED, MAX_CHARACTERS, SMALL_BODY, bound_variables, is_introspection, operation_of
from tablecall.graphql.schema import EXTRAS
from tablecall.http import negotiation
from tablecall.http.events import EVENTS, one_line
from tablecall.http.json_body import parse, read
from tablecall.http.query import read_query
from tablecall.http.request_body import header, read_bytes
from tablecall.model.problems import HttpProblem, kind_of, problem_body
from tablecall.model.refusals import Finding, NotJson, Refusal
from tablecall.model.text import LANGUAGES
from tablecall.runtime.request_context import context_of

JSON, RESPONSE, PAGE = "application/json", "application/graphql-response+json", "text/html"
FORMS = (JSON, RESPONSE, EVENTS)
_OPERATION = "tablecall.operation"
"""Where a request has its operation in the ASGI scope, once it is read: a body can be read only once."""
MAX_INTROSPECTIONS = 4
"""The most responses about the schema that are kept. A tool sends the same introspection query each time."""


class PersistedQuery(HttpProblem):
    """A hash in place of the text of a query. No texts are kept, and clients then send the text."""

    def __init__(self) -> None:
        super().__init__("bad-request", "PersistedQueryNotSupported")


class Bounded(StarletteRequestAdapter):
    """A request that is read like those of the other endpoints: a body of at most ``max_bytes`` bytes, a query in UTF-8."""

    def __init__(self, request: Request, max_bytes: int) -> None:
        super().__init__(request)
        self.request = request
        self.max_bytes = max_bytes

    @property
    def query_params(self) -> Mapping[str, str | None]:
        """The query. If a name is repeated, the last value counts."""
        return dict(read_query(self.request))

    async def get_body(self) -> bytes:
        """The body, counted as it arrives."""
        return await read_bytes(self.request, self.max_bytes)


class View(GraphQL[Any, Any]):
    """``/graphql``: POST and GET. A browser's GET shows a page."""

    def __init__(self, schema: Schema, *, max_bytes: int, page: Endpoint, suggestions: bool = True) -> None:
        """``max_bytes`` bounds the body, ``page`` is shown to browsers, and errors suggest similar names if ``suggestions``."""
        super().__init__(schema, subscription_protocols=[GRAPHQL_SSE_PROTOCOL])
        self.request_adapter_class = cast("Any", partial(Bounded, max_bytes=max_bytes))
        self.max_bytes = max_bytes
        self.plans = Plans(schema._schema, EXTRAS, MAX_CACHED)
        self.page = page
        self.suggestions = suggestions
        self.known = names_of(schema._schema)
        self.introspect = lru_cache(MAX_INTROSPECTIONS)(self._introspect)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. A refusal is a GraphQL error that carries the problem."""
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={"allow": "GET, HEAD, OPTIONS, POST"})(scope, receive, send)
            return
        # A HEAD is a GET whose body the server leaves out.
        request = Request({**scope, "method": "GET"} if scope["method"] == "HEAD" else scope, receive)
        if header(request, b"sec-websocket-key"):  # a handshake; the connection has dropped its offer of an upgrade
            refusal = HttpProblem("bad-request", "there are no WebSockets here: subscriptions are server-sent events")
            await _refused(refusal, request)(scope, receive, send)
            return
        context_of(scope).language = negotiation.negotiate_language(header(request, b"accept-language"))
        try:
            response = await self._planned(request) or await self.run(request)
        except (Refusal, HttpProblem) as error:
            response = _refused(error, request)
        except HTTPException as error:
            response = _refused(_refusal(error), request)
        await response(scope, receive, send)

    async def _planned(self, request: Request) -> Response | None:
        """The response to a document with a plan, if JSON is sent and accepted; ``None`` if Strawberry must answer."""
        if request.method != "POST" or header(request, b"content-type") != JSON or header(request, b"accept") not in ("", JSON, "*/*"):
            return None
        request.scope[_OPERATION] = operation = await _posted(await read_bytes(request, self.max_bytes))
        plan = self.plans.find(operation.query or "", operation.operation_name)
        if plan is None:
            return None
        try:
            result = await plan.answer(context_of(request.scope), operation.variables or {})
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
        """Strawberry's result. A document without errors has a plan from its next request on."""
        query, name = request_data.query or "", request_data.operation_name
        if is_introspection(query, name):
            return await asyncio.to_thread(self.introspect, query, name, orjson.dumps(request_data.variables))
        result = await super().execute_single(request, request_adapter, sub_response, context, root_value, request_data)
        if not result.errors:
            self.plans.answered(query, name)
        return result

    def _introspect(self, query: str, name: str | None, variables: bytes) -> ExecutionResult:
        """The result of an introspection, its data already as JSON. Takes 0.1 s for the usual query of all types."""
        result = self.schema.execute_sync(query, orjson.loads(variables), operation_name=name)
        return ExecutionResult(result.data and orjson.Fragment(orjson.dumps(result.data)), result.errors)  # type: ignore[arg-type]

    async def execute_operation(self, *arguments: Any, **named: Any) -> Any:
        """Strawberry's result, or the results that it streams. An error among those is a result too."""
        result = await super().execute_operation(*arguments, **named)
        return _results(result) if isinstance(result, SubscriptionExecutionResult) else result

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """The operation. Refuses other media types (415), invalid JSON, and anything but one operation (400)."""
        scope = cast("Bounded", request).request.scope
        operation: GraphQLRequestData = scope.get(_OPERATION) or await self._read(request)
        scope[_OPERATION] = operation
        accept = request.headers.get("accept", "")
        if _subscribes(operation):
            negotiation.negotiate(accept, (EVENTS,))
            operation.protocol = "sse"
        elif negotiation.negotiate(accept, FORMS) == EVENTS:
            operation.protocol = "sse"
        return operation

    async def _read(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        if request.method == "GET":
            return _operation(_queried(request.query_params))
        if (request.content_type or "").partition(";")[0].strip().lower() != JSON:
            raise HttpProblem("unsupported-media-type")
        return await _posted(await request.get_body())

    def encode_json(self, data: object) -> bytes:
        """JSON as the other endpoints write it."""
        return one_line(orjson.dumps(data))

    async def render_graphql_ide(self, request: Request) -> Response:
        """The page for a browser."""
        return await self.page(request)

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Choose the media type first, because the status depends on it. A request without an operation may get the page."""
        response = await super().get_sub_response(request)
        has_operation = request.scope["method"] == "POST" or "query" in request.query_params
        forms = FORMS if has_operation else (JSON, RESPONSE, PAGE)
        response.media_type = negotiation.negotiate(request.headers.get("accept", ""), forms)
        return response

    async def process_result(self, request: Request, result: ExecutionResult | Result) -> GraphQLHTTPResponse:
        """The response. An error of the request, before execution, has no data."""
        errors = result.errors or []
        response: Any = {"data": result.data} if result.data is not None or any(error.path for error in errors) else {}
        if errors:
            context, variables = context_of(request.scope), request.scope[_OPERATION].variables or {}
            language = context.language or LANGUAGES[0]
            all_errors = [formatted(error, self.known, variables, language, suggestions=self.suggestions) for error in errors]
            # what REST says of a request is all that is wrong with it, so it is said once
            response["errors"] = [error for index, error in enumerate(all_errors) if error not in all_errors[:index]]
            for error in response["errors"]:
                context.refused(error["extensions"]["problem"]["type"].rpartition("/")[2])
        return cast("GraphQLHTTPResponse", response)

    def create_response(self, response_data: GraphQLHTTPResponse | list[GraphQLHTTPResponse], sub_response: Response) -> Response:
        """An error of the request is 400 as ``application/graphql-response+json``. Everything is 200 as ``application/json``."""
        status = 400 if sub_response.media_type == RESPONSE and "data" not in response_data else 200
        return Response(self.encode_json(response_data), status, media_type=f"{sub_response.media_type}; charset=utf-8")


# ── Reading an operation ─────────────────────────────────────────────────────────────────────────────────────────────

_PARTS: dict[str, tuple[type, str]] = {
    "query": (str, "text"),
    "operationName": (str, "text"),
    "variables": (dict, "an object"),
    "extensions": (dict, "an object"),
}


def _queried(query: Mapping[str, Any]) -> dict[str, Any]:
    """The operation of a GET. Variables and extensions are JSON, each in a parameter."""
    return {name: _parsed(name, text) if name in ("variables", "extensions") else text for name, text in query.items() if text}


def _parsed(name: str, text: str) -> Any:
    try:
        return parse(text.encode())
    except NotJson as error:
        raise HttpProblem("bad-request", str(error), Finding(f"/{name}", NotJson.code, str(error))) from None


async def _posted(body: bytes) -> GraphQLRequestData:
    """The operation in a body. Refuses variables that hold too much."""
    operation = _operation(await read(body))
    if len(body) > SMALL_BODY and operation.variables:
        bound_variables(operation.variables)
    return operation


def _operation(sent: Any) -> GraphQLRequestData:
    """The operation in a JSON document. Refuses anything else."""
    if not isinstance(sent, dict):
        raise _bad_request(Finding("", "wrong-type", "an operation is a JSON object, one at a time"))
    if isinstance(sent.get("query"), str) and len(sent["query"]) > MAX_CHARACTERS:
        raise HttpProblem("too-costly", f"the text of a query has at most {MAX_CHARACTERS} characters")
    if not sent.get("query") and "persistedQuery" in (sent.get("extensions") or {}):
        raise PersistedQuery
    if not sent.get("query"):
        raise _bad_request(Finding("/query", "missing-field", "an operation has the text of its query"))
    for name, (python_type, description) in _PARTS.items():
        if not isinstance(sent.get(name), python_type | None):
            raise _bad_request(Finding(f"/{name}", "wrong-type", f"this is {description}"))
    return GraphQLRequestData(sent["query"], sent.get("variables"), sent.get("operationName") or None, sent.get("extensions"))


async def _results(results: SubscriptionExecutionResult) -> AsyncIterator[Any]:
    """The streamed results. For a document that cannot be parsed, Strawberry would end the stream without an error."""
    try:
        async for result in results:
            yield result
    except GraphQLError as error:
        yield ExecutionResult(None, [error])


def _subscribes(sent: GraphQLRequestData) -> bool:
    """Whether the operation is a subscription."""
    operation = operation_of(sent.query, sent.operation_name) if sent.query and "subscription" in sent.query else None
    return operation is not None and operation.operation is OperationType.SUBSCRIPTION


def _bad_request(finding: Finding) -> HttpProblem:
    return HttpProblem("bad-request", finding.detail, finding)


def _refusal(error: HTTPException) -> HttpProblem:
    """The problem for what Strawberry refuses: another method, an operation it cannot choose, or one that a GET must not run."""
    if isinstance(error.__cause__, CannotGetOperationTypeError):
        return _bad_request(Finding("/operationName", "not-allowed", "it names one of the document's operations"))
    return HttpProblem("method-not-allowed")


def _refused(error: Refusal | HttpProblem, request: Request) -> Response:
    """A refusal before execution, in the media type that the client prefers."""
    if isinstance(error, PersistedQuery):
        unsupported = {"message": error.detail, "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"}}
        return Response(orjson.dumps({"errors": [unsupported]}), media_type=f"{_form(request) or JSON}; charset=utf-8")
    problem = problem_body(error, context_of(request.scope).language or LANGUAGES[0])
    methods = "OPTIONS, POST" if request.method == "GET" else "GET, HEAD, OPTIONS, POST"
    kind = kind_of(error)
    context_of(request.scope).refused(kind.code)
    headers = {"allow": methods} if kind.status == 405 else kind.headers
    body = {"errors": [{"message": problem["detail"], "extensions": {"code": INPUT, "problem": problem}}]}
    return Response(orjson.dumps(body), problem["status"], headers, f"{_form(request) or JSON}; charset=utf-8")


def _form(request: Request) -> str | None:
    try:
        return negotiation.negotiate(header(request, b"accept"), (JSON, RESPONSE))
    except HttpProblem:
        return None
