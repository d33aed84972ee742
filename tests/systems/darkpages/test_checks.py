"""Checks: Target Numbers, opposition, stakes, goals, and what zeros do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import ask, chances, cites, kept, npc, nyx, play, points, pool, refused, rolled


class TestTarget:
    """darkpages.check.target"""

    @pytest.mark.parametrize(("target", "outcome"), [(12, "success"), (13, "failure"), (1, "success")])
    def test_reaching_it_succeeds(self, target: int, outcome: str) -> None:
        ruling = play("check", {"actor": [5, 7]}, actor=pool(2, 2), targetNumber=target)
        assert (ruling["outcome"], ruling["succeeded"], ruling["target"], ruling["margin"]) == (
            outcome,
            outcome == "success",
            target,
            12 - target,
        )

    def test_exactly_one_thing_is_against_it(self) -> None:
        assert refused("check", actor=pool(2, 2)) == ("darkpages.check.target", "")
        assert refused("check", actor=pool(2, 2), targetNumber=5, opponent=pool(2, 2)) == ("darkpages.check.target", "")
        for number in (0, -5, 0.0):
            assert refused("check", actor=pool(2, 2), targetNumber=number) == ("darkpages.check.target", "/targetNumber")
        for other in (1001, True, 0.5, "5"):
            assert refused("check", actor=pool(2, 2), targetNumber=other) == (None, "/targetNumber")

    def test_the_summary_is_one_line(self) -> None:
        ruling = play("check", {"actor": [9, 0, 4, 7]}, actor=pool(4, 2), targetNumber=15)
        assert ruling["summary"] == "actor: 9 + 7 of 9 0 4 7 = 16 against 15: success by 1"
        ruling = play("check", {"actor": [5]}, actor=pool(1, 1), targetNumber=5)
        assert ruling["summary"] == "actor: 5 of 5 = 5 against 5: success"


class TestOpposed:
    """darkpages.check.opposed"""

    @pytest.mark.parametrize(("theirs", "outcome", "succeeded"), [(8, "success", True), (9, "stalemate", None), ([9, 1], "failure", False)])
    def test_the_higher_wins_and_a_tie_is_neither(self, theirs: Any, outcome: str, succeeded: bool | None) -> None:
        faces = theirs if isinstance(theirs, list) else [theirs, 0]
        ruling = play("check", {"actor": [9, 0], "opponent": faces}, actor=npc(2, 2), opponent=npc(2, 2))
        assert (ruling["outcome"], ruling["succeeded"]) == (outcome, succeeded)
        assert rolled(ruling) == ["actor", "opponent"]

    def test_whoever_keeps_zeros_by_what_succeeds_chooses_last(self) -> None:
        eager = pool(3, 2, keep="mostZerosThatSucceed")
        faces = {"actor": [9, 0, 2], "opponent": [8, 0, 0]}
        ruling = play("check", faces, actor=eager, opponent=pool(3, 2))
        assert (kept(ruling, "actor"), ruling["outcome"], rolled(ruling)) == ([9, 0], "success", ["actor", "opponent"])
        ruling = play("check", faces, actor=pool(3, 2, keepDice=[1, 2]), opponent=eager)
        assert (kept(ruling, "opponent"), ruling["target"], ruling["outcome"]) == ([8, 0], 8, "failure")
        assert kept(play("check", faces, actor=eager, opponent=eager), "opponent") == [8, 0]

    def test_against_nothing_but_zeros_any_total_will_do(self) -> None:
        eager = pool(3, 2, keep="mostZerosThatSucceed")
        ruling = play("check", {"actor": [1, 0, 2], "opponent": [0]}, actor=eager, opponent=npc(1, 1))
        assert (kept(ruling, "actor"), ruling["outcome"]) == ([0, 2], "success")
        ruling = play("check", {"actor": [0], "opponent": [1, 0, 2]}, actor=npc(1, 1), opponent=eager)
        assert (kept(ruling, "opponent"), ruling["outcome"]) == ([0, 2], "dismalFailure")

    def test_whoever_is_not_in_play_takes_no_part(self) -> None:
        for field, rule in (("defeated", "darkpages.damage.defeated"), ("outOfGame", "darkpages.damage.destroyed")):
            out = {"character": nyx(**{field: True}), "attribute": "body"}
            assert refused("check", actor=out, targetNumber=5) == (rule, "/actor/character")
            assert refused("check", actor=pool(1, 1), opponent=out) == (rule, "/opponent/character")


class TestStakes:
    """darkpages.check.stakes"""

    @pytest.mark.parametrize("stakes", ["nothing", "everything"])
    def test_nobody_rolls(self, stakes: str) -> None:
        ruling = play("check", actor=pool(2, 2), targetNumber=5, stakes=stakes)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"], ruling["total"]) == ("noRoll", None, [], None)
        assert cites(ruling, "darkpages.check.stakes") == [stakes]
        assert ruling["summary"] == "actor: noRoll"
        assert chances("check", actor=pool(2, 2), opponent=pool(2, 2), stakes=stakes) == {"noRoll": "1"}

    @pytest.mark.parametrize("stakes", ["nothing", "everything"])
    @pytest.mark.parametrize(
        ("action", "body"),
        [
            ("check", {"actor": pool(2, 2)}),
            ("teamwork", {"members": [pool(2, 2)]}),
            ("swarm", {"members": [pool(2, 2)], "use": "lowest"}),
        ],
    )
    def test_then_there_need_be_nothing_to_roll_against(self, action: str, body: dict[str, Any], stakes: str) -> None:
        ruling = play(action, **body, stakes=stakes)
        assert (ruling["outcome"], ruling["target"], ruling["rolls"]) == ("noRoll", None, [])
        assert chances(action, **body, stakes=stakes) == {"noRoll": "1"}
        assert refused(action, **body) == ("darkpages.check.target", "")
        assert refused(action, **body, stakes=stakes, targetNumber=5, opponent=pool(1, 1)) == ("darkpages.check.target", "")


class TestGoals:
    """darkpages.goals.parts, darkpages.goals.single, darkpages.goals.death"""

    def test_goal_action_and_effect_are_echoed(self) -> None:
        said = {"goal": "I want to open the safe", "means": "a stethoscope", "effect": "it is open"}
        ruling = play("check", {"actor": [5]}, actor=pool(1, 1), targetNumber=5, **said)
        assert {key: ruling[key] for key in said} == said
        assert ruling["summary"].startswith("actor (I want to open the safe; means: a stethoscope; effect: it is open): ")
        assert len(cites(ruling, "darkpages.goals.parts")) == 3
        assert play("check", actor=pool(1, 1), targetNumber=5)["goal"] is None

    @pytest.mark.parametrize("goal", ["I want to grab it and run", "AND then", "this And that", "cut-and-paste"])
    def test_and_makes_it_several_goals(self, goal: str) -> None:
        assert refused("check", actor=pool(1, 1), targetNumber=5, goal=goal) == ("darkpages.goals.single", "/goal")
        warned = play("check", actor=pool(1, 1), targetNumber=5, goal=goal, goalPolicy="warn")
        ignored = play("check", actor=pool(1, 1), targetNumber=5, goal=goal, goalPolicy="ignore")
        assert (cites(warned, "darkpages.goals.single"), cites(ignored, "darkpages.goals.single")) == (["warn"], ["ignore"])

    @pytest.mark.parametrize("goal", ["I want to reach the island", "Andrew has to leave", "I want my hand back"])
    def test_only_the_whole_word_counts(self, goal: str) -> None:
        for policy, said in (("reject", []), ("warn", [None])):
            ruling = play("check", actor=pool(1, 1), targetNumber=5, goal=goal, goalPolicy=policy)
            assert cites(ruling, "darkpages.goals.single") == said

    def test_nobodys_death_is_a_goal(self) -> None:
        for action, body in (
            ("check", {"actor": pool(1, 1), "targetNumber": 5}),
            ("teamwork", {"members": [pool(1, 1)], "targetNumber": 5}),
            ("swarm", {"members": [pool(1, 1)], "use": "lowest", "targetNumber": 5}),
            ("attack", {"attacker": pool(1, 1), "defender": pool(1, 1), "trauma": "injury"}),
            ("defend", {"attacker": pool(1, 1), "defender": pool(1, 1), "ward": pool(1, 1), "trauma": "injury"}),
        ):
            assert refused(action, **body, removesFromPlay=True) == ("darkpages.goals.death", "/removesFromPlay")

    def test_no_mercy_is_the_exception(self) -> None:
        ruling = play(
            "noMercy", attacker=pool(1, 1), victim=nyx(defeated=True), trauma="injury", removesFromPlay=True, goal="I want her dead"
        )
        assert cites(ruling, "darkpages.goals.death") == ["removesFromPlay"]
        assert (ruling["goal"], ruling["summary"]) == ("I want her dead", "attacker on Nyx (I want her dead): killed")


class TestPoints:
    """darkpages.zero.points"""

    @pytest.mark.parametrize(("target", "outcome"), [(5, "success"), (15, "failure")])
    def test_kept_zeros_teach_the_archetype_whatever_comes_of_it(self, target: int, outcome: str) -> None:
        ruling = play("check", {"actor": [9, 0, 0]}, actor=pool(3, 3, archetype="Warrior"), targetNumber=target)
        assert ruling["outcome"] == outcome
        assert ruling["effects"] == [
            {"on": "archetype:Warrior", "id": None, "stat": "trainingPoints", "from": None, "to": None, "change": 2}
        ]

    def test_the_sheet_names_the_archetype_unless_the_roller_does(self) -> None:
        sheet = {"character": NYX_BODY, "attribute": "soul"}
        assert points(play("check", {"actor": [0, 0, 1]}, actor=sheet, targetNumber=5)) == {"Warrior": 1}
        assert points(play("check", {"actor": [0, 0, 1]}, actor=sheet | {"archetype": "Spy"}, targetNumber=5)) == {"Spy": 1}

    def test_zeros_that_are_not_kept_teach_nobody(self) -> None:
        assert points(play("check", {"actor": [9, 0]}, actor=pool(2, 1, archetype="Warrior"), targetNumber=5)) == {}

    def test_npcs_and_those_without_an_archetype_earn_nothing(self) -> None:
        for actor in (npc(1, 1) | {"archetype": "Thug"}, pool(1, 1)):
            ruling = play("check", {"actor": [0]}, actor=actor, targetNumber=5)
            assert (ruling["effects"], cites(ruling, "darkpages.zero.points")) == ([], [0])

    def test_whoever_opposes_learns_as_well(self) -> None:
        ruling = play(
            "check",
            {"actor": [9, 0], "opponent": [0, 8]},
            actor=pool(2, 2, archetype="Warrior"),
            opponent=pool(2, 2, archetype="Mystic"),
        )
        assert points(ruling) == {"Warrior": 1, "Mystic": 1}

    def test_the_odds_expect_the_mean(self) -> None:
        assert ask("check", actor=pool(1, 1, archetype="Warrior"), targetNumber=5)["expected"] == {"archetype:Warrior.trainingPoints": 0.1}


NYX_BODY = nyx()


class TestDismal:
    """darkpages.zero.dismal"""

    def test_nothing_but_zeros_rolled_fails_for_anyone(self) -> None:
        for actor in (pool(2, 1), npc(2, 1)):
            ruling = play("check", {"actor": [0, 0]}, actor=actor, targetNumber=1)
            assert (ruling["outcome"], ruling["succeeded"], cites(ruling, "darkpages.zero.dismal")) == ("dismalFailure", False, ["dismal"])

    def test_two_of_them_are_a_stalemate_and_both_are_flagged(self) -> None:
        ruling = play("check", {"actor": [0], "opponent": [0, 0]}, actor=pool(1, 1), opponent=npc(2, 1))
        assert (ruling["outcome"], ruling["succeeded"]) == ("stalemate", None)
        assert cites(ruling, "darkpages.zero.dismal") == ["dismal", "dismal", "stalemate"]


class TestDramatic:
    """darkpages.zero.dramatic"""

    def test_nothing_but_zeros_kept_fails_by_choice(self) -> None:
        ruling = play("check", {"actor": [9, 0]}, actor=pool(2, 1, keep="mostZeros", archetype="Warrior"), targetNumber=1)
        assert (ruling["outcome"], ruling["succeeded"], points(ruling)) == ("dramaticFailure", False, {"Warrior": 1})
        assert cites(ruling, "darkpages.zero.dramatic") == ["dramatic"]

    def test_it_fails_even_against_a_dismal_roll(self) -> None:
        ruling = play("check", {"actor": [9, 0], "opponent": [0]}, actor=pool(2, 1, keep="mostZeros"), opponent=npc(1, 1))
        assert ruling["outcome"] == "dramaticFailure"


class TestInitiation:
    """darkpages.iiee.order"""

    PEOPLE = (
        {"id": "a", "name": "Nyx", "proximity": 1, "ease": 5},
        {"id": "b", "proximity": 3, "drama": -2},
        {"id": "c", "proximity": 1, "ease": 5},
        {"id": "d", "proximity": 1, "ease": 4, "drama": 100},
    )

    @pytest.mark.parametrize(
        ("weigh", "order"),
        [
            (None, [["b"], ["a", "c"], ["d"]]),
            (["drama", "ease", "proximity"], [["d"], ["a", "c"], ["b"]]),
            (["ease", "drama", "proximity"], [["a", "c"], ["d"], ["b"]]),
        ],
    )
    def test_the_scores_order_by_weight_and_equals_share_a_place(self, weigh: list[str] | None, order: list[list[str]]) -> None:
        ruling = play("initiation", participants=list(self.PEOPLE), **({"weigh": weigh} if weigh else {}))
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"], ruling["after"]["order"]) == ("ordered", None, [], order)
        assert [one["id"] for one in ruling["after"]["participants"]] == ["a", "b", "c", "d"]

    def test_the_summary_says_who_acts_with_whom(self) -> None:
        assert play("initiation", participants=list(self.PEOPLE))["summary"] == "b, then Nyx with c, then d"

    def test_nobody_and_nothing_is_named_twice(self) -> None:
        assert refused("initiation", participants=[{"id": "a"}, {"id": "a"}]) == ("darkpages.iiee.order", "/participants/1/id")
        assert refused("initiation", participants=[{"id": "a"}], weigh=["ease", "ease", "drama"]) == ("darkpages.iiee.order", "/weigh")
        assert refused("initiation", participants=[{"id": "a", "drama": 101}])[1] == "/participants/0/drama"
        assert refused("initiation", participants=[])[1] == "/participants"
