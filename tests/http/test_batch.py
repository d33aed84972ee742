"""`POST /batch` as one document and as lines, and GraphQL's ``batch``: each request by itself, nobody kept waiting."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient
from starlette.types import Message

from tablecall import engine
from tablecall.app import create_app
from tablecall.contract import json_schema
from tablecall.contract.batch_models import MAX_REQUESTS
from tablecall.http import batch
from tablecall.runtime import dispatch
from tablecall.settings import Settings
from tests.support.client import EXAMPLES, ids, member, problem
from tests.support.clock import run
from tests.support.server import WAIT

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
POOL: dict[str, Any] = {"action": "darkpages.check", "actor": {"pool": {"roll": 4, "keep": 3}}, "targetNumber": 15}
LINES = {"content-type": "application/x-ndjson"}
pytestmark = pytest.mark.anyio
SMALL = Settings(max_batch_lines=5, max_body_bytes=1024, batch_slice_ms=0.001)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def small() -> TestClient:
    return TestClient(create_app(SMALL))


def batched(client: TestClient, requests: list[Any], **more: Any) -> dict[str, Any]:
    answer = client.post("/batch", json={"requests": requests, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    Draft202012Validator(json_schema.standalone("BatchAnswer")).validate(found)
    return found


def lines(client: TestClient, sent: Iterable[Any], query: str = "", **headers: str) -> httpx2.Response:
    content = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in sent)
    return client.post(f"/batch{query}", content=content, headers=LINES | headers)


def results(answer: httpx2.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.content.splitlines()]


def codes(found: list[dict[str, Any]]) -> list[str | None]:
    """The code of each problem; of a ruling, None."""
    return [one["problem"]["type"].removeprefix("/problems/") if "problem" in one else None for one in found]


# ── Both forms ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_an_item_is_ruled_on_as_it_is_alone(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    request = {"action": tag, **body}
    alone = client.post("/resolve", json=request).json()
    assert batched(client, [request])["results"] == [{"ruling": alone}] == results(lines(client, [request]))


def test_items_without_a_seed_derive_theirs(client: TestClient) -> None:
    requests = [CHECK, POOL | {"seed": 7}, CHECK | {"seed": None}, POOL]
    found = batched(client, requests, seed="a session")
    assert (found["seed"], found["seedFrom"]) == ("a session", "request")
    rulings = [result["ruling"] for result in found["results"]]
    assert [ruling["seed"] for ruling in rulings] == ["a session/0", "7", "a session/2", "a session/3"]
    assert {ruling["seedFrom"] for ruling in rulings} == {"request"}
    assert rulings[3] == client.post("/resolve", json=POOL | {"seed": "a session/3"}).json()
    answer = lines(client, requests, "?seed=a%20session")
    assert results(answer) == found["results"]
    assert "batch-seed" not in answer.headers
    assert answer.headers["x-accel-buffering"] == "no"


def test_an_integer_seed_is_its_text(client: TestClient) -> None:
    assert batched(client, [CHECK], seed=42) == batched(client, [CHECK], seed="42")


def test_a_seed_too_long_to_be_one_is_hashed(client: TestClient) -> None:
    seed = "x" * 256
    (found,) = batched(client, [CHECK], seed=seed)["results"]
    assert found["ruling"]["seed"] == sha256(f"{seed}/0".encode()).hexdigest()


def test_a_seed_drawn_here_is_returned(client: TestClient) -> None:
    requests = [CHECK, CHECK | {"seed": 1}]
    found = batched(client, requests)
    assert found["seedFrom"] == "service"
    assert [one["ruling"]["seed"] for one in found["results"]] == [f"{found['seed']}/0", "1"]
    assert [one["ruling"]["seedFrom"] for one in found["results"]] == ["service", "request"]
    answer = lines(client, requests)
    assert results(answer)[0]["ruling"]["seed"] == f"{answer.headers['batch-seed']}/0"
    assert batched(client, requests)["seed"] != found["seed"]


BAD: list[tuple[Any, str]] = [
    (5, "invalid-request"),
    (None, "invalid-request"),
    ([CHECK], "invalid-request"),
    ({"action": "jazz.check"}, "invalid-request"),
    ({"action": "no.such"}, "invalid-request"),
    (CHECK | {"seed": ""}, "invalid-request"),
    (CHECK | {"rng": "dice-2000"}, "unknown-rng"),
    (CHECK | {"dice": [{"roll": "actor", "faces": [1]}]}, "wrong-dice"),
    (CHECK | {"actor": {"bonus": 3, "rescue": True}}, "invalid-request"),
]


def test_a_refused_item_harms_no_other(client: TestClient) -> None:
    requests = [one for bad, _ in BAD for one in (bad, CHECK)]
    expected = [one for _, code in BAD for one in (code, None)]
    found = batched(client, requests, seed="s")["results"]
    assert codes(found) == expected
    assert found == results(lines(client, requests, "?seed=s"))
    assert found[15]["ruling"]["seed"] == "s/15"
    # The pointers are into the request itself.
    assert found[14]["problem"]["errors"][0]["pointer"] == "/dice/0/faces"


def test_our_own_mistake_harms_no_other(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = engine.resolve

    def broken(system: Any, action: Any, body: Any, **more: Any) -> Any:
        if body.seed == "broken":
            raise RuntimeError("a secret")
        return resolve(system, action, body, **more)

    monkeypatch.setattr(dispatch, "resolve", broken)
    found = batched(client, [CHECK, CHECK | {"seed": "broken"}, CHECK])["results"]
    assert codes(found) == [None, "internal", None]
    assert "secret" not in json.dumps(found)


# ── One document ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_thousand_at_most(client: TestClient) -> None:
    assert batched(client, [])["results"] == []
    assert len(batched(client, [CHECK] * MAX_REQUESTS)["results"]) == MAX_REQUESTS
    found = problem(client.post("/batch", json={"requests": [CHECK] * (MAX_REQUESTS + 1)}), 422)
    assert found["errors"][0]["pointer"] == "/requests"


@pytest.mark.parametrize(
    ("document", "pointer"),
    [({}, "/requests"), ({"requests": 5}, "/requests"), ({"requests": [], "more": 1}, "/more"), ({"requests": [], "seed": ""}, "/seed")],
)
def test_what_is_no_batch_is_refused(client: TestClient, document: Any, pointer: str) -> None:
    assert problem(client.post("/batch", json=document), 422)["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("document", [[CHECK], [], "text"])
def test_a_list_of_requests_is_told_what_a_batch_is(client: TestClient, document: Any) -> None:
    found = problem(client.post("/batch", json=document), 422, "invalid-request")
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [("", "wrong-type")]
    assert found["detail"] == 'a batch is a JSON object: {"requests": […]}'


def test_a_batch_has_a_bound_of_its_own() -> None:
    small = TestClient(create_app(Settings(max_body_bytes=1024, max_batch_bytes=2048)))
    assert len(batched(small, [CHECK] * 20)["results"]) == 20
    assert problem(small.post("/batch", json={"requests": [CHECK] * 50}), 413)["detail"] == "a body has at most 2048 bytes"


@pytest.mark.parametrize(
    ("content_type", "accept", "status"),
    [
        ("application/json", "application/json", 200),
        ("application/json", "application/x-ndjson", 406),
        ("application/x-ndjson", "application/json", 406),
        ("application/x-ndjson", "application/x-ndjson", 200),
        ("application/jsonl; charset=utf-8", "*/*", 200),
        ("text/plain", "*/*", 415),
    ],
)
def test_the_answer_has_the_form_of_the_request(client: TestClient, content_type: str, accept: str, status: int) -> None:
    answer = client.post("/batch", content=b'{"requests": []}', headers={"content-type": content_type, "accept": accept})
    assert answer.status_code == status


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_line_that_is_no_json_has_its_problem(client: TestClient) -> None:
    sent = [b"{\n", b"\xff\n", b'{"a": 1, "a": 2}\n', CHECK, b"\n", b"  \r\n", json.dumps(CHECK).encode()]
    found = results(lines(client, sent, "?seed=s"))
    assert codes(found) == ["not-json", "not-json", "not-json", None, None]
    # Empty lines are none, so they do not count; the last line need not end.
    assert found[4]["ruling"]["seed"] == "s/4"
    # Of a line only the column is told: it is the first line of its own document, whichever it is of the batch.
    said = [one["problem"]["detail"] for one in found[:2]]
    assert said == ["this JSON document ends at column 2, before it is whole", "this is not a JSON document in UTF-8 from column 1 on"]


def test_nothing_sent_is_nothing_answered(client: TestClient) -> None:
    assert results(lines(client, [])) == []
    assert results(lines(client, [b"\n\n"])) == []


def test_after_the_last_line_allowed_one_problem_says_so(small: TestClient) -> None:
    assert codes(results(lines(small, [CHECK] * 5))) == [None] * 5
    found = results(lines(small, [CHECK] * 50))
    assert codes(found) == [None] * 5 + ["too-large"]
    assert found[5]["problem"]["detail"] == "a batch in lines has at most 5 requests"


def test_a_document_may_have_its_seed_in_the_query_but_not_two(client: TestClient) -> None:
    document = {"requests": [CHECK]}
    assert client.post("/batch?seed=s", json=document).json() == batched(client, [CHECK], seed="s")
    for more in ({"seed": "s"}, {"seed": 5}):
        assert problem(client.post("/batch?seed=s", json=document | more), 422)["errors"][0]["pointer"] == "/seed"
    for seed in ("", "x" * 257, "%0a"):
        assert problem(client.post(f"/batch?seed={seed}", json=document), 422)["errors"][0]["pointer"] == "/seed"


@pytest.mark.parametrize(
    ("query", "pointer", "detail"),
    [
        ("sed=s", "/sed", "there is no such parameter; did you mean `seed`?"),
        ("seed=s&_=1", "/_", "there is no such parameter; there is seed"),
        ("seed=s&seed=t", "/seed", "the query has it more than once; only one value is accepted"),
    ],
)
@pytest.mark.parametrize("media", ["application/json", "application/x-ndjson"])
def test_the_query_holds_one_seed_and_nothing_else(client: TestClient, query: str, pointer: str, detail: str, media: str) -> None:
    answer = client.post(f"/batch?{query}", content=json.dumps({"requests": []}), headers={"content-type": media})
    (found,) = problem(answer, 422)["errors"]
    assert (found["pointer"], found["detail"]) == (pointer, detail)


@pytest.mark.parametrize("seed", ["", "?seed=", "?seed=" + "x" * 257, "?seed=%0a"])
def test_a_seed_in_the_query_is_one_or_refused(client: TestClient, seed: str) -> None:
    answer = lines(client, [CHECK], seed)
    if seed:
        assert problem(answer, 422)["errors"][0]["pointer"] == "/seed"
    else:
        assert answer.status_code == 200


# ── Lines, as the server hands them over ─────────────────────────────────────────────────────────────────────────────


class Caller:
    """Plays the server's part, a message at a time."""

    def __init__(self, settings: Settings, media: bytes = b"application/x-ndjson") -> None:
        self.sent: list[Message] = []
        self.told: asyncio.Queue[Message] = asyncio.Queue()
        self.answered = asyncio.Event()
        self.reading = asyncio.Event()
        self.reading.set()
        scope = {"type": "http", "method": "POST", "path": "/batch", "query_string": b"seed=s", "headers": [(b"content-type", media)]}
        self.task = asyncio.create_task(create_app(settings)(scope, self._receive, self._send))

    async def _receive(self) -> Message:
        return await self.told.get()

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        self.sent.append(message)
        self.answered.set()

    def say(self, *documents: Any, more: bool = True) -> None:
        body = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in documents)
        self.told.put_nowait({"type": "http.request", "body": body, "more_body": more})

    def hang_up(self) -> None:
        self.told.put_nowait({"type": "http.disconnect"})

    @property
    def results(self) -> list[dict[str, Any]]:
        """What was answered so far."""
        return [json.loads(line) for message in self.sent for line in message.get("body", b"").splitlines()]

    async def until(self, count: int) -> None:
        """Wait for that many results."""
        while len(self.results) < count:
            self.answered.clear()
            await asyncio.wait_for(self.answered.wait(), WAIT)


