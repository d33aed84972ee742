"""darkpages, a check: a goal tried against a Target Number or against somebody with a goal of their own."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from service.dice.falls import Special
from service.dice.rolling import Named, Rolling
from service.dice.source import Dice, Roll
from service.model import Body, Text, WholeNumber, not_allowed
from service.ruling import Verdict
from service.systems.darkpages.roller import Floor, Hand, Overflow, able, hand
from service.systems.darkpages.sheet import DarkpagesActor

TargetNumber = Annotated[int, Field(ge=1, le=1000), WholeNumber]
_AND = re.compile(r"\band\b", re.IGNORECASE)


class Goal(Body):
    """What every check may say of itself (darkpages.goals.parts)."""

    goal: Text | None = None
    """What is wanted, in one sentence without the word "and" (darkpages.goals.single)."""
    means: Text | None = None
    """The Action: how it is tried."""
    effect: Text | None = None
    """What then happens."""
    removes_from_play: bool = False
    """Whether the goal is that somebody dies or leaves play for good: forbidden here (darkpages.goals.death)."""
    goal_policy: Literal["reject", "warn", "ignore"] = "reject"
    """What becomes of a goal with an "and" in it."""
    floor: Floor = "one"
    """What too many penalties leave of a pool (darkpages.modifiers.floor)."""
    overflow: Overflow = "hold"
    """Whether counted overflow weighs on the roll: `stack` takes a further −1/−1 each (darkpages.damage.nonlethal)."""

    @model_validator(mode="after")
    def _single(self) -> Self:
        if self.removes_from_play:
            raise not_allowed(
                "a goal that somebody dies or leaves play for good is forbidden", rule="darkpages.goals.death", at="/removesFromPlay"
            )
        if self.goal_policy == "reject" and self.goal is not None and _AND.search(self.goal):
            raise not_allowed(
                "a goal with the word and in it is several goals: make a check for each", rule="darkpages.goals.single", at="/goal"
            )
        return self


class DarkpagesCheck(Goal):
    """Somebody tries something: roll, keep, total (darkpages.check.target, darkpages.check.opposed)."""

    actor: DarkpagesActor
    """Who tries; rolls as `actor`."""
    target_number: TargetNumber | None = None
    """The total to reach: 5 is easy, 25 and more extremely difficult."""
    opponent: DarkpagesActor | None = None
    """Who opposes it; rolls as `opponent`."""
    stakes: Literal["something", "nothing", "everything"] = "something"
    """Nothing at stake, or everything including the fun: then nobody rolls (darkpages.check.stakes)."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.target_number is None) == (self.opponent is None):
            raise not_allowed("a check is against exactly one of targetNumber and opponent", rule="darkpages.check.target")
        return self


