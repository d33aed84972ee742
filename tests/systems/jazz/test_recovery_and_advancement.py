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
FALLEN = {**THUG, "health": {"current": 0, "max": 1}, "out": True}
AWAKE = ("character.out", True, False)
USED = ("character.advanced", False, True)


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
        assert ruling["after"]["character"].get("rested") == ({"health": True} if after > left else None)
        assert (ruling["outcome"], ruling["succeeded"]) == ("recovered" if after > left else "unchanged", None)

    @pytest.mark.parametrize(
        ("sheet", "more", "risen", "cited"),
        [
            (hurt(1, 0), {}, ["health", "weird"], [2, 1]),
            (hurt(1, 0), {"pools": ["health"]}, ["health"], [2, 0]),
            (hurt(1, 0), {"pools": ["weird"]}, ["weird"], [0, 1]),
            (hurt(1, 0), {"pools": []}, [], [0, 0]),
            (hurt(1, 0), {"blocked": ["health"]}, ["weird"], [0, 1]),
            (hurt(1, 0, rested={"health": True}), {}, ["weird"], [0, 1]),
            (hurt(1, 0, rested={"weird": True}), {}, ["health"], [2, 0]),
            (hurt(1, 0, rested=BOTH), {}, [], [0, 0]),
            (ROOK, {}, [], [0, 0]),
            (THUG, {}, [], [0, 0]),
            (ROOK, {"rounding": "down"}, [], [0, 0]),
            (hurt(3, rested={"weird": True}), {"rounding": "down"}, [], [0, 0]),
        ],
    )
    def test_pools_that_rise(self, sheet: dict[str, Any], more: dict[str, Any], risen: list[str], cited: list[Any]) -> None:
        ruling = rest(sheet, **more)
        assert [effect["stat"] for effect in ruling["effects"]] == [stat for pool in risen for stat in (pool, f"rested.{pool}")]
        assert (values(ruling, "jazz.recovery.rest"), ruling["rolls"]) == (cited, [])
        assert ruling["outcome"] == ("recovered" if risen else "unchanged")

    @pytest.mark.parametrize(
        ("sheet", "rounding", "awake"),
        [
            (hurt(0, out=True), "up", True),
            (FALLEN, "up", True),
            (FALLEN, "down", False),
            ({**THUG, "out": True}, "up", False),
            (hurt(0, out=True, rested=BOTH), "up", False),
            (rook(survivalAspect=None, out=True), "up", False),
        ],
    )
    def test_more_health_brings_a_character_round(self, sheet: dict[str, Any], rounding: str, awake: bool) -> None:
        """jazz.conflict.out"""
        ruling = rest(sheet, rounding=rounding)
        assert (effects(ruling)[-1:] == [AWAKE], values(ruling, "jazz.conflict.out")) == (awake, [None])
        assert (ruling["effects"] == []) is not awake

    def test_odds(self) -> None:
        assert fractions("recovery", character=hurt(1), rest="halfHour") == {"recovered": "1"}
        assert odds("recovery", character=hurt(1), rest="halfHour")["expected"]["character.health"] == 2


class TestSleep:
    """jazz.recovery.sleep"""

    RESTED = [("character.rested.health", True, False), ("character.rested.weird", True, False)]
    WEIRD = ("character.weird", 0, 2)

    @pytest.mark.parametrize(
        ("sheet", "more", "changes", "cited"),
        [
            (hurt(0, 0, out=True, rested=BOTH), {}, [("character.health", 0, 4), WEIRD, *RESTED, AWAKE], [4, 2, None]),
            (hurt(3, 1), {}, [("character.health", 3, 4), ("character.weird", 1, 2)], [1, 1, None]),
            (hurt(3, 1), {"rounding": "down"}, [("character.health", 3, 4), ("character.weird", 1, 2)], [1, 1, None]),
            (rook(rested={"weird": True}), {}, RESTED[1:], [0, 0, None]),
            (ROOK, {}, [], [0, 0, None]),
            (hurt(0, 0, out=True), {"blocked": ["health"]}, [WEIRD], [0, 2, None]),
            (hurt(0, 0), {"pools": ["health"]}, [("character.health", 0, 4)], [4, 0, None]),
            # out with health left, or without a pool
            ({**THUG, "out": True}, {}, [AWAKE], [0, 0, None]),
            ({"name": "Thug", "named": False, "aspects": [], "out": True}, {}, [AWAKE], [0, 0, None]),
        ],
    )
    def test_everything_and_a_new_day(
        self, sheet: dict[str, Any], more: dict[str, Any], changes: list[tuple[str, Any, Any]], cited: list[Any]
    ) -> None:
        ruling = sleep(sheet, **more)
        assert (effects(ruling), values(ruling, "jazz.recovery.sleep")) == (changes, cited)
        assert (ruling["outcome"], texts(ruling, "jazz.recovery.rest")) == ("recovered" if changes else "unchanged", [])


