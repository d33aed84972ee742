"""One round of a conflict: the declared attacks, in the order of initiative."""

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
from tablecall.systems.jazz import initiative, unused
from tablecall.systems.jazz.attack import ConflictKind, JazzAttack, report_kind, resolve_attack
from tablecall.systems.jazz.initiative import InitiativeBonus, Order, Ties, check_unique_ids, roll_order
from tablecall.systems.jazz.roller import OUT_CANNOT_ACT, OUT_NOT_ATTACKED, able_roller, report_summed_weird
from tablecall.systems.jazz.sheet import EXACT_NAMES, JazzActor, no_character_twice
from tablecall.systems.verdict import Change, Scene, Verdict


class JazzCombatant(Participant):
    """One combatant: whose side they are on, and how they attack and defend."""

    id: Id
    """Your own identifier, unique within the request; `orders` and `order` use it."""
    side: Name
    """The side they are on. The conflict is over when at most one side still stands."""
    actor: JazzActor
    """How they attack and defend. A die to `spend` or impose goes into their own attack; in a round without one, into their first
    defence. If there is neither, it is kept. A combatant without a sheet never goes out in a round; in a fight everyone needs a sheet."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to initiative. Optional rule: by default nothing is added (jazz.conflict.initiative)."""

    @property
    def name(self) -> str:
        """The character's name, or the id of a combatant without a sheet."""
        return self.actor.character.name if self.actor.character else self.id


class JazzOrder(Model):
    """One declared attack, by one combatant or a team."""

    by: Annotated[list[Id], Field(min_length=1, max_length=32)]
    """The ids of the attackers. Several attack as a team, on the turn of the slowest (jazz.team.attack)."""
    attack: Id
    """The id of the combatant who is attacked."""
    using: Annotated[list[Name], Field(max_length=50)] | None = None
    """The aspects that apply to this attack, in place of each attacker's own `using`. An attacker uses those they have."""


class JazzRound(Body):
    """One round of a conflict: each declared attack is resolved on its turn (jazz.conflict.order)."""

    large_ruling: ClassVar[bool] = True

    combatants: Annotated[list[JazzCombatant], Field(min_length=2, max_length=64)]
    """Everyone in the conflict, including those who are out."""
    order: Annotated[Order, Field(max_length=64)] = []
    """The order of initiative, as an earlier `after` gave it. Empty: it is rolled now, as `combatants.0`, `combatants.1`, …"""
    round: Annotated[int, Field(ge=1, le=1_000_000), WholeNumber] = 1
    """The number of this round; `after` has the next."""
    orders: Annotated[list[JazzOrder], Field(max_length=64)] = []
    """The declared attacks. Nobody may attack twice in a round (jazz.conflict.once)."""
    ties: Ties = "rerollOff"
    """Who goes first after an equal initiative (jazz.conflict.order)."""
    kind: ConflictKind = "physical"
    """A label such as `physical`, `mental` or `social`. It changes nothing: every kind of conflict uses the same health pool
    (jazz.conflict.kind)."""

    @model_validator(mode="after")
    def _check_orders(self) -> Self:
        check_combatants(self.combatants, self.order)
        attacking: set[str] = set()
        by_id = {combatant.id: combatant for combatant in self.combatants}
        for index, order in enumerate(self.orders):
            at = f"/orders/{index}"
            _check_ids(order, by_id, at)
            _check_attack_once(order, attacking, at)
            team = ((f"{at}/by/{number}", by_id[id_].actor) for number, id_ in enumerate(order.by))
            no_character_twice(team, "jazz.conflict.once")
            _check_other_side(order, by_id, at)
            _check_aspects(order, by_id, at)
        return self


def check_combatants(combatants: Sequence[JazzCombatant], order: Order) -> None:
    """Refuse combatants who share an id, and an order that is not exactly the combatants."""
    ids = [combatant.id for combatant in combatants]
    check_unique_ids(ids)
    if order and sorted(id_ for place in order for id_ in place) != sorted(ids):
        raise not_allowed("`order` must name every combatant once and nobody else", rule="jazz.conflict.order", at="/order")


