"""A conflict: declared actions in the game master's order, with everything carried from one to the next (darkpages.iiee.conflict)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, Union, get_args

from pydantic import Field, ValidationError, create_model, model_validator

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.dice.source import Dice, Offer
from tablecall.model.annotations import union_members
from tablecall.model.base import Body, Id, Model, Participant, WholeNumber, not_allowed
from tablecall.model.findings import unprocessable
from tablecall.model.refusals import Refusal, pointer
from tablecall.model.ruling import PartResult
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages import attack, checks, concede, damage, defend, no_mercy, swarm, teamwork
from tablecall.systems.darkpages.prepare import with_change
from tablecall.systems.darkpages.recovery import recover
from tablecall.systems.darkpages.sheet import Attribute, Choice, DarkpagesActor, DarkpagesBody, DarkpagesCharacter, DiceKept, Modifier
from tablecall.systems.inner import InnerDice, refusal_before_dice, with_pointers
from tablecall.systems.verdict import Change, Part, Verdict

RULE = "darkpages.iiee.conflict"
MAX_PARTICIPANTS = 64
MAX_ACTIONS = 32


class Kind(NamedTuple):
    """An action that may be declared: its body, its rule, its summary, and the field of who acts."""

    body: type[Body]
    rule: Callable[[Any, Dice], Verdict]
    summary: Callable[[Any, Verdict, RolledDice], list[Sentence]]
    acting: str


KINDS: dict[str, Kind] = {
    "darkpages.check": Kind(checks.DarkpagesCheck, checks.check, checks.summary, "actor"),
    "darkpages.attack": Kind(attack.DarkpagesAttack, attack.attack, attack.summary, "attacker"),
    "darkpages.defend": Kind(defend.DarkpagesDefend, defend.defend, defend.summary, "attacker"),
    "darkpages.teamwork": Kind(teamwork.DarkpagesTeamwork, teamwork.teamwork, teamwork.summary, "members"),
    "darkpages.swarm": Kind(swarm.DarkpagesSwarm, swarm.swarm, swarm.summary, "members"),
    "darkpages.concede": Kind(concede.DarkpagesConcede, concede.concede, concede.summary, "character"),
    "darkpages.noMercy": Kind(no_mercy.DarkpagesNoMercy, no_mercy.no_mercy, no_mercy.summary, "attacker"),
    "darkpages.damage": Kind(damage.DarkpagesDamageCheck, damage.damage, damage.summary, ""),
}
"""The actions of a conflict. A damage check has no actor of its own: it happens to somebody."""


class DarkpagesFighter(Participant):
    """Somebody who rolls or is struck in a conflict."""

    id: Id
    """Your own identifier, unique within the request; the actions use it."""
    actor: DarkpagesActor
    """The character or the pool, with the usual `attribute` and `keep`."""


class DarkpagesConflictCharacter(Model):
    """A participant, in place of a character."""

    participant: Id
    """The id of the participant."""


class DarkpagesConflictActor(Model):
    """A participant, in place of an actor. What is said here wins over what the participant says."""

    participant: Id
    """The id of the participant."""
    attribute: Attribute | None = None
    """The Attribute to roll."""
    modifiers: Annotated[list[Modifier], Field(max_length=20)] = []
    """Modifiers of the situation, such as `+1/0` (darkpages.modifiers.notation)."""
    scars: Annotated[list[Annotated[int, Field(ge=0, le=49), WholeNumber]], Field(max_length=50)] = []
    """The character's Scars with a condition that apply to this roll: positions in `character.scars`, counted from 0."""
    keep: Choice | None = None
    """Which dice to keep (darkpages.dice.choice). `highest`: the highest dice. `mostZeros`: as many zeros as possible, then the highest.
    `mostZerosThatSucceed`: as many zeros as still succeed, or the highest dice if nothing succeeds."""
    keep_dice: DiceKept | None = None
    """The exact dice to keep: positions in the order drawn, counted from 0. Overrides `keep`."""


def _participant_type(annotation: Any) -> tuple[type[Participant] | None, bool]:
    """The participant model of a field, and whether the field is a list of them."""
    for member in union_members(annotation):
        if isinstance(member, type) and issubclass(member, Participant):
            return member, False
        for part in getattr(member, "__args__", ()):
            if isinstance(part, type) and issubclass(part, Participant):
                return part, True
    return None, False


