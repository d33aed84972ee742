"""darkpages, the swarm: a crowd all tries the same thing, and one total stands for the lot."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.systems.darkpages.check import (
    COMPARED,
    FAILURES,
    FLAGS,
    DarkpagesAttempt,
    Drawn,
    drawn,
    endanger,
    no_roll,
    opposing,
    state_goal,
)
from tablecall.systems.darkpages.roller import Hand, Learners, hand, in_play
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.teamwork import places
from tablecall.systems.darkpages.wording import line
from tablecall.systems.verdict import Verdict

MAX_SWARM = 64
NOBODY = Learners("darkpages.swarm", ())
NO_LESSON = "in a swarm nobody earns Training Points"


class DarkpagesSwarm(DarkpagesAttempt):
    """Everyone rolls, and the highest or the lowest total counts (darkpages.swarm)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_SWARM)]
    """Who tries; they roll as `members.0`, `members.1`, …"""
    use: Literal["highest", "lowest"]
    """Which roll counts. `highest`: the best of them. `lowest`: the worst, where one blunder spoils it. Of equal totals a Dismal Failure
    is the worst, and a Dramatic one the next."""


def swarm(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    """Resolve what a crowd tries.

    Outcomes: those of a check, by the roll that counts. Every member's Dismal or Dramatic Failure is said in the steps. On
    failure ``endangered`` lists the members. Nobody earns Training Points, the opponent included, so whoever would keep
    zeros by what succeeds keeps the highest. Refuses whoever is not in play.
    """
    for index, member in enumerate(request.members):
        in_play(member, f"members.{index}")
    state_goal(request, dice)
    verdict = no_roll(request, zip(request.members, places(request.members), strict=True), dice) or _rolled(request, dice)
    verdict.fields = request.parts | {"endangered": endanger(verdict, places(request.members), dice)}
    return verdict


def _rolled(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    crowd = [hand(member, f"members.{index}", dice, request, learners=NOBODY) for index, member in enumerate(request.members)]
    rolls = [member.draw(dice, why=NO_LESSON) for member in crowd]
    for member, roll in zip(crowd, rolls, strict=True):
        _flag(member, roll, dice)
    lot, index = dice.extreme_roll(rolls, highest=request.use == "highest")
    special = dice.special(lot)
    text = "the {} roll counts: {}, {}; {}"
    dice.step("darkpages.swarm", text, request.use, crowd[index].name, lot.total, NO_LESSON, value=request.use)
    verdict = Verdict("failure", False, total=lot.total, target=request.target_number)
    if special is not None:
        verdict.outcome = FAILURES[special]
        dice.step(FLAGS[special][0], "the roll that counts is a failure in any case", value=verdict.outcome)
    other = opposing(request, dice, NOBODY)
    empty = not all(member.kept for member in crowd)
    if other is not None:
        return _opposed(verdict, (lot, special), other, dice, empty=empty)
    if special is None:
        assert request.target_number is not None
        verdict.succeeded = dice.compare(lot.total, request.target_number) >= 0
        verdict.outcome = "success" if verdict.succeeded else "failure"
        if dice.wants_steps and empty and dice.compare(lot.total, 0) == 0:
            _without_a_die(dice)
            return verdict
        said = "reaches" if verdict.succeeded else "falls short of"
        dice.step("darkpages.check.target", "{} {} {}", lot.total, said, request.target_number)
    return verdict


def _without_a_die(dice: Dice) -> None:
    """darkpages.modifiers.floor: the roll that counts has no die, since every other 0 is Dismal or Dramatic."""
    dice.step("darkpages.modifiers.floor", "the total that counts is 0 without a die, and fails", value=0)


def _opposed(verdict: Verdict, mine: Drawn, other: Hand, dice: Dice, *, empty: bool) -> Verdict:
    """The roll that counts against somebody's (darkpages.check.opposed). ``empty``: a member may have no die, whose 0 fails."""
    lot, special = mine
    faced, their_special = drawn(other, dice, matters=special == "dismal", why=NO_LESSON)
    verdict.target = faced.total
    if special == their_special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both sides rolled nothing but zeros: nobody wins", value="stalemate")
    elif special is None and empty and dice.compare(lot.total, 0) == 0:
        _without_a_die(dice)
    elif special is None:
        compared = dice.compare(lot.total, faced.total)
        verdict.outcome, verdict.succeeded = COMPARED[compared]
        dice.step("darkpages.check.opposed", "{} against {}: {}", lot.total, faced.total, verdict.outcome)
    return verdict


def _flag(member: Hand, roll: Roll, dice: Dice) -> None:
    """Say of a member's roll that it shows or keeps nothing but zeros; it decides nothing by itself."""
    faces = dice.faces(roll)
    if faces and not any(faces):
        dice.step("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure", member.name, value="dismal")
    elif faces and member.kept and dice.mean_zeros(roll) == member.kept:
        dice.step("darkpages.zero.dramatic", "{}: nothing but zeros was kept, a Dramatic Failure", member.name, value="dramatic")


def summary(request: DarkpagesSwarm, verdict: Verdict, record: RolledDice) -> str:
    """One line: how many tried, the kept dice of the roll that counts, against what, what came of it."""
    fitting = [named for named in record.rolls if named.roll.startswith("members.") and named.result.total == verdict.total]
    flagged = [named for named in fitting if named.result.special and FAILURES[named.result.special] == verdict.outcome]
    counts = next(iter(flagged or fitting), None)
    number = len(request.members)
    who = f"{number} together" if counts is None else f"{counts.who} for {number}"
    return line(who, request.aim, record, counts.roll if counts else "", verdict)
