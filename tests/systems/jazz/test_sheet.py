"""The sheet: aspects, fiction levels, pools, complications, ordinary equipment."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.systems.jazz.sheet import JazzAspect
from tests.systems.jazz.playing import (
    DRIVER,
    ROOK,
    WITCH,
    chances,
    driving,
    factors,
    hurt,
    play,
    refused,
    rolled,
    rook,
    said,
    value,
    values,
)


def findings(level: str = "elite", **changed: Any) -> list[tuple[str, str, str]]:
    ruling = play("character", character=rook(**changed), fictionLevel=level)
    return [(found["severity"], found["rule"], found["pointer"].removeprefix("/character")) for found in ruling["findings"]]


def errors(level: str = "elite", **changed: Any) -> list[tuple[str, str]]:
    return [(rule, pointer) for severity, rule, pointer in findings(level, **changed) if severity == "error"]


class TestPrimary:
    """jazz.aspects.primary"""

    def test_a_primary_aspect_and_a_secondary_one_at_least(self) -> None:
        assert errors() == []
        alone = [{"name": "thug", "bonus": 1}]
        assert errors(aspects=alone, survivalAspect="thug") == [("jazz.aspects.primary", "/aspects")]
        assert errors(aspects=[], survivalAspect=None) == [("jazz.aspects.primary", "/aspects")]

    def test_what_is_lacking_is_said(self) -> None:
        alone = play("character", character=rook(aspects=[{"name": DRIVER, "bonus": 4}]), fictionLevel="elite")
        none = play("character", character=rook(aspects=[], survivalAspect=None), fictionLevel="elite")
        assert alone["findings"][0]["text"] == "the sheet lacks a secondary aspect"
        assert none["findings"][0]["text"] == "the sheet lacks a primary aspect and a secondary one"

    def test_the_primary_one_need_not_be_the_highest(self) -> None:
        assert errors(aspects=ROOK["aspects"][::-1]) == []

    def test_an_aspect_has_a_bonus_of_one_at_least_and_stands_there_once(self) -> None:
        bad: list[tuple[Any, str | None]] = [(bonus, "jazz.aspects.primary") for bonus in (0, -3, 0.0)]
        for bonus, rule in [*bad, (100, None), (True, None), ("0", None)]:
            sheet = rook(aspects=[{"name": "thug", "bonus": bonus}])
            assert refused("character", character=sheet, fictionLevel="elite") == (rule, "/character/aspects/0/bonus")
        assert {"minimum": 1, "maximum": 99}.items() <= JazzAspect.model_json_schema()["properties"]["bonus"].items()
        twice = rook(aspects=[{"name": DRIVER, "bonus": 1}] * 2)
        assert refused("character", character=twice, fictionLevel="elite") == ("jazz.aspects.primary", "/character/aspects")


class TestExpertise:
    """jazz.aspects.expertise"""

    def test_a_wrong_number_of_phrases_is_a_warning(self) -> None:
        aspects = [{"name": DRIVER, "bonus": 2, "expertise": ["fast", "far"]}, {"name": WITCH, "bonus": 1, "expertise": ["a", "b"]}]
        assert findings("mundane", aspects=aspects) == [
            ("warning", "jazz.aspects.expertise", "/aspects/1/expertise"),
            ("warning", "jazz.fiction.levels", "/aspects"),
        ]
        ruling = play("character", character=rook(aspects=aspects), fictionLevel="mundane")
        assert (ruling["outcome"], ruling["succeeded"]) == ("legal", True)
        assert said(ruling, "jazz.aspects.expertise") == ["warning: 2 phrases of expertise for a bonus of +1"]
        assert value(ruling, "jazz.aspects.expertise") == "/character/aspects/1/expertise"


class TestHighest:
    """jazz.aspects.highest"""

    def test_the_highest_of_those_that_apply_and_never_their_sum(self) -> None:
        ruling = play("check", {"actor": [4, 4]}, actor={"character": ROOK, "using": [WITCH, DRIVER]}, difficulty=12)
        assert (ruling["total"], ruling["rolls"][0]["modifier"]) == (12, 4)
        assert said(ruling, "jazz.aspects.highest") == ["Rook: former getaway driver +4"]
        assert value(ruling, "jazz.aspects.highest") == 4

    def test_without_it_the_next_best_would_be_rolled(self) -> None:
        actor = {"character": ROOK, "using": [WITCH, DRIVER]}
        ruling = play("check", {"actor": [4, 4]}, actor=actor, difficulty=12, include=["factors"])
        assert ruling["factors"][0]["without"] == {"outcome": "failure", "total": 10, "margin": -2}
        assert (ruling["factors"][0]["name"], ruling["factors"][0]["verdict"]) == (DRIVER, "necessary")
        alone = play("check", {"actor": [4, 4]}, actor=driving(), difficulty=12, include=["factors"])
        assert alone["factors"][0]["without"]["total"] == 8

    def test_refuses_an_aspect_not_on_the_sheet(self) -> None:
        actor = {"character": ROOK, "using": [DRIVER, "juggler"]}
        assert refused("check", actor=actor, difficulty=8) == ("jazz.aspects.highest", "/actor/using/1")

    def test_a_bare_bonus_is_for_rollers_without_a_sheet(self) -> None:
        ruling = play("check", {"actor": [1, 2]}, actor={"bonus": 3}, difficulty=6, include=["factors"])
        assert (ruling["total"], factors(ruling)) == (6, {"actor.bonus": "necessary"})
        assert (ruling["factors"][0]["value"], ruling["factors"][0]["without"]["total"]) == (3, 3)
        assert refused("check", actor=driving(bonus=3), difficulty=8) == ("jazz.aspects.highest", "/actor/bonus")
        assert refused("check", actor={"using": [DRIVER]}, difficulty=8) == ("jazz.aspects.highest", "/actor/using")


class TestUniversal:
    """jazz.aspects.universal"""

    @pytest.mark.parametrize(
        ("actor", "bonus", "text"),
        [
            ({"character": ROOK}, 1, "Rook: everyone here can do this, so the bonus is +1"),
            ({"bonus": 0}, 1, "actor: everyone here can do this, so the bonus is +1"),
            ({"character": ROOK, "using": [WITCH]}, 2, "Rook: +2 already covers what everyone can do"),
            ({"bonus": 1}, 1, "actor: +1 already covers what everyone can do"),
        ],
    )
    def test_a_floor_and_not_an_extra(self, actor: dict[str, Any], bonus: int, text: str) -> None:
        ruling = play("check", {"actor": [3, 4]}, actor={**actor, "universal": True}, difficulty=8)
        assert (ruling["total"], said(ruling, "jazz.aspects.universal")) == (7 + bonus, [text])
        assert value(ruling, "jazz.aspects.universal") == (1 if text.endswith("so the bonus is +1") else None)
        assert said(ruling, "jazz.aspects.missing") == []

    def test_what_it_mattered(self) -> None:
        ruling = play("check", {"actor": [3, 4]}, actor={"character": ROOK, "universal": True}, difficulty=8, include=["factors"])
        assert factors(ruling) == {"actor.universal": "necessary"}


class TestMissing:
    """jazz.aspects.missing"""

    def test_without_an_aspect_nothing_is_added_and_it_may_be_harder(self) -> None:
        ruling = play("check", {"actor": [5, 4]}, actor={"character": ROOK}, difficulty=8, difficultyIncrease=2, include=["factors"])
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("failure", 9, 10)
        assert said(ruling, "jazz.aspects.missing") == [
            "Rook: no aspect applies, so nothing is added",
            "Rook: without an aspect it is harder by 2",
        ]
        assert values(ruling, "jazz.aspects.missing") == [0, 2]
        assert factors(ruling) == {"actor.difficultyIncrease": "necessary"}
        assert ruling["factors"][0]["without"] == {"outcome": "success", "total": 9, "margin": 1}

    def test_harder_against_an_opponent_too(self) -> None:
        dice = {"actor": [5, 4], "opponent": [4, 4]}
        ruling = play("check", dice, actor={"bonus": 0}, opponent={"bonus": 0}, difficultyIncrease=2)
        assert (ruling["target"], ruling["outcome"]) == (10, "failure")

    @pytest.mark.parametrize(
        ("actor", "who", "why"),
        [
            (driving(), "Rook", "one applies"),
            ({"bonus": 1}, "actor", "one applies"),
            ({"universal": True}, "actor", "everyone here can do this"),
        ],
    )
    def test_no_harder_where_something_applies(self, actor: dict[str, Any], who: str, why: str) -> None:
        ruling = play("check", {"actor": [5, 4]}, actor=actor, difficulty=8, difficultyIncrease=2)
        assert ruling["target"] == 8
        assert said(ruling, "jazz.aspects.missing") == [f"{who}: the increase is for want of an aspect, and {why}"]
        assert value(ruling, "jazz.aspects.missing") == 0


class TestUntrained:
    """jazz.aspects.untrained"""

    @pytest.mark.parametrize("actor", [{"character": ROOK}, {"bonus": 0}, {"character": ROOK, "universal": True}])
    def test_impossible_without_an_aspect(self, actor: dict[str, Any]) -> None:
        ruling = play("check", actor=actor, difficulty=12, specialistOnly=True)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"], ruling["target"], ruling["total"]) == (
            "impossible",
            False,
            [],
            12,
            None,
        )
        who = "Rook" if "character" in actor else "actor"
        assert said(ruling, "jazz.aspects.untrained") == [f"{who}: only a specialist can try this"]
        assert ruling["summary"].endswith(": impossible, no roll")
        assert chances("check", actor=actor, difficulty=12, specialistOnly=True) == {"impossible": "1"}

    def test_what_would_go_into_a_roll_is_kept(self) -> None:
        lucky, unlucky = rook(karma="positive"), rook(karma="negative")
        ruling = play(
            "check",
            actor={"character": lucky, "spend": "karma"},
            opponent={"character": unlucky, "imposeKarma": True},
            specialistOnly=True,
            ties="stalemate",
        )
        assert (ruling["outcome"], ruling["effects"]) == ("impossible", [])
        assert said(ruling, "jazz.karma.positive") == ["Rook: no roll, so the die is kept"]
        assert said(ruling, "jazz.karma.negative") == ["Rook: no roll, so nothing is imposed"]
        assert said(ruling, "jazz.check.contest") == ["no roll, so there is no tie to decide (option ties)"]
        ruling = play("check", actor={"character": ROOK}, difficulty=12, specialistOnly=True, rescue=True, rescueBy="rollAgain")
        assert said(ruling, "jazz.karma.rescue") == ["Rook: no roll, so nothing to rescue (option rescueBy)"]

    def test_nothing_is_tried_so_no_weird_is_spent(self) -> None:
        ruling = play("check", actor={"extraordinary": True}, difficulty=12, specialistOnly=True)
        assert (ruling["outcome"], ruling["effects"]) == ("impossible", [])
        assert said(ruling, "jazz.weird.spend") == ["actor: nothing is tried, so no weird is spent"]

    def test_the_number_told_is_harder_for_want_of_an_aspect(self) -> None:
        ruling = play("check", actor={"bonus": 0}, difficulty=12, difficultyIncrease=2, specialistOnly=True)
        assert (ruling["target"], said(ruling, "jazz.aspects.missing")) == (14, ["actor: without an aspect it is harder by 2"])

    def test_against_somebody_there_is_no_target(self) -> None:
        assert play("check", actor={"bonus": 0}, opponent={"bonus": 1}, specialistOnly=True)["target"] is None

    def test_a_specialist_rolls(self) -> None:
        ruling = play("check", actor=driving(), difficulty=12, specialistOnly=True)
        assert rolled(ruling) == ["actor"]
        assert said(ruling, "jazz.aspects.untrained") == ["Rook: this takes a specialist, and here is one"]


class TestFictionLevels:
    """jazz.fiction.levels"""

    @pytest.mark.parametrize(
        ("level", "bonuses", "found"),
        [
            ("mundane", (2, 2), []),
            ("mundane", (3, 1), [("error", "/aspects/0/bonus")]),
            ("mundane", (1, 2, 2), [("error", "/aspects")]),
            ("mundane", (2, 1), [("warning", "/aspects")]),
            ("exceptional", (3, 3), []),
            ("elite", (4, 4), []),
            ("heroic", (5, 5), []),
            ("legendary", (6, 6), []),
            ("mythic", (7, 7), []),
            ("mythic", (8, 8), [("error", "/aspects"), ("error", "/aspects/0/bonus"), ("error", "/aspects/1/bonus")]),
        ],
    )
    def test_totals_and_maxima(self, level: str, bonuses: tuple[int, ...], found: list[tuple[str, str]]) -> None:
        aspects = [{"name": f"aspect {index}", "bonus": bonus} for index, bonus in enumerate(bonuses)]
        level_findings = [
            (severity, pointer)
            for severity, rule, pointer in findings(level, aspects=aspects, survivalAspect="aspect 0")
            if rule == "jazz.fiction.levels"
        ]
        assert level_findings == found

    def test_the_words(self) -> None:
        ruling = play("character", character=ROOK, fictionLevel="mundane")
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("illegal", False, [])
        assert [found["text"] for found in ruling["findings"] if found["severity"] == "error"] == [
            "bonuses of 6 in all, where mundane allows 4",
            "a bonus of +4, where mundane allows +2",
        ]
        assert ruling["summary"] == "Rook: illegal for mundane, 4 findings"
        under = play("character", character=ROOK, fictionLevel="elite")["findings"][-1]
        assert under["text"] == "bonuses of 6 in all, where elite gives 8"

    def test_errors_come_first(self) -> None:
        ruling = play("character", character=ROOK, fictionLevel="mundane")
        severities = [found["severity"] for found in ruling["findings"]]
        assert severities == ["error", "error", "warning", "warning"]
        assert ruling["findings"][0]["rule"] == "jazz.fiction.levels"
        assert [step["value"] for step in ruling["steps"]] == [found["pointer"] for found in ruling["findings"]]

    def test_one_and_none(self) -> None:
        full = [{"name": DRIVER, "bonus": 1, "expertise": ["a"]}, {"name": "baker", "bonus": 2, "expertise": ["a", "b"]}]
        one = play("character", character=rook(aspects=full), fictionLevel="mundane")
        assert one["summary"] == "Rook: legal for mundane, 1 finding"
        full.append({"name": "candlestick maker", "bonus": 1, "expertise": ["c"]})
        none = play("character", character=rook(aspects=full), fictionLevel="mundane")
        assert (none["summary"], none["findings"]) == ("Rook: legal for mundane, no findings", [])
        nothing = "Rook: there is nothing to say against the sheet"
        assert said(none, "jazz.fiction.levels") == [nothing]
        assert nothing not in said(one, "jazz.fiction.levels")
        assert chances("character", character=rook(aspects=full), fictionLevel="mundane") == {"legal": "1"}

    def test_refuses_a_level_there_is_not(self) -> None:
        assert refused("character", character=ROOK, fictionLevel="cosmic")[1] == "/fictionLevel"


class TestHealthPool:
    """jazz.health.pool"""

    def test_the_survival_aspects_bonus(self) -> None:
        sheet = play("check", actor=driving(), difficulty=8)["after"]["actor"]["character"]
        assert sheet["health"] == {"current": 4, "max": 4}
        assert play("check", actor={"character": rook(survivalAspect=None)}, difficulty=8)["after"]["actor"]["character"]["health"] is None

    def test_what_the_sheet_check_says(self) -> None:
        assert errors(health={"current": 4, "max": 4}) == []
        assert errors(health={"current": 1, "max": 3}) == [("jazz.health.pool", "/health/max")]
        assert errors(health={"current": 1, "max": 3}, survivalAspect=None) == [("jazz.health.pool", "/health")]
        assert ("warning", "jazz.health.pool", "/survivalAspect") in findings(survivalAspect=None)

    def test_the_words(self) -> None:
        def told(**changed: Any) -> str:
            found = play("character", character=rook(**changed), fictionLevel="elite")["findings"]
            return next(str(finding["text"]) for finding in found if finding["rule"] == "jazz.health.pool")

        pool = {"current": 1, "max": 3}
        assert told(health=pool) == "a health pool of 3, where the survival aspect gives 4"
        assert told(health=pool, survivalAspect=None) == "a health pool that no survival aspect explains"
        assert told(survivalAspect=None) == "no survival aspect is named, so there is no health pool"

    def test_refuses_more_than_the_maximum_and_an_aspect_that_is_not_there(self) -> None:
        assert refused("check", actor=driving(hurt(5)), difficulty=8) == ("jazz.health.pool", "/actor/character/health/current")
        assert refused("check", actor={"character": rook(survivalAspect="cook")}, difficulty=8) == (
            "jazz.health.pool",
            "/actor/character/survivalAspect",
        )


class TestWeirdPool:
    """jazz.weird.pool"""

    ASPECTS = [{"name": DRIVER, "bonus": 4}, {"name": WITCH, "bonus": 2, "weird": True}, {"name": "seer", "bonus": 1, "weird": True}]

    @pytest.mark.parametrize(("option", "size"), [({}, 2), ({"weirdPool": "highest"}, 2), ({"weirdPool": "sum"}, 3)])
    def test_the_highest_weird_bonus_or_the_sum(self, option: dict[str, Any], size: int) -> None:
        sheet = rook(aspects=self.ASPECTS, **option)
        after = play("check", actor=driving(sheet), difficulty=8)["after"]["actor"]["character"]
        assert after["weird"] == {"current": size, "max": size}
        assert errors("elite", **{**sheet, "weird": {"current": 0, "max": size}}) == []
        assert errors("elite", **{**sheet, "weird": {"current": 0, "max": 4}}) == [("jazz.weird.pool", "/weird/max")]

    SAID = "Rook: the weird aspects add up to a weird pool of 3 (option weirdPool)"

    @pytest.mark.parametrize(
        ("action", "request_"),
        [
            ("check", {"actor": {"character": "SUM"}, "difficulty": 8}),
            ("check", {"actor": {}, "opponent": {"character": "SUM"}}),
            ("check", {"actor": {"bonus": 9}, "effect": "restoreHealth.one", "subject": "SUM"}),
            ("teamwork", {"members": [{}, {"character": "SUM"}], "difficulty": 8}),
            ("teamwork", {"members": [{}], "opponent": {"character": "SUM"}}),
            ("attack", {"attackers": [{"character": "SUM"}], "defender": {}}),
            ("attack", {"attackers": [{}], "defender": {"character": "SUM"}}),
            ("attack", {"attackers": [{}], "defender": {}, "teamDefence": [{"character": "SUM"}]}),
            (
                "round",
                {
                    "combatants": [{"id": "a", "side": "x", "actor": {"character": "SUM"}}, {"id": "b", "side": "y", "actor": {}}],
                    "orders": [{"by": ["a"], "attack": "b"}],
                },
            ),
            ("karma", {"character": "SUM", "grant": "positive"}),
            ("complication", {"character": "SUM"}),
            ("recovery", {"character": "SUM", "rest": "night"}),
            ("improve", {"character": "SUM", "aspect": DRIVER, "fictionLevel": "mythic"}),
            ("learn", {"character": "SUM", "aspect": {"name": "baker"}, "fictionLevel": "mythic"}),
            ("character", {"character": "SUM", "fictionLevel": "elite"}),
        ],
    )
    def test_a_sum_is_said_wherever_the_pool_follows_from_it(self, action: str, request_: dict[str, Any]) -> None:
        def asked(sheet: dict[str, Any]) -> dict[str, Any]:
            def put(part: Any) -> Any:
                if isinstance(part, dict):
                    return {key: put(value) for key, value in part.items()}
                return [put(one) for one in part] if isinstance(part, list) else sheet if part == "SUM" else part

            return play(action, **put(request_))

        ruling = asked(rook(aspects=self.ASPECTS, weirdPool="sum"))
        assert said(ruling, "jazz.weird.pool") == [self.SAID]
        assert value(ruling, "jazz.weird.pool") == "sum"
        assert said(asked(rook(aspects=self.ASPECTS)), "jazz.weird.pool") == []
        told = asked(rook(aspects=self.ASPECTS, weirdPool="sum", weird={"current": 1, "max": 3}))
        # the check of a sheet holds the pool that was told against the sum
        assert said(told, "jazz.weird.pool") == ([self.SAID] if action == "character" else [])
        assert said(asked(rook(aspects=self.ASPECTS[:1], weirdPool="sum")), "jazz.weird.pool") == []

    def test_a_sum_that_no_pool_holds_is_refused(self) -> None:
        arts = [{"name": f"art {index}", "bonus": 99, "weird": True} for index in range(11)]
        sheet = rook(aspects=arts, survivalAspect=None, weirdPool="sum")
        assert refused("check", actor={"character": sheet}, difficulty=8) == ("jazz.weird.pool", "/actor/character/weirdPool")
        most = {**sheet, "aspects": [*arts[:10], {"name": "knack", "bonus": 9, "weird": True}]}
        after = play("check", actor={"character": most}, difficulty=8)["after"]["actor"]["character"]
        assert after["weird"] == {"current": 999, "max": 999}

    def test_no_weird_aspect_no_pool(self) -> None:
        sheet = rook(aspects=[{"name": DRIVER, "bonus": 4}])
        assert play("check", actor=driving(sheet), difficulty=8)["after"]["actor"]["character"]["weird"] is None
        empty = {**sheet, "weird": {"current": 0, "max": 0}}
        assert play("check", actor=driving(empty), difficulty=8)["after"]["actor"]["character"]["weird"] == {"current": 0, "max": 0}
        assert "jazz.weird.pool" not in {rule for rule, _ in errors(**empty)}
        pool = {**sheet, "weird": {"current": 0, "max": 1}}
        assert refused("character", character=pool, fictionLevel="elite") == ("jazz.weird.pool", "/character/weird")

    def test_refuses_more_than_the_maximum(self) -> None:
        assert refused("check", actor=driving(hurt(4, 3)), difficulty=8) == ("jazz.weird.pool", "/actor/character/weird/current")


class TestComplication:
    """jazz.complication.sheet"""

    def test_optional_free_text(self) -> None:
        ruling = play("character", character=rook(complication="wanted in three states"), fictionLevel="elite")
        assert said(ruling, "jazz.complication.sheet") == ["any complication will do"]
        assert said(play("character", character=ROOK, fictionLevel="elite"), "jazz.complication.sheet") == []
        assert ruling["after"]["character"]["complication"] == "wanted in three states"


class TestOrdinaryEquipment:
    """jazz.equipment.ordinary"""

    def test_it_is_taken_for_granted(self) -> None:
        ruling = play("check", {"actor": [2, 2]}, actor=driving(), difficulty=8)
        assert (ruling["total"], said(ruling, "jazz.equipment.lost")) == (8, [])
