"""Training Points: a ledger of what each character of an Archetype has, earns and spends (darkpages.training.session)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Id, Model, Name, Participant, Text, WholeNumber, not_allowed
from tablecall.model.names import name_key
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.sheet import DarkpagesBody
from tablecall.systems.darkpages.tables import TRAITS
from tablecall.systems.verdict import Change, Verdict

RULE = "darkpages.training.session"
MAX_POINTS = 1_000_000_000
GROUP = "archetype:"
Points = Annotated[int, Field(ge=0, le=MAX_POINTS), WholeNumber]
Amount = Annotated[int, Field(ge=1, le=1_000_000), WholeNumber]


class DarkpagesLedgerEntry(Participant):
    """The Training Points of one character, or of an Archetype as a whole."""

    is_sheet: ClassVar[bool] = True
    unique_id: ClassVar[bool] = False

    id: Id | None = None
    """Your own identifier of the character; returned as it was sent."""
    name: Name | None = None
    """The character's name."""
    archetype: Name
    """The Archetype. Case and Unicode form do not count."""
    points: Points
    """The unspent Training Points."""


class DarkpagesAward(Model):
    """Training Points earned."""

    archetype: Name
    """The Archetype whose members earn them, each as many."""
    points: Amount
    """How many."""


class DarkpagesAwardEffect(Model):
    """An effect of a ruling, as it comes. Effects other than Training Points of an Archetype are ignored."""

    model_config = ConfigDict(extra="ignore")

    on: Text
    """Whom it concerns: `archetype:Mystic`."""
    stat: Text
    """What changes: `trainingPoints`."""
    change: Annotated[int, WholeNumber] | None = None
    """How many."""


class DarkpagesSpending(Model):
    """Training Points spent on a power."""

    archetype: Name
    """The Archetype whose points are spent."""
    id: Id | None = None
    """The id of the entry that pays. Needed if several entries have the Archetype, unless `name` is given."""
    name: Name | None = None
    """The name of the entry that pays."""
    cost: Amount
    """The price. The rules covered here set no prices."""
    power: Name
    """The power bought. Body, Mind and Soul are refused: Attributes cannot be bought."""


class DarkpagesTraining(DarkpagesBody):
    """Earn or spend Training Points: send exactly one of `award`, `awards` and `spend` (darkpages.training.session)."""

    ledger: Annotated[list[DarkpagesLedgerEntry], Field(max_length=200)] = []
    """The points of each character. An award to an Archetype without an entry adds one."""
    award: DarkpagesAward | None = None
    """Points to earn, at any time: every entry of the Archetype gets them."""
    awards: Annotated[list[DarkpagesAwardEffect], Field(min_length=1, max_length=500)] | None = None
    """The `effects` of rulings: every Training Point in them is earned, for several Archetypes at once."""
    spend: DarkpagesSpending | None = None
    """Points to spend. Refused before the session has ended."""
    session_ended: bool = False
    """Whether the session has ended."""

    @model_validator(mode="after")
    def _check_entries(self) -> Self:
        given = [field for field in (self.award, self.awards, self.spend) if field is not None]
        if len(given) != 1:
            code = "conflicting-fields" if given else "needs-one-of"
            raise not_allowed("darkpages.refused.award_or_spend", rule=RULE, code=code)
        seen: set[tuple[str, str, str]] = set()
        for index, entry in enumerate(self.ledger):
            key = (str(entry.id), name_key(entry.name or ""), name_key(entry.archetype))
            if key in seen:
                raise not_allowed("darkpages.refused.entry_twice", rule=RULE, at=f"/ledger/{index}/archetype", code="conflicting-fields")
            seen.add(key)
        return self

    @property
    def earned(self) -> list[tuple[str, int]]:
        """The Archetypes that earn points, each with how many."""
        if self.award is not None:
            return [(self.spelled(self.award.archetype), self.award.points)]
        sums: dict[str, tuple[str, int]] = {}
        for effect in self.awards or ():
            if effect.stat == "trainingPoints" and effect.on.startswith(GROUP) and effect.change is not None and effect.change > 0:
                archetype = effect.on.removeprefix(GROUP)
                first, points = sums.get(name_key(archetype), (self.spelled(archetype), 0))
                sums[name_key(archetype)] = first, points + effect.change
        return list(sums.values())

    def spelled(self, archetype: str) -> str:
        """The Archetype as the ledger has it first."""
        return next((entry.archetype for entry in self.ledger if name_key(entry.archetype) == name_key(archetype)), archetype)


