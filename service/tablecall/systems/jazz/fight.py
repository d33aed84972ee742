"""A whole conflict: round after round everyone attacks as their side's tactic says, until one side stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.markov import branches
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Id, Name, WholeNumber, not_allowed
from tablecall.model.names import name_key
from tablecall.model.refusals import pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.model.text import Sentence, say
from tablecall.systems.inner import NO_DICE
from tablecall.systems.jazz.attack import report_kind
from tablecall.systems.jazz.combat_process import CombatProcess, Fighter, FightState, Tactic, hits_to_go
from tablecall.systems.jazz.conflict import STATE_AFTER, JazzConflict, on_their_feet, order_of, prepared, stands, without_one_shots
from tablecall.systems.jazz.initiative import id_key, initiative_ties, roll_order
from tablecall.systems.jazz.roller import Roller, ready_roller, report_weird_pools
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

Side = Annotated[str, Field(min_length=1, max_length=120)]

UNDECIDED = "undecided"
MAX_TURNS = 2_000
"""The most turns a fight may have: combatants times rounds."""
DEFAULT_ROUNDS = 100


class JazzFight(JazzConflict):
    """A conflict until it ends: in each round everyone who stands attacks, on their turn (jazz.conflict.order).

    In round 1 the attack of `combatants.0` is rolled as `combatants.0.round1.attack`, and the defence of `combatants.3` against it as
    `combatants.3.round1.against.0`.
    """

    unbounded: ClassVar[bool] = True
    large_ruling: ClassVar[bool] = True

    tactics: Annotated[dict[Side, Tactic], Field(max_length=64)] = Field(default_factory=dict)
    """Whom each side attacks, by the side's name: the `first` standing foe as listed, the `weakest` (fewest hits to go) or the
    `strongest` (most hits to go); of equals, the first as listed. A side without a tactic attacks the first."""
    together: Annotated[list[Name], Field(max_length=64)] = []
    """The sides whose members attack as one team, on the turn of the slowest (jazz.team.attack)."""
    max_rounds: Annotated[int, Field(ge=1, le=1_000), WholeNumber] | None = None
    """The fight is `undecided` after this many rounds from here; combatants times rounds can be at most 2,000. Default: 100, or fewer
    to stay within 2,000."""

    @model_validator(mode="after")
    def _check_fight(self) -> Self:
        sides = {name_key(combatant.side) for combatant in self.combatants}
        _check_sides([(pointer_of(["tactics", side]), side) for side in self.tactics], sides)
        _check_sides([(f"/together/{number}", side) for number, side in enumerate(self.together)], sides)
        for index, combatant in enumerate(self.combatants):
            if name_key(combatant.side) == UNDECIDED:
                raise not_allowed("jazz.refused.called_undecided", rule="jazz.conflict.out", at=f"/combatants/{index}/side")
            _check_can_go_out(combatant.actor, f"/combatants/{index}/actor")
        if len(self.combatants) * self.rounds > MAX_TURNS:
            raise not_allowed(
                "jazz.refused.too_many_turns", rule="jazz.conflict.order", at="/maxRounds", code="out-of-range", max=MAX_TURNS
            )
        return self

    @property
    def rounds(self) -> int:
        """The most rounds fought."""
        return min(DEFAULT_ROUNDS, MAX_TURNS // len(self.combatants)) if self.max_rounds is None else self.max_rounds

    def named_outcomes(self) -> list[str]:
        """The sides, and that the fight is undecided."""
        sides = {name_key(combatant.side): combatant.side for combatant in reversed(self.combatants)}
        return [*reversed(sides.values()), UNDECIDED]

    def possible_rolls(self) -> Collection[str]:
        """The names of all rolls that this request may lead to."""
        return FightRolls(self)


@dataclass(frozen=True, slots=True)
class FightRolls(Collection[str]):
    """The names of all rolls that a fight may lead to: too many to list, so only those of its first round are."""

    request: JazzFight

    def __contains__(self, name: object) -> bool:
        """Whether the roll may happen."""
        request, match = self.request, _ROLL.fullmatch(str(name))
        number = len(request.combatants)
        if match is None or int(match["who"]) >= number:
            return False
        if match["round"] is None:
            return not request.order
        if not request.round <= int(match["round"]) < request.round + request.rounds:
            return False
        return match["by"] is None or (int(match["by"]) < number and self._opposed(int(match["by"]), int(match["who"])))

    def _opposed(self, by: int, who: int) -> bool:
        """Whether an attack may be named after ``by`` that ``who`` defends against."""
        sides = [name_key(combatant.side) for combatant in self.request.combatants]
        leads = sides[by] not in map(name_key, self.request.together) or sides.index(sides[by]) == by
        return leads and sides[by] != sides[who]

    def __iter__(self) -> Iterator[str]:
        """The rolls of initiative and of the first round."""
        people, number = range(len(self.request.combatants)), self.request.round
        for who in people:
            if not self.request.order:
                yield f"combatants.{who}"
            yield f"combatants.{who}.round{number}.attack"
            yield from (f"combatants.{who}.round{number}.against.{by}" for by in people if self._opposed(by, who))

    def __len__(self) -> int:
        """How many rolls are listed."""
        return sum(1 for _ in self)


_ROLL = re.compile(
    r"combatants\.(?P<who>0|[1-9][0-9]?)(?:\.round(?P<round>[1-9][0-9]{0,6})\.(?:attack|against\.(?P<by>0|[1-9][0-9]?))|(?:\.tie[1-9][0-9]?)?)"
)


def _check_sides(named: list[tuple[str, str]], sides: set[str]) -> None:
    """Refuse a side, given with its pointer, that nobody is on or that is named twice."""
    seen: set[str] = set()
    for at, side in named:
        if name_key(side) not in sides:
            raise not_allowed("jazz.refused.no_side", rule="jazz.conflict.attack", at=at, code="unknown-name", name=side, near=list(sides))
        if name_key(side) in seen:
            raise not_allowed("jazz.refused.side_twice", rule="jazz.conflict.attack", at=at)
        seen.add(name_key(side))


def _check_can_go_out(actor: JazzActor, at: str) -> None:
    """Refuse a combatant whom no number of hits would take out (jazz.conflict.out)."""
    sheet = actor.character
    if sheet is None:
        raise not_allowed("jazz.refused.sheet_needed", rule="jazz.conflict.out", at=at, code="missing-field")
    if sheet.named and sheet.health is None and stands(actor):
        where = f"{at}/character/health"
        raise not_allowed("jazz.refused.health_needed", rule="jazz.health.pool", at=where, code="missing-field")


class JazzFightAttack(OutputModel):
    """One attack of a fight."""

    round: int
    """The number of the round."""
    by: Id
    """The attacker's id; of a team, that of the first who attacked. In round 3, `combatants.0` rolls the attack as
    `combatants.0.round3.attack`."""
    team: list[Id]
    """The ids of all who attacked together."""
    on: Id
    """The defender's id. In round 3, `combatants.1` rolls the defence against `combatants.0` as `combatants.1.round3.against.0`; against a
    side that attacks together, the first of that side as listed is named."""
    outcome: Literal["hit", "miss"]
    """`hit` if the attacker's total is at least the defender's, otherwise `miss`."""
    total: int
    """The attacker's total."""
    target: int
    """The defender's total."""
    health: int | None
    """The health the defender has left; null without a health pool."""
    out: bool
    """Whether the defender is now out of the fight."""


