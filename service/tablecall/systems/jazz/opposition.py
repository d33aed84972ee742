"""What a roll in Jazz is measured against, a number or somebody else's roll, and what it cost whoever rolled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from tablecall.dice.source import Dice, Total
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.systems.jazz.roller import Roller
from tablecall.systems.jazz.tables import DIFFICULTIES
from tablecall.systems.verdict import Verdict

Difficulty = Annotated[int, Field(ge=-1000, le=1000), WholeNumber]
Level = Literal["easy", "challenging", "demanding", "frustrating", "nigh-impossible", "nighImpossible"]
Ties = Literal["actor", "opponent", "stalemate"]
SpendOn = Literal["attempt", "success"]

_HAS_A_TIE: dict[str, bool | None] = {"actor": True, "opponent": False, "stalemate": None}
_OUTCOMES: dict[bool | None, str] = {True: "success", False: "failure", None: "stalemate"}


def one_target(rolled: bool = True, /, **targets: object) -> None:
    """Refuse a request that is measured against several things, or, where it is ``rolled``, against nothing."""
    number = len([target for target in targets.values() if target is not None])
    if number > 1 or (rolled and not number):
        word = "exactly" if rolled else "at most"
        raise not_allowed(f"{word} one of {', '.join(targets)} is what the roll is measured against", rule="jazz.check.success")


def difficulty(number: int | None, level: Level | None, dice: Dice) -> int:
    """The number to reach, given as such or by its name in the table (jazz.difficulty.table)."""
    if level is None:
        return number or 0
    found = DIFFICULTIES["nigh-impossible" if level == "nighImpossible" else level]
    dice.step("jazz.difficulty.table", "{} is difficulty {}", level, found, value=found)
    return found


def decide(total: Total, target: Total, ties: Ties | None, dice: Dice) -> Verdict:
    """Compare a total with its target; ``ties`` says who has an equal total, None that there is no opponent."""
    compared = dice.compare(total, target)
    succeeded: bool | None
    if ties is None:
        # equal is enough (jazz.check.success)
        succeeded = compared >= 0
        dice.step("jazz.check.success", "{} {} {}", total, "reaches" if succeeded else "falls short of", target)
    elif compared == 0:
        succeeded = _HAS_A_TIE[ties]
        who = "nobody" if succeeded is None else ties
        dice.step("jazz.check.contest", "a tie at {}: {} has it (option ties)", total, who, value=ties)
    else:
        succeeded = compared == 1
        aside = "" if ties == "actor" else ", so there is no tie to decide (option ties)"
        dice.step("jazz.check.contest", "{} against {}{}", total, target, aside)
    return Verdict(_OUTCOMES[succeeded], succeeded, total, target)


def untied(ties: Ties, why: str, dice: Dice) -> None:
    """jazz.check.contest: without an opposing roll the option ``ties`` has nothing to decide."""
    if ties != "actor":
        dice.step("jazz.check.contest", "{}, so there is no tie to decide (option ties)", why)


def unspent(rollers: Iterable[Roller], spend_on: SpendOn, dice: Dice) -> None:
    """jazz.weird.spend: where nobody tries anything extraordinary, the option ``spendOn`` has nothing to decide."""
    if spend_on == "success" and not any(roller.spends_weird for roller in rollers):
        dice.step("jazz.weird.spend", "nothing extraordinary is tried, so no weird is at stake (option spendOn)")


def pay(roller: Roller, won: bool, spend_on: SpendOn, dice: Dice, verdict: Verdict) -> None:
    """What a roll used up: a die spent or imposed in any case, and weird as `charge` has it."""
    roller.pay(verdict)
    charge(roller, won, spend_on, dice, verdict)


def charge(roller: Roller, won: bool, spend_on: SpendOn, dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.spend: at the attempt or, where so chosen, with success only."""
    if not roller.spends_weird:
        return
    if spend_on == "success":
        came = "success" if won else "no success"
        dice.step("jazz.weird.spend", "{}: {} (option spendOn)", roller.name, came, value=spend_on)
    if won or spend_on == "attempt":
        roller.spend_weird(dice, verdict)
