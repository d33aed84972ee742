"""No Mercy: an attacker tries to kill a Defeated character (darkpages.noMercy)."""

from __future__ import annotations

from typing import ClassVar

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.check import DarkpagesGoal, find_endangered, goal_sentences, no_roll, note_goal, opposed, special_sentences
from tablecall.systems.darkpages.damage import DarkpagesTrauma
from tablecall.systems.darkpages.prepare import prepare, require_in_play
from tablecall.systems.darkpages.sheet import DarkpagesActor, DarkpagesCharacter
from tablecall.systems.darkpages.tables import TRAITS, TRAUMAS
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
    verdict = no_roll(request, dice)
    if verdict is None and request.rescuer is None:
        verdict = Verdict("killed", True)
        dice.note("darkpages.noMercy", "noMercy.unopposed", value="killed", who="victim")
    elif verdict is None:
        assert request.rescuer is not None
        verdict = _opposed(request, request.rescuer, dice)
    if verdict.succeeded:
        verdict.set_flag("victim", "outOfGame", to=True)
    verdict.fields = request.parts | {"endangered": find_endangered(verdict, [attacker], dice)}
    return verdict


def _check_victim(request: DarkpagesNoMercy) -> None:
    victim = request.victim
    if victim.out_of_game:
        raise Forbidden.by("darkpages.noMercy", "/victim/outOfGame", "darkpages.refused.victim_out", who=victim.name)
    if not victim.defeated:
        raise Forbidden.by("darkpages.noMercy", "/victim/defeated", "darkpages.refused.victim_stands", who=victim.name)
    if TRAITS[TRAUMAS[request.trauma]] != victim.lethal:
        raise Forbidden.by("darkpages.noMercy", "/trauma", "darkpages.refused.not_lethal", who=victim.name, trauma=request.trauma)


def _opposed(request: DarkpagesNoMercy, rescuer: DarkpagesActor, dice: Dice) -> Verdict:
    require_in_play([(rescuer, "rescuer")])
    attacker = prepare(request.attacker, "attacker", dice, request)
    verdict = opposed(attacker, prepare(rescuer, "rescuer", dice, request), dice)
    if verdict.succeeded is not None:
        verdict.outcome = "killed" if verdict.succeeded else "spared"
    key = "noMercy.killed" if verdict.succeeded else "noMercy.lives"
    dice.note("darkpages.noMercy", key, value=verdict.outcome, who="victim")
    return verdict


def summary(request: DarkpagesNoMercy, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who tries to kill whom, the comparison if there was one, the outcome."""
    facts = {"who": "attacker", "on": "victim", "total": verdict.total, "target": verdict.target, "outcome": verdict.outcome}
    key = "noMercy.summary" if verdict.total is None else "noMercy.summary_opposed"
    sentence = say(key, rescuer="rescuer", **facts)
    if verdict.outcome == "noRoll":
        sentence = say("check.summary_no_roll", who=["attacker"], outcome=verdict.outcome)
    return [*goal_sentences(request, verdict), sentence, *special_sentences(record)]
