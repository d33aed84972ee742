"""darkpages, an attack: a check against the defender, and on success the defender's damage check against its total."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.model.base import WholeNumber
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.check import DarkpagesGoal, opposed, state_goal
from tablecall.systems.darkpages.damage import Blow, DarkpagesHarm, resist, struck
from tablecall.systems.darkpages.roller import Choosing, Hand, hand, in_play, named
from tablecall.systems.darkpages.sheet import MAX_POOL, Attribute, Choice, DarkpagesActor
from tablecall.systems.darkpages.wording import blow_line
from tablecall.systems.verdict import Verdict

DiceKept = Annotated[list[Annotated[int, Field(ge=0, le=99), WholeNumber]], Field(max_length=MAX_POOL)]


class DarkpagesHarming(DarkpagesGoal, DarkpagesHarm):
    """A check that ends in a damage check."""

    resist_with: Attribute | None = None
    """Where the defender (the ward likewise) names no `attribute`: the Attribute of the opposing roll; left out as well, the one the Trauma
    strikes. Beside an `attribute`, which then opposes: the Attribute of the damage check, in place of the one the Trauma strikes
    (darkpages.damage.check). A bare pool serves for both rolls whatever stands here."""
    damage_keep: Choice | None = None
    """Which dice are kept on the damage check; left out, the actor's own `keep` (darkpages.dice.choice)."""
    damage_keep_dice: DiceKept | None = None
    """The very dice kept on the damage check, counted from 0. An actor's `keepDice` speaks of the opposing roll alone."""


