"""Defenders: a defender shields a ward from an attacker and then has to avoid harm too (darkpages.defenders)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.systems.darkpages import branch_bounds, unused
from tablecall.systems.darkpages.check import compare_rolls, find_endangered, note_goal, roll_both, roll_check
from tablecall.systems.darkpages.harm import (
    DarkpagesHarming,
    damage_roller_that_needs_target,
    make_damage_check,
    note_no_damage_check,
    note_resist_with,
    npcs_keep_the_highest,
    opposing_attribute,
    refuse_npc_damage_choice,
)
from tablecall.systems.darkpages.prepare import Placed, display_name, own_choice, prepare, rating, require_in_play
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor, DiceKept
from tablecall.systems.darkpages.wording import attack_summary, find_roll
from tablecall.systems.verdict import Verdict

HARMED = ("defeated", "diminished", "damaged", "destroyed", "held", "outOfGame")
FIELDS: dict[str, Any] = {"harmed": Annotated[Literal["defender", "ward"] | None, Field(description="Who was harmed; null if nobody was.")]}
"""The ruling field of this action (darkpages.defenders)."""


class DarkpagesDefend(DarkpagesHarming):
    """A defender shields a ward from an attacker (darkpages.defenders)."""

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`, and after a successful defence again as `attacker.second`."""
    defender: DarkpagesActor
    """Who defends; rolls as `defender` unless the ward is rated higher. After a successful defence, makes the damage check as
    `defender.damage`."""
    ward: DarkpagesActor
    """Who is defended; rolls as `ward` if rated higher than the defender. After a failed defence, makes the damage check as
    `ward.damage`."""
    reuse_attack: bool = False
    """Whether the attacker's first roll also counts against the defender, instead of a second roll."""
    second_keep_dice: DiceKept | None = None
    """The exact dice to keep of `attacker.second`: positions in the order drawn, counted from 0. Left out: by the attacker's `keep`."""


def defend(request: DarkpagesDefend, dice: Dice) -> Verdict:
    """Resolve a defence. It succeeds if the ward is safe, whatever happens to the defender.

    Outcomes: ``wardSafe`` (and the defender unharmed); ``stalemate`` (a tie: nobody is harmed); else those of the damage
    check, where ``harmed`` names who was harmed. On a failure ``endangered`` lists defender and ward. Refuses participants
    who are not in play.
    """
    attacked = [(request.defender, "defender"), (request.ward, "ward")]
    require_in_play([(request.attacker, "attacker"), *attacked])
    refuse_npc_damage_choice(request, request.defender, request.ward)
    if request.second_keep_dice is not None and request.attacker.is_npc:
        raise npcs_keep_the_highest("/secondKeepDice")
    note_goal(request, dice)
    defending = _defending_roller(request, attacked, dice)
    attacker = prepare(request.attacker, "attacker", dice, request, choice=_first_choice(request, request.attacker, "attacker"))
    if defending.needs_target or attacker.needs_target:
        dice.declare_branches(lambda: _bound(request, defending, attacker, dice))
    own_roll, attack_roll = roll_both(defending, attacker, dice, opponent_special_matters=True)
    verdict = compare_rolls(defending, own_roll, attacker, attack_roll, dice)
    attack_failed = attack_roll.special is not None or not attacker.kept
    if verdict.succeeded is False and attack_failed:
        verdict.succeeded = None
    endangered = find_endangered(verdict, attacked, dice)
    _note_second_attack(request, dice, follows=bool(verdict.succeeded))
    _resolve_harm(request, defending, attack_roll.roll.total, attack_failed, dice, verdict)
    verdict.fields |= request.parts | {"endangered": endangered}
    return verdict


def _bound(request: DarkpagesDefend, defending: Roller, attacker: Roller, dice: Dice) -> int:
    defender = damage_roller_that_needs_target(request, request.defender, "defender", dice)
    ward = damage_roller_that_needs_target(request, request.ward, "ward", dice)
    return branch_bounds.defence(defending, attacker, defender, ward, branch_bounds.supplied_rolls(request), reuse=request.reuse_attack)


def _first_choice(request: DarkpagesDefend, actor: DarkpagesActor, where: str) -> DiceChoice:
    """The actor's own choice. Another choice may change who makes the damage check, so its patch clears the dice kept there."""
    cleared: dict[str, object] = {} if request.damage_keep_dice is None else {"damageKeepDice": None}
    own = own_choice(actor, where)
    return replace(own, patch=lambda positions: own.patch(positions) | cleared)


