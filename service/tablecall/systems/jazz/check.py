"""A check: an attempt against a difficulty, a row of the weird effects table, or an opponent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, LegacyOffer, Total
from tablecall.model.base import Body, WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.suggestions import suggestion
from tablecall.systems.jazz import unused
from tablecall.systems.jazz.roller import (
    KARMA,
    Roller,
    SpendOn,
    declarable_dice,
    pay,
    ready_roller,
    report_summed_weird,
)
from tablecall.systems.jazz.sheet import JazzActor, JazzCharacter
from tablecall.systems.jazz.summaries import comparison
from tablecall.systems.jazz.tables import EFFECT_BY_ID
from tablecall.systems.jazz.target import Difficulty, Level, Ties, check_one_target, decide, difficulty_of
from tablecall.systems.verdict import Verdict

_RESTORES = "restoreHealth."
_MEANT_FOR = {"one": "unconscious", "dying": "dying", "dead": "dead"}
"""Whom a restoreHealth row is meant for, if for somebody who is out."""
EffectId = Annotated[str, Field(json_schema_extra={"enum": sorted(EFFECT_BY_ID)})]


class JazzCheck(Body):
    """One character attempts something: 2d6 plus a bonus against a number or an opponent's roll (jazz.check.success)."""

    may_be_same_character: ClassVar[frozenset[str]] = frozenset({"actor", "subject"})

    actor: JazzActor
    """Who attempts it; the roll is named `actor`."""
    difficulty: Difficulty | None = None
    """The number to reach."""
    level: Level | None = None
    """The number to reach, by its name in the table (jazz.difficulty.table)."""
    effect: EffectId | None = None
    """The number to reach, by the id of a row in the weird effects table (jazz.difficulty.weird)."""
    opponent: JazzActor | None = None
    """Who opposes it; the roll is named `opponent` (jazz.check.contest)."""
    ties: Ties = "actor"
    """Who wins an equal total in a contest. By the rule the player does, so say which side the player is on."""
    stakes: Literal["something", "routine", "none"] = "something"
    """`routine` (jazz.check.routine), or `none`: nothing to lose and no hurry (jazz.check.stakes). Either succeeds without a roll,
    and needs no difficulty or opponent."""
    specialist_only: bool = False
    """Only a character with an aspect that applies can try this (jazz.aspects.untrained)."""
    difficulty_increase: Annotated[int, Field(ge=0, le=1000), WholeNumber] = 0
    """Added to the difficulty if no aspect applies (jazz.aspects.missing)."""
    rescue: bool = False
    """If the roll fails, the game master grants one more die; success then costs karma (jazz.karma.rescue)."""
    rescue_by: Literal["addDie", "rollAgain"] = "addDie"
    """`addDie`: one die is added to those already rolled. `rollAgain`: the whole roll is repeated with an advantage."""
    spend_on: SpendOn = "attempt"
    """Whether an extraordinary use costs its weird when attempted or only on success (jazz.weird.spend)."""
    subject: JazzCharacter | None = None
    """Who is healed by an `effect` that restores health (jazz.weird.restore). Actors who heal themselves are sent here too, with
    the same `id`; `after` then shows all changes in both places."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        rolled = self.stakes == "something"
        check_one_target(rolled, difficulty=self.difficulty, level=self.level, effect=self.effect, opponent=self.opponent)
        if self.effect is not None and self.effect not in EFFECT_BY_ID:
            where = "weirdEffects in /systems/jazz/tables lists them"
            detail = f"no weird effect has that id; {where}{suggestion(self.effect, EFFECT_BY_ID)}"
            raise not_allowed(detail, rule="jazz.difficulty.weird", at="/effect")
        if self.subject is not None and not str(self.effect).startswith(_RESTORES):
            raise not_allowed("`subject` needs an `effect` that restores health", rule="jazz.weird.restore", at="/subject")
        return self


def check(request: JazzCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, if so chosen), ``automatic`` (no roll needed), ``impossible``
    (only a specialist could try). Refuses anyone who is out of the fight, dice that are not held or would be wasted, and an
    extraordinary use with no weird left.
    """
    opposing = request.opponent
    report_summed_weird(dice, request.actor.character, opposing.character if opposing else None, request.subject)
    actor = ready_roller(request.actor, "actor", dice)
    opponent = ready_roller(opposing, "opponent", dice) if opposing else None
    _check_allowed(request, actor)
    if request.specialist_only and not _is_trained(actor, dice):
        return _without_roll(request, Verdict("impossible", False), actor, opponent, dice)
    if request.stakes != "something":
        if request.stakes == "routine":
            dice.step("jazz.check.routine", "{}: a routine task succeeds without a roll", actor.name)
        else:
            dice.step("jazz.check.stakes", "{}: nothing to lose and no hurry, so no roll", actor.name)
        return _without_roll(request, Verdict("automatic", True), actor, opponent, dice)
    verdict = _roll(request, actor, opponent, dice)
    unused.spend_on([actor], opponent, request.spend_on, dice)
    pay([actor], opponent, request.spend_on, dice, verdict)
    _heal(request, dice, verdict)
    if verdict.outcome == "failure":
        dice.offer(lambda: _offers(actor))
    return verdict