AFTER: dict[str, Any] = STATE_AFTER
FIELDS: dict[str, Any] = {
    "rounds": Annotated[int, Field(description="How many rounds were fought here.")],
    "attacks": Annotated[list[JazzFightAttack], Field(description="The attacks that were made, in order. Their dice are in `rolls`.")],
}


def fight(request: JazzFight, dice: Dice) -> Verdict:
    """Resolve a fight: round after round everyone who stands attacks whom their side's tactic says (jazz.conflict.attack).

    Outcomes: the name of the only side that still stands, or ``undecided``: more than one stands after ``maxRounds``, or
    none, because those who act at the same time brought each other down. ``attacks`` lists every attack; ``effects`` and
    ``after`` show the total changes. Refuses combatants without a sheet or health, dice that are not held or would be wasted,
    tactics of an unknown side, and more than 2,000 turns.
    """
    process = replace(dice.cached("begun", lambda: _process(request)), attacks=[], dice_used=set(), said={})
    report_weird_pools(dice, [(f"combatants.{index}", combatant.actor.character) for index, combatant in enumerate(request.combatants)])
    if not process.is_over(process.start):
        _report_options(request, dice)
        moves = sum(1 for _ in _moving_all(process))
        dice.declare_branches(lambda: branches(process.state_bound, moves, process.max_rounds))
    places, totals = _order(request, process, dice)
    if not process.is_over(process.start):
        process.set_order([place for place in _moving(process, places) if place])
        for place in places:
            _report_shared(process, place, dice)
    end = dice.follow("fight", process)
    verdict = Verdict(UNDECIDED, None, fields={"rounds": process.rounds, "attacks": process.attacks})
    for index, fighter in enumerate(process.fighters):
        if fighter.has_die and not end.dice >> index & 1:
            _use_up(fighter, verdict, dice)
        fighter.apply_hits(fighter.hits - end.hits[index], verdict)
    sides = process.sides_standing(end)
    _conclude(request, process, sides, verdict, dice)
    verdict.after = {"order": _order_after(request, places, totals), **_state_after(request, process, over=len(sides) < 2)}
    return verdict


