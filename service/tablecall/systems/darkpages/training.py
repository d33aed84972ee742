"""darkpages, training: the ledger of Training Points, kept for each Archetype."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Model, Name, WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.wording import plural
from tablecall.systems.darkpages.tables import TRAITS
from tablecall.systems.verdict import Verdict

RULE = "darkpages.training.session"
MAX_POINTS = 1_000_000_000
Points = Annotated[int, Field(ge=0, le=MAX_POINTS), WholeNumber]
Some = Annotated[int, Field(ge=1, le=1_000_000), WholeNumber]
OUTCOMES = ("awarded", "spent")


class DarkpagesLedgerEntry(Model):
    """What the members of one Archetype have in hand."""

    archetype: Name
    """The Archetype."""
    points: Points
    """Its Training Points."""


class DarkpagesAward(Model):
    """Training Points that are earned."""

    archetype: Name
    """Whose members earn them."""
    points: Some
    """How many."""


class DarkpagesSpending(Model):
    """Training Points that are spent on a power."""

    archetype: Name
    """Whose points they are."""
    cost: Some
    """How many it takes: prices are not part of these rules."""
    power: Name
    """What they buy: a power. Body, Mind and Soul are Attributes, which are not for sale."""


class DarkpagesTraining(Body):
    """Training Points are earned for an Archetype, or spent at the end of a session (darkpages.training.session)."""

    ledger: Annotated[list[DarkpagesLedgerEntry], Field(max_length=200)] = []
    """What each Archetype has; whoever is not listed has nothing."""
    award: DarkpagesAward | None = None
    """What is earned; at any time."""
    spend: DarkpagesSpending | None = None
    """What is spent; only once the session has ended."""
    session_ended: bool = False
    """Whether the session has ended."""

    @model_validator(mode="after")
    def _one_entry(self) -> Self:
        if (self.award is None) == (self.spend is None):
            raise not_allowed("exactly one of award and spend is sent", rule=RULE)
        names = [entry.archetype for entry in self.ledger]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise not_allowed("each Archetype stands in the ledger once", rule=RULE, at=f"/ledger/{index}/archetype")
        return self


def training(request: DarkpagesTraining, dice: Dice) -> Verdict:
    """Enter one thing in the ledger. No dice.

    Outcomes: ``awarded``, ``spent``. ``after.ledger`` is the new ledger. Refuses to spend on an Attribute, before the
    session has ended, or more than there is.
    """
    ledger = {entry.archetype: entry.points for entry in request.ledger}
    verdict = Verdict("awarded", None)
    if request.spend is not None:
        verdict.outcome = "spent"
        _spend(request.spend, request, ledger, dice, verdict)
    else:
        assert request.award is not None
        _award(request.award, ledger, dice, verdict)
        if request.session_ended:
            dice.step(RULE, "Training Points are earned at any time, so sessionEnded does not apply")
    verdict.after = {"ledger": [{"archetype": name, "points": points} for name, points in ledger.items()]}
    return verdict


def _award(award: DarkpagesAward, ledger: dict[str, int], dice: Dice, verdict: Verdict) -> None:
    has = ledger.get(award.archetype, 0)
    if has + award.points > MAX_POINTS:
        raise Forbidden.by(RULE, "/award/points", f"the ledger holds at most {MAX_POINTS} points of an Archetype")
    dice.step(RULE, "each {} earns {}", award.archetype, plural(award.points, "Training Point"), value=award.points)
    _enter(award.archetype, has, has + award.points, ledger, verdict)


def _spend(spend: DarkpagesSpending, request: DarkpagesTraining, ledger: dict[str, int], dice: Dice, verdict: Verdict) -> None:
    has = ledger.get(spend.archetype, 0)
    if spend.power.strip().casefold() in TRAITS:
        raise Forbidden.by(RULE, "/spend/power", "Training Points are spent on powers, never on Attributes")
    if not request.session_ended:
        raise Forbidden.by(RULE, "/sessionEnded", "Training Points are spent once the session has ended")
    if spend.cost > has:
        said = f"there {'is' if has == 1 else 'are'} {plural(has, 'Training Point')} to spend"
        raise Forbidden.by(RULE, "/spend/cost", said)
    dice.step(RULE, "{} spends {} on {}", spend.archetype, plural(spend.cost, "Training Point"), spend.power, value=spend.cost)
    _enter(spend.archetype, has, has - spend.cost, ledger, verdict)


def _enter(archetype: str, before: int, to: int, ledger: dict[str, int], verdict: Verdict) -> None:
    ledger[archetype] = to
    verdict.change(f"archetype:{archetype}", "trainingPoints", before, to)


AFTER: dict[str, Any] = {"ledger": Annotated[list[DarkpagesLedgerEntry], Field(description="The ledger, with the entry made.")]}
"""What ``after`` has beside the participants."""


def summary(request: DarkpagesTraining, verdict: Verdict, record: RolledDice) -> str:
    """One line: who earns or spends what, and what is left."""
    (change,) = verdict.changes
    archetype = change.on.partition(":")[2]
    power = f" on {request.spend.power}" if request.spend else ""
    return f"{archetype}: {verdict.outcome} {abs(change.to - change.before)}{power}, {change.to} in hand"