def improve(faces: list[int] | None, aspect: str, level: str = "heroic", sheet: dict[str, Any] = ROOK) -> dict[str, Any]:
    return play("improve", {"character": faces} if faces else {}, character=sheet, aspect=aspect, fictionLevel=level)


def learn(faces: list[int], aspect: dict[str, Any], sheet: dict[str, Any] = ROOK, **more: Any) -> dict[str, Any]:
    return play("learn", {"character": faces}, character=sheet, aspect=aspect, fictionLevel="heroic", **more)


class TestImprove:
    """jazz.advance.improve, jazz.advance.cap"""

    def test_all_sixes(self) -> None:
        ruling = improve([6, 6], "baker", sheet=rook(aspects=[*ROOK["aspects"], {"name": "baker", "bonus": 2}]))
        assert (ruling["outcome"], effects(ruling)) == ("improved", [USED, ("character.aspects.2.bonus", 2, 3)])
        assert (roll_names(ruling), values(ruling, "jazz.advance.improve")) == (["character"], [2, 3])
        assert (values(ruling, "jazz.aspects.expertise"), values(ruling, "jazz.advance.pools")) == ([None], [])

    @pytest.mark.parametrize("faces", [[6, 5], [5, 6], [1, 1]])
    def test_nothing_less_than_all_sixes(self, faces: list[int]) -> None:
        ruling = improve(faces, WITCH)
        assert (ruling["outcome"], ruling["succeeded"], effects(ruling)) == ("unchanged", False, [USED])
        assert value(ruling, "jazz.advance.improve") == 2

    @pytest.mark.parametrize(("aspect", "chance"), [(WITCH, "1/36"), (DRIVER, "1/1296")])
    def test_odds(self, aspect: str, chance: str) -> None:
        counted = odds("improve", character=ROOK, aspect=aspect, fictionLevel="mythic")
        assert (counted["outcomes"][0]["fraction"], counted["rolls"][0]["roll"]) == (chance, "character")

    @pytest.mark.parametrize(("level", "maximum"), [("mundane", 2), ("elite", 4), ("heroic", None)])
    def test_not_past_the_maximum(self, level: str, maximum: int | None) -> None:
        ruling = improve(None, DRIVER, level)
        assert (ruling["outcome"], ruling["succeeded"]) == ("atMaximum" if maximum else "unchanged", False)
        assert roll_names(ruling) == ([] if maximum else ["character"])
        assert values(ruling, "jazz.advance.cap") == ([maximum] if maximum else [])

    def test_no_dice_at_the_maximum(self) -> None:
        request: dict[str, Any] = {"character": ROOK, "aspect": DRIVER, "fictionLevel": "elite"}
        assert fractions("improve", **request) == {"atMaximum": "1"}
        assert refused("improve", {"character": [6, 6, 6, 6]}, **request)[0] == "jazz.dice.roll"