def _check_allowed(request: JazzCheck, actor: Roller) -> None:
    """Refuse, before any roll, a rescue that cannot be granted and a subject without a health pool."""
    if request.rescue and actor.advantages:
        raise Forbidden.by("jazz.karma.rescue", "/rescue", "no rescue: the roll already has an advantage")
    if request.rescue and KARMA[actor.karma] == "negative":
        raise Forbidden.by("jazz.karma.rescue", "/rescue", "no rescue: karma is already negative")
    if request.subject is not None and request.subject.health is None:
        raise Forbidden.by("jazz.weird.restore", "/subject/health", "the subject has no health pool to restore")


def _is_trained(actor: Roller, dice: Dice) -> bool:
    """jazz.aspects.untrained: without an aspect that applies, some things cannot be tried at all."""
    if actor.untrained:
        dice.step("jazz.aspects.untrained", "{}: only a specialist can try this", actor.name)
    else:
        dice.step("jazz.aspects.untrained", "{}: this takes a specialist, and here is one", actor.name)
    return not actor.untrained


def _roll(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> Verdict:
    """Roll, compare, and rescue a failure where the request says so."""
    total, target = actor.roll(dice).total, _target(request, actor, opponent, dice)
    verdict = _decide(request, total, target, dice)
    if opponent is None:
        unused.ties(request.ties, "nobody opposes", dice)
    if request.rescue and verdict.outcome == "failure" and dice.contribution("actor", "rescue", value=True, without=False):
        return _rescue(request, actor, total, target, dice)
    _unused_rescue(request, actor, "no rescue was needed", dice)
    return verdict


def _decide(request: JazzCheck, total: Total, target: Total, dice: Dice) -> Verdict:
    return decide(total, target, request.ties if request.opponent else None, dice)


def _target(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> Total:
    if opponent is None:
        return _difficulty(request, actor, dice)
    opposing = opponent.roll(dice).total
    # a rescue is compared with the same opposing total, so its value is fixed before the first comparison
    return (dice.value(opposing) if request.rescue else opposing) + _increase(request, actor, dice)


def _difficulty(request: JazzCheck, actor: Roller, dice: Dice) -> int:
    number = request.difficulty
    if request.effect is not None:
        row = EFFECT_BY_ID[request.effect]
        number = row.difficulty
        dice.step("jazz.difficulty.weird", "{} is difficulty {}", row.id, number, value=number)
    return difficulty_of(number, request.level, dice) + _increase(request, actor, dice)


def _increase(request: JazzCheck, actor: Roller, dice: Dice) -> int:
    """jazz.aspects.missing: without an aspect that applies the difficulty may be higher."""
    increase = request.difficulty_increase
    if not increase:
        return 0
    if not actor.adds_nothing:
        unused.difficulty_increase(actor, dice)
        return 0
    dice.step("jazz.aspects.missing", "{}: without an aspect it is harder by {}", actor.name, increase, value=increase)
    return dice.contribution("actor", "difficultyIncrease", increase, 0)


def _without_roll(request: JazzCheck, verdict: Verdict, actor: Roller, opponent: Roller | None, dice: Dice) -> Verdict:
    """Complete the verdict of an attempt that needs or allows no roll; everything meant for a roll is kept."""
    for roller in (actor, opponent) if opponent else (actor,):
        unused.roll(roller, dice)
    if opponent is not None:
        unused.weird(opponent, dice, "no roll")
    _unused_rescue(request, actor, "no roll, so nothing to rescue", dice)
    unused.ties(request.ties, "no roll", dice)
    unused.spend_on([actor], opponent, request.spend_on, dice)
    if not verdict.succeeded:
        unused.weird(actor, dice, "nothing is tried")
    if request.difficulty is not None or request.level is not None or request.effect is not None:
        verdict.target = _difficulty(request, actor, dice)
    elif request.difficulty_increase:
        text = "{}: no roll, and no number to be harder by {}"
        dice.step("jazz.aspects.missing", text, actor.name, request.difficulty_increase)
    if verdict.succeeded:
        actor.use_weird(True, request.spend_on, dice, verdict)
    _heal(request, dice, verdict)
    return verdict


def _rescue(request: JazzCheck, actor: Roller, total: Total, target: Total, dice: Dice) -> Verdict:
    """jazz.karma.rescue: one more die for a failed roll; if it then succeeds, karma moves towards negative."""
    if request.rescue_by == "addDie":
        die = dice.roll("actor.rescue", actor.with_rerolls(dice, 1, 0), actor.name)
        # every face is a branch of its own in the odds: six at most
        total = total + dice.value(die.total)
        dice.step("jazz.karma.rescue", "{}: the game master grants one more die, {}", actor.name, die.total)
        if actor.disadvantages:
            dice.step("jazz.dice.cancel", "{}: with it the disadvantage is cancelled, 2d6", actor.name, value=2)
    else:
        text = "{}: the game master grants a new roll with the advantage (option rescueBy)"
        dice.step("jazz.karma.rescue", text, actor.name, value="rollAgain")
        total = actor.roll(dice, ".rescue", count=actor.count(dice, granted=True)).total
    verdict = _decide(request, total, target, dice)
    if verdict.succeeded:
        actor.move_karma(verdict, -1)
        _report_karma(actor, dice)
    return verdict


def _report_karma(actor: Roller, dice: Dice) -> None:
    """jazz.karma.rescue: the price of a rescue. Positive karma is only cancelled (jazz.karma.neutral)."""
    if actor.actor.character is None:
        dice.step("jazz.karma.rescue", "{}: rescued, so karma moves one place towards negative", actor.name)
        return
    karma = KARMA[actor.karma]
    rule = "jazz.karma.neutral" if karma == "neutral" else "jazz.karma.rescue"
    dice.step(rule, "{}: rescued, so karma turns {}", actor.name, karma, value=karma)


def _unused_rescue(request: JazzCheck, actor: Roller, reason: str, dice: Dice) -> None:
    unused.rescue(actor, dice, reason, granted=request.rescue, roll_again=request.rescue_by == "rollAgain")


def _heal(request: JazzCheck, dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.restore: what the row gives back to the subject, never past the maximum."""
    subject = request.subject
    if subject is None or subject.health is None:
        return
    if not verdict.succeeded:
        dice.step("jazz.weird.restore", "{}: {}, so nothing is restored", subject.name, verdict.outcome, value=0)
        return
    row = str(request.effect).removeprefix(_RESTORES)
    if row in _MEANT_FOR and not subject.is_out():
        text = "{}: not out, where the row is for somebody {}; it counts all the same"
        dice.step("jazz.weird.restore", text, subject.name, _MEANT_FOR[row])
    current, maximum = subject.health.current, subject.health.max
    gain = {"half": (maximum + 1) // 2, "full": maximum}.get(row, 1)
    healed = min(current + gain, maximum)
    dice.step("jazz.weird.restore", "{}: health {} becomes {}", subject.name, current, healed, value=healed - current)
    verdict.change("subject", "health", current, healed)
    if subject.out and healed:
        verdict.set_flag("subject", "out", to=False)


def _offers(actor: Roller) -> Iterator[LegacyOffer]:
    """Offers of a rescue and the dice that could have been declared. The engine drops options that are refused or change nothing."""
    yield "rescue", "the game master grants one more die; success then costs karma", {"rescue": True}
    for choice, die, text in declarable_dice(actor):
        yield choice, text, {"actor": {"spend": die}}


def summary(request: JazzCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, the dice, the target, the outcome."""
    who = request.actor.character.name if request.actor.character else "actor"
    rolled_again = request.rescue_by == "rollAgain" and any(named.roll == "actor.rescue" for named in record.rolls)
    return comparison(who, record, verdict, ["actor.rescue"] if rolled_again else ["actor", "actor.rescue"])