def _declared(tag: str, kind: Kind) -> type[Model]:
    """The model of a declared action: the fields of the single action, with participants by their ids."""
    common = {*DarkpagesBody.model_fields, "keep_choices", "exchanges"}
    fields: dict[str, Any] = {"action": (Literal[tag], Field(description="The action."))}
    for name, info in kind.body.model_fields.items():
        if name in common:
            continue
        who, is_list = _participant_type(info.annotation)
        annotation: Any = info.annotation
        if who is not None:
            annotation = DarkpagesConflictActor if who is DarkpagesActor else DarkpagesConflictCharacter
            annotation = list[annotation] if is_list else annotation
            annotation = annotation if info.is_required() else Union[annotation, None]  # noqa: UP007 — built at run time
        options = {} if info.is_required() else {"default": info.get_default(call_default_factory=True)}
        annotation = Annotated[annotation, *info.metadata] if info.metadata else annotation
        fields[name] = (annotation, Field(description=info.description, **options))
    title = tag.partition(".")[2]
    made: type[Model] = create_model(
        f"DarkpagesConflict{title[0].upper()}{title[1:]}",
        __base__=Model,
        __doc__=f"`{tag}` in a conflict, with participants by their ids.",
        **fields,
    )
    return made


DECLARED: dict[str, type[Model]] = {tag: _declared(tag, kind) for tag, kind in KINDS.items()}
globals().update({model.__name__: model for model in DECLARED.values()})  # odds are computed in other processes: pickle looks here
_Declared: Any = Annotated[Union[tuple(DECLARED.values())], Field(discriminator="action")]  # noqa: UP007
Ids = dict[str, int]


class DarkpagesConflict(DarkpagesBody):
    """Several actions of a conflict, in the game master's order (darkpages.iiee.conflict)."""

    large_ruling: ClassVar[bool] = True

    participants: Annotated[list[DarkpagesFighter], Field(min_length=1, max_length=MAX_PARTICIPANTS)]
    """Everybody who rolls or is struck; their rolls are named `participants.0.action1`, …"""
    actions: Annotated[list[_Declared], Field(max_length=MAX_ACTIONS)] = []
    """The declared actions, in the game master's order, with participants by their ids."""
    done: Annotated[int, Field(ge=0, le=1_000_000), WholeNumber] = 0
    """How many actions of this conflict came before."""
    end: bool = False
    """The conflict is over: Defeated ends for everybody (darkpages.recovery.conflictEnd)."""
    keep_choices: bool = False
    """Whether the odds compare every choice of dice to keep (darkpages.dice.choice) for every player among the participants. What an
    action says of its dice stays. Rulings do not depend on it."""

    def variants(self) -> Iterator[tuple[dict[str, Any], Body]]:
        """The conflict with each choice of dice, for each player (darkpages.dice.choice)."""
        if not self.keep_choices:
            return
        for number, participant in enumerate(self.participants):
            if participant.actor.is_npc:
                continue
            for keep in get_args(Choice):
                actor = participant.actor.model_copy(update={"keep": keep, "keep_dice": None})
                participants = list(self.participants)
                participants[number] = participant.model_copy(update={"actor": actor})
                variant = self.model_copy(update={"participants": participants, "keep_choices": False})
                yield {"on": f"participants.{number}", "keep": keep}, type(self).model_validate(variant.sent)

    @model_validator(mode="after")
    def _check_actions(self) -> Self:
        index: Ids = {}
        for number, participant in enumerate(self.participants):
            if str(participant.id) in index:
                at = f"/participants/{number}/id"
                raise not_allowed("darkpages.refused.id_twice", rule=RULE, at=at, code="conflicting-fields")
            index[str(participant.id)] = number
        if not self.actions and not self.end:
            raise not_allowed("darkpages.refused.no_actions", rule=RULE, at="/actions", code="missing-field")
        self.__dict__["declared"] = [Declared.read(self, number, index) for number in range(len(self.actions))]
        return self

    def possible_rolls(self) -> set[str]:
        """The names of all rolls that this request may lead to."""
        names: set[str] = set()
        for number, declared in enumerate(self.__dict__["declared"]):
            for who in declared.people.values():
                name = f"participants.{who}.action{self.done + number + 1}"
                names.update((name, f"{name}.damage", f"{name}.second"))
        return names


