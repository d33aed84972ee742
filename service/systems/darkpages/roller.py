"""How anyone in darkpages rolls: which pool, what weighs on it, which dice are kept, what the kept zeros earn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast

from service.dice.keep import Keep, choices
from service.dice.source import Dice, Roll
from service.refusal import Finding, Forbidden, Unprocessable
from service.ruling import Verdict
from service.systems.darkpages.sheet import MAX_POOL, Attribute, Choice, DarkpagesActor, DarkpagesPool, read_modifier
from service.systems.darkpages.tables import PENALTIES, TRAITS

Floor = Literal["one", "zero"]
Overflow = Literal["hold", "stack"]


def pointer(where: str, field: str = "") -> str:
    """The JSON pointer of a roller named ``where``, or of one of its fields."""
    return "/" + where.replace(".", "/") + (f"/{field}" if field else "")


@dataclass(frozen=True, slots=True)
class Hand:
    """A roller with the dice worked out: ``roll`` of them, ``keep`` kept. ``where`` is its place in the request."""

    actor: DarkpagesActor
    where: str
    roll: int
    keep: int

    @property
    def name(self) -> str:
        """The name to print."""
        return self.actor.character.name if self.actor.character else self.where

    @property
    def kept(self) -> int:
        """How many dice are really kept: never more than are rolled (darkpages.dice.keep)."""
        return min(self.keep, self.roll)

    @property
    def waits(self) -> bool:
        """Whether the choice hangs on what would succeed."""
        return self.actor.keep == "mostZerosThatSucceed" and self.actor.keep_dice is None

    def draw(self, dice: Dice, *, beat: int | None = None, purpose: str = "", ahead: bool = False) -> Roll:
        """Roll and keep. ``beat`` is the total that still succeeds, for a choice that hangs on it; without it the highest are kept."""
        choice: Choice = "highest" if self.waits and beat is None else self.actor.keep
        positions = None if self.actor.keep_dice is None else tuple(self.actor.keep_dice)
        roll = dice.roll(
            self.where + purpose, Keep(self.roll, self.keep, choice, beat if self.waits else None, positions), self.name, ahead=ahead
        )
        dice.step("darkpages.dice.keep", "{}: {} dice, {} kept, {}", self.name, self.roll, self.kept, roll.total)
        if positions is not None or choice != "highest":
            dice.step(
                "darkpages.dice.choice",
                "{}: the player keeps {}",
                self.name,
                "these very dice" if positions is not None else choice,
                value=choice,
            )
        return roll

    def earn(self, dice: Dice, roll: Roll, verdict: Verdict) -> None:
        """darkpages.zero.points: each zero a player keeps is a Training Point for each member of the Archetype."""
        zeros = dice.zeros(roll)
        if not zeros or self.actor.is_npc:
            if self.actor.is_npc:
                dice.step("darkpages.zero.points", "{}: the game master's characters earn nothing", self.name, value=0)
            return
        if self.actor.earns is None:
            dice.step("darkpages.zero.points", "{}: {} zeros kept, but no Archetype was named to earn points", self.name, zeros, value=0)
            return
        dice.step(
            "darkpages.zero.points",
            "{}: {} zeros kept, so each {} earns as many Training Points",
            self.name,
            zeros,
            self.actor.earns,
            value=zeros,
        )
        award(verdict, self.actor.earns, zeros)

    def offer_zeros(self, dice: Dice, roll: Roll) -> None:
        """The other choices of dice worth having, each as a merge patch (darkpages.dice.choice)."""
        if not dice.offering or self.actor.is_npc or not self.kept:
            return
        faces = dice.faces(roll)
        for positions in choices(faces, self.keep):
            kept = [faces[position] for position in positions]
            zeros = kept.count(0)
            points = f", {zeros} Training Points for each {self.actor.earns}" if zeros and self.actor.earns else ""
            dice.offer(
                "keepZeros", f"{self.name} keeps {zeros} zeros: total {sum(kept)}{points}", patch(self.where, {"keepDice": list(positions)})
            )


def award(verdict: Verdict, archetype: str, points: int | Fraction) -> None:
    """Training Points for every member of an Archetype."""
    verdict.unseen(f"archetype:{archetype}", "trainingPoints", points)


def patch(where: str, fields: dict[str, object]) -> dict[str, object]:
    """A merge patch that sets fields of the roller at ``where``; only for rollers that are not in a list."""
    return {where: fields}


def able(actor: DarkpagesActor, where: str) -> None:
    """Refuse a roller who is not in play (darkpages.damage.defeated, darkpages.damage.destroyed)."""
    sheet = actor.character
    if sheet is not None and sheet.out_of_game:
        raise Forbidden.by("darkpages.damage.destroyed", pointer(where, "character"), "whoever is out of the game cannot act")
    if sheet is not None and sheet.defeated:
        raise Forbidden.by(
            "darkpages.damage.defeated", pointer(where, "character"), "whoever is Defeated cannot act until the conflict ends"
        )


def hand(
    actor: DarkpagesActor,
    where: str,
    dice: Dice,
    *,
    attribute: Attribute | None = None,
    floor: Floor = "one",
    overflow: Overflow = "hold",
    extra: int = 0,
) -> Hand:
    """Work the dice out: the rating, all modifiers summed, floored once (darkpages.modifiers.sum, darkpages.modifiers.floor).

    ``attribute`` is the one to use where the action fixes it; ``extra`` is added to the dice kept.
    """
    rated = attribute or actor.attribute
    name = actor.character.name if actor.character else where
    base = _base(actor, rated, where)
    if actor.character is not None:
        dice.step("darkpages.attributes", "{}: {} {}k{}", name, rated, base.roll, base.keep, value=rated)
    roll, keep = base.roll, base.keep + extra
    weights = [*_situation(actor), *_scars(actor, rated, name, dice), *_state(actor, rated, overflow, name, dice)]
    for kind, word, change in weights:
        more, kept = dice.weigh(where, kind, change, (0, 0), word)
        roll, keep = roll + more, keep + kept
    if weights:
        dice.step("darkpages.modifiers.sum", "{}: {}k{} with everything added", name, roll, keep, value=f"{roll}k{keep}")
    least = 1 if floor == "one" else 0
    if roll < least or keep < least or floor == "zero":
        dice.step("darkpages.modifiers.floor", "{}: never fewer than {} (option floor)", name, least, value=floor)
    roll, keep = max(roll, least), max(keep, least)
    if max(roll, keep) > MAX_POOL:
        raise Unprocessable(
            Finding(pointer(where), "out-of-bounds", f"with every modifier a pool has at most {MAX_POOL} dice", "darkpages.modifiers.sum")
        )
    found = Hand(actor, where, roll, keep)
    _positions(found)
    return found


def _base(actor: DarkpagesActor, rated: Attribute | None, where: str) -> DarkpagesPool:
    """The dice as they stand on the sheet, or the bare pool."""
    if actor.character is None:
        return cast("DarkpagesPool", actor.pool)
    if rated is None:
        raise Unprocessable(Finding(pointer(where, "attribute"), "missing", "say which Attribute is checked", "darkpages.attributes"))
    found: DarkpagesPool = getattr(actor.character.attributes, rated)
    return found


def _situation(actor: DarkpagesActor) -> list[tuple[str, str, tuple[int, int]]]:
    return [(f"modifiers.{index}", text, read_modifier(text)) for index, text in enumerate(actor.modifiers)]


def _scars(actor: DarkpagesActor, rated: Attribute | None, name: str, dice: Dice) -> list[tuple[str, str, tuple[int, int]]]:
    found = []
    for index in actor.scars:
        scar = actor.character.scars[index] if actor.character else None
        assert scar is not None
        if scar.attribute not in (None, rated):
            dice.step("darkpages.scars", "{}: the Scar weighs on {}, not here", name, scar.attribute)
            continue
        dice.step("darkpages.scars", "{}: a Scar weighs {}", name, scar.modifier, value=scar.modifier)
        found.append((f"scars.{index}", scar.modifier, read_modifier(scar.modifier)))
    return found


def _state(
    actor: DarkpagesActor, rated: Attribute | None, overflow: Overflow, name: str, dice: Dice
) -> list[tuple[str, str, tuple[int, int]]]:
    """darkpages.damage.penalties: the state of the matching trait weighs on the Attribute."""
    if actor.character is None or rated is None:
        return []
    trait = TRAITS[rated]
    state = getattr(actor.character.damage, trait)
    found = []
    if state != "unhurt":
        roll, keep = PENALTIES[state]
        dice.step("darkpages.damage.penalties", "{}: {} {} weighs {}/{}", name, trait, state, roll, keep, value=state)
        found.append(("state", state, (roll, keep)))
    count = getattr(actor.character.overflow, trait)
    if count and overflow == "stack":
        dice.step("darkpages.damage.nonlethal", "{}: {} further harm weighs −1/−1 each (option overflow)", name, count, value=overflow)
        found.append(("overflow", trait, (-count, -count)))
    return found


def _positions(found: Hand) -> None:
    """darkpages.dice.keep: exactly as many dice are kept as can be, each once."""
    positions = found.actor.keep_dice
    if positions is None:
        return
    if len(set(positions)) != found.kept or len(positions) != found.kept or any(position >= found.roll for position in positions):
        raise Forbidden.by(
            "darkpages.dice.keep", pointer(found.where, "keepDice"), f"exactly {found.kept} different dice of {found.roll} are kept"
        )
