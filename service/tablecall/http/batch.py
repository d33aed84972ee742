"""Many requests in one: as a JSON document, or as lines of JSON (NDJSON) answered while they still arrive.

Every item is read, resolved and refused by itself, in slices of half a millisecond: between two slices everybody else has
their turn. An item without a seed of its own has one made of the batch's: ``{seed}/{index}``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.operations import SENT, Operation
from tablecall.dice.rng import fresh_seed
from tablecall.dice.roll import inner_seed
from tablecall.engine.requests import as_object, tagged
from tablecall.http import json_body, negotiation
from tablecall.http.problems import refusal_of
from tablecall.http.request_body import as_it_is, header, media_type, read_json, read_query
from tablecall.model.annotations import refers
from tablecall.model.base import Body, Model, Seed
from tablecall.model.findings import unprocessable
from tablecall.model.problems import HttpProblem, problem_body
from tablecall.model.refusals import Finding, Unprocessable, pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.model.suggestions import suggestion
from tablecall.runtime import dispatch
from tablecall.runtime.cooperative import TimeSlices
from tablecall.runtime.request_context import RequestContext, context_of
from tablecall.settings import Settings
from tablecall.systems.system import Action, System

JSON, NDJSON = "application/json", "application/x-ndjson"
LINES = frozenset({NDJSON, "application/ndjson", "application/jsonl", "application/x-jsonlines"})
"""The media types lines may be sent as."""
MAX_REQUESTS = 1_000
"""The most requests of a batch that is one JSON document."""

MAX_ANSWER = 16 * 1024 * 1024
"""How many bytes of answers a batch that is one JSON document has at most: as many as one more request may add."""
_TOO_MUCH = {
    "problem": problem_body(HttpProblem("too-large", f"a batch as one document answers {MAX_ANSWER >> 20} MiB at most: send it as lines"))
}


class Batch(Model):
    """Many requests in one. Each is answered by itself: one that is refused harms no other."""

    seed: Seed | None = None
    """Request number `i`, counted from 0, without a seed of its own uses `{seed}/{i}`. Left out, the service draws one and returns it."""
    requests: Annotated[list[Annotated[Any, WithJsonSchema(refers("ResolveRequest"))]], Field(max_length=MAX_REQUESTS)]
    """The requests, of any actions."""


def _either(schema: dict[str, Any]) -> None:
    """One of the properties, and not the other; neither is ever null."""
    schema.update(minProperties=1, maxProperties=1)
    for part in schema["properties"].values():
        del part["default"], part["title"]


class BatchResult(OutputModel):
    """What came of one request: a ruling or a problem."""

    model_config = ConfigDict(json_schema_extra=_either)

    ruling: Annotated[Any, WithJsonSchema(refers("Ruling"))] = None
    """The ruling. Left out where the request is refused."""
    problem: Annotated[Any, WithJsonSchema(refers("Problem"))] = None
    """Why it is refused; pointers are into this request. Left out where there is a ruling."""


class BatchAnswer(OutputModel):
    """What came of each request of a batch."""

    seed: str
    """The batch's seed."""
    seed_from: Literal["request", "service"]
    """Who chose it. `request`: the caller. `service`: it was drawn here."""
    results: list[BatchResult]
    """One for each request, in the same order."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seed of a batch: its text, and whether it was drawn here."""

    text: str
    drawn: bool

    @classmethod
    def of(cls, seed: str | int | None) -> Seeds:
        """The caller's own, or a fresh one."""
        return cls(fresh_seed(), drawn=True) if seed is None else cls(str(seed), drawn=False)

    @property
    def chosen_by(self) -> str:
        """``seedFrom``, in the published word."""
        return "service" if self.drawn else "request"

    def item(self, index: int) -> str:
        """The seed of request ``index``."""
        return inner_seed(self.text, str(index))


Reader = Callable[[dict[str, Any]], tuple[System, Action, Body]]
"""From a document to what it asks; `tagged` unless a door knows the action already."""


