"""Where rulings and odds are made, and what limits them."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Iterator
from itertools import count as count_from
from math import inf
from pathlib import Path
from typing import Any

import orjson
import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.engine import Budget, BudgetExceeded
from tablecall.engine.jobs import Counted, count, play_trials
from tablecall.engine.requests import tagged
from tablecall.model.base import Body
from tablecall.model.problems import HttpProblem
from tablecall.runtime import dispatch, worker_pool
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.services import Services
from tablecall.runtime.worker_pool import WorkerLost, WorkerPool
from tablecall.settings import Settings
from tablecall.systems.system import Action, System
from tests.support import jobs
from tests.support.client import ask, problem
from tests.support.contexts import context
from tests.support.jobs import has_ended, process_of, until

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
WRONG: dict[str, Any] = {**CHECK, "dice": [{"roll": "nobody", "faces": [1, 2]}]}
FIELD = "odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action outcomes { outcome fraction } }"


def sheet(health: int) -> dict[str, Any]:
    return {"name": "Somebody", "aspects": [{"name": "brave", "bonus": 2}], "health": {"current": health, "max": health}}


def fight(health: int = 4, **more: Any) -> dict[str, Any]:
    fighters = [{"id": side, "side": side, "actor": {"character": sheet(health), "using": ["brave"]}} for side in "xy"]
    return {"combatants": fighters, "seed": 1, **more}


TYPE = (b"content-type", b"application/json")
QUESTION = tagged({"action": "jazz.check", **CHECK})
LONG_FIGHT = fight(99, maxRounds=1000)
SIMULATION = fight(method="simulation", trials=400)


@pytest.fixture(autouse=True)
def usual_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, processes of low priority take long to start."""
    monkeypatch.setattr(worker_pool, "NICE", 0)


