"""Jazz, a whole conflict: round after round, everybody on whomever their side's tactic says, until one side stands."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.markov import branches
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import MayBeNull, Simulable, WholeNumber, not_allowed
from tablecall.model.refusals import pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.model.wording import plural
from tablecall.systems.jazz import initiative
from tablecall.systems.jazz.attack import Kind, of_kind
from tablecall.systems.jazz.combat_process import Fight, Fighter, Standing, Tactic, hits_left, turns_of
from tablecall.systems.jazz.initiative import Order, Ties, entrant, ordered
from tablecall.systems.jazz.roller import Roller, derived, fit, unused
from tablecall.systems.jazz.round import JazzCombatant, complete, given_order, settled, spent, stands
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

Side = Annotated[str, Field(min_length=1, max_length=120)]

UNDECIDED = "undecided"
MOST_TURNS = 2_000
"""How many turns a fight may have at most: combatants times rounds."""
MOST_ROUNDS = 100
"""How many rounds are fought where nobody says."""
MOST_NAMED = 8
"""How many of those who went down the summary names."""


class JazzFight(Simulable):
    """A conflict from initiative to its end: in each round everyone who stands attacks, on their turn (jazz.conflict.order).

    Nobody teams up; resolve a conflict of teams round by round, by `jazz.round`. In round 1 `combatants.0` attacks as
    `combatants.0.round1.attack`, and `combatants.3` defends against that as `combatants.3.round1.against0`.
    """

    unbounded: ClassVar[bool] = True
    large_ruling: ClassVar[bool] = True

    combatants: Annotated[list[JazzCombatant], Field(min_length=2, max_length=64)]
    """Everyone in the conflict, those who are out too. Each needs a sheet, for nothing else says when somebody goes down; a die
    to `spend` or impose goes into their first attack."""
    order: Annotated[Order, Field(max_length=64)] = []
    """The order of initiative, as `after` gave it; left empty those who stand roll it now, as `combatants.0`, `combatants.1` …
    Those who share a place act at the same time: each attacks who stood when the place began, somebody who still stands."""
    ties: Ties = "rerollOff"
    """Who goes first of those with an equal initiative (jazz.conflict.order)."""
    kind: Kind = "physical"
    """A label, `physical`, `mental`, `social` or any other: every kind of conflict wears down the same health pool
    (jazz.conflict.kind)."""
    tactics: Annotated[dict[Side, Tactic], Field(max_length=64), MayBeNull()] = Field(default_factory=dict)
    """Whom a side attacks, by its name: of the others who stand the `first` as listed, the `weakest`, whom the fewest hits take
    out, or the `strongest`, whom the most do; of equals the first as listed. A side without a tactic attacks the first."""
    max_rounds: Annotated[int, Field(ge=1, le=1_000), WholeNumber] | None = None
    """After so many rounds it is `undecided`; combatants times rounds are at most 2,000. Left out it is after 100, or as many as that
    allows."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        complete(self.combatants, self.order)
        sides = {combatant.side for combatant in self.combatants}
        for side in self.tactics:
            if side not in sides:
                raise not_allowed("tactics are of the sides there are", rule="jazz.conflict.attack", at=pointer_of(["tactics", side]))
        for index, combatant in enumerate(self.combatants):
            if combatant.side == UNDECIDED:
                raise not_allowed("a side may not be called undecided", rule="jazz.conflict.out", at=f"/combatants/{index}/side")
            _breakable(combatant.actor, f"/combatants/{index}/actor")
        if len(self.combatants) * self.rounds > MOST_TURNS:
            detail = f"combatants times rounds are at most {MOST_TURNS}"
            raise not_allowed(detail, rule="jazz.conflict.order", at="/maxRounds")
        return self

    @property
    def rounds(self) -> int:
        """After how many it is undecided."""
        return min(MOST_ROUNDS, MOST_TURNS // len(self.combatants)) if self.max_rounds is None else self.max_rounds


def _breakable(actor: JazzActor, at: str) -> None:
    """Refuse whoever could never go down (jazz.conflict.out)."""
    sheet = actor.character
    if sheet is None:
        raise not_allowed("a fight needs the sheet of everyone: nothing else says when they go down", rule="jazz.conflict.out", at=at)
    if sheet.named and sheet.health is None and stands(actor):
        detail = "whoever fights needs a health pool, or the aspect it follows from"
        raise not_allowed(detail, rule="jazz.health.pool", at=f"{at}/character/health")


class JazzFightAttack(OutputModel):
    """One attack of a fight."""

    round: int
    """The round, counted from 1."""
    by: str
    """Whose attack, by id; in round 3 `combatants.0` rolls it as `combatants.0.round3.attack`."""
    on: str
    """On whom; in round 3 `combatants.1` defends against `combatants.0` as `combatants.1.round3.against0`."""
    outcome: Literal["hit", "miss"]
    """What came of it. `hit`: the attacker's total is at least the defender's. `miss`: it is not."""
    total: int
    """The attacker's total."""
    target: int
    """The defender's."""
    health: int | None
    """What health the defender has left; null where there is no pool."""
    out: bool
    """Whether the defender is out of the fight."""


AFTER = initiative.AFTER
FIELDS: dict[str, Any] = {
    "rounds": Annotated[int, Field(description="How many rounds were fought.")],
    "attacks": Annotated[list[JazzFightAttack], Field(description="The attacks that were made, in order. Their dice are in `rolls`.")],
}


def fight(request: JazzFight, dice: Dice) -> Verdict:
    """Fight it out: round after round everyone who stands attacks whom their side's tactic says, by `jazz.conflict.attack`.

    Outcomes: the name of the side that alone still stands, or ``undecided``, where after ``maxRounds`` more than one does, or
    where those who act at the same time have brought each other down. ``attacks`` are told one by one; what they changed in all is in
    ``effects`` and ``after``. Refuses whoever has no sheet or no health, dice that are not held or would be wasted, tactics of
    a side that is not there, and more than 2,000 turns.
    """
    course = replace(dice.cached("begun", lambda: _begun(request)), attacks=[], spent=set())
    fighters = course.fighters
    derived(dice, *(combatant.actor.character for combatant in request.combatants))
    order: list[list[int]] = []
    if not course.is_over(course.start):
        _say(request, dice)
        if not dice.wants_steps:
            dice.declare_branches(
                dice.cached("ways", lambda: branches(course.state_bound, sum(map(bool, course.start.left)), course.max_rounds))
            )
        order = _order(request, course, dice)
        course.moves = [turn for place in order for turn in turns_of(place)]
    end = dice.follow("fight", course)
    verdict = Verdict(UNDECIDED, None, fields={"rounds": course.rounds, "attacks": course.attacks})
    verdict.after = {"order": _named(request, order)}
    for index, fighter in enumerate(fighters):
        if end.dice >> index & 1 or not fighter.spends:
            unused(fighter.combatant.actor, fighter.label, dice, "no attack in this fight")
        else:
            Roller(fighter.actor, fighter.where, spends_weird=False).pay(verdict)
        fighter.suffer(fighter.left - end.left[index], verdict)
    _end(request, course.standing(end), verdict, dice)
    return verdict


def _begun(request: JazzFight) -> Fight:
    """The fight before the first turn, its order still unknown."""
    fighters = _fighters(request)
    sides = [combatant.side for combatant in request.combatants]
    foes = [[index for index, other in enumerate(sides) if other != side] for side in sides]
    tactics = [request.tactics.get(side, "first") for side in sides]
    dice = sum(1 << index for index, fighter in enumerate(fighters) if fighter.spends)
    start = Standing(tuple(fighter.left for fighter in fighters), dice, 0)
    return Fight(fighters, sides, foes, tactics, start, request.rounds, _held(request))


def _order(request: JazzFight, course: Fight, dice: Dice) -> list[list[int]]:
    """The places of those who stand: in the order handed in, or rolled by them now (jazz.conflict.order)."""
    standing = [index for index, left in enumerate(course.start.left) if left]
    if request.order:
        places = given_order(request.combatants, request.order, request.ties, dice)
        order = [[index for index in place if index in standing] for place in places]
    else:
        entrants = [entrant(index, request.combatants[index]) for index in standing]
        order = [[standing[number] for number in place] for place in ordered(entrants, request.ties, dice)]
    for place in order:
        if len(place) > 1:
            names = " and ".join(course.fighters[index].label for index in place)
            dice.step("jazz.conflict.order", "{} act at the same time: each attacks, even if brought down just before", names)
    return [place for place in order if place]


def _named(request: JazzFight, order: list[list[int]]) -> list[list[str]]:
    """The order for the next request: whoever was out already comes last. Where nothing was fought it is as it was sent."""
    if not order:
        return request.order
    ids = [combatant.id for combatant in request.combatants]
    placed = {index for place in order for index in place}
    return [[ids[index] for index in place] for place in order] + [[one] for index, one in enumerate(ids) if index not in placed]


def _fighters(request: JazzFight) -> list[Fighter]:
    """Everyone, found able to fight; refuses dice that nobody holds or that would be wasted."""
    found, labels = [], _labels(request)
    for index, combatant in enumerate(request.combatants):
        actor, left = settled(combatant.actor), hits_left(combatant.actor)
        if left:
            fit(actor, f"combatants.{index}.actor", free=True)
        found.append(Fighter(f"combatants.{index}", labels[combatant.id], combatant, actor, spent(actor), left))
    return found


def _labels(request: JazzFight) -> dict[str, str]:
    """What everyone is called, by id: the name, and where others have it too, the id beside it."""
    names = Counter(combatant.name for combatant in request.combatants)
    return {one.id: one.name if names[one.name] == 1 else f"{one.name} ({one.id})" for one in request.combatants}


_ROUND = re.compile(r"combatants\.[0-9]+\.round([0-9]{1,4})\.")


def _held(request: JazzFight) -> frozenset[int]:
    """The rounds for which dice were rolled at the table."""
    found = (_ROUND.match(given.roll) for given in request.dice)
    rounds = {int(match[1]) for match in found if match}
    return frozenset(time for time in rounds if 1 <= time <= request.rounds)


def _say(request: JazzFight, dice: Dice) -> None:
    """What was chosen for the whole of the fight."""
    for side, tactic in request.tactics.items():
        dice.step("jazz.conflict.attack", "{}: on the {} who stands (option tactics)", side, tactic, value=tactic)
    of_kind(request.kind, dice)


def _end(request: JazzFight, sides: list[str], verdict: Verdict, dice: Dice) -> None:
    if len(sides) > 1:
        rounds = plural(request.rounds, "round")
        dice.step("jazz.conflict.order", "after {} more than one side still stands (option maxRounds)", rounds)
    elif sides:
        verdict.outcome = sides[0]
        dice.step("jazz.conflict.out", "{} is all that still stands, so the conflict is over", sides[0])
    else:
        dice.step("jazz.conflict.out", "nobody still stands, so the conflict is over, and nobody's")


def summary(request: JazzFight, verdict: Verdict, record: RolledDice) -> str:
    """One line: how long it was, who still stands, who went down."""
    attacks = verdict.fields["attacks"]
    labels = _labels(request)
    down = [labels[attack["on"]] for attack in attacks if attack["out"]]
    shown = ", ".join(down[:MOST_NAMED]) + (f" and {len(down) - MOST_NAMED} more" if len(down) > MOST_NAMED else "")
    length = f"{plural(verdict.fields['rounds'], 'round')}, {plural(len(attacks), 'attack')}"
    won = verdict.outcome if verdict.outcome == UNDECIDED else f"won by {verdict.outcome}"
    return f"A fight of {length}, {won}; {f'down: {shown}' if down else 'nobody went down'}"
