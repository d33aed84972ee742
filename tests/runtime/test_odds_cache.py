"""Odds that are asked for again."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tablecall import engine
from tablecall.app import create_app
from tablecall.engine.requests import tagged
from tablecall.runtime import worker_pool
from tablecall.runtime.odds_cache import OddsCache, key_of
from tablecall.runtime.services import Services
from tablecall.settings import Settings

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}


def odds(rows: int) -> dict[str, Any]:
    return {"outcomes": [], "rolls": [{"distribution": [{}] * (rows - 10)}], "expected": {}}


def test_all_there_is_to_keep_has_its_room() -> None:
    kept = OddsCache(60)
    rows = {"outcomes": [{}] * 2, "rolls": [{"distribution": [{}] * 3}] * 2, "expected": {"a": 1.0}, "rounds": {"distribution": [{}] * 5}}
    kept.keep(b"a", (rows, 1))
    assert kept.rows == 10 + 2 + 6 + 1 + 5


def test_what_was_sent_is_not_kept() -> None:
    system, action, body = tagged({**CHECK, "actor": {"character": {"name": "Rook", "aspects": []}}})
    assert len(key_of(f"{system.name}.{action.name}", body)) == 32


def test_the_last_are_kept_as_many_as_there_is_room_for() -> None:
    kept = OddsCache(60)
    for key in (b"a", b"b", b"c"):
        kept.keep(key, (odds(20), 1))
    assert kept.find(b"a") == (odds(20), 1)
    kept.keep(b"d", (odds(20), 1))
    assert kept.find(b"b") is None
    assert [kept.find(key) is not None for key in (b"a", b"c", b"d")] == [True] * 3
    kept.keep(b"d", (odds(40), 2))
    assert (kept.rows, kept.find(b"d")) == (60, (odds(40), 2))
    kept.keep(b"e", (odds(61), 1))
    assert (kept.rows, kept.find(b"e")) == (0, None)


def test_the_question_is_what_was_sent_without_the_seed_and_what_is_to_be_shown() -> None:
    def asked(**more: Any) -> bytes:
        system, action, body = tagged({**CHECK, **more})
        return key_of(f"{system.name}.{action.name}", body)

    assert asked() == asked(seed=3) == asked(include=["factors"]) == asked(difficulty=10)
    questions = {asked(), asked(difficulty=11), asked(dice=[{"roll": "actor", "faces": [1, 2]}]), asked(ties="actor")}
    assert len(questions) == 4


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def count(system: Any, action: Any, body: Any, pace: Any) -> Any:
        found.append(action.name)
        return engine.odds(system, action, body, pace), pace.branches

    monkeypatch.setattr(worker_pool, "count", count)
    return found


def test_the_same_question_is_counted_once_whatever_its_seed_and_door(counted: list[str]) -> None:
    client = TestClient(create_app())
    query = "query($r: ResolveRequest!) { odds(request: $r) { outcomes { outcome fraction } } }"
    inner = {key: value for key, value in CHECK.items() if key != "action"}
    answers = [client.post("/odds", json={**CHECK, "seed": seed}).json() for seed in (1, 2, 3)]
    answers.append(client.post("/odds/jazz/check", json=inner).json())
    asked = client.post("/graphql", json={"query": query, "variables": {"r": {"jazzCheck": inner}}}).json()
    assert answers == [answers[0]] * 4
    assert asked["data"]["odds"]["outcomes"] == [{key: row[key] for key in ("outcome", "fraction")} for row in answers[0]["outcomes"]]
    assert counted == ["check"]
    assert client.post("/odds", json={**CHECK, "difficulty": 12}).json() != answers[0]
    assert counted == ["check"] * 2


def test_what_is_refused_is_refused_again(counted: list[str]) -> None:
    client = TestClient(create_app())
    wrong = {**CHECK, "dice": [{"roll": "nobody", "faces": [1]}]}
    assert [client.post("/odds", json=wrong).status_code for _ in range(2)] == [422, 422]
    assert counted == ["check"] * 2


def test_what_is_remembered_counts_against_the_bound_of_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    services = Services(Settings())
    client = TestClient(create_app(services=services))
    assert client.post("/odds", json=CHECK).status_code == 200
    monkeypatch.setattr("tablecall.runtime.dispatch.MAX_BRANCHES", 0)
    assert client.post("/odds", json=CHECK).json()["type"] == "/problems/too-large-to-count"
