"""The engine: rulings, factors, options and exact odds."""

from __future__ import annotations

import math
import re
from copy import deepcopy
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice import enumeration
from tablecall.dice.faces import Die
from tablecall.dice.rng import RNG
from tablecall.dice.roll import RolledDice, seeded
from tablecall.dice.source import Offer
from tablecall.engine import (
    VERSION,
    Budget,
    BudgetExceeded,
    after,
    at_once,
    merge,
    odds,
    percent,
    resolve,
    resolve_with_pauses,
    rulings,
    undo,
    what_if,
)
from tablecall.engine.participants import effects_of
from tablecall.engine.supplied_dice import supplied_faces
from tablecall.model.base import Body, Participant
from tablecall.model.refusals import Finding, Refusal, TooLargeToCount, UnknownRng, WrongDice
from tablecall.model.text import Scope
from tablecall.systems import ACTIONS
from tablecall.systems.verdict import Change, Verdict
from tests.support.client import EXAMPLES, ids


def ruling_of(tag: str, *include: str, **document: Any) -> dict[str, Any]:
    system, action = ACTIONS[tag]
    return resolve(system, action, action.body.model_validate(document), include=frozenset(include))


def odds_of(tag: str, **document: Any) -> dict[str, Any]:
    system, action = ACTIONS[tag]
    return odds(system, action, action.body.model_validate(document))


def dice(**rolls: list[int]) -> list[dict[str, Any]]:
    """Supplied dice by roll; ``__`` stands for a dot."""
    return [{"roll": name.replace("__", "."), "faces": faces} for name, faces in rolls.items()]


def chance(odds: dict[str, Any], outcome: str) -> Fraction:
    return next((Fraction(row["fraction"]) for row in odds["outcomes"] if row["outcome"] == outcome), Fraction())


ROOK: dict[str, Any] = {
    "id": "pc-1",
    "name": "Rook",
    "aspects": [{"name": "driver", "bonus": 4}, {"name": "cook", "bonus": 2}, {"name": "witch", "bonus": 3, "weird": True}],
    "survivalAspect": "driver",
}
NYX: dict[str, Any] = {
    "name": "Nyx",
    "attributes": {"body": {"roll": 4, "keep": 2}, "mind": {"roll": 3, "keep": 2}, "soul": {"roll": 2, "keep": 1}},
    "lethal": "health",
}


class TestRuling:
    def test_complete_ruling(self) -> None:
        ruling = ruling_of("jazz.check", actor={"bonus": 3}, difficulty=10, seed=42)
        steps = ruling.pop("steps")
        assert [step["rule"] for step in steps] == ["jazz.dice.roll", "jazz.check.success"]
        assert [set(step) for step in steps] == [{"rule", "text", "markdown", "key", "args", "value"}] * 2
        assert ruling == {
            "action": "jazz.check",
            "system": "jazz",
            "outcome": "failure",
            "outcomeText": "failure",
            "succeeded": False,
            "summary": "actor: 7 against 10, failure",
            "markdown": "actor: 7 against 10, **failure**\nactor 2 \\+ 2 \\+ 3 = 7",
            "target": 10,
            "total": 7,
            "margin": -3,
            "rolls": [
                {
                    "roll": "actor",
                    "name": "actor",
                    "dice": [{"sides": 6, "face": 2, "kept": True, "replaced": []}, {"sides": 6, "face": 2, "kept": True, "replaced": []}],
                    "modifier": 3,
                    "total": 7,
                    "from": "seed",
                    "special": None,
                }
            ],
            "notes": [],
            "effects": [],
            "after": {"actor": {"bonus": 3}},
            "seed": "42",
            "seedFrom": "request",
            "rng": "tablecall-1",
            "rulebook": ACTIONS["jazz.check"][0].version,
            "version": VERSION,
        }

    def test_kept_dice_and_replaced_faces(self) -> None:
        kept = ruling_of("darkpages.check", actor={"pool": {"roll": 3, "keep": 1}}, targetNumber=9, dice=dice(actor=[3, 9, 0]))
        assert [(die["face"], die["kept"]) for die in kept["rolls"][0]["dice"]] == [(3, False), (9, True), (0, False)]
        again = ruling_of("jazz.check", actor={"gear": {"reroll": [1]}}, difficulty=8, dice=dice(actor=[1, 4, 5]))
        assert [(die["face"], die["replaced"]) for die in again["rolls"][0]["dice"]] == [(5, [1]), (4, [])]

    @pytest.mark.parametrize(("faces", "margin"), [([6, 6], 2), ([5, 5], 0), ([1, 1], -8)])
    def test_margin(self, faces: list[int], margin: int) -> None:
        assert ruling_of("jazz.check", actor={}, difficulty=10, dice=dice(actor=faces))["margin"] == margin

    def test_no_margin_without_a_roll(self) -> None:
        ruling = ruling_of("jazz.check", actor={}, difficulty=10, stakes="routine")
        assert (ruling["total"], ruling["target"], ruling["margin"], ruling["rolls"]) == (None, 10, None, [])

    def test_effects_name_who_changes(self) -> None:
        ruling = ruling_of(
            "jazz.attack",
            attackers=[{}],
            defender={"character": ROOK, "using": ["driver"]},
            dice=dice(attackers__0=[6, 6], defender=[1, 1]),
        )
        pointer = "/defender/character/health/current"
        assert ruling["effects"] == [
            {"on": "defender", "id": "pc-1", "stat": "health", "from": 4, "to": 3, "change": -1, "pointer": pointer}
        ]
        assert ruling["after"]["defender"]["character"]["health"] == {"current": 3, "max": 4}
        assert ruling["after"]["attackers"] == [{}]

    def test_effect_without_a_sheet_has_no_values(self) -> None:
        ruling = ruling_of("jazz.attack", attackers=[{}], defender={}, dice=dice(attackers__0=[6, 6], defender=[1, 1]))
        assert ruling["effects"] == [
            {"on": "defender", "id": None, "stat": "health", "from": None, "to": None, "change": -1, "pointer": None}
        ]

    def test_effect_on_a_group(self) -> None:
        ruling = ruling_of(
            "darkpages.check", actor={"pool": {"roll": 2, "keep": 2}, "archetype": "Warrior"}, targetNumber=9, dice=dice(actor=[0, 9])
        )
        (effect,) = ruling["effects"]
        assert (effect["on"], effect["stat"], effect["change"], effect["id"]) == ("archetype:Warrior", "trainingPoints", 1, None)
        assert effect["pointer"] is None

    def test_one_shot_fields_are_removed(self) -> None:
        ruling = ruling_of(
            "jazz.check", actor={"character": ROOK | {"karma": "positive"}, "using": ["cook"], "spend": "karma"}, difficulty=9, seed=1
        )
        actor = ruling["after"]["actor"]
        assert (actor.keys(), actor["using"], actor["character"]["karma"]) == ({"character", "using"}, ["cook"], "neutral")


