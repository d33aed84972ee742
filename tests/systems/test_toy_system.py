"""A small third system, defined here in full: the engine handles it like the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

from tablecall import engine
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Offer
from tablecall.model.base import Body, Name, Participant, WholeNumber
from tablecall.model.refusals import Finding, Forbidden, WrongDice
from tablecall.model.text import CATALOGUE, Sentence, say
from tablecall.systems.system import Action, Rule, System
from tablecall.systems.verdict import Change, Verdict
from tests.systems.test_contract import Contract, examples_of


class ToyPlayer(Participant):
    """Who gambles."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"hurried"})
    bare_state: ClassVar[frozenset[str]] = frozenset({"coins", "title"})

    name: Name
    """The player's name."""
    luck: Annotated[int, Field(ge=0, le=6), WholeNumber] = 0
    """Added to the first roll."""
    title: Name | None = None
    """A title earned by winning double."""
    coins: Annotated[int, Field(ge=0, le=99), WholeNumber] = 3
    """How many coins are left."""
    hurried: bool = False
    """One die fewer, this once."""


class ToyGamble(Body):
    """Two dice against seven; a lower total brings a second roll of one or two dice (toy.again)."""

    player: ToyPlayer
    """Who gambles; rolls as `player`."""
    double: bool = False
    """Play for twice the coins."""


def gamble(request: ToyGamble, dice: Dice) -> Verdict:
    player = request.player
    if not player.coins:
        raise Forbidden.by("toy.coins", "/player/coins", "nothing is left to lose")
    luck = dice.contribution("player", "luck", player.luck, 0)
    count = 2 - dice.contribution("player", "hurry", player.hurried, False)
    first = dice.roll("player", SumPool(count, luck), player.name)
    stake = 2 if request.double else 1
    verdict = Verdict("lost", False, total=first.total, target=7, fields={"stake": stake})
    dice.note("toy.seven", "gamble.seven", value=7, who="player", total=first.total)
    if dice.compare(first.total, 7) >= 0:
        verdict.outcome, verdict.succeeded = "won", True
    else:
        total = dice.value(first.total)
        second = dice.roll("player.again", SumPool(1 + total % 2), player.name)
        dice.note("toy.again", "gamble.again", who="player", total=second.total)
        if dice.compare(second.total, 5) >= 0:
            verdict.outcome, verdict.succeeded = "won", True
    before = player.coins
    verdict.change("player", "coins", before, before + stake if verdict.succeeded else max(before - stake, 0))
    dice.note("toy.coins", "gamble.coins", value=stake, who="player", stake=stake)
    if request.double and verdict.succeeded:
        verdict.changes.append(Change("player", "title", player.title, "the bold", None))
    dice.offer(_offers)
    return verdict


def _offers() -> Iterator[Offer]:
    yield Offer("double", "option.double", {}, {"double": True})
    yield Offer("hurry", "option.hurry", {}, {"player": {"hurried": True}})
    yield Offer("rub", "option.rub", {}, {"player": {"luck": 1}})


