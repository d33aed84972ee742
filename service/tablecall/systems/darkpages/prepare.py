"""Build rollers from requests: the rating, everything that changes the pool, and who may act at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, Forbidden, Unprocessable, pointer
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import (
    MAX_POOL,
    Attribute,
    DarkpagesActor,
    DarkpagesCharacter,
    DarkpagesPool,
    PoolChange,
    read_modifier,
)
from tablecall.systems.darkpages.tables import PENALTIES, TRAITS

Placed = tuple[DarkpagesActor, str]
"""A participant and its place in the request, such as ``members.0``."""
Contribution = tuple[str, str, PoolChange]
"""One change of a pool: its kind, its name, the dice it adds or removes."""


class DarkpagesPools(Body):
    """Options of every action that rolls."""

    floor: Literal["one", "zero"] = "one"
    """What penalties leave at least (darkpages.modifiers.floor). `one`: one die to roll and one to keep. `zero`: no dice at all is
    possible; the total is then 0 and fails."""
    overflow: Literal["hold", "stack"] = "hold"
    """Whether harm counted beyond Damaged changes the roll (darkpages.damage.nonlethal). `hold`: no. `stack`: −1/−1 for each."""


def display_name(actor: DarkpagesActor, where: str) -> str:
    """The name to print: the character's, else the place in the request."""
    return actor.character.name if actor.character else where


def placed(members: list[DarkpagesActor]) -> list[Placed]:
    """The ``members`` of a request, each with its place."""
    return [(member, f"members.{index}") for index, member in enumerate(members)]


def require_in_play(participants: Iterable[Placed]) -> None:
    """Refuse participants who are out of the game or Defeated: they neither act nor are harmed.

    Rules: darkpages.damage.destroyed, darkpages.damage.defeated.
    """
    for actor, where in participants:
        sheet = actor.character
        if sheet is not None and sheet.out_of_game:
            detail = "this character is out of the game and takes no part"
            raise Forbidden.by("darkpages.damage.destroyed", pointer(where, "character"), detail)
        if sheet is not None and sheet.defeated:
            detail = "this character is Defeated and takes no part until the conflict ends"
            raise Forbidden.by("darkpages.damage.defeated", pointer(where, "character"), detail)


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
            detail = f"a pool has at most {MAX_POOL} dice, all modifiers included"
            raise Unprocessable(Finding(pointer(where), "out-of-bounds", detail, "darkpages.modifiers.sum"))
        _check_positions(roller)
        return roller

    return dice.cached(where + purpose, build)


def _unmodified_pool(actor: DarkpagesActor, rated: Attribute | None, where: str) -> DarkpagesPool:
    """The dice as the sheet has them, or the bare pool."""
    if actor.character is None:
        assert actor.pool is not None
        return actor.pool
    if rated is None:
        raise Unprocessable(Finding(pointer(where, "attribute"), "missing", "the Attribute to roll is missing", "darkpages.attributes"))
    pool: DarkpagesPool = getattr(actor.character.attributes, rated)
    return pool


def _add_contributions(roller: Roller, options: DarkpagesPools, assistants: Sequence[str], dice: Dice) -> None:
    actor, name = roller.actor, roller.name
    contributions: list[Contribution] = [(f"modifiers.{index}", text, read_modifier(text)) for index, text in enumerate(actor.modifiers)]
    if actor.character is not None:
        assert roller.attribute is not None
        dice.step("darkpages.attributes", "{}: {} {}k{}", name, roller.attribute, roller.size, roller.keep, value=roller.attribute)
        contributions += _scars(actor.character, actor.scars, roller.attribute, name, dice)
        contributions += _damage_state(actor.character, roller.attribute, options, name, dice)
    elif options.overflow == "stack":
        dice.step("darkpages.damage.nonlethal", "{}: a bare pool counts no further harm, so none weighs (option overflow)", name)
    contributions += [("assistant", assistant, PoolChange(keep=1)) for assistant in assistants]
    for kind, word, change in contributions:
        added = dice.contribution(roller.where + roller.purpose, kind, change, PoolChange(), word)
        roller.size += added.roll
        roller.keep += added.keep
    if contributions:
        pool = f"{roller.size}k{roller.keep}"
        dice.step("darkpages.modifiers.sum", "{}: {} with everything added", name, pool, value=pool)


def _scars(sheet: DarkpagesCharacter, listed: list[int], rated: Attribute, name: str, dice: Dice) -> Iterator[Contribution]:
    """darkpages.scars: the listed Scars, if they concern this Attribute."""
    for index in listed:
        scar = sheet.scars[index]
        if scar.attribute not in (None, rated):
            dice.step("darkpages.scars", "{}: the Scar weighs on {}, not here", name, scar.attribute)
            continue
        dice.step("darkpages.scars", "{}: a Scar weighs {}", name, scar.modifier, value=scar.modifier)
        yield f"scars.{index}", scar.modifier, read_modifier(scar.modifier)


def _damage_state(sheet: DarkpagesCharacter, rated: Attribute, options: DarkpagesPools, name: str, dice: Dice) -> Iterator[Contribution]:
    """The Damage State of the Attribute's trait (darkpages.damage.penalties), and harm beyond Damaged (darkpages.damage.nonlethal)."""
    trait = TRAITS[rated]
    state = getattr(sheet.damage, trait)
    if state != "unhurt":
        penalty = PENALTIES[state]
        dice.step("darkpages.damage.penalties", "{}: {} {} weighs {}/{}", name, trait, state, *penalty, value=state)
        yield "state", state, penalty
    count = getattr(sheet.overflow, trait)
    if options.overflow == "stack" and count:
        text = "{}: {} further harm weighs −1/−1 each (option overflow)"
        dice.step("darkpages.damage.nonlethal", text, name, count, value=options.overflow)
        yield "overflow", trait, PoolChange(-count, -count)
    elif options.overflow == "stack":
        dice.step("darkpages.damage.nonlethal", "{}: no further harm is counted, so none weighs (option overflow)", name)


def _apply_floor(roller: Roller, options: DarkpagesPools, dice: Dice) -> None:
    """darkpages.modifiers.floor: the fewest dice that penalties leave."""
    least = 1 if options.floor == "one" else 0
    if roller.size < least or roller.keep < least or options.floor == "zero":
        dice.step("darkpages.modifiers.floor", "{}: never fewer than {} (option floor)", roller.name, least, value=options.floor)
    roller.size, roller.keep = max(roller.size, least), max(roller.keep, least)


def _check_positions(roller: Roller) -> None:
    """darkpages.dice.keep: positions name exactly as many dice as are kept, each once."""
    positions = roller.choice.positions
    if positions is None:
        return
    if len(set(positions)) != roller.kept or len(positions) != roller.kept or any(position >= roller.size for position in positions):
        expected = "exactly 1 die" if roller.kept == 1 else f"exactly {roller.kept} different dice"
        raise Forbidden.by("darkpages.dice.keep", roller.choice.pointer, f"keep {expected} of the {roller.size} rolled")