class TestVerdict:
    """What a rule returns."""

    def test_unchanged_number_is_no_change(self) -> None:
        verdict = Verdict("success", True)
        verdict.change("actor", "coins", 3, 3)
        assert verdict.changes == []
        verdict.change("actor", "coins", 3, 1)
        assert verdict.changes == [Change("actor", "coins", 3, 1, -2)]

    def test_flags(self) -> None:
        verdict = Verdict("success", True)
        verdict.set_flag("actor", "out", to=True)
        verdict.set_flag("actor", "heldAdvantage", to=False)
        assert verdict.changes == [Change("actor", "out", False, True, 1), Change("actor", "heldAdvantage", True, False, -1)]

    def test_change_without_a_sheet(self) -> None:
        verdict = Verdict("success", True)
        verdict.change_unseen("defender", "health", -1)
        assert verdict.changes == [Change("defender", "health", None, None, -1)]


class TestSeeds:
    def test_seed_is_drawn_if_missing(self) -> None:
        one, other = (ruling_of("jazz.check", actor={}, difficulty=7) for _ in range(2))
        assert one["seedFrom"] == "service"
        assert re.fullmatch("[0-9a-f]{32}", one["seed"])
        assert one["seed"] != other["seed"]
        again = ruling_of("jazz.check", actor={}, difficulty=7, seed=one["seed"])
        assert again == {**one, "seedFrom": "request"}

    @pytest.mark.parametrize(("seed", "text"), [(42, "42"), ("42", "42"), (42.0, "42"), (-7, "-7"), ("042", "042"), (0, "0")])
    def test_integer_seed_is_its_decimal_text(self, seed: object, text: str) -> None:
        ruling = ruling_of("jazz.check", actor={}, difficulty=7, seed=seed)
        assert (ruling["seed"], ruling["seedFrom"]) == (text, "request")
        assert ruling == ruling_of("jazz.check", actor={}, difficulty=7, seed=text)

    def test_algorithm_may_be_pinned(self) -> None:
        assert ruling_of("jazz.check", actor={}, difficulty=7, seed=1, rng=RNG) == ruling_of("jazz.check", actor={}, difficulty=7, seed=1)

    def test_unknown_algorithm_is_refused(self) -> None:
        with pytest.raises(UnknownRng) as refused:
            ruling_of("jazz.check", actor={}, difficulty=7, rng="tablecall-2")
        (finding,) = refused.value.findings
        assert (finding.pointer, finding.code, finding.words()) == ("/rng", "unknown-rng", "the dice algorithm here is tablecall-1")


class TestInclude:
    def test_extras_are_left_out_by_default(self) -> None:
        assert not {"factors", "options"} & set(ruling_of("jazz.check", actor={"bonus": 1}, difficulty=7, seed=1))

    @pytest.mark.parametrize("asked", [["factors"], ["options"], ["factors", "options"], ["options", "options"]])
    def test_body_or_caller_may_include_extras(self, asked: list[str]) -> None:
        by_body = ruling_of("jazz.check", actor={"bonus": 1}, difficulty=7, seed=1, include=asked)
        by_caller = ruling_of("jazz.check", *asked, actor={"bonus": 1}, difficulty=7, seed=1)
        assert by_body == by_caller
        assert {"factors", "options"} & set(by_body) == set(asked)

    def test_includes_of_both_are_combined(self) -> None:
        ruling = ruling_of("jazz.check", "options", actor={"bonus": 1}, difficulty=7, seed=1, include=["factors"])
        assert {"factors", "options"} <= set(ruling)


