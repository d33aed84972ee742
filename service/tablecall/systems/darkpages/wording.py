"""How the one line of a ruling is put."""

from __future__ import annotations

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.model.wording import by_margin
from tablecall.systems.verdict import Verdict


def line(who: str, aim: str, record: RolledDice, roll: str, verdict: Verdict) -> str:
    """Who wants what and how, the kept dice of those rolled as ``roll``, against what, what came of it and by how much."""
    who = f"{who} ({aim})" if aim else who
    mine = find(record, roll)
    if mine is None:
        return f"{who}: {verdict.outcome}"
    total, target = verdict.total, verdict.target
    assert isinstance(total, int)
    assert isinstance(target, int)
    return f"{who}: {kept(mine)} against {target}: {verdict.outcome}{by_margin(total - target)}"


def blow_line(who: str, aim: str, record: RolledDice, roll: str, verdict: Verdict) -> str:
    """The same of a check that may end in a damage check, which is added."""
    first = line(who, aim, record, roll, verdict)
    resisting = next((named for named in record.rolls if named.roll.endswith(".damage")), None)
    if resisting is None:
        return first
    return f"{first.rpartition(': ')[0]}; {resisting.who} resists with {kept(resisting)}: {verdict.outcome}"


def find(record: RolledDice, roll: str) -> NamedRoll | None:
    """The roll of that name, if it was made."""
    return next((named for named in record.rolls if named.roll == roll), None)


def kept(named: NamedRoll) -> str:
    """``9 + 7 of 9 0 4 7 = 16``."""
    faces = [die.face for die in named.result.dice]
    keeping = [str(die.face) for die in named.result.dice if die.kept]
    return f"{' + '.join(keeping) or 'nothing'} of {' '.join(map(str, faces)) or 'no dice'} = {named.result.total}"
