"""Attributes, Damage States, damage checks, sheets, and attacks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import BODY, NYX, fractions, kept, npc, nyx, odds, play, points, pool, roll_names, size, taken, values

LOW, HIGH = [5, 5, 5, 1, 1], [9, 9, 9, 1, 1]
ONE = pool(1, 1)


def hurt(**states: str) -> dict[str, Any]:
    return nyx(damage=states)


def damage(sheet: dict[str, Any], faces: list[int], against: int = 20, **more: Any) -> dict[str, Any]:
    return play(
        "damage", {"target": faces}, **{"target": {"character": sheet}, "trauma": "injury", "against": against, "opposed": True} | more
    )


def own_effects(ruling: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The effects on the target's sheet: stat, from, to."""
    return [(effect["stat"], effect["from"], effect["to"]) for effect in ruling["effects"] if effect["on"] == "target"]


@pytest.mark.parametrize(("attribute", "expected"), [("body", "5k3"), ("mind", "4k2"), ("soul", "3k2")])
def test_sheet_gives_the_dice_of_an_attribute(attribute: str, expected: str) -> None:
    """darkpages.attributes"""
    ruling = play("check", actor={"character": NYX, "attribute": attribute}, targetNumber=5)
    assert (size(ruling), values(ruling, "darkpages.attributes")) == (expected, [attribute])


@pytest.mark.parametrize(
    ("trauma", "rolled", "trait"),
    [("injury", 5, "health"), ("illness", 5, "health"), ("stress", 4, "sanity"), ("fatigue", 4, "sanity"), ("corruption", 3, "aura")],
)
def test_trauma_strikes_its_attribute_and_damages_its_trait(trauma: str, rolled: int, trait: str) -> None:
    """darkpages.damage.traits"""
    ruling = play("damage", target={"character": NYX}, trauma=trauma, against=99, opposed=True, onHarm="risk")
    assert (len(ruling["rolls"][0]["dice"]), len(values(ruling, "darkpages.damage.traits"))) == (rolled, 1)
    assert own_effects(ruling) == [(f"damage.{trait}", "unhurt", "diminished")]


@pytest.mark.parametrize(("lethal", "outcome"), [("health", "destroyed"), ("sanity", "held"), ("aura", "held")])
def test_sheet_says_which_trauma_is_lethal(lethal: str, outcome: str) -> None:
    """darkpages.damage.lethal"""
    ruling = damage(nyx(lethal=lethal, damage={"health": "damaged"}), [1] * 4, onHarm="risk")
    assert (ruling["outcome"], values(ruling, "darkpages.damage.lethal")) == (outcome, [lethal == "health"])


