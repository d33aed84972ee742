"""Whatever is done to a sheet: pools stay within their bounds, effects give ``after``, and undoing them gives the request back."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import ValidationError

from tablecall import engine
from tablecall.model.refusals import Refusal
from tablecall.systems import ACTIONS
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.jazz.tables import FICTION_LEVELS, WEIRD_EFFECTS

SEEDS = st.integers(0, 2**32)
LEVELS = st.sampled_from(list(FICTION_LEVELS))
HEALING = st.sampled_from([row.id for row in WEIRD_EFFECTS if row.category == "restoreHealth"])

aspects = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["a", "b", "c", "d"]), "bonus": st.integers(1, 3), "weird": st.booleans()}),
    min_size=1,
    max_size=4,
    unique_by=lambda aspect: aspect["name"],
)


@st.composite
def sheets(draw: st.DrawFn) -> dict[str, Any]:
    found = draw(aspects)
    return {
        "id": draw(st.none() | st.just("pc")),
        "name": "Somebody",
        "aspects": found,
        "survivalAspect": draw(st.none() | st.sampled_from([aspect["name"] for aspect in found])),
        "weirdPool": draw(st.sampled_from(["highest", "sum"])),
        "named": draw(st.booleans()),
    }


def resolve(action: str, request: dict[str, Any]) -> dict[str, Any] | None:
    """The ruling, held against what is true of every ruling; None where it is refused."""
    system, found = ACTIONS[f"jazz.{action}"]
    try:
        body = found.body.model_validate(deepcopy(request))
        ruling = engine.resolve(system, found, body)
    except (ValidationError, Refusal):
        return None
    named = [alias for _, alias, _ in engine.participant_fields(found.body)]
    sent = {name: part for name, part in engine.after(body, []).items() if name in named}
    after = {name: part for name, part in ruling["after"].items() if name in named}
    forwards, backwards = deepcopy(sent), deepcopy(after)
    for effect in ruling["effects"]:
        engine.apply(forwards, effect["on"], effect["stat"], effect["to"], found.body)
    for effect in reversed(ruling["effects"]):
        engine.apply(backwards, effect["on"], effect["stat"], effect["from"], found.body)
    assert forwards == after
    assert backwards == sent
    return ruling


def as_dumped(sheet: dict[str, Any]) -> dict[str, Any]:
    """A sheet with its pools derived, as ``after`` has it."""
    return JazzCharacter.model_validate(sheet).model_dump(by_alias=True)


class Life(RuleBasedStateMachine):
    """One sheet through any sequence of actions."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet: dict[str, Any] | None = None

    def do(self, action: str, place: str, request: dict[str, Any]) -> str | None:
        ruling = resolve(action, request)
        if ruling is None:
            return None
        found = ruling["after"]
        for key in place.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]
        self.sheet = found
        outcome: str = ruling["outcome"]
        return outcome

    @property
    def character(self) -> dict[str, Any]:
        if self.sheet is None:
            self.sheet = as_dumped({"name": "Nobody", "aspects": [{"name": "a", "bonus": 2}], "survivalAspect": "a"})
        return self.sheet

    @rule(sheet=sheets())
    def begin(self, sheet: dict[str, Any]) -> None:
        if self.sheet is None:
            self.sheet = as_dumped(sheet)

    @rule(
        seed=SEEDS,
        using=st.lists(st.sampled_from("abcd"), max_size=2),
        spend=st.sampled_from([None, None, "karma", "heldAdvantage"]),
        impose=st.booleans(),
        extraordinary=st.booleans(),
        rescue=st.booleans(),
        disadvantage=st.booleans(),
        spend_on=st.sampled_from(["attempt", "success"]),
        stakes=st.sampled_from(["something", "something", "none"]),
    )
    def check(
        self,
        seed: int,
        using: list[str],
        spend: str | None,
        impose: bool,
        extraordinary: bool,
        rescue: bool,
        disadvantage: bool,
        spend_on: str,
        stakes: str,
    ) -> None:
        actor = {
            "character": self.character,
            "using": [name for name in using if name in {aspect["name"] for aspect in self.character["aspects"]}],
            "spend": spend,
            "imposeKarma": impose,
            "extraordinary": extraordinary,
            "disadvantage": disadvantage,
        }
        self.do(
            "check",
            "actor.character",
            {"actor": actor, "difficulty": 9, "rescue": rescue, "spendOn": spend_on, "stakes": stakes, "seed": seed},
        )

    @rule(seed=SEEDS)
    def defend(self, seed: int) -> None:
        self.do("attack", "defender.character", {"attackers": [{"bonus": 4}], "defender": {"character": self.character}, "seed": seed})

    @rule(seed=SEEDS, effect=HEALING)
    def heal(self, seed: int, effect: str) -> None:
        self.do("check", "subject", {"actor": {"bonus": 9}, "effect": effect, "subject": self.character, "seed": seed})

    @rule(grant=st.sampled_from(["positive", "negative"]))
    def karma(self, grant: str) -> None:
        assert self.do("karma", "character", {"character": self.character, "grant": grant})

    @rule()
    def complication(self) -> None:
        assert self.do("complication", "character", {"character": self.character})
        assert self.character["heldAdvantage"]

    @rule(rest=st.sampled_from(["halfHour", "night"]), rounding=st.sampled_from(["up", "down"]), blocked=st.sampled_from([[], ["health"]]))
    def rest(self, rest: str, rounding: str, blocked: list[str]) -> None:
        assert self.do("recovery", "character", {"character": self.character, "rest": rest, "rounding": rounding, "blocked": blocked})

    @rule(seed=SEEDS, aspect=st.sampled_from("abcd"), level=LEVELS)
    def improve(self, seed: int, aspect: str, level: str) -> None:
        self.do("improve", "character", {"character": self.character, "aspect": aspect, "fictionLevel": level, "seed": seed})

    @rule(name=st.sampled_from("abcdef"), weird=st.booleans(), level=LEVELS)
    def learn(self, name: str, weird: bool, level: str) -> None:
        dice = [{"roll": "character", "faces": [6]}]
        request = {"character": self.character, "aspect": {"name": name, "weird": weird}, "fictionLevel": level, "dice": dice}
        if self.do("learn", "character", request):
            assert self.character["aspects"][-1] == {"name": name, "bonus": 1, "weird": weird, "expertise": []}

    @invariant()
    def pools_stay_within_their_bounds(self) -> None:
        for pool in ("health", "weird"):
            there = self.character.get(pool)
            assert there is None or 0 <= there["current"] <= there["max"]
        if self.character.get("weird") is not None:
            assert any(aspect["weird"] for aspect in self.character["aspects"])

    @invariant()
    def it_is_still_a_sheet(self) -> None:
        assert as_dumped(self.character) == self.character


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=40, stateful_step_count=25, suppress_health_check=list(HealthCheck))


