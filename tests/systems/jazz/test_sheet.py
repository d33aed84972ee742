"""The sheet: aspects, fiction levels, pools, complications; which bonus a roll gets."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.systems.jazz.sheet import JazzAspect
from tests.systems.jazz.playing import (
    DRIVER,
    LUCKY,
    ROOK,
    UNLUCKY,
    WITCH,
    driving,
    factors,
    fractions,
    play,
    refused,
    roll_names,
    rook,
    texts,
    unused,
    value,
    values,
)


def check_sheet(level: str = "elite", **changed: Any) -> dict[str, Any]:
    return play("character", character=rook(**changed), fictionLevel=level)


def findings(level: str = "elite", **changed: Any) -> list[tuple[str, str, str]]:
    """The severity, the rule and the place of each finding."""
    ruling = check_sheet(level, **changed)
    return [(row["severity"], row["rule"], row["pointer"].removeprefix("/character")) for row in ruling["findings"]]


def errors(level: str = "elite", **changed: Any) -> list[tuple[str, str]]:
    return [(rule, pointer) for severity, rule, pointer in findings(level, **changed) if severity == "error"]


def aspects(*bonuses: int) -> list[dict[str, Any]]:
    return [{"name": f"aspect {index}", "bonus": bonus, "expertise": ["x"] * bonus} for index, bonus in enumerate(bonuses)]


class TestPrimary:
    """jazz.aspects.primary"""

    def test_at_least_two_aspects(self) -> None:
        assert errors() == []
        for few in (aspects(1), []):
            assert errors(aspects=few, survivalAspect=None) == [("jazz.aspects.primary", "/aspects")]

    def test_primary_aspect_need_not_be_the_highest(self) -> None:
        assert errors(aspects=ROOK["aspects"][::-1]) == []

    def test_bonus_bounds(self) -> None:
        for bonus in (0, -3, 0.0):
            sheet = rook(aspects=[{"name": "thug", "bonus": bonus}])
            place = "/character/aspects/0/bonus"
            assert refused("character", character=sheet, fictionLevel="elite") == ("jazz.aspects.primary", place)
        assert {"minimum": 1, "maximum": 99}.items() <= JazzAspect.model_json_schema()["properties"]["bonus"].items()


def test_wrong_number_of_phrases_is_a_warning() -> None:
    """jazz.aspects.expertise"""
    wrong = [*aspects(2), {"name": WITCH, "bonus": 2, "expertise": ["a", "b", "c"]}]
    ruling = check_sheet("mundane", aspects=wrong, survivalAspect="aspect 0")
    assert (ruling["outcome"], ruling["succeeded"]) == ("legal", True)
    assert value(ruling, "jazz.aspects.expertise") == "warning"
    assert [row["pointer"] for row in ruling["findings"]] == ["/character/aspects/1/expertise"]


class TestHighest:
    """jazz.aspects.highest"""

    def test_highest_aspect_counts_and_bonuses_never_add(self) -> None:
        actor = {"character": ROOK, "using": [WITCH, DRIVER]}
        ruling = play("check", {"actor": [4, 4]}, actor=actor, difficulty=12, include=["factors"])
        assert (ruling["total"], ruling["rolls"][0]["modifier"], value(ruling, "jazz.aspects.highest")) == (12, 4, 4)
        (factor,) = ruling["factors"]
        assert (factor["name"], factor["verdict"]) == (DRIVER, "necessary")
        # without it, the next best aspect is rolled
        assert factor["without"] == {"outcome": "failure", "total": 10, "margin": -2}
        ruling = play("check", {"actor": [4, 4]}, actor=driving(), difficulty=12, include=["factors"])
        assert ruling["factors"][0]["without"]["total"] == 8

    def test_bare_bonus(self) -> None:
        ruling = play("check", {"actor": [1, 2]}, actor={"bonus": 3}, difficulty=6, include=["factors"])
        assert (ruling["total"], factors(ruling)) == (6, {"actor.bonus": "necessary"})
        assert (ruling["factors"][0]["value"], ruling["factors"][0]["without"]["total"]) == (3, 3)


class TestUniversal:
    """jazz.aspects.universal"""

    @pytest.mark.parametrize(
        ("actor", "bonus", "cited"),
        [
            ({"character": ROOK}, 1, [1]),
            ({"bonus": 0}, 1, [1]),
            ({"character": ROOK, "using": [WITCH]}, 2, []),
            ({"bonus": 1}, 1, []),
        ],
    )
    def test_at_least_one(self, actor: dict[str, Any], bonus: int, cited: list[int]) -> None:
        ruling = play("check", {"actor": [3, 4]}, actor={**actor, "universal": True}, difficulty=8)
        assert (ruling["total"], values(ruling, "jazz.aspects.universal")) == (7 + bonus, cited)
        assert texts(ruling, "jazz.aspects.missing") == []

    def test_factor(self) -> None:
        ruling = play("check", {"actor": [3, 4]}, actor={"character": ROOK, "universal": True}, difficulty=8, include=["factors"])
        assert factors(ruling) == {"actor.universal": "necessary"}


class TestMissing:
    """jazz.aspects.missing"""

    def test_nothing_is_added_and_the_difficulty_rises(self) -> None:
        ruling = play("check", {"actor": [5, 4]}, actor={"character": ROOK}, difficulty=8, difficultyIncrease=2, include=["factors"])
        assert (ruling["outcome"], ruling["total"], ruling["target"]) == ("failure", 9, 10)
        assert values(ruling, "jazz.aspects.missing") == [0, 2]
        assert factors(ruling) == {"actor.difficultyIncrease": "necessary"}
        assert ruling["factors"][0]["without"] == {"outcome": "success", "total": 9, "margin": 1}

    def test_against_an_opponent(self) -> None:
        ruling = play("check", {"actor": [5, 4], "opponent": [4, 4]}, actor={}, opponent={}, difficultyIncrease=2)
        assert (ruling["target"], ruling["outcome"]) == (10, "failure")

    @pytest.mark.parametrize("actor", [driving(), {"bonus": 1}, {"universal": True}])
    def test_no_increase_if_something_applies(self, actor: dict[str, Any]) -> None:
        ruling = play("check", {"actor": [5, 4]}, actor=actor, difficulty=8, difficultyIncrease=2)
        assert (ruling["target"], unused(ruling)) == (8, ["/difficultyIncrease"])


class TestUntrained:
    """jazz.aspects.untrained"""

    @pytest.mark.parametrize("actor", [{"character": ROOK}, {"bonus": 0}, {"character": ROOK, "universal": True}])
    def test_impossible_without_an_aspect(self, actor: dict[str, Any]) -> None:
        ruling = play("check", actor=actor, difficulty=12, specialistOnly=True)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("impossible", False, [])
        assert (ruling["target"], ruling["total"]) == (None, None)
        assert fractions("check", actor=actor, difficulty=12, specialistOnly=True) == {"impossible": "1"}

    def test_everything_for_the_roll_is_kept(self) -> None:
        ruling = play(
            "check",
            actor={"character": LUCKY, "spend": "karma", "extraordinary": False},
            opponent={"character": UNLUCKY, "imposeKarma": True},
            specialistOnly=True,
            ties="stalemate",
            rescue=False,
            rescueBy="rollAgain",
        )
        assert (ruling["outcome"], ruling["effects"], ruling["target"]) == ("impossible", [], None)
        assert unused(ruling) == ["/ties", "/rescueBy", "/opponent/imposeKarma", "/actor/spend", "/actor/extraordinary"]

    def test_no_weird_is_spent(self) -> None:
        ruling = play("check", actor={"extraordinary": True}, difficulty=12, specialistOnly=True)
        assert (ruling["effects"], unused(ruling)) == ([], ["/actor/extraordinary"])

    def test_specialist_rolls(self) -> None:
        ruling = play("check", actor=driving(), difficulty=12, specialistOnly=True)
        assert (roll_names(ruling), values(ruling, "jazz.aspects.untrained")) == (["actor"], [])


class TestFictionLevels:
    """jazz.fiction.levels"""

    @pytest.mark.parametrize(
        ("level", "bonuses", "expected"),
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
    def test_total_and_maximum(self, level: str, bonuses: tuple[int, ...], expected: list[tuple[str, str]]) -> None:
        rows = findings(level, aspects=aspects(*bonuses), survivalAspect="aspect 0")
        assert rows == [(severity, "jazz.fiction.levels", pointer) for severity, pointer in expected]

    def test_errors_come_first_and_make_the_sheet_illegal(self) -> None:
        ruling = check_sheet("mundane")
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("illegal", False, [])
        assert [row["severity"] for row in ruling["findings"]] == ["error", "error", "warning", "warning"]
        assert [(step["rule"], step["value"]) for step in ruling["steps"]] == [(row["rule"], row["severity"]) for row in ruling["findings"]]

    def test_sheet_without_findings(self) -> None:
        sheet = rook(aspects=aspects(2, 2), survivalAspect="aspect 0")
        ruling = play("character", character=sheet, fictionLevel="mundane")
        assert (ruling["findings"], values(ruling, "jazz.fiction.levels")) == ([], [None])
        assert fractions("character", character=sheet, fictionLevel="mundane") == {"legal": "1"}


def pool(sheet: dict[str, Any], name: str) -> dict[str, int] | None:
    """The pool that the sheet has or implies."""
    found: dict[str, int] | None = play("character", character=sheet, fictionLevel="mythic", stage="npc")["after"]["character"].get(name)
    return found


class TestHealthPool:
    """jazz.health.pool"""

    def test_derived_from_the_survival_aspect(self) -> None:
        assert pool(ROOK, "health") == {"current": 4, "max": 4}
        assert pool(rook(survivalAspect=None), "health") is None

    def test_findings(self) -> None:
        assert errors(health={"current": 4, "max": 4}) == []
        assert errors(health={"current": 1, "max": 3}) == [("jazz.health.pool", "/health/max")]
        assert errors(health={"current": 1, "max": 3}, survivalAspect=None) == [("jazz.health.pool", "/health")]
        assert ("warning", "jazz.health.pool", "/survivalAspect") in findings(survivalAspect=None)


def replaced(part: Any, sheet: dict[str, Any]) -> Any:
    """A request with the sheet in place of every `SHEET`."""
    if isinstance(part, dict):
        return {key: replaced(inner, sheet) for key, inner in part.items()}
    return [replaced(item, sheet) for item in part] if isinstance(part, list) else sheet if part == "SHEET" else part


class TestWeirdPool:
    """jazz.weird.pool"""

    ASPECTS = [{"name": DRIVER, "bonus": 4}, {"name": WITCH, "bonus": 2, "weird": True}, {"name": "seer", "bonus": 1, "weird": True}]

    @pytest.mark.parametrize(("option", "size"), [({}, 2), ({"weirdPool": "highest"}, 2), ({"weirdPool": "sum"}, 3)])
    def test_highest_bonus_or_sum(self, option: dict[str, Any], size: int) -> None:
        sheet = rook(aspects=self.ASPECTS, **option)
        assert pool(sheet, "weird") == {"current": size, "max": size}
        assert errors(**{**sheet, "weird": {"current": 0, "max": size}}) == []
        assert errors(**{**sheet, "weird": {"current": 0, "max": 4}}) == [("jazz.weird.pool", "/weird/max")]

    @pytest.mark.parametrize(
        ("action", "request_"),
        [
            ("check", {"actor": {"character": "SHEET"}, "difficulty": 8}),
            ("check", {"actor": {}, "opponent": {"character": "SHEET"}}),
            ("check", {"actor": {"bonus": 9}, "effect": "restoreHealth.one", "subject": "SHEET"}),
            ("teamwork", {"members": [{}, {"character": "SHEET"}], "difficulty": 8}),
            ("teamwork", {"members": [{}], "opponent": {"character": "SHEET"}}),
            ("attack", {"attackers": [{"character": "SHEET"}], "defender": {}}),
            ("attack", {"attackers": [{}], "defender": {"character": "SHEET"}}),
            ("attack", {"attackers": [{}], "defender": {}, "teamDefence": [{"character": "SHEET"}]}),
            (
                "round",
                {
                    "combatants": [{"id": "a", "side": "x", "actor": {"character": "SHEET"}}, {"id": "b", "side": "y", "actor": {}}],
                    "orders": [{"by": ["a"], "attack": "b"}],
                },
            ),
            ("karma", {"character": "SHEET", "grant": "positive"}),
            ("complication", {"character": "SHEET"}),
            ("recovery", {"character": "SHEET", "rest": "night"}),
            ("improve", {"character": "SHEET", "aspect": DRIVER, "fictionLevel": "mythic"}),
            ("learn", {"character": "SHEET", "aspect": {"name": "baker"}, "fictionLevel": "mythic"}),
            ("character", {"character": "SHEET", "fictionLevel": "elite"}),
        ],
    )
    def test_every_action_reports_the_choice(self, action: str, request_: dict[str, Any]) -> None:
        def reported(**sheet: Any) -> list[Any]:
            return values(play(action, **replaced(request_, rook(**sheet))), "jazz.weird.pool")

        check = action == "character"
        assert reported(aspects=self.ASPECTS, weirdPool="sum") == ["warning" if check else "sum"]
        assert reported(aspects=self.ASPECTS) == ["warning" if check else "highest"]
        # a pool that was sent was not derived; the sheet check still shows the choice
        sent = {"weirdPool": "sum", "weird": {"current": 1, "max": 3}}
        assert reported(aspects=self.ASPECTS, **sent) == (["warning"] if check else [])
        assert reported(aspects=self.ASPECTS[:1], weirdPool="sum") == []

    def test_house_rule_counts_for_the_sheet_check(self) -> None:
        sheet = rook(aspects=self.ASPECTS)
        request: dict[str, Any] = {"fictionLevel": "elite", "stage": "npc", "houseRules": {"weirdPool": "sum"}}
        assert play("character", character=sheet, **request)["after"]["character"]["weird"] == {"current": 3, "max": 3}
        full = {**sheet, "weird": {"current": 3, "max": 3}}
        assert play("character", character=full, **request)["outcome"] == "legal"
        assert play("character", character={**full, "weirdPool": "highest"}, **request)["outcome"] == "illegal"

    def test_largest_sum(self) -> None:
        arts = [{"name": f"art {number}", "bonus": 99 if number else 9, "weird": True} for number in range(11)]
        assert pool(rook(aspects=arts, survivalAspect=None, weirdPool="sum"), "weird") == {"current": 999, "max": 999}

    def test_no_weird_aspect(self) -> None:
        sheet = rook(aspects=[{"name": DRIVER, "bonus": 4}])
        assert pool(sheet, "weird") is None
        empty = {**sheet, "weird": {"current": 0, "max": 0}}
        assert pool(empty, "weird") == {"current": 0, "max": 0}
        assert "jazz.weird.pool" not in {rule for rule, _ in errors(**empty)}


def test_complication_is_free_text() -> None:
    """jazz.complication.sheet"""
    ruling = check_sheet(complication="wanted in three states")
    assert (values(ruling, "jazz.complication.sheet"), values(check_sheet(), "jazz.complication.sheet")) == ([None], [])
    assert ruling["after"]["character"]["complication"] == "wanted in three states"
