"""Parts of the one-line summary of a Jazz ruling."""

from __future__ import annotations

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.model.wording import by_margin
from tablecall.systems.verdict import Verdict


def roll_text(named: NamedRoll) -> str:
    """``5 + 3 + 4``: the faces, then the bonus unless it is 0."""
    parts = [str(die.face) for die in named.result.dice]
    return " + ".join([*parts, str(named.result.modifier)] if named.result.modifier else parts)


def comparison(who: str, record: RolledDice, verdict: Verdict, rolls: list[str], bonus: int = 0) -> str:
    """``Rook: 5 + 3 + 4 = 12 against 10: success by 2``. The named ``rolls`` and ``bonus`` add up to the total."""
    total, target = verdict.total, verdict.target
    if not isinstance(total, int) or not isinstance(target, int):
        return f"{who}: {verdict.outcome}, no roll"
    terms = [roll_text(named) for named in record.rolls if named.roll in rolls]
    dice = " + ".join([*terms, str(bonus)] if bonus else terms)
    return f"{who}: {dice} = {total} against {target}: {verdict.outcome}{by_margin(total - target)}"


def team_comparison(prefix: str, size: int, record: RolledDice, verdict: Verdict, against: str = "") -> str:
    """`comparison` for a team of ``size`` whose rolls start with ``prefix``: ``Rook and 2 more: 5 + 3 + 3 = 11 against 9: …``.

    The best roller names the team, the first of equals. ``against`` follows the name.
    """
    best = max((named for named in record.rolls if named.roll.startswith(prefix)), key=lambda named: named.result.total)
    more, bonus = (f" and {size - 1} more", size) if size > 1 else ("", 0)
    return comparison(f"{best.who}{more}{against}", record, verdict, [best.roll], bonus)