@st.composite
def conflicts(draw: st.DrawFn) -> dict[str, Any]:
    number = draw(st.integers(2, 6))
    combatants = []
    for index in range(number):
        sheet = draw(sheets()) | {"name": f"N{index}"}
        actor = {"character": sheet, "using": [sheet["aspects"][0]["name"]]} if draw(st.booleans()) or index < 2 else {"bonus": 1}
        combatants.append({"id": f"c{index}", "side": "xy"[index % 2], "actor": actor, "drop": draw(st.booleans())})
    return {"combatants": combatants, "ties": draw(st.sampled_from(["rerollOff", "listed", "simultaneous"])), "seed": draw(SEEDS)}


def standing(combatant: dict[str, Any]) -> bool:
    sheet = combatant["actor"].get("character")
    return sheet is None or not JazzCharacter.model_validate(sheet).is_out()


@given(conflict=conflicts(), data=st.data())
def test_round_after_round_until_finished(conflict: dict[str, Any], data: st.DataObject) -> None:
    request = conflict
    for number in range(1, 5):
        able = [one for one in request["combatants"] if standing(one)]
        targets = {side: [one["id"] for one in able if one["side"] != side] for side in "xy"}
        orders = []
        for one in able:
            whom = data.draw(st.sampled_from([None, *targets[one["side"]]]))
            if whom is not None:
                orders.append({"by": [one["id"]], "attack": whom})
        request["orders"] = orders
        ruling = resolve("round", request)
        assert ruling is not None
        assert ruling["after"]["round"] == number + 1
        assert sorted(one for place in ruling["after"]["order"] for one in place) == sorted(one["id"] for one in request["combatants"])
        for turn in ruling["turns"]:
            alone = dict(turn["request"])
            again = resolve(alone.pop("action").removeprefix("jazz."), alone)
            assert again is not None
            assert again | {"request": turn["request"]} == turn
        assert [(effect["stat"], effect["from"], effect["to"]) for effect in ruling["effects"]] == [
            (effect["stat"], effect["from"], effect["to"]) for turn in ruling["turns"] for effect in turn["effects"]
        ]
        left = {one["side"] for one in ruling["after"]["combatants"] if standing(one)}
        assert ruling["outcome"] == ("ongoing" if len(left) > 1 else "finished")
        if ruling["outcome"] == "finished":
            break
        request = {**ruling["after"], "seed": f"{conflict['seed']} {number}"}
