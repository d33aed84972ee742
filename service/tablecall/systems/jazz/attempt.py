"""An attempt by one character or a team against a difficulty, a row of the weird effects table, or an opponent.

`jazz.check`, `jazz.teamwork` and the checks inside a conflict share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.source import Dice, Offer, Total
from tablecall.model.base import Model, WholeNumber, not_allowed, spelled_as
from tablecall.systems.jazz.healing import can_heal, heal
from tablecall.systems.jazz.roller import KARMA, Roller, pay, pay_rescue, ready_roller, report_weird_pools
from tablecall.systems.jazz.sheet import JazzActor, JazzBody, JazzCharacter, RescueBy, Rounding, SpendOn
from tablecall.systems.jazz.side import check_rescue_of, roll_side
from tablecall.systems.jazz.tables import EFFECT_BY_ID
from tablecall.systems.jazz.target import Difficulty, LevelName, Ties, check_one_target, decide, difficulty_of
from tablecall.systems.verdict import Verdict

EffectId = Annotated[str, Field(json_schema_extra={"enum": sorted(EFFECT_BY_ID)}), spelled_as(EFFECT_BY_ID)]
RESTORES = "restoreHealth."


class AttemptTerms(Model):
    """What an attempt is measured against, and the choices that go with it."""

    difficulty: Difficulty | None = None
    """The number to reach."""
    level: LevelName | None = None
    """The number to reach, by its name in the table (jazz.difficulty.table)."""
    effect: EffectId | None = None
    """The number to reach, by the id of a row in the weird effects table. With a sheet it needs a weird aspect in use, and it costs one
    weird unless `extraordinary` is false (jazz.difficulty.weird)."""
    ties: Ties = "actor"
    """Who wins an equal total in a contest; `actor` is the team in teamwork. By the rule the player does, so say which side the player
    is on (jazz.check.contest)."""
    stakes: Literal["something", "routine", "none"] = "something"
    """`routine` (jazz.check.routine), or `none`: nothing to lose and no hurry (jazz.check.stakes). Either succeeds without a roll,
    and needs no difficulty or opponent."""
    specialist_only: bool = False
    """Only a character with an aspect that applies can try this (jazz.aspects.untrained)."""
    difficulty_increase: Annotated[int, Field(ge=0, le=1000), WholeNumber] = 0
    """Added to the difficulty if no aspect applies (jazz.aspects.missing)."""
    rescue_by: RescueBy | None = None
    """`addDie`: one die is added to those already rolled. `rollAgain`: the whole roll is repeated with an advantage. Left out: as
    `houseRules` says, else `addDie`."""
    spend_on: SpendOn | None = None
    """Whether an extraordinary use costs its weird when attempted or only on success (jazz.weird.spend). Left out: as `houseRules` says,
    else `attempt`."""
    amount: Annotated[int, Field(ge=1, le=999), WholeNumber] | None = None
    """Heal at most this much (jazz.weird.restore)."""
    rounding: Rounding | None = None
    """How half of an odd health pool is rounded when healing, by default `down` (jazz.weird.restore)."""

    @model_validator(mode="after")
    def _check_effect(self) -> Self:
        if self.effect is not None and self.effect not in EFFECT_BY_ID:
            at = "/effect"
            raise not_allowed(
                "jazz.refused.no_effect",
                rule="jazz.difficulty.weird",
                at=at,
                code="unknown-name",
                name=self.effect,
                near=list(EFFECT_BY_ID),
            )
        for field, value in (("amount", self.amount), ("rounding", self.rounding)):
            if value is not None and not self.restores:
                raise not_allowed("jazz.refused.needs_healing_row", rule="jazz.weird.restore", at=f"/{field}", field=field)
        return self

    @property
    def restores(self) -> bool:
        """Whether the attempt is to heal somebody."""
        return self.effect is not None and self.effect.startswith(RESTORES)

    @property
    def is_weird(self) -> bool:
        """Whether the attempt is a row of the weird effects table."""
        return self.effect is not None


class AttemptBody(JazzBody, AttemptTerms):
    """The fields of a check and of teamwork."""

    may_be_same_character: ClassVar[frozenset[str]] = frozenset({"actor", "subject", *(f"members.{index}" for index in range(32))})
    options: ClassVar[frozenset[str]] = frozenset(
        {"ties", "specialist_only", "difficulty_increase", "rescue", "rescue_by", "spend_on", "amount", "rounding", "subject"}
    )

    opponent: JazzActor | None = None
    """Who opposes it; the roll is named `opponent` (jazz.check.contest)."""
    subject: JazzCharacter | None = None
    """Who is healed by an `effect` that restores health (jazz.weird.restore). Actors who heal themselves are sent here too, with
    the same `id`; `after` then shows all changes in both places."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        rolled = self.stakes == "something"
        check_one_target(rolled, difficulty=self.difficulty, level=self.level, effect=self.effect, opponent=self.opponent)
        if self.subject is not None and not self.restores:
            raise not_allowed("jazz.refused.needs_healing_row", rule="jazz.weird.restore", at="/subject", field="subject")
        return self


