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
    assert sheet["scars"] == ([SCAR] if "scar" in more else [])
    for moment in ("diminished", "damaged", "destroyed", "interval", "conflictEnd"):
        assert values(ruling, f"darkpages.recovery.{moment}") == steps.get(moment, [])


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
@pytest.mark.parametrize(("care", "steps"), [(True, []), (False, [False])])
def test_missing_care_without_damage_is_noted(when: str, care: bool, steps: list[bool]) -> None:
    assert values(play("recovery", character=nyx(), when=when, care=care), "darkpages.recovery.damaged") == steps


@pytest.mark.parametrize(("scars", "expected"), [([], "5k3"), ([0], "4k2"), ([1], "5k3"), ([2], "5k2"), ([0, 1, 2], "4k1")])
def test_listed_scars_reduce_their_attribute(scars: list[int], expected: str) -> None:
    """darkpages.scars"""
    sheet = nyx(scars=[{"modifier": "-1/1"}, {"attribute": "mind", "modifier": "−2/0"}, {"attribute": "body", "modifier": "-0/1"}])
    actor = {"character": sheet, "attribute": "body", "scars": scars}
    ruling = play("check", actor=actor, targetNumber=5, include=["factors"])
    assert (size(ruling), len(values(ruling, "darkpages.scars"))) == (expected, len(scars))
    assert [factor["kind"] for factor in ruling["factors"]] == [f"scars.{index}" for index in scars if index != 1]


class TestTraining:
    """darkpages.training.session"""

    LEDGER = ({"archetype": "Warrior", "points": 5}, {"archetype": "Order: Gold", "points": 999_999_998})

    @pytest.mark.parametrize(
        ("entry", "outcome", "archetype", "before", "to"),
        [
            ({"award": {"archetype": "Warrior", "points": 2}}, "awarded", "Warrior", 5, 7),
            ({"award": {"archetype": "Spy", "points": 1}}, "awarded", "Spy", 0, 1),
            ({"award": {"archetype": "Order: Gold", "points": 2}}, "awarded", "Order: Gold", 999_999_998, 1_000_000_000),
            ({"spend": {"archetype": "Warrior", "cost": 5, "power": "night sight"}, "sessionEnded": True}, "spent", "Warrior", 5, 0),
        ],
    )
    def test_award_and_spending(self, entry: dict[str, Any], outcome: str, archetype: str, before: int, to: int) -> None:
        ruling = play("training", ledger=list(self.LEDGER), **entry)
        ledger = {line["archetype"]: line["points"] for line in self.LEDGER} | {archetype: to}
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == (outcome, None, [])
        assert ruling["after"] == {"ledger": [{"archetype": name, "points": points} for name, points in ledger.items()]}
        effect = {"on": f"archetype:{archetype}", "id": None, "stat": "trainingPoints", "from": before, "to": to, "change": to - before}
        assert ruling["effects"] == [effect]
        assert values(ruling, "darkpages.training.session") == [abs(to - before)]
        assert f"{archetype}: {outcome} {abs(to - before)}" in ruling["summary"]

    def test_odds_of_spending(self) -> None:
        spend = {"archetype": "Warrior", "cost": 5, "power": "night sight"}
        expected = odds("training", ledger=list(self.LEDGER), spend=spend, sessionEnded=True)["expected"]
        assert expected == {"archetype:Warrior.trainingPoints": -5.0}
