"""darkpages, a damage check: a character resists a Trauma, or is Defeated, or risks getting worse to stay up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Roll, Total
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.systems.darkpages.roller import DarkpagesPools, Hand, hand, in_play, named
from tablecall.systems.darkpages.sheet import MAX_COUNT, Attribute, DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import STATES, TRAITS, TRAUMAS
from tablecall.systems.darkpages.wording import line
from tablecall.systems.verdict import Change, Verdict

Trauma = Literal["injury", "illness", "stress", "fatigue", "corruption"]
OnHarm = Literal["defeated", "risk"]
DamageTie = Literal["stalemate", "harm"]

OUTCOMES = ("resisted", "stalemate", "defeated", "diminished", "damaged", "destroyed", "held", "outOfGame")
"""Every word for what comes of a damage check."""

SAID = ("nothing changes", "resists", "is harmed")
"""What a comparison does to whoever resists: equal, higher, lower (index −1)."""


class DarkpagesTrauma(DarkpagesPools):
    """What an action that does harm says of it."""

    trauma: Trauma
    """The Trauma (darkpages.damage.traits). `injury`: strikes Body, and Health bears it. `illness`: likewise Body and Health.
    `stress`: strikes Mind, and Sanity bears it. `fatigue`: likewise Mind and Sanity. `corruption`: strikes Soul, and Aura bears it."""


class DarkpagesHarm(DarkpagesTrauma):
    """What every action with a damage check says of it."""

    on_harm: OnHarm = "defeated"
    """What a failed damage check does (darkpages.damage.defeated). `defeated`: the conflict goes on without them. `risk`: the next worse
    state, and still up."""
    damage_tie: DamageTie = "stalemate"
    """What a damage check equal to the attacker's total does (darkpages.damage.check). `stalemate`: nothing. `harm`: it fails."""


class DarkpagesDamageCheck(DarkpagesHarm):
    """Somebody resists a Trauma with the Attribute it strikes (darkpages.damage.check)."""

    target: DarkpagesActor
    """Who resists; rolls as `target`. The Trauma says with which Attribute, so none is named. A bare pool is taken as unhurt."""
    against: Annotated[int, Field(ge=0, le=1000), WholeNumber]
    """The attacker's total, or the Target Number that was failed."""
    opposed: bool = True
    """Whether `against` is an attacker's total, which has to be beaten; a Target Number only has to be reached."""

    @model_validator(mode="after")
    def _no_attribute(self) -> Self:
        if self.target.attribute is not None:
            raise not_allowed("the Trauma says which Attribute resists it", rule="darkpages.damage.check", at="/target/attribute")
        return self


@dataclass(frozen=True, slots=True)
class Blow:
    """What a damage check is about: the Trauma, the total it is against, and the choices of the request.

    ``feeble``: the attacker's roll was no success whatever its total, so that where both fail nobody is harmed.
    """

    trauma: Trauma
    against: Total
    opposed: bool
    on_harm: OnHarm
    damage_tie: DamageTie
    feeble: bool = False


def damage(request: DarkpagesDamageCheck, dice: Dice) -> Verdict:
    """Resolve a damage check.

    Outcomes: ``resisted``; ``stalemate`` (a tie with an attacker); ``defeated``; where the player risks it ``diminished``,
    ``damaged``, ``destroyed`` or ``held`` (non-lethal beyond Damaged); ``outOfGame``. Refuses whoever is not in play.
    """
    in_play(request.target, "target")
    if request.damage_tie == "harm" and not request.opposed:
        dice.step("darkpages.damage.check", "a Target Number only has to be reached, so there is no tie to harm (option damageTie)")
    target = hand(request.target, "target", dice, request, attribute=struck(request.trauma))
    blow = Blow(request.trauma, request.against, request.opposed, request.on_harm, request.damage_tie)
    verdict = Verdict("resisted", True, target=blow.against)
    outcome, roll = resist(target, blow, dice, verdict)
    verdict.total = roll.total
    if outcome != "resisted":
        verdict.outcome, verdict.succeeded = outcome, None if outcome == "stalemate" else False
    return verdict


