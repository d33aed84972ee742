"""What a roll is measured against: a difficulty or an opponent's roll."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from tablecall.dice.source import Dice, Total
from tablecall.model.base import WholeNumber, not_allowed, spelled_as
from tablecall.systems.jazz.tables import DIFFICULTIES
from tablecall.systems.verdict import Verdict

Difficulty = Annotated[int, Field(ge=-1000, le=1000), WholeNumber]
Level = Literal["easy", "challenging", "demanding", "frustrating", "nigh-impossible", "nighImpossible"]
LevelName = Annotated[Level, spelled_as(get_args(Level))]
Ties = Literal["actor", "opponent", "stalemate"]

_TIE_SUCCEEDS: dict[str, bool | None] = {"actor": True, "opponent": False, "stalemate": None}
_OUTCOMES: dict[bool | None, str] = {True: "success", False: "failure", None: "stalemate"}


def check_one_target(required: bool = True, /, **targets: object) -> None:
    """Refuse several ``targets``, or none if one is ``required``. A target that is None was not given."""
    given = [target for target in targets.values() if target is not None]
    if len(given) > 1 or (required and not given):
        key, code = ("too_many_targets", "conflicting-fields") if given else ("no_target", "needs-one-of")
        raise not_allowed(f"jazz.refused.{key}", rule="jazz.check.success", code=code)


def difficulty_of(number: int | None, level: Level | None, dice: Dice) -> int:
    """The number to reach, given as a number or by its name in the table (jazz.difficulty.table)."""
    if level is None:
        return number or 0
    difficulty = DIFFICULTIES["nigh-impossible" if level == "nighImpossible" else level]
    dice.note("jazz.difficulty.table", "attempt.level", value=difficulty, level=level, number=difficulty)
    return difficulty


def decide(total: Total, target: Total, ties: Ties | None, dice: Dice) -> Verdict:
    """Compare a total with its target. ``ties`` says who wins an equal total in a contest; None means there is no opponent."""
    compared = dice.compare(total, target)
    succeeded: bool | None
    if ties is None:
        # equal is enough (jazz.check.success)
        succeeded = compared >= 0
        dice.note("jazz.check.success", "attempt.reaches" if succeeded else "attempt.falls_short", total=total, target=target)
    elif compared == 0:
        succeeded = _TIE_SUCCEEDS[ties]
        dice.option("", "ties")
        dice.note("jazz.check.contest", f"attempt.tie_{ties}", value=ties, total=total)
    else:
        succeeded = compared == 1
        dice.note("jazz.check.contest", "attempt.wins" if succeeded else "attempt.loses", total=total, target=target)
    return Verdict(_OUTCOMES[succeeded], succeeded, total, target)
