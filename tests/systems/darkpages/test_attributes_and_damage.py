"""Attributes and damage: the sheet, the tracks, damage checks, and the attack that ends in one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.darkpages.playing import NYX, ask, chances, cites, kept, npc, nyx, play, points, pool, refused, rolled

BODY = {"character": NYX, "attribute": "body"}
LOW, HIGH = [5, 5, 5, 1, 1], [9, 9, 9, 1, 1]


def hurt(**tracks: str) -> dict[str, Any]:
    return nyx(damage=tracks)


def damage(sheet: dict[str, Any], faces: list[int], against: int = 20, **more: Any) -> dict[str, Any]:
    return play("damage", {"target": faces}, **{"target": {"character": sheet}, "trauma": "injury", "against": against} | more)


class TestAttributes:
    """darkpages.attributes"""

    def test_the_sheet_gives_the_dice(self) -> None:
        ruling = play("check", actor=BODY | {"attribute": "mind"}, targetNumber=5)
        assert (cites(ruling, "darkpages.attributes"), len(ruling["rolls"][0]["dice"]), len(kept(ruling, "actor"))) == (["mind"], 4, 2)

    def test_a_character_says_which(self) -> None:
        assert refused("check", actor={"character": NYX}, targetNumber=5) == ("darkpages.attributes", "/actor/attribute")

    @pytest.mark.parametrize(
        ("actor", "at"),
        [
            ({}, ""),
            ({"attribute": "body"}, "/attribute"),
            ({"attribute": "body", **pool(1, 1)}, "/attribute"),
            (BODY | pool(1, 1), "/pool"),
            ({"pool": {"roll": 3}}, "/pool/keep"),
            (pool(0, 1), "/pool/roll"),
            (pool(-3, 1), "/pool/roll"),
            ({"pool": {"keep": 3}}, "/pool/roll"),
        ],
    )
    def test_the_dice_come_from_a_sheet_or_from_a_pool(self, actor: dict[str, Any], at: str) -> None:
        assert refused("check", actor=actor, targetNumber=5) == ("darkpages.attributes", f"/actor{at}")

    @pytest.mark.parametrize(
        ("attributes", "at"),
        [
            (None, ""),
            ({}, "/body"),
            ({"body": {}, "mind": {}}, "/soul"),
            ({"body": {"rating": "Primary"}, "mind": NYX["attributes"]["mind"], "soul": NYX["attributes"]["soul"]}, "/body/roll"),
        ],
    )
    def test_a_rating_has_no_dice_of_its_own(self, attributes: Any, at: str) -> None:
        sheet = {key: value for key, value in NYX.items() if key != "attributes"} | (
            {} if attributes is None else {"attributes": attributes}
        )
        rule, pointer = refused("character", character=sheet)
        assert (rule, pointer) == ("darkpages.attributes", f"/character/attributes{at}")

    def test_what_is_no_sheet_is_no_sheet(self) -> None:
        assert refused("character", character="Nyx") == (None, "/character")


class TestTraits:
    """darkpages.damage.traits"""

    @pytest.mark.parametrize(
        ("trauma", "dice", "trait"),
        [("injury", 5, "health"), ("illness", 5, "health"), ("stress", 4, "sanity"), ("fatigue", 4, "sanity"), ("corruption", 3, "aura")],
    )
    def test_each_trauma_strikes_its_attribute_and_its_track(self, trauma: str, dice: int, trait: str) -> None:
        ruling = play("damage", target={"character": NYX}, trauma=trauma, against=99, onHarm="risk")
        assert len(ruling["rolls"][0]["dice"]) == dice
        assert ruling["after"]["target"]["character"]["damage"][trait] == "diminished"
        assert [one["stat"] for one in ruling["effects"] if one["on"] == "target"] == [f"damage.{trait}"]
        assert len(cites(ruling, "darkpages.damage.traits")) == 1

    def test_the_trauma_says_which_attribute_resists(self) -> None:
        assert refused("damage", target=BODY, trauma="injury", against=9) == ("darkpages.damage.check", "/target/attribute")


class TestLethal:
    """darkpages.damage.lethal"""

    @pytest.mark.parametrize(("lethal", "outcome"), [("health", "destroyed"), ("sanity", "held"), ("aura", "held")])
    def test_the_sheet_says_which_is(self, lethal: str, outcome: str) -> None:
        ruling = damage(nyx(lethal=lethal, damage={"health": "damaged"}), [1, 1, 1, 1], onHarm="risk")
        assert (ruling["outcome"], cites(ruling, "darkpages.damage.lethal")) == (outcome, [lethal == "health"])

    def test_a_primary_of_another_trait_is_only_unusual(self) -> None:
        labels = {
            name: one | {"rating": label}
            for (name, one), label in zip(NYX["attributes"].items(), ("Primary", "Odd", ""), strict=False)
            if label
        }
        ruling = play("character", character=nyx(attributes=NYX["attributes"] | labels, lethal="aura"))
        assert (ruling["outcome"], ruling["succeeded"]) == ("legal", True)
        assert [(one["rule"], one["severity"], one["pointer"]) for one in ruling["findings"]] == [
            ("darkpages.attributes", "warning", "/character/attributes/mind/rating"),
            ("darkpages.damage.lethal", "warning", "/character/lethal"),
        ]
        assert ruling["summary"] == "Nyx: legal, 2 findings"

    def test_there_may_be_nothing_to_say(self) -> None:
        labels = {name: one | {"rating": "primary"} for name, one in NYX["attributes"].items()}
        for sheet in (NYX, nyx(attributes=labels), nyx(npc=True, archetype=None)):
            ruling = play("character", character=sheet)
            assert (ruling["outcome"], ruling["findings"], ruling["rolls"]) == ("legal", [], [])
            assert len(cites(ruling, "darkpages.attributes")) == 1

    def test_a_player_without_an_archetype_teaches_nobody(self) -> None:
        (finding,) = play("character", character=nyx(archetype=None))["findings"]
        assert (finding["rule"], finding["severity"], finding["pointer"]) == ("darkpages.zero.points", "warning", "/character/archetype")


class TestCheck:
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
    def test_a_total_is_beaten_and_a_number_is_reached(
        self, against: int, more: dict[str, Any], outcome: str, succeeded: bool | None
    ) -> None:
        ruling = damage(NYX, LOW, against, **more)
        assert (ruling["outcome"], ruling["succeeded"], ruling["total"], ruling["target"]) == (outcome, succeeded, 15, against)
        assert len(cites(ruling, "darkpages.damage.check")) == 1
        if outcome in ("resisted", "stalemate"):
            assert ruling["effects"] == []

    def test_a_number_that_is_reached_is_no_tie_to_be_harmed_by(self) -> None:
        ruling = damage(NYX, LOW, 15, opposed=False, damageTie="harm")
        assert (ruling["outcome"], cites(ruling, "darkpages.damage.check")) == ("resisted", [None, None])

    def test_a_bare_pool_counts_as_unhurt(self) -> None:
        ruling = play("damage", {"target": [1]}, target=pool(1, 1), trauma="stress", against=9, include=["options"])
        assert (ruling["outcome"], ruling["effects"][0]["stat"], ruling["effects"][0]["to"]) == ("defeated", "defeated", None)
        assert [(one["choice"], one["then"]) for one in ruling["options"]] == [("risk", "diminished")]
        ruling = play("damage", {"target": [1]}, target=pool(1, 1), trauma="stress", against=9, onHarm="risk", include=["options"])
        assert (ruling["outcome"], ruling["effects"][0]["stat"], ruling["effects"][0]["change"]) == ("diminished", "damage.sanity", 1)
        assert [(one["choice"], one["then"]) for one in ruling["options"]] == [("defeated", "defeated")]

    def test_the_summary_is_one_line(self) -> None:
        assert damage(NYX, LOW, 18)["summary"] == "Nyx resists injury: 5 + 5 + 5 of 5 5 5 1 1 = 15 against 18: defeated by 3"

    def test_whoever_is_not_in_play_is_harmed_no_further(self) -> None:
        for field, rule in (("defeated", "darkpages.damage.defeated"), ("outOfGame", "darkpages.damage.destroyed")):
            assert refused("damage", target={"character": nyx(**{field: True})}, trauma="injury", against=9) == (rule, "/target/character")

    def test_zeros_that_still_resist(self) -> None:
        target = {"character": NYX, "keep": "mostZerosThatSucceed"}
        for opposed, expected in ((True, [9, 9, 5]), (False, [9, 9, 0])):
            ruling = play("damage", {"target": [9, 9, 0, 0, 5]}, target=target, trauma="injury", against=18, opposed=opposed)
            assert (ruling["outcome"], sorted(kept(ruling, "target"))) == ("resisted", sorted(expected))


class TestDefeated:
    """darkpages.damage.defeated"""

    def test_it_is_what_happens_unless_the_player_risks_more(self) -> None:
        ruling = damage(NYX, LOW, include=["options"])
        after = ruling["after"]["target"]["character"]
        assert (ruling["outcome"], after["defeated"], after["damage"]["health"]) == ("defeated", True, "unhurt")
        assert ruling["effects"] == [{"on": "target", "id": None, "stat": "defeated", "from": False, "to": True, "change": 1}]
        assert [(one["choice"], one["request"], one["then"]) for one in ruling["options"]] == [("risk", {"onHarm": "risk"}, "diminished")]

    def test_having_risked_it_the_player_may_think_again(self) -> None:
        ruling = damage(NYX, LOW, onHarm="risk", include=["options"])
        assert (ruling["outcome"], ruling["after"]["target"]["character"]["defeated"]) == ("diminished", False)
        assert [(one["choice"], one["then"]) for one in ruling["options"]] == [("defeated", "defeated")]
        assert cites(ruling, "darkpages.damage.defeated") == ["risk"]


class TestSteps:
    """darkpages.damage.steps"""

    @pytest.mark.parametrize(("state", "worse"), [("unhurt", "diminished"), ("diminished", "damaged"), ("damaged", "destroyed")])
    def test_one_for_each_failed_check(self, state: str, worse: str) -> None:
        ruling = play("damage", target={"character": hurt(health=state)}, trauma="illness", against=999, onHarm="risk")
        assert (ruling["outcome"], cites(ruling, "darkpages.damage.steps")) == (worse, [worse])
        assert ruling["effects"][-1] == {"on": "target", "id": None, "stat": "damage.health", "from": state, "to": worse, "change": 1}


class TestPenalties:
    """darkpages.damage.penalties"""

    @pytest.mark.parametrize(("state", "dice"), [("unhurt", "5k3"), ("diminished", "4k3"), ("damaged", "4k2"), ("destroyed", "4k2")])
    def test_a_state_weighs_on_its_attribute_and_replaces_the_one_before(self, state: str, dice: str) -> None:
        ruling = play("check", actor={"character": hurt(health=state), "attribute": "body"}, targetNumber=5, include=["factors"])
        assert f"{len(ruling['rolls'][0]['dice'])}k{len(kept(ruling, 'actor'))}" == dice
        assert cites(ruling, "darkpages.damage.penalties") == ([] if state == "unhurt" else [state])
        assert [one["kind"] for one in ruling["factors"]] == ([] if state == "unhurt" else ["state"])

    def test_it_weighs_on_no_other(self) -> None:
        ruling = play("check", actor={"character": hurt(health="destroyed"), "attribute": "mind"}, targetNumber=5)
        assert cites(ruling, "darkpages.damage.penalties") == []

    def test_it_weighs_on_damage_checks_too(self) -> None:
        assert damage(hurt(health="diminished"), [9, 9, 9, 0], 26)["outcome"] == "resisted"


class TestNonlethal:
    """darkpages.damage.nonlethal"""

    def test_it_stops_at_damaged_and_is_counted(self) -> None:
        sheet = hurt(sanity="damaged") | {"overflow": {"sanity": 1}}
        ruling = play("damage", target={"character": sheet}, trauma="stress", against=99, onHarm="risk")
        after = ruling["after"]["target"]["character"]
        assert (ruling["outcome"], after["damage"]["sanity"], after["overflow"]["sanity"]) == ("held", "damaged", 2)
        assert cites(ruling, "darkpages.damage.nonlethal") == ["held"]

    def test_stacking_what_is_not_there_is_said_to_weigh_nothing(self) -> None:
        for actor in (BODY, pool(2, 1)):
            ruling = play("check", actor=actor, targetNumber=5, overflow="stack", include=["factors"])
            assert (cites(ruling, "darkpages.damage.nonlethal"), ruling["factors"]) == ([None], [])
            assert cites(play("check", actor=actor, targetNumber=5), "darkpages.damage.nonlethal") == []

    def test_the_count_has_an_end(self) -> None:
        sheet = hurt(sanity="damaged") | {"overflow": {"sanity": 99}}
        ruling = play("damage", target={"character": sheet}, trauma="stress", against=99, onHarm="risk")
        assert (ruling["outcome"], [one for one in ruling["effects"] if one["on"] == "target"]) == ("held", [])

    @pytest.mark.parametrize(("overflow", "dice"), [("hold", 4), ("stack", 2)])
    def test_counted_harm_weighs_only_by_the_option(self, overflow: str, dice: int) -> None:
        sheet = hurt(health="damaged") | {"overflow": {"health": 2}, "lethal": "aura"}
        ruling = play("check", actor={"character": sheet, "attribute": "body"}, targetNumber=5, overflow=overflow, include=["factors"])
        assert len(ruling["rolls"][0]["dice"]) == dice
        assert cites(ruling, "darkpages.damage.nonlethal") == (["stack"] if overflow == "stack" else [])
        assert [one["kind"] for one in ruling["factors"]] == (["state", "overflow"] if overflow == "stack" else ["state"])

    @pytest.mark.parametrize(
        ("trait", "state", "text"),
        [
            ("aura", "unhurt", "further harm is counted on what is Damaged"),
            ("health", "damaged", "further harm is counted where Trauma stops at Damaged, and the lethal one does not"),
            ("health", "unhurt", "further harm is counted where Trauma stops at Damaged, and the lethal one does not"),
        ],
    )
    def test_what_is_not_damaged_or_is_lethal_has_no_overflow(self, trait: str, state: str, text: str) -> None:
        sheet = nyx(damage={trait: state}, overflow={trait: 1})
        ruling = play("character", character=sheet)
        assert (ruling["outcome"], ruling["findings"]) == (
            "legal",
            [{"rule": "darkpages.damage.nonlethal", "severity": "warning", "text": text, "pointer": f"/character/overflow/{trait}"}],
        )

    def test_what_is_damaged_and_not_lethal_may_have_some(self) -> None:
        assert play("character", character=nyx(damage={"aura": "damaged"}, overflow={"aura": 1}))["findings"] == []


class TestDestroyed:
    """darkpages.damage.destroyed"""

    @pytest.mark.parametrize("on_harm", ["defeated", "risk"])
    def test_a_further_lethal_check_ends_it_whatever_is_chosen(self, on_harm: str) -> None:
        ruling = damage(hurt(health="destroyed"), [1, 1, 1, 1], onHarm=on_harm, include=["options"])
        after = ruling["after"]["target"]["character"]
        assert (ruling["outcome"], after["outOfGame"], ruling["options"]) == ("outOfGame", True, [])
        assert cites(ruling, "darkpages.damage.destroyed") == ["outOfGame"]
        assert cites(ruling, "darkpages.damage.defeated") == ([None] if on_harm == "risk" else [])

    def test_being_defeated_by_something_else_ends_it_too_unless_it_is_borne(self) -> None:
        body: dict[str, Any] = {"target": {"character": hurt(health="destroyed")}, "trauma": "corruption", "against": 99}
        ruling = play("damage", {"target": [1, 2, 3]}, **body, include=["options"])
        assert ruling["outcome"] == "outOfGame"
        assert [(one["choice"], one["then"]) for one in ruling["options"]] == [("risk", "diminished")]
        ruling = play("damage", {"target": [1, 2, 3]}, **body, onHarm="risk", include=["options"])
        assert (ruling["outcome"], ruling["options"]) == ("diminished", [])

    def test_a_sheet_shows_nothing_else(self) -> None:
        ruling = play("character", character=nyx(damage={"aura": "destroyed"}))
        assert (ruling["outcome"], ruling["succeeded"], ruling["findings"][0]["pointer"]) == ("illegal", False, "/character/damage/aura")
        ruling = play("character", character=nyx(damage={"health": "destroyed"}, defeated=True))
        assert (ruling["outcome"], ruling["findings"][0]["pointer"]) == ("illegal", "/character/outOfGame")
        assert ruling["summary"] == "Nyx: illegal, 1 finding"
        assert play("character", character=nyx(damage={"health": "destroyed"}, defeated=True, outOfGame=True))["outcome"] == "legal"


class TestSpecial:
    """darkpages.damage.special"""

    @pytest.mark.parametrize(("faces", "keep", "word"), [([0] * 5, "highest", "dismal"), ([0, 0, 0, 9, 9], "mostZeros", "dramatic")])
    def test_one_degree_of_harm_and_the_lesson(self, faces: list[int], keep: str, word: str) -> None:
        ruling = play("damage", {"target": faces}, target={"character": NYX, "keep": keep}, trauma="injury", against=0, onHarm="risk")
        assert (ruling["outcome"], points(ruling)) == ("diminished", {"Warrior": 3})
        assert cites(ruling, "darkpages.damage.special") == [word]

    def test_without_a_die_it_is_a_failure_too(self) -> None:
        ruling = play("damage", {"target": [9]}, target=pool(1, 1, modifiers=["-0/1"]), trauma="injury", against=0, floor="zero")
        assert (ruling["outcome"], cites(ruling, "darkpages.damage.special")) == ("defeated", [])

    def test_every_choice_of_zeros_is_an_option(self) -> None:
        ruling = damage(NYX, [9, 8, 7, 0, 0], 20, include=["options"])
        assert [(one["request"], one["then"]) for one in ruling["options"]] == [
            ({"target": {"keepDice": [0, 1, 3]}}, "defeated"),
            ({"target": {"keepDice": [0, 3, 4]}}, "defeated"),
        ]

    @pytest.mark.parametrize(("faces", "keep", "shown"), [([0, 5, 3, 2], 1, [5]), ([0, 5, 0, 2], 2, [0, 5]), ([0, 0, 1], 2, [0, 1])])
    def test_whoever_waits_keeps_no_more_zeros_than_resist_even_against_nothing(
        self, faces: list[int], keep: int, shown: list[int]
    ) -> None:
        target = pool(len(faces), keep, archetype="Warrior", keep="mostZerosThatSucceed")
        ruling = play("damage", {"target": faces}, target=target, trauma="illness", against=0, opposed=False)
        assert (ruling["outcome"], sorted(kept(ruling, "target"))) == ("resisted", shown)
        assert points(ruling) == ({"Warrior": 1} if 0 in shown else {})


class TestAttack:
    """darkpages.damage.check: the attacker's total is what the damage check is against."""

    BODY: dict[str, Any] = {"attacker": npc(2, 2), "defender": BODY, "trauma": "injury"}

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
    def test_the_check_then_the_damage_check(
        self, attacker: list[int], defender: list[int], resisting: list[int] | None, outcome: str, succeeded: bool | None
    ) -> None:
        faces = {"attacker": attacker, "defender": defender} | ({"defender.damage": resisting} if resisting else {})
        ruling = play("attack", faces, **self.BODY)
        assert (ruling["outcome"], ruling["succeeded"]) == (outcome, succeeded)
        assert (ruling["total"], ruling["target"]) == (sum(attacker), sum(sorted(defender)[2:]))
        assert rolled(ruling) == list(faces)
        assert ruling["after"]["defender"]["character"]["defeated"] is (outcome == "defeated")

    @pytest.mark.parametrize(
        ("defender", "more", "dice", "said"),
        [
            ({"character": NYX, "attribute": "mind"}, {"resistWith": "soul"}, [4, 3], ["soul"]),
            ({"character": NYX, "attribute": "mind"}, {"resistWith": "body"}, [4, 5], ["body"]),
            ({"character": NYX, "attribute": "mind"}, {}, [4, 5], []),
            ({"character": NYX}, {"resistWith": "soul"}, [3, 5], ["soul"]),
            ({"character": NYX}, {}, [5, 5], []),
            (pool(2, 1), {"resistWith": "soul"}, [2, 2], [None]),
        ],
    )
    def test_what_opposes_the_check_and_what_resists(
        self, defender: dict[str, Any], more: dict[str, Any], dice: list[int], said: list[str | None]
    ) -> None:
        ruling = play("attack", attacker=npc(40, 40), defender=defender, trauma="injury", onHarm="risk", **more)
        assert [len(roll["dice"]) for roll in ruling["rolls"]] == [40, *dice]
        assert cites(ruling, "darkpages.damage.check")[:-1] == said
        if "character" in defender:
            assert ruling["after"]["defender"]["character"]["damage"]["health"] == "diminished"

    def test_the_state_of_the_attribute_that_resists_weighs(self) -> None:
        body: dict[str, Any] = {"attacker": npc(40, 40), "trauma": "injury"}
        defender = {"character": hurt(aura="damaged"), "attribute": "mind"}
        ruling = play("attack", **body, defender=defender, resistWith="soul")
        assert (len(ruling["rolls"][2]["dice"]), cites(ruling, "darkpages.damage.penalties")) == (2, ["damaged"])

    def test_the_dice_of_the_damage_check_are_chosen_on_their_own(self) -> None:
        faces = {"attacker": [9, 9], "defender": [1, 0, 0, 0, 0], "defender.damage": [9, 9, 0, 5, 0]}
        plain = self.BODY | {"defender": BODY | {"keepDice": [0, 1, 2]}}
        for choice, expected in (
            ({}, [5, 9, 9]),
            ({"damageKeep": "mostZeros"}, [0, 0, 9]),
            ({"damageKeep": "mostZerosThatSucceed"}, [5, 9, 9]),
            ({"damageKeepDice": [2, 3, 4]}, [0, 0, 5]),
        ):
            ruling = play("attack", faces, **plain, **choice)
            assert (sorted(kept(ruling, "defender")), sorted(kept(ruling, "defender.damage"))) == ([0, 0, 1], expected)
        assert points(play("attack", faces, **plain, damageKeepDice=[2, 3, 4])) == {"Warrior": 4}
        assert refused("attack", faces, **plain, damageKeepDice=[2]) == ("darkpages.dice.keep", "/damageKeepDice")

    def test_the_roller_s_own_policy_holds_for_both_rolls(self) -> None:
        faces = {"attacker": [9, 9], "defender": [1, 0, 0, 0, 0], "defender.damage": [9, 9, 0, 5, 0]}
        ruling = play("attack", faces, **self.BODY | {"defender": BODY | {"keep": "mostZeros"}})
        assert points(ruling) == {"Warrior": 5}

    def test_what_is_chosen_for_no_damage_check_does_not_count(self) -> None:
        ruling = play("attack", {"attacker": [1, 1], "defender": LOW}, **self.BODY, damageKeepDice=[0])
        assert (ruling["outcome"], len(cites(ruling, "darkpages.dice.choice"))) == ("failed", 1)

    @pytest.mark.parametrize(
        ("more", "rules"),
        [
            ({"damageKeep": "mostZeros"}, {"darkpages.dice.choice": 1}),
            ({"damageKeep": "mostZeros", "damageKeepDice": [0]}, {"darkpages.dice.choice": 2}),
            ({"resistWith": "mind"}, {"darkpages.damage.check": 1}),
            ({"damageTie": "harm"}, {"darkpages.damage.check": 1}),
            ({"onHarm": "risk"}, {"darkpages.damage.defeated": 1}),
            ({}, {}),
        ],
    )
    def test_what_is_asked_for_no_damage_check_is_said_not_to_apply(self, more: dict[str, Any], rules: dict[str, int]) -> None:
        ruling = play("attack", {"attacker": [1, 1], "defender": LOW}, **self.BODY, **more)
        for rule in ("darkpages.dice.choice", "darkpages.damage.check", "darkpages.damage.defeated"):
            assert cites(ruling, rule) == [None] * rules.get(rule, 0)
        ruling = play("attack", {"attacker": [1, 1], "defender": LOW}, **self.BODY | {"defender": {"character": NYX}}, resistWith="body")
        assert cites(ruling, "darkpages.damage.check") == ["body"]

    @pytest.mark.parametrize("choice", [{"damageKeep": "mostZeros"}, {"damageKeepDice": [0]}])
    def test_the_game_master_chooses_no_zeros(self, choice: dict[str, Any]) -> None:
        body = self.BODY | {"defender": npc(2, 1)}
        assert refused("attack", **body, **choice) == ("darkpages.dice.choice", f"/{next(iter(choice))}")
        play("attack", **body, damageKeep="highest")

    def test_options_of_the_check_and_of_what_follows(self) -> None:
        faces = {"attacker": [9, 9], "defender": LOW, "defender.damage": [9, 8, 2, 0, 0]}
        ruling = play("attack", faces, **self.BODY, include=["options"])
        assert ruling["outcome"] == "resisted"
        assert [(one["request"], one["then"]) for one in ruling["options"]] == [
            ({"damageKeepDice": [0, 1, 3]}, "defeated"),
            ({"damageKeepDice": [0, 3, 4]}, "defeated"),
        ]
        ruling = play("attack", faces, **self.BODY, damageKeepDice=[0, 3, 4], include=["options"])
        assert (ruling["outcome"], ruling["options"][-1]["request"]) == ("defeated", {"onHarm": "risk"})

    def test_an_option_leaves_out_the_dice_of_what_no_longer_happens(self) -> None:
        faces = {"attacker": [9, 8, 0], "defender": [9, 5, 1, 0, 0], "defender.damage": [1] * 5}
        ruling = play("attack", faces, **self.BODY | {"attacker": pool(3, 2)}, include=["options"])
        first = ruling["options"][0]
        assert (ruling["outcome"], first["request"]["attacker"], first["then"]) == ("defeated", {"keepDice": [0, 2]}, "failed")
        assert [one["roll"] for one in first["request"]["dice"]] == ["attacker", "defender"]
        assert [one["request"] for one in ruling["options"][1:]] == [
            {"defender": {"keepDice": [0, 1, 3]}},
            {"defender": {"keepDice": [0, 3, 4]}},
            {"onHarm": "risk"},
        ]

    def test_the_summary_tells_of_both_rolls(self) -> None:
        faces = {"attacker": [9, 7], "defender": LOW, "defender.damage": LOW}
        assert play("attack", faces, **self.BODY, goal="I want her out")["summary"] == (
            "attacker on Nyx (I want her out): 9 + 7 of 9 7 = 16 against 15; Nyx resists with 5 + 5 + 5 of 5 5 5 1 1 = 15: defeated"
        )
        assert play("attack", {"attacker": [1, 1], "defender": LOW}, **self.BODY)["summary"].endswith("against 15: failed by 13")

    def test_whoever_is_not_in_play_neither_attacks_nor_is_attacked(self) -> None:
        out = {"character": nyx(defeated=True), "attribute": "body"}
        assert refused("attack", **self.BODY | {"attacker": out}) == ("darkpages.damage.defeated", "/attacker/character")
        assert refused("attack", **self.BODY | {"defender": out}) == ("darkpages.damage.defeated", "/defender/character")

    def test_factors_of_each_roll_stand_under_its_name(self) -> None:
        faces = {"attacker": [9, 9], "defender": [1] * 4, "defender.damage": [9] * 4}
        body = self.BODY | {"defender": {"character": hurt(health="damaged"), "attribute": "body"}}
        ruling = play("attack", faces, **body, include=["factors"])
        assert [(one["on"], one["kind"], one["verdict"]) for one in ruling["factors"]] == [
            ("defender", "state", "helpful"),
            ("defender.damage", "state", "necessary"),
        ]

    def test_the_odds_hold_the_dice_that_were_rolled(self) -> None:
        assert ask("attack", {"attacker": [0, 0], "defender": LOW}, **self.BODY)["outcomes"][0]["percent"] == "100 %"
        assert chances("attack", attacker=npc(1, 1), defender=npc(1, 1), trauma="injury") == {
            "failed": "9/20",
            "resisted": "3/25",
            "stalemate": "29/200",
            "defeated": "57/200",
        }