def _process(request: JazzFight) -> CombatProcess:
    """The fight before the first turn; its order is not known yet."""
    fighters = _fighters(request)
    index = request.index
    sides = [name_key(combatant.side) for combatant in request.combatants]
    foes = [[index for index, other in enumerate(sides) if other != side] for side in sides]
    by_side = {name_key(side): tactic for side, tactic in request.tactics.items()}
    tactics: list[Tactic] = [by_side.get(side, "first") for side in sides]
    teams = [[who for who, side in enumerate(sides) if side == name_key(together)] for together in request.together]
    acted = sum(1 << index[id_key(id_)] for id_ in request.acted)
    falling = sum(1 << who for who in {index[id_key(id_)] for id_ in request.falling} if not fighters[who].hits and not acted >> who & 1)
    dice = sum(1 << index for index, fighter in enumerate(fighters) if fighter.has_die)
    start = FightState(tuple(fighter.hits for fighter in fighters), dice, falling, acted)
    return CombatProcess(fighters, sides, foes, tactics, teams, start, request.rounds, _rounds_with_dice(request), request.round)


def _fighters(request: JazzFight) -> list[Fighter]:
    """Every combatant as a fighter; refuses dice that are not held or would be wasted."""
    fighters = []
    for index, combatant in enumerate(request.combatants):
        actor, hits = prepared(combatant), hits_to_go(combatant.actor)
        if not hits:
            actor = on_their_feet(actor)  # who is falling still acts
        else:
            ready_roller(actor, f"combatants.{index}.actor", NO_DICE)
        fighters.append(Fighter(f"combatants.{index}", combatant, actor, without_one_shots(actor), hits))
    return fighters


def _moving_all(process: CombatProcess) -> Iterator[int]:
    """Those who take part: they stand, or are falling."""
    return (who for who, hits in enumerate(process.start.hits) if hits or process.start.acting >> who & 1)


def _moving(process: CombatProcess, places: list[list[int]]) -> Iterator[list[int]]:
    """The places of those who take part: they stand, or are falling."""
    for place in places:
        yield [who for who in place if process.start.hits[who] or process.start.acting >> who & 1]


def _rounds_with_dice(request: JazzFight) -> frozenset[int]:
    """The rounds for which the request supplies dice, counted from 1."""
    matches = (_ROLL.fullmatch(given.roll) for given in request.dice)
    rounds = {int(match["round"]) - request.round + 1 for match in matches if match and match["round"]}
    return frozenset(time for time in rounds if 1 <= time <= request.rounds)