async def test_the_answer_begins_before_the_request_ends() -> None:
    caller = Caller(Settings())
    for count in range(1, 4):
        caller.say(CHECK)
        await caller.until(count)
    assert not caller.task.done()
    caller.say(more=False)
    await asyncio.wait_for(caller.task, WAIT)
    assert [one["ruling"]["seed"] for one in caller.results] == ["s/0", "s/1", "s/2"]
    assert [message["type"] for message in caller.sent].count("http.response.start") == 1
    assert not caller.sent[-1].get("more_body")


@pytest.mark.parametrize("trickle", [b"", b"\n", b" "])
def test_a_batch_ends_when_the_next_line_is_too_slow(trickle: bytes) -> None:
    async def slow() -> Caller:
        caller = Caller(Settings())
        caller.say(CHECK)
        await caller.until(1)
        while not caller.task.done():
            if trickle:
                caller.say(trickle)
            await asyncio.wait([caller.task], timeout=1)
        return caller

    caller = run(slow())
    assert codes(caller.results) == [None, "too-slow"]
    assert not caller.sent[-1].get("more_body")


async def test_lines_may_arrive_in_any_pieces() -> None:
    caller = Caller(Settings())
    text = b"".join(json.dumps(CHECK).encode() + b"\n" for _ in range(3))
    for byte in text[:-1]:
        caller.say(bytes([byte]))
    caller.say(b"", more=False)
    await asyncio.wait_for(caller.task, WAIT)
    assert codes(caller.results) == [None] * 3


