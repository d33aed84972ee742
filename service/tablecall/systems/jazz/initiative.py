"""Initiative: who acts first. Rolled once, when a conflict begins, and by those who join it later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, ClassVar, Protocol, Self

from pydantic import Field, model_validator

from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Id, Model, Name, Participant, WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.roller import KARMA, holds, report_weird_pools
from tablecall.systems.jazz.sheet import DIE_RULES, HeldDie, JazzBody, JazzCharacter, OrderTies
from tablecall.systems.verdict import Change, Verdict

InitiativeBonus = Annotated[int, Field(ge=0, le=20), WholeNumber]


class JazzPlace(Model):
    """One place in the order of initiative."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=64)]
    """The ids of those who act together."""
    total: Annotated[int, Field(ge=-1000, le=1000), WholeNumber] | None = None
    """Their initiative. Only needed to place somebody who joins later."""


AFTER: dict[str, Any] = {"order": Annotated[list[JazzPlace], Field(description="The places, first to last.")]}

MAX_ORDERED = 5
"""Up to this many combatants the odds list every order; for more, they list who goes first."""
SEVERAL = "several together"
"""The outcome in the odds if several of more than `MAX_ORDERED` combatants share the first place."""
_AMBIGUOUS = re.compile('[>="]')


def id_key(id_: Any) -> str:
    """Two ids are the same if their keys are: 1 and "1"."""
    return str(id_)


class JazzEntrant(Participant):
    """One combatant, as far as initiative is concerned."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"spend", "imposeKarma"})
    options: ClassVar[frozenset[str]] = frozenset({"drop", "initiative_bonus"})

    id: Id
    """Your own identifier, unique within the request; the order lists these ids."""
    name: Name | None = None
    """A name for the summary and the steps; by default that of the character, or the id."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to the roll. Optional rule: by default nothing is added (jazz.conflict.initiative)."""
    character: JazzCharacter | None = None
    """The character sheet. Needed for a die to spend or impose."""
    spend: HeldDie | None = None
    """Spend positive `karma`, or the advantage die earned by a complication (`heldAdvantage`), on this roll."""
    impose_karma: bool = False
    """The game master imposes the character's negative karma on this roll (jazz.karma.negative)."""

    @model_validator(mode="after")
    def _holder(self) -> Self:
        if self.character is None:
            if self.spend is not None:
                raise not_allowed("jazz.refused.spend_without_sheet", rule=DIE_RULES[self.spend], at="/spend")
            if self.impose_karma:
                raise not_allowed("jazz.refused.karma_without_sheet", rule="jazz.karma.negative", at="/imposeKarma")
        return self

    @property
    def label(self) -> str:
        """A name for the roll."""
        return self.name or (self.character.name if self.character else str(self.id))


class JazzInitiative(JazzBody):
    """A conflict begins, or somebody joins it: they roll 2d6 for a place in the order (jazz.conflict.initiative)."""

    options: ClassVar[frozenset[str]] = frozenset({"ties"})

    combatants: Annotated[list[JazzEntrant], Field(min_length=1, max_length=64)]
    """Everyone in the conflict; their rolls are named `combatants.0`, and after a tie `combatants.0.tie1`, `combatants.0.tie2`, …
    Those who join later are added at the end."""
    ties: OrderTies | None = None
    """Who goes first after an equal total: `rerollOff` (the tied roll plain 2d6 until all totals differ), `listed` (in the order
    listed) or `simultaneous` (they act at the same time) (jazz.conflict.order). Default: `houseRules.initiativeTies`, or else
    `rerollOff`."""
    order: Annotated[list[JazzPlace], Field(max_length=64)] = []
    """The order of a conflict under way, as an earlier `after` gave it, with the `total` of each place. Needs `joining`."""
    joining: Annotated[list[Id], Field(max_length=64)] = []
    """The ids of those who join a conflict under way: only they roll. They come after those of an equal total; if ties are
    `simultaneous`, they share the place."""

    @model_validator(mode="after")
    def _latecomers(self) -> Self:
        ids = [combatant.id for combatant in self.combatants]
        check_unique_ids(ids)
        known = set(map(id_key, ids))
        if bool(self.order) != bool(self.joining):
            missing = "joining" if self.order else "order"
            key, at = "jazz.refused.order_and_joining", f"/{missing}"
            raise not_allowed(key, rule="jazz.conflict.order", at=at, code="missing-field", field=missing)
        if not self.order:
            return self
        joining = list(map(id_key, self.joining))
        for index, key in enumerate(joining):
            if key not in known or key in joining[:index]:
                raise not_allowed("jazz.refused.joining_once", rule="jazz.conflict.order", at=f"/joining/{index}")
        placed = sorted(id_key(id_) for place in self.order for id_ in place.ids)
        if placed != sorted(known.difference(joining)):
            raise not_allowed("jazz.refused.order_of_others", rule="jazz.conflict.order", at="/order")
        for index, place in enumerate(self.order):
            if place.total is None:
                at = f"/order/{index}/total"
                raise not_allowed("jazz.refused.place_without_total", rule="jazz.conflict.order", at=at, code="missing-field")
        return self