@dataclass(slots=True)
class Declared:
    """A declared action: its request as a single action, with the participants as they were sent, and who takes part, by place."""

    tag: str
    body: Body
    people: dict[str, int]

    @classmethod
    def read(cls, request: DarkpagesConflict, number: int, index: Ids) -> Declared:
        """The action of that number. Refuses unknown participants, one participant in two roles, and what the single action refuses."""
        sent = request.actions[number].model_dump(by_alias=True, exclude_unset=True)
        tag = sent.pop("action")
        kind = KINDS[tag]
        people: dict[str, int] = {}
        at = f"/actions/{number}"
        for name, info in kind.body.model_fields.items():
            alias = info.alias or name
            who, is_list = _participant_type(info.annotation)
            if who is None or sent.get(alias) is None:
                continue
            references = sent[alias] if is_list else [sent[alias]]
            places = [f"{alias}.{position}" if is_list else alias for position in range(len(references))]
            documents = []
            for place, reference in zip(places, references, strict=True):
                people[place] = _known(reference["participant"], index, people, at + pointer(place, "participant"))
                documents.append(_document(request.participants[people[place]].actor, reference, who, at + pointer(place)))
            sent[alias] = documents if is_list else documents[0]
        if request.house_rules is not None:
            sent["houseRules"] = request.house_rules.model_dump(by_alias=True, exclude_unset=True)
        try:
            body = kind.body.model_validate(sent)
        except ValidationError as error:
            raise _within(error, at) from None
        return cls(tag, body, people)


def _known(id_: Id, index: Ids, people: Mapping[str, int], at: str) -> int:
    if str(id_) not in index:
        raise not_allowed("darkpages.refused.unknown_participant", rule=RULE, at=at, code="unknown-name", name=str(id_), near=list(index))
    who = index[str(id_)]
    if who in people.values():
        raise not_allowed("darkpages.refused.one_role", rule=RULE, at=at, code="conflicting-fields", name=str(id_))
    return who


def _document(actor: DarkpagesActor, reference: Mapping[str, Any], who: type[Participant], at: str) -> dict[str, Any]:
    """The actor or character of a single action: the participant's, with what the reference says over it."""
    sent = actor.model_dump(by_alias=True, exclude_unset=True)
    if who is not DarkpagesActor:
        if actor.character is None:
            raise not_allowed("darkpages.refused.needs_sheet", rule=RULE, at=at, name=str(reference["participant"]))
        character: dict[str, Any] = sent["character"]
        return character
    said = {name: value for name, value in reference.items() if name != "participant"}
    if "keep" in said and "keepDice" not in said:
        sent.pop("keepDice", None)  # dice chosen one by one would override what is said here
    return sent | said


def _within(error: ValidationError, at: str) -> Exception:
    """The first error of the single action, as one of the conflict."""
    finding = unprocessable(error, Model).findings[0]
    facts: dict[str, Any] = dict(finding.facts)
    return not_allowed(finding.detail, rule=finding.rule, at=at + finding.pointer, code=finding.code, **facts)


FIELDS: dict[str, Any] = {"results": Annotated[list[PartResult] | None, Field(description="One result for each action, in order.")]}
AFTER: dict[str, Any] = {"done": Annotated[int, Field(description="How many actions of this conflict have come so far.")]}


