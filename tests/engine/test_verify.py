"""`POST /verify`, GraphQL's ``verify`` and ``tablecall verify``."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import OKPKey
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall import cli
from tablecall.app import create_app
from tablecall.contract import json_schema
from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import VERSION, resolve, verify
from tablecall.engine.receipts import NO_RECEIPTS
from tablecall.engine.requests import tagged
from tablecall.runtime import dispatch
from tablecall.settings import Settings
from tablecall.systems import SYSTEMS
from tests.support.client import EXAMPLES, ids, problem, request_of
from tests.support.contexts import context

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
KEY, STRANGER = OKPKey.generate_key("Ed25519"), OKPKey.generate_key("Ed25519")
HERE = {"rng": "tablecall-1", "rulebook": SYSTEMS["jazz"].version, "version": VERSION}


@pytest.fixture(scope="module")
def signing() -> TestClient:
    return service(KEY)


def service(key: OKPKey) -> TestClient:
    return TestClient(create_app(Settings(signing_key=key.as_pem(private=True).decode())))  # type: ignore[arg-type]


def verified(client: TestClient, request: Any, ruling: Any) -> dict[str, Any]:
    answer = client.post("/verify", json={"request": request, "ruling": ruling})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    Draft202012Validator(json_schema.standalone("Verification")).validate(found)
    return found


def ruled(client: TestClient, **change: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/resolve", json=CHECK | change).json()
    return found


@pytest.mark.parametrize(("tag", "in_thread"), [("jazz.check", False), ("jazz.round", True), ("jazz.fight", True)])
def test_large_rulings_are_compared_in_a_thread(tag: str, in_thread: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"action": tag, "seed": 1, **next(iter(PUBLISHED[tag].action.examples.values()))}
    system, action, body = tagged(request)
    threads: list[int] = []

    def judged(*arguments: Any) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return verify.judged(*arguments)

    monkeypatch.setattr(dispatch, "judged", judged)
    verification = asyncio.run(dispatch.verification(context(), system, action, body, resolve(system, action, body)))
    assert verification["verdict"] == "match"
    assert (threads != [threading.get_ident()]) is in_thread


def test_ruling_of_another_rule_book_is_not_recomputed() -> None:
    document = {"request": CHECK, "ruling": {"outcome": "failure", "rulebook": "jazz 1e/1"}}
    assert verify.verify(document, NO_RECEIPTS)["verdict"] == "otherVersion"


# ── Match ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_every_example_matches_its_ruling(signing: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    request = {"action": tag, **body}
    ruling = signing.post("/resolve", json=request).json()
    found = verified(signing, request, ruling)
    assert (found["verdict"], found["differences"], found["receipt"]) == ("match", [], "valid")
    assert isinstance(found["signedAt"], int)
    # The seed may also come from the ruling.
    unseeded = {key: value for key, value in request.items() if key != "seed"}
    assert verified(signing, unseeded, ruling) == found


def test_service_without_keys_compares(client: TestClient) -> None:
    assert verified(client, CHECK, ruled(client)) == {
        "verdict": "match",
        "differences": [],
        "receipt": "none",
        "signedAt": None,
        "madeBy": HERE,
        "checkedBy": HERE,
    }


def test_omitted_fields_are_not_compared(client: TestClient) -> None:
    ruling = ruled(client, seed=1)
    part = {
        "outcome": ruling["outcome"],
        "seed": "1",
        "rolls": [{"total": ruling["rolls"][0]["total"], "__typename": "Roll"}],
        "__typename": "X",
    }
    assert verified(client, CHECK, part)["verdict"] == "match"


def test_extras_are_compared(client: TestClient) -> None:
    ruling = ruled(client, include=["factors", "options"])
    assert verified(client, CHECK, ruling)["verdict"] == "match"
    ruling["factors"][0]["verdict"] = "decisive"
    assert verified(client, CHECK, ruling)["differences"] == ["/factors/0/verdict"]


def test_options_have_the_seed_if_it_was_drawn(client: TestClient) -> None:
    request = {"action": "darkpages.check", "actor": {"pool": {"roll": 8, "keep": 3}}, "targetNumber": 9}
    asked = [request | {"include": ["options"]}] * 50
    results = client.post("/batch", json={"seed": "open", "requests": asked}).json()["results"]
    drawn = next(result["ruling"] for result in results if result["ruling"]["options"])
    assert verified(client, request, drawn)["verdict"] == "match"
    seeded = request | {"seed": drawn["seed"]}
    assert verified(client, seeded, drawn)["verdict"] == "match"
    with_seed = [{**option, "request": {**option["request"], "seed": drawn["seed"]}} for option in drawn["options"]]
    assert verified(client, request, drawn | {"options": with_seed})["verdict"] == "match"
    assert verified(client, seeded, drawn | {"options": with_seed})["differences"] == ["/options/0/request/seed"]


GUARD = {"name": "Guard", "aspects": [], "health": {"current": 1, "max": 1}}


@pytest.mark.parametrize(
    "request_",
    [
        # that somebody named is out leaves their fate open, which another action decides
        {"action": "jazz.attack", "attackers": [{"bonus": 30}], "defender": {"character": GUARD}},
        {
            "action": "jazz.turn",
            "combatants": [
                {"id": "a", "side": "x", "actor": {"bonus": 0}},
                {"id": "b", "side": "y", "actor": {"character": GUARD}},
            ],
            "order": [{"ids": ["b"]}, {"ids": ["a"]}],
            "turn": {"by": ["b"], "attack": "a"},
        },
    ],
)
def test_options_of_parts_have_the_seed_if_it_was_drawn(client: TestClient, request_: dict[str, Any]) -> None:
    for number in range(12):
        request = {**request_, "include": ["options"], "seed": f"s{number}"}
        ruling = client.post("/resolve", json=request).json()
        assert verified(client, request, ruling)["verdict"] == "match"
        unseeded = {name: value for name, value in request.items() if name != "seed"}
        drawn = client.post("/resolve", json=unseeded).json()
        assert verified(client, unseeded, drawn)["verdict"] == "match", drawn


# ── Differs ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def put(**changes: Any) -> Callable[[dict[str, Any]], None]:
    def change(ruling: dict[str, Any]) -> None:
        ruling.update(changes)

    return change


def change_a_face(ruling: dict[str, Any]) -> None:
    ruling["rolls"][0]["dice"][1]["face"] = 6


@pytest.mark.parametrize(
    ("change", "differences"),
    [
        (put(outcome="success"), ["/outcome"]),
        (put(total=12, margin=2), ["/total", "/margin"]),
        (change_a_face, ["/rolls/0/dice/1/face"]),
        (put(rolls=[]), ["/rolls"]),
        (put(rolls=None), ["/rolls"]),
        (put(succeeded=0), ["/succeeded"]),  # false, and not 0
        (put(after={}), []),
        (put(extra=1, **{"a/b~c": 2}), ["/extra", "/a~1b~0c"]),
        (put(seedFrom="service"), []),
        (put(total=7.0), []),
        (put(seed="43"), ["/seed"]),
    ],
)
def test_differences_are_reported(client: TestClient, change: Callable[[dict[str, Any]], None], differences: list[str]) -> None:
    ruling = ruled(client, seed=42)
    change(ruling)
    found = verified(client, CHECK | {"seed": 42}, ruling)
    assert found["differences"] == differences
    assert found["verdict"] == ("differs" if differences else "match")


def test_differences_are_bounded(client: TestClient) -> None:
    found = verified(client, CHECK, ruled(client) | {f"name {number}" + "x" * 100: 0 for number in range(200)})
    assert len(found["differences"]) == verify.MAX_DIFFERENCES
    assert max(map(len, found["differences"])) <= 65


# ── Other versions ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("other", [{"rulebook": "jazz 2e/9"}, {"rng": "tablecall-0"}, {"rulebook": "x" * 1000}])
def test_other_rule_book_or_dice_are_reported_and_not_compared(client: TestClient, other: dict[str, str]) -> None:
    found = verified(client, CHECK, ruled(client) | other | {"outcome": "success", "total": 99})
    assert (found["verdict"], found["differences"]) == ("otherVersion", [])
    assert found["madeBy"] == {name: value[: verify.MAX_NAME] for name, value in (HERE | other).items()}
    assert found["checkedBy"] == HERE


def test_other_version_of_the_service_may_differ(client: TestClient) -> None:
    ruling = ruled(client) | {"version": "0.0.1"}
    assert verified(client, CHECK, ruling)["verdict"] == "match"
    found = verified(client, CHECK, ruling | {"total": 99})
    assert (found["verdict"], found["differences"]) == ("otherVersion", [])


def test_other_words_do_not_differ(client: TestClient) -> None:
    german = client.post("/resolve", json={**CHECK, "language": "de"}).json()
    assert german["summary"] != ruled(client)["summary"]
    assert verified(client, CHECK, german)["verdict"] == "match"
    assert verified(client, CHECK, ruled(client) | {"summary": "in other words", "outcomeText": "lost"})["verdict"] == "match"


def test_dice_from_the_table_are_taken_from_the_ruling(client: TestClient) -> None:
    sent = {**CHECK, "actor": {"bonus": 3, "gear": {"reroll": [1]}}, "dice": [{"roll": "actor", "faces": [1, 5, 6]}]}
    ruling = client.post("/resolve", json=sent).json()
    assert (ruling["seedFrom"], ruling["rolls"][0]["from"]) == ("table", "table")
    assert verified(client, sent, ruling)["verdict"] == "match"
    without = {name: value for name, value in sent.items() if name != "dice"}
    assert verified(client, without, ruling)["verdict"] == "match"


# ── Receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("request_change", "ruling_change"),
    [({}, {"seedFrom": "request"}), ({}, {"version": "0.0.1"}), ({"rng": "tablecall-1"}, {})],
    ids=["who chose the seed", "the version", "the question"],
)
def test_receipt_for_something_else_differs(signing: TestClient, request_change: dict[str, Any], ruling_change: dict[str, Any]) -> None:
    found = verified(signing, CHECK | request_change, ruled(signing) | ruling_change)
    assert (found["verdict"], found["differences"], found["receipt"]) == ("differs", ["/receipt"], "elsewhere")
    assert found["signedAt"] is not None


def test_receipt_of_another_ruling_differs(signing: TestClient) -> None:
    found = verified(signing, CHECK, ruled(signing, seed=1) | {"receipt": ruled(signing, seed=2)["receipt"]})
    assert (found["verdict"], found["receipt"]) == ("differs", "elsewhere")


def test_changed_ruling_with_a_valid_receipt_differs(signing: TestClient) -> None:
    found = verified(signing, CHECK, ruled(signing, seed=42) | {"outcome": "success"})
    assert (found["verdict"], found["differences"], found["receipt"]) == ("differs", ["/outcome"], "valid")


@pytest.mark.parametrize("receipt", ["not a receipt", 5, ["a"]])
def test_invalid_receipt_is_bad(signing: TestClient, receipt: object) -> None:
    found = verified(signing, CHECK, ruled(signing) | {"receipt": receipt})
    assert (found["verdict"], found["receipt"], found["signedAt"]) == ("badSignature", "bad", None)


def test_receipt_of_an_unknown_key_is_bad(signing: TestClient, client: TestClient) -> None:
    for checker in (signing, client):
        found = verified(checker, CHECK, ruled(service(STRANGER)))
        assert (found["verdict"], found["receipt"]) == ("badSignature", "unknownKey")


def test_receipt_of_another_version_is_checked(signing: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ruling by old rules cannot be recomputed, but its receipt still verifies."""
    ruling = ruled(signing)
    monkeypatch.setattr(verify, "RNG", "tablecall-2")
    found = verified(signing, CHECK, ruling)
    assert (found["verdict"], found["receipt"]) == ("otherVersion", "valid")
    changed = verified(signing, CHECK, ruling | {"outcome": "stalemate"})
    assert (changed["verdict"], changed["receipt"], changed["differences"]) == ("otherVersion", "elsewhere", ["/receipt"])


