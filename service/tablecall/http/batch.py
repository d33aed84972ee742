"""Many requests in one: a JSON document, or lines of JSON (NDJSON) that are answered while they still arrive.

Each item is read, resolved and refused on its own. The work is done in slices of half a millisecond, so that other requests
run in between. An item without a seed uses ``{seed}/{index}`` with the batch's seed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.batch_models import MAX_REQUESTS, Batch
from tablecall.contract.operations import SENT, Operation
from tablecall.dice.rng import fresh_seed
from tablecall.dice.roll import inner_seed
from tablecall.engine.flat import document_of
from tablecall.engine.requests import as_object, tagged
from tablecall.http import json_body, negotiation
from tablecall.http.events import one_line
from tablecall.http.problems import refusal_of
from tablecall.http.query import read_query
from tablecall.http.request_body import header, media_type, read_json, refuse_encoding
from tablecall.model.base import Body, Model, Seed
from tablecall.model.findings import unprocessable
from tablecall.model.problems import HttpProblem, problem_body
from tablecall.model.refusals import Finding, Unprocessable
from tablecall.model.text import LANGUAGES, Language
from tablecall.runtime import dispatch
from tablecall.runtime.cooperative import TimeSlices
from tablecall.runtime.request_context import RequestContext, context_of, speaking
from tablecall.settings import Settings
from tablecall.systems.system import Action, System

JSON, NDJSON = "application/json", "application/x-ndjson"
LINES = frozenset({NDJSON, "application/ndjson", "application/jsonl", "application/x-jsonlines"})
"""The media types lines may be sent as."""
MAX_ANSWER = 16 * 1024 * 1024
"""The most bytes of results in the answer to one JSON document; the item that passes it is still answered whole."""
_TOO_MUCH = {"problem": problem_body(HttpProblem("too-large", "http.batch_answer", max=MAX_ANSWER >> 20))}


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seed of a batch: its text, and whether the service drew it."""

    text: str
    drawn: bool

    @classmethod
    def of(cls, seed: str | int | None) -> Seeds:
        """The caller's seed, or a new one."""
        return cls(fresh_seed(), drawn=True) if seed is None else cls(str(seed), drawn=False)

    @property
    def chosen_by(self) -> str:
        """The published value of ``seedFrom``."""
        return "service" if self.drawn else "request"

    def item(self, index: int) -> str:
        """The seed of item ``index``."""
        return inner_seed(self.text, str(index))


Reader = Callable[[dict[str, Any]], tuple[System, Action, Body]]
"""From a JSON object to action and body: `tagged`, unless the caller (GraphQL) knows the action already."""


async def answer(
    context: RequestContext,
    sent: Any,
    index: int,
    seeds: Seeds,
    read: Reader = tagged,
    include: frozenset[str] = frozenset(),
    language: Language | None = None,
) -> dict[str, Any]:
    """The result of one item (`BatchResult`), given as a document or as its text. Every error becomes a problem in the result.

    Both are in the item's own language, else in ``language``, else in that of the header.
    """
    spoken: Language = language or context.language or LANGUAGES[0]
    try:
        document = as_object(await json_body.read(sent) if isinstance(sent, bytes) else sent)
        spoken = next((known for known in LANGUAGES if known == document.get("language")), spoken)
        own = document.get("seed") is not None
        system, action, body = read(document if own else {**document, "seed": seeds.item(index)})
        speaking(body, spoken)
        return {"ruling": await dispatch.ruling(context, system, action, body, include, drawn=seeds.drawn and not own)}
    except Exception as error:
        return {"problem": problem_body(refusal_of(error), spoken)}


# ── One JSON document ────────────────────────────────────────────────────────────────────────────────────────────────


