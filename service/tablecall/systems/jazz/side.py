"""One side of an attempt or an attack: a single roller, or a team whose highest total counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import StringConstraints

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.source import Dice, Roll, Total
from tablecall.systems.jazz.roller import Roller, check_rescue, rescued_total
from tablecall.systems.jazz.sheet import RescueBy

RollOf = Annotated[str, StringConstraints(max_length=20, pattern=r"^[A-Za-z0-9.]+$")]
"""The name of a roll in a request: `members.1`, `attackers.0`, `defender`."""


@dataclass(slots=True)
class Side:
    """The rolls of one side, and the total that counts.

    ``rescued`` is the index of the member whose roll may be rescued; in the odds that roll is told apart from the others.
    """

    rollers: list[Roller]
    rolls: list[Roll]
    rule: str
    rescued: int | None = None
    _number: int = field(init=False, default=0)
    _own_total: Total | None = field(init=False, default=None)

    def total(self, dice: Dice) -> Total:
        """The highest total plus the number of rollers, or the plain total of a single roller."""
        if len(self.rollers) == 1:
            return self.rolls[0].total
        # without a member, both the member's roll and their share of the number are gone
        counted = [index for index, roller in enumerate(self.rollers) if dice.contribution(roller.where, "member", 1, 0)]
        number = len(counted) if len(counted) > 1 else 0
        best, best_index = self._best(counted, dice)
        where = self.rollers[best_index].where
        dice.note(self.rule, "team.best", value=number, who=where, best=best, number=number)
        self._number = dice.contribution(self.rollers[0].where.partition(".")[0], "team", number, 0)
        return best + self._number

    def rescued_total(self, total: Total, by: RescueBy, dice: Dice) -> Total:
        """The total of the side after the rescue of one roll (jazz.karma.rescue). ``total`` is what it was before."""
        assert self.rescued is not None
        roller = self.rollers[self.rescued]
        if self._own_total is None:
            return rescued_total(roller, total, by, dice)
        own = rescued_total(roller, self._own_total, by, dice) + self._number
        return own if dice.compare(own, total, tie=1) > 0 else total

    def _best(self, counted: list[int], dice: Dice) -> tuple[Total, int]:
        if self.rescued is None or self.rescued not in counted or len(counted) == 1:
            best, index = extreme_roll([self.rolls[index] for index in counted], highest=True)
            return best.total, counted[index]
        # the odds forget the rolls behind the highest, so the one that may be rescued is decided first
        mine = dice.value(self.rolls[self.rescued].total)
        self._own_total = mine
        others = [index for index in counted if index != self.rescued]
        best, index = extreme_roll([self.rolls[index] for index in others], highest=True)
        compared = dice.compare(best.total, mine)
        if compared > 0 or (compared == 0 and others[index] < self.rescued):
            return best.total, others[index]
        return mine, self.rescued


def roll_side(rollers: list[Roller], dice: Dice, rule: str, rescued: int | None = None) -> Side:
    """Roll for everyone. ``rule`` is cited: jazz.team.highest or jazz.team.attack."""
    return Side(rollers, [roller.roll(dice) for roller in rollers], rule, rescued)


def check_rescue_of(rollers: list[Roller], rescue: str | None, at: str = "/rescue") -> int | None:
    """The index of the roller whose roll is rescued if it fails. Refuses a rescue that cannot be granted."""
    if rescue is None:
        return None
    index = next(index for index, roller in enumerate(rollers) if roller.where == rescue)
    check_rescue(rollers[index], at)
    return index
