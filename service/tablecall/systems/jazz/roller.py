"""How anyone in Jazz rolls: which bonus, how many dice, what it costs. Every action that rolls for a `JazzActor` comes here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tablecall.dice.pools import SumPool
from tablecall.dice.source import Dice, Roll
from tablecall.model.refusals import Forbidden, pointer
from tablecall.systems.jazz.sheet import SPENDING, Held, JazzActor, JazzAspect, JazzCharacter
from tablecall.systems.verdict import Change, Verdict

OUT = ("whoever is out of the fight cannot act", "whoever is out of the fight is not attacked")
KARMA = ("negative", "neutral", "positive")

_UNTIL = {"once": "once", "clear": "until none does (option until)"}
_SAID = {
    "advantage": ("jazz.dice.advantage", "{}: the situation gives an advantage"),
    "karma": ("jazz.karma.positive", "{}: positive karma is spent on an advantage die"),
    "heldAdvantage": ("jazz.complication.die", "{}: the die a complication earned is spent"),
    "gear": ("jazz.equipment.unusual", "{}: unusual gear gives an advantage"),
    "disadvantage": ("jazz.dice.disadvantage", "{}: the situation gives a disadvantage"),
    "withoutEquipment": ("jazz.equipment.lost", "{}: without the ordinary equipment, a disadvantage"),
    "imposeKarma": ("jazz.karma.negative", "{}: negative karma is imposed and used up"),
}
_UNROLLED = {
    "advantage": "the situation gives no die",
    "gear": "the gear gives no die",
    "disadvantage": "the situation takes no die",
    "withoutEquipment": "the missing equipment takes no die",
}
_COULD: dict[Held, tuple[str, str]] = {
    "karma": ("spendKarma", "positive karma on this roll; it has to be declared before the dice are read"),
    "heldAdvantage": (
        "spendHeldAdvantage",
        "the die a complication earned on this roll; it has to be declared before the dice are read",
    ),
}


@dataclass(slots=True)
class Roller:
    """A roller found able to act: the aspects that apply, best first, and what is left of what a roll can use up.

    ``where`` is its place in the request, which names its rolls. ``spends_weird`` says that an extraordinary use costs one.
    """

    actor: JazzActor
    where: str
    spends_weird: bool
    aspects: list[JazzAspect] = field(default_factory=list)
    karma: int = 1
    name: str = field(init=False)

    def __post_init__(self) -> None:
        sheet = self.actor.character
        self.name = sheet.name if sheet else self.where
        if sheet is not None:
            self.karma = KARMA.index(sheet.karma)

    @property
    def untrained(self) -> bool:
        """Whether no aspect of its own applies."""
        return not self.aspects and not self.actor.bonus

    @property
    def missing(self) -> bool:
        """Whether nothing is added at all (jazz.aspects.missing)."""
        return self.untrained and not self.actor.universal

    @property
    def advantages(self) -> list[str]:
        """The sources of an advantage die, the die spent last."""
        actor = self.actor
        found: list[str] = ["advantage"] if actor.advantage else []
        if actor.gear is not None and actor.gear.advantage:
            found.append("gear")
        if actor.spend is not None:
            found.append(actor.spend)
        return found

    @property
    def disadvantages(self) -> list[str]:
        """The sources of a disadvantage die."""
        actor = self.actor
        found = ["disadvantage"] if actor.disadvantage else []
        if actor.without_equipment:
            found.append("withoutEquipment")
        if actor.impose_karma:
            found.append("imposeKarma")
        return found

    def bonus(self, dice: Dice) -> int:
        """The bonus to add: the highest aspect that applies, or the bare bonus, or the universal floor."""
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
        if self.missing:
            dice.step("jazz.aspects.missing", "{}: no aspect applies, so nothing is added", self.name, value=0)
        return bonus

    def count(self, dice: Dice, *, granted: bool = False) -> int:
        """How many dice: two, one more with an advantage (one that was ``granted`` and has been told of), one fewer with a disadvantage."""
        # jazz.dice.single: each kind collapses to one; then the kinds meet (jazz.dice.cancel)
        more = self._collapse(dice, self.advantages, "advantage") or granted
        fewer = self._collapse(dice, self.disadvantages, "disadvantage")
        if more and fewer:
            dice.step("jazz.dice.cancel", "{}: advantage and disadvantage cancel, 2d6", self.name, value=2)
        elif more:
            dice.step("jazz.dice.advantage", "{}: one extra die, 3d6", self.name, value=3)
        elif fewer:
            dice.step("jazz.dice.disadvantage", "{}: one die less, 1d6", self.name, value=1)
        return 2 + more - fewer

    def _collapse(self, dice: Dice, kinds: list[str], word: str) -> bool:
        if not kinds:
            return False
        for kind in kinds:
            dice.step(*_SAID[kind], self.name)
        if len(kinds) > 1:
            dice.step("jazz.dice.single", "{}: {} sources of {} count as one", self.name, len(kinds), word, value=1)
        counted = [dice.contribution(self.where, kind, True, False) for kind in kinds]
        return any(counted)

    def quantity(self, dice: Dice, count: int, bonus: int) -> SumPool:
        """So many dice and a bonus, some faces rolled again where the gear does that (jazz.dice.reroll)."""
        gear = self.actor.gear
        if gear is None or not gear.reroll:
            if gear is not None and gear.until == "clear":
                dice.step("jazz.dice.reroll", "{}: no faces are named, so nothing is rolled again (option until)", self.name)
            return SumPool(count, bonus)
        faces = tuple(sorted(set(gear.reroll)))
        dice.step("jazz.equipment.unusual", "{}: unusual gear changes the dice", self.name)
        again = " or ".join(map(str, faces))
        dice.step("jazz.dice.reroll", "{}: dice that show {} are rolled again, {}", self.name, again, _UNTIL[gear.until], value=gear.until)
        return SumPool(count, bonus, dice.contribution(self.where, "reroll", faces, ()), gear.until)

    def unrolled(self, dice: Dice, why: str) -> None:
        """Say of what would have gone into a roll that it does not, since none is made; ``why`` says why.

        What is spent or imposed is told of apart (`unused`).
        """
        for kind in (*self.advantages, *self.disadvantages):
            if kind in _UNROLLED:
                dice.step(_SAID[kind][0], "{}: {}, so {}", self.name, why, _UNROLLED[kind])
        gear = self.actor.gear
        if gear is not None and (gear.reroll or gear.until == "clear"):
            dice.step("jazz.dice.reroll", "{}: {}, so nothing is rolled again", self.name, why)
        if self.actor.universal:
            dice.step("jazz.aspects.universal", "{}: {}, so there is no bonus to be at least 1", self.name, why)

    def counted(self, dice: Dice, count: int | None = None) -> SumPool:
        """What is to be rolled; ``count`` overrides the number of dice."""
        bonus = self.bonus(dice)
        # jazz.dice.roll: count dice → roll → re-roll → sum → + bonus
        return self.quantity(dice, self.count(dice) if count is None else count, bonus)

    def roll(self, dice: Dice, purpose: str = "", *, count: int | None = None) -> Roll:
        """Make the roll under ``where``, or ``where.purpose``; ``count`` overrides the number of dice."""
        quantity = self.counted(dice, count)
        roll = dice.roll(self.where + purpose, quantity, self.name)
        dice.step("jazz.dice.roll", "{}: {}d6 + {} = {}", self.name, quantity.count, quantity.modifier, roll.total)
        return roll

    def pay(self, verdict: Verdict) -> None:
        """What the roll used up whatever came of it: karma and the held die."""
        if self.actor.spend == "heldAdvantage":
            verdict.set_flag(self.where, "heldAdvantage", to=False)
        elif self.actor.spend == "karma":
            self.move_karma(verdict, -1)
        if self.actor.impose_karma:
            self.move_karma(verdict, 1)

    def move_karma(self, verdict: Verdict, move: Literal[-1, 1]) -> None:
        """Move karma one place towards positive (1) or negative (−1); opposites cancel (jazz.karma.neutral)."""
        if self.actor.character is None:
            verdict.change_unseen(self.where, "karma", move)
            return
        before, self.karma = self.karma, self.karma + move
        verdict.changes.append(Change(self.where, "karma", KARMA[before], KARMA[self.karma], move))

    def spend_weird(self, dice: Dice, verdict: Verdict) -> None:
        """The truly extraordinary costs one weird (jazz.weird.spend)."""
        dice.step("jazz.weird.spend", "{}: truly extraordinary, one weird spent", self.name, value=1)
        sheet = self.actor.character
        if sheet is None or sheet.weird is None:
            verdict.change_unseen(self.where, "weird", -1)
        else:
            verdict.change(self.where, "weird", sheet.weird.current, sheet.weird.current - 1)


def ready(actor: JazzActor, where: str, dice: Dice, *, free: str | None = None) -> Roller:
    """Find a roller able to act, or refuse as `fit` does.

    ``free`` says why an extraordinary use would cost nothing here (jazz.weird.free).
    """
    roller = fit(actor, where, free=free is not None)
    if roller.spends_weird:
        _set_aside(actor, dice)
    elif actor.extraordinary:
        dice.step("jazz.weird.free", "{}: {}, so no weird is spent", roller.name, free)
    elif roller.aspects and roller.aspects[0].weird:
        dice.step("jazz.weird.free", "{}: an ordinary use of a weird aspect costs nothing", roller.name)
    return roller


def _set_aside(actor: JazzActor, dice: Dice) -> None:
    """jazz.weird.spend: no ordinary aspect does the truly extraordinary, however high."""
    sheet = actor.character
    if sheet is None or not dice.wants_steps:
        return
    ordinary = [aspect.name for aspect in sheet.aspects if aspect.name in actor.using and not aspect.weird]
    if ordinary:
        names = " and ".join(ordinary)
        dice.step("jazz.weird.spend", "{}: {} cannot do the truly extraordinary, so the weird counts alone", sheet.name, names)


def unused(actor: JazzActor, name: str, dice: Dice, why: str) -> None:
    """Say that there is no roll for the die to spend and the karma to impose, so both are kept; ``why`` says why."""
    sheet = actor.character
    if sheet is None:
        return
    if actor.spend is not None:
        rest = "the die is kept" if holds(sheet, actor.spend) else "nothing is spent"
        dice.step(SPENDING[actor.spend], "{}: {}, so {}", name, why, rest)
    if actor.impose_karma:
        dice.step("jazz.karma.negative", "{}: {}, so nothing is imposed", name, why)


def derived(dice: Dice, *sheets: JazzCharacter | None) -> None:
    """jazz.weird.pool: say of each weird pool that was left out where it follows from the sum of the weird aspects."""
    if not dice.wants_steps:
        return
    for sheet in sheets:
        if sheet is not None and sheet.weird is not None and sheet.weird_summed:
            summed(dice, sheet.name, sheet.weird.max)


def summed(dice: Dice, name: str, size: int) -> None:
    """jazz.weird.pool: the sum, not the highest."""
    dice.step("jazz.weird.pool", "{}: the weird aspects add up to a weird pool of {} (option weirdPool)", name, size, value="sum")


def fit(actor: JazzActor, where: str, *, free: bool) -> Roller:
    """A roller able to act; refuses one out of the fight, a die that would be wasted or is not held, weird used up.

    Where an extraordinary use is ``free``, weird is not asked for.
    """
    sheet = actor.character
    spends = actor.extraordinary and not free
    if sheet is None:
        return Roller(actor, where, spends)
    if sheet.is_out():
        raise Forbidden.by("jazz.conflict.out", pointer(where, "character"), OUT[where == "defender"])
    aspects = [aspect for aspect in sheet.aspects if aspect.name in actor.using]
    aspects.sort(key=lambda aspect: -aspect.bonus)
    roller = Roller(actor, where, spends, _extraordinary(sheet, aspects, where) if spends else aspects)
    _holds(roller, sheet)
    return roller


def _extraordinary(sheet: JazzCharacter, aspects: list[JazzAspect], where: str) -> list[JazzAspect]:
    """The weird aspects that apply: no other can do the truly extraordinary."""
    weird = [aspect for aspect in aspects if aspect.weird]
    if not weird:
        raise Forbidden.by(
            "jazz.weird.spend", pointer(where, "extraordinary"), "a truly extraordinary use needs a weird aspect that applies"
        )
    if sheet.weird is None or sheet.weird.current == 0:
        raise Forbidden.by(
            "jazz.weird.depleted", pointer(where, "extraordinary"), "no weird is left: nothing extraordinary until after a rest"
        )
    return weird


def _holds(roller: Roller, sheet: JazzCharacter) -> None:
    """Refuse a die that is not held, and one that would be wasted; it is kept (jazz.karma.positive, jazz.complication.die)."""
    actor, where = roller.actor, roller.where
    if actor.impose_karma and sheet.karma != "negative":
        raise Forbidden.by("jazz.karma.negative", pointer(where, "imposeKarma"), "the character has no negative karma to impose")
    if actor.spend is None:
        return
    if not holds(sheet, actor.spend):
        raise Forbidden.by(SPENDING[actor.spend], pointer(where, "spend"), "the character does not hold the die to be spent")
    if len(roller.advantages) > 1:
        raise Forbidden.by(SPENDING[actor.spend], pointer(where, "spend"), "the roll already has an advantage, so the die is kept")


def holds(sheet: JazzCharacter, die: Held) -> bool:
    """Whether the character has that die to spend."""
    return sheet.karma == "positive" if die == "karma" else sheet.held_advantage


def could_spend(roller: Roller) -> Iterator[tuple[str, Held, str]]:
    """The dice a roller might have declared before the roll: the name of the choice, the die, and what it means."""
    sheet = roller.actor.character
    if sheet is None or roller.advantages:
        return
    for die, (choice, text) in _COULD.items():
        if holds(sheet, die):
            yield choice, die, f"{roller.name}: {text}"
