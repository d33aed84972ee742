"""What a roll is measured against: a difficulty or an opponent's roll."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tablecall.dice.source import Dice, Total
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.systems.jazz.tables import DIFFICULTIES
from tablecall.systems.verdict import Verdict

Difficulty = Annotated[int, Field(ge=-1000, le=1000), WholeNumber]
Level = Literal["easy", "challenging", "demanding", "frustrating", "nigh-impossible", "nighImpossible"]
Ties = Literal["actor", "opponent", "stalemate"]

_TIE_SUCCEEDS: dict[str, bool | None] = {"actor": True, "opponent": False, "stalemate": None}
_OUTCOMES: dict[bool | None, str] = {True: "success", False: "failure", None: "stalemate"}


def check_one_target(required: bool = True, /, **targets: object) -> None:
    """Refuse several ``targets``, or none if one is ``required``. A target that is None was not given."""
    given = [target for target in targets.values() if target is not None]
    if len(given) > 1 or (required and not given):
        number = "exactly" if required else "at most"
        raise not_allowed(f"give {number} one of {', '.join(targets)} to roll against", rule="jazz.check.success")


def difficulty_of(number: int | None, level: Level | None, dice: Dice) -> int:
    """The number to reach, given as a number or by its name in the table (jazz.difficulty.table)."""
    if level is None:
        return number or 0
    difficulty = DIFFICULTIES["nigh-impossible" if level == "nighImpossible" else level]
    dice.step("jazz.difficulty.table", "{} is difficulty {}", level, difficulty, value=difficulty)
    return difficulty


def decide(total: Total, target: Total, ties: Ties | None, dice: Dice) -> Verdict:
    """Compare a total with its target. ``ties`` says who wins an equal total in a contest; None means there is no opponent."""
    compared = dice.compare(total, target)
    succeeded: bool | None
    if ties is None:
        # equal is enough (jazz.check.success)
        succeeded = compared >= 0
        dice.step("jazz.check.success", "{} {} {}", total, "reaches" if succeeded else "falls short of", target)
    elif compared == 0:
        succeeded = _TIE_SUCCEEDS[ties]
        winner = "nobody" if succeeded is None else ties
        dice.step("jazz.check.contest", "a tie at {}: {} has it (option ties)", total, winner, value=ties)
    else:
        succeeded = compared == 1
        aside = "" if ties == "actor" else ", so there is no tie to decide (option ties)"
        dice.step("jazz.check.contest", "{} against {}{}", total, target, aside)
    return Verdict(_OUTCOMES[succeeded], succeeded, total, target)