async def _answered(request: Request, batch: Batch, slices: TimeSlices) -> bytes:
    """The answer to a batch (`BatchAnswer`). The work ends when the client disconnects."""
    context, seeds = context_of(request.scope), Seeds.of(batch.seed)
    results, gone, size = list[bytes](), False, 0
    for index, sent in enumerate(batch.requests):
        if gone:
            break
        results.append(orjson.dumps(await answer(context, sent, index, seeds) if size < MAX_ANSWER else _TOO_MUCH))
        size += len(results[-1])
        if slices.over:
            await slices.rest()
            gone = await request.is_disconnected()
    head = orjson.dumps({"seed": seeds.text, "seedFrom": seeds.chosen_by})
    return head[:-1] + b',"results":[' + b",".join(results) + b"]}"


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Inbox:
    """The lines of a body as they arrive. Up to ``room`` bytes wait here to be read; beyond that, reading from the client pauses.

    A line longer than ``limit`` bytes is given as ``None``. ``slow`` is set if the next line was not complete within ``patience``
    seconds, ``gone`` if the client disconnected.
    """

    def __init__(self, receive: Receive, room: int, limit: int, patience: float) -> None:
        self._receive = receive
        self._patience = patience
        self._room = room
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._rest = b""
        self._skipping = False
        self._ended = False
        self._moved = asyncio.Event()
        self.gone = self.slow = False

    async def pump(self) -> None:
        """Receive until the client disconnects."""
        while not self.gone:
            message = await self._receive()
            self.gone = message["type"] == "http.disconnect"
            if not self._ended and not self.gone:
                self._chunks.append(message.get("body", b""))
                self._held += len(self._chunks[-1])
                self._ended = not message.get("more_body", False)
            self._moved.set()
            while self._held > self._room:
                self._moved.clear()
                await self._moved.wait()

    async def lines(self) -> AsyncIterator[list[bytes | None]]:
        """The complete lines received so far, repeatedly, until the body ends or is too slow or the client disconnects."""
        clock = asyncio.get_running_loop().time
        until = clock() + self._patience
        while not self.gone and not self.slow:
            if self._chunks:
                chunk = self._chunks.popleft()
                self._held -= len(chunk)
                self._moved.set()
                lines = self._cut(chunk)
                yield lines
                if lines:
                    until = clock() + self._patience
            elif self._ended:
                yield self._cut(b"\n")
                return
            else:
                self.slow = not await self._more(until)

    async def _more(self, until: float) -> bool:
        """Wait for more of the body. Returns whether some came in time."""
        self._moved.clear()
        try:
            async with asyncio.timeout_at(until):
                await self._moved.wait()
        except TimeoutError:
            return False
        return True

    def _cut(self, chunk: bytes) -> list[bytes | None]:
        *lines, rest = (self._rest + chunk).split(b"\n")
        complete: list[bytes | None] = []
        for line in lines:
            if self._skipping or len(line) > self._limit:
                complete.append(None)
            elif line.strip():
                complete.append(line)
            self._skipping = False
        self._skipping = self._skipping or len(rest) > self._limit
        self._rest = b"" if self._skipping else rest
        return complete


class LinesResponse(Response):
    """One line of answer for each line of the body, in the same order; the response starts before the body has ended."""

    def __init__(self, context: RequestContext, seeds: Seeds) -> None:
        # Proxies must not buffer the lines. A seed of the caller may hold characters that no header may, so only a drawn one is sent.
        headers = {"x-accel-buffering": "no", **({"batch-seed": seeds.text} if seeds.drawn else {})}
        super().__init__(None, headers=headers, media_type=f"{NDJSON}; charset=utf-8")
        del self.headers["content-length"]
        self.seeds = seeds
        self.context = context
        self.settings = context.services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer. The response starts with the first lines, so that the middleware can still refuse a body that never comes."""
        inbox = Inbox(receive, self.settings.batch_room_bytes, self.settings.max_body_bytes, self.settings.body_seconds)
        pump = asyncio.create_task(inbox.pump())
        begin: Message = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        try:
            async for part in self._parts(inbox):
                if begin:
                    await send(begin)
                    begin = {}
                await send({"type": "http.response.body", "body": part, "more_body": True})
            if not inbox.gone:
                await send({"type": "http.response.body", "body": b""})
        finally:
            pump.cancel()

    async def _parts(self, inbox: Inbox) -> AsyncIterator[bytes]:
        """The answers, one slice of work at a time."""
        slices = TimeSlices(self.settings.batch_slice_ms / 1000)
        index, limit = 0, self.settings.max_batch_lines
        async for lines in inbox.lines():
            answers = []
            for line in lines:
                if inbox.gone:
                    return
                if index == limit:
                    answers.append(_line({"problem": problem_body(HttpProblem("too-large", "http.batch_lines", max=limit))}))
                    yield b"".join(answers)
                    return
                answers.append(_line(await self._answer(line, index)))
                index += 1
                if slices.over:
                    yield b"".join(answers)
                    answers = []
                    await slices.rest()
            yield b"".join(answers)
        if inbox.slow:
            yield _line({"problem": problem_body(HttpProblem("too-slow"))})

    async def _answer(self, line: bytes | None, index: int) -> dict[str, Any]:
        if line is None:
            return {"problem": problem_body(HttpProblem("too-large", "http.line", max=self.settings.max_body_bytes))}
        return await answer(self.context, line, index, self.seeds)


def _line(result: dict[str, Any]) -> bytes:
    return one_line(orjson.dumps(result, option=orjson.OPT_APPEND_NEWLINE))


class _SeedQuery(Model):
    """The query of a batch. Anything else in it is refused: a misspelt seed would silently give other dice."""

    seed: Seed | None = None


def _query_seed(request: Request) -> str | int | None:
    """The seed in the query."""
    try:
        return _SeedQuery.model_validate(document_of(_SeedQuery, read_query(request))).seed
    except ValidationError as error:
        raise unprocessable(error, _SeedQuery) from None


# ── The operation ────────────────────────────────────────────────────────────────────────────────────────────────────

_TEXT = f"""Each request is answered on its own, in the same order. A refused one gets its `problem` and does not affect the others.
Request number *i*, counted from 0, without a seed of its own uses `{{seed}}/{{i}}` (or the SHA-256 of that in hexadecimal, if it is longer
than a seed may be); its ruling shows the seed. As `{JSON}`, up to {MAX_REQUESTS:,} requests.

