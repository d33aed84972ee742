"""darkpages, defenders: somebody shields a ward from an attacker, and then has to come away whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.systems.darkpages import branch_bounds
from tablecall.systems.darkpages.attack import (
    DarkpagesHarming,
    DiceKept,
    npcs_keep_the_highest,
    players_choice,
    resist_with,
    resisting,
    suffer,
    unhurt,
    waiting,
)
from tablecall.systems.darkpages.check import Drawn, draw_both, drawn, endanger, settle, state_goal
from tablecall.systems.darkpages.roller import Choosing, Hand, Learners, hand, idle, in_play, named, own_choice, rating
from tablecall.systems.darkpages.sheet import DarkpagesActor
from tablecall.systems.darkpages.wording import blow_line, find
from tablecall.systems.verdict import Verdict

HARMED = ("defeated", "diminished", "damaged", "destroyed", "held", "outOfGame")
FIELDS: dict[str, Any] = {"harmed": Annotated[Literal["defender", "ward"] | None, Field(description="Who was harmed, if anyone.")]}
"""What the ruling has beside that of other optional checks (darkpages.defenders)."""


class DarkpagesDefend(DarkpagesHarming):
    """Somebody defends somebody else against an attacker (darkpages.defenders)."""

    attacker: DarkpagesActor
    """Who attacks; rolls as `attacker`, and against a defender who held as `attacker.second`."""
    defender: DarkpagesActor
    """Who defends; rolls as `defender` unless the ward is rated higher, and then resists the harm as `defender.damage`."""
    ward: DarkpagesActor
    """Who is defended; rolls as `ward` where rated higher, and resists the harm as `ward.damage` where the defence fails."""
    reuse_attack: bool = False
    """Whether the attacker's first roll stands for the second as well."""
    second_keep_dice: DiceKept | None = None
    """The very dice the attacker keeps of `attacker.second`, counted from 0; left out, by the attacker's `keep`."""


def defend(request: DarkpagesDefend, dice: Dice) -> Verdict:
    """Resolve a defence. It succeeds where it keeps the ward from harm, whatever becomes of the defender.

    Outcomes: ``wardSafe`` (and the defender unharmed); ``stalemate`` (a draw: nobody is harmed); else those of the damage
    check, with ``harmed`` saying whose. On failure ``endangered`` lists defender and ward. Refuses whoever is not in play.
    """
    for actor, where in ((request.attacker, "attacker"), (request.defender, "defender"), (request.ward, "ward")):
        in_play(actor, where)
    players_choice(request, request.defender, request.ward)
    if request.second_keep_dice is not None and request.attacker.is_npc:
        raise npcs_keep_the_highest("/secondKeepDice")
    state_goal(request, dice)
    shield = _shield(request, dice)
    attacker = hand(request.attacker, "attacker", dice, request, choosing=_choosing(request, request.attacker, "attacker"))
    if (shield.waits or attacker.waits) and not dice.wants_steps:
        dice.declare_branches(dice.cached("ways", lambda: _ways(request, shield, attacker, dice)))
    mine, theirs = draw_both(shield, attacker, dice, again=True)
    verdict = settle(shield, mine, attacker, theirs, dice)
    feeble = theirs[1] is not None or not attacker.kept
    if verdict.succeeded is False and feeble:
        verdict.succeeded = None
    endangered = endanger(verdict, ["defender", "ward"], dice)
    _second_asked(request, dice, follows=bool(verdict.succeeded))
    _follow(request, shield, theirs, feeble, dice, verdict)
    verdict.fields |= request.parts | {"endangered": endangered}
    return verdict


def _ways(request: DarkpagesDefend, shield: Hand, attacker: Hand, dice: Dice) -> int:
    defender, ward = (waiting(request, actor, where, dice) for actor, where in ((request.defender, "defender"), (request.ward, "ward")))
    return branch_bounds.defence(shield, attacker, defender, ward, branch_bounds.held(request), reuse=request.reuse_attack)


def _choosing(request: DarkpagesDefend, actor: DarkpagesActor, where: str) -> Choosing:
    """The roller's own choice; another may have somebody else make the damage check, so the dice kept there are chosen anew."""
    later: dict[str, object] = {} if request.damage_keep_dice is None else {"damageKeepDice": None}
    own = own_choice(actor, where)
    return replace(own, patch=lambda positions: own.patch(positions) | later)


