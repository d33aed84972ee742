"""How a `JazzActor` rolls: which bonus, how many dice, what the roll costs. Every action that rolls for an actor uses this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tablecall.dice.pools import SumPool
from tablecall.dice.source import Dice, Record, Roll, Total
from tablecall.model.refusals import Forbidden, pointer
from tablecall.systems.jazz.sheet import DIE_RULES, HeldDie, JazzActor, JazzAspect, JazzCharacter, RescueBy, SpendOn
from tablecall.systems.verdict import Change, Verdict

KARMA = ("negative", "neutral", "positive")
"""The states of karma in order; granting karma moves one place."""

SOURCES = {
    "advantage": "jazz.dice.advantage",
    "karma": "jazz.karma.positive",
    "heldAdvantage": "jazz.complication.die",
    "gear": "jazz.equipment.unusual",
    "disadvantage": "jazz.dice.disadvantage",
    "withoutEquipment": "jazz.equipment.lost",
    "imposeKarma": "jazz.karma.negative",
}
"""Every source of an advantage or disadvantage die, and its rule. Its sentence is ``source.…`` in the texts."""
_OPTION_OF = {"karma": "spend", "heldAdvantage": "spend"}
"""The field of an actor that a source is, where the names differ."""


@dataclass(slots=True)
class Roller:
    """An actor who is able to roll.

    ``where`` is the actor's place in the request: effects and sentences use it. ``roll_name`` is the name of the roll. ``aspects`` are
    those that apply, highest bonus first. ``spends_weird`` says that this use costs one weird. ``karma`` is an index into `KARMA`,
    updated as karma moves.
    """

    actor: JazzActor
    where: str
    spends_weird: bool
    aspects: list[JazzAspect] = field(default_factory=list)
    karma: int = 1
    roll_name: str = ""
    name: str = field(init=False)
    advantages: list[str] = field(init=False)
    """The sources of an advantage die; a die that is spent comes last."""
    disadvantages: list[str] = field(init=False)
    """The sources of a disadvantage die."""

    def __post_init__(self) -> None:
        actor, sheet = self.actor, self.actor.character
        self.roll_name = self.roll_name or self.where
        self.name = sheet.name if sheet else actor.name or self.where
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
        """Make the roll, named ``roll_name`` plus ``suffix``. ``count`` overrides the number of dice."""
        pool = self.pool(dice, count)
        roll = dice.roll(self.roll_name + suffix, pool, self.name)
        dice.note("jazz.dice.roll", "roll.total", who=self.where, count=pool.count, bonus=pool.modifier, total=roll.total)
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
            dice.note("jazz.aspects.highest", "roll.aspect", value=best.bonus, who=self.where, aspect=best.name, bonus=best.bonus)
            bonus = dice.contribution(self.where, "bonus", best.bonus, others[0].bonus if others else 0, best.name)
        elif bonus:
            bonus = dice.contribution(self.where, "bonus", bonus, 0)
        if actor.universal:
            # jazz.aspects.universal: a floor, not an extra
            floor = dice.contribution(self.where, "universal", 1, 0)
            if bonus < floor:
                dice.option(self.where, "universal")
                dice.note("jazz.aspects.universal", "roll.universal", value=1, who=self.where)
            return max(bonus, floor)
        if not self.aspects and not actor.bonus:
            dice.note("jazz.aspects.missing", "roll.no_aspect", value=0, who=self.where)
        return bonus

    def count(self, dice: Record, *, granted: bool = False) -> int:
        """The number of dice: two, one more with an advantage, one less with a disadvantage.

        ``granted`` adds an advantage that a step has already reported.
        """
        # jazz.dice.single: each kind collapses to one; then the kinds meet (jazz.dice.cancel)
        more = bool(self.advantages and self._any_source(dice, self.advantages)) or granted
        fewer = bool(self.disadvantages and self._any_source(dice, self.disadvantages))
        if more and fewer:
            dice.note("jazz.dice.cancel", "roll.cancel", value=2, who=self.where)
        elif more:
            dice.note("jazz.dice.advantage", "roll.advantage", value=3, who=self.where)
        elif fewer:
            dice.note("jazz.dice.disadvantage", "roll.disadvantage", value=1, who=self.where)
        return 2 + more - fewer

    def _any_source(self, dice: Record, sources: list[str]) -> bool:
        for source in sources:
            dice.option(self.where, _OPTION_OF.get(source, source))
            dice.note(SOURCES[source], f"source.{source}", who=self.where)
        if len(sources) > 1:
            dice.note("jazz.dice.single", "roll.single", value=1, who=self.where, count=len(sources))
        counted = [dice.contribution(self.where, source, True, False) for source in sources]
        return any(counted)

    def with_rerolls(self, dice: Record, count: int, bonus: int) -> SumPool:
        """That many dice and that bonus, with the re-rolls that unusual gear gives (jazz.dice.reroll)."""
        gear = self.actor.gear
        if gear is None or not gear.reroll:
            return SumPool(count, bonus)
        faces = tuple(sorted(set(gear.reroll)))
        dice.option(self.where, "gear")
        dice.note("jazz.equipment.unusual", "roll.gear", who=self.where)
        dice.note("jazz.dice.reroll", f"roll.reroll_{gear.until}", value=gear.until, who=self.where, faces=" ".join(map(str, faces)))
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
        dice.option(self.where, "extraordinary")
        if spend_on == "success":
            dice.option("", "spendOn")
            if not succeeded:
                dice.note("jazz.weird.spend", "weird.kept", value=spend_on, who=self.where)
                return
        dice.note("jazz.weird.spend", "weird.spent", value=1, who=self.where)
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


def ready_roller(actor: JazzActor, where: str, dice: Record, *, roll_name: str = "", weird_row: bool = False) -> Roller:
    """The roller of ``actor``, with steps that report what the use of weird aspects costs.

    Refuses an actor who is out of the fight, a die that is not held or would be wasted, and an extraordinary use without a weird aspect
    or without weird left. ``weird_row``: the use is extraordinary unless the actor says otherwise (jazz.difficulty.weird).
    """
    spends_weird = weird_row if actor.extraordinary is None else actor.extraordinary
    sheet = actor.character
    if sheet is None:
        return Roller(actor, where, spends_weird, roll_name=roll_name)
    if sheet.is_out():
        raise Forbidden.by("jazz.conflict.out", pointer(where, "character"), "jazz.refused.out_cannot_act", who=sheet.name)
    aspects = actor.applying
    if spends_weird:
        ordinary = [aspect.name for aspect in aspects if not aspect.weird]
        aspects = _weird_aspects(sheet, aspects, where, weird_row=weird_row)
        if ordinary:
            dice.note("jazz.weird.spend", "weird.ordinary_aspects", who=where, aspects=ordinary)
    elif aspects and aspects[0].weird:
        dice.note("jazz.weird.free", "weird.free", who=where)
    if weird_row and actor.extraordinary is False:
        dice.option(where, "extraordinary")
        dice.note("jazz.weird.spend", "weird.mundane_row", who=where)
    roller = Roller(actor, where, spends_weird, aspects, roll_name=roll_name)
    _check_dice_held(roller, sheet)
    return roller


def _weird_aspects(sheet: JazzCharacter, aspects: list[JazzAspect], where: str, *, weird_row: bool) -> list[JazzAspect]:
    """The weird ones of ``aspects``; refuses an extraordinary use without any, or with no weird left."""
    weird = [aspect for aspect in aspects if aspect.weird]
    if not weird:
        rule, key = ("jazz.difficulty.weird", "row_needs_weird") if weird_row else ("jazz.weird.spend", "needs_weird")
        raise Forbidden.by(rule, pointer(where, "using"), f"jazz.refused.{key}", who=sheet.name)
    if sheet.weird is None or sheet.weird.current == 0:
        raise Forbidden.by("jazz.weird.depleted", pointer(where, "extraordinary"), "jazz.refused.no_weird_left", who=sheet.name)
    return weird


def _check_dice_held(roller: Roller, sheet: JazzCharacter) -> None:
    """Refuse a die that is not held, or that an advantage would waste (jazz.karma.positive, jazz.complication.die)."""
    actor, where = roller.actor, roller.where
    if actor.impose_karma and sheet.karma != "negative":
        raise Forbidden.by("jazz.karma.negative", pointer(where, "imposeKarma"), "jazz.refused.no_negative_karma", who=sheet.name)
    if actor.spend is None:
        return
    if not holds(sheet, actor.spend):
        raise Forbidden.by(DIE_RULES[actor.spend], pointer(where, "spend"), f"jazz.refused.not_held_{actor.spend}", who=sheet.name)
    if len(roller.advantages) > 1:
        raise Forbidden.by(DIE_RULES[actor.spend], pointer(where, "spend"), "jazz.refused.die_wasted", who=sheet.name)


def check_dice(actor: JazzActor, where: str) -> None:
    """Refuse a die that an actor wants to spend or impose and does not hold, or that would be wasted."""
    if actor.character is not None:
        _check_dice_held(Roller(actor, where, spends_weird=False), actor.character)


def holds(sheet: JazzCharacter, die: HeldDie) -> bool:
    """Whether the character has that die to spend."""
    return sheet.karma == "positive" if die == "karma" else sheet.held_advantage


def pay(actors: Sequence[Roller], opponents: Sequence[Roller], spend_on: SpendOn, dice: Dice, verdict: Verdict) -> None:
    """Use up what the rolls of both sides cost: dice in any case, weird as ``spend_on`` says."""
    for rollers, won in ((actors, verdict.succeeded is True), (opponents, verdict.succeeded is False)):
        for roller in rollers:
            roller.use_dice(verdict)
            roller.use_weird(won, spend_on, dice, verdict)


# ── Rescue (jazz.karma.rescue) ───────────────────────────────────────────────────────────────────────────────────────


def check_rescue(roller: Roller, at: str) -> None:
    """Refuse, before any roll, a rescue that cannot be granted: the roll has an advantage, or karma is already negative."""
    if roller.advantages:
        raise Forbidden.by("jazz.karma.rescue", at, "jazz.refused.rescue_advantage", who=roller.name)
    if KARMA[roller.karma] == "negative":
        raise Forbidden.by("jazz.karma.rescue", at, "jazz.refused.rescue_negative", who=roller.name)


def rescued_total(roller: Roller, total: Total, by: RescueBy, dice: Dice) -> Total:
    """The total of a failed roll after one more die, or of the whole roll made again with the advantage. ``total`` is that of the roll."""
    if by == "addDie":
        die = dice.roll(f"{roller.roll_name}.rescue", roller.with_rerolls(dice, 1, 0), roller.name)
        # every face is a branch of its own in the odds: six at most
        total = total + dice.value(die.total)
        dice.note("jazz.karma.rescue", "rescue.die", who=roller.where, die=die.total)
        if roller.disadvantages:
            dice.note("jazz.dice.cancel", "rescue.cancel", value=2, who=roller.where)
        return total
    dice.option("", "rescueBy")
    dice.note("jazz.karma.rescue", "rescue.again", value=by, who=roller.where)
    return roller.roll(dice, ".rescue", count=roller.count(dice, granted=True)).total


def pay_rescue(roller: Roller, dice: Dice, verdict: Verdict) -> None:
    """The price of a rescue that helped: karma moves one place towards negative; positive karma is only cancelled (jazz.karma.neutral)."""
    roller.move_karma(verdict, -1)
    if roller.actor.character is None:
        dice.note("jazz.karma.rescue", "rescue.price", who=roller.where)
        return
    karma = KARMA[roller.karma]
    rule = "jazz.karma.neutral" if karma == "neutral" else "jazz.karma.rescue"
    dice.note(rule, "rescue.karma", value=karma, who=roller.where, karma=karma)


# ── Weird pools ──────────────────────────────────────────────────────────────────────────────────────────────────────


def report_weird_pools(dice: Record, sheets: Iterable[tuple[str, JazzCharacter | None]]) -> None:
    """jazz.weird.pool: report every weird pool that was derived from several weird aspects, by the place of its character."""
    for where, sheet in sheets:
        if sheet is not None and sheet.weird is not None and sheet.chooses_weird_pool:
            choice = sheet.weird_pool or "highest"
            dice.note("jazz.weird.pool", f"weird.pool_{choice}", value=choice, who=where, size=sheet.weird.max)


def actors_at(actors: Iterable[JazzActor | None], field: str) -> list[tuple[str, JazzCharacter | None]]:
    """The sheets of a list of actors, each with its place."""
    return [(f"{field}.{index}", actor.character if actor else None) for index, actor in enumerate(actors)]
