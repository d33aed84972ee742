"""Build rollers from requests: the rating, everything that changes the pool, and who may act at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, get_args

from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, Forbidden, Unprocessable, pointer
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import (
    MAX_POOL,
    Attribute,
    Choice,
    DarkpagesActor,
    DarkpagesBody,
    DarkpagesCharacter,
    DarkpagesPool,
    Floor,
    Overflow,
    PoolChange,
    read_modifier,
)
from tablecall.systems.darkpages.tables import PENALTIES, TRAITS
from tablecall.systems.verdict import Change

Placed = tuple[DarkpagesActor, str]
"""A participant and its place in the request, such as ``members.0``."""
Contribution = tuple[str, str, PoolChange]
"""One change of a pool: its kind, its name, the dice it adds or removes."""


class DarkpagesPools(DarkpagesBody):
    """Options of every action that rolls."""

    options: ClassVar[frozenset[str]] = frozenset({"floor", "overflow"})

    floor: Floor | None = None
    """What penalties leave at least (darkpages.modifiers.floor). `one`: one die to roll and one to keep. `zero`: no dice at all is
    possible; the total is then 0 and fails. Left out: as `houseRules` says, else `one`."""
    overflow: Overflow | None = None
    """Whether harm counted beyond Damaged changes the roll (darkpages.damage.nonlethal). `stack`: −1/−1 for each. `hold`: no. Left out: as
    `houseRules` says, else `stack`."""

    keep_choices: bool = False
    """Whether the odds compare every choice of dice to keep (darkpages.dice.choice) for everybody who may choose. Rulings do not depend
    on it."""

    def variants(self) -> Iterator[tuple[dict[str, Any], Body]]:
        """The request with each choice of dice, for each player who rolls (darkpages.dice.choice)."""
        return keep_variants(self) if self.keep_choices else iter(())

    @property
    def least_dice(self) -> int:
        """The fewest dice that penalties leave."""
        return 0 if (self.floor or self.house("floor")) == "zero" else 1

    @property
    def overflow_weighs(self) -> bool:
        """Whether harm counted beyond Damaged changes the roll."""
        return (self.overflow or self.house("overflow") or "stack") == "stack"


def keep_variants(request: DarkpagesPools) -> Iterator[tuple[dict[str, Any], Body]]:
    """The request with each choice of dice: for each single player, for all players in a list, and for the damage check."""
    plain = request.model_copy(update={"keep_choices": False})
    for name, info in type(request).model_fields.items():
        value = getattr(request, name)
        alias = info.alias or name
        for keep in get_args(Choice):
            chosen = {"keep": keep, "keep_dice": None}
            if isinstance(value, DarkpagesActor) and not value.is_npc:
                yield {"on": alias, "keep": keep}, plain.model_copy(update={name: value.model_copy(update=chosen)})
            elif isinstance(value, list) and any(isinstance(item, DarkpagesActor) and not item.is_npc for item in value):
                players = [item if item.is_npc else item.model_copy(update=chosen) for item in value]
                yield {"on": alias, "keep": keep}, plain.model_copy(update={name: players})
            elif name == "damage_keep" and may_choose_damage_dice(request):
                yield {"on": alias, "keep": keep}, plain.model_copy(update={name: keep, "damage_keep_dice": None})


def may_choose_damage_dice(request: DarkpagesPools) -> bool:
    """Whether a player may have to make the damage check of the request."""
    if getattr(request, "trauma", None) is None:
        return False
    return any(
        isinstance(actor, DarkpagesActor) and not actor.is_npc
        for actor in (getattr(request, name, None) for name in ("defender", "ward", "actor"))
    )


def display_name(actor: DarkpagesActor, where: str) -> str:
    """The name of a roller: the character's, else its own, else the place in the request."""
    return actor.character.name if actor.character else actor.name or where