class DarkpagesAttack(DarkpagesHarming):
    """Somebody attacks: a check against the defender, then the defender's damage check (darkpages.damage.check).

    Modifiers and scars of the defender weigh on both rolls; a bare pool serves for both.
    """

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`."""
    defender: DarkpagesActor
    """Who is attacked; rolls as `defender`, and resists the harm as `defender.damage`."""


def attack(request: DarkpagesAttack, dice: Dice) -> Verdict:
    """Resolve an attack. It succeeds where the defender is harmed.

    Outcomes: ``failed``; ``stalemate`` (the check or the damage check is a draw); those of the damage check. Refuses
    whoever is not in play. Total and target are those of the check.
    """
    in_play(request.attacker, "attacker")
    in_play(request.defender, "defender")
    players_choice(request, request.defender)
    state_goal(request, dice)
    attacker = hand(request.attacker, "attacker", dice, request)
    defender = hand(request.defender, "defender", dice, request, attribute=resisting(request, request.defender))
    resist_with(request, dice, (request.defender, "defender"))
    if attacker.waits and not dice.wants_steps:
        dice.declare_branches(dice.cached("ways", lambda: _ways(request, attacker, defender, dice)))
    verdict = opposed(attacker, defender, dice)
    if verdict.succeeded:
        suffer(request, request.defender, "defender", verdict.total, dice, verdict)
        verdict.succeeded = {"resisted": False, "stalemate": None}.get(verdict.outcome, True)
    else:
        unhurt(request, request.defender, dice)
        verdict.outcome = verdict.outcome if verdict.succeeded is None else "failed"
    verdict.fields = request.parts
    return verdict


def resisting(request: DarkpagesHarming, actor: DarkpagesActor) -> Attribute | None:
    """The Attribute that opposes the check: the actor's, the request's, or the one the Trauma strikes."""
    if actor.character is None:
        return None
    return actor.attribute or request.resist_with or struck(request.trauma)


def bearing(request: DarkpagesHarming, actor: DarkpagesActor) -> Attribute:
    """The Attribute of the damage check: the matching one, or the request's beside the actor's own (darkpages.damage.check)."""
    return (actor.attribute and request.resist_with) or struck(request.trauma)


def resist_with(request: DarkpagesHarming, dice: Dice, *facing: tuple[DarkpagesActor, str]) -> None:
    """Say which Attribute the request chose against the attacker, and of each bare pool that none of it can be chosen."""
    if request.resist_with is None:
        return
    for actor, where in facing:
        if actor.character is None:
            dice.step("darkpages.damage.check", "{}: a bare pool serves for every roll, so resistWith does not apply", where)
        elif actor.attribute is None:
            text = "{}: {} counts against the attacker (option resistWith)"
            dice.step("darkpages.damage.check", text, actor.character.name, request.resist_with, value=request.resist_with)


def _ways(request: DarkpagesAttack, attacker: Hand, defender: Hand, dice: Dice) -> int:
    return branch_bounds.attack(attacker, defender, waiting(request, request.defender, "defender", dice), branch_bounds.held(request))


def players_choice(request: DarkpagesHarming, *facing: DarkpagesActor) -> None:
    """Refuse a choice of dice for a damage check that only the game master's characters can come to (darkpages.dice.choice)."""
    if not all(actor.is_npc for actor in facing):
        return
    if request.damage_keep_dice is not None:
        raise npcs_keep_the_highest("/damageKeepDice")
    if request.damage_keep not in (None, "highest"):
        raise npcs_keep_the_highest("/damageKeep")


def npcs_keep_the_highest(at: str) -> Forbidden:
    """The refusal of a choice that is a player's (darkpages.dice.choice)."""
    return Forbidden.by("darkpages.dice.choice", at, "the game master's characters keep the highest dice")


def suffer(
    request: DarkpagesHarming,
    actor: DarkpagesActor,
    where: str,
    against: Total | None,
    dice: Dice,
    verdict: Verdict,
    *,
    feeble: bool = False,
) -> None:
    """The damage check that follows, as ``where.damage``, against the attacker's total; its outcome becomes the verdict's."""
    assert against is not None
    blow = Blow(request.trauma, against, True, request.on_harm, request.damage_tie, feeble)
    if actor.character is not None and actor.attribute is not None and request.resist_with is not None:
        text = "{} resists with {} (option resistWith)"
        dice.step("darkpages.damage.check", text, actor.character.name, request.resist_with, value=request.resist_with)
    verdict.outcome, _ = resist(damage_hand(request, actor, where, dice), blow, dice, verdict)


def damage_hand(request: DarkpagesHarming, actor: DarkpagesActor, where: str, dice: Dice) -> Hand:
    """The dice of the damage check, kept as the request says; the game master's characters keep the highest all the same."""
    keep, positions = request.damage_keep or actor.keep, request.damage_keep_dice
    if actor.is_npc and (keep != "highest" or positions is not None):
        dice.step("darkpages.dice.choice", "{}: the game master's characters keep the highest dice", named(actor, where), value="highest")
        keep, positions = "highest", None
    elif request.damage_keep == "highest" and positions is not None:
        dice.step("darkpages.dice.choice", "the dice of the damage check are chosen one by one, so damageKeep does not apply")
    elif request.damage_keep == "highest":
        dice.step("darkpages.dice.choice", "{}: the damage check keeps the highest (option damageKeep)", named(actor, where), value=keep)
    choosing = Choosing(keep, positions, "/damageKeepDice", lambda kept: {"damageKeepDice": kept})
    return hand(actor, where, dice, request, attribute=bearing(request, actor), purpose=".damage", choosing=choosing)


def waiting(request: DarkpagesHarming, actor: DarkpagesActor, where: str, dice: Dice) -> Hand | None:
    """The dice of the damage check where their choice hangs on the total it is against."""
    keep = request.damage_keep or actor.keep
    if keep != "mostZerosThatSucceed" or request.damage_keep_dice is not None or actor.is_npc:
        return None
    found = damage_hand(request, actor, where, dice)
    return found if found.waits else None


def unhurt(request: DarkpagesHarming, opposing: DarkpagesActor, dice: Dice) -> None:
    """No damage check: what was chosen for it does not count. ``opposing`` is whose dice were against the attacker's."""
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


def summary(request: DarkpagesAttack, verdict: Verdict, record: RolledDice) -> str:
    """One line: who attacks whom, the kept dice of those rolled, against what, how it is resisted, what came of it."""
    who = f"{named(request.attacker, 'attacker')} on {named(request.defender, 'defender')}"
    return blow_line(who, request.aim, record, "attacker", verdict)
