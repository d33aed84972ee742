"""The body of a check that is declared in a conflict: `jazz.check` without those who roll."""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator

from tablecall.model.base import Id, not_allowed
from tablecall.systems.jazz.attempt import AttemptTerms
from tablecall.systems.jazz.target import check_one_target


class JazzConflictCheck(AttemptTerms):
    """A check in a conflict: as `jazz.check`, with combatants by their ids."""

    against: Id | None = None
    """The id of the combatant who opposes it (jazz.check.contest)."""
    subject: Id | None = None
    """The id of the combatant who is healed by an `effect` that restores health (jazz.weird.restore)."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        rolled = self.stakes == "something"
        check_one_target(rolled, difficulty=self.difficulty, level=self.level, effect=self.effect, opponent=self.against)
        if self.subject is not None and not self.restores:
            raise not_allowed("jazz.refused.needs_healing_row", rule="jazz.weird.restore", at="/subject", field="subject")
        return self

    def terms(self) -> dict[str, Any]:
        """The fields of the check as sent, by their python names, without combatants."""
        return {name: getattr(self, name) for name in self.model_fields_set - {"against", "subject"}}