@pytest.mark.parametrize("value", [2**63, -1.5, "\U0010ffff"])
def test_values_without_canonical_json_are_not_signed(signing: TestClient, value: Any) -> None:
    ruling = ruled(signing) | {"rulebook": "jazz 2e/9", "extra": value}
    assert verified(signing, CHECK, ruling)["receipt"] == "elsewhere"


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        ({}, ["/request", "/ruling"]),
        ({"request": CHECK, "ruling": {"outcome": "failure", "seed": "1"}, "more": 1}, ["/more"]),
        ({"request": 5, "ruling": {}}, ["/request"]),
        ({"request": {"action": "jazz.check"}, "ruling": {}}, ["/request/actor"]),
        ({"request": CHECK, "ruling": []}, ["/ruling"]),
        ({"request": CHECK, "ruling": {}}, ["/ruling/outcome"]),
        ({"request": CHECK, "ruling": {"outcome": "failure"}}, ["/ruling/seed"]),
        ({"request": CHECK, "ruling": {"outcome": "failure", "seed": ""}}, ["/ruling/seed"]),
        (
            {"request": CHECK | {"dice": [{"roll": "actor", "faces": [9, 9]}], "seed": 1}, "ruling": {"outcome": "x"}},
            ["/request/dice/0/faces/0"],
        ),
    ],
)
def test_invalid_request_is_refused(client: TestClient, document: Any, pointers: list[str]) -> None:
    found = problem(client.post("/verify", json=document), 422)
    assert [error["pointer"] for error in found["errors"]] == pointers


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────

