"""Run as a program: adds the toy system to the table, and prints the answers and contracts of the service as JSON.

With ``--wider`` its request has one more field. It is a process of its own because the service reads the table when it is imported.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

from pydantic import Field, create_model

from tablecall.model.base import WholeNumber
from tests.systems.test_toy_system import TOY, ToyGamble

NARROW = {"player": {"name": "Pip", "luck": 2}, "seed": "more"}
WIDER = {**NARROW, "wager": 2}


def join(*, wider: bool) -> None:
    """Add the toy system to the table."""
    (action,) = TOY.actions
    if wider:
        wager: Any = Annotated[int, Field(ge=0, le=9, description="The stake."), WholeNumber]
        action = replace(action, body=create_model("ToyGamble", __base__=ToyGamble, __doc__=ToyGamble.__doc__, wager=(wager, 1)))
    system = replace(TOY, actions=(action,))
    package: Any = ModuleType("tablecall.systems.toy")
    package.SYSTEM = system
    sys.modules[package.__name__] = package
    known: Any = import_module("tablecall.systems")
    known._NAMES += ("toy",)


def facts() -> dict[str, Any]:
    """The answers of every endpoint, and all contracts."""
    from starlette.testclient import TestClient

    from tablecall.app import contracts, create_app
    from tablecall.settings import Settings

    client = TestClient(create_app(Settings(odds_workers=0)))  # a worker process would not know the system
    query = "query($request: ResolveRequest!) { resolve(request: $request) { __typename outcome ... on ToyGambleRuling { stake } } }"

    def answers(body: dict[str, Any]) -> dict[str, Any]:
        flat = "player.name=Pip&player.luck=2&seed=more" + (f"&wager={body['wager']}" if "wager" in body else "")
        sent = {
            "tag": client.post("/resolve", json={"action": "toy.gamble", **body}),
            "path": client.post("/resolve/toy/gamble", json=body),
            "query": client.get(f"/resolve/toy/gamble?{flat}"),
            "odds": client.post("/odds/toy/gamble", json=body),
            "graphql": client.post("/graphql", json={"query": query, "variables": {"request": {"toyGamble": body}}}),
        }
        return {name: answer.json() for name, answer in sent.items()}

    return {
        "narrow": answers(NARROW),
        "wider": answers(WIDER),
        "beyond": answers({**WIDER, "wager": 10}),
        "systems": client.get("/systems").json(),
        "rules": client.get("/systems/toy/rules").json(),
        "templates": client.get("/systems/toy/templates").json(),
        "texts": {path: text.decode() for path, text in contracts().items()},
    }


if __name__ == "__main__":
    join(wider="--wider" in sys.argv)
    json.dump(facts(), sys.stdout)