class Runs:
    """Stands for the worker processes: jobs run here, one after the other. ``jobs`` are their names."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.before: Callable[[], object] = lambda: None
        self.seconds = inf

    async def run(self, pool: WorkerPool, job: Callable[..., Any], *arguments: Any, seconds: float, until: float = inf) -> Any:
        self.jobs.append(job.__name__)
        await asyncio.sleep(0)
        self.before()
        return job(*arguments, min(self.seconds, worker_pool._limit(seconds, until)))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    made = Runs()
    monkeypatch.setattr(WorkerPool, "run", lambda *arguments, **named: made.run(*arguments, **named))
    return made


def service(**settings: Any) -> TestClient:
    return TestClient(create_app(Settings(**settings)))


# ── In worker processes ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def pooled() -> Iterator[TestClient]:
    """A service that counts all odds in a worker process."""
    with service(odds_inline_ms=0, odds_seconds=300, request_seconds=600) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "document"),
    [
        pytest.param("/odds/jazz/check", CHECK, id="odds"),
        pytest.param("/odds/jazz/check", WRONG, id="refused odds"),
        pytest.param("/odds/jazz/fight", SIMULATION, id="simulation"),
        pytest.param("/resolve/jazz/fight", LONG_FIGHT, id="long fight"),
        pytest.param("/resolve/jazz/fight", {**LONG_FIGHT, "include": ["factors"]}, id="long fight with factors"),
    ],
)
def test_a_worker_answers_as_the_service_itself_does(pooled: TestClient, client: TestClient, path: str, document: dict[str, Any]) -> None:
    answer, expected = (service.post(path, json=document) for service in (pooled, client))
    assert (answer.status_code, answer.json()) == (expected.status_code, expected.json())


def test_several_odds_of_one_request_are_counted_one_after_the_other(pooled: TestClient, client: TestClient) -> None:
    query = "{ " + " ".join(f"a{index}: {FIELD}" for index in range(20)) + " }"
    answer = ask(pooled, query)
    assert "errors" not in answer
    assert answer == ask(client, query)


def test_no_process_is_started_before_it_is_needed() -> None:
    with service(odds_inline_ms=1000) as client:
        before = len(multiprocessing.active_children())
        assert client.post("/odds/jazz/check", json=CHECK).status_code == 200
        assert len(multiprocessing.active_children()) == before


def test_a_job_is_killed_when_its_client_disconnects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BEGUN", str(tmp_path / "begun"))
    monkeypatch.setattr(dispatch, "count_odds", jobs.endless_odds)

    async def disconnect() -> None:
        services = Services(Settings(odds_inline_ms=0, odds_seconds=300, request_seconds=600, log_requests=False))
        leave, messages = asyncio.Event(), [{"type": "http.request", "body": orjson.dumps(CHECK)}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await leave.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            raise AssertionError

        scope = {"type": "http", "method": "POST", "path": "/odds/jazz/check", "query_string": b"", "headers": [TYPE]}
        request = asyncio.create_task(create_app(services=services)(scope, receive, send))
        process = await process_of(tmp_path / "begun")
        assert services.workers.waiting == 1
        leave.set()
        await request
        await until(lambda: has_ended(process))
        assert services.workers.waiting == 0
        services.workers.close()

    asyncio.run(disconnect())


# ── What is decided here ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({"odds_inline_ms": 1000}, [], id="cheap"),
        pytest.param({"odds_inline_ms": 1e-6}, ["count_odds"], id="not cheap"),
        pytest.param({"odds_inline_ms": 0}, ["count_odds"], id="all in workers"),
        pytest.param({"odds_inline_ms": 1000, "odds_workers": 0}, ["count_odds"], id="no workers"),
    ],
)
def test_where_odds_are_counted(runs: Runs, settings: dict[str, Any], expected: list[str]) -> None:
    assert service(**settings).post("/odds/jazz/check", json=CHECK).status_code == 200
    assert runs.jobs == expected


@pytest.mark.parametrize(("document", "expected"), [(fight(), []), (LONG_FIGHT, ["make_ruling"])])
def test_where_a_fight_is_resolved_and_verified(runs: Runs, document: dict[str, Any], expected: list[str]) -> None:
    client = service()
    ruling = client.post("/resolve/jazz/fight", json=document).json()
    assert runs.jobs == expected
    answer = client.post("/verify", json={"request": {"action": "jazz.fight", **document}, "ruling": ruling})
    assert answer.json()["verdict"] == "match"
    assert runs.jobs == expected * 2


def test_work_that_takes_too_long_is_refused(runs: Runs) -> None:
    client = service(odds_seconds=1e-9, odds_inline_ms=0)
    for path, document in (("/odds/jazz/check", CHECK), ("/resolve/jazz/fight", LONG_FIGHT), ("/odds/jazz/fight", SIMULATION)):
        answer = client.post(path, json=document)
        problem(answer, 422, "too-large-to-count")
        assert "longer to count than 1e-09 seconds" in answer.text


def test_the_branches_of_one_request_are_bounded_together(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    monkeypatch.setattr(dispatch, "MAX_BRANCHES", 5)
    answer = ask(client, "{ " + " ".join(f"a{index}: {FIELD}" for index in range(4)) + " }")
    codes = [error["extensions"]["problem"]["type"] for error in answer["errors"]]
    assert codes
    assert set(codes) == {"/problems/too-large-to-count"}


@pytest.mark.parametrize(("path", "document"), [("/odds/jazz/check", CHECK), ("/odds/jazz/fight", SIMULATION)])
def test_a_full_pool_refuses_expensive_questions_and_nothing_else(path: str, document: dict[str, Any]) -> None:
    services = Services(Settings(odds_inline_ms=0))
    client = TestClient(create_app(services=services))
    services.workers.waiting = services.workers.room
    answer = client.post(path, json=document)
    problem(answer, 503, "busy")
    assert answer.headers["retry-after"] == "1"
    assert client.post("/resolve/jazz/check", json=CHECK).status_code == 200
    assert client.get("/readyz").status_code == 200


def test_the_job_of_a_lost_worker_is_answered_with_a_problem(runs: Runs) -> None:
    def lose() -> None:
        raise WorkerLost

    runs.before = lose
    problem(service(odds_inline_ms=0).post("/odds/jazz/check", json=CHECK), 503, "busy")


# ── Odds that are known ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The actions whose odds were counted without a worker."""
    names: list[str] = []

    def noted(system: System, action: Action, body: Body, budget: Budget) -> Counted:
        names.append(action.name)
        return count(system, action, body, budget)

    monkeypatch.setattr(dispatch, "count", noted)
    return names


def test_a_question_is_counted_once_whatever_its_seed_and_path(counted: list[str]) -> None:
    client = service(odds_inline_ms=1000)
    answers = [client.post("/odds", json={"action": "jazz.check", **CHECK, "seed": seed}).json() for seed in (1, 2)]
    answers.append(client.post("/odds/jazz/check", json=CHECK).json())
    assert answers == [answers[0]] * 3
    by_graphql = ask(client, "{ " + FIELD + " }")["data"]["odds"]
    assert by_graphql["outcomes"] == [{name: row[name] for name in ("outcome", "fraction")} for row in answers[0]["outcomes"]]
    assert counted == ["check"]
    assert client.post("/odds/jazz/check", json={**CHECK, "difficulty": 12}).json() != answers[0]
    assert counted == ["check"] * 2


def test_a_refused_question_is_refused_again(counted: list[str]) -> None:
    client = service(odds_inline_ms=1000)
    assert [client.post("/odds/jazz/check", json=WRONG).status_code for _ in range(2)] == [422, 422]
    assert counted == ["check"] * 2


def test_a_question_that_took_too_long_is_not_counted_again(runs: Runs) -> None:
    client = service(odds_seconds=1e-9, odds_inline_ms=0)
    assert [client.post("/odds/jazz/check", json=CHECK).status_code for _ in range(2)] == [422, 422]
    assert runs.jobs == ["count_odds"]