def training(request: DarkpagesTraining, dice: Dice) -> Verdict:
    """Enter points in the ledger. No dice.

    Outcomes: ``awarded``, ``spent``. ``after.ledger`` is the new ledger. Refuses to buy an Attribute, to spend before the
    session has ended, to spend more points than the entry has, and an award that exceeds what a ledger holds.
    """
    if request.spend is not None:
        verdict = Verdict("spent", None)
        _spend(request.spend, request, dice, verdict)
        return verdict
    verdict = Verdict("awarded", None)
    new: list[dict[str, Any]] = []
    for archetype, points in request.earned:
        new += _award(request, archetype, points, len(new), dice, verdict)
    if new:
        changed = {change.on: change.to for change in verdict.changes}
        ledger = [
            {**entry.model_dump(by_alias=True, exclude_unset=True), "points": changed.get(f"ledger.{index}", entry.points)}
            for index, entry in enumerate(request.ledger)
        ]
        verdict.after = {"ledger": [*ledger, *new]}
    return verdict


def _award(request: DarkpagesTraining, archetype: str, points: int, before: int, dice: Dice, verdict: Verdict) -> list[dict[str, Any]]:
    """Give points to every entry of an Archetype; a new entry if there is none. ``before`` is the number of new entries so far."""
    dice.note(RULE, "training.earns", value=points, archetype=archetype, points=points)
    entries = [(index, entry) for index, entry in enumerate(request.ledger) if name_key(entry.archetype) == name_key(archetype)]
    for index, entry in entries:
        if entry.points + points > MAX_POINTS:
            raise Forbidden.by(RULE, f"/ledger/{index}/points", "darkpages.refused.too_many_points", max=MAX_POINTS)
        verdict.change(f"ledger.{index}", "points", entry.points, entry.points + points)
    if entries:
        return []
    added = {"archetype": archetype, "points": points}
    pointer = f"/ledger/{len(request.ledger) + before}"
    verdict.changes.append(Change(f"{GROUP}{archetype}", "trainingPoints", None, added, points, pointer))
    return [added]


def _spend(spend: DarkpagesSpending, request: DarkpagesTraining, dice: Dice, verdict: Verdict) -> None:
    if spend.power.strip().casefold() in TRAITS:
        raise Forbidden.by(RULE, "/spend/power", "darkpages.refused.buys_attribute")
    if not request.session_ended:
        raise Forbidden.by(RULE, "/sessionEnded", "darkpages.refused.session_goes_on")
    entries = [
        (index, entry)
        for index, entry in enumerate(request.ledger)
        if name_key(entry.archetype) == name_key(spend.archetype)
        and (spend.id is None or (entry.id is not None and str(entry.id) == str(spend.id)))
        and (spend.name is None or name_key(entry.name or "") == name_key(spend.name))
    ]
    if not entries:
        raise Forbidden.by(RULE, "/spend/cost", "darkpages.refused.no_entry", archetype=spend.archetype)
    if len(entries) > 1:
        raise Forbidden.by(RULE, "/spend", "darkpages.refused.several_entries", archetype=spend.archetype)
    [(index, entry)] = entries
    if spend.cost > entry.points:
        raise Forbidden.by(RULE, "/spend/cost", "darkpages.refused.too_few_points", points=entry.points)
    facts = {"who": f"ledger.{index}", "archetype": entry.archetype, "cost": spend.cost, "power": spend.power}
    dice.note(RULE, "training.spends", value=spend.cost, **facts)
    verdict.change(f"ledger.{index}", "points", entry.points, entry.points - spend.cost)


def summary(request: DarkpagesTraining, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who earns or spends how much."""
    if request.spend is not None:
        spend = request.spend
        return [say("training.summary_spent", archetype=request.spelled(spend.archetype), cost=spend.cost, power=spend.power)]
    awards = [say("training.award", archetype=archetype, points=points) for archetype, points in request.earned]
    return [say("training.summary_awarded", awards=awards) if awards else say("training.summary_nothing")]