@dataclass(slots=True)
class Attempt:
    """One attempt: on what terms, who rolls, whose failed roll is rescued (its place), who opposes and who is healed."""

    terms: AttemptTerms
    rollers: list[Roller]
    rescue: str | None
    opponent: Roller | None = None
    subject: tuple[str, JazzCharacter] | None = None
    spend_on: SpendOn = "attempt"
    rescue_by: RescueBy = "addDie"
    rescue_at: str = "/rescue"


def attempt_of(request: AttemptBody, rollers: list[Roller], rescue: str | None, dice: Dice) -> Attempt:
    """The attempt of a whole request."""
    opponent = ready_roller(request.opponent, "opponent", dice) if request.opponent else None
    sheets = [(roller.where, roller.actor.character) for roller in (*rollers, *([opponent] if opponent else []))]
    report_weird_pools(dice, [*sheets, ("subject", request.subject)])
    subject = None if request.subject is None else ("subject", request.subject)
    spend_on = request.spend_on or request.house("spend_on") or "attempt"
    rescue_by = request.rescue_by or request.house("rescue_by") or "addDie"
    return Attempt(request, rollers, rescue, opponent, subject, spend_on, rescue_by)


def resolve(attempt: Attempt, dice: Dice) -> Verdict:
    """Resolve an attempt.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, if so chosen), ``automatic`` (no roll needed), ``impossible``
    (only a specialist could try). Refuses a rescue that cannot be granted and a subject whom the row cannot help.
    """
    terms = attempt.terms
    check_rescue_of(attempt.rollers, attempt.rescue, attempt.rescue_at)
    if attempt.subject is not None:
        can_heal(terms.effect, *attempt.subject)
    if terms.specialist_only:
        dice.option("", "specialistOnly")
        attempt.rollers, everyone = [roller for roller in attempt.rollers if not roller.untrained], attempt.rollers
        for roller in everyone:
            if roller.untrained:
                dice.note("jazz.aspects.untrained", "attempt.untrained", who=roller.where)
        if not attempt.rollers:
            attempt.rollers = everyone
            return _without_roll(attempt, Verdict("impossible", False), dice)
    if terms.stakes != "something":
        rule, key = ("jazz.check.routine", "routine") if terms.stakes == "routine" else ("jazz.check.stakes", "no_stakes")
        dice.note(rule, f"attempt.{key}", value=terms.stakes, who=[roller.where for roller in attempt.rollers])
        return _without_roll(attempt, Verdict("automatic", True), dice)
    verdict = _roll(attempt, dice)
    pay(attempt.rollers, [attempt.opponent] if attempt.opponent else [], attempt.spend_on, dice, verdict)
    if terms.restores:
        heal(terms.effect, attempt.subject, verdict, dice, amount=terms.amount, rounding=terms.rounding)
    if not verdict.succeeded:
        dice.offer(lambda: offers_of_rescue(attempt.rollers, attempt.rescue))
    return verdict


