"""Training Points: a ledger of what each Archetype earns and spends (darkpages.training.session)."""

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
Amount = Annotated[int, Field(ge=1, le=1_000_000), WholeNumber]


class DarkpagesLedgerEntry(Model):
    """The Training Points of one Archetype."""

    archetype: Name
    """The Archetype."""
    points: Points
    """Its unspent Training Points."""


class DarkpagesAward(Model):
    """Training Points earned."""

    archetype: Name
    """The Archetype whose members earn them."""
    points: Amount
    """How many."""


class DarkpagesSpending(Model):
    """Training Points spent on a power."""

    archetype: Name
    """The Archetype whose points are spent."""
    cost: Amount
    """The price. The rules covered here set no prices."""
    power: Name
    """The power bought. Body, Mind and Soul are refused: Attributes cannot be bought."""


class DarkpagesTraining(Body):
    """Earn or spend Training Points: send exactly one of `award` and `spend` (darkpages.training.session)."""

    ledger: Annotated[list[DarkpagesLedgerEntry], Field(max_length=200)] = []
    """The points of each Archetype. Archetypes that are not listed have none."""
    award: DarkpagesAward | None = None
    """Points to earn, at any time."""
    spend: DarkpagesSpending | None = None
    """Points to spend. Refused before the session has ended."""
    session_ended: bool = False
    """Whether the session has ended."""

    @model_validator(mode="after")
    def _check_entries(self) -> Self:
        if (self.award is None) == (self.spend is None):
            raise not_allowed("send exactly one of award and spend", rule=RULE)
        names = [entry.archetype for entry in self.ledger]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise not_allowed("list each Archetype once", rule=RULE, at=f"/ledger/{index}/archetype")
        return self


def training(request: DarkpagesTraining, dice: Dice) -> Verdict:
    """Make one entry in the ledger. No dice.

    Outcomes: ``awarded``, ``spent``. ``after.ledger`` is the new ledger. Refuses to buy an Attribute, to spend before the
    session has ended, to spend more points than the Archetype has, and an award that exceeds what a ledger holds.
    """
    ledger = {entry.archetype: entry.points for entry in request.ledger}
    if request.spend is not None:
        verdict = Verdict("spent", None)
        _spend(request.spend, request, ledger, dice, verdict)
    else:
        assert request.award is not None
        verdict = Verdict("awarded", None)
        _award(request.award, ledger, dice, verdict)
        if request.session_ended:
            dice.step(RULE, "Training Points are earned at any time, so sessionEnded does not apply")
    verdict.after = {"ledger": [{"archetype": name, "points": points} for name, points in ledger.items()]}
    return verdict


def _award(award: DarkpagesAward, ledger: dict[str, int], dice: Dice, verdict: Verdict) -> None:
    before = ledger.get(award.archetype, 0)
    if before + award.points > MAX_POINTS:
        raise Forbidden.by(RULE, "/award/points", f"an Archetype has at most {MAX_POINTS} Training Points in a ledger")
    dice.step(RULE, "each {} earns {}", award.archetype, plural(award.points, "Training Point"), value=award.points)
    _enter(award.archetype, before, before + award.points, ledger, verdict)


def _spend(spend: DarkpagesSpending, request: DarkpagesTraining, ledger: dict[str, int], dice: Dice, verdict: Verdict) -> None:
    before = ledger.get(spend.archetype, 0)
    if spend.power.strip().casefold() in TRAITS:
        raise Forbidden.by(RULE, "/spend/power", "Training Points buy powers, never Attributes")
    if not request.session_ended:
        raise Forbidden.by(RULE, "/sessionEnded", "Training Points are spent only after the session has ended")
    if spend.cost > before:
        raise Forbidden.by(RULE, "/spend/cost", f"the Archetype has only {plural(before, 'Training Point')}")
    dice.step(RULE, "{} spends {} on {}", spend.archetype, plural(spend.cost, "Training Point"), spend.power, value=spend.cost)
    _enter(spend.archetype, before, before - spend.cost, ledger, verdict)


def _enter(archetype: str, before: int, to: int, ledger: dict[str, int], verdict: Verdict) -> None:
    ledger[archetype] = to
    verdict.change(f"archetype:{archetype}", "trainingPoints", before, to)


AFTER: dict[str, Any] = {"ledger": Annotated[list[DarkpagesLedgerEntry], Field(description="The ledger after the entry.")]}
"""What ``after`` contains beside the participants."""


def summary(request: DarkpagesTraining, verdict: Verdict, record: RolledDice) -> str:
    """One line: which Archetype earns or spends how much, and what is left."""
    (change,) = verdict.changes
    archetype = change.on.partition(":")[2]
    power = f" on {request.spend.power}" if request.spend else ""
    return f"{archetype}: {verdict.outcome} {abs(change.to - change.before)}{power}, {change.to} in hand"
