"""The check of one participant (`darkpages.check`), and the damage check that a dangerous failure leads to."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import not_allowed
from tablecall.model.text import Sentence
from tablecall.systems.darkpages.check import (
    FIELDS as GOAL_FIELDS,
)
from tablecall.systems.darkpages.check import DarkpagesAttempt, attempt, compared_summary, no_roll, note_goal, prepare_opponent
from tablecall.systems.darkpages.damage import Trauma, damage_sentence
from tablecall.systems.darkpages.harm import DarkpagesFurtherDamage, further_damage, refuse_npc_damage_choice
from tablecall.systems.darkpages.prepare import prepare, require_in_play
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.verdict import Verdict


class DarkpagesCheck(DarkpagesAttempt, DarkpagesFurtherDamage):
    """One participant tries something (darkpages.check.target, darkpages.check.opposed).

    With `trauma` a failure leads to a damage check in the same ruling (darkpages.check.hazard).
    """

    options: ClassVar[frozenset[str]] = DarkpagesFurtherDamage.options | {"trauma"}

    actor: DarkpagesActor
    """Who tries; rolls as `actor`, and for the damage check as `actor.damage`."""
    trauma: Trauma | None = None
    """The Trauma that a failure puts the actor in danger of (darkpages.check.hazard). `injury` and `illness` strike Body, `stress` and
    `fatigue` Mind, `corruption` Soul."""

    @model_validator(mode="after")
    def _damage_needs_trauma(self) -> Self:
        for field in ("resist_with", "damage_tie", "damage_keep", "damage_keep_dice"):
            if self.trauma is None and getattr(self, field) is not None:
                at = f"/{type(self).model_fields[field].alias}"
                raise not_allowed(
                    "darkpages.refused.needs_trauma", rule="darkpages.check.hazard", at=at, code="conflicting-fields", field=at[1:]
                )
        return self


FIELDS: dict[str, Any] = GOAL_FIELDS | {
    "damage": Annotated[
        str | None, Field(description="The outcome of the damage check that a failure with `trauma` led to; null if there was none.")
    ]
}


def check(request: DarkpagesCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``dismalFailure`` (only zeros rolled), ``dramaticFailure`` (only zeros kept),
    ``stalemate`` (an opposed tie), ``noRoll``. Refuses participants who are not in play and a wrong number of dice to keep.
    """
    require_in_play([(request.actor, "actor")])
    if request.trauma is not None:
        refuse_npc_damage_choice(request, request.actor)
    note_goal(request, dice)
    verdict = no_roll(request, dice, request.target_number)
    if verdict is None:
        verdict = attempt(request, prepare(request.actor, "actor", dice, request), prepare_opponent(request, dice), dice)
    damage = None
    if request.trauma is not None and verdict.succeeded is False:
        # darkpages.check.hazard: against the opponent's total, or the Target Number that was failed
        dice.option("", "trauma")
        dice.note("darkpages.check.hazard", "check.hazard", value=request.trauma, who="actor", trauma=request.trauma, target=verdict.target)
        opposed, attribute = request.opponent is not None, request.actor.attribute
        damage, _ = further_damage(
            request, request.trauma, request.actor, "actor", verdict.target, dice, verdict, opposed=opposed, attribute=attribute
        )
    verdict.fields = request.parts | {"damage": damage}
    return verdict


def summary(request: DarkpagesCheck, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tries what, the comparison, the outcome, and the damage check if there was one."""
    against = ["opponent"] if request.opponent else []
    sentences = compared_summary(request, ["actor"], verdict, record, against=against)
    if verdict.fields["damage"] is not None:
        sentences += damage_sentence(record, "actor.damage", "actor", request.trauma, verdict.target, verdict.fields["damage"])
    return sentences
