"""darkpages, No Mercy: an attacker tries to finish off a Defeated character."""

from __future__ import annotations

from typing import ClassVar

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages.check import DarkpagesGoal, endanger, opposed, state_goal
from tablecall.systems.darkpages.damage import DarkpagesTrauma, struck
from tablecall.systems.darkpages.roller import hand, in_play, named, nobody_rolls
from tablecall.systems.darkpages.sheet import DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import TRAITS
from tablecall.systems.darkpages.wording import line
from tablecall.systems.verdict import Verdict

OUTCOMES = ("killed", "spared", "stalemate")


class DarkpagesNoMercy(DarkpagesGoal, DarkpagesTrauma):
    """Somebody tries to kill a Defeated character, with Trauma that is lethal to them (darkpages.noMercy)."""

    deadly: ClassVar[bool] = True

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`, if anybody opposes it."""
    victim: DarkpagesCharacter
    """The Defeated character."""
    rescuer: DarkpagesActor | None = None
    """Who stands in the way; rolls as `rescuer`. Left out, it succeeds without a roll."""


def no_mercy(request: DarkpagesNoMercy, dice: Dice) -> Verdict:
    """Resolve an attempt to kill.

    Outcomes: ``killed`` (the victim is out of the game), ``spared``, ``stalemate`` (the victim lives). A failure lists the
    attacker as ``endangered``. Refuses a victim who is not Defeated, or already gone, and Trauma that is not lethal to them.
    """
    in_play(request.attacker, "attacker")
    _at_mercy(request)
    state_goal(request, dice)
    verdict = Verdict("killed", True) if request.rescuer is None else _opposed(request, request.rescuer, dice)
    if request.rescuer is None:
        dice.step("darkpages.noMercy", "nobody stands in the way: {} is killed", request.victim.name, value="killed")
        nobody_rolls(request, [(request.attacker, "attacker")], dice)
    if verdict.succeeded:
        verdict.set_flag("victim", "outOfGame", to=True)
    verdict.fields = request.parts | {"endangered": endanger(verdict, ["attacker"], dice)}
    return verdict


def _at_mercy(request: DarkpagesNoMercy) -> None:
    victim = request.victim
    if victim.out_of_game:
        raise Forbidden.by("darkpages.noMercy", "/victim/outOfGame", "whoever is out of the game cannot be killed")
    if not victim.defeated:
        raise Forbidden.by("darkpages.noMercy", "/victim/defeated", "only a Defeated character can be finished off")
    if TRAITS[struck(request.trauma)] != victim.lethal:
        raise Forbidden.by("darkpages.noMercy", "/trauma", "only Trauma that is lethal to the victim kills")


def _opposed(request: DarkpagesNoMercy, rescuer: DarkpagesActor, dice: Dice) -> Verdict:
    in_play(rescuer, "rescuer")
    attacker = hand(request.attacker, "attacker", dice, request)
    verdict = opposed(attacker, hand(rescuer, "rescuer", dice, request), dice)
    if verdict.succeeded is not None:
        verdict.outcome = "killed" if verdict.succeeded else "spared"
    said = "is killed" if verdict.succeeded else "lives"
    dice.step("darkpages.noMercy", "{} {}", request.victim.name, said, value=verdict.outcome)
    return verdict


def summary(request: DarkpagesNoMercy, verdict: Verdict, record: RolledDice) -> str:
    """One line: who attacks whom, the kept dice of those rolled, against what, what came of it."""
    return line(f"{named(request.attacker, 'attacker')} on {request.victim.name}", request.aim, record, "attacker", verdict)