class TestPools:
    """jazz.advance.pools, jazz.weird.pool"""

    SEER = {"name": "seer", "bonus": 1, "weird": True}
    MEDIUM = {"name": "medium", "weird": True, "expertise": ["rapping"]}

    @pytest.mark.parametrize(
        ("faces", "sheet", "aspect", "changes"),
        [
            ([6] * 4, hurt(1), DRIVER, [("character.health.max", 4, 5), ("character.health", 1, 2)]),
            ([6] * 2, hurt(1, 0), WITCH, [("character.weird.max", 2, 3), ("character.weird", 0, 1)]),
            (
                [6] * 2,
                rook(survivalAspect=WITCH),
                WITCH,
                [
                    ("character.health.max", 2, 3),
                    ("character.health", 2, 3),
                    ("character.weird.max", 2, 3),
                    ("character.weird", 2, 3),
                ],
            ),
        ],
    )
    def test_pool_rises_with_its_aspect(
        self, faces: list[int], sheet: dict[str, Any], aspect: str, changes: list[tuple[str, int, int]]
    ) -> None:
        ruling = improve(faces, aspect, sheet=sheet)
        assert (effects(ruling)[2:], values(ruling, "jazz.advance.pools")) == (changes, [1] * (len(changes) // 2))

    @pytest.mark.parametrize(("option", "cited"), [("highest", ["highest", "highest"]), ("sum", ["sum"])])
    def test_lesser_weird_aspect_raises_only_a_sum(self, option: str, cited: list[Any]) -> None:
        sheet = rook(aspects=[{"name": DRIVER, "bonus": 4}, {"name": WITCH, "bonus": 3, "weird": True}, self.SEER], weirdPool=option)
        for ruling in (improve([6], "seer", sheet=sheet), learn([6], self.MEDIUM, sheet, similarTo="seer")):
            assert ("weird.max" in {effect["stat"] for effect in ruling["effects"]}) is (option == "sum")
            assert values(ruling, "jazz.weird.pool") == cited

    @pytest.mark.parametrize(("before", "changed"), [(None, "weird"), ({"current": 0, "max": 0}, "weird.max")])
    def test_first_weird_aspect_brings_a_pool(self, before: dict[str, int] | None, changed: str) -> None:
        ruling = learn([6], self.MEDIUM, {**THUG, "weird": before}, similarTo="thug")
        assert effects(ruling)[1] == ("character.aspects.1", None, {**self.MEDIUM, "bonus": 1})
        assert (ruling["effects"][2]["stat"], ruling["effects"][2]["change"]) == (changed, 1)
        assert ruling["after"]["character"]["weird"] == {"current": 1, "max": 1}

    def test_second_weird_aspect_at_one_leaves_a_pool_of_one(self) -> None:
        ruling = learn([6], self.MEDIUM, {"name": "Medium", "aspects": [self.SEER]})
        assert "weird" not in ruling["after"]["character"]


class TestLearn:
    """jazz.advance.learn"""

    NEW: dict[str, Any] = {"character": ROOK, "aspect": {"name": "safecracker"}, "fictionLevel": "heroic"}

    @pytest.mark.parametrize(
        ("faces", "similar", "learned", "cited"),
        [([6, 6], WITCH, True, [2, 1]), ([6, 5], WITCH, False, [2]), ([6], None, True, [1, 1, 1]), ([5], None, False, [1, 1])],
    )
    def test_dice_of_the_similar_aspect_or_one(self, faces: list[int], similar: str | None, learned: bool, cited: list[int]) -> None:
        ruling = play("learn", {"character": faces}, **self.NEW, similarTo=similar)
        new = {"name": "safecracker", "bonus": 1, "weird": False, "expertise": []}
        assert (ruling["outcome"], ruling["succeeded"]) == ("learned" if learned else "unchanged", learned)
        assert effects(ruling) == [USED, *([("character.aspects.2", None, new)] if learned else [])]
        assert ruling["after"]["character"]["aspects"][2:] == ([new] if learned else [])
        assert values(ruling, "jazz.advance.learn") == cited

    def test_a_die_even_with_an_empty_sheet(self) -> None:
        assert roll_names(play("learn", **{**self.NEW, "character": {"name": "Blank", "aspects": []}})) == ["character"]

    def test_odds(self) -> None:
        assert fractions("learn", **self.NEW) == {"learned": "1/6", "unchanged": "5/6"}
        assert fractions("learn", **self.NEW, similarTo=DRIVER) == {"learned": "1/1296", "unchanged": "1295/1296"}

    def test_fiftieth_aspect(self) -> None:
        arts = [{"name": f"art {number}", "bonus": 1} for number in range(49)]
        assert learn([6], {"name": "baker"}, {"name": "Polymath", "aspects": arts})["outcome"] == "learned"


class TestSession:
    """jazz.advance.improve: one attempt per session."""

    def test_second_attempt_is_refused_until_a_new_session(self) -> None:
        again: dict[str, Any] = {"character": rook(advanced=True), "fictionLevel": "heroic"}
        assert refused("improve", **again, aspect=WITCH) == ("jazz.advance.improve", "/character/advanced")
        assert refused("learn", **again, aspect={"name": "baker"}) == ("jazz.advance.learn", "/character/advanced")
        ruling = play("learn", {"character": [1]}, **again, aspect={"name": "baker"}, newSession=True)
        assert (ruling["after"]["character"]["advanced"], values(ruling, "jazz.advance.improve")) == (True, [None])

    def test_at_the_maximum_the_attempt_of_a_new_session_is_kept(self) -> None:
        request: dict[str, Any] = {"aspect": DRIVER, "fictionLevel": "elite"}
        assert play("improve", character=ROOK, **request)["effects"] == []
        ruling = play("improve", character=rook(advanced=True), **request, newSession=True)
        assert (ruling["outcome"], effects(ruling)) == ("atMaximum", [("character.advanced", True, False)])
