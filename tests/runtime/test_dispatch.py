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
from tests.support.asgi import scope
from tests.support.client import ask, problem
from tests.support.contexts import context
from tests.support.jobs import has_ended, process_of, until

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10}
WRONG_DICE: dict[str, Any] = {"dice": [{"roll": "nobody", "faces": [1, 2]}]}
WRONG = {**CHECK, **WRONG_DICE}
FIELD = "odds(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { action outcomes { outcome fraction } }"
ODDS, FIGHT_ODDS, FIGHT = "/odds/jazz/check", "/odds/jazz/fight", "/resolve/jazz/fight"


def fight(health: int = 4, **more: Any) -> dict[str, Any]:
    sheet = {"name": "Somebody", "aspects": [{"name": "brave", "bonus": 2}], "health": {"current": health, "max": health}}
    fighters = [{"id": side, "side": side, "actor": {"character": sheet, "using": ["brave"]}} for side in "xy"]
    return {"combatants": fighters, "seed": 1, **more}


def fields(times: int) -> str:
    """A query for the same odds several times."""
    return "{ " + " ".join(f"a{index}: {FIELD}" for index in range(times)) + " }"


QUESTION = tagged({"action": "jazz.check", **CHECK})
LONG_FIGHT = fight(99, maxRounds=1000)
FACTORS = {"include": ["factors"]}
SIMULATION = fight(method="simulation", trials=400)