def test_known_odds_count_against_the_bound_of_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    client = service()
    assert client.post("/odds/jazz/check", json=CHECK).status_code == 200
    monkeypatch.setattr(dispatch, "MAX_BRANCHES", 0)
    problem(client.post("/odds/jazz/check", json=CHECK), 422, "too-large-to-count")


def test_equal_questions_at_the_same_time_are_counted_once(runs: Runs) -> None:
    async def asked() -> list[dict[str, Any]]:
        services = context(odds_workers=1, odds_inline_ms=0).services
        requests = [RequestContext(services=services) for _ in range(3)]
        return await asyncio.gather(*(dispatch.odds(request, *QUESTION) for request in requests))

    answers = asyncio.run(asked())
    assert answers == [answers[0]] * 3
    assert runs.jobs == ["count_odds"]


def test_a_request_with_several_questions_has_them_counted_for_itself(runs: Runs) -> None:
    """The second may follow fewer branches than in another request."""

    async def asked() -> None:
        request = context(odds_workers=1, odds_inline_ms=0)
        await dispatch.odds(request, *QUESTION)
        await dispatch.odds(request, *tagged({"action": "jazz.check", **CHECK, "difficulty": 11}))

    asyncio.run(asked())
    assert runs.jobs == ["count_odds"] * 2


# ── Simulations ──────────────────────────────────────────────────────────────────────────────────────────────────────

SIMULATED = tagged({"action": "jazz.fight", **SIMULATION})


def trials(answers: list[dict[str, Any]]) -> list[int]:
    return [answer["simulated"]["trials"] for answer in answers]


async def simulated(status: int = 0, deadline: float = inf) -> list[dict[str, Any]]:
    """The progress of a simulation whose request is past its deadline after the first report."""
    request, answers = context(), []
    request.status, request.deadline = status, deadline
    async for answer in dispatch.progressing_odds(request, *SIMULATED):
        assert request.services.workers.waiting == 1
        answers.append(answer)
        request.deadline = -inf
    assert request.services.workers.waiting == 0
    return answers


def test_a_simulation_ends_in_time_with_the_trials_played() -> None:
    answers = asyncio.run(simulated())
    assert trials(answers) == [50]
    assert sum(row["probability"] for row in answers[0]["outcomes"]) == pytest.approx(1)


def test_a_simulation_whose_answer_has_started_goes_on() -> None:
    answers = asyncio.run(simulated(status=200))
    assert trials(answers)[-1] == 400


def test_a_simulation_that_has_no_turn_in_time_is_refused() -> None:
    with pytest.raises(HttpProblem) as refused:
        asyncio.run(simulated(deadline=-inf))
    assert refused.value.kind.code == "timed-out"


def test_a_simulation_takes_no_more_than_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "play_trials", lambda *arguments: (*play_trials(*arguments)[:2], 1000.0))
    answer = asyncio.run(dispatch.odds(context(), *SIMULATED))
    assert answer["simulated"]["trials"] == 50


@pytest.mark.parametrize("killed", [False, True])
def test_a_simulation_that_has_no_more_time_has_the_trials_played_before(runs: Runs, killed: bool) -> None:
    def late() -> None:
        if len(runs.jobs) == 3:
            runs.seconds = 0
            if killed:
                raise BudgetExceeded

    runs.before = late
    answer = asyncio.run(dispatch.odds(context(), *SIMULATED))
    assert answer["simulated"]["trials"] == 50 + 100
    assert len(runs.jobs) == 3


def test_a_simulation_whose_first_part_takes_long_has_more_time_in_its_next_turn(runs: Runs) -> None:
    """Its first turn is so short that no trial is run in it, and so are some more."""
    services = Services(Settings(request_seconds=1e-6))
    answer = asyncio.run(dispatch.odds(RequestContext(services=services), *SIMULATED))
    assert answer["simulated"]["trials"] == 400
    assert len(runs.jobs) > 5


def test_a_simulation_that_does_not_finish_a_part_has_the_trials_it_played(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count_from()
    for module in ("budget", "jobs"):
        monkeypatch.setattr(f"tablecall.engine.{module}.perf_counter", lambda: next(clock) / 10)
    answer = asyncio.run(dispatch.odds(RequestContext(services=Services(Settings(odds_seconds=2, request_seconds=10))), *SIMULATED))
    assert 0 < answer["simulated"]["trials"] < 50


def test_simulations_take_turns(runs: Runs) -> None:
    finished: list[int] = []

    async def follow(number: int, services: Services) -> None:
        async for _ in dispatch.progressing_odds(RequestContext(services=services), *SIMULATED):
            finished.append(number)

    async def both() -> None:
        services = context().services
        await asyncio.gather(*(follow(number, services) for number in (1, 2)))

    asyncio.run(both())
    assert finished[:4] in ([1, 2, 1, 2], [2, 1, 2, 1])
