"""darkpages, the swarm: a crowd all tries the same thing, and one total stands for the lot."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from service.dice.rolling import Rolling
from service.dice.source import Dice, Roll
from service.ruling import Verdict
from service.systems.darkpages.check import DarkpagesAttempt, drawn, endanger, no_roll, opposing, state_goal
from service.systems.darkpages.roller import Hand, Learners, hand, in_play
from service.systems.darkpages.sheet import DarkpagesActor
from service.systems.darkpages.teamwork import places
from service.systems.darkpages.wording import line

MAX_SWARM = 64
OUTCOMES = ("success", "failure", "dismalFailure", "stalemate", "noRoll")
"""Every word for what comes of it: a Dramatic Failure is one member's, and the lot's is a failure."""
NOBODY = Learners("darkpages.swarm", ())


class DarkpagesSwarm(DarkpagesAttempt):
    """Everyone rolls, and the highest or the lowest total counts (darkpages.swarm)."""

    members: Annotated[list[DarkpagesActor], Field(min_length=1, max_length=MAX_SWARM)]
    """Who tries; they roll as `members.0`, `members.1`, …"""
    use: Literal["highest", "lowest"]
    """Which total counts. `highest`: the best of them. `lowest`: the worst, where one blunder spoils it."""


def swarm(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    """Resolve what a crowd tries.

    Outcomes: those of a check, by the total that counts; ``dismalFailure`` where everyone's roll is one. A member's own
    Dismal or Dramatic Failure is said in the steps. On failure ``endangered`` lists the members. Nobody of the crowd earns
    Training Points, so whoever would keep zeros by what succeeds keeps the highest. Refuses whoever is not in play.
    """
    for index, member in enumerate(request.members):
        in_play(member, f"members.{index}")
    state_goal(request, dice)
    verdict = no_roll(request, dice) or _rolled(request, dice)
    verdict.fields = request.parts | {"endangered": endanger(verdict, places(request.members), dice)}
    return verdict


def _rolled(request: DarkpagesSwarm, dice: Dice) -> Verdict:
    crowd = [hand(member, f"members.{index}", dice, request, learners=NOBODY) for index, member in enumerate(request.members)]
    rolls = [member.draw(dice) for member in crowd]
    for member, roll in zip(crowd, rolls, strict=True):
        _flag(member, roll, dice)
    lot, index = dice.stands_for(rolls, highest=request.use == "highest")
    best, dismal = lot.total, dice.special(lot) == "dismal"
    text = "the {} total counts: {}, {}; in a swarm nobody earns Training Points"
    dice.step("darkpages.swarm", text, request.use, crowd[index].name, best, value=request.use)
    verdict = Verdict("dismalFailure", False, total=best, target=request.target_number)
    other = opposing(request, dice)
    if other is None:
        if not dismal:
            verdict.succeeded = dice.compare(best, request.target_number or 0) >= 0
            verdict.outcome = "success" if verdict.succeeded else "failure"
            said = "reaches" if verdict.succeeded else "falls short of"
            dice.step("darkpages.check.target", "{} {} {}", best, said, request.target_number)
        return verdict
    return _opposed(verdict, other, dice, dismal=dismal)


def _opposed(verdict: Verdict, other: Hand, dice: Dice, *, dismal: bool) -> Verdict:
    """The total that counts against somebody's roll (darkpages.check.opposed); who keeps zeros by it chooses after the crowd."""
    best = verdict.total
    assert best is not None
    faced, special = drawn(other, dice, beat=dice.value(best) + 1 if other.waits else None)
    verdict.target = faced.total
    other.earn(dice, faced, verdict)
    other.offer_zeros(dice, faced)
    if dismal and special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both sides rolled nothing but zeros: nobody wins", value="stalemate")
    elif not dismal:
        compared = dice.compare(best, faced.total)
        verdict.succeeded = None if compared == 0 else compared > 0
        verdict.outcome = ("stalemate", "success", "failure")[compared]
        dice.step("darkpages.check.opposed", "{} against {}: {}", best, faced.total, verdict.outcome)
    return verdict


def _flag(member: Hand, roll: Roll, dice: Dice) -> None:
    """Say of a member's roll that it shows or keeps nothing but zeros; it decides nothing by itself."""
    faces = dice.faces(roll)
    if faces and not any(faces):
        dice.step("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure", member.name, value="dismal")
    elif faces and member.kept and dice.zeros(roll) == member.kept:
        dice.step("darkpages.zero.dramatic", "{}: nothing but zeros was kept, a Dramatic Failure", member.name, value="dramatic")


def summary(request: DarkpagesSwarm, verdict: Verdict, record: Rolling) -> str:
    """One line: how many tried, the kept dice of the roll that counts, against what, what came of it."""
    counts = next((named for named in record.rolls if named.roll.startswith("members.") and named.fall.total == verdict.total), None)
    number = len(request.members)
    who = f"{number} together" if counts is None else f"{counts.who} for {number}"
    return line(who, request.goal, record, counts.roll if counts else "", verdict)