@pytest.fixture(autouse=True)
def usual_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, processes of low priority take long to start."""
    monkeypatch.setattr(worker_pool, "NICE", 0)


class Runs:
    """Replaces the worker processes: jobs run here, one after the other. ``jobs`` are their names."""

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


BATCH = {"seed": 1, "requests": [{"action": "jazz.fight", **LONG_FIGHT}, {"action": "jazz.check", **CHECK}]}


@pytest.mark.parametrize(
    ("path", "document", "accept"),
    [
        pytest.param(ODDS, CHECK, "*/*", id="odds"),
        pytest.param(ODDS, WRONG, "*/*", id="refused odds"),
        pytest.param(FIGHT_ODDS, SIMULATION, "*/*", id="simulation"),
        pytest.param(FIGHT_ODDS, SIMULATION, "text/event-stream", id="events of a simulation"),
        pytest.param(FIGHT_ODDS, SIMULATION | WRONG_DICE, "*/*", id="refused simulation"),
        pytest.param(FIGHT, LONG_FIGHT, "*/*", id="long fight"),
        pytest.param(FIGHT, LONG_FIGHT | FACTORS, "*/*", id="long fight with factors"),
        pytest.param(FIGHT, LONG_FIGHT | WRONG_DICE, "*/*", id="refused long fight"),
        pytest.param("/batch", BATCH, "*/*", id="long fight in a batch"),
        pytest.param("/graphql", {"query": fields(20)}, "*/*", id="odds under aliases"),
    ],
)
def test_worker_answers_as_the_service_itself(
    pooled: TestClient, client: TestClient, path: str, document: dict[str, Any], accept: str
) -> None:
    answer, expected = (service.post(path, json=document, headers={"accept": accept}) for service in (pooled, client))
    end = -1 if "stream" in accept else 0  # events before the last depend on time
    assert (answer.status_code, answer.text.split("event: ")[end]) == (expected.status_code, expected.text.split("event: ")[end])


def test_no_process_is_started_before_it_is_needed() -> None:
    with service(odds_inline_ms=1000) as client:
        before = len(multiprocessing.active_children())
        assert client.post(ODDS, json=CHECK).status_code == 200
        assert len(multiprocessing.active_children()) == before


def test_job_is_killed_when_its_client_disconnects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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

        request = asyncio.create_task(create_app(services=services)(scope(ODDS), receive, send))
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
    assert service(**settings).post(ODDS, json=CHECK).status_code == 200
    assert runs.jobs == expected


@pytest.mark.parametrize(("document", "expected"), [(fight(), []), (LONG_FIGHT, ["make_ruling"])])
def test_where_a_fight_is_resolved_and_verified(runs: Runs, document: dict[str, Any], expected: list[str]) -> None:
    client = service()
    ruling = client.post(FIGHT, json=document).json()
    assert runs.jobs == expected
    answer = client.post("/verify", json={"request": {"action": "jazz.fight", **document}, "ruling": ruling})
    assert answer.json()["verdict"] == "match"
    assert runs.jobs == expected * 2


@pytest.mark.parametrize(
    ("path", "document"), [(ODDS, CHECK), (FIGHT, LONG_FIGHT), (FIGHT, LONG_FIGHT | FACTORS), (FIGHT_ODDS, SIMULATION)]
)
def test_work_that_takes_too_long_is_refused(runs: Runs, path: str, document: dict[str, Any]) -> None:
    answer = service(odds_seconds=1e-9, odds_inline_ms=0).post(path, json=document)
    assert "1e-09 seconds" in problem(answer, 422, "too-large-to-count")["detail"]


def test_branches_of_a_request_are_bounded_together(monkeypatch: pytest.MonkeyPatch, client: TestClient) -> None:
    monkeypatch.setattr(dispatch, "MAX_BRANCHES", 5)
    errors = ask(client, fields(4))["errors"]
    assert {error["extensions"]["problem"]["type"] for error in errors} == {"./problems/too-large-to-count"}


@pytest.mark.parametrize(("path", "document"), [(ODDS, CHECK), (FIGHT_ODDS, SIMULATION)])
def test_full_pool_refuses_expensive_questions_and_nothing_else(path: str, document: dict[str, Any]) -> None:
    services = Services(Settings(odds_inline_ms=0))
    client = TestClient(create_app(services=services))
    services.workers.waiting = services.workers.room
    answer = client.post(path, json=document)
    problem(answer, 503, "busy")
    assert answer.headers["retry-after"] == "1"
    assert client.post("/resolve/jazz/check", json=CHECK).status_code == 200
    assert client.get("/readyz").status_code == 200


def test_job_of_a_lost_worker_is_refused(runs: Runs) -> None:
    def lose() -> None:
        raise WorkerLost

    runs.before = lose
    problem(service(odds_inline_ms=0).post(ODDS, json=CHECK), 503, "busy")


# ── Known odds ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The actions whose odds were counted without a worker."""
    names: list[str] = []

    def noted(system: System, action: Action, body: Body, budget: Budget) -> Counted:
        names.append(action.name)
        return count(system, action, body, budget)

    monkeypatch.setattr(dispatch, "count", noted)
    return names


def test_question_is_counted_once_for_all_seeds_and_paths(counted: list[str]) -> None:
    client = service(odds_inline_ms=1000)
    answers = [client.post("/odds", json={"action": "jazz.check", **CHECK, "seed": seed}).json() for seed in (1, 2)]
    answers.append(client.post(ODDS, json=CHECK).json())
    assert answers == [answers[0]] * 3
    by_graphql = ask(client, fields(1))["data"]["a0"]
    assert by_graphql["outcomes"] == [{name: row[name] for name in ("outcome", "fraction")} for row in answers[0]["outcomes"]]
    assert counted == ["check"]
    assert client.post(ODDS, json={**CHECK, "difficulty": 12}).json() != answers[0]
    assert counted == ["check"] * 2


def test_refused_question_is_counted_again(counted: list[str]) -> None:
    client = service(odds_inline_ms=1000)
    assert [client.post(ODDS, json=WRONG).status_code for _ in range(2)] == [422, 422]
    assert counted == ["check"] * 2


def test_question_that_took_too_long_is_not_counted_again(runs: Runs) -> None:
    client = service(odds_seconds=1e-9, odds_inline_ms=0)
    assert [client.post(ODDS, json={**CHECK, "method": "exact"}).status_code for _ in range(2)] == [422, 422]
    assert runs.jobs == ["count_odds"]


