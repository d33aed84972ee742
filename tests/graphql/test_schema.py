"""The GraphQL schema: the same requests and responses as REST, and the two caches."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLInterfaceType, GraphQLObjectType, Undefined, get_named_type
from graphql.language.parser import Parser
from graphql.validation import validate
from starlette.testclient import TestClient

from tablecall.contract.action_models import PUBLISHED
from tablecall.graphql.schema import SCHEMA
from tablecall.systems import SYSTEMS
from tests.support.client import EXAMPLES, agree, ask, ids, member, problem, request_of, whole_odds, whole_ruling

TYPES = SCHEMA._schema.type_map
CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
RESOLVE = "query($request: ResolveRequest!) { resolve(request: $request) { outcome seed } }"


def check(client: TestClient, query: str = RESOLVE, **changes: Any) -> dict[str, Any]:
    return ask(client, query, {"request": {"jazzCheck": CHECK | changes}})


# ── The same answers ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_ruling_equals_rest(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    by_rest = client.post("/resolve", json={"action": tag, **body, "include": ["factors", "options", "odds"]}).json()
    by_graphql = ask(client, whole_ruling(tag), {"request": request_of(tag, body)})
    assert "errors" not in by_graphql
    assert not list(agree(by_rest, by_graphql["data"]["resolve"]))


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_odds_equal_rest(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    by_rest = client.post("/odds", json={"action": tag, **body}).json()
    by_graphql = ask(client, whole_odds(), {"request": request_of(tag, body)})
    assert "errors" not in by_graphql
    assert not list(agree(by_rest, by_graphql["data"]["odds"]))


REFUSED: list[dict[str, Any]] = [
    {"dice": [{"roll": "actor", "faces": [7, 1]}]},
    {"dice": [{"roll": "actor", "faces": [1]}]},
    {"dice": [{"roll": "nobody", "faces": [1, 1]}]},
    {"rng": "tablecall-0"},
    {"seed": "x" * 257},
    {"seed": 2**53},
    {"seed": 1.5},
    {"seed": True},
    {"seed": ["x"]},
    {"actor": {"bonus": 100}},
    {"actor": {"using": ["driving"]}},
    {"difficulty": None},
    {"level": "easy", "actor": {"bonus": 1, "using": ["x"]}},
]


@pytest.mark.parametrize("change", REFUSED, ids=str)
def test_refusal_equals_rest(client: TestClient, change: dict[str, Any]) -> None:
    by_rest = client.post("/resolve", json={"action": "jazz.check", **CHECK, **change})
    (error,) = check(client, **change)["errors"]
    assert error["path"] == ["resolve"]
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "problem": problem(by_rest, 422)}
    assert error["message"] == by_rest.json()["detail"]


def test_refusal_of_odds_equals_rest(client: TestClient) -> None:
    change = {"dice": [{"roll": "nobody", "faces": [1, 1]}]}
    found = ask(
        client, "query($request: ResolveRequest!) { odds(request: $request) { method } }", {"request": {"jazzCheck": CHECK | change}}
    )
    assert found["errors"][0]["extensions"]["problem"] == problem(
        client.post("/odds", json={"action": "jazz.check", **CHECK, **change}), 422
    )


# ── Selections ───────────────────────────────────────────────────────────────────────────────────────────────────────

SELECTIONS = [
    "factors { name } options { choice } } }",
    "... { factors { name } options { choice } } } }",
    "... on Ruling { factors { name } options { choice } } } }",
    "... on JazzCheckRuling { factors { name } ... on Ruling { options { choice } } } } }",
    "...Both } } fragment Both on Ruling { factors { name } options { choice } }",
    "...Outer ...Outer } } fragment Outer on Ruling { ...Inner options { choice } } fragment Inner on JazzCheckRuling { factors { name } }",
    "why: factors { name } then: options { choice } } }",
    "...@include(if: true) { factors { name } } options { choice } } }",
]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_selecting_extras_asks_for_them(client: TestClient, selection: str) -> None:
    query = f"query($request: ResolveRequest!) {{ resolve(request: $request) {{ outcome {selection}"
    ruling = check(client, query, seed="the alley")["data"]["resolve"]
    assert ruling.get("factors", ruling.get("why"))
    assert ruling.get("options", ruling.get("then")) is not None


def test_extras_that_are_not_selected_are_not_computed(client: TestClient) -> None:
    plain = check(client, "query($request: ResolveRequest!) { resolve(request: $request) { __typename outcome } }")
    assert plain == {"data": {"resolve": {"__typename": "JazzCheckRuling", "outcome": plain["data"]["resolve"]["outcome"]}}}


def test_several_fields_with_aliases(client: TestClient) -> None:
    found = ask(
        client,
        "query($a: ResolveRequest!, $b: ResolveRequest!) { one: resolve(request: $a) { system } two: resolve(request: $b) { system } "
        "chance: odds(request: $a) { outcomes { percent } } }",
        {"a": {"jazzCheck": CHECK}, "b": {"darkpagesCheck": {"actor": {"pool": {"roll": 4, "keep": 3}}, "targetNumber": 15}}},
    )
    assert found["data"]["one"] == {"system": "jazz"}
    assert found["data"]["two"] == {"system": "darkpages"}
    assert len(found["data"]["chance"]["outcomes"]) == 2


def test_refused_field_does_not_affect_the_others(client: TestClient) -> None:
    found = ask(client, "query($a: ResolveRequest!) { system(name: \"jazz\") { system } resolve(request: $a) { system } }",
                {"a": {"jazzCheck": CHECK | {"seed": ""}}})  # fmt: skip
    assert [error["path"] for error in found["errors"]] == [["resolve"]]
    assert found["data"] is None


# ── Seeds ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("literal", "seed"),
    [
        ("42", "42"),
        ('"42"', "42"),
        ("-7", "-7"),
        ("42.0", "42"),
        ("9007199254740991", "9007199254740991"),
        ('"the alley"', "the alley"),
        ('"""the alley"""', "the alley"),
    ],
)
def test_seed_literal_is_text_or_an_integer(client: TestClient, literal: str, seed: str) -> None:
    found = ask(
        client, f"{{ resolve(request: {{jazzCheck: {{actor: {{bonus: 3}}, difficulty: 10, seed: {literal}}}}}) {{ seed seedFrom }} }}"
    )
    assert found == {"data": {"resolve": {"seed": seed, "seedFrom": "request"}}}


@pytest.mark.parametrize("seed", [42, "42", -7, 42.0, 2**53 - 1, "the alley"])
def test_seed_variable_is_text_or_an_integer(client: TestClient, seed: object) -> None:
    expected = str(int(seed) if isinstance(seed, float) else seed)
    assert check(client, seed=seed)["data"]["resolve"]["seed"] == expected
    alone = "query($seed: Seed = 9) { resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10, seed: $seed}}) { seed } }"
    assert ask(client, alone, {"seed": seed})["data"]["resolve"]["seed"] == expected
    assert ask(client, alone)["data"]["resolve"]["seed"] == "9"


@pytest.mark.parametrize("literal", ["true", "word", "1.5", "9007199254740992", "9" * 5000, '""', "[1]", "{a: 1}", '"' + "x" * 257 + '"'])
def test_other_seed_literals_are_refused(client: TestClient, literal: str) -> None:
    found = ask(client, f"{{ resolve(request: {{jazzCheck: {{actor: {{bonus: 3}}, difficulty: 10, seed: {literal}}}}}) {{ seed }} }}")
    (error,) = found["errors"]
    assert error["extensions"]["problem"]["errors"][0]["pointer"] == "/seed"


def test_null_seed_is_no_seed(client: TestClient) -> None:
    found = ask(client, "{ resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10, seed: null}}) { seedFrom } }")
    assert found == {"data": {"resolve": {"seedFrom": "service"}}}


# ── The schema ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_request_is_a_oneof_input(client: TestClient) -> None:
    request = TYPES["ResolveRequest"]
    assert isinstance(request, GraphQLInputObjectType)
    assert list(request.fields) == sorted(member(tag) for tag in PUBLISHED)
    described = client.post("/graphql", json={"query": '{ __type(name: "ResolveRequest") { isOneOf } }'}).json()
    assert described == {"data": {"__type": {"isOneOf": True}}}


@pytest.mark.parametrize("request_", [{}, {"jazzCheck": None}, {"jazzCheck": CHECK, "jazzAttack": {"attackers": [], "defender": {}}}])
def test_request_without_exactly_one_action_is_refused(client: TestClient, request_: dict[str, Any]) -> None:
    found = ask(client, RESOLVE, {"request": request_})
    assert "data" not in found
    assert "ResolveRequest" in found["errors"][0]["message"] or "jazzCheck" in found["errors"][0]["message"]


def test_ruling_is_an_interface_with_a_type_for_each_action() -> None:
    ruling = TYPES["Ruling"]
    assert isinstance(ruling, GraphQLInterfaceType)
    assert {kind.name for kind in SCHEMA._schema.get_possible_types(ruling)} == {f"{one.name}Ruling" for one in PUBLISHED.values()}
    for one in PUBLISHED.values():
        kind = TYPES[f"{one.name}Ruling"]
        assert isinstance(kind, GraphQLObjectType)
        assert set(kind.fields) == {field.alias or name for name, field in one.ruling.model_fields.items()} | {"afterJson"}


def test_literals_become_enums() -> None:
    spend = TYPES["JazzActorSpend"]
    assert isinstance(spend, GraphQLEnumType)
    assert set(spend.values) == {"karma", "heldAdvantage"}
    # An interface's field is of one type for all: an outcome, whose words differ by action, is text here.
    factor = TYPES["Factor"]
    assert isinstance(factor, GraphQLObjectType)
    verdicts = get_named_type(factor.fields["verdict"].type)
    assert isinstance(verdicts, GraphQLEnumType)
    assert set(verdicts.values) == {"necessary", "helpful", "irrelevant", "uncertain"}


def test_enum_literal_in_the_query(client: TestClient) -> None:
    body = {"actor": {"bonus": 3}, "level": "demanding", "include": ["factors"], "seed": 1}
    by_rest = client.post("/resolve/jazz/check", json=body).json()
    written = "{jazzCheck: {actor: {bonus: 3}, level: demanding, include: [factors], seed: 1}}"
    found = ask(client, f"{{ resolve(request: {written}) {{ target factors {{ verdict }} }} }}")["data"]["resolve"]
    assert found == {"target": by_rest["target"], "factors": [{"verdict": factor["verdict"]} for factor in by_rest["factors"]]}


def test_the_systems_as_data(client: TestClient) -> None:
    query = """query($rule: ID!) {
      systems { system actions { action outcomes } }
      system(name: "jazz") { title }
      none: system(name: "x") { title }
      rule(id: $rule) { id heading options { field values } }
      nothing: rule(id: "x") { id }
    }"""
    found = ask(client, query, {"rule": SYSTEMS["jazz"].rules[0].id})["data"]
    listed = client.get("/systems").json()["systems"]
    assert [system["system"] for system in found["systems"]] == [system["system"] for system in listed]
    assert [action["action"] for system in found["systems"] for action in system["actions"]] == list(PUBLISHED)
    assert found["system"] == {"title": SYSTEMS["jazz"].title}
    assert found["rule"]["id"] == SYSTEMS["jazz"].rules[0].id
    assert (found["none"], found["nothing"]) == (None, None)


# ── The caches ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_repeated_query_is_not_parsed_or_validated_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"parse": 0, "validate": 0}

    def counting(name: str, function: Any) -> Any:
        def counted_call(*arguments: Any, **options: Any) -> Any:
            counted[name] += 1
            return function(*arguments, **options)

        return counted_call

    monkeypatch.setattr(Parser, "parse_document", counting("parse", Parser.parse_document))
    monkeypatch.setattr("tablecall.graphql.extensions.validate", counting("validate", validate))
    query = "query($request: ResolveRequest!) { resolve(request: $request) { outcome total margin target } }"
    first = check(client, query, seed=1)
    assert counted == {"parse": 1, "validate": 1}
    again = [check(client, query, seed=seed) for seed in (1, 2, 3)]
    # The second time it is read once more, for its plan.
    assert counted == {"parse": 2, "validate": 1}
    assert again[0] == first
    check(client, query.replace("margin ", ""), seed=1)
    assert counted == {"parse": 3, "validate": 2}


# ── What clients rely on ─────────────────────────────────────────────────────────────────────────────────────────────


def test_mutation_resolves_like_the_query(client: TestClient) -> None:
    query = "mutation($request: ResolveRequest!) { resolve(request: $request) { outcome seed } }"
    for _ in range(3):  # from the second on by a plan
        assert check(client, query)["data"] == check(client)["data"]
    batched = "mutation($r: [ResolveRequest!]!) { batch(requests: $r, seed: 1) { results { ruling { seed } } } }"
    found = ask(client, batched, {"r": [{"jazzCheck": {"actor": {"bonus": 3}, "difficulty": 10}}]})
    assert found["data"]["batch"]["results"] == [{"ruling": {"seed": "1/0"}}]


def test_no_type_but_rules_has_an_id() -> None:
    with_id = {name for name, kind in TYPES.items() if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and "id" in kind.fields}
    assert with_id == {"NumberedRule"}


def test_fields_of_one_name_have_one_type_in_every_ruling() -> None:
    types: dict[str, set[str]] = {}
    for one in PUBLISHED.values():
        kind = TYPES[f"{one.name}Ruling"]
        assert isinstance(kind, GraphQLObjectType)
        for name, field in kind.fields.items():
            types.setdefault(name, set()).add(str(field.type))
    assert {name for name, found in types.items() if len(found) > 1} == {"after"}
    assert types["outcome"] == {"String!"}
    assert types["afterJson"] == {"JSON!"}


def test_inputs_have_no_defaults() -> None:
    for kind in TYPES.values():
        if isinstance(kind, GraphQLInputObjectType):
            for field in kind.fields.values():
                assert field.default_value is Undefined
    advantage = TYPES["JazzActorInput"]
    assert isinstance(advantage, GraphQLInputObjectType)
    assert (advantage.fields["advantage"].description or "").endswith("Default: `false`.")


def test_ids_come_back_as_they_were_sent(client: TestClient) -> None:
    sheet = {"name": "Guard", "aspects": [{"name": "guard", "bonus": 2}], "data": {"token": [1]}}
    query = """query($request: ResolveRequest!) { resolve(request: $request) {
      afterJson ... on JazzCheckRuling { after { actor { character { ref data survivalAspect } } } } } }"""
    for sent in (7, "7"):
        actor = {"character": {**sheet, "id": sent}, "using": ["guard"]}
        found = check(client, query, actor=actor)["data"]["resolve"]
        assert found["after"]["actor"]["character"] == {"ref": sent, "data": {"token": [1]}, "survivalAspect": None}
        assert found["afterJson"] == {"actor": actor}


def test_null_means_left_out(client: TestClient) -> None:
    actor = {"bonus": 3, "universal": None, "gear": None}
    assert check(client, actor=actor, ties=None, dice=None)["data"] == check(client)["data"]


def test_language_by_argument_request_and_header(client: TestClient) -> None:
    argument = "query($request: ResolveRequest!) { resolve(request: $request, language: de) { outcomeText } }"
    plain = "query($request: ResolveRequest!) { resolve(request: $request) { outcomeText } }"
    german = {"outcomeText": "Fehlschlag"}
    assert check(client, argument)["data"]["resolve"] == german
    assert check(client, plain, language="de")["data"]["resolve"] == german
    [error] = check(client, argument, difficulty=None)["errors"]
    assert error["message"] == "eins von `difficulty`, `level`, `effect` und `opponent` fehlt"
    assert error["extensions"]["problem"]["detail"] == error["message"]
    [error] = check(client, plain, difficulty=None, language="de")["errors"]
    assert error["message"] == "eins von `difficulty`, `level`, `effect` und `opponent` fehlt"
    # what the request itself names comes first, and one field does not speak for the others
    two = """query($request: ResolveRequest!) {
      a: resolve(request: $request, language: de) { outcomeText } b: resolve(request: $request) { outcomeText } }"""
    assert check(client, two)["data"] == {"a": german, "b": {"outcomeText": "failure"}}
    assert check(client, two, language="en")["data"]["a"] == {"outcomeText": "failure"}


LANGUAGES = """query($request: ResolveRequest!, $ruling: JSON!) {
  odds(request: $request, language: de) { outcomes { outcomeText } }
  verify(request: $request, ruling: $ruling, language: de) { verdict }
  rolls(request: $request, language: de) { complete }
  batch(requests: [$request], language: de) { results { ruling { outcomeText } problem { detail } } }
}"""


def test_language_is_an_argument_of_every_question(client: TestClient) -> None:
    ruling = client.post("/resolve/jazz/check", json=CHECK).json()
    found = ask(client, LANGUAGES, {"request": {"jazzCheck": CHECK}, "ruling": ruling})["data"]
    assert [row["outcomeText"] for row in found["odds"]["outcomes"]] == ["Erfolg", "Fehlschlag"]
    assert found["verify"] == {"verdict": "match"}
    assert found["batch"]["results"] == [{"ruling": {"outcomeText": "Fehlschlag"}, "problem": None}]
    refused = ask(client, LANGUAGES, {"request": {"jazzCheck": CHECK | {"difficulty": None}}, "ruling": {}})
    assert {error["message"] for error in refused["errors"]} == {"eins von `difficulty`, `level`, `effect` und `opponent` fehlt"}
    batched = "query($r: [ResolveRequest!]!) { batch(requests: $r, language: de) { results { problem { detail } } } }"
    items = [{"jazzCheck": {"actor": {"bonus": 1}}}, {"jazzCheck": {"actor": {"bonus": 1}, "language": "en"}}]
    results = ask(client, batched, {"r": items})["data"]["batch"]["results"]
    details = [one["problem"]["detail"] for one in results]
    assert details == [
        "eins von `difficulty`, `level`, `effect` und `opponent` fehlt",
        "one of `difficulty`, `level`, `effect` and `opponent` is needed",
    ]


# ── Actions that a request declares within itself ─────────────────────────────────────────────────────────────────────

ATTACK = {"attacker": {"participant": 1}, "defender": {"participant": "b"}, "trauma": "injury"}
CONFLICT: dict[str, Any] = {
    "participants": [
        {"id": 1, "actor": {"pool": {"roll": 5, "keep": 3}}},
        {"id": "b", "actor": {"pool": {"roll": 4, "keep": 3}, "npc": True}},
    ],
    "seed": "a conflict",
}
RESULTS = """query($request: ResolveRequest!) { resolve(request: $request) { outcome
  ... on DarkpagesConflictRuling { results { action outcome options { request } } after { participants { ref } done } }
  options { request } } }"""


def test_declared_action_stands_under_its_name(client: TestClient) -> None:
    declared = TYPES["DarkpagesConflictDeclaredInput"]
    assert isinstance(declared, GraphQLInputObjectType)
    described = client.post("/graphql", json={"query": '{ __type(name: "DarkpagesConflictDeclaredInput") { isOneOf } }'}).json()
    assert described == {"data": {"__type": {"isOneOf": True}}}
    assert set(declared.fields) < set(TYPES["ResolveRequest"].fields)  # type: ignore[attr-defined]
    for request in (
        CONFLICT | {"actions": [{"darkpagesAttack": ATTACK}]},
        CONFLICT | {"actions": [{"darkpagesAttack": ATTACK}], "done": 3},
    ):
        by_rest = {**request, "actions": [{"action": "darkpages.attack", **ATTACK}], "include": ["options"]}
        ruling = client.post("/resolve/darkpages/conflict", json=by_rest).json()
        for _ in range(3):  # a plan would be made of the second
            found = ask(client, RESULTS, {"request": {"darkpagesConflict": request}})["data"]["resolve"]
            assert found["results"][0]["outcome"] == ruling["results"][0]["outcome"]
            assert found["after"] == {"participants": [{"ref": 1}, {"ref": "b"}], "done": request.get("done", 0) + 1}
    action = "{darkpagesCheck: {actor: {participant: 1}, targetNumber: 9}}"
    literal = f"{{participants: [{{id: 1, actor: {{pool: {{roll: 5, keep: 3}}}}}}], actions: [{action}]}}"
    assert "errors" not in ask(client, f"{{ resolve(request: {{darkpagesConflict: {literal}}}) {{ outcome }} }}")


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"darkpagesChek": {}},
        {"darkpagesAttack": None},
        {"darkpagesAttack": ATTACK, "darkpagesConcede": {"character": {"participant": 1}}},
    ],
)
def test_declared_action_is_exactly_one(client: TestClient, action: dict[str, Any]) -> None:
    error = ask(client, RESULTS, {"request": {"darkpagesConflict": CONFLICT | {"actions": [action]}}})["errors"][0]
    assert error["extensions"]["problem"]["status"] == 422


def test_option_of_a_declared_action_is_a_patch_of_the_variables(client: TestClient) -> None:
    """Where an option is a merge patch of `actions`, it has the form that the variables have."""
    taken = 0
    for seed in range(12):
        request = CONFLICT | {
            "actions": [{"darkpagesAttack": ATTACK}, {"darkpagesCheck": {"actor": {"participant": "b"}, "targetNumber": 12}}]
        }
        found = ask(client, RESULTS, {"request": {"darkpagesConflict": request | {"seed": seed}}})["data"]["resolve"]
        for option in [option for result in found["results"] for option in result["options"] or []]:
            if option["request"] is not None:
                again = ask(client, RESULTS, {"request": {"darkpagesConflict": request | {"seed": seed} | option["request"]}})
                assert "errors" not in again
                taken += "actions" in option["request"]
    assert taken


def test_rolls_that_a_table_needs(client: TestClient) -> None:
    query = "query($request: ResolveRequest!) { rolls(request: $request) { complete needed { roll dice } } }"
    assert check(client, query)["data"]["rolls"] == {"complete": False, "needed": [{"roll": "actor", "dice": "2d6"}]}


def test_system_has_rules_tables_and_templates(client: TestClient) -> None:
    found = ask(client, '{ system(name: "jazz") { rules { id } tables templates } }')["data"]["system"]
    assert {"id": "jazz.dice.roll"} in found["rules"]
    assert found["tables"]["difficulties"][0]["level"] == "easy"
    assert found["templates"]["de"]["jazz.outcome.hit"] == "Treffer"