def _shield(request: DarkpagesDefend, dice: Dice) -> Hand:
    """The higher rated of defender and ward, whose kept zeros teach the defender (darkpages.defenders)."""
    pair = ((request.defender, "defender"), (request.ward, "ward"))
    actor, where = max(pair, key=lambda one: rating(one[0], one[1], resisting(request, one[0])))
    dice.step("darkpages.defenders", "{} is the higher rated and rolls against the attacker", named(actor, where), value=where)
    for other, place in pair:
        if place != where and other.keep_dice is not None:
            text = "{} does not roll against the attacker, so the dice chosen do not count"
            dice.step("darkpages.dice.choice", text, named(other, place))
    resist_with(request, dice, *pair)
    learners = Learners("darkpages.defenders", (None if request.defender.is_npc else request.defender.earns,))
    choosing = _choosing(request, actor, where)
    return hand(actor, where, dice, request, attribute=resisting(request, actor), choosing=choosing, learners=learners)


def _second_asked(request: DarkpagesDefend, dice: Dice, *, follows: bool) -> None:
    """Whether the defender has to come away whole, and what was asked for that contest."""
    if request.reuse_attack:
        said = "the attacker's first roll stands for the second" if follows else "there is no second contest for the first roll to stand in"
        dice.step("darkpages.defenders", "{} (option reuseAttack)", said, value=follows)
    if request.second_keep_dice is not None and (request.reuse_attack or not follows):
        dice.step("darkpages.dice.choice", "the attacker does not roll again, so the dice chosen for it do not count")


def _follow(request: DarkpagesDefend, shield: Hand, theirs: Drawn, feeble: bool, dice: Dice, verdict: Verdict) -> None:
    """What follows the first check; ``harmed`` says who was harmed."""
    ward = named(request.ward, "ward")
    facing = None
    if verdict.succeeded is None:
        dice.step("darkpages.defenders", "neither side has the better of it: nobody is harmed", value="stalemate")
        unhurt(request, shield.actor, dice)
        verdict.outcome = "stalemate"
    elif verdict.succeeded:
        facing = "defender"
        dice.step("darkpages.defenders", "{} is safe; the defender has to avoid harm in turn", ward, value="wardSafe")
        against, feeble = (theirs[0].total, feeble) if request.reuse_attack else _second(request, dice, verdict)
        suffer(request, request.defender, facing, against, dice, verdict, feeble=feeble)
        verdict.outcome = "wardSafe" if verdict.outcome == "resisted" else verdict.outcome
    else:
        facing = "ward"
        dice.step("darkpages.defenders", "the defence fails: {} faces the harm", ward, value="ward")
        suffer(request, request.ward, facing, theirs[0].total, dice, verdict)
    _aside(request, shield, facing, dice)
    if verdict.outcome == "stalemate":
        verdict.succeeded = None
    verdict.fields = {"harmed": facing if verdict.outcome in HARMED else None}


def _aside(request: DarkpagesDefend, shield: Hand, facing: str | None, dice: Dice) -> None:
    """Who of defender and ward did not roll against the attacker: perhaps not at all, else on the damage check alone."""
    actor, where = (request.ward, "ward") if shield.where == "defender" else (request.defender, "defender")
    if facing != where:
        idle(actor, where, dice)
    elif request.damage_keep is not None and actor.keep != "highest":
        dice.step("darkpages.dice.choice", "{} rolls the damage check alone, so damageKeep counts in place of keep", named(actor, where))


def _second(request: DarkpagesDefend, dice: Dice, verdict: Verdict) -> tuple[Total, bool]:
    """A fresh roll of the attacker's: its total, and whether it is no success in any case."""
    actor = request.attacker
    choosing = Choosing(actor.keep, request.second_keep_dice, "/secondKeepDice", lambda positions: {"secondKeepDice": positions})
    again = hand(actor, "attacker", dice, request, purpose=".second", choosing=choosing)
    roll, special = drawn(again, dice)
    again.earn(dice, roll, verdict)
    again.offer_zeros(dice, roll)
    return roll.total, special is not None or not again.kept


def summary(request: DarkpagesDefend, verdict: Verdict, record: RolledDice) -> str:
    """One line: who defends whom, the kept dice of those rolled, against what, who resists what came of it, and how."""
    who = f"{named(request.defender, 'defender')} for {named(request.ward, 'ward')}"
    return blow_line(who, request.aim, record, "defender" if find(record, "defender") else "ward", verdict)
