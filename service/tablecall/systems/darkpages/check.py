"""A check: reach a goal against a Target Number or an opponent. Also the parts that other actions share with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from tablecall.dice.faces import Special
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Text, WholeNumber, not_allowed
from tablecall.systems.darkpages import branch_bounds, unused
from tablecall.systems.darkpages.prepare import DarkpagesPools, Placed, display_name, prepare, require_in_play
from tablecall.systems.darkpages.roller import PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor, at_least_one
from tablecall.systems.darkpages.wording import check_summary
from tablecall.systems.verdict import Verdict

TargetNumber = Annotated[int, Field(ge=1, le=1000), at_least_one("darkpages.check.target", "a Target Number is at least 1"), WholeNumber]
_AND = re.compile(r"\band\b", re.IGNORECASE)

COMPARED: tuple[tuple[str, bool | None], ...] = (("stalemate", None), ("success", True), ("failure", False))
"""The result of an opposed check, by the sign of the comparison: equal, higher, lower (index −1)."""
FAILURES: dict[Special, str] = {"dismal": "dismalFailure", "dramatic": "dramaticFailure"}
SPECIAL_STEPS: dict[Special, tuple[str, str]] = {
    "dismal": ("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure"),
    "dramatic": ("darkpages.zero.dramatic", "{}: nothing but zeros was kept, a Dramatic Failure; the player tells how"),
}


class DarkpagesGoal(DarkpagesPools):
    """The labels of a check: Goal, Action and Effect (darkpages.goals.parts)."""

    may_kill: ClassVar[bool] = False

    goal: Text | None = None
    """The Goal: what is wanted, in one sentence without the word "and" (darkpages.goals.single)."""
    means: Text | None = None
    """The Action: how it is tried."""
    effect: Text | None = None
    """The Effect: what then happens."""
    removes_from_play: bool = False
    """Whether the goal is someone's death or permanent removal. Refused except in No Mercy (darkpages.goals.death)."""
    goal_policy: Literal["reject", "warn", "ignore"] = "reject"
    """What to do with a goal that contains the word "and". `reject`: refuse it. `warn`: accept it and add a step. `ignore`: accept it."""

    @model_validator(mode="after")
    def _check_goal(self) -> Self:
        if self.removes_from_play and not self.may_kill:
            detail = "a goal cannot be someone's death or permanent removal"
            raise not_allowed(detail, rule="darkpages.goals.death", at="/removesFromPlay")
        if self.goal_policy == "reject" and self.goal is not None and _AND.search(self.goal):
            detail = 'a goal with the word "and" is several goals: make a check for each'
            raise not_allowed(detail, rule="darkpages.goals.single", at="/goal")
        return self

    @property
    def parts(self) -> dict[str, Any]:
        """The labels as the ruling returns them."""
        return {"goal": self.goal, "means": self.means, "effect": self.effect}

    @property
    def aim(self) -> str:
        """The labels as the summary prints them; empty without labels."""
        means = f"means: {self.means}" if self.means else None
        effect = f"effect: {self.effect}" if self.effect else None
        return "; ".join(part for part in (self.goal, means, effect) if part)


class DarkpagesAttempt(DarkpagesGoal):
    """A goal tried against a Target Number or an opponent."""

    target_number: TargetNumber | None = None
    """The total to reach. 5 is easy, 25 and more extremely difficult."""
    opponent: DarkpagesActor | None = None
    """The opponent; rolls as `opponent`."""
    stakes: Literal["something", "nothing", "everything"] = "something"
    """What a failure puts at risk (darkpages.check.stakes). `something`: the dice decide. `nothing`: nobody rolls. `everything`: nobody
    rolls, because a bad roll could spoil the game. Where nobody rolls, `targetNumber` and `opponent` are both optional."""

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        sent = [field for field in (self.target_number, self.opponent) if field is not None]
        if len(sent) > 1 or (not sent and self.stakes == "something"):
            raise not_allowed("send exactly one of targetNumber and opponent", rule="darkpages.check.target")
        return self


class DarkpagesCheck(DarkpagesAttempt):
    """One participant tries something (darkpages.check.target, darkpages.check.opposed)."""

    actor: DarkpagesActor
    """Who tries; rolls as `actor`."""


