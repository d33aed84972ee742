"""What a rule returns: its verdict, the changes it makes, and the actions inside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tablecall.dice.source import Offer, Total
from tablecall.model.text import Sentence


@dataclass(slots=True)
class Change:
    """One effect as a rule states it. In the odds, ``change`` may be a mean (`Fraction`).

    ``pointer`` is where it stands in the ruling's ``after``, if the rule puts it there itself (`Verdict.after`).
    """

    on: str
    stat: str
    before: Any
    to: Any
    change: int | Fraction | None
    pointer: str | None = None


@dataclass(slots=True)
class Part:
    """One action of a conflict, resolved with `tablecall.systems.inner.InnerDice`.

    ``at`` is where the ruling shows it: ``turn``, or ``turns`` of which it is the next item. ``shown`` are its own members there; the
    engine adds those of its ``verdict``, and a summary of what was ``told`` and of its share of the outer verdict's changes (``changes``:
    from, to). Its factors are the contributions to ``rolls``, measured by its own verdict, and its options are ``options``. The odds give
    the chances of its own outcomes if it is ``counted``: its place does not depend on dice.
    """

    at: str
    verdict: Verdict
    rolls: tuple[str, ...] = ()
    shown: dict[str, Any] = field(default_factory=dict)
    told: Sentence | None = None
    changes: tuple[int, int] = (0, 0)
    options: list[Offer] = field(default_factory=list)
    counted: bool = True


@dataclass(slots=True)
class Verdict:
    """What a rule returns: the outcome, the numbers that decided it, and what changes.

    In the odds, ``total`` and ``target`` may be distributions. ``after`` holds entries of the ruling's ``after`` besides the
    participants; ``fields`` holds this action's own fields of the ruling. ``odds_outcome`` replaces ``outcome`` in the odds, for actions
    whose ``outcome`` is always the same word. ``removed`` are fields of participants that were used up: place and wire
    name. ``parts`` are the actions of a conflict, in the order in which the ruling shows them; their changes must be listed in ``changes``
    too, under the places of this request. ``decided`` are total and target of a second comparison, where that one decided the outcome.
    """

    outcome: str
    succeeded: bool | None
    total: Total | None = None
    target: Total | None = None
    changes: list[Change] = field(default_factory=list)
    after: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    odds_outcome: str | None = None
    removed: list[tuple[str, str]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    decided: tuple[Total | None, Total | None] | None = None

    @property
    def decisive(self) -> tuple[Total | None, Total | None]:
        """Total and target of the comparison that decided."""
        return self.decided or (self.total, self.target)

    def change(self, on: str, stat: str, before: int, to: int) -> None:
        """Record that a number on a sheet changes. An unchanged number is no effect."""
        if before != to:
            self.changes.append(Change(on, stat, before, to, to - before))

    def set_flag(self, on: str, stat: str, to: bool) -> None:
        """Record that a flag on a sheet is set or cleared."""
        self.changes.append(Change(on, stat, not to, to, 1 if to else -1))

    def change_unseen(self, on: str, stat: str, change: int | Fraction) -> None:
        """Record a change to a sheet that was not sent."""
        self.changes.append(Change(on, stat, None, None, change))
