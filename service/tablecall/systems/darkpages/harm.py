"""The damage check that follows an attack or a failed defence: its options, its Attribute, its dice."""

from __future__ import annotations

from tablecall.dice.source import Dice, Total
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages.check import DarkpagesGoal
from tablecall.systems.darkpages.damage import DarkpagesHarm, Threat, resist
from tablecall.systems.darkpages.prepare import Placed, display_name, prepare
from tablecall.systems.darkpages.roller import DiceChoice, Roller
from tablecall.systems.darkpages.sheet import Attribute, Choice, DarkpagesActor, DiceKept
from tablecall.systems.darkpages.tables import TRAUMAS
from tablecall.systems.verdict import Verdict


class DarkpagesHarming(DarkpagesGoal, DarkpagesHarm):
    """A check that can end in a damage check."""

    resist_with: Attribute | None = None
    """An Attribute for those who are attacked (darkpages.damage.check). If they send no `attribute`, they oppose the attack with this one;
    left out, with the one the Trauma strikes. If they send an `attribute`, they oppose with that, and this one replaces the Trauma's in
    the damage check. Bare pools ignore it."""
    damage_keep: Choice | None = None
    """Which dice to keep on the damage check. If left out, the `keep` of the roller is used (darkpages.dice.choice)."""
    damage_keep_dice: DiceKept | None = None
    """The exact dice to keep on the damage check: positions in the order drawn, counted from 0. `keepDice` is for the other roll only."""


def opposing_attribute(request: DarkpagesHarming, actor: DarkpagesActor) -> Attribute | None:
    """The Attribute that opposes the attack: the actor's, the request's, or the one the Trauma strikes. None for a bare pool."""
    if actor.character is None:
        return None
    return actor.attribute or request.resist_with or TRAUMAS[request.trauma]


def note_resist_with(request: DarkpagesHarming, dice: Dice, *attacked: Placed) -> None:
    """Note who opposes the attack with the request's Attribute, and that bare pools ignore it."""
    if request.resist_with is None:
        return
    for actor, where in attacked:
        if actor.character is None:
            dice.step("darkpages.damage.check", "{}: a bare pool serves for every roll, so resistWith does not apply", where)
        elif actor.attribute is None:
            text = "{}: {} counts against the attacker (option resistWith)"
            dice.step("darkpages.damage.check", text, actor.character.name, request.resist_with, value=request.resist_with)


def refuse_npc_damage_choice(request: DarkpagesHarming, *attacked: DarkpagesActor) -> None:
    """Refuse a choice of damage dice where only NPCs can make the damage check (darkpages.dice.choice)."""
    if not all(actor.is_npc for actor in attacked):
        return
    if request.damage_keep_dice is not None:
        raise npcs_keep_the_highest("/damageKeepDice")
    if request.damage_keep not in (None, "highest"):
        raise npcs_keep_the_highest("/damageKeep")


def npcs_keep_the_highest(at: str) -> Forbidden:
    """The refusal of a choice that only players have (darkpages.dice.choice)."""
    return Forbidden.by("darkpages.dice.choice", at, "the game master's characters keep the highest dice")


def make_damage_check(
    request: DarkpagesHarming,
    actor: DarkpagesActor,
    where: str,
    against: Total | None,
    dice: Dice,
    verdict: Verdict,
    *,
    attack_failed: bool = False,
) -> None:
    """Roll ``where.damage`` against the attacker's total. The outcome becomes the verdict's."""
    assert against is not None
    if actor.character is not None and actor.attribute is not None and request.resist_with is not None:
        text = "{} resists with {} (option resistWith)"
        dice.step("darkpages.damage.check", text, actor.character.name, request.resist_with, value=request.resist_with)
    threat = Threat(request.trauma, against, True, request.on_harm, request.damage_tie, attack_failed)
    verdict.outcome, _ = resist(_damage_roller(request, actor, where, dice), threat, dice, verdict)


def _damage_roller(request: DarkpagesHarming, actor: DarkpagesActor, where: str, dice: Dice) -> Roller:
    """The roller of the damage check. NPCs keep the highest, whatever the request chooses for the players."""
    name = display_name(actor, where)
    keep, positions = request.damage_keep or actor.keep, request.damage_keep_dice
    if actor.is_npc and (keep != "highest" or positions is not None):
        dice.step("darkpages.dice.choice", "{}: the game master's characters keep the highest dice", name, value="highest")
        keep, positions = "highest", None
    elif request.damage_keep == "highest" and positions is not None:
        dice.step("darkpages.dice.choice", "the dice of the damage check are chosen one by one, so damageKeep does not apply")
    elif request.damage_keep == "highest":
        dice.step("darkpages.dice.choice", "{}: the damage check keeps the highest (option damageKeep)", name, value=keep)
    choice = DiceChoice(keep, positions, "/damageKeepDice", lambda kept: {"damageKeepDice": kept})
    attribute = (actor.attribute and request.resist_with) or TRAUMAS[request.trauma]
    return prepare(actor, where, dice, request, attribute=attribute, purpose=".damage", choice=choice)


def damage_roller_that_needs_target(request: DarkpagesHarming, actor: DarkpagesActor, where: str, dice: Dice) -> Roller | None:
    """The roller of the damage check if its choice of dice depends on the attacker's total, else None."""
    keep = request.damage_keep or actor.keep
    if keep != "mostZerosThatSucceed" or request.damage_keep_dice is not None or actor.is_npc:
        return None
    roller = _damage_roller(request, actor, where, dice)
    return roller if roller.needs_target else None


def note_no_damage_check(request: DarkpagesHarming, opposing: DarkpagesActor, dice: Dice) -> None:
    """No damage check follows: note every option for it. ``opposing`` rolled against the attacker."""
    if request.damage_keep_dice is not None:
        dice.step("darkpages.dice.choice", "there is no damage check, so the dice chosen for it do not count")
    if request.damage_keep is not None:
        dice.step("darkpages.dice.choice", "there is no damage check, so damageKeep does not apply")
    if request.resist_with is not None and opposing.attribute is not None:
        dice.step("darkpages.damage.check", "there is no damage check, so resistWith does not apply")
    if request.damage_tie == "harm":
        dice.step("darkpages.damage.check", "there is no damage check, so there is no tie to decide (option damageTie)")
    if request.on_harm == "risk":
        dice.step("darkpages.damage.defeated", "there is no damage check, so nothing is risked (option onHarm)")