def check(request: DarkpagesCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``dismalFailure`` (only zeros rolled), ``dramaticFailure`` (only zeros kept),
    ``stalemate`` (an opposed tie), ``noRoll``. Refuses participants who are not in play and a wrong number of dice to keep.
    """
    actor = (request.actor, "actor")
    require_in_play([actor])
    note_goal(request, dice)
    verdict = no_roll(request, [actor], dice) or attempt(request, prepare(*actor, dice, request), dice)
    verdict.fields = request.parts
    return verdict


def note_goal(request: DarkpagesGoal, dice: Dice) -> None:
    """darkpages.goals.parts: note the labels, and what the policy makes of the goal."""
    if request.removes_from_play:
        dice.step("darkpages.goals.death", "a goal that is allowed here alone", value="removesFromPlay")
    if request.goal:
        dice.step("darkpages.goals.parts", "the goal: {}", request.goal)
    _note_goal_policy(request, dice)
    if request.means:
        dice.step("darkpages.goals.parts", "the means: {}", request.means)
    if request.effect:
        dice.step("darkpages.goals.parts", "the effect: {}", request.effect)


def _note_goal_policy(request: DarkpagesGoal, dice: Dice) -> None:
    """darkpages.goals.single: ``reject`` has refused several goals already."""
    if request.goal_policy == "reject":
        return
    if request.goal and _AND.search(request.goal):
        verdict = "this is several goals" if request.goal_policy == "warn" else "the word is let pass"
        dice.step("darkpages.goals.single", "{} (option goalPolicy)", verdict, value=request.goal_policy)
    else:
        why = "the goal is a single one" if request.goal else "no goal is sent"
        dice.step("darkpages.goals.single", "{}, so there is nothing to object to (option goalPolicy)", why)


def no_roll(request: DarkpagesAttempt, participants: Iterable[Placed], dice: Dice) -> Verdict | None:
    """darkpages.check.stakes: with nothing or everything at stake, neither the ``participants`` nor the opponent roll."""
    if request.stakes == "something":
        return None
    dice.step("darkpages.check.stakes", "{} is at stake: nobody rolls, the game master decides", request.stakes, value=request.stakes)
    opponent = [] if request.opponent is None else [(request.opponent, "opponent")]
    unused.nobody_rolls(request, [*participants, *opponent], dice)
    return Verdict("noRoll", None, target=request.target_number)


def attempt(request: DarkpagesAttempt, actor: Roller, dice: Dice) -> Verdict:
    """Roll against the Target Number or the opponent of the request."""
    opponent = prepare_opponent(request, dice)
    if opponent is None:
        assert request.target_number is not None
        return unopposed(actor, request.target_number, dice)
    if not actor.recipients.all_same:
        dice.declare_branches(lambda: branch_bounds.opposed_points(actor, opponent, branch_bounds.supplied_rolls(request)))
    return opposed(actor, opponent, dice)


def prepare_opponent(request: DarkpagesAttempt, dice: Dice, recipients: PointRecipients | None = None) -> Roller | None:
    """The opponent's roller, if there is an opponent."""
    if request.opponent is None:
        return None
    require_in_play([(request.opponent, "opponent")])
    return prepare(request.opponent, "opponent", dice, request, recipients=recipients)


def unopposed(actor: Roller, target: int, dice: Dice) -> Verdict:
    """One roll against a Target Number (darkpages.check.target)."""
    roll = actor.roll(dice, beat=target)
    verdict = Verdict("failure", False, total=roll.total, target=target)
    special = find_special(actor, roll, dice)
    actor.earn_points(dice, roll, verdict)
    if special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        decide_target(verdict, roll, target, dice)
        note_target(verdict, roll, dice)
    actor.offer_zeros(dice, roll)
    return verdict


def decide_target(verdict: Verdict, roll: Roll, target: int, dice: Dice) -> None:
    """Success if the total reaches the Target Number (darkpages.check.target)."""
    verdict.succeeded = dice.compare(roll.total, target, tie=1) > 0
    verdict.outcome = "success" if verdict.succeeded else "failure"


def note_target(verdict: Verdict, roll: Roll, dice: Dice) -> None:
    """Note how the total compares with the Target Number."""
    reaches = "reaches" if verdict.succeeded else "falls short of"
    dice.step("darkpages.check.target", "{} {} {}", roll.total, reaches, verdict.target)


class CheckRoll(NamedTuple):
    """A roll, and whether it is Dismal or Dramatic."""

    roll: Roll
    special: Special | None


def opposed(actor: Roller, opponent: Roller, dice: Dice) -> Verdict:
    """One roll against another: the higher total wins (darkpages.check.opposed)."""
    actor_roll, opponent_roll = roll_both(actor, opponent, dice)
    return compare_rolls(actor, actor_roll, opponent, opponent_roll, dice)


def roll_both(actor: Roller, opponent: Roller, dice: Dice, *, opponent_special_matters: bool = False) -> tuple[CheckRoll, CheckRoll]:
    """Roll for both sides; the actor's roll is listed first.

    A side that keeps as many zeros as succeed chooses last. If both would, the opponent keeps the highest.
    ``opponent_special_matters``: the caller needs to know whether the opponent's roll is Dismal or Dramatic.
    """
    if actor.needs_target:
        opponent_roll = roll_check(opponent, dice, why_highest="the other side waits for these dice")
        faced = dice.value(opponent_roll.roll.total, actor.highest_total)
        return roll_check(actor, dice, beat=faced + 1, ahead=True), opponent_roll
    actor_roll = roll_check(actor, dice)
    if opponent.needs_target:
        faced = dice.value(actor_roll.roll.total, opponent.highest_total)
        return actor_roll, roll_check(opponent, dice, beat=faced + 1)
    special_matters = opponent_special_matters or actor_roll.special == "dismal"
    return actor_roll, roll_check(opponent, dice, special_matters=special_matters)


def roll_check(
    side: Roller, dice: Dice, *, beat: int | None = None, ahead: bool = False, special_matters: bool = True, why_highest: str = ""
) -> CheckRoll:
    """Roll for one side.

    Where Dismal or Dramatic decides nothing (a total of 0 loses in any case), it is only explained: in the odds it would double the
    branches.
    """
    roll = side.roll(dice, beat=beat, ahead=ahead, why_highest=why_highest)
    if special_matters:
        return CheckRoll(roll, find_special(side, roll, dice))
    dice.explain(lambda: find_special(side, roll, dice))
    return CheckRoll(roll, None)


def find_special(side: Roller, roll: Roll, dice: Dice) -> Special | None:
    """Whether the roll is Dismal or Dramatic. Without a kept die it is neither (darkpages.modifiers.floor)."""
    special = dice.special(roll)
    if special is not None:
        rule, text = SPECIAL_STEPS[special]
        dice.step(rule, text, side.name, value=special)
    elif not side.kept:
        side.note_no_dice(dice)
    return special


def compare_rolls(actor: Roller, actor_roll: CheckRoll, opponent: Roller, opponent_roll: CheckRoll, dice: Dice) -> Verdict:
    """The verdict on two opposed rolls, from the actor's side. Both sides earn points."""
    roll, special = actor_roll
    faced, opponent_special = opponent_roll
    verdict = Verdict("failure", False, total=roll.total, target=faced.total)
    actor.earn_points(dice, roll, verdict)
    opponent.earn_points(dice, faced, verdict)
    if special == opponent_special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both rolled nothing but zeros: nobody wins", value="stalemate")
    elif special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        verdict.outcome, verdict.succeeded = COMPARED[dice.compare(roll.total, faced.total)]
        dice.step("darkpages.check.opposed", "{} against {}: {}", roll.total, faced.total, verdict.outcome)
    actor.offer_zeros(dice, roll)
    opponent.offer_zeros(dice, faced)
    return verdict


FIELDS: dict[str, Any] = {
    "goal": Annotated[str | None, Field(description="The goal, as it was sent.")],
    "means": Annotated[str | None, Field(description="The Action, as it was sent.")],
    "effect": Annotated[str | None, Field(description="The Effect, as it was sent.")],
}
"""Ruling fields of every check (darkpages.goals.parts)."""

OPTIONAL_FIELDS: dict[str, Any] = FIELDS | {
    "endangered": Annotated[
        list[str], Field(description="The participants whom the failure may expose to Trauma, by their places in the request.")
    ]
}
"""Ruling fields of the optional checks (darkpages.optional.danger)."""


def find_endangered(verdict: Verdict, side: Iterable[Placed], dice: Dice) -> list[str]:
    """darkpages.optional.danger: the places of the side that failed. The game master decides what the danger is."""
    if verdict.succeeded is not False:
        return []
    places = [where for _, where in side]
    dice.step("darkpages.optional.danger", "the failure may endanger {}", ", ".join(places))
    return places


def summary(request: DarkpagesCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: the actor, the labels, the dice, the target, the outcome."""
    return check_summary(display_name(request.actor, "actor"), request.aim, record, "actor", verdict)