QUERY = """query($request: ResolveRequest!, $ruling: JSON!) {
  verify(request: $request, ruling: $ruling) {
    verdict differences receipt signedAt madeBy { rng rulebook version } checkedBy { rng rulebook version }
  }
}"""


def by_graphql(client: TestClient, request: dict[str, Any], ruling: Any) -> dict[str, Any]:
    body = {key: value for key, value in request.items() if key != "action"}
    variables = {"request": request_of(request["action"], body), "ruling": ruling}
    found: dict[str, Any] = client.post("/graphql", json={"query": QUERY, "variables": variables}).json()
    return found


def test_graphql_equals_rest(signing: TestClient) -> None:
    ruling = ruled(signing)
    for given in (ruling, ruling | {"outcome": "stalemate"}, {"outcome": ruling["outcome"], "seed": ruling["seed"]}):
        assert by_graphql(signing, CHECK, given)["data"]["verify"] == verified(signing, CHECK, given)


def test_other_json_than_an_object_is_refused(client: TestClient) -> None:
    found = problem(client.post("/verify", json=[CHECK]), 422, "invalid-request")
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [("", "wrong-type")]


@pytest.mark.parametrize(
    ("request_", "ruling", "pointer"),
    [
        (CHECK | {"actor": {"bonus": 10_000}}, {"outcome": "failure", "seed": "1"}, "/request/actor/bonus"),
        (CHECK, {"outcome": "failure"}, "/ruling/seed"),
        (CHECK, 5, "/ruling"),
    ],
)
def test_graphql_refusals(client: TestClient, request_: dict[str, Any], ruling: Any, pointer: str) -> None:
    (error,) = by_graphql(client, request_, ruling)["errors"]
    assert error["extensions"]["problem"]["errors"][0]["pointer"] == pointer


