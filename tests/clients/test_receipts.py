"""Receipts are verified by the libraries that callers use, with their defaults. npm's `jose` is in tests/engine/test_receipts.py."""

from __future__ import annotations

import json
import subprocess
import warnings

from joserfc.jwk import OKPKey

from tablecall.engine import resolve
from tablecall.engine.receipts import Receipts
from tablecall.engine.requests import tagged
from tests.clients.conftest import HERE, Tools


def test_python_libraries_verify_a_receipt(tools: Tools) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joserfc warns about the name that the others need
        desk = Receipts(OKPKey.generate_key("Ed25519"))
        dice = [{"roll": "actor", "faces": [5, 3]}]
        system, action, body = tagged({"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42, "dice": dice})
        ruling = resolve(system, action, body)
        desk.sign(body, ruling)
    given = json.dumps({"jwks": desk.jwks(), "receipt": ruling["receipt"]})
    program = [tools.python, HERE / "programs" / "receipts.py"]
    done = subprocess.run(program, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    claims = json.loads(done.stdout)
    assert set(claims) == {"pyjwt", "authlib", "joserfc"}
    for library, claimed in claims.items():
        assert (claimed["seed"], claimed["dice"]) == ("42", ["actor"]), library
