"""The one-line summaries of rulings with dice."""

from __future__ import annotations

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.model.wording import by_margin
from tablecall.systems.verdict import Verdict


def check_summary(who: str, aim: str, record: RolledDice, roll: str, verdict: Verdict) -> str:
    """``Nyx (aim): 9 + 7 of 9 0 4 7 = 16 against 15: success by 1``, with the dice of ``roll``; without dice if nobody rolled."""
    who = f"{who} ({aim})" if aim else who
    made = find_roll(record, roll)
    if made is None:
        return f"{who}: {verdict.outcome}"
    total, target = verdict.total, verdict.target
    assert isinstance(total, int)
    assert isinstance(target, int)
    return f"{who}: {_kept_dice(made)} against {target}: {verdict.outcome}{by_margin(total - target)}"


def attack_summary(who: str, aim: str, record: RolledDice, roll: str, verdict: Verdict) -> str:
    """`check_summary`, and if a damage check followed, its dice in place of the margin."""
    check = check_summary(who, aim, record, roll, verdict)
    resisting = next((named for named in record.rolls if named.roll.endswith(".damage")), None)
    if resisting is None:
        return check
    return f"{check.rpartition(': ')[0]}; {resisting.who} resists with {_kept_dice(resisting)}: {verdict.outcome}"


def find_roll(record: RolledDice, roll: str) -> NamedRoll | None:
    """The roll of this name; None if it was not made."""
    return next((named for named in record.rolls if named.roll == roll), None)


def _kept_dice(named: NamedRoll) -> str:
    """``9 + 7 of 9 0 4 7 = 16``."""
    faces = [die.face for die in named.result.dice]
    kept = [str(die.face) for die in named.result.dice if die.kept]
    return f"{' + '.join(kept) or 'nothing'} of {' '.join(map(str, faces)) or 'no dice'} = {named.result.total}"