def with_change(actor: DarkpagesActor, change: Change) -> DarkpagesActor:
    """The same actor after one change."""
    sheet = actor.character
    if sheet is None:
        return actor.model_copy(update={"defeated": change.to}) if change.stat == "defeated" else actor
    names = {info.alias or name: name for name, info in type(sheet).model_fields.items()}
    first, _, second = change.stat.partition(".")
    name = names[first]
    value: Any = change.to
    if second:
        value = getattr(sheet, name).model_copy(update={second: change.to})
    return actor.model_copy(update={"character": sheet.model_copy(update={name: value})})


def placed(members: Sequence[DarkpagesActor], field: str = "members") -> list[Placed]:
    """The ``members`` of a request, each with its place."""
    return [(member, f"{field}.{index}") for index, member in enumerate(members)]


def require_in_play(participants: Iterable[Placed]) -> None:
    """Refuse participants who are out of the game or Defeated: they neither act nor are harmed.

    Rules: darkpages.damage.destroyed, darkpages.damage.defeated.
    """
    for actor, where in participants:
        sheet, who = actor.character, display_name(actor, where)
        if sheet is not None and sheet.out_of_game:
            raise Forbidden.by("darkpages.damage.destroyed", pointer(where, "character"), "darkpages.refused.out_of_game", who=who)
        if actor.defeated or (sheet is not None and sheet.defeated):
            at = pointer(where, "defeated" if sheet is None else "character")
            raise Forbidden.by("darkpages.damage.defeated", at, "darkpages.refused.defeated", who=who)


def own_choice(actor: DarkpagesActor, where: str) -> DiceChoice:
    """The choice of dice an actor sends. ``where`` is not inside a list: a merge patch cannot change one item."""
    return DiceChoice(actor.keep, actor.keep_dice, pointer(where, "keepDice"), lambda positions: {where: {"keepDice": positions}})


def rating(actor: DarkpagesActor, where: str, attribute: Attribute | None = None) -> tuple[int, int]:
    """How highly the actor is rated, for comparison: dice kept, then dice rolled (darkpages.teamwork)."""
    pool = _unmodified_pool(actor, attribute or actor.attribute, where)
    return pool.keep, pool.roll


def prepare(
    actor: DarkpagesActor,
    where: str,
    dice: Dice,
    options: DarkpagesPools,
    *,
    attribute: Attribute | None = None,
    purpose: str = "",
    choice: DiceChoice | None = None,
    recipients: PointRecipients | None = None,
    assistants: Sequence[str] = (),
) -> Roller:
    """Make a roller: take the rating, add all modifiers, apply the floor once (darkpages.modifiers.sum, darkpages.modifiers.floor).

    ``attribute`` overrides the actor's own, as ``choice`` and ``recipients`` do. Each of the ``assistants`` adds a kept die.
    Refuses a missing Attribute, a pool that is too large, and a wrong number of dice to keep.
    """

    def build() -> Roller:
        rated = attribute or actor.attribute
        pool = _unmodified_pool(actor, rated, where)
        own_points = PointRecipients("darkpages.zero.points", (actor.earning_archetype,))
        roller = Roller(
            actor=actor,
            where=where,
            purpose=purpose,
            name=display_name(actor, where),
            attribute=rated,
            size=pool.roll,
            keep=pool.keep,
            choice=choice or own_choice(actor, where),
            recipients=recipients or own_points,
        )
        _add_contributions(roller, options, assistants, dice)
        _apply_floor(roller, options, dice)
        if roller.size > MAX_POOL:
            raise Unprocessable(
                Finding(pointer(where), "out-of-range", "darkpages.refused.pool_too_large", "darkpages.modifiers.sum", (("max", MAX_POOL),))
            )
        _check_positions(roller)
        return roller

    return dice.cached(where + purpose, build)


def _unmodified_pool(actor: DarkpagesActor, rated: Attribute | None, where: str) -> DarkpagesPool:
    """The dice as the sheet has them, or the bare pool."""
    if actor.character is None:
        assert actor.pool is not None
        return actor.pool
    if rated is None:
        raise Unprocessable(
            Finding(pointer(where, "attribute"), "missing-field", "darkpages.refused.attribute_missing", "darkpages.attributes")
        )
    pool: DarkpagesPool = getattr(actor.character.attributes, rated)
    return pool


