"""Jazz, one round of a conflict: everyone's declared attacks, in the order of initiative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, Id, Model, Name, Participant, WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.ruling import Ruling
from tablecall.systems.jazz import initiative
from tablecall.systems.jazz.attack import JazzAttack, Kind, of_kind, strike
from tablecall.systems.jazz.initiative import InitiativeBonus, Order, Ties, each_once, entrant, ordered
from tablecall.systems.jazz.roller import OUT, derived, fit, unused
from tablecall.systems.jazz.sheet import LETTER_BY_LETTER, JazzActor, nobody_twice
from tablecall.systems.verdict import Change, Scene, Verdict


class JazzCombatant(Participant):
    """Somebody in a conflict: whose side they are on, and how they attack and defend."""

    id: Id
    """The caller's own identifier, used once in a request; orders and the order of initiative are told in it."""
    side: Name
    """The side they are on; the conflict is over when one side at most still stands."""
    actor: JazzActor
    """How they attack and defend. A die to `spend` or impose goes into their own attack, or in a round without one into
    their first defence; where neither comes it is kept. Whoever has no sheet never goes down in a round; a fight needs sheets."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to initiative; by the rule nothing is (jazz.conflict.initiative)."""

    @property
    def name(self) -> str:
        """The character's name, or else the id."""
        return self.actor.character.name if self.actor.character else self.id


class JazzOrder(Model):
    """One attack somebody declares, or a team of them."""

    by: Annotated[list[Id], Field(min_length=1, max_length=32)]
    """Who attacks; several attack as a team, on the turn of their slowest (jazz.team.attack)."""
    attack: Id
    """Whom."""
    using: Annotated[list[Name], Field(max_length=50)] | None = None
    """The aspects that apply to this attack, instead of those the attackers name; each uses their own of them."""


class JazzRound(Body):
    """One round of a conflict: the attacks declared, each on its turn (jazz.conflict.order)."""

    large_ruling: ClassVar[bool] = True

    combatants: Annotated[list[JazzCombatant], Field(min_length=2, max_length=64)]
    """Everyone in the conflict, those who are out too."""
    order: Annotated[Order, Field(max_length=64)] = []
    """The order of initiative, as `after` gave it; left empty it is rolled now, as `combatants.0`, `combatants.1` …"""
    round: Annotated[int, Field(ge=1, le=1_000_000), WholeNumber] = 1
    """The number of this round; `after` has the next."""
    orders: Annotated[list[JazzOrder], Field(max_length=64)] = []
    """The attacks declared; nobody is in two of them, and no character twice in one (jazz.conflict.once)."""
    ties: Ties = "rerollOff"
    """Who goes first of those with an equal initiative (jazz.conflict.order)."""
    kind: Kind = "physical"
    """A label, `physical`, `mental`, `social` or any other: every kind of conflict wears down the same health pool
    (jazz.conflict.kind)."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        complete(self.combatants, self.order)
        seen: set[str] = set()
        by_id = {combatant.id: combatant for combatant in self.combatants}
        for index, order in enumerate(self.orders):
            _known(order, by_id, f"/orders/{index}")
            _once(order, seen, f"/orders/{index}")
            team = ((f"/orders/{index}/by/{number}", by_id[one].actor) for number, one in enumerate(order.by))
            nobody_twice(team, "jazz.conflict.once")
            _against(order, by_id, f"/orders/{index}")
            _equipped(order, by_id, f"/orders/{index}")
        return self


def complete(combatants: Sequence[JazzCombatant], order: Order) -> None:
    """Refuse combatants who share an id, and an order that leaves somebody out or names strangers."""
    ids = [combatant.id for combatant in combatants]
    each_once(ids)
    if order and sorted(one for place in order for one in place) != sorted(ids):
        raise not_allowed("the order names every combatant once, and nobody else", rule="jazz.conflict.order", at="/order")


def _known(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    """Refuse orders for strangers, and attacks on them."""
    places = {**{f"by/{index}": one for index, one in enumerate(order.by)}, "attack": order.attack}
    for place, one in places.items():
        if one not in by_id:
            raise not_allowed("there is no combatant of that id", rule="jazz.conflict.attack", at=f"{at}/{place}")


def _once(order: JazzOrder, seen: set[str], at: str) -> None:
    """jazz.conflict.once: one attack per character and round."""
    for index, one in enumerate(order.by):
        if one in seen:
            raise not_allowed("a character attacks once in a round", rule="jazz.conflict.once", at=f"{at}/by/{index}")
        seen.add(one)


def _against(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    """Refuse an attack on one's own side."""
    if any(by_id[one].side == by_id[order.attack].side for one in order.by):
        raise not_allowed("an attack is on another side", rule="jazz.conflict.attack", at=f"{at}/attack")