async def test_a_line_too_long_is_not_kept_but_answered() -> None:
    caller = Caller(SMALL)
    caller.say(CHECK, b"x" * 1025)
    for _ in range(100):
        caller.say(b"x" * 1000)
    caller.say(b"\n", b'"' + b"y" * 2000 + b'"\n', CHECK, more=False)
    await asyncio.wait_for(caller.task, WAIT)
    assert codes(caller.results) == [None, "too-large", "too-large", None]
    assert caller.results[1]["problem"]["detail"] == "a line has at most 1024 bytes"


async def test_a_caller_who_hangs_up_is_not_worked_for() -> None:
    caller = Caller(Settings(batch_slice_ms=0.001))
    caller.say(*[CHECK] * 50)
    await caller.until(10)
    caller.hang_up()
    await asyncio.wait_for(caller.task, WAIT)
    assert len(caller.results) < 50
    assert caller.sent[-1]["more_body"]


async def test_a_caller_who_hangs_up_before_the_end_is_not_waited_for() -> None:
    caller = Caller(Settings())
    caller.say(CHECK)
    await caller.until(1)
    caller.hang_up()
    await asyncio.wait_for(caller.task, WAIT)
    assert len(caller.results) == 1


async def test_a_caller_who_sends_all_before_reading_is_served() -> None:
    """… up to the room there is; the rest waits with the caller."""
    settings = Settings(batch_room_bytes=64 * 1024)
    caller = Caller(settings)
    caller.reading.clear()
    piece = [CHECK | {"stakes": "none"}] * 200
    size = len(json.dumps(piece[0])) * 200
    pieces = 64 * 1024 // size + 20
    for _ in range(pieces):
        caller.say(*piece)
    caller.say(more=False)
    left = -1
    while left != caller.told.qsize():  # until no more is taken in
        left = caller.told.qsize()
        for _ in range(100):
            await asyncio.sleep(0)
    assert 10 < left < pieces
    caller.reading.set()
    await asyncio.wait_for(caller.task, WAIT)
    assert codes(caller.results) == [None] * 200 * pieces


