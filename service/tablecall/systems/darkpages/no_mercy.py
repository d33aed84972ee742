"""No Mercy: an attacker tries to kill a Defeated character (darkpages.noMercy)."""

from __future__ import annotations

from typing import ClassVar

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages import unused
from tablecall.systems.darkpages.check import DarkpagesGoal, find_endangered, note_goal, opposed
from tablecall.systems.darkpages.damage import DarkpagesTrauma
from tablecall.systems.darkpages.prepare import display_name, prepare, require_in_play
from tablecall.systems.darkpages.sheet import DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import TRAITS, TRAUMAS
from tablecall.systems.darkpages.wording import check_summary
from tablecall.systems.verdict import Verdict


class DarkpagesNoMercy(DarkpagesGoal, DarkpagesTrauma):
    """An attempt to kill a Defeated character with Trauma that is lethal to them (darkpages.noMercy)."""

    may_kill: ClassVar[bool] = True

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker` if there is a `rescuer`."""
    victim: DarkpagesCharacter
    """The Defeated character."""
    rescuer: DarkpagesActor | None = None
    """Who opposes the attempt; rolls as `rescuer`. Left out: the attempt succeeds without a roll."""


def no_mercy(request: DarkpagesNoMercy, dice: Dice) -> Verdict:
    """Resolve an attempt to kill.

    Outcomes: ``killed`` (the victim is out of the game), ``spared``, ``stalemate`` (the victim lives). On a failure
    ``endangered`` lists the attacker. Refuses a victim who is not Defeated or is out of the game, and Trauma that is not
    lethal to the victim.
    """
    attacker = (request.attacker, "attacker")
    require_in_play([attacker])
    _check_victim(request)
    note_goal(request, dice)
    if request.rescuer is None:
        verdict = Verdict("killed", True)
        dice.step("darkpages.noMercy", "nobody stands in the way: {} is killed", request.victim.name, value="killed")
        unused.nobody_rolls(request, [attacker], dice)
    else:
        verdict = _opposed(request, request.rescuer, dice)
    if verdict.succeeded:
        verdict.set_flag("victim", "outOfGame", to=True)
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, [attacker], dice)}
    return verdict


def _check_victim(request: DarkpagesNoMercy) -> None:
    victim = request.victim
    if victim.out_of_game:
        raise Forbidden.by("darkpages.noMercy", "/victim/outOfGame", "the victim is already out of the game")
    if not victim.defeated:
        raise Forbidden.by("darkpages.noMercy", "/victim/defeated", "the victim must be Defeated")
    if TRAITS[TRAUMAS[request.trauma]] != victim.lethal:
        raise Forbidden.by("darkpages.noMercy", "/trauma", "the Trauma must be lethal to the victim")


def _opposed(request: DarkpagesNoMercy, rescuer: DarkpagesActor, dice: Dice) -> Verdict:
    require_in_play([(rescuer, "rescuer")])
    attacker = prepare(request.attacker, "attacker", dice, request)
    verdict = opposed(attacker, prepare(rescuer, "rescuer", dice, request), dice)
    if verdict.succeeded is not None:
        verdict.outcome = "killed" if verdict.succeeded else "spared"
    fate = "is killed" if verdict.succeeded else "lives"
    dice.step("darkpages.noMercy", "{} {}", request.victim.name, fate, value=verdict.outcome)
    return verdict


def summary(request: DarkpagesNoMercy, verdict: Verdict, record: RolledDice) -> str:
    """One line: attacker and victim, the labels, the dice if any, the outcome."""
    who = f"{display_name(request.attacker, 'attacker')} on {request.victim.name}"
    return check_summary(who, request.aim, record, "attacker", verdict)