As `{NDJSON}`, many more (100,000 by default): each line of the body is a request as for `POST /resolve`, each line of the answer a
`BatchResult`, in the same order. The batch's seed is the query parameter `seed`; if the service draws one, it is in the response header
`Batch-Seed`. The response starts before the body has ended, so send and read at the same time. A line that is not JSON or too long gets
its own problem. Empty lines are ignored. After the last line allowed, or if the next line takes too long (15 seconds by default), one
last problem says so."""

_SEED_PARAMETER = {
    "name": "seed",
    "in": "query",
    "required": False,
    "description": f"The batch's seed, for a batch sent as `{NDJSON}` or for a document without a seed.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 256},
}


def operation(settings: Settings) -> Operation:
    """``POST /batch``."""
    return Operation(
        "POST",
        "/batch",
        _endpoint(settings),
        "batch",
        "Resolve many requests",
        "resolve",
        {JSON: "BatchAnswer"},
        _TEXT,
        "Batch",
        (*SENT, "not-acceptable"),
        (_SEED_PARAMETER,),
        _examples(),
        headers={"Batch-Seed": "The seed of a batch in lines, if the service drew it."},
    )


def _endpoint(settings: Settings) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        context_of(request.scope).language = negotiation.negotiate_language(header(request, b"accept-language"))
        accept = header(request, b"accept")
        if media_type(header(request, b"content-type")) in LINES:
            refuse_encoding(header(request, b"content-encoding"))
            negotiation.negotiate(accept, (NDJSON,))
            return LinesResponse(context_of(request.scope), Seeds.of(_query_seed(request)))
        negotiation.negotiate(accept, (JSON,))
        document = await read_json(request, settings.max_batch_bytes, "http.batch_object")
        batch = _with_seed(batch_of(document), _query_seed(request))
        return Response(await _answered(request, batch, TimeSlices(settings.batch_slice_ms / 1000)), media_type=f"{JSON}; charset=utf-8")

    return endpoint


def _with_seed(batch: Batch, seed: str | int | None) -> Batch:
    """The batch with the seed from the query. Refuses two seeds."""
    if seed is None:
        return batch
    if batch.seed is not None:
        raise Unprocessable(Finding("/seed", "conflicting-fields", "refused.two_seeds"))
    return batch.model_copy(update={"seed": seed})


def batch_of(document: dict[str, Any]) -> Batch:
    """The batch, its requests not yet read. Refuses documents that do not match the published schema."""
    try:
        return Batch.model_validate(document)
    except ValidationError as error:
        raise unprocessable(error, Batch) from None


def _examples() -> dict[str, Any]:
    """The first example of each system, in one batch."""
    firsts = {one.system.name: {"action": one.tag, **next(iter(one.action.examples.values()))} for one in reversed(PUBLISHED.values())}
    return {"A request to each system": {"seed": "a session", "requests": [*reversed(firsts.values())]}}