async def test_nobody_waits_for_a_batch() -> None:
    """Another task has its turn after every slice, not after the batch."""
    caller = Caller(Settings(batch_slice_ms=0.001))
    caller.say(*[CHECK] * 200, more=False)
    turns = 0
    while not caller.task.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 200


async def test_nobody_waits_for_a_document() -> None:
    app = create_app(Settings(batch_slice_ms=0.001))
    body = json.dumps({"requests": [CHECK] * 200}).encode()

    async def ask() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://tablecall") as caller:
            return await caller.post("/batch", content=body, headers={"content-type": "application/json"})

    task, turns = asyncio.create_task(ask()), 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert len(task.result().json()["results"]) == 200
    assert turns > 200


async def test_a_document_whose_caller_hung_up_is_not_worked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    worked = 0
    resolve = engine.resolve

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal worked
        worked += 1
        return resolve(*given, **more)

    monkeypatch.setattr(dispatch, "resolve", counted)
    caller = Caller(Settings(batch_slice_ms=0.001), b"application/json")
    caller.say({"requests": [CHECK] * 100}, more=False)
    caller.hang_up()
    await asyncio.wait_for(caller.task, WAIT)
    assert worked < 100


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────

QUERY = """query($seed: Seed, $requests: [ResolveRequest!]!) {
  batch(seed: $seed, requests: $requests) {
    seed seedFrom results { ruling { action outcome seed seedFrom total } problem { type errors { pointer } } }
  }
}"""


