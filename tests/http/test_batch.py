"""`POST /batch` as a document and as lines, and GraphQL's ``batch``: one item affects no other, and a batch blocks nobody."""

from __future__ import annotations

import asyncio
import json
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
from tests.support.asgi import scope
from tests.support.client import EXAMPLES, ids, problem, request_of
from tests.support.clock import run
from tests.support.server import WAIT

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
POOL: dict[str, Any] = {"action": "darkpages.check", "actor": {"pool": {"roll": 4, "keep": 3}}, "targetNumber": 15}
NDJSON = "application/x-ndjson"
SMALL = Settings(max_batch_lines=5, max_body_bytes=1024, batch_slice_ms=0.001)
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def batched(client: TestClient, requests: list[Any], **more: Any) -> dict[str, Any]:
    """The answer to a batch as a document."""
    answer = client.post("/batch", json={"requests": requests, **more})
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    Draft202012Validator(json_schema.standalone("BatchAnswer")).validate(document)
    return document


def encoded(items: Iterable[Any]) -> bytes:
    """Lines: documents, or bytes as they are."""
    return b"".join(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in items)


def lines(client: TestClient, items: Iterable[Any], query: str = "") -> httpx2.Response:
    """The answer to a batch as lines."""
    return client.post(f"/batch{query}", content=encoded(items), headers={"content-type": NDJSON})


