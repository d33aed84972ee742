"""darkpages, a check: a goal tried against a Target Number or against somebody with a goal of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.faces import Special
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Text, WholeNumber, not_allowed
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.roller import DarkpagesPools, Hand, Learners, hand, in_play, named, nobody_rolls
from tablecall.systems.darkpages.sheet import DarkpagesActor, at_least_one
from tablecall.systems.darkpages.wording import line
from tablecall.systems.verdict import Verdict

TargetNumber = Annotated[int, Field(ge=1, le=1000), at_least_one("darkpages.check.target", "a Target Number is at least 1"), WholeNumber]
_AND = re.compile(r"\band\b", re.IGNORECASE)


class DarkpagesGoal(DarkpagesPools):
    """What every check may say of itself (darkpages.goals.parts)."""

    deadly: ClassVar[bool] = False

    goal: Text | None = None
    """What is wanted, in one sentence without the word "and" (darkpages.goals.single)."""
    means: Text | None = None
    """The Action: how it is tried."""
    effect: Text | None = None
    """What then happens."""
    removes_from_play: bool = False
    """Whether the goal is somebody's death, or their lasting removal: refused outside No Mercy (darkpages.goals.death)."""
    goal_policy: Literal["reject", "warn", "ignore"] = "reject"
    """What becomes of a goal with an "and" in it. `reject`: it is refused. `warn`: a step says so. `ignore`: it is let pass."""

    @model_validator(mode="after")
    def _single(self) -> Self:
        if self.removes_from_play and not self.deadly:
            raise not_allowed(
                "somebody's death, or their lasting removal, cannot be the goal", rule="darkpages.goals.death", at="/removesFromPlay"
            )
        if self.goal_policy == "reject" and self.goal is not None and _AND.search(self.goal):
            raise not_allowed(
                "a goal with the word and in it is several goals: make a check for each", rule="darkpages.goals.single", at="/goal"
            )
        return self

    @property
    def parts(self) -> dict[str, Any]:
        """The labels as they are echoed."""
        return {"goal": self.goal, "means": self.means, "effect": self.effect}

    @property
    def aim(self) -> str:
        """The labels as they stand in the summary; nothing where there are none."""
        means = f"means: {self.means}" if self.means else None
        effect = f"effect: {self.effect}" if self.effect else None
        return "; ".join(part for part in (self.goal, means, effect) if part)


class DarkpagesAttempt(DarkpagesGoal):
    """A goal with something or somebody against it."""

    target_number: TargetNumber | None = None
    """The total to reach: an easy one is 5, an extremely difficult one 25 or beyond."""
    opponent: DarkpagesActor | None = None
    """Who opposes it; rolls as `opponent`."""
    stakes: Literal["something", "nothing", "everything"] = "something"
    """What hangs on it (darkpages.check.stakes). `something`: the dice decide. `nothing`: nobody rolls. `everything`: neither, when a bad
    roll could spoil the fun. Where nobody rolls, neither `targetNumber` nor `opponent` has to be sent."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        against = [one for one in (self.target_number, self.opponent) if one is not None]
        if len(against) > 1 or (not against and self.stakes == "something"):
            raise not_allowed("a check is against exactly one of targetNumber and opponent", rule="darkpages.check.target")
        return self


class DarkpagesCheck(DarkpagesAttempt):
    """Somebody tries something: roll, keep, total (darkpages.check.target, darkpages.check.opposed)."""

    actor: DarkpagesActor
    """Who tries; rolls as `actor`."""


def check(request: DarkpagesCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``dismalFailure`` (nothing but zeros rolled), ``dramaticFailure`` (nothing but
    zeros kept), ``stalemate`` (an opposed tie), ``noRoll``. Refuses whoever is not in play, and a wrong number of kept dice.
    """
    in_play(request.actor, "actor")
    state_goal(request, dice)
    verdict = no_roll(request, [(request.actor, "actor")], dice) or attempt(request, hand(request.actor, "actor", dice, request), dice)
    verdict.fields = request.parts
    return verdict


