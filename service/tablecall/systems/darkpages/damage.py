"""A damage check: a character resists a Trauma; on a failure the character is Defeated, or gets worse to stay up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Offer, Roll, Total
from tablecall.model.base import WholeNumber, not_allowed
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.check import special_sentences
from tablecall.systems.darkpages.prepare import DarkpagesPools, prepare, require_in_play
from tablecall.systems.darkpages.roller import Roller
from tablecall.systems.darkpages.sheet import MAX_OVERFLOW, DamageTie, DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import STATES, TRAITS, TRAUMAS
from tablecall.systems.verdict import Change, Verdict

Trauma = Literal["injury", "illness", "stress", "fatigue", "corruption"]
OnHarm = Literal["defeated", "risk"]

COMPARED = ("same", "resists", "harmed")
"""The end of the key of the step, by the sign of the comparison: equal, higher, lower (index −1)."""


class DarkpagesTrauma(DarkpagesPools):
    """An action that does harm names its Trauma."""

    trauma: Trauma
    """The Trauma (darkpages.damage.traits). `injury`: strikes Body and damages Health. `illness`: strikes Body and damages Health.
    `stress`: strikes Mind and damages Sanity. `fatigue`: strikes Mind and damages Sanity. `corruption`: strikes Soul and damages Aura."""


class DarkpagesHarm(DarkpagesPools):
    """The options of a damage check."""

    options: ClassVar[frozenset[str]] = DarkpagesPools.options | {"on_harm", "damage_tie"}

    on_harm: OnHarm = "defeated"
    """What a failed damage check does (darkpages.damage.defeated). `defeated`: the character is Defeated and sits out the conflict.
    `risk`: the character stays up and takes the next worse Damage State."""
    damage_tie: DamageTie | None = None
    """What happens when the damage check equals the attacker's total (darkpages.damage.check). `stalemate`: nothing. `harm`: the damage
    check fails. Left out: as `houseRules` says, else `stalemate`."""

    @property
    def tie_harms(self) -> bool:
        """Whether a tie with the attacker's total harms."""
        return (self.damage_tie or self.house("damage_tie")) == "harm"


class DarkpagesDamageCheck(DarkpagesTrauma, DarkpagesHarm):
    """A participant resists a Trauma with the Attribute it strikes (darkpages.damage.check)."""

    options: ClassVar[frozenset[str]] = DarkpagesHarm.options

    target: DarkpagesActor
    """Who resists; rolls as `target`. The Trauma determines the `attribute`, so it may be left out. A bare pool counts as unhurt."""
    against: Annotated[int, Field(ge=0, le=1000), WholeNumber]
    """The attacker's total, or the Target Number that was missed."""
    opposed: bool
    """Whether `against` is an attacker's total, which must be exceeded, or a Target Number, which only has to be reached."""

    @model_validator(mode="after")
    def _check_attribute(self) -> Self:
        attribute = TRAUMAS[self.trauma]
        if self.target.attribute not in (None, attribute):
            facts = {"trauma": self.trauma, "attribute": attribute}
            raise not_allowed(
                "darkpages.refused.wrong_attribute",
                rule="darkpages.damage.check",
                at="/target/attribute",
                code="conflicting-fields",
                **facts,
            )
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
    tie_harms: bool
    attack_failed: bool = False


def damage(request: DarkpagesDamageCheck, dice: Dice) -> Verdict:
    """Resolve a damage check.

    Outcomes: ``resisted``; ``stalemate`` (a tie with an attacker); ``defeated``; if the player risks it ``diminished``,
    ``damaged``, ``destroyed`` or ``held`` (non-lethal Trauma beyond Damaged); ``outOfGame``. Refuses a target who is not in play.
    """
    require_in_play([(request.target, "target")])
    target = prepare(request.target, "target", dice, request, attribute=TRAUMAS[request.trauma])
    threat = Threat(request.trauma, request.against, request.opposed, request.on_harm, request.tie_harms)
    verdict = Verdict("resisted", True, target=threat.against)
    verdict.outcome, roll = resist(target, threat, dice, verdict)
    verdict.total = roll.total
    verdict.succeeded = {"resisted": True, "stalemate": None}.get(verdict.outcome, False)
    return verdict


def resist(target: Roller, threat: Threat, dice: Dice, verdict: Verdict) -> tuple[str, Roll]:
    """Make the damage check: its outcome and its roll (darkpages.damage.check). Effects are added to ``verdict``."""
    attribute = TRAUMAS[threat.trauma]
    facts = {"trauma": threat.trauma, "attribute": attribute, "trait": TRAITS[attribute]}
    dice.note("darkpages.damage.traits", "damage.strikes", value=attribute, **facts)
    # At least 1: keeping only zeros never resists, even against 0 (darkpages.zero.dramatic).
    beat = max(dice.value(threat.against, target.highest_total) + threat.opposed, 1) if target.needs_target else None
    roll = target.roll(dice, beat=beat)
    compared = _compare(target, roll, threat, dice, verdict)
    target.offer_zeros(dice, roll, wins=True if target.where == "target" else None)
    if compared < 0:
        return _harm(target, threat, dice, verdict), roll
    return "resisted" if compared else "stalemate", roll