def check_unique_ids(ids: Sequence[Id]) -> None:
    """Refuse two combatants with the same id."""
    keys = list(map(id_key, ids))
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise not_allowed("jazz.refused.id_twice", rule="jazz.conflict.initiative", at=f"/combatants/{index}/id")


class Entrant(Protocol):
    """What initiative needs of a combatant; `JazzEntrant` and `tablecall.systems.jazz.conflict.JazzCombatant` have it."""

    drop: bool
    initiative_bonus: int

    @property
    def label(self) -> str:
        """A name for the roll."""
        ...


def initiative(request: JazzInitiative, dice: Dice) -> Verdict:
    """Roll initiative: ``after.order`` lists the places, first to last, each with the ids of those who act together.

    Outcome: ``ordered``. For up to five combatants the odds list every order, ``rook>guard`` or (at the same time)
    ``rook=guard``; for more, who goes first, or ``several together``. Ids that could be mistaken for one of these are
    written as JSON strings: ``"rook>guard"``.
    """
    combatants, ties = request.combatants, initiative_ties(request)
    ids = [combatant.id for combatant in combatants]
    rolling = {index: combatant for index, combatant in enumerate(combatants) if not request.joining or _joins(request, combatant.id)}
    for index, combatant in rolling.items():
        _check_dice(combatant, index)
    report_weird_pools(dice, [(f"combatants.{index}", combatant.character) for index, combatant in rolling.items()])
    if request.order:
        places, totals = _with_latecomers(request, rolling, ties, dice)
    else:
        places, totals = roll_order(rolling, ties, dice, leader_only=len(ids) > MAX_ORDERED)
    verdict = Verdict("ordered", None)
    verdict.after = {"order": [{"ids": [ids[who] for who in place], "total": total} for place, total in zip(places, totals, strict=True)]}
    for index, combatant in rolling.items():
        _use_dice(combatant, f"combatants.{index}", verdict)
    order = [[str(ids[who]) for who in place] for place in places]
    if len(ids) <= MAX_ORDERED:
        verdict.odds_outcome = ">".join("=".join(map(_quoted, place)) for place in order)
    else:
        verdict.odds_outcome = _quoted(order[0][0]) if len(order[0]) == 1 else SEVERAL
    return verdict


def _joins(request: JazzInitiative, id_: Id) -> bool:
    return id_key(id_) in map(id_key, request.joining)


def initiative_ties(request: Any) -> OrderTies:
    """Who goes first after an equal total: as sent, by the house rules, or by a re-roll."""
    ties: OrderTies = request.ties or request.house("initiative_ties") or "rerollOff"
    return ties


def _quoted(id_: str) -> str:
    """An id as the odds write it, as a JSON string if it could be mistaken for something else."""
    return json.dumps(id_, ensure_ascii=False) if id_ == SEVERAL or _AMBIGUOUS.search(id_) else id_


