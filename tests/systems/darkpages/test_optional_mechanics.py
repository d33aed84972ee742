"""Optional mechanics: teamwork, defenders, the swarm, no mercy, and whom a failure endangers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import NYX, ask, chances, cites, kept, npc, nyx, play, points, pool, refused, rolled

BODY = {"character": NYX, "attribute": "body"}


class TestTeamwork:
    """darkpages.teamwork"""

    @pytest.mark.parametrize(
        ("members", "leader"),
        [
            ([pool(9, 1), pool(3, 2)], 1),
            ([pool(3, 2), pool(4, 2), pool(4, 2)], 1),
            ([pool(3, 2), pool(3, 2)], 0),
            ([pool(4, 3), BODY], 1),
            ([pool(1, 1), pool(2, 1, modifiers=["+9/9"]), pool(2, 2)], 2),
        ],
    )
    def test_the_highest_rated_makes_the_check(self, members: list[dict[str, Any]], leader: int) -> None:
        ruling = play("teamwork", members=members, targetNumber=5)
        said = [value for value in cites(ruling, "darkpages.teamwork") if value is not None]
        assert (rolled(ruling), said) == ([f"members.{leader}"], [leader, len(members) - 1])

    @pytest.mark.parametrize("asked", [{"modifiers": ["+1/1"]}, {"keep": "mostZeros"}, {"keepDice": [0]}])
    def test_what_was_asked_for_an_assistants_own_dice_does_not_count(self, asked: dict[str, Any]) -> None:
        for leader, times in ((0, 1), (1, 0)):
            members = [pool(1, 1), pool(1, 1) | asked]
            ruling = play("teamwork", members=members, leader=leader, targetNumber=5)
            assert cites(ruling, "darkpages.teamwork").count(None) == times

    def test_each_assistant_is_one_more_die_kept_and_none_rolled(self) -> None:
        ruling = play("teamwork", {"members.0": [6, 5, 5, 4]}, members=[pool(4, 2), pool(3, 1), npc(3, 1)], targetNumber=20)
        assert (ruling["outcome"], ruling["total"]) == ("success", 20)
        assert ruling["summary"] == "members.0 and 2 more: 6 + 5 + 5 + 4 of 6 5 5 4 = 20 against 20: success"

    def test_alone_nobody_helps(self) -> None:
        assert kept(play("teamwork", {"members.0": [1, 2]}, members=[pool(2, 1)], targetNumber=5), "members.0") == [2]

    def test_the_table_may_name_another_leader(self) -> None:
        ruling = play("teamwork", {"members.1": [1, 2]}, members=[BODY, pool(2, 1)], leader=1, targetNumber=3)
        assert (ruling["outcome"], rolled(ruling)) == ("success", ["members.1"])
        assert refused("teamwork", members=[BODY], leader=1, targetNumber=3) == ("darkpages.teamwork", "/leader")

    def test_each_assistant_says_what_it_mattered(self) -> None:
        ruling = play(
            "teamwork", {"members.0": [9, 1, 0]}, members=[pool(3, 1), pool(1, 1), BODY], leader=0, targetNumber=10, include=["factors"]
        )
        assert [(one["on"], one["kind"], one["name"], one["verdict"]) for one in ruling["factors"]] == [
            ("members.0", "assistant", "members.1", "irrelevant"),
            ("members.0", "assistant", "Nyx", "irrelevant"),
        ]

    def test_it_may_be_opposed_and_it_may_need_no_roll(self) -> None:
        members = [pool(1, 1), pool(1, 1)]
        ruling = play("teamwork", {"members.0": [5], "opponent": [5]}, members=members, opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["endangered"]) == ("stalemate", [])
        ruling = play("teamwork", members=members, targetNumber=5, stakes="nothing")
        assert (ruling["outcome"], ruling["endangered"], ruling["summary"]) == ("noRoll", [], "members.0 and 1 more: noRoll")

    def test_whoever_is_not_in_play_is_no_help(self) -> None:
        out = {"character": nyx(defeated=True), "attribute": "body"}
        assert refused("teamwork", members=[pool(9, 9), out], targetNumber=5) == ("darkpages.damage.defeated", "/members/1/character")

    def test_an_assistant_is_rated_by_an_attribute(self) -> None:
        assert refused("teamwork", members=[BODY, {"character": NYX}], targetNumber=5) == ("darkpages.attributes", "/members/1/attribute")
        assert play("teamwork", members=[BODY, {"character": NYX}], leader=0, targetNumber=5)["rolls"]

    def test_the_other_choices_carry_the_whole_list(self) -> None:
        members = [pool(3, 1), pool(1, 1, archetype="Spy")]
        ruling = play("teamwork", {"members.0": [9, 8, 0]}, members=members, targetNumber=12, include=["options"])
        assert [(one["request"], one["then"]) for one in ruling["options"]] == [
            ({"members": [members[0] | {"keepDice": [0, 2]}, members[1]]}, "failure")
        ]
        assert ruling["options"][0]["text"] == "members.0 keeps 1 zero: total 9, 1 Training Point for each Spy"

    def test_the_leaders_dice_are_chosen_like_any(self) -> None:
        members = [pool(2, 1, keepDice=[0]), pool(1, 1)]
        assert refused("teamwork", members=members, targetNumber=5) == ("darkpages.dice.keep", "/members/0/keepDice")


class TestTeamworkPoints:
    """darkpages.teamwork.points"""

    TEAM = (
        pool(5, 2, archetype="Warrior"),
        pool(1, 1, archetype="Mystic"),
        npc(1, 1) | {"archetype": "Thug"},
        pool(1, 1, archetype="Spy"),
        pool(1, 1),
    )

    @pytest.mark.parametrize(
        ("zeros", "awards", "expected"),
        [
            (0, [], {}),
            (1, [], {"Mystic": 1}),
            (2, [], {"Mystic": 1, "Spy": 1}),
            (4, [], {"Mystic": 2, "Spy": 1}),
            (4, [3], {"Spy": 2, "Mystic": 1}),
            (3, [3, 3, 3, 1], {"Spy": 3}),
        ],
    )
    def test_each_kept_zero_teaches_one_assistant(self, zeros: int, awards: list[int], expected: dict[str, int]) -> None:
        faces = [9] * (5 - zeros) + [0] * zeros
        ruling = play("teamwork", {"members.0": faces}, members=list(self.TEAM), awards=awards, targetNumber=5)
        assert points(ruling) == expected

    def test_an_assistant_without_an_archetype_learns_for_nobody(self) -> None:
        ruling = play("teamwork", {"members.0": [0, 0, 0, 9, 9]}, members=list(self.TEAM), targetNumber=5)
        assert 0 in cites(ruling, "darkpages.teamwork.points")

    def test_with_nobody_to_learn_or_an_npc_rolling_nobody_does(self) -> None:
        for members in ([pool(2, 2, archetype="Warrior")], [npc(2, 2), pool(1, 1, archetype="Spy")]):
            assert play("teamwork", {"members.0": [0, 9]}, members=members, targetNumber=5)["effects"] == []

    @pytest.mark.parametrize(
        ("zeros", "awards", "values"), [(0, [3], [1]), (1, [3, 1, 3], [1, 2]), (3, [3, 1, 3], [3]), (4, [3], [1]), (1, [], [])]
    )
    def test_awards_are_said_to_go_as_chosen_and_beyond_the_kept_zeros_to_nobody(
        self, zeros: int, awards: list[int], values: list[int]
    ) -> None:
        faces = [9] * (5 - zeros) + [0] * zeros
        ruling = play("teamwork", {"members.0": faces}, members=list(self.TEAM), awards=awards, targetNumber=5)
        said = [step for step in ruling["steps"] if "option awards" in step["text"]]
        assert [step["value"] for step in said] == values
        assert {step["rule"] for step in said} <= {"darkpages.teamwork.points"}

    def test_awards_of_an_npcs_zeros_or_of_no_roll_are_said_to_teach_nobody(self) -> None:
        members = [npc(2, 2), pool(1, 1, archetype="Spy")]
        ruling = play("teamwork", {"members.0": [0, 9]}, members=members, awards=[1], targetNumber=5)
        assert (cites(ruling, "darkpages.teamwork.points"), ruling["effects"]) == ([1], [])
        ruling = play("teamwork", members=members, awards=[1], stakes="nothing")
        assert (ruling["outcome"], cites(ruling, "darkpages.teamwork.points")) == ("noRoll", [0])
        assert cites(play("teamwork", members=members, stakes="nothing"), "darkpages.teamwork.points") == []

    @pytest.mark.parametrize("awards", [[0], [1, 2]])
    def test_neither_the_roller_nor_an_npc_can_be_chosen(self, awards: list[int]) -> None:
        rule, pointer = refused("teamwork", members=list(self.TEAM), awards=awards, targetNumber=5)
        assert (rule, pointer) == ("darkpages.teamwork.points", f"/awards/{len(awards) - 1}")

    def test_nor_somebody_who_is_not_there(self) -> None:
        assert refused("teamwork", members=list(self.TEAM), awards=[5], targetNumber=5) == ("darkpages.teamwork.points", "/awards/0")

    def test_the_odds_expect_each_archetype_its_share(self) -> None:
        members = [pool(2, 1), pool(1, 1, archetype="Mystic"), pool(1, 1, archetype="Spy")]
        assert ask("teamwork", {"members.0": [9, 0]}, members=members, targetNumber=5)["expected"] == {
            "archetype:Mystic.trainingPoints": 1.0
        }
        assert ask("teamwork", members=members, targetNumber=5)["expected"] == {
            "archetype:Mystic.trainingPoints": 0.19,
            "archetype:Spy.trainingPoints": 0.01,
        }


class TestDanger:
    """darkpages.optional.danger"""

    def test_a_failure_lists_who_stood_on_the_side_that_failed(self) -> None:
        members = [pool(1, 1), pool(1, 1)]
        failed = play("teamwork", {"members.0": [1]}, members=members, targetNumber=5)
        assert (failed["endangered"], len(cites(failed, "darkpages.optional.danger"))) == (["members.0", "members.1"], 1)
        failed = play("swarm", {"members.0": [1], "members.1": [0]}, members=members, use="highest", targetNumber=5)
        assert failed["endangered"] == ["members.0", "members.1"]
        body: dict[str, Any] = {"attacker": npc(1, 1), "defender": pool(1, 1), "ward": pool(1, 1), "trauma": "injury"}
        failed = play("defend", {"attacker": [5], "defender": [1]}, **body)
        assert failed["endangered"] == ["defender", "ward"]
        body = {"attacker": npc(1, 1), "victim": nyx(defeated=True), "rescuer": pool(1, 1), "trauma": "injury"}
        failed = play("noMercy", {"attacker": [1], "rescuer": [5]}, **body)
        assert failed["endangered"] == ["attacker"]

    def test_otherwise_nobody_is(self) -> None:
        won = play("teamwork", {"members.0": [9]}, members=[pool(1, 1)], targetNumber=5)
        assert (won["endangered"], cites(won, "darkpages.optional.danger")) == ([], [])


class TestDefenders:
    """darkpages.defenders"""

    BODY: dict[str, Any] = {
        "attacker": pool(2, 2, archetype="Villain"),
        "defender": BODY,
        "ward": pool(3, 2, archetype="Bystander"),
        "trauma": "injury",
    }
    HELD: dict[str, list[int]] = {"attacker": [5, 4], "defender": [5, 5, 0, 0, 0]}

    @pytest.mark.parametrize(
        ("second", "resisting", "outcome", "succeeded", "harmed"),
        [
            ([5, 4], [9, 9, 9, 1, 1], "wardSafe", True, None),
            ([9, 4], [9, 4, 0, 0, 0], "stalemate", None, None),
            ([9, 9], [9, 1, 0, 0, 0], "defeated", True, "defender"),
            ([0, 0], [1, 0, 0, 0, 0], "wardSafe", True, None),
            ([0, 0], [0, 0, 0, 0, 0], "stalemate", None, None),
        ],
    )
    def test_the_defence_holds_and_the_defender_has_to_come_away_whole(
        self, second: list[int], resisting: list[int], outcome: str, succeeded: bool | None, harmed: str | None
    ) -> None:
        ruling = play("defend", {**self.HELD, "attacker.second": second, "defender.damage": resisting}, **self.BODY)
        assert (ruling["outcome"], ruling["succeeded"], ruling["harmed"], ruling["endangered"]) == (outcome, succeeded, harmed, [])
        assert (ruling["total"], ruling["target"]) == (10, 9)
        assert rolled(ruling) == ["defender", "attacker", "attacker.second", "defender.damage"]
        assert ruling["after"]["defender"]["character"]["defeated"] is (harmed == "defender")

    @pytest.mark.parametrize(
        ("attacker", "resisting", "outcome", "harmed"),
        [([9, 9], [9, 8, 0], "defeated", "ward"), ([9, 9], [9, 9, 0], "stalemate", None), ([9, 3], [9, 9, 0], "resisted", None)],
    )
    def test_the_defence_fails_and_the_ward_faces_the_harm(
        self, attacker: list[int], resisting: list[int], outcome: str, harmed: str | None
    ) -> None:
        ruling = play("defend", {"attacker": attacker, "defender": [5, 5, 0, 0, 0], "ward.damage": resisting}, **self.BODY)
        assert (ruling["outcome"], ruling["harmed"], ruling["endangered"]) == (outcome, harmed, ["defender", "ward"])
        assert ruling["succeeded"] is (None if outcome == "stalemate" else False)
        assert rolled(ruling) == ["defender", "attacker", "ward.damage"]

    @pytest.mark.parametrize(("attacker", "defender"), [([5, 5], [5, 5, 0, 0, 0]), ([0, 0], [0, 0, 0, 0, 0])])
    def test_a_draw_harms_nobody(self, attacker: list[int], defender: list[int]) -> None:
        ruling = play("defend", {"attacker": attacker, "defender": defender}, **self.BODY, damageKeepDice=[0, 1])
        assert (ruling["outcome"], ruling["succeeded"], ruling["harmed"], ruling["endangered"]) == ("stalemate", None, None, [])
        assert len(cites(ruling, "darkpages.dice.choice")) == 1

    def test_nor_does_an_attack_that_failed_by_itself(self) -> None:
        dramatic = self.BODY | {"attacker": pool(3, 2, keep="mostZeros")}
        ruling = play("defend", {"attacker": [0, 0, 9], "defender": [0] * 5}, **dramatic)
        assert (ruling["outcome"], ruling["harmed"]) == ("stalemate", None)

    def test_the_higher_rated_of_the_two_rolls(self) -> None:
        ruling = play("defend", **self.BODY | {"ward": pool(6, 3)})
        assert (rolled(ruling)[0], cites(ruling, "darkpages.defenders")[0]) == ("ward", "ward")
        assert ruling["summary"].startswith("Nyx for ward: ")
        assert rolled(play("defend", **self.BODY | {"ward": pool(5, 3)}))[0] == "defender"
        minds = {"defender": {"character": NYX}, "ward": {"character": NYX, "attribute": "soul"}, "resistWith": "mind"}
        assert len(play("defend", **self.BODY | minds)["rolls"][0]["dice"]) == 4

    def test_the_first_attack_may_stand(self) -> None:
        ruling = play("defend", {**self.HELD, "defender.damage": [5, 3, 0, 0, 0]}, **self.BODY, reuseAttack=True)
        assert (ruling["outcome"], rolled(ruling)) == ("defeated", ["defender", "attacker", "defender.damage"])
        ruling = play(
            "defend", {"attacker": [0, 0], "defender": [1, 0, 0, 0, 0], "defender.damage": [0] * 5}, **self.BODY, reuseAttack=True
        )
        assert ruling["outcome"] == "stalemate"

    def test_what_was_asked_for_a_second_contest_that_is_not(self) -> None:
        failed = {"attacker": [9, 9], "defender": [1] * 5, "ward.damage": [9, 9, 9]}
        ruling = play("defend", failed, **self.BODY, reuseAttack=True, secondKeepDice=[0, 1])
        assert (cites(ruling, "darkpages.defenders"), cites(ruling, "darkpages.dice.choice")) == (["defender", False, "ward"], [None])
        ruling = play("defend", failed, **self.BODY, secondKeepDice=[0, 1])
        assert (cites(ruling, "darkpages.defenders"), cites(ruling, "darkpages.dice.choice")) == (["defender", "ward"], [None])
        held = {**self.HELD, "defender.damage": [9] * 5}
        ruling = play("defend", held, **self.BODY, reuseAttack=True, secondKeepDice=[0, 1])
        assert cites(ruling, "darkpages.defenders") == ["defender", 1, True, "wardSafe"]
        assert cites(ruling, "darkpages.dice.choice") == [None]
        again = held | {"attacker.second": [1, 1]}
        assert cites(play("defend", again, **self.BODY, secondKeepDice=[0, 1]), "darkpages.dice.choice") == ["highest"]

    def test_dice_chosen_by_whoever_does_not_roll_do_not_count(self) -> None:
        ruling = play("defend", self.HELD, **self.BODY | {"ward": pool(3, 2, keepDice=[0, 1])})
        assert "ward does not roll against the attacker, so the dice chosen do not count" in [step["text"] for step in ruling["steps"]]

    def test_the_attribute_that_resists_may_be_chosen_for_each(self) -> None:
        minded = {"defender": {"character": NYX, "attribute": "mind"}, "ward": {"character": NYX, "attribute": "soul"}}
        for attacker, where in (([1, 1], "defender"), ([9, 9], "ward")):
            faces = {"attacker": attacker, "defender": [5, 4, 0, 0]} | ({"attacker.second": [1, 1]} if where == "defender" else {})
            for resist, dice, said in ((None, 5, []), ("soul", 3, ["soul"]), ("mind", 4, ["mind"])):
                ruling = play("defend", faces, **self.BODY | minded, **({"resistWith": resist} if resist else {}))
                assert (ruling["rolls"][-1]["roll"], len(ruling["rolls"][-1]["dice"])) == (f"{where}.damage", dice)
                assert cites(ruling, "darkpages.damage.check")[:-1] == said
        ruling = play("defend", {"attacker": [5, 4], "defender": [5, 4, 0, 0]}, **self.BODY | minded, resistWith="soul")
        assert (ruling["outcome"], cites(ruling, "darkpages.damage.check")) == ("stalemate", [None])

    def test_a_bare_pool_has_no_attribute_to_choose(self) -> None:
        pools = self.BODY | {"defender": pool(2, 2)}
        texts = [step["text"] for step in play("defend", **pools, resistWith="soul")["steps"] if "resistWith" in step["text"]]
        assert [text.partition(":")[0] for text in texts] == ["defender", "ward"]

    def test_the_zeros_of_the_defence_teach_the_defender_whoever_rolled(self) -> None:
        faces = {"attacker": [9, 9], "ward": [9, 0, 0, 0], "ward.damage": [9, 0, 9, 9]}
        body = self.BODY | {"ward": pool(4, 4, archetype="Bystander")}
        ruling = play("defend", faces, **body)
        assert points(ruling) == {"Warrior": 3, "Bystander": 1}
        assert cites(ruling, "darkpages.defenders")[1:] == [3, "ward"]
        unnamed = play("defend", faces, **body | {"defender": npc(1, 1)})
        assert points(unnamed) == {"Bystander": 1}

    def test_the_attackers_zeros_teach_the_attacker(self) -> None:
        faces = {**self.HELD, "attacker.second": [0, 9], "defender.damage": [9, 9, 9, 1, 1]}
        assert points(play("defend", faces, **self.BODY | {"defender": BODY | {"keepDice": [0, 1, 2]}})) == {"Villain": 1, "Warrior": 1}

    def test_the_second_attack_is_kept_by_its_own_choice(self) -> None:
        faces = {"attacker": [5, 4, 0], "defender": [9, 9, 0, 0, 0], "attacker.second": [9, 0, 0], "defender.damage": [8, 0, 0, 0, 0]}
        body = self.BODY | {"attacker": pool(3, 2, archetype="Villain")}
        ruling = play("defend", faces, **body, include=["options"])
        assert (ruling["outcome"], kept(ruling, "attacker.second")) == ("defeated", [9, 0])
        patches = [(one["request"], one["then"]) for one in ruling["options"]]
        assert ({"secondKeepDice": [1, 2]}, "wardSafe") in patches
        assert play("defend", faces, **body, secondKeepDice=[1, 2])["outcome"] == "wardSafe"
        assert refused("defend", faces, **body, secondKeepDice=[1]) == ("darkpages.dice.keep", "/secondKeepDice")

    def test_another_choice_in_the_first_check_has_the_next_dice_chosen_anew(self) -> None:
        faces = {"attacker": [5, 4], "defender": [9, 9, 0, 0, 0]}
        ruling = play("defend", faces, **self.BODY, damageKeepDice=[0, 1, 2], include=["options"])
        first = next(one for one in ruling["options"] if "defender" in one["request"])
        assert first["request"] == {"defender": {"keepDice": [0, 2, 3]}, "damageKeepDice": None}

    def test_no_choice_where_only_npcs_can_be_harmed(self) -> None:
        body = self.BODY | {"defender": npc(1, 1), "ward": npc(1, 1)}
        assert refused("defend", **body, damageKeep="mostZeros") == ("darkpages.dice.choice", "/damageKeep")
        assert refused("defend", **body, damageKeepDice=[0]) == ("darkpages.dice.choice", "/damageKeepDice")
        assert refused("defend", **body | {"attacker": npc(1, 1)}, secondKeepDice=[0]) == ("darkpages.dice.choice", "/secondKeepDice")

    def test_an_npc_keeps_the_highest_whatever_was_chosen_for_the_other(self) -> None:
        body = self.BODY | {"ward": npc(2, 1)}
        ruling = play("defend", {"attacker": [9, 9], "defender": [1] * 5, "ward.damage": [9, 0]}, **body, damageKeep="mostZeros")
        assert (kept(ruling, "ward.damage"), cites(ruling, "darkpages.dice.choice")) == ([9], ["highest"])

    def test_the_summary_tells_who_resists(self) -> None:
        faces = {**self.HELD, "attacker.second": [5, 4], "defender.damage": [9, 9, 9, 1, 1]}
        assert play("defend", faces, **self.BODY)["summary"] == (
            "Nyx for ward: 5 + 5 + 0 of 5 5 0 0 0 = 10 against 9; Nyx resists with 9 + 9 + 9 of 9 9 9 1 1 = 27: wardSafe"
        )

    def test_everyone_has_to_be_in_play(self) -> None:
        out = {"character": nyx(outOfGame=True), "attribute": "body"}
        for who in ("attacker", "defender", "ward"):
            assert refused("defend", **self.BODY | {who: out}) == ("darkpages.damage.destroyed", f"/{who}/character")


class TestSwarm:
    """darkpages.swarm"""

    FACES: dict[str, list[int]] = {"members.0": [8, 1], "members.1": [5, 2], "members.2": [0, 0]}
    CROWD = (pool(2, 1, archetype="Warrior"), pool(2, 1), npc(2, 1))

    @pytest.mark.parametrize(
        ("use", "target", "outcome", "total"),
        [("highest", 8, "success", 8), ("highest", 9, "failure", 8), ("lowest", 1, "dismalFailure", 0)],
    )
    def test_one_roll_stands_for_the_lot(self, use: str, target: int, outcome: str, total: int) -> None:
        ruling = play("swarm", self.FACES, members=list(self.CROWD), use=use, targetNumber=target)
        assert (ruling["outcome"], ruling["total"], cites(ruling, "darkpages.swarm")) == (outcome, total, [use])
        assert cites(ruling, "darkpages.zero.dismal") == (["dismal", "dismalFailure"] if use == "lowest" else ["dismal"])

    def test_the_request_has_to_say_which(self) -> None:
        assert refused("swarm", members=list(self.CROWD), targetNumber=5)[1] == "/use"

    def test_nobody_earns_anything(self) -> None:
        members = [pool(2, 2, archetype="Warrior", keep="mostZerosThatSucceed"), pool(2, 1, archetype="Warrior", keep="mostZeros")]
        ruling = play("swarm", {"members.0": [0, 9], "members.1": [0, 9]}, members=members, use="highest", targetNumber=1)
        assert (ruling["outcome"], ruling["effects"], kept(ruling, "members.0")) == ("success", [], [0, 9])
        assert cites(ruling, "darkpages.zero.dramatic") == ["dramatic"]

    def test_nobody_keeps_zeros_for_a_lesson_that_is_not_taught(self) -> None:
        members = [pool(3, 1, keep="mostZerosThatSucceed")]
        ruling = play("swarm", {"members.0": [0, 9, 0]}, members=members, use="highest", targetNumber=1)
        assert (kept(ruling, "members.0"), cites(ruling, "darkpages.dice.choice")) == ([9], ["highest"])

    def test_where_everyone_rolls_nothing_but_zeros_it_is_dismal(self) -> None:
        members = [pool(1, 1), pool(1, 1)]
        faces = {"members.0": [0], "members.1": [0]}
        for use in ("highest", "lowest"):
            assert play("swarm", faces, members=members, use=use, targetNumber=1)["outcome"] == "dismalFailure"
        ruling = play("swarm", {**faces, "opponent": [0]}, members=members, use="highest", opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["succeeded"], ruling["endangered"]) == ("stalemate", None, [])
        ruling = play("swarm", {**faces, "opponent": [1]}, members=members, use="highest", opponent=npc(1, 1))
        assert ruling["outcome"] == "dismalFailure"

    @pytest.mark.parametrize(
        ("use", "first", "second", "outcome"),
        [
            ("lowest", [0, 0], [9, 9], "dismalFailure"),
            ("lowest", [9, 9], [0, 0], "dismalFailure"),
            ("lowest", [0, 9], [0, 0], "dismalFailure"),
            ("lowest", [0, 9], [9, 9], "dramaticFailure"),
            ("highest", [0, 0], [9, 9], "success"),
            ("highest", [0, 9], [0, 0], "dramaticFailure"),
            ("highest", [0, 0], [0, 0], "dismalFailure"),
        ],
    )
    def test_the_roll_that_counts_decides_as_in_a_check(self, use: str, first: list[int], second: list[int], outcome: str) -> None:
        members = [pool(2, 1, keep="mostZeros"), pool(2, 1)]
        ruling = play("swarm", {"members.0": first, "members.1": second}, members=members, use=use, targetNumber=1)
        assert ruling["outcome"] == outcome
        if outcome == "dismalFailure" and first != second:
            assert ruling["summary"].startswith(f"members.{int(second == [0, 0])} for 2: ")

    def test_one_of_several_is_dismal_or_all_of_them_are(self) -> None:
        members = [npc(1, 1), npc(2, 1)]
        assert chances("swarm", members=members, use="lowest", targetNumber=1)["dismalFailure"] == "109/1000"
        assert chances("swarm", members=members, use="highest", targetNumber=1)["dismalFailure"] == "1/1000"

    def test_a_total_without_a_die_loses_to_a_total_of_zero(self) -> None:
        members = [pool(1, 1, modifiers=["-0/1"]), pool(1, 1)]
        ruling = play(
            "swarm", {"members.0": [9], "members.1": [5], "opponent": [0]}, members=members, use="lowest", opponent=npc(1, 1), floor="zero"
        )
        assert (ruling["outcome"], ruling["succeeded"]) == ("failure", False)
        assert len(ruling["endangered"]) == 2

    @pytest.mark.parametrize(("theirs", "outcome"), [(7, "success"), (8, "stalemate"), (9, "failure")])
    def test_it_may_be_opposed(self, theirs: int, outcome: str) -> None:
        ruling = play("swarm", {**self.FACES, "opponent": [theirs]}, members=list(self.CROWD), use="highest", opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["target"], rolled(ruling)[-1]) == (outcome, theirs, "opponent")

    def test_whoever_opposes_it_learns_nothing_either(self) -> None:
        opponent = pool(3, 2, keep="mostZerosThatSucceed", archetype="Guard")
        faces = {"members.0": [5], "opponent": [6, 5, 0]}
        ruling = play("swarm", faces, members=[pool(1, 1)], use="lowest", opponent=opponent)
        assert (kept(ruling, "opponent"), points(ruling), ruling["outcome"]) == ([6, 5], {}, "failure")
        assert cites(ruling, "darkpages.dice.choice") == ["highest"]
        greedy = opponent | {"keep": "mostZeros"}
        ruling = play("swarm", faces, members=[pool(1, 1)], use="lowest", opponent=greedy, include=["options"])
        assert (kept(ruling, "opponent"), ruling["effects"], ruling["options"]) == ([6, 0], [], [])

    def test_without_a_die_kept_a_member_has_nothing(self) -> None:
        members = [pool(1, 1, modifiers=["-0/1"]), pool(1, 1)]
        ruling = play("swarm", {"members.0": [9], "members.1": [5]}, members=members, use="lowest", targetNumber=1, floor="zero")
        assert (ruling["outcome"], ruling["total"]) == ("failure", 0)

    def test_it_may_need_no_roll_and_everyone_has_to_be_in_play(self) -> None:
        ruling = play("swarm", members=list(self.CROWD), use="highest", targetNumber=5, stakes="everything")
        assert (ruling["outcome"], ruling["rolls"], ruling["summary"]) == ("noRoll", [], "3 together: noRoll")
        out = {"character": nyx(defeated=True), "attribute": "body"}
        assert refused("swarm", members=[pool(1, 1), out], use="highest", targetNumber=5)[1] == "/members/1/character"

    def test_the_summary_names_the_one_that_counts(self) -> None:
        ruling = play("swarm", self.FACES, members=list(self.CROWD), use="highest", targetNumber=9)
        assert ruling["summary"] == "members.0 for 3: 8 of 8 1 = 8 against 9: failure by 1"

    def test_a_crowd_of_large_pools_is_counted_exactly(self) -> None:
        found = chances("swarm", members=[npc(40, 40)] * 36, use="highest", targetNumber=1)
        assert found["dismalFailure"] == f"1/{10 ** (40 * 36)}"


class TestNoMercy:
    """darkpages.noMercy"""

    BODY: dict[str, Any] = {"attacker": npc(1, 1), "victim": nyx(defeated=True), "trauma": "injury"}

    def test_unopposed_it_needs_no_roll(self) -> None:
        ruling = play("noMercy", **self.BODY)
        after = ruling["after"]["victim"]
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("killed", True, [])
        assert (after["outOfGame"], after["defeated"]) == (True, True)
        assert ruling["effects"] == [{"on": "victim", "id": None, "stat": "outOfGame", "from": False, "to": True, "change": 1}]

    @pytest.mark.parametrize(
        ("attacker", "outcome", "succeeded"), [(6, "killed", True), (5, "stalemate", None), (4, "spared", False), (0, "spared", False)]
    )
    def test_a_rescuer_may_oppose_it_and_a_tie_spares(self, attacker: int, outcome: str, succeeded: bool | None) -> None:
        ruling = play("noMercy", {"attacker": [attacker], "rescuer": [5]}, **self.BODY, rescuer=pool(1, 1))
        assert (ruling["outcome"], ruling["succeeded"], rolled(ruling)) == (outcome, succeeded, ["attacker", "rescuer"])
        assert ruling["after"]["victim"]["outOfGame"] is (outcome == "killed")
        assert cites(ruling, "darkpages.noMercy") == [outcome]

    def test_the_victim_is_defeated_and_still_there(self) -> None:
        for changed, at in (({"defeated": False}, "defeated"), ({"outOfGame": True}, "outOfGame")):
            body = self.BODY | {"victim": nyx(defeated=True) | changed}
            assert refused("noMercy", **body) == ("darkpages.noMercy", f"/victim/{at}")

    @pytest.mark.parametrize(
        ("lethal", "traumas"), [("health", ["injury", "illness"]), ("sanity", ["stress", "fatigue"]), ("aura", ["corruption"])]
    )
    def test_only_what_is_lethal_to_the_victim_kills(self, lethal: str, traumas: list[str]) -> None:
        for trauma in ("injury", "illness", "stress", "fatigue", "corruption"):
            body = self.BODY | {"victim": nyx(defeated=True, lethal=lethal), "trauma": trauma}
            if trauma in traumas:
                assert play("noMercy", **body)["outcome"] == "killed"
            else:
                assert refused("noMercy", **body) == ("darkpages.noMercy", "/trauma")

    def test_whoever_is_not_in_play_neither_kills_nor_rescues(self) -> None:
        out = {"character": nyx(defeated=True), "attribute": "body"}
        assert refused("noMercy", **self.BODY | {"attacker": out}) == ("darkpages.damage.defeated", "/attacker/character")
        assert refused("noMercy", **self.BODY, rescuer=out) == ("darkpages.damage.defeated", "/rescuer/character")
