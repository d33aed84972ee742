"""The dice of a conflict for the rules of single actions."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice, seeded
from tablecall.dice.source import Offer
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence
from tablecall.systems.inner import InnerDice, moved, moved_pointer, refusal_before_dice, with_pointers
from tests.dice.test_markov import Bet, Gamble

PLACES = {"attackers.0": "combatants.3", "defender": "combatants.1"}
ROLLS = {"attackers.0": "combatants.3.round2.attack", "defender": "combatants.1.round2.against.3"}


def inner(outer: RolledDice, **more: Any) -> InnerDice:
    return InnerDice(outer, "jazz", PLACES, ROLLS, **more)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("defender", "combatants.1.round2.against.3"),
        ("defender.rescue", "combatants.1.round2.against.3.rescue"),
        ("attackers.0.rescue", "combatants.3.round2.attack.rescue"),
        ("attackers.1", "attackers.1"),
        ("nobody", "nobody"),
    ],
)
def test_moved(name: str, expected: str) -> None:
    assert moved(name, ROLLS) == expected


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [("/attackers/0/spend", "/combatants/3/actor/spend"), ("/rescue", "/turn/rescue"), ("/difficulty", "/turn/check/difficulty")],
)
def test_moved_pointer(pointer: str, expected: str) -> None:
    pointers = {"attackers.0": "/combatants/3/actor", "rescue": "/turn/rescue"}
    assert moved_pointer(pointer, pointers, "/turn/check") == expected


def test_rolls_as_the_outer_dice_name_them() -> None:
    outer = RolledDice(seeded("42"))
    dice = inner(outer)
    roll = dice.roll("attackers.0", SumPool(2), "Rook")
    alone = RolledDice(seeded("42")).roll("combatants.3.round2.attack", SumPool(2), "Rook")
    assert (roll.total, dice.made) == (alone.total, ["combatants.3.round2.attack"])
    assert dice.contribution("attackers.0", "bonus", 4, 0) == 4
    assert outer.contributions[0].on == "combatants.3.round2.attack"


def test_facts_are_moved_by_their_templates() -> None:
    dice = inner(RolledDice(seeded("42")))
    assert dice.moved_facts("attack.summary", {"who": ["attackers.0"], "on": "defender", "total": 9}) == {
        "who": ["combatants.3"],
        "on": "combatants.1",
        "total": 9,
    }
    assert dice.moved_facts("initiative.roll", {"who": "defender", "roll": "defender"})["roll"] == "combatants.1.round2.against.3"
    results: Any = dice.moved_facts("turn.targets", {"who": [], "results": [Sentence("turn.target_result", {"on": "defender"})]})["results"]
    assert results[0].facts == {"on": "combatants.1"}
    # the caller's own words stay, and so does what no template shows
    assert dice.moved_facts("roll.aspect", {"aspect": "defender"}) == {"aspect": "defender"}
    assert dice.moved_facts("no.such", {"who": "defender"}) == {"who": "defender"}


def test_offers_are_changed_or_dropped() -> None:
    outer = RolledDice(seeded("42"), wants_options=True)
    offer = Offer("rescue", "option.rescue", {"who": "defender"}, {"rescue": "defender"}, (("defender", "karma", "neutral", "negative"),))
    inner(outer).offer(lambda: [offer])
    assert outer.options == []
    inner(outer, taking=lambda taken: taken).offer(lambda: [offer])
    (taken,) = outer.options
    assert isinstance(taken, Offer)
    assert (taken.facts, list(taken.costs)) == ({"who": "combatants.1"}, [("combatants.1", "karma", "neutral", "negative")])


def test_notes_and_options_have_the_outer_places() -> None:
    outer = RolledDice(seeded("42"))
    dice = inner(outer)
    dice.note("jazz.conflict.out", "attack.out", who="defender")
    dice.option("attackers.0", "gear")
    dice.explain(lambda: dice.note("toy.one", "toy.key", n=1))
    assert outer.steps[0]["facts"] == {"who": "combatants.1"}
    assert (len(outer.steps), outer.used) == (2, {("combatants.3", "gear")})


def test_decisions_are_those_of_the_outer_dice() -> None:
    dice = inner(RolledDice(seeded("42")))
    one, other = dice.roll("attackers.0", SumPool(1, 9), "a"), dice.roll("defender", SumPool(1), "b")
    assert dice.compare(one.total, other.total) == 1
    assert dice.value(one.total) == one.total
    assert dice.special(one) is None
    assert dice.rank([other, one]) == [[1], [0]]
    assert dice.cached("it", lambda: 3) == 3
    dice.declare_branches(lambda: 1 // 0)


class TestRefusal:
    def test_before_the_first_roll(self) -> None:
        def rule(dice: Any) -> None:
            dice.note("toy.one", "toy.key", who="x")
            dice.option("", "ties")
            dice.explain(lambda: 1 // 0)
            dice.offer(lambda: 1 // 0)
            dice.declare_branches(lambda: 1 // 0)
            assert dice.contribution("x", "bonus", 2, 0) == dice.cached("y", lambda: 2) == dice.value(2)
            assert dice.compare(2, 1) == 1
            raise Forbidden.by("toy.one", "/attackers/0/spend", "not so")

        refusal = refusal_before_dice(rule)
        assert refusal is not None
        moved_refusal = with_pointers(refusal, {"attackers.0": "/combatants/3/actor"}, "/turn")
        assert [(finding.pointer, finding.rule) for finding in moved_refusal.findings] == [("/combatants/3/actor/spend", "toy.one")]

    @pytest.mark.parametrize("ask", [lambda dice: dice.roll("x", SumPool(1), "x"), lambda dice: dice.follow("x", None), lambda dice: None])
    def test_none_after_it(self, ask: Any) -> None:
        def rule(dice: Any) -> None:
            if ask(dice) is not None:
                raise Forbidden.by("toy.one", "", "too late")

        assert refusal_before_dice(rule) is None


def test_process_is_followed_by_the_outer_dice() -> None:
    game = Gamble(moves=(Bet(3), Bet(5)))
    steps = RolledDice(seeded("s"))
    assert inner(steps).follow("gamble", game) == RolledDice(seeded("s")).follow("gamble", game)
    assert steps.rolls
