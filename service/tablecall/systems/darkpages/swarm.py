"""The swarm: a crowd tries the same thing, and the highest or lowest total counts for all (darkpages.swarm)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.text import Sentence
from tablecall.systems.darkpages.check import (
    COMPARED,
    FAILURES,
    SPECIAL_RULES,
    CheckRoll,
    DarkpagesAttempt,
    compared_summary,
    decide_target,
    find_endangered,
    find_special,
    no_roll,
    note_goal,
    note_opposed,
    note_target,
    prepare_opponent,
    roll_check,
)
from tablecall.systems.darkpages.prepare import Placed, placed, prepare, require_in_play
from tablecall.systems.darkpages.roller import PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.verdict import Verdict

MAX_SWARM = 64
NOBODY = PointRecipients("darkpages.swarm", ())


class DarkpagesSwarm(DarkpagesAttempt):
    """Everyone rolls, and the highest or the lowest total counts (darkpages.swarm)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_SWARM)]
    """Who tries; they roll as `members.0`, `members.1`, …"""
    opponents: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_SWARM)] | None = None
    """Several who oppose, in place of `opponent`; all roll, as `opponents.0`, `opponents.1`, …, and the highest total counts."""
    use: Literal["highest", "lowest"]
    """Which roll counts. `highest`: the best one. `lowest`: the worst one, for tasks that one blunder spoils. Among equal totals a Dismal
    Failure is the worst and a Dramatic Failure the next."""


def swarm(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    """Resolve what a crowd tries.

    Outcomes: those of a check, by the roll that counts. Steps name every member's Dismal or Dramatic Failure. On a failure
    ``endangered`` lists the members. Nobody earns Training Points, not even the opponent, so `mostZerosThatSucceed` keeps
    the highest dice. Refuses members who are not in play.
    """
    members = placed(request.members)
    opponents = placed(request.opponents or (), "opponents")
    opponent = [(request.opponent, "opponent")] if request.opponent else []
    require_in_play([*members, *opponents, *opponent])
    note_goal(request, dice)
    verdict = no_roll(request, dice, request.target_number) or _roll_all(request, members, opponents, dice)
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, members, dice)}
    return verdict


def _crowd(request: DarkpagesSwarm, members: Sequence[Placed], use: str, dice: Dice) -> tuple[Roll, bool]:
    """The roll that counts, and whether somebody in the crowd has no dice."""
    crowd = [prepare(member, where, dice, request, recipients=NOBODY) for member, where in members]
    rolls = [member.roll(dice, why_highest="swarm") for member in crowd]
    for member, roll in zip(crowd, rolls, strict=True):
        _note_special(member, roll, dice)
    counting, index = extreme_roll(rolls, highest=use == "highest")
    dice.note("darkpages.swarm", f"swarm.{use}", value=use, who=crowd[index].where, total=counting.total)
    return counting, not all(member.kept for member in crowd)


def _roll_all(request: DarkpagesSwarm, members: Sequence[Placed], opponents: Sequence[Placed], dice: Dice) -> Verdict:
    counting, may_have_no_dice = _crowd(request, members, request.use, dice)
    special = dice.special(counting)
    verdict = Verdict("failure", False, total=counting.total, target=request.target_number)
    if special is not None:
        verdict.outcome = FAILURES[special]
    if request.target_number is None:
        opposing = _opposing(request, opponents, dice, special_matters=special is not None or may_have_no_dice)
        _oppose(verdict, CheckRoll(counting, special), opposing, dice, may_have_no_dice=may_have_no_dice)
    elif special is None:
        decide_target(verdict, counting, request.target_number, dice)
        dice.explain(lambda: _note_target(verdict, counting, dice, may_have_no_dice=may_have_no_dice))
    return verdict


def _opposing(request: DarkpagesSwarm, opponents: Sequence[Placed], dice: Dice, *, special_matters: bool) -> CheckRoll:
    """The opposing roll: that of the opponent, or the highest of several."""
    if opponents:
        roll, _ = _crowd(request, opponents, "highest", dice)
        return CheckRoll(roll, dice.special(roll))
    opponent: Roller | None = prepare_opponent(request, dice, NOBODY)
    assert opponent is not None
    return roll_check(opponent, dice, special_matters=special_matters, why_highest="swarm")


def _oppose(verdict: Verdict, counting: CheckRoll, opposing: CheckRoll, dice: Dice, *, may_have_no_dice: bool) -> None:
    """Compare the roll that counts with the opposing one (darkpages.check.opposed). A total without dice fails even against 0."""
    roll, special = counting
    faced, opponent_special = opposing
    verdict.target = faced.total
    if special is not None and opponent_special is not None:
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.note(SPECIAL_RULES[special], "check.both_special", value="stalemate")
    elif special is None and may_have_no_dice and dice.compare(roll.total, 0) == 0:
        if opponent_special is None and dice.compare(faced.total, 0) == 0:
            verdict.outcome, verdict.succeeded = "stalemate", None
            note_opposed(verdict, dice)
        else:
            _note_no_dice(dice)
    elif special is None:
        verdict.outcome, verdict.succeeded = COMPARED[dice.compare(roll.total, faced.total)]
        note_opposed(verdict, dice)


def _note_target(verdict: Verdict, counting: Roll, dice: Dice, *, may_have_no_dice: bool) -> None:
    """Note how the total compares with the Target Number. Even a total without dice only fails against it."""
    if may_have_no_dice and dice.compare(counting.total, 0) == 0:
        _note_no_dice(dice)
    else:
        note_target(verdict, counting, dice)


def _note_no_dice(dice: Dice) -> None:
    """darkpages.modifiers.floor: a total of 0 that is neither Dismal nor Dramatic has no dice."""
    dice.note("darkpages.modifiers.floor", "swarm.no_dice", value=0)


def _note_special(member: Roller, roll: Roll, dice: Dice) -> None:
    """Note a member's Dismal or Dramatic roll. By itself it decides nothing."""
    if roll.faces:
        find_special(member, roll, dice)


def summary(request: DarkpagesSwarm, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tries, the comparison, the outcome."""
    who = [where for _, where in placed(request.members)]
    against = ["opponent"] if request.opponent else [where for _, where in placed(request.opponents or (), "opponents")]
    return compared_summary(request, who, verdict, record, against=against, key=f"swarm_{request.use}")
