"""The same seed gives the same conflict by turns, by rounds and as a whole fight."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.systems.jazz.playing import fighter, play

ROUNDS = 4
Conflict = dict[str, Any]


def conflict(number: int) -> tuple[Conflict, list[str]]:
    """A random conflict with its order, and the sides that attack together."""
    random = Random(number)
    ids = [f"c{index}" for index in range(random.randint(2, 6))]
    sides = ["red", "blue", "green"][: random.choice([2, 2, 3])]
    people = [
        fighter(id_, sides[index % len(sides)], random.choice([0, 1, 1, 2, 3]), random.randint(1, 4), named=random.random() < 0.8)
        for index, id_ in enumerate(ids)
    ]
    random.shuffle(people)
    shuffled = random.sample(ids, len(ids))
    order: list[dict[str, Any]] = []
    while shuffled:
        size = random.choice([1, 1, 2, 3])
        order.append({"ids": shuffled[:size]})
        shuffled = shuffled[size:]
    together = [side for side in sides if random.random() < 0.4]
    return {"combatants": people, "order": order, "seed": f"conflict {number}"}, together


def side_of(state: Conflict, id_: str) -> str:
    found: str = next(person["side"] for person in state["combatants"] if person["id"] == id_)
    return found


def foes(state: Conflict, side: str) -> list[str]:
    return [person["id"] for person in state["combatants"] if person["side"] != side]


def stands(state: Conflict, id_: str) -> bool:
    sheet = next(person["actor"]["character"] for person in state["combatants"] if person["id"] == id_)
    return sheet["health"]["current"] > 0 and not sheet.get("out", False)


def team_of(state: Conflict, id_: str, together: list[str]) -> list[str]:
    side = side_of(state, id_)
    return [person["id"] for person in state["combatants"] if person["side"] == side] if side in together else [id_]


def places(state: Conflict) -> dict[str, tuple[int, int]]:
    """The place of each in the order, and the position in it."""
    return {id_: (number, position) for number, place in enumerate(state["order"]) for position, id_ in enumerate(place["ids"])}


def sequence(state: Conflict, together: list[str]) -> list[tuple[int, list[str]]]:
    """Everybody, or every team, in the order of a round: the place of the slowest who stands as it begins, and who they are."""
    place_of = places(state)
    teams = [list(team) for team in {tuple(team_of(state, id_, together)): None for id_ in place_of}]
    slots = []
    for team in teams:
        able = [id_ for id_ in team if stands(state, id_)] or team
        place = max(place_of[id_][0] for id_ in able)
        slots.append((min(place_of[id_] for id_ in team if place_of[id_][0] == place), team))
    return [(place, team) for (place, _), team in sorted(slots)]


def by_rounds(state: Conflict, together: list[str]) -> tuple[list[dict[str, Any]], Conflict, str]:
    """The rolls, the state after, and the outcome."""
    rolls: list[dict[str, Any]] = []
    seed, outcome = state["seed"], "ongoing"
    for _ in range(ROUNDS):
        teams = [team for _, team in sequence(state, together)]
        ruling = play("round", **state, orders=[{"by": team, "attack": foes(state, side_of(state, team[0]))} for team in teams])
        rolls += ruling["rolls"]
        state, outcome = ruling["after"] | {"seed": seed}, ruling["outcome"]
        if outcome == "finished":
            break
    return rolls, state, outcome


def by_turns(state: Conflict, together: list[str]) -> tuple[list[dict[str, Any]], Conflict, str] | None:
    """The same, one turn at a time: members of a team wait for the slowest."""
    rolls: list[dict[str, Any]] = []
    seed = state["seed"]
    place_of = places(state)
    able = [id_ for id_ in place_of if stands(state, id_)]
    nexts, outcome = [id_ for id_ in able if place_of[id_][0] == place_of[able[0]][0]], "ongoing"

    def take(turn: dict[str, Any]) -> None:
        nonlocal state, nexts, outcome
        ruling = play("turn", **state, turn=turn)
        rolls.extend(ruling["rolls"])
        state, nexts, outcome = ruling["after"] | {"seed": seed}, ruling["next"], ruling["outcome"]

    for number in range(1, ROUNDS + 1):
        turns = sequence(state, together)
        slot_of = {id_: slot for slot, team in turns for id_ in team}
        for slot, team in turns:
            while outcome == "ongoing" and state.get("round", 1) == number:
                early = [id_ for id_ in nexts if place_of[id_][0] < slot_of[id_] and id_ not in state.get("waiting", [])]
                if not early:
                    break
                take({"by": early[:1], "wait": True})
            if outcome == "ongoing" and any(stands(state, id_) or id_ in state.get("falling", []) for id_ in team):
                if all(place_of[id_][0] != slot for id_ in team if stands(state, id_) or id_ in state.get("falling", [])):
                    # the team acts in the place of a member who is out: a round knows that, a turn does not
                    return None
                targets = foes(state, side_of(state, team[0]))
                standing = any(stands(state, id_) for id_ in targets)
                take({"by": team, "attack": targets} if standing else {"by": team, "pass": True})
    return rolls, state, outcome


def faces(rolls: list[dict[str, Any]]) -> dict[str, list[int]]:
    return {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in rolls}


def sheets(state: Conflict) -> list[Any]:
    return [person["actor"]["character"] for person in state["combatants"]]


@pytest.mark.parametrize("number", range(120))
def test_same_seed(number: int) -> None:
    state, together = conflict(number)
    listed = {person["side"] for person in state["combatants"]}
    together = [side for side in together if side in listed]
    whole = play("fight", **state, together=together, maxRounds=ROUNDS)
    if len({person["side"] for person in state["combatants"] if stands(state, person["id"])}) < 2:
        assert whole["rolls"] == []
        return
    rounds, after_rounds, outcome = by_rounds(state, together)
    assert faces(rounds) == faces(whole["rolls"])
    assert sheets(after_rounds) == sheets(whole["after"])
    assert after_rounds["round"] == whole["after"]["round"]
    assert set(whole["after"]["acted"]) <= set(after_rounds["acted"])
    taken = by_turns(state, together)
    if taken is None:
        return
    turns, after_turns, ended = taken
    assert (faces(turns), ended) == (faces(rounds), outcome)
    assert sheets(after_turns) == sheets(after_rounds)
    assert after_turns["round"] == after_rounds["round"]