def _check_ids(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    places = {**{f"by/{index}": id_ for index, id_ in enumerate(order.by)}, "attack": order.attack}
    for place, id_ in places.items():
        if id_ not in by_id:
            raise not_allowed("no combatant has that id", rule="jazz.conflict.attack", at=f"{at}/{place}")


def _check_attack_once(order: JazzOrder, attacking: set[str], at: str) -> None:
    """jazz.conflict.once: one attack per character and round. Adds the attackers to ``attacking``."""
    for index, id_ in enumerate(order.by):
        if id_ in attacking:
            raise not_allowed("a character may attack only once in a round", rule="jazz.conflict.once", at=f"{at}/by/{index}")
        attacking.add(id_)


def _check_other_side(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    if any(by_id[id_].side == by_id[order.attack].side for id_ in order.by):
        raise not_allowed("a combatant cannot attack their own side", rule="jazz.conflict.attack", at=f"{at}/attack")


def _check_aspects(order: JazzOrder, by_id: dict[str, JazzCombatant], at: str) -> None:
    """Refuse an aspect that none of the attackers has."""
    sheets = [by_id[id_].actor.character for id_ in order.by]
    names = {aspect.name for sheet in sheets if sheet for aspect in sheet.aspects}
    for index, name in enumerate(order.using or ()):
        if name not in names:
            detail = f"none of the attackers has an aspect of that name; {EXACT_NAMES}"
            raise not_allowed(detail, rule="jazz.aspects.highest", at=f"{at}/using/{index}")


def stands(actor: JazzActor) -> bool:
    """Whether an actor is still in the fight (jazz.conflict.out). An actor without a sheet always is."""
    return actor.character is None or not actor.character.is_out()


class JazzTurn(Ruling):
    """One attack of a round, as a complete `jazz.attack` ruling."""

    request: Annotated[dict[str, Any], Field(title="Request")]
    """The `jazz.attack` request that gives exactly this ruling, with its own seed and supplied dice."""


AFTER: dict[str, Any] = {
    **initiative.AFTER,
    "round": Annotated[int, Field(description="The number of the next round. Add new `orders` to `after` to get its request.")],
}
FIELDS: dict[str, Any] = {"turns": Annotated[list[JazzTurn], Field(description="The attacks that were made, in turn order.")]}


@dataclass(slots=True)
class RoundState:
    """A round in progress. ``actors`` are the combatants' actors as they are now; ``verdict`` collects the results."""

    request: JazzRound
    dice: Dice
    verdict: Verdict
    index: dict[str, int] = field(init=False)
    actors: list[JazzActor] = field(init=False)
    attacking: set[int] = field(init=False)
    dice_used: set[int] = field(default_factory=set)
    """Combatants who made the roll that their die to spend or impose was for."""

    def __post_init__(self) -> None:
        self.index = {combatant.id: index for index, combatant in enumerate(self.request.combatants)}
        self.actors = [with_explicit_pools(combatant.actor) for combatant in self.request.combatants]
        self.attacking = {self.index[id_] for order in self.request.orders for id_ in order.by}

    def take_turn(self, order: JazzOrder, before: Sequence[JazzActor]) -> None:
        """Resolve one declared attack, by those attackers who stood ``before`` this place in the order began."""
        team = [self.index[id_] for id_ in order.by]
        attackers = [index for index in team if stands(before[index])]
        for index in team:
            if index not in attackers:
                self.dice.step("jazz.conflict.out", "{} went down before the turn came, and does not attack", self.name(index))
        target = self.index[order.attack]
        if not attackers:
            return
        names = " and ".join(map(self.name, attackers))
        if stands(self.actors[target]):
            self.attack([_with_aspects(before[index], order.using) for index in attackers], attackers, target, names)
        else:
            do = "do" if len(attackers) > 1 else "does"
            self.dice.step("jazz.conflict.out", "{} is out already, so {} {} not attack", self.name(target), names, do)

    def attack(self, actors: list[JazzActor], attackers: list[int], target: int, names: str) -> None:
        """Resolve the attack as a `jazz.attack` inside this round, and apply its changes."""
        scene, kind = f"turns.{len(self.verdict.scenes)}", self.request.kind
        defender = self.actors[target]
        if target in self.attacking:
            # the die is for their own attack
            defender = without_dice(defender)
        inner = resolve_attack(actors, defender, self.dice.scene(scene), kind=kind)
        alone = partial(JazzAttack.model_construct, attackers=actors, defender=defender, kind=kind)
        self.verdict.scenes.append(Scene(scene, "attack", alone, inner))
        self.dice.step("jazz.conflict.attack", "{} on {}: {}", names, self.name(target), inner.outcome, value=scene)
        self.dice_used.update(attackers)
        if target not in self.attacking:
            self.actors[target] = without_dice(self.actors[target])
            self.dice_used.add(target)
        places = {f"attackers.{number}": index for number, index in enumerate(attackers)} | {"defender": target}
        for change in inner.changes:
            index = places[change.on]
            self.actors[index] = _with_change(self.actors[index], change)
            self.verdict.changes.append(Change(f"combatants.{index}", change.stat, change.before, change.to, change.change))

    def finish(self) -> Verdict:
        """Report dice that are kept, and decide whether the conflict is over."""
        combatants = self.request.combatants
        for index, combatant in enumerate(combatants):
            if index not in self.dice_used:
                unused.kept_dice(combatant.actor, combatant.name, self.dice, "no roll for it this round")
        sides = {combatant.side for combatant, actor in zip(combatants, self.actors, strict=True) if stands(actor)}
        if len(sides) > 1:
            self.dice.step("jazz.conflict.order", "more than one side still stands, so another round follows")
        else:
            survivors = f"{sides.pop()} is all that" if sides else "nobody"
            self.dice.step("jazz.conflict.out", "{} still stands, so the conflict is over", survivors)
            self.verdict.outcome = "finished"
        return self.verdict

    def name(self, index: int) -> str:
        """A combatant's name."""
        return self.request.combatants[index].name


def with_explicit_pools(actor: JazzActor) -> JazzActor:
    """The same actor with derived pools marked as sent, so that each turn does not report them again."""
    sheet = actor.character
    if sheet is None:
        return actor
    return actor.model_copy(update={"character": sheet.model_copy(update={"health": sheet.health, "weird": sheet.weird})})


def _with_aspects(actor: JazzActor, names: list[str] | None) -> JazzActor:
    """The same actor using those of the named aspects that are on their sheet; ``None`` keeps the actor's own choice."""
    if names is None or actor.character is None:
        return actor
    own = {aspect.name for aspect in actor.character.aspects}
    return actor.model_copy(update={"using": [name for name in names if name in own]})


def without_dice(actor: JazzActor) -> JazzActor:
    """The same actor with no die to spend or impose."""
    if actor.spend is None and not actor.impose_karma:
        return actor
    return actor.model_copy(update={"spend": None, "impose_karma": False})


_FIELDS = {"out": "out", "karma": "karma", "heldAdvantage": "held_advantage"}


def _with_change(actor: JazzActor, change: Change) -> JazzActor:
    """The same actor after one change to the sheet."""
    sheet = actor.character
    if sheet is None or change.to is None:
        return actor
    if change.stat == "health":
        assert sheet.health is not None
        update: dict[str, Any] = {"health": sheet.health.model_copy(update={"current": change.to})}
    else:
        update = {_FIELDS[change.stat]: change.to}
    return actor.model_copy(update={"character": sheet.model_copy(update=update)})


def resolve_round(request: JazzRound, dice: Dice) -> Verdict:
    """Resolve a round. Each attack is a `jazz.attack` of its own; ``turns`` has its ruling and request.

    A team acts on the turn of its slowest member, without members who are out by then. Combatants who share a place act at the
    same time: each attacks even if brought down by another of them. Outcomes: ``finished`` (at most one side still stands),
    ``ongoing``; ``after``, with new orders, is the next round. Refuses orders for unknown combatants, two attacks by one
    character, attacks on one's own side, by or on a combatant who is out, and dice that are not held or would be wasted.
    """
    _check_able(request)
    report_summed_weird(dice, *(combatant.actor.character for combatant in request.combatants))
    if request.orders:
        # every attack hits or misses, and each of these costs about as much as a branch elsewhere
        dice.declare_branches(lambda: len(request.orders) * 2 ** len(request.orders))
    report_kind(request.kind, dice)
    state = RoundState(request, dice, Verdict("ongoing", None, fields={"turns": []}))
    places = _places(request, state, dice)
    order = [[request.combatants[index].id for index in place] for place in places]
    state.verdict.after = {"order": order, "round": request.round + 1}
    for _, turns in groupby(_turns(request, state.index, places), key=lambda turn: turn[0]):
        before = list(state.actors)
        for _, declared in turns:
            state.take_turn(declared, before)
    return state.finish()


def _check_able(request: JazzRound) -> None:
    """Refuse attacks by or on combatants who are out, and dice that are not held or would be wasted."""
    standing = set()
    for index, combatant in enumerate(request.combatants):
        if stands(combatant.actor):
            able_roller(combatant.actor, f"combatants.{index}.actor", free=True)
            standing.add(combatant.id)
    for number, order in enumerate(request.orders):
        for index, id_ in enumerate(order.by):
            if id_ not in standing:
                raise Forbidden.by("jazz.conflict.out", f"/orders/{number}/by/{index}", OUT_CANNOT_ACT)
        if order.attack not in standing:
            raise Forbidden.by("jazz.conflict.out", f"/orders/{number}/attack", OUT_NOT_ATTACKED)


def given_order(combatants: Sequence[JazzCombatant], order: Order, ties: Ties, dice: Dice) -> list[list[int]]:
    """The places of an order sent with the request, as indices; reports what would only matter to a roll."""
    dice.step("jazz.conflict.initiative", "initiative is rolled once per conflict, and the order stands")
    unused.initiative(combatants, ties, dice)
    index = {combatant.id: number for number, combatant in enumerate(combatants)}
    return [[index[id_] for id_ in place] for place in order]


def _places(request: JazzRound, state: RoundState, dice: Dice) -> list[list[int]]:
    """The order of initiative, given or rolled now. The odds need only the order of those who attack."""
    if request.order:
        return given_order(request.combatants, request.order, request.ties, dice)
    return roll_order(dict(enumerate(request.combatants)), request.ties, dice, among=sorted(state.attacking))


def _turns(request: JazzRound, index: dict[str, int], places: list[list[int]]) -> list[tuple[int, JazzOrder]]:
    """The declared attacks in turn order, each with its place: that of the slowest member (jazz.team.attack)."""
    place_of = {combatant: number for number, place in enumerate(places) for combatant in place}
    turns = [(max(place_of[index[id_]] for id_ in order.by), order) for order in request.orders]
    return sorted(turns, key=lambda turn: turn[0])


def summary(request: JazzRound, verdict: Verdict, record: RolledDice) -> str:
    """One line: the round's attacks and what came of each."""
    attacks = [step["text"] for step in record.steps if step["rule"] == "jazz.conflict.attack"]
    return f"Round {request.round}: {'; '.join(attacks) or 'nobody attacks'}; {verdict.outcome}"
