"""Recovery and advancement: rest, sleep, aspects improved and learned."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.jazz.playing import (
    DRIVER,
    ROOK,
    THUG,
    WITCH,
    effects,
    fractions,
    hurt,
    odds,
    play,
    refused,
    roll_names,
    rook,
    texts,
    value,
    values,
)

BOTH = {"health": True, "weird": True}


def rest(sheet: dict[str, Any], **more: Any) -> dict[str, Any]:
    return play("recovery", character=sheet, **{"rest": "halfHour", **more})


def sleep(sheet: dict[str, Any], **more: Any) -> dict[str, Any]:
    return rest(sheet, rest="night", **more)


class TestRest:
    """jazz.recovery.rest"""

    @pytest.mark.parametrize(
        ("left", "rounding", "after"),
        [(0, "up", 2), (0, "down", 2), (1, "up", 3), (1, "down", 2), (2, "up", 3), (3, "up", 4), (3, "down", 3)],
    )
    def test_half_of_what_is_lost(self, left: int, rounding: str, after: int) -> None:
        ruling = rest(hurt(left), rounding=rounding)
        assert ruling["after"]["character"]["health"] == {"current": after, "max": 4}
        assert ruling["after"]["character"]["rested"] == {"health": after > left, "weird": False}
        assert (ruling["outcome"], ruling["succeeded"]) == ("recovered" if after > left else "unchanged", None)

    def test_both_pools_by_one_rest(self) -> None:
        ruling = rest(hurt(1, 0))
        assert effects(ruling) == [
            ("character.health", 1, 3),
            ("character.rested.health", False, True),
            ("character.weird", 0, 1),
            ("character.rested.weird", False, True),
        ]
        assert texts(ruling, "jazz.recovery.rest") == ["health: half of the 3 lost is 2", "weird: half of the 2 lost is 1"]
        assert values(ruling, "jazz.recovery.rest") == [2, 1]
        assert ruling["summary"] == "Rook, half an hour's rest: health 1 → 3, weird 0 → 1; recovered"
        assert ruling["rolls"] == []

    def test_the_option_taken_is_said(self) -> None:
        assert texts(rest(hurt(1), rounding="down"), "jazz.recovery.rest")[0] == "health: half of the 3 lost is 1 (option rounding: down)"

    def test_an_option_that_did_not_apply_is_said(self) -> None:
        idle = "nothing is halved, so nothing is rounded (option rounding)"
        assert texts(rest(ROOK, rounding="down"), "jazz.recovery.rest")[-1] == idle
        assert texts(rest(hurt(1, 1, rested=BOTH), rounding="down"), "jazz.recovery.rest")[-1] == idle
        assert idle not in texts(rest(hurt(3, rested={"weird": True}), rounding="down"), "jazz.recovery.rest")
        assert texts(sleep(hurt(1), rounding="down"), "jazz.recovery.sleep").count(idle) == 1
        assert idle not in texts(sleep(hurt(1)), "jazz.recovery.sleep")

    def test_once_a_day_for_each(self) -> None:
        ruling = rest(hurt(1, 0, rested={"health": True}))
        assert effects(ruling) == [("character.weird", 0, 1), ("character.rested.weird", False, True)]
        assert texts(ruling, "jazz.recovery.rest")[0] == "health: today's rest for it is used up"
        assert values(ruling, "jazz.recovery.rest") == [0, 1]
        assert effects(rest(hurt(1, 0, rested={"weird": True}))) == [("character.health", 1, 3), ("character.rested.health", False, True)]
        nothing = rest(hurt(3, 1, rested=BOTH))
        assert (nothing["outcome"], nothing["effects"]) == ("unchanged", [])
        assert nothing["summary"] == "Rook, half an hour's rest: no pool rises; unchanged"

    def test_nothing_lost_uses_nothing_up(self) -> None:
        ruling = rest(ROOK)
        assert (ruling["outcome"], ruling["effects"]) == ("unchanged", [])
        assert texts(ruling, "jazz.recovery.rest") == ["health: nothing of it is lost", "weird: nothing of it is lost"]

    @pytest.mark.parametrize(("pools", "risen"), [(["health"], ["health"]), (["weird"], ["weird"]), ([], [])])
    def test_for_the_pools_named(self, pools: list[str], risen: list[str]) -> None:
        ruling = rest(hurt(0, 0), pools=pools)
        assert [effect["stat"] for effect in ruling["effects"]] == [stat for pool in risen for stat in (pool, f"rested.{pool}")]
        kept = [pool for pool in ("health", "weird") if pool not in risen]
        for pool in kept:
            assert f"{pool}: the rest is not for it (option pools)" in texts(ruling, "jazz.recovery.rest")
        assert values(ruling, "jazz.recovery.rest").count(0) == len(kept)

    def test_a_pool_held_back_or_not_there(self) -> None:
        ruling = rest(hurt(0, 0), blocked=["health"])
        assert [effect["stat"] for effect in ruling["effects"]] == ["weird", "rested.weird"]
        assert texts(ruling, "jazz.recovery.rest")[0] == "health: it is held back (option blocked)"
        assert texts(rest(THUG), "jazz.recovery.rest")[1] == "weird: there is no such pool"

    def test_health_above_nothing_brings_one_round(self) -> None:
        """jazz.conflict.out"""
        ruling = rest(hurt(0, out=True))
        assert effects(ruling)[-1] == ("character.out", True, False)
        assert texts(ruling, "jazz.conflict.out") == ["Rook comes round"]
        assert effects(rest({**THUG, "health": {"current": 0, "max": 1}, "out": True}))[-1] == ("character.out", True, False)

    @pytest.mark.parametrize(
        ("sheet", "rounding"),
        [
            ({**THUG, "out": True}, "up"),
            ({**THUG, "health": {"current": 0, "max": 1}, "out": True}, "down"),
            (hurt(0, out=True, rested=BOTH), "up"),
            (rook(survivalAspect=None, out=True), "up"),
        ],
    )
    def test_without_more_health_one_stays_out(self, sheet: dict[str, Any], rounding: str) -> None:
        ruling = rest(sheet, rounding=rounding)
        assert (ruling["effects"], ruling["outcome"]) == ([], "unchanged")
        assert texts(ruling, "jazz.conflict.out")[0].endswith("stays out")

    def test_each_pool_is_named_once(self) -> None:
        assert refused("recovery", character=ROOK, rest="halfHour", pools=["health", "health"]) == ("jazz.recovery.rest", "/pools")
        assert refused("recovery", character=ROOK, rest="halfHour", blocked=["weird", "weird"]) == ("jazz.recovery.rest", "/blocked")

    def test_odds(self) -> None:
        assert fractions("recovery", character=hurt(1), rest="halfHour") == {"recovered": "1"}
        assert odds("recovery", character=hurt(1), rest="halfHour")["expected"]["character.health"] == 2


class TestSleep:
    """jazz.recovery.sleep"""

    def test_everything_and_a_new_day(self) -> None:
        ruling = sleep(hurt(0, 0, out=True, rested=BOTH))
        assert effects(ruling) == [
            ("character.health", 0, 4),
            ("character.weird", 0, 2),
            ("character.rested.health", True, False),
            ("character.rested.weird", True, False),
            ("character.out", True, False),
        ]
        assert texts(ruling, "jazz.recovery.sleep") == [
            "health: full again, 4",
            "weird: full again, 2",
            "Rook: a new day, with its half-hour rests",
        ]
        assert values(ruling, "jazz.recovery.sleep") == [4, 2, None]
        assert values(sleep(hurt(3, 1)), "jazz.recovery.sleep") == [1, 1, None]
        assert ruling["summary"] == "Rook, a night's sleep: health 0 → 4, weird 0 → 2; recovered"
        assert (ruling["outcome"], texts(ruling, "jazz.recovery.rest")) == ("recovered", [])

    def test_a_new_day_alone_is_something(self) -> None:
        ruling = sleep(rook(rested={"weird": True}))
        assert (ruling["outcome"], effects(ruling)) == ("recovered", [("character.rested.weird", True, False)])
        assert (sleep(ROOK)["outcome"], sleep(ROOK)["effects"]) == ("unchanged", [])

    def test_a_pool_held_back_stays_as_it_is(self) -> None:
        ruling = sleep(hurt(0, 0, out=True), blocked=["health"])
        assert effects(ruling) == [("character.weird", 0, 2)]
        assert texts(ruling, "jazz.recovery.sleep")[0] == "health: it is held back (option blocked)"
        assert texts(ruling, "jazz.conflict.out") == ["Rook stays out"]
        assert effects(sleep(hurt(0, 0), pools=["health"])) == [("character.health", 0, 4)]

    @pytest.mark.parametrize("sheet", [{**THUG, "out": True}, {"name": "Thug", "named": False, "aspects": [], "out": True}])
    def test_whoever_went_down_with_health_left_or_has_none_comes_round(self, sheet: dict[str, Any]) -> None:
        assert effects(sleep(sheet)) == [("character.out", True, False)]


class TestImprove:
    """jazz.advance.improve"""

    def test_all_sixes(self) -> None:
        sheet = rook(aspects=[*ROOK["aspects"], {"name": "baker", "bonus": 2}])
        ruling = play("improve", {"character": [6, 6]}, character=sheet, aspect="baker", fictionLevel="heroic")
        assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("improved", True, [("character.aspects.2.bonus", 2, 3)])
        assert roll_names(ruling) == ["character"]
        assert texts(ruling, "jazz.advance.improve") == ["Rook: 2d6, all sixes", "baker rises to +3"]
        assert values(ruling, "jazz.advance.improve") == [2, 3]
        assert texts(ruling, "jazz.aspects.expertise") == ["baker: one more phrase of expertise is due"]
        assert texts(ruling, "jazz.advance.pools") == []
        assert ruling["summary"] == "Rook, baker: 6 + 6: improved"

    @pytest.mark.parametrize("faces", [[6, 5], [5, 6], [1, 1]])
    def test_and_nothing_less(self, faces: list[int]) -> None:
        ruling = play("improve", {"character": faces}, character=ROOK, aspect=WITCH, fictionLevel="heroic")
        assert (ruling["outcome"], ruling["succeeded"], ruling["effects"]) == ("unchanged", False, [])
        assert (texts(ruling, "jazz.advance.improve"), value(ruling, "jazz.advance.improve")) == (["Rook: 2d6, not all sixes"], 2)

    @pytest.mark.parametrize(("aspect", "chance"), [(WITCH, "1/36"), (DRIVER, "1/1296")])
    def test_odds(self, aspect: str, chance: str) -> None:
        odds = odds("improve", character=ROOK, aspect=aspect, fictionLevel="mythic")
        assert odds["outcomes"][0]["fraction"] == chance
        assert odds["rolls"][0]["roll"] == "character"

    def test_refuses_an_aspect_not_on_the_sheet(self) -> None:
        assert refused("improve", character=ROOK, aspect="baker", fictionLevel="heroic") == ("jazz.advance.improve", "/aspect")


class TestCap:
    """jazz.advance.cap"""

    @pytest.mark.parametrize(("level", "outcome"), [("mundane", "atMaximum"), ("elite", "atMaximum"), ("heroic", "unchanged")])
    def test_the_fiction_levels_maximum(self, level: str, outcome: str) -> None:
        ruling = play("improve", character=ROOK, aspect=DRIVER, fictionLevel=level)
        assert (ruling["outcome"], ruling["succeeded"]) == (outcome, False)
        assert roll_names(ruling) == ([] if outcome == "atMaximum" else ["character"])

    def test_no_dice(self) -> None:
        ruling = play("improve", character=ROOK, aspect=DRIVER, fictionLevel="elite")
        assert (texts(ruling, "jazz.advance.cap"), value(ruling, "jazz.advance.cap")) == (
            ["former getaway driver +4: elite allows +4 at most"],
            4,
        )
        assert ruling["summary"] == "Rook, former getaway driver: no roll: atMaximum"
        assert fractions("improve", character=ROOK, aspect=DRIVER, fictionLevel="elite") == {"atMaximum": "1"}
        assert refused("improve", {"character": [6, 6, 6, 6]}, character=ROOK, aspect=DRIVER, fictionLevel="elite")[0] == "jazz.dice.roll"


class TestPools:
    """jazz.advance.pools"""

    def test_the_survival_aspect_raises_health(self) -> None:
        ruling = play("improve", {"character": [6] * 4}, character=hurt(1), aspect=DRIVER, fictionLevel="heroic")
        assert effects(ruling) == [
            ("character.aspects.0.bonus", 4, 5),
            ("character.health.max", 4, 5),
            ("character.health", 1, 2),
        ]
        assert ruling["after"]["character"]["health"] == {"current": 2, "max": 5}
        assert (texts(ruling, "jazz.advance.pools"), value(ruling, "jazz.advance.pools")) == (["the health pool rises by one"], 1)

    def test_the_weird_aspect_raises_weird(self) -> None:
        ruling = play("improve", {"character": [6] * 2}, character=hurt(1, 0), aspect=WITCH, fictionLevel="heroic")
        assert effects(ruling)[1:] == [("character.weird.max", 2, 3), ("character.weird", 0, 1)]
        assert texts(ruling, "jazz.advance.pools") == ["the weird pool rises by one"]

    def test_one_aspect_may_stand_behind_both(self) -> None:
        ruling = play("improve", {"character": [6] * 2}, character=rook(survivalAspect=WITCH), aspect=WITCH, fictionLevel="heroic")
        assert [effect["stat"] for effect in ruling["effects"]] == ["aspects.1.bonus", "health.max", "health", "weird.max", "weird"]

    SEER = {"name": "seer", "bonus": 1, "weird": True}

    @pytest.mark.parametrize(("option", "rises"), [("highest", False), ("sum", True)])
    def test_a_lesser_weird_aspect_raises_only_a_sum(self, option: str, rises: bool) -> None:
        """jazz.weird.pool"""
        sheet = rook(aspects=[{"name": DRIVER, "bonus": 4}, {"name": WITCH, "bonus": 3, "weird": True}, self.SEER], weirdPool=option)
        ruling = play("improve", {"character": [6]}, character=sheet, aspect="seer", fictionLevel="heroic")
        assert ("weird.max" in {effect["stat"] for effect in ruling["effects"]}) is rises
        stays = ["the weird pool is the highest of the weird aspects, which stays 3"]
        sums = [
            "Rook: the weird aspects add up to a weird pool of 4 (option weirdPool)",
            "the weird aspects now add up to 5 (option weirdPool)",
        ]
        assert texts(ruling, "jazz.weird.pool") == (sums if rises else stays)
        assert values(ruling, "jazz.weird.pool") == (["sum", "sum"] if rises else [None])
        learned = play(
            "learn", {"character": [6]}, character=sheet, aspect={"name": "medium", "weird": True}, similarTo="seer", fictionLevel="heroic"
        )
        assert ("weird.max" in {effect["stat"] for effect in learned["effects"]}) is rises
        assert texts(learned, "jazz.weird.pool") == (sums if rises else stays)

    def test_another_weird_aspect_at_one_leaves_a_pool_of_one(self) -> None:
        """jazz.weird.pool"""
        sheet = {"name": "Medium", "aspects": [self.SEER]}
        ruling = play("learn", {"character": [6]}, character=sheet, aspect={"name": "medium", "weird": True}, fictionLevel="heroic")
        assert ruling["after"]["character"]["weird"] == {"current": 1, "max": 1}

    def test_a_first_weird_aspect_makes_the_pool(self) -> None:
        medium = {"name": "medium", "weird": True, "expertise": ["rapping"]}
        ruling = play("learn", {"character": [6]}, character=THUG, aspect=medium, similarTo="thug", fictionLevel="heroic")
        assert effects(ruling) == [
            ("character.aspects.1", None, {"name": "medium", "bonus": 1, "weird": True, "expertise": ["rapping"]}),
            ("character.weird", None, {"current": 1, "max": 1}),
        ]
        assert [effect["change"] for effect in ruling["effects"]] == [1, 1]
        assert ruling["after"]["character"]["weird"] == {"current": 1, "max": 1}
        empty = {**THUG, "weird": {"current": 0, "max": 0}}
        ruling = play("learn", {"character": [6]}, character=empty, aspect=medium, similarTo="thug", fictionLevel="heroic")
        assert ruling["after"]["character"]["weird"] == {"current": 1, "max": 1}


class TestLearn:
    """jazz.advance.learn"""

    NEW = {"character": ROOK, "aspect": {"name": "safecracker"}, "fictionLevel": "heroic"}

    def test_as_many_dice_as_the_similar_aspects_bonus(self) -> None:
        ruling = play("learn", {"character": [6, 6]}, **self.NEW, similarTo=WITCH)
        new = {"name": "safecracker", "bonus": 1, "weird": False, "expertise": []}
        assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("learned", True, [("character.aspects.2", None, new)])
        assert ruling["after"]["character"]["aspects"][2] == new
        assert texts(ruling, "jazz.advance.learn") == ["Rook: 2d6, all sixes", "safecracker comes in at +1"]
        assert values(ruling, "jazz.advance.learn") == [2, 1]
        assert ruling["summary"] == "Rook, safecracker: 6 + 6: learned"

    def test_and_nothing_less_than_all_sixes(self) -> None:
        ruling = play("learn", {"character": [6, 5]}, **self.NEW, similarTo=WITCH)
        assert (ruling["outcome"], ruling["succeeded"], ruling["effects"]) == ("unchanged", False, [])

    @pytest.mark.parametrize(("face", "outcome"), [(6, "learned"), (5, "unchanged")])
    def test_nothing_similar_takes_one_die_never_none(self, face: int, outcome: str) -> None:
        ruling = play("learn", {"character": [face]}, **self.NEW)
        assert ruling["outcome"] == outcome
        assert texts(ruling, "jazz.advance.learn")[0] == "safecracker: nothing on the sheet is similar, so one die"
        assert values(ruling, "jazz.advance.learn")[:2] == [1, 1]
        assert fractions("learn", **self.NEW) == {"learned": "1/6", "unchanged": "5/6"}
        blank = {"name": "Blank", "aspects": []}
        assert roll_names(play("learn", **{**self.NEW, "character": blank})) == ["character"]

    def test_odds(self) -> None:
        assert fractions("learn", **self.NEW, similarTo=DRIVER) == {"learned": "1/1296", "unchanged": "1295/1296"}

    def test_refuses(self) -> None:
        assert refused("learn", **{**self.NEW, "aspect": {"name": WITCH}}) == ("jazz.advance.learn", "/aspect/name")
        assert refused("learn", **self.NEW, similarTo="baker") == ("jazz.advance.learn", "/similarTo")
        arts = [{"name": f"art {number}", "bonus": 1} for number in range(50)]
        full, nearly = {"name": "Polymath", "aspects": arts}, {"name": "Polymath", "aspects": arts[1:]}
        assert refused("learn", **{**self.NEW, "character": full}) == ("jazz.advance.learn", "/character/aspects")
        assert play("learn", {"character": [6]}, **{**self.NEW, "character": nearly})["outcome"] == "learned"