class TestDice:
    def test_supplied_dice_and_the_seed(self) -> None:
        ruling = ruling_of("jazz.check", actor={}, opponent={}, dice=dice(opponent=[6, 6]), seed="42")
        assert [[die["face"] for die in roll["dice"]] for roll in ruling["rolls"]] == [[2, 2], [6, 6]]

    @pytest.mark.parametrize(
        ("document", "finding"),
        [
            ({"dice": dice(actor=[1])}, Finding("/dice/0/faces", "wrong-dice", "too few dice: actor needs 2d6", "jazz.dice.roll")),
            ({"dice": dice(actor=[1] * 3)}, Finding("/dice/0/faces", "wrong-dice", "too many dice: actor needs 2d6", "jazz.dice.roll")),
            (
                {"dice": dice(actor=[1, 7])},
                Finding("/dice/0/faces/1", "wrong-dice", "no such face: a d6 shows 1 to 6, and actor needs 2d6", "jazz.dice.roll"),
            ),
            (
                {"dice": dice(actor=[1, 6]) * 2},
                Finding("/dice/1/roll", "wrong-dice", "each roll is given once", "jazz.dice.roll"),
            ),
            (
                {"dice": dice(actor=[1, 6], actor__rescue=[3])},
                Finding("/dice/1/roll", "wrong-dice", "actor.rescue does not happen: the rolls made are actor", "jazz.dice.roll"),
            ),
            (
                {"dice": dice(somebody=[1, 6]), "stakes": "routine"},
                Finding("/dice/0/roll", "wrong-dice", "somebody does not happen: nothing is rolled", "jazz.dice.roll"),
            ),
        ],
    )
    def test_wrong_dice_are_refused_by_ruling_and_odds(self, document: dict[str, Any], finding: Finding) -> None:
        for compute in (ruling_of, odds_of):
            with pytest.raises(WrongDice) as refused:
                compute("jazz.check", actor={}, difficulty=7, **document)
            (found,) = refused.value.findings
            assert (found.pointer, found.code, found.words(), found.rule) == (finding.pointer, finding.code, finding.detail, finding.rule)

    def test_refusal_names_the_rolls_made(self) -> None:
        with pytest.raises(WrongDice, match=re.escape("the rolls made are attackers.0, attackers.1 and defender")):
            ruling_of("jazz.attack", attackers=[{}, {}], defender={}, dice=dice(attackers=[1, 2]))

    def test_refusal_cites_the_rule_of_the_system(self) -> None:
        for compute in (ruling_of, odds_of):
            with pytest.raises(WrongDice) as refused:
                compute("darkpages.check", actor={"pool": {"roll": 2, "keep": 1}}, targetNumber=9, dice=dice(actor=[10, 0]))
            (finding,) = refused.value.findings
            assert (finding.pointer, finding.rule) == ("/dice/0/faces/0", "darkpages.dice.faces")

    def test_possible_roll_may_have_dice_in_the_odds(self) -> None:
        """A ruling does not rescue a success; in the odds it is not yet known to be one."""
        document: dict[str, Any] = {"actor": {}, "difficulty": 7, "rescue": True}
        assert chance(odds_of("jazz.check", **document, dice=dice(actor__rescue=[1])), "success") == Fraction(26, 36)
        for compute in (ruling_of, odds_of):
            with pytest.raises(WrongDice, match=r"actor\.rescue does not happen: the rolls made are actor"):
                compute("jazz.check", **document, dice=dice(actor=[6, 6], actor__rescue=[1]))
        for compute in (ruling_of, odds_of):  # without the supplied dice the rescue might have been rolled
            with pytest.raises(WrongDice, match=r"actor.rescue does not happen: the rolls made are actor$"):
                compute("jazz.check", **{**document, "actor": {"bonus": 4}}, dice=dice(actor=[3, 3], actor__rescue=[5]))


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("jazz.check", {"actor": {"character": ROOK | {"out": True}}, "difficulty": 7}),
    ("jazz.check", {"actor": {"character": ROOK, "using": ["driver"], "extraordinary": True}, "difficulty": 7}),
    ("jazz.check", {"actor": {"character": ROOK, "spend": "karma"}, "difficulty": 7}),
    ("jazz.check", {"actor": {}, "difficulty": 7, "rng": "none"}),
    ("jazz.attack", {"attackers": [{}], "defender": {"character": ROOK | {"out": True}}}),
    ("darkpages.check", {"actor": {"character": NYX}, "targetNumber": 5}),
    ("darkpages.check", {"actor": {"character": NYX | {"defeated": True}, "attribute": "body"}, "targetNumber": 5}),
    ("darkpages.check", {"actor": {"pool": {"roll": 3, "keep": 2}, "keepDice": [0]}, "targetNumber": 5}),
    ("darkpages.check", {"actor": {"pool": {"roll": 40, "keep": 2}, "modifiers": ["+21/0"]}, "targetNumber": 5}),
]


