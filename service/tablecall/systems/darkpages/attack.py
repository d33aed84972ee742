"""An attack: a check against the defender, and on success the defender's damage check against its total."""

from __future__ import annotations

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.check import note_goal, opposed
from tablecall.systems.darkpages.harm import (
    DarkpagesHarming,
    damage_roller_that_needs_target,
    make_damage_check,
    note_no_damage_check,
    note_resist_with,
    opposing_attribute,
    refuse_npc_damage_choice,
)
from tablecall.systems.darkpages.prepare import display_name, prepare, require_in_play
from tablecall.systems.darkpages.roller import Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.wording import attack_summary
from tablecall.systems.verdict import Verdict


class DarkpagesAttack(DarkpagesHarming):
    """One participant attacks another: a check against the defender, then the defender's damage check (darkpages.damage.check).

    The defender's modifiers, scars and bare pool apply to both rolls.
    """

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`."""
    defender: DarkpagesActor
    """Who is attacked; opposes the attack as `defender` and makes the damage check as `defender.damage`."""


def attack(request: DarkpagesAttack, dice: Dice) -> Verdict:
    """Resolve an attack. It succeeds if the defender is harmed.

    Outcomes: ``failed``; ``stalemate`` (either roll is a tie); those of the damage check. Total and target are those of the
    first check. Refuses participants who are not in play.
    """
    require_in_play([(request.attacker, "attacker"), (request.defender, "defender")])
    refuse_npc_damage_choice(request, request.defender)
    note_goal(request, dice)
    attacker = prepare(request.attacker, "attacker", dice, request)
    defender = prepare(request.defender, "defender", dice, request, attribute=opposing_attribute(request, request.defender))
    note_resist_with(request, dice, (request.defender, "defender"))
    if attacker.needs_target:
        dice.declare_branches(lambda: _bound(request, attacker, defender, dice))
    verdict = opposed(attacker, defender, dice)
    if verdict.succeeded:
        make_damage_check(request, request.defender, "defender", verdict.total, dice, verdict)
        verdict.succeeded = {"resisted": False, "stalemate": None}.get(verdict.outcome, True)
    else:
        note_no_damage_check(request, request.defender, dice)
        verdict.outcome = verdict.outcome if verdict.succeeded is None else "failed"
    verdict.fields = request.parts
    return verdict


def _bound(request: DarkpagesAttack, attacker: Roller, defender: Roller, dice: Dice) -> int:
    resisting = damage_roller_that_needs_target(request, request.defender, "defender", dice)
    return branch_bounds.attack(attacker, defender, resisting, branch_bounds.supplied_rolls(request))


def summary(request: DarkpagesAttack, verdict: Verdict, record: RolledDice) -> str:
    """One line: attacker and defender, the labels, the dice of the check and of the damage check, the outcome."""
    who = f"{display_name(request.attacker, 'attacker')} on {display_name(request.defender, 'defender')}"
    return attack_summary(who, request.aim, record, "attacker", verdict)