class TestDamageCheck:
    """darkpages.damage.check"""

    @pytest.mark.parametrize(
        ("against", "more", "outcome", "succeeded"),
        [
            (14, {}, "resisted", True),
            (15, {}, "stalemate", None),
            (15, {"damageTie": "harm"}, "defeated", False),
            (15, {"opposed": False}, "resisted", True),
            (16, {"opposed": False}, "defeated", False),
            (16, {}, "defeated", False),
            (0, {}, "resisted", True),
        ],
    )
    def test_total_beats_an_attacker_or_reaches_a_number(
        self, against: int, more: dict[str, Any], outcome: str, succeeded: bool | None
    ) -> None:
        ruling = damage(NYX, LOW, against, **more)
        assert (ruling["outcome"], ruling["succeeded"], ruling["total"], ruling["target"]) == (outcome, succeeded, 15, against)
        assert len(values(ruling, "darkpages.damage.check")) == 1
        if outcome in ("resisted", "stalemate"):
            assert ruling["effects"] == []

    @pytest.mark.parametrize(
        ("on_harm", "outcome", "stat", "before", "to", "open_choice"),
        [
            ("defeated", "defeated", "defeated", False, True, "risk"),
            ("risk", "diminished", "damage.sanity", None, None, "defeated"),
        ],
    )
    def test_bare_pool_counts_as_unhurt(self, on_harm: str, outcome: str, stat: str, before: Any, to: Any, open_choice: str) -> None:
        ruling = play("damage", {"target": [1]}, target=ONE, trauma="stress", against=9, opposed=True, onHarm=on_harm, include=["options"])
        assert (ruling["outcome"], own_effects(ruling), ruling["effects"][0]["change"]) == (outcome, [(stat, before, to)], 1)
        assert [option["choice"] for option in ruling["options"]] == [open_choice]

    @pytest.mark.parametrize(
        ("faces", "keep", "against", "opposed", "expected"),
        [
            ([9, 9, 0, 0, 5], 3, 18, True, [5, 9, 9]),
            ([9, 9, 0, 0, 5], 3, 18, False, [0, 9, 9]),
            # Keeping only zeros never resists, even against 0.
            ([0, 5, 3, 2], 1, 0, False, [5]),
            ([0, 5, 0, 2], 2, 0, False, [0, 5]),
            ([0, 0, 1], 2, 0, False, [0, 1]),
        ],
    )
    def test_zeros_that_still_resist_are_kept(self, faces: list[int], keep: int, against: int, opposed: bool, expected: list[int]) -> None:
        target = pool(len(faces), keep, archetype="Warrior", keep="mostZerosThatSucceed")
        ruling = play("damage", {"target": faces}, target=target, trauma="injury", against=against, opposed=opposed)
        assert (ruling["outcome"], sorted(kept(ruling, "target"))) == ("resisted", expected)
        assert points(ruling) == ({"Warrior": 1} if 0 in expected else {})

    @pytest.mark.parametrize(("faces", "keep", "special"), [([0] * 5, "highest", "dismal"), ([0, 0, 0, 9, 9], "mostZeros", "dramatic")])
    def test_dismal_and_dramatic_rolls_fail_by_one_step_and_earn_points(self, faces: list[int], keep: str, special: str) -> None:
        """darkpages.damage.special"""
        ruling = damage(NYX, faces, 0, target={"character": NYX, "keep": keep}, onHarm="risk")
        assert (ruling["outcome"], points(ruling)) == ("diminished", {"Warrior": 3})
        assert values(ruling, "darkpages.damage.special") == [special]

    def test_roll_without_dice_fails(self) -> None:
        ruling = play(
            "damage", {"target": [9]}, target=pool(1, 1, modifiers=["-0/1"]), trauma="injury", against=0, opposed=True, floor="zero"
        )
        assert (ruling["outcome"], values(ruling, "darkpages.damage.special")) == ("defeated", [])

    def test_every_useful_choice_of_zeros_is_an_option(self) -> None:
        assert taken(damage(NYX, [9, 8, 7, 0, 0], 20, include=["options"])) == [
            {"target": {"keepDice": [0, 1, 3]}},
            {"target": {"keepDice": [0, 3, 4]}},
        ]


class TestStates:
    """darkpages.damage.defeated, darkpages.damage.steps, darkpages.damage.penalties"""

    @pytest.mark.parametrize(
        ("on_harm", "outcome", "effect", "option"),
        [
            ("defeated", "defeated", ("defeated", False, True), {"onHarm": "risk"}),
            ("risk", "diminished", ("damage.health", "unhurt", "diminished"), {"onHarm": "defeated"}),
        ],
    )
    def test_failure_defeats_unless_the_player_risks_it(
        self, on_harm: str, outcome: str, effect: tuple[Any, ...], option: dict[str, Any]
    ) -> None:
        ruling = damage(NYX, LOW, onHarm=on_harm, include=["options"])
        assert (ruling["outcome"], own_effects(ruling), taken(ruling)) == (outcome, [effect], [option])
        assert values(ruling, "darkpages.damage.defeated") == [on_harm]

    @pytest.mark.parametrize(("state", "worse"), [("unhurt", "diminished"), ("diminished", "damaged"), ("damaged", "destroyed")])
    def test_each_failed_check_is_one_step(self, state: str, worse: str) -> None:
        ruling = play("damage", target={"character": hurt(health=state)}, trauma="illness", against=999, opposed=True, onHarm="risk")
        assert (ruling["outcome"], values(ruling, "darkpages.damage.steps")) == (worse, [worse])
        assert (own_effects(ruling), ruling["effects"][-1]["change"]) == ([("damage.health", state, worse)], 1)

    @pytest.mark.parametrize(
        ("state", "attribute", "expected"),
        [
            ("unhurt", "body", "5k3"),
            ("diminished", "body", "4k3"),
            ("damaged", "body", "4k2"),
            ("destroyed", "body", "4k2"),
            ("destroyed", "mind", "4k2"),
        ],
    )
    def test_state_reduces_its_own_attribute(self, state: str, attribute: str, expected: str) -> None:
        ruling = play("check", actor={"character": hurt(health=state), "attribute": attribute}, targetNumber=5, include=["factors"])
        penalised = state != "unhurt" and attribute == "body"
        assert (size(ruling), values(ruling, "darkpages.damage.penalties")) == (expected, [state] if penalised else [])
        assert [factor["kind"] for factor in ruling["factors"]] == (["state"] if penalised else [])

    def test_state_reduces_damage_checks_too(self) -> None:
        assert size(damage(hurt(health="diminished"), [9, 9, 9, 0])) == "4k3"


