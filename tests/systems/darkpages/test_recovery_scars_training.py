"""Recovery, scars, training: what each moment puts right, what stays, and the ledger."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import ask, cites, kept, nyx, play, refused

SCAR = {"attribute": "mind", "modifier": "-1/0", "condition": "judging distances"}
BATTERED = nyx(damage={"health": "destroyed", "sanity": "damaged", "aura": "diminished"}, overflow={"sanity": 2}, defeated=True)


def recover(when: str, sheet: dict[str, Any], **more: Any) -> dict[str, Any]:
    return play("recovery", character=sheet, when=when, **more)


def tracks(ruling: dict[str, Any]) -> tuple[str, str, str, int]:
    after = ruling["after"]["character"]
    return (*after["damage"].values(), after["overflow"]["sanity"])


class TestDiminished:
    """darkpages.recovery.diminished"""

    def test_a_respite_clears_it_and_nothing_else(self) -> None:
        ruling = recover("respite", BATTERED)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("recovered", True, [])
        assert tracks(ruling) == ("destroyed", "damaged", "unhurt", 2)
        assert cites(ruling, "darkpages.recovery.diminished") == ["aura"]
        assert ruling["summary"] == "Nyx, after a respite: aura diminished → unhurt"

    def test_there_may_be_nothing_to_clear(self) -> None:
        ruling = recover("respite", nyx())
        assert (ruling["outcome"], ruling["succeeded"], ruling["effects"]) == ("unchanged", False, [])
        assert cites(ruling, "darkpages.recovery.diminished") == [None]
        assert ruling["summary"] == "Nyx, after a respite: unchanged"

    def test_the_start_of_a_session_is_a_respite_too(self) -> None:
        assert tracks(recover("sessionStart", BATTERED))[2] == "unhurt"


class TestDamaged:
    """darkpages.recovery.damaged"""

    def test_it_heals_altogether_when_the_session_starts(self) -> None:
        ruling = recover("sessionStart", BATTERED)
        assert tracks(ruling) == ("destroyed", "unhurt", "unhurt", 0)
        assert [(one["stat"], one["change"]) for one in ruling["effects"]] == [
            ("damage.sanity", -2),
            ("overflow.sanity", -2),
            ("damage.aura", -1),
        ]
        said = "sanity damaged → unhurt, overflow of sanity 2 → 0, aura diminished → unhurt"
        assert ruling["summary"] == f"Nyx, at the start of the session: {said}"

    def test_without_care_it_stays(self) -> None:
        ruling = recover("sessionStart", BATTERED, care=False)
        assert tracks(ruling) == ("destroyed", "damaged", "unhurt", 2)
        assert cites(ruling, "darkpages.recovery.damaged") == [False]

    @pytest.mark.parametrize("when", ["sessionStart", "interval", "sessionEnd", "respite", "conflictEnd"])
    def test_without_anything_damaged_care_decides_nothing(self, when: str) -> None:
        assert cites(recover(when, nyx(), care=False), "darkpages.recovery.damaged") == [False]
        assert cites(recover(when, nyx(), care=True), "darkpages.recovery.damaged") == []

    def test_without_overflow_there_is_none_to_clear(self) -> None:
        assert len(recover("sessionStart", nyx(damage={"sanity": "damaged"}))["effects"]) == 1


class TestDestroyed:
    """darkpages.recovery.destroyed"""

    def test_it_eases_to_damaged_when_the_session_ends_and_leaves_a_scar(self) -> None:
        ruling = recover("sessionEnd", BATTERED, scar=SCAR)
        assert (tracks(ruling), ruling["after"]["character"]["scars"]) == (("damaged", "damaged", "diminished", 2), [SCAR])
        assert [(one["stat"], one["from"], one["to"], one["change"]) for one in ruling["effects"]] == [
            ("damage.health", "destroyed", "damaged", -1),
            ("scars.0", None, SCAR, 1),
        ]
        assert ruling["summary"] == "Nyx, at the end of the session: health destroyed → damaged, a Scar of -1/0"

    def test_the_scar_has_to_be_named(self) -> None:
        assert refused("recovery", character=BATTERED, when="sessionEnd") == ("darkpages.recovery.destroyed", "/scar")

    def test_nothing_else_changes_then(self) -> None:
        ruling = recover("sessionEnd", nyx(damage={"sanity": "damaged"}))
        assert (ruling["outcome"], cites(ruling, "darkpages.recovery.destroyed")) == ("unchanged", [None])

    def test_whoever_is_out_of_the_game_recovers_nothing(self) -> None:
        for when in ("sessionEnd", "sessionStart", "interval", "respite", "conflictEnd"):
            ruling = recover(when, BATTERED | {"outOfGame": True})
            assert (ruling["outcome"], len(cites(ruling, "darkpages.damage.destroyed"))) == ("unchanged", 1)


class TestInterval:
    """darkpages.recovery.interval"""

    @pytest.mark.parametrize(
        ("care", "expected"), [(True, ("unhurt", "unhurt", "unhurt", 0)), (False, ("damaged", "damaged", "unhurt", 2))]
    )
    def test_it_does_what_the_end_and_the_start_of_a_session_would(self, care: bool, expected: tuple[str, str, str, int]) -> None:
        ruling = recover("interval", BATTERED, scar=SCAR, care=care)
        assert (tracks(ruling), ruling["after"]["character"]["scars"]) == (expected, [SCAR])
        assert len(cites(ruling, "darkpages.recovery.interval")) == 1
        assert ruling["after"]["character"]["defeated"] is True


class TestConflictEnd:
    """darkpages.recovery.conflictEnd"""

    def test_the_defeated_are_back_in_play(self) -> None:
        ruling = recover("conflictEnd", BATTERED)
        assert (ruling["outcome"], ruling["after"]["character"]["defeated"]) == ("recovered", False)
        assert tracks(ruling) == ("destroyed", "damaged", "diminished", 2)
        assert ruling["summary"] == "Nyx, after the conflict: no longer defeated"

    def test_the_others_were_never_out_of_it(self) -> None:
        ruling = recover("conflictEnd", nyx())
        assert (ruling["outcome"], len(cites(ruling, "darkpages.recovery.conflictEnd"))) == ("unchanged", 1)


class TestScars:
    """darkpages.scars"""

    SCARRED = nyx(scars=[{"modifier": "-1/1"}, {"attribute": "mind", "modifier": "−2/0"}, {"attribute": "body", "modifier": "-0/1"}])

    @pytest.mark.parametrize(("scars", "dice"), [([], "5k3"), ([0], "4k2"), ([1], "5k3"), ([2], "5k2"), ([0, 1, 2], "4k1")])
    def test_those_that_matter_weigh_on_their_attribute(self, scars: list[int], dice: str) -> None:
        actor = {"character": self.SCARRED, "attribute": "body", "scars": scars}
        ruling = play("check", actor=actor, targetNumber=5, include=["factors"])
        assert f"{len(ruling['rolls'][0]['dice'])}k{len(kept(ruling, 'actor'))}" == dice
        assert len(cites(ruling, "darkpages.scars")) == len(scars)
        assert [one["kind"] for one in ruling["factors"]] == [f"scars.{index}" for index in scars if index != 1]

    @pytest.mark.parametrize("scars", [[3], [0, 0]])
    def test_each_is_on_the_sheet_and_named_once(self, scars: list[int]) -> None:
        actor = {"character": self.SCARRED, "attribute": "body", "scars": scars}
        assert refused("check", actor=actor, targetNumber=5) == ("darkpages.scars", f"/actor/scars/{len(scars) - 1}")

    def test_a_pool_has_none(self) -> None:
        assert refused("check", actor={"pool": {"roll": 1, "keep": 1}, "scars": [0]}, targetNumber=5) == ("darkpages.scars", "/actor/scars")

    @pytest.mark.parametrize("modifier", ["+1/0", "-0/0", "+0/0", "−0/−0"])
    def test_a_scar_is_a_penalty(self, modifier: str) -> None:
        assert refused("character", character=nyx(scars=[{"modifier": modifier}])) == ("darkpages.scars", "/character/scars/0/modifier")

    def test_a_scar_is_left_by_being_destroyed_and_not_otherwise(self) -> None:
        assert refused("recovery", character=nyx(), when="sessionEnd", scar=SCAR) == ("darkpages.scars", "/scar")
        assert refused("recovery", character=BATTERED, when="respite", scar=SCAR) == ("darkpages.scars", "/scar")
        assert refused("recovery", character=BATTERED | {"outOfGame": True}, when="sessionEnd", scar=SCAR) == ("darkpages.scars", "/scar")

    def test_a_sheet_holds_fifty(self) -> None:
        full = BATTERED | {"scars": [{"modifier": "-1/0"}] * 50}
        assert refused("recovery", character=full, when="interval", scar=SCAR) == ("darkpages.scars", "/character/scars")


class TestTraining:
    """darkpages.training.session"""

    LEDGER = ({"archetype": "Warrior", "points": 5}, {"archetype": "Mystic", "points": 1})

    def enter(self, **entry: Any) -> dict[str, Any]:
        return play("training", ledger=list(self.LEDGER), **entry)

    def test_points_are_awarded_to_an_archetype_at_any_time(self) -> None:
        ruling = self.enter(award={"archetype": "Warrior", "points": 2})
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("awarded", None, [])
        assert ruling["after"] == {"ledger": [{"archetype": "Warrior", "points": 7}, {"archetype": "Mystic", "points": 1}]}
        assert ruling["effects"] == [{"on": "archetype:Warrior", "id": None, "stat": "trainingPoints", "from": 5, "to": 7, "change": 2}]
        assert ruling["summary"] == "Warrior: awarded 2, 7 in hand"

    def test_whoever_is_not_listed_has_nothing_yet(self) -> None:
        ruling = play("training", award={"archetype": "Spy", "points": 1})
        assert ruling["after"]["ledger"] == [{"archetype": "Spy", "points": 1}]
        assert self.enter(award={"archetype": "Spy", "points": 1})["after"]["ledger"][2] == {"archetype": "Spy", "points": 1}

    def test_they_are_spent_on_a_power_once_the_session_has_ended(self) -> None:
        spend = {"archetype": "Warrior", "cost": 5, "power": "night sight"}
        ruling = self.enter(spend=spend, sessionEnded=True)
        assert (ruling["outcome"], ruling["after"]["ledger"][0]["points"]) == ("spent", 0)
        assert (ruling["summary"], cites(ruling, "darkpages.training.session")) == ("Warrior: spent 5 on night sight, 0 in hand", [5])
        assert ask("training", ledger=list(self.LEDGER), spend=spend, sessionEnded=True)["expected"] == {
            "archetype:Warrior.trainingPoints": -5.0
        }

    def test_a_ledger_may_be_filled_to_the_brim(self) -> None:
        rich = {"archetype": "Order: Gold", "points": 999_999_998}
        ruling = play("training", ledger=[rich], award={"archetype": "Order: Gold", "points": 2})
        assert ruling["after"]["ledger"] == [rich | {"points": 1_000_000_000}]
        assert ruling["summary"] == "Order: Gold: awarded 2, 1000000000 in hand"

    @pytest.mark.parametrize(
        ("entry", "at"),
        [
            ({"spend": {"archetype": "Warrior", "cost": 3, "power": "night sight"}}, "/sessionEnded"),
            ({"spend": {"archetype": "Warrior", "cost": 6, "power": "night sight"}, "sessionEnded": True}, "/spend/cost"),
            ({"spend": {"archetype": "Spy", "cost": 1, "power": "night sight"}, "sessionEnded": True}, "/spend/cost"),
            ({"spend": {"archetype": "Warrior", "cost": 1, "power": "body"}, "sessionEnded": True}, "/spend/power"),
            ({"spend": {"archetype": "Warrior", "cost": 1, "power": " MIND "}, "sessionEnded": True}, "/spend/power"),
            ({"spend": {"archetype": "Warrior", "cost": 1, "power": "Soul"}}, "/spend/power"),
            ({"award": {"archetype": "Rich", "points": 1}, "ledger": [{"archetype": "Rich", "points": 10**9}]}, "/award/points"),
            ({"award": {"archetype": "Spy", "points": 1}, "ledger": [{"archetype": "Spy", "points": 1}] * 2}, "/ledger/1/archetype"),
            ({}, ""),
            ({"award": {"archetype": "Spy", "points": 1}, "spend": {"archetype": "Spy", "cost": 1, "power": "x"}}, ""),
        ],
    )
    def test_what_the_ledger_does_not_allow(self, entry: dict[str, Any], at: str) -> None:
        assert refused("training", **{"ledger": list(self.LEDGER)} | entry) == ("darkpages.training.session", at)