def check(request: DarkpagesCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``dismalFailure`` (nothing but zeros rolled), ``dramaticFailure`` (nothing but
    zeros kept), ``stalemate`` (an opposed tie), ``noRoll``. Refuses whoever is not in play, and a wrong number of kept dice.
    """
    able(request.actor, "actor")
    actor = hand(request.actor, "actor", dice, floor=request.floor, overflow=request.overflow)
    opponent = None
    if request.opponent is not None:
        able(request.opponent, "opponent")
        opponent = hand(request.opponent, "opponent", dice, floor=request.floor, overflow=request.overflow)
    state_goal(request, dice)
    if request.stakes != "something":
        dice.step("darkpages.check.stakes", "{} is at stake: nobody rolls, the game master decides", request.stakes, value=request.stakes)
        verdict = Verdict("noRoll", None, target=request.target_number)
    elif opponent is None:
        verdict = unopposed(actor, request.target_number or 0, dice)
    else:
        verdict = opposed(actor, opponent, dice)
    verdict.fields = {"goal": request.goal, "means": request.means, "effect": request.effect}
    return verdict


def state_goal(request: Goal, dice: Dice) -> None:
    """darkpages.goals.parts: say what is tried; warn of a goal that is several."""
    if request.goal is None:
        return
    dice.step("darkpages.goals.parts", "the goal: {}", request.goal)
    if request.goal_policy != "reject" and _AND.search(request.goal):
        said = "this is several goals" if request.goal_policy == "warn" else "the word is let pass"
        dice.step("darkpages.goals.single", "{} (option goalPolicy)", said, value=request.goal_policy)


def unopposed(actor: Hand, target: int, dice: Dice) -> Verdict:
    """One roll against a Target Number (darkpages.check.target)."""
    roll = actor.draw(dice, beat=target)
    verdict = Verdict("failure", False, total=roll.total, target=target)
    special = flag(actor, roll, dice)
    if special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        verdict.succeeded = dice.compare(roll.total, target) >= 0
        verdict.outcome = "success" if verdict.succeeded else "failure"
        dice.step("darkpages.check.target", "{} {} {}", roll.total, "reaches" if verdict.succeeded else "falls short of", target)
    actor.earn(dice, roll, verdict)
    actor.offer_zeros(dice, roll)
    return verdict


def opposed(actor: Hand, opponent: Hand, dice: Dice) -> Verdict:
    """One roll against another: the higher total wins (darkpages.check.opposed)."""
    (mine, special), (theirs, their_special) = draw_both(actor, opponent, dice)
    verdict = Verdict("failure", False, total=mine.total, target=theirs.total)
    if special == their_special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both rolled nothing but zeros: nobody wins", value="stalemate")
    elif special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        compared = dice.compare(mine.total, theirs.total)
        verdict.succeeded = None if compared == 0 else compared > 0
        verdict.outcome = ("stalemate", "success", "failure")[compared]
        dice.step("darkpages.check.opposed", "{} against {}: {}", mine.total, theirs.total, verdict.outcome)
    for side, roll in ((actor, mine), (opponent, theirs)):
        side.earn(dice, roll, verdict)
        side.offer_zeros(dice, roll)
    return verdict


Drawn = tuple[Roll, Special | None]


def draw_both(actor: Hand, opponent: Hand, dice: Dice) -> tuple[Drawn, Drawn]:
    """Both rolls and their specials, the actor's listed first.

    Whoever keeps zeros by what would succeed chooses after the other has kept; where both would wait for each other, the
    opponent keeps the highest.
    """
    if actor.waits:
        theirs, their_special = _drawn(opponent, dice)
        faced = 0 if their_special else dice.value(theirs.total)
        return _drawn(actor, dice, beat=faced + 1, ahead=True), (theirs, their_special)
    mine, special = _drawn(actor, dice)
    if opponent.waits:
        faced = 0 if special else dice.value(mine.total)
        return (mine, special), _drawn(opponent, dice, beat=faced + 1)
    return (mine, special), _drawn(opponent, dice)


def _drawn(side: Hand, dice: Dice, *, beat: int | None = None, ahead: bool = False) -> Drawn:
    roll = side.draw(dice, beat=beat, ahead=ahead)
    return roll, flag(side, roll, dice)


def flag(side: Hand, roll: Roll, dice: Dice) -> Special | None:
    """Say whether the roll is a Dismal or a Dramatic Failure; without a die kept it is neither (darkpages.modifiers.floor)."""
    special = dice.special(roll)
    if special == "dismal":
        dice.step("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure", side.name, value="dismal")
    elif special == "dramatic":
        dice.step(
            "darkpages.zero.dramatic",
            "{}: nothing but zeros was kept, a Dramatic Failure; the player tells how",
            side.name,
            value="dramatic",
        )
    elif not side.kept:
        dice.step("darkpages.modifiers.floor", "{}: no die is kept, so the total is 0 and fails", side.name, value=0)
    return special


FIELDS: dict[str, Any] = {
    "goal": Annotated[str | None, Field(description="The goal, as it was sent.")],
    "means": Annotated[str | None, Field(description="The Action, as it was sent.")],
    "effect": Annotated[str | None, Field(description="The Effect, as it was sent.")],
}
"""What the ruling of a check has beside the envelope (darkpages.goals.parts)."""

FAILURES: dict[Special, str] = {"dismal": "dismalFailure", "dramatic": "dramaticFailure"}


def summary(request: DarkpagesCheck, verdict: Verdict, record: Rolling) -> str:
    """One line: who wants what, the kept dice of those rolled, against what, what came of it."""
    who = request.actor.character.name if request.actor.character else "actor"
    if request.goal:
        who = f"{who} ({request.goal})"
    if not record.rolls:
        return f"{who}: {verdict.outcome}"
    mine = next(named for named in record.rolls if named.roll == "actor")
    return f"{who}: {kept(mine)} against {verdict.target}: {verdict.outcome}{by(verdict)}"


def kept(named: Named) -> str:
    """``9 + 7 of 9 0 4 7 = 16``."""
    faces = [die.face for die in named.fall.dice]
    keeping = [str(die.face) for die in named.fall.dice if die.kept]
    return f"{' + '.join(keeping) or 'nothing'} of {' '.join(map(str, faces)) or 'no dice'} = {named.fall.total}"


def by(verdict: Verdict) -> str:
    """How far off: ``by 2``, or nothing for exactly."""
    if not isinstance(verdict.total, int) or not isinstance(verdict.target, int) or verdict.total == verdict.target:
        return ""
    return f" by {abs(verdict.total - verdict.target)}"
