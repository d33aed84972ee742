"""Receipts: their claims, keys, and verification without the service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import OKPKey
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.contract import json_schema
from tablecall.engine import resolve
from tablecall.engine.canonical import canonical, digest, question
from tablecall.engine.receipts import ALGORITHM, NO_RECEIPTS, BadReceipt, Receipts, signed_part
from tablecall.engine.requests import tagged
from tablecall.runtime.signing_keys import KeyProblem, receipts_of
from tablecall.settings import Settings
from tablecall.systems.jazz.check import JazzCheck

KEY, OLD = OKPKey.generate_key("Ed25519"), OKPKey.generate_key("Ed25519")
CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42}


def pem(key: OKPKey, *, private: bool = True) -> str:
    return key.as_pem(private=private).decode()


def jwk(key: OKPKey, *, private: bool = True, **more: Any) -> str:
    return json.dumps({**key.as_dict(private=private), **more})


@pytest.fixture(scope="module")
def signing() -> TestClient:
    return TestClient(create_app(Settings(signing_key=pem(KEY), verifying_keys=pem(OLD, private=False))))  # type: ignore[arg-type]


def claims_of(ruling: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(jws.deserialize_compact(ruling["receipt"], KEY, algorithms=[ALGORITHM]).payload)
    return found


# ── Claims ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_receipt_signs_digests_of_request_and_ruling(signing: TestClient) -> None:
    before = int(time.time())
    ruling = signing.post("/resolve", json=CHECK).json()
    header, claims = jws.extract_compact(ruling["receipt"].encode()).headers(), claims_of(ruling)
    assert header == {"alg": "EdDSA", "kid": KEY.thumbprint(), "typ": "tablecall-receipt"}
    assert claims == {
        "iat": claims["iat"],
        "request": digest({"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}),
        "ruling": digest(signed_part(ruling, JazzCheck)),
        "dice": [],
        "seed": "42",
        "seedFrom": "request",
        "rng": "tablecall-1",
        "rulebook": ruling["rulebook"],
        "version": ruling["version"],
    }
    assert before <= claims["iat"] <= time.time()
    Draft202012Validator(json_schema.standalone("JazzCheckRuling")).validate(ruling)


def test_dice_from_the_table_are_claimed(signing: TestClient) -> None:
    ruling = signing.post("/resolve", json={**CHECK, "dice": [{"roll": "actor", "faces": [6, 6]}]}).json()
    claims = claims_of(ruling)
    assert (claims["dice"], claims["seedFrom"]) == (["actor"], "table")


def test_receipt_does_not_depend_on_the_language(signing: TestClient) -> None:
    english, german = (claims_of(signing.post("/resolve", json={**CHECK, "language": language}).json()) for language in ("en", "de"))
    assert {**english, "iat": 0} == {**german, "iat": 0}


def test_house_rules_that_say_nothing_are_left_out_and_what_was_sent_stays() -> None:
    plain = {"action": "darkpages.check", "actor": {"pool": {"roll": 4, "keep": 2}}, "targetNumber": 9}

    def asked(**more: Any) -> dict[str, Any]:
        return question("darkpages.check", tagged({**plain, **more})[2])

    assert asked(houseRules={}) == asked(houseRules=None) == asked(houseRules={"floor": None}) == asked() == plain
    assert asked(houseRules={"floor": "one"})["houseRules"] == {"floor": "one"}
    assert asked(goalPolicy="reject")["goalPolicy"] == "reject"


def test_equal_ids_and_lists_of_one_are_one_question() -> None:
    fighter = {"name": "A", "aspects": [{"name": "x", "bonus": 2}], "health": {"current": 2, "max": 2}}
    combatants = [{"id": number, "side": str(number), "actor": {"character": fighter, "using": ["x"]}} for number in (1, 2)]
    asked = []
    for by, on, first in ((1, 2, 1), ("1", ["2"], "1")):
        order = [{"ids": [first]}, {"ids": [2]}]
        request = {"action": "jazz.turn", "combatants": combatants, "order": order, "turn": {"by": [by], "attack": on}, "seed": 1}
        asked.append(question("jazz.turn", tagged(request)[2]))
    assert asked[0] == asked[1]


def test_whole_numbers_are_one_however_they_are_written() -> None:
    sheet = {"name": "Rook", "aspects": [], "data": {"x": [3.0, 1.5]}}
    same = {**sheet, "data": {"x": [3, 1.5]}}
    questions = [question("jazz.check", JazzCheck.read({"actor": {"character": one}, "difficulty": 9})) for one in (sheet, same)]
    assert questions[0] == questions[1]


def test_receipt_of_former_versions_stays_verifiable(signing: TestClient) -> None:
    ruling = signing.post("/resolve", json=CHECK).json()
    claims = {name: claim for name, claim in claims_of(ruling).items() if name != "dice"}
    header = {"alg": "Ed25519", "kid": KEY.thumbprint(), "typ": "tablecall-receipt"}
    former = {**claims, "ruling": "x", "version": "0.4.1"}
    ruling["receipt"] = jws.serialize_compact(header, canonical(former), KEY, algorithms=["Ed25519"])
    found = signing.post("/verify", json={"request": CHECK, "ruling": {**ruling, "version": "0.4.1"}}).json()
    assert (found["verdict"], found["receipt"], found["differences"]) == ("otherVersion", "valid", [])


def ask_graphql(client: TestClient, actor: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    query = "query($r: ResolveRequest!) { resolve(request: $r) { receipt factors { verdict } } }"
    sent = {"jazzCheck": {"actor": actor, "difficulty": 10, "seed": 42, **more}}
    found: dict[str, Any] = client.post("/graphql", json={"query": query, "variables": {"r": sent}}).json()["data"]["resolve"]
    return found


def test_equal_requests_have_equal_receipts(signing: TestClient) -> None:
    spelt_out = {**CHECK, "actor": {"bonus": 3.0, "advantage": False, "gear": None}, "ties": "actor", "dice": [], "include": ["options"]}
    rulings = [
        signing.post("/resolve", json=CHECK).json(),
        signing.post("/resolve", json=spelt_out).json(),
        signing.post("/resolve/jazz/check", json={name: value for name, value in CHECK.items() if name != "action"}).json(),
        signing.get("/resolve/jazz/check?actor.bonus=3&difficulty=10&seed=42").json(),
        signing.post("/batch", json={"requests": [CHECK]}).json()["results"][0]["ruling"],
        ask_graphql(signing, {"bonus": 3}),
        ask_graphql(signing, {"bonus": 3, "advantage": False}, ties="actor"),
    ]
    claims = [{**claims_of(ruling), "iat": 0} for ruling in rulings]
    assert claims == [claims[0]] * len(claims)


def test_different_requests_have_different_digests() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"difficulty": 11},
        {"actor": {"bonus": 4}},
        {"actor": {"bonus": 3, "advantage": True}},
        {"stakes": "none"},
    ]
    digests = set()
    for change in changes:
        _, _, body = tagged(CHECK | change)
        digests.add(digest(question("jazz.check", body)))
    assert len(digests) == len(changes)


def test_drawn_seed_is_signed_with_its_origin(signing: TestClient) -> None:
    ruling = signing.post("/resolve", json={name: value for name, value in CHECK.items() if name != "seed"}).json()
    assert claims_of(ruling)["seed"] == ruling["seed"]
    assert claims_of(ruling)["seedFrom"] == ruling["seedFrom"] == "service"


def test_nothing_is_signed_without_a_key(client: TestClient, signing: TestClient) -> None:
    assert "receipt" not in client.post("/resolve", json=CHECK).json()
    assert client.get("/version").json()["signed"] is False
    assert client.get("/.well-known/jwks.json").json() == {"keys": []}
    assert signing.get("/version").json()["signed"] is True
    assert ask_graphql(client, {"bonus": 3})["receipt"] is None
    assert not NO_RECEIPTS.known


def test_receipt_verifies_offline_with_jose(signing: TestClient, tmp_path: Path) -> None:
    """The npm package gets only the public keys and the ruling."""
    shutil.copytree(Path(__file__).parents[1] / "jose", tmp_path, dirs_exist_ok=True)
    environment = {**os.environ, "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))}
    npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(npm, cwd=tmp_path, env=environment, check=True, timeout=300)
    ruling = signing.post("/resolve", json=CHECK | {"include": ["factors"]}).json()
    sent = {"jwks": signing.get("/.well-known/jwks.json").json(), "ruling": ruling}

    def checked(document: Any) -> subprocess.CompletedProcess[str]:
        command = ["node", "check.mjs"]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, input=json.dumps(document), capture_output=True, text=True, check=False, timeout=60
        )

    found = json.loads(checked(sent).stdout)
    assert found["claims"] == claims_of(ruling)
    assert found["ofThisRuling"] is True
    bent = {**sent, "ruling": {**ruling, "outcome": "success", "total": 12}}
    assert json.loads(checked(bent).stdout)["ofThisRuling"] is False
    forged = {**sent, "ruling": {**ruling, "receipt": ruling["receipt"][:-4] + "AAAA"}}
    assert "JWSSignatureVerificationFailed" in checked(forged).stderr


# ── Keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def receipts(**given: Any) -> Receipts:
    return receipts_of(Settings(**given))


def key_ids(receipts: Receipts) -> list[str]:
    return [key["kid"] for key in receipts.jwks()["keys"]]


@pytest.mark.parametrize(
    "written",
    [pem(KEY), jwk(KEY), f"\n{pem(KEY)}\n\n", pem(KEY).replace("\n", "\\n"), json.dumps({"keys": [json.loads(jwk(KEY))]})],
    ids=["PEM", "JWK", "PEM with blank lines", "PEM in one line", "JWK Set"],
)
def test_key_formats(written: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(written)
    for found in (receipts(signing_key=written), receipts(signing_key_file=tmp_path / "key")):
        assert found.signed
        assert key_ids(found) == [KEY.thumbprint()]


def test_key_id_is_kept() -> None:
    assert key_ids(receipts(signing_key=jwk(KEY, kid="spring"), verifying_keys=jwk(OLD, private=False, kid="winter"))) == [
        "spring",
        "winter",
    ]


def test_published_keys_are_public(signing: TestClient) -> None:
    answer = signing.get("/.well-known/jwks.json")
    assert answer.headers["content-type"] == "application/jwk-set+json"
    Draft202012Validator(json_schema.standalone("JwkSet")).validate(answer.json())
    found = answer.json()["keys"]
    assert [set(key) for key in found] == [{"kty", "crv", "x", "kid", "alg", "use"}] * 2
    assert [key["kid"] for key in found] == [KEY.thumbprint(), OLD.thumbprint()]
    assert "d" not in receipts(verifying_keys=pem(OLD)).jwks()["keys"][0]


@pytest.mark.parametrize("written", [pem(KEY, private=False) + pem(OLD, private=False), pem(OLD, private=False) + jwk(KEY)])
def test_several_verifying_keys(written: str) -> None:
    found = receipts(verifying_keys=written)
    assert found.known
    assert not found.signed
    assert OLD.thumbprint() in key_ids(found)


def other_kind() -> str:
    return generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


SECRET = json.loads(jwk(KEY))["d"]
BAD_KEYS = [
    {"signing_key": "secret"},
    {"signing_key": pem(KEY)[:60]},
    {"signing_key": "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----"},
    {"signing_key": '{"kty": "OKP"}'},
    {"signing_key": '{"keys": 5}'},
    {"signing_key": '{"keys": [5]}'},
    {"signing_key": '{"kty": "OKP", "crv": "Ed25519", "x": "secret", "d": "secret"}'},
    {"signing_key": jwk(KEY)[:-1]},
    {"signing_key": jwk(OKPKey.generate_key("X25519"))},
    {"signing_key": other_kind()},
    {"signing_key": pem(KEY, private=False)},
    {"signing_key": pem(KEY) + pem(OLD)},
    {"signing_key": pem(KEY), "signing_key_file": "key.pem"},
    {"signing_key_file": "nowhere.pem"},
    {"verifying_keys": "secret"},
    {"verifying_keys_file": "nowhere.json"},
]


@pytest.mark.parametrize("given", BAD_KEYS, ids=lambda given: " ".join(given))
def test_invalid_key_is_refused_and_not_shown(given: dict[str, Any]) -> None:
    with pytest.raises(KeyProblem) as caught:
        receipts(**given)
    name = next(iter(given)).removesuffix("_file").upper()
    assert f"TABLECALL_{name}" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_settings_do_not_show_the_key() -> None:
    assert SECRET not in repr(Settings(signing_key=jwk(KEY)))  # type: ignore[arg-type]


# ── Opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def signed_with(key: OKPKey, payload: bytes, **header: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joserfc warns about the old name of the algorithm
        return jws.serialize_compact({"alg": ALGORITHM, "kid": key.thumbprint(), **header}, payload, key, algorithms=[ALGORITHM, "EdDSA"])


@pytest.mark.parametrize(
    ("receipt", "unknown"),
    [
        (None, False),
        (5, False),
        ("", False),
        ("a.b.c", False),
        ("é.é.é", False),
        ("x" * 5000, False),
        (signed_with(KEY, b"{}"), False),
        (signed_with(KEY, b"[]"), False),
        (signed_with(KEY, b"no claims"), False),
        (signed_with(KEY, b"{}", alg="EdDSA"), False),
        (signed_with(OLD, b"{}", kid=KEY.thumbprint()), False),
        (signed_with(OLD, b"{}"), True),
        (signed_with(OLD, b"{}", kid="unknown"), True),
    ],
)
def test_invalid_receipt_is_refused(receipt: object, unknown: bool) -> None:
    with pytest.raises(BadReceipt) as caught:
        receipts(signing_key=pem(KEY)).open(receipt)
    assert caught.value.unknown is unknown


def test_old_key_verifies() -> None:
    made = TestClient(create_app(Settings(signing_key=pem(OLD)))).post("/resolve", json=CHECK).json()  # type: ignore[arg-type]
    assert receipts(signing_key=pem(KEY), verifying_keys=jwk(OLD, private=False)).open(made["receipt"])["seed"] == "42"


# ── Canonical JSON ───────────────────────────────────────────────────────────────────────────────────────────────────

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_equals_rfc8785(document: Any) -> None:
    assert canonical([document]) == rfc8785.dumps([document])
    assert canonical({"a": document}) == rfc8785.dumps({"a": document})


@pytest.mark.parametrize(
    "document",
    [
        {"\U0001f3b2": 1, "\uffff": 2},  # in the order of UTF-16, not of code points
        {"a": 1e16, "b": 3.0, "c": 0.1, "d": -0.0, "e": [1e-7]},
        {"text": 'of 3.5 and :4.5 and "quotes"'},
    ],
)
def test_canonical_json_of_special_values(document: Any) -> None:
    assert canonical(document) == rfc8785.dumps(document)
    assert orjson.loads(canonical(document)) == document


def test_unsafe_integer_has_no_canonical_json() -> None:
    with pytest.raises(ValueError, match="safe integer"):
        canonical({"a": 2**60})


def test_without_a_key_nothing_is_signed() -> None:
    system, action, body = tagged({"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 1})
    ruling = resolve(system, action, body)
    NO_RECEIPTS.sign(body, ruling)
    assert "receipt" not in ruling
