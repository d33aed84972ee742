"""Optional mechanics: teamwork, defenders, the swarm, No Mercy, and the danger of their failure."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import BODY, NYX, fractions, kept, npc, nyx, odds, play, points, pool, roll_names, taken, values

ONE = pool(1, 1)
SPY = pool(1, 1, archetype="Spy")


class TestTeamwork:
    """darkpages.teamwork"""

    @pytest.mark.parametrize(
        ("members", "leader"),
        [
            ([pool(9, 1), pool(3, 2)], 1),
            ([pool(3, 2), pool(4, 2), pool(4, 2)], 1),
            ([pool(3, 2), pool(3, 2)], 0),
            ([pool(4, 3), BODY], 1),
            ([ONE, pool(2, 1, modifiers=["+9/9"]), pool(2, 2)], 2),
            ([pool(2, 1)], 0),
        ],
    )
    def test_highest_rated_makes_the_check(self, members: list[dict[str, Any]], leader: int) -> None:
        ruling = play("teamwork", members=members, targetNumber=5)
        steps = [value for value in values(ruling, "darkpages.teamwork") if value is not None]
        assert (roll_names(ruling), steps) == ([f"members.{leader}"], [leader, len(members) - 1])

    def test_leader_overrides_the_rating(self) -> None:
        ruling = play("teamwork", {"members.1": [1, 2]}, members=[BODY, pool(2, 1)], leader=1, targetNumber=3)
        assert (ruling["outcome"], roll_names(ruling)) == ("success", ["members.1"])

    def test_unrated_assistant_is_accepted_with_a_leader(self) -> None:
        assert play("teamwork", members=[BODY, {"character": NYX}], leader=0, targetNumber=5)["rolls"]

    @pytest.mark.parametrize("ignored", [{"modifiers": ["+1/1"]}, {"keep": "mostZeros"}, {"keepDice": [0]}])
    def test_choices_of_an_assistant_are_ignored(self, ignored: dict[str, Any]) -> None:
        for leader, notes in ((0, 1), (1, 0)):
            ruling = play("teamwork", members=[ONE, ONE | ignored], leader=leader, targetNumber=5)
            assert len(ruling["notes"]) == notes

    @pytest.mark.parametrize(("assistants", "expected"), [([], [6, 5]), ([ONE], [6, 5, 5]), ([pool(3, 1), npc(3, 1)], [6, 5, 5, 4])])
    def test_each_assistant_adds_a_kept_die(self, assistants: list[dict[str, Any]], expected: list[int]) -> None:
        ruling = play("teamwork", {"members.0": [6, 5, 5, 4]}, members=[pool(4, 2), *assistants], targetNumber=20)
        assert (kept(ruling, "members.0"), ruling["total"]) == (expected, sum(expected))

    def test_each_assistant_is_a_factor(self) -> None:
        members = [pool(3, 1), ONE, BODY]
        ruling = play("teamwork", {"members.0": [9, 1, 0]}, members=members, leader=0, targetNumber=10, include=["factors"])
        assert [(factor["on"], factor["kind"], factor["name"], factor["verdict"]) for factor in ruling["factors"]] == [
            ("members.0", "assistant", "members.1", "helpful"),
            ("members.0", "assistant", "Nyx", "helpful"),
        ]

    def test_check_may_be_opposed(self) -> None:
        ruling = play("teamwork", {"members.0": [5], "opponent": [5]}, members=[ONE, ONE], opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["endangered"]) == ("stalemate", [])


class TestTeamworkPoints:
    """darkpages.teamwork.points"""

    TEAM = (
        pool(5, 2, archetype="Warrior"),
        pool(1, 1, archetype="Mystic"),
        npc(1, 1) | {"archetype": "Thug"},
        SPY,
        ONE,
    )

    @pytest.mark.parametrize(
        ("zeros", "awards", "expected"),
        [
            (0, [], {}),
            (1, [], {"Mystic": 1}),
            (2, [], {"Mystic": 1, "Spy": 1}),
            (3, [], {"Mystic": 2, "Spy": 1}),  # an assistant without an Archetype learns nothing
            (4, [], {"Mystic": 2, "Spy": 2}),
            (0, [3], {}),
            (4, [3], {"Spy": 2, "Mystic": 2}),
            (1, [3, 1, 3], {"Spy": 1}),
            (3, [3, 1, 3], {"Spy": 2, "Mystic": 1}),
            (3, [3, 3, 3, 1], {"Spy": 3}),
        ],
    )
    def test_each_kept_zero_teaches_one_assistant(self, zeros: int, awards: list[int], expected: dict[str, int]) -> None:
        faces = [9] * (5 - zeros) + [0] * zeros
        ruling = play("teamwork", {"members.0": faces}, members=list(self.TEAM), awards=awards, targetNumber=5)
        assert points(ruling) == expected
        assert len(ruling["notes"]) == (zeros == 0 and awards != [])

    @pytest.mark.parametrize(
        ("members", "awards", "stakes", "steps"),
        [
            ([pool(2, 2, archetype="Warrior")], [], "something", [0]),
            ([npc(2, 2), SPY], [], "something", []),
            ([npc(2, 2), SPY], [1], "something", []),
            ([npc(2, 2), SPY], [1], "nothing", []),
            ([npc(2, 2), SPY], [], "nothing", []),
        ],
    )
    def test_nobody_learns(self, members: list[dict[str, Any]], awards: list[int], stakes: str, steps: list[int]) -> None:
        """Without assistants, with an NPC as the leader, or without a roll."""
        faces = {"members.0": [0, 9]} if stakes == "something" else {}
        ruling = play("teamwork", faces, members=members, awards=awards, stakes=stakes, targetNumber=5)
        assert (ruling["effects"], values(ruling, "darkpages.teamwork.points")) == ([], steps)

    def test_odds_give_each_archetype_its_mean(self) -> None:
        members = [pool(2, 1), pool(1, 1, archetype="Mystic"), SPY]
        assert odds("teamwork", {"members.0": [9, 0]}, members=members, targetNumber=5)["expected"] == {
            "archetype:Mystic.trainingPoints": 1.0
        }
        assert odds("teamwork", members=members, targetNumber=5)["expected"] == {
            "archetype:Mystic.trainingPoints": 0.19,
            "archetype:Spy.trainingPoints": 0.01,
        }


@pytest.mark.parametrize(
    ("action", "faces", "request_", "endangered"),
    [
        ("teamwork", {"members.0": [1]}, {"members": [ONE, ONE], "targetNumber": 5}, ["members.0", "members.1"]),
        ("teamwork", {"members.0": [9]}, {"members": [ONE, ONE], "targetNumber": 5}, []),
        (
            "swarm",
            {"members.0": [1], "members.1": [0]},
            {"members": [ONE, ONE], "use": "highest", "targetNumber": 5},
            ["members.0", "members.1"],
        ),
        (
            "defend",
            {"attacker": [5], "defender": [1]},
            {"attacker": npc(1, 1), "defender": ONE, "ward": ONE, "trauma": "injury"},
            ["defender", "ward"],
        ),
        (
            "noMercy",
            {"attacker": [1], "rescuer": [5]},
            {"attacker": npc(1, 1), "victim": nyx(defeated=True), "rescuer": ONE, "trauma": "injury"},
            ["attacker"],
        ),
    ],
)
def test_failure_endangers_the_side_that_failed(
    action: str, faces: dict[str, list[int]], request_: dict[str, Any], endangered: list[str]
) -> None:
    """darkpages.optional.danger"""
    ruling = play(action, faces, **request_)
    assert (ruling["endangered"], len(values(ruling, "darkpages.optional.danger"))) == (endangered, 1 if endangered else 0)


class TestDefenders:
    """darkpages.defenders"""

    REQUEST: dict[str, Any] = {
        "attacker": pool(2, 2, archetype="Villain"),
        "defender": BODY,
        "ward": pool(3, 2, archetype="Bystander"),
        "trauma": "injury",
    }
    SUCCESS: dict[str, list[int]] = {"attacker": [5, 4], "defender": [5, 5, 0, 0, 0]}
    FAILURE: dict[str, list[int]] = {"attacker": [9, 9], "defender": [1] * 5, "ward.damage": [9, 9, 9]}

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
    def test_success_keeps_the_ward_safe_and_the_defender_must_avoid_harm(
        self, second: list[int], resisting: list[int], outcome: str, succeeded: bool | None, harmed: str | None
    ) -> None:
        ruling = play("defend", {**self.SUCCESS, "attacker.second": second, "defender.damage": resisting}, **self.REQUEST)
        assert (ruling["outcome"], ruling["succeeded"], ruling["harmed"]) == (outcome, succeeded, harmed)
        assert ruling["endangered"] == (["defender", "ward"] if harmed else [])
        decided = (10, 9) if outcome == "wardSafe" else (sum(sorted(resisting)[2:]), sum(second))
        assert (ruling["total"], ruling["target"]) == decided
        assert roll_names(ruling) == ["defender", "attacker", "attacker.second", "defender.damage"]
        assert ruling["after"]["defender"]["character"].get("defeated", False) is (harmed == "defender")

    @pytest.mark.parametrize(
        ("attacker", "resisting", "outcome", "succeeded", "harmed"),
        [
            ([9, 9], [9, 8, 0], "defeated", False, "ward"),
            ([9, 9], [9, 9, 0], "stalemate", None, None),
            ([9, 3], [9, 9, 0], "resisted", False, None),
        ],
    )
    def test_failure_exposes_the_ward(
        self, attacker: list[int], resisting: list[int], outcome: str, succeeded: bool | None, harmed: str | None
    ) -> None:
        ruling = play("defend", {"attacker": attacker, "defender": [5, 5, 0, 0, 0], "ward.damage": resisting}, **self.REQUEST)
        assert (ruling["outcome"], ruling["succeeded"], ruling["harmed"]) == (outcome, succeeded, harmed)
        assert (ruling["endangered"], roll_names(ruling)) == (["defender", "ward"], ["defender", "attacker", "ward.damage"])
        assert (ruling["total"], ruling["target"]) == (sum(sorted(resisting)[1:]), sum(attacker))

    @pytest.mark.parametrize(
        ("attacker", "attacker_faces", "defender_faces"),
        [
            (pool(2, 2), [5, 5], [5, 5, 0, 0, 0]),
            (pool(2, 2), [0, 0], [0, 0, 0, 0, 0]),
            (pool(3, 2, keep="mostZeros"), [0, 0, 9], [0, 0, 0, 0, 0]),  # the attack is a Dramatic Failure
        ],
    )
    def test_tie_or_failed_attack_harms_nobody(
        self, attacker: dict[str, Any], attacker_faces: list[int], defender_faces: list[int]
    ) -> None:
        faces = {"attacker": attacker_faces, "defender": defender_faces}
        ruling = play("defend", faces, **self.REQUEST | {"attacker": attacker}, damageKeepDice=[0, 1])
        assert (ruling["outcome"], ruling["succeeded"], ruling["harmed"], ruling["endangered"]) == ("stalemate", None, None, [])
        assert len(ruling["notes"]) == 1

    def test_attack_without_dice_harms_nobody(self) -> None:
        no_dice = pool(1, 1, modifiers=["-1/1"])
        ruling = play("defend", attacker=no_dice, defender=no_dice, ward=no_dice, trauma="injury", floor="zero")
        assert (ruling["outcome"], ruling["harmed"], ruling["total"], ruling["target"]) == ("stalemate", None, 0, 0)

    @pytest.mark.parametrize(
        ("changed", "roller", "rolled"),
        [
            ({"ward": pool(6, 3)}, "ward", 6),
            ({"ward": pool(5, 3)}, "defender", 5),
            (
                {"defender": {"character": NYX}, "ward": {"character": NYX, "attribute": "soul"}, "resistWith": "mind"},
                "defender",
                4,
            ),
        ],
    )
    def test_higher_rated_of_the_two_rolls(self, changed: dict[str, Any], roller: str, rolled: int) -> None:
        ruling = play("defend", **self.REQUEST | changed)
        assert (roll_names(ruling)[0], len(ruling["rolls"][0]["dice"])) == (roller, rolled)
        assert values(ruling, "darkpages.defenders")[0] == roller

    @pytest.mark.parametrize(
        ("faces", "outcome"),
        [
            ({**SUCCESS, "defender.damage": [5, 3, 0, 0, 0]}, "defeated"),
            ({"attacker": [0, 0], "defender": [1, 0, 0, 0, 0], "defender.damage": [0] * 5}, "stalemate"),
        ],
    )
    def test_first_attack_may_count_twice(self, faces: dict[str, list[int]], outcome: str) -> None:
        ruling = play("defend", faces, **self.REQUEST, reuseAttack=True)
        assert (ruling["outcome"], "attacker.second" in roll_names(ruling)) == (outcome, False)

    @pytest.mark.parametrize(
        ("faces", "reuse", "notes", "choices"),
        [
            (FAILURE, True, 2, []),
            (FAILURE, False, 2, []),
            ({**SUCCESS, "defender.damage": [9] * 5}, True, 1, []),
            ({**SUCCESS, "attacker.second": [1, 1], "defender.damage": [9] * 5}, False, 1, ["highest"]),
        ],
    )
    def test_options_of_a_second_attack(self, faces: dict[str, list[int]], reuse: bool, notes: int, choices: list[Any]) -> None:
        ruling = play("defend", faces, **self.REQUEST, reuseAttack=reuse, secondKeepDice=[0, 1])
        assert len(ruling["notes"]) == notes
        assert values(ruling, "darkpages.dice.choice") == choices

    @pytest.mark.parametrize(("attacker", "where"), [([1, 1], "defender"), ([9, 9], "ward")])
    @pytest.mark.parametrize(("resist_with", "rolled", "steps"), [(None, 5, []), ("soul", 3, []), ("mind", 4, [])])
    def test_attribute_that_resists_may_be_chosen(
        self, attacker: list[int], where: str, resist_with: str | None, rolled: int, steps: list[str]
    ) -> None:
        sides = {"defender": {"character": NYX, "attribute": "mind"}, "ward": {"character": NYX, "attribute": "soul"}}
        faces = {"attacker": attacker, "defender": [5, 4, 0, 0]} | ({"attacker.second": [1, 1]} if where == "defender" else {})
        ruling = play("defend", faces, **self.REQUEST | sides, resistWith=resist_with)
        assert (roll_names(ruling)[-1], len(ruling["rolls"][-1]["dice"])) == (f"{where}.damage", rolled)
        assert values(ruling, "darkpages.damage.check")[:-1] == steps

    def test_chosen_attribute_does_not_apply_to_bare_pools_or_ties(self) -> None:
        ruling = play("defend", **self.REQUEST | {"defender": pool(2, 2)}, resistWith="soul")
        assert len(ruling["notes"]) == 1
        sheet = {"defender": {"character": NYX, "attribute": "mind"}, "ward": {"character": NYX, "attribute": "soul"}}
        ruling = play("defend", {"attacker": [5, 4], "defender": [5, 4, 0, 0]}, **self.REQUEST | sheet, resistWith="soul")
        assert (ruling["outcome"], values(ruling, "darkpages.damage.check")) == ("stalemate", [])

    @pytest.mark.parametrize(
        ("defender", "expected", "steps"),
        [(BODY, {"Warrior": 3, "Bystander": 1}, ["ward", 3, "ward"]), (npc(1, 1), {"Bystander": 1}, ["ward", 0, "ward"])],
    )
    def test_zeros_of_the_ward_teach_the_defender(self, defender: dict[str, Any], expected: dict[str, int], steps: list[Any]) -> None:
        faces = {"attacker": [9, 9], "ward": [9, 0, 0, 0], "ward.damage": [9, 0, 9, 9]}
        sides = {"defender": defender, "ward": pool(4, 4, archetype="Bystander")}
        ruling = play("defend", faces, **self.REQUEST | sides)
        assert (points(ruling), values(ruling, "darkpages.defenders")) == (expected, steps)

    def test_zeros_of_the_attacker_teach_the_attacker(self) -> None:
        faces = {**self.SUCCESS, "attacker.second": [0, 9], "defender.damage": [9, 9, 9, 1, 1]}
        ruling = play("defend", faces, **self.REQUEST | {"defender": BODY | {"keepDice": [0, 1, 2]}})
        assert points(ruling) == {"Villain": 1, "Warrior": 1}

    def test_second_attack_has_its_own_choice_of_dice(self) -> None:
        faces = {"attacker": [5, 4, 0], "defender": [9, 9, 0, 0, 0], "attacker.second": [9, 0, 0], "defender.damage": [8, 0, 0, 0, 0]}
        request = self.REQUEST | {"attacker": pool(3, 2, archetype="Villain")}
        ruling = play("defend", faces, **request, include=["options"])
        assert (ruling["outcome"], kept(ruling, "attacker.second")) == ("defeated", [9, 0])
        assert {"secondKeepDice": [1, 2]} in taken(ruling)
        assert play("defend", faces, **request, secondKeepDice=[1, 2])["outcome"] == "wardSafe"

    def test_other_dice_in_the_first_check_clear_the_choice_for_the_damage_check(self) -> None:
        faces = {"attacker": [5, 4], "defender": [9, 9, 0, 0, 0]}
        ruling = play("defend", faces, **self.REQUEST, damageKeepDice=[0, 1, 2], include=["options"])
        patch = next(patch for patch in taken(ruling) if "defender" in patch)
        assert patch == {"defender": {"keepDice": [0, 2, 3]}, "damageKeepDice": None}

    @pytest.mark.parametrize(
        ("ward", "choice", "expected", "step"),
        [
            (npc(2, 1), {"damageKeep": "mostZeros"}, [9], "highest"),
            (npc(2, 1), {"damageKeepDice": [1]}, [9], "highest"),
            (pool(2, 1), {"damageKeep": "mostZeros"}, [0], "mostZeros"),
        ],
    )
    def test_npcs_keep_the_highest_whatever_the_players_choose(
        self, ward: dict[str, Any], choice: dict[str, Any], expected: list[int], step: str
    ) -> None:
        faces = {"attacker": [9, 9], "defender": [1] * 5, "ward.damage": [9, 0]}
        ruling = play("defend", faces, **self.REQUEST | {"ward": ward} | choice)
        assert (kept(ruling, "ward.damage"), values(ruling, "darkpages.dice.choice")) == (expected, [step])


class TestSwarm:
    """darkpages.swarm"""

    FACES: dict[str, list[int]] = {"members.0": [8, 1], "members.1": [5, 2], "members.2": [0, 0]}
    CROWD = (pool(2, 1, archetype="Warrior"), pool(2, 1), npc(2, 1))

    @pytest.mark.parametrize(
        ("use", "target", "outcome", "total", "dismal"),
        [
            ("highest", 8, "success", 8, ["dismal"]),
            ("highest", 9, "failure", 8, ["dismal"]),
            ("lowest", 1, "dismalFailure", 0, ["dismal"]),
        ],
    )
    def test_one_roll_counts_for_all(self, use: str, target: int, outcome: str, total: int, dismal: list[str]) -> None:
        ruling = play("swarm", self.FACES, members=list(self.CROWD), use=use, targetNumber=target)
        assert (ruling["outcome"], ruling["total"], values(ruling, "darkpages.swarm")) == (outcome, total, [use])
        assert values(ruling, "darkpages.zero.dismal") == dismal

    @pytest.mark.parametrize(
        ("use", "first", "second", "outcome", "counting"),
        [
            ("lowest", [0, 0], [9, 9], "dismalFailure", 0),
            ("lowest", [9, 9], [0, 0], "dismalFailure", 1),
            ("lowest", [0, 9], [0, 0], "dismalFailure", 1),
            ("lowest", [0, 9], [9, 9], "dramaticFailure", 0),
            ("highest", [0, 0], [9, 9], "success", 1),
            ("highest", [0, 9], [0, 0], "dramaticFailure", 0),
            ("highest", [0, 0], [0, 0], "dismalFailure", 0),
        ],
    )
    def test_dismal_is_worst_and_dramatic_next(self, use: str, first: list[int], second: list[int], outcome: str, counting: int) -> None:
        members = [pool(2, 1, keep="mostZeros"), pool(2, 1)]
        ruling = play("swarm", {"members.0": first, "members.1": second}, members=members, use=use, targetNumber=1)
        assert ruling["outcome"] == outcome
        counted = next(step for step in ruling["steps"] if step["rule"] == "darkpages.swarm")
        assert counted["args"]["who"] == f"members.{counting}"

    @pytest.mark.parametrize(
        ("opponent", "outcome", "succeeded", "endangered"), [(0, "stalemate", None, 0), (1, "dismalFailure", False, 2)]
    )
    def test_dismal_swarm_against_an_opponent(self, opponent: int, outcome: str, succeeded: bool | None, endangered: int) -> None:
        faces = {"members.0": [0], "members.1": [0], "opponent": [opponent]}
        ruling = play("swarm", faces, members=[ONE, ONE], use="highest", opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["succeeded"], len(ruling["endangered"])) == (outcome, succeeded, endangered)

    @pytest.mark.parametrize(("theirs", "outcome"), [(7, "success"), (8, "stalemate"), (9, "failure")])
    def test_swarm_may_be_opposed(self, theirs: int, outcome: str) -> None:
        ruling = play("swarm", {**self.FACES, "opponent": [theirs]}, members=list(self.CROWD), use="highest", opponent=npc(1, 1))
        assert (ruling["outcome"], ruling["target"], roll_names(ruling)[-1]) == (outcome, theirs, "opponent")

    @pytest.mark.parametrize(
        ("keep", "expected", "choices"),
        [("mostZerosThatSucceed", [6, 5], ["highest", "highest"]), ("mostZeros", [6, 0], ["mostZeros", "mostZeros"])],
    )
    def test_nobody_earns_points(self, keep: str, expected: list[int], choices: list[str]) -> None:
        """Not even the opponent: so no zeros are kept for the sake of points, and none are offered."""
        roller = pool(3, 2, keep=keep, archetype="Guard")
        faces = {"members.0": [6, 5, 0], "opponent": [6, 5, 0]}
        ruling = play("swarm", faces, members=[roller], use="lowest", opponent=roller, include=["options"])
        assert (kept(ruling, "members.0"), kept(ruling, "opponent")) == (expected, expected)
        assert (ruling["effects"], ruling["options"], values(ruling, "darkpages.dice.choice")) == ([], [], choices)

    @pytest.mark.parametrize(("modifier", "rolled"), [("-0/1", [9]), ("-1/1", [])])
    @pytest.mark.parametrize(("against", "dismal"), [({"targetNumber": 1}, []), ({"opponent": npc(1, 1)}, ["dismal"])])
    def test_total_without_dice_fails_even_against_zero(
        self, modifier: str, rolled: list[int], against: dict[str, Any], dismal: list[str]
    ) -> None:
        faces = {"members.0": rolled, "members.1": [5]} | ({"opponent": [0]} if dismal else {})
        members = [pool(1, 1, modifiers=[modifier]), ONE]
        ruling = play("swarm", faces, members=members, use="lowest", floor="zero", **against)
        assert (ruling["outcome"], ruling["succeeded"], ruling["total"], len(ruling["endangered"])) == ("failure", False, 0, 2)
        assert values(ruling, "darkpages.zero.dismal") == dismal

    def test_odds_of_a_dismal_failure(self) -> None:
        members = [npc(1, 1), npc(2, 1)]
        assert fractions("swarm", members=members, use="lowest", targetNumber=1)["dismalFailure"] == "109/1000"
        assert fractions("swarm", members=members, use="highest", targetNumber=1)["dismalFailure"] == "1/1000"

    def test_odds_of_large_pools_are_exact(self) -> None:
        outcomes = fractions("swarm", members=[npc(40, 40)] * 36, use="highest", targetNumber=1)
        assert outcomes["dismalFailure"] == f"1/{10 ** (40 * 36)}"


class TestNoMercy:
    """darkpages.noMercy"""

    REQUEST: dict[str, Any] = {"attacker": npc(1, 1), "victim": nyx(defeated=True), "trauma": "injury"}

    def test_unopposed_attempt_needs_no_roll(self) -> None:
        ruling = play("noMercy", **self.REQUEST)
        assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("killed", True, [])
        assert ruling["effects"] == [
            {"on": "victim", "id": None, "stat": "outOfGame", "from": False, "to": True, "change": 1, "pointer": "/victim/outOfGame"}
        ]

    @pytest.mark.parametrize(
        ("attacker", "outcome", "succeeded"), [(6, "killed", True), (5, "stalemate", None), (4, "spared", False), (0, "spared", False)]
    )
    def test_rescuer_may_oppose(self, attacker: int, outcome: str, succeeded: bool | None) -> None:
        ruling = play("noMercy", {"attacker": [attacker], "rescuer": [5]}, **self.REQUEST, rescuer=ONE)
        assert (ruling["outcome"], ruling["succeeded"], roll_names(ruling)) == (outcome, succeeded, ["attacker", "rescuer"])
        assert ruling["after"]["victim"].get("outOfGame", False) is (outcome == "killed")
        assert values(ruling, "darkpages.noMercy") == [outcome]

    @pytest.mark.parametrize(
        ("lethal", "trauma"),
        [("health", "injury"), ("health", "illness"), ("sanity", "stress"), ("sanity", "fatigue"), ("aura", "corruption")],
    )
    def test_lethal_trauma_kills(self, lethal: str, trauma: str) -> None:
        victim = nyx(defeated=True, lethal=lethal)
        assert play("noMercy", **self.REQUEST | {"victim": victim, "trauma": trauma})["outcome"] == "killed"