def summary(request: ToyGamble, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    return [say("gamble.summary", who="player", outcome=verdict.outcome, count=len(record.rolls))]


for templates in CATALOGUE.templates.values():
    templates.update(
        {
            "toy.outcome.won": "won",
            "toy.outcome.lost": "lost",
            "toy.gamble.seven": "{who:roller}: {total} against seven",
            "toy.gamble.again": "{who:roller}: again, {total}",
            "toy.gamble.coins": "{who:roller} gambles for {stake}",
            "toy.gamble.summary": "{who:roller}: {outcome:outcome} after {count}",
            "toy.option.double": "For twice the coins",
            "toy.option.hurry": "One die fewer",
            "toy.option.rub": "The lucky charm is rubbed",
        }
    )


EXAMPLES: dict[str, Mapping[str, Any]] = {
    "Plain": {"player": {"name": "Pip"}, "seed": 1},
    "Lucky, in a hurry, for more": {"player": {"name": "Pip", "luck": 2, "hurried": True}, "double": True, "seed": "more"},
    "With dice of one's own": {"player": {"name": "Pip", "luck": 1}, "dice": [{"roll": "player", "faces": [2, 3]}], "seed": 2},
}

TOY = System(
    name="toy",
    title="Toy",
    credit="Made for this test.",
    version="toy 1/1",
    rules=(
        Rule("toy.seven", "Rules", "Seven wins."),
        Rule("toy.again", "Rules", "After less than seven, roll again."),
        Rule("toy.coins", "Rules", "Coins change hands."),
        Rule("toy.dice", "Rules", "Dice have six sides."),
    ),
    tables={},
    dice_rule="toy.dice",
    actions=(
        Action(
            name="gamble",
            body=ToyGamble,
            rule=gamble,
            summary=summary,
            outcomes=("won", "lost"),
            title="A gamble",
            text="Somebody gambles.",
            examples=EXAMPLES,
            fields={"stake": int},
        ),
    ),
)


@pytest.mark.parametrize(("system", "action", "example"), examples_of([TOY]))
class TestToy(Contract):
    """The contract of every action."""


def resolve(include: tuple[str, ...] = (), **document: Any) -> dict[str, Any]:
    return engine.resolve(TOY, TOY.actions[0], ToyGamble.model_validate(document), include=frozenset(include))


def odds(**document: Any) -> dict[str, Any]:
    return engine.odds(TOY, TOY.actions[0], ToyGamble.model_validate(document))


PIP = {"name": "Pip"}


class TestEngine:
    def test_ruling(self) -> None:
        ruling = resolve(player=PIP, dice=[{"roll": "player", "faces": [3, 3]}, {"roll": "player.again", "faces": [5]}])
        pip = "\u2068Pip\u2069"
        assert (ruling["outcome"], ruling["summary"], ruling["stake"]) == ("won", f"{pip}: won after 2. {pip}: coins 3 → 4", 1)
        assert [step["text"] for step in ruling["steps"]] == [f"{pip}: 6 against seven", f"{pip}: again, 5", f"{pip} gambles for 1"]
        assert ruling["after"]["player"] == {"name": "Pip", "coins": 4}

    def test_option_that_changes_only_effects(self) -> None:
        ruling = resolve(include=("options",), player=PIP | {"luck": 1}, dice=[{"roll": "player", "faces": [6, 3]}], seed=1)
        [option] = ruling["options"]
        assert (option["choice"], option["text"], option["request"]) == ("double", "For twice the coins", {"double": True})
        assert (option["chance"], [cost["stat"] for cost in option["costs"]]) == (1.0, ["coins", "title"])

    def test_no_option_that_changes_nothing_or_is_refused(self) -> None:
        """`double` and `luck` are set already, and `hurried` would leave one of the two supplied dice over."""
        ruling = resolve(include=("options",), player=PIP | {"luck": 1}, double=True, dice=[{"roll": "player", "faces": [6, 3]}], seed=1)
        assert ruling["options"] == []

    def test_option_drops_supplied_dice_it_does_not_need(self) -> None:
        first, again = {"roll": "player", "faces": [6]}, {"roll": "player.again", "faces": [5]}
        ruling = resolve(include=("options",), player=PIP | {"hurried": True}, dice=[first, again], seed=1)
        assert (ruling["outcome"], [option["choice"] for option in ruling["options"]]) == ("won", ["double", "rub"])
        assert ruling["options"][1]["request"] == {"player": {"luck": 1}, "dice": [first]}

    def test_odds(self) -> None:
        """21 of 36 win at once. Otherwise an even total (9 of 36) brings one die, an odd one (6 of 36) two, against 5."""
        counted = odds(player=PIP)
        won = Fraction(21, 36) + Fraction(9, 36) * Fraction(1, 3) + Fraction(6, 36) * Fraction(30, 36)
        assert counted["outcomes"][0]["fraction"] == str(won)
        assert counted["expected"] == {"player.coins": pytest.approx(float(2 * won - 1))}

    def test_change_that_is_not_a_number_has_no_mean(self) -> None:
        effects = resolve(player=PIP, double=True, dice=[{"roll": "player", "faces": [6, 3]}])["effects"]
        change = {"from": None, "to": "the bold", "change": None, "pointer": "/player/title"}
        assert effects[1] == {"on": "player", "id": None, "stat": "title", **change}
        assert list(odds(player=PIP, double=True)["expected"]) == ["player.coins"]

    def test_distribution_of_a_roll_that_depends_on_another(self) -> None:
        """A mixture: one die in 9 of 15 cases, two in 6 of 15."""
        _, again = odds(player=PIP)["rolls"]
        assert again["roll"] == "player.again"
        assert again["distribution"][1]["fraction"] == str(Fraction(9, 15) / 6 + Fraction(6, 15) / 36)
        assert again["mean"] == pytest.approx(3.5 * 9 / 15 + 7 * 6 / 15)

    def test_refusals_cite_the_systems_own_rules(self) -> None:
        with pytest.raises(WrongDice) as refused:
            resolve(player=PIP, dice=[{"roll": "player", "faces": [7, 1]}])
        assert refused.value.findings[0].rule == "toy.dice"
        with pytest.raises(Forbidden) as forbidden:
            odds(player={"name": "Pip", "coins": 0})
        assert forbidden.value.findings == (Finding("/player/coins", "rule-forbids", "nothing is left to lose", "toy.coins"),)


def test_outcomes_that_are_not_listed_come_last() -> None:
    action = replace(TOY.actions[0], outcomes=("lost",))
    counted = engine.odds(TOY, action, ToyGamble.model_validate({"player": PIP}))
    assert [row["outcome"] for row in counted["outcomes"]] == ["lost", "won"]
