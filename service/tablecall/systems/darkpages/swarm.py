"""The swarm: a crowd tries the same thing, and the highest or lowest total counts for all (darkpages.swarm)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.systems.darkpages.check import (
    COMPARED,
    FAILURES,
    SPECIAL_STEPS,
    CheckRoll,
    DarkpagesAttempt,
    decide_target,
    find_endangered,
    no_roll,
    note_goal,
    note_target,
    prepare_opponent,
    roll_check,
)
from tablecall.systems.darkpages.prepare import placed, prepare, require_in_play
from tablecall.systems.darkpages.roller import PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.wording import check_summary
from tablecall.systems.verdict import Verdict

MAX_SWARM = 64
NOBODY = PointRecipients("darkpages.swarm", ())
NO_POINTS = "in a swarm nobody earns Training Points"


class DarkpagesSwarm(DarkpagesAttempt):
    """Everyone rolls, and the highest or the lowest total counts (darkpages.swarm)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_SWARM)]
    """Who tries; they roll as `members.0`, `members.1`, …"""
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
    require_in_play(members)
    note_goal(request, dice)
    verdict = no_roll(request, members, dice) or _roll_all(request, dice)
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, members, dice)}
    return verdict


def _roll_all(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    crowd = [prepare(member, where, dice, request, recipients=NOBODY) for member, where in placed(request.members)]
    rolls = [member.roll(dice, why_highest=NO_POINTS) for member in crowd]
    for member, roll in zip(crowd, rolls, strict=True):
        _note_special(member, roll, dice)
    counting, index = extreme_roll(rolls, highest=request.use == "highest")
    special = dice.special(counting)
    text = "the {} roll counts: {}, {}; {}"
    dice.step("darkpages.swarm", text, request.use, crowd[index].name, counting.total, NO_POINTS, value=request.use)
    verdict = Verdict("failure", False, total=counting.total, target=request.target_number)
    if special is not None:
        verdict.outcome = FAILURES[special]
        dice.step(SPECIAL_STEPS[special][0], "the roll that counts is a failure in any case", value=verdict.outcome)
    opponent = prepare_opponent(request, dice, NOBODY)
    may_have_no_dice = not all(member.kept for member in crowd)
    if opponent is not None:
        _oppose(verdict, CheckRoll(counting, special), opponent, dice, may_have_no_dice=may_have_no_dice)
    elif special is None:
        assert request.target_number is not None
        decide_target(verdict, counting, request.target_number, dice)
        dice.explain(lambda: _note_target(verdict, counting, dice, may_have_no_dice=may_have_no_dice))
    return verdict


def _oppose(verdict: Verdict, counting: CheckRoll, opponent: Roller, dice: Dice, *, may_have_no_dice: bool) -> None:
    """Compare the roll that counts with the opponent's (darkpages.check.opposed). A total without dice fails even against 0."""
    roll, special = counting
    faced, opponent_special = roll_check(opponent, dice, special_matters=special == "dismal", why_highest=NO_POINTS)
    verdict.target = faced.total
    if special == opponent_special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both sides rolled nothing but zeros: nobody wins", value="stalemate")
    elif special is None and may_have_no_dice and dice.compare(roll.total, 0) == 0:
        _note_no_dice(dice)
    elif special is None:
        verdict.outcome, verdict.succeeded = COMPARED[dice.compare(roll.total, faced.total)]
        dice.step("darkpages.check.opposed", "{} against {}: {}", roll.total, faced.total, verdict.outcome)


def _note_target(verdict: Verdict, counting: Roll, dice: Dice, *, may_have_no_dice: bool) -> None:
    """Note how the total compares with the Target Number. Even a total without dice only fails against it."""
    if may_have_no_dice and dice.compare(counting.total, 0) == 0:
        _note_no_dice(dice)
    else:
        note_target(verdict, counting, dice)


def _note_no_dice(dice: Dice) -> None:
    """darkpages.modifiers.floor: a total of 0 that is neither Dismal nor Dramatic has no dice."""
    dice.step("darkpages.modifiers.floor", "the total that counts is 0 without a die, and fails", value=0)


def _note_special(member: Roller, roll: Roll, dice: Dice) -> None:
    """Note a member's Dismal or Dramatic roll. By itself it decides nothing."""
    faces = roll.faces
    if faces and not any(faces):
        dice.step("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure", member.name, value="dismal")
    elif faces and member.kept and roll.mean_zeros == member.kept:
        dice.step("darkpages.zero.dramatic", "{}: nothing but zeros was kept, a Dramatic Failure", member.name, value="dramatic")


def summary(request: DarkpagesSwarm, verdict: Verdict, record: RolledDice) -> str:
    """One line: how many tried, the labels, the dice of the roll that counts, the target, the outcome."""
    candidates = [named for named in record.rolls if named.roll.startswith("members.") and named.result.total == verdict.total]
    special = [named for named in candidates if named.result.special and FAILURES[named.result.special] == verdict.outcome]
    counting = next(iter(special or candidates), None)
    size = len(request.members)
    who = f"{size} together" if counting is None else f"{counting.who} for {size}"
    return check_summary(who, request.aim, record, counting.roll if counting else "", verdict)