def _add_contributions(roller: Roller, options: DarkpagesPools, assistants: Sequence[str], dice: Dice) -> None:
    actor, where = roller.actor, roller.where
    contributions: list[Contribution] = [(f"modifiers.{index}", text, read_modifier(text)) for index, text in enumerate(actor.modifiers)]
    if contributions:
        dice.option(where, "modifiers")
    if actor.character is not None:
        assert roller.attribute is not None
        facts = {"attribute": roller.attribute, "roll": roller.size, "keep": roller.keep}
        dice.note("darkpages.attributes", "pool.attribute", value=roller.attribute, who=where, **facts)
        contributions += _scars(actor.character, actor.scars, roller.attribute, where, dice)
        contributions += _damage_state(actor.character, roller.attribute, options, where, dice)
    contributions += [("assistant", assistant, PoolChange(keep=1)) for assistant in assistants]
    for kind, word, change in contributions:
        added = dice.contribution(where + roller.purpose, kind, change, PoolChange(), word)
        roller.size += added.roll
        roller.keep += added.keep
    if contributions:
        pool = f"{roller.size}k{roller.keep}"
        dice.note("darkpages.modifiers.sum", "pool.sum", value=pool, who=where, pool=pool)


def _scars(sheet: DarkpagesCharacter, listed: list[int], rated: Attribute, where: str, dice: Dice) -> Iterator[Contribution]:
    """darkpages.scars: a Scar without a condition counts by itself, one with a condition where the request lists it; each once."""
    for index, scar in enumerate(sheet.scars):
        here = scar.attribute in (None, rated)
        if scar.condition is not None and index not in listed:
            if here:
                dice.note("darkpages.scars", "pool.scar_not_counted", who=where, modifier=scar.modifier, condition=scar.condition)
            continue
        if not here:
            if index in listed:
                dice.note("darkpages.scars", "pool.scar_elsewhere", who=where, attribute=scar.attribute)
            continue
        if scar.condition is not None:
            dice.option(where, "scars")
        dice.note("darkpages.scars", "pool.scar", value=scar.modifier, who=where, modifier=scar.modifier)
        yield f"scars.{index}", scar.modifier, read_modifier(scar.modifier)


def _damage_state(sheet: DarkpagesCharacter, rated: Attribute, options: DarkpagesPools, where: str, dice: Dice) -> Iterator[Contribution]:
    """The Damage State of the Attribute's trait (darkpages.damage.penalties), and harm beyond Damaged (darkpages.damage.nonlethal)."""
    trait = TRAITS[rated]
    state = getattr(sheet.damage, trait)
    if state != "unhurt":
        penalty = PENALTIES[state]
        dice.note("darkpages.damage.penalties", "pool.state", value=state, who=where, trait=trait, state=state, penalty=str(penalty))
        yield "state", state, penalty
    count = getattr(sheet.overflow, trait)
    if count:
        dice.option("", "overflow")
    if options.overflow_weighs and count:
        dice.note("darkpages.damage.nonlethal", "pool.overflow", value="stack", who=where, count=count)
        yield "overflow", trait, PoolChange(-count, -count)


def _apply_floor(roller: Roller, options: DarkpagesPools, dice: Dice) -> None:
    """darkpages.modifiers.floor: the fewest dice that penalties leave."""
    least = options.least_dice
    if roller.size < 1 or roller.keep < 1:
        dice.option("", "floor")
        dice.note("darkpages.modifiers.floor", "pool.floor", value="zero" if least == 0 else "one", who=roller.where, least=least)
    roller.size, roller.keep = max(roller.size, least), max(roller.keep, least)


def _check_positions(roller: Roller) -> None:
    """darkpages.dice.keep: positions name exactly as many dice as are kept, each once."""
    positions = roller.choice.positions
    if positions is None:
        return
    if len(set(positions)) != roller.kept or len(positions) != roller.kept or any(position >= roller.size for position in positions):
        facts = {"kept": roller.kept, "size": roller.size}
        raise Forbidden.by("darkpages.dice.keep", roller.choice.pointer, "darkpages.refused.keep_exactly", **facts)
