"""The state of a conflict, and one declared action in it: what `jazz.turn`, `jazz.round` and `jazz.fight` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

from tablecall.dice.source import Dice, Offer
from tablecall.model.base import Id, Model, Name, Participant, WholeNumber, not_allowed
from tablecall.model.names import name_key
from tablecall.model.refusals import Refusal
from tablecall.model.ruling import Factor, Option, OutputModel, PartResult
from tablecall.model.text import Sentence, say
from tablecall.systems.inner import InnerDice, refusal_before_dice, with_pointers
from tablecall.systems.jazz.attack import ConflictKind, JazzAttack, attack, report_kind
from tablecall.systems.jazz.check import JazzCheck, check
from tablecall.systems.jazz.declared import JazzConflictCheck
from tablecall.systems.jazz.initiative import InitiativeBonus, JazzPlace, check_unique_ids, id_key, initiative_ties, roll_order
from tablecall.systems.jazz.roller import check_dice, report_weird_pools
from tablecall.systems.jazz.sheet import JazzActor, JazzBody, JazzCharacter, OrderTies, no_character_twice
from tablecall.systems.jazz.team import JazzTeamwork, teamwork
from tablecall.systems.verdict import Change, Part, Verdict

MAX_COMBATANTS = 64
MAX_TIES_NAMED = 20
"""How many re-rolls of a tie may be handed in as dice."""


class JazzCombatant(Participant):
    """One combatant: whose side they are on, and how they attack and defend."""

    keeps_one_shots: ClassVar[bool] = True

    id: Id
    """Your own identifier, unique within the request; orders and the state of the conflict use it."""
    side: Name
    """The side they are on. The conflict is over when at most one side still stands."""
    actor: JazzActor
    """How they act and defend. A die to `spend` or impose goes into the first roll they make: their own action before a defence. Where
    they roll none, it is kept. A combatant without a sheet never goes out in a turn or a round; in a fight everyone needs a sheet."""
    drop: bool = False
    """Has the drop on the others: rolls initiative with an advantage (jazz.conflict.drop)."""
    initiative_bonus: InitiativeBonus = 0
    """Added to initiative. Optional rule: by default nothing is added (jazz.conflict.initiative)."""

    @property
    def label(self) -> str:
        """A name for the roll of initiative."""
        return self.name

    @property
    def name(self) -> str:
        """The character's name, that of the actor, or else the id."""
        return self.actor.character.name if self.actor.character else self.actor.name or str(self.id)


