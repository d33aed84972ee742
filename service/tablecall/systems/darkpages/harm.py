"""The damage check that follows an attack, a failed defence or a dangerous check: its options, its Attribute, its dice."""

from __future__ import annotations

from typing import ClassVar

from tablecall.dice.source import Dice, Total
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages.check import DarkpagesGoal
from tablecall.systems.darkpages.damage import DarkpagesHarm, DarkpagesTrauma, Threat, Trauma, resist
from tablecall.systems.darkpages.prepare import Placed, prepare
from tablecall.systems.darkpages.roller import DiceChoice, Roller
from tablecall.systems.darkpages.sheet import Attribute, Choice, DarkpagesActor, DiceKept
from tablecall.systems.darkpages.tables import TRAUMAS
from tablecall.systems.verdict import Verdict


class DarkpagesFurtherDamage(DarkpagesGoal, DarkpagesHarm):
    """The options of a damage check that follows another roll."""

    options: ClassVar[frozenset[str]] = DarkpagesGoal.options | DarkpagesHarm.options | {"resist_with", "damage_keep", "damage_keep_dice"}

    resist_with: Attribute | None = None
    """An Attribute for those who are attacked (darkpages.damage.check). If they send no `attribute`, they oppose the attack with this one;
    left out, with the one the Trauma strikes. If they send an `attribute`, they oppose with that, and this one replaces the Trauma's in
    the damage check. Bare pools ignore it."""
    damage_keep: Choice | None = None
    """Which dice to keep on the damage check. If left out, the `keep` of the roller is used (darkpages.dice.choice)."""
    damage_keep_dice: DiceKept | None = None
    """The exact dice to keep on the damage check: positions in the order drawn, counted from 0. `keepDice` is for the other roll only."""


class DarkpagesHarming(DarkpagesFurtherDamage, DarkpagesTrauma):
    """A check that can end in a damage check."""

    options: ClassVar[frozenset[str]] = DarkpagesFurtherDamage.options


def opposing_attribute(request: DarkpagesHarming, actor: DarkpagesActor) -> Attribute | None:
    """The Attribute that opposes the attack: the actor's, the request's, or the one the Trauma strikes. None for a bare pool."""
    if actor.character is None:
        return None
    return actor.attribute or request.resist_with or TRAUMAS[request.trauma]


def note_resist_with(request: DarkpagesHarming, dice: Dice, *attacked: Placed) -> None:
    """Note who opposes the attack with the request's Attribute."""
    if request.resist_with is None:
        return
    for actor, where in attacked:
        if actor.character is not None and actor.attribute is None:
            dice.option("", "resistWith")
            facts = {"who": where, "attribute": request.resist_with}
            dice.note("darkpages.damage.check", "damage.opposes_with", value=request.resist_with, **facts)


def refuse_npc_damage_choice(request: DarkpagesFurtherDamage, *attacked: DarkpagesActor) -> None:
    """Refuse a choice of damage dice where only NPCs can make the damage check (darkpages.dice.choice)."""
    if not all(actor.is_npc for actor in attacked):
        return
    if request.damage_keep_dice is not None:
        raise npcs_keep_the_highest("/damageKeepDice")
    if request.damage_keep not in (None, "highest"):
        raise npcs_keep_the_highest("/damageKeep")


def npcs_keep_the_highest(at: str) -> Forbidden:
    """The refusal of a choice that only players have (darkpages.dice.choice)."""
    return Forbidden.by("darkpages.dice.choice", at, "darkpages.refused.npc_choice")


def further_damage(
    request: DarkpagesFurtherDamage,
    trauma: Trauma,
    actor: DarkpagesActor,
    where: str,
    against: Total | None,
    dice: Dice,
    verdict: Verdict,
    *,
    attack_failed: bool = False,
    opposed: bool = True,
    attribute: Attribute | None = None,
) -> tuple[str, Total]:
    """Roll ``where.damage`` against the attacker's total or a Target Number: outcome and total. Effects are added to ``verdict``.

    ``attribute`` is that of the roll before, where it opposed the attacker.
    """
    assert against is not None
    threat = Threat(trauma, against, opposed, request.on_harm, request.tie_harms, attack_failed)
    outcome, roll = resist(damage_roller(request, trauma, actor, where, dice, attribute), threat, dice, verdict)
    return outcome, roll.total


def damage_roller(
    request: DarkpagesFurtherDamage, trauma: Trauma, actor: DarkpagesActor, where: str, dice: Dice, attribute: Attribute | None
) -> Roller:
    """The roller of the damage check. NPCs keep the highest, whatever the request chooses for the players."""
    keep, positions = request.damage_keep or actor.keep, request.damage_keep_dice
    if actor.is_npc and (keep != "highest" or positions is not None):
        dice.note("darkpages.dice.choice", "damage.npc_highest", value="highest", who=where)
        keep, positions = "highest", None
    for field, value in (("damageKeep", request.damage_keep), ("damageKeepDice", positions)):
        if value is not None:
            dice.option("", field)
    resisted_with = TRAUMAS[trauma]
    if attribute is not None and request.resist_with is not None:
        dice.option("", "resistWith")
        resisted_with = request.resist_with
    choice = DiceChoice(keep, positions, "/damageKeepDice", lambda kept: {"damageKeepDice": kept})
    return prepare(actor, where, dice, request, attribute=resisted_with, purpose=".damage", choice=choice)


def damage_roller_that_needs_target(request: DarkpagesHarming, actor: DarkpagesActor, where: str, dice: Dice) -> Roller | None:
    """The roller of the damage check if its choice of dice depends on the attacker's total, else None."""
    keep = request.damage_keep or actor.keep
    if keep != "mostZerosThatSucceed" or request.damage_keep_dice is not None or actor.is_npc:
        return None
    roller = damage_roller(request, request.trauma, actor, where, dice, actor.attribute)
    return roller if roller.needs_target else None