def state_goal(request: DarkpagesGoal, dice: Dice) -> None:
    """darkpages.goals.parts: say what is tried, how, and what then happens; warn of a goal that is several."""
    if request.removes_from_play:
        dice.step("darkpages.goals.death", "a goal that is allowed here alone", value="removesFromPlay")
    if request.goal:
        dice.step("darkpages.goals.parts", "the goal: {}", request.goal)
    _judge_goal(request, dice)
    if request.means:
        dice.step("darkpages.goals.parts", "the means: {}", request.means)
    if request.effect:
        dice.step("darkpages.goals.parts", "the effect: {}", request.effect)


def _judge_goal(request: DarkpagesGoal, dice: Dice) -> None:
    """darkpages.goals.single: what the policy makes of the goal, if it is not to refuse one that is several."""
    if request.goal_policy == "reject":
        return
    if request.goal and _AND.search(request.goal):
        said = "this is several goals" if request.goal_policy == "warn" else "the word is let pass"
        dice.step("darkpages.goals.single", "{} (option goalPolicy)", said, value=request.goal_policy)
    else:
        why = "the goal is a single one" if request.goal else "no goal is sent"
        dice.step("darkpages.goals.single", "{}, so there is nothing to object to (option goalPolicy)", why)


def no_roll(request: DarkpagesAttempt, rollers: Iterable[tuple[DarkpagesActor, str]], dice: Dice) -> Verdict | None:
    """darkpages.check.stakes: with nothing or everything at stake nobody rolls, neither the ``rollers`` nor who opposes them."""
    if request.stakes == "something":
        return None
    dice.step("darkpages.check.stakes", "{} is at stake: nobody rolls, the game master decides", request.stakes, value=request.stakes)
    opposing = [] if request.opponent is None else [(request.opponent, "opponent")]
    nobody_rolls(request, [*rollers, *opposing], dice)
    return Verdict("noRoll", None, target=request.target_number)


def attempt(request: DarkpagesAttempt, actor: Hand, dice: Dice) -> Verdict:
    """One roll against whatever the attempt is against."""
    opponent = opposing(request, dice)
    if opponent is None:
        assert request.target_number is not None
        return unopposed(actor, request.target_number, dice)
    if not dice.wants_steps and not actor.learners.alike:
        dice.declare_branches(dice.cached("ways", lambda: branch_bounds.lessons(actor, opponent, branch_bounds.held(request))))
    return opposed(actor, opponent, dice)


def opposing(request: DarkpagesAttempt, dice: Dice, learners: Learners | None = None) -> Hand | None:
    """Whoever opposes it, if somebody does."""
    if request.opponent is None:
        return None
    in_play(request.opponent, "opponent")
    return hand(request.opponent, "opponent", dice, request, learners=learners)


def unopposed(actor: Hand, target: int, dice: Dice) -> Verdict:
    """One roll against a Target Number (darkpages.check.target)."""
    roll = actor.draw(dice, beat=target)
    verdict = Verdict("failure", False, total=roll.total, target=target)
    special = flag(actor, roll, dice)
    actor.earn(dice, roll, verdict)
    if special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        verdict.succeeded = dice.compare(roll.total, target) >= 0
        verdict.outcome = "success" if verdict.succeeded else "failure"
        dice.step("darkpages.check.target", "{} {} {}", roll.total, "reaches" if verdict.succeeded else "falls short of", target)
    actor.offer_zeros(dice, roll)
    return verdict


Drawn = tuple[Roll, Special | None]
"""A roll and its special."""


def opposed(actor: Hand, opponent: Hand, dice: Dice) -> Verdict:
    """One roll against another: the higher total wins (darkpages.check.opposed)."""
    mine, theirs = draw_both(actor, opponent, dice)
    return settle(actor, mine, opponent, theirs, dice)