def _compare(target: Roller, roll: Roll, threat: Threat, dice: Dice, verdict: Verdict) -> int:
    """1: resisted, 0: nothing changes, −1: harmed."""
    special = dice.special(roll)
    target.earn_points(dice, roll, verdict)
    if special is not None:
        dice.note("darkpages.damage.special", f"damage.{special}", value=special, who=target.where)
    elif not target.kept:
        target.note_no_dice(dice)
    always_fails = special is not None or not target.kept
    compared = (0 if threat.attack_failed else -1) if always_fails else dice.compare(roll.total, threat.against)
    tie = compared == 0 and not always_fails
    if not threat.opposed:
        compared = 1 if compared >= 0 else -1
    elif tie:
        dice.option("", "damageTie")
        compared = -1 if threat.tie_harms else 0
    key = f"damage.against_{COMPARED[compared]}" if threat.opposed else f"damage.target_{COMPARED[compared]}"
    dice.note("darkpages.damage.check", key, who=target.where, total=roll.total, target=threat.against)
    return compared


def _harm(target: Roller, threat: Threat, dice: Dice, verdict: Verdict) -> str:
    """The outcome of a failed damage check: Defeated by default, else one step worse (darkpages.damage.defeated)."""
    sheet, where = target.actor.character, target.where
    trait = TRAITS[TRAUMAS[threat.trauma]]
    if sheet is None:
        return _harm_bare_pool(target.actor, where, trait, threat, dice, verdict)
    lethal = sheet.lethal == trait
    key = "damage.lethal" if lethal else "damage.not_lethal"
    dice.note("darkpages.damage.lethal", key, value=lethal, who=where, trauma=threat.trauma)
    destroyed = getattr(sheet.damage, sheet.lethal) == "destroyed"
    if destroyed and (lethal or threat.on_harm == "defeated"):
        return _leave_game(where, lethal, dice, verdict)
    if _is_defeated(where, threat, dice):
        verdict.set_flag(where, "defeated", to=True)
        return "defeated"
    if not destroyed:
        _offer(dice, "defeated", where)
    return _worsen(sheet, where, trait, lethal, dice, verdict)


def _is_defeated(where: str, threat: Threat, dice: Dice) -> bool:
    """darkpages.damage.defeated: Defeated, with the option to risk it; or the player risks it and stays up."""
    if threat.on_harm == "risk":
        dice.option("", "onHarm")
        dice.note("darkpages.damage.defeated", "damage.risks", value="risk", who=where)
        return False
    dice.note("darkpages.damage.defeated", "damage.defeated", value="defeated", who=where)
    _offer(dice, "risk", where)
    return True


def _harm_bare_pool(actor: DarkpagesActor, where: str, trait: str, threat: Threat, dice: Dice, verdict: Verdict) -> str:
    """A bare pool has no Damage State: it counts as unhurt."""
    dice.note("darkpages.damage.steps", "damage.bare_pool", who=where)
    if _is_defeated(where, threat, dice):
        verdict.set_flag(where, "defeated", to=True)
        return "defeated"
    _offer(dice, "defeated", where)
    verdict.change_unseen(where, f"damage.{trait}", 1)
    return "diminished"


def _leave_game(where: str, lethal: bool, dice: Dice, verdict: Verdict) -> str:
    """darkpages.damage.destroyed: a Destroyed character who is Defeated is out of the game."""
    dice.note("darkpages.damage.destroyed", "damage.out_of_game", value="outOfGame", who=where)
    if not lethal:
        _offer(dice, "risk", where)
    verdict.set_flag(where, "outOfGame", to=True)
    return "outOfGame"


def _worsen(sheet: DarkpagesCharacter, where: str, trait: str, lethal: bool, dice: Dice, verdict: Verdict) -> str:
    """One state worse (darkpages.damage.steps). Non-lethal Trauma stops at Damaged and is counted (darkpages.damage.nonlethal)."""
    state = getattr(sheet.damage, trait)
    if not lethal and state in ("damaged", "destroyed"):
        count = getattr(sheet.overflow, trait)
        dice.note("darkpages.damage.nonlethal", "damage.held", value="held", who=where, trait=trait)
        verdict.change(where, f"overflow.{trait}", count, min(count + 1, MAX_OVERFLOW))
        return "held"
    worse = STATES[STATES.index(state) + 1]
    dice.note("darkpages.damage.steps", "damage.worse", value=worse, who=where, trait=trait, before=state, to=worse)
    verdict.changes.append(Change(where, f"damage.{trait}", state, worse, 1))
    return worse


def _offer(dice: Dice, on_harm: OnHarm, where: str) -> None:
    """darkpages.damage.defeated: the player chooses after the dice."""
    dice.offer(lambda: [Offer(on_harm, f"option.{on_harm}", {"who": where}, {"onHarm": on_harm}, wins=None)])


def damage_sentence(record: RolledDice, roll: str, where: str, trauma: str | None, against: object, outcome: str) -> list[Sentence]:
    """``Nyx resists injury: 12 against 15, Defeated``, if the damage check was rolled."""
    made = next((named for named in record.rolls if named.roll == roll), None)
    if made is None:
        return []
    facts = {"who": where, "trauma": trauma, "total": made.result.total, "target": against, "outcome": outcome}
    return [say("damage.summary", **facts)]


def summary(request: DarkpagesDamageCheck, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who resists what, the comparison, the outcome."""
    return [*damage_sentence(record, "target", "target", request.trauma, verdict.target, verdict.outcome), *special_sentences(record)]