def roll_order(
    entrants: Mapping[int, Entrant], ties: OrderTies, dice: Dice, *, among: Sequence[int] | None = None, leader_only: bool = False
) -> tuple[list[list[int]], list[Any]]:
    """Roll for everyone: the places, highest first, each a list of indices, and their totals (jazz.conflict.order).

    ``entrants`` are those who roll, by their index among the request's combatants. The odds need only the order ``among``
    some of them, given by position, or only who goes first (``leader_only``); totals are distributions there.
    """
    indices = list(entrants)
    rolls = {index: _roll(f"combatants.{index}", entrant, dice) for index, entrant in entrants.items()}
    again = _roll_again(entrants, dice)
    tie_break = (lambda tied, attempt: again([indices[position] for position in tied], attempt)) if ties == "rerollOff" else None
    ranked = dice.rank(list(rolls.values()), tie_break, share_places=ties == "simultaneous", among=among, leader_only=leader_only)
    places = [[indices[position] for position in place] for place in ranked]
    if ties != "rerollOff":
        _report_ties(rolls, ties, dice)
    dice.note("jazz.conflict.order", "initiative.order", who=[f"combatants.{who}" for place in places for who in place], value=ties)
    return places, [rolls[place[0]].total for place in places]


def _report_ties(rolls: Mapping[int, Roll], ties: OrderTies, dice: Dice) -> None:
    """Report that the option decided an equal total. The odds record nothing, so totals are numbers here."""

    def report() -> None:
        totals = [roll.total for roll in rolls.values()]
        if len(set(map(str, totals))) < len(totals):
            dice.option("", "ties")
            dice.note("jazz.conflict.order", f"initiative.ties_{ties}", value=ties)

    dice.explain(report)


def _roll_again(entrants: Mapping[int, Entrant], dice: Dice) -> Callable[[Sequence[int], int], list[Roll]]:
    """Rolls off a tie: plain 2d6 for each."""

    def roll_again(tied: Sequence[int], attempt: int) -> list[Roll]:
        dice.option("", "ties")
        dice.note("jazz.conflict.order", "initiative.tie", who=[f"combatants.{who}" for who in tied], value="rerollOff")
        return [dice.roll(f"combatants.{who}.tie{attempt}", SumPool(2), entrants[who].label) for who in tied]

    return roll_again


def _with_latecomers(
    request: JazzInitiative, rolling: Mapping[int, JazzEntrant], ties: OrderTies, dice: Dice
) -> tuple[list[list[int]], list[int | None]]:
    """The places that were sent, with those who join among them."""
    index = {id_key(combatant.id): number for number, combatant in enumerate(request.combatants)}
    placed = [(place.total or 0, [index[id_key(id_)] for id_ in place.ids]) for place in request.order]
    dice.declare_branches(lambda: 11 ** len(rolling))
    rolls = {who: _roll(f"combatants.{who}", entrant, dice) for who, entrant in rolling.items()}
    totals = {who: dice.value(roll.total) for who, roll in rolls.items()}
    if ties != "rerollOff":
        _report_ties(rolls, ties, dice)
    for total, tied in groupby(sorted(totals, key=lambda who: -totals[who]), key=lambda who: totals[who]):
        places = _among_themselves(list(tied), rolling, ties, dice)
        equal = [number for number, (other, _) in enumerate(placed) if other == total]
        if equal and ties == "simultaneous":
            dice.option("", "ties")
            placed[equal[-1]] = (total, [*placed[equal[-1]][1], *places[0]])
            continue
        before = sum(1 for other, _ in placed if other >= total)
        placed[before:before] = [(total, place) for place in places]
    order = [place for _, place in placed]
    dice.note("jazz.conflict.order", "initiative.joined", who=[f"combatants.{who}" for who in rolling])
    dice.note("jazz.conflict.order", "initiative.order", who=[f"combatants.{who}" for place in order for who in place], value=ties)
    return order, [total for total, _ in placed]


def _among_themselves(tied: list[int], entrants: Mapping[int, Entrant], ties: OrderTies, dice: Dice) -> list[list[int]]:
    """The places of latecomers of an equal total."""
    tied.sort()
    if len(tied) == 1 or ties == "simultaneous":
        return [tied]
    if ties == "listed":
        return [[who] for who in tied]
    return _rolled_off(tied, _roll_again(entrants, dice), 1, dice)


