"""Effects of random requests: applied, they give `after`; undone, they give the request. Damage gets one step worse at most."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablecall import engine
from tablecall.systems import ACTIONS
from tablecall.systems.darkpages.tables import STATES, TRAITS

TRACKS = tuple(TRAITS.values())
SIZES = st.integers(1, 6)
POOLS = st.fixed_dictionaries({"roll": SIZES, "keep": SIZES})
STATE = st.sampled_from(STATES)
TRAUMAS = st.sampled_from(["injury", "illness", "stress", "fatigue", "corruption"])
SCARS = st.fixed_dictionaries({"modifier": st.sampled_from(["-1/0", "-0/1", "−1/1"]), "attribute": st.sampled_from([None, "body", "soul"])})
SHEETS = st.fixed_dictionaries(
    {
        "name": st.just("Nyx"),
        "archetype": st.sampled_from([None, "Warrior", "Mystic"]),
        "npc": st.booleans(),
        "attributes": st.fixed_dictionaries(dict.fromkeys(TRAITS, POOLS)),
        "lethal": st.sampled_from(TRACKS),
        "damage": st.fixed_dictionaries(dict.fromkeys(TRACKS, STATE)),
        "overflow": st.fixed_dictionaries({track: st.sampled_from([0, 1, 99]) for track in TRACKS}),
        "scars": st.lists(SCARS, max_size=2),
    }
)
ACTORS = st.one_of(
    st.fixed_dictionaries({"character": SHEETS, "attribute": st.sampled_from(list(TRAITS))}),
    st.fixed_dictionaries({"pool": POOLS, "npc": st.booleans(), "archetype": st.sampled_from([None, "Warrior", "Mystic"])}),
)
CHOICES = {
    "trauma": TRAUMAS,
    "onHarm": st.sampled_from(["defeated", "risk"]),
    "damageTie": st.sampled_from(["stalemate", "harm"]),
    "overflow": st.sampled_from(["hold", "stack"]),
    "floor": st.sampled_from(["one", "zero"]),
    "seed": st.integers(0, 10**6),
}
ATTACKS = st.fixed_dictionaries({"attacker": ACTORS, "defender": ACTORS, **CHOICES})
DEFENCES = st.fixed_dictionaries({"attacker": ACTORS, "defender": ACTORS, "ward": ACTORS, "reuseAttack": st.booleans(), **CHOICES})
TEAMS = st.fixed_dictionaries(
    {"members": st.lists(ACTORS, min_size=1, max_size=4), "targetNumber": st.integers(1, 40), "seed": st.integers(0, 10**6)}
)
MERCILESS = st.fixed_dictionaries(
    {"attacker": ACTORS, "victim": SHEETS, "rescuer": st.one_of(st.none(), ACTORS), "seed": st.integers(0, 10**6)}
)
RECOVERIES = st.fixed_dictionaries(
    {
        "character": SHEETS,
        "when": st.sampled_from(["conflictEnd", "respite", "sessionEnd", "sessionStart", "interval"]),
        "care": st.booleans(),
    }
)


def put(document: dict[str, Any], pointer: str | None, value: Any) -> None:
    """Put a value where a pointer leads; add what is missing on the way, and remove a list entry for a null. Groups have no pointer."""
    if pointer is None:
        return
    *path, last = pointer.removeprefix("/").split("/")
    place: Any = document
    for part in path:
        place = place[int(part)] if isinstance(place, list) else place.setdefault(part, [] if part == "scars" else {})
    if not isinstance(place, list):
        place[last] = value
    elif value is None:
        del place[int(last)]
    else:
        place.insert(int(last), value)


def without_defaults(document: Any) -> Any:
    """The document without what an effect adds and its undoing leaves at its default."""
    if isinstance(document, list):
        return [without_defaults(item) for item in document]
    if not isinstance(document, dict):
        return document
    members = {name: without_defaults(value) for name, value in document.items()}
    return {name: value for name, value in members.items() if value not in (False, None, 0, "unhurt", [], {})}


def resolve_and_undo(action: str, request: dict[str, Any]) -> dict[str, Any]:
    """The ruling, after checking that its effects can be applied and undone and that ``after`` is a valid request."""
    system, definition = ACTIONS[f"darkpages.{action}"]
    body = definition.body.model_validate(request)
    ruling = engine.resolve(system, definition, body)
    changed = copy.deepcopy(body.sent)
    for effect in ruling["effects"]:
        put(changed, effect["pointer"], effect["to"])
    assert {name: changed[name] for name in ruling["after"]} == ruling["after"]
    for effect in reversed(ruling["effects"]):
        put(changed, effect["pointer"], effect["from"])
    assert without_defaults(changed) == without_defaults(body.sent)
    after = {name: part for name, part in ruling["after"].items() if part is not None}
    definition.body.model_validate({name: value for name, value in request.items() if value is not None} | after)
    return ruling


def assert_one_step_worse_at_most(before: dict[str, Any], after: dict[str, Any]) -> None:
    steps = [STATES.index(after["damage"][track]) - STATES.index(before["damage"][track]) for track in TRACKS]
    assert sum(steps) in (0, 1)
    assert min(steps) == 0
    for track, step in zip(TRACKS, steps, strict=True):
        if step and track != before["lethal"]:
            assert after["damage"][track] != "destroyed"


@given(ATTACKS)
def test_attack_harms_by_one_step_at_most(request: dict[str, Any]) -> None:
    ruling = resolve_and_undo("attack", request)
    if "character" in request["defender"]:
        assert_one_step_worse_at_most(request["defender"]["character"], ruling["after"]["defender"]["character"])


@given(DEFENCES)
def test_defence_harms_one_participant_at_most(request: dict[str, Any]) -> None:
    ruling = resolve_and_undo("defend", request)
    changed = {effect["on"] for effect in ruling["effects"] if not effect["on"].startswith("archetype:")}
    assert changed <= {ruling["harmed"]}


@given(TEAMS)
def test_teamwork_changes_no_sheet(request: dict[str, Any]) -> None:
    assert all(effect["stat"] == "trainingPoints" for effect in resolve_and_undo("teamwork", request)["effects"])


@given(MERCILESS)
def test_no_mercy_removes_only_the_killed(request: dict[str, Any]) -> None:
    trauma = {"health": "injury", "sanity": "stress", "aura": "corruption"}[request["victim"]["lethal"]]
    victim = request["victim"] | {"defeated": True}
    ruling = resolve_and_undo("noMercy", {name: value for name, value in request.items() if value} | {"victim": victim, "trauma": trauma})
    assert ruling["after"]["victim"].get("outOfGame", False) is (ruling["outcome"] == "killed")


@given(RECOVERIES)
def test_recovery_makes_nothing_worse(request: dict[str, Any]) -> None:
    before = request["character"]
    if request["when"] in ("sessionEnd", "interval") and "destroyed" in before["damage"].values():
        request["scar"] = {"modifier": "-1/0"}
    after = resolve_and_undo("recovery", request)["after"]["character"]
    assert all(STATES.index(after["damage"][track]) <= STATES.index(before["damage"][track]) for track in TRACKS)
    assert len(after["scars"]) - len(before["scars"]) == ("scar" in request)


@given(ATTACKS)
def test_option_has_the_chance_it_names(request: dict[str, Any]) -> None:
    system, definition = ACTIONS["darkpages.attack"]
    for option in engine.resolve(system, definition, definition.body.model_validate(request | {"include": ["options"]}))["options"]:
        patched = engine.merge(request, option["request"])
        succeeded = engine.resolve(system, definition, definition.body.model_validate(patched))["succeeded"]
        if option["chance"] in (0.0, 1.0):
            wanted = "attacker" in option["request"]  # a defender wants the attack to fail
            assert (succeeded is wanted) is (option["chance"] == 1.0)
