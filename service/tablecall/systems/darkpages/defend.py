"""Defenders: a defender shields a ward from an attacker and then has to avoid harm too (darkpages.defenders)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.check import compare_rolls, compared_summary, no_roll, note_endangered, note_goal, roll_both, roll_check
from tablecall.systems.darkpages.damage import damage_sentence
from tablecall.systems.darkpages.harm import (
    DarkpagesHarming,
    damage_roller_that_needs_target,
    further_damage,
    note_resist_with,
    npcs_keep_the_highest,
    opposing_attribute,
    refuse_npc_damage_choice,
)
from tablecall.systems.darkpages.prepare import Placed, own_choice, prepare, rating, require_in_play
from tablecall.systems.darkpages.roller import DiceChoice, PointRecipients, Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor, DiceKept
from tablecall.systems.verdict import Verdict

HARMED = ("defeated", "diminished", "damaged", "destroyed", "held", "outOfGame")
FIELDS: dict[str, Any] = {"harmed": Annotated[Literal["defender", "ward"] | None, Field(description="Who was harmed; null if nobody was.")]}
"""The ruling field of this action (darkpages.defenders)."""


class DarkpagesDefend(DarkpagesHarming):
    """A defender shields a ward from an attacker (darkpages.defenders)."""

    options: ClassVar[frozenset[str]] = DarkpagesHarming.options | {"reuse_attack", "second_keep_dice"}

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`, and after a successful defence again as `attacker.second`."""
    defender: DarkpagesActor
    """Who defends; rolls as `defender` unless the ward is rated higher. After a successful defence, makes the damage check as
    `defender.damage`."""
    ward: DarkpagesActor
    """Who is defended; rolls as `ward` if rated higher than the defender. After a failed defence, makes the damage check as
    `ward.damage`."""
    reuse_attack: bool | None = None
    """Whether the attacker's first roll also counts against the defender, instead of a second roll. Left out: as `houseRules` says, else
    false."""
    second_keep_dice: DiceKept | None = None
    """The exact dice to keep of `attacker.second`: positions in the order drawn, counted from 0. Left out: by the attacker's `keep`."""

    @property
    def reuses_attack(self) -> bool:
        """Whether the attacker's first roll also counts against the defender."""
        return bool(self.house("reuse_attack") if self.reuse_attack is None else self.reuse_attack)


def defend(request: DarkpagesDefend, dice: Dice) -> Verdict:
    """Resolve a defence. It succeeds if the ward is safe, whatever happens to the defender.

    Outcomes: ``wardSafe`` (and the defender unharmed); ``stalemate`` (a tie: nobody is harmed); else those of the damage
    check, where ``harmed`` names who was harmed, and total and target are those of the damage check. On a failure
    ``endangered`` lists defender and ward. Refuses participants who are not in play.
    """
    attacked = [(request.defender, "defender"), (request.ward, "ward")]
    require_in_play([(request.attacker, "attacker"), *attacked])
    refuse_npc_damage_choice(request, request.defender, request.ward)
    if request.second_keep_dice is not None and request.attacker.is_npc:
        raise npcs_keep_the_highest("/secondKeepDice")
    note_goal(request, dice)
    verdict = no_roll(request, dice)
    if verdict is None:
        verdict = _roll(request, attacked, dice)
    else:
        verdict.fields = {"harmed": None, "endangered": []}
    verdict.fields |= request.parts
    return verdict


def _roll(request: DarkpagesDefend, attacked: list[Placed], dice: Dice) -> Verdict:
    defending = _defending_roller(request, attacked, dice)
    attacker = prepare(request.attacker, "attacker", dice, request, choice=_first_choice(request, request.attacker, "attacker"))
    if defending.needs_target or attacker.needs_target:
        dice.declare_branches(lambda: _bound(request, defending, attacker, dice))
    own_roll, attack_roll = roll_both(defending, attacker, dice, opponent_special_matters=True)
    verdict = compare_rolls(defending, own_roll, attacker, attack_roll, dice)
    attack_failed = attack_roll.special is not None or not attacker.kept
    if verdict.succeeded is False and attack_failed:
        verdict.succeeded = None
    defence_failed = verdict.succeeded is False
    _resolve_harm(request, attack_roll.roll.total, attack_failed, dice, verdict)
    # darkpages.optional.danger: also where the defender fails the second check of a defence
    failed = defence_failed or verdict.fields["harmed"] is not None
    verdict.fields["endangered"] = note_endangered(attacked, dice) if failed else []
    return verdict


