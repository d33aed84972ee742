"""A damage check: a character resists a Trauma; on a failure the character is Defeated, or gets worse to stay up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, LegacyOffer, Roll, Total
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.systems.darkpages.prepare import DarkpagesPools, display_name, prepare, require_in_play
from tablecall.systems.darkpages.roller import Roller
from tablecall.systems.darkpages.sheet import MAX_OVERFLOW, DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import STATES, TRAITS, TRAUMAS
from tablecall.systems.darkpages.wording import check_summary
from tablecall.systems.verdict import Change, Verdict

Trauma = Literal["injury", "illness", "stress", "fatigue", "corruption"]
OnHarm = Literal["defeated", "risk"]
DamageTie = Literal["stalemate", "harm"]

COMPARED = ("nothing changes", "resists", "is harmed")
"""The result for the target, by the sign of the comparison: equal, higher, lower (index −1)."""


class DarkpagesTrauma(DarkpagesPools):
    """An action that does harm names its Trauma."""

    trauma: Trauma
    """The Trauma (darkpages.damage.traits). `injury`: strikes Body and damages Health. `illness`: strikes Body and damages Health.
    `stress`: strikes Mind and damages Sanity. `fatigue`: strikes Mind and damages Sanity. `corruption`: strikes Soul and damages Aura."""


class DarkpagesHarm(DarkpagesTrauma):
    """The options of a damage check."""

    on_harm: OnHarm = "defeated"
    """What a failed damage check does (darkpages.damage.defeated). `defeated`: the character is Defeated and sits out the conflict.
    `risk`: the character stays up and takes the next worse Damage State."""
    damage_tie: DamageTie = "stalemate"
    """What happens when the damage check equals the attacker's total (darkpages.damage.check). `stalemate`: nothing. `harm`: the damage
    check fails."""


class DarkpagesDamageCheck(DarkpagesHarm):
    """A participant resists a Trauma with the Attribute it strikes (darkpages.damage.check)."""

    target: DarkpagesActor
    """Who resists; rolls as `target`. Send no `attribute`: the Trauma determines it. A bare pool counts as unhurt."""
    against: Annotated[int, Field(ge=0, le=1000), WholeNumber]
    """The attacker's total, or the Target Number that was missed."""
    opposed: bool = True
    """Whether `against` is an attacker's total, which must be exceeded. A Target Number only has to be reached."""

    @model_validator(mode="after")
    def _refuse_attribute(self) -> Self:
        if self.target.attribute is not None:
            detail = "the Trauma determines the Attribute of a damage check"
            raise not_allowed(detail, rule="darkpages.damage.check", at="/target/attribute")
        return self


@dataclass(frozen=True, slots=True)
class Threat:
    """What a damage check is rolled against, with the options of the request.

    ``opposed``: ``against`` is an attacker's total, not a Target Number. ``attack_failed``: the attacker's roll was no success
    whatever its total, so if the damage check fails too, nobody is harmed.
    """

    trauma: Trauma
    against: Total
    opposed: bool
    on_harm: OnHarm
    damage_tie: DamageTie
    attack_failed: bool = False


def damage(request: DarkpagesDamageCheck, dice: Dice) -> Verdict:
    """Resolve a damage check.

    Outcomes: ``resisted``; ``stalemate`` (a tie with an attacker); ``defeated``; if the player risks it ``diminished``,
    ``damaged``, ``destroyed`` or ``held`` (non-lethal Trauma beyond Damaged); ``outOfGame``. Refuses a target who is not in play.
    """
    require_in_play([(request.target, "target")])
    if request.damage_tie == "harm" and not request.opposed:
        dice.step("darkpages.damage.check", "a Target Number only has to be reached, so there is no tie to harm (option damageTie)")
    target = prepare(request.target, "target", dice, request, attribute=TRAUMAS[request.trauma])
    threat = Threat(request.trauma, request.against, request.opposed, request.on_harm, request.damage_tie)
    verdict = Verdict("resisted", True, target=threat.against)
    verdict.outcome, roll = resist(target, threat, dice, verdict)
    verdict.total = roll.total
    verdict.succeeded = {"resisted": True, "stalemate": None}.get(verdict.outcome, False)
    return verdict


def resist(target: Roller, threat: Threat, dice: Dice, verdict: Verdict) -> tuple[str, Roll]:
    """Make the damage check: its outcome and its roll (darkpages.damage.check). Effects are added to ``verdict``."""
    attribute = TRAUMAS[threat.trauma]
    dice.step("darkpages.damage.traits", "{} strikes {}, and {} bears it", threat.trauma, attribute, TRAITS[attribute], value=attribute)
    # At least 1: keeping only zeros never resists, even against 0 (darkpages.zero.dramatic).
    beat = max(dice.value(threat.against, target.highest_total) + threat.opposed, 1) if target.needs_target else None
    roll = target.roll(dice, beat=beat)
    compared = _compare(target, roll, threat, dice, verdict)
    target.offer_zeros(dice, roll)
    if compared < 0:
        return _harm(target, threat, dice, verdict), roll
    if threat.on_harm == "risk":
        dice.step("darkpages.damage.defeated", "{} is not harmed, so nothing is risked (option onHarm)", target.name)
    return "resisted" if compared else "stalemate", roll