@dataclass(slots=True)
class Running:
    """A conflict in progress: the participants' actors as they are now, and what has happened."""

    request: DarkpagesConflict
    dice: Dice
    verdict: Verdict
    actors: list[DarkpagesActor]

    def take(self, number: int, declared: Declared) -> Part:
        """Resolve one action, or skip it."""
        kind = KINDS[declared.tag]
        people, body = self._able(declared, kind)
        if body is None:
            return self._skip(declared, "conflict.skipped", who=_places(declared.people, kind.acting))
        action = self.request.done + number + 1
        refusal = refusal_before_dice(partial(kind.rule, body))
        if refusal is not None:
            rule = refusal.findings[0].rule or RULE
            return self._skip(declared, "conflict.forbidden", rule, who=_places(declared.people, kind.acting))
        places = {place: f"participants.{who}" for place, who in people.items()}
        rolls = {place: f"participants.{who}.action{action}" for place, who in people.items()}
        offers: list[Offer] = []
        view = InnerDice(self.dice, "darkpages", places, rolls, lambda offer: offers.append(self._taking(number, declared, people, offer)))
        start = len(self.verdict.changes)
        verdict = kind.rule(body, view)
        for change in verdict.changes:
            self._apply(people, change)
        part = Part("results", verdict, tuple(view.made), shown={"action": declared.tag, "rolls": list(view.made)})
        part.changes = start, len(self.verdict.changes)
        part.options = offers
        self.dice.explain(lambda: self._tell(part, kind, body, verdict, view))
        return part

    def check_allowed(self, declared: list[Declared]) -> None:
        """Refuse what the participants as they were sent forbid; nothing that happens later could allow it."""

        def probe(action: Declared, dice: Dice) -> None:
            kind = KINDS[action.tag]
            _, body = Running(self.request, dice, self.verdict, self.actors)._able(action, kind)
            if body is not None:
                kind.rule(body, dice)

        for number, action in enumerate(declared):
            refusal = refusal_before_dice(partial(probe, action))
            if refusal is not None:
                raise self._outer(refusal, number, action)

    def _able(self, declared: Declared, kind: Kind) -> tuple[dict[str, int], Body | None]:
        """Who takes part, by place, and the request as things stand; None if whoever acts is Defeated or out of the game."""
        acting = [place for place in declared.people if kind.acting and place.partition(".")[0] == kind.acting]
        able = [place for place in acting if self._stands(declared.people[place])]
        if acting and not able:
            return {}, None
        update: dict[str, Any] = {}
        people: dict[str, int] = {}
        for name, info in kind.body.model_fields.items():
            alias = info.alias or name
            who, is_list = _participant_type(info.annotation)
            value = getattr(declared.body, name)
            if who is None or value is None:
                continue
            if not is_list:
                people[alias] = declared.people[alias]
                update[name] = self._current(value, people[alias])
                continue
            kept = [position for position in range(len(value)) if self._stands(declared.people[f"{alias}.{position}"])]
            for position in range(len(value)):
                if position not in kept:
                    who_is_out = f"participants.{declared.people[f'{alias}.{position}']}"
                    self.dice.note("darkpages.damage.defeated", "conflict.no_part", who=who_is_out)
            people.update({f"{alias}.{new}": declared.people[f"{alias}.{old}"] for new, old in enumerate(kept)})
            update[name] = [self._current(value[old], declared.people[f"{alias}.{old}"]) for old in kept]
            if alias == "members" and isinstance(declared.body, teamwork.DarkpagesTeamwork):
                leader = declared.body.leader
                if leader is not None and leader not in kept:
                    return {}, None
                moved = {old: new for new, old in enumerate(kept)}
                update["leader"] = None if leader is None else moved[leader]
                update["awards"] = [moved[member] for member in declared.body.awards if member in moved]
            elif not kept:
                update[name] = value  # nobody opposes any more: the rule refuses it
                people.update({f"{alias}.{old}": declared.people[f"{alias}.{old}"] for old in range(len(value))})
        return people, declared.body.model_copy(update=update)

    def _stands(self, who: int) -> bool:
        actor = self.actors[who]
        sheet = actor.character
        return not actor.defeated if sheet is None else not (sheet.defeated or sheet.out_of_game)

    def _current(self, sent: Any, who: int) -> Any:
        """An actor or a character of the action as it is now."""
        actor = self.actors[who]
        if isinstance(sent, DarkpagesCharacter):
            return actor.character
        return sent.model_copy(update={"character": actor.character, "defeated": actor.defeated})

    def _apply(self, people: Mapping[str, int], change: Change) -> None:
        if change.on not in people:
            self.verdict.changes.append(change)  # a group
            return
        who = people[change.on]
        self.actors[who] = with_change(self.actors[who], change)
        self.verdict.changes.append(Change(f"participants.{who}", change.stat, change.before, change.to, change.change))

    def _skip(self, declared: Declared, key: str, rule: str = "darkpages.damage.defeated", **facts: object) -> Part:
        self.dice.note(rule, key, **facts)
        shown = {"action": declared.tag, "rolls": []}
        return Part("results", Verdict("skipped", None), shown=shown, told=say(key, **facts))

    def _tell(self, part: Part, kind: Kind, body: Body, verdict: Verdict, view: InnerDice) -> None:
        """The sentence of an action, from its own summary."""
        assert isinstance(self.dice, RolledDice)  # no other dice explain anything
        inner = {outer: place for place, outer in view.rolls.items()}
        record = RolledDice(self.dice.faces_of)
        for named in self.dice.rolls:
            if named.roll in view.made:
                start = next(outer for outer in inner if named.roll == outer or named.roll.startswith(f"{outer}."))
                record.rolls.append(NamedRoll(inner[start] + named.roll[len(start) :], named.who, named.result))
        sentences = [Sentence(key, view.moved_facts(key, facts)) for key, facts in kind.summary(body, verdict, record)]
        part.told = say("conflict.told", parts=sentences)

    def _taking(self, number: int, declared: Declared, people: Mapping[str, int], offer: Offer) -> Offer:
        """An option of the action as one of the conflict: the whole list of actions, with the change in that one.

        ``people`` are those who take part, by their places in the single action. Members who take no part have no place there.
        """
        assert offer.request is not None  # no action of a conflict leaves a choice to another action
        sent = [action.model_dump(by_alias=True, exclude_unset=True) for action in self.request.actions]
        patched = dict(sent[number])
        for name, value in offer.request.items():
            if name == "awards":
                assert isinstance(value, list)
                patched[name] = [_declared_position(declared.people, people[f"members.{member}"]) for member in value]
            elif isinstance(value, list) and name in _LISTS:
                references = list(patched[name])
                for position, actor in enumerate(value):
                    if "keepDice" in actor:
                        own = _declared_position(declared.people, people[f"{name}.{position}"])
                        references[own] = {**references[own], "keepDice": actor["keepDice"]}
                patched[name] = references
            else:
                patched[name] = {**patched[name], **value} if isinstance(value, dict) else value
        sent[number] = patched
        return offer._replace(request={"actions": sent})

    def _outer(self, refusal: Refusal, number: int, declared: Declared) -> Refusal:
        sheets = [name for name in declared.people if isinstance(getattr(declared.body, name, None), DarkpagesCharacter)]
        pointers = {place: f"/participants/{who}/actor{'/character' * (place in sheets)}" for place, who in declared.people.items()}
        return with_pointers(refusal, pointers, f"/actions/{number}")

    def finish(self) -> None:
        """darkpages.recovery.conflictEnd: Defeated ends for everybody."""
        for who, actor in enumerate(self.actors):
            where = f"participants.{who}"
            if actor.character is not None and actor.character.defeated:
                recover(actor.character, where, "conflictEnd", self.dice, self.verdict)
            elif actor.defeated:
                self.dice.note("darkpages.recovery.conflictEnd", "recover.in_play", who=where)
                self.verdict.set_flag(where, "defeated", to=False)


