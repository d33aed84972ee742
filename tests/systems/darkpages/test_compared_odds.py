"""Odds that compare keep choices, and odds of several attacks in a row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.systems.darkpages.playing import NYX, fractions, npc, nyx, odds, play, pool

CHECK: dict[str, Any] = {"actor": pool(5, 3, archetype="Spy"), "targetNumber": 15}
ATTACK: dict[str, Any] = {"attacker": npc(4, 3), "defender": {"character": NYX, "attribute": "body"}, "trauma": "injury"}


def chances(row: dict[str, Any]) -> dict[str, str]:
    return {outcome["outcome"]: outcome["fraction"] for outcome in row["outcomes"]}


def test_every_keep_choice_is_compared() -> None:
    """darkpages.dice.choice"""
    compared = odds("check", **CHECK, keepChoices=True)["keepChoices"]
    assert [(row["on"], row["keep"]) for row in compared] == [
        ("actor", "highest"),
        ("actor", "mostZeros"),
        ("actor", "mostZerosThatSucceed"),
    ]
    for row in compared:
        alone = odds("check", **CHECK | {"actor": CHECK["actor"] | {"keep": row["keep"]}})
        assert (chances(row), row["expected"]) == (chances(alone), alone["expected"])
    assert "keepChoices" not in odds("check", **CHECK)


@pytest.mark.parametrize(
    ("action", "request_", "who"),
    [
        ("check", {"actor": npc(2, 1), "targetNumber": 5}, []),
        ("check", {"actor": npc(2, 1), "opponent": pool(2, 1)}, ["opponent"]),
        ("check", {"actor": pool(2, 1), "targetNumber": 5, "trauma": "stress"}, ["actor", "damageKeep"]),
        ("teamwork", {"members": [pool(2, 1), npc(1, 1)], "targetNumber": 5}, ["members"]),
        ("attack", {"attacker": npc(1, 1), "defender": pool(2, 1), "trauma": "stress"}, ["defender", "damageKeep"]),
        ("damage", {"target": pool(2, 1), "trauma": "stress", "against": 5, "opposed": True}, ["target"]),
    ],
)
def test_choices_of_everybody_who_has_one(action: str, request_: dict[str, Any], who: list[str]) -> None:
    compared = odds(action, **request_, keepChoices=True).get("keepChoices", [])
    assert {row["on"] for row in compared} == set(who)
    assert len(compared) == 3 * len(who)


def test_choices_of_players_in_a_conflict() -> None:
    fighters = [{"id": "nyx", "actor": {"character": NYX, "attribute": "body"}}, {"id": "thug", "actor": npc(2, 2)}]
    check = {"action": "darkpages.check", "actor": {"participant": "nyx"}, "targetNumber": 15}
    compared = odds("conflict", participants=fighters, actions=[check], keepChoices=True)["keepChoices"]
    assert {row["on"] for row in compared} == {"participants.0"}
    for row in compared:
        alone = fractions("check", actor={"character": NYX, "attribute": "body", "keep": row["keep"]}, targetNumber=15)
        assert chances(row["results"][0]) == alone


@pytest.mark.parametrize("on_harm", ["defeated", "risk"])
@pytest.mark.parametrize("trauma", ["injury", "stress"])
def test_exchanges_are_attacks_one_after_the_other(on_harm: str, trauma: str) -> None:
    """darkpages.damage.steps: the odds of three attacks equal those of single attacks on the sheets as they then are."""
    request = ATTACK | {"onHarm": on_harm, "trauma": trauma}
    counted = odds("attack", **request, exchanges=3)
    states: list[tuple[dict[str, Any] | None, str, bool, Fraction]] = [(NYX, "", False, Fraction(1))]
    for exchange in range(3):
        following: list[tuple[dict[str, Any] | None, str, bool, Fraction]] = []
        for sheet, outcome, lasting, probability in states:
            if sheet is None:
                following.append((sheet, outcome, lasting, probability))
                continue
            single = fractions("attack", **request | {"defender": {"character": sheet, "attribute": "body"}})
            for now, chance in single.items():
                harmed = now not in ("failed", "resisted", "stalemate")
                shown = now if harmed or not lasting else outcome
                following.append((worse(sheet, now, trauma), shown, lasting or harmed, probability * Fraction(chance)))
        states = following
        expected = Counter[str]()
        for _, outcome, _, probability in states:
            expected[outcome] += probability  # type: ignore[assignment]
        assert {outcome: Fraction(text) for outcome, text in chances(counted["results"][exchange]).items()} == expected
    assert chances(counted) == chances(counted["results"][-1])


def worse(sheet: dict[str, Any], outcome: str, trauma: str) -> dict[str, Any] | None:
    """The sheet after an attack; None for somebody who is Defeated or out of the game."""
    trait = {"injury": "health", "stress": "sanity"}[trauma]
    if outcome in ("defeated", "outOfGame"):
        return None
    if outcome == "held":
        return nyx(damage=sheet["damage"], overflow={trait: sheet.get("overflow", {}).get(trait, 0) + 1})
    if outcome in ("diminished", "damaged", "destroyed"):
        return nyx(damage={trait: outcome})
    return sheet


def test_supplied_dice_belong_to_the_first_exchange() -> None:
    counted = odds("attack", {"attacker": [0, 0, 0, 0]}, **ATTACK, exchanges=2)
    assert chances(counted["results"][0])["failed"] != "0"
    assert chances(counted["results"][1])["defeated"] == fractions("attack", **ATTACK)["defeated"]


def test_rulings_do_not_depend_on_exchanges_or_compared_choices() -> None:
    plain = play("attack", **ATTACK)
    more = play("attack", **ATTACK, exchanges=20, keepChoices=True)
    assert (more["outcome"], more["rolls"], more["after"]) == (plain["outcome"], plain["rolls"], plain["after"])


def test_exchanges_with_a_bare_pool_end_with_its_defeat() -> None:
    request = {"attacker": npc(1, 1), "defender": npc(1, 1), "trauma": "injury"}
    first = Fraction(fractions("attack", **request)["defeated"])
    assert Fraction(fractions("attack", **request, exchanges=2)["defeated"]) == first + (1 - first) * first


def test_options_of_a_team_in_a_conflict() -> None:
    """darkpages.iiee.conflict: they change the action that was declared, also where a member takes no part."""
    fighters = [
        {"id": "out", "actor": pool(1, 1, defeated=True, name="Out")},
        {"id": "nyx", "actor": {"character": NYX, "attribute": "body"}},
        {"id": 3, "actor": pool(1, 1, archetype="Spy")},
        {"id": 4, "actor": pool(1, 1, archetype="Mystic")},
    ]
    members = [{"participant": name, "modifiers": ["+2/0"]} for name in ("out", "nyx", 3, 4)]
    team = {"action": "darkpages.teamwork", "members": members, "targetNumber": 5}
    faces = {"participants.1.action1": [9, 8, 7, 6, 0, 0, 0]}
    ruling = play("conflict", faces, participants=fighters, actions=[team], include=["options"])
    options = ruling["results"][0]["options"]
    assert {option["choice"] for option in options} == {"keepZeros", "award"}
    for option in options:
        (action,) = option["request"]["actions"]
        if option["choice"] == "award":
            assert set(action["awards"]) <= {2, 3}
        else:
            assert action["members"][1]["keepDice"]
        assert play("conflict", faces, participants=fighters, actions=[action])["results"][0]["outcome"] in ("success", "failure")