def by_graphql(client: TestClient, requests: list[dict[str, Any]], seed: Any = None, query: str = QUERY) -> dict[str, Any]:
    sent = [{member(one["action"]): {key: value for key, value in one.items() if key != "action"}} for one in requests]
    found: dict[str, Any] = client.post("/graphql", json={"query": query, "variables": {"seed": seed, "requests": sent}}).json()
    return found


def test_graphql_answers_as_rest_does(client: TestClient) -> None:
    requests = [CHECK, POOL, CHECK | {"seed": 5}, CHECK | {"actor": {"bonus": 10_000}}]
    by_rest, found = batched(client, requests, seed="s"), by_graphql(client, requests, "s")["data"]["batch"]
    assert (found["seed"], found["seedFrom"]) == ("s", "request")
    for one, other in zip(found["results"], by_rest["results"], strict=True):
        if one["ruling"] is None:
            assert one["problem"]["type"] == other["problem"]["type"]
            assert one["problem"]["errors"] == [{"pointer": error["pointer"]} for error in other["problem"]["errors"]]
        else:
            assert one["problem"] is None
            assert one["ruling"] == {name: other["ruling"][name] for name in one["ruling"]}


def test_graphql_draws_a_seed_too(client: TestClient) -> None:
    found = by_graphql(client, [CHECK])["data"]["batch"]
    assert found["seedFrom"] == "service"
    assert found["results"][0]["ruling"]["seed"] == f"{found['seed']}/0"
    assert found["results"][0]["ruling"]["seedFrom"] == "service"


def test_graphql_shows_the_factors_that_are_selected(client: TestClient) -> None:
    selected = "results { ruling { ... on Ruling { factors { verdict } } } }"
    query = f"query($requests: [ResolveRequest!]!) {{ batch(seed: 1, requests: $requests) {{ {selected} }} }}"
    found = by_graphql(client, [CHECK], query=query)
    assert found["data"]["batch"]["results"][0]["ruling"]["factors"]


def test_graphql_may_ask_for_the_seed_alone(client: TestClient) -> None:
    query = "query($requests: [ResolveRequest!]!) { batch(requests: $requests) { seed } }"
    assert by_graphql(client, [CHECK] * 3, query=query)["data"]["batch"].keys() == {"seed"}


@pytest.mark.parametrize(
    ("requests", "seed", "pointer"), [([CHECK] * (MAX_REQUESTS + 1), None, "/requests"), ([CHECK], "", "/seed"), ([], 1.5, "/seed")]
)
def test_graphql_refuses_the_same(client: TestClient, requests: list[dict[str, Any]], seed: Any, pointer: str) -> None:
    (error,) = by_graphql(client, requests, seed)["errors"]
    assert error["extensions"]["problem"]["errors"][0]["pointer"] == pointer


async def test_nobody_waits_for_a_batch_by_graphql() -> None:
    sent = {"query": QUERY, "variables": {"requests": [{"jazzCheck": {"actor": {"bonus": 3}, "difficulty": 10}}] * 200}}
    transport = httpx2.ASGITransport(create_app(Settings()))
    async with httpx2.AsyncClient(transport=transport, base_url="http://tablecall") as caller:
        task, turns = asyncio.create_task(caller.post("/graphql", json=sent)), 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
    assert len(task.result().json()["data"]["batch"]["results"]) == 200
    assert turns > 200


# ── As published ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_are_told_of(client: TestClient) -> None:
    text = client.get("/openapi.json").json()["paths"]["/batch"]["post"]["description"]
    assert {"`application/x-ndjson`", "`BatchResult`", "`Batch-Seed`", "`seed`"} <= set(re.findall(r"`[^`]+`", text))


def test_a_result_is_a_ruling_or_a_problem(client: TestClient) -> None:
    shape = Draft202012Validator(json_schema.standalone("BatchResult"))
    for result in batched(client, [CHECK, 5])["results"]:
        shape.validate(result)
        assert not shape.is_valid({})
    assert not shape.is_valid({"ruling": None, "problem": None})


def test_a_document_answers_no_more_than_so_much(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    monkeypatch.setattr(batch, "MAX_ANSWER", 2_500)
    check = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
    found = client.post("/batch", json={"seed": 1, "requests": [check] * 9}).json()["results"]
    problems = [result["problem"]["type"] for result in found if "problem" in result]
    assert len(found) == 9
    assert 0 < len(problems) < 9
    assert set(problems) == {"/problems/too-large"}
    assert all("ruling" in result for result in found[: 9 - len(problems)])