# ── The command ──────────────────────────────────────────────────────────────────────────────────────────────────────


def run(*arguments: str, sent: str | None = None, **environment: str) -> tuple[int, Any, str]:
    found = CliRunner().invoke(cli.main, arguments, input=sent, env=environment)
    return found.exit_code, json.loads(found.stdout) if found.stdout.startswith("{") else found.stdout, found.stderr


def test_command_verifies_a_file(client: TestClient, tmp_path: Path) -> None:
    ruling = ruled(client)
    (tmp_path / "it.json").write_text(json.dumps({"request": CHECK, "ruling": ruling}))
    code, found, _ = run("verify", str(tmp_path / "it.json"))
    assert (code, found["verdict"]) == (0, "match")


def test_command_fails_if_the_ruling_differs(client: TestClient) -> None:
    changed = ruled(client) | {"outcome": "stalemate"}
    code, found, _ = run("verify", "-", sent=json.dumps({"request": CHECK, "ruling": changed}))
    assert (code, found["verdict"]) == (1, "differs")
    code, _, output = run("verify", "-", sent="{}")
    assert (code, json.loads(output)["type"]) == (1, "./problems/invalid-request")


def test_command_uses_keys() -> None:
    private, public = KEY.as_pem(private=True).decode(), KEY.as_pem(private=False).decode()
    code, ruling, _ = run("resolve", "-", sent=json.dumps(CHECK), TABLECALL_SIGNING_KEY=private)
    assert code == 0
    sent = json.dumps({"request": CHECK, "ruling": ruling})
    assert run("verify", "-", sent=sent, TABLECALL_VERIFYING_KEYS=public)[1]["receipt"] == "valid"
    assert run("verify", "-", sent=sent)[1]["receipt"] == "unknownKey"
    assert "receipt" not in run("resolve", "-", sent=json.dumps(CHECK))[1]


