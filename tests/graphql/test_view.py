"""GraphQL over HTTP: media types, statuses, request errors and field errors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.support.client import problem

OLD, NEW = "application/json", "application/graphql-response+json"
TYPENAME = {"query": "{ __typename }"}
ANSWER = {"data": {"__typename": "Query"}}


def post(client: TestClient, body: object, accept: str = NEW, media: str = "application/json") -> httpx2.Response:
    return client.post("/graphql", content=json.dumps(body), headers={"accept": accept, "content-type": media})


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, OLD),
        ("*/*", OLD),
        ("application/*", OLD),
        (OLD, OLD),
        (NEW, NEW),
        (f"{NEW}, {OLD}", OLD),
        (f"{NEW}, {OLD};q=0.9", NEW),
        (f"{NEW}; charset=utf-8, {OLD}; charset=utf-8;q=0.1", NEW),
    ],
)
def test_accept_chooses_the_media_type(client: TestClient, accept: str | None, media: str) -> None:
    headers = {"content-type": "application/json"} | ({"accept": accept} if accept else {})
    request = client.build_request("POST", "/graphql", json=TYPENAME, headers=headers)
    if accept is None:
        del request.headers["accept"]
    answer = client.send(request)
    assert answer.headers["content-type"] == f"{media}; charset=utf-8"
    assert (answer.status_code, answer.json()) == (200, ANSWER)


@pytest.mark.parametrize("accept", ["text/plain", "image/png", "text/html", "application/xml"])
def test_unknown_media_type_is_not_acceptable(client: TestClient, accept: str) -> None:
    answer = post(client, TYPENAME, accept)
    assert answer.status_code == 406
    problem(answer, 406, "not-acceptable")


@pytest.mark.parametrize("media", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
def test_json_body_is_accepted(client: TestClient, media: str) -> None:
    assert post(client, TYPENAME, media=media).json() == ANSWER


@pytest.mark.parametrize("media", ["", "text/plain", "application/graphql", "multipart/form-data; boundary=x", "application/jsonp"])
def test_other_bodies_are_refused(client: TestClient, media: str) -> None:
    answer = post(client, TYPENAME, media=media)
    assert answer.status_code == 415
    problem(answer, 415, "unsupported-media-type")


def test_get_sends_the_operation_in_the_query(client: TestClient) -> None:
    assert client.get("/graphql?query={__typename}").json() == ANSWER
    assert client.get("/graphql?query=query A{__typename} query B{b:__typename}&operationName=B").json() == {"data": {"b": "Query"}}
    query, variables = quote("query($n: String!) { system(name: $n) { system } }"), quote('{"n": "jazz"}')
    assert client.get(f"/graphql?query={query}&variables={variables}").json() == {"data": {"system": {"system": "jazz"}}}
    assert client.get("/graphql?query={__typename}&variables=&operationName=&extensions=").json() == ANSWER
    assert client.get("/graphql?query={__typename}&extensions={}").json() == ANSWER


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("query={__typename}&variables={", "/variables"),
        ("query={__typename}&variables=[]", "/variables"),
        ("query={__typename}&extensions=7", "/extensions"),
        ("query={__typename}&operationName=B", "/operationName"),
        ("query=&variables={}", "/query"),
    ],
)
def test_get_without_an_operation_is_refused(client: TestClient, query: str, pointer: str) -> None:
    answer = client.get(f"/graphql?{query}", headers={"accept": NEW})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == f"{NEW}; charset=utf-8"
    assert problem(answer, 400, "bad-request")["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("query", ["query=%FF", "query={__typename}&operationName=%ED%A0%80"])
def test_get_with_invalid_utf_8_is_refused(client: TestClient, query: str) -> None:
    problem(client.get(f"/graphql?{query}", headers={"accept": NEW}), 400, "bad-request")


def test_get_refuses_other_operations_than_queries(client: TestClient) -> None:
    answer = client.get("/graphql?query=mutation{__typename}", headers={"accept": NEW})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "OPTIONS, POST"
    problem(answer, 405, "method-not-allowed")


def test_browser_gets_a_page(client: TestClient) -> None:
    answer = client.get("/graphql", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.startswith("<!doctype html>")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "BREW"])
def test_other_methods(client: TestClient, method: str) -> None:
    answer = client.request(method, "/graphql")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    problem(answer, 405, "method-not-allowed")


def test_head_and_options(client: TestClient) -> None:
    head = client.head("/graphql?query={__typename}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == client.get("/graphql?query={__typename}").headers["content-length"]
    options = client.options("/graphql")
    assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS, POST")


ILL_FORMED = [
    (None, ""),
    ([], ""),
    ([TYPENAME], ""),
    ("{ __typename }", ""),
    (7, ""),
    ({}, "/query"),
    ({"query": None}, "/query"),
    ({"query": ""}, "/query"),
    ({"query": {"a": 1}}, "/query"),
    ({"query": 7}, "/query"),
    ({**TYPENAME, "operationName": 7}, "/operationName"),
    ({**TYPENAME, "operationName": "B"}, "/operationName"),
    ({"query": "query A{__typename} query B{__typename}"}, "/operationName"),
    ({**TYPENAME, "variables": "x"}, "/variables"),
    ({**TYPENAME, "variables": [1]}, "/variables"),
    ({**TYPENAME, "extensions": [1]}, "/extensions"),
]


@pytest.mark.parametrize(("body", "pointer"), ILL_FORMED, ids=str)
@pytest.mark.parametrize("accept", [OLD, NEW])
def test_malformed_operation_is_refused(client: TestClient, accept: str, body: object, pointer: str) -> None:
    answer = post(client, body, accept)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == f"{accept}; charset=utf-8"
    assert problem(answer, 400, "bad-request")["errors"][0]["pointer"] == pointer


def test_optional_parts_may_be_null(client: TestClient) -> None:
    assert post(client, {**TYPENAME, "operationName": None, "variables": None, "extensions": None, "other": 1}).json() == ANSWER


REQUEST_ERRORS: list[tuple[str, dict[str, Any] | None, str, str]] = [
    ("{", None, "GRAPHQL_PARSE_FAILED", ""),
    ("{ nothing }", None, "GRAPHQL_VALIDATION_FAILED", ""),
    ("{ systems }", None, "GRAPHQL_VALIDATION_FAILED", ""),
    ("mutation { anything }", None, "GRAPHQL_VALIDATION_FAILED", ""),
    ("{ system(name: 7) { system } }", None, "GRAPHQL_VALIDATION_FAILED", ""),
    ("query($n: String!) { system(name: $n) { system } }", None, "BAD_USER_INPUT", "/variables/n"),
    ("query($n: String!) { system(name: $n) { system } }", {"n": 7}, "BAD_USER_INPUT", "/variables/n"),
    (
        "query($r: ResolveRequest!) { resolve(request: $r) { outcome } }",
        {"r": {"jazzCheck": {"actor": {"using": [1]}}}},
        "BAD_USER_INPUT",
        "/actor/using/0",
    ),
    (
        "query($r: ResolveRequest!) { resolve(request: $r) { outcome } }",
        {"r": {"jazzCheck": {"actor": {"nobody": 1}}}},
        "BAD_USER_INPUT",
        "/actor/nobody",
    ),
]


@pytest.mark.parametrize(("query", "variables", "code", "pointer"), REQUEST_ERRORS)
def test_request_error_has_no_data(client: TestClient, query: str, variables: dict[str, Any] | None, code: str, pointer: str) -> None:
    new, old = (post(client, {"query": query, "variables": variables}, accept) for accept in (NEW, OLD))
    assert (new.status_code, old.status_code) == (400, 200)
    assert new.headers["content-type"] == f"{NEW}; charset=utf-8"
    assert new.json() == old.json()
    assert set(new.json()) == {"errors"}
    error = new.json()["errors"][0]
    assert set(error) - {"locations"} == {"message", "extensions"}
    assert error["extensions"]["code"] == code
    assert problem(new, 422)["errors"][0]["pointer"] == pointer


RESOLVE = "query($r: ResolveRequest!) { resolve(request: $r) { outcome } }"
FIGHTERS: list[dict[str, Any]] = [{"id": name, "actor": {"pool": {"roll": 5, "keep": 3}}} for name in ("ann", "bea")]
CHECK_OF = "query($r: JazzCheckInput!) { resolve(request: {jazzCheck: $r}) { outcome } }"
BATCH = "query($r: [ResolveRequest!]!) { batch(requests: $r) { seed } }"
BY_FIELD = "here the action is the field's name. Did you mean '{\"jazzCheck\": {…}}'?"


@pytest.mark.parametrize(
    ("query", "variable", "message", "pointer"),
    [
        (RESOLVE, {"action": "jazz.check", "actor": {}}, BY_FIELD, "/variables/r/action"),
        (BATCH, [{"action": "jazz.check"}], BY_FIELD, "/variables/r/0/action"),
        (
            RESOLVE,
            {"jazzChek": {}},
            "there is no field `jazzChek` here. Did you mean 'jazzCheck', 'jazzFate', or 'jazzTurn'?",
            "/variables/r/jazzChek",
        ),
        (CHECK_OF, {"actor": {"bonos": 1}}, "there is no field `bonos` here. Did you mean 'bonus'?", "/variables/r/actor/bonos"),
        (CHECK_OF, {"actor": {"xyzzy": 1}}, "there is no field `xyzzy` here.", "/variables/r/actor/xyzzy"),
        (
            RESOLVE,
            {
                "darkpagesConflict": {
                    "participants": FIGHTERS,
                    "actions": [{"action": "darkpages.check", "actor": {"participant": "ann"}, "targetNumber": 9}],
                }
            },
            BY_FIELD.replace("jazz", "darkpages"),
            "/variables/r/darkpagesConflict/actions/0/action",
        ),
    ],
)
def test_unknown_field_of_a_variable_gets_a_suggestion(client: TestClient, query: str, variable: Any, message: str, pointer: str) -> None:
    error = post(client, {"query": query, "variables": {"r": variable}}).json()["errors"][0]
    assert (error["message"], error["extensions"]["code"]) == (message, "BAD_USER_INPUT")
    (found,) = error["extensions"]["problem"]["errors"]
    assert (found["pointer"], found["code"], found["detail"]) == (pointer, "invalid-query", message)


def test_unknown_field_of_a_literal_gets_a_suggestion(client: TestClient) -> None:
    def messages(request: str) -> list[str]:
        query = f"{{ resolve(request: {request}) {{ outcome }} }}"
        return [error["message"] for error in post(client, {"query": query}).json()["errors"]]

    by_field = "here the action is the field's name. Did you mean '{jazzCheck: {…}}'?"
    assert messages('{action: "jazz.check", difficulty: 10}')[:2] == [by_field, by_field]
    assert messages("{jazzChek: {}}")[0].endswith("Did you mean 'jazzCheck', 'jazzFate', or 'jazzTurn'?")
    assert messages("{jazzCheck: {actor: {bonos: 1}, difficulty: 8}}")[0].endswith("Did you mean 'bonus'?")


REFUSED: list[dict[str, Any]] = [
    {"actor": {"using": [1]}},
    {"actor": {"bonos": 1}, "difficulty": 8},
    {"actor": {"xyzzy": 1}, "difficulty": "8"},
    {"actor": {"spend": "waldo"}, "difficulty": 8},
    {"actor": {"bonus": 1.5}},
    {"actor": {"bonus": 1}, "level": "esay", "language": "de"},
    {"difficulty": 8},
]


@pytest.mark.parametrize("body", REFUSED, ids=str)
@pytest.mark.parametrize("accept_language", ["en", "de"])
def test_variable_that_does_not_fit_is_refused_as_by_rest(client: TestClient, body: dict[str, Any], accept_language: str) -> None:
    headers = {"accept-language": accept_language}
    by_rest = client.post("/resolve/jazz/check", json=body, headers=headers).json()
    found = client.post("/graphql", json={"query": RESOLVE, "variables": {"r": {"jazzCheck": body}}}, headers=headers).json()
    ((error,),) = found.values()  # several places do not fit, and all of them are in one problem
    problem_of_rest = {**by_rest, "type": error["extensions"]["problem"]["type"]}
    assert (error["message"], error["extensions"]) == (by_rest["detail"], {"code": "BAD_USER_INPUT", "problem": problem_of_rest})
    assert by_rest["type"].rpartition("/")[2] == problem_of_rest["type"].rpartition("/")[2] == "invalid-request"


def test_request_of_a_batch_that_does_not_fit_is_named(client: TestClient) -> None:
    requests = [{"jazzCheck": {"actor": {"bonus": 1}, "difficulty": 8}}, {"jazzCheck": {"actor": {"bonus": "x"}, "difficulty": 8}}]
    (error,) = post(client, {"query": BATCH, "variables": {"r": requests}}).json()["errors"]
    assert [one["pointer"] for one in error["extensions"]["problem"]["errors"]] == ["/requests/1/actor/bonus"]


def test_value_that_only_graphql_refuses_is_named_by_its_place(client: TestClient) -> None:
    body = {"actor": {"bonus": 1}, "difficulty": 8, "seed": 1, "dice": {"roll": "actor", "faces": [1, 2]}, "include": "odds"}
    error = post(client, {"query": RESOLVE, "variables": {"r": {"jazzCheck": {**body, "include": "ods"}}}}).json()["errors"][0]
    assert error["extensions"]["problem"]["errors"][0]["pointer"] == "/dice"
    assert post(client, {"query": RESOLVE, "variables": {"r": {"jazzCheck": body}}}).json()["data"]  # one item is a list of one


def test_websocket_handshake_is_refused_in_words(client: TestClient) -> None:
    # `Connection` and `Upgrade` do not reach the application: see `tablecall.runtime.http_parsing`
    answer = client.get("/graphql", headers={"sec-websocket-version": "13", "sec-websocket-key": "dGVzdA=="})
    assert problem(answer, 400, "bad-request")["detail"] == "there are no WebSockets here: subscriptions are server-sent events"


@pytest.mark.parametrize(
    "name", ["waldo'. Did you mean waldo?", "waldo'. Did you mean 'waldo'?", "waldo' not to include unknown field 'waldo"]
)
def test_name_cannot_imitate_a_suggestion(client: TestClient, name: str) -> None:
    for query, request in ((RESOLVE, {name: 1}), (CHECK_OF, {name: 1, "actor": {}}), (CHECK_OF, {"actor": {"spend": name}})):
        text = post(client, {"query": query, "variables": {"r": request}}).text
        assert not [error["message"] for error in json.loads(text)["errors"] if "waldo" in error["message"].replace("`waldo`", "", 1)]


def test_field_error_keeps_the_data(client: TestClient) -> None:
    query = 'query($n: String = "jazz") { system(name: $n) { system } __typename }'
    answer = post(client, {"query": query, "variables": {"n": None}})
    assert answer.status_code == 200
    assert answer.json()["data"] == {"system": None, "__typename": "Query"}
    (error,) = answer.json()["errors"]
    assert error["path"] == ["system"]
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize("query", ["{" + "a " * 15_000 + "}", "{" + "systems {" * 500 + "a" + "}" * 501])
def test_too_many_tokens_and_too_deep_are_reported(client: TestClient, query: str) -> None:
    error = post(client, {"query": query}).json()["errors"][0]
    assert error["message"] == "the query is too long or nested too deeply"
    assert error["extensions"]["code"] == "GRAPHQL_PARSE_FAILED"


def test_message_repeats_short_names(client: TestClient) -> None:
    long = "w" * 61
    error = post(client, {"query": f"query($quux: Waldo) {{ systm {{ fred }} {long} }}"}).json()["errors"]
    text = json.dumps([one["message"] for one in error], ensure_ascii=False)
    assert "Cannot query field 'systm' on type 'Query'. Did you mean 'system' or 'systems'" in text
    assert "'Waldo'" in text
    assert "Cannot query field '…'" in text
    assert long not in text


def test_persisted_query_is_told_not_to_be_supported(client: TestClient) -> None:
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}
    for answer in (
        client.post("/graphql", json={"extensions": extensions, "variables": {}}),
        client.get("/graphql", params={"extensions": json.dumps(extensions)}, headers={"accept": "application/json"}),
    ):
        assert answer.status_code == 200
        assert answer.json() == {
            "errors": [{"message": "PersistedQueryNotSupported", "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"}}]
        }


def test_empty_operation_name_is_left_out(client: TestClient) -> None:
    answer = client.post("/graphql", json={"query": "query A { systems { system } }", "operationName": ""})
    assert answer.json()["data"]["systems"][0] == {"system": "jazz"}
