"""A check: reach a goal against a Target Number or an opponent. Also the parts that other actions share with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from tablecall.dice.faces import Special
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Text, WholeNumber, not_allowed
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.prepare import DarkpagesPools, Placed, prepare, require_in_play
from tablecall.systems.darkpages.roller import PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor, GoalPolicy, at_least_one
from tablecall.systems.verdict import Verdict

TargetNumber = Annotated[int, Field(ge=1, le=1000), at_least_one("darkpages.check.target", "target_number_one"), WholeNumber]
_SEVERAL = re.compile(r"(?<![\w-])and(?![\w-])|&", re.IGNORECASE)
"""The word "and": not within a word, and not in a compound such as rock-and-roll (darkpages.goals.single)."""
_SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bvs)[.!?…]+[\"'”’)\]]*\s+\S")

COMPARED: tuple[tuple[str, bool | None], ...] = (("stalemate", None), ("success", True), ("failure", False))
"""The result of an opposed check, by the sign of the comparison: equal, higher, lower (index −1)."""
SPECIAL_RULES: dict[Special, str] = {"dismal": "darkpages.zero.dismal", "dramatic": "darkpages.zero.dramatic"}
FAILURES: dict[Special, str] = {"dismal": "dismalFailure", "dramatic": "dramaticFailure"}


def several_goals(goal: str) -> bool:
    """Whether a goal is more than one sentence, or has the word "and" (darkpages.goals.single)."""
    return bool(_SEVERAL.search(goal) or _SENTENCE_END.search(goal.strip()))


class DarkpagesGoal(DarkpagesPools):
    """The labels of a check: Goal, Action and Effect (darkpages.goals.parts)."""

    may_kill: ClassVar[bool] = False
    options: ClassVar[frozenset[str]] = DarkpagesPools.options | {"goal_policy"}

    goal: Text | None = None
    """The Goal: what is wanted, in one sentence without the word "and" (darkpages.goals.single)."""
    means: Text | None = None
    """The Action: how it is tried."""
    effect: Text | None = None
    """The Effect: what then happens."""
    removes_from_play: bool = False
    """Whether the goal is someone's death or permanent removal. Refused except in No Mercy (darkpages.goals.death)."""
    goal_policy: GoalPolicy | None = None
    """What to do with several goals: more than one sentence, or the word "and". `reject`: refuse them. `warn`: accept them and add a step.
    `ignore`: accept them. Left out: as `houseRules` says, else `reject`."""
    stakes: Literal["something", "nothing", "everything"] = "something"
    """What a failure puts at risk (darkpages.check.stakes). `something`: the dice decide. `nothing`: nobody rolls. `everything`: nobody
    rolls, because a bad roll could spoil the game."""

    @model_validator(mode="after")
    def _check_goal(self) -> Self:
        if self.removes_from_play and not self.may_kill:
            raise not_allowed("darkpages.refused.goal_death", rule="darkpages.goals.death", at="/removesFromPlay", code="rule-forbids")
        if self.policy == "reject" and self.goal is not None and several_goals(self.goal):
            raise not_allowed("darkpages.refused.several_goals", rule="darkpages.goals.single", at="/goal", code="rule-forbids")
        return self

    @property
    def policy(self) -> GoalPolicy:
        """What to do with several goals."""
        policy: GoalPolicy = self.goal_policy or self.house("goal_policy") or "reject"
        return policy

    @property
    def parts(self) -> dict[str, Any]:
        """The labels as the ruling returns them."""
        return {"goal": self.goal, "means": self.means, "effect": self.effect}


class DarkpagesAttempt(DarkpagesGoal):
    """A goal tried against a Target Number or an opponent. With nothing or everything at stake both may be left out."""

    target_number: TargetNumber | None = None
    """The total to reach. 5 is easy, 25 and more extremely difficult."""
    opponent: DarkpagesActor | None = None
    """The opponent; rolls as `opponent`."""

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        opponents = getattr(self, "opponents", None)
        sent = [field for field in (self.target_number, self.opponent, opponents) if field is not None]
        if len(sent) > 1 or (not sent and self.stakes == "something"):
            key, code = ("too_many_targets", "conflicting-fields") if sent else ("no_target", "needs-one-of")
            raise not_allowed(f"darkpages.refused.{key}", rule="darkpages.check.target", code=code)
        return self


def note_goal(request: DarkpagesGoal, dice: Dice) -> None:
    """darkpages.goals.parts: note the labels, and what the policy makes of the goal."""
    if request.removes_from_play:
        dice.note("darkpages.goals.death", "goal.death_allowed", value="removesFromPlay")
    if request.goal:
        dice.note("darkpages.goals.parts", "goal.goal", goal=request.goal)
        if request.policy != "reject" and several_goals(request.goal):
            dice.option("", "goalPolicy")
            dice.note("darkpages.goals.single", f"goal.several_{request.policy}", value=request.policy)
    if request.means:
        dice.note("darkpages.goals.parts", "goal.means", means=request.means)


