"""Random sequences of actions: pools stay within bounds, effects produce ``after``, and undoing them restores the request."""

from __future__ import annotations

from copy import deepcopy
from functools import reduce
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import ValidationError

from tablecall import engine
from tablecall.model.refusals import Refusal
from tablecall.systems import ACTIONS
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.jazz.tables import EFFECT_BY_ID, FICTION_LEVELS

SEEDS = st.integers(0, 2**32)
LEVELS = st.sampled_from(list(FICTION_LEVELS))
HEALING = st.sampled_from([row.id for row in EFFECT_BY_ID.values() if row.category == "restoreHealth"])
ASPECTS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcd"), "bonus": st.integers(1, 3), "weird": st.booleans()}),
    min_size=1,
    max_size=4,
    unique_by=lambda aspect: aspect["name"],
)


@st.composite
def sheets(draw: st.DrawFn) -> dict[str, Any]:
    aspects = draw(ASPECTS)
    return {
        "id": draw(st.none() | st.just("pc")),
        "name": "Somebody",
        "aspects": aspects,
        "survivalAspect": draw(st.none() | st.sampled_from([aspect["name"] for aspect in aspects])),
        "weirdPool": draw(st.sampled_from(["highest", "sum"])),
        "named": draw(st.booleans()),
    }


def resolve(tag: str, request: dict[str, Any]) -> dict[str, Any] | None:
    """The ruling, after checking what holds for every ruling; None for a refusal."""
    system, action = ACTIONS[f"jazz.{tag}"]
    try:
        body = action.body.model_validate(deepcopy(request))
        ruling = engine.resolve(system, action, body)
    except (ValidationError, Refusal):
        return None
    check_undo(request, ruling)
    return ruling


def check_undo(request: dict[str, Any], ruling: dict[str, Any]) -> None:
    """Going back through the effects gives the sheets as they were sent."""
    before = deepcopy(ruling["after"])
    for effect in reversed(ruling["effects"]):
        if effect["pointer"] is not None:
            put(before, effect["pointer"], effect["from"])
    for name in before.keys() & request.keys():
        assert sheets_in(before[name]) == sheets_in(request[name])


def put(document: Any, pointer: str, value: Any) -> None:
    """Put a value at a JSON pointer, or remove what is there for null."""
    *path, last = pointer[1:].split("/")
    for key in path:
        document = document[int(key)] if isinstance(document, list) else document.setdefault(key, {})
    if isinstance(document, list):
        document[int(last) : int(last) + 1] = [] if value is None else [value]
    elif value is None:
        document.pop(last, None)
    else:
        document[last] = value


def sheets_in(part: Any) -> list[Any]:
    """All sheets in a part of a request, without what equals the default."""
    if isinstance(part, list):
        return [sheet for item in part for sheet in sheets_in(item)]
    if isinstance(part, dict) and "aspects" in part:
        return [JazzCharacter.model_validate(part).model_dump(by_alias=True)]
    return [sheet for inner in part.values() for sheet in sheets_in(inner)] if isinstance(part, dict) else []