def test_known_odds_count_against_the_bound_of_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    client = service()
    assert client.post(ODDS, json=CHECK).status_code == 200
    monkeypatch.setattr(dispatch, "MAX_BRANCHES", 0)
    problem(client.post(ODDS, json={**CHECK, "method": "exact"}), 422, "too-large-to-count")


def test_equal_questions_of_several_requests_are_counted_once(runs: Runs) -> None:
    async def ask_all() -> list[dict[str, Any]]:
        services = context(odds_workers=1, odds_inline_ms=0).services
        return await asyncio.gather(*(dispatch.odds(RequestContext(services=services), *QUESTION) for _ in range(3)))

    answers = asyncio.run(ask_all())
    assert answers == [answers[0]] * 3
    assert runs.jobs == ["count_odds"]


def test_several_questions_of_a_request_are_counted_for_it_alone(runs: Runs) -> None:
    """The second may follow fewer branches than in another request."""

    async def ask_both() -> None:
        request = context(odds_workers=1, odds_inline_ms=0)
        await dispatch.odds(request, *QUESTION)
        await dispatch.odds(request, *tagged({"action": "jazz.check", **CHECK, "difficulty": 11}))

    asyncio.run(ask_both())
    assert runs.jobs == ["count_odds"] * 2


# ── Simulations ──────────────────────────────────────────────────────────────────────────────────────────────────────

SIMULATED = tagged({"action": "jazz.fight", **SIMULATION})


def trials(request: RequestContext | None = None) -> int:
    """How many trials of the simulation were played."""
    answer = asyncio.run(dispatch.odds(request or context(), *SIMULATED))
    assert sum(row["probability"] for row in answer["outcomes"]) == pytest.approx(1)
    return int(answer["simulated"]["trials"])


async def progress(status: int = 0, deadline: float = inf) -> list[int]:
    """The trials in each report of a simulation whose request is past its deadline after the first report."""
    request, reports = context(), []
    request.status, request.deadline = status, deadline
    async for answer in dispatch.progressing_odds(request, *SIMULATED):
        assert request.services.workers.waiting == 1
        reports.append(answer["simulated"]["trials"])
        request.deadline = -inf
    assert request.services.workers.waiting == 0
    return reports


@pytest.mark.parametrize(
    ("status", "last"), [pytest.param(0, 50, id="response not started"), pytest.param(200, 400, id="response started")]
)
def test_simulation_ends_at_the_deadline_unless_its_response_has_started(status: int, last: int) -> None:
    assert asyncio.run(progress(status))[-1] == last


def test_simulation_without_a_turn_in_time_is_refused() -> None:
    with pytest.raises(HttpProblem) as refused:
        asyncio.run(progress(deadline=-inf))
    assert refused.value.kind.code == "timed-out"


def test_simulation_takes_no_more_than_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "play_trials", lambda *arguments: (*play_trials(*arguments)[:2], 1000.0))
    assert trials() == 50


@pytest.mark.parametrize("killed", [False, True])
def test_simulation_out_of_time_has_the_trials_played_before(runs: Runs, killed: bool) -> None:
    def late() -> None:
        if len(runs.jobs) == 3:
            runs.seconds = 0
            if killed:
                raise BudgetExceeded

    runs.before = late
    assert trials() == 50 + 100
    assert len(runs.jobs) == 3


def test_simulation_whose_first_part_takes_long_has_more_time_in_its_next_turn(runs: Runs) -> None:
    """Its first turns are so short that no trial is played in them."""
    assert trials(RequestContext(services=Services(Settings(request_seconds=1e-6)))) == 400
    assert len(runs.jobs) > 5


def test_simulation_that_does_not_finish_a_part_has_the_trials_it_played(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count_from()
    for module in ("budget", "jobs"):
        monkeypatch.setattr(f"tablecall.engine.{module}.perf_counter", lambda: next(clock) / 10)
    assert 0 < trials(RequestContext(services=Services(Settings(odds_seconds=2, request_seconds=10)))) < 50


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
