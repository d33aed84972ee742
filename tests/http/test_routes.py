"""Every REST operation: what it answers, in which forms, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tablecall.contract.action_models import PUBLISHED
from tablecall.http import routes
from tablecall.settings import Settings
from tests.support.client import EXAMPLES, ids, problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
PATHS = [f"/{verb}/{one.path}" for verb in ("resolve", "odds") for one in PUBLISHED.values()]


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
@pytest.mark.parametrize("verb", ["resolve", "odds"])
def test_an_action_answers_the_same_by_its_tag_and_by_its_path(
    client: TestClient, verb: str, tag: str, name: str, body: dict[str, Any]
) -> None:
    by_tag = client.post(f"/{verb}", json={"action": tag, **body})
    by_path = client.post(f"/{verb}/{PUBLISHED[tag].path}", json=body)
    assert by_tag.status_code == 200, by_tag.text
    assert by_tag.headers["content-type"] == "application/json"
    assert by_tag.content == by_path.content
    assert by_tag.json()["action"] == tag
    assert client.post(f"/{verb}/{PUBLISHED[tag].path}", json={"action": tag, **body}).content == by_tag.content


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_a_ruling_replays_byte_for_byte(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    first = client.post("/resolve", json={"action": tag, **body})
    assert client.post("/resolve", json={"action": tag, **body}).content == first.content


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_a_ruling_without_a_seed_replays_from_the_seed_it_returns(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    unseeded = {key: value for key, value in body.items() if key != "seed"}
    first = client.post("/resolve", json={"action": tag, **unseeded}).json()
    assert first["seedFrom"] == "service"
    again = client.post("/resolve", json={"action": tag, **unseeded, "seed": first["seed"]}).json()
    assert again["seedFrom"] == "request"
    said = {"seedFrom", "options", "receipt"}
    assert {key: value for key, value in again.items() if key not in said} == {
        key: value for key, value in first.items() if key not in said
    }


def test_a_tag_that_names_another_action_than_the_path_is_refused(client: TestClient) -> None:
    found = problem(client.post("/resolve/jazz/check", json={**CHECK, "action": "jazz.attack"}), 422, "invalid-request")
    assert found["errors"][0]["pointer"] == "/action"


@pytest.mark.parametrize("tag", [None, "jazz.nothing", 3, ["jazz.check"], {}])
def test_an_action_there_is_none_of_is_refused(client: TestClient, tag: object) -> None:
    found = problem(client.post("/resolve", json={**CHECK, "action": tag}), 422, "invalid-request")
    assert found["errors"][0]["pointer"] == "/action"
    assert "jazz.check" in found["detail"]


@pytest.mark.parametrize("path", ["/resolve/jazz/nothing", "/odds/nobody/check", "/nowhere", "/systems/nobody/rules", "/resolve/jazz"])
def test_a_path_there_is_none_of_is_not_found(client: TestClient, path: str) -> None:
    problem(client.get(path), 404, "not-found")
    problem(client.post(path, json=CHECK) if path != "/systems/nobody/rules" else client.get(path), 404, "not-found")


# ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_as_text_a_ruling_is_its_summary_alone(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", json=CHECK, headers={"accept": "text/plain"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == client.post("/resolve/jazz/check", json=CHECK).json()["summary"]


def test_as_text_odds_are_one_line(client: TestClient) -> None:
    answer = client.post("/odds/jazz/check", json={**CHECK, "difficulty": 10, "actor": {"bonus": 2}}, headers={"accept": "text/plain"})
    assert answer.text == "success 41.7 %, failure 58.3 %"


def test_as_a_picture_odds_are_a_chart(client: TestClient) -> None:
    answer = client.get("/odds/jazz/check?actor.bonus=2&difficulty=10", headers={"accept": "image/svg+xml"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg")
    assert "41.7 %" in answer.text


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check"])
@pytest.mark.parametrize("accept", ["image/svg+xml", "text/html", "application/json;q=0"])
def test_a_ruling_in_a_form_it_does_not_have_is_refused(client: TestClient, path: str, accept: str) -> None:
    body = {"action": "jazz.check", **CHECK}
    problem(client.post(path, json=body, headers={"accept": accept}), 406, "not-acceptable")


def test_by_query_too(client: TestClient) -> None:
    problem(client.get("/resolve/jazz/check?actor.bonus=3&difficulty=10", headers={"accept": "image/png"}), 406, "not-acceptable")


# ── The flat query ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_flat_query_answers_as_the_body_it_means(client: TestClient) -> None:
    by_query = client.get("/resolve/jazz/check?actor.bonus=3&difficulty=10&seed=42")
    assert by_query.content == client.post("/resolve/jazz/check", json={**CHECK, "seed": "42"}).content


def test_lists_come_by_number_and_by_repeated_names(client: TestClient) -> None:
    query = (
        "/resolve/jazz/attack?attackers.0.bonus=3&attackers.1.bonus=2&attackers.1.advantage=true&defender.bonus=%2B1"
        "&dice.0.roll=defender&dice.0.faces=3&dice.0.faces=4&include=factors&include=options&seed=7"
    )
    body = {
        "attackers": [{"bonus": 3}, {"bonus": 2, "advantage": True}],
        "defender": {"bonus": 1},
        "dice": [{"roll": "defender", "faces": [3, 4]}],
        "include": ["factors", "options"],
        "seed": "7",
    }
    answer = client.get(query)
    assert answer.status_code == 200, answer.text
    assert answer.content == client.post("/resolve/jazz/attack", json=body).content


def test_a_whole_character_may_come_by_query(client: TestClient) -> None:
    query = (
        "/odds/jazz/check?actor.character.name=Rook&actor.character.aspects.0.name=driver&actor.character.aspects.0.bonus=4.0"
        "&actor.using=driver&level=demanding"
    )
    body = {
        "actor": {"character": {"name": "Rook", "aspects": [{"name": "driver", "bonus": 4}]}, "using": ["driver"]},
        "level": "demanding",
    }
    answer = client.get(query)
    assert answer.status_code == 200, answer.text
    assert answer.content == client.post("/odds/jazz/check", json=body).content


REFUSED_QUERIES = [
    ("attackers.1.bonus=3&attackers.2.bonus=1&defender.bonus=1", "/attackers"),
    ("attackers.0.bonus=3&attackers.1=2&defender.bonus=1", "/attackers/1"),
    ("attackers.x.bonus=3&defender.bonus=1", "/attackers"),
    ("attackers=3&defender.bonus=1", "/attackers/0"),
    ("attackers.0.bonus=3&defender=4&defender.bonus=1", "/defender"),
    ("attackers.0.bonus=3&defender.bonus=1&defender=4", "/defender"),
    ("attackers.0.bonus=x&defender.bonus=1", "/attackers/0/bonus"),
    ("attackers.0.bonus=3.5&defender.bonus=1", "/attackers/0/bonus"),
    ("attackers.0.bonus=3&attackers.0.bonus=4&defender.bonus=1", "/attackers/0/bonus"),
    ("attackers.0.bonus=9999999999999999999999&defender.bonus=1", "/attackers/0/bonus"),
    ("attackers.0.bonus=3&defender.bonus=1&defender.advantage=yes", "/defender/advantage"),
    ("attackers.0.bonus=3&defender.bonus=1&nobody=1", "/nobody"),
    ("attackers.0.bonus=3&defender.bonus=1&seed=1&seed=2", "/seed"),
    ("attackers.0.bonus=3&defender.bonus=1&seed=", "/seed"),
    ("attackers.0.bonus=3&defender.bonus=1&seed.x=1", "/seed"),
    ("attackers.0.bonus=3&defender.bonus=1&defender.using.0=x&defender.using.0.y=1", "/defender/using/0"),
    ("attackers.0.bonus=3&defender.bonus=1&a.b.c.d.e.f.g.h.i=1", "/a/b/c/d/e/f/g/h"),
    ("attackers.0.bonus=3&defender.bonus=1&defender..bonus=1", "/defender/"),
    ("attackers.0.bonus=3&defender.bonus=1&=1", "/"),
    ("attackers.0.bonus=3", "/defender"),
    ("attackers.0.bonus=3&defender.bonus=1&action=jazz.check", "/action"),
]


@pytest.mark.parametrize(("query", "pointer"), REFUSED_QUERIES)
def test_a_query_that_means_no_body_is_refused_with_its_place(client: TestClient, query: str, pointer: str) -> None:
    found = problem(client.get(f"/resolve/jazz/attack?{query}"), 422, "invalid-request")
    assert pointer in [error["pointer"] for error in found["errors"]]


@pytest.mark.parametrize(
    ("twice", "code"),
    [("defender.bonus", "wrong-type"), ("defender.advantage", "wrong-type"), ("seed", "not-allowed"), ("attackers.0.spend", "not-allowed")],
)
def test_a_value_that_stands_twice_is_told_so(client: TestClient, twice: str, code: str) -> None:
    found = problem(client.get(f"/resolve/jazz/attack?attackers.0.bonus=3&{twice}=1&{twice}=1"), 422, "invalid-request")
    error = next(error for error in found["errors"] if error["pointer"] == "/" + twice.replace(".", "/"))
    assert (error["code"], error["detail"]) == (code, "the query has it more than once; only one value is accepted")


def test_what_is_refused_for_something_else_is_told_that(client: TestClient) -> None:
    found = problem(client.get("/resolve/jazz/attack?attackers.0.bonus=3&defender=1&defender=2&nobody=1&nobody=2"), 422)
    said = {error["pointer"]: error["detail"] for error in found["errors"]}
    assert said["/defender"] == "Input should be an object"
    assert said["/nobody"].startswith("there is no such field")


@pytest.mark.parametrize("query", ["difficulty=%ED%A0%80", "difficulty=%FF", "%C3%28=1", "&".join(["difficulty=1"] * 1001)])
def test_a_query_that_is_not_utf_8_or_too_long_is_refused(client: TestClient, query: str) -> None:
    problem(client.get(f"/resolve/jazz/check?actor.bonus=3&{query}"), 400, "bad-request")


# ── Methods ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", [*PATHS, "/resolve", "/odds", "/systems", "/livez", "/version"])
def test_a_path_says_which_methods_it_answers(client: TestClient, path: str) -> None:
    allowed = {row.method for row in routes.operations(Settings()) if row.path == path}
    allowed |= {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
    for method in ("DELETE", "BREW", "OPTIONS"):
        answer = client.request(method, path)
        assert set(answer.headers["allow"].split(", ")) == allowed
        if method == "OPTIONS":
            assert (answer.status_code, answer.content) == (204, b"")
        else:
            problem(answer, 405, "method-not-allowed")


@pytest.mark.parametrize("path", ["/systems", "/version", "/resolve/jazz/check?actor.bonus=3&difficulty=10&seed=1", "/nowhere"])
def test_head_answers_as_get_without_a_body(client: TestClient, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.status_code == get.status_code
    assert dict(head.headers) | {"x-request-id": ""} == dict(get.headers) | {"x-request-id": ""}
    assert head.content == b""


@pytest.mark.parametrize(
    ("path", "right"),
    [("/resolve/jazz/check", "/resolve/jazz/check"), ("/graphql", "/graphql"), ("/systems/jazz", "/systems/{system}"), ("/docs", "/docs")],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_path_with_a_slash_too_many_is_nowhere_and_says_which_is_right(client: TestClient, path: str, right: str, method: str) -> None:
    answer = client.request(method, f"{path}/?seed=1", headers={"host": "elsewhere.example:81"}, follow_redirects=False)
    assert problem(answer, 404, "not-found")["detail"] == f"no path ends with a slash; this one is {right}"
    assert "location" not in answer.headers


@pytest.mark.parametrize("path", ["/nowhere/", "/nowhere//"])
def test_a_slash_at_the_end_of_nothing_is_not_the_trouble(client: TestClient, path: str) -> None:
    assert "slash" not in problem(client.get(path), 404, "not-found")["detail"]