def _compare(target: Roller, roll: Roll, threat: Threat, dice: Dice, verdict: Verdict) -> int:
    """1: resisted, 0: nothing changes, −1: harmed."""
    special = dice.special(roll)
    target.earn_points(dice, roll, verdict)
    if special is not None:
        text = "{}: a {} damage check is a failure like any other"
        dice.step("darkpages.damage.special", text, target.name, special, value=special)
    elif not target.kept:
        target.note_no_dice(dice)
    always_fails = special is not None or not target.kept
    compared = (0 if threat.attack_failed else -1) if always_fails else dice.compare(roll.total, threat.against)
    if not threat.opposed:
        compared = 1 if compared >= 0 else -1
        text = "{}: {} against the Target Number {}, {}"
        dice.step("darkpages.damage.check", text, target.name, roll.total, threat.against, COMPARED[compared])
        return compared
    if compared == 0 and not always_fails:
        compared = -1 if threat.damage_tie == "harm" else 0
        text = "{}: {} against {}, {} (option damageTie)"
        dice.step("darkpages.damage.check", text, target.name, roll.total, threat.against, COMPARED[compared], value=threat.damage_tie)
        return compared
    dice.step("darkpages.damage.check", "{}: {} against {}, {}", target.name, roll.total, threat.against, COMPARED[compared])
    if threat.damage_tie == "harm":
        why = "the roll fails whatever its total" if always_fails else "the totals differ"
        dice.step("darkpages.damage.check", "{}, so there is no tie to decide (option damageTie)", why)
    return compared


def _harm(target: Roller, threat: Threat, dice: Dice, verdict: Verdict) -> str:
    """The outcome of a failed damage check: Defeated by default, else one step worse (darkpages.damage.defeated)."""
    sheet, where = target.actor.character, target.where
    trait = TRAITS[TRAUMAS[threat.trauma]]
    if sheet is None:
        return _harm_bare_pool(where, trait, threat, dice, verdict)
    lethal = sheet.lethal == trait
    text = "{} is {} to {}"
    dice.step("darkpages.damage.lethal", text, threat.trauma, "lethal" if lethal else "not lethal", sheet.name, value=lethal)
    destroyed = getattr(sheet.damage, sheet.lethal) == "destroyed"
    if destroyed and (lethal or threat.on_harm == "defeated"):
        if threat.on_harm == "risk":
            text = "{} has nothing worse left to risk against lethal Trauma (option onHarm)"
            dice.step("darkpages.damage.defeated", text, sheet.name)
        return _leave_game(sheet, where, dice, verdict)
    if _is_defeated(sheet.name, threat, dice):
        verdict.set_flag(where, "defeated", to=True)
        return "defeated"
    if not destroyed:
        _offer(dice, "defeated", f"{sheet.name} is Defeated, and gets no worse")
    return _worsen(sheet, where, trait, lethal, dice, verdict)


def _is_defeated(name: str, threat: Threat, dice: Dice) -> bool:
    """darkpages.damage.defeated: Defeated, with the option to risk it; or the player risks it and stays up."""
    if threat.on_harm == "risk":
        dice.step("darkpages.damage.defeated", "{} risks it and stays up (option onHarm)", name, value="risk")
        return False
    dice.step("darkpages.damage.defeated", "{} is Defeated until the conflict ends (option onHarm)", name, value="defeated")
    _offer(dice, "risk", f"{name} stays up, and gets worse instead")
    return True


def _harm_bare_pool(where: str, trait: str, threat: Threat, dice: Dice, verdict: Verdict) -> str:
    """A bare pool has no Damage State: it counts as unhurt."""
    dice.step("darkpages.damage.steps", "{}: no sheet was sent, so it counts as unhurt", where)
    if _is_defeated(where, threat, dice):
        verdict.change_unseen(where, "defeated", 1)
        return "defeated"
    _offer(dice, "defeated", f"{where} is Defeated, and gets no worse")
    verdict.change_unseen(where, f"damage.{trait}", 1)
    return "diminished"


def _leave_game(sheet: DarkpagesCharacter, where: str, dice: Dice, verdict: Verdict) -> str:
    """darkpages.damage.destroyed: a Destroyed character who is Defeated is out of the game."""
    dice.step("darkpages.damage.destroyed", "{} is Destroyed: to be Defeated is to be out of the game", sheet.name, value="outOfGame")
    # Against lethal Trauma this changes nothing, and options that change nothing are dropped.
    _offer(dice, "risk", f"{sheet.name} stays up, and bears the Trauma instead")
    verdict.set_flag(where, "outOfGame", to=True)
    return "outOfGame"


def _worsen(sheet: DarkpagesCharacter, where: str, trait: str, lethal: bool, dice: Dice, verdict: Verdict) -> str:
    """One state worse (darkpages.damage.steps). Non-lethal Trauma stops at Damaged and is counted (darkpages.damage.nonlethal)."""
    state = getattr(sheet.damage, trait)
    if not lethal and state in ("damaged", "destroyed"):
        count = getattr(sheet.overflow, trait)
        dice.step("darkpages.damage.nonlethal", "{}: {} gets no worse by it; the harm is counted", sheet.name, trait, value="held")
        verdict.change(where, f"overflow.{trait}", count, min(count + 1, MAX_OVERFLOW))
        return "held"
    worse = STATES[STATES.index(state) + 1]
    dice.step("darkpages.damage.steps", "{}: {} goes from {} to {}", sheet.name, trait, state, worse, value=worse)
    verdict.changes.append(Change(where, f"damage.{trait}", state, worse, 1))
    return worse


def _offer(dice: Dice, on_harm: OnHarm, text: str) -> None:
    """darkpages.damage.defeated: the player chooses after the dice."""
    offer: LegacyOffer = (on_harm, text, {"onHarm": on_harm})
    dice.offer(lambda: [offer])


def summary(request: DarkpagesDamageCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: the target, the Trauma, the dice, the total against them, the outcome."""
    return check_summary(f"{display_name(request.target, 'target')} resists {request.trauma}", "", record, "target", verdict)