class TestNonlethal:
    """darkpages.damage.nonlethal"""

    @pytest.mark.parametrize(("before", "effects"), [(1, [("overflow.sanity", 1, 2)]), (99, [])])
    def test_harm_beyond_damaged_is_counted_up_to_a_limit(self, before: int, effects: list[Any]) -> None:
        sheet = hurt(sanity="damaged") | {"overflow": {"sanity": before}}
        ruling = play("damage", target={"character": sheet}, trauma="stress", against=99, opposed=True, onHarm="risk")
        assert (ruling["outcome"], own_effects(ruling), values(ruling, "darkpages.damage.nonlethal")) == (
            "held",
            effects,
            ["stack", "held"],
        )

    @pytest.mark.parametrize(
        ("overflow", "rolled", "steps", "kinds"), [("hold", 4, [], ["state"]), ("stack", 2, ["stack"], ["state", "overflow"])]
    )
    def test_counted_harm_reduces_the_roll_with_stack(self, overflow: str, rolled: int, steps: list[str], kinds: list[str]) -> None:
        sheet = hurt(health="damaged") | {"overflow": {"health": 2}, "lethal": "aura"}
        ruling = play("check", actor={"character": sheet, "attribute": "body"}, targetNumber=5, overflow=overflow, include=["factors"])
        assert (len(ruling["rolls"][0]["dice"]), values(ruling, "darkpages.damage.nonlethal")) == (rolled, steps)
        assert [factor["kind"] for factor in ruling["factors"]] == kinds


class TestDestroyed:
    """darkpages.damage.destroyed"""

    @pytest.mark.parametrize(
        ("trauma", "on_harm", "outcome", "options"),
        [
            ("injury", "defeated", "outOfGame", []),
            ("injury", "risk", "outOfGame", []),
            ("corruption", "defeated", "outOfGame", [{"onHarm": "risk"}]),
            ("corruption", "risk", "diminished", []),
        ],
    )
    def test_destroyed_and_defeated_is_out_of_the_game(self, trauma: str, on_harm: str, outcome: str, options: list[Any]) -> None:
        target = {"character": hurt(health="destroyed")}
        ruling = play("damage", target=target, trauma=trauma, against=999, opposed=True, onHarm=on_harm, include=["options"])
        assert (ruling["outcome"], taken(ruling)) == (outcome, options)
        assert ruling["after"]["target"]["character"].get("outOfGame", False) is (outcome == "outOfGame")
        assert values(ruling, "darkpages.damage.destroyed") == (["outOfGame"] if outcome == "outOfGame" else [])


LABELS = {name: dice | {"rating": "primary"} for name, dice in NYX["attributes"].items()}


@pytest.mark.parametrize(
    ("sheet", "findings"),
    [
        (NYX, []),
        (nyx(attributes=LABELS), []),
        (nyx(npc=True, archetype=None), []),
        (nyx(damage={"aura": "damaged"}, overflow={"aura": 1}), []),
        (nyx(damage={"health": "destroyed"}, defeated=True, outOfGame=True), [("darkpages.damage.destroyed", "warning", "outOfGame")]),
        (nyx(archetype=None), [("darkpages.zero.points", "warning", "archetype")]),
        (
            nyx(attributes=NYX["attributes"] | {"body": LABELS["body"], "mind": LABELS["mind"] | {"rating": "Odd"}}, lethal="aura"),
            [("darkpages.attributes", "warning", "attributes/mind/rating"), ("darkpages.damage.lethal", "warning", "lethal")],
        ),
        (nyx(damage={"aura": "unhurt"}, overflow={"aura": 1}), [("darkpages.damage.nonlethal", "warning", "overflow/aura")]),
        (nyx(damage={"health": "damaged"}, overflow={"health": 1}), [("darkpages.damage.nonlethal", "warning", "overflow/health")]),
        (nyx(overflow={"health": 1}), [("darkpages.damage.nonlethal", "warning", "overflow/health")]),
        (nyx(damage={"aura": "destroyed"}), [("darkpages.damage.destroyed", "error", "damage/aura")]),
        (nyx(damage={"health": "destroyed"}, defeated=True), [("darkpages.damage.destroyed", "error", "outOfGame")]),
        (
            nyx(archetype=None, damage={"aura": "destroyed"}),
            [("darkpages.damage.destroyed", "error", "damage/aura"), ("darkpages.zero.points", "warning", "archetype")],
        ),
    ],
)
def test_findings_about_a_sheet(sheet: dict[str, Any], findings: list[tuple[str, str, str]]) -> None:
    ruling = play("character", character=sheet)
    legal = all(severity == "warning" for _, severity, _ in findings)
    assert (ruling["outcome"], ruling["succeeded"], ruling["rolls"]) == ("legal" if legal else "illegal", legal, [])
    found = [(finding["rule"], finding["severity"], finding["pointer"].removeprefix("/character/")) for finding in ruling["findings"]]
    assert found == findings