def _rolled_off(tied: list[int], again: Callable[[Sequence[int], int], list[Roll]], attempt: int, dice: Dice) -> list[list[int]]:
    def next_time(still: Sequence[int], time: int) -> list[Roll]:
        return again([tied[position] for position in still], attempt + time)

    ranked = dice.rank(again(tied, attempt), next_time)
    return [[tied[position] for position in place] for place in ranked]


def _roll(name: str, entrant: Entrant, dice: Dice) -> Roll:
    """2d6, one more with an advantage, one less with a disadvantage, plus the optional bonus."""
    bonus = 0
    more = fewer = False
    if entrant.drop:
        dice.option(name, "drop")
        dice.note("jazz.conflict.drop", "initiative.drop", who=name, value=3)
        more = dice.contribution(name, "drop", True, False)
    if isinstance(entrant, JazzEntrant):
        if entrant.spend is not None:
            dice.note(DIE_RULES[entrant.spend], f"initiative.spend_{'karma' if entrant.spend == 'karma' else 'held'}", who=name)
            more = dice.contribution(name, entrant.spend, True, False) or more
        if entrant.impose_karma:
            dice.note("jazz.karma.negative", "initiative.impose_karma", who=name)
            fewer = dice.contribution(name, "imposeKarma", True, False)
    if more and fewer:
        dice.note("jazz.dice.cancel", "initiative.cancel", who=name, value=2)
    if entrant.initiative_bonus:
        dice.option(name, "initiativeBonus")
        bonus = dice.contribution(name, "initiativeBonus", entrant.initiative_bonus, 0)
    roll = dice.roll(name, SumPool(2 + more - fewer, bonus), entrant.label)
    dice.note("jazz.conflict.initiative", "initiative.roll", who=name, roll=name, total=roll.total)
    return roll


def _check_dice(entrant: JazzEntrant, index: int) -> None:
    """Refuse somebody's die that is not held, or that the drop would waste (jazz.karma.positive, jazz.complication.die)."""
    sheet, at = entrant.character, f"/combatants/{index}"
    if sheet is None:
        return
    if entrant.impose_karma and sheet.karma != "negative":
        raise Forbidden.by("jazz.karma.negative", f"{at}/imposeKarma", "jazz.refused.no_negative_karma", who=entrant.label)
    if entrant.spend is None:
        return
    if not holds(sheet, entrant.spend):
        raise Forbidden.by(DIE_RULES[entrant.spend], f"{at}/spend", f"jazz.refused.not_held_{entrant.spend}", who=entrant.label)
    if entrant.drop:
        raise Forbidden.by(DIE_RULES[entrant.spend], f"{at}/spend", "jazz.refused.die_wasted", who=entrant.label)


def _use_dice(entrant: JazzEntrant, place: str, verdict: Verdict) -> None:
    """Use up the karma or the held die that went into the roll."""
    sheet = entrant.character
    if sheet is None:
        return
    karma = KARMA.index(sheet.karma)
    if entrant.spend == "heldAdvantage":
        verdict.set_flag(place, "heldAdvantage", to=False)
    for used, move in ((entrant.spend == "karma", -1), (entrant.impose_karma, 1)):
        if used:
            verdict.changes.append(Change(place, "karma", KARMA[karma], KARMA[karma + move], move))
            karma += move


def summary(request: JazzInitiative, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Everyone in order, each place with its total."""
    index = {id_key(combatant.id): number for number, combatant in enumerate(request.combatants)}
    return [say("initiative.summary", places=list(told_places(verdict.after["order"], index)))]


def told_places(order: Sequence[Mapping[str, Any]], index: Mapping[str, int]) -> Iterator[Sentence]:
    """One sentence for each place: who and their total."""
    for place in order:
        who = [f"combatants.{index[id_key(id_)]}" for id_ in place["ids"]]
        total = place.get("total")
        yield say("initiative.place", who=who, total=total) if total is not None else say("initiative.place_only", who=who)