@pytest.mark.parametrize(("tag", "document"), REFUSED)
def test_odds_refuse_what_a_ruling_refuses(tag: str, document: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as rolling:
        ruling_of(tag, **document)
    with pytest.raises(Refusal) as counting:
        odds_of(tag, **document)
    assert type(rolling.value) is type(counting.value)
    assert rolling.value.findings == counting.value.findings


class TestFactors:
    """Supplied dice, and what they would give without one contribution."""

    @staticmethod
    def of(tag: str, **document: Any) -> dict[tuple[str, str], tuple[Any, str, Any, Any]]:
        """Value and verdict, and total and margin without it, by owner and kind."""
        rows = ruling_of(tag, "factors", **document, seed="42")["factors"]
        factors = {
            (row["on"], row["kind"]): (row["value"], row["verdict"], row["without"]["total"], row["without"]["margin"]) for row in rows
        }
        assert len(factors) == len(rows)
        return factors

    @pytest.mark.parametrize(("difficulty", "verdict"), [(10, "necessary"), (7, "helpful"), (11, "helpful")])
    def test_bonus(self, difficulty: int, verdict: str) -> None:
        found = self.of("jazz.check", actor={"bonus": 3}, difficulty=difficulty, dice=dice(actor=[3, 4]))
        assert found == {("actor", "bonus"): (3, verdict, 7, 7 - difficulty)}

    def test_next_best_aspect_replaces_the_best(self) -> None:
        found = ruling_of(
            "jazz.check", "factors", actor={"character": ROOK, "using": ["cook", "driver"]}, difficulty=11, dice=dice(actor=[3, 4])
        )
        assert found["factors"] == [
            {
                "on": "actor",
                "kind": "bonus",
                "name": "driver",
                "value": 4,
                "verdict": "necessary",
                "favours": "success",
                "without": {"outcome": "failure", "total": 9, "margin": -2},
            }
        ]

    def test_advantage_die(self) -> None:
        found = self.of("jazz.check", actor={"advantage": True}, difficulty=9, dice=dice(actor=[3, 4, 2]))
        assert found == {("actor", "advantage"): (True, "necessary", 7, -2)}

    def test_second_source_of_an_advantage_is_irrelevant(self) -> None:
        found = self.of("jazz.check", actor={"advantage": True, "gear": {"advantage": True}}, difficulty=9, dice=dice(actor=[3, 4, 2]))
        assert found == {("actor", "advantage"): (True, "irrelevant", 9, 0), ("actor", "gear"): (True, "irrelevant", 9, 0)}

    @pytest.mark.parametrize(("difficulty", "verdict"), [(5, "uncertain"), (4, "necessary"), (3, "helpful"), (10, "helpful")])
    def test_die_that_nobody_rolled_decides_or_does_not(self, difficulty: int, verdict: str) -> None:
        """3 on one die; without the disadvantage it would be 4 to 9."""
        found = self.of("jazz.check", actor={"disadvantage": True}, difficulty=difficulty, dice=dice(actor=[3]))
        assert found == {("actor", "disadvantage"): (True, verdict, None, None)}

    def test_advantage_and_disadvantage_cancel(self) -> None:
        """1d6 without one; 3d6 without the other, whose third die nobody rolled."""
        found = self.of("jazz.check", actor={"advantage": True, "disadvantage": True}, difficulty=7, dice=dice(actor=[3, 4]))
        assert found == {("actor", "advantage"): (True, "necessary", 3, -4), ("actor", "disadvantage"): (True, "helpful", None, None)}

    @pytest.mark.parametrize(
        ("document", "favours"),
        [
            ({"actor": {"bonus": 2}, "difficulty": 9}, ["success"]),
            ({"actor": {"bonus": 2}, "difficulty": 99}, ["success"]),
            ({"actor": {"disadvantage": True}, "difficulty": 9, "dice": dice(actor=[3])}, ["failure"]),
            ({"actor": {"disadvantage": True}, "difficulty": 99, "dice": dice(actor=[3])}, ["failure"]),
            ({"actor": {"gear": {"reroll": [3]}}, "difficulty": 9, "dice": dice(actor=[3, 3, 1, 1])}, ["failure"]),
            ({"actor": {}, "difficulty": 5, "difficultyIncrease": 1}, ["failure"]),
            ({"actor": {}, "opponent": {"bonus": 2}, "dice": dice(actor=[3, 3], opponent=[3, 3])}, ["failure"]),
            ({"actor": {}, "opponent": {"bonus": 2}, "dice": dice(actor=[6, 6], opponent=[3, 3])}, ["failure"]),
            ({"actor": {"gear": {"reroll": [5]}}, "difficulty": 9}, [None]),
        ],
    )
    def test_side_that_a_contribution_favours(self, document: dict[str, Any], favours: list[str | None]) -> None:
        ruling = ruling_of("jazz.check", "factors", **{"dice": dice(actor=[3, 3]), **document})
        assert [factor["favours"] for factor in ruling["factors"]] == favours

    def test_bonus_of_one_of_several_targets(self) -> None:
        attack = {"attackers": [{"character": ROOK, "using": ["witch"]}], "targets": [{"bonus": 1}, {}]}
        ruling = ruling_of("jazz.attack", "factors", **attack, dice=dice(attackers__0=[1, 2], targets__0=[6, 6], targets__1=[6, 5]))
        assert [(factor["on"], factor["favours"]) for factor in ruling["factors"]] == [("attackers.0", "success"), ("targets.0", "failure")]

    def test_die_nobody_rolled_of_an_attack_on_several(self) -> None:
        """There is no one number to reach, so only the outcome can tell."""
        attack = {"attackers": [{"character": ROOK, "using": ["witch"], "disadvantage": True}], "targets": [{}, {}]}
        ruling = ruling_of("jazz.attack", "factors", **attack, dice=dice(attackers__0=[1], targets__0=[6, 1], targets__1=[6, 1]))
        disadvantage = next(factor for factor in ruling["factors"] if factor["kind"] == "disadvantage")
        assert (disadvantage["verdict"], disadvantage["favours"]) == ("uncertain", "failure")

    def test_new_die_may_be_rolled_again(self) -> None:
        """Without the disadvantage there is a second die, which shows a six in the end: 6 + 6, or 6 + what it shows then."""
        gear = {"reroll": [1, 2, 3, 4, 5], "until": "clear"}
        found = self.of("jazz.check", actor={"disadvantage": True, "gear": gear}, difficulty=12, dice=dice(actor=[6]))
        assert found[("actor", "disadvantage")] == (True, "necessary", 12, 0)

    def test_fight_that_goes_on_differently_is_uncertain(self) -> None:
        """What would have been rolled then is not followed any further; each run is charged."""
        system, action = ACTIONS["jazz.fight"]
        body = action.body.model_validate({**next(iter(action.examples.values())), "seed": 3})
        found = at_once(resolve_with_pauses(system, action, body, frozenset({"factors"}), Budget()))["factors"]
        assert "uncertain" in {factor["verdict"] for factor in found}
        with pytest.raises(BudgetExceeded):
            at_once(resolve_with_pauses(system, action, body, frozenset({"factors"}), Budget(1)))

    def test_too_many_branches_leave_a_factor_uncertain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 0)
        found = self.of("jazz.check", actor={"disadvantage": True}, difficulty=10, dice=dice(actor=[3]))
        assert found == {("actor", "disadvantage"): (True, "uncertain", None, None)}

    def test_reroll(self) -> None:
        found = self.of("jazz.check", actor={"gear": {"reroll": [2, 1]}}, difficulty=9, dice=dice(actor=[1, 4, 6]))
        assert found == {("actor", "reroll"): ("1 2", "necessary", 5, -4)}

    def test_harmful_reroll(self) -> None:
        found = self.of("jazz.check", actor={"gear": {"reroll": [5]}}, difficulty=9, dice=dice(actor=[5, 4, 1]))
        assert found == {("actor", "reroll"): ("5", "necessary", 9, 0)}

    def test_bonus_of_the_opponent(self) -> None:
        found = self.of("jazz.check", actor={"bonus": 2}, opponent={"bonus": 3}, dice=dice(actor=[3, 4], opponent=[5, 2]))
        assert found == {("actor", "bonus"): (2, "helpful", 7, -3), ("opponent", "bonus"): (3, "necessary", 9, 2)}

    def test_contribution_to_two_rolls_is_one_factor(self) -> None:
        found = self.of(
            "jazz.check",
            actor={"bonus": 3},
            difficulty=13,
            rescue=True,
            rescueBy="rollAgain",
            dice=dice(actor=[1, 1], actor__rescue=[4, 3, 3]),
        )
        assert found == {("actor", "bonus"): (3, "necessary", 10, -3), ("actor", "rescue"): (True, "necessary", 5, -8)}

    def test_modifier(self) -> None:
        """9 + 7 of four dice; only 9 of the first three."""
        found = self.of(
            "darkpages.check", actor={"pool": {"roll": 3, "keep": 1}, "modifiers": ["+1/1"]}, targetNumber=15, dice=dice(actor=[9, 0, 3, 7])
        )
        assert found == {("actor", "modifiers.0"): ("+1/1", "necessary", 9, -6)}

    def test_each_modifier_is_a_factor(self) -> None:
        """One die fewer to roll and one more to keep: 9 + 3 of three. Without the first, two of four; without the second, 9."""
        found = ruling_of(
            "darkpages.check",
            "factors",
            actor={"pool": {"roll": 4, "keep": 1}, "modifiers": ["-1/0", "+0/1"]},
            targetNumber=12,
            dice=dice(actor=[9, 0, 3]),
            seed="one more",
        )
        assert [(row["name"], row["verdict"], row["favours"], row["without"]["total"]) for row in found["factors"]] == [
            ("-1/0", "helpful", "failure", None),
            ("+0/1", "necessary", "success", 9),
        ]

    def test_state_of_a_trait(self) -> None:
        """A diminished Health takes a die; without it there would be a fourth one."""
        hurt = {"character": NYX | {"damage": {"health": "diminished"}}, "attribute": "body"}
        found = ruling_of("darkpages.check", "factors", actor=hurt, targetNumber=6, dice=dice(actor=[5, 0, 0]), seed="42")
        assert found["factors"] == [
            {
                "on": "actor",
                "kind": "state",
                "name": "diminished",
                "value": "-1/0",
                "verdict": "uncertain",
                "favours": "failure",
                "without": {"outcome": None, "total": None, "margin": None},
            }
        ]

    def test_contribution_the_request_depends_on_is_left_out(self) -> None:
        """Three dice are kept by hand, which only the first modifier allows: without it the request is invalid."""
        found = self.of(
            "darkpages.check",
            actor={"pool": {"roll": 4, "keep": 2}, "modifiers": ["+0/1", "+1/0"], "keepDice": [0, 1, 2]},
            targetNumber=10,
            dice=dice(actor=[5, 5, 5, 1, 1]),
        )
        assert found == {("actor", "modifiers.1"): ("+1/0", "irrelevant", 15, 5)}

    def test_change_of_effects_is_helpful(self) -> None:
        """One more die to keep, a zero: outcome and total stay, the points change."""
        found = self.of(
            "darkpages.check",
            actor={"pool": {"roll": 3, "keep": 2}, "modifiers": ["+0/1"], "archetype": "Warrior"},
            targetNumber=5,
            dice=dice(actor=[9, 0, 4]),
        )
        assert found == {("actor", "modifiers.0"): ("+0/1", "helpful", 13, 8)}