@pytest.mark.parametrize("command", ["resolve", "verify", "serve"])
def test_command_names_the_invalid_setting(command: str) -> None:
    code, _, output = run(command, *(["-"] if command != "serve" else []), sent="{}", TABLECALL_SIGNING_KEY="secret")
    assert code == 2
    assert "TABLECALL_SIGNING_KEY" in output
    assert "secret" not in output


def test_ids_are_the_same_as_numbers_and_as_text(signing: TestClient) -> None:
    """A ruling with the id 1 is that of the request with the id "1"; the caller's own data is compared as it is."""

    def asked(one: int | str, two: int | str, target: object) -> dict[str, Any]:
        combatants = [{"id": one, "side": "a", "actor": {"bonus": 3}}, {"id": two, "side": "b", "actor": {"bonus": 1}}]
        order = [{"ids": [one]}, {"ids": [two]}]
        turn = {"by": [one], "attack": target}
        return {"action": "jazz.turn", "combatants": combatants, "order": order, "turn": turn, "seed": 1}

    ruling = signing.post("/resolve", json=asked(1, 2, 2)).json()
    assert ruling["turn"]["by"] == [1]
    found = verified(signing, asked("1", "2", ["2"]), ruling)
    assert (found["verdict"], found["receipt"]) == ("match", "valid")
    ruling["turn"]["by"] = [2]
    assert verified(signing, asked("1", "2", "2"), ruling)["differences"] == ["/turn/by/0"]


def test_data_is_compared_as_it_is(client: TestClient) -> None:
    rook = {"name": "Rook", "aspects": [{"name": "getaway driver", "bonus": 3}], "data": {"id": 1}}
    request = {"action": "jazz.karma", "character": rook, "grant": "positive"}
    ruling = client.post("/resolve", json=request).json()
    assert verified(client, request, ruling)["verdict"] == "match"
    ruling["after"]["character"]["data"] = {"id": "1"}
    assert verified(client, request, ruling)["differences"] == ["/after/character/data/id"]
