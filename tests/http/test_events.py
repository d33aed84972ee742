"""Simulated odds while they are played: server-sent events of REST and GraphQL's subscription. And fights with many rolls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
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
from tablecall.runtime.request_context import RequestContext, attach
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tests.support.client import ask, problem

EVENTS = {"accept": "text/event-stream"}
FIGHT: dict[str, Any] = {**PUBLISHED["jazz.fight"].action.examples["Two against two"], "method": "simulation", "trials": 400}
CHECK = {"actor": {"bonus": 3}, "difficulty": 10}
WRONG = {**FIGHT, "dice": [{"roll": "nobody", "faces": [1]}]}
SUBSCRIPTION = """subscription ($request: ResolveRequest!) {
  odds(request: $request) { method simulated { trials seed } outcomes { outcome fraction interval { low high } } }
}"""


def received(answer: httpx2.Response) -> list[tuple[str, Any]]:
    """The events: the name and the data of each."""
    found = []
    for event in answer.text.replace("\r\n", "\n").strip().split("\n\n"):
        lines = (line.partition(":") for line in event.split("\n"))
        fields = {name: text.strip() for name, _, text in lines}
        found.append((fields["event"], json.loads(fields["data"]) if fields["data"] else None))
    return found


def names(answer: httpx2.Response) -> list[str]:
    return [name for name, _ in received(answer)]


def subscribe(client: TestClient, request: dict[str, Any], accept: str = EVENTS["accept"]) -> httpx2.Response:
    return client.post("/graphql", json={"query": SUBSCRIPTION, "variables": {"request": request}}, headers={"accept": accept})


class TestRest:
    def test_simulation_is_reported_while_it_is_played(self, client: TestClient) -> None:
        answer = client.post("/odds/jazz/fight", json=FIGHT, headers=EVENTS)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
        *progress, (last, result) = received(answer)
        assert ({name for name, _ in progress}, last) == ({"progress"}, "done")
        trials = [data["simulated"]["trials"] for _, data in progress]
        assert (trials, trials[0], trials[-1]) == (sorted(set(trials)), 50, 400)
        assert result == progress[-1][1] == client.post("/odds", json={"action": "jazz.fight", **FIGHT}).json()
        assert answer.text.rstrip().split("\n\n")[-1].split("\n")[1] == "id: done"

    def test_exact_odds_are_one_event(self, client: TestClient) -> None:
        answer = client.post("/odds", json={"action": "jazz.check", **CHECK}, headers=EVENTS)
        assert received(answer) == [("done", client.post("/odds/jazz/check", json=CHECK).json())]

    def test_browser_that_reconnects_after_the_end_gets_204(self, client: TestClient) -> None:
        url = "/odds/jazz/check?actor.bonus=3&difficulty=10"
        first = client.get(url, headers=EVENTS)
        assert (names(first), first.headers["cache-control"]) == (["done"], "no-store")
        again = client.get(url, headers={**EVENTS, "last-event-id": "done"})
        assert (again.status_code, again.content) == (204, b"")

    @pytest.mark.parametrize(
        ("path", "document", "status", "code"),
        [
            ("/odds/jazz/check", {**CHECK, "dice": WRONG["dice"]}, 422, "wrong-dice"),
            ("/odds/jazz/fight", {**FIGHT, "trials": 1}, 422, "invalid-request"),
            ("/resolve/jazz/check", CHECK, 406, "not-acceptable"),
        ],
    )
    def test_refusal_before_the_first_event_is_a_problem(
        self, client: TestClient, path: str, document: dict[str, Any], status: int, code: str
    ) -> None:
        problem(client.post(path, json=document, headers=EVENTS), status, code)

    def test_refusal_during_the_simulation_is_the_last_event(self, client: TestClient) -> None:
        *others, (name, data) = received(client.post("/odds/jazz/fight", json=WRONG, headers=EVENTS))
        assert {name for name, _ in others} == {"progress"}
        assert (name, data["type"], data["errors"][0]["pointer"]) == ("problem", "../../problems/wrong-dice", "/dice/0/roll")
        problem(client.post("/odds/jazz/fight", json=WRONG), 422, "wrong-dice")

    def test_unexpected_error_is_an_event_without_details(self, caplog: pytest.LogCaptureFixture) -> None:
        async def answers() -> AsyncIterator[dict[str, Any]]:
            yield {"number": 1, "simulated": {}}
            yield {"number": 2}
            raise RuntimeError("a secret")

        scope: dict[str, Any] = {"type": "http", "path": "/odds", "headers": []}
        attach(scope, RequestContext("", services=Services(Settings())))

        async def text() -> bytes:
            answer = await events.event_stream(Request(scope), answers())
            return b"".join([part async for part in answer.body_iterator])  # type: ignore[attr-defined]

        sent = asyncio.run(text())
        assert b'"number":1' in sent
        assert b"./problems/internal" in sent
        assert b"secret" not in sent
        assert "unexpected failure" in caplog.text

    def test_text_names_the_number_of_trials(self, client: TestClient) -> None:
        answer = client.post("/odds/jazz/fight", json=FIGHT, headers={"accept": "text/plain"})
        assert answer.text.endswith("(of 400 trials)")

    def test_bound_of_branches_applies_to_simulations(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        monkeypatch.setattr("tablecall.runtime.dispatch.MAX_BRANCHES", 70)
        problem(client.post("/odds/jazz/fight", json=FIGHT), 422, "too-large-to-count")
        assert client.post("/odds/jazz/fight", json={**FIGHT, "trials": 140}).status_code == 200

    def test_simulation_out_of_time_has_the_odds_of_the_trials_played(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        clock, hurried = count(), TestClient(create_app(Settings(odds_workers=0, odds_seconds=2)))
        for module in ("budget", "jobs"):
            monkeypatch.setattr(f"tablecall.engine.{module}.perf_counter", lambda: next(clock) / 100)
        answer = hurried.post("/odds/jazz/fight", json=FIGHT).json()
        monkeypatch.undo()
        trials = answer["simulated"]["trials"]
        assert 50 <= trials < FIGHT["trials"]
        assert answer == client.post("/odds/jazz/fight", json={**FIGHT, "trials": trials}).json()


class TestGraphql:
    def test_subscription_reports_a_simulation_while_it_is_played(self, client: TestClient) -> None:
        answer = subscribe(client, {"jazzFight": FIGHT})
        assert answer.headers["content-type"] == "text/event-stream"
        *found, last = received(answer)
        assert (last, {name for name, _ in found}) == (("complete", None), {"next"})
        trials = [data["data"]["odds"]["simulated"]["trials"] for _, data in found]
        assert (trials, trials[0], trials[-1]) == (sorted(set(trials)), 50, 400)
        rest = client.post("/odds/jazz/fight", json=FIGHT).json()
        selected = ("outcome", "fraction", "interval")
        assert found[-1][1]["data"]["odds"]["outcomes"] == [{name: row[name] for name in selected} for row in rest["outcomes"]]

    def test_query_has_one_answer(self, client: TestClient) -> None:
        query = SUBSCRIPTION.replace("subscription", "query")
        assert ask(client, query, {"request": {"jazzFight": FIGHT}})["data"]["odds"]["simulated"]["trials"] == 400
        exact = ask(client, query, {"request": {"jazzCheck": CHECK}})["data"]["odds"]
        assert (exact["method"], exact["simulated"], exact["outcomes"][0]["interval"]) == ("exact", None, None)

    def test_exact_odds_are_one_event(self, client: TestClient) -> None:
        assert names(subscribe(client, {"jazzCheck": CHECK})) == ["next", "complete"]

    @pytest.mark.parametrize("accept", ["*/*", "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"])
    def test_client_that_accepts_events_and_json(self, client: TestClient, accept: str) -> None:
        assert subscribe(client, {"jazzCheck": CHECK}, accept).headers["content-type"] == "text/event-stream"
        query = client.post("/graphql", json={"query": "{ systems { title } }"}, headers={"accept": accept})
        assert "json" in query.headers["content-type"]

    def test_query_may_be_answered_as_events(self, client: TestClient) -> None:
        answer = client.post("/graphql", json={"query": '{ rule(id: "jazz.dice.roll") { id } }'}, headers=EVENTS)
        assert received(answer) == [("next", {"data": {"rule": {"id": "jazz.dice.roll"}}}), ("complete", None)]

    def test_subscription_needs_a_client_that_accepts_events(self, client: TestClient) -> None:
        problem(subscribe(client, {"jazzCheck": CHECK}, "application/json"), 406, "not-acceptable")

    def test_refusal_is_an_event_with_the_problem(self, client: TestClient) -> None:
        (name, data), _ = received(subscribe(client, {"jazzFight": {**FIGHT, "tactics": {"nobody": "first"}}}))
        assert (name, data["errors"][0]["extensions"]["problem"]["errors"][0]["pointer"]) == ("next", "/tactics/nobody")
        *_, (name, data), _ = received(subscribe(client, {"jazzFight": WRONG}))
        assert (name, data["data"], data["errors"][0]["extensions"]["problem"]["type"]) == ("next", None, "./problems/wrong-dice")

    @pytest.mark.parametrize(
        ("query", "code"), [("subscription { odds }", "GRAPHQL_VALIDATION_FAILED"), ("subscription {", "GRAPHQL_PARSE_FAILED")]
    )
    def test_invalid_subscription(self, client: TestClient, query: str, code: str) -> None:
        answer = client.post("/graphql", json={"query": query}, headers=EVENTS)
        assert received(answer)[0][1]["errors"][0]["extensions"]["code"] == code

    def test_operation_name_selects_the_operation(self, client: TestClient) -> None:
        both = SUBSCRIPTION.replace("subscription", "subscription Follow") + " query Ask { systems { title } }"
        body = {"query": both, "variables": {"request": {"jazzCheck": CHECK}}}
        assert names(client.post("/graphql", json={**body, "operationName": "Follow"}, headers=EVENTS)) == ["next", "complete"]
        assert client.post("/graphql", json={**body, "operationName": "Ask"}).json()["data"]["systems"]
        (_, data), _ = received(client.post("/graphql", json=body, headers=EVENTS))
        assert data["errors"][0]["extensions"]["problem"]["type"] == "./problems/invalid-request"
        assert "SECRET" not in client.post("/graphql", json={**body, "operationName": "SECRET"}, headers=EVENTS).text

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (HttpProblem("busy"), "busy"),
            (Forbidden(Finding("", "rule-forbids", "")), "rule-forbids"),
            (KeyError("a secret"), "internal"),
        ],
    )
    def test_error_after_the_first_event(self, error: Exception, code: str) -> None:
        async def answers() -> AsyncIterator[dict[str, Any]]:
            yield {}
            raise error

        async def all_of() -> list[Any]:
            return [answer async for answer in streamed(answers(), "en")]

        first, last = asyncio.run(all_of())
        assert (first, last.extensions["problem"]["type"]) == ({}, f"./problems/{code}")
        assert "secret" not in str(last)

    def test_error_before_the_first_event(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        async def broken(*_: object) -> AsyncIterator[dict[str, Any]]:
            raise RuntimeError("a secret")
            yield {}

        monkeypatch.setattr(dispatch, "progressing_odds", broken)
        answer = subscribe(client, {"jazzCheck": CHECK})
        (_, data), _ = received(answer)
        assert "secret" not in answer.text
        assert data["errors"][0]["extensions"]["problem"]["type"] == "./problems/internal"
        assert data["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"

    def test_busy_service_is_an_error_of_the_field(self, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
        async def busy(*_: object) -> dict[str, Any]:
            raise HttpProblem("busy")

        monkeypatch.setattr(dispatch, "odds", busy)
        answer = ask(client, "{ odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action } }")
        assert answer["errors"][0]["extensions"]["problem"]["type"] == "./problems/busy"


# ── Fights with many rolls ───────────────────────────────────────────────────────────────────────────────────────────

SHEET = {"name": "N", "aspects": [{"name": "f", "bonus": 2}], "health": {"current": 20, "max": 20}}
LONG: dict[str, Any] = {
    "combatants": [
        {"id": f"{side}{number}", "side": side, "actor": {"character": SHEET, "using": ["f"]}} for side in "xy" for number in range(3)
    ],
    "seed": 1,
}


class TestLongFights:
    def test_graphql_equals_rest(self, client: TestClient) -> None:
        ruling = client.post("/resolve/jazz/fight", json=LONG).json()
        selected = "rolls { roll total dice { face } } ... on JazzFightRuling { attacks { by on } }"
        query = f"query($r: ResolveRequest!) {{ resolve(request: $r) {{ {selected} }} }}"
        for _ in range(3):  # the query is compiled for the later ones
            found = ask(client, query, {"r": {"jazzFight": LONG}})["data"]["resolve"]
            assert len(found["rolls"]) > 200
            assert found["rolls"] == [
                {"roll": roll["roll"], "total": roll["total"], "dice": [{"face": die["face"]} for die in roll["dice"]]}
                for roll in ruling["rolls"]
            ]
            assert found["attacks"] == [{"by": attack["by"], "on": attack["on"]} for attack in ruling["attacks"]]

    def test_graphql_response_is_bounded(self, monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
        many = " ".join(f"r{number}: rolls {{ roll name total dice {{ sides face kept }} }}" for number in range(90))
        request = {"jazzFight": LONG}
        answer = ask(client, f"query($r: ResolveRequest!) {{ resolve(request: $r) {{ {many} }} }}", {"r": request})
        assert answer["errors"][0]["extensions"]["problem"]["type"] == "./problems/too-costly"
        monkeypatch.setattr(limits, "MAX_ANSWERED", 500)
        batch = "query($r: [ResolveRequest!]!) { batch(requests: $r) { results { ruling { rolls { roll } } problem { type } } } }"
        answer = ask(client, batch, {"r": [{"jazzCheck": CHECK}, request, request, request]})
        assert {error["extensions"]["problem"]["type"] for error in answer["errors"]} == {"./problems/too-costly"}

    def test_signed_ruling_is_verified(self) -> None:
        key = OKPKey.generate_key("Ed25519").as_pem(private=True).decode()
        signing = TestClient(create_app(Settings(odds_workers=0, signing_key=key)))  # type: ignore[arg-type]
        ruling = signing.post("/resolve/jazz/fight", json=LONG).json()
        verified = signing.post("/verify", json={"request": {"action": "jazz.fight", **LONG}, "ruling": ruling}).json()
        assert (verified["verdict"], verified["receipt"]) == ("match", "valid")