def settle(actor: Hand, mine: Drawn, opponent: Hand, theirs: Drawn, dice: Dice) -> Verdict:
    """What two rolls that were just drawn come to, seen by the actor."""
    (roll, special), (faced, their_special) = mine, theirs
    verdict = Verdict("failure", False, total=roll.total, target=faced.total)
    actor.earn(dice, roll, verdict)
    opponent.earn(dice, faced, verdict)
    if special == their_special == "dismal":
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.step("darkpages.zero.dismal", "both rolled nothing but zeros: nobody wins", value="stalemate")
    elif special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        compared = dice.compare(roll.total, faced.total)
        verdict.outcome, verdict.succeeded = COMPARED[compared]
        dice.step("darkpages.check.opposed", "{} against {}: {}", roll.total, faced.total, verdict.outcome)
    actor.offer_zeros(dice, roll)
    opponent.offer_zeros(dice, faced)
    return verdict


def draw_both(actor: Hand, opponent: Hand, dice: Dice, *, again: bool = False) -> tuple[Drawn, Drawn]:
    """Both rolls and their specials, the actor's listed first. ``again`` says that the opponent's special matters beyond this.

    Whoever keeps zeros by what would succeed chooses after the other has kept; where both would wait for each other, the
    opponent keeps the highest.
    """
    if actor.waits:
        theirs, their_special = drawn(opponent, dice, why="the other side waits for these dice")
        faced = dice.value(theirs.total, actor.most)
        return drawn(actor, dice, beat=faced + 1, ahead=True), (theirs, their_special)
    mine, special = drawn(actor, dice)
    if opponent.waits:
        faced = dice.value(mine.total, opponent.most)
        return (mine, special), drawn(opponent, dice, beat=faced + 1)
    return (mine, special), drawn(opponent, dice, matters=again or special == "dismal")


def drawn(side: Hand, dice: Dice, *, beat: int | None = None, ahead: bool = False, matters: bool = True, why: str = "") -> Drawn:
    """One roll and its special; where that decides nothing (a total of 0 loses anyway) it is only told."""
    roll = side.draw(dice, beat=beat, ahead=ahead, why=why)
    return roll, flag(side, roll, dice) if matters or dice.wants_steps else None


def flag(side: Hand, roll: Roll, dice: Dice) -> Special | None:
    """Say whether the roll is a Dismal or a Dramatic Failure; without a die kept it is neither (darkpages.modifiers.floor)."""
    special = dice.special(roll)
    if special is not None:
        rule, text = FLAGS[special]
        dice.step(rule, text, side.name, value=special)
    elif not side.kept:
        side.fail_empty(dice)
    return special


FIELDS: dict[str, Any] = {
    "goal": Annotated[str | None, Field(description="The goal, as it was sent.")],
    "means": Annotated[str | None, Field(description="The Action, as it was sent.")],
    "effect": Annotated[str | None, Field(description="The Effect, as it was sent.")],
}
"""What the ruling of a check has beside the envelope (darkpages.goals.parts)."""

ENDANGERED: dict[str, Any] = {
    "endangered": Annotated[list[str], Field(description="Whom the failure may have put in danger of Trauma, by their places.")]
}
"""What the ruling of an optional check has beside that (darkpages.optional.danger)."""

OUTCOMES = ("success", "failure", "dismalFailure", "dramaticFailure", "stalemate", "noRoll")
"""Every word for what comes of an attempt."""

COMPARED: tuple[tuple[str, bool | None], ...] = (("stalemate", None), ("success", True), ("failure", False))
"""What an opposed check comes to, by how the totals compare: equal, higher, lower (index −1)."""

FAILURES: dict[Special, str] = {"dismal": "dismalFailure", "dramatic": "dramaticFailure"}
FLAGS: dict[Special, tuple[str, str]] = {
    "dismal": ("darkpages.zero.dismal", "{}: nothing but zeros was rolled, a Dismal Failure"),
    "dramatic": ("darkpages.zero.dramatic", "{}: nothing but zeros was kept, a Dramatic Failure; the player tells how"),
}


def endanger(verdict: Verdict, places: list[str], dice: Dice) -> list[str]:
    """darkpages.optional.danger: whoever stands on the side that failed may be in danger; the game master decides of what."""
    if verdict.succeeded is not False:
        return []
    dice.step("darkpages.optional.danger", "the failure may endanger {}", ", ".join(places))
    return places


def summary(request: DarkpagesCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: who wants what, the kept dice of those rolled, against what, what came of it."""
    return line(named(request.actor, "actor"), request.aim, record, "actor", verdict)
