"""Steps that only say that something in the request had no effect. They decide nothing, and every action takes them from here."""

from __future__ import annotations

from collections.abc import Sequence

from tablecall.dice.source import Record
from tablecall.systems.jazz.roller import SOURCES, Roller, SpendOn, holds
from tablecall.systems.jazz.sheet import DIE_RULES, JazzActor
from tablecall.systems.jazz.target import Ties

_WITHOUT_ROLL = {
    "advantage": "the situation gives no die",
    "gear": "the gear gives no die",
    "disadvantage": "the situation takes no die",
    "withoutEquipment": "the missing equipment takes no die",
}


def kept_dice(actor: JazzActor, name: str, record: Record, reason: str) -> None:
    """A die to spend and karma to impose are kept, since no roll is made; ``reason`` says why."""
    sheet = actor.character
    if sheet is None:
        return
    if actor.spend is not None:
        result = "the die is kept" if holds(sheet, actor.spend) else "nothing is spent"
        record.step(DIE_RULES[actor.spend], "{}: {}, so {}", name, reason, result)
    if actor.impose_karma:
        record.step("jazz.karma.negative", "{}: {}, so nothing is imposed", name, reason)


def roll(roller: Roller, record: Record) -> None:
    """No roll is made: everything that the request adds to it."""
    kept_dice(roller.actor, roller.name, record, "no roll")
    for source in (*roller.advantages, *roller.disadvantages):
        if source in _WITHOUT_ROLL:
            record.step(SOURCES[source][0], "{}: no roll, so {}", roller.name, _WITHOUT_ROLL[source])
    gear = roller.actor.gear
    if gear is not None and (gear.reroll or gear.until == "clear"):
        record.step("jazz.dice.reroll", "{}: no roll, so nothing is rolled again", roller.name)
    if roller.actor.universal:
        record.step("jazz.aspects.universal", "{}: no roll, so there is no bonus to be at least 1", roller.name)


def weird(roller: Roller, record: Record, reason: str) -> None:
    """jazz.weird.spend: an extraordinary use that costs nothing, because it is not made."""
    if roller.spends_weird:
        record.step("jazz.weird.spend", "{}: {}, so no weird is spent", roller.name, reason)


def spend_on(actors: Sequence[Roller], opponent: Roller | None, choice: SpendOn, record: Record) -> None:
    """jazz.weird.spend: the option ``spendOn``, if no use is extraordinary."""
    rollers = [*actors, opponent] if opponent else actors
    if choice == "success" and not any(roller.spends_weird for roller in rollers):
        record.step("jazz.weird.spend", "nothing extraordinary is tried, so no weird is at stake (option spendOn)")


def ties(choice: Ties, reason: str, record: Record) -> None:
    """jazz.check.contest: the option ``ties``, if there is no opposing roll."""
    if choice != "actor":
        record.step("jazz.check.contest", "{}, so there is no tie to decide (option ties)", reason)


def rescue(roller: Roller, record: Record, reason: str, *, granted: bool, roll_again: bool) -> None:
    """jazz.karma.rescue: a rescue that is not used, and a choice of ``rescueBy`` without a rescue."""
    aside = " (option rescueBy)" if roll_again else ""
    if granted:
        record.step("jazz.karma.rescue", "{}: {}{}", roller.name, reason, aside)
    elif aside:
        record.step("jazz.karma.rescue", "{}: no rescue is granted, so there is no choice of how{}", roller.name, aside)


def difficulty_increase(roller: Roller, record: Record) -> None:
    """jazz.aspects.missing: an increase that does not count, because the roller is not without a bonus."""
    reason = "everyone here can do this" if roller.untrained else "one applies"
    record.step("jazz.aspects.missing", "{}: the increase is for want of an aspect, and {}", roller.name, reason, value=0)
