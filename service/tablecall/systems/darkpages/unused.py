"""Steps that only say that a part of the request had no effect, because somebody does not roll. They decide nothing.

Where one option has an effect or not by the result of a roll, its step stands beside that decision.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablecall.dice.source import Record
from tablecall.systems.darkpages.prepare import DarkpagesPools, Placed, display_name
from tablecall.systems.darkpages.sheet import DarkpagesActor


def nobody_rolls(options: DarkpagesPools, participants: Iterable[Placed], record: Record) -> None:
    """Every option that would have changed a pool or a choice of dice."""
    if options.floor != "one":
        record.step("darkpages.modifiers.floor", "nobody rolls, so no pool has to be floored (option floor)")
    if options.overflow != "hold":
        record.step("darkpages.damage.nonlethal", "nobody rolls, so no further harm weighs (option overflow)")
    for actor, where in participants:
        chosen_dice(actor, where, record, "does not roll")
        not_rolling(actor, where, record)


def not_rolling(actor: DarkpagesActor, where: str, record: Record) -> None:
    """The policy, modifiers and Scars of a participant who does not roll."""
    name = display_name(actor, where)
    if actor.keep != "highest":
        record.step("darkpages.dice.choice", "{} does not roll, so keep does not apply", name)
    if actor.modifiers:
        record.step("darkpages.modifiers.sum", "{} does not roll, so no modifier counts", name)
    if actor.scars:
        record.step("darkpages.scars", "{} does not roll, so no Scar weighs", name)


def chosen_dice(actor: DarkpagesActor, where: str, record: Record, reason: str) -> None:
    """The dice chosen by a participant who does not make that roll."""
    if actor.keep_dice is not None:
        record.step("darkpages.dice.choice", "{} {}, so the dice chosen do not count", display_name(actor, where), reason)


def assistant(actor: DarkpagesActor, where: str, record: Record) -> None:
    """darkpages.teamwork: what an assistant adds to a roll of their own, which is not made."""
    if actor.modifiers or actor.scars or actor.keep != "highest" or actor.keep_dice is not None:
        text = "{} only assists: modifiers, scars and chosen dice of an assistant do not count"
        record.step("darkpages.teamwork", text, display_name(actor, where))