async def answer(
    context: RequestContext, sent: Any, index: int, seeds: Seeds, read: Reader = tagged, include: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """What comes of one request (`BatchResult`), whatever it is: a document, or the text of one."""
    try:
        document = as_object(await json_body.read(context, sent) if isinstance(sent, bytes) else sent)
        own = document.get("seed") is not None
        system, action, body = read(document if own else {**document, "seed": seeds.item(index)})
        return {"ruling": await dispatch.ruling(context, system, action, body, include, drawn=seeds.drawn and not own)}
    except Exception as error:
        return {"problem": problem_body(refusal_of(error))}


# ── One JSON document ────────────────────────────────────────────────────────────────────────────────────────────────


async def _answered(request: Request, batch: Batch, slices: TimeSlices) -> bytes:
    """The answer to a batch (`BatchAnswer`); a caller who hangs up is not worked for any longer."""
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
    """The lines of a body as they arrive; what is not read yet waits here, up to ``room`` bytes, and then with the caller.

    A line longer than ``most`` bytes comes as ``None``. ``slow``: waited for, the next line was not whole within ``patience`` seconds.
    """

    def __init__(self, receive: Receive, room: int, most: int, patience: float) -> None:
        self._receive = receive
        self._patience = patience
        self._room = room
        self._most = most
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._rest = b""
        self._skipping = False
        self._ended = False
        self._moved = asyncio.Event()
        self.gone = self.slow = False

    async def pump(self) -> None:
        """Take in what arrives until the caller hangs up."""
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
        """All the lines at hand, again and again, until the body ends or is too slow or the caller hangs up. Empty lines are none."""
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
        """Wait for more of the body; whether there was any in time."""
        self._moved.clear()
        try:
            async with asyncio.timeout_at(until):
                await self._moved.wait()
        except TimeoutError:
            return False
        return True

    def _cut(self, chunk: bytes) -> list[bytes | None]:
        *lines, rest = (self._rest + chunk).split(b"\n")
        found: list[bytes | None] = []
        for line in lines:
            if self._skipping or len(line) > self._most:
                found.append(None)
            elif line.strip():
                found.append(line)
            self._skipping = False
        self._skipping = self._skipping or len(rest) > self._most
        self._rest = b"" if self._skipping else rest
        return found


class LinesResponse(Response):
    """A line of answer for every line of the body, in the same order, begun before the body is at its end."""

    def __init__(self, context: RequestContext, seeds: Seeds) -> None:
        # A proxy shall not gather lines; and a seed the caller chose may hold what no header may.
        headers = {"x-accel-buffering": "no", **({"batch-seed": seeds.text} if seeds.drawn else {})}
        super().__init__(None, headers=headers, media_type=NDJSON)
        del self.headers["content-length"]
        self.seeds = seeds
        self.context = context
        self.settings = context.services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer. It begins with the first lines: a body that never comes may still be refused by the layers around."""
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
        """The answers, a slice at a time."""
        slices = TimeSlices(self.settings.batch_slice_ms / 1000)
        index, most = 0, self.settings.max_batch_lines
        async for lines in inbox.lines():
            found = []
            for line in lines:
                if inbox.gone:
                    return
                if index == most:
                    found.append(
                        _line({"problem": problem_body(HttpProblem("too-large", f"a batch in lines has at most {most} requests"))})
                    )
                    yield b"".join(found)
                    return
                found.append(_line(await self._answer(line, index)))
                index += 1
                if slices.over:
                    yield b"".join(found)
                    found = []
                    await slices.rest()
            yield b"".join(found)
        if inbox.slow:
            yield _line({"problem": problem_body(HttpProblem("too-slow"))})

    async def _answer(self, line: bytes | None, index: int) -> dict[str, Any]:
        if line is None:
            return {"problem": problem_body(HttpProblem("too-large", f"a line has at most {self.settings.max_body_bytes} bytes"))}
        return await answer(self.context, line, index, self.seeds)


def _line(result: dict[str, Any]) -> bytes:
    return orjson.dumps(result, option=orjson.OPT_APPEND_NEWLINE)


_SEED: TypeAdapter[str | int] = TypeAdapter(Seed)


def _query_seed(request: Request) -> str | int | None:
    """The seed in the query; refuses whatever else is there, a misspelt seed above all: other dice would be drawn."""
    sent = read_query(request)
    for name, _ in sent:
        if name != "seed":
            raise Unprocessable(Finding(pointer_of([name]), "unknown-field", f"there is no such parameter{suggestion(name, ['seed'])}"))
    if len(sent) > 1:
        raise Unprocessable(Finding("/seed", "not-allowed", "it stands more than once in the query: one value is taken here"))
    text = sent[0][1] if sent else None
    try:
        return None if text is None else _SEED.validate_python(text)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise Unprocessable(Finding("/seed", "not-allowed", detail)) from None


# ── The door ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_TEXT = f"""Each request is answered by itself, in the same order: one that is refused has its `problem` and harms no other. Request
number *i*, counted from 0, without a seed of its own uses `{{seed}}/{{i}}` (its SHA-256 in hexadecimal where that would be longer than a
seed may be); its ruling says so. As `{JSON}`, up to {MAX_REQUESTS:,} requests.

As `{NDJSON}`, far more (100,000, unless the operator says otherwise): every line of the body is a request as `POST /resolve` takes it,
every line of the answer a `BatchResult`, line by line in the same order. The seed of the batch is the parameter `seed`; one that the
service draws comes back in the header `Batch-Seed`. The answer begins before the body is at its end, so send and read at the same time.
A line that is not JSON, or too long, has its problem like any other; empty lines are none; after the last line allowed, or where the
next one takes too long (15 seconds, unless the operator says otherwise), one more problem says so."""

_SEED_PARAMETER = {
    "name": "seed",
    "in": "query",
    "required": False,
    "description": f"The batch's seed: for a batch sent as `{NDJSON}`, or for a document without one.",
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
        headers={"Batch-Seed": "The seed of a batch in lines, where the service drew it."},
    )


def _endpoint(settings: Settings) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        accept = header(request, b"accept")
        if media_type(request) in LINES:
            as_it_is(request)
            negotiation.negotiate(accept, (NDJSON,))
            return LinesResponse(context_of(request.scope), Seeds.of(_query_seed(request)))
        negotiation.negotiate(accept, (JSON,))
        document = await read_json(request, settings.max_batch_bytes, 'a batch is a JSON object: {"requests": […]}')
        batch = _with_seed(batch_of(document), _query_seed(request))
        return Response(await _answered(request, batch, TimeSlices(settings.batch_slice_ms / 1000)), media_type=JSON)

    return endpoint


def _with_seed(batch: Batch, seed: str | int | None) -> Batch:
    """The batch with the seed of the query, where it has none of its own."""
    if seed is None:
        return batch
    if batch.seed is not None:
        raise Unprocessable(Finding("/seed", "not-allowed", "a batch has one seed: the document's own, or that of the query"))
    return batch.model_copy(update={"seed": seed})


def batch_of(document: dict[str, Any]) -> Batch:
    """The batch, its requests unread; refuses what is not of the published shape."""
    try:
        return Batch.model_validate(document)
    except ValidationError as error:
        raise unprocessable(error, Batch) from None


def _examples() -> dict[str, Any]:
    """The first example of each system, in one batch."""
    firsts = {one.system.name: {"action": one.tag, **next(iter(one.action.examples.values()))} for one in reversed(PUBLISHED.values())}
    return {"A request to each system": {"seed": "a session", "requests": [*reversed(firsts.values())]}}