def struck(trauma: Trauma) -> Attribute:
    """darkpages.damage.traits: the Attribute a Trauma strikes."""
    return TRAUMAS[trauma]


def resist(target: Hand, blow: Blow, dice: Dice, verdict: Verdict) -> tuple[str, Roll]:
    """Roll to resist; what comes of it, and the roll (darkpages.damage.check). The effects go to ``verdict``."""
    attribute = TRAUMAS[blow.trauma]
    dice.step("darkpages.damage.traits", "{} strikes {}, and {} bears it", blow.trauma, attribute, TRAITS[attribute], value=attribute)
    # Nothing but zeros kept never resists, not even 0 (darkpages.zero.dramatic).
    beat = max(dice.value(blow.against, target.most) + blow.opposed, 1) if target.waits else None
    roll = target.draw(dice, beat=beat)
    compared = _compared(target, roll, blow, dice, verdict)
    target.offer_zeros(dice, roll)
    if compared < 0:
        return harm(target, blow, dice, verdict), roll
    if blow.on_harm == "risk":
        dice.step("darkpages.damage.defeated", "{} is not harmed, so nothing is risked (option onHarm)", target.name)
    return "resisted" if compared else "stalemate", roll


def _compared(target: Hand, roll: Roll, blow: Blow, dice: Dice, verdict: Verdict) -> int:
    """1: resisted, 0: nothing changes, −1: harmed."""
    special = dice.special(roll)
    target.earn(dice, roll, verdict)
    if special is not None:
        text = "{}: a {} damage check is a failure like any other"
        dice.step("darkpages.damage.special", text, target.name, special, value=special)
    elif not target.kept:
        target.fail_empty(dice)
    failed = special is not None or not target.kept
    compared = (0 if blow.feeble else -1) if failed else dice.compare(roll.total, blow.against)
    if not blow.opposed:
        return _against_number(target, roll, blow, compared, dice)
    if compared == 0 and not failed:
        return _level(target, roll, blow, dice)
    dice.step("darkpages.damage.check", "{}: {} against {}, {}", target.name, roll.total, blow.against, SAID[compared])
    if blow.damage_tie == "harm":
        why = "the roll fails whatever its total" if failed else "the totals differ"
        dice.step("darkpages.damage.check", "{}, so there is no tie to decide (option damageTie)", why)
    return compared


def _against_number(target: Hand, roll: Roll, blow: Blow, compared: int, dice: Dice) -> int:
    """A Target Number only has to be reached."""
    resisted = 1 if compared >= 0 else -1
    text = "{}: {} against the Target Number {}, {}"
    dice.step("darkpages.damage.check", text, target.name, roll.total, blow.against, SAID[resisted])
    return resisted


def _level(target: Hand, roll: Roll, blow: Blow, dice: Dice) -> int:
    """A total equal to the attacker's is a draw, or harm by the option damageTie."""
    level = -1 if blow.damage_tie == "harm" else 0
    text = "{}: {} against {}, {} (option damageTie)"
    dice.step("darkpages.damage.check", text, target.name, roll.total, blow.against, SAID[level], value=blow.damage_tie)
    return level