class TestOptions:
    POOL: dict[str, Any] = {"pool": {"roll": 5, "keep": 3}, "archetype": "Warrior"}

    def test_each_option_has_its_chance(self) -> None:
        """All dice are on the table, so the chance is certain."""
        ruling = ruling_of("darkpages.check", "options", actor=self.POOL, targetNumber=15, dice=dice(actor=[9, 7, 0, 0, 2]), seed=1)
        assert [(option["choice"], option["request"], option["chance"]) for option in ruling["options"]] == [
            ("keepZeros", {"actor": {"keepDice": [0, 1, 2]}}, 1.0),
            ("keepZeros", {"actor": {"keepDice": [0, 2, 3]}}, 0.0),
        ]

    def test_chance_of_a_rescue(self) -> None:
        ruling = ruling_of("jazz.check", "options", actor={"character": ROOK}, difficulty=10, dice=dice(actor=[4, 2]), seed=1)
        price = {"from": "neutral", "to": "negative", "change": None, "pointer": "/actor/character/karma"}
        assert ruling["options"] == [
            {
                "choice": "rescue",
                "text": ruling["options"][0]["text"],
                "markdown": ruling["options"][0]["markdown"],
                "request": {"rescue": True},
                "chance": pytest.approx(3 / 6),
                "costs": [{"on": "actor", "id": "pc-1", "stat": "karma", **price}],
            }
        ]
        assert "Rook" in ruling["options"][0]["text"]

    def test_chance_of_a_new_roll(self) -> None:
        """Three dice and a bonus of 0 against 17: 4 of 216."""
        ruling = ruling_of("jazz.check", "options", actor={}, difficulty=17, rescueBy="rollAgain", dice=dice(actor=[1, 1]), seed=1)
        assert [option["chance"] for option in ruling["options"]] == [pytest.approx(4 / 216)]

    def test_option_that_is_refused_is_left_out(self) -> None:
        """A rescue is refused to who has an advantage, whatever the rule offers."""
        offers = [Offer("rescue", "option.rescue", {"who": "actor"}, {"rescue": True})]
        action = ACTIONS["jazz.check"][1]
        body = action.body.model_validate({"actor": {"advantage": True}, "difficulty": 99, "seed": 1})
        ruled = what_if.Ruled(action, body, "1", RolledDice(seeded("1"), options=list(offers)), Verdict("failure", False))
        assert at_once(what_if.options(ruled, Scope("jazz"))) == []

    def test_costs_of_every_kind(self) -> None:
        changes = [("actor", "heldAdvantage", True, False), ("actor", "karma", "neutral", "negative"), ("actor", "weird", 2, 1)]
        offer = Offer("other", "option.fate", {"who": "actor"}, None, changes)
        action = ACTIONS["jazz.check"][1]
        body = action.body.model_validate({"actor": {"character": ROOK}, "difficulty": 9, "seed": 1})
        ruled = what_if.Ruled(action, body, "1", RolledDice(seeded("1"), options=[offer]), Verdict("failure", False))
        (option,) = at_once(what_if.options(ruled, Scope("jazz")))
        assert (option["request"], option["chance"], [cost["change"] for cost in option["costs"]]) == (None, None, [-1, None, -1])

    def test_choice_costs_what_it_changes(self) -> None:
        """Defeated instead of the next state; no chance, for it is no attempt."""
        hurt = {"character": NYX, "attribute": "body"}
        damage = {"target": hurt, "trauma": "injury", "against": 20, "opposed": False, "onHarm": "risk"}
        (option,) = ruling_of("darkpages.damage", "options", **damage, dice=dice(target=[1, 1, 1, 1]), seed=1)["options"]
        assert (option["choice"], option["chance"], option["request"]) == ("defeated", None, {"onHarm": "defeated"})
        assert [(cost["stat"], cost["to"], cost["pointer"]) for cost in option["costs"]] == [
            ("defeated", True, "/target/character/defeated")
        ]

    def test_defender_succeeds_by_not_being_hit(self) -> None:
        attack = {"attackers": [{}], "defender": {}, "dice": dice(attackers__0=[6, 3], defender=[4, 2]), "seed": 1}
        (option,) = ruling_of("jazz.attack", "options", **attack)["options"]
        assert (option["request"], option["chance"]) == ({"rescue": "defender"}, pytest.approx(3 / 6))

    def test_chance_does_not_depend_on_the_seed(self) -> None:
        failed = {"actor": {}, "difficulty": 10, "dice": dice(actor=[4, 2])}
        chances = {ruling_of("jazz.check", "options", **failed, seed=seed)["options"][0]["chance"] for seed in range(8)}
        assert len(chances) == 1

    def test_too_many_results_have_no_chance(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(what_if, "MAX_BRANCHES", 0)
        ruling = ruling_of("jazz.check", "options", "factors", actor={"disadvantage": True}, difficulty=10, dice=dice(actor=[4]), seed=1)
        assert [option["chance"] for option in ruling["options"]] == [None]
        (factor,) = ruling["factors"]
        assert (factor["verdict"], factor["favours"], factor["without"]) == (
            "uncertain",
            None,
            {"outcome": None, "total": None, "margin": None},
        )

    def test_choice_made_is_no_option(self) -> None:
        actor = self.POOL | {"keep": "mostZeros"}
        ruling = ruling_of("darkpages.check", "options", actor=actor, targetNumber=15, dice=dice(actor=[9, 7, 0, 0, 2]), seed=1)
        assert [option["request"]["actor"]["keepDice"] for option in ruling["options"]] == [[0, 1, 4], [0, 1, 2]]

    def test_drawn_seed_is_part_of_the_option(self) -> None:
        """This fails with any seed, and a rescue adds a die."""
        ruling = ruling_of("jazz.check", "options", actor={"bonus": 0}, difficulty=1000)
        assert ruling["options"]
        for option in ruling["options"]:
            assert option["request"]["seed"] == ruling["seed"]

    def test_option_drops_dice_of_rolls_it_avoids(self) -> None:
        """A hit with supplied damage dice. Keeping zeros instead misses, so there is no damage roll."""
        document: dict[str, Any] = {
            "attacker": {"pool": {"roll": 3, "keep": 2}},
            "defender": {"pool": {"roll": 2, "keep": 2}, "npc": True},
            "trauma": "injury",
            "dice": dice(attacker=[9, 9, 0], defender=[5, 5], defender__damage=[1, 1]),
            "seed": 1,
        }
        ruling = ruling_of("darkpages.attack", "options", **document)
        (zero,) = [option for option in ruling["options"] if option["choice"] == "keepZeros"]
        assert zero["request"]["dice"] == document["dice"][:2]
        assert ruling_of("darkpages.attack", **merge(document, zero["request"]))["outcome"] == "failed"
        assert zero["chance"] == 0


class TestPauses:
    """The work pauses before each part that takes as long as a ruling."""

    @staticmethod
    def pauses(tag: str, include: frozenset[str] = frozenset(), **document: Any) -> int:
        system, action = ACTIONS[tag]
        body = action.body.model_validate({"seed": 1, **document})
        assert at_once(resolve_with_pauses(system, action, body, include)) == resolve(system, action, body, include=include)
        return sum(1 for _ in resolve_with_pauses(system, action, body, include))

    def test_each_option_and_factor(self) -> None:
        missed: dict[str, Any] = {"attackers": [{"character": ROOK, "using": ["driver"]}], "defender": {"bonus": 99}}
        assert self.pauses("jazz.attack", **missed) == 0
        assert self.pauses("jazz.attack", frozenset({"options"}), **missed) > 1  # each branch of a rescue, too
        assert self.pauses("jazz.attack", frozenset({"factors"}), **missed) == 2


class TestMerge:
    """The cases of the appendix of RFC 7396."""

    @pytest.mark.parametrize(
        ("document", "patch", "merged"),
        [
            ({"a": "b"}, {"a": "c"}, {"a": "c"}),
            ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
            ({"a": "b"}, {"a": None}, {}),
            ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
            ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
            ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
            (["a", "b"], ["c", "d"], ["c", "d"]),
            ({"a": "b"}, ["c"], ["c"]),
            ({"a": "foo"}, None, None),
            ({"a": "foo"}, "bar", "bar"),
            ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
            ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
            ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ],
    )
    def test_merge_patch(self, document: Any, patch: Any, merged: Any) -> None:
        before = deepcopy(document)
        assert merge(document, patch) == merged
        assert document == before


class Sheet(Participant):
    """A sheet."""

    is_sheet: ClassVar[bool] = True

    id: str | None = None
    coins: int = 3


class Roller(Participant):
    """Someone who rolls, with or without a sheet."""

    character: Sheet | None = None


class Crew(Participant):
    """Someone who contains a roller."""

    pilot: Roller


class Everyone(Body):
    """A request with participants of every kind."""

    actor: Roller
    members: list[Roller] = []
    opponent: Roller | None = None
    victim: Sheet | None = None
    crew: Crew | None = None


class TestSheets:
    """The place of a sheet is derived from the models, whatever their fields are called."""

    def test_nested_sheet(self) -> None:
        sheet = {"id": "s-1", "coins": 3}
        body = Everyone.model_validate({"actor": {}, "crew": {"pilot": {"character": sheet}}, "victim": sheet})
        found = effects_of(body, Verdict("lost", False, changes=[Change("crew", "coins", 3, 2, -1), Change("victim", "coins", 3, 1, -2)]))
        assert [(effect["on"], effect["id"]) for effect in found] == [("crew", "s-1"), ("victim", "s-1")]
        people = after(body, found)
        assert (people["crew"]["pilot"]["character"]["coins"], people["victim"]["coins"]) == (2, 1)
        assert [effect["pointer"] for effect in found] == ["/crew/pilot/character/coins", "/victim/coins"]

    def test_missing_nested_sheet(self) -> None:
        body = Everyone.model_validate({"actor": {}, "crew": {"pilot": {}}})
        found = effects_of(
            body, Verdict("lost", False, changes=[Change(on, "coins", None, None, -1) for on in ("crew", "actor", "nobody")])
        )
        assert [effect["id"] for effect in found] == [None] * 3
        assert after(body, found) == after(body, [])


class TestUndo:
    """What a client does to take a ruling back."""

    @pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
    def test_every_example_can_be_undone(self, tag: str, name: str, body: dict[str, Any]) -> None:
        system, action = ACTIONS[tag]
        request = action.body.model_validate(body)
        ruling = resolve(system, action, request)
        people = deepcopy(ruling["after"])
        undo(people, ruling["effects"])
        before = after(request, [], _removed(action.rule, request))
        assert read(request, {name: people[name] for name in before}) == read(request, before)

    def test_lists_are_undone_from_the_end(self) -> None:
        people: dict[str, Any] = {"actor": {"scars": ["b"], "karma": "neutral"}}
        undo(
            people,
            [
                {"pointer": "/actor/scars/0", "from": "a", "to": None},
                {"pointer": "/actor/scars/1", "from": None, "to": "c"},
                {"pointer": "/actor/scars/0", "from": "x", "to": "b"},
                {"pointer": "/actor/scars/1", "from": "c", "to": None},
                {"pointer": "/actor/karma", "from": None, "to": "neutral"},
                {"pointer": None, "from": None, "to": None},
            ],
        )
        assert people == {"actor": {"scars": ["a", "x"]}}


def read(request: Body, people: dict[str, Any]) -> Any:
    """The participants, where a flag that is false says as much as one that was not sent."""
    return _without_flags(type(request).model_validate({**request.sent, **people}).model_dump(exclude_defaults=True))


def _without_flags(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_flags(part) for name, part in value.items() if part is not False}
    return [_without_flags(part) for part in value] if isinstance(value, list) else value


def _removed(rule: Any, request: Body) -> list[tuple[str, str]]:
    verdict: Verdict = rule(request, RolledDice(seeded(str(request.seed), supplied_faces(ACTIONS["jazz.check"][0], request))))
    return verdict.removed


class TestPercent:
    @pytest.mark.parametrize(
        ("fraction", "text"),
        [
            ("0", "0 %"),
            ("1", "100 %"),
            ("5/12", "41.7 %"),
            ("1/2", "50.0 %"),
            ("1/1000", "0.1 %"),
            ("1/10000000000", "<0.1 %"),
            ("5/10000", "<0.1 %"),
            ("500001/1000000000", "0.1 %"),
            ("999/1000", "99.9 %"),
            ("99949999/100000000", "99.9 %"),
            ("9995/10000", ">99.9 %"),
            ("9999999999/10000000000", ">99.9 %"),
            ("1/16", "6.2 %"),
            ("99999/1000000", "10.0 %"),
        ],
    )
    def test_percent_has_one_decimal(self, fraction: str, text: str) -> None:
        assert percent(Fraction(fraction)) == text

    @given(chance=st.fractions(0, 1))
    def test_percent_is_certain_only_for_0_and_1(self, chance: Fraction) -> None:
        text = percent(chance)
        assert re.fullmatch(r"[<>]?\d{1,2}\.\d %|0 %|100 %", text)
        assert (text in ("0 %", "100 %")) == (chance in (0, 1))
        assert abs(float(text.strip("<> %")) - float(chance) * 100) <= 0.1


class TestOdds:
    def test_complete_odds(self) -> None:
        found = odds_of("jazz.check", actor={"bonus": 3}, difficulty=10)
        assert {name: found[name] for name in ("action", "system", "method", "expected", "rulebook", "version")} == {
            "action": "jazz.check",
            "system": "jazz",
            "method": "exact",
            "expected": {},
            "rulebook": ACTIONS["jazz.check"][0].version,
            "version": VERSION,
        }
        assert found["outcomes"] == [
            {"outcome": "success", "outcomeText": "success", "probability": 21 / 36, "fraction": "7/12", "percent": "58.3 %"},
            {"outcome": "failure", "outcomeText": "failure", "probability": 15 / 36, "fraction": "5/12", "percent": "41.7 %"},
        ]

    def test_distribution_of_2d6(self) -> None:
        (roll,) = odds_of("jazz.check", actor={"bonus": 3}, difficulty=10)["rolls"]
        assert roll["roll"] == "actor"
        assert [(row["total"], row["fraction"]) for row in roll["distribution"]] == [
            (3 + total, str(Fraction(6 - abs(total - 7), 36))) for total in range(2, 13)
        ]
        assert [row["probability"] for row in roll["distribution"]] == [(6 - abs(total - 7)) / 36 for total in range(2, 13)]
        assert roll["mean"] == 10.0
        assert roll["standardDeviation"] == pytest.approx(math.sqrt(35 / 6), abs=1e-12)

    def test_mean_change_of_each_stat(self) -> None:
        found = odds_of("jazz.attack", attackers=[{}], defender={"character": ROOK, "using": ["driver"]})
        assert found["expected"] == {"defender.health": pytest.approx(-float(chance(found, "hit")), abs=1e-15)}
        pool = {"pool": {"roll": 2, "keep": 2}, "archetype": "Warrior"}
        assert odds_of("darkpages.check", actor=pool, targetNumber=9)["expected"] == {
            "archetype:Warrior.trainingPoints": pytest.approx(0.2, abs=1e-15)
        }

    def test_supplied_dice_are_held_fixed(self) -> None:
        found = odds_of("jazz.check", actor={"bonus": 1}, opponent={}, dice=dice(actor=[3, 3]))
        assert chance(found, "success") == Fraction(21, 36)
        assert [len(roll["distribution"]) for roll in found["rolls"]] == [1, 11]
        assert (found["rolls"][0]["mean"], found["rolls"][0]["standardDeviation"]) == (7.0, 0.0)

    def test_seed_does_not_change_the_odds(self) -> None:
        assert odds_of("jazz.check", actor={}, difficulty=7, seed=1) == odds_of("jazz.check", actor={}, difficulty=7, seed=2)

    def test_possible_roll_is_conditional_on_being_made(self) -> None:
        found = odds_of("jazz.check", actor={}, difficulty=9, rescue=True)
        assert [row["fraction"] for row in found["rolls"][1]["distribution"]] == ["1/6"] * 6
        at_once = Fraction(10, 36)
        rescued = Fraction(sum((6 - abs(total - 7)) * max(0, 6 - max(8 - total, 0)) for total in range(2, 9)), 36 * 6)
        assert chance(found, "success") == at_once + rescued

    def test_odds_without_a_roll(self) -> None:
        found = odds_of("jazz.check", actor={}, difficulty=9, stakes="routine")
        assert (found["rolls"], [row["outcome"] for row in found["outcomes"]]) == ([], ["automatic"])

    def test_every_branch_is_charged(self) -> None:
        system, action = ACTIONS["jazz.check"]
        body = action.body.model_validate({"actor": {}, "opponent": {}})
        budget = Budget()
        assert odds(system, action, body, budget) == odds(system, action, body)
        assert budget.charged >= 2
        with pytest.raises(BudgetExceeded):
            odds(system, action, body, Budget(budget.charged - 1))

    def test_too_many_branches_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(enumeration, "MAX_BRANCHES", 2)
        with pytest.raises(TooLargeToCount, match="at most 2 branches"):
            odds_of("jazz.check", actor={}, difficulty=9, rescue=True, method="exact")
        simulated = odds_of("jazz.check", actor={}, difficulty=9, rescue=True, seed=1)
        assert (simulated["method"], simulated["trials"]) == ("simulation", 10_000)


def test_fraction_of_more_than_40_digits_is_left_out() -> None:
    """Two equal pools of 30 dice: the nearest double is within 2⁻⁵³ of the exact probability."""
    pool = {"pool": {"roll": 30, "keep": 30}}
    found = odds_of("darkpages.check", actor=pool, opponent=pool)
    assert {row["fraction"] for row in found["outcomes"] if row["outcome"] in ("success", "failure")} == {None}
    assert found["bound"] == 2.0**-53
    assert {row["fraction"] for row in found["rolls"][0]["distribution"] if row["total"] == 135} == {None}
    assert "bound" not in odds_of("darkpages.check", actor={"pool": {"roll": 3, "keep": 3}}, targetNumber=15)


def test_unusual_lowest_face_is_published() -> None:
    """A d6 shows 1 at least and a d10 0, so that anybody can check the dice of a ruling."""
    shown = [rulings._die(die) for die in (Die(6, 2), Die(10, 2, lowest=0), Die(10, 2), Die(6, 0, lowest=0))]
    assert [die.get("lowest") for die in shown] == [None, None, 1, 0]
