"""Recovery, Scars and Training Points."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import nyx, odds, play, size, values

SCAR = {"attribute": "mind", "modifier": "-1/0", "condition": "judging distances"}
BATTERED = nyx(damage={"health": "destroyed", "sanity": "damaged", "aura": "diminished"}, overflow={"sanity": 2}, defeated=True)


@pytest.mark.parametrize(
    ("when", "more", "after", "steps"),
    [
        ("respite", {}, ("destroyed", "damaged", "unhurt", 2, True), {"diminished": ["aura"]}),
        ("sessionStart", {}, ("destroyed", "unhurt", "unhurt", 0, True), {"damaged": ["sanity"], "diminished": ["aura"]}),
        ("sessionStart", {"care": False}, ("destroyed", "damaged", "unhurt", 2, True), {"damaged": [False], "diminished": ["aura"]}),
        ("sessionEnd", {"scar": SCAR}, ("damaged", "damaged", "diminished", 2, True), {"destroyed": ["health"]}),
        (
            "interval",
            {"scar": SCAR},
            ("unhurt", "unhurt", "unhurt", 0, True),
            {"destroyed": ["health"], "damaged": ["health", "sanity"], "diminished": ["aura"], "interval": [None]},
        ),
        (
            "interval",
            {"scar": SCAR, "care": False},
            ("damaged", "damaged", "unhurt", 2, True),
            {"destroyed": ["health"], "damaged": [False, False], "diminished": ["aura"], "interval": [None]},
        ),
        ("conflictEnd", {}, ("destroyed", "damaged", "diminished", 2, False), {"conflictEnd": [None]}),
    ],
)
def test_each_moment_heals_its_states(when: str, more: dict[str, Any], after: tuple[Any, ...], steps: dict[str, list[Any]]) -> None:
    """darkpages.recovery.diminished, darkpages.recovery.damaged, darkpages.recovery.destroyed, darkpages.recovery.interval,
    darkpages.recovery.conflictEnd"""
    ruling = play("recovery", character=BATTERED, when=when, **more)
    sheet = ruling["after"]["character"]
    assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("recovered", True, [])
    assert (*sheet["damage"].values(), sheet["overflow"]["sanity"], sheet["defeated"]) == after
    assert sheet.get("scars", []) == ([SCAR] if "scar" in more else [])
    for moment in ("diminished", "damaged", "destroyed", "interval", "conflictEnd"):
        still_open = [None] if (moment == "conflictEnd" != when) or (moment == "destroyed" and when == "sessionStart") else []
        assert values(ruling, f"darkpages.recovery.{moment}") == steps.get(moment, []) + still_open


@pytest.mark.parametrize(
    ("when", "sheet", "rules"),
    [
        ("respite", nyx(), ["recovery.diminished"]),
        ("sessionStart", nyx(), ["recovery.diminished"]),
        ("sessionEnd", nyx(damage={"sanity": "damaged"}), ["recovery.destroyed"]),
        ("conflictEnd", nyx(), ["recovery.conflictEnd"]),
        *(
            (when, BATTERED | {"outOfGame": True}, ["damage.destroyed"])
            for when in ("sessionEnd", "sessionStart", "respite", "conflictEnd")
        ),
        ("interval", BATTERED | {"outOfGame": True}, ["recovery.interval", "damage.destroyed"]),
    ],
)
def test_nothing_to_recover(when: str, sheet: dict[str, Any], rules: list[str]) -> None:
    ruling = play("recovery", character=sheet, when=when)
    assert (ruling["outcome"], ruling["succeeded"], ruling["effects"]) == ("unchanged", False, [])
    assert [step["rule"] for step in ruling["steps"]] == [f"darkpages.{rule}" for rule in rules]


def test_effects_of_a_recovery() -> None:
    ruling = play("recovery", character=BATTERED, when="interval", scar=SCAR)
    assert [(effect["stat"], effect["from"], effect["to"], effect["change"]) for effect in ruling["effects"]] == [
        ("damage.health", "destroyed", "damaged", -1),
        ("scars.0", None, SCAR, 1),
        ("damage.health", "damaged", "unhurt", -2),
        ("damage.sanity", "damaged", "unhurt", -2),
        ("overflow.sanity", 2, 0, -2),
        ("damage.aura", "diminished", "unhurt", -1),
    ]


@pytest.mark.parametrize("when", ["sessionStart", "interval", "sessionEnd", "respite", "conflictEnd"])
@pytest.mark.parametrize(("care", "notes"), [(True, []), (False, ["/care"])])
def test_missing_care_without_damage_is_noted(when: str, care: bool, notes: list[str]) -> None:
    ruling = play("recovery", character=nyx(), when=when, care=care)
    assert ([note["pointer"] for note in ruling["notes"]], values(ruling, "darkpages.recovery.damaged")) == (notes, [])


@pytest.mark.parametrize(
    ("when", "moment", "option"),
    [
        ("sessionStart", "destroyed", ("sessionEnd", None)),
        ("sessionStart", "conflictEnd", ("conflictEnd", {"when": "conflictEnd"})),
        ("respite", "conflictEnd", ("conflictEnd", {"when": "conflictEnd"})),
    ],
)
def test_who_is_still_to_be_dealt_with_is_told(when: str, moment: str, option: tuple[str, Any]) -> None:
    ruling = play("recovery", character=BATTERED, when=when, include=["options"])
    assert values(ruling, f"darkpages.recovery.{moment}") == [None]
    assert option in [(offer["choice"], offer["request"]) for offer in ruling["options"]]


def test_several_characters_recover_together() -> None:
    """darkpages.recovery.conflictEnd"""
    ruling = play("recovery", characters=[nyx(defeated=True), nyx(name="Bo")], when="conflictEnd")
    assert ruling["outcome"] == "recovered"
    assert [sheet.get("defeated", False) for sheet in ruling["after"]["characters"]] == [False, False]
    assert [effect["pointer"] for effect in ruling["effects"]] == ["/characters/0/defeated"]


def test_who_is_out_of_the_game_returns_as_an_npc() -> None:
    """darkpages.damage.destroyed"""
    ruling = play("recovery", character=nyx(damage={"health": "destroyed"}, defeated=True, outOfGame=True), when="returnAsNpc")
    sheet = ruling["after"]["character"]
    assert (ruling["outcome"], sheet["outOfGame"], sheet["npc"], sheet["defeated"]) == ("recovered", False, True, False)
    assert sheet["damage"] == {"health": "damaged"}


@pytest.mark.parametrize(("scars", "expected"), [([], "5k2"), ([0], "5k2"), ([3], "4k2"), ([1], "5k2")])
def test_scars_without_a_condition_count_by_themselves(scars: list[int], expected: str) -> None:
    """darkpages.scars: each once; one with a condition where it is listed."""
    listed = [
        {"attribute": "body", "modifier": "-0/1"},
        {"attribute": "mind", "modifier": "−2/0"},
        {"attribute": "mind", "modifier": "-1/0", "condition": "at sea"},
        {"modifier": "-1/0", "condition": "at night"},
    ]
    ruling = play("check", actor={"character": nyx(scars=listed), "attribute": "body", "scars": scars}, targetNumber=5)
    assert size(ruling) == expected
    keys = [step["key"] for step in ruling["steps"] if step["rule"] == "darkpages.scars"]
    assert ("darkpages.pool.scar_not_counted" in keys) is (3 not in scars)
    assert ("darkpages.pool.scar_elsewhere" in keys) is (1 in scars)


def test_who_concedes_is_defeated() -> None:
    """darkpages.damage.defeated"""
    ruling = play("concede", character=nyx())
    assert (ruling["outcome"], ruling["after"]["character"]["defeated"], ruling["rolls"]) == ("defeated", True, [])


class TestTraining:
    """darkpages.training.session"""

    LEDGER = (
        {"id": 1, "name": "Nyx", "archetype": "Warrior", "points": 5},
        {"id": "bo", "name": "Bo", "archetype": "warrior", "points": 5},
        {"archetype": "Order: Gold", "points": 999_999_998},
    )

    def points(self, **entry: Any) -> tuple[str, list[int]]:
        ruling = play("training", ledger=list(self.LEDGER), **entry)
        return ruling["outcome"], [line["points"] for line in ruling["after"]["ledger"]]

    def test_award_goes_to_every_entry_of_the_archetype(self) -> None:
        assert self.points(award={"archetype": " WARRIOR", "points": 2}) == ("awarded", [7, 7, 999_999_998])
        assert self.points(award={"archetype": "Spy", "points": 1}) == ("awarded", [5, 5, 999_999_998, 1])
        assert self.points(award={"archetype": "Order: Gold", "points": 2}) == ("awarded", [5, 5, 1_000_000_000])

    def test_effects_of_a_ruling_are_awarded_as_they_come(self) -> None:
        ruling = play("check", {"actor": [9, 0, 0]}, actor={"character": nyx(), "attribute": "soul", "keep": "mostZeros"}, targetNumber=5)
        assert self.points(awards=ruling["effects"]) == ("awarded", [7, 7, 999_999_998])

    @pytest.mark.parametrize(("who", "after"), [({"id": "1"}, [2, 5]), ({"id": "bo"}, [5, 2]), ({"name": "bo"}, [5, 2])])
    def test_one_entry_pays(self, who: dict[str, Any], after: list[int]) -> None:
        spend = {"archetype": "Warrior", "cost": 3, "power": "night sight"} | who
        assert self.points(spend=spend, sessionEnded=True) == ("spent", [*after, 999_999_998])

    def test_odds_of_spending(self) -> None:
        spend = {"id": "bo", "archetype": "Warrior", "cost": 5, "power": "night sight"}
        assert odds("training", ledger=list(self.LEDGER), spend=spend, sessionEnded=True)["expected"] == {"ledger.1.points": -5.0}
