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
CHECK_QUERY = "/jazz/check?actor.bonus=3&difficulty=10"
PATHS = [f"/{verb}/{one.path}" for verb in ("resolve", "odds") for one in PUBLISHED.values()]


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
@pytest.mark.parametrize("verb", ["resolve", "odds"])
def test_tag_and_path_give_the_same_answer_again(client: TestClient, verb: str, tag: str, name: str, body: dict[str, Any]) -> None:
    by_tag = client.post(f"/{verb}", json={"action": tag, **body})
    assert by_tag.status_code == 200, by_tag.text
    assert by_tag.headers["content-type"] == "application/json; charset=utf-8"
    assert by_tag.json()["action"] == tag
    for document in (body, {"action": tag, **body}):
        assert client.post(f"/{verb}/{PUBLISHED[tag].path}", json=document).content == by_tag.content


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_ruling_replays_from_the_seed_that_the_service_drew(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    unseeded = {key: value for key, value in body.items() if key != "seed"}
    first = client.post("/resolve", json={"action": tag, **unseeded}).json()
    again = client.post("/resolve", json={"action": tag, **unseeded, "seed": first["seed"]}).json()
    at_table = bool(first["rolls"]) and all(roll["from"] == "table" for roll in first["rolls"])
    assert (first["seedFrom"], again["seedFrom"]) == (("table", "table") if at_table else ("service", "request"))
    same = first.keys() - {"seedFrom", "options", "receipt"}
    for ruling in (first, again):
        (ruling.get("turn") or {}).pop("options", None)
    assert {key: again[key] for key in same} == {key: first[key] for key in same}


def test_tag_of_another_action_than_the_path_is_refused(client: TestClient) -> None:
    found = problem(client.post("/resolve/jazz/check", json={**CHECK, "action": "jazz.attack"}), 422, "invalid-request")
    assert found["errors"][0]["pointer"] == "/action"


@pytest.mark.parametrize(
    ("tag", "code", "detail"),
    [
        (None, "missing-field", "`action` is missing"),
        ("jazz.chek", "unknown-action", "did you mean “jazz.check”?"),
        ("jazz.nothing", "unknown-action", "there is no action “jazz.nothing”"),
        (3, "unknown-action", "there is no such action"),
        (["jazz.check"], "unknown-action", "there is no such action"),
        ({}, "unknown-action", "there is no such action"),
    ],
)
def test_unknown_action_is_refused(client: TestClient, tag: object, code: str, detail: str) -> None:
    found = problem(client.post("/resolve", json={**CHECK, "action": tag}), 422, "invalid-request")
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [("/action", code)]
    assert detail in found["detail"]


# ── Media types ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_ruling_as_text_is_its_summary(client: TestClient) -> None:
    answer = client.post("/resolve/jazz/check", json=CHECK, headers={"accept": "text/plain"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == client.post("/resolve/jazz/check", json=CHECK).json()["summary"]


@pytest.mark.parametrize(
    ("media", "content_type", "text"),
    [("text/plain", "text/plain; charset=utf-8", "success 58.3 %, failure 41.7 %"), ("image/svg+xml", "image/svg+xml", "41.7 %")],
)
def test_odds_as_text_or_chart(client: TestClient, media: str, content_type: str, text: str) -> None:
    answer = client.get(f"/odds{CHECK_QUERY}", headers={"accept": media})
    assert answer.headers["content-type"] == content_type
    assert text in answer.text
    assert answer.text.startswith("<svg") is (media == "image/svg+xml")


@pytest.mark.parametrize("path", ["/resolve", "/resolve/jazz/check"])
@pytest.mark.parametrize("accept", ["image/svg+xml", "text/html", "application/json;q=0"])
def test_ruling_in_another_media_type_is_refused(client: TestClient, path: str, accept: str) -> None:
    headers = {"accept": accept}
    problem(client.post(path, json={"action": "jazz.check", **CHECK}, headers=headers), 406, "not-acceptable")
    problem(client.get(f"/resolve{CHECK_QUERY}", headers=headers), 406, "not-acceptable")


# ── The flat query ───────────────────────────────────────────────────────────────────────────────────────────────────

DRIVER = {"name": "Rook", "aspects": [{"name": "driver", "bonus": 4}]}
QUERIES: dict[str, tuple[str, dict[str, Any]]] = {
    f"/resolve{CHECK_QUERY}&seed=42": ("/resolve/jazz/check", {**CHECK, "seed": "42"}),
    "/resolve/jazz/attack?attackers.0.bonus=3&attackers.1.bonus=2&attackers.1.advantage=true&defender.bonus=%2B1"
    "&dice.0.roll=defender&dice.0.faces=3&dice.0.faces=4&include=factors&include=options&seed=7": (
        "/resolve/jazz/attack",
        {
            "attackers": [{"bonus": 3}, {"bonus": 2, "advantage": True}],
            "defender": {"bonus": 1},
            "dice": [{"roll": "defender", "faces": [3, 4]}],
            "include": ["factors", "options"],
            "seed": "7",
        },
    ),
    "/odds/jazz/check?actor.character.name=Rook&actor.character.aspects.0.name=driver&actor.character.aspects.0.bonus=4.0"
    "&actor.using=driver&level=demanding": (
        "/odds/jazz/check",
        {"actor": {"character": DRIVER, "using": ["driver"]}, "level": "demanding"},
    ),
}


@pytest.mark.parametrize("query", QUERIES)
def test_query_equals_its_body(client: TestClient, query: str) -> None:
    path, body = QUERIES[query]
    answer = client.get(query)
    assert answer.status_code == 200, answer.text
    assert answer.content == client.post(path, json=body).content


ONE, BOTH = "attackers.0.bonus=3", "attackers.0.bonus=3&defender.bonus=1"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("attackers.1.bonus=3&attackers.2.bonus=1&defender.bonus=1", "/attackers"),
        (f"{ONE}&attackers.1=2&defender.bonus=1", "/attackers/1"),
        ("attackers.x.bonus=3&defender.bonus=1", "/attackers"),
        ("attackers=3&defender.bonus=1", "/attackers/0"),
        (f"{ONE}&defender=4&defender.bonus=1", "/defender"),
        (f"{BOTH}&defender=4", "/defender"),
        ("attackers.0.bonus=x&defender.bonus=1", "/attackers/0/bonus"),
        ("attackers.0.bonus=3.5&defender.bonus=1", "/attackers/0/bonus"),
        (f"{BOTH}&attackers.0.bonus=4", "/attackers/0/bonus"),
        ("attackers.0.bonus=9999999999999999999999&defender.bonus=1", "/attackers/0/bonus"),
        (f"{BOTH}&defender.advantage=yes", "/defender/advantage"),
        (f"{BOTH}&nobody=1", "/nobody"),
        (f"{BOTH}&seed=1&seed=2", "/seed"),
        (f"{BOTH}&seed.x=1", "/seed"),
        (f"{BOTH}&defender.using.0=x&defender.using.0.y=1", "/defender/using/0"),
        (f"{BOTH}&a.b.c.d.e.f.g.h.i=1", "/a/b/c/d/e/f/g/h"),
        (f"{BOTH}&defender..bonus=1", "/defender/"),
        (f"{BOTH}&=1", "/"),
        (ONE, ""),
        (f"{BOTH}&action=jazz.check", "/action"),
    ],
)
def test_invalid_query_is_refused_with_a_pointer(client: TestClient, query: str, pointer: str) -> None:
    found = problem(client.get(f"/resolve/jazz/attack?{query}"), 422, "invalid-request")
    assert pointer in [error["pointer"] for error in found["errors"]]


@pytest.mark.parametrize(
    ("name", "code", "repeated"),
    [
        ("defender.bonus", "wrong-type", True),
        ("defender.advantage", "wrong-type", True),
        ("seed", "wrong-type", True),
        ("attackers.0.spend", "wrong-type", True),
        ("defender", "wrong-type", False),
        ("nobody", "unknown-field", False),
    ],
)
def test_repeated_value_is_reported_unless_something_else_is_wrong(client: TestClient, name: str, code: str, repeated: bool) -> None:
    found = problem(client.get(f"/resolve/jazz/attack?{ONE}&{name}=1&{name}=1"), 422, "invalid-request")
    error = next(error for error in found["errors"] if error["pointer"] == "/" + name.replace(".", "/"))
    assert (error["code"], "more than once" in error["detail"]) == (code, repeated)


@pytest.mark.parametrize("query", ["difficulty=%ED%A0%80", "difficulty=%FF", "%C3%28=1", "&".join(["difficulty=1"] * 1001)])
def test_query_that_is_not_utf_8_or_too_long_is_refused(client: TestClient, query: str) -> None:
    problem(client.get(f"/resolve/jazz/check?actor.bonus=3&{query}"), 400, "bad-request")


# ── Methods and paths ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", [*PATHS, "/resolve", "/odds", "/systems", "/livez", "/version"])
def test_allow_lists_the_methods_of_a_path(client: TestClient, path: str) -> None:
    allowed = {row.method for row in routes.operations(Settings()) if row.path == path}
    allowed |= {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
    for method in ("DELETE", "BREW", "OPTIONS"):
        answer = client.request(method, path)
        assert set(answer.headers["allow"].split(", ")) == allowed
        if method == "OPTIONS":
            assert (answer.status_code, answer.content) == (204, b"")
        else:
            problem(answer, 405, "method-not-allowed")


@pytest.mark.parametrize("path", ["/systems", "/version", f"/resolve{CHECK_QUERY}&seed=1", "/nowhere"])
def test_head_equals_get_without_a_body(client: TestClient, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.status_code == get.status_code
    assert dict(head.headers) | {"x-request-id": ""} == dict(get.headers) | {"x-request-id": ""}
    assert head.content == b""


FIRST = next(iter(PUBLISHED.values())).action.name


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/resolve/jazz/chek", "did you mean “check”?"),
        ("/odds/darkpages/no_mercy", "did you mean “noMercy”?"),
        ("/resolve/jaz/check", "did you mean “jazz”?"),
        ("/resolve/jazz/check/again", FIRST),
        ("/resolve/jazz/xyzzy", FIRST),
        ("/odds/jazz", FIRST),
        ("/resolve/xyzzy/check", "“jazz” and “darkpages”"),
        ("/odds/xyzzy", "“jazz” and “darkpages”"),
        ("/nowhere/jazz/chek", ""),
        ("/nowhere//", ""),
        ("/graphql/", " /graphql"),
        ("/systems/jazz/", " /systems/{system}"),
        ("/resolve/jazz/check/?seed=1", " /resolve/jazz/check"),
    ],
)
def test_unknown_path_is_not_found_with_a_hint_and_no_redirect(client: TestClient, path: str, hint: str, method: str) -> None:
    answer = client.request(method, path, headers={"host": "elsewhere.example:81"}, follow_redirects=False)
    detail = problem(answer, 404, "not-found")["detail"]
    assert hint in detail
    assert ("slash" in detail) is hint.startswith(" ")
    assert "location" not in answer.headers