_LISTS = ("members", "opponents")
"""The fields of actions that list actors."""


def _declared_position(people: Mapping[str, int], who: int) -> int:
    """The position of a participant in the list of the action as it was declared."""
    return next(int(place.rpartition(".")[2]) for place, number in people.items() if number == who)


def _places(people: Mapping[str, int], acting: str) -> list[str]:
    """The outer places of whoever acts; of everybody if the action has no actor."""
    who = [who for place, who in people.items() if not acting or place.partition(".")[0] == acting]
    return [f"participants.{number}" for number in who]


def conflict(request: DarkpagesConflict, dice: Dice) -> Verdict:
    """Resolve the declared actions one after the other.

    Outcomes: ``ongoing``, ``finished`` (with ``end``). ``results`` has one entry for each action, ``after`` everything carried along.
    Refuses what the single actions refuse of the participants as they were sent; what only an earlier action forbids is skipped.
    """
    actors = [_named(participant) for participant in request.participants]
    running = Running(request, dice, Verdict("ongoing", None), actors)
    declared: list[Declared] = request.__dict__["declared"]
    dice.cached("allowed", lambda: running.check_allowed(declared))
    parts = [running.take(number, action) for number, action in enumerate(declared)]
    verdict = running.verdict
    if request.end:
        running.finish()
        verdict.outcome = "finished"
    verdict.parts = parts
    verdict.fields["results"] = [part.shown for part in parts]
    verdict.after = {"done": request.done + len(parts)}
    return verdict


def _named(participant: DarkpagesFighter) -> DarkpagesActor:
    """The actor, with the id for a name if there is none."""
    actor = participant.actor
    if actor.character is None and actor.name is None:
        return actor.model_copy(update={"name": str(participant.id)})
    return actor


def summary(request: DarkpagesConflict, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """What happened in each action, and whether the conflict is over."""
    told = [part.told for part in verdict.parts if part.told is not None]
    return [*told, say("conflict.over")] if request.end else told