def results(answer: httpx2.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == f"{NDJSON}; charset=utf-8"
    return [json.loads(line) for line in answer.content.splitlines()]


def codes(found: list[dict[str, Any]]) -> list[str | None]:
    """The code of each problem; of a ruling, None."""
    return [one["problem"]["type"].rpartition("/")[2] if "problem" in one else None for one in found]


# ── Both forms ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_item_is_resolved_as_alone(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    request = {"action": tag, **body}
    alone = client.post("/resolve", json=request).json()
    assert batched(client, [request])["results"] == [{"ruling": alone}] == results(lines(client, [request]))


def test_items_without_a_seed_derive_theirs(client: TestClient) -> None:
    requests = [CHECK, POOL | {"seed": 7}, CHECK | {"seed": None}, POOL]
    document = batched(client, requests, seed="a session")
    assert (document["seed"], document["seedFrom"]) == ("a session", "request")
    rulings = [result["ruling"] for result in document["results"]]
    assert [ruling["seed"] for ruling in rulings] == ["a session/0", "7", "a session/2", "a session/3"]
    assert {ruling["seedFrom"] for ruling in rulings} == {"request"}
    assert rulings[3] == client.post("/resolve", json=POOL | {"seed": "a session/3"}).json()
    answer = lines(client, requests, "?seed=a%20session")
    assert results(answer) == document["results"]
    assert "batch-seed" not in answer.headers
    assert answer.headers["x-accel-buffering"] == "no"


def test_integer_seed_equals_its_text(client: TestClient) -> None:
    assert batched(client, [CHECK], seed=42) == batched(client, [CHECK], seed="42")


def test_derived_seed_that_is_too_long_is_hashed(client: TestClient) -> None:
    seed = "x" * 256
    (result,) = batched(client, [CHECK], seed=seed)["results"]
    assert result["ruling"]["seed"] == sha256(f"{seed}/0".encode()).hexdigest()


def test_seed_drawn_by_the_service_is_returned(client: TestClient) -> None:
    requests = [CHECK, CHECK | {"seed": 1}]
    document = batched(client, requests)
    assert document["seedFrom"] == "service"
    assert [one["ruling"]["seed"] for one in document["results"]] == [f"{document['seed']}/0", "1"]
    assert [one["ruling"]["seedFrom"] for one in document["results"]] == ["service", "request"]
    answer = lines(client, requests)
    assert results(answer)[0]["ruling"]["seed"] == f"{answer.headers['batch-seed']}/0"
    assert batched(client, requests)["seed"] != document["seed"]


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


def test_refused_item_affects_no_other(client: TestClient) -> None:
    requests = [one for bad, _ in BAD for one in (bad, CHECK)]
    found = batched(client, requests, seed="s")["results"]
    assert codes(found) == [one for _, code in BAD for one in (code, None)]
    assert found == results(lines(client, requests, "?seed=s"))
    assert found[15]["ruling"]["seed"] == "s/15"
    # Pointers start at the item.
    assert found[14]["problem"]["errors"][0]["pointer"] == "/dice/0/faces"


def test_unexpected_error_in_an_item_affects_no_other(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = engine.resolve

    def broken(system: Any, action: Any, body: Any, **more: Any) -> Any:
        if body.seed == "broken":
            raise RuntimeError("a secret")
        return resolve(system, action, body, **more)

    monkeypatch.setattr(dispatch, "resolve", broken)
    found = batched(client, [CHECK, CHECK | {"seed": "broken"}, CHECK])["results"]
    assert codes(found) == [None, "internal", None]
    assert "secret" not in json.dumps(found)


@pytest.mark.parametrize(
    ("content_type", "accept", "status"),
    [
        ("application/json", "application/json", 200),
        ("application/json", NDJSON, 406),
        (NDJSON, "application/json", 406),
        (NDJSON, NDJSON, 200),
        ("application/jsonl; charset=utf-8", "*/*", 200),
        ("text/plain", "*/*", 415),
    ],
)
def test_response_has_the_form_of_the_request(client: TestClient, content_type: str, accept: str, status: int) -> None:
    answer = client.post("/batch", content=b'{"requests": []}', headers={"content-type": content_type, "accept": accept})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("sed=s", "/sed", "unknown-field"),
        ("sed", "/sed", "unknown-field"),
        ("seed=s&seed=t", "/seed", "wrong-type"),
        *((f"seed={seed}", "/seed", "wrong-type") for seed in ("x" * 257, "%0a")),
    ],
)
@pytest.mark.parametrize("media", ["application/json", NDJSON])
def test_query_holds_one_seed_and_nothing_else(client: TestClient, query: str, pointer: str, code: str, media: str) -> None:
    answer = client.post(f"/batch?{query}", content=json.dumps({"requests": []}), headers={"content-type": media})
    (error,) = problem(answer, 422)["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


# ── One document ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_number_of_requests(client: TestClient) -> None:
    for number in (0, MAX_REQUESTS):
        assert len(batched(client, [CHECK] * number)["results"]) == number
    found = problem(client.post("/batch", json={"requests": [CHECK] * (MAX_REQUESTS + 1)}), 422)
    assert found["errors"][0]["pointer"] == "/requests"


@pytest.mark.parametrize(
    ("document", "pointer", "code"),
    [
        ({}, "/requests", "missing-field"),
        ({"requests": 5}, "/requests", "wrong-type"),
        ({"requests": [], "more": 1}, "/more", "unknown-field"),
        ({"requests": [], "seed": ""}, "/seed", "wrong-type"),
        ([CHECK], "", "wrong-type"),
        ("text", "", "wrong-type"),
    ],
)
def test_invalid_batch_is_refused(client: TestClient, document: Any, pointer: str, code: str) -> None:
    found = problem(client.post("/batch", json=document), 422, "invalid-request")
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [(pointer, code)]
    assert ("`requests`" in found["detail"]) is (pointer in ("", "/requests"))  # says what a batch looks like


def test_batch_has_its_own_bound_of_bytes() -> None:
    small = TestClient(create_app(Settings(max_body_bytes=1024, max_batch_bytes=2048)))
    assert len(batched(small, [CHECK] * 20)["results"]) == 20
    problem(small.post("/batch", json={"requests": [CHECK] * 50}), 413, "too-large")


def test_response_to_a_document_is_bounded(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    monkeypatch.setattr(batch, "MAX_ANSWER", 2_500)
    found = codes(batched(client, [CHECK] * 9, seed=1)["results"])
    assert len(found) == 9
    rulings = found.count(None)
    assert 0 < rulings < 9
    assert found[rulings:] == ["too-large"] * (9 - rulings)


def test_seed_of_a_document_may_be_in_the_query_instead(client: TestClient) -> None:
    document = {"requests": [CHECK]}
    assert client.post("/batch?seed=s", json=document).json() == batched(client, [CHECK], seed="s")
    for seed in ("s", 5):
        assert problem(client.post("/batch?seed=s", json=document | {"seed": seed}), 422)["errors"][0]["pointer"] == "/seed"


def test_schema_of_a_result_allows_a_ruling_or_a_problem(client: TestClient) -> None:
    schema = Draft202012Validator(json_schema.standalone("BatchResult"))
    for result in batched(client, [CHECK, 5])["results"]:
        schema.validate(result)
    assert not schema.is_valid({})
    assert not schema.is_valid({"ruling": None, "problem": None})


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_line_that_is_not_json_gets_a_problem(client: TestClient) -> None:
    sent = [b"{\n", b"\xff\n", b'{"a": 1, "a": 2}\n', CHECK, b"\n", b"  \r\n", json.dumps(CHECK).encode()]
    found = results(lines(client, sent, "?seed=s"))
    assert codes(found) == ["not-json", "not-json", "not-json", None, None]
    # Empty lines do not count; the last line need not end.
    assert found[4]["ruling"]["seed"] == "s/4"
    assert "ends at column 2" in found[0]["problem"]["detail"]
    assert "line" not in found[1]["problem"]["detail"]


def test_empty_body_is_an_empty_batch(client: TestClient) -> None:
    assert results(lines(client, [])) == results(lines(client, [b"\n\n"])) == []


def test_one_problem_ends_a_batch_with_too_many_lines() -> None:
    small = TestClient(create_app(SMALL))
    assert codes(results(lines(small, [CHECK] * 5))) == [None] * 5
    assert codes(results(lines(small, [CHECK] * 50))) == [None] * 5 + ["too-large"]


class Caller:
    """A client that sends and receives one message at a time."""

    def __init__(self, settings: Settings, media: str = NDJSON) -> None:
        self.sent: list[Message] = []
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self.answered = asyncio.Event()
        self.reading = asyncio.Event()
        self.reading.set()
        request = {**scope("/batch", content_type=media), "query_string": b"seed=s"}
        self.task = asyncio.create_task(create_app(settings)(request, self.messages.get, self._send))

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        self.sent.append(message)
        self.answered.set()

    def say(self, *items: Any, more: bool = True) -> None:
        self.messages.put_nowait({"type": "http.request", "body": encoded(items), "more_body": more})

    def disconnect(self) -> None:
        self.messages.put_nowait({"type": "http.disconnect"})

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results so far."""
        return [json.loads(line) for message in self.sent for line in message.get("body", b"").splitlines()]

    async def until(self, count: int) -> None:
        """Wait for that many results."""
        while len(self.results) < count:
            self.answered.clear()
            await asyncio.wait_for(self.answered.wait(), WAIT)

    async def end(self) -> None:
        """Wait for the end of the response."""
        await asyncio.wait_for(self.task, WAIT)


async def test_response_starts_before_the_request_ends() -> None:
    caller = Caller(Settings())
    for count in range(1, 4):
        caller.say(CHECK)
        await caller.until(count)
    assert not caller.task.done()
    caller.say(more=False)
    await caller.end()
    assert [one["ruling"]["seed"] for one in caller.results] == ["s/0", "s/1", "s/2"]
    assert [message["type"] for message in caller.sent].count("http.response.start") == 1
    assert not caller.sent[-1].get("more_body")


@pytest.mark.parametrize("trickle", [b"", b"\n", b" "])
def test_batch_ends_if_the_next_line_is_too_slow(trickle: bytes) -> None:
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
    for byte in encoded([CHECK] * 3)[:-1]:
        caller.say(bytes([byte]))
    caller.say(more=False)
    await caller.end()
    assert codes(caller.results) == [None] * 3


async def test_line_that_is_too_long_gets_a_problem() -> None:
    caller = Caller(SMALL)
    caller.say(CHECK, b"x" * 1025)
    for _ in range(100):
        caller.say(b"x" * 1000)
    caller.say(b"\n", b'"' + b"y" * 2000 + b'"\n', CHECK, more=False)
    await caller.end()
    assert codes(caller.results) == [None, "too-large", "too-large", None]


@pytest.mark.parametrize(("lines", "seen"), [pytest.param(50, 10, id="during the work"), pytest.param(1, 1, id="while it waits")])
async def test_work_ends_when_the_client_disconnects(lines: int, seen: int) -> None:
    caller = Caller(Settings(batch_slice_ms=0.001))
    caller.say(*[CHECK] * lines)
    await caller.until(seen)
    caller.disconnect()
    await caller.end()
    assert seen <= len(caller.results) < max(lines, 2)
    assert caller.sent[-1]["more_body"]


async def test_work_on_a_document_ends_when_the_client_disconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = 0
    resolve = engine.resolve

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal resolved
        resolved += 1
        return resolve(*given, **more)

    monkeypatch.setattr(dispatch, "resolve", counted)
    caller = Caller(Settings(batch_slice_ms=0.001), "application/json")
    caller.say({"requests": [CHECK] * 100}, more=False)
    caller.disconnect()
    await caller.end()
    assert resolved < 100


async def test_reading_pauses_if_the_client_does_not_read() -> None:
    """A client may send all before it reads: what does not fit waits outside."""
    room = 64 * 1024
    caller = Caller(Settings(batch_room_bytes=room))
    caller.reading.clear()
    piece = [CHECK | {"stakes": "none"}] * 200
    pieces = room // (len(json.dumps(piece[0])) * 200) + 20
    for _ in range(pieces):
        caller.say(*piece)
    caller.say(more=False)
    left = -1
    while left != caller.messages.qsize():  # until nothing more is taken in
        left = caller.messages.qsize()
        for _ in range(100):
            await asyncio.sleep(0)
    assert 10 < left < pieces
    caller.reading.set()
    await caller.end()
    assert codes(caller.results) == [None] * 200 * pieces


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────

QUERY = """query($seed: Seed, $requests: [ResolveRequest!]!) {
  batch(seed: $seed, requests: $requests) {
    seed seedFrom results { ruling { action outcome seed seedFrom total } problem { type errors { pointer } } }
  }
}"""


def by_graphql(client: TestClient, requests: list[dict[str, Any]], seed: Any = None, query: str = QUERY) -> dict[str, Any]:
    sent = [request_of(one["action"], {key: value for key, value in one.items() if key != "action"}) for one in requests]
    answer: dict[str, Any] = client.post("/graphql", json={"query": query, "variables": {"seed": seed, "requests": sent}}).json()
    return answer


def test_graphql_equals_rest(client: TestClient) -> None:
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


def test_graphql_returns_the_seed_that_the_service_drew(client: TestClient) -> None:
    found = by_graphql(client, [CHECK])["data"]["batch"]
    ruling = found["results"][0]["ruling"]
    assert (found["seedFrom"], ruling["seedFrom"], ruling["seed"]) == ("service", "service", f"{found['seed']}/0")


@pytest.mark.parametrize("selected", ["results { ruling { ... on Ruling { factors { verdict } } } }", "seed"])
def test_graphql_answers_what_is_selected(client: TestClient, selected: str) -> None:
    query = f"query($requests: [ResolveRequest!]!) {{ batch(seed: 1, requests: $requests) {{ {selected} }} }}"
    found = by_graphql(client, [CHECK] * 3, query=query)["data"]["batch"]
    assert found == {"seed": "1"} if selected == "seed" else found["results"][0]["ruling"]["factors"]


@pytest.mark.parametrize(
    ("requests", "seed", "pointer"), [([CHECK] * (MAX_REQUESTS + 1), None, "/requests"), ([CHECK], "", "/seed"), ([], 1.5, "/seed")]
)
def test_graphql_refuses_the_same(client: TestClient, requests: list[dict[str, Any]], seed: Any, pointer: str) -> None:
    (error,) = by_graphql(client, requests, seed)["errors"]
    assert error["extensions"]["problem"]["errors"][0]["pointer"] == pointer


# ── Other requests ───────────────────────────────────────────────────────────────────────────────────────────────────

VARIABLES = {"requests": [{"jazzCheck": {"actor": {"bonus": 3}, "difficulty": 10}}] * 200}


@pytest.mark.parametrize(
    ("path", "media", "content"),
    [
        pytest.param("/batch", NDJSON, encoded([CHECK] * 200), id="lines"),
        pytest.param("/batch", "application/json", encoded([{"requests": [CHECK] * 200}]), id="document"),
        pytest.param("/graphql", "application/json", encoded([{"query": QUERY, "variables": VARIABLES}]), id="GraphQL"),
    ],
)
async def test_other_tasks_run_during_a_batch(path: str, media: str, content: bytes) -> None:
    transport = httpx2.ASGITransport(create_app(Settings(batch_slice_ms=0.001)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://tablecall") as caller:
        task, turns = asyncio.create_task(caller.post(path, content=content, headers={"content-type": media})), 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
    assert task.result().text.count('"ruling"') == 200
    assert turns > 200