class TestAttack:
    """darkpages.damage.check: the damage check is against the attacker's total."""

    REQUEST: dict[str, Any] = {"attacker": npc(2, 2), "defender": BODY, "trauma": "injury"}

    @pytest.mark.parametrize(
        ("attacker", "defender", "resisting", "outcome", "succeeded"),
        [
            ([1, 1], LOW, None, "failed", False),
            ([0, 0], [0] * 5, None, "stalemate", None),
            ([0, 0], LOW, None, "failed", False),
            ([9, 6], LOW, None, "stalemate", None),
            ([9, 7], LOW, HIGH, "resisted", False),
            ([9, 7], LOW, [9, 5, 2, 0, 0], "stalemate", None),
            ([9, 7], LOW, LOW, "defeated", True),
            ([9, 7], [0] * 5, [0] * 5, "defeated", True),
        ],
    )
    def test_check_then_damage_check(
        self, attacker: list[int], defender: list[int], resisting: list[int] | None, outcome: str, succeeded: bool | None
    ) -> None:
        faces = {"attacker": attacker, "defender": defender} | ({"defender.damage": resisting} if resisting else {})
        ruling = play("attack", faces, **self.REQUEST)
        assert (ruling["outcome"], ruling["succeeded"], roll_names(ruling)) == (outcome, succeeded, list(faces))
        first, second = (sum(attacker), sum(sorted(defender)[2:])), (sum(sorted(resisting or [])[2:]), sum(attacker))
        assert (ruling["total"], ruling["target"]) == (second if resisting else first)
        assert ruling["margin"] == ruling["total"] - ruling["target"]
        assert ruling["after"]["defender"]["character"].get("defeated", False) is (outcome == "defeated")

    @pytest.mark.parametrize(
        ("defender", "resist_with", "sizes", "steps"),
        [
            ({"character": NYX, "attribute": "mind"}, "soul", [4, 3], []),
            ({"character": NYX, "attribute": "mind"}, "body", [4, 5], []),
            ({"character": NYX, "attribute": "mind"}, None, [4, 5], []),
            ({"character": NYX}, "soul", [3, 5], ["soul"]),
            ({"character": NYX}, None, [5, 5], []),
            (pool(2, 1), "soul", [2, 2], []),
            # The state of the Attribute that resists counts.
            ({"character": hurt(aura="damaged"), "attribute": "mind"}, "soul", [4, 2], []),
        ],
    )
    def test_attributes_that_oppose_and_resist(
        self, defender: dict[str, Any], resist_with: str | None, sizes: list[int], steps: list[str | None]
    ) -> None:
        ruling = play("attack", attacker=npc(40, 40), defender=defender, trauma="injury", resistWith=resist_with, onHarm="risk")
        assert [len(roll["dice"]) for roll in ruling["rolls"][1:]] == sizes
        assert values(ruling, "darkpages.damage.check")[:-1] == steps
        assert "character" not in defender or ruling["after"]["defender"]["character"]["damage"]["health"] == "diminished"

    @pytest.mark.parametrize(
        ("defender", "choice", "expected"),
        [
            ({"keepDice": [0, 1, 2]}, {}, [[1, 0, 0], [9, 9, 5]]),
            ({"keepDice": [0, 1, 2]}, {"damageKeep": "mostZeros"}, [[1, 0, 0], [9, 0, 0]]),
            ({"keepDice": [0, 1, 2]}, {"damageKeep": "mostZerosThatSucceed"}, [[1, 0, 0], [9, 9, 5]]),
            ({"keepDice": [0, 1, 2]}, {"damageKeepDice": [2, 3, 4]}, [[1, 0, 0], [0, 5, 0]]),
            ({"keep": "mostZeros"}, {}, [[0, 0, 0], [9, 0, 0]]),
        ],
    )
    def test_dice_of_each_roll_are_chosen_separately(
        self, defender: dict[str, Any], choice: dict[str, Any], expected: list[list[int]]
    ) -> None:
        faces = {"attacker": [9, 9], "defender": [1, 0, 0, 0, 0], "defender.damage": [9, 9, 0, 5, 0]}
        ruling = play("attack", faces, **self.REQUEST | {"defender": BODY | defender}, **choice)
        assert [kept(ruling, "defender"), kept(ruling, "defender.damage")] == expected
        assert points(ruling) == {"Warrior": sum(faces.count(0) for faces in expected)}

    @pytest.mark.parametrize(
        "more",
        [
            {},
            {"damageKeepDice": [0]},
            {"damageKeep": "mostZeros", "damageKeepDice": [0]},
            {"resistWith": "mind"},
            {"damageTie": "harm"},
            {"onHarm": "risk"},
        ],
    )
    def test_options_of_a_damage_check_that_does_not_follow(self, more: dict[str, Any]) -> None:
        ruling = play("attack", {"attacker": [1, 1], "defender": LOW}, **self.REQUEST, **more)
        assert len(ruling["notes"]) == len(more)
        for rule in ("darkpages.dice.choice", "darkpages.damage.check", "darkpages.damage.defeated"):
            assert values(ruling, rule) == []

    def test_damage_keep_highest_is_accepted_for_npcs(self) -> None:
        assert play("attack", **self.REQUEST | {"defender": npc(2, 1)}, damageKeep="highest")["rolls"]

    def test_options_of_the_damage_check(self) -> None:
        faces = {"attacker": [9, 9], "defender": LOW, "defender.damage": [9, 8, 2, 0, 0]}
        ruling = play("attack", faces, **self.REQUEST, include=["options"])
        assert (ruling["outcome"], taken(ruling)) == (
            "resisted",
            [{"damageKeepDice": [0, 1, 3]}, {"damageKeepDice": [0, 3, 4]}],
        )
        ruling = play("attack", faces, **self.REQUEST, damageKeepDice=[0, 3, 4], include=["options"])
        assert (ruling["outcome"], taken(ruling)[-1]) == ("defeated", {"onHarm": "risk"})

    def test_option_drops_the_dice_of_rolls_that_no_longer_happen(self) -> None:
        faces = {"attacker": [9, 8, 0], "defender": [9, 5, 1, 0, 0], "defender.damage": [1] * 5}
        ruling = play("attack", faces, **self.REQUEST | {"attacker": pool(3, 2)}, include=["options"])
        first, *others = taken(ruling)
        assert (ruling["outcome"], first["attacker"]) == ("defeated", {"keepDice": [0, 2]})
        assert [dice["roll"] for dice in first["dice"]] == ["attacker", "defender"]
        assert others == [
            {"defender": {"keepDice": [0, 1, 3]}},
            {"defender": {"keepDice": [0, 3, 4]}},
            {"onHarm": "risk"},
        ]

    def test_factors_name_their_roll(self) -> None:
        faces = {"attacker": [9, 9], "defender": [1] * 4, "defender.damage": [9] * 4}
        defender = {"character": hurt(health="damaged"), "attribute": "body"}
        ruling = play("attack", faces, **self.REQUEST | {"defender": defender}, include=["factors"])
        assert [(factor["on"], factor["kind"], factor["verdict"]) for factor in ruling["factors"]] == [
            ("defender", "state", "helpful"),
            ("defender.damage", "state", "necessary"),
        ]

    def test_odds_of_an_attack(self) -> None:
        assert odds("attack", {"attacker": [0, 0], "defender": LOW}, **self.REQUEST)["outcomes"][0]["percent"] == "100 %"
        assert fractions("attack", attacker=npc(1, 1), defender=npc(1, 1), trauma="injury") == {
            "failed": "9/20",
            "resisted": "3/25",
            "stalemate": "29/200",
            "defeated": "57/200",
        }