def harm(target: Hand, blow: Blow, dice: Dice, verdict: Verdict) -> str:
    """What a failed damage check does: Defeated by default, else one step worse (darkpages.damage.defeated)."""
    sheet, where = target.actor.character, target.where
    trait = TRAITS[TRAUMAS[blow.trauma]]
    if sheet is None:
        return _unseen(where, trait, blow, dice, verdict)
    lethal = sheet.lethal == trait
    dice.step("darkpages.damage.lethal", "{} is {} to {}", blow.trauma, "lethal" if lethal else "not lethal", sheet.name, value=lethal)
    if getattr(sheet.damage, sheet.lethal) == "destroyed" and (lethal or blow.on_harm == "defeated"):
        if blow.on_harm == "risk":
            text = "{} has nothing worse left to risk against lethal Trauma (option onHarm)"
            dice.step("darkpages.damage.defeated", text, sheet.name)
        return _leave(sheet, where, dice, verdict)
    if _gives_in(sheet.name, blow, dice):
        verdict.set_flag(where, "defeated", to=True)
        return "defeated"
    if getattr(sheet.damage, sheet.lethal) != "destroyed":
        _offer(dice, "defeated", f"{sheet.name} is Defeated, and gets no worse")
    return _worsen(sheet, where, trait, lethal, dice, verdict)


def _gives_in(name: str, blow: Blow, dice: Dice) -> bool:
    """darkpages.damage.defeated: Defeated, which leaves the choice to risk it open, or up and at risk."""
    if blow.on_harm == "risk":
        dice.step("darkpages.damage.defeated", "{} risks it and stays up (option onHarm)", name, value="risk")
        return False
    dice.step("darkpages.damage.defeated", "{} is Defeated until the conflict ends (option onHarm)", name, value="defeated")
    _offer(dice, "risk", f"{name} stays up, and gets worse instead")
    return True


def _unseen(where: str, trait: str, blow: Blow, dice: Dice, verdict: Verdict) -> str:
    """A bare pool has no state to look up: it is taken as unhurt."""
    dice.step("darkpages.damage.steps", "{}: no sheet was sent, so it counts as unhurt", where)
    if _gives_in(where, blow, dice):
        verdict.change_unseen(where, "defeated", 1)
        return "defeated"
    _offer(dice, "defeated", f"{where} is Defeated, and gets no worse")
    verdict.change_unseen(where, f"damage.{trait}", 1)
    return "diminished"


def _leave(sheet: DarkpagesCharacter, where: str, dice: Dice, verdict: Verdict) -> str:
    """darkpages.damage.destroyed: whoever is Destroyed and then Defeated is out of the game."""
    dice.step("darkpages.damage.destroyed", "{} is Destroyed: to be Defeated is to be out of the game", sheet.name, value="outOfGame")
    _offer(dice, "risk", f"{sheet.name} stays up, and bears the Trauma instead")  # no choice where it is lethal: it changes nothing then
    verdict.set_flag(where, "outOfGame", to=True)
    return "outOfGame"


def _worsen(sheet: DarkpagesCharacter, where: str, trait: str, lethal: bool, dice: Dice, verdict: Verdict) -> str:
    """One step worse (darkpages.damage.steps); non-lethal Trauma never passes Damaged (darkpages.damage.nonlethal)."""
    state = getattr(sheet.damage, trait)
    if not lethal and state in ("damaged", "destroyed"):
        count = getattr(sheet.overflow, trait)
        dice.step("darkpages.damage.nonlethal", "{}: {} gets no worse by it; the harm is counted", sheet.name, trait, value="held")
        verdict.change(where, f"overflow.{trait}", count, min(count + 1, MAX_COUNT))
        return "held"
    worse = STATES[STATES.index(state) + 1]
    dice.step("darkpages.damage.steps", "{}: {} goes from {} to {}", sheet.name, trait, state, worse, value=worse)
    verdict.changes.append(Change(where, f"damage.{trait}", state, worse, 1))
    return worse


def _offer(dice: Dice, on_harm: OnHarm, text: str) -> None:
    """darkpages.damage.defeated: the choice comes after the dice."""
    dice.option(on_harm, text, {"onHarm": on_harm})


def summary(request: DarkpagesDamageCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: who resists what, the kept dice of those rolled, against what, what came of it."""
    return line(f"{named(request.target, 'target')} resists {request.trauma}", "", record, "target", verdict)