class CharacterLife(RuleBasedStateMachine):
    """One sheet through any sequence of actions."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet: dict[str, Any] | None = None

    def act(self, tag: str, place: str, **request: Any) -> str | None:
        """Resolve an action and keep the sheet at that place of ``after``; the outcome, or None for a refusal."""
        ruling = resolve(tag, request)
        if ruling is None:
            return None
        self.sheet = reduce(lambda part, key: part[key], place.split("."), ruling["after"])
        return str(ruling["outcome"])

    @property
    def character(self) -> dict[str, Any]:
        if self.sheet is None:
            self.sheet = {"name": "Nobody", "aspects": [{"name": "a", "bonus": 2}], "survivalAspect": "a"}
        return self.sheet

    @rule(sheet=sheets())
    def begin(self, sheet: dict[str, Any]) -> None:
        if self.sheet is None:
            self.sheet = sheet

    @rule(
        using=st.lists(st.sampled_from("abcd"), max_size=2),
        actor=st.fixed_dictionaries(
            {
                "spend": st.sampled_from([None, None, "karma", "heldAdvantage"]),
                "imposeKarma": st.booleans(),
                "extraordinary": st.booleans(),
                "disadvantage": st.booleans(),
            }
        ),
        request=st.fixed_dictionaries(
            {
                "seed": SEEDS,
                "rescue": st.booleans(),
                "spendOn": st.sampled_from(["attempt", "success"]),
                "stakes": st.sampled_from(["something", "something", "none"]),
            }
        ),
    )
    def check(self, using: list[str], actor: dict[str, Any], request: dict[str, Any]) -> None:
        own = {aspect["name"] for aspect in self.character["aspects"]}
        actor |= {"character": self.character, "using": [name for name in using if name in own]}
        self.act("check", "actor.character", actor=actor, difficulty=9, **request)

    @rule(seed=SEEDS)
    def defend(self, seed: int) -> None:
        self.act("attack", "defender.character", attackers=[{"bonus": 4}], defender={"character": self.character}, seed=seed)

    @rule(seed=SEEDS, effect=HEALING)
    def heal(self, seed: int, effect: str) -> None:
        self.act("check", "subject", actor={"bonus": 9, "extraordinary": False}, effect=effect, subject=self.character, seed=seed)

    @rule(grant=st.sampled_from(["positive", "negative"]))
    def karma(self, grant: str) -> None:
        assert self.act("karma", "character", character=self.character, grant=grant)

    @rule()
    def complication(self) -> None:
        assert self.act("complication", "character", character=self.character)
        assert self.character["heldAdvantage"]

    @rule(rest=st.sampled_from(["halfHour", "night"]), rounding=st.sampled_from(["up", "down"]), blocked=st.sampled_from([[], ["health"]]))
    def rest(self, rest: str, rounding: str, blocked: list[str]) -> None:
        assert self.act("recovery", "character", character=self.character, rest=rest, rounding=rounding, blocked=blocked)

    @rule(seed=SEEDS, aspect=st.sampled_from("abcd"), level=LEVELS)
    def improve(self, seed: int, aspect: str, level: str) -> None:
        self.act("improve", "character", character=self.character, aspect=aspect, fictionLevel=level, seed=seed)

    @rule(name=st.sampled_from("abcdef"), weird=st.booleans(), level=LEVELS)
    def learn(self, name: str, weird: bool, level: str) -> None:
        dice = [{"roll": "character", "faces": [6]}]
        new = {"name": name, "weird": weird}
        if self.act("learn", "character", character=self.character, aspect=new, fictionLevel=level, dice=dice):
            assert self.character["aspects"][-1] == {**new, "bonus": 1, "expertise": []}

    @invariant()
    def sheet_is_valid(self) -> None:
        for pool in (self.character.get("health"), self.character.get("weird")):
            assert pool is None or 0 <= pool["current"] <= pool["max"]
        if self.character.get("weird") is not None:
            assert any(aspect.get("weird") for aspect in self.character["aspects"])
        assert JazzCharacter.model_validate(self.character).name == self.character["name"]


TestCharacterLife = CharacterLife.TestCase
TestCharacterLife.settings = settings(max_examples=40, stateful_step_count=25, suppress_health_check=list(HealthCheck))


@st.composite
def conflicts(draw: st.DrawFn) -> dict[str, Any]:
    combatants = []
    for index in range(draw(st.integers(2, 6))):
        sheet = draw(sheets()) | {"name": f"N{index}"}
        actor = {"character": sheet, "using": [sheet["aspects"][0]["name"]]} if draw(st.booleans()) or index < 2 else {"bonus": 1}
        combatants.append({"id": f"c{index}", "side": "xy"[index % 2], "actor": actor, "drop": draw(st.booleans())})
    return {"combatants": combatants, "ties": draw(st.sampled_from(["rerollOff", "listed", "simultaneous"])), "seed": draw(SEEDS)}


def stands(combatant: dict[str, Any]) -> bool:
    sheet = combatant["actor"].get("character")
    return sheet is None or not JazzCharacter.model_validate(sheet).is_out()


@given(conflict=conflicts(), data=st.data())
def test_rounds_until_finished(conflict: dict[str, Any], data: st.DataObject) -> None:
    request = conflict
    for number in range(1, 5):
        able = [combatant for combatant in request["combatants"] if stands(combatant)]
        foes = {side: [foe["id"] for foe in able if foe["side"] != side] for side in "xy"}
        targets = {combatant["id"]: data.draw(st.sampled_from([None, *foes[combatant["side"]]])) for combatant in able}
        request["orders"] = [{"by": [id_], "attack": target} for id_, target in targets.items() if target]
        ruling = resolve("round", request)
        assert ruling is not None
        after = ruling["after"]
        assert after["round"] == (number if ruling["outcome"] == "finished" else number + 1)
        assert sorted(id_ for place in after["order"] for id_ in place["ids"]) == sorted(
            combatant["id"] for combatant in request["combatants"]
        )
        standing = {combatant["side"] for combatant in after["combatants"] if stands(combatant)}
        assert ruling["outcome"] == ("ongoing" if len(standing) > 1 else "finished")
        if ruling["outcome"] == "finished":
            break
        request = {key: after[key] for key in ("combatants", "order", "round", "acted", "waiting", "falling")}
        request |= {"seed": f"{conflict['seed']} {number}"}