def _bound(request: DarkpagesDefend, defending: Roller, attacker: Roller, dice: Dice) -> int:
    defender = damage_roller_that_needs_target(request, request.defender, "defender", dice)
    ward = damage_roller_that_needs_target(request, request.ward, "ward", dice)
    return branch_bounds.defence(defending, attacker, defender, ward, branch_bounds.supplied_rolls(request), reuse=request.reuses_attack)


def _first_choice(request: DarkpagesDefend, actor: DarkpagesActor, where: str) -> DiceChoice:
    """The actor's own choice. Another choice may change who makes the damage check, so its patch clears the dice kept there."""
    cleared: dict[str, object] = {} if request.damage_keep_dice is None else {"damageKeepDice": None}
    own = own_choice(actor, where)
    return replace(own, patch=lambda positions: own.patch(positions) | cleared)


def _defending_roller(request: DarkpagesDefend, attacked: list[Placed], dice: Dice) -> Roller:
    """The higher rated of defender and ward. The kept zeros teach the defender in either case (darkpages.defenders)."""
    actor, where = max(attacked, key=lambda placed: rating(placed[0], placed[1], opposing_attribute(request, placed[0])))
    dice.note("darkpages.defenders", "defend.rolls", value=where, who=where)
    note_resist_with(request, dice, *attacked)
    recipients = PointRecipients("darkpages.defenders", (None if request.defender.is_npc else request.defender.earning_archetype,))
    choice = _first_choice(request, actor, where)
    return prepare(actor, where, dice, request, attribute=opposing_attribute(request, actor), choice=choice, recipients=recipients)


def _resolve_harm(request: DarkpagesDefend, attack_total: Total, attack_failed: bool, dice: Dice, verdict: Verdict) -> None:
    """The damage check of defender or ward, or none. Sets the outcome and ``harmed``."""
    facing: Literal["defender", "ward"] | None = None
    if verdict.succeeded is None:
        dice.note("darkpages.defenders", "defend.tie", value="stalemate")
        verdict.outcome = "stalemate"
    elif verdict.succeeded:
        facing = "defender"
        dice.note("darkpages.defenders", "defend.ward_safe", value="wardSafe", who="ward")
        if request.reuses_attack:
            dice.option("", "reuseAttack")
            dice.note("darkpages.defenders", "defend.reused", value=True)
        else:
            attack_total, attack_failed = _second_attack(request, dice, verdict)
        outcome, total = further_damage(
            request,
            request.trauma,
            request.defender,
            facing,
            attack_total,
            dice,
            verdict,
            attack_failed=attack_failed,
            attribute=request.defender.attribute,
        )
        verdict.outcome = "wardSafe" if outcome == "resisted" else outcome
        verdict.decided = None if outcome == "resisted" else (total, attack_total)
    else:
        facing = "ward"
        dice.note("darkpages.defenders", "defend.fails", value="ward", who="ward")
        attribute = request.ward.attribute
        verdict.outcome, total = further_damage(
            request, request.trauma, request.ward, facing, attack_total, dice, verdict, attribute=attribute
        )
        verdict.decided = total, attack_total
    if verdict.outcome == "stalemate":
        verdict.succeeded = None
    verdict.fields = {"harmed": facing if verdict.outcome in HARMED else None}


def _second_attack(request: DarkpagesDefend, dice: Dice, verdict: Verdict) -> tuple[Total, bool]:
    """The attacker's second roll: its total, and whether it is no success whatever its total."""
    actor = request.attacker
    if request.second_keep_dice is not None:
        dice.option("", "secondKeepDice")
    choice = DiceChoice(actor.keep, request.second_keep_dice, "/secondKeepDice", lambda positions: {"secondKeepDice": positions})
    attacker = prepare(actor, "attacker", dice, request, purpose=".second", choice=choice)
    roll, special = roll_check(attacker, dice)
    attacker.earn_points(dice, roll, verdict)
    attacker.offer_zeros(dice, roll, wins=False)
    return roll.total, special is not None or not attacker.kept


def summary(request: DarkpagesDefend, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who shields whom from whom, the comparison, and the damage check if there was one."""
    damaging: list[Sentence] = []
    totals = {named.roll: named.result.total for named in record.rolls}
    against = totals.get("attacker.second", totals.get("attacker"))
    outcome = "resisted" if verdict.outcome == "wardSafe" else verdict.outcome
    for where in ("defender", "ward"):
        damaging += damage_sentence(record, f"{where}.damage", where, request.trauma, against, outcome)
    if "defender.damage" in totals:
        damaging.insert(0, say("defend.summary_safe", ward="ward"))
    if "attacker.second" in totals:
        damaging.insert(1, say("defend.summary_second", who="attacker", total=against))
    key = "defend_through" if damaging else "defend"
    return [*compared_summary(request, ["defender"], verdict, record, against=["attacker"], key=key), *damaging]
