"""Holds the service against a model: the same request and dice, and what each says."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from starlette.testclient import TestClient

from tests.models.dice import Answer, Dice, Document, Refused, drawn, enumerated
from tests.models.games import Game, Play

NUMBERS = ("outcome", "succeeded", "total", "target", "margin")


@dataclass(frozen=True)
class Modelled:
    """A request with the dice that the model rolled, and its answer, or the rule by which it refuses."""

    request: Document
    answer: Answer | None
    refused: str | None


def modelled(play: Play, request: Document, chance: random.Random) -> Modelled:
    """Play a request by the model."""
    dice = drawn(chance)
    try:
        answer = play[request["action"]](request, dice)
    except Refused as refused:
        return Modelled(request | {"seed": 1}, None, refused.rule)
    return Modelled(request | {"seed": 1, "dice": dice.document()}, answer, None)


def differences(status: int, document: Document, expected: Modelled) -> list[str]:
    """Where the service says otherwise than the model."""
    if status != 200:
        return [] if status == 422 and expected.refused is not None else [f"refused: {document}"]
    if expected.answer is None:
        return [f"ruled: {expected.refused} modelled, but {document['summary']}"]
    return unlike(document, expected)


def unlike(ruling: Document, expected: Modelled) -> list[str]:
    """Where a ruling is unlike the model's answer."""
    answer = expected.answer
    assert answer is not None
    wanted = answer.numbers()
    found = [f"{name}: {wanted[name]!r} modelled, but {ruling[name]!r}" for name in NUMBERS if wanted[name] != ruling[name]]
    rolled = {roll["roll"] for roll in ruling["rolls"] if roll["dice"]}
    named = {die["roll"] for die in expected.request["dice"]}
    found += [f"rolls: {sorted(named)} modelled, but {sorted(rolled)}"] if rolled != named and not ruling.get("unusedDice") else []
    found += [f"unusedDice: {ruling['unusedDice']}"] if ruling.get("unusedDice") else []
    found += pair("after", answer.after, ruling["after"]) if answer.after else []
    earned = Counter[str]()
    for one in ruling["effects"]:
        earned[one["on"].removeprefix("archetype:")] += one["change"] if one["stat"] == "trainingPoints" else 0
    earned = +earned
    found += pair("points", answer.points, dict(earned)) if answer.points or earned else []
    for name, value in answer.extra.items():
        found += pair(name, value, ruling.get(name))
    if answer.results:
        found += pair("results", answer.results, [(one["outcome"], one["target"]) for one in ruling["results"]])
    return found + undone(ruling, expected)


def pair(at: str, model: Any, service: Any) -> list[str]:
    """Where two documents differ. Objects of the service may say more only outside `after`."""
    if isinstance(model, dict) and isinstance(service, dict):
        names = [*model, *(name for name in service if name not in model)] if at.startswith("after") else list(model)
        return [line for name in names for line in pair(f"{at}/{name}", model.get(name, "absent"), service.get(name, "absent"))]
    if isinstance(model, (list, tuple)) and isinstance(service, (list, tuple)) and len(model) == len(service):
        return [line for index, one in enumerate(model) for line in pair(f"{at}/{index}", one, service[index])]
    return [] if model == service else [f"{at}: {model!r} modelled, but {service!r}"]


STATE = {"order", "round", "acted", "waiting", "falling", "done"}
"""The state of a conflict, of which effects say nothing."""
ONE_ROLL = {"spend", "imposeKarma", "advantage", "disadvantage", "extraordinary", "keepDice", "modifiers", "scars"}
"""What is said of one roll, and not in `after`."""


def undone(ruling: Document, expected: Modelled) -> list[str]:
    """The effects, undone from the last to the first, lead from `after` back to what was sent."""
    document = deepcopy(ruling["after"])
    for effect in reversed(ruling["effects"]):
        if effect["pointer"] is not None:
            put_back(document, effect["pointer"].split("/")[1:], effect["from"])
    return [
        line
        for name, value in expected.request.items()
        if name in document.keys() - STATE
        for line in lost(f"undone/{name}", value, document[name])
    ]


def put_back(document: Any, path: list[str], value: Any) -> None:
    """Put a value at a pointer, or remove the member where there was none."""
    *parents, last = path
    for key in parents:
        document = document[int(key)] if isinstance(document, list) else document[key]
    if isinstance(document, list):
        document[int(last) : int(last) + 1] = [] if value is None else [value]
    elif value is None:
        document.pop(last, None)
    else:
        document[last] = value


def lost(at: str, sent: Any, now: Any) -> list[str]:
    """What was sent and is not there any more."""
    if isinstance(sent, dict) and isinstance(now, dict):
        return [line for name, value in sent.items() if name not in ONE_ROLL for line in lost(f"{at}/{name}", value, now.get(name))]
    if isinstance(sent, list) and isinstance(now, list) and len(sent) == len(now):
        return [line for index, value in enumerate(sent) for line in lost(f"{at}/{index}", value, now[index])]
    return [] if sent == now else [f"{at}: sent {sent!r}, but {now!r} after the effects are undone"]


def odds_differ(client: TestClient, request: Document, chances: Mapping[str, Fraction]) -> list[str]:
    """Where the exact odds of the service are not those of the model."""
    response = client.post("/odds", json=request | {"method": "exact"})
    if response.status_code != 200:
        return [f"refused: {response.json()}"]
    answered = {row["outcome"]: Fraction(row["fraction"]) for row in response.json()["outcomes"]}
    wanted = {name: chance for name, chance in chances.items() if chance}
    return [] if {name: chance for name, chance in answered.items() if chance} == wanted else [f"odds: {wanted} modelled, but {answered}"]


class Comparison:
    """Random requests of one game, each put to its model and to the service."""

    def __init__(self, client: TestClient, game: Game, seed: int) -> None:
        self.client = client
        self.play = game.play
        self.chance = random.Random(seed)
        self.ask = game.ask(self.chance)
        self.refused: list[bool] = []
        """Of those that both refuse, whether they name the same rule."""

    def rulings(self, number: int) -> None:
        """This number of rulings are as the model has them."""
        for _ in range(number):
            expected = modelled(self.play, self.ask(), self.chance)
            response = self.client.post("/resolve", json=expected.request)
            found = differences(response.status_code, response.json(), expected)
            assert not found, f"{found}\n{json.dumps(expected.request)}"
            if expected.refused is not None:
                self.refused.append(expected.refused in [error.get("rule") for error in response.json()["errors"]])

    def odds(self, number: int, most: int) -> None:
        """This number of exact odds are those that the model counts, with up to ``most`` ways for the dice to fall."""
        while number:
            request = self.ask()
            chances = counted(self.play[request["action"]], request, most)
            if chances is None:
                continue
            found = odds_differ(self.client, request, chances)
            assert not found, f"{found}\n{json.dumps(request)}"
            number -= 1


def counted(play: Callable[[Document, Dice], Answer], request: Document, most: int) -> dict[str, Fraction] | None:
    """The chances of a request's outcomes; None if it is refused, needs no dice, or has too many ways to fall."""
    try:
        chances = enumerated(play, request, most=most)
    except Refused:
        return None
    return chances if chances and len(chances) > 1 else None