def no_roll(request: DarkpagesGoal, dice: Dice, target: int | None = None) -> Verdict | None:
    """darkpages.check.stakes: with nothing or everything at stake, nobody rolls."""
    if request.stakes == "something":
        return None
    dice.note("darkpages.check.stakes", f"check.stakes_{request.stakes}", value=request.stakes)
    return Verdict("noRoll", None, target=target)


def attempt(request: DarkpagesAttempt, actor: Roller, opponent: Roller | None, dice: Dice) -> Verdict:
    """Roll against the Target Number or the opponent of the request."""
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
    key = "check.reaches" if verdict.succeeded else "check.falls_short"
    dice.note("darkpages.check.target", key, total=roll.total, target=verdict.target)


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
        opponent_roll = roll_check(opponent, dice, why_highest="waits")
        faced = dice.value(opponent_roll.roll.total, actor.highest_total)
        return roll_check(actor, dice, beat=faced + 1, ahead=True), opponent_roll
    actor_roll = roll_check(actor, dice)
    if opponent.needs_target:
        faced = dice.value(actor_roll.roll.total, opponent.highest_total)
        return actor_roll, roll_check(opponent, dice, beat=faced + 1)
    special_matters = opponent_special_matters or actor_roll.special is not None or not actor.kept
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
        dice.note(SPECIAL_RULES[special], f"check.{special}", value=special, who=side.where)
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
    if special is not None and opponent_special is not None:
        # two sides that each fail in any case: nobody wins
        verdict.outcome, verdict.succeeded = "stalemate", None
        dice.note(SPECIAL_RULES[special], "check.both_special", value="stalemate")
    elif special is not None:
        verdict.outcome = FAILURES[special]
    elif actor.kept:
        verdict.outcome, verdict.succeeded = COMPARED[dice.compare(roll.total, faced.total)]
        note_opposed(verdict, dice)
    elif opponent_special is None and dice.compare(roll.total, faced.total) == 0:
        verdict.outcome, verdict.succeeded = "stalemate", None
        note_opposed(verdict, dice)
    actor.offer_zeros(dice, roll)
    opponent.offer_zeros(dice, faced, wins=False)
    return verdict


def note_opposed(verdict: Verdict, dice: Dice) -> None:
    """Note how two opposed totals compare."""
    facts = {"total": verdict.total, "target": verdict.target, "outcome": verdict.outcome}
    dice.note("darkpages.check.opposed", "check.opposed", **facts)


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
    return note_endangered(side, dice) if verdict.succeeded is False else []


def note_endangered(side: Iterable[Placed], dice: Dice) -> list[str]:
    """darkpages.optional.danger: the places of everybody on a side that failed."""
    places = [where for _, where in side]
    dice.note("darkpages.optional.danger", "check.endangered", who=places)
    return places


# ── Summaries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def compared_summary(
    request: DarkpagesGoal, who: Sequence[str], verdict: Verdict, record: RolledDice, *, against: Sequence[str] = (), key: str = "check"
) -> list[Sentence]:
    """Who tries what, the comparison, the outcome; then Dismal and Dramatic rolls and the effect."""
    facts: dict[str, Any] = {"who": who, "against": against, "total": verdict.total, "target": verdict.target, "outcome": verdict.outcome}
    facts |= {"ward": "ward", "roller": record.rolls[0].roll if record.rolls else who[0]}
    if verdict.total is None:
        sentences = [say("check.summary_no_roll", who=who, outcome=verdict.outcome)]
    else:
        sentences = [say(f"{key}.summary_opposed" if against else f"{key}.summary", **facts)]
    return [*goal_sentences(request, verdict), *sentences, *special_sentences(record)]


def goal_sentences(request: DarkpagesGoal, verdict: Verdict) -> list[Sentence]:
    """The goal, and the effect: as having happened only on success, as the aim otherwise (darkpages.goals.parts)."""
    sentences = []
    if request.goal:
        sentences.append(say("goal.summary", goal=request.goal))
    if request.effect:
        sentences.append(say("goal.effect_happens" if verdict.succeeded else "goal.effect_aim", effect=request.effect))
    return sentences


def special_sentences(record: RolledDice) -> list[Sentence]:
    """Every roll that is Dismal or Dramatic."""
    return [
        say(f"check.summary_{named.result.special}", who=named.roll.removesuffix(".damage").removesuffix(".second"))
        for named in record.rolls
        if named.result.special is not None
    ]
