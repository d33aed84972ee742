"""Odds told as they are found: server-sent events of REST, and GraphQL's subscription over the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from itertools import count
from typing import Any

import httpx2
import pytest
from joserfc.jwk import OKPKey
from starlette.requests import Request
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract.action_models import PUBLISHED
from tablecall.graphql import limits
from tablecall.graphql.errors import streamed
from tablecall.http import events
from tablecall.model.problems import HttpProblem
from tablecall.model.refusals import Finding, Forbidden
from tablecall.runtime import dispatch
from tablecall.settings import Settings
from tests.support.client import ask, problem

EVENTS = {"accept": "text/event-stream"}
FIGHT: dict[str, Any] = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": 4000}
CHECK = {"actor": {"bonus": 3}, "difficulty": 10}
WRONG = {**FIGHT, "dice": [{"roll": "nobody", "faces": [1]}]}
SUBSCRIPTION = """subscription ($request: ResolveRequest!) {
  odds(request: $request) { method simulated { trials seed } outcomes { outcome fraction interval { low high } } }
}"""


def told(answer: httpx2.Response) -> list[tuple[str, Any]]:
    """The events: the name and the data of each."""
    found = []
    for event in answer.text.replace("\r\n", "\n").strip().split("\n\n"):
        lines = (line.partition(":") for line in event.split("\n"))
        fields = {name: text.strip() for name, _, text in lines}
        found.append((fields["event"], json.loads(fields["data"]) if fields["data"] else None))
    return found


def subscribed(client: TestClient, request: dict[str, Any], accept: str = EVENTS["accept"]) -> httpx2.Response:
    body = {"query": SUBSCRIPTION, "variables": {"request": request}}
    return client.post("/graphql", json=body, headers={"accept": accept})


@pytest.fixture(scope="module")
def pooled() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(odds_workers=1, odds_seconds=300, request_seconds=600))) as client:
        yield client


class TestRest:
    def test_a_simulation_is_told_of_while_it_is_played(self, client: TestClient) -> None:
        answer = client.post("/odds/jazz/fight", json=FIGHT, headers=EVENTS)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
        found = told(answer)
        *progress, (last, whole) = found
        assert ({name for name, _ in progress}, last) == ({"progress"}, "done")
        played = [data["simulated"]["trials"] for _, data in progress]
        assert (played, played[0], played[-1]) == (sorted(set(played)), 50, 4000)
        assert whole == progress[-1][1] == client.post("/odds", json={"action": "jazz.fight", **FIGHT}).json()
        assert answer.text.rstrip().split("\n\n")[-1].split("\n")[1] == "id: done"

    def test_exact_odds_are_told_once(self, client: TestClient) -> None:
        found = told(client.post("/odds", json={"action": "jazz.check", **CHECK}, headers=EVENTS))
        assert found == [("done", client.post("/odds/jazz/check", json=CHECK).json())]

    def test_a_browser_asks_by_query_and_does_not_come_again(self, client: TestClient) -> None:
        address = "/odds/jazz/check?actor.bonus=3&difficulty=10"
        first = client.get(address, headers=EVENTS)
        assert [name for name, _ in told(first)] == ["done"]
        assert first.headers["cache-control"] == "no-store"
        again = client.get(address, headers={**EVENTS, "last-event-id": "done"})
        assert (again.status_code, again.content) == (204, b"")

    def test_what_is_refused_before_it_begins_is_a_problem_like_any_other(self, client: TestClient) -> None:
        problem(client.post("/odds/jazz/check", json={**CHECK, "dice": WRONG["dice"]}, headers=EVENTS), 422, "wrong-dice")
        problem(client.post("/odds/jazz/fight", json={**FIGHT, "trials": 1}, headers=EVENTS), 422, "invalid-request")
        problem(client.post("/resolve/jazz/check", json=CHECK, headers=EVENTS), 406, "not-acceptable")

    def test_what_is_refused_later_is_the_last_event(self, client: TestClient) -> None:
        *others, (name, data) = told(client.post("/odds/jazz/fight", json=WRONG, headers=EVENTS))
        assert {name for name, _ in others} == {"progress"}
        assert (name, data["type"], data["errors"][0]["pointer"]) == ("problem", "/problems/wrong-dice", "/dice/0/roll")
        problem(client.post("/odds/jazz/fight", json=WRONG), 422, "wrong-dice")

    def test_our_own_mistake_is_told_without_a_leak(self, caplog: pytest.LogCaptureFixture) -> None:
        async def found() -> AsyncIterator[dict[str, Any]]:
            yield {"number": 1, "simulated": {}}
            yield {"number": 2}
            raise RuntimeError("a secret")

        async def whole() -> bytes:
            answer = await events.event_stream(Request({"type": "http", "headers": []}), found())
            return b"".join([part async for part in answer.body_iterator])  # type: ignore[attr-defined]

        text = asyncio.run(whole())
        assert b'"number":1' in text
        assert b"/problems/internal" in text
        assert b"secret" not in text
        assert "unexpected failure" in caplog.text

    def test_the_pool_plays_as_the_service_would(self, pooled: TestClient, client: TestClient) -> None:
        answers = [one.post("/odds/jazz/fight", json=FIGHT, headers=EVENTS) for one in (pooled, client)]
        assert told(answers[0])[-1] == told(answers[1])[-1]
        problem(pooled.post("/odds/jazz/fight", json=WRONG), 422, "wrong-dice")

    def test_by_query_a_simulation_is_kept_where_its_seed_is_known(self, client: TestClient) -> None:
        sheet = "actor.character.name=N&{0}.named=false&{0}.aspects.0.name=f&{0}.aspects.0.bonus=1"
        people = "&".join(
            f"combatants.{number}.id={side}&combatants.{number}.side={side}&combatants.{number}.{sheet.format(f'combatants.{number}.actor.character')}"
            for number, side in enumerate("xy")
        )
        address = f"/odds/jazz/fight?{people}&method=simulation&trials=100&order.0=x&order.1=y&tactics.x=weakest"
        answers = [client.get(address + more) for more in ("", "&seed=1")]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert [answer.headers["cache-control"] for answer in answers] == ["no-store", "public, max-age=300"]

    def test_as_text_it_says_how_often_it_was_played(self, client: TestClient) -> None:
        answer = client.post("/odds/jazz/fight", json={**FIGHT, "trials": 500}, headers={"accept": "text/plain"})
        assert answer.text.endswith(" rounds on average (of 500 trials)")

    def test_a_simulation_counts_as_branches_do(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        monkeypatch.setattr("tablecall.runtime.dispatch.MAX_BRANCHES", 700)
        problem(client.post("/odds/jazz/fight", json=FIGHT), 422, "too-large-to-count")
        assert client.post("/odds/jazz/fight", json={**FIGHT, "trials": 1400}).status_code == 200

    def test_a_simulation_takes_no_longer_than_odds_may(self) -> None:
        late = TestClient(create_app(Settings(odds_workers=0, odds_seconds=0.00001)))
        problem(late.post("/odds/jazz/fight", json=FIGHT), 422, "too-large-to-count")

    def test_where_time_runs_out_it_is_what_was_played_till_then(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        clock, hurried = count(), TestClient(create_app(Settings(odds_workers=0, odds_seconds=10)))
        for module in ("budget", "jobs"):
            monkeypatch.setattr(f"tablecall.engine.{module}.perf_counter", lambda: next(clock) / 100)
        found = hurried.post("/odds/jazz/fight", json=FIGHT).json()
        monkeypatch.undo()
        trials = found["simulated"]["trials"]
        assert 50 <= trials < FIGHT["trials"]
        assert found == client.post("/odds/jazz/fight", json={**FIGHT, "trials": trials}).json()


class TestGraphql:
    def test_a_subscription_is_told_of_while_it_is_played(self, client: TestClient) -> None:
        answer = subscribed(client, {"jazzFight": FIGHT})
        assert answer.headers["content-type"] == "text/event-stream"
        *found, last = told(answer)
        assert (last, {name for name, _ in found}) == (("complete", None), {"next"})
        played = [data["data"]["odds"]["simulated"]["trials"] for _, data in found]
        assert (played, played[0], played[-1]) == (sorted(set(played)), 50, 4000)
        rest = client.post("/odds/jazz/fight", json=FIGHT).json()
        names = ("outcome", "fraction", "interval")
        assert found[-1][1]["data"]["odds"]["outcomes"] == [{name: row[name] for name in names} for row in rest["outcomes"]]

    def test_as_a_query_it_answers_once(self, client: TestClient) -> None:
        query = SUBSCRIPTION.replace("subscription", "query")
        found = ask(client, query, {"request": {"jazzFight": FIGHT}})
        assert found["data"]["odds"]["simulated"]["trials"] == 4000
        exact = ask(client, query, {"request": {"jazzCheck": CHECK}})["data"]["odds"]
        assert (exact["method"], exact["simulated"], exact["outcomes"][0]["interval"]) == ("exact", None, None)

    def test_exact_odds_are_told_once(self, client: TestClient) -> None:
        found = told(subscribed(client, {"jazzCheck": CHECK}))
        assert [name for name, _ in found] == ["next", "complete"]

    @pytest.mark.parametrize("accept", ["*/*", "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"])
    def test_whoever_takes_events_among_others_gets_them(self, client: TestClient, accept: str) -> None:
        assert subscribed(client, {"jazzCheck": CHECK}, accept).headers["content-type"] == "text/event-stream"
        query = client.post("/graphql", json={"query": "{ systems { title } }"}, headers={"accept": accept})
        assert "json" in query.headers["content-type"]

    def test_a_query_may_come_as_events_too(self, client: TestClient) -> None:
        answer = client.post("/graphql", json={"query": '{ rule(id: "jazz.dice.roll") { id } }'}, headers=EVENTS)
        assert told(answer) == [("next", {"data": {"rule": {"id": "jazz.dice.roll"}}}), ("complete", None)]

    def test_a_subscription_that_takes_no_events_is_refused(self, client: TestClient) -> None:
        answer = subscribed(client, {"jazzCheck": CHECK}, "application/json")
        problem(answer, 406, "not-acceptable")

    def test_what_is_refused_is_an_error_that_carries_the_problem(self, client: TestClient) -> None:
        (name, data), _ = told(subscribed(client, {"jazzFight": {**FIGHT, "tactics": {"nobody": "first"}}}))
        assert (name, data["errors"][0]["extensions"]["problem"]["errors"][0]["pointer"]) == ("next", "/tactics/nobody")
        *_, (name, data), _ = told(subscribed(client, {"jazzFight": WRONG}))
        assert (name, data["data"], data["errors"][0]["extensions"]["problem"]["type"]) == ("next", None, "/problems/wrong-dice")
        ill = client.post("/graphql", json={"query": "subscription { odds }"}, headers=EVENTS)
        assert told(ill)[0][1]["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
        unread = client.post("/graphql", json={"query": "subscription {"}, headers=EVENTS)
        assert told(unread)[0][1]["errors"][0]["extensions"]["code"] == "GRAPHQL_PARSE_FAILED"

    def test_there_is_one_of_several_operations_to_be_followed(self, client: TestClient) -> None:
        both = SUBSCRIPTION.replace("subscription", "subscription Follow") + " query Ask { systems { title } }"
        body = {"query": both, "variables": {"request": {"jazzCheck": CHECK}}}
        follow = client.post("/graphql", json={**body, "operationName": "Follow"}, headers=EVENTS)
        assert [name for name, _ in told(follow)] == ["next", "complete"]
        asked = client.post("/graphql", json={**body, "operationName": "Ask"})
        assert asked.json()["data"]["systems"]
        (_, data), _ = told(client.post("/graphql", json=body, headers=EVENTS))
        assert data["errors"][0]["extensions"]["problem"]["type"] == "/problems/invalid-request"
        answer = client.post("/graphql", json={**body, "operationName": "SECRET"}, headers=EVENTS)
        assert "SECRET" not in answer.text

    def test_our_own_mistake_is_told_without_a_leak(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        async def broken(*_: object) -> AsyncIterator[dict[str, Any]]:
            raise RuntimeError("a secret")
            yield {}

        monkeypatch.setattr(dispatch, "progressing_odds", broken)
        answer = subscribed(client, {"jazzCheck": CHECK})
        (_, data), _ = told(answer)
        assert "secret" not in answer.text
        assert data["errors"][0]["extensions"]["problem"]["type"] == "/problems/internal"
        assert data["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"

    def test_whichever_way_it_is_refused(self) -> None:
        async def of(error: Exception) -> list[Any]:
            async def answers() -> AsyncIterator[dict[str, Any]]:
                yield {}
                raise error

            return [answer async for answer in streamed(answers())]

        for error, kind in ((HttpProblem("busy"), "busy"), (Forbidden(Finding("", "", "")), "rule-forbids"), (KeyError("x"), "internal")):
            first, last = asyncio.run(of(error))
            assert (first, last.extensions["problem"]["type"]) == ({}, f"/problems/{kind}")


def test_a_busy_service_says_so_in_graphql(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(*_: object) -> dict[str, Any]:
        raise HttpProblem("busy")

    monkeypatch.setattr(dispatch, "odds", busy)
    found = ask(client, "{ odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action } }")
    assert found["errors"][0]["extensions"]["problem"]["type"] == "/problems/busy"


# ── Rulings that take long ───────────────────────────────────────────────────────────────────────────────────────────

LONG: dict[str, Any] = {
    "combatants": [
        {
            "id": f"{side}{number}",
            "side": side,
            "actor": {
                "character": {"name": side, "aspects": [{"name": "f", "bonus": 2}], "health": {"current": 20, "max": 20}},
                "using": ["f"],
            },
        }
        for side in "xy"
        for number in range(3)
    ],
    "seed": 1,
}


class TestLongFights:
    def test_they_are_resolved_in_the_pool_and_come_out_the_same(self, pooled: TestClient, client: TestClient) -> None:
        for more in ({}, {"include": ["factors"]}):
            first, second = (one.post("/resolve/jazz/fight", json={**LONG, **more}) for one in (pooled, client))
            assert first.json() == second.json()
            assert len(first.json()["attacks"]) > 40
        ruling = client.post("/resolve/jazz/fight", json=LONG).json()
        asked = {"request": {"action": "jazz.fight", **LONG}, "ruling": ruling}
        assert [one.post("/verify", json=asked).json()["verdict"] for one in (pooled, client)] == ["match", "match"]

    def test_what_is_refused_is_refused_the_same(self, pooled: TestClient) -> None:
        problem(pooled.post("/resolve/jazz/fight", json={**LONG, "dice": WRONG["dice"]}), 422, "wrong-dice")

    def test_graphql_answers_every_roll_as_rest_does(self, client: TestClient) -> None:
        ruling = client.post("/resolve/jazz/fight", json=LONG).json()
        selected = "rolls { roll total dice { face } } ... on JazzFightRuling { attacks { by on } }"
        query = f"query($r: ResolveRequest!) {{ resolve(request: $r) {{ {selected} }} }}"
        for _ in range(3):
            found = ask(client, query, {"r": {"jazzFight": LONG}})["data"]["resolve"]
            assert len(found["rolls"]) > 200
            assert found["rolls"] == [
                {"roll": roll["roll"], "total": roll["total"], "dice": [{"face": die["face"]} for die in roll["dice"]]}
                for roll in ruling["rolls"]
            ]
            assert found["attacks"] == [{"by": attack["by"], "on": attack["on"]} for attack in ruling["attacks"]]

    def test_an_answer_that_would_hold_too_much_is_refused(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        many = " ".join(f"r{number}: rolls {{ roll name total dice {{ sides face kept }} }}" for number in range(90))
        request = {"jazzFight": LONG}
        found = ask(client, f"query($r: ResolveRequest!) {{ resolve(request: $r) {{ {many} }} }}", {"r": request})
        assert found["errors"][0]["extensions"]["problem"]["type"] == "/problems/too-costly"
        monkeypatch.setattr(limits, "MAX_ANSWERED", 500)
        batch = "query($r: [ResolveRequest!]!) { batch(requests: $r) { results { ruling { rolls { roll } } problem { type } } } }"
        found = ask(client, batch, {"r": [{"jazzCheck": CHECK}, request, request, request]})
        assert {error["extensions"]["problem"]["type"] for error in found["errors"]} == {"/problems/too-costly"}

    def test_signed_they_are_checked_as_any(self) -> None:
        key = OKPKey.generate_key("Ed25519").as_pem(private=True).decode()
        signing = TestClient(create_app(Settings(odds_workers=0, signing_key=key)))  # type: ignore[arg-type]
        ruling = signing.post("/resolve/jazz/fight", json=LONG).json()
        checked = signing.post("/verify", json={"request": {"action": "jazz.fight", **LONG}, "ruling": ruling}).json()
        assert (checked["verdict"], checked["receipt"]) == ("match", "valid")

    def test_in_a_batch_as_well(self, pooled: TestClient) -> None:
        requests = [{"action": "jazz.fight", **LONG}, {"action": "jazz.check", **CHECK}]
        first, second = pooled.post("/batch", json={"seed": 1, "requests": requests}).json()["results"]
        assert (first["ruling"]["action"], second["ruling"]["action"]) == ("jazz.fight", "jazz.check")

    def test_what_mattered_may_take_too_long_to_find_out(self) -> None:
        late = TestClient(create_app(Settings(odds_workers=0, odds_seconds=0.001)))
        problem(late.post("/resolve/jazz/fight", json={**LONG, "include": ["factors"]}), 422, "too-large-to-count")
