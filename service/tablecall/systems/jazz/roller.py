"""How a `JazzActor` rolls: which bonus, how many dice, what the roll costs. Every action that rolls for an actor uses this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tablecall.dice.pools import SumPool
from tablecall.dice.source import Dice, Record, Roll
from tablecall.model.refusals import Forbidden, pointer
from tablecall.systems.jazz.sheet import DIE_RULES, HeldDie, JazzActor, JazzAspect, JazzCharacter
from tablecall.systems.verdict import Change, Verdict

SpendOn = Literal["attempt", "success"]
KARMA = ("negative", "neutral", "positive")
"""The states of karma in order; granting karma moves one place."""
OUT_CANNOT_ACT = "a character who is out of the fight cannot act"
OUT_NOT_ATTACKED = "a character who is out of the fight cannot be attacked"

SOURCES = {
    "advantage": ("jazz.dice.advantage", "{}: the situation gives an advantage"),
    "karma": ("jazz.karma.positive", "{}: positive karma is spent on an advantage die"),
    "heldAdvantage": ("jazz.complication.die", "{}: the die a complication earned is spent"),
    "gear": ("jazz.equipment.unusual", "{}: unusual gear gives an advantage"),
    "disadvantage": ("jazz.dice.disadvantage", "{}: the situation gives a disadvantage"),
    "withoutEquipment": ("jazz.equipment.lost", "{}: without the ordinary equipment, a disadvantage"),
    "imposeKarma": ("jazz.karma.negative", "{}: negative karma is imposed and used up"),
}
"""Every source of an advantage or disadvantage die: its rule, and the step that reports it."""
_UNTIL = {"once": "once", "clear": "until none does (option until)"}
_DECLARABLE: dict[HeldDie, tuple[str, str]] = {
    "karma": ("spendKarma", "positive karma on this roll; it has to be declared before the dice are read"),
    "heldAdvantage": (
        "spendHeldAdvantage",
        "the die a complication earned on this roll; it has to be declared before the dice are read",
    ),
}


@dataclass(slots=True)
class Roller:
    """An actor who is able to roll.

    ``where`` is the actor's place in the request and the name of its roll. ``aspects`` are those that apply, highest bonus
    first. ``spends_weird`` says that this use costs one weird. ``karma`` is an index into `KARMA`, updated as karma moves.
    """

    actor: JazzActor
    where: str
    spends_weird: bool
    aspects: list[JazzAspect] = field(default_factory=list)
    karma: int = 1
    name: str = field(init=False)
    advantages: list[str] = field(init=False)
    """The sources of an advantage die; a die that is spent comes last."""
    disadvantages: list[str] = field(init=False)
    """The sources of a disadvantage die."""

    def __post_init__(self) -> None:
        actor, sheet = self.actor, self.actor.character
        self.name = sheet.name if sheet else self.where
        if sheet is not None:
            self.karma = KARMA.index(sheet.karma)
        self.advantages = ["advantage"] if actor.advantage else []
        if actor.gear is not None and actor.gear.advantage:
            self.advantages.append("gear")
        if actor.spend is not None:
            self.advantages.append(actor.spend)
        self.disadvantages = ["disadvantage"] if actor.disadvantage else []
        if actor.without_equipment:
            self.disadvantages.append("withoutEquipment")
        if actor.impose_karma:
            self.disadvantages.append("imposeKarma")

    @property
    def untrained(self) -> bool:
        """Whether the actor has neither an aspect that applies nor a bare bonus."""
        return not self.aspects and not self.actor.bonus

    @property
    def adds_nothing(self) -> bool:
        """Whether the roll gets no bonus at all (jazz.aspects.missing)."""
        return self.untrained and not self.actor.universal

    def roll(self, dice: Dice, suffix: str = "", *, count: int | None = None) -> Roll:
        """Make the roll, named ``where`` plus ``suffix``. ``count`` overrides the number of dice."""
        pool = self.pool(dice, count)
        roll = dice.roll(self.where + suffix, pool, self.name)
        dice.step("jazz.dice.roll", "{}: {}d6 + {} = {}", self.name, pool.count, pool.modifier, roll.total)
        return roll

    def pool(self, dice: Record, count: int | None = None) -> SumPool:
        """The dice to roll and the bonus to add. ``count`` overrides the number of dice."""
        bonus = self.bonus(dice)
        # jazz.dice.roll: count dice → roll → re-roll → sum → + bonus
        number = self.count(dice) if count is None else count
        return SumPool(number, bonus) if self.actor.gear is None else self.with_rerolls(dice, number, bonus)

    def bonus(self, dice: Record) -> int:
        """The bonus to add: the highest aspect that applies or the bare bonus, but at least the universal +1 where that applies."""
        actor, bonus = self.actor, self.actor.bonus or 0
        if self.aspects:
            best, *others = self.aspects
            # jazz.aspects.highest: bonuses never add, the highest is rolled
            dice.step("jazz.aspects.highest", "{}: {} +{}", self.name, best.name, best.bonus, value=best.bonus)
            bonus = dice.contribution(self.where, "bonus", best.bonus, others[0].bonus if others else 0, best.name)
        elif bonus:
            bonus = dice.contribution(self.where, "bonus", bonus, 0)
        if actor.universal:
            # jazz.aspects.universal: a floor, not an extra
            floor = dice.contribution(self.where, "universal", 1, 0)
            if bonus < floor:
                dice.step("jazz.aspects.universal", "{}: everyone here can do this, so the bonus is +1", self.name, value=1)
            else:
                dice.step("jazz.aspects.universal", "{}: +{} already covers what everyone can do", self.name, bonus)
            return max(bonus, floor)
        if not self.aspects and not actor.bonus:
            dice.step("jazz.aspects.missing", "{}: no aspect applies, so nothing is added", self.name, value=0)
        return bonus

    def count(self, dice: Record, *, granted: bool = False) -> int:
        """The number of dice: two, one more with an advantage, one less with a disadvantage.

        ``granted`` adds an advantage that a step has already reported.
        """
        # jazz.dice.single: each kind collapses to one; then the kinds meet (jazz.dice.cancel)
        more = bool(self.advantages and self._any_source(dice, self.advantages, "advantage")) or granted
        fewer = bool(self.disadvantages and self._any_source(dice, self.disadvantages, "disadvantage"))
        if more and fewer:
            dice.step("jazz.dice.cancel", "{}: advantage and disadvantage cancel, 2d6", self.name, value=2)
        elif more:
            dice.step("jazz.dice.advantage", "{}: one extra die, 3d6", self.name, value=3)
        elif fewer:
            dice.step("jazz.dice.disadvantage", "{}: one die less, 1d6", self.name, value=1)
        return 2 + more - fewer

    def _any_source(self, dice: Record, sources: list[str], kind: str) -> bool:
        for source in sources:
            dice.step(*SOURCES[source], self.name)
        if len(sources) > 1:
            dice.step("jazz.dice.single", "{}: {} sources of {} count as one", self.name, len(sources), kind, value=1)
        counted = [dice.contribution(self.where, source, True, False) for source in sources]
        return any(counted)

    def with_rerolls(self, dice: Record, count: int, bonus: int) -> SumPool:
        """That many dice and that bonus, with the re-rolls that unusual gear gives (jazz.dice.reroll)."""
        gear = self.actor.gear
        if gear is None or not gear.reroll:
            if gear is not None and gear.until == "clear":
                dice.step("jazz.dice.reroll", "{}: no faces are named, so nothing is rolled again (option until)", self.name)
            return SumPool(count, bonus)
        faces = tuple(sorted(set(gear.reroll)))
        dice.step("jazz.equipment.unusual", "{}: unusual gear changes the dice", self.name)
        listed = " or ".join(map(str, faces))
        dice.step("jazz.dice.reroll", "{}: dice that show {} are rolled again, {}", self.name, listed, _UNTIL[gear.until], value=gear.until)
        return SumPool(count, bonus, dice.contribution(self.where, "reroll", faces, ()), gear.until)

    def use_dice(self, verdict: Verdict) -> None:
        """Use up the karma or held die that went into the roll, whatever the outcome."""
        if self.actor.spend == "heldAdvantage":
            verdict.set_flag(self.where, "heldAdvantage", to=False)
        elif self.actor.spend == "karma":
            self.move_karma(verdict, -1)
        if self.actor.impose_karma:
            self.move_karma(verdict, 1)

    def use_weird(self, succeeded: bool, spend_on: SpendOn, dice: Dice, verdict: Verdict) -> None:
        """jazz.weird.spend: an extraordinary use costs one weird, when attempted or, if so chosen, only on success."""
        if not self.spends_weird:
            return
        if spend_on == "success":
            result = "success" if succeeded else "no success"
            dice.step("jazz.weird.spend", "{}: {} (option spendOn)", self.name, result, value=spend_on)
            if not succeeded:
                return
        dice.step("jazz.weird.spend", "{}: truly extraordinary, one weird spent", self.name, value=1)
        sheet = self.actor.character
        if sheet is None or sheet.weird is None:
            verdict.change_unseen(self.where, "weird", -1)
        else:
            verdict.change(self.where, "weird", sheet.weird.current, sheet.weird.current - 1)

    def move_karma(self, verdict: Verdict, move: Literal[-1, 1]) -> None:
        """Move karma one place towards positive (1) or negative (−1); opposites cancel (jazz.karma.neutral)."""
        if self.actor.character is None:
            verdict.change_unseen(self.where, "karma", move)
            return
        before, self.karma = self.karma, self.karma + move
        verdict.changes.append(Change(self.where, "karma", KARMA[before], KARMA[self.karma], move))


def ready_roller(actor: JazzActor, where: str, dice: Record, *, free: str | None = None) -> Roller:
    """`able_roller`, with steps that report what the use of weird aspects costs.

    ``free`` says why an extraordinary use costs nothing in this action (jazz.weird.free).
    """
    roller = able_roller(actor, where, free=free is not None)
    if roller.spends_weird:
        _report_ordinary_aspects(actor, dice)
    elif actor.extraordinary:
        dice.step("jazz.weird.free", "{}: {}, so no weird is spent", roller.name, free)
    elif roller.aspects and roller.aspects[0].weird:
        dice.step("jazz.weird.free", "{}: an ordinary use of a weird aspect costs nothing", roller.name)
    return roller


def _report_ordinary_aspects(actor: JazzActor, dice: Record) -> None:
    """jazz.weird.spend: ordinary aspects do not count towards an extraordinary use, however high."""
    sheet = actor.character
    if sheet is None:
        return
    ordinary = [aspect.name for aspect in sheet.aspects if aspect.name in actor.using and not aspect.weird]
    if ordinary:
        names = " and ".join(ordinary)
        dice.step("jazz.weird.spend", "{}: {} cannot do the truly extraordinary, so the weird counts alone", sheet.name, names)


def able_roller(actor: JazzActor, where: str, *, free: bool) -> Roller:
    """The roller of ``actor``.

    Refuses an actor who is out of the fight, a die that is not held or would be wasted, and an extraordinary use without a
    weird aspect or without weird left. With ``free`` an extraordinary use needs neither.
    """
    sheet = actor.character
    spends_weird = actor.extraordinary and not free
    if sheet is None:
        return Roller(actor, where, spends_weird)
    if sheet.is_out():
        detail = OUT_NOT_ATTACKED if where == "defender" else OUT_CANNOT_ACT
        raise Forbidden.by("jazz.conflict.out", pointer(where, "character"), detail)
    aspects = [aspect for aspect in sheet.aspects if aspect.name in actor.using]
    aspects.sort(key=lambda aspect: -aspect.bonus)
    roller = Roller(actor, where, spends_weird, _weird_aspects(sheet, aspects, where) if spends_weird else aspects)
    _check_dice_held(roller, sheet)
    return roller


def _weird_aspects(sheet: JazzCharacter, aspects: list[JazzAspect], where: str) -> list[JazzAspect]:
    """The weird ones of ``aspects``; refuses an extraordinary use without any, or with no weird left."""
    weird = [aspect for aspect in aspects if aspect.weird]
    if not weird:
        raise Forbidden.by("jazz.weird.spend", pointer(where, "extraordinary"), "an extraordinary use needs a weird aspect in `using`")
    if sheet.weird is None or sheet.weird.current == 0:
        raise Forbidden.by("jazz.weird.depleted", pointer(where, "extraordinary"), "no weird is left for an extraordinary use")
    return weird


def _check_dice_held(roller: Roller, sheet: JazzCharacter) -> None:
    """Refuse a die that is not held, or that an advantage would waste (jazz.karma.positive, jazz.complication.die)."""
    actor, where = roller.actor, roller.where
    if actor.impose_karma and sheet.karma != "negative":
        raise Forbidden.by("jazz.karma.negative", pointer(where, "imposeKarma"), "the character has no negative karma to impose")
    if actor.spend is None:
        return
    if not holds(sheet, actor.spend):
        raise Forbidden.by(DIE_RULES[actor.spend], pointer(where, "spend"), "the character does not hold the die to spend")
    if len(roller.advantages) > 1:
        raise Forbidden.by(DIE_RULES[actor.spend], pointer(where, "spend"), "the roll already has an advantage, so the die is kept")


def holds(sheet: JazzCharacter, die: HeldDie) -> bool:
    """Whether the character has that die to spend."""
    return sheet.karma == "positive" if die == "karma" else sheet.held_advantage


def declarable_dice(roller: Roller) -> Iterator[tuple[str, HeldDie, str]]:
    """The dice a roller could have declared before the roll: the option's name, the die, and the option's text."""
    sheet = roller.actor.character
    if sheet is None or roller.advantages:
        return
    for die, (choice, text) in _DECLARABLE.items():
        if holds(sheet, die):
            yield choice, die, f"{roller.name}: {text}"


def pay(actors: Sequence[Roller], opponent: Roller | None, spend_on: SpendOn, dice: Dice, verdict: Verdict) -> None:
    """Use up what the rolls of both sides cost: dice in any case, weird as ``spend_on`` says."""
    for actor in actors:
        actor.use_dice(verdict)
        actor.use_weird(verdict.succeeded is True, spend_on, dice, verdict)
    if opponent is not None:
        opponent.use_dice(verdict)
        opponent.use_weird(verdict.succeeded is False, spend_on, dice, verdict)


def report_summed_weird(dice: Dice, *sheets: JazzCharacter | None) -> None:
    """jazz.weird.pool: report every weird pool that was left out and derived as a sum."""
    for sheet in sheets:
        if sheet is not None and sheet.weird is not None and sheet.weird_summed:
            report_weird_sum(dice, sheet.name, sheet.weird.max)


def report_weird_sum(dice: Dice, name: str, size: int) -> None:
    """jazz.weird.pool: report a weird pool that is the sum of the weird aspects."""
    dice.step("jazz.weird.pool", "{}: the weird aspects add up to a weird pool of {} (option weirdPool)", name, size, value="sum")