def _order(request: JazzFight, process: CombatProcess, dice: Dice) -> tuple[list[list[int]], list[Any]]:
    """The places of everybody and their totals, given or rolled now (jazz.conflict.order). The odds need only those who stand."""
    if request.order:
        index = request.index
        return [[index[id_key(id_)] for id_ in place.ids] for place in request.order], [place.total for place in request.order]
    if process.is_over(process.start):
        return [], []
    standing = [index for index, hits in enumerate(process.start.hits) if hits]
    return roll_order(dict(enumerate(request.combatants)), initiative_ties(request), dice, among=standing)


def _report_shared(process: CombatProcess, place: list[int], dice: Dice) -> None:
    """Report those who act at the same time."""
    standing = [index for index in place if process.start.hits[index]]
    if len(standing) > 1:
        dice.note("jazz.conflict.order", "fight.same_time", who=[f"combatants.{index}" for index in standing])


def _order_after(request: JazzFight, places: list[list[int]], totals: list[Any]) -> list[dict[str, Any]]:
    """The order as sent, or as it was rolled."""
    if request.order:
        return [place.model_dump(by_alias=True, exclude_unset=True) for place in request.order]
    return order_of(places, totals, [combatant.id for combatant in request.combatants])


def _state_after(request: JazzFight, process: CombatProcess, *, over: bool) -> dict[str, Any]:
    """The rest of the state: the round in which it ended and who had acted in it, or the next round."""
    if not over:
        return {"round": request.round + process.max_rounds, "acted": [], "waiting": [], "falling": []}
    number = request.round + max(process.rounds - 1, 0)
    acted = dict.fromkeys(request.acted if number == request.round else ())
    for attack in process.attacks:
        if attack["round"] == number:
            acted.update(dict.fromkeys(attack["team"]))
    return {"round": number, "acted": list(acted), "waiting": [], "falling": []}


def _use_up(fighter: Fighter, verdict: Verdict, dice: Dice) -> None:
    """What was for one roll is used up."""
    roller = Roller(fighter.actor, fighter.where, spends_weird=bool(fighter.actor.extraordinary))
    roller.use_dice(verdict)
    # which attack it was for is not known any more, so an extraordinary one costs its weird when attempted
    roller.use_weird(True, "attempt", dice, verdict)
    sent = fighter.combatant.actor.model_fields_set
    for wire, name in (("spend", "spend"), ("imposeKarma", "impose_karma"), ("extraordinary", "extraordinary")):
        if name in sent:
            verdict.removed.append((fighter.where, wire))


def _report_options(request: JazzFight, dice: Dice) -> None:
    for side, tactic in request.tactics.items():
        dice.note("jazz.conflict.attack", "fight.tactic", side=side, tactic=tactic, value=tactic)
    for side in request.together:
        dice.note("jazz.team.attack", "fight.together", side=side)
    report_kind(request.kind, dice)


def _conclude(request: JazzFight, process: CombatProcess, sides: list[str], verdict: Verdict, dice: Dice) -> None:
    if len(sides) > 1:
        dice.note("jazz.conflict.order", "fight.undecided", rounds=request.rounds)
    elif sides:
        verdict.outcome = next(combatant.side for combatant in request.combatants if name_key(combatant.side) == sides[0])
        dice.note("jazz.conflict.out", "turn.over", side=verdict.outcome)
    else:
        dice.note("jazz.conflict.out", "turn.nobody_stands")


def summary(request: JazzFight, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """How long it took, who won, who went down."""
    attacks = verdict.fields["attacks"]
    index = request.index
    down = [f"combatants.{index[id_key(attack['on'])]}" for attack in attacks if attack["out"]]
    key = "fight.drawn" if verdict.outcome == UNDECIDED else "fight.won"
    told = [say(key, rounds=verdict.fields["rounds"], attacks=len(attacks), outcome=verdict.outcome)]
    return [*told, say("fight.down", who=down)] if down else told