def _roll(attempt: Attempt, dice: Dice) -> Verdict:
    """Roll, compare, and rescue a failure, or a tie without success, where the request says so."""
    terms = attempt.terms
    rescued = next((index for index, roller in enumerate(attempt.rollers) if roller.where == attempt.rescue), None)
    side = roll_side(attempt.rollers, dice, "jazz.team.highest", rescued)
    target = _target(attempt, rescued is not None, dice)
    total = side.total(dice)
    ties = terms.ties if attempt.opponent else None
    verdict = decide(total, target, ties, dice)
    if rescued is None or verdict.succeeded:
        return verdict
    roller = attempt.rollers[rescued]
    dice.option("", "rescue")
    if not dice.contribution(roller.where, "rescue", value=True, without=False):
        return verdict
    verdict = decide(side.rescued_total(total, attempt.rescue_by, dice), target, ties, dice)
    if verdict.succeeded:
        pay_rescue(roller, dice, verdict)
    return verdict


def _target(attempt: Attempt, value_needed: bool, dice: Dice) -> Total:
    if attempt.opponent is None:
        return _difficulty(attempt, dice)
    opposing = attempt.opponent.roll(dice).total
    # a rescue is compared with the same opposing total, so its value is fixed before the first comparison
    return (dice.value(opposing) if value_needed else opposing) + _increase(attempt, dice)


def _difficulty(attempt: Attempt, dice: Dice) -> int:
    terms = attempt.terms
    number = terms.difficulty
    if terms.effect is not None:
        row = EFFECT_BY_ID[terms.effect]
        number = row.difficulty
        dice.note("jazz.difficulty.weird", "attempt.row", value=number, row=row.id, number=number)
    return difficulty_of(number, terms.level, dice) + _increase(attempt, dice)


def _increase(attempt: Attempt, dice: Dice) -> int:
    """jazz.aspects.missing: without an aspect that applies the difficulty may be higher; for a team if nobody has one."""
    increase = attempt.terms.difficulty_increase
    if not increase or not all(roller.adds_nothing for roller in attempt.rollers):
        return 0
    dice.option("", "difficultyIncrease")
    where = attempt.rollers[0].where
    dice.note("jazz.aspects.missing", "attempt.harder", value=increase, who=where, increase=increase)
    return dice.contribution(where, "difficultyIncrease", increase, 0)


def _without_roll(attempt: Attempt, verdict: Verdict, dice: Dice) -> Verdict:
    """Complete the verdict of an attempt that needs or allows no roll; everything meant for a roll is kept."""
    terms = attempt.terms
    if verdict.succeeded:
        if terms.difficulty is not None or terms.level is not None or terms.effect is not None:
            verdict.target = _difficulty(attempt, dice)
        for roller in attempt.rollers:
            roller.use_weird(True, attempt.spend_on, dice, verdict)
        if terms.restores:
            heal(terms.effect, attempt.subject, verdict, dice, amount=terms.amount, rounding=terms.rounding)
    return verdict


def offers_of_rescue(rollers: Sequence[Roller], rescued: str | None, field: str = "rescue") -> list[Offer]:
    """The rescues that the game master may still grant after a failure (jazz.karma.rescue)."""
    if rescued is not None:
        return []
    offers = []
    for roller in rollers:
        if roller.advantages or roller.karma == 0:
            continue
        request = {field: True if roller.where == "actor" else roller.where}
        wins = roller.where != "defender"
        offers.append(Offer("rescue", "option.rescue", {"who": roller.where}, request, tuple(_price(roller)), wins))
    return offers


def _price(roller: Roller) -> list[tuple[str, str, str, str]]:
    """What a rescue that helps costs: one step of karma."""
    return [(roller.where, "karma", KARMA[roller.karma], KARMA[roller.karma - 1])] if roller.actor.character else []