def _defending_roller(request: DarkpagesDefend, attacked: list[Placed], dice: Dice) -> Roller:
    """The higher rated of defender and ward. The kept zeros teach the defender in either case (darkpages.defenders)."""
    actor, where = max(attacked, key=lambda placed: rating(placed[0], placed[1], opposing_attribute(request, placed[0])))
    dice.step("darkpages.defenders", "{} is the higher rated and rolls against the attacker", display_name(actor, where), value=where)
    unused.chosen_dice(*_other(request, where), dice, "does not roll against the attacker")
    note_resist_with(request, dice, *attacked)
    recipients = PointRecipients("darkpages.defenders", (None if request.defender.is_npc else request.defender.earning_archetype,))
    choice = _first_choice(request, actor, where)
    return prepare(actor, where, dice, request, attribute=opposing_attribute(request, actor), choice=choice, recipients=recipients)


def _other(request: DarkpagesDefend, where: str) -> Placed:
    """The other of defender and ward."""
    return (request.ward, "ward") if where == "defender" else (request.defender, "defender")


def _note_second_attack(request: DarkpagesDefend, dice: Dice, *, follows: bool) -> None:
    """Note the options of the second contest; ``follows`` says whether there is one."""
    if request.reuse_attack:
        text = "the attacker's first roll stands for the second" if follows else "there is no second contest for the first roll to stand in"
        dice.step("darkpages.defenders", "{} (option reuseAttack)", text, value=follows)
    if request.second_keep_dice is not None and (request.reuse_attack or not follows):
        dice.step("darkpages.dice.choice", "the attacker does not roll again, so the dice chosen for it do not count")


def _resolve_harm(
    request: DarkpagesDefend, defending: Roller, attack_total: Total, attack_failed: bool, dice: Dice, verdict: Verdict
) -> None:
    """The damage check of defender or ward, or none. Sets the outcome and ``harmed``."""
    ward = display_name(request.ward, "ward")
    facing = None
    if verdict.succeeded is None:
        dice.step("darkpages.defenders", "neither side has the better of it: nobody is harmed", value="stalemate")
        note_no_damage_check(request, defending.actor, dice)
        verdict.outcome = "stalemate"
    elif verdict.succeeded:
        facing = "defender"
        dice.step("darkpages.defenders", "{} is safe; the defender has to avoid harm in turn", ward, value="wardSafe")
        if not request.reuse_attack:
            attack_total, attack_failed = _second_attack(request, dice, verdict)
        make_damage_check(request, request.defender, facing, attack_total, dice, verdict, attack_failed=attack_failed)
        verdict.outcome = "wardSafe" if verdict.outcome == "resisted" else verdict.outcome
    else:
        facing = "ward"
        dice.step("darkpages.defenders", "the defence fails: {} faces the harm", ward, value="ward")
        make_damage_check(request, request.ward, facing, attack_total, dice, verdict)
    _note_other(request, defending, facing, dice)
    if verdict.outcome == "stalemate":
        verdict.succeeded = None
    verdict.fields = {"harmed": facing if verdict.outcome in HARMED else None}


def _note_other(request: DarkpagesDefend, defending: Roller, facing: str | None, dice: Dice) -> None:
    """Note the unused options of the one who did not roll against the attacker; ``facing`` makes the damage check."""
    actor, where = _other(request, defending.where)
    if facing != where:
        unused.not_rolling(actor, where, dice)
    elif request.damage_keep is not None and actor.keep != "highest":
        text = "{} rolls the damage check alone, so damageKeep counts in place of keep"
        dice.step("darkpages.dice.choice", text, display_name(actor, where))


def _second_attack(request: DarkpagesDefend, dice: Dice, verdict: Verdict) -> tuple[Total, bool]:
    """The attacker's second roll: its total, and whether it is no success whatever its total."""
    actor = request.attacker
    choice = DiceChoice(actor.keep, request.second_keep_dice, "/secondKeepDice", lambda positions: {"secondKeepDice": positions})
    attacker = prepare(actor, "attacker", dice, request, purpose=".second", choice=choice)
    roll, special = roll_check(attacker, dice)
    attacker.earn_points(dice, roll, verdict)
    attacker.offer_zeros(dice, roll)
    return roll.total, special is not None or not attacker.kept


def summary(request: DarkpagesDefend, verdict: Verdict, record: RolledDice) -> str:
    """One line: defender and ward, the labels, the dice of the first check and of the damage check, the outcome."""
    who = f"{display_name(request.defender, 'defender')} for {display_name(request.ward, 'ward')}"
    return attack_summary(who, request.aim, record, "defender" if find_roll(record, "defender") else "ward", verdict)
