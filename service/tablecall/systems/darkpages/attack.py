"""An attack: a check against the defender, and on success the defender's damage check against its total."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import WholeNumber
from tablecall.model.text import Sentence
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.check import compared_summary, no_roll, note_goal, opposed
from tablecall.systems.darkpages.damage import damage_sentence
from tablecall.systems.darkpages.harm import (
    DarkpagesHarming,
    damage_roller_that_needs_target,
    further_damage,
    note_resist_with,
    opposing_attribute,
    refuse_npc_damage_choice,
)
from tablecall.systems.darkpages.prepare import prepare, require_in_play, with_change
from tablecall.systems.darkpages.roller import Roller
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.verdict import Verdict


class DarkpagesAttack(DarkpagesHarming):
    """One participant attacks another: a check against the defender, then the defender's damage check (darkpages.damage.check).

    The defender's modifiers, scars and bare pool apply to both rolls.
    """

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`."""
    defender: DarkpagesActor
    """Who is attacked; opposes the attack as `defender` and makes the damage check as `defender.damage`."""
    exchanges: Annotated[int, Field(ge=1, le=20), WholeNumber] = 1
    """How many such attacks in a row the odds cover, each after the harm of the one before, until the defender is Defeated or out of the
    game. The outcome is that of the last harm, or of the last attack if there was none. Rulings do not depend on it."""

    @property
    def repeats(self) -> int:
        """How many times in a row the odds play the action."""
        return self.exchanges

    @property
    def once(self) -> Self:
        """One attack, compared with nothing."""
        return self.model_copy(update={"exchanges": 1, "keep_choices": False})

    def following(self, changes: Iterable[Any]) -> Self | None:
        """The next attack, with the defender as harmed; ``None`` once the defender is Defeated or out of the game."""
        defender = self.defender
        for change in changes:
            if change.on == "defender":
                defender = with_change(defender, change)
        sheet = defender.character
        if defender.defeated or (sheet is not None and (sheet.defeated or sheet.out_of_game)):
            return None
        return self.model_copy(update={"defender": defender})


def attack(request: DarkpagesAttack, dice: Dice) -> Verdict:
    """Resolve an attack. It succeeds if the defender is harmed.

    Outcomes: ``failed``; ``stalemate`` (either roll is a tie); those of the damage check; ``noRoll``. Total and target are those of
    the damage check if there was one. Refuses participants who are not in play.
    """
    require_in_play([(request.attacker, "attacker"), (request.defender, "defender")])
    refuse_npc_damage_choice(request, request.defender)
    note_goal(request, dice)
    verdict = no_roll(request, dice) or _roll(request, dice)
    verdict.fields = request.parts
    return verdict


def _roll(request: DarkpagesAttack, dice: Dice) -> Verdict:
    attacker = prepare(request.attacker, "attacker", dice, request)
    defender = prepare(request.defender, "defender", dice, request, attribute=opposing_attribute(request, request.defender))
    note_resist_with(request, dice, (request.defender, "defender"))
    if attacker.needs_target:
        dice.declare_branches(lambda: _bound(request, attacker, defender, dice))
    verdict = opposed(attacker, defender, dice)
    if verdict.succeeded:
        attribute = request.defender.attribute
        verdict.outcome, total = further_damage(
            request, request.trauma, request.defender, "defender", verdict.total, dice, verdict, attribute=attribute
        )
        verdict.decided = total, verdict.total
        verdict.succeeded = {"resisted": False, "stalemate": None}.get(verdict.outcome, True)
    else:
        verdict.outcome = verdict.outcome if verdict.succeeded is None else "failed"
    return verdict


def _bound(request: DarkpagesAttack, attacker: Roller, defender: Roller, dice: Dice) -> int:
    resisting = damage_roller_that_needs_target(request, request.defender, "defender", dice)
    return branch_bounds.attack(attacker, defender, resisting, branch_bounds.supplied_rolls(request))


def summary(request: DarkpagesAttack, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who attacks whom, the comparison, and the damage check if there was one."""
    damaging = damage_sentence(record, "defender.damage", "defender", request.trauma, verdict.total, verdict.outcome)
    key = "attack_through" if damaging else "attack"
    return [*compared_summary(request, ["attacker"], verdict, record, against=["defender"], key=key), *damaging]