def _equipped(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    """Refuse an aspect that none of the attackers has."""
    sheets = [by_id[one].actor.character for one in order.by]
    names = {aspect.name for sheet in sheets if sheet for aspect in sheet.aspects}
    for index, name in enumerate(order.using or ()):
        if name not in names:
            detail = f"none of the attackers has such an aspect: {LETTER_BY_LETTER} of each `character`"
            raise not_allowed(detail, rule="jazz.aspects.highest", at=f"{at}/using/{index}")


def stands(actor: JazzActor) -> bool:
    """Whether somebody is still in the fight (jazz.conflict.out); whoever has no sheet always is."""
    return actor.character is None or not actor.character.is_out()


class JazzTurn(Ruling):
    """One attack of a round: the whole ruling of it, a `jazz.attack`."""

    request: Annotated[dict[str, Any], Field(title="Request")]
    """The request that gives just this ruling by itself, with its own seed and the dice handed in for it."""


AFTER: dict[str, Any] = {
    **initiative.AFTER,
    "round": Annotated[int, Field(description="The number of the next round. With new `orders`, `after` is its request.")],
}
FIELDS: dict[str, Any] = {"turns": Annotated[list[JazzTurn], Field(description="The attacks that were made, in the order of their turns.")]}


@dataclass(slots=True)
class Turns:
    """A round as it goes: everyone as they are by now, and what has come of it."""

    request: JazzRound
    dice: Dice
    verdict: Verdict
    index: dict[str, int] = field(init=False)
    actors: list[JazzActor] = field(init=False)
    attacking: set[int] = field(init=False)
    rolled: set[int] = field(default_factory=set)
    """Whose dice to spend or impose have found their roll."""

    def __post_init__(self) -> None:
        self.index = {combatant.id: index for index, combatant in enumerate(self.request.combatants)}
        self.actors = [settled(combatant.actor) for combatant in self.request.combatants]
        self.attacking = {self.index[one] for order in self.request.orders for one in order.by}

    def take(self, order: JazzOrder, before: Sequence[JazzActor]) -> None:
        """One attack on its turn, by those still standing ``before`` this place in the order."""
        by = [self.index[one] for one in order.by]
        able = [index for index in by if stands(before[index])]
        for index in by:
            if index not in able:
                self.dice.step("jazz.conflict.out", "{} went down before the turn came, and does not attack", self.name(index))
        target = self.index[order.attack]
        if not able:
            return
        if not stands(self.actors[target]):
            who = " and ".join(map(self.name, able))
            do = "do" if len(able) > 1 else "does"
            self.dice.step("jazz.conflict.out", "{} is out already, so {} {} not attack", self.name(target), who, do)
            return
        self.resolve([_using(before[index], order.using) for index in able], able, target)

    def resolve(self, attackers: list[JazzActor], able: list[int], target: int) -> None:
        """The attack itself, resolved as a scene of its own; what it changes is carried on."""
        name, kind, defender = f"turns.{len(self.verdict.scenes)}", self.request.kind, self.defence(target)
        inner = strike(attackers, defender, self.dice.scene(name), kind=kind)
        self.verdict.scenes.append(Scene(name, "attack", partial(_alone, attackers, defender, kind), inner))
        who = " and ".join(map(self.name, able))
        self.dice.step("jazz.conflict.attack", "{} on {}: {}", who, self.name(target), inner.outcome, value=name)
        places = {f"attackers.{number}": index for number, index in enumerate(able)} | {"defender": target}
        self.rolled.update(able)
        if target not in self.attacking:
            self.actors[target] = spent(self.actors[target])
            self.rolled.add(target)
        for change in inner.changes:
            index = places[change.on]
            self.actors[index] = _changed(self.actors[index], change)
            self.verdict.changes.append(Change(f"combatants.{index}", change.stat, change.before, change.to, change.change))

    def defence(self, index: int) -> JazzActor:
        """How somebody defends: whoever has an attack this round keeps the die to spend or impose for it."""
        actor = self.actors[index]
        return spent(actor) if index in self.attacking else actor

    def keep(self) -> None:
        """Say whose dice to spend or impose found no roll: they stay on the sheet."""
        for index, combatant in enumerate(self.request.combatants):
            if index not in self.rolled:
                unused(combatant.actor, combatant.name, self.dice, "no roll for it this round")

    def name(self, index: int) -> str:
        """What a combatant is called."""
        return self.request.combatants[index].name

    def standing(self) -> list[str]:
        """The sides that still have somebody standing."""
        sides = (combatant.side for index, combatant in enumerate(self.request.combatants) if stands(self.actors[index]))
        return list(dict.fromkeys(sides))


def _alone(attackers: list[JazzActor], defender: JazzActor, kind: Kind) -> JazzAttack:
    """The request of an attack by itself."""
    return JazzAttack.model_construct(attackers=attackers, defender=defender, kind=kind)


def settled(actor: JazzActor) -> JazzActor:
    """The roller with pools as if they had been sent: the round says where they follow from the aspects, its turns do not."""
    sheet = actor.character
    if sheet is None:
        return actor
    return actor.model_copy(update={"character": sheet.model_copy(update={"health": sheet.health, "weird": sheet.weird})})


def _using(actor: JazzActor, names: list[str] | None) -> JazzActor:
    if names is None or actor.character is None:
        return actor
    own = {aspect.name for aspect in actor.character.aspects}
    return actor.model_copy(update={"using": [name for name in names if name in own]})


def spent(actor: JazzActor) -> JazzActor:
    """The same roller with nothing left to spend or impose this round."""
    if actor.spend is None and not actor.impose_karma:
        return actor
    return actor.model_copy(update={"spend": None, "impose_karma": False})


_FIELDS = {"out": "out", "karma": "karma", "heldAdvantage": "held_advantage"}


def _changed(actor: JazzActor, change: Change) -> JazzActor:
    """A roller after one change to the sheet."""
    sheet = actor.character
    if sheet is None or change.to is None:
        return actor
    if change.stat == "health":
        assert sheet.health is not None
        update: dict[str, Any] = {"health": sheet.health.model_copy(update={"current": change.to})}
    else:
        update = {_FIELDS[change.stat]: change.to}
    return actor.model_copy(update={"character": sheet.model_copy(update=update)})


def one_round(request: JazzRound, dice: Dice) -> Verdict:
    """Resolve a round: each attack declared is a `jazz.attack` of its own, found in ``turns`` with the request that gives it.

    A team acts on the turn of its slowest member, with whoever of it still stands. Those who act at the same time all do,
    even if one of them brings another down. Outcomes: ``finished`` (one side at most still stands), ``ongoing``; ``after``,
    with new orders, is the next round. Refuses orders for strangers, two attacks by one character, attacks on one's own side,
    by or on somebody who is out, and dice that are not held or would be wasted.
    """
    _able(request)
    derived(dice, *(combatant.actor.character for combatant in request.combatants))
    if request.orders:
        # every attack may go two ways, and each of its ways costs about as much as a branch elsewhere
        dice.declare_branches(len(request.orders) * 2 ** len(request.orders))
    of_kind(request.kind, dice)
    verdict = Verdict("ongoing", None, fields={"turns": []})
    turns = Turns(request, dice, verdict)
    places = _places(request, turns, dice)
    verdict.after = {"order": [[request.combatants[index].id for index in place] for place in places], "round": request.round + 1}
    for _, orders in groupby(_in_turn(request, turns.index, places), key=lambda turn: turn[0]):
        before = list(turns.actors)
        for _, order in orders:
            turns.take(order, before)
    return _end(turns)


def _able(request: JazzRound) -> None:
    """Refuse whoever is out already, on either end of an attack, and dice that nobody holds or that would be wasted."""
    standing = set()
    for index, combatant in enumerate(request.combatants):
        if stands(combatant.actor):
            fit(combatant.actor, f"combatants.{index}.actor", free=True)
            standing.add(combatant.id)
    for number, order in enumerate(request.orders):
        for index, one in enumerate(order.by):
            if one not in standing:
                raise Forbidden.by("jazz.conflict.out", f"/orders/{number}/by/{index}", OUT[0])
        if order.attack not in standing:
            raise Forbidden.by("jazz.conflict.out", f"/orders/{number}/attack", OUT[1])


def given_order(combatants: Sequence[JazzCombatant], order: Order, ties: Ties, dice: Dice) -> list[list[int]]:
    """The order of initiative that was handed in."""
    dice.step("jazz.conflict.initiative", "initiative is rolled once per conflict, and the order stands")
    if ties != "rerollOff":
        dice.step("jazz.conflict.order", "the order was given, so there is no tie to decide (option ties)")
    if any(combatant.drop for combatant in combatants):
        dice.step("jazz.conflict.drop", "the order was given, so to have the drop on the others changes nothing")
    if any(combatant.initiative_bonus for combatant in combatants):
        dice.step("jazz.conflict.initiative", "the order was given, so no bonus is added (option initiativeBonus)")
    index = {combatant.id: number for number, combatant in enumerate(combatants)}
    return [[index[one] for one in place] for place in order]


def _places(request: JazzRound, turns: Turns, dice: Dice) -> list[list[int]]:
    """The order of initiative: the one handed in, or rolled now; the odds need only that of those who attack."""
    if request.order:
        return given_order(request.combatants, request.order, request.ties, dice)
    entrants = [entrant(index, combatant) for index, combatant in enumerate(request.combatants)]
    return ordered(entrants, request.ties, dice, among=sorted(turns.attacking))


def _in_turn(request: JazzRound, index: dict[str, int], places: list[list[int]]) -> list[tuple[int, JazzOrder]]:
    """The attacks in turn, each with its place: the slowest member's (jazz.team.attack), equals as declared."""
    place_of = {one: number for number, place in enumerate(places) for one in place}
    turns = [(max(place_of[index[one]] for one in order.by), order) for order in request.orders]
    return sorted(turns, key=lambda turn: turn[0])


def _end(turns: Turns) -> Verdict:
    turns.keep()
    sides = turns.standing()
    if len(sides) > 1:
        turns.dice.step("jazz.conflict.order", "more than one side still stands, so another round follows")
    else:
        who = f"{sides[0]} is all that" if sides else "nobody"
        turns.dice.step("jazz.conflict.out", "{} still stands, so the conflict is over", who)
        turns.verdict.outcome = "finished"
    return turns.verdict


def summary(request: JazzRound, verdict: Verdict, record: RolledDice) -> str:
    """One line: the attacks of the round and what came of them."""
    said = [step["text"] for step in record.steps if step["rule"] == "jazz.conflict.attack"]
    return f"Round {request.round}: {'; '.join(said) or 'nobody attacks'}; {verdict.outcome}"