class OneOrMore:
    """Lets a single id stand for the list of it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read anything that is no list as a list of it."""
        return core_schema.no_info_before_validator_function(lambda value: value if isinstance(value, list) else [value], handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Allow one item or the list."""
        listed = handler(schema)
        return {"anyOf": [listed["items"], listed]}


Team = Annotated[list[Id], Field(min_length=1, max_length=32)]
Ids = Annotated[list[Id], Field(max_length=MAX_COMBATANTS)]


class JazzDeclared(Model):
    """One declared action: who acts, and exactly one of `attack`, `targets`, `check`, `pass` and `wait`."""

    by: Team
    """The ids of those who act; several act as a team. In a round a team acts on the turn of its slowest member
    (jazz.team.attack)."""
    attack: Annotated[list[Id], Field(min_length=1, max_length=MAX_COMBATANTS), OneOrMore()] | None = None
    """The id of the combatant who is attacked; or several in order of preference: the first who still stands is attacked."""
    targets: Annotated[list[Id], Field(min_length=1, max_length=32)] | None = None
    """The ids of several who are attacked at once with a weird aspect; those who are out are left out (jazz.weird.many)."""
    check: JazzConflictCheck | None = None
    """A check, as in `jazz.check`; several in `by` make it teamwork."""
    pass_: Annotated[Literal[True] | None, Field(alias="pass")] = None
    """They do nothing."""
    wait: Literal[True] | None = None
    """They let their turn pass to act later in this round, alone or with others. Only in `jazz.turn`."""
    using: Annotated[list[Name], Field(max_length=50)] | None = None
    """The aspects that apply to this action, in place of each actor's own `using`. Each uses those they have."""
    rescue: Id | None = None
    """The id of one in `by`, or of the defender: if their roll fails, the game master grants one more die (jazz.karma.rescue)."""

    @model_validator(mode="after")
    def _one_action(self) -> Self:
        actions = {"attack": self.attack, "targets": self.targets, "check": self.check, "pass": self.pass_, "wait": self.wait}
        given = [name for name, action in actions.items() if action is not None]
        if len(given) != 1:
            code = "conflicting-fields" if given else "needs-one-of"
            raise not_allowed("jazz.refused.act_one", rule="jazz.conflict.action", at=f"/{given[1]}" if given else "", code=code)
        keys = list(map(id_key, self.by))
        for index, key in enumerate(keys):
            if key in keys[:index]:
                key = "jazz.refused.attacks_twice" if self.attacks else "jazz.refused.acts_twice"
                raise not_allowed(key, rule=self.second_action_rule, at=f"/by/{index}", code="rule-forbids")
        targets = list(map(id_key, self.targets or ()))
        for index, key in enumerate(targets):
            if key in targets[:index]:
                raise not_allowed("jazz.refused.listed_twice", rule="jazz.weird.many", at=f"/targets/{index}")
        return self

    @property
    def kind(self) -> Literal["attack", "targets", "check", "pass", "wait"]:
        """What they do."""
        if self.attack is not None:
            return "attack"
        if self.targets is not None:
            return "targets"
        if self.check is not None:
            return "check"
        return "pass" if self.wait is None else "wait"

    @property
    def attacks(self) -> bool:
        """Whether it is an attack."""
        return self.attack is not None or self.targets is not None

    @property
    def second_action_rule(self) -> str:
        """The rule that forbids to do this after another action of the same round."""
        return "jazz.conflict.once" if self.attacks else "jazz.conflict.action"

    @property
    def preferred(self) -> list[Id]:
        """Those it is aimed at, in order of preference."""
        if self.attack is not None or self.targets is not None:
            return self.attack or self.targets or []
        return [] if self.check is None or self.check.against is None else [self.check.against]


class JazzConflict(JazzBody):
    """The state of a conflict."""

    large_ruling: ClassVar[bool] = True
    options: ClassVar[frozenset[str]] = frozenset({"ties"})

    combatants: Annotated[list[JazzCombatant], Field(min_length=2, max_length=MAX_COMBATANTS)]
    """Everyone in the conflict, including those who are out. Latecomers are added at the end, and nobody is taken out: the names of
    rolls count on it."""
    order: Annotated[list[JazzPlace], Field(max_length=MAX_COMBATANTS)] = []
    """The order of initiative, as an earlier `after` gave it. Empty: it is rolled now, as `combatants.0`, `combatants.1`, …"""
    round: Annotated[int, Field(ge=1, le=1_000_000), WholeNumber] = 1
    """The number of this round."""
    acted: Ids = []
    """The ids of those who have had their action in this round."""
    waiting: Ids = []
    """The ids of those who let their turn pass to act later in this round."""
    falling: Ids = []
    """The ids of those who were put out by somebody of their own place in the order and still act (jazz.conflict.out)."""
    ties: OrderTies | None = None
    """Who goes first after an equal initiative that is rolled here (jazz.conflict.order). Default: `houseRules.initiativeTies`, or else
    `rerollOff`."""
    kind: ConflictKind = "physical"
    """A label such as `physical`, `mental` or `social`. It changes nothing: every kind of conflict uses the same health pool
    (jazz.conflict.kind)."""

    @property
    def index(self) -> dict[str, int]:
        """The number of each combatant by the key of the id."""
        return {id_key(combatant.id): index for index, combatant in enumerate(self.combatants)}

    @model_validator(mode="after")
    def _state(self) -> Self:
        check_combatants(self.combatants, self.order)
        index = self.index
        for name in ("acted", "waiting", "falling"):
            ids: list[Id] = getattr(self, name)
            check_known(((f"/{name}/{number}", id_) for number, id_ in enumerate(ids)), index, "jazz.conflict.order")
            if len(set(map(id_key, ids))) < len(ids):
                raise not_allowed("jazz.refused.listed_twice", rule="jazz.conflict.order", at=f"/{name}")
        return self


def check_combatants(combatants: Sequence[JazzCombatant], order: Sequence[JazzPlace]) -> None:
    """Refuse combatants who share an id, and an order that is not exactly the combatants."""
    check_unique_ids([combatant.id for combatant in combatants])
    if order and sorted(id_key(id_) for place in order for id_ in place.ids) != sorted(id_key(combatant.id) for combatant in combatants):
        raise not_allowed("jazz.refused.order_incomplete", rule="jazz.conflict.order", at="/order")


def check_known(ids: Iterable[tuple[str, Id]], index: dict[str, int], rule: str) -> None:
    """Refuse an id, given with its pointer, that no combatant has."""
    for at, id_ in ids:
        if id_key(id_) not in index:
            raise not_allowed("jazz.refused.no_combatant", rule=rule, at=at, code="unknown-name", name=str(id_), near=list(index))


def check_declared(request: JazzConflict, declared: JazzDeclared, at: str) -> None:
    """Refuse, whatever the dice are, a declared action that names unknown combatants, aspects nobody has, or its own side as a target."""
    index, people = request.index, request.combatants
    rule = "jazz.conflict.attack" if declared.attacks else "jazz.conflict.action"
    check_known(((f"{at}/by/{number}", id_) for number, id_ in enumerate(declared.by)), index, rule)
    aimed = [(pointer, id_) for pointer, id_ in _aimed(declared, at)]
    check_known(aimed, index, rule)
    members = [index[id_key(id_)] for id_ in declared.by]
    if declared.attacks:
        sides = {name_key(people[member].side) for member in members}
        for pointer, id_ in aimed:
            if name_key(people[index[id_key(id_)]].side) in sides:
                raise not_allowed("jazz.refused.own_side", rule="jazz.conflict.attack", at=pointer, code="rule-forbids")
    no_character_twice(((f"{at}/by/{number}", people[member].actor) for number, member in enumerate(members)), "jazz.conflict.once")
    _check_aspects(declared, [people[member].actor for member in members], at)
    if declared.check is not None:
        _check_check(request, declared, declared.check, index, members, f"{at}/check")
    if declared.rescue is not None:
        may = {id_key(id_) for id_ in (*declared.by, *(declared.preferred if declared.attacks else ()))}
        if id_key(declared.rescue) not in may:
            raise not_allowed("jazz.refused.rescue_for_whom", rule="jazz.karma.rescue", at=f"{at}/rescue")


def _aimed(declared: JazzDeclared, at: str) -> Iterator[tuple[str, Id]]:
    """Those it is aimed at, with their pointers."""
    if declared.attack is not None and len(declared.attack) == 1:
        yield f"{at}/attack", declared.attack[0]
    elif declared.check is not None:
        if declared.check.against is not None:
            yield f"{at}/check/against", declared.check.against
        if declared.check.subject is not None:
            yield f"{at}/check/subject", declared.check.subject
    else:
        for number, id_ in enumerate(declared.preferred):
            yield f"{at}/{declared.kind}/{number}", id_


def _check_aspects(declared: JazzDeclared, actors: Sequence[JazzActor], at: str) -> None:
    """Refuse an aspect that none of those who act has."""
    names = {name_key(aspect.name) for actor in actors if actor.character for aspect in actor.character.aspects}
    for number, name in enumerate(declared.using or ()):
        if name_key(name) not in names:
            near = [aspect.name for actor in actors if actor.character for aspect in actor.character.aspects]
            place = f"{at}/using/{number}"
            raise not_allowed(
                "jazz.refused.nobody_has_aspect", rule="jazz.aspects.highest", at=place, code="unknown-aspect", name=name, near=near
            )


def _check_check(
    request: JazzConflict, declared: JazzDeclared, asked: JazzConflictCheck, index: dict[str, int], members: list[int], at: str
) -> None:
    """Refuse an opponent of one's own, and a subject without a sheet."""
    if asked.against is not None and index[id_key(asked.against)] in members:
        raise not_allowed("jazz.refused.against_oneself", rule="jazz.check.contest", at=f"{at}/against")
    if asked.subject is not None and request.combatants[index[id_key(asked.subject)]].actor.character is None:
        raise not_allowed("jazz.refused.subject_without_sheet", rule="jazz.weird.restore", at=f"{at}/subject")


# ── What a ruling shows ──────────────────────────────────────────────────────────────────────────────────────────────


class JazzTurnResult(OutputModel):
    """One turn of a conflict."""

    by: list[Id]
    """The ids of those in the declared action."""
    kind: Literal["attack", "targets", "check", "pass", "wait"]
    """What they declared."""
    on: list[Id]
    """The ids of those who were attacked, opposed or healed."""
    outcome: str
    """The outcome of the action, or `passed`, `waiting`, `lost`."""
    succeeded: bool | None
    """Whether it succeeded; null where there is no answer."""
    total: int | None
    """The number reached, if any."""
    target: int | None
    """The number to reach, if any."""
    margin: int | None
    """Total minus target, if there are both."""
    summary: str
    """What happened, in one line."""
    rolls: list[str]
    """The names of the rolls made; they are in the ruling's `rolls`."""
    results: list[PartResult] | None = None
    """Of an attack on several: the result for each of them."""
    factors: list[Factor] | None = None
    """What mattered in this turn; only if included."""
    options: list[Option] | None = None
    """What the rules leave open in this turn; only if included."""


ORDER_AFTER = Annotated[list[JazzPlace], Field(description="The places of the order of initiative, first to last.")]
STATE_AFTER: dict[str, Any] = {
    "order": ORDER_AFTER,
    "round": Annotated[int, Field(description="The number of the round now.")],
    "acted": Annotated[list[Id], Field(description="Who has had their action in this round.")],
    "waiting": Annotated[list[Id], Field(description="Who let their turn pass to act later in this round.")],
    "falling": Annotated[list[Id], Field(description="Who was put out by somebody of their own place and still acts.")],
}
COMMON_FIELDS: dict[str, Any] = {
    "next": Annotated[list[Id], Field(description="The ids of those whose turn is next; empty once the conflict is over.")],
    "over": Annotated[
        str | None, Field(description="The side that still stands once the conflict is over; null while it goes on or if nobody stands.")
    ],
}


# ── The engine ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Inner(NamedTuple):
    """An ordinary action inside the conflict: its rule, its participants by place, and those it is aimed at."""

    rule: Callable[[Dice], Verdict]
    people: dict[str, int]
    on: list[int]
    rolled: dict[str, int]
    """Those of ``people`` who may roll: the others are healed."""


Taking = Callable[[Inner, Offer], Offer]
"""Makes an option of an inner action one of the conflict; None drops it."""


@dataclass(slots=True)
class Conflict:
    """A conflict in progress. ``actors`` are the combatants' actors as they are now; ``verdict`` collects what happened."""

    request: JazzConflict
    dice: Dice
    verdict: Verdict
    places: list[list[int]]
    totals: list[int | None]
    actors: list[JazzActor] = field(init=False)
    acted: list[int] = field(init=False)
    waiting: list[int] = field(init=False)
    falling: list[int] = field(init=False)
    round: int = field(init=False)
    place_of: dict[int, int] = field(init=False)
    index: dict[str, int] = field(init=False)
    unspent: set[int] = field(init=False)
    """Those whose die to spend or impose and whose extraordinary use were not used yet."""
    to_come: set[int] = field(default_factory=set)
    """Those who have an action of their own to come: what they may use once is kept for it."""
    held_back: set[int] = field(default_factory=set)
    """Those who wait in a round because their team acts in a later place."""

    def __post_init__(self) -> None:
        request = self.request
        self.index = request.index
        self.actors = [prepared(combatant) for combatant in request.combatants]
        self.acted = [self.index[id_key(id_)] for id_ in request.acted]
        self.waiting = [self.index[id_key(id_)] for id_ in request.waiting]
        self.falling = [self.index[id_key(id_)] for id_ in request.falling]
        self.acted, self.falling = list(self.acted), [who for who in self.falling if who not in self.acted and not self.stands(who)]
        self.waiting = [who for who in self.waiting if who not in self.acted and self.stands(who)]
        self.round = request.round
        self.place_of = {who: number for number, place in enumerate(self.places) for who in place}
        self.unspent = set(range(len(self.actors)))

    # ── who stands, and who is next ──

    def name(self, who: int) -> str:
        """What refusals call a combatant."""
        return self.request.combatants[who].name

    def stands(self, who: int) -> bool:
        """Whether a combatant is still in the fight (jazz.conflict.out); without a sheet always."""
        return stands(self.actors[who])

    def may_act(self, who: int) -> bool:
        """Whether a combatant still has an action in this round: they stand or are falling, and have not acted."""
        return who not in self.acted and (who in self.falling or self.stands(who))

    def next_up(self) -> list[int]:
        """Who is next: those of the first place who may act and do not wait; or else those who wait."""
        for place in self.places:
            able = [who for who in place if self.may_act(who) and who not in self.waiting]
            if able:
                return able
        return [who for place in self.places for who in place if self.may_act(who)]

    def sides_standing(self) -> list[str]:
        """The sides that still stand, as first written."""
        sides: dict[str, str] = {}
        standing = set()
        for who, combatant in enumerate(self.request.combatants):
            sides.setdefault(name_key(combatant.side), combatant.side)
            if self.stands(who):
                standing.add(name_key(combatant.side))
        return [side for key, side in sides.items() if key in standing]

    def is_over(self) -> bool:
        """Whether at most one side stands and nobody is still falling."""
        return not self.falling and len(self.sides_standing()) < 2

    # ── one action ──

    def participants(self, declared: JazzDeclared) -> list[int]:
        """Those in the declared action who take part in it: members who are out do not."""
        return [who for who in self.members(declared) if self.may_act(who)]

    def members(self, declared: JazzDeclared) -> list[int]:
        """Everybody in the declared action."""
        return [self.index[id_key(id_)] for id_ in declared.by]

    def standing_targets(self, declared: JazzDeclared) -> list[int]:
        """Those it is aimed at who still stand."""
        return [who for who in (self.index[id_key(id_)] for id_ in declared.preferred) if self.stands(who)]

    def inner(self, declared: JazzDeclared, acting: Sequence[int]) -> Inner:
        """The ordinary action that the declared one is now. Somebody takes part in it and, if it is aimed at anybody, somebody stands."""
        actors = [self._acting(who, declared.using) for who in acting]
        aimed = self.standing_targets(declared)
        rescued = None if declared.rescue is None else self.index[id_key(declared.rescue)]
        common: dict[str, Any] = {"house_rules": self.request.house_rules}
        if declared.attacks:
            people = {f"attackers.{number}": who for number, who in enumerate(acting)}
            values: dict[str, Any] = {"attackers": actors, "kind": "physical"}
            if declared.targets is None:
                aimed = aimed[:1]
                people["defender"] = aimed[0]
                values["defender"] = self._defending(aimed[0])
            else:
                people |= {f"targets.{number}": who for number, who in enumerate(aimed)}
                values["targets"] = [self._defending(who) for who in aimed]
            place = next((place for place, who in people.items() if who == rescued), None)
            body = JazzAttack.model_construct(**common, **values, rescue=place)
            return Inner(partial(attack, body), people, aimed, people)
        asked = declared.check
        assert asked is not None
        values = asked.terms()
        rolled: dict[str, int] = {}
        if asked.against is not None:
            rolled["opponent"] = aimed[0]
            values["opponent"] = self._defending(aimed[0])
        healed: dict[str, int] = {}
        if asked.subject is not None:
            healed["subject"] = self.index[id_key(asked.subject)]
            values["subject"] = self.actors[healed["subject"]].character
        if len(acting) > 1:
            rolled |= {f"members.{number}": who for number, who in enumerate(acting)}
            place = next((place for place, who in rolled.items() if who == rescued and place != "opponent"), None)
            team = JazzTeamwork.model_construct(**common, **values, members=actors, rescue=place)
            return Inner(partial(teamwork, team), rolled | healed, [*aimed, *healed.values()], rolled)
        rolled["actor"] = acting[0]
        alone = JazzCheck.model_construct(**common, **values, actor=actors[0], rescue=rescued == acting[0])
        return Inner(partial(check, alone), rolled | healed, [*aimed, *healed.values()], rolled)

    def _acting(self, who: int, using: list[str] | None) -> JazzActor:
        """The actor for their own action: on their feet even while falling, with the aspects of this action."""
        actor = self.actors[who]
        if who in self.falling:
            actor = on_their_feet(actor)
        if using is not None and actor.character is not None:
            keys = {name_key(name) for name in using}
            own = [aspect.name for aspect in actor.character.aspects if name_key(aspect.name) in keys]
            actor = actor.model_copy(update={"using": own})
        return actor if who in self.unspent else without_one_shots(actor)

    def _defending(self, who: int) -> JazzActor:
        """The actor for a defence. What they may use once is kept for their own action, if that is to come."""
        actor = self.actors[who]
        return actor if who in self.unspent and who not in self.to_come else without_one_shots(actor)

    def refusal(self, declared: JazzDeclared, acting: Sequence[int], at: str) -> Refusal | None:
        """What forbids the action as things stand; ``None`` if nothing does."""
        if declared.kind in ("pass", "wait"):
            return None
        inner = self.inner(declared, acting)
        refusal = refusal_before_dice(inner.rule)
        return (
            None
            if refusal is None
            else with_pointers(refusal, {**self._pointers(inner), "rescue": f"{at}/rescue"}, self._elsewhere(declared, at))
        )

    def _pointers(self, inner: Inner) -> dict[str, str]:
        pointers = {place: f"/combatants/{who}/actor" for place, who in inner.rolled.items()}
        subject = inner.people.get("subject")
        return pointers if subject is None else {**pointers, "subject": f"/combatants/{subject}/actor/character"}

    @staticmethod
    def _elsewhere(declared: JazzDeclared, at: str) -> str:
        return f"{at}/check" if declared.check is not None else at

    def act(self, declared: JazzDeclared, acting: Sequence[int], field: str, taking: Taking, slot: int) -> Part:
        """Carry out an action that nothing forbids, in a place of the order, and apply what it changes."""
        if declared.kind == "pass":
            self.dice.note("jazz.conflict.action", _for("passes", acting), who=_places(acting))
            self.has_acted(acting)
            return self.part(declared, field, Verdict("passed", None), told=say(_for("passed", acting), who=_places(acting)))
        if declared.kind == "wait":
            self.dice.note("jazz.team.attack", _for("waits", acting), who=_places(acting))
            self.waiting += [who for who in acting if who not in self.waiting]
            return self.part(declared, field, Verdict("waiting", None), told=say(_for("waiting", acting), who=_places(acting)))
        inner = self.inner(declared, acting)
        purpose = "check" if declared.check is not None else "attack"
        first = self.index[id_key(declared.by[0])]
        rolls = {
            place: f"combatants.{who}.round{self.round}.{purpose if who in acting else f'against.{first}'}"
            for place, who in inner.rolled.items()
        }
        offers: list[Offer] = []

        places = {place: f"combatants.{who}" for place, who in inner.people.items()}
        # options of the inner action are none of the request
        view = InnerDice(
            self.dice, "jazz", places | {"": "turn"}, rolls | _team_of(rolls), lambda offer: offers.append(taking(inner, offer))
        )
        for who in set(self.members(declared)).difference(acting):
            self.dice.note("jazz.conflict.out", "turn.member_out", who=f"combatants.{who}")
        self._report_target(declared, inner)
        verdict = inner.rule(view)
        made = set(view.made)
        for place, who in inner.rolled.items():
            if rolls[place] in made or verdict.outcome == "automatic":
                self._use_up(who, rolled=rolls[place] in made, own=who in acting)
        start = len(self.verdict.changes)
        before = [who for who in range(len(self.actors)) if self.stands(who)]
        for change in verdict.changes:
            self._apply(inner.people[change.on], change)
        waited = set(self.waiting)
        self.has_acted(acting)
        self._fall(before, waited, acting, slot)
        part = self.part(declared, field, verdict, on=inner.on, told=self._told(declared, acting, inner, verdict), rolls=tuple(view.made))
        part.changes = start, len(self.verdict.changes)
        part.options = offers
        return part

    def _report_target(self, declared: JazzDeclared, inner: Inner) -> None:
        """Report those who are out and therefore not attacked."""
        for id_ in declared.preferred:
            who = self.index[id_key(id_)]
            if who in inner.on:
                if declared.targets is None:
                    break
                continue
            self.dice.note("jazz.conflict.out", "turn.target_out", who=f"combatants.{who}")

    def lose(self, declared: JazzDeclared, field: str, key: str, **facts: object) -> Part:
        """A turn that is lost, and why."""
        who = _places(self.members(declared))
        self.dice.note("jazz.conflict.out", key, who=who, **facts)
        return self.part(declared, field, Verdict("lost", None), told=say(key, who=who, **facts))

    def part(
        self,
        declared: JazzDeclared,
        field: str,
        verdict: Verdict,
        *,
        told: Sentence,
        on: Sequence[int] = (),
        rolls: tuple[str, ...] = (),
    ) -> Part:
        """What the ruling shows of one action."""
        ids = [combatant.id for combatant in self.request.combatants]
        shown: dict[str, Any] = {"by": declared.by, "kind": declared.kind, "on": [ids[who] for who in on], "rolls": list(rolls)}
        results = verdict.fields.get("results")
        if results is not None:
            shown["results"] = [{**result, "on": ids[who]} for result, who in zip(results, on, strict=True)]
        # in a round the dice may decide which turn comes when
        return Part(field, verdict, rolls, shown=shown, told=told, counted=field == "turn")

    def _told(self, declared: JazzDeclared, acting: Sequence[int], inner: Inner, verdict: Verdict) -> Sentence:
        who, on = _places(acting), _places(inner.on)
        results = verdict.fields.get("results")
        if results is not None:
            facts = [
                {"on": place, "total": result["total"], "target": result["target"], "outcome": result["outcome"]}
                for place, result in zip(on, results, strict=True)
            ]
            return say(_for("targets", acting), who=who, results=[say("turn.target_result", **fact) for fact in facts])
        if verdict.total is None:
            return say("turn.check_no_roll", who=who, outcome=verdict.outcome)
        key, what = _for("attack", acting) if declared.attacks else "turn.check", dict[str, Any](on=on[:1])
        if declared.check is not None and declared.check.against is not None:
            key = "turn.contest"
        elif declared.check is not None and declared.check.effect is not None:
            key, what = f"attempt.summary_row{'_team' if len(acting) > 1 else ''}", {"row": declared.check.effect}
        return say(key, who=who, total=verdict.total, target=verdict.target, outcome=verdict.outcome, **what)

    # ── what changes ──

    def _use_up(self, who: int, *, rolled: bool, own: bool) -> None:
        """What stands on the actor for one roll is used up by it."""
        if who not in self.unspent or (who in self.to_come and not own):
            return
        sent = self.request.combatants[who].actor
        used = ["spend", "imposeKarma"] if rolled else []
        names = {"spend": "spend", "imposeKarma": "impose_karma", "extraordinary": "extraordinary"}
        for wire in (*used, "extraordinary"):
            if names[wire] in sent.model_fields_set:
                self.verdict.removed.append((f"combatants.{who}", wire))
        if rolled:
            self.unspent.discard(who)
        else:
            self.actors[who] = self.actors[who].model_copy(update={"extraordinary": None})

    def _apply(self, who: int, change: Change) -> None:
        self.actors[who] = with_change(self.actors[who], change)
        self.verdict.changes.append(Change(f"combatants.{who}", change.stat, change.before, change.to, change.change))

    def has_acted(self, acting: Sequence[int]) -> None:
        """They have had their action in this round."""
        self.acted += [who for who in acting if who not in self.acted]
        self.waiting = [who for who in self.waiting if who not in acting]
        self.falling = [who for who in self.falling if who not in acting]
        self.to_come.difference_update(acting)

    def _fall(self, before: Sequence[int], waited: set[int], acting: Sequence[int], slot: int) -> None:
        """jazz.conflict.out: who was put out by somebody of their own place still acts, for a place is one moment."""
        self.falling = [who for who in self.falling if not self.stands(who)]
        moment = {slot, *(self.place_of[who] for who in acting)}
        for who in before:
            if self.stands(who):
                continue
            self.waiting = [other for other in self.waiting if other != who]
            if who not in self.acted and who not in waited | self.held_back and self.place_of[who] in moment:
                self.falling.append(who)
                self.dice.note("jazz.conflict.order", "turn.falling", who=f"combatants.{who}")

    def end_turn(self) -> None:
        """A new round begins after the last turn, unless the conflict is over."""
        if not self.is_over() and not self.next_up():
            self.new_round()

    def new_round(self) -> None:
        """The next round begins."""
        self.round += 1
        self.acted, self.waiting, self.falling = [], [], []

    def conclude(self) -> Verdict:
        """The verdict: what is left, who is next, and whether it is over."""
        request, verdict = self.request, self.verdict
        over = self.is_over()
        sides = self.sides_standing()
        ids = [combatant.id for combatant in request.combatants]
        verdict.outcome = "finished" if over else "ongoing"
        verdict.fields["next"] = [] if over else [ids[who] for who in self.next_up()]
        verdict.fields["over"] = sides[0] if over and sides else None
        verdict.after = {
            "order": self.order_after(),
            "round": self.round,
            "acted": [ids[who] for who in self.acted],
            "waiting": [ids[who] for who in self.waiting],
            "falling": [ids[who] for who in self.falling],
        }
        if over and sides:
            self.dice.note("jazz.conflict.out", "turn.over", side=sides[0])
        elif over:
            self.dice.note("jazz.conflict.out", "turn.nobody_stands")
        return verdict

    def order_after(self) -> list[dict[str, Any]]:
        """The order as sent, or as it was rolled here."""
        if self.request.order:
            return [place.model_dump(by_alias=True, exclude_unset=True) for place in self.request.order]
        return order_of(self.places, self.totals, [combatant.id for combatant in self.request.combatants])


def order_of(places: Sequence[Sequence[int]], totals: Sequence[int | None], ids: Sequence[Id]) -> list[dict[str, Any]]:
    """The places as published."""
    return [{"ids": [ids[who] for who in place], "total": total} for place, total in zip(places, totals, strict=True)]


def begun(request: JazzConflict, dice: Dice, *, among: Sequence[int] | None = None) -> Conflict:
    """The conflict of a request, with the order that was sent or is rolled now. The odds need only the order ``among`` some."""
    _check_able(request)
    if request.order:
        index = request.index
        places = [[index[id_key(id_)] for id_ in place.ids] for place in request.order]
        totals = [place.total for place in request.order]
    else:
        entrants = dict(enumerate(request.combatants))
        places, totals = roll_order(entrants, initiative_ties(request), dice, among=among)
    report_kind(request.kind, dice)
    report_weird_pools(dice, [(f"combatants.{index}", combatant.actor.character) for index, combatant in enumerate(request.combatants)])
    return Conflict(request, dice, Verdict("ongoing", None), places, totals)


def is_over(request: JazzConflict) -> bool:
    """Whether the conflict is over as it was sent: at most one side stands, and nobody is still falling."""
    index = request.index
    falling = {index[id_key(id_)] for id_ in request.falling} - {index[id_key(id_)] for id_ in request.acted}
    if any(not stands(request.combatants[who].actor) for who in falling):
        return False
    return len({name_key(combatant.side) for combatant in request.combatants if stands(combatant.actor)}) < 2


def _check_able(request: JazzConflict) -> None:
    """Refuse dice that are not held or would be wasted, of anybody who stands."""
    for index, combatant in enumerate(request.combatants):
        if stands(combatant.actor):
            check_dice(combatant.actor, f"combatants.{index}.actor")


def _team_of(rolls: dict[str, str]) -> dict[str, str]:
    """The name for what a team adds: that of its first member's roll."""
    return {field: rolls[f"{field}.0"] for field in ("attackers", "members") if f"{field}.0" in rolls}


def _for(key: str, people: Sequence[int]) -> str:
    """The key of a sentence about one, or about several."""
    return f"turn.team_{key}" if len(people) > 1 else f"turn.{key}"


def _places(people: Sequence[int]) -> list[str]:
    return [f"combatants.{who}" for who in people]


def stands(actor: JazzActor) -> bool:
    """Whether an actor is still in the fight (jazz.conflict.out). An actor without a sheet always is."""
    return actor.character is None or not actor.character.is_out()


def prepared(combatant: JazzCombatant) -> JazzActor:
    """The actor with derived pools marked as sent, so that each turn does not report them again, and the id for a name."""
    actor = combatant.actor
    if actor.character is not None:
        return with_explicit_pools(actor, actor.character)
    if actor.name is None:
        return actor.model_copy(update={"name": str(combatant.id)})
    return actor


def with_explicit_pools(actor: JazzActor, sheet: JazzCharacter) -> JazzActor:
    """The same actor with derived pools marked as sent."""
    return actor.model_copy(update={"character": sheet.model_copy(update={"health": sheet.health, "weird": sheet.weird})})


def on_their_feet(actor: JazzActor) -> JazzActor:
    """The same actor as if not out of the fight. Only somebody with a sheet can be out."""
    sheet = actor.character
    assert sheet is not None
    update: dict[str, Any] = {"out": False}
    if sheet.health is not None:
        update["health"] = sheet.health.model_copy(update={"current": max(sheet.health.current, 1)})
    return actor.model_copy(update={"character": sheet.model_copy(update=update)})


def without_one_shots(actor: JazzActor) -> JazzActor:
    """The same actor with no die to spend or impose, and no extraordinary use."""
    if actor.spend is None and not actor.impose_karma and not actor.extraordinary:
        return actor
    return actor.model_copy(update={"spend": None, "impose_karma": False, "extraordinary": None})


def with_change(actor: JazzActor, change: Change) -> JazzActor:
    """The same actor after one change to the sheet."""
    sheet = actor.character
    if sheet is None or (change.before is None and change.to is None):
        return actor
    return actor.model_copy(update={"character": _changed(sheet, change)})


def _changed(sheet: JazzCharacter, change: Change) -> JazzCharacter:
    name = next(name for name, info in type(sheet).model_fields.items() if (info.alias or name) == change.stat)
    value: Any = getattr(sheet, name)
    if change.stat in ("health", "weird"):
        return sheet.model_copy(update={name: value.model_copy(update={"current": change.to})})
    return sheet.model_copy(update={name: change.to})


def taking_rescue(request: JazzConflict, declared: JazzDeclared, patch: Callable[[dict[str, Any]], dict[str, Any]]) -> Taking:
    """Makes the options of an inner action options of the conflict: a rescue names the combatant, and ``patch`` wraps the declared action.

    Options that another action carries out stay as they are; of all others a rescue is the only one.
    """

    def taking(inner: Inner, offer: Offer) -> Offer:
        if offer.request is None:
            return offer
        rescue = offer.request["rescue"]
        who = inner.people["actor" if rescue is True else str(rescue)]
        sent = declared.model_dump(by_alias=True, exclude_unset=True)
        return offer._replace(request=patch({**sent, "rescue": request.combatants[who].id}))

    return taking


def possible_rolls(request: JazzConflict, declared: Sequence[JazzDeclared]) -> set[str]:
    """The names of all rolls that the declared actions, and initiative where none was sent, may lead to."""
    index = request.index
    names: set[str] = set()
    if not request.order:
        for who in range(len(request.combatants)):
            names.add(f"combatants.{who}")
            names.update(f"combatants.{who}.tie{number}" for number in range(1, MAX_TIES_NAMED + 1))
    for action in declared:
        if action.kind in ("pass", "wait"):
            continue
        purpose = "check" if action.check is not None else "attack"
        rolls = {index[id_key(id_)]: f"combatants.{index[id_key(id_)]}.round{request.round}.{purpose}" for id_ in action.by}
        first = index[id_key(action.by[0])]
        for id_ in action.preferred:
            rolls[index[id_key(id_)]] = f"combatants.{index[id_key(id_)]}.round{request.round}.against.{first}"
        names.update(rolls.values())
        if action.rescue is not None:
            names.add(f"{rolls[index[id_key(action.rescue)]]}.rescue")
    return names
