"""The body of a check that is declared in a conflict: `jazz.check` without those who roll."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tablecall.model.base import Id, Model, WholeNumber, not_allowed
from tablecall.systems.jazz.check import EffectId
from tablecall.systems.jazz.roller import SpendOn
from tablecall.systems.jazz.tables import EFFECT_BY_ID
from tablecall.systems.jazz.target import Difficulty, Level, Ties, check_one_target


class JazzConflictCheck(Model):
    """A check in a conflict: as `jazz.check`, with combatants by their ids."""

    difficulty: Difficulty | None = None
    """The number to reach."""
    level: Level | None = None
    """The number to reach, by its name in the table (jazz.difficulty.table)."""
    effect: EffectId | None = None
    """The number to reach, by the id of a row in the weird effects table (jazz.difficulty.weird)."""
    against: Id | None = None
    """The id of the combatant who opposes it (jazz.check.contest)."""
    ties: Ties | None = None
    """Who wins an equal total in a contest; `actor` by default."""
    stakes: Literal["something", "routine", "none"] | None = None
    """`routine` (jazz.check.routine), or `none` (jazz.check.stakes): it succeeds without a roll. `something` by default."""
    specialist_only: bool = False
    """Only who has an aspect that applies can try this (jazz.aspects.untrained)."""
    difficulty_increase: Annotated[int, Field(ge=0, le=1000), WholeNumber] | None = None
    """Added to the difficulty if no aspect applies (jazz.aspects.missing)."""
    rescue_by: Literal["addDie", "rollAgain"] | None = None
    """How a rescue is rolled (jazz.karma.rescue)."""
    spend_on: SpendOn | None = None
    """Whether an extraordinary use costs its weird when attempted or only on success (jazz.weird.spend)."""
    subject: Id | None = None
    """The id of the combatant who is healed by an `effect` that restores health (jazz.weird.restore)."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        rolled = self.stakes in (None, "something")
        check_one_target(rolled, difficulty=self.difficulty, level=self.level, effect=self.effect, against=self.against)
        if self.effect is not None and self.effect not in EFFECT_BY_ID:
            raise not_allowed("no weird effect has that id", rule="jazz.difficulty.weird", at="/effect")
        if self.subject is not None and not str(self.effect).startswith("restoreHealth."):
            raise not_allowed("`subject` needs an `effect` that restores health", rule="jazz.weird.restore", at="/subject")
        return self

    def terms(self) -> dict[str, Any]:
        """The fields of the check as sent, by their python names, without combatants."""
        return {name: getattr(self, name) for name in self.model_fields_set - {"against", "subject"} if getattr(self, name) is not None}
