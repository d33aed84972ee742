"""How anyone in darkpages rolls: which pool, what weighs on it, which dice are kept, whom the kept zeros teach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Literal

from tablecall.dice.keep import KeepPool, choices
from tablecall.dice.source import Dice, Roll
from tablecall.model.base import Body
from tablecall.model.refusals import Finding, Forbidden, Unprocessable, pointer
from tablecall.model.wording import plural
from tablecall.systems.darkpages.sheet import (
    MAX_POOL,
    Attribute,
    Choice,
    DarkpagesActor,
    DarkpagesCharacter,
    DarkpagesPool,
    Weight,
    read_modifier,
)
from tablecall.systems.darkpages.tables import PENALTIES, TRAITS
from tablecall.systems.verdict import Verdict

Change = tuple[str, str, Weight]
"""What weighs on a pool: its kind, its own words, and the dice to roll and to keep it adds."""


class DarkpagesPools(Body):
    """What every action that rolls may say of its pools."""

    floor: Literal["one", "zero"] = "one"
    """What too many penalties leave of a pool (darkpages.modifiers.floor). `one`: at least a die rolled and a die kept. `zero`: perhaps
    no die at all, a total of 0 that fails."""
    overflow: Literal["hold", "stack"] = "hold"
    """Whether counted overflow weighs on the roll (darkpages.damage.nonlethal). `hold`: it is counted only. `stack`: −1/−1 each."""


@dataclass(slots=True)
class Choosing:
    """How the dice kept of one roll are chosen: by a policy, or the very ``positions``, which stand ``at`` a place in the request.

    ``patch`` is the merge patch of the request that keeps other dice.
    """

    keep: Choice
    positions: list[int] | None
    at: str
    patch: Callable[[list[int]], dict[str, object]]


def own_choice(actor: DarkpagesActor, where: str) -> Choosing:
    """The choice the roller at ``where``, who is not in a list, carries along."""
    return Choosing(actor.keep, actor.keep_dice, pointer(where, "keepDice"), lambda positions: {where: {"keepDice": positions}})


@dataclass(slots=True)
class Learners:
    """Which Archetype each kept zero teaches: the ``first`` zeros as listed, the others ``in_turn``; None names nobody."""

    rule: str
    in_turn: tuple[str | None, ...]
    first: tuple[str | None, ...] = ()

    @property
    def teach(self) -> bool:
        """Whether a zero teaches anybody."""
        return any(self.in_turn) or any(self.first)

    @property
    def alike(self) -> bool:
        """Whether every zero goes the same way."""
        return len({*self.first, *self.in_turn}) <= 1

    def shares(self, zeros: int) -> Counter[str | None]:
        """How many of that many zeros go to each."""
        more = max(zeros - len(self.first), 0) if self.in_turn else 0
        return Counter([*self.first[:zeros], *(self.in_turn[turn % len(self.in_turn)] for turn in range(more))])


@dataclass(slots=True)
class Hand:
    """A roller with the dice worked out: ``roll`` of them, ``keep`` kept. ``where`` is its place in the request, ``purpose``
    what a second roll is for, ``name`` what to print."""

    actor: DarkpagesActor
    where: str
    purpose: str
    roll: int
    keep: int
    choosing: Choosing
    learners: Learners = field(repr=False)
    name: str

    @property
    def kept(self) -> int:
        """How many dice are really kept: never more than are rolled (darkpages.dice.keep)."""
        return min(self.keep, self.roll)

    @property
    def most(self) -> int:
        """The highest total there can be."""
        return 9 * self.kept

    @property
    def waits(self) -> bool:
        """Whether the choice hangs on what would succeed: not where all the dice are kept, or none."""
        return self.choosing.keep == "mostZerosThatSucceed" and self.choosing.positions is None and 0 < self.kept < self.roll

    def draw(self, dice: Dice, *, beat: int | None = None, ahead: bool = False, why: str = "") -> Roll:
        """Roll and keep. ``beat`` is the total that still succeeds, for a choice that hangs on it; without it, which is ``why``, the
        highest are kept."""
        choice: Choice = "highest" if self.waits and beat is None else self.choosing.keep
        positions = None if self.choosing.positions is None else tuple(self.choosing.positions)
        counted = self.learners.teach and not self.actor.is_npc
        quantity = KeepPool(self.roll, self.keep, choice, beat if self.waits else None, positions, counted)
        roll = dice.roll(self.where + self.purpose, quantity, self.name, list_first=ahead)
        text = "{}: {} die, {} kept, {}" if self.roll == 1 else "{}: {} dice, {} kept, {}"
        dice.step("darkpages.dice.keep", text, self.name, self.roll, self.kept, roll.total)
        if positions is not None:
            unless = "" if choice == "highest" else f", whatever {choice} would keep"
            dice.step("darkpages.dice.choice", "{}: the player keeps these very dice{}", self.name, unless, value=choice)
        elif choice != "highest":
            dice.step("darkpages.dice.choice", "{}: the player keeps {}", self.name, choice, value=choice)
        elif self.waits:
            dice.step("darkpages.dice.choice", "{}: {}, so the highest are kept", self.name, why, value=choice)
        return roll

    def earn(self, dice: Dice, roll: Roll, verdict: Verdict) -> None:
        """darkpages.zero.points: each zero a player keeps is a Training Point for each member of an Archetype.

        To be called before the roll is compared. Zeros that teach different Archetypes have to be counted one by one.
        """
        learners = self.learners
        if not (dice.wants_steps or learners.teach):
            return
        zeros: int | Fraction = dice.mean_zeros(roll) if self.actor.is_npc or learners.alike else dice.count_zeros(roll)
        if dice.wants_steps and learners.first:
            self._award(dice, 0 if self.actor.is_npc else int(zeros))
        if not zeros:
            return
        if self.actor.is_npc:
            dice.step("darkpages.zero.points", "{}: the game master's characters earn nothing", self.name, value=0)
            return
        shares: dict[str | None, int | Fraction]
        shares = {next(iter(learners.in_turn), None): zeros} if learners.alike else dict(learners.shares(int(zeros)))
        for archetype, points in shares.items():
            if archetype is None:
                dice.step(learners.rule, "{}: zeros kept, {}, but no Archetype is there to earn points", self.name, points, value=0)
            else:
                text = "{}: zeros kept, {}, so each {} earns as many Training Points"
                dice.step(learners.rule, text, self.name, points, archetype, value=points)
                award(verdict, archetype, points)

    def _award(self, dice: Dice, taught: int) -> None:
        """darkpages.teamwork.points: how many of the zeros that teach go as chosen, and how many were chosen in vain."""
        rule, chosen = self.learners.rule, len(self.learners.first)
        if taught:
            going = min(taught, chosen)
            dice.step(rule, "{}: {} for whom the request names (option awards)", self.name, plural(going, "kept zero"), value=going)
        if chosen > taught:
            text = "{}: {} beyond the {} that can teach, so nobody learns by that (option awards)"
            idle = chosen - taught
            dice.step(rule, text, self.name, plural(idle, "award"), plural(taught, "kept zero"), value=idle)

    def fail_empty(self, dice: Dice) -> None:
        """darkpages.modifiers.floor: without a die kept the total is 0, a failure that is neither Dismal nor Dramatic."""
        dice.step("darkpages.modifiers.floor", "{}: no die is kept, so the total is 0 and fails", self.name, value=0)

    def offer_zeros(self, dice: Dice, roll: Roll) -> None:
        """The other choices of dice worth having, each as a merge patch (darkpages.dice.choice)."""
        if not dice.wants_options or self.actor.is_npc or not self.kept:
            return
        faces = dice.faces(roll)
        for positions in choices(faces, self.keep):
            kept = [faces[position] for position in positions]
            zeros = kept.count(0)
            shares = self.learners.shares(zeros)
            points = "".join(f", {plural(share, 'Training Point')} for each {who}" for who, share in shares.items() if who)
            text = f"{self.name} keeps {plural(zeros, 'zero')}: total {sum(kept)}{points}"
            dice.option("keepZeros", text, self.choosing.patch(list(positions)))


def award(verdict: Verdict, archetype: str, points: int | Fraction) -> None:
    """Training Points for every member of an Archetype, added to those already earned here."""
    on = f"archetype:{archetype}"
    for change in verdict.changes:
        if change.on == on:
            assert change.change is not None
            change.change += points
            return
    verdict.change_unseen(on, "trainingPoints", points)


def named(actor: DarkpagesActor, where: str) -> str:
    """The character's name, or the roller's part."""
    return actor.character.name if actor.character else where


def in_play(actor: DarkpagesActor, where: str) -> None:
    """Refuse whoever is not in play: they neither act nor are harmed (darkpages.damage.defeated, darkpages.damage.destroyed)."""
    sheet = actor.character
    if sheet is not None and sheet.out_of_game:
        raise Forbidden.by("darkpages.damage.destroyed", pointer(where, "character"), "whoever is out of the game takes no part")
    if sheet is not None and sheet.defeated:
        raise Forbidden.by(
            "darkpages.damage.defeated", pointer(where, "character"), "whoever is Defeated takes no part until the conflict ends"
        )


def nobody_rolls(options: DarkpagesPools, rollers: Iterable[tuple[DarkpagesActor, str]], dice: Dice) -> None:
    """Nobody rolls: what was chosen for the pools, and for the dice of the ``rollers`` there might have been, does not count."""
    if options.floor != "one":
        dice.step("darkpages.modifiers.floor", "nobody rolls, so no pool has to be floored (option floor)")
    if options.overflow != "hold":
        dice.step("darkpages.damage.nonlethal", "nobody rolls, so no further harm weighs (option overflow)")
    for actor, where in rollers:
        if actor.keep_dice is not None:
            dice.step("darkpages.dice.choice", "{} does not roll, so the dice chosen do not count", named(actor, where))
        idle(actor, where, dice)


def idle(actor: DarkpagesActor, where: str, dice: Dice) -> None:
    """Say of somebody who does not roll at all that what was asked for the roll does not count."""
    name = named(actor, where)
    if actor.keep != "highest":
        dice.step("darkpages.dice.choice", "{} does not roll, so keep does not apply", name)
    if actor.modifiers:
        dice.step("darkpages.modifiers.sum", "{} does not roll, so no modifier counts", name)
    if actor.scars:
        dice.step("darkpages.scars", "{} does not roll, so no Scar weighs", name)


def rating(actor: DarkpagesActor, where: str, attribute: Attribute | None = None) -> tuple[int, int]:
    """How highly an Attribute is rated: dice kept, then dice rolled (darkpages.teamwork)."""
    base = _base(actor, attribute or actor.attribute, where)
    return base.keep, base.roll


def hand(
    actor: DarkpagesActor,
    where: str,
    dice: Dice,
    options: DarkpagesPools,
    *,
    attribute: Attribute | None = None,
    purpose: str = "",
    choosing: Choosing | None = None,
    learners: Learners | None = None,
    assistants: Sequence[str] = (),
) -> Hand:
    """Work the dice out: the rating, all modifiers summed, floored once (darkpages.modifiers.sum, darkpages.modifiers.floor).

    ``attribute`` is the one to use where the action fixes it; each of the ``assistants`` adds a die kept. ``choosing`` and
    ``learners``, left out, are the roller's own.
    """
    made = partial(_hand, actor, where, dice, options, attribute or actor.attribute, purpose, choosing, learners, assistants)
    return dice.cached(where + purpose, made)


def _hand(
    actor: DarkpagesActor,
    where: str,
    dice: Dice,
    options: DarkpagesPools,
    rated: Attribute | None,
    purpose: str,
    choosing: Choosing | None,
    learners: Learners | None,
    assistants: Sequence[str],
) -> Hand:
    name = named(actor, where)
    base = _base(actor, rated, where)
    if actor.character is not None:
        dice.step("darkpages.attributes", "{}: {} {}k{}", name, rated, base.roll, base.keep, value=rated)
    roll, keep = base.roll, base.keep
    changes = _changes(actor, rated, options, name, dice, assistants)
    for kind, word, change in changes:
        more, kept = dice.contribution(where + purpose, kind, change, Weight(), word)
        roll, keep = roll + more, keep + kept
    if changes:
        dice.step("darkpages.modifiers.sum", "{}: {}k{} with everything added", name, roll, keep, value=f"{roll}k{keep}")
    least = 1 if options.floor == "one" else 0
    if roll < least or keep < least or options.floor == "zero":
        dice.step("darkpages.modifiers.floor", "{}: never fewer than {} (option floor)", name, least, value=options.floor)
    roll, keep = max(roll, least), max(keep, least)
    if roll > MAX_POOL:
        detail = f"with every modifier a pool has at most {MAX_POOL} dice"
        raise Unprocessable(Finding(pointer(where), "out-of-bounds", detail, "darkpages.modifiers.sum"))
    choosing = choosing or own_choice(actor, where)
    learners = learners or Learners("darkpages.zero.points", (actor.earns,))
    found = Hand(actor, where, purpose, roll, keep, choosing, learners, name)
    _right_number(found)
    return found


def _base(actor: DarkpagesActor, rated: Attribute | None, where: str) -> DarkpagesPool:
    """The dice as they stand on the sheet, or the bare pool."""
    if actor.character is None:
        assert actor.pool is not None
        return actor.pool
    if rated is None:
        raise Unprocessable(Finding(pointer(where, "attribute"), "missing", "say which Attribute is checked", "darkpages.attributes"))
    found: DarkpagesPool = getattr(actor.character.attributes, rated)
    return found


def _changes(
    actor: DarkpagesActor, rated: Attribute | None, options: DarkpagesPools, name: str, dice: Dice, assistants: Sequence[str]
) -> list[Change]:
    """Everything that weighs on a pool, in the order it is said."""
    found = _situation(actor)
    if actor.character is not None:
        assert rated is not None
        found += [*_scars(actor.character, actor.scars, rated, name, dice), *_state(actor.character, rated, options, name, dice)]
    elif options.overflow == "stack":
        dice.step("darkpages.damage.nonlethal", "{}: a bare pool counts no further harm, so none weighs (option overflow)", name)
    return [*found, *(("assistant", assistant, Weight(keep=1)) for assistant in assistants)]


def _situation(actor: DarkpagesActor) -> list[Change]:
    return [(f"modifiers.{index}", text, read_modifier(text)) for index, text in enumerate(actor.modifiers)]


def _scars(sheet: DarkpagesCharacter, mattering: list[int], rated: Attribute, name: str, dice: Dice) -> list[Change]:
    """darkpages.scars: those that matter here, and weigh on this Attribute."""
    found = []
    for index in mattering:
        scar = sheet.scars[index]
        if scar.attribute not in (None, rated):
            dice.step("darkpages.scars", "{}: the Scar weighs on {}, not here", name, scar.attribute)
            continue
        dice.step("darkpages.scars", "{}: a Scar weighs {}", name, scar.modifier, value=scar.modifier)
        found.append((f"scars.{index}", scar.modifier, read_modifier(scar.modifier)))
    return found


def _state(sheet: DarkpagesCharacter, rated: Attribute, options: DarkpagesPools, name: str, dice: Dice) -> list[Change]:
    """darkpages.damage.penalties: the state of the matching trait weighs on the Attribute."""
    trait = TRAITS[rated]
    state = getattr(sheet.damage, trait)
    found = []
    if state != "unhurt":
        penalty = PENALTIES[state]
        dice.step("darkpages.damage.penalties", "{}: {} {} weighs {}/{}", name, trait, state, *penalty, value=state)
        found.append(("state", state, penalty))
    count = getattr(sheet.overflow, trait)
    if options.overflow == "stack" and count:
        text = "{}: {} further harm weighs −1/−1 each (option overflow)"
        dice.step("darkpages.damage.nonlethal", text, name, count, value=options.overflow)
        found.append(("overflow", trait, Weight(-count, -count)))
    elif options.overflow == "stack":
        dice.step("darkpages.damage.nonlethal", "{}: no further harm is counted, so none weighs (option overflow)", name)
    return found


def _right_number(found: Hand) -> None:
    """darkpages.dice.keep: exactly as many dice as can be kept are, each once."""
    positions = found.choosing.positions
    if positions is None:
        return
    if len(set(positions)) != found.kept or len(positions) != found.kept or any(position >= found.roll for position in positions):
        said = f"1 die of {found.roll} is" if found.kept == 1 else f"{found.kept} different dice of {found.roll} are"
        raise Forbidden.by("darkpages.dice.keep", found.choosing.at, f"exactly {said} kept")
