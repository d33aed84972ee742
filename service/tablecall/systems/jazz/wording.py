"""The readable line of a Jazz ruling."""

from __future__ import annotations

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.model.wording import by_margin
from tablecall.systems.verdict import Verdict


def dice_of(named: NamedRoll) -> str:
    """``5 + 3 + 4``: the faces, then the bonus."""
    parts = [str(die.face) for die in named.result.dice]
    return " + ".join([*parts, str(named.result.modifier)] if named.result.modifier else parts)


def line(who: str, record: RolledDice, verdict: Verdict, rolls: list[str], bonus: int = 0) -> str:
    """``Rook: 5 + 3 + 4 = 12 against 10: success by 2``. ``rolls`` are those whose dice make up the total."""
    total, target = verdict.total, verdict.target
    if not isinstance(total, int) or not isinstance(target, int):
        return f"{who}: {verdict.outcome}, no roll"
    added = [dice_of(named) for named in record.rolls if named.roll in rolls]
    dice = " + ".join([*added, str(bonus)] if bonus else added)
    return f"{who}: {dice} = {total} against {target}: {verdict.outcome}{by_margin(total - target)}"


def highest(record: RolledDice, place: str) -> NamedRoll:
    """Of the rolls under ``place`` (``members.``) the highest, the first of equals."""
    return max((named for named in record.rolls if named.roll.startswith(place)), key=lambda named: named.result.total)


def team_of(who: str, number: int) -> str:
    """``Rook and 2 more``."""
    return f"{who} and {number - 1} more" if number > 1 else who
